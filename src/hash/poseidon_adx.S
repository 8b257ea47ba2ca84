/* hash/poseidon_adx.S - sums of products in Fr with MULX, ADCX, ADOX. One reduction serves a whole sum: for each of the
 * four limbs of the right factors, lowest first, all products of the left factors with that limb are added, then one
 * multiple of the modulus clears the lowest limb of the sum (Montgomery's reduction, interleaved).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */

/* void poseidon_sum_adx(uint64_t t[5], const fr *a, const fr *b, size_t n, size_t b_stride)
 * t = sum of a[i] * b[i * b_stride] / 2^256 modulo r, below n * r^2 / 2^256 + r; b_stride in bytes, n from 1 to 16. */

#define B_STRIDE (%rsp)
#define A        %rsi
#define A_END    %rcx
#define B        %rbx
#define ZERO     %r8
#define A_AT     %r15
#define B_AT     %rdi
#define LOW      %rax
#define HIGH     %rbp

/* t0..t5 += %rdx * the four limbs at symbol(base) */
.macro add_row symbol, base, t0, t1, t2, t3, t4, t5
    xor %r8d, %r8d
    mulx \symbol+0(\base), LOW, HIGH
    adcx LOW, \t0
    adox HIGH, \t1
    mulx \symbol+8(\base), LOW, HIGH
    adcx LOW, \t1
    adox HIGH, \t2
    mulx \symbol+16(\base), LOW, HIGH
    adcx LOW, \t2
    adox HIGH, \t3
    mulx \symbol+24(\base), LOW, HIGH
    adcx LOW, \t3
    adcx ZERO, HIGH /* a product's high half has room for one more */
    adox HIGH, \t4
    adox ZERO, \t5
.endm

/* All products with limb number `limb` of the right factors, then t0 becomes zero. */
.macro limb number, t0, t1, t2, t3, t4, t5
    mov A, A_AT
    lea 8*\number(B), B_AT
    .balign 16
1:  mov (B_AT), %rdx
    add_row 0, A_AT, \t0, \t1, \t2, \t3, \t4, \t5
    add $32, A_AT
    add B_STRIDE, B_AT
    cmp A_END, A_AT
    jne 1b
    mov .Lminus_inverse(%rip), %rdx
    imul \t0, %rdx
    add_row .Lmodulus, %rip, \t0, \t1, \t2, \t3, \t4, \t5
.endm

    .section .rodata
    .balign 32
.Lmodulus:
    .quad 0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48
.Lminus_inverse: /* -1 / r mod 2^64 */
    .quad 0xfffffffeffffffff

    .text
    .balign 64
    .globl poseidon_sum_adx
    .hidden poseidon_sum_adx
    .type poseidon_sum_adx, @function
poseidon_sum_adx:
    .cfi_startproc
    push %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    push %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r12, 0
    push %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r13, 0
    push %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r14, 0
    push %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r15, 0
    push %rdi
    .cfi_adjust_cfa_offset 8
    push %r8 /* B_STRIDE */
    .cfi_adjust_cfa_offset 8

    mov %rdx, B
    shl $5, %rcx
    add A, A_END
    xor %r9d, %r9d
    xor %r10d, %r10d
    xor %r11d, %r11d
    xor %r12d, %r12d
    xor %r13d, %r13d
    xor %r14d, %r14d
    limb 0, %r9, %r10, %r11, %r12, %r13, %r14
    limb 1, %r10, %r11, %r12, %r13, %r14, %r9
    limb 2, %r11, %r12, %r13, %r14, %r9, %r10
    limb 3, %r12, %r13, %r14, %r9, %r10, %r11

    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    mov %r13, 0(%rdi)
    mov %r14, 8(%rdi)
    mov %r9, 16(%rdi)
    mov %r10, 24(%rdi)
    mov %r11, 32(%rdi)
    pop %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore r15
    pop %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore r14
    pop %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore r13
    pop %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore r12
    pop %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbp
    pop %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbx
    ret
    .cfi_endproc
    .size poseidon_sum_adx, . - poseidon_sum_adx

    .section .note.GNU-stack, "", @progbits

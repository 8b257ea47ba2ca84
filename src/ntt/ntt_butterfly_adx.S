/* ntt/ntt_butterfly_adx.S - rows of butterflies with MULX, ADCX and ADOX: see ntt/ntt_kernel.h.
 *
 * Values are below 2r between the levels of a transform (D. Harvey, "Faster arithmetic for number-theoretic
 * transforms", 2014, with 2r for want of room for 4r in 256 bits); roots are below r.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fr_adx.inc"

    .section .rodata
    .balign 32
.Ltwice_r:
    .quad 0xfffffffe00000002, 0xa77b4805fffcb7fd, 0x6673b0101343b00a, 0xe7db4ea6533afa90

    .text

/* With CF set after a borrow out of (s0..s3): add 2r to it then. Uses %r12 to %r15. */
.macro mend_borrow s0, s1, s2, s3
    sbbq %r12, %r12
    movq %r12, %r13
    movq %r12, %r14
    movq %r12, %r15
    andq .Ltwice_r+0(%rip), %r12
    andq .Ltwice_r+8(%rip), %r13
    andq .Ltwice_r+16(%rip), %r14
    andq .Ltwice_r+24(%rip), %r15
    addq %r12, \s0
    adcq %r13, \s1
    adcq %r14, \s2
    adcq %r15, \s3
.endm

/* (CF, s0..s3) below 4r: take 2r off if that fits. Uses u0..u3 and %r13. */
.macro mend_sum s0, s1, s2, s3, u0, u1, u2, u3
    movl $0, %r13d
    adcq $0, %r13
    movq \s0, \u0
    movq \s1, \u1
    movq \s2, \u2
    movq \s3, \u3
    subq .Ltwice_r+0(%rip), \s0
    sbbq .Ltwice_r+8(%rip), \s1
    sbbq .Ltwice_r+16(%rip), \s2
    sbbq .Ltwice_r+24(%rip), \s3
    sbbq $0, %r13
    cmovcq \u0, \s0
    cmovcq \u1, \s1
    cmovcq \u2, \s2
    cmovcq \u3, \s3
.endm

.macro load4 t0, t1, t2, t3, at
    movq 0(\at), \t0
    movq 8(\at), \t1
    movq 16(\at), \t2
    movq 24(\at), \t3
.endm

/* From the arguments (a, b, count, step, w, w_step) to %rdi = a, %rcx = b, %rsi = w, and on the stack the
 * count at 16, the step at 8 and w_step at 0, in bytes. */
.macro begin_loop name
    begin \name
    save r14
    save r15
    shlq $5, %r9
    movq %rcx, %rax
    shlq $5, %rax
    subq $24, %rsp
    .cfi_adjust_cfa_offset 24
    movq %rdx, 16(%rsp)
    movq %rax, 8(%rsp)
    movq %r9, 0(%rsp)
    movq %rsi, %rcx
    movq %r8, %rsi
    testq %rdx, %rdx
    jz 2f
    .balign 32
1:
.endm

.macro end_loop name
    addq 8(%rsp), %rdi
    addq 8(%rsp), %rcx
    addq 0(%rsp), %rsi
    decq 16(%rsp)
    jnz 1b
2:
    addq $24, %rsp
    .cfi_adjust_cfa_offset -24
    restore r15
    restore r14
    end \name
.endm

/* void ntt_multiply_then_cross_adx(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step) */
begin_loop ntt_multiply_then_cross_adx
    product %r8, %r9, %r10, %r11, %r12, %r14
    load4 %rax, %rbx, %rbp, %rdx, %rdi
    subq %r8, %rax
    sbbq %r9, %rbx
    sbbq %r10, %rbp
    sbbq %r11, %rdx
    mend_borrow %rax, %rbx, %rbp, %rdx
    store4 %rax, %rbx, %rbp, %rdx, %rcx
    addq 0(%rdi), %r8
    adcq 8(%rdi), %r9
    adcq 16(%rdi), %r10
    adcq 24(%rdi), %r11
    mend_sum %r8, %r9, %r10, %r11, %rax, %rbx, %rbp, %rdx
    store4 %r8, %r9, %r10, %r11, %rdi
end_loop ntt_multiply_then_cross_adx

/* void ntt_cross_then_multiply_adx(fr *a, fr *b, size_t count, size_t step, const fr *w, size_t w_step) */
begin_loop ntt_cross_then_multiply_adx
    load4 %r8, %r9, %r10, %r11, %rdi
    movq %r8, %rax
    movq %r9, %rbx
    movq %r10, %rbp
    movq %r11, %rdx
    subq 0(%rcx), %rax
    sbbq 8(%rcx), %rbx
    sbbq 16(%rcx), %rbp
    sbbq 24(%rcx), %rdx
    mend_borrow %rax, %rbx, %rbp, %rdx
    addq 0(%rcx), %r8
    adcq 8(%rcx), %r9
    adcq 16(%rcx), %r10
    adcq 24(%rcx), %r11
    store4 %rax, %rbx, %rbp, %rdx, %rcx
    mend_sum %r8, %r9, %r10, %r11, %rax, %rbx, %rbp, %rdx
    store4 %r8, %r9, %r10, %r11, %rdi
    product %r8, %r9, %r10, %r11, %r12, %r14
    store4 %r8, %r9, %r10, %r11, %rcx
end_loop ntt_cross_then_multiply_adx

/* void ntt_cross_adx(fr *a, fr *b, size_t count, size_t step); w and its step are not looked at */
begin_loop ntt_cross_adx
    load4 %r8, %r9, %r10, %r11, %rdi
    movq %r8, %rax
    movq %r9, %rbx
    movq %r10, %rbp
    movq %r11, %rdx
    subq 0(%rcx), %rax
    sbbq 8(%rcx), %rbx
    sbbq 16(%rcx), %rbp
    sbbq 24(%rcx), %rdx
    mend_borrow %rax, %rbx, %rbp, %rdx
    addq 0(%rcx), %r8
    adcq 8(%rcx), %r9
    adcq 16(%rcx), %r10
    adcq 24(%rcx), %r11
    store4 %rax, %rbx, %rbp, %rdx, %rcx
    mend_sum %r8, %r9, %r10, %r11, %rax, %rbx, %rbp, %rdx
    store4 %r8, %r9, %r10, %r11, %rdi
end_loop ntt_cross_adx

    .section .note.GNU-stack, "", @progbits

/* field/fp_adx.S - Montgomery products modulo the 381-bit p with MULX, ADCX and ADOX.
 *
 * Row by row (Koc, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication algorithms", 1996,
 * CIOS), each row's low halves on the overflow chain and its high halves on the carry chain. As 2p < 2^382
 * a row's sum never leaves seven limbs, so each row ends with both flags clear.
 * System V calling convention. Variable names t0.. are roles: they rotate through the registers.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */

    .section .rodata
    .balign 64
.Lp:
    .quad 0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624
    .quad 0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a
.Lq: /* (p (-1/p mod 2^64) + 1) / 2^64 */
    .quad 0x6a4aaa14be07a408, 0x5d4f098d2923b9a3, 0x622385e49d0feeb0
    .quad 0x5fb6d192233b3b63, 0x2cffcd0f221a175b, 0x0e035b9b1e00bc8e
.Lp_shifted: /* 2^381 p / 2^320 */
    .quad 0x6000000000000000, 0xf73fdffffffff555, 0x83d57fffd62a7fff
    .quad 0xece61a541ed61ec4, 0xec8ee9709e70a257, 0x496374f6c869759a, 0x0340223d472ffcd3
.Lp_inv:
    .quad 0x89f3fffcfffcfffd

    .text

.macro save reg
    pushq %\reg
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %\reg, 0
.endm

.macro restore reg
    popq %\reg
    .cfi_adjust_cfa_offset -8
    .cfi_restore %\reg
.endm

.macro begin name
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 32
\name:
    .cfi_startproc
    endbr64
    save rbp
    save rbx
    save r12
    save r13
    save r14
    save r15
.endm

.macro end name
    restore r15
    restore r14
    restore r13
    restore r12
    restore rbx
    restore rbp
    ret
    .cfi_endproc
    .size \name, . - \name
.endm

/* (t0..t6) = the six limbs at (%rsi) * %rdx. */
.macro first_row t0, t1, t2, t3, t4, t5, t6
    mulxq 0(%rsi), \t0, \t1
    mulxq 8(%rsi), %rax, \t2
    addq %rax, \t1
    mulxq 16(%rsi), %rax, \t3
    adcq %rax, \t2
    mulxq 24(%rsi), %rax, \t4
    adcq %rax, \t3
    mulxq 32(%rsi), %rax, \t5
    adcq %rax, \t4
    mulxq 40(%rsi), %rax, \t6
    adcq %rax, \t5
    adcq $0, \t6
.endm

/* (t0..t6) = (t0..t5) + the six limbs at (%rsi) * %rdx. %rdi: 0. Flags clear before and after. */
.macro row t0, t1, t2, t3, t4, t5, t6
    xorl %edi, %edi
    mulxq 0(%rsi), %rax, %rbx
    adoxq %rax, \t0
    mulxq 8(%rsi), %rax, %rbp
    adcxq %rbx, \t1
    adoxq %rax, \t1
    mulxq 16(%rsi), %rax, %rbx
    adcxq %rbp, \t2
    adoxq %rax, \t2
    mulxq 24(%rsi), %rax, %rbp
    adcxq %rbx, \t3
    adoxq %rax, \t3
    mulxq 32(%rsi), %rax, %rbx
    adcxq %rbp, \t4
    adoxq %rax, \t4
    mulxq 40(%rsi), %rax, \t6
    adcxq %rbx, \t5
    adoxq %rax, \t5
    adcxq %rdi, \t6
    adoxq %rdi, \t6
.endm

/* (t1..t6) = ((t0..t6) + m p) / 2^64 with the m that clears t0. %rdi: 0. Flags as above. */
.macro reduce t0, t1, t2, t3, t4, t5, t6
    movq \t0, %rdx
    imulq .Lp_inv(%rip), %rdx
    xorl %edi, %edi
    mulxq .Lp+0(%rip), %rax, %rbx
    adoxq \t0, %rax
    mulxq .Lp+8(%rip), %rax, %rbp
    adcxq %rbx, \t1
    adoxq %rax, \t1
    mulxq .Lp+16(%rip), %rax, %rbx
    adcxq %rbp, \t2
    adoxq %rax, \t2
    mulxq .Lp+24(%rip), %rax, %rbp
    adcxq %rbx, \t3
    adoxq %rax, \t3
    mulxq .Lp+32(%rip), %rax, %rbx
    adcxq %rbp, \t4
    adoxq %rax, \t4
    mulxq .Lp+40(%rip), %rax, %rbp
    adcxq %rbx, \t5
    adoxq %rax, \t5
    adcxq %rbp, \t6
    adoxq %rdi, \t6
.endm

/* (%rdi) = (t0..t5) mod p for a value below 2p. */
.macro store_reduced t0, t1, t2, t3, t4, t5
    movq \t0, %rax
    movq \t1, %rbx
    movq \t2, %rbp
    movq \t3, %rcx
    movq \t4, %rdx
    movq \t5, %rsi
    subq .Lp+0(%rip), \t0
    sbbq .Lp+8(%rip), \t1
    sbbq .Lp+16(%rip), \t2
    sbbq .Lp+24(%rip), \t3
    sbbq .Lp+32(%rip), \t4
    sbbq .Lp+40(%rip), \t5
    cmovcq %rax, \t0
    cmovcq %rbx, \t1
    cmovcq %rbp, \t2
    cmovcq %rcx, \t3
    cmovcq %rdx, \t4
    cmovcq %rsi, \t5
    movq \t0, 0(%rdi)
    movq \t1, 8(%rdi)
    movq \t2, 16(%rdi)
    movq \t3, 24(%rdi)
    movq \t4, 32(%rdi)
    movq \t5, 40(%rdi)
.endm

/* (t1..t7) += %rdx q. As 2^64 q - 1 is a multiple of p that is -1 mod 2^64, a number with the low limb %rdx
 * loses it so, divided by 2^64, without a product for the factor that clears it. The number may grow: below
 * 2^64 (q + p) plus a row before, which stays in seven limbs. %rdi: 0. */
.macro reduce_quick t1, t2, t3, t4, t5, t6, t7
    xorl %edi, %edi
    mulxq .Lq+0(%rip), %rax, %rbx
    adoxq %rax, \t1
    mulxq .Lq+8(%rip), %rax, %rbp
    adcxq %rbx, \t2
    adoxq %rax, \t2
    mulxq .Lq+16(%rip), %rax, %rbx
    adcxq %rbp, \t3
    adoxq %rax, \t3
    mulxq .Lq+24(%rip), %rax, %rbp
    adcxq %rbx, \t4
    adoxq %rax, \t4
    mulxq .Lq+32(%rip), %rax, %rbx
    adcxq %rbp, \t5
    adoxq %rax, \t5
    mulxq .Lq+40(%rip), %rax, %rbp
    adcxq %rbx, \t6
    adoxq %rax, \t6
    adcxq %rbp, \t7
    adoxq %rdi, \t7
.endm

/* void fp_mul_adx(fp *out, const fp *a, const fp *b)
 * Five quick reductions and a last one modulo p itself: the sum is below a b / 2^384 + q + p < 2p, as
 * q < 0.54 p. */
begin fp_mul_adx
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    movq %rdx, %rcx
    movq 0(%rcx), %rdx
    first_row %r8, %r9, %r10, %r11, %r12, %r13, %r14
    movq 8(%rcx), %rdx
    row %r9, %r10, %r11, %r12, %r13, %r14, %r15
    movq %r8, %rdx
    reduce_quick %r9, %r10, %r11, %r12, %r13, %r14, %r15
    movq 16(%rcx), %rdx
    row %r10, %r11, %r12, %r13, %r14, %r15, %r8
    movq %r9, %rdx
    reduce_quick %r10, %r11, %r12, %r13, %r14, %r15, %r8
    movq 24(%rcx), %rdx
    row %r11, %r12, %r13, %r14, %r15, %r8, %r9
    movq %r10, %rdx
    reduce_quick %r11, %r12, %r13, %r14, %r15, %r8, %r9
    movq 32(%rcx), %rdx
    row %r12, %r13, %r14, %r15, %r8, %r9, %r10
    movq %r11, %rdx
    reduce_quick %r12, %r13, %r14, %r15, %r8, %r9, %r10
    movq 40(%rcx), %rdx
    row %r13, %r14, %r15, %r8, %r9, %r10, %r11
    movq %r12, %rdx
    reduce_quick %r13, %r14, %r15, %r8, %r9, %r10, %r11
    reduce %r13, %r14, %r15, %r8, %r9, %r10, %r11
    popq %rdi
    .cfi_adjust_cfa_offset -8
    store_reduced %r14, %r15, %r8, %r9, %r10, %r11
end fp_mul_adx

/* The 12 limbs at \at(%rsp) = (six limbs at (%rsi)) * (six limbs at (%rcx)), both below 2^383. %rdi: 0. */
.macro wide_product at
    movq 0(%rcx), %rdx
    first_row %r8, %r9, %r10, %r11, %r12, %r13, %r14
    movq %r8, \at+0(%rsp)
    movq 8(%rcx), %rdx
    row %r9, %r10, %r11, %r12, %r13, %r14, %r8
    movq %r9, \at+8(%rsp)
    movq 16(%rcx), %rdx
    row %r10, %r11, %r12, %r13, %r14, %r8, %r9
    movq %r10, \at+16(%rsp)
    movq 24(%rcx), %rdx
    row %r11, %r12, %r13, %r14, %r8, %r9, %r10
    movq %r11, \at+24(%rsp)
    movq 32(%rcx), %rdx
    row %r12, %r13, %r14, %r8, %r9, %r10, %r11
    movq %r12, \at+32(%rsp)
    movq 40(%rcx), %rdx
    row %r13, %r14, %r8, %r9, %r10, %r11, %r12
    movq %r13, \at+40(%rsp)
    movq %r14, \at+48(%rsp)
    movq %r8, \at+56(%rsp)
    movq %r9, \at+64(%rsp)
    movq %r10, \at+72(%rsp)
    movq %r11, \at+80(%rsp)
    movq %r12, \at+88(%rsp)
.endm

/* (t1..t6, t0) = (t1..t6) + t0 q, as reduce_quick, with a new top limb. */
.macro reduce_quick_low t0, t1, t2, t3, t4, t5, t6
    movq \t0, %rdx
    xorl %edi, %edi
    mulxq .Lq+0(%rip), %rax, %rbx
    adoxq %rax, \t1
    mulxq .Lq+8(%rip), %rax, %rbp
    adcxq %rbx, \t2
    adoxq %rax, \t2
    mulxq .Lq+16(%rip), %rax, %rbx
    adcxq %rbp, \t3
    adoxq %rax, \t3
    mulxq .Lq+24(%rip), %rax, %rbp
    adcxq %rbx, \t4
    adoxq %rax, \t4
    mulxq .Lq+32(%rip), %rax, %rbx
    adcxq %rbp, \t5
    adoxq %rax, \t5
    mulxq .Lq+40(%rip), %rax, \t0
    adcxq %rbx, \t6
    adoxq %rax, \t6
    adcxq %rdi, \t0
    adoxq %rdi, \t0
.endm

/* The six limbs at (out) = ((t0..t5) + 2^384 (six limbs at \high(%rsp))) / 2^384 mod p, for a number below
 * p 2^384 / 4. The low half becomes at most q + p (and one unit), so the sum is below 2p. */
.macro reduce_wide t0, t1, t2, t3, t4, t5, t6, high, out
    xorl \t6\()d, \t6\()d
    reduce_quick_low \t0, \t1, \t2, \t3, \t4, \t5, \t6
    reduce_quick_low \t1, \t2, \t3, \t4, \t5, \t6, \t0
    reduce_quick_low \t2, \t3, \t4, \t5, \t6, \t0, \t1
    reduce_quick_low \t3, \t4, \t5, \t6, \t0, \t1, \t2
    reduce_quick_low \t4, \t5, \t6, \t0, \t1, \t2, \t3
    reduce \t5, \t6, \t0, \t1, \t2, \t3, \t4
    addq \high+0(%rsp), \t6
    adcq \high+8(%rsp), \t0
    adcq \high+16(%rsp), \t1
    adcq \high+24(%rsp), \t2
    adcq \high+32(%rsp), \t3
    adcq \high+40(%rsp), \t4
    movq \out, %rdi
    store_reduced \t6, \t0, \t1, \t2, \t3, \t4
.endm

/* (s0, s1, ..) += (the limbs from \first(%rsi) on) * %rdx, for 4, 3 or 2 of them, the top sum a new limb. */
.macro square_row_4 s0, s1, s2, s3, s4, first
    xorl %ebp, %ebp
    mulxq \first+0(%rsi), %rax, %rbx
    adoxq %rax, \s0
    adcxq %rbx, \s1
    mulxq \first+8(%rsi), %rax, %rbx
    adoxq %rax, \s1
    adcxq %rbx, \s2
    mulxq \first+16(%rsi), %rax, %rbx
    adoxq %rax, \s2
    adcxq %rbx, \s3
    mulxq \first+24(%rsi), %rax, \s4
    adoxq %rax, \s3
    adcxq %rbp, \s4
    adoxq %rbp, \s4
.endm

.macro square_row_3 s0, s1, s2, s3, first
    xorl %ebp, %ebp
    mulxq \first+0(%rsi), %rax, %rbx
    adoxq %rax, \s0
    adcxq %rbx, \s1
    mulxq \first+8(%rsi), %rax, %rbx
    adoxq %rax, \s1
    adcxq %rbx, \s2
    mulxq \first+16(%rsi), %rax, \s3
    adoxq %rax, \s2
    adcxq %rbp, \s3
    adoxq %rbp, \s3
.endm

.macro square_row_2 s0, s1, s2, first
    xorl %ebp, %ebp
    mulxq \first+0(%rsi), %rax, %rbx
    adoxq %rax, \s0
    adcxq %rbx, \s1
    mulxq \first+8(%rsi), %rax, \s2
    adoxq %rax, \s1
    adcxq %rbp, \s2
    adoxq %rbp, \s2
.endm

/* Double (s0, s1), on the carry chain, and add the square of the limb at \at(%rsi), on the overflow chain. */
.macro double_and_add_square s0, s1, at
    movq \at(%rsi), %rdx
    mulxq %rdx, %rax, %rbp
    adcxq \s0, \s0
    adoxq %rax, \s0
    adcxq \s1, \s1
    adoxq %rbp, \s1
.endm

/* void fp_sqr_adx(fp *out, const fp *a): the products of different limbs once, doubled, the squares, then
 * the reduction. Limbs 1 to 10 are in %r8 to %r15, %rcx, %rdi. */
begin fp_sqr_adx
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    subq $48, %rsp
    .cfi_adjust_cfa_offset 48
    movq 0(%rsi), %rdx
    mulxq 8(%rsi), %r8, %r9
    mulxq 16(%rsi), %rax, %r10
    addq %rax, %r9
    mulxq 24(%rsi), %rax, %r11
    adcq %rax, %r10
    mulxq 32(%rsi), %rax, %r12
    adcq %rax, %r11
    mulxq 40(%rsi), %rax, %r13
    adcq %rax, %r12
    adcq $0, %r13
    movq 8(%rsi), %rdx
    square_row_4 %r10, %r11, %r12, %r13, %r14, 16
    movq 16(%rsi), %rdx
    square_row_3 %r12, %r13, %r14, %r15, 24
    movq 24(%rsi), %rdx
    square_row_2 %r14, %r15, %rcx, 32
    movq 32(%rsi), %rdx
    mulxq 40(%rsi), %rax, %rdi
    addq %rax, %rcx
    adcq $0, %rdi
    movq 0(%rsi), %rdx
    xorl %eax, %eax
    mulxq %rdx, %rbx, %rax
    adcxq %r8, %r8
    adoxq %rax, %r8
    double_and_add_square %r9, %r10, 8
    double_and_add_square %r11, %r12, 16
    double_and_add_square %r13, %r14, 24
    double_and_add_square %r15, %rcx, 32
    movq 40(%rsi), %rdx
    mulxq %rdx, %rax, %rbp
    adcxq %rdi, %rdi
    adoxq %rax, %rdi
    movl $0, %eax
    adcxq %rax, %rbp
    adoxq %rax, %rbp
    movq %r13, 0(%rsp)
    movq %r14, 8(%rsp)
    movq %r15, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %rdi, 32(%rsp)
    movq %rbp, 40(%rsp)
    movq %rbx, %r13
    reduce_wide %r13, %r8, %r9, %r10, %r11, %r12, %r14, 0, 48(%rsp)
    addq $56, %rsp
    .cfi_adjust_cfa_offset -56
end fp_sqr_adx

/* (r8..r13, r14, r15, rax, rbx, rbp, rsi): the 12 limbs at \at(%rsp), or less them */
.macro load_wide at
    movq \at+0(%rsp), %r8
    movq \at+8(%rsp), %r9
    movq \at+16(%rsp), %r10
    movq \at+24(%rsp), %r11
    movq \at+32(%rsp), %r12
    movq \at+40(%rsp), %r13
    movq \at+48(%rsp), %r14
    movq \at+56(%rsp), %r15
    movq \at+64(%rsp), %rax
    movq \at+72(%rsp), %rbx
    movq \at+80(%rsp), %rbp
    movq \at+88(%rsp), %rsi
.endm

.macro subtract_wide at
    subq \at+0(%rsp), %r8
    sbbq \at+8(%rsp), %r9
    sbbq \at+16(%rsp), %r10
    sbbq \at+24(%rsp), %r11
    sbbq \at+32(%rsp), %r12
    sbbq \at+40(%rsp), %r13
    sbbq \at+48(%rsp), %r14
    sbbq \at+56(%rsp), %r15
    sbbq \at+64(%rsp), %rax
    sbbq \at+72(%rsp), %rbx
    sbbq \at+80(%rsp), %rbp
    sbbq \at+88(%rsp), %rsi
.endm

.macro store_high at
    movq %r14, \at+0(%rsp)
    movq %r15, \at+8(%rsp)
    movq %rax, \at+16(%rsp)
    movq %rbx, \at+24(%rsp)
    movq %rbp, \at+32(%rsp)
    movq %rsi, \at+40(%rsp)
.endm

/* The six limbs at \at(%rsp) = the sum of the two times six at (\from), unreduced: below 2p. */
.macro add_halves from, at
    movq 0(\from), %r8
    movq 8(\from), %r9
    movq 16(\from), %r10
    movq 24(\from), %r11
    movq 32(\from), %r12
    movq 40(\from), %r13
    addq 48(\from), %r8
    adcq 56(\from), %r9
    adcq 64(\from), %r10
    adcq 72(\from), %r11
    adcq 80(\from), %r12
    adcq 88(\from), %r13
    movq %r8, \at+0(%rsp)
    movq %r9, \at+8(%rsp)
    movq %r10, \at+16(%rsp)
    movq %r11, \at+24(%rsp)
    movq %r12, \at+32(%rsp)
    movq %r13, \at+40(%rsp)
.endm

/* If CF is set, add 2^381 p to the number whose limbs 5 to 11 are (r13, r14, r15, rax, rbx, rbp, rsi); those
 * below get zeros. ADCX leaves ZF alone. */
.macro mend_borrow
    sbbq %rdx, %rdx
    testq %rdx, %rdx
    movl $0, %ecx
    cmovnzq .Lp_shifted+0(%rip), %rcx
    adcxq %rcx, %r13
    movl $0, %ecx
    cmovnzq .Lp_shifted+8(%rip), %rcx
    adcxq %rcx, %r14
    movl $0, %ecx
    cmovnzq .Lp_shifted+16(%rip), %rcx
    adcxq %rcx, %r15
    movl $0, %ecx
    cmovnzq .Lp_shifted+24(%rip), %rcx
    adcxq %rcx, %rax
    movl $0, %ecx
    cmovnzq .Lp_shifted+32(%rip), %rcx
    adcxq %rcx, %rbx
    movl $0, %ecx
    cmovnzq .Lp_shifted+40(%rip), %rcx
    adcxq %rcx, %rbp
    movl $0, %ecx
    cmovnzq .Lp_shifted+48(%rip), %rcx
    adcxq %rcx, %rsi
.endm

/* void fp2_mul_adx(fp2 *out, const fp2 *a, const fp2 *b): Karatsuba's three products, unreduced, then
 * two reductions (D. Aranha et al., "Faster explicit formulas for computing pairings over ordinary curves",
 * 2010/526). a0 b0 - a1 b1 is above -p^2: after a borrow, 2^381 p is added; the other part,
 * (a0 + a1)(b0 + b1) - a0 b0 - a1 b1, is in [0, 2p^2). Both are below p 2^384 / 4.
 * Stack: 0 out, 8 a, 16 b, 24 a0 + a1, 72 b0 + b1, 120, 216 and 312 the products. */
#define AT_SUM_A 24
#define AT_SUM_B 72
#define AT_LOW   120
#define AT_HIGH  216
#define AT_MIXED 312
#define FRAME    408
begin fp2_mul_adx
    subq $FRAME, %rsp
    .cfi_adjust_cfa_offset FRAME
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rdx, %rcx
    add_halves %rsi, AT_SUM_A
    add_halves %rcx, AT_SUM_B
    wide_product AT_LOW
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rcx
    addq $48, %rsi
    addq $48, %rcx
    wide_product AT_HIGH
    leaq AT_SUM_A(%rsp), %rsi
    leaq AT_SUM_B(%rsp), %rcx
    wide_product AT_MIXED
    load_wide AT_MIXED
    subtract_wide AT_LOW
    subtract_wide AT_HIGH
    store_high AT_MIXED
    addq $48, 0(%rsp)
    reduce_wide %r8, %r9, %r10, %r11, %r12, %r13, %r14, AT_MIXED, 0(%rsp)
    load_wide AT_LOW
    subtract_wide AT_HIGH
    mend_borrow
    store_high AT_LOW
    subq $48, 0(%rsp)
    reduce_wide %r8, %r9, %r10, %r11, %r12, %r13, %r14, AT_LOW, 0(%rsp)
    addq $FRAME, %rsp
    .cfi_adjust_cfa_offset -FRAME
end fp2_mul_adx

    .section .note.GNU-stack, "", @progbits

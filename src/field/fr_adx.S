/* field/fr_adx.S - Montgomery products modulo the 255-bit r with MULX, ADCX and ADOX.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "field/fr_adx.inc"

/* void fr_mul_adx(fr *out, const fr *a, const fr *b) */
begin fr_mul_adx
    save r14
    movq %rdx, %rcx
    product %r8, %r9, %r10, %r11, %r12, %r14
    reduce_once %r8, %r9, %r10, %r11, %rax, %rbx, %rbp, %rcx
    store4 %r8, %r9, %r10, %r11, %rdi
    restore r14
end fr_mul_adx

/* void fr_sqr_adx(fr *out, const fr *a) */
    .globl fr_sqr_adx
    .hidden fr_sqr_adx
    .type fr_sqr_adx, @function
    .balign 32
fr_sqr_adx:
    .cfi_startproc
    endbr64
    movq %rsi, %rdx
    jmp fr_mul_adx
    .cfi_endproc
    .size fr_sqr_adx, . - fr_sqr_adx

    .section .note.GNU-stack, "", @progbits

/* field/fp8_ifma.S - products of eight lanes: see fp8.h.
 *
 * Row by row (Koc, Acar, Kaliski, 1996, CIOS), the multiples of p in sums of their own, so that the chain
 * through the reduction is short. p is replaced by its multiple that is -1 mod 2^52, q 2^52 - 1: then a row's
 * lowest limb itself is the factor that clears it. Only the last row takes p, which leaves less than
 * (a b + c d) / 2^416 + 2 p. Limbs are not carried within: each collects at most 48 halves of products, less
 * than 2^58.
 * System V calling convention. Names s0.., r0.. are roles: they rotate through the registers.
 *   zmm0-7 the limbs of a; zmm8-16 sums of the products; zmm17-26 sums of the reduction; zmm27-30 passing
 * SPDX-License-Identifier: Apache-2.0 OR MIT */

    .section .rodata
    .balign 64
.Lp:
    .quad 0xeffffffffaaab, 0xfeb153ffffb9f, 0x6b0f6241eabff, 0x12bf6730d2a0f
    .quad 0x764774b84f385, 0x1ba7b6434bacd, 0x1ea397fe69a4b, 0x000000001a011
.Lq: /* (p (-1/p mod 2^52) + 1) / 2^52 */
    .quad 0x04be07d2027cb, 0xd7786e39002d4, 0xf51047083c4dd, 0x96079a7670223
    .quad 0x04ca513044b79, 0x6615d3780ea11, 0xf9a5623d6a279, 0x0000000006803
.Lp_inv: /* -1/p mod 2^52 */
    .quad 0x3fffcfffcfffd
.Lmask:
    .quad 0xfffffffffffff

    .text

/* (s0..s8) += a times limb i at (%rdx); s8 is zero before. */
.macro multiply i, s0, s1, s2, s3, s4, s5, s6, s7, s8
    vmovdqa64 64*\i(%rdx), %zmm27
    vpxorq %zmm\s8, %zmm\s8, %zmm\s8
    vpmadd52luq %zmm27, %zmm0, %zmm\s0
    vpmadd52luq %zmm27, %zmm1, %zmm\s1
    vpmadd52luq %zmm27, %zmm2, %zmm\s2
    vpmadd52luq %zmm27, %zmm3, %zmm\s3
    vpmadd52luq %zmm27, %zmm4, %zmm\s4
    vpmadd52luq %zmm27, %zmm5, %zmm\s5
    vpmadd52luq %zmm27, %zmm6, %zmm\s6
    vpmadd52luq %zmm27, %zmm7, %zmm\s7
    vpmadd52huq %zmm27, %zmm0, %zmm\s1
    vpmadd52huq %zmm27, %zmm1, %zmm\s2
    vpmadd52huq %zmm27, %zmm2, %zmm\s3
    vpmadd52huq %zmm27, %zmm3, %zmm\s4
    vpmadd52huq %zmm27, %zmm4, %zmm\s5
    vpmadd52huq %zmm27, %zmm5, %zmm\s6
    vpmadd52huq %zmm27, %zmm6, %zmm\s7
    vpmadd52huq %zmm27, %zmm7, %zmm\s8
.endm

/* (s0..s8) += the limbs at (%rcx) times limb i at (%r8). */
.macro multiply_second i, s0, s1, s2, s3, s4, s5, s6, s7, s8
    vmovdqa64 64*\i(%r8), %zmm29
    vpmadd52luq 64*0(%rcx), %zmm29, %zmm\s0
    vpmadd52luq 64*1(%rcx), %zmm29, %zmm\s1
    vpmadd52luq 64*2(%rcx), %zmm29, %zmm\s2
    vpmadd52luq 64*3(%rcx), %zmm29, %zmm\s3
    vpmadd52luq 64*4(%rcx), %zmm29, %zmm\s4
    vpmadd52luq 64*5(%rcx), %zmm29, %zmm\s5
    vpmadd52luq 64*6(%rcx), %zmm29, %zmm\s6
    vpmadd52luq 64*7(%rcx), %zmm29, %zmm\s7
    vpmadd52huq 64*0(%rcx), %zmm29, %zmm\s1
    vpmadd52huq 64*1(%rcx), %zmm29, %zmm\s2
    vpmadd52huq 64*2(%rcx), %zmm29, %zmm\s3
    vpmadd52huq 64*3(%rcx), %zmm29, %zmm\s4
    vpmadd52huq 64*4(%rcx), %zmm29, %zmm\s5
    vpmadd52huq 64*5(%rcx), %zmm29, %zmm\s6
    vpmadd52huq 64*6(%rcx), %zmm29, %zmm\s7
    vpmadd52huq 64*7(%rcx), %zmm29, %zmm\s8
.endm

/* (r1..r9) += what clears s0 + r0, its carry too; r9 is zero before. */
.macro reduce s0, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9
    vpaddq %zmm\s0, %zmm\r0, %zmm28
    vpxorq %zmm\r9, %zmm\r9, %zmm\r9
    vpmadd52luq .Lq+8*0(%rip){1to8}, %zmm28, %zmm\r1
    vpmadd52luq .Lq+8*1(%rip){1to8}, %zmm28, %zmm\r2
    vpmadd52luq .Lq+8*2(%rip){1to8}, %zmm28, %zmm\r3
    vpmadd52luq .Lq+8*3(%rip){1to8}, %zmm28, %zmm\r4
    vpmadd52luq .Lq+8*4(%rip){1to8}, %zmm28, %zmm\r5
    vpmadd52luq .Lq+8*5(%rip){1to8}, %zmm28, %zmm\r6
    vpmadd52luq .Lq+8*6(%rip){1to8}, %zmm28, %zmm\r7
    vpmadd52luq .Lq+8*7(%rip){1to8}, %zmm28, %zmm\r8
    vpsrlq $52, %zmm28, %zmm30
    vpmadd52huq .Lq+8*0(%rip){1to8}, %zmm28, %zmm\r2
    vpmadd52huq .Lq+8*1(%rip){1to8}, %zmm28, %zmm\r3
    vpmadd52huq .Lq+8*2(%rip){1to8}, %zmm28, %zmm\r4
    vpmadd52huq .Lq+8*3(%rip){1to8}, %zmm28, %zmm\r5
    vpmadd52huq .Lq+8*4(%rip){1to8}, %zmm28, %zmm\r6
    vpmadd52huq .Lq+8*5(%rip){1to8}, %zmm28, %zmm\r7
    vpmadd52huq .Lq+8*6(%rip){1to8}, %zmm28, %zmm\r8
    vpmadd52huq .Lq+8*7(%rip){1to8}, %zmm28, %zmm\r9
    vpaddq %zmm30, %zmm\r1, %zmm\r1
.endm

/* (r1..r8) += the multiple of p that clears s0 + r0, its carry too. */
.macro reduce_last s0, r0, r1, r2, r3, r4, r5, r6, r7, r8
    vpaddq %zmm\s0, %zmm\r0, %zmm28
    vpxorq %zmm27, %zmm27, %zmm27
    vpmadd52luq .Lp_inv(%rip){1to8}, %zmm28, %zmm27
    vpmadd52luq .Lp(%rip){1to8}, %zmm27, %zmm28
    vpmadd52luq .Lp+8*1(%rip){1to8}, %zmm27, %zmm\r1
    vpmadd52luq .Lp+8*2(%rip){1to8}, %zmm27, %zmm\r2
    vpmadd52luq .Lp+8*3(%rip){1to8}, %zmm27, %zmm\r3
    vpmadd52luq .Lp+8*4(%rip){1to8}, %zmm27, %zmm\r4
    vpmadd52luq .Lp+8*5(%rip){1to8}, %zmm27, %zmm\r5
    vpmadd52luq .Lp+8*6(%rip){1to8}, %zmm27, %zmm\r6
    vpmadd52luq .Lp+8*7(%rip){1to8}, %zmm27, %zmm\r7
    vpsrlq $52, %zmm28, %zmm28
    vpmadd52huq .Lp+8*0(%rip){1to8}, %zmm27, %zmm\r1
    vpmadd52huq .Lp+8*1(%rip){1to8}, %zmm27, %zmm\r2
    vpmadd52huq .Lp+8*2(%rip){1to8}, %zmm27, %zmm\r3
    vpmadd52huq .Lp+8*3(%rip){1to8}, %zmm27, %zmm\r4
    vpmadd52huq .Lp+8*4(%rip){1to8}, %zmm27, %zmm\r5
    vpmadd52huq .Lp+8*5(%rip){1to8}, %zmm27, %zmm\r6
    vpmadd52huq .Lp+8*6(%rip){1to8}, %zmm27, %zmm\r7
    vpmadd52huq .Lp+8*7(%rip){1to8}, %zmm27, %zmm\r8
    vpaddq %zmm28, %zmm\r1, %zmm\r1
.endm

/* zmm0-7 = the product, loose: of a at (%rsi) and b at (%rdx), second: and of c at (%rcx) and d at (%r8). */
.macro product second
    vmovdqa64 64*0(%rsi), %zmm0
    vmovdqa64 64*1(%rsi), %zmm1
    vmovdqa64 64*2(%rsi), %zmm2
    vmovdqa64 64*3(%rsi), %zmm3
    vmovdqa64 64*4(%rsi), %zmm4
    vmovdqa64 64*5(%rsi), %zmm5
    vmovdqa64 64*6(%rsi), %zmm6
    vmovdqa64 64*7(%rsi), %zmm7
    vpxorq %zmm8, %zmm8, %zmm8
    vpxorq %zmm9, %zmm9, %zmm9
    vpxorq %zmm10, %zmm10, %zmm10
    vpxorq %zmm11, %zmm11, %zmm11
    vpxorq %zmm12, %zmm12, %zmm12
    vpxorq %zmm13, %zmm13, %zmm13
    vpxorq %zmm14, %zmm14, %zmm14
    vpxorq %zmm15, %zmm15, %zmm15
    vpxorq %zmm17, %zmm17, %zmm17
    vpxorq %zmm18, %zmm18, %zmm18
    vpxorq %zmm19, %zmm19, %zmm19
    vpxorq %zmm20, %zmm20, %zmm20
    vpxorq %zmm21, %zmm21, %zmm21
    vpxorq %zmm22, %zmm22, %zmm22
    vpxorq %zmm23, %zmm23, %zmm23
    vpxorq %zmm24, %zmm24, %zmm24
    vpxorq %zmm25, %zmm25, %zmm25
    multiply 0, 8, 9, 10, 11, 12, 13, 14, 15, 16
    .if \second
    multiply_second 0, 8, 9, 10, 11, 12, 13, 14, 15, 16
    .endif
    reduce 8, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26
    multiply 1, 9, 10, 11, 12, 13, 14, 15, 16, 8
    .if \second
    multiply_second 1, 9, 10, 11, 12, 13, 14, 15, 16, 8
    .endif
    reduce 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 17
    multiply 2, 10, 11, 12, 13, 14, 15, 16, 8, 9
    .if \second
    multiply_second 2, 10, 11, 12, 13, 14, 15, 16, 8, 9
    .endif
    reduce 10, 19, 20, 21, 22, 23, 24, 25, 26, 17, 18
    multiply 3, 11, 12, 13, 14, 15, 16, 8, 9, 10
    .if \second
    multiply_second 3, 11, 12, 13, 14, 15, 16, 8, 9, 10
    .endif
    reduce 11, 20, 21, 22, 23, 24, 25, 26, 17, 18, 19
    multiply 4, 12, 13, 14, 15, 16, 8, 9, 10, 11
    .if \second
    multiply_second 4, 12, 13, 14, 15, 16, 8, 9, 10, 11
    .endif
    reduce 12, 21, 22, 23, 24, 25, 26, 17, 18, 19, 20
    multiply 5, 13, 14, 15, 16, 8, 9, 10, 11, 12
    .if \second
    multiply_second 5, 13, 14, 15, 16, 8, 9, 10, 11, 12
    .endif
    reduce 13, 22, 23, 24, 25, 26, 17, 18, 19, 20, 21
    multiply 6, 14, 15, 16, 8, 9, 10, 11, 12, 13
    .if \second
    multiply_second 6, 14, 15, 16, 8, 9, 10, 11, 12, 13
    .endif
    reduce 14, 23, 24, 25, 26, 17, 18, 19, 20, 21, 22
    multiply 7, 15, 16, 8, 9, 10, 11, 12, 13, 14
    .if \second
    multiply_second 7, 15, 16, 8, 9, 10, 11, 12, 13, 14
    .endif
    reduce_last 15, 24, 25, 26, 17, 18, 19, 20, 21, 22
    vpaddq %zmm16, %zmm25, %zmm0
    vpaddq %zmm8, %zmm26, %zmm1
    vpaddq %zmm9, %zmm17, %zmm2
    vpaddq %zmm10, %zmm18, %zmm3
    vpaddq %zmm11, %zmm19, %zmm4
    vpaddq %zmm12, %zmm20, %zmm5
    vpaddq %zmm13, %zmm21, %zmm6
    vpaddq %zmm14, %zmm22, %zmm7
.endm

/* zmm16-23 = the square, loose, of a at (%rsi). Products of two different limbs count twice; zmm8-23: all 16 limbs
 * of the square, reduced where they stand. */
.macro clear_limb c, c1, c2, c3, c4, c5, c6, c7, c8, c9
    vpmadd52luq .Lq+8*0(%rip){1to8}, %zmm\c, %zmm\c1
    vpmadd52luq .Lq+8*1(%rip){1to8}, %zmm\c, %zmm\c2
    vpmadd52luq .Lq+8*2(%rip){1to8}, %zmm\c, %zmm\c3
    vpmadd52luq .Lq+8*3(%rip){1to8}, %zmm\c, %zmm\c4
    vpmadd52luq .Lq+8*4(%rip){1to8}, %zmm\c, %zmm\c5
    vpmadd52luq .Lq+8*5(%rip){1to8}, %zmm\c, %zmm\c6
    vpmadd52luq .Lq+8*6(%rip){1to8}, %zmm\c, %zmm\c7
    vpmadd52luq .Lq+8*7(%rip){1to8}, %zmm\c, %zmm\c8
    vpsrlq $52, %zmm\c, %zmm30
    vpmadd52huq .Lq+8*0(%rip){1to8}, %zmm\c, %zmm\c2
    vpmadd52huq .Lq+8*1(%rip){1to8}, %zmm\c, %zmm\c3
    vpmadd52huq .Lq+8*2(%rip){1to8}, %zmm\c, %zmm\c4
    vpmadd52huq .Lq+8*3(%rip){1to8}, %zmm\c, %zmm\c5
    vpmadd52huq .Lq+8*4(%rip){1to8}, %zmm\c, %zmm\c6
    vpmadd52huq .Lq+8*5(%rip){1to8}, %zmm\c, %zmm\c7
    vpmadd52huq .Lq+8*6(%rip){1to8}, %zmm\c, %zmm\c8
    vpmadd52huq .Lq+8*7(%rip){1to8}, %zmm\c, %zmm\c9
    vpaddq %zmm30, %zmm\c1, %zmm\c1
.endm

.macro square
    vmovdqa64 64*0(%rsi), %zmm0
    vmovdqa64 64*1(%rsi), %zmm1
    vmovdqa64 64*2(%rsi), %zmm2
    vmovdqa64 64*3(%rsi), %zmm3
    vmovdqa64 64*4(%rsi), %zmm4
    vmovdqa64 64*5(%rsi), %zmm5
    vmovdqa64 64*6(%rsi), %zmm6
    vmovdqa64 64*7(%rsi), %zmm7
    vpxorq %zmm8, %zmm8, %zmm8
    vpxorq %zmm9, %zmm9, %zmm9
    vpxorq %zmm10, %zmm10, %zmm10
    vpxorq %zmm11, %zmm11, %zmm11
    vpxorq %zmm12, %zmm12, %zmm12
    vpxorq %zmm13, %zmm13, %zmm13
    vpxorq %zmm14, %zmm14, %zmm14
    vpxorq %zmm15, %zmm15, %zmm15
    vpxorq %zmm16, %zmm16, %zmm16
    vpxorq %zmm17, %zmm17, %zmm17
    vpxorq %zmm18, %zmm18, %zmm18
    vpxorq %zmm19, %zmm19, %zmm19
    vpxorq %zmm20, %zmm20, %zmm20
    vpxorq %zmm21, %zmm21, %zmm21
    vpxorq %zmm22, %zmm22, %zmm22
    vpxorq %zmm23, %zmm23, %zmm23
    vpmadd52luq %zmm0, %zmm1, %zmm9
    vpmadd52luq %zmm0, %zmm2, %zmm10
    vpmadd52luq %zmm0, %zmm3, %zmm11
    vpmadd52luq %zmm0, %zmm4, %zmm12
    vpmadd52luq %zmm0, %zmm5, %zmm13
    vpmadd52luq %zmm0, %zmm6, %zmm14
    vpmadd52luq %zmm0, %zmm7, %zmm15
    vpmadd52huq %zmm0, %zmm1, %zmm10
    vpmadd52huq %zmm0, %zmm2, %zmm11
    vpmadd52huq %zmm0, %zmm3, %zmm12
    vpmadd52huq %zmm0, %zmm4, %zmm13
    vpmadd52huq %zmm0, %zmm5, %zmm14
    vpmadd52huq %zmm0, %zmm6, %zmm15
    vpmadd52huq %zmm0, %zmm7, %zmm16
    vpmadd52luq %zmm1, %zmm2, %zmm11
    vpmadd52luq %zmm1, %zmm3, %zmm12
    vpmadd52luq %zmm1, %zmm4, %zmm13
    vpmadd52luq %zmm1, %zmm5, %zmm14
    vpmadd52luq %zmm1, %zmm6, %zmm15
    vpmadd52luq %zmm1, %zmm7, %zmm16
    vpmadd52huq %zmm1, %zmm2, %zmm12
    vpmadd52huq %zmm1, %zmm3, %zmm13
    vpmadd52huq %zmm1, %zmm4, %zmm14
    vpmadd52huq %zmm1, %zmm5, %zmm15
    vpmadd52huq %zmm1, %zmm6, %zmm16
    vpmadd52huq %zmm1, %zmm7, %zmm17
    vpmadd52luq %zmm2, %zmm3, %zmm13
    vpmadd52luq %zmm2, %zmm4, %zmm14
    vpmadd52luq %zmm2, %zmm5, %zmm15
    vpmadd52luq %zmm2, %zmm6, %zmm16
    vpmadd52luq %zmm2, %zmm7, %zmm17
    vpmadd52huq %zmm2, %zmm3, %zmm14
    vpmadd52huq %zmm2, %zmm4, %zmm15
    vpmadd52huq %zmm2, %zmm5, %zmm16
    vpmadd52huq %zmm2, %zmm6, %zmm17
    vpmadd52huq %zmm2, %zmm7, %zmm18
    vpmadd52luq %zmm3, %zmm4, %zmm15
    vpmadd52luq %zmm3, %zmm5, %zmm16
    vpmadd52luq %zmm3, %zmm6, %zmm17
    vpmadd52luq %zmm3, %zmm7, %zmm18
    vpmadd52huq %zmm3, %zmm4, %zmm16
    vpmadd52huq %zmm3, %zmm5, %zmm17
    vpmadd52huq %zmm3, %zmm6, %zmm18
    vpmadd52huq %zmm3, %zmm7, %zmm19
    vpmadd52luq %zmm4, %zmm5, %zmm17
    vpmadd52luq %zmm4, %zmm6, %zmm18
    vpmadd52luq %zmm4, %zmm7, %zmm19
    vpmadd52huq %zmm4, %zmm5, %zmm18
    vpmadd52huq %zmm4, %zmm6, %zmm19
    vpmadd52huq %zmm4, %zmm7, %zmm20
    vpmadd52luq %zmm5, %zmm6, %zmm19
    vpmadd52luq %zmm5, %zmm7, %zmm20
    vpmadd52huq %zmm5, %zmm6, %zmm20
    vpmadd52huq %zmm5, %zmm7, %zmm21
    vpmadd52luq %zmm6, %zmm7, %zmm21
    vpmadd52huq %zmm6, %zmm7, %zmm22
    vpaddq %zmm9, %zmm9, %zmm9
    vpaddq %zmm10, %zmm10, %zmm10
    vpaddq %zmm11, %zmm11, %zmm11
    vpaddq %zmm12, %zmm12, %zmm12
    vpaddq %zmm13, %zmm13, %zmm13
    vpaddq %zmm14, %zmm14, %zmm14
    vpaddq %zmm15, %zmm15, %zmm15
    vpaddq %zmm16, %zmm16, %zmm16
    vpaddq %zmm17, %zmm17, %zmm17
    vpaddq %zmm18, %zmm18, %zmm18
    vpaddq %zmm19, %zmm19, %zmm19
    vpaddq %zmm20, %zmm20, %zmm20
    vpaddq %zmm21, %zmm21, %zmm21
    vpaddq %zmm22, %zmm22, %zmm22
    vpmadd52luq %zmm0, %zmm0, %zmm8
    vpmadd52huq %zmm0, %zmm0, %zmm9
    vpmadd52luq %zmm1, %zmm1, %zmm10
    vpmadd52huq %zmm1, %zmm1, %zmm11
    vpmadd52luq %zmm2, %zmm2, %zmm12
    vpmadd52huq %zmm2, %zmm2, %zmm13
    vpmadd52luq %zmm3, %zmm3, %zmm14
    vpmadd52huq %zmm3, %zmm3, %zmm15
    vpmadd52luq %zmm4, %zmm4, %zmm16
    vpmadd52huq %zmm4, %zmm4, %zmm17
    vpmadd52luq %zmm5, %zmm5, %zmm18
    vpmadd52huq %zmm5, %zmm5, %zmm19
    vpmadd52luq %zmm6, %zmm6, %zmm20
    vpmadd52huq %zmm6, %zmm6, %zmm21
    vpmadd52luq %zmm7, %zmm7, %zmm22
    vpmadd52huq %zmm7, %zmm7, %zmm23
    clear_limb 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    clear_limb 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
    clear_limb 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
    clear_limb 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
    clear_limb 12, 13, 14, 15, 16, 17, 18, 19, 20, 21
    clear_limb 13, 14, 15, 16, 17, 18, 19, 20, 21, 22
    clear_limb 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
    vpxorq %zmm27, %zmm27, %zmm27
    vpmadd52luq .Lp_inv(%rip){1to8}, %zmm15, %zmm27
    vpmadd52luq .Lp(%rip){1to8}, %zmm27, %zmm15
    vpmadd52luq .Lp+8*1(%rip){1to8}, %zmm27, %zmm16
    vpmadd52luq .Lp+8*2(%rip){1to8}, %zmm27, %zmm17
    vpmadd52luq .Lp+8*3(%rip){1to8}, %zmm27, %zmm18
    vpmadd52luq .Lp+8*4(%rip){1to8}, %zmm27, %zmm19
    vpmadd52luq .Lp+8*5(%rip){1to8}, %zmm27, %zmm20
    vpmadd52luq .Lp+8*6(%rip){1to8}, %zmm27, %zmm21
    vpmadd52luq .Lp+8*7(%rip){1to8}, %zmm27, %zmm22
    vpsrlq $52, %zmm15, %zmm15
    vpmadd52huq .Lp+8*0(%rip){1to8}, %zmm27, %zmm16
    vpmadd52huq .Lp+8*1(%rip){1to8}, %zmm27, %zmm17
    vpmadd52huq .Lp+8*2(%rip){1to8}, %zmm27, %zmm18
    vpmadd52huq .Lp+8*3(%rip){1to8}, %zmm27, %zmm19
    vpmadd52huq .Lp+8*4(%rip){1to8}, %zmm27, %zmm20
    vpmadd52huq .Lp+8*5(%rip){1to8}, %zmm27, %zmm21
    vpmadd52huq .Lp+8*6(%rip){1to8}, %zmm27, %zmm22
    vpmadd52huq .Lp+8*7(%rip){1to8}, %zmm27, %zmm23
    vpaddq %zmm15, %zmm16, %zmm16
.endm

.macro carry low, high
    vpsrlq $52, %zmm\low, %zmm30
    vpandq %zmm31, %zmm\low, %zmm\low
    vpaddq %zmm30, %zmm\high, %zmm\high
.endm

.macro store
    vmovdqa64 %zmm0, 64*0(%rdi)
    vmovdqa64 %zmm1, 64*1(%rdi)
    vmovdqa64 %zmm2, 64*2(%rdi)
    vmovdqa64 %zmm3, 64*3(%rdi)
    vmovdqa64 %zmm4, 64*4(%rdi)
    vmovdqa64 %zmm5, 64*5(%rdi)
    vmovdqa64 %zmm6, 64*6(%rdi)
    vmovdqa64 %zmm7, 64*7(%rdi)
.endm

.macro begin name
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 64
\name:
    .cfi_startproc
    endbr64
.endm

.macro end name
    vzeroupper
    ret
    .cfi_endproc
    .size \name, . - \name
.endm

/* void fp8_mul(fp8 *out, const fp8 *a, const fp8 *b) */
    begin fp8_mul
    product 0
    vpbroadcastq .Lmask(%rip), %zmm31
    carry 0, 1
    carry 1, 2
    carry 2, 3
    carry 3, 4
    carry 4, 5
    carry 5, 6
    carry 6, 7
    store
    end fp8_mul

/* void fp8_mul_loose(fp8 *out, const fp8 *a, const fp8 *b) */
    begin fp8_mul_loose
    product 0
    store
    end fp8_mul_loose

/* void fp8_mul2_loose(fp8 *out, const fp8 *a, const fp8 *b, const fp8 *c, const fp8 *d) */
    begin fp8_mul2_loose
    product 1
    store
    end fp8_mul2_loose

/* void fp8_sqr_loose(fp8 *out, const fp8 *a) */
    begin fp8_sqr_loose
    square
    vmovdqa64 %zmm16, 64*0(%rdi)
    vmovdqa64 %zmm17, 64*1(%rdi)
    vmovdqa64 %zmm18, 64*2(%rdi)
    vmovdqa64 %zmm19, 64*3(%rdi)
    vmovdqa64 %zmm20, 64*4(%rdi)
    vmovdqa64 %zmm21, 64*5(%rdi)
    vmovdqa64 %zmm22, 64*6(%rdi)
    vmovdqa64 %zmm23, 64*7(%rdi)
    end fp8_sqr_loose

    .section .note.GNU-stack, "", @progbits

/* msm/kernels_ifma.c - the tables of kernels.h in eight lanes: sums are rows of radix 2^52
 * (curve/batch_add8.h), and so are the images, in which the images of a point share their y.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "curve/batch_add8.h"
#include "curve/encoding_inline.h"
#include "msm/kernels.h"
#include "msm/sort.h"

/* How many buckets ahead their sums are called into the cache. */
#define FILL_PREFETCH 16

/* How many selected points ahead they are called into the cache. */
#define SELECT_PREFETCH 64

/* Constants below are multiples of 2^416, or a power of two that a product by them adds to the form. */

/* From a plain integer to Montgomery's form of one element: 2^800. */
static const uint64_t TO_FORM[FP8_LIMBS] = {0x551039a1d2c25, 0xc857a984373dc, 0x3331128e8da66,
                                            0xba38b82e8f651, 0xbb197b6252a29, 0xcbe4f4e32928c,
                                            0x80ef81f158c5d, 0x000000000e91f};
/* A plain y to that of the other curve (msm/kernels.c): 2^224. */
static const uint64_t TO_SCALED[FP8_LIMBS] = {0, 0, 0, 0, UINT64_C(1) << 16, 0, 0, 0};

/* beta of g1i_endomorphism */
static const uint64_t BETA[FP8_LIMBS] = {0xd75aaff33455f, 0xd095356b7cbb6, 0x953a2f6fa079f, 0x1080cf0a3d697,
                                         0x3f7de3465fe7c, 0x01f71fd6896ec, 0xd9dd9cc172747, 0x0000000007d91};

/* Of g2i_endomorphism: c, the factor of x, its square and cube, and minus the factor of y. */
static const uint64_t PSI_X[3][FP8_LIMBS] = {
    {0x18a5500cc654c, 0x2e1c1e9482fe9, 0xd5d532d24a460, 0x023e982695377, 0x36c99171ef509, 0x19b0966cc23e1,
     0x44c5fb3cf7304, 0x000000001227f},
    {0xa424657e25648, 0xc75706049e739, 0xb59085299e0e2, 0xd9cf17286a964, 0x069ec7cb33aa8, 0x35e995b239c7e,
     0x82faa0ff3c329, 0x0000000017601},
    {0x8b7f15715f0fc, 0x993ae7701b750, 0xdfbb525753c82, 0xd7907f01d55ec, 0xcfd536594459f, 0x1c38ff457789c,
     0x3e34a5c245025, 0x0000000005382}};
static const uint64_t MINUS_PSI_Y[2][FP8_LIMBS] = {
    {0x53e598836494a, 0x0d44ccf702cac, 0xd677e519e1819, 0x7253f567ab707, 0xc14d00a8de6bd, 0x975b0e8b07449,
     0xdf760e4bf908f, 0x0000000010e93},
    {0x9c1a677c96161, 0xf16c8708fcef3, 0x94977d28093e6, 0xa06b71c927307, 0xb4fa740f70cc7, 0x844ca7b844683,
     0x3f2d89b2709bb, 0x000000000917d}};

/* out = a times the same constant in all lanes, near */
static void mul_constant(fp8 *out, const fp8 *a, const uint64_t constant[FP8_LIMBS])
{
    fp8 c;
    fp8_broadcast(&c, constant);
    fp8_mul_loose(out, a, &c);
    fp8_reduce(out);
}

/* Columns of coordinate `at` (0: the first) of eight points in memory, as they stand there. */
static void read_coordinate(fp8 *out, const uint8_t *const point[FP8_LANES], size_t at, bool encoded)
{
    for (int l = 0; l < FP8_LANES; l++)
        out->l[l] = encoded ? fp8_row_be(point[l] + at * FP_BYTES) : fp8_row(point[l] + at * FP_BYTES);
    fp8_transpose(out->l);
    VERIFY(fp8_is_below(out, FP8_NEAR));
}

/* Encoded coordinates come as plain integers. scaled: they are wanted on the other curve, where x is right
 * as it is. */
static void g1_read8(fp8 *x, fp8 *y, const uint8_t *const point[FP8_LANES], bool encoded, bool scaled)
{
    read_coordinate(x, point, 0, encoded);
    read_coordinate(y, point, 1, encoded);
    if (!encoded)
        return;
    fp8 zero;
    memset(&zero, 0, sizeof zero);
    const __mmask8 infinite = fp8_zero_lanes(y);
    if (!scaled)
        mul_constant(x, x, TO_FORM);
    mul_constant(y, y, scaled ? TO_SCALED : TO_FORM);
    fp8_blend(x, infinite, &zero);
    fp8_blend(y, infinite, &zero);
}

static void g2_read8(fp2_8 *x, fp2_8 *y, const uint8_t *const point[FP8_LANES], bool encoded, bool scaled)
{
    /* Encodings hold c1 first. */
    read_coordinate(encoded ? &x->c1 : &x->c0, point, 0, encoded);
    read_coordinate(encoded ? &x->c0 : &x->c1, point, 1, encoded);
    read_coordinate(encoded ? &y->c1 : &y->c0, point, 2, encoded);
    read_coordinate(encoded ? &y->c0 : &y->c1, point, 3, encoded);
    if (!encoded)
        return;
    fp2_8 zero;
    memset(&zero, 0, sizeof zero);
    const __mmask8 infinite = fp2_8_zero_lanes(y);
    if (!scaled) {
        mul_constant(&x->c0, &x->c0, TO_FORM);
        mul_constant(&x->c1, &x->c1, TO_FORM);
    }
    mul_constant(&y->c0, &y->c0, scaled ? TO_SCALED : TO_FORM);
    mul_constant(&y->c1, &y->c1, scaled ? TO_SCALED : TO_FORM);
    fp2_8_blend(x, infinite, &zero);
    fp2_8_blend(y, infinite, &zero);
}

static void advance(uintptr_t address[FP8_LANES], size_t bytes)
{
    for (int l = 0; l < FP8_LANES; l++)
        address[l] += bytes;
}

/* The images of a point in memory. G1: x, y, beta x; the second has -y. */
struct g1_images {
    fp_row x, y, x1;
};

static void g1_write_images(uintptr_t address[FP8_LANES], const fp8 *x, const fp8 *y)
{
    fp8 x1, zero;
    memset(&zero, 0, sizeof zero);
    mul_constant(&x1, x, BETA);
    fp8_blend(&x1, fp8_zero_lanes(y), &zero);
    fp8_store(address, x);
    advance(address, sizeof(fp_row));
    fp8_store(address, y);
    advance(address, sizeof(fp_row));
    fp8_store(address, &x1);
}

static row_ref g1_image(const void *images, uint32_t entry)
{
    const uint32_t index = SORT_INDEX(entry), second = index & 1;
    return ((row_ref)images + (index >> 1) * sizeof(struct g1_images) + second * 2 * sizeof(fp_row)) |
           (second ? ROW_Y_FIRST : 0) | (SORT_NEGATIVE(entry) ^ second);
}

/* G2: x, y, x of the third image, whose y is -y; then the same of the second and the fourth. */
struct g2_images {
    struct {
        fp2_row x, y, x2;
    } half[2];
};

static void g2_write_images(uintptr_t address[FP8_LANES], const fp2_8 *x, const fp2_8 *y)
{
    const __mmask8 infinite = fp2_8_zero_lanes(y);
    fp2_8 image[6], zero, factor; /* in the order of memory */
    memset(&zero, 0, sizeof zero);
    image[0] = *x;
    image[1] = *y;
    mul_constant(&image[2].c0, &x->c0, PSI_X[1]);
    mul_constant(&image[2].c1, &x->c1, PSI_X[1]);
    for (int i = 3; i < 6; i += 2) {
        mul_constant(&image[i].c0, &x->c1, PSI_X[i - 3]);
        mul_constant(&image[i].c1, &x->c0, PSI_X[i - 3]);
    }
    fp8_broadcast(&factor.c0, MINUS_PSI_Y[0]);
    fp8_broadcast(&factor.c1, MINUS_PSI_Y[1]);
    image[4] = *y;
    fp8_sub(&image[4].c1, &zero.c0, &y->c1);
    fp2_8_mul_loose(&image[4], &image[4], &factor);
    fp2_8_reduce(&image[4]);
    for (int i = 0; i < 6; i++) {
        fp2_8_blend(&image[i], infinite, &zero);
        fp2_8_store(address, &image[i]);
        advance(address, sizeof(fp2_row));
    }
}

static row_ref g2_image(const void *images, uint32_t entry)
{
    const uint32_t index = SORT_INDEX(entry), half = index & 1, second = index >> 1 & 1;
    return ((row_ref)images + (index >> 2) * sizeof(struct g2_images) +
            half * (sizeof(struct g2_images) / 2) + second * 2 * sizeof(fp2_row)) |
           (second ? ROW_Y_FIRST : 0) | (SORT_NEGATIVE(entry) ^ second);
}

/* From the other curve: see msm/kernels.c. */
static const fp TWO_TO_960 = {{0x26d6cf05731e3ff8, 0x1faec92d7b7c0273, 0x77badfa199363cf1, 0x1be1b63f5e46429f,
                               0xfdebd05a1bf04296, 0x0916840a3e898030}};

static void g1_unscale(g1_affine *a)
{
    fp_mul(&a->x, &a->x, &FP_R2);
    fp_mul(&a->y, &a->y, &TWO_TO_960);
}

static void g2_unscale(g2_affine *a)
{
    fp2_mul_fp(&a->x, &a->x, &FP_R2);
    fp2_mul_fp(&a->y, &a->y, &TWO_TO_960);
}

#define AFFINE        g1_affine
#define POINT         g1
#define SUM           g1_rows
#define FIELD8        fp8
#define F8(op)        fp8_##op
#define ROW           fp_row
#define G(op)         g1i_##op
#define R(op)         g1r_##op
#define K(op)         kernel_g1_##op
#define E(op)         g1_##op
#define OPERANDS      g1_operands8
#define BATCH         g1_batch8
#define WORK          g1_work
#define IMAGES        2
#define IMAGE_BYTES   sizeof(struct g1_images)
#define ENCODED_BYTES G1_UNCOMPRESSED_BYTES
#define SELECT_OCTETS 128
#define PHASE         "sum in G1"
#define TABLE         msm_g1_ifma
#include "msm/kernels_ifma.inc"
#undef AFFINE
#undef POINT
#undef SUM
#undef FIELD8
#undef F8
#undef ROW
#undef G
#undef R
#undef K
#undef E
#undef OPERANDS
#undef BATCH
#undef WORK
#undef IMAGES
#undef IMAGE_BYTES
#undef ENCODED_BYTES
#undef SELECT_OCTETS
#undef PHASE
#undef TABLE

#define AFFINE        g2_affine
#define POINT         g2
#define SUM           g2_rows
#define FIELD8        fp2_8
#define F8(op)        fp2_8_##op
#define ROW           fp2_row
#define G(op)         g2i_##op
#define R(op)         g2r_##op
#define K(op)         kernel_g2_##op
#define E(op)         g2_##op
#define OPERANDS      g2_operands8
#define BATCH         g2_batch8
#define WORK          g2_work
#define IMAGES        4
#define IMAGE_BYTES   sizeof(struct g2_images)
#define ENCODED_BYTES G2_UNCOMPRESSED_BYTES
#define SELECT_OCTETS 64
#define PHASE         "sum in G2"
#define TABLE         msm_g2_ifma
#include "msm/kernels_ifma.inc"
#undef AFFINE
#undef POINT
#undef SUM
#undef FIELD8
#undef F8
#undef ROW
#undef G
#undef R
#undef K
#undef E
#undef OPERANDS
#undef BATCH
#undef WORK
#undef IMAGES
#undef IMAGE_BYTES
#undef ENCODED_BYTES
#undef SELECT_OCTETS
#undef PHASE
#undef TABLE

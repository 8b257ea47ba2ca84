/* curve/encoding_inline.h - the operations of encoding.h on single points as inline functions, named g1i_*
 * and g2i_*, for sources that are compiled once a variant.
 *
 * encoding.c defines ENCODING_DEFINE first and so makes the functions of encoding.h from the same text.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CURVE_ENCODING_INLINE_H
#define CURVE_ENCODING_INLINE_H

#include "curve/encoding.h"
#include "curve/group_inline.h"

#define ENCODING_FLAG_COMPRESSED 0x80
#define ENCODING_FLAG_INFINITY   0x40
#define ENCODING_FLAG_LARGE      0x20
#define ENCODING_FLAG_MASK       0xe0

/* Is it the flags, then zeros? */
static inline bool encoding_is_infinity(const uint8_t *in, size_t size, uint8_t flags)
{
    uint8_t rest = in[0] ^ flags;
    for (size_t i = 1; i < size; i++)
        rest |= in[i];
    return rest == 0;
}

/* One coordinate; the flags among these in its first byte are passed over. False if it is not below p (out is
 * then unusable). */
static inline bool encoding_fp_read(fp *out, const uint8_t in[FP_BYTES], uint8_t flags)
{
    for (int i = 0; i < FP_LIMBS; i++) {
        uint64_t limb;
        memcpy(&limb, in + 8 * (FP_LIMBS - 1 - i), sizeof limb);
        out->l[i] = __builtin_bswap64(limb);
    }
    out->l[FP_LIMBS - 1] &= ~((uint64_t)flags << 56);
    if (!fp_is_canonical(out))
        return false;
    fp_to_mont(out, out);
    return true;
}

static inline void encoding_fp_write(uint8_t out[FP_BYTES], const fp *a)
{
    fp_write_be(out, a);
}

static inline bool encoding_fp2_read(fp2 *out, const uint8_t in[2 * FP_BYTES], uint8_t flags)
{
    return encoding_fp_read(&out->c1, in, flags) && encoding_fp_read(&out->c0, in + FP_BYTES, 0);
}

static inline void encoding_fp2_write(uint8_t out[2 * FP_BYTES], const fp2 *a)
{
    fp_write_be(out, &a->c1);
    fp_write_be(out + FP_BYTES, &a->c0);
}

#ifdef ENCODING_DEFINE
#define LINKAGE
#define PREFIX_G1(op) g1_##op
#define PREFIX_G2(op) g2_##op
#else
#define LINKAGE       static inline
#define PREFIX_G1(op) g1i_##op
#define PREFIX_G2(op) g2i_##op
#endif

#define FIELD      fp
#define F(op)      fp_##op
#define AFFINE     g1_affine
#define G(op)      PREFIX_G1(op)
#define CURVE_B    G1_CURVE_B
#define C(op)      encoding_fp_##op
#define COORDINATE G1_COMPRESSED_BYTES
#include "curve/encoding.inc"
#undef FIELD
#undef F
#undef AFFINE
#undef G
#undef CURVE_B
#undef C
#undef COORDINATE

#define FIELD      fp2
#define F(op)      fp2_##op
#define AFFINE     g2_affine
#define G(op)      PREFIX_G2(op)
#define CURVE_B    G2_CURVE_B
#define C(op)      encoding_fp2_##op
#define COORDINATE G2_COMPRESSED_BYTES
#include "curve/encoding.inc"
#undef FIELD
#undef F
#undef AFFINE
#undef G
#undef CURVE_B
#undef C
#undef COORDINATE

#undef LINKAGE
#undef PREFIX_G1
#undef PREFIX_G2

#endif

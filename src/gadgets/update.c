/* gadgets/update.c - the pieces of the empty sector update.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/update.h"

#include "gadgets/multipack.h"
#include "gadgets/poseidon.h"

void num_enforce_bits(struct cs *cs, const struct boolean *bits, unsigned count, const struct num *a)
{
    for (unsigned i = 0; i < count; i++)
        lc_add(cs, &cs->a, bits[i].v, &cs->pow2[i]);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, a->v);
    cs_enforce_built(cs);
}

/* All bits of a, lowest first, as new variables. */
static void decompose(struct cs *cs, struct boolean bits[FR_BITS], const struct num *a)
{
    num_alloc_bits(cs, bits, a);
    cs_name(cs, "binary decomp");
    num_enforce_bits(cs, bits, FR_BITS, a);
}

/* A new variable: partition * digests + j. */
static struct num running_number(struct cs *cs, const struct num *partition, unsigned digests, unsigned j)
{
    fr scale, offset, value;
    fr_from_u64(&scale, digests);
    fr_from_u64(&offset, j);
    fr_mul(&value, &partition->value, &scale);
    fr_add(&value, &value, &offset);
    cs_push(cs, "digest_index_%u", j);
    const struct num number = num_alloc(cs, &value);
    cs_pop(cs);
    lc_add(cs, &cs->a, partition->v, &scale);
    lc_add(cs, &cs->a, VAR_ONE, &offset);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, number.v);
    cs_name(cs, "digest_index_%u == k * digests_per_partition + %u", j, j);
    cs_enforce_built(cs);
    return number;
}

void challenge_bits_gadget(struct cs *cs, const struct poseidon *hash, struct boolean *bits,
                           const struct num *seed, const struct num *partition, unsigned count,
                           unsigned challenge_bits)
{
    VERIFY(challenge_bits >= 1 && challenge_bits <= 64);
    const unsigned per_digest = PACK_BITS / challenge_bits;
    const unsigned digests = (count + per_digest - 1) / per_digest;
    for (unsigned j = 0; j < digests && cs->status == CUZK_OK; j++) {
        struct boolean drawn[FR_BITS];
        const struct num preimage[2] = {*seed, running_number(cs, partition, digests, j)};
        cs_push(cs, "digest_%u", j);
        const struct num digest = poseidon_gadget(cs, hash, preimage);
        cs_pop(cs);
        cs_push(cs, "digest_%u_bits", j);
        decompose(cs, drawn, &digest);
        cs_pop(cs);
        const unsigned left = count - j * per_digest;
        const unsigned taken = (left < per_digest ? left : per_digest) * challenge_bits;
        for (unsigned i = 0; i < taken; i++)
            *bits++ = drawn[i];
    }
}

struct num high_bits_gadget(struct cs *cs, const struct boolean *bits, unsigned count,
                            const struct boolean *select, const unsigned *high, unsigned choices)
{
    struct num product[UPDATE_MAX_CHOICES];
    fr sum = FR_ZERO;
    VERIFY(choices <= UPDATE_MAX_CHOICES);
    for (unsigned k = 0; k < choices; k++) {
        VERIFY(high[k] <= count);
        cs_push(cs, "c_high (h=%u, k=%u)", high[k], k);
        const struct num packed = pack_bits(cs, bits + count - high[k], high[k]);
        cs_pop(cs);
        const fr *value = select[k].value ? &packed.value : &FR_ZERO;
        cs_push(cs, "c_high_or_zero (h=%u, k=%u)", high[k], k);
        product[k] = num_alloc(cs, value);
        cs_pop(cs);
        lc_add_one(cs, &cs->a, packed.v);
        lc_add_one(cs, &cs->b, select[k].v);
        lc_add_one(cs, &cs->c, product[k].v);
        cs_name(cs, "c_high_or_zero == c_high * h_select_bit (h=%u, k=%u)", high[k], k);
        cs_enforce_built(cs);
        fr_add(&sum, &sum, value);
    }
    cs_push(cs, "c_high_selected");
    const struct num chosen = num_alloc(cs, &sum);
    cs_pop(cs);
    for (unsigned k = 0; k < choices; k++)
        lc_add_one(cs, &cs->a, product[k].v);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, chosen.v);
    cs_name(cs, "c_high_selected == dot(c_highs, h_select_bits)");
    cs_enforce_built(cs);
    return chosen;
}

struct num update_encode(struct cs *cs, const struct num *old, const struct num *data, const struct num *rho)
{
    cs_push(cs, "label_d_new * rho");
    const struct num product = num_mul(cs, data, rho);
    cs_pop(cs);
    fr value;
    fr_add(&value, &old->value, &product.value);
    cs_push(cs, "label_r_new");
    const struct num encoded = num_alloc(cs, &value);
    cs_pop(cs);
    lc_add_one(cs, &cs->a, old->v);
    lc_add_one(cs, &cs->a, product.v);
    lc_add_one(cs, &cs->b, VAR_ONE);
    lc_add_one(cs, &cs->c, encoded.v);
    cs_name(cs, "label_r_new == label_r_old + label_d_new * rho");
    cs_enforce_built(cs);
    return encoded;
}

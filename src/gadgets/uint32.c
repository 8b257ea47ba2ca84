/* gadgets/uint32.c - 32-bit words of bits.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/uint32.h"

#define ROW_BITS (FR_BITS - 1)

struct uint32 uint32_constant(uint32_t value)
{
    struct uint32 out = {.value = value};
    for (unsigned i = 0; i < 32; i++)
        out.bit[i] = boolean_constant(value >> i & 1);
    return out;
}

struct uint32 uint32_from_bits_be(const struct boolean bits[32])
{
    struct uint32 out = {.value = 0};
    for (unsigned i = 0; i < 32; i++) {
        out.bit[i] = bits[31 - i];
        out.value |= (uint32_t)out.bit[i].value << i;
    }
    return out;
}

void uint32_to_bits_be(struct boolean bits[32], const struct uint32 *a)
{
    for (unsigned i = 0; i < 32; i++)
        bits[i] = a->bit[31 - i];
}

struct uint32 uint32_rotr(const struct uint32 *a, unsigned by)
{
    struct uint32 out = {.value = a->value >> by | a->value << (32 - by) % 32};
    for (unsigned i = 0; i < 32; i++)
        out.bit[i] = a->bit[(i + by) % 32];
    return out;
}

struct uint32 uint32_shr(const struct uint32 *a, unsigned by)
{
    struct uint32 out = {.value = a->value >> by};
    for (unsigned i = 0; i < 32; i++)
        out.bit[i] = i + by < 32 ? a->bit[i + by] : boolean_constant(false);
    return out;
}

struct uint32 uint32_xor(struct cs *cs, const struct uint32 *a, const struct uint32 *b)
{
    struct uint32 out = {.value = a->value ^ b->value};
    for (unsigned i = 0; i < 32; i++) {
        cs_push(cs, "xor of bit %u", i);
        out.bit[i] = boolean_xor(cs, a->bit[i], b->bit[i]);
        cs_pop(cs);
    }
    return out;
}

struct uint32 uint32_sha256_ch(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                               const struct uint32 *c)
{
    struct uint32 out = {.value = (a->value & b->value) ^ (~a->value & c->value)};
    for (unsigned i = 0; i < 32; i++) {
        cs_push(cs, "ch %u", i);
        out.bit[i] = boolean_sha256_ch(cs, a->bit[i], b->bit[i], c->bit[i]);
        cs_pop(cs);
    }
    return out;
}

struct uint32 uint32_sha256_maj(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                                const struct uint32 *c)
{
    struct uint32 out = {.value = (a->value & b->value) ^ (a->value & c->value) ^ (b->value & c->value)};
    for (unsigned i = 0; i < 32; i++) {
        cs_push(cs, "maj %u", i);
        out.bit[i] = boolean_sha256_maj(cs, a->bit[i], b->bit[i], c->bit[i]);
        cs_pop(cs);
    }
    return out;
}

static void multieq_row(struct cs *cs, struct multieq *m)
{
    if (m->has_constant)
        lc_add(cs, &m->left, VAR_ONE, &m->constant);
    lc_add_one(cs, &cs->b, VAR_ONE);
    cs_name(cs, "multieq %u", m->rows);
    cs_enforce(cs, &m->left, &cs->b, &m->right);
    lc_clear(&cs->b);
    lc_clear(&m->left);
    lc_clear(&m->right);
    m->constant = FR_ZERO;
    m->has_constant = false;
    m->bits_used = 0;
    m->rows++;
}

void multieq_finish(struct cs *cs, struct multieq *m)
{
    if (m->bits_used > 0)
        multieq_row(cs, m);
    m->rows = 0;
}

void multieq_free(struct multieq *m)
{
    lc_free(&m->left);
    lc_free(&m->right);
}

/* left += 2^shift * a; constant parts are gathered, so that they cost one term a row. */
static void add_operand(struct cs *cs, struct multieq *m, const struct uint32 *a, unsigned shift)
{
    for (unsigned i = 0; i < 32; i++) {
        const struct boolean b = a->bit[i];
        const fr *coeff = &cs->pow2[shift + i];
        if (b.kind == BOOLEAN_IS) {
            lc_add(cs, &m->left, b.v, coeff);
            continue;
        }
        if (b.kind == BOOLEAN_CONSTANT && !b.value)
            continue;
        fr_add(&m->constant, &m->constant, coeff);
        m->has_constant = true;
        if (b.kind == BOOLEAN_NOT) {
            fr minus;
            fr_neg(&minus, coeff);
            lc_add(cs, &m->left, b.v, &minus);
        }
    }
}

static bool is_constant(const struct uint32 *a)
{
    for (unsigned i = 0; i < 32; i++)
        if (!boolean_is_constant(a->bit[i]))
            return false;
    return true;
}

struct uint32 uint32_add_many(struct cs *cs, struct multieq *m, const struct uint32 *const *operands,
                              unsigned count)
{
    VERIFY(count >= 2 && count <= 10);
    bool constant = true;
    uint64_t sum = 0;
    for (unsigned k = 0; k < count; k++) {
        constant = constant && is_constant(operands[k]);
        sum += operands[k]->value;
    }
    if (constant)
        return uint32_constant((uint32_t)sum);

    struct uint32 out = {.value = (uint32_t)sum};
    struct boolean carry[4];
    unsigned bits = 0;
    for (uint64_t most = (uint64_t)count * UINT32_MAX; most != 0; most >>= 1, bits++) {
        cs_push(cs, "result bit %u", bits);
        const struct boolean b = boolean_alloc(cs, sum >> bits & 1);
        cs_pop(cs);
        if (bits < 32)
            out.bit[bits] = b;
        else
            carry[bits - 32] = b;
    }

    if (m->bits_used + bits >= ROW_BITS)
        multieq_row(cs, m);
    if (cs->rows_wanted) {
        for (unsigned k = 0; k < count; k++)
            add_operand(cs, m, operands[k], m->bits_used);
        for (unsigned i = 0; i < bits; i++)
            lc_add(cs, &m->right, i < 32 ? out.bit[i].v : carry[i - 32].v, &cs->pow2[m->bits_used + i]);
    }
    m->bits_used += bits;
    return out;
}

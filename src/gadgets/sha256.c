/* gadgets/sha256.c - SHA-256 of bits.
 *
 * The sums that make a and e of a round wait until the next round needs them, so that the state is added
 * to the last ones within the same sum. All sums of one compression share rows (struct multieq).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/sha256.h"

#include "hash/sha256.h"

/* A sum not yet made: up to 8 operands, or, when count is 1, a word that is there already. */
struct deferred {
    struct uint32 operand[8];
    unsigned count;
};

static struct uint32 deferred_sum(struct cs *cs, struct multieq *m, const struct deferred *d,
                                  const struct uint32 *and_also)
{
    if (d->count == 1)
        return d->operand[0];
    const struct uint32 *operands[9];
    unsigned count = 0;
    while (count < d->count) {
        operands[count] = &d->operand[count];
        count++;
    }
    if (and_also)
        operands[count++] = and_also;
    return uint32_add_many(cs, m, operands, count);
}

static struct uint32 xor_named(struct cs *cs, const struct uint32 *a, const struct uint32 *b,
                               const char *name)
{
    cs_push(cs, "%s", name);
    const struct uint32 out = uint32_xor(cs, a, b);
    cs_pop(cs);
    return out;
}

/* x rotated by three amounts, or shifted by the last one, and combined by xor; index: 0 or 1, of the name. */
static struct uint32 sigma(struct cs *cs, const struct uint32 *x, unsigned first, unsigned second,
                           unsigned third, bool shift, unsigned index)
{
    static const char *const name[2][2] = {{"first xor for s0", "second xor for s0"},
                                           {"first xor for s1", "second xor for s1"}};
    const struct uint32 r1 = uint32_rotr(x, first), r2 = uint32_rotr(x, second);
    const struct uint32 r3 = shift ? uint32_shr(x, third) : uint32_rotr(x, third);
    const struct uint32 both = xor_named(cs, &r1, &r2, name[index][0]);
    return xor_named(cs, &both, &r3, name[index][1]);
}

static void extend(struct cs *cs, struct multieq *m, struct uint32 w[64])
{
    for (unsigned i = 16; i < 64; i++) {
        cs_push(cs, "w extension %u", i);
        const struct uint32 s0 = sigma(cs, &w[i - 15], 7, 18, 3, true, 0);
        const struct uint32 s1 = sigma(cs, &w[i - 2], 17, 19, 10, true, 1);
        cs_push(cs, "computation of w[i]");
        const struct uint32 *operands[4] = {&w[i - 16], &s0, &w[i - 7], &s1};
        w[i] = uint32_add_many(cs, m, operands, 4);
        cs_pop(cs);
        cs_pop(cs);
    }
}

struct working {
    struct deferred a, e;
    struct uint32 b, c, d, f, g, h;
};

static void round_step(struct cs *cs, struct multieq *m, struct working *s, uint32_t constant,
                       const struct uint32 *w)
{
    cs_push(cs, "deferred e computation");
    const struct uint32 e = deferred_sum(cs, m, &s->e, NULL);
    cs_pop(cs);
    const struct uint32 s1 = sigma(cs, &e, 6, 11, 25, false, 1);
    cs_push(cs, "ch");
    const struct uint32 ch = uint32_sha256_ch(cs, &e, &s->f, &s->g);
    cs_pop(cs);

    cs_push(cs, "deferred a computation");
    const struct uint32 a = deferred_sum(cs, m, &s->a, NULL);
    cs_pop(cs);
    const struct uint32 s0 = sigma(cs, &a, 2, 13, 22, false, 0);
    cs_push(cs, "maj");
    const struct uint32 maj = uint32_sha256_maj(cs, &a, &s->b, &s->c);
    cs_pop(cs);

    s->a = (struct deferred){{s->h, s1, ch, uint32_constant(constant), *w, s0, maj}, 7};
    s->e = (struct deferred){{s->h, s1, ch, uint32_constant(constant), *w, s->d}, 6};
    s->h = s->g;
    s->g = s->f;
    s->f = e;
    s->d = s->c;
    s->c = s->b;
    s->b = a;
}

static void add_state(struct cs *cs, struct multieq *m, struct uint32 state[8], const struct working *s)
{
    const struct uint32 *const ready[8] = {NULL, &s->b, &s->c, &s->d, NULL, &s->f, &s->g, &s->h};
    for (unsigned k = 0; k < 8; k++) {
        if (ready[k]) {
            cs_push(cs, "new h%u", k);
            const struct uint32 *operands[2] = {&state[k], ready[k]};
            state[k] = uint32_add_many(cs, m, operands, 2);
        } else {
            cs_push(cs, "deferred h%u computation", k);
            state[k] = deferred_sum(cs, m, k == 0 ? &s->a : &s->e, &state[k]);
        }
        cs_pop(cs);
    }
}

/* One compression: 512 bits, each byte's highest bit first, into the state. */
static void compress(struct cs *cs, struct multieq *m, struct uint32 state[8],
                     const struct boolean block[512])
{
    struct uint32 w[64];
    for (unsigned i = 0; i < 16; i++)
        w[i] = uint32_from_bits_be(block + 32 * i);
    extend(cs, m, w);
    struct working s = {.a = {{state[0]}, 1},
                        .b = state[1],
                        .c = state[2],
                        .d = state[3],
                        .e = {{state[4]}, 1},
                        .f = state[5],
                        .g = state[6],
                        .h = state[7]};
    for (unsigned i = 0; i < 64; i++) {
        cs_push(cs, "compression round %u", i);
        round_step(cs, m, &s, SHA256_K[i], &w[i]);
        cs_pop(cs);
    }
    add_state(cs, m, state, &s);
    multieq_finish(cs, m);
}

/* Bit i of the padded message. */
static struct boolean padded_bit(const struct boolean *bits, size_t count, size_t padded, size_t i)
{
    if (i < count)
        return bits[i];
    if (i == count)
        return boolean_constant(true);
    return boolean_constant(i + 64 >= padded && ((uint64_t)count >> (padded - 1 - i) & 1));
}

void sha256_gadget(struct cs *cs, struct boolean digest[SHA256_BITS], const struct boolean *bits,
                   size_t count)
{
    VERIFY(count % 8 == 0);
    const size_t padded = (count + 1 + 64 + 511) / 512 * 512;
    struct multieq m = {.rows = 0};
    struct uint32 state[8];
    for (unsigned k = 0; k < 8; k++)
        state[k] = uint32_constant(SHA256_IV[k]);
    for (size_t start = 0; start < padded && cs->status == CUZK_OK; start += 512) {
        struct boolean block[512];
        for (size_t i = 0; i < 512; i++)
            block[i] = padded_bit(bits, count, padded, start + i);
        cs_push(cs, "block %zu", start / 512);
        compress(cs, &m, state, block);
        cs_pop(cs);
    }
    multieq_free(&m);
    for (unsigned k = 0; k < 8; k++)
        uint32_to_bits_be(digest + 32 * k, &state[k]);
}

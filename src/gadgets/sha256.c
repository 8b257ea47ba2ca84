/* gadgets/sha256.c - SHA-256 of bits.
 *
 * The sums that make a and e of a round wait until the next round needs them, so that the state is added
 * to the last ones within the same sum. All sums of one compression share rows (struct multieq).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/sha256.h"

#include <string.h>

#include "gadgets/sha256_witness.h"
#include "hash/sha256.h"
#include "r1cs/unit.h"

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

/* One compression of a block of 16 words into the state. */
static void compress(struct cs *cs, struct multieq *m, struct uint32 state[8], const struct uint32 block[16])
{
    struct uint32 w[64];
    memcpy(w, block, 16 * sizeof w[0]);
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

/* -- compressions as units -- */

/* A compression's operand bits, the state's before the block's, lowest of a word first: constants, or the
 * number of a variable. */
enum { CODE_FALSE, CODE_TRUE, CODE_VARIABLE };

struct operands {
    struct unit_operands variables;
    uint16_t code[(8 + 16) * 32];
};

static bool add_codes(struct operands *o, uint16_t *code, const struct uint32 *words, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < 32; i++) {
            const struct boolean b = words[k].bit[i];
            if (b.kind == BOOLEAN_NOT)
                return false;
            *code++ = (uint16_t)(b.kind == BOOLEAN_IS ? CODE_VARIABLE + unit_operand(&o->variables, b.v)
                                 : b.value            ? CODE_TRUE
                                                      : CODE_FALSE);
        }
    return true;
}

/* Can it be a unit? Of constants alone nothing would be allocated, and negated operands do not occur in the
 * circuits. */
static bool describe(struct operands *o, const struct uint32 state[8], const struct uint32 block[16])
{
    unit_operands_init(&o->variables);
    return add_codes(o, o->code, state, 8) && add_codes(o, o->code + 8 * 32, block, 16) &&
           o->variables.count > 0;
}

/* The next state of a skipped compression, and its variables' values if they are wanted. */
static void take_results(struct cs *cs, const struct unit *unit, struct uint32 state[8],
                         const struct uint32 block[16])
{
    uint32_t value[8] = {0}, words[16];
    if (unit->results != 8 * 32) {
        unit_differs(cs);
        return;
    }
    if (unit->bits) {
        if (!*unit->plan)
            *unit->plan = sha256_plan_new(state, block);
        if (!*unit->plan) {
            cs_fail(cs, CUZK_ERR_MEMORY, "out of memory: %zu bytes for the plan of a compression",
                    sizeof(struct sha256_plan));
            return;
        }
        if (((const struct sha256_plan *)*unit->plan)->bits != unit->bit_count) {
            unit_differs(cs);
            return;
        }
        for (unsigned k = 0; k < 8; k++)
            value[k] = state[k].value;
        for (unsigned i = 0; i < 16; i++)
            words[i] = block[i].value;
        sha256_witness(*unit->plan, unit->bits, unit->bit_at, value, words);
    }
    for (unsigned k = 0; k < 8; k++) {
        state[k].value = value[k];
        for (unsigned i = 0; i < 32; i++)
            state[k].bit[i] = (struct boolean){.v = (unit->first_aux + unit->result[32 * k + i]) | VAR_AUX,
                                               .kind = BOOLEAN_IS,
                                               .value = value[k] >> i & 1};
    }
}

static void compress_unit(struct cs *cs, struct multieq *m, struct uint32 state[8],
                          const struct uint32 block[16])
{
    struct operands o;
    if (!cs->sink->unit_enter || !describe(&o, state, block)) {
        compress(cs, m, state, block);
        return;
    }
    struct unit unit = {
        .kind = UNIT_SHA256, .shape = o.code, .shape_bytes = sizeof o.code, .operands = &o.variables};
    if (unit_enter(cs, &unit)) {
        take_results(cs, &unit, state, block);
        return;
    }
    var result[8 * 32];
    compress(cs, m, state, block);
    for (unsigned i = 0; i < ARRAY_LEN(result); i++)
        result[i] = state[i / 32].bit[i % 32].v;
    unit_leave(cs, &unit, result, ARRAY_LEN(result));
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
        struct boolean end[512];
        const struct boolean *at = bits + start;
        if (start + 512 > count) {
            for (size_t i = 0; i < 512; i++)
                end[i] = padded_bit(bits, count, padded, start + i);
            at = end;
        }
        struct uint32 block[16];
        for (unsigned i = 0; i < 16; i++)
            block[i] = uint32_from_bits_be(at + 32 * i);
        cs_push(cs, "block %zu", start / 512);
        compress_unit(cs, &m, state, block);
        cs_pop(cs);
    }
    multieq_free(&m);
    for (unsigned k = 0; k < 8; k++)
        uint32_to_bits_be(digest + 32 * k, &state[k]);
}

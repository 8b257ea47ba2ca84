/* gadgets/sha256_plan.c - planning a compression's variables.
 *
 * The plan is found by going through the compression on a builder of its own, whose bits have no values, with
 * the gadgets' operations on bits, so that it is these that say which constants fold away.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/sha256_witness.h"

#include <string.h>

#include "base/memory.h"
#include "hash/sha256.h"

/* Where all operands are variables. Shifts bring in 3 and 10 zeros. */
#define PLAIN_WORD_BITS  (32 + 29 + 32 + 22 + 34)
#define PLAIN_ROUND_BITS (35 + 2 * 32 + 32 + 35 + 2 * 32 + 2 * 32)
#define LAST_SUMS_BITS   (2 * 35 + 6 * 33)

struct planner {
    struct cs cs;
    struct sha256_plan *plan;
};

/* Bit i of a word has become this, with variables made since there were `before`. places: the word's bit i
 * has so many places in the step; only the first may be negated. */
static void note(struct planner *p, struct sha256_step *step, struct boolean bit, uint32_t before, unsigned i,
                 unsigned places)
{
    const uint32_t made = p->cs.aux - before;
    VERIFY(made <= places);
    if (made == 0)
        return;
    step->made |= (made == 2 ? UINT64_C(3) : 1) << places * i;
    if (bit.kind == BOOLEAN_NOT)
        step->negated |= UINT64_C(1) << places * i;
    step->bits += made;
    p->plan->bits += made;
}

static struct uint32 plan_xor(struct planner *p, struct sha256_step *step, const struct uint32 *a,
                              const struct uint32 *b)
{
    struct uint32 out = {.value = a->value ^ b->value};
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t before = p->cs.aux;
        out.bit[i] = boolean_xor(&p->cs, a->bit[i], b->bit[i]);
        note(p, step, out.bit[i], before, i, 1);
    }
    return out;
}

static struct uint32 plan_sigma(struct planner *p, struct sha256_step step[2], const struct uint32 *x,
                                unsigned first, unsigned second, unsigned third, bool shift)
{
    const struct uint32 r1 = uint32_rotr(x, first), r2 = uint32_rotr(x, second);
    const struct uint32 r3 = shift ? uint32_shr(x, third) : uint32_rotr(x, third);
    const struct uint32 both = plan_xor(p, &step[0], &r1, &r2);
    return plan_xor(p, &step[1], &both, &r3);
}

static struct uint32 plan_ch(struct planner *p, struct sha256_step *step, const struct uint32 *a,
                             const struct uint32 *b, const struct uint32 *c)
{
    struct uint32 out = {.value = (a->value & b->value) ^ (~a->value & c->value)};
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t before = p->cs.aux;
        out.bit[i] = boolean_sha256_ch(&p->cs, a->bit[i], b->bit[i], c->bit[i]);
        note(p, step, out.bit[i], before, i, 1);
    }
    return out;
}

static struct uint32 plan_maj(struct planner *p, struct sha256_step *step, const struct uint32 *a,
                              const struct uint32 *b, const struct uint32 *c)
{
    struct uint32 out = {.value = (a->value & b->value) ^ (a->value & c->value) ^ (b->value & c->value)};
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t before = p->cs.aux;
        out.bit[i] = boolean_sha256_maj(&p->cs, a->bit[i], b->bit[i], c->bit[i]);
        note(p, step, out.bit[i], before, i, 2);
    }
    return out;
}

static struct uint32 plan_sum(struct planner *p, struct sha256_step *step,
                              const struct uint32 *const *operands, unsigned count)
{
    struct multieq m = {.rows = 0};
    const uint32_t before = p->cs.aux;
    const struct uint32 out = uint32_add_many(&p->cs, &m, operands, count);
    multieq_free(&m);
    step->bits = p->cs.aux - before;
    step->made = (UINT64_C(1) << step->bits) - 1;
    p->plan->bits += step->bits;
    return out;
}

static bool is_variable(const struct uint32 *words, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < 32; i++)
            if (words[k].bit[i].kind != BOOLEAN_IS)
                return false;
    return true;
}

/* Words made of 15 words of variables are variables; all 48 may be. */
static void plan_words(struct planner *p, struct uint32 w[64])
{
    unsigned i = 16;
    for (; i < 64 && !is_variable(&w[i - 15], 15); i++) {
        struct sha256_step *step = p->plan->word[i - 16];
        const struct uint32 s0 = plan_sigma(p, &step[0], &w[i - 15], 7, 18, 3, true);
        const struct uint32 s1 = plan_sigma(p, &step[2], &w[i - 2], 17, 19, 10, true);
        const struct uint32 *const operands[4] = {&w[i - 16], &s0, &w[i - 7], &s1};
        w[i] = plan_sum(p, &step[4], operands, 4);
    }
    p->plan->plain_word = i;
    p->plan->bits += (64 - i) * PLAIN_WORD_BITS;
    for (; i < 64; i++)
        w[i] = w[i - 1];
}

/* s: a to h. Between rounds a and e are the last ones', the next round's b and f; the new ones are sums of
 * what stands in n, made in the next round. Where b, c, f and g are variables, all later a and e are. */
static void plan_rounds(struct planner *p, struct uint32 s[8], const struct uint32 w[64])
{
    struct {
        struct uint32 h, s1, ch, key, w, d, s0, maj;
    } n;
    const struct uint32 *const for_e[6] = {&n.h, &n.s1, &n.ch, &n.key, &n.w, &n.d};
    const struct uint32 *const for_a[7] = {&n.h, &n.s1, &n.ch, &n.key, &n.w, &n.s0, &n.maj};
    unsigned i = 0;
    for (; i == 0 || !(is_variable(&s[0], 2) && is_variable(&s[4], 2)); i++) {
        struct sha256_step *step = p->plan->round[i];
        VERIFY(i < SHA256_ROUNDS);
        if (i > 0) {
            memmove(&s[1], &s[0], 7 * sizeof s[0]);
            s[4] = plan_sum(p, &step[0], for_e, 6);
            s[0] = plan_sum(p, &step[4], for_a, 7);
        }
        n.s1 = plan_sigma(p, &step[1], &s[4], 6, 11, 25, false);
        n.ch = plan_ch(p, &step[3], &s[4], &s[5], &s[6]);
        n.s0 = plan_sigma(p, &step[5], &s[0], 2, 13, 22, false);
        n.maj = plan_maj(p, &step[7], &s[0], &s[1], &s[2]);
        n.h = s[7];
        n.key = uint32_constant(SHA256_K[i]);
        n.w = w[i];
        n.d = s[3];
    }
    p->plan->plain_round = i;
    p->plan->bits += (SHA256_ROUNDS - i) * PLAIN_ROUND_BITS + LAST_SUMS_BITS;
}

/* The word with the planner's own variables. */
static struct uint32 own(struct planner *p, const struct uint32 *a)
{
    struct uint32 out = *a;
    for (unsigned i = 0; i < 32; i++)
        if (!boolean_is_constant(a->bit[i]))
            out.bit[i] = (struct boolean){.v = cs_alloc_bit(&p->cs, false), .kind = BOOLEAN_IS};
    return out;
}

struct sha256_plan *sha256_plan_new(const struct uint32 state[8], const struct uint32 block[16])
{
    static const struct cs_sink sink = {0};
    struct planner p = {.plan = mem_alloc(1, sizeof *p.plan)};
    struct uint32 h[8], w[64];
    if (!p.plan)
        return NULL;
    cs_init(&p.cs, &sink, NULL, NULL);
    for (unsigned k = 0; k < 8; k++)
        h[k] = own(&p, &state[k]);
    for (unsigned i = 0; i < 16; i++)
        w[i] = own(&p, &block[i]);
    plan_words(&p, w);
    plan_rounds(&p, h, w);
    cs_free(&p.cs);
    return p.plan;
}

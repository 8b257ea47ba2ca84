/* hash/poseidon.c - the set of Poseidon instances, and hashing by the variant asked for.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/poseidon.h"

#include "base/error.h"
#include "base/pool.h"
#include "hash/poseidon_constants.h"
#include "hash/poseidon_permute.h"

#define HASHES_A_TASK 64

cuzk_status poseidon_set_new(struct poseidon_set **out, struct cuzk_error *e)
{
    static const struct {
        unsigned arity;
        uint64_t
            tag; /* 2^arity - 1 for a full Merkle tree's node; 2^40 times the identifier of another use */
    } instances[POSEIDON_KINDS] = {
        [POSEIDON_2] = {2, (1 << 2) - 1},           [POSEIDON_4] = {4, (1 << 4) - 1},
        [POSEIDON_8] = {8, (1 << 8) - 1},           [POSEIDON_11] = {11, (1 << 11) - 1},
        [POSEIDON_2_SNAP] = {2, UINT64_C(1) << 40},
    };
    struct poseidon_set *set = mem_alloc(1, sizeof *set);
    if (!set)
        return error_memory(e, sizeof *set, "Poseidon's instances");
    for (unsigned k = 0; k < POSEIDON_KINDS; k++) {
        fr tag;
        fr_from_u64(&tag, instances[k].tag);
        const cuzk_status status = poseidon_derive(&set->kind[k], instances[k].arity, &tag, &set->arena, e);
        if (status != CUZK_OK) {
            poseidon_set_free(set);
            return status;
        }
    }
    *out = set;
    return CUZK_OK;
}

void poseidon_set_free(struct poseidon_set *set)
{
    if (set) {
        arena_free(&set->arena);
        mem_free(set);
    }
}

const struct poseidon *poseidon_of_arity(const struct poseidon_set *set, unsigned arity)
{
    for (unsigned k = 0; k < POSEIDON_2_SNAP; k++)
        if (set->kind[k].arity == arity)
            return &set->kind[k];
    return NULL;
}

void poseidon_hash(enum cpu_variant variant, const struct poseidon *p, fr *out, const fr *preimage)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(variant) == CPU_ADX) {
        poseidon_hash_adx(p, out, preimage);
        return;
    }
#endif
    (void)variant;
    poseidon_hash_portable(p, out, preimage);
}

struct many {
    const struct exec *exec;
    const struct poseidon *p;
    fr *out;
    const fr *preimages;
    size_t n;
};

static void hash_some(void *context, size_t task, unsigned worker)
{
    (void)worker;
    const struct many *m = context;
    if (exec_cancelled(m->exec))
        return;
    const size_t from = task * HASHES_A_TASK;
    const size_t to = m->n - from < HASHES_A_TASK ? m->n : from + HASHES_A_TASK;
    size_t i = from;
#ifdef CUZK_HAVE_IFMA
    while (m->exec->variant == CPU_IFMA && to - from >= 8 && i < to) {
        const size_t at = to - i < 8 ? to - 8 : i; /* the last eight, some of them again */
        poseidon_hash_eight_ifma(m->p, &m->out[at], m->preimages + at * m->p->arity);
        i = at + 8;
    }
#endif
    for (; i < to; i++)
        poseidon_hash(m->exec->variant, m->p, &m->out[i], m->preimages + i * m->p->arity);
}

cuzk_status poseidon_hash_many(const struct exec *x, const struct poseidon *p, fr *out, const fr *preimages,
                               size_t n, struct cuzk_error *e)
{
    struct many many = {x, p, out, preimages, n};
    pool_run(x->pool, hash_some, &many, n / HASHES_A_TASK + (n % HASHES_A_TASK != 0));
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    return CUZK_OK;
}

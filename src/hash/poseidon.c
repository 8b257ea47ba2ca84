/* hash/poseidon.c - the set of Poseidon instances, and hashing by the variant asked for.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/poseidon.h"

#include <string.h>

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

#ifdef CUZK_HAVE_IFMA
/* 2 to 7 hashes: the lanes that are left do the first one again. */
static void hash_few(const struct poseidon *p, fr *out, const fr *preimages, size_t n)
{
    fr room[POSEIDON_LANES * POSEIDON_MAX_ARITY], digests[POSEIDON_LANES];
    const size_t arity = p->arity;
    for (size_t k = 0; k < POSEIDON_LANES; k++)
        memcpy(room + k * arity, preimages + (k < n ? k : 0) * arity, arity * sizeof *room);
    poseidon_hash_eight_ifma(p, digests, room);
    memcpy(out, digests, n * sizeof *out);
}
#endif

void poseidon_hash_some(enum cpu_variant variant, const struct poseidon *p, fr *out, const fr *preimages,
                        size_t n)
{
    size_t i = 0;
#ifdef CUZK_HAVE_IFMA
    if (variant == CPU_IFMA) {
        for (; n - i >= POSEIDON_LANES; i += POSEIDON_LANES)
            poseidon_hash_eight_ifma(p, out + i, preimages + i * p->arity);
        if (n - i > 1) {
            hash_few(p, out + i, preimages + i * p->arity, n - i);
            return;
        }
    }
#endif
    for (; i < n; i++)
        poseidon_hash(variant, p, &out[i], preimages + i * p->arity);
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
    poseidon_hash_some(m->exec->variant, m->p, m->out + from, m->preimages + from * m->p->arity,
                       m->n - from < HASHES_A_TASK ? m->n - from : HASHES_A_TASK);
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

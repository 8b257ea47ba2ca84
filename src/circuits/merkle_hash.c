/* circuits/merkle_hash.c - see merkle_hash.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/merkle_hash.h"

#include <string.h>

#include "base/error.h"
#include "base/pool.h"

struct hashing {
    const struct exec *x;
    const struct poseidon_set *poseidon;
    struct merkle_path *const *paths;
    size_t count;
    enum merkle_which which;
};

void merkle_children(fr *out, const struct merkle_step *step, const fr *node)
{
    VERIFY(step->arity <= MERKLE_MAX_ARITY && step->index < step->arity);
    memcpy(out, step->siblings, step->index * sizeof *out);
    out[step->index] = *node;
    memcpy(out + step->index + 1, step->siblings + step->index,
           (step->arity - 1 - step->index) * sizeof *out);
}

/* Level by level. */
static void hash_side_by_side(const struct hashing *h, struct merkle_path *const *paths, size_t n)
{
    fr children[POSEIDON_LANES * MERKLE_MAX_ARITY], node[POSEIDON_LANES];
    const uint32_t levels = paths[0]->count;
    for (size_t k = 0; k < n; k++)
        node[k] = paths[k]->leaf;
    for (uint32_t level = 0; level < levels; level++) {
        const uint32_t arity = paths[0]->steps[level].arity;
        for (size_t k = 0; k < n; k++) {
            VERIFY(paths[k]->count == levels && paths[k]->steps[level].arity == arity);
            merkle_children(children + k * arity, &paths[k]->steps[level], &node[k]);
        }
        poseidon_hash_some(h->x->variant, poseidon_of_arity(h->poseidon, arity), node, children, n);
        for (size_t k = 0; k < n; k++)
            paths[k]->steps[level].digest = node[k];
    }
    for (size_t k = 0; k < n; k++)
        paths[k]->hashed = true;
}

static void hash_task(void *ctx, size_t task, unsigned worker)
{
    const struct hashing *h = ctx;
    struct merkle_path *todo[POSEIDON_LANES];
    const size_t from = task * POSEIDON_LANES;
    size_t n = 0;
    (void)worker;
    for (size_t i = from; i < h->count && i < from + POSEIDON_LANES; i++)
        if (h->which == MERKLE_ALL || !h->paths[i]->hashed)
            todo[n++] = h->paths[i];
    if (n > 0 && !exec_cancelled(h->x))
        hash_side_by_side(h, todo, n);
}

cuzk_status merkle_paths_hash(const struct exec *x, const struct poseidon_set *poseidon,
                              struct merkle_path *const *paths, size_t count, enum merkle_which which,
                              struct cuzk_error *e)
{
    struct hashing h = {.x = x, .poseidon = poseidon, .paths = paths, .count = count, .which = which};
    pool_run(x->pool, hash_task, &h, count / POSEIDON_LANES + (count % POSEIDON_LANES != 0));
    return exec_cancelled(x) ? error_set(e, CUZK_ERR_CANCELLED, "cancelled") : CUZK_OK;
}

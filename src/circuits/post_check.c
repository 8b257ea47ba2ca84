/* circuits/post_check.c - do PoSt vanilla proofs hold?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuits/merkle_hash.h"
#include "circuits/post.h"

struct check {
    const struct exec *x;
    const struct poseidon_set *poseidon;
    const struct post_statement *statement;
    const struct post_proof *proofs;
    size_t first;            /* sector that is looked at; a task is a challenge */
    atomic_size_t first_bad; /* the lowest index of a sector that fails; all below are good */
};

static cuzk_status unsatisfied(const struct check *c, size_t sector, struct cuzk_error *e, const char *format,
                               ...) PRINTF_LIKE(4, 5);
static cuzk_status unsatisfied(const struct check *c, size_t sector, struct cuzk_error *e, const char *format,
                               ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(e, CUZK_ERR_UNSATISFIED, "sector %" PRIu64 ": %s", c->statement->sectors[sector].id,
                     what);
}

static cuzk_status check_challenge(const struct check *c, size_t sector, unsigned n, struct cuzk_error *e)
{
    const struct merkle_path *path = &c->proofs[sector].paths[n];
    const uint64_t node = post_challenge(c->statement, sector, n);
    uint64_t rest = node;
    for (uint32_t i = 0; i < path->count; i++) {
        if (path->steps[i].index != rest % path->steps[i].arity)
            return unsatisfied(c, sector, e,
                               "challenge %u: the path is not that of the challenged node %" PRIu64
                               " (step %" PRIu32 ")",
                               n, node, i);
        rest /= path->steps[i].arity;
    }
    if (!fr_equal(&path->root, &c->proofs[sector].comm_r_last))
        return unsatisfied(c, sector, e, "challenge %u: the root is not comm_r_last", n);
    if (!fr_equal(merkle_path_end(path), &path->root))
        return unsatisfied(c, sector, e, "challenge %u: leaf and path do not lead to the root", n);
    return CUZK_OK;
}

/* What the sector says of itself. */
static cuzk_status check_replica(const struct check *c, size_t sector, struct cuzk_error *e)
{
    const struct post_sector *expected = &c->statement->sectors[sector];
    const struct post_proof *proof = &c->proofs[sector];
    const fr preimage[2] = {proof->comm_c, proof->comm_r_last};
    uint8_t comm_r[FR_BYTES];
    fr digest;
    if (proof->sector_id != expected->id)
        return unsatisfied(c, sector, e, "the proof is of sector %" PRIu64, proof->sector_id);
    if (memcmp(proof->comm_r, expected->comm_r, sizeof proof->comm_r) != 0)
        return unsatisfied(c, sector, e, "comm_r is not the statement's");
    poseidon_hash(c->x->variant, &c->poseidon->kind[POSEIDON_2], &digest, preimage);
    fr_write_le(comm_r, &digest);
    if (memcmp(comm_r, expected->comm_r, sizeof comm_r) != 0)
        return unsatisfied(c, sector, e, "comm_r is not the hash of comm_c and comm_r_last");
    return CUZK_OK;
}

static cuzk_status check_sector(const struct check *c, size_t sector, struct cuzk_error *e)
{
    cuzk_status status = check_replica(c, sector, e);
    for (unsigned n = 0; status == CUZK_OK && n < c->statement->params.challenges; n++)
        status = check_challenge(c, sector, n, e);
    return status;
}

static void check_task(void *ctx, size_t task, unsigned worker)
{
    struct check *c = ctx;
    const unsigned challenges = c->statement->params.challenges, n = (unsigned)(task % challenges);
    const size_t sector = c->first + task / challenges;
    (void)worker;
    size_t bad = atomic_load(&c->first_bad);
    if (sector >= bad || exec_cancelled(c->x))
        return;
    if ((n > 0 || check_replica(c, sector, NULL) == CUZK_OK) &&
        check_challenge(c, sector, n, NULL) == CUZK_OK)
        return;
    while (sector < bad && !atomic_compare_exchange_weak(&c->first_bad, &bad, sector))
        ;
}

cuzk_status post_hash_paths(const struct exec *x, const struct poseidon_set *poseidon,
                            const struct post_statement *s, const struct post_proof *proofs, size_t first,
                            size_t end, enum merkle_which which, struct cuzk_error *e)
{
    const unsigned challenges = s->params.challenges;
    const size_t count = (end - first) * challenges;
    struct merkle_path **paths = mem_alloc(count, sizeof *paths);
    if (!paths)
        return error_memory(e, count * sizeof *paths, "a partition's paths");
    for (size_t i = 0; i < count; i++)
        paths[i] = &proofs[first + i / challenges].paths[i % challenges];
    const cuzk_status status = merkle_paths_hash(x, poseidon, paths, count, which, e);
    mem_free(paths);
    return status;
}

/* The sectors [first, end). */
static cuzk_status check_range(const struct exec *x, const struct poseidon_set *poseidon,
                               const struct post_statement *s, const struct post_proof *proofs, size_t first,
                               size_t end, struct cuzk_error *e)
{
    struct check c = {.x = x, .poseidon = poseidon, .statement = s, .proofs = proofs, .first = first};
    atomic_init(&c.first_bad, end);
    const cuzk_status status = post_hash_paths(x, poseidon, s, proofs, first, end, MERKLE_ALL, e);
    if (status != CUZK_OK)
        return status;
    pool_run(x->pool, check_task, &c, (end - first) * s->params.challenges);
    if (exec_cancelled(x))
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled");
    const size_t bad = atomic_load(&c.first_bad);
    return bad < end ? check_sector(&c, bad, e) : CUZK_OK;
}

cuzk_status post_check(const struct exec *x, const struct poseidon_set *poseidon,
                       const struct post_statement *s, const struct post_proof *proofs, struct cuzk_error *e)
{
    const cuzk_status status = post_statement_check(s, e);
    return status == CUZK_OK ? check_range(x, poseidon, s, proofs, 0, s->sector_count, e) : status;
}

cuzk_status post_check_partition(const struct exec *x, const struct poseidon_set *poseidon,
                                 const struct post_statement *s, size_t partition,
                                 const struct post_proof *proofs, struct cuzk_error *e)
{
    const cuzk_status status = post_statement_check(s, e);
    if (status != CUZK_OK)
        return status;
    if (partition >= post_partitions(s))
        return error_set(e, CUZK_ERR_ARGUMENT, "partition %zu: there are %zu", partition, post_partitions(s));
    const size_t first = post_place_at(s, partition, 0).sector,
                 last = post_place_at(s, partition, s->params.places - 1).sector;
    return check_range(x, poseidon, s, proofs, first, last + 1, e);
}

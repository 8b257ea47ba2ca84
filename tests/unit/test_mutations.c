/* Vanilla proofs that were right until something in them changed, of every kind: a sibling flipped, two paths
 * swapped, another sector's proof. Each is refused with the first check that fails.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gen_testing.h"

#include "circuits/request.h"

#define SIZE "32KiB" /* paths of three parts, updates of two partitions */

static const char *const POREP[] = {"porep", "porep-v1", "porep-syn", "porep-ni"};
static const char *const POST[] = {"winning", "window", "window-v1"};
static const char *const SNAP[] = {"snap", "snap-poseidon"};

/* Requests of two sectors that have nothing in common. */
struct pair {
    const struct gen_fixture *f;
    struct request good, other;
};

static void read_made(const struct gen_fixture *f, struct request *q, const char *kind, unsigned seed)
{
    char path[160];
    struct cuzk_error e;
    gen_make(f, kind, SIZE, seed, 0);
    snprintf(path, sizeof path, "%s/%s-" SIZE "-%u.meta.json", f->folder, kind, seed);
    if (request_read(&f->x, q, path, true, &e) != CUZK_OK)
        fail_msg("%s", e.message);
}

static void holds(const struct pair *p)
{
    struct cuzk_error e;
    if (request_check(&p->f->x, p->f->poseidon, &p->good, &e) != CUZK_OK)
        fail_msg("%s: %s", request_kind_text(&p->good), e.message);
}

static void pair_new(struct pair *p, const struct gen_fixture *f, const char *kind)
{
    p->f = f;
    read_made(f, &p->good, kind, 41);
    read_made(f, &p->other, kind, 42);
    holds(p);
}

static void pair_free(struct pair *p)
{
    holds(p); /* each change was undone */
    request_free(&p->good);
    request_free(&p->other);
    gen_clear(p->f);
}

/* As a prover and as inspect ask; by one thread, since some mutated proofs share parts. */
static void refused(const struct pair *p, const char *reason)
{
    struct exec x = p->f->x;
    struct cuzk_error e = {.status = CUZK_OK};
    assert_int_equal(pool_new(&x.pool, 1, NULL), CUZK_OK);
    assert_int_equal(request_check(&x, p->f->poseidon, &p->good, &e), CUZK_ERR_UNSATISFIED);
    pool_free(x.pool);
    assert_int_equal(e.status, CUZK_ERR_UNSATISFIED);
    if (!strstr(e.message, reason))
        fail_msg("%s: \"%s\" is not in \"%s\"", request_kind_text(&p->good), reason, e.message);
}

/* One after the other, the first sibling of each step. */
static void siblings_flipped(const struct pair *p, struct merkle_path *path, const char *reason)
{
    for (uint32_t i = 0; i < path->count; i++) {
        fr *sibling = &path->steps[i].siblings[0];
        const fr good = *sibling;
        fr_add(sibling, sibling, &FR_ONE);
        refused(p, reason);
        *sibling = good;
    }
}

static void exchange(struct merkle_path *a, struct merkle_path *b)
{
    const struct merkle_path path = *a;
    *a = *b;
    *b = path;
}

static void swapped(const struct pair *p, struct merkle_path *a, struct merkle_path *b, const char *reason)
{
    exchange(a, b);
    refused(p, reason);
    exchange(a, b);
}

/* ---- PoRep ---- */

static void porep_siblings_flipped(const struct pair *p)
{
    struct porep_challenge *ch = &p->good.c1.proof[0][1];
    siblings_flipped(p, &ch->comm_d, "challenge 1: leaf and path of comm_d_proofs do not lead to the root");
    siblings_flipped(p, &ch->comm_r_last,
                     "challenge 1: leaf and path of comm_r_last_proof do not lead to the root");
    siblings_flipped(p, &ch->c_x.path, "challenge 1: leaf and path of c_x do not lead to the root");
    siblings_flipped(p, &ch->drg_parents[3].path,
                     "challenge 1: leaf and path of drg_parents[3] do not lead to the root");
    siblings_flipped(p, &ch->exp_parents[6].path,
                     "challenge 1: leaf and path of exp_parents[6] do not lead to the root");
}

static void porep_paths_swapped(const struct pair *p)
{
    struct porep_challenge *a = &p->good.c1.proof[0][0], *b = &p->good.c1.proof[0][1];
    swapped(p, &a->comm_d, &b->comm_d, "challenge 0: the path of comm_d_proofs is not that of node ");
    swapped(p, &a->comm_r_last, &b->comm_r_last,
            "challenge 0: the path of comm_r_last_proof is not that of node ");
    swapped(p, &a->c_x.path, &b->c_x.path, "challenge 0: the path of c_x is not that of node ");
    swapped(p, &a->drg_parents[0].path, &a->drg_parents[5].path,
            "challenge 0: the path of drg_parents[0] is not that of node ");
    swapped(p, &a->exp_parents[7].path, &b->exp_parents[7].path,
            "challenge 0: the path of exp_parents[7] is not that of node ");
    const struct porep_column column = a->c_x;
    a->c_x = b->c_x;
    refused(p, "challenge 0: c_x is the column of node ");
    a->c_x = column;
    const struct porep_challenge whole = *a;
    *a = *b;
    refused(p, "partition 0, challenge 0: the proof is of node ");
    *a = whole;
}

static void porep_of_another_sector(struct pair *p)
{
    struct porep_challenge **proof = p->good.c1.proof, *first = proof[0];
    p->good.c1.proof = p->other.c1.proof;
    refused(p, "comm_r is not the hash of comm_c and comm_r_last");
    p->good.c1.proof = proof;
    if (p->good.porep.params.partitions > 1) {
        proof[0] = proof[1];
        refused(p, "partition 0, challenge 0: the proof is of node ");
        proof[0] = first;
    }

    /* One tree's path alone, put in another's node's place. */
    struct porep_challenge *ch = &proof[0][1];
    const struct merkle_path path = ch->comm_r_last;
    ch->comm_r_last = p->other.c1.proof[0][1].comm_r_last;
    for (uint32_t i = 0; i < path.count; i++)
        ch->comm_r_last.steps[i].index = path.steps[i].index;
    refused(p, "challenge 1: the root of comm_r_last_proof is not comm_r_last, the same in all challenges");
    ch->comm_r_last = path;
}

static void mutated_porep_proofs_are_refused(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(POREP); i++) {
        struct pair p;
        pair_new(&p, *state, POREP[i]);
        porep_siblings_flipped(&p);
        porep_paths_swapped(&p);
        porep_of_another_sector(&p);
        pair_free(&p);
    }
}

/* ---- PoSt ---- */

static void post_of_another_sector(const struct pair *p)
{
    struct post_proof *proof = &p->good.post_proofs[0];
    const struct post_proof good = *proof;
    *proof = p->other.post_proofs[0];
    refused(p, ": the proof is of sector ");
    proof->sector_id = good.sector_id;
    refused(p, ": comm_r is not the statement's");
    memcpy(proof->comm_r, good.comm_r, sizeof good.comm_r);
    refused(p, ": comm_r is not the hash of comm_c and comm_r_last");
    proof->comm_c = good.comm_c;
    proof->comm_r_last = good.comm_r_last;
    refused(p, ": challenge 0: the path is not that of the challenged node ");
    *proof = good;
    proof->paths[2].root = p->other.post_proofs[0].paths[2].root;
    refused(p, ": challenge 2: the root is not comm_r_last");
    proof->paths[2].root = good.comm_r_last;
}

static void mutated_post_proofs_are_refused(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(POST); i++) {
        struct pair p;
        pair_new(&p, *state, POST[i]);
        struct merkle_path *paths = p.good.post_proofs[p.good.post.sector_count - 1].paths;
        const unsigned last = p.good.post.params.challenges - 1;
        char reason[96];
        snprintf(reason, sizeof reason, ": challenge %u: leaf and path do not lead to the root", last);
        siblings_flipped(&p, &paths[last], reason);
        swapped(&p, &paths[0], &paths[1], ": challenge 0: the path is not that of the challenged node ");
        post_of_another_sector(&p);
        pair_free(&p);
    }
}

/* ---- updates ---- */

static void snap_siblings_flipped(const struct pair *p)
{
    struct snap_challenge *ch = &p->good.snap_proofs[0].challenges[7];
    siblings_flipped(p, &ch->r_old, "challenge 7: proof_r_old: leaf and path do not lead to the root");
    siblings_flipped(p, &ch->r_new, "challenge 7: proof_r_new: leaf and path do not lead to the root");
    if (p->good.snap.params.variant == SNAP_POSEIDON) {
        siblings_flipped(p, &ch->d_new, "challenge 7: proof_d_new: leaf and path do not lead to the root");
        return;
    }
    /* Below the apex leaves, and above. */
    const uint32_t above = p->good.snap.params.drawn_bits - p->good.snap.params.apex_bits;
    struct merkle_path low = ch->d_new, high = ch->d_new;
    low.count = above;
    high.steps += above;
    high.count -= above;
    siblings_flipped(p, &low, "challenge 7: proof_d_new does not lead through its apex leaf");
    siblings_flipped(p, &high, "challenge 7: proof_d_new: leaf and path do not lead to the root");
}

static void snap_paths_swapped(const struct pair *p)
{
    struct snap_challenge *a = &p->good.snap_proofs[0].challenges[0], *b = a + 1;
    swapped(p, &a->r_old, &b->r_old, "challenge 0: proof_r_old is not that of the challenged node ");
    swapped(p, &a->d_new, &b->d_new, "challenge 0: proof_d_new is not that of the challenged node ");
    swapped(p, &a->r_new, &b->r_new, "challenge 0: proof_r_new is not that of the challenged node ");
    /* The old sector's path as the new one's. */
    const struct merkle_path path = b->r_new;
    b->r_new = b->r_old;
    refused(p, "challenge 1: proof_r_new: the root is not the first challenge's");
    b->r_new = path;
}

static void snap_of_another_sector(const struct pair *p)
{
    struct snap_proof *proof = &p->good.snap_proofs[0];
    const struct snap_proof good = *proof;
    *proof = p->other.snap_proofs[0];
    refused(p, "partition 0: comm_r_old is not the hash of comm_c and its root");
    *proof = good;
    if (p->good.snap.params.partitions > 1) {
        *proof = p->good.snap_proofs[1];
        refused(p, "partition 0, challenge 0: proof_r_old is not that of the challenged node ");
        *proof = good;
    }
    proof->challenges[1].d_new.root = p->other.snap_proofs[0].challenges[1].d_new.root;
    refused(p, "challenge 1: proof_d_new: the root is not comm_d_new");
    proof->challenges[1].d_new.root = good.challenges[0].d_new.root;
}

static void mutated_updates_are_refused(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(SNAP); i++) {
        struct pair p;
        pair_new(&p, *state, SNAP[i]);
        snap_siblings_flipped(&p);
        snap_paths_swapped(&p);
        snap_of_another_sector(&p);
        pair_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_porep_proofs_are_refused),
        cmocka_unit_test(mutated_post_proofs_are_refused),
        cmocka_unit_test(mutated_updates_are_refused),
    };
    return cmocka_run_group_tests(tests, gen_set_up, gen_tear_down);
}

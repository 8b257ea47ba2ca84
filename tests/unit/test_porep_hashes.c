/* tests/unit/test_porep_hashes.c - the hashing in C1 proofs: the reference's hold, each tampered one fails
 * the check that it must. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include "base/pool.h"
#include "circuits/porep.h"

static const char *const INPUTS[] = {
    "porep-2KiB-1", "porep-4KiB-1",    "porep-16KiB-1",    "porep-32KiB-1",
    "porep-8MiB-1", "porep-v1-2KiB-1", "porep-syn-2KiB-1", "porep-ni-2KiB-1",
};

static struct exec exec = {.variant = CPU_PORTABLE};
static struct poseidon_set *poseidon;

static int set_up(void **state)
{
    (void)state;
    return pool_new(&exec.pool, 2, NULL) == CUZK_OK && poseidon_set_new(&poseidon, NULL) == CUZK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    poseidon_set_free(poseidon);
    pool_free(exec.pool);
    return 0;
}

static void read_c1(struct porep_c1 *c1, const char *input)
{
    char name[64];
    size_t size;
    struct cuzk_error e;
    snprintf(name, sizeof name, "input/%s.c1.json", input);
    char *text = vector_read(name, &size);
    if (porep_c1_read(&exec, c1, (const uint8_t *)text, size, &e) != CUZK_OK)
        fail_msg("%s: %s", name, e.message);
    free(text);
}

static void every_vector_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct porep_c1 c1;
        struct cuzk_error e;
        read_c1(&c1, INPUTS[i]);
        const unsigned partitions = c1.statement.params.partitions;
        for (unsigned v = 0; v < CPU_VARIANTS; v++) {
            const struct exec x = {.pool = exec.pool, .variant = (enum cpu_variant)v};
            for (unsigned k = 0; k < partitions && cpu_supports(x.variant); k++)
                if (porep_c1_check_hashes(&x, poseidon, &c1, k, &e) != CUZK_OK)
                    fail_msg("%s: %s", INPUTS[i], e.message);
        }
        assert_int_equal(porep_c1_check_hashes(&exec, poseidon, &c1, partitions, &e), CUZK_ERR_ARGUMENT);
        porep_c1_free(&c1);
    }
}

/* By one thread, since some tampered proofs share parts. */
static void does_not_hold(const struct porep_c1 *c1, const char *message)
{
    struct exec x = exec;
    struct cuzk_error e;
    assert_int_equal(pool_new(&x.pool, 1, NULL), CUZK_OK);
    assert_int_equal(porep_c1_check_hashes(&x, poseidon, c1, 0, &e), CUZK_ERR_UNSATISFIED);
    assert_string_equal(e.message, message);
    pool_free(x.pool);
}

static void changed_fails(const struct porep_c1 *c1, fr *value, const char *message)
{
    const fr saved = *value;
    fr_add(value, value, &FR_ONE);
    does_not_hold(c1, message);
    *value = saved;
}

static void each_tampered_proof_fails_its_check(void **state)
{
    struct porep_c1 c1;
    struct cuzk_error e;
    (void)state;
    read_c1(&c1, "porep-32KiB-1"); /* paths of three parts */
    struct porep_challenge *ch = &c1.proof[0][1];
    changed_fails(&c1, &ch->comm_d.leaf,
                  "partition 0, challenge 1: leaf and path of comm_d_proofs do not lead to the root");
    changed_fails(&c1, &ch->comm_d.steps[9].siblings[0],
                  "partition 0, challenge 1: leaf and path of comm_d_proofs do not lead to the root");
    changed_fails(&c1, &ch->comm_r_last.steps[0].siblings[6],
                  "partition 0, challenge 1: leaf and path of comm_r_last_proof do not lead to the root");
    changed_fails(&c1, &ch->comm_r_last.root,
                  "partition 0, challenge 1: leaf and path of comm_r_last_proof do not lead to the root");
    changed_fails(&c1, &ch->c_x.rows[1],
                  "partition 0, challenge 1: the leaf of c_x is not the hash of its column");
    changed_fails(&c1, &ch->drg_parents[5].rows[0],
                  "partition 0, challenge 1: the leaf of drg_parents[5] is not the hash of its column");
    changed_fails(&c1, &ch->exp_parents[7].path.leaf,
                  "partition 0, challenge 1: the leaf of exp_parents[7] is not the hash of its column");
    changed_fails(&c1, &ch->exp_parents[0].path.steps[1].siblings[3],
                  "partition 0, challenge 1: leaf and path of exp_parents[0] do not lead to the root");
    changed_fails(&c1, &ch->labeling[0].parents[36],
                  "partition 0, challenge 1: labeling_proofs[0]: the label is not that of the column");
    changed_fails(&c1, &ch->labeling[1].parents[0],
                  "partition 0, challenge 1: labeling_proofs[1]: the label is not that of the column");
    changed_fails(&c1, &ch->encoding.parents[20],
                  "partition 0, challenge 1: the leaf of comm_r_last_proof is not the encoding of the data");
    c1.statement.replica_id[0] ^= 1;
    does_not_hold(&c1, "partition 0, challenge 0: labeling_proofs[0]: the label is not that of the column");
    c1.statement.replica_id[0] ^= 1;
    ch->labeling[1].node ^= 1;
    does_not_hold(&c1, "partition 0, challenge 1: labeling_proofs[1]: the label is not that of the column");
    ch->labeling[1].node ^= 1;

    /* Another proof's paths and columns; the first challenge that fails is named. */
    struct porep_challenge *first = &c1.proof[0][0];
    const struct merkle_path path = ch->comm_r_last;
    ch->comm_r_last = first->comm_r_last;
    does_not_hold(&c1,
                  "partition 0, challenge 1: the leaf of comm_r_last_proof is not the encoding of the data");
    first->comm_r_last = path;
    does_not_hold(&c1,
                  "partition 0, challenge 0: the leaf of comm_r_last_proof is not the encoding of the data");
    first->comm_r_last = ch->comm_r_last;
    ch->comm_r_last = path;
    assert_int_equal(porep_c1_check_hashes(&exec, poseidon, &c1, 0, &e), CUZK_OK);
    porep_c1_free(&c1);
}

static void work_can_be_cancelled(void **state)
{
    const volatile int cancel = 1;
    struct exec x = exec;
    struct porep_c1 c1;
    struct cuzk_error e;
    (void)state;
    read_c1(&c1, "porep-2KiB-1");
    x.cancel = &cancel;
    assert_int_equal(porep_c1_check_hashes(&x, poseidon, &c1, 0, &e), CUZK_ERR_CANCELLED);
    porep_c1_free(&c1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_holds),
        cmocka_unit_test(each_tampered_proof_fails_its_check),
        cmocka_unit_test(work_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* fuzz/fuzz_snap.c - update vanilla proofs from any bytes: refused with a place, or of the exact size, so
 * that they make a circuit; also with a failing allocation. The first byte chooses the circuit, the second
 * the allocation. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "circuits/snap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void params_of(struct snap_params *p, uint8_t choice)
{
    static const uint64_t numbers[] = {0, 99, 111, 127, 1};
    const enum snap_variant variant = choice & 0x80 ? SNAP_POSEIDON : SNAP_SHA256;
    if (snap_params_for_number(p, numbers[(choice & 0x7f) % ARRAY_LEN(numbers)], variant, NULL) != CUZK_OK)
        abort();
}

/* What is accepted can be looked at and checked; whether it holds is another matter. The statement is made
 * to fit as far as the first checks go. */
static void look(const struct exec *x, const struct poseidon_set *poseidon, const struct snap_params *p,
                 const struct snap_proof *proof)
{
    const struct poseidon *pair = &poseidon->kind[POSEIDON_2];
    struct snap_statement s = {.params = *p};
    struct cuzk_error e = {.status = CUZK_OK};
    fr preimage[2] = {proof->comm_c, proof->challenges[0].r_old.root}, digest;
    poseidon_hash(x->variant, pair, &digest, preimage);
    fr_write_le(s.comm_r_old, &digest);
    preimage[1] = proof->challenges[0].r_new.root;
    poseidon_hash(x->variant, pair, &digest, preimage);
    fr_write_le(s.comm_r_new, &digest);
    fr_write_le(s.comm_d_new, &proof->challenges[0].d_new.root);
    for (unsigned k = 0; k < p->partitions; k++) {
        const cuzk_status status = snap_check(x, poseidon, &s, k, proof, &e);
        if (status != CUZK_OK &&
            (status != CUZK_ERR_UNSATISFIED || strncmp(e.message, "partition ", 10) != 0))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct exec x = {.variant = CPU_PORTABLE};
    static struct poseidon_set *poseidon;
    struct snap_params p;
    struct snap_proof proof;
    struct arena arena = {0};
    struct cuzk_error e = {.status = CUZK_OK};
    if (!poseidon && (pool_new(&x.pool, 1, NULL) != CUZK_OK || poseidon_set_new(&poseidon, NULL) != CUZK_OK))
        abort();
    if (size < 2)
        return 0;
    params_of(&p, data[0]);
    mem_fail_after(data[1]);
    const cuzk_status status = snap_proof_read(&x, &proof, &arena, &p, data + 2, size - 2, &e);
    mem_fail_after(0);
    if (status == CUZK_OK) {
        if (size - 2 != snap_proof_size(&p))
            abort();
        look(&x, poseidon, &p, &proof);
    } else if (status != CUZK_ERR_MEMORY && (status != CUZK_ERR_INPUT || e.message[0] == 0)) {
        abort();
    }
    arena_free(&arena);
    return 0;
}

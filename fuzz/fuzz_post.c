/* fuzz/fuzz_post.c - PoSt vanilla proofs from any bytes: refused with a place, or of the exact size, so that
 * they make a circuit; also with a failing allocation. The first byte chooses the circuit, the second the
 * allocation. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "circuits/post.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void params_of(struct post_params *p, uint8_t choice)
{
    static const uint64_t numbers[] = {0, 5, 10, 99, 109, 111, 121, 127, 137, 1, 11};
    if (post_params_for_number(p, numbers[choice % ARRAY_LEN(numbers)], NULL) != CUZK_OK)
        abort();
}

/* What is accepted can be looked at and checked; whether it holds is another matter. */
static void look(const struct exec *x, const struct poseidon_set *poseidon, const struct post_params *p,
                 const struct post_proof *proof)
{
    struct post_sector sector = {.id = proof->sector_id};
    const struct post_statement s = {.params = *p, .sectors = &sector, .sector_count = 1};
    struct cuzk_error e = {.status = CUZK_OK};
    memcpy(sector.comm_r, proof->comm_r, sizeof sector.comm_r);
    const cuzk_status status = post_check(x, poseidon, &s, proof, &e);
    if (status != CUZK_OK && (status != CUZK_ERR_UNSATISFIED || strncmp(e.message, "sector ", 7) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct exec x = {.variant = CPU_PORTABLE};
    static struct poseidon_set *poseidon;
    struct post_params p;
    struct post_proof proof;
    struct arena arena = {0};
    struct cuzk_error e = {.status = CUZK_OK};
    if (!poseidon && (pool_new(&x.pool, 1, NULL) != CUZK_OK || poseidon_set_new(&poseidon, NULL) != CUZK_OK))
        abort();
    if (size < 2)
        return 0;
    params_of(&p, data[0]);
    mem_fail_after(data[1]);
    const cuzk_status status = post_proof_read(&x, &proof, &arena, &p, data + 2, size - 2, &e);
    mem_fail_after(0);
    if (status == CUZK_OK) {
        if (size - 2 != post_proof_size(&p))
            abort();
        look(&x, poseidon, &p, &proof);
    } else if (status != CUZK_ERR_MEMORY && (status != CUZK_ERR_INPUT || e.message[0] == 0)) {
        abort();
    }
    arena_free(&arena);
    return 0;
}

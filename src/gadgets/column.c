/* gadgets/column.c - the labels of one node on all layers, and their hash.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/column.h"

#include "gadgets/poseidon.h"

void column_alloc(struct cs *cs, struct num *rows, unsigned layers, const fr *values)
{
    for (unsigned i = 0; i < layers; i++) {
        cs_push(cs, "column_num_row_%u", i);
        rows[i] = num_alloc(cs, values ? &values[i] : NULL);
        cs_pop(cs);
    }
}

struct num column_hash(struct cs *cs, const struct poseidon_set *poseidon, const struct num *rows,
                       unsigned layers, const fr *digest)
{
    const struct poseidon *p = poseidon_of_arity(poseidon, layers);
    if (!p) {
        cs_fail(cs, CUZK_ERR_UNSUPPORTED, "no hash for columns of %u layers", layers);
        return (struct num){.v = VAR_ONE};
    }
    return poseidon_gadget_known(cs, p, rows, digest);
}

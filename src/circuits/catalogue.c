/* circuits/catalogue.c - the circuits of all kinds by name.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/catalogue.h"

#include <string.h>

#include "base/error.h"

typedef const char *name_fn(size_t i, uint64_t *sector_size);

static name_fn *const KINDS[] = {porep_circuit_name, post_circuit_name, snap_circuit_name};

const char *catalogue_name(size_t i, uint64_t *sector_size)
{
    for (size_t kind = 0; kind < ARRAY_LEN(KINDS); kind++) {
        uint64_t size;
        size_t count = 0;
        const char *name = KINDS[kind](i, sector_size);
        if (name)
            return name;
        while (KINDS[kind](count, &size))
            count++;
        i -= count;
    }
    return NULL;
}

cuzk_status catalogue_blank(struct any_circuit *out, const struct poseidon_set *poseidon, const char *name,
                            struct cuzk_error *e)
{
    if (porep_params_for_circuit(&out->params.porep, name, NULL) == CUZK_OK) {
        out->of.porep = (struct porep_circuit){.poseidon = poseidon, .params = &out->params.porep};
        out->circuit = porep_circuit_of(&out->of.porep);
    } else if (post_params_for_circuit(&out->params.post, name, NULL) == CUZK_OK) {
        out->of.post = (struct post_circuit){.poseidon = poseidon, .params = &out->params.post};
        out->circuit = post_circuit_of(&out->of.post);
    } else if (snap_params_for_circuit(&out->params.snap, name, NULL) == CUZK_OK) {
        out->of.snap = (struct snap_circuit){.poseidon = poseidon, .params = &out->params.snap};
        out->circuit = snap_circuit_of(&out->of.snap);
    } else {
        return error_set(e, CUZK_ERR_ARGUMENT,
                         "no circuit is named \"%.40s\"; there are porep-2k, 4k, 16k, 32k, 8m, 512m, 32g, "
                         "64g, and so winning-, window-, snap- and snap-poseidon-",
                         name);
    }
    return CUZK_OK;
}

bool catalogue_vanilla_fits(const char *name, size_t size)
{
    struct post_params post;
    struct snap_params snap;
    if (post_params_for_circuit(&post, name, NULL) == CUZK_OK)
        return post_proof_size(&post) == size;
    return snap_params_for_circuit(&snap, name, NULL) == CUZK_OK && snap_proof_size(&snap) == size;
}

cuzk_status catalogue_vanilla_read(const struct exec *x, const char *name, const uint8_t *bytes, size_t size,
                                   struct cuzk_error *e)
{
    struct arena arena = {.budget = x->budget};
    struct post_params post;
    struct snap_params snap;
    struct post_proof post_proof;
    struct snap_proof snap_proof;
    cuzk_status status;
    if (post_params_for_circuit(&post, name, NULL) == CUZK_OK)
        status = post_proof_read(x, &post_proof, &arena, &post, bytes, size, e);
    else if ((status = snap_params_for_circuit(&snap, name, e)) == CUZK_OK)
        status = snap_proof_read(x, &snap_proof, &arena, &snap, bytes, size, e);
    arena_free(&arena);
    return status;
}

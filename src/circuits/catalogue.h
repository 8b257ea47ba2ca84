/* circuits/catalogue.h - the circuits of all kinds by name.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_CATALOGUE_H
#define CIRCUITS_CATALOGUE_H

#include "circuits/porep.h"
#include "circuits/post.h"
#include "circuits/snap.h"

/* A circuit of any kind. Not to be moved: circuit points into it. */
struct any_circuit {
    struct circuit circuit;
    union {
        struct porep_params porep;
        struct post_params post;
        struct snap_params snap;
    } params; /* of a blank circuit */
    union {
        struct porep_circuit porep;
        struct post_circuit post;
        struct snap_circuit snap;
    } of;
};

/* The i-th circuit's name and sector size: "porep-2k" and so on, "winning-", "window-", "snap-",
 * "snap-poseidon-", smallest first in each; NULL from the end on. */
const char *catalogue_name(size_t i, uint64_t *sector_size);

/* The blank circuit of a name ("wpost-2k" is "window-2k" too). It borrows the hash.
 * CUZK_ERR_ARGUMENT: there is none of that name. */
cuzk_status catalogue_blank(struct any_circuit *out, const struct poseidon_set *poseidon, const char *name,
                            struct cuzk_error *e) MUST_USE;

/* Are these bytes in form a vanilla proof of the named circuit: a sector's of PoSt, a partition's of an
 * update? The length alone, which is exact, and the whole reading; PoRep's stand in a C1, whose length tells
 * nothing. */
bool catalogue_vanilla_fits(const char *name, size_t size);
cuzk_status catalogue_vanilla_read(const struct exec *x, const char *name, const uint8_t *bytes, size_t size,
                                   struct cuzk_error *e) MUST_USE;

#endif

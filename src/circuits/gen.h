/* circuits/gen.h - generating valid inputs of every kind: C1 files, vanilla proofs, request files.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_GEN_H
#define CIRCUITS_GEN_H

#include "base/exec.h"
#include "hash/poseidon.h"

struct gen_options {
    const char *kind; /* "porep", "porep-v1", "porep-syn", "porep-ni", "winning", "window", "window-v1",
                         "snap", "snap-poseidon" */
    const char
        *size; /* of the sectors: "2KiB", "4KiB", "16KiB", "32KiB", "8MiB", "512MiB", "32GiB", "64GiB" */
    uint64_t seed;
    uint64_t sectors; /* how many a window proof is of; 0: three. Other kinds: 0 or 1. */
};

#define GEN_MAX_SECTORS 100000

/* The i-th kind's name; NULL from the end on. */
const char *gen_kind_name(size_t i);

/* Write into dir (made if its parent is there) the files, with KIND-SIZE-SEED for NAME:
 *   porep...:             NAME.c1.json, NAME.meta.json
 *   winning, window...:   NAME.SECTOR.vanilla for each sector, NAME.meta.json
 *   snap...:              NAME.PARTITION.vanilla for each partition, NAME.meta.json
 * The meta file, a request file, comes last. The bytes follow from the options alone; files of these names
 * are replaced. Up to 512MiB sectors are sealed for real, in memory of less than three sector sizes; from
 * 32GiB on they are made sparse, in some MB, which synthetic and non-interactive PoRep do not allow: there
 * the challenges follow from a commitment to all of the sector (CUZK_ERR_UNSUPPORTED). On failure or when
 * cancelled nothing that this call wrote is left. CUZK_ERR_ARGUMENT: an unknown kind or size, a number of
 * sectors that the kind does not have. */
cuzk_status gen_run(const struct exec *x, const struct poseidon_set *poseidon, const struct gen_options *o,
                    const char *dir, struct cuzk_error *e) MUST_USE;

#endif

/* r1cs/digest.h - running SHA-256 digests of field elements and rows, with marks on the way.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_DIGEST_H
#define R1CS_DIGEST_H

#include "base/memory.h"
#include "field/fr.h"
#include "hash/sha256.h"
#include "r1cs/cs.h"

/* Digests kept on the way. Zero-initialise. */
struct marks {
    uint8_t (*digest)[32];
    uint64_t count, capacity;
};
void marks_free(struct marks *m);

/* A running digest. Bytes are gathered, so that many short pieces cost little. */
struct digest {
    struct sha256 sha;
    uint64_t every, items; /* a mark each time `every` items are complete; 0: none */
    struct marks marks;
    size_t used;
    uint8_t buffer[1 << 14];
};
void digest_init(struct digest *d, uint64_t every);
/* The item is complete. CUZK_ERR_MEMORY when there is no room for a mark. */
cuzk_status digest_item(struct digest *d) MUST_USE;
/* The final digest; the marks move into *marks unless that is NULL, else they are freed. */
void digest_final(struct digest *d, uint8_t out[32], struct marks *marks);

/* Canonical forms of the coefficients met lately: most are few distinct values. Zero-initialise. */
#define CANON_SLOTS 1024
struct canon {
    struct {
        fr mont, plain;
    } slot[CANON_SLOTS];
};

/* Append an element's canonical 32 bytes. */
void digest_element(struct digest *d, struct canon *canon, const fr *value);
/* Append a row's side: count, then index and coefficient of each term. */
void digest_row(struct digest *d, struct canon *canon, const struct row *row);

#endif

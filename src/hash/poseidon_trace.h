/* hash/poseidon_trace.h - a Poseidon digest with all values between, as the circuit's witness needs them.
 *
 * The values are those of the gadget's variables (gadgets/poseidon.c) in the order of their allocation:
 *   first round: for each element of the preimage y^2, y^4, y^5 + key, where y is the element plus its key
 *     (the domain tag's S-box has a constant value and no variables);
 *   then for each S-box of the full and partial rounds, in order: its input x, x^2, x^4, x^5 + key (in the
 *     last round no key);
 *   at the end the digest.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HASH_POSEIDON_TRACE_H
#define HASH_POSEIDON_TRACE_H

#include "hash/poseidon.h"

/* How many values a trace has. */
static inline size_t poseidon_trace_count(const struct poseidon *p)
{
    const size_t sboxes = (size_t)p->width * (p->full_rounds - 1) + p->partial_rounds;
    return 3 * (size_t)p->arity + 4 * sboxes + 1;
}

/* For each k below count: out[k * stride] and the poseidon_trace_count() - 1 places after it = the trace of
 * the arity elements at preimages + k * arity. stride: in elements, at least poseidon_trace_count(p). out and
 * preimages do not overlap. Canonical values in Montgomery form. From two on a hash costs less than a single
 * one, eight a fraction of it, on CPUs with AVX-512 IFMA. */
void poseidon_trace(enum cpu_variant variant, const struct poseidon *p, fr *out, size_t stride,
                    const fr *preimages, size_t count);

/* Traces that may be written later, eight of an instance side by side. Zero-initialise with the variant set.
 */
struct poseidon_queue {
    enum cpu_variant variant;
    struct poseidon_waiting {
        const struct poseidon *p; /* NULL: a free place */
        unsigned count;
        fr *out[POSEIDON_LANES];
        fr preimages[POSEIDON_LANES * POSEIDON_MAX_ARITY];
    } waiting[POSEIDON_KINDS];
};
/* The trace of the preimage, which is copied, will stand at out at the latest when poseidon_queue_finish
 * returns; with a variant that has no lanes, now. At most POSEIDON_KINDS different instances. */
void poseidon_queue_trace(struct poseidon_queue *q, const struct poseidon *p, fr *out, const fr *preimage);
void poseidon_queue_finish(struct poseidon_queue *q);

#endif

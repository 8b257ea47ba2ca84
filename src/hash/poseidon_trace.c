/* hash/poseidon_trace.c - the trace by the variant asked for; traces that wait for others.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "hash/poseidon_trace.h"

#include <string.h>

#include "hash/poseidon_permute.h"

static void trace_one(enum cpu_variant variant, const struct poseidon *p, fr *out, const fr *preimage)
{
#ifdef CUZK_HAVE_ADX
    if (cpu_scalar(variant) == CPU_ADX) {
        poseidon_trace_one_adx(p, out, preimage);
        return;
    }
#endif
    (void)variant;
    poseidon_trace_one_portable(p, out, preimage);
}

/* All that wait; lanes that are left do the first one again, to the same place. */
static void trace_waiting(enum cpu_variant variant, struct poseidon_waiting *w)
{
    const struct poseidon *p = w->p;
    const unsigned count = w->count;
    w->count = 0;
#ifdef CUZK_HAVE_IFMA
    if (variant == CPU_IFMA && count > 1) {
        for (unsigned k = count; k < POSEIDON_LANES; k++) {
            w->out[k] = w->out[0];
            memcpy(w->preimages + k * p->arity, w->preimages, p->arity * sizeof *w->preimages);
        }
        poseidon_trace_eight_ifma(p, w->out, w->preimages);
        return;
    }
#endif
    for (unsigned k = 0; k < count; k++)
        trace_one(variant, p, w->out[k], w->preimages + k * p->arity);
}

static void join(enum cpu_variant variant, struct poseidon_waiting *w, fr *out, const fr *preimage)
{
    memcpy(w->preimages + w->count * w->p->arity, preimage, w->p->arity * sizeof *preimage);
    w->out[w->count++] = out;
    if (w->count == POSEIDON_LANES)
        trace_waiting(variant, w);
}

void poseidon_trace(enum cpu_variant variant, const struct poseidon *p, fr *out, size_t stride,
                    const fr *preimages, size_t count)
{
    VERIFY(count < 2 || stride >= poseidon_trace_count(p));
    struct poseidon_waiting w;
    w.p = p;
    w.count = 0;
    if (count == 1)
        trace_one(variant, p, out, preimages);
    for (size_t k = 0; count > 1 && k < count; k++)
        join(variant, &w, out + k * stride, preimages + k * p->arity);
    if (count > 1)
        trace_waiting(variant, &w);
}

void poseidon_queue_trace(struct poseidon_queue *q, const struct poseidon *p, fr *out, const fr *preimage)
{
    if (q->variant != CPU_IFMA) {
        trace_one(q->variant, p, out, preimage);
        return;
    }
    struct poseidon_waiting *w = q->waiting;
    while (w->p && w->p != p)
        w++;
    VERIFY(w < q->waiting + POSEIDON_KINDS);
    w->p = p;
    join(q->variant, w, out, preimage);
}

void poseidon_queue_finish(struct poseidon_queue *q)
{
    for (unsigned i = 0; i < POSEIDON_KINDS && q->waiting[i].p; i++)
        trace_waiting(q->variant, &q->waiting[i]);
}

/* backend/cuda/ntt_plan.h - a transform on a GPU as a list of sweeps (ntt_pass.h), and the tables it needs.
 *
 * Sizes 2^10 to 2^28; conventions of ntt/ntt.h. Up to 2^10 elements take one sweep, 2^19 two, 2^28 three; an
 * extension has one less than twice as many, since its sweep in the middle goes down and up again.
 *
 * The tables of one size are one piece of memory (17 MiB for 2^27), made by the host and copied to the
 * device as it is; where it lies there is told when a list is made.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_NTT_PLAN_H
#define BACKEND_CUDA_NTT_PLAN_H

#include "backend/cuda/ntt_pass.h"
#include "base/memory.h"

#define CUDA_NTT_MIN_LOG    10
#define CUDA_NTT_MAX_LOG    28
#define CUDA_NTT_MAX_SWEEPS 5

struct cuda_ntt_tables {
    struct block block; /* what is to be copied */
    size_t bytes;
    unsigned log;
    unsigned passes, levels[3]; /* how the levels are cut, from the top */
    /* Where parts begin, in bytes; forward, inverse. */
    size_t roots[2], root_low[2], root_high[2], size_low, size_high, shift_low, shift_high, scale;
    uint32_t root_low_log, shift_low_log;
};
cuzk_status cuda_ntt_tables_new(struct cuda_ntt_tables *out, struct budget *budget, unsigned log,
                                struct cuzk_error *e) MUST_USE;
void cuda_ntt_tables_free(struct cuda_ntt_tables *t); /* a zeroed one is fine */

enum cuda_ntt_kernel {
    CUDA_NTT_COLUMNS_DOWN = 0,
    CUDA_NTT_COLUMNS_UP,
    CUDA_NTT_LAST_DOWN,
    CUDA_NTT_LAST_DOWN_UP,
    CUDA_NTT_TWIST,
    CUDA_NTT_KERNELS
};
const char *cuda_ntt_kernel_name(enum cuda_ntt_kernel kernel);

struct cuda_ntt_sweep {
    enum cuda_ntt_kernel kernel;
    uint32_t blocks, shared; /* of NTT_TILE_THREADS threads; bytes of shared memory */
    struct cuda_ntt_pass pass;
};

/* The sweeps of one transform, to be launched one after the other; returns how many. tables: the copied
 * piece. Arrays of 2^log elements below r. */

/* out = the values (coefficients) of a, in natural order; a, another array, is left with what is between. */
unsigned cuda_ntt_forward(struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS], const struct cuda_ntt_tables *t,
                          const void *tables, void *out, void *a);
unsigned cuda_ntt_inverse(struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS], const struct cuda_ntt_tables *t,
                          const void *tables, void *out, void *a);
/* The twists around the sweep in the middle of an extension, 2^log elements each, as the sweeps before and
 * after it multiply by them; NULL: it makes them itself, as two factors an element. Sizes of one sweep have
 * none. */
struct cuda_ntt_twists {
    const void *down, *up;
};
bool cuda_ntt_twisted(const struct cuda_ntt_tables *t);
/* The launch that fills one of them. */
void cuda_ntt_twist(struct cuda_ntt_sweep *sweep, const struct cuda_ntt_tables *t, const void *tables,
                    void *to, bool up);

/* In place, values on the domain to values on the coset; multiply not NULL: each times the one in its place
 * there. */
unsigned cuda_ntt_extend(struct cuda_ntt_sweep sweep[CUDA_NTT_MAX_SWEEPS], const struct cuda_ntt_tables *t,
                         const void *tables, const struct cuda_ntt_twists *twists, void *a,
                         const void *multiply);

#endif

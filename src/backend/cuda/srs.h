/* backend/cuda/srs.h - folded parameters (groth16/srs.h) for a device: points in its memory as far as there
 * is room, the rest brought in piece by piece each time.
 *
 * Sections that are summed together form a run, their points one after the other.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_SRS_H
#define BACKEND_CUDA_SRS_H

#include "backend/cuda/stage.h"
#include "base/exec.h"
#include "groth16/srs.h"

enum srs_run {                 /* what is wanted on the device first comes first */
               RUN_C_WIDE = 0, /* fold, l wide */
               RUN_A_WIDE,     /* a inputs, a wide */
               RUN_B_G1_WIDE,
               RUN_B_G2_WIDE,
               RUN_Q,
               RUN_C_BITS, /* l bits */
               RUN_A_BITS,
               RUN_B_G1_BITS,
               RUN_B_G2_BITS,
               SRS_RUNS
};
static inline unsigned srs_run_group(enum srs_run run)
{
    return run == RUN_B_G2_WIDE || run == RUN_B_G2_BITS ? 2 : 1;
}
const char *srs_run_name(enum srs_run run);

#define SRS_PIECES STAGE_PIECES /* buffers of those that are brought in */

/* One matrix's densities, A or B, for picking: on the device, by class. */
struct srs_density {
    uint64_t mask[SRS_CLASSES], rank[SRS_CLASSES]; /* u64 words; u32 a word: those named before it */
    uint32_t count[SRS_CLASSES];
};

struct gpu_srs {
    struct device *device;
    struct stage *stage;
    struct stream stream; /* that uses the points */
    const struct groth16_srs *source;
    uint64_t count[SRS_RUNS], resident[SRS_RUNS]; /* points; of them, the first ones that are on the device */
    uint64_t resident_bytes, all_bytes, piece_bytes;
    struct device_block points[SRS_RUNS];
    struct device_block density; /* of both matrices */
    struct srs_density of[2];    /* A, B */
    struct device_block piece[SRS_PIECES];
    unsigned next;
};

/* Copy to the device what fits in `room` bytes, pieces included. Reports progress and may be cancelled. */
cuzk_status gpu_srs_new(struct gpu_srs **out, const struct exec *x, struct device *d, struct stage *stage,
                        struct stream stream, const struct groth16_srs *source, uint64_t room,
                        struct cuzk_error *e) MUST_USE;
void gpu_srs_free(struct gpu_srs *s); /* NULL is fine */
/* What gpu_srs_new would want to keep all of it there. */
uint64_t gpu_srs_bytes(const struct groth16_srs *source);

/* The points of a run from place `first` on, as many as are there together: a multiple of 1024 unless they
 * are the last. What is queued in s->stream afterwards may use them until gpu_srs_done, which must be called
 * before the next piece is asked for. */
struct srs_piece {
    uint64_t points, count;
    unsigned buffer; /* SRS_PIECES: resident */
};
cuzk_status gpu_srs_piece(struct gpu_srs *s, enum srs_run run, uint64_t first, struct srs_piece *out,
                          struct cuzk_error *e) MUST_USE;
cuzk_status gpu_srs_done(struct gpu_srs *s, const struct srs_piece *piece, struct cuzk_error *e) MUST_USE;

static inline bool gpu_srs_resident(const struct gpu_srs *s, enum srs_run run)
{
    return s->resident[run] == s->count[run];
}

#endif

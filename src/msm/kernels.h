/* msm/kernels.h - the group operations of a sum, one table for each group and variant.
 *
 * Points are passed by void pointers: g1_affine, g1 or g2_affine, g2.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef MSM_KERNELS_H
#define MSM_KERNELS_H

#include "msm/msm.h"
#include "msm/plan.h"

/* Sorted entries (msm/sort.h) that one call of fill takes at most. */
#define KERNEL_PIECE 16384

/* Consecutive points that go into one sum. */
struct msm_run {
    uint32_t count;
    void *sum;
};

/* Entries [begin, end) of the sorted ones, for the buckets that start them. */
struct msm_piece {
    const void *images;
    const uint32_t *entries;
    const uint32_t *start; /* of each bucket, and the end of the last */
    uint32_t buckets;      /* how many */
    uint32_t begin, end;
};

struct msm_kernels {
    const char *phase; /* for exec_progress */
    unsigned images;
    size_t sum_bytes, image_bytes,
        point_bytes; /* of a sum as buckets are; of all images of a point; of a point */

    /* A thread's working memory: its size, a multiple of 64, and what makes it ready. Aligned to 64. */
    size_t (*work_bytes)(void);
    void (*work_init)(void *work);

    /* The images of points base + index[i], i < n: images of the first, then of the second... */
    void (*load)(void *out, const struct msm_points *points, size_t base, const uint32_t *index, size_t n);

    /* Add points base + index[i], i < n, to the plain sum that work keeps. */
    void (*select)(void *work, const struct msm_points *points, size_t base, const uint32_t *index, size_t n);
    /* Make it one point; nothing more is added then. */
    void (*select_finish)(void *work);
    /* out (a point) += that */
    void (*select_add)(void *out, const void *work);

    /* Add a piece's images to their buckets. The part that belongs to a bucket begun in an earlier piece
     * goes to *spill instead, and *spill_bucket says which it is (else spill is infinite). */
    void (*fill)(void *work, void *buckets, const struct msm_piece *piece, void *spill,
                 uint32_t *spill_bucket);
    /* Add points to the sums, all different, of n <= KERNEL_PIECE / 2 runs with at most KERNEL_PIECE points.
     */
    void (*reduce)(void *work, const void *points, const struct msm_run *runs, size_t n);

    /* Rows of a matrix of points: add row r to the first for all r; columns [from, to). rows: a power of 2.
     */
    void (*fold)(void *work, void *matrix, size_t rows, size_t columns, size_t from, size_t to);
    /* out (a point) = sum of (i + 1) points[i] (affine), i < n */
    void (*weigh)(void *out, const void *points, size_t n);
    /* out = 2^doublings out + 2^shift a + b (all points) */
    void (*horner)(void *out, unsigned doublings, const void *a, unsigned shift, const void *b);
};

extern const struct msm_kernels msm_g1_portable, msm_g2_portable;
#ifdef CUZK_HAVE_ADX
extern const struct msm_kernels msm_g1_adx, msm_g2_adx;
#endif
#ifdef CUZK_HAVE_IFMA
extern const struct msm_kernels msm_g1_ifma, msm_g2_ifma;
#endif

#endif

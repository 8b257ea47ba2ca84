/* backend/cuda/msm_args.h - the kernels' arguments, for both sides. Addresses are the device's.
 *
 * A sum is cut into windows of signed digits; the buckets of all windows are numbered through, those of
 * window w from first_bucket[w] on, the one of digit d (absolute value) being d - 1 places further. Windows
 * are worked on in groups: a group's elements (point, window) are sorted by bucket in two passes, by the high
 * bits of the bucket's number within the group (a bin) and by the low ones.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_MSM_ARGS_H
#define BACKEND_CUDA_MSM_ARGS_H

#include <stdint.h>

#define MSM_MAX_WINDOWS    64  /* of a scalar */
#define MSM_MAX_SEGMENTS   256 /* windows of all sums made at once */
#define MSM_MAX_BINS       4096
#define MSM_MAX_LOW        2048  /* buckets of a bin */
#define MSM_MAX_LENGTH     1024  /* points that a task adds */
#define MSM_BIN_ROOM       40960 /* elements of a bin that are placed within shared memory */
#define MSM_SCATTER_TILE   16384 /* elements that a block scatters */
#define MSM_PLACE_SHARED   (4 * (MSM_BIN_ROOM + MSM_MAX_LOW))
#define MSM_SCATTER_SHARED (8 * MSM_SCATTER_TILE + 8 * MSM_MAX_BINS)
#define MSM_ONES_TILE      1024 /* words of bits */
#define MSM_NEGATIVE       0x80000000u

struct msm_digits_args {
    uint64_t scalars; /* fr32, Montgomery */
    uint64_t digits;  /* out, u32[windows][count]: absolute value, MSM_NEGATIVE or not */
    uint32_t count, windows;
    uint32_t offset[MSM_MAX_WINDOWS], width[MSM_MAX_WINDOWS];
    uint32_t bias[8]; /* added to a scalar, so that digits are read without carries */
};

/* Patterns of bits as digits of one window: bit j of the digit of point i is bit i of array j. */
struct msm_patterns_args {
    uint64_t bits[16]; /* u32 words, lowest bit first */
    uint64_t digits;   /* out, u32[count] */
    uint32_t count, arrays;
};

/* Or, for a plain sum of the points whose bit is set: their indices in order, cut evenly into buckets; a bin
 * is MSM_ONES_TILE words of bits. */
struct msm_sort_args {
    uint64_t digits; /* u32[windows][count] of the group; or bits, u32 words, lowest first */
    uint32_t count, windows;
    uint32_t low_bits, bins;
    uint32_t buckets;                        /* of the group */
    uint32_t first_bucket[MSM_MAX_SEGMENTS]; /* within the group */
    uint64_t bin_start;                      /* u32[bins + 1] */
    uint64_t bin_next;                       /* u32[bins] */
    uint64_t binned;                         /* u32[2]: index and sign, bucket within the group; by bin */
    uint64_t bucket_start;                   /* u32[buckets + 1] */
    uint64_t order;                          /* out, u32: index and sign, by bucket */
};

struct msm_task {
    uint32_t start, length,
        target; /* in order; target: bucket, or with MSM_NEGATIVE a place in the overflow */
};

/* The points of a bucket beyond the first max_length, in pieces. */
struct msm_overflow {
    uint32_t bucket, first, pieces;
};

struct msm_counters {
    uint32_t tasks, overflows, pieces;
};

struct msm_tasks_args {
    uint64_t bucket_start; /* u32[buckets + 1] */
    uint32_t buckets, max_length;
    uint64_t length_next; /* u32[MSM_MAX_LENGTH + 1], zeroed: tasks of each length, then places */
    uint64_t longer;      /* u32[MSM_MAX_LENGTH + 1]: how many tasks are longer than so much */
    uint64_t tasks;       /* struct msm_task, longest first */
    uint64_t overflows;   /* struct msm_overflow */
    uint64_t owner;       /* u32, for each place in the overflow: of which of them */
    uint64_t counters;    /* struct msm_counters, zeroed */
};

struct msm_accumulate_args {
    uint64_t points; /* affine */
    uint64_t order, tasks, counters;
    uint64_t buckets;  /* xyzz, of the group: in and out */
    uint64_t overflow; /* xyzz, the pieces' sums */
};

/* The pieces of each bucket summed up, eight times as far apart each time: every 8 apart-th takes in the
 * seven that follow at that distance. Then the first one has the sum, which goes to the bucket. */
struct msm_join_args {
    uint64_t counters, overflows, owner;
    uint64_t overflow; /* xyzz */
    uint64_t buckets;  /* xyzz or affine */
    uint32_t apart, affine;
};

/* Additions of pairs of affine points, all with one inversion a thread.
 *
 * A level of a tree: level k has rows of points, one a task in the order of the tasks: row j has those of the
 * longer[j << k] tasks that reach so far. Rows 2 j and 2 j + 1 become row j of level k + 1; a task's last
 * point, if its row has no partner, passes as it is. Level 0 is read through `order`.
 *
 * Plain pairs: pair p is of places step p in `in` and step p + step - 1 in `other`. It goes to place p of
 * `out`, from `half` on to p + half; below, if step is 2, its second point also goes to p + half: see struct
 * msm_halve_args.
 *
 * Points lie by 16 bytes of each coordinate apart, as many places apart as the buffer has, or, where the
 * stride is 1 and the unit the pieces of a point, one after another. */
struct msm_tree_args {
    uint64_t points, order, tasks, longer, counters;
    uint64_t in, other, out;
    uint64_t in_stride, out_stride;
    uint32_t in_unit, out_unit;
    uint64_t before; /* F[before_stride]: products of the differences before each, by 16 bytes */
    uint64_t before_stride;
    uint64_t totals; /* F[threads]: a thread's product, then its inverse */
    uint32_t level, max_length, threads;
    uint32_t pairs, step, half; /* of plain pairs */
    uint64_t buckets, overflow; /* affine and xyzz, one after another: where the roots of tasks go */
};

/* A level of the folding. From the sums S of a window's buckets by index i and, for each bit j below the
 * level, partial sums of those whose index has that bit, it makes half as many of each: S[2 i] + S[2 i + 1],
 * the sums of neighbours, and S[2 i + 1] as the partial sums of the level's own bit. All windows lie one
 * after another: pairs of neighbours stay within one as long as it has two. The arrays: S, then the bits from
 * the highest down. */
struct msm_halve_args {
    uint64_t in, out;   /* in: xyzz, or affine as above if in_unit is not 0; out: xyzz */
    uint64_t in_stride; /* of affine points */
    uint32_t in_unit, pairs, half;
};

/* out[i] = left[i % count] + right[i / count], affine. */
struct points_table_args {
    uint64_t left, right, out;
    uint64_t out_count;
    uint32_t count;
};

#endif

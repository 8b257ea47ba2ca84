/* cuzk-bench/kernels.h - sums and transforms, measured on the CPU or a GPU.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_BENCH_KERNELS_H
#define TOOLS_CUZK_BENCH_KERNELS_H

#include "base/exec.h"
#include "base/memory.h"
#include "base/pool.h"
#include "curve/group.h"
#include "cuzk-bench/bench.h"

#define RESULTS_MAX 128

struct kernel_result {
    char name[48];
    uint64_t n;
    unsigned threads;
    struct stats seconds;
};

/* A run of the commands msm and ntt. */
struct kernels {
    const struct options *o;
    struct exec x;
    unsigned min_log, max_log, rounds;
    struct kernel_result result[RESULTS_MAX];
    size_t results;
    char device[96]; /* "cpu", or the GPU's name */
    uint64_t device_peak;
    struct watch *watch;
    struct cuzk_error e;
};

/* Run once, then rounds times; keep the times. */
cuzk_status kernels_measure(struct kernels *k, const char *name, uint64_t n, cuzk_status (*run)(void *ctx),
                            void *ctx);

/* Scalars: uniform, or like a witness's (of a hundred one is uniform, the others are 0 or 1). */
void kernels_scalars(fr *out, size_t n, bool witness, uint64_t seed);

/* Is sum, a g1 or g2, the generator times log? CUZK_ERR_INVALID if not. */
cuzk_status kernels_check(const struct kernels *k, unsigned group, const void *sum, const fr *log,
                          struct cuzk_error *e);

bool kernels_group_wanted(const struct kernels *k, unsigned group);
bool kernels_scalars_wanted(const struct kernels *k, const char *name);

/* kernels_gpu.c */
cuzk_status kernels_gpu_msm(struct kernels *k);
cuzk_status kernels_gpu_ntt(struct kernels *k);

#endif

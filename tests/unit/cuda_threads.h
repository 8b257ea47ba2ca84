/* tests/unit/cuda_threads.h - a GPU's threads on the host: what kernels' source uses of CUDA, defined for a
 * plain C++ compiler. To be included before any kernel's source.
 *
 * Each thread of a block has a stack of its own and runs until it waits for others; blocks run one after
 * another. What is checked that a GPU would not tell:
 * - a barrier that not all threads of the block or warp reach, or that they reach at different places: the
 *   program ends with a message;
 * - arrays of a block are new memory for each block, filled with a pattern, so that what was not written
 * shows and an address sanitizer sees what lies outside;
 * - asynchronous copies arrive when they are waited for and not before;
 * - under ThreadSanitizer, threads are told of as such: two that use the same place without a barrier or an
 *   atomic operation between them, one of them writing, are a race.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_CUDA_THREADS_H
#define TESTS_CUDA_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CUDA_THREADS

#define __global__
#define __device__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)

struct cuda_place {
    uint32_t x, y, z;
};

/* Of the thread that runs. */
struct cuda_thread {
    cuda_place thread, block, block_size, grid_size;
};

const cuda_thread &cuda_this_thread();

#define threadIdx (cuda_this_thread().thread)
#define blockIdx  (cuda_this_thread().block)
#define blockDim  (cuda_this_thread().block_size)
#define gridDim   (cuda_this_thread().grid_size)

/* Run a kernel; the arguments are read by each thread. Calls take turns. */
void cuda_run(void (*kernel)(const void *arguments), const void *arguments, const uint32_t grid[3],
              uint32_t block_size, size_t shared);

/* -- waiting; place: where, to tell one barrier from another -- */

void cuda_block_barrier(const char *place);
void cuda_warp_barrier(const char *place);
/* What `lane` of the warp gave, for each of its threads; orders no memory. */
uint32_t cuda_exchange(uint32_t mask, uint32_t value, uint32_t lane, const char *place);

#define CUDA_TEXT(x)                   #x
#define CUDA_LINE(x)                   CUDA_TEXT(x)
#define CUDA_HERE                      __FILE__ ":" CUDA_LINE(__LINE__)
#define __syncthreads()                cuda_block_barrier(CUDA_HERE)
#define __syncwarp()                   cuda_warp_barrier(CUDA_HERE)
#define __shfl_sync(mask, value, lane) cuda_exchange(mask, value, lane, CUDA_HERE)
#define __shfl_up_sync(mask, value, step)                                                                    \
    cuda_exchange(mask, value, threadIdx.x % 32 < (step) ? threadIdx.x % 32 : threadIdx.x % 32 - (step),     \
                  CUDA_HERE)
#define __reduce_max_sync(mask, value) cuda_reduce_max(mask, value, CUDA_HERE)

static inline uint32_t cuda_reduce_max(uint32_t mask, uint32_t value, const char *place)
{
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t other = cuda_exchange(mask, value, lane, place);
        most = other > most ? other : most;
    }
    return most;
}

/* -- memory (backend/cuda/shared.cuh) -- */

/* The block's array that stands at this place in the source; what the launch asked for. */
void *cuda_block_array(const char *place, size_t size);
void *cuda_block_room();

#define BLOCK_ARRAY(type, name, count)                                                                       \
    type *name = static_cast<type *>(cuda_block_array(CUDA_HERE, sizeof(type) * (count)))
#define BLOCK_ROOM(type, name) type *name = static_cast<type *>(cuda_block_room())

void cuda_copy_now(void *to, const void *from); /* the sources' own, so that sanitizers see it */
void cuda_copy_send(void *to, const void *from);
void cuda_copy_group();
void cuda_copy_wait(uint32_t groups, bool all);

template <bool near> static inline void copy_send(void *to, const void *from)
{
    cuda_copy_send(to, from);
}

static inline void copy_group()
{
    cuda_copy_group();
}

template <int groups> static inline void copy_wait()
{
    cuda_copy_wait(groups, false);
}

static inline void copy_wait_all()
{
    cuda_copy_wait(0, true);
}

/* -- words -- */

struct alignas(8) uint2 {
    uint32_t x, y;
};

struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};

static inline uint2 make_uint2(uint32_t x, uint32_t y)
{
    return {x, y};
}

template <class T> static inline T __ldcs(const T *from)
{
    return *from;
}

template <class T> static inline void __stcs(T *to, const T &value)
{
    *to = value;
}

static inline uint32_t atomicAdd(uint32_t *to, uint32_t value)
{
    return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

static inline uint32_t atomicOr(uint32_t *to, uint32_t value)
{
    return __atomic_fetch_or(to, value, __ATOMIC_RELAXED);
}

static inline uint32_t __popc(uint32_t x)
{
    return (uint32_t)__builtin_popcount(x);
}

static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

static inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> by % 32);
}

static inline uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

#endif

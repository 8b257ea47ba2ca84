/* backend/cuda/shared.cuh - memory that a block's threads share, and copies into it. For kernels; and for a host
 * that runs a block's threads (tests/unit/cuda_threads.h), which defines the same.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef BACKEND_CUDA_SHARED_CUH
#define BACKEND_CUDA_SHARED_CUH

#include "backend/cuda/field.cuh"

#ifdef __CUDACC__

/* An array of the block's; what the launch asked for. */
#define BLOCK_ARRAY(type, name, count) __shared__ type name[count]
#define BLOCK_ROOM(type, name)         extern __shared__ type name[]

/* Begin to copy 16 bytes into a block's memory, as one of a group. near: through the near cache. */
template <bool near> FIELD_FN void copy_send(void *to, const void *from)
{
    const uint32_t place = (uint32_t)__cvta_generic_to_shared(to);
    if (near)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
}

/* The group is complete, it may be empty. */
FIELD_FN void copy_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Wait for the thread's copies but for those of the last `groups` groups. */
template <int groups> FIELD_FN void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

/* Wait for all of them, in a group or not. */
FIELD_FN void copy_wait_all()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#endif

#endif

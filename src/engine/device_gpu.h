/* engine/device_gpu.h - a GPU as a device of the engine, over backend/prover.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef ENGINE_DEVICE_GPU_H
#define ENGINE_DEVICE_GPU_H

#include "backend/backend.h"
#include "engine/device.h"

/* device must outlive it and is its own meanwhile. threads: that copy to it, 0: up to 8. It proves from
 * folded parameters; others it leaves to the CPU. */
cuzk_status engine_device_gpu_new(struct engine_device **out, struct device *device, unsigned threads,
                                  struct cuzk_error *e) MUST_USE;

#endif

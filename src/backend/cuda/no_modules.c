/* backend/cuda/no_modules.c - the table of a build without nvcc: no kernels.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/cuda/device.h"

const struct cuda_module CUDA_MODULES[] = {{NULL, NULL, NULL}};

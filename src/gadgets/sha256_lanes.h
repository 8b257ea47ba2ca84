/* gadgets/sha256_lanes.h - eight compressions at a time, for sha256_witness_many.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GADGETS_SHA256_LANES_H
#define GADGETS_SHA256_LANES_H

#include "gadgets/sha256_witness.h"

#define SHA256_LANES 8

/* Only where CPU_IFMA is supported. */
void sha256_witness_lanes(const struct sha256_plan *plan, struct sha256_job jobs[SHA256_LANES]);

#endif

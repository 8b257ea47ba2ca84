/* circuits/revision.h - which circuits this program has: what is recorded of them (r1cs/template_file.h) is
 * of no use to a program whose circuits, gadgets or builder differ in any source line.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_REVISION_H
#define CIRCUITS_REVISION_H

#include <stdint.h>

/* SHA-256 over the sources of the rooms hash, r1cs, gadgets and circuits (revision.py). */
extern const uint8_t circuits_revision[32];

#endif

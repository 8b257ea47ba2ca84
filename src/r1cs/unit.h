/* r1cs/unit.h - units: calls of a gadget whose variables and rows follow from its kind and the shape of its
 * operands alone. A sink may know them from before; then the gadget's body is not run.
 *
 * A gadget that is a unit describes itself and calls unit_enter. False: it runs its body and calls unit_leave
 * with its results. True: its variables and rows are made; it takes its results from unit->first_aux and
 * unit->result and, where values are wanted, writes its variables' values to unit->bits and unit->wide.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_UNIT_H
#define R1CS_UNIT_H

#include "base/cpu.h"
#include "r1cs/cs.h"

struct poseidon_queue;

enum unit_kind {
    UNIT_NONE = 0, /* what lies between units */
    UNIT_SHA256,   /* a compression */
    UNIT_POSEIDON, /* a hash */
};

/* For a gadget whose unit the sink knows otherwise than it is: the recorded circuit is another one. */
void unit_differs(struct cs *cs);

#define UNIT_MAX_OPERANDS 768

/* The variables that a unit refers to, each once, numbered from 0 in the order of their first mention. */
struct unit_operands {
    var v[UNIT_MAX_OPERANDS];
    uint32_t count;
    uint16_t slot[2048]; /* hashed: number + 1; 0: free */
};
void unit_operands_init(struct unit_operands *o);
/* The number of v, which is not VAR_ONE. At most UNIT_MAX_OPERANDS different ones. */
uint32_t unit_operand(struct unit_operands *o, var v);

struct unit {
    /* From the gadget. Shape: everything else that the variables and rows depend on, and the number of each
     * operand where it is used. Both are borrowed until the unit is left. */
    enum unit_kind kind;
    const void *shape;
    size_t shape_bytes;
    const struct unit_operands *operands;

    /* From the sink, if the unit is skipped. */
    uint32_t first_aux;     /* the unit's first own variable */
    const uint32_t *result; /* results, as numbers of own variables, from 0 */
    uint32_t results;
    uint32_t bit_count, wide_count; /* how many of its variables are bits, how many are not */
    uint64_t *bits; /* NULL unless values are wanted: the unit's boolean variables in their order from bit
                       bit_at on, lowest bit of a word first; they are zero so far */
    size_t bit_at;
    fr *wide;                      /* its other variables in their order */
    enum cpu_variant variant;      /* to compute them with */
    struct poseidon_queue *traces; /* takes those of a Poseidon hash that may be written later */
    void **plan; /* room for one mem_alloc block of the gadget's, the same at each unit of one shape, first
                    NULL; the sink frees it */

    /* From unit_leave. */
    const var *result_var;
};

/* Does the sink make the unit? If the cs has failed: false, and the body does nothing. */
bool unit_enter(struct cs *cs, struct unit *unit) MUST_USE;
/* The body has been run; its results are variables of the unit's own. */
void unit_leave(struct cs *cs, struct unit *unit, const var *result, uint32_t results);

#endif

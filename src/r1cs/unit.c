/* r1cs/unit.c - entering and leaving units, their operands.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "r1cs/unit.h"

#include <string.h>

#include "base/error.h"

void unit_operands_init(struct unit_operands *o)
{
    o->count = 0;
    memset(o->slot, 0, sizeof o->slot);
}

uint32_t unit_operand(struct unit_operands *o, var v)
{
    /* Multiplicative hashing (D. E. Knuth, The Art of Computer Programming 3, 6.4), linear probing. */
    uint32_t at = v * UINT32_C(2654435769) >> 21;
    while (o->slot[at] != 0) {
        if (o->v[o->slot[at] - 1] == v)
            return o->slot[at] - 1u;
        at = (at + 1) % ARRAY_LEN(o->slot);
    }
    VERIFY(o->count < UNIT_MAX_OPERANDS);
    o->v[o->count] = v;
    o->slot[at] = (uint16_t)++o->count;
    return o->count - 1;
}

bool unit_enter(struct cs *cs, struct unit *unit)
{
    if (cs->status != CUZK_OK || cs->in_unit || !cs->sink->unit_enter)
        return false;
    bool skip = false;
    const cuzk_status status = cs->sink->unit_enter(cs->self, cs, unit, &skip);
    if (status != CUZK_OK) {
        cs_fail(cs, status, "the constraint sink failed at a unit");
        return false;
    }
    cs->in_unit = !skip;
    unit->result_var = NULL;
    return skip;
}

void unit_leave(struct cs *cs, struct unit *unit, const var *result, uint32_t results)
{
    if (cs->status != CUZK_OK || !cs->sink->unit_leave || !cs->in_unit)
        return;
    cs->in_unit = false;
    unit->result_var = result;
    unit->results = results;
    const cuzk_status status = cs->sink->unit_leave(cs->self, cs, unit);
    if (status != CUZK_OK)
        cs_fail(cs, status, "the constraint sink failed at a unit's end");
}

void unit_differs(struct cs *cs)
{
    cs_fail(cs, CUZK_ERR_MISMATCH, "the templates are of another circuit: a unit differs");
}

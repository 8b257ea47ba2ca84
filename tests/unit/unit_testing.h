/* tests/unit/unit_testing.h - a sink that takes a circuit's witness as bits and wide values, with the units'
 * bodies run, or, once it has seen them run, with units skipped.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef UNIT_TESTING_H
#define UNIT_TESTING_H

#include "base/memory.h"
#include "hash/poseidon_trace.h"
#include "r1cs/unit.h"

#define UNIT_TESTING_UNITS 64
#define UNIT_TESTING_BITS  (1u << 20)
#define UNIT_TESTING_WIDE  (1u << 14)

struct seen_unit {
    uint8_t shape[2048];
    size_t shape_bytes;
    enum unit_kind kind;
    uint32_t first_aux, aux, bits, result[256], results;
    uint64_t rows;
    void *plan; /* of the first unit of a shape */
};

struct unit_sink {
    bool skip;
    enum cpu_variant variant;
    struct poseidon_queue *traces; /* may be NULL */
    struct seen_unit unit[UNIT_TESTING_UNITS];
    unsigned units; /* entered */
    uint32_t bits, wide;
    uint64_t *bit;
    fr *value;
};

static inline cuzk_status unit_sink_bit(void *self, const struct cs *cs, uint32_t index, bool value)
{
    struct unit_sink *s = self;
    (void)cs;
    (void)index;
    assert_true(s->bits < UNIT_TESTING_BITS);
    s->bit[s->bits / 64] |= (uint64_t)value << s->bits % 64;
    s->bits++;
    return CUZK_OK;
}

static inline cuzk_status unit_sink_wide(void *self, const struct cs *cs, uint32_t index, const fr *value)
{
    struct unit_sink *s = self;
    (void)index;
    assert_true(s->wide < UNIT_TESTING_WIDE);
    if (cs->values)
        s->value[s->wide] = *value;
    s->wide++;
    return CUZK_OK;
}

static inline cuzk_status unit_sink_enter(void *self, struct cs *cs, struct unit *unit, bool *skip)
{
    struct unit_sink *s = self;
    assert_true(s->units < UNIT_TESTING_UNITS);
    struct seen_unit *seen = &s->unit[s->units++];
    if (!s->skip) {
        assert_true(unit->shape_bytes <= sizeof seen->shape);
        memcpy(seen->shape, unit->shape, unit->shape_bytes);
        seen->shape_bytes = unit->shape_bytes;
        seen->kind = unit->kind;
        seen->first_aux = cs->aux;
        seen->bits = s->bits;
        seen->rows = cs->rows;
        return CUZK_OK;
    }
    assert_int_equal(seen->kind, unit->kind);
    assert_int_equal(seen->shape_bytes, unit->shape_bytes);
    assert_memory_equal(seen->shape, unit->shape, unit->shape_bytes);
    assert_int_equal(seen->first_aux, cs->aux);
    struct seen_unit *first = s->unit;
    while (first->kind != seen->kind || first->shape_bytes != seen->shape_bytes ||
           memcmp(first->shape, seen->shape, seen->shape_bytes) != 0)
        first++;
    /* Variables as the first of the shape, result by result: that is what a unit promises. */
    assert_int_equal(first->aux, seen->aux);
    assert_int_equal(first->bits, seen->bits);
    assert_int_equal(first->rows, seen->rows);
    unit->first_aux = cs->aux;
    unit->result = first->result;
    unit->results = first->results;
    unit->bit_count = first->bits;
    unit->wide_count = first->aux - first->bits;
    unit->variant = s->variant;
    unit->traces = s->traces;
    unit->plan = &first->plan;
    if (cs->values) {
        unit->bits = s->bit;
        unit->bit_at = s->bits;
        unit->wide = s->value + s->wide;
    }
    cs->aux += first->aux;
    cs->rows += first->rows;
    s->bits += first->bits;
    s->wide += first->aux - first->bits;
    *skip = true;
    return CUZK_OK;
}

static inline cuzk_status unit_sink_leave(void *self, struct cs *cs, struct unit *unit)
{
    struct unit_sink *s = self;
    struct seen_unit *seen = &s->unit[s->units - 1];
    seen->aux = cs->aux - seen->first_aux;
    seen->bits = s->bits - seen->bits;
    seen->rows = cs->rows - seen->rows;
    seen->results = unit->results;
    assert_true(unit->results <= ARRAY_LEN(seen->result));
    for (unsigned i = 0; i < unit->results; i++) {
        assert_true(unit->result_var[i] & VAR_AUX && VAR_INDEX(unit->result_var[i]) >= seen->first_aux);
        seen->result[i] = VAR_INDEX(unit->result_var[i]) - seen->first_aux;
    }
    return CUZK_OK;
}

static const struct cs_sink UNIT_SINK_BLANK = {.alloc = unit_sink_wide,
                                               .alloc_bit = unit_sink_bit,
                                               .unit_enter = unit_sink_enter,
                                               .unit_leave = unit_sink_leave};
static const struct cs_sink UNIT_SINK_VALUES = {.alloc = unit_sink_wide,
                                                .alloc_bit = unit_sink_bit,
                                                .unit_enter = unit_sink_enter,
                                                .unit_leave = unit_sink_leave,
                                                .wants_values = true};

static inline void unit_sink_init(struct unit_sink *s)
{
    memset(s, 0, sizeof *s);
    s->bit = mem_alloc(UNIT_TESTING_BITS / 64 + 1, sizeof *s->bit);
    s->value = mem_alloc(UNIT_TESTING_WIDE, sizeof *s->value);
    assert_true(s->bit && s->value);
}

/* Empty again, but for what it has seen: from now on units are skipped. */
static inline void unit_sink_skip(struct unit_sink *s, enum cpu_variant variant)
{
    s->skip = true;
    s->variant = variant;
    s->units = 0;
    s->bits = s->wide = 0;
    memset(s->bit, 0, (UNIT_TESTING_BITS / 64 + 1) * sizeof *s->bit);
    memset(s->value, 0, UNIT_TESTING_WIDE * sizeof *s->value);
}

static inline void unit_sink_free(struct unit_sink *s)
{
    for (unsigned i = 0; i < UNIT_TESTING_UNITS; i++)
        mem_free(s->unit[i].plan);
    mem_free(s->bit);
    mem_free(s->value);
}

/* The circuit gives the same variables, rows and values with its units run and with them skipped, whatever
 * the variant, whether they were seen in a real circuit or a blank one, with traces written at once or later.
 * Returns the number of units. */
static inline unsigned unit_check(const struct circuit *c)
{
    struct unit_sink run, skipped;
    struct cs_counts counts, again;
    unit_sink_init(&run);
    assert_int_equal(circuit_run(c, &UNIT_SINK_VALUES, &run, NULL, &counts, NULL), CUZK_OK);
    unit_sink_init(&skipped);
    assert_int_equal(circuit_run(c, &UNIT_SINK_BLANK, &skipped, NULL, &again, NULL), CUZK_OK);
    const unsigned units = skipped.units;
    assert_int_equal(units, run.units);
    struct poseidon_queue *queue = mem_alloc(1, sizeof *queue);
    assert_non_null(queue);
    for (unsigned v = 0; v < 2 * CPU_VARIANTS; v++) {
        const enum cpu_variant variant = (enum cpu_variant)(v / 2);
        if (!cpu_supports(variant))
            continue;
        *queue = (struct poseidon_queue){.variant = variant};
        skipped.traces = v % 2 ? queue : NULL;
        unit_sink_skip(&skipped, variant);
        assert_int_equal(circuit_run(c, &UNIT_SINK_VALUES, &skipped, NULL, &again, NULL), CUZK_OK);
        poseidon_queue_finish(queue);
        assert_int_equal(skipped.units, units);
        assert_int_equal(counts.aux, again.aux);
        assert_int_equal(counts.rows, again.rows);
        assert_int_equal(run.bits, skipped.bits);
        assert_int_equal(run.wide, skipped.wide);
        assert_memory_equal(run.bit, skipped.bit, (run.bits + 63) / 64 * 8);
        assert_memory_equal(run.value, skipped.value, run.wide * sizeof(fr));
    }
    mem_free(queue);
    unit_sink_skip(&skipped, CPU_PORTABLE);
    assert_int_equal(circuit_run(c, &UNIT_SINK_BLANK, &skipped, NULL, &again, NULL), CUZK_OK);
    assert_int_equal(counts.aux, again.aux);
    assert_int_equal(counts.rows, again.rows);
    unit_sink_free(&run);
    unit_sink_free(&skipped);
    return units;
}

#endif

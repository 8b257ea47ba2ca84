/* r1cs/cs.h - the constraint builder: what a circuit is written against.
 *
 * A circuit allocates variables and enforces rows <A,w> * <B,w> = <C,w> in the reference's exact order.
 * What becomes of them is the sink's affair: count and hash, keep the witness and evaluate rows,
 * accumulate the QAP at a point, record, print by name. Single-threaded.
 *
 * Failures are sticky: once a sink fails or memory runs out, cs->status is set, every later call does
 * nothing (cs_alloc returns VAR_ONE), and the circuit's caller sees the status at the end. So gadgets
 * return nothing and check nothing, except that long loops end when the cs has failed.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_CS_H
#define R1CS_CS_H

#include "base/error.h"
#include "field/fr.h"

/* A variable: an input's index, or an auxiliary one's with bit 31 set (the form of the R1CS digest). */
typedef uint32_t var;
#define VAR_AUX      UINT32_C(0x80000000)
#define VAR_ONE      UINT32_C(0) /* input 0, the constant one */
#define VAR_INDEX(v) ((v) & ~VAR_AUX)

struct lc_term {
    var v;
    fr coeff; /* Montgomery form */
};

/* A linear combination: terms in any order, a variable may stand more than once. Zero-initialise, free
 * with lc_free; lc_clear keeps the memory. */
struct lc {
    struct lc_term *term;
    uint32_t count, capacity;
};

/* A normalised row side: terms sorted (inputs, then auxiliary, by index), merged, no zero coefficient. */
struct row {
    const struct lc_term *term;
    uint32_t count;
    uint32_t zeros; /* how many variables were left out because their merged coefficient is zero */
};

struct cs;
struct exec;
struct unit;

/* What takes the circuit. self is the sink's own state. Indices count from 0 for each kind; input 0 is
 * the constant one, allocated by cs_init. value is NULL unless wants_values. A call that the sink does
 * not need may be NULL; without enforce, combinations are not even put together. A call that fails makes
 * the cs fail with its status. cs is for the counts and cs_path; the rows live until the call returns. */
struct cs_sink {
    cuzk_status (*alloc_input)(void *self, const struct cs *cs, uint32_t index, const fr *value);
    cuzk_status (*alloc)(void *self, const struct cs *cs, uint32_t index, const fr *value);
    /* An auxiliary variable that can only be 0 or 1; NULL: it goes to alloc. value: false on a blank
     * circuit. */
    cuzk_status (*alloc_bit)(void *self, const struct cs *cs, uint32_t index, bool value);
    cuzk_status (*enforce)(void *self, const struct cs *cs, uint64_t index, const struct row *a,
                           const struct row *b, const struct row *c);
    /* Units (unit.h); both or neither. *skip: the unit's body need not be run. */
    cuzk_status (*unit_enter)(void *self, struct cs *cs, struct unit *unit, bool *skip);
    cuzk_status (*unit_leave)(void *self, struct cs *cs, struct unit *unit);
    cuzk_status (*part)(void *self, const struct cs *cs); /* see struct circuit */
    bool wants_values; /* a real instance: gadgets compute values; else a blank circuit */
    bool wants_names;  /* namespaces and names are kept, for cs_path() */
};

struct cs {
    const struct cs_sink *sink;
    void *self;
    const volatile int *cancel; /* exec's; looked at now and then */
    cuzk_status status;         /* sticky */
    struct cuzk_error error;    /* its detail */
    uint32_t inputs, aux;       /* allocated so far */
    uint64_t rows;              /* enforced so far */
    struct lc a, b, c;          /* where gadgets build a row; empty between rows */
    struct lc scratch[3];       /* normalised rows are made here */
    struct cs_sort {            /* for normalising: keys, their sorted copy, where ascending runs begin */
        uint64_t *key, *other;
        uint32_t *run;
        uint32_t capacity;
    } sort;
    struct cs_names *names; /* NULL unless the sink wants them */
    bool values;            /* = sink->wants_values */
    bool rows_wanted;       /* sink->enforce is there */
    bool in_unit;           /* units do not nest: one within another is part of it */
    fr pow2[FR_BITS];       /* 2^k */
    fr minus_one;
};

/* Allocates the constant one. cancel may be NULL. */
void cs_init(struct cs *cs, const struct cs_sink *sink, void *self, const volatile int *cancel);
void cs_free(struct cs *cs);

/* Fail the circuit from within a gadget or sink (the first failure stays). */
void cs_fail(struct cs *cs, cuzk_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* The name of the next alloc or enforce, and namespaces, as the reference names them. Format arguments
 * are evaluated only when names are wanted. */
#define cs_name(cs, ...)                                                                                     \
    do {                                                                                                     \
        if ((cs)->names)                                                                                     \
            cs_set_name((cs), __VA_ARGS__);                                                                  \
    } while (0)
#define cs_push(cs, ...)                                                                                     \
    do {                                                                                                     \
        if ((cs)->names)                                                                                     \
            cs_push_namespace((cs), __VA_ARGS__);                                                            \
    } while (0)
#define cs_pop(cs)                                                                                           \
    do {                                                                                                     \
        if ((cs)->names)                                                                                     \
            cs_pop_namespace((cs));                                                                          \
    } while (0)
void cs_set_name(struct cs *cs, const char *format, ...) PRINTF_LIKE(2, 3);
void cs_push_namespace(struct cs *cs, const char *format, ...) PRINTF_LIKE(2, 3);
void cs_pop_namespace(struct cs *cs);
/* For sinks, inside alloc or enforce: "space/space/name", "/name" outside of all namespaces. Valid until
 * the next call; "" when names are not kept. */
const char *cs_path(const struct cs *cs);

/* value: ignored (may be NULL) on a blank circuit. */
var cs_alloc(struct cs *cs, const fr *value);
var cs_alloc_bit(struct cs *cs, bool value); /* one that the circuit's rows hold to 0 or 1 */
var cs_alloc_input(struct cs *cs, const fr *value);

/* Row a * b = c. The lcs stay the caller's. */
void cs_enforce(struct cs *cs, const struct lc *a, const struct lc *b, const struct lc *c);

/* Row cs->a * cs->b = cs->c, which the caller has filled; they are empty again afterwards. */
void cs_enforce_built(struct cs *cs);

/* The rows input_i * 0 = 0 that Groth16 adds for each input at the very end. */
void cs_finish_inputs(struct cs *cs);

/* Building combinations; memory failures make the cs fail. */
void lc_add(struct cs *cs, struct lc *lc, var v, const fr *coeff);
void lc_add_one(struct cs *cs, struct lc *lc, var v);                                  /* + v */
void lc_sub_one(struct cs *cs, struct lc *lc, var v);                                  /* - v */
void lc_add_lc(struct cs *cs, struct lc *lc, const struct lc *other, const fr *scale); /* + scale * other */
void lc_clear(struct lc *lc);
void lc_free(struct lc *lc);

/* A circuit as Groth16 sees it: something that can be synthesised any number of times. */
struct circuit {
    const void *self;
    /* Failures go into cs->status. */
    void (*synthesize)(const void *self, struct cs *cs);

    /* For a circuit that is a row of parts which need nothing of each other but values that each can find for
     * itself (parts 0: any other). synthesize calls cs_part where each begins. Part k alone, for sinks that
     * take values and units but no rows: what it uses of other parts' variables has the right values, and
     * numbers that mean nothing. */
    uint32_t parts;
    void (*part)(const void *self, struct cs *cs, uint32_t k);

    /* May be NULL. To be called, or not, before a run for values: makes at once what makes units' values
     * known before (poseidon_gadget_known), on all threads of x. */
    cuzk_status (*prepare)(const void *self, const struct exec *x, struct cuzk_error *e);
};
/* The next part begins here. */
void cs_part(struct cs *cs);

/* Run it into a sink: cs_init, synthesize, cs_finish_inputs; the counts in *done if not NULL. */
struct cs_counts {
    uint64_t rows_own; /* without the rows of cs_finish_inputs */
    uint64_t rows;
    uint32_t inputs, aux;
};
cuzk_status circuit_run(const struct circuit *c, const struct cs_sink *sink, void *self,
                        const volatile int *cancel, struct cs_counts *done, struct cuzk_error *e) MUST_USE;

#endif

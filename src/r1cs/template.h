/* r1cs/template.h - a circuit as a list of instances of a few templates.
 *
 * A template is a stretch of a circuit: variables and rows that follow each other, with everything it refers
 * to outside of itself left open. It is recorded once: a unit's (unit.h) by kind and shape, what lies between
 * units by its contents. The circuit is then a list of instances: which template, where its variables and
 * rows begin, and what its open references are bound to. A PoRep partition of 32GiB has 130 M rows in some
 * thousands of instances.
 *
 * Within a template things have local numbers: 0 is the constant one; then come the bound references, bits
 * first, wide ones, public inputs; then the template's own auxiliary variables in their order. Public inputs
 * are bound even where they are allocated. Numbers of bits and of wide values are as in assignment.h.
 *
 * All parts are flat arrays of fixed-size elements, the same in memory as in a file (template_file.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef R1CS_TEMPLATE_H
#define R1CS_TEMPLATE_H

#include "base/exec.h"
#include "base/file.h"
#include "base/memory.h"
#include "r1cs/assignment.h"
#include "r1cs/cs.h"

/* A term of a row: local number in the low bits, code of the coefficient above. Codes: 2 k is 2^k, 2 k + 1 is
 * -2^k for k < FR_BITS; a higher one stands in the template's list of coefficients. */
#define TEMPLATE_LOCAL_BITS 18
#define TEMPLATE_MAX_LOCALS (UINT32_C(1) << TEMPLATE_LOCAL_BITS)
#define TEMPLATE_MAX_CODES  (UINT32_C(1) << (32 - TEMPLATE_LOCAL_BITS))
#define TEMPLATE_POWERS     (2u * FR_BITS)
#define TEMPLATE_MAX_BITS   65535u /* bits, bound and own: their positions are 16-bit numbers in an op */

static inline uint32_t template_term(uint32_t local, uint32_t code)
{
    return local | code << TEMPLATE_LOCAL_BITS;
}
static inline uint32_t template_term_local(uint32_t term)
{
    return term & (TEMPLATE_MAX_LOCALS - 1);
}
static inline uint32_t template_term_code(uint32_t term)
{
    return term >> TEMPLATE_LOCAL_BITS;
}

struct template
{
    uint32_t kind;            /* enum unit_kind */
    uint32_t aux, bits, rows; /* its own variables, of them bits; its rows */
    uint32_t bound_bits, bound_wide, bound_inputs;
    uint32_t results, coeffs, terms, program_words;
    uint32_t reserved; /* zero */
    uint64_t shape;    /* hash of a unit's kind and shape; of the rest's contents */
    /* Where its parts begin in their arrays. */
    uint64_t term, side, class_word, result, coeff, op, program;
};

struct template_instance {
    uint32_t template;
    uint32_t first_aux, first_bit, first_wide, first_row;
    uint32_t binding; /* its first one */
};

/* Where a part (struct circuit) begins. */
struct template_part {
    uint32_t instance, input; /* its first instance; the first input that it allocates */
};

/* How the value of a row's side comes about (template_ops.c). */
enum template_op_kind {
    TEMPLATE_OP_TABLE = 0, /* three bits choose one of eight elements */
    TEMPLATE_OP_WIDE,      /* a wide value as it is */
    TEMPLATE_OP_PROGRAM,   /* a sum: template_program */
};

/* The arrays: one row of this table each (template_file.c). */
enum template_section {
    TEMPLATE_TEMPLATES = 0, /* struct template */
    TEMPLATE_INSTANCES,     /* struct template_instance */
    TEMPLATE_BINDINGS,      /* u32: an instance's bound bits' numbers, then wide ones', then inputs' */
    TEMPLATE_TERMS, /* u32: template_term, by row A, B, C; each side's in the order of local numbers */
    TEMPLATE_SIDES, /* u32: a template's 3 rows + 1 ends: side k has its terms from side[k] to side[k + 1] */
    TEMPLATE_CLASSES, /* u64: a bit an own variable: is it a bit? */
    TEMPLATE_RESULTS, /* u32: own variables, from 0 */
    TEMPLATE_COEFFS,  /* u32: a template's coefficients' places in the elements; code TEMPLATE_POWERS first */
    TEMPLATE_ELEMENTS, /* fr */
    TEMPLATE_OPS,      /* u64: a template's rows' A, then their B, then their C */
    TEMPLATE_PROGRAMS, /* u32 */
    TEMPLATE_TABLES,   /* fr[8] */
    TEMPLATE_PARTS,    /* struct template_part: the circuit's parts, if it has any */
    TEMPLATE_SECTIONS
};

struct templates {
    struct cs_counts counts;
    uint32_t bits, wide; /* of the auxiliary variables */
    size_t count[TEMPLATE_SECTIONS];
    const struct template *template;
    const struct template_instance *instance;
    const uint32_t *binding, *term, *side;
    const uint64_t *class_word;
    const uint32_t *result, *coeff;
    const fr *element;
    const uint64_t *op;
    const uint32_t *program;
    const fr (*table)[8];
    const struct template_part *part;
    struct block block[TEMPLATE_SECTIONS]; /* where made here */
    struct file_map map;                   /* where mapped */
};

/* Record a circuit, by running it blank. */
cuzk_status templates_record(const struct exec *x, struct templates *out, const struct circuit *circuit,
                             struct cuzk_error *e) MUST_USE;
void templates_free(struct templates *t); /* a zeroed one is fine */

/* How many bytes the arrays take. */
uint64_t templates_bytes(const struct templates *t);

/* The rows again, one by one and exactly as the circuit enforces them, the inputs' rows at the end
 * included. The error of a call that fails comes back. */
typedef cuzk_status templates_row(void *self, uint64_t index, const struct row *a, const struct row *b,
                                  const struct row *c, struct cuzk_error *e);
cuzk_status templates_expand(const struct exec *x, const struct templates *t, templates_row *row, void *self,
                             struct cuzk_error *e) MUST_USE;

/* Which auxiliary variables are bits, a bit each, in whole words (as struct classes has them) and one more.
 */
cuzk_status templates_class_bits(const struct exec *x, const struct templates *t, struct block *out,
                                 struct cuzk_error *e) MUST_USE;

/* The variable that is bit, or wide value, of this number. */
var templates_variable(const struct templates *t, bool bit, uint32_t number);

static inline uint32_t template_bound(const struct template *t)
{
    return t->bound_bits + t->bound_wide + t->bound_inputs;
}

static inline uint32_t template_wide(const struct template *t)
{
    return t->aux - t->bits;
}

/* What the k-th local number behind the constant one is bound to, k below template_bound: bits come first,
 * then wide values, then inputs. */
enum template_bound_to { TEMPLATE_TO_BIT, TEMPLATE_TO_WIDE, TEMPLATE_TO_INPUT };
static inline enum template_bound_to template_bound_to(const struct template *t, uint32_t k)
{
    return k < t->bound_bits                   ? TEMPLATE_TO_BIT
           : k < t->bound_bits + t->bound_wide ? TEMPLATE_TO_WIDE
                                               : TEMPLATE_TO_INPUT;
}

static inline bool template_own_is_bit(const struct templates *t, const struct template *one, uint32_t own)
{
    return t->class_word[one->class_word + own / 64] >> own % 64 & 1;
}

#endif

/* tests/unit/test_groth16.c - setup, proof and verification against bellperson's on a small circuit.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16_testing.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "curve/encoding.h"

static struct cuzk_error error;

static void hex_bytes(uint8_t *out, size_t n, const char *hex)
{
    assert_int_equal(strlen(hex), 2 * n);
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
}

/* One entry of groth16-tiny.json */
struct vector {
    unsigned n;
    uint64_t seed;
    size_t params_bytes;
    char params_sha256[65], vk_sha256[65];
    fr public[CHAIN_PUBLIC];
    uint8_t proof[GROTH16_PROOF_BYTES];
};

static bool next_vector(char **at, struct vector *v)
{
    const char *object = flat_json_next(at);
    if (!object)
        return false;
    char hex[2 * GROTH16_PROOF_BYTES + 1];
    v->n = (unsigned)flat_json_number(object, "n");
    v->seed = flat_json_number(object, "seed");
    v->params_bytes = flat_json_number(object, "params_bytes");
    flat_json_string(v->params_sha256, sizeof v->params_sha256, object, "params_sha256");
    flat_json_string(v->vk_sha256, sizeof v->vk_sha256, object, "vk_sha256");
    assert_int_equal(flat_json_elements(v->public, CHAIN_PUBLIC, object, "public"), CHAIN_PUBLIC);
    flat_json_string(hex, sizeof hex, object, "proof");
    hex_bytes(v->proof, sizeof v->proof, hex);
    return true;
}

/* Make PREFIX "c" in the folder for this circuit, with the trapdoor of the seed. */
static cuzk_status setup(const struct fixture *f, const struct exec *x, const struct chain *c, uint64_t seed)
{
    struct groth16_trapdoor t;
    groth16_trapdoor_from_seed(&t, seed);
    const struct circuit circuit = chain_circuit(c);
    return groth16_setup(x, &circuit, &t, in_folder(f, "c"), &error);
}

static struct groth16_params *open_params(const struct fixture *f)
{
    struct groth16_params *p;
    assert_ok(groth16_params_open(&f->x, &p, in_folder(f, "c.params"), 0, &error));
    return p;
}

static cuzk_status prove(const struct exec *x, const struct chain *c, const struct groth16_params *p,
                         uint64_t seed, const fr *public, struct groth16_proof *out)
{
    struct groth16_rs rs;
    groth16_rs_from_seed(&rs, seed);
    const struct circuit circuit = chain_circuit(c);
    return groth16_prove(x, &circuit, p, &rs, public, CHAIN_PUBLIC, out, &error);
}

static void check_vector(const struct fixture *f, const struct exec *x, const struct vector *v)
{
    const struct chain c = chain_from_seed(v->n, v->seed);
    fr public[CHAIN_PUBLIC];
    chain_public(&c, public);
    assert_memory_equal(public, v->public, sizeof public);
    assert_ok(setup(f, x, &c, v->seed));
    uint8_t *bytes;
    size_t size;
    char hex[65];
    read_whole(in_folder(f, "c.params"), &bytes, &size);
    sha256_hex(hex, bytes, size);
    mem_free(bytes);
    assert_int_equal(size, v->params_bytes);
    assert_string_equal(hex, v->params_sha256);
    read_whole(in_folder(f, "c.vk"), &bytes, &size);
    sha256_hex(hex, bytes, size);
    mem_free(bytes);
    assert_string_equal(hex, v->vk_sha256);
    struct groth16_params *p = open_params(f);
    struct groth16_proof proof;
    uint8_t written[GROTH16_PROOF_BYTES];
    assert_ok(prove(x, &c, p, v->seed, public, &proof));
    groth16_proof_write(written, &proof);
    assert_memory_equal(written, v->proof, sizeof written);
    groth16_params_free(p);
}

static void equals_bellperson(void **state)
{
    struct fixture *f = *state;
    char *text = flat_json_load("groth16-tiny.json"), *at = text;
    struct vector v;
    unsigned count = 0;
    for (; next_vector(&at, &v); count++)
        for (int variant = 0; variant < CPU_VARIANTS; variant++) {
            struct exec x = f->x;
            x.variant = (enum cpu_variant)variant;
            if (cpu_supports(x.variant))
                check_vector(f, &x, &v);
        }
    assert_int_equal(count, 4);
    free(text);
}

static void any_number_of_threads_gives_the_same(void **state)
{
    struct fixture *f = *state;
    char *text = flat_json_load("groth16-tiny.json"), *at = text;
    struct vector v;
    assert_true(next_vector(&at, &v) && next_vector(&at, &v));
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        struct exec x = f->x;
        assert_int_equal(pool_new(&x.pool, threads, NULL), CUZK_OK);
        check_vector(f, &x, &v);
        pool_free(x.pool);
    }
    free(text);
}

static void random_values_give_a_proof_that_holds(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(9, 1);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_trapdoor t;
    struct groth16_rs rs, again;
    assert_ok(groth16_trapdoor_random(&t, &error));
    assert_ok(groth16_setup(&f->x, &circuit, &t, in_folder(f, "c"), &error));
    struct groth16_params *p = open_params(f);
    struct groth16_proof proof, read;
    fr public[CHAIN_PUBLIC];
    chain_public(&c, public);
    assert_ok(groth16_rs_random(&rs, &error));
    assert_ok(groth16_rs_random(&again, &error));
    assert_memory_not_equal(&rs, &again, sizeof rs);
    assert_ok(groth16_prove(&f->x, &circuit, p, &rs, NULL, 0, &proof, &error));
    uint8_t bytes[GROTH16_PROOF_BYTES];
    groth16_proof_write(bytes, &proof);
    assert_ok(groth16_proof_read(&read, bytes, &error));
    assert_memory_equal(&read, &proof, sizeof proof);
    struct groth16_vk vk;
    bool valid = false;
    assert_ok(groth16_vk_open(&f->x, &vk, in_folder(f, "c.vk"), &error));
    assert_ok(groth16_verify(&f->x, &vk, &read, public, CHAIN_PUBLIC, &valid, &error));
    assert_true(valid);
    groth16_vk_free(&vk);
    groth16_params_free(p);
}

/* -- what must not verify -- */

struct sample {
    struct groth16_params *params;
    struct groth16_proof proof;
    fr public[CHAIN_PUBLIC];
};

static void make_sample(const struct fixture *f, struct sample *s)
{
    const struct chain c = chain_from_seed(5, 8);
    assert_ok(setup(f, &f->x, &c, 8));
    s->params = open_params(f);
    chain_public(&c, s->public);
    assert_ok(prove(&f->x, &c, s->params, 8, s->public, &s->proof));
}

static bool holds(const struct fixture *f, const struct groth16_vk *vk, const struct groth16_proof *proof,
                  const fr *public)
{
    bool valid = true;
    assert_ok(groth16_verify(&f->x, vk, proof, public, vk->ic_count - 1, &valid, &error));
    return valid;
}

static void a_flipped_bit_in_the_proof_is_rejected(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    const struct groth16_vk *vk = groth16_params_vk(s.params);
    assert_true(holds(f, vk, &s.proof, s.public));
    for (unsigned bit = 0; bit < 8 * GROTH16_PROOF_BYTES; bit += 7) {
        uint8_t bytes[GROTH16_PROOF_BYTES];
        struct groth16_proof proof;
        groth16_proof_write(bytes, &s.proof);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (groth16_proof_read(&proof, bytes, &error) == CUZK_OK)
            assert_false(holds(f, vk, &proof, s.public));
        else
            assert_non_null(strstr(error.message, "the proof's point"));
    }
    for (unsigned point = 0; point < 3; point++) { /* the sign of y: still a point of the group */
        static const unsigned first[3] = {0, 48, 144};
        uint8_t bytes[GROTH16_PROOF_BYTES];
        struct groth16_proof proof;
        groth16_proof_write(bytes, &s.proof);
        bytes[first[point]] ^= 0x20;
        assert_ok(groth16_proof_read(&proof, bytes, &error));
        assert_false(holds(f, vk, &proof, s.public));
    }
    groth16_params_free(s.params);
}

static void a_flipped_bit_in_an_input_is_rejected(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    for (unsigned bit = 0; bit < CHAIN_PUBLIC * 255; bit += 31) {
        fr public[CHAIN_PUBLIC], plain;
        memcpy(public, s.public, sizeof public);
        fr_from_mont(&plain, &public[bit / 255]);
        plain.l[bit % 255 / 64] ^= UINT64_C(1) << bit % 255 % 64;
        if (!fr_is_canonical(&plain))
            continue;
        fr_to_mont(&public[bit / 255], &plain);
        assert_false(holds(f, groth16_params_vk(s.params), &s.proof, public));
    }
    groth16_params_free(s.params);
}

static void a_flipped_bit_in_the_key_is_rejected(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    const struct groth16_vk *vk = groth16_params_vk(s.params);
    const size_t size = groth16_vk_size(vk);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t bit = 0; bit < 8 * size; bit += 61) {
        groth16_vk_write(bytes, vk);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        struct groth16_vk changed;
        size_t used;
        if (groth16_vk_read(&changed, bytes, size, &used, &error) != CUZK_OK)
            continue;
        fail_msg("bit %zu of the key can be flipped", bit); /* no point has a neighbour one bit away */
    }
    free(bytes);
    groth16_params_free(s.params);
}

static void a_point_of_the_key_replaced_by_another_is_rejected(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    const struct groth16_vk *vk = groth16_params_vk(s.params);
    g1_affine ic[CHAIN_PUBLIC + 1];
    for (unsigned i = 0; i < 4 + CHAIN_PUBLIC; i++) {
        struct groth16_vk changed = *vk;
        memcpy(ic, vk->ic, sizeof ic);
        changed.ic = ic;
        if (i == 0)
            changed.alpha_g1 = G1_GENERATOR;
        else if (i == 1)
            changed.beta_g2 = G2_GENERATOR;
        else if (i == 2)
            changed.gamma_g2 = vk->delta_g2;
        else if (i == 3)
            changed.delta_g2 = vk->gamma_g2;
        else
            ic[i - 3] = ic[0];
        assert_false(holds(f, &changed, &s.proof, s.public));
    }
    groth16_params_free(s.params);
}

static void points_at_infinity_are_no_proof(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    static const unsigned first[3] = {0, 48, 144}, size[3] = {48, 96, 48};
    for (unsigned point = 0; point < 3; point++) {
        uint8_t bytes[GROTH16_PROOF_BYTES];
        struct groth16_proof proof;
        groth16_proof_write(bytes, &s.proof);
        memset(bytes + first[point], 0, size[point]);
        bytes[first[point]] = 0xc0;
        assert_int_equal(groth16_proof_read(&proof, bytes, &error), CUZK_ERR_INPUT);
        assert_non_null(strstr(error.message, "infinity"));
    }
    groth16_params_free(s.params);
}

/* The sample's key with pairs of opposite points more, which cancel out where their inputs are equal. */
static void many_public_inputs_are_summed_as_few_are(void **state)
{
    g1_affine ic[CHAIN_PUBLIC + 81];
    fr inputs[CHAIN_PUBLIC + 80];
    struct sample s;
    g1 p;
    make_sample(*state, &s);
    struct groth16_vk vk = *groth16_params_vk(s.params);
    memcpy(ic, vk.ic, (CHAIN_PUBLIC + 1) * sizeof ic[0]);
    memcpy(inputs, s.public, sizeof s.public);
    g1_from_affine(&p, &vk.ic[1]);
    for (unsigned i = CHAIN_PUBLIC; i < ARRAY_LEN(inputs); i++) {
        g1_to_affine(&ic[i + 1], &p);
        g1_neg(&p, &p);
        fr_from_u64(&inputs[i], (i - CHAIN_PUBLIC) / 2 * 12345);
    }
    vk.ic = ic;
    for (uint32_t count = ARRAY_LEN(inputs); count > CHAIN_PUBLIC; count -= 4) {
        vk.ic_count = count + 1;
        assert_true(holds(*state, &vk, &s.proof, inputs));
        fr_add(&inputs[count - 1], &inputs[count - 1], &FR_ONE);
        assert_false(holds(*state, &vk, &s.proof, inputs));
    }
    groth16_params_free(s.params);
}

static void a_wrong_count_of_inputs_is_an_argument_error(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    const struct groth16_vk *vk = groth16_params_vk(s.params);
    bool valid;
    const fr *inputs = s.public;
    assert_int_equal(groth16_verify(&f->x, vk, &s.proof, s.public, 2, &valid, &error), CUZK_ERR_ARGUMENT);
    assert_int_equal(groth16_verify_many(&f->x, vk, &s.proof, &inputs, 4, 1, &valid, &error),
                     CUZK_ERR_ARGUMENT);
    assert_int_equal(groth16_verify_many(&f->x, vk, &s.proof, &inputs, 3, 0, &valid, &error),
                     CUZK_ERR_ARGUMENT);
    const struct chain c = chain_from_seed(5, 8);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_rs rs;
    struct groth16_proof proof;
    groth16_rs_from_seed(&rs, 1);
    assert_int_equal(groth16_prove(&f->x, &circuit, s.params, &rs, s.public, 2, &proof, &error),
                     CUZK_ERR_ARGUMENT);
    groth16_params_free(s.params);
}

/* -- many at once -- */

#define MANY 9

static void many_proofs_hold_only_if_each_does(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    const struct groth16_vk *vk = groth16_params_vk(s.params);
    struct groth16_proof proof[MANY];
    fr public[MANY][CHAIN_PUBLIC];
    const fr *inputs[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        struct chain c = chain_from_seed(5, 100 + i);
        c.bits = i * 3;
        chain_public(&c, public[i]);
        inputs[i] = public[i];
        assert_ok(prove(&f->x, &c, s.params, i, public[i], &proof[i]));
    }
    bool valid;
    for (size_t n = 1; n <= MANY; n++) {
        valid = false;
        assert_ok(groth16_verify_many(&f->x, vk, proof, inputs, CHAIN_PUBLIC, n, &valid, &error));
        assert_true(valid);
    }
    for (unsigned i = 0; i < MANY; i += 4) {
        const struct groth16_proof kept = proof[i];
        proof[i].c = proof[(i + 1) % MANY].c;
        assert_ok(groth16_verify_many(&f->x, vk, proof, inputs, CHAIN_PUBLIC, MANY, &valid, &error));
        assert_false(valid);
        proof[i] = kept;
        fr_add(&public[i][1], &public[i][1], &FR_ONE);
        assert_ok(groth16_verify_many(&f->x, vk, proof, inputs, CHAIN_PUBLIC, MANY, &valid, &error));
        assert_false(valid);
        fr_sub(&public[i][1], &public[i][1], &FR_ONE);
    }
    /* two faults that would cancel with equal weights */
    fr_add(&public[0][1], &public[0][1], &FR_ONE);
    fr_sub(&public[1][1], &public[1][1], &FR_ONE);
    assert_ok(groth16_verify_many(&f->x, vk, proof, inputs, CHAIN_PUBLIC, MANY, &valid, &error));
    assert_false(valid);
    groth16_params_free(s.params);
}

/* -- the prover's refusals -- */

static void a_row_that_does_not_hold_is_named(void **state)
{
    struct fixture *f = *state;
    struct chain c = chain_from_seed(5, 8);
    assert_ok(setup(f, &f->x, &c, 8));
    struct groth16_params *p = open_params(f);
    struct groth16_proof proof;
    c.break_square = true;
    fr public[CHAIN_PUBLIC];
    chain_public(&c, public);
    assert_int_equal(prove(&f->x, &c, p, 1, public, &proof), CUZK_ERR_UNSATISFIED);
    assert_non_null(strstr(error.message, "row 12 (last/square)"));
    groth16_params_free(p);
}

static void other_public_inputs_than_the_circuits_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    assert_ok(setup(f, &f->x, &c, 8));
    struct groth16_params *p = open_params(f);
    struct groth16_proof proof;
    fr public[CHAIN_PUBLIC];
    chain_public(&c, public);
    fr_add(&public[2], &public[2], &FR_ONE);
    assert_int_equal(prove(&f->x, &c, p, 1, public, &proof), CUZK_ERR_UNSATISFIED);
    assert_non_null(strstr(error.message, "public input 2 of 3"));
    groth16_params_free(p);
}

static void parameters_of_another_circuit_are_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct chain c = chain_from_seed(5, 8);
    assert_ok(setup(f, &f->x, &c, 8));
    struct groth16_params *p = open_params(f);
    for (unsigned n = 1; n < 40; n++) {
        if (n == 5)
            continue;
        const struct chain other = chain_from_seed(n, 8);
        fr public[CHAIN_PUBLIC];
        struct groth16_proof proof;
        chain_public(&other, public);
        assert_int_equal(prove(&f->x, &other, p, 1, public, &proof), CUZK_ERR_MISMATCH);
        assert_non_null(strstr(error.message, "another circuit"));
    }
    groth16_params_free(p);
}

/* The same counts and densities, other coefficients: found when the proof is verified. */
struct scaled {
    struct chain chain;
    uint64_t k;
};

static void scaled_synthesize(const void *self, struct cs *cs)
{
    const struct scaled *s = self;
    fr k;
    fr_from_u64(&k, s->k);
    const var v = cs_alloc(cs, &FR_ONE), out = cs_alloc_input(cs, &k);
    struct lc a = {0}, b = {0}, c = {0};
    lc_add(cs, &a, v, &k);
    lc_add_one(cs, &b, VAR_ONE);
    lc_add_one(cs, &c, out);
    cs_enforce(cs, &a, &b, &c);
    lc_free(&a);
    lc_free(&b);
    lc_free(&c);
}

static void parameters_of_a_circuit_alike_are_a_mismatch_too(void **state)
{
    struct fixture *f = *state;
    struct scaled three = {.k = 3}, five = {.k = 5};
    const struct circuit first = {.self = &three, .synthesize = scaled_synthesize};
    const struct circuit second = {.self = &five, .synthesize = scaled_synthesize};
    struct groth16_trapdoor t;
    struct groth16_rs rs;
    struct groth16_proof proof;
    groth16_trapdoor_from_seed(&t, 1);
    groth16_rs_from_seed(&rs, 1);
    assert_ok(groth16_setup(&f->x, &first, &t, in_folder(f, "c"), &error));
    struct groth16_params *p = open_params(f);
    assert_ok(groth16_prove(&f->x, &first, p, &rs, NULL, 0, &proof, &error));
    assert_int_equal(groth16_prove(&f->x, &second, p, &rs, NULL, 0, &proof, &error), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "does not verify"));
    assert_non_null(
        strstr(error.message, "damaged since its points were checked")); /* by the setup's stamp */
    groth16_params_free(p);
}

/* -- the setup's refusals -- */

static void an_unconstrained_variable_is_named(void **state)
{
    struct fixture *f = *state;
    struct chain c = chain_from_seed(5, 8);
    c.orphan = true;
    assert_int_equal(setup(f, &f->x, &c, 8), CUZK_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "last/orphan"));
    assert_int_equal(folder_entries(f, false), 0);
}

static void a_worthless_trapdoor_is_refused(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_trapdoor t;
    for (int i = 0; i < 5; i++) {
        groth16_trapdoor_from_seed(&t, 1);
        fr *const value[5] = {&t.alpha, &t.beta, &t.gamma, &t.delta, &t.tau};
        *value[i] = FR_ZERO;
        assert_int_equal(groth16_setup(&f->x, &circuit, &t, in_folder(f, "c"), &error), CUZK_ERR_ARGUMENT);
    }
    groth16_trapdoor_from_seed(&t, 1);
    t.tau = FR_ONE;
    assert_int_equal(groth16_setup(&f->x, &circuit, &t, in_folder(f, "c"), &error), CUZK_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "domain"));
    assert_int_equal(folder_entries(f, false), 0);
}

static void a_place_that_cannot_be_written_is_told(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_trapdoor t;
    groth16_trapdoor_from_seed(&t, 1);
    assert_int_equal(groth16_setup(&f->x, &circuit, &t, "/nonexistent/folder/c", &error), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "/nonexistent/folder/c.params"));
    assert_int_equal(mkdir(in_folder(f, "c.vk"), 0700), 0);
    assert_int_equal(groth16_setup(&f->x, &circuit, &t, in_folder(f, "c"), &error), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "c.vk"));
    assert_int_equal(rmdir(in_folder(f, "c.vk")), 0);
    assert_int_equal(folder_entries(f, false), 0);
}

/* Starts a second setup of the same name while the first is under way. */
struct intruder {
    const struct fixture *f;
    unsigned calls, refused;
};

static void set_up_too(void *user, const char *phase, uint64_t done, uint64_t total)
{
    struct intruder *i = user;
    (void)phase;
    (void)done;
    (void)total;
    const struct chain c = chain_from_seed(5, 8);
    i->calls++;
    i->refused += setup(i->f, &i->f->x, &c, 9) == CUZK_ERR_IO && strstr(error.message, "another setup");
}

static void two_setups_of_one_name_do_not_mix(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    struct intruder i = {.f = f};
    struct exec x = f->x;
    x.progress = set_up_too;
    x.progress_user = &i;
    assert_ok(setup(f, &x, &c, 8));
    assert_true(i.calls > 5);
    assert_int_equal(i.refused, i.calls);
    assert_int_not_equal(access(in_folder(f, "c.lock"), F_OK), 0);
    assert_ok(setup(f, &f->x, &c, 9));
    /* one that was killed leaves its lock, which nobody holds */
    overwrite(in_folder(f, "c.lock"), (const uint8_t *)"", 0);
    assert_ok(setup(f, &f->x, &c, 9));
    assert_int_not_equal(access(in_folder(f, "c.lock"), F_OK), 0);
    /* and what is no lock is not removed */
    overwrite(in_folder(f, "c.lock"), (const uint8_t *)"mine", 4);
    assert_int_equal(setup(f, &f->x, &c, 9), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "not the lock of a setup"));
    assert_int_equal(access(in_folder(f, "c.lock"), F_OK), 0);
}

/* Makes a folder where the key should go, when nothing but the names is missing. */
static void block_the_key(void *user, const char *phase, uint64_t done, uint64_t total)
{
    const struct fixture *f = user;
    (void)total;
    if (strcmp(phase, "writing") == 0 && done == 0) {
        assert_int_equal(unlink(in_folder(f, "c.vk")), 0);
        assert_int_equal(mkdir(in_folder(f, "c.vk"), 0700), 0);
    }
}

static void a_failure_at_the_end_keeps_the_older_parameters(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    uint8_t *before, *after;
    size_t before_size, after_size;
    assert_ok(setup(f, &f->x, &c, 8));
    read_whole(in_folder(f, "c.params"), &before, &before_size);
    struct exec x = f->x;
    x.progress = block_the_key;
    x.progress_user = f;
    assert_int_equal(setup(f, &x, &c, 9), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "c.vk"));
    read_whole(in_folder(f, "c.params"), &after, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    mem_free(before);
    mem_free(after);
    assert_int_equal(rmdir(in_folder(f, "c.vk")), 0);
    assert_int_equal(folder_entries(f, true), 2); /* parameters and stamp: no lock, no hidden file */
}

/* In a child, since a limit once lowered stays: files may have limit bytes at most. */
static void with_file_limit(const struct fixture *f, rlim_t limit)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit r = {limit, limit};
        struct pool *pool;
        const struct chain c = chain_from_seed(20, 9);
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &r) != 0 || pool_new(&pool, 2, NULL) != CUZK_OK)
            _exit(2);
        struct exec x = f->x;
        x.pool = pool;
        const cuzk_status status = setup(f, &x, &c, 9);
        pool_free(pool);
        _exit(status == CUZK_ERR_IO && strstr(error.message, "c.") ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_int_equal(folder_entries(f, false), 0);
}

static void a_full_disk_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    static const rlim_t limit[] = {0, 100, 1000, 5000, 20000, 28055};
    pool_free(f->pool); /* its threads would not come along with the fork */
    f->pool = NULL;
    for (unsigned i = 0; i < ARRAY_LEN(limit); i++)
        with_file_limit(f, limit[i]);
}

/* -- cancel, memory -- */

struct stopper {
    volatile int cancel;
    unsigned calls, stop_at;
};

static void stop_at_call(void *user, const char *phase, uint64_t done, uint64_t total)
{
    struct stopper *s = user;
    assert_non_null(phase);
    assert_true(total == 0 || done <= total);
    if (++s->calls == s->stop_at)
        s->cancel = 1;
}

static void cancelling_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(20, 9);
    unsigned cancelled = 0;
    for (unsigned at = 1;; at++) {
        struct stopper s = {.stop_at = at};
        struct exec x = f->x;
        x.progress = stop_at_call;
        x.progress_user = &s;
        x.cancel = &s.cancel;
        const cuzk_status status = setup(f, &x, &c, 9);
        if (s.calls < at) {
            assert_int_equal(status, CUZK_OK);
            break;
        }
        if (status == CUZK_OK) { /* asked when nothing was left to do */
            folder_entries(f, true);
            continue;
        }
        assert_int_equal(status, CUZK_ERR_CANCELLED);
        assert_int_equal(folder_entries(f, false), 0);
        cancelled++;
    }
    assert_true(cancelled > 5);
}

static void proving_can_be_cancelled(void **state)
{
    struct fixture *f = *state;
    struct sample sample;
    make_sample(f, &sample);
    const struct chain c = chain_from_seed(5, 8);
    unsigned cancelled = 0;
    for (unsigned at = 1;; at++) {
        struct stopper s = {.stop_at = at};
        struct exec x = f->x;
        struct groth16_proof proof;
        x.progress = stop_at_call;
        x.progress_user = &s;
        x.cancel = &s.cancel;
        const cuzk_status status = prove(&x, &c, sample.params, 8, sample.public, &proof);
        if (s.calls < at) {
            assert_int_equal(status, CUZK_OK);
            break;
        }
        assert_true(status == CUZK_OK || status == CUZK_ERR_CANCELLED);
        cancelled += status == CUZK_ERR_CANCELLED;
    }
    assert_true(cancelled > 3);
    groth16_params_free(sample.params);
}

static void failing_allocations_in_setup_leave_nothing(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    struct budget *budget;
    assert_int_equal(budget_new(&budget, UINT64_C(1) << 32, NULL), CUZK_OK);
    struct exec x = f->x;
    x.budget = budget;
    unsigned failed = 0;
    for (uint64_t n = 1;; n++) {
        mem_fail_after(n);
        const cuzk_status status = setup(f, &x, &c, 8);
        mem_fail_after(0);
        assert_int_equal(budget_used(budget), 0);
        if (status == CUZK_OK && failed > 0 && n > 10 + failed)
            break; /* beyond the last allocation that matters */
        if (status == CUZK_OK) {
            folder_entries(f, true);
            continue;
        }
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(folder_entries(f, false), 0);
        failed++;
    }
    assert_true(failed > 10);
    budget_free(budget);
}

static void failing_allocations_in_proving_leak_nothing(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    struct sample s;
    struct budget *budget;
    make_sample(f, &s);
    assert_int_equal(budget_new(&budget, UINT64_C(1) << 32, NULL), CUZK_OK);
    struct exec x = f->x;
    x.budget = budget;
    for (uint64_t n = 1;; n++) {
        struct groth16_proof proof;
        mem_fail_after(n);
        const cuzk_status status = prove(&x, &c, s.params, 8, s.public, &proof);
        mem_fail_after(0);
        assert_int_equal(budget_used(budget), 0);
        if (status == CUZK_OK) {
            assert_true(n > 10);
            break;
        }
        assert_int_equal(status, CUZK_ERR_MEMORY);
    }
    budget_free(budget);
    groth16_params_free(s.params);
}

static void a_small_budget_is_an_error_of_memory(void **state)
{
    struct fixture *f = *state;
    const struct chain c = chain_from_seed(5, 8);
    struct budget *budget;
    assert_int_equal(budget_new(&budget, 1000, NULL), CUZK_OK);
    struct exec x = f->x;
    x.budget = budget;
    assert_int_equal(setup(f, &x, &c, 8), CUZK_ERR_MEMORY);
    assert_int_equal(folder_entries(f, false), 0);
    budget_free(budget);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equals_bellperson),
        TEST(any_number_of_threads_gives_the_same),
        TEST(random_values_give_a_proof_that_holds),
        TEST(a_flipped_bit_in_the_proof_is_rejected),
        TEST(a_flipped_bit_in_an_input_is_rejected),
        TEST(a_flipped_bit_in_the_key_is_rejected),
        TEST(a_point_of_the_key_replaced_by_another_is_rejected),
        TEST(points_at_infinity_are_no_proof),
        TEST(many_public_inputs_are_summed_as_few_are),
        TEST(a_wrong_count_of_inputs_is_an_argument_error),
        TEST(many_proofs_hold_only_if_each_does),
        TEST(a_row_that_does_not_hold_is_named),
        TEST(other_public_inputs_than_the_circuits_are_refused),
        TEST(parameters_of_another_circuit_are_a_mismatch),
        TEST(parameters_of_a_circuit_alike_are_a_mismatch_too),
        TEST(an_unconstrained_variable_is_named),
        TEST(a_worthless_trapdoor_is_refused),
        TEST(a_place_that_cannot_be_written_is_told),
        TEST(two_setups_of_one_name_do_not_mix),
        TEST(a_failure_at_the_end_keeps_the_older_parameters),
        TEST(a_full_disk_leaves_nothing),
        TEST(cancelling_leaves_nothing),
        TEST(proving_can_be_cancelled),
        TEST(failing_allocations_in_setup_leave_nothing),
        TEST(failing_allocations_in_proving_leak_nothing),
        TEST(a_small_budget_is_an_error_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

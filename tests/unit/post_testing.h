/* tests/unit/post_testing.h - proofs of spacetime of 2KiB sectors for the engine: parameters, requests as a
 * client sends them, and their proofs verified.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_POST_TESTING_H
#define TESTS_POST_TESTING_H

#include "engine_testing.h"

#include "base/file.h"
#include "base/pool.h"
#include "circuits/gen.h"
#include "engine/param_files.h"

#define SEED 11

static char folder[64];
static struct exec x;
static struct poseidon_set *poseidon;

static inline const char *in_folder(const char *name)
{
    static char path[4][512];
    static unsigned next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

/* CIRCUIT.srs, or the parameters under the name that they have on the real network. */
static inline void make_params(const char *circuit, bool folded)
{
    struct any_circuit blank;
    struct groth16_trapdoor t;
    char real[PARAM_NAME_MAX], name[64];
    groth16_trapdoor_from_seed(&t, SEED);
    assert_ok(catalogue_blank(&blank, poseidon, circuit, &error));
    assert_ok(param_file_name(real, circuit, &error));
    snprintf(name, sizeof name, "%s.srs", circuit);
    if (folded)
        assert_ok(groth16_srs_setup(&x, &blank.circuit, circuit, &t, NULL, in_folder(name), &error));
    else
        assert_ok(groth16_setup(&x, &blank.circuit, &t, in_folder(real), &error));
}

static inline void post_set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test-engine-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_ok(pool_new(&x.pool, 0, &error));
    x.variant = cpu_best();
    assert_ok(poseidon_set_new(&poseidon, &error));
    const struct gen_options options[] = {{"window", "2KiB", 1, 2}, {"winning", "2KiB", 1, 1}};
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        assert_ok(gen_run(&x, poseidon, &options[i], folder, &error));
}

static inline int post_tear_down(void **state)
{
    (void)state;
    poseidon_set_free(poseidon);
    pool_free(x.pool);
    remove_tree(folder);
    return 0;
}

/* A generated request, as a client sends it. */
struct sent {
    struct request request;
    struct engine_submission s;
    struct engine_piece pieces[8];
    uint8_t *bytes[8];
};

static inline void read_request(struct sent *out, const char *name, enum engine_kind kind, const char *id)
{
    char meta[64], file[96];
    memset(out, 0, sizeof *out);
    snprintf(meta, sizeof meta, "%s.meta.json", name);
    assert_ok(request_read(&x, &out->request, in_folder(meta), true, &error));
    const struct post_statement *p = &out->request.post;
    assert_true(p->sector_count <= ARRAY_LEN(out->pieces));
    for (size_t i = 0; i < p->sector_count; i++) {
        size_t size;
        snprintf(file, sizeof file, "%s.%llu.vanilla", name, (unsigned long long)p->sectors[i].id);
        assert_ok(file_read(&out->bytes[i], &size, in_folder(file), 1 << 20, &error));
        /* sent in reverse: the engine puts them in order */
        out->pieces[p->sector_count - 1 - i] = (struct engine_piece){out->bytes[i], size};
    }
    out->s = (struct engine_submission){.request_id = id,
                                        .kind = kind,
                                        .registered_proof = p->params.registered_proof,
                                        .pieces = out->pieces,
                                        .piece_count = p->sector_count,
                                        .miner_id = out->request.miner,
                                        .randomness = p->randomness,
                                        .randomness_size = 32};
}

static inline void free_request(struct sent *sent)
{
    request_free(&sent->request);
    for (size_t i = 0; i < ARRAY_LEN(sent->bytes); i++)
        mem_free(sent->bytes[i]);
}

static inline void assert_valid(const struct sent *sent, const char *circuit,
                                const struct engine_result *result)
{
    struct groth16_vk vk;
    char *path;
    fr inputs[256];
    const struct request *q = &sent->request;
    const size_t count = request_public_count(q);
    assert_true(count <= ARRAY_LEN(inputs));
    assert_int_equal(result->proof_size, 192 * request_partitions(q));
    assert_ok(param_file_find(folder, circuit, &path, &error));
    assert_ok(groth16_vk_open(&x, &vk, path, &error));
    for (unsigned i = 0; i < request_partitions(q); i++) {
        struct groth16_proof proof;
        bool valid = false;
        assert_ok(groth16_proof_read(&proof, result->proof + 192 * i, &error));
        assert_ok(request_public_inputs(q, i, inputs, &error));
        assert_ok(groth16_verify(&x, &vk, &proof, inputs, (uint32_t)count, &valid, &error));
        assert_true(valid);
    }
    groth16_vk_free(&vk);
    mem_free(path);
}

#endif

/* tests/unit/test_engine_proofs.c - the engine with real requests and parameters of 2KiB sectors.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine_testing.h"

#include "base/file.h"
#include "base/pool.h"
#include "circuits/gen.h"
#include "engine/param_files.h"

#define SEED 11

static char folder[64];
static struct exec x;
static struct poseidon_set *poseidon;

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static unsigned next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

/* CIRCUIT.srs, or the parameters under the name that they have on the real network. */
static void make_params(const char *circuit, bool folded)
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

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test-engine-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_ok(pool_new(&x.pool, 0, &error));
    x.variant = cpu_best();
    assert_ok(poseidon_set_new(&poseidon, &error));
    make_params("window-2k", true);
    make_params("winning-2k", false);
    const struct gen_options options[] = {{"window", "2KiB", 1, 2}, {"winning", "2KiB", 1, 1}};
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        assert_ok(gen_run(&x, poseidon, &options[i], folder, &error));
    return 0;
}

static int tear_down(void **state)
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

static void read_request(struct sent *out, const char *name, enum engine_kind kind, const char *id)
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

static void free_request(struct sent *sent)
{
    request_free(&sent->request);
    for (size_t i = 0; i < ARRAY_LEN(sent->bytes); i++)
        mem_free(sent->bytes[i]);
}

static void assert_valid(const struct sent *sent, const char *circuit, const struct engine_result *result)
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

static struct engine *start(const char *state)
{
    struct engine *g;
    const struct engine_options o = {.param_cache = folder, .state_folder = state, .threads = 2};
    assert_ok(engine_new(&g, &o, &error));
    return g;
}

static void submit_and_verify(struct engine *g, struct sent *sent, const char *circuit)
{
    struct engine_ticket t;
    struct engine_result result;
    assert_ok(engine_submit(g, &sent->s, &t, &error));
    assert_ok(engine_wait(g, t.job_id, 120000 * SLOW, NULL, &result, &error));
    if (result.state != ENGINE_STATE_COMPLETED)
        fail_msg("%s: %s", engine_state_name(result.state), result.message);
    assert_valid(sent, circuit, &result);
    engine_result_free(&result);
}

static void proofs_of_both_posts_are_made(void **state)
{
    struct sent window, winning;
    struct engine *g = start(in_folder("state"));
    (void)state;
    read_request(&window, "window-2KiB-1", ENGINE_WINDOW_POST, "wdpost-1-[1 2 3]");
    read_request(&winning, "winning-2KiB-1", ENGINE_WINNING_POST, "winpost-1-ab");
    submit_and_verify(g, &window, "window-2k");   /* from the folded file */
    submit_and_verify(g, &winning, "winning-2k"); /* from bellperson's, by its real name */
    winning.s.registered_proof = 0;               /* by size alone */
    winning.s.sector_size = 2048;
    submit_and_verify(g, &winning, "winning-2k");
    struct engine_snapshot *s;
    assert_ok(engine_snapshot(g, NULL, &s, &error));
    assert_int_equal(s->srs_count, 2);
    for (size_t i = 0; i < s->srs_count; i++)
        assert_true(s->srs[i].tier == ENGINE_HOT && s->srs[i].bytes > 1000000 && s->srs[i].refs == 0);
    for (size_t i = 0; i < s->job_count; i++)
        assert_true(s->jobs[i].partitions[0].gpu_ms > 0);
    engine_snapshot_free(s);
    free_request(&window);
    free_request(&winning);
    engine_free(g);
}

static void expect_refused(struct engine *g, const struct engine_submission *s, cuzk_status status,
                           const char *message)
{
    struct engine_ticket t;
    assert_int_equal(engine_submit(g, s, &t, &error), status);
    if (!strstr(error.message, message))
        fail_msg("%s", error.message);
}

static void expect_failed(struct engine *g, const struct engine_submission *s, cuzk_status status,
                          const char *message)
{
    struct engine_ticket t;
    struct engine_result result;
    assert_ok(engine_submit(g, s, &t, &error));
    assert_ok(engine_wait(g, t.job_id, 120000 * SLOW, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_FAILED);
    if (result.status != status || !strstr(result.message, message))
        fail_msg("%s", result.message);
}

static void what_is_wrong_is_told(void **state)
{
    struct sent window;
    struct engine *g = start(NULL);
    struct engine_submission s;
    (void)state;
    read_request(&window, "window-2KiB-1", ENGINE_WINDOW_POST, "wdpost");
    s = window.s;
    s.registered_proof = 13; /* of 32GiB */
    expect_refused(g, &s, CUZK_ERR_INPUT, "5680 bytes where there must be");
    s = window.s;
    s.sector_size = 2049;
    expect_refused(g, &s, CUZK_ERR_ARGUMENT, "sector_size: 2049");
    s = window.s;
    s.registered_proof = 0;
    expect_refused(g, &s, CUZK_ERR_ARGUMENT, "is a winning proof");
    s = window.s;
    s.kind = ENGINE_WINNING_POST;
    expect_refused(g, &s, CUZK_ERR_ARGUMENT, "is a window proof");
    uint8_t randomness[32] = {1};
    s = window.s;
    s.randomness = randomness;
    expect_failed(g, &s, CUZK_ERR_UNSATISFIED, "");
    window.bytes[1][100] ^= 1;
    expect_failed(g, &window.s, CUZK_ERR_UNSATISFIED, "");
    window.bytes[1][0] ^= 1; /* the sector's number */
    window.bytes[1][100] ^= 1;
    memset(window.bytes[1] + 48, 0xff, 32);
    expect_failed(g, &window.s, CUZK_ERR_INPUT, "vanilla_proofs[0]");
    /* no parameters; parameters of another circuit under this one's name */
    static const char text[] = "{\"SectorNum\":1,\"Phase1Out\":\"\",\"SectorSize\":2048}";
    const struct engine_piece c1 = {(const uint8_t *)text, sizeof text - 1};
    s = (struct engine_submission){
        .request_id = "porep", .kind = ENGINE_POREP, .pieces = &c1, .piece_count = 1};
    expect_failed(g, &s, CUZK_ERR_INPUT, "");
    bool already;
    uint64_t ms;
    assert_int_equal(engine_preload(g, "porep-2k", &already, &ms, &error), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "no parameters of porep-2k in"));
    assert_int_equal(engine_preload(g, "porep-3k", &already, &ms, &error), CUZK_ERR_ARGUMENT);
    assert_int_equal(link(in_folder("window-2k.srs"), in_folder("winning-2k.srs")), 0);
    assert_int_equal(engine_preload(g, "winning-2k", &already, &ms, &error), CUZK_ERR_MISMATCH);
    assert_non_null(strstr(error.message, "is of the circuit window-2k, not of winning-2k"));
    assert_int_equal(unlink(in_folder("winning-2k.srs")), 0);
    assert_ok(engine_preload(g, "wpost-2k", &already, &ms, &error));
    free_request(&window);
    engine_free(g);
}

static void the_real_names_are_known(void **state)
{
    char name[PARAM_NAME_MAX];
    (void)state;
    assert_ok(param_file_name(name, "porep-32g", &error));
    assert_non_null(strstr(name, "-82a357d2"));
    assert_int_equal(param_file_name(name, "porep-33g", &error), CUZK_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_real_names_are_known),
        cmocka_unit_test(proofs_of_both_posts_are_made),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

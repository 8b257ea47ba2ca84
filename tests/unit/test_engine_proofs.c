/* tests/unit/test_engine_proofs.c - the engine with real requests and parameters of 2KiB sectors.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "post_testing.h"

static int set_up(void **state)
{
    post_set_up(state);
    make_params("window-2k", true);
    make_params("winning-2k", false);
    return 0;
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

/* A device that fails to settle, or does not take the parameters: the CPU proves, and it is counted. */
static void the_cpu_does_what_a_device_cannot(void **state)
{
    struct sent window;
    struct engine_counters c;
    (void)state;
    read_request(&window, "window-2KiB-1", ENGINE_WINDOW_POST, "wdpost");
    for (unsigned i = 0; i < 2; i++) {
        struct engine *g;
        struct mock_device *d = mock_device_new("mock");
        struct engine_device *const devices[] = {&d->device};
        mock_batches(d, 4);
        d->unable = i == 1;
        d->settle_fails = 1;
        const struct engine_options o = {.param_cache = folder,
                                         .threads = 2,
                                         .devices = devices,
                                         .device_count = 1,
                                         .quarantine_ms = 60000};
        assert_ok(engine_new(&g, &o, &error));
        submit_and_verify(g, &window, "window-2k");
        assert_int_equal(d->proved, i == 0);
        engine_counters(g, &c);
        assert_int_equal(c.cpu_fallbacks, 1);
        assert_int_equal(c.quarantines, i == 0);
        engine_free(g);
    }
    free_request(&window);
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
    assert_int_equal(engine_preload(g, "porep-2k", &already, &ms, &error), CUZK_ERR_NOT_FOUND);
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
        cmocka_unit_test(the_cpu_does_what_a_device_cannot),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, post_tear_down);
}

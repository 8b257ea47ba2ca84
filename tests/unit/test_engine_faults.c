/* tests/unit/test_engine_faults.c - devices that fail, lie or run out of memory; parameters that come and go.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine_testing.h"

static void a_failing_device_is_replaced_by_the_other(void **state)
{
    static const int faults[] = {MOCK_FAILS, MOCK_LIES};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
        struct rig r;
        rig_init(&r, 2);
        r.device[0]->fault = faults[i];
        r.device[0]->sick = 1;
        rig_start(&r);
        const struct engine_ticket t = rig_submit(&r, 'a', 8, ENGINE_POREP, NULL);
        rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
        struct engine_counters c;
        engine_counters(r.engine, &c);
        assert_true(c.retries >= 1);
        assert_int_equal(c.quarantines, 1);
        assert_int_equal(faults[i] == MOCK_LIES ? c.invalid_proofs : c.device_failures, c.retries);
        struct engine_snapshot *s = rig_snapshot(&r);
        assert_true(s->devices[0].quarantined);
        assert_false(s->devices[1].quarantined);
        assert_true(s->devices[0].fault[0]);
        assert_int_equal(s->devices[1].proofs, 8);
        engine_snapshot_free(s);
        rig_end(&r);
    }
}

static void a_device_comes_back_when_it_is_well(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 2);
    r.device[0]->fault = MOCK_FAILS;
    r.device[0]->sick = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 6, ENGINE_POREP, NULL);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_until(r.device[0]->probes >= 2); /* tried again after a while, and again */
    r.device[0]->fault = MOCK_WELL;
    r.device[0]->sick = 0;
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(&r);
        const bool back = !s->devices[0].quarantined;
        engine_snapshot_free(s);
        back;
    }));
    r.device[0]->prove_us = r.device[1]->prove_us = 5000;
    const struct engine_ticket b = rig_submit(&r, 'b', 8, ENGINE_POREP, NULL);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    assert_true(r.device[0]->proved > 0);
    rig_end(&r);
}

static void a_job_fails_when_every_device_has_failed_it(void **state)
{
    struct rig r;
    struct engine_result result;
    char why[CUZK_ERROR_MESSAGE_MAX];
    (void)state;
    rig_init(&r, 2);
    r.device[0]->fault = r.device[1]->fault = MOCK_FAILS;
    r.options.quarantine_ms = 20;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    assert_ok(engine_wait(r.engine, a.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_FAILED);
    assert_int_equal(result.status, CUZK_ERR_DEVICE);
    assert_true(result.retry);
    assert_string_equal(result.message, "the device fell off the bus");
    engine_result_free(&result);
    r.device[0]->fault = r.device[1]->fault = MOCK_WELL;
    rig_until(engine_ready(r.engine, why)); /* and the rest goes on */
    const struct engine_ticket b = rig_submit(&r, 'b', 3, ENGINE_POREP, NULL);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

static void what_failed_is_kept_to_be_replayed(void **state)
{
    struct rig r;
    char path[256];
    unsigned bundles = 0, payloads = 0;
    (void)state;
    rig_init(&r, 2);
    r.device[0]->fault = MOCK_LIES;
    r.options.state_folder = r.state;
    r.options.keep_bundles = 3;
    r.options.quarantine_ms = 1;
    rig_start(&r);
    for (char name = 'a'; name < 'g'; name++) {
        const struct engine_ticket t = rig_submit(&r, name, 4, ENGINE_POREP, NULL);
        rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    }
    snprintf(path, sizeof path, "%s/bundles", r.state);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        char file[1024];
        struct stat st;
        if (d->d_name[0] == '.')
            continue;
        bundles++;
        snprintf(file, sizeof file, "%s/%s/payload", path, d->d_name);
        payloads += stat(file, &st) == 0 && st.st_size == 4;
    }
    closedir(dir);
    assert_true(bundles >= 1 && bundles <= 3);
    assert_int_equal(payloads, bundles);
    rig_end(&r);
}

static void more_memory_is_learned_and_waited_for(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->host_bytes = 40 << 20; /* of 60 that ordinary kinds may use: one at a time */
    r.options.lookahead = 3;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 6, ENGINE_POREP, NULL);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(&r);
        const bool empty = s->memory.reserved == 0;
        assert_true(s->memory.peak <= s->memory.limit);
        engine_snapshot_free(s);
        empty;
    }));
    rig_end(&r);
}

static void what_never_fits_is_told(void **state)
{
    struct rig r;
    struct engine_result result;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->host_bytes = 80 << 20;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    assert_ok(engine_wait(r.engine, a.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.status, CUZK_ERR_MEMORY);
    assert_non_null(strstr(result.message, "needs 80 MiB, the budget allows 60"));
    r.device[0]->host_bytes = 1 << 20;
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_POREP, NULL);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

static void a_device_without_memory_is_asked_again_with_more(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->fault = MOCK_NO_MEMORY;
    r.device[0]->host_bytes = 1 << 20;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    rig_until(r.device[0]->prepared >= 3);
    struct engine_result result;
    assert_ok(engine_wait(r.engine, a.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.status, CUZK_ERR_MEMORY);
    assert_int_equal(r.device[0]->prepared, 4);
    struct engine_counters c;
    engine_counters(r.engine, &c);
    assert_int_equal(c.quarantines, 0);
    rig_end(&r);
}

/* Parsed requests that wait for their turn give their memory to those before them. */
static void parsed_requests_never_block_the_pipeline(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.work->parse_bytes = 20 << 20;
    r.device[0]->host_bytes = 30 << 20;
    r.device[0]->prove_us = 2000;
    rig_start(&r);
    struct engine_ticket t = {.queue_position = 0};
    for (char name = 'a'; name < 'i'; name++)
        t = rig_submit(&r, name, 2, ENGINE_POREP, NULL);
    assert_true(engine_drain(r.engine, PATIENCE_MS, NULL));
    rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

/* ---- parameters ---- */

static void parameters_are_loaded_once_and_evicted_when_idle(void **state)
{
    struct rig r;
    bool already, was;
    uint64_t load_ms, freed;
    (void)state;
    rig_init(&r, 1);
    r.options.srs_idle_ms = 150;
    rig_start(&r);
    assert_ok(engine_preload(r.engine, "mock-b", &already, &load_ms, &error));
    assert_false(already);
    assert_ok(engine_preload(r.engine, "mock-b", &already, &load_ms, &error));
    assert_true(already);
    r.device[0]->shut = 1;
    const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
    rig_until(r.device[0]->on_it == 1 && r.device[0]->prepared == 2); /* both have taken them */
    assert_int_equal(engine_evict(r.engine, "mock-a", &was, &freed, &error), CUZK_ERR_UNAVAILABLE);
    usleep(400000);
    assert_int_equal(r.work->closed, 0); /* neither the one in use nor the one preloaded */
    struct engine_snapshot *s = rig_snapshot(&r);
    assert_int_equal(s->srs_count, 2);
    assert_true(s->srs[0].held && s->srs[0].tier == ENGINE_HOT && s->srs[0].bytes == 1000);
    assert_true(s->srs[1].refs >= 1);
    engine_snapshot_free(s);
    r.device[0]->shut = 0;
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    assert_int_equal(r.work->opened, 2);
    rig_until(r.work->closed == 1);
    assert_ok(engine_evict(r.engine, "mock-b", &was, &freed, &error));
    assert_true(was && freed == 1000);
    assert_ok(engine_evict(r.engine, "mock-b", &was, &freed, &error));
    assert_false(was);
    assert_int_equal(r.work->closed, 2);
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_POREP, NULL);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    assert_int_equal(r.work->opened, 3);
    rig_end(&r);
}

static void the_least_used_parameters_make_room(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.options.srs_max = 2;
    rig_start(&r);
    const struct engine_submission sizes[] = {
        {.sector_size = 0}, {.sector_size = 1}, {.sector_size = 0}, {.sector_size = 2}, {.sector_size = 0}};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        const struct engine_ticket t = rig_submit(&r, (char)('a' + i), 1, ENGINE_POREP, &sizes[i]);
        rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    }
    assert_int_equal(r.work->opened, 3); /* that of size 1 went */
    assert_int_equal(r.work->closed, 1);
    rig_end(&r);
}

static void parameters_of_another_circuit_are_told(void **state)
{
    struct rig r;
    struct engine_result result;
    (void)state;
    rig_init(&r, 1);
    r.work->fail_open = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
    assert_ok(engine_wait(r.engine, a.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.status, CUZK_ERR_MISMATCH);
    assert_string_equal(result.message, "/nowhere/mock-a.params is of another circuit");
    r.work->fail_open = 0;
    const struct engine_ticket b = rig_submit(&r, 'b', 2, ENGINE_POREP, NULL);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    struct engine_snapshot *s = rig_snapshot(&r);
    assert_false(s->devices[0].quarantined);
    engine_snapshot_free(s);
    rig_end(&r);
}

static void kinds_go_to_the_devices_that_take_them(void **state)
{
    static const uint32_t kinds[] = {1u << ENGINE_POREP | 1u << ENGINE_SNAP,
                                     1u << ENGINE_WINNING_POST | 1u << ENGINE_WINDOW_POST};
    struct rig r;
    (void)state;
    rig_init(&r, 2);
    r.options.device_kinds = kinds;
    r.device[0]->shut = 1;
    rig_start(&r);
    rig_submit(&r, 'a', 5, ENGINE_POREP, NULL);
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_WINDOW_POST, NULL);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED); /* its device is kept for it */
    assert_int_equal(r.device[1]->proved, 1);
    r.device[0]->shut = 0;
    assert_true(engine_drain(r.engine, PATIENCE_MS, NULL));
    assert_int_equal(r.device[0]->proved, 5);
    rig_end(&r);
}

static void allocations_that_fail_are_survived(void **state)
{
    struct rig r;
    unsigned refused = 0;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    rig_start(&r);
    for (unsigned n = 1; n < 60; n++) {
        const struct engine_submission s = {.miner_id = n};
        struct engine_ticket t;
        struct engine_result result;
        mem_fail_after(n);
        const cuzk_status status = rig_try(&r, 'a', 2, ENGINE_POREP, &s, &t);
        refused += status != CUZK_OK;
        assert_true(status == CUZK_OK || status == CUZK_ERR_MEMORY);
        if (status == CUZK_OK) {
            cuzk_status waited;
            do
                waited = engine_wait(r.engine, t.job_id, PATIENCE_MS, NULL, &result, &error);
            while (waited == CUZK_ERR_MEMORY);
            assert_int_equal(waited, CUZK_OK);
            assert_true(result.state == ENGINE_STATE_COMPLETED || result.status == CUZK_ERR_MEMORY);
            engine_result_free(&result);
        }
        mem_fail_after(0);
    }
    assert_true(refused > 3);
    const struct engine_ticket last = rig_submit(&r, 'z', 2, ENGINE_POREP, NULL);
    rig_expect(&r, &last, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_device_is_replaced_by_the_other),
        cmocka_unit_test(a_device_comes_back_when_it_is_well),
        cmocka_unit_test(a_job_fails_when_every_device_has_failed_it),
        cmocka_unit_test(what_failed_is_kept_to_be_replayed),
        cmocka_unit_test(more_memory_is_learned_and_waited_for),
        cmocka_unit_test(what_never_fits_is_told),
        cmocka_unit_test(a_device_without_memory_is_asked_again_with_more),
        cmocka_unit_test(parsed_requests_never_block_the_pipeline),
        cmocka_unit_test(parameters_are_loaded_once_and_evicted_when_idle),
        cmocka_unit_test(the_least_used_parameters_make_room),
        cmocka_unit_test(parameters_of_another_circuit_are_told),
        cmocka_unit_test(kinds_go_to_the_devices_that_take_them),
        cmocka_unit_test(allocations_that_fail_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

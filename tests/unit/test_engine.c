/* tests/unit/test_engine.c - order, joining, cancelling, queues, faults and accounts of the engine.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine_testing.h"

static void a_job_goes_through_all_lanes(void **state)
{
    struct rig r;
    struct engine_result result;
    (void)state;
    rig_init(&r, 1);
    rig_start(&r);
    const struct engine_ticket t = rig_submit(&r, 'a', 3, ENGINE_SNAP, NULL);
    assert_false(t.joined);
    assert_ok(engine_wait(r.engine, t.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_COMPLETED);
    assert_int_equal(result.proof_size, 3 * 192);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(result.proof[192 * i], 'a');
        assert_int_equal(result.proof[192 * i + 1], i);
    }
    engine_result_free(&result);
    assert_ok(engine_result(r.engine, t.job_id, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_COMPLETED);
    engine_result_free(&result);
    assert_int_equal(r.work->verified, 3);
    struct engine_counters c;
    engine_counters(r.engine, &c);
    assert_int_equal(c.accepted, 1);
    assert_int_equal(c.completed[ENGINE_SNAP], 1);
    assert_int_equal(c.partitions, 3);
    assert_int_equal(c.duration_count[ENGINE_SNAP], 1);
    rig_until(({
        pthread_mutex_lock(&r.lock);
        const bool told = r.done == 1 && r.timings >= 5;
        pthread_mutex_unlock(&r.lock);
        told;
    }));
    rig_end(&r);
}

static void submit_wrong(struct rig *r, struct engine_submission s, cuzk_status expected)
{
    static const uint8_t byte = 'x';
    static const struct engine_piece one = {&byte, 1};
    struct engine_ticket t;
    if (!s.pieces && !s.piece_count) {
        s.pieces = &one;
        s.piece_count = 1;
    }
    s.request_id = "wrong";
    assert_int_equal(engine_submit(r->engine, &s, &t, &error), expected);
}

static void what_cannot_be_is_refused(void **state)
{
    static const uint8_t zeros[32];
    static const struct engine_piece nothing = {zeros, 0};
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    rig_start(&r);
    submit_wrong(&r, (struct engine_submission){.kind = ENGINE_KIND_NONE}, CUZK_ERR_ARGUMENT);
    submit_wrong(&r, (struct engine_submission){.kind = (enum engine_kind)9}, CUZK_ERR_ARGUMENT);
    submit_wrong(&r, (struct engine_submission){.kind = ENGINE_WINNING_POST}, CUZK_ERR_ARGUMENT);
    submit_wrong(
        &r,
        (struct engine_submission){.kind = ENGINE_WINDOW_POST, .randomness = zeros, .randomness_size = 31},
        CUZK_ERR_ARGUMENT);
    submit_wrong(&r, (struct engine_submission){.kind = ENGINE_SNAP}, CUZK_ERR_ARGUMENT);
    submit_wrong(&r, (struct engine_submission){.kind = ENGINE_POREP, .sector_size = 77}, CUZK_ERR_ARGUMENT);
    submit_wrong(&r, (struct engine_submission){.kind = ENGINE_POREP, .pieces = &nothing, .piece_count = 1},
                 CUZK_ERR_INPUT);
    submit_wrong(&r, (struct engine_submission){.kind = ENGINE_POREP, .pieces = &nothing}, CUZK_ERR_INPUT);
    struct engine_counters c;
    engine_counters(r.engine, &c);
    assert_int_equal(c.refused, 8);
    assert_int_equal(c.accepted, 0);
    struct engine_result result;
    assert_ok(engine_result(r.engine, "j0", &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_UNKNOWN);
    assert_false(engine_cancel(r.engine, "j0", NULL));
    rig_end(&r);
}

/* Everything is submitted while the device is shut: what is on it and what was prepared stays; then order.
 * The engine waits for none that is still to be parsed, so the device goes on when the next one is. */
static void work_is_ordered_by_deadline_priority_parameters_and_age(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    rig_start(&r);
    rig_submit(&r, 'x', 1, ENGINE_POREP, NULL); /* on the device */
    rig_until(r.device[0]->on_it == 1);
    rig_submit(&r, 'y', 1, ENGINE_POREP, NULL); /* prepared */
    rig_until(r.device[0]->prepared == 2);
    const struct engine_submission other = {.sector_size = 1}, low = {.priority = ENGINE_LOW},
                                   high = {.priority = ENGINE_HIGH},
                                   late = {.deadline_unix_ms = UINT64_C(1) << 50},
                                   soon = {.deadline_unix_ms = UINT64_C(1) << 49},
                                   passed = {.deadline_unix_ms = 1};
    rig_submit(&r, 'e', 1, ENGINE_POREP, &other);
    rig_submit(&r, 'd', 1, ENGINE_POREP, NULL);
    rig_submit(&r, 'g', 1, ENGINE_POREP, &passed); /* hurries nobody any more */
    rig_submit(&r, 'f', 1, ENGINE_POREP, &low);
    rig_submit(&r, 'c', 1, ENGINE_POREP, &high);
    rig_submit(&r, 'b', 1, ENGINE_POREP, &late);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, &soon);
    assert_int_equal(a.queue_position, 0);
    struct engine_ticket last = rig_submit(&r, 'f', 1, ENGINE_POREP, &low);
    assert_true(last.joined);
    assert_int_equal(last.queue_position, 8);
    static const char expected[] = "xyabcdgef";
    for (unsigned i = 0; i < 9; i++) {
        rig_until(i + 2 >= 9 || rig_parsed(&r, expected[i + 2]));
        r.device[0]->let = i + 1;
        rig_until(r.device[0]->proved == i + 1);
    }
    rig_expect(&r, &last, ENGINE_STATE_COMPLETED);
    char seen[10] = "";
    for (unsigned i = 0; i < 9; i++)
        seen[i] = (char)r.device[0]->order[i][0];
    assert_string_equal(seen, expected);
    rig_end(&r);
}

static void a_winning_proof_is_next_on_the_device(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_submission hurried = {.deadline_unix_ms = UINT64_C(1) << 49,
                                              .priority = ENGINE_CRITICAL};
    for (char name = 'A'; name < 'G'; name++)
        rig_submit(&r, name, 10, ENGINE_POREP, &hurried);
    for (unsigned i = 0; i < 50; i++) {
        const struct engine_submission s = {.miner_id = i};
        rig_until(r.device[0]->on_it == 1);
        const struct engine_ticket t = rig_submit(&r, 'w', 1, ENGINE_WINNING_POST, &s);
        rig_until(rig_in(&r, &t, 0, ENGINE_PHASE_READY));
        r.device[0]->let += 2;
        rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
        assert_int_equal(r.device[0]->order[2 * i][0], 'A' + i / 10);
        assert_int_equal(r.device[0]->order[2 * i + 1][0], 'w');
    }
    engine_stop(r.engine);
    rig_end(&r);
}

static void a_repetition_joins_or_gets_the_result(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL),
                               b = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL),
                               c = rig_submit(&r, 'a', 3, ENGINE_POREP, NULL);
    const struct engine_submission other = {.miner_id = 7};
    const struct engine_ticket d = rig_submit(&r, 'a', 2, ENGINE_POREP, &other);
    assert_true(b.joined);
    assert_string_equal(a.job_id, b.job_id);
    assert_false(c.joined); /* the same id with another payload */
    assert_false(d.joined); /* or with other fields */
    r.device[0]->shut = 0;
    rig_expect(&r, &c, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &d, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    const unsigned proved = r.device[0]->proved;
    const struct engine_ticket again = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
    assert_true(again.joined && again.ended);
    assert_string_equal(a.job_id, again.job_id);
    rig_expect(&r, &again, ENGINE_STATE_COMPLETED);
    assert_int_equal(r.device[0]->proved, proved);
    rig_end(&r);
}

static void a_failed_job_can_be_sent_again(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.work->fail_check = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    rig_expect(&r, &a, ENGINE_STATE_FAILED);
    r.work->fail_check = 0;
    const struct engine_ticket b = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    assert_false(b.joined);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    const struct engine_ticket c = rig_submit(&r, '!', 1, ENGINE_POREP, NULL);
    struct engine_result result;
    assert_ok(engine_wait(r.engine, c.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_FAILED);
    assert_int_equal(result.status, CUZK_ERR_INPUT);
    assert_false(result.retry);
    assert_string_equal(result.message, "payload: byte 0: malformed");
    engine_result_free(&result);
    rig_end(&r);
}

#define HOUR_US 3600000000u

static void cancel_works_in_every_lane(void **state)
{
    static const enum engine_phase phases[] = {ENGINE_PHASE_QUEUED, ENGINE_PHASE_PARSE, ENGINE_PHASE_WITNESS,
                                               ENGINE_PHASE_READY, ENGINE_PHASE_DEVICE};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
        struct rig r;
        rig_init(&r, 1);
        const enum engine_phase at = phases[i];
        if (at != ENGINE_PHASE_WITNESS && at != ENGINE_PHASE_PARSE)
            r.device[0]->shut = 1;
        if (at == ENGINE_PHASE_PARSE)
            r.work->parse_us = HOUR_US;
        if (at == ENGINE_PHASE_WITNESS)
            r.device[0]->prepare_us = HOUR_US;
        rig_start(&r);
        /* as many before it as it takes to hold it in this phase */
        const unsigned before = at == ENGINE_PHASE_READY ? 1 : at == ENGINE_PHASE_QUEUED ? 2 : 0;
        for (unsigned k = 0; k < before; k++) {
            rig_submit(&r, (char)('a' + k), 1, ENGINE_POREP, NULL);
            rig_until(r.device[0]->prepared == k + 1);
        }
        if (before)
            rig_until(r.device[0]->on_it == 1);
        const struct engine_ticket t = rig_submit(&r, 'z', 1, ENGINE_POREP, NULL);
        rig_until(rig_in(&r, &t, 0, at));
        assert_true(engine_cancel(r.engine, t.job_id, "the user said so"));
        assert_false(engine_cancel(r.engine, t.job_id, NULL));
        struct engine_result result;
        assert_ok(engine_wait(r.engine, t.job_id, PATIENCE_MS, NULL, &result, &error));
        assert_int_equal(result.state, ENGINE_STATE_CANCELLED);
        assert_string_equal(result.message, "the user said so");
        rig_until(({ /* long before the phase is over */
                     struct engine_snapshot *s = rig_snapshot(&r);
                     bool idle = true;
                     for (size_t k = 0; k < s->worker_count; k++)
                         idle &= !s->workers[k].busy || strcmp(s->workers[k].job_id, t.job_id) != 0;
                     engine_snapshot_free(s);
                     idle;
        }));
        r.device[0]->shut = 0;
        const struct engine_ticket next = rig_submit(&r, 'n', 1, ENGINE_WINDOW_POST, NULL);
        if (at != ENGINE_PHASE_PARSE && at != ENGINE_PHASE_WITNESS)
            rig_expect(&r, &next, ENGINE_STATE_COMPLETED);
        rig_end(&r);
    }
}

/* A device that has gone too far to stop ends its work for nothing, and all that it held comes back. */
static void what_a_cancelled_job_held_comes_back(void **state)
{
    struct rig r;
    (void)state;
    for (unsigned finish = 0; finish < 2; finish++) {
        rig_init(&r, 1);
        r.device[0]->shut = r.device[0]->deaf = 1;
        r.device[0]->host_bytes = 1 << 20;
        if (!finish)
            r.device[0]->device.finish = NULL;
        rig_start(&r);
        const struct engine_ticket t = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
        rig_until(r.device[0]->on_it == 1 && r.device[0]->prepared == 2);
        assert_true(engine_cancel(r.engine, t.job_id, NULL));
        rig_expect(&r, &t, ENGINE_STATE_CANCELLED);
        r.device[0]->shut = 0;
        rig_until(({
            struct engine_snapshot *s = rig_snapshot(&r);
            const bool back = s->memory.reserved == 0 && s->srs[0].refs == 0;
            engine_snapshot_free(s);
            back;
        }));
        assert_int_equal(r.device[0]->discarded, 2);
        assert_int_equal(r.work->verified, 0);
        rig_end(&r);
    }
}

static void attached_jobs_end_with_their_last_client(void **state)
{
    struct rig r;
    const struct engine_submission attached = {.flags = ENGINE_ATTACHED};
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, &attached);
    rig_submit(&r, 'a', 1, ENGINE_POREP, &attached);
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_POREP, &attached);
    rig_submit(&r, 'b', 1, ENGINE_POREP, NULL);
    engine_leave(r.engine, a.job_id);
    engine_leave(r.engine, b.job_id);
    struct engine_result result;
    assert_ok(engine_wait(r.engine, a.job_id, 20, NULL, &result, &error));
    assert_true(result.state == ENGINE_STATE_RUNNING || result.state == ENGINE_STATE_QUEUED);
    engine_leave(r.engine, a.job_id);
    rig_expect(&r, &a, ENGINE_STATE_CANCELLED);
    r.device[0]->shut = 0;
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

static void waits_end_in_time(void **state)
{
    struct rig r;
    struct engine_result result;
    volatile int now = 1;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_submission late = {.deadline_unix_ms = 1, .flags = ENGINE_EXPIRES};
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    const uint64_t start = timing_now();
    assert_ok(engine_wait(r.engine, a.job_id, 60, NULL, &result, &error));
    assert_true(timing_now() - start >= 60000000ull);
    assert_ok(engine_wait(r.engine, a.job_id, 0, &now, &result, &error));
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_POREP, &late);
    rig_expect(&r, &b, ENGINE_STATE_CANCELLED); /* its deadline has passed */
    assert_false(engine_drain(r.engine, 60, NULL));
    struct engine_ticket c;
    assert_int_equal(rig_try(&r, 'c', 1, ENGINE_POREP, NULL, &c), CUZK_ERR_UNAVAILABLE);
    char why[CUZK_ERROR_MESSAGE_MAX];
    assert_false(engine_ready(r.engine, why));
    assert_string_equal(why, "draining");
    r.device[0]->shut = 0;
    assert_true(engine_drain(r.engine, 0, NULL));
    rig_end(&r);
}

static void full_queues_refuse(void **state)
{
    struct rig r;
    struct engine_ticket t;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    r.options.max_jobs = 4;
    r.options.max_jobs_by_kind[ENGINE_POREP] = 2;
    r.options.max_payload = 20;
    r.options.max_queued_bytes = 40;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    rig_submit(&r, 'b', 1, ENGINE_POREP, NULL);
    assert_int_equal(rig_try(&r, 'c', 1, ENGINE_POREP, NULL, &t), CUZK_ERR_EXHAUSTED);
    assert_non_null(strstr(error.message, "porep-c2"));
    assert_int_equal(rig_try(&r, 'c', 21, ENGINE_SNAP, NULL, &t), CUZK_ERR_EXHAUSTED);
    rig_submit(&r, 'c', 20, ENGINE_SNAP, NULL);
    assert_int_equal(rig_try(&r, 'd', 19, ENGINE_SNAP, NULL, &t), CUZK_ERR_EXHAUSTED);
    assert_non_null(strstr(error.message, "payloads"));
    rig_submit(&r, 'd', 1, ENGINE_SNAP, NULL);
    assert_int_equal(rig_try(&r, 'e', 1, ENGINE_WINNING_POST, NULL, &t), CUZK_ERR_EXHAUSTED);
    assert_non_null(strstr(error.message, "max_jobs"));
    assert_ok(rig_try(&r, 'a', 1, ENGINE_POREP, NULL, &t)); /* joining takes no room */
    assert_true(t.joined);
    assert_true(engine_cancel(r.engine, a.job_id, NULL));
    rig_submit(&r, 'e', 1, ENGINE_WINNING_POST, NULL);
    r.device[0]->shut = 0;
    assert_true(engine_drain(r.engine, 0, NULL));
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_goes_through_all_lanes),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(work_is_ordered_by_deadline_priority_parameters_and_age),
        cmocka_unit_test(a_winning_proof_is_next_on_the_device),
        cmocka_unit_test(a_repetition_joins_or_gets_the_result),
        cmocka_unit_test(a_failed_job_can_be_sent_again),
        cmocka_unit_test(cancel_works_in_every_lane),
        cmocka_unit_test(what_a_cancelled_job_held_comes_back),
        cmocka_unit_test(attached_jobs_end_with_their_last_client),
        cmocka_unit_test(waits_end_in_time),
        cmocka_unit_test(full_queues_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

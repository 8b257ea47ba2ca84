/* tests/unit/test_engine_batch.c - devices that prove in two steps: what is settled together and when, urgent
 * partitions in between, faults, cancels and device memory.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine_testing.h"

/* One device that settles up to `most`; those prepared are so far ahead that batches depend on order alone.
 */
static struct mock_device *batch_rig(struct rig *r, unsigned devices, unsigned most, unsigned partitions)
{
    rig_init(r, devices);
    mock_batches(r->device[0], most);
    r->device[0]->expected = partitions;
    return r->device[0];
}

static const struct engine_submission other_circuit = {.sector_size = 1};

static void partitions_are_settled_when_a_batch_is_full_or_nothing_comes(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 1, 3, 5);
    d->shut = 1;
    rig_start(&r);
    const struct engine_ticket t = rig_submit(&r, 'a', 5, ENGINE_POREP, NULL);
    rig_until(rig_in(&r, &t, 1, ENGINE_PHASE_READY) && rig_in(&r, &t, 2, ENGINE_PHASE_READY));
    d->shut = 0; /* the third is prefetched at least */
    rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    assert_string_equal(d->log, "a0 a1 a2 [a0a1a2] a3 a4 [a3a4]");
    assert_true(d->prefetched >= 1 && d->prefetched <= 4);
    struct engine_snapshot *s = rig_snapshot(&r);
    unsigned bars = 0, together = 0;
    for (size_t i = 0; i < s->interval_count; i++) {
        bars += s->workers[s->intervals[i].row].lane == ENGINE_LANE_DEVICE;
        together += s->intervals[i].together;
    }
    assert_int_equal(bars, 7);
    assert_int_equal(together, 5);
    assert_int_equal(s->devices[0].in_batch, 0);
    assert_int_equal(s->devices[0].proofs, 5);
    engine_snapshot_free(s);
    rig_end(&r);
}

static void batches_form_over_sectors(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 1, 4, 4);
    d->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL),
                               b = rig_submit(&r, 'b', 2, ENGINE_POREP, NULL);
    rig_until(r.work->parsed == 2);
    d->shut = 0;
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    assert_string_equal(d->log, "a0 a1 b0 b1 [a0a1b0b1]");
    rig_end(&r);
}

static void another_circuit_closes_a_batch(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 1, 4, 5);
    d->beside = true;
    d->ahead = 2;
    d->shut = 1;
    rig_start(&r);
    const struct engine_submission high = {.sector_size = 1, .priority = ENGINE_HIGH};
    const struct engine_ticket a = rig_submit(&r, 'a', 4, ENGINE_POREP, NULL);
    rig_until(d->prepared == 3);
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_SNAP, &high);
    rig_until(rig_parsed(&r, 'b'));
    d->let = 1; /* the second goes on the device and leaves its place before it */
    rig_until(rig_in(&r, &b, 0, ENGINE_PHASE_READY));
    d->shut = 0;
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    assert_string_equal(d->log, "a0 a1 [a0a1] b0 [b0] a2 a3 [a2a3]");
    rig_end(&r);
}

/* An urgent partition comes while the second one is on the device. */
static void urgent_order(unsigned most, bool beside, const char *expected)
{
    struct rig r;
    struct mock_device *d = batch_rig(&r, 1, most, 5);
    d->beside = beside;
    rig_start(&r);
    d->shut = 1;
    const struct engine_ticket a = rig_submit(&r, 'a', 4, ENGINE_POREP, NULL);
    rig_until(d->on_it == 1 && d->prepared == 3);
    const struct engine_ticket w = rig_submit(&r, 'w', 1, ENGINE_WINNING_POST, &other_circuit);
    rig_until(rig_in(&r, &w, 0, ENGINE_PHASE_READY));
    d->shut = 0;
    rig_expect(&r, &w, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    assert_string_equal(d->log, expected);
    rig_end(&r);
}

static void an_urgent_partition_goes_between_those_of_a_batch(void **state)
{
    (void)state;
    urgent_order(4, true, "a0 w0 [w0] a1 a2 a3 [a0a1a2a3]");
}

static void an_urgent_partition_goes_before_a_full_batch_is_settled(void **state)
{
    (void)state;
    urgent_order(1, true, "a0 w0 [w0] [a0] a1 [a1] a2 [a2] a3 [a3]");
}

static void a_batch_is_settled_for_an_urgent_one_that_has_no_room_beside(void **state)
{
    (void)state;
    urgent_order(4, false, "a0 [a0] w0 [w0] a1 a2 a3 [a1a2a3]");
}

static void urgent_partitions_are_settled_together_too(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 1, 4, 3);
    rig_start(&r);
    d->shut = 1;
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_WINDOW_POST, NULL);
    rig_until(d->on_it == 1);
    const struct engine_ticket b = rig_submit(&r, 'b', 2, ENGINE_WINDOW_POST, NULL);
    rig_until(rig_in(&r, &b, 0, ENGINE_PHASE_READY) && rig_in(&r, &b, 1, ENGINE_PHASE_READY));
    d->shut = 0;
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    assert_string_equal(d->log, "a0 b0 b1 [a0b0b1]");
    rig_end(&r);
}

static unsigned bundles_in(const struct rig *r)
{
    char path[256];
    unsigned bundles = 0;
    snprintf(path, sizeof path, "%s/bundles", r->state);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
        bundles += e->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return bundles;
}

/* Two devices; the second is shut and so has two of the five partitions, the first settles the others. */
static void a_failed_settling_is_made_good_elsewhere(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 2, 3, 3);
    d->settle_fails = 1;
    d->sick = 1;
    r.device[1]->shut = 1;
    r.options.state_folder = r.state;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 5, ENGINE_POREP, NULL);
    rig_until(d->settles == 1);
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(&r);
        const bool out = s->devices[0].quarantined;
        engine_snapshot_free(s);
        out;
    }));
    r.device[1]->shut = 0;
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    struct engine_counters c;
    engine_counters(r.engine, &c);
    assert_int_equal(c.retries, 3);
    assert_int_equal(c.device_failures, 3);
    assert_int_equal(c.quarantines, 1);
    assert_int_equal(r.device[1]->proved, 5);
    assert_int_equal(bundles_in(&r), 1); /* of the job, not of each partition */
    /* and when the device is well it settles again */
    d->sick = 0;
    d->expected = 0;
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(&r);
        const bool back = !s->devices[0].quarantined;
        engine_snapshot_free(s);
        back;
    }));
    r.device[1]->shut = 1;
    const struct engine_ticket b = rig_submit(&r, 'b', 4, ENGINE_POREP, NULL);
    rig_until(d->settles >= 2);
    r.device[1]->shut = 0;
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

/* What waits on a device in a batch is lost with it, and is not to blame. */
static void a_fault_sends_an_open_batch_elsewhere(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 2, 3, 3);
    d->sick = 1;
    r.device[1]->shut = 1;
    d->shut = 1;
    d->let = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 5, ENGINE_POREP, NULL);
    rig_until(d->proved == 1 && d->on_it == 1);
    d->fault = MOCK_FAILS;
    d->shut = 0;
    rig_until(d->open == 0);
    r.device[1]->shut = 0;
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    struct engine_counters c;
    engine_counters(r.engine, &c);
    assert_int_equal(c.device_failures, 1);
    assert_int_equal(c.quarantines, 1);
    assert_int_equal(d->settles, 0);
    rig_end(&r);
}

static void a_cancel_leaves_the_rest_of_a_batch_alone(void **state)
{
    struct rig r;
    (void)state;
    /* before it is settled */
    struct mock_device *d = batch_rig(&r, 1, 4, 4);
    d->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    rig_until(d->on_it == 1);
    const struct engine_ticket b = rig_submit(&r, 'b', 2, ENGINE_POREP, NULL);
    d->ahead = 2;
    rig_until(r.work->parsed == 2);
    d->shut = 0;
    rig_until(rig_in(&r, &a, 0, ENGINE_PHASE_BATCH) && d->on_it == 1);
    assert_true(engine_cancel(r.engine, a.job_id, NULL));
    d->expected = 0;
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &a, ENGINE_STATE_CANCELLED);
    assert_string_equal(d->log, "a0 b0 b1 [b0b1]");
    /* and while it is */
    d->log[0] = 0;
    d->ahead = 1;
    d->settle_shut = 1;
    d->shut = 1;
    d->expected = d->prepared + 2;
    const struct engine_ticket e = rig_submit(&r, 'e', 1, ENGINE_POREP, NULL),
                               f = rig_submit(&r, 'f', 1, ENGINE_POREP, NULL);
    rig_until(r.work->parsed == 4);
    d->shut = 0;
    rig_until(rig_in(&r, &e, 0, ENGINE_PHASE_SETTLE));
    assert_true(engine_cancel(r.engine, e.job_id, NULL));
    rig_expect(&r, &e, ENGINE_STATE_CANCELLED);
    d->settle_shut = 0;
    rig_expect(&r, &f, ENGINE_STATE_COMPLETED);
    assert_string_equal(d->log, "e0 f0 [e0f0]");
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(&r);
        const bool back = s->memory.reserved == 0 && s->srs[0].refs == 0;
        engine_snapshot_free(s);
        back;
    }));
    rig_end(&r);
}

static void memory_of_the_device_is_reserved(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 1, 9, 4);
    d->total = 100;
    d->need = (struct engine_need){.device = 60, .kept = 30};
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 4, ENGINE_POREP, NULL);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    assert_string_equal(d->log, "a0 a1 [a0a1] a2 a3 [a2a3]");
    struct engine_snapshot *s = rig_snapshot(&r);
    assert_int_equal(s->devices[0].memory_total, 100);
    assert_int_equal(s->devices[0].memory_reserved, 0);
    engine_snapshot_free(s);
    rig_end(&r);
}

/* Parameters that it does not take, or too little memory: no fault, and another device's. */
static void what_a_device_cannot_do_another_does(void **state)
{
    struct rig r;
    struct engine_counters c;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct mock_device *d = batch_rig(&r, 2, 3, 0);
        d->unable = i == 0;
        d->total = 100;
        d->need.device = i == 0 ? 0 : 101;
        rig_start(&r);
        const struct engine_ticket a = rig_submit(&r, 'a', 4, ENGINE_POREP, NULL);
        rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
        assert_int_equal(d->prepared, 0);
        assert_int_equal(r.device[1]->proved, 4);
        engine_counters(r.engine, &c);
        assert_int_equal(c.device_failures + c.quarantines, 0);
        rig_end(&r);
    }
    struct mock_device *d = batch_rig(&r, 1, 3, 0);
    struct engine_result result;
    d->unable = true;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
    assert_ok(engine_wait(r.engine, a.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_FAILED);
    assert_int_equal(result.status, CUZK_ERR_UNSUPPORTED);
    assert_false(result.retry);
    assert_string_equal(result.message, "not from these parameters");
    engine_result_free(&result);
    rig_end(&r);
}

static void what_is_in_a_batch_at_the_end_is_taken_up_again(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 1, 8, 8);
    d->ahead = 2;
    d->shut = 1;
    r.options.state_folder = r.state;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 4, ENGINE_POREP, NULL);
    rig_until(d->on_it == 1);
    d->shut = 0;
    rig_until(d->proved == 2 && d->on_it == 1); /* the third waits for a fifth */
    engine_stop(r.engine);
    engine_free(r.engine); /* the device sees that nothing is left open */
    r.device[0] = mock_device_new("mock 0");
    mock_batches(r.device[0], 8);
    r.work = mock_work_new();
    rig_start(&r);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

static void preloaded_parameters_are_on_the_device(void **state)
{
    struct rig r;
    (void)state;
    struct mock_device *d = batch_rig(&r, 1, 3, 0);
    bool was;
    uint64_t ms, freed;
    rig_start(&r);
    assert_ok(engine_preload(r.engine, "mock-a", &was, &ms, &error));
    struct engine_snapshot *s = rig_snapshot(&r);
    assert_int_equal(s->srs[0].tier, ENGINE_HOT);
    engine_snapshot_free(s);
    assert_int_equal(d->holds, 1);
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_POREP, &other_circuit);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    s = rig_snapshot(&r); /* the other circuit has taken its place */
    assert_int_equal(s->srs[0].tier, ENGINE_WARM);
    assert_int_equal(s->srs[1].tier, ENGINE_HOT);
    engine_snapshot_free(s);
    assert_ok(engine_evict(r.engine, "mock-a", &was, &freed, &error));
    assert_true(was);
    assert_int_equal(d->dropped, 1);
    rig_end(&r);
}

/* Jobs of all kinds and circuits, cancels, and faults of both devices at any time: each job ends once, and
 * nothing stays behind. */
static void many_jobs_with_cancels_and_faults(void **state)
{
    static const enum engine_kind kinds[] = {ENGINE_POREP, ENGINE_SNAP, ENGINE_POREP, ENGINE_WINNING_POST,
                                             ENGINE_WINDOW_POST};
    struct rig r;
    struct engine_ticket t[120];
    unsigned state_of[6] = {0}, cancelled = 0;
    uint64_t seed = 5;
    (void)state;
    batch_rig(&r, RIG_DEVICES, 4, 0);
    mock_batches(r.device[1], 3);
    r.device[1]->beside = true;
    r.options.quarantine_ms = 1;
    for (unsigned d = 0; d < RIG_DEVICES; d++) {
        r.device[d]->prepare_us = r.device[d]->prove_us = 300;
        r.device[d]->settle_us = 600;
        r.device[d]->total = 100;
        r.device[d]->need = (struct engine_need){.device = 40, .kept = 15};
    }
    rig_start(&r);
    for (unsigned i = 0; i < ARRAY_LEN(t); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const unsigned chance = (unsigned)(seed >> 40);
        const enum engine_kind kind = kinds[chance % ARRAY_LEN(kinds)];
        const bool post = kind == ENGINE_WINNING_POST || kind == ENGINE_WINDOW_POST;
        const struct engine_submission s = {.miner_id = i, .sector_size = post ? 2 : chance % 2};
        r.device[0]->shut = r.device[1]->shut = i == 0; /* one at least does not end before it is cancelled */
        t[i] = rig_submit(&r, 'a', 1 + chance / 64 % 5, kind, &s);
        if (chance / 512 % 8 == 0)
            r.device[chance % RIG_DEVICES]->settle_fails = 1;
        if (chance / 512 % 8 == 1)
            r.device[chance % RIG_DEVICES]->fault = MOCK_FAILS;
        if (chance / 512 % 8 == 2 || i == 0)
            cancelled += engine_cancel(r.engine, t[chance % (i + 1)].job_id, NULL);
        usleep(chance / 4096 % 1500);
        r.device[0]->fault = r.device[1]->fault = MOCK_WELL;
    }
    for (unsigned i = 0; i < ARRAY_LEN(t); i++) {
        struct engine_result result;
        assert_ok(engine_wait(r.engine, t[i].job_id, PATIENCE_MS, NULL, &result, &error));
        assert_true(result.state >= ENGINE_STATE_COMPLETED);
        state_of[result.state]++;
        engine_result_free(&result);
    }
    print_message("%u completed, %u failed on both devices, %u cancelled\n", state_of[ENGINE_STATE_COMPLETED],
                  state_of[ENGINE_STATE_FAILED], state_of[ENGINE_STATE_CANCELLED]);
    assert_true(state_of[ENGINE_STATE_COMPLETED] > 60);
    assert_true(cancelled > 0);
    assert_int_equal(state_of[ENGINE_STATE_CANCELLED], cancelled);
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(&r);
        bool back = s->memory.reserved == 0;
        for (unsigned d = 0; d < RIG_DEVICES; d++)
            back &= s->devices[d].memory_reserved == 0 && s->devices[d].in_batch == 0;
        for (size_t i = 0; i < s->srs_count; i++)
            back &= s->srs[i].refs == 0;
        engine_snapshot_free(s);
        back;
    }));
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_are_settled_when_a_batch_is_full_or_nothing_comes),
        cmocka_unit_test(batches_form_over_sectors),
        cmocka_unit_test(another_circuit_closes_a_batch),
        cmocka_unit_test(an_urgent_partition_goes_between_those_of_a_batch),
        cmocka_unit_test(an_urgent_partition_goes_before_a_full_batch_is_settled),
        cmocka_unit_test(a_batch_is_settled_for_an_urgent_one_that_has_no_room_beside),
        cmocka_unit_test(urgent_partitions_are_settled_together_too),
        cmocka_unit_test(a_failed_settling_is_made_good_elsewhere),
        cmocka_unit_test(a_fault_sends_an_open_batch_elsewhere),
        cmocka_unit_test(a_cancel_leaves_the_rest_of_a_batch_alone),
        cmocka_unit_test(memory_of_the_device_is_reserved),
        cmocka_unit_test(what_a_device_cannot_do_another_does),
        cmocka_unit_test(what_is_in_a_batch_at_the_end_is_taken_up_again),
        cmocka_unit_test(preloaded_parameters_are_on_the_device),
        cmocka_unit_test(many_jobs_with_cancels_and_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

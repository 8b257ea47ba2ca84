/* tests/unit/test_engine_flow.c - the pipeline's accounts, and memory that comes back.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine_testing.h"

#include <malloc.h>

/* ---- accounts ---- */

/* The last job's spans follow each other without a gap from the moment of acceptance till the end. Between
 * the end of its last partition and the journal: the nanoseconds that no span tells, and those of all. */
static void look_for_gaps(struct rig *r, uint64_t *gap, uint64_t *total)
{
    struct engine_snapshot *s = rig_snapshot(r);
    const struct engine_job_view *j = &s->jobs[0];
    for (size_t i = 1; i < s->job_count; i++)
        if (s->jobs[i].accepted_ns > j->accepted_ns)
            j = &s->jobs[i];
    uint64_t last = 0;
    for (unsigned i = 0; i < j->partition_count; i++) {
        const struct engine_partition_view *p = &j->partitions[i];
        assert_int_equal(p->phase, ENGINE_PHASE_DONE);
        assert_int_equal(p->spans[0].start_ns, j->accepted_ns);
        for (unsigned k = 1; k < p->span_count; k++)
            assert_int_equal(p->spans[k].start_ns, p->spans[k - 1].end_ns);
        const uint64_t end = p->spans[p->span_count - 1].end_ns;
        last = end > last ? end : last;
    }
    uint64_t before = 0, after = 0;
    bool received = false, replied = false;
    for (unsigned k = 0; k < j->span_count; k++) {
        if (strcmp(j->spans[k].name, "accept") == 0)
            before = j->spans[k].end_ns;
        if (strcmp(j->spans[k].name, "journal") == 0)
            after = j->spans[k].start_ns;
        received |= strcmp(j->spans[k].name, "receive") == 0;
        replied |= strcmp(j->spans[k].name, "reply") == 0;
    }
    assert_true(received && replied);
    assert_int_equal(before, j->accepted_ns);
    assert_true(after >= last);
    *gap = after - last;
    *total = j->ended_ns - j->accepted_ns;
    engine_snapshot_free(s);
}

static void every_moment_is_accounted_for(void **state)
{
    struct rig r;
    uint64_t gap, total, miner = 0;
    (void)state;
    rig_init(&r, 2);
    r.options.state_folder = r.state;
    r.work->parse_us = r.work->check_us = r.work->verify_us = 2000;
    r.device[0]->prove_us = r.device[1]->prove_us = 5000;
    r.device[0]->fault = MOCK_LIES; /* also what is done twice */
    rig_start(&r);
    rig_until(({ /* there is a gap where a thread has to wait for a processor, but not always */
                 const struct engine_submission early = {.received_ns = timing_now() - 3000000,
                                                         .miner_id = miner++};
                 const struct engine_ticket t = rig_submit(&r, 'a', 5, ENGINE_POREP, &early);
                 rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
                 engine_job_span(r.engine, t.job_id, "reply", timing_now(), timing_now() + 1000);
                 look_for_gaps(&r, &gap, &total);
                 gap < total / 100;
    }));
    rig_end(&r);
}

static bool is_work(const struct engine_span *s)
{
    static const char *const names[] = {"parse",  "parameters", "witness", "device",
                                        "settle", "finish",     "verify"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(s->name, names[i]) == 0)
            return true;
    return false;
}

/* Nanoseconds from acceptance till its partitions' end in which none of them is worked on, by their spans. */
static uint64_t idle_ns(const struct engine_job_view *j)
{
    uint64_t at = j->accepted_ns, idle = 0, next;
    do {
        uint64_t busy_till = 0;
        next = UINT64_MAX;
        for (unsigned i = 0; i < j->partition_count; i++)
            for (unsigned k = 0; k < j->partitions[i].span_count; k++) {
                const struct engine_span *s = &j->partitions[i].spans[k];
                if (!is_work(s) || s->end_ns <= at)
                    continue;
                if (s->start_ns <= at)
                    busy_till = s->end_ns;
                else if (s->start_ns < next)
                    next = s->start_ns;
            }
        if (!busy_till && next != UINT64_MAX)
            idle += next - at;
        at = busy_till ? busy_till : next;
    } while (at != UINT64_MAX);
    return idle;
}

/* What the result tells of waiting is what the spans tell: of the job's last moments neither does. */
static void expect_waited(struct rig *r, const struct engine_ticket *t, struct engine_result *result)
{
    assert_ok(engine_wait(r->engine, t->job_id, PATIENCE_MS, NULL, result, &error));
    assert_int_equal(result->state, ENGINE_STATE_COMPLETED);
    struct engine_snapshot *s = rig_snapshot(r);
    bool found = false;
    for (size_t i = 0; i < s->job_count; i++) {
        const struct engine_job_view *j = &s->jobs[i];
        if (strcmp(j->job_id, t->job_id) != 0)
            continue;
        uint64_t last = 0;
        for (unsigned k = 0; k < j->partition_count; k++) {
            const struct engine_partition_view *p = &j->partitions[k];
            const uint64_t end = p->spans[p->span_count - 1].end_ns;
            last = end > last ? end : last;
        }
        found = true;
        const uint64_t idle = idle_ns(j);
        assert_in_range(result->queue_wait_ms, idle / 1000000, (idle + j->ended_ns - last) / 1000000);
    }
    assert_true(found);
    engine_snapshot_free(s);
}

/* Waiting is told: before the first lane, and before those that follow. */
static void waiting_for_a_lane_is_told(void **state)
{
    struct rig r;
    struct engine_result result;
    const unsigned ms = 60;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    rig_start(&r);
    struct engine_ticket t[3];
    for (int i = 0; i < 3; i++) {
        t[i] = rig_submit(&r, (char)('a' + i), 1, ENGINE_POREP, NULL);
        rig_until(i == 0   ? r.device[0]->on_it == 1
                  : i == 1 ? rig_in(&r, &t[i], 0, ENGINE_PHASE_READY)
                           : rig_parsed(&r, 'c'));
    }
    usleep(ms * 1000); /* one is on the device, one is ready for it, one is parsed */
    r.device[0]->shut = 0;
    for (int i = 0; i < 3; i++) {
        expect_waited(&r, &t[i], &result);
        assert_true(i == 0 ? result.gpu_compute_ms >= ms : result.queue_wait_ms >= ms);
        assert_true(result.queue_wait_ms + result.synthesis_ms + result.gpu_compute_ms <= result.total_ms);
        engine_result_free(&result);
    }
    /* one whose partitions are worked on one after the other does not wait meanwhile */
    r.device[0]->shut = 1;
    const struct engine_ticket many = rig_submit(&r, 'd', 4, ENGINE_POREP, NULL);
    rig_until(r.device[0]->on_it == 1 && rig_in(&r, &many, 1, ENGINE_PHASE_READY));
    usleep(ms * 1000);
    r.device[0]->shut = 0;
    expect_waited(&r, &many, &result);
    assert_true(result.queue_wait_ms + ms <= result.total_ms);
    engine_result_free(&result);
    rig_end(&r);
}

static bool collect(void *user, const char *text, size_t size)
{
    char *out = user;
    const size_t used = strlen(out);
    assert_true(used + size < 1 << 20);
    memcpy(out + used, text, size);
    out[used + size] = '\0';
    return true;
}

static bool refuse(void *user, const char *text, size_t size)
{
    (void)user, (void)text, (void)size;
    return false;
}

static unsigned occurrences(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static void traces_of_jobs_and_windows_can_be_had(void **state)
{
    struct rig r;
    char *out = calloc(1, 1 << 20);
    (void)state;
    rig_init(&r, 1);
    rig_start(&r);
    const uint64_t start = timing_now();
    const struct engine_ticket t = rig_submit(&r, 'a', 3, ENGINE_POREP, NULL);
    rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    assert_ok(engine_trace(r.engine, t.job_id, 0, 0, collect, out, &error));
    assert_int_equal(occurrences(out, "\"thread_name\""), 4);
    assert_int_equal(occurrences(out, "\"cat\":\"phase\",\"ts\":"), occurrences(out, "\"cat\":\"phase\""));
    assert_true(occurrences(out, "\"name\":\"device\"") == 3 && occurrences(out, "\"name\":\"work\"") == 3);
    assert_int_equal(occurrences(out, "{"), occurrences(out, "}"));
    out[0] = '\0';
    rig_until(({
        out[0] = '\0';
        assert_ok(engine_trace(r.engine, NULL, start, 0, collect, out, &error));
        occurrences(out, "\"cat\":\"verify\"") == 3;
    }));
    assert_int_equal(occurrences(out, "\"cat\":\"device\""), 3);
    assert_int_equal(occurrences(out, "\"cat\":\"parse\""), 1);
    out[0] = '\0';
    assert_ok(engine_trace(r.engine, NULL, 0, start, collect, out, &error));
    assert_int_equal(occurrences(out, "\"ph\":\"X\""), 0);
    assert_int_equal(engine_trace(r.engine, "j0", 0, 0, collect, out, &error), CUZK_ERR_NOT_FOUND);
    assert_int_equal(engine_trace(r.engine, NULL, 0, 0, refuse, NULL, &error), CUZK_ERR_IO);
    free(out);
    rig_end(&r);
}

static void a_snapshot_shows_the_whole(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
    rig_until(r.device[0]->on_it == 1);
    rig_submit(&r, 'b', 1, ENGINE_SNAP, NULL);
    rig_until(r.work->parsed == 2);
    struct engine_snapshot *s = rig_snapshot(&r);
    assert_int_equal(s->job_count, 2);
    assert_string_equal(s->jobs[0].job_id, a.job_id);
    assert_string_equal(s->jobs[0].request_id, "job-a");
    assert_string_equal(s->jobs[0].circuit, "mock-a");
    assert_string_equal(s->devices[0].job_id, a.job_id);
    assert_string_equal(s->devices[0].name, "mock 0");
    assert_int_equal(s->queue_depth + s->running, 2);
    for (unsigned k = 0; k < ENGINE_KINDS - 1; k++) { /* every kind, whether there is one or not */
        assert_int_equal(s->queues[k].kind, k + 1);
        assert_int_equal(s->queues[k].pending + s->queues[k].in_progress, k < 2);
    }
    assert_int_equal(s->worker_count, 7); /* two and an urgent one each, finish, verify, device */
    assert_true(s->ready);
    assert_string_equal(s->not_ready, "");
    assert_true(s->memory.rss && s->memory.total && s->memory.limit == 64 << 20);
    engine_snapshot_free(s);
    const struct engine_snapshot_limits one = {.jobs = 1, .no_partitions = true};
    assert_ok(engine_snapshot(r.engine, &one, &s, &error));
    assert_int_equal(s->job_count, 1);
    assert_null(s->jobs[0].partitions);
    engine_snapshot_free(s);
    r.device[0]->shut = 0;
    assert_true(engine_drain(r.engine, 0, NULL));
    rig_end(&r);
}

/* ---- memory ---- */

static size_t in_use(void)
{
    return mallinfo2().uordblks;
}

static void run_many(struct rig *r, unsigned from, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct engine_submission s = {.miner_id = from + i};
        struct engine_ticket t;
        while (rig_try(r, (char)('a' + i % 20), 1 + i % 4, ENGINE_POREP, &s, &t) == CUZK_ERR_EXHAUSTED)
            usleep(1000);
        if (i % 7 == 3)
            engine_cancel(r->engine, t.job_id, NULL);
        if (i % 11 == 5)
            r->device[0]->fault = MOCK_FAILS;
        if (i % 11 == 7)
            r->device[0]->fault = MOCK_WELL;
    }
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(r);
        const bool idle = s->queue_depth + s->running == 0 && s->memory.reserved == 0;
        engine_snapshot_free(s);
        idle;
    }));
}

static void memory_comes_back(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 2);
    r.options.quarantine_ms = 1;
    r.options.keep_jobs = 20;
    r.device[0]->host_bytes = r.device[1]->host_bytes = 5 << 20;
    rig_start(&r);
    run_many(&r, 0, 100);
    rig_until(({ /* the kept ones are pruned to their number */
                 struct engine_snapshot *s = rig_snapshot(&r);
                 const bool pruned = s->job_count <= 20;
                 engine_snapshot_free(s);
                 pruned;
    }));
    usleep(100000);
    const size_t before = in_use();
    run_many(&r, 1000, 400);
    rig_until(in_use() <= before + before / 20);
    print_message("in use: %zu KiB, then %zu KiB\n", before >> 10, in_use() >> 10);
    rig_end(&r);
}

static bool leak_is_told(struct rig *r, bool of_device)
{
    struct engine_snapshot *s = rig_snapshot(r);
    const bool told = of_device ? s->devices[0].leak : s->memory.leak;
    engine_snapshot_free(s);
    return told;
}

static void one_job(struct rig *r, char name)
{
    const struct engine_ticket t = rig_submit(r, name, 1, ENGINE_POREP, NULL);
    rig_expect(r, &t, ENGINE_STATE_COMPLETED);
}

/* Of the process and of a device, against what it was when all was idle after the first proof. */
static void memory_that_does_not_come_back_is_told(void **state)
{
    struct rig r;
    const size_t size = (size_t)200 << 20;
    struct block lost;
    (void)state;
    rig_init(&r, 1);
    r.device[0]->device.memory = mock_memory;
    r.device[0]->total = (uint64_t)4 << 30;
    rig_start(&r);
    one_job(&r, 'a');
    rig_until(({
        struct engine_snapshot *s = rig_snapshot(&r);
        const bool known = s->memory.baseline != 0;
        engine_snapshot_free(s);
        known;
    }));
    assert_false(leak_is_told(&r, false) || leak_is_told(&r, true));
    assert_ok(block_new(&lost, NULL, 1, size, "what is lost", &error));
    memset(lost.ptr, 1, size);
    r.device[0]->lost = size;
    one_job(&r, 'b');
    rig_until(leak_is_told(&r, false) && leak_is_told(&r, true));
    block_free(&lost);
    r.device[0]->lost = 0;
    one_job(&r, 'c');
    rig_until(!leak_is_told(&r, false) && !leak_is_told(&r, true));
    rig_end(&r);
}

/* ---- many clients ---- */

struct client {
    struct rig *r;
    unsigned number, ended;
    pthread_t thread;
};

static void *client_main(void *arg)
{
    struct client *c = arg;
    unsigned seed = c->number;
    for (unsigned i = 0; i < 25; i++) {
        const unsigned job = (unsigned)rand_r(&seed) % 40; /* several clients ask for the same */
        const struct engine_submission s = {.miner_id = job, .flags = i % 2 ? ENGINE_ATTACHED : 0};
        const enum engine_kind kind = (enum engine_kind)(1 + job % 4);
        struct engine_ticket t;
        struct engine_result result;
        static const uint8_t zeros[32], bytes[4] = "abcd";
        const struct engine_piece pieces[] = {{bytes, 2}, {bytes, 2}};
        struct cuzk_error e;
        char id[32];
        struct engine_submission full = s;
        snprintf(id, sizeof id, "job-%u", job);
        full.request_id = id;
        full.kind = kind;
        full.pieces = pieces;
        full.piece_count = 1 + job % 2;
        full.randomness = full.comm_r_old = full.comm_r_new = full.comm_d_new = zeros;
        full.randomness_size = full.comm_r_old_size = full.comm_r_new_size = full.comm_d_new_size = 32;
        const cuzk_status status = engine_submit(c->r->engine, &full, &t, &e);
        if (status == CUZK_ERR_EXHAUSTED) {
            usleep(2000);
            continue;
        }
        if (status != CUZK_OK)
            return NULL;
        if (i % 5 == 4)
            engine_cancel(c->r->engine, t.job_id, "a client changed its mind");
        if (i % 2 && i % 3 == 0) {
            engine_leave(c->r->engine, t.job_id);
        } else if (engine_wait(c->r->engine, t.job_id, PATIENCE_MS, NULL, &result, &e) == CUZK_OK) {
            c->ended += result.state >= ENGINE_STATE_COMPLETED;
            engine_result_free(&result);
        }
        struct engine_snapshot *snapshot;
        if (engine_snapshot(c->r->engine, NULL, &snapshot, &e) == CUZK_OK)
            engine_snapshot_free(snapshot);
    }
    return arg;
}

static void many_clients_are_served_at_once(void **state)
{
    struct rig r;
    struct client clients[16];
    (void)state;
    rig_init(&r, 2);
    r.options.state_folder = r.state;
    r.options.quarantine_ms = 2;
    r.options.max_jobs = 12;
    r.device[0]->prove_us = r.device[1]->prove_us = 500;
    rig_start(&r);
    for (unsigned i = 0; i < ARRAY_LEN(clients); i++) {
        clients[i] = (struct client){.r = &r, .number = i};
        assert_int_equal(pthread_create(&clients[i].thread, NULL, client_main, &clients[i]), 0);
    }
    for (unsigned i = 0; i < 20; i++) {
        r.device[i % 2]->fault = i % 3 == 0 ? MOCK_LIES : i % 3 == 1 ? MOCK_FAILS : MOCK_WELL;
        usleep(10000);
    }
    r.device[0]->fault = r.device[1]->fault = MOCK_WELL;
    for (unsigned i = 0; i < ARRAY_LEN(clients); i++) {
        void *fine;
        pthread_join(clients[i].thread, &fine);
        assert_non_null(fine);
    }
    assert_true(engine_drain(r.engine, PATIENCE_MS, NULL));
    struct engine_counters c;
    engine_counters(r.engine, &c);
    uint64_t ended = 0;
    for (unsigned k = 1; k < ENGINE_KINDS; k++)
        ended += c.completed[k] + c.failed[k] + c.cancelled[k];
    assert_int_equal(ended, c.accepted);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_moment_is_accounted_for),
        cmocka_unit_test(waiting_for_a_lane_is_told),
        cmocka_unit_test(traces_of_jobs_and_windows_can_be_had),
        cmocka_unit_test(a_snapshot_shows_the_whole),
        cmocka_unit_test(memory_comes_back),
        cmocka_unit_test(memory_that_does_not_come_back_is_told),
        cmocka_unit_test(many_clients_are_served_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/unit/test_engine_journal.c - what survives: processes that are killed at any step, journals gone bad,
 * full disks. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine_testing.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <sqlite3.h>

#include "engine/journal.h"

static void count_row(unsigned *rows, const struct rig *r, const char *sql)
{
    char path[256];
    sqlite3 *db;
    sqlite3_stmt *s;
    snprintf(path, sizeof path, "%s/journal.sqlite", r->state);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    *rows = (unsigned)sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
}

/* Another engine over the same state folder. */
static void start_again(struct rig *r)
{
    r->work = mock_work_new();
    r->device[0] = mock_device_new("mock 0");
    rig_start(r);
}

/* ---- a process that is killed ---- */

struct child {
    pid_t pid;
    int ids; /* where it writes the ids of jobs that were accepted */
};

/* Submit jobs a, b, ... of three partitions and write their ids; go on until killed. kill_at: end by itself
 * when a partition comes to this phase for the n-th time. */
struct suicide {
    enum engine_phase phase;
    unsigned n;
    _Atomic unsigned seen;
};

static void kill_oneself(void *user, const struct engine_event *event)
{
    struct suicide *s = user;
    const bool match = s->phase == ENGINE_PHASE_DONE && s->n == 0
                           ? event->type == ENGINE_EVENT_DONE
                           : event->type == ENGINE_EVENT_PARTITION && event->phase == s->phase;
    if (match && ++s->seen >= s->n)
        kill(getpid(), SIGKILL);
}

static struct child spawn(struct rig *r, char first, unsigned jobs, struct suicide *suicide)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) {
        close(pipes[1]);
        return (struct child){pid, pipes[0]};
    }
    r->work = mock_work_new();
    r->device[0] = mock_device_new("mock 0");
    r->work->parse_us = r->work->check_us = r->work->verify_us = 300;
    r->device[0]->prove_us = 1000;
    r->options.event = suicide ? kill_oneself : NULL;
    r->options.event_user = suicide;
    rig_start(r);
    for (unsigned i = 0; i < jobs; i++) {
        struct engine_ticket t;
        if (rig_try(r, (char)((unsigned)first + i), 3, ENGINE_POREP, NULL, &t) != CUZK_OK ||
            write(pipes[1], t.job_id, sizeof t.job_id) != sizeof t.job_id)
            _exit(1);
    }
    for (;;)
        pause();
}

/* Every job that the child said was accepted ends once, with its own proof. */
static unsigned expect_all(struct rig *r, const struct child *c)
{
    char id[ENGINE_JOB_ID];
    unsigned count = 0;
    while (read(c->ids, id, sizeof id) == sizeof id) {
        struct engine_result result;
        assert_ok(engine_wait(r->engine, id, PATIENCE_MS, NULL, &result, &error));
        if (result.state != ENGINE_STATE_COMPLETED)
            fail_msg("job %u: %s: %s", count, engine_state_name(result.state), result.message);
        assert_int_equal(result.proof_size, 3 * 192);
        engine_result_free(&result);
        count++;
    }
    close(c->ids);
    return count;
}

static void reap(const struct child *c)
{
    int status;
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    assert_true(WIFSIGNALED(status));
}

static void nothing_is_lost_when_killed_at_any_step(void **state)
{
    static const struct {
        enum engine_phase phase;
        unsigned n;
    } steps[] = {{ENGINE_PHASE_QUEUED, 1},  {ENGINE_PHASE_PARSE, 1},  {ENGINE_PHASE_SRS, 1},
                 {ENGINE_PHASE_WITNESS, 1}, {ENGINE_PHASE_DEVICE, 1}, {ENGINE_PHASE_VERIFY, 1},
                 {ENGINE_PHASE_DONE, 1},    {ENGINE_PHASE_DONE, 2},   {ENGINE_PHASE_DONE, 4},
                 {ENGINE_PHASE_DONE, 0},    {ENGINE_PHASE_VERIFY, 7}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct rig r;
        struct suicide suicide = {.phase = steps[i].phase, .n = steps[i].n};
        rig_init(&r, 1);
        free(r.work);
        free(r.device[0]);
        r.options.state_folder = r.state;
        const struct child c = spawn(&r, 'a', 4, &suicide);
        reap(&c);
        start_again(&r);
        expect_all(&r, &c);
        /* whoever sends it again gets the same job */
        struct engine_counters counters;
        engine_counters(r.engine, &counters);
        const uint64_t before = counters.accepted;
        const struct engine_ticket t = rig_submit(&r, 'a', 3, ENGINE_POREP, NULL);
        rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
        engine_counters(r.engine, &counters);
        assert_true(counters.accepted - before <= 1);
        assert_true(engine_drain(r.engine, PATIENCE_MS, NULL));
        unsigned pending, parts;
        count_row(&pending, &r, "SELECT count(*) FROM job");
        count_row(&parts, &r, "SELECT count(*) FROM part");
        assert_int_equal(pending + parts, 0);
        rig_end(&r);
    }
}

static void nothing_is_lost_when_killed_at_random(void **state)
{
    struct rig r;
    struct child children[30];
    unsigned least = 0;
    (void)state;
    rig_init(&r, 1);
    free(r.work);
    free(r.device[0]);
    r.options.state_folder = r.state;
    srand(7);
    for (size_t i = 0; i < ARRAY_LEN(children); i++) {
        const int accepted = rand() % 4; /* so many at least, however slow it is */
        children[i] = spawn(&r, (char)('$' + 3 * i), 3, NULL);
        least += (unsigned)accepted;
        rig_until(({
            int bytes = 0;
            assert_int_equal(ioctl(children[i].ids, FIONREAD, &bytes), 0);
            bytes >= accepted *ENGINE_JOB_ID;
        }));
        usleep((useconds_t)(rand() % 20000));
        kill(children[i].pid, SIGKILL);
        reap(&children[i]);
    }
    start_again(&r);
    unsigned all = 0, results;
    for (size_t i = 0; i < ARRAY_LEN(children); i++)
        all += expect_all(&r, &children[i]);
    assert_true(all >= least && least > 10);
    assert_true(engine_drain(r.engine, PATIENCE_MS, NULL));
    count_row(&results, &r, "SELECT count(*) FROM result");
    assert_true(results >= all);
    rig_end(&r);
}

/* ---- an engine that is stopped ---- */

static void proofs_of_partitions_are_not_made_twice(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.device[0]->shut = 1;
    r.device[0]->let = 2;
    rig_start(&r);
    const struct engine_ticket t = rig_submit(&r, 'a', 5, ENGINE_POREP, NULL);
    unsigned parts;
    rig_until(({
        count_row(&parts, &r, "SELECT count(*) FROM part");
        parts == 2;
    }));
    engine_stop(r.engine);
    struct engine_result result;
    assert_ok(engine_wait(r.engine, t.job_id, 0, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_RUNNING);
    engine_free(r.engine);
    count_row(&parts, &r, "SELECT count(*) FROM part");
    assert_int_equal(parts, 2);
    start_again(&r);
    rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    assert_int_equal(r.device[0]->proved, 3);
    assert_ok(engine_result(r.engine, t.job_id, &result, &error));
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(result.proof[192 * i + 1], i);
    engine_result_free(&result);
    rig_end(&r);
}

/* Proofs of partitions that the journal kept are looked at again: one that is not good is made anew. */
static void kept_proofs_are_verified_anew(void **state)
{
    struct rig r;
    unsigned parts;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.device[0]->shut = 1;
    r.device[0]->let = 2;
    rig_start(&r);
    const struct engine_ticket t = rig_submit(&r, 'a', 5, ENGINE_POREP, NULL);
    rig_until(({
        count_row(&parts, &r, "SELECT count(*) FROM part");
        parts == 2;
    }));
    engine_stop(r.engine);
    engine_free(r.engine);
    unsigned changed;
    count_row(&changed, &r, "UPDATE part SET proof = zeroblob(192) WHERE number = 0 RETURNING 1");
    start_again(&r);
    struct engine_result result;
    assert_ok(engine_wait(r.engine, t.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_COMPLETED);
    assert_int_equal(r.device[0]->proved, 5 - 2 + 1);
    assert_int_equal(r.work->verified, 6); /* all, and the bad one twice */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(result.proof[192 * i + 2], 0x5a);
    engine_result_free(&result);
    rig_end(&r);
}

static void results_are_fetched_after_a_restart_until_they_are_old(void **state)
{
    struct rig r;
    struct engine_result result;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL),
                               bad = rig_submit(&r, '!', 1, ENGINE_POREP, NULL);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &bad, ENGINE_STATE_FAILED);
    engine_free(r.engine);
    start_again(&r);
    assert_ok(engine_wait(r.engine, a.job_id, 0, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_COMPLETED);
    assert_int_equal(result.proof_size, 2 * 192);
    assert_int_equal(result.proof[192 + 1], 1);
    engine_result_free(&result);
    assert_ok(engine_result(r.engine, bad.job_id, &result, &error));
    assert_int_equal(result.status, CUZK_ERR_INPUT);
    assert_string_equal(result.message, "payload: byte 0: malformed");
    const struct engine_ticket again = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
    assert_true(again.joined && again.ended);
    assert_string_equal(again.job_id, a.job_id);
    assert_int_equal(r.device[0]->proved, 0);
    engine_free(r.engine);
    r.options.keep_ms = 1;
    usleep(5000);
    start_again(&r);
    rig_until(({
        assert_ok(engine_result(r.engine, a.job_id, &result, &error));
        const bool gone = result.state == ENGINE_STATE_UNKNOWN;
        engine_result_free(&result);
        gone;
    }));
    rig_end(&r);
}

static void the_journal_does_not_grow(void **state)
{
    struct rig r;
    unsigned rows;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.options.keep_jobs = 5;
    rig_start(&r);
    for (unsigned i = 0; i < 20; i++) {
        const struct engine_submission s = {.miner_id = i};
        const struct engine_ticket t = rig_submit(&r, 'a', 1, ENGINE_POREP, &s);
        rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    }
    engine_free(r.engine);
    start_again(&r); /* prunes at the start, then each minute */
    rig_until(({
        count_row(&rows, &r, "SELECT count(*) FROM result");
        rows <= 5;
    }));
    rig_end(&r);
}

/* ---- payloads in files ---- */

static void large_payloads_are_files_that_go_with_the_job(void **state)
{
    struct rig r;
    char path[256];
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.options.inline_payload = 2;
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 3, ENGINE_POREP, NULL);
    snprintf(path, sizeof path, "%s/spool/%s.payload", r.state, a.job_id);
    assert_int_equal(access(path, F_OK), 0);
    /* one that the daemon spooled is moved */
    char spooled[256];
    snprintf(spooled, sizeof spooled, "%s/incoming-1", engine_spool_folder(r.engine));
    const int fd = open(spooled, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "bbb", 3), 3);
    close(fd);
    const struct engine_piece piece = {NULL, 3};
    const struct engine_submission s = {.request_id = "spooled",
                                        .kind = ENGINE_POREP,
                                        .pieces = &piece,
                                        .piece_count = 1,
                                        .spooled = spooled};
    struct engine_ticket b;
    assert_ok(engine_submit(r.engine, &s, &b, &error));
    assert_int_not_equal(access(spooled, F_OK), 0);
    engine_free(r.engine);
    r.work = mock_work_new();
    r.device[0] = mock_device_new("mock 0");
    snprintf(spooled, sizeof spooled, "%s/spool/left-by-a-crash", r.state);
    close(open(spooled, O_WRONLY | O_CREAT, 0600));
    rig_start(&r);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    rig_until(access(path, F_OK) != 0);
    assert_int_not_equal(access(spooled, F_OK), 0);
    rig_end(&r);
}

static void a_lost_payload_fails_its_job_alone(void **state)
{
    struct rig r;
    char path[256];
    struct engine_result result;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.options.inline_payload = 2;
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 3, ENGINE_POREP, NULL),
                               b = rig_submit(&r, 'b', 1, ENGINE_POREP, NULL);
    engine_free(r.engine);
    snprintf(path, sizeof path, "%s/spool/%s.payload", r.state, a.job_id);
    assert_int_equal(truncate(path, 1), 0);
    start_again(&r);
    assert_ok(engine_wait(r.engine, a.job_id, PATIENCE_MS, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_FAILED);
    assert_int_equal(result.status, CUZK_ERR_IO);
    assert_true(result.retry);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    rig_end(&r);
}

/* ---- bad journals, full disks ---- */

static void a_bad_journal_is_moved_aside(void **state)
{
    struct rig r;
    char path[256];
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    engine_free(r.engine);
    snprintf(path, sizeof path, "%s/journal.sqlite", r.state);
    const int fd = open(path, O_WRONLY);
    static const char garbage[8192] = "this is no journal";
    assert_int_equal(write(fd, garbage, sizeof garbage), sizeof garbage);
    close(fd);
    start_again(&r);
    rig_until(rig_said(&r, "a new one was begun"));
    const struct engine_ticket b = rig_submit(&r, 'b', 1, ENGINE_POREP, NULL);
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED);
    bool aside = false;
    DIR *dir = opendir(r.state);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        aside |= strncmp(d->d_name, "journal.sqlite.bad-", 19) == 0;
    closedir(dir);
    assert_true(aside);
    rig_end(&r);
}

static void overwrite(const struct rig *r, const char *name)
{
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", r->state, name);
    const int fd = open(path, O_WRONLY);
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    for (off_t at = 0; at < st.st_size; at += 16)
        assert_int_equal(pwrite(fd, "no journal at all", 16, at), 16);
    close(fd);
}

/* SQLite would take an empty file for a new journal, and say nothing of the jobs. */
static void an_emptied_journal_is_not_taken_for_a_new_one(void **state)
{
    struct rig r;
    char path[256];
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.options.inline_payload = 1;
    r.device[0]->shut = 1;
    rig_start(&r);
    rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
    snprintf(path, sizeof path, "%s/journal.sqlite", r.state);
    assert_int_equal(truncate(path, 0), 0);
    rig_until(rig_said(&r, "went bad while in use"));
    engine_free(r.engine);
    assert_int_equal(truncate(path, 0), 0);
    start_again(&r);
    rig_until(rig_said(&r, "a new one was begun"));
    rig_end(&r);
}

static void run_sql(const struct rig *r, const char *sql)
{
    char path[256];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/journal.sqlite", r->state);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* What cannot be taken up ends as failed, once: who asks for it is told. */
static void a_job_that_cannot_be_taken_up_ends(void **state)
{
    static const char *const damage[] = {"UPDATE job SET kind=100000", "UPDATE job SET priority=77",
                                         "UPDATE job SET fields=x'00'",
                                         "UPDATE job SET payload=x'0000000000'"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(damage); i++) {
        struct rig r;
        struct engine_result result;
        rig_init(&r, 1);
        r.options.state_folder = r.state;
        r.device[0]->shut = 1;
        rig_start(&r);
        const struct engine_ticket a = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
        engine_free(r.engine);
        run_sql(&r, damage[i]);
        for (unsigned start = 0; start < 2; start++) {
            start_again(&r);
            assert_ok(engine_wait(r.engine, a.job_id, 20000, NULL, &result, &error));
            assert_int_equal(result.state, ENGINE_STATE_FAILED);
            assert_true(result.retry);
            assert_non_null(strstr(result.message, "send it again"));
            engine_result_free(&result);
            if (start == 0)
                engine_free(r.engine);
        }
        const struct engine_ticket again = rig_submit(&r, 'a', 2, ENGINE_POREP, NULL);
        assert_false(again.joined);
        rig_expect(&r, &again, ENGINE_STATE_COMPLETED);
        rig_end(&r);
    }
}

/* Jobs that are not ended go into the new one. */
static void a_journal_that_goes_bad_in_use_is_replaced(void **state)
{
    struct rig r;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.device[0]->shut = 1;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    overwrite(&r, "journal.sqlite");
    overwrite(&r, "journal.sqlite-wal");
    struct engine_submission s = {.miner_id = 0};
    rig_until(({
        struct engine_ticket t;
        s.miner_id++;
        if (rig_try(&r, 'b', 1, ENGINE_POREP, &s, &t) == CUZK_OK)
            engine_cancel(r.engine, t.job_id, NULL);
        usleep(10000);
        rig_said(&r, "went bad while in use");
    }));
    engine_free(r.engine);
    start_again(&r);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    char path[256];
    snprintf(path, sizeof path, "%s/journal.sqlite", r.state);
    assert_int_equal(unlink(path), 0); /* one that was deleted is begun anew too */
    rig_until(access(path, F_OK) == 0);
    rig_end(&r);
}

static void a_state_folder_serves_one_engine(void **state)
{
    struct rig r;
    struct engine *other;
    (void)state;
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    rig_start(&r);
    struct engine_options o = r.options;
    struct mock_device *d = mock_device_new("other");
    struct engine_device *devices[] = {&d->device};
    o.devices = devices;
    assert_int_equal(engine_new_with(&other, &o, &mock_work_new()->work, &error), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "in use by another process"));
    rig_end(&r);
    rig_init(&r, 1);
    r.options.state_folder = "/nowhere/at/all";
    devices[0] = &r.device[0]->device;
    r.options.devices = devices;
    assert_int_equal(engine_new_with(&other, &r.options, &r.work->work, &error), CUZK_ERR_IO);
    remove_tree(r.folder);
}

/* A limit on the size of files is as good as a full disk. */
static void a_full_disk_is_told_and_the_rest_goes_on(void **state)
{
    struct rig r;
    struct engine_ticket t;
    struct rlimit before, tight;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    rig_init(&r, 1);
    r.options.state_folder = r.state;
    r.options.inline_payload = 2;
    rig_start(&r);
    const struct engine_ticket a = rig_submit(&r, 'a', 1, ENGINE_POREP, NULL);
    rig_expect(&r, &a, ENGINE_STATE_COMPLETED);
    r.device[0]->shut = 1;
    const struct engine_ticket b = rig_submit(&r, 'b', 2, ENGINE_POREP, NULL);
    rig_until(r.device[0]->on_it == 1);
    getrlimit(RLIMIT_FSIZE, &before);
    tight = (struct rlimit){1, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    assert_int_equal(rig_try(&r, 'c', 4, ENGINE_POREP, NULL, &t),
                     CUZK_ERR_UNAVAILABLE); /* its payload is a file */
    assert_int_equal(rig_try(&r, 'd', 1, ENGINE_POREP, NULL, &t), CUZK_ERR_UNAVAILABLE); /* its row */
    assert_non_null(strstr(error.message, "journal"));
    r.device[0]->shut = 0;
    rig_expect(&r, &b, ENGINE_STATE_COMPLETED); /* what is at work is finished */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_ok(rig_try(&r, 'd', 1, ENGINE_POREP, NULL, &t));
    rig_expect(&r, &t, ENGINE_STATE_COMPLETED);
    rig_until(({ /* and its result is written when there is room */
                 unsigned rows;
                 count_row(&rows, &r, "SELECT count(*) FROM result");
                 rows == 3;
    }));
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_when_killed_at_any_step),
        cmocka_unit_test(nothing_is_lost_when_killed_at_random),
        cmocka_unit_test(proofs_of_partitions_are_not_made_twice),
        cmocka_unit_test(kept_proofs_are_verified_anew),
        cmocka_unit_test(results_are_fetched_after_a_restart_until_they_are_old),
        cmocka_unit_test(the_journal_does_not_grow),
        cmocka_unit_test(large_payloads_are_files_that_go_with_the_job),
        cmocka_unit_test(a_lost_payload_fails_its_job_alone),
        cmocka_unit_test(a_bad_journal_is_moved_aside),
        cmocka_unit_test(an_emptied_journal_is_not_taken_for_a_new_one),
        cmocka_unit_test(a_job_that_cannot_be_taken_up_ends),
        cmocka_unit_test(a_journal_that_goes_bad_in_use_is_replaced),
        cmocka_unit_test(a_state_folder_serves_one_engine),
        cmocka_unit_test(a_full_disk_is_told_and_the_rest_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

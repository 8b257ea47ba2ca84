/* tests/unit/test_engine_gpu.c - the engine with a GPU: proofs in batches, beside another circuit, with each
 * call of the driver failing, with too little memory. Built twice: for the GPU, where there is one, and for a
 * driver whose device is the host (GPU_ON_HOST), where the CPU makes the sums.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "post_testing.h"

#include "backend/cuda/device.h"
#include "backend/prover.h"
#include "engine/device_gpu.h"

#ifdef GPU_ON_HOST
#define HOST_MEMORY ((size_t)4 << 30)
#include "cuda_host_driver.h"
#define GPU_SUMS_MOST GPU_PROOF_BATCH
#include "gpu_sums_on_host.h"
struct exec sums_exec;
#define DENSE 3 /* how closely failures follow each other */
#else
#define DENSE 40
enum { HOST_BAD = 719 };
#endif

#define OUT_OF_MEMORY 2
#define JOBS          6

static const struct driver *driver; /* NULL: skip */
static struct driver *real_driver;
static struct device *device;
static struct engine *g;
static struct sent window, winning;

static int start_tests(void **state)
{
    post_set_up(state);
    make_params("window-2k", true);
    make_params("winning-2k", true);
#ifdef GPU_ON_HOST
    driver = &HOST_DRIVER;
    sums_exec = x;
#else
    unsigned count = 0;
    if (driver_open(&real_driver, &error) != CUZK_OK ||
        driver_device_count(&count, real_driver, &error) != CUZK_OK || count == 0)
        print_message("no GPU: %s\n", error.message);
    else
        driver = real_driver;
#endif
    read_request(&window, "window-2KiB-1", ENGINE_WINDOW_POST, "");
    read_request(&winning, "winning-2KiB-1", ENGINE_WINNING_POST, "");
    return 0;
}

static int end_tests(void **state)
{
    free_request(&window);
    free_request(&winning);
    driver_close(real_driver);
    return post_tear_down(state);
}

static void open_engine(uint64_t limit)
{
    struct engine_device *gpu;
    if (!driver)
        skip();
    assert_ok(device_open(&device, driver, 0, limit, &error));
    assert_ok(engine_device_gpu_new(&gpu, device, 2, &error));
    struct engine_device *const devices[] = {gpu};
    const struct engine_options o = {
        .param_cache = folder, .threads = 2, .devices = devices, .device_count = 1, .quarantine_ms = 20};
    assert_ok(engine_new(&g, &o, &error));
}

static void close_engine(void)
{
    engine_free(g);
    assert_int_equal(device_memory_used(device), 0);
    device_close(device);
}

static struct engine_snapshot *look(void)
{
    struct engine_snapshot *s;
    assert_ok(engine_snapshot(g, NULL, &s, &error));
    return s;
}

static void in_service(void)
{
    rig_until(({
        struct engine_snapshot *s = look();
        const bool is = !s->devices[0].quarantined && s->devices[0].in_batch == 0 && s->memory.reserved == 0;
        engine_snapshot_free(s);
        is;
    }));
}

static struct engine_ticket submit(struct sent *sent)
{
    struct engine_ticket t;
    assert_ok(engine_submit(g, &sent->s, &t, &error));
    return t;
}

static void await(const struct engine_ticket *t, struct sent *sent, const char *circuit)
{
    struct engine_result result;
    assert_ok(engine_wait(g, t->job_id, 120000 * SLOW, NULL, &result, &error));
    if (result.state != ENGINE_STATE_COMPLETED)
        fail_msg("%s: %s", engine_state_name(result.state), result.message);
    assert_valid(sent, circuit, &result);
    engine_result_free(&result);
}

static void proofs_are_made_in_batches(void **state)
{
    struct engine_ticket t[JOBS];
    struct engine_counters c;
    bool already;
    uint64_t ms;
    (void)state;
    open_engine(0);
    assert_ok(engine_preload(g, "window-2k", &already, &ms, &error));
    for (unsigned i = 0; i < JOBS; i++)
        t[i] = submit(&window);
    const struct engine_ticket w = submit(&winning);
    await(&w, &winning, "winning-2k");
    for (unsigned i = 0; i < JOBS; i++)
        await(&t[i], &window, "window-2k");
    engine_counters(g, &c);
    assert_int_equal(c.cpu_fallbacks + c.device_failures, 0);
    struct engine_snapshot *s = look();
    unsigned together = 0, settled = 0;
    for (size_t i = 0; i < s->interval_count; i++) {
        settled += s->intervals[i].together > 0;
        together += s->intervals[i].together;
    }
    print_message("%u partitions settled %u times\n", together, settled);
    assert_int_equal(together, JOBS + 1);
    assert_int_equal(s->devices[0].proofs, JOBS + 1);
    assert_true(s->devices[0].memory_total > 0);
    assert_int_equal(s->devices[0].memory_reserved, 0);
    for (size_t i = 0; i < s->srs_count; i++)
        assert_int_equal(s->srs[i].tier, ENGINE_HOT); /* beside each other */
    engine_snapshot_free(s);
    close_engine();
}

/* Each call of the driver fails once: the CPU proves, the device comes back and holds no more than before. */
static void each_call_may_fail(void **state)
{
    struct engine_counters c;
    unsigned on_cpu = 0;
    (void)state;
    open_engine(0);
    for (unsigned n = 1;; n += 1 + n / DENSE) {
        struct engine_ticket t[2];
        bool was;
        uint64_t freed;
        assert_ok(engine_evict(g, "window-2k", &was, &freed, &error));
        device_fail_after(device, n, n % 2 ? OUT_OF_MEMORY : HOST_BAD);
        for (unsigned i = 0; i < ARRAY_LEN(t); i++)
            t[i] = submit(&window);
        for (unsigned i = 0; i < ARRAY_LEN(t); i++)
            await(&t[i], &window, "window-2k");
        in_service();
        device_fail_after(device, 0, 0);
        engine_counters(g, &c);
        const bool done = c.cpu_fallbacks == on_cpu;
        on_cpu = (unsigned)c.cpu_fallbacks;
        if (done && n > 100)
            break;
    }
    assert_true(on_cpu > 10 && c.quarantines > 10);
    assert_int_equal(c.invalid_proofs, 0);
    const uint64_t before = c.cpu_fallbacks;
    const struct engine_ticket t = submit(&window);
    await(&t, &window, "window-2k");
    engine_counters(g, &c);
    assert_int_equal(c.cpu_fallbacks, before);
    close_engine();
}

static void too_small_a_device_leaves_it_to_the_cpu(void **state)
{
    struct engine_counters c;
    (void)state;
    open_engine((uint64_t)256 << 20);
    const struct engine_ticket t = submit(&window);
    await(&t, &window, "window-2k");
    engine_counters(g, &c);
    assert_int_equal(c.cpu_fallbacks, 1);
    assert_int_equal(c.quarantines, 0);
    close_engine();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_are_made_in_batches),
        cmocka_unit_test(too_small_a_device_leaves_it_to_the_cpu),
        cmocka_unit_test(each_call_may_fail),
    };
    return cmocka_run_group_tests(tests, start_tests, end_tests);
}

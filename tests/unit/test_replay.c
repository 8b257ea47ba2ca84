/* tests/unit/test_replay.c - what failed is kept, and can be proved once more.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "post_testing.h"

#include "base/text.h"
#include "daemon/daemon.h"

static int set_up(void **state)
{
    post_set_up(state);
    make_params("window-2k", true);
    return 0;
}

/* The one folder in bundles/ of the state folder. */
static void bundle_of(char out[512], const char *state)
{
    char all[256];
    unsigned count = 0;
    snprintf(all, sizeof all, "%s/bundles", state);
    DIR *dir = opendir(all);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        if (d->d_name[0] != '.') {
            snprintf(out, 512, "%.200s/%.200s", all, d->d_name);
            count++;
        }
    closedir(dir);
    assert_int_equal(count, 1);
}

/* A device fails; the CPU proves; a bundle is kept. */
static void fail_once(const char *state)
{
    struct sent window;
    struct engine *g;
    struct engine_ticket t;
    struct engine_result result;
    struct mock_device *d = mock_device_new("mock");
    struct engine_device *const devices[] = {&d->device};
    const struct engine_options o = {.param_cache = folder,
                                     .state_folder = state,
                                     .threads = 2,
                                     .devices = devices,
                                     .device_count = 1,
                                     .quarantine_ms = 60000};
    mock_batches(d, 4);
    d->settle_fails = 1;
    read_request(&window, "window-2KiB-1", ENGINE_WINDOW_POST, "wdpost");
    assert_ok(engine_new(&g, &o, &error));
    assert_ok(engine_submit(g, &window.s, &t, &error));
    assert_ok(engine_wait(g, t.job_id, 120000 * SLOW, NULL, &result, &error));
    assert_int_equal(result.state, ENGINE_STATE_COMPLETED);
    engine_result_free(&result);
    engine_free(g);
    free_request(&window);
}

/* The size of the last piece stands at the end of a bundle's fields. */
static void put_size(const char *bundle, uint64_t size)
{
    char path[600];
    snprintf(path, sizeof path, "%s/fields", bundle);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -8, SEEK_END), 0);
    assert_int_equal(fwrite(&size, sizeof size, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

static void what_failed_is_proved_once_more(void **state)
{
    char bundle[512], path[600];
    struct text out = {0};
    bool well = false;
    static struct daemon_options o;
    (void)state;
    const char *where = in_folder("state");
    fail_once(where);
    bundle_of(bundle, where);
    config_defaults(&o.config);
    snprintf(o.config.param_cache, sizeof o.config.param_cache, "%s", folder);
    snprintf(o.config.gpus, sizeof o.config.gpus, "none");
    o.config.log_level = LOG_ERROR;
    assert_ok(daemon_replay(&o, bundle, &out, &well, &error));
    assert_true(well);
    assert_non_null(strstr(out.data, "\"completed\""));
    text_free(&out);
    snprintf(path, sizeof path, "%s/payload", bundle);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(daemon_replay(&o, bundle, &out, &well, &error), CUZK_ERR_INPUT);
    put_size(bundle, 0);
    assert_int_equal(daemon_replay(&o, bundle, &out, &well, &error), CUZK_ERR_INPUT);
    assert_non_null(strstr(error.message, "/fields: "));
    put_size(bundle, UINT64_MAX);
    assert_int_equal(daemon_replay(&o, bundle, &out, &well, &error), CUZK_ERR_INPUT);
    assert_int_equal(daemon_replay(&o, "/nowhere", &out, &well, &error), CUZK_ERR_IO);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_failed_is_proved_once_more)};
    return cmocka_run_group_tests(tests, set_up, post_tear_down);
}

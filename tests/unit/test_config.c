/* tests/unit/test_config.c - the daemon's settings.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "daemon/config.h"
#include "daemon/options.h"

static struct config C;
static struct config_warnings W;
static struct cuzk_error E;

static cuzk_status read_text(const char *text)
{
    config_defaults(&C);
    W.count = 0;
    return config_read(&C, &W, text, strlen(text), "cuzk.toml", &E);
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    config_defaults(&C);
    assert_string_equal(C.listen, "unix:///run/curio/cuzk.sock");
    assert_string_equal(C.param_cache, "/data/zk/params");
    assert_int_equal(C.message_limit, 256 << 20);
    assert_int_equal(C.deadline_winning, 20000);
    assert_int_equal(C.keep, 86400000);
    assert_int_equal(C.log_level, LOG_INFO);
}

static void a_file_of_the_earlier_system_is_read_with_warnings(void **state)
{
    (void)state;
    if (read_text(
            "[daemon]\nlisten = \"127.0.0.1:9820\"\nstatus_listen = \"127.0.0.1:9821\"\n"
            "[memory]\ntotal_budget = \"256GiB\"\nsafety_margin = \"5GiB\"\neviction_min_idle = \"5m\"\n"
            "pinned_budget = \"50GiB\"\nworking_memory_budget = \"1GiB\"\n"
            "[srs]\nparam_cache = \"/tmp\"\npreload = [\"porep-32g\"]\n"
            "[gpus]\ndevices = [0, 1]\ngpu_threads = 32\ngpu_workers_per_device = 2\n"
            "[scheduler]\nmax_batch_size = 1\nmax_batch_wait_ms = 10000\nsort_by_type = true\n"
            "[synthesis]\nthreads = 8\npartition_workers = 3\n"
            "[pipeline]\nenabled = true\nsynthesis_lookahead = 2\nsynthesis_concurrency = 3\n"
            "max_parallel_synthesis = 18\nslot_size = 0\nmax_gpu_queue_depth = 8\n"
            "[logging]\nlevel = \"debug\"\nformat = \"json\"\n") != CUZK_OK)
        fail_msg("%s", E.message);
    assert_int_equal(W.count, 11);
    assert_int_equal(C.total_budget, (uint64_t)256 << 30);
    assert_int_equal(C.safety_margin, (uint64_t)5 << 30);
    assert_int_equal(C.eviction_min_idle, 300000);
    assert_string_equal(C.gpus, "0, 1");
    assert_int_equal(C.gpu_threads, 32);
    assert_int_equal(C.gpu_workers, 2);
    assert_int_equal(C.lookahead, 2);
    assert_int_equal(C.synthesis_workers, 3);
    assert_int_equal(C.log_level, LOG_DEBUG);
    assert_int_equal(C.log_format, LOG_JSON);
    assert_string_equal(C.status_listen, "127.0.0.1:9821");
    assert_int_equal(config_check(&C, &E), CUZK_OK);
}

static void gpus_are_named_in_several_ways(void **state)
{
    static const struct {
        const char *text, *words;
    } fine[] = {{"\"auto\"", "auto"}, {"[]", "auto"},        {"\"none\"", "cpu"}, {"\"cpu\"", "cpu"},
                {"\"all\"", "gpu"},   {"[0, 2]", "gpu:0,2"}, {"\"1\"", "gpu:1"},  {"\"gpu:3\"", "gpu:3"}};
    static const char *const wrong[] = {"\"gpus\"", "[0, 0]", "[16]", "\"0-3\"", "[\"a\"]"};
    char text[128], words[CONFIG_TEXT];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(fine); i++) {
        snprintf(text, sizeof text, "[gpus]\ndevices = %s\nmemory_limit = \"16GiB\"\n", fine[i].text);
        if (read_text(text) != CUZK_OK)
            fail_msg("%s: %s", text, E.message);
        config_gpus(&C, words);
        assert_string_equal(words, fine[i].words);
        assert_int_equal(C.gpu_memory, (uint64_t)16 << 30);
    }
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        snprintf(text, sizeof text, "[gpus]\ndevices = %s\n", wrong[i]);
        assert_int_equal(read_text(text), CUZK_ERR_INPUT);
        assert_non_null(strstr(E.message, "names no GPUs"));
    }
}

static void gpus_may_be_kept_for_post(void **state)
{
    unsigned number;
    (void)state;
    assert_int_equal(read_text("[gpus]\npost_only = [1, 3]\n"), CUZK_OK);
    assert_true(config_post_gpu(&C, 0, &number) && number == 1);
    assert_true(config_post_gpu(&C, 1, &number) && number == 3);
    assert_false(config_post_gpu(&C, 2, &number));
    config_defaults(&C);
    assert_false(config_post_gpu(&C, 0, &number));
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[daemon]\nlisten_ = \"x:1\"\n",
         "cuzk.toml:2: unknown setting daemon.listen_ (nearest known one: daemon.listen)"},
        {"[memry]\ntotal_budget = 1\n", "nearest known one: memory.total_budget"},
        {"listen = \"x:1\"\n", "unknown setting listen (nearest known one: daemon.listen)"},
        {"[a.b]\nc = 1\n", "unknown setting a.b.c (--help lists all)"},
        {"[memory]\nmax_jobs = 1\n", "nearest known one: queue.max_jobs"},
        {"[memory]\nbudget = 1\n", "nearest known one: memory.total_budget"},
        {"[gpus]\npost_only = [16]\n", "\"16\" is no GPU's number below 16"},
        {"[gpus]\npost_only = [\"all\"]\n", "\"all\" is no GPU's number"},
        {"[daemon]\nthreads = \"4\"\n", "daemon.threads must be a whole number"},
        {"[daemon]\nthreads = 0\n", "daemon.threads: 0 is out of range (1 to 64)"},
        {"[daemon]\nthreads = -1\n", "daemon.threads: \"-1\" is not a whole number"},
        {"[daemon]\nlisten = \"unix://x\"\n", "absolute path"},
        {"[daemon]\nlisten = \"host\"\n", "not unix:///path nor host:port"},
        {"[daemon]\nlisten = \"a:1, b:70000\"\n", "a port is at most 65535"},
        {"[memory]\ntotal_budget = \"5 elephants\"\n", "\"5 elephants\" is not a size"},
        {"[memory]\ntotal_budget = \"99999999999999999999\"\n", "is not a size"},
        {"[daemon]\nmessage_limit = \"4GiB\"\n", "4GiB is out of range (1MiB to 2047MiB)"},
        {"[logging]\nlevel = \"loud\"\n", "\"loud\" is not error|warn|info|debug|trace"},
        {"[logging]\nlevel = 3.5\n", "logging.level must be"},
        {"[results]\nkeep = \"5 weeks\"\n", "is not a time"},
        {"[srs]\nkeep_loaded = [\"porep-33g\"]\n", "no circuit is named \"porep-33g\""},
        {"[srs]\nkeep_loaded = \"porep-32g\"\n", "must be a list of names"},
        {"[daemon\n", "cuzk.toml:1:"},
        {"[daemon]\nthreads = 1\nthreads = 2\n", "cuzk.toml:3:"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(read_text(cases[i].text), CUZK_ERR_INPUT);
        if (!strstr(E.message, cases[i].message))
            fail_msg("%s\n%s", cases[i].text, E.message);
    }
}

static void a_failed_read_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(read_text("[daemon]\nthreads = 7\n[logging]\nlevel = 1\n"), CUZK_ERR_INPUT);
    assert_int_equal(C.threads, 4);
}

static void settings_are_assigned_by_name(void **state)
{
    (void)state;
    config_defaults(&C);
    assert_int_equal(config_set(&C, &W, "daemon.threads=9", &E), CUZK_OK);
    assert_int_equal(C.threads, 9);
    assert_int_equal(config_set(&C, &W, "srs.keep_loaded=winning-32g, wpost-32g", &E), CUZK_OK);
    char name[CONFIG_TEXT];
    assert_true(config_kept_circuit(&C, 1, name));
    assert_string_equal(name, "wpost-32g");
    assert_false(config_kept_circuit(&C, 2, name));
    assert_int_equal(config_set(&C, &W, "daemon.thread=9", &E), CUZK_ERR_INPUT);
    assert_int_equal(config_set(&C, &W, "threads", &E), CUZK_ERR_ARGUMENT);
    assert_int_equal(config_set(&C, &W, "daemon.threads=x", &E), CUZK_ERR_ARGUMENT);
}

static void several_addresses_are_told_apart(void **state)
{
    char address[CONFIG_TEXT];
    (void)state;
    assert_int_equal(read_text("[daemon]\nlisten = [\"unix:///run/x\", \"[::1]:9820\"]\n"), CUZK_OK);
    assert_true(config_address(&C, 0, address));
    assert_string_equal(address, "unix:///run/x");
    assert_true(config_address(&C, 1, address));
    assert_string_equal(address, "[::1]:9820");
    assert_false(config_address(&C, 2, address));
}

static void what_is_printed_is_read_back(void **state)
{
    struct config before;
    struct text out = {0};
    (void)state;
    assert_int_equal(read_text("[srs]\nkeep_loaded = [\"porep-2k\", \"snap-2k\"]\n[results]\nkeep = \"90s\"\n"
                               "[memory]\ntotal_budget = 12345\n[daemon]\nstate_folder = \"/a \\\"b\\\"\"\n"),
                     CUZK_OK);
    before = C;
    config_print(&out, &C);
    if (read_text(out.data) != CUZK_OK)
        fail_msg("%s\n%s", E.message, out.data);
    assert_memory_equal(&before, &C, sizeof C);
    text_free(&out);
}

static void the_example_is_the_defaults(void **state)
{
    struct config before;
    struct text out = {0};
    (void)state;
    config_example(&out);
    assert_int_equal(read_text(out.data), CUZK_OK);
    before = C;
    for (char *p = out.data; (p = strstr(p, "\n#")); p++) /* "#key = value" without its mark */
        if (p[2] != ' ')
            p[1] = ' ';
    if (read_text(out.data) != CUZK_OK)
        fail_msg("%s\n%s", E.message, out.data);
    assert_memory_equal(&before, &C, sizeof C);
    text_free(&out);
}

static void a_reload_takes_what_it_can(void **state)
{
    struct config next;
    struct text fixed = {0};
    (void)state;
    config_defaults(&C);
    next = C;
    next.max_jobs = 5;
    next.log_level = LOG_DEBUG;
    next.threads = 9;
    strcpy(next.param_cache, "/elsewhere");
    config_reload(&C, &next, &fixed);
    assert_int_equal(C.max_jobs, 5);
    assert_int_equal(C.log_level, LOG_DEBUG);
    assert_int_equal(C.threads, 4);
    assert_string_equal(fixed.data, "daemon.threads, srs.param_cache");
    text_free(&fixed);
}

static void combinations_are_checked(void **state)
{
    static const struct {
        const char *setting, *message;
    } cases[] = {
        {"daemon.listen=", "no address"},
        {"daemon.status_listen=unix:///x", "one host:port"},
        {"srs.param_cache=relative", "absolute path"},
        {"srs.param_cache=/no/such/folder", "is not a folder"},
        {"daemon.state_folder=relative", "absolute path"},
        {"memory.total_budget=1GiB", "not below"},
        {"queue.max_payload=17GiB", "above queue.max_bytes"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        config_defaults(&C);
        assert_int_equal(config_set(&C, &W, "srs.param_cache=/tmp", &E), CUZK_OK);
        assert_int_equal(config_set(&C, &W, "memory.safety_margin=2GiB", &E), CUZK_OK);
        assert_int_equal(config_check(&C, &E), CUZK_OK);
        assert_int_equal(config_set(&C, &W, cases[i].setting, &E), CUZK_OK);
        assert_int_equal(config_check(&C, &E), CUZK_ERR_INPUT);
        if (!strstr(E.message, cases[i].message))
            fail_msg("%s: %s", cases[i].setting, E.message);
    }
}

/* Rows must be usable: known defaults, help, a place of their own. */
static void the_table_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < config_option_count; i++) {
        const struct option *o = &config_options[i];
        char why[160];
        assert_true(o->help && *o->help);
        if (o->type != OPTION_IGNORED && !option_set(o, &C, o->standard, why))
            fail_msg("%s.%s: %s", o->section, o->key, why);
        for (size_t j = 0; j < i; j++) {
            const struct option *p = &config_options[j];
            assert_false(strcmp(o->section, p->section) == 0 && strcmp(o->key, p->key) == 0);
            assert_false(o->type != OPTION_IGNORED && p->type != OPTION_IGNORED && o->offset == p->offset);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(a_file_of_the_earlier_system_is_read_with_warnings),
        cmocka_unit_test(gpus_are_named_in_several_ways),
        cmocka_unit_test(gpus_may_be_kept_for_post),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(a_failed_read_changes_nothing),
        cmocka_unit_test(settings_are_assigned_by_name),
        cmocka_unit_test(several_addresses_are_told_apart),
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(the_example_is_the_defaults),
        cmocka_unit_test(a_reload_takes_what_it_can),
        cmocka_unit_test(combinations_are_checked),
        cmocka_unit_test(the_table_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Status and errors, CPU names, budget, blocks, arenas, timing.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/timing.h"
#include "base/topology.h"

/* ---- errors ---- */

static void error_holds_status_and_message(void **state)
{
    (void)state;
    struct cuzk_error e;
    assert_int_equal(error_set(&e, CUZK_ERR_INPUT, "field %s at byte %d", "seed", 7), CUZK_ERR_INPUT);
    assert_int_equal(e.status, CUZK_ERR_INPUT);
    assert_string_equal(e.message, "field seed at byte 7");
    assert_int_equal(error_set(NULL, CUZK_ERR_INPUT, "x"), CUZK_ERR_INPUT);
}

static void long_message_is_cut(void **state)
{
    (void)state;
    char text[2 * CUZK_ERROR_MESSAGE_MAX];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    struct cuzk_error e;
    error_set(&e, CUZK_ERR_IO, "%s", text);
    assert_int_equal(strlen(e.message), CUZK_ERROR_MESSAGE_MAX - 1);
    error_prefix(&e, CUZK_ERR_IO, "%s", "file");
    assert_int_equal(strlen(e.message), CUZK_ERROR_MESSAGE_MAX - 1);
    assert_memory_equal(e.message, "file: aaa", 9);
    error_prefix(&e, CUZK_ERR_IO, "%s", text);
    assert_int_equal(strlen(e.message), CUZK_ERROR_MESSAGE_MAX - 1);
    error_errno(&e, ENOSPC, "%s", text);
    assert_int_equal(strlen(e.message), CUZK_ERROR_MESSAGE_MAX - 1);
}

static void message_is_one_line(void **state)
{
    (void)state;
    struct cuzk_error e;
    error_set(&e, CUZK_ERR_IO, "%s: cannot open", "two\nlines\r");
    assert_string_equal(e.message, "two lines : cannot open");
}

static void message_has_no_control_characters(void **state)
{
    (void)state;
    struct cuzk_error e;
    error_set(&e, CUZK_ERR_IO, "%s: no", "a\033[2J\001b\177c\303\251");
    assert_string_equal(e.message, "a?[2J?b?c\303\251: no");
    error_prefix(&e, CUZK_ERR_IO, "%s", "\033x");
    assert_string_equal(e.message, "?x: a?[2J?b?c\303\251: no");
    error_errno(&e, ENOENT, "%s", "\033x");
    assert_string_equal(e.message, "?x: No such file or directory");
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void long_path_leaves_the_reason(void **state)
{
    (void)state;
    char path[4000];
    memset(path, 'p', sizeof(path) - 1);
    memcpy(path + sizeof(path) - 6, "/name", 6);
    struct cuzk_error e;
    error_errno(&e, ENOENT, "cannot open %s", path);
    assert_int_equal(strlen(e.message), CUZK_ERROR_MESSAGE_MAX - 1);
    assert_memory_equal(e.message, "cannot open pp", 14);
    assert_non_null(strstr(e.message, "p...p"));
    assert_true(ends_with(e.message, "/name: No such file or directory"));
    error_set(&e, CUZK_ERR_INPUT, "not JSON (byte 7)");
    error_prefix(&e, CUZK_ERR_INPUT, "%s", path);
    assert_int_equal(strlen(e.message), CUZK_ERROR_MESSAGE_MAX - 1);
    assert_true(ends_with(e.message, "/name: not JSON (byte 7)"));
    error_set(&e, CUZK_ERR_INPUT, "%s: too short", path);
    assert_true(ends_with(e.message, "/name: too short"));
    /* both long: each keeps its two ends */
    error_prefix(&e, CUZK_ERR_INPUT, "%s", path);
    assert_int_equal(strlen(e.message), CUZK_ERROR_MESSAGE_MAX - 1);
    assert_non_null(strstr(e.message, "/name: pp"));
    assert_true(ends_with(e.message, "/name: too short"));
}

static void errno_text_follows(void **state)
{
    (void)state;
    struct cuzk_error e;
    assert_int_equal(error_errno(&e, ENOENT, "%s", "here"), CUZK_ERR_IO);
    assert_string_equal(e.message, "here: No such file or directory");
    assert_int_equal(error_errno(NULL, ENOENT, "x"), CUZK_ERR_IO);
}

static void prefix_keeps_status(void **state)
{
    (void)state;
    struct cuzk_error e;
    error_set(&e, CUZK_ERR_MISMATCH, "inner");
    assert_int_equal(error_prefix(&e, CUZK_ERR_IO, "outer %d", 1), CUZK_ERR_MISMATCH);
    assert_string_equal(e.message, "outer 1: inner");
    assert_int_equal(error_prefix(NULL, CUZK_ERR_IO, "outer"), CUZK_ERR_IO);
}

static void every_status_has_its_own_name(void **state)
{
    (void)state;
    for (int i = CUZK_OK; i <= CUZK_ERR_DEVICE; i++)
        for (int j = CUZK_OK; j < i; j++)
            assert_string_not_equal(status_name((cuzk_status)i), status_name((cuzk_status)j));
    assert_string_equal(status_name((cuzk_status)(CUZK_ERR_DEVICE + 1)), "unknown");
}

/* ---- processors ---- */

static void cpu_names_are_parsed(void **state)
{
    (void)state;
    struct cuzk_error e;
    enum cpu_variant v;
    assert_int_equal(cpu_variant_parse(&v, "auto", &e), CUZK_OK);
    assert_int_equal(v, cpu_best());
    assert_true(cpu_supports(cpu_best()));
    assert_true(cpu_supports(CPU_PORTABLE));
    for (int i = 0; i < CPU_VARIANTS; i++) {
        const enum cpu_variant want = (enum cpu_variant)i;
        const cuzk_status status = cpu_variant_parse(&v, cpu_variant_name(want), &e);
        assert_int_equal(status, cpu_supports(want) ? CUZK_OK : CUZK_ERR_UNSUPPORTED);
        if (status == CUZK_OK)
            assert_int_equal(v, want);
    }
}

static void unknown_cpu_name_is_told_the_known_ones(void **state)
{
    (void)state;
    struct cuzk_error e;
    enum cpu_variant v = CPU_PORTABLE;
    assert_int_equal(cpu_variant_parse(&v, "fast", &e), CUZK_ERR_ARGUMENT);
    assert_non_null(strstr(e.message, "fast"));
    assert_non_null(strstr(e.message, "portable"));
    assert_int_equal(cpu_variant_parse(&v, "", &e), CUZK_ERR_ARGUMENT);
    assert_string_equal(cpu_variant_name((enum cpu_variant)99), "unknown");
    assert_false(cpu_supports((enum cpu_variant)99));
}

/* ---- budget ---- */

static void budget_counts_to_its_limit(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct budget *b;
    assert_int_equal(budget_new(&b, 1000, &e), CUZK_OK);
    assert_int_equal(budget_limit(b), 1000);
    assert_int_equal(budget_reserve(b, 600, "first", &e), CUZK_OK);
    assert_int_equal(budget_reserve(b, 401, "second", &e), CUZK_ERR_MEMORY);
    assert_non_null(strstr(e.message, "second"));
    assert_int_equal(budget_reserve(b, UINT64_MAX, "third", &e), CUZK_ERR_MEMORY);
    assert_int_equal(budget_reserve(b, 400, "fourth", &e), CUZK_OK);
    assert_int_equal(budget_used(b), 1000);
    budget_release(b, 1000);
    assert_int_equal(budget_used(b), 0);
    assert_int_equal(budget_peak(b), 1000);
    budget_free(b);
    budget_free(NULL);
    assert_int_equal(budget_reserve(NULL, UINT64_MAX, "no budget", &e), CUZK_OK);
}

static void default_budget_is_the_machine(void **state)
{
    (void)state;
    struct budget *b;
    assert_int_equal(budget_new(&b, 0, NULL), CUZK_OK);
    assert_true(budget_limit(b) > 0);
    assert_true(budget_limit(b) < UINT64_MAX);
    budget_free(b);
}

/* ---- blocks ---- */

static void block_is_zeroed_aligned_counted(void **state)
{
    (void)state;
    struct budget *b;
    struct cuzk_error e;
    assert_int_equal(budget_new(&b, (uint64_t)64 << 20, &e), CUZK_OK);
    static const size_t sizes[] = {
        1, 63, 4096, 4097, ((size_t)4 << 20) - 1, (size_t)4 << 20, ((size_t)6 << 20) + 1};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct block block;
        assert_int_equal(block_new(&block, b, sizes[i], 1, "a block", &e), CUZK_OK);
        const size_t align = sizes[i] >= (size_t)4 << 20 ? (size_t)2 << 20 : 64;
        assert_int_equal((uintptr_t)block.ptr % align, 0);
        assert_int_equal(block.size, sizes[i]);
        assert_true(budget_used(b) >= sizes[i]);
        uint8_t *p = block.ptr;
        assert_int_equal(p[0], 0);
        assert_int_equal(p[sizes[i] - 1], 0);
        memset(p, 1, sizes[i]);
        block_free(&block);
        assert_null(block.ptr);
        block_free(&block);
        assert_int_equal(budget_used(b), 0);
    }
    budget_free(b);
}

static void empty_block_is_fine(void **state)
{
    (void)state;
    struct block block;
    assert_int_equal(block_new(&block, NULL, 0, 8, "nothing", NULL), CUZK_OK);
    assert_null(block.ptr);
    assert_int_equal(block.size, 0);
    block_free(&block);
    struct block zeroed = {0};
    block_free(&zeroed);
}

static void block_errors_leave_output_and_budget(void **state)
{
    (void)state;
    struct cuzk_error e;
    struct budget *b;
    assert_int_equal(budget_new(&b, (uint64_t)1 << 20, &e), CUZK_OK);
    int there;
    struct block block = {.ptr = &there, .size = 1};
    assert_int_equal(block_new(&block, b, SIZE_MAX, 2, "too many", &e), CUZK_ERR_MEMORY);
    assert_int_equal(block_new(&block, b, SIZE_MAX, 1, "too large", &e), CUZK_ERR_MEMORY);
    assert_int_equal(block_new(&block, NULL, (size_t)1 << 60, 1, "too large", &e), CUZK_ERR_MEMORY);
    assert_int_equal(block_new(&block, b, 2 << 20, 1, "too much", &e), CUZK_ERR_MEMORY);
    assert_non_null(strstr(e.message, "too much"));
    mem_fail_after(1);
    assert_int_equal(block_new(&block, b, 1, 1, "unlucky", &e), CUZK_ERR_MEMORY);
    assert_string_equal(e.message, "out of memory: 1 bytes for unlucky");
    assert_ptr_equal(block.ptr, &there);
    assert_int_equal(budget_used(b), 0);
    budget_free(b);
}

/* What is freed comes back as it was, to a block of the same size alone. */
static void stale_blocks_come_back(void **state)
{
    (void)state;
    enum { SIZE = 8 << 20 };
    struct budget *b, *part;
    struct block block, other;
    assert_int_equal(budget_new(&b, (uint64_t)64 << 20, NULL), CUZK_OK);
    assert_int_equal(block_new_stale(&block, b, SIZE, 1, "a block", NULL), CUZK_OK);
    uint8_t *const first = block.ptr;
    assert_int_equal((uintptr_t)first % ((size_t)2 << 20), 0);
    first[0] = first[SIZE - 1] = 77;
    block_free(&block);
    assert_null(block.ptr);
    assert_int_equal(budget_used(b), 0);
    assert_int_equal(block_new(&other, b, SIZE, 1, "a zeroed block", NULL), CUZK_OK);
    assert_int_equal(((uint8_t *)other.ptr)[0] | ((uint8_t *)other.ptr)[SIZE - 1], 0);
    assert_int_equal(block_new_stale(&block, b, SIZE / 2, 1, "a smaller one", NULL), CUZK_OK);
    assert_ptr_not_equal(block.ptr, first);
    block_free(&block);
    block_free(&other);

    /* By way of a part, both there and back. */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(budget_reserve(b, SIZE, "a part", NULL), CUZK_OK);
        assert_int_equal(budget_new_part(&part, b, SIZE, NULL), CUZK_OK);
        assert_int_equal(budget_limit(part), SIZE);
        assert_int_equal(block_new_stale(&block, part, SIZE - 5, 1, "a block", NULL), CUZK_OK);
        assert_ptr_equal(block.ptr, first);
        assert_int_equal(block.size, SIZE - 5);
        assert_int_equal(budget_used(part), SIZE);
        assert_int_equal(block_new_stale(&other, part, 1, 1, "too much", NULL), CUZK_ERR_MEMORY);
        memset(first, 1, SIZE);
        block_free(&block);
        assert_int_equal(budget_used(part), 0);
        budget_free(part);
        budget_release(b, SIZE);
    }
    mem_fail_after(1);
    assert_int_equal(block_new_stale(&block, b, SIZE, 1, "unlucky", NULL), CUZK_ERR_MEMORY);
    assert_int_equal(block_new_stale(&block, NULL, SIZE, 1, "without a budget", NULL), CUZK_OK);
    assert_ptr_not_equal(block.ptr, first);
    block_free(&block);
    assert_int_equal(budget_used(b), 0);
    budget_free(b);
}

/* Who reserves has the memory that was kept; what is kept never goes beyond the limit. */
static void kept_memory_is_free_memory(void **state)
{
    (void)state;
    enum { SIZE = 8 << 20, LIMIT = 20 << 20 };
    struct budget *b;
    struct block one, two;
    assert_int_equal(budget_new(&b, LIMIT, NULL), CUZK_OK);
    assert_int_equal(block_new_stale(&one, b, SIZE, 1, "a block", NULL), CUZK_OK);
    memset(one.ptr, 5, SIZE);
    block_free(&one);
    assert_int_equal(budget_reserve(b, LIMIT, "all", NULL), CUZK_OK);
    assert_int_equal(budget_used(b), LIMIT);
    budget_release(b, LIMIT);
    assert_int_equal(block_new_stale(&one, b, SIZE, 1, "a block", NULL), CUZK_OK);
    assert_int_equal(*(uint8_t *)one.ptr, 0); /* a new one: the old one had to go */
    memset(one.ptr, 6, SIZE);
    assert_int_equal(block_new_stale(&two, b, SIZE, 1, "a block", NULL), CUZK_OK);
    assert_int_equal(budget_reserve(b, LIMIT - 2 * SIZE, "the rest", NULL), CUZK_OK);
    block_free(&one);
    block_free(&two); /* both fit in what they have left free */
    assert_int_equal(budget_used(b), LIMIT - 2 * SIZE);
    assert_int_equal(budget_reserve(b, SIZE + 1, "more than one of them leaves", NULL), CUZK_OK);
    budget_release(b, LIMIT - SIZE + 1);
    assert_int_equal(budget_peak(b), LIMIT);
    budget_free(b);
}

static void take_and_give_back(void *context, size_t i, unsigned worker)
{
    struct budget *b = context;
    const size_t size = ((size_t)4 << 20) + ((i % 3) << 21);
    struct block block;
    (void)worker;
    if (block_new_stale(&block, b, size, 1, "a block", NULL) != CUZK_OK)
        return; /* the others have it all */
    uint8_t *p = block.ptr;
    for (size_t at = 0; at < size; at += 4096)
        p[at] = (uint8_t)i;
    for (size_t at = 0; at < size; at += 4096)
        if (p[at] != (uint8_t)i)
            fail_msg("two have the same memory");
    block_free(&block);
    if (i % 5 == 0 && budget_reserve(b, 3 << 20, "a number", NULL) == CUZK_OK)
        budget_release(b, 3 << 20);
}

static void threads_share_what_is_kept(void **state)
{
    (void)state;
    struct budget *b;
    struct pool *pool;
    assert_int_equal(budget_new(&b, (uint64_t)26 << 20, NULL), CUZK_OK);
    assert_int_equal(pool_new(&pool, 4, NULL), CUZK_OK);
    pool_run(pool, take_and_give_back, b, 300);
    assert_int_equal(budget_used(b), 0);
    assert_true(budget_peak(b) <= (uint64_t)26 << 20);
    pool_free(pool);
    budget_free(b);
}

/* ---- small allocations ---- */

static void chosen_allocation_fails_once(void **state)
{
    (void)state;
    mem_fail_after(3);
    for (unsigned i = 1; i <= 5; i++) {
        void *p = mem_alloc(2, 8);
        assert_true((p == NULL) == (i == 3));
        mem_free(p);
    }
    mem_fail_after(1);
    mem_fail_after(0);
    void *p = mem_alloc(0, 0);
    assert_non_null(p);
    mem_free(p);
    volatile size_t many = SIZE_MAX; /* volatile: the compiler would warn of it */
    assert_null(mem_alloc(many, 2));
    mem_free(NULL);
}

static void wiped_memory_is_zero(void **state)
{
    (void)state;
    uint8_t secret[32];
    memset(secret, 7, sizeof(secret));
    mem_wipe(secret, sizeof(secret));
    for (size_t i = 0; i < sizeof(secret); i++)
        assert_int_equal(secret[i], 0);
    mem_wipe(NULL, 0);
}

/* ---- arenas ---- */

static void arena_pieces_are_zeroed_aligned_apart(void **state)
{
    (void)state;
    struct budget *b;
    assert_int_equal(budget_new(&b, (uint64_t)64 << 20, NULL), CUZK_OK);
    struct arena a = {.budget = b};
    uint8_t *last = NULL;
    for (size_t size = 0; size < 3000; size += 7) {
        uint8_t *p = arena_alloc(&a, size, 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, size);
        assert_ptr_not_equal(p, last);
        last = p;
    }
    uint8_t *large = arena_alloc(&a, 10, 1 << 20);
    assert_non_null(large);
    memset(large, 1, 10 << 20);
    assert_true(budget_used(b) > (uint64_t)10 << 20);
    arena_free(&a);
    assert_int_equal(budget_used(b), 0);
    assert_non_null(arena_alloc(&a, 1, 1));
    arena_free(&a);
    budget_free(b);
}

static void arena_fails_cleanly(void **state)
{
    (void)state;
    struct budget *b;
    assert_int_equal(budget_new(&b, 5000, NULL), CUZK_OK);
    struct arena a = {.budget = b};
    assert_null(arena_alloc(&a, SIZE_MAX, 1));
    assert_null(arena_alloc(&a, SIZE_MAX / 2, 3));
    assert_null(arena_alloc(&a, 6000, 1));
    mem_fail_after(1);
    assert_null(arena_alloc(&a, 1, 1));
    assert_int_equal(budget_used(b), 0);
    assert_non_null(arena_alloc(&a, 4000, 1));
    assert_null(arena_alloc(&a, 4000, 1));
    arena_free(&a);
    budget_free(b);
}

/* ---- timing ---- */

static void events_are_kept_up_to_the_capacity(void **state)
{
    (void)state;
    struct timing *t;
    assert_int_equal(timing_new(&t, 2, NULL), CUZK_OK);
    const uint64_t start = timing_now();
    timing_record(t, "one", start);
    timing_record(t, "two", start);
    timing_record(t, "three", start);
    timing_record(NULL, "none", start);
    assert_int_equal(timing_count(t), 2);
    assert_int_equal(timing_dropped(t), 1);
    const struct timing_event event = timing_get(t, 1);
    assert_string_equal(event.name, "two");
    assert_int_equal(event.start, start);
    assert_true(event.end >= start);
    assert_true(event.end <= timing_now());
    timing_free(t);
    timing_free(NULL);
    assert_int_equal(timing_new(&t, SIZE_MAX, NULL), CUZK_ERR_MEMORY);
    mem_fail_after(1);
    assert_int_equal(timing_new(&t, 1, NULL), CUZK_ERR_MEMORY);
}

/* ---- topology ---- */

static void threads_spread_over_nodes_by_their_cpus(void **state)
{
    (void)state;
    assert_null(topology_places_new(4, "node:1 core:4 pu:2"));
    assert_int_equal(topology_places_node(NULL, 3), 0);
    topology_places_free(NULL);
    struct topology_places *p = topology_places_new(8, "node:4 core:2 pu:1");
    assert_non_null(p);
    unsigned count[4] = {0};
    for (unsigned i = 0; i < 8; i++)
        count[topology_places_node(p, i)]++;
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(count[n], 2);
    topology_places_free(p);
    assert_null(topology_places_new(4, "nonsense"));
    mem_fail_after(1);
    assert_null(topology_places_new(4, "node:2 pu:2"));
    mem_fail_after(2);
    assert_null(topology_places_new(4, "node:2 pu:2"));
}

/* What hwloc is told by the environment is not this machine. */
static void nodes_limit_memory_where_some_are_barred(void **state)
{
    (void)state;
    const uint64_t g = (uint64_t)1 << 30;
    const struct topology_node two[] = {{64 * g, true}, {62 * g, false}};
    assert_true(topology_memory_of(two, 2, 128 * g) == 64 * g);
    /* All may be used: the limit is RAM, whatever the nodes say. */
    const struct topology_node all[] = {{64 * g, true}, {62 * g, true}};
    assert_true(topology_memory_of(all, 2, 128 * g) == UINT64_MAX);
    const struct topology_node odd[] = {{4 * g, true}};
    assert_true(topology_memory_of(odd, 1, 125 * g) == UINT64_MAX);
    /* Sums that contradict RAM, or bar everything, are not believed. */
    const struct topology_node few[] = {{4 * g, true}, {2 * g, false}};
    assert_true(topology_memory_of(few, 2, 125 * g) == UINT64_MAX);
    const struct topology_node none[] = {{125 * g, false}};
    assert_true(topology_memory_of(none, 1, 125 * g) == UINT64_MAX);
    assert_true(topology_memory_of(NULL, 0, 125 * g) == UINT64_MAX);
}

static void environment_makes_no_topology(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *also;
    } cases[] = {
        {"HWLOC_SYNTHETIC", "node:2(memory=1048576) pu:2", NULL},
        {"HWLOC_SYNTHETIC", "node:2(memory=1125899906842624) pu:2", "HWLOC_THISSYSTEM"},
    };
    const uint64_t real = topology_memory();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(setenv(cases[i].name, cases[i].value, 1), 0);
        if (cases[i].also)
            assert_int_equal(setenv(cases[i].also, "1", 1), 0);
        assert_true(topology_memory() == UINT64_MAX);
        assert_null(topology_places_new(4, NULL));
        assert_int_equal(unsetenv(cases[i].name), 0);
        if (cases[i].also)
            assert_int_equal(unsetenv(cases[i].also), 0);
    }
    assert_true(topology_memory() == real);
}

/* ---- text ---- */

static void json_strings_are_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *value, *json;
    } cases[] = {
        {"plain", "\"plain\""},
        {"\"\\\n\033\177", "\"\\\"\\\\\\u000a\\u001b\\u007f\""},
        {"\303\251\342\202\254\360\237\230\200", "\"\303\251\342\202\254\360\237\230\200\""},
        {"a\377b", "\"a\\ufffdb\""},
        {"\303", "\"\\ufffd\""},
        {"\342\202x", "\"\\ufffd\\ufffdx\""},
        {"\300\200", "\"\\ufffd\\ufffd\""},                       /* longer than need be */
        {"\355\240\200", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
        {"\364\220\200\200", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* above U+10FFFF */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct text t = {0};
        json_string(&t, NULL, cases[i].value);
        assert_false(t.failed);
        assert_string_equal(t.data, cases[i].json);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_holds_status_and_message),
        cmocka_unit_test(long_message_is_cut),
        cmocka_unit_test(message_is_one_line),
        cmocka_unit_test(message_has_no_control_characters),
        cmocka_unit_test(long_path_leaves_the_reason),
        cmocka_unit_test(errno_text_follows),
        cmocka_unit_test(prefix_keeps_status),
        cmocka_unit_test(every_status_has_its_own_name),
        cmocka_unit_test(cpu_names_are_parsed),
        cmocka_unit_test(unknown_cpu_name_is_told_the_known_ones),
        cmocka_unit_test(budget_counts_to_its_limit),
        cmocka_unit_test(default_budget_is_the_machine),
        cmocka_unit_test(block_is_zeroed_aligned_counted),
        cmocka_unit_test(stale_blocks_come_back),
        cmocka_unit_test(kept_memory_is_free_memory),
        cmocka_unit_test(threads_share_what_is_kept),
        cmocka_unit_test(empty_block_is_fine),
        cmocka_unit_test(block_errors_leave_output_and_budget),
        cmocka_unit_test(chosen_allocation_fails_once),
        cmocka_unit_test(wiped_memory_is_zero),
        cmocka_unit_test(arena_pieces_are_zeroed_aligned_apart),
        cmocka_unit_test(arena_fails_cleanly),
        cmocka_unit_test(events_are_kept_up_to_the_capacity),
        cmocka_unit_test(threads_spread_over_nodes_by_their_cpus),
        cmocka_unit_test(nodes_limit_memory_where_some_are_barred),
        cmocka_unit_test(environment_makes_no_topology),
        cmocka_unit_test(json_strings_are_utf8),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}

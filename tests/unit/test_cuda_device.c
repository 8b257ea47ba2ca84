/* A device over a driver of our own: its ledger of memory, errors that pass, errors that end the context, a
 * device that disappears and one that comes back. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/device.h"
#include "backend/cuda/driver.h"

#define CARD (UINT64_C(1) << 30)

enum { LOST = 719, OUT_OF_MEMORY = 2, INVALID_VALUE = 1 };

static struct {
    int next;  /* what the next call that may fail returns, once */
    bool gone; /* all calls fail */
    unsigned contexts, allocations;
} mock;

static cu_result answer(void)
{
    if (mock.gone)
        return LOST;
    const int result = mock.next;
    mock.next = CU_SUCCESS;
    return result;
}

static cu_result mock_text(cu_result result, const char **out)
{
    *out = result == LOST ? "lost" : "other";
    return CU_SUCCESS;
}

static cu_result mock_get(cu_device *out, int ordinal)
{
    *out = ordinal;
    return answer();
}

static cu_result mock_name(char *out, int size, cu_device device)
{
    (void)device;
    strncpy(out, "mock", (size_t)size);
    return answer();
}

static cu_result mock_total(size_t *out, cu_device device)
{
    (void)device;
    *out = CARD;
    return answer();
}

static cu_result mock_attribute(int *out, int attribute, cu_device device)
{
    (void)device;
    *out = attribute == CU_ATTRIBUTE_CAPABILITY_MINOR ? 0 : 9;
    return answer();
}

static cu_result mock_create(cu_context *out, unsigned flags, cu_device device)
{
    (void)flags;
    (void)device;
    const cu_result result = answer();
    if (result == CU_SUCCESS) {
        *out = &mock;
        mock.contexts++;
    }
    return result;
}

static cu_result mock_destroy(cu_context context)
{
    (void)context;
    mock.contexts--;
    mock.allocations = 0;
    return answer();
}

static cu_result mock_set(cu_context context)
{
    (void)context;
    return CU_SUCCESS;
}

static cu_result mock_info(size_t *available, size_t *total)
{
    *available = *total = CARD;
    return answer();
}

static cu_result mock_alloc(cu_ptr *out, size_t size)
{
    (void)size;
    const cu_result result = answer();
    if (result == CU_SUCCESS)
        *out = 256 * (cu_ptr)++mock.allocations;
    return result;
}

static cu_result mock_free(cu_ptr ptr)
{
    (void)ptr;
    mock.allocations--;
    return answer();
}

static cu_result mock_stream(cu_stream *out, unsigned flags)
{
    (void)flags;
    *out = &mock;
    return answer();
}

static cu_result mock_synchronize(cu_stream stream)
{
    (void)stream;
    return answer();
}

static cu_result mock_load(cu_module *out, const void *image)
{
    (void)image;
    *out = &mock;
    return answer();
}

static const struct driver DRIVER = {
    .error_name = mock_text,
    .error_string = mock_text,
    .device_get = mock_get,
    .device_name = mock_name,
    .device_memory = mock_total,
    .device_attribute = mock_attribute,
    .context_create = mock_create,
    .context_destroy = mock_destroy,
    .context_set = mock_set,
    .memory_info = mock_info,
    .memory_alloc = mock_alloc,
    .memory_free = mock_free,
    .stream_create = mock_stream,
    .stream_synchronize = mock_synchronize,
    .module_load = mock_load,
};

static struct cuzk_error error;
static struct device *device;
static struct stream stream;

static int start(void **unused)
{
    (void)unused;
    memset(&mock, 0, sizeof mock);
    assert_int_equal(device_open(&device, &DRIVER, 0, CARD / 4, &error), CUZK_OK);
    assert_int_equal(device_stream(&stream, device, &error), CUZK_OK);
    return 0;
}

static int stop(void **unused)
{
    (void)unused;
    device_close(device);
    assert_int_equal(mock.contexts, 0);
    return 0;
}

static void says_what_it_is(void **unused)
{
    (void)unused;
    const struct device_info *info = device_info(device);
    assert_string_equal(info->name, "mock");
    assert_int_equal(info->capability, 90);
    assert_int_equal(info->memory, CARD);
    assert_int_equal(info->limit, CARD / 4);
}

static void memory_is_counted_against_the_limit(void **unused)
{
    (void)unused;
    struct device_block a, b, empty;
    assert_int_equal(device_alloc(&a, device, 3, CARD / 16, "a", &error), CUZK_OK);
    assert_int_equal(device_alloc(&b, device, 1, CARD / 8, "b", &error), CUZK_ERR_MEMORY);
    assert_non_null(strstr(error.message, " b: "));
    assert_int_equal(device_alloc(&b, device, SIZE_MAX, 2, "b", &error), CUZK_ERR_MEMORY);
    assert_int_equal(device_alloc(&empty, device, 0, 8, "empty", &error), CUZK_OK);
    assert_int_equal(empty.ptr, 0);
    assert_int_equal(device_memory_used(device), 3 * CARD / 16);
    device_free(&a);
    device_free(&a);
    device_free(&empty);
    assert_int_equal(device_memory_used(device), 0);
    assert_int_equal(device_memory_peak(device), 3 * CARD / 16);
}

static void a_freed_block_is_used_again(void **unused)
{
    (void)unused;
    struct device_block a, b, c;
    assert_int_equal(device_alloc(&a, device, 1, CARD / 16, "a", &error), CUZK_OK);
    const uint64_t first = a.ptr;
    device_free(&a);
    assert_int_equal(device_alloc(&b, device, 2, CARD / 32, "b", &error), CUZK_OK);
    assert_int_equal(b.ptr, first);
    assert_int_equal(device_memory_used(device), CARD / 16);
    device_free(&b);
    /* what is kept makes way: for the limit, and for a driver that has no more */
    assert_int_equal(device_alloc(&c, device, 1, CARD / 4, "c", &error), CUZK_OK);
    assert_int_equal(mock.allocations, 1);
    device_free(&c);
    mock.next = OUT_OF_MEMORY;
    assert_int_equal(device_alloc(&a, device, 1, 4096, "a", &error), CUZK_OK);
    assert_int_equal(mock.allocations, 1);
    device_free(&a);
    for (unsigned i = 1; i < 2000; i++) {
        assert_int_equal(device_alloc(&a, device, i, 4096, "a", &error), CUZK_OK);
        device_free(&a);
    }
    assert_true(mock.allocations <= 512);
    assert_int_equal(device_memory_used(device), 0);
}

static void a_failed_allocation_passes(void **unused)
{
    (void)unused;
    struct device_block a;
    mock.next = OUT_OF_MEMORY;
    assert_int_equal(device_alloc(&a, device, 1, 4096, "a", &error), CUZK_ERR_MEMORY);
    assert_false(device_retired(device));
    assert_int_equal(device_memory_used(device), 0);
    assert_int_equal(device_alloc(&a, device, 1, 4096, "a", &error), CUZK_OK);
    device_free(&a);
}

static void a_wrong_call_passes(void **unused)
{
    (void)unused;
    mock.next = INVALID_VALUE;
    assert_int_equal(device_wait(device, stream, &error), CUZK_ERR_DEVICE);
    assert_false(device_retired(device));
    assert_int_equal(device_wait(device, stream, &error), CUZK_OK);
}

static void a_sticky_error_retires_until_reopened(void **unused)
{
    (void)unused;
    struct device_block old, new;
    assert_int_equal(device_alloc(&old, device, 1, 4096, "old", &error), CUZK_OK);
    mock.next = LOST;
    assert_int_equal(device_wait(device, stream, &error), CUZK_ERR_DEVICE);
    assert_true(device_retired(device));
    assert_int_equal(device_wait(device, stream, &error), CUZK_ERR_DEVICE);
    assert_non_null(strstr(error.message, "lost"));
    assert_non_null(strstr(error.message, "retired"));
    assert_int_equal(device_reopen(device, &error), CUZK_OK);
    assert_false(device_retired(device));
    assert_int_equal(mock.contexts, 1);
    assert_int_equal(device_memory_used(device), 0);
    assert_int_equal(device_alloc(&new, device, 1, 4096, "new", &error), CUZK_OK);
    device_free(&old); /* of the context that is gone: not freed in this one */
    assert_int_equal(mock.allocations, 1);
    assert_int_equal(device_memory_used(device), 4096);
    device_free(&new);
    assert_int_equal(device_memory_used(device), 0);
}

static void a_device_that_disappears_stays_retired(void **unused)
{
    (void)unused;
    struct device_block a;
    assert_int_equal(device_alloc(&a, device, 1, 4096, "a", &error), CUZK_OK);
    mock.gone = true;
    assert_int_equal(device_wait(device, stream, &error), CUZK_ERR_DEVICE);
    device_free(&a);
    assert_int_equal(device_reopen(device, &error), CUZK_ERR_DEVICE);
    assert_true(device_retired(device));
    assert_int_equal(device_alloc(&a, device, 1, 4096, "a", &error), CUZK_ERR_DEVICE);
    mock.gone = false;
    assert_int_equal(device_reopen(device, &error), CUZK_OK);
    assert_int_equal(device_alloc(&a, device, 1, 4096, "a", &error), CUZK_OK);
    device_free(&a);
}

/* Opening with each of its calls failing: an error, nothing left behind. */
static void opening_fails_cleanly(void **unused)
{
    (void)unused;
    struct device *other = NULL;
    for (unsigned n = 1;; n++) {
        device_fail_after(device, n, LOST);
        const cuzk_status status = device_reopen(device, &error);
        device_fail_after(device, 0, 0);
        if (status == CUZK_OK)
            break;
        assert_true(device_retired(device));
        assert_true(n < 100);
    }
    mock.gone = true;
    assert_int_equal(device_open(&other, &DRIVER, 1, 0, &error), CUZK_ERR_DEVICE);
    assert_null(other);
    mock.gone = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(says_what_it_is, start, stop),
        cmocka_unit_test_setup_teardown(memory_is_counted_against_the_limit, start, stop),
        cmocka_unit_test_setup_teardown(a_freed_block_is_used_again, start, stop),
        cmocka_unit_test_setup_teardown(a_failed_allocation_passes, start, stop),
        cmocka_unit_test_setup_teardown(a_wrong_call_passes, start, stop),
        cmocka_unit_test_setup_teardown(a_sticky_error_retires_until_reopened, start, stop),
        cmocka_unit_test_setup_teardown(a_device_that_disappears_stays_retired, start, stop),
        cmocka_unit_test_setup_teardown(opening_fails_cleanly, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

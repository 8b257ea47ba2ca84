/* tests/unit/test_request.c - request files and C1 files as the command line takes them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include <sys/stat.h>
#include <unistd.h>

#include "circuits/request.h"

static const struct exec EXEC = {0};

static const char *const INPUTS[] = {
    "porep-2KiB-1", "porep-4KiB-1",    "porep-16KiB-1",    "porep-32KiB-1",
    "porep-8MiB-1", "porep-v1-2KiB-1", "porep-syn-2KiB-1", "porep-ni-2KiB-1",
};

/* A folder of its own for the test, with files. */
static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cuzk-request-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"x.meta.json", "x.c1.json", "x.json"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

static void put(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(in_folder(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static const char *vector_path(const char *input, const char *suffix)
{
    static char path[1024];
    const char *vectors = getenv("CUZK_VECTORS");
    snprintf(path, sizeof path, "%s/input/%s%s", vectors ? vectors : CUZK_TEST_VECTORS, input, suffix);
    return path;
}

static void a_request_file_and_its_c1_give_the_same_statement(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct request a, b, c, d;
        struct cuzk_error e;
        if (request_read(&EXEC, &a, vector_path(INPUTS[i], ".meta.json"), false, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        if (request_read(&EXEC, &b, vector_path(INPUTS[i], ".meta.json"), true, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        assert_int_equal(request_read(&EXEC, &c, vector_path(INPUTS[i], ".c1.json"), false, &e), CUZK_OK);
        assert_int_equal(request_read(&EXEC, &d, vector_path(INPUTS[i], ".c1.json"), true, &e), CUZK_OK);
        assert_int_equal(a.kind, REQUEST_POREP);
        assert_false(a.has_witness || c.has_witness);
        assert_true(b.has_witness && d.has_witness);
        assert_null(a.c1.proof);
        assert_null(c.c1.proof);
        assert_memory_equal(&a.porep, &b.porep, sizeof a.porep);
        assert_memory_equal(&a.porep, &c.porep, sizeof a.porep);
        assert_memory_equal(&a.porep, &d.porep, sizeof a.porep);
        assert_memory_equal(&b.c1.statement, &d.c1.statement, sizeof a.porep);
        request_free(&a);
        request_free(&b);
        request_free(&c);
        request_free(&d);
    }
}

/* The 2KiB request with one text replaced, as x.meta.json. */
static void put_changed(const char *from, const char *to)
{
    char *text = vector_read("input/porep-2KiB-1.meta.json", NULL), *at = strstr(text, from);
    assert_non_null(at);
    const size_t room = strlen(text) + strlen(to) + 1;
    char *changed = malloc(room);
    assert_non_null(changed);
    const int size = snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    put("x.meta.json", changed, (size_t)size);
    free(text);
    free(changed);
}

static void changed_requests_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *from, *to;
        cuzk_status status;
        const char *message;
    } changes[] = {
        {"\"kind\": \"porep\"", "\"kind\": \"porep-ni\"", CUZK_ERR_INPUT,
         "kind: registered proof 5 is of kind \"porep\""},
        {"\"kind\": \"porep\"", "\"kind\": \"window\"", CUZK_ERR_UNSUPPORTED,
         "requests of kind \"window\" are not served"},
        {"\"kind\": \"porep\"", "\"kind\": \"snap\"", CUZK_ERR_UNSUPPORTED,
         "requests of kind \"snap\" are not served"},
        {"\"kind\": \"porep\"", "\"kind\": \"nonsense\"", CUZK_ERR_INPUT,
         "kind: no kind of request is named so (byte "},
        {"\"kind\": \"porep\"", "\"kind\": 1", CUZK_ERR_INPUT, "kind: expected a string (byte "},
        {"\"kind\": \"porep\"", "\"kind\": \"porep\", \"kind\": \"porep\"", CUZK_ERR_INPUT,
         "kind: this field is there twice"},
        {"\"size\": \"2KiB\"", "\"size\": \"32GiB\"", CUZK_ERR_INPUT,
         "size: registered proof 5 is for sectors of 2KiB"},
        {"\"registered_proof\": 5", "\"registered_proof\": 50", CUZK_ERR_INPUT,
         "registered_proof: no registered seal proof has the number 50"},
        {"\"registered_proof\": 5", "\"registered_proof\": 6", CUZK_ERR_INPUT,
         "size: registered proof 6 is for sectors of 8MiB"},
        {"\"porep_id\": \"05", "\"porep_id\": \"06", CUZK_ERR_INPUT,
         "porep_id: not that of registered proof 5"},
        {"\"miner\": 403083", "\"miner\": 403084", CUZK_ERR_INPUT, "prover_id: not that of miner 403084"},
        {"\"miner\": 403083", "\"miner\": -1", CUZK_ERR_INPUT, "miner: expected an unsigned number (byte "},
        {"\"seed\": \"4", "\"seed\": \"g", CUZK_ERR_INPUT, "seed: not a hex digit (byte "},
        {"\"seed\": \"4", "\"seed\": \"", CUZK_ERR_INPUT,
         "seed: 63 characters where there must be 64 hex digits"},
        {"\"comm_r\": \"bd66686ece3e75115fa7d07ef31c4924899f2bf42077244c7f31e325b00e7a19",
         "\"comm_r\": \"01000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73", CUZK_ERR_INPUT,
         "comm_r: not below the field's modulus (byte "},
        {"\"sector\"", "\"sektor\"", CUZK_ERR_INPUT, "unknown field \"sektor\" (known: kind, size,"},
        {"  \"sector\": 8039,\n", "", CUZK_ERR_INPUT, "the field \"sector\" is missing"},
        {"\"sector\": 8039,", "\"sector\": 8039", CUZK_ERR_INPUT, "not JSON"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct request q;
        struct cuzk_error e;
        put_changed(changes[i].from, changes[i].to);
        assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), false, &e), changes[i].status);
        if (!strstr(e.message, changes[i].message))
            fail_msg("\"%s\" is not in \"%s\"", changes[i].message, e.message);
        assert_non_null(strstr(e.message, folder));
    }
}

static void a_c1_of_another_statement_is_refused(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } changes[] = {
        {"\"seed\": \"49", "\"seed\": \"48", "x.c1.json: seed is not the request's"},
        {"\"ticket\": \"80", "\"ticket\": \"81", "x.c1.json: ticket is not the request's"},
        {"\"comm_r\": \"bd", "\"comm_r\": \"bc", "x.c1.json: comm_r is not the request's"},
        {"\"comm_d\": \"6f", "\"comm_d\": \"6e", "x.c1.json: comm_d is not the request's"},
        {"\"sector\": 8039", "\"sector\": 8040", "x.c1.json: the sector's number is not the request's"},
    };
    size_t size;
    char *c1 = vector_read("input/porep-2KiB-1.c1.json", &size);
    (void)state;
    put("x.c1.json", c1, size);
    free(c1);
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct request q;
        struct cuzk_error e;
        put_changed(changes[i].from, changes[i].to);
        assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_MISMATCH);
        if (!strstr(e.message, changes[i].message))
            fail_msg("\"%s\" is not in \"%s\"", changes[i].message, e.message);
        assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), false, &e), CUZK_OK);
    }
    unlink(in_folder("x.c1.json"));
}

static void what_is_no_readable_file_is_told(void **state)
{
    struct request q;
    struct cuzk_error e;
    (void)state;
    assert_int_equal(request_read(&EXEC, &q, in_folder("none"), false, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "none"));
    assert_int_equal(request_read(&EXEC, &q, folder, false, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, folder));
    put("x.json", "", 0);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.json"), false, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "empty"));
    put("x.json", "{\"a\": 1}", 8);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.json"), false, &e), CUZK_ERR_INPUT);
    put("x.json", "\x7f\x45LF", 4);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.json"), false, &e), CUZK_ERR_INPUT);

    /* A C1 is looked for beside *.meta.json only, and must be there. */
    put_changed("porep", "porep");
    char from[128];
    strcpy(from, in_folder("x.meta.json"));
    assert_int_equal(rename(from, in_folder("x.json")), 0);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.json"), false, &e), CUZK_OK);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.json"), true, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "*.meta.json"));
    put_changed("porep", "porep");
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "x.c1.json"));
}

static void each_failing_allocation_is_told(void **state)
{
    uint64_t n = 1;
    (void)state;
    for (;; n++) {
        struct request q;
        struct cuzk_error e;
        mem_fail_after(n);
        const cuzk_status status =
            request_read(&EXEC, &q, vector_path("porep-2KiB-1", ".meta.json"), true, &e);
        mem_fail_after(0);
        if (status == CUZK_OK) {
            request_free(&q);
            break;
        }
        assert_int_equal(status, CUZK_ERR_MEMORY);
    }
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_file_and_its_c1_give_the_same_statement),
        cmocka_unit_test(changed_requests_are_refused_with_their_place),
        cmocka_unit_test(a_c1_of_another_statement_is_refused),
        cmocka_unit_test(what_is_no_readable_file_is_told),
        cmocka_unit_test(each_failing_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

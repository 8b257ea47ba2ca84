/* tests/unit/test_request.c - request files and C1 files as the command line takes them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "circuits/request.h"

/* What the tests share; a folder of their own with files. */
static struct exec EXEC;
static struct poseidon_set *poseidon;

static const char *const POREP_INPUTS[] = {
    "porep-2KiB-1", "porep-4KiB-1",    "porep-16KiB-1",    "porep-32KiB-1",
    "porep-8MiB-1", "porep-v1-2KiB-1", "porep-syn-2KiB-1", "porep-ni-2KiB-1",
};

static const struct other_input {
    const char *name, *circuit, *kind;
    enum request_kind request;
    unsigned partitions;
} OTHER_INPUTS[] = {
    {"winning-2KiB-1", "winning-2k", "winning", REQUEST_POST, 1},
    {"winning-4KiB-1", "winning-4k", "winning", REQUEST_POST, 1},
    {"winning-16KiB-1", "winning-16k", "winning", REQUEST_POST, 1},
    {"winning-32KiB-1", "winning-32k", "winning", REQUEST_POST, 1},
    {"winning-8MiB-1", "winning-8m", "winning", REQUEST_POST, 1},
    {"window-2KiB-1", "window-2k", "window", REQUEST_POST, 2},
    {"window-4KiB-1", "window-4k", "window", REQUEST_POST, 2},
    {"window-16KiB-1", "window-16k", "window", REQUEST_POST, 2},
    {"window-32KiB-1", "window-32k", "window", REQUEST_POST, 2},
    {"window-8MiB-1", "window-8m", "window", REQUEST_POST, 2},
    {"window-v1-2KiB-1", "window-2k", "window-v1", REQUEST_POST, 2},
    {"snap-2KiB-1", "snap-2k", "snap", REQUEST_SNAP, 1},
    {"snap-4KiB-1", "snap-4k", "snap", REQUEST_SNAP, 1},
    {"snap-16KiB-1", "snap-16k", "snap", REQUEST_SNAP, 2},
    {"snap-32KiB-1", "snap-32k", "snap", REQUEST_SNAP, 2},
    {"snap-8MiB-1", "snap-8m", "snap", REQUEST_SNAP, 4},
};

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cuzk-request-XXXXXX");
    if (pool_new(&EXEC.pool, 2, NULL) != CUZK_OK || poseidon_set_new(&poseidon, NULL) != CUZK_OK)
        return -1;
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
    static const char *const names[] = {"x.meta.json", "x.c1.json", "x.json", "0", "1", "2"};
    (void)state;
    poseidon_set_free(poseidon);
    pool_free(EXEC.pool);
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
    for (size_t i = 0; i < ARRAY_LEN(POREP_INPUTS); i++) {
        struct request a, b, c, d;
        struct cuzk_error e;
        if (request_read(&EXEC, &a, vector_path(POREP_INPUTS[i], ".meta.json"), false, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        if (request_read(&EXEC, &b, vector_path(POREP_INPUTS[i], ".meta.json"), true, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        assert_int_equal(request_read(&EXEC, &c, vector_path(POREP_INPUTS[i], ".c1.json"), false, &e),
                         CUZK_OK);
        assert_int_equal(request_read(&EXEC, &d, vector_path(POREP_INPUTS[i], ".c1.json"), true, &e),
                         CUZK_OK);
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

/* A request with one text replaced, as x.meta.json. */
static void put_changed_of(const char *input, const char *from, const char *to)
{
    char name[64];
    snprintf(name, sizeof name, "input/%s.meta.json", input);
    char *text = vector_read(name, NULL), *at = strstr(text, from);
    assert_non_null(at);
    const size_t room = strlen(text) + strlen(to) + 1;
    char *changed = malloc(room);
    assert_non_null(changed);
    const int size = snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    put("x.meta.json", changed, (size_t)size);
    free(text);
    free(changed);
}

static void put_changed(const char *from, const char *to)
{
    put_changed_of("porep-2KiB-1", from, to);
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
        {"\"kind\": \"porep\"", "\"kind\": \"window\"", CUZK_ERR_INPUT,
         "unknown field \"comm_d\" (known: kind, size,"},
        {"\"kind\": \"porep\"", "\"kind\": \"snap\"", CUZK_ERR_INPUT,
         "unknown field \"comm_d\" (known: kind, size,"},
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
        request_free(&q);
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
    request_free(&q);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.json"), true, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "*.meta.json"));
    put_changed("porep", "porep");
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "x.c1.json"));
}

/* ---- PoSt and updates ---- */

static void check_public_inputs(const struct request *q, const char *input, unsigned partition)
{
    char name[64];
    uint8_t expected[FR_BYTES], found[FR_BYTES];
    struct cuzk_error e;
    const size_t count = request_public_count(q);
    fr *inputs = calloc(count, sizeof *inputs);
    assert_non_null(inputs);
    snprintf(name, sizeof name, "instance/%s.%u.json", input, partition);
    char *json = vector_read(name, NULL), *at = vector_after(json, "public_inputs");
    assert_non_null(at);
    assert_int_equal(request_public_inputs(q, partition, inputs, &e), CUZK_OK);
    vector_hex(expected, sizeof expected, &at); /* the constant one */
    for (size_t i = 0; i < count; i++) {
        vector_hex(expected, sizeof expected, &at);
        fr_write_le(found, &inputs[i]);
        assert_memory_equal(found, expected, sizeof found);
    }
    assert_true(at[strspn(at, " \n")] == ']');
    free(json);
    free(inputs);
}

static void every_request_is_read_and_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(OTHER_INPUTS); i++) {
        const struct other_input *input = &OTHER_INPUTS[i];
        struct request a, b;
        struct any_circuit c;
        struct cuzk_error e;
        if (request_read(&EXEC, &a, vector_path(input->name, ".meta.json"), false, &e) != CUZK_OK ||
            request_read(&EXEC, &b, vector_path(input->name, ".meta.json"), true, &e) != CUZK_OK ||
            request_check(&EXEC, poseidon, &b, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        assert_int_equal(a.kind, input->request);
        assert_string_equal(request_circuit_name(&a), input->circuit);
        assert_string_equal(request_kind_text(&a), input->kind);
        assert_int_equal(request_partitions(&a), input->partitions);
        assert_int_equal(a.miner, 403083);
        assert_true(!a.has_witness && !a.is_c1 && b.has_witness);
        for (unsigned k = 0; k < input->partitions; k++) {
            check_public_inputs(&a, input->name, k);
            assert_int_equal(request_check_partition(&EXEC, poseidon, &b, k, &e), CUZK_OK);
            assert_int_equal(request_circuit(&c, poseidon, &b, k, &e), CUZK_OK);
        }
        assert_int_equal(request_circuit(&c, poseidon, &b, input->partitions, &e), CUZK_ERR_ARGUMENT);
        assert_non_null(strstr(e.message, "there is no partition"));
        assert_int_equal(request_check_partition(&EXEC, poseidon, &b, input->partitions, &e),
                         CUZK_ERR_ARGUMENT);
        assert_int_equal(request_circuit(&c, poseidon, &a, 0, &e), CUZK_ERR_ARGUMENT);
        assert_int_equal(request_check(&EXEC, poseidon, &a, &e), CUZK_ERR_ARGUMENT);
        assert_non_null(strstr(e.message, "for its statement alone"));
        request_free(&a);
        request_free(&b);
    }
}

#define ELEMENT_R "01000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73"

static void changed_requests_of_other_kinds_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *input, *from, *to, *message;
    } changes[] = {
        {"window-2KiB-1", "\"window\"", "\"window-v1\"", "kind: registered proof 10 is of kind \"window\""},
        {"window-2KiB-1", "\"window\"", "\"winning\"", "kind: registered proof 10 is of kind \"window\""},
        {"winning-2KiB-1", "\"winning\"", "\"snap\"", "unknown field \"comm_r\" (known: kind, size,"},
        {"snap-2KiB-1", "\"snap\"", "\"winning\"", "unknown field \"comm_d_new\" (known: kind, size,"},
        {"window-2KiB-1", "\"2KiB\"", "\"8MiB\"", "size: registered proof 10 is for sectors of 2KiB"},
        {"window-2KiB-1", ": 10,", ": 4711,",
         "registered_proof: no registered PoSt proof has the number 4711"},
        {"window-2KiB-1", ": 10,", ": 5,", "kind: registered proof 5 is of kind \"window-v1\""},
        {"window-2KiB-1", ": 403083", ": 403084", "prover_id: not that of miner 403084"},
        {"window-2KiB-1", "\"6748d5aa17a38e96ba0cc2bdee9b9405567bdb74777ffeb3e2800d15a60dde00\"",
         "\"" ELEMENT_R "\"", "randomness: not below the field's modulus (byte "},
        {"window-2KiB-1", "    18584,\n", "", "comm_r: more than 2 commitments (byte "},
        {"window-2KiB-1", "    18584,\n", "    18584, 18585,\n",
         "comm_r: 3 commitments where there must be 4"},
        {"window-2KiB-1", "18584", "8039", "sectors: sector 8039 behind sector 8039: they must stand in"},
        {"window-2KiB-1", "18584", "8038", "sectors: sector 8038 behind sector 8039: they must stand in"},
        {"window-2KiB-1", "18584", "\"18584\"", "sectors[1]: expected an unsigned number (byte "},
        {"window-2KiB-1", "    \"window-2KiB-1.18584.vanilla\",\n", "", "vanilla: 2 files for 3 sectors"},
        {"window-2KiB-1", "1.18584.vanilla", "1/18584.vanilla",
         "vanilla[1]: the name must be that of a file"},
        {"window-2KiB-1", "window-2KiB-1.18584.vanilla", "..", "vanilla[1]: the name must be that of a file"},
        {"window-2KiB-1", "window-2KiB-1.18584.vanilla", "", "vanilla[1]: a file name of 0 bytes"},
        {"window-2KiB-1", "1.18584.vanilla", "\\u002f", "vanilla[1]: an escape in a string that needs none"},
        {"window-2KiB-1", "\"window-2KiB-1.18584.vanilla\"", "[]", "vanilla[1]: expected a string (byte "},
        {"window-2KiB-1", "\"vanilla\": [", "\"vanilla\": {}, \"x\": [", "vanilla: expected an array (byte "},
        {"window-2KiB-1", "\"kind\"", "\"vanilla\": [\"a\", \"b\", \"c\"], \"kind\"",
         "vanilla: this field is there twice"},
        {"window-2KiB-1", "  \"size\": \"2KiB\",\n", "", "the field \"size\" is missing"},
        {"winning-2KiB-1", ": 0,", ": 10,", "kind: registered proof 10 is of kind \"window\""},
        {"winning-2KiB-1", "    8039\n", "", "comm_r: more than 0 commitments (byte "},
        {"snap-2KiB-1", "\"snap\"", "\"snap-poseidon\", \"prover_id\": 1", "unknown field \"prover_id\""},
        {"snap-2KiB-1", ": 0,", ": 5,", "registered_proof: no registered update proof has the number 5"},
        {"snap-2KiB-1", ": 0,", ": 1,", "size: registered proof 1 is for sectors of 8MiB"},
        {"snap-2KiB-1", "93598acca0df10b2ccb07ac31e9524482997e5a08e1f64cf3284cc8798b58d3d", ELEMENT_R,
         "comm_r_new: not below the field's modulus (byte "},
        {"snap-8MiB-1", "    \"snap-8MiB-1.0.vanilla\",\n", "", "vanilla: 3 files for 4 partitions"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct request q;
        struct cuzk_error e;
        put_changed_of(changes[i].input, changes[i].from, changes[i].to);
        if (request_read(&EXEC, &q, in_folder("x.meta.json"), false, &e) != CUZK_ERR_INPUT)
            fail_msg("not refused: %s", changes[i].message);
        if (!strstr(e.message, changes[i].message))
            fail_msg("\"%s\" is not in \"%s\"", changes[i].message, e.message);
        assert_non_null(strstr(e.message, folder));
    }
}

static void a_proof_of_no_sectors_is_refused(void **state)
{
    static const char text[] =
        "{\"kind\": \"winning\", \"size\": \"2KiB\", \"registered_proof\": 0, \"miner\": 1, \"prover_id\": "
        "\"0100000000000000000000000000000000000000000000000000000000000000\", \"randomness\": "
        "\"0100000000000000000000000000000000000000000000000000000000000000\", \"sectors\": [], \"comm_r\": "
        "[], "
        "\"vanilla\": []}";
    struct request q;
    struct cuzk_error e;
    (void)state;
    put("x.json", text, sizeof text - 1);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.json"), true, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "a proof of no sectors"));
}

/* The window proof of three sectors, as x.meta.json with the files 0, 1, 2. */
static void put_window(void)
{
    static const char *const files[] = {"8039", "18584", "55230"};
    char *text = vector_read("input/window-2KiB-1.meta.json", NULL), *end = strstr(text, "\"vanilla\"");
    char name[64];
    assert_non_null(end);
    strcpy(end, "\"vanilla\": [\"0\", \"1\", \"2\"]}");
    put("x.meta.json", text, strlen(text));
    free(text);
    for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
        size_t size;
        snprintf(name, sizeof name, "input/window-2KiB-1.%s.vanilla", files[i]);
        text = vector_read(name, &size);
        put((const char[2]){(char)('0' + i)}, text, size);
        free(text);
    }
}

static void vanilla_files_are_read_beside_the_request_and_strictly(void **state)
{
    struct request q;
    struct cuzk_error e;
    size_t size;
    char there[sizeof folder], back[1024];
    (void)state;
    put_window();
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_OK);
    assert_int_equal(request_check(&EXEC, poseidon, &q, &e), CUZK_OK);
    request_free(&q);

    /* The folder is the request file's, also where that is named without one. */
    strcpy(there, folder);
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(there), 0);
    const cuzk_status status = request_read(&EXEC, &q, "x.meta.json", true, &e);
    assert_int_equal(chdir(back), 0);
    assert_int_equal(status, CUZK_OK);
    request_free(&q);

    char *record = vector_read("input/window-2KiB-1.18584.vanilla", &size);
    put("1", record, size - 1);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "/1: 5679 bytes where a vanilla proof of window-2k has 5680"));
    put("1", record, size + 1); /* and the NUL behind it */
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "/1: "));
    record[8 + 32]++; /* the count of sectors */
    put("1", record, size);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "/1: vanilla_proof.sectors: 2 sectors where there must be 1"));
    put("1", "", 0);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_INPUT);
    unlink(in_folder("1"));
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_ERR_IO);
    assert_non_null(strstr(e.message, "/1: "));
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), false, &e), CUZK_OK);
    request_free(&q);
    free(record);
}

static void a_vanilla_proof_of_another_sector_does_not_hold(void **state)
{
    struct request q;
    struct cuzk_error e;
    size_t size;
    (void)state;
    put_window();
    char *record = vector_read("input/window-2KiB-1.8039.vanilla", &size);
    put("2", record, size);
    free(record);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_OK);
    assert_int_equal(request_check(&EXEC, poseidon, &q, &e), CUZK_ERR_UNSATISFIED);
    assert_non_null(strstr(e.message, "sector 55230: the proof is of sector 8039"));
    /* It stands in the second partition alone. */
    assert_int_equal(request_check_partition(&EXEC, poseidon, &q, 0, &e), CUZK_OK);
    assert_int_equal(request_check_partition(&EXEC, poseidon, &q, 1, &e), CUZK_ERR_UNSATISFIED);
    assert_non_null(strstr(e.message, "sector 55230: the proof is of sector 8039"));
    request_free(&q);
}

static void an_update_of_other_data_does_not_hold(void **state)
{
    struct request q;
    struct cuzk_error e;
    char *text = vector_read("input/snap-2KiB-1.meta.json", NULL), *end = strstr(text, "\"vanilla\"");
    char *digit = strstr(text, "\"comm_d_new\": \"4");
    size_t size;
    (void)state;
    assert_true(end && digit);
    strcpy(end, "\"vanilla\": [\"0\"]}");
    digit[strlen("\"comm_d_new\": \"")]++;
    put("x.meta.json", text, strlen(text));
    free(text);
    text = vector_read("input/snap-2KiB-1.0.vanilla", &size);
    put("0", text, size);
    free(text);
    assert_int_equal(request_read(&EXEC, &q, in_folder("x.meta.json"), true, &e), CUZK_OK);
    assert_int_equal(request_check(&EXEC, poseidon, &q, &e), CUZK_ERR_UNSATISFIED);
    if (!strstr(e.message, "challenge 0: "))
        fail_msg("%s", e.message);
    request_free(&q);
}

/* ---- the catalogue ---- */

static void every_circuit_is_found_by_its_name(void **state)
{
    uint64_t size;
    size_t count = 0;
    struct any_circuit c;
    struct cuzk_error e;
    (void)state;
    for (const char *name; (name = catalogue_name(count, &size)) != NULL; count++) {
        assert_int_equal(catalogue_blank(&c, poseidon, name, &e), CUZK_OK);
        assert_non_null(c.circuit.synthesize);
        assert_true(size >= 2048);
    }
    assert_int_equal(count, 40);
    assert_int_equal(catalogue_blank(&c, poseidon, "wpost-32g", &e), CUZK_OK);
    assert_int_equal(c.params.post.sector_size, UINT64_C(32) << 30);
    static const char *const wrong[] = {"", "winning", "window-", "window-3k", "snap-poseidon", "porep-2K"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        assert_int_equal(catalogue_blank(&c, poseidon, wrong[i], &e), CUZK_ERR_ARGUMENT);
        assert_non_null(strstr(e.message, "no circuit is named"));
    }
}

static void a_vanilla_proof_fits_one_circuit(void **state)
{
    static const struct {
        const char *file, *circuit;
    } files[] = {{"window-2KiB-1.8039", "window-2k"},
                 {"winning-32KiB-1.8039", "winning-32k"},
                 {"snap-8MiB-1.3", "snap-8m"}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char path[64];
        size_t bytes;
        struct cuzk_error e;
        snprintf(path, sizeof path, "input/%s.vanilla", files[i].file);
        char *record = vector_read(path, &bytes);
        uint64_t size;
        const char *name;
        for (size_t k = 0; (name = catalogue_name(k, &size)) != NULL; k++)
            assert_int_equal(catalogue_vanilla_fits(name, bytes), strcmp(name, files[i].circuit) == 0);
        name = files[i].circuit;
        const uint8_t *data = (const uint8_t *)record;
        assert_int_equal(catalogue_vanilla_read(&EXEC, name, data, bytes, &e), CUZK_OK);
        assert_int_equal(catalogue_vanilla_read(&EXEC, name, data, bytes - 1, &e), CUZK_ERR_INPUT);
        assert_int_equal(catalogue_vanilla_read(&EXEC, "porep-2k", data, bytes, &e), CUZK_ERR_ARGUMENT);
        free(record);
    }
}

/* ---- memory and stopping ---- */

static void each_failing_allocation_is_told(void **state)
{
    static const char *const inputs[] = {"porep-2KiB-1", "winning-2KiB-1", "window-2KiB-1", "snap-16KiB-1"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        uint64_t n = 1;
        for (;; n++) {
            struct request q;
            struct cuzk_error e;
            mem_fail_after(n);
            const cuzk_status status =
                request_read(&EXEC, &q, vector_path(inputs[i], ".meta.json"), true, &e);
            mem_fail_after(0);
            if (status == CUZK_OK) {
                request_free(&q);
                break;
            }
            assert_int_equal(status, CUZK_ERR_MEMORY);
            assert_int_equal(e.status, CUZK_ERR_MEMORY);
        }
        assert_true(n > 2);
    }
}

static void the_budget_is_kept_and_given_back(void **state)
{
    unsigned read = 0;
    (void)state;
    for (uint64_t limit = 1 << 10; limit <= 1 << 20; limit *= 2) {
        struct request q;
        struct cuzk_error e;
        struct exec x = EXEC;
        struct budget *budget;
        assert_int_equal(budget_new(&budget, limit, &e), CUZK_OK);
        x.budget = budget;
        const cuzk_status status = request_read(&x, &q, vector_path("snap-16KiB-1", ".meta.json"), true, &e);
        assert_true(status == CUZK_OK || status == CUZK_ERR_MEMORY);
        assert_true(budget_peak(budget) <= limit);
        if (status == CUZK_OK) {
            read++;
            request_free(&q);
        }
        assert_int_equal(budget_used(budget), 0);
        budget_free(budget);
    }
    assert_in_range(read, 1, 9);
}

static void reading_can_be_cancelled(void **state)
{
    static const char *const inputs[] = {"porep-2KiB-1", "window-2KiB-1", "snap-2KiB-1"};
    const volatile int cancel = 1;
    struct exec x = EXEC;
    (void)state;
    x.cancel = &cancel;
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        struct request q;
        struct cuzk_error e;
        assert_int_equal(request_read(&x, &q, vector_path(inputs[i], ".meta.json"), true, &e),
                         CUZK_ERR_CANCELLED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_file_and_its_c1_give_the_same_statement),
        cmocka_unit_test(changed_requests_are_refused_with_their_place),
        cmocka_unit_test(a_c1_of_another_statement_is_refused),
        cmocka_unit_test(what_is_no_readable_file_is_told),
        cmocka_unit_test(every_request_is_read_and_holds),
        cmocka_unit_test(changed_requests_of_other_kinds_are_refused_with_their_place),
        cmocka_unit_test(a_proof_of_no_sectors_is_refused),
        cmocka_unit_test(vanilla_files_are_read_beside_the_request_and_strictly),
        cmocka_unit_test(a_vanilla_proof_of_another_sector_does_not_hold),
        cmocka_unit_test(an_update_of_other_data_does_not_hold),
        cmocka_unit_test(every_circuit_is_found_by_its_name),
        cmocka_unit_test(a_vanilla_proof_fits_one_circuit),
        cmocka_unit_test(each_failing_allocation_is_told),
        cmocka_unit_test(the_budget_is_kept_and_given_back),
        cmocka_unit_test(reading_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

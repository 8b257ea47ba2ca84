/* tests/unit/test_request_wire.c - requests as a client sends them give the statements of the request files.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "porep_vectors.h"

#include "base/error.h"
#include "base/pool.h"
#include "circuits/request_send.h"

#define MAX_PIECES 16

static struct exec EXEC;

static int set_up(void **state)
{
    (void)state;
    return pool_new(&EXEC.pool, 2, NULL) == CUZK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_free(EXEC.pool);
    return 0;
}

static const struct input {
    const char *name;
    uint32_t kind;
    unsigned partition; /* of a window proof; else 0 */
    const char *circuit;
    unsigned partitions;
} INPUTS[] = {
    {"porep-2KiB-1", REQUEST_WIRE_POREP, 0, "porep-2k", 1},
    {"porep-v1-2KiB-1", REQUEST_WIRE_POREP, 0, "porep-2k", 1},
    {"porep-syn-2KiB-1", REQUEST_WIRE_POREP, 0, "porep-2k", 1},
    {"porep-ni-2KiB-1", REQUEST_WIRE_POREP, 0, "porep-2k", 13},
    {"snap-2KiB-1", REQUEST_WIRE_SNAP, 0, "snap-2k", 1},
    {"snap-16KiB-1", REQUEST_WIRE_SNAP, 0, "snap-16k", 2},
    {"winning-2KiB-1", REQUEST_WIRE_WINNING, 0, "winning-2k", 1},
    {"window-2KiB-1", REQUEST_WIRE_WINDOW, 0, "window-2k", 1},
    {"window-2KiB-1", REQUEST_WIRE_WINDOW, 1, "window-2k", 1},
    {"window-v1-2KiB-1", REQUEST_WIRE_WINDOW, 0, "window-2k", 1},
    {"window-v1-2KiB-1", REQUEST_WIRE_WINDOW, 1, "window-2k", 1},
};

/* A request and what it points to. */
struct sent {
    struct request_wire wire;
    struct request_wire_bytes pieces[MAX_PIECES];
    char *files[MAX_PIECES];
    uint8_t randomness[32], comm_r_old[32], comm_r_new[32], comm_d_new[32];
};

static char *find(char *text, const char *key)
{
    char *at = vector_after(text, key);
    if (!at)
        fail_msg("no %s", key);
    return at;
}

static void hex32(uint8_t out[32], const char *quoted)
{
    for (unsigned i = 0; i < 32; i++) {
        char digits[3] = {quoted[1 + 2 * i], quoted[2 + 2 * i], 0};
        out[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

static void add_file(struct sent *s, const char *name, size_t length)
{
    char path[256];
    const size_t n = s->wire.piece_count++;
    assert_true(n < MAX_PIECES);
    snprintf(path, sizeof path, "input/%.*s", (int)length, name);
    s->files[n] = vector_read(path, &s->pieces[n].size);
    s->pieces[n].data = (const uint8_t *)s->files[n];
}

static void take_element(struct request_wire_bytes *field, uint8_t out[32], char *meta, const char *key)
{
    hex32(out, find(meta, key));
    *field = (struct request_wire_bytes){out, 32};
}

/* What a client would send for an input; of a window proof its partition of two sectors. */
static void fill(struct sent *s, const struct input *input)
{
    char path[128];
    memset(s, 0, sizeof *s);
    snprintf(path, sizeof path, "input/%s.meta.json", input->name);
    char *meta = vector_read(path, NULL), *at = find(meta, "miner");
    struct request_wire *w = &s->wire;
    w->kind = input->kind;
    w->pieces = s->pieces;
    w->miner_id = vector_number(&at);
    at = find(meta, "registered_proof");
    w->registered_proof = vector_number(&at);
    w->partition_index = input->partition;
    if (input->kind == REQUEST_WIRE_POREP || input->kind == REQUEST_WIRE_SNAP) {
        at = find(meta, "sector");
        w->sector_number = vector_number(&at);
    }
    if (input->kind == REQUEST_WIRE_POREP) {
        snprintf(path, sizeof path, "%s.c1.json", input->name);
        add_file(s, path, strlen(path));
        free(meta);
        return;
    }
    if (input->kind == REQUEST_WIRE_SNAP) {
        take_element(&w->comm_r_old, s->comm_r_old, meta, "comm_r_old");
        take_element(&w->comm_r_new, s->comm_r_new, meta, "comm_r_new");
        take_element(&w->comm_d_new, s->comm_d_new, meta, "comm_d_new");
    } else {
        take_element(&w->randomness, s->randomness, meta, "randomness");
    }
    unsigned n = 0;
    for (at = strchr(find(meta, "vanilla"), '"'); at; at = strchr(at, '"'), n++) {
        const size_t length = strcspn(++at, "\"");
        if (input->kind != REQUEST_WIRE_WINDOW || n / 2 == input->partition)
            add_file(s, at, length);
        at += length + 1;
    }
    free(meta);
}

static void let_go(struct sent *s)
{
    for (size_t i = 0; i < MAX_PIECES; i++)
        free(s->files[i]);
}

/* A partition's public inputs are the same, one way and the other. */
static void check_inputs(const struct request *got, unsigned partition, const struct request *want,
                         unsigned of_whole)
{
    struct cuzk_error e;
    const size_t count = request_public_count(got);
    assert_int_equal(count, request_public_count(want));
    fr *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
    assert_true(a && b);
    if (request_public_inputs(got, partition, a, &e) != CUZK_OK ||
        request_public_inputs(want, of_whole, b, &e) != CUZK_OK)
        fail_msg("%s", e.message);
    assert_memory_equal(a, b, count * sizeof *a);
    free(a);
    free(b);
}

static void requests_give_the_statements_of_the_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct sent s;
        struct request got, want;
        struct request_wire_shape shape;
        struct cuzk_error e = {0};
        char path[1024];
        fill(&s, &INPUTS[i]);
        if (request_wire_check(&shape, &s.wire, &e) != CUZK_OK ||
            request_wire_read(&EXEC, &got, &s.wire, &e) != CUZK_OK)
            fail_msg("%s: %s", INPUTS[i].name, e.message);
        let_go(&s); /* nothing is borrowed */
        assert_string_equal(shape.circuit, INPUTS[i].circuit);
        assert_string_equal(request_circuit_name(&got), INPUTS[i].circuit);
        assert_int_equal(shape.partitions, INPUTS[i].partitions);
        assert_int_equal(request_partitions(&got), INPUTS[i].partitions);
        assert_int_equal(shape.sector_size, request_sector_size(&got));
        assert_true(got.has_witness);
        snprintf(path, sizeof path, "%s/input/%s.meta.json", vector_folder(), INPUTS[i].name);
        if (request_read(&EXEC, &want, path, false, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        for (unsigned k = 0; k < INPUTS[i].partitions; k++)
            check_inputs(&got, k, &want, k + INPUTS[i].partition);
        request_free(&got);
        request_free(&want);
    }
}

static bool same_bytes(struct request_wire_bytes a, struct request_wire_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static void what_is_sent_for_a_file_is_what_clients_send(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct sent s;
        struct request_send send;
        struct request_wire got;
        struct cuzk_error e = {0};
        char path[1024];
        fill(&s, &INPUTS[i]);
        snprintf(path, sizeof path, "%s/input/%s.meta.json", vector_folder(), INPUTS[i].name);
        if (request_send_open(&EXEC, &send, path, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        assert_int_equal(request_send_count(&send), INPUTS[i].kind == REQUEST_WIRE_WINDOW ? 2 : 1);
        request_send_get(&send, INPUTS[i].partition, &got);
        assert_int_equal(got.kind, s.wire.kind);
        assert_int_equal(got.registered_proof, s.wire.registered_proof);
        assert_int_equal(got.sector_number, s.wire.sector_number);
        assert_int_equal(got.miner_id, s.wire.miner_id);
        assert_int_equal(got.partition_index, s.wire.partition_index);
        assert_true(same_bytes(got.randomness, s.wire.randomness));
        assert_true(same_bytes(got.comm_r_old, s.wire.comm_r_old));
        assert_true(same_bytes(got.comm_r_new, s.wire.comm_r_new));
        assert_true(same_bytes(got.comm_d_new, s.wire.comm_d_new));
        assert_int_equal(got.piece_count, s.wire.piece_count);
        for (size_t k = 0; k < got.piece_count; k++)
            assert_true(same_bytes(got.pieces[k], s.wire.pieces[k]));
        struct request_wire_shape shape;
        assert_int_equal(request_wire_check(&shape, &got, &e), CUZK_OK);
        request_send_close(&send);
        let_go(&s);
    }
}

static void files_that_cannot_be_sent_are_refused(void **state)
{
    (void)state;
    struct request_send send = {0};
    struct cuzk_error e = {0};
    char path[1024];
    request_send_close(&send);
    snprintf(path, sizeof path, "%s/input/none.meta.json", vector_folder());
    assert_int_equal(request_send_open(&EXEC, &send, path, &e), CUZK_ERR_IO);
    snprintf(path, sizeof path, "%s/proofs.json", vector_folder());
    assert_int_equal(request_send_open(&EXEC, &send, path, &e), CUZK_ERR_INPUT);
    snprintf(path, sizeof path, "%s/input/window-2KiB-1.meta.json", vector_folder());
    for (unsigned n = 1; n < 6; n++) {
        mem_fail_after(n);
        const cuzk_status status = request_send_open(&EXEC, &send, path, &e);
        mem_fail_after(0);
        assert_true(status == CUZK_OK || status == CUZK_ERR_MEMORY);
        if (status == CUZK_OK)
            request_send_close(&send);
    }
}

static void records_of_a_window_proof_come_in_any_order(void **state)
{
    struct sent s;
    struct request q;
    struct cuzk_error e;
    (void)state;
    fill(&s, &INPUTS[7]);
    const struct request_wire_bytes first = s.pieces[0];
    s.pieces[0] = s.pieces[1];
    s.pieces[1] = first;
    assert_int_equal(request_wire_read(&EXEC, &q, &s.wire, &e), CUZK_OK);
    assert_true(q.post.sectors[0].id < q.post.sectors[1].id);
    assert_int_equal(q.post_proofs[0].sector_id, q.post.sectors[0].id);
    request_free(&q);
    s.pieces[1] = s.pieces[0];
    assert_int_equal(request_wire_read(&EXEC, &q, &s.wire, &e), CUZK_ERR_INPUT);
    assert_non_null(strstr(e.message, "each once"));
    let_go(&s);
}

/* ---- what is refused ---- */

static void refused(const struct sent *s, cuzk_status status, const char *message)
{
    struct request q;
    struct cuzk_error e = {0};
    const cuzk_status got = request_wire_read(&EXEC, &q, &s->wire, &e);
    if (got != status || e.status != status || !strstr(e.message, message))
        fail_msg("%d \"%s\" instead of %d \"%s\"", got, e.message, status, message);
}

#define REFUSED(index, change, status, message)                                                              \
    do {                                                                                                     \
        struct sent s;                                                                                       \
        fill(&s, &INPUTS[index]);                                                                            \
        struct request_wire *const w = &s.wire;                                                              \
        (void)w;                                                                                             \
        change;                                                                                              \
        refused(&s, status, message);                                                                        \
        let_go(&s);                                                                                          \
    } while (0)

enum { POREP = 0, SNAP = 4, WINNING = 6, WINDOW = 7 };

static void wrong_fields_are_refused_by_name(void **state)
{
    (void)state;
    REFUSED(POREP, w->kind = 0, CUZK_ERR_ARGUMENT, "proof_kind: 0");
    REFUSED(POREP, w->kind = 5, CUZK_ERR_ARGUMENT, "proof_kind: 5");
    REFUSED(POREP, w->registered_proof = 77, CUZK_ERR_ARGUMENT, "registered_proof: no registered seal proof");
    REFUSED(WINDOW, w->registered_proof = 77, CUZK_ERR_ARGUMENT, "registered_proof: no registered PoSt");
    REFUSED(SNAP, w->registered_proof = 77, CUZK_ERR_ARGUMENT, "registered_proof: no registered update");
    REFUSED(WINDOW, w->registered_proof = 0, CUZK_ERR_ARGUMENT,
            "0 is a winning proof, proof_kind says window");
    REFUSED(WINNING, w->registered_proof = 10, CUZK_ERR_ARGUMENT, "10 is a window proof");
    REFUSED(POREP, w->sector_size = 34359738368, CUZK_ERR_ARGUMENT,
            "sector_size: 34359738368, but registered");
    REFUSED(WINDOW, w->sector_size = 4096, CUZK_ERR_ARGUMENT, "sector_size: 4096");
    REFUSED(POREP, w->registered_proof = 0; w->sector_size = 7, CUZK_ERR_ARGUMENT, "7");
    REFUSED(WINDOW, w->randomness.size = 31, CUZK_ERR_ARGUMENT, "randomness: 31 bytes instead of 32");
    REFUSED(WINDOW, s.randomness[31] = 0xff, CUZK_ERR_ARGUMENT, "randomness: not below");
    REFUSED(SNAP, w->comm_r_old.size = 0, CUZK_ERR_ARGUMENT, "comm_r_old: 0 bytes");
    REFUSED(SNAP, w->comm_d_new.size = 33, CUZK_ERR_ARGUMENT, "comm_d_new: 33 bytes");
    REFUSED(SNAP, w->randomness = w->comm_r_new, CUZK_ERR_ARGUMENT, "randomness: not a field of this kind");
    REFUSED(WINNING, w->comm_r_new = w->randomness, CUZK_ERR_ARGUMENT, "comm_r_new: not a field");
}

static void wrong_pieces_are_refused(void **state)
{
    (void)state;
    REFUSED(POREP, w->piece_count = 0, CUZK_ERR_INPUT, "vanilla_proof: no C1");
    REFUSED(POREP, s.pieces[0].size /= 2, CUZK_ERR_INPUT, "vanilla_proof: ");
    REFUSED(SNAP, w->piece_count = 0, CUZK_ERR_INPUT, "vanilla_proofs: 0 records for 1 partitions");
    REFUSED(SNAP, s.pieces[0].size--, CUZK_ERR_INPUT, "vanilla_proofs[0]: ");
    REFUSED(WINDOW, s.pieces[1].size++, CUZK_ERR_INPUT, "vanilla_proofs[1]: ");
    REFUSED(WINDOW, s.pieces[2] = s.pieces[1]; w->piece_count = 3, CUZK_ERR_INPUT, "3 records; a window");
    REFUSED(WINNING, s.pieces[1] = s.pieces[0]; w->piece_count = 2, CUZK_ERR_INPUT, "2 records; a winning");
    REFUSED(WINDOW, memset(s.files[1], 0xff, s.pieces[1].size), CUZK_ERR_INPUT, "vanilla_proofs[1]: ");
}

static void a_c1_of_another_sector_is_refused(void **state)
{
    (void)state;
    REFUSED(POREP, w->registered_proof = 0, CUZK_ERR_MISMATCH, "registered_proof: 0, but the C1");
    REFUSED(POREP, w->registered_proof = 10, CUZK_ERR_MISMATCH, "registered_proof: 10, but the C1");
    REFUSED(POREP, w->registered_proof = 0; w->sector_size = 8 << 20, CUZK_ERR_MISMATCH, "sector_size: ");
    REFUSED(POREP, w->miner_id++, CUZK_ERR_MISMATCH, "not that of miner");
    REFUSED(POREP, w->sector_number++, CUZK_ERR_MISMATCH, "sector");
}

static void a_miner_that_is_not_given_is_not_asked_for(void **state)
{
    struct sent s;
    struct request q;
    struct cuzk_error e;
    (void)state;
    fill(&s, &INPUTS[POREP]);
    s.wire.miner_id = 0;
    assert_int_equal(request_wire_read(&EXEC, &q, &s.wire, &e), CUZK_OK);
    request_free(&q);
    let_go(&s);
}

static void a_missing_number_follows_from_the_size(void **state)
{
    static const unsigned inputs[] = {SNAP + 1, WINNING, WINDOW};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        struct sent s;
        struct request_wire_shape shape;
        struct cuzk_error e;
        fill(&s, &INPUTS[inputs[i]]);
        s.wire.registered_proof = 0;
        s.wire.sector_size = inputs[i] == SNAP + 1 ? 16384 : 2048;
        if (request_wire_check(&shape, &s.wire, &e) != CUZK_OK)
            fail_msg("%s", e.message);
        assert_string_equal(shape.circuit, INPUTS[inputs[i]].circuit);
        s.wire.sector_size = 12345;
        assert_int_equal(request_wire_check(&shape, &s.wire, &e), CUZK_ERR_ARGUMENT);
        assert_non_null(strstr(e.message, "no sectors of 12345 bytes"));
        let_go(&s);
    }
}

static void failing_allocations_are_reported(void **state)
{
    static const unsigned inputs[] = {POREP, SNAP, WINNING, WINDOW};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        struct sent s;
        struct request q;
        struct cuzk_error e;
        cuzk_status status = CUZK_ERR_MEMORY;
        fill(&s, &INPUTS[inputs[i]]);
        for (unsigned n = 1; status != CUZK_OK && n < 100; n++) {
            mem_fail_after(n);
            status = request_wire_read(&EXEC, &q, &s.wire, &e);
            mem_fail_after(0);
            assert_true(status == CUZK_OK || (status == CUZK_ERR_MEMORY && e.message[0]));
        }
        assert_int_equal(status, CUZK_OK);
        request_free(&q);
        let_go(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_give_the_statements_of_the_files),
        cmocka_unit_test(what_is_sent_for_a_file_is_what_clients_send),
        cmocka_unit_test(files_that_cannot_be_sent_are_refused),
        cmocka_unit_test(records_of_a_window_proof_come_in_any_order),
        cmocka_unit_test(wrong_fields_are_refused_by_name),
        cmocka_unit_test(wrong_pieces_are_refused),
        cmocka_unit_test(a_c1_of_another_sector_is_refused),
        cmocka_unit_test(a_miner_that_is_not_given_is_not_asked_for),
        cmocka_unit_test(a_missing_number_follows_from_the_size),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

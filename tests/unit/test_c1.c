/* tests/unit/test_c1.c - the C1 reader: what storage software writes is read, all else is refused with field
 * and byte. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "c1_make.h"
#include "porep_vectors.h"

#include "base/memory.h"
#include "circuits/base64.h"
#include "circuits/porep.h"
#include "hash/sha256.h"

static const struct exec EXEC = {0};

static const char *const INPUTS[] = {
    "porep-2KiB-1", "porep-4KiB-1",    "porep-16KiB-1",    "porep-32KiB-1",
    "porep-8MiB-1", "porep-v1-2KiB-1", "porep-syn-2KiB-1", "porep-ni-2KiB-1",
};

struct text {
    char *p;
    size_t size;
};

static struct text wrapped(const char *input)
{
    char name[128];
    struct text t;
    snprintf(name, sizeof name, "input/%s.c1.json", input);
    t.p = vector_read(name, &t.size);
    return t;
}

/* The phase-1 output within. */
static struct text bare(const char *input)
{
    static const char key[] = "\"Phase1Out\":\"";
    struct text w = wrapped(input), t = {0};
    size_t bad;
    const char *start = strstr(w.p, key);
    assert_non_null(start);
    start += sizeof key - 1;
    const size_t n = strcspn(start, "\"");
    t.p = malloc(base64_room(n) + 1);
    assert_non_null(t.p);
    assert_null(base64_decode((uint8_t *)t.p, &t.size, start, n, &bad));
    t.p[t.size] = 0;
    free(w.p);
    return t;
}

static cuzk_status read_text(struct porep_c1 *c1, const char *text, size_t size, struct cuzk_error *e)
{
    /* A buffer of the exact size, so that a sanitizer sees a step beyond it. */
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, text, size);
    memset(e, 0, sizeof *e);
    const cuzk_status status = porep_c1_read(&EXEC, c1, exact, size, e);
    free(exact);
    return status;
}

/* ---- what is read ---- */

/* The path leads from the leaf to the root of the data's tree: SHA-256 of two nodes, cut to 254 bits. */
static void check_data_path(const struct merkle_path *path, uint64_t node)
{
    uint8_t cur[64], digest[32];
    fr value = path->leaf;
    for (uint32_t i = 0; i < path->count; i++) {
        assert_int_equal(path->steps[i].arity, 2);
        assert_int_equal(path->steps[i].index, node >> i & 1);
        fr_write_le(cur + 32 * path->steps[i].index, &value);
        fr_write_le(cur + 32 * (1 - path->steps[i].index), &path->steps[i].siblings[0]);
        sha256(digest, cur, 64);
        digest[31] &= 0x3f;
        assert_true(fr_read_le(&value, digest));
    }
    assert_true(fr_equal(&value, &path->root));
}

static void every_vector_is_read_and_its_data_paths_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct porep_c1 c1;
        struct cuzk_error e;
        struct text t = wrapped(INPUTS[i]);
        if (read_text(&c1, t.p, t.size, &e) != CUZK_OK)
            fail_msg("%s: %s", INPUTS[i], e.message);
        free(t.p);
        assert_true(c1.wrapped);
        assert_int_equal(c1.sector_number, 8039);
        const struct porep_params *p = &c1.statement.params;
        fr comm_d;
        assert_true(fr_read_le(&comm_d, c1.statement.comm_d));
        for (unsigned k = 0; k < p->partitions; k++) {
            uint64_t challenges[POREP_MAX_CHALLENGES];
            assert_int_equal(porep_challenges(&c1.statement, k, challenges, &e), CUZK_OK);
            for (unsigned c = 0; c < p->challenges; c++) {
                assert_int_equal(c1.proof[k][c].comm_d.count, p->data_height);
                assert_true(fr_equal(&c1.proof[k][c].comm_d.root, &comm_d));
                check_data_path(&c1.proof[k][c].comm_d, challenges[c]);
            }
        }
        porep_c1_free(&c1);
    }
}

static void proofs_speak_of_their_statements(void **state)
{
    struct poseidon_set *poseidon;
    (void)state;
    assert_int_equal(poseidon_set_new(&poseidon, NULL), CUZK_OK);
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct porep_c1 c1;
        struct cuzk_error e;
        struct text t = wrapped(INPUTS[i]);
        assert_int_equal(read_text(&c1, t.p, t.size, &e), CUZK_OK);
        free(t.p);
        if (porep_c1_check(&EXEC, poseidon, &c1, &e) != CUZK_OK)
            fail_msg("%s: %s", INPUTS[i], e.message);

        c1.statement.seed[3] ^= 1;
        if (c1.statement.params.mode != POREP_NON_INTERACTIVE) {
            assert_int_equal(porep_c1_check(&EXEC, poseidon, &c1, &e), CUZK_ERR_UNSATISFIED);
            assert_non_null(strstr(e.message, "challenges node"));
        }
        c1.statement.seed[3] ^= 1;
        c1.statement.comm_d[0] ^= 1;
        assert_int_equal(porep_c1_check(&EXEC, poseidon, &c1, &e), CUZK_ERR_UNSATISFIED);
        assert_string_equal(e.message, "partition 0, challenge 0: the root of comm_d_proofs is not comm_d");
        c1.statement.comm_d[0] ^= 1;
        c1.statement.comm_r[0] ^= 1;
        assert_int_equal(porep_c1_check(&EXEC, poseidon, &c1, &e), CUZK_ERR_UNSATISFIED);
        c1.statement.comm_r[0] ^= 1;
        c1.proof[0][1].exp_parents[7].index ^= 1;
        assert_int_equal(porep_c1_check(&EXEC, poseidon, &c1, &e), CUZK_ERR_UNSATISFIED);
        assert_non_null(strstr(e.message, "partition 0, challenge 1: exp_parents[7] is the column of node "));
        c1.proof[0][1].exp_parents[7].index ^= 1;
        c1.proof[0][1].encoding.parents[36] = FR_ZERO;
        assert_int_equal(porep_c1_check(&EXEC, poseidon, &c1, &e), CUZK_ERR_UNSATISFIED);
        assert_string_equal(
            e.message, "partition 0, challenge 1: encoding_proof: parents[36] is not the parent's label");
        porep_c1_free(&c1);
    }
    poseidon_set_free(poseidon);
}

static void the_bare_form_reads_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(INPUTS); i++) {
        struct porep_c1 a, b;
        struct cuzk_error e;
        struct text w = wrapped(INPUTS[i]), t = bare(INPUTS[i]);
        assert_int_equal(read_text(&a, w.p, w.size, &e), CUZK_OK);
        assert_int_equal(read_text(&b, t.p, t.size, &e), CUZK_OK);
        assert_false(b.wrapped);
        assert_int_equal(b.sector_number, 0);
        assert_memory_equal(&a.statement, &b.statement, sizeof a.statement);
        assert_memory_equal(a.proof[0][1].encoding.parents, b.proof[0][1].encoding.parents,
                            POREP_LABEL_PARENTS * sizeof(fr));
        porep_c1_free(&a);
        porep_c1_free(&b);
        free(w.p);
        free(t.p);
    }
}

/* All but the non-interactive ones of the largest sizes, which would be of 640 MB. */
static void every_registered_proof_is_read(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 20; n++) {
        struct porep_c1 c1;
        struct porep_params p;
        struct cuzk_error e;
        struct text t;
        assert_int_equal(porep_params_for_number(&p, n, &e), CUZK_OK);
        if (p.mode == POREP_NON_INTERACTIVE && p.layers == POREP_MAX_LAYERS)
            continue;
        t.p = n % 2 ? c1_make(&p, n, &t.size) : c1_make_wrapped(&p, n, &t.size);
        if (read_text(&c1, t.p, t.size, &e) != CUZK_OK)
            fail_msg("%u: %s", (unsigned)n, e.message);
        assert_memory_equal(&c1.statement.params, &p, sizeof p);
        assert_int_equal(c1.proof[p.partitions - 1][p.challenges - 1].comm_r_last.count,
                         p.base_height + (p.sub_arity > 0) + (p.top_arity > 0));
        porep_c1_free(&c1);
        free(t.p);
    }
}

/* text with the first occurrence of from (after the first of anchor, if there is one) replaced. */
static struct text replaced(struct text t, const char *anchor, const char *from, const char *to)
{
    char *start = anchor ? strstr(t.p, anchor) : t.p;
    assert_non_null(start);
    char *at = strstr(start, from);
    assert_non_null(at);
    const size_t head = (size_t)(at - t.p), cut = strlen(from), put = strlen(to);
    struct text out = {malloc(t.size - cut + put + 1), t.size - cut + put};
    assert_non_null(out.p);
    memcpy(out.p, t.p, head);
    memcpy(out.p + head, to, put);
    memcpy(out.p + head + put, at + cut, t.size - head - cut + 1);
    return out;
}

static void fields_may_stand_in_any_order_and_with_white_space(void **state)
{
    struct porep_c1 c1;
    struct cuzk_error e;
    struct text t = bare("porep-2KiB-1");
    (void)state;
    /* registered_proof to the end: the size is not known when the proofs come. */
    struct text without = replaced(t, NULL, "\"registered_proof\":\"StackedDrg2KiBV1_1\",", "");
    without.p[without.size - 1] = ' ';
    struct text last = {malloc(without.size + 64), 0};
    assert_non_null(last.p);
    last.size =
        (size_t)sprintf(last.p, " \n%s,\t\"registered_proof\" :\r\n \"StackedDrg2KiBV1_1\" } ", without.p);
    if (read_text(&c1, last.p, last.size, &e) != CUZK_OK)
        fail_msg("%s", e.message);
    porep_c1_free(&c1);

    struct text spaced = replaced(t, "\"leaf\"", "[", " [ \n ");
    assert_int_equal(read_text(&c1, spaced.p, spaced.size, &e), CUZK_OK);
    porep_c1_free(&c1);
    free(t.p);
    free(without.p);
    free(last.p);
    free(spaced.p);
}

/* ---- what is refused ---- */

static void refused(struct text t, const char *message)
{
    struct porep_c1 c1;
    struct cuzk_error e;
    assert_int_equal(read_text(&c1, t.p, t.size, &e), CUZK_ERR_INPUT);
    assert_int_equal(e.status, CUZK_ERR_INPUT);
    if (!strstr(e.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, e.message);
    assert_non_null(strstr(e.message, "(byte "));
}

static const struct {
    const char *anchor, *from, *to, *message;
} changes[] = {
    {NULL, "\"comm_d\"", "\"comm_D\"", "unknown field \"comm_D\" (known: registered_proof, vanilla_proofs,"},
    {NULL, "\"seed\"", "\"ticket\"", "ticket: this field is there twice"},
    {NULL, "\"seed\":[", "\"seed\":[1,", "seed: more than 32 bytes"},
    {"\"seed\":[", "[", "[256,", "seed[0]: a number above 255 where a byte must be"},
    {"\"seed\":[", "[", "[-1,", "seed[0]: expected a number from 0 to 255"},
    {"\"seed\":[", "[", "[1.5,", "seed[0]: expected a number from 0 to 255"},
    {"\"seed\":[", "[", "[1e1,", "seed[0]: expected a number from 0 to 255"},
    {"\"seed\":[", "[", "[01,", "seed[0]: a number with a leading zero"},
    {"\"seed\":[", "[", "[null,", "seed[0]: expected a number from 0 to 255"},
    {"\"seed\":[", "[", "[[1],", "seed[0]: expected a number from 0 to 255"},
    {"\"seed\":[", "[", "[],\"x\":[", "seed: 0 bytes where there must be 32"},
    {"\"seed\":[", "[", "[1],\"x\":[", "seed: 1 bytes where there must be 32"},
    {"\"seed\":", "[", "{\"a\":[", "seed: expected an array of 32 bytes"},
    {"\"seed\":", "[", "\"x\",\"y\":[", "seed: expected an array of 32 bytes"},
    {"\"comm_r\":[", "[",
     "[255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,"
     "255,255,255,255,255,255,255,255,255],\"x\":[",
     "comm_r: not below the field's modulus"},
    /* r itself */
    {"\"replica_id\":[", "[",
     "[1,0,0,0,255,255,255,255,254,91,254,255,2,164,189,83,5,216,161,9,8,216,57,51,72,125,157,41,"
     "83,167,237,115],\"x\":[",
     "replica_id: not below the field's modulus"},
    {NULL, "StackedDrg2KiBV1_1", "StackedDrg2KiBV1_9", "registered_proof: no registered seal proof is named"},
    {NULL, "\"StackedDrg2KiBV1_1\"", "5", "registered_proof: expected a string"},
    {NULL, "StackedDrg2KiBV1_1", "StackedDrg\\u0032KiBV1_1", "registered_proof: an escape in a string"},
    {NULL, "\"StackedDrg2KiBV1\"", "\"StackedDrg8MiBV1\"",
     "vanilla_proofs: unknown field \"StackedDrg8MiBV1\" (known: StackedDrg2KiBV1)"},
    {NULL, "StackedDrg2KiBV1_1", "StackedDrg8MiBV1_1", "vanilla_proofs: unknown field \"StackedDrg2KiBV1\""},
    {NULL, "StackedDrg2KiBV1_1", "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep",
     "vanilla_proofs.StackedDrg2KiBV1: 1 partitions where there must be 13"},
    {NULL, "\"StackedDrg2KiBV1\":[", "\"StackedDrg2KiBV1\":[[],",
     "vanilla_proofs.StackedDrg2KiBV1[0]: 0 challenges where there must be 2"},
    {NULL, "\"vanilla_proofs\":{", "\"vanilla_proofs\":{\"x\":1,", "vanilla_proofs: unknown field \"x\""},
    {NULL, "\"vanilla_proofs\":{", "\"vanilla_proofs\":{},\"x\":{",
     "vanilla_proofs: the field \"StackedDrg2KiBV1\" is missing"},
    {NULL, "\"Single\":{", "\"Sub\":{", "[0][0].comm_d_proofs.data: unknown field \"Sub\" (known: Single)"},
    {"\"comm_r_last_proof\"", "\"Single\":{", "\"Top\":{",
     "[0][0].comm_r_last_proof.data: unknown field \"Top\" (known: Single)"},
    {NULL, "\"index\":0", "\"index\":2", ": 2 is not below 2"},
    {NULL, "\"index\":0", "\"index\":18446744073709551616", "a number beyond 64 bits"},
    {NULL, "\"index\":0", "\"index\":-0", "expected an unsigned number"},
    {NULL, "\"index\":0", "\"index\":0.0", "expected an unsigned whole number"},
    {NULL, "\"index\":0", "\"index\":00", "a number with a leading zero"},
    {NULL, "\"index\":0", "\"index\":\"0\"", "expected an unsigned number"},
    {"\"comm_r_last_proof\"", "\"hashes\":[[", "\"hashes\":[[1],[",
     "comm_r_last_proof.data.Single.path.path[0].hashes[0]: 1 bytes where"},
    {"\"path\":{", "\"path\":[", "\"path\":[{\"hashes\":[],\"index\":0},",
     "path.path[0].hashes: 0 hashes where there must be 1"},
    {"\"path\":{", "\"path\":[", "\"path\":[],\"x\":[", "path.path: 0 path elements where there must be 6"},
    {"\"path\":{", "\"path\":[", "\"path\":7,\"x\":[", "path.path: expected an array"},
    {"\"path\":{", "\"path\":[", "\"path\":{},\"x\":[", "path.path: expected an array"},
    {NULL, "\"path\":{", "\"path\":7,\"x\":{", "data.Single.path: expected an object"},
    {NULL, "\"layer_index\":2", "\"layer_index\":3", ": layer 3 where layer 2 must be"},
    {NULL, "\"node\":", "\"node\":64,\"x\":", ": 64 is not below 64"},
    {NULL, "\"_h\":null", "\"_h\":nulL", "replica_column_proofs.c_x.column._h: expected null"},
    {NULL, "\"_h\":null", "\"_h\":0", "_h: expected null"},
    {NULL, "\"_h\":null,", "", "replica_column_proofs.c_x.column: the field \"_h\" is missing"},
    {"\"column\"", "\"rows\":[", "\"rows\":[],\"x\":[", "column.rows: 0 layers where there must be 2"},
    {NULL, "\"drg_parents\":[", "\"drg_parents\":[],\"x\":[", "drg_parents: 0 parents where there must be 6"},
    {NULL, "\"exp_parents\":[", "\"exp_parents\":[],\"x\":[", "exp_parents: 0 parents where there must be 8"},
    {"\"encoding_proof\"", "\"parents\":[", "\"parents\":[],\"x\":[",
     "encoding_proof.parents: 0 parents where there must be 37"},
    {NULL, "\"labeling_proofs\":[", "\"labeling_proofs\":[],\"x\":[",
     "labeling_proofs: 0 layers where there must be 2"},
    {NULL, "\"labeling_proofs\":[{", "\"labeling_proofs\":[,{", "labeling_proofs[0]: expected an object"},
    {NULL, "\"seed\":[", "\"seed\" [", "not JSON"},
    {NULL, "\"seed\":[", "\"seed\":[1;", "seed: not JSON"},
    {NULL, "{", "[{", "expected an object"},
    {NULL, "\"comm_d\"", "comm_d", "not JSON"},
    {NULL, "\"comm_d\"", "\"comm\xff\"", "not JSON"},
    {NULL, "\"comm_d\"", "\"SectorNum\":1,\"comm_d\"",
     "unknown field \"comm_d\" (known: SectorNum, Phase1Out, SectorSize)"},
};

static void changes_are_refused_with_their_place(void **state)
{
    struct text t = bare("porep-2KiB-1");
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        struct text changed = replaced(t, changes[i].anchor, changes[i].from, changes[i].to);
        refused(changed, changes[i].message);
        free(changed.p);
    }
    free(t.p);
}

static void more_elements_than_due_are_refused(void **state)
{
    struct text t = bare("porep-2KiB-1");
    (void)state;
    /* A second partition, a third challenge: copies of what is there. */
    char *start = strstr(t.p, "\"StackedDrg2KiBV1\":");
    assert_non_null(start);
    start += strlen("\"StackedDrg2KiBV1\":");
    assert_memory_equal(t.p + t.size - 4, "]]}}", 4);
    for (unsigned depth = 0; depth < 2; depth++) {
        const char *inner = start + 1 + depth; /* at the first element */
        const size_t tail = 3 + depth, size = (size_t)(t.p + t.size - inner) - tail;
        struct text more = {malloc(t.size + size + 2), t.size + size + 1};
        assert_non_null(more.p);
        sprintf(more.p, "%.*s,%.*s%s", (int)(t.size - tail), t.p, (int)size, inner, t.p + t.size - tail);
        refused(more, depth ? "vanilla_proofs.StackedDrg2KiBV1[0]: more than 2 challenges"
                            : "vanilla_proofs.StackedDrg2KiBV1: more than 1 partitions");
        free(more.p);
    }
    free(t.p);
}

static void a_text_cut_anywhere_is_refused(void **state)
{
    struct porep_c1 c1;
    struct cuzk_error e;
    (void)state;
    for (unsigned form = 0; form < 2; form++) {
        struct text t = form ? bare("porep-2KiB-1") : wrapped("porep-2KiB-1");
        for (unsigned i = 0; i < 400; i++) {
            size_t size = t.size * i / 400;
            if (i >= 350)
                size = t.size - (i - 349); /* the last bytes one by one */
            assert_int_equal(read_text(&c1, t.p, size, &e), CUZK_ERR_INPUT);
            char end[32];
            snprintf(end, sizeof end, "(byte %zu of ", size);
            if (size > 0 && !strstr(e.message, end))
                fail_msg("cut at %zu: %s", size, e.message);
        }
        free(t.p);
    }
}

static void what_stands_after_the_document_is_refused(void **state)
{
    static const char *const tails[] = {"x", "{}", "]", "}", ",", "\"\"", "\"", "0", "{"};
    (void)state;
    for (unsigned form = 0; form < 2; form++)
        for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
            struct text t = form ? bare("porep-2KiB-1") : wrapped("porep-2KiB-1");
            struct text longer = {malloc(t.size + 16), t.size};
            assert_non_null(longer.p);
            longer.size = (size_t)sprintf(longer.p, "%s \n%s", t.p, tails[i]);
            char message[128];
            snprintf(message, sizeof message, "not JSON: content behind the document's end (byte %zu of ",
                     t.size + 2);
            refused(longer, message);
            free(longer.p);
            free(t.p);
        }
}

static void a_wrong_wrapping_is_refused(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"\"SectorSize\":2048", "\"SectorSize\":4096",
         "SectorSize: 4096 where the proof is for sectors of 2048 bytes (byte "},
        {"\"SectorSize\":2048", "\"SectorSize\":-1", "SectorSize: expected an unsigned number"},
        {"\"SectorSize\":2048", "\"SectorSiz\":2048", "unknown field \"SectorSiz\""},
        {",\"SectorSize\":2048", "", "the field \"SectorSize\" is missing"},
        {"\"SectorNum\":8039", "\"SectorNum\":\"8039\"", "SectorNum: expected an unsigned number"},
        {"\"SectorNum\":8039", "\"Phase1Out\":\"\"", "Phase1Out: this field is there twice"},
        {"\"Phase1Out\":\"", "\"Phase1Out\":[],\"x\":\"", "Phase1Out: expected a string"},
        {"\"Phase1Out\":\"", "\"Phase1Out\":\"\",\"x\":\"", "unknown field \"x\""},
        {"\"Phase1Out\":\"", "\"Phase1Out\":\"A", "Phase1Out: the length is no multiple of four (byte "},
        {"\"Phase1Out\":\"", "\"Phase1Out\":\"e\\/", "Phase1Out: an escape in a string"},
        {"\"Phase1Out\":\"eyJj", "\"Phase1Out\":\"ey-j",
         "Phase1Out: a character not of the base64 alphabet (byte 16 of the file)"},
        {"\"Phase1Out\":\"eyJj", "\"Phase1Out\":\"ey=j",
         "Phase1Out: padding before the end (byte 16 of the file)"},
        {"\"Phase1Out\":\"eyJj", "\"Phase1Out\":\"eyJi", "unknown field \"bomm_d\""},
    };
    struct text t = wrapped("porep-2KiB-1");
    (void)state;
    assert_memory_equal(t.p, "{\"Phase1Out\":\"eyJj", 18);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct text changed = replaced(t, NULL, cases[i].from, cases[i].to);
        refused(changed, cases[i].message);
        free(changed.p);
    }
    /* {} as the inner document, and nothing at all. */
    static const char empty[] = "{\"SectorNum\":1,\"Phase1Out\":\"e30=\",\"SectorSize\":2048}";
    refused((struct text){(char *)(uintptr_t)empty, sizeof empty - 1},
            "the field \"registered_proof\" is missing (byte 0 of the decoded Phase1Out)");
    static const char nothing[] = "{\"SectorNum\":1,\"Phase1Out\":\"\",\"SectorSize\":2048}";
    refused((struct text){(char *)(uintptr_t)nothing, sizeof nothing - 1}, "Phase1Out: it is empty");
    free(t.p);
}

static void a_wrapping_within_a_wrapping_is_refused(void **state)
{
    static const char text[] =
        "{\"Phase1Out\":\"eyJQaGFzZTFPdXQiOiIiLCJTZWN0b3JOdW0iOjEsIlNlY3RvclNpemUiOjIwNDh9\","
        "\"SectorNum\":1,\"SectorSize\":2048}";
    (void)state;
    refused((struct text){(char *)(uintptr_t)text, sizeof text - 1},
            "the field \"registered_proof\" is missing");
}

static void what_is_no_c1_is_refused(void **state)
{
    static const char *const texts[] = {" ",         "{}",
                                        "[]",        "null",
                                        "7",         "\"x\"",
                                        "{\"a\":1}", "{\"a\":{\"registered_proof\":1}}",
                                        "{",         "\xef\xbb\xbf{}"};
    struct porep_c1 c1;
    struct cuzk_error e;
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct text t = {(char *)(uintptr_t)texts[i], strlen(texts[i])};
        refused(t, "");
    }
    assert_int_equal(read_text(&c1, "", 0, &e), CUZK_ERR_INPUT);
    assert_string_equal(e.message, "the file is empty");
    /* Deep nesting must not cost stack. */
    const size_t depth = 1 << 20;
    struct text deep = {malloc(depth + 16), 0};
    assert_non_null(deep.p);
    deep.size = (size_t)sprintf(deep.p, "{\"registered_proof\":");
    char *more = realloc(deep.p, depth + 32);
    assert_non_null(more);
    memset(more + deep.size, '[', depth);
    deep = (struct text){more, deep.size + depth};
    refused(deep, "");
    free(deep.p);
}

/* ---- base64 ---- */

static void base64_is_strict(void **state)
{
    static const struct {
        const char *text;
        int size; /* -1: refused */
        const char *bytes;
    } cases[] = {
        {"", 0, ""},
        {"Zg==", 1, "f"},
        {"Zm8=", 2, "fo"},
        {"Zm9v", 3, "foo"},
        {"Zm9vYg==", 4, "foob"},
        {"Zm9vYmE=", 5, "fooba"},
        {"Zm9vYmFy", 6, "foobar"},
        {"Zh==", -1, ""},
        {"Zm9=", -1, ""},
        {"Z===", -1, ""},
        {"====", -1, ""},
        {"Zg=", -1, ""},
        {"Zg", -1, ""},
        {"Zg==Zg==", -1, ""},
        {"Zm 9v", -1, ""},
        {"Zm9v\n", -1, ""},
        {"Zm9-", -1, ""},
        {"Zm9_", -1, ""},
        {"=m9v", -1, ""},
        {"Zg=v", -1, ""},
        {"++//", 3, "\xfb\xef\xff"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint8_t out[16];
        size_t size = 99, bad = 99;
        const size_t n = strlen(cases[i].text);
        const char *problem = base64_decode(out, &size, cases[i].text, n, &bad);
        if (cases[i].size < 0) {
            assert_non_null(problem);
            assert_true(bad <= n);
            continue;
        }
        assert_null(problem);
        assert_int_equal(size, cases[i].size);
        assert_memory_equal(out, cases[i].bytes, size);
    }
}

/* ---- memory ---- */

static void each_failing_allocation_is_told(void **state)
{
    struct text t = wrapped("porep-2KiB-1");
    uint64_t n = 1;
    (void)state;
    for (;; n++) {
        struct porep_c1 c1;
        struct cuzk_error e;
        mem_fail_after(n);
        const cuzk_status status = read_text(&c1, t.p, t.size, &e);
        mem_fail_after(0);
        if (status == CUZK_OK) {
            porep_c1_free(&c1);
            break;
        }
        assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(e.status, CUZK_ERR_MEMORY);
    }
    assert_true(n > 2);
    free(t.p);
}

static void the_budget_is_kept(void **state)
{
    struct text t = wrapped("porep-2KiB-1");
    struct cuzk_error e;
    (void)state;
    for (uint64_t limit = 1 << 12; limit <= 1 << 21; limit *= 2) {
        struct budget *budget;
        struct porep_c1 c1;
        assert_int_equal(budget_new(&budget, limit, &e), CUZK_OK);
        const struct exec x = {.budget = budget};
        const cuzk_status status = porep_c1_read(&x, &c1, (const uint8_t *)t.p, t.size, &e);
        assert_true(budget_peak(budget) <= limit);
        if (status == CUZK_OK)
            porep_c1_free(&c1);
        else
            assert_int_equal(status, CUZK_ERR_MEMORY);
        assert_int_equal(status == CUZK_OK, limit >= 1 << 20);
        assert_int_equal(budget_used(budget), 0);
        budget_free(budget);
    }
    free(t.p);
}

static void reading_can_be_cancelled(void **state)
{
    const volatile int cancel = 1;
    const struct exec x = {.cancel = &cancel};
    struct text t = wrapped("porep-2KiB-1");
    struct porep_c1 c1;
    struct cuzk_error e;
    (void)state;
    assert_int_equal(porep_c1_read(&x, &c1, (const uint8_t *)t.p, t.size, &e), CUZK_ERR_CANCELLED);
    free(t.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_is_read_and_its_data_paths_hold),
        cmocka_unit_test(proofs_speak_of_their_statements),
        cmocka_unit_test(the_bare_form_reads_the_same),
        cmocka_unit_test(every_registered_proof_is_read),
        cmocka_unit_test(fields_may_stand_in_any_order_and_with_white_space),
        cmocka_unit_test(changes_are_refused_with_their_place),
        cmocka_unit_test(more_elements_than_due_are_refused),
        cmocka_unit_test(a_text_cut_anywhere_is_refused),
        cmocka_unit_test(what_stands_after_the_document_is_refused),
        cmocka_unit_test(a_wrong_wrapping_is_refused),
        cmocka_unit_test(a_wrapping_within_a_wrapping_is_refused),
        cmocka_unit_test(what_is_no_c1_is_refused),
        cmocka_unit_test(base64_is_strict),
        cmocka_unit_test(each_failing_allocation_is_told),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(reading_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

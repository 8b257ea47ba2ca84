/* tests/unit/gen_testing.h - inputs generated in a folder of the test's own, read back and checked.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef GEN_TESTING_H
#define GEN_TESTING_H

#include "porep_vectors.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/pool.h"
#include "circuits/gen.h"
#include "circuits/post.h"
#include "circuits/snap.h"
#include "hash/sha256.h"

struct gen_fixture {
    struct exec x;
    struct poseidon_set *poseidon;
    char parent[64]; /* made by the test, holds the folder that gen_run makes */
    char folder[80];
};

static inline int gen_set_up(void **state)
{
    static struct gen_fixture f;
    struct cuzk_error e;
    f.x.variant = cpu_best();
    strcpy(f.parent, "/tmp/cuzk-gen-XXXXXX");
    *state = &f;
    if (!mkdtemp(f.parent) || pool_new(&f.x.pool, 2, &e) != CUZK_OK ||
        poseidon_set_new(&f.poseidon, &e) != CUZK_OK)
        return -1;
    snprintf(f.folder, sizeof f.folder, "%s/out", f.parent);
    return 0;
}

/* Remove the generated files; how many there were. -1: there is no folder. */
static inline int gen_clear(const struct gen_fixture *f)
{
    char path[512];
    int found = 0;
    DIR *dir = opendir(f->folder);
    if (!dir)
        return -1;
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", f->folder, entry->d_name);
        unlink(path);
        found++;
    }
    closedir(dir);
    rmdir(f->folder);
    return found;
}

static inline int gen_tear_down(void **state)
{
    struct gen_fixture *f = *state;
    gen_clear(f);
    rmdir(f->parent);
    pool_free(f->x.pool);
    poseidon_set_free(f->poseidon);
    return 0;
}

static inline void gen_make(const struct gen_fixture *f, const char *kind, const char *size, uint64_t seed,
                            uint64_t sectors)
{
    const struct gen_options o = {kind, size, seed, sectors};
    struct cuzk_error e = {.status = CUZK_OK};
    if (gen_run(&f->x, f->poseidon, &o, f->folder, &e) != CUZK_OK)
        fail_msg("%s %s: %s", kind, size, e.message);
}

/* A generated file, NUL-terminated; for mem_free. (Inlined, gcc 12 warns of a pointer that does not dangle.)
 */
__attribute__((noinline, unused)) static char *gen_read(const struct gen_fixture *f, const char *name,
                                                        size_t *size)
{
    char path[256];
    uint8_t *bytes;
    size_t n;
    struct cuzk_error e;
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    if (file_read(&bytes, &n, path, POREP_C1_MAX, &e) != CUZK_OK)
        fail_msg("%s", e.message);
    if (size)
        *size = n;
    return (char *)bytes;
}

static inline void gen_meta_hex(uint8_t out[32], char *meta, const char *key)
{
    char *at = vector_after(meta, key);
    assert_non_null(at);
    vector_hex(out, 32, &at);
}

static inline uint64_t gen_meta_number(char *meta, const char *key)
{
    char *at = vector_after(meta, key);
    assert_non_null(at);
    return vector_number(&at);
}

/* The next string of a list, *at behind it. */
static inline void gen_meta_name(char *out, size_t room, char **at)
{
    char *start = strchr(*at, '"');
    assert_non_null(start);
    const size_t n = strcspn(start + 1, "\"");
    assert_true(n < room);
    memcpy(out, start + 1, n);
    out[n] = 0;
    *at = start + n + 2;
}

/* ---- PoRep: all that the circuit leaves to hashing ---- */

static inline fr gen_climb(const struct gen_fixture *f, const struct merkle_path *path, bool sha)
{
    fr node = path->leaf;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct merkle_step *step = &path->steps[i];
        fr children[8];
        memcpy(children, step->siblings, step->index * sizeof node);
        children[step->index] = node;
        memcpy(children + step->index + 1, step->siblings + step->index,
               (step->arity - 1 - step->index) * sizeof node);
        if (sha) {
            uint8_t data[64], digest[32];
            fr_write_le(data, &children[0]);
            fr_write_le(data + 32, &children[1]);
            sha256(digest, data, sizeof data);
            digest[31] &= 0x3f;
            assert_true(fr_read_le(&node, digest));
        } else {
            poseidon_hash(f->x.variant, poseidon_of_arity(f->poseidon, step->arity), &node, children);
        }
    }
    return node;
}

static inline void gen_check_path(const struct gen_fixture *f, const struct merkle_path *path, bool sha)
{
    const fr root = gen_climb(f, path, sha);
    assert_true(fr_equal(&root, &path->root));
}

static inline void gen_check_column(const struct gen_fixture *f, const struct porep_column *column,
                                    unsigned layers)
{
    fr hash;
    poseidon_hash(f->x.variant, poseidon_of_arity(f->poseidon, layers), &hash, column->rows);
    assert_true(fr_equal(&hash, &column->path.leaf));
    gen_check_path(f, &column->path, false);
}

static inline fr gen_label_of(const struct porep_statement *s, const struct porep_labeling *l)
{
    uint8_t data[64 + 32 * POREP_LABEL_PARENTS] = {0}, digest[32];
    fr label;
    memcpy(data, s->replica_id, 32);
    data[35] = (uint8_t)l->layer_index;
    for (unsigned i = 0; i < 8; i++)
        data[36 + i] = (uint8_t)(l->node >> (56 - 8 * i));
    for (unsigned i = 0; i < POREP_LABEL_PARENTS; i++)
        fr_write_le(data + 64 + 32 * i, &l->parents[i]);
    sha256(digest, data, sizeof data);
    digest[31] &= 0x3f;
    assert_true(fr_read_le(&label, digest));
    return label;
}

static inline void gen_check_challenge(const struct gen_fixture *f, const struct porep_statement *s,
                                       const struct porep_challenge *ch)
{
    const unsigned layers = s->params.layers;
    gen_check_path(f, &ch->comm_d, true);
    gen_check_path(f, &ch->comm_r_last, false);
    gen_check_column(f, &ch->c_x, layers);
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        gen_check_column(f, &ch->drg_parents[i], layers);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        gen_check_column(f, &ch->exp_parents[i], layers);
    for (unsigned i = 0; i < layers; i++) {
        const fr label = gen_label_of(s, &ch->labeling[i]);
        assert_true(fr_equal(&label, &ch->c_x.rows[i]));
    }
    fr replica = gen_label_of(s, &ch->encoding);
    fr_add(&replica, &replica, &ch->comm_d.leaf);
    assert_true(fr_equal(&replica, &ch->comm_r_last.leaf));
}

/* Read and check the C1 KIND-SIZE-SEED and its meta file; its size in bytes. deep: of so many partitions also
 * what the circuit would find. */
static inline size_t gen_check_porep(const struct gen_fixture *f, const char *name, unsigned deep)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct porep_c1 c1;
    char file[128];
    uint8_t bytes[32], other[32];
    size_t size;
    snprintf(file, sizeof file, "%s.c1.json", name);
    char *json = gen_read(f, file, &size);
    if (porep_c1_read(&f->x, &c1, (const uint8_t *)json, size, &e) != CUZK_OK ||
        porep_c1_check(&f->x, f->poseidon, &c1, &e) != CUZK_OK)
        fail_msg("%s: %s", name, e.message);
    const struct porep_statement *s = &c1.statement;
    for (unsigned k = 0; k < s->params.partitions && k < deep; k++)
        for (unsigned n = 0; n < s->params.challenges; n++)
            gen_check_challenge(f, s, &c1.proof[k][n]);
    snprintf(file, sizeof file, "%s.meta.json", name);
    char *meta = gen_read(f, file, NULL);
    assert_int_equal(gen_meta_number(meta, "registered_proof"), s->params.registered_proof);
    assert_int_equal(gen_meta_number(meta, "sector"), c1.sector_number);
    gen_meta_hex(bytes, meta, "comm_r");
    assert_memory_equal(bytes, s->comm_r, 32);
    gen_meta_hex(bytes, meta, "comm_d");
    assert_memory_equal(bytes, s->comm_d, 32);
    gen_meta_hex(bytes, meta, "prover_id");
    porep_replica_id(other, &s->params, bytes, c1.sector_number, s->ticket, s->comm_d);
    assert_memory_equal(other, s->replica_id, 32);
    mem_free(meta);
    mem_free(json);
    porep_c1_free(&c1);
    return size;
}

/* ---- PoSt ---- */

#define GEN_MOST_SECTORS 80

static inline void gen_check_post(const struct gen_fixture *f, const char *name, size_t sectors)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct post_sector sector[GEN_MOST_SECTORS];
    struct post_proof proof[GEN_MOST_SECTORS];
    struct post_statement s = {.sectors = sector, .sector_count = sectors};
    struct arena arena = {0};
    char file[160];
    snprintf(file, sizeof file, "%s.meta.json", name);
    char *meta = gen_read(f, file, NULL);
    assert_int_equal(post_params_for_number(&s.params, gen_meta_number(meta, "registered_proof"), &e),
                     CUZK_OK);
    gen_meta_hex(s.randomness, meta, "randomness");
    char *ids = vector_after(meta, "sectors"), *comm_r = vector_after(meta, "comm_r"),
         *files = vector_after(meta, "vanilla");
    for (size_t i = 0; i < sectors; i++) {
        size_t size;
        sector[i].id = vector_number(&ids);
        vector_hex(sector[i].comm_r, 32, &comm_r);
        gen_meta_name(file, sizeof file, &files);
        char *record = gen_read(f, file, &size);
        if (post_proof_read(&f->x, &proof[i], &arena, &s.params, (const uint8_t *)record, size, &e) !=
            CUZK_OK)
            fail_msg("%s: %s", file, e.message);
        mem_free(record);
    }
    assert_true(strcspn(files, "]") < strcspn(files, "\"")); /* the list has no more */
    if (post_check(&f->x, f->poseidon, &s, proof, &e) != CUZK_OK)
        fail_msg("%s: %s", name, e.message);
    arena_free(&arena);
    mem_free(meta);
}

/* ---- Snap ---- */

static inline void gen_check_snap(const struct gen_fixture *f, const char *name, enum snap_variant variant)
{
    struct cuzk_error e = {.status = CUZK_OK};
    struct snap_statement s;
    char file[160];
    snprintf(file, sizeof file, "%s.meta.json", name);
    char *meta = gen_read(f, file, NULL);
    assert_int_equal(
        snap_params_for_number(&s.params, gen_meta_number(meta, "registered_proof"), variant, &e), CUZK_OK);
    gen_meta_hex(s.comm_r_old, meta, "comm_r_old");
    gen_meta_hex(s.comm_r_new, meta, "comm_r_new");
    gen_meta_hex(s.comm_d_new, meta, "comm_d_new");
    char *files = vector_after(meta, "vanilla");
    for (unsigned k = 0; k < s.params.partitions; k++) {
        struct snap_proof proof;
        struct arena arena = {0};
        size_t size;
        gen_meta_name(file, sizeof file, &files);
        char *record = gen_read(f, file, &size);
        if (snap_proof_read(&f->x, &proof, &arena, &s.params, (const uint8_t *)record, size, &e) != CUZK_OK ||
            snap_check(&f->x, f->poseidon, &s, k, &proof, &e) != CUZK_OK)
            fail_msg("%s: %s", file, e.message);
        arena_free(&arena);
        mem_free(record);
    }
    mem_free(meta);
}

#endif

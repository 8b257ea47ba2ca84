/* tests/unit/groth16_testing.h - a small circuit of every shape of row, a folder of one's own, whole files.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TESTS_UNIT_GROTH16_TESTING_H
#define TESTS_UNIT_GROTH16_TESTING_H

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/pool.h"
#include "flat_json.h"
#include "groth16/groth16.h"
#include "hash/sha256.h"

/* chain(n), as vectors/groth16-tiny.json has it from bellperson. x_0 and the bits b_i are private, y, z, t
 * public; for i < n:
 *     (1 - b_i) b_i = 0           (x_i + i + 2) (x_i - 2^i b_i + y) = x_{i+1}
 * then (x_n + 3 b_0 - 3 b_0) 1 = z, (sum 2^i b_i) 1 = t, z x_n = q.  y is allocated after the first bit; q
 * stands in C alone. */
struct chain {
    unsigned n;
    fr x, y;
    uint64_t bits;
    bool break_square; /* q is wrong: the last row of its own does not hold */
    bool orphan;       /* one more variable, in no row */
};

static inline void chain_element(fr *out, const char *label, uint64_t seed)
{
    for (unsigned i = 0;; i++) {
        char text[64];
        uint8_t digest[32];
        snprintf(text, sizeof text, "cuzk:%s:%llu:%u", label, (unsigned long long)seed, i);
        sha256(digest, text, strlen(text));
        digest[31] &= 0x7f;
        if (fr_read_le(out, digest))
            return;
    }
}

static inline struct chain chain_from_seed(unsigned n, uint64_t seed)
{
    struct chain c = {.n = n, .bits = UINT64_C(0x9e3779b97f4a7c15)};
    chain_element(&c.x, "x", seed);
    chain_element(&c.y, "y", seed);
    return c;
}

static inline void chain_lc(struct cs *cs, struct lc *lc, var v, uint64_t scale, bool minus)
{
    fr k;
    fr_from_u64(&k, scale);
    if (minus)
        fr_neg(&k, &k);
    lc_add(cs, lc, v, &k);
}

struct chain_lcs {
    struct lc a, b, c;
};

static inline void chain_row(struct cs *cs, struct chain_lcs *l, const char *name)
{
    cs_name(cs, "%s", name);
    cs_enforce(cs, &l->a, &l->b, &l->c);
    lc_clear(&l->a);
    lc_clear(&l->b);
    lc_clear(&l->c);
}

static inline var chain_bit(struct cs *cs, struct chain_lcs *l, const fr *value)
{
    cs_name(cs, "bit");
    const var b = cs_alloc_bit(cs, !fr_is_zero(value));
    lc_add_one(cs, &l->a, VAR_ONE);
    lc_sub_one(cs, &l->a, b);
    lc_add_one(cs, &l->b, b);
    chain_row(cs, l, "boolean");
    return b;
}

static inline var chain_step(struct cs *cs, struct chain_lcs *l, unsigned i, var x, var b, var y,
                             const fr *next)
{
    cs_name(cs, "next");
    const var v = cs_alloc(cs, next);
    lc_add_one(cs, &l->a, x);
    chain_lc(cs, &l->a, VAR_ONE, i + 2, false);
    lc_add_one(cs, &l->b, x);
    chain_lc(cs, &l->b, b, UINT64_C(1) << i, true);
    lc_add_one(cs, &l->b, y);
    lc_add_one(cs, &l->c, v);
    chain_row(cs, l, "step");
    return v;
}

static inline void chain_end(const struct chain *c, struct cs *cs, struct chain_lcs *l, const var *bits,
                             var x, const fr *value)
{
    fr k;
    const var z = cs_alloc_input(cs, value);
    lc_add_one(cs, &l->a, x);
    chain_lc(cs, &l->a, bits[0], 3, false);
    chain_lc(cs, &l->a, bits[0], 3, true);
    lc_add_one(cs, &l->b, VAR_ONE);
    lc_add_one(cs, &l->c, z);
    chain_row(cs, l, "end");
    fr_from_u64(&k, c->bits & ((UINT64_C(1) << c->n) - 1));
    const var t = cs_alloc_input(cs, &k);
    for (unsigned i = 0; i < c->n; i++)
        chain_lc(cs, &l->a, bits[i], UINT64_C(1) << i, false);
    lc_add_one(cs, &l->b, VAR_ONE);
    lc_add_one(cs, &l->c, t);
    chain_row(cs, l, "packed");
    fr_sqr(&k, value);
    if (c->break_square)
        fr_add(&k, &k, &FR_ONE);
    const var q = cs_alloc(cs, &k);
    lc_add_one(cs, &l->a, z);
    lc_add_one(cs, &l->b, x);
    lc_add_one(cs, &l->c, q);
    cs_push(cs, "last");
    chain_row(cs, l, "square");
    if (c->orphan) {
        cs_name(cs, "orphan");
        cs_alloc(cs, &FR_ONE);
    }
    cs_pop(cs);
}

static void chain_synthesize(const void *self, struct cs *cs)
{
    const struct chain *c = self;
    struct chain_lcs l = {0};
    var bits[64], y = VAR_ONE;
    fr value = c->x;
    cs_name(cs, "x 0");
    var x = cs_alloc(cs, &value);
    for (unsigned i = 0; i < c->n; i++) {
        fr bit, k, s;
        fr_from_u64(&bit, c->bits >> i & 1);
        bits[i] = chain_bit(cs, &l, &bit);
        if (i == 0) {
            cs_name(cs, "y");
            y = cs_alloc_input(cs, &c->y);
        }
        fr_from_u64(&k, i + 2);
        fr_add(&k, &k, &value);
        fr_from_u64(&s, UINT64_C(1) << i);
        fr_mul(&s, &s, &bit);
        fr_sub(&value, &value, &s);
        fr_add(&value, &value, &c->y);
        fr_mul(&value, &value, &k);
        x = chain_step(cs, &l, i, x, bits[i], y, &value);
    }
    chain_end(c, cs, &l, bits, x, &value);
    lc_free(&l.a);
    lc_free(&l.b);
    lc_free(&l.c);
}

#define CHAIN_PUBLIC 3

static inline void chain_public(const struct chain *c, fr out[CHAIN_PUBLIC])
{
    fr value = c->x;
    for (unsigned i = 0; i < c->n; i++) {
        fr k, s;
        fr_from_u64(&k, i + 2);
        fr_add(&k, &k, &value);
        fr_from_u64(&s, (c->bits >> i & 1) << i);
        fr_sub(&value, &value, &s);
        fr_add(&value, &value, &c->y);
        fr_mul(&value, &value, &k);
    }
    out[0] = c->y;
    out[1] = value;
    fr_from_u64(&out[2], c->bits & ((UINT64_C(1) << c->n) - 1));
}

static inline struct circuit chain_circuit(const struct chain *c)
{
    return (struct circuit){.self = c, .synthesize = chain_synthesize};
}

/* -- an exec and a folder -- */

struct fixture {
    struct pool *pool;
    struct exec x;
    char folder[64];
};

static inline int fixture_setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(pool_new(&f->pool, 2, NULL), CUZK_OK);
    f->x = (struct exec){.pool = f->pool, .variant = cpu_best()};
    strcpy(f->folder, "/tmp/test-groth16-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

/* How many names the folder holds; with remove they are unlinked. */
static inline unsigned folder_entries(const struct fixture *f, bool remove)
{
    unsigned count = 0;
    DIR *dir = opendir(f->folder);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        count++;
        char path[400];
        snprintf(path, sizeof path, "%s/%s", f->folder, d->d_name);
        if (remove)
            assert_int_equal(unlink(path), 0);
    }
    closedir(dir);
    return count;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    chmod(f->folder, 0700);
    folder_entries(f, true);
    rmdir(f->folder);
    pool_free(f->pool);
    free(f);
    return 0;
}

static inline const char *in_folder(const struct fixture *f, const char *name)
{
    static char path[8][160];
    static unsigned next;
    char *out = path[next++ % 8];
    snprintf(out, sizeof path[0], "%s/%s", f->folder, name);
    return out;
}

static inline void read_whole(const char *path, uint8_t **out, size_t *size)
{
    struct cuzk_error e;
    if (file_read(out, size, path, SIZE_MAX - 1, &e) != CUZK_OK)
        fail_msg("%s", e.message);
}

/* In place, so that the file stays the same one (inode) for the stamp. */
static inline void overwrite(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static inline void sha256_hex(char out[65], const uint8_t *data, size_t size)
{
    uint8_t digest[32];
    sha256(digest, data, size);
    for (int i = 0; i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

#define assert_ok(call)                                                                                      \
    do {                                                                                                     \
        if ((call) != CUZK_OK)                                                                               \
            fail_msg("%s", error.message);                                                                   \
    } while (0)

#endif

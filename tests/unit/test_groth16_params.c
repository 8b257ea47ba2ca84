/* tests/unit/test_groth16_params.c - parameter and key files: what is refused, and with which words; stamps;
 * parameters.json.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16_testing.h"

#include <fcntl.h>

#include "curve/encoding.h"
#include "groth16/params.h"

static struct cuzk_error error;

/* A sound file of chain(5) and its bytes. */
struct sample {
    uint8_t *bytes;
    size_t size;
    struct params_layout layout;
};

static void make_sample(const struct fixture *f, struct sample *s)
{
    const struct chain c = chain_from_seed(5, 8);
    const struct circuit circuit = chain_circuit(&c);
    struct groth16_trapdoor t;
    groth16_trapdoor_from_seed(&t, 8);
    assert_ok(groth16_setup(&f->x, &circuit, &t, in_folder(f, "c"), &error));
    read_whole(in_folder(f, "c.params"), &s->bytes, &s->size);
    assert_ok(params_layout_read(&s->layout, s->bytes, s->size, &error));
}

static cuzk_status open_flags(const struct fixture *f, unsigned flags, struct groth16_params_info *info)
{
    struct groth16_params *p;
    const cuzk_status status = groth16_params_open(&f->x, &p, in_folder(f, "c.params"), flags, &error);
    if (status != CUZK_OK)
        return status;
    if (info)
        groth16_params_info(p, info);
    groth16_params_free(p);
    return CUZK_OK;
}

/* These bytes are refused, and the message holds this text. */
static void refused(const struct fixture *f, const uint8_t *bytes, size_t size, const char *text)
{
    overwrite(in_folder(f, "c.params"), bytes, size);
    if (open_flags(f, 0, NULL) != CUZK_ERR_INPUT)
        fail_msg("accepted, but should be refused: %s", text);
    if (!strstr(error.message, text) || !strstr(error.message, "c.params"))
        fail_msg("'%s' should say '%s'", error.message, text);
}

static void counts_and_sections_are_told(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params *p;
    struct groth16_params_info info;
    make_sample(f, &s);
    assert_ok(groth16_params_open(&f->x, &p, in_folder(f, "c.params"), 0, &error));
    groth16_params_info(p, &info);
    assert_int_equal(info.file_bytes, s.size);
    assert_int_equal(info.ic_count, 4);
    assert_int_equal(info.domain_log, 5);
    static const uint32_t count[GROTH16_SECTIONS] = {31, 12, 15, 13, 13};
    size_t at = groth16_vk_size(groth16_params_vk(p));
    for (int i = 0; i < GROTH16_SECTIONS; i++) {
        uint32_t n;
        const uint8_t *points = groth16_params_section(p, (enum groth16_section)i, &n);
        assert_int_equal(info.count[i], count[i]);
        assert_int_equal(n, count[i]);
        at += 4;
        assert_memory_equal(points, s.bytes + at, 96);
        at += n * params_point_bytes((enum groth16_section)i);
    }
    assert_int_equal(at, s.size);
    groth16_params_free(p);
    mem_free(s.bytes);
}

static void truncated_anywhere_is_refused(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    for (size_t size = 1; size < s.size; size += 61)
        refused(f, s.bytes, size, "end");
    for (int i = 0; i < GROTH16_SECTIONS; i++)
        for (int d = -5; d <= 1; d++)
            refused(f, s.bytes, s.layout.section[i].offset + (size_t)(long)d, "end");
    refused(f, s.bytes, s.layout.section[GROTH16_L].offset - 2, "count of l");
    refused(f, s.bytes, s.layout.section[GROTH16_A].offset + 96, "a: 15 points are announced");
    refused(f, s.bytes, s.size - 1, "b_g2: 13 points are announced");
    refused(f, s.bytes, 0, "empty");
    mem_free(s.bytes);
}

static void more_bytes_than_announced_are_refused(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    uint8_t *longer = calloc(1, s.size + 1);
    assert_non_null(longer);
    memcpy(longer, s.bytes, s.size);
    refused(f, longer, s.size + 1, "1 bytes follow b_g2");
    free(longer);
    mem_free(s.bytes);
}

static void hostile_counts_are_refused(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    static const uint32_t hostile[] = {0, 1, 3, 0x7fffffff, 0x80000000, 0xffffffff};
    for (int i = -1; i < GROTH16_SECTIONS; i++)
        for (size_t j = 0; j < ARRAY_LEN(hostile); j++) {
            uint8_t *count = s.bytes + (i < 0 ? VK_FIXED_BYTES - 4 : s.layout.section[i].offset - 4), kept[4];
            memcpy(kept, count, 4);
            groth16_put_be32(count, hostile[j]);
            refused(f, s.bytes, s.size, "");
            memcpy(count, kept, 4);
        }
    mem_free(s.bytes);
}

/* The sample with another number of points in one section; the surplus repeats the first one. */
static void with_count(const struct fixture *f, const struct sample *s, int section, uint32_t count,
                       const char *text)
{
    struct params_layout layout = s->layout;
    layout.section[section].count = count;
    const size_t size = (size_t)params_layout_fill(&layout);
    uint8_t *bytes = calloc(1, size);
    assert_non_null(bytes);
    memcpy(bytes, s->bytes, layout.section[GROTH16_H].offset);
    for (int i = 0; i < GROTH16_SECTIONS; i++) {
        const size_t point = params_point_bytes((enum groth16_section)i);
        uint8_t *out = bytes + layout.section[i].offset;
        groth16_put_be32(out - 4, layout.section[i].count);
        for (uint32_t j = 0; j < layout.section[i].count; j++) {
            const uint32_t from = j < s->layout.section[i].count ? j : 0;
            memcpy(out + j * point, s->bytes + s->layout.section[i].offset + from * point, point);
        }
    }
    refused(f, bytes, size, text);
    free(bytes);
}

static void counts_that_disagree_are_refused(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    with_count(f, &s, GROTH16_H, 30, "h has 30 points");
    with_count(f, &s, GROTH16_H, 32, "h has 32 points");
    with_count(f, &s, GROTH16_A, 3, "a has 3 points");
    with_count(f, &s, GROTH16_A, 17, "a has 17 points");
    with_count(f, &s, GROTH16_B_G1, 17, "b_g1 has 17 points");
    with_count(f, &s, GROTH16_B_G1, 11, "b_g1 has 11 points, b_g2 has 13");
    with_count(f, &s, GROTH16_B_G2, 12, "b_g1 has 13 points, b_g2 has 12");
    mem_free(s.bytes);
}

/* A point of G1's or G2's curve, but not of the subgroup. */
static void write_outside_g1(uint8_t *out)
{
    g1_affine p;
    fp four;
    fp_from_u64(&four, 4);
    for (uint64_t x = 1;; x++) {
        fp t;
        fp_from_u64(&p.x, x);
        fp_sqr(&t, &p.x);
        fp_mul(&t, &t, &p.x);
        fp_add(&t, &t, &four);
        if (fp_sqrt(&p.y, &t) && !g1_affine_in_subgroup(&p))
            break;
    }
    g1_write_uncompressed(out, &p);
}

static void write_outside_g2(uint8_t *out)
{
    g2_affine p;
    fp2 b;
    fp_from_u64(&b.c0, 4);
    b.c1 = b.c0;
    for (uint64_t x = 1;; x++) {
        fp2 t;
        fp_from_u64(&p.x.c0, x);
        p.x.c1 = FP_ONE;
        fp2_sqr(&t, &p.x);
        fp2_mul(&t, &t, &p.x);
        fp2_add(&t, &t, &b);
        if (fp2_sqrt(&p.y, &t) && !g2_affine_in_subgroup(&p))
            break;
    }
    g2_write_uncompressed(out, &p);
}

static void bad_point(const struct fixture *f, const struct sample *s, size_t offset, size_t bytes,
                      const char *where)
{
    uint8_t *point = s->bytes + offset, kept[192];
    char text[128];
    memcpy(kept, point, bytes);
    point[bytes - 1] ^= 1;
    snprintf(text, sizeof text, "%s is not on the curve", where);
    refused(f, s->bytes, s->size, text);
    memset(point, 0xff, bytes);
    point[0] = 0x1f; /* no flag, a value above p */
    snprintf(text, sizeof text, "%s has a coordinate that is not below", where);
    refused(f, s->bytes, s->size, text);
    memcpy(point, kept, bytes);
    point[0] |= 0x80; /* compressed */
    refused(f, s->bytes, s->size, where);
    memset(point, 0, bytes);
    point[0] = 0x40;
    snprintf(text, sizeof text, "%s is the point at infinity", where);
    refused(f, s->bytes, s->size, text);
    point[1] = 1; /* infinity and something else */
    refused(f, s->bytes, s->size, where);
    if (bytes == 96)
        write_outside_g1(point);
    else
        write_outside_g2(point);
    snprintf(text, sizeof text, "%s is not in the subgroup", where);
    refused(f, s->bytes, s->size, text);
    memcpy(point, kept, bytes);
}

static void a_bad_point_is_named_in_each_section(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    for (int i = 0; i < GROTH16_SECTIONS; i++) {
        const size_t point = params_point_bytes((enum groth16_section)i);
        const uint32_t count = s.layout.section[i].count, at[3] = {0, count / 2, count - 1};
        for (int j = 0; j < 3; j++) {
            char where[64];
            snprintf(where, sizeof where, "%s: point %u of %u", groth16_section_name((enum groth16_section)i),
                     at[j], count);
            bad_point(f, &s, s.layout.section[i].offset + at[j] * point, point, where);
        }
    }
    static const struct {
        size_t offset, bytes;
        const char *name;
    } key[] = {{0, 96, "alpha in G1"},        {96, 96, "beta in G1"},
               {192, 192, "beta in G2"},      {384, 192, "gamma in G2"},
               {576, 96, "delta in G1"},      {672, 192, "delta in G2"},
               {868, 96, "ic: point 0 of 4"}, {868 + 288, 96, "ic: point 3 of 4"}};
    for (size_t i = 0; i < ARRAY_LEN(key); i++)
        bad_point(f, &s, key[i].offset, key[i].bytes, key[i].name);
    overwrite(in_folder(f, "c.params"), s.bytes, s.size);
    assert_ok(open_flags(f, 0, NULL));
    mem_free(s.bytes);
}

static void what_is_no_file_is_told(void **state)
{
    struct fixture *f = *state;
    struct groth16_params *p;
    struct groth16_vk vk;
    assert_int_equal(groth16_params_open(&f->x, &p, in_folder(f, "none"), 0, &error), CUZK_ERR_IO);
    assert_non_null(strstr(error.message, "none"));
    assert_int_equal(groth16_params_open(&f->x, &p, f->folder, 0, &error), CUZK_ERR_IO);
    assert_int_equal(groth16_vk_open(&f->x, &vk, f->folder, &error), CUZK_ERR_IO);
    assert_int_equal(mkfifo(in_folder(f, "pipe"), 0600), 0);
    assert_int_equal(groth16_params_open(&f->x, &p, in_folder(f, "pipe"), 0, &error), CUZK_ERR_IO);
}

static void a_key_is_read_from_its_own_file_or_from_parameters(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_vk vk;
    uint8_t *bytes;
    size_t size;
    make_sample(f, &s);
    read_whole(in_folder(f, "c.vk"), &bytes, &size);
    assert_memory_equal(bytes, s.bytes, size);
    assert_ok(groth16_vk_open(&f->x, &vk, in_folder(f, "c.params"), &error)); /* which begins with the key */
    assert_int_equal(groth16_vk_size(&vk), size);
    groth16_vk_free(&vk);
    overwrite(in_folder(f, "c.params"), s.bytes, s.size - 1);
    assert_int_equal(groth16_vk_open(&f->x, &vk, in_folder(f, "c.params"), &error), CUZK_ERR_INPUT);
    assert_non_null(strstr(error.message, "follow the verifying key"));
    for (size_t n = 1; n < size; n += 11) {
        overwrite(in_folder(f, "c.vk"), bytes, n);
        assert_int_equal(groth16_vk_open(&f->x, &vk, in_folder(f, "c.vk"), &error), CUZK_ERR_INPUT);
        assert_non_null(strstr(error.message, "c.vk"));
    }
    groth16_put_be32(bytes + VK_FIXED_BYTES - 4, 0xffffffff);
    overwrite(in_folder(f, "c.vk"), bytes, size);
    assert_int_equal(groth16_vk_open(&f->x, &vk, in_folder(f, "c.vk"), &error), CUZK_ERR_INPUT);
    mem_free(bytes);
    mem_free(s.bytes);
}

/* -- stamps -- */

static void the_check_is_done_once(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info first, second;
    make_sample(f, &s);
    assert_ok(open_flags(f, 0, &first)); /* what setup made needs none */
    assert_true(first.stamp_accepted);
    assert_int_equal(strlen(first.digest), 32);
    assert_int_equal(unlink(in_folder(f, "c.params.checked")), 0);
    assert_ok(open_flags(f, 0, &first));
    assert_true(!first.stamp_accepted && first.stamp_written);
    assert_ok(open_flags(f, 0, &second));
    assert_true(second.stamp_accepted && !second.stamp_written);
    assert_string_equal(first.digest, second.digest);
    mem_free(s.bytes);
}

static void a_changed_file_is_checked_again(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    make_sample(f, &s);
    for (int i = 0; i < 5; i++) {
        overwrite(in_folder(f, "c.params"), s.bytes, s.size);
        assert_ok(open_flags(f, 0, &info));
        assert_true(!info.stamp_accepted && info.stamp_written);
        s.bytes[s.size - 1] ^= 1;
        refused(f, s.bytes, s.size,
                "b_g2: point 12 of 13 is not on the curve"); /* at once, same size and inode */
        s.bytes[s.size - 1] ^= 1;
    }
    mem_free(s.bytes);
}

static void a_stamp_of_another_file_does_not_count(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    make_sample(f, &s);
    s.bytes[s.size - 1] ^= 1;
    overwrite(in_folder(f, "other"), s.bytes, s.size);
    struct stat st;
    assert_int_equal(stat(in_folder(f, "c.params"), &st), 0);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, in_folder(f, "other"), times, 0), 0);
    assert_int_equal(rename(in_folder(f, "other"), in_folder(f, "c.params")), 0); /* same size and time */
    assert_int_equal(open_flags(f, 0, &info), CUZK_ERR_INPUT);
    mem_free(s.bytes);
}

static void a_malformed_stamp_does_not_count(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    uint8_t *stamp, changed[400];
    size_t size;
    make_sample(f, &s);
    read_whole(in_folder(f, "c.params.checked"), &stamp, &size);
    assert_true(size < 300);
    for (size_t n = 0; n < size; n++) {
        memcpy(changed, stamp, size);
        changed[n] ^= 4;
        /* the digest is not checked again, only its form */
        const bool digest = n >= size - 33 && n < size - 1;
        overwrite(in_folder(f, "c.params.checked"), changed, digest ? n : size);
        assert_ok(open_flags(f, 0, &info));
        assert_false(info.stamp_accepted);
    }
    memset(changed, 'x', sizeof changed);
    overwrite(in_folder(f, "c.params.checked"), changed, sizeof changed);
    assert_ok(open_flags(f, 0, &info));
    assert_true(!info.stamp_accepted && info.stamp_written);
    mem_free(stamp);
    mem_free(s.bytes);
}

static void without_stamp_all_is_checked_and_none_written(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    make_sample(f, &s);
    assert_ok(open_flags(f, GROTH16_PARAMS_NO_STAMP, &info));
    assert_false(info.stamp_accepted);
    assert_int_equal(unlink(in_folder(f, "c.params.checked")), 0);
    assert_ok(open_flags(f, GROTH16_PARAMS_NO_STAMP, &info));
    assert_false(info.stamp_written);
    assert_int_not_equal(access(in_folder(f, "c.params.checked"), F_OK), 0);
    assert_string_equal(info.stamp_fault, "");
    mem_free(s.bytes);
}

static void a_stamp_that_cannot_be_written_is_told_and_no_error(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    make_sample(f, &s);
    const char *stamp = in_folder(f, "c.params.checked");
    assert_int_equal(unlink(stamp), 0);
    assert_int_equal(mkdir(stamp, 0700), 0);
    assert_ok(open_flags(f, 0, &info));
    assert_true(!info.stamp_accepted && !info.stamp_written);
    assert_non_null(strstr(info.stamp_fault, "c.params.checked"));
    assert_int_equal(rmdir(stamp), 0);
    mem_free(s.bytes);
}

static void a_stamp_behind_a_link_is_neither_read_nor_overwritten(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    struct stat st;
    uint8_t *kept;
    size_t kept_size;
    make_sample(f, &s);
    assert_int_equal(rename(in_folder(f, "c.params.checked"), in_folder(f, "kept")), 0);
    assert_int_equal(symlink("kept", in_folder(f, "c.params.checked")), 0);
    assert_ok(open_flags(f, 0, &info));
    assert_true(!info.stamp_accepted && info.stamp_written);
    assert_int_equal(lstat(in_folder(f, "c.params.checked"), &st), 0);
    assert_true(S_ISREG(st.st_mode));

    static const uint8_t other[] = "something else";
    overwrite(in_folder(f, "kept"), other, sizeof other);
    assert_int_equal(unlink(in_folder(f, "c.params.checked")), 0);
    assert_int_equal(symlink("kept", in_folder(f, "c.params.checked")), 0);
    assert_ok(open_flags(f, 0, &info));
    assert_true(info.stamp_written);
    read_whole(in_folder(f, "kept"), &kept, &kept_size);
    assert_int_equal(kept_size, sizeof other);
    assert_memory_equal(kept, other, sizeof other);

    assert_int_equal(unlink(in_folder(f, "c.params.checked")), 0);
    assert_int_equal(mkfifo(in_folder(f, "c.params.checked"), 0600), 0);
    assert_ok(open_flags(f, 0, &info)); /* without waiting for the other end */
    assert_true(!info.stamp_accepted && !info.stamp_written);
    assert_non_null(strstr(info.stamp_fault, "not a regular file"));
    mem_free(kept);
    mem_free(s.bytes);
}

static void a_stranger_cannot_stamp(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    if (geteuid() != 0)
        skip(); /* only root can give files away */
    make_sample(f, &s);
    assert_int_equal(chown(in_folder(f, "c.params"), 12345, (gid_t)-1), 0);
    assert_int_equal(chown(in_folder(f, "c.params.checked"), 12346, (gid_t)-1), 0);
    assert_ok(open_flags(f, 0, &info));
    assert_true(!info.stamp_accepted && info.stamp_written);
    assert_int_equal(chown(in_folder(f, "c.params.checked"), 12345, (gid_t)-1), 0);
    assert_ok(open_flags(f, 0, &info));
    assert_true(info.stamp_accepted);
    mem_free(s.bytes);
}

/* -- parameters.json -- */

static void list(const struct fixture *f, const char *format, const char *digest)
{
    char text[1000];
    snprintf(text, sizeof text, format, digest);
    overwrite(in_folder(f, "parameters.json"), (const uint8_t *)text, strlen(text));
}

#define ENTRY "{\"x\":{\"cid\":\"Q\"},\"c.params\":{\"cid\":\"Qm\",\"digest\":\"%s\",\"sector_size\":2048}}"

static void a_listed_digest_must_fit(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_params_info info;
    make_sample(f, &s);
    assert_ok(open_flags(f, 0, &info));
    assert_true(!info.listed && info.sector_size == 0);
    char digest[33];
    strcpy(digest, info.digest);
    list(f, ENTRY, digest);
    for (unsigned flags = 0; flags <= GROTH16_PARAMS_NO_STAMP; flags++) {
        assert_ok(open_flags(f, flags, &info));
        assert_true(info.listed && info.sector_size == 2048);
        assert_string_equal(info.digest, digest);
    }
    const char *other = "00112233445566778899aabbccddeeff";
    list(f, ENTRY, other);
    for (unsigned flags = 0; flags <= GROTH16_PARAMS_NO_STAMP; flags++) {
        assert_int_equal(open_flags(f, flags, &info), CUZK_ERR_INPUT); /* with a stamp or without */
        assert_non_null(strstr(error.message, digest));
        assert_non_null(strstr(error.message, other));
    }
    mem_free(s.bytes);
}

static void a_listed_key_must_fit_too(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    struct groth16_vk vk;
    make_sample(f, &s);
    list(f, "{\"c.vk\":{\"digest\":\"%s\",\"sector_size\":0}}", "00112233445566778899aabbccddeeff");
    assert_int_equal(groth16_vk_open(&f->x, &vk, in_folder(f, "c.vk"), &error), CUZK_ERR_INPUT);
    assert_non_null(strstr(error.message, "expects 00112233445566778899aabbccddeeff"));
    char *found = strstr(error.message, "digest is ") + strlen("digest is ");
    found[32] = '\0';
    char digest[33];
    strcpy(digest, found);
    list(f, "{\"c.vk\":{\"digest\":\"%s\",\"sector_size\":0}}", digest);
    assert_ok(groth16_vk_open(&f->x, &vk, in_folder(f, "c.vk"), &error));
    groth16_vk_free(&vk);
    mem_free(s.bytes);
}

static void a_malformed_parameters_json_is_told(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    static const char *const malformed[] = {
        "",
        "[]",
        "3",
        "{\"c.params\":3}",
        "{\"c.params\":{}}",
        "{\"c.params\":{\"digest\":\"00112233445566778899aabbccddeeff\"}}",
        "{\"c.params\":{\"sector_size\":2048}}",
        "{\"c.params\":{\"digest\":\"00112233445566778899aabbccddeefg\",\"sector_size\":2048}}",
        "{\"c.params\":{\"digest\":\"00112233445566778899aabbccddee\",\"sector_size\":2048}}",
        "{\"c.params\":{\"digest\":77,\"sector_size\":2048}}",
        "{\"c.params\":{\"digest\":\"00112233445566778899aabbccddeeff\",\"sector_size\":-1}}",
        "{\"c.params\":{\"digest\":\"00112233445566778899aabbccddeeff\",\"sector_size\":\"1\"}}",
        "{\"c.params\":{\"digest\":\"00112233445566778899aabbccddeeff\",\"sector_size\":1e3}}",
        "{\"c.params\":{\"digest\":\"00112233445566778899aabbccddeeff\",\"sector_size\":2048}",
    };
    for (size_t i = 0; i < ARRAY_LEN(malformed); i++) {
        list(f, "%s", malformed[i]);
        if (open_flags(f, 0, NULL) != CUZK_ERR_INPUT || !strstr(error.message, "parameters.json"))
            fail_msg("%s: %s", malformed[i], error.message);
    }
    mem_free(s.bytes);
}

/* -- memory, cancel -- */

static void failing_allocations_leak_nothing(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    make_sample(f, &s);
    list(f, "{\"x%s\":{}}", "");
    for (uint64_t n = 1;; n++) {
        assert_int_equal(unlink(in_folder(f, "c.params.checked")), 0);
        mem_fail_after(n);
        struct groth16_params_info info = {.stamp_written = false};
        const cuzk_status status = open_flags(f, 0, &info);
        mem_fail_after(0);
        if (info.stamp_written)
            break;
        assert_true(status == CUZK_ERR_MEMORY || info.stamp_fault[0] != '\0');
        overwrite(in_folder(f, "c.params.checked"), (const uint8_t *)"x", 1);
    }
    mem_free(s.bytes);
}

static void stop_at_once(void *user, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase, (void)done, (void)total;
    *(volatile int *)user = 1;
}

static void checking_can_be_cancelled(void **state)
{
    struct fixture *f = *state;
    struct sample s;
    volatile int cancel = 0;
    make_sample(f, &s);
    struct fixture g = *f;
    g.x.progress = stop_at_once;
    g.x.progress_user = (void *)(uintptr_t)&cancel;
    g.x.cancel = &cancel;
    assert_int_equal(open_flags(&g, GROTH16_PARAMS_NO_STAMP, NULL), CUZK_ERR_CANCELLED);
    mem_free(s.bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_and_sections_are_told),
        TEST(truncated_anywhere_is_refused),
        TEST(more_bytes_than_announced_are_refused),
        TEST(hostile_counts_are_refused),
        TEST(counts_that_disagree_are_refused),
        TEST(a_bad_point_is_named_in_each_section),
        TEST(what_is_no_file_is_told),
        TEST(a_key_is_read_from_its_own_file_or_from_parameters),
        TEST(the_check_is_done_once),
        TEST(a_changed_file_is_checked_again),
        TEST(a_stamp_of_another_file_does_not_count),
        TEST(a_malformed_stamp_does_not_count),
        TEST(without_stamp_all_is_checked_and_none_written),
        TEST(a_stamp_that_cannot_be_written_is_told_and_no_error),
        TEST(a_stamp_behind_a_link_is_neither_read_nor_overwritten),
        TEST(a_stranger_cannot_stamp),
        TEST(a_listed_digest_must_fit),
        TEST(a_listed_key_must_fit_too),
        TEST(a_malformed_parameters_json_is_told),
        TEST(failing_allocations_leak_nothing),
        TEST(checking_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SHA-256: the vectors of FIPS 180-2 appendix B and of NIST's CAVP, every length around the block's edges
 * against OpenSSL, and each implementation against the other.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "base/cpu.h"
#include "hash/sha256.h"
#include "hash/sha256_kernels.h"

static void from_hex(uint8_t *out, const char *hex)
{
    for (size_t i = 0; hex[2 * i] != 0; i++) {
        const char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

static void fill(uint8_t *data, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] = (uint8_t)(seed >> 24);
    }
}

static void openssl_sha256(uint8_t out[32], const void *data, size_t n)
{
    unsigned length = 0;
    assert_int_equal(EVP_Digest(data, n, out, &length, EVP_sha256(), NULL), 1);
    assert_int_equal(length, 32);
}

static void expect(const void *data, size_t n, const char *hex)
{
    uint8_t out[32], expected[32];
    from_hex(expected, hex);
    sha256(out, data, n);
    assert_memory_equal(out, expected, 32);
}

static void test_published_vectors(void **state)
{
    (void)state;
    expect("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
           "mnopqrstnopqrstu",
           112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    expect("\xbd", 1, "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
    expect("\xc9\x8c\x8e\x55", 4, "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504");
}

static void test_a_million_letters(void **state)
{
    (void)state;
    const size_t n = 1000000;
    uint8_t *data = malloc(n);
    assert_non_null(data);
    memset(data, 'a', n);
    expect(data, n, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(data);
}

static void test_every_length_agrees_with_openssl(void **state)
{
    (void)state;
    uint8_t data[201];
    fill(data, sizeof data, 1);
    for (size_t n = 0; n <= 200; n++) {
        uint8_t out[32], expected[32];
        sha256(out, data, n);
        openssl_sha256(expected, data, n);
        assert_memory_equal(out, expected, 32);
    }
}

static void test_any_cut_gives_the_same_digest(void **state)
{
    (void)state;
    uint8_t data[200], expected[32];
    fill(data, sizeof data, 2);
    openssl_sha256(expected, data, sizeof data);
    for (size_t first = 0; first <= sizeof data; first++) {
        for (size_t second = 0; first + second <= sizeof data; second += 7) {
            struct sha256 s;
            uint8_t out[32];
            sha256_init(&s);
            sha256_update(&s, data, first);
            sha256_update(&s, data + first, second);
            sha256_update(&s, NULL, 0);
            sha256_update(&s, data + first + second, sizeof data - first - second);
            sha256_final(&s, out);
            assert_memory_equal(out, expected, 32);
        }
    }
}

static void test_unaligned_data(void **state)
{
    (void)state;
    uint8_t data[8 + 1000];
    fill(data, sizeof data, 3);
    for (size_t shift = 0; shift < 8; shift++) {
        uint8_t out[32], expected[32];
        sha256(out, data + shift, 1000);
        openssl_sha256(expected, data + shift, 1000);
        assert_memory_equal(out, expected, 32);
    }
}

static void test_the_instructions_agree_with_portable_c(void **state)
{
    (void)state;
#ifdef HAVE_SHA256_NI
    if (!cpu_has_sha())
        skip();
    uint8_t blocks[7 * 64];
    for (uint32_t seed = 0; seed < 100; seed++) {
        uint32_t a[8], b[8];
        fill(blocks, sizeof blocks, seed);
        fill((uint8_t *)a, sizeof a, seed + 1000);
        memcpy(b, a, sizeof a);
        for (size_t n = 0; n <= 7; n++) {
            sha256_compress_portable(a, blocks, n);
            sha256_compress_ni(b, blocks, n);
            assert_memory_equal(a, b, sizeof a);
        }
    }
#else
    skip();
#endif
}

static void test_compress_is_the_chosen_one(void **state)
{
    (void)state;
    uint8_t block[64];
    uint32_t a[8], b[8];
    fill(block, sizeof block, 5);
    memcpy(a, SHA256_IV, sizeof a);
    memcpy(b, SHA256_IV, sizeof b);
    sha256_compress(a, block, 1);
    sha256_compress_portable(b, block, 1);
    assert_memory_equal(a, b, sizeof a);
    sha256_compress(a, block, 0);
    assert_memory_equal(a, b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vectors),
        cmocka_unit_test(test_a_million_letters),
        cmocka_unit_test(test_every_length_agrees_with_openssl),
        cmocka_unit_test(test_any_cut_gives_the_same_digest),
        cmocka_unit_test(test_unaligned_data),
        cmocka_unit_test(test_the_instructions_agree_with_portable_c),
        cmocka_unit_test(test_compress_is_the_chosen_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

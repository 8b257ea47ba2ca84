/* tests/unit/test_chacha_blake2b.c - the key stream and the hash behind the graph and the synthetic
 * challenges. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hash/blake2b.h"
#include "hash/chacha.h"

static void assert_hex(const uint8_t *bytes, size_t n, const char *hex)
{
    char text[2 * 64 + 1];
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    assert_string_equal(text, hex);
}

/* RFC 8439, section 2.3.2: block 1. */
static void chacha20_gives_the_rfc_s_block(void **state)
{
    static const uint8_t nonce[12] = {0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0};
    uint8_t key[32], out[64];
    (void)state;
    for (unsigned i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    chacha_keystream(out, 64, 20, key, nonce, 64);
    assert_hex(out, 64,
               "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
               "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

/* J. Strombergson, "Test vectors for the stream cipher ChaCha", TC1, 256-bit key, 8 rounds. */
static void chacha8_gives_the_known_stream(void **state)
{
    static const uint8_t zero[32] = {0};
    uint8_t out[64];
    (void)state;
    chacha_keystream(out, 64, 8, zero, zero, 0);
    assert_hex(out, 64,
               "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
               "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42");
}

static void any_piece_of_the_stream_is_the_same(void **state)
{
    static const uint8_t key[32] = {1}, nonce[12] = {2};
    uint8_t whole[300], piece[300];
    (void)state;
    chacha_keystream(whole, sizeof whole, 20, key, nonce, 0);
    for (size_t offset = 0; offset <= 200; offset += 7)
        for (size_t n = 0; n <= 100; n += 9) {
            chacha_keystream(piece, n, 20, key, nonce, offset);
            assert_memory_equal(piece, whole + offset, n);
        }
}

/* RFC 7693, appendix A; the keyed value by the Python standard library. */
static void blake2b_gives_the_known_digests(void **state)
{
    uint8_t out[64];
    (void)state;
    assert_int_equal(blake2b(out, "abc", 3, NULL), CUZK_OK);
    assert_hex(out, 64,
               "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
               "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    assert_int_equal(blake2b_keyed_32(out, "filecoin", 8, "abc", 3, NULL), CUZK_OK);
    assert_hex(out, 32, "26ba9cbfbeb1b52ef2ad3ca7f12a03f1b607d15229a8fbe4325081a8500aa7fd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chacha20_gives_the_rfc_s_block),
        cmocka_unit_test(chacha8_gives_the_known_stream),
        cmocka_unit_test(any_piece_of_the_stream_is_the_same),
        cmocka_unit_test(blake2b_gives_the_known_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

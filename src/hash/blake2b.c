/* hash/blake2b.c - BLAKE2b (RFC 7693) by way of OpenSSL.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "hash/blake2b.h"

cuzk_status blake2b(uint8_t out[64], const void *data, size_t n, struct cuzk_error *e)
{
    unsigned size = 64;
    if (!EVP_Digest(data, n, out, &size, EVP_blake2b512(), NULL) || size != 64)
        return error_set(e, CUZK_ERR_INTERNAL, "the crypto library refused BLAKE2b");
    return CUZK_OK;
}

cuzk_status blake2b_keyed_32(uint8_t out[32], const void *key, size_t key_size, const void *data, size_t n,
                             struct cuzk_error *e)
{
    size_t out_size = 32;
    uint8_t digest[32];
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &out_size),
                                 OSSL_PARAM_construct_end()};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "BLAKE2BMAC", NULL);
    EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
    const bool ok = ctx && EVP_MAC_init(ctx, key, key_size, params) && EVP_MAC_update(ctx, data, n) &&
                    EVP_MAC_final(ctx, digest, &out_size, sizeof digest) && out_size == sizeof digest;
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    if (!ok)
        return error_set(e, CUZK_ERR_INTERNAL, "the crypto library refused keyed BLAKE2b");
    for (size_t i = 0; i < sizeof digest; i++)
        out[i] = digest[i];
    return CUZK_OK;
}

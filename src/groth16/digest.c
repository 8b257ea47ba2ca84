/* groth16/digest.c - digests of parameter files: BLAKE2b-512 (RFC 7693) by OpenSSL, cut to 16 bytes.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <openssl/evp.h>

#include "base/error.h"
#include "groth16/manifest.h"

#define DIGEST_PIECE ((size_t)16 << 20) /* between two looks at the cancel flag */

cuzk_status digest_begin(struct digest_stream *d, struct cuzk_error *e)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    if (!md || EVP_DigestInit_ex(md, EVP_blake2b512(), NULL) != 1) {
        EVP_MD_CTX_free(md);
        return error_set(e, CUZK_ERR_MEMORY, "OpenSSL offers no BLAKE2b, or memory is out");
    }
    d->state = md;
    return CUZK_OK;
}

cuzk_status digest_update(struct digest_stream *d, const void *data, size_t size, struct cuzk_error *e)
{
    if (EVP_DigestUpdate(d->state, data, size) != 1)
        return error_set(e, CUZK_ERR_INTERNAL, "OpenSSL's BLAKE2b failed");
    return CUZK_OK;
}

cuzk_status digest_end(struct digest_stream *d, char out[DIGEST_TEXT], struct cuzk_error *e)
{
    uint8_t full[EVP_MAX_MD_SIZE];
    const int done = EVP_DigestFinal_ex(d->state, full, NULL);
    digest_free(d);
    if (done != 1)
        return error_set(e, CUZK_ERR_INTERNAL, "OpenSSL's BLAKE2b failed");
    for (int i = 0; i < DIGEST_BYTES; i++) {
        out[2 * i] = "0123456789abcdef"[full[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[full[i] & 15];
    }
    out[DIGEST_TEXT - 1] = '\0';
    return CUZK_OK;
}

void digest_free(struct digest_stream *d)
{
    EVP_MD_CTX_free(d->state);
    d->state = NULL;
}

cuzk_status digest_of(const struct exec *x, const uint8_t *data, size_t size, char out[DIGEST_TEXT],
                      struct cuzk_error *e)
{
    struct digest_stream d = {NULL};
    cuzk_status status = digest_begin(&d, e);
    for (size_t at = 0; at < size && status == CUZK_OK; at += DIGEST_PIECE) {
        exec_progress(x, "digest", at, size);
        status = digest_update(&d, data + at, size - at < DIGEST_PIECE ? size - at : DIGEST_PIECE, e);
        if (status == CUZK_OK && exec_cancelled(x))
            status = error_set(e, CUZK_ERR_CANCELLED, "cancelled while digesting a file");
    }
    if (status == CUZK_OK)
        status = digest_end(&d, out, e);
    digest_free(&d);
    if (status == CUZK_OK)
        exec_progress(x, "digest", size, size);
    return status;
}

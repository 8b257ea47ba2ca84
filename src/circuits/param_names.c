/* circuits/param_names.c - the names of circuits' parameter files.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "circuits/param_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "circuits/porep.h"
#include "circuits/post.h"
#include "circuits/snap.h"
#include "hash/sha256.h"

#define PATH_BYTES 4096

cuzk_status param_file_name(char out[PARAM_NAME_MAX], const char *circuit, struct cuzk_error *e)
{
    struct porep_params porep;
    struct post_params post;
    struct snap_params snap;
    char identifier[POREP_NAME_MAX], prefix[POREP_NAME_MAX];
    if (porep_params_for_circuit(&porep, circuit, NULL) == CUZK_OK) {
        porep_identifier(&porep, identifier);
        porep_cache_prefix(&porep, prefix);
    } else if (post_params_for_circuit(&post, circuit, NULL) == CUZK_OK) {
        post_identifier(&post, identifier);
        post_cache_prefix(&post, prefix);
    } else if (snap_params_for_circuit(&snap, circuit, NULL) == CUZK_OK) {
        snap_identifier(&snap, identifier);
        snap_cache_prefix(&snap, prefix);
    } else {
        return error_set(e, CUZK_ERR_ARGUMENT, "no circuit is named \"%.40s\"", circuit);
    }
    uint8_t digest[32];
    char hex[65];
    sha256(digest, identifier, strlen(identifier));
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    const int n = snprintf(out, PARAM_NAME_MAX, "v28-%s-%s", prefix, hex);
    if (n < 0 || n >= PARAM_NAME_MAX)
        return error_set(e, CUZK_ERR_INTERNAL, "the name of a parameter file is too long");
    return CUZK_OK;
}

cuzk_status param_file_find(const char *folder, const char *circuit, char **path, struct cuzk_error *e)
{
    static const char *const endings[] = {".srs", ".params"};
    char real[PARAM_NAME_MAX], other[PARAM_NAME_MAX] = "", file[PATH_BYTES];
    const cuzk_status status = param_file_name(real, circuit, e);
    if (status != CUZK_OK)
        return status;
    if (strncmp(circuit, "window-", 7) == 0)
        snprintf(other, sizeof other, "wpost-%s", circuit + 7);
    if (strncmp(circuit, "wpost-", 6) == 0)
        snprintf(other, sizeof other, "window-%s", circuit + 6);
    const char *const names[] = {circuit, other, real};
    for (size_t k = 0; k < ARRAY_LEN(endings); k++)
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            const int n = snprintf(file, sizeof file, "%s/%s%s", folder, names[i], endings[k]);
            if (!names[i][0] || n < 0 || (size_t)n >= sizeof file || access(file, F_OK) != 0)
                continue;
            if (access(file, R_OK) != 0)
                return error_errno(e, errno, "%s", file);
            *path = mem_alloc((size_t)n + 1, 1);
            if (!*path)
                return error_memory(e, (size_t)n + 1, "a file name");
            memcpy(*path, file, (size_t)n + 1);
            return CUZK_OK;
        }
    return error_set(
        e, CUZK_ERR_NOT_FOUND,
        "no parameters of %s in %s: neither %s.srs nor %s.params nor %s.params; put one of them there",
        circuit, folder, circuit, circuit, real);
}

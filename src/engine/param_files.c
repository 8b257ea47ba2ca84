/* engine/param_files.c - parameter files of a folder, under the names that they may have.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/param_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "groth16/srs.h"
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
            if (!names[i][0] || n < 0 || (size_t)n >= sizeof file || access(file, R_OK) != 0)
                continue;
            *path = mem_alloc((size_t)n + 1, 1);
            if (!*path)
                return error_memory(e, (size_t)n + 1, "a file name");
            memcpy(*path, file, (size_t)n + 1);
            return CUZK_OK;
        }
    return error_set(e, CUZK_ERR_IO, "no parameters of %s in %s: neither %s.srs nor %s.params nor %s.params",
                     circuit, folder, circuit, circuit, real);
}

/* ---- opening ---- */

static cuzk_status other_circuit(const char *path, const char *circuit, const char *what, uint64_t file,
                                 uint64_t expected, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_MISMATCH, "%s is of another circuit: it has %llu %s, %s has %llu", path,
                     (unsigned long long)file, what, circuit, (unsigned long long)expected);
}

static unsigned domain_of(const struct templates *t)
{
    unsigned log = 0;
    while (UINT64_C(1) << log < t->counts.rows)
        log++;
    return log;
}

static cuzk_status open_folded(const struct exec *x, struct engine_params *p, const char *path,
                               const char *circuit, struct cuzk_error *e)
{
    struct groth16_srs_info info;
    const struct templates *t = &p->templates->templates;
    const cuzk_status status = groth16_srs_open(x, &p->folded, path, 0, e);
    if (status != CUZK_OK)
        return status;
    groth16_srs_info(p->folded, &info);
    p->vk = groth16_srs_vk(p->folded);
    p->bytes = info.file_bytes;
    if (strcmp(info.circuit, circuit) != 0)
        return error_set(e, CUZK_ERR_MISMATCH, "%s is of the circuit %s, not of %s", path, info.circuit,
                         circuit);
    if (info.inputs != t->counts.inputs)
        return other_circuit(path, circuit, "inputs", info.inputs, t->counts.inputs, e);
    if (info.bits != t->bits)
        return other_circuit(path, circuit, "bits", info.bits, t->bits, e);
    if (info.wide != t->wide)
        return other_circuit(path, circuit, "wide variables", info.wide, t->wide, e);
    if (info.domain_log != domain_of(t))
        return other_circuit(path, circuit, "as domain's logarithm", info.domain_log, domain_of(t), e);
    if (memcmp(groth16_srs_header(p->folded)->classes, p->templates->classes, sizeof p->templates->classes) !=
        0)
        return error_set(
            e, CUZK_ERR_MISMATCH,
            "%s was made by another version of this program: other variables are bits; make it anew", path);
    p->bits = info.bits;
    p->wide = info.wide;
    return CUZK_OK;
}

static cuzk_status open_plain(const struct exec *x, struct engine_params *p, const char *path,
                              const char *circuit, struct cuzk_error *e)
{
    struct groth16_params_info info;
    const struct templates *t = &p->templates->templates;
    const cuzk_status status = groth16_params_open(x, &p->plain, path, 0, e);
    if (status != CUZK_OK)
        return status;
    groth16_params_info(p->plain, &info);
    p->vk = groth16_params_vk(p->plain);
    p->bytes = info.file_bytes;
    if (info.ic_count != t->counts.inputs)
        return other_circuit(path, circuit, "inputs", info.ic_count, t->counts.inputs, e);
    if (info.count[GROTH16_L] != t->counts.aux)
        return other_circuit(path, circuit, "variables", info.count[GROTH16_L], t->counts.aux, e);
    if (info.domain_log != domain_of(t))
        return other_circuit(path, circuit, "as domain's logarithm", info.domain_log, domain_of(t), e);
    p->wide = t->counts.aux;
    return CUZK_OK;
}

static cuzk_status open_both(const struct exec *x, const struct poseidon_set *poseidon, const char *folder,
                             const char *circuit, const char *path, struct engine_params *p,
                             struct cuzk_error *e)
{
    struct any_circuit blank;
    char file[PATH_BYTES];
    const size_t n = strlen(path);
    cuzk_status status = catalogue_blank(&blank, poseidon, circuit, e);
    if (status != CUZK_OK)
        return status;
    p->templates = mem_alloc(1, sizeof *p->templates);
    if (!p->templates)
        return error_memory(e, sizeof *p->templates, "templates");
    const int size = snprintf(file, sizeof file, "%s/%s.templates", folder, circuit);
    status = template_circuit_open(x, p->templates, size > 0 && (size_t)size < sizeof file ? file : NULL,
                                   circuit, &blank.circuit, e);
    if (status != CUZK_OK)
        return status;
    status = n > 4 && strcmp(path + n - 4, ".srs") == 0 ? open_folded(x, p, path, circuit, e)
                                                        : open_plain(x, p, path, circuit, e);
    p->domain_log = domain_of(&p->templates->templates);
    return status;
}

cuzk_status param_file_open(const struct exec *x, const struct poseidon_set *poseidon, const char *folder,
                            const char *circuit, const char *path, struct engine_params **out,
                            struct cuzk_error *e)
{
    struct engine_params *p = mem_alloc(1, sizeof *p);
    if (!p)
        return error_memory(e, sizeof *p, "parameters");
    const cuzk_status status = open_both(x, poseidon, folder, circuit, path, p, e);
    if (status == CUZK_OK)
        *out = p;
    else
        param_file_close(p);
    return status;
}

void param_file_close(struct engine_params *params)
{
    if (!params)
        return;
    groth16_srs_free(params->folded);
    groth16_params_free(params->plain);
    if (params->templates)
        template_circuit_free(params->templates);
    mem_free(params->templates);
    mem_free(params);
}

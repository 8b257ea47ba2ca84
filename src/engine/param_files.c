/* engine/param_files.c - opening parameter files with what belongs to them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "engine/param_files.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "groth16/srs.h"

#define PATH_BYTES 4096

/* ---- opening ---- */

static cuzk_status other_circuit(const char *path, const char *circuit, const char *what, uint64_t file,
                                 uint64_t expected, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_MISMATCH, "%s is of another circuit: it has %llu %s, %s has %llu", path,
                     (unsigned long long)file, what, circuit, (unsigned long long)expected);
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
    if (info.domain_log != groth16_domain_log(t->counts.rows))
        return other_circuit(path, circuit, "as domain's logarithm", info.domain_log,
                             groth16_domain_log(t->counts.rows), e);
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
    if (info.domain_log != groth16_domain_log(t->counts.rows))
        return other_circuit(path, circuit, "as domain's logarithm", info.domain_log,
                             groth16_domain_log(t->counts.rows), e);
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
    p->domain_log = groth16_domain_log(p->templates->templates.counts.rows);
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

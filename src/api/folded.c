/* api/folded.c - setup; folded parameters, made with it or from a parameter file, opened.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "api/context.h"
#include "backend/cuda/fixed.h"
#include "backend/cuda/transform.h"
#include "base/error.h"
#include "base/text.h"

/* The circuit's first name: the one that requests have. */
static cuzk_status first_name(const char *circuit, const char **out, struct cuzk_error *e)
{
    static const char other[] = "wpost-", first[] = "window-";
    const bool aliased = strncmp(circuit, other, sizeof other - 1) == 0;
    uint64_t size;
    for (size_t i = 0; (*out = catalogue_name(i, &size)) != NULL; i++) {
        if (strcmp(circuit, *out) == 0)
            return CUZK_OK;
        if (aliased && strncmp(*out, first, sizeof first - 1) == 0 &&
            strcmp(circuit + sizeof other - 1, *out + sizeof first - 1) == 0)
            return CUZK_OK;
    }
    return error_set(e, CUZK_ERR_ARGUMENT, "no circuit is named \"%.40s\"", circuit);
}

/* The first of the context's devices as the maker of points, if it has one. */
struct maker {
    struct gpu_fixed *gpu;
    struct point_maker table;
};

static cuzk_status maker_new(cuzk_context *context, struct maker *out, struct cuzk_error *e)
{
    *out = (struct maker){.gpu = NULL};
    if (context->gpus.count == 0)
        return CUZK_OK;
    const cuzk_status status = gpu_fixed_new(&out->gpu, context->gpus.device[0], 16, context->exec.budget, e);
    if (status == CUZK_OK)
        out->table = gpu_fixed_maker(out->gpu);
    return status;
}

static const struct point_maker *maker_of(const struct maker *m)
{
    return m->gpu ? &m->table : NULL;
}

static cuzk_status make_params(cuzk_context *context, const struct circuit *circuit,
                               const struct groth16_trapdoor *t, const char *prefix, struct cuzk_error *e)
{
    struct maker maker;
    cuzk_status status = maker_new(context, &maker, e);
    if (status == CUZK_OK)
        status = groth16_setup_by(&context->exec, circuit, t, prefix, maker_of(&maker), e);
    gpu_fixed_free(maker.gpu);
    return status;
}

static cuzk_status make_srs(cuzk_context *context, const struct circuit *circuit, const char *name,
                            const struct groth16_trapdoor *t, const char *source, const char *path,
                            struct cuzk_error *e)
{
    struct maker maker;
    cuzk_status status = maker_new(context, &maker, e);
    if (status == CUZK_OK)
        status = groth16_srs_setup_by(&context->exec, circuit, name, t, source, path, maker_of(&maker), e);
    gpu_fixed_free(maker.gpu);
    return status;
}

/* PREFIX.params and PREFIX.vk, and the digest that the folded file will name. */
static cuzk_status setup_params(cuzk_context *context, const struct circuit *circuit,
                                const struct groth16_trapdoor *t, const char *prefix, char digest[33],
                                struct cuzk_error *e)
{
    cuzk_status status = make_params(context, circuit, t, prefix, e);
    if (status != CUZK_OK)
        return status;
    char *path = text_with_suffix(prefix, ".params");
    if (!path)
        return error_memory(e, strlen(prefix), "a file name");
    struct groth16_params *p = NULL;
    status = groth16_params_open(&context->exec, &p, path, 0, e);
    mem_free(path);
    if (status != CUZK_OK)
        return status;
    struct groth16_params_info info;
    groth16_params_info(p, &info);
    memcpy(digest, info.digest, sizeof info.digest);
    groth16_params_free(p);
    return CUZK_OK;
}

/* Better before the work than after it. */
static cuzk_status check_output(const char *path, struct cuzk_error *e)
{
    struct file_out *file = NULL;
    const cuzk_status status = file_create(&file, path, e);
    file_abort(file);
    return status;
}

static cuzk_status setup_folded(cuzk_context *context, const char *circuit, const char *prefix,
                                bool only_folded, const struct groth16_trapdoor *t, struct cuzk_error *e)
{
    struct any_circuit blank;
    const char *name = NULL;
    char digest[33];
    cuzk_status status = catalogue_blank(&blank, context->poseidon, circuit, e);
    if (status == CUZK_OK)
        status = first_name(circuit, &name, e);
    if (status != CUZK_OK)
        return status;
    char *path = text_with_suffix(prefix, ".srs");
    if (!path)
        return error_memory(e, strlen(prefix), "a file name");
    bool made = false; /* the other two files */
    status = check_output(path, e);
    if (status == CUZK_OK && !only_folded) {
        status = setup_params(context, &blank.circuit, t, prefix, digest, e);
        made = status == CUZK_OK;
    }
    if (status == CUZK_OK)
        status = make_srs(context, &blank.circuit, name, t, only_folded ? NULL : digest, path, e);
    mem_free(path);
    if (status != CUZK_OK && made && e) {
        const struct cuzk_error cause = *e;
        return error_set(e, status, "%s; %s.params and .vk are whole: cuzk srs convert makes .srs of them",
                         cause.message, prefix);
    }
    return status;
}

/* After the devices, so that there is no work if there are none. */
static cuzk_status trapdoor(cuzk_context *context, struct groth16_trapdoor *out,
                            const uint64_t *insecure_seed, struct cuzk_error *e)
{
    const cuzk_status status = context_devices(context, e);
    if (status != CUZK_OK || !insecure_seed)
        return status == CUZK_OK ? groth16_trapdoor_random(out, e) : status;
    groth16_trapdoor_from_seed(out, *insecure_seed);
    return CUZK_OK;
}

cuzk_status cuzk_setup(cuzk_context *context, const char *circuit, const char *prefix,
                       const uint64_t *insecure_seed, struct cuzk_error *e)
{
    API_REQUIRE(e, context && circuit && prefix);
    struct any_circuit blank;
    struct groth16_trapdoor t;
    cuzk_status status = catalogue_blank(&blank, context->poseidon, circuit, e);
    if (status == CUZK_OK)
        status = trapdoor(context, &t, insecure_seed, e);
    if (status == CUZK_OK)
        status = make_params(context, &blank.circuit, &t, prefix, e);
    mem_wipe(&t, sizeof t);
    return status;
}

cuzk_status cuzk_setup_folded(cuzk_context *context, const char *circuit, const char *prefix,
                              bool only_folded, const uint64_t *insecure_seed, struct cuzk_error *e)
{
    API_REQUIRE(e, context && circuit && prefix);
    struct groth16_trapdoor t;
    cuzk_status status = trapdoor(context, &t, insecure_seed, e);
    if (status == CUZK_OK)
        status = setup_folded(context, circuit, prefix, only_folded, &t, e);
    mem_wipe(&t, sizeof t);
    return status;
}

/* By the context's first device, if it has one. */
static cuzk_status convert(cuzk_context *context, const struct circuit *circuit, const char *name,
                           const struct groth16_params *p, const char *path, const char *stop_after,
                           struct cuzk_error *e)
{
    struct gpu_transform *g = NULL;
    cuzk_status status = context_devices(context, e);
    if (status == CUZK_OK && context->gpus.count > 0)
        status = gpu_transform_new(&g, context->gpus.device[0], 0, e);
    if (status == CUZK_OK)
        status = groth16_srs_convert(&context->exec, circuit, name, p, path, stop_after,
                                     g ? gpu_transform_runner(g) : NULL, e);
    gpu_transform_free(g);
    return status;
}

cuzk_status cuzk_srs_convert(cuzk_context *context, const char *circuit, const char *params_path,
                             const char *path, const char *stop_after, struct cuzk_error *e)
{
    API_REQUIRE(e, context && circuit && params_path && path);
    struct any_circuit blank;
    const char *name = NULL;
    struct groth16_params *p = NULL;
    cuzk_status status = groth16_srs_phase_check(stop_after, e);
    if (status == CUZK_OK)
        status = catalogue_blank(&blank, context->poseidon, circuit, e);
    if (status == CUZK_OK)
        status = first_name(circuit, &name, e);
    if (status == CUZK_OK)
        status = groth16_params_open(&context->exec, &p, params_path, 0, e);
    if (status == CUZK_OK)
        status = convert(context, &blank.circuit, name, p, path, stop_after, e);
    groth16_params_free(p);
    return status;
}

/* X.templates beside X.srs. */
static char *templates_path(const char *path)
{
    const size_t n = strlen(path);
    const bool is_srs = n > 4 && strcmp(path + n - 4, ".srs") == 0;
    char *out = text_with_suffix(path, ".templates");
    if (out && is_srs)
        strcpy(out + n - 4, ".templates");
    return out;
}

static cuzk_status open_templates(cuzk_context *context, cuzk_srs *s, const char *path, struct cuzk_error *e)
{
    struct any_circuit blank;
    struct groth16_srs_info info;
    groth16_srs_info(s->srs, &info);
    cuzk_status status = catalogue_blank(&blank, context->poseidon, info.circuit, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "%s", path);
    char *file = templates_path(path);
    if (!file)
        return error_memory(e, strlen(path), "a file name");
    exec_progress(&context->exec, "templates", 0, 1);
    status = template_circuit_open(&context->exec, &s->circuit, file, info.circuit, &blank.circuit, e);
    exec_progress(&context->exec, "templates", 1, 1);
    mem_free(file);
    if (status == CUZK_OK && s->circuit.unkept[0])
        snprintf(context->note, sizeof context->note,
                 "the circuit's templates are made anew each time: %.190s", s->circuit.unkept);
    return status;
}

cuzk_status cuzk_srs_open(cuzk_context *context, cuzk_srs **out, const char *path, struct cuzk_error *e)
{
    API_REQUIRE(e, context && out && path);
    cuzk_srs *s = mem_alloc(1, sizeof *s);
    if (!s)
        return error_memory(e, sizeof *s, "the parameters' handle");
    cuzk_status status = groth16_srs_open(&context->exec, &s->srs, path, 0, e);
    if (status == CUZK_OK)
        status = open_templates(context, s, path, e);
    if (status != CUZK_OK) {
        cuzk_srs_free(s);
        return status;
    }
    *out = s;
    return CUZK_OK;
}

void cuzk_srs_free(cuzk_srs *srs)
{
    if (!srs)
        return;
    groth16_srs_free(srs->srs);
    template_circuit_free(&srs->circuit);
    mem_free(srs);
}

cuzk_status cuzk_srs_belongs(const cuzk_srs *srs, const cuzk_params *params, struct cuzk_error *e)
{
    API_REQUIRE(e, srs && params);
    return groth16_srs_belongs(srs->srs, params->params, e);
}

/* api/machine.c - what the machine offers, and which parameters a folder has: what a check of an installation
 * asks for.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/context.h"
#include "base/cgroup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/topology.h"
#include "circuits/catalogue.h"
#include "circuits/param_names.h"
#include "groth16/srs.h"
#include "groth16/stamp.h"

void cuzk_machine_read(struct cuzk_machine *out)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    *out = (struct cuzk_machine){.ram = UINT64_MAX,
                                 .cgroup_memory = cgroup_memory_limit(""),
                                 .node_memory = topology_memory(),
                                 .cgroup_cpu = cgroup_cpu_limit(""),
                                 .threads = pool_default_threads(),
                                 .sha = cpu_has_sha()};
    if (pages > 0 && page > 0)
        out->ram = (uint64_t)pages * (uint64_t)page;
    snprintf(out->cpu, sizeof out->cpu, "%s", cpu_variant_name(cpu_best()));
    for (int v = 0; v < CPU_VARIANTS; v++)
        if (cpu_supports((enum cpu_variant)v)) {
            const size_t n = strlen(out->variants);
            snprintf(out->variants + n, sizeof out->variants - n, "%s%s", n ? ", " : "",
                     cpu_variant_name((enum cpu_variant)v));
        }
}

const char *cuzk_circuit_name(size_t i)
{
    uint64_t size;
    return catalogue_name(i, &size);
}

/* ---- parameter files ---- */

cuzk_status cuzk_params_find(const char *folder, const char *circuit, char path[CUZK_PATH_MAX],
                             struct cuzk_error *e)
{
    API_REQUIRE(e, folder && circuit && path);
    char *found = NULL;
    const cuzk_status status = param_file_find(folder, circuit, &found, e);
    if (status != CUZK_OK)
        return status;
    snprintf(path, CUZK_PATH_MAX, "%s", found);
    mem_free(found);
    return CUZK_OK;
}

cuzk_status cuzk_params_checked(const char *path, bool *checked, uint64_t *size, struct cuzk_error *e)
{
    API_REQUIRE(e, path && checked && size);
    struct file_map map;
    char digest[DIGEST_TEXT];
    const cuzk_status status = file_map(&map, path, 0, e);
    if (status != CUZK_OK)
        return status;
    *checked = stamp_accepts(path, &map, digest);
    *size = map.size;
    file_unmap(&map);
    return CUZK_OK;
}

static bool is_folded(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".srs") == 0;
}

/* window- and wpost- are one. */
static bool same_circuit(const char *a, const char *b)
{
    static const char first[] = "window-", other[] = "wpost-";
    const char *x = strncmp(a, other, sizeof other - 1) == 0 ? a + sizeof other - 1 : NULL;
    if (x && strncmp(b, first, sizeof first - 1) == 0)
        return strcmp(x, b + sizeof first - 1) == 0;
    return strcmp(a, b) == 0;
}

static cuzk_status other_circuit(const char *path, const char *circuit, const char *what, uint64_t file,
                                 uint64_t expected, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_MISMATCH, "%s is of another circuit: it has %llu %s, %s has %llu", path,
                     (unsigned long long)file, what, circuit, (unsigned long long)expected);
}

static cuzk_status check_folded(cuzk_context *context, const char *circuit, const char *path,
                                struct cuzk_error *e)
{
    cuzk_srs *srs = NULL;
    struct groth16_srs_info info;
    cuzk_status status = cuzk_srs_open(context, &srs, path, e);
    if (status != CUZK_OK)
        return status;
    groth16_srs_info(srs->srs, &info);
    if (!same_circuit(circuit, info.circuit))
        status = error_set(e, CUZK_ERR_MISMATCH, "%s is of the circuit %s, not of %s", path, info.circuit,
                           circuit);
    else
        status = template_circuit_fits(&srs->circuit, groth16_srs_header(srs->srs), e);
    cuzk_srs_free(srs);
    return status;
}

static cuzk_status check_plain(cuzk_context *context, const char *circuit, const char *path,
                               struct cuzk_error *e)
{
    struct any_circuit blank;
    struct template_circuit t = {0};
    struct groth16_params *p = NULL;
    struct groth16_params_info info;
    cuzk_status status = catalogue_blank(&blank, context->poseidon, circuit, e);
    if (status == CUZK_OK)
        status = groth16_params_open(&context->exec, &p, path, 0, e);
    if (status == CUZK_OK)
        status = template_circuit_open(&context->exec, &t, NULL, circuit, &blank.circuit, e);
    if (status == CUZK_OK) {
        const struct templates *have = &t.templates;
        groth16_params_info(p, &info);
        if (info.ic_count != have->counts.inputs)
            status = other_circuit(path, circuit, "inputs", info.ic_count, have->counts.inputs, e);
        else if (info.count[GROTH16_L] != have->counts.aux)
            status = other_circuit(path, circuit, "variables", info.count[GROTH16_L], have->counts.aux, e);
    }
    template_circuit_free(&t);
    groth16_params_free(p);
    return status;
}

cuzk_status cuzk_params_check(cuzk_context *context, const char *circuit, const char *path,
                              struct cuzk_error *e)
{
    API_REQUIRE(e, context && circuit && path);
    return (is_folded(path) ? check_folded : check_plain)(context, circuit, path, e);
}

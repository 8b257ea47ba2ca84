/* bench/bench_partition.c - what comes before a partition's transforms: its circuit's templates recorded and
 * mapped, its witness, and its rows' values. n: rows of the circuit. Inputs are generated (circuits/gen.h).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "circuits/gen.h"
#include "circuits/request.h"
#include "r1cs/rows.h"
#include "r1cs/template_file.h"
#include "r1cs/witness_walk.h"

#define REPS 3

static const struct template_identity ID = {.name = "bench"};

struct job {
    struct exec x;
    struct poseidon_set *poseidon;
    char folder[32], file[64];
    struct request request;
    struct any_circuit blank, real;
    struct templates templates, again;
    struct assignment witness;
    struct rows rows;
    struct block values[2];
    size_t domain;
    struct cuzk_error e;
};

static void must(struct job *j, cuzk_status status)
{
    if (status == CUZK_OK)
        return;
    fprintf(stderr, "bench_partition: %s\n", j->e.message);
    exit(1);
}

static void drop_templates(void *ctx)
{
    templates_free(&((struct job *)ctx)->again);
}

static void run_record(void *ctx)
{
    struct job *j = ctx;
    must(j, templates_record(&j->x, &j->again, &j->blank.circuit, &j->e));
}

static void run_map(void *ctx)
{
    struct job *j = ctx;
    must(j, templates_map(&j->x, &j->again, j->file, &ID, &j->e));
}

static void drop_witness(void *ctx)
{
    struct job *j = ctx;
    rows_free(&j->rows);
    assignment_free(&j->witness);
}

static void run_witness(void *ctx)
{
    struct job *j = ctx;
    must(j, witness_walk(&j->x, &j->witness, &j->templates, &j->real.circuit, &j->e));
}

static void drop_rows(void *ctx)
{
    rows_free(&((struct job *)ctx)->rows);
}

static void run_rows(void *ctx)
{
    struct job *j = ctx;
    must(j, rows_bind(&j->x, &j->rows, &j->templates, &j->witness, &j->e));
    for (unsigned side = 0; side < 2; side++)
        must(j, rows_fill(&j->x, &j->rows, side, j->values[side].ptr, j->domain, &j->e));
}

static void prepare(struct job *j, const char *kind, const char *size)
{
    char path[128];
    const struct gen_options options = {.kind = kind, .size = size, .seed = 1};
    snprintf(j->folder, sizeof j->folder, "/tmp/cuzk-bench-XXXXXX");
    if (!mkdtemp(j->folder)) {
        perror("bench_partition");
        exit(1);
    }
    must(j, gen_run(&j->x, j->poseidon, &options, j->folder, &j->e));
    snprintf(path, sizeof path, "%s/%s-%s-1.meta.json", j->folder, kind, size);
    snprintf(j->file, sizeof j->file, "%s/templates", j->folder);
    must(j, request_read(&j->x, &j->request, path, true, &j->e));
    must(j, catalogue_blank(&j->blank, j->poseidon, request_circuit_name(&j->request), &j->e));
    must(j, request_circuit(&j->real, j->poseidon, &j->request, 0, &j->e));
    must(j, templates_record(&j->x, &j->templates, &j->blank.circuit, &j->e));
    must(j, templates_write(&j->templates, j->file, &ID, &j->e));
    j->domain = 1;
    while (j->domain < j->templates.counts.rows)
        j->domain *= 2;
    for (unsigned side = 0; side < 2; side++) {
        must(j, block_new(&j->values[side], j->x.budget, j->domain, sizeof(fr), "values", &j->e));
        block_prefault(&j->values[side], j->x.pool);
    }
}

static void clean(struct job *j)
{
    char command[64];
    drop_templates(j);
    drop_witness(j);
    templates_free(&j->templates);
    request_free(&j->request);
    for (unsigned side = 0; side < 2; side++)
        block_free(&j->values[side]);
    snprintf(command, sizeof command, "rm -r %s", j->folder);
    if (system(command) != 0)
        fprintf(stderr, "bench_partition: %s stays\n", j->folder);
}

static void measure(struct job *j, const struct bench *b, const char *kind, const char *size,
                    unsigned threads)
{
    static const struct {
        const char *name;
        void (*before)(void *), (*run)(void *);
    } steps[] = {{"record", drop_templates, run_record},
                 {"map", drop_templates, run_map},
                 {"witness", drop_witness, run_witness},
                 {"rows", drop_rows, run_rows}};
    char name[64];
    snprintf(name, sizeof name, "%s_%s", kind, size);
    if (!strstr(name, b->filter))
        return;
    prepare(j, kind, size);
    const struct bench all = {.commit = b->commit, .filter = "", .variant = b->variant, .reps = b->reps};
    struct bench mine = all;
    memcpy(mine.cpu_model, b->cpu_model, sizeof mine.cpu_model);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        snprintf(name, sizeof name, "%s_%s_%s", steps[i].name, kind, size);
        bench_run(&mine, name, j->templates.counts.rows, threads, REPS, steps[i].before, steps[i].run, j);
    }
    printf("{\"name\":\"memory_%s_%s\",\"templates_bytes\":%llu,\"templates\":%zu,\"instances\":%zu,"
           "\"reserved_peak_bytes\":%llu,\"of_it_a_and_b\":%llu}\n",
           kind, size, (unsigned long long)templates_bytes(&j->templates),
           j->templates.count[TEMPLATE_TEMPLATES], j->templates.count[TEMPLATE_INSTANCES],
           (unsigned long long)budget_peak(j->x.budget), (unsigned long long)(2 * sizeof(fr) * j->domain));
    clean(j);
}

int main(int argc, char **argv)
{
    static const char *const inputs[][2] = {
        {"porep", "2KiB"}, {"window", "2KiB"}, {"winning", "32GiB"}, {"snap", "32GiB"}, {"porep", "32GiB"}};
    struct bench b;
    const enum bench_start start = bench_start(&b, argc, argv);
    if (start != BENCH_GO)
        return bench_exit(start);
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        static struct job j;
        memset(&j, 0, sizeof j);
        j.x.variant = b.variant;
        const unsigned threads = b.threads ? b.threads : 1;
        must(&j, pool_new(&j.x.pool, threads, &j.e));
        must(&j, budget_new(&j.x.budget, 0, &j.e));
        must(&j, poseidon_set_new(&j.poseidon, &j.e));
        measure(&j, &b, inputs[i][0], inputs[i][1], threads);
        poseidon_set_free(j.poseidon);
        budget_free(j.x.budget);
        pool_free(j.x.pool);
    }
    return 0;
}

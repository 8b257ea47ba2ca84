/* bench/bench_c1.c - reading C1 files (n: bytes): a made-up one of 32 GiB sectors, and a small one.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "../tests/unit/c1_make.h"

#define REPS 10

struct job {
    struct exec exec;
    uint8_t *json;
    size_t size;
    struct cuzk_error error;
};

static void run(void *context)
{
    struct job *job = context;
    struct porep_c1 c1;
    if (porep_c1_read(&job->exec, &c1, job->json, job->size, &job->error) != CUZK_OK) {
        fprintf(stderr, "bench_c1: %s\n", job->error.message);
        exit(1);
    }
    porep_c1_free(&c1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *circuit;
        char *(*make)(const struct porep_params *p, uint64_t seed, size_t *size);
    } rows[] = {
        {"c1_read_wrapped_32g", "porep-32g", c1_make_wrapped},
        {"c1_read_bare_32g", "porep-32g", c1_make},
        {"c1_read_wrapped_2k", "porep-2k", c1_make_wrapped},
    };
    struct bench b;
    const enum bench_start start = bench_start(&b, argc, argv);
    if (start != BENCH_GO)
        return bench_exit(start);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct porep_params params;
        struct job job = {.exec = {.variant = b.variant}};
        if (porep_params_for_circuit(&params, rows[i].circuit, &job.error) != CUZK_OK)
            return 1;
        job.json = (uint8_t *)rows[i].make(&params, 1, &job.size);
        bench_run(&b, rows[i].name, job.size, 1, REPS, NULL, run, &job);
        free(job.json);
    }
    return 0;
}

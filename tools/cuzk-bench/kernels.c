/* cuzk-bench/kernels.c - the commands msm and ntt, and their work on the CPU.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuzk-bench/kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/timing.h"
#include "common/output.h"
#include "common/plot.h"
#include "curve/fixed_base.h"
#include "msm/msm.h"
#include "ntt/ntt.h"

cuzk_status kernels_measure(struct kernels *k, const char *name, uint64_t n, cuzk_status (*run)(void *ctx),
                            void *ctx)
{
    double *seconds = calloc(k->rounds, sizeof *seconds);
    cuzk_status status = seconds ? run(ctx) : error_set(&k->e, CUZK_ERR_MEMORY, "out of memory");
    for (unsigned i = 0; status == CUZK_OK && i < k->rounds; i++) {
        const uint64_t start = timing_now();
        status = run(ctx);
        seconds[i] = (double)(timing_now() - start) * 1e-9;
        if (status == CUZK_OK && bench_stop)
            status = error_set(&k->e, CUZK_ERR_CANCELLED, "stopped");
    }
    if (status == CUZK_OK && k->results < RESULTS_MAX) {
        struct kernel_result *r = &k->result[k->results++];
        snprintf(r->name, sizeof r->name, "%s", name);
        r->n = n;
        r->threads = pool_threads(k->x.pool);
        r->seconds = stats_of(seconds, k->rounds);
    }
    free(seconds);
    return status;
}

/* S. Vigna's splitmix64. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

void kernels_scalars(fr *out, size_t n, bool witness, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        if (witness && next_random(&seed) % 100 != 0) {
            out[i] = next_random(&seed) % 2 ? FR_ONE : FR_ZERO;
            continue;
        }
        do {
            for (int l = 0; l < FR_LIMBS; l++)
                out[i].l[l] = next_random(&seed);
            out[i].l[FR_LIMBS - 1] &= UINT64_MAX >> (256 - FR_BITS);
        } while (!fr_is_canonical(&out[i]));
    }
}

cuzk_status kernels_check(const struct kernels *k, unsigned group, const void *sum, const fr *log,
                          struct cuzk_error *e)
{
    bool same;
    if (group == 1) {
        g1 base, want;
        g1_from_affine(&base, &G1_GENERATOR);
        g1_mul(&want, &base, log);
        same = g1_equal(sum, &want);
    } else {
        g2 base, want;
        g2_from_affine(&base, &G2_GENERATOR);
        g2_mul(&want, &base, log);
        same = g2_equal(sum, &want);
    }
    return same ? CUZK_OK : error_set(e, CUZK_ERR_INVALID, "a sum in G%u on %s is wrong", group, k->device);
}

bool kernels_group_wanted(const struct kernels *k, unsigned group)
{
    return k->o->group == 0 || k->o->group == group;
}

bool kernels_scalars_wanted(const struct kernels *k, const char *name)
{
    return !k->o->scalars || !strcmp(k->o->scalars, name);
}

/* ---- sums on the CPU ---- */

union sum {
    g1 g1;
    g2 g2;
};

struct cpu_sum {
    struct kernels *k;
    unsigned group;
    struct msm_points points;
    struct msm_scalars scalars;
    const uint64_t *bits; /* NULL: scalars */
    union sum out;
};

static cuzk_status run_cpu_sum(void *ctx)
{
    struct cpu_sum *s = ctx;
    const struct exec *x = &s->k->x;
    struct cuzk_error *e = &s->k->e;
    if (s->bits)
        return s->group == 1 ? msm_g1_select(x, &s->out.g1, &s->points, s->bits, e)
                             : msm_g2_select(x, &s->out.g2, &s->points, s->bits, e);
    return s->group == 1 ? msm_g1(x, &s->out.g1, &s->points, &s->scalars, e)
                         : msm_g2(x, &s->out.g2, &s->points, &s->scalars, e);
}

struct cpu_data {
    struct block logs, scalars, bits, points;
};

static void data_free(struct cpu_data *d)
{
    block_free(&d->logs);
    block_free(&d->scalars);
    block_free(&d->bits);
    block_free(&d->points);
}

/* n points, which are the multiples by logs of the generator. */
static cuzk_status make_points(struct kernels *k, unsigned group, void *out, const fr *logs, size_t n)
{
    cuzk_status status;
    if (group == 1) {
        struct g1_fixed *table = NULL;
        status = g1_fixed_new(&k->x, &table, &G1_GENERATOR, n, &k->e);
        if (status == CUZK_OK)
            status = g1_fixed_mul(&k->x, table, out, logs, n, &k->e);
        g1_fixed_free(table);
    } else {
        struct g2_fixed *table = NULL;
        status = g2_fixed_new(&k->x, &table, &G2_GENERATOR, n, &k->e);
        if (status == CUZK_OK)
            status = g2_fixed_mul(&k->x, table, out, logs, n, &k->e);
        g2_fixed_free(table);
    }
    return status;
}

static cuzk_status data_new(struct kernels *k, struct cpu_data *d, unsigned group, size_t n)
{
    *d = (struct cpu_data){0};
    const size_t size = group == 1 ? sizeof(g1_affine) : sizeof(g2_affine);
    cuzk_status status = block_new(&d->logs, k->x.budget, n, sizeof(fr), "logarithms", &k->e);
    if (status == CUZK_OK)
        status = block_new(&d->scalars, k->x.budget, n, sizeof(fr), "scalars", &k->e);
    if (status == CUZK_OK)
        status = block_new(&d->bits, k->x.budget, n / 64 + 1, 8, "bits", &k->e);
    if (status == CUZK_OK)
        status = block_new(&d->points, k->x.budget, n, size, "points", &k->e);
    if (status != CUZK_OK)
        return status;
    kernels_scalars(d->logs.ptr, n, false, 1);
    return make_points(k, group, d->points.ptr, d->logs.ptr, n);
}

static fr inner_product(const fr *a, const fr *b, size_t n)
{
    fr sum = FR_ZERO, term;
    for (size_t i = 0; i < n; i++) {
        fr_mul(&term, &a[i], &b[i]);
        fr_add(&sum, &sum, &term);
    }
    return sum;
}

static cuzk_status measure_sum(struct kernels *k, struct cpu_data *d, unsigned group, size_t n,
                               const char *kind)
{
    char name[32];
    fr *scalars = d->scalars.ptr;
    uint64_t *bits = d->bits.ptr;
    struct cpu_sum s = {.k = k,
                        .group = group,
                        .points = {.affine = d->points.ptr, .count = n},
                        .scalars = {.k = scalars, .count = n}};
    kernels_scalars(scalars, n, strcmp(kind, "uniform") != 0, 2);
    if (!strcmp(kind, "bits")) {
        s.bits = bits;
        memset(bits, 0, d->bits.size);
        for (size_t i = 0; i < n; i++) {
            const bool set = scalars[i].l[0] != 0;
            bits[i / 64] |= (uint64_t)set << i % 64;
            scalars[i] = set ? FR_ONE : FR_ZERO;
        }
    }
    snprintf(name, sizeof name, "g%u %s", group, kind);
    const cuzk_status status = kernels_measure(k, name, n, run_cpu_sum, &s);
    if (status != CUZK_OK)
        return status;
    const fr log = inner_product(scalars, d->logs.ptr, n);
    return kernels_check(k, group, &s.out, &log, &k->e);
}

static cuzk_status cpu_msm(struct kernels *k)
{
    static const char *const kinds[] = {"uniform", "witness", "bits"};
    cuzk_status status = CUZK_OK;
    for (unsigned group = 1; group <= 2; group++)
        for (unsigned log = k->min_log; kernels_group_wanted(k, group) && log <= k->max_log; log += 2) {
            struct cpu_data d;
            status = data_new(k, &d, group, (size_t)1 << log);
            for (size_t i = 0; status == CUZK_OK && i < 3; i++)
                if (kernels_scalars_wanted(k, kinds[i]))
                    status = measure_sum(k, &d, group, (size_t)1 << log, kinds[i]);
            data_free(&d);
            if (status != CUZK_OK)
                return status;
        }
    return status;
}

/* ---- transforms on the CPU ---- */

struct cpu_transform {
    const struct exec *x;
    const struct ntt_tables *tables;
    fr *a;
    unsigned log;
    void (*run)(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);
};

static cuzk_status run_transform(void *ctx)
{
    struct cpu_transform *t = ctx;
    t->run(t->x, t->tables, t->a, t->log);
    return CUZK_OK;
}

static cuzk_status cpu_ntt(struct kernels *k)
{
    static const struct {
        const char *name;
        void (*run)(const struct exec *x, const struct ntt_tables *t, fr *a, unsigned log);
    } transforms[] = {{"forward", ntt_forward}, {"inverse", ntt_inverse}, {"extend", ntt_extend}};
    struct ntt_tables *tables = NULL;
    struct block data = {0};
    cuzk_status status = ntt_tables_new(&k->x, &tables, k->max_log, &k->e);
    if (status == CUZK_OK)
        status = block_new(&data, k->x.budget, (size_t)1 << k->max_log, sizeof(fr), "values", &k->e);
    if (status == CUZK_OK)
        kernels_scalars(data.ptr, (size_t)1 << k->max_log, false, 1);
    for (unsigned log = k->min_log; status == CUZK_OK && log <= k->max_log; log += 2)
        for (size_t i = 0; status == CUZK_OK && i < ARRAY_LEN(transforms); i++) {
            struct cpu_transform t = {&k->x, tables, data.ptr, log, transforms[i].run};
            status = kernels_measure(k, transforms[i].name, UINT64_C(1) << log, run_transform, &t);
        }
    block_free(&data);
    ntt_tables_free(tables);
    return status;
}

/* ---- the commands ---- */

static void kernels_emit(const struct kernels *k, const char *command)
{
    struct emit e = {.f = stdout};
    bench_head(&e, command, k->o);
    emit_text(&e, "device", k->device);
    emit_text(&e, "cpu", cpu_variant_name(k->x.variant));
    emit_count(&e, "rounds", k->rounds);
    emit_count(&e, "reserved_peak_bytes", budget_peak(k->x.budget));
    emit_count(&e, "device_peak_bytes", k->device_peak);
    emit_open(&e, "results", '[');
    for (size_t i = 0; i < k->results; i++) {
        const struct kernel_result *r = &k->result[i];
        emit_open(&e, NULL, '{');
        emit_text(&e, "name", r->name);
        emit_count(&e, "n", r->n);
        emit_count(&e, "threads", r->threads);
        bench_stats(&e, "seconds", &r->seconds);
        emit_close(&e, '}');
    }
    emit_close(&e, ']');
    bench_tail(&e, k->watch);
}

static void kernels_print(const struct kernels *k)
{
    watch_stop(k->watch);
    printf("%s, %u threads (%s), %u rounds\n%-16s %12s %12s %12s %12s %10s\n", k->device,
           pool_threads(k->x.pool), cpu_variant_name(k->x.variant), k->rounds, "", "n", "least ms",
           "median ms", "p90 ms", "ns each");
    for (size_t i = 0; i < k->results; i++) {
        const struct kernel_result *r = &k->result[i];
        printf("%-16s %12" PRIu64 " %12.3f %12.3f %12.3f %10.2f\n", r->name, r->n, r->seconds.minimum * 1e3,
               r->seconds.median * 1e3, r->seconds.p90 * 1e3, r->seconds.minimum * 1e9 / (double)r->n);
    }
    printf("%.3f GiB anonymous at most", (double)watch_anonymous(k->watch) / 1073741824);
    if (k->device_peak)
        printf(", %.3f GiB of the device", (double)k->device_peak / 1073741824);
    putchar('\n');
}

/* Time for each element, over the sizes; a line for each kind of work. */
static cuzk_status kernels_draw(struct kernels *k, const char *command)
{
    struct plot_chart chart = {.title = "median time for each element",
                               .x_label = "size, as a power of two",
                               .y_label = "ns",
                               .x_from = k->min_log};
    double x[RESULTS_MAX], y[RESULTS_MAX];
    char title[160];
    size_t n = 0;
    for (size_t i = 0; i < k->results && chart.count < PLOT_LINES_MAX; i++) {
        const char *name = k->result[i].name;
        size_t seen = 0;
        while (strcmp(k->result[seen].name, name) != 0)
            seen++;
        if (seen < i)
            continue;
        struct plot_line *line = &chart.line[chart.count++];
        *line = (struct plot_line){.name = name, .x = x + n, .y = y + n};
        for (size_t j = i; j < k->results; j++) {
            const struct kernel_result *r = &k->result[j];
            if (strcmp(r->name, name) != 0)
                continue;
            x[n] = (double)__builtin_ctzll(r->n);
            y[n++] = r->seconds.median * 1e9 / (double)r->n;
            line->count++;
        }
    }
    snprintf(title, sizeof title, "cuzk-bench %s, %s", command, k->device);
    return plot_write(k->o->plot, title, &chart, 1, &k->e);
}

static enum exit_code run_kernels(const char *command, const struct options *o,
                                  cuzk_status (*cpu)(struct kernels *), cuzk_status (*gpu)(struct kernels *),
                                  unsigned max_log)
{
    static struct kernels k;
    k = (struct kernels){.o = o, .rounds = o->rounds ? o->rounds : 7, .device = "cpu"};
    k.min_log = o->min_log ? o->min_log : o->max_log && o->max_log < 16 ? o->max_log : 16;
    k.max_log = o->max_log ? o->max_log : o->min_log > 20 ? o->min_log : 20;
    if (k.min_log > k.max_log || k.max_log > max_log)
        return cli_misuse(NULL, "sizes are from --min-log (%u) to --max-log (%u), at most %u", k.min_log,
                          k.max_log, max_log);
    cuzk_status status = output_check(o->plot, false, &k.e);
    if (status != CUZK_OK)
        return bench_fail(o, status, &k.e);
    const bool on_gpu = o->device && !strncmp(o->device, "gpu", 3);
    bench_catch_signals();
    k.x.cancel = &bench_stop;
    k.watch = watch_start(getpid(), false);
    status = cpu_variant_parse(&k.x.variant, o->cpu ? o->cpu : "auto", &k.e);
    if (status == CUZK_OK)
        status = pool_new(&k.x.pool, o->threads, &k.e);
    if (status == CUZK_OK)
        status = budget_new(&k.x.budget, o->memory, &k.e);
    if (status == CUZK_OK)
        status = on_gpu ? gpu(&k) : cpu(&k);
    if (status == CUZK_OK && o->plot)
        status = kernels_draw(&k, command);
    enum exit_code code = EXIT_DONE;
    if (status == CUZK_OK && o->json)
        kernels_emit(&k, command);
    else if (status == CUZK_OK)
        kernels_print(&k);
    else
        code = bench_fail(o, status, &k.e);
    budget_free(k.x.budget);
    pool_free(k.x.pool);
    watch_free(k.watch);
    return code;
}

enum exit_code run_msm(const struct options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (o->scalars && strcmp(o->scalars, "uniform") != 0 && strcmp(o->scalars, "witness") != 0 &&
        strcmp(o->scalars, "bits") != 0)
        return cli_misuse(NULL, "--scalars: '%s' is none of uniform, witness, bits", o->scalars);
    return run_kernels("msm", o, cpu_msm, kernels_gpu_msm, 27);
}

enum exit_code run_ntt(const struct options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return run_kernels("ntt", o, cpu_ntt, kernels_gpu_ntt, NTT_MAX_LOG);
}

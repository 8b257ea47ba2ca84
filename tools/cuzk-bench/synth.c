/* cuzk-bench/synth.c - what comes before a partition's transforms: its witness, and its rows' values. Alone,
 * or two variants or builds against each other: each is a process of its own that measures once whenever it
 * is asked to, and they are asked in turn, so that what disturbs the machine disturbs both.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/timing.h"
#include "circuits/request.h"
#include "common/output.h"
#include "common/plot.h"
#include "cuzk-bench/bench.h"
#include "r1cs/rows.h"
#include "r1cs/witness_walk.h"

/* What a worker says when it is ready; a build of another protocol says something else. */
#define GREETING "cuzk-bench synth worker 1"

enum { STEP_WITNESS, STEP_ROWS, STEPS };
static const char *const step_names[STEPS + 1] = {"witness", "rows", "both"};

/* ---- the work ---- */

struct synth {
    struct exec x;
    struct poseidon_set *poseidon;
    struct request request;
    struct any_circuit blank, real;
    struct templates templates;
    struct block values; /* CHUNK for each thread */
};

/* Rows whose values are asked for together, as the transforms' first pass asks for a cache's worth. */
#define CHUNK ((size_t)8192)

static void synth_close(struct synth *j)
{
    templates_free(&j->templates);
    request_free(&j->request);
    block_free(&j->values);
    poseidon_set_free(j->poseidon);
    budget_free(j->x.budget);
    pool_free(j->x.pool);
}

static cuzk_status synth_open(struct synth *j, const struct options *o, const char *path,
                              struct cuzk_error *e)
{
    cuzk_status status = cpu_variant_parse(&j->x.variant, o->cpu ? o->cpu : "auto", e);
    if (status == CUZK_OK)
        status = pool_new(&j->x.pool, o->threads, e);
    if (status == CUZK_OK)
        status = budget_new(&j->x.budget, o->memory, e);
    if (status == CUZK_OK)
        status = poseidon_set_new(&j->poseidon, e);
    if (status == CUZK_OK)
        status = request_read(&j->x, &j->request, path, true, e);
    if (status == CUZK_OK)
        status = catalogue_blank(&j->blank, j->poseidon, request_circuit_name(&j->request), e);
    if (status == CUZK_OK)
        status = request_circuit(&j->real, j->poseidon, &j->request, o->partition, e);
    if (status == CUZK_OK)
        status = templates_record(&j->x, &j->templates, &j->blank.circuit, e);
    if (status == CUZK_OK)
        status = block_new(&j->values, j->x.budget, CHUNK * pool_threads(j->x.pool), sizeof(fr), "values", e);
    return status;
}

struct fill {
    const struct synth *j;
    const struct rows *rows;
};

/* Both sides of a chunk of rows. */
static void fill_chunk(void *ctx, size_t i, unsigned worker)
{
    const struct fill *f = ctx;
    fr *out = (fr *)f->j->values.ptr + CHUNK * worker;
    for (unsigned side = 0; side < 2; side++)
        rows_values(f->rows, side, (uint64_t)i * CHUNK, CHUNK, out);
}

static cuzk_status synth_once(struct synth *j, uint64_t ns[STEPS], struct cuzk_error *e)
{
    struct assignment witness = {0};
    struct rows rows = {0};
    uint64_t start = timing_now();
    cuzk_status status = witness_walk(&j->x, &witness, &j->templates, &j->real.circuit, e);
    ns[STEP_WITNESS] = timing_now() - start;
    start = timing_now();
    if (status == CUZK_OK)
        status = rows_bind(&j->x, &rows, &j->templates, &witness, e);
    struct fill fill = {.j = j, .rows = &rows};
    if (status == CUZK_OK)
        pool_run(j->x.pool, fill_chunk, &fill, (j->templates.counts.rows + CHUNK - 1) / CHUNK);
    ns[STEP_ROWS] = timing_now() - start;
    rows_free(&rows);
    assignment_free(&witness);
    return status;
}

/* The worker: greets, with the circuit, its rows and what computes them; then answers each line with the
 * times of one run. */
static enum exit_code work(const struct options *o, const char *path)
{
    struct synth j = {0};
    struct cuzk_error e = {0};
    uint64_t ns[STEPS];
    char line[16];
    cuzk_status status = synth_open(&j, o, path, &e);
    if (status == CUZK_OK)
        status = synth_once(&j, ns, &e); /* not counted */
    if (status == CUZK_OK)
        printf(GREETING "\n%s %" PRIu64 " %u %s %s\n", request_circuit_name(&j.request),
               j.templates.counts.rows, pool_threads(j.x.pool), cpu_variant_name(j.x.variant),
               cuzk_version());
    while (status == CUZK_OK && fflush(stdout) == 0 && fgets(line, sizeof line, stdin)) {
        status = synth_once(&j, ns, &e);
        if (status == CUZK_OK)
            printf("%" PRIu64 " %" PRIu64 "\n", ns[STEP_WITNESS], ns[STEP_ROWS]);
    }
    synth_close(&j);
    return status == CUZK_OK ? EXIT_DONE : bench_fail(o, status, &e);
}

/* ---- arms: workers and what they measured ---- */

struct arm {
    const char *program, *cpu; /* cpu NULL: the program's choice */
    pid_t pid;
    FILE *to, *from;
    char circuit[32], variant[16], version[32];
    uint64_t rows;
    struct watch *watch;
    unsigned threads;
    double *seconds[STEPS + 1];
};

static cuzk_status arm_lost(const struct arm *a, struct cuzk_error *e)
{
    return error_set(e, CUZK_ERR_IO, "%s measures no more (its errors stand above)", a->program);
}

static void arm_exec(const struct arm *a, const struct options *o, const char *path)
{
    char threads[16], partition[16], memory[32];
    const char *argv[16];
    unsigned n = 0;
    snprintf(threads, sizeof threads, "%u", o->threads);
    snprintf(partition, sizeof partition, "%u", o->partition);
    snprintf(memory, sizeof memory, "%" PRIu64, o->memory);
    argv[n++] = a->program;
    argv[n++] = "synth-only";
    argv[n++] = "--worker";
    argv[n++] = "--partition";
    argv[n++] = partition;
    if (o->threads) {
        argv[n++] = "--threads";
        argv[n++] = threads;
    }
    if (o->memory) {
        argv[n++] = "--memory";
        argv[n++] = memory;
    }
    if (a->cpu) {
        argv[n++] = "--cpu";
        argv[n++] = a->cpu;
    }
    argv[n++] = "--";
    argv[n++] = path;
    argv[n] = NULL;
    execvp(a->program, (char *const *)(uintptr_t)argv);
}

static cuzk_status arm_start(struct arm *a, const struct options *o, const char *path, struct cuzk_error *e)
{
    int in[2], out[2] = {-1, -1};
    if (pipe2(in, O_CLOEXEC) != 0)
        return error_set(e, CUZK_ERR_IO, "a pipe: %s", strerror(errno));
    if (pipe2(out, O_CLOEXEC) != 0 || (a->pid = fork()) < 0) {
        close(in[0]);
        close(in[1]);
        return error_set(e, CUZK_ERR_IO, "a process: %s", strerror(errno));
    }
    if (a->pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        arm_exec(a, o, path);
        fprintf(stderr, "cuzk-bench: %s: %s\n", a->program, strerror(errno));
        _exit(EXIT_SYSTEM);
    }
    close(in[0]);
    close(out[1]);
    a->to = fdopen(in[1], "w");
    a->from = fdopen(out[0], "r");
    return a->to && a->from ? CUZK_OK : error_set(e, CUZK_ERR_MEMORY, "out of memory");
}

static cuzk_status arm_greet(struct arm *a, struct cuzk_error *e)
{
    char line[256];
    if (!fgets(line, sizeof line, a->from))
        return arm_lost(a, e);
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, GREETING) != 0)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "%s is no program to measure against", a->program);
    if (!fgets(line, sizeof line, a->from) || sscanf(line, "%31s %" SCNu64 " %u %15s %31s", a->circuit,
                                                     &a->rows, &a->threads, a->variant, a->version) != 5)
        return arm_lost(a, e);
    a->watch = watch_start(a->pid, false);
    return CUZK_OK;
}

static cuzk_status arm_measure(struct arm *a, unsigned round, struct cuzk_error *e)
{
    uint64_t ns[STEPS];
    char line[128];
    if (fputs("go\n", a->to) < 0 || fflush(a->to) != 0 || !fgets(line, sizeof line, a->from) ||
        sscanf(line, "%" SCNu64 " %" SCNu64, &ns[STEP_WITNESS], &ns[STEP_ROWS]) != 2)
        return bench_stop ? error_set(e, CUZK_ERR_CANCELLED, "stopped") : arm_lost(a, e);
    a->seconds[STEPS][round] = 0;
    for (unsigned k = 0; k < STEPS; k++) {
        a->seconds[k][round] = (double)ns[k] * 1e-9;
        a->seconds[STEPS][round] += a->seconds[k][round];
    }
    return CUZK_OK;
}

static void arm_end(struct arm *a)
{
    watch_free(a->watch);
    if (a->to)
        fclose(a->to); /* which ends it */
    if (a->from)
        fclose(a->from);
    if (a->pid > 0)
        (void)waitpid(a->pid, NULL, 0);
    for (unsigned k = 0; k <= STEPS; k++)
        free(a->seconds[k]);
}

/* ---- the comparison ---- */

#define ARMS 2

struct trial {
    const struct options *o;
    struct arm arm[ARMS];
    unsigned arms, rounds;
    char cpus[64]; /* --cpu, cut at the comma */
    char self[4096];
};

static cuzk_status trial_plan(struct trial *t, const struct options *o, struct cuzk_error *e)
{
    t->o = o;
    t->rounds = o->rounds ? o->rounds : 15;
    t->arms = 1;
    const ssize_t n = readlink("/proc/self/exe", t->self, sizeof t->self - 1);
    if (n <= 0)
        return error_set(e, CUZK_ERR_IO, "/proc/self/exe: %s", strerror(errno));
    t->arm[0].program = t->self;
    snprintf(t->cpus, sizeof t->cpus, "%s", o->cpu ? o->cpu : "");
    char *comma = strchr(t->cpus, ',');
    if (comma)
        *comma = 0;
    t->arm[0].cpu = *t->cpus ? t->cpus : NULL;
    if (o->against || comma) {
        t->arms = 2;
        t->arm[1].program = o->against ? o->against : t->self;
        t->arm[1].cpu = comma ? comma + 1 : t->arm[0].cpu;
    }
    for (unsigned i = 0; i < t->arms; i++)
        for (unsigned k = 0; k <= STEPS; k++)
            if (!(t->arm[i].seconds[k] = calloc(t->rounds, sizeof(double))))
                return error_set(e, CUZK_ERR_MEMORY, "out of memory");
    return CUZK_OK;
}

/* In turn, and who begins changes: A B, B A, A B... */
static cuzk_status trial_run(struct trial *t, const char *path, struct cuzk_error *e)
{
    struct progress progress;
    cuzk_status status = CUZK_OK;
    progress_init(&progress, !t->o->quiet);
    for (unsigned i = 0; status == CUZK_OK && i < t->arms; i++) {
        status = arm_start(&t->arm[i], t->o, path, e);
        if (status == CUZK_OK)
            status = arm_greet(&t->arm[i], e);
    }
    if (status == CUZK_OK && t->arms == 2 && strcmp(t->arm[0].circuit, t->arm[1].circuit) != 0)
        status = error_set(e, CUZK_ERR_MISMATCH, "the two measure different circuits");
    for (unsigned round = 0; status == CUZK_OK && round < t->rounds; round++) {
        progress_update(&progress, "rounds", round, t->rounds);
        for (unsigned i = 0; status == CUZK_OK && i < t->arms; i++)
            status = arm_measure(&t->arm[(i + round) % t->arms], round, e);
    }
    progress_clear(&progress);
    for (unsigned i = 0; i < t->arms; i++)
        watch_stop(t->arm[i].watch);
    return status;
}

static struct comparison compare_step(const struct trial *t, unsigned step)
{
    double *ratios = calloc(t->rounds, sizeof *ratios);
    struct comparison c = {.ratio = 1};
    if (ratios)
        c = stats_compare(t->arm[0].seconds[step], t->arm[1].seconds[step], t->rounds, ratios);
    free(ratios);
    return c;
}

static void trial_emit(struct trial *t)
{
    struct emit e = {.f = stdout};
    struct comparison c[STEPS + 1];
    for (unsigned k = 0; k <= STEPS && t->arms == 2; k++)
        c[k] = compare_step(t, k); /* before the rows are sorted */
    bench_head(&e, "synth-only", t->o);
    emit_text(&e, "circuit", t->arm[0].circuit);
    emit_count(&e, "rows", t->arm[0].rows);
    emit_count(&e, "rounds", t->rounds);
    emit_open(&e, "arms", '[');
    for (unsigned i = 0; i < t->arms; i++) {
        emit_open(&e, NULL, '{');
        emit_text(&e, "program", t->arm[i].program);
        emit_text(&e, "program_version", t->arm[i].version);
        emit_text(&e, "cpu", t->arm[i].variant);
        emit_count(&e, "threads", t->arm[i].threads);
        for (unsigned k = 0; k <= STEPS; k++) {
            const struct stats s = stats_of(t->arm[i].seconds[k], t->rounds);
            bench_stats(&e, step_names[k], &s);
        }
        emit_count(&e, "peak_anonymous_bytes", watch_anonymous(t->arm[i].watch));
        emit_close(&e, '}');
    }
    emit_close(&e, ']');
    emit_open(&e, "comparison", '{');
    for (unsigned k = 0; k <= STEPS && t->arms == 2; k++) {
        emit_open(&e, step_names[k], '{');
        emit_text(&e, "verdict", verdict_name(c[k].verdict));
        emit_number(&e, "ratio", c[k].ratio);
        emit_number(&e, "low", c[k].low);
        emit_number(&e, "high", c[k].high);
        emit_close(&e, '}');
    }
    emit_close(&e, '}');
    bench_tail(&e, NULL);
}

static void trial_print(struct trial *t)
{
    struct comparison c[STEPS + 1];
    for (unsigned k = 0; k <= STEPS && t->arms == 2; k++)
        c[k] = compare_step(t, k);
    printf("%s: %" PRIu64 " rows, %u rounds\n", t->arm[0].circuit, t->arm[0].rows, t->rounds);
    for (unsigned i = 0; i < t->arms; i++) {
        printf("%c: %s %s, %s, %u threads, %.3f GiB anonymous\n", (int)('A' + i), t->arm[i].program,
               t->arm[i].version, t->arm[i].variant, t->arm[i].threads,
               (double)watch_anonymous(t->arm[i].watch) / 1073741824);
        for (unsigned k = 0; k <= STEPS; k++) {
            const struct stats s = stats_of(t->arm[i].seconds[k], t->rounds);
            printf("   %-8s median %9.3f ms, least %9.3f ms, spread %4.1f %%\n", step_names[k],
                   s.median * 1e3, s.minimum * 1e3, 100 * s.spread);
        }
    }
    for (unsigned k = 0; k <= STEPS && t->arms == 2; k++) {
        printf("B against A, %-8s %s: %+.2f %%", step_names[k], verdict_name(c[k].verdict),
               100 * (c[k].ratio - 1));
        if (t->rounds >= 6)
            printf(", between %+.2f and %+.2f %% (95 %%)", 100 * (c[k].low - 1), 100 * (c[k].high - 1));
        putchar('\n');
    }
    if (t->arms == 2 && t->rounds < 6)
        printf("fewer than 6 rounds tell no difference from noise\n");
}

/* Each round's times, a chart for each step. */
static cuzk_status trial_draw(const struct trial *t, const char *path, struct cuzk_error *e)
{
    struct plot_chart charts[STEPS + 1];
    char title[64];
    double *x = calloc((size_t)t->rounds * (1 + ARMS * (STEPS + 1)), sizeof *x);
    if (!x)
        return error_set(e, CUZK_ERR_MEMORY, "out of memory for the plot");
    double *y = x + t->rounds;
    for (unsigned i = 0; i < t->rounds; i++)
        x[i] = i + 1;
    for (unsigned k = 0; k <= STEPS; k++) {
        charts[k] = (struct plot_chart){
            .title = step_names[k], .x_label = "round", .y_label = "ms", .count = t->arms};
        for (unsigned arm = 0; arm < t->arms; arm++, y += t->rounds) {
            for (unsigned i = 0; i < t->rounds; i++)
                y[i] = t->arm[arm].seconds[k][i] * 1e3;
            charts[k].line[arm] =
                (struct plot_line){.name = arm ? "B" : "A", .x = x, .y = y, .count = t->rounds};
        }
    }
    snprintf(title, sizeof title, "cuzk-bench synth-only, %s", t->arm[0].circuit);
    const cuzk_status status = plot_write(path, title, charts, STEPS + 1, e);
    free(x);
    return status;
}

enum exit_code run_synth(const struct options *o, int argc, char **argv)
{
    (void)argc;
    static struct trial t;
    struct cuzk_error e = {0};
    if (o->worker)
        return work(o, argv[0]);
    bench_catch_signals();
    cuzk_status status = output_check(o->plot, false, &e);
    if (status == CUZK_OK)
        status = trial_plan(&t, o, &e);
    if (status == CUZK_OK)
        status = trial_run(&t, argv[0], &e);
    if (status == CUZK_OK && o->plot) /* before reports sort the rounds */
        status = trial_draw(&t, o->plot, &e);
    if (status == CUZK_OK)
        (o->json ? trial_emit : trial_print)(&t);
    for (unsigned i = 0; i < t.arms; i++)
        arm_end(&t.arm[i]);
    return status == CUZK_OK ? EXIT_DONE : bench_fail(o, status, &e);
}

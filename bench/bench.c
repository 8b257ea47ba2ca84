/* bench/bench.c - see bench.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_REPS 10000

static void usage(FILE *to, const char *program)
{
    fprintf(
        to,
        "usage: %s [options]\n"
        "Prints one JSON object a line for each measurement.\n"
        "  --commit NAME   the commit to report\n"
        "  --cpu NAME      arithmetic: portable, adx, ifma or auto (default: each where that is measured)\n"
        "  --threads N     threads\n"
        "  --reps N        repetitions, at most %d\n"
        "  --min-log N     smallest size, as a power of two\n"
        "  --max-log N     largest size\n"
        "  --only TEXT     only measurements whose name contains TEXT\n"
        "example: %s --cpu auto --threads 1 --only forward\n",
        program, MAX_REPS, program);
}

static bool parse_unsigned(unsigned *out, const char *text, unsigned max)
{
    char *end;
    errno = 0;
    const unsigned long v = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || v > max)
        return false;
    *out = (unsigned)v;
    return true;
}

static void read_cpu_model(char *out, size_t size)
{
    snprintf(out, size, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (!f)
        return;
    char line[256];
    while (fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    fclose(f);
}

static bool parse_option(struct bench *b, const char *key, const char *value)
{
    if (strcmp(key, "--commit") == 0) {
        b->commit = value;
        return true;
    }
    if (strcmp(key, "--only") == 0) {
        b->filter = value;
        return true;
    }
    if (strcmp(key, "--cpu") == 0) {
        b->variant_given = true;
        return cpu_variant_parse(&b->variant, value, NULL) == CUZK_OK;
    }
    if (strcmp(key, "--threads") == 0)
        return parse_unsigned(&b->threads, value, 4096);
    if (strcmp(key, "--reps") == 0)
        return parse_unsigned(&b->reps, value, MAX_REPS);
    if (strcmp(key, "--min-log") == 0)
        return parse_unsigned(&b->min_log, value, 40);
    if (strcmp(key, "--max-log") == 0)
        return parse_unsigned(&b->max_log, value, 40);
    return false;
}

enum bench_start bench_start(struct bench *b, int argc, char **argv)
{
    *b = (struct bench){.commit = "", .filter = "", .variant = cpu_best()};
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            usage(stdout, argv[0]);
            return BENCH_HELP;
        }
        if (i + 1 == argc || !parse_option(b, argv[i], argv[i + 1])) {
            fprintf(stderr, "%s: cannot use %s %s\n", argv[0], argv[i], i + 1 == argc ? "" : argv[i + 1]);
            usage(stderr, argv[0]);
            return BENCH_MISUSE;
        }
    }
    read_cpu_model(b->cpu_model, sizeof b->cpu_model);
    return BENCH_GO;
}

int bench_exit(enum bench_start start)
{
    return start == BENCH_MISUSE ? 2 : 0;
}

static double now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_string(const char *key, const char *value)
{
    printf("\"%s\":\"", key);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            putchar('\\');
        if ((unsigned char)*value >= ' ')
            putchar(*value);
    }
    printf("\",");
}

double bench_run(const struct bench *b, const char *name, uint64_t n, unsigned threads, unsigned reps,
                 void (*prepare)(void *ctx), void (*fn)(void *ctx), void *ctx)
{
    if (!strstr(name, b->filter))
        return 0;
    if (b->reps)
        reps = b->reps;
    if (reps == 0 || reps > MAX_REPS)
        reps = 1;
    double *time = calloc(reps, sizeof *time);
    if (!time) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    double cpu_minimum = 0;
    for (unsigned i = 0; i <= reps; i++) {
        if (prepare)
            prepare(ctx);
        const double start = now_ns(CLOCK_MONOTONIC), cpu_start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        fn(ctx);
        const double cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
        if (i > 0)
            time[i - 1] = now_ns(CLOCK_MONOTONIC) - start;
        if (i == 0 || cpu < cpu_minimum)
            cpu_minimum = cpu;
    }
    qsort(time, reps, sizeof *time, compare_doubles);
    const double minimum = time[0], median = time[reps / 2], p90 = time[(reps * 9 - 1) / 10];
    free(time);
    putchar('{');
    print_string("name", name);
    print_string("variant", cpu_variant_name(b->variant));
    printf("\"n\":%llu,\"threads\":%u,\"reps\":%u,\"min_ns\":%.0f,\"median_ns\":%.0f,\"p90_ns\":%.0f,"
           "\"min_ns_per_element\":%.2f,\"cpu_min_ns\":%.0f,",
           (unsigned long long)n, threads, reps, minimum, median, p90, minimum / (double)(n ? n : 1),
           cpu_minimum);
    print_string("cpu", b->cpu_model);
    print_string("commit", b->commit);
    printf("\"version\":\"%s\"}\n", CUZK_VERSION);
    fflush(stdout);
    return minimum;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

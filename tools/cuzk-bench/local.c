/* cuzk-bench/local.c - commands over the public interface: whole partitions, sectors, setups; inputs.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuzk-bench/bench.h"

/* ---- proofs ---- */

struct proving {
    struct session s;
    cuzk_srs *srs;
    cuzk_request *request;
    const char *path;
    unsigned first, count, rounds;
    uint8_t *proofs;
    double *seconds; /* of each round */
    double srs_opening;
};

static cuzk_status proving_open(struct proving *p, const struct options *o, const char *path, bool all)
{
    p->path = path;
    cuzk_status status = session_open(&p->s, o);
    if (status == CUZK_OK)
        status = cuzk_request_open(p->s.context, &p->request, path, 0, &p->s.error);
    if (status != CUZK_OK)
        return status;
    const unsigned partitions = cuzk_request_partitions(p->request);
    p->first = all ? 0 : o->partition;
    p->count = all ? partitions : 1;
    p->rounds = o->rounds ? o->rounds : 3;
    if (p->first >= partitions) {
        snprintf(p->s.error.message, sizeof p->s.error.message, "there is no partition %u: %s has %u",
                 p->first, path, partitions);
        return CUZK_ERR_ARGUMENT;
    }
    p->proofs = calloc(p->count, CUZK_PROOF_BYTES);
    p->seconds = calloc(p->rounds, sizeof *p->seconds);
    if (!p->proofs || !p->seconds)
        return CUZK_ERR_MEMORY;
    const double start = now_seconds();
    status = cuzk_srs_open(p->s.context, &p->srs, o->srs, &p->s.error);
    p->srs_opening = now_seconds() - start;
    return status;
}

static enum exit_code proving_close(struct proving *p, cuzk_status status)
{
    cuzk_srs_free(p->srs);
    cuzk_request_free(p->request);
    free(p->proofs);
    free(p->seconds);
    return session_close(&p->s, status);
}

/* A sector's round begins with its request's bytes, which the system holds in memory; a partition's with the
 * request opened. */
static cuzk_status prove_round(struct proving *p, bool reopen)
{
    cuzk_status status = CUZK_OK;
    if (reopen) {
        cuzk_request_free(p->request);
        p->request = NULL;
        status = cuzk_request_open(p->s.context, &p->request, p->path, 0, &p->s.error);
    }
    if (status == CUZK_OK)
        status = cuzk_prove_partitions(p->s.context, p->request, p->srs, p->first, p->count, NULL, p->proofs,
                                       NULL, &p->s.error);
    return status;
}

/* The first round fills caches and device memory and is told apart. */
static cuzk_status prove_rounds(struct proving *p, bool reopen, double *first)
{
    double start = now_seconds();
    cuzk_status status = prove_round(p, reopen);
    *first = now_seconds() - start;
    session_phases_end(&p->s, true);
    for (unsigned i = 0; status == CUZK_OK && i < p->rounds; i++) {
        start = now_seconds();
        status = prove_round(p, reopen);
        p->seconds[i] = now_seconds() - start;
        session_phases_end(&p->s, false);
    }
    return status;
}

static enum exit_code run_proving(const char *command, const struct options *o, const char *path, bool all)
{
    struct proving p = {0};
    double first = 0;
    cuzk_status status = proving_open(&p, o, path, all);
    if (status == CUZK_OK)
        status = prove_rounds(&p, all, &first);
    if (status != CUZK_OK)
        return proving_close(&p, status);
    progress_clear(&p.s.progress);
    const struct stats s = stats_of(p.seconds, p.rounds);
    if (o->json) {
        struct emit e = {.f = stdout};
        bench_head(&e, command, o);
        emit_text(&e, "circuit", cuzk_request_circuit(p.request));
        emit_count(&e, "partitions", p.count);
        emit_number(&e, "parameters_s", p.srs_opening);
        emit_number(&e, "first_s", first);
        bench_stats(&e, "seconds", &s);
        session_phases_emit(&e, &p.s, p.rounds);
        session_emit(&e, &p.s);
        bench_tail(&e, p.s.watch);
    } else {
        printf(
            "%s: %u partition%s proved and verified in %.3f s (median of %u; least %.3f, spread %.1f %%)\n",
            cuzk_request_circuit(p.request), p.count, p.count == 1 ? "" : "s", s.median, p.rounds, s.minimum,
            100 * s.spread);
        printf("  parameters opened in %.3f s; the first round took %.3f s\n", p.srs_opening, first);
        session_phases_print(&p.s, p.rounds);
        session_print(&p.s);
    }
    return proving_close(&p, status);
}

enum exit_code run_partition(const struct options *o, int argc, char **argv)
{
    (void)argc;
    return run_proving("partition", o, argv[0], false);
}

enum exit_code run_sector(const struct options *o, int argc, char **argv)
{
    (void)argc;
    return run_proving("sector", o, argv[0], true);
}

/* ---- setup ---- */

static cuzk_status setup_rounds(struct session *s, const char *circuit, const char *prefix, double *seconds,
                                unsigned rounds)
{
    const uint64_t seed = s->o->has_seed ? s->o->seed : 1;
    cuzk_status status = CUZK_OK;
    for (unsigned i = 0; status == CUZK_OK && i < rounds; i++) {
        const double start = now_seconds();
        status = cuzk_setup_folded(s->context, circuit, prefix, true, &seed, &s->error);
        seconds[i] = now_seconds() - start;
        session_phases_end(s, false);
    }
    return status;
}

/* The size of PREFIX.srs; it and its stamp are removed unless they were asked for. */
static uint64_t setup_file(const char *prefix, bool keep)
{
    static const char *const endings[] = {".srs", ".srs.checked"};
    char path[4096];
    struct stat st = {0};
    uint64_t size = 0;
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s", prefix, endings[i]);
        if (i == 0 && stat(path, &st) == 0)
            size = (uint64_t)st.st_size;
        if (!keep)
            (void)unlink(path);
    }
    return size;
}

enum exit_code run_setup(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    char folder[48], prefix[96];
    const unsigned rounds = o->rounds ? o->rounds : 1;
    double *seconds = calloc(rounds, sizeof *seconds);
    snprintf(folder, sizeof folder, "/tmp/cuzk-bench-%ld-XXXXXX", (long)getpid());
    cuzk_status status = session_open(&s, o);
    if (!seconds)
        status = CUZK_ERR_MEMORY;
    if (status == CUZK_OK && !o->out && !mkdtemp(folder)) {
        snprintf(s.error.message, sizeof s.error.message, "%s: %s", folder, strerror(errno));
        status = CUZK_ERR_IO;
    }
    snprintf(prefix, sizeof prefix, "%s/%.40s", folder, argv[0]);
    const char *at = o->out ? o->out : prefix;
    if (status == CUZK_OK)
        status = setup_rounds(&s, argv[0], at, seconds, rounds);
    const uint64_t size = setup_file(at, o->out != NULL);
    if (!o->out)
        (void)rmdir(folder);
    if (status == CUZK_OK) {
        progress_clear(&s.progress);
        const struct stats of = stats_of(seconds, rounds);
        if (o->json) {
            struct emit e = {.f = stdout};
            bench_head(&e, "setup", o);
            emit_text(&e, "circuit", argv[0]);
            emit_count(&e, "file_bytes", size);
            bench_stats(&e, "seconds", &of);
            session_phases_emit(&e, &s, rounds);
            session_emit(&e, &s);
            bench_tail(&e, s.watch);
        } else {
            printf("%s: folded parameters of %.1f MiB in %.3f s (median of %u)\n", argv[0],
                   (double)size / 1048576, of.median, rounds);
            session_phases_print(&s, rounds);
            session_print(&s);
        }
    }
    free(seconds);
    return session_close(&s, status);
}

/* ---- inputs ---- */

enum exit_code run_gen(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    cuzk_status status = session_open(&s, o);
    if (status == CUZK_OK)
        status = cuzk_generate(s.context, argv[0], argv[1], o->seed, o->sectors, o->out, &s.error);
    if (status == CUZK_OK) {
        progress_clear(&s.progress);
        const double spent = now_seconds() - s.start;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s-%s-%llu.meta.json", o->out, argv[0], argv[1],
                 (unsigned long long)o->seed);
        if (o->json) {
            struct emit e = {.f = stdout};
            emit_open(&e, NULL, '{');
            emit_text(&e, "request", path);
            emit_number(&e, "seconds", spent);
            emit_close(&e, '}');
            putchar('\n');
        } else {
            printf("%s and what it names, in %.1f s\n", path, spent);
        }
    }
    return session_close(&s, status);
}

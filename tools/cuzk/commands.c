/* cuzk/commands.c - what each command does, over the public interface.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuzk/cuzk.h>

#include "common/emit.h"
#include "common/output.h"
#include "common/progress.h"
#include "cuzk/cli.h"

/* Set by SIGINT and SIGTERM; the running call sees it and cleans up. */
static volatile int stop_asked;

static void on_signal(int signal)
{
    (void)signal;
    stop_asked = 1;
}

/* A mapped file was shortened, or its disk failed: there is nothing to go on with. Outputs have no name yet.
 */
static void on_bus_error(int signal)
{
    static const char text[] = "cuzk: an input file was cut short or could not be read while it was in use\n";
    (void)signal;
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* there is nobody else to tell */
    _exit(EXIT_SYSTEM);
}

/* One command's run: its context, its progress line, its last error. */
struct session {
    const struct options *o;
    cuzk_context *context;
    struct progress progress;
    struct cuzk_error error;
    double start;
    bool reported; /* something went to standard output */
};

/* Report a failure and give its exit code. */
static enum exit_code fail(struct session *s, cuzk_status status)
{
    progress_clear(&s->progress);
    const char *message = s->error.message[0] ? s->error.message : cuzk_status_name(status);
    fprintf(stderr, "cuzk: %s\n", message);
    if (strstr(message, "memory budget"))
        fputs(s->o->memory
                  ? "cuzk: --memory sets this limit\n"
                  : "cuzk: this limit is what the machine, the cgroup and the memory nodes have; --memory "
                    "sets another\n",
              stderr);
    if (s->o->json) {
        printf("{\"error\": ");
        emit_string(stdout, cuzk_status_name(status));
        printf(", \"message\": ");
        emit_string(stdout, message);
        printf("}\n");
    }
    return exit_code_of(status);
}

static cuzk_status session_open(struct session *s, const struct options *o)
{
    *s = (struct session){.o = o, .start = now_seconds()};
    progress_init(&s->progress, !o->quiet);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGBUS, on_bus_error);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit then shows as a failed write */
    const struct cuzk_options options = {
        .threads = o->threads,
        .cpu = o->cpu,
        .memory_limit = o->memory,
        .device = o->device,
        .device_memory_limit = o->device_memory,
        .progress = progress_update,
        .progress_user = &s->progress,
        .cancel = &stop_asked,
    };
    return cuzk_context_new(&s->context, &options, &s->error);
}

static void session_close(struct session *s)
{
    progress_clear(&s->progress);
    cuzk_context_free(s->context);
}

/* What was printed must have arrived. */
static enum exit_code finish_output(struct session *s, enum exit_code code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "cuzk: standard output: %s\n", strerror(errno));
        code = code == EXIT_DONE ? EXIT_SYSTEM : code;
    }
    session_close(s);
    return code;
}

static void print_facts(struct session *s)
{
    printf(", \"seconds\": %.3f, \"threads\": %u, \"cpu\": \"%s\", \"reserved_peak_bytes\": %" PRIu64,
           now_seconds() - s->start, cuzk_context_threads(s->context), cuzk_context_cpu(s->context),
           cuzk_context_memory_peak(s->context));
}

/* The output is none of these files (NULL: not given), which are still needed. */
static cuzk_status check_not_input(const char *out, const char *const *inputs, size_t count,
                                   struct cuzk_error *e)
{
    struct stat to, from;
    if (stat(out, &to) != 0 || !S_ISREG(to.st_mode))
        return CUZK_OK;
    for (size_t i = 0; i < count; i++)
        if (inputs[i] && stat(inputs[i], &from) == 0 && to.st_dev == from.st_dev &&
            to.st_ino == from.st_ino) {
            snprintf(e->message, sizeof e->message, "--out %.200s is also read from: name another file", out);
            return CUZK_ERR_ARGUMENT;
        }
    return CUZK_OK;
}

static cuzk_status setup(struct session *s, const char *circuit)
{
    const struct options *o = s->o;
    const uint64_t *seed = o->has_insecure_seed ? &o->insecure_seed : NULL;
    if (o->folded || o->only_folded)
        return cuzk_setup_folded(s->context, circuit, o->out, o->only_folded, seed, &s->error);
    return cuzk_setup(s->context, circuit, o->out, seed, &s->error);
}

/* Is a GPU asked for by name? */
static bool wants_gpu(const struct options *o)
{
    return o->device && strncmp(o->device, "gpu", 3) == 0;
}

static enum exit_code run_setup(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    cuzk_status status = session_open(&s, o);
    if (status == CUZK_OK)
        status = output_check(o->out, true, &s.error);
    if (status == CUZK_OK)
        status = setup(&s, argv[0]);
    enum exit_code code = EXIT_DONE;
    if (status != CUZK_OK) {
        code = fail(&s, status);
    } else {
        progress_clear(&s.progress);
        if (o->json) {
            printf("{\"circuit\": ");
            emit_string(stdout, argv[0]);
            printf(", \"prefix\": ");
            emit_string(stdout, o->out);
            print_facts(&s);
            printf("}\n");
        } else {
            if (o->only_folded)
                printf("%s.srs", o->out);
            else
                printf("%s.params%s and %s.vk", o->out, o->folded ? ", .srs" : "", o->out);
            printf(" written in %.1f s\n", now_seconds() - s.start);
        }
    }
    return finish_output(&s, code);
}

/* What is proved from: folded parameters if there are any. */
struct keys {
    cuzk_params *params;
    cuzk_srs *srs;
};

static void keys_free(struct keys *k)
{
    cuzk_srs_free(k->srs);
    cuzk_params_free(k->params);
}

/* X.srs of X.params if there is such a file, NULL if not; to be freed. */
static char *folded_beside(const char *params)
{
    static const char suffix[] = ".params";
    size_t n = strlen(params);
    if (n >= sizeof suffix && !strcmp(params + n - (sizeof suffix - 1), suffix))
        n -= sizeof suffix - 1;
    char *path = malloc(n + sizeof ".srs");
    if (!path)
        return NULL;
    memcpy(path, params, n);
    strcpy(path + n, ".srs");
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static cuzk_status keys_open(struct session *s, struct keys *k)
{
    const struct options *o = s->o;
    char *beside = o->params && !o->srs && !o->unfolded ? folded_beside(o->params) : NULL;
    const char *folded = o->unfolded ? NULL : beside ? beside : o->srs;
    cuzk_status status = CUZK_OK;
    if (o->params)
        status = cuzk_params_open(s->context, &k->params, o->params, &s->error);
    if (status == CUZK_OK && folded)
        status = cuzk_srs_open(s->context, &k->srs, folded, &s->error);
    if (status == CUZK_OK && k->srs && k->params)
        status = cuzk_srs_belongs(k->srs, k->params, &s->error);
    free(beside);
    return status;
}

/* Prove the partitions [first, first + count) into proofs. */
static cuzk_status prove_partitions(struct session *s, const cuzk_request *request, const struct keys *keys,
                                    unsigned first, unsigned count, uint8_t *proofs, double *seconds)
{
    const struct options *o = s->o;
    const uint64_t *seed = o->has_insecure_rs_seed ? &o->insecure_rs_seed : NULL;
    unsigned devices = 0;
    if (keys->srs) {
        const cuzk_status status = cuzk_context_devices(s->context, &devices, &s->error);
        if (status != CUZK_OK)
            return status;
    }
    if (devices > 0)
        return cuzk_prove_partitions(s->context, request, keys->srs, first, count, seed, proofs, seconds,
                                     &s->error);
    for (unsigned i = 0; i < count; i++) {
        char prefix[64] = "";
        if (count > 1)
            snprintf(prefix, sizeof prefix, "partition %u of %u: ", i + 1, count);
        s->progress.prefix = prefix;
        const double start = now_seconds();
        uint8_t *proof = proofs + (size_t)i * CUZK_PROOF_BYTES;
        const cuzk_status status =
            keys->srs ? cuzk_prove_folded(s->context, request, keys->srs, first + i, seed, proof, &s->error)
                      : cuzk_prove(s->context, request, keys->params, first + i, seed, proof, &s->error);
        s->progress.prefix = "";
        if (status != CUZK_OK)
            return status;
        seconds[i] = now_seconds() - start;
    }
    return CUZK_OK;
}

/* The partitions that the command line asks for. */
static cuzk_status choose_partitions(struct session *s, const cuzk_request *request, unsigned *first,
                                     unsigned *count)
{
    const unsigned all = cuzk_request_partitions(request);
    if (s->o->has_partition && s->o->partition >= all) {
        snprintf(s->error.message, sizeof s->error.message,
                 "there is no partition %u: %s has %u, counted from 0", s->o->partition,
                 cuzk_request_circuit(request), all);
        return CUZK_ERR_ARGUMENT;
    }
    *first = s->o->has_partition ? s->o->partition : 0;
    *count = s->o->has_partition ? 1 : all;
    return CUZK_OK;
}

static void report_proof(struct session *s, const char *circuit, bool folded, unsigned first, unsigned count,
                         const double *seconds, double cpu_seconds)
{
    progress_clear(&s->progress);
    if (!s->o->json) {
        for (unsigned i = 0; i < count; i++)
            printf("partition %u: proved and verified in %.2f s%s\n", first + i, seconds[i],
                   folded ? ", folded" : "");
        printf("%s: %u bytes written, %.1f s in all\n", s->o->out, count * CUZK_PROOF_BYTES,
               now_seconds() - s->start);
        return;
    }
    printf("{\"circuit\": ");
    emit_string(stdout, circuit);
    printf(", \"proof\": ");
    emit_string(stdout, s->o->out);
    printf(", \"folded\": %s, \"bytes\": %u, \"partitions\": [", folded ? "true" : "false",
           count * CUZK_PROOF_BYTES);
    for (unsigned i = 0; i < count; i++)
        printf("%s{\"index\": %u, \"seconds\": %.3f}", i ? ", " : "", first + i, seconds[i]);
    printf("], \"cpu_seconds\": %.3f", cpu_seconds);
    print_facts(s);
    printf("}\n");
}

static enum exit_code run_prove(const struct options *o, int argc, char **argv)
{
    (void)argc;
    if (!o->params && (!o->srs || o->unfolded))
        return cli_misuse(NULL, "prove needs --params%s", o->unfolded ? " with --unfolded" : " or --srs");
    struct session s;
    cuzk_request *request = NULL;
    struct keys keys = {NULL, NULL};
    uint8_t *proofs = NULL;
    double *seconds = NULL, spent = 0;
    unsigned first = 0, count = 0;
    cuzk_status status = session_open(&s, o);
    if (status == CUZK_OK)
        status = output_check(o->out, false, &s.error);
    const char *const inputs[] = {argv[0], o->params, o->srs};
    if (status == CUZK_OK)
        status = check_not_input(o->out, inputs, sizeof inputs / sizeof *inputs, &s.error);
    if (status == CUZK_OK)
        status = cuzk_request_open(s.context, &request, argv[0], 0, &s.error);
    if (status == CUZK_OK)
        status = choose_partitions(&s, request, &first, &count);
    if (status == CUZK_OK)
        status = keys_open(&s, &keys);
    if (status == CUZK_OK && !keys.srs && wants_gpu(o)) {
        snprintf(s.error.message, sizeof s.error.message,
                 "--device %.40s: a GPU proves from folded parameters alone (--srs; cuzk srs convert)",
                 o->device);
        status = CUZK_ERR_ARGUMENT;
    }
    if (status == CUZK_OK) {
        proofs = calloc(count, CUZK_PROOF_BYTES);
        seconds = calloc(count, sizeof *seconds);
        status = proofs && seconds ? CUZK_OK : CUZK_ERR_MEMORY;
    }
    if (status == CUZK_OK) {
        spent = now_cpu_seconds();
        status = prove_partitions(&s, request, &keys, first, count, proofs, seconds);
        spent = now_cpu_seconds() - spent;
    }
    if (status == CUZK_OK)
        status = cuzk_write_file(o->out, proofs, (size_t)count * CUZK_PROOF_BYTES, &s.error);
    enum exit_code code = EXIT_DONE;
    if (status == CUZK_OK) {
        report_proof(&s, cuzk_request_circuit(request), keys.srs != NULL, first, count, seconds, spent);
        if (*cuzk_context_note(s.context))
            fprintf(stderr, "cuzk: note: %s\n", cuzk_context_note(s.context));
    }
    if (status != CUZK_OK)
        code = fail(&s, status);
    free(proofs);
    free(seconds);
    keys_free(&keys);
    cuzk_request_free(request);
    return finish_output(&s, code);
}

/* Read a proof of exactly count partitions. *whole: false if its length is not that of count proofs. */
static cuzk_status read_proof(const char *path, unsigned count, uint8_t **out, bool *whole,
                              struct cuzk_error *e)
{
    const size_t want = (size_t)count * CUZK_PROOF_BYTES;
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *f = fd >= 0 && fstat(fd, &st) == 0 ? fdopen(fd, "rb") : NULL;
    if (!f || S_ISFIFO(st.st_mode)) {
        snprintf(e->message, sizeof e->message, "%s: %s", path,
                 f ? "is a pipe; name a file" : strerror(errno));
        if (f)
            fclose(f);
        else if (fd >= 0)
            close(fd);
        return CUZK_ERR_IO;
    }
    uint8_t *bytes = malloc(want + 1);
    const size_t got = bytes ? fread(bytes, 1, want + 1, f) : 0;
    const bool bad = ferror(f) != 0;
    const int saved = errno;
    fclose(f);
    if (!bytes)
        return CUZK_ERR_MEMORY;
    if (bad) {
        free(bytes);
        snprintf(e->message, sizeof e->message, "%s: %s", path, strerror(saved));
        return CUZK_ERR_IO;
    }
    *whole = got == want;
    if (!*whole)
        snprintf(e->message, sizeof e->message, "%s: %s than %zu bytes, 192 for each of %u partitions", path,
                 got < want ? "shorter" : "longer", want, count);
    *out = bytes;
    return CUZK_OK;
}

static enum exit_code run_verify(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    cuzk_request *request = NULL;
    cuzk_vk *vk = NULL;
    uint8_t *proofs = NULL;
    unsigned first = 0, count = 0;
    bool whole = true, valid = false;
    cuzk_status status = session_open(&s, o);
    if (status == CUZK_OK)
        status = cuzk_request_open(s.context, &request, argv[0], CUZK_REQUEST_STATEMENT, &s.error);
    if (status == CUZK_OK)
        status = choose_partitions(&s, request, &first, &count);
    if (status == CUZK_OK)
        status = cuzk_vk_open(s.context, &vk, o->vk, &s.error);
    if (status == CUZK_OK)
        status = read_proof(o->proof, count, &proofs, &whole, &s.error);
    if (status == CUZK_OK && whole)
        status = cuzk_verify(s.context, request, vk, first, count, proofs, &valid, &s.error);
    enum exit_code code = valid ? EXIT_DONE : EXIT_NO;
    if (status != CUZK_OK) {
        fail(&s, status);
        code = EXIT_USAGE; /* it could not be told */
    } else {
        progress_clear(&s.progress);
        if (o->json) {
            printf("{\"valid\": %s, \"circuit\": ", valid ? "true" : "false");
            emit_string(stdout, cuzk_request_circuit(request));
            printf(", \"partitions\": %u, \"reason\": ", count);
            emit_string(stdout, valid ? "" : whole ? "the proof does not verify" : s.error.message);
            print_facts(&s);
            printf("}\n");
        } else if (valid) {
            printf("valid: %u partition%s of %s, %.0f ms\n", count, count == 1 ? "" : "s",
                   cuzk_request_circuit(request), (now_seconds() - s.start) * 1e3);
        } else {
            printf("INVALID%s%s\n", whole ? "" : ": ", whole ? "" : s.error.message);
        }
    }
    free(proofs);
    cuzk_vk_free(vk);
    cuzk_request_free(request);
    code = finish_output(&s, code);
    return code == EXIT_SYSTEM ? EXIT_USAGE : code; /* an answer that did not arrive could not be told */
}

static enum exit_code run_gen(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    cuzk_status status = session_open(&s, o);
    if (status == CUZK_OK)
        status = cuzk_generate(s.context, argv[0], argv[1], o->seed, o->sectors, o->out, &s.error);
    if (status != CUZK_OK)
        return finish_output(&s, fail(&s, status));
    progress_clear(&s.progress);
    char request[128];
    snprintf(request, sizeof request, "%s-%s-%" PRIu64 ".meta.json", argv[0], argv[1], o->seed);
    if (o->json) {
        printf("{\"folder\": ");
        emit_string(stdout, o->out);
        printf(", \"request\": ");
        emit_string(stdout, request);
        print_facts(&s);
        printf("}\n");
    } else {
        printf("%s/%s and what it names written in %.1f s\n", o->out, request, now_seconds() - s.start);
    }
    return finish_output(&s, EXIT_DONE);
}

/* ---- reports ---- */

static bool write_stdout(void *user, const char *text, size_t size)
{
    struct session *s = user;
    progress_clear(&s->progress);
    s->reported = true;
    return fwrite(text, 1, size, stdout) == size;
}

static enum exit_code run_inspect(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    bool sound = false;
    cuzk_status status = session_open(&s, o);
    const struct cuzk_writer out = {write_stdout, &s};
    if (status == CUZK_OK)
        status = cuzk_inspect(s.context, argv[0], o->json ? CUZK_FORMAT_JSON : CUZK_FORMAT_TEXT, &out, &sound,
                              &s.error);
    const enum exit_code code = status != CUZK_OK ? fail(&s, status) : sound ? EXIT_DONE : EXIT_NO;
    return finish_output(&s, code);
}

static enum exit_code run_srs_check(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    bool sound = false;
    cuzk_status status = session_open(&s, o);
    const struct cuzk_writer out = {write_stdout, &s};
    if (status == CUZK_OK)
        status = cuzk_srs_check(s.context, argv[0], o->json ? CUZK_FORMAT_JSON : CUZK_FORMAT_TEXT, &out,
                                &sound, &s.error);
    const enum exit_code code = status != CUZK_OK ? fail(&s, status) : sound ? EXIT_DONE : EXIT_NO;
    return finish_output(&s, code);
}

static enum exit_code run_srs_convert(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    cuzk_status status = session_open(&s, o);
    if (status == CUZK_OK)
        status = output_check(o->out, false, &s.error);
    if (status == CUZK_OK)
        status = check_not_input(o->out, &o->params, 1, &s.error);
    if (status == CUZK_OK)
        status = cuzk_srs_convert(s.context, argv[0], o->params, o->out, o->stop_after, &s.error);
    if (status != CUZK_OK)
        return finish_output(&s, fail(&s, status));
    progress_clear(&s.progress);
    if (o->json) {
        printf("{\"circuit\": ");
        emit_string(stdout, argv[0]);
        printf(", \"srs\": ");
        emit_string(stdout, o->out);
        print_facts(&s);
        printf("}\n");
    } else {
        printf("%s written in %.1f s\n", o->out, now_seconds() - s.start);
    }
    return finish_output(&s, EXIT_DONE);
}

static enum exit_code run_shape(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    cuzk_status status = session_open(&s, o);
    const struct cuzk_writer out = {write_stdout, &s};
    if (status == CUZK_OK)
        status = cuzk_circuit_shape(s.context, argv[0], o->every,
                                    o->json ? CUZK_FORMAT_JSON : CUZK_FORMAT_TEXT, &out, &s.error);
    return finish_output(&s, status == CUZK_OK ? EXIT_DONE : fail(&s, status));
}

/* A partition as an argument. */
static cuzk_status parse_partition(const char *text, unsigned *out, struct cuzk_error *e)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value > UINT32_MAX) {
        snprintf(e->message, sizeof e->message, "'%s' is not a partition's number", text);
        return CUZK_ERR_ARGUMENT;
    }
    *out = (unsigned)value;
    return CUZK_OK;
}

static enum exit_code run_instance(const struct options *o, int argc, char **argv)
{
    (void)argc;
    struct session s;
    cuzk_request *request = NULL;
    unsigned partition = 0;
    bool satisfied = false;
    cuzk_status status = session_open(&s, o);
    const struct cuzk_writer out = {write_stdout, &s};
    if (status == CUZK_OK)
        status = parse_partition(argv[1], &partition, &s.error);
    if (status == CUZK_OK)
        status = cuzk_request_open(s.context, &request, argv[0], 0, &s.error);
    if (status == CUZK_OK)
        status =
            cuzk_circuit_instance(s.context, request, partition, o->every,
                                  o->json ? CUZK_FORMAT_JSON : CUZK_FORMAT_TEXT, &out, &satisfied, &s.error);
    const enum exit_code code = status != CUZK_OK ? fail(&s, status) : satisfied ? EXIT_DONE : EXIT_NO;
    cuzk_request_free(request);
    return finish_output(&s, code);
}

/* TARGET alone is a circuit's name, TARGET and K a request's partition. */
static enum exit_code run_list(const struct options *o, int argc, char **argv, enum cuzk_listing what)
{
    struct session s;
    cuzk_request *request = NULL;
    unsigned partition = 0;
    cuzk_status status = session_open(&s, o);
    const struct cuzk_writer out = {write_stdout, &s};
    if (status == CUZK_OK && argc == 2)
        status = parse_partition(argv[1], &partition, &s.error);
    if (status == CUZK_OK && argc == 2)
        status = cuzk_request_open(s.context, &request, argv[0], 0, &s.error);
    if (status == CUZK_OK)
        status = cuzk_circuit_list(s.context, request ? NULL : argv[0], request, partition, what,
                                   o->range.first, o->range.end, &out, &s.error);
    if (status == CUZK_OK && !s.reported) {
        snprintf(s.error.message, sizeof s.error.message, "the circuit has nothing in that range");
        status = CUZK_ERR_ARGUMENT;
    }
    const enum exit_code code = status == CUZK_OK ? EXIT_DONE : fail(&s, status);
    cuzk_request_free(request);
    return finish_output(&s, code);
}

static enum exit_code run_rows(const struct options *o, int argc, char **argv)
{
    return o->has_range ? run_list(o, argc, argv, CUZK_LIST_ROWS)
                        : cli_misuse(NULL, "circuit rows needs --range");
}

static enum exit_code run_vars(const struct options *o, int argc, char **argv)
{
    return o->has_range ? run_list(o, argc, argv, CUZK_LIST_VARIABLES)
                        : cli_misuse(NULL, "circuit vars needs --range");
}

#define CIRCUITS                                                                                             \
    "CIRCUIT is a kind and the sector's size: porep-, winning-, window-, snap- or snap-poseidon- with 2k, "  \
    "4k, 16k, 32k, 8m, 512m, 32g or 64g behind it. "
#define REQUESTS                                                                                             \
    "REQUEST is a C1 output (a JSON file, wrapped as a storage provider's software sends it, or bare), or "  \
    "a request file: JSON with the statement of a PoRep (the C1 beside X.meta.json as X.c1.json), of a "     \
    "WinningPoSt or WindowPoSt, or of a SnapDeals update (it names the files of the vanilla proofs). "

const struct command commands[] = {
    {"setup", "CIRCUIT", 1, 1, CMD_SETUP, "out", "make parameters and a verifying key",
     "Make Groth16 parameters for a circuit, with a random trapdoor that is forgotten: fit for tests and "
     "development networks, not for a network that runs on a ceremony's parameters. " CIRCUITS
     "Writes PATH.params and PATH.vk, whole or not at all, and where asked PATH.srs: the folded parameters, "
     "from which proofs are made several times as fast.",
     "cuzk setup porep-2k --out /data/params/porep-2k\n"
     "cuzk setup window-2k --out test --insecure-seed 7\n"
     "cuzk setup winning-2k --out test --folded",
     run_setup},
    {"prove", "REQUEST", 1, 1, CMD_PROVE, "out", "prove what a C1 or request file asks for",
     REQUESTS
     "Vanilla proofs that do not hold are refused before the work begins. Each partition's proof is verified "
     "before it is given out; the file PATH holds 192 bytes a partition, in order, and is written whole or "
     "not at all. The first use of a parameter file checks all its points and leaves a stamp FILE.checked "
     "beside it. Folded parameters are used where they are given or lie beside the parameters under their "
     "name (X.srs of X.params): the proof is the same, made faster and in less memory. With both given, the "
     "folded ones must have been made for these parameters. Folded parameters alone are enough.",
     "cuzk prove c1.json --params porep-2k.params --out proof.bin\n"
     "cuzk prove c1.json --srs porep-2k.srs --out proof.bin\n"
     "cuzk prove window-2KiB-1.meta.json --params window-2k.params --out proof.bin --unfolded\n"
     "cuzk prove snap-32GiB-1.meta.json --params snap-32g.params --out proof.bin --partition 0 --json",
     run_prove},
    {"verify", "STATEMENT", 1, 1, CMD_VERIFY, "vk proof", "check a proof against its statement",
     "STATEMENT is a C1 or a request file of any kind; only the statement in it is used (commitments, "
     "replica id, seed, randomness, sectors, registered proof), and no other file is read. Exit code 0: "
     "valid; 1: not valid; 2: it could not be told.",
     "cuzk verify c1.json --vk porep-2k.vk --proof proof.bin\n"
     "cuzk verify window-2KiB-1.meta.json --vk window-2k.vk --proof proof.bin --partition 0",
     run_verify},
    {"gen", "KIND SIZE", 2, 2, CMD_GEN, "seed out", "make a valid request for tests",
     "Makes sectors of a seed, and of them a request that can be proved: in the folder PATH the file "
     "KIND-SIZE-N.meta.json and beside it the C1 or the vanilla proofs. KIND is porep, porep-v1, porep-syn, "
     "porep-ni, winning, window, window-v1, snap or snap-poseidon; SIZE is 2KiB, 4KiB, 16KiB, 32KiB, 8MiB, "
     "512MiB, 32GiB or 64GiB. Up to 512MiB the sectors are sealed for real; the larger ones are made where "
     "the proof looks alone, which porep-syn and porep-ni do not allow.",
     "cuzk gen porep 2KiB --seed 1 --out inputs\n"
     "cuzk gen window 32GiB --seed 1 --sectors 2349 --out inputs --json",
     run_gen},
    {"inspect", "FILE", 1, 1, CMD_INSPECT, "", "say what a file is and whether it is sound",
     "Tells C1 outputs, request files, vanilla proofs, parameters, verifying keys and proofs apart, and "
     "checks them in full: every field, every point (canonical, on the curve, in the subgroup), and of a "
     "request whether its vanilla proofs hold, with the first check that fails. It knows templates, stamps "
     "and "
     "conversions under way too. Exit code 0: sound; 1: not.",
     "cuzk inspect porep-2k.params\ncuzk inspect c1.json --json\ncuzk inspect window-2KiB-1.meta.json",
     run_inspect},
    {"doctor", "", 0, 0, CMD_DOCTOR, "", "is this machine ready to prove?",
     "Looks at the processor, memory, huge pages, limits, cgroup and memory nodes; at the driver and the "
     "GPUs; at "
     "the folder of parameters and its disk; at the parameters of each enabled circuit: are they there, "
     "sound and "
     "the circuit's; and makes a tiny proof on each device. Says of each finding what to do. Exit code 0: no "
     "errors; 1: some.",
     "cuzk doctor\ncuzk doctor --config /data/zk/cuzk.toml --json\n"
     "cuzk doctor --param-cache /data/zk/params --circuits porep-32g,winning-32g,window-32g --full",
     run_doctor},
    {"srs convert", "CIRCUIT", 1, 1, CMD_CONVERT, "params out",
     "make folded parameters from a parameter file",
     "Makes the folded parameters PATH of a circuit from its parameters, whoever made them. This takes long: "
     "two transforms of as many points as the domain has, on the first GPU where there is one. Until the "
     "file is whole it is PATH.part; a "
     "conversion that was stopped (SIGINT, SIGTERM, --stop-after) or killed goes on where it was when it is "
     "called again with the same arguments. " CIRCUITS,
     "cuzk srs convert porep-2k --params porep-2k.params --out porep-2k.srs\n"
     "cuzk srs convert winning-2k --params winning-2k.params --out winning-2k.srs --stop-after fold\n"
     "cuzk srs convert porep-32g --params porep-32g.params --out porep-32g.srs --device gpu",
     run_srs_convert},
    {"srs check", "FILE", 1, 1, CMD_CHECK, "", "check folded parameters in full",
     "Checks the header, the key, every point (canonical, on the curve, in the subgroup) and the digest of "
     "each section, whatever a stamp says, and leaves a stamp FILE.checked if all is sound. Exit code 0: "
     "sound; 1: not.",
     "cuzk srs check porep-2k.srs\ncuzk srs check porep-32g.srs --json", run_srs_check},
    {"circuit shape", "CIRCUIT", 1, 1, CMD_SHAPE, "", "a circuit's counts, densities and digest",
     "Builds the blank circuit and prints its counts, densities and R1CS digest, with a running digest each "
     "N rows: equal digests mean equal constraints. " CIRCUITS,
     "cuzk circuit shape porep-2k --json\ncuzk circuit shape window-32g --every 1048576 --json", run_shape},
    {"circuit instance", "REQUEST K", 2, 2, CMD_INSTANCE, "", "the same of partition K, with its witness",
     "Builds the real circuit of partition K and prints also its public inputs, the digests of the witness "
     "and of a, b, c, and the first rows that are not satisfied. " REQUESTS "Exit code 0: satisfied; 1: not.",
     "cuzk circuit instance c1.json 0 --json\ncuzk circuit instance window-2KiB-1.meta.json 1", run_instance},
    {"circuit rows", "CIRCUIT | REQUEST K", 1, 2, CMD_ROWS, "", "print rows with their names",
     "Prints the rows A up to B with their names, to compare with another implementation. Names a blank "
     "circuit, or partition K of a request.",
     "cuzk circuit rows porep-2k --range 65536-65600\ncuzk circuit rows c1.json 0 --range 0-10", run_rows},
    {"circuit vars", "CIRCUIT | REQUEST K", 1, 2, CMD_VARS, "", "print variables with their names",
     "Prints the auxiliary variables A up to B with their names and, of a request, their values.",
     "cuzk circuit vars winning-2k --range 0-100\ncuzk circuit vars c1.json 0 --range 0-10", run_vars},
    {0},
};

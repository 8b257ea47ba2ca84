/* cuzk-bench/load.h - many requests to a daemon, several at a time, and what became of them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_BENCH_LOAD_H
#define TOOLS_CUZK_BENCH_LOAD_H

#include "circuits/request_send.h"
#include "cuzk-bench/remote.h"

#define LOAD_FILES_MAX 64

/* A request that can be sent: one of a file's. */
struct load_message {
    const char *path;
    const char *circuit;        /* "window-2k" */
    unsigned first, partitions; /* of the file's, which its proofs are of */
    struct remote_payload *payload;
};

struct load_input {
    struct exec exec;
    struct request_send file[LOAD_FILES_MAX];
    size_t files;
    struct load_message *message;
    size_t messages;
};

/* partition: NULL, or of a window request's file this one alone. */
cuzk_status load_input_open(struct load_input *in, char **paths, size_t count, const unsigned *partition,
                            unsigned priority, struct cuzk_error *e);
void load_input_close(struct load_input *in);

/* One request's way. */
struct load_event {
    const struct load_message *message;
    double start, end; /* of now_seconds() */
    struct remote_result result;
};

struct load_plan {
    struct remote *remote;
    const struct load_input *in;
    const char *id; /* ids of requests begin with it */
    unsigned concurrency;
    uint64_t total;                  /* requests; 0: no limit */
    double seconds;                  /* after which none is begun; 0: no limit */
    uint64_t timeout_ms;             /* of each; 0: none */
    unsigned cancel, vanish, repeat; /* of a hundred */
    uint64_t seed;
    bool mixed; /* messages by chance, not in turn */
    struct progress *progress;
};

struct load_run {
    struct load_event *event; /* in the order in which they ended */
    size_t count;
    double start, end;
};

/* Run until the plan or bench_stop ends it; what is under way is waited for. */
cuzk_status load_run(struct load_run *out, const struct load_plan *plan, struct cuzk_error *e);
void load_run_free(struct load_run *run);

/* Check every proof with the keys of a folder of parameters. *bad: how many do not verify; message: the
 * first. */
cuzk_status load_verify(cuzk_context *context, const struct load_run *run, const char *folder, size_t *bad,
                        struct cuzk_error *e);

#endif

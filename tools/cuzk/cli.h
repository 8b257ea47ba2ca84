/* cuzk/cli.h - the command line: one table of commands and one of options make the parser, the help and
 * the man page.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_CUZK_CLI_H
#define TOOLS_CUZK_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes, the same for every command except that `verify` knows 0, 1 and 2 only. */
enum exit_code {
    EXIT_DONE = 0,        /* done; valid; sound */
    EXIT_NO = 1,          /* not valid, not sound, not satisfied */
    EXIT_USAGE = 2,       /* the command line is wrong (verify: it could not be told) */
    EXIT_INPUT = 3,       /* an input file is malformed */
    EXIT_SYSTEM = 4,      /* the system refused: a file, the disk */
    EXIT_MEMORY = 5,      /* out of memory or budget */
    EXIT_MISMATCH = 6,    /* parameters or key of another circuit */
    EXIT_UNSUPPORTED = 7, /* known, but not offered by this version or processor */
    EXIT_INTERNAL = 8,    /* a broken invariant: please report it */
    EXIT_STOPPED = 130,   /* stopped by SIGINT or SIGTERM; nothing half-written is left */
};

struct range {
    uint64_t first, end; /* [first, end) */
};

/* The values of the options; has_x says that it was given. */
struct options {
    bool help, json, quiet, folded, only_folded, unfolded;
    bool has_insecure_seed, has_insecure_rs_seed, has_partition, has_range, has_seed;
    unsigned threads, partition;
    uint64_t memory, every, insecure_seed, insecure_rs_seed, seed, sectors;
    struct range range;
    const char *cpu, *out, *params, *srs, *vk, *proof, *stop_after;
};

#define CLI_MAX_ARGUMENTS 3

struct command {
    const char *name;      /* one or two words */
    const char *arguments; /* as the synopsis shows them */
    int min_arguments, max_arguments;
    unsigned mask;        /* this command's bit in the options' table */
    const char *required; /* long names of the options that must be given, blank-separated; or "" */
    const char *summary;  /* one line, no full stop */
    const char *description;
    const char *examples; /* one a line */
    enum exit_code (*run)(const struct options *o, int argc, char **argv);
};

enum command_bit {
    CMD_SETUP = 1,
    CMD_PROVE = 2,
    CMD_VERIFY = 4,
    CMD_INSPECT = 8,
    CMD_SHAPE = 16,
    CMD_INSTANCE = 32,
    CMD_ROWS = 64,
    CMD_VARS = 128,
    CMD_GEN = 256,
    CMD_CONVERT = 512,
    CMD_CHECK = 1024,
};

extern const struct command commands[]; /* ends with a NULL name */

/* Parse and run. */
enum exit_code cli_main(int argc, char **argv);

/* "cuzk: ..." to stderr; returns EXIT_USAGE. */
enum exit_code cli_misuse(const struct command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

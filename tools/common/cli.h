/* common/cli.h - command lines: one table of commands and one of options make the parser, the help and the
 * manual page of a program.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_CLI_H
#define TOOLS_COMMON_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cuzk/status.h>

/* Exit codes, the same for all programs and commands, except that `cuzk verify` knows 0, 1 and 2 only, and
 * that cuzk-memmon gives back the code of the command it runs. */
enum exit_code {
    EXIT_DONE = 0,        /* done; valid; sound */
    EXIT_NO = 1,          /* not valid, not sound, not satisfied; a proof failed */
    EXIT_USAGE = 2,       /* the command line is wrong (verify: it could not be told) */
    EXIT_INPUT = 3,       /* an input file is malformed */
    EXIT_SYSTEM = 4,      /* the system refused: a file, the disk; a daemon cannot be reached */
    EXIT_MEMORY = 5,      /* out of memory or budget */
    EXIT_MISMATCH = 6,    /* parameters or key of another circuit */
    EXIT_UNSUPPORTED = 7, /* known, but not offered by this version or processor */
    EXIT_INTERNAL = 8,    /* a broken invariant: please report it */
    EXIT_STOPPED = 130,   /* stopped by SIGINT or SIGTERM; nothing half-written is left */
};

enum exit_code exit_code_of(cuzk_status status);

struct range {
    uint64_t first, end; /* [first, end) */
};

enum option_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_UNSIGNED, /* unsigned */
    OPT_U64,
    OPT_SIZE,  /* bytes with an optional K, M, G, T (powers of 1024) */
    OPT_TIME,  /* milliseconds: a whole number of seconds, or with ms, s, m or h behind it */
    OPT_RANGE, /* struct range */
};

#define ALL_COMMANDS ~0u
#define NO_HAS       SIZE_MAX

struct options; /* the values: each program has its own */

struct option {
    const char *name, *argument, *help;
    enum option_kind kind;
    unsigned commands; /* bits of those that have it */
    uint64_t min, max;
    size_t at, has; /* where in struct options; has (a bool): NO_HAS if the default needs no telling */
};

struct command {
    const char *name;      /* one or two words; "": the program has no commands, but this */
    const char *arguments; /* as the synopsis shows them */
    int min_arguments, max_arguments;
    unsigned mask;        /* this command's bit in the options' table */
    const char *required; /* long names of the options that must be given, blank-separated; or "" */
    const char *summary;  /* one line, no full stop */
    const char *description;
    const char *examples; /* one a line */
    enum exit_code (*run)(const struct options *o, int argc, char **argv);
};

struct program {
    const char *name, *title; /* "cuzk", "Groth16 proofs for Filecoin" */
    const char *description, *exit_codes;
    const struct command *commands; /* ends with a NULL name */
    const struct option *options;
    size_t option_count;
    size_t options_size; /* of struct options */
    size_t help_at;      /* of the bool in it that --help sets */
};

/* Defined once by each program that links this. */
extern const struct program program;

/* Parse and run. */
enum exit_code cli_main(int argc, char **argv);

/* "NAME: ..." to stderr; returns EXIT_USAGE. c may be NULL. */
enum exit_code cli_misuse(const struct command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Digits only: no sign, no blank. *end: what follows. */
bool cli_digits(const char *text, const char **end, uint64_t *value);

#endif

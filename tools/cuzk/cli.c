/* cuzk/cli.c - parsing, help and the man page.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cuzk/cuzk.h>

enum option_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_UNSIGNED, /* unsigned */
    OPT_U64,
    OPT_SIZE, /* bytes with an optional K, M, G, T (powers of 1024) */
    OPT_RANGE,
};

#define ALL_COMMANDS ~0u
#define NO_HAS       SIZE_MAX

static const struct option {
    const char *name, *argument, *help;
    enum option_kind kind;
    unsigned commands;
    uint64_t min, max;
    size_t at, has; /* where in struct options; has: NO_HAS if the default needs no telling */
} options[] = {
    {"out", "PATH", "where the result goes (setup: the prefix of PATH.params and PATH.vk; gen: a folder)",
     OPT_TEXT, CMD_SETUP | CMD_PROVE | CMD_GEN | CMD_CONVERT, 0, 0, offsetof(struct options, out), NO_HAS},
    {"seed", "N", "what everything is derived from: equal seeds give equal files", OPT_U64, CMD_GEN, 0,
     UINT64_MAX, offsetof(struct options, seed), offsetof(struct options, has_seed)},
    {"sectors", "N", "how many sectors a window proof is of (default: 3)", OPT_U64, CMD_GEN, 1, 100000,
     offsetof(struct options, sectors), NO_HAS},
    {"folded", NULL, "write PATH.srs as well, the folded parameters", OPT_FLAG, CMD_SETUP, 0, 0,
     offsetof(struct options, folded), NO_HAS},
    {"only-folded", NULL, "write PATH.srs alone", OPT_FLAG, CMD_SETUP, 0, 0,
     offsetof(struct options, only_folded), NO_HAS},
    {"params", "FILE", "the circuit's parameters", OPT_TEXT, CMD_PROVE | CMD_CONVERT, 0, 0,
     offsetof(struct options, params), NO_HAS},
    {"srs", "FILE", "the circuit's folded parameters (default: X.srs beside X.params, if it is there)",
     OPT_TEXT, CMD_PROVE, 0, 0, offsetof(struct options, srs), NO_HAS},
    {"unfolded", NULL, "use the parameters themselves, even if folded ones are beside them", OPT_FLAG,
     CMD_PROVE, 0, 0, offsetof(struct options, unfolded), NO_HAS},
    {"stop-after", "PHASE", "stop when this is done: k columns, k rows, fold, q columns, q rows, a and b",
     OPT_TEXT, CMD_CONVERT, 0, 0, offsetof(struct options, stop_after), NO_HAS},
    {"vk", "FILE", "the verifying key, or a parameter file (it begins with one)", OPT_TEXT, CMD_VERIFY, 0, 0,
     offsetof(struct options, vk), NO_HAS},
    {"proof", "FILE", "the proof, 192 bytes a partition in order", OPT_TEXT, CMD_VERIFY, 0, 0,
     offsetof(struct options, proof), NO_HAS},
    {"partition", "K", "this partition alone, counted from 0 (default: all)", OPT_UNSIGNED,
     CMD_PROVE | CMD_VERIFY, 0, UINT_MAX, offsetof(struct options, partition),
     offsetof(struct options, has_partition)},
    {"insecure-seed", "N", "FOR TESTS: derive the trapdoor from N; anybody can then forge proofs", OPT_U64,
     CMD_SETUP, 0, UINT64_MAX, offsetof(struct options, insecure_seed),
     offsetof(struct options, has_insecure_seed)},
    {"insecure-rs-seed", "N", "FOR TESTS: derive r and s from N; the proof then hides nothing", OPT_U64,
     CMD_PROVE, 0, UINT64_MAX, offsetof(struct options, insecure_rs_seed),
     offsetof(struct options, has_insecure_rs_seed)},
    {"every", "N", "a running digest each N rows (default: 65536)", OPT_U64, CMD_SHAPE | CMD_INSTANCE, 1,
     UINT32_MAX, offsetof(struct options, every), NO_HAS},
    {"range", "A-B", "from A up to, not including, B", OPT_RANGE, CMD_ROWS | CMD_VARS, 0, 0,
     offsetof(struct options, range), offsetof(struct options, has_range)},
    {"json", NULL, "answer with one JSON object on standard output", OPT_FLAG,
     ALL_COMMANDS & ~(unsigned)(CMD_ROWS | CMD_VARS), 0, 0, offsetof(struct options, json), NO_HAS},
    {"quiet", NULL, "no progress, even on a terminal", OPT_FLAG, ALL_COMMANDS, 0, 0,
     offsetof(struct options, quiet), NO_HAS},
    {"threads", "N", "threads to use (default: what affinity and cgroup allow)", OPT_UNSIGNED, ALL_COMMANDS,
     1, 4096, offsetof(struct options, threads), NO_HAS},
    {"cpu", "NAME", "instruction set: auto, portable, adx, ifma (default: auto)", OPT_TEXT, ALL_COMMANDS, 0,
     0, offsetof(struct options, cpu), NO_HAS},
    {"memory", "SIZE",
     "limit of anonymous memory, as 900M or 16G (default: the least of RAM, cgroup limit and usable memory "
     "nodes)",
     OPT_SIZE, ALL_COMMANDS, 1, UINT64_MAX, offsetof(struct options, memory), NO_HAS},
    {"help", NULL, "show this help", OPT_FLAG, ALL_COMMANDS, 0, 0, offsetof(struct options, help), NO_HAS},
};
#define OPTION_COUNT (sizeof options / sizeof options[0])

static const char description[] =
    "Groth16 proofs for Filecoin: makes parameters, proves, verifies, makes inputs "
    "for tests, and looks into files and circuits.";
static const char exit_codes[] =
    "0 done, valid, sound; 1 not valid, not sound or not satisfied; 2 the command line "
    "is wrong (verify: it could not be told); 3 malformed input; 4 the system refused "
    "(file, disk); 5 out of memory or over the limit; 6 parameters or key of another "
    "circuit; 7 not supported; 8 internal fault; 130 stopped by SIGINT or SIGTERM.";

enum exit_code cli_misuse(const struct command *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("cuzk: ", stderr);
    vfprintf(stderr, format, args);
    va_end(args);
    if (c)
        fprintf(stderr, "\nTry 'cuzk %s --help'.\n", c->name);
    else
        fputs("\nTry 'cuzk --help'.\n", stderr);
    return EXIT_USAGE;
}

/* Levenshtein distance of short words, for "did you mean". */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[64];
    const size_t n = strlen(b);
    if (n >= 63)
        return UINT_MAX;
    for (unsigned j = 0; j <= n; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

static const struct option *option_find(const struct command *c, const char *name, size_t len)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if ((options[i].commands & c->mask) && strlen(options[i].name) == len &&
            !memcmp(options[i].name, name, len))
            return &options[i];
    return NULL;
}

static const char *option_nearest(const struct command *c, const char *name)
{
    const char *best = "help";
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const unsigned d = options[i].commands & c->mask ? distance(name, options[i].name) : UINT_MAX;
        if (d < least) {
            least = d;
            best = options[i].name;
        }
    }
    return best;
}

/* Digits only: no sign, no blank. *end: what follows. */
static bool parse_digits(const char *text, const char **end, uint64_t *value)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    char *stop;
    const unsigned long long v = strtoull(text, &stop, 10);
    *end = stop;
    *value = v;
    return errno == 0;
}

static bool parse_size(const char *text, uint64_t *value)
{
    const char *end;
    if (!parse_digits(text, &end, value))
        return false;
    static const char units[] = "KMGT";
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        const unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (*value > UINT64_MAX >> shift)
            return false;
        *value <<= shift;
        end++;
        if (!strcmp(end, "iB"))
            end += 2;
    }
    return *end == 0;
}

static bool parse_range(const char *text, struct range *r)
{
    const char *end;
    return parse_digits(text, &end, &r->first) && *end == '-' && parse_digits(end + 1, &end, &r->end) &&
           *end == 0 && r->first < r->end;
}

static enum exit_code option_set(const struct command *c, const struct option *o, struct options *out,
                                 const char *value)
{
    char *at = (char *)out + o->at;
    uint64_t number = 0;
    const char *end = "";
    switch (o->kind) {
    case OPT_FLAG:
        *(bool *)at = true;
        break;
    case OPT_TEXT:
        if (!*value)
            return cli_misuse(c, "--%s needs a value that is not empty", o->name);
        memcpy(at, &value, sizeof value);
        break;
    case OPT_UNSIGNED:
    case OPT_U64:
        if (!parse_digits(value, &end, &number) || *end || number < o->min || number > o->max)
            return cli_misuse(c, "--%s: '%s' is not a whole number from %llu to %llu", o->name, value,
                              (unsigned long long)o->min, (unsigned long long)o->max);
        if (o->kind == OPT_UNSIGNED)
            *(unsigned *)(void *)at = (unsigned)number;
        else
            *(uint64_t *)(void *)at = number;
        break;
    case OPT_SIZE:
        if (!parse_size(value, &number) || number < o->min)
            return cli_misuse(c, "--%s: '%s' is not a size such as 900M or 16G", o->name, value);
        *(uint64_t *)(void *)at = number;
        break;
    case OPT_RANGE:
        if (!parse_range(value, (struct range *)(void *)at))
            return cli_misuse(c, "--%s: '%s' is not a range A-B with A below B", o->name, value);
        break;
    }
    if (o->has != NO_HAS)
        *(bool *)((char *)out + o->has) = true;
    return EXIT_DONE;
}

/* ---- help ---- */

static void wrap(FILE *f, const char *text, unsigned indent, unsigned width)
{
    unsigned column = 0;
    while (*text) {
        const size_t word = strcspn(text, " \n");
        if (column && column + 1 + word > width - indent) {
            fputc('\n', f);
            column = 0;
        }
        if (!column)
            fprintf(f, "%*s", (int)indent, "");
        else
            fputc(' ', f);
        column += (unsigned)word + (column ? 1 : 0);
        fwrite(text, 1, word, f);
        text += word;
        if (*text == '\n') {
            fputc('\n', f);
            column = 0;
        }
        if (*text)
            text++;
    }
    fputc('\n', f);
}

static void print_option(FILE *f, const struct option *o)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    fprintf(f, "  %-24s %s\n", left, o->help);
}

static void print_command_help(FILE *f, const struct command *c)
{
    fprintf(f, "cuzk %s %s%s[options]\n\n", c->name, c->arguments, *c->arguments ? " " : "");
    wrap(f, c->description, 0, 96);
    fputs("\nOptions:\n", f);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (options[i].commands & c->mask)
            print_option(f, &options[i]);
    fputs("\nExamples:\n", f);
    wrap(f, c->examples, 2, 400);
    fputs("\nExit codes:\n", f);
    wrap(f, exit_codes, 2, 96);
}

static void print_help(FILE *f)
{
    fprintf(f, "cuzk %s: ", cuzk_version());
    wrap(f, description, 0, 96);
    fputs("\nCommands:\n", f);
    for (const struct command *c = commands; c->name; c++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", c->name, c->arguments);
        fprintf(f, "  %-34s %s\n", left, c->summary);
    }
    fputs("\n'cuzk COMMAND --help' tells more; 'cuzk --version' prints the version; 'man cuzk' has it all.\n",
          f);
}

/* troff: a leading dot or quote and every backslash or dash would mean something. */
static void man_text(const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        start = *text == '\n';
        if (*text == '\n')
            fputs("\n.br", stdout);
        if (*text == '-' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('\n');
}

static void print_man(void)
{
    printf(".TH CUZK 1 \"\" \"cuzk %s\" \"User Commands\"\n.SH NAME\ncuzk \\- Groth16 proofs for "
           "Filecoin\n.SH SYNOPSIS\n",
           cuzk_version());
    for (const struct command *c = commands; c->name; c++)
        printf(".B cuzk %s\n%s [options]\n.br\n", c->name, c->arguments);
    fputs(".SH DESCRIPTION\n", stdout);
    man_text(description);
    for (const struct command *c = commands; c->name; c++) {
        printf(".SH CUZK %s\n", c->name);
        man_text(c->description);
        for (size_t i = 0; i < OPTION_COUNT; i++)
            if (options[i].commands & c->mask) {
                printf(".TP\n.BI \\-\\-%s \"%s%s\"\n", options[i].name, options[i].argument ? " " : "",
                       options[i].argument ? options[i].argument : "");
                man_text(options[i].help);
            }
        fputs(".PP\nExamples:\n.PP\n.nf\n", stdout);
        man_text(c->examples);
        fputs(".fi\n", stdout);
    }
    fputs(".SH EXIT STATUS\n", stdout);
    man_text(exit_codes);
}

/* ---- parsing ---- */

/* The command that argv[1] (and argv[2]) name; *words: how many arguments its name takes. */
static const struct command *command_find(int argc, char **argv, int *words)
{
    for (const struct command *c = commands; c->name; c++) {
        const char *second = strchr(c->name, ' ');
        const size_t first = second ? (size_t)(second - c->name) : strlen(c->name);
        if (strlen(argv[1]) != first || memcmp(argv[1], c->name, first) != 0)
            continue;
        if (!second) {
            *words = 1;
            return c;
        }
        if (argc > 2 && !strcmp(argv[2], second + 1)) {
            *words = 2;
            return c;
        }
    }
    return NULL;
}

static bool option_given(const struct options *o, const struct option *row)
{
    const char *at = (const char *)o + row->at;
    if (row->has != NO_HAS)
        return *(const bool *)((const char *)o + row->has);
    const char *text = NULL;
    memcpy(&text, at, sizeof text); /* all required options without a flag of their own are texts */
    return text != NULL;
}

static enum exit_code check_required(const struct command *c, const struct options *o)
{
    for (const char *name = c->required; *name;) {
        const size_t len = strcspn(name, " ");
        const struct option *row = option_find(c, name, len);
        if (!row || !option_given(o, row))
            return cli_misuse(c, "%s needs --%.*s", c->name, (int)len, name);
        name += len;
        name += *name == ' ';
    }
    return EXIT_DONE;
}

static enum exit_code parse(const struct command *c, int argc, char **argv, struct options *o,
                            char **arguments, int *count)
{
    bool only_arguments = false;
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        if (only_arguments || a[0] != '-' || !a[1]) {
            if (*count == c->max_arguments)
                return cli_misuse(c, "%s: one argument too many: '%s'", c->name, a);
            arguments[(*count)++] = argv[i];
            continue;
        }
        if (!strcmp(a, "--")) {
            only_arguments = true;
            continue;
        }
        const char *name = a + 1 + (a[1] == '-');
        const char *equals = strchr(name, '=');
        const size_t len = equals ? (size_t)(equals - name) : strlen(name);
        const struct option *row = a[1] == '-' ? option_find(c, name, len) : NULL;
        if (!strcmp(a, "-h"))
            row = option_find(c, "help", 4);
        if (!row)
            return cli_misuse(c, "unknown option '%s'; did you mean --%s?", a, option_nearest(c, name));
        const char *value = "";
        if (row->kind == OPT_FLAG) {
            if (equals)
                return cli_misuse(c, "--%s takes no value", row->name);
        } else if (equals) {
            value = equals + 1;
        } else {
            if (i + 1 == argc)
                return cli_misuse(c, "--%s needs a value: %s", row->name, row->argument);
            value = argv[++i];
        }
        const enum exit_code code = option_set(c, row, o, value);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

static enum exit_code unknown_command(const char *name)
{
    const char *best = commands[0].name;
    unsigned least = UINT_MAX;
    for (const struct command *c = commands; c->name; c++) {
        const unsigned d = distance(name, c->name);
        if (d < least) {
            least = d;
            best = c->name;
        }
    }
    if (!strcmp(name, "srs"))
        return cli_misuse(NULL, "srs needs one of: convert, check");
    if (!strcmp(name, "circuit"))
        return cli_misuse(NULL, "circuit needs one of: shape, instance, rows, vars");
    return cli_misuse(NULL, "unknown command '%s'; did you mean '%s'?", name, best);
}

static enum exit_code run_line(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    int words = 0;
    if (!strcmp(argv[1], "--version")) {
        printf("cuzk %s\n", cuzk_version());
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "help") && argc > 2 && !strcmp(argv[2], "--man")) {
        print_man();
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || (!strcmp(argv[1], "help") && argc == 2)) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const bool help = !strcmp(argv[1], "help");
    const int word = 1 + help;
    const size_t family = strlen(argv[word]);
    if ((!strcmp(argv[word], "circuit") || !strcmp(argv[word], "srs")) &&
        (argc == word + 1 ? help : !strcmp(argv[word + 1], "--help"))) {
        for (const struct command *c = commands; c->name; c++)
            if (!strncmp(c->name, argv[word], family) && c->name[family] == ' ')
                printf("cuzk %s %s\n    %s\n", c->name, c->arguments, c->summary);
        return EXIT_DONE;
    }
    const struct command *c = command_find(argc - help, argv + help, &words);
    if (!c)
        return unknown_command(argv[1 + help]);
    if (help) {
        print_command_help(stdout, c);
        return EXIT_DONE;
    }
    struct options o = {0};
    char *arguments[CLI_MAX_ARGUMENTS];
    int count = 0;
    enum exit_code code = parse(c, argc - 1 - words, argv + 1 + words, &o, arguments, &count);
    if (code != EXIT_DONE)
        return code;
    if (o.help) {
        print_command_help(stdout, c);
        return EXIT_DONE;
    }
    if (count < c->min_arguments)
        return cli_misuse(c, "%s needs %s", c->name, c->arguments);
    code = check_required(c, &o);
    return code != EXIT_DONE ? code : c->run(&o, count, arguments);
}

enum exit_code cli_main(int argc, char **argv)
{
    const enum exit_code code = run_line(argc, argv);
    if (code == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "cuzk: standard output: %s\n", strerror(errno));
        return EXIT_SYSTEM;
    }
    return code;
}

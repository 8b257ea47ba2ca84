/* common/cli.c - parsing, help and the manual page.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/cli.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cuzk/cuzk.h>

enum exit_code exit_code_of(cuzk_status status)
{
    switch (status) {
    case CUZK_OK:
        return EXIT_DONE;
    case CUZK_ERR_ARGUMENT:
        return EXIT_USAGE;
    case CUZK_ERR_INPUT:
        return EXIT_INPUT;
    case CUZK_ERR_IO:
    case CUZK_ERR_EXHAUSTED:
    case CUZK_ERR_NOT_FOUND:
    case CUZK_ERR_UNAVAILABLE:
    case CUZK_ERR_DEVICE:
        return EXIT_SYSTEM;
    case CUZK_ERR_MEMORY:
        return EXIT_MEMORY;
    case CUZK_ERR_CANCELLED:
        return EXIT_STOPPED;
    case CUZK_ERR_MISMATCH:
        return EXIT_MISMATCH;
    case CUZK_ERR_UNSATISFIED:
    case CUZK_ERR_INVALID:
        return EXIT_NO;
    case CUZK_ERR_UNSUPPORTED:
        return EXIT_UNSUPPORTED;
    case CUZK_ERR_INTERNAL:
        break;
    }
    return EXIT_INTERNAL;
}

enum exit_code cli_misuse(const struct command *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", program.name);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nTry '%s%s%s --help'.\n", program.name, c && *c->name ? " " : "", c ? c->name : "");
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
    for (size_t i = 0; i < program.option_count; i++)
        if ((program.options[i].commands & c->mask) && strlen(program.options[i].name) == len &&
            !memcmp(program.options[i].name, name, len))
            return &program.options[i];
    return NULL;
}

/* Near enough that the other word may be meant. */
static bool is_near(unsigned d, const char *name)
{
    return d <= 1 + strlen(name) / 3;
}

/* NULL: none is near. */
static const char *option_nearest(const struct command *c, const char *name)
{
    const char *best = NULL;
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < program.option_count; i++) {
        const unsigned d =
            program.options[i].commands & c->mask ? distance(name, program.options[i].name) : UINT_MAX;
        if (d < least) {
            least = d;
            best = program.options[i].name;
        }
    }
    return is_near(least, name) ? best : NULL;
}

/* Digits only: no sign, no blank. *end: what follows. */
bool cli_digits(const char *text, const char **end, uint64_t *value)
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
    if (!cli_digits(text, &end, value))
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

static bool parse_time(const char *text, uint64_t *milliseconds)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    const char *end;
    uint64_t value;
    if (!cli_digits(text, &end, &value))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].name) && value <= UINT64_MAX / units[i].factor) {
            *milliseconds = value * units[i].factor;
            return true;
        }
    return false;
}

static bool parse_range(const char *text, struct range *r)
{
    const char *end;
    return cli_digits(text, &end, &r->first) && *end == '-' && cli_digits(end + 1, &end, &r->end) &&
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
        if (!cli_digits(value, &end, &number) || *end || number < o->min || number > o->max)
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
    case OPT_TIME:
        if (!parse_time(value, &number) || number < o->min || number > o->max)
            return cli_misuse(c, "--%s: '%s' is not a time such as 500ms, 30s or 10m within bounds", o->name,
                              value);
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

/* What may follow the command's name: options stand before a command line that is an argument. */
static void print_synopsis(FILE *f, const struct command *c)
{
    const char *blank = *c->arguments ? " " : "";
    if (*c->name)
        fprintf(f, "%s%s[options]\n", c->arguments, blank);
    else
        fprintf(f, "[options]%s%s\n", blank, c->arguments);
}

static void print_command_help(FILE *f, const struct command *c)
{
    fprintf(f, "%s %s%s", program.name, c->name, *c->name ? " " : "");
    print_synopsis(f, c);
    fputc('\n', f);
    wrap(f, c->description, 0, 96);
    fputs("\nOptions:\n", f);
    for (size_t i = 0; i < program.option_count; i++)
        if (program.options[i].commands & c->mask)
            print_option(f, &program.options[i]);
    fputs("\nExamples:\n", f);
    wrap(f, c->examples, 2, 400);
    fputs("\nExit codes:\n", f);
    wrap(f, program.exit_codes, 2, 96);
}

static void print_help(FILE *f)
{
    fprintf(f, "%s %s: ", program.name, cuzk_version());
    wrap(f, program.description, 0, 96);
    fputs("\nCommands:\n", f);
    for (const struct command *c = program.commands; c->name; c++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", c->name, c->arguments);
        fprintf(f, "  %-34s %s\n", left, c->summary);
    }
    fprintf(f, "\n'%s COMMAND --help' tells more; '%s --version' prints the version; 'man %s' has it all.\n",
            program.name, program.name, program.name);
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

static void print_man_command(const struct command *c)
{
    if (*c->name) {
        printf(".SH ");
        for (const char *at = program.name; *at; at++)
            putchar(toupper((unsigned char)*at));
        printf(" %s\n", c->name);
        man_text(c->description);
    } else {
        printf(".SH OPTIONS\n");
    }
    for (size_t i = 0; i < program.option_count; i++) {
        const struct option *o = &program.options[i];
        if (!(o->commands & c->mask))
            continue;
        printf(".TP\n.BI \\-\\-%s \"%s%s\"\n", o->name, o->argument ? " " : "",
               o->argument ? o->argument : "");
        man_text(o->help);
    }
    fputs(".PP\nExamples:\n.PP\n.nf\n", stdout);
    man_text(c->examples);
    fputs(".fi\n", stdout);
}

static void print_man(void)
{
    printf(".TH ");
    for (const char *at = program.name; *at; at++)
        putchar(toupper((unsigned char)*at));
    printf(" 1 \"\" \"cuzk %s\" \"User Commands\"\n.SH NAME\n", cuzk_version());
    printf("%s \\- %s\n.SH SYNOPSIS\n", program.name, program.title);
    for (const struct command *c = program.commands; c->name; c++) {
        printf(".B %s %s\n", program.name, c->name);
        print_synopsis(stdout, c);
        printf(".br\n");
    }
    fputs(".SH DESCRIPTION\n", stdout);
    man_text(program.description);
    for (const struct command *c = program.commands; c->name; c++)
        print_man_command(c);
    fputs(".SH EXIT STATUS\n", stdout);
    man_text(program.exit_codes);
}

/* ---- parsing ---- */

/* The command that argv[1] (and argv[2]) name; *words: how many arguments its name takes. */
static const struct command *command_find(int argc, char **argv, int *words)
{
    for (const struct command *c = program.commands; c->name; c++) {
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
        if (!row) {
            const char *nearest = option_nearest(c, name);
            return nearest ? cli_misuse(c, "unknown option '%s'; did you mean --%s?", a, nearest)
                           : cli_misuse(c, "unknown option '%s'", a);
        }
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

/* The commands of two words that begin with this one, as "x, y" into out; false: there are none. */
static bool family_of(const char *word, char *out, size_t size)
{
    const size_t n = strlen(word);
    size_t used = 0;
    out[0] = 0;
    for (const struct command *c = program.commands; c->name; c++)
        if (!strncmp(c->name, word, n) && c->name[n] == ' ' && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", c->name + n + 1);
    return used > 0;
}

static enum exit_code unknown_command(const char *name)
{
    char family[128];
    const char *best = program.commands[0].name;
    unsigned least = UINT_MAX;
    if (family_of(name, family, sizeof family))
        return cli_misuse(NULL, "%s needs one of: %s", name, family);
    for (const struct command *c = program.commands; c->name; c++) {
        const unsigned d = distance(name, c->name);
        if (d < least) {
            least = d;
            best = c->name;
        }
    }
    if (!is_near(least, name))
        return cli_misuse(NULL, "unknown command '%s'", name);
    return cli_misuse(NULL, "unknown command '%s'; did you mean '%s'?", name, best);
}

static enum exit_code print_family(const char *word)
{
    const size_t n = strlen(word);
    for (const struct command *c = program.commands; c->name; c++)
        if (!strncmp(c->name, word, n) && c->name[n] == ' ')
            printf("%s %s %s\n    %s\n", program.name, c->name, c->arguments, c->summary);
    return EXIT_DONE;
}

static enum exit_code run_command(const struct command *c, int argc, char **argv)
{
    struct options *o = calloc(1, program.options_size);
    char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
    int count = 0;
    enum exit_code code = EXIT_MEMORY;
    if (!o || !arguments)
        fprintf(stderr, "%s: out of memory\n", program.name);
    else
        code = parse(c, argc, argv, o, arguments, &count);
    if (code == EXIT_DONE && *(const bool *)((const char *)o + program.help_at))
        print_command_help(stdout, c);
    else if (code == EXIT_DONE && count < c->min_arguments)
        code = cli_misuse(c, "%s needs %s", *c->name ? c->name : program.name, c->arguments);
    else if (code == EXIT_DONE && (code = check_required(c, o)) == EXIT_DONE)
        code = c->run(o, count, arguments);
    free(o);
    free(arguments);
    return code;
}

/* What every program answers; false: go on. */
static bool run_general(int argc, char **argv)
{
    const bool help = argc > 1 && !strcmp(argv[1], "help");
    if (argc < 2)
        return false;
    if (!strcmp(argv[1], "--version"))
        printf("%s %s\n", program.name, cuzk_version());
    else if (help && argc > 2 && !strcmp(argv[2], "--man"))
        print_man();
    else if (*program.commands->name &&
             (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || (help && argc == 2)))
        print_help(stdout);
    else
        return false;
    return true;
}

static enum exit_code run_line(int argc, char **argv)
{
    char family[128];
    int words = 0;
    if (run_general(argc, argv))
        return EXIT_DONE;
    if (!*program.commands->name)
        return run_command(program.commands, argc - 1, argv + 1);
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const bool help = !strcmp(argv[1], "help");
    const int word = 1 + help;
    if (family_of(argv[word], family, sizeof family) &&
        (argc == word + 1 ? help : !strcmp(argv[word + 1], "--help")))
        return print_family(argv[word]);
    const struct command *c = command_find(argc - help, argv + help, &words);
    if (!c)
        return unknown_command(argv[word]);
    if (help) {
        print_command_help(stdout, c);
        return EXIT_DONE;
    }
    return run_command(c, argc - 1 - words, argv + 1 + words);
}

enum exit_code cli_main(int argc, char **argv)
{
    const enum exit_code code = run_line(argc, argv);
    if (code == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "%s: standard output: %s\n", program.name, strerror(errno));
        return EXIT_SYSTEM;
    }
    return code;
}

/* cuzk-daemon - the proving daemon's command line.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/daemon.h"

#define CHANGES_MAX 64

enum { EXIT_FAILED = 1, EXIT_MISUSE = 2 };

static const char USAGE[] =
    "usage: cuzk-daemon [OPTION]...\n"
    "\n"
    "Serves proofs over gRPC, and its state over HTTP, until SIGTERM; SIGHUP reads the settings again.\n"
    "\n"
    "  --config FILE         settings, by default " CONFIG_PATH " if it is there\n"
    "  --listen ADDRESS      daemon.listen: unix:///path or host:port\n"
    "  --status-listen H:P   daemon.status_listen\n"
    "  --log-level LEVEL     logging.level: error, warn, info, debug or trace\n"
    "  --set KEY=VALUE       any setting, such as queue.max_jobs=100\n"
    "  --check-config        check the settings, print what is in force and the GPUs found, and end\n"
    "  --replay FOLDER       prove once more what a bundle of a failure holds (STATE_FOLDER/bundles/*), "
    "print what\n"
    "                        came of it as JSON, and end: with 0 if it was proved without a fault, else 1\n"
    "  --example             print an example file with all settings, and end\n"
    "  --man                 print the manual page (roff), and end\n"
    "  --version, --help\n"
    "\n"
    "examples:\n"
    "  cuzk-daemon --config /etc/cuzk.toml\n"
    "  cuzk-daemon --listen unix:///tmp/cuzk.sock --set srs.param_cache=/data/params\n"
    "  cuzk-daemon --config cuzk.toml --check-config\n"
    "  cuzk-daemon --config cuzk.toml --replay /data/zk/cuzk-state/bundles/JOB-0-TIME\n"
    "\n"
    "settings (section.key):\n";

static const char MANUAL_HEAD[] =
    ".TH CUZK-DAEMON 1\n.SH NAME\ncuzk\\-daemon \\- Groth16 proofs for Filecoin, over gRPC\n"
    ".SH SYNOPSIS\n.B cuzk\\-daemon\n[\\fIOPTION\\fR]...\n"
    ".SH DESCRIPTION\nKeeps the parameters loaded, takes vanilla proofs over gRPC "
    "(proto/cuzk/v1/proving.proto) and "
    "answers with proofs, each verified. Serves its state, metrics and a page over HTTP. Accepted jobs are "
    "kept "
    "in a journal and outlive the process.\n"
    ".SH OPTIONS\n"
    ".TP\n\\fB\\-\\-config\\fR \\fIFILE\\fR\nsettings; by default " CONFIG_PATH " if it is there\n"
    ".TP\n\\fB\\-\\-listen\\fR \\fIADDRESS\\fR\nas the setting daemon.listen\n"
    ".TP\n\\fB\\-\\-status\\-listen\\fR \\fIHOST:PORT\\fR\nas daemon.status_listen\n"
    ".TP\n\\fB\\-\\-log\\-level\\fR \\fILEVEL\\fR\nas logging.level\n"
    ".TP\n\\fB\\-\\-set\\fR \\fISECTION.KEY=VALUE\\fR\nany setting\n"
    ".TP\n\\fB\\-\\-check\\-config\\fR\ncheck the settings, print what is in force and the GPUs that were "
    "found, and end\n"
    ".TP\n\\fB\\-\\-replay\\fR \\fIFOLDER\\fR\nprove once more what a bundle of a failure holds (a folder in "
    "bundles of the state folder), with the settings but without the journal; print what came of it as JSON\n"
    ".TP\n\\fB\\-\\-example\\fR\nprint an example file with all settings\n"
    ".SH SIGNALS\n.TP\nSIGTERM, SIGINT\nno new jobs; ends when those in hand have ended; a second one stops "
    "at "
    "once\n.TP\nSIGHUP\nreads the settings again and takes over what can change while it runs\n"
    ".SH EXIT STATUS\n0: stopped by a signal. 1: it cannot serve, or what was replayed failed again. 2: "
    "misuse, or wrong settings.\n";

struct line {
    const char *config_path, *replay;
    char changes[CHANGES_MAX][CONFIG_TEXT + 64];
    const char *list[CHANGES_MAX];
    unsigned count;
    bool check;
};

/* A text is written whole, or that it was not is said. */
static int print(struct text *text, int code)
{
    const bool fine = !text->failed && printf("%s", text->data) >= 0 && fflush(stdout) == 0;
    if (!fine) {
        fprintf(stderr, "cuzk-daemon: standard output: %s\n",
                text->failed ? "out of memory" : strerror(errno));
        code = EXIT_FAILED;
    }
    text_free(text);
    return code;
}

static int print_made(const char *head, void (*make)(struct text *out))
{
    struct text text = {0};
    text_printf(&text, "%s", head);
    if (make)
        make(&text);
    return print(&text, 0);
}

static int misuse(const char *what, const char *argument)
{
    fprintf(stderr, "cuzk-daemon: %s%s (see --help)\n", what, argument);
    return EXIT_MISUSE;
}

static bool add_change(struct line *l, const char *key, const char *value)
{
    if (l->count == CHANGES_MAX)
        return false;
    char *change = l->changes[l->count];
    const int size = snprintf(change, sizeof l->changes[0], "%s%s%s", key, *key ? "=" : "", value);
    l->list[l->count++] = change;
    return size >= 0 && (size_t)size < sizeof l->changes[0];
}

/* The value of "--name VALUE" or "--name=VALUE"; NULL: it is another argument, or has none. */
static const char *value_of(const char *name, int argc, char **argv, int *i)
{
    const size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0)
        return NULL;
    if (argv[*i][n] == '=')
        return argv[*i] + n + 1;
    return argv[*i][n] == 0 && *i + 1 < argc ? argv[++*i] : NULL;
}

/* -1: go on; else the exit code. */
static int parse(struct line *l, int argc, char **argv)
{
    static const struct {
        const char *name, *key;
    } flags[] = {{"--listen", "daemon.listen"},
                 {"--status-listen", "daemon.status_listen"},
                 {"--log-level", "logging.level"},
                 {"--set", ""}};
    for (int i = 1; i < argc; i++) {
        const char *value = NULL, *argument = argv[i];
        if (strcmp(argument, "--help") == 0)
            return print_made(USAGE, config_help);
        if (strcmp(argument, "--man") == 0)
            return print_made(MANUAL_HEAD, config_manual);
        if (strcmp(argument, "--example") == 0)
            return print_made("", config_example);
        if (strcmp(argument, "--version") == 0)
            return print_made("cuzk-daemon " CUZK_VERSION "\n", NULL);
        if (strcmp(argument, "--check-config") == 0) {
            l->check = true;
            continue;
        }
        if ((value = value_of("--config", argc, argv, &i))) {
            l->config_path = value;
            continue;
        }
        if ((value = value_of("--replay", argc, argv, &i))) {
            l->replay = value;
            continue;
        }
        for (size_t k = 0; !value && k < sizeof flags / sizeof *flags; k++)
            if ((value = value_of(flags[k].name, argc, argv, &i)) && !add_change(l, flags[k].key, value))
                return misuse("too many settings, or too long a value: ", value);
        if (!value)
            return misuse("unknown option or missing value: ", argument);
    }
    return -1;
}

static cuzk_status settle(struct daemon_options *o, struct config_warnings *warnings, struct cuzk_error *e)
{
    cuzk_status status = CUZK_OK;
    config_defaults(&o->config);
    if (!o->config_path && access(CONFIG_PATH, F_OK) == 0)
        o->config_path = CONFIG_PATH;
    if (o->config_path)
        status = config_read_file(&o->config, warnings, o->config_path, e);
    for (unsigned i = 0; status == CUZK_OK && i < o->change_count; i++)
        status = config_set(&o->config, warnings, o->changes[i], e);
    return status == CUZK_OK ? config_check(&o->config, e) : status;
}

static int failed(struct text *text, const struct cuzk_error *e, int code)
{
    fprintf(stderr, "cuzk-daemon: %s\n", e->message);
    text_free(text);
    return code;
}

static int check(const struct daemon_options *options)
{
    struct text text = {0};
    struct cuzk_error e = {0};
    config_print(&text, &options->config);
    if (daemon_describe_devices(&options->config, &text, &e) != CUZK_OK)
        return failed(&text, &e, EXIT_MISUSE);
    return print(&text, 0);
}

static int replay(const struct daemon_options *options, const char *folder)
{
    struct text text = {0};
    struct cuzk_error e = {0};
    bool well = false;
    if (daemon_replay(options, folder, &text, &well, &e) != CUZK_OK)
        return failed(&text, &e, EXIT_FAILED);
    return print(&text, well ? 0 : EXIT_FAILED);
}

int main(int argc, char **argv)
{
    static struct line line;
    static struct config_warnings warnings;
    struct cuzk_error e = {0};
    const int code = parse(&line, argc, argv);
    if (code >= 0)
        return code;
    struct daemon_options options = {.config_path = line.config_path,
                                     .changes = line.list,
                                     .change_count = line.count,
                                     .notify_socket = getenv("NOTIFY_SOCKET")};
    const char *watchdog = getenv("WATCHDOG_USEC");
    options.watchdog_us = watchdog ? strtoull(watchdog, NULL, 10) : 0;
    if (settle(&options, &warnings, &e) != CUZK_OK) {
        fprintf(stderr, "cuzk-daemon: %s\n", e.message);
        return EXIT_MISUSE;
    }
    for (unsigned i = 0; i < warnings.count; i++)
        fprintf(stderr, "cuzk-daemon: warning: %s\n", warnings.text[i]);
    if (line.check)
        return check(&options);
    if (line.replay)
        return replay(&options, line.replay);
    if (daemon_run(&options, &e) != CUZK_OK) {
        fprintf(stderr, "cuzk-daemon: %s\n", e.message);
        return EXIT_FAILED;
    }
    return 0;
}

/* cuzk-memmon - watches the memory of a process and its descendants.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cuzk/cuzk.h>

#include "common/output.h"
#include "common/progress.h"
#include "cuzk-memmon/memmon.h"

#define DEFAULT_NAME "cuzk-daemon"
#define LOOK_MS      100 /* how often it is asked whether a process that is not ours still lives */
#define FOUND_MAX    16

/* Signals of ours: that a child has ended, to be passed on, or to end by. */
static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

struct watch {
    const struct options *o;
    pid_t child; /* 0: we follow a process that is not ours */
    uint64_t birth;
    bool ended, stopped;
    int code; /* the child's; -1: none */
    sigset_t mask, before;
    FILE *csv;
};

static enum exit_code complain(const char *what, const char *why)
{
    fprintf(stderr, "cuzk-memmon: %s%s%s\n", what, *why ? ": " : "", why);
    return EXIT_SYSTEM;
}

static void block_signals(struct watch *w)
{
    sigemptyset(&w->mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&w->mask, signals[i]);
    sigprocmask(SIG_BLOCK, &w->mask, &w->before);
    signal(SIGPIPE, SIG_IGN);
}

/* Start the command. The pipe closes with the command's beginning, or brings errno. */
static enum exit_code start_command(struct watch *w, char **argv)
{
    int ends[2], fault = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return complain("a pipe", strerror(errno));
    /* What our child leaves behind when it ends comes to us, so the tree stays whole. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    w->child = fork();
    if (w->child == 0) {
        sigprocmask(SIG_SETMASK, &w->before, NULL);
        signal(SIGPIPE, SIG_DFL);
        execvp(argv[0], argv);
        fault = errno;
        const ssize_t written = write(ends[1], &fault, sizeof fault);
        (void)written; /* the exit code says it too */
        _exit(127);
    }
    close(ends[1]);
    if (w->child < 0) {
        close(ends[0]);
        return complain("a process", strerror(errno));
    }
    const bool failed = read(ends[0], &fault, sizeof fault) == (ssize_t)sizeof fault;
    close(ends[0]);
    if (!failed)
        return EXIT_DONE;
    (void)waitpid(w->child, NULL, 0);
    (void)complain(argv[0], strerror(fault));
    return (enum exit_code)(fault == ENOENT ? 127 : 126);
}

/* Ends of our descendants; that of the command ends the watch. */
static void reap(struct watch *w, struct record *r)
{
    int status;
    struct rusage usage;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        if (pid != w->child)
            continue;
        w->ended = true;
        w->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        const uint64_t most = (uint64_t)usage.ru_maxrss * 1024;
        r->high_water = most > r->high_water ? most : r->high_water;
    }
}

static void take_signal(struct watch *w, struct record *r, const siginfo_t *info)
{
    if (info->si_signo == SIGCHLD)
        reap(w, r);
    else if (!w->child)
        w->stopped = true;
    else if (info->si_code != SI_KERNEL) /* a terminal sends it to the command, too */
        (void)kill(w->child, info->si_signo);
}

/* Wait until the next moment is due; false: it is over. */
static bool wait_until(struct watch *w, struct record *r, double due)
{
    for (;;) {
        if (!w->child && process_birth(r->root) != w->birth)
            w->ended = true;
        double left = due - now_seconds();
        if (w->ended || w->stopped || left <= 0)
            return !w->ended && !w->stopped;
        if (!w->child && left > LOOK_MS / 1000.0)
            left = LOOK_MS / 1000.0;
        const struct timespec t = {.tv_sec = (time_t)left,
                                   .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
        siginfo_t info;
        if (sigtimedwait(&w->mask, &info, &t) > 0)
            take_signal(w, r, &info);
    }
}

static void follow(struct watch *w, struct record *r)
{
    const double start = now_seconds(), every = (double)w->o->interval / 1000;
    double due = start, pages_due = start;
    do {
        const double now = now_seconds();
        const bool pages = w->o->pages > 0 && now >= pages_due;
        if (!record_take(r, now - start, pages))
            continue;
        if (pages)
            pages_due = now + (double)w->o->pages / 1000 - every / 2;
        if (w->csv)
            report_csv_line(w->csv, r);
        if (!w->child && !w->o->quiet && !w->o->json)
            report_line(stdout, r);
    } while (due = due + every > now_seconds() ? due + every : now_seconds() + every, wait_until(w, r, due));
}

/* ---- whom to follow ---- */

static enum exit_code find_named(struct watch *w, const char *name, pid_t *out)
{
    pid_t found[FOUND_MAX];
    size_t count;
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    siginfo_t info;
    while ((count = process_find(found, FOUND_MAX, name)) == 0 && w->o->wait)
        if (sigtimedwait(&w->mask, &info, &pause) > 0 && info.si_signo != SIGCHLD)
            return EXIT_STOPPED;
    if (count == 0) {
        fprintf(stderr, "cuzk-memmon: no process is named '%s' (--wait waits for one)\n", name);
        return EXIT_SYSTEM;
    }
    *out = found[0];
    if (count == 1)
        return EXIT_DONE;
    fprintf(stderr, "cuzk-memmon: %zu processes are named '%s': choose one with --pid:", count, name);
    for (size_t i = 0; i < count && i < FOUND_MAX; i++)
        fprintf(stderr, " %ld", (long)found[i]);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static enum exit_code choose(struct watch *w, int argc, char **argv, pid_t *root)
{
    const struct options *o = w->o;
    enum exit_code code = EXIT_DONE;
    if (argc > 0) {
        if (o->has_pid || o->name || o->wait)
            return cli_misuse(NULL, "a command is run: --pid, --name and --wait have no place");
        code = start_command(w, argv);
        *root = w->child;
        return code;
    }
    *root = (pid_t)o->pid;
    if (!o->has_pid)
        code = find_named(w, o->name ? o->name : DEFAULT_NAME, root);
    else if (o->name)
        return cli_misuse(NULL, "--pid and --name: choose one");
    if (code == EXIT_DONE && (w->birth = process_birth(*root)) == 0) {
        fprintf(stderr, "cuzk-memmon: there is no process %ld\n", (long)*root);
        code = EXIT_SYSTEM;
    }
    return code;
}

/* ---- in the end ---- */

static enum exit_code write_report(const struct watch *w, const struct record *r)
{
    char *text = NULL;
    size_t size = 0;
    struct cuzk_error e = {0};
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return complain("the report", strerror(errno));
    report_json(f, r, w->o->interval, w->code);
    cuzk_status status = fclose(f) == 0 ? CUZK_OK : CUZK_ERR_MEMORY;
    if (status == CUZK_OK)
        status = cuzk_write_file(w->o->report, text, size, &e);
    free(text);
    return status == CUZK_OK ? EXIT_DONE : complain("the report", e.message);
}

static enum exit_code conclude(struct watch *w, const struct record *r)
{
    enum exit_code code = EXIT_DONE;
    struct cuzk_error e = {0};
    if (w->o->json)
        report_json(stdout, r, w->o->interval, w->code);
    else if (!w->o->quiet)
        report_summary(w->child ? stderr : stdout, r);
    if (w->o->report)
        code = write_report(w, r);
    if (w->o->plot && report_plot(w->o->plot, r, &e) != CUZK_OK)
        code = complain("the plot", e.message);
    if (w->csv && (ferror(w->csv) || fclose(w->csv) != 0))
        code = complain(w->o->csv, strerror(errno));
    return w->child && w->code >= 0 ? (enum exit_code)w->code : code;
}

static enum exit_code run(const struct options *given, int argc, char **argv)
{
    static struct record record;
    struct options o = *given;
    struct watch w = {.o = &o, .code = -1};
    pid_t root = 0;
    o.interval = o.interval ? o.interval : argc > 0 ? 100 : 1000;
    o.pages = o.pages ? o.pages : o.interval > 1000 ? o.interval : 1000;
    const char *const files[] = {o.csv, o.plot, o.report};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct cuzk_error e = {0};
        if (output_check(files[i], false, &e) != CUZK_OK)
            return complain(e.message, "");
    }
    block_signals(&w);
    if (o.csv && !(w.csv = fopen(o.csv, "we")))
        return complain(o.csv, strerror(errno));
    enum exit_code code = choose(&w, argc, argv, &root);
    if (code == EXIT_DONE) {
        struct nvml *nvml = nvml_open();
        record_begin(&record, root, w.child ? getpid() : 0, nvml);
        if (w.csv)
            report_csv_head(w.csv);
        follow(&w, &record);
        /* between two samples, or in too short a life for any, the kernel sees more; of a process that lived
         * before, also what was then */
        if (w.child && record.peak.memory.resident < record.high_water)
            record.peak.memory.resident = record.high_water;
        code = conclude(&w, &record);
        nvml_close(nvml);
    } else if (w.csv) {
        fclose(w.csv);
    }
    return code;
}

/* ---- the command line ---- */

#define AT(member) offsetof(struct options, member)

static const struct option options[] = {
    {"pid", "N", "the process to follow", OPT_UNSIGNED, ALL_COMMANDS, 1, INT_MAX, AT(pid), AT(has_pid)},
    {"name", "NAME", "the name of the process to follow (default: " DEFAULT_NAME ")", OPT_TEXT, ALL_COMMANDS,
     0, 0, AT(name), NO_HAS},
    {"wait", NULL, "wait until there is a process of the name", OPT_FLAG, ALL_COMMANDS, 0, 0, AT(wait),
     NO_HAS},
    {"interval", "TIME", "between two samples (default: 1s, of a command 100ms)", OPT_TIME, ALL_COMMANDS, 10,
     3600000, AT(interval), NO_HAS},
    {"pages", "TIME",
     "how often huge pages and proportional memory are read, for which the kernel walks all pages (default: "
     "1s)",
     OPT_TIME, ALL_COMMANDS, 10, 86400000, AT(pages), NO_HAS},
    {"csv", "FILE", "write each sample as a line", OPT_TEXT, ALL_COMMANDS, 0, 0, AT(csv), NO_HAS},
    {"plot", "FILE", "draw memory over time at the end (SVG)", OPT_TEXT, ALL_COMMANDS, 0, 0, AT(plot),
     NO_HAS},
    {"report", "FILE", "write the summary as JSON into a file", OPT_TEXT, ALL_COMMANDS, 0, 0, AT(report),
     NO_HAS},
    {"json", NULL, "print the summary as JSON, and no samples", OPT_FLAG, ALL_COMMANDS, 0, 0, AT(json),
     NO_HAS},
    {"quiet", NULL, "print nothing", OPT_FLAG, ALL_COMMANDS, 0, 0, AT(quiet), NO_HAS},
    {"help", NULL, "show this help", OPT_FLAG, ALL_COMMANDS, 0, 0, AT(help), NO_HAS},
};

static const char description[] =
    "Follows a process and all that descend from it, or runs a command, until it ends or SIGINT or SIGTERM "
    "comes, and tells the memory they have: resident, and of it anonymous, file and shared pages; swap; huge "
    "pages; what GPUs hold for them. In the end it prints the most and the last of each. The columns of the "
    "CSV are timestamp_ms (Unix), rss_kb, rss_gib, then anonymous, file, shmem, huge, swap, pss, device in "
    "kB, "
    "and the number of processes. Signals are passed on to a command that is run; the summary is then "
    "printed "
    "to standard error. Resident pages that processes share count once for each; pss counts them in parts.";

static const struct command commands[] = {
    {"", "[-- COMMAND [ARGUMENT]...]", 0, INT_MAX, 1, "", "", description,
     "cuzk-memmon\n"
     "cuzk-memmon --pid 4711 --interval 250ms --csv memory.csv --plot memory.svg\n"
     "cuzk-memmon --wait --json\n"
     "cuzk-memmon --plot prove.svg -- cuzk prove c1.json --srs porep-32g.srs --out proof.bin",
     run},
    {0},
};

const struct program program = {
    .name = "cuzk-memmon",
    .title = "watch the memory of the proving daemon or of a command",
    .description = description,
    .exit_codes = "that of the command, if one is run (128 and the signal's number if one ended it; 126, "
                  "127: it could not "
                  "be started); else 0 the process has ended or the watch was stopped; 2 the command line is "
                  "wrong; 4 there "
                  "is no such process, or the system refused.",
    .commands = commands,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .options_size = sizeof(struct options),
    .help_at = AT(help),
};

int main(int argc, char **argv)
{
    return (int)cli_main(argc, argv);
}

/* cuzk/doctor.c - `cuzk doctor`: is this machine ready to prove, and what is to be done if not?
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cuzk/doctor.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/emit.h"

static volatile int stop_asked;

static void on_signal(int signal)
{
    (void)signal;
    stop_asked = 1;
}

void doctor_note(struct doctor *d, const char *check, enum finding_level level, const char *advice,
                 const char *format, ...)
{
    va_list args;
    if (d->findings == FINDINGS_MAX)
        return;
    struct finding *f = &d->finding[d->findings++];
    f->level = level;
    snprintf(f->check, sizeof f->check, "%s", check);
    snprintf(f->advice, sizeof f->advice, "%s", advice ? advice : "");
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
}

const char *doctor_size(char out[16], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    unsigned unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    snprintf(out, 16, "%.*f %s", unit > 0 && value < 100, value, units[unit]);
    return out;
}

bool doctor_read_line(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    const bool fine = fgets(out, (int)size, f) != NULL;
    fclose(f);
    out[fine ? strcspn(out, "\n") : 0] = 0;
    return fine;
}

static const char *level_name(enum finding_level level)
{
    static const char *const names[] = {"ok", "note", "warning", "error"};
    return names[level];
}

static void print_findings(const struct doctor *d)
{
    size_t count[4] = {0};
    for (size_t i = 0; i < d->findings; i++) {
        const struct finding *f = &d->finding[i];
        count[f->level]++;
        printf("%-8s %-12s %s\n", level_name(f->level), f->check, f->text);
        if (*f->advice)
            printf("%-8s %-12s -> %s\n", "", "", f->advice);
    }
    if (count[FINDING_ERROR] + count[FINDING_WARNING] == 0)
        printf("\nall is well\n");
    else
        printf("\n%zu error%s, %zu warning%s\n", count[FINDING_ERROR], count[FINDING_ERROR] == 1 ? "" : "s",
               count[FINDING_WARNING], count[FINDING_WARNING] == 1 ? "" : "s");
}

static void emit_findings(const struct doctor *d, bool sound)
{
    struct emit e = {.f = stdout};
    emit_open(&e, NULL, '{');
    emit_flag(&e, "sound", sound);
    emit_text(&e, "version", cuzk_version());
    emit_text(&e, "param_cache", d->param_cache);
    emit_open(&e, "findings", '[');
    for (size_t i = 0; i < d->findings; i++) {
        const struct finding *f = &d->finding[i];
        emit_open(&e, NULL, '{');
        emit_text(&e, "check", f->check);
        emit_text(&e, "level", level_name(f->level));
        emit_text(&e, "text", f->text);
        emit_text(&e, "advice", f->advice);
        emit_close(&e, '}');
    }
    emit_close(&e, ']');
    emit_close(&e, '}');
    putchar('\n');
}

static void look(struct doctor *d)
{
    static void (*const checks[])(struct doctor *) = {doctor_settings, doctor_processor, doctor_memory,
                                                      doctor_driver,   doctor_limits,    doctor_folder,
                                                      doctor_params,   doctor_proofs};
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !stop_asked; i++)
        checks[i](d);
}

enum exit_code run_doctor(const struct options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct cuzk_error e = {0};
    struct doctor *d = calloc(1, sizeof *d);
    if (!d) {
        fputs("cuzk: out of memory\n", stderr);
        return EXIT_MEMORY;
    }
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    d->o = o;
    progress_init(&d->progress, !o->quiet);
    cuzk_machine_read(&d->machine);
    const struct cuzk_options options = {.threads = o->threads,
                                         .cpu = o->cpu,
                                         .memory_limit = o->memory,
                                         .device = "cpu",
                                         .progress = progress_update,
                                         .progress_user = &d->progress,
                                         .cancel = &stop_asked};
    enum exit_code code = EXIT_DONE;
    const cuzk_status status = cuzk_context_new(&d->context, &options, &e);
    if (status != CUZK_OK) {
        fprintf(stderr, "cuzk: %s\n", e.message);
        code = exit_code_of(status);
    } else {
        look(d);
        progress_clear(&d->progress);
        for (size_t i = 0; i < d->findings; i++)
            if (d->finding[i].level == FINDING_ERROR)
                code = EXIT_NO;
        if (o->json)
            emit_findings(d, code == EXIT_DONE);
        else
            print_findings(d);
        code = stop_asked ? EXIT_STOPPED : code;
    }
    cuzk_context_free(d->context);
    free(d);
    return code;
}

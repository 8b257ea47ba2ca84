/* cuzk/doctor_params.c - the daemon's settings as far as they matter here, the folder of parameters, and
 * whether each enabled circuit's are there and sound.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuzk/doctor.h"

#define DEFAULT_FOLDER "/data/zk/params"
#define GIB            1073741824.0

/* ---- settings ---- */

static void add_circuit(struct doctor *d, const char *name, size_t size)
{
    char circuit[NAME_SIZE];
    snprintf(circuit, sizeof circuit, "%.*s", (int)size, name);
    const char *known;
    const bool other = !strncmp(circuit, "wpost-", 6);
    for (size_t i = 0; (known = cuzk_circuit_name(i)) != NULL; i++)
        if (!strcmp(known, circuit) ||
            (other && !strncmp(known, "window-", 7) && !strcmp(known + 7, circuit + 6)))
            break;
    if (!known)
        doctor_note(d, "settings", FINDING_ERROR,
                    "name circuits such as porep-32g, winning-32g, window-32g, snap-32g",
                    "no circuit is named '%s'", circuit);
    else if (d->circuits < CIRCUITS_MAX)
        snprintf(d->circuit[d->circuits++], NAME_SIZE, "%s", circuit);
}

/* Names with commas and blanks between, and quotes around. */
static void add_circuits(struct doctor *d, const char *list)
{
    static const char between[] = ", \"[]\n";
    for (list += strspn(list, between); *list; list += strspn(list, between)) {
        const size_t n = strcspn(list, between);
        add_circuit(d, list, n);
        list += n;
    }
}

/* cuzk-daemon beside this program, or the PATH's. */
static void daemon_path(char out[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[n > 0 ? n : 0] = 0;
    char *slash = strrchr(out, '/');
    if (slash && (size_t)(slash - out) + sizeof "/cuzk-daemon" <= PATH_MAX) {
        strcpy(slash, "/cuzk-daemon");
        if (access(out, X_OK) == 0)
            return;
    }
    strcpy(out, "cuzk-daemon");
}

/* What `cuzk-daemon --config FILE --check-config` prints; its exit code, 127 if there is no such program. */
static int ask_daemon(const char *config, char *out, size_t size)
{
    char path[PATH_MAX];
    int ends[2], status = 0;
    size_t used = 0;
    daemon_path(path);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 127;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execlp(path, path, "--config", config, "--check-config", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t n = 1; pid > 0 && n > 0 && used<size - 1; used += n> 0 ? (size_t)n : 0)
        n = read(ends[0], out + used, size - 1 - used);
    out[used] = 0;
    close(ends[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 127;
    return WEXITSTATUS(status);
}

/* The value of a line `key = "..."`; false: there is none. */
static bool find_value(const char *text, const char *key, char *out, size_t size)
{
    const size_t n = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) != 0 || strncmp(line + n, " = ", 3) != 0)
            continue;
        snprintf(out, size, "%.*s", (int)strcspn(line + n + 3, "\n"), line + n + 3);
        return true;
    }
    return false;
}

static void read_config(struct doctor *d, const char *config)
{
    char text[65536], value[CUZK_PATH_MAX];
    const int code = ask_daemon(config, text, sizeof text);
    if (code != 0) {
        text[strcspn(text, "\n")] = 0;
        doctor_note(d, "settings", FINDING_ERROR,
                    code == 127
                        ? "install cuzk-daemon beside cuzk, or leave out --config and use --param-cache"
                        : "mend the file; 'cuzk-daemon --example' lists all settings",
                    "%s", code == 127 ? "cuzk-daemon, which reads the settings, was not found" : text);
        return;
    }
    doctor_note(d, "settings", FINDING_OK, NULL, "%s can be read", config);
    if (find_value(text, "param_cache", value, sizeof value) && value[0] == '"') {
        value[strlen(value) - 1] = 0;
        snprintf(d->param_cache, sizeof d->param_cache, "%s", value + 1);
    }
    if (find_value(text, "keep_loaded", value, sizeof value))
        add_circuits(d, value);
}

void doctor_settings(struct doctor *d)
{
    snprintf(d->param_cache, sizeof d->param_cache, "%s", DEFAULT_FOLDER);
    if (d->o->config)
        read_config(d, d->o->config);
    if (d->o->param_cache)
        snprintf(d->param_cache, sizeof d->param_cache, "%s", d->o->param_cache);
    if (d->o->circuits) {
        d->circuits = 0;
        add_circuits(d, d->o->circuits);
    }
    d->circuits_named = d->circuits > 0 || d->o->circuits;
    struct cuzk_error e;
    char path[CUZK_PATH_MAX];
    const char *name;
    for (size_t i = 0; !d->circuits_named && (name = cuzk_circuit_name(i)) != NULL; i++)
        if (cuzk_params_find(d->param_cache, name, path, &e) == CUZK_OK)
            add_circuit(d, name, strlen(name));
}

/* ---- the folder ---- */

/* The largest parameter file there, for a measurement. */
static uint64_t largest_file(const struct doctor *d, char out[CUZK_PATH_MAX])
{
    uint64_t most = 0;
    for (size_t i = 0; i < d->circuits; i++) {
        char path[CUZK_PATH_MAX];
        struct cuzk_error e;
        struct stat st;
        if (cuzk_params_find(d->param_cache, d->circuit[i], path, &e) != CUZK_OK || stat(path, &st) != 0 ||
            (uint64_t)st.st_size <= most)
            continue;
        most = (uint64_t)st.st_size;
        strcpy(out, path);
    }
    return most;
}

#define PIECE       ((size_t)16 << 20)
#define SPEED_BYTES ((uint64_t)2 << 30)
#define SPEED_TIME  1.5

/* Bytes a second from the disk; 0: not told (a file system without direct reading: one in memory). */
static double read_speed(const char *path)
{
    void *buffer = NULL;
    uint64_t sum = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (fd < 0 || posix_memalign(&buffer, 4096, PIECE) != 0) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    const double start = now_seconds();
    double spent = 0;
    for (ssize_t n = 1; n > 0 && sum < SPEED_BYTES && spent < SPEED_TIME; spent = now_seconds() - start) {
        n = pread(fd, buffer, PIECE, (off_t)sum);
        sum += n > 0 ? (uint64_t)n : 0;
    }
    free(buffer);
    close(fd);
    return sum >= PIECE && spent > 0 ? (double)sum / spent : 0;
}

/* 1: a spinning disk; 0: not; -1: not told. */
static int rotates(const char *folder)
{
    struct stat st;
    char path[128], line[16];
    if (stat(folder, &st) != 0)
        return -1;
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/queue/rotational", major(st.st_dev), minor(st.st_dev));
    if (!doctor_read_line(path, line, sizeof line)) {
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/../queue/rotational", major(st.st_dev),
                 minor(st.st_dev));
        if (!doctor_read_line(path, line, sizeof line))
            return -1;
    }
    return line[0] == '1';
}

static void disk_speed(struct doctor *d)
{
    char path[CUZK_PATH_MAX];
    const uint64_t size = largest_file(d, path);
    const double speed = size >= PIECE ? read_speed(path) : 0;
    const int turning = rotates(d->param_cache);
    if (speed == 0) {
        doctor_note(d, "disk", turning == 1 ? FINDING_WARNING : FINDING_OK,
                    turning == 1 ? "move the parameters to a solid-state disk" : NULL, "%s",
                    turning == 1   ? "the parameters lie on a spinning disk"
                    : turning == 0 ? "solid state; its speed was not measured (no large parameter file there)"
                                   : "its speed was not measured");
        return;
    }
    const bool slow = speed < 400e6;
    char advice[160];
    snprintf(advice, sizeof advice,
             "move the parameters to a faster disk: at this speed those of 32GiB PoRep, 47 GiB, take %.0f s "
             "to load",
             47 * GIB / speed);
    doctor_note(d, "disk", slow ? FINDING_WARNING : FINDING_OK, slow ? advice : NULL,
                "%.2f GB/s read directly: %s", speed / 1e9,
                speed >= 2e9 ? "as a fast NVMe disk"
                : slow       ? "slow"
                             : "as a solid-state disk");
}

void doctor_folder(struct doctor *d)
{
    struct statvfs fs;
    struct stat st;
    const char *folder = d->param_cache;
    char advice[CUZK_PATH_MAX + 128];
    snprintf(advice, sizeof advice,
             "mkdir -p %s, and put the parameters there (or name another folder: --param-cache, "
             "in the settings srs.param_cache)",
             folder);
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        doctor_note(d, "folder", FINDING_ERROR, advice, "%s: %s", folder,
                    stat(folder, &st) != 0 ? strerror(errno) : "is not a folder");
        return;
    }
    const bool reads = access(folder, R_OK | X_OK) == 0, writes = access(folder, W_OK) == 0;
    snprintf(advice, sizeof advice, "let the daemon's user %s %s", reads ? "write into" : "read", folder);
    doctor_note(d, "folder",
                !reads   ? FINDING_ERROR
                : writes ? FINDING_OK
                         : FINDING_WARNING,
                reads && writes ? NULL : advice, "%s%s", folder,
                !reads    ? " cannot be read"
                : !writes ? " cannot be written to: checks and templates are made anew at each start"
                          : "");
    if (statvfs(folder, &fs) == 0) {
        const double free_bytes = (double)fs.f_bavail * (double)fs.f_frsize;
        doctor_note(
            d, "disk", free_bytes < 1 * GIB ? FINDING_WARNING : FINDING_OK,
            free_bytes < 1 * GIB ? "free some: templates and stamps are kept there, and conversions need as "
                                   "much as their results"
                                 : NULL,
            "%.1f of %.1f GiB free", free_bytes / GIB, (double)fs.f_blocks * (double)fs.f_frsize / GIB);
    }
    if (!d->o->quick)
        disk_speed(d);
}

/* ---- parameters ---- */

static bool is_folded(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".srs");
}

/* What is wrong with a file; messages of the library name it mostly. */
static void note_fault(struct doctor *d, const char *circuit, const char *path, cuzk_status status,
                       const char *message)
{
    const bool named = strstr(message, path) != NULL;
    if (status != CUZK_ERR_CANCELLED)
        doctor_note(d, "parameters", FINDING_ERROR,
                    status == CUZK_ERR_MISMATCH ? "put the circuit's own file there"
                    : status == CUZK_ERR_INPUT  ? "the file is damaged: fetch or make it again"
                                                : "see to what stands there, and ask again",
                    "%s: %s%s%.*s", circuit, named ? "" : path, named ? "" : ": ",
                    (int)strcspn(message, "\n"), message);
}

static void check_file(struct doctor *d, const char *circuit, const char *path)
{
    struct cuzk_error e = {0};
    bool checked = false;
    uint64_t size = 0;
    char text[16], advice[2 * CUZK_PATH_MAX + 160];
    cuzk_status status = cuzk_params_checked(path, &checked, &size, &e);
    if (status == CUZK_OK && !checked && d->o->quick) {
        cuzk_vk *key = NULL; /* whether it begins well, and is whole, is quickly told */
        status = cuzk_vk_open(d->context, &key, path, &e);
        cuzk_vk_free(key);
        if (status == CUZK_OK)
            doctor_note(d, "parameters", FINDING_WARNING,
                        "without --quick it is checked now; else the daemon does so when it first loads it",
                        "%s: %s (%s) has not been checked yet", circuit, path, doctor_size(text, size));
        else
            note_fault(d, circuit, path, status, e.message);
        return;
    }
    if (status == CUZK_OK)
        status = cuzk_params_check(d->context, circuit, path, &e);
    if (status != CUZK_OK) {
        note_fault(d, circuit, path, status, e.message);
        return;
    }
    snprintf(advice, sizeof advice,
             "cuzk srs convert %s --params %s --out %s/%s.srs: proofs are then made several times as fast",
             circuit, path, d->param_cache, circuit);
    doctor_note(d, "parameters", is_folded(path) ? FINDING_OK : FINDING_NOTE, is_folded(path) ? NULL : advice,
                "%s: %s, %s, sound%s", circuit, path, doctor_size(text, size),
                checked ? " (checked before)" : "");
}

struct report {
    char text[4096];
    size_t size;
};

static bool take_report(void *user, const char *text, size_t size)
{
    struct report *r = user;
    for (size_t i = 0; i < size && r->size < sizeof r->text - 1; i++)
        r->text[r->size++] = text[i];
    r->text[r->size] = 0;
    return true;
}

/* Read all of it, whatever a stamp says. */
static void check_fully(struct doctor *d, const char *circuit, const char *path)
{
    struct cuzk_error e = {0};
    struct report report = {.size = 0};
    const struct cuzk_writer writer = {take_report, &report};
    bool sound = false;
    const cuzk_status status = (is_folded(path) ? cuzk_srs_check : cuzk_inspect)(
        d->context, path, CUZK_FORMAT_TEXT, &writer, &sound, &e);
    const char *fault = strstr(report.text, "fault");
    if (status != CUZK_OK)
        note_fault(d, circuit, path, status, e.message);
    else if (!sound)
        note_fault(d, circuit, path, CUZK_ERR_INPUT,
                   fault ? fault + 5 + strspn(fault + 5, " ") : "is not sound");
    else
        check_file(d, circuit, path);
}

void doctor_params(struct doctor *d)
{
    struct cuzk_error e = {0};
    char path[CUZK_PATH_MAX], advice[256];
    if (d->circuits == 0 && !d->circuits_named)
        doctor_note(d, "parameters", FINDING_ERROR,
                    "fetch the network's parameters ('lotus fetch-params 32GiB', 'curio fetch-params "
                    "32GiB'), or make "
                    "some for a development network (cuzk setup CIRCUIT --only-folded --out FOLDER/CIRCUIT)",
                    "there are none in %s", d->param_cache);
    for (size_t i = 0; i < d->circuits; i++) {
        const char *circuit = d->circuit[i];
        if (cuzk_params_find(d->param_cache, circuit, path, &e) == CUZK_OK) {
            (d->o->full ? check_fully : check_file)(d, circuit, path);
            continue;
        }
        snprintf(advice, sizeof advice, "fetch or make them, or do not enable %s", circuit);
        doctor_note(d, "parameters", FINDING_ERROR, advice, "%s", e.message);
    }
}

/* common/output.c - see output.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/output.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cuzk_status refuse(struct cuzk_error *e, const char *what, const char *fault)
{
    e->status = CUZK_ERR_IO;
    snprintf(e->message, sizeof e->message, "%.300s: %s", what, fault);
    return CUZK_ERR_IO;
}

cuzk_status output_check(const char *path, bool prefix, struct cuzk_error *e)
{
    struct stat st;
    if (!path)
        return CUZK_OK;
    if (!prefix && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return refuse(e, path, "is a directory; name a file");
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strlen(name) + sizeof ".params.checked" > NAME_MAX) {
        e->status = CUZK_ERR_IO;
        snprintf(e->message, sizeof e->message, "%.60s...: the name is too long for a file", name);
        return CUZK_ERR_IO;
    }
    char *folder = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    if (!folder)
        return CUZK_ERR_MEMORY;
    cuzk_status status = CUZK_OK;
    if (stat(folder, &st) != 0)
        status = refuse(e, folder, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        status = refuse(e, folder, "is not a directory");
    else if (access(folder, W_OK | X_OK) != 0)
        status = refuse(e, folder, strerror(errno));
    free(folder);
    return status;
}

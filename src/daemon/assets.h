/* daemon/assets.h - the page's files, made from web/ by web/embed.py.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_ASSETS_H
#define DAEMON_ASSETS_H

#include <stddef.h>

struct asset {
    const char *path, *type; /* "/page.js", "text/javascript; charset=utf-8" */
    const unsigned char *data;
    size_t size;
};

extern const struct asset assets[]; /* path NULL at the end */

#endif

/* daemon/options.h - the table of settings. Private to config_*.c.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include "daemon/config.h"
#include "daemon/toml.h"

enum option_type {
    OPTION_TEXT = 0, /* char[CONFIG_TEXT] */
    OPTION_WORDS,    /* the same: one word, or several with ", " between */
    OPTION_COUNT,    /* uint64_t, as all below */
    OPTION_SIZE,     /* bytes: an integer, or "512MiB"; "auto" is 0 where min is 0 */
    OPTION_TIME,     /* milliseconds: whole seconds, or "90s", "5m", "1h", "250ms" */
    OPTION_CHOICE,   /* the index among choices */
    OPTION_LIST,     /* char[CONFIG_TEXT]: a list of names, with ", " between */
    OPTION_IGNORED,  /* of the earlier system: accepted with a warning, which is the help text */
};

struct option {
    const char *section, *key;
    enum option_type type;
    bool reloads; /* can change while the daemon runs */
    size_t offset;
    uint64_t min, max;    /* of numbers, in the unit of the value */
    const char *choices;  /* "a|b|c" */
    const char *standard; /* the default, as text */
    const char *help;
    bool (*valid)(const char *text, char why[160]); /* of texts; may be NULL */
};

extern const struct option config_options[];
extern const size_t config_option_count;

/* Set a row's value from its text. False: why says what is wrong with it. */
bool option_set(const struct option *o, struct config *c, const char *text, char why[160]);

/* Does a TOML value of this type belong to the row? */
bool option_takes(const struct option *o, enum toml_type type);
const char *option_type_text(const struct option *o); /* "a size, such as \"64GiB\"" */

/* The value's text, as option_set takes it. */
void option_text(const struct option *o, const struct config *c, struct text *out);

/* gpus.devices as gpus_open takes it (backend/gpus.h). */
void gpus_words(const char *text, char out[CONFIG_TEXT]);

/* The known "section.key" that is nearest to a name; false: none is so near that it may be meant. */
bool option_nearest(const char *name, char out[128]);

#endif

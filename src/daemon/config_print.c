/* daemon/config_print.c - the table of settings as example file, manual page, help, and as it stands.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "daemon/config.h"
#include "daemon/options.h"

/* A value as TOML writes it. text: as option_set takes it. */
static void print_toml(struct text *out, const struct option *o, const char *text)
{
    if (o->type == OPTION_COUNT) {
        text_printf(out, "%s", text);
        return;
    }
    if (o->type == OPTION_LIST)
        text_printf(out, "[");
    if (o->type != OPTION_LIST || *text)
        text_printf(out, "\"");
    for (; *text; text++) {
        if (o->type == OPTION_LIST && *text == ',') {
            text_printf(out, "\", \"");
            text += text[1] == ' ';
        } else {
            text_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
        }
    }
    const bool empty = out->data && out->size && out->data[out->size - 1] == '[';
    text_printf(out, "%s%s", empty ? "" : "\"", o->type == OPTION_LIST ? "]" : "");
}

/* Words of text, wrapped, each line after a prefix. */
static void print_wrapped(struct text *out, const char *prefix, const char *text)
{
    size_t column = 0;
    while (*text) {
        const size_t word = strcspn(text, " ");
        if (column == 0 || column + 1 + word > 96) {
            text_printf(out, "%s%s", column ? "\n" : "", prefix);
            column = strlen(prefix);
        } else {
            text_printf(out, " ");
            column++;
        }
        text_add(out, text, word);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    text_printf(out, "\n");
}

static bool new_section(size_t i)
{
    return i == 0 || strcmp(config_options[i].section, config_options[i - 1].section) != 0;
}

/* Has the section a setting that is in force? */
static bool section_lives(const char *section)
{
    for (size_t i = 0; i < config_option_count; i++)
        if (config_options[i].type != OPTION_IGNORED && strcmp(config_options[i].section, section) == 0)
            return true;
    return false;
}

void config_example(struct text *out)
{
    text_printf(out, "# cuzk.toml - settings of cuzk-daemon, each with its default.\n");
    for (size_t i = 0; i < config_option_count; i++) {
        const struct option *o = &config_options[i];
        if (new_section(i) && section_lives(o->section))
            text_printf(out, "\n[%s]\n", o->section);
        if (o->type == OPTION_IGNORED)
            continue;
        print_wrapped(out, "# ", o->help);
        if (o->type == OPTION_CHOICE)
            text_printf(out, "# one of: %s\n", o->choices);
        if (o->reloads)
            text_printf(out, "# (a reload changes it)\n");
        text_printf(out, "#%s = ", o->key);
        print_toml(out, o, o->standard);
        text_printf(out, "\n");
    }
}

void config_print(struct text *out, const struct config *c)
{
    for (size_t i = 0; i < config_option_count; i++) {
        const struct option *o = &config_options[i];
        struct text value = {0};
        if (new_section(i) && section_lives(o->section))
            text_printf(out, "%s[%s]\n", i ? "\n" : "", o->section);
        if (o->type == OPTION_IGNORED)
            continue;
        option_text(o, c, &value);
        text_printf(out, "%s = ", o->key);
        print_toml(out, o, value.data ? value.data : "");
        text_printf(out, "\n");
        text_free(&value);
    }
}

void config_help(struct text *out)
{
    for (size_t i = 0; i < config_option_count; i++) {
        const struct option *o = &config_options[i];
        if (o->type == OPTION_IGNORED)
            continue;
        text_printf(out, "  %s.%s", o->section, o->key);
        if (o->type == OPTION_CHOICE)
            text_printf(out, " (%s)", o->choices);
        text_printf(out, ", by default %s%s\n", *o->standard ? o->standard : "empty",
                    o->reloads ? ", reloads" : "");
        print_wrapped(out, "      ", o->help);
    }
}

static void print_roff(struct text *out, const char *text)
{
    for (; *text; text++)
        if (*text == '-')
            text_printf(out, "\\-");
        else if (*text == '\\')
            text_printf(out, "\\e");
        else
            text_add(out, text, 1);
}

void config_manual(struct text *out)
{
    text_printf(out, ".SH SETTINGS\nA TOML file. An unknown setting is an error.\n");
    for (size_t i = 0; i < config_option_count; i++) {
        const struct option *o = &config_options[i];
        text_printf(out, ".TP\n.B ");
        print_roff(out, o->section);
        text_printf(out, ".");
        print_roff(out, o->key);
        if (o->type == OPTION_IGNORED) {
            text_printf(out, "\nAccepted with a warning, without effect: ");
        } else {
            text_printf(out, "\n(");
            print_roff(out, option_type_text(o));
            text_printf(out, "; default ");
            print_roff(out, *o->standard ? o->standard : "empty");
            text_printf(out, "%s) ", o->reloads ? "; reloads" : "");
        }
        print_roff(out, o->help);
        text_printf(out, "\n");
    }
}

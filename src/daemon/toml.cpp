/* daemon/toml.cpp - the C interface to toml++. No exception passes.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <toml++/toml.h>

#include <cstdio>
#include <string>

#include "daemon/toml.h"

namespace
{

struct walk {
    bool (*item)(void *ctx, const struct toml_item *item);
    void *ctx;
};

/* The text of a string, an integer or a boolean. */
bool scalar_text(const toml::node &node, std::string &text, toml_type &type)
{
    if (const auto *s = node.as_string()) {
        type = TOML_STRING;
        text = s->get();
        return true;
    }
    if (const auto *i = node.as_integer()) {
        type = TOML_INTEGER;
        text = std::to_string(i->get());
        return true;
    }
    if (const auto *b = node.as_boolean()) {
        type = TOML_BOOLEAN;
        text = b->get() ? "true" : "false";
        return true;
    }
    return false;
}

bool list_text(const toml::array &list, std::string &text)
{
    if (list.size() > TOML_LIST_MAX)
        return false;
    for (const auto &element : list) {
        std::string part;
        toml_type type;
        if (!scalar_text(element, part, type) || type == TOML_BOOLEAN)
            return false;
        if (&element != &*list.begin())
            text += ", ";
        text += part;
    }
    return true;
}

bool give(const walk &w, const std::string &section, const std::string &key, const toml::node &node)
{
    std::string text;
    toml_item item = {};
    if (const auto *list = node.as_array())
        item.type = list_text(*list, text) ? TOML_LIST : TOML_OTHER;
    else if (!scalar_text(node, text, item.type))
        item.type = TOML_OTHER;
    if (text.find('\0') != std::string::npos)
        item.type = TOML_OTHER;
    item.section = section.c_str();
    item.key = key.c_str();
    item.text = text.c_str();
    item.line = node.source().begin.line;
    item.column = node.source().begin.column;
    return w.item(w.ctx, &item);
}

bool visit(const walk &w, const std::string &section, const toml::table &table)
{
    for (const auto &[name, node] : table) {
        const std::string key(name.str());
        const auto *inner = node.as_table();
        const bool goes_on = inner ? visit(w, section.empty() ? key : section + "." + key, *inner)
                                   : give(w, section, key, node);
        if (!goes_on)
            return false;
    }
    return true;
}

} // namespace

extern "C" bool toml_walk(const char *text, size_t size,
                          bool (*item)(void *ctx, const struct toml_item *item), void *ctx,
                          struct toml_problem *problem)
{
    *problem = toml_problem{};
    try {
        const toml::table table = toml::parse(std::string_view(text, size));
        return visit(walk{item, ctx}, std::string(), table);
    } catch (const toml::parse_error &error) {
        std::snprintf(problem->what, sizeof problem->what, "%.*s",
                      static_cast<int>(error.description().size()), error.description().data());
        problem->line = error.source().begin.line;
        problem->column = error.source().begin.column;
    } catch (...) {
        std::snprintf(problem->what, sizeof problem->what, "out of memory");
    }
    return false;
}

/* common/plot.c - line charts as SVG. Colours follow the reader's light or dark theme.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuzk/cuzk.h>

enum { WIDTH = 920, HEIGHT = 320, HEAD = 44, LEFT = 76, RIGHT = 24, TOP = 46, BOTTOM = 52 };

static const char STYLE[] =
    "<style>\n"
    "svg{--ink:#1f2328;--soft:#656d76;--grid:#d8dee4;--paper:#fff;"
    "--c0:#0969da;--c1:#bf3989;--c2:#1a7f37;--c3:#9a6700;--c4:#8250df;--c5:#cf222e;--c6:#0a7ea4;--c7:#57606a;"
    "background:var(--paper);font:13px system-ui,sans-serif}\n"
    "@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#8d96a0;--grid:#30363d;--paper:#0d1117;"
    "--c0:#4493f8;--c1:#e275ad;--c2:#3fb950;--c3:#d29922;--c4:#ab7df8;--c5:#f85149;--c6:#39c5cf;--c7:#9198a1}"
    "}\n"
    "text{fill:var(--ink)}.soft{fill:var(--soft)}.head{font-size:16px;font-weight:600}\n"
    ".grid{stroke:var(--grid)}.line{fill:none;stroke-width:1.75;stroke-linejoin:round}\n"
    "</style>\n";

static void put_text(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '&')
            fputs("&amp;", f);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, f);
    }
}

/* The least of 1, 2, 5 times a power of ten with which at most most steps lead up to top. */
static double step_of(double top, double most)
{
    const double raw = top / most, power = pow(10, floor(log10(raw)));
    const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 4; i++)
        if (factors[i] * power >= raw * (1 - 1e-9))
            return factors[i] * power;
    return 10 * power;
}

struct axis {
    double from, step;
    unsigned steps;
};

static struct axis axis_of(double from, double largest, double most)
{
    struct axis a = {.from = from, .step = 0.2, .steps = 5};
    if (largest > from) {
        a.step = step_of(largest - from, most);
        a.steps = (unsigned)ceil((largest - from) / a.step - 1e-9);
    }
    return a;
}

/* Where on the axis, from 0 to 1. */
static double share_of(const struct axis *a, double value)
{
    return (value - a->from) / (a->step * a->steps);
}

static double at_x(const struct axis *a, double x)
{
    return LEFT + share_of(a, x) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct axis *a, double y, double offset)
{
    return offset + HEIGHT - BOTTOM - share_of(a, y) * (HEIGHT - TOP - BOTTOM);
}

static void put_axes(FILE *f, const struct plot_chart *c, const struct axis *x, const struct axis *y,
                     double offset)
{
    for (unsigned i = 0; i <= y->steps; i++) {
        const double at = at_y(y, y->step * i, offset);
        fprintf(f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, at, WIDTH - RIGHT);
        fprintf(f, "<text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8,
                at + 4, y->step * i);
    }
    for (unsigned i = 0; i <= x->steps; i++)
        fprintf(f, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
                at_x(x, x->from + x->step * i), offset + HEIGHT - BOTTOM + 18, x->from + x->step * i);
    fprintf(f, "<text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", WIDTH - RIGHT,
            offset + HEIGHT - 16);
    put_text(f, c->x_label);
    fprintf(f, "</text>\n<text x=\"%d\" y=\"%.1f\">", LEFT, offset + 16);
    put_text(f, c->title);
    fputs("</text><text class=\"soft\" x=\"12\" ", f);
    fprintf(f, "y=\"%.1f\">", offset + TOP - 12);
    put_text(f, c->y_label);
    fputs("</text>\n", f);
}

static void put_line(FILE *f, const struct plot_line *line, size_t index, const struct axis *x,
                     const struct axis *y, double offset)
{
    bool begun = false;
    fprintf(f, "<path class=\"line\" stroke=\"var(--c%zu)\" d=\"", index);
    for (size_t i = 0; i < line->count; i++) {
        if (!isfinite(line->x[i]) || !isfinite(line->y[i]))
            continue;
        if (line->steps && begun)
            fprintf(f, "H%.1f", at_x(x, line->x[i]));
        fprintf(f, "%c%.1f %.1f", begun ? 'L' : 'M', at_x(x, line->x[i]), at_y(y, line->y[i], offset));
        begun = true;
    }
    fputs("\"/>\n", f);
}

static void put_legend(FILE *f, const struct plot_chart *c, double offset)
{
    double x = WIDTH - RIGHT;
    for (size_t i = c->count; i-- > 0;) {
        x -= 36 + 7.5 * (double)strlen(c->line[i].name);
        fprintf(
            f,
            "<path class=\"line\" stroke=\"var(--c%zu)\" d=\"M%.0f %.1fh16\"/><text x=\"%.0f\" y=\"%.1f\">",
            i, x, offset + 12, x + 20, offset + 16);
        put_text(f, c->line[i].name);
        fputs("</text>\n", f);
    }
}

static void put_chart(FILE *f, const struct plot_chart *c, double offset)
{
    double most_x = 0, most_y = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->line[i].count; k++) {
            const double x = c->line[i].x[k], y = c->line[i].y[k];
            most_x = isfinite(x) && x > most_x ? x : most_x;
            most_y = isfinite(y) && y > most_y ? y : most_y;
        }
    const struct axis x = axis_of(c->x_from, most_x, 10), y = axis_of(0, most_y, 5);
    put_axes(f, c, &x, &y, offset);
    for (size_t i = 0; i < c->count; i++)
        put_line(f, &c->line[i], i, &x, &y, offset);
    put_legend(f, c, offset);
}

static cuzk_status no_memory(struct cuzk_error *e)
{
    e->status = CUZK_ERR_MEMORY;
    snprintf(e->message, sizeof e->message, "out of memory for the plot");
    return CUZK_ERR_MEMORY;
}

cuzk_status plot_write(const char *path, const char *title, const struct plot_chart *charts, size_t count,
                       struct cuzk_error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return no_memory(e);
    const double height = HEAD + (double)count * HEIGHT;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\">\n<title>",
            WIDTH, height, WIDTH);
    put_text(f, title);
    fprintf(f, "</title>\n%s<text class=\"head\" x=\"12\" y=\"26\">", STYLE);
    put_text(f, title);
    fputs("</text>\n", f);
    for (size_t i = 0; i < count; i++)
        put_chart(f, &charts[i], HEAD + (double)i * HEIGHT);
    fputs("</svg>\n", f);
    const cuzk_status status = fclose(f) == 0 ? cuzk_write_file(path, text, size, e) : no_memory(e);
    free(text);
    return status;
}

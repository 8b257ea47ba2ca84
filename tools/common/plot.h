/* common/plot.h - line charts as SVG.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_PLOT_H
#define TOOLS_COMMON_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include <cuzk/status.h>

/* A line through count points, x ascending; steps: level until the next point. Points that are not finite are
 * left out. */
struct plot_line {
    const char *name;
    const double *x, *y;
    size_t count;
    bool steps;
};

#define PLOT_LINES_MAX 8

/* One chart; its axes begin at x_from, which no x is below, and at 0. */
struct plot_chart {
    const char *title, *x_label, *y_label;
    double x_from;
    struct plot_line line[PLOT_LINES_MAX];
    size_t count;
};

/* Write the charts, one below the other, into a file at path, which is replaced when it is whole. */
cuzk_status plot_write(const char *path, const char *title, const struct plot_chart *charts, size_t count,
                       struct cuzk_error *e);

#endif

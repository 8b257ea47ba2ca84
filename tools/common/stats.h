/* common/stats.h - what a row of measurements says.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TOOLS_COMMON_STATS_H
#define TOOLS_COMMON_STATS_H

#include <stddef.h>

/* Sorted by stats_of; quantiles are the nearest ranks, values that were measured. All 0 without values. */
struct stats {
    size_t count;
    double minimum, median, p90, p99, maximum, mean;
    double spread; /* half of what lies between the quartiles, relative to the median */
};
struct stats stats_of(double *values, size_t count); /* sorts them */

/* The value below which a share of the sorted values lies. */
double stats_quantile(const double *sorted, size_t count, double share);

/* Measurements taken in pairs, one after the other: b against a. The ratio is the median of b[i] / a[i]; low
 * and high bound it with at least 95 % confidence whatever the values' distribution is (the interval between
 * order statistics that the binomial distribution gives; with fewer than six pairs there is none, and they
 * are 0 and infinity). Lower is better. */
enum verdict { VERDICT_SAME = 0, VERDICT_FASTER, VERDICT_SLOWER };
struct comparison {
    double ratio, low, high;
    enum verdict verdict; /* of b */
};
/* ratios: room for count numbers. */
struct comparison stats_compare(const double *a, const double *b, size_t count, double *ratios);

const char *verdict_name(enum verdict verdict); /* "no difference", "faster", "slower" */

#endif

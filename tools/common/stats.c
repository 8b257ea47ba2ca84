/* common/stats.c - what a row of measurements says.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "common/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stats_quantile(const double *sorted, size_t count, double share)
{
    if (count == 0)
        return 0;
    const double rank = ceil(share * (double)count - 1e-9);
    const size_t at = rank < 1 ? 0 : (size_t)rank - 1;
    return sorted[at < count ? at : count - 1];
}

struct stats stats_of(double *values, size_t count)
{
    struct stats s = {.count = count};
    if (count == 0)
        return s;
    qsort(values, count, sizeof *values, compare);
    for (size_t i = 0; i < count; i++)
        s.mean += values[i] / (double)count;
    s.minimum = values[0];
    s.median = stats_quantile(values, count, 0.5);
    s.p90 = stats_quantile(values, count, 0.9);
    s.p99 = stats_quantile(values, count, 0.99);
    s.maximum = values[count - 1];
    if (s.median > 0)
        s.spread = (stats_quantile(values, count, 0.75) - stats_quantile(values, count, 0.25)) / 2 / s.median;
    return s;
}

/* The largest k for which P(X < k) <= 0.025, X binomial with n halves: the k-th value from either end bounds
 * the median. */
static size_t median_rank(size_t n)
{
    double logarithm = -(double)n * log(2), sum = 0; /* of P(X = i), i from 0 on */
    for (size_t i = 0; i < n; i++) {
        sum += exp(logarithm);
        if (sum > 0.025)
            return i;
        logarithm += log((double)(n - i) / (double)(i + 1));
    }
    return 0;
}

struct comparison stats_compare(const double *a, const double *b, size_t count, double *ratios)
{
    struct comparison c = {.ratio = 1, .high = INFINITY};
    for (size_t i = 0; i < count; i++)
        ratios[i] = b[i] / a[i];
    if (count == 0)
        return c;
    c.ratio = stats_of(ratios, count).median;
    const size_t rank = median_rank(count);
    if (rank > 0) {
        c.low = ratios[rank - 1];
        c.high = ratios[count - rank];
    }
    c.verdict = c.high < 1 ? VERDICT_FASTER : c.low > 1 ? VERDICT_SLOWER : VERDICT_SAME;
    return c;
}

const char *verdict_name(enum verdict verdict)
{
    return verdict == VERDICT_FASTER ? "faster" : verdict == VERDICT_SLOWER ? "slower" : "no difference";
}

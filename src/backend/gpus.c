/* backend/gpus.c - see gpus.h.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "backend/gpus.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* "0,2" to a set of numbers below GPUS_MAX. */
static bool parse_list(const char *list, uint32_t *set)
{
    *set = 0;
    for (;;) {
        unsigned number = 0, digits = 0;
        for (; *list >= '0' && *list <= '9' && digits < 3; list++, digits++)
            number = 10 * number + (unsigned)(*list - '0');
        if (digits == 0 || number >= GPUS_MAX || (*set >> number & 1))
            return false;
        *set |= UINT32_C(1) << number;
        if (*list == 0)
            return true;
        if (*list++ != ',')
            return false;
    }
}

/* What the words ask for: *set 0 where no numbers are named. */
static cuzk_status parse(const char *words, bool *none, bool *must, uint32_t *set, struct cuzk_error *e)
{
    *none = strcmp(words, "cpu") == 0;
    *must = strncmp(words, "gpu", 3) == 0;
    *set = 0;
    if (*none || strcmp(words, "auto") == 0 || strcmp(words, "gpu") == 0)
        return CUZK_OK;
    if (*must && words[3] == ':' && parse_list(words + 4, set))
        return CUZK_OK;
    return error_set(e, CUZK_ERR_ARGUMENT,
                     "\"%.40s\" names no device: say cpu, gpu, auto, or gpu:0,2 for those of these numbers "
                     "(below %d)",
                     words, GPUS_MAX);
}

cuzk_status gpus_words_check(const char *words, struct cuzk_error *e)
{
    bool none, must;
    uint32_t set;
    return parse(words, &none, &must, &set, e);
}

static cuzk_status open_all(struct gpus *g, uint32_t set, bool must, uint64_t limit, struct cuzk_error *e)
{
    unsigned count = 0;
    cuzk_status status = driver_open(&g->driver, e);
    if (status == CUZK_OK)
        status = driver_device_count(&count, g->driver, e);
    if (status != CUZK_OK)
        return status;
    if (set >> (count < GPUS_MAX ? count : GPUS_MAX) != 0)
        return error_set(e, CUZK_ERR_UNSUPPORTED, "a GPU is named that is not there: there are %u", count);
    for (unsigned i = 0; i < count && i < GPUS_MAX; i++) {
        if (set && !(set >> i & 1))
            continue;
        status = device_open(&g->device[g->count], g->driver, i, limit, e);
        if (status == CUZK_OK)
            g->count++;
        else if (must || status == CUZK_ERR_ARGUMENT)
            return status;
        else
            snprintf(g->left_out, sizeof g->left_out, "GPU %u is not used: %.220s", i, e->message);
    }
    if (g->count > 0)
        return CUZK_OK;
    g->left_out[0] = 0;
    return status != CUZK_OK ? status : error_set(e, CUZK_ERR_UNSUPPORTED, "there is no GPU");
}

cuzk_status gpus_open(struct gpus *out, const char *words, uint64_t limit, struct cuzk_error *e)
{
    bool none, must;
    uint32_t set;
    struct gpus g = {0};
    struct cuzk_error detail;
    cuzk_status status = parse(words, &none, &must, &set, e);
    if (status != CUZK_OK || none) {
        if (status == CUZK_OK)
            *out = g;
        return status;
    }
    status = open_all(&g, set, must, limit, &detail);
    if (status != CUZK_OK) {
        gpus_close(&g);
        if (must)
            return error_set(e, status, "%s", detail.message);
        snprintf(g.why, sizeof g.why, "%.250s", detail.message);
    }
    *out = g;
    return CUZK_OK;
}

void gpus_close(struct gpus *g)
{
    for (unsigned i = 0; i < g->count; i++)
        device_close(g->device[i]);
    driver_close(g->driver);
    *g = (struct gpus){0};
}

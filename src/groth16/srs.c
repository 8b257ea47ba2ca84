/* groth16/srs.c - folded parameter files (srs.h): opening and full checks.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/srs.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "curve/encoding.h"
#include "groth16/phase.h"
#include "groth16/stamp.h"

#define DIGEST_PIECE ((size_t)16 << 20)

struct groth16_srs {
    uint64_t number;
    char *path;
    struct file_map map;
    struct srs_header header;
    struct groth16_vk vk;
    struct groth16_srs_info info;
};

static const char *const check_phase[SRS_KINDS] = {
    "checking the key",     "checking q",         "checking fold",      "checking l bits",
    "checking l wide",      "checking a inputs",  "checking a bits",    "checking a wide",
    "checking b_g1 inputs", "checking b_g1 bits", "checking b_g1 wide", "checking b_g2 inputs",
    "checking b_g2 bits",   "checking b_g2 wide", "checking density a", "checking density b"};

/* A density's bitmap of a class names count variables and none beyond the last. */
static cuzk_status density_agrees(const struct srs_header *h, const uint8_t *in, enum srs_kind kind,
                                  enum srs_class c, uint64_t count, struct cuzk_error *e)
{
    const uint64_t *words =
        (const uint64_t *)(const void *)(in + h->section[kind].offset) + srs_density_words(h, c);
    const uint32_t size = srs_class_size(h, c);
    uint64_t found = 0;
    for (uint64_t i = 0; i < ((uint64_t)size + 63) / 64; i++)
        found += (uint64_t)__builtin_popcountll(words[i]);
    if (size % 64 != 0 && words[size / 64] >> size % 64 != 0)
        return error_set(e, CUZK_ERR_INPUT, "%s: a variable beyond the last is named", srs_kind_name(kind));
    if (found != count)
        return error_set(e, CUZK_ERR_INPUT, "%s names %llu %s, but there are %llu points",
                         srs_kind_name(kind), (unsigned long long)found,
                         c == SRS_INPUTS ? "inputs"
                         : c == SRS_BITS ? "bits"
                                         : "wide variables",
                         (unsigned long long)count);
    return CUZK_OK;
}

cuzk_status srs_parts_read(struct groth16_vk *vk, const struct srs_header *h, const uint8_t *in,
                           struct cuzk_error *e)
{
    for (unsigned c = 0; c < SRS_CLASSES; c++) {
        cuzk_status status =
            density_agrees(h, in, SRS_DENSITY_A, (enum srs_class)c, h->section[SRS_A_INPUTS + c].count, e);
        if (status == CUZK_OK)
            status = density_agrees(h, in, SRS_DENSITY_B, (enum srs_class)c,
                                    h->section[SRS_B_G1_INPUTS + c].count, e);
        if (status != CUZK_OK)
            return status;
    }
    const struct srs_section *key = &h->section[SRS_KEY];
    struct groth16_vk read;
    size_t used = 0;
    const cuzk_status status = groth16_vk_read(&read, in + key->offset, (size_t)key->count, &used, e);
    if (status != CUZK_OK)
        return status;
    if (used != key->count || read.ic_count != h->inputs) {
        groth16_vk_free(&read);
        return error_set(e, CUZK_ERR_INPUT, "the key is for %u inputs, the file for %u", read.ic_count,
                         h->inputs);
    }
    *vk = read;
    return CUZK_OK;
}

static cuzk_status check_points(const struct exec *x, const struct srs_header *h, enum srs_kind kind,
                                const uint8_t *in, struct cuzk_error *e)
{
    const struct srs_section *s = &h->section[kind];
    const uint8_t *at = in + s->offset;
    const bool infinity = srs_kind_takes_infinity(kind);
    bool ok = true;
    size_t index = 0;
    enum encoding_fault fault = ENCODING_OK;
    cuzk_status status = CUZK_OK;
    struct phase phase;
    phase_begin(&phase, x, check_phase[kind]);
    if (srs_kind_is_g1(kind))
        status = g1_check_affine(&phase.x, (const g1_affine *)(const void *)at, (size_t)s->count, infinity,
                                 &ok, &index, &fault, e);
    else if (srs_kind_is_g2(kind))
        status = g2_check_affine(&phase.x, (const g2_affine *)(const void *)at, (size_t)s->count, infinity,
                                 &ok, &index, &fault, e);
    if (status != CUZK_OK || ok)
        return status;
    /* the check calls infinity a wrong flag where none may stand */
    return error_set(e, CUZK_ERR_INPUT, "%s: point %zu of %llu %s", srs_kind_name(kind), index,
                     (unsigned long long)s->count,
                     fault == ENCODING_FLAGS ? "is the point at infinity" : encoding_fault_text(fault));
}

static cuzk_status check_digest(const struct exec *x, const struct srs_header *h, enum srs_kind kind,
                                const uint8_t *in, struct cuzk_error *e)
{
    const struct srs_section *s = &h->section[kind];
    struct phase phase;
    char text[DIGEST_TEXT], named[DIGEST_TEXT];
    phase_begin(&phase, x, check_phase[kind]);
    const cuzk_status status =
        digest_of(&phase.x, in + s->offset, (size_t)s->count * srs_element_bytes(kind), text, e);
    if (status != CUZK_OK)
        return status;
    srs_digest_text(named, s->digest);
    if (strcmp(text, named) != 0)
        return error_set(e, CUZK_ERR_INPUT, "%s has digest %s, by the header %s: the file is damaged",
                         srs_kind_name(kind), text, named);
    return CUZK_OK;
}

cuzk_status srs_check(const struct exec *x, const struct srs_header *h, const uint8_t *in,
                      struct cuzk_error *e)
{
    for (unsigned k = 0; k < SRS_KINDS; k++) {
        cuzk_status status = check_points(x, h, (enum srs_kind)k, in, e);
        if (status == CUZK_OK)
            status = check_digest(x, h, (enum srs_kind)k, in, e);
        if (status != CUZK_OK)
            return status;
    }
    return CUZK_OK;
}

/* -- opening -- */

static void fill_info(struct groth16_srs *s)
{
    const struct srs_header *h = &s->header;
    struct groth16_srs_info *info = &s->info;
    info->file_bytes = s->map.size;
    memcpy(info->circuit, h->circuit, sizeof info->circuit);
    info->inputs = h->inputs;
    info->bits = h->bits;
    info->wide = h->wide;
    info->domain_log = h->domain_log;
    for (unsigned c = 0; c < SRS_CLASSES; c++) {
        info->in_a += h->section[SRS_A_INPUTS + c].count;
        info->in_b += h->section[SRS_B_G1_INPUTS + c].count;
    }
    info->from_params = h->from_params;
    srs_digest_text(info->source, h->source);
    srs_digest_text(info->digest, h->digest);
}

/* The points; a stamp of an earlier check stands for them. */
static cuzk_status check_all(const struct exec *x, struct groth16_srs *s, unsigned flags,
                             struct cuzk_error *e)
{
    struct groth16_srs_info *info = &s->info;
    const bool stamping = (flags & GROTH16_PARAMS_NO_STAMP) == 0;
    char stamped[DIGEST_TEXT];
    info->stamp_accepted = stamping && !(flags & GROTH16_SRS_RECHECK) &&
                           stamp_accepts(s->path, &s->map, stamped) && strcmp(stamped, info->digest) == 0;
    if (info->stamp_accepted)
        return CUZK_OK;
    file_map_advise(&s->map, FILE_SEQUENTIAL);
    const cuzk_status status = srs_check(x, &s->header, s->map.data, e);
    if (status == CUZK_ERR_INPUT && stamping)
        stamp_remove(s->path);
    if (status != CUZK_OK || !stamping)
        return status;
    struct cuzk_error why;
    info->stamp_written = stamp_write(s->path, &s->map, info->digest, &why) == CUZK_OK;
    if (!info->stamp_written)
        snprintf(info->stamp_fault, sizeof info->stamp_fault, "%s", why.message);
    return CUZK_OK;
}

static cuzk_status open_checked(const struct exec *x, struct groth16_srs *s, unsigned flags,
                                struct cuzk_error *e)
{
    cuzk_status status = srs_header_read(&s->header, s->map.data, s->map.size, e);
    if (status == CUZK_OK)
        status = srs_parts_read(&s->vk, &s->header, s->map.data, e);
    if (status == CUZK_OK) {
        fill_info(s);
        status = check_all(x, s, flags, e);
    }
    return status == CUZK_OK ? status : error_prefix(e, status, "%s", s->path);
}

cuzk_status groth16_srs_open(const struct exec *x, struct groth16_srs **out, const char *path, unsigned flags,
                             struct cuzk_error *e)
{
    struct groth16_srs *s = mem_alloc(1, sizeof *s);
    if (!s)
        return error_memory(e, sizeof *s, "a parameter file");
    static uint64_t opened;
    s->number = __atomic_add_fetch(&opened, 1, __ATOMIC_RELAXED);
    s->path = mem_alloc(strlen(path) + 1, 1);
    if (s->path)
        strcpy(s->path, path);
    cuzk_status status = s->path ? file_map(&s->map, path, 0, e)
                                 : error_memory(e, strlen(path) + 1, "a parameter file's name");
    if (status == CUZK_OK)
        status = open_checked(x, s, flags, e);
    if (status != CUZK_OK) {
        groth16_srs_free(s);
        return status;
    }
    *out = s;
    return CUZK_OK;
}

uint64_t groth16_srs_number(const struct groth16_srs *s)
{
    return s->number;
}

void groth16_srs_free(struct groth16_srs *s)
{
    if (!s)
        return;
    groth16_vk_free(&s->vk);
    file_unmap(&s->map);
    mem_free(s->path);
    mem_free(s);
}

const struct groth16_vk *groth16_srs_vk(const struct groth16_srs *s)
{
    return &s->vk;
}

void groth16_srs_info(const struct groth16_srs *s, struct groth16_srs_info *out)
{
    *out = s->info;
}

const struct srs_header *groth16_srs_header(const struct groth16_srs *s)
{
    return &s->header;
}

const void *groth16_srs_section(const struct groth16_srs *s, enum srs_kind kind)
{
    return s->map.data + s->header.section[kind].offset;
}

const uint64_t *groth16_srs_density(const struct groth16_srs *s, enum srs_kind kind, enum srs_class c)
{
    return (const uint64_t *)groth16_srs_section(s, kind) + srs_density_words(&s->header, c);
}

/* -- against the parameter file -- */

static bool key_equal(const struct groth16_vk *a, const struct groth16_vk *b)
{
    return a->ic_count == b->ic_count && memcmp(a->ic, b->ic, a->ic_count * sizeof *a->ic) == 0 &&
           memcmp(&a->alpha_g1, &b->alpha_g1, sizeof a->alpha_g1) == 0 &&
           memcmp(&a->beta_g1, &b->beta_g1, sizeof a->beta_g1) == 0 &&
           memcmp(&a->delta_g1, &b->delta_g1, sizeof a->delta_g1) == 0 &&
           memcmp(&a->beta_g2, &b->beta_g2, sizeof a->beta_g2) == 0 &&
           memcmp(&a->gamma_g2, &b->gamma_g2, sizeof a->gamma_g2) == 0 &&
           memcmp(&a->delta_g2, &b->delta_g2, sizeof a->delta_g2) == 0;
}

cuzk_status groth16_srs_belongs(const struct groth16_srs *s, const struct groth16_params *p,
                                struct cuzk_error *e)
{
    struct groth16_params_info info;
    groth16_params_info(p, &info);
    if (!key_equal(&s->vk, groth16_params_vk(p)))
        return error_set(
            e, CUZK_ERR_MISMATCH,
            "%s was made for other parameters (its verifying key is another): make it again from "
            "these with cuzk srs convert, or prove without it (--unfolded)",
            s->path);
    if (s->info.from_params && info.digest[0] != '\0' && strcmp(info.digest, s->info.source) != 0)
        return error_set(
            e, CUZK_ERR_MISMATCH,
            "%s was made from parameters with digest %s, these have %s: make it again from these "
            "with cuzk srs convert, or prove without it (--unfolded)",
            s->path, s->info.source, info.digest);
    return CUZK_OK;
}

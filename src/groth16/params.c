/* groth16/params.c - parameter files: layout, full checks, opening.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "groth16/params.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "groth16/manifest.h"
#include "groth16/phase.h"
#include "groth16/stamp.h"

#define DOMAIN_MAX_LOG 28

struct groth16_params {
    char *path;
    struct file_map map;
    struct params_layout layout;
    struct groth16_vk vk;
    struct groth16_params_info info;
};

static const char *const section_name[GROTH16_SECTIONS] = {"h", "l", "a", "b_g1", "b_g2"};
static const char *const check_phase[GROTH16_SECTIONS] = {"checking h", "checking l", "checking a",
                                                          "checking b_g1", "checking b_g2"};

const char *groth16_section_name(enum groth16_section section)
{
    return section_name[section];
}

uint64_t params_layout_fill(struct params_layout *layout)
{
    uint64_t at = VK_FIXED_BYTES + (uint64_t)layout->ic_count * G1_UNCOMPRESSED_BYTES;
    for (int s = 0; s < GROTH16_SECTIONS; s++) {
        layout->section[s].offset = (size_t)at + 4;
        at += 4 + (uint64_t)layout->section[s].count * params_point_bytes((enum groth16_section)s);
    }
    return at;
}

/* The count at *at and that many points of that size must lie within the file. */
static cuzk_status take_section(const uint8_t *in, size_t size, size_t *at, const char *name,
                                size_t point_bytes, uint32_t *count, struct cuzk_error *e)
{
    if (size - *at < 4)
        return error_set(e, CUZK_ERR_INPUT, "the file ends at byte %zu, within the count of %s", size, name);
    *count = groth16_get_be32(in + *at);
    *at += 4;
    const size_t room = (size - *at) / point_bytes;
    if (room < *count)
        return error_set(e, CUZK_ERR_INPUT,
                         "%s: %u points are announced, the file (%zu bytes) ends within point %zu", name,
                         *count, size, room);
    *at += *count * point_bytes;
    return CUZK_OK;
}

static cuzk_status counts_agree(const struct params_layout *p, struct cuzk_error *e)
{
    const uint64_t h = p->section[GROTH16_H].count,
                   variables = (uint64_t)p->ic_count + p->section[GROTH16_L].count;
    const uint32_t a = p->section[GROTH16_A].count;
    if (((h + 1) & h) != 0 || h + 1 > UINT64_C(1) << DOMAIN_MAX_LOG)
        return error_set(e, CUZK_ERR_INPUT, "h has %llu points, not a power of two up to 2^%d less one",
                         (unsigned long long)h, DOMAIN_MAX_LOG);
    if (a < p->ic_count || a > variables)
        return error_set(e, CUZK_ERR_INPUT,
                         "a has %u points, ic %u and l %u: it must have between ic and ic + l", a,
                         p->ic_count, p->section[GROTH16_L].count);
    if (p->section[GROTH16_B_G1].count > variables)
        return error_set(e, CUZK_ERR_INPUT, "b_g1 has %u points, more than ic (%u) and l (%u) together",
                         p->section[GROTH16_B_G1].count, p->ic_count, p->section[GROTH16_L].count);
    if (p->section[GROTH16_B_G1].count != p->section[GROTH16_B_G2].count)
        return error_set(e, CUZK_ERR_INPUT, "b_g1 has %u points, b_g2 has %u: they must be equal",
                         p->section[GROTH16_B_G1].count, p->section[GROTH16_B_G2].count);
    return CUZK_OK;
}

cuzk_status params_layout_read(struct params_layout *out, const uint8_t *in, size_t size,
                               struct cuzk_error *e)
{
    struct params_layout p = {0};
    if (size < VK_FIXED_BYTES)
        return error_set(e, CUZK_ERR_INPUT, "the file (%zu bytes) ends within the verifying key", size);
    size_t at = VK_FIXED_BYTES - 4;
    cuzk_status status = take_section(in, size, &at, "ic", G1_UNCOMPRESSED_BYTES, &p.ic_count, e);
    for (int s = 0; s < GROTH16_SECTIONS && status == CUZK_OK; s++)
        status = take_section(in, size, &at, section_name[s], params_point_bytes((enum groth16_section)s),
                              &p.section[s].count, e);
    if (status != CUZK_OK)
        return status;
    if (at != size)
        return error_set(e, CUZK_ERR_INPUT, "%zu bytes follow b_g2, the last section, which ends at byte %zu",
                         size - at, at);
    if (p.ic_count == 0)
        return error_set(e, CUZK_ERR_INPUT, "ic has no points (the constant one needs one)");
    status = counts_agree(&p, e);
    if (status != CUZK_OK)
        return status;
    params_layout_fill(&p);
    *out = p;
    return CUZK_OK;
}

static cuzk_status bad_point(const uint8_t *point, enum encoding_fault fault, const char *name, size_t index,
                             uint32_t count, struct cuzk_error *e)
{
    /* the check calls infinity a wrong flag where none may stand */
    const char *what =
        fault == ENCODING_FLAGS && point[0] == 0x40 ? "is the point at infinity" : encoding_fault_text(fault);
    return error_set(e, CUZK_ERR_INPUT, "%s: point %zu of %u %s", name, index, count, what);
}

static cuzk_status check_section(const struct exec *x, const struct params_section *p, enum groth16_section s,
                                 const uint8_t *in, struct cuzk_error *e)
{
    const uint8_t *points = in + p->offset;
    bool ok = false;
    size_t index = 0;
    enum encoding_fault fault = ENCODING_OK;
    struct phase phase;
    phase_begin(&phase, x, check_phase[s]);
    const cuzk_status status =
        s == GROTH16_B_G2 ? g2_check_encoded(&phase.x, points, p->count, false, &ok, &index, &fault, e)
                          : g1_check_encoded(&phase.x, points, p->count, false, &ok, &index, &fault, e);
    if (status != CUZK_OK || ok)
        return status;
    return bad_point(points + index * params_point_bytes(s), fault, section_name[s], index, p->count, e);
}

cuzk_status params_check_points(const struct exec *x, const struct params_layout *layout, const uint8_t *in,
                                struct cuzk_error *e)
{
    for (int s = 0; s < GROTH16_SECTIONS; s++) {
        const cuzk_status status = check_section(x, &layout->section[s], (enum groth16_section)s, in, e);
        if (status != CUZK_OK)
            return status;
    }
    return CUZK_OK;
}

/* The digest, if it is listed or to be stamped. */
static cuzk_status check_digest(const struct exec *x, struct groth16_params *p, bool stamping,
                                struct cuzk_error *e)
{
    struct groth16_params_info *info = &p->info;
    struct manifest_entry entry;
    cuzk_status status = manifest_lookup(&entry, p->path, e);
    if (status != CUZK_OK)
        return status;
    info->listed = entry.listed;
    info->sector_size = entry.sector_size;
    if (!info->stamp_accepted && (entry.listed || stamping)) {
        status = digest_of(x, p->map.data, p->map.size, info->digest, e);
        if (status != CUZK_OK)
            return error_prefix(e, status, "%s", p->path);
    }
    return manifest_compare(&entry, p->path, info->digest, e);
}

/* Digest and points; a stamp of an earlier check stands for both. */
static cuzk_status check_all(const struct exec *x, struct groth16_params *p, unsigned flags,
                             struct cuzk_error *e)
{
    struct groth16_params_info *info = &p->info;
    const bool stamping = (flags & GROTH16_PARAMS_NO_STAMP) == 0;
    info->stamp_accepted = stamping && stamp_accepts(p->path, &p->map, info->digest);
    cuzk_status status = check_digest(x, p, stamping, e);
    if (status != CUZK_OK || info->stamp_accepted)
        return status;
    file_map_advise(&p->map, FILE_SEQUENTIAL);
    status = params_check_points(x, &p->layout, p->map.data, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "%s", p->path);
    if (!stamping)
        return CUZK_OK;
    struct cuzk_error why;
    info->stamp_written = stamp_write(p->path, &p->map, info->digest, &why) == CUZK_OK;
    if (!info->stamp_written)
        snprintf(info->stamp_fault, sizeof info->stamp_fault, "%s", why.message);
    return CUZK_OK;
}

static void fill_info(struct groth16_params *p)
{
    struct groth16_params_info *info = &p->info;
    info->file_bytes = p->map.size;
    info->ic_count = p->layout.ic_count;
    for (int s = 0; s < GROTH16_SECTIONS; s++)
        info->count[s] = p->layout.section[s].count;
    info->domain_log = groth16_domain_log((uint64_t)info->count[GROTH16_H] + 1);
}

static cuzk_status open_checked(const struct exec *x, struct groth16_params *p, unsigned flags,
                                struct cuzk_error *e)
{
    cuzk_status status = params_layout_read(&p->layout, p->map.data, p->map.size, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "%s", p->path);
    size_t used = 0;
    status = groth16_vk_read(&p->vk, p->map.data, p->map.size, &used, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "%s", p->path);
    fill_info(p);
    return check_all(x, p, flags, e);
}

cuzk_status groth16_params_open(const struct exec *x, struct groth16_params **out, const char *path,
                                unsigned flags, struct cuzk_error *e)
{
    struct groth16_params *p = mem_alloc(1, sizeof *p);
    if (!p)
        return error_memory(e, sizeof *p, "a parameter file");
    p->path = mem_alloc(strlen(path) + 1, 1);
    if (p->path)
        strcpy(p->path, path);
    cuzk_status status = p->path ? file_map(&p->map, path, 0, e)
                                 : error_memory(e, strlen(path) + 1, "a parameter file's name");
    if (status == CUZK_OK)
        status = open_checked(x, p, flags, e);
    if (status != CUZK_OK) {
        groth16_params_free(p);
        return status;
    }
    *out = p;
    return CUZK_OK;
}

void groth16_params_free(struct groth16_params *p)
{
    if (!p)
        return;
    groth16_vk_free(&p->vk);
    file_unmap(&p->map);
    mem_free(p->path);
    mem_free(p);
}

const struct groth16_vk *groth16_params_vk(const struct groth16_params *p)
{
    return &p->vk;
}

void groth16_params_info(const struct groth16_params *p, struct groth16_params_info *out)
{
    *out = p->info;
}

const uint8_t *groth16_params_section(const struct groth16_params *p, enum groth16_section section,
                                      uint32_t *count)
{
    *count = p->layout.section[section].count;
    return p->map.data + p->layout.section[section].offset;
}

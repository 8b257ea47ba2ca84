/* groth16/proof.c - proofs and verifying keys as bytes, as bellperson writes them.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "curve/encoding.h"
#include "groth16/groth16.h"
#include "groth16/manifest.h"
#include "groth16/params.h"
#include "groth16/srs.h"

#define INFINITY_FLAG 0x40

void groth16_proof_write(uint8_t out[GROTH16_PROOF_BYTES], const struct groth16_proof *proof)
{
    g1_write_compressed(out, &proof->a);
    g2_write_compressed(out + G1_COMPRESSED_BYTES, &proof->b);
    g1_write_compressed(out + G1_COMPRESSED_BYTES + G2_COMPRESSED_BYTES, &proof->c);
}

static cuzk_status point_fault(struct cuzk_error *e, const char *name, enum encoding_fault fault,
                               bool infinity)
{
    if (infinity)
        return error_set(e, CUZK_ERR_INPUT, "%s is the point at infinity", name);
    return error_set(e, CUZK_ERR_INPUT, "%s %s", name, encoding_fault_text(fault));
}

cuzk_status groth16_proof_read(struct groth16_proof *out, const uint8_t in[GROTH16_PROOF_BYTES],
                               struct cuzk_error *e)
{
    struct groth16_proof p;
    const uint8_t *b = in + G1_COMPRESSED_BYTES, *c = b + G2_COMPRESSED_BYTES;
    enum encoding_fault fault = g1_read_compressed(&p.a, in);
    if (fault != ENCODING_OK || g1_affine_is_infinity(&p.a))
        return point_fault(e, "the proof's point A", fault, fault == ENCODING_OK);
    fault = g2_read_compressed(&p.b, b);
    if (fault != ENCODING_OK || g2_affine_is_infinity(&p.b))
        return point_fault(e, "the proof's point B", fault, fault == ENCODING_OK);
    fault = g1_read_compressed(&p.c, c);
    if (fault != ENCODING_OK || g1_affine_is_infinity(&p.c))
        return point_fault(e, "the proof's point C", fault, fault == ENCODING_OK);
    *out = p;
    return CUZK_OK;
}

/* Bytes being read front to back. */
struct reader {
    const uint8_t *in;
    size_t size, at;
    struct cuzk_error *e;
};

static cuzk_status take(struct reader *r, size_t n, const char *name, const uint8_t **out)
{
    if (r->size - r->at < n)
        return error_set(r->e, CUZK_ERR_INPUT, "the verifying key ends at byte %zu, within %s", r->size,
                         name);
    *out = r->in + r->at;
    r->at += n;
    return CUZK_OK;
}

static cuzk_status take_g1(struct reader *r, g1_affine *out, const char *name)
{
    const uint8_t *bytes = NULL;
    cuzk_status status = take(r, G1_UNCOMPRESSED_BYTES, name, &bytes);
    if (status != CUZK_OK)
        return status;
    const enum encoding_fault fault = g1_read_uncompressed(out, bytes, ENCODING_FULL);
    if (fault != ENCODING_OK || g1_affine_is_infinity(out))
        return point_fault(r->e, name, fault, fault == ENCODING_OK);
    return CUZK_OK;
}

static cuzk_status take_g2(struct reader *r, g2_affine *out, const char *name)
{
    const uint8_t *bytes = NULL;
    cuzk_status status = take(r, G2_UNCOMPRESSED_BYTES, name, &bytes);
    if (status != CUZK_OK)
        return status;
    const enum encoding_fault fault = g2_read_uncompressed(out, bytes, ENCODING_FULL);
    if (fault != ENCODING_OK || g2_affine_is_infinity(out))
        return point_fault(r->e, name, fault, fault == ENCODING_OK);
    return CUZK_OK;
}

static cuzk_status take_fixed_points(struct reader *r, struct groth16_vk *vk)
{
    cuzk_status status = take_g1(r, &vk->alpha_g1, "alpha in G1");
    if (status == CUZK_OK)
        status = take_g1(r, &vk->beta_g1, "beta in G1");
    if (status == CUZK_OK)
        status = take_g2(r, &vk->beta_g2, "beta in G2");
    if (status == CUZK_OK)
        status = take_g2(r, &vk->gamma_g2, "gamma in G2");
    if (status == CUZK_OK)
        status = take_g1(r, &vk->delta_g1, "delta in G1");
    if (status == CUZK_OK)
        status = take_g2(r, &vk->delta_g2, "delta in G2");
    return status;
}

static cuzk_status take_ic(struct reader *r, struct groth16_vk *vk)
{
    for (uint32_t i = 0; i < vk->ic_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "ic: point %u of %u", i, vk->ic_count);
        const cuzk_status status = take_g1(r, &vk->ic[i], name);
        if (status != CUZK_OK)
            return status;
    }
    return CUZK_OK;
}

uint32_t groth16_get_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

void groth16_put_be32(uint8_t *out, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(x >> (24 - 8 * i));
}

cuzk_status groth16_vk_read(struct groth16_vk *out, const uint8_t *in, size_t size, size_t *used,
                            struct cuzk_error *e)
{
    struct reader r = {in, size, 0, e};
    struct groth16_vk vk = {.ic = NULL};
    cuzk_status status = take_fixed_points(&r, &vk);
    if (status != CUZK_OK)
        return status;
    const uint8_t *bytes = NULL;
    status = take(&r, 4, "the count of ic", &bytes);
    if (status != CUZK_OK)
        return status;
    vk.ic_count = groth16_get_be32(bytes);
    if (vk.ic_count == 0)
        return error_set(e, CUZK_ERR_INPUT, "ic has no points (the constant one needs one)");
    if ((r.size - r.at) / G1_UNCOMPRESSED_BYTES < vk.ic_count)
        return error_set(e, CUZK_ERR_INPUT, "ic: %u points are announced, the bytes end after %zu",
                         vk.ic_count, (r.size - r.at) / G1_UNCOMPRESSED_BYTES);
    vk.ic = mem_alloc(vk.ic_count, sizeof *vk.ic);
    if (!vk.ic)
        return error_memory(e, vk.ic_count * sizeof *vk.ic, "a verifying key");
    status = take_ic(&r, &vk);
    if (status != CUZK_OK) {
        mem_free(vk.ic);
        return status;
    }
    *out = vk;
    *used = r.at;
    return CUZK_OK;
}

size_t groth16_vk_size(const struct groth16_vk *vk)
{
    return VK_FIXED_BYTES + (size_t)vk->ic_count * G1_UNCOMPRESSED_BYTES;
}

void groth16_vk_write(uint8_t *out, const struct groth16_vk *vk)
{
    g1_write_uncompressed(out, &vk->alpha_g1);
    out += G1_UNCOMPRESSED_BYTES;
    g1_write_uncompressed(out, &vk->beta_g1);
    out += G1_UNCOMPRESSED_BYTES;
    g2_write_uncompressed(out, &vk->beta_g2);
    out += G2_UNCOMPRESSED_BYTES;
    g2_write_uncompressed(out, &vk->gamma_g2);
    out += G2_UNCOMPRESSED_BYTES;
    g1_write_uncompressed(out, &vk->delta_g1);
    out += G1_UNCOMPRESSED_BYTES;
    g2_write_uncompressed(out, &vk->delta_g2);
    out += G2_UNCOMPRESSED_BYTES;
    groth16_put_be32(out, vk->ic_count);
    out += 4;
    for (uint32_t i = 0; i < vk->ic_count; i++, out += G1_UNCOMPRESSED_BYTES)
        g1_write_uncompressed(out, &vk->ic[i]);
}

void groth16_vk_free(struct groth16_vk *vk)
{
    mem_free(vk->ic);
    memset(vk, 0, sizeof *vk);
}

static cuzk_status read_folded(struct groth16_vk *out, const char *path, const struct file_map *map,
                               struct cuzk_error *e)
{
    struct srs_header h;
    cuzk_status status = srs_header_read(&h, map->data, map->size, e);
    if (status == CUZK_OK)
        status = srs_parts_read(out, &h, map->data, e);
    return status == CUZK_OK ? status : error_prefix(e, status, "%s", path);
}

/* A key's own file, or a parameter file, which has one. */
static cuzk_status read_whole_key(const struct exec *x, struct groth16_vk *out, const char *path,
                                  const struct file_map *map, struct cuzk_error *e)
{
    struct manifest_entry entry;
    cuzk_status status = manifest_lookup(&entry, path, e);
    if (status != CUZK_OK)
        return status;
    if (entry.listed) {
        char digest[DIGEST_TEXT];
        status = digest_of(x, map->data, map->size, digest, e);
        if (status == CUZK_OK)
            status = manifest_compare(&entry, path, digest, e);
        if (status != CUZK_OK)
            return status;
    }
    if (srs_is(map->data, map->size))
        return read_folded(out, path, map, e);
    struct groth16_vk vk;
    size_t used;
    status = groth16_vk_read(&vk, map->data, map->size, &used, e);
    if (status != CUZK_OK)
        return error_prefix(e, status, "%s", path);
    struct params_layout layout;
    if (used != map->size && params_layout_read(&layout, map->data, map->size, NULL) != CUZK_OK) {
        groth16_vk_free(&vk);
        return error_set(e, CUZK_ERR_INPUT, "%s: %zu bytes follow the verifying key's %zu", path,
                         map->size - used, used);
    }
    *out = vk;
    return CUZK_OK;
}

cuzk_status groth16_vk_open(const struct exec *x, struct groth16_vk *out, const char *path,
                            struct cuzk_error *e)
{
    struct file_map map;
    cuzk_status status = file_map(&map, path, 0, e);
    if (status != CUZK_OK)
        return status;
    status = read_whole_key(x, out, path, &map, e);
    file_unmap(&map);
    return status;
}

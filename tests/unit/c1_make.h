/* tests/unit/c1_make.h - C1 files of any registered proof, right in structure, with random values: for tests
 * and benchmarks of the reader. SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef C1_MAKE_H
#define C1_MAKE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuits/porep.h"

struct c1_text {
    char *data;
    size_t size, room;
    uint64_t random; /* state of splitmix64 */
};

static inline char *c1_text_grow(struct c1_text *t, size_t more)
{
    if (t->size + more > t->room) {
        t->room = 2 * t->room + more + 4096;
        t->data = realloc(t->data, t->room);
        if (!t->data)
            abort();
    }
    return t->data + t->size;
}

static inline void PRINTF_LIKE(2, 3) c1_text_add(struct c1_text *t, const char *format, ...)
{
    const size_t most = 512;
    va_list args;
    va_start(args, format);
    t->size += (size_t)vsnprintf(c1_text_grow(t, most), most, format, args);
    va_end(args);
}

static inline uint64_t c1_text_random(struct c1_text *t)
{
    uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A random field element as an array of bytes. */
static inline void c1_text_element(struct c1_text *t)
{
    char *start = c1_text_grow(t, 32 * 4 + 1), *p = start;
    uint64_t word = 0;
    for (unsigned i = 0; i < 32; i++, word >>= 8) {
        if (i % 8 == 0)
            word = c1_text_random(t);
        const unsigned byte = (unsigned)(word & (i == 31 ? 0x3f : 0xff));
        *p++ = i == 0 ? '[' : ',';
        if (byte >= 100)
            *p++ = (char)('0' + byte / 100);
        if (byte >= 10)
            *p++ = (char)('0' + byte / 10 % 10);
        *p++ = (char)('0' + byte % 10);
    }
    *p++ = ']';
    t->size += (size_t)(p - start);
}

static inline void c1_text_elements(struct c1_text *t, size_t count)
{
    c1_text_add(t, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            c1_text_add(t, ",");
        c1_text_element(t);
    }
    c1_text_add(t, "]");
}

static inline void c1_text_levels(struct c1_text *t, unsigned arity, unsigned count)
{
    c1_text_add(t, "{\"path\":[");
    for (unsigned i = 0; i < count; i++) {
        c1_text_add(t, "%s{\"hashes\":", i > 0 ? "," : "");
        c1_text_elements(t, arity - 1);
        c1_text_add(t, ",\"index\":%u}", (unsigned)(c1_text_random(t) % arity));
    }
    c1_text_add(t, "]}");
}

static inline void c1_text_path(struct c1_text *t, const struct porep_params *p, bool data)
{
    const bool single = data || !p->sub_arity;
    c1_text_add(t, "{\"data\":{\"%s\":{\"root\":", single ? "Single" : p->top_arity ? "Top" : "Sub");
    c1_text_element(t);
    c1_text_add(t, ",\"leaf\":");
    c1_text_element(t);
    c1_text_add(t, single ? ",\"path\":" : ",\"base_proof\":");
    c1_text_levels(t, data ? 2 : p->base_arity, data ? p->data_height : p->base_height);
    if (!single) {
        c1_text_add(t, ",\"sub_proof\":");
        c1_text_levels(t, p->sub_arity, 1);
        if (p->top_arity) {
            c1_text_add(t, ",\"top_proof\":");
            c1_text_levels(t, p->top_arity, 1);
        }
    }
    c1_text_add(t, "}}}");
}

static inline void c1_text_column(struct c1_text *t, const struct porep_params *p)
{
    c1_text_add(t, "{\"column\":{\"index\":%" PRIu64 ",\"rows\":", c1_text_random(t) % p->nodes);
    c1_text_elements(t, p->layers);
    c1_text_add(t, ",\"_h\":null},\"inclusion_proof\":");
    c1_text_path(t, p, false);
    c1_text_add(t, "}");
}

static inline void c1_text_columns(struct c1_text *t, const struct porep_params *p, unsigned count)
{
    c1_text_add(t, "[");
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            c1_text_add(t, ",");
        c1_text_column(t, p);
    }
    c1_text_add(t, "]");
}

static inline void c1_text_labeling(struct c1_text *t, const struct porep_params *p, unsigned layer)
{
    c1_text_add(t, "{\"parents\":");
    c1_text_elements(t, POREP_LABEL_PARENTS);
    c1_text_add(t, ",\"layer_index\":%u,\"node\":%" PRIu64 "}", layer, c1_text_random(t) % p->nodes);
}

static inline void c1_text_challenge(struct c1_text *t, const struct porep_params *p)
{
    c1_text_add(t, "{\"comm_d_proofs\":");
    c1_text_path(t, p, true);
    c1_text_add(t, ",\"comm_r_last_proof\":");
    c1_text_path(t, p, false);
    c1_text_add(t, ",\"replica_column_proofs\":{\"c_x\":");
    c1_text_column(t, p);
    c1_text_add(t, ",\"drg_parents\":");
    c1_text_columns(t, p, POREP_DRG_PARENTS);
    c1_text_add(t, ",\"exp_parents\":");
    c1_text_columns(t, p, POREP_EXP_PARENTS);
    c1_text_add(t, "},\"labeling_proofs\":[");
    for (unsigned i = 1; i <= p->layers; i++) {
        if (i > 1)
            c1_text_add(t, ",");
        c1_text_labeling(t, p, i);
    }
    c1_text_add(t, "],\"encoding_proof\":");
    c1_text_labeling(t, p, p->layers);
    c1_text_add(t, "}");
}

/* The bare form, fields in the order in which storage software writes them. The caller frees the text. */
static inline char *c1_make(const struct porep_params *p, uint64_t seed, size_t *size)
{
    static const char *const last[] = {"comm_r", "comm_d", "replica_id", "seed", "ticket"};
    struct c1_text t = {.random = seed};
    char name[POREP_NAME_MAX];
    porep_registered_name(p, name);
    c1_text_add(&t, "{\"registered_proof\":\"%s\",\"vanilla_proofs\":{", name);
    porep_variant_name(p, name);
    c1_text_add(&t, "\"%s\":[", name);
    for (unsigned k = 0; k < p->partitions; k++) {
        c1_text_add(&t, k > 0 ? ",[" : "[");
        for (unsigned i = 0; i < p->challenges; i++) {
            if (i > 0)
                c1_text_add(&t, ",");
            c1_text_challenge(&t, p);
        }
        c1_text_add(&t, "]");
    }
    c1_text_add(&t, "]}");
    for (size_t i = 0; i < ARRAY_LEN(last); i++) {
        c1_text_add(&t, ",\"%s\":", last[i]);
        c1_text_element(&t);
    }
    c1_text_add(&t, "}");
    *size = t.size;
    return t.data;
}

/* The wrapped form of it. The caller frees the text. */
static inline char *c1_make_wrapped(const struct porep_params *p, uint64_t seed, size_t *size)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct c1_text t = {0};
    size_t n;
    char *bare = c1_make(p, seed, &n);
    c1_text_add(&t, "{\"SectorNum\":1,\"Phase1Out\":\"");
    for (size_t i = 0; i < n; i += 3) {
        char *out = c1_text_grow(&t, 4);
        uint32_t v = 0;
        for (unsigned k = 0; k < 3; k++)
            v = v << 8 | (i + k < n ? (uint8_t)bare[i + k] : 0);
        for (unsigned k = 0; k < 4; k++)
            out[k] = i + k <= n ? alphabet[v >> (18 - 6 * k) & 63] : '=';
        t.size += 4;
    }
    c1_text_add(&t, "\",\"SectorSize\":%" PRIu64 "}", p->sector_size);
    free(bare);
    *size = t.size;
    return t.data;
}

#endif

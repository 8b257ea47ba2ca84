/* circuits/porep_graph.c - DRSample's bucket sampling with ChaCha8, and the expander as a Feistel permutation
 * (M. Luby, C. Rackoff, 1988) over the edges, with BLAKE2b as round function.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "circuits/porep_graph.h"
#include "hash/blake2b.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

static uint64_t load_le64(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 8; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static uint64_t load_be64(const uint8_t *p)
{
    return __builtin_bswap64(load_le64(p));
}

static void store_be64(uint8_t *p, uint64_t v)
{
    for (unsigned i = 8; i-- > 0; v >>= 8)
        p[i] = (uint8_t)v;
}

static void domain_seed(uint8_t out[32], const char *domain, const uint8_t porep_id[32])
{
    struct sha256 s;
    sha256_init(&s);
    sha256_update(&s, domain, strlen(domain));
    sha256_update(&s, porep_id, 32);
    sha256_final(&s, out);
}

void porep_graph_init(struct porep_graph *g, const struct porep_params *p)
{
    uint8_t seed[32];
    memset(g, 0, sizeof *g);
    g->nodes = p->nodes;
    g->api = p->api;
    domain_seed(seed, "Filecoin_DRSample", p->porep_id);
    memcpy(g->drg_seed, seed, sizeof g->drg_seed);
    domain_seed(seed, "Filecoin_Feistel", p->porep_id);
    for (unsigned i = 0; i < ARRAY_LEN(g->feistel_key); i++)
        g->feistel_key[i] = load_le64(seed + 8 * i);
    g->half_bits = 1;
    while (UINT64_C(1) << (2 * g->half_bits) < p->nodes * POREP_EXP_PARENTS)
        g->half_bits++;
    VERIFY(g->half_bits <= 32);
}

void porep_graph_drg_parents(const struct porep_graph *g, uint64_t node, uint32_t out[POREP_DRG_PARENTS])
{
    /* Parents are drawn in a graph of degree 2 whose nodes are the edges of this one. */
    const uint64_t drawn = POREP_DRG_PARENTS - 1, meta_node = node * drawn;
    VERIFY(node < g->nodes);
    if (node < 2) {
        memset(out, 0, POREP_DRG_PARENTS * sizeof out[0]);
        return;
    }

    uint8_t key[32], stream[(POREP_DRG_PARENTS - 1) * 2 * 8];
    const uint8_t nonce[12] = {0};
    memcpy(key, g->drg_seed, sizeof g->drg_seed);
    for (unsigned i = 0; i < 4; i++)
        key[28 + i] = (uint8_t)(node >> (8 * i));
    chacha_keystream(stream, sizeof stream, 8, key, nonce, 0);

    /* ceil(log2(meta_node)): a multiple of 5 is no power of two. */
    const unsigned buckets = 64 - (unsigned)__builtin_clzll(meta_node);
    const bool legacy = g->api == POREP_API_1_0;
    for (unsigned i = 0; i < drawn; i++) {
        const uint64_t bucket = load_le64(stream + 16 * i) % buckets + 1;
        const uint64_t far = meta_node < UINT64_C(1) << bucket ? meta_node : UINT64_C(1) << bucket;
        const uint64_t near = far / 2 > 2 ? far / 2 : 2;
        const uint64_t distance = near + load_le64(stream + 16 * i + 8) % (far - near + 1);
        const uint64_t parent = (meta_node - distance) / drawn;
        out[legacy ? i : i + 1] = (uint32_t)(parent == node ? node - 1 : parent);
    }
    out[legacy ? drawn : 0] = (uint32_t)(node - 1);
}

static uint64_t half_mask(const struct porep_graph *g)
{
    return (UINT64_C(1) << g->half_bits) - 1;
}

static cuzk_status round_value(const struct porep_graph *g, unsigned round, uint64_t half, uint32_t *out,
                               struct cuzk_error *e)
{
    uint8_t data[16], digest[64];
    if (g->rounds) {
        *out = g->rounds[((size_t)round << g->half_bits) + half];
        return CUZK_OK;
    }
    store_be64(data, half);
    store_be64(data + 8, g->feistel_key[round]);
    const cuzk_status status = blake2b(digest, data, sizeof data, e);
    if (status == CUZK_OK)
        *out = (uint32_t)(load_be64(digest) & half_mask(g));
    return status;
}

size_t porep_graph_table_size(const struct porep_graph *g)
{
    return ARRAY_LEN(g->feistel_key) << g->half_bits;
}

cuzk_status porep_graph_tabulate(struct porep_graph *g, uint32_t *table, struct cuzk_error *e)
{
    g->rounds = NULL;
    for (unsigned round = 0; round < ARRAY_LEN(g->feistel_key); round++)
        for (uint64_t half = 0; half <= half_mask(g); half++) {
            const cuzk_status status =
                round_value(g, round, half, &table[((size_t)round << g->half_bits) + half], e);
            if (status != CUZK_OK)
                return status;
        }
    g->rounds = table;
    return CUZK_OK;
}

static cuzk_status feistel(const struct porep_graph *g, uint64_t *index, struct cuzk_error *e)
{
    uint64_t left = *index >> g->half_bits, right = *index & half_mask(g);
    for (unsigned round = 0; round < ARRAY_LEN(g->feistel_key); round++) {
        uint32_t value;
        const cuzk_status status = round_value(g, round, right, &value, e);
        if (status != CUZK_OK)
            return status;
        const uint64_t next = left ^ value;
        left = right;
        right = next;
    }
    *index = left << g->half_bits | right;
    return CUZK_OK;
}

cuzk_status porep_graph_exp_parents(const struct porep_graph *g, uint64_t node,
                                    uint32_t out[POREP_EXP_PARENTS], struct cuzk_error *e)
{
    const uint64_t edges = g->nodes * POREP_EXP_PARENTS;
    uint32_t parents[POREP_EXP_PARENTS];
    VERIFY(node < g->nodes);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++) {
        uint64_t edge = node * POREP_EXP_PARENTS + i;
        do { /* the permutation is of a power of four: walk its cycle back into the range */
            const cuzk_status status = feistel(g, &edge, e);
            if (status != CUZK_OK)
                return status;
        } while (edge >= edges);
        if (g->api == POREP_API_1_0)
            edge &= UINT32_MAX; /* the legacy graph lost the high bits */
        parents[i] = (uint32_t)(edge / POREP_EXP_PARENTS);
    }
    memcpy(out, parents, sizeof parents);
    return CUZK_OK;
}

/* circuits/porep_public.c - challenges, replica id and public inputs of PoRep.
 * The Filecoin specification, "Stacked DRG proof of replication"; FIP-0059 (synthetic challenges),
 * FIP-0090 (non-interactive ones).
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <string.h>

#include "circuits/porep_graph.h"
#include "hash/blake2b.h"
#include "hash/chacha.h"
#include "hash/sha256.h"

/* A 256-bit little-endian number modulo nodes - 1, plus one: never the first node, which has no parents. */
static uint64_t to_challenge(const uint8_t bytes[32], uint64_t nodes)
{
    uint64_t rest = 0;
    for (unsigned i = 32; i-- > 0;)
        rest = (rest << 8 | bytes[i]) % (nodes - 1);
    return rest + 1;
}

static void store_le32(uint8_t out[4], uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

/* Interactive and non-interactive: the hash of the sector and a counter over all partitions. */
static void hashed_challenges(const struct porep_statement *s, unsigned partition, uint64_t *out)
{
    static const char tag[] = "filecoin.io|PoRep|1|NonInteractive|1";
    struct sha256 start;
    sha256_init(&start);
    if (s->params.mode == POREP_NON_INTERACTIVE) {
        sha256_update(&start, tag, sizeof tag - 1);
        sha256_update(&start, s->replica_id, 32);
        sha256_update(&start, s->comm_r, 32);
    } else {
        sha256_update(&start, s->replica_id, 32);
        sha256_update(&start, s->seed, 32);
    }
    for (unsigned i = 0; i < s->params.challenges; i++) {
        struct sha256 h = start;
        uint8_t counter[4], digest[32];
        store_le32(counter, s->params.challenges * partition + i);
        sha256_update(&h, counter, sizeof counter);
        sha256_final(&h, digest);
        out[i] = to_challenge(digest, s->params.nodes);
    }
}

static cuzk_status synthetic_key(uint8_t out[32], const char *domain, const uint8_t a[32],
                                 const uint8_t b[32], struct cuzk_error *e)
{
    uint8_t data[64];
    memcpy(data, a, 32);
    memcpy(data + 32, b, 32);
    return blake2b_keyed_32(out, domain, strlen(domain), data, sizeof data, e);
}

/* Synthetic: a fixed set of challenges from replica_id and comm_r, of which the seed selects some. */
static cuzk_status synthetic_challenges(const struct porep_statement *s, unsigned partition, uint64_t *out,
                                        struct cuzk_error *e)
{
    static const uint8_t nonce[12] = "synth-porep";
    const uint64_t most = UINT64_C(1) << 18;
    const uint64_t set = s->params.nodes < most ? s->params.nodes : most;
    uint8_t generate[32], select[32];
    cuzk_status status =
        synthetic_key(generate, "filecoin.io|PoRep|1|Synthetic|1|Generation", s->replica_id, s->comm_r, e);
    if (status == CUZK_OK)
        status =
            synthetic_key(select, "filecoin.io|PoRep|1|Synthetic|1|Selection", s->replica_id, s->seed, e);
    if (status != CUZK_OK)
        return status;
    for (unsigned i = 0; i < s->params.challenges; i++) {
        uint8_t index[4], bytes[32];
        const uint64_t place = s->params.challenges * partition + i;
        chacha_keystream(index, sizeof index, 20, select, nonce, place * sizeof index);
        const uint32_t drawn = (uint32_t)index[0] | (uint32_t)index[1] << 8 | (uint32_t)index[2] << 16 |
                               (uint32_t)index[3] << 24;
        chacha_keystream(bytes, sizeof bytes, 20, generate, nonce, drawn % set * sizeof bytes);
        out[i] = to_challenge(bytes, s->params.nodes);
    }
    return CUZK_OK;
}

cuzk_status porep_challenges(const struct porep_statement *s, unsigned partition, uint64_t *out,
                             struct cuzk_error *e)
{
    if (partition >= s->params.partitions)
        return error_set(e, CUZK_ERR_ARGUMENT, "partition %u: there are %u", partition, s->params.partitions);
    if (s->params.mode == POREP_SYNTHETIC)
        return synthetic_challenges(s, partition, out, e);
    hashed_challenges(s, partition, out);
    return CUZK_OK;
}

void porep_prover_id(uint8_t out[32], uint64_t miner)
{
    memset(out, 0, 32);
    for (unsigned i = 0; i == 0 || miner > 0; i++, miner >>= 7)
        out[i] = (uint8_t)((miner & 0x7f) | (miner >> 7 ? 0x80 : 0));
}

void porep_replica_id(uint8_t out[32], const struct porep_params *p, const uint8_t prover_id[32],
                      uint64_t sector, const uint8_t ticket[32], const uint8_t comm_d[32])
{
    uint8_t number[8];
    struct sha256 s;
    for (unsigned i = 0; i < 8; i++)
        number[i] = (uint8_t)(sector >> (56 - 8 * i));
    sha256_init(&s);
    sha256_update(&s, prover_id, 32);
    sha256_update(&s, number, sizeof number);
    sha256_update(&s, ticket, 32);
    sha256_update(&s, comm_d, 32);
    sha256_update(&s, p->porep_id, sizeof p->porep_id);
    sha256_final(&s, out);
    out[31] &= 0x3f;
}

/* Before the challenges: replica_id, comm_d, comm_r. Of a challenge: its place in tree D, those of its
 * parents in tree C, its number, its places in the trees R and C. */
#define INPUTS_BEFORE      3
#define INPUTS_A_CHALLENGE (1 + POREP_DRG_PARENTS + POREP_EXP_PARENTS + 3)

size_t porep_public_count(const struct porep_params *p)
{
    return INPUTS_BEFORE + (size_t)p->challenges * INPUTS_A_CHALLENGE;
}

static cuzk_status challenge_inputs(const struct porep_graph *g, uint64_t node, fr out[INPUTS_A_CHALLENGE],
                                    struct cuzk_error *e)
{
    uint32_t drg[POREP_DRG_PARENTS], exp[POREP_EXP_PARENTS];
    porep_graph_drg_parents(g, node, drg);
    const cuzk_status status = porep_graph_exp_parents(g, node, exp, e);
    if (status != CUZK_OK)
        return status;
    fr_from_u64(out++, node);
    for (unsigned i = 0; i < POREP_DRG_PARENTS; i++)
        fr_from_u64(out++, drg[i]);
    for (unsigned i = 0; i < POREP_EXP_PARENTS; i++)
        fr_from_u64(out++, exp[i]);
    for (unsigned i = 0; i < 3; i++)
        fr_from_u64(out++, node);
    return CUZK_OK;
}

cuzk_status porep_public_inputs(const struct porep_statement *s, unsigned partition, fr *out,
                                struct cuzk_error *e)
{
    const struct porep_params *p = &s->params;
    fr inputs[INPUTS_BEFORE + POREP_MAX_CHALLENGES * INPUTS_A_CHALLENGE];
    uint64_t challenges[POREP_MAX_CHALLENGES];
    struct porep_graph graph;

    VERIFY(p->challenges <= POREP_MAX_CHALLENGES);
    if (!fr_read_le(&inputs[0], s->replica_id) || !fr_read_le(&inputs[1], s->comm_d) ||
        !fr_read_le(&inputs[2], s->comm_r))
        return error_set(e, CUZK_ERR_INPUT, "replica_id, comm_d or comm_r is not below the field's modulus");
    cuzk_status status = porep_challenges(s, partition, challenges, e);
    porep_graph_init(&graph, p);
    for (unsigned i = 0; status == CUZK_OK && i < p->challenges; i++)
        status = challenge_inputs(&graph, challenges[i], inputs + INPUTS_BEFORE + i * INPUTS_A_CHALLENGE, e);
    if (status == CUZK_OK)
        memcpy(out, inputs, porep_public_count(p) * sizeof inputs[0]);
    return status;
}

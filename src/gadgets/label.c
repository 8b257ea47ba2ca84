/* gadgets/label.c - labels of nodes.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/label.h"

#include <string.h>

#include "base/memory.h"
#include "gadgets/multipack.h"

#define PREIMAGE_BITS ((size_t)(2 + LABEL_PARENTS) * 256)

void bits256_of(struct cs *cs, struct bits256 *out, const struct num *a)
{
    struct boolean bits[FR_BITS];
    num_to_bits_le(cs, bits, a);
    reverse_bit_numbering(out->bit, bits, FR_BITS);
}

static void write_preimage(struct boolean *out, const struct bits256 *replica_id,
                           const struct bits256 *const *parents, uint32_t layer,
                           const struct boolean node[64])
{
    memcpy(out, replica_id->bit, sizeof replica_id->bit);
    out += 256;
    const struct uint32 layer_bits = uint32_constant(layer);
    uint32_to_bits_be(out, &layer_bits);
    for (unsigned i = 0; i < 64; i++)
        out[32 + i] = node[63 - i];
    for (unsigned i = 96; i < 256; i++)
        out[i] = boolean_constant(false);
    out += 256;
    for (unsigned k = 0; k < LABEL_PARENTS; k++, out += 256)
        memcpy(out, parents[k]->bit, sizeof parents[k]->bit);
}

struct num label_create(struct cs *cs, const struct bits256 *replica_id, const struct bits256 *const *parents,
                        uint32_t layer, const struct boolean node[64])
{
    struct boolean *preimage = mem_alloc(PREIMAGE_BITS, sizeof *preimage);
    if (!preimage) {
        cs_fail(cs, CUZK_ERR_MEMORY, "out of memory: %zu bytes for a label's preimage",
                PREIMAGE_BITS * sizeof *preimage);
        return (struct num){.v = VAR_ONE};
    }
    write_preimage(preimage, replica_id, parents, layer, node);
    struct boolean digest[SHA256_BITS], bits[SHA256_BITS];
    cs_push(cs, "hash");
    sha256_gadget(cs, digest, preimage, PREIMAGE_BITS);
    cs_pop(cs);
    mem_free(preimage);
    reverse_bit_numbering(bits, digest, SHA256_BITS);
    cs_push(cs, "result_num");
    const struct num label = pack_bits(cs, bits, SHA256_BITS);
    cs_pop(cs);
    return label;
}

struct num label_encode(struct cs *cs, const struct num *key, const struct num *value)
{
    cs_push(cs, "encode_add");
    const struct num encoded = num_add(cs, key, value);
    cs_pop(cs);
    return encoded;
}

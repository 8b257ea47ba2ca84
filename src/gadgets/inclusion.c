/* gadgets/inclusion.c - a leaf is in the Merkle tree of a root.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "gadgets/inclusion.h"

#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon.h"
#include "gadgets/sha256.h"

#define NODE_BITS      256 /* a field element in a hash's preimage: 32 bytes */
#define MAX_INDEX_BITS 3

static unsigned log2_of(uint64_t power_of_two)
{
    return (unsigned)__builtin_ctzll(power_of_two);
}

struct inclusion_tree inclusion_tree_of(const struct poseidon_set *poseidon, uint64_t leaves,
                                        unsigned base_arity, unsigned sub_arity, unsigned top_arity)
{
    unsigned bits = log2_of(leaves);
    bits -= sub_arity ? log2_of(sub_arity) : 0;
    bits -= top_arity ? log2_of(top_arity) : 0;
    VERIFY(bits % log2_of(base_arity) == 0);
    return (struct inclusion_tree){.poseidon = poseidon,
                                   .base_levels = bits / log2_of(base_arity),
                                   .base_arity = base_arity,
                                   .sub_arity = sub_arity,
                                   .top_arity = top_arity};
}

unsigned inclusion_levels(const struct inclusion_tree *tree)
{
    return tree->base_levels + (tree->sub_arity > 0) + (tree->top_arity > 0);
}

unsigned inclusion_arity(const struct inclusion_tree *tree, unsigned level)
{
    if (level < tree->base_levels)
        return tree->base_arity;
    return level == tree->base_levels && tree->sub_arity > 0 ? tree->sub_arity : tree->top_arity;
}

/* names: of the two children's bits. */
static struct num sha256_node(struct cs *cs, const struct num children[2], const char *const names[2])
{
    struct boolean preimage[2 * NODE_BITS], bits[FR_BITS], digest[SHA256_BITS], reversed[SHA256_BITS];
    for (unsigned i = 0; i < 2; i++) {
        cs_push(cs, "%s", names[i]);
        num_to_bits_le(cs, bits, &children[i]);
        cs_pop(cs);
        reverse_bit_numbering(preimage + i * NODE_BITS, bits, FR_BITS);
    }
    cs_push(cs, "hash");
    sha256_gadget(cs, digest, preimage, 2 * NODE_BITS);
    cs_pop(cs);
    reverse_bit_numbering(reversed, digest, SHA256_BITS);
    cs_push(cs, "pack_le");
    const struct num node = pack_bits(cs, reversed, PACK_BITS);
    cs_pop(cs);
    return node;
}

struct num sha256_node_gadget(struct cs *cs, const struct num children[2])
{
    static const char *const names[2] = {"0_num_into_bits", "1_num_into_bits"};
    return sha256_node(cs, children, names);
}

struct num sha256_pair_gadget(struct cs *cs, const struct num children[2])
{
    static const char *const names[2] = {"a_bits", "b_bits"};
    return sha256_node(cs, children, names);
}

static struct num node_gadget(struct cs *cs, const struct inclusion_tree *tree, unsigned arity,
                              const struct num *children, const fr *digest)
{
    if (!tree->poseidon)
        return sha256_node_gadget(cs, children);
    return poseidon_gadget_known(cs, poseidon_of_arity(tree->poseidon, arity), children, digest);
}

/* One level up. bits: the index's, log2 arity of them. */
static struct num climb(struct cs *cs, const struct inclusion_tree *tree, unsigned arity,
                        const struct num *node, struct boolean *bits, const struct inclusion_step *step)
{
    struct num siblings[INCLUSION_MAX_ARITY - 1], children[INCLUSION_MAX_ARITY];
    for (unsigned i = 0; i < log2_of(arity); i++) {
        cs_push(cs, "index bit %u", i);
        bits[i] = boolean_alloc(cs, step && (step->index >> i & 1));
        cs_pop(cs);
    }
    for (unsigned i = 0; i + 1 < arity; i++) {
        cs_push(cs, "path element %u", i);
        siblings[i] = num_alloc(cs, step ? &step->siblings[i] : NULL);
        cs_pop(cs);
    }
    insert_gadget(cs, children, arity, node, bits, siblings);
    cs_push(cs, "computation of commitment hash");
    const struct num up = node_gadget(cs, tree, arity, children, step ? step->digest : NULL);
    cs_pop(cs);
    return up;
}

struct num inclusion_root(struct cs *cs, const struct inclusion_tree *tree, const struct num *leaf,
                          const struct inclusion_step *steps)
{
    struct boolean bits[INCLUSION_MAX_LEVELS * MAX_INDEX_BITS];
    struct num node = *leaf;
    unsigned bit_count = 0;
    const unsigned levels = inclusion_levels(tree);
    VERIFY(levels <= INCLUSION_MAX_LEVELS);
    for (unsigned level = 0; level < levels; level++) {
        const unsigned arity = inclusion_arity(tree, level);
        const bool base = level < tree->base_levels;
        const bool sub = level == tree->base_levels && tree->sub_arity > 0;
        cs_push(cs, "%s", base ? "base" : sub ? "sub" : "top");
        cs_push(cs, "merkle tree hash %u", base ? level : 0);
        node = climb(cs, tree, arity, &node, bits + bit_count, steps ? &steps[level] : NULL);
        cs_pop(cs);
        cs_pop(cs);
        bit_count += log2_of(arity);
    }
    cs_push(cs, "path");
    pack_into_inputs(cs, bits, bit_count);
    cs_pop(cs);
    return node;
}

void inclusion_gadget(struct cs *cs, const struct inclusion_tree *tree, const struct num *leaf,
                      const struct inclusion_step *steps, const struct num *root)
{
    const struct num computed = inclusion_root(cs, tree, leaf, steps);
    cs_name(cs, "enforce root is correct");
    num_enforce_equal(cs, &computed, root);
}

void inclusion_at(struct cs *cs, const struct inclusion_tree *tree, const struct num *leaf,
                  const struct boolean *bits, const struct num *siblings, const fr *const *digests,
                  const struct num *root)
{
    struct num node = *leaf;
    for (unsigned level = 0; level < inclusion_levels(tree); level++) {
        struct num children[INCLUSION_MAX_ARITY];
        const unsigned arity = inclusion_arity(tree, level);
        cs_push(cs, "merkle proof insert (height=%u)", level);
        insert_gadget(cs, children, arity, &node, bits, siblings);
        cs_pop(cs);
        cs_push(cs, "merkle proof hash (height=%u)", level);
        node = node_gadget(cs, tree, arity, children, digests ? digests[level] : NULL);
        cs_pop(cs);
        bits += log2_of(arity);
        siblings += arity - 1;
    }
    cs_name(cs, "calculated root == provided root");
    num_enforce_equal(cs, &node, root);
}

/* circuits/porep_graph.h - the graph over a sector's nodes: bucket-sampled parents on the same layer,
 * expander parents on the layer before (B. Fisch, "Tight proofs of space and replication", 2018/702; J.
 * Alwen, J. Blocki, B. Harsha, "Practical graphs for optimal side-channel resistant memory-hard functions",
 * 2017/443). SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef CIRCUITS_POREP_GRAPH_H
#define CIRCUITS_POREP_GRAPH_H

#include "circuits/porep.h"

/* What the parents of any node are made from. Immutable once made. */
struct porep_graph {
    uint64_t nodes;
    enum porep_api api;
    uint8_t drg_seed[28];
    uint64_t feistel_key[3];
    unsigned half_bits;     /* the permutation's halves */
    const uint32_t *rounds; /* the table of porep_graph_tabulate(), or NULL: hashed each time */
};

void porep_graph_init(struct porep_graph *g, const struct porep_params *p);

/* For who asks for the expander parents of most nodes: the permutation's round function has few values, and
 * in a table of them parents are found without hashing. table: porep_graph_table_size() entries, 393216 at
 * most, which must live as long as g. */
size_t porep_graph_table_size(const struct porep_graph *g);
cuzk_status porep_graph_tabulate(struct porep_graph *g, uint32_t *table, struct cuzk_error *e) MUST_USE;

/* node below g->nodes; parents in the order in which they are hashed. */
void porep_graph_drg_parents(const struct porep_graph *g, uint64_t node, uint32_t out[POREP_DRG_PARENTS]);
cuzk_status porep_graph_exp_parents(const struct porep_graph *g, uint64_t node,
                                    uint32_t out[POREP_EXP_PARENTS], struct cuzk_error *e) MUST_USE;

#endif

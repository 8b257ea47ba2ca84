/* circuits/gen_challenge.c - the vanilla proof of a challenged node of a generated sector.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/error.h"
#include "circuits/gen_label.h"

static bool make_column(const struct gen_sector *s, struct arena *arena, uint64_t node,
                        struct porep_column *out)
{
    const unsigned layers = s->statement.params.layers;
    out->index = (uint32_t)node;
    out->rows = arena_alloc(arena, layers, sizeof *out->rows);
    if (!out->rows)
        return false;
    for (unsigned layer = 0; layer < layers; layer++)
        gen_sector_label(s, layer, node, &out->rows[layer]);
    return gen_tree_path(&s->c, arena, node, &out->path);
}

static bool make_columns(const struct gen_sector *s, struct arena *arena, const uint32_t *nodes, size_t count,
                         struct porep_column **out)
{
    *out = arena_alloc(arena, count, sizeof **out);
    bool ok = *out != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = make_column(s, arena, nodes[i], &(*out)[i]);
    return ok;
}

/* The parents' labels, repeated: those of this layer, then the expander parents' of the layer before. */
static bool make_labeling(const struct porep_challenge *ch, struct arena *arena, unsigned layer,
                          uint64_t node, struct porep_labeling *out)
{
    const unsigned count = layer == 0 ? POREP_DRG_PARENTS : POREP_DRG_PARENTS + POREP_EXP_PARENTS;
    out->layer_index = layer + 1;
    out->node = node;
    out->parents = arena_alloc(arena, POREP_LABEL_PARENTS, sizeof *out->parents);
    for (unsigned i = 0; out->parents && i < POREP_LABEL_PARENTS; i++) {
        const unsigned parent = i % count;
        out->parents[i] = parent < POREP_DRG_PARENTS
                              ? ch->drg_parents[parent].rows[layer]
                              : ch->exp_parents[parent - POREP_DRG_PARENTS].rows[layer - 1];
    }
    return out->parents != NULL;
}

static bool make_labelings(const struct gen_sector *s, struct arena *arena, uint64_t node,
                           struct porep_challenge *out)
{
    const unsigned layers = s->statement.params.layers;
    out->labeling = arena_alloc(arena, layers, sizeof *out->labeling);
    bool ok = out->labeling != NULL;
    for (unsigned layer = 0; ok && layer < layers; layer++)
        ok = make_labeling(out, arena, layer, node, &out->labeling[layer]);
    if (ok)
        out->encoding = out->labeling[layers - 1];
    return ok;
}

cuzk_status gen_sector_challenge(const struct gen_sector *s, struct arena *arena, uint64_t node,
                                 struct porep_challenge *out, struct cuzk_error *e)
{
    uint32_t drg[POREP_DRG_PARENTS], exp[POREP_EXP_PARENTS];
    porep_graph_drg_parents(&s->graph, node, drg);
    const cuzk_status status = porep_graph_exp_parents(&s->graph, node, exp, e);
    if (status != CUZK_OK)
        return status;
    const bool ok = gen_tree_path(&s->d, arena, node, &out->comm_d) &&
                    gen_tree_path(&s->r, arena, node, &out->comm_r_last) &&
                    make_column(s, arena, node, &out->c_x) &&
                    make_columns(s, arena, drg, POREP_DRG_PARENTS, &out->drg_parents) &&
                    make_columns(s, arena, exp, POREP_EXP_PARENTS, &out->exp_parents) &&
                    make_labelings(s, arena, node, out);
    return ok ? CUZK_OK : error_memory(e, sizeof(fr), "a vanilla proof");
}

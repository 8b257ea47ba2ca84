/* ntt/ntt_reverse.c - the bit-reversal permutation in tiles (L. Carter, K. Gatlin, "Towards an optimal
 * bit-reversal permutation program", 1998).
 *
 * An index is high, middle, low; high and low have TILE_LOG bits. Elements of one middle form a tile whose
 * rows are contiguous; its reversed tile is that of the reversed middle.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/pool.h"
#include "ntt/ntt_kernel.h"

#define TILE_LOG 4
#define TILE     (1 << TILE_LOG)

struct reversal {
    fr *a;
    unsigned log;
    size_t group; /* middles a task */
    const struct exec *x;
};

static const uint8_t REVERSED[TILE] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

/* out[low][high] = the element at (REVERSED[high], middle, REVERSED[low]) */
static void load_tile(fr *out, const fr *a, size_t stride)
{
    for (size_t high = 0; high < TILE; high++) {
        const fr *row = a + REVERSED[high] * stride;
        for (size_t low = 0; low < TILE; low++)
            out[low * TILE + high] = row[REVERSED[low]];
    }
}

static void store_tile(fr *a, const fr *in, size_t stride)
{
    for (size_t high = 0; high < TILE; high++)
        memcpy(a + high * stride, in + high * TILE, TILE * sizeof *a);
}

static void task(void *ctx, size_t i, unsigned worker)
{
    const struct reversal *r = ctx;
    (void)worker;
    if (exec_cancelled(r->x))
        return;
    const unsigned middle_bits = r->log - 2 * TILE_LOG;
    const size_t stride = (size_t)1 << (r->log - TILE_LOG);
    fr tile[TILE * TILE], other[TILE * TILE];
    for (size_t k = 0; k < r->group; k++) {
        const size_t middle = i * r->group + k, reversed = ntt_bit_reversal(middle, middle_bits);
        if (reversed < middle)
            continue;
        fr *here = r->a + (middle << TILE_LOG), *there = r->a + (reversed << TILE_LOG);
        load_tile(tile, here, stride);
        if (reversed != middle) {
            load_tile(other, there, stride);
            store_tile(here, other, stride);
        }
        store_tile(there, tile, stride);
    }
}

void ntt_bit_reverse(const struct exec *x, fr *a, unsigned log)
{
    if (log < 2 * TILE_LOG) {
        for (size_t i = 0; i < (size_t)1 << log; i++) {
            const size_t j = ntt_bit_reversal(i, log);
            if (i < j) {
                const fr t = a[i];
                a[i] = a[j];
                a[j] = t;
            }
        }
        return;
    }
    const size_t middles = (size_t)1 << (log - 2 * TILE_LOG);
    struct reversal r = {a, log, middles < 64 ? middles : 64, x};
    pool_run(x->pool, task, &r, middles / r.group);
}

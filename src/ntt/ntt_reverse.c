/* ntt/ntt_reverse.c - the bit-reversal permutation in tiles (L. Carter, K. Gatlin, "Towards an optimal
 * bit-reversal permutation program", 1998).
 *
 * An index is high, middle, low; high and low have TILE_LOG bits. Elements of one middle form a tile of rows
 * that are contiguous; they change places with those of the tile of the reversed middle, all in the
 * first-level cache.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "base/pool.h"
#include "ntt/ntt_kernel.h"

#define TILE_LOG 3
#define TILE     (1 << TILE_LOG)

struct reversal {
    fr *a;
    unsigned log;
    size_t group; /* middles a task */
    const struct exec *x;
};

static const uint8_t REVERSED[TILE] = {0, 4, 2, 6, 1, 5, 3, 7};

static void swap(fr *a, fr *b)
{
    const fr t = *a;
    *a = *b;
    *b = t;
}

static void swap_tiles(fr *here, fr *there, size_t stride)
{
    for (size_t high = 0; high < TILE; high++)
        for (size_t low = 0; low < TILE; low++)
            swap(here + high * stride + low, there + REVERSED[low] * stride + REVERSED[high]);
}

/* One whose middle is its own reversal. */
static void reverse_tile(fr *a, size_t stride)
{
    for (size_t high = 0; high < TILE; high++) {
        for (size_t low = 0; low < TILE; low++) {
            const size_t other_high = REVERSED[low], other_low = REVERSED[high];
            if (high * TILE + low < other_high * TILE + other_low)
                swap(a + high * stride + low, a + other_high * stride + other_low);
        }
    }
}

/* A tile that comes next: its rows lie too far apart for the processor to foresee. */
static void prefetch_tile(const fr *a, size_t stride)
{
    for (size_t high = 0; high < TILE; high++)
        for (size_t low = 0; low < TILE; low += 2)
            __builtin_prefetch(a + high * stride + low, 1);
}

static void task(void *ctx, size_t i, unsigned worker)
{
    const struct reversal *r = ctx;
    (void)worker;
    if (exec_cancelled(r->x))
        return;
    const unsigned middle_bits = r->log - 2 * TILE_LOG;
    const size_t stride = (size_t)1 << (r->log - TILE_LOG);
    for (size_t k = 0; k < r->group; k++) {
        const size_t middle = i * r->group + k, reversed = ntt_bit_reversal(middle, middle_bits);
        const size_t next = ntt_bit_reversal(middle + 1, middle_bits);
        fr *here = r->a + (middle << TILE_LOG);
        if (k + 1 < r->group && next > middle) {
            prefetch_tile(here + TILE, stride);
            prefetch_tile(r->a + (next << TILE_LOG), stride);
        }
        if (middle < reversed)
            swap_tiles(here, r->a + (reversed << TILE_LOG), stride);
        else if (middle == reversed)
            reverse_tile(here, stride);
    }
}

void ntt_bit_reverse(const struct exec *x, fr *a, unsigned log)
{
    if (log < 2 * TILE_LOG) {
        for (size_t i = 0; i < (size_t)1 << log; i++) {
            const size_t j = ntt_bit_reversal(i, log);
            if (i < j)
                swap(&a[i], &a[j]);
        }
        return;
    }
    const size_t middles = (size_t)1 << (log - 2 * TILE_LOG);
    struct reversal r = {a, log, middles < 256 ? middles : 256, x};
    pool_run(x->pool, task, &r, middles / r.group);
}

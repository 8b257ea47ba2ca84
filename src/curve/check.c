/* curve/check.c - checking many encoded points on all threads.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "curve/check.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"

/* A chunk takes seconds; with a fault that only single tests can find, half a minute. */
#define CHUNK_MAX ((size_t)1 << 20)

/* What is particular to a group. */
struct kind {
    size_t encoded;    /* bytes of a point */
    unsigned test;     /* a membership test's cost in batched additions */
    const char *phase; /* of progress */
    check_function *chunk[CPU_VARIANTS];
    size_t (*scratch[CPU_VARIANTS])(void);
};

static const struct kind G1_KIND = {
    .encoded = G1_UNCOMPRESSED_BYTES,
    .test = 160,
    .phase = "checking points of G1",
    .chunk = {[CPU_PORTABLE] = g1_check_chunk_portable,
#ifdef CUZK_HAVE_ADX
              [CPU_ADX] = g1_check_chunk_adx
#endif
    },
    .scratch = {[CPU_PORTABLE] = g1_check_bytes_portable,
#ifdef CUZK_HAVE_ADX
                [CPU_ADX] = g1_check_bytes_adx
#endif
    },
};

static const struct kind G2_KIND = {
    .encoded = G2_UNCOMPRESSED_BYTES,
    .test = 60,
    .phase = "checking points of G2",
    .chunk = {[CPU_PORTABLE] = g2_check_chunk_portable,
#ifdef CUZK_HAVE_ADX
              [CPU_ADX] = g2_check_chunk_adx
#endif
    },
    .scratch = {[CPU_PORTABLE] = g2_check_bytes_portable,
#ifdef CUZK_HAVE_ADX
                [CPU_ADX] = g2_check_bytes_adx
#endif
    },
};

bool check_random(void *out, size_t size)
{
    for (size_t got = 0; got < size;) {
        const ssize_t n = getrandom((uint8_t *)out + got, size - got, 0);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            got += (size_t)n;
    }
    return true;
}

/* passes (n + 2^bits test) additions against n test. */
struct check_plan check_plan_make(size_t n, unsigned test)
{
    struct check_plan best = {0, 0};
    uint64_t least = (uint64_t)n * test;
    for (unsigned bits = CHECK_BITS_MIN; bits <= CHECK_BITS_MAX; bits++) {
        const unsigned passes = (CHECK_SECURITY + bits - 1) / bits;
        VERIFY(passes * bits <= 128 && passes << bits <= CHECK_BUCKETS_MAX);
        const uint64_t cost = passes * (n + ((uint64_t)test << bits));
        if (cost < least) {
            least = cost;
            best = (struct check_plan){bits, passes};
        }
    }
    return best;
}

/* One call. The threads share the first bad point and the first failure. */
struct run {
    const struct exec *x;
    const struct kind *kind;
    const uint8_t *in;
    size_t n, chunk, first_task;
    bool raw, infinity_allowed;
    uint8_t *scratch;
    size_t scratch_each;
    atomic_flag lock; /* of what follows */
    size_t bad;       /* SIZE_MAX: none */
    enum encoding_fault fault;
    bool cancelled, doubtful;
    int random_errno;
};

static void lock(struct run *r)
{
    while (atomic_flag_test_and_set_explicit(&r->lock, memory_order_acquire))
        continue;
}

static void unlock(struct run *r)
{
    atomic_flag_clear_explicit(&r->lock, memory_order_release);
}

static void check_task(void *ctx, size_t i, unsigned worker)
{
    struct run *r = ctx;
    const size_t from = (r->first_task + i) * r->chunk;
    const size_t n = r->n - from < r->chunk ? r->n - from : r->chunk;
    const struct check_chunk chunk = {
        .in = r->in + from * r->kind->encoded,
        .n = n,
        .raw = r->raw,
        .infinity_allowed = r->infinity_allowed,
        .plan = check_plan_make(n, r->kind->test),
        .cancel = r->x->cancel,
    };
    size_t index;
    enum encoding_fault fault;
    const enum check_outcome outcome = r->kind->chunk[cpu_scalar(r->x->variant)](
        r->scratch + worker * r->scratch_each, &chunk, &index, &fault);
    const int error = errno;
    lock(r);
    if (outcome == CHECK_FAULT && from + index < r->bad) {
        r->bad = from + index;
        r->fault = fault;
    }
    if (outcome == CHECK_CANCELLED)
        r->cancelled = true;
    if (outcome == CHECK_DOUBTFUL)
        r->doubtful = true;
    if (outcome == CHECK_NO_RANDOM)
        r->random_errno = error;
    unlock(r);
}

/* Even chunks, at least one a thread but not so small that the bucket test loses its point. */
static size_t chunk_size(size_t n, unsigned threads)
{
    const size_t each = n / threads + 1;
    if (each > CHUNK_MAX)
        return CHUNK_MAX;
    return each < CHECK_GROUP ? CHECK_GROUP : each;
}

static cuzk_status check_points(const struct exec *x, const struct kind *kind, const uint8_t *in, size_t n,
                                bool raw, bool infinity_allowed, bool *ok, size_t *index,
                                enum encoding_fault *fault, struct cuzk_error *e)
{
    const unsigned threads = pool_threads(x->pool);
    struct run r = {
        .x = x,
        .kind = kind,
        .in = in,
        .n = n,
        .chunk = chunk_size(n, threads),
        .raw = raw,
        .infinity_allowed = infinity_allowed,
        .scratch_each = (kind->scratch[cpu_scalar(x->variant)]() + 63) / 64 * 64,
        .lock = ATOMIC_FLAG_INIT,
        .bad = SIZE_MAX,
    };
    struct block scratch;
    const cuzk_status status = block_new(&scratch, x->budget, threads, r.scratch_each, "checking points", e);
    if (status != CUZK_OK)
        return status;
    r.scratch = scratch.ptr;
    const size_t tasks = n / r.chunk + (n % r.chunk != 0);
    while (r.first_task < tasks && r.bad == SIZE_MAX && !r.cancelled && !r.doubtful && r.random_errno == 0) {
        exec_progress(x, kind->phase, (uint64_t)r.first_task * r.chunk, n);
        const size_t round = tasks - r.first_task < threads ? tasks - r.first_task : threads;
        pool_run(x->pool, check_task, &r, round);
        r.first_task += round;
    }
    block_free(&scratch);
    if (r.cancelled)
        return error_set(e, CUZK_ERR_CANCELLED, "cancelled while checking points");
    if (r.random_errno != 0)
        return error_errno(e, r.random_errno, "the system's random generator");
    if (r.doubtful)
        return error_set(e, CUZK_ERR_INTERNAL, "%s: the test of all and those of each disagree", kind->phase);
    exec_progress(x, kind->phase, n, n);
    *ok = r.bad == SIZE_MAX;
    if (!*ok) {
        *index = r.bad;
        *fault = r.fault;
    }
    return CUZK_OK;
}

cuzk_status g1_check_encoded(const struct exec *x, const uint8_t *in, size_t n, bool infinity_allowed,
                             bool *ok, size_t *index, enum encoding_fault *fault, struct cuzk_error *e)
{
    return check_points(x, &G1_KIND, in, n, false, infinity_allowed, ok, index, fault, e);
}

cuzk_status g2_check_encoded(const struct exec *x, const uint8_t *in, size_t n, bool infinity_allowed,
                             bool *ok, size_t *index, enum encoding_fault *fault, struct cuzk_error *e)
{
    return check_points(x, &G2_KIND, in, n, false, infinity_allowed, ok, index, fault, e);
}

cuzk_status g1_check_affine(const struct exec *x, const g1_affine *in, size_t n, bool infinity_allowed,
                            bool *ok, size_t *index, enum encoding_fault *fault, struct cuzk_error *e)
{
    return check_points(x, &G1_KIND, (const uint8_t *)in, n, true, infinity_allowed, ok, index, fault, e);
}

cuzk_status g2_check_affine(const struct exec *x, const g2_affine *in, size_t n, bool infinity_allowed,
                            bool *ok, size_t *index, enum encoding_fault *fault, struct cuzk_error *e)
{
    return check_points(x, &G2_KIND, (const uint8_t *)in, n, true, infinity_allowed, ok, index, fault, e);
}

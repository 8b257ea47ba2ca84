/* tests/unit/cuda_threads.cpp - see cuda_threads.h. Built without the sanitizers' instrumentation, which
 * would take the changing of stacks, and what threads are kept in, for faults; it tells them of it instead.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#undef _FORTIFY_SOURCE /* which takes a jump to another stack for a fault; before any header */
#include "cuda_threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <vector>

#if defined(SANITIZED_ADDRESS)
extern "C" void __sanitizer_start_switch_fiber(void **saved, const void *bottom, size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void *saved, const void **bottom, size_t *size);
#elif defined(SANITIZED_THREAD)
extern "C" void *__tsan_get_current_fiber();
extern "C" void *__tsan_create_fiber(unsigned flags);
extern "C" void __tsan_switch_to_fiber(void *fiber, unsigned flags);
extern "C" void __tsan_acquire(void *at);
extern "C" void __tsan_release(void *at);
extern "C" void AnnotateIgnoreReadsBegin(const char *file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char *file, int line);
#define NO_SYNC 1
#endif

#define STACK   ((size_t)256 << 10)
#define PATTERN 0xa5 /* of memory that nothing was written to */
#define WARP    32

namespace
{

struct barrier {
    unsigned members, arrived;
    uint64_t turn;
    const char *place; /* of the first that arrived */
};

struct copy {
    void *to;
    const void *from;
    uint64_t group;
};

struct fiber {
    cuda_thread own;
    ucontext_t context;
    jmp_buf quick; /* the same, once it has begun */
    bool begun;
    void *stack;
    bool running; /* its part of the block is not over */
    barrier *waits;
    uint64_t turn; /* of the barrier, when it came */
    std::vector<copy> copies;
    uint64_t group;
    uint32_t given[2]; /* to the other threads of the warp, now and the time before */
    unsigned times;
    void *sanitizer;
};

struct block_array {
    const char *place;
    void *ptr;
    size_t size;
};

/* All of the launch that runs. */
struct stage {
    void (*kernel)(const void *arguments);
    const void *arguments;
    uint32_t size; /* threads of a block */
    unsigned current;
    barrier block, warp[32];
    char begins, ends; /* what threads are told to come after and before, but for each other's blocks */
    std::vector<block_array> arrays;
    void *room;
    ucontext_t outside;
    jmp_buf outside_quick;
    void *outside_sanitizer;
    const void *outside_bottom;
    size_t outside_size;
};

std::vector<fiber *> &fibers = *new std::vector<fiber *>(); /* kept from launch to launch, till the end */
stage now;
pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

[[noreturn]] void give_up(const char *what, const char *place)
{
    fprintf(stderr, "a kernel on the host: %s, %s (thread %u of %u, block %u)\n", what, place, now.current,
            now.size, fibers[now.current]->own.block.x);
    abort();
}

/* -- changing stacks -- */

void entered(fiber *f)
{
#if defined(SANITIZED_ADDRESS)
    __sanitizer_finish_switch_fiber(f ? f->sanitizer : now.outside_sanitizer,
                                    f && !now.outside_bottom ? &now.outside_bottom : nullptr,
                                    f && !now.outside_size ? &now.outside_size : nullptr);
#else
    (void)f;
#endif
}

/* NULL: the caller of cuda_run */
void change(fiber *from, fiber *to)
{
#if defined(SANITIZED_ADDRESS)
    __sanitizer_start_switch_fiber(from ? &from->sanitizer : &now.outside_sanitizer,
                                   to ? to->stack : now.outside_bottom, to ? STACK : now.outside_size);
#elif defined(SANITIZED_THREAD)
    __tsan_switch_to_fiber(to ? to->sanitizer : now.outside_sanitizer, NO_SYNC);
#endif
#if defined(SANITIZED_ADDRESS) || defined(SANITIZED_THREAD)
    swapcontext(from ? &from->context : &now.outside, to ? &to->context : &now.outside);
#else
    /* without a call of the system each time */
    if (_setjmp(from ? from->quick : now.outside_quick) == 0) {
        if (!to || to->begun)
            _longjmp(to ? to->quick : now.outside_quick, 1);
        to->begun = true;
        setcontext(&to->context);
    }
#endif
    entered(from);
}

bool can_go_on(const fiber *f)
{
    return f->running && (!f->waits || f->waits->turn != f->turn);
}

/* To the next thread that can go on, or, when all are done, back to cuda_run. */
void yield(fiber *from, const char *place)
{
    for (uint32_t i = 1; i <= now.size; i++) {
        const unsigned next = (now.current + i) % now.size;
        if (!can_go_on(fibers[next]))
            continue;
        now.current = next;
        if (fibers[next] != from)
            change(from, fibers[next]);
        return;
    }
    if (from->running)
        give_up("a barrier that others never reach", place);
    change(from, nullptr);
}

void synchronise(void *at, bool leave)
{
#if defined(SANITIZED_THREAD)
    if (leave)
        __tsan_acquire(at);
    else
        __tsan_release(at);
#else
    (void)at, (void)leave;
#endif
}

void open_barrier(barrier *b)
{
    b->arrived = 0;
    b->place = nullptr;
    b->turn++;
}

/* orders: what was written before is there afterwards, for those that wait */
void wait_at(barrier *b, const char *place, bool orders)
{
    fiber *f = fibers[now.current];
    if (b->place && b->place != place && strcmp(b->place, place) != 0) {
        fprintf(stderr, "others wait at %s\n", b->place);
        give_up("a barrier where others wait at another", place);
    }
    b->place = place;
    if (orders)
        synchronise(b, false);
    if (++b->arrived == b->members) {
        open_barrier(b);
    } else {
        f->waits = b;
        f->turn = b->turn;
        yield(f, place);
        f->waits = nullptr;
    }
    if (orders)
        synchronise(b, true);
}

void leave_barrier(barrier *b)
{
    b->members--;
    if (b->members > 0 && b->arrived == b->members)
        open_barrier(b);
}

void land(fiber *f, uint64_t before)
{
    size_t kept = 0;
    for (const copy &c : f->copies) {
        if (c.group < before)
            cuda_copy_now(c.to, c.from);
        else
            f->copies[kept++] = c;
    }
    f->copies.resize(kept);
}

barrier *warp_of(const fiber *f)
{
    return &now.warp[f->own.thread.x / WARP];
}

barrier *whole_warp(uint32_t mask, const char *place)
{
    barrier *b = warp_of(fibers[now.current]);
    if (mask != ~0u || b->members != WARP)
        give_up("a warp that is not whole", place);
    return b;
}

/* A thread's life: its part of one block after another. */
void live()
{
    fiber *f = fibers[now.current];
    entered(f);
    for (;;) {
        synchronise(&now.begins, true);
        now.kernel(now.arguments);
        land(f, UINT64_MAX);
        synchronise(&now.ends, false);
        f->running = false;
        f->group = 0;
        f->times = 0;
        leave_barrier(&now.block);
        leave_barrier(warp_of(f));
        yield(f, "its end");
    }
}

void make_fiber(uint32_t number)
{
    fiber *f = new fiber();
    f->own.thread.x = number;
    f->stack =
        mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->stack == MAP_FAILED || getcontext(&f->context) != 0)
        abort();
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = nullptr;
    makecontext(&f->context, live, 0);
#if defined(SANITIZED_THREAD)
    f->sanitizer = __tsan_create_fiber(0);
#endif
    fibers.push_back(f);
}

/* Whose memory it was before is nobody's concern, nor who asked for it. */
void unobserved(bool begin)
{
#if defined(SANITIZED_THREAD)
    if (begin)
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    else
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#else
    (void)begin;
#endif
}

void *new_memory(size_t size)
{
    void *ptr = nullptr;
    unobserved(true);
    if (posix_memalign(&ptr, 128, size) != 0)
        abort();
    memset(ptr, PATTERN, size);
    unobserved(false);
    return ptr;
}

void run_block(cuda_place at, size_t shared)
{
    now.block = {now.size, 0, now.block.turn, nullptr};
    for (uint32_t w = 0; w < (now.size + WARP - 1) / WARP; w++) {
        const uint32_t left = now.size - w * WARP;
        now.warp[w] = {left < WARP ? left : WARP, 0, now.warp[w].turn, nullptr};
    }
    for (uint32_t i = 0; i < now.size; i++) {
        fibers[i]->own.block = at;
        fibers[i]->running = true;
        fibers[i]->waits = nullptr;
    }
    now.room = shared ? new_memory(shared) : nullptr;
    now.current = 0;
    change(nullptr, fibers[0]);
    unobserved(true);
    for (const block_array &a : now.arrays)
        free(a.ptr);
    free(now.room);
    unobserved(false);
    now.arrays.clear();
}

} // namespace

const cuda_thread &cuda_this_thread()
{
    return fibers[now.current]->own;
}

void cuda_run(void (*kernel)(const void *arguments), const void *arguments, const uint32_t grid[3],
              uint32_t block_size, size_t shared)
{
    pthread_mutex_lock(&turn);
    while (fibers.size() < block_size)
        make_fiber((uint32_t)fibers.size());
    now.kernel = kernel;
    now.arguments = arguments;
    now.size = block_size;
#if defined(SANITIZED_THREAD)
    now.outside_sanitizer = __tsan_get_current_fiber();
#endif
    now.outside_bottom = nullptr;
    now.outside_size = 0;
    for (uint32_t i = 0; i < block_size; i++) {
        fibers[i]->own.block_size = {block_size, 1, 1};
        fibers[i]->own.grid_size = {grid[0], grid[1], grid[2]};
    }
    synchronise(&now.begins, false);
    for (uint32_t z = 0; z < grid[2]; z++)
        for (uint32_t y = 0; y < grid[1]; y++)
            for (uint32_t x = 0; x < grid[0]; x++)
                run_block({x, y, z}, shared);
    synchronise(&now.ends, true);
    pthread_mutex_unlock(&turn);
}

void cuda_block_barrier(const char *place)
{
    wait_at(&now.block, place, true);
}

void cuda_warp_barrier(const char *place)
{
    wait_at(whole_warp(~0u, place), place, true);
}

uint32_t cuda_exchange(uint32_t mask, uint32_t value, uint32_t lane, const char *place)
{
    fiber *f = fibers[now.current];
    const unsigned turn_of_two = f->times++ % 2;
    f->given[turn_of_two] = value;
    wait_at(whole_warp(mask, place), place, false);
    return fibers[f->own.thread.x / WARP * WARP + lane % WARP]->given[turn_of_two];
}

void *cuda_block_array(const char *place, size_t size)
{
    for (const block_array &a : now.arrays)
        if (a.size == size && (a.place == place || strcmp(a.place, place) == 0))
            return a.ptr;
    now.arrays.push_back({place, new_memory(size), size});
    return now.arrays.back().ptr;
}

void *cuda_block_room()
{
    return now.room;
}

void cuda_copy_send(void *to, const void *from)
{
    fiber *f = fibers[now.current];
    if (((uintptr_t)to | (uintptr_t)from) % 16 != 0)
        give_up("a copy that does not begin at a multiple of 16", "copy_send");
    f->copies.push_back({to, from, f->group});
}

void cuda_copy_group()
{
    fibers[now.current]->group++;
}

void cuda_copy_wait(uint32_t groups, bool all)
{
    fiber *f = fibers[now.current];
    land(f, all ? UINT64_MAX : f->group > groups ? f->group - groups : 0);
}

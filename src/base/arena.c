/* arena.c: see arena.h. */
#include "arena.h"
#include "base.h"

#include <stdint.h>
#include <string.h>

#ifdef TN_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n) ((void)0)
#define UNPOISON(p, n) ((void)0)
#endif

/* A block the heap lent because the arena was full; its payload follows at the next cache line. */
struct TnArenaOverflow {
    TnArenaOverflow *next;
};

static size_t round_up(size_t bytes)
{
    return (bytes + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
}

bool tn_arena_init(TnArena *arena, const char *name, size_t capacity)
{
    *arena = (TnArena){.name = name, .capacity = round_up(capacity)};
    if (arena->capacity == 0) return true;
    arena->base = tn_aligned_alloc(arena->capacity);
    if (!arena->base) {
        arena->capacity = 0;
        return false;
    }
    POISON(arena->base, arena->capacity);
    return true;
}

static void free_overflow(TnArena *arena)
{
    while (arena->overflow) {
        TnArenaOverflow *next = arena->overflow->next;
        tn_free(arena->overflow);
        arena->overflow = next;
    }
    arena->overflow_bytes = 0;
    arena->overflow_count = 0;
}

void tn_arena_free(TnArena *arena)
{
    free_overflow(arena);
    if (arena->base) UNPOISON(arena->base, arena->capacity);
    tn_free(arena->base);
    *arena = (TnArena){0};
}

static void note_use(TnArena *arena)
{
    size_t use = arena->used + arena->overflow_bytes;
    if (use > arena->high_water) arena->high_water = use;
}

void tn_arena_open(void *p, size_t bytes)
{
    (void)p;
    (void)bytes;
    UNPOISON(p, bytes);
}

void *tn_arena_overflow(TnArena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        arena->lacked = true;
        return NULL;
    }
    size_t need = round_up(bytes ? bytes : 1);
    if (need == arena->capacity - arena->used) {
        void *p = arena->base + arena->used;
        arena->used += need;
        note_use(arena);
        UNPOISON(p, bytes);
        return p;
    }
    TnArenaOverflow *block = tn_aligned_alloc(need + TN_ARENA_ALIGN);
    if (!block) {
        arena->lacked = true;
        return NULL;
    }
    block->next = arena->overflow;
    arena->overflow = block;
    arena->overflow_count++;
    arena->overflow_bytes += need;
    note_use(arena);
    return (char *)block + TN_ARENA_ALIGN;
}

void tn_arena_reset(TnArena *arena)
{
    if (arena->overflow) {
        /* Half more than was needed, so that slow growth does not reallocate at every step. */
        size_t want = round_up(arena->high_water + arena->high_water / 2);
        free_overflow(arena);
        char *bigger = tn_aligned_alloc(want);
        if (bigger) {
            if (arena->base) UNPOISON(arena->base, arena->capacity);
            tn_free(arena->base);
            arena->base = bigger;
            arena->capacity = want;
        }
    }
    arena->used = 0;
    arena->lacked = false;
    if (arena->base) POISON(arena->base, arena->capacity);
}

size_t tn_arena_mark(const TnArena *arena) { return arena->used; }

void tn_arena_release(TnArena *arena, size_t mark)
{
    TN_ASSERT(mark <= arena->used);
    if (arena->base) POISON(arena->base + mark, arena->used - mark);
    arena->used = mark;
}

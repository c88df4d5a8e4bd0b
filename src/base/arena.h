/* arena.h: a named stack of memory with mark and release.
 *
 * A step takes all its scratch from one arena, so that a warm step never calls malloc. When a
 * request does not fit, the heap helps (counted), and tn_arena_reset grows the arena to the
 * high-water mark between steps. Under ASan released memory is poisoned. */
#ifndef TN_BASE_ARENA_H
#define TN_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TN_ARENA_ALIGN 64 /* one cache line, one AVX-512 register */

typedef struct TnArenaOverflow TnArenaOverflow;

typedef struct TnArena {
    const char *name;
    char *base;
    size_t capacity, used;
    size_t high_water;  /* largest use since creation, overflow included */
    int overflow_count; /* heap helps since the last reset */
    size_t overflow_bytes;
    TnArenaOverflow *overflow;
    bool lacked; /* an allocation failed since the last reset; its result may be incomplete */
} TnArena;

bool tn_arena_init(TnArena *arena, const char *name, size_t capacity); /* false: no memory */
void tn_arena_free(TnArena *arena);
/* Where the arena is nearly full: from the heap if need be. */
void *tn_arena_overflow(TnArena *arena, size_t bytes);
/* Under ASan: the bytes may be used. */
void tn_arena_open(void *p, size_t bytes);

#if defined(__SANITIZE_ADDRESS__)
#define TN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TN_ASAN 1
#endif
#endif

/* 64-byte aligned, not cleared; NULL: no memory. Inline, for a step takes memory a hundred times.
 */
static inline void *tn_arena_alloc(TnArena *arena, size_t bytes)
{
    size_t left = arena->capacity - arena->used; /* a multiple of the alignment */
    if (bytes >= left) return tn_arena_overflow(arena, bytes);
    void *p = arena->base + arena->used;
    arena->used += (bytes + (bytes == 0) + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
    size_t use = arena->used + arena->overflow_bytes;
    if (use > arena->high_water) arena->high_water = use;
#ifdef TN_ASAN
    tn_arena_open(p, bytes);
#endif
    return p;
}

/* Cleared. */
static inline void *tn_arena_calloc(TnArena *arena, size_t bytes)
{
    void *p = tn_arena_alloc(arena, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}
/* Empties the arena and, where the heap had to help, grows it (by half more than was needed). */
void tn_arena_reset(TnArena *arena);
size_t tn_arena_mark(const TnArena *arena);
void tn_arena_release(TnArena *arena,
                      size_t mark); /* back to a mark; overflow blocks stay until reset */

#define TN_ARENA_NEW(arena, type, count)                                                           \
    ((type *)tn_arena_alloc((arena), sizeof(type) * (size_t)(count)))
#define TN_ARENA_ZERO(arena, type, count)                                                          \
    ((type *)tn_arena_calloc((arena), sizeof(type) * (size_t)(count)))

#endif

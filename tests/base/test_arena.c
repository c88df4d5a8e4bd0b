/* The arena: alignment, mark and release, help of the heap, growth, no memory. */
#include "../check.h"

#include <stdint.h>

#include "base/arena.h"
#include "base/base.h"

static bool aligned(const void *p) { return (uintptr_t)p % TN_ARENA_ALIGN == 0; }

TEST(every_block_is_aligned_and_disjoint_and_writable)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 1 << 16));
    unsigned char *blocks[100];
    size_t sizes[100];
    for (int i = 0; i < 100; i++) {
        sizes[i] = (size_t)(i * 37 % 301);
        blocks[i] = tn_arena_alloc(&arena, sizes[i]);
        REQUIRE(blocks[i]);
        CHECK(aligned(blocks[i]));
        memset(blocks[i], i, sizes[i]);
    }
    for (int i = 0; i < 100; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            if (blocks[i][k] != i) test_fail(__FILE__, __LINE__, "block %d was overwritten", i);
    CHECK(arena.overflow_count == 0);
    tn_arena_free(&arena);
}

TEST(blocks_of_no_bytes_are_distinct)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 1024));
    void *a = tn_arena_alloc(&arena, 0), *b = tn_arena_alloc(&arena, 0);
    CHECK(a && b && a != b);
    tn_arena_free(&arena);
}

TEST(calloc_clears_what_was_used_before)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 4096));
    size_t mark = tn_arena_mark(&arena);
    memset(TN_ARENA_NEW(&arena, char, 1000), 0xff, 1000);
    tn_arena_release(&arena, mark);
    const char *again = TN_ARENA_ZERO(&arena, char, 1000);
    for (int i = 0; i < 1000; i++) CHECK(again[i] == 0);
    tn_arena_free(&arena);
}

TEST(release_goes_back_to_the_mark)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 4096));
    int *kept = TN_ARENA_NEW(&arena, int, 10);
    for (int i = 0; i < 10; i++) kept[i] = i;
    size_t mark = tn_arena_mark(&arena);
    void *first = tn_arena_alloc(&arena, 500);
    tn_arena_alloc(&arena, 700);
    tn_arena_release(&arena, mark);
    CHECK(tn_arena_mark(&arena) == mark);
    CHECK(tn_arena_alloc(&arena, 500) == first);
    for (int i = 0; i < 10; i++) CHECK(kept[i] == i);
    tn_arena_free(&arena);
}

TEST(high_water_is_the_largest_use_and_stays)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 4096));
    tn_arena_alloc(&arena, 640);
    size_t mark = tn_arena_mark(&arena);
    tn_arena_alloc(&arena, 1280);
    tn_arena_release(&arena, mark);
    tn_arena_alloc(&arena, 64);
    CHECK(arena.high_water == 1920);
    tn_arena_reset(&arena);
    CHECK(arena.high_water == 1920 && arena.used == 0);
    tn_arena_free(&arena);
}

TEST(the_heap_helps_a_full_arena_and_reset_grows_it)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 1024));
    unsigned char *blocks[20];
    for (int i = 0; i < 20; i++) { /* 20 × 256 bytes: four fit */
        blocks[i] = tn_arena_alloc(&arena, 256);
        REQUIRE(blocks[i]);
        CHECK(aligned(blocks[i]));
        memset(blocks[i], i, 256);
    }
    for (int i = 0; i < 20; i++) CHECK(blocks[i][0] == i && blocks[i][255] == i);
    CHECK(arena.overflow_count == 16);
    CHECK(arena.high_water == 20 * 256);
    tn_arena_reset(&arena);
    CHECK(arena.overflow_count == 0);
    CHECK(arena.capacity >= 20 * 256);
    long before = tn_malloc_count();
    for (int i = 0; i < 20; i++) tn_arena_alloc(&arena, 256);
    CHECK(tn_malloc_count() == before); /* warm: the heap is no longer asked */
    CHECK(arena.overflow_count == 0);
    tn_arena_free(&arena);
}

TEST(releasing_a_mark_leaves_blocks_of_the_heap_alive)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 128));
    tn_arena_alloc(&arena, 64);
    size_t mark = tn_arena_mark(&arena);
    char *lent = tn_arena_alloc(&arena, 4096);
    REQUIRE(lent);
    tn_arena_release(&arena, mark);
    memset(lent, 1, 4096); /* still the caller's until the reset */
    CHECK(arena.overflow_count == 1);
    tn_arena_reset(&arena);
    CHECK(arena.overflow_count == 0);
    tn_arena_free(&arena);
}

TEST(an_arena_of_no_bytes_lives_on_the_heap_until_it_grows)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 0));
    CHECK(tn_arena_alloc(&arena, 100) != NULL);
    CHECK(arena.overflow_count == 1);
    tn_arena_reset(&arena);
    CHECK(arena.capacity >= 100);
    CHECK(tn_arena_alloc(&arena, 100) != NULL);
    CHECK(arena.overflow_count == 0);
    tn_arena_free(&arena);
}

TEST(no_memory_is_told_and_leaves_the_arena_usable)
{
    TnArena arena;
    tn_malloc_fail_after(0);
    CHECK(!tn_arena_init(&arena, "test", 1024));
    tn_malloc_fail_after(-1);
    tn_arena_free(&arena);

    REQUIRE(tn_arena_init(&arena, "test", 1024));
    tn_malloc_fail_after(0);
    CHECK(tn_arena_alloc(&arena, 512) != NULL); /* fits: the heap is not needed */
    CHECK(tn_arena_alloc(&arena, 4096) == NULL);
    CHECK(tn_arena_calloc(&arena, 4096) == NULL);
    CHECK(tn_arena_alloc(&arena, SIZE_MAX) == NULL);
    CHECK(tn_arena_alloc(&arena, SIZE_MAX - 63) == NULL);
    CHECK(arena.overflow_count == 0);
    CHECK(tn_arena_alloc(&arena, 256) != NULL);
    tn_malloc_fail_after(-1);
    tn_arena_free(&arena);
}

TEST(an_arena_that_cannot_grow_stays_as_it_was)
{
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 1024));
    CHECK(tn_arena_alloc(&arena, 8192) != NULL);
    tn_malloc_fail_after(0);
    tn_arena_reset(&arena);
    tn_malloc_fail_after(-1);
    CHECK(arena.capacity == 1024 && arena.used == 0 && arena.overflow_count == 0);
    CHECK(tn_arena_alloc(&arena, 1024) != NULL);
    CHECK(arena.overflow_count == 0);
    tn_arena_free(&arena);
}

/* A model in memory of the caller's points into that memory only, so that other processes can see
 * it at the same address. */
#include <tenon/tenon.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

extern char __executable_start, _end; /* of the program, by the linker */

typedef struct Memory {
    char *base;
    size_t bytes;
} Memory;

static void *place(void *context, size_t bytes)
{
    Memory *memory = context;
    memory->bytes = bytes;
    memory->base = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return memory->base;
}

static void *nowhere(void *context, size_t bytes)
{
    (void)context, (void)bytes;
    return NULL;
}

static TnModelBuilder *load(const char *scene)
{
    char path[512];
    TnError err = {0};
    snprintf(path, sizeof path, TENON_SOURCE_DIR "/scenes/%s.xml", scene);
    TnModelBuilder *builder = tn_builder_load(path, NULL, NULL, &err);
    CHECK(builder);
    return builder;
}

static uint64_t word(const Memory *memory, size_t at)
{
    uint64_t value;
    memcpy(&value, memory->base + at, sizeof value);
    return value;
}

/* Words of two copies are equal, or both point to the same place in their own copy. Equal ones do
 * not point into the program. */
static bool points_into_itself(const Memory *a, const Memory *b)
{
    uint64_t first = (uint64_t)(uintptr_t)&__executable_start, end = (uint64_t)(uintptr_t)&_end;
    for (size_t at = 0; at + sizeof(uint64_t) <= a->bytes; at += sizeof(uint64_t)) {
        uint64_t x = word(a, at), y = word(b, at);
        if (x != y && (x - (uint64_t)(uintptr_t)a->base != y - (uint64_t)(uintptr_t)b->base ||
                       x - (uint64_t)(uintptr_t)a->base >= a->bytes))
            return false;
        if (x == y && x >= first && x < end) return false;
    }
    return true;
}

TEST(a_model_points_into_its_own_memory_only)
{
    static const char *const scenes[] = {"stir",  "cable", "beam", "pyramid",
                                         "cards", "arch",  "wall", "tower"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        TnModelBuilder *builder = load(scenes[i]);
        Memory a = {0}, b = {0};
        TnError err = {0};
        TnModel *x = tn_builder_compile_in(builder, place, &a, &err),
                *y = tn_builder_compile_in(builder, place, &b, &err);
        CHECK(x && (char *)x == a.base && y && (char *)y == b.base && a.bytes == b.bytes);
        CHECK(points_into_itself(&a, &b));
        tn_model_destroy(x); /* does not free it */
        tn_model_destroy(y);
        free(a.base);
        free(b.base);
        tn_builder_destroy(builder);
    }
}

TEST(it_is_the_model_that_it_would_be_elsewhere)
{
    TnModelBuilder *builder = load("stir");
    Memory memory = {0};
    TnError err = {0};
    TnModel *models[2] = {tn_builder_compile_in(builder, place, &memory, &err),
                          tn_builder_compile(builder, &err)};
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        TnWorldDef def = tn_world_def();
        TnWorld *world = tn_world_create(&def, models[i], &err);
        CHECK(world);
        for (int k = 0; k < 20; k++) tn_world_step(world);
        hash[i] = tn_world_hash(world);
        tn_world_destroy(world);
        tn_model_destroy(models[i]);
    }
    CHECK(hash[0] == hash[1]);
    free(memory.base);
    tn_builder_destroy(builder);
}

TEST(no_memory_is_an_error)
{
    TnModelBuilder *builder = load("stir");
    TnError err = {0};
    CHECK(!tn_builder_compile_in(builder, nowhere, NULL, &err) && err.code == TN_ERROR_MEMORY);
    tn_builder_destroy(builder);
}

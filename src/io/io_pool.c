/* io_pool.c: see io_pool.h. */
#include "io_pool.h"
#include "../base/base.h"

#include <stdint.h>
#include <string.h>

#define ALIGNMENT 16
#define BLOCK_BYTES ((size_t)64 * 1024)

struct TnIoBlock {
    TnIoBlock *next;
    size_t padding; /* keeps the payload aligned */
};

void *tn_io_alloc(TnIoPool *pool, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        pool->failed = true;
        return NULL;
    }
    size_t need = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (need == 0) need = ALIGNMENT;
    if (!pool->blocks || need > pool->size - pool->used) {
        size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
        TnIoBlock *block = tn_calloc(1, sizeof *block + size);
        if (!block) {
            pool->failed = true;
            return NULL;
        }
        block->next = pool->blocks;
        pool->blocks = block;
        pool->used = 0;
        pool->size = size;
    }
    char *memory = (char *)(pool->blocks + 1) + pool->used;
    pool->used += need;
    return memory;
}

char *tn_io_copy(TnIoPool *pool, const char *text, size_t length)
{
    char *copy = tn_io_alloc(pool, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void tn_io_pool_free(TnIoPool *pool)
{
    while (pool->blocks) {
        TnIoBlock *next = pool->blocks->next;
        tn_free(pool->blocks);
        pool->blocks = next;
    }
    *pool = (TnIoPool){0};
}

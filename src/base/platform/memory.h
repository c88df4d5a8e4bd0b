/* memory.h: blocks of the heap. All are given back by tn_memory_give_back. NULL: no memory. */
#ifndef TN_PLATFORM_MEMORY_H
#define TN_PLATFORM_MEMORY_H

#include <stddef.h>

void *tn_memory_take(size_t bytes);
void *tn_memory_take_cleared(size_t count, size_t size);
void *tn_memory_take_aligned(size_t bytes);      /* to 64; bytes is a multiple of 64 */
void *tn_memory_grow(void *block, size_t bytes); /* not of take_aligned */
void tn_memory_give_back(void *block);
size_t tn_memory_size(void *block); /* 0: not known */
/* Pages of 2 MB, where the system has some to give; the first to touch the memory gets them. */
void tn_memory_prefer_large_pages(void *block, size_t bytes);

#endif

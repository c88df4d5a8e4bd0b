/* bucket.h: things by a key, those of one key in their order: a counting sort that threads share.
 *
 * A thread owns a range of keys and looks at all things but those of stretches in which none of its
 * keys occurs. So nothing is written by two, and the result is the same for any number of threads.
 * It pays where things that stand together have keys that do, as contacts and bodies in the order
 * of space. */
#ifndef TN_BASE_BUCKET_H
#define TN_BASE_BUCKET_H

#include <stdint.h>

#include "arena.h"
#include "pool.h"

/* Per thing a key below key_count, or a negative number for none. start has key_count + 1 numbers:
 * things[start[k]] … things[start[k + 1] - 1] have key k. Scratch is given back. False: no memory.
 */
bool tn_buckets_fill(TnPool *pool, TnArena *scratch, const int32_t *keys, int count, int key_count,
                     int32_t *start, int32_t *things);

#endif

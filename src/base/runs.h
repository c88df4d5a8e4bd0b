/* runs.h: where the things of a key stand in a list in which they stand together. */
#ifndef TN_BASE_RUNS_H
#define TN_BASE_RUNS_H

#include <stddef.h>

#include "pool.h"

/* Things of `stride` bytes that begin with their key, an int below key_count. Per key the first one
 * and how many there are; `first` of keys that none has is not written. The same for any number of
 * threads. */
void tn_runs_find(TnPool *pool, const void *things, size_t stride, int count, int key_count,
                  int *first, int *counts);

#endif

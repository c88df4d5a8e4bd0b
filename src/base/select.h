/* select.h: the numbers below a count that a test is true of, in ascending order, on all threads.
 */
#ifndef TN_BASE_SELECT_H
#define TN_BASE_SELECT_H

#include "arena.h"
#include "pool.h"

typedef bool (*TnTestFn)(const void *context, int number);

/* `found` has their number and stays in the arena. False: no memory. */
bool tn_select(TnPool *pool, TnArena *arena, int count, TnTestFn test, const void *context,
               int **found, int *found_count);
/* Whether there is one. */
bool tn_any(TnPool *pool, int count, TnTestFn test, const void *context);

#endif

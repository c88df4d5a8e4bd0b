/* turns.h: things that take turns, on all threads, with the result of one after the other.
 *
 * Things wait in a queue. Whose turn it is is looked at, and may change what it shares with others:
 * it has two keys at most, and may write what belongs to these. All that have a key that was
 * changed wait again, behind the others. This goes on until nothing waits, or for so many looks.
 *
 * A round is what waits at one time. Within it only those that share a key must keep their order,
 * so threads go on with what has nothing before it. The queue of the next round is found from
 * what was changed in this one. So each look finds what it would find with one thread. */
#ifndef TN_BASE_TURNS_H
#define TN_BASE_TURNS_H

#include <stdint.h>

#include "arena.h"
#include "pool.h"

typedef struct TnTurns {
    int count;                 /* of things */
    const int32_t (*keys)[2];  /* per thing, not equal; negative: none */
    const int32_t *start, *of; /* things of a key: of[start[key]] / 2 … of[start[key + 1] - 1] / 2,
                                  as tn_buckets_fill has them of all keys */
    /* Looks at a thing; which of its keys it changed, a bit each. */
    unsigned (*look)(void *context, int thing);
    /* Fetches what a look will read; NULL: nothing. */
    void (*ahead)(const void *context, int thing);
    void *context;
} TnTurns;

/* `first` wait at the beginning, each once. How many looks there were, `most` at most; -1: no
 * memory. Scratch is given back. */
long tn_turns_take(TnPool *pool, TnArena *scratch, const TnTurns *turns, const int *first,
                   int first_count, long most);

#endif

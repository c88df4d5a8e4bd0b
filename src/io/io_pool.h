/* io_pool.h: memory of one load, given back all at once.
 *
 * A loader makes thousands of small strings and tree nodes that die together. They come from blocks
 * in a list; a failed block is remembered in `failed`, so that callers may go on with NULL checks
 * and report the shortage once, at the end. */
#ifndef TN_IO_POOL_H
#define TN_IO_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TnIoBlock TnIoBlock;

typedef struct TnIoPool {
    TnIoBlock *blocks; /* newest first */
    size_t used, size; /* of the newest block */
    bool failed;       /* the system gave no memory at least once */
    /* of XML in it (xml_dom.h), and how many there may be; 0: any number */
    int64_t elements, most_elements;
} TnIoPool;

void *tn_io_alloc(TnIoPool *pool, size_t bytes); /* cleared, 16-byte aligned; NULL: no memory */
char *tn_io_copy(TnIoPool *pool, const char *text, size_t length); /* adds the closing zero */
void tn_io_pool_free(TnIoPool *pool);

#define TN_IO_NEW(pool, type) ((type *)tn_io_alloc((pool), sizeof(type)))

#endif

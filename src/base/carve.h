/* carve.h: several arrays in one block of memory. */
#ifndef TN_BASE_CARVE_H
#define TN_BASE_CARVE_H

#include <stddef.h>

/* Hands out parts of one block, at multiples of 64 bytes; with a NULL base it only measures. */
typedef struct TnCarver {
    char *base;
    size_t used;
} TnCarver;

static inline void *tn_carve(TnCarver *c, size_t bytes)
{
    void *p = c->base ? c->base + c->used : NULL;
    c->used += (bytes + 63) / 64 * 64;
    return p;
}

#define TN_CARVE(carver, type, count) ((type *)tn_carve((carver), sizeof(type) * (size_t)(count)))

#endif

/* hash.h: FNV-1a, 64 bits: h ← (h xor byte) · prime. */
#ifndef TN_STATE_HASH_H
#define TN_STATE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TN_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t tn_hash_bytes(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * UINT64_C(1099511628211);
    return h;
}

#endif

/* base64.h: bytes as base64 (RFC 4648), written as they come. */
#ifndef TENON_BASE64_H
#define TENON_BASE64_H

#include <stdio.h>

/* Starts as {.out = file}. */
typedef struct Base64 {
    FILE *out;
    unsigned char held[3]; /* not yet written: three bytes make four digits */
    int held_count;
} Base64;

void base64_byte(Base64 *base64, unsigned char byte);
/* Writes what is held, padded with '='; what comes next starts anew. */
void base64_flush(Base64 *base64);

#endif

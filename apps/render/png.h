/* png.h: PNG files in memory. */
#ifndef TENON_RENDER_PNG_H
#define TENON_RENDER_PNG_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t png_signature[8];
/* What a filter expects of a byte with neighbours a (left), b (above) and c (above left). */
int png_predict(int filter, int a, int b, int c);
/* A whole file of 3 × width × height numbers, top row first; NULL where there is no memory. To be
 * freed. */
uint8_t *png_encode(const uint8_t *rgb, int width, int height, size_t *size);

#endif

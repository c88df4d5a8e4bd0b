/* image.h: 8-bit RGB pictures: written as PNG, read back. */
#ifndef TENON_RENDER_IMAGE_H
#define TENON_RENDER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Image {
    int width, height;
    uint8_t *rgb; /* 3 × width × height, from the upper left corner; owned: image_free */
} Image;

bool image_create(Image *image, int width, int height);
void image_free(Image *image);
/* False and one line in `error`. */
bool image_write_png(const Image *image, const char *path, char *error, size_t error_size);
bool image_read_png(Image *image, const char *path, char *error, size_t error_size);

#endif

/* picture.h: pixels of PNG and JPEG files, and of textures as a whole. */
#ifndef TN_IO_PICTURE_H
#define TN_IO_PICTURE_H

#include <tenon/scene.h>

/* A side of a texture has at most so many pixels: the least that an OpenGL 4 driver must have. A
 * larger one is an error before memory is taken. */
#define TN_MOST_TEXTURE_SIDE 16384

typedef struct TnPixels {
    int width, height;
    uint8_t *rgb;    /* 3 × width × height, top row first, heap */
    bool unread;     /* a sound file that needs stb_image, which this library was built without */
    char fault[160]; /* after a failure: what is wrong; "" means no memory */
} TnPixels;

/* Kind, size and completeness, without unpacking it. */
bool tn_picture_check(const void *data, size_t size, TnPixels *out);
/* Free `rgb` with tn_free. */
bool tn_picture_read(const void *data, size_t size, TnPixels *out);

/* stb_image, where there is one (picture_stb.c). */
bool tn_stb_there(void);
bool tn_stb_size(const void *data, size_t size, int *width, int *height);
uint8_t *tn_stb_read(const void *data, size_t size, int *width, int *height);

/* The faces of a texture one below another: one, or six squares (TN_TEXTURE_FACES). What cannot be
 * read has rgb1. False: no memory. */
bool tn_texture_pixels(const TnTextureDef *def, TnPixels *out);
/* Of all faces. */
size_t tn_texture_bytes(const TnSceneTexture *texture);
/* Half as wide and high; sides of one pixel stay. */
void tn_pixels_halve(TnPixels *pixels, int faces);

#endif

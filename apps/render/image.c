/* image.c: 8-bit RGB pictures as PNG files: written, and read back (png.c has the format). */
#include "image.h"
#include "fail.h"
#include "png.h"
#include "system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHANNELS = 3, FILTERS = 5, MAX_SIZE = 1 << 16 };

bool image_create(Image *image, int width, int height)
{
    *image = (Image){0};
    if (width < 1 || height < 1 || width > MAX_SIZE || height > MAX_SIZE) return false;
    uint8_t *rgb = calloc((size_t)width * (size_t)height, CHANNELS);
    if (!rgb) return false;
    *image = (Image){width, height, rgb};
    return true;
}

void image_free(Image *image)
{
    free(image->rgb);
    *image = (Image){0};
}

static uint32_t get_number(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

bool image_write_png(const Image *image, const char *path, char *error, size_t error_size)
{
    size_t size = 0;
    uint8_t *bytes = png_encode(image->rgb, image->width, image->height, &size);
    if (!bytes) return fail(error, error_size, "%s: no memory for the picture", path);
    errno = 0;
    FILE *file = system_make_parents(path) ? system_open(path, "wb") : NULL;
    bool fine = file != NULL;
    if (file) {
        fwrite(bytes, 1, size, file);
        fine = fflush(file) == 0 && !ferror(file);
        int reason = errno;
        if (fclose(file) != 0) fine = false;
        if (reason) errno = reason;
    }
    free(bytes);
    return fine || fail(error, error_size, "%s: cannot be written: %s", path,
                        strerror(errno ? errno : EIO));
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = system_open(path, "rb");
    if (!file) return NULL;
    uint8_t *bytes = NULL;
    size_t used = 0, room = 0;
    for (;;) {
        if (used == room) {
            size_t larger = room ? 2 * room : 65536;
            uint8_t *grown = realloc(bytes, larger);
            if (!grown) break;
            bytes = grown;
            room = larger;
        }
        size_t got = fread(bytes + used, 1, room - used, file);
        used += got;
        if (got == 0) break;
    }
    bool fine = bytes && feof(file) && !ferror(file);
    fclose(file);
    if (!fine) {
        free(bytes);
        return NULL;
    }
    *size = used;
    return bytes;
}

/* Undoes the filters; false where a number of a filter is none. */
static bool unfilter(Image *image, const uint8_t *rows)
{
    size_t size = (size_t)image->width * CHANNELS;
    for (int y = 0; y < image->height; y++) {
        const uint8_t *in = rows + (size_t)y * (size + 1);
        uint8_t *row = image->rgb + (size_t)y * size;
        const uint8_t *above = y ? row - size : NULL;
        if (in[0] >= FILTERS) return false;
        for (size_t i = 0; i < size; i++) {
            int a = i < CHANNELS ? 0 : row[i - CHANNELS], b = above ? above[i] : 0;
            int c = i < CHANNELS || !above ? 0 : above[i - CHANNELS];
            row[i] = (uint8_t)(in[i + 1] + png_predict(in[0], a, b, c));
        }
    }
    return true;
}

/* Gathers the IDAT chunks at the front of `bytes` itself; NULL and their size, or what is wrong. */
static const char *gather(uint8_t *bytes, size_t size, int *width, int *height, size_t *data_size)
{
    size_t at = sizeof png_signature, used = 0;
    bool ended = false;
    if (size < at || memcmp(bytes, png_signature, at) != 0) return "is no PNG file";
    for (bool first = true; !ended; first = false) {
        if (size - at < 12) return "is cut off";
        size_t length = get_number(bytes + at);
        uint8_t *kind = bytes + at + 4, *data = kind + 4;
        if (length > size - at - 12) return "is cut off";
        if (crc32(0, kind, (uInt)length + 4) != get_number(data + length))
            return "is damaged: a checksum is wrong";
        if (first) {
            static const uint8_t wanted[5] = {8, 2, 0, 0, 0}; /* bits, RGB, …, not interlaced */
            if (memcmp(kind, "IHDR", 4) != 0 || length != 13) return "is no PNG file";
            uint32_t w = get_number(data), h = get_number(data + 4);
            if (memcmp(data + 8, wanted, sizeof wanted) != 0)
                return "is not 8-bit RGB without interlacing";
            if (w < 1 || h < 1 || w > MAX_SIZE || h > MAX_SIZE) return "is too large";
            *width = (int)w;
            *height = (int)h;
        } else if (memcmp(kind, "IDAT", 4) == 0) {
            memmove(bytes + used, data, length); /* always towards the front */
            used += length;
        } else if (memcmp(kind, "IEND", 4) == 0) {
            ended = true;
        } else if (!(kind[0] & 0x20)) {
            return "holds a chunk that is not known here"; /* a capital letter: needed to read it */
        }
        at += length + 12;
    }
    *data_size = used;
    return NULL;
}

bool image_read_png(Image *image, const char *path, char *error, size_t error_size)
{
    size_t size = 0, data_size = 0;
    int width = 0, height = 0;
    *image = (Image){0};
    errno = 0;
    uint8_t *bytes = read_whole(path, &size);
    if (!bytes)
        return fail(error, error_size, "%s: cannot be read: %s", path,
                    strerror(errno ? errno : EIO));
    const char *wrong = gather(bytes, size, &width, &height, &data_size);
    uint8_t *rows = NULL;
    if (!wrong) {
        uLongf raw = ((uLongf)width * CHANNELS + 1) * (uLongf)height, got = raw;
        rows = malloc(raw);
        if (!rows || !image_create(image, width, height))
            wrong = "no memory for the picture";
        else if (uncompress(rows, &got, bytes, (uLong)data_size) != Z_OK || got != raw ||
                 !unfilter(image, rows))
            wrong = "is damaged";
    }
    free(rows);
    free(bytes);
    if (!wrong) return true;
    image_free(image);
    return fail(error, error_size, "%s: %s", path, wrong);
}

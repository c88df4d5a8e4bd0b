/* image.c: 8-bit RGB pictures as PNG files.
 *
 * A PNG file is a signature and chunks: length, four letters, data, checksum. A picture needs IHDR
 * (size and kind), IDAT (its rows, each with the number of a filter before it, compressed by zlib)
 * and IEND. A filter predicts each byte from its neighbours to the left (a), above (b) and above
 * left (c); each row gets the one whose errors have the smallest sum of magnitudes. */
#include "image.h"
#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { CHANNELS = 3, FILTERS = 5, MAX_SIZE = 1 << 16 };
static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

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

static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static int predict(int filter, int a, int b, int c)
{
    switch (filter) {
    case 1:
        return a;
    case 2:
        return b;
    case 3:
        return (a + b) / 2;
    case 4:
        return paeth(a, b, c);
    default:
        return 0;
    }
}

/* Writes the row's errors behind their filter's number; the sum of their magnitudes. */
static long filter_row(uint8_t *out, int filter, const uint8_t *row, const uint8_t *above,
                       size_t size)
{
    long sum = 0;
    out[0] = (uint8_t)filter;
    for (size_t i = 0; i < size; i++) {
        int a = i < CHANNELS ? 0 : row[i - CHANNELS], b = above[i];
        int c = i < CHANNELS ? 0 : above[i - CHANNELS];
        out[i + 1] = (uint8_t)(row[i] - predict(filter, a, b, c));
        sum += abs((int8_t)out[i + 1]);
    }
    return sum;
}

/* All rows with their filters; NULL where there is no memory. */
static uint8_t *filter_image(const Image *image)
{
    size_t size = (size_t)image->width * CHANNELS;
    uint8_t *all = malloc((size + 1) * (size_t)image->height);
    uint8_t *tried = malloc(size + 1), *black = calloc(size, 1);
    const uint8_t *above = black;
    for (int y = 0; all && tried && black && y < image->height; y++) {
        const uint8_t *row = image->rgb + (size_t)y * size;
        uint8_t *best = all + (size_t)y * (size + 1);
        long best_sum = filter_row(best, 0, row, above, size);
        for (int filter = 1; filter < FILTERS && best_sum > 0; filter++) {
            long sum = filter_row(tried, filter, row, above, size);
            if (sum >= best_sum) continue;
            best_sum = sum;
            memcpy(best, tried, size + 1);
        }
        above = row;
    }
    if (!tried || !black) {
        free(all);
        all = NULL;
    }
    free(tried);
    free(black);
    return all;
}

static void put_number(uint8_t *out, uint32_t x)
{
    for (int k = 0; k < 4; k++) out[k] = (uint8_t)(x >> (24 - 8 * k));
}

static uint32_t get_number(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

static void write_chunk(FILE *file, const char *kind, const uint8_t *data, size_t size)
{
    uint8_t head[8], tail[4];
    put_number(head, (uint32_t)size);
    memcpy(head + 4, kind, 4);
    uLong sum = crc32(0, head + 4, 4);
    if (size) sum = crc32(sum, data, (uInt)size);
    put_number(tail, (uint32_t)sum);
    fwrite(head, 1, sizeof head, file);
    if (size) fwrite(data, 1, size, file);
    fwrite(tail, 1, sizeof tail, file);
}

bool image_make_folders(const char *path)
{
    char *copy = strdup(path);
    bool fine = copy != NULL;
    for (char *slash = fine ? strchr(copy + (copy[0] == '/'), '/') : NULL; slash && fine;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        fine = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return fine;
}

bool image_write_png(const Image *image, const char *path, char *error, size_t error_size)
{
    size_t raw = ((size_t)image->width * CHANNELS + 1) * (size_t)image->height;
    uLongf packed = compressBound((uLong)raw);
    uint8_t *rows = filter_image(image), *data = rows ? malloc(packed) : NULL;
    bool fine = data && compress2(data, &packed, rows, (uLong)raw, 6) == Z_OK;
    free(rows);
    if (!fine) {
        free(data);
        return fail(error, error_size, "%s: no memory for the picture", path);
    }
    errno = 0;
    FILE *file = image_make_folders(path) ? fopen(path, "wb") : NULL;
    fine = file != NULL;
    if (file) {
        uint8_t head[13] = {[8] = 8 /* bits */, [9] = 2 /* RGB */};
        put_number(head, (uint32_t)image->width);
        put_number(head + 4, (uint32_t)image->height);
        fwrite(signature, 1, sizeof signature, file);
        write_chunk(file, "IHDR", head, sizeof head);
        write_chunk(file, "IDAT", data, packed);
        write_chunk(file, "IEND", NULL, 0);
        fine = fflush(file) == 0 && !ferror(file);
        int reason = errno;
        if (fclose(file) != 0) fine = false;
        if (reason) errno = reason;
    }
    free(data);
    return fine || fail(error, error_size, "%s: cannot be written: %s", path,
                        strerror(errno ? errno : EIO));
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
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
            row[i] = (uint8_t)(in[i + 1] + predict(in[0], a, b, c));
        }
    }
    return true;
}

/* Gathers the IDAT chunks at the front of `bytes` itself; NULL and their size, or what is wrong. */
static const char *gather(uint8_t *bytes, size_t size, int *width, int *height, size_t *data_size)
{
    size_t at = sizeof signature, used = 0;
    bool ended = false;
    if (size < at || memcmp(bytes, signature, at) != 0) return "is no PNG file";
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

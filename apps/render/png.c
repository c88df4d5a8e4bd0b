/* png.c: 8-bit RGB pictures as PNG files in memory.
 *
 * A PNG file is a signature and chunks: length, four letters, data, checksum. A picture needs IHDR
 * (size and kind), IDAT (its rows, each with the number of a filter before it, compressed by zlib)
 * and IEND. A filter predicts each byte from its neighbours to the left (a), above (b) and above
 * left (c); each row gets the one whose errors have the smallest sum of magnitudes. */
#include "png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHANNELS = 3, FILTERS = 5 };
const uint8_t png_signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

int png_predict(int filter, int a, int b, int c)
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
        out[i + 1] = (uint8_t)(row[i] - png_predict(filter, a, b, c));
        sum += abs((int8_t)out[i + 1]);
    }
    return sum;
}

/* All rows with their filters; NULL where there is no memory. */
static uint8_t *filter_image(const uint8_t *rgb, int width, int height)
{
    size_t size = (size_t)width * CHANNELS;
    uint8_t *all = malloc((size + 1) * (size_t)height);
    uint8_t *tried = malloc(size + 1), *black = calloc(size, 1);
    const uint8_t *above = black;
    for (int y = 0; all && tried && black && y < height; y++) {
        const uint8_t *row = rgb + (size_t)y * size;
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

static void add_chunk(uint8_t **to, const char *kind, const uint8_t *data, size_t size)
{
    uint8_t *chunk = *to;
    put_number(chunk, (uint32_t)size);
    memcpy(chunk + 4, kind, 4);
    if (size) memcpy(chunk + 8, data, size);
    put_number(chunk + 8 + size, (uint32_t)crc32(0, chunk + 4, (uInt)(size + 4)));
    *to = chunk + 12 + size;
}

uint8_t *png_encode(const uint8_t *rgb, int width, int height, size_t *size)
{
    size_t raw = ((size_t)width * CHANNELS + 1) * (size_t)height;
    uLongf packed = compressBound((uLong)raw);
    uint8_t *rows = filter_image(rgb, width, height), *data = rows ? malloc(packed) : NULL;
    uint8_t *file = NULL, head[13] = {[8] = 8 /* bits */, [9] = 2 /* RGB */};
    if (data && compress2(data, &packed, rows, (uLong)raw, 6) == Z_OK &&
        (file = malloc(sizeof png_signature + 3 * 12 + sizeof head + packed))) {
        uint8_t *at = file + sizeof png_signature;
        memcpy(file, png_signature, sizeof png_signature);
        put_number(head, (uint32_t)width);
        put_number(head + 4, (uint32_t)height);
        add_chunk(&at, "IHDR", head, sizeof head);
        add_chunk(&at, "IDAT", data, packed);
        add_chunk(&at, "IEND", NULL, 0);
        *size = (size_t)(at - file);
    }
    free(rows);
    free(data);
    return file;
}

/* png_read.c: reads a PNG file [ISO/IEC 15948], for height fields and textures.
 *
 * A file is a signature and chunks: length, name, data, checksum. IDAT chunks together are one zlib
 * stream of rows, each with a filter byte: its bytes are differences to the byte before (a), above
 * (b), or to a guess from both and the one before above (c). Of 16 bits the upper eight are kept,
 * as MuJoCo does. */
#include "png_file.h"

#include "../../base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MOST_PIXELS ((size_t)1 << 27)

typedef struct Png {
    uint32_t width, height;
    int depth, colour; /* bits per channel; type of colours */
    size_t pixel;      /* bytes */
    int channels;
    const char *odd; /* why it is not read here; NULL: it is */
    bool has_head;
    uint8_t *packed; /* all IDAT */
    size_t packed_size;
    uint8_t *rows; /* height × (1 + width × pixel) */
} Png;

static bool fault(TnPngFile *out, const char *text)
{
    snprintf(out->fault, sizeof out->fault, "%s", text);
    return false;
}

static uint32_t u32(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

static bool read_head(Png *p, const uint8_t *data, uint32_t length, TnPngFile *out)
{
    static const int channels[7] = {1, 0, 3, 0, 2, 0, 4};
    if (length != 13 || p->has_head) return fault(out, "its IHDR chunk is damaged");
    p->has_head = true;
    p->width = u32(data);
    p->height = u32(data + 4);
    p->depth = data[8];
    p->colour = data[9];
    if (p->width == 0 || p->height == 0 || p->width > MOST_PIXELS ||
        p->height > MOST_PIXELS / p->width)
        return fault(out, "its size is 0 or too large");
    out->width = (int)p->width;
    out->height = (int)p->height;
    if (p->colour > 6 || channels[p->colour] == 0 || (p->depth != 8 && p->depth != 16))
        p->odd = "only 8 or 16 bits of gray or colours are read, no palettes";
    if (data[12] != 0) p->odd = "interlaced files are not read";
    p->channels = p->colour <= 6 ? channels[p->colour] : 0;
    p->pixel = (size_t)p->channels * (size_t)p->depth / 8;
    out->odd = p->odd != NULL;
    return true;
}

static bool read_chunks(Png *p, const uint8_t *bytes, size_t size, TnPngFile *out)
{
    size_t at = 8;
    p->packed = tn_malloc(size + 1);
    if (!p->packed) return false;
    for (;;) {
        if (size - at < 12) return fault(out, "it ends within a chunk");
        uint32_t length = u32(bytes + at);
        const uint8_t *name = bytes + at + 4, *data = name + 4;
        if (length > size - at - 12) return fault(out, "it ends within a chunk");
        if (crc32(crc32(0, NULL, 0), name, length + 4) != u32(data + length))
            return fault(out, "a checksum is wrong");
        if (memcmp(name, "IHDR", 4) == 0 && !read_head(p, data, length, out)) return false;
        if (!p->has_head) return fault(out, "it does not begin with IHDR");
        if (memcmp(name, "IDAT", 4) == 0) {
            memcpy(p->packed + p->packed_size, data, length);
            p->packed_size += length;
        }
        if (memcmp(name, "IEND", 4) == 0) return true;
        at += (size_t)length + 12;
    }
}

static int guess(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static bool unfilter(Png *p, TnPngFile *out)
{
    size_t length = p->width * p->pixel;
    for (size_t row = 0; row < p->height; row++) {
        uint8_t *x = p->rows + row * (length + 1), filter = *x++;
        const uint8_t *above = row ? x - length - 1 : NULL;
        if (filter > 4) return fault(out, "a row has an unknown filter");
        for (size_t i = 0; i < length; i++) {
            int a = i >= p->pixel ? x[i - p->pixel] : 0, b = above ? above[i] : 0;
            int c = above && i >= p->pixel ? above[i - p->pixel] : 0;
            const int from[5] = {0, a, b, (a + b) / 2, guess(a, b, c)};
            x[i] = (uint8_t)(x[i] + from[filter]);
        }
    }
    return true;
}

static bool read_rows(Png *p, TnPngFile *out)
{
    size_t length = p->width * p->pixel, total = p->height * (length + 1);
    uLongf size = (uLongf)total;
    /* zlib packs no better than 1 : 1032, so a wrong size cannot ask for much more than the file */
    if (total / 1100 > p->packed_size) return fault(out, "it has too little data");
    p->rows = tn_malloc(total);
    if (!p->rows) return false;
    if (uncompress(p->rows, &size, p->packed, (uLong)p->packed_size) != Z_OK || size != total)
        return fault(out, "its data cannot be unpacked");
    return unfilter(p, out);
}

/* Gray stands for all three colours. */
static bool keep(const Png *p, int channels, TnPngFile *out)
{
    size_t length = p->width * p->pixel, bytes = (size_t)p->depth / 8;
    size_t step = p->channels >= 3 ? bytes : 0;
    out->pixels = tn_malloc((size_t)p->width * p->height * (size_t)channels);
    if (!out->pixels) return false;
    uint8_t *to = out->pixels;
    for (size_t row = 0; row < p->height; row++)
        for (size_t i = 0; i < p->width; i++)
            for (size_t k = 0; k < (size_t)channels; k++)
                *to++ = p->rows[row * (length + 1) + 1 + i * p->pixel + k * step];
    return true;
}

static bool open_png(Png *p, const char *text, size_t size, TnPngFile *out)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const uint8_t *bytes = (const uint8_t *)text;
    *out = (TnPngFile){0};
    if (size < 8 || memcmp(bytes, signature, 8) != 0) return fault(out, "it is no PNG file");
    return read_chunks(p, bytes, size, out);
}

bool tn_png_check(const char *text, size_t size, TnPngFile *out)
{
    Png p = {0};
    bool good = open_png(&p, text, size, out);
    tn_free(p.packed);
    return good;
}

bool tn_png_read(const char *text, size_t size, int channels, TnPngFile *out)
{
    Png p = {0};
    bool good = open_png(&p, text, size, out) && (!p.odd || fault(out, p.odd)) &&
                read_rows(&p, out) && keep(&p, channels, out);
    tn_free(p.packed);
    tn_free(p.rows);
    return good;
}

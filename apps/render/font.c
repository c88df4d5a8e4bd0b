/* font.c: unpacks the characters of the overlay; see font.h. */
#include "font.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

extern const unsigned char font_data[];
extern const size_t font_data_size;

enum {
    MAX_UNPACKED = 1 << 18, /* bytes of the font's file, unpacked */
    COLUMNS = 16,           /* cells of a size side by side in the picture */
    WHITE = 4,              /* pixels of the white square in the corner */
    NO_CHARACTER = 0xffff
};

void font_cell(const Font *font, int size, int glyph, int *x, int *y)
{
    const FontSize *s = &font->sizes[size];
    *x = s->left + glyph % COLUMNS * (s->width + 2) + 1; /* one pixel around keeps neighbours out */
    *y = glyph / COLUMNS * (s->height + 2) + 1;
}

/* The data are our own: what does not fit is refused, and no more is said. */
static bool unpack_font(Font *font, uint8_t *atlas, const uint8_t *data, size_t size)
{
    size_t at = 2;
    if (size < 2) return false;
    font->count = data[0] | data[1] << 8;
    if (font->count < 1 || size < at + 2 * (size_t)font->count + 1) return false;
    font->codes = malloc((size_t)font->count * sizeof *font->codes);
    if (!font->codes) return false;
    for (int i = 0; i < font->count; i++, at += 2)
        font->codes[i] = (uint16_t)(data[at] | data[at + 1] << 8);
    font->size_count = data[at++];
    int left = WHITE;
    if (font->size_count < 1 || font->size_count > FONT_MAX_SIZES) return false;
    for (int s = 0; s < font->size_count; s++) {
        if (size - at < 2) return false;
        int width = data[at], height = data[at + 1], pixels = width * height;
        at += 2;
        font->sizes[s] = (FontSize){width, height, left};
        left += COLUMNS * (width + 2);
        int rows = (font->count + COLUMNS - 1) / COLUMNS;
        size_t bytes = (size_t)(pixels + 1) / 2;
        if (left > FONT_ATLAS_WIDTH || rows * (height + 2) > FONT_ATLAS_HEIGHT) return false;
        if (size - at < bytes * (size_t)font->count) return false;
        for (int glyph = 0; glyph < font->count; glyph++, at += bytes) {
            int x, y;
            font_cell(font, s, glyph, &x, &y);
            for (int i = 0; i < pixels; i++) {
                int value = data[at + (size_t)i / 2] >> (i % 2 ? 0 : 4) & 15;
                atlas[(y + i / width) * FONT_ATLAS_WIDTH + x + i % width] = (uint8_t)(17 * value);
            }
        }
    }
    for (int y = 0; y < WHITE; y++) memset(atlas + y * FONT_ATLAS_WIDTH, 255, WHITE);
    font->white = (float)WHITE / 2;
    return true;
}

bool font_load(Font *font, uint8_t *atlas)
{
    uLongf size = MAX_UNPACKED;
    uint8_t *data = malloc(MAX_UNPACKED);
    *font = (Font){0};
    bool fine = data && uncompress(data, &size, font_data, (uLong)font_data_size) == Z_OK &&
                unpack_font(font, atlas, data, size);
    free(data);
    if (!fine) font_free(font);
    return fine;
}

void font_free(Font *font)
{
    free(font->codes);
    *font = (Font){0};
}

int font_find(const Font *font, unsigned code)
{
    int low = 0, high = font->count - 1; /* the last one is the box */
    while (low < high) {
        int middle = (low + high) / 2;
        if (font->codes[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return font->codes[low] == code ? low : font->count - 1;
}

unsigned font_next_character(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    unsigned code = s[0], more = 0;
    if (code >= 0xf0 && code < 0xf8)
        code &= 7, more = 3;
    else if (code >= 0xe0 && code < 0xf0)
        code &= 15, more = 2;
    else if (code >= 0xc0 && code < 0xe0)
        code &= 31, more = 1;
    else if (code >= 0x80)
        code = NO_CHARACTER;
    for (unsigned i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *text += i;
            return NO_CHARACTER;
        }
        code = code << 6 | (s[i] & 63u);
    }
    *text += more + 1;
    return code;
}

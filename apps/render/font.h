/* font.h: the characters of the overlay as one grey picture.
 *
 * They come from font/font.bin, made by tools/make_font.py, whose top has the layout: all
 * characters in each of several sizes, every one in a cell of the same width and height. */
#ifndef TENON_RENDER_FONT_H
#define TENON_RENDER_FONT_H

#include <stdbool.h>
#include <stdint.h>

enum { FONT_MAX_SIZES = 2, FONT_ATLAS_WIDTH = 512, FONT_ATLAS_HEIGHT = 640 };

typedef struct FontSize {
    int width, height; /* of a cell, pixels */
    int left;          /* of its part of the picture, pixels */
} FontSize;

typedef struct Font {
    uint16_t *codes; /* ascending; the last is the box for what is not there */
    int count, size_count;
    FontSize sizes[FONT_MAX_SIZES]; /* for scales 1 and 2 */
    float white;                    /* x and y of a white place, pixels */
} Font;

/* Fills the picture of FONT_ATLAS_WIDTH × FONT_ATLAS_HEIGHT bytes, black at first. False where
 * there is no memory. */
bool font_load(Font *font, uint8_t *atlas);
void font_free(Font *font);
/* The number of a character, of the box where the font has it not. */
int font_find(const Font *font, unsigned code);
/* Upper left corner of a character's cell in the picture. */
void font_cell(const Font *font, int size, int glyph, int *x, int *y);
/* The character at *text, which is UTF-8 and moves behind it; what is broken becomes a box. */
unsigned font_next_character(const char **text);

#endif

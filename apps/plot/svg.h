/* svg.h: the parts of SVG that plots are made of. Numbers have at most two decimals and a point
 * whatever the locale; texts are escaped and made valid UTF-8 that XML can hold. */
#ifndef TENON_PLOT_SVG_H
#define TENON_PLOT_SVG_H

#include <stddef.h>
#include <stdio.h>

void svg_number(FILE *out, double value);
/* "x y", two coordinates of a path. */
void svg_point(FILE *out, double x, double y);
void svg_escaped(FILE *out, const char *text);
/* anchor: 's'tart, 'm'iddle or 'e'nd. A turn is in degrees, about the text's own position. */
void svg_text(FILE *out, double x, double y, char anchor, double turn, const char *attributes,
              const char *text);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *attributes);
void svg_rect(FILE *out, double x, double y, double width, double height, const char *attributes);

/* About how wide a text gets in a usual sans-serif font; rather too much than too little. */
double text_width(const char *text, double size);
/* Copies a text, its end cut off and replaced by … where it is wider than that. */
void text_shorten(const char *text, double size, double width, char *buffer, size_t buffer_size);

/* printf("%.*g") or "%.*f" with a point for the decimals and a real minus sign. */
enum { NUMBER_SIZE = 48 };
void number_general(double value, int digits, char buffer[NUMBER_SIZE]);
void number_fixed(double value, int decimals, char buffer[NUMBER_SIZE]);
void number_power_of_ten(int exponent, char buffer[NUMBER_SIZE]); /* 10⁻³ */

#endif

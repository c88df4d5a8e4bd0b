/* numbers.h: decimal text and doubles: no locale, correctly rounded, the same bits on every system.
 *
 * Both directions calculate with whole numbers of any length and round once, to nearest, ties to
 * even. */
#ifndef TN_PLATFORM_NUMBERS_H
#define TN_PLATFORM_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the decimal number that `text` begins with, of at most `size` bytes; 0: there is none.
 * A number has a sign or none, digits with a point or none, and an exponent or none: no blanks,
 * hexadecimal digits, infinity or nan. One beyond the largest double gives infinity. */
size_t tn_number_read(const char *text, size_t size, double *out);
/* The same, all `size` bytes must be one number. */
bool tn_number_is(const char *text, size_t size, double *out);

#define TN_NUMBER_TEXT 32 /* room for what these write, the closing zero included */
/* As "%.*g" of C writes it, with 1 to 17 digits. The length. */
int tn_number_write(char text[TN_NUMBER_TEXT], double value, int digits);
/* With the fewest digits, 15 to 17, that are read as the same bits. The length. */
int tn_number_write_exactly(char text[TN_NUMBER_TEXT], double value);

#endif

/* text.h: letters, whatever the program's locale is. */
#ifndef TN_PLATFORM_TEXT_H
#define TN_PLATFORM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether they are equal but for the case of the letters a to z. */
bool tn_text_same(const char *a, const char *b);
/* Whether `text` begins with `head`, but for the case of its letters. */
bool tn_text_begins(const char *text, const char *head);
/* Where `wanted` is first found in `size` bytes; NULL: nowhere. */
const char *tn_text_find(const char *bytes, size_t size, const char *wanted);

#endif

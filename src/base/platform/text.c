/* text.c: see text.h. */
#include "text.h"

#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool tn_text_begins(const char *text, const char *head)
{
    for (; *head; text++, head++)
        if (lower(*text) != lower(*head)) return false;
    return true;
}

bool tn_text_same(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && tn_text_begins(a, b);
}

const char *tn_text_find(const char *bytes, size_t size, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = bytes, *end = bytes + size; (size_t)(end - at) >= length; at++) {
        if (length == 0 || !(at = memchr(at, wanted[0], (size_t)(end - at) - length + 1)))
            return length == 0 ? bytes : NULL;
        if (memcmp(at, wanted, length) == 0) return at;
    }
    return NULL;
}

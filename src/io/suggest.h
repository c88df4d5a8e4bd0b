/* suggest.h: "did you mean 'X'?" for misspelt names. */
#ifndef TN_IO_SUGGEST_H
#define TN_IO_SUGGEST_H

#include <stddef.h>

/* The nearest candidate so far; feed all valid names, then read `best` (NULL: nothing is near
 * enough). */
typedef struct TnSuggestion {
    const char *word;
    const char *best;
    size_t best_length;
    int distance;
} TnSuggestion;

TnSuggestion tn_suggest_begin(const char *word);
void tn_suggest_offer(TnSuggestion *s, const char *candidate, size_t length);
void tn_suggest_list(TnSuggestion *s, const char *words); /* separated by spaces */
/* Edits (insert, delete, replace, swap neighbours; letter case is free) from a to b, or limit + 1
 * when more. */
int tn_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length, int limit);

#define TN_SUGGEST_TEXT 96
/* "; did you mean 'X'?" or "" into text; returns text. */
const char *tn_suggest_text(const TnSuggestion *s, char text[TN_SUGGEST_TEXT]);

#endif

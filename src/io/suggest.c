/* suggest.c: the nearest valid name by edit distance.
 *
 * The optimal string alignment distance D(i, j) between the first i letters of a and the first j of
 * b: D(i, j) = min( D(i-1, j) + 1, D(i, j-1) + 1, D(i-1, j-1) + [a_i != b_j], D(i-2, j-2) + 1 where
 * two letters swapped ), of which three rows are kept. Names longer than the rows are never near:
 * a paragraph is no misspelling. */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 64

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static int smaller(int a, int b) { return a < b ? a : b; }

int tn_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length, int limit)
{
    if (a_length > LONGEST || b_length > LONGEST) return limit + 1;
    int n = (int)a_length, m = (int)b_length;
    if (n - m > limit || m - n > limit) return limit + 1;
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= m; j++) last[j] = j;
    for (int i = 1; i <= n; i++) {
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int differs = lower(a[i - 1]) != lower(b[j - 1]);
            int d = smaller(smaller(last[j], now[j - 1]) + 1, last[j - 1] + differs);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                d = smaller(d, before[j - 2] + 1);
            now[j] = d;
        }
        int *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m] <= limit ? last[m] : limit + 1;
}

TnSuggestion tn_suggest_begin(const char *word)
{
    /* A third of the letters may be wrong, at least one (of two or more), at most four. */
    size_t length = strlen(word);
    int limit = length > 12 ? 4 : length < 2 ? 0 : length < 3 ? 1 : (int)(length / 3);
    return (TnSuggestion){.word = word, .distance = limit + 1};
}

void tn_suggest_offer(TnSuggestion *s, const char *candidate, size_t length)
{
    if (length == 0 || s->distance == 0) return;
    int d = tn_edit_distance(s->word, strlen(s->word), candidate, length, s->distance - 1);
    if (d >= s->distance) return;
    s->distance = d;
    s->best = candidate;
    s->best_length = length;
}

void tn_suggest_list(TnSuggestion *s, const char *words)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        tn_suggest_offer(s, words, length);
        words += length;
        words += strspn(words, " ");
    }
}

const char *tn_suggest_text(const TnSuggestion *s, char text[TN_SUGGEST_TEXT])
{
    text[0] = '\0';
    if (s->best)
        snprintf(text, TN_SUGGEST_TEXT, "; did you mean '%.*s'?", (int)s->best_length, s->best);
    return text;
}

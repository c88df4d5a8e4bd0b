/* problem_file_text.c: words and numbers of a problem file, and messages that name the line. */
#include "problem_file.h"

#include "../../base/platform/numbers.h"
#include "../../base/platform/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

bool tn_problem_fault(TnProblemText *t, const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    tn_error_add(t->err, TN_ERROR_MODEL, "%.500s:%d: %s", t->path, t->line, what);
    return false;
}

bool tn_problem_no_memory(TnProblemText *t)
{
    tn_error_add(t->err, TN_ERROR_MEMORY, "%.500s: no memory for the problem", t->path);
    return false;
}

static bool ends(TnProblemText *t, const char *what)
{
    return tn_problem_fault(t, "the file ends where %s should stand; is it complete?", what);
}

const char *tn_problem_show(const char *word, size_t length, char shown[TN_PROBLEM_SHOWN])
{
    size_t n = length < TN_PROBLEM_SHOWN - 1 ? length : TN_PROBLEM_SHOWN - 1;
    for (size_t i = 0; i < n; i++) shown[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    shown[n] = 0;
    return shown;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

const char *tn_problem_word(TnProblemText *t, size_t *length)
{
    bool comment = false;
    for (; t->at < t->size; t->at++) {
        char c = t->text[t->at];
        if (t->comments && c == '#') comment = true;
        if (c == '\n') {
            t->line++;
            comment = false;
        } else if (!comment && !is_blank(c)) {
            break;
        }
    }
    size_t start = t->at;
    while (t->at < t->size && !is_blank(t->text[t->at])) t->at++;
    *length = t->at - start;
    return *length ? t->text + start : NULL;
}

int64_t tn_problem_words_left(const TnProblemText *t, int64_t most)
{
    TnProblemText ahead = *t;
    size_t length;
    int64_t count = 0;
    while (count < most && tn_problem_word(&ahead, &length)) count++;
    return count;
}

bool tn_problem_expect(TnProblemText *t, const char *wanted)
{
    size_t length;
    char shown[TN_PROBLEM_SHOWN];
    const char *word = tn_problem_word(t, &length);
    if (!word) return ends(t, wanted);
    if (length == strlen(wanted) && !memcmp(word, wanted, length)) return true;
    return tn_problem_fault(t, "'%s' should stand here, not '%s'; are the counts before it right?",
                            wanted, tn_problem_show(word, length, shown));
}

/* ---- numbers ---- */

bool tn_problem_int(TnProblemText *t, const char *what, int lower, int upper, int *out)
{
    size_t length;
    char shown[TN_PROBLEM_SHOWN], *end;
    const char *word = tn_problem_word(t, &length);
    if (!word) return ends(t, what);
    if (strspn(word, "0123456789+-") < length || length > 18)
        return tn_problem_fault(t, "%s must be a whole number; '%s' is none", what,
                                tn_problem_show(word, length, shown));
    long long value = strtoll(word, &end, 10);
    if (end != word + length)
        return tn_problem_fault(t, "%s must be a whole number; '%s' is none", what,
                                tn_problem_show(word, length, shown));
    if (value < lower || value > upper) {
        if (lower == upper)
            return tn_problem_fault(t, "%s is %lld, but must be %d here", what, value, lower);
        return tn_problem_fault(t, "%s is %lld, must be %d to %d", what, value, lower, upper);
    }
    *out = (int)value;
    return true;
}

static bool is_infinite(const char *word, size_t length, double *out)
{
    bool sign = word[0] == '-' || word[0] == '+';
    const char *name = word + sign;
    length -= sign;
    if (!(length == 3 && tn_text_begins(name, "inf")) &&
        !(length == 8 && tn_text_begins(name, "infinity")))
        return false;
    *out = word[0] == '-' ? -INFINITY : INFINITY;
    return true;
}

static bool read_real(TnProblemText *t, const char *what, bool infinite, double *out)
{
    size_t length;
    char shown[TN_PROBLEM_SHOWN];
    const char *word = tn_problem_word(t, &length);
    if (!word) return ends(t, what);
    double value;
    if ((tn_number_is(word, length, &value) && isfinite(value)) ||
        (infinite && is_infinite(word, length, &value))) {
        *out = value;
        return true;
    }
    return tn_problem_fault(t, "%s must be a finite number; '%s' is none", what,
                            tn_problem_show(word, length, shown));
}

bool tn_problem_real(TnProblemText *t, const char *what, double *out)
{
    return read_real(t, what, false, out);
}

bool tn_problem_bound(TnProblemText *t, const char *what, double *out)
{
    return read_real(t, what, true, out);
}

/* A word takes a letter and a blank, the last one no blank. */
bool tn_problem_fits(TnProblemText *t, int64_t words, const char *what)
{
    if (words >= 0 && words <= ((int64_t)(t->size - t->at) + 1) / 2) return true;
    return tn_problem_fault(
        t,
        "%s has %lld numbers by the counts before it, but the file has only %zu bytes left; "
        "is it complete?",
        what, (long long)words, t->size - t->at);
}

double *tn_problem_reals(TnProblemText *t, int64_t count, const char *what)
{
    if (!tn_problem_fits(t, count, what)) return NULL;
    double *numbers = TN_ARENA_NEW(t->memory, double, count ? count : 1);
    if (!numbers) tn_problem_no_memory(t);
    for (int64_t i = 0; numbers && i < count; i++) {
        char name[96];
        snprintf(name, sizeof name, "number %lld of %lld of %.24s", (long long)i + 1,
                 (long long)count, what);
        if (!tn_problem_real(t, name, &numbers[i])) return NULL;
    }
    return numbers;
}

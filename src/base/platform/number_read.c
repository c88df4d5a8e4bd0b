/* number_read.c: the double nearest to a decimal number (numbers.h).
 *
 * The digits are a whole number w, the value is w 10^q = w 5^q 2^q. Where w < 2^53 and |q| <= 22,
 * both are doubles and one operation rounds once. Otherwise w 5^q is a whole number, or a quotient
 * of two with at least 66 bits: its highest 53 bits, the bit behind them, and whether anything
 * follows, give the nearest double. */
#include "numbers.h"
#include "whole.h"

#include <string.h>

/* The point halfway between two doubles has at most 767 digits. Of more, it only matters whether
 * one of them is not 0. */
#define MOST_DIGITS 800
#define WORD_DIGITS 19 /* fit 64 bits */

typedef struct Decimal {
    TnWhole w;
    int64_t exponent; /* q */
    int digits;       /* of w */
    bool more;        /* w is a little too small */
} Decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* (top + more) 2^exponent, top of 64 bits with its highest set. */
static double round_to_double(uint64_t top, bool more, int exponent)
{
    int biased = exponent + 63 + 1023, cut = 11;
    if (biased >= 2047) return from_bits(UINT64_C(2047) << 52);
    if (biased <= 0) { /* below the normal ones: fewer bits */
        cut += 1 - biased;
        biased = 0;
    }
    if (cut > 64) return 0.0;
    uint64_t kept = cut < 64 ? top >> cut : 0, half = UINT64_C(1) << (cut - 1);
    uint64_t behind = cut < 64 ? top & ((half << 1) - 1) : top;
    if (behind > half || (behind == half && (more || (kept & 1)))) kept++;
    /* the highest bit of a normal number adds 1 to its exponent, and so does one that is carried */
    return from_bits(kept + ((uint64_t)(biased ? biased - 1 : 0) << 52));
}

static double nearest(Decimal *d)
{
    int64_t place = d->exponent + d->digits; /* the value is below 10^place */
    if (d->w.count == 0 || place < -323) return 0.0;
    if (place > 310) return from_bits(UINT64_C(2047) << 52);
    int q = (int)d->exponent, binary = q;
    if (q >= 0) {
        tn_whole_times_fives(&d->w, q);
    } else {
        /* 5^n has at most 2.322 n + 1 bits */
        int wanted = -q * 2322 / 1000 + 2 + 66, shift = wanted - tn_whole_bits(&d->w);
        if (shift > 0) {
            tn_whole_shift(&d->w, shift);
            binary -= shift;
        }
        d->more |= tn_whole_over_fives(&d->w, -q);
    }
    int bits = tn_whole_bits(&d->w);
    if (bits < 64) {
        tn_whole_shift(&d->w, 64 - bits);
        binary -= 64 - bits;
        bits = 64;
    }
    uint64_t top = tn_whole_top(&d->w, bits - 64, &d->more);
    return round_to_double(top, d->more, binary + bits - 64);
}

/* Length of an exponent, 0: there is none. */
static size_t exponent_of(const char *text, size_t size, int64_t *out)
{
    size_t at = 1;
    if (size == 0 || (text[0] | 32) != 'e') return 0;
    bool negative = at < size && text[at] == '-';
    if (at < size && (text[at] == '-' || text[at] == '+')) at++;
    if (at >= size || !is_digit(text[at])) return 0;
    int64_t value = 0;
    for (; at < size && is_digit(text[at]); at++)
        if (value < INT64_C(1) << 48) value = 10 * value + (text[at] - '0');
    *out = negative ? -value : value;
    return at;
}

/* All digits of a long number; `text` begins with a digit or the point. */
static void read_digits(const char *text, size_t size, Decimal *d)
{
    bool behind = false;
    uint64_t word = 0, factor = 1;
    tn_whole_set(&d->w, 0);
    d->digits = 0;
    d->exponent = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.') {
            behind = true;
            continue;
        }
        int digit = text[i] - '0';
        if (d->digits == 0 && digit == 0) {
            d->exponent -= behind;
        } else if (d->digits < MOST_DIGITS) {
            d->exponent -= behind;
            d->digits++;
            word = 10 * word + (uint64_t)digit;
            factor *= 10;
            if (d->digits % WORD_DIGITS == 0) {
                tn_whole_multiply(&d->w, factor, word);
                word = 0;
                factor = 1;
            }
        } else {
            d->exponent += !behind;
            d->more = d->more || digit != 0;
        }
    }
    if (factor > 1) tn_whole_multiply(&d->w, factor, word);
}

static double read_long(const char *text, size_t size, int64_t exponent)
{
    Decimal d = {0};
    read_digits(text, size, &d);
    d.exponent += exponent;
    return nearest(&d);
}

static double read_short(uint64_t word, int digits, int64_t exponent)
{
    if (word >> 53 == 0 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)word / exact_powers[-exponent]
                            : (double)word * exact_powers[exponent];
    Decimal d; /* not cleared: 400 bytes that are written before they are read */
    tn_whole_set(&d.w, word);
    d.exponent = exponent;
    d.digits = digits;
    d.more = false;
    return nearest(&d);
}

size_t tn_number_read(const char *text, size_t size, double *out)
{
    size_t at = 0;
    bool negative = size > 0 && text[0] == '-', any = false;
    if (size > 0 && (text[0] == '-' || text[0] == '+')) at++;
    const size_t start = at;
    uint64_t word = 0;
    int digits = 0, behind = 0; /* digits that count; those behind the point */
    bool point = false;
    for (; at < size; at++) {
        char c = text[at];
        if (c == '.' && !point) {
            point = true;
        } else if (is_digit(c)) {
            any = true;
            if (digits <= WORD_DIGITS) { /* one more says that these are too many */
                digits += digits > 0 || c != '0';
                behind += point;
                if (digits <= WORD_DIGITS) word = 10 * word + (uint64_t)(c - '0');
            }
        } else {
            break;
        }
    }
    if (!any) return 0;
    const size_t end = at;
    int64_t exponent = 0;
    at += exponent_of(text + at, size - at, &exponent);
    double value = digits > WORD_DIGITS ? read_long(text + start, end - start, exponent)
                                        : read_short(word, digits, exponent - behind);
    *out = negative ? -value : value;
    return at;
}

bool tn_number_is(const char *text, size_t size, double *out)
{
    double value;
    if (size == 0 || tn_number_read(text, size, &value) != size) return false;
    *out = value;
    return true;
}

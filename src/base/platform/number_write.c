/* number_write.c: doubles as decimal text (numbers.h).
 *
 * A double is m 2^e with whole numbers m and e. Its first N digits are m 2^e 10^s, rounded, with
 * s = N - 1 - k where 10^k <= value < 10^(k+1). 10^s = 5^s 2^s; the powers of 5 are multiplied or
 * divided exactly, and the powers of 2 are shifts. */
#include "numbers.h"
#include "whole.h"

#include <string.h>

#define MOST_DIGITS 17 /* tell every double from its neighbours */

/* m 2^e 10^s to the nearest whole number, ties to even. */
static uint64_t scaled(uint64_t m, int e, int s)
{
    TnWhole w;
    bool rest = false;
    tn_whole_set(&w, m);
    if (s > 0) tn_whole_times_fives(&w, s);
    int left = e + s + 1 > 0 ? e + s + 1 : 0, right = left - (e + s); /* >= 1: a bit to round by */
    tn_whole_shift(&w, left);
    if (s < 0) rest = tn_whole_over_fives(&w, -s);
    uint64_t twice = tn_whole_top(&w, right - 1, &rest), down = twice >> 1;
    return down + ((twice & 1) && (rest || (down & 1)));
}

static int write_text(char *text, const char *from)
{
    strcpy(text, from);
    return (int)strlen(text);
}

static int write_small(char *text, int value, int digits)
{
    int count = 1;
    for (int v = value; v >= 10; v /= 10) count++;
    if (count < digits) count = digits;
    for (int i = count; i-- > 0; value /= 10) text[i] = (char)('0' + value % 10);
    return count;
}

/* 0.digits × 10^place, `count` digits that do not end with 0. */
static int lay_out(char *text, const char *digits, int count, int place, int precision)
{
    char *at = text;
    int exponent = place - 1;
    if (exponent < -4 || exponent >= precision) {
        *at++ = digits[0];
        if (count > 1) {
            *at++ = '.';
            memcpy(at, digits + 1, (size_t)count - 1);
            at += count - 1;
        }
        *at++ = 'e';
        *at++ = exponent < 0 ? '-' : '+';
        at += write_small(at, exponent < 0 ? -exponent : exponent, 2);
    } else if (place <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = place; i < 0; i++) *at++ = '0';
        memcpy(at, digits, (size_t)count);
        at += count;
    } else {
        for (int i = 0; i < place; i++) *at++ = i < count ? digits[i] : '0';
        if (count > place) {
            *at++ = '.';
            memcpy(at, digits + place, (size_t)(count - place));
            at += count - place;
        }
    }
    *at = '\0';
    return (int)(at - text);
}

int tn_number_write(char text[TN_NUMBER_TEXT], double value, int precision)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int sign = (int)(bits >> 63), biased = (int)(bits >> 52 & 2047);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    if (sign) *text++ = '-';
    if (biased == 2047) return sign + write_text(text, m ? "nan" : "inf");
    if (biased == 0 && m == 0) return sign + write_text(text, "0");
    if (precision < 1) precision = 1;
    if (precision > MOST_DIGITS) precision = MOST_DIGITS;
    if (biased)
        m |= UINT64_C(1) << 52;
    else
        biased = 1;
    int e = biased - 1075, highest = e + 63 - __builtin_clzll(m); /* 2^highest <= value */
    /* log10 2 = 78913 / 2^18 to 1e-6: with |highest| <= 1074 rounded down it is k or k - 1 */
    int k = highest * 78913 >> 18;
    uint64_t limit = 1;
    for (int i = 0; i < precision; i++) limit *= 10;
    uint64_t number;
    while ((number = scaled(m, e, precision - 1 - k)) >= limit) k++;
    char digits[MOST_DIGITS + 3];
    int count = precision;
    for (int i = precision; i-- > 0; number /= 10) digits[i] = (char)('0' + number % 10);
    while (count > 1 && digits[count - 1] == '0') count--;
    return sign + lay_out(text, digits, count, k + 1, precision);
}

int tn_number_write_exactly(char text[TN_NUMBER_TEXT], double value)
{
    int length = 0;
    for (int digits = 15; digits <= MOST_DIGITS; digits++) {
        double same;
        length = tn_number_write(text, value, digits);
        if (tn_number_is(text, (size_t)length, &same) && same == value) break;
    }
    return length;
}

/* whole.h: whole numbers of any length up to TN_WHOLE_LIMBS, for numbers.h. */
#ifndef TN_PLATFORM_WHOLE_H
#define TN_PLATFORM_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 TnTwoLimbs;

/* The longest: 800 digits (2658 bits), and what is divided by 5^1124 (2610 bits) with 130 bits left
 * of it. */
#define TN_WHOLE_LIMBS 48

typedef struct TnWhole {
    int count; /* limbs; the highest is not 0 */
    uint64_t limb[TN_WHOLE_LIMBS];
} TnWhole;

static inline void tn_whole_set(TnWhole *w, uint64_t value)
{
    w->limb[0] = value;
    w->count = value != 0;
}

/* w = w factor + more */
static inline void tn_whole_multiply(TnWhole *w, uint64_t factor, uint64_t more)
{
    for (int i = 0; i < w->count; i++) {
        TnTwoLimbs product = (TnTwoLimbs)w->limb[i] * factor + more;
        w->limb[i] = (uint64_t)product;
        more = (uint64_t)(product >> 64);
    }
    if (more) w->limb[w->count++] = more;
}

/* w is the quotient, rounded down. True: there is a remainder. */
static inline bool tn_whole_divide(TnWhole *w, uint64_t divisor)
{
    uint64_t rest = 0;
    for (int i = w->count; i-- > 0;) {
        TnTwoLimbs part = (TnTwoLimbs)rest << 64 | w->limb[i];
        w->limb[i] = (uint64_t)(part / divisor);
        rest = (uint64_t)(part % divisor);
    }
    while (w->count > 0 && w->limb[w->count - 1] == 0) w->count--;
    return rest != 0;
}

#define TN_FIVES 27 /* 5^27 is the largest power below 2^64 */

static inline uint64_t tn_power_of_five(int exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0) power *= 5;
    return power;
}

static inline void tn_whole_times_fives(TnWhole *w, int count)
{
    for (; count >= TN_FIVES; count -= TN_FIVES)
        tn_whole_multiply(w, UINT64_C(7450580596923828125), 0);
    if (count > 0) tn_whole_multiply(w, tn_power_of_five(count), 0);
}

/* Quotient after quotient, each rounded down, is the whole quotient, rounded down. */
static inline bool tn_whole_over_fives(TnWhole *w, int count)
{
    bool rest = false;
    for (; count >= TN_FIVES; count -= TN_FIVES)
        rest |= tn_whole_divide(w, UINT64_C(7450580596923828125));
    return count > 0 ? tn_whole_divide(w, tn_power_of_five(count)) || rest : rest;
}

static inline int tn_whole_bits(const TnWhole *w)
{
    return w->count == 0 ? 0 : 64 * w->count - __builtin_clzll(w->limb[w->count - 1]);
}

static inline void tn_whole_shift(TnWhole *w, int bits)
{
    int limbs = bits / 64;
    bits %= 64;
    if (w->count == 0) return;
    uint64_t carry = 0;
    for (int i = 0; bits && i < w->count; i++) {
        uint64_t limb = w->limb[i];
        w->limb[i] = limb << bits | carry;
        carry = limb >> (64 - bits);
    }
    if (carry) w->limb[w->count++] = carry;
    for (int i = w->count; limbs && i-- > 0;) w->limb[i + limbs] = w->limb[i];
    for (int i = 0; i < limbs; i++) w->limb[i] = 0;
    w->count += limbs;
}

/* w 2^-bits, rounded down, which fits 64 bits. `rest`: set where something was cut off. */
static inline uint64_t tn_whole_top(const TnWhole *w, int bits, bool *rest)
{
    int limbs = bits / 64, shift = bits % 64;
    if (limbs >= w->count) {
        *rest = *rest || w->count > 0;
        return 0;
    }
    for (int i = 0; i < limbs; i++) *rest = *rest || w->limb[i] != 0;
    uint64_t top = w->limb[limbs] >> shift;
    if (shift) *rest = *rest || w->limb[limbs] << (64 - shift) != 0;
    if (shift && limbs + 1 < w->count) top |= w->limb[limbs + 1] << (64 - shift);
    return top;
}

#endif

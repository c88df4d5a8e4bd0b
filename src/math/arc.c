/* arc.c: atan2 and the functions that follow from it, with the same bits everywhere.
 *
 * The angle of n / d, 0 <= n <= d, is that of c = k/8 nearest to it, from a table, and that of
 * t = (n - c d) / (d + c n), |t| <= 1/16, whose series is short. */
#include "own_math.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LARGE 0x1p1000
#define TINY 0x1p-960
#define SCALE 0x1p60

#define QUARTER_1 0x1.921fb54442d18p+0 /* π/2 and what is left of it */
#define QUARTER_2 0x1.1a62633145c07p-54

/* the angle of k/8, and what is left of it */
static const double table[9][2] = {
    {0.0, 0.0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* the upper 26 bits: times k/8 they are exact */
static double upper(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~(uint64_t)0 << 27;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* base + sign times the angle of n / d; base = quarters · π/2 */
static double angle_of(double n, double d, double quarters, double sign)
{
    int k = (int)(8.0 * (n / d) + 0.5);
    double c = 0.125 * k, high = upper(d);
    double t = sign * (((n - c * high) - c * (d - high)) / (d + c * n)), z = t * t;
    double p = (1.0 / 3 - z * (1.0 / 5)) +
               z * z * ((1.0 / 7 - z * (1.0 / 9)) + z * z * (1.0 / 11 - z * (1.0 / 13)));
    double base = quarters * QUARTER_1, more = sign * table[k][0], sum = base + more;
    double lost = ((base - sum) + more) + (quarters * QUARTER_2 + sign * table[k][1]);
    return sum + (t - (t * z * p - lost));
}

double tn_atan2(double y, double x)
{
    double up = fabs(y), along = fabs(x);
    if (y != y || x != x) return x + y;
    if (up > 0x1.fffffffffffffp1023 && along > 0x1.fffffffffffffp1023) up = along = 1.0;
    bool steep = up > along, back = signbit(x) != 0;
    double n = steep ? along : up, d = steep ? up : along;
    double scale = d > LARGE ? 1.0 / SCALE : d < TINY ? SCALE : 1.0;
    double sign = steep == back ? 1.0 : -1.0, quarters = steep ? 1.0 : back ? 2.0 : 0.0;
    if (!(d > 0.0)) return copysign(quarters * QUARTER_1, y);
    if (d > 0x1.fffffffffffffp1023) n = 0.0, d = 1.0;
    return copysign(angle_of(scale * n, scale * d, quarters, sign), y);
}

double tn_atan(double x) { return tn_atan2(x, 1.0); }

double tn_asin(double x) { return tn_atan2(x, sqrt((1.0 - x) * (1.0 + x))); }

double tn_acos(double x) { return tn_atan2(sqrt((1.0 - x) * (1.0 + x)), x); }

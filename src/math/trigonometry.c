/* trigonometry.c: sin, cos and tan with the same bits everywhere.
 *
 * An angle is k quarter turns and what is left, |x| <= π/4, to twice the precision of a double: π/2
 * has three parts, and k times each of the first two is exact. Series of Taylor do the rest. */
#include "own_math.h"

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define QUARTER_1 0x1.921fb544p+0 /* π/2: 33 bits, 33 bits, the rest */
#define QUARTER_2 0x1.0b4611a6p-34
#define QUARTER_3 0x1.3198a2e037073p-69
#define TURN_1 0x1.921fb54442d18p+2 /* 2π */
#define TURN_2 0x1.1a62633145c07p-52
#define TURN_3 -0x1.f1976b7ed8fbcp-108

#define MANY_TURNS 0x1p20 /* below, the number of quarters has at most 20 bits */
#define NO_ANGLE 0x1p53   /* neighbouring numbers are more than a radian apart */
#define SMALL 0x1p-27     /* x³ is below the last bit of x, and x² below that of 1 */
#define ROUNDS 0x1.8p52   /* what is added to it becomes whole */
#define SPLITS 0x1p27     /* a double has two halves of 26 bits */

typedef struct Angle {
    double x, rest; /* within an eighth of a turn */
    int quarter;    /* of 0 to 3, before it */
} Angle;

/* a - b and, exactly, what rounding lost of it */
static double difference(double a, double b, double *lost)
{
    double sum = a - b, of_a = sum + b;
    *lost = (a - of_a) + ((of_a - sum) - b);
    return sum;
}

/* a · b likewise */
static double product(double a, double b, double *lost)
{
    double big = (SPLITS + 1.0) * a, a1 = big - (big - a), a2 = a - a1;
    double whole = a * b;
    big = (SPLITS + 1.0) * b;
    double b1 = big - (big - b), b2 = b - b1;
    *lost = ((a1 * b1 - whole) + a1 * b2 + a2 * b1) + a2 * b2;
    return whole;
}

/* Takes whole turns off an angle of many. */
static double without_turns(double x, double *rest)
{
    double left = fmod(x, TURN_1), turns = (x - left) / TURN_1, lost_1, lost_2;
    if (fabs(x) > NO_ANGLE) return left;
    turns = (turns + ROUNDS) - ROUNDS;
    double over = product(turns, TURN_2, &lost_1);
    left = difference(left, over, &lost_2);
    *rest = lost_2 - lost_1 - turns * TURN_3;
    return left;
}

static Angle reduce(double x)
{
    double rest = 0.0, lost_1, lost_2;
    if (fabs(x) > MANY_TURNS) x = without_turns(x, &rest);
    double k = (x * TWO_OVER_PI + ROUNDS) - ROUNDS;
    if (!(fabs(k) > 0.0)) return (Angle){.x = x, .rest = rest}; /* of no number, too */
    double y = difference(x - k * QUARTER_1, k * QUARTER_2, &lost_1);
    y = difference(y, k * QUARTER_3, &lost_2);
    rest += lost_1 + lost_2;
    double sum = y + rest;
    return (Angle){.x = sum, .rest = (y - sum) + rest, .quarter = (int)k & 3};
}

static double sine(double x, double rest)
{
    double z = x * x, zz = z * z;
    double p = (1.0 / 362880 - z * (1.0 / 39916800)) +
               zz * ((1.0 / 6227020800) - z * (1.0 / 1307674368000) + zz * (1.0 / 355687428096000));
    p = -1.0 / 6 + z * (1.0 / 120) + zz * (z * p - 1.0 / 5040);
    if (fabs(x) < SMALL) return x; /* and the sign of zero */
    return x + (x * z * p + (rest - 0.5 * z * rest));
}

static double cosine(double x, double rest)
{
    double z = x * x, zz = z * z;
    double p = (1.0 / 40320 - z * (1.0 / 3628800)) +
               zz * ((1.0 / 479001600) - z * (1.0 / 87178291200) + zz * (1.0 / 20922789888000));
    p = 1.0 / 24 - z * (1.0 / 720) + zz * p;
    double half = 0.5 * z, near = 1.0 - half;
    return near + (((1.0 - near) - half) + (zz * p - x * rest));
}

double tn_sin(double x)
{
    Angle a = reduce(x);
    double y = a.quarter & 1 ? cosine(a.x, a.rest) : sine(a.x, a.rest);
    return a.quarter & 2 ? -y : y;
}

double tn_cos(double x)
{
    Angle a = reduce(x);
    double y = a.quarter & 1 ? sine(a.x, a.rest) : cosine(a.x, a.rest);
    return (a.quarter + 1) & 2 ? -y : y;
}

void tn_sine_cosine(double x, double *s, double *c)
{
    Angle a = reduce(x);
    double y = sine(a.x, a.rest), z = cosine(a.x, a.rest), of_sine = a.quarter & 1 ? z : y,
           of_cosine = a.quarter & 1 ? y : z;
    *s = a.quarter & 2 ? -of_sine : of_sine;
    *c = (a.quarter + 1) & 2 ? -of_cosine : of_cosine;
}

double tn_tan(double x)
{
    Angle a = reduce(x);
    double s = sine(a.x, a.rest), c = cosine(a.x, a.rest);
    return a.quarter & 1 ? -c / s : s / c;
}

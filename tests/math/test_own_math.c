/* The library's own sin, log, …: near the truth, of which long double knows more bits, and the same
 * bits everywhere. */
#include "../check.h"

#include "../random.h"
#include "math/own_math.h"
#include "state/hash.h"

#include <float.h>

enum { SAMPLES = 20000 };

typedef struct Function {
    const char *name;
    double (*own)(double);
    long double (*exact)(long double);
    double from, to; /* half of the samples: in this range; the others: of any size within it */
    double ulps;     /* as own_math.h says */
    uint64_t hash;   /* of all results: the same for any compiler, C library and processor */
} Function;

static const Function functions[] = {
    {"sin", tn_sin, sinl, -10, 10, 1.0, 0xe00b9f31ddb00cd8},
    {"sin of many turns", tn_sin, sinl, -1e15, 1e15, 1.0, 0x99a9a9751765089b},
    {"cos", tn_cos, cosl, -10, 10, 1.0, 0xe0e5a83511407f1b},
    {"cos of many turns", tn_cos, cosl, -1e15, 1e15, 1.0, 0x3e329a09a51c11b3},
    {"tan", tn_tan, tanl, -10, 10, 2.5, 0x47d461852f324356},
    {"asin", tn_asin, asinl, -1, 1, 2.0, 0x1e003071433adeb0},
    {"acos", tn_acos, acosl, -1, 1, 2.0, 0x44d1612ee0fd0672},
    {"atan", tn_atan, atanl, -100, 100, 2.0, 0x7012d32a3c6b27e5},
    {"log", tn_log, logl, 0, 1e9, 1.0, 0xb9694efcaba0fff6},
    {"log1p", tn_log1p, log1pl, -1, 100, 1.0, 0x78b6f2160ed9207e},
    {"exp", tn_exp, expl, -700, 709, 1.0, 0x810b5533d0704683},
    {"expm1", tn_expm1, expm1l, -30, 30, 1.5, 0xf54511606f08a4f5},
    {"expm1 of large numbers", tn_expm1, expm1l, 30, 709, 1.5, 0x51cf23feb22e8036},
    {"cbrt", tn_cbrt, cbrtl, -1e9, 1e9, 1.0, 0xd5fa413e2ce43a44},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* A number in [from, to], every second one of a size down to 2^-60. */
static double sample(Random *random, int k, double from, double to)
{
    double x = from + 0.5 * (uniform(random) + 1.0) * (to - from);
    return k % 2 == 0 || from > 0.0 ? x : ldexp(x, -(int)(30.0 * (uniform(random) + 1.0)));
}

/* Some functions of musl for a long double of 128 bits are those of double. */
#ifdef __wasi__
#define REFERENCE_ULPS 1.0
#else
#define REFERENCE_ULPS 0.0
#endif

static double ulps_off(double got, long double exact)
{
    double size = fabs((double)exact), ulp = nextafter(size, INFINITY) - size;
    return (double)(fabsl((long double)got - exact) / (long double)ulp);
}

TEST(functions_are_as_near_to_the_truth_as_they_say)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        const Function *function = &functions[f];
        Random random = {1};
        double most = 0.0, where = 0.0;
        for (int k = 0; k < SAMPLES; k++) {
            double x = sample(&random, k, function->from, function->to);
            double off = ulps_off(function->own(x), function->exact(x));
            if (off > most) most = off, where = x;
        }
        if (!(most < function->ulps + REFERENCE_ULPS))
            test_fail(__FILE__, __LINE__, "%s(%.17g) is off by %.2f ulp", function->name, where,
                      most);
    }
}

TEST(functions_of_two_numbers_are_as_near_to_the_truth_as_they_say)
{
    Random random = {2};
    for (int k = 0; k < SAMPLES; k++) {
        double a = sample(&random, k, -10, 10), b = sample(&random, k + 1, -10, 10);
        double y = uniform(&random);
        CHECK(ulps_off(tn_atan2(a, b), atan2l(a, b)) < 2.0);
        CHECK(ulps_off(tn_hypot(a, b), hypotl(a, b)) < 1.5);
        double tiny = 0x1p-540 * a, huge = 0x1p1000 * b; /* squares of these are no numbers */
        CHECK(ulps_off(tn_hypot(tiny, tiny * b), hypotl(tiny, tiny * b)) < 1.5);
        CHECK(ulps_off(tn_hypot(huge * a, huge), hypotl(huge * a, huge)) < 1.5);
        CHECK(ulps_off(tn_atan2(huge * a, huge), atan2l(huge * a, huge)) < 2.0);
        CHECK(ulps_off(tn_pow(fabs(a), y), powl(fabs(a), y)) < 2.0 + 2.0 * fabs(y * log(fabs(a))));
        CHECK(tn_pow(a, 2.0) == a * a && tn_pow(a, 3.0) == a * (a * a));
        CHECK(tn_fmax(a, b) == (a > b ? a : b) && tn_fmin(a, b) == (a < b ? a : b));
    }
}

static uint64_t hash_of_results(const Function *function)
{
    uint64_t hash = TN_HASH_START;
    Random random = {3};
    for (int k = 0; k < SAMPLES; k++) {
        double y = function->own(sample(&random, k, function->from, function->to));
        hash = tn_hash_bytes(hash, &y, sizeof y);
    }
    return hash;
}

TEST(bits_are_the_same_everywhere)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        uint64_t hash = hash_of_results(&functions[f]);
        if (hash != functions[f].hash)
            test_fail(__FILE__, __LINE__, "%s: hash 0x%016llx, expected 0x%016llx",
                      functions[f].name, (unsigned long long)hash,
                      (unsigned long long)functions[f].hash);
    }
}

TEST(sine_and_cosine_at_once_have_the_bits_of_each_alone)
{
    for (int k = -4000; k <= 4000; k++) {
        double x = k % 7 ? 0.0123456789 * k : 1e9 * k, s, c; /* all quarters; many turns */
        double sine = tn_sin(x), cosine = tn_cos(x);
        tn_sine_cosine(x, &s, &c);
        CHECK(memcmp(&s, &sine, sizeof s) == 0 && memcmp(&c, &cosine, sizeof c) == 0);
    }
}

TEST(ends_of_the_range_are_those_of_the_standard)
{
    const double pi = 3.141592653589793, none = NAN;
    CHECK(signbit(tn_sin(-0.0)) && signbit(tn_atan2(-0.0, 1.0)) && signbit(tn_log1p(-0.0)));
    CHECK(tn_atan2(0.0, -1.0) == pi && tn_atan2(-0.0, -0.0) == -pi && tn_atan2(0.0, 0.0) == 0.0);
    CHECK(tn_atan2(INFINITY, INFINITY) == pi / 4 && tn_atan2(1.0, INFINITY) == 0.0);
    CHECK(tn_atan2(-3.0, 0.0) == -pi / 2 && tn_atan2(5e-324, 5e-324) == pi / 4);
    CHECK(tn_asin(1.0) == pi / 2 && tn_acos(-1.0) == pi && tn_acos(1.0) == 0.0);
    CHECK(isnan(tn_acos(1.5)) && isnan(tn_asin(-1.5)) && isnan(tn_sin(INFINITY)));
    CHECK(isnan(tn_cos(none)) && isnan(tn_atan2(none, 1.0)) && isnan(tn_cbrt(none)));
    CHECK(fabs(tn_sin(1e300)) <= 1.0 && fabs(tn_cos(1e300)) <= 1.0);
    CHECK(tn_log(0.0) == -INFINITY && isnan(tn_log(-1.0)) && tn_log(INFINITY) == INFINITY);
    CHECK(tn_log1p(-1.0) == -INFINITY && isnan(tn_log1p(-2.0)) && tn_log(1.0) == 0.0);
    CHECK(tn_expm1(INFINITY) == INFINITY && tn_expm1(-INFINITY) == -1.0 && isnan(tn_expm1(none)));
    CHECK(tn_expm1(5e-324) == 5e-324 && tn_log1p(5e-324) == 5e-324);
    CHECK(tn_pow(0.0, 0.3) == 0.0 && tn_pow(0.0, -0.3) == INFINITY && isnan(tn_pow(-1.0, 0.5)));
    CHECK(tn_pow(none, 0.0) == 1.0 && tn_pow(-2.0, -3.0) == -0.125 && tn_pow(2.0, 5000.5) > 1e308);
    CHECK(tn_pow(2.0, -5000.5) == 0.0 && tn_cbrt(-27.0) == -3.0 && tn_cbrt(INFINITY) == INFINITY);
    CHECK(tn_hypot(0.0, 0.0) == 0.0 && tn_hypot(INFINITY, none) == INFINITY);
    CHECK(isnan(tn_hypot(none, 0.0)) && tn_hypot(3e-320, 4e-320) > 4.9e-320);
    CHECK(tn_fmax(none, 1.0) == 1.0 && tn_fmax(1.0, none) == 1.0 && tn_fmin(none, 1.0) == 1.0);
}

/* Sums in whole units do not depend on the order, and are right. */
#include "../check.h"

#include "../../src/math/whole_sum.h"

enum { COUNT = 2000 };

/* From 1e-12 to 1e6, of both signs. */
static double number(int i)
{
    unsigned r = (unsigned)i * 2654435761u;
    double x = ldexp(1.0 + (double)(r >> 8) / 16777216.0, (int)(r % 60u) - 40);
    return r & 64u ? x : -x;
}

TEST(a_sum_is_the_same_in_any_order_and_from_any_parts)
{
    const double unit = 1e-13;
    TnWholeSum forth = {0}, back = {0}, parts[3] = {0};
    double plain = 0.0;
    for (int i = 0; i < COUNT; i++) {
        tn_whole_add(&forth, number(i), unit);
        tn_whole_add(&back, number(COUNT - 1 - i), unit);
        tn_whole_add(&parts[i % 7 % 3], number(i), unit);
        plain += number(i);
    }
    tn_whole_join(&parts[2], &parts[0]);
    tn_whole_join(&parts[2], &parts[1]);
    CHECK(!memcmp(&forth, &back, sizeof forth));
    CHECK(tn_whole_value(&forth, unit) == tn_whole_value(&parts[2], unit));
    /* numbers of 2^53 units and more keep all that a double has: both are off by rounding */
    CHECK_NEAR(tn_whole_value(&forth, unit), plain, 2e-16 * COUNT * 2e6);
}

TEST(small_numbers_are_rounded_to_units_and_large_ones_end_somewhere)
{
    TnWholeSum sum = {0};
    for (int i = 0; i < 1000; i++) tn_whole_add(&sum, 2.4, 1.0);
    CHECK(tn_whole_value(&sum, 1.0) == 2000.0);
    for (int i = 0; i < 1000; i++) tn_whole_add(&sum, -2.4, 1.0);
    CHECK(tn_whole_value(&sum, 1.0) == 0.0);
    for (int k = 0; k < 80; k++) { /* both ways of taking a number apart */
        tn_whole_add(&sum, -ldexp(1.0, k), 1.0);
        CHECK(tn_whole_value(&sum, 1.0) == -ldexp(1.0, k));
        tn_whole_add(&sum, ldexp(1.0, k), 1.0);
        CHECK(tn_whole_value(&sum, 1.0) == 0.0);
    }
    tn_whole_add(&sum, 1e300, 1.0);
    tn_whole_add(&sum, NAN, 1.0); /* whatever it counts as: no trap, and no number that is none */
    CHECK(isfinite(tn_whole_value(&sum, 1.0)));
    CHECK(tn_whole_value(&sum, 1.0) >= 0.0);
}

/* check.h: a tiny test harness. A test's name states its claim; every tolerance carries its reason.
 *
 *     #include "../check.h"
 *     TEST(two_and_two_make_four) { CHECK(2 + 2 == 4); }
 *
 * tests/main.c runs all tests of a program, or those whose names contain an argument, and prints `N
 * passed, N failed`. */
#ifndef TN_TESTS_CHECK_H
#define TN_TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TestCase {
    const char *name;
    void (*run)(void);
    struct TestCase *next;
} TestCase;

void test_register(TestCase *test);
void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void test_skip(const char *reason); /* marks the running test as skipped; return afterwards */

#define TEST(NAME)                                                                                 \
    static void test_##NAME(void);                                                                 \
    static TestCase case_##NAME = {#NAME, test_##NAME, NULL};                                      \
    __attribute__((constructor)) static void register_##NAME(void)                                 \
    {                                                                                              \
        test_register(&case_##NAME);                                                               \
    }                                                                                              \
    static void test_##NAME(void)

/* How long or how often. A sanitizer looks for other things than physics, and slows a test down ten
 * times. */
#ifdef TENON_SANITIZED
#define UNLESS_SANITIZED(FULL, FEW) (FEW)
#else
#define UNLESS_SANITIZED(FULL, FEW) (FULL)
#endif
/* The number of threads that comes after T where one to eight are compared: all of them, but one
 * and four are enough for a race to show. */
#define MORE_THREADS(T) UNLESS_SANITIZED((T) + 1, 4 * (T))

#define CHECK(COND)                                                                                \
    do {                                                                                           \
        if (!(COND)) test_fail(__FILE__, __LINE__, "%s", #COND);                                   \
    } while (0)
/* |a - b| <= tol; NaN fails. */
#define CHECK_NEAR(A, B, TOL)                                                                      \
    do {                                                                                           \
        double a_ = (A), b_ = (B), tol_ = (TOL);                                                   \
        if (!(fabs(a_ - b_) <= tol_))                                                              \
            test_fail(__FILE__, __LINE__, "%s = %.17g, expected %.17g within %g (off by %g)", #A,  \
                      a_, b_, tol_, a_ - b_);                                                      \
    } while (0)
#define CHECK_STR(TEXT, PART)                                                                      \
    do {                                                                                           \
        if (!strstr((TEXT), (PART)))                                                               \
            test_fail(__FILE__, __LINE__, "\"%s\" does not contain \"%s\"", (TEXT), (PART));       \
    } while (0)
#define REQUIRE(COND)                                                                              \
    do {                                                                                           \
        if (!(COND)) {                                                                             \
            test_fail(__FILE__, __LINE__, "%s", #COND);                                            \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#endif

/* Numbers as text: the C library rounds correctly, too (glibc, musl, Microsoft's), and is the
 * oracle. TENON_NUMBERS=10000000 in the environment for so many random numbers:
 * tests/platforms/numbers.sh. */
#include "../../src/base/platform/numbers.h"
#include "../check.h"
#include "../random.h"

#include <float.h>

static int random_count(void)
{
    const char *wished = getenv("TENON_NUMBERS");
    return wished ? atoi(wished) : UNLESS_SANITIZED(60000, 6000);
}

static uint64_t random_bits(Random *r)
{
    uniform(r);
    uint64_t high = r->state >> 32;
    uniform(r);
    return high << 32 | r->state >> 32;
}

static double any_double(Random *r)
{
    for (;;) {
        uint64_t bits = random_bits(r);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) return value;
    }
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_reading(const char *text)
{
    double value = -1.0, expected = strtod(text, NULL);
    size_t size = strlen(text);
    if (tn_number_read(text, size, &value) != size || !same_bits(value, expected))
        test_fail(__FILE__, __LINE__, "%.60s: read as %a, expected %a", text, value, expected);
}

static void check_writing(double value, int digits)
{
    char text[TN_NUMBER_TEXT], expected[64];
    int length = tn_number_write(text, value, digits);
    snprintf(expected, sizeof expected, "%.*g", digits, value);
    if (strcmp(text, expected) != 0 || length != (int)strlen(text))
        test_fail(__FILE__, __LINE__, "%a with %d digits: '%s', expected '%s'", value, digits, text,
                  expected);
}

TEST(random_doubles_are_written_and_read_as_by_the_c_library)
{
    Random r = {1};
    for (int i = random_count(); i > 0; i--) {
        char text[64];
        double value = any_double(&r);
        int digits = 1 + i % 17;
        check_writing(value, digits);
        snprintf(text, sizeof text, "%.*g", digits, value);
        check_reading(text);
        snprintf(text, sizeof text, "%.*e", 15 + i % 12, value);
        check_reading(text);
    }
}

TEST(numbers_of_models_are_written_and_read_as_by_the_c_library)
{
    Random r = {2};
    for (int i = random_count(); i > 0; i--) {
        char text[64];
        double value = uniform(&r) * (i % 3 ? 10.0 : 1e-6);
        check_writing(value, 1 + i % 17);
        snprintf(text, sizeof text, "%.*f", i % 20, value);
        check_reading(text);
        check_writing(strtod(text, NULL), 15);
    }
}

TEST(what_is_written_exactly_is_read_as_the_same_bits)
{
    Random r = {3};
    for (int i = random_count(); i > 0; i--) {
        char text[TN_NUMBER_TEXT];
        double value = i % 2 ? any_double(&r) : uniform(&r), same = 0.0;
        int length = tn_number_write_exactly(text, value);
        CHECK(tn_number_is(text, (size_t)length, &same) && same_bits(same, value));
    }
}

/* Random digits, up to 800 of them, and exponents that lead beyond both ends. */
TEST(random_decimals_are_read_as_by_the_c_library)
{
    Random r = {4};
    for (int i = random_count() / 4; i > 0; i--) {
        char text[1100];
        int digits = i % 7 ? 1 + (int)(random_bits(&r) % 30) : 1 + (int)(random_bits(&r) % 1000);
        int point = (int)(random_bits(&r) % (uint64_t)(digits + 1)), at = 0;
        for (int k = 0; k < digits; k++) {
            if (k == point) text[at++] = '.';
            text[at++] = (char)('0' + random_bits(&r) % 10);
        }
        if (i % 3)
            snprintf(text + at, 16, "e%d", (int)(random_bits(&r) % 700) - 350);
        else
            text[at] = '\0';
        check_reading(text);
    }
}

/* Halfway between two doubles, and one unit of the last digit above and below: up to 767 digits. */
TEST(points_halfway_between_doubles_are_rounded_to_even)
{
#if LDBL_MANT_DIG > DBL_MANT_DIG
    Random r = {5};
    for (int i = random_count() / 20; i > 0; i--) {
        char text[1300];
        double low = fabs(any_double(&r));
        if (i % 4 == 0) low *= 0x1p-1000; /* some below the normal ones */
        double high = nextafter(low, INFINITY);
        if (!isfinite(high)) continue;
        long double middle = ((long double)low + (long double)high) / 2;
        if (middle == low || middle == high) continue; /* too small for this long double */
        snprintf(text, sizeof text, "%.780Le", middle);
        check_reading(text);
        char *end = strchr(text, 'e');
        end[-1] = '1';
        check_reading(text);
        snprintf(text, sizeof text, "%.1100Le", middle);
        strchr(text, 'e')[-1] = '1';
        check_reading(text);
    }
#else
    test_skip("long double is no longer than double");
#endif
}

/* From the literature: Clinger 1990, Gay 1990, the bugs of PHP (2.2250738585072011e-308) and Java,
 * Paxson 1991, and what tests of other readers have collected. */
TEST(hard_decimals_are_read_with_the_right_bits)
{
    static const struct {
        const char *text;
        double value; /* hexadecimal: exact */
    } cases[] = {
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"2.2250738585072012e-308", 0x1p-1022},
        {"2.2250738585072014e-308", 0x1p-1022},
        {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
        {"1.7976931348623158e308", 0x1.fffffffffffffp1023},
        {"1.797693134862315807e308", 0x1.fffffffffffffp1023},
        {"1.797693134862315808e308", INFINITY},
        {"4.9406564584124654e-324", 0x1p-1074},
        {"2.4703282292062327208e-324", 0.0},
        {"2.4703282292062327209e-324", 0x1p-1074},
        {"9007199254740993", 0x1p53},
        {"9007199254740993.00000000000000000000000000000000001", 0x1.0000000000001p53},
        {"9007199254740995", 0x1.0000000000002p53},
        {"9007199254740991", 0x1.fffffffffffffp52},
        {"0.500000000000000166533453693773481063544750213623046875", 0x1.0000000000002p-1},
        {"3.518437208883201171875e13", 0x1.0000000000002p45},
        {"62.5364939768271845828", 0x1.f44abd5aa7ca4p+5},
        {"8.10109172351e-10", 0x1.bd5cbaef0fd0cp-31},
        {"1.50000000000000011102230246251565", 0x1.8p0},
        {"9007199254740991.4999999999999999999999999999999995", 0x1.fffffffffffffp52},
        {"1e23", 0x1.52d02c7e14af6p76},
        {"8.5e22", 8.5e22},
        {"0.1", 0x1.999999999999ap-4},
        {"1e-400", 0.0},
        {"1e400", INFINITY},
        {"0e999999999999999999999", 0.0},
        {"1e-999999999999999999999", 0.0},
        {"-0", -0.0},
        {"-0.0e5", -0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = -1.0;
        size_t size = strlen(cases[i].text);
#ifndef _WIN32 /* Wine's strtod reads one of these 2^52 times too small */
        check_reading(cases[i].text);
#endif
        if (tn_number_read(cases[i].text, size, &value) != size ||
            !same_bits(value, cases[i].value))
            test_fail(__FILE__, __LINE__, "%s: %a, expected %a", cases[i].text, value,
                      cases[i].value);
    }
}

TEST(a_number_ends_where_it_ends)
{
    static const struct {
        const char *text;
        size_t length;
        double value;
    } cases[] = {
        {"1", 1, 1},    {"1 2", 1, 1},   {"1e", 1, 1},     {"1e+", 1, 1},      {"1e5x", 3, 1e5},
        {".5", 2, 0.5}, {"5.", 2, 5},    {"+.5e1", 5, 5},  {"1.2.3", 3, 1.2},  {"1,5", 1, 1},
        {"0x10", 1, 0}, {".", 0, 0},     {"", 0, 0},       {"-", 0, 0},        {"+-1", 0, 0},
        {"e5", 0, 0},   {".e5", 0, 0},   {"nan", 0, 0},    {"inf", 0, 0},      {" 1", 0, 0},
        {"-.e", 0, 0},  {"1E2", 3, 100}, {"00012", 5, 12}, {"1e0005", 6, 1e5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 0.0;
        size_t length = tn_number_read(cases[i].text, strlen(cases[i].text), &value);
        if (length != cases[i].length || value != cases[i].value)
            test_fail(__FILE__, __LINE__, "'%s': %g in %d letters", cases[i].text, value,
                      (int)length);
    }
    double value = 7.0;
    CHECK(tn_number_read("123456", 3, &value) == 3 && value == 123.0); /* not beyond `size` */
    CHECK(tn_number_read("12e55", 4, &value) == 4 && value == 12e5);
    CHECK(!tn_number_is("1x", 2, &value) && value == 12e5);
    CHECK(!tn_number_is("", 0, &value));
}

/* A million digits before, behind and around the point. */
TEST(very_long_numbers_are_read)
{
    enum { LONG = 1000000 };
    char *text = malloc(2 * LONG + 32);
    REQUIRE(text);
    double value = 0.0;
    memset(text, '0', LONG);
    memcpy(text + LONG, "7e-2", 5);
    CHECK(tn_number_read(text, LONG + 4, &value) == LONG + 4 && value == 0.07);
    memcpy(text, "0.", 2);
    snprintf(text + LONG, 20, "25e%d", LONG - 2);
    size_t size = strlen(text);
    CHECK(tn_number_read(text, size, &value) == size && value == 0.25);
    memset(text, '9', LONG);
    snprintf(text + LONG, 20, "e-%d", LONG);
    size = strlen(text);
    CHECK(tn_number_read(text, size, &value) == size && value == 1.0);
    free(text);
}

TEST(what_is_not_finite_is_written_as_a_word)
{
    char text[TN_NUMBER_TEXT];
    CHECK(tn_number_write(text, INFINITY, 9) == 3 && strcmp(text, "inf") == 0);
    CHECK(tn_number_write(text, -INFINITY, 9) == 4 && strcmp(text, "-inf") == 0);
    tn_number_write(text, NAN, 9);
    CHECK_STR(text, "nan");
    CHECK(tn_number_write_exactly(text, -0.0) == 2 && strcmp(text, "-0") == 0);
    CHECK(tn_number_write(text, -0x1.fffffffffffffp1023, 17) == 24); /* the longest */
}

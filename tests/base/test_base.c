/* Errors and the heap's test hooks. */
#include "../check.h"

#include <stdint.h>

#include "base/base.h"

TEST(the_version_is_that_of_the_header)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", TN_VERSION_MAJOR, TN_VERSION_MINOR,
             TN_VERSION_PATCH);
    CHECK(strcmp(tn_version(), expected) == 0);
}

TEST(every_status_has_its_own_name)
{
    const TnStatus all[] = {TN_OK, TN_ERROR_USAGE, TN_ERROR_MODEL, TN_ERROR_IO, TN_ERROR_MEMORY};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            CHECK(strcmp(tn_status_name(all[i]), tn_status_name(all[j])) != 0);
}

TEST(errors_keep_the_first_code_and_one_line_each)
{
    TnError err = {0};
    tn_error_add(&err, TN_ERROR_MODEL, "mass is %g", -1.5);
    CHECK(err.code == TN_ERROR_MODEL && err.count == 1);
    CHECK(strcmp(err.message, "mass is -1.5") == 0);
    tn_error_add(&err, TN_ERROR_IO, "second");
    CHECK(err.code == TN_ERROR_MODEL && err.count == 2);
    CHECK(strcmp(err.message, "mass is -1.5\nsecond") == 0);
    tn_error_add(NULL, TN_ERROR_IO, "nobody listens"); /* must not crash */
}

TEST(an_error_with_a_place_starts_with_it)
{
    TnError err = {0};
    tn_error_at(&err, TN_ERROR_MODEL, (TnSource){"robot.xml", 12, 7}, "body \"arm\"", "no %s",
                "inertia");
    CHECK(strcmp(err.message, "robot.xml:12:7: body \"arm\": no inertia") == 0);
    err = (TnError){0};
    tn_error_at(&err, TN_ERROR_MODEL, (TnSource){0}, "body 3", "no inertia"); /* made by C calls */
    CHECK(strcmp(err.message, "body 3: no inertia") == 0);
    err = (TnError){0};
    tn_error_at(&err, TN_ERROR_IO, (TnSource){"a.xml", 1, 1}, NULL, "cannot be read");
    CHECK(strcmp(err.message, "a.xml:1:1: cannot be read") == 0);
}

TEST(lines_beyond_the_buffer_are_counted_and_never_cut)
{
    TnError err = {0};
    const char *line = "the same problem again, with a number so that lines can be told apart";
    for (int i = 0; i < 500; i++) tn_error_add(&err, TN_ERROR_USAGE, "%s: %03d", line, i);
    CHECK(err.count == 500);
    size_t length = strlen(err.message), each = strlen(line) + 5;
    CHECK(length < sizeof err.message);
    CHECK((length + 1) % (each + 1) == 0); /* whole lines, no newline at the end */
    CHECK((length + 1) / (each + 1) > 80); /* and the buffer is used */
    CHECK(err.message[length - 1] == '0' + (char)(((length + 1) / (each + 1) - 1) % 10));
}

TEST(a_very_long_line_is_cut_but_harmless)
{
    TnError err = {0};
    char name[3000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tn_error_at(&err, TN_ERROR_MODEL, (TnSource){name, 1, 2}, name, "%s", name);
    tn_error_add(&err, TN_ERROR_MODEL, "%s", name);
    tn_error_add(&err, TN_ERROR_MODEL, "last");
    CHECK(err.count == 3);
    CHECK(strlen(err.message) < sizeof err.message);
    CHECK_STR(err.message, "\nlast");
}

TEST(allocations_are_counted_and_fail_when_told)
{
    long before = tn_malloc_count();
    void *a = tn_malloc(10), *b = tn_calloc(3, 5), *c = tn_aligned_alloc(100);
    char *d = tn_strdup("text");
    CHECK(a && b && c && d);
    CHECK(tn_malloc_count() == before + 4);
    CHECK((uintptr_t)c % 64 == 0);
    CHECK(strcmp(d, "text") == 0);
    for (int i = 0; i < 15; i++) CHECK(((char *)b)[i] == 0);
    a = tn_realloc(a, 1000);
    CHECK(a != NULL);

    tn_malloc_fail_after(2);
    void *e = tn_malloc(1), *f = tn_malloc(1);
    CHECK(e && f);
    CHECK(!tn_malloc(1) && !tn_calloc(1, 1) && !tn_aligned_alloc(1) && !tn_strdup("x"));
    CHECK(!tn_realloc(a, 2000)); /* a stays the caller's */
    tn_malloc_fail_after(-1);
    memset(a, 1, 1000);
    void *g = tn_malloc(1);
    CHECK(g != NULL);
    void *all[] = {a, b, c, d, e, f, g};
    for (int i = 0; i < 7; i++) tn_free(all[i]);
    tn_free(NULL);
}

TEST(impossible_sizes_give_no_memory)
{
    volatile size_t huge = SIZE_MAX; /* volatile: compilers warn where they can see the size */
    CHECK(!tn_aligned_alloc(huge));
    CHECK(!tn_aligned_alloc(huge - 10)); /* rounding up must not wrap around */
    CHECK(!tn_strdup(NULL));
    void *none = tn_aligned_alloc(0), *nothing = tn_malloc(0), *zero = tn_calloc(0, 0);
    CHECK(none && nothing && zero); /* NULL always means no memory */
    tn_free(none);
    tn_free(nothing);
    tn_free(zero);
}

TEST(the_clock_does_not_go_back)
{
    double last = tn_clock();
    for (int i = 0; i < 1000; i++) {
        double now = tn_clock();
        CHECK(now >= last);
        last = now;
    }
}

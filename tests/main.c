/* Runs the tests linked into this program: `test_x [PART_OF_NAME]`. */
#include "check.h"

#include <stdarg.h>

static TestCase *first;
static int failures_now;
static bool skipped_now;

void test_register(TestCase *test)
{
    TestCase **p = &first;
    while (*p) p = &(*p)->next;
    *p = test;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("    %s:%d: ", file, line);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    failures_now++;
}

void test_skip(const char *reason)
{
    printf("    skipped: %s\n", reason);
    skipped_now = true;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    for (TestCase *t = first; t; t = t->next) {
        if (argc > 1 && !strstr(t->name, argv[1])) continue;
        failures_now = 0;
        skipped_now = false;
        t->run();
        if (failures_now)
            failed++;
        else if (skipped_now)
            skipped++;
        else
            passed++;
        printf("%s %s\n", failures_now ? "FAIL" : skipped_now ? "skip" : "ok  ", t->name);
        fflush(stdout);
    }
    if (passed + failed + skipped == 0) {
        printf("no test is named so\n");
        failed++;
    }
    printf("%d passed, %d failed", passed, failed);
    if (skipped) printf(", %d skipped", skipped);
    printf("\n");
    return failed ? 1 : 0;
}

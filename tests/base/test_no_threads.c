/* A pool where the system starts no thread: one does all the work. */
#include "../check.h"

#include "base/pool.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { COUNT = 1000 };

static void square(void *context, int begin, int end)
{
    int *out = context;
    for (int i = begin; i < end; i++) out[i] = i * i;
}

/* No room for the stack of another thread (8 MB). */
TEST(where_no_thread_can_be_started_one_does_the_work)
{
#if defined(__linux__) && !defined(TENON_SANITIZED)
    struct rlimit before, small;
    long pages = 0;
    FILE *about = fopen("/proc/self/statm", "r");
    REQUIRE(about && fscanf(about, "%ld", &pages) == 1 && getrlimit(RLIMIT_AS, &before) == 0);
    fclose(about);
    small = before;
    small.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (4 << 20);
    REQUIRE(setrlimit(RLIMIT_AS, &small) == 0);
    void *volatile much = malloc(64 << 20); /* a compiler may leave out what nothing reads */
    TnPool *pool = tn_pool_create(4);
    setrlimit(RLIMIT_AS, &before);
    bool kept = !much;
    free(much);
    if (!kept) { /* qemu */
        tn_pool_destroy(pool);
        test_skip("the limit of memory is not kept here");
        return;
    }
    REQUIRE(pool);
    CHECK(tn_pool_threads(pool) == 1);
    int squares[COUNT], wrong = 0;
    tn_pool_run(pool, COUNT, 1, square, squares);
    for (int i = 0; i < COUNT; i++) wrong += squares[i] != i * i;
    CHECK(wrong == 0);
    tn_pool_destroy(pool);
#else
    test_skip("only Linux can be told to start none, and only without a sanitizer");
#endif
}

/* wasi.c: WebAssembly (WASI) has no threads and no processes; its files are those of
 * posix_files.c. */
#if defined(__wasi__)

#include "clock.h"
#include "memory.h"
#include "process.h"
#include "threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- text ---- */

/* zig's own walks through the whole rest of the text each time: 166 ms for a model that takes 14.
 */
size_t strspn(const char *text, const char *accepted)
{
    size_t length = 0;
    while (text[length] && strchr(accepted, text[length])) length++;
    return length;
}

/* ---- threads: none ---- */

bool tn_thread_start(TnThread *thread, void (*run)(void *context), void *context)
{
    thread->run = run;
    thread->context = context;
    return false;
}
void tn_thread_join(TnThread *thread) { (void)thread; }
void tn_thread_yield(void) {}
int tn_thread_processors(void) { return 1; }

bool tn_mutex_init(TnMutex *mutex)
{
    mutex->locked = false;
    return true;
}
void tn_mutex_destroy(TnMutex *mutex) { (void)mutex; }
void tn_mutex_lock(TnMutex *mutex) { mutex->locked = true; }
void tn_mutex_unlock(TnMutex *mutex) { mutex->locked = false; }

bool tn_condition_init(TnCondition *condition)
{
    condition->unused = true;
    return true;
}
void tn_condition_destroy(TnCondition *condition) { (void)condition; }
void tn_condition_wait(TnCondition *condition, TnMutex *mutex) { (void)condition, (void)mutex; }
bool tn_condition_wait_for(TnCondition *condition, TnMutex *mutex, double seconds)
{
    (void)condition, (void)mutex, (void)seconds;
    return false;
}
void tn_condition_wake(TnCondition *condition) { (void)condition; }
void tn_condition_wake_all(TnCondition *condition) { (void)condition; }

/* ---- clocks ---- */

double tn_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tn_clock_of_thread(void) { return tn_clock_now(); }

uint64_t tn_clock_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- memory ---- */

void *tn_memory_take(size_t bytes) { return malloc(bytes); }
void *tn_memory_take_cleared(size_t count, size_t size) { return calloc(count, size); }
void *tn_memory_take_aligned(size_t bytes) { return aligned_alloc(64, bytes); }
void *tn_memory_grow(void *block, size_t bytes) { return realloc(block, bytes); }
void tn_memory_give_back(void *block) { free(block); }
size_t tn_memory_size(void *block)
{
    (void)block;
    return 0;
}
void tn_memory_prefer_large_pages(void *block, size_t bytes) { (void)block, (void)bytes; }

/* ---- the program ---- */

long tn_process_number(void) { return 1; }
int tn_process_path(char out[TN_PATH])
{
    out[0] = '\0';
    return ENOSYS;
}
void tn_process_begin(int *argc, char ***argv) { (void)argc, (void)argv; }
void tn_process_on_interrupt(void (*handler)(int which)) { (void)handler; }
void tn_process_on_request_to_end(void (*handler)(int which)) { (void)handler; }
void tn_process_goes_on_at_limits(void) {}
void tn_process_goes_on_unread(void) {}

#else
typedef int TnWasi; /* a file without any declaration is not C */
#endif

/* posix_threads.c: threads, clocks and memory of Linux and macOS (threads.h, clock.h, memory.h). */
#if !defined(_WIN32) && !defined(__wasi__)

#include "clock.h"
#include "memory.h"
#include "threads.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

/* ---- threads ---- */

static void *begin(void *argument)
{
    TnThread *thread = argument;
    thread->run(thread->context);
    return NULL;
}

#ifdef __GLIBC__ /* the stack is that of the process's limit, usually 8 MB */

bool tn_thread_start(TnThread *thread, void (*run)(void *context), void *context)
{
    thread->run = run;
    thread->context = context;
    return pthread_create(&thread->handle, NULL, begin, thread) == 0;
}

#else /* macOS and musl give threads less than a step may need: 512 and 128 KB */

#define STACK ((size_t)8 << 20)

bool tn_thread_start(TnThread *thread, void (*run)(void *context), void *context)
{
    pthread_attr_t attributes;
    thread->run = run;
    thread->context = context;
    if (pthread_attr_init(&attributes)) return false;
    bool fine = !pthread_attr_setstacksize(&attributes, STACK) &&
                !pthread_create(&thread->handle, &attributes, begin, thread);
    pthread_attr_destroy(&attributes);
    return fine;
}

#endif

void tn_thread_join(TnThread *thread) { pthread_join(thread->handle, NULL); }
void tn_thread_yield(void) { sched_yield(); }

int tn_thread_processors(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 0;
}

bool tn_mutex_init(TnMutex *mutex) { return pthread_mutex_init(mutex, NULL) == 0; }
void tn_mutex_destroy(TnMutex *mutex) { pthread_mutex_destroy(mutex); }
void tn_mutex_lock(TnMutex *mutex) { pthread_mutex_lock(mutex); }
void tn_mutex_unlock(TnMutex *mutex) { pthread_mutex_unlock(mutex); }

void tn_condition_destroy(TnCondition *condition) { pthread_cond_destroy(condition); }
void tn_condition_wait(TnCondition *condition, TnMutex *mutex)
{
    pthread_cond_wait(condition, mutex);
}
void tn_condition_wake(TnCondition *condition) { pthread_cond_signal(condition); }
void tn_condition_wake_all(TnCondition *condition) { pthread_cond_broadcast(condition); }

#ifdef __APPLE__ /* no clock can be chosen, but the time may be relative */

bool tn_condition_init(TnCondition *condition) { return pthread_cond_init(condition, NULL) == 0; }

bool tn_condition_wait_for(TnCondition *condition, TnMutex *mutex, double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return pthread_cond_timedwait_relative_np(condition, mutex, &time) == 0;
}

#else

bool tn_condition_init(TnCondition *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes)) return false;
    bool made = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) &&
                !pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return made;
}

bool tn_condition_wait_for(TnCondition *condition, TnMutex *mutex, double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time_t whole = (time_t)seconds;
    time.tv_sec += whole;
    time.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
    return pthread_cond_timedwait(condition, mutex, &time) == 0;
}

#endif

/* ---- clocks ---- */

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tn_clock_now(void) { return seconds_of(CLOCK_MONOTONIC); }
double tn_clock_of_thread(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

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
#ifdef __APPLE__
    return malloc_size(block);
#else
    return malloc_usable_size(block);
#endif
}

void tn_memory_prefer_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096;
    uintptr_t begin = ((uintptr_t)block + page - 1) & ~(page - 1),
              end = ((uintptr_t)block + bytes) & ~(page - 1);
    if (end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

#else
typedef int TnPosixThreads; /* a file without any declaration is not C */
#endif

/* windows_threads.c: threads, clocks, memory and the program on Windows (threads.h, clock.h,
 * memory.h, process.h). */
#ifdef _WIN32

#include "clock.h"
#include "memory.h"
#include "process.h"
#include "threads.h"
#include "windows_system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <shellapi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(TnMutex) == sizeof(SRWLOCK), "a lock of the system has room");
_Static_assert(sizeof(TnCondition) == sizeof(CONDITION_VARIABLE), "a condition has room");

/* ---- threads ---- */

static DWORD WINAPI begin(void *argument)
{
    TnThread *thread = argument;
    thread->run(thread->context);
    return 0;
}

#define STACK ((SIZE_T)8 << 20) /* as on Linux */

bool tn_thread_start(TnThread *thread, void (*run)(void *context), void *context)
{
    thread->run = run;
    thread->context = context;
    thread->handle =
        CreateThread(NULL, STACK, begin, thread, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return thread->handle != NULL;
}

void tn_thread_join(TnThread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

void tn_thread_yield(void) { SwitchToThread(); }

int tn_thread_processors(void)
{
    DWORD_PTR own, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all)) return 0;
    int count = 0;
    for (; own; own &= own - 1) count++;
    return count;
}

bool tn_mutex_init(TnMutex *mutex)
{
    InitializeSRWLock((SRWLOCK *)mutex);
    return true;
}
void tn_mutex_destroy(TnMutex *mutex) { (void)mutex; }
void tn_mutex_lock(TnMutex *mutex) { AcquireSRWLockExclusive((SRWLOCK *)mutex); }
void tn_mutex_unlock(TnMutex *mutex) { ReleaseSRWLockExclusive((SRWLOCK *)mutex); }

bool tn_condition_init(TnCondition *condition)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)condition);
    return true;
}
void tn_condition_destroy(TnCondition *condition) { (void)condition; }

void tn_condition_wait(TnCondition *condition, TnMutex *mutex)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex, INFINITE, 0);
}

bool tn_condition_wait_for(TnCondition *condition, TnMutex *mutex, double seconds)
{
    DWORD milliseconds = seconds <= 0 ? 0 : seconds < 1e6 ? (DWORD)(seconds * 1e3) + 1 : 1000000000;
    return SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)mutex,
                                     milliseconds, 0);
}

void tn_condition_wake(TnCondition *condition)
{
    WakeConditionVariable((CONDITION_VARIABLE *)condition);
}
void tn_condition_wake_all(TnCondition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition);
}

/* ---- clocks ---- */

double tn_clock_now(void)
{
    LARGE_INTEGER count, per_second;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&per_second);
    int64_t whole = count.QuadPart / per_second.QuadPart;
    return (double)whole +
           (double)(count.QuadPart % per_second.QuadPart) / (double)per_second.QuadPart;
}

static uint64_t joined(FILETIME time) /* 100 ns */
{
    return (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

double tn_clock_of_thread(void)
{
    FILETIME created, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user))
        return tn_clock_now();
    return 1e-7 * (double)(joined(kernel) + joined(user));
}

uint64_t tn_clock_nanoseconds(void)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return (joined(now) - UINT64_C(116444736000000000)) * 100; /* since 1601 */
}

/* ---- memory ---- */

/* All aligned: what is needs a function of its own to be given back, which must suit all blocks. */
void *tn_memory_take(size_t bytes) { return _aligned_malloc(bytes, 16); }

void *tn_memory_take_cleared(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    void *block = _aligned_malloc(count * size, 16);
    if (block) memset(block, 0, count * size);
    return block;
}

void *tn_memory_take_aligned(size_t bytes) { return _aligned_malloc(bytes, 64); }
void *tn_memory_grow(void *block, size_t bytes) { return _aligned_realloc(block, bytes, 16); }
void tn_memory_give_back(void *block) { _aligned_free(block); }
size_t tn_memory_size(void *block)
{
    (void)block;
    return 0;
}
void tn_memory_prefer_large_pages(void *block, size_t bytes) { (void)block, (void)bytes; }

/* ---- the program ---- */

long tn_process_number(void) { return (long)GetCurrentProcessId(); }

int tn_process_path(char out[TN_PATH])
{
    wchar_t name[TN_PATH];
    DWORD length = GetModuleFileNameW(NULL, name, TN_PATH);
    return length > 0 && length < TN_PATH ? tn_windows_text(name, out) : ENAMETOOLONG;
}

void tn_process_begin(int *argc, char ***argv)
{
    int count;
    char text[TN_PATH], **all;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stdin), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    if (!wide || !(all = calloc((size_t)count + 1, sizeof *all))) return;
    for (int i = 0; i < count; i++) { /* they stay until the program ends */
        int length = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, text, TN_PATH, NULL, NULL);
        if (length == 0 || !(all[i] = _strdup(text))) return;
    }
    *argc = count;
    *argv = all;
    LocalFree(wide);
}

/* The C library sets them back by itself when they come. */
void tn_process_on_interrupt(void (*handler)(int which)) { signal(SIGINT, handler); }
void tn_process_on_request_to_end(void (*handler)(int which)) { signal(SIGTERM, handler); }
void tn_process_goes_on_at_limits(void) {} /* there are no such signals */
void tn_process_goes_on_unread(void) {}

#else
typedef int TnWindowsThreads; /* a file without any declaration is not C */
#endif

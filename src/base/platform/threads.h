/* threads.h: threads, locks and conditions of the system. Where the system has no threads, none can
 * be started and locks do nothing. */
#ifndef TN_PLATFORM_THREADS_H
#define TN_PLATFORM_THREADS_H

#include <stdbool.h>

#if defined(_WIN32)
typedef struct TnMutex {
    void *word;
} TnMutex;
typedef struct TnCondition {
    void *word;
} TnCondition;
typedef void *TnThreadHandle;
#elif defined(__wasi__)
typedef struct TnMutex {
    bool locked;
} TnMutex;
typedef struct TnCondition {
    bool unused;
} TnCondition;
typedef int TnThreadHandle;
#else
#include <pthread.h>
typedef pthread_mutex_t TnMutex;
typedef pthread_cond_t TnCondition;
typedef pthread_t TnThreadHandle;
#endif

/* Stays where it is until it is joined. */
typedef struct TnThread {
    TnThreadHandle handle;
    void (*run)(void *context);
    void *context;
} TnThread;

/* False: no thread can be started. */
bool tn_thread_start(TnThread *thread, void (*run)(void *context), void *context);
void tn_thread_join(TnThread *thread);
void tn_thread_yield(void);
/* That this process may use; 0: not known. */
int tn_thread_processors(void);

bool tn_mutex_init(TnMutex *mutex);
void tn_mutex_destroy(TnMutex *mutex);
void tn_mutex_lock(TnMutex *mutex);
void tn_mutex_unlock(TnMutex *mutex);

bool tn_condition_init(TnCondition *condition);
void tn_condition_destroy(TnCondition *condition);
/* The mutex is locked by the caller. May end early: the caller looks again. */
void tn_condition_wait(TnCondition *condition, TnMutex *mutex);
/* False: the time is over. */
bool tn_condition_wait_for(TnCondition *condition, TnMutex *mutex, double seconds);
void tn_condition_wake(TnCondition *condition); /* one */
void tn_condition_wake_all(TnCondition *condition);

/* Between two looks at a word that another thread changes. */
static inline void tn_thread_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif

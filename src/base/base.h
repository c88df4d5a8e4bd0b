/* base.h: assertions, error filling, allocation, clock. */
#ifndef TN_BASE_BASE_H
#define TN_BASE_BASE_H

#include <stdarg.h>
#include <tenon/base.h>

#define TN_PI M_PI

#ifdef __GNUC__
#define TN_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TN_PRINTF(f, a)
#endif

/* A caller's bug. Alive unless NDEBUG (Release); RelWithDebInfo keeps it. */
#ifdef NDEBUG
#define TN_ASSERT(x) ((void)0)
#else
void tn_assert_failed(const char *expression, const char *file, int line);
#define TN_ASSERT(x) ((x) ? (void)0 : tn_assert_failed(#x, __FILE__, __LINE__))
#endif

/* Models, worlds, batches, solvers and recordings say that they are alive; what is freed is
 * overwritten in builds with assertions. So a use of something that was destroyed is noticed. */
#define TN_ALIVE UINT32_C(0x6e746e61)
#define TN_ASSERT_ALIVE(object) TN_ASSERT(!(object) || (object)->alive == TN_ALIVE)

/* Control characters become '?': in a terminal they would act. In place. */
void tn_text_clean(char *text);

/* Adds one line to the error (NULL err is fine) and keeps the first code. Lines that no longer fit
 * are counted. */
void tn_error_add(TnError *err, TnStatus code, const char *format, ...) TN_PRINTF(3, 4);
/* The same with the place in front: `file:line:column: element: message`. */
void tn_error_at(TnError *err, TnStatus code, TnSource source, const char *element,
                 const char *format, ...) TN_PRINTF(5, 6);

/* All heap memory of the library goes through these, so that tests can count calls and make each
 * one fail. */
void *tn_malloc(size_t bytes);
void *tn_calloc(size_t count, size_t size);
void *tn_realloc(void *p, size_t bytes);
void *tn_aligned_alloc(size_t bytes); /* 64-byte aligned, free with tn_free */
void tn_free(void *p);
char *tn_strdup(const char *s); /* NULL for NULL or no memory */

/* Test hooks: calls so far in this process, blocks that were not freed yet, and a countdown after
 * which allocations fail (< 0: never): all of them, or one alone. */
long tn_malloc_count(void);
long tn_malloc_live(void);
void tn_malloc_fail_after(long calls);
void tn_malloc_fail_once(long calls);

double tn_clock(void);           /* s, monotonic */
double tn_processor_clock(void); /* s of a processor, for this thread */

#endif

/* base.c: version, errors, allocation, clock. */
#include "base.h"
#include "platform/clock.h"
#include "platform/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STR2(x) #x
#define STR(x) STR2(x)

const char *tn_version(void)
{
    return STR(TN_VERSION_MAJOR) "." STR(TN_VERSION_MINOR) "." STR(TN_VERSION_PATCH);
}

const char *tn_status_name(TnStatus status)
{
    switch (status) {
    case TN_OK:
        return "ok";
    case TN_ERROR_USAGE:
        return "usage";
    case TN_ERROR_MODEL:
        return "model";
    case TN_ERROR_IO:
        return "input/output";
    case TN_ERROR_MEMORY:
        return "memory";
    case TN_ERROR_DEVICE:
        return "device";
    }
    return "unknown";
}

#ifndef NDEBUG
void tn_assert_failed(const char *expression, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
    abort();
}
#endif

/* C0, delete, and C1 in UTF-8 (C2 80 to C2 9F). */
void tn_text_clean(char *text)
{
    char *out = text;
    for (const unsigned char *in = (const unsigned char *)text; *in; in++) {
        bool pair = in[0] == 0xC2 && in[1] >= 0x80 && in[1] < 0xA0;
        *out++ = pair || *in < 0x20 || *in == 0x7F ? '?' : (char)*in;
        in += pair;
    }
    *out = '\0';
}

/* ---- errors ---- */

static void append_line(TnError *err, TnStatus code, const char *prefix, const char *format,
                        va_list args)
{
    if (!err) return;
    if (err->code == TN_OK) err->code = code;
    err->count++;
    size_t used = strlen(err->message), size = sizeof err->message;
    char line[1024];
    int n = snprintf(line, sizeof line, "%s", prefix);
    if (n < 0) n = 0;
    if ((size_t)n < sizeof line) vsnprintf(line + n, sizeof line - (size_t)n, format, args);
    tn_text_clean(line);
    /* A line that does not fit whole is left out: half a message misleads. */
    if (used + strlen(line) + 2 > size) return;
    if (used) err->message[used++] = '\n';
    memcpy(err->message + used, line, strlen(line) + 1);
}

void tn_error_add(TnError *err, TnStatus code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append_line(err, code, "", format, args);
    va_end(args);
}

void tn_error_at(TnError *err, TnStatus code, TnSource source, const char *element,
                 const char *format, ...)
{
    char prefix[768] = "";
    int n = 0;
    if (source.file)
        n = snprintf(prefix, sizeof prefix, "%s:%d:%d: ", source.file, source.line, source.column);
    if (element && n >= 0 && (size_t)n < sizeof prefix)
        snprintf(prefix + n, sizeof prefix - (size_t)n, "%s: ", element);
    va_list args;
    va_start(args, format);
    append_line(err, code, prefix, format, args);
    va_end(args);
}

/* ---- heap ---- */

/* Test instruments, not state of the engine: counts of calls and blocks, a countdown to failure. */
static atomic_long allocation_count, live_count;
static atomic_long allocations_left = -1;
static atomic_bool fails_once;

static bool may_allocate(void)
{
    atomic_fetch_add_explicit(&allocation_count, 1, memory_order_relaxed);
    long left = atomic_load_explicit(&allocations_left, memory_order_relaxed);
    if (left < 0) return true;
    if (left == 0 && !atomic_load_explicit(&fails_once, memory_order_relaxed)) return false;
    atomic_fetch_sub_explicit(&allocations_left, 1, memory_order_relaxed);
    return left > 0;
}

/* Steps walk through large blocks in all orders. Pages of 2 MB save most of the misses of the
 * address cache. */
#define LARGE_BLOCK ((size_t)4 << 20)

static void *note(void *block, size_t bytes)
{
    if (!block) return NULL;
    atomic_fetch_add_explicit(&live_count, 1, memory_order_relaxed);
    if (bytes >= LARGE_BLOCK) tn_memory_prefer_large_pages(block, bytes);
    return block;
}

long tn_malloc_count(void) { return atomic_load(&allocation_count); }
long tn_malloc_live(void) { return atomic_load(&live_count); }
void tn_malloc_fail_after(long calls)
{
    atomic_store(&fails_once, false);
    atomic_store(&allocations_left, calls);
}
void tn_malloc_fail_once(long calls)
{
    atomic_store(&fails_once, true);
    atomic_store(&allocations_left, calls);
}

void *tn_malloc(size_t bytes)
{
    return may_allocate() ? note(tn_memory_take(bytes ? bytes : 1), bytes) : NULL;
}
void *tn_calloc(size_t count, size_t size)
{
    return may_allocate()
               ? note(tn_memory_take_cleared(count ? count : 1, size ? size : 1), count * size)
               : NULL;
}
void *tn_realloc(void *p, size_t bytes)
{
    if (!may_allocate()) return NULL;
    return p ? tn_memory_grow(p, bytes ? bytes : 1)
             : note(tn_memory_take(bytes ? bytes : 1), bytes);
}
void *tn_aligned_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX - 64 || !may_allocate()) return NULL;
    return note(tn_memory_take_aligned((bytes + 63) / 64 * 64 + (bytes == 0 ? 64 : 0)), bytes);
}
void tn_free(void *p)
{
    if (p) atomic_fetch_sub_explicit(&live_count, 1, memory_order_relaxed);
#ifndef NDEBUG
    if (p) memset(p, 0xDD, tn_memory_size(p)); /* see TN_ASSERT_ALIVE */
#endif
    tn_memory_give_back(p);
}

char *tn_strdup(const char *s)
{
    if (!s) return NULL;
    size_t n = strlen(s) + 1;
    char *copy = tn_malloc(n);
    if (copy) memcpy(copy, s, n);
    return copy;
}

double tn_clock(void) { return tn_clock_now(); }

double tn_processor_clock(void) { return tn_clock_of_thread(); }

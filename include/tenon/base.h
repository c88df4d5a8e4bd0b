/* tenon/base.h: version, errors, log callback. Everything else builds on these few names. */
#ifndef TENON_BASE_H
#define TENON_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TN_VERSION_MAJOR 0
#define TN_VERSION_MINOR 1
#define TN_VERSION_PATCH 0

#if defined(TN_BUILD_SHARED) && defined(__GNUC__)
#define TN_API __attribute__((visibility("default")))
#else
#define TN_API
#endif

/* What went wrong. Numerical outcomes (not converged, diverging) are no errors: see TnStepReport.
 */
typedef enum TnStatus {
    TN_OK = 0,
    TN_ERROR_USAGE, /* an argument is out of its range */
    TN_ERROR_MODEL, /* a model file or definition is wrong */
    TN_ERROR_IO,    /* a file is missing, unreadable or cannot be written */
    TN_ERROR_MEMORY /* the system gave no memory */
} TnStatus;

/* Filled by calls that can fail. `message` may hold several lines, one per problem found,
 * each as `file:line:column: element: message` where the problem has a place. */
typedef struct TnError {
    TnStatus code;
    int count;          /* problems found; the message holds as many of them as fit */
    char message[8192]; /* no trailing newline */
} TnError;

/* Where a definition comes from; all zero when it was made by C calls. */
typedef struct TnSource {
    const char *file; /* copied by the builder */
    int line;         /* from 1 */
    int column;       /* from 1 */
} TnSource;

typedef enum TnLogLevel { TN_LOG_DEBUG, TN_LOG_INFO, TN_LOG_WARNING } TnLogLevel;

/* The library never prints; it calls this where one was given. */
typedef void (*TnLogFn)(void *user, TnLogLevel level, const char *message);

TN_API const char *tn_version(void);
TN_API const char *tn_status_name(TnStatus status);

#ifdef __cplusplus
}
#endif
#endif

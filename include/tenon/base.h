/* tenon/base.h: version, instruction set, errors, log callback. All other headers include it. */
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

/* Of a member or function with a new name. */
#if defined(__GNUC__) || defined(__clang__)
#define TN_DEPRECATED(text) __attribute__((deprecated(text)))
#else
#define TN_DEPRECATED(text)
#endif

/* Kind of error. Numerical outcomes (not converged, diverged) are not errors: see TnStepReport. */
typedef enum TnStatus {
    TN_OK = 0,
    TN_ERROR_USAGE,  /* an argument is out of its range */
    TN_ERROR_MODEL,  /* a model file or definition has an error */
    TN_ERROR_IO,     /* a file is missing, unreadable or cannot be written */
    TN_ERROR_MEMORY, /* out of memory */
    TN_ERROR_DEVICE  /* no device, or it failed */
} TnStatus;

/* Filled by calls that can fail. `message` has one line per problem, as
 * `file:line:column: element: message` if the problem has a position in a file. */
typedef struct TnError {
    TnStatus code;
    int count;          /* problems found; the message has as many as fit */
    char message[8192]; /* no trailing newline */
} TnError;

/* Position of a definition in a file; all zero if it was made by C calls. */
typedef struct TnSource {
    const char *file; /* copied by the builder */
    int line;         /* from 1 */
    int column;       /* from 1 */
} TnSource;

typedef enum TnLogLevel { TN_LOG_DEBUG, TN_LOG_INFO, TN_LOG_WARNING } TnLogLevel;

/* The library never prints. It calls this function if one was given. */
typedef void (*TnLogFn)(void *user, TnLogLevel level, const char *message);

/* The kernels (inner loops) that run, for the whole process. Those of wider vectors are faster and
 * round differently; the portable ones, plain C, have the same bits on every processor
 * (docs/determinism.md). */
typedef enum TnInstructionSet {
    TN_SET_BEST = 0, /* the widest that this processor has: the default */
    TN_SET_PORTABLE,
    TN_SET_AVX2,  /* with FMA; vectors of 32 bytes */
    TN_SET_AVX512 /* F, DQ and VL; vectors of 64 bytes */
} TnInstructionSet;
#define TN_SET_COUNT 4

/* Call it before any model is loaded and any world is created. False: this processor or this build
 * does not have the set, and nothing changes. If it is not called, the environment variable
 * TENON_ISA may name the set (portable, avx2, avx512; of a set that is not there, the next lower
 * one is taken). */
TN_API bool tn_use_instruction_set(TnInstructionSet set);
TN_API TnInstructionSet tn_instruction_set(void); /* the one in use; never TN_SET_BEST */
TN_API const char *tn_instruction_set_name(TnInstructionSet set); /* "best", "portable", … */

TN_API const char *tn_version(void);
TN_API const char *tn_status_name(TnStatus status);

#ifdef __cplusplus
}
#endif
#endif

/* fuzz.h: what the targets share.
 *
 * A target is one function over bytes that somebody else chose. It may refuse them, but it may not
 * crash, read beyond an array, take memory without bound, or break a promise (FUZZ_CHECK). With
 * clang, libFuzzer searches (entry.c, run.sh); replay.c runs all targets over files with any
 * compiler, without searching. */
#ifndef TN_TESTS_FUZZ_H
#define TN_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void FuzzTarget(const uint8_t *data, size_t size);

#define FUZZ_TARGETS(X)                                                                            \
    X(mjcf)                                                                                        \
    X(urdf)                                                                                        \
    X(sdf)                                                                                         \
    X(mesh) X(tets) X(track) X(recording) X(problem) X(solver) X(state) X(resume) X(plot) X(world)

#define FUZZ_DECLARE(NAME) FuzzTarget fuzz_##NAME;
FUZZ_TARGETS(FUZZ_DECLARE)

/* A promise that was broken. */
#define FUZZ_CHECK(COND)                                                                           \
    do {                                                                                           \
        if (COND) break;                                                                           \
        fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #COND);                   \
        abort();                                                                                   \
    } while (0)

/* Choices taken from bytes; zeros once there are none left. */
typedef struct FuzzBytes {
    const uint8_t *at;
    size_t left;
} FuzzBytes;

static inline unsigned fuzz_byte(FuzzBytes *b)
{
    if (!b->left) return 0;
    b->left--;
    return *b->at++;
}

static inline int fuzz_pick(FuzzBytes *b, int count)
{
    return (int)(fuzz_byte(b) % (unsigned)count);
}
static inline bool fuzz_chance(FuzzBytes *b, int in_256) { return (int)fuzz_byte(b) < in_256; }

/* 256 values between both ends. */
static inline double fuzz_real(FuzzBytes *b, double lower, double upper)
{
    return lower + (upper - lower) * fuzz_byte(b) / 255.0;
}

/* A file without a folder; its path is valid until fuzz_file_close. */
typedef struct FuzzFile {
    int fd;
    char path[32];
} FuzzFile;
FuzzFile fuzz_file(const void *data, size_t size);
void fuzz_file_close(FuzzFile *file);

/* Makes the checksum of a saved state right. */
void fuzz_sign_state(uint8_t *bytes, size_t size);

#endif

/* entry.c: the program of libFuzzer. The variable FUZZ_TARGET names the target. */
#include "fuzz.h"

#include <string.h>

static FuzzTarget *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *name = getenv("FUZZ_TARGET");
#define FUZZ_CHOOSE(NAME)                                                                          \
    if (name && !strcmp(name, #NAME)) target = fuzz_##NAME;
    FUZZ_TARGETS(FUZZ_CHOOSE)
    if (target) return 0;
    fprintf(stderr, "FUZZ_TARGET must be one of:");
#define FUZZ_NAME(NAME) fprintf(stderr, " " #NAME);
    FUZZ_TARGETS(FUZZ_NAME)
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target(data, size);
    return 0;
}

/* entry.c: one target as a program of libFuzzer; FUZZ_ENTRY is its function. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ENTRY(data, size);
    return 0;
}

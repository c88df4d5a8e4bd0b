/* cpu.c: see cpu.h. By cpuid itself: the function of compilers for this needs a runtime library
 * that not every one of them has. */
#include "cpu.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdatomic.h>
#include <stdint.h>

/* Registers that the system saves (XCR0): xmm and ymm; these, zmm and masks */
#define SAVES_YMM UINT32_C(0x06)
#define SAVES_ZMM UINT32_C(0xE6)

typedef struct Cpuid {
    uint32_t a, b, c, d;
} Cpuid;

static Cpuid ask(uint32_t leaf)
{
    Cpuid r = {0, 0, 0, 0};
    (void)__get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d); /* zeros: there is no such leaf */
    return r;
}

static bool saves(uint32_t registers)
{
    uint32_t low, high;
    if (!(ask(1).c >> 27 & 1)) return false; /* OSXSAVE: the system says what it saves */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return (low & registers) == registers;
}

enum { ASKED = 1, AVX2 = 2, AVX512 = 4 };

static int ask_all(void)
{
    Cpuid old = ask(1), r = ask(7);
    int known = ASKED;
    if ((r.b >> 5 & 1) && (old.c >> 12 & 1) && saves(SAVES_YMM)) known |= AVX2;    /* and FMA */
    if ((r.b >> 16 & 1) && (r.b >> 17 & 1) && (r.b >> 31 & 1) && saves(SAVES_ZMM)) /* F, DQ, VL */
        known |= AVX512;
    return known;
}

/* A virtual machine takes long to answer cpuid. */
static int features(void)
{
    static atomic_int known; /* of the machine, not of the engine; 0: not asked yet */
    int word = atomic_load_explicit(&known, memory_order_relaxed);
    if (word) return word;
    word = ask_all();
    atomic_store_explicit(&known, word, memory_order_relaxed);
    return word;
}

bool tn_cpu_has_avx2(void) { return features() & AVX2; }
bool tn_cpu_has_avx512(void) { return features() & AVX512; }

#else

bool tn_cpu_has_avx2(void) { return false; }
bool tn_cpu_has_avx512(void) { return false; }

#endif

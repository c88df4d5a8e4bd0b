/* instruction_set.c: which kernels run. Chosen once per process: by the program, by the
 * environment, or the widest that the processor has. */
#include "platform/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/base.h>

/* Not state of the engine: it stays as it is once something runs. TN_SET_BEST: not chosen yet. */
static atomic_int chosen;

const char *tn_instruction_set_name(TnInstructionSet set)
{
    static const char *const names[TN_SET_COUNT] = {"best", "portable", "avx2", "avx512"};
    return (unsigned)set < TN_SET_COUNT ? names[set] : "unknown";
}

static TnInstructionSet widest(void)
{
    return tn_cpu_has_avx512() ? TN_SET_AVX512 : tn_cpu_has_avx2() ? TN_SET_AVX2 : TN_SET_PORTABLE;
}

bool tn_use_instruction_set(TnInstructionSet set)
{
    TnInstructionSet most = widest();
    if ((unsigned)set >= TN_SET_COUNT || set > most) return false;
    atomic_store_explicit(&chosen, (int)(set == TN_SET_BEST ? most : set), memory_order_relaxed);
    return true;
}

static TnInstructionSet wished(void)
{
    const char *name = getenv("TENON_ISA");
    TnInstructionSet most = widest();
    for (TnInstructionSet set = TN_SET_PORTABLE; name && set < most; set++)
        if (strcmp(name, tn_instruction_set_name(set)) == 0) return set;
    return most;
}

TnInstructionSet tn_instruction_set(void)
{
    int set = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (set == TN_SET_BEST) {
        set = (int)wished();
        atomic_store_explicit(&chosen, set, memory_order_relaxed);
    }
    return (TnInstructionSet)set;
}

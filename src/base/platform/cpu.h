/* cpu.h: what the processor can and the system lets it do. */
#ifndef TN_PLATFORM_CPU_H
#define TN_PLATFORM_CPU_H

#include <stdbool.h>

bool tn_cpu_has_avx2(void);   /* and FMA */
bool tn_cpu_has_avx512(void); /* F, DQ and VL */

#endif

/* memory.h: the arrays of a plan, in one block. */
#ifndef TN_PLAN_MEMORY_H
#define TN_PLAN_MEMORY_H

#include "plan.h"

/* All arrays, the workers' list and threads. False: no memory. */
bool tn_plan_reserve(TnPlan *p);
/* format with one name at most; cut at size - 1 bytes. */
void tn_text_set(char *text, size_t size, const char *format, const char *name);

#endif

/* shrink.h: the smallest model that still shows a finding. */
#ifndef TN_TESTS_SEARCH_SHRINK_H
#define TN_TESTS_SEARCH_SHRINK_H

#include "judge.h"

/* Makes *sketch smaller as long as the finding stays; *verdict is that of the result. Returns how
 * many models were tried. */
int shrink(Sketch *sketch, Finding finding, Verdict *verdict);

#endif

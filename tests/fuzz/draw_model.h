/* draw_model.h: a random model through the C builder; every choice is a byte. Most are valid; those
 * that are not must be refused with a message. */
#ifndef TN_TESTS_FUZZ_DRAW_MODEL_H
#define TN_TESTS_FUZZ_DRAW_MODEL_H

#include "fuzz.h"

#include <tenon/tenon.h>

/* NULL: refused, and err says why. */
TnModel *draw_model(FuzzBytes *bytes, TnError *err);

#endif

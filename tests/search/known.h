/* known.h: findings of the fixed seeds that the test runs, by their reasons. A line here is a debt.
 */
#ifndef TN_TESTS_SEARCH_KNOWN_H
#define TN_TESTS_SEARCH_KNOWN_H

#include "judge.h"

bool is_known(Theme theme, uint64_t seed, Finding finding);

#endif

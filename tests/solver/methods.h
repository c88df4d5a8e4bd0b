/* methods.h: the methods that tests of the public solver try one after the other. */
#ifndef TN_TESTS_METHODS_H
#define TN_TESTS_METHODS_H

#include <tenon/solver.h>

static const TnMethod methods[] = {TN_METHOD_SUBADMM, TN_METHOD_AUTO,   TN_METHOD_ASSEMBLED,
                                   TN_METHOD_NEWTON,  TN_METHOD_FADMM,  TN_METHOD_PGS,
                                   TN_METHOD_PJ,      TN_METHOD_NNEWTON};
enum { METHODS = sizeof methods / sizeof *methods };

/* CHECK that names the method. */
#define CHECK_FOR(M, COND)                                                                         \
    do {                                                                                           \
        if (!(COND)) test_fail(__FILE__, __LINE__, "%s: %s", tn_method_name(methods[M]), #COND);   \
    } while (0)

/* Whether it hears of the rest of the problem from neighbour to neighbour only, without a matrix of
 * the whole. */
static inline bool is_local(TnMethod method)
{
    return method == TN_METHOD_SUBADMM || method == TN_METHOD_PGS || method == TN_METHOD_PJ;
}

#endif

/* methods.h: the methods that tests of the public solver try one after the other. */
#ifndef TN_TESTS_METHODS_H
#define TN_TESTS_METHODS_H

#include <tenon/solver.h>

#include "baselines/baselines.h"

typedef struct Method {
    TnMethod method;
    const TnOwnMethod *own;
} Method;

static const Method methods[] = {{TN_METHOD_SUBADMM, NULL},       {TN_METHOD_AUTO, NULL},
                                 {TN_METHOD_ASSEMBLED, NULL},     {TN_METHOD_NEWTON, NULL},
                                 {TN_METHOD_PGS, NULL},           {TN_METHOD_OWN, &tn_own_pj},
                                 {TN_METHOD_OWN, &tn_own_nnewton}};
enum { METHODS = sizeof methods / sizeof *methods };

static inline const char *method_name(Method m)
{
    return m.own ? tn_own_name(m.own) : tn_method_name(m.method);
}

/* CHECK that names the method. */
#define CHECK_FOR(M, COND)                                                                         \
    do {                                                                                           \
        if (!(COND)) test_fail(__FILE__, __LINE__, "%s: %s", method_name(methods[M]), #COND);      \
    } while (0)

/* Whether it hears of the rest of the problem from neighbour to neighbour only, without a matrix of
 * the whole. */
static inline bool is_local(Method m)
{
    return m.method == TN_METHOD_SUBADMM || m.method == TN_METHOD_PGS || m.own == &tn_own_pj;
}

#endif

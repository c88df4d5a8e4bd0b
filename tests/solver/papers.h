/* papers.h: problems prepared with the library's weights or with the paper's. */
#ifndef TN_TESTS_PAPERS_H
#define TN_TESTS_PAPERS_H

#include "baselines/paper.h"

typedef enum Weights { OUR_WEIGHTS, PAPERS_WEIGHTS } Weights;

static inline bool prepare_with(TnProblem *p, const TnSolverDef *def, Weights weights)
{
    return tn_problem_prepare_A(p, NULL) &&
           (weights == PAPERS_WEIGHTS ? tn_paper_prepare : tn_problem_prepare_H)(p, def, NULL);
}

#endif

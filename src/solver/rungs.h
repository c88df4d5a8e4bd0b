/* rungs.h: what the rungs of choose.c share, and the rungs themselves. */
#ifndef TN_SOLVER_RUNGS_H
#define TN_SOLVER_RUNGS_H

#include "best.h"
#include "solve.h"

/* What SubADMM's residual was, and when. */
typedef struct TnMark {
    int iteration;
    double residual;
} TnMark;

typedef struct TnIslandSolve {
    TnProblem *problem;
    const TnSolverDef *def;
    TnPlanCache *plans;
    TnPool *pool;
    TnBest best;
    TnMethod best_method; /* that found best.best_lambda */
    TnPerConstraint guess;
    TnAssembly assembly;
    bool is_assembled;
    bool was_small; /* its own method has left it unsolved */
    bool failed;    /* no memory for it */
    bool split;     /* SubADMM has run */
    const char *form;
    struct {         /* SubADMM's looks */
        double stop; /* residual below which the map is looked at, */
        int look;    /* and the iteration from which on it is in any case */
        bool may_give_up;
        int stuck;
        double residual;
        int budget;         /* iterations after which it is to be about to arrive, */
        int latest;         /* and the most of them */
        bool patient;       /* it does not give up within them */
        TnMark last, older; /* MARKS_APART; the last is younger than that */
        TnSolverDef *def;   /* what the iterations go by */
        int patience;       /* the iteration by which */
        double half;        /* the error should be this; compliant contacts only */
    } looks;
    TnIslandReport report;
} TnIslandSolve;

static inline bool tn_rung_done(const TnIslandSolve *s) { return tn_best_done(&s->best); }
static inline bool tn_is_auto(const TnIslandSolve *s) { return s->def->method == TN_METHOD_AUTO; }
/* ---- rungs.c ---- */
/* Judges what `method` has left. True: it is good enough. */
bool tn_rung_judge(TnIslandSolve *solve, TnMethod method);
void tn_rung_go_back(TnIslandSolve *solve); /* to the best forces */
/* Cables and soft bodies are part of it. */
bool tn_has_large_factors(const TnProblem *problem);
/* A factorization of its matrix may be worth it: so few blocks, and so few multiplications. */
bool tn_has_few_blocks(const TnProblem *problem);
bool tn_is_cheap(const TnProblem *problem, double flops);
/* The island's matrix, once. False: no memory. */
bool tn_rung_assemble(TnIslandSolve *solve);

/* A rung: so many iterations or steps. False: no memory, or no factor. */
typedef bool TnRung(TnIslandSolve *solve, int budget);
TnRung tn_rung_newton, tn_rung_interior, tn_rung_interior_from_here, tn_rung_proximal;
/* A method that was asked for. */
bool tn_rung_own(TnIslandSolve *solve, TnMethod method, int budget);
/* ---- rungs_subadmm.c ---- */
TnRung tn_rung_subadmm, tn_rung_compliant, tn_rung_subadmm_from_guess;

#endif

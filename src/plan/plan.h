/* plan.h (internal): controls over a horizon that cost least.
 *
 * A path is controls and the states of their roll-out. The plan is one of them; the others are
 * tries, which workers roll out: each thread has a world of its own, and as a restored world goes
 * on with the same bits, it does not matter which of them takes which try. */
#ifndef TN_PLAN_PLAN_H
#define TN_PLAN_PLAN_H

#include <tenon/plan.h>

#include "../base/pool.h"

/* A cost with what it refers to. */
typedef struct TnCost {
    TnPlanCost def; /* its arrays and name are the plan's */
    int first;      /* dof or control, or place of the sensor's data */
    int rows;
} TnCost;

typedef struct TnPlanPath {
    double *ctrl;   /* horizon × ctrl_count */
    double *states; /* (horizon + 1) × place: qpos, qvel, act */
    double *costs;  /* cost_count */
    double cost;
    int rough;
    long steps;
} TnPlanPath;

/* What a worker needs of its own. */
typedef struct TnPlanWorker {
    TnWorld *world;        /* of roll-outs */
    TnWorld *knots;        /* a step of it is a knot */
    TnDerivatives *slopes; /* of `knots`; NULL: samplers */
    double *sensors, *sensors2;
    double *residual;           /* rows of any cost */
    double *slope;              /* rows × state_count */
    double *jacobian;           /* 6 × dof_count */
    double *tangent, *tangent2; /* state_count */
    double *place;              /* of a state */
    long derivative_steps;
} TnPlanWorker;

/* About one knot k: x_k+1 from x_k and u_k, and the cost of x_k+1 and u_k. */
typedef struct TnKnot {
    double *A, *B;    /* state × state, state × ctrl */
    double *lx, *lxx; /* gradient and half-second derivative: 2 JᵀWr and 2 JᵀWJ */
    double *lu, *luu; /* the second is diagonal */
    double *along;    /* cost_count × state: some row of each cost's JᵀW */
    double *k, *K;    /* ctrl, ctrl × state */
    bool has;
} TnKnot;

/* The cost of that kind, about its goal x: its value is |F (x_T ⊖ x)|². */
typedef struct TnTail {
    int cost;      /* -1: there is none */
    bool stale;    /* goals or weights were changed */
    double *place; /* x */
    double *V, *F; /* half-second derivatives of all running costs from x on; state × state */
    TnKnot knot;
} TnTail;

/* How a try's controls come from the plan's. */
typedef struct TnTry {
    double step; /* share of k */
    bool feedback;
    bool hold; /* none of that: the controls that plans begin with */
} TnTry;

struct TnPlan {
    TnPlanDef def;
    const TnModel *model;
    TnModelInfo info;
    int nq, nv, na, nu, ns; /* ns = 2 nv + na */
    int place_size;
    double timestep;
    TnCost *costs;
    double *numbers; /* of the costs */
    char *names;
    double *low, *high; /* limits, infinite where there are none */
    double *hold;       /* controls to begin with */
    double *sigma;      /* of samplers */
    int path_count;     /* tries */
    TnPlanPath plan, *tries;
    TnTry *how;
    TnKnot *knots;
    TnPlanWorker *workers;
    TnPool *pool;
    void *start; /* a saved world */
    size_t start_size, start_capacity;
    /* backward pass */
    double *gains; /* K of all knots */
    double *off;   /* state_count: of tn_plan_policy */
    TnTail tail;
    double *V, *v, *Qxx, *Qux, *Quu, *qx, *qu, *VA, *VB, *H, *scratch;
    uint8_t *held;
    double promised; /* decrease of J, by the last backward pass */
    double damping;  /* of the backward pass, kept from solve to solve */
    /* samplers */
    double *mean, *spread; /* nodes × ctrl */
    int *order;
    int node_count;
    uint64_t draws; /* solves so far */
    /* results */
    double start_cost, seconds;
    uint8_t *moved;
    int iterations, at_limit, without;
    bool converged, late, has_start, has_gains;
    long steps, derivative_steps;
    char remark[256];
    void *block; /* memory of all arrays */
};

static inline double *tn_path_state(const TnPlan *p, const TnPlanPath *path, int k)
{
    return path->states + (size_t)k * (size_t)p->place_size;
}
static inline double *tn_path_ctrl(const TnPlan *p, const TnPlanPath *path, int k)
{
    return path->ctrl + (size_t)k * (size_t)p->nu;
}
static inline double tn_within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* ---- plan.c ---- */
/* As far as numbers tell. */
bool tn_plan_has_model_of(const TnPlan *p, const TnWorld *world);

/* ---- costs.c ---- */
/* The costs as the model has them; false: *err says what is wrong. */
bool tn_costs_check(const TnPlanDef *def, const TnModel *model, TnError *err);
/* Rows, goals and weights. numbers: room as tn_costs_numbers says. */
size_t tn_costs_numbers(const TnPlanDef *def, const TnModel *model);
void tn_costs_fill(TnPlan *p, const double *qpos0);
int tn_cost_rows(const TnPlanCost *cost, const TnModel *model);
int tn_cost_goal_count(const TnPlanCost *cost, const TnModel *model);
bool tn_cost_goal_fits(const TnPlanCost *cost, const TnModel *model, const double *goal, int count,
                       TnError *err);

/* ---- residuals.c ---- */
/* Adds the costs of the world's state and of the control that led to it to path->costs. False: no
 * memory for sensors. */
bool tn_costs_add(const TnPlan *p, TnPlanWorker *w, const TnWorld *world, const double *ctrl,
                  bool is_last, double *costs);
/* lx, lxx, lu, luu and `along` of knot k, its world at x_k+1. */
bool tn_costs_derive(const TnPlan *p, TnPlanWorker *w, TnWorld *world, const double *ctrl,
                     bool is_last, TnKnot *knot);

/* ---- rollout.c ---- */
bool tn_worker_create(TnPlan *p, TnPlanWorker *w, TnError *err);
void tn_worker_destroy(TnPlanWorker *w);
/* Rolls out the first `count` tries, on all threads. With `how`, controls come from the plan's; a
 * try that costs more than `most` is left there. */
void tn_rollout_tries(TnPlan *p, int count, bool how, double most);
/* The cheapest of them, -1: all diverged. */
int tn_best_try(const TnPlan *p, int count);
/* The try becomes the plan. */
void tn_plan_take(TnPlan *p, int which);
/* The controls of a knot at a state, by step and gains. */
void tn_plan_control(const TnPlan *p, int knot, const double *state, TnTry how, double *tangent,
                     double *ctrl);

/* ---- linearize.c ---- */
/* A, B and costs of all knots, on all threads. False: of none. */
bool tn_plan_linearize(TnPlan *p);
/* Those of one knot, which begins at state x, with all else (mocap bodies, equalities) as at the
 * start: knot->has is false where its step is rejected. */
void tn_knot_slopes(const TnPlan *p, TnPlanWorker *w, const double *x, const double *ctrl,
                    TnKnot *knot);
/* Those of one knot, which ends at state x. False: of none. */
bool tn_knot_costs(const TnPlan *p, TnPlanWorker *w, const double *x, const double *ctrl,
                   bool is_last, TnKnot *knot);
/* Which costs follow a control, by the derivatives. */
void tn_plan_note_moved(TnPlan *p);

/* ---- backward.c ---- */
/* k and K of all knots. False: not positive definite at this damping. */
bool tn_plan_backward(TnPlan *p, double damping);
/* p->V, one knot earlier, where no limit holds a control and the costs are least at the plan. */
bool tn_plan_riccati(TnPlan *p, const TnKnot *knot);

/* ---- tail.c ---- */
/* F, where it is stale. */
TnStatus tn_tail_update(TnPlan *p, TnError *err);

/* ---- box.c ---- */
/* min ½ xᵀHx + gᵀx, low ≤ x ≤ high, from x on. held: at a limit. H: n × n; its free part's factor
 * is left in `factor`. False: H is not positive definite. */
bool tn_box_qp(int n, const double *H, const double *g, const double *low, const double *high,
               double *x, uint8_t *held, double *factor, double *scratch);

/* ---- ddp.c, sample.c ---- */
void tn_plan_ddp(TnPlan *p, double begun);
void tn_plan_sample(TnPlan *p, double begun);
/* The best of random controls about the plan becomes the plan, if it costs less. */
void tn_plan_seed(TnPlan *p);
bool tn_plan_is_late(TnPlan *p, double begun);

#endif

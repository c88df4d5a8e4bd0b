/* tenon/plan.h: controls for the next moments that cost least: optimal control over a horizon
 * (docs/control.md).
 *
 * A plan holds controls u_0 … u_T-1, one per knot, each held for `repeat` steps, and the states x_1
 * … x_T that they lead to, by steps of the engine itself. Its cost is
 *
 *     J = Σ_c running_c Σ_k r_c(x_k, u_k-1)ᵀ W_c r_c + terminal_c r_c(x_T)ᵀ W_c r_c,   k = 1 … T
 *
 * with residuals r_c of states or controls and diagonal weights W_c. The states are always those of
 * an exact roll-out, and a solve never returns a plan that costs more than the one it began with.
 *
 *     TnPlanDef def = tn_plan_def();
 *     def.costs = costs, def.cost_count = 3;
 *     TnPlan *plan = tn_plan_create(&def, model, &err);
 *     for (;;) {
 *         tn_plan_solve(plan, world, &err);
 *         tn_world_set_ctrl(world, tn_plan_view(plan).ctrl, &err);
 *         for (int k = 0; k < def.repeat; k++) tn_world_step(world);
 *         tn_plan_shift(plan, 1, &err);
 *     } */
#ifndef TENON_PLAN_H
#define TENON_PLAN_H

#include <tenon/derivatives.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TnPlanMethod {
    TN_PLAN_DDP,  /* derivatives of the steps, a quadratic problem with limits, a line search */
    TN_PLAN_MPPI, /* random controls about the plan, and their mean, weighted by cost */
    TN_PLAN_CEM,  /* random controls; the best of them say where to draw the next ones */
    TN_PLAN_METHOD_COUNT
} TnPlanMethod;
TN_API const char *tn_plan_method_name(TnPlanMethod method); /* "ddp" */

typedef enum TnPlanCostKind {
    TN_COST_POSITION, /* of a joint (0: of everything) from a goal in the layout of qpos; residuals
                         are displacements in the coordinates of qvel */
    TN_COST_VELOCITY, /* qvel of a joint (0: of everything) from a goal */
    TN_COST_POINT,    /* m: the origin of a site or body from a goal, world axes; or from the
                         origin of another site or body, displaced by the goal */
    TN_COST_SENSOR,   /* data of a sensor from a goal */
    TN_COST_CTRL,     /* control of an actuator (0: of all) from a goal; running only */
    TN_COST_TAIL,     /* what the running costs come to after the horizon: Riccati's solution about
                         a goal in the layout of qpos, at rest and with the controls at rest;
                         terminal only, usually 1. At most one */
    TN_COST_KIND_COUNT
} TnPlanCostKind;
TN_API const char *tn_plan_cost_kind_name(TnPlanCostKind kind); /* "position" */

typedef struct TnPlanCost {
    TnPlanCostKind kind;
    const char *name; /* in messages; NULL: that of its kind. Copied, as the arrays are */
    TnJointId joint;
    TnActuatorId actuator;
    TnSensorId sensor;
    TnSiteId site, to_site; /* of TN_COST_POINT: either a site or a body */
    TnBodyId body, to_body;
    double running, terminal; /* weights, >= 0; default 0 */
    const double *weights;    /* W, one per residual; NULL: ones */
    int weight_count;
    const double *goal; /* NULL: the reference pose, else zeros */
    int goal_count;
} TnPlanCost;
TN_API TnPlanCost tn_plan_cost(TnPlanCostKind kind);

typedef struct TnPlanDef {
    int horizon; /* knots T, 1 … 10000; default 20 */
    int repeat;  /* steps per knot, 1 … 1000; default 1. Derivatives see a knot as one step */
    const TnPlanCost *costs;
    int cost_count;
    TnPlanMethod method; /* default TN_PLAN_DDP */
    int iterations;      /* at most; default 3 of DDP, 1 of MPPI, 3 of CEM (0) */
    double seconds;      /* no iteration begins later; 0 (default): no such limit. With one, bits
                            depend on the speed of the machine */
    int thread_count;    /* 1 … 64, default 1; same bits for any number */
    TnWorldDef world;  /* that roll-outs are taken with; its threads, log and device are not used */
    double smoothing;  /* of derivatives, see TnDerivativeDef; default 1; 0: exact */
    double compliance; /* the same; default 1/60 */
    int derivative_every; /* DDP takes derivatives at every so manieth knot and those between from
                             both neighbours; default 1 */
    double tolerance; /* DDP ends a solve after an iteration that lowered the cost by no more than
                         this share of it; 0 (default): after three that found nothing better */
    int seeds; /* random controls that DDP tries first, as samplers draw them; it goes on from the
                  best if that costs less than the plan; default 0. For plans in which no small
                  change of controls is of use: a shot that must go round a corner */
    /* samplers */
    int samples;        /* per iteration, 2 … 100000; default 64 */
    int nodes;          /* of the lines that noise follows over the horizon; 0 (default): 6, at most
                           the horizon */
    double noise;       /* standard deviation, of half a control's range, or of 1 without a range;
                           default 0.3 */
    double temperature; /* of MPPI, as a share of how much worse than the best sample the mean one
                           is; default 0.1 */
    uint64_t seed;
} TnPlanDef;
TN_API TnPlanDef tn_plan_def(void);

typedef struct TnPlan TnPlan;
/* Controls begin at the goals of the control costs, within the actuators' limits. Refused: no
 * control, no cost, a number that is not finite, an id that the model has not, for DDP a sensor
 * that needs a step (forces, accelerations). */
TN_API TnPlan *tn_plan_create(const TnPlanDef *def, const TnModel *model, TnError *err);
TN_API void tn_plan_destroy(TnPlan *plan); /* NULL is allowed */

/* The state from which the next solve begins: a copy, so that the world may go on while the plan is
 * solved in another thread. Parameters that were set for the world are not copied. */
TN_API TnStatus tn_plan_start(TnPlan *plan, const TnWorld *world, TnError *err);
/* Better controls. world: as tn_plan_start before; NULL: from the state that it noted. Once warm,
 * it allocates nothing. An error leaves the plan as it was; a roll-out that diverges costs
 * infinity and is not taken. */
TN_API TnStatus tn_plan_solve(TnPlan *plan, const TnWorld *world, TnError *err);
/* The plan moves on by so many knots; the last control is repeated. */
TN_API TnStatus tn_plan_shift(TnPlan *plan, int knots, TnError *err);

/* Of cost `cost`, from 0. The plan's cost is that of the next solve. */
TN_API TnStatus tn_plan_set_goal(TnPlan *plan, int cost, const double *goal, int count,
                                 TnError *err);
TN_API TnStatus tn_plan_set_weight(TnPlan *plan, int cost, double running, double terminal,
                                   TnError *err);
/* A first guess, horizon × ctrl_count; limits are applied. */
TN_API TnStatus tn_plan_set_ctrl(TnPlan *plan, const double *ctrl, TnError *err);

/* Row-major; pointers are valid until the plan is destroyed, numbers until the next call. */
typedef struct TnPlanView {
    int horizon, repeat, qpos_count, dof_count, act_count, ctrl_count, state_count, cost_count;
    int place_count;       /* numbers of a state: qpos, then qvel, then activations */
    double knot;           /* s between knots */
    const double *ctrl;    /* horizon × ctrl_count */
    const double *states;  /* (horizon + 1) × place_count: the exact roll-out from x_0 */
    const double *gains;   /* horizon × ctrl_count × state_count: K of u + K (x ⊖ x_k);
                              zeros of samplers, and where a limit holds the control */
    double cost;           /* J; infinite: even the first roll-out diverged */
    double start_cost;     /* of the plan that the solve began with */
    const double *costs;   /* cost_count: parts of J */
    const uint8_t *moved;  /* cost_count; 0: no control changes it over this horizon */
    int iterations;        /* that were begun */
    bool converged;        /* the last one found nothing better to do, or less than `tolerance` */
    bool late;             /* the time was over */
    long steps;            /* of the last solve, in roll-outs */
    long derivative_steps; /* the same, for columns of derivatives */
    int rough;             /* steps of the plan's roll-out that are not to be trusted */
    int at_limit;          /* controls at a limit */
    int without;           /* knots whose derivatives were not found in the last solve */
    double seconds;        /* that the last solve took */
    const char *remark;    /* what should be known: "cost 'x' follows no control"; "" */
} TnPlanView;
TN_API TnPlanView tn_plan_view(const TnPlan *plan);
TN_API const char *tn_plan_cost_name(const TnPlan *plan, int cost); /* NULL: there is none */

/* Length of a cost's residual, without weights, at the state and controls that a world has now: how
 * far it is from the goal. NaN: there is no such cost, a sensor needs a step, or a tail was not
 * found by a solve yet. */
TN_API double tn_plan_off(const TnPlan *plan, TnWorld *world, int cost);

/* The control of a knot at a state that is not quite the planned one: u_k + K (x ⊖ x_k), within
 * limits. act may be NULL where there are none. */
TN_API TnStatus tn_plan_policy(const TnPlan *plan, int knot, const double *qpos, const double *qvel,
                               const double *act, double *ctrl, TnError *err);

#ifdef __cplusplus
}
#endif
#endif

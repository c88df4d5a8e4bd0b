/* tenon/derivatives.h: how the state after a step follows the state before it, the controls and
 * parameters of the model (docs/derivatives.md). */
#ifndef TENON_DERIVATIVES_H
#define TENON_DERIVATIVES_H

#include <tenon/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tangent coordinates of a state x, state_count = 2 dof_count + act_count numbers: changes of qpos
 * as displacements in the coordinates of qvel (a quaternion counts three, turns in body axes), then
 * qvel, then activations. */

typedef enum TnDerivativeMethod {
    TN_DERIVATIVES_IMPLICIT,    /* the laws of the constraints are linear about the solution */
    TN_DERIVATIVES_DIFFERENCES, /* centred differences of whole steps */
    TN_DERIVATIVE_METHOD_COUNT
} TnDerivativeMethod;

typedef enum TnParameterKind {
    TN_PARAMETER_GRAVITY,   /* index 0 … 2; id 0 */
    TN_PARAMETER_TIMESTEP,  /* id 0 */
    TN_PARAMETER_MASS,      /* of a body; its inertia grows with it */
    TN_PARAMETER_COM,       /* of a body, body axes; index 0 … 2 */
    TN_PARAMETER_INERTIA,   /* of a body about its centre of mass, body axes; index 0 … 5: xx yy
                               zz xy xz yz */
    TN_PARAMETER_FRICTION,  /* of a geom; index 0: sliding, 1: spin, 2: rolling */
    TN_PARAMETER_SIZE,      /* of a geom; index 0 … 2. Masses do not follow */
    TN_PARAMETER_STIFFNESS, /* of a joint, as are the next four */
    TN_PARAMETER_SPRING_REF,
    TN_PARAMETER_DAMPING,
    TN_PARAMETER_ARMATURE,
    TN_PARAMETER_FRICTION_LOSS,
    TN_PARAMETER_GAIN, /* of an actuator */
    TN_PARAMETER_BIAS, /* of an actuator; index 0 … 2 */
    TN_PARAMETER_KIND_COUNT
} TnParameterKind;
TN_API const char *tn_parameter_kind_name(TnParameterKind kind); /* "spring_ref" */

typedef struct TnParameter {
    TnParameterKind kind;
    int32_t id; /* of the body, geom, joint or actuator, from 1 */
    int index;
} TnParameter;

typedef struct TnDerivativeDef {
    TnDerivativeMethod method;     /* default TN_DERIVATIVES_IMPLICIT */
    bool state, ctrl;              /* columns of A and B; default true */
    const TnParameter *parameters; /* columns of P; copied */
    int parameter_count;
    double step; /* of differences: m, rad, m/s, rad/s; of controls and parameters a share of what
                    they are, or of 1 where they are less (masses and sizes: always a share). 1e-9 …
                    1e-2, default 1e-6 */
    /* 0 (default): laws of contacts, limits and friction as they are. Above: smoothed laws about
     * the same state, for implicit columns only. Their forces act over gaps and at rest: normal
     * ones are felt from about 0.1 × smoothing × gravity × timestep of approach on, friction is
     * half of its bound at 0.6 × smoothing × gravity × timestep of slip (docs/derivatives.md). Ways
     * are then not cut and energy and momentum not balanced. 0.3 … 3 */
    double smoothing;
    double compliance; /* of smoothed contacts, as a share of their own; default 1/60 */
    int sides; /* of a column: 2 (default), or 1: half of the time, an error of about `step`, and no
                  kinks are seen */
    int thread_count; /* that share the columns, 1 … 64; default 1 */
} TnDerivativeDef;
TN_API TnDerivativeDef tn_derivative_def(void);

/* Where a column comes from. */
typedef enum TnColumn {
    TN_COLUMN_NONE,        /* a step that it needs was rejected: NaN */
    TN_COLUMN_IMPLICIT,    /* linear laws; some are in closed form */
    TN_COLUMN_DIFFERENCES, /* whole steps */
    TN_COLUMN_COUNT
} TnColumn;

/* A law of the solution that is near to another of its classes. */
typedef enum TnSwitchKind {
    TN_SWITCH_OPEN, /* a contact or limit that opens or closes */
    TN_SWITCH_SLIP  /* friction that holds or slips */
} TnSwitchKind;
typedef struct TnSwitch {
    TnSwitchKind kind;
    TnGeomId geom1, geom2; /* of a contact; else 0 */
    TnJointId joint; /* of a limit or dry friction; 0: of a tendon or actuator, or a contact */
    double margin;   /* of gravity × timestep: so far from it; below 1e-3 */
} TnSwitch;

/* Memory for derivatives of one world, for any number of calls. Destroy it before the world. */
typedef struct TnDerivatives TnDerivatives;
TN_API TnDerivatives *tn_derivatives_create(const TnWorld *world, const TnDerivativeDef *def,
                                            TnError *err);
TN_API void tn_derivatives_destroy(TnDerivatives *derivatives); /* NULL is allowed */

/* Derivatives of the step that the world would take now, with the controls and applied forces that
 * are set. The world stays as it is; its callbacks are not called. Not of worlds on devices, in
 * parts or shadows. TN_ERROR_USAGE as well if the step itself is rejected. */
TN_API TnStatus tn_world_derivatives(const TnWorld *world, TnDerivatives *derivatives,
                                     TnError *err);

/* Row-major; pointers are valid until the next call. Zeros before the first. */
typedef struct TnDerivativesView {
    int state_count, ctrl_count, parameter_count;
    const double *A;                                /* state × state: dx⁺/dx */
    const double *B;                                /* state × ctrl: dx⁺/du */
    const double *P;                                /* state × parameters */
    const double *next_qpos, *next_qvel, *next_act; /* x⁺ */
    /* per column, of A, then B, then P: */
    const uint8_t *columns; /* TnColumn */
    const double *kinks;    /* largest difference of the derivatives from the two sides, as a share
                               of the column's largest number or of 1. Far above `step`: the state
                               is at a switch, where the column is the mean of both sides. 0 of columns
                               in closed form */
    int implicit_count, difference_count, none_count; /* of columns */
    int kink_count;                                   /* of columns with a kink above 1e-3 */
    const TnSwitch *switches; /* not known of worlds with a fixed count of iterations */
    int switch_count;
    int forces;       /* that implicit columns solve for, */
    double condition; /* and of their matrix; 0 without */
    const char *why;  /* that columns are by differences though implicit ones were asked for; "" */
    int closed_count; /* of implicit columns: in closed form, */
    const char *why_not_closed; /* and why those of state and controls are not; "" */
} TnDerivativesView;
TN_API TnDerivativesView tn_derivatives_view(const TnDerivatives *derivatives);

/* From dc/dx⁺ of some cost c, state_count numbers: dc/dx, dc/du and dc/dp through the step, Aᵀ g,
 * Bᵀ g and Pᵀ g. Outputs that are not wanted may be NULL. */
TN_API TnStatus tn_derivatives_adjoint(const TnDerivatives *derivatives, const double *next,
                                       double *state, double *ctrl, double *parameters,
                                       TnError *err);

/* The tangent from one state of a model to another, x2 ⊖ x1, dof_count numbers of qpos; and x ⊕ d.
 */
TN_API void tn_model_difference(const TnModel *model, const double *qpos1, const double *qpos2,
                                double *tangent);
TN_API void tn_model_displace(const TnModel *model, const double *qpos, const double *tangent,
                              double *out);
/* Gradients of a number by qpos and by the tangent at qpos, where qpos are plain numbers: a
 * quaternion's four are those of the quaternion that they are when scaled to unit length. */
TN_API void tn_model_gradient_to_tangent(const TnModel *model, const double *qpos,
                                         const double *by_qpos, double *by_tangent);
TN_API void tn_model_gradient_from_tangent(const TnModel *model, const double *qpos,
                                           const double *by_tangent, double *by_qpos);

#ifdef __cplusplus
}
#endif
#endif

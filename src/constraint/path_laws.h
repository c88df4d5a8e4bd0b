/* path_laws.h: forces of springs, dampers and servos along a path over one step, as lines in v̂.
 * Private to the folder; path_rows.c has the symbols. */
#ifndef TN_CONSTRAINT_PATH_LAWS_H
#define TN_CONSTRAINT_PATH_LAWS_H

#include "../model/path.h"

/* A path over the predicted step. */
typedef struct TnPathCourse {
    const TnPath *path;
    double start, end; /* its length */
    double rate;       /* at the start */
    double eta;
    TnPathGradient at_start, middle;
    bool has_middle; /* it is found where it is asked for */
    int pass;        /* for which `end` is; the start is that of all passes of a step */
} TnPathCourse;

/* A force that is linear in v̂: force - slope · J v̂. */
typedef struct TnPathLine {
    double force, slope;
} TnPathLine;

/* What laws of forces need to know. */
typedef struct TnPathSetting {
    const TnPathCourse *course;
    double t, theta, kappa, w;
    double shift;      /* J v, v at the start */
    double predicted;  /* J u₀ */
    double compliance; /* J M⁻¹ Jᵀ */
    double row;        /* J A⁻¹ Jᵀ */
    double drive;      /* of J v what mocap bodies make, at any time */
} TnPathSetting;

/* J v̂ of the prediction. */
double tn_path_predicted_rate(const TnPathSetting *at);
TnPathLine tn_path_spring_line(const TnPathSetting *at, const TnTendon *tendon);
/* θ_d / θ of a damper -D ((1-θ_d) J v + θ_d J v⁺), and its force. */
double tn_path_damping_share(const TnPathSetting *at, double D);
void tn_path_add_damping(const TnPathSetting *at, double D, double share, TnPathLine *line);
/* -a d/dt (J v). */
void tn_path_add_inertia(const TnPathSetting *at, double inertia, TnPathLine *line);
/* What an actuator does without bounds, its bounds along the path, and both together. */
TnPathLine tn_path_servo_line(const TnPathSetting *at, const TnActuator *actuator, double input);
void tn_path_bounds(const TnModel *model, const TnActuator *actuator, double *low, double *high);
TnPathLine tn_path_bound_line(const TnPathSetting *at, TnPathLine line, double low, double high);

#endif

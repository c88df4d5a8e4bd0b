/* pull.h: the mouse pulls a body: a damped spring from a point of the body to the mouse, or one
 * that turns it. docs/viewer.md has the law. */
#ifndef TENON_VIEW_PULL_H
#define TENON_VIEW_PULL_H

#include <tenon/world.h>

typedef enum PullKind { PULL_NONE, PULL_MOVE, PULL_TURN } PullKind;

typedef struct Pull {
    PullKind kind;
    TnBodyId body;      /* 0: a soft body is pulled */
    TnSoftId soft;      /* 0: a body is pulled */
    int nodes[3];       /* of the soft body, around the point that is held, and */
    double weights[3];  /* their shares in it */
    double anchor[3];   /* m, in the body's axes: where the spring holds it */
    double target[3];   /* m, world: where the spring pulls it */
    double rotation[4]; /* quaternion, world: how a turned body should stand */
    double stiffness;   /* 1/s²: force per mass and distance, torque per inertia and angle */
} Pull;

/* What a pull needs of the model; made once per body. */
typedef struct PullStrength {
    double com[3];        /* in the body's axes */
    double mass;          /* kg, of the whole subsystem: what the spring is scaled by */
    double inertia;       /* kg·m², likewise */
    double body_mass;     /* kg, of the rigid part alone: what limits the spring */
    double least_inertia; /* kg·m², likewise */
    double timestep;      /* s */
} PullStrength;

PullStrength pull_strength(const TnModel *model, TnBodyId body);
/* The wrench at the centre of mass in the world's present state; `at` is the point that is held. */
void pull_wrench(const Pull *pull, const PullStrength *strength, const TnWorld *world,
                 double force[3], double torque[3], double at[3]);

/* Spring and damper for what weighs `mass`, where the point shows at least `least`, in steps of h.
 */
void pull_limits(double mass, double stiffness, double least, double h, double *spring,
                 double *damper);

#endif

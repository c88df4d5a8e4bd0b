/* physics.h: what of a world's physics is changed while it runs. Of the thread that runs it. */
#ifndef TENON_VIEW_PHYSICS_H
#define TENON_VIEW_PHYSICS_H

#include <tenon/world.h>

typedef enum PhysicsId {
    PHYSICS_GRAVITY_X,
    PHYSICS_GRAVITY_Y,
    PHYSICS_GRAVITY_Z,
    PHYSICS_TIMESTEP,
    PHYSICS_TOLERANCE,  /* of the solver, and */
    PHYSICS_ITERATIONS, /* of SubADMM: only where the solver is known */
    PHYSICS_FRICTION,   /* of all geoms, times that of the model; pairs keep their own */
    PHYSICS_COUNT
} PhysicsId;

enum { PHYSICS_LISTED = 256 }; /* equalities and actuators: those after them are not shown */

/* What the window shows of it. */
typedef struct PhysicsView {
    double values[PHYSICS_COUNT];
    uint64_t equalities[PHYSICS_LISTED / 64], actuators[PHYSICS_LISTED / 64]; /* bits: on */
} PhysicsView;

typedef struct Physics {
    PhysicsView view;
    TnSolverDef solver;
    bool has_solver;
    double *frictions; /* of geoms, 3 each, and */
    double *gains;     /* of actuators, gain and bias, as they were at the start; owned */
} Physics;

/* `solver` NULL: not known. False: no memory. */
bool physics_create(Physics *physics, const TnWorld *world, const TnSolverDef *solver);
void physics_free(Physics *physics);
TnStatus physics_set(Physics *physics, TnWorld *world, PhysicsId id, double value, TnError *err);
/* Off: its force is zero. */
TnStatus physics_set_actuator(Physics *physics, TnWorld *world, TnActuatorId id, bool on,
                              TnError *err);
/* Brings the view up to date: equalities change with the state, too. */
void physics_update(Physics *physics, const TnWorld *world);

#endif

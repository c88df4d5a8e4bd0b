/* physics.c: options, equalities and actuators of a running world; see physics.h. */
#include "physics.h"

#include <stdlib.h>
#include <string.h>

bool physics_create(Physics *physics, const TnWorld *world, const TnSolverDef *solver)
{
    const TnModel *model = tn_world_model(world);
    TnModelInfo info = tn_model_info(model);
    *physics = (Physics){.has_solver = solver != NULL};
    if (solver) physics->solver = *solver;
    physics->frictions = malloc((3 * (size_t)info.geom_count + 1) * sizeof(double));
    physics->gains = malloc((4 * (size_t)info.actuator_count + 1) * sizeof(double));
    if (!physics->frictions || !physics->gains) return false;
    for (TnGeomId id = 1; id <= info.geom_count; id++) {
        TnGeomInfo geom = tn_model_geom_info(model, id);
        memcpy(physics->frictions + 3 * (id - 1), geom.friction, sizeof geom.friction);
    }
    for (TnActuatorId id = 1; id <= info.actuator_count; id++) {
        TnActuatorInfo actuator = tn_model_actuator_info(model, id);
        physics->gains[4 * (id - 1)] = actuator.gain;
        memcpy(physics->gains + 4 * (id - 1) + 1, actuator.bias, sizeof actuator.bias);
    }
    double *values = physics->view.values;
    memcpy(values + PHYSICS_GRAVITY_X, info.option.gravity, sizeof info.option.gravity);
    values[PHYSICS_TIMESTEP] = info.option.timestep;
    values[PHYSICS_TOLERANCE] = physics->solver.tolerance;
    values[PHYSICS_ITERATIONS] = physics->solver.iterations;
    values[PHYSICS_FRICTION] = 1;
    memset(physics->view.actuators, 0xff, sizeof physics->view.actuators);
    physics_update(physics, world);
    return true;
}

void physics_free(Physics *physics)
{
    free(physics->frictions);
    free(physics->gains);
    *physics = (Physics){0};
}

static TnStatus set_friction(const Physics *physics, TnWorld *world, double scale, TnError *err)
{
    TnStatus status = TN_OK;
    int count = tn_model_info(tn_world_model(world)).geom_count;
    for (TnGeomId id = 1; id <= count && status == TN_OK; id++) {
        double friction[3];
        for (int k = 0; k < 3; k++) friction[k] = scale * physics->frictions[3 * (id - 1) + k];
        status = tn_world_set_geom_friction(world, id, friction, err);
    }
    return status;
}

static TnStatus set_solver(Physics *physics, TnWorld *world, const TnSolverDef *def, TnError *err)
{
    TnStatus status = tn_world_set_solver(world, def, err);
    if (status == TN_OK) physics->solver = *def;
    return status;
}

TnStatus physics_set(Physics *physics, TnWorld *world, PhysicsId id, double value, TnError *err)
{
    double *values = physics->view.values, gravity[3];
    TnSolverDef solver = physics->solver;
    TnStatus status = TN_ERROR_USAGE;
    memcpy(gravity, values + PHYSICS_GRAVITY_X, sizeof gravity);
    switch (id) {
    case PHYSICS_GRAVITY_X:
    case PHYSICS_GRAVITY_Y:
    case PHYSICS_GRAVITY_Z:
        gravity[id - PHYSICS_GRAVITY_X] = value;
        status = tn_world_set_gravity(world, gravity, err);
        break;
    case PHYSICS_TIMESTEP:
        status = tn_world_set_timestep(world, value, err);
        break;
    case PHYSICS_TOLERANCE:
        solver.tolerance = value;
        if (physics->has_solver) status = set_solver(physics, world, &solver, err);
        break;
    case PHYSICS_ITERATIONS:
        solver.iterations = (int)value;
        if (physics->has_solver) status = set_solver(physics, world, &solver, err);
        break;
    case PHYSICS_FRICTION:
        status = set_friction(physics, world, value, err);
        break;
    case PHYSICS_COUNT:
        break;
    }
    if (status == TN_OK) values[id] = id == PHYSICS_ITERATIONS ? (int)value : value;
    return status;
}

TnStatus physics_set_actuator(Physics *physics, TnWorld *world, TnActuatorId id, bool on,
                              TnError *err)
{
    static const double none[3] = {0, 0, 0};
    if (id < 1 || id > PHYSICS_LISTED || id > tn_model_info(tn_world_model(world)).actuator_count)
        return TN_ERROR_USAGE;
    const double *gain = physics->gains + 4 * (id - 1);
    if (gain[0] == 0 && gain[1] == 0 && gain[2] == 0 && gain[3] == 0) {
        if (err) *err = (TnError){TN_ERROR_USAGE, 1, "a muscle cannot be switched off"};
        return TN_ERROR_USAGE;
    }
    TnStatus status = tn_world_set_actuator(world, id, on ? gain[0] : 0, on ? gain + 1 : none, err);
    uint64_t bit = (uint64_t)1 << ((id - 1) % 64), *word = &physics->view.actuators[(id - 1) / 64];
    if (status == TN_OK) *word = on ? *word | bit : *word & ~bit;
    return status;
}

void physics_update(Physics *physics, const TnWorld *world)
{
    int count = tn_model_info(tn_world_model(world)).equality_count;
    memset(physics->view.equalities, 0, sizeof physics->view.equalities);
    for (TnEqualityId id = 1; id <= count && id <= PHYSICS_LISTED; id++)
        if (tn_world_equality_active(world, id))
            physics->view.equalities[(id - 1) / 64] |= (uint64_t)1 << ((id - 1) % 64);
}

/* soft_world.c: asking a world about its soft bodies, and pulling on their nodes. */
#include "../world/world.h"

#include "../base/base.h"
#include "../math/vec3.h"
#include "../world/sleep.h"

static bool has_soft(const TnWorld *world, TnSoftId soft)
{
    return world && soft >= 1 && soft <= world->model->soft_count;
}

void tn_world_apply_node_force(TnWorld *world, TnSoftId soft, int node, const double force[3])
{
    if (!has_soft(world, soft) || !force) return;
    const TnSoft *s = &world->model->softs[soft - 1];
    if (node < 0 || node >= s->node_count) return;
    double *f = world->node_force + s->dof_start + 3L * node;
    v3_add(f, f, force);
    world->node_force_set = true;
    if (v3_dot(force, force) > 0.0) tn_sleep_wake(world, s->subsystem);
}

TnStatus tn_world_soft_stress(const TnWorld *world, TnSoftId soft, double *stress,
                              double *von_mises, TnError *err)
{
    if (!world) return tn_world_refuse(err, "no world");
    if (!has_soft(world, soft)) {
        tn_error_add(err, TN_ERROR_USAGE, "world: there is no soft body %d (the model has %d)",
                     (int)soft, world->model->soft_count);
        return TN_ERROR_USAGE;
    }
    tn_soft_stress(world->elements, world->model, soft - 1, world->state.qpos, stress, von_mises);
    return TN_OK;
}

void tn_world_soft_subsystems(const TnWorld *world, TnSoftId soft, int32_t *of_tets)
{
    if (!has_soft(world, soft) || !of_tets) return;
    const TnDivision *d = world->division;
    for (int e = 0; e < world->model->softs[soft - 1].tet_count; e++)
        of_tets[e] = world->model->rigid_count + d->pieces[d->tet_piece[soft - 1][e]].block;
}

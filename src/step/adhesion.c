/* adhesion.c: actuators on bodies press them to what they touch. As in MuJoCo, the force is shared
 * equally by all contacts of the body at the step's start and acts along their normals, on both
 * sides. Contacts bear it, so it brings friction. */
#include <string.h>

#include "../math/vec3.h"
#include "step.h"

static bool is_of(const TnModel *model, const TnContactPoint *c, int body)
{
    return c->soft1 < 0 && c->soft2 < 0 &&
           (model->geoms[c->geom1].body == body || model->geoms[c->geom2].body == body);
}

/* A pull of both sides towards each other. */
static void add_pull(const TnModel *model, const TnContactPoint *c, double force,
                     double (*wrench)[6])
{
    for (int side = 0; side < 2; side++) {
        double *out = wrench[model->geom_link[side ? c->geom2 : c->geom1]], f[3], moment[3];
        v3_scale(f, c->normal, side ? -force : force);
        v3_cross(moment, side ? c->arm2 : c->arm1, f);
        v3_add(out, out, f);
        v3_add(out + 3, out + 3, moment);
    }
}

static void press(const TnStep *step, const TnContactList *contacts, int index, double (*wrench)[6])
{
    const TnModel *model = step->model;
    const TnActuator *a = &model->actuators[index];
    int count = 0;
    const TnDriven at = {
        .qpos = step->dynamics.qpos, .qvel = step->dynamics.qvel, .inputs = step->dynamics.inputs};
    double force = a->gear * tn_actuator_force(model, index, &at);
    for (int i = 0; i < contacts->count; i++) count += is_of(model, &contacts->points[i], a->body);
    for (int i = 0; i < contacts->count && force != 0.0; i++)
        if (is_of(model, &contacts->points[i], a->body))
            add_pull(model, &contacts->points[i], force / count, wrench);
}

bool tn_step_adhere(TnStep *step)
{
    const TnModel *model = step->model;
    TnWorld *world = step->world;
    size_t bytes = sizeof(double[6]) * (size_t)model->link_count;
    if (!model->adhesion_count) return true;
    double(*wrench)[6] = tn_arena_alloc(&world->arena, bytes);
    if (!wrench) return false;
    TnContactList contacts;
    /* at rest on what it touches */
    memset(wrench, 0, bytes);
    TnMotionInput still = {.frames = world->frames,
                           .twists = (const double(*)[6])wrench,
                           .qpos = world->state.qpos,
                           .qvel = world->state.qvel,
                           .slack = tn_step_slack(step),
                           .moved = true};
    if (!tn_step_collide(step, &still, &contacts)) return false;
    if (world->wrench_set) memcpy(wrench, world->wrench, bytes);
    for (int i = 0; i < model->actuator_count; i++)
        if (model->actuators[i].body >= 0) press(step, &contacts, i, wrench);
    memset(wrench[0], 0, sizeof wrench[0]); /* the world's */
    step->dynamics.wrench = (const double(*)[6])wrench;
    return true;
}

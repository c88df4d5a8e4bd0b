/* own.c: the arrays of its model that a world has for itself. */
#include "own.h"

#include <string.h>

#include "../base/base.h"
#include "../device/device.h"
#include "../step/step.h"

bool tn_world_own(TnWorld *world, TnOwnPart part)
{
    TnModel *m = &world->own;
    void *const from[TN_OWN_COUNT] = {
        [TN_OWN_LINKS] = m->links,          [TN_OWN_BODY_MASSES] = m->body_masses,
        [TN_OWN_JOINTS] = m->joints,        [TN_OWN_GEOMS] = m->geoms,
        [TN_OWN_SITES] = m->sites,          [TN_OWN_ACTUATORS] = m->actuators,
        [TN_OWN_EQUALITIES] = m->equalities};
    const size_t bytes[TN_OWN_COUNT] = {
        [TN_OWN_LINKS] = (size_t)m->link_count * sizeof *m->links,
        [TN_OWN_BODY_MASSES] = (size_t)m->body_count * sizeof *m->body_masses,
        [TN_OWN_JOINTS] = (size_t)m->joint_count * sizeof *m->joints,
        [TN_OWN_GEOMS] = (size_t)m->geom_count * sizeof *m->geoms,
        [TN_OWN_SITES] = (size_t)m->site_count * sizeof *m->sites,
        [TN_OWN_ACTUATORS] = (size_t)m->actuator_count * sizeof *m->actuators,
        [TN_OWN_EQUALITIES] = (size_t)m->equality_count * sizeof *m->equalities};
    if (world->parts[part]) return true;
    void *copy = tn_malloc(bytes[part] + 1);
    if (!copy) return false;
    memcpy(copy, from[part], bytes[part]);
    world->parts[part] = copy;
    world->changed = true;
    if (part == TN_OWN_LINKS) m->links = copy;
    if (part == TN_OWN_BODY_MASSES) m->body_masses = copy;
    if (part == TN_OWN_JOINTS) m->joints = copy;
    if (part == TN_OWN_GEOMS) m->geoms = copy;
    if (part == TN_OWN_SITES) m->sites = copy;
    if (part == TN_OWN_ACTUATORS) m->actuators = copy;
    if (part == TN_OWN_EQUALITIES) m->equalities = copy;
    return true;
}

bool tn_world_renew(TnWorld *world, bool shapes)
{
    const TnModel *model = world->model;
    world->version++;
    tn_world_fetch(world);
    tn_device_note_model(world);
    size_t flags = (size_t)model->subsystem_count + 1;
    TnGroups *groups = tn_groups_create(model, world->division);
    TnCollider *collider = shapes ? tn_collider_create_again(model, world->collider) : NULL;
    if (!groups || (shapes && !collider)) {
        tn_groups_destroy(groups);
        tn_collider_destroy(collider);
        return false;
    }
    tn_groups_destroy(world->groups);
    world->groups = groups;
    memset(world->loops, 0, flags * sizeof *world->loops);
    memset(world->tied, 0, flags * sizeof *world->tied);
    memset(world->minds, 0, flags * sizeof *world->minds);
    tn_plan_minds(model, world->division->iterated, world->loops, world->tied, world->minds);
    if (shapes) {
        tn_collider_destroy(world->collider);
        world->collider = collider;
        if (world->touched) tn_collider_sleep(collider, world->state.asleep, world->touched);
    }
    tn_world_forget_step(world);
    return true;
}

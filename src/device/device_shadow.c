/* device_shadow.c: a world that shows what another had on its device, so that it can be read
 * it while that steps on. It has a side without a scene: contacts and forces are copies, and frames
 * are placed at the first question. */
#include "device.h"

#include <string.h>

#include "../base/base.h"
#include "device_robots.h"

static void copy_numbers(double *to, const double *from, int count)
{
    if (count) memcpy(to, from, sizeof(double) * (size_t)count);
}

TnWorld *tn_world_create_shadow(const TnWorld *world, TnError *err)
{
    if (!world || !world->device) {
        tn_error_add(err, TN_ERROR_USAGE, "world: a shadow is that of a world on a device");
        return NULL;
    }
    TnWorldDef def = world->def;
    def.device = TN_DEVICE_CPU;
    def.thread_count = 1;
    TnWorld *shadow = tn_world_create(&def, world->model, err);
    if (!shadow) return NULL;
    shadow->device = tn_calloc(1, sizeof *shadow->device);
    if (shadow->device) return shadow;
    tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
    tn_world_destroy(shadow);
    return NULL;
}

/* From wherever it is now. */
static bool copy_state(TnWorld *world, TnWorld *shadow, TnError *err)
{
    const TnModel *m = world->model;
    const TnState *from = &world->state;
    TnState *to = &shadow->state;
    TnDeviceSide *side = world->device;
    copy_numbers(to->ctrl, from->ctrl, m->actuator_count);
    copy_numbers(to->act, from->act, m->act_count);
    copy_numbers(to->mocap, from->mocap, 7 * m->mocap_count);
    copy_numbers(to->mocap_twist, from->mocap_twist, 6 * m->mocap_count);
    to->time = from->time;
    if (!side->ahead) {
        copy_numbers(to->qpos, from->qpos, m->qpos_count);
        copy_numbers(to->qvel, from->qvel, m->dof_count);
        return true;
    }
    if (!tn_gpu_get(side->scene, to->qpos, to->qvel, err)) return false;
    if (side->robots) tn_device_robots_get(side->robots, shadow);
    return true;
}

static bool copy_contacts(TnWorld *world, TnWorld *shadow, TnError *err)
{
    TnDeviceSide *from = world->device, *to = shadow->device;
    to->contact_count = from->contact_count;
    if (!tn_device_reserve_contacts(to)) {
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
        return false;
    }
    if (from->contact_count && !from->has_contacts) {
        if (!tn_gpu_contacts(from->scene, to->points, to->force, err)) return false;
    } else if (from->contact_count) {
        memcpy(to->points, from->points, sizeof *to->points * (size_t)from->contact_count);
        memcpy(to->force, from->force, sizeof *to->force * (size_t)from->contact_count);
    }
    shadow->contacts = (TnContactList){.points = to->points, .count = to->contact_count};
    return true;
}

TnStatus tn_world_copy_to_shadow(TnWorld *world, TnWorld *shadow, bool contacts, TnError *err)
{
    TnError local = {0};
    if (!err) err = &local;
    if (!world || !shadow || !world->device || !world->device->scene || !shadow->device ||
        shadow->device->scene || shadow->model->qpos_count != world->model->qpos_count)
        return tn_world_refuse(err, "a shadow of this world must be given");
    TnDeviceSide *side = shadow->device;
    side->contact_count = 0;
    shadow->contacts = (TnContactList){0};
    side->has_contacts = true;
    side->ahead = true; /* its frames are still those of before */
    bool fine = copy_state(world, shadow, err) && (!contacts || copy_contacts(world, shadow, err));
    return fine ? TN_OK : err->code;
}

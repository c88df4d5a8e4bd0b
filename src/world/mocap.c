/* mocap.c: bodies whose pose users set.
 *
 * A mocap body belongs to no subsystem and has no unknowns. It goes from where it is to its target
 * with one velocity over the whole step, all of its sub-steps: contacts and equalities know this
 * velocity, which goes into their e (constraint/rows.c, contacts.c). What its forces do to others
 * is work (account.c). */
#include "mocap.h"

#include <math.h>
#include <string.h>

#include "../device/device.h"
#include "../math/vec3.h"
#include "../ranks/spread.h"
#include "sleep.h"

void tn_mocap_place(TnWorld *world)
{
    for (int l = 1; l <= world->model->mocap_count; l++) {
        tn_mocap_frame(world->state.mocap + 7 * (l - 1), &world->frames[l]);
        world->next_frames[l] = world->frames[l];
        memcpy(world->twists[l], world->state.mocap_twist + 6 * (l - 1), sizeof world->twists[l]);
        memcpy(world->next_twists[l], world->twists[l], sizeof world->next_twists[l]);
    }
}

/* What is left of the way, in what is left of the step. */
static bool find_twist(const TnWorld *world, int mocap, double twist[6])
{
    const double *from = world->state.mocap + 7 * mocap,
                 *to = world->state.mocap_target + 7 * mocap;
    double back[4], turn[4], time = world->parts_left * world->t;
    bool moves = false;
    v3_sub(twist, to, from);
    quat_conjugate(back, from + 3);
    quat_mul(turn, to + 3, back);
    quat_to_rotvec(twist + 3, turn);
    if (memcmp(to + 3, from + 3, sizeof(double[4])) == 0) v3_zero(twist + 3);
    for (int k = 0; k < 6; k++) {
        twist[k] /= time;
        moves |= twist[k] != 0.0;
    }
    return moves;
}

void tn_mocap_begin(TnWorld *world)
{
    world->mocap_moves = false;
    for (int l = 1; l <= world->model->mocap_count; l++) {
        double *twist = world->twists[l];
        world->mocap_moves |= find_twist(world, l - 1, twist);
        memcpy(world->next_twists[l], twist, sizeof(double[6]));
        tn_mocap_carry(&world->frames[l], twist, world->t, &world->next_frames[l]);
    }
    if (world->mocap_moves && world->state.asleep_count) tn_sleep_wake_all(world);
}

void tn_mocap_copy_twists(const TnWorld *world, double (*twists)[6])
{
    for (int l = 1; l <= world->model->mocap_count; l++)
        memcpy(twists[l], world->twists[l], sizeof twists[l]);
}

void tn_mocap_finish(TnWorld *world)
{
    bool last = world->parts_left == 1;
    for (int l = 1; l <= world->model->mocap_count; l++) {
        double *pose = world->state.mocap + 7 * (l - 1);
        if (last) { /* exactly there */
            memcpy(pose, world->state.mocap_target + 7 * (l - 1), sizeof(double[7]));
            tn_mocap_frame(pose, &world->next_frames[l]);
        } else {
            v3_copy(pose, world->next_frames[l].pos);
            quat_copy(pose + 3, world->next_frames[l].quat);
        }
        world->frames[l] = world->next_frames[l];
        memcpy(world->state.mocap_twist + 6 * (l - 1), world->twists[l], sizeof world->twists[l]);
    }
}

/* ---- what users ask for ---- */

/* Link of a mocap body; 0: it is none. */
static int link_of(const TnWorld *world, TnBodyId body)
{
    if (!tn_world_has_body(world, body)) return 0;
    int link = world->model->bodies[body - 1].link;
    return tn_link_is_mocap(world->model, link) && world->model->links[link].body == body - 1 ? link
                                                                                              : 0;
}

static TnStatus set_pose(TnWorld *world, TnBodyId body, const double *pos, const double *quat,
                         TnError *err, int *link)
{
    *link = link_of(world, body);
    if (!*link) return tn_world_refuse(err, "there is no such mocap body");
    double q[4] = {1.0}, *target = world->state.mocap_target + 7 * (*link - 1);
    if (quat) quat_copy(q, quat);
    for (int k = 0; k < 4; k++)
        if (!isfinite(q[k]) || (pos && k < 3 && !isfinite(pos[k])))
            return tn_world_refuse(err, "the pose of a mocap body is not finite");
    if (quat_normalize(q) < 1e-10)
        return tn_world_refuse(err, "the pose of a mocap body has a zero quaternion");
    if (pos) v3_copy(target, pos);
    if (quat) quat_copy(target + 3, q);
    return TN_OK;
}

TnStatus tn_world_set_mocap(TnWorld *world, TnBodyId body, const double pos[3],
                            const double quat[4], TnError *err)
{
    int link;
    return set_pose(world, body, pos, quat, err, &link);
}

TnStatus tn_world_place_mocap(TnWorld *world, TnBodyId body, const double pos[3],
                              const double quat[4], TnError *err)
{
    int link;
    TnStatus status = set_pose(world, body, pos, quat, err, &link);
    if (status != TN_OK) return status;
    tn_world_fetch(world);
    memcpy(world->state.mocap + 7 * (link - 1), world->state.mocap_target + 7 * (link - 1),
           sizeof(double[7]));
    if (world->state.asleep_count) tn_sleep_wake_all(world);
    tn_mocap_frame(world->state.mocap + 7 * (link - 1), &world->frames[link]);
    world->next_frames[link] = world->frames[link];
    memset(world->twists[link], 0, sizeof world->twists[link]);
    memset(world->state.mocap_twist + 6 * (link - 1), 0, sizeof world->twists[link]);
    tn_collider_forget(world->collider);
    tn_device_note_state(world, false);
    tn_spread_note_state(world);
    return TN_OK;
}

bool tn_world_mocap(const TnWorld *world, TnBodyId body, double pos[3], double quat[4])
{
    static const double none[7] = {0.0};
    int link = link_of(world, body);
    const double *pose = link ? world->state.mocap_target + 7 * (link - 1) : none;
    if (pos) v3_copy(pos, pose);
    if (quat) quat_copy(quat, pose + 3);
    return link != 0;
}

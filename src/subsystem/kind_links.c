/* kind_links.c: what subsystems with links have in common, and what free bodies and the segments of
 * rods have. */
#include "kind.h"

#include <math.h>

#include "../math/vec3.h"

const TnKind *tn_kind_of(const TnModel *model, int s)
{
    static const TnKind *const kinds[] = {[TN_SUBSYSTEM_RIGID] = &tn_kind_rigid,
                                          [TN_SUBSYSTEM_TREE] = &tn_kind_tree,
                                          [TN_SUBSYSTEM_ROD] = &tn_kind_rod,
                                          [TN_SUBSYSTEM_SOFT] = &tn_kind_soft};
    return kinds[model->subsystems[s].kind];
}

double tn_links_mass(const TnModel *model, int s)
{
    const TnSubsystem *sub = &model->subsystems[s];
    double mass = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        mass += model->links[l].mass;
    return mass;
}

double tn_links_kinetic(const TnModel *model, int s, const TnInstant *now)
{
    return tn_energy_of_links(model, &model->subsystems[s], now, false);
}

/* Of the weight that gravity compensation carries. */
static double carried_energy(const TnModel *model, int l, const TnLinkFrame *frame)
{
    const TnLink *link = &model->links[l];
    double h[3];
    if (link->lift == 0.0) return 0.0;
    m3_mul_v(h, frame->rot, link->lift_moment);
    v3_add_scaled(h, frame->pos, link->lift);
    return tn_energy_of_height(model, 1.0, h);
}

double tn_links_gravity(const TnModel *model, int s, const TnInstant *now)
{
    const TnSubsystem *sub = &model->subsystems[s];
    double sum = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        sum += tn_energy_of_height(model, model->links[l].mass, now->frames[l].com) -
               (model->has_lift ? carried_energy(model, l, &now->frames[l]) : 0.0);
    return sum;
}

double tn_links_fall(const TnModel *model, int s, const TnInstant *before, const TnInstant *after)
{
    const TnSubsystem *sub = &model->subsystems[s];
    double sum = 0.0, way[3];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        v3_sub(way, after->frames[l].com, before->frames[l].com);
        sum -= model->links[l].mass * v3_dot(model->option.gravity, way);
        if (model->has_lift)
            sum -= carried_energy(model, l, &after->frames[l]) -
                   carried_energy(model, l, &before->frames[l]);
    }
    return sum;
}

void tn_links_add_masses(const TnModel *model, int s, const TnInstant *now, const double at[3],
                         TnMassSums *sums)
{
    const TnSubsystem *sub = &model->subsystems[s];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        tn_masses_add_link(sums, &model->links[l], &now->frames[l], now->twists[l], at);
}

double tn_links_speed(const TnWorld *world, int s)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    double most = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const double *twist = world->twists[l];
        most = fmax(most, v3_norm(twist) + v3_norm(twist + 3) * world->groups->radius[l]);
    }
    return most;
}

const double *tn_links_start_velocity(const TnWorld *world, int s)
{
    return world->twists[world->model->subsystems[s].link_start]; /* one after the other */
}

void tn_links_find_way(const TnStep *step, int s, double p, double r)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const double *vhat = step->found.vhat + step->model->links[l].dof_start;
        for (int k = 0; k < 6; k++)
            step->found.moved[l][k] = p * vhat[k] - r * step->world->twists[l][k];
    }
}

void tn_links_change(const TnWorld *world, int s, const TnChange *change, double *v)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    for (int l = 0; l < sub->link_count; l++)
        tn_change_free(change, &world->next_frames[sub->link_start + l], v + 6L * l);
}

void tn_links_shift(const TnWorld *world, int s, const double way[3])
{
    const TnModel *model = world->model;
    const TnSubsystem *sub = &model->subsystems[s];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &model->links[l];
        double *q = world->next_qpos + model->joints[link->joint_start].qpos_start;
        if (link->parent == 0) v3_add(q, q, way);
    }
    /* from the coordinates, to the last bit: a restored state has nothing else */
    tn_kinematics_all(model, world->next_qpos, world->next_qvel, sub->link_start, sub->link_count,
                      world->next_frames, world->next_twists);
}

void tn_link_write_twist(const TnWorld *world, int index, const double twist[6], double *qvel)
{
    const TnLink *link = &world->model->links[index];
    const double *quat = world->next_qpos + world->model->joints[link->joint_start].qpos_start + 3;
    double arm[3], turn[3], back[4], *v = qvel + link->dof_start;
    quat_rotate(arm, quat, link->com);
    v3_cross(turn, twist + 3, arm);
    v3_sub(v, twist, turn);
    quat_conjugate(back, quat);
    quat_rotate(v + 3, back, twist + 3);
}

void tn_follow(int rows, int count, const double *T, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        y[r] = 0.0;
        for (int k = 0; k < count; k++) y[r] += T[r * count + k] * x[k];
    }
}

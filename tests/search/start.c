/* start.c: start velocities of a model's parts in qvel. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec3.h"

/* v + ω × (x - c) of a point; all in world axes. */
static void point_velocity(const Part *p, const double x[3], const double c[3], double v[3])
{
    double arm[3];
    v3_sub(arm, x, c);
    v3_cross(v, p->n + N_SPIN_X, arm);
    v3_add(v, v, p->n + N_VEL_X);
}

static void into_axes(const double quat[4], const double v[3], double out[3])
{
    double back[4];
    quat_conjugate(back, quat);
    quat_rotate(out, back, v);
}

static void body_start(const TnModel *model, const Part *p, int i, double *qvel)
{
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    TnJointInfo joint = tn_model_joint_info(model, tn_model_find_joint(model, name));
    double *v = qvel + joint.dof_start;
    if (p->joint == JOINT_FREE) memcpy(v, p->n + N_VEL_X, 6 * sizeof *v);
    if (p->joint == JOINT_BALL) memcpy(v, p->n + N_SPIN_X, 3 * sizeof *v);
    if (p->joint == JOINT_HINGE || p->joint == JOINT_SLIDE) v[0] = p->n[N_SPIN_X];
}

static void cable_start(const TnModel *model, const Part *p, int i, const double *poses,
                        double *qvel)
{
    char name[16];
    snprintf(name, sizeof name, "c%d", i);
    TnRodInfo rod = tn_model_rod_info(model, tn_model_find_rod(model, name));
    for (int k = 0; k < rod.segment_count; k++) {
        const double *pose = poses + 7 * (rod.body + k - 1);
        TnJointId id = 1;
        while (tn_model_joint_info(model, id).body != rod.body + k) id++;
        double *v = qvel + tn_model_joint_info(model, id).dof_start;
        point_velocity(p, pose, p->n + N_X, v);
        into_axes(pose + 3, p->n + N_SPIN_X, v + 3);
    }
}

static void soft_start(const TnModel *model, const Part *p, int i, double *qvel)
{
    char name[16];
    snprintf(name, sizeof name, "s%d", i);
    TnSoftInfo soft = tn_model_soft_info(model, tn_model_find_soft(model, name));
    for (int k = 0; k < soft.node_count; k++)
        point_velocity(p, soft.rest + 3 * k, p->n + N_X, qvel + soft.dof_start + 3 * k);
}

void sketch_start(const Sketch *s, const TnModel *model, double *qvel)
{
    TnModelInfo info = tn_model_info(model);
    double *poses = calloc(7 * (size_t)info.body_count, sizeof *poses);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, NULL);
    for (int b = 0; world && b < info.body_count; b++)
        tn_world_body_pose(world, b + 1, poses + 7 * b, poses + 7 * b + 3);
    tn_world_destroy(world);
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        if (p->kind == PART_BODY) body_start(model, p, i, qvel);
        if (p->kind == PART_CABLE) cable_start(model, p, i, poses, qvel);
        if (p->kind == PART_SOFT) soft_start(model, p, i, qvel);
    }
    free(poses);
}

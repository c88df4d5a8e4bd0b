/* motion.h: helpers of the dynamics tests: repeatable random models, and stepping a model without
 * any constraint. */
#ifndef TN_TESTS_MOTION_H
#define TN_TESTS_MOTION_H

#include "../check.h"

#include <tenon/tenon.h>

#include "account/energy.h"
#include "math/vec3.h"
#include "subsystem/dynamics.h"

/* ---- repeatable random numbers ---- */
typedef struct Random {
    uint64_t state;
} Random;

static inline double uniform(Random *r, double low, double high)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(r->state >> 11) / 9007199254740992.0;
}

static inline void random_vector(Random *r, double size, double *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = uniform(r, -size, size);
}

static inline void random_quat(Random *r, double q[4])
{
    do random_vector(r, 1.0, q, 4);
    while (q[0] * q[0] + v3_dot(q + 1, q + 1) < 0.1);
    quat_normalize(q);
}

/* ---- models ---- */
static inline TnModel *finish(TnModelBuilder *builder)
{
    TnError err = {0};
    TnModel *model = tn_builder_compile(builder, &err);
    if (!model) test_fail(__FILE__, __LINE__, "compile: %s", err.message);
    tn_builder_destroy(builder);
    return model;
}

static inline TnModelBuilder *start(double gx, double gy, double gz)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    v3_set(option.gravity, gx, gy, gz);
    tn_builder_set_option(builder, &option, (TnSource){0});
    return builder;
}

static inline TnBodyId add_body(TnModelBuilder *builder, TnBodyId parent, double x, double y,
                                double z, double mass, double cx, double cy, double cz, double ix,
                                double iy, double iz)
{
    TnBodyDef def = tn_body_def();
    def.parent = parent;
    v3_set(def.pos, x, y, z);
    def.has_inertia = true;
    def.mass = mass;
    v3_set(def.inertia_pos, cx, cy, cz);
    v3_set(def.inertia, ix, iy, iz);
    return tn_builder_add_body(builder, &def);
}

static inline TnJointDef joint_on(TnBodyId body, TnJointType type, double ax, double ay, double az)
{
    TnJointDef def = tn_joint_def();
    def.body = body;
    def.type = type;
    v3_set(def.axis, ax, ay, az);
    return def;
}

/* A tree with branches, fixed bodies, all joint types, several joints on a body, anchors off the
 * origin and armature. */
static inline TnModel *random_tree(uint64_t seed, int body_count, bool free_root)
{
    static const TnJointType single[] = {TN_JOINT_HINGE, TN_JOINT_SLIDE, TN_JOINT_BALL};
    Random r = {seed};
    double gravity[3];
    random_vector(&r, 10.0, gravity, 3);
    TnModelBuilder *builder = start(gravity[0], gravity[1], gravity[2]);
    TnBodyId ids[64];
    for (int i = 0; i < body_count; i++) {
        TnBodyDef def = tn_body_def();
        int parent = uniform(&r, 0.0, 1.0) < 0.6 ? i - 1 : (int)uniform(&r, 0.0, (double)i);
        def.parent = i == 0 ? TN_BODY_WORLD : ids[parent];
        random_vector(&r, 0.5, def.pos, 3);
        random_quat(&r, def.quat);
        def.has_inertia = true;
        def.mass = uniform(&r, 0.5, 2.0);
        random_vector(&r, 0.3, def.inertia_pos, 3);
        random_quat(&r, def.inertia_quat);
        for (int k = 0; k < 3; k++) def.inertia[k] = uniform(&r, 0.05, 0.09);
        ids[i] = tn_builder_add_body(builder, &def);
        int joints = i == 0 && free_root                     ? 1
                     : i > 0 && uniform(&r, 0.0, 1.0) < 0.15 ? 0
                                                             : (int)uniform(&r, 1.0, 3.999);
        for (int j = 0; j < joints; j++) {
            TnJointDef joint = tn_joint_def();
            joint.body = ids[i];
            joint.type = i == 0 && free_root
                             ? TN_JOINT_FREE
                             : single[(int)uniform(&r, 0.0, joints > 1 ? 1.999 : 2.999)];
            if (joint.type != TN_JOINT_FREE) random_vector(&r, 0.3, joint.pos, 3);
            random_vector(&r, 1.0, joint.axis, 3);
            if (joint.type == TN_JOINT_HINGE || joint.type == TN_JOINT_SLIDE)
                joint.ref = uniform(&r, -0.5, 0.5);
            if (joint.type != TN_JOINT_FREE) joint.armature = uniform(&r, 0.0, 0.05);
            tn_builder_add_joint(builder, &joint);
        }
    }
    return finish(builder);
}

/* A random configuration and velocity of any model. */
static inline void random_state(const TnModel *model, Random *r, double speed, double *qpos,
                                double *qvel)
{
    random_vector(r, 1.0, qpos, model->qpos_count);
    random_vector(r, speed, qvel, model->dof_count);
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        if (joint->type == TN_JOINT_BALL) random_quat(r, qpos + joint->qpos_start);
        if (joint->type == TN_JOINT_FREE) random_quat(r, qpos + joint->qpos_start + 3);
    }
}

/* ---- unconstrained motion ---- */
typedef struct Motion {
    const TnModel *model;
    double t, theta;
    int passes;
    double *qpos, *qvel, *ctrl;
    double (*wrench)[6];
    TnLinkFrame *frames;
    TnArena arena;
    bool failed;
} Motion;

static inline Motion motion_start(const TnModel *model, double t)
{
    Motion m = {.model = model, .t = t, .theta = 0.5, .passes = 3};
    m.qpos = malloc(sizeof(double) * (size_t)(model->qpos_count + 1));
    m.qvel = calloc((size_t)model->dof_count + 1, sizeof(double));
    m.ctrl = calloc((size_t)model->actuator_count + 1, sizeof(double));
    m.wrench = calloc((size_t)model->link_count, sizeof *m.wrench);
    m.frames = malloc(sizeof(TnLinkFrame) * (size_t)model->link_count);
    memcpy(m.qpos, model->qpos0, sizeof(double) * (size_t)model->qpos_count);
    if (!tn_arena_init(&m.arena, "test", 1 << 16)) m.failed = true;
    tn_kinematics(model, m.qpos, 0, model->link_count, m.frames);
    return m;
}

static inline void motion_end(Motion *m)
{
    if (m->failed) test_fail(__FILE__, __LINE__, "a step could not be assembled");
    free(m->qpos);
    free(m->qvel);
    free(m->ctrl);
    free(m->wrench);
    free(m->frames);
    tn_arena_free(&m->arena);
}

static inline TnDynamicsInput motion_input(const Motion *m)
{
    return (TnDynamicsInput){.model = m->model,
                             .t = m->t,
                             .theta = m->theta,
                             .passes = m->passes,
                             .qpos = m->qpos,
                             .qvel = m->qvel,
                             .inputs = m->ctrl,
                             .wrench = (const double(*)[6])m->wrench};
}

/* From the motion's arena. */
static inline bool motion_tree(Motion *m, const TnDynamicsInput *in, const TnSubsystem *sub,
                               TnTreeSystem *out)
{
    return tn_tree_reserve(m->model, sub, &m->arena, out) &&
           tn_tree_assemble(in, sub, m->frames, &m->arena, out);
}

static inline void motion_step(Motion *m)
{
    TnDynamicsInput in = motion_input(m);
    const TnModel *model = m->model;
    tn_kinematics(model, m->qpos, 0, model->link_count, m->frames);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID) {
            TnRigidSystem system;
            tn_rigid_assemble(&in, sub->link_start, &m->frames[sub->link_start], &system);
            double way[6];
            tn_rigid_way(&in, system.v, system.v_free, 0.0, 1.0, way);
            tn_rigid_advance(&in, sub->link_start, &m->frames[sub->link_start], &system,
                             system.v_free, way, m->qpos, m->qvel);
        } else {
            size_t mark = tn_arena_mark(&m->arena);
            TnTreeSystem tree;
            if (!motion_tree(m, &in, sub, &tree))
                m->failed = true;
            else
                tn_tree_advance(&in, sub, &tree, tree.v_free, tree.w, 1.0, m->qpos, m->qvel);
            tn_arena_release(&m->arena, mark);
        }
    }
    tn_kinematics(model, m->qpos, 0, model->link_count, m->frames);
}

static inline void motion_run(Motion *m, double duration)
{
    long steps = lround(duration / m->t);
    for (long k = 0; k < steps; k++) motion_step(m);
}

static inline double motion_energy(const Motion *m)
{
    TnEnergy e = tn_model_energy(m->model, m->qpos, m->qvel, m->frames);
    return e.kinetic + e.potential;
}

#endif

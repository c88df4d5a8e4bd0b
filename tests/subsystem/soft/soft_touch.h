/* soft_touch.h: soft bodies among rigid ones by the public calls only, for the tests of contact,
 * friction and holding. */
#ifndef TN_TESTS_STEP_SOFT_TOUCH_H
#define TN_TESTS_STEP_SOFT_TOUCH_H

#include "../../check.h"

#include <tenon/tenon.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81

typedef struct Touch {
    TnModelBuilder *builder;
    TnOption option;
    TnWorldDef def;
    TnModel *model;
    TnWorld *world;
} Touch;

static inline Touch touch_begin(double timestep)
{
    Touch touch = {.builder = tn_builder_create(), .option = tn_option(), .def = tn_world_def()};
    touch.option.timestep = timestep;
    touch.def.solver.tolerance = 0.0; /* 60 iterations: enough for what is claimed */
    return touch;
}

/* Gravity as on a slope that falls along x. */
static inline void touch_slope(Touch *touch, double angle)
{
    touch->option.gravity[0] = GRAVITY * sin(angle);
    touch->option.gravity[2] = -GRAVITY * cos(angle);
}

static inline TnGeomDef touch_geom(TnGeomType type, double x, double y, double z)
{
    TnGeomDef geom = tn_geom_def();
    geom.body = TN_BODY_WORLD;
    geom.type = type;
    geom.size[0] = x, geom.size[1] = y, geom.size[2] = z;
    geom.friction[0] = 0; /* a pair takes the larger one */
    return geom;
}

static inline TnGeomId touch_floor(Touch *touch)
{
    TnGeomDef geom = touch_geom(TN_GEOM_PLANE, 0, 0, 0);
    return tn_builder_add_geom(touch->builder, &geom);
}

/* A body with one joint (none where the type is -1) and one box. */
static inline TnBodyId touch_box(Touch *touch, int joint_type, const double half[3], double mass,
                                 const double pos[3])
{
    TnBodyDef body = tn_body_def();
    memcpy(body.pos, pos, sizeof body.pos);
    TnBodyId id = tn_builder_add_body(touch->builder, &body);
    if (joint_type >= 0) {
        TnJointDef joint = tn_joint_def();
        joint.body = id;
        joint.type = (TnJointType)joint_type;
        tn_builder_add_joint(touch->builder, &joint);
    }
    TnGeomDef geom = touch_geom(TN_GEOM_BOX, half[0], half[1], half[2]);
    geom.body = id;
    geom.mass = mass;
    tn_builder_add_geom(touch->builder, &geom);
    return id;
}

/* A block of cells of six elements; to be given to tn_builder_add_soft, and its mesh freed. */
static inline TnSoftDef touch_block(const double half[3], const int cells[3], double z)
{
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    if (!tn_tet_mesh_box(half, cells, 6, &soft.mesh, &err))
        test_fail(__FILE__, __LINE__, "%s", err.message);
    soft.pos[2] = z;
    soft.friction[0] = 0;
    return soft;
}

static inline TnSoftId touch_add(Touch *touch, TnSoftDef *soft)
{
    TnSoftId id = tn_builder_add_soft(touch->builder, soft);
    tn_tet_mesh_free(&soft->mesh);
    return id;
}

static inline bool touch_finish(Touch *touch)
{
    TnError err = {0};
    tn_builder_set_option(touch->builder, &touch->option, (TnSource){0});
    touch->model = tn_builder_compile(touch->builder, &err);
    tn_builder_destroy(touch->builder);
    touch->world = tn_world_create(&touch->def, touch->model, &err);
    if (!touch->world) test_fail(__FILE__, __LINE__, "%s", err.message);
    return touch->world != NULL;
}

static inline void touch_end(Touch *touch)
{
    tn_world_destroy(touch->world);
    tn_model_destroy(touch->model);
}

static inline TnStepReport touch_step(Touch *touch)
{
    TnStepReport report = tn_world_step(touch->world);
    if (report.diverged) test_fail(__FILE__, __LINE__, "step refused");
    return report;
}

/* All nodes of all soft bodies get this velocity. */
static inline void touch_throw(Touch *touch, double x, double y, double z)
{
    TnStateView state = tn_world_state(touch->world);
    TnModelInfo info = tn_model_info(touch->model);
    double *qvel = calloc((size_t)state.dof_count, sizeof *qvel);
    TnError err = {0};
    memcpy(qvel, state.qvel, (size_t)state.dof_count * sizeof *qvel);
    for (TnSoftId id = 1; id <= info.soft_count; id++) {
        TnSoftInfo soft = tn_model_soft_info(touch->model, id);
        for (int i = 0; i < soft.node_count; i++) {
            double *v = qvel + soft.dof_start + 3 * i;
            v[0] = x, v[1] = y, v[2] = z;
        }
    }
    if (tn_world_set_state(touch->world, state.qpos, qvel, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
    free(qvel);
}

/* Centre of mass and its velocity. */
static inline void touch_centre(const Touch *touch, TnSoftId id, double x[3], double v[3])
{
    TnSoftInfo soft = tn_model_soft_info(touch->model, id);
    TnStateView state = tn_world_state(touch->world);
    for (int k = 0; k < 3; k++) {
        double sx = 0, sv = 0;
        for (int i = 0; i < soft.node_count; i++) {
            sx += soft.node_masses[i] * state.qpos[soft.qpos_start + 3 * i + k];
            sv += soft.node_masses[i] * state.qvel[soft.dof_start + 3 * i + k];
        }
        if (x) x[k] = sx / soft.mass;
        if (v) v[k] = sv / soft.mass;
    }
}

/* Largest speed of its nodes along an axis. */
static inline double touch_fastest(const Touch *touch, TnSoftId id, int axis)
{
    TnSoftInfo soft = tn_model_soft_info(touch->model, id);
    TnStateView state = tn_world_state(touch->world);
    double most = 0;
    for (int i = 0; i < soft.node_count; i++)
        most = fmax(most, fabs(state.qvel[soft.dof_start + 3 * i + axis]));
    return most;
}

/* Sum of the contact forces on a geom, N. */
static inline void touch_force(const Touch *touch, TnGeomId geom, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int i = 0; i < tn_world_contact_count(touch->world); i++) {
        TnContact contact = tn_world_contact(touch->world, i);
        double sign = contact.geom2 == geom ? 1 : contact.geom1 == geom ? -1 : 0;
        for (int k = 0; k < 3; k++) sum[k] += sign * contact.force[k];
    }
}

#endif

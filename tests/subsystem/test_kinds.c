/* The table of kinds: masses, momenta and energies that kinds answer for themselves agree with what
 * a whole model has. */
#include "../check.h"

#include "../step/scene.h"

#include "base/base.h"
#include "math/vec3.h"
#include "subsystem/kind.h"

/* Sums of some hundred terms, each rounded. */
#define ROUNDING 1e-11

static void add_floating_arm(Scene *scene)
{
    TnBodyId base = scene_free(scene, TN_GEOM_BOX, (const double[3]){0.1, 0.2, 0.05}, 2.0,
                               (const double[3]){2.0, 0.0, 1.0}, 0.5, 0.0);
    TnBodyDef body = tn_body_def();
    body.parent = base;
    body.pos[0] = 0.3;
    TnBodyId arm = tn_builder_add_body(scene->builder, &body);
    TnGeomDef geom = tn_geom_def();
    geom.body = arm;
    geom.type = TN_GEOM_SPHERE;
    geom.size[0] = 0.1;
    geom.mass = 0.7;
    geom.pos[0] = 0.2;
    tn_builder_add_geom(scene->builder, &geom);
    TnJointDef joint = tn_joint_def();
    joint.body = arm;
    joint.type = TN_JOINT_HINGE;
    tn_builder_add_joint(scene->builder, &joint);
}

/* One subsystem of each kind, far from each other. */
static TnModel *four_kinds(bool consistent)
{
    Scene scene = scene_begin();
    TnError err = {0};
    scene_free(&scene, TN_GEOM_BOX, (const double[3]){0.1, 0.2, 0.3}, 1.5,
               (const double[3]){0.0, 0.0, 1.0}, 0.5, 0.0);
    add_floating_arm(&scene);
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 5;
    rod.start[0] = 4.0;
    rod.end[0] = 4.5;
    rod.start[2] = rod.end[2] = 1.0;
    tn_builder_add_rod(scene.builder, &rod);
    TnSoftDef soft = tn_soft_def();
    CHECK(tn_tet_mesh_box((const double[3]){0.1, 0.1, 0.2}, (const int[3]){2, 2, 3}, 6, &soft.mesh,
                          &err));
    soft.pos[0] = 6.0;
    soft.pos[2] = 1.0;
    soft.consistent_mass = consistent;
    tn_builder_add_soft(scene.builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
    return scene_compile(&scene);
}

/* Moving anyhow, with a step's new state that is the same. */
static TnWorld *moving_world(const TnModel *model)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) return NULL;
    for (int d = 0; d < model->dof_count; d++) world->state.qvel[d] = sin(1.0 + 2.3 * d);
    tn_world_update_frames(world, NULL, 0);
    memcpy(world->next_qpos, world->state.qpos, sizeof(double) * (size_t)model->qpos_count);
    memcpy(world->next_qvel, world->state.qvel, sizeof(double) * (size_t)model->dof_count);
    memcpy(world->next_frames, world->frames, sizeof(TnLinkFrame) * (size_t)model->link_count);
    memcpy(world->next_twists, world->twists, sizeof(double[6]) * (size_t)model->link_count);
    return world;
}

static void change(TnWorld *world, int s, const TnChange *c)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    tn_kind_of(world->model, s)->change(world, s, c, world->next_qvel + sub->dof_start);
    tn_kinematics_twists(world->model, world->next_qpos, world->next_qvel, world->next_frames,
                         sub->link_start, sub->link_count, world->next_twists);
}

TEST(every_kind_answers_what_must_be_answered)
{
    TnModel *model = four_kinds(false);
    REQUIRE(model);
    CHECK(model->subsystem_count == 4);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnKind *kind = tn_kind_of(model, s);
        CHECK(model->subsystems[s].kind == (TnSubsystemKind)s);
        CHECK(kind->mass && kind->kinetic && kind->gravity && kind->fall && kind->add_masses);
        CHECK(kind->speed && kind->start_velocity && kind->gather && kind->velocity);
        CHECK(kind->is_solved && kind->find_way && kind->advance && kind->change && kind->shift);
    }
    tn_model_destroy(model);
}

TEST(masses_and_momenta_of_kinds_add_up_to_the_models)
{
    for (int consistent = 0; consistent < 2; consistent++) {
        TnModel *model = four_kinds(consistent);
        REQUIRE(model);
        TnWorld *world = moving_world(model);
        REQUIRE(world);
        TnInstant now = tn_world_now(world);
        TnMassSums sums = {0};
        const double origin[3] = {0.0};
        double mass = 0.0, P[3], L[3];
        for (int s = 0; s < model->subsystem_count; s++) {
            mass += tn_kind_of(model, s)->mass(model, s);
            tn_kind_of(model, s)->add_masses(model, s, &now, origin, &sums);
        }
        tn_model_momentum(model, now.qpos, now.qvel, now.frames, P, L);
        CHECK(fabs(mass - model->total_mass) < ROUNDING * mass);
        CHECK(fabs(sums.mass - mass) < ROUNDING * mass);
        for (int k = 0; k < 3; k++) {
            CHECK(fabs(sums.P[k] - P[k]) < ROUNDING * v3_norm(P));
            CHECK(fabs(sums.L[k] - L[k]) < ROUNDING * v3_norm(L));
        }
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(velocities_of_every_kind_can_be_scaled_and_freed_of_their_rigid_motion)
{
    for (int s = 0; s < 4; s++) {
        TnModel *model = four_kinds(false);
        REQUIRE(model);
        TnWorld *world = moving_world(model);
        REQUIRE(world);
        const TnKind *kind = tn_kind_of(model, s);
        TnInstant next = tn_world_next(world);
        double before = kind->kinetic(model, s, &next);
        change(world, s, &(TnChange){0.5, NULL, NULL});
        CHECK(fabs(kind->kinetic(model, s, &next) - 0.25 * before) < ROUNDING * before);

        const double origin[3] = {0.0};
        TnMassSums sums = {0}, left = {0};
        TnRigidMotion whole;
        kind->add_masses(model, s, &next, origin, &sums);
        double P = v3_norm(sums.P);
        REQUIRE(tn_masses_rigid_part(&sums, origin, &whole));
        double L = v3_norm(sums.L);
        change(world, s, &(TnChange){1.0, &whole, NULL});
        kind->add_masses(model, s, &next, whole.centre, &left);
        CHECK(P > 0.0 && L > 0.0);
        CHECK(v3_norm(left.P) < ROUNDING * P && v3_norm(left.L) < ROUNDING * fmax(L, P));
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(a_shift_moves_all_of_a_subsystem_against_gravity)
{
    const double way[3] = {0.3, -0.2, 0.5};
    for (int s = 0; s < 4; s++) {
        TnModel *model = four_kinds(false);
        REQUIRE(model);
        TnWorld *world = moving_world(model);
        REQUIRE(world);
        const TnKind *kind = tn_kind_of(model, s);
        const TnSubsystem *sub = &model->subsystems[s];
        TnInstant now = tn_world_now(world), next = tn_world_next(world);
        kind->shift(world, s, way);
        double work = -kind->mass(model, s) * v3_dot(model->option.gravity, way);
        double fall = kind->fall(model, s, &now, &next);
        double gained = kind->gravity(model, s, &next) - kind->gravity(model, s, &now);
        CHECK(work > 0.0 && fabs(fall - work) < ROUNDING * work);
        CHECK(fabs(gained - work) < ROUNDING * work);
        /* the links' frames are those of the shifted coordinates */
        TnLinkFrame *frames = calloc((size_t)model->link_count, sizeof *frames);
        REQUIRE(frames);
        tn_kinematics(model, next.qpos, 0, model->link_count, frames);
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            for (int k = 0; k < 3; k++)
                CHECK(fabs(frames[l].com[k] - next.frames[l].com[k]) < ROUNDING);
        free(frames);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

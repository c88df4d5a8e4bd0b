/* Scenes and frames: what a model shows, and that looking at a world never changes it. */
#include "../step/scene.h"

#include "../check.h"
#include "base/base.h"
#include "recorded.h"

/* A box and a ball that fall on a plane. */
static TnModel *falling_things(void)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.8);
    scene_free(&scene, TN_GEOM_BOX, (double[]){0.2, 0.1, 0.05}, 1, (double[]){0, 0, 0.052}, 0.8, 0);
    scene_free(&scene, TN_GEOM_SPHERE, (double[]){0.1, 0, 0}, 1, (double[]){1, 0, 0.11}, 0.8, 0);
    return scene_compile(&scene);
}

TEST(a_scene_shows_the_shapes_of_its_model_and_outlives_it)
{
    TnError err = {0};
    TnModel *model = falling_things();
    TnScene *scene = tn_scene_create(model, &err);
    REQUIRE(model && scene);
    double timestep = tn_model_info(model).option.timestep;
    tn_model_destroy(model);
    CHECK(scene->timestep == timestep && scene->body_count == 3 && scene->shape_count == 3);
    CHECK(scene->shapes[0].type == TN_GEOM_PLANE && scene->shapes[0].body == TN_BODY_WORLD);
    CHECK(scene->shapes[1].type == TN_GEOM_BOX && scene->shapes[1].size[1] == 0.1);
    CHECK(scene->shapes[2].type == TN_GEOM_SPHERE && scene->shapes[2].body == 3);
    CHECK(scene->bodies[0].subsystem == 0 && scene->bodies[2].subsystem == 2);
    CHECK(scene->joint_count == 2 && scene->joints[1].type == TN_JOINT_FREE);
    CHECK(scene->tube_count == 0 && scene->surface_count == 0 && scene->point_count == 0);
    tn_scene_destroy(scene);
}

TEST(a_frame_holds_what_the_world_tells)
{
    TnError err = {0};
    TnModel *model = falling_things();
    TnWorld *world = scene_world(model, 60);
    TnScene *scene = tn_scene_create(model, &err);
    TnFrame *frame = tn_frame_create(scene, &err);
    REQUIRE(frame && world);
    CHECK(frame->poses[3] == 1 && frame->poses[7 + 3] == 1); /* at the origin until captured */
    TnStepReport report = {0};
    for (int k = 0; k < 20; k++) report = tn_world_step(world);
    CHECK(tn_frame_capture(frame, world, &report, true, &err) == TN_OK);
    CHECK(frame->step == 20 && frame->time == tn_world_state(world).time);
    for (TnBodyId id = 1; id <= 3; id++) {
        double pos[3], quat[4];
        tn_world_body_pose(world, id, pos, quat);
        CHECK(!memcmp(frame->poses + 7 * (id - 1), pos, sizeof pos));
        CHECK(!memcmp(frame->poses + 7 * (id - 1) + 3, quat, sizeof quat));
    }
    CHECK(frame->contact_count == tn_world_contact_count(world) && frame->contact_count >= 5);
    TnContact contact = tn_world_contact(world, 2);
    CHECK(!memcmp(frame->contacts[2].force, contact.force, sizeof contact.force));
    CHECK(frame->iterations == report.iterations && frame->residual == report.residual);
    CHECK(frame->kinetic == tn_world_energy(world).kinetic);
    CHECK(frame->qpos_count == 14 && frame->dof_count == 12 && frame->ctrl_count == 0);
    CHECK(!memcmp(frame->qpos, tn_world_state(world).qpos, 14 * sizeof(double)));
    CHECK(!memcmp(frame->qvel, tn_world_state(world).qvel, 12 * sizeof(double)));
    CHECK(tn_frame_capture(frame, world, NULL, false, &err) == TN_OK);
    CHECK(frame->iterations == 0 && frame->residual == 0 && frame->qpos == NULL);
    CHECK(frame->qpos_count == 0 && frame->dof_count == 0);
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* A ball, and a cable of ten segments of 0.1 m. */
static TnModel *ball_and_cable(void)
{
    Scene scene = scene_begin();
    scene_free(&scene, TN_GEOM_SPHERE, (double[]){0.1, 0, 0}, 1, (double[]){0, 1, 1}, 0.8, 0);
    TnRodDef rod = tn_rod_def();
    rod.start[2] = rod.end[2] = 1;
    rod.end[0] = 1;
    rod.segment_count = 10;
    tn_builder_add_rod(scene.builder, &rod);
    return scene_compile(&scene);
}

static bool shows(const TnScene *scene, const int bodies[12], const int points[11])
{
    bool same = scene->body_count == 12 && scene->point_count == 11;
    for (int i = 0; same && i < 12; i++) same = scene->bodies[i].subsystem == bodies[i];
    for (int i = 0; same && i < 11; i++) same = scene->point_subsystems[i] == points[i];
    return same;
}

TEST(a_scene_of_a_world_has_the_subsystems_that_the_world_is_divided_into)
{
    TnError err = {0};
    TnModel *model = ball_and_cable();
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    def.division = (TnDivisionDef){.kind = TN_DIVISION_PAPER};
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    TnScene *whole = tn_scene_create(model, &err), *divided = tn_scene_create_of(world, &err);
    REQUIRE(whole && divided);
    for (TnBodyId id = 1; id <= 12; id++)
        CHECK(divided->bodies[id - 1].subsystem == tn_world_body_subsystem(world, id) + 1);
    tn_world_destroy(world);
    tn_model_destroy(model);
    CHECK(shows(whole, (int[]){0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                (int[]){2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
    /* a point has the number of the segment that begins there, the last one that of the last
     * segment */
    CHECK(shows(divided, (int[]){0, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4},
                (int[]){2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4}));
    tn_scene_destroy(whole);
    tn_scene_destroy(divided);
}

/* The hash after 40 steps, watched or recorded after each, or left alone. */
static uint64_t hash_of_run(const TnModel *model, bool watch, const char *path)
{
    TnError err = {0};
    TnWorld *world = scene_world(model, 60);
    TnScene *scene = tn_scene_create(model, &err);
    TnFrame *frame = tn_frame_create(scene, &err);
    TnRecorderDef def = tn_recorder_def();
    TnRecorder *recorder = path ? tn_recorder_create(&def, path, scene, &err) : NULL;
    for (int k = 0; k < 40; k++) {
        TnStepReport report = tn_world_step(world);
        if (watch) CHECK(tn_frame_capture(frame, world, &report, true, &err) == TN_OK);
        if (recorder) CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK);
    }
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    uint64_t hash = tn_world_hash(world);
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    tn_world_destroy(world);
    return hash;
}

TEST(looking_and_recording_do_not_change_the_simulation)
{
    Place place = recorded_place();
    TnModel *model = falling_things();
    REQUIRE(model);
    uint64_t alone = hash_of_run(model, false, NULL);
    CHECK(hash_of_run(model, true, NULL) == alone);
    CHECK(hash_of_run(model, true, place.path) == alone);
    tn_model_destroy(model);
    recorded_leave(&place);
}

/* Two frames of the scene with everything. */
static void two_frames(TnFrame **a, TnFrame **b, TnFrame **out)
{
    TnError err = {0};
    TnScene scene = recorded_scene();
    *a = tn_frame_create(&scene, &err);
    *b = tn_frame_create(&scene, &err);
    *out = tn_frame_create(&scene, &err);
    recorded_fill(*a, 3, true);
    recorded_fill(*b, 4, true);
}

static void destroy_frames(TnFrame *a, TnFrame *b, TnFrame *out)
{
    tn_frame_destroy(a);
    tn_frame_destroy(b);
    tn_frame_destroy(out);
}

TEST(a_copy_has_everything)
{
    TnError err = {0};
    TnFrame *a, *b, *out;
    two_frames(&a, &b, &out);
    CHECK(tn_frame_copy(out, b, &err) == TN_OK); /* more of everything first */
    CHECK(tn_frame_copy(out, a, &err) == TN_OK);
    CHECK(out->time == a->time && out->step == a->step && out->iterations == a->iterations);
    CHECK(out->residual == a->residual && out->kinetic == a->kinetic);
    CHECK(out->times.total == a->times.total && out->max_penetration == a->max_penetration);
    CHECK(!memcmp(out->poses, a->poses, 7 * BODIES * sizeof(double)));
    CHECK(!memcmp(out->points, a->points, 3 * POINTS * sizeof(float)));
    CHECK(out->contact_count == a->contact_count);
    for (int i = 0; i < a->contact_count; i++) CHECK(out->contacts[i].gap == a->contacts[i].gap);
    CHECK(!memcmp(out->qpos, a->qpos, (QPOS + DOF + CTRL) * sizeof(double)));
    CHECK(out->qvel == out->qpos + QPOS && out->ctrl == out->qvel + DOF);
    destroy_frames(a, b, out);
}

TEST(a_blend_is_in_between_and_takes_the_rest_from_the_nearer)
{
    TnError err = {0};
    TnFrame *a, *b, *out;
    two_frames(&a, &b, &out);
    CHECK(tn_frame_blend(out, a, b, 0.25, &err) == TN_OK);
    /* one rounding or two */
    CHECK_NEAR(out->time, 0.75 * a->time + 0.25 * b->time, 1e-15);
    for (int k = 7; k < 10; k++)
        CHECK_NEAR(out->poses[k], 0.75 * a->poses[k] + 0.25 * b->poses[k], 1e-15);
    CHECK_NEAR((double)out->points[5], 0.75 * (double)a->points[5] + 0.25 * (double)b->points[5],
               1e-6); /* float32 at 1.5 m */
    const double *q = out->poses + 7 + 3;
    CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-15);
    CHECK(out->step == a->step && out->contact_count == a->contact_count);
    CHECK(tn_frame_blend(out, a, b, 0.75, &err) == TN_OK);
    CHECK(out->step == b->step && out->contact_count == b->contact_count);
    CHECK(out->qpos[3] == b->qpos[3]);
    destroy_frames(a, b, out);
}

TEST(a_blend_of_rotations_goes_the_shorter_way)
{
    TnError err = {0};
    TnFrame *a, *b, *out;
    two_frames(&a, &b, &out);
    /* a turn by 0.2 rad about z, its end as the other of the two quaternions */
    double begin[4] = {1, 0, 0, 0}, end[4] = {-cos(0.1), 0, 0, -sin(0.1)};
    memcpy(a->poses + 10, begin, sizeof begin);
    memcpy(b->poses + 10, end, sizeof end);
    CHECK(tn_frame_blend(out, a, b, 0.5, &err) == TN_OK);
    CHECK_NEAR(fabs(out->poses[10]), cos(0.05), 1e-15);
    CHECK_NEAR(fabs(out->poses[13]), sin(0.05), 1e-15);
    destroy_frames(a, b, out);
}

TEST(without_memory_scenes_and_frames_are_errors_and_leak_nothing)
{
    TnModel *model = falling_things();
    TnWorld *world = scene_world(model, 60);
    REQUIRE(model && world);
    TnStepReport report = tn_world_step(world);
    int failures = 0;
    for (long k = 0; k < 100; k++) {
        TnError err = {0};
        tn_malloc_fail_after(k);
        TnScene *scene = tn_scene_create(model, &err);
        TnFrame *frame = scene ? tn_frame_create(scene, &err) : NULL;
        TnFrame *copy = frame ? tn_frame_create(scene, &err) : NULL;
        TnStatus status = err.code;
        if (copy) status = tn_frame_capture(frame, world, &report, true, &err);
        if (copy && status == TN_OK) status = tn_frame_copy(copy, frame, &err);
        tn_malloc_fail_after(-1);
        tn_frame_destroy(copy);
        tn_frame_destroy(frame);
        tn_scene_destroy(scene);
        if (status == TN_OK) break;
        CHECK(status == TN_ERROR_MEMORY && err.code == TN_ERROR_MEMORY && err.count == 1);
        failures++;
    }
    CHECK(failures > 8 &&
          failures < 100); /* one scene, two frames of three pieces, 2 × 2 for more */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

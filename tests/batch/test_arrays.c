/* Arrays of all worlds: each row against the same question to a lone world, bit for bit, and what
 * contacts push on bodies against their weight. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <tenon/batch.h>

#include "../check.h"
#include "../step/text_scene.h"

enum { COUNT = 5, ROOM = 3, EACH = 4 };

static const char *const scene =
    "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='box' pos='0.3 0.02 0.0999'><freejoint/><geom type='box' size='0.1 0.1 0.1'/>"
    "<site name='top' pos='0 0.02 0.1'/></body>"
    "<body name='ball' pos='0.35 0 0.2999'><freejoint/><geom size='0.1'/></body>"
    "<body name='arm' pos='0 0 0.5'><joint name='j' axis='0 1 0' damping='0.1'/>"
    "<geom type='capsule' fromto='0 0 0 0.2 0 0' size='0.03'/><site name='tip' pos='0.2 0 0'/>"
    "</body></worldbody><actuator><position joint='j' kp='3'/></actuator>"
    "<sensor><jointpos joint='j'/><accelerometer site='tip'/></sensor></mujoco>";

static TnBatch *make_batch(const TnModel *model, int threads)
{
    TnError err = {0};
    TnBatchDef def = tn_batch_def();
    def.count = COUNT;
    def.thread_count = threads;
    TnBatch *batch = tn_batch_create(&def, model, &err);
    if (!batch) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnBatchView view = tn_batch_view(batch);
    for (int i = 0; i < COUNT; i++) {
        view.qvel[i * view.dof_count] = 0.1 * i;
        view.ctrl[i] = 0.2 * i;
    }
    for (int k = 0; k < 30; k++) CHECK(tn_batch_step(batch, NULL, &err) == TN_OK);
    return batch;
}

/* Everything, and one number more behind each array that must stay. */
typedef struct All {
    double body_poses[COUNT * 4 * 7 + 1], body_velocities[COUNT * 4 * 6 + 1];
    double body_reactions[COUNT * 4 * 6 + 1], contact_wrenches[COUNT * 4 * 6 + 1];
    double site_poses[COUNT * 2 * 7 + 1], site_velocities[COUNT * 2 * 6 + 1];
    double geom_poses[COUNT * 4 * 7 + 1], geom_velocities[COUNT * 4 * 6 + 1];
    double actuator_forces[COUNT + 1], sensors[COUNT * 4 + 1];
    double jacobians[COUNT * 6 * 13 + 1], site_jacobians[COUNT * 6 * 13 + 1];
    TnBatchContact contacts[COUNT * ROOM];
    int contact_counts[COUNT];
    TnRayHit hits[COUNT * EACH];
} All;

static TnRay ray(int i, int k) { return (TnRay){{0.05 * i, 0.01 * k, 2.0}, {0.1 * k, 0.0, -1.0}}; }

static void ask_all(TnBatch *batch, All *a)
{
    TnError err = {0};
    memset(a, 0x5a, sizeof *a); /* whatever is not written shows */
    TnBatchArrays arrays = {.body_poses = a->body_poses,
                            .body_velocities = a->body_velocities,
                            .body_reactions = a->body_reactions,
                            .contact_wrenches = a->contact_wrenches,
                            .site_poses = a->site_poses,
                            .site_velocities = a->site_velocities,
                            .geom_poses = a->geom_poses,
                            .geom_velocities = a->geom_velocities,
                            .actuator_forces = a->actuator_forces,
                            .sensors = a->sensors,
                            .contacts = a->contacts,
                            .contact_room = ROOM,
                            .contact_counts = a->contact_counts};
    CHECK(tn_batch_arrays(batch, &arrays, &err) == TN_OK);
    CHECK(tn_batch_jacobian(batch, 4, NULL, a->jacobians, &err) == TN_OK);
    CHECK(tn_batch_site_jacobian(batch, 2, a->site_jacobians, &err) == TN_OK);
    TnRay rays[COUNT * EACH];
    for (int i = 0; i < COUNT * EACH; i++) rays[i] = ray(i / EACH, i % EACH);
    CHECK(tn_batch_cast_rays(batch, rays, EACH, NULL, a->hits, &err) == TN_OK);
}

static bool same(const double *a, const double *b, int count)
{
    return memcmp(a, b, sizeof(double) * (size_t)count) == 0;
}

static double strength(const TnContact *c)
{
    return sqrt(c->force[0] * c->force[0] + c->force[1] * c->force[1] + c->force[2] * c->force[2]);
}

/* The strongest contacts of a world, found by looking for the next one again and again. */
static void check_contacts(TnWorld *world, const TnBatchContact *row, int count)
{
    int there = tn_world_contact_count(world), taken[64] = {0};
    CHECK(count == there && there > ROOM && there < 64);
    for (int k = 0; k < ROOM; k++) {
        int best = -1;
        for (int i = 0; i < there; i++) {
            TnContact c = tn_world_contact(world, i);
            if (taken[i]) continue;
            TnContact b = tn_world_contact(world, best);
            if (best < 0 || strength(&c) > strength(&b)) best = i;
        }
        taken[best] = 1;
        TnContact c = tn_world_contact(world, best);
        CHECK(row[k].contact.geom1 == c.geom1 && row[k].contact.geom2 == c.geom2);
        CHECK(same(row[k].contact.pos, c.pos, 3) && same(row[k].contact.force, c.force, 3));
        CHECK(same(row[k].contact.normal, c.normal, 3) && row[k].contact.gap == c.gap);
        CHECK(row[k].body1 == c.geom1 && row[k].body2 == c.geom2); /* one geom per body here */
    }
}

TEST(rows_have_the_bits_of_questions_to_lone_worlds_for_any_number_of_threads)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    static All all, first;
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnBatch *batch = make_batch(model, threads);
        ask_all(batch, &all);
        if (threads == 1) first = all;
        CHECK(memcmp(&all, &first, offsetof(All, hits)) == 0); /* hits have gaps between numbers */
        for (int i = 0; i < COUNT; i++) {
            TnWorld *world = tn_batch_world(batch, i);
            double a[7], wrenches[4 * 6], J[6 * 13], sensors[4], force;
            for (int b = 0; b < 4; b++) {
                tn_world_body_pose(world, b + 1, a, a + 3);
                CHECK(same(all.body_poses + 7 * (4 * i + b), a, 7));
                tn_world_body_velocity(world, b + 1, a, a + 3);
                CHECK(same(all.body_velocities + 6 * (4 * i + b), a, 6));
                tn_world_geom_pose(world, b + 1, a, a + 3);
                CHECK(same(all.geom_poses + 7 * (4 * i + b), a, 7));
                tn_world_geom_velocity(world, b + 1, a, a + 3);
                CHECK(same(all.geom_velocities + 6 * (4 * i + b), a, 6));
                TnReaction r = tn_world_body_reaction(world, b + 1);
                CHECK(same(all.body_reactions + 6 * (4 * i + b), r.force, 3));
                CHECK(same(all.body_reactions + 6 * (4 * i + b) + 3, r.torque, 3));
            }
            for (int s = 0; s < 2; s++) {
                tn_world_site_pose(world, s + 1, a, a + 3);
                CHECK(same(all.site_poses + 7 * (2 * i + s), a, 7));
                tn_world_site_velocity(world, s + 1, a, a + 3);
                CHECK(same(all.site_velocities + 6 * (2 * i + s), a, 6));
            }
            tn_world_contact_wrenches(world, wrenches);
            CHECK(same(all.contact_wrenches + 24 * i, wrenches, 24));
            CHECK(tn_world_actuator_forces(world, &force, &err) == TN_OK);
            CHECK(all.actuator_forces[i] == force);
            CHECK(tn_world_sensors(world, sensors, &err) == TN_OK);
            CHECK(same(all.sensors + 4 * i, sensors, 4));
            tn_world_body_pose(world, 4, a, NULL);
            CHECK(tn_world_jacobian(world, 4, a, J, &err) == TN_OK);
            CHECK(same(all.jacobians + 78 * i, J, 78));
            tn_world_site_pose(world, 2, a, NULL);
            CHECK(tn_world_jacobian(world, 4, a, J, &err) == TN_OK);
            CHECK(same(all.site_jacobians + 78 * i, J, 78));
            check_contacts(world, all.contacts + ROOM * i, all.contact_counts[i]);
            for (int k = 0; k < EACH; k++) {
                TnRay one = ray(i, k);
                TnRayHit hit;
                CHECK(tn_world_cast_rays(world, &one, 1, NULL, &hit, &err) == TN_OK);
                CHECK(all.hits[EACH * i + k].distance == hit.distance && hit.geom > 0);
                CHECK(all.hits[EACH * i + k].geom == hit.geom);
            }
        }
        double guard; /* nothing is written behind an array */
        memset(&guard, 0x5a, sizeof guard);
        CHECK(same(&all.body_poses[COUNT * 4 * 7], &guard, 1));
        CHECK(same(&all.contact_wrenches[COUNT * 4 * 6], &guard, 1));
        CHECK(same(&all.site_jacobians[COUNT * 6 * 13], &guard, 1));
        tn_batch_destroy(batch);
    }
    tn_model_destroy(model);
}

TEST(a_servo_pushes_with_its_gain_times_the_error)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 2);
    TnBatchView view = tn_batch_view(batch);
    double forces[COUNT];
    CHECK(tn_batch_arrays(batch, &(TnBatchArrays){.actuator_forces = forces}, &err) == TN_OK);
    for (int i = 0; i < COUNT; i++) {
        double error = view.ctrl[i] - view.qpos[i * view.qpos_count + 14];
        CHECK_NEAR(forces[i], 3.0 * error, 1e-12);
    }
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

/* A ball rests beside the middle of a box: the floor carries both, and its forces hold the box
 * against the ball's torque. */
TEST(contacts_carry_weights_and_their_torques)
{
    static const char *const still =
        "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
        "<body name='box' pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='3'/>"
        "</body><body name='ball' pos='0.05 0 0.3'><freejoint/><geom size='0.1' mass='2'/></body>"
        "</worldbody></mujoco>";
    TnError err = {0};
    TnModel *model = load_text(still, &err);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    for (int k = 0; k < 100; k++) tn_world_step(world);
    double w[3 * 6], pos[3];
    tn_world_contact_wrenches(world, w);
    tn_world_body_pose(world, 3, pos, NULL);
    double g = 9.81;
    /* the tolerance of steps is 1e-4 of gravity × timestep; a hundred times that is still far
     * below any force here */
    CHECK_NEAR(w[2], -5.0 * g, 0.05);                             /* the floor */
    CHECK_NEAR(w[6 + 2], 3.0 * g, 0.05);                          /* the box */
    CHECK_NEAR(w[12 + 2], 2.0 * g, 0.05);                         /* the ball */
    CHECK_NEAR(w[4], 2.0 * g * pos[0], 0.05);                     /* floor, about its origin */
    for (int k = 3; k < 6; k++) CHECK_NEAR(w[6 + k], 0.0, 0.05);  /* the box does not turn, */
    for (int k = 3; k < 6; k++) CHECK_NEAR(w[12 + k], 0.0, 0.05); /* nor does the ball */
    /* to every force there is one against it */
    for (int k = 0; k < 3; k++) CHECK_NEAR(w[k] + w[6 + k] + w[12 + k], 0.0, 1e-9);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_mask_leaves_rows_and_a_refused_row_is_named)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 2);
    TnBatchView view = tn_batch_view(batch);
    uint8_t mask[COUNT] = {1, 1, 0, 1, 1};
    double poses[COUNT * 4 * 7];
    for (int i = 0; i < COUNT * 4 * 7; i++) poses[i] = 7.0;
    TnBatchArrays arrays = {.mask = mask, .body_poses = poses};
    CHECK(tn_batch_arrays(batch, &arrays, &err) == TN_OK);
    for (int i = 0; i < COUNT; i++) CHECK((poses[28 * i + 27] == 7.0) == (i == 2));
    /* a row that was written shows at once */
    view.qpos[1 * view.qpos_count] = 0.4321;
    CHECK(tn_batch_arrays(batch, &arrays, &err) == TN_OK && poses[28 + 7] == 0.4321);
    view.qpos[3 * view.qpos_count] = NAN;
    poses[0] = 9.0;
    CHECK(tn_batch_arrays(batch, &arrays, &err) == TN_ERROR_USAGE && poses[0] == 9.0);
    CHECK(strstr(err.message, "world 3") != NULL);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

TEST(geoms_and_sites_move_in_the_worlds_that_are_told_to)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 2);
    tn_batch_reset(batch, NULL, 0);
    double pos[COUNT][3], poses[COUNT * 4 * 7], sites[COUNT * 2 * 7];
    uint8_t mask[COUNT] = {1, 0, 1, 1, 1};
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 3; k++) pos[i][k] = 0.01 * i + 0.1 * k;
    double turned[COUNT][4];
    for (int i = 0; i < COUNT; i++) memcpy(turned[i], (double[4]){0, 0, 0, 2}, sizeof turned[i]);
    CHECK(tn_batch_set_geom_local_pose(batch, mask, 4, pos[0], turned[0], &err) == TN_OK);
    CHECK(tn_batch_set_site_local_pose(batch, mask, 2, pos[0], NULL, &err) == TN_OK);
    TnBatchArrays arrays = {.geom_poses = poses, .site_poses = sites};
    CHECK(tn_batch_arrays(batch, &arrays, &err) == TN_OK);
    for (int i = 0; i < COUNT; i++) {
        const double *geom = poses + 7 * (4 * i + 3), *site = sites + 7 * (2 * i + 1);
        double expected[3] = {pos[i][0], pos[i][1], 0.5 + pos[i][2]}; /* the arm is not turned */
        if (!mask[i]) {
            CHECK_NEAR(geom[0], 0.1, 1e-15);
            CHECK_NEAR(site[0], 0.2, 1e-15);
            continue;
        }
        for (int k = 0; k < 3; k++) CHECK_NEAR(geom[k], expected[k], 1e-15);
        for (int k = 0; k < 3; k++) CHECK_NEAR(site[k], expected[k], 1e-15);
        CHECK_NEAR(fabs(geom[6]), 1.0, 1e-15); /* the quaternion has length 1 */
    }
    pos[2][1] = INFINITY;
    CHECK(tn_batch_set_geom_local_pose(batch, NULL, 4, pos[0], NULL, &err) == TN_ERROR_USAGE);
    CHECK(strstr(err.message, "world 2") != NULL);
    CHECK(tn_batch_set_site_local_pose(batch, NULL, 9, pos[0], NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_set_geom_local_pose(batch, NULL, 4, NULL, NULL, NULL) == TN_ERROR_USAGE);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

/* A ball whose geom is 5 cm above its body's origin comes to rest 5 cm lower. */
TEST(a_geom_collides_where_it_was_moved_to)
{
    static const char *const drop =
        "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 0.1'><joint type='slide' axis='0 0 1' damping='20'/>"
        "<geom size='0.1' mass='1'/></body></worldbody></mujoco>";
    TnError err = {0};
    TnModel *model = load_text(drop, &err);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    CHECK(tn_world_set_geom_local_pose(world, 2, (const double[3]){0, 0, 0.05}, NULL, &err) ==
          TN_OK);
    double pos[3];
    for (int k = 0; k < 400; k++) tn_world_step(world);
    tn_world_body_pose(world, 2, pos, NULL);
    CHECK_NEAR(pos[2], 0.05, 1e-4); /* m; gaps of contacts that rest are below a tenth of that */
    tn_world_reset(world, 0);       /* lasts over resets */
    tn_world_geom_pose(world, 2, pos, NULL);
    CHECK_NEAR(pos[2], 0.15, 1e-15);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(wrong_arguments_are_errors)
{
    TnError err = {0};
    TnModel *model = load_text(scene, &err);
    TnBatch *batch = make_batch(model, 1);
    TnBatchContact contacts[COUNT];
    double numbers[COUNT * 6 * 13];
    CHECK(tn_batch_arrays(NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_arrays(batch, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_arrays(batch, &(TnBatchArrays){0}, NULL) == TN_OK);
    CHECK(tn_batch_arrays(batch, &(TnBatchArrays){.contacts = contacts}, &err) == TN_ERROR_USAGE);
    CHECK(tn_batch_jacobian(batch, 99, NULL, numbers, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_jacobian(batch, 1, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_jacobian(NULL, 1, NULL, numbers, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_site_jacobian(batch, 99, numbers, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_site_jacobian(batch, -1, numbers, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_cast_rays(batch, NULL, 1, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_cast_rays(batch, NULL, -1, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_batch_cast_rays(batch, NULL, 0, NULL, NULL, NULL) == TN_OK);
    tn_world_contact_wrenches(NULL, numbers);
    tn_world_contact_wrenches(tn_batch_world(batch, 0), NULL);
    CHECK(tn_world_actuator_forces(NULL, numbers, NULL) == TN_ERROR_USAGE);
    tn_batch_destroy(batch);
    tn_model_destroy(model);
}

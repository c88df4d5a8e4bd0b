/* Parameters that a world changes between steps, and equalities that are switched: a changed world
 * moves as one of a model that was made so, and the model itself stays as it is. */
#include <tenon/tenon.h>

#include "../check.h"
#include "../step/text_scene.h"

#define T 0.01
#define DOWN "0 0 -9.81"

/* All that changes, as one model; numbers where %s is. */
static void scene(Text *x, bool changed)
{
    *x = (Text){.length = 0};
    text_add(x,
             "<worldbody><geom name='floor' type='plane' size='9 9 1' euler='0 0.3 0' "
             "friction='%s'/>"
             "<body name='box' pos='0 0 0.3' euler='0 0.3 0'><freejoint/>"
             "<inertial pos='%s' mass='%s' diaginertia='%s'/>"
             "<geom name='g' type='box' size='%s' friction='%s'/></body>"
             "<body pos='3 0 2'><joint name='j' axis='0 1 0' stiffness='%s' damping='%s' "
             "armature='0.01' frictionloss='%s' springref='0.1'/>"
             "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03'/></body></worldbody>"
             "<actuator><general name='a' joint='j' gainprm='%s' biastype='affine' "
             "biasprm='%s'/></actuator>",
             changed ? "0.2 0.005 0.0001" : "1 0.005 0.0001", changed ? "0.01 0 0" : "0 0 0",
             changed ? "3" : "1", changed ? "0.02 0.04 0.05" : "0.01 0.01 0.01",
             changed ? "0.2 0.1 0.05" : "0.1 0.1 0.1",
             changed ? "0.2 0.005 0.0001" : "1 0.005 0.0001", changed ? "4" : "1",
             changed ? "0.2" : "0.1", changed ? "0.01" : "0", changed ? "3" : "1",
             changed ? "0.1 -2 -0.1" : "0 0 0");
}

static void change(TextScene *s)
{
    TnWorld *w = s->world;
    const double friction[3] = {0.2, 0.005, 0.0001}, com[3] = {0.01, 0, 0},
                 inertia[6] = {0.02, 0.04, 0.05, 0, 0, 0}, size[3] = {0.2, 0.1, 0.05},
                 bias[3] = {0.1, -2, -0.1};
    const TnJointForces forces = {4, 0.1, 0.2, 0.01, 0.01};
    TnGeomId floor = tn_model_find_geom(s->model, "floor"), g = tn_model_find_geom(s->model, "g");
    CHECK(tn_world_set_geom_friction(w, floor, friction, NULL) == TN_OK);
    CHECK(tn_world_set_geom_friction(w, g, friction, NULL) == TN_OK);
    CHECK(tn_world_set_geom_size(w, g, size, NULL) == TN_OK);
    CHECK(tn_world_set_body_mass(w, 2, 3, com, inertia, NULL) == TN_OK);
    CHECK(tn_world_set_joint_forces(w, tn_model_find_joint(s->model, "j"), &forces, NULL) == TN_OK);
    CHECK(tn_world_set_actuator(w, 1, 3, bias, NULL) == TN_OK);
}

static void run(TextScene *s, int steps)
{
    double ctrl = 0.5;
    tn_world_set_ctrl(s->world, &ctrl, NULL);
    for (int k = 0; k < steps; k++) tn_world_step(s->world);
}

TEST(a_changed_world_moves_as_a_world_of_a_model_that_was_made_so)
{
    TextScene plain, made, other;
    Text text;
    scene(&text, false);
    if (!text_open(&plain, T, DOWN, text.text) || !text_open(&other, T, DOWN, text.text)) return;
    scene(&text, true);
    if (!text_open(&made, T, DOWN, text.text)) return;
    uint64_t start = tn_world_hash(plain.world);
    run(&other, 100);
    change(&plain);
    CHECK(tn_world_hash(plain.world) == start);
    tn_world_reset(plain.world, 0);
    run(&plain, 100);
    run(&made, 100);
    TnStateView a = tn_world_state(plain.world), b = tn_world_state(made.world);
    /* masses are summed in another way: rounding, which contacts let grow */
    for (int k = 0; k < a.qpos_count; k++) CHECK_NEAR(a.qpos[k], b.qpos[k], 1e-9);
    for (int k = 0; k < a.dof_count; k++) CHECK_NEAR(a.qvel[k], b.qvel[k], 1e-8);
    CHECK(fabs(a.qpos[0]) > 0.1); /* it slides, which it did not */
    CHECK(fabs(tn_world_state(other.world).qpos[0]) < 0.1);
    /* what the world tells of itself, and the model, which did not change */
    const TnModel *own = tn_world_model(plain.world);
    CHECK(own != plain.model && tn_world_model(other.world) == other.model);
    CHECK(tn_model_body_info(own, 2).mass == 3 && tn_model_body_info(plain.model, 2).mass == 1);
    CHECK(tn_model_geom_info(own, 2).size[0] == 0.2);
    CHECK(tn_model_geom_info(plain.model, 2).size[0] == 0.1);
    CHECK_NEAR(tn_model_info(own).total_mass, tn_model_info(plain.model).total_mass + 2, 1e-12);
    CHECK(tn_world_joint_forces(plain.world, 2).stiffness == 4);
    text_close(&plain);
    text_close(&made);
    text_close(&other);
}

TEST(gravity_and_timestep_are_the_worlds_own)
{
    TextScene s;
    const char *ball = "<worldbody><body><freejoint/><geom size='0.1'/></body></worldbody>";
    if (!text_open(&s, T, DOWN, ball)) return;
    const double moon[3] = {0, 0, -1.62};
    CHECK(tn_world_set_gravity(s.world, moon, NULL) == TN_OK);
    CHECK(tn_world_set_timestep(s.world, 0.004, NULL) == TN_OK);
    double before = text_energy(&s);
    for (int k = 0; k < 50; k++) tn_world_step(s.world);
    TnStateView now = tn_world_state(s.world);
    CHECK_NEAR(now.time, 0.2, 1e-12);
    CHECK_NEAR(now.qvel[2], -1.62 * 0.2, 1e-12);
    CHECK_NEAR(now.qpos[2], -0.5 * 1.62 * 0.04, 1e-12); /* the midpoint rule is exact */
    CHECK_NEAR(text_energy(&s), before, 1e-9);
    CHECK(tn_world_energy_account(s.world).created < 1e-9);
    CHECK(tn_model_info(s.model).option.timestep == T);
    text_close(&s);
}

static const char *const grasp =
    "<worldbody><geom type='plane' size='9 9 1'/>"
    "<body name='hand' mocap='true' pos='0.02 0.01 0.5'/>"
    "<body name='box' pos='0 0 0.1' euler='0 0 0.4'><freejoint/>"
    "<geom type='box' size='0.1 0.1 0.1'/></body></worldbody>"
    "<equality><weld name='grasp' body1='hand' body2='box' active='false'/></equality>";

static void lift(TextScene *s, double height)
{
    double pos[3], quat[4];
    tn_world_mocap(s->world, 2, pos, quat);
    for (int k = 0; k < 100; k++) {
        pos[2] += 0.01 * height;
        tn_world_set_mocap(s->world, 2, pos, NULL, NULL);
        tn_world_step(s->world);
    }
}

TEST(a_grasp_takes_the_box_as_it_lies_and_lets_it_go)
{
    TextScene s;
    if (!text_open(&s, T, DOWN, grasp)) return;
    double pos[3], quat[4], at[3], turn[4];
    run(&s, 20);
    tn_world_body_pose(s.world, 3, pos, quat);
    CHECK(!tn_world_equality_active(s.world, 1));
    CHECK(tn_world_attach(s.world, 1, NULL) == TN_OK);
    CHECK(tn_world_equality_active(s.world, 1));
    tn_world_step(s.world); /* nothing moves it */
    tn_world_body_pose(s.world, 3, at, turn);
    for (int k = 0; k < 3; k++) CHECK_NEAR(at[k], pos[k], 1e-7);
    lift(&s, 0.5);
    tn_world_body_pose(s.world, 3, at, turn);
    CHECK_NEAR(at[0], pos[0], 1e-5);
    CHECK_NEAR(at[2], pos[2] + 0.5, 1e-3); /* a jerk at the end of the motion is not over */
    for (int k = 0; k < 4; k++) CHECK_NEAR(turn[k], quat[k], 1e-5);
    TnReaction r = tn_world_equality_reaction(s.world, 1);
    CHECK(r.known && r.force[2] > 0.0);
    size_t size = tn_world_save_size(s.world);
    void *held = malloc(size);
    CHECK(tn_world_save(s.world, held, size, NULL) == TN_OK);
    CHECK(tn_world_set_equality(s.world, 1, false, NULL) == TN_OK);
    run(&s, 200);
    tn_world_body_pose(s.world, 3, at, turn);
    CHECK_NEAR(at[2], 0.1, 1e-4);
    /* a saved grasp is a grasp */
    CHECK(tn_world_restore(s.world, held, size, NULL) == TN_OK);
    CHECK(tn_world_equality_active(s.world, 1));
    run(&s, 100);
    tn_world_body_pose(s.world, 3, at, turn);
    CHECK_NEAR(at[2], pos[2] + 0.5, 1e-5);
    tn_world_reset(s.world, 0);
    CHECK(!tn_world_equality_active(s.world, 1));
    run(&s, 100);
    tn_world_body_pose(s.world, 3, at, turn);
    CHECK_NEAR(at[2], 0.1, 1e-4);
    free(held);
    text_close(&s);
}

TEST(a_restored_grasp_continues_with_the_same_bits)
{
    TextScene s;
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_PASSIVE;
    if (!text_open_of(&s, T, DOWN, grasp, def)) return;
    run(&s, 20);
    CHECK(tn_world_attach(s.world, 1, NULL) == TN_OK);
    lift(&s, 0.2);
    size_t size = tn_world_save_size(s.world);
    void *held = malloc(size);
    CHECK(tn_world_save(s.world, held, size, NULL) == TN_OK);
    lift(&s, 0.1);
    uint64_t hash = tn_world_hash(s.world);
    TextScene other;
    if (!text_open_of(&other, T, DOWN, grasp, def)) return;
    CHECK(tn_world_restore(other.world, held, size, NULL) == TN_OK);
    lift(&other, 0.1);
    CHECK(tn_world_hash(other.world) == hash);
    free(held);
    text_close(&other);
    text_close(&s);
}

TEST(a_connect_that_is_attached_holds_the_point_where_it_is)
{
    TextScene s;
    if (!text_open(&s, T, DOWN,
                   "<worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='0.1'/></body>"
                   "</worldbody><equality><connect body1='a' anchor='0.5 0 0' active='false'/>"
                   "</equality>"))
        return;
    run(&s, 10);
    double z = tn_world_state(s.world).qpos[2];
    CHECK(z < 1.0);
    CHECK(tn_world_attach(s.world, 1, NULL) == TN_OK);
    for (int k = 0; k < 100; k++) {
        double pos[3], q[4];
        tn_world_step(s.world);
        tn_world_body_pose(s.world, 2, pos, q);
        double x = pos[0] + 0.5 * (1 - 2 * (q[2] * q[2] + q[3] * q[3])),
               height = pos[2] + 0.5 * 2 * (q[1] * q[3] - q[0] * q[2]);
        if (k < 20) continue; /* it was falling when it was caught */
        CHECK_NEAR(x, 0.5, 1e-3);
        CHECK_NEAR(height, z, 1e-3);
    }
    text_close(&s);
}

TEST(impossible_changes_are_refused)
{
    TextScene s;
    Text text;
    scene(&text, false);
    if (!text_open(&s, T, DOWN, text.text)) return;
    TnWorld *w = s.world;
    const double bad[3] = {-1, 1, NAN}, flat[6] = {1, 1, 5, 0, 0, 0}, one[3] = {1, 1, 1};
    TnJointForces forces = {-1, 0, 0, 0, 0};
    for (int which = 0; which < 2; which++) {
        TnWorld *x = which ? w : NULL;
        int id = which ? 9999 : 1;
        CHECK(tn_world_set_equality(x, id, true, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_attach(x, id, NULL) == TN_ERROR_USAGE);
        CHECK(!tn_world_equality_active(x, id));
        CHECK(tn_world_set_gravity(x, which ? NULL : one, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_set_timestep(x, which ? 0.0 : 1.0, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_set_geom_friction(x, id, one, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_set_geom_size(x, id, one, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_set_geom_local_pose(x, id, one, NULL, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_set_site_local_pose(x, id, one, NULL, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_set_actuator(x, id, 1, one, NULL) == TN_ERROR_USAGE);
        forces.stiffness = 1;
        CHECK(tn_world_set_joint_forces(x, id, &forces, NULL) == TN_ERROR_USAGE);
        CHECK(tn_world_joint_forces(x, id).stiffness == 0);
        CHECK(tn_world_set_body_mass(x, id, 1, NULL, NULL, NULL) == TN_ERROR_USAGE);
    }
    CHECK(tn_world_set_gravity(w, bad, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_geom_friction(w, 1, bad, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_geom_size(w, 1, one, NULL) == TN_ERROR_USAGE); /* a plane */
    CHECK(tn_world_set_geom_size(w, 2, bad, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_actuator(w, 1, NAN, NULL, NULL) == TN_ERROR_USAGE);
    forces.stiffness = -1;
    CHECK(tn_world_set_joint_forces(w, 2, &forces, NULL) == TN_ERROR_USAGE);
    forces.stiffness = 1;
    CHECK(tn_world_set_joint_forces(w, 1, &forces, NULL) == TN_ERROR_USAGE); /* a free body's */
    CHECK(tn_world_set_body_mass(w, 2, 0, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_body_mass(w, 2, 1, NULL, flat, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_set_body_mass(w, 1, 1, NULL, NULL, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_model(w) == s.model);
    text_close(&s);
}

/* A spring between a body and a place, by forces. */
typedef struct Spring {
    int before, after;
    double x; /* as the step found it */
} Spring;

static void pull(void *user, TnWorld *world)
{
    Spring *spring = user;
    spring->x = tn_world_state(world).qpos[0];
    const double force[3] = {-100.0 * spring->x, 0, 0};
    tn_world_apply_wrench(world, 2, force, NULL);
    spring->before++;
    TnStepReport nested = tn_world_step(world);
    CHECK(nested.times.total == 0.0); /* no step within a step */
}

static void look(void *user, TnWorld *world)
{
    Spring *spring = user;
    spring->after++;
    CHECK(tn_world_state(world).time > 0.0);
}

TEST(callbacks_run_before_and_after_every_step_and_may_apply_forces)
{
    TextScene s;
    if (!text_open(&s, 0.001, "0 0 0",
                   "<worldbody><body pos='0.1 0 0'><freejoint/><geom size='.1' mass='1'/></body>"
                   "</worldbody>"))
        return;
    Spring spring = {0};
    tn_world_set_callbacks(NULL, pull, look, &spring);
    tn_world_set_callbacks(s.world, pull, look, &spring);
    /* a quarter of the period of √(k/m) = 10 rad/s */
    for (int k = 0; k < 157; k++) tn_world_step(s.world);
    CHECK(spring.before == 157 && spring.after == 157);
    CHECK_NEAR(tn_world_state(s.world).qpos[0], 0.0, 1e-3); /* forces of the step's start: O(t) */
    CHECK_NEAR(tn_world_state(s.world).qvel[0], -1.0, 1e-2);
    tn_world_set_callbacks(s.world, NULL, NULL, NULL);
    tn_world_step(s.world);
    CHECK(spring.before == 157);
    text_close(&s);
}

/* Triangles of a height field outlive the collider that is made anew for each change. */
TEST(a_world_changed_on_a_height_field_equals_one_of_a_model_like_it)
{
    static const char *const parts =
        "<asset><hfield name='h' nrow='4' ncol='4' size='1 1 0.1 0.1' "
        "elevation='0 0.2 0.1 0 0.4 0.3 0.1 0 0 0.2 0.9 0.5 0.1 0 0.3 0'/></asset>"
        "<worldbody><geom type='hfield' hfield='h' friction='%s'/><body pos='0.1 0.05 0.3'>"
        "<freejoint/><geom type='box' size='0.1 0.07 0.05' friction='0.1'/></body></worldbody>";
    char text[1024];
    uint64_t hashes[2];
    for (int which = 0; which < 2; which++) {
        TextScene s;
        snprintf(text, sizeof text, parts, which ? "0.7" : "0.2");
        if (!text_open(&s, T, DOWN, text)) return;
        const double friction[3] = {0.7, 0.005, 0.0001}, other[3] = {0.1, 0, 0};
        if (!which) {
            CHECK(tn_world_set_geom_friction(s.world, 1, other, NULL) == TN_OK);
            tn_world_step(s.world);
            CHECK(tn_world_set_geom_friction(s.world, 1, friction, NULL) == TN_OK);
            tn_world_reset(s.world, 0);
        }
        for (int k = 0; k < 60; k++) tn_world_step(s.world);
        CHECK(tn_world_contact_count(s.world) > 0);
        hashes[which] = tn_world_hash(s.world);
        text_close(&s);
    }
    CHECK(hashes[0] == hashes[1]);
}

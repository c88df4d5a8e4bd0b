/* Robots, cables, soft bodies and mocap bodies in worlds that ranks step in parts: the same bits on
 * any number of ranks, and the motion of a world that is not in parts. Ranks are threads here
 * (thread_ranks.h, pthread). */
#include "../check.h"

#include "../step/scene.h"
#include "spread_runs.h"

#include "ranks/spread.h"

enum { ROWS = 10 };

/* m: a bed of balls on the ground, ROWS × ROWS in each layer. */
static void add_bed(Scene *scene, int layers)
{
    scene_plane(scene, 0.5);
    for (int i = 0; i < layers * ROWS * ROWS; i++) {
        double pos[3] = {0.021 * (i % ROWS) + 0.0004 * (i % 7),
                         0.021 * (i / ROWS % ROWS) + 1e-5 * i, 0.01 + 0.021 * (i / (ROWS * ROWS))};
        scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.009 + 0.0003 * (i % 4)}, 0.003, pos, 0.4,
                   0.0);
    }
}

static TnBodyId add_body(Scene *scene, TnBodyId parent, const double pos[3])
{
    TnBodyDef body = tn_body_def();
    body.parent = parent;
    memcpy(body.pos, pos, sizeof body.pos);
    return tn_builder_add_body(scene->builder, &body);
}

static void add_box(Scene *scene, TnBodyId body, const double size[3], double mass)
{
    TnGeomDef geom = tn_geom_def();
    geom.body = body;
    geom.type = TN_GEOM_BOX;
    memcpy(geom.size, size, sizeof geom.size);
    geom.mass = mass;
    geom.friction[0] = 0.3;
    tn_builder_add_geom(scene->builder, &geom);
}

/* A joint with a servo, which may lag (s). */
static void add_joint(Scene *scene, TnBodyId body, TnJointType type, int axis, double kp,
                      double lag)
{
    TnJointDef joint = tn_joint_def();
    joint.body = body;
    joint.type = type;
    memset(joint.axis, 0, sizeof joint.axis);
    joint.axis[axis] = 1.0;
    joint.damping = 0.02;
    TnJointId id = tn_builder_add_joint(scene->builder, &joint);
    TnActuatorDef servo = tn_actuator_def();
    servo.joint = id;
    servo.gain = kp;
    servo.bias[1] = -kp;
    servo.bias[2] = -0.1 * kp;
    if (lag > 0.0) servo.activation = TN_ACTIVATION_FILTER;
    servo.time_constants[0] = lag;
    tn_builder_add_actuator(scene->builder, &servo);
}

/* A blade on two slides and a hinge that ploughs through the bed. */
static void add_plough(Scene *scene)
{
    TnBodyId cart = add_body(scene, TN_BODY_WORLD, (double[3]){-0.03, 0.1, 0.06});
    add_box(scene, cart, (double[3]){0.01, 0.01, 0.01}, 0.3);
    add_joint(scene, cart, TN_JOINT_SLIDE, 0, 60.0, 0.0);
    TnBodyId boom = add_body(scene, cart, (double[3]){0.0, 0.0, -0.02});
    add_box(scene, boom, (double[3]){0.005, 0.02, 0.005}, 0.1);
    add_joint(scene, boom, TN_JOINT_HINGE, 2, 2.0, 0.0);
    TnBodyId blade = add_body(scene, boom, (double[3]){0.0, 0.0, -0.015});
    add_box(scene, blade, (double[3]){0.004, 0.05, 0.02}, 0.1);
    add_joint(scene, blade, TN_JOINT_HINGE, 1, 2.0, 0.0);
}

static void drive_plough(TnWorld *world, int step)
{
    double s = 0.01 * step, ctrl[3] = {0.03 + 0.2 * s, 0.6 * sin(8.0 * s), 0.2 * sin(5.0 * s)};
    tn_world_set_ctrl(world, ctrl, NULL);
}

/* A floating base with four legs that kick. */
static TnBodyId add_walker_at(Scene *scene, const double place[3])
{
    TnBodyId base =
        scene_free(scene, TN_GEOM_BOX, (double[3]){0.03, 0.02, 0.008}, 0.08, place, 0.3, 0.0);
    for (int i = 0; i < 4; i++) {
        double pos[3] = {i % 2 ? 0.028 : -0.028, i / 2 ? 0.026 : -0.026, 0.0};
        TnBodyId leg = add_body(scene, base, pos);
        TnGeomDef geom = tn_geom_def();
        geom.body = leg;
        geom.type = TN_GEOM_CAPSULE;
        geom.size[0] = 0.005;
        geom.size[1] = 0.015;
        geom.pos[2] = -0.02;
        geom.mass = 0.01;
        geom.friction[0] = 0.6;
        tn_builder_add_geom(scene->builder, &geom);
        add_joint(scene, leg, TN_JOINT_HINGE, 1, 0.4, 0.02);
    }
    return base;
}

static void add_walker(Scene *scene) { add_walker_at(scene, (double[3]){0.1, 0.1, 0.085}); }

static void drive_walker(TnWorld *world, int step)
{
    double ctrl[4];
    for (int i = 0; i < 4; i++) ctrl[i] = 0.8 * sin(0.25 * step + (i == 1 || i == 2 ? 3.14 : 0.0));
    tn_world_set_ctrl(world, ctrl, NULL);
}

/* Above the bed; its segments touch each other where it folds. */
static void add_cable(Scene *scene)
{
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 24;
    rod.radius = 0.004;
    rod.youngs_modulus = 1e6;
    rod.density = 3000.0;
    rod.self_contact = true;
    memcpy(rod.start, (double[3]){-0.03, 0.05, 0.06}, sizeof rod.start);
    memcpy(rod.end, (double[3]){0.23, 0.15, 0.09}, sizeof rod.end);
    tn_builder_add_rod(scene->builder, &rod);
}

/* A block above the bed, and balls above the block. */
static void add_soft(Scene *scene)
{
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box((double[3]){0.05, 0.05, 0.015}, (int[3]){4, 4, 2}, 6, &soft.mesh, &err));
    memcpy(soft.pos, (double[3]){0.1, 0.1, 0.06}, sizeof soft.pos);
    soft.youngs_modulus = 3e4;
    soft.density = 500.0;
    tn_builder_add_soft(scene->builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
    for (int i = 0; i < 6; i++)
        scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.01}, 0.004,
                   (double[3]){0.07 + 0.022 * (i % 3), 0.09 + 0.025 * (i / 3), 0.1}, 0.4, 0.0);
}

static TnBodyId paddle;

static void add_paddle(Scene *scene)
{
    TnBodyDef body = tn_body_def();
    body.mocap = true;
    memcpy(body.pos, (double[3]){-0.03, 0.1, 0.02}, sizeof body.pos);
    paddle = tn_builder_add_body(scene->builder, &body);
    add_box(scene, paddle, (double[3]){0.005, 0.06, 0.02}, 1.0);
}

static void drive_paddle(TnWorld *world, int step)
{
    double turn = 0.01 * step;
    tn_world_set_mocap(world, paddle, (double[3]){-0.03 + 0.002 * step, 0.1, 0.02},
                       (double[4]){cos(turn), 0.0, 0.0, sin(turn)}, NULL);
}

/* On one rank, and with the same bits on several. Bodies change hands meanwhile. */
static void check_scene(TnModel *model, int steps, double tolerance,
                        void (*drive)(TnWorld *world, int step))
{
    Run alone = run_driven_to(model, steps, tolerance, drive);
    for (int ranks = 2; ranks <= UNLESS_SANITIZED(8, 2); ranks += ranks < 3 ? 1 : 5) {
        alone.all_have = ranks == 3;
        check_ranks(&alone, ranks, NULL);
    }
    tn_model_destroy(model);
}

TEST(an_arm_that_ploughs_a_bed_has_the_same_bits_on_two_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 2);
    add_plough(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(48, 8), 0.0, drive_plough);
}

TEST(a_robot_that_falls_on_balls_and_kicks_has_the_same_bits_on_two_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_walker(&scene); /* before the bodies */
    add_bed(&scene, 2);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(48, 8), 0.0, drive_walker);
}

TEST(a_cable_that_falls_over_balls_has_the_same_bits_on_two_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 2);
    add_cable(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(40, 8), 0.0, NULL);
}

TEST(a_soft_body_between_balls_has_the_same_bits_on_two_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 1);
    add_soft(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(40, 4), 0.0, NULL);
}

TEST(a_mocap_body_that_sweeps_balls_has_the_same_bits_on_two_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 2);
    add_paddle(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(40, 8), 0.0, drive_paddle);
}

/* Rows of contacts, of own bodies and of ghosts. */
TEST(balls_with_torsional_and_rolling_friction_have_the_same_bits)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    add_paddle(&scene);
    for (int i = 0; i < 150; i++) {
        TnBodyId ball = add_body(&scene, TN_BODY_WORLD,
                                 (double[3]){0.021 * (i % 10) + 0.0004 * (i % 7),
                                             0.021 * (i / 10 % 10), 0.01 + 0.021 * (i / 100)});
        TnGeomDef geom = tn_geom_def();
        geom.body = ball;
        geom.type = TN_GEOM_SPHERE;
        geom.size[0] = 0.009 + 0.0003 * (i % 4);
        geom.mass = 0.003;
        geom.contact_dim = 6;
        memcpy(geom.friction, (double[3]){0.4, 0.002, 0.0005}, sizeof geom.friction);
        tn_builder_add_geom(scene.builder, &geom);
        TnJointDef joint = tn_joint_def();
        joint.body = ball;
        joint.type = TN_JOINT_FREE;
        tn_builder_add_joint(scene.builder, &joint);
    }
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(24, 8), 0.0, drive_paddle);
}

/* All at once, with what joins and excludes free bodies, to a tolerance. */
TEST(robots_cables_and_soft_bodies_are_solved_to_a_tolerance_with_the_same_bits)
{
    Scene scene = scene_begin();
    add_walker(&scene);
    add_bed(&scene, 1);
    add_cable(&scene);
    add_paddle(&scene);
    TnBodyId pair[3];
    for (int i = 0; i < 3; i++)
        pair[i] = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.008, 0.008, 0.008}, 0.004,
                             (double[3]){0.02 + 0.018 * i, 0.19, 0.04}, 0.4, 0.0);
    TnEqualityDef joined = tn_equality_def();
    joined.type = TN_EQUALITY_CONNECT;
    joined.body1 = pair[0];
    joined.body2 = pair[1];
    memcpy(joined.anchor, (double[3]){0.009, 0.0, 0.0}, sizeof joined.anchor);
    tn_builder_add_equality(scene.builder, &joined);
    tn_builder_add_exclude(scene.builder, pair[1], pair[2], (TnSource){0});
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(12, 4), 1e-6, drive_paddle);
}

/* ---- many ---- */

enum { WALKERS = 8 };

/* Robots that kick and run over balls, in a row of which ranks have pieces. The first carries a
 * cable, whose other end is free, the next holds a soft block, others are tied to each other. */
static TnModel *walkers(void)
{
    Scene scene = scene_begin();
    TnBodyId base[WALKERS];
    scene_plane(&scene, 0.5);
    for (int i = 0; i < WALKERS; i++)
        base[i] = add_walker_at(&scene, (double[3]){0.26 * i, 0.02 * (i % 3), 0.06});
    for (int i = 0; i < 25 * WALKERS; i++)
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.008 + 0.0005 * (i % 3)}, 0.002,
                   (double[3]){0.052 * (i / 5) - 0.06, 0.025 * (i % 5) - 0.04, 0.009}, 0.4, 0.0);
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 10;
    rod.radius = 0.004;
    rod.youngs_modulus = 1e6;
    memcpy(rod.start, (double[3]){0.0, 0.02, 0.09}, sizeof rod.start);
    memcpy(rod.end, (double[3]){0.0, 0.16, 0.09}, sizeof rod.end);
    TnBodyId first =
        tn_builder_rod_parts(scene.builder, tn_builder_add_rod(scene.builder, &rod)).body;
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = first;
    weld.body2 = base[0];
    tn_builder_add_equality(scene.builder, &weld);
    TnEqualityDef tie = tn_equality_def();
    tie.type = TN_EQUALITY_CONNECT;
    tie.body1 = base[4];
    tie.body2 = base[5];
    tie.anchor[0] = 0.13;
    tn_builder_add_equality(scene.builder, &tie);
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box((double[3]){0.02, 0.015, 0.01}, (int[3]){2, 2, 1}, 6, &soft.mesh, &err));
    memcpy(soft.pos, (double[3]){0.26, 0.02, 0.085}, sizeof soft.pos);
    TnSoftHoldDef holds[2] = {{0, base[1]}, {1, base[1]}};
    soft.holds = holds;
    soft.hold_count = 2;
    soft.youngs_modulus = 3e4;
    tn_builder_add_soft(scene.builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
    return scene_compile(&scene);
}

static void drive_walkers(TnWorld *world, int step)
{
    double ctrl[4 * WALKERS];
    for (int i = 0; i < 4 * WALKERS; i++) ctrl[i] = 0.9 * sin(0.3 * step + 0.4 * i);
    tn_world_set_ctrl(world, ctrl, NULL);
    if (step) return;
    TnStateView at = tn_world_state(world);
    int dofs = tn_world_model(world) ? tn_model_info(tn_world_model(world)).dof_count : 0;
    double *qvel = calloc((size_t)dofs, sizeof *qvel);
    for (int i = 0; i < WALKERS; i++) qvel[10 * i] = i % 2 ? -0.8 : 0.8; /* towards each other */
    CHECK(tn_world_set_state(world, at.qpos, qvel, NULL) == TN_OK);
    free(qvel);
}

static void count_here(void *context, const TnRanks *ranks)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, context, &err);
    for (int k = 0; k < 4; k++) tn_world_step(world);
    const TnSpread *spread = world->spread;
    int movers = tn_spread_mover_count(spread);
    CHECK(movers == WALKERS + 2);
    CHECK(spread->here_count >= 1 && spread->here_count <= WALKERS / 2 + 2);
    int owned = 0;
    for (int i = 0; i < movers; i++) owned += tn_spread_mover_owner(spread, i) == ranks->rank;
    CHECK(owned >= 1 && owned <= spread->here_count);
    tn_world_destroy(world);
}

TEST(ranks_have_those_robots_that_are_near_their_bodies)
{
    TnModel *model = walkers();
    run_on_ranks(4, count_here, model, NULL);
    tn_model_destroy(model);
}

TEST(robots_that_cross_ranks_have_the_same_bits_and_are_not_on_all_of_them)
{
    enum { RANKS = 4 };
    TnTraffic traffic[RANKS];
    TnModel *model = walkers();
    int steps = UNLESS_SANITIZED(48, 8);
    Run alone = run_driven_to(model, steps, 0.0, drive_walkers);
    for (int ranks = 2; ranks <= UNLESS_SANITIZED(8, 2); ranks += ranks < 4 ? 1 : 4)
        check_ranks(&alone, ranks, ranks == RANKS ? traffic : NULL);
    alone.all_have = true;
    check_ranks(&alone, 3, NULL);
    int parts = 26 * WALKERS + 2;
    for (int r = 0; r < RANKS && UNLESS_SANITIZED(true, false); r++)
        CHECK(traffic[r].bodies < (int64_t)parts * steps / 2);
    alone = run_driven_to(model, UNLESS_SANITIZED(16, 4), 1e-6, drive_walkers);
    check_ranks(&alone, UNLESS_SANITIZED(5, 2), NULL);
    tn_model_destroy(model);
}

TEST(robots_alone_that_meet_have_the_same_bits)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    for (int i = 0; i < WALKERS; i++) /* two run into each other */
        add_walker_at(&scene, (double[3]){0.5 * (i / 2) + 0.16 * (i % 2), 0.01 * (i % 3), 0.06});
    TnModel *model = scene_compile(&scene);
    Run alone = run_driven_to(model, UNLESS_SANITIZED(60, 8), 0.0, drive_walkers);
    check_ranks(&alone, UNLESS_SANITIZED(3, 2), NULL);
    tn_model_destroy(model);
}

/* ---- states and forces that users set ---- */

typedef struct Pushed {
    TnModel *model;
    void *bytes;
    size_t size;
    uint64_t wanted;
} Pushed;

static TnWorld *open_world(const Pushed *p, const TnRanks *ranks)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    def.ranks = ranks;
    def.solver.tolerance = 0.0;
    def.solver.iterations = 15;
    TnWorld *world = tn_world_create(&def, p->model, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    return world;
}

/* A robot is pushed and a node of the soft body pulled; the tie of two robots is cut meanwhile. */
static void push(TnWorld *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        if (k == 5) CHECK(tn_world_set_equality(world, 2, false, NULL) == TN_OK);
        tn_world_apply_wrench(world, 12, (double[3]){0.3, 0.1, 0.5}, (double[3]){0.0, 0.001, 0.0});
        tn_world_apply_node_force(world, 1, 3, (double[3]){0.0, 0.02, 0.0});
        CHECK(!tn_world_step(world).diverged);
    }
}

static void go_on(void *context, const TnRanks *ranks)
{
    const Pushed *p = context;
    TnError err = {0};
    TnWorld *world = open_world(p, ranks);
    CHECK(tn_world_restore(world, p->bytes, p->size, &err) == TN_OK);
    push(world, 10);
    CHECK(tn_world_hash(world) == p->wanted);
    tn_world_destroy(world);
}

TEST(a_saved_state_with_robots_goes_on_in_other_parts_and_forces_reach_them)
{
    Pushed p = {.model = walkers()};
    TnError err = {0};
    TnWorld *world = open_world(&p, NULL);
    for (int k = 0; k < UNLESS_SANITIZED(20, 6); k++) {
        drive_walkers(world, k);
        tn_world_step(world);
    }
    p.size = tn_world_save_size(world);
    p.bytes = malloc(p.size);
    CHECK(tn_world_save(world, p.bytes, p.size, &err) == TN_OK);
    push(world, 10);
    p.wanted = tn_world_hash(world);
    for (int ranks = 1; ranks <= UNLESS_SANITIZED(4, 2); ranks++)
        run_on_ranks(ranks, go_on, &p, NULL);
    free(p.bytes);
    tn_world_destroy(world);
    tn_model_destroy(p.model);
}

static void diverge(void *context, const TnRanks *ranks)
{
    TnWorld *world = open_world(context, ranks);
    CHECK(!tn_world_step(world).diverged);
    uint64_t good = tn_world_hash(world);
    tn_world_apply_wrench(world, 3, (double[3]){1e300, 0.0, 0.0}, NULL);
    CHECK(tn_world_step(world).diverged); /* on all ranks, whoever has the robot */
    CHECK(tn_world_hash(world) == good);
    CHECK(!tn_world_step(world).diverged);
    tn_world_destroy(world);
}

TEST(a_step_of_a_robot_that_cannot_be_taken_is_refused_by_all)
{
    Pushed p = {.model = walkers()};
    diverge(&p, NULL);
    run_on_ranks(3, diverge, &p, NULL);
    tn_model_destroy(p.model);
}

/* ---- physics ---- */

typedef struct End {
    double robot[3], mean, low; /* place of a body, mean and least height of the bed's balls */
    double deepest;
} End;

/* After some steps, in parts on one rank or not in parts. */
static End run_to(const TnModel *model, bool spread, int steps, TnBodyId body,
                  void (*drive)(TnWorld *world, int step))
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    End end = {.low = INFINITY};
    double quat[4], sum = 0.0;
    def.spread = spread;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    for (int k = 0; k < steps; k++) {
        if (drive) drive(world, k);
        TnStepReport report = tn_world_step(world);
        CHECK(!report.diverged);
        end.deepest = fmax(end.deepest, report.max_penetration);
    }
    int count = 0;
    for (TnBodyId id = 2; id <= tn_model_info(model).body_count; id++) {
        double pos[3];
        tn_world_body_pose(world, id, pos, quat);
        if (tn_model_body_info(model, id).mass != 0.003) continue;
        sum += pos[2];
        end.low = fmin(end.low, pos[2]);
        count++;
    }
    end.mean = sum / count;
    if (body) tn_world_body_pose(world, body, end.robot, quat);
    tn_world_destroy(world);
    return end;
}

/* Parts have other rules (docs/scaling.md), and grains that meet otherwise go elsewhere; so what is
 * compared is what does not depend on single grains. A ball has a radius of 9 to 10 mm. */
TEST(a_plough_in_parts_goes_as_it_does_otherwise_and_through_nothing)
{
    Scene scene = scene_begin();
    add_bed(&scene, 2);
    add_plough(&scene);
    TnBodyId cart = 2 + 2 * ROWS * ROWS;
    TnModel *model = scene_compile(&scene);
    End whole = run_to(model, false, 80, cart, drive_plough),
        parts = run_to(model, true, 80, cart, drive_plough);
    CHECK(whole.robot[0] > 0.1); /* it is in the middle of the bed */
    /* a grain of 3 g that is pushed otherwise moves a cart on a servo of 60 N/m by a few mm */
    CHECK(fabs(parts.robot[0] - whole.robot[0]) < 0.005);
    CHECK(fabs(parts.mean - whole.mean) < 0.001);
    CHECK(parts.low > 0.009 - 5e-4 && parts.deepest < 1e-3);
    tn_model_destroy(model);
}

TEST(a_soft_body_in_parts_lies_on_balls_as_it_does_otherwise)
{
    Scene scene = scene_begin();
    add_bed(&scene, 1);
    add_soft(&scene);
    TnModel *model = scene_compile(&scene);
    End whole = run_to(model, false, 80, 0, NULL), parts = run_to(model, true, 80, 0, NULL);
    CHECK(fabs(parts.mean - whole.mean) < 2e-4); /* all stay on the ground */
    CHECK(parts.low > 0.009 - 2e-4 && parts.deepest < 1e-3);
    tn_model_destroy(model);
}

/* Nothing acts from outside: momentum stays, whoever is hit. */
typedef struct Flight {
    TnModel *model;
    int steps;
    double most; /* kg m/s: so much may be lost of 0.048 */
} Flight;

static void fly(void *context, const TnRanks *ranks)
{
    const Flight *flight = context;
    const TnModel *model = flight->model;
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.spread = true;
    def.ranks = ranks;
    def.solver.tolerance = 1e-9;
    def.solver.iterations = 2000;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnStateView at = tn_world_state(world);
    double *qvel = calloc((size_t)tn_model_info(model).dof_count, sizeof *qvel), P[3], L[3], Q[3],
           M[3];
    for (int b = 0; b < 12; b++) qvel[6 * b + 2] = -1.0; /* balls are first, and come down */
    CHECK(tn_world_set_state(world, at.qpos, qvel, &err) == TN_OK);
    tn_world_momentum(world, P, L);
    int contacts = 0;
    for (int k = 0; k < flight->steps; k++) {
        TnStepReport report = tn_world_step(world);
        CHECK(!report.diverged);
        contacts += report.contact_count;
    }
    tn_world_momentum(world, Q, M);
    CHECK(contacts > 30);
    for (int k = 0; k < 3; k++) CHECK(fabs(Q[k] - P[k]) < flight->most);
    free(qvel);
    tn_world_destroy(world);
}

static void check_momentum(void (*add)(Scene *scene), double timestep, double most)
{
    Scene scene = scene_begin();
    memset(scene.option.gravity, 0, sizeof scene.option.gravity);
    scene.option.timestep = timestep;
    for (int i = 0; i < 12; i++)
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.01}, 0.004,
                   (double[3]){0.02 + 0.05 * (i % 3) + 0.024 * (i / 6), 0.09 + 0.024 * (i / 3 % 2),
                               0.12 + 0.02 * (i % 3) + 0.02 * (i / 6)},
                   0.4, 0.0);
    add(&scene);
    Flight flight = {scene_compile(&scene), timestep < 0.005 ? 100 : 30, most};
    fly(&flight, NULL);
    run_on_ranks(3, fly, &flight, NULL);
    tn_model_destroy(flight.model);
}

/* A robot's equations are linear about where it is expected. Groups in contact have their momentum
 * put right, and what is lost, 4e-7 at most, is of steps in which nothing touches the robot and its
 * legs turn. Without that it was 3e-5 with steps of 10 ms. */
TEST(balls_that_hit_a_robot_in_parts_keep_the_momentum)
{
    check_momentum(add_walker, 0.01, 1e-6);
    check_momentum(add_walker, 0.001, 1e-6);
}

/* Of these it is linear in the unknowns. */
TEST(balls_that_hit_a_cable_or_a_soft_body_in_parts_keep_the_momentum)
{
    check_momentum(add_cable, 0.01, 1e-12);
    check_momentum(add_soft, 0.01, 1e-12);
}

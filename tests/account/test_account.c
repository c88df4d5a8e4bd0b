/* The account of energy of a step (TnStepReport.energy) against answers written out by hand. */
#include "../check.h"
#include "../constraint/parts.h"
#include "account_sum.h"

#define G 9.81
static const double STEPS[3] = {1e-3, 5e-3, 2e-2};
static const double ORIGIN[3] = {0, 0, 0};

static Scene scene_with(double timestep)
{
    Scene scene = scene_begin();
    scene.option.timestep = timestep;
    return scene;
}

/* ---- stepping ---- */

typedef struct Ledger {
    TnWorld *world;
    TnEnergyAccount sum;
    double share; /* largest created_share */
    double scale; /* J: what rounding is a share of */
} Ledger;

/* One step, whose account must explain its energies to rounding. */
static void step_once(Ledger *l)
{
    double before = total_energy(l->world);
    TnStepReport report = tn_world_step(l->world);
    const TnEnergyAccount *a = &report.energy;
    CHECK(!report.diverged);
    /* potential energies are differences of numbers of this size */
    CHECK_NEAR(change_of(a), total_energy(l->world) - before, 1e-13 * l->scale);
    l->sum.actuators += a->actuators;
    l->sum.applied += a->applied;
    l->sum.friction += a->friction;
    l->sum.damping += a->damping;
    l->sum.impacts += a->impacts;
    l->sum.step += a->step;
    l->sum.created += a->created;
    l->sum.push_out += a->push_out;
    l->sum.unsolved += a->unsolved;
    l->share = fmax(l->share, report.created_share);
}

static void steps_for(Ledger *l, double seconds)
{
    double end = tn_world_state(l->world).time + seconds;
    double half = 0.5 * tn_model_info(tn_world_model(l->world)).option.timestep;
    while (tn_world_state(l->world).time + half < end) step_once(l);
}

/* Entries of the account that must be zero, each up to a tolerance. */
static void check_zero(const Ledger *l, const char *names, double tolerance)
{
    const TnEnergyAccount *a = &l->sum;
    const struct {
        const char *name;
        double value;
    } all[] = {{"actuators", a->actuators}, {"applied", a->applied},   {"friction", a->friction},
               {"damping", a->damping},     {"impacts", a->impacts},   {"step", a->step},
               {"created", a->created},     {"push_out", a->push_out}, {"unsolved", a->unsolved}};
    size_t known = 0;
    for (int k = 0; k < 9; k++) {
        if (!strstr(names, all[k].name)) continue;
        known += strlen(all[k].name) + 1;
        if (!(fabs(all[k].value) <= tolerance))
            test_fail(__FILE__, __LINE__, "%s is %g, not 0 within %g", all[k].name, all[k].value,
                      tolerance);
    }
    CHECK(known == strlen(names) + 1); /* all of them, and blanks between */
}

static void check_world_sums(const Ledger *l)
{
    TnEnergyAccount sums = tn_world_energy_account(l->world);
    CHECK(memcmp(&sums, &l->sum, sizeof sums) == 0); /* the same additions in the same order */
}

/* ---- scenes ---- */

/* A mass of 2 kg at 0.5 m from a hinge about y. */
static TnJointDef pendulum(Scene *scene)
{
    TnBodyId body = part_body(scene, TN_BODY_WORLD, ORIGIN, 2.0, (double[3]){0.5, 0, 0}, 0.01);
    return part_joint(body, TN_JOINT_HINGE, 0, 1, 0);
}

TEST(nothing_comes_or_goes_while_a_pendulum_swings)
{
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        TnJointDef joint = pendulum(&scene);
        tn_builder_add_joint(scene.builder, &joint);
        Run run = run_start(&scene, 60);
        REQUIRE(run.world);
        Ledger l = {.world = run.world, .scale = 2.0 * G * 0.5};
        steps_for(&l, 5.0);
        check_zero(&l, "actuators applied friction damping impacts", 0.0);
        check_zero(&l, "step created", 1e-12 * l.scale);
        CHECK(l.share == 0.0 && part_q(run.world, 0) != 0.0);
        check_world_sums(&l);
        run_end(&run);
    }
}

TEST(a_sliding_box_loses_mu_m_g_d_to_friction)
{
    const double mu = 0.3, mass = 2.0, v0 = 1.5, half[3] = {0.2, 0.2, 0.05};
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        scene_plane(&scene, mu);
        TnBodyId box =
            scene_free(&scene, TN_GEOM_BOX, half, mass, (double[3]){0, 0, half[2]}, mu, 0);
        Run run = run_start(&scene, 400);
        REQUIRE(run.world);
        double pos[3], quat[4], v[6] = {v0, 0, 0, 0, 0, 0};
        CHECK(tn_world_set_state(run.world, NULL, v, NULL) == TN_OK);
        Ledger l = {.world = run.world, .scale = 0.5 * mass * v0 * v0};
        steps_for(&l, 0.3); /* it stops after 0.51 s */
        tn_world_body_pose(run.world, box, pos, quat);
        /* what is not exact is the solution: with a fixed count it is near */
        double near = getenv("TENON_TESTS_FIXED") ? 2e-4 : 1e-8;
        CHECK_NEAR(l.sum.friction, mu * mass * G * pos[0], near * l.scale);
        check_zero(&l, "actuators applied damping", 0.0);
        check_zero(&l, "impacts created", near * l.scale);
        check_zero(&l, "step", near * l.scale);
        CHECK_NEAR(tn_world_body_loss(run.world, box), l.sum.step, 1e-12 * l.scale);
        steps_for(&l, 0.7);
        /* in the step in which it stops it moves by the mean velocity, too */
        CHECK_NEAR(l.sum.friction, l.scale, near * l.scale);
        CHECK(l.share == 0.0);
        check_world_sums(&l);
        run_end(&run);
    }
}

TEST(what_a_damped_hinge_loses_is_damping)
{
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        memset(scene.option.gravity, 0, sizeof scene.option.gravity);
        TnJointDef joint = pendulum(&scene);
        joint.damping = 0.4;
        tn_builder_add_joint(scene.builder, &joint);
        Run run = run_start(&scene, 60);
        REQUIRE(run.world);
        CHECK(tn_world_set_state(run.world, NULL, (double[1]){5.0}, NULL) == TN_OK);
        double start = total_energy(run.world);
        Ledger l = {.world = run.world, .scale = start};
        steps_for(&l, 1.0);
        CHECK_NEAR(l.sum.damping, start - total_energy(run.world), 1e-12 * start);
        /* ω = 5 exp(-c t / I), I = 0.01 + 2 · 0.5²; of second order in the step */
        CHECK_NEAR(part_v(run.world, 0), 5.0 * exp(-0.4 / 0.51), 0.2 * STEPS[k] * STEPS[k]);
        check_zero(&l, "actuators applied friction impacts", 0.0);
        check_zero(&l, "step created", 1e-12 * start);
        run_end(&run);
    }
}

TEST(what_a_damped_tendon_loses_is_damping)
{
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        memset(scene.option.gravity, 0, sizeof scene.option.gravity);
        TnTendonJoint joints[2] = {{.coef = 1.0}, {.coef = -2.0}};
        TnBodyId first = part_slider(&scene, 1.0, 0, NULL, &joints[0].joint);
        TnBodyId second = part_body(&scene, first, ORIGIN, 3.0, ORIGIN, 0.1);
        TnJointDef joint = part_joint(second, TN_JOINT_SLIDE, 0, 1, 0);
        joints[1].joint = tn_builder_add_joint(scene.builder, &joint);
        TnTendonDef tendon = tn_tendon_def();
        tendon.joints = joints;
        tendon.joint_count = 2;
        tendon.damping = 0.7;
        tn_builder_add_tendon(scene.builder, &tendon);
        Run run = run_start(&scene, 60);
        REQUIRE(run.world);
        CHECK(tn_world_set_state(run.world, NULL, (double[2]){2.0, -1.0}, NULL) == TN_OK);
        double start = total_energy(run.world);
        Ledger l = {.world = run.world, .scale = start};
        steps_for(&l, 1.0);
        CHECK(l.sum.damping > 0.3 * start);
        CHECK_NEAR(l.sum.damping, start - total_energy(run.world), 1e-12 * start);
        check_zero(&l, "actuators applied friction impacts", 0.0);
        check_zero(&l, "step created", 1e-12 * start);
        run_end(&run);
    }
}

/* A weight on a vertical slide, driven by one actuator. */
static Run weight(double timestep, double mass, double damping, const TnActuatorDef *drive)
{
    Scene scene = scene_with(timestep);
    TnJointDef joint = tn_joint_def();
    joint.damping = damping;
    TnActuatorDef actuator = *drive;
    part_slider(&scene, mass, 2, &joint, &actuator.joint);
    tn_builder_add_actuator(scene.builder, &actuator);
    return run_start(&scene, 60);
}

TEST(a_motor_that_lifts_a_weight_works_m_g_h_and_its_motion)
{
    const double mass = 3.0, force = 40.0;
    TnActuatorDef motor = tn_actuator_def();
    for (int k = 0; k < 3; k++) {
        Run run = weight(STEPS[k], mass, 0.0, &motor);
        REQUIRE(run.world);
        CHECK(tn_world_set_ctrl(run.world, &force, NULL) == TN_OK);
        Ledger l = {.world = run.world, .scale = force};
        steps_for(&l, 1.0);
        double h = part_q(run.world, 0), v = part_v(run.world, 0), a = force / mass - G;
        CHECK_NEAR(h, 0.5 * a, 1e-12); /* the midpoint rule is exact under constant force */
        CHECK_NEAR(l.sum.actuators, force * h, 1e-12 * l.scale);
        CHECK_NEAR(l.sum.actuators, mass * G * h + 0.5 * mass * v * v, 1e-12 * l.scale);
        check_zero(&l, "applied friction damping impacts", 0.0);
        check_zero(&l, "step created", 1e-12 * l.scale);
        run_end(&run);
    }
}

TEST(servos_work_what_the_weight_and_the_damper_get)
{
    const double mass = 3.0, wanted = 0.8;
    TnActuatorDef velocity = tn_actuator_def(), position = tn_actuator_def();
    velocity.gain = 200.0;
    velocity.bias[2] = -200.0;
    position.gain = 500.0;
    position.bias[1] = -500.0;
    position.bias[2] = -20.0;
    for (int k = 0; k < 6; k++) {
        Run run = weight(STEPS[k / 2], mass, 2.0, k % 2 ? &position : &velocity);
        REQUIRE(run.world);
        CHECK(tn_world_set_ctrl(run.world, &wanted, NULL) == TN_OK);
        Ledger l = {.world = run.world, .scale = mass * G};
        steps_for(&l, 2.0);
        double h = part_q(run.world, 0), v = part_v(run.world, 0);
        double held = mass * G * h + 0.5 * mass * v * v;
        CHECK(l.sum.damping > 0.0);
        check_zero(&l, "applied friction impacts", 0.0);
        /* a servo faster than the step is not followed through it: the rest is the step's */
        CHECK_NEAR(l.sum.actuators - l.sum.damping - l.sum.step, held, 1e-12 * l.scale);
        CHECK(l.sum.step >= -1e-12 * l.scale);
        check_zero(&l, "created", 1e-12 * l.scale);
        if (STEPS[k / 2] == 1e-3) CHECK_NEAR(l.sum.actuators - l.sum.damping, held, 1e-2 * held);
        run_end(&run);
    }
}

TEST(a_hit_loses_one_less_the_square_of_its_restitution)
{
    const double mass = 1.5, radius = 0.1, height = 0.5, restitution[2] = {0.0, 0.5};
    for (int k = 0; k < 6; k++) {
        double e = restitution[k % 2], speed = sqrt(2.0 * G * height);
        Scene scene = scene_with(STEPS[k / 2]);
        scene_plane(&scene, 0.5);
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){radius, 0, 0}, mass,
                   (double[3]){0, 0, radius + height}, 0.5, e);
        Run run = run_start(&scene, 100);
        REQUIRE(run.world);
        Ledger l = {.world = run.world, .scale = 0.5 * mass * speed * speed};
        steps_for(&l, 0.4); /* it hits at 0.32 s, and with e = 0.5 again after another 0.32 s */
        double loss = (1.0 - e * e) * l.scale;
        CHECK_NEAR(l.sum.impacts, loss, 1e-6 * loss); /* below that, what contacts push is noise */
        check_zero(&l, "step", 1e-6 * loss);
        check_zero(&l, "actuators applied friction damping", 1e-12 * loss);
        check_zero(&l, "created", 1e-6 * loss);
        CHECK(l.share == 0.0);
        run_end(&run);
    }
}

/* A slide falls onto its lower limit and stays there. */
TEST(what_a_limit_stops_is_lost_to_the_impact)
{
    const double mass = 2.0, height = 0.4;
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        TnJointDef joint = tn_joint_def();
        joint.limited = true;
        joint.range[0] = -height, joint.range[1] = 1.0;
        part_slider(&scene, mass, 2, &joint, NULL);
        Run run = run_start(&scene, 200);
        REQUIRE(run.world);
        Ledger l = {.world = run.world, .scale = mass * G * height};
        steps_for(&l, 0.5);                                 /* it gets there at 0.286 s */
        CHECK_NEAR(l.sum.impacts, l.scale, 1e-6 * l.scale); /* as above */
        check_zero(&l, "actuators applied friction damping", 1e-12 * l.scale);
        check_zero(&l, "step created push_out unsolved", 1e-6 * l.scale);
        check_world_sums(&l);
        run_end(&run);
    }
}

TEST(an_applied_force_works_force_times_way)
{
    const double mass = 2.0, half[3] = {0.1, 0.1, 0.1};
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        TnBodyId box = scene_free(&scene, TN_GEOM_BOX, half, mass, ORIGIN, 0.5, 0);
        Run run = run_start(&scene, 60);
        REQUIRE(run.world);
        double pos[3], quat[4], v[3], w[3];
        Ledger l = {.world = run.world, .scale = 100.0};
        while (tn_world_state(run.world).time < 0.999) {
            part_push(run.world, box, 3.0, 0.0, 25.0);
            step_once(&l);
        }
        tn_world_body_pose(run.world, box, pos, quat);
        tn_world_body_velocity(run.world, box, v, w);
        CHECK_NEAR(l.sum.applied, 3.0 * pos[0] + 25.0 * pos[2], 1e-12 * l.scale);
        CHECK_NEAR(l.sum.applied, mass * G * pos[2] + 0.5 * mass * v3_dot(v, v), 1e-12 * l.scale);
        check_zero(&l, "actuators friction damping impacts", 0.0);
        check_zero(&l, "step created", 1e-12 * l.scale);
        run_end(&run);
    }
}

TEST(dry_friction_of_a_joint_takes_its_force_times_way)
{
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        memset(scene.option.gravity, 0, sizeof scene.option.gravity);
        TnJointDef joint = tn_joint_def();
        joint.friction_loss = 1.5;
        part_slider(&scene, 2.0, 0, &joint, NULL);
        Run run = run_start(&scene, 200);
        REQUIRE(run.world);
        CHECK(tn_world_set_state(run.world, NULL, (double[1]){3.0}, NULL) == TN_OK);
        Ledger l = {.world = run.world, .scale = 9.0};
        steps_for(&l, 2.0);
        double near = getenv("TENON_TESTS_FIXED") ? 1e-6 : 1e-9; /* the solution */
        CHECK_NEAR(l.sum.friction, 1.5 * part_q(run.world, 0), near * l.scale);
        CHECK_NEAR(9.0 - l.sum.friction, total_energy(run.world), near * l.scale);
        check_zero(&l, "actuators applied damping impacts", 0.0);
        check_zero(&l, "step created", near * l.scale);
        run_end(&run);
    }
}

/* ---- where it goes wrong ---- */

/* Two balls, one inside the other, without gravity: whatever parts them makes energy. */
static Run overlapping(double timestep, double depth)
{
    Scene scene = scene_with(timestep);
    memset(scene.option.gravity, 0, sizeof scene.option.gravity);
    for (int k = 0; k < 2; k++)
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){1, 0, 0}, k ? 1.0 : 3.0,
                   (double[3]){k * (2.0 - depth), 0, 0}, 0.5, 0);
    return run_start(&scene, 100);
}

TEST(what_a_deep_overlap_gives_is_push_out)
{
    for (int k = 0; k < 3; k++) {
        Run run = overlapping(STEPS[k], 1.0);
        REQUIRE(run.world);
        Ledger l = {.world = run.world, .scale = 1.0};
        for (int n = 0; n < 200; n++) step_once(&l);
        check_zero(&l, "actuators applied friction damping impacts", 0.0);
        CHECK(l.share == 0.0 && l.sum.push_out > 0.0);
        CHECK_NEAR(l.sum.push_out - l.sum.step, total_energy(run.world), 1e-12);
        run_end(&run);
    }
}

/* In the floor by so much. It comes to rest where it just touches. */
TEST(a_box_that_is_pushed_out_of_the_floor_gets_m_g_times_its_depth)
{
    const double mass = 2.0, half[3] = {0.1, 0.1, 0.1}, depths[2] = {0.8e-3, 5e-3};
    for (int k = 0; k < 6; k++) {
        double depth = depths[k % 2], work = mass * G * depth;
        Scene scene = scene_with(STEPS[k / 2]);
        scene_plane(&scene, 0.5);
        scene_free(&scene, TN_GEOM_BOX, half, mass, (double[3]){0, 0, half[2] - depth}, 0.5, 0);
        Run run = run_start(&scene, 200);
        REQUIRE(run.world);
        Ledger l = {.world = run.world, .scale = mass * G * half[2]};
        double most = total_energy(run.world);
        for (int n = 0; n < 600; n++) {
            step_once(&l);
            most = fmax(most, total_energy(run.world));
        }
        /* what the solution is wrong by, and the depth that its tolerance leaves */
        double near = (getenv("TENON_TESTS_FIXED") ? 1e-3 : 1e-4) * work;
        CHECK_NEAR(l.sum.push_out, work, near);
        CHECK_NEAR(most, mass * G * half[2], near);
        check_zero(&l, "actuators applied damping impacts", 0.0);
        check_zero(&l, "friction step created unsolved", near);
        CHECK(l.share == 0.0);
        check_world_sums(&l);
        run_end(&run);
    }
}

/* A slide that starts beyond its limit, up along which gravity pulls it back. */
TEST(a_slide_that_is_pushed_back_to_its_limit_gets_m_g_times_the_way)
{
    const double mass = 2.0, depth = 4e-3;
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        TnJointDef joint = tn_joint_def();
        joint.limited = true;
        joint.range[0] = 0.0, joint.range[1] = 1.0;
        part_slider(&scene, mass, 2, &joint, NULL);
        Run run = run_start(&scene, 200);
        REQUIRE(run.world);
        CHECK(tn_world_set_state(run.world, (double[1]){-depth}, NULL, NULL) == TN_OK);
        Ledger l = {.world = run.world, .scale = mass * G * depth};
        for (int n = 0; n < 1500; n++) step_once(&l);
        CHECK_NEAR(l.sum.push_out, mass * G * depth, 1e-3 * l.scale);
        check_zero(&l, "friction damping created unsolved", 1e-3 * l.scale);
        CHECK(l.share == 0.0);
        run_end(&run);
    }
}

/* Boxes of 1 and 3 kg that a weld joins slide to a halt under implicit Euler (θ = 1): each loses
 * ½ m a² t per second. */
TEST(bodies_that_slide_together_lose_by_mass)
{
    const double mu = 0.3, half[3] = {0.05, 0.2, 0.05}, v0 = 1.5, mass[2] = {1.0, 3.0};
    Scene scene = scene_with(5e-3);
    TnBodyId body[2];
    scene.option.theta = 1.0;
    scene_plane(&scene, mu);
    for (int k = 0; k < 2; k++)
        body[k] =
            scene_free(&scene, TN_GEOM_BOX, half, mass[k], (double[3]){0.2 * k, 0, half[2]}, mu, 0);
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = body[0];
    weld.body2 = body[1];
    tn_builder_add_equality(scene.builder, &weld);
    Run run = run_start(&scene, 400);
    REQUIRE(run.world);
    double v[12] = {v0, 0, 0, 0, 0, 0, v0};
    CHECK(tn_world_set_state(run.world, NULL, v, NULL) == TN_OK);
    Ledger l = {.world = run.world, .scale = 0.5 * 4.0 * v0 * v0};
    steps_for(&l, 0.3);
    double a = mu * G, near = getenv("TENON_TESTS_FIXED") ? 2e-2 : 1e-6;
    for (int k = 0; k < 2; k++) {
        double loss = 0.5 * mass[k] * a * a * 5e-3 * 0.3;
        CHECK_NEAR(tn_world_body_loss(run.world, body[k]), loss, near * loss);
    }
    TnStepLoss most = tn_world_largest_loss(run.world);
    CHECK(most.body == body[1] && !most.soft);
    CHECK(most.loss == tn_world_body_loss(run.world, body[1]));
    CHECK(tn_world_body_loss(run.world, TN_BODY_WORLD) == 0.0);
    run_end(&run);
}

TEST(a_shallow_overlap_is_noise)
{
    for (int k = 0; k < 3; k++) {
        Run run = overlapping(STEPS[k], 0.1 * G * STEPS[k] * STEPS[k]);
        REQUIRE(run.world);
        for (int n = 0; n < 50; n++) {
            CHECK(tn_world_step(run.world).created_share == 0.0);
            if (n == 0) CHECK(tn_world_contact_count(run.world) == 1);
        }
        run_end(&run);
    }
}

/* A damped pendulum after 20 steps. */
static Run damped_swing(void)
{
    Scene scene = scene_with(1e-2);
    TnJointDef joint = pendulum(&scene);
    joint.damping = 0.1;
    tn_builder_add_joint(scene.builder, &joint);
    Run run = run_start(&scene, 60);
    for (int n = 0; run.world && n < 20; n++) tn_world_step(run.world);
    return run;
}

TEST(a_refused_step_has_no_account_and_leaves_the_sums)
{
    Run run = damped_swing();
    REQUIRE(run.world);
    TnEnergyAccount before = tn_world_energy_account(run.world);
    uint64_t hash = tn_world_hash(run.world);
    tn_world_apply_wrench(run.world, 2, (double[3]){0, 0, 1e15}, ORIGIN);
    TnStepReport report = tn_world_step(run.world);
    TnEnergyAccount none = {0}, after = tn_world_energy_account(run.world);
    CHECK(report.diverged && tn_world_hash(run.world) == hash);
    CHECK(memcmp(&report.energy, &none, sizeof none) == 0 && report.created_share == 0.0);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK(!tn_world_step(run.world).diverged); /* and it goes on */
    run_end(&run);
}

TEST(sums_are_saved_restored_and_reset)
{
    Run run = damped_swing();
    REQUIRE(run.world);
    TnEnergyAccount kept = tn_world_energy_account(run.world), none = {0}, now;
    size_t size = tn_world_save_size(run.world);
    void *buffer = malloc(size);
    CHECK(kept.damping > 0.0 && tn_world_save(run.world, buffer, size, NULL) == TN_OK);
    tn_world_reset(run.world, 0);
    now = tn_world_energy_account(run.world);
    CHECK(memcmp(&now, &none, sizeof now) == 0);
    CHECK(tn_world_restore(run.world, buffer, size, NULL) == TN_OK);
    now = tn_world_energy_account(run.world);
    CHECK(memcmp(&now, &kept, sizeof now) == 0);
    free(buffer);
    run_end(&run);
}

TEST(what_falls_asleep_loses_its_motion_to_the_step)
{
    Scene scene = scene_with(1e-2);
    TnJointDef joint = tn_joint_def();
    joint.damping = 100.0;
    part_slider(&scene, 2.0, 0, &joint, NULL);
    Run run = {scene_compile(&scene), NULL};
    REQUIRE(run.model);
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_PASSIVE;
    def.sleep_speed = 1.0;
    def.sleep_time = 0.02;
    run.world = tn_world_create(&def, run.model, NULL);
    REQUIRE(run.world);
    CHECK(tn_world_set_state(run.world, NULL, (double[1]){0.5}, NULL) == TN_OK);
    Ledger l = {.world = run.world, .scale = 0.25};
    steps_for(&l, 0.2);
    CHECK(tn_world_body_asleep(run.world, 2) && tn_world_energy(run.world).kinetic == 0.0);
    CHECK_NEAR(l.sum.damping + l.sum.step, 0.25, 1e-12);
    check_world_sums(&l);
    run_end(&run);
}

/* A pendulum made of a free body and a connect equality to the world. */
TEST(a_free_body_that_an_equality_ties_keeps_its_energy)
{
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_with(STEPS[k]);
        TnBodyId body = part_body(&scene, TN_BODY_WORLD, ORIGIN, 2.0, ORIGIN, 0.05);
        TnJointDef joint = part_joint(body, TN_JOINT_FREE, 0, 0, 1);
        tn_builder_add_joint(scene.builder, &joint);
        TnEqualityDef hold = tn_equality_def();
        hold.type = TN_EQUALITY_CONNECT;
        hold.body1 = body;
        hold.anchor[0] = 0.5;
        tn_builder_add_equality(scene.builder, &hold);
        Run run = run_start(&scene, 200);
        REQUIRE(run.world);
        Ledger l = {.world = run.world, .scale = 2.0 * G * 0.5};
        steps_for(&l, 3.0);
        check_zero(&l, "actuators applied friction damping impacts", 0.0);
        /* what the solution is wrong by is noise, and stays */
        check_zero(&l, "step created", (getenv("TENON_TESTS_FIXED") ? 1e-2 : 1e-12) * l.scale);
        CHECK(part_q(run.world, 2) < -0.1 || part_q(run.world, 0) > 0.1); /* it swings */
        run_end(&run);
    }
}

/* Tendons in whole steps: limits and dry friction against closed forms, a force range against a
 * stop, and what a world promises with tendons: saving, no allocation, sensors. */
#include "../check.h"
#include "parts.h"

#include "base/base.h"
#include "world/world.h"

static const double G = 9.81;

/* A carriage on rails across gravity with two weights that slide down along -z, 1 kg each, on
 * branches of their own. The tendon's length is q1 + q2, positive downwards. */
typedef struct Lift {
    Scene scene;
    TnTendonJoint parts[2];
    TnTendonDef tendon;
} Lift;

static void lift_begin(Lift *lift, double theta)
{
    lift->scene = scene_begin();
    lift->scene.option.theta = theta;
    Scene *scene = &lift->scene;
    TnBodyId carriage =
        part_body(scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 5.0, (double[3]){0, 0, 0}, 0.1);
    TnJointDef rail = part_joint(carriage, TN_JOINT_SLIDE, 1, 0, 0);
    tn_builder_add_joint(scene->builder, &rail);
    for (int i = 0; i < 2; i++) {
        TnBodyId weight =
            part_body(scene, carriage, (double[3]){i, 0, 0}, 1.0, (double[3]){0, 0, 0}, 0.1);
        TnJointDef joint = part_joint(weight, TN_JOINT_SLIDE, 0, 0, -1);
        lift->parts[i] = (TnTendonJoint){tn_builder_add_joint(scene->builder, &joint), 1.0};
    }
    lift->tendon = tn_tendon_def();
    lift->tendon.name = "rope";
    lift->tendon.joints = lift->parts;
    lift->tendon.joint_count = 2;
}

static Run lift_start(Lift *lift)
{
    tn_builder_add_tendon(lift->scene.builder, &lift->tendon);
    return run_start(&lift->scene, 200);
}

static double rope_lambda(const Run *run, int kind)
{
    return run->world->state.row_lambda[tn_row_slot_tendon(run->model, 0, kind)];
}

TEST(a_tendon_limit_stops_two_weights_and_bears_their_weight)
{
    for (int s = 0; s < 2; s++) {
        Lift lift;
        lift_begin(&lift, TWO_THETAS[s]);
        lift.tendon.limited = true;
        lift.tendon.range[0] = -1.0;
        lift.tendon.range[1] = 0.4;
        Run run = lift_start(&lift);
        REQUIRE(run.world);
        double longest = 0.0;
        for (int k = 0; k < 200; k++) {
            tn_world_step(run.world);
            longest = fmax(longest, part_q(run.world, 1) + part_q(run.world, 2));
        }
        CHECK(longest < 0.4 + 1e-6); /* the solver's rest */
        CHECK_NEAR(part_q(run.world, 1) + part_q(run.world, 2), 0.4, 1e-6);
        CHECK_NEAR(part_q(run.world, 1), part_q(run.world, 2), 1e-6);
        CHECK_NEAR(rope_lambda(&run, 1), G, 1e-6); /* the same force pulls at both */
        CHECK(rope_lambda(&run, 0) == 0.0);
        run_end(&run);
    }
}

TEST(the_lower_tendon_limit_pushes_the_other_way)
{
    Lift lift;
    lift_begin(&lift, 0.5);
    lift.scene.option.gravity[2] = G;
    lift.tendon.limited = true;
    lift.tendon.range[0] = -0.3;
    lift.tendon.range[1] = 1.0;
    Run run = lift_start(&lift);
    REQUIRE(run.world);
    for (int k = 0; k < 200; k++) tn_world_step(run.world);
    CHECK_NEAR(part_q(run.world, 1) + part_q(run.world, 2), -0.3, 1e-6); /* the solver's rest */
    CHECK_NEAR(rope_lambda(&run, 0), G, 1e-6);
    run_end(&run);
}

TEST(dry_friction_of_a_tendon_holds_up_to_its_size)
{
    for (int s = 0; s < 2; s++) {
        Lift lift;
        lift_begin(&lift, 0.5);
        lift.tendon.friction_loss = s ? 4.0 : 12.0; /* against 9.81 N at each weight */
        Run run = lift_start(&lift);
        REQUIRE(run.world);
        for (int k = 0; k < 50; k++) tn_world_step(run.world);
        double v = s ? (G - 4.0) * 0.5 : 0.0;
        for (int i = 1; i <= 2; i++)
            CHECK_NEAR(part_v(run.world, i), v, 1e-6); /* the solver's rest */
        CHECK_NEAR(fabs(rope_lambda(&run, 2)), s ? 4.0 : G, 1e-6);
        run_end(&run);
    }
}

/* Fingers that close on a stop: each stop bears coef · the range's limit, not what the gain asks.
 */
TEST(an_actuator_on_a_tendon_presses_with_its_force_range)
{
    Scene scene = scene_begin();
    scene.option.gravity[2] = 0.0;
    TnBodyId hand =
        part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 5.0, (double[3]){0, 0, 0}, 0.1);
    TnJointDef rail = part_joint(hand, TN_JOINT_SLIDE, 1, 0, 0);
    tn_builder_add_joint(scene.builder, &rail);
    TnTendonJoint parts[2];
    for (int i = 0; i < 2; i++) {
        TnBodyId finger =
            part_body(&scene, hand, (double[3]){0, 0, 0}, 0.1, (double[3]){0, 0, 0}, 0.01);
        TnJointDef joint = part_joint(finger, TN_JOINT_SLIDE, i ? -1 : 1, 0, 0);
        joint.limited = true;
        joint.range[1] = 0.05;
        parts[i] = (TnTendonJoint){tn_builder_add_joint(scene.builder, &joint), 0.5};
    }
    TnTendonDef tendon = tn_tendon_def();
    tendon.joints = parts;
    tendon.joint_count = 2;
    TnActuatorDef actuator = tn_actuator_def();
    actuator.tendon = tn_builder_add_tendon(scene.builder, &tendon);
    actuator.gain = 1e4;
    actuator.bias[1] = -1e4;
    actuator.bias[2] = -100.0;
    actuator.force_limited = true;
    actuator.force_range[0] = -3.0;
    actuator.force_range[1] = 3.0;
    tn_builder_add_actuator(scene.builder, &actuator);
    Run run = run_start(&scene, 200);
    REQUIRE(run.world);
    /* a target far beyond the stops, and one that the free motion would reach within its range */
    static const double targets[2] = {0.2, 0.0505};
    for (int s = 0; s < 2; s++) {
        TnError err = {0};
        CHECK(tn_world_set_ctrl(run.world, &targets[s], &err) == TN_OK);
        for (int k = 0; k < 200; k++) tn_world_step(run.world);
        for (int i = 1; i <= 2; i++) {
            CHECK_NEAR(part_q(run.world, i), 0.05, 1e-6); /* the solver's rest */
            double force = run.world->state.row_lambda[tn_row_slot_joint(run.model, i, 1)];
            CHECK_NEAR(force, 1.5, 1e-6);
        }
    }
    run_end(&run);
}

/* ---- the world's promises ---- */

static Run busy_lift(void)
{
    Lift lift;
    lift_begin(&lift, 0.5);
    lift.tendon.limited = true;
    lift.tendon.range[1] = 0.4;
    lift.tendon.stiffness = 10.0;
    lift.tendon.damping = 1.0;
    lift.tendon.friction_loss = 0.5;
    lift.parts[1].coef = -0.3;
    lift.tendon.range[0] = -2.0;
    TnActuatorDef actuator = tn_actuator_def();
    actuator.tendon = 1;
    actuator.gain = 1e3;
    actuator.bias[1] = -1e3;
    actuator.force_limited = true;
    actuator.force_range[0] = -5.0;
    actuator.force_range[1] = 5.0;
    tn_builder_add_actuator(lift.scene.builder, &actuator);
    return lift_start(&lift);
}

TEST(a_restored_world_with_tendons_continues_bit_for_bit)
{
    Run run = busy_lift(), other = busy_lift();
    REQUIRE(run.world && other.world);
    TnError err = {0};
    for (int k = 0; k < 40; k++) tn_world_step(run.world);
    CHECK(rope_lambda(&run, 2) != 0.0); /* there is something to save */
    unsigned char buffer[4096];
    size_t size = tn_world_save_size(run.world);
    REQUIRE(size <= sizeof buffer);
    REQUIRE(tn_world_save(run.world, buffer, size, &err) == TN_OK);
    REQUIRE(tn_world_restore(other.world, buffer, size, &err) == TN_OK);
    for (int k = 0; k < 40; k++) {
        tn_world_step(run.world);
        tn_world_step(other.world);
        CHECK(tn_world_hash(run.world) == tn_world_hash(other.world));
    }
    Lift plain;
    lift_begin(&plain, 0.5);
    tn_builder_add_tendon(plain.scene.builder, &plain.tendon);
    plain.tendon.name = NULL;
    TnActuatorDef actuator = tn_actuator_def();
    actuator.tendon = 1;
    tn_builder_add_actuator(plain.scene.builder, &actuator);
    Run two = lift_start(&plain); /* the same but for a second tendon */
    REQUIRE(two.world);
    CHECK(tn_world_restore(two.world, buffer, size, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "another model");
    run_end(&two);
    run_end(&other);
    run_end(&run);
}

TEST(a_warm_step_with_tendons_allocates_nothing)
{
    Run run = busy_lift();
    REQUIRE(run.world);
    for (int k = 0; k < 20; k++) tn_world_step(run.world);
    long before = tn_malloc_count();
    int fallbacks = 0;
    for (int k = 0; k < 50; k++) fallbacks += tn_world_step(run.world).heap_fallbacks;
    CHECK(tn_malloc_count() == before && fallbacks == 0);
    run_end(&run);
}

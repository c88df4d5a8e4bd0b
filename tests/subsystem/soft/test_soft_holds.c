/* Soft bodies that are pinned, held by bodies, arms and cables, and tied to each other: static
 * forces, and no drift. */
#include "soft_touch.h"

/* Holds for the nodes of a mesh whose coordinate along an axis is `where`. */
static int hold_face(const TnTetMesh *mesh, int axis, double where, TnBodyId body,
                     TnSoftHoldDef *holds)
{
    int count = 0;
    for (int i = 0; i < mesh->node_count; i++)
        if (fabs(mesh->nodes[3 * i + axis] - where) < 1e-9)
            holds[count++] = (TnSoftHoldDef){i, body};
    return count;
}

static void march(Touch *touch, double seconds)
{
    int steps = (int)lround(seconds / touch->option.timestep);
    for (int k = 0; k < steps; k++) touch_step(touch);
}

/* Largest way of a node, or of a number in qpos, since. */
static double moved(const Touch *touch, const double *before)
{
    TnStateView state = tn_world_state(touch->world);
    double most = 0;
    for (int i = 0; i < state.qpos_count; i++) most = fmax(most, fabs(state.qpos[i] - before[i]));
    return most;
}

static double *keep(const Touch *touch)
{
    TnStateView state = tn_world_state(touch->world);
    double *copy = malloc((size_t)state.qpos_count * sizeof *copy);
    memcpy(copy, state.qpos, (size_t)state.qpos_count * sizeof *copy);
    return copy;
}

/* A soft block at the end of an arm that turns about y or slides along z, on a spring. */
static bool make_arm(Touch *touch, TnJointType type, double stiffness, int pieces)
{
    TnBodyDef body = tn_body_def();
    body.pos[2] = 1;
    TnBodyId arm = tn_builder_add_body(touch->builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = arm;
    joint.type = type;
    if (type == TN_JOINT_HINGE) joint.axis[1] = 1, joint.axis[2] = 0;
    joint.stiffness = stiffness;
    joint.damping = 0.05 * stiffness;
    tn_builder_add_joint(touch->builder, &joint);
    TnGeomDef geom = touch_geom(TN_GEOM_BOX, 0.15, 0.02, 0.02);
    geom.body = arm;
    geom.pos[0] = 0.15;
    geom.mass = 0.5;
    tn_builder_add_geom(touch->builder, &geom);
    TnSoftHoldDef holds[64];
    TnSoftDef soft = touch_block((const double[3]){0.1, 0.03, 0.03}, (const int[3]){5, 2, 2}, 1);
    soft.pos[0] = 0.4;
    soft.youngs_modulus = 1e6;
    soft.damping_stiffness = 0.01;
    soft.holds = holds;
    soft.hold_count = hold_face(&soft.mesh, 0, -0.1, arm, holds);
    soft.pieces = pieces;
    touch_add(touch, &soft);
    return touch_finish(touch);
}

/* T of a held node and the arm's own weight are taken at the middle of the arm's free motion,
 * which does not know of what it carries (docs/time-stepping.md): an error of the lever with t²,
 * 3e-5 at 10 ms and 2e-6 at 2 ms. */
TEST(an_arm_bears_the_weight_of_a_soft_body_times_its_lever)
{
    for (int i = 0; i < 4; i++) {
        Touch touch = touch_begin(i == 1 ? 0.002 : 0.01);
        double x[3];
        int pieces = i < 2 ? 0 : i;
        if (!make_arm(&touch, TN_JOINT_HINGE, 60, pieces)) return;
        march(&touch, 2.5);
        double *before = keep(&touch), q = before[0];
        touch_centre(&touch, 1, x, NULL);
        double weight = GRAVITY * tn_model_soft_info(touch.model, 1).mass;
        double torque = weight * x[0] + GRAVITY * 0.5 * 0.15 * cos(q);
        march(&touch, i == 1 ? 0.1 : UNLESS_SANITIZED(5, 0.5));
        printf("    torque %.1e, drift %.0e m\n", 60 * q / torque - 1, moved(&touch, before));
        CHECK_NEAR(60 * q / torque, 1, i == 1 ? 4e-6 : 5e-5);
        CHECK(moved(&touch, before) < 1e-9); /* 5 s */
        free(before);
        touch_end(&touch);
    }
}

/* Nothing depends on a pose there: 1e-9, what is left of the swinging after 2.5 s. */
TEST(a_spring_balance_weighs_a_soft_body)
{
    for (int pieces = 1; pieces <= 3; pieces += 2) {
        Touch touch = touch_begin(0.01);
        if (!make_arm(&touch, TN_JOINT_SLIDE, 600, pieces)) return;
        march(&touch, 2.5);
        double weight = GRAVITY * (0.5 + tn_model_soft_info(touch.model, 1).mass);
        CHECK_NEAR(-600 * tn_world_state(touch.world).qpos[0], weight, 1e-9 * weight);
        touch_end(&touch);
    }
}

/* Momentum of arm and soft body; the arm's mass is 0.5 kg. */
static void arm_momentum(const Touch *touch, double P[3])
{
    double v[3], own[3], turn[3], mass = tn_model_soft_info(touch->model, 1).mass;
    touch_centre(touch, 1, NULL, v);
    tn_world_body_velocity(touch->world, 2, own, turn);
    for (int k = 0; k < 3; k++) P[k] = mass * v[k] + 0.5 * own[k];
}

/* Largest force that is missing in a quarter of a second of falling and swinging, in shares of the
 * weight. Where `touched` is given, the block meets a floor on its way. */
static double missing_force(TnJointType type, int pieces, bool *touched)
{
    double timestep = 0.002;
    Touch touch = touch_begin(timestep);
    TnGeomDef geom = touch_geom(TN_GEOM_PLANE, 0, 0, 0);
    geom.pos[2] = touched ? 0.95 : 0.0;
    tn_builder_add_geom(touch.builder, &geom);
    touch.def.solver.tolerance = 1e-10;
    if (!make_arm(&touch, type, type == TN_JOINT_HINGE ? 60 : 600, pieces)) return NAN;
    double weight = GRAVITY * (0.5 + tn_model_soft_info(touch.model, 1).mass), worst = 0;
    for (int k = 0; k < (int)lround(0.25 / timestep); k++) {
        double before[3], after[3], floor_force = 0.0;
        arm_momentum(&touch, before);
        touch_step(&touch);
        arm_momentum(&touch, after);
        for (int i = 0; i < tn_world_contact_count(touch.world); i++)
            floor_force += fabs(tn_world_contact(touch.world, i).force[2]); /* without friction */
        if (touched && floor_force > 0.0) *touched = true;
        TnReaction r = tn_world_joint_reaction(touch.world, 1);
        for (int i = 0; i < 3; i++) {
            double force = (after[i] - before[i]) / timestep;
            if (i == 2) force += weight - floor_force;
            worst = fmax(worst, fabs(r.force[i] - force) / weight);
            if (!r.known) worst = NAN;
        }
    }
    touch_end(&touch);
    return worst;
}

TEST(the_joint_of_an_arm_carries_what_moves_its_soft_body)
{
    for (int pieces = 1; pieces <= 3; pieces += 2) {
        bool touched = false;
        /* along a line nothing turns: rounding, and what the solver leaves of iterated holds */
        CHECK(missing_force(TN_JOINT_SLIDE, pieces, NULL) < 1e-8);
        /* a body that turns while it is pushed gets a rest of its turning after the solve
         * (soft/advance.c), which held nodes do not keep: 3e-4 */
        CHECK(missing_force(TN_JOINT_SLIDE, pieces, &touched) < 1e-3);
        CHECK(touched);
        /* held nodes are put where the arm is, and their equations know that to second order: 2e-4
         */
        CHECK(missing_force(TN_JOINT_HINGE, pieces, NULL) < 1e-3);
    }
}

TEST(a_free_body_on_a_soft_block_rests_with_it_for_ten_seconds)
{
    for (int pieces = 1; pieces <= 3; pieces += 2) {
        const double plate_half[3] = {0.06, 0.06, 0.01}, plate_pos[3] = {0, 0, 0.11};
        double force[3];
        Touch touch = touch_begin(0.01);
        TnGeomId ground = touch_floor(&touch);
        TnBodyId plate = touch_box(&touch, TN_JOINT_FREE, plate_half, 0.7, plate_pos);
        TnSoftHoldDef holds[64];
        TnSoftDef soft =
            touch_block((const double[3]){0.05, 0.05, 0.05}, (const int[3]){2, 2, 3}, 0.05);
        soft.youngs_modulus = 1e5;
        soft.damping_stiffness = 0.01;
        soft.friction[0] = 0.5;
        soft.holds = holds;
        soft.hold_count = hold_face(&soft.mesh, 2, 0.05, plate, holds);
        soft.pieces = pieces;
        touch_add(&touch, &soft);
        if (!touch_finish(&touch)) return;
        march(&touch, 2);
        double *before = keep(&touch);
        march(&touch, UNLESS_SANITIZED(10, 1));
        double weight = GRAVITY * (0.7 + tn_model_soft_info(touch.model, 1).mass);
        touch_force(&touch, ground, force);
        CHECK_NEAR(-force[2], weight, 1e-9 * weight); /* at rest, 60 iterations in every step */
        printf("    drift %.0e m\n", moved(&touch, before));
        CHECK(moved(&touch, before) < 1e-9);
        free(before);
        touch_end(&touch);
    }
}

#define HANG 0.1 /* m, of a hanging bar's parts */

static TnSoftDef hanging_bar(double length, int cells, double top)
{
    TnSoftDef soft = touch_block((const double[3]){0.02, 0.02, length / 2},
                                 (const int[3]){2, 2, cells}, top - length / 2);
    soft.youngs_modulus = 1e5;
    soft.damping_stiffness = 0.02;
    soft.damping_mass = 10;
    soft.poisson_ratio = 0;
    return soft;
}

/* How far a bar's lower end has come down after 2 s: one bar, or two of half the length tied to
 * each other. */
static double hang(bool tied, int pieces, double *drift)
{
    Touch touch = touch_begin(0.01);
    TnSoftHoldDef holds[64];
    TnSoftDef soft = hanging_bar(tied ? HANG : 2 * HANG, tied ? 4 : 8, 1);
    soft.holds = holds;
    soft.hold_count = hold_face(&soft.mesh, 2, tied ? HANG / 2 : HANG, TN_BODY_WORLD, holds);
    soft.pieces = pieces;
    TnSoftId upper = touch_add(&touch, &soft), lower = upper;
    if (tied) {
        soft = hanging_bar(HANG, 4, 1 - HANG);
        int count = hold_face(&soft.mesh, 2, HANG / 2, TN_BODY_WORLD, holds);
        lower = touch_add(&touch, &soft);
        for (int i = 0; i < count; i++) {
            TnTieDef tie = tn_tie_def();
            tie.soft1 = lower;
            tie.node = holds[i].node;
            tie.soft2 = upper;
            tn_builder_add_tie(touch.builder, &tie);
        }
    }
    if (!touch_finish(&touch)) return NAN;
    march(&touch, 2);
    double *before = keep(&touch), low = 1;
    TnSoftInfo info = tn_model_soft_info(touch.model, lower);
    for (int i = 0; i < info.node_count; i++) low = fmin(low, before[info.qpos_start + 3 * i + 2]);
    march(&touch, 3);
    *drift = moved(&touch, before);
    free(before);
    info = tn_model_soft_info(touch.model, upper);
    const double *x = tn_world_state(touch.world).qpos + info.qpos_start;
    for (int i = 0; i < info.node_count; i++)
        if (info.rest[3 * i + 2] > 1 - 1e-9) /* pinned: to the bit */
            CHECK(!memcmp(x + 3 * i, info.rest + 3 * i, 3 * sizeof *x));
    touch_end(&touch);
    return 1 - 2 * HANG - low;
}

/* ρ g L²/2E = 1.962 mm; half a per cent, because the weight of a tetrahedral mesh's nodes is
 * uneven. To each other they are equal but for 60 iterations. */
TEST(tied_bars_hang_like_one_bar_and_pins_keep_exactly)
{
    double drift, one = hang(false, 1, &drift), expected = 1000 * GRAVITY * 2 * HANG * HANG / 1e5;
    CHECK_NEAR(one, expected, 0.005 * expected);
    CHECK(drift < 1e-12);
    for (int pieces = 1; pieces <= 3; pieces += 2) {
        double two = hang(true, pieces, &drift);
        printf("    %.9f mm, tied %.9f, drift %.0e m\n", 1e3 * one, 1e3 * two, drift);
        CHECK_NEAR(two, one, 1e-9);
        CHECK(drift < 1e-12);
    }
}

/* A block of 0.5 kg below a cable of 31 g: the stretch between its segments is the weight below.
 * In groups of segments springs are iterated, too. */
TEST(a_cable_bears_the_soft_body_that_its_last_segment_holds)
{
    for (int groups = 0; groups < 2; groups++) {
        Touch touch = touch_begin(0.01);
        TnRodDef rod = tn_rod_def();
        rod.segment_count = 8;
        rod.start[2] = 1.4, rod.end[2] = 1;
        rod.radius = 0.005;
        rod.youngs_modulus = 1e7;
        rod.damping_time = 0.05;
        rod.contact_type = rod.contact_affinity = 0;
        TnRodId id = tn_builder_add_rod(touch.builder, &rod);
        TnBodyId first = tn_builder_rod_parts(touch.builder, id).body;
        TnEqualityDef weld = tn_equality_def();
        weld.type = TN_EQUALITY_WELD;
        weld.body1 = first;
        tn_builder_add_equality(touch.builder, &weld);
        TnSoftHoldDef holds[64];
        TnSoftDef soft =
            touch_block((const double[3]){0.04, 0.04, 0.04}, (const int[3]){2, 2, 2}, 0.96);
        soft.youngs_modulus = 2e5;
        soft.damping_stiffness = 0.02;
        soft.holds = holds;
        soft.hold_count = hold_face(&soft.mesh, 2, 0.04, first + 7, holds);
        touch_add(&touch, &soft);
        if (groups) touch.def.division = (TnDivisionDef){TN_DIVISION_GROUPS, 4, 0};
        if (!touch_finish(&touch)) return;
        march(&touch, groups ? 4 : 3); /* iterated springs settle over the steps */
        double above[3], below[3], quat[4], worst = 0;
        for (int i = 0; i < 7; i++) {
            tn_world_body_pose(touch.world, first + i, above, quat);
            tn_world_body_pose(touch.world, first + i + 1, below, quat);
            double length = i ? 0.05 : 0.075; /* of the spring: the first begins at the clamp */
            double tension = 1e7 * PI * 25e-6 * (above[2] - below[2] - 0.05) / length;
            double mass = tn_model_soft_info(touch.model, 1).mass +
                          (7 - i) * tn_model_body_info(touch.model, first).mass;
            worst = fmax(worst, fabs(tension / (mass * GRAVITY) - 1));
        }
        printf("    %s: weight to %.0e\n", groups ? "in groups" : "whole", worst);
        CHECK(worst < (groups ? 1e-5 : 1e-8));
        touch_end(&touch);
    }
}

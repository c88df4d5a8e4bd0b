/* The pull of the mouse at bodies and soft bodies, without a window. */
#include "../../apps/view/pull.c"
#include "../../apps/view/pull_soft.c"

#include "stage.h"

static double pull_for(TnWorld *world, const Pull *pull, int steps, double *largest)
{
    PullStrength strength = pull_strength(tn_world_model(world), pull->body);
    double force[3], torque[3], at[3], square = 0;
    *largest = 0;
    for (int i = 0; i <= steps; i++) {
        pull_wrench(pull, &strength, world, force, torque, at);
        square = 0;
        for (int k = 0; k < 3; k++) square += (pull->target[k] - at[k]) * (pull->target[k] - at[k]);
        *largest = fmax(*largest, sqrt(square));
        if (i == steps) break;
        tn_world_apply_wrench(world, pull->body, force, torque);
        CHECK(!tn_world_step(world).diverged);
    }
    return sqrt(square);
}

TEST(a_pulled_body_comes_to_the_mouse_at_any_mass_and_step)
{
    const double masses[] = {1e-5, 1, 1e6}, steps[] = {0.0005, 0.01, 0.05};
    for (int m = 0; m < 3; m++)
        for (int s = 0; s < 3; s++) {
            Stage stage = make_stage(make_boxes(1, masses[m], false, steps[s]));
            Pull pull = {.kind = PULL_MOVE,
                         .body = 2,
                         .anchor = {0.1, 0.1, 0.1}, /* a corner */
                         .target = {0.5, -0.2, 0.6},
                         .stiffness = 100};
            double largest, start = sqrt(0.4 * 0.4 + 0.3 * 0.3 + 0.38 * 0.38);
            double rest = pull_for(stage.world, &pull, (int)(10 / steps[s]), &largest);
            /* ten seconds are many times the spring's own (0.2 s, about 1 s where the step of
             * 0.05 s limits it): what swings must have gone, and it never grew */
            CHECK_NEAR(rest, 0, 0.01 * start);
            CHECK(largest < 1.01 * start);
            free_stage(&stage);
        }
}

TEST(the_force_at_the_mouse_turns_the_body_about_its_centre)
{
    Stage stage = make_stage(make_boxes(2, 2, false, 0.01)); /* the other box does not count */
    Pull pull = {.kind = PULL_MOVE,
                 .body = 2,
                 .anchor = {0.1, 0, 0},
                 .target = {0.1, 1, 0.12}, /* the body stands at (0, 0, 0.12) */
                 .stiffness = 100};
    PullStrength strength = pull_strength(stage.model, 2);
    double force[3], torque[3], at[3];
    pull_wrench(&pull, &strength, stage.world, force, torque, at);
    CHECK_NEAR(strength.mass, 2, 0);
    CHECK_NEAR(force[1], 2 * 100 * 1, 1e-9); /* rounding */
    CHECK_NEAR(force[0], 0, 1e-9);
    CHECK_NEAR(torque[2], 0.1 * force[1], 1e-9);
    CHECK_NEAR(torque[0], 0, 1e-9);
    free_stage(&stage);
}

TEST(a_turned_body_comes_to_the_wanted_pose)
{
    const double half = 0.6;
    for (int s = 0; s < 2; s++) {
        Stage stage = make_stage(make_boxes(1, 3, false, s ? 0.05 : 0.002));
        Pull pull = {.kind = PULL_TURN,
                     .body = 2,
                     .rotation = {cos(half), 0, sin(half), 0},
                     .stiffness = 100};
        double largest, pos[3], quat[4];
        pull_for(stage.world, &pull, s ? 200 : 5000, &largest);
        tn_world_body_pose(stage.world, 2, pos, quat);
        double dot = fabs(quat[0] * cos(half) + quat[2] * sin(half));
        CHECK_NEAR(dot, 1, 1e-5);    /* a swing of 0.01 rad that is left */
        CHECK_NEAR(pos[0], 0, 1e-9); /* a torque moves no centre */
        free_stage(&stage);
    }
}

/* A finger of 10 g on an arm of 10 kg: the spring is scaled by the arm and must not shake the
 * finger apart. */
TEST(pulling_a_light_finger_moves_the_heavy_arm)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    option.gravity[2] = 0;
    tn_builder_set_option(builder, &option, (TnSource){0});
    TnBodyId parent = TN_BODY_WORLD;
    for (int i = 0; i < 2; i++) {
        TnBodyDef body = tn_body_def();
        body.parent = parent;
        body.pos[0] = i ? 0.5 : 0;
        parent = tn_builder_add_body(builder, &body);
        TnJointDef joint = tn_joint_def();
        joint.body = parent;
        joint.damping = i ? 0 : 1; /* as in a real arm: in a light pull it would swing for long */
        tn_builder_add_joint(builder, &joint);
        TnGeomDef box = tn_geom_def();
        box.body = parent;
        box.type = TN_GEOM_BOX;
        box.size[0] = i ? 0.02 : 0.25;
        box.size[1] = box.size[2] = 0.02;
        box.pos[0] = box.size[0];
        box.mass = i ? 0.01 : 10;
        box.contact_type = box.contact_affinity = 0;
        tn_builder_add_geom(builder, &box);
    }
    TnBodyDef tag = tn_body_def(); /* fixed to the finger: a part of it that must not count twice */
    tag.parent = parent;
    tn_builder_add_body(builder, &tag);
    TnModel *model = tn_builder_compile(builder, NULL);
    tn_builder_destroy(builder);
    REQUIRE(model);
    Stage stage = make_stage(model);
    Pull pull = {.kind = PULL_MOVE,
                 .body = 3,
                 .anchor = {0.04, 0, 0},
                 .target = {0, 0.52, 0},
                 .stiffness = 100};
    CHECK_NEAR(pull_strength(model, 3).mass, 10.01, 1e-12);
    double largest, rest = pull_for(stage.world, &pull, 2000, &largest);
    /* 20 s, in which the arm's swing of 0.6/s has died out to e^-12; it reaches there, as it is
     * 0.54 m long, and on the way no point is farther than a diameter */
    CHECK_NEAR(rest, 0, 0.01);
    CHECK(largest < 1.1);
    free_stage(&stage);
}

TEST(a_fixed_body_is_not_pulled)
{
    Stage stage = make_stage(make_boxes(1, 1, true, 0.01));
    Pull pull = {.kind = PULL_MOVE, .body = TN_BODY_WORLD, .target = {1, 1, 1}, .stiffness = 100};
    PullStrength strength = pull_strength(stage.model, TN_BODY_WORLD);
    double force[3] = {1, 1, 1}, torque[3] = {1, 1, 1}, at[3];
    pull_wrench(&pull, &strength, stage.world, force, torque, at);
    for (int k = 0; k < 3; k++) CHECK(force[k] == 0 && torque[k] == 0);
    free_stage(&stage);
}

TEST(a_pulled_soft_body_comes_to_the_mouse_however_stiff_it_is)
{
    const double young[] = {1e4, 1e6, 1e8}, steps[] = {0.01, 0.03};
    for (int y = 0; y < UNLESS_SANITIZED(3, 1); y++)
        for (int s = 0; s < 2; s++) {
            Stage stage = make_stage(make_soft(young[y], steps[s]));
            REQUIRE(stage.world != NULL);
            const TnSceneSurface *surface = &stage.scene->surfaces[0];
            Pull pull = {
                .kind = PULL_MOVE,
                .soft = 1,
                .nodes = {surface->triangles[0], surface->triangles[1], surface->triangles[2]},
                .weights = {0.5, 0.25, 0.25},
                .stiffness = 100};
            SoftGrip grip = {0};
            REQUIRE(!soft_grip_fits(&grip, &pull) && soft_grip_take(&grip, &pull, stage.world));
            double force[3], at[3], start[3], sum = 0;
            for (int i = 0; i < grip.count; i++) sum += grip.shares[i];
            CHECK_NEAR(sum, 1, 1e-12);
            CHECK(grip.count > 3 && grip.shown < grip.mass);
            held_point(&pull, tn_world_state(stage.world).qpos, start);
            for (int k = 0; k < 3; k++) pull.target[k] = start[k] + 0.2 * (k + 1);
            double first = 0, distance = 0, largest = 0;
            for (int i = 0; i < (int)(4 / steps[s]); i++) {
                soft_grip_pull(&grip, &pull, stage.world, force, at);
                CHECK(!tn_world_step(stage.world).diverged);
                distance = 0;
                for (int k = 0; k < 3; k++)
                    distance += (at[k] - pull.target[k]) * (at[k] - pull.target[k]);
                distance = sqrt(distance);
                if (i == 0) first = distance;
                largest = fmax(largest, distance);
            }
            /* the point is where the triangle is at first; four seconds are many times the
             * spring's own, and what spins on slows down within them */
            CHECK_NEAR(first, 0.2 * sqrt(14), 1e-9);
            CHECK_NEAR(distance, 0, 0.02 * first);
            CHECK(largest < 1.01 * first);
            soft_grip_free(&grip);
            free_stage(&stage);
        }
}

/* Soft bodies between two plates and in grooves, held by friction, against statics. */
#include "soft_touch.h"

/* Two plates move along x, each pressed inwards by a motor; what they hold hangs in between. */
typedef struct Press {
    double force;       /* N, of each plate */
    double left, right; /* friction */
    bool ball;
    bool gravity;
    double poisson;
} Press;

#define SIDE 0.03 /* m, half of the block's width; radius of the ball */
#define TALL 0.06 /* m, half of the block's height */

static TnGeomId add_plate(Touch *touch, double side, double mu)
{
    TnBodyDef body = tn_body_def();
    body.pos[0] = side * (SIDE + 0.01);
    TnBodyId id = tn_builder_add_body(touch->builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_SLIDE;
    joint.axis[0] = -side, joint.axis[1] = joint.axis[2] = 0;
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = tn_builder_add_joint(touch->builder, &joint);
    tn_builder_add_actuator(touch->builder, &motor);
    TnGeomDef geom = touch_geom(TN_GEOM_BOX, 0.01, 0.2, 0.2);
    geom.body = id;
    geom.mass = 0.1;
    geom.friction[0] = mu;
    geom.contact_type = 2;
    return tn_builder_add_geom(touch->builder, &geom);
}

static bool make_press(const Press *p, Touch *touch)
{
    *touch = touch_begin(0.01);
    touch->option.gravity[2] = p->gravity ? -GRAVITY : 0;
    add_plate(touch, -1, p->left);
    add_plate(touch, 1, p->right);
    TnSoftDef soft = tn_soft_def();
    if (p->ball) {
        TnError err = {0};
        CHECK(tn_tet_mesh_ball(SIDE, 3, &soft.mesh, &err));
        soft.friction[0] = 0;
    } else {
        soft = touch_block((const double[3]){SIDE, SIDE, TALL}, (const int[3]){3, 3, 6}, 0);
    }
    soft.youngs_modulus = 1e5;
    soft.poisson_ratio = p->poisson;
    soft.damping_stiffness = 0.01;
    soft.contact_affinity = 2;
    touch_add(touch, &soft);
    TnError err = {0};
    if (!touch_finish(touch)) return false;
    CHECK(tn_world_set_ctrl(touch->world, (const double[2]){p->force, p->force}, &err) == TN_OK);
    return true;
}

typedef struct Fall {
    double acceleration; /* share of g, downwards, from 0.4 to 0.6 s */
    double speed;        /* m/s, at the end */
    double slip;         /* m, in the last 0.2 s */
    double carried;      /* share of the weight in the last step */
    double squeeze[2];   /* N, of the plates in the last step */
} Fall;

/* What the plates do not hold falls; `share` is what they can hold over the weight. */
static Fall hang(Press p, double share)
{
    const double volume = p.ball ? 0 : 8 * SIDE * SIDE * TALL;
    Touch touch;
    Fall fall = {0};
    double from[3], to[3], before[3], after[3], force[3];
    if (!make_press(&p, &touch)) return (Fall){.acceleration = NAN};
    TnSoftInfo soft = tn_model_soft_info(touch.model, 1);
    double weight = GRAVITY * soft.mass;
    TnError err = {0};
    if (!p.ball) CHECK_NEAR(soft.mass, 1000 * volume, 1e-12);
    p.force = share * weight / (p.left + p.right);
    CHECK(tn_world_set_ctrl(touch.world, (const double[2]){p.force, p.force}, &err) == TN_OK);
    for (int k = 0; k < 40; k++) touch_step(&touch);
    touch_centre(&touch, 1, from, before);
    for (int k = 0; k < 20; k++) touch_step(&touch);
    touch_centre(&touch, 1, to, after);
    fall.acceleration = (before[2] - after[2]) / (0.2 * GRAVITY);
    fall.speed = -after[2];
    fall.slip = from[2] - to[2];
    touch_force(&touch, soft.geom, force);
    fall.carried = force[2] / weight;
    for (int i = 0; i < tn_world_contact_count(touch.world); i++) {
        TnContact contact = tn_world_contact(touch.world, i);
        fall.squeeze[contact.pos[0] > 0] += fabs(contact.force[0]) / p.force;
    }
    touch_end(&touch);
    return fall;
}

/* Sliding, friction is μN at either plate whatever the block's shape, so it falls with g (1 -
 * share), also where that is negative until it rests; resting, friction is the weight. The block
 * is tall enough to bear the torque of unequal friction. */
TEST(plates_hold_a_soft_block_when_mu_n_exceeds_its_weight_and_not_below)
{
    for (int unequal = 0; unequal < 2; unequal++) {
        const Press p = {.left = unequal ? 0.6 : 0.5,
                         .right = unequal ? 0.2 : 0.5,
                         .gravity = true,
                         .poisson = 0.3};
        Fall fall = hang(p, 0.999);
        CHECK_NEAR(fall.acceleration, 1e-3, 1e-6); /* settled: rounding of 60 iterations */
        CHECK(fall.speed > 0.01);
        fall = hang(p, 1.001);
        CHECK_NEAR(fall.acceleration, -1e-3, 1e-6); /* slipped at first, and comes to rest later */
        fall = hang(p, 1.01);
        CHECK_NEAR(fall.carried, 1, 1e-10);
        CHECK_NEAR(fall.squeeze[0], 1, 1e-9); /* the motors' force */
        CHECK_NEAR(fall.squeeze[1], 1, 1e-9);
        CHECK_NEAR(fall.slip, 0, 1e-12);
    }
}

/* A ball in the same way; 1e-4, because it flattens against the plates at a changing place as it
 * slides, and friction is not upright everywhere. */
TEST(plates_hold_a_soft_ball_when_mu_n_exceeds_its_weight_and_not_below)
{
    const Press p = {.left = 0.5, .right = 0.5, .ball = true, .gravity = true, .poisson = 0.3};
    CHECK_NEAR(hang(p, 0.999).acceleration, 1e-3, 1e-4);
    CHECK_NEAR(hang(p, 1.001).acceleration, -1e-3, 1e-4);
    Fall fall = hang(p, 1.1);
    CHECK_NEAR(fall.carried, 1, 1e-9);
    CHECK_NEAR(fall.slip, 0, 1e-9);
    CHECK_NEAR(fall.squeeze[0], 1, 1e-8);
    CHECK_NEAR(fall.squeeze[1], 1, 1e-8);
}

/* Uniform stress F/A between frictionless plates: strain F/AE along the press and ν of that
 * across, for linear elements without error. 1e-9 of the length: a second at rest with 60
 * iterations each step. */
TEST(a_pressed_block_has_uniform_pressure_and_poissons_bulge)
{
    const double ratios[] = {0, 0.3, 0.45};
    for (int i = 0; i < 3; i++) {
        const Press p = {.poisson = ratios[i], .force = 36};
        double area = 4 * SIDE * TALL, strain = p.force / (area * 1e5), size[3], sum[2] = {0};
        const double expected[3] = {2 * SIDE * (1 - strain), 2 * SIDE * (1 + p.poisson * strain),
                                    2 * TALL * (1 + p.poisson * strain)};
        static double stress[6 * 512];
        TnError err = {0};
        Touch touch;
        if (!make_press(&p, &touch)) return;
        for (int k = 0; k < 100; k++) touch_step(&touch);
        TnSoftInfo soft = tn_model_soft_info(touch.model, 1);
        const double *x = tn_world_state(touch.world).qpos + soft.qpos_start;
        for (int a = 0; a < 3; a++) {
            double low = x[a], high = x[a];
            for (int n = 0; n < soft.node_count; n++) {
                low = fmin(low, x[3 * n + a]);
                high = fmax(high, x[3 * n + a]);
            }
            size[a] = high - low;
            CHECK_NEAR(size[a], expected[a], 1e-9 * expected[a]);
        }
        for (int c = 0; c < tn_world_contact_count(touch.world); c++) {
            TnContact contact = tn_world_contact(touch.world, c);
            sum[contact.pos[0] > 0] += fabs(contact.force[0]);
        }
        CHECK_NEAR(sum[0], p.force, 1e-9 * p.force);
        CHECK_NEAR(sum[1], p.force, 1e-9 * p.force);
        REQUIRE(soft.tet_count <= 512);
        CHECK(tn_world_soft_stress(touch.world, 1, stress, NULL, &err) == TN_OK);
        double worst = 0;
        for (int n = 0; n < soft.tet_count; n++) {
            worst = fmax(worst, fabs(stress[6 * n] / stress[0] - 1));
            for (int k = 1; k < 6; k++) worst = fmax(worst, fabs(stress[6 * n + k] / stress[0]));
        }
        /* true stress: by the area as it is now */
        double bulge = (1 + p.poisson * strain) * (1 + p.poisson * strain);
        CHECK_NEAR(stress[0], -p.force / (area * bulge), 1e-8 * p.force / area);
        CHECK(worst < 1e-8);
        touch_end(&touch);
    }
}

/* Two planes that fall towards the middle by these angles, along x; a block on its edge lies in
 * between. */
static bool make_groove(Touch *touch, double left, double right, double slope, double mu)
{
    *touch = touch_begin(0.005);
    touch_slope(touch, slope);
    for (int side = 0; side < 2; side++) {
        TnGeomDef plane = touch_geom(TN_GEOM_PLANE, 0, 0, 0);
        double turn = side ? right : -left; /* about x; normal (0, -sin, cos) */
        plane.quat[0] = cos(turn / 2), plane.quat[1] = sin(turn / 2);
        tn_builder_add_geom(touch->builder, &plane);
    }
    const double half[3] = {0.1, 0.05, 0.05};
    TnSoftDef soft = touch_block(half, (const int[3]){4, 2, 2}, 0);
    /* its edge at the bottom, its sides on the planes where these are at right angles */
    soft.quat[0] = cos(right / 2), soft.quat[1] = sin(right / 2);
    soft.pos[1] = 0.05 * (cos(right) - sin(right));
    soft.pos[2] = 0.05 * (sin(right) + cos(right));
    soft.friction[0] = mu;
    soft.youngs_modulus = 3e5;
    soft.damping_stiffness = 0.01;
    touch_add(touch, &soft);
    return touch_finish(touch);
}

/* In a groove of right angles the planes carry mg sin and mg cos of the right one's angle;
 * friction along it is that of μ (sin + cos). */
TEST(planes_of_a_groove_share_the_weight_and_friction_along_it)
{
    const double angles[] = {PI / 4, PI / 6, PI / 2.5};
    for (int i = 0; i < 3; i++) {
        double right = angles[i], left = PI / 2 - right, mu = 0.3, sum[2] = {0}, v[2][3];
        Touch touch;
        if (!make_groove(&touch, left, right, 0, 0)) return;
        for (int k = 0; k < 200; k++) touch_step(&touch);
        double weight = GRAVITY * tn_model_soft_info(touch.model, 1).mass;
        for (int c = 0; c < tn_world_contact_count(touch.world); c++) {
            TnContact contact = tn_world_contact(touch.world, c);
            const double *f = contact.force;
            sum[contact.geom2 == 2] += sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        }
        touch_end(&touch);
        CHECK_NEAR(sum[0], weight * sin(right), 1e-9 * weight); /* at rest after a second */
        CHECK_NEAR(sum[1], weight * cos(right), 1e-9 * weight);

        double both = mu * (sin(right) + cos(right));
        for (int steeper = -1; steeper <= 1; steeper += 2) {
            double slope = atan(both) * (1 + steeper * 1e-3);
            if (!make_groove(&touch, left, right, slope, mu)) return;
            for (int k = 0; k < 200; k++) {
                touch_step(&touch);
                touch_centre(&touch, 1, NULL, v[k >= 100]);
            }
            touch_end(&touch);
            /* still sliding in both cases; half a second after the start nothing rings */
            CHECK_NEAR((v[1][0] - v[0][0]) / (0.5 * GRAVITY * sin(slope)), 1 - both / tan(slope),
                       1e-7);
        }
    }
}

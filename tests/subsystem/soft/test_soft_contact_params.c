/* What the contact parameters of soft bodies do: margin, radius, friction's dimension, priority,
 * masks, excludes, restitution. */
#include "soft_touch.h"

typedef struct Params {
    TnGeomDef ground;
    TnSoftDef block; /* 0.1 × 0.1 × 0.04 m, its lower side at `height` */
    double timestep, height, slope, gravity;
    bool excluded, on_body;
} Params;

static Params params(void)
{
    Params p = {.timestep = 0.01, .ground = touch_geom(TN_GEOM_PLANE, 0, 0, 0), .gravity = GRAVITY};
    p.block = touch_block((const double[3]){0.05, 0.05, 0.02}, (const int[3]){2, 2, 1}, 0);
    p.block.youngs_modulus = 1e6;
    p.block.damping_stiffness = 0.01;
    return p;
}

static bool make(Params *p, Touch *touch)
{
    *touch = touch_begin(p->timestep);
    touch_slope(touch, p->slope);
    for (int k = 0; k < 3; k++) touch->option.gravity[k] *= p->gravity / GRAVITY;
    if (p->on_body) {
        TnBodyDef body = tn_body_def();
        p->ground.body = tn_builder_add_body(touch->builder, &body);
        TnJointDef joint = tn_joint_def();
        joint.body = p->ground.body;
        joint.type = TN_JOINT_SLIDE;
        joint.axis[0] = 1, joint.axis[2] = 0;
        tn_builder_add_joint(touch->builder, &joint);
        p->ground.type = TN_GEOM_BOX;
        p->ground.size[0] = p->ground.size[1] = 1, p->ground.size[2] = 0.1;
        p->ground.pos[2] = -0.1;
        if (p->excluded)
            tn_builder_add_exclude(touch->builder, TN_BODY_WORLD, p->ground.body, (TnSource){0});
    }
    tn_builder_add_geom(touch->builder, &p->ground);
    p->block.pos[2] = p->height + 0.02;
    touch_add(touch, &p->block);
    return touch_finish(touch);
}

static double lowest(const Touch *touch)
{
    TnSoftInfo info = tn_model_soft_info(touch->model, 1);
    const double *x = tn_world_state(touch->world).qpos + info.qpos_start;
    double low = x[2];
    for (int i = 0; i < info.node_count; i++) low = fmin(low, x[3 * i + 2]);
    return low;
}

/* Without gravity nothing moves that is farther away than the margin. */
TEST(margin_is_a_distance_that_is_kept)
{
    for (int whose = 0; whose < 3; whose++) {
        Params p = params();
        Touch touch;
        p.gravity = 0;
        p.height = 0.01;
        if (whose == 1) p.ground.margin = 0.01;
        if (whose == 2) p.block.margin = 0.01;
        if (!make(&p, &touch)) return;
        touch_step(&touch);
        CHECK(tn_world_contact_count(touch.world) == (whose ? 9 : 0));
        for (int i = 0; i < tn_world_contact_count(touch.world); i++) {
            TnContact contact = tn_world_contact(touch.world, i);
            CHECK_NEAR(contact.gap, 0.0, 1e-12); /* rounding */
        }
        touch_end(&touch);
    }
}

TEST(radius_keeps_the_mesh_above_the_ground)
{
    const double radii[] = {0, 0.003};
    for (int i = 0; i < 2; i++) {
        Params p = params();
        Touch touch;
        p.block.radius = radii[i];
        p.height = 0.01;
        if (!make(&p, &touch)) return;
        for (int k = 0; k < 100; k++) touch_step(&touch);
        CHECK_NEAR(lowest(&touch), radii[i], 1e-9); /* it touches in the step in which it arrives */
        touch_end(&touch);
    }
}

/* Acceleration down a slope without friction and with μ is g (sin - μ cos). */
static double friction_of(Params p)
{
    Touch touch;
    double v[2][3];
    p.slope = 0.6;
    if (!make(&p, &touch)) return NAN;
    for (int k = 0; k < 60; k++) {
        touch_step(&touch);
        touch_centre(&touch, 1, NULL, v[k >= 40]);
    }
    touch_end(&touch);
    return (sin(0.6) - (v[1][0] - v[0][0]) / (0.2 * GRAVITY)) / cos(0.6);
}

TEST(friction_is_the_larger_one_or_that_of_the_higher_priority)
{
    Params p = params();
    p.ground.friction[0] = 0.2, p.block.friction[0] = 0.4;
    CHECK_NEAR(friction_of(p), 0.4, 1e-9);
    p = params();
    p.ground.friction[0] = 0.5, p.block.friction[0] = 0.1;
    CHECK_NEAR(friction_of(p), 0.5, 1e-9);
    p = params();
    p.ground.friction[0] = 0.5, p.block.friction[0] = 0.1, p.block.priority = 1;
    CHECK_NEAR(friction_of(p), 0.1, 1e-9);
    p = params();
    p.ground.friction[0] = 0.2, p.block.friction[0] = 0.5, p.ground.priority = 1;
    CHECK_NEAR(friction_of(p), 0.2, 1e-9);
}

TEST(one_dimensional_contacts_have_no_friction)
{
    Params p = params();
    p.ground.friction[0] = p.block.friction[0] = 0.5;
    p.ground.contact_dim = p.block.contact_dim = 1;
    CHECK_NEAR(friction_of(p), 0, 1e-9);
    p = params(); /* the larger one counts … */
    p.ground.friction[0] = p.block.friction[0] = 0.5;
    p.block.contact_dim = 1;
    CHECK_NEAR(friction_of(p), 0.5, 1e-9);
    p = params(); /* … but for priority */
    p.ground.friction[0] = p.block.friction[0] = 0.5;
    p.block.contact_dim = p.block.priority = 1;
    CHECK_NEAR(friction_of(p), 0, 1e-9);
    p = params(); /* torsional and rolling friction of the ground is left out on soft surfaces */
    p.ground.friction[0] = 0.3;
    p.ground.contact_dim = 6;
    CHECK_NEAR(friction_of(p), 0.3, 1e-9);
}

static bool falls_through(Params p)
{
    Touch touch;
    if (!make(&p, &touch)) return false;
    for (int k = 0; k < 30; k++) touch_step(&touch);
    double low = lowest(&touch);
    touch_end(&touch);
    if (low < -0.1) return true;
    CHECK_NEAR(low, 0, 1e-6);
    return false;
}

TEST(masks_and_excludes_say_who_meets_whom)
{
    const int masks[][5] = {/* type and affinity of the ground, of the block; meets */
                            {1, 1, 1, 1, 1}, {0, 0, 1, 1, 0}, {1, 0, 0, 1, 1},
                            {0, 2, 2, 0, 1}, {2, 1, 2, 1, 0}, {4, 1, 2, 6, 1}};
    for (int i = 0; i < 6; i++) {
        Params p = params();
        p.ground.contact_type = masks[i][0], p.ground.contact_affinity = masks[i][1];
        p.block.contact_type = masks[i][2], p.block.contact_affinity = masks[i][3];
        CHECK(falls_through(p) == !masks[i][4]);
    }
    for (int excluded = 0; excluded < 2; excluded++) {
        Params p = params();
        p.on_body = true;
        p.excluded = excluded;
        CHECK(falls_through(p) == excluded);
    }
}

/* Nodes are thrown back, and what the block's inside does comes on top: energy is lost to its
 * ringing, never gained; a stiff block comes to ε² of its height, less the last step's fall before
 * the hit, v t/2 = 7 mm, in which it is not taken to the ground. */
TEST(restitution_throws_a_soft_block_back_and_adds_no_energy)
{
    const double restitutions[] = {0.5, 0.9, 1}, steps[] = {0.01, 0.001};
    for (int i = 0; i < 24; i++) {
        Params p = params();
        Touch touch;
        double e = restitutions[i % 3], x[3], top = 0;
        p.block.restitution = e;
        p.block.damping_stiffness = 0;
        p.block.youngs_modulus = pow(10, 4 + i / 3 % 4);
        p.timestep = steps[i / 12];
        p.height = 0.1;
        if (!make(&p, &touch)) return;
        TnEnergy energy = tn_world_energy(touch.world);
        double start = energy.kinetic + energy.potential;
        for (int k = 0; k < 0.4 / p.timestep; k++) {
            touch_step(&touch);
            energy = tn_world_energy(touch.world);
            /* elements keep energy to third order in the step; the account lets 1e-4 pass */
            CHECK(energy.kinetic + energy.potential < start * (1 + 2e-5));
            touch_centre(&touch, 1, x, NULL);
            if (k * p.timestep > 0.15) top = fmax(top, x[2] - 0.02);
        }
        touch_end(&touch);
        if (p.block.youngs_modulus < 1e7 || p.timestep < 0.01) continue;
        CHECK_NEAR(top, e * e * 0.1, 0.01);
    }
}

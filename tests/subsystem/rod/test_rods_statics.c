/* Rods at rest against the formulas of beams and chains, as a user of the library sees them: long
 * implicit steps (θ = 1) until nothing moves any more. */
#include "../../check.h"
#include "rod_scene.h"

static const double none[3] = {0};

/* A bar along x, clamped at the origin by its first segment, which is held, and with the centre of
 * its last at 1 m. The steps are longer than the bar's slowest swing (3.6 s). */
static double length_of_segments(int joints) { return 1 / (joints + 0.5); }

static bool cantilever(RodScene *scene, int joints, double gravity)
{
    *scene = rod_begin(4, 1, gravity);
    TnRodDef *rod = &scene->rod;
    rod->segment_count = joints + 1;
    rod->end[0] = 1 + 0.5 * length_of_segments(joints);
    rod->radius = 0.01;
    rod->youngs_modulus = 1e7;
    rod_add(scene);
    rod_hold(scene, 0);
    return rod_finish(scene, NULL);
}

/* Share by which the end of a bar goes down too far under a force there. */
static double force_error(int joints)
{
    RodScene scene;
    if (!cantilever(&scene, joints, 0)) return NAN;
    double bend = rod_bend(&scene.rod), force[3] = {0, 0, -3e-3 * bend}, pos[3]; /* by 1 mm */
    if (!rod_march(&scene, 100, joints, force, none)) return NAN;
    rod_pos(&scene, joints, pos);
    CHECK_NEAR(pos[2], force[2] / (3 * bend), 1e-2 * 1e-3); /* F L³ / 3 E I */
    double shear = 1 / rod_shear(&scene.rod);               /* 2.4e-4 of the whole */
    CHECK(rod_speed(&scene) < 1e-14);
    rod_end(&scene);
    return pos[2] / (force[2] * (1 / (3 * bend) + shear)) - 1;
}

/* The same under the bar's own weight; the end is that of the last segment, half of it beyond its
 * centre. */
static double weight_error(int joints)
{
    const double g = 2e-3; /* small: the end goes down by 1 mm */
    RodScene scene;
    if (!cantilever(&scene, joints, g)) return NAN;
    if (!rod_march(&scene, 100, joints, none, none)) return NAN;
    double pos[3], along[3], half = 0.5 * length_of_segments(joints), L = 1 + half;
    rod_pos(&scene, joints, pos);
    rod_direction(&scene, joints, along);
    double w = scene.rod.density * rod_area(&scene.rod) * g, sag = -(pos[2] + half * along[2]);
    double bend = w * pow(L, 4) / (8 * rod_bend(&scene.rod));
    double shear = w * L * L / (2 * rod_shear(&scene.rod));
    if (joints >= 16) CHECK_NEAR(sag, bend, 1e-2 * bend); /* w L⁴ / 8 E I */
    CHECK(rod_speed(&scene) < 1e-14);
    rod_end(&scene);
    return sag / (bend + shear) - 1;
}

/* Springs in the joints instead of bending all along: with the squared levers at the middles of the
 * pieces, each piece's integral is short by its length cubed over 12. One of them is 1.5 l long and
 * n - 1 are l: a share of (n + 2.375) l³/4 in all, about 1/(4 n²). */
TEST(bar_bends_under_an_end_force_by_FL3_over_3EI_with_second_order)
{
    const int n[3] = {8, 16, 32};
    double error[3];
    for (int i = 0; i < 3; i++) {
        error[i] = force_error(n[i]);
        double share = (n[i] + 2.375) * pow(length_of_segments(n[i]), 3) / 4;
        CHECK_NEAR(error[i] / share, -1, 1e-2); /* beyond that, slopes of 1.5e-3 */
    }
    for (int i = 0; i < 2; i++) CHECK(log2(error[i] / error[i + 1]) > 1.95);
}

TEST(bar_bends_under_its_own_weight_by_wL4_over_8EI_with_second_order)
{
    const int n[3] = {8, 16, 32};
    double error[3];
    for (int i = 0; i < 3; i++) error[i] = weight_error(n[i]);
    CHECK(fabs(error[2]) < 1e-3); /* about 1/(2 n²) */
    /* n joints are half a segment short of the beam, which the next order feels */
    for (int i = 0; i < 2; i++) CHECK(log2(error[i] / error[i + 1]) > 1.8);
}

/* Held by its second segment, which clamps it at that one's centre: all joints are alike. */
TEST(end_moment_of_two_pi_EI_over_L_rolls_a_bar_up_to_a_full_circle)
{
    const int n = 40;
    RodScene scene = rod_begin(4, 1, 0);
    TnRodDef *rod = &scene.rod;
    rod->segment_count = n + 2;
    rod->start[0] = -1.5 / n;
    rod->end[0] = 1 + 0.5 / n;
    rod->radius = 0.01;
    rod->youngs_modulus = 1e7;
    rod_add(&scene);
    rod_hold(&scene, 1);
    scene.first++; /* from here on it is segment 0 */
    REQUIRE(rod_finish(&scene, NULL));
    double moment = 2 * PI * rod_bend(&scene.rod), pos[3], a[3], b[3];
    for (int k = 1; k <= 40; k++) {
        const double torque[3] = {0, -moment * k / 40, 0};
        REQUIRE(rod_march(&scene, k < 40 ? 5 : 100, n, none, torque));
    }
    /* Each joint turns by M l / E I = 2π/n whatever n is, so that n of them close exactly. */
    const double rounding = 1e-12;
    rod_pos(&scene, n, pos);
    for (int k = 0; k < 3; k++) CHECK_NEAR(pos[k], 0, rounding);
    for (int i = 0; i < n; i++) {
        rod_direction(&scene, i, a);
        rod_direction(&scene, i + 1, b);
        /* a[0] b[2] - a[2] b[0] is the sine of the turn in the plane of the circle */
        CHECK_NEAR(asin(a[0] * b[2] - a[2] * b[0]), 2 * PI / n, rounding);
    }
    rod_pos(&scene, n / 2, pos); /* the other side: polygons of n corners are 1/n² off the circle */
    CHECK_NEAR(pos[2], 1 / PI, 1.1 * (PI * PI / 6) / (n * n) / PI);
    CHECK_NEAR(pos[0], 0, rounding);
    rod_end(&scene);
}

/* ---- a hanging chain ---- */

/* Sag of an elastic chain of unstretched length 1 between two points of one height, each `half`
 * from the middle. With its weight w per metre, the horizontal pull H, and s from the middle, x(s)
 * = H s / EA + (H/w) asinh(w s / H),   z(s) = w s² / 2EA + (H/w) (√(1 + (w s / H)²) - 1). `slope`:
 * w s / H at its ends, where it is tan of the angle there. */
static double chain_sag(double half, double w, double EA, double *slope)
{
    double low = 1e-6 * w, high = 1e3 * w, s = 0.5;
    for (int k = 0; k < 200; k++) { /* x grows with H */
        double H = 0.5 * (low + high), x = H * s / EA + H / w * asinh(w * s / H);
        *(x < half ? &low : &high) = H;
    }
    *slope = w * s / low;
    return w * s * s / (2 * EA) + low / w * (sqrt(1 + *slope * *slope) - 1);
}

/* Holds a segment with a point of the x axis `along` it from its centre, pointing forward and down
 * by `tilt`. */
static void hold_at(RodScene *scene, int segment, double x, double along, double tilt)
{
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = TN_BODY_WORLD;
    weld.body2 = scene->first + segment;
    weld.has_relpose = true;
    weld.relpos[0] = x - along * cos(tilt);
    weld.relpos[2] = along * sin(tilt);
    weld.relquat[0] = cos(PI / 4 + tilt / 2);
    weld.relquat[2] = sin(PI / 4 + tilt / 2);
    tn_builder_add_equality(scene->builder, &weld);
}

/* Relative error of the sag of a chain that its whole weight would stretch by `stretch`. Built as
 * an arc of a circle of length 1 over the chord 0.8, so that it has to find its shape. The number
 * of segments is odd: one is in the middle. */
static double chain_error(int segments, double stretch)
{
    const double half = 0.4, turn = 1.13110; /* sin(turn) = 0.8 turn */
    RodScene scene = rod_begin(0.02, 1, 9.81);
    TnRodDef *rod = &scene.rod;
    double points[3 * 128], slope, pos[3], R = 0.5 / turn;
    for (int i = 0; i <= segments; i++) {
        double a = turn * (2.0 * i / segments - 1);
        points[3 * i] = R * sin(a);
        points[3 * i + 1] = 0;
        points[3 * i + 2] = R * (cos(turn) - cos(a));
    }
    rod->points = points;
    rod->straight_rest = true;
    rod->segment_count = segments;
    rod->radius = 0.005;
    double w = rod->density * rod_area(rod) * 9.81;
    rod->youngs_modulus = w / (stretch * rod_area(rod));
    rod->bend_modulus = 1e-6 * w * 4 / (PI * pow(rod->radius, 4)); /* E I = 1e-6 w L³ */
    double sag = chain_sag(half, w, rod->youngs_modulus * rod_area(rod), &slope);
    rod_add(&scene);
    double l = 1.0 / segments;
    hold_at(&scene, 0, -half, -0.5 * l, atan(slope));
    hold_at(&scene, segments - 1, half, 0.5 * l, -atan(slope));
    if (!rod_finish(&scene, NULL)) return NAN;
    if (!rod_march(&scene, 3000, 0, none, none))
        return NAN; /* only the step itself damps the swing */
    rod_pos(&scene, segments / 2, pos);
    CHECK(rod_speed(&scene) < 1e-9);
    CHECK_NEAR(pos[0], 0, 1e-9); /* by symmetry */
    rod_end(&scene);
    return -pos[2] / sag - 1;
}

TEST(thin_rod_hangs_as_an_elastic_catenary)
{
    /* 81 straight pieces leave 1e-5 and bending 4e-6, whatever the stretch, which takes the sag
     * from 0.2655 m to 0.2957 m */
    CHECK_NEAR(chain_error(81, 1e-3), 0, 1e-4);
    CHECK_NEAR(chain_error(81, 1e-2), 0, 1e-4);
    CHECK_NEAR(chain_error(81, 1e-1), 0, 1e-4);
    /* pieces: second order, seen where they are long enough to outweigh bending */
    double coarse = chain_error(11, 1e-2), fine = chain_error(21, 1e-2);
    CHECK(log2(coarse / fine) > 1.8);
}

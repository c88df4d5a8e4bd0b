/* Nothing passes through anything: cables and soft bodies at 20 m/s, against plates of a
 * millimetre, thin wires and each other, with steps of 1 to 20 ms, in which they would go up to 0.4
 * m.
 *
 * Whether a cable went through a wire, a bar or another cable is told by Gauss' linking integral of
 * the two curves. It grows with the turns that one makes about the other, continuously while they
 * move past each other, and jumps by one where they cross. */
#include "../check.h"
#include "../subsystem/soft/soft_scenes.h"

#include "math/vec3.h"

#define SPEED 20.0
static const double steps[] = {1e-3, 2e-3, 5e-3, 10e-3, 20e-3};
#define STEPS (int)(sizeof steps / sizeof *steps)
#define FIRST UNLESS_SANITIZED(0, 2)

/* ---- curves ---- */

/* Solid angle of the triangle of three directions, signed. */
static double triangle_angle(const double a[3], const double b[3], const double c[3])
{
    double bc[3], x = sqrt(v3_dot(a, a)), y = sqrt(v3_dot(b, b)), z = sqrt(v3_dot(c, c));
    v3_cross(bc, b, c);
    return 2 *
           atan2(v3_dot(a, bc), x * y * z + v3_dot(a, b) * z + v3_dot(b, c) * x + v3_dot(c, a) * y);
}

/* Share of two lines p q and r s in the integral: the solid angle of the differences of their
 * points. */
static double link_of_lines(const double p[3], const double q[3], const double r[3],
                            const double s[3])
{
    double pr[3], ps[3], qr[3], qs[3];
    v3_sub(pr, r, p);
    v3_sub(ps, s, p);
    v3_sub(qr, r, q);
    v3_sub(qs, s, q);
    return (triangle_angle(pr, ps, qs) + triangle_angle(pr, qs, qr)) / (4 * PI);
}

typedef struct Curve {
    int count;
    double x[2 * 72][3];
} Curve;

static double linking(const Curve *a, const Curve *b)
{
    double sum = 0;
    for (int i = 0; i + 1 < a->count; i++)
        for (int j = 0; j + 1 < b->count; j++)
            sum += link_of_lines(a->x[i], a->x[i + 1], b->x[j], b->x[j + 1]);
    return sum;
}

/* ---- cables ---- */

/* As many segments as make them no longer than the cable is thick: there is no bend so sharp that
 * two of them would part. Stiff ones do with fewer. */
#define FINE 72
#define COARSE 24

typedef struct Cable {
    TnRodDef rod;
    TnBodyId first;
} Cable;

typedef struct Throw {
    TnModelBuilder *builder;
    TnModel *model;
    TnWorld *world;
    int cable_count;
    Cable cables[2];
} Throw;

static Throw begin(double timestep)
{
    Throw s = {.builder = tn_builder_create()};
    TnOption option = tn_option();
    option.timestep = timestep;
    option.gravity[2] = 0;
    tn_builder_set_option(s.builder, &option, (TnSource){0});
    return s;
}

static Cable *add_cable(Throw *s, const double start[3], const double end[3], double stiffness,
                        int segments)
{
    Cable *c = &s->cables[s->cable_count++];
    c->rod = tn_rod_def();
    c->rod.segment_count = segments;
    c->rod.radius = 0.002;
    c->rod.youngs_modulus = stiffness;
    c->rod.damping_time = 0.005;
    memcpy(c->rod.start, start, sizeof c->rod.start);
    memcpy(c->rod.end, end, sizeof c->rod.end);
    TnRodId id = tn_builder_add_rod(s->builder, &c->rod);
    c->first = tn_builder_rod_parts(s->builder, id).body;
    return c;
}

static void add_fixed(Throw *s, TnGeomType type, double x, double y, double z)
{
    TnGeomDef geom = tn_geom_def();
    geom.type = type;
    geom.size[0] = x;
    geom.size[1] = y;
    geom.size[2] = z;
    if (type == TN_GEOM_CAPSULE) { /* along y */
        geom.quat[0] = geom.quat[1] = sqrt(0.5);
        geom.quat[2] = geom.quat[3] = 0;
    }
    tn_builder_add_geom(s->builder, &geom);
}

static bool finish(Throw *s)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    s->model = tn_builder_compile(s->builder, &err);
    tn_builder_destroy(s->builder);
    s->world = tn_world_create(&def, s->model, &err);
    if (!s->world) test_fail(__FILE__, __LINE__, "%s", err.message);
    return s->world != NULL;
}

static void end(Throw *s)
{
    tn_world_destroy(s->world);
    tn_model_destroy(s->model);
}

/* Speed along z of all segments of a cable, in v. */
static void throw_cable(const Cable *c, double speed, double *v)
{
    for (int i = 0; i < c->rod.segment_count; i++) v[6 * (c->first - 2 + i) + 2] = speed;
}

static void set_velocity(Throw *s, const double *v)
{
    TnError err = {0};
    CHECK(tn_world_set_state(s->world, NULL, v, &err) == TN_OK);
}

static Curve curve_of(const Throw *s, const Cable *c)
{
    Curve curve = {0};
    int n = c->rod.segment_count;
    double half = 0, d[3];
    v3_sub(d, c->rod.end, c->rod.start);
    half = 0.5 * sqrt(v3_dot(d, d)) / n;
    for (int i = 0; i < n; i++) {
        double pos[3], q[4];
        tn_world_body_pose(s->world, c->first + i, pos, q);
        double along[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                           1 - 2 * (q[1] * q[1] + q[2] * q[2])};
        for (int side = -1; side <= 1; side += 2) {
            for (int k = 0; k < 3; k++) curve.x[curve.count][k] = pos[k] + side * half * along[k];
            curve.count++;
        }
    }
    return curve;
}

/* Where somebody is on the other side, and when. */
static bool march_above(Throw *s, double floor, double time, double t)
{
    int count = (int)(time / t + 0.5);
    for (int k = 0; k < count; k++) {
        if (tn_world_step(s->world).diverged) return false;
        for (int c = 0; c < s->cable_count; c++) {
            Curve curve = curve_of(s, &s->cables[c]);
            for (int i = 0; i < curve.count; i++)
                if (!(curve.x[i][2] > floor)) {
                    printf("    point %d at %g m after step %d\n", i, curve.x[i][2], k + 1);
                    return false;
                }
        }
    }
    return true;
}

TEST(cable_thrown_at_a_plate_of_a_millimetre_stays_on_its_side)
{
    static const double ends[3][3] = {{0.3, 0, 0}, {0.25, 0.1, 0.12}, {0.02, 0, 0.3}};
    for (int e = 0; e < 3; e++)
        for (int i = FIRST; i < STEPS; i++)
            for (int stiff = 0; stiff < 2; stiff++) {
                Throw s = begin(steps[i]);
                double start[3] = {-0.15, 0, 0.103}, stop[3], v[6 * COARSE] = {0};
                for (int k = 0; k < 3; k++) stop[k] = start[k] + ends[e][k];
                add_fixed(&s, TN_GEOM_BOX, 1, 1, 0.0005);
                Cable *c = add_cable(&s, start, stop, stiff ? 1e8 : 1e6, COARSE);
                REQUIRE(finish(&s));
                throw_cable(c, -SPEED, v);
                set_velocity(&s, v);
                if (!march_above(&s, 0, 0.1, steps[i]))
                    test_fail(__FILE__, __LINE__, "case %d, steps of %g s, %s", e, steps[i],
                              stiff ? "stiff" : "soft");
                end(&s);
            }
}

/* Linking of a cable with another curve over the time; false where it jumps, or where they never
 * touch. */
static bool march_linked(Throw *s, const Curve *bar, double time, double t)
{
    int count = (int)(time / t + 0.5), touching = 0;
    double before = NAN;
    for (int k = 0; k <= count; k++) {
        Curve a = curve_of(s, &s->cables[0]), b = bar ? *bar : curve_of(s, &s->cables[1]);
        double now = linking(&a, &b);
        if (k > 0 && !(fabs(now - before) <= 0.7)) {
            printf("    linking from %g to %g in step %d\n", before, now, k);
            return false;
        }
        before = now;
        if (k < count && tn_world_step(s->world).diverged) return false;
        touching += tn_world_contact_count(s->world) > 0;
    }
    if (!touching) printf("    they do not meet\n");
    return touching > 0;
}

static const Curve wire = {2, {{0, -1, 0}, {0, 1, 0}}};

TEST(cable_thrown_at_a_wire_of_a_millimetre_does_not_pass_through_it)
{
    for (int i = FIRST; i < STEPS; i++)
        for (int at = 0; at < 3; at++) { /* with its middle, near its end, and askew */
            Throw s = begin(steps[i]);
            double from = at == 1 ? -0.27 : -0.16, start[3] = {from, -0.01, 0.0831},
                   stop[3] = {from + 0.3, at == 2 ? 0.2 : 0.01, at == 2 ? 0.12 : 0.0831},
                   v[6 * FINE] = {0};
            add_fixed(&s, TN_GEOM_CAPSULE, 0.001, 1, 0);
            Cable *c = add_cable(&s, start, stop, 1e6, FINE);
            REQUIRE(finish(&s));
            throw_cable(c, -SPEED, v);
            set_velocity(&s, v);
            if (!march_linked(&s, &wire, 0.04, steps[i]))
                test_fail(__FILE__, __LINE__, "steps of %g s, case %d", steps[i], at);
            end(&s);
        }
}

TEST(cables_thrown_at_each_other_do_not_pass_through_each_other)
{
    for (int i = FIRST; i < STEPS; i++)
        for (int askew = 0; askew < 2; askew++) {
            Throw s = begin(steps[i]);
            double a0[3] = {-0.15, 0.003, -0.05}, a1[3] = {0.15, askew ? 0.1 : 0.003, -0.05};
            double b0[3] = {0.007, -0.15, 0.0531}, b1[3] = {askew ? 0.1 : 0.007, 0.15, 0.0531};
            double v[12 * FINE] = {0};
            add_cable(&s, a0, a1, 1e6, FINE);
            add_cable(&s, b0, b1, 1e6, FINE);
            REQUIRE(finish(&s));
            throw_cable(&s.cables[0], SPEED / 2, v);
            throw_cable(&s.cables[1], -SPEED / 2, v);
            set_velocity(&s, v);
            if (!march_linked(&s, NULL, 0.04, steps[i]))
                test_fail(__FILE__, __LINE__, "steps of %g s, case %d", steps[i], askew);
            end(&s);
        }
}

/* Held at one end and swung at a bar of 5 mm: it winds about it. */
TEST(cable_whipped_round_a_bar_winds_about_it)
{
    for (int i = FIRST; i < STEPS; i++) {
        Throw s = begin(steps[i]);
        double start[3] = {-0.2, 0, 0.02}, stop[3] = {0.3, 0.02, 0.02}, v[6 * FINE] = {0};
        add_fixed(&s, TN_GEOM_CAPSULE, 0.005, 1, 0);
        Cable *c = add_cable(&s, start, stop, 1e6, FINE);
        TnEqualityDef weld = tn_equality_def();
        weld.type = TN_EQUALITY_WELD;
        weld.body1 = c->first;
        tn_builder_add_equality(s.builder, &weld);
        REQUIRE(finish(&s));
        for (int k = 1; k < FINE; k++) v[6 * k + 2] = -SPEED * k / (FINE - 1);
        set_velocity(&s, v);
        if (!march_linked(&s, &wire, 0.1, steps[i]))
            test_fail(__FILE__, __LINE__, "steps of %g s", steps[i]);
        end(&s);
    }
}

/* ---- soft bodies ---- */

#define SIDE 0.1 /* m */

/* A cube with its centre at `height`. */
static void add_cube(SoftScene *scene, double height, double stiffness)
{
    soft_box(scene, SIDE, SIDE, SIDE, 4, 4, 4, 5);
    scene->soft.youngs_modulus = stiffness;
    scene->soft.pos[2] = height;
    soft_add(scene);
}

static bool throw_all(SoftScene *scene, const double *v)
{
    TnError err = {0};
    return tn_world_set_state(scene->world, NULL, v, &err) == TN_OK;
}

TEST(soft_cube_thrown_at_a_plate_of_a_millimetre_stays_on_its_side)
{
    for (int i = FIRST; i < STEPS; i++)
        for (int turned = 0; turned < 2; turned++) {
            SoftScene scene = soft_begin(steps[i], 0.5, 0);
            TnGeomDef plate = tn_geom_def();
            plate.type = TN_GEOM_BOX;
            plate.size[0] = plate.size[1] = 0.5;
            plate.size[2] = 0.0005;
            tn_builder_add_geom(scene.builder, &plate);
            if (turned) { /* onto a corner */
                scene.soft.quat[0] = 0.88;
                scene.soft.quat[1] = 0.28;
                scene.soft.quat[2] = 0.36;
                scene.soft.quat[3] = 0.12;
            }
            add_cube(&scene, 0.151, 1e6);
            REQUIRE(soft_finish(&scene, NULL));
            int n = scene.info.node_count;
            double *v = soft_numbers(&scene, 3);
            for (int k = 0; k < n; k++) v[3 * k + 2] = -SPEED;
            CHECK(throw_all(&scene, v));
            double lowest = 1;
            for (int k = 0; k < 0.1 / steps[i]; k++) {
                CHECK(!tn_world_step(scene.world).diverged);
                for (int j = 0; j < n; j++) lowest = fmin(lowest, soft_x(&scene)[3 * j + 2]);
            }
            if (!(lowest > 0)) /* the plate's middle */
                test_fail(__FILE__, __LINE__, "steps of %g s, %s: down to %g m", steps[i],
                          turned ? "turned" : "level", lowest);
            free(v);
            soft_end(&scene);
        }
}

/* How far a point lies within the tetrahedra of a soft body: its smallest coordinate in the one
 * that it is deepest in; negative: outside. */
static double depth_within(const TnSoftInfo *info, const double *x, const double p[3])
{
    double deepest = -1;
    for (int e = 0; e < info->tet_count; e++) {
        const int32_t *t = info->tets + 4 * e;
        double a[3], b[3], c[3], d[3], n[3], w[4];
        v3_sub(a, x + 3 * t[1], x + 3 * t[0]);
        v3_sub(b, x + 3 * t[2], x + 3 * t[0]);
        v3_sub(c, x + 3 * t[3], x + 3 * t[0]);
        v3_sub(d, p, x + 3 * t[0]);
        v3_cross(n, b, c);
        double volume = v3_dot(a, n);
        w[1] = v3_dot(d, n) / volume;
        v3_cross(n, c, a);
        w[2] = v3_dot(d, n) / volume;
        v3_cross(n, a, b);
        w[3] = v3_dot(d, n) / volume;
        w[0] = 1 - w[1] - w[2] - w[3];
        deepest = fmax(deepest, fmin(fmin(w[0], w[1]), fmin(w[2], w[3])));
    }
    return deepest;
}

/* Its centre stays outside, and it comes back. */
TEST(small_ball_thrown_at_a_soft_slab_does_not_get_into_it)
{
    for (int i = FIRST; i < STEPS; i++)
        for (int place = 0; place < 2; place++) { /* onto a node, and between nodes */
            SoftScene scene = soft_begin(steps[i], 0.5, 0);
            TnBodyDef body = tn_body_def();
            body.pos[0] = place ? 0.013 : 0;
            body.pos[1] = place ? 0.007 : 0;
            body.pos[2] = 0.1531;
            TnBodyId ball = tn_builder_add_body(scene.builder, &body);
            TnJointDef joint = tn_joint_def();
            joint.body = ball;
            joint.type = TN_JOINT_FREE;
            tn_builder_add_joint(scene.builder, &joint);
            TnGeomDef geom = tn_geom_def();
            geom.body = ball;
            geom.size[0] = 0.005;
            geom.density = 500;
            tn_builder_add_geom(scene.builder, &geom);
            soft_box(&scene, 0.2, 0.2, 0.05, 8, 8, 3, 5);
            scene.soft.youngs_modulus = 1e6;
            scene.soft.pos[2] = 0.025;
            soft_hold(&scene, 2, -0.025, TN_BODY_WORLD);
            soft_add(&scene);
            REQUIRE(soft_finish(&scene, NULL));
            double *v = calloc((size_t)tn_world_state(scene.world).dof_count, sizeof *v);
            v[2] = -SPEED;
            CHECK(throw_all(&scene, v));
            double deepest = -1, pos[3], quat[4], linear[3], angular[3];
            for (int k = 0; k < 0.1 / steps[i]; k++) {
                CHECK(!tn_world_step(scene.world).diverged);
                tn_world_body_pose(scene.world, ball, pos, quat);
                deepest = fmax(deepest, depth_within(&scene.info, soft_x(&scene), pos));
            }
            tn_world_body_velocity(scene.world, ball, linear, angular);
            if (!(deepest < 0 && linear[2] > 0 && pos[2] > 0.05))
                test_fail(__FILE__, __LINE__, "steps of %g s, case %d: at %g m, %g m/s, depth %g",
                          steps[i], place, pos[2], linear[2], deepest);
            free(v);
            soft_end(&scene);
        }
}

TEST(soft_cubes_thrown_at_each_other_do_not_get_into_each_other)
{
    for (int i = FIRST; i < STEPS; i++) {
        SoftScene scene = soft_begin(steps[i], 0.5, 0);
        add_cube(&scene, 0.1, 1e6);
        TnSoftId low = scene.id;
        scene.soft = tn_soft_def();
        scene.soft.pos[0] = 0.013;
        scene.soft.pos[1] = 0.008;
        add_cube(&scene, 0.3, 1e6);
        REQUIRE(soft_finish(&scene, NULL));
        TnSoftInfo a = tn_model_soft_info(scene.model, low), b = scene.info;
        double *v = calloc((size_t)tn_world_state(scene.world).dof_count, sizeof *v);
        for (int k = 0; k < a.node_count; k++) v[a.dof_start + 3 * k + 2] = SPEED / 2;
        for (int k = 0; k < b.node_count; k++) v[b.dof_start + 3 * k + 2] = -SPEED / 2;
        CHECK(throw_all(&scene, v));
        double deepest = -1;
        int touching = 0;
        for (int k = 0; k < 0.1 / steps[i]; k++) {
            CHECK(!tn_world_step(scene.world).diverged);
            touching += tn_world_contact_count(scene.world) > 0;
            const double *q = tn_world_state(scene.world).qpos;
            for (int j = 0; j < b.node_count; j++)
                deepest =
                    fmax(deepest, depth_within(&a, q + a.qpos_start, q + b.qpos_start + 3 * j));
        }
        CHECK(touching);
        if (!(deepest < 0.1)) /* of an element: at the surface */
            test_fail(__FILE__, __LINE__, "steps of %g s: depth %g", steps[i], deepest);
        free(v);
        soft_end(&scene);
    }
}

/* Collisions: momentum, energy, restitution, and which geoms may meet at all. */
#include "../check.h"

#include "parts.h"

#include "math/vec3.h"

static const double G = 9.81;

/* Six walls around a cube of half length h, and n³ bodies of all shapes with random motion. */
static TnModel *box_of_bodies(int n, double theta, double gravity)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene.option.gravity[2] = -gravity;
    double h = 0.15 * n;
    for (int axis = 0; axis < 3; axis++)
        for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
            TnGeomDef wall = tn_geom_def();
            wall.body = TN_BODY_WORLD;
            wall.type = TN_GEOM_BOX;
            wall.pos[axis] = sign * (h + 0.2);
            for (int k = 0; k < 3; k++) wall.size[k] = k == axis ? 0.2 : h + 0.4;
            tn_builder_add_geom(scene.builder, &wall);
        }
    static const TnGeomType types[] = {TN_GEOM_SPHERE, TN_GEOM_BOX, TN_GEOM_CAPSULE,
                                       TN_GEOM_CYLINDER, TN_GEOM_ELLIPSOID};
    for (int i = 0; i < n * n * n; i++) {
        double size[3] = {0.06, 0.05, 0.07};
        double pos[3] = {0.3 * (i % n - 0.5 * (n - 1)), 0.3 * (i / n % n - 0.5 * (n - 1)),
                         0.3 * (i / n / n - 0.5 * (n - 1))};
        scene_free(&scene, types[i % 5], size, 0.5 + 0.25 * (i % 4), pos, 0.3, 0.0);
    }
    return scene_compile(&scene);
}

static void stir(TnWorld *world)
{
    TnStateView state = tn_world_state(world);
    double *v = malloc(sizeof(double) * (size_t)state.dof_count);
    uint64_t seed = 77;
    for (int i = 0; i < state.dof_count; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        v[i] =
            (i % 6 < 3 ? 1.5 : 6.0) * ((double)(int64_t)(seed >> 11) / (double)(1ull << 52) - 1.0);
    }
    TnError err = {0};
    tn_world_set_state(world, NULL, v, &err);
    free(v);
}

TEST(inelastic_bodies_in_a_closed_box_never_gain_kinetic_energy)
{
    for (int i = 0; i < 2; i++) {
        TnModel *model = box_of_bodies(3, TWO_THETAS[i], 0.0);
        REQUIRE(model);
        TnWorld *world = scene_world(model, 400);
        stir(world);
        double last = tn_world_energy(world).kinetic, start = last, worst = 0.0;
        for (int k = 0; k < 400; k++) {
            tn_world_step(world);
            double now = tn_world_energy(world).kinetic;
            worst = fmax(worst, now - last);
            last = now;
        }
        CHECK(last < 0.9 * start); /* there were collisions */
        /* a step may push out of a penetration that a push by others left, and turn by first order:
         * a thousandth of the energy at most */
        CHECK_NEAR(worst, 0.0, 1e-3 * start);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(a_box_of_bodies_under_gravity_comes_to_rest)
{
    for (int i = 0; i < 2; i++) {
        TnModel *model = box_of_bodies(2, TWO_THETAS[i], G);
        REQUIRE(model);
        TnWorld *world = scene_world_of(model, 100, 0.0);
        stir(world);
        TnEnergy e = tn_world_energy(world);
        double last = e.kinetic + e.potential, start = e.kinetic, worst = 0.0;
        for (int k = 0; k < 1500; k++) {
            tn_world_step(world);
            e = tn_world_energy(world);
            worst = fmax(worst, e.kinetic + e.potential - last);
            last = e.kinetic + e.potential;
        }
        CHECK(worst < 2e-3 * start); /* as above */
        CHECK(e.kinetic < 2e-2); /* round ones still roll slowly: there is no rolling friction */
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* Two bodies in empty space, the first flies at the second off its centre. */
static TnWorld *shot(TnGeomType type, double restitution, double theta, double offset,
                     TnModel **model)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene.option.gravity[2] = 0.0;
    const double size[3] = {0.1, 0.08, 0.06};
    scene_free(&scene, type, size, 1.0, (double[3]){-0.5, offset, 0.02}, 0.4, restitution);
    scene_free(&scene, type, size, 2.5, (double[3]){0, 0, 0}, 0.4, restitution);
    *model = scene_compile(&scene);
    TnWorld *world = *model ? scene_world(*model, 3000) : NULL;
    TnError err = {0};
    double v[12] = {2.0, 0.1, 0, 1.0, -2.0, 3.0, 0, 0, 0, 0.5, 0, 0};
    if (world) tn_world_set_state(world, NULL, v, &err);
    return world;
}

TEST(collisions_of_free_bodies_keep_momentum)
{
    static const TnGeomType types[] = {TN_GEOM_SPHERE, TN_GEOM_BOX, TN_GEOM_CAPSULE};
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < 2; i++)
            for (double e = 0.0; e < 1.0; e += 0.6) {
                TnModel *model;
                TnWorld *world = shot(types[type], e, TWO_THETAS[i], 0.03, &model);
                REQUIRE(world);
                double P0[3], L0[3], P[3], L[3], energy = tn_world_energy(world).kinetic;
                tn_world_momentum(world, P0, L0);
                bool met = false;
                for (int k = 0; k < 60; k++) {
                    tn_world_step(world);
                    double f[3];
                    scene_contact_force(world, f);
                    met = met || v3_norm(f) > 0.0;
                }
                CHECK(met);
                tn_world_momentum(world, P, L);
                for (int k = 0; k < 3; k++) CHECK_NEAR(P[k], P0[k], 1e-9); /* converged */
                /* Contact points and arms are those of the step's start. With e = 0 both move by v⁺
                 * and angular momentum is exact; a rebound moves by less: t v × the impulse at
                 * most. */
                double slack = e > 0.0 ? 0.01 * 2.0 * 1.0 * 3.0 : 1e-9;
                v3_sub(L, L, L0);
                CHECK_NEAR(v3_norm(L), 0.0, slack);
                CHECK(tn_world_energy(world).kinetic < energy);
                tn_world_destroy(world);
                tn_model_destroy(model);
            }
}

TEST(a_head_on_collision_follows_newton)
{
    for (double e = 0.0; e <= 1.0; e += 0.25) {
        Scene scene = scene_begin();
        scene.option.gravity[2] = 0.0;
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.1, 0, 0}, 1.0, (double[3]){-0.5, 0, 0}, 0,
                   e);
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.1, 0, 0}, 3.0, (double[3]){0, 0, 0}, 0, 0);
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 1000);
        TnError err = {0};
        double v[12] = {2.0};
        tn_world_set_state(world, NULL, v, &err);
        for (int k = 0; k < 60; k++) tn_world_step(world);
        /* v1 = (m1 - e m2) v/(m1 + m2), v2 = m1 (1 + e) v/(m1 + m2); a pair takes the larger e */
        CHECK_NEAR(part_v(world, 0), (1.0 - 3.0 * e) * 2.0 / 4.0, 1e-9);
        CHECK_NEAR(part_v(world, 6), (1.0 + e) * 2.0 / 4.0, 1e-9);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* A hinged bat hits a free ball: the impulse Q changes the ball by Q/m and the bat by -Q l/I;
 * inelastic, so the bat's point and the ball leave with one velocity, v = ω l I/(I + m l²). */
TEST(a_hinged_link_hits_a_free_body_with_the_right_impulse)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        scene.option.gravity[2] = 0.0;
        TnBodyId bat =
            part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0, (double[3]){0, 0, 0}, 0.3);
        TnJointDef hinge = part_joint(bat, TN_JOINT_HINGE, 0, 0, 1);
        tn_builder_add_joint(scene.builder, &hinge);
        TnGeomDef club = tn_geom_def();
        club.body = bat;
        club.type = TN_GEOM_SPHERE;
        club.pos[0] = 0.8;
        club.size[0] = 0.05;
        club.friction[0] = 0.0;
        tn_builder_add_geom(scene.builder, &club);
        /* touching the club when the bat has turned by a quarter: the normal is then along its
         * motion */
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.05, 0, 0}, 0.4, (double[3]){0.8, 0.12, 0},
                   0, 0);
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 1000);
        REQUIRE(world);
        TnError err = {0};
        double v[7] = {2.0};
        tn_world_set_state(world, NULL, v, &err);
        double L0 = 0.3 * 2.0, before = 2.0;
        for (int k = 0; k < 30; k++) {
            double omega = part_v(world, 0);
            tn_world_step(world);
            if (omega == 2.0 && part_v(world, 0) != 2.0) before = omega;
        }
        CHECK(before == 2.0);
        /* angular momentum of both about the hinge, exactly but for the arms of the start */
        double L = 0.3 * part_v(world, 0) + 0.4 * (part_q(world, 1) * part_v(world, 2) -
                                                   part_q(world, 2) * part_v(world, 1));
        CHECK_NEAR(L, L0, 1e-2 * L0);
        /* the arm of the impulse about the hinge and the normal's direction, from the ball's
         * velocity */
        double speed = hypot(part_v(world, 1), part_v(world, 2));
        CHECK_NEAR(speed, 2.0 * 0.8 * 0.3 / (0.3 + 0.4 * 0.64), 0.02); /* 0.15 rad off straight */
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* ---- who may meet ---- */

typedef struct Meeting {
    int type1, affinity1, type2, affinity2;
    bool excluded, paired;
    double restitution;
} Meeting;

/* Drops a ball on a fixed one and tells its height after a second (they touch at 0.2). */
static double fall(Meeting m, double *fastest_up)
{
    Scene scene = scene_begin();
    TnBodyDef base_def = tn_body_def();
    TnBodyId base = tn_builder_add_body(scene.builder, &base_def);
    TnJointDef hold = part_joint(base, TN_JOINT_SLIDE, 1, 0, 0); /* free to slide sideways only */
    tn_builder_add_joint(scene.builder, &hold);
    TnGeomDef below = tn_geom_def();
    below.body = base;
    below.size[0] = 0.1;
    below.contact_type = m.type1;
    below.contact_affinity = m.affinity1;
    TnGeomId lower = tn_builder_add_geom(scene.builder, &below);
    TnBodyDef def = tn_body_def();
    def.pos[2] = 0.5;
    TnBodyId ball = tn_builder_add_body(scene.builder, &def);
    TnJointDef joint = part_joint(ball, TN_JOINT_SLIDE, 0, 0, 1);
    tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef above = tn_geom_def();
    above.body = ball;
    above.size[0] = 0.1;
    above.contact_type = m.type2;
    above.contact_affinity = m.affinity2;
    TnGeomId upper = tn_builder_add_geom(scene.builder, &above);
    if (m.excluded) tn_builder_add_exclude(scene.builder, base, ball, (TnSource){0});
    if (m.paired) {
        TnPairDef pair = tn_pair_def();
        pair.geom1 = upper;
        pair.geom2 = lower;
        pair.restitution = m.restitution;
        tn_builder_add_pair(scene.builder, &pair);
    }
    TnModel *model = scene_compile(&scene);
    TnWorld *world = model ? scene_world(model, 300) : NULL;
    if (!world) return NAN;
    *fastest_up = 0.0;
    for (int k = 0; k < 100; k++) {
        tn_world_step(world);
        *fastest_up = fmax(*fastest_up, part_v(world, 1));
    }
    double height = part_q(world, 1) + 0.5;
    tn_world_destroy(world);
    tn_model_destroy(model);
    return height;
}

TEST(masks_exclusions_and_pairs_decide_who_meets)
{
    double up, free_fall = 0.5 - 0.5 * G;
    Meeting m = {1, 1, 1, 1, false, false, 0.0};
    CHECK_NEAR(fall(m, &up), 0.2, 1e-6);
    CHECK_NEAR(up, 0.0, 1e-9);
    m = (Meeting){1, 0, 0, 1, false, false, 0.0}; /* one direction is enough */
    CHECK_NEAR(fall(m, &up), 0.2, 1e-6);
    m = (Meeting){1, 1, 2, 2, false, false, 0.0};
    CHECK_NEAR(fall(m, &up), free_fall, 1e-9);
    m = (Meeting){1, 0, 1, 0, false, false, 0.0};
    CHECK_NEAR(fall(m, &up), free_fall, 1e-9);
    m = (Meeting){6, 0, 0, 4, false, false, 0.0}; /* one common bit */
    CHECK_NEAR(fall(m, &up), 0.2, 1e-6);
    m = (Meeting){1, 1, 1, 1, true, false, 0.0};
    CHECK_NEAR(fall(m, &up), free_fall, 1e-9);
    m = (Meeting){0, 0, 0, 0, false, true, 0.0}; /* a pair meets whatever the masks say */
    CHECK_NEAR(fall(m, &up), 0.2, 1e-6);
    CHECK_NEAR(up, 0.0, 1e-9);
}

TEST(a_pair_brings_its_own_restitution)
{
    double up, impact = sqrt(2.0 * G * 0.3);
    Meeting m = {1, 1, 1, 1, false, true, 0.7};
    fall(m, &up);
    /* the step before the surface ends up to t g slower than at the surface itself */
    CHECK_NEAR(up, 0.7 * impact, 0.7 * G * 0.01 + 1e-9);
    m.restitution = 0.0;
    CHECK_NEAR(fall(m, &up), 0.2, 1e-6);
    CHECK_NEAR(up, 0.0, 1e-9);
}

TEST(a_pair_brings_its_own_friction)
{
    /* a block on a slope: the geoms have friction 1, the pair none */
    for (int paired = 0; paired < 2; paired++) {
        Scene scene = scene_begin();
        scene.option.gravity[0] = G * sin(0.3);
        scene.option.gravity[2] = -G * cos(0.3);
        TnGeomId ground = scene_plane(&scene, 1.0);
        scene_free(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.1, 0.05}, 1.0, (double[3]){0, 0, 0.05},
                   1.0, 0.0);
        if (paired) {
            TnPairDef pair = tn_pair_def();
            pair.geom1 = ground;
            pair.geom2 = ground + 1;
            pair.friction[0] = 0.1;
            tn_builder_add_pair(scene.builder, &pair);
        }
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 2000);
        for (int k = 0; k < 100; k++) tn_world_step(world);
        double a = paired ? G * (sin(0.3) - 0.1 * cos(0.3)) : 0.0;
        CHECK_NEAR(part_v(world, 0), a, 1e-6);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

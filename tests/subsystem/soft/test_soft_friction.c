/* A soft block on a slope and on a floor: Coulomb's law of the whole block, whatever its nodes do.
 * */
#include "soft_touch.h"

typedef struct Block {
    double scale;  /* of lengths: 1 is a block of 1.4 × 0.7 × 0.35 m */
    double strain; /* under its own weight: ρ g h / E */
    double mu, angle, timestep;
    bool consistent;
    int pieces;
} Block;

static bool make_block(const Block *b, Touch *touch)
{
    const double half[3] = {0.7 * b->scale, 0.35 * b->scale, 0.175 * b->scale};
    const int cells[3] = {6, 3, 2};
    *touch = touch_begin(b->timestep);
    touch_slope(touch, b->angle);
    touch_floor(touch);
    TnSoftDef soft = touch_block(half, cells, half[2]);
    soft.youngs_modulus = soft.density * GRAVITY * 2 * half[2] / b->strain;
    soft.consistent_mass = b->consistent;
    soft.friction[0] = b->mu;
    soft.pieces = b->pieces;
    /* so that it has come to rest in a few tenths of a second, or the like for its size */
    soft.damping_stiffness = 0.02 * sqrt(b->scale);
    touch_add(touch, &soft);
    return touch_finish(touch);
}

/* Change of speed in the second half of `steps`, over what it would be without friction. */
static double acceleration(const Block *b, int steps)
{
    Touch touch;
    double before[3], after[3];
    if (!make_block(b, &touch)) return NAN;
    for (int k = 0; k < steps / 2; k++) touch_step(&touch);
    touch_centre(&touch, 1, NULL, before);
    for (int k = 0; k < steps / 2; k++) touch_step(&touch);
    touch_centre(&touch, 1, NULL, after);
    touch_end(&touch);
    return (after[0] - before[0]) / (GRAVITY * sin(b->angle) * b->timestep * (steps / 2));
}

/* Sliding, a block has the acceleration g sin a - μ g cos a, so that over g sin a it is about (1 +
 * μ²) δ, δ the share by which the slope exceeds atan μ. Steeper by 1e-4 it must gain speed at this
 * rate, flatter by 1e-4 it must not gain any. 3e-6: what rings in a soft block after half a
 * second, and 60 iterations. */
TEST(slope_at_which_a_soft_block_slides_is_that_of_coulomb_at_every_size)
{
    const Block blocks[] = {
        {.scale = 1, .strain = 0.01, .mu = 0.3, .timestep = 0.01},
        {.scale = 0.01, .strain = 0.01, .mu = 0.3, .timestep = 0.001}, /* the same in small */
        {.scale = 0.01, .strain = 0.01, .mu = 0.3, .timestep = 0.01},
        {.scale = 1, .strain = 0.01, .mu = 0.8, .timestep = 0.01},
        {.scale = 0.01, .strain = 0.01, .mu = 0.8, .timestep = 0.01},
        {.scale = 1, .strain = 1e-4, .mu = 0.3, .timestep = 0.01},
        {.scale = 0.01, .strain = 0.1, .mu = 0.05, .timestep = 0.01},
        {.scale = 1, .strain = 0.01, .mu = 0.3, .timestep = 0.01, .consistent = true},
        {.scale = 1, .strain = 0.01, .mu = 0.3, .timestep = 0.01, .pieces = 4},
        {.scale = 0.01, .strain = 0.01, .mu = 0.3, .timestep = 0.01, .pieces = 4},
    };
    for (int i = 0; i < (int)(sizeof blocks / sizeof *blocks); i++) {
        Block b = blocks[i];
        b.angle = atan(b.mu) * (1 + 1e-4);
        CHECK_NEAR(acceleration(&b, 100), 1 - b.mu / tan(b.angle), 3e-6);
        b.angle = atan(b.mu) * (1 - 1e-4);
        CHECK(acceleration(&b, 100) < 1e-6);
    }
}

/* Flatter by 10 %, it comes to rest and stays there: 1e-9 of its length in 2 s. */
TEST(a_soft_block_on_a_slope_does_not_creep)
{
    for (int small = 0; small < 2; small++) {
        Block b = {.scale = small ? 0.01 : 1, .strain = 0.01, .mu = 0.5, .timestep = 0.01};
        Touch touch;
        double from[3], to[3];
        b.angle = 0.9 * atan(b.mu);
        if (!make_block(&b, &touch)) return;
        for (int k = 0; k < 300; k++) touch_step(&touch);
        touch_centre(&touch, 1, from, NULL);
        for (int k = 0; k < 200; k++) touch_step(&touch);
        touch_centre(&touch, 1, to, NULL);
        printf("    %.1e of its length\n", (to[0] - from[0]) / (1.4 * b.scale));
        CHECK_NEAR(to[0], from[0], 1e-9 * 1.4 * b.scale);
        touch_end(&touch);
    }
}

typedef struct Sliding {
    double normal, cone, rise; /* largest: |N - mg|, ||T| - μN| of one contact, normal velocity */
} Sliding;

static void watch_sliding(Touch *touch, double mu, Sliding *worst)
{
    TnSoftInfo soft = tn_model_soft_info(touch->model, 1);
    double force[3];
    touch_force(touch, soft.geom, force);
    worst->normal = fmax(worst->normal, fabs(force[2] - GRAVITY * soft.mass));
    worst->rise = fmax(worst->rise, touch_fastest(touch, 1, 2));
    for (int c = 0; c < tn_world_contact_count(touch->world); c++) {
        TnContact contact = tn_world_contact(touch->world, c);
        double slip = hypot(contact.force[0], contact.force[1]);
        worst->cone = fmax(worst->cone, fabs(slip - mu * fabs(contact.force[2])));
    }
}

/* Stiff soft bodies in contact move by the end's velocity in each step, v0 - k μ g t, so that it
 * goes v0²/2μg - v0 t/2. The step of the throw moves by the mean velocity: μ g t²/2 more. What is
 * left: the last step, in which it stops (μ g t²/8 at most), and the block's own shear, of which
 * the centre comes back by no more than μ ρ g h²/G. */
TEST(a_thrown_soft_block_stops_after_v_squared_by_two_mu_g)
{
    const Block blocks[] = {
        {.scale = 0.1, .strain = 1e-4, .mu = 0.4, .timestep = 0.01},
        {.scale = 0.1, .strain = 1e-4, .mu = 0.4, .timestep = 0.002},
        {.scale = 0.1, .strain = 0.01, .mu = 0.4, .timestep = 0.01},
        {.scale = 0.1, .strain = 1e-4, .mu = 0.4, .timestep = 0.01, .pieces = 3},
    };
    for (int i = 0; i < 4; i++) {
        const Block *b = blocks + i;
        Touch touch;
        Sliding worst = {0};
        double from[3], to[3], v[3], v0 = 1, t = b->timestep;
        if (!make_block(b, &touch)) return;
        for (int k = 0; k < 0.3 / t; k++) touch_step(&touch);
        touch_throw(&touch, v0, 0, 0);
        touch_centre(&touch, 1, from, NULL);
        for (int k = 0; k < 0.6 / t; k++) {
            touch_step(&touch);
            if (k * t > 0.15 && k * t < 0.22) watch_sliding(&touch, b->mu, &worst);
        }
        touch_centre(&touch, 1, to, v);
        double expected = v0 * v0 / (2 * b->mu * GRAVITY) - v0 * t / 2;
        double weight = GRAVITY * tn_model_soft_info(touch.model, 1).mass;
        double shear = b->mu * b->strain * 0.35 * b->scale * 2.6;
        double half_step = b->mu * GRAVITY * t * t / 4;
        CHECK_NEAR(to[0] - from[0], expected + half_step, 1.5 * half_step + shear);
        CHECK_NEAR(v[0], 0, b->pieces ? 1e-5 : 1e-9); /* ties between pieces: 60 iterations */
        /* forces on the cone are exact: the solver's last word is a projection on it */
        CHECK(worst.cone < 1e-14 * weight);
        printf("    way %.6f of %.6f m; N - mg %.0e, vertical %.0e m/s\n", to[0] - from[0],
               expected, worst.normal / weight, worst.rise);
        if (b->strain < 1e-3 && !b->pieces) { /* stiff: nothing rings */
            CHECK(worst.normal < 1e-9 * weight);
            CHECK(worst.rise < 1e-9);
        } else { /* what rings is a millionth of v0; ties between pieces: 60 iterations */
            CHECK(worst.normal < 1e-4 * weight);
            CHECK(worst.rise < 2e-6);
        }
        touch_end(&touch);
    }
}

static double *slide_in_pieces(Block b, int pieces, int *count)
{
    Touch touch;
    TnSolverDef solver = tn_solver_def();
    TnError err = {0};
    b.pieces = pieces;
    if (!make_block(&b, &touch)) return NULL;
    solver.iterations = 20000;
    solver.tolerance = 1e-11;
    CHECK(tn_world_set_solver(touch.world, &solver, &err) == TN_OK);
    touch_throw(&touch, 0.05, 0.02, 0);
    for (int k = 0; k < 10; k++) CHECK(touch_step(&touch).converged);
    CHECK(tn_world_subsystem_count(touch.world) == pieces);
    TnStateView state = tn_world_state(touch.world);
    double *copy = malloc((size_t)state.qpos_count * sizeof *copy);
    memcpy(copy, state.qpos, (size_t)state.qpos_count * sizeof *copy);
    *count = state.qpos_count;
    touch_end(&touch);
    return copy;
}

/* A block that slides askew and comes to rest on a slope, so that some nodes slide and others
 * stick. Converged to 1e-11 m/s in each of ten steps of 10 ms; 1e-6 m is asked for. */
TEST(pieces_do_not_change_a_block_that_slides)
{
    for (int stiff = 0; stiff < 2; stiff++) {
        const Block b = {
            .scale = 0.1, .strain = stiff ? 1e-3 : 0.03, .mu = 0.4, .angle = 0.3, .timestep = 0.01};
        int count = 0;
        double *whole = slide_in_pieces(b, 1, &count);
        for (int pieces = 5; pieces <= 20; pieces += 15) {
            double *cut = slide_in_pieces(b, pieces, &count), off = 0;
            if (!whole || !cut) return;
            for (int k = 0; k < count; k++) off = fmax(off, fabs(whole[k] - cut[k]));
            printf("    %d pieces: %.0e m\n", pieces, off);
            CHECK(off < 1e-9);
            free(cut);
        }
        free(whole);
    }
}

/* Rods with cut joints: a bond is the joint's spring, no more and no less. */
#include "rod_rig.h"

#include "math/cholesky.h"

static const RodSpec spec = {.n = 12,
                             .length = 1.0,
                             .diameter = 0.04,
                             .density = 1000.0,
                             .E = 4e4,
                             .nu = 0.4,
                             .damping_time = 1e-3,
                             .gravity = {0.0, 0.0, -9.81}};
static const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, some[] = {3, 4, 7};

/* Bent, stretched, twisted and moving. */
static void stir_up(Rig *rig)
{
    Random r = {3};
    random_vector(&r, 1.0, rig->m.qvel, 6 * rig->spec.n);
    for (int k = 0; k < 20; k++) rig_step(rig);
}

static bool cut_rig(Rig *rig, const int *cuts, int count)
{
    if (!rig_start(rig, spec, 5e-3)) return false;
    stir_up(rig);
    rig->cuts = cuts;
    rig->cut_count = count;
    return true;
}

static double difference(const double *a, const double *b, int count)
{
    double worst = 0.0;
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Largest difference of the whole rod's v̂ and that of a cut one, a segment held or none (-1). */
static double apart(const int *cuts, int count, int held)
{
    Rig rig[2];
    for (int i = 0; i < 2; i++) {
        if (!cut_rig(&rig[i], i ? cuts : NULL, i ? count : 0)) return NAN;
        if (held >= 0) {
            TnLink *link = &rig[i].model->links[1 + held];
            link->held = true;
            v3_copy(link->hold_pos, rig[i].m.frames[1 + held].com);
            link->hold_pos[1] += 0.01;
            quat_copy(link->hold_quat, rig[i].m.frames[1 + held].quat);
        }
        rig_step(&rig[i]);
    }
    double worst = difference(rig[0].vhat, rig[1].vhat, 6 * spec.n);
    for (int k = 0; k < count; k++) /* a cut leaves no spring in the matrix */
        for (int i = 0; i < 36; i++) worst += fabs(rig[1].system.E[36 * cuts[k] + i]);
    rig_end(&rig[0]);
    rig_end(&rig[1]);
    return worst;
}

TEST(free_motion_of_a_cut_rod_is_that_of_the_whole_one)
{
    CHECK(apart(some, 3, -1) < 1e-12); /* rounding */
    CHECK(apart(all, 11, -1) < 1e-12);
}

TEST(cuts_next_to_a_held_segment_leave_the_free_motion_as_it_is)
{
    CHECK(apart(some, 3, 4) < 1e-12); /* cut on both sides */
    CHECK(apart(some, 3, 3) < 1e-12);
    CHECK(apart(some, 3, 8) < 1e-12);
    CHECK(apart(all, 11, 0) < 1e-12);
    CHECK(apart(all, 11, 11) < 1e-12);
}

TEST(bonds_are_symmetric_and_positive_semidefinite_and_know_no_held_side)
{
    Rig rig;
    REQUIRE(cut_rig(&rig, some, 3));
    TnLink *link = &rig.model->links[1 + 7];
    link->held = true;
    v3_copy(link->hold_pos, rig.m.frames[8].com);
    quat_copy(link->hold_quat, rig.m.frames[8].quat);
    rig_step(&rig);
    for (int k = 0; k < 3; k++) {
        double A[144], size = 0.0;
        memcpy(A, rig.system.bonds[k].K, sizeof A);
        for (int i = 0; i < 12; i++) {
            for (int j = 0; j < 12; j++) CHECK(A[12 * i + j] == A[12 * j + i]);
            size = fmax(size, A[13 * i]);
        }
        CHECK(size > 0.0);
        for (int i = 0; i < 12; i++) A[13 * i] += 1e-12 * size; /* rounding of what is singular */
        CHECK(tn_cholesky(A, 12));
    }
    for (int i = 0; i < 6; i++) { /* joint 7: segment 7 is its first side */
        for (int j = 0; j < 12; j++) CHECK(rig.system.bonds[2].K[12 * i + j] == 0.0);
        CHECK(rig.system.bonds[2].f[i] == 0.0);
    }
    rig_end(&rig);
}

TEST(cut_rod_keeps_its_momentum_in_free_flight)
{
    Rig rig;
    REQUIRE(cut_rig(&rig, some, 3));
    double P0[3], L0[3], P[3], L[3], none[3] = {0.0, 0.0, 0.0};
    v3_copy(rig.model->option.gravity, none);
    v3_copy(rig.shown.option.gravity, none);
    tn_model_momentum(rig.model, rig.m.qpos, rig.m.qvel, rig.m.frames, P0, L0);
    for (int k = 0; k < 500; k++) rig_step(&rig);
    tn_model_momentum(rig.model, rig.m.qpos, rig.m.qvel, rig.m.frames, P, L);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(P[k], P0[k], 1e-12 * v3_norm(P0)); /* rounding of 500 steps */
        /* torques about where bonds are taken: of second order; account/balance.c does the rest */
        CHECK_NEAR(L[k], L0[k], 2e-5 * v3_norm(L0));
    }
    rig_end(&rig);
}

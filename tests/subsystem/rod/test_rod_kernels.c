/* Eight joints of a rod at a time against one at a time. */
#include "../../check.h"

#include "math/vec3.h"
#include "subsystem/rod/kernels/rod_kernels.h"
#include "subsystem/rod/rod.h"

static uint64_t seed = 11;
static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / (double)(1ull << 53);
}

/* One joint: both places, twists, its law. */
typedef struct Joint {
    double x[2][2][3], quat[2][2][4]; /* start and middle, a and b */
    double v[2][6], part[3];
    TnRodLaw law;
    TnRodJoint joint;
} Joint;

/* Frames that differ by up to `bend` radians and have either sign. */
static void random_quats(double quat[2][4], double bend)
{
    double turn[4] = {1.0};
    for (int k = 0; k < 3; k++) turn[1 + k] = uniform(-0.25, 0.25) * bend;
    for (int k = 0; k < 4; k++) quat[0][k] = uniform(-1.0, 1.0);
    quat_normalize(quat[0]);
    quat_normalize(turn);
    quat_mul(quat[1], quat[0], turn);
    double sign = uniform(-1.0, 1.0) < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 4; k++) quat[1][k] *= sign;
}

/* Stretched, compressed and bent by a few percent. */
static void random_joint(Joint *j, double bend)
{
    *j = (Joint){.joint = {.kink = 1.0}};
    for (int place = 0; place < 2; place++) {
        const double offset[3] = {0.0, 0.0, uniform(0.95, 1.05)};
        double along[3];
        random_quats(j->quat[place], bend);
        quat_rotate(along, j->quat[place][0], offset);
        for (int k = 0; k < 3; k++) {
            j->x[place][0][k] = uniform(-1.0, 1.0);
            j->x[place][1][k] = j->x[place][0][k] + along[k] + uniform(-0.02, 0.02);
        }
    }
    for (int k = 0; k < 6; k++) {
        j->v[0][k] = uniform(-1.0, 1.0);
        j->v[1][k] = uniform(-1.0, 1.0);
        j->joint.rest[k] = k == 2 ? 1.0 : uniform(-0.01, 0.01);
    }
    for (int k = 0; k < 3; k++) j->part[k] = uniform(-1.0, 1.0);
    for (int k = 0; k < 7; k++) {
        j->law.k[k] = uniform(1.0, 10.0);
        j->law.kr[k] = uniform(-1.0, 1.0);
        j->law.root[k] = uniform(1.0, 3.0);
    }
    j->law.length = v3_norm(j->joint.rest);
    j->law.lead = uniform(0.5, 1.5);
    j->law.unresolved = uniform(0.1, 10.0);
}

/* What one adds to the blocks, by strain.c. */
typedef struct Sum {
    double D[2][36], E[36], b[2][6];
} Sum;

static void add_one(const Joint *j, double w, Sum *out)
{
    TnRodStrain start, mid;
    double rate[TN_ROD_ROWS], later[TN_ROD_ROWS], rest[TN_ROD_ROWS];
    *out = (Sum){0};
    tn_rod_strain_place(j->x[0][0], j->quat[0][0], j->x[0][1], j->quat[0][1], 1.0, &start);
    tn_rod_strain_measure(&j->joint, j->law.length, &start);
    tn_rod_strain_place(j->x[1][0], j->quat[1][0], j->x[1][1], j->quat[1][1], 1.0, &mid);
    tn_rod_strain_follow(&start, &mid);
    tn_rod_strain_rate(&start, j->v[0], j->v[1], rate);
    tn_rod_strain_rate(&mid, j->v[0], j->v[1], later);
    for (int k = 0; k < TN_ROD_ROWS; k++)
        rest[k] = j->law.k[k] * start.g[k] - j->law.kr[k] * ((1.0 - w) * rate[k] + w * later[k]);
    double taut = tn_rod_taut(&j->law, j->law.k[6] * start.g[6] * start.inverse);
    double along = v3_dot(mid.pull, j->part);
    for (int k = 0; k < 3; k++) {
        double across = taut * (j->part[k] - along * mid.pull[k]);
        out->b[0][k] -= across;
        out->b[1][k] += across;
    }
    tn_rod_strain_stiffness(&mid, j->law.root, taut, out->D[0], out->D[1], out->E);
    tn_rod_strain_pull(&mid, rest, out->b[0], out->b[1]);
}

static void fill(TnRodBatch *batch, int l, const Joint *j)
{
    TnRodPlaces *places[2] = {&batch->start, &batch->mid};
    for (int place = 0; place < 2; place++)
        for (int k = 0; k < 4; k++) {
            for (int e = 0; e < 2; e++) places[place]->quat[e][k][l] = j->quat[place][e][k];
            if (k < 3) places[place]->d[k][l] = j->x[place][1][k] - j->x[place][0][k];
        }
    for (int k = 0; k < 6; k++) {
        for (int e = 0; e < 2; e++) batch->v[e][k][l] = j->v[e][k];
        batch->rest[k][l] = j->joint.rest[k];
    }
    for (int k = 0; k < 3; k++) batch->part[k][l] = j->part[k];
    for (int k = 0; k < TN_ROD_LAW_ROWS; k++) {
        batch->k[k][l] = j->law.k[k];
        batch->kr[k][l] = j->law.kr[k];
        batch->root[k][l] = j->law.root[k];
    }
    batch->lead[l] = j->law.lead;
    batch->unresolved[l] = j->law.unresolved;
    batch->length[l] = j->law.length;
}

/* 1e-12: numbers up to 100, sums of some ten products in another order. */
static void compare_lane(const TnRodBatch *batch, int l, const Sum *expected)
{
    for (int i = 0, at = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            CHECK_NEAR(batch->E[6 * i + j][l], expected->E[6 * i + j], 1e-12);
            if (j < i) continue;
            for (int e = 0; e < 2; e++)
                CHECK_NEAR(batch->D[e][at][l], expected->D[e][6 * i + j], 1e-12);
            at++;
        }
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 6; k++) CHECK_NEAR(batch->b[e][k][l], expected->b[e][k], 1e-12);
}

TEST(eight_joints_are_eight_times_one)
{
    const TnRodKernels *all[] = {tn_rod_kernels_plain(), tn_rod_kernels_portable(),
                                 tn_rod_kernels_avx2(), tn_rod_kernels_avx512()};
    static const double shares[] = {0.0, 0.4, 1.0};
    for (int set = 0; set < 4; set++)
        for (int trial = 0; all[set] && trial < 30; trial++) {
            TnRodBatch batch;
            Sum expected[TN_ROD_LANES];
            double w = shares[trial % 3];
            for (int l = 0; l < TN_ROD_LANES; l++) {
                Joint joint;
                random_joint(&joint, 0.22); /* about three axes: up to 0.19 rad */
                fill(&batch, l, &joint);
                add_one(&joint, w, &expected[l]);
            }
            all[set]->joints(&batch, w, TN_ROD_LATE_FROM);
            for (int l = 0; l < TN_ROD_LANES; l++) {
                CHECK(batch.bend[l] < TN_ROD_BEND_MOST);
                compare_lane(&batch, l, &expected[l]);
            }
        }
}

/* sin² of half the angle, of the place that is bent more. */
TEST(joints_that_bend_too_far_are_told)
{
    for (int later = 0; later < 2; later++) {
        TnRodBatch batch;
        double turn[4] = {cos(0.15), sin(0.15), 0.0, 0.0}; /* 0.3 rad */
        for (int l = 0; l < TN_ROD_LANES; l++) {
            Joint joint;
            random_joint(&joint, 0.1);
            if (l == 5) quat_mul(joint.quat[later][1], joint.quat[later][0], turn);
            fill(&batch, l, &joint);
        }
        tn_rod_kernels()->joints(&batch, 0.0, TN_ROD_LATE_FROM);
        for (int l = 0; l < TN_ROD_LANES; l++)
            CHECK((batch.bend[l] < TN_ROD_BEND_MOST) == (l != 5));
        CHECK_NEAR(batch.bend[5], sin(0.15) * sin(0.15), 1e-14);
    }
}

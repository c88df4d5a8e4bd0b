/* One joint of a rod: strain, its derivative, forces and stiffness. */
#include "rod_rig.h"

typedef struct Pair {
    double x[2][3], q[2][4];
} Pair;

static TnRodJoint random_joint(Random *r)
{
    TnRodJoint joint;
    for (int k = 0; k < 6; k++) joint.k[k] = uniform(r, 0.5, 3.0);
    random_vector(r, 0.3, joint.rest, 6);
    joint.rest[2] += 1.0;
    joint.kink = uniform(r, 0.0, 1.0) < 0.5 ? 1.0 : uniform(r, 1.0, 50.0);
    joint.from = joint.to = 0.0;
    return joint;
}

/* Segment b turned against a by `angle`. */
static Pair random_pair(Random *r, double angle)
{
    Pair p;
    double axis[3], turn[4];
    random_vector(r, 1.0, p.x[0], 3);
    random_vector(r, 1.0, p.x[1], 3);
    random_quat(r, p.q[0]);
    random_vector(r, 1.0, axis, 3);
    v3_scale(axis, axis, 1.0 / v3_norm(axis));
    quat_from_axis_angle(turn, axis, angle);
    quat_mul(p.q[1], p.q[0], turn);
    return p;
}

static TnRodStrain strain_of(const TnRodJoint *joint, const Pair *p)
{
    TnRodStrain s;
    tn_rod_strain_place(p->x[0], p->q[0], p->x[1], p->q[1], joint->kink, &s);
    tn_rod_strain_measure(joint, v3_norm(joint->rest), &s);
    return s;
}

static Pair moved(const Pair *p, const double twist[12], double h)
{
    Pair r = *p;
    for (int i = 0; i < 2; i++) {
        double w[3], turn[4], angle;
        v3_add_scaled(r.x[i], twist + 6 * i, h);
        v3_scale(w, twist + 6 * i + 3, h);
        angle = v3_norm(w);
        if (angle == 0.0) continue;
        v3_scale(w, w, 1.0 / angle);
        quat_from_axis_angle(turn, w, angle);
        quat_mul(r.q[i], turn, p->q[i]);
    }
    return r;
}

static double stiffness(const TnRodJoint *joint, int row)
{
    return row < 6 ? joint->k[row] : row == 6 ? joint->k[2] : 0.0;
}

static double energy(const TnRodJoint *joint, const Pair *p)
{
    TnRodStrain s = strain_of(joint, p);
    double e = 0.0;
    for (int k = 0; k < 7; k++) e += 0.5 * stiffness(joint, k) * s.g[k] * s.g[k];
    return e;
}

static void pull(const TnRodJoint *joint, const TnRodStrain *s, double wrench[12])
{
    double force[TN_ROD_ROWS];
    for (int k = 0; k < TN_ROD_ROWS; k++) force[k] = stiffness(joint, k) * s->g[k];
    memset(wrench, 0, 12 * sizeof(double));
    tn_rod_strain_pull(s, force, wrench, wrench + 6);
}

/* strain is not the angle itself beyond 1 */
static const double angles[] = {0.0, 1e-9, 1e-4, 0.19, 0.21, 0.95, 1.05, 1.8, 2.4};
enum { ANGLES = sizeof angles / sizeof angles[0] };

TEST(strain_rate_is_the_derivative_of_the_strain_at_any_angle)
{
    Random r = {1};
    for (int a = 0; a < ANGLES; a++) {
        TnRodJoint joint = random_joint(&r);
        Pair p = random_pair(&r, angles[a]);
        TnRodStrain s = strain_of(&joint, &p);
        double twist[12], rate[TN_ROD_ROWS], error[2] = {0.0, 0.0};
        random_vector(&r, 1.0, twist, 12);
        tn_rod_strain_rate(&s, twist, twist + 6, rate);
        for (int i = 0; i < 2; i++) {
            double h = i ? 5e-4 : 1e-3;
            Pair up = moved(&p, twist, h), down = moved(&p, twist, -h);
            TnRodStrain su = strain_of(&joint, &up), sd = strain_of(&joint, &down);
            for (int k = 0; k < 7; k++)
                error[i] = fmax(error[i], fabs((su.g[k] - sd.g[k]) / (2.0 * h) - rate[k]));
        }
        CHECK(error[0] < 1e-4); /* h² times third derivatives, 100 for the largest angle */
        /* central differences: a quarter of the error at half the step; 1e-11 is rounding / h */
        CHECK(error[1] < 0.27 * error[0] + 1e-11);
    }
}

TEST(forces_are_minus_the_gradient_of_the_energy)
{
    Random r = {2};
    for (int a = 0; a < ANGLES; a++) {
        TnRodJoint joint = random_joint(&r);
        Pair p = random_pair(&r, angles[a]);
        TnRodStrain s = strain_of(&joint, &p);
        double wrench[12], h = 1e-5;
        pull(&joint, &s, wrench);
        for (int k = 0; k < 12; k++) {
            double twist[12] = {0.0};
            twist[k] = 1.0;
            Pair up = moved(&p, twist, h), down = moved(&p, twist, -h);
            double slope = (energy(&joint, &up) - energy(&joint, &down)) / (2.0 * h);
            CHECK_NEAR(wrench[k], -slope, 2e-8); /* h² times third derivatives of order 100 */
        }
    }
}

TEST(forces_of_a_joint_have_no_sum_and_no_torque)
{
    Random r = {3};
    for (int a = 0; a < ANGLES; a++) {
        TnRodJoint joint = random_joint(&r);
        Pair p = random_pair(&r, angles[a]);
        TnRodStrain s = strain_of(&joint, &p);
        double wrench[12], x[3];
        pull(&joint, &s, wrench);
        v3_cross(x, s.d, wrench + 6);
        for (int k = 0; k < 3; k++) {
            CHECK(wrench[k] + wrench[6 + k] == 0.0);
            CHECK_NEAR(wrench[3 + k] + wrench[9 + k] + x[k], 0.0, 1e-14); /* rounding */
        }
    }
}

TEST(rigid_motion_changes_no_strain)
{
    Random r = {4};
    for (int a = 0; a < ANGLES; a++) {
        TnRodJoint joint = random_joint(&r);
        Pair p = random_pair(&r, angles[a]), q = p;
        double turn[4], shift[3], omega[3], twist[12], rate[TN_ROD_ROWS];
        random_quat(&r, turn);
        random_vector(&r, 1.0, shift, 3);
        random_vector(&r, 1.0, omega, 3);
        for (int i = 0; i < 2; i++) {
            quat_rotate(q.x[i], turn, p.x[i]);
            v3_add(q.x[i], q.x[i], shift);
            quat_mul(q.q[i], turn, p.q[i]);
            v3_cross(twist + 6 * i, omega, p.x[i]);
            v3_add(twist + 6 * i, twist + 6 * i, shift);
            v3_copy(twist + 6 * i + 3, omega);
        }
        TnRodStrain s = strain_of(&joint, &p), t = strain_of(&joint, &q);
        tn_rod_strain_rate(&s, twist, twist + 6, rate);
        for (int k = 0; k < 7; k++) {
            CHECK_NEAR(t.g[k], s.g[k], 1e-13); /* rounding */
            CHECK_NEAR(rate[k], 0.0, 1e-13);
        }
    }
}

TEST(both_ends_are_alike)
{
    /* Seen from the other end, with both bodies turned half around x (z and y reversed), strain and
     * forces are the mirrored ones. */
    Random r = {5};
    double flip[4] = {0.0, 1.0, 0.0, 0.0};
    static const double sign[6] = {-1.0, 1.0, 1.0, -1.0, 1.0, 1.0};
    for (int a = 0; a < ANGLES; a++) {
        TnRodJoint joint = random_joint(&r), back = joint;
        Pair p = random_pair(&r, angles[a]), q;
        for (int k = 0; k < 6; k++) back.rest[k] = sign[k] * joint.rest[k];
        for (int i = 0; i < 2; i++) {
            v3_copy(q.x[i], p.x[1 - i]);
            quat_mul(q.q[i], p.q[1 - i], flip);
        }
        TnRodStrain s = strain_of(&joint, &p), t = strain_of(&back, &q);
        double w[12], u[12];
        pull(&joint, &s, w);
        pull(&back, &t, u);
        CHECK_NEAR(t.g[6], s.g[6], 1e-14);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(t.g[k], sign[k] * s.g[k], 1e-14); /* rounding */
            CHECK_NEAR(u[k], w[6 + k], 1e-13);
            CHECK_NEAR(u[6 + k], w[k], 1e-13);
        }
    }
}

TEST(stiffness_is_the_product_of_the_rates_and_tension_resists_across)
{
    Random r = {6};
    for (int a = 0; a < ANGLES; a++) {
        TnRodJoint joint = random_joint(&r);
        Pair p = random_pair(&r, angles[a]);
        TnRodStrain s = strain_of(&joint, &p);
        double D[2][36] = {{0}}, E[36] = {0}, twist[12], force[TN_ROD_ROWS], root[TN_ROD_ROWS];
        double wrench[12] = {0}, part[3], taut = s.g[6] > 0.0 ? 0.7 : 0.0;
        random_vector(&r, 1.0, twist, 12);
        for (int i = 0; i < TN_ROD_ROWS; i++) root[i] = sqrt(stiffness(&joint, i));
        tn_rod_strain_stiffness(&s, root, taut, D[0], D[1], E);
        tn_rod_strain_rate(&s, twist, twist + 6, force);
        for (int i = 0; i < TN_ROD_ROWS; i++) force[i] *= stiffness(&joint, i);
        tn_rod_strain_pull(&s, force, wrench, wrench + 6);
        v3_sub(part, twist + 6, twist);
        v3_add_scaled(part, s.pull, -v3_dot(s.pull, part));
        v3_add_scaled(wrench, part, taut);
        v3_add_scaled(wrench + 6, part, -taut);
        for (int i = 0; i < 6; i++) {
            double y_a = 0.0, y_b = 0.0;
            for (int j = 0; j < 6; j++) {
                y_a += D[0][6 * i + j] * twist[j] + E[6 * j + i] * twist[6 + j];
                y_b += D[1][6 * i + j] * twist[6 + j] + E[6 * i + j] * twist[j];
                for (int n = 0; n < 2; n++) CHECK(D[n][6 * i + j] == D[n][6 * j + i]);
            }
            CHECK_NEAR(y_a, -wrench[i], 1e-12); /* rounding; up to 100 in size */
            CHECK_NEAR(y_b, -wrench[6 + i], 1e-12);
        }
    }
}

/* A joint of length 1 with d along z of both segments but for a shear, b turned by `angle` about x.
 */
static double energy_of(double bend, double kink, double length, double shear, double angle)
{
    TnRodJoint joint = {
        .k = {0.3, 0.3, 1.0, bend, bend, bend}, .rest = {0.0, 0.0, 1.0}, .kink = kink};
    Pair p = {.q = {{1.0}, {1.0}}, .x = {{0.0}, {shear, 0.0, length}}};
    double x[3] = {1.0, 0.0, 0.0};
    quat_from_axis_angle(p.q[1], x, angle);
    return energy(&joint, &p);
}

static double energy_at(double length, double shear, double angle)
{
    return energy_of(0.1, 1.0, length, shear, angle);
}

TEST(tension_does_not_soften_shear)
{
    /* Half again as long, sheared, as much as when it is not stretched, and not less: ½ k s² */
    double s = 1e-3, at_rest = energy_at(1.0, s, 0.0) - energy_at(1.0, 0.0, 0.0);
    double stretched = energy_at(1.5, s, 0.0) - energy_at(1.5, 0.0, 0.0);
    CHECK_NEAR(at_rest, 0.5 * 0.3 * s * s, 1e-6 * at_rest); /* s⁴ */
    CHECK(stretched > at_rest);
    /* and compression as before */
    double pressed = energy_at(0.8, s, 0.0) - energy_at(0.8, 0.0, 0.0);
    CHECK_NEAR(pressed, at_rest, 1e-6 * at_rest);
}

TEST(folding_costs_more_and_more)
{
    double before = energy_at(1.0, 0.0, 0.99);
    /* the angle itself up to one: bend only, but for the compression of the frame's z by cos(θ/2)
     */
    CHECK_NEAR(before,
               0.05 * 0.99 * 0.99 + 0.5 * 0.3 * pow(sin(0.495), 2.0) +
                   0.5 * pow(1.0 - cos(0.495), 2.0),
               1e-12);
    for (double angle = 1.0; angle < 3.1; angle += 0.1) {
        double now = energy_at(1.0, 0.0, angle);
        CHECK(now > before);
        before = now;
    }
    CHECK(before > 10.0); /* and a hundred times what the angle alone would cost near π */
}

/* A joint that bends freely kinks as one of the same material does that does not, but for what its
 * bending alone costs: ½ k (θ² + (G - θ)²) in place of ½ k G². */
TEST(what_bends_freely_does_not_kink_freely)
{
    for (double angle = 0.5; angle < 3.1; angle += 0.1) {
        double frame =
            energy_of(0.0, 1.0, 1.0, 0.0, angle); /* shear and compression of the frame alone */
        double stiff = energy_of(0.1, 1.0, 1.0, 0.0, angle) - frame;
        double limp = energy_of(0.1e-6, 1e6, 1.0, 0.0, angle) - frame;
        double beyond = sqrt(2.0 * stiff / 0.1) - angle; /* G - θ */
        CHECK_NEAR(limp, 0.05 * (1e-6 * angle * angle + beyond * beyond), 1e-12 + 1e-9 * stiff);
    }
}

TEST(sign_of_a_quaternion_does_not_matter)
{
    Random r = {7};
    for (int a = 0; a < ANGLES; a++) {
        TnRodJoint joint = random_joint(&r);
        Pair p = random_pair(&r, angles[a]), q = p;
        for (int k = 0; k < 4; k++) q.q[1][k] = -p.q[1][k];
        TnRodStrain s = strain_of(&joint, &p), t = strain_of(&joint, &q);
        for (int k = 0; k < 7; k++) CHECK_NEAR(t.g[k], s.g[k], 2e-15); /* rounding */
        for (int k = 0; k < 9; k++) CHECK_NEAR(t.axes[k / 3][k % 3], s.axes[k / 3][k % 3], 1e-15);
    }
}

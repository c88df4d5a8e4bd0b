/* An overhand knot in a frictionless cable whose ends are pulled.
 *
 * The loop of a loose knot is nearly a circle. Making it smaller by dR lets out 2π dR of cable,
 * against the bending energy π EI/R: T = EI / 2R², to leading order in √(thickness/R) (Audoly,
 * Clauvelin and Neukirch 2007). */
#include "rod_sim.h"

#include <math.h>
#include <string.h>

enum { SEGMENTS = 200, DENSE = 600 };

/* Half of an open trefoil, from its middle to the right end: a lobe and a half, an arc, and
 * straight. */
static int right_half(double scale, double points[][3])
{
    const double open = 0.55, arc = 2 * scale, tail = 3 * scale;
    int n = 0;
    for (int k = 0; k <= DENSE; k++) {
        double t = 2 * VERIFY_PI - (VERIFY_PI - open) * k / DENSE;
        points[n][0] = scale * (sin(t) + 2 * sin(2 * t));
        points[n][1] = scale * (cos(t) - 2 * cos(2 * t));
        points[n++][2] = -0.4 * scale * sin(3 * t);
    }
    double *end = points[n - 1], *before = points[n - 2];
    double heading = atan2(end[1] - before[1], end[0] - before[0]), z = end[2];
    double centre[2] = {end[0] - arc * sin(heading), end[1] + arc * cos(heading)};
    double turn = heading <= 0 ? -heading : 2 * VERIFY_PI - heading;
    for (int k = 1; k <= DENSE; k++) {
        double a = heading + turn * k / DENSE, s = (double)k / DENSE;
        points[n][0] = centre[0] + arc * sin(a);
        points[n][1] = centre[1] - arc * cos(a);
        points[n++][2] = z * (1 - s * s * (3 - 2 * s));
    }
    double x = points[n - 1][0], y = points[n - 1][1];
    for (int k = 1; k <= DENSE; k++, n++) {
        points[n][0] = x + tail * k / DENSE;
        points[n][1] = y;
        points[n][2] = 0;
    }
    return n;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Points at equal distances along the knot; the left half is the right one, turned about y. Returns
 * the length of a segment. */
static double knot_points(double scale, double out[3 * (SEGMENTS + 1)])
{
    static const double turned[3] = {-1, 1, -1};
    double half[3 * DENSE + 8][3], length = 0, along = 0;
    int n = right_half(scale, half), k = 0;
    for (int i = 1; i < n; i++) length += distance(half[i - 1], half[i]);
    for (int i = 0; i <= SEGMENTS / 2; i++) {
        double s = 2 * length * i / SEGMENTS, step;
        while (k < n - 2 && along + (step = distance(half[k], half[k + 1])) < s) along += step, k++;
        double u = (s - along) / distance(half[k], half[k + 1]);
        for (int j = 0; j < 3; j++) {
            double x = half[k][j] + u * (half[k + 1][j] - half[k][j]);
            out[3 * (SEGMENTS / 2 + i) + j] = x;
            out[3 * (SEGMENTS / 2 - i) + j] = turned[j] * x;
        }
    }
    return 2 * length / SEGMENTS;
}

/* Radius of the loop's middle, by the turn of the cable over `reach` segments to either side. */
static double loop_radius(const RodSim *r, int reach, double length)
{
    double a[3], b[3], turn = 0;
    for (int i = SEGMENTS / 2 - reach; i < SEGMENTS / 2 + reach; i++) {
        rod_sim_direction(r, i, a);
        rod_sim_direction(r, i + 1, b);
        double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        turn += acos(fmin(1, dot));
    }
    return 2 * reach * length / turn;
}

static double knot_radius(Finding *f, double thickness, double right, bool draw)
{
    double points[3 * (SEGMENTS + 1)], length = knot_points(0.02, points), radius = 0;
    RodSim r = rod_sim_begin(f, 0.005, 1, 0);
    r.rod.points = points;
    r.rod.segment_count = SEGMENTS;
    r.rod.radius = thickness;
    r.rod.youngs_modulus = 1e9;
    r.rod.straight_rest = true;
    r.rod.self_contact = true;
    r.rod.contact_dim = 1;
    r.rod.damping_time = 0.005;
    rod_sim_add(&r);
    rod_sim_finish(&r);
    double T = rod_bend(&r.rod) / (2 * right * right);
    int curve = draw ? finding_curve(f, "tenon") : -1;
    int exact = draw ? finding_reference_curve(f, "√(EI/2T)") : -1;
    for (int k = 0; k < 1000 && r.sim.world; k++) {
        tn_world_apply_wrench(r.sim.world, r.first, (const double[3]){-T, 0, 0},
                              (const double[3]){0});
        tn_world_apply_wrench(r.sim.world, r.first + SEGMENTS - 1, (const double[3]){T, 0, 0},
                              (const double[3]){0});
        if (!sim_step(&r.sim)) break;
        radius = loop_radius(&r, (int)(0.5 * VERIFY_PI * right / length), length);
        finding_point(f, curve, sim_time(&r.sim), radius);
        finding_point(f, exact, sim_time(&r.sim), right);
    }
    rod_sim_end(&r);
    return radius;
}

void cable_knot(Finding *f, const VerifyRow *row)
{
    finding_axes(f, "time, s", "radius of the loop, m");
    f->value = knot_radius(f, row->number, 0.025, true);
    f->reference = 0.025;
    finding_note(f, "with cables four and two times as thick it is off by %.2g and %.2g of it",
                 knot_radius(f, 4 * row->number, 0.025, false) / 0.025 - 1,
                 knot_radius(f, 2 * row->number, 0.025, false) / 0.025 - 1);
}

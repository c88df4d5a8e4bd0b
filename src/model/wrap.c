/* wrap.c: the shortest way of a string around a sphere or a cylinder.
 *
 * Both are a circle in a plane: for the sphere the plane through its centre and the two ends, for
 * the cylinder the one across it; along the cylinder the string rises evenly with the way in the
 * plane. In the plane, seen from the centre, a tangent from an end at distance d touches the circle
 * at the angle acos(r/d) from that end's direction, to either side. So the string runs over the arc
 * that is left of the angle between the ends, the shorter way if the circle is in its way, or the
 * long way if a side site asks for it.
 *
 * A side site within the circle asks for the inside: the string may not leave the circle where it
 * passes the plane of the centre, and touches it in one point, where it is bent like light by a
 * mirror. With the angle of incidence i, r/d = A and B for the two ends and G the angle between
 * them,
 *
 *     asin(A sin i) + asin(B sin i) - 2 i + G = 0. */
#include "path.h"

#include "../base/base.h"
#include "../math/vec3.h"
#include "thresholds.h"

#define MOST_ITERATIONS 100

static double dot2(const double a[2], const double b[2]) { return a[0] * b[0] + a[1] * b[1]; }
static double cross2(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }

/* Where a circle's string touches it, and the arc between. */
typedef struct Arc {
    double on[2][2];
    double angle; /* signed, from the first to the second */
} Arc;

/* The point of a segment that is nearest to the centre. */
static void nearest(const double a[2], const double b[2], double out[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]};
    double share = -dot2(d, a) / dot2(d, d);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    for (int k = 0; k < 2; k++) out[k] = a[k] + share * d[k];
}

static bool too_close(const double a[2], const double b[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]};
    return dot2(d, d) < TN_TINY;
}

static void turn(const double a[2], double angle, double radius, double out[2])
{
    double scale = radius / sqrt(dot2(a, a)), c = scale * cos(angle), s = scale * sin(angle);
    out[0] = c * a[0] - s * a[1];
    out[1] = s * a[0] + c * a[1];
}

/* ---- outside ---- */

/* The way round that turns in the direction of `sign`. */
static void way_round(const double a[2], const double b[2], double radius, int sign, Arc *out)
{
    double first = acos(radius / sqrt(dot2(a, a))), second = acos(radius / sqrt(dot2(b, b)));
    turn(a, sign * first, radius, out->on[0]);
    turn(b, -sign * second, radius, out->on[1]);
    double angle = atan2(cross2(out->on[0], out->on[1]), dot2(out->on[0], out->on[1]));
    if (sign * angle < 0.0) angle += sign * 2.0 * TN_PI;
    out->angle = angle;
}

/* The side is behind the circle, seen from between the ends: the long way leads past it. */
static bool is_behind(const double a[2], const double b[2], const double side[2])
{
    double turn = cross2(a, b);
    return cross2(a, side) * turn < 0.0 && cross2(side, b) * turn < 0.0;
}

static bool wrap_outside(const double a[2], const double b[2], const double *side, double radius,
                         Arc *out)
{
    double near[2];
    bool behind = side && is_behind(a, b, side);
    int shorter = cross2(a, b) > 0.0 ? 1 : -1;
    nearest(a, b, near);
    if (dot2(near, near) > radius * radius && !behind) return false;
    way_round(a, b, radius, behind ? -shorter : shorter, out);
    return true;
}

/* ---- inside ---- */

/* The angle of incidence. The left side falls from G at 0 to below 0 at π/2 where the straight way
 * misses the circle; its slope is below -(2 - A - B), so Newton's method within bounds converges.
 */
static double incidence(double A, double B, double G)
{
    double low = 0.0, high = 0.5 * TN_PI, i = 0.25 * TN_PI;
    for (int k = 0; k < MOST_ITERATIONS && high - low > 1e-16; k++) {
        double a = A * sin(i), b = B * sin(i), f = asin(a) + asin(b) - 2.0 * i + G;
        double slope = cos(i) * (A / sqrt(1.0 - a * a) + B / sqrt(1.0 - b * b)) - 2.0;
        *(f > 0.0 ? &low : &high) = i;
        double next = i - f / slope;
        if (fabs(next - i) < 1e-16) break;
        i = next > low && next < high ? next : 0.5 * (low + high);
    }
    return i;
}

static bool wrap_inside(const double a[2], const double b[2], double radius, Arc *out)
{
    double near[2], da = sqrt(dot2(a, a)), db = sqrt(dot2(b, b));
    nearest(a, b, near);
    if (dot2(near, near) <= radius * radius) return false;
    double G = fabs(atan2(cross2(a, b), dot2(a, b)));
    bool left = cross2(a, b) > 0.0;
    double i = incidence(radius / da, radius / db, G);
    double angle = i - asin(sin(i) * radius / (left ? da : db));
    turn(left ? a : b, angle, radius, out->on[0]);
    memcpy(out->on[1], out->on[0], sizeof out->on[1]);
    out->angle = 0.0;
    return true;
}

/* ---- in space ---- */

static bool wrap_circle(const double a[2], const double b[2], const double *side, bool inside,
                        double radius, Arc *out)
{
    if (!(radius > TN_TINY) || dot2(a, a) <= radius * radius || dot2(b, b) <= radius * radius ||
        too_close(a, b))
        return false;
    return inside ? wrap_inside(a, b, radius, out) : wrap_outside(a, b, side, radius, out);
}

/* Axes of the plane through the centre and both ends: the first along a. */
static void plane_of(const double a[3], const double b[3], double x[3], double y[3], double n[3])
{
    v3_copy(x, a);
    v3_normalize(x);
    v3_cross(n, a, b);
    if (v3_normalize(n) < TN_TINY) v3_tangents(x, n, y); /* any plane does */
    v3_cross(y, n, x);
    v3_normalize(y);
}

static bool wrap_sphere(double radius, const double a[3], const double b[3], const double *side,
                        bool inside, TnWrap *out)
{
    double x[3], y[3];
    plane_of(a, b, x, y, out->axis);
    const double flat_a[2] = {v3_dot(a, x), v3_dot(a, y)}, flat_b[2] = {v3_dot(b, x), v3_dot(b, y)};
    double flat_side[2] = {0};
    if (side) flat_side[0] = v3_dot(side, x), flat_side[1] = v3_dot(side, y);
    Arc arc;
    if (!wrap_circle(flat_a, flat_b, side ? flat_side : NULL, inside, radius, &arc)) return false;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) out->on[i][k] = arc.on[i][0] * x[k] + arc.on[i][1] * y[k];
    out->angle = arc.angle;
    out->length = radius * fabs(arc.angle);
    return true;
}

static bool wrap_cylinder(double radius, const double a[3], const double b[3], const double *side,
                          bool inside, TnWrap *out)
{
    Arc arc;
    if (!wrap_circle(a, b, side, inside, radius, &arc)) return false;
    double flat = radius * fabs(arc.angle);
    double before = hypot(arc.on[0][0] - a[0], arc.on[0][1] - a[1]),
           after = hypot(arc.on[1][0] - b[0], arc.on[1][1] - b[1]);
    double rise = (b[2] - a[2]) / (before + flat + after);
    for (int i = 0; i < 2; i++) v3_set(out->on[i], arc.on[i][0], arc.on[i][1], 0.0);
    out->on[0][2] = a[2] + rise * before;
    out->on[1][2] = a[2] + rise * (before + flat);
    v3_set(out->axis, 0.0, 0.0, 1.0);
    out->angle = arc.angle;
    out->length = hypot(flat, out->on[1][2] - out->on[0][2]);
    return true;
}

bool tn_wrap(bool cylinder, double radius, const double a[3], const double b[3], const double *side,
             TnWrap *out)
{
    /* of a cylinder, too, it is the distance from the centre that counts, as in MuJoCo */
    bool inside = side && v3_norm(side) < radius;
    return cylinder ? wrap_cylinder(radius, a, b, side, inside, out)
                    : wrap_sphere(radius, a, b, side, inside, out);
}

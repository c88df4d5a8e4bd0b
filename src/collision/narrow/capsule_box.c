/* capsule_box.c: a capsule with a box, in closed form.
 *
 * In the box's axes the squared distance from the core c + t u, |t| <= H, to the box with half
 * lengths h is f(t) = Σ_i max(0, |c_i + t u_i| - h_i)², convex and piecewise quadratic: f' is
 * linear between the at most six places where a coordinate enters or leaves the box, so its root is
 * found exactly. A core that meets the box is pushed out along the best of three face normals and
 * three u × e_i. */
#include "../../math/vec3.h"
#include "narrow.h"

typedef struct Core {
    double c[3], u[3], half; /* the segment in the box's axes */
} Core;

static double slope(const Core *k, const double h[3], double t)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double x = k->c[i] + t * k->u[i], excess = fabs(x) - h[i];
        if (excess > 0.0) sum += k->u[i] * (x > 0.0 ? excess : -excess);
    }
    return sum;
}

/* Parameter of the point nearest to the box: the middle where there are many. */
static double nearest_parameter(const Core *k, const double h[3])
{
    double stops[8] = {-k->half, k->half};
    int count = 2;
    for (int i = 0; i < 3; i++) {
        if (k->u[i] == 0.0) continue;
        for (int side = -1; side <= 1; side += 2) {
            double t = (side * h[i] - k->c[i]) / k->u[i];
            if (fabs(t) < k->half) stops[count++] = t;
        }
    }
    /* last stop with a falling and first stop with a rising f */
    double falls = -INFINITY, rises = INFINITY, fall_slope = 0.0, rise_slope = 0.0, low = INFINITY,
           high = -INFINITY;
    for (int i = 0; i < count; i++) {
        double g = slope(k, h, stops[i]);
        if (g < 0.0 && stops[i] > falls) {
            falls = stops[i];
            fall_slope = g;
        } else if (g > 0.0 && stops[i] < rises) {
            rises = stops[i];
            rise_slope = g;
        } else if (g == 0.0) {
            low = fmin(low, stops[i]);
            high = fmax(high, stops[i]);
        }
    }
    if (low <= high) return 0.5 * (low + high);
    if (falls == -INFINITY) return -k->half;
    if (rises == INFINITY) return k->half;
    return falls + (rises - falls) * fall_slope / (fall_slope - rise_slope);
}

/* The core meets the box: the axis along which it leaves it soonest. All in the box's axes, n from
 * the capsule to the box. */
static void escape(const Core *k, const double h[3], double n[3], double *separation,
                   int *edge_axis)
{
    *separation = -INFINITY;
    *edge_axis = -1;
    for (int j = 0; j < 6; j++) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[j % 3] = 1.0;
        if (j >= 3) {
            v3_cross(axis, k->u, axis);
            if (v3_norm(axis) < 1e-6) continue;
            v3_normalize(axis);
        }
        double centre = v3_dot(axis, k->c), reach = k->half * fabs(v3_dot(axis, k->u));
        for (int i = 0; i < 3; i++) reach += h[i] * fabs(axis[i]);
        double s = fabs(centre) - reach;
        /* faces win unless an edge is clearly better */
        if (j < 3 ? s <= *separation : 0.99 * s <= *separation) continue;
        *separation = s;
        *edge_axis = j < 3 ? -1 : j - 3;
        v3_scale(n, axis, centre > 0.0 ? -1.0 : 1.0);
    }
}

bool tn_collide_capsule_box(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out)
{
    const double *h = b->shape->size, *rot = b->at->rot;
    double radius = a->shape->size[0], d[3], axis[3], p[3], q[3], n[3];
    Core k = {.half = a->shape->size[1]};
    v3_sub(d, a->at->pos, b->at->pos);
    m3_tmul_v(k.c, rot, d);
    m3_column(axis, a->at->rot, 2);
    m3_tmul_v(k.u, rot, axis);

    double t = nearest_parameter(&k, h), scale = k.half + radius;
    for (int i = 0; i < 3; i++) {
        p[i] = k.c[i] + t * k.u[i];
        q[i] = p[i] < -h[i] ? -h[i] : p[i] > h[i] ? h[i] : p[i];
        scale = fmax(scale, h[i]);
    }
    v3_sub(n, q, p);
    double distance = v3_norm(n);
    if (!(distance - radius <= margin)) return true;
    if (distance > 1e-9 * scale) {
        v3_scale(n, n, 1.0 / distance);
    } else {
        int edge_axis;
        escape(&k, h, n, &distance, &edge_axis);
        if (edge_axis < 0) { /* the end that is deepest in */
            t = v3_dot(k.u, n) >= 0.0 ? k.half : -k.half;
        } else { /* against the box's edge that looks against n */
            double corner[3], e[3] = {0.0, 0.0, 0.0}, s;
            e[edge_axis] = 1.0;
            for (int i = 0; i < 3; i++)
                corner[i] = i == edge_axis ? 0.0 : n[i] > 0.0 ? -h[i] : h[i];
            tn_lines_nearest(k.c, k.u, corner, e, &t, &s);
            t = t < -k.half ? -k.half : t > k.half ? k.half : t;
        }
        for (int i = 0; i < 3; i++) p[i] = k.c[i] + t * k.u[i];
    }
    TnWitness w = {.gap = distance - radius};
    m3_mul_v(w.normal, rot, n);
    m3_mul_v(w.a, rot, p);
    v3_add(w.a, w.a, b->at->pos);
    v3_add_scaled(w.a, w.normal, radius);
    v3_copy(w.b, w.a);
    v3_add_scaled(w.b, w.normal, w.gap);
    tn_manifold_build(a, b, &w, margin, out);
    return true;
}

/* convex.c: any two convex shapes: GJK where their cores are apart, EPA where they meet.
 *
 * EPA rather than MPR, because it ends at the direction of least overlap whatever the start, which
 * keeps the normal of resting faces independent of history; the pairs that are many in practice
 * have closed forms and never come here. */
#include "../../math/vec3.h"
#include "../../model/mesh/hull.h"
#include "narrow.h"

void tn_lines_nearest(const double p[3], const double u[3], const double q[3], const double v[3],
                      double *s, double *t)
{
    double r[3];
    v3_sub(r, p, q);
    double uv = v3_dot(u, v), ur = v3_dot(u, r), vr = v3_dot(v, r),
           det = fmax(1.0 - uv * uv, 1e-300);
    *s = (uv * vr - ur) / det;
    *t = (vr - uv * ur) / det;
}

double tn_separation(const TnPlaced *a, const TnPlaced *b, const double n[3])
{
    double w[3], sa[3];
    tn_minkowski(a, b, n, w, sa);
    return -v3_dot(n, w);
}

/* Iterations end near a face's normal; where that very normal is as good, it is the one. */
static bool snap(const TnPlaced *a, const TnPlaced *b, double scale, double axis[3], TnWitness *w)
{
    double along = v3_dot(axis, w->normal);
    if (fabs(along) < 0.99) return false;
    if (along < 0.0) v3_scale(axis, axis, -1.0);
    double gap = tn_separation(a, b, axis);
    if (gap < w->gap - 1e-10 * scale) return false;
    v3_copy(w->normal, axis);
    w->gap = gap;
    return true;
}

static void snap_to_axes(const TnPlaced *a, const TnPlaced *b, double scale, TnWitness *w)
{
    for (int k = 0; k < 6; k++) {
        const TnPlaced *s = k < 3 ? a : b;
        bool has_face =
            s->shape->type == TN_GEOM_BOX || (s->shape->type == TN_GEOM_CYLINDER && k % 3 == 2);
        if (!has_face) continue;
        double axis[3];
        m3_column(axis, s->at->rot, k % 3);
        if (snap(a, b, scale, axis, w)) return;
    }
    for (int k = 0; k < 2; k++) {
        const TnPlaced *s = k ? b : a;
        if (s->shape->type != TN_GEOM_MESH || !s->shape->hull) continue;
        double outward[3], local[3], axis[3];
        v3_scale(outward, w->normal, k ? -1.0 : 1.0);
        m3_tmul_v(local, s->at->rot, outward);
        const double *normal = tn_hull_face_normal(s->shape->hull, local);
        m3_mul_v(axis, s->at->rot, normal);
        if (snap(a, b, scale, axis, w)) return;
    }
}

void tn_convex_witness(const TnPlaced *a, const TnPlaced *b, double off, TnWitness *out)
{
    double scale = tn_shape_extent(a->shape) + tn_shape_extent(b->shape);
    bool apart = tn_gjk(a, b, scale, out);
    double distance = out->gap;
    if (apart) out->gap = tn_separation(a, b, out->normal);
    /* so near to touching that rounding stopped GJK before its direction was right: the better one
     * of both */
    if (!apart || distance - out->gap > fmax(off, 1e-11 * scale)) {
        TnWitness other;
        tn_epa(a, b, scale, INFINITY, &other);
        other.gap = tn_separation(a, b, other.normal);
        if (!apart || other.gap > out->gap) *out = other;
    }
    snap_to_axes(a, b, scale, out);
    double ra = tn_core_radius(a->shape), rb = tn_core_radius(b->shape);
    out->gap -= ra + rb;
    v3_add_scaled(out->a, out->normal, ra);
    v3_add_scaled(out->b, out->normal, -rb);
}

bool tn_convex_is_deeper(const TnPlaced *a, const TnPlaced *b, double depth)
{
    TnWitness w;
    double scale = tn_shape_extent(a->shape) + tn_shape_extent(b->shape);
    double enough = depth - tn_core_radius(a->shape) - tn_core_radius(b->shape);
    if (tn_gjk(a, b, scale, &w)) return false;
    return enough < 0.0 || !tn_epa(a, b, scale, enough, &w);
}

bool tn_collide_convex(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out)
{
    TnWitness w;
    tn_convex_witness(a, b, 0.0, &w);
    tn_manifold_build(a, b, &w, margin, out);
    return true;
}

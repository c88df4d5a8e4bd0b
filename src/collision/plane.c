/* plane.c: a plane with any convex shape, in closed form.
 *
 * With unit normal n and offset n·o, a surface point p has gap n·(p - o); the contact lies halfway
 * down, at p - n gap/2. */
#include "../math/vec3.h"
#include "../model/hull.h"
#include "narrow.h"

#define UPRIGHT                                                                                    \
    3e-4 /* below this tilt a disc's points are fixed to the body, so that they do not wander */

typedef struct PlaneFrame {
    double normal[3], origin[3];
} PlaneFrame;

static double height(const PlaneFrame *plane, const double p[3])
{
    double d[3];
    v3_sub(d, p, plane->origin);
    return v3_dot(plane->normal, d);
}

static void add(const PlaneFrame *plane, const double p[3], double margin, uint32_t id,
                TnManifold *out)
{
    double gap = height(plane, p), pos[3];
    v3_copy(pos, p);
    v3_add_scaled(pos, plane->normal, -0.5 * gap);
    tn_manifold_add(out, margin, pos, gap, tn_feature(TN_FEATURE_NONE, tn_feature_vertex(id)));
}

static void to_world(const TnPlaced *s, const double local[3], double p[3])
{
    m3_mul_v(p, s->at->rot, local);
    v3_add(p, p, s->at->pos);
}

static void plane_capsule(const PlaneFrame *plane, const TnPlaced *s, double margin,
                          TnManifold *out)
{
    for (int k = 0; k < 2; k++) {
        double p[3], local[3] = {0.0, 0.0, k ? -s->shape->size[1] : s->shape->size[1]};
        to_world(s, local, p);
        v3_add_scaled(p, plane->normal, -s->shape->size[0]);
        add(plane, p, margin, (uint32_t)k, out);
    }
}

/* One corner of each of the four diagonals: the lower one. The other end touches only where the
 * centre is below the plane. */
static void plane_box(const PlaneFrame *plane, const TnPlaced *s, double margin, TnManifold *out)
{
    double n[3];
    m3_tmul_v(n, s->at->rot, plane->normal);
    for (uint32_t diagonal = 0; diagonal < 4; diagonal++) {
        double local[3], p[3];
        for (int i = 0; i < 3; i++)
            local[i] = diagonal >> i & 1u ? s->shape->size[i] : -s->shape->size[i];
        uint32_t corner = diagonal;
        if (v3_dot(n, local) > 1e-12 * v3_norm(local)) {
            v3_scale(local, local, -1.0);
            corner ^= 7u;
        }
        to_world(s, local, p);
        add(plane, p, margin, corner, out);
    }
}

/* The lowest rim point, the two beside it, and the lower one of those across: on the same rim
 * (standing) or on the other (lying). */
static void plane_cylinder(const PlaneFrame *plane, const TnPlaced *s, double margin,
                           TnManifold *out)
{
    double r = s->shape->size[0], h = s->shape->size[1], n[3], u[2] = {1.0, 0.0};
    m3_tmul_v(n, s->at->rot, plane->normal);
    double radial = sqrt(n[0] * n[0] + n[1] * n[1]), end = n[2] <= 0.0 ? h : -h;
    if (radial > UPRIGHT) {
        u[0] = -n[0] / radial;
        u[1] = -n[1] / radial;
    }
    uint32_t base = end > 0.0 ? 0u : 8u;
    double local[4][3] = {{r * u[0], r * u[1], end},
                          {-r * u[1], r * u[0], end},
                          {r * u[1], -r * u[0], end},
                          {0, 0, 0}};
    uint32_t id[4] = {base, base + 1u, base + 2u, base + 3u};
    if (2.0 * h * fabs(n[2]) <
        2.0 * r * radial) { /* lying: along the side, and the two ends are known by their rim */
        v3_set(local[3], r * u[0], r * u[1], -end);
        id[0] = end > 0.0 ? 16u : 17u;
        id[3] = end > 0.0 ? 17u : 16u;
    } else {
        v3_set(local[3], -r * u[0], -r * u[1], end);
    }
    for (int k = 0; k < 4; k++) {
        double p[3];
        to_world(s, local[k], p);
        add(plane, p, margin, id[k], out);
    }
}

static void plane_mesh(const PlaneFrame *plane, const TnPlaced *s, double margin, TnManifold *out)
{
    enum { BATCH = 64, LOWEST_MAX = 256 };
    TnManifoldPoint points[BATCH];
    TnManifold reduced;
    int count = 0, candidates = -1;
    int32_t lowest[LOWEST_MAX];
    if (s->shape->hull) {
        double down[3], p[3], local[3];
        v3_scale(down, plane->normal, -1.0);
        tn_support_core(s, down, p);
        double room = margin - height(plane, p);
        if (!(room >= 0.0)) return;
        m3_tmul_v(local, s->at->rot, down);
        /* a rounding more, as heights are measured anew below */
        room += 1e-12 * s->shape->hull->radius;
        candidates = tn_hull_above(s->shape->hull, local, room, lowest, LOWEST_MAX);
    }
    bool listed = candidates >= 0;
    if (!listed) candidates = s->shape->mesh_vertex_count;
    for (int k = 0; k < candidates; k++) {
        int i = listed ? lowest[k] : k;
        double p[3];
        to_world(s, s->shape->mesh_vertices + 3 * (size_t)i, p);
        double gap = height(plane, p);
        if (!(gap <= margin)) continue;
        if (count == BATCH) { /* the outermost of the points so far stay */
            tn_manifold_reduce(points, count, plane->normal, s->at->rot, &reduced);
            count = reduced.count;
            memcpy(points, reduced.points, sizeof points[0] * (size_t)count);
        }
        TnManifoldPoint *q = &points[count++];
        v3_copy(q->pos, p);
        v3_add_scaled(q->pos, plane->normal, -0.5 * gap);
        q->gap = gap;
        q->feature = tn_feature(TN_FEATURE_NONE, tn_feature_vertex((uint32_t)i % 0x7ffeu));
    }
    tn_manifold_reduce(points, count, plane->normal, s->at->rot, &reduced);
    out->count = reduced.count;
    memcpy(out->points, reduced.points, sizeof points[0] * (size_t)reduced.count);
}

bool tn_collide_plane(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out)
{
    PlaneFrame plane;
    m3_column(plane.normal, a->at->rot, 2);
    v3_copy(plane.origin, a->at->pos);
    v3_copy(out->normal, plane.normal);
    switch (b->shape->type) {
    case TN_GEOM_CAPSULE:
        plane_capsule(&plane, b, margin, out);
        return true;
    case TN_GEOM_BOX:
        plane_box(&plane, b, margin, out);
        return true;
    case TN_GEOM_CYLINDER:
        plane_cylinder(&plane, b, margin, out);
        return true;
    case TN_GEOM_MESH:
        plane_mesh(&plane, b, margin, out);
        return true;
    case TN_GEOM_SPHERE:
    case TN_GEOM_ELLIPSOID: {
        double down[3], p[3];
        v3_scale(down, plane.normal, -1.0);
        tn_support_core(b, down, p);
        v3_add_scaled(p, down, tn_core_radius(b->shape));
        add(&plane, p, margin, 0, out);
        return true;
    }
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
        break;
    }
    return false;
}

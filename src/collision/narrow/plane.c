/* plane.c: a plane with any convex shape, in closed form.
 *
 * With unit normal n and offset n·o, a surface point p has gap n·(p - o); the contact lies halfway
 * down, at p - n gap/2. */
#include "../../math/vec3.h"
#include "../../model/mesh/hull.h"
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

#define NEAR_MAX 256 /* vertices within reach that are looked at, as in feature.c */
/* A mesh seen along the plane's normal, in its own axes. */
typedef struct MeshOver {
    const TnShape *shape;
    double down[3], x[3], y[3];
    double height; /* of its origin */
    double margin;
    TnPatchPoint deepest;
    TnPatchPoint near[NEAR_MAX];
    int near_count; /* -1: not listed */
} MeshOver;

static int find_deepest(const MeshOver *m)
{
    if (m->shape->hull) return tn_hull_support(m->shape->hull, m->down);
    const double *v = m->shape->mesh_vertices;
    int best = 0;
    double top = v3_dot(v, m->down);
    for (int i = 1; i < m->shape->mesh_vertex_count; i++) {
        double along = v3_dot(v + 3 * (size_t)i, m->down);
        if (!(along > top)) continue;
        top = along;
        best = i;
    }
    return best;
}

static void look_at(const MeshOver *m, int i, TnPatchPoint *out)
{
    const double *v = m->shape->mesh_vertices + 3 * (size_t)i;
    *out = (TnPatchPoint){
        {v3_dot(v, m->x), v3_dot(v, m->y)}, m->height - v3_dot(v, m->down), i, false};
}

static void list_if_near(MeshOver *m, int vertex)
{
    TnPatchPoint p;
    look_at(m, vertex, &p);
    if (!(p.gap <= m->margin)) return;
    if (m->near_count < NEAR_MAX) m->near[m->near_count] = p;
    m->near_count++;
}

/* Vertices within reach; their number alone where there are too many. */
static void list_near(MeshOver *m)
{
    const TnHull *hull = m->shape->hull;
    int32_t list[NEAR_MAX];
    /* a rounding more, as heights are measured anew */
    int count =
        hull ? tn_hull_above(hull, m->down, m->margin - m->deepest.gap + 1e-12 * hull->radius, list,
                             NEAR_MAX)
             : -1;
    m->near_count = 0;
    for (int i = 0; i < count; i++) list_if_near(m, list[i]);
    for (int i = 0; i < m->shape->mesh_vertex_count && count < 0; i++) list_if_near(m, i);
}

/* On a hull uphill; where that ends out of reach, or without one, by comparing what is within. */
static void mesh_lowest(void *context, const double tilt[2], TnPatchPoint *out)
{
    MeshOver *m = context;
    if (m->near_count < 0 && m->shape->hull) {
        double d[3];
        v3_copy(d, m->down);
        v3_add_scaled(d, m->x, tilt[0]);
        v3_add_scaled(d, m->y, tilt[1]);
        look_at(m, tn_hull_climb(m->shape->hull, out->index, d), out);
        if (out->gap <= m->margin) return;
    }
    if (m->near_count < 0) list_near(m);
    *out = m->deepest;
    double best = tilt[0] * out->x[0] + tilt[1] * out->x[1] - out->gap;
    bool listed = m->near_count <= NEAR_MAX;
    for (int i = 0; i < (listed ? m->near_count : m->shape->mesh_vertex_count); i++) {
        TnPatchPoint p;
        if (listed)
            p = m->near[i];
        else
            look_at(m, i, &p);
        double own = tilt[0] * p.x[0] + tilt[1] * p.x[1] - p.gap;
        if (!(own > best && p.gap <= m->margin)) continue;
        best = own;
        *out = p;
    }
}

/* Whether a vertex is lower than the deepest at a smaller slope than any before. */
static void try_slope(const MeshOver *m, int vertex, double *slope2, double easiest[3])
{
    const double *v = m->shape->mesh_vertices;
    double along[3];
    v3_sub(along, v + 3 * (size_t)vertex, v + 3 * (size_t)m->deepest.index);
    double rise = v3_dot(along, m->down), across2 = v3_dot(along, along) - rise * rise;
    if (!(rise * rise < *slope2 * across2)) return;
    *slope2 = rise * rise / across2;
    v3_copy(easiest, along);
}

/* The way in which a vertex is lower first than the deepest, as a unit vector in the mesh's axes.
 * False: with no tilt of this size any is. On a hull that is a neighbour. */
static bool tilts_to(const MeshOver *m, double tilt, double easiest[3])
{
    const TnHull *hull = m->shape->hull;
    int at = m->deepest.index;
    double slope2 = tilt * tilt;
    v3_zero(easiest);
    if (hull)
        for (int32_t e = hull->edge_start[at]; e < hull->edge_start[at + 1]; e++)
            try_slope(m, hull->edges[e], &slope2, easiest);
    else
        for (int i = 0; i < m->shape->mesh_vertex_count; i++) try_slope(m, i, &slope2, easiest);
    v3_add_scaled(easiest, m->down, -v3_dot(easiest, m->down));
    return v3_normalize(easiest) > 0.0;
}

/* Which vertices stay, of a mesh that is not on one alone. */
static int choose_vertices(MeshOver *m, const PlaneFrame *plane, const TnPlaced *s, double extent,
                           const double easiest[3], int chosen[TN_MANIFOLD_MAX])
{
    double x[3], y[3];
    tn_patch_axes(plane->normal, s->at->rot, x, y);
    m3_tmul_v(m->x, s->at->rot, x);
    m3_tmul_v(m->y, s->at->rot, y);
    look_at(m, m->deepest.index, &m->deepest);
    const double across[2] = {v3_dot(easiest, m->x), v3_dot(easiest, m->y)};
    return tn_patch_choose(mesh_lowest, m, &m->deepest, across, m->margin, extent, chosen);
}

static void plane_mesh(const PlaneFrame *plane, const TnPlaced *s, double margin, TnManifold *out)
{
    MeshOver m;
    double easiest[3], extent = tn_shape_extent(s->shape);
    m.shape = s->shape;
    m.height = height(plane, s->at->pos);
    m.margin = margin;
    m.near_count = -1;
    m3_tmul_v(m.down, s->at->rot, plane->normal);
    v3_scale(m.down, m.down, -1.0);
    int chosen[TN_MANIFOLD_MAX] = {find_deepest(&m)}, count = 1;
    m.deepest.index = chosen[0];
    m.deepest.gap =
        m.height - v3_dot(s->shape->mesh_vertices + 3 * (size_t)m.deepest.index, m.down);
    if (!(m.deepest.gap <= margin)) return;
    if (tilts_to(&m, tn_patch_tilt(margin, extent), easiest))
        count = choose_vertices(&m, plane, s, extent, easiest, chosen);
    for (int i = 0; i < count; i++) {
        double p[3];
        to_world(s, s->shape->mesh_vertices + 3 * (size_t)chosen[i], p);
        add(plane, p, margin, (uint32_t)chosen[i] % 0x7ffeu, out);
    }
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

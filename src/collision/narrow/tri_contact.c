/* tri_contact.c: a convex shape against the triangles of a mesh, without bumps where they join.
 *
 * A triangle by itself has edges and corners that the surface has not, and a body that slides over
 * them would be stopped there. So a contact of a triangle counts in two cases only:
 *
 *   face   the shape lies in front of the triangle's plane, up to a penetration of half its
 *          thickness. Its lowest points, as over a plane, count where they are over the triangle.
 *   ridge  the direction in which shape and edge are nearest, m from the edge to the shape, is one
 *          in which the surface itself has its nearest point there, on the edge or at its end:
 *
 *              m · d <= 0   for each direction d from there into the surface.
 *
 * Between two faces in one plane, and in a valley, no direction fulfils this: such edges are not
 * looked at. On a ridge m lies between the normals of both faces. */
#include "tri_mesh.h"

#include "../../base/rounding.h"
#include "../../math/vec3.h"

/* m · d: GJK's directions are right to 1e-6. */
#define ALONG 1e-5

typedef struct Search {
    const TnPlaced *shape;
    const TnTriMesh *mesh;
    const TnTransform *at;
    double margin, behind, extent;
    double low[3], high[3];   /* the shape's box in its own axes, with what counts around it */
    double turn[9], shift[3]; /* from the mesh's axes to these */
    TnTriContacts *out;
} Search;

void tn_shape_box(const TnPlaced *shape, const TnTransform *axes, double low[3], double high[3])
{
    double radius = tn_core_radius(shape->shape);
    for (int k = 0; k < 3; k++) {
        double d[3], back[3], p[3];
        m3_column(d, axes->rot, k);
        v3_scale(back, d, -1.0);
        tn_support_core(shape, d, p);
        v3_sub(p, p, axes->pos);
        high[k] = v3_dot(p, d) + radius;
        tn_support_core(shape, back, p);
        v3_sub(p, p, axes->pos);
        low[k] = v3_dot(p, d) - radius;
    }
}

void tn_tri_shape(const TnTriMesh *mesh, const TnTransform *at, int triangle, TnTriShape *out)
{
    const TnTriangle *t = &mesh->triangles[triangle];
    double centre[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) v3_add_scaled(centre, tn_tri_corner(mesh, t, k), 1.0 / 3.0);
    for (int k = 0; k < 3; k++) v3_sub(out->local + 3 * k, tn_tri_corner(mesh, t, k), centre);
    out->shape =
        (TnShape){.type = TN_GEOM_MESH, .mesh_vertices = out->local, .mesh_vertex_count = 3};
    out->at = *at;
    m3_mul_v(out->at.pos, at->rot, centre);
    v3_add(out->at.pos, out->at.pos, at->pos);
}

/* ---- the list ---- */

static void add_point(Search *s, const double normal[3], const TnManifoldPoint *p)
{
    TnTriContacts *out = s->out;
    int worst = 0;
    for (int i = 0; i < out->count; i++) {
        TnTriPoint *other = &out->points[i];
        double d[3];
        if (other->at.gap > out->points[worst].at.gap) worst = i;
        if (v3_dot(normal, other->normal) < TN_ONE_NORMAL) continue;
        v3_sub(d, p->pos, other->at.pos);
        if (v3_dot(d, d) > TN_SAME * TN_SAME * s->extent * s->extent) continue;
        if (p->gap < other->at.gap) other->at = *p;
        return;
    }
    if (out->count == TN_TRI_POINTS) {
        if (p->gap >= out->points[worst].at.gap) return;
        out->points[worst] = out->points[--out->count];
    }
    TnTriPoint *point = &out->points[out->count++];
    v3_copy(point->normal, normal);
    point->at = *p;
}

/* Of points with one normal as many stay as any pair has. */
static void reduce(Search *s)
{
    TnTriContacts all = *s->out;
    bool taken[TN_TRI_POINTS] = {false};
    s->out->count = 0;
    for (int i = 0; i < all.count; i++) {
        TnManifoldPoint same[TN_TRI_POINTS];
        TnManifold kept;
        int count = 0;
        for (int k = i; k < all.count; k++) {
            if (taken[k] || v3_dot(all.points[i].normal, all.points[k].normal) < TN_ONE_NORMAL)
                continue;
            taken[k] = true;
            same[count++] = all.points[k].at;
        }
        if (!count) continue;
        tn_manifold_reduce(same, count, all.points[i].normal, s->shape->at->rot, s->margin,
                           s->extent, &kept);
        for (int k = 0; k < kept.count; k++) {
            TnTriPoint *point = &s->out->points[s->out->count++];
            v3_copy(point->normal, all.points[i].normal);
            point->at = kept.points[k];
        }
    }
}

/* ---- faces ---- */

/* Whether a point of the plane is in the triangle; all in world axes. */
static bool is_over(double corners[3][3], const double normal[3], const double p[3])
{
    for (int k = 0; k < 3; k++) {
        double along[3], inward[3], d[3];
        v3_sub(along, corners[(k + 1) % 3], corners[k]);
        v3_cross(inward, normal, along);
        v3_sub(d, p, corners[k]);
        /* a corner of the shape over a common edge is over one of both */
        if (v3_dot(inward, d) < -TN_ROOM * v3_dot(along, along)) return false;
    }
    return true;
}

/* What the shape's lowest points are known by: they keep their forces as they pass from triangle to
 * triangle. Which way the face looks keeps those of a floor and a wall apart. */
static uint32_t face_feature(uint32_t of_plane, const double normal[3])
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) > fabs(normal[axis]) + 1e-3) axis = k;
    uint32_t side = 1u + 2u * (uint32_t)axis + (normal[axis] < 0.0 ? 1u : 0u);
    return of_plane << 16 | side;
}

static void meet_face(Search *s, double corners[3][3], const double normal[3])
{
    TnShape shape = {.type = TN_GEOM_PLANE};
    TnTransform at;
    double x[3], y[3], toward[3];
    TnManifold m = {0};
    v3_tangents(normal, x, y);
    for (int k = 0; k < 3; k++) {
        at.rot[3 * k] = x[k];
        at.rot[3 * k + 1] = y[k];
        at.rot[3 * k + 2] = normal[k];
    }
    v3_copy(at.pos, corners[0]);
    TnPlaced plane = {&shape, &at};
    tn_collide_plane(&plane, s->shape, s->margin, &m);
    v3_scale(toward, normal, -1.0);
    for (int k = 0; k < m.count; k++) {
        TnManifoldPoint p = m.points[k];
        double foot[3];
        v3_copy(foot, p.pos);
        v3_add_scaled(foot, normal, -0.5 * p.gap);
        if (!is_over(corners, normal, foot)) continue;
        p.feature = face_feature(p.feature & 0xffffu, normal);
        add_point(s, toward, &p);
    }
}

/* ---- ridges ---- */

/* Directions from an edge into the surface: across the faces on both sides. */
static bool is_edge_direction(const Search *s, const TnTriangle *t, int side, const double m[3])
{
    double along[3], into[3];
    v3_sub(along, tn_tri_corner(s->mesh, t, (side + 1) % 3), tn_tri_corner(s->mesh, t, side));
    v3_normalize(along);
    v3_cross(into, t->normal, along);
    if (v3_dot(m, into) > ALONG) return false;
    if (t->across[side] < 0) return true;
    v3_cross(into, along, s->mesh->triangles[t->across[side]].normal);
    return v3_dot(m, into) <= ALONG;
}

static bool is_corner_direction(const Search *s, int32_t vertex, const double m[3])
{
    const TnTriMesh *mesh = s->mesh;
    for (int32_t i = mesh->edge_start[vertex]; i < mesh->edge_start[vertex + 1]; i++) {
        double d[3];
        v3_sub(d, mesh->points[mesh->edges[i]], mesh->points[vertex]);
        if (v3_dot(m, d) > ALONG * v3_norm(d)) return false;
    }
    return true;
}

/* m in the mesh's axes. The end of the edge that is higher along it touches, or both. */
static bool is_own_direction(const Search *s, const TnTriangle *t, int side, const double m[3])
{
    double along[3];
    v3_sub(along, tn_tri_corner(s->mesh, t, (side + 1) % 3), tn_tri_corner(s->mesh, t, side));
    double rise = v3_dot(m, along);
    if (fabs(rise) <= ALONG * v3_norm(along)) return is_edge_direction(s, t, side, m);
    return is_corner_direction(s, t->vertex[rise > 0.0 ? (side + 1) % 3 : side], m);
}

/* Iterations end near a face's normal; where that very normal is as good, it is the one. */
static void snap(const Search *s, const TnPlaced *edge, const double face[3], TnWitness *w)
{
    double toward[3];
    m3_mul_v(toward, s->at->rot, face);
    v3_scale(toward, toward, -1.0);
    if (v3_dot(w->normal, toward) < 0.99) return;
    double gap = tn_separation(s->shape, edge, toward) - tn_core_radius(s->shape->shape);
    if (gap < w->gap - 1e-10 * s->extent) return;
    v3_copy(w->normal, toward);
    w->gap = gap;
}

/* In closed form; false where the centre lies on the edge and there is no direction. */
static bool ball_witness(const TnPlaced *ball, const TnPlaced *edge, TnWitness *w)
{
    const double *half = edge->shape->mesh_vertices, *c = ball->at->pos;
    double d[3], radius = ball->shape->size[0];
    v3_sub(d, c, edge->at->pos);
    double along = fmax(-1.0, fmin(1.0, v3_dot(d, half) / v3_dot(half, half)));
    v3_copy(w->b, edge->at->pos);
    v3_add_scaled(w->b, half, along);
    v3_sub(w->normal, w->b, c);
    double distance = v3_norm(w->normal);
    if (!(distance > 1e-12 * v3_norm(half))) return false;
    v3_scale(w->normal, w->normal, 1.0 / distance);
    v3_copy(w->a, c);
    v3_add_scaled(w->a, w->normal, radius);
    w->gap = distance - radius;
    return true;
}

static void meet_ridge(Search *s, int triangle, int side, double corners[3][3])
{
    const TnTriangle *t = &s->mesh->triangles[triangle];
    double half[6], away[3], local[3];
    TnShape line = {.type = TN_GEOM_MESH, .mesh_vertices = half, .mesh_vertex_count = 2};
    TnTransform at = {.rot = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    TnPlaced edge = {&line, &at};
    TnWitness w;
    TnManifold m;
    for (int k = 0; k < 3; k++) {
        double a = corners[side][k], b = corners[(side + 1) % 3][k];
        at.pos[k] = 0.5 * (a + b);
        half[k] = 0.5 * (a - b);
        half[3 + k] = 0.5 * (b - a);
    }
    if (s->shape->shape->type == TN_GEOM_SPHERE) {
        if (!ball_witness(s->shape, &edge, &w)) return;
    } else {
        v3_sub(away, s->shape->at->pos, at.pos);
        double reach = s->margin + tn_core_radius(s->shape->shape);
        if (reach > 0.0 && tn_gjk_apart(s->shape, &edge, reach, away)) return;
        tn_convex_witness(s->shape, &edge, 0.0, &w);
    }
    snap(s, &edge, t->normal, &w);
    if (t->across[side] >= 0) snap(s, &edge, s->mesh->triangles[t->across[side]].normal, &w);
    if (!(w.gap <= s->margin)) return;
    v3_scale(away, w.normal, -1.0);
    m3_tmul_v(local, s->at->rot, away);
    if (!is_own_direction(s, t, side, local)) return;
    tn_manifold_build(s->shape, &edge, &w, s->margin, &m);
    for (int k = 0; k < m.count; k++) {
        TnManifoldPoint p = m.points[k];
        p.feature ^= (uint32_t)(3 * triangle + side) * 2654435761u; /* each edge has its own */
        add_point(s, m.normal, &p);
    }
}

/* ---- all of them ---- */

/* Whether the box of some points in the shape's axes meets the shape's. */
static bool is_near(const Search *s, double (*x)[3], int count)
{
    for (int i = 0; i < 3; i++) {
        bool above = true, below = true;
        for (int k = 0; k < count; k++) {
            above &= x[k][i] > s->high[i];
            below &= x[k][i] < s->low[i];
        }
        if (above || below) return false;
    }
    return true;
}

static void meet(void *context, int triangle)
{
    Search *s = context;
    const TnTriangle *t = &s->mesh->triangles[triangle];
    double local[3][3], corners[3][3], normal[3], back[3], p[3];
    double radius = tn_core_radius(s->shape->shape);
    for (int k = 0; k < 3; k++) {
        m3_mul_v(local[k], s->turn, tn_tri_corner(s->mesh, t, k));
        v3_add(local[k], local[k], s->shift);
    }
    if (!is_near(s, local, 3)) return;
    m3_mul_v(normal, s->at->rot, t->normal);
    for (int k = 0; k < 3; k++) {
        m3_mul_v(corners[k], s->at->rot, tn_tri_corner(s->mesh, t, k));
        v3_add(corners[k], corners[k], s->at->pos);
    }
    v3_scale(back, normal, -1.0);
    tn_support_core(s->shape, back, p);
    v3_sub(p, p, corners[0]);
    double low = v3_dot(p, normal) - radius;
    if (!(low <= s->margin)) return;
    tn_support_core(s->shape, normal, p);
    v3_sub(p, p, corners[0]);
    double high = v3_dot(p, normal) + radius;
    if (low + high > -2.0 * s->behind) meet_face(s, corners, normal);
    for (int side = 0; side < 3; side++) {
        double ends[2][3];
        if (!(t->ridges >> side & 1)) continue;
        v3_copy(ends[0], local[side]);
        v3_copy(ends[1], local[(side + 1) % 3]);
        if (is_near(s, ends, 2)) meet_ridge(s, triangle, side, corners);
    }
}

void tn_tri_collide(const TnPlaced *shape, const TnTriMesh *mesh, const TnTransform *at,
                    double margin, double behind, TnTriContacts *out)
{
    Search s = {.shape = shape,
                .mesh = mesh,
                .at = at,
                .margin = margin,
                .behind = behind,
                .extent = tn_shape_extent(shape->shape),
                .out = out};
    double low[3], high[3], apart[3], back[9], grow = fmax(margin, behind);
    out->count = 0;
    m3_transpose(back, shape->at->rot);
    m3_mul(s.turn, back, at->rot);
    v3_sub(apart, at->pos, shape->at->pos);
    m3_mul_v(s.shift, back, apart);
    tn_shape_box(shape, shape->at, s.low, s.high);
    tn_shape_box(shape, at, low, high);
    for (int k = 0; k < 3; k++) {
        low[k] -= grow;
        high[k] += grow;
        s.low[k] -= grow;
        s.high[k] += grow;
    }
    tn_tri_mesh_query(mesh, low, high, meet, &s);
    reduce(&s);
}

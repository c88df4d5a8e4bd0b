/* feature.c: the face, edge or vertex of a shape that looks along a direction.
 *
 * Ids: a box numbers its corners by their signs (bit i set: positive along axis i); a mesh its
 * vertices; a cylinder eight points on each rim (0 … 7 top, 8 … 15 bottom) and the two ends of the
 * line where its side looks along n (16, 17). */
#include "../../math/vec3.h"
#include "../../model/mesh/hull.h"
#include "narrow.h"

#define UPRIGHT                                                                                    \
    3e-4 /* below this tilt a disc's points are fixed to the body, so that they do not wander */
#define CORNER_DIRECTIONS 16
#define NEAR_TOP_MAX 256 /* vertices of a hull near its top that are listed */

static void push(TnFace *f, const TnPlaced *s, const double local[3], uint32_t id)
{
    double *p = f->p[f->count];
    m3_mul_v(p, s->at->rot, local);
    v3_add(p, p, s->at->pos);
    f->id[f->count++] = id;
}

static void push_box_corner(TnFace *f, const TnPlaced *s, uint32_t corner)
{
    double p[3];
    for (int i = 0; i < 3; i++) p[i] = corner >> i & 1u ? s->shape->size[i] : -s->shape->size[i];
    push(f, s, p, corner);
}

static void box_face(const TnPlaced *s, const double n[3], bool tight, TnFace *f)
{
    int high = 0, low = 0;
    for (int i = 1; i < 3; i++) {
        if (fabs(n[i]) > fabs(n[high])) high = i;
        if (fabs(n[i]) <= fabs(n[low])) low = i;
    }
    uint32_t top = 0;
    for (int i = 0; i < 3; i++) top |= (n[i] >= 0.0 ? 1u : 0u) << i;
    double tilt = sqrt(fmax(0.0, 1.0 - n[high] * n[high]));
    if (!tight || tilt < TN_TIGHT) {
        uint32_t x = 1u << (high + 1) % 3, y = 1u << (high + 2) % 3, base = top & ~(x | y);
        push_box_corner(f, s, base);
        push_box_corner(f, s, base | x);
        push_box_corner(f, s, base | x | y);
        push_box_corner(f, s, base | y);
    } else if (fabs(n[low]) < TN_TIGHT) {
        push_box_corner(f, s, top & ~(1u << low));
        push_box_corner(f, s, top | 1u << low);
    } else {
        push_box_corner(f, s, top);
    }
}

static void cylinder_face(const TnPlaced *s, const double n[3], bool tight, TnFace *f)
{
    static const double octagon[8][2] = {
        {1, 0},  {M_SQRT1_2, M_SQRT1_2},   {0, 1},  {-M_SQRT1_2, M_SQRT1_2},
        {-1, 0}, {-M_SQRT1_2, -M_SQRT1_2}, {0, -1}, {M_SQRT1_2, -M_SQRT1_2}};
    double r = s->shape->size[0], h = s->shape->size[1];
    double radial = sqrt(n[0] * n[0] + n[1] * n[1]), end = n[2] >= 0.0 ? 1.0 : -1.0;
    double u[2] = {1.0, 0.0};
    if (radial > UPRIGHT) {
        u[0] = n[0] / radial;
        u[1] = n[1] / radial;
    }
    bool cap = tight ? radial < TN_TIGHT : fabs(n[2]) > M_SQRT1_2;
    bool side = tight ? fabs(n[2]) < TN_TIGHT : !cap;
    if (cap) {
        f->disc = true;
        for (int k = 0; k < 8; k++) {
            const double *o = octagon[k];
            double p[3] = {r * (o[0] * u[0] - o[1] * u[1]), r * (o[0] * u[1] + o[1] * u[0]),
                           end * h};
            push(f, s, p, (uint32_t)k + (end > 0.0 ? 0u : 8u));
        }
    } else if (side) {
        double high[3] = {r * u[0], r * u[1], h}, low[3] = {r * u[0], r * u[1], -h};
        push(f, s, high, 16u);
        push(f, s, low, 17u);
    } else {
        double rim[3] = {r * u[0], r * u[1], end * h};
        push(f, s, rim, end > 0.0 ? 16u : 17u);
    }
}

/* cos and sin of 0.1234 + 2π k/16. The odd start keeps directions off the symmetry axes of common
 * shapes, where two corners would tie. */
static const double directions[CORNER_DIRECTIONS][2] = {
    {0x1.fc1b4ff643f88p-1, 0x1.f82a22994264bp-4},   {0x1.bd4ffc1cec124p-1, 0x1.f955b9618e567p-2},
    {0x1.3ab93168cbfa4p-1, 0x1.93d913ee1c649p-1},   {0x1.1070f19f9b11ap-2, 0x1.ed8bda4ba4f91p-1},
    {-0x1.f82a229942643p-4, 0x1.fc1b4ff643f88p-1},  {-0x1.f955b9618e569p-2, 0x1.bd4ffc1cec123p-1},
    {-0x1.93d913ee1c64ap-1, 0x1.3ab93168cbfa3p-1},  {-0x1.ed8bda4ba4f91p-1, 0x1.1070f19f9b117p-2},
    {-0x1.fc1b4ff643f88p-1, -0x1.f82a22994264fp-4}, {-0x1.bd4ffc1cec123p-1, -0x1.f955b9618e568p-2},
    {-0x1.3ab93168cbfa3p-1, -0x1.93d913ee1c64ap-1}, {-0x1.1070f19f9b12p-2, -0x1.ed8bda4ba4f9p-1},
    {0x1.f82a22994264ap-4, -0x1.fc1b4ff643f88p-1},  {0x1.f955b9618e56ep-2, -0x1.bd4ffc1cec122p-1},
    {0x1.93d913ee1c64ap-1, -0x1.3ab93168cbfa4p-1},  {0x1.ed8bda4ba4f9p-1, -0x1.1070f19f9b121p-2},
};

/* The outermost vertices along evenly spread directions across n, among those within `band` of the
 * top: they come out in cyclic order, which makes them the corners of a convex polygon. */
static void mesh_face(const TnPlaced *s, const double n[3], double band, TnFace *f)
{
    const double *v = s->shape->mesh_vertices;
    int32_t near_top[NEAR_TOP_MAX];
    int count = -1, first = -1, last = -1;
    if (s->shape->hull) count = tn_hull_above(s->shape->hull, n, band, near_top, NEAR_TOP_MAX);
    bool listed = count >= 0;
    if (!listed) count = s->shape->mesh_vertex_count;
    double top = -INFINITY, x[3], y[3];
    for (int i = 0; i < count && !listed; i++) top = fmax(top, v3_dot(v + 3 * (size_t)i, n));
    v3_tangents(n, x, y);
    for (int k = 0; k < CORNER_DIRECTIONS; k++) {
        double d[3], best = -INFINITY;
        for (int i = 0; i < 3; i++) d[i] = directions[k][0] * x[i] + directions[k][1] * y[i];
        int chosen = 0;
        for (int i = 0; i < count; i++) {
            int vertex = listed ? near_top[i] : i;
            double along = v3_dot(v + 3 * (size_t)vertex, d);
            if (along > best && (listed || v3_dot(v + 3 * (size_t)i, n) >= top - band)) {
                best = along;
                chosen = vertex;
            }
        }
        if (chosen == last || chosen == first) continue;
        if (first < 0) first = chosen;
        last = chosen;
        push(f, s, v + 3 * (size_t)chosen, (uint32_t)chosen % 0x7ffeu);
    }
}

static void face(const TnPlaced *s, const double n[3], bool tight, double band, TnFace *f)
{
    const TnShape *shape = s->shape;
    double local[3];
    m3_tmul_v(local, s->at->rot, n);
    f->count = 0;
    f->disc = false;
    switch (shape->type) {
    case TN_GEOM_BOX:
        box_face(s, local, tight, f);
        break;
    case TN_GEOM_CYLINDER:
        cylinder_face(s, local, tight, f);
        break;
    case TN_GEOM_MESH:
        mesh_face(s, local, band, f);
        break;
    case TN_GEOM_CAPSULE: {
        double steep = fabs(local[2]), end = local[2] >= 0.0 ? 1.0 : -1.0;
        bool line = steep < (tight ? TN_TIGHT : 0.95);
        for (int k = 0; k < 2; k++) {
            double sign = k ? -1.0 : 1.0;
            if (!line && sign != end) continue;
            double p[3] = {shape->size[0] * local[0], shape->size[0] * local[1],
                           sign * shape->size[1] + shape->size[0] * local[2]};
            push(f, s, p, (uint32_t)k);
        }
        break;
    }
    default: {
        double p[3];
        tn_support_core(s, n, p);
        v3_add_scaled(p, n, tn_core_radius(shape));
        v3_copy(f->p[0], p);
        f->id[0] = 0;
        f->count = 1;
        break;
    }
    }
}

void tn_face_tight(const TnPlaced *s, const double n[3], TnFace *out)
{
    double band = s->shape->type == TN_GEOM_MESH ? 1e-3 * tn_shape_extent(s->shape) : 0.0;
    face(s, n, true, band, out);
}

void tn_face_loose(const TnPlaced *s, const double n[3], double band, TnFace *out)
{
    face(s, n, false, band, out);
}

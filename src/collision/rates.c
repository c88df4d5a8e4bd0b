/* rates.c: how a contact point and its normal move as the two bodies move.
 *
 * A surface near a contact is given by its radii of curvature, a symmetric tensor R on the tangent
 * plane: zero at a corner, infinite on a face, and both at an edge. A body that turns by ω brings
 * the point whose outward normal is n to
 *
 *     x' = V(x) + R (n' - ω × n),
 *
 * V its velocity as a rigid body. A contact's point is halfway in the gap g: on surfaces beside the
 * two, whose radii are larger by g/2. There both points must be the same, so
 *
 *     (R1 + R2) n' = P (V2 - V1) + R1 (ω1 × n) + R2 (ω2 × n),     P = 1 - n nᵀ.
 *
 * The three kinds of motion that a contact of two corners, edges or round surfaces may have are all
 * in this: a corner goes with its body, a ball's point stays below its centre, the lowest point of
 * a disc runs along its rim. */
#include <math.h>

#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../model/mesh/hull.h"
#include "collider.h"
#include "narrow/narrow.h"

#define FLAT 1e8 /* of the smaller body: radius along an edge or a line */
#define TOP_MOST 64
/* The rates over a step are those in the middle of the way that they lead: so what turns with a
 * body ends where that does, and comes back when the step is taken back. Each pass is nearer by the
 * angle of half a step. */
#define PASSES 2

/* The tangents of a contact, and what counts as infinite, m. */
typedef struct Plane {
    double t[2][3], flat;
} Plane;

/* R on the tangents: xx, xy, yy. */
typedef struct Radii {
    double xx, xy, yy;
    bool flat; /* in all directions: the normal goes with the body */
} Radii;

/* Adds a radius along a direction of the tangent plane. */
static void add_along(Radii *R, const Plane *plane, const double axis[3], double radius)
{
    double x = v3_dot(plane->t[0], axis), y = v3_dot(plane->t[1], axis);
    R->xx += radius * x * x;
    R->xy += radius * x * y;
    R->yy += radius * y * y;
}

static void add_round(Radii *R, double radius)
{
    R->xx += radius;
    R->yy += radius;
}

/* Of the geom's axis i, in the world. */
static void axis_of(const double rot[9], int i, double axis[3])
{
    for (int k = 0; k < 3; k++) axis[k] = rot[3 * k + i];
}

/* p, n: point and outward normal in the geom's axes; rot: these in the world. A point that is no
 * corner is of a face where that looks along n. */
static void box_radii(const TnGeom *geom, const double p[3], const double n[3], const double rot[9],
                      double slack, const Plane *plane, Radii *R)
{
    int inside = 0, which = 0;
    bool faces = false;
    for (int k = 0; k < 3; k++) {
        faces |= fabs(n[k]) > 1.0 - 0.5 * TN_TIGHT * TN_TIGHT;
        if (fabs(p[k]) < geom->size[k] - slack) {
            inside++;
            which = k;
        }
    }
    R->flat = inside > 1 || (inside == 1 && faces);
    if (inside != 1 || faces) return;
    double axis[3];
    axis_of(rot, which, axis);
    add_along(R, plane, axis, plane->flat);
}

/* The cylinder's side goes round its axis; its end is flat; and its rim, seen along n, is a circle.
 */
static void cylinder_radii(const TnGeom *geom, const double p[3], const double n[3],
                           const double rot[9], double slack, const Plane *plane, Radii *R)
{
    double radial = sqrt(n[0] * n[0] + n[1] * n[1]), from_axis = sqrt(p[0] * p[0] + p[1] * p[1]);
    bool on_side = from_axis > geom->size[0] - slack, on_end = fabs(p[2]) > geom->size[1] - slack;
    double axis[3], round[3], local[3] = {-n[1], n[0], 0.0};
    /* a disc that lies flat has no lowest point */
    if (on_side && radial > TN_SAME) {
        bool lowest =
            p[0] * n[0] + p[1] * n[1] > from_axis * radial * (1.0 - 0.5 * TN_TIGHT * TN_TIGHT);
        if (on_end && !lowest) return; /* a corner of what stands for a circle */
        v3_scale(local, local, 1.0 / radial);
        m3_mul_v(round, rot, local);
        add_along(R, plane, round, geom->size[0] / radial);
        axis_of(rot, 2, axis);
        if (!on_end) add_along(R, plane, axis, plane->flat);
        return;
    }
    R->flat = on_end && !on_side;
}

static void ellipsoid_radii(const TnGeom *geom, const double n[3], const double rot[9],
                            const Plane *plane, Radii *R)
{
    /* support function h = |A n|: its second derivative is (A² - x xᵀ)/h, x = A² n/h */
    const double *a = geom->size;
    double h = 0.0, x[3], world[3], axis[3];
    for (int k = 0; k < 3; k++) h += a[k] * a[k] * n[k] * n[k];
    h = sqrt(h);
    for (int k = 0; k < 3; k++) x[k] = a[k] * a[k] * n[k] / h;
    m3_mul_v(world, rot, x);
    for (int k = 0; k < 3; k++) {
        axis_of(rot, k, axis);
        add_along(R, plane, axis, a[k] * a[k] / h);
    }
    add_along(R, plane, world, -1.0 / h);
}

/* A convex mesh, by the vertices that are outermost along n: near one of them it is a corner,
 * between two an edge, else a face. */
static void hull_radii(const TnHull *hull, double extent, const double p[3], const double n[3],
                       const double rot[9], double slack, const Plane *plane, Radii *R)
{
    int32_t top[TOP_MOST];
    double edge[3], axis[3];
    int count = tn_hull_above(hull, n, TN_TOUCHING * extent, top, TOP_MOST);
    for (int i = 0; i < count; i++)
        if (v3_distance(hull->vertices + 3 * (size_t)top[i], p) < slack) return;
    R->flat = count < 0 || count > 2;
    if (count != 2) return;
    v3_sub(edge, hull->vertices + 3 * (size_t)top[0], hull->vertices + 3 * (size_t)top[1]);
    v3_normalize(edge);
    m3_mul_v(axis, rot, edge);
    add_along(R, plane, axis, plane->flat);
}

/* sign: of the outward normal against the contact's. */
static void side_radii(const TnModel *model, const TnLinkFrame *frames, int index,
                       const TnContactPoint *c, double sign, const Plane *plane, Radii *R)
{
    const TnGeom *geom = &model->geoms[index];
    const TnLinkFrame *frame = &frames[geom->link];
    double rot[9], centre[3], p[3], n[3], local_n[3], local[3];
    *R = (Radii){0};
    if (geom->type == TN_GEOM_SPHERE) {
        add_round(R, geom->size[0]);
        return;
    }
    if (geom->type == TN_GEOM_PLANE) {
        R->flat = true;
        return;
    }
    m3_mul(rot, frame->rot, geom->link_rot);
    m3_mul_v(centre, frame->rot, geom->link_pos);
    v3_add(centre, centre, frame->pos);
    v3_sub(p, c->pos, centre);
    m3_tmul_v(local, rot, p);
    v3_scale(n, c->normal, sign);
    m3_tmul_v(local_n, rot, n);
    double slack = TN_TOUCHING * geom->bounding_radius + fabs(c->gap);
    switch (geom->type) {
    case TN_GEOM_CAPSULE: {
        double axis[3];
        axis_of(rot, 2, axis);
        add_round(R, geom->size[0]);
        if (fabs(local[2] - geom->size[0] * local_n[2]) < geom->size[1] - slack)
            add_along(R, plane, axis, plane->flat);
        break;
    }
    case TN_GEOM_BOX:
        box_radii(geom, local, local_n, rot, slack, plane, R);
        break;
    case TN_GEOM_CYLINDER:
        cylinder_radii(geom, local, local_n, rot, slack, plane, R);
        break;
    case TN_GEOM_ELLIPSOID:
        ellipsoid_radii(geom, local_n, rot, plane, R);
        break;
    case TN_GEOM_MESH: {
        const TnMesh *mesh = &model->meshes[geom->mesh];
        if (mesh->collision == TN_MESH_COLLIDE_HULL)
            hull_radii(&mesh->hull, geom->bounding_radius, local, local_n, rot, slack, plane, R);
        else
            R->flat = true;
        break;
    }
    default:
        break; /* a corner */
    }
}

/* x ← R x on the plane, and the velocity of the rigid body's point. */
static void apply(const Radii *R, const double x[2], double out[2])
{
    out[0] = R->xx * x[0] + R->xy * x[1];
    out[1] = R->xy * x[0] + R->yy * x[1];
}

typedef struct Side {
    double v[3];    /* of the body at the point */
    double turn[2]; /* ω × n on the tangents */
    Radii R;
} Side;

void tn_soft_facet_turn(const TnSoftFacet *facet, const double n[3], double turn[3])
{
    /* edges stay perpendicular to the normal: n'·e = -n·e' */
    double e[2][3], rate[2] = {0.0, 0.0}, gram[3] = {0.0, 0.0, 0.0};
    v3_zero(turn);
    for (int i = 0; i + 1 < facet->count; i++) {
        double v[3];
        v3_sub(e[i], facet->place[i + 1], facet->place[0]);
        v3_add_scaled(e[i], n, -v3_dot(e[i], n));
        v3_sub(v, facet->v[i + 1], facet->v[0]);
        rate[i] = -v3_dot(n, v);
    }
    if (facet->count < 2) return;
    gram[0] = v3_dot(e[0], e[0]);
    if (facet->count == 2) {
        if (gram[0] > 0.0) v3_add_scaled(turn, e[0], rate[0] / gram[0]);
        return;
    }
    gram[1] = v3_dot(e[0], e[1]);
    gram[2] = v3_dot(e[1], e[1]);
    double det = gram[0] * gram[2] - gram[1] * gram[1];
    if (!(det > TN_TOUCHING * gram[0] * gram[2])) return;
    v3_add_scaled(turn, e[0], (gram[2] * rate[0] - gram[1] * rate[1]) / det);
    v3_add_scaled(turn, e[1], (gram[0] * rate[1] - gram[1] * rate[0]) / det);
}

static void facet_side(const TnSoftFacet *facet, const double n[3], const Plane *plane, Side *out)
{
    double turn[3], edge[3];
    v3_copy(out->v, facet->point_v);
    tn_soft_facet_turn(facet, n, turn);
    for (int k = 0; k < 2; k++) out->turn[k] = v3_dot(plane->t[k], turn);
    out->R = (Radii){.flat = facet->count == 3};
    if (facet->count != 2) return;
    v3_sub(edge, facet->place[1], facet->place[0]);
    v3_normalize(edge);
    add_along(&out->R, plane, edge, plane->flat);
}

static void find_side(const TnModel *model, const TnLinkFrame *frames, const double twist[6],
                      const TnSoftFacet soft[2], const TnContactPoint *c, int side,
                      const Plane *plane, Side *out)
{
    int geom = side ? c->geom2 : c->geom1;
    if ((side ? c->soft2 : c->soft1) >= 0) {
        facet_side(&soft[side], c->normal, plane, out);
        return;
    }
    double turn[3];
    v3_cross(out->v, twist + 3, side ? c->arm2 : c->arm1);
    v3_add(out->v, out->v, twist);
    v3_cross(turn, twist + 3, c->normal);
    for (int k = 0; k < 2; k++) out->turn[k] = v3_dot(plane->t[k], turn);
    side_radii(model, frames, geom, c, side ? -1.0 : 1.0, plane, &out->R);
    add_round(&out->R,
              0.5 * (c->gap + model->geoms[c->geom1].margin + model->geoms[c->geom2].margin));
}

/* R (n' - ω × n) in the world. */
static void slide(const Side *s, const double rate[2], const Plane *plane, double out[3])
{
    double left[2] = {rate[0] - s->turn[0], rate[1] - s->turn[1]}, way[2];
    apply(&s->R, left, way);
    for (int k = 0; k < 3; k++) out[k] = way[0] * plane->t[0][k] + way[1] * plane->t[1][k];
}

/* n' of two sides of which none is flat. False: a corner meets a corner or an edge, or an edge one
 * along it, and the normal stays. */
static bool find_rate(const Side *s1, const Side *s2, double size, const Plane *plane,
                      double rate[2])
{
    double a[2], b[2], right[2], xx = s1->R.xx + s2->R.xx, xy = s1->R.xy + s2->R.xy,
                                 yy = s1->R.yy + s2->R.yy, det = xx * yy - xy * xy;
    rate[0] = rate[1] = 0.0;
    if (!(xx > 0.0 && det > TN_TOUCHING * size * (xx + yy))) return false;
    apply(&s1->R, s1->turn, a);
    apply(&s2->R, s2->turn, b);
    for (int k = 0; k < 2; k++)
        right[k] = v3_dot(plane->t[k], s2->v) - v3_dot(plane->t[k], s1->v) + a[k] + b[k];
    rate[0] = (yy * right[0] - xy * right[1]) / det;
    rate[1] = (xx * right[1] - xy * right[0]) / det;
    return true;
}

/* Both sides of a contact, and how they share its point: the side that tells where the normal goes
 * does not tell where on it the point is. */
typedef struct Pair {
    Side side[2];
    double share[2];
    bool slides;
    double size; /* m: of the smaller one */
    const Plane *plane;
} Pair;

static void find_rates(Pair *p, double point[3], double normal[3])
{
    const Side *s1 = &p->side[0], *s2 = &p->side[1];
    double rate[2], way1[3] = {0.0}, way2[3] = {0.0};
    bool flat1 = s1->R.flat, flat2 = s2->R.flat;
    p->share[0] = p->share[1] = 0.5;
    if (flat1 || flat2) {
        double share = flat1 && flat2 ? 0.5 : flat1;
        for (int k = 0; k < 2; k++) rate[k] = share * s1->turn[k] + (1.0 - share) * s2->turn[k];
        p->slides = flat1 != flat2;
        if (p->slides) p->share[0] = flat2, p->share[1] = flat1;
    } else {
        p->slides = find_rate(s1, s2, p->size, p->plane, rate);
    }
    if (p->slides && p->share[0] > 0.0) slide(s1, rate, p->plane, way1);
    if (p->slides && p->share[1] > 0.0) slide(s2, rate, p->plane, way2);
    for (int k = 0; k < 3; k++) {
        point[k] = p->share[0] * (s1->v[k] + way1[k]) + p->share[1] * (s2->v[k] - way2[k]);
        normal[k] = rate[0] * p->plane->t[0][k] + rate[1] * p->plane->t[1][k];
    }
}

/* A rigid side in the middle of the step: the point is `moved` farther from the link's centre, and
 * the normal is n. */
static void move_side(Side *s, const double twist[6], const double arm[3], const double moved[3],
                      const double n[3], const Plane *plane)
{
    double at[3], turn[3];
    v3_copy(at, arm);
    v3_add(at, at, moved);
    v3_cross(s->v, twist + 3, at);
    v3_add(s->v, s->v, twist);
    v3_cross(turn, twist + 3, n);
    for (int k = 0; k < 2; k++) s->turn[k] = v3_dot(plane->t[k], turn);
}

void tn_contact_way(const TnModel *model, const TnLinkFrame *frames, const double *const twist[2],
                    const TnSoftFacet soft[2], const TnContactPoint *c, double t, TnContactWay *out)
{
    double point[3], normal[3], start[2][3], half = 0.5 * t;
    const int links[2] = {model->geom_link[c->geom1], model->geom_link[c->geom2]};
    Plane plane;
    Pair pair = {.size = fmin(model->geoms[c->geom1].bounding_radius,
                              model->geoms[c->geom2].bounding_radius),
                 .plane = &plane};
    v3_tangents(c->normal, plane.t[0], plane.t[1]);
    plane.flat = FLAT * pair.size;
    for (int k = 0; k < 2; k++)
        find_side(model, frames, twist[k], soft, c, k, pair.plane, &pair.side[k]);
    find_rates(&pair, point, normal);
    v3_copy(start[0], point);
    v3_copy(start[1], normal);
    /* against the centre of one of the two it does not go far; soft bodies have none */
    double way = INFINITY;
    for (int k = 0; k < 2; k++)
        if ((k ? c->soft2 : c->soft1) < 0) way = fmin(way, t * v3_distance(point, twist[k]));
    bool jumps = isfinite(way) && way > TN_JUMP * pair.size;
    for (int k = 0; k < 3 && jumps; k++)
        start[0][k] = point[k] = 0.5 * (pair.side[0].v[k] + pair.side[1].v[k]);
    for (int pass = 0; pass < PASSES && !jumps; pass++) {
        double middle[3];
        v3_copy(middle, c->normal);
        v3_add_scaled(middle, normal, half);
        for (int k = 0; k < 2; k++) {
            double moved[3];
            if ((k ? c->soft2 : c->soft1) >= 0 || links[k] == 0) continue;
            for (int i = 0; i < 3; i++) moved[i] = half * (point[i] - twist[k][i]);
            move_side(&pair.side[k], twist[k], k ? c->arm2 : c->arm1, moved, middle, pair.plane);
        }
        find_rates(&pair, point, normal);
    }
    for (int k = 0; k < 3; k++) {
        out->point[0][k] = c->pos[k] + 0.5 * half * (start[0][k] + point[k]);
        out->point[1][k] = c->pos[k] + t * point[k];
        out->normal[0][k] = c->normal[k] + 0.5 * half * (start[1][k] + normal[k]);
        out->normal[1][k] = c->normal[k] + t * normal[k];
    }
    v3_normalize(out->normal[0]);
    v3_normalize(out->normal[1]);
}

/* manifold.c: contact points between two faces that look at each other along n.
 *
 * The shape with a face perpendicular to n is the reference; the other one's best face, the
 * incident one, is clipped by the planes through the reference's edges along n
 * (Sutherland–Hodgman). A clipped point's gap is its distance to the reference face along n. Two
 * edges without a face give the ends of their overlap when they are parallel. The witness of the
 * separating direction is added where none of these points is as deep.
 *
 * Each side of the clipped polygon remembers the edge it lies on, so a corner is known by the
 * shapes' features that made it: a vertex of one shape, or an edge of each. Which shape was the
 * reference leaves no trace in the ids. */
#include "../../math/vec3.h"
#include "narrow.h"

#define CLIP_MAX (2 * TN_FEATURE_MAX + 2)
#define FACE_MIN_COUNT 3

/* A corner of the polygon being clipped and the side that leaves it. */
typedef struct ClipCorner {
    double p[3];
    uint32_t
        vertex;    /* vertex id (tn_feature_vertex) where it is one of the incident face, else 0 */
    uint32_t side; /* edge id of the side to the next corner */
    bool of_reference;   /* that side lies on an edge of the reference */
    uint32_t feature[2]; /* incident, reference half once known */
} ClipCorner;

typedef struct ClipPlane {
    double normal[3]; /* outward, across n */
    double offset;
    uint32_t edge;       /* of the reference */
    uint32_t start, end; /* the edge's vertices */
} ClipPlane;

void tn_manifold_add(TnManifold *m, double margin, const double pos[3], double gap,
                     uint32_t feature)
{
    if (!(gap <= margin) || m->count == TN_MANIFOLD_MAX) return;
    TnManifoldPoint *p = &m->points[m->count++];
    v3_copy(p->pos, pos);
    p->gap = gap;
    p->feature = feature;
}

/* Planes through the reference's edges along n, outward. A flat edge gives two planes across its
 * ends. */
static int side_planes(const TnFace *f, const double n[3], ClipPlane *planes)
{
    double centre[3] = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < f->count; i++) v3_add_scaled(centre, f->p[i], 1.0 / f->count);
    for (int i = 0; i < f->count; i++) {
        int j = (i + 1) % f->count;
        double along[3];
        v3_sub(along, f->p[j], f->p[i]);
        ClipPlane *plane = &planes[count];
        v3_cross(plane->normal, along, n);
        if (!(v3_norm(plane->normal) > 0.0)) continue;
        v3_normalize(plane->normal);
        plane->offset = v3_dot(plane->normal, f->p[i]);
        if (v3_dot(plane->normal, centre) > plane->offset) {
            v3_scale(plane->normal, plane->normal, -1.0);
            plane->offset = -plane->offset;
        }
        plane->edge = tn_feature_edge(f->id[i], f->id[j]);
        plane->start = tn_feature_vertex(f->id[i]);
        plane->end = tn_feature_vertex(f->id[j]);
        count++;
    }
    return count;
}

static int clip_by_plane(const ClipCorner *in, int count, const ClipPlane *plane, double tolerance,
                         ClipCorner *out)
{
    int kept = 0;
    for (int i = 0; i < count && kept < CLIP_MAX - 2; i++) {
        const ClipCorner *p = &in[i], *q = &in[(i + 1) % count];
        double dp = v3_dot(plane->normal, p->p) - plane->offset,
               dq = v3_dot(plane->normal, q->p) - plane->offset;
        bool p_in = dp <= tolerance, q_in = dq <= tolerance;
        if (p_in) out[kept++] = *p;
        if (p_in == q_in) continue;
        if (p_in && dp > -tolerance) { /* p itself is the cut */
            out[kept - 1].side = plane->edge;
            out[kept - 1].of_reference = true;
            continue;
        }
        if (q_in && dq > -tolerance) continue; /* q itself is the cut */
        double s = dp / (dp - dq);
        ClipCorner cut = *p;
        for (int k = 0; k < 3; k++) cut.p[k] = p->p[k] + s * (q->p[k] - p->p[k]);
        cut.vertex = 0;
        /* a cut of a side that already lies on the reference is one of its vertices; clip_polygon
         * finds out which */
        cut.feature[0] = p->of_reference ? TN_FEATURE_NONE : p->side;
        cut.feature[1] = p->of_reference ? p->side : plane->edge;
        if (p_in) { /* from here the polygon follows the reference's edge */
            cut.side = plane->edge;
            cut.of_reference = true;
        }
        out[kept++] = cut;
    }
    return kept;
}

/* The vertex that two edges of the reference share. */
static uint32_t shared_vertex(const ClipPlane *planes, int count, uint32_t edge1, uint32_t edge2)
{
    const ClipPlane *a = NULL, *b = NULL;
    for (int i = 0; i < count; i++) {
        if (planes[i].edge == edge1) a = &planes[i];
        if (planes[i].edge == edge2) b = &planes[i];
    }
    if (!a || !b) return TN_FEATURE_WITNESS;
    return a->start == b->start || a->start == b->end ? a->start : a->end;
}

/* A segment is cut from both ends; a polygon goes round. */
static int clip_segment(ClipCorner c[2], const ClipPlane *planes, int plane_count, double tolerance)
{
    for (int k = 0; k < plane_count; k++) {
        double d0 = v3_dot(planes[k].normal, c[0].p) - planes[k].offset;
        double d1 = v3_dot(planes[k].normal, c[1].p) - planes[k].offset;
        if (d0 > tolerance && d1 > tolerance) return 0;
        if (d0 <= tolerance && d1 <= tolerance) continue;
        int outside = d0 > d1 ? 0 : 1;
        if (fmin(d0, d1) > -tolerance) { /* only its end is inside */
            c[0] = c[1 - outside];
            return 1;
        }
        double s = d0 / (d0 - d1), cut[3];
        for (int i = 0; i < 3; i++) cut[i] = c[0].p[i] + s * (c[1].p[i] - c[0].p[i]);
        v3_copy(c[outside].p, cut);
        c[outside].vertex = 0;
        c[outside].feature[0] = c[0].side;
        c[outside].feature[1] = planes[k].edge;
    }
    return 2;
}

static bool all_inside(const ClipCorner *corners, int count, const ClipPlane *plane,
                       double tolerance)
{
    for (int i = 0; i < count; i++)
        if (!(v3_dot(plane->normal, corners[i].p) - plane->offset <= tolerance)) return false;
    return true;
}

static int clip_polygon(ClipCorner *corners, int count, const ClipPlane *planes, int plane_count,
                        double tolerance)
{
    ClipCorner other[CLIP_MAX];
    for (int k = 0; k < plane_count && count > 0; k++) {
        if (all_inside(corners, count, &planes[k], tolerance)) continue;
        int kept = clip_by_plane(corners, count, &planes[k], tolerance, other);
        for (int i = 0; i < kept; i++)
            /* a cut of a side that lies on another edge of the reference is the vertex they share
             */
            if (!other[i].vertex && other[i].feature[0] == TN_FEATURE_NONE &&
                other[i].feature[1] & 0x8000u)
                other[i].feature[1] =
                    shared_vertex(planes, plane_count, other[i].feature[1], planes[k].edge);
        memcpy(corners, other, sizeof other[0] * (size_t)kept);
        count = kept;
    }
    return count;
}

/* Unit normal of a polygon by Newell's sum; the plane n itself where the polygon is an edge. */
static void face_normal(const TnFace *f, const double n[3], double out[3])
{
    v3_zero(out);
    if (f->count < FACE_MIN_COUNT) {
        /* the line's direction, made perpendicular: keeps heights exact along the line */
        double along[3];
        v3_sub(along, f->p[1], f->p[0]);
        double length2 = v3_dot(along, along);
        v3_copy(out, n);
        if (length2 > 0.0) v3_add_scaled(out, along, -v3_dot(n, along) / length2);
        v3_normalize(out);
        return;
    }
    for (int i = 1; i + 1 < f->count; i++) {
        double u[3], v[3], c[3];
        v3_sub(u, f->p[i], f->p[0]);
        v3_sub(v, f->p[i + 1], f->p[0]);
        v3_cross(c, u, v);
        v3_add(out, out, c);
    }
    v3_normalize(out);
}

/* A polygon with an area, not a sliver. */
static bool is_face(const TnFace *f, double extent)
{
    if (f->count < FACE_MIN_COUNT) return false;
    double sum[3] = {0, 0, 0};
    for (int i = 1; i + 1 < f->count; i++) {
        double u[3], v[3], c[3];
        v3_sub(u, f->p[i], f->p[0]);
        v3_sub(v, f->p[i + 1], f->p[0]);
        v3_cross(c, u, v);
        v3_add(sum, sum, c);
    }
    return v3_norm(sum) > 1e-8 * extent * extent;
}

static bool parallel_edges(const TnFace *a, const TnFace *b)
{
    if (a->count != 2 || b->count != 2) return false;
    double u[3], v[3], c[3];
    v3_sub(u, a->p[1], a->p[0]);
    v3_sub(v, b->p[1], b->p[0]);
    v3_cross(c, u, v);
    return v3_norm(c) <= 0.01 * v3_norm(u) * v3_norm(v);
}

/* Planes across the ends of an edge. */
static int end_planes(const TnFace *f, ClipPlane planes[2])
{
    for (int i = 0; i < 2; i++) {
        v3_sub(planes[i].normal, f->p[i], f->p[1 - i]);
        v3_normalize(planes[i].normal);
        planes[i].offset = v3_dot(planes[i].normal, f->p[i]);
        planes[i].edge = planes[i].start = planes[i].end = tn_feature_vertex(f->id[i]);
    }
    return 2;
}

typedef struct ClipResult {
    TnManifoldPoint points[CLIP_MAX];
    int count;
} ClipResult;

static void clip_faces(const TnFace *incident, const TnFace *reference, bool reference_is_a,
                       const TnWitness *w, double margin, double tolerance, ClipResult *out)
{
    ClipCorner corners[CLIP_MAX];
    ClipPlane planes[TN_FEATURE_MAX];
    const double *n = w->normal;
    int plane_count =
        reference->count == 2 ? end_planes(reference, planes) : side_planes(reference, n, planes);
    int count = incident->count;
    for (int i = 0; i < count; i++) {
        ClipCorner *c = &corners[i];
        v3_copy(c->p, incident->p[i]);
        c->vertex = tn_feature_vertex(incident->id[i]);
        c->side = tn_feature_edge(incident->id[i], incident->id[(i + 1) % count]);
        c->of_reference = false;
        c->feature[0] = c->vertex;
        c->feature[1] = TN_FEATURE_NONE;
    }
    count = count == 2 ? clip_segment(corners, planes, plane_count, tolerance)
                       : clip_polygon(corners, count, planes, plane_count, tolerance);
    double plane[3], sign = reference_is_a ? 1.0 : -1.0;
    face_normal(reference, n, plane);
    double slope = v3_dot(plane, n);
    bool whole_disc = incident->disc && count == incident->count;
    for (int i = 0; i < count; i++) whole_disc &= corners[i].vertex != 0;
    out->count = 0;
    for (int i = 0; i < count; i++) {
        if (whole_disc && i % 2) continue; /* a whole disc stands well on four points */
        double from[3];
        v3_sub(from, corners[i].p, reference->p[0]);
        /* of the incident point over the reference, along n; a mesh's face that is not quite flat
         * must not look deeper than it is */
        double height = sign * fmax(w->gap, sign * v3_dot(from, plane) / slope);
        if (!(sign * height <= margin)) continue;
        TnManifoldPoint *p = &out->points[out->count++];
        v3_copy(p->pos, corners[i].p);
        v3_add_scaled(p->pos, n, -0.5 * height);
        p->gap = sign * height;
        uint32_t mine = corners[i].feature[0], theirs = corners[i].feature[1];
        p->feature = reference_is_a ? tn_feature(theirs, mine) : tn_feature(mine, theirs);
    }
}

static void add_witness(const TnWitness *w, double margin, TnManifold *out)
{
    double middle[3];
    if (!(w->gap <= margin)) return;
    for (int i = 0; i < 3; i++) middle[i] = 0.5 * (w->a[i] + w->b[i]);
    if (out->count == TN_MANIFOLD_MAX) { /* give up the shallowest */
        int worst = 0;
        for (int i = 1; i < out->count; i++)
            if (out->points[i].gap > out->points[worst].gap) worst = i;
        out->points[worst] = out->points[--out->count];
    }
    tn_manifold_add(out, margin, middle, w->gap,
                    tn_feature(TN_FEATURE_WITNESS, TN_FEATURE_WITNESS));
}

void tn_manifold_build(const TnPlaced *a, const TnPlaced *b, const TnWitness *w, double margin,
                       TnManifold *out)
{
    const double *n = w->normal;
    double back[3] = {-n[0], -n[1], -n[2]};
    double ea = tn_shape_extent(a->shape), eb = tn_shape_extent(b->shape), extent = fmin(ea, eb);
    TnFace fa, fb;
    ClipResult clipped;
    clipped.count = out->count = 0;
    v3_copy(out->normal, n);
    if (!(w->gap <= margin)) return;

    tn_face_tight(a, n, &fa);
    tn_face_tight(b, back, &fb);
    /* a little play at the edges keeps a corner's id while it jitters about the other shape's edge
     */
    double play = 1e-4 * extent;
    bool a_face = is_face(&fa, ea), b_face = is_face(&fb, eb);
    if (a_face || b_face) {
        const TnPlaced *other = a_face ? b : a;
        double other_extent = a_face ? eb : ea;
        double band = fmin(fmax(margin - w->gap, 1e-3 * other_extent), 0.1 * other_extent);
        tn_face_loose(other, a_face ? back : n, band, a_face ? &fb : &fa);
        TnFace *incident = a_face ? &fb : &fa;
        if (incident->count > 1)
            clip_faces(incident, a_face ? &fa : &fb, a_face, w, margin, play, &clipped);
    } else if (parallel_edges(&fa, &fb)) {
        clip_faces(&fb, &fa, true, w, margin, play, &clipped);
    }
    tn_manifold_reduce(clipped.points, clipped.count, n, a->at->rot, margin, extent, out);
    double deepest = INFINITY;
    for (int i = 0; i < out->count; i++) deepest = fmin(deepest, out->points[i].gap);
    if (deepest > w->gap + 1e-6 * extent) add_witness(w, margin, out);
}

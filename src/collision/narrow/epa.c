/* epa.c: depth of overlap of two convex cores by the expanding polytope [van den Bergen 2001].
 *
 * A polytope inside A - B grows where its boundary is nearest to the origin, until the support
 * point in that face's direction lies on the face. Faces are measured by the signed distance of
 * their plane from the origin with normals turned away from the polytope's own inside, so the
 * origin need not be in the polytope: it may even be outside A - B by a hair (shapes that barely
 * touch). */
#include "../../math/vec3.h"
#include "narrow.h"

#define VERTEX_MAX 132
#define FACE_MAX (2 * VERTEX_MAX)
#define EDGE_MAX (3 * VERTEX_MAX)

typedef struct Face {
    int v[3];
    double n[3], offset; /* plane n·x = offset; offset INFINITY for a face without area */
    bool alive;
} Face;

typedef struct Polytope {
    double w[VERTEX_MAX][3], a[VERTEX_MAX][3];
    double inside[3];
    Face faces[FACE_MAX];
    int vertex_count, face_count;
    int first_free; /* no face before this one is dead */
    double scale;
} Polytope;

static bool add_face(Polytope *p, int i, int j, int k)
{
    int slot = p->first_free;
    while (slot < p->face_count && p->faces[slot].alive) slot++;
    if (slot == FACE_MAX) return false;
    if (slot == p->face_count) p->face_count++;
    p->first_free = slot + 1;
    Face *f = &p->faces[slot];
    double e[3], g[3];
    *f = (Face){.v = {i, j, k}, .alive = true};
    v3_sub(e, p->w[j], p->w[i]);
    v3_sub(g, p->w[k], p->w[i]);
    v3_cross(f->n, e, g);
    double area = v3_norm(f->n), edge = fmax(v3_norm(e), v3_norm(g));
    if (area <= 1e-9 * edge * edge || edge <= 1e-12 * p->scale) {
        f->offset = INFINITY;
        return true;
    }
    v3_scale(f->n, f->n, 1.0 / area);
    f->offset = v3_dot(f->n, p->w[i]);
    if (v3_dot(f->n, p->inside) > f->offset) {
        v3_scale(f->n, f->n, -1.0);
        f->offset = -f->offset;
        f->v[1] = k;
        f->v[2] = j;
    }
    return true;
}

static int add_vertex(Polytope *p, const TnPlaced *a, const TnPlaced *b, const double d[3])
{
    tn_minkowski(a, b, d, p->w[p->vertex_count], p->a[p->vertex_count]);
    return p->vertex_count++;
}

/* Adds the support point along d or -d, whichever is farther from vertex 0; returns how far. */
static double add_farther(Polytope *p, const TnPlaced *a, const TnPlaced *b, const double d[3])
{
    double back[3] = {-d[0], -d[1], -d[2]}, e[3], f[3];
    int i = add_vertex(p, a, b, d), j = add_vertex(p, a, b, back);
    v3_sub(e, p->w[i], p->w[0]);
    v3_sub(f, p->w[j], p->w[0]);
    double up = fabs(v3_dot(e, d)), down = fabs(v3_dot(f, d));
    if (down > up) {
        memcpy(p->w[i], p->w[j], sizeof p->w[0]);
        memcpy(p->a[i], p->a[j], sizeof p->a[0]);
    }
    p->vertex_count--;
    return fmax(up, down);
}

/* A tetrahedron from support points. False: A - B is flat. */
static bool start(Polytope *p, const TnPlaced *a, const TnPlaced *b)
{
    double d[3], e[3], t[3], flat = 1e-10 * p->scale;
    v3_sub(d, b->at->pos, a->at->pos);
    v3_normalize(d);
    double back[3] = {-d[0], -d[1], -d[2]};
    add_vertex(p, a, b, d);
    add_vertex(p, a, b, back);
    v3_sub(d, p->w[1], p->w[0]);
    if (v3_normalize(d) <= flat) return false;
    v3_tangents(d, e, t);
    if (add_farther(p, a, b, e) <= flat) {
        p->vertex_count--;
        if (add_farther(p, a, b, t) <= flat) return false;
    }
    double f[3];
    v3_sub(f, p->w[2], p->w[0]);
    v3_cross(e, d, f);
    v3_normalize(e);
    if (add_farther(p, a, b, e) <= flat) return false;
    v3_zero(p->inside);
    for (int i = 0; i < 4; i++) v3_add_scaled(p->inside, p->w[i], 0.25);
    return add_face(p, 0, 1, 2) && add_face(p, 0, 1, 3) && add_face(p, 0, 2, 3) &&
           add_face(p, 1, 2, 3);
}

/* Puts vertex k outside the faces it sees and closes the hole. False: no room or a broken rim. */
static bool expand(Polytope *p, int nearest, int k)
{
    int edges[EDGE_MAX][2], count = 0;
    double flat = 1e-12 * p->scale;
    for (int i = 0; i < p->face_count; i++) {
        Face *f = &p->faces[i];
        if (!f->alive) continue;
        bool seen =
            i == nearest || (f->offset < INFINITY && v3_dot(f->n, p->w[k]) > f->offset + flat);
        if (!seen) continue;
        f->alive = false;
        if (i < p->first_free) p->first_free = i;
        for (int e = 0; e < 3; e++) {
            int from = f->v[e], to = f->v[(e + 1) % 3], twin = 0;
            while (twin < count && !((edges[twin][0] == to && edges[twin][1] == from) ||
                                     (edges[twin][0] == from && edges[twin][1] == to)))
                twin++;
            if (twin < count) {
                count--;
                edges[twin][0] = edges[count][0];
                edges[twin][1] = edges[count][1];
            } else if (count < EDGE_MAX) {
                edges[count][0] = from;
                edges[count++][1] = to;
            }
        }
    }
    if (count < 3) return false;
    for (int e = 0; e < count; e++)
        if (!add_face(p, edges[e][0], edges[e][1], k)) return false;
    return true;
}

/* Barycentric coordinates of the origin's foot on a face, kept inside it; returns how far that is
 * from the foot. */
static double foot_weights(const Polytope *p, const Face *f, double weight[3])
{
    double foot[3], sum = 0.0;
    v3_scale(foot, f->n, f->offset);
    for (int i = 0; i < 3; i++) {
        double x[3], y[3], c[3];
        v3_sub(x, p->w[f->v[(i + 1) % 3]], foot);
        v3_sub(y, p->w[f->v[(i + 2) % 3]], foot);
        v3_cross(c, x, y);
        weight[i] = fmax(0.0, v3_dot(c, f->n));
        sum += weight[i];
    }
    for (int i = 0; i < 3; i++) {
        weight[i] = sum > 0.0 ? weight[i] / sum : 1.0 / 3.0;
        v3_add_scaled(foot, p->w[f->v[i]], -weight[i]);
    }
    return v3_norm(foot);
}

/* A flat side of A - B is several faces, all equally near, and only one has the foot of the origin.
 * Faces of round shapes are smaller than what is looked at here. */
static Face face_with_foot(const Polytope *p, const Face *best)
{
    double weight[3], off = foot_weights(p, best, weight), flat = 1e-10 * p->scale;
    Face found = *best;
    for (int i = 0; i < p->face_count && off > 1e-4 * p->scale; i++) {
        const Face *f = &p->faces[i];
        bool in_plane = f->alive && f->offset < INFINITY && v3_dot(f->n, best->n) > 0.0;
        for (int k = 0; k < 3 && in_plane; k++)
            in_plane = fabs(v3_dot(best->n, p->w[f->v[k]]) - best->offset) <= flat;
        double next = in_plane ? foot_weights(p, f, weight) : INFINITY;
        if (next >= off) continue;
        off = next;
        found = *f;
    }
    return found;
}

static void face_witness(const Polytope *p, const Face *best, TnWitness *out)
{
    Face f = face_with_foot(p, best);
    double weight[3];
    foot_weights(p, &f, weight);
    v3_copy(out->normal, best->n);
    out->gap = -best->offset;
    v3_zero(out->a);
    for (int i = 0; i < 3; i++) v3_add_scaled(out->a, p->a[f.v[i]], weight[i]);
    v3_copy(out->b, out->a);
    v3_add_scaled(out->b, best->n, out->gap);
}

/* A flat A - B: the best of the directions at hand. */
static void flat_witness(const TnPlaced *a, const TnPlaced *b, TnWitness *out)
{
    out->gap = -INFINITY;
    for (int k = 0; k < 12; k++) {
        double n[3];
        m3_column(n, k % 6 < 3 ? a->at->rot : b->at->rot, k % 3);
        if (k >= 6) v3_scale(n, n, -1.0);
        double gap = tn_separation(a, b, n);
        if (gap <= out->gap) continue;
        out->gap = gap;
        v3_copy(out->normal, n);
    }
    tn_support_core(a, out->normal, out->a);
    v3_copy(out->b, out->a);
    v3_add_scaled(out->b, out->normal, out->gap);
}

bool tn_epa(const TnPlaced *a, const TnPlaced *b, double scale, double enough, TnWitness *out)
{
    Polytope p;
    p.vertex_count = p.face_count = p.first_free = 0;
    p.scale = scale;
    if (!start(&p, a, b)) {
        flat_witness(a, b, out);
        return true;
    }
    Face best = {.offset = INFINITY};
    double best_reach = INFINITY; /* how far A - B goes in the best direction so far: its depth */
    for (;;) {
        int nearest = -1;
        for (int i = 0; i < p.face_count; i++)
            if (p.faces[i].alive &&
                p.faces[i].offset < (nearest < 0 ? INFINITY : p.faces[nearest].offset))
                nearest = i;
        if (nearest < 0 || p.vertex_count == VERTEX_MAX) break;
        Face face = p.faces[nearest];
        if (face.offset > enough) return false; /* the polytope is within A - B */
        int k = add_vertex(&p, a, b, face.n);
        double reach = v3_dot(face.n, p.w[k]);
        if (reach < best_reach) {
            best_reach = reach;
            best = face;
        }
        /* no face is nearer than this one, and no direction can do better than its offset */
        if (best_reach - face.offset <= 1e-10 * scale) break;
        if (!expand(&p, nearest, k)) break;
    }
    if (best.offset == INFINITY) {
        flat_witness(a, b, out);
        return true;
    }
    face_witness(&p, &best, out);
    return true;
}

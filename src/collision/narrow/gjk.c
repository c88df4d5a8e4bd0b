/* gjk.c: distance between two convex cores [Gilbert, Johnson, Keerthi 1988].
 *
 * v is the point of a simplex in A - B nearest to the origin; the support point w along -v either
 * moves the simplex towards the origin or proves that v is nearest:
 * |v|² - v·w bounds |v| (|v| - distance). */
#include "../../base/rounding.h"
#include "../../math/vec3.h"
#include "narrow.h"

#define ITERATIONS_MAX 128
/* It ends at TN_ROUND_OFF of |v|²: the direction is then right to about 1e-6. */

/* Drops all but the listed corners, in place; indices ascend. */
static void keep(TnSimplex *s, int count, const int *corner, const double *weight)
{
    for (int k = 0; k < count; k++) {
        memmove(s->w[k], s->w[corner[k]], sizeof s->w[0]);
        memmove(s->a[k], s->a[corner[k]], sizeof s->a[0]);
        s->weight[k] = weight[k];
    }
    s->count = count;
}

/* Nearest point to the origin on the segment ij: corner list and weights. */
static int nearest_segment(const TnSimplex *s, int i, int j, int corner[3], double weight[3])
{
    double d[3];
    v3_sub(d, s->w[j], s->w[i]);
    double length2 = v3_dot(d, d), t = length2 > 0.0 ? -v3_dot(s->w[i], d) / length2 : 0.0;
    corner[0] = t >= 1.0 ? j : i;
    weight[0] = 1.0;
    if (t <= 0.0 || t >= 1.0) return 1;
    corner[1] = j;
    weight[0] = 1.0 - t;
    weight[1] = t;
    return 2;
}

static double distance2(const TnSimplex *s, int count, const int *corner, const double *weight)
{
    double v[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < count; k++) v3_add_scaled(v, s->w[corner[k]], weight[k]);
    return v3_dot(v, v);
}

/* On the triangle ijk (ascending): inside when the three areas agree in sign, else on the best
 * edge. */
static int nearest_triangle(const TnSimplex *s, int i, int j, int k, int corner[3],
                            double weight[3])
{
    double e[3], f[3], n[3], c[3];
    v3_sub(e, s->w[j], s->w[i]);
    v3_sub(f, s->w[k], s->w[i]);
    v3_cross(n, e, f);
    double n2 = v3_dot(n, n);
    v3_cross(c, s->w[j], s->w[k]);
    double x = v3_dot(c, n);
    v3_cross(c, s->w[k], s->w[i]);
    double y = v3_dot(c, n);
    double z = n2 - x - y;
    if (n2 > 0.0 && x > 0.0 && y > 0.0 && z > 0.0) {
        corner[0] = i, corner[1] = j, corner[2] = k;
        weight[0] = x / n2, weight[1] = y / n2, weight[2] = z / n2;
        return 3;
    }
    const int edges[3][2] = {{i, j}, {i, k}, {j, k}};
    double best = INFINITY;
    int best_count = 1;
    for (int m = 0; m < 3; m++) {
        int try_corner[3];
        double try_weight[3];
        int count = nearest_segment(s, edges[m][0], edges[m][1], try_corner, try_weight);
        double d2 = distance2(s, count, try_corner, try_weight);
        if (d2 >= best) continue;
        best = d2;
        best_count = count;
        memcpy(corner, try_corner, sizeof try_corner);
        memcpy(weight, try_weight, sizeof try_weight);
    }
    return best_count;
}

/* Reduces the simplex to the corners that carry the nearest point. False: a tetrahedron that holds
 * the origin. */
static bool nearest(TnSimplex *s)
{
    int corner[3] = {0, 0, 0};
    double weight[3] = {1.0, 0.0, 0.0};
    int count = 1;
    if (s->count == 2) count = nearest_segment(s, 0, 1, corner, weight);
    if (s->count == 3) count = nearest_triangle(s, 0, 1, 2, corner, weight);
    if (s->count == 4) {
        static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
        double best = INFINITY;
        for (int f = 0; f < 4; f++) {
            const double *p = s->w[faces[f][0]];
            double e[3], g[3], n[3], o[3];
            v3_sub(e, s->w[faces[f][1]], p);
            v3_sub(g, s->w[faces[f][2]], p);
            v3_sub(o, s->w[faces[f][3]], p);
            v3_cross(n, e, g);
            double apex = v3_dot(n, o), origin = -v3_dot(n, p);
            double flat = 1e-12 * v3_norm(e) * v3_norm(g) *
                          v3_norm(o); /* below this the sides cannot be told apart */
            if (fabs(apex) > flat && apex * origin > 0.0)
                continue; /* the origin lies on the apex's side */
            int try_corner[3];
            double try_weight[3];
            int n_corner =
                nearest_triangle(s, faces[f][0], faces[f][1], faces[f][2], try_corner, try_weight);
            double d2 = distance2(s, n_corner, try_corner, try_weight);
            if (d2 >= best) continue;
            best = d2;
            count = n_corner;
            memcpy(corner, try_corner, sizeof try_corner);
            memcpy(weight, try_weight, sizeof try_weight);
        }
        if (best == INFINITY) return false;
    }
    keep(s, count, corner, weight);
    return true;
}

bool tn_gjk(const TnPlaced *a, const TnPlaced *b, double scale, TnWitness *out)
{
    out->gap = 0.0;
    TnSimplex s = {.count = 0}, last = {.count = 0};
    double v[3], vv = INFINITY, touching = 1e-9 * scale;
    bool apart = false; /* a separating plane was seen */
    v3_sub(v, a->at->pos, b->at->pos);
    if (v3_norm(v) <= touching) v3_set(v, 1.0, 0.0, 0.0);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        double d[3] = {-v[0], -v[1], -v[2]}, w[3], sa[3];
        tn_minkowski(a, b, d, w, sa);
        if (k > 0 && vv - v3_dot(v, w) <= TN_ROUND_OFF * vv) break;
        bool known = false;
        for (int i = 0; i < s.count; i++) known |= memcmp(s.w[i], w, sizeof w) == 0;
        if (known) break;
        last = s;
        v3_copy(s.w[s.count], w);
        v3_copy(s.a[s.count], sa);
        s.weight[s.count++] = 1.0;
        apart |= v3_dot(v, w) > 0.0;
        if (!nearest(&s)) {
            if (!apart) return false;
            s = last; /* a flat simplex that rounding took for one around the origin: v is as good
                         as it gets */
            break;
        }
        double next[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < s.count; i++) v3_add_scaled(next, s.w[i], s.weight[i]);
        double next2 = v3_dot(next, next);
        if (next2 <= touching * touching) return false;
        if (next2 >= vv) { /* rounding: no closer any more */
            s = last;
            break;
        }
        v3_copy(v, next);
        vv = next2;
    }
    double distance = sqrt(vv);
    v3_scale(out->normal, v, -1.0 / distance);
    out->gap = distance;
    v3_zero(out->a);
    for (int i = 0; i < s.count; i++) v3_add_scaled(out->a, s.a[i], s.weight[i]);
    v3_sub(out->b, out->a, v);
    return true;
}

/* So many support points are looked at; near shapes are told sooner. */
#define LOOKS 16

bool tn_gjk_apart(const TnPlaced *a, const TnPlaced *b, double distance, double v[3])
{
    TnSimplex s = {.count = 0};
    double vv = v3_dot(v, v);
    for (int k = 0; k < LOOKS && vv > 0.0; k++) {
        double d[3] = {-v[0], -v[1], -v[2]}, w[3], sa[3];
        tn_minkowski(a, b, d, w, sa);
        double along = v3_dot(v, w);
        if (along > 0.0 && along * along > distance * distance * vv) return true;
        if (k > 0 && (vv <= distance * distance || vv - along <= TN_ROUND_OFF * vv)) return false;
        v3_copy(s.w[s.count], w);
        s.weight[s.count++] = 1.0;
        if (!nearest(&s)) return false;
        v3_zero(v);
        for (int i = 0; i < s.count; i++) v3_add_scaled(v, s.w[i], s.weight[i]);
        vv = v3_dot(v, v);
    }
    return false;
}

/* soft_cone.c: what keeps most of two surfaces from being compared.
 *
 * Each box of the tree has the intervals in which its nodes' velocities v and the normals n about
 * its nodes lie. Then for two boxes |v₁ - v₂| <= the length of the farthest corner of the box of
 * differences: common motion cancels, n₁ · n₂ >= Σ_k the least product of the intervals: where that
 * is positive, no point of one looks at a point of the other, which is how a flat or gently curved
 * side is done with itself at once. */
#include "../../math/vec3.h"
#include "soft_surface.h"

static inline double lower(double a, double b) { return a < b ? a : b; }
static inline double higher(double a, double b) { return a > b ? a : b; }

static void clear(TnSoftCone *c)
{
    for (int k = 0; k < 3; k++) {
        c->v_low[k] = c->n_low[k] = INFINITY;
        c->v_high[k] = c->n_high[k] = -INFINITY;
    }
}

static void include(TnSoftCone *c, const TnSoftCone *other)
{
    for (int k = 0; k < 3; k++) {
        c->v_low[k] = lower(c->v_low[k], other->v_low[k]);
        c->v_high[k] = higher(c->v_high[k], other->v_high[k]);
        c->n_low[k] = lower(c->n_low[k], other->n_low[k]);
        c->n_high[k] = higher(c->n_high[k], other->n_high[k]);
    }
}

static void node_cone(const TnSoftSurface *s, int node, TnSoftCone *c, double look[3])
{
    clear(c);
    v3_zero(look);
    v3_copy(c->v_low, s->v[node]);
    v3_copy(c->v_high, s->v[node]);
    for (int i = s->around_start[node]; i < s->around_start[node + 1]; i++) {
        const double *n = s->normals[s->around[i]];
        v3_add(look, look, n);
        for (int k = 0; k < 3; k++) {
            c->n_low[k] = lower(c->n_low[k], n[k]);
            c->n_high[k] = higher(c->n_high[k], n[k]);
        }
    }
}

/* The second triangle falls away from the first one's plane. */
static bool is_ridge(const TnSoftSurface *s, int edge)
{
    const int32_t *two = s->edge_triangles[edge], *c = s->triangles[two[1]];
    const double *n = s->normals[two[0]], *m = s->normals[two[1]];
    double across[3], middle[3];
    v3_cross(across, n, m);
    if (s->sheet && two[0] == two[1]) return true; /* its border */
    double least = TN_SOFT_LEAN;
    bool flat = v3_dot(across, across) < least * least;
    if (s->sheet) return !flat; /* whichever way it folds, and its triangles may be turned */
    if (v3_dot(n, m) > 0.0 && flat) return false;
    v3_add(middle, s->x[c[0]], s->x[c[1]]);
    v3_add(middle, middle, s->x[c[2]]);
    v3_add_scaled(middle, s->x[s->edges[edge][0]], -3.0);
    return v3_dot(middle, n) < 0.0;
}

/* The box grown against the normals. Directions between two normals may be steeper than both. */
static void deepen(const TnSoftSurface *s, const TnSoftBox *box, TnSoftCone *cone)
{
    double depth = 0.0;
    for (int j = box->first; j < box->first + box->count; j++)
        depth = higher(depth, 1.5 * s->depths[j]);
    for (int k = 0; k < 3; k++) {
        cone->low[k] = box->low[k] - depth * higher(0.0, cone->n_high[k]);
        cone->high[k] = box->high[k] + depth * higher(0.0, -cone->n_low[k]);
    }
}

void tn_soft_cones_update(TnSoftSurface *s)
{
    for (int i = 0; i < s->triangle_count; i++) tn_soft_triangle_normal(s, i, s->normals[i]);
    for (int i = 0; i < s->edge_count; i++) s->ridges[i] = is_ridge(s, i);
    for (int i = 0; i < s->node_count; i++) node_cone(s, i, &s->node_cones[i], s->looks[i]);
    for (int i = s->box_count; i-- > 0;) { /* children come after their parent */
        const TnSoftBox *box = &s->boxes[i];
        TnSoftCone *cone = &s->cones[i];
        if (box->second) {
            *cone = s->cones[i + 1];
            const TnSoftCone *second = &s->cones[box->second];
            include(cone, second);
            for (int k = 0; k < 3; k++) {
                cone->low[k] = lower(cone->low[k], second->low[k]);
                cone->high[k] = higher(cone->high[k], second->high[k]);
            }
            continue;
        }
        clear(cone);
        for (int j = box->first; j < box->first + box->count; j++)
            for (int k = 0; k < 3; k++) include(cone, &s->node_cones[s->triangles[j][k]]);
        deepen(s, box, cone);
    }
}

bool tn_soft_cones_agree(const TnSoftCone *a, const TnSoftCone *b)
{
    double least = 0.0;
    for (int k = 0; k < 3; k++)
        least += lower(lower(a->n_low[k] * b->n_low[k], a->n_low[k] * b->n_high[k]),
                       lower(a->n_high[k] * b->n_low[k], a->n_high[k] * b->n_high[k]));
    return least > 0.0;
}

double tn_soft_cones_speed(const TnSoftCone *a, const TnSoftCone *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double most = higher(a->v_high[k] - b->v_low[k], b->v_high[k] - a->v_low[k]);
        sum += most * most;
    }
    return sqrt(sum);
}

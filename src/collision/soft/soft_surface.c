/* soft_surface.c: a soft body's surface: nodes, triangles, edges and their owners, made once;
 * where the nodes are and how they move, each step. */
#include "soft_surface.h"
#include "../../base/base.h"
#include "../../math/vec3.h"

#include <stdlib.h>

/* ---- made once ---- */

/* Hands out parts of one block; with a NULL base it only measures. */
static void *carve(char *base, size_t *used, size_t count, size_t size)
{
    void *p = base ? base + *used : NULL;
    *used += (count * size + 63) / 64 * 64;
    return p;
}

static size_t lay_out(TnSoftSurface *s, char *base)
{
    size_t used = 0, n = (size_t)s->node_count, t = (size_t)s->triangle_count, e = t * 3,
           boxes = (size_t)tn_soft_tree_size(s->triangle_count);
    s->nodes = carve(base, &used, n, sizeof s->nodes[0]);
    s->triangles = carve(base, &used, t, sizeof s->triangles[0]);
    s->triangle_ids = carve(base, &used, t, sizeof s->triangle_ids[0]);
    s->sides = carve(base, &used, t, sizeof s->sides[0]);
    s->edges = carve(base, &used, e, sizeof s->edges[0]);
    s->edge_triangles = carve(base, &used, e, sizeof s->edge_triangles[0]);
    s->node_owners = carve(base, &used, n, sizeof s->node_owners[0]);
    s->around_start = carve(base, &used, n + 1, sizeof s->around_start[0]);
    s->around = carve(base, &used, 3 * t, sizeof s->around[0]);
    s->holders = carve(base, &used, n, sizeof s->holders[0]);
    s->ties = carve(base, &used, n, sizeof s->ties[0]);
    s->sizes = carve(base, &used, t, sizeof s->sizes[0]);
    s->depths = carve(base, &used, t, sizeof s->depths[0]);
    s->edge_done = carve(base, &used, e, sizeof s->edge_done[0]);
    s->x = carve(base, &used, n, sizeof s->x[0]);
    s->v = carve(base, &used, n, sizeof s->v[0]);
    s->sweep = carve(base, &used, n, sizeof s->sweep[0]);
    s->boxes = carve(base, &used, boxes, sizeof s->boxes[0]);
    if (s->sheet) s->at_rest = carve(base, &used, boxes, sizeof s->at_rest[0]);
    if (s->meets_soft) {
        s->cones = carve(base, &used, boxes, sizeof s->cones[0]);
        s->node_cones = carve(base, &used, n, sizeof s->node_cones[0]);
        s->normals = carve(base, &used, t, sizeof s->normals[0]);
        s->looks = carve(base, &used, n, sizeof s->looks[0]);
        s->ridges = carve(base, &used, e, sizeof s->ridges[0]);
        s->nearest = carve(base, &used, s->sheet ? 2 * n : n, sizeof s->nearest[0]);
    }
    s->probes = carve(base, &used, n, sizeof s->probes[0]);
    s->found = carve(base, &used, t, sizeof s->found[0]);
    return used;
}

typedef struct HalfEdge {
    int32_t low, high, triangle, side;
} HalfEdge;

static int compare_halves(const void *x, const void *y)
{
    const HalfEdge *a = x, *b = y;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* Edges by their ends; an edge of one triangle alone has it twice. */
static void make_edges(TnSoftSurface *s, HalfEdge *halves)
{
    int count = 3 * s->triangle_count;
    for (int i = 0; i < count; i++) {
        int32_t a = s->triangles[i / 3][i % 3], b = s->triangles[i / 3][(i + 1) % 3];
        halves[i] = (HalfEdge){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
    }
    qsort(halves, (size_t)count, sizeof halves[0], compare_halves);
    s->edge_count = 0;
    for (int i = 0; i < count; i++) {
        const HalfEdge *h = &halves[i];
        bool same = i > 0 && h[-1].low == h->low && h[-1].high == h->high;
        if (!same) {
            int32_t *edge = s->edges[s->edge_count], *two = s->edge_triangles[s->edge_count++];
            edge[0] = h->low, edge[1] = h->high;
            two[0] = two[1] = h->triangle;
        }
        s->edge_triangles[s->edge_count - 1][1] = h->triangle;
        s->sides[h->triangle][h->side] = s->edge_count - 1;
    }
}

static void make_around(TnSoftSurface *s)
{
    int count = 3 * s->triangle_count;
    for (int i = 0; i < count; i++) s->around_start[s->triangles[i / 3][i % 3] + 1]++;
    for (int i = 0; i < s->node_count; i++) s->around_start[i + 1] += s->around_start[i];
    for (int i = count; i-- > 0;) { /* backwards: the lists come out ascending */
        int32_t node = s->triangles[i / 3][i % 3];
        s->around[--s->around_start[node + 1]] = i / 3;
    }
    /* each entry now is its list's start, one place too high */
    for (int i = 0; i < s->node_count; i++) s->around_start[i] = s->around_start[i + 1];
    s->around_start[s->node_count] = count;
    for (int i = 0; i < s->node_count; i++) s->node_owners[i] = s->around[s->around_start[i]];
}

static int local_node(const TnSoftSurface *s, int node)
{
    int begin = 0, end = s->node_count;
    while (begin < end) {
        int middle = (begin + end) / 2;
        if (s->nodes[middle] < node)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < s->node_count && s->nodes[begin] == node ? begin : -1;
}

static void make_holders(TnSoftSurface *s, const TnModel *model)
{
    const TnSoft *soft = s->soft;
    for (int i = 0; i < s->node_count; i++)
        s->holders[i] = soft->pinned && soft->pinned[s->nodes[i]] ? 0 : -1;
    for (int i = 0; i < soft->hold_count; i++) {
        int node = local_node(s, soft->holds[i].node);
        if (node >= 0) s->holders[node] = soft->holds[i].link;
    }
    for (int i = 0; i < model->tie_count; i++) {
        const TnTie *tie = &model->ties[i];
        int node = tie->soft1 == s->index ? local_node(s, tie->node1) : -1;
        if (node >= 0) s->ties[node] = 1 + tie->soft2;
        for (int k = 0; k < 4 && tie->soft2 == s->index; k++) {
            node = local_node(s, tie->node2[k]);
            if (node >= 0) s->ties[node] = 1 + tie->soft1;
        }
    }
}

static void take_geom(TnSoftSurface *s, const TnModel *model)
{
    const TnGeom *g = &model->geoms[s->geom];
    s->surface = (TnSurface){g->contact_dim,
                             g->priority,
                             {g->friction[0], g->friction[1], g->friction[2]},
                             g->restitution};
    s->type_mask = (uint32_t)g->contact_type;
    s->affinity_mask = (uint32_t)g->contact_affinity;
    s->margin = g->margin;
}

/* Half an edge's length, or the height of the element behind where that is less; there is none
 * behind a sheet. */
static double depth_of(const TnSoft *soft, int triangle, double size)
{
    if (soft->thickness > 0.0) return 0.5 * size;
    const int32_t *c = soft->triangles + 3 * (size_t)triangle,
                  *tet = soft->tets + 4 * (size_t)soft->triangle_tets[triangle];
    const double *o = soft->rest + 3 * (size_t)c[0];
    double e[3], f[3], n[3], d[3], height = 0.0;
    v3_sub(e, soft->rest + 3 * (size_t)c[1], o);
    v3_sub(f, soft->rest + 3 * (size_t)c[2], o);
    v3_cross(n, e, f);
    v3_normalize(n);
    for (int k = 0; k < 4; k++) {
        v3_sub(d, soft->rest + 3 * (size_t)tet[k], o);
        height = fmax(height, fabs(v3_dot(n, d)));
    }
    return fmin(0.5 * size, height);
}

/* Boxes of a sheet at rest. */
static void fit_at_rest(TnSoftSurface *s)
{
    for (int i = 0; s->sheet && i < s->box_count; i++) {
        const TnSoftBox *box = &s->boxes[i];
        double *to = s->at_rest[i];
        for (int k = 0; k < 3; k++) to[k] = INFINITY, to[3 + k] = -INFINITY;
        for (int j = 3 * box->first; j < 3 * (box->first + box->count); j++) {
            const double *x = s->soft->rest + 3 * (size_t)s->nodes[s->triangles[j / 3][j % 3]];
            for (int k = 0; k < 3; k++) {
                to[k] = fmin(to[k], x[k]);
                to[3 + k] = fmax(to[3 + k], x[k]);
            }
        }
    }
}

bool tn_soft_surface_init(TnSoftSurface *s, const TnModel *model, int index)
{
    const TnSoft *soft = &model->softs[index];
    *s = (TnSoftSurface){.soft = soft,
                         .sheet = soft->thickness > 0.0,
                         .index = index,
                         .geom = soft->geom,
                         .node_count = soft->surface_node_count,
                         .triangle_count = soft->triangle_count,
                         .radius = soft->radius,
                         .meets_soft = soft->self_contact || model->soft_count > 1,
                         .capacity = soft->surface_node_count / 4 + 64};
    size_t t = (size_t)s->triangle_count, bytes = lay_out(s, NULL);
    s->memory = tn_aligned_alloc(bytes + 64);
    double(*middle)[3] = tn_malloc(sizeof *middle * (t + 1));
    HalfEdge *halves = tn_malloc(sizeof *halves * (3 * t + 1));
    bool good = s->memory && middle && halves;
    if (good) {
        memset(s->memory, 0, bytes);
        lay_out(s, s->memory);
        memcpy(s->nodes, soft->surface_nodes, sizeof s->nodes[0] * (size_t)s->node_count);
        for (size_t i = 0; i < t; i++) {
            v3_zero(middle[i]);
            for (int k = 0; k < 3; k++)
                v3_add_scaled(middle[i],
                              soft->rest + 3 * (size_t)soft->triangles[3 * i + (size_t)k],
                              1.0 / 3.0);
        }
        tn_soft_tree_build(s, (const double(*)[3])middle);
        for (size_t i = 0; i < t; i++) {
            const int32_t *corner = soft->triangles + 3 * (size_t)s->triangle_ids[i];
            for (int k = 0; k < 3; k++) {
                double d[3];
                v3_sub(d, soft->rest + 3 * (size_t)corner[(k + 1) % 3],
                       soft->rest + 3 * (size_t)corner[k]);
                s->triangles[i][k] = local_node(s, corner[k]);
                s->sizes[i] += v3_norm(d) / 3.0;
            }
            s->depths[i] = depth_of(soft, s->triangle_ids[i], s->sizes[i]);
        }
        fit_at_rest(s);
        make_edges(s, halves);
        make_around(s);
        make_holders(s, model);
        take_geom(s, model);
    }
    tn_free(middle);
    tn_free(halves);
    if (!good) tn_soft_surface_free(s);
    return good;
}

void tn_soft_surface_free(TnSoftSurface *s)
{
    tn_free(s->memory);
    s->memory = NULL;
}

/* ---- each step ---- */

void tn_soft_surface_update(TnSoftSurface *s, const double *qpos, const double *end_qvel, double t,
                            double slack)
{
    const double *x = qpos + s->soft->qpos_start, *v = end_qvel + s->soft->dof_start;
    double most = 0.0;
    s->grow = s->radius + 0.5 * slack + s->margin;
    for (int i = 0; i < s->node_count; i++) {
        size_t node = 3 * (size_t)s->nodes[i];
        v3_copy(s->x[i], x + node);
        v3_copy(s->v[i], v + node);
        double speed2 = v3_dot(v + node, v + node);
        most = speed2 > most ? speed2 : most;
        s->sweep[i] = t * sqrt(speed2);
        s->probes[i].query = 0;
    }
    s->speed = sqrt(most);
    s->query = 0;
    memset(s->edge_done, 0, sizeof s->edge_done[0] * (size_t)s->edge_count);
    tn_soft_tree_refit(s);
    if (s->meets_soft) tn_soft_cones_update(s);
}

/* Twice the area. */
static void add_normal(const TnSoftSurface *s, int triangle, double n[3])
{
    const int32_t *c = s->triangles[triangle];
    double e[3], f[3], m[3];
    v3_sub(e, s->x[c[1]], s->x[c[0]]);
    v3_sub(f, s->x[c[2]], s->x[c[0]]);
    v3_cross(m, e, f);
    v3_add(n, n, m);
}

void tn_soft_triangle_normal(const TnSoftSurface *s, int triangle, double n[3])
{
    v3_zero(n);
    add_normal(s, triangle, n);
    v3_normalize(n);
}

void tn_soft_node_normal(const TnSoftSurface *s, int node, double n[3])
{
    v3_zero(n);
    for (int i = s->around_start[node]; i < s->around_start[node + 1]; i++)
        add_normal(s, s->around[i], n);
    v3_normalize(n);
}

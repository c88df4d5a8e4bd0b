/* soft_surface.h (internal): surfaces of soft bodies in the collision phase.
 *
 * A surface has numbers of its own: nodes as TnSoft.surface_nodes has them, triangles in the order
 * of a tree of boxes over them, edges by their ends. Every edge and node has an owner, one of its
 * triangles: a search of the triangles near something meets each of them once.
 *
 * A step:  soft_surface.c  places and velocities of the nodes
 *          soft_tree.c     boxes swept by them; what is near a box, a plane, another surface
 *          soft_rigid.c    nodes against rigid geoms (soft_distance.c), then
 *          soft_facets.c   faces and edges
 *          soft_pair.c     against another surface or itself
 *          soft_detect.c   filter, listing rule, the list
 *
 * Surfaces are worked on in parallel, each with its own part of the list. */
#ifndef TN_COLLISION_SOFT_SURFACE_H
#define TN_COLLISION_SOFT_SURFACE_H

#include "../collider.h"

#define TN_SOFT_LEAF 4   /* triangles */
#define TN_SOFT_DEPTH 64 /* of the tree, at most: it halves */

/* Node of the tree. An inner one's first child follows it. */
typedef struct TnSoftBox {
    double low[3], high[3]; /* per step, m: its nodes, radius, half the slack and margin included */
    double sweep;           /* per step, m: t · speed of the fastest node */
    int32_t second;         /* child; 0: a leaf */
    int32_t first, count;   /* triangles */
} TnSoftBox;

/* What the parts of a box may do: velocities of its nodes, normals of all triangles about them.
 * Kept where a surface may meet another one or itself. */
typedef struct TnSoftCone {
    double v_low[3], v_high[3]; /* m/s */
    double n_low[3], n_high[3];
    double low[3], high[3]; /* m: the box, and what lies below its triangles by up to their depth */
} TnSoftCone;

/* A node against the rigid geom that is looked at. */
typedef struct TnSoftProbe {
    double distance; /* m, to the geom's surface, negative inside */
    double out[3];   /* unit: where that grows */
    int32_t query;   /* that it was measured for */
} TnSoftProbe;

/* The triangle of another surface that is nearest to a node. */
typedef struct TnSoftNearest {
    int32_t triangle;
    double height; /* m, of the node above it */
    double weight[3], n[3];
} TnSoftNearest;

typedef struct TnSoftSurface {
    const TnSoft *soft;
    bool sheet;      /* both sides of its triangles touch */
    int index, geom; /* in the model */
    int node_count, triangle_count, edge_count, box_count;
    /* constant */
    int32_t *nodes;               /* of the soft body */
    int32_t (*triangles)[3];      /* local nodes, counterclockwise seen from outside */
    int32_t *triangle_ids;        /* of the soft body */
    int32_t (*sides)[3];          /* edges of a triangle: from corner k to corner k + 1 */
    int32_t (*edges)[2];          /* local nodes, ascending */
    int32_t (*edge_triangles)[2]; /* the owner first */
    int32_t *node_owners;
    int32_t *around_start, *around; /* triangles of a node at [start[i], start[i + 1]) */
    int32_t *holders; /* per node: link that holds it (0: pinned to the world), -1: none */
    int32_t *ties;    /* per node: 1 + soft body that it is tied to, 0: none */
    double *sizes;    /* m, per triangle: mean length of its edges at rest */
    double *depths;   /* m, per triangle: a point deeper below it is none of its business */
    double radius;
    TnSurface surface;
    uint32_t type_mask, affinity_mask;
    double margin;
    bool meets_soft;
    /* per step */
    bool sleeping;
    bool placed; /* it sleeps, and what follows is there */
    double (*x)[3], (*v)[3];
    double grow; /* m: radius, half the slack, margin: how far every box reaches beyond its nodes */
    double *sweep; /* m, per node: t · speed */
    double speed;  /* m/s: of the fastest node */
    TnSoftBox *boxes;
    double (*at_rest)[6]; /* m, per box of a sheet: low and high of its triangles at rest */
    TnSoftCone *cones, *node_cones; /* per box, per node */
    double (*normals)[3];           /* per triangle; kept as cones are */
    double (*looks)[3];             /* per node: sum of its triangles' normals */
    uint8_t *ridges;                /* per edge: the surface folds outward there */
    /* scratch */
    TnSoftProbe *probes;
    TnSoftNearest *nearest; /* valid where the probe's query is the current one; per node, of a
                               sheet on one side and then on the other */
    int32_t query;
    int32_t *edge_done; /* query in which an edge was looked at */
    int32_t *found;     /* triangles near something */
    /* the part of the list */
    int capacity, used; /* points */
    size_t start;
    void *memory;
} TnSoftSurface;

/* ---- soft_surface.c ---- */
/* False: no memory. */
bool tn_soft_surface_init(TnSoftSurface *s, const TnModel *model, int soft);
void tn_soft_surface_free(TnSoftSurface *s);
void tn_soft_surface_update(TnSoftSurface *s, const double *qpos, const double *end_qvel, double t,
                            double slack);
/* Unit outward normals; of a node the mean over its triangles, weighted by area. */
void tn_soft_triangle_normal(const TnSoftSurface *s, int triangle, double n[3]);
void tn_soft_node_normal(const TnSoftSurface *s, int node, double n[3]);

/* ---- soft_tree.c ---- */
/* Sorts s->triangle_ids and makes the boxes; `middle` are the triangles' centres at rest. */
void tn_soft_tree_build(TnSoftSurface *s, const double (*middle)[3]);
int tn_soft_tree_size(int triangle_count); /* boxes, at most */
void tn_soft_tree_refit(TnSoftSurface *s);
/* Triangles whose boxes meet the box, or reach below a plane, into s->found; how many. */
int tn_soft_tree_near_box(TnSoftSurface *s, const double low[3], const double high[3]);
int tn_soft_tree_near_plane(TnSoftSurface *s, const double n[3], double height);

static inline void tn_soft_triangle_box(const TnSoftSurface *s, int triangle, double low[3],
                                        double high[3])
{
    const int32_t *c = s->triangles[triangle];
    const double *a = s->x[c[0]], *b = s->x[c[1]], *d = s->x[c[2]];
    for (int k = 0; k < 3; k++) {
        double l = a[k] < b[k] ? a[k] : b[k], h = a[k] > b[k] ? a[k] : b[k];
        low[k] = (l < d[k] ? l : d[k]) - s->grow;
        high[k] = (h > d[k] ? h : d[k]) + s->grow;
    }
}

static inline double tn_soft_triangle_sweep(const TnSoftSurface *s, int triangle)
{
    const int32_t *c = s->triangles[triangle];
    double a = s->sweep[c[0]], b = s->sweep[c[1]], d = s->sweep[c[2]];
    a = a > b ? a : b;
    return a > d ? a : d;
}

/* Within `more` of each other along every axis. */
static inline bool tn_soft_boxes_meet(const double low1[3], const double high1[3],
                                      const double low2[3], const double high2[3], double more)
{
    return (low1[0] <= high2[0] + more) & (low2[0] <= high1[0] + more) &
           (low1[1] <= high2[1] + more) & (low2[1] <= high1[1] + more) &
           (low1[2] <= high2[2] + more) & (low2[2] <= high1[2] + more);
}

/* ---- soft_cone.c ---- */
/* Normals, ridges and cones of a step; boxes are fitted. */
void tn_soft_cones_update(TnSoftSurface *s);
/* No point of one looks at the other. */
bool tn_soft_cones_agree(const TnSoftCone *a, const TnSoftCone *b);
/* No two points approach each other faster, m/s. */
double tn_soft_cones_speed(const TnSoftCone *a, const TnSoftCone *b);

/* ---- edges and facets (soft_facets.c, soft_pair.c) ---- */
/* Sine: how much nearer a facet may be beside its edge, for geoms with flat sides; and the fold
 * below which an edge is taken for flat, and the angle below which two edges are parallel. */
#define TN_SOFT_LEAN 0.1
/* Of an edge's length: its node has this contact. */
#define TN_SOFT_NEAR_END 0.02

/* ---- soft_distance.c ---- */
#define TN_SOFT_AGAINST 0.25 /* cosine: a way out may go this much along the normal */
/* Signed distance from a geom's surface to a point, and its gradient. */
double tn_soft_distance(const TnPlaced *geom, const double p[3], double out[3]);
/* The same for a point inside, of a surface with normal n there: a way out that leads against n. */
double tn_soft_way_out(const TnPlaced *geom, const double p[3], const double n[3], double out[3]);

/* ---- soft_detect.c ---- */
/* A surface's part of the list. `count` goes on past the capacity. */
typedef struct TnSoftEmitter {
    const TnDetection *detection;
    TnContactPoint *points;
    TnSoftPoint *soft_points; /* two per point; of a rigid second side the second one is unused */
    int capacity, count;
    /* the pair */
    int geom1, geom2;
    int slot; /* of a rigid second side, else -1 */
    TnPairRule rule;
    double margin;
} TnSoftEmitter;

/* A point of the list on a surface. */
typedef struct TnSoftPlace {
    const TnSoftSurface *s;
    int count;
    int32_t node[3];  /* local */
    int32_t triangle; /* of the surface, -1: a node alone */
    double weight[3];
} TnSoftPlace;

/* Where it is; v may be NULL. */
void tn_soft_place_at(const TnSoftPlace *place, double x[3], double v[3]);
/* Lists the point where the rule says so: n from a to b (NULL: the emitter's slot), `gap` between
 * the surfaces, radii counted. */
void tn_soft_emit(TnSoftEmitter *e, const TnSoftPlace *a, const TnSoftPlace *b, const double n[3],
                  double gap, uint32_t feature);

/* Feature ids: the kind in the two upper bits. */
#define TN_SOFT_NODE 0u
#define TN_SOFT_FACE (1u << 30)
#define TN_SOFT_EDGE (2u << 30)
#define TN_SOFT_OTHER_NODE (3u << 30) /* a node of the second surface */

/* ---- soft_rigid.c ---- */
/* Contacts of the first `found` triangles of s->found with the emitter's slot. */
void tn_soft_emit_rigid(TnSoftEmitter *e, TnSoftSurface *s, int found);

/* ---- soft_facets.c ---- */
/* Of faces and edges; the nodes' probes are there, and `link` carries the slot. */
void tn_soft_emit_facets(TnSoftEmitter *e, TnSoftSurface *s, int link, int found);
/* The direction n (unit, across the edge's unit direction u) leaves the body at an edge, and does
 * not lean into one of its triangles by more than the sine `lean`. */
bool tn_soft_edge_outside(const TnSoftSurface *s, int edge, const double u[3], const double n[3],
                          double lean);

/* Weights of a point's projection on a triangle with normal n, of any length; false: beside it. */
bool tn_soft_project(const double *const x[3], const double n[3], const double p[3],
                     double weight[3]);
/* Squared distance of a point to a triangle. */
double tn_soft_point_triangle(const double p[3], const double *const x[3]);

/* ---- soft_pair.c ---- */
/* Contacts of s's nodes with the other surface's triangles (which may be s itself), and of edges
 * where s comes first. */
void tn_soft_emit_pair(TnSoftEmitter *e, TnSoftSurface *s, const TnSoftSurface *other);

#endif

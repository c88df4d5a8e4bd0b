/* narrow.h (internal): the narrow phase's vocabulary.
 *
 * Every convex shape is a core plus a radius: a sphere is a point, a capsule a segment, everything
 * else its own core with radius zero. A pair routine finds the separating direction (n, gap) and
 * one witness point on each surface; the manifold is then built from the faces, edges or corners
 * that look along n.
 *
 *     gap(n) = n · (s_b(-n) - s_a(n)),   s = support point, n from a to b
 *
 * and the pair's gap is the largest over all n.
 *
 * Feature ids: the upper half names a vertex or edge of the first shape, the lower half one of the
 * second (tn_feature). */
#ifndef TN_COLLISION_NARROW_H
#define TN_COLLISION_NARROW_H

#include <tenon/collide.h>

/* rad: below this tilt a face or edge is perpendicular to n; a body that tilts by it still stands
 * on the patch, and a point of a rim that is as near to the lowest one is that one. */
#define TN_TIGHT 0.01
/* Cosine: normals that agree so are the same. */
#define TN_ONE_NORMAL 0.9999999

/* A shape at its place. */
typedef struct TnPlaced {
    const TnShape *shape;
    const TnTransform *at;
} TnPlaced;

/* The separating direction and where it is attained. */
typedef struct TnWitness {
    double normal[3];  /* unit, from a to b */
    double gap;        /* m */
    double a[3], b[3]; /* m, world: one nearest (or deepest) point on each surface */
} TnWitness;

/* ---- support.c ---- */
double tn_core_radius(const TnShape *shape);
/* Radius of a ball about the shape's origin that holds it. */
double tn_shape_extent(const TnShape *shape);
/* Farthest point of the core along d (world, any length). */
void tn_support_core(const TnPlaced *s, const double d[3], double p[3]);

/* ---- feature.c ---- */
#define TN_FEATURE_MAX 16
#define TN_FEATURE_NONE 0x0000u
#define TN_FEATURE_WITNESS 0x7fffu
/* The vertex (1), edge (2) or face (3 …, in cyclic order) of a shape that looks along a direction.
 * Radius included. */
typedef struct TnFace {
    int count;
    bool disc; /* eight points that stand for a circle */
    double p[TN_FEATURE_MAX][3];
    uint32_t id[TN_FEATURE_MAX]; /* < 0x7fff */
} TnFace;
/* Only what is perpendicular to n within a hundredth of a radian. */
void tn_face_tight(const TnPlaced *s, const double n[3], TnFace *out);
/* The best face whatever its tilt; a mesh's vertices count down to `band` below its top, m. */
void tn_face_loose(const TnPlaced *s, const double n[3], double band, TnFace *out);
static inline uint32_t tn_feature(uint32_t a, uint32_t b) { return a << 16 | b; }
static inline uint32_t tn_feature_vertex(uint32_t id) { return id + 1u; }
static inline uint32_t tn_feature_edge(uint32_t i, uint32_t j)
{
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    return 0x8000u | ((low * 193u + high) & 0x7fffu);
}

/* ---- manifold.c ---- */
/* Adds a point where its gap is within the margin and there is room. */
void tn_manifold_add(TnManifold *m, double margin, const double pos[3], double gap,
                     uint32_t feature);
/* All points between the faces that look along w->normal, and the witness where they miss it. */
void tn_manifold_build(const TnPlaced *a, const TnPlaced *b, const TnWitness *w, double margin,
                       TnManifold *out);

/* ---- patch.c ---- */
/* A point of a patch: where it is across the normal, m, how high, and which of them it is. */
typedef struct TnPatchPoint {
    double x[2], gap;
    int index;
    bool settled; /* patch.c */
} TnPatchPoint;
/* The point within the margin that is lowest as the patch tilts: with the largest tilt · x - gap.
 * *out: one of them, to begin from; and the result. */
typedef void TnPatchLowest(void *context, const double tilt[2], TnPatchPoint *out);
/* rad: the largest tilt that counts. extent: the body's size, m. */
double tn_patch_tilt(double margin, double extent);
/* Which points bear what all of them bear; returns how many. easiest: unit, from the deepest point
 * to the one that is lower first. */
int tn_patch_choose(TnPatchLowest *lowest, void *context, const TnPatchPoint *deepest,
                    const double easiest[2], double margin, double extent,
                    int chosen[TN_MANIFOLD_MAX]);
/* Directions across n that turn with `axes` (columns): the same corners are kept in successive
 * steps. */
void tn_patch_axes(const double n[3], const double axes[9], double x[3], double y[3]);
/* tn_patch_choose of a list; all of up to four. */
void tn_manifold_reduce(const TnManifoldPoint *points, int count, const double n[3],
                        const double axes[9], double margin, double extent, TnManifold *out);

/* ---- gjk.c, epa.c ---- */
typedef struct TnSimplex {
    int count;
    double w[4][3];   /* points of a - b (cores) */
    double a[4][3];   /* the support points on a they came from */
    double weight[4]; /* barycentric */
} TnSimplex;
/* Distance between the cores, relative accuracy 1e-6 in the direction. False: they touch or overlap
 * within 1e-9 of the pair's size. */
bool tn_gjk(const TnPlaced *a, const TnPlaced *b, double scale, TnWitness *out);
/* Whether the cores are farther apart than `distance`. v: about the shortest way from b to a, where
 * the search begins; it becomes a better one. False: they are not, or it was not seen soon. */
bool tn_gjk_apart(const TnPlaced *a, const TnPlaced *b, double distance, double v[3]);
/* The direction of least overlap of the cores; also right where they are apart by a hair. False,
 * and sooner, where they are deeper in each other than `enough`, m. */
bool tn_epa(const TnPlaced *a, const TnPlaced *b, double scale, double enough, TnWitness *out);
/* w = s_a(d) - s_b(-d), and s_a. */
void tn_minkowski(const TnPlaced *a, const TnPlaced *b, const double d[3], double w[3],
                  double sa[3]);

/* Parameters of the nearest points of the lines p + s u and q + t v (unit u, v; not parallel). */
void tn_lines_nearest(const double p[3], const double u[3], const double q[3], const double v[3],
                      double *s, double *t); /* convex.c */
/* gap(n) of the cores: how far they are apart along n. */
double tn_separation(const TnPlaced *a, const TnPlaced *b, const double n[3]); /* convex.c */

/* ---- pairs; the first shape's type is not above the second's ---- */
typedef bool TnCollideFn(const TnPlaced *a, const TnPlaced *b, double margin, TnManifold *out);
TnCollideFn tn_collide_plane;         /* plane.c: with any convex shape */
TnCollideFn tn_collide_sphere_sphere; /* sphere.c */
TnCollideFn tn_collide_sphere_capsule;
TnCollideFn tn_collide_sphere_cylinder;
TnCollideFn tn_collide_sphere_box;
TnCollideFn tn_collide_capsule_capsule;  /* capsule.c */
TnCollideFn tn_collide_capsule_box;      /* capsule_box.c */
TnCollideFn tn_collide_capsule_cylinder; /* capsule_cylinder.c */
TnCollideFn tn_collide_box_box;          /* box_box.c */
TnCollideFn tn_collide_convex;           /* convex.c: any two convex shapes */
/* Whether tn_collide takes a pair to tn_collide_convex, whose points are never nearer than the
 * shapes. */
bool tn_collide_is_convex(TnGeomType a, TnGeomType b); /* collide.c */
/* Gap and normal of a capsule beside a cylinder, in closed form; false: it is nearest to a cap or a
 * rim, or deep inside. */
bool tn_gap_capsule_cylinder(const TnPlaced *capsule, const TnPlaced *cylinder, double *gap,
                             double n[3]);
/* Whether any convex pair is surely deeper in each other than `depth`, m. */
bool tn_convex_is_deeper(const TnPlaced *a, const TnPlaced *b, double depth);
/* The gap and direction of any convex pair, by GJK and EPA: exact, or where they are apart less by
 * up to `off`, m. */
void tn_convex_witness(const TnPlaced *a, const TnPlaced *b, double off, TnWitness *out);

#endif

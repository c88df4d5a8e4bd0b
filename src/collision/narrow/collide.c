/* collide.c: which routine handles which pair.
 *
 * Pairs are put in a canonical order first (by type, then by size, then by place), so that swapping
 * the arguments gives the same points, the opposite normal, and feature ids with their halves
 * exchanged. */
#include "../../math/vec3.h"
#include "narrow.h"

#define TYPE_COUNT (TN_GEOM_MESH + 1)

static TnCollideFn *of_sphere(TnGeomType other)
{
    switch (other) {
    case TN_GEOM_SPHERE:
        return tn_collide_sphere_sphere;
    case TN_GEOM_CAPSULE:
        return tn_collide_sphere_capsule;
    case TN_GEOM_CYLINDER:
        return tn_collide_sphere_cylinder;
    case TN_GEOM_BOX:
        return tn_collide_sphere_box;
    default:
        return tn_collide_convex;
    }
}

static TnCollideFn *of_capsule(TnGeomType other)
{
    switch (other) {
    case TN_GEOM_CAPSULE:
        return tn_collide_capsule_capsule;
    case TN_GEOM_CYLINDER:
        return tn_collide_capsule_cylinder;
    case TN_GEOM_BOX:
        return tn_collide_capsule_box;
    default:
        return tn_collide_convex;
    }
}

/* NULL: none. The types are in order. */
static TnCollideFn *routine(TnGeomType first, TnGeomType second)
{
    if (second <= TN_GEOM_HEIGHT_FIELD || first == TN_GEOM_HEIGHT_FIELD) return NULL;
    if (first == TN_GEOM_PLANE) return tn_collide_plane;
    if (first == TN_GEOM_SPHERE) return of_sphere(second);
    if (first == TN_GEOM_CAPSULE) return of_capsule(second);
    if (first == TN_GEOM_BOX && second == TN_GEOM_BOX) return tn_collide_box_box;
    return tn_collide_convex;
}

bool tn_collide_is_convex(TnGeomType a, TnGeomType b)
{
    return routine(a < b ? a : b, a < b ? b : a) == tn_collide_convex;
}

static int compare(const double *x, const double *y, int count)
{
    for (int i = 0; i < count; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool in_order(const TnShape *a, const TnTransform *ta, const TnShape *b,
                     const TnTransform *tb)
{
    if (a->type != b->type) return a->type < b->type;
    int order = a->type == TN_GEOM_MESH ? a->mesh_vertex_count - b->mesh_vertex_count
                                        : compare(a->size, b->size, 3);
    if (order == 0) order = compare(ta->pos, tb->pos, 3);
    if (order == 0) order = compare(ta->rot, tb->rot, 9);
    return order <= 0;
}

/* The same as seen from the other shape. */
static void swap_sides(TnManifold *m)
{
    for (int i = 0; i < 3; i++) m->normal[i] = -m->normal[i];
    for (int i = 0; i < m->count; i++)
        m->points[i].feature = m->points[i].feature << 16 | m->points[i].feature >> 16;
}

bool tn_collide(const TnShape *a, const TnTransform *ta, const TnShape *b, const TnTransform *tb,
                double margin, TnManifold *out)
{
    if (!a || !ta || !b || !tb || !out) return false;
    out->count = 0;
    v3_set(out->normal, 0.0, 0.0, 1.0);
    if ((unsigned)a->type >= TYPE_COUNT || (unsigned)b->type >= TYPE_COUNT) return false;
    bool keep = in_order(a, ta, b, tb);
    TnPlaced first = {keep ? a : b, keep ? ta : tb}, second = {keep ? b : a, keep ? tb : ta};
    TnCollideFn *fn = routine(first.shape->type, second.shape->type);
    if (!fn || !fn(&first, &second, margin, out)) return false;
    if (!keep) swap_sides(out);
    return true;
}

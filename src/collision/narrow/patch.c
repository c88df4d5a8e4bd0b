/* patch.c: the few points of a patch that bear what all of it bears.
 *
 * A body over a plane next touches it with the point that is lowest once it has tilted. So what a
 * patch does in a step is said by
 *
 *     h(τ) = max over its points of  τ · x - gap,      x: where a point is across the normal,
 *
 * over the tilts τ that the body can make. The lowest points for tilts to both ends of a line,
 * which turns with the body, are the first corners of a polygon. Beyond each of its sides the
 * lowest point is looked for in turn, and becomes a corner where without it more than a share of
 * the patch's width in h is missed, as in a quickhull. So a rectangle keeps four points, and a disc
 * eight.
 *
 * That is done for the largest tilt; and first for a small one where the former goes past points
 * that touch to others that do not yet. */
#include "../../base/rounding.h"
#include "../../math/vec3.h"
#include "narrow.h"

/* rad: what touches now. Corners of flat sides and of regular polygons in files are off by less. */
#define TOUCHES 1e-3
/* Of a patch's width along a direction, on either side: four points miss 0.15 of a disc, eight
 * 0.04, and four of a rectangle whose corners are as round as two thirds of its half width 0.1. A
 * point that is missed counts all the same once it is the deepest one. */
#define MISSED 0.1

/* Of π/4 + 0.1: well within one corner of a rectangle along the axes, and off the symmetry axes of
 * common shapes, where two corners would tie. */
static const double first[2] = {0x1.441620365052dp-1, 0x1.8c5fa097658e3p-1};

typedef struct Patch {
    TnPatchLowest *lowest;
    void *context;
    const TnPatchPoint *deepest;
    double level; /* m */
    TnPatchPoint kept[TN_MANIFOLD_MAX];
    int count;
} Patch;

/* The lowest points for tilts of one size, in the order of their directions. */
typedef struct Ring {
    double tilt;
    int line; /* it began along: 0: the line, 1: that across it, 2: another */
    TnPatchPoint at[TN_MANIFOLD_MAX];
    int count;
} Ring;

static double fall(const TnPatchPoint *p, const double tilt[2])
{
    return tilt[0] * p->x[0] + tilt[1] * p->x[1] - p->gap;
}

/* The lowest of some points; NULL: there is none. */
static const TnPatchPoint *lowest_of(const TnPatchPoint *points, int count, const double tilt[2])
{
    const TnPatchPoint *best = count ? points : NULL;
    for (int i = 1; i < count; i++)
        if (fall(&points[i], tilt) > fall(best, tilt)) best = &points[i];
    return best;
}

/* The lowest point for this tilt is missed by those that are kept. The middle of the body stays in
 * place: both sides together go down by the patch's width. */
static bool is_missed(const Patch *patch, const Ring *ring, const TnPatchPoint *p,
                      const double tilt[2])
{
    double back[2] = {-tilt[0], -tilt[1]}, own = fall(p, tilt);
    const TnPatchPoint *kept = lowest_of(patch->kept, patch->count, tilt);
    double missed = kept ? own - fall(kept, tilt) : INFINITY;
    if (!(missed > patch->level)) return false;
    double width =
        own + fall(lowest_of(ring->at, ring->count, back), back) + 2.0 * patch->deepest->gap;
    return missed > patch->level + MISSED * width;
}

static void keep(Patch *patch, const TnPatchPoint *p)
{
    if (patch->count == TN_MANIFOLD_MAX) patch->count--; /* the last one is missed least */
    patch->kept[patch->count++] = *p;
}

static TnPatchPoint look(const Patch *patch, const double tilt[2])
{
    TnPatchPoint p = *patch->deepest;
    patch->lowest(patch->context, tilt, &p);
    p.settled = false;
    return p;
}

/* The tilt to an end of the line, or of the one across it. */
static void end_of_line(const Ring *ring, bool across, bool back, double tilt[2])
{
    double size = back ? -ring->tilt : ring->tilt;
    tilt[0] = across ? -size * first[1] : size * first[0];
    tilt[1] = across ? size * first[0] : size * first[1];
}

/* The first two corners: the ends of the line; if they are one point those of the line across it,
 * and if that has one, too, of the line along which others are lower soonest. */
static void begin_ring(const Patch *patch, double most, const double easiest[2], Ring *ring)
{
    ring->tilt = most;
    for (ring->line = 0; ring->line < 3; ring->line++) {
        ring->count = 0;
        for (int end = 0; end < 2; end++) {
            double tilt[2], size = end ? -most : most;
            end_of_line(ring, ring->line == 1, end, tilt);
            for (int k = 0; k < 2 && ring->line == 2; k++) tilt[k] = size * easiest[k];
            ring->at[ring->count++] = look(patch, tilt);
        }
        if (ring->at[0].index != ring->at[1].index) return;
    }
    ring->count = 1;
}

/* The tilt out of the ring's side from i on for which both its ends are as low. False: it has no
 * length. */
static bool outward(const Ring *ring, int i, double tilt[2])
{
    const TnPatchPoint *a = &ring->at[i], *b = &ring->at[(i + 1) % ring->count];
    double d[2] = {b->x[0] - a->x[0], b->x[1] - a->x[1]};
    double length = sqrt(d[0] * d[0] + d[1] * d[1]), rise = b->gap - a->gap;
    if (!(length > 0.0)) return false;
    double along = fmax(-1.0, fmin(1.0, rise / (ring->tilt * length) + TOUCHES));
    double out = sqrt(1.0 - along * along);
    tilt[0] = ring->tilt * (out * d[1] + along * d[0]) / length;
    tilt[1] = ring->tilt * (along * d[1] - out * d[0]) / length;
    return true;
}

static void insert(Ring *ring, int i, const TnPatchPoint *p)
{
    for (int k = ring->count++; k > i; k--) ring->at[k] = ring->at[k - 1];
    ring->at[i] = *p;
}

/* Looks beyond a side; true: there was a point, and it is a corner now. */
static bool push_out(Patch *patch, Ring *ring, int i)
{
    double tilt[2];
    if (ring->at[i].settled || !outward(ring, i, tilt)) return false;
    TnPatchPoint p = look(patch, tilt);
    bool beyond = is_missed(patch, ring, &p, tilt);
    ring->at[i].settled = !beyond;
    if (!beyond) return false;
    insert(ring, i + 1, &p);
    keep(patch, &p);
    return true;
}

static bool has_room(const Patch *patch, const Ring *ring)
{
    return patch->count < TN_MANIFOLD_MAX && ring->count < TN_MANIFOLD_MAX;
}

/* The ring's first corners stay in any case: whether others are missed is asked along its sides.
 * Where one point is the lowest both before and after another, no side shows that one: the line
 * across may. */
static void keep_ring(Patch *patch, Ring *ring)
{
    for (int i = 0; i < ring->count; i++) {
        bool known = false;
        for (int k = 0; k < patch->count; k++) known |= patch->kept[k].index == ring->at[i].index;
        if (!known) keep(patch, &ring->at[i]);
    }
    for (bool more = ring->count > 1; more;) {
        more = false;
        for (int i = 0; i < ring->count && has_room(patch, ring); i++)
            if (push_out(patch, ring, i)) {
                more = true;
                i++; /* its other half in the next round */
            }
    }
    for (int end = 0; end < 2 && ring->line == 0 && patch->count < TN_MANIFOLD_MAX; end++) {
        double tilt[2];
        end_of_line(ring, true, end, tilt);
        TnPatchPoint p = look(patch, tilt);
        if (is_missed(patch, ring, &p, tilt)) keep(patch, &p);
    }
}

/* h is convex along a direction: a tilt in between misses no more by the outer point than that is
 * higher than the lowest one. What overlaps bears as well as what touches. */
static bool passes_what_touches(const Patch *patch, const Ring *outer)
{
    double open = fmax(patch->deepest->gap, 0.0) + patch->level;
    for (int k = 0; k < outer->count; k++)
        if (outer->at[k].gap > open) return true;
    return false;
}

double tn_patch_tilt(double margin, double extent)
{
    /* a body that closes the margin at its end tilts by this; more than 1 is as good as across */
    return fmin(fmax(TN_TIGHT, margin / extent), 1.0);
}

int tn_patch_choose(TnPatchLowest *lowest, void *context, const TnPatchPoint *deepest,
                    const double easiest[2], double margin, double extent,
                    int chosen[TN_MANIFOLD_MAX])
{
    Patch patch = {/* level: a depth as small is not looked at, as in tn_manifold_build */
                   .lowest = lowest,
                   .context = context,
                   .deepest = deepest,
                   .level = TN_SAME * extent};
    Ring outer, inner;
    begin_ring(&patch, tn_patch_tilt(margin, extent), easiest, &outer);
    if (passes_what_touches(&patch, &outer)) {
        begin_ring(&patch, TOUCHES, easiest, &inner);
        keep_ring(&patch, &inner);
    }
    keep_ring(&patch, &outer);
    const double none[2] = {0.0, 0.0};
    if (lowest_of(patch.kept, patch.count, none)->gap - deepest->gap > patch.level)
        keep(&patch, deepest);
    for (int i = 0; i < patch.count; i++) chosen[i] = patch.kept[i].index;
    return patch.count;
}

void tn_patch_axes(const double n[3], const double axes[9], double x[3], double y[3])
{
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double c[3], best[3];
        m3_column(c, axes, k);
        m3_column(best, axes, axis);
        if (fabs(v3_dot(c, n)) < fabs(v3_dot(best, n)) - 1e-3) axis = k;
    }
    m3_column(x, axes, axis);
    v3_add_scaled(x, n, -v3_dot(x, n));
    v3_normalize(x);
    v3_cross(y, n, x);
}

/* ---- of a list ---- */

typedef struct List {
    const TnManifoldPoint *points;
    int count;
    const double *x, *y;
    double tie; /* m: of points as low as this the first one is taken */
} List;

static void list_lowest(void *context, const double tilt[2], TnPatchPoint *out)
{
    List *list = context;
    double best = -INFINITY;
    for (int i = 0; i < list->count; i++) {
        const TnManifoldPoint *p = &list->points[i];
        double from[3];
        v3_sub(from, p->pos, list->points[0].pos);
        TnPatchPoint at = {{v3_dot(from, list->x), v3_dot(from, list->y)}, p->gap, i, false};
        double own = fall(&at, tilt);
        if (!(own > best + list->tie)) continue;
        best = own;
        *out = at;
    }
}

static void list_easiest(const List *list, const TnPatchPoint *deepest, double easiest[2])
{
    double best = INFINITY;
    easiest[0] = easiest[1] = 0.0;
    for (int i = 0; i < list->count; i++) {
        const TnManifoldPoint *p = &list->points[i];
        double from[3];
        v3_sub(from, p->pos, list->points[deepest->index].pos);
        double d[2] = {v3_dot(from, list->x), v3_dot(from, list->y)};
        double length = sqrt(d[0] * d[0] + d[1] * d[1]), rise = p->gap - deepest->gap;
        if (!(rise < best * length)) continue;
        best = rise / length;
        for (int k = 0; k < 2; k++) easiest[k] = d[k] / length;
    }
}

void tn_manifold_reduce(const TnManifoldPoint *points, int count, const double n[3],
                        const double axes[9], double margin, double extent, TnManifold *out)
{
    double x[3], y[3], none[2] = {0.0, 0.0};
    int chosen[TN_MANIFOLD_MAX];
    if (count > 4) { /* what a face of a box has; fewer are not worth a look */
        tn_patch_axes(n, axes, x, y);
        List list = {points, count, x, y, 1e-3 * TN_SAME * TOUCHES * extent};
        TnPatchPoint deepest = {.index = 0};
        list_lowest(&list, none, &deepest);
        double easiest[2];
        list_easiest(&list, &deepest, easiest);
        count = tn_patch_choose(list_lowest, &list, &deepest, easiest, margin, extent, chosen);
        for (int i = 0; i < count; i++) out->points[i] = points[chosen[i]];
    } else if (count > 0) {
        memcpy(out->points, points, sizeof points[0] * (size_t)count);
    }
    out->count = count;
}

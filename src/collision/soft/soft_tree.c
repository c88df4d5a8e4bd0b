/* soft_tree.c: a tree of boxes over the triangles of a surface.
 *
 * Built once on the rest shape by halving: neighbours at rest stay neighbours, whatever the body
 * does, so each step only fits the boxes anew, from the leaves up. A box holds its
 * nodes with radius, half the slack and margin; grown by t · speed as well, as for rigid geoms
 * (bounds.c), things whose boxes do not meet are not listed. */
#include "../../math/vec3.h"
#include "soft_surface.h"

int tn_soft_tree_size(int triangle_count)
{
    /* halving leaves at least half a leaf's worth in each, and there are fewer inner boxes */
    return 4 * (triangle_count / TN_SOFT_LEAF) + 2;
}

/* Puts the `left` lowest of ids[begin, end) along an axis first, ties by id (quickselect). */
static void split(int32_t *ids, const double (*middle)[3], int axis, int begin, int end, int left)
{
    while (end - begin > 1) {
        int32_t pivot = ids[begin + (end - begin) / 2];
        double at = middle[pivot][axis];
        int low = begin, high = end - 1;
        while (low <= high) {
            while (middle[ids[low]][axis] < at ||
                   (middle[ids[low]][axis] == at && ids[low] < pivot))
                low++;
            while (middle[ids[high]][axis] > at ||
                   (middle[ids[high]][axis] == at && ids[high] > pivot))
                high--;
            if (low > high) break;
            int32_t swap = ids[low];
            ids[low++] = ids[high];
            ids[high--] = swap;
        }
        if (left <= high)
            end = high + 1;
        else if (left >= low)
            begin = low;
        else
            return;
    }
}

static void build(TnSoftSurface *s, const double (*middle)[3], int first, int count)
{
    int index = s->box_count++;
    s->boxes[index].first = first;
    s->boxes[index].count = count;
    s->boxes[index].second = 0;
    if (count <= TN_SOFT_LEAF) return;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], middle[s->triangle_ids[i]][k]);
            high[k] = fmax(high[k], middle[s->triangle_ids[i]][k]);
        }
    int axis = 0, half = count / 2;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    split(s->triangle_ids, middle, axis, first, first + count, first + half);
    build(s, middle, first, half);
    s->boxes[index].second = s->box_count;
    build(s, middle, first + half, count - half);
}

void tn_soft_tree_build(TnSoftSurface *s, const double (*middle)[3])
{
    for (int i = 0; i < s->triangle_count; i++) s->triangle_ids[i] = i;
    s->box_count = 0;
    if (s->triangle_count > 0) build(s, middle, 0, s->triangle_count);
}

static inline double lower(double a, double b) { return a < b ? a : b; }
static inline double higher(double a, double b) { return a > b ? a : b; }

void tn_soft_tree_refit(TnSoftSurface *s)
{
    for (int i = s->box_count; i-- > 0;) { /* children come after their parent */
        TnSoftBox *box = &s->boxes[i];
        if (box->second) {
            const TnSoftBox *a = &s->boxes[i + 1], *b = &s->boxes[box->second];
            for (int k = 0; k < 3; k++) {
                box->low[k] = lower(a->low[k], b->low[k]);
                box->high[k] = higher(a->high[k], b->high[k]);
            }
            box->sweep = higher(a->sweep, b->sweep);
            continue;
        }
        tn_soft_triangle_box(s, box->first, box->low, box->high);
        box->sweep = tn_soft_triangle_sweep(s, box->first);
        for (int j = 1; j < box->count; j++) {
            double low[3], high[3];
            tn_soft_triangle_box(s, box->first + j, low, high);
            box->sweep = higher(box->sweep, tn_soft_triangle_sweep(s, box->first + j));
            for (int k = 0; k < 3; k++) {
                box->low[k] = lower(box->low[k], low[k]);
                box->high[k] = higher(box->high[k], high[k]);
            }
        }
    }
}

int tn_soft_tree_near_box(TnSoftSurface *s, const double low[3], const double high[3])
{
    int stack[TN_SOFT_DEPTH], depth = 0, found = 0;
    if (s->box_count == 0) return 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int index = stack[--depth];
        const TnSoftBox *box = &s->boxes[index];
        if (!tn_soft_boxes_meet(box->low, box->high, low, high, box->sweep)) continue;
        if (box->second) {
            stack[depth++] = box->second;
            stack[depth++] = index + 1;
            continue;
        }
        for (int i = box->first; i < box->first + box->count; i++) {
            double a[3], b[3];
            tn_soft_triangle_box(s, i, a, b);
            s->found[found] = i;
            found += tn_soft_boxes_meet(a, b, low, high, tn_soft_triangle_sweep(s, i));
        }
    }
    return found;
}

/* n · x at the lowest place of a box. */
static inline double lowest(const double low[3], const double high[3], const double n[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += lower(n[k] * low[k], n[k] * high[k]);
    return sum;
}

int tn_soft_tree_near_plane(TnSoftSurface *s, const double n[3], double height)
{
    int stack[TN_SOFT_DEPTH], depth = 0, found = 0;
    if (s->box_count == 0) return 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int index = stack[--depth];
        const TnSoftBox *box = &s->boxes[index];
        if (lowest(box->low, box->high, n) - box->sweep > height) continue;
        if (box->second) {
            stack[depth++] = box->second;
            stack[depth++] = index + 1;
            continue;
        }
        for (int i = box->first; i < box->first + box->count; i++) s->found[found++] = i;
    }
    return found;
}

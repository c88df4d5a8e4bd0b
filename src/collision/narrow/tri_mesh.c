/* tri_mesh.c: prepares a mesh that collides as its triangles: equal corners become one vertex,
 * triangles are sorted into a tree of boxes (halved at the median along the longest side), and
 * neighbours are found by sorting edges. */
#include "tri_mesh.h"

#include "../../base/base.h"
#include "../../base/rounding.h"
#include "../../math/vec3.h"

#include <stdlib.h>

#define LEAF 4

/* ---- vertices ---- */

typedef struct Placed {
    double p[3];
    int32_t index;
} Placed;

static int by_place(const void *x, const void *y)
{
    const Placed *a = x, *b = y;
    for (int k = 0; k < 3; k++)
        if (a->p[k] != b->p[k]) return a->p[k] < b->p[k] ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Vertices at different places, about the centre; `of`: which one each of the mesh's is. */
static bool weld(const TnMesh *from, TnTriMesh *mesh, int32_t *of)
{
    size_t n = (size_t)from->vertex_count;
    Placed *sorted = tn_malloc(sizeof *sorted * (n + 1));
    mesh->points = tn_malloc(sizeof *mesh->points * (n + 1));
    if (!sorted || !mesh->points) {
        tn_free(sorted);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            sorted[i].p[k] = from->vertices[3 * i + (size_t)k] - from->hull.center[k] + 0.0;
        sorted[i].index = (int32_t)i;
    }
    qsort(sorted, n, sizeof *sorted, by_place);
    for (size_t i = 0; i < n; i++) {
        bool same = i > 0;
        for (int k = 0; k < 3 && same; k++) same = sorted[i].p[k] == sorted[i - 1].p[k];
        if (!same) v3_copy(mesh->points[mesh->vertex_count++], sorted[i].p);
        of[sorted[i].index] = mesh->vertex_count - 1;
    }
    tn_free(sorted);
    return true;
}

/* ---- triangles ---- */

static bool set_triangle(TnTriMesh *mesh, const int32_t *of, const int32_t *corners)
{
    TnTriangle *t = &mesh->triangles[mesh->triangle_count];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        t->vertex[k] = of[corners[k]];
        t->across[k] = -1;
    }
    v3_sub(u, tn_tri_corner(mesh, t, 1), tn_tri_corner(mesh, t, 0));
    v3_sub(v, tn_tri_corner(mesh, t, 2), tn_tri_corner(mesh, t, 0));
    v3_cross(t->normal, u, v);
    double size = v3_norm(t->normal);
    if (!(size > 0.0)) return false; /* without area: its neighbours touch what it would */
    v3_scale(t->normal, t->normal, 1.0 / size);
    t->ridges = 0;
    mesh->triangle_count++;
    return true;
}

static bool add_triangles(const TnMesh *from, TnTriMesh *mesh)
{
    int32_t *of = tn_malloc(sizeof *of * ((size_t)from->vertex_count + 1));
    mesh->triangles = tn_malloc(sizeof *mesh->triangles * ((size_t)from->triangle_count + 1));
    bool good = of && mesh->triangles && weld(from, mesh, of);
    for (int i = 0; good && i < from->triangle_count; i++)
        set_triangle(mesh, of, from->triangles + 3 * (size_t)i);
    tn_free(of);
    return good;
}

/* ---- tree ---- */

static double middle(const TnTriMesh *mesh, const TnTriangle *t, int axis)
{
    return tn_tri_corner(mesh, t, 0)[axis] + tn_tri_corner(mesh, t, 1)[axis] +
           tn_tri_corner(mesh, t, 2)[axis];
}

/* Moves the lower half along an axis to the front. */
static void halve(const TnTriMesh *mesh, TnTriangle *t, int count, int axis)
{
    int low = 0, high = count - 1, half = count / 2;
    while (low < high) {
        double pivot = middle(mesh, &t[(low + high) / 2], axis);
        int i = low, j = high;
        while (i <= j) {
            while (middle(mesh, &t[i], axis) < pivot) i++;
            while (middle(mesh, &t[j], axis) > pivot) j--;
            if (i > j) break;
            TnTriangle swap = t[i];
            t[i++] = t[j];
            t[j--] = swap;
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            return;
    }
}

static void bound(const TnTriMesh *mesh, const TnTriangle *t, int count, TnTriNode *node)
{
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++)
            for (int c = 0; c < 3; c++) {
                double x = tn_tri_corner(mesh, &t[i], c)[k];
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
        node->low[k] = nextafterf((float)low, -INFINITY);
        node->high[k] = nextafterf((float)high, INFINITY);
    }
}

/* The depth is the logarithm of the count, since halves are equal. */
static int32_t build_tree(TnTriMesh *mesh, int first, int count)
{
    int32_t index = mesh->node_count++;
    TnTriNode *node = &mesh->nodes[index];
    bound(mesh, mesh->triangles + first, count, node);
    node->first = first;
    node->count = count;
    if (count <= LEAF) return index;
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
    halve(mesh, mesh->triangles + first, count, axis);
    node->count = 0;
    build_tree(mesh, first, count / 2);
    node->first = build_tree(mesh, first + count / 2, count - count / 2);
    return index;
}

/* ---- neighbours ---- */

typedef struct Edge {
    int32_t low, high, triangle, side;
} Edge;

static int by_ends(const void *x, const void *y)
{
    const Edge *a = x, *b = y;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
    return a->side - b->side;
}

static bool sort_edges(const TnTriMesh *mesh, Edge **out)
{
    size_t count = 0;
    Edge *edges = tn_malloc(sizeof *edges * (3 * (size_t)mesh->triangle_count + 1));
    *out = edges;
    if (!edges) return false;
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t a = mesh->triangles[i].vertex[k], b = mesh->triangles[i].vertex[(k + 1) % 3];
            edges[count++] = (Edge){a < b ? a : b, a < b ? b : a, i, k};
        }
    qsort(edges, count, sizeof *edges, by_ends);
    return true;
}

static bool same_ends(const Edge *a, const Edge *b)
{
    return a->low == b->low && a->high == b->high;
}

/* An edge of two triangles joins them; of more, the first two. */
static void join(TnTriMesh *mesh, const Edge *edges)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    for (size_t i = 0; i + 1 < count; i++) {
        const Edge *a = &edges[i], *b = &edges[i + 1];
        if (!same_ends(a, b) || (i > 0 && same_ends(&edges[i - 1], a))) continue;
        mesh->triangles[a->triangle].across[a->side] = b->triangle;
        mesh->triangles[b->triangle].across[b->side] = a->triangle;
    }
}

/* Two faces meet in a ridge if the far corner of the one is below the other. */
static bool is_ridge(const TnTriMesh *mesh, const TnTriangle *t, int side)
{
    if (t->across[side] < 0) return true;
    const TnTriangle *other = &mesh->triangles[t->across[side]];
    double along[3], turn[3];
    v3_sub(along, tn_tri_corner(mesh, t, (side + 1) % 3), tn_tri_corner(mesh, t, side));
    v3_cross(turn, t->normal, other->normal);
    /* where it does not stand out, a body across the edge touches both faces' corners within the
     * tolerance of a step */
    return v3_dot(turn, along) > TN_SAME * v3_norm(along);
}

static bool list_edges(TnTriMesh *mesh, const Edge *edges)
{
    size_t count = 3 * (size_t)mesh->triangle_count, n = (size_t)mesh->vertex_count;
    mesh->edge_start = tn_calloc(n + 2, sizeof *mesh->edge_start);
    mesh->edges = tn_malloc(sizeof *mesh->edges * (2 * count + 1));
    if (!mesh->edge_start || !mesh->edges) return false;
    int32_t *start = mesh->edge_start + 1; /* shifted while they are filled */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            if (i > 0 && same_ends(&edges[i - 1], &edges[i])) continue;
            int32_t ends[2] = {edges[i].low, edges[i].high};
            for (int k = 0; k < 2; k++) {
                if (pass)
                    mesh->edges[start[ends[k]]++] = ends[1 - k];
                else if ((size_t)ends[k] + 1 < n)
                    start[ends[k] + 1]++;
            }
        }
        for (size_t v = 1; v < n && !pass; v++) start[v] += start[v - 1];
    }
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            TnTriangle *t = &mesh->triangles[i];
            bool own = t->across[k] < 0 || t->across[k] > i;
            if (own && is_ridge(mesh, t, k)) t->ridges |= (uint8_t)(1u << k);
        }
    return true;
}

TnTriMesh *tn_tri_mesh_create(const TnMesh *from)
{
    TnTriMesh *mesh = tn_calloc(1, sizeof *mesh);
    Edge *edges = NULL;
    if (mesh) mesh->users = 1;
    bool good = mesh && add_triangles(from, mesh);
    if (good) {
        mesh->nodes = tn_malloc(sizeof *mesh->nodes * (2 * (size_t)mesh->triangle_count + 1));
        good = mesh->nodes != NULL;
    }
    if (good && mesh->triangle_count) build_tree(mesh, 0, mesh->triangle_count);
    good = good && sort_edges(mesh, &edges);
    if (good) join(mesh, edges);
    good = good && list_edges(mesh, edges);
    tn_free(edges);
    if (good) return mesh;
    tn_tri_mesh_destroy(mesh);
    return NULL;
}

TnTriMesh *tn_tri_mesh_share(TnTriMesh *mesh)
{
    mesh->users++;
    return mesh;
}

void tn_tri_mesh_destroy(TnTriMesh *mesh)
{
    if (!mesh || --mesh->users > 0) return;
    tn_free(mesh->triangles);
    tn_free(mesh->nodes);
    tn_free(mesh->edge_start);
    tn_free(mesh->edges);
    tn_free(mesh->points);
    tn_free(mesh);
}

/* tet_check.c: whether a tetrahedral mesh can be simulated.
 *
 * First each element alone (numbers, nodes, volume), then, when every element is sound, how they
 * meet: elements with the same nodes, faces in more than two elements, edges of the surface with
 * other than two triangles, nodes without elements. Each kind of trouble is one message that counts
 * the elements and names the first few, from 0 as in TnTetMesh.
 *
 * An element is flat when 6 V <= 1e-12 L³ (L its longest edge): rounding alone, in coordinates a
 * thousand times the element's size from the origin, reaches about 1e-13. */
#include "tet_mesh.h"

#include "../../base/base.h"
#include "../../base/rounding.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMED 8 /* elements in a message */

/* Elements or nodes with the same trouble. */
typedef struct Found {
    int count;
    int32_t first[NAMED];
} Found;

static void find(Found *found, int32_t index)
{
    if (found->count < NAMED) found->first[found->count] = index;
    if (found->count < INT_MAX) found->count++;
}

typedef struct Check {
    TnTetMesh *mesh;
    const char *name;
    TnError *err;
    bool good;
} Check;

static void complain(Check *c, const Found *found, const char *what, const char *help)
{
    if (!found->count) return;
    char list[16 * NAMED] = "";
    int used = 0;
    for (int i = 0; i < found->count && i < NAMED; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%d", i ? ", " : "",
                         (int)found->first[i]);
    tn_error_add(c->err, TN_ERROR_MODEL, "%.400s: %s (%d in all, from 0): %s%s; %s", c->name, what,
                 found->count, list, found->count > NAMED ? ", ..." : "", help);
    c->good = false;
}

static bool no_memory(Check *c)
{
    tn_error_add(c->err, TN_ERROR_MEMORY, "%.400s: no memory to check the mesh", c->name);
    return c->good = false;
}

/* ---- elements alone ---- */

static void check_numbers(Check *c)
{
    const TnTetMesh *mesh = c->mesh;
    Found infinite = {0}, outside = {0}, twice = {0};
    for (int32_t i = 0; i < mesh->node_count; i++) {
        const double *x = mesh->nodes + 3 * (size_t)i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) find(&infinite, i);
    }
    for (int32_t i = 0; i < mesh->tet_count; i++) {
        const int32_t *n = mesh->tets + 4 * (size_t)i;
        bool is_outside = false, is_twice = false;
        for (int k = 0; k < 4; k++) {
            is_outside |= n[k] < 0 || n[k] >= mesh->node_count;
            for (int j = 0; j < k; j++) is_twice |= n[j] == n[k];
        }
        if (is_outside) find(&outside, i);
        if (is_twice) find(&twice, i);
    }
    complain(c, &infinite, "nodes that are not finite", "correct their coordinates");
    complain(c, &outside, "elements with nodes that do not exist",
             "a node's number must be below node_count");
    complain(c, &twice, "elements with a repeated node", "remove them");
}

static void check_volumes(Check *c)
{
    TnTetMesh *mesh = c->mesh;
    Found flat = {0}, inverted = {0}, upright = {0};
    for (int32_t i = 0; i < mesh->tet_count; i++) {
        double shape = tn_tet_shape(mesh, i);
        find(!(fabs(shape) > TN_ROUND_OFF) ? &flat : shape < 0 ? &inverted : &upright, i);
    }
    complain(c, &flat, "elements without volume", "mesh the body again or remove them");
    if (inverted.count && upright.count) {
        bool fewer = inverted.count <= upright.count;
        complain(c, fewer ? &inverted : &upright,
                 fewer ? "elements of negative volume among others of positive"
                       : "elements of positive volume among others of negative",
                 "they are inverted, or their nodes have another order: swap two nodes of each or "
                 "mesh the body again");
    } else if (inverted.count && c->good) {
        /* The whole file numbers its nodes the other way round: no doubt about what is meant. */
        for (size_t i = 0; i < (size_t)mesh->tet_count; i++) {
            int32_t swap = mesh->tets[4 * i + 2];
            mesh->tets[4 * i + 2] = mesh->tets[4 * i + 3];
            mesh->tets[4 * i + 3] = swap;
        }
    }
}

/* ---- how they meet ---- */

/* Elements with the same four nodes share all faces: they are found at the face opposite to the
 * node with the highest number, by that node. */
static int32_t highest(const TnTetMesh *mesh, int32_t tet)
{
    const int32_t *n = mesh->tets + 4 * (size_t)tet;
    int32_t high = n[0];
    for (int k = 1; k < 4; k++) high = n[k] > high ? n[k] : high;
    return high;
}

static int compare_numbers(const void *first, const void *second)
{
    int32_t a = *(const int32_t *)first, b = *(const int32_t *)second;
    return (a > b) - (a < b);
}

/* Names an element once, however many of its faces are in trouble. */
static void find_all(Found *found, int32_t *tets, size_t count)
{
    qsort(tets, count, sizeof *tets, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || tets[i] != tets[i - 1]) find(found, tets[i]);
}

/* Walks the groups of equal sides. `list` has room for as many elements as there are sides. */
static void check_faces(Check *c, const TnTetSide *sides, size_t count, int32_t *list)
{
    const TnTetMesh *mesh = c->mesh;
    size_t doubled = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        /* Where a third element has the face too, copies may lie apart; it is crowded then. */
        const TnTetSide *a = &sides[i], *b = &sides[i + 1];
        if (!tn_tet_sides_equal(a, b)) continue;
        if (mesh->tets[4 * (size_t)a->tet + (size_t)a->face] == highest(mesh, a->tet) &&
            highest(mesh, a->tet) == mesh->tets[4 * (size_t)b->tet + (size_t)b->face])
            list[doubled++] = b->tet;
    }
    Found copies = {0}, crowded = {0};
    find_all(&copies, list, doubled);
    complain(c, &copies, "elements that repeat the nodes of another", "remove the copies");
    if (doubled) return; /* their faces would be named again */
    size_t many = 0;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && tn_tet_sides_equal(&sides[i], &sides[next]);) next++;
        for (size_t k = i; next - i > 2 && k < next; k++) list[many++] = sides[k].tet;
    }
    find_all(&crowded, list, many);
    complain(c, &crowded, "elements with a face that more than two elements share",
             "remove overlapping elements");
}

/* Three edges for each face that comes once, sorted in the same way as the faces. */
static bool check_edges(Check *c, const TnTetSide *sides, size_t count, int32_t *list)
{
    size_t outer = 0, edge_count = 0, many = 0;
    for (size_t i = 0; i < count; i++) {
        bool before = i > 0 && tn_tet_sides_equal(&sides[i - 1], &sides[i]);
        bool after = i + 1 < count && tn_tet_sides_equal(&sides[i], &sides[i + 1]);
        outer += !before && !after;
    }
    TnTetSide *edges = tn_calloc(3 * outer, sizeof *edges);
    if (!edges) return no_memory(c);
    for (size_t i = 0; i < count; i++) {
        bool before = i > 0 && tn_tet_sides_equal(&sides[i - 1], &sides[i]);
        bool after = i + 1 < count && tn_tet_sides_equal(&sides[i], &sides[i + 1]);
        if (before || after) continue;
        for (int k = 0; k < 3; k++) { /* ascending, as the nodes are */
            TnTetSide *edge = &edges[edge_count++];
            *edge = sides[i];
            edge->nodes[0] = sides[i].nodes[k == 2];
            edge->nodes[1] = sides[i].nodes[k == 0 ? 1 : 2];
            edge->nodes[2] = -1;
        }
    }
    tn_tet_sides_sort(edges, edge_count);
    for (size_t i = 0, next; i < edge_count; i = next) {
        for (next = i + 1; next < edge_count && tn_tet_sides_equal(&edges[i], &edges[next]);)
            next++;
        /* The list has room for 4 per element; one edge may bring an element twice. */
        for (size_t k = i; next - i != 2 && k < next; k++)
            if (many < count && (k == i || edges[k].tet != edges[k - 1].tet))
                list[many++] = edges[k].tet;
    }
    tn_free(edges);
    Found open = {0};
    find_all(&open, list, many);
    complain(c, &open,
             "elements at an edge of the surface that has other than two surface triangles",
             "the body touches itself along the edge: separate or join the parts there");
    return true;
}

static bool check_meeting(Check *c)
{
    const TnTetMesh *mesh = c->mesh;
    size_t count = 4 * (size_t)mesh->tet_count;
    TnTetSide *sides = tn_tet_sides(mesh);
    int32_t *list = tn_calloc(count, sizeof *list);
    bool *used = tn_calloc((size_t)mesh->node_count, sizeof *used);
    bool got = sides && list && used;
    if (got) {
        check_faces(c, sides, count, list);
        if (c->good) check_edges(c, sides, count, list);
        Found dangling = {0};
        for (size_t i = 0; i < count; i++) used[mesh->tets[i]] = true;
        for (int32_t i = 0; i < mesh->node_count; i++)
            if (!used[i]) find(&dangling, i);
        complain(c, &dangling, "nodes without elements", "remove them: they have no mass");
    } else {
        no_memory(c);
    }
    tn_free(sides);
    tn_free(list);
    tn_free(used);
    return got;
}

bool tn_tet_mesh_check(TnTetMesh *mesh, const char *name, TnError *err)
{
    if (!mesh) {
        tn_error_add(err, TN_ERROR_USAGE, "a mesh must be given");
        return false;
    }
    Check c = {.mesh = mesh, .name = name ? name : "tetrahedral mesh", .err = err, .good = true};
    if (mesh->node_count < 1 || mesh->tet_count < 1 || !mesh->nodes || !mesh->tets) {
        tn_error_add(err, TN_ERROR_MODEL,
                     "%.400s: %d nodes and %d tetrahedra; at least one tetrahedron is needed",
                     c.name, mesh->node_count, mesh->tet_count);
        return false;
    }
    check_numbers(&c);
    if (c.good) check_volumes(&c);
    if (c.good) check_meeting(&c);
    return c.good;
}

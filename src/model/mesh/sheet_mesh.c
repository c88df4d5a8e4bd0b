/* sheet_mesh.c: meshes of sheets: a generator, the check, neighbours of triangles.
 *
 * A triangle counts as flat when twice its area is at most 1e-12 of its longest edge squared, as
 * tet_check.c has it for elements. */
#include "sheet_mesh.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "../../base/base.h"
#include "../../base/rounding.h"
#include "../../math/vec3.h"

bool tn_sheet_mesh_rectangle(const double half[2], const int cells[2], TnTetMesh *out, TnError *err)
{
    if (!half || !cells || !out) {
        tn_error_add(err, TN_ERROR_USAGE, "half, cells and out must be given");
        return false;
    }
    *out = (TnTetMesh){0};
    bool good = half[0] > 0.0 && half[1] > 0.0 && isfinite(half[0]) && isfinite(half[1]) &&
                cells[0] >= 1 && cells[1] >= 1 &&
                2.0 * cells[0] * cells[1] + cells[0] + cells[1] < 0.1 * INT_MAX;
    if (!good) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "sheet: half lengths must be positive (%g, %g) and cells 1 or more (%d, %d)",
                     half[0], half[1], cells[0], cells[1]);
        return false;
    }
    size_t rows = (size_t)cells[0] + 1, columns = (size_t)cells[1] + 1;
    out->nodes = tn_malloc(3 * rows * columns * sizeof *out->nodes);
    out->tets = tn_malloc(8 * (rows - 1) * (columns - 1) * sizeof *out->tets);
    if (!out->nodes || !out->tets) {
        tn_tet_mesh_free(out);
        tn_error_add(err, TN_ERROR_MEMORY, "sheet: no memory");
        return false;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double *x = out->nodes + 3 * (i * columns + j);
            x[0] = half[0] * (2.0 * (double)i / cells[0] - 1.0);
            x[1] = half[1] * (2.0 * (double)j / cells[1] - 1.0);
            x[2] = 0.0;
        }
    for (size_t i = 0; i + 1 < rows; i++)
        for (size_t j = 0; j + 1 < columns; j++) {
            int32_t a = (int32_t)(i * columns + j), b = a + (int32_t)columns;
            const int32_t two[8] = {a, b, b + 1, b + 1, a, b + 1, a + 1, a + 1};
            for (int k = 0; k < 8; k++) out->tets[4 * (size_t)out->tet_count + (size_t)k] = two[k];
            out->tet_count += 2;
        }
    out->node_count = (int)(rows * columns);
    return true;
}

static void edges_of(const TnTetMesh *mesh, int e, double u[3], double v[3], double n[3])
{
    const int32_t *t = mesh->tets + 4 * (size_t)e;
    v3_sub(u, mesh->nodes + 3 * (size_t)t[1], mesh->nodes + 3 * (size_t)t[0]);
    v3_sub(v, mesh->nodes + 3 * (size_t)t[2], mesh->nodes + 3 * (size_t)t[0]);
    v3_cross(n, u, v);
}

double tn_sheet_mesh_area(const TnTetMesh *mesh)
{
    if (!mesh) return 0.0;
    double sum = 0.0, u[3], v[3], n[3];
    for (int e = 0; e < mesh->tet_count; e++) {
        edges_of(mesh, e, u, v, n);
        sum += 0.5 * v3_norm(n);
    }
    return sum;
}

/* ---- edges ---- */

typedef struct Side {
    int32_t low, high, element, side;
} Side;

static int compare_sides(const void *x, const void *y)
{
    const Side *a = x, *b = y;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->element < b->element ? -1 : a->element > b->element;
}

static Side *sides_of(const TnTetMesh *mesh)
{
    size_t count = 3 * (size_t)mesh->tet_count;
    Side *sides = tn_malloc((count + 1) * sizeof *sides);
    for (size_t i = 0; sides && i < count; i++) {
        const int32_t *t = mesh->tets + 4 * (i / 3);
        int32_t a = t[i % 3], b = t[(i + 1) % 3];
        sides[i] = (Side){a < b ? a : b, a < b ? b : a, (int32_t)(i / 3), (int32_t)(i % 3)};
    }
    if (sides) qsort(sides, count, sizeof *sides, compare_sides);
    return sides;
}

static bool same(const Side *a, const Side *b) { return a->low == b->low && a->high == b->high; }

bool tn_sheet_across(const TnTetMesh *mesh, int32_t *across)
{
    int count = 3 * mesh->tet_count;
    Side *sides = sides_of(mesh);
    if (!sides) return false;
    for (int i = 0; i < count; i++) {
        const Side *s = &sides[i], *other = NULL;
        if (i > 0 && same(s, s - 1)) other = s - 1;
        if (i + 1 < count && same(s, s + 1)) other = s + 1;
        across[3 * (size_t)s->element + (size_t)s->side] =
            other ? mesh->tets[4 * (size_t)other->element + (size_t)((other->side + 2) % 3)] : -1;
    }
    tn_free(sides);
    return true;
}

/* ---- the check ---- */

typedef struct Check {
    const TnTetMesh *mesh;
    const char *name;
    TnError *err;
    bool good;
} Check;

/* One message per kind of trouble. */
static void complain(Check *c, int count, int first, const char *what, const char *help)
{
    if (!count) return;
    tn_error_add(c->err, TN_ERROR_MODEL, "%.400s: %s (%d in all, the first is %d, from 0); %s",
                 c->name, what, count, first, help);
    c->good = false;
}

static void note(int *count, int *first, int index)
{
    if ((*count)++ == 0) *first = index;
}

static bool is_repeated(const int32_t *t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

/* Corners in range, distinct, and the fourth repeated. */
static void check_corners(Check *c)
{
    int bad = 0, first_bad = 0, repeated = 0, first_repeated = 0, solid = 0, first_solid = 0;
    for (int e = 0; e < c->mesh->tet_count; e++) {
        const int32_t *t = c->mesh->tets + 4 * (size_t)e;
        bool inside = true;
        for (int k = 0; k < 4; k++) inside = inside && t[k] >= 0 && t[k] < c->mesh->node_count;
        if (!inside)
            note(&bad, &first_bad, e);
        else if (is_repeated(t))
            note(&repeated, &first_repeated, e);
        else if (t[3] != t[2])
            note(&solid, &first_solid, e);
    }
    complain(c, bad, first_bad, "triangles name nodes that do not exist", "nodes count from 0");
    complain(c, repeated, first_repeated, "triangles have the same node twice", "remove them");
    complain(c, solid, first_solid, "elements of a sheet have four nodes",
             "a triangle repeats its third node as the fourth");
}

static void check_shapes(Check *c)
{
    int flat = 0, first = 0;
    for (int e = 0; e < c->mesh->tet_count; e++) {
        double u[3], v[3], n[3];
        edges_of(c->mesh, e, u, v, n);
        double size = fmax(v3_dot(u, u), v3_dot(v, v));
        if (!(v3_norm(n) > TN_ROUND_OFF * size)) note(&flat, &first, e); /* NaN counts */
    }
    complain(c, flat, first, "triangles without area, or with coordinates that are not finite",
             "remove or merge them");
}

static bool check_meeting(Check *c)
{
    int crowded = 0, first_crowded = 0, twice = 0, first_twice = 0, alone = 0, first_alone = 0;
    int count = 3 * c->mesh->tet_count;
    Side *sides = sides_of(c->mesh);
    bool *used = tn_calloc((size_t)c->mesh->node_count + 1, sizeof *used);
    bool memory = sides && used;
    for (int i = 0; memory && i < count; i++) {
        const Side *s = &sides[i];
        used[s->low] = used[s->high] = true;
        if (i >= 2 && same(s, s - 1) && same(s, s - 2)) note(&crowded, &first_crowded, s->element);
        if (i < 1 || !same(s, s - 1)) continue;
        const int32_t *a = c->mesh->tets + 4 * (size_t)s->element,
                      *b = c->mesh->tets + 4 * (size_t)s[-1].element;
        if (a[(s->side + 2) % 3] == b[(s[-1].side + 2) % 3]) note(&twice, &first_twice, s->element);
    }
    for (int i = 0; memory && i < c->mesh->node_count; i++)
        if (!used[i]) note(&alone, &first_alone, i);
    complain(c, twice, first_twice, "triangles with the same nodes", "remove one of them");
    if (!twice)
        complain(c, crowded, first_crowded, "edges with more than two triangles",
                 "a sheet has at most two triangles at an edge");
    complain(c, alone, first_alone, "nodes without triangles", "remove them");
    tn_free(sides);
    tn_free(used);
    return memory;
}

bool tn_sheet_mesh_check(const TnTetMesh *mesh, const char *name, TnError *err)
{
    if (!mesh) {
        tn_error_add(err, TN_ERROR_USAGE, "a mesh must be given");
        return false;
    }
    Check c = {mesh, name ? name : "sheet", err, true};
    if (mesh->tet_count < 1 || mesh->node_count < 3 || !mesh->nodes || !mesh->tets) {
        tn_error_add(err, TN_ERROR_MODEL, "%.400s: no triangles", c.name);
        return false;
    }
    check_corners(&c);
    if (!c.good) return false;
    check_shapes(&c);
    if (!check_meeting(&c)) {
        tn_error_add(err, TN_ERROR_MEMORY, "%.400s: no memory to check the mesh", c.name);
        return false;
    }
    return c.good;
}

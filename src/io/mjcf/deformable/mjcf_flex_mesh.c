/* mjcf_flex_mesh.c: elements of MuJoCo's <flexcomp> shapes, with MuJoCo's numbering of nodes, so
 * that pins of a file mean the same nodes.
 *
 * grid: count[0] × count[1] × count[2] nodes, spacing apart, the last axis running fastest; each
 * cell is cut into six tetrahedra that share the diagonal from corner (1, 0, 0) to (0, 1, 1).
 *
 * box, cylinder, ellipsoid: node 0 in the middle, the others on the surface of such a grid, face by
 * face: z low, z high, y low, y high, x low, x high, each node once. Every square of the surface is
 * two triangles, every triangle with node 0 a tetrahedron. For the round shapes the grid's cube
 * [-1, 1]³ is bent before it is stretched to its size: a cylinder's cross-section keeps the larger
 * of |x| and |y| as its radius, an ellipsoid's nodes go to distance 1.
 *
 * Sheets: the same surfaces without node 0 and without their top; grid, square and disc have
 * count[0] × count[1] nodes, the second axis running fastest. */
#include "mjcf_soft.h"

#include "../../../base/base.h"

#include <math.h>
#include <string.h>

static bool make_room(int64_t node_count, int64_t tet_count, TnTetMesh *out)
{
    out->nodes = tn_malloc(3 * (size_t)node_count * sizeof *out->nodes);
    out->tets = tn_malloc(4 * (size_t)tet_count * sizeof *out->tets);
    if (out->nodes && out->tets) return true;
    tn_tet_mesh_free(out);
    return false;
}

static bool make_grid(const int count[3], const double spacing[3], TnTetMesh *out)
{
    /* corners of a cell as bits x, y, z */
    static const int cuts[6][4] = {{0, 2, 1, 6}, {0, 1, 4, 6}, {1, 2, 3, 6},
                                   {1, 3, 7, 6}, {1, 5, 4, 6}, {1, 7, 5, 6}};
    const int64_t n[3] = {count[0], count[1], count[2]};
    if (!make_room(n[0] * n[1] * n[2], 6 * (n[0] - 1) * (n[1] - 1) * (n[2] - 1), out)) return false;
    const int stride[3] = {count[1] * count[2], count[2], 1};
    for (int x = 0; x < count[0]; x++)
        for (int y = 0; y < count[1]; y++)
            for (int z = 0; z < count[2]; z++) {
                const int at[3] = {x, y, z};
                int node = out->node_count++;
                bool has_cell = true;
                for (int k = 0; k < 3; k++) {
                    out->nodes[3 * (size_t)node + (size_t)k] =
                        spacing[k] * (at[k] - 0.5 * (count[k] - 1));
                    has_cell &= at[k] < count[k] - 1;
                }
                for (int i = 0; has_cell && i < 6; i++, out->tet_count++)
                    for (size_t c = 0; c < 4; c++)
                        out->tets[4 * (size_t)out->tet_count + c] =
                            node + (cuts[i][c] & 1) * stride[0] +
                            (cuts[i][c] >> 1 & 1) * stride[1] + (cuts[i][c] >> 2) * stride[2];
            }
    return true;
}

static void bend(TnFlexShape shape, double p[3])
{
    double flat = hypot(p[0], p[1]), length = hypot(flat, p[2]);
    if (shape == TN_FLEX_CYLINDER && flat > 0) {
        double radius = fmax(fabs(p[0]), fabs(p[1]));
        p[0] *= radius / flat;
        p[1] *= radius / flat;
    } else if (shape == TN_FLEX_ELLIPSOID) {
        for (int k = 0; k < 3; k++) p[k] /= length;
    }
}

typedef struct Star {
    TnFlexShape shape;
    bool sheet;
    const int *count;
    const double *spacing;
    int32_t *numbers; /* by place in the grid; 0: none yet */
    TnTetMesh *mesh;
} Star;

static int32_t *number_at(const Star *s, const int at[3])
{
    return s->numbers +
           ((size_t)at[0] * (size_t)s->count[1] + (size_t)at[1]) * (size_t)s->count[2] + at[2];
}

static void number_node(Star *s, const int at[3])
{
    int32_t *number = number_at(s, at);
    if (*number) return;
    *number = s->mesh->node_count++;
    double *p = s->mesh->nodes + 3 * (size_t)*number;
    for (int k = 0; k < 3; k++) p[k] = 2.0 * at[k] / (s->count[k] - 1) - 1;
    bend(s->shape, p);
    for (int k = 0; k < 3; k++) p[k] *= 0.5 * s->spacing[k] * (s->count[k] - 1);
}

/* `other`: cut along its other diagonal. */
static void add_square(Star *s, const int at[3], int u, int v, bool other)
{
    int32_t corner[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int there[3] = {at[0], at[1], at[2]};
            there[u] += i;
            there[v] += j;
            corner[i][j] = *number_at(s, there);
        }
    for (int half = 0; half < 2; half++) {
        int32_t *tet = s->mesh->tets + 4 * (size_t)s->mesh->tet_count++;
        tet[0] = 0;
        tet[1] = other ? corner[1][0] : corner[0][0];
        tet[2] = other ? corner[half][half] : half == 0 ? corner[1][0] : corner[0][1];
        tet[3] = other ? corner[0][1] : corner[1][1];
    }
}

static void go_over_face(Star *s, int axis, int side, bool squares)
{
    int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2, at[3];
    int end = squares ? 1 : 0; /* the last row of nodes starts no square */
    at[axis] = side * (s->count[axis] - 1);
    for (at[u] = 0; at[u] < s->count[u] - end; at[u]++)
        for (at[v] = 0; at[v] < s->count[v] - end; at[v]++)
            if (squares)
                add_square(s, at, u, v, s->sheet && axis < 2 && side == axis);
            else
                number_node(s, at);
}

static bool make_star(TnFlexShape shape, bool sheet, const int count[3], const double spacing[3],
                      TnTetMesh *out)
{
    const int64_t n[3] = {count[0], count[1], count[2]};
    int64_t all = n[0] * n[1] * n[2], inner = (n[0] - 2) * (n[1] - 2) * (n[2] - 2);
    int64_t squares =
        2 * ((n[0] - 1) * (n[1] - 1) + (n[1] - 1) * (n[2] - 1) + (n[0] - 1) * (n[2] - 1));
    Star s = {shape, sheet, count, spacing, tn_calloc((size_t)all, sizeof *s.numbers), out};
    bool good = s.numbers && make_room(all - inner + 1, 2 * squares, out);
    if (good) {
        memset(out->nodes, 0, 3 * sizeof *out->nodes);
        out->node_count = 1;
        for (int pass = 0; pass < 2; pass++)
            for (int axis = 2; axis >= 0; axis--)
                for (int side = 0; side < 2; side++)
                    if (!(sheet && axis == 2 && side == 1)) go_over_face(&s, axis, side, pass == 1);
    }
    tn_free(s.numbers);
    return good;
}

bool tn_flex_mesh(TnFlexShape shape, const int count[3], const double spacing[3], TnTetMesh *out)
{
    *out = (TnTetMesh){0};
    return shape == TN_FLEX_GRID ? make_grid(count, spacing, out)
                                 : make_star(shape, false, count, spacing, out);
}

/* ---- sheets: triangles a b c c ---- */

/* Node 0 and its tetrahedra leave their outer triangles. */
static void drop_middle(TnTetMesh *mesh)
{
    mesh->node_count--;
    memmove(mesh->nodes, mesh->nodes + 3, 3 * (size_t)mesh->node_count * sizeof *mesh->nodes);
    for (size_t e = 0; e < (size_t)mesh->tet_count; e++) {
        int32_t *tet = mesh->tets + 4 * e;
        for (int k = 0; k < 3; k++) tet[k] = tet[k + 1] - 1;
        tet[3] = tet[2];
    }
}

/* MuJoCo counts the size of a disc twice, and cuts its cells so that no corner has a triangle
 * alone. */
static void place_in_disc(const int count[3], const double spacing[3], double p[3])
{
    bend(TN_FLEX_CYLINDER, p);
    for (int k = 0; k < 2; k++) p[k] *= 0.5 * spacing[k] * (count[k] - 1);
}

bool tn_flex_sheet(TnFlexShape shape, const int count[3], const double spacing[3], TnTetMesh *out)
{
    *out = (TnTetMesh){0};
    if (shape >= TN_FLEX_BOX && shape <= TN_FLEX_ELLIPSOID) {
        if (!make_star(shape, true, count, spacing, out)) return false;
        drop_middle(out);
        return true;
    }
    double half[2] = {0.5 * spacing[0] * (count[0] - 1), 0.5 * spacing[1] * (count[1] - 1)};
    const int cells[2] = {count[0] - 1, count[1] - 1};
    if (!tn_sheet_mesh_rectangle(half, cells, out, NULL)) return false;
    for (int i = 0; shape == TN_FLEX_DISC && i < out->node_count; i++)
        place_in_disc(count, spacing, out->nodes + 3 * (size_t)i);
    for (int i = 0; shape == TN_FLEX_DISC && i < out->tet_count / 2; i++) {
        int32_t *two = out->tets + 8 * (size_t)i, a = two[0], b = two[1], c = two[2], d = two[6];
        bool same = (i / cells[1] < count[0] / 2) == (i % cells[1] < count[1] / 2);
        const int32_t other[8] = {a, b, d, d, b, c, d, d};
        if (!same) memcpy(two, other, sizeof other);
    }
    return true;
}

/* tet_generate.c: boxes, cylinders and balls of tetrahedra.
 *
 * Box: a grid of cells, each mirrored against its neighbours, so that faces between cells are cut
 * along the same diagonal. 6 elements per cell: Kuhn's, one for each order in which a path along
 * the edges takes the three axes. 5 per cell: a regular one in the middle and four corners.
 *
 * Ball: the 20 elements that an icosahedron's centre makes with its faces are nearly regular (base
 * edges 1.05 of the radius). Each is cut into n³ by Kuhn's grid: with n >= u1 >= u2 >= u3 >= 0 the
 * corner (u1, u2, u3) has the weights u1 - u2, u2 - u3, u3 on the face's vertices; shell u1 is then
 * pushed onto the sphere of radius u1/n R. Neighbours agree on the triangles of a shared face.
 *
 * Cylinder: the same in the plane (a hexagon's six triangles, n² each), and prisms upward; a prism
 * with bottom a < b < c (numbers in the ring grid) and top a' b' c' becomes a b c c', a b b' c',
 * a a' b' c', so that the wall between a and b is cut from a to b' in both of its prisms. */
#include "tet_mesh.h"

#include "../../base/base.h"
#include "../../math/vec3.h"

#include <limits.h>

static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

static bool good_length(double x) { return isfinite(x) && x > 0; }

/* Memory for a mesh; counts are checked, as divisions come from users. */
static bool start(TnTetMesh *out, double nodes, double tets, TnError *err)
{
    if (nodes > INT_MAX / 3 || tets > INT_MAX / 4) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "a mesh of %.3g nodes and %.3g tetrahedra is too large; use fewer cells",
                     nodes, tets);
        return false;
    }
    out->nodes = tn_calloc(3 * (size_t)nodes, sizeof *out->nodes);
    out->tets = tn_calloc(4 * (size_t)tets, sizeof *out->tets);
    if (out->nodes && out->tets) return true;
    tn_tet_mesh_free(out);
    tn_error_add(err, TN_ERROR_MEMORY, "no memory for a mesh of %.0f tetrahedra", tets);
    return false;
}

/* Orders the last two nodes for a positive volume. */
static void add_tet(TnTetMesh *mesh, int32_t a, int32_t b, int32_t c, int32_t d)
{
    int32_t *n = mesh->tets + 4 * (size_t)mesh->tet_count;
    n[0] = a, n[1] = b, n[2] = c, n[3] = d;
    if (tn_tet_shape(mesh, mesh->tet_count) < 0) n[2] = d, n[3] = c;
    mesh->tet_count++;
}

/* ---- box ---- */

bool tn_tet_mesh_box(const double half[3], const int cells[3], int tets_per_cell, TnTetMesh *out,
                     TnError *err)
{
    if (!half || !cells || !out) {
        tn_error_add(err, TN_ERROR_USAGE, "half, cells and out must be given");
        return false;
    }
    *out = (TnTetMesh){0};
    double nodes = 1, tets = tets_per_cell;
    bool good = tets_per_cell == 5 || tets_per_cell == 6;
    for (int k = 0; k < 3; k++) {
        good = good && good_length(half[k]) && cells[k] >= 1;
        nodes *= cells[k] + 1.0;
        tets *= cells[k];
    }
    if (!good) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "box of tetrahedra: half lengths must be positive, cells at least 1, "
                     "tetrahedra per cell 5 or 6");
        return false;
    }
    if (!start(out, nodes, tets, err)) return false;
    const int stride[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
    int at[3];
    for (at[2] = 0; at[2] <= cells[2]; at[2]++)
        for (at[1] = 0; at[1] <= cells[1]; at[1]++)
            for (at[0] = 0; at[0] <= cells[0]; at[0]++) {
                double *x = out->nodes + 3 * (size_t)out->node_count++;
                for (int k = 0; k < 3; k++) x[k] = half[k] * (2.0 * at[k] / cells[k] - 1);
            }
    for (at[2] = 0; at[2] < cells[2]; at[2]++)
        for (at[1] = 0; at[1] < cells[1]; at[1]++)
            for (at[0] = 0; at[0] < cells[0]; at[0]++) {
                int32_t first = 0, step[3]; /* from the cell's first corner; odd cells mirrored */
                for (int k = 0; k < 3; k++) {
                    int odd = at[k] & 1;
                    first += (at[k] + odd) * stride[k];
                    step[k] = odd ? -stride[k] : stride[k];
                }
                if (tets_per_cell == 6) {
                    for (int p = 0; p < 6; p++) {
                        int32_t b = first + step[orders[p][0]], c = b + step[orders[p][1]];
                        add_tet(out, first, b, c, c + step[orders[p][2]]);
                    }
                    continue;
                }
                int32_t x = first + step[0], y = first + step[1], z = first + step[2];
                int32_t xy = x + step[1], yz = y + step[2], zx = z + step[0];
                add_tet(out, first, xy, yz, zx);
                add_tet(out, x, first, xy, zx);
                add_tet(out, y, first, xy, yz);
                add_tet(out, z, first, yz, zx);
                add_tet(out, xy + step[2], xy, yz, zx);
            }
    return true;
}

/* ---- cylinder ---- */

/* Place in the disc of the corner u >= w >= 0 of a sector: ring u has 6 u nodes. */
static int32_t disc_node(int sector, int u, int w)
{
    if (u == 0) return 0;
    return 1 + 3 * u * (u - 1) + (sector * u + w) % (6 * u);
}

static void add_prism(TnTetMesh *mesh, const int32_t corner[3], int32_t bottom, int32_t up)
{
    int32_t n[3] = {corner[0], corner[1], corner[2]};
    for (int pass = 0; pass < 3; pass++) {
        int k = pass % 2;
        int32_t low = n[k] < n[k + 1] ? n[k] : n[k + 1], high = n[k] + n[k + 1] - low;
        n[k] = low, n[k + 1] = high;
    }
    int32_t a = bottom + n[0], b = bottom + n[1], c = bottom + n[2];
    add_tet(mesh, a, b, c, c + up);
    add_tet(mesh, a, b, b + up, c + up);
    add_tet(mesh, a, a + up, b + up, c + up);
}

bool tn_tet_mesh_cylinder(double radius, double half_length, int rings, int layers, TnTetMesh *out,
                          TnError *err)
{
    if (!out) {
        tn_error_add(err, TN_ERROR_USAGE, "out must be given");
        return false;
    }
    *out = (TnTetMesh){0};
    if (!good_length(radius) || !good_length(half_length) || rings < 1 || layers < 1) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "cylinder of tetrahedra: radius and half length must be positive, rings and "
                     "layers at least 1");
        return false;
    }
    double disc = 1 + 3.0 * rings * (rings + 1.0);
    if (!start(out, disc * (layers + 1.0), 18.0 * rings * rings * layers, err)) return false;
    int32_t up = (int32_t)disc;
    for (int k = 0; k <= layers; k++) {
        double z = half_length * (2.0 * k / layers - 1);
        for (int u = 0; u <= rings; u++)
            for (int i = 0; i < (u ? 6 * u : 1); i++) {
                double angle = u ? TN_PI / 3 * i / u : 0, r = radius * u / rings;
                v3_set(out->nodes + 3 * (size_t)out->node_count++, r * cos(angle), r * sin(angle),
                       z);
            }
    }
    for (int k = 0; k < layers; k++)
        for (int s = 0; s < 6; s++)
            for (int u = 0; u < rings; u++)
                for (int w = 0; w <= u; w++) {
                    int32_t a = disc_node(s, u, w), b = disc_node(s, u + 1, w),
                            c = disc_node(s, u + 1, w + 1);
                    add_prism(out, (int32_t[]){a, b, c}, k * up, up);
                    if (w == u) continue;
                    add_prism(out, (int32_t[]){a, disc_node(s, u, w + 1), c}, k * up, up);
                }
    return true;
}

/* ---- ball ---- */

/* Vertices: both poles and two rings of five, the lower turned by half a step. */
static const int8_t faces[20][3] = {{0, 1, 2},  {0, 2, 3},  {0, 3, 4},  {0, 4, 5},   {0, 5, 1},
                                    {1, 6, 2},  {2, 7, 3},  {3, 8, 4},  {4, 9, 5},   {5, 10, 1},
                                    {2, 6, 7},  {3, 7, 8},  {4, 8, 9},  {5, 9, 10},  {1, 10, 6},
                                    {11, 7, 6}, {11, 8, 7}, {11, 9, 8}, {11, 10, 9}, {11, 6, 10}};

typedef struct Ball {
    double vertices[12][3]; /* unit vectors */
    int edge[12][12];       /* 0 to 29, either way round */
} Ball;

static Ball icosahedron(void)
{
    Ball ball = {0};
    v3_set(ball.vertices[0], 0, 0, 1);
    v3_set(ball.vertices[11], 0, 0, -1);
    for (int i = 0; i < 5; i++)
        for (int low = 0; low < 2; low++) {
            double angle = 2 * TN_PI / 5 * (i + 0.5 * low), r = 2 / sqrt(5.0);
            v3_set(ball.vertices[1 + i + 5 * low], r * cos(angle), r * sin(angle),
                   (low ? -1 : 1) / sqrt(5.0));
        }
    for (int a = 0; a < 12; a++)
        for (int b = 0; b < 12; b++) ball.edge[a][b] = -1;
    for (int f = 0, count = 0; f < 20; f++)
        for (int k = 0; k < 3; k++) {
            int a = faces[f][k], b = faces[f][(k + 1) % 3];
            if (ball.edge[a][b] < 0) ball.edge[a][b] = ball.edge[b][a] = count++;
        }
    return ball;
}

/* Shell s holds 10 s² + 2 nodes: 12 vertices, s - 1 on each edge, the rest within the faces. Fills
 * in the node's place too; a second request writes the same up to rounding, so only the first
 * writes. */
static int32_t ball_node(const Ball *ball, TnTetMesh *mesh, int face, const int u[3], double radius)
{
    int s = u[0], weight[3] = {u[0] - u[1], u[1] - u[2], u[2]}, zeros = 0, last = 0;
    if (s == 0) return 0;
    for (int k = 0; k < 3; k++) zeros += weight[k] == 0, last = weight[k] ? k : last;
    const int8_t *corner = faces[face];
    int32_t node = 1 + 5 * (s - 1) * s * (2 * s - 1) / 3 + 2 * (s - 1);
    if (zeros == 2) {
        node += corner[last];
    } else if (zeros == 1) {
        int other = weight[(last + 1) % 3] ? (last + 1) % 3 : (last + 2) % 3;
        int a = corner[last], b = corner[other];
        /* counted from the vertex with the lower number */
        node += 12 + ball->edge[a][b] * (s - 1) + (a < b ? weight[other] : weight[last]) - 1;
    } else {
        int row = u[1] - 2; /* u1 from 2 to s - 1, u2 from 1 to u1 - 1 */
        node += 12 + 30 * (s - 1) + face * ((s - 1) * (s - 2) / 2) + row * (row + 1) / 2 + u[2] - 1;
    }
    double *x = mesh->nodes + 3 * (size_t)node;
    if (x[0] != 0 || x[1] != 0 || x[2] != 0) return node;
    for (int k = 0; k < 3; k++) v3_add_scaled(x, ball->vertices[corner[k]], weight[k]);
    v3_scale(x, x, radius / v3_norm(x));
    return node;
}

bool tn_tet_mesh_ball(double radius, int shells, TnTetMesh *out, TnError *err)
{
    if (!out) {
        tn_error_add(err, TN_ERROR_USAGE, "out must be given");
        return false;
    }
    *out = (TnTetMesh){0};
    if (!good_length(radius) || shells < 1) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "ball of tetrahedra: radius must be positive, shells at least 1");
        return false;
    }
    double n = shells, nodes = 1 + 5 * n * (n + 1) * (2 * n + 1) / 3 + 2 * n;
    if (!start(out, nodes, 20 * n * n * n, err)) return false;
    out->node_count = (int)nodes;
    Ball ball = icosahedron();
    for (int face = 0; face < 20; face++)
        for (int a = 0; a < shells; a++)
            for (int b = 0; b <= a; b++)
                for (int c = 0; c <= b; c++)
                    for (int p = 0; p < 6; p++) {
                        int u[3] = {a, b, c};
                        int32_t node[4];
                        bool inside = true;
                        for (int k = 0; k < 4 && inside; k++) {
                            if (k > 0) u[orders[p][k - 1]]++;
                            inside = u[0] >= u[1] && u[1] >= u[2];
                            if (inside)
                                node[k] = ball_node(&ball, out, face, u, radius * u[0] / shells);
                        }
                        if (inside) add_tet(out, node[0], node[1], node[2], node[3]);
                    }
    return true;
}

/* bending.c: see bending.h. */
#include "bending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/rounding.h"
#include "../../../math/vec3.h"

/* Of a triangle with neighbours: six nodes, corners first; xx, yy and xy of ∇² are B times their
 * values. Axes: the first along the edge from corner 0 to 1. */
typedef struct Patch {
    int node[6];
    double B[3][6];
    double C[3][3]; /* J: energy of curvatures, with the area and without what the border leaves */
} Patch;

static const double *rest_of(const TnBendingDef *def, int node)
{
    return def->rest + 3 * (size_t)node;
}

/* Of p over the line through a and b: its height, and where its foot is, 0 at a and 1 at b. */
static void foot_of(const double *a, const double *b, const double *p, double *height, double *foot)
{
    double u[3], v[3], n[3];
    v3_sub(u, b, a);
    v3_sub(v, p, a);
    v3_cross(n, u, v);
    double square = v3_dot(u, u);
    *height = v3_norm(n) / sqrt(square);
    *foot = v3_dot(u, v) / square;
}

/* C minus what a free curvature along `free` takes off. */
static void relax(double C[3][3], const double free[3])
{
    double w[3], sum = 0.0;
    for (int i = 0; i < 3; i++) {
        w[i] = C[i][0] * free[0] + C[i][1] * free[1] + C[i][2] * free[2];
        sum += free[i] * w[i];
    }
    if (!(sum > 1e-12 * (C[0][0] + C[1][1] + C[2][2]))) return; /* nothing is left to take */
    for (int i = 0; i < 9; i++) C[i / 3][i % 3] -= w[i / 3] * w[i % 3] / sum;
}

static void make_patch(const TnBendingDef *def, int e, Patch *out)
{
    const int32_t *t = def->tets + 4 * (size_t)e, *across = def->across + 3 * (size_t)e;
    double corner[3][2] = {{0.0}}, u[3], v[3], n[3];
    v3_sub(u, rest_of(def, t[1]), rest_of(def, t[0]));
    v3_sub(v, rest_of(def, t[2]), rest_of(def, t[0]));
    v3_cross(n, u, v);
    double area = 0.5 * v3_norm(n), nu = def->nu, D = def->rigidity * area;
    corner[1][0] = v3_norm(u);
    corner[2][0] = v3_dot(u, v) / corner[1][0];
    corner[2][1] = 2.0 * area / corner[1][0];
    const double C[3][3] = {{D, nu * D, 0.0}, {nu * D, D, 0.0}, {0.0, 0.0, 2.0 * (1.0 - nu) * D}};
    memset(out, 0, sizeof *out);
    memcpy(out->C, C, sizeof C);
    for (int k = 0; k < 3; k++) {
        int a = k, b = (k + 1) % 3, c = (k + 2) % 3;
        double dx = corner[b][0] - corner[a][0], dy = corner[b][1] - corner[a][1],
               length = hypot(dx, dy), normal[2] = {dy / length, -dx / length};
        double shape[3] = {normal[0] * normal[0], normal[1] * normal[1], normal[0] * normal[1]};
        double own, foot, other, far;
        out->node[k] = t[k];
        out->node[3 + k] = across[k];
        if (across[k] < 0) {
            relax(out->C, shape);
            continue;
        }
        foot_of(rest_of(def, t[a]), rest_of(def, t[b]), rest_of(def, t[c]), &own, &foot);
        foot_of(rest_of(def, t[a]), rest_of(def, t[b]), rest_of(def, across[k]), &other, &far);
        double scale = 2.0 / (own + other), jump[6] = {0.0};
        jump[a] = -(1.0 - foot) / own - (1.0 - far) / other;
        jump[b] = -foot / own - far / other;
        jump[c] = 1.0 / own;
        jump[3 + k] = 1.0 / other;
        for (int i = 0; i < 6; i++)
            for (int m = 0; m < 3; m++) out->B[m][i] += scale * shape[m] * jump[i];
    }
}

static double entry(const Patch *p, int i, int j)
{
    double sum = 0.0;
    for (int m = 0; m < 9; m++) sum += p->B[m / 3][i] * p->C[m / 3][m % 3] * p->B[m % 3][j];
    return sum;
}

/* ---- the matrix ---- */

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Pairs of all patches by their higher node, each once; the rows of the matrix. */
static bool make_rows(const TnBendingDef *def, TnBending *b)
{
    size_t most = 21 * (size_t)def->triangle_count, count = 0, begin = 0;
    int *start = b->row_start = tn_calloc((size_t)def->node_count + 2, sizeof(int));
    int *column = b->column = tn_malloc((most + 1) * sizeof(int));
    if (!start || !column) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < def->triangle_count; e++) {
            int node[6];
            for (int k = 0; k < 3; k++) {
                node[k] = def->tets[4 * (size_t)e + (size_t)k];
                node[3 + k] = def->across[3 * (size_t)e + (size_t)k];
            }
            for (int i = 0; i < 36; i++) {
                int row = node[i / 6], low = node[i % 6];
                bool again = i / 6 < i % 6 && row == low; /* a node that is across two edges */
                if (row < low || low < 0 || again) continue;
                if (pass)
                    column[start[row + 1]++] = low;
                else
                    start[row + 2]++;
            }
        }
        for (int n = 0; n < def->node_count && !pass; n++) start[n + 2] += start[n + 1];
    }
    for (int n = 0; n < def->node_count; n++) { /* start[n + 1] is the row's end now */
        size_t end = (size_t)start[n + 1], kept = count;
        qsort(column + begin, end - begin, sizeof(int), compare_int);
        for (size_t k = begin; k < end; k++)
            if (kept == count || column[count - 1] != column[k]) column[count++] = column[k];
        begin = end;
        start[n] = (int)kept;
    }
    start[def->node_count] = (int)count;
    b->value = tn_calloc(count + 1, sizeof(double));
    return b->value != NULL;
}

static void add_entry(TnBending *b, int row, int low, double value)
{
    const int *found =
        bsearch(&low, b->column + b->row_start[row],
                (size_t)(b->row_start[row + 1] - b->row_start[row]), sizeof(int), compare_int);
    if (found) b->value[found - b->column] += value;
}

/* ---- rest shapes that are not flat ---- */

/* Columns: the triangle's axes. */
static void axes_of(const double *x0, const double *x1, const double *x2, double R[9])
{
    double u[3], v[3], n[3], w[3];
    v3_sub(u, x1, x0);
    v3_sub(v, x2, x0);
    v3_cross(n, u, v);
    v3_normalize(u);
    v3_normalize(n);
    v3_cross(w, n, u);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = u[i];
        R[3 * i + 1] = w[i];
        R[3 * i + 2] = n[i];
    }
}

/* C κ₀ of each node in the triangle's axes; false where the triangle is flat with its neighbours.
 */
static bool bend_at_rest(const TnBendingDef *def, const Patch *p, TnBentTriangle *out,
                         double *energy)
{
    double R[9], curve[3][3] = {{0.0}}, largest = 0.0, u[3];
    const double *x0 = rest_of(def, p->node[0]);
    axes_of(x0, rest_of(def, p->node[1]), rest_of(def, p->node[2]), R);
    v3_sub(u, rest_of(def, p->node[1]), x0);
    double size = v3_norm(u);
    for (int i = 0; i < 6; i++) {
        double d[3], own[3];
        if (p->node[i] < 0) continue;
        v3_sub(d, rest_of(def, p->node[i]), x0);
        m3_tmul_v(own, R, d);
        for (int m = 0; m < 3; m++) v3_add_scaled(curve[m], own, p->B[m][i]);
    }
    for (int m = 0; m < 9; m++) largest = fmax(largest, fabs(curve[m / 3][m % 3]));
    if (!(largest * size > TN_ROOM)) return false;
    memcpy(out->node, p->node, sizeof out->node);
    memset(out->moment, 0, sizeof out->moment);
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) {
            *energy += 0.5 * p->C[m][k] * v3_dot(curve[m], curve[k]);
            for (int i = 0; i < 6; i++)
                v3_add_scaled(out->moment[i], curve[k], p->B[m][i] * p->C[m][k]);
        }
    return true;
}

/* ---- all ---- */

TnBending *tn_bending_create(const TnBendingDef *def)
{
    TnBending *b = tn_calloc(1, sizeof *b);
    if (!b) return NULL;
    b->node_count = def->node_count;
    b->bent = tn_malloc((size_t)def->triangle_count * sizeof *b->bent);
    if (!make_rows(def, b) || !b->bent) {
        tn_bending_destroy(b);
        return NULL;
    }
    for (int e = 0; e < def->triangle_count; e++) {
        Patch p;
        make_patch(def, e, &p);
        for (int i = 0; i < 36; i++) {
            int row = p.node[i / 6], low = p.node[i % 6];
            if (low >= 0 && row >= low) add_entry(b, row, low, entry(&p, i / 6, i % 6));
        }
        if (bend_at_rest(def, &p, &b->bent[b->bent_count], &b->energy)) b->bent_count++;
    }
    return b;
}

void tn_bending_destroy(TnBending *b)
{
    if (!b) return;
    tn_free(b->row_start);
    tn_free(b->column);
    tn_free(b->value);
    tn_free(b->bent);
    tn_free(b);
}

/* Σ moment · node of a bent triangle as it is now, and its axes. */
static double bent_energy(const TnBentTriangle *t, const double (*x)[4], double R[9])
{
    double sum = 0.0;
    axes_of(x[t->node[0]], x[t->node[1]], x[t->node[2]], R);
    for (int i = 0; i < 6; i++) {
        double pull[3], d[3];
        if (t->node[i] < 0) continue;
        m3_mul_v(pull, R, t->moment[i]);
        v3_sub(d, x[t->node[i]], x[t->node[0]]);
        sum += v3_dot(pull, d);
    }
    return sum;
}

/* The pull of the rest shape's curvature. As its axes turn along with the triangle, it would leave
 * a torque; the triangle's corners take that, as a turn of it does the same work. */
static void add_bent(const TnBentTriangle *t, const double (*x)[4], double share, double (*f)[4])
{
    double R[9], torque[3] = {0.0}, u[3], n[3];
    const double *x0 = x[t->node[0]];
    bent_energy(t, x, R);
    for (int i = 0; i < 6; i++) {
        double pull[3], d[3], part[3];
        if (t->node[i] < 0) continue;
        m3_mul_v(pull, R, t->moment[i]);
        v3_sub(d, x[t->node[i]], x0);
        v3_cross(part, d, pull);
        v3_add(torque, torque, part);
        v3_add_scaled(f[t->node[i]], pull, share);
    }
    /* d(axes) = ω × axes with ω from the corners: about n by corner 1 across the first edge, out of
     * the plane by all three. Work of the torque: -torque · ω. */
    double axis[3][3], g[3][2], two[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) axis[k][i] = R[3 * i + k];
    v3_sub(u, x[t->node[1]], x0);
    v3_sub(two, x[t->node[2]], x0);
    double base = v3_norm(u), along = v3_dot(two, axis[0]), height = v3_dot(two, axis[1]);
    g[1][0] = 1.0 / base;
    g[1][1] = -along / (base * height);
    g[2][0] = 0.0;
    g[2][1] = 1.0 / height;
    g[0][0] = -g[1][0];
    g[0][1] = -g[1][1] - g[2][1];
    v3_copy(n, axis[2]);
    double about_u = v3_dot(torque, axis[0]), about_w = v3_dot(torque, axis[1]),
           about_n = v3_dot(torque, n);
    for (int a = 0; a < 3; a++) /* ω = Σ (n·dx_a) (g_w u - g_u w) + n (w·(dx_1 - dx_0))/base */
        v3_add_scaled(f[t->node[a]], n, -share * (g[a][1] * about_u - g[a][0] * about_w));
    v3_add_scaled(f[t->node[1]], axis[1], -share * about_n / base);
    v3_add_scaled(f[t->node[0]], axis[1], share * about_n / base);
}

/* Rows of C add up to zero, so differences do: they lose no digits far from the origin, and what
 * one node gets the other one loses. */
void tn_bending_add(const TnBending *b, const double (*x)[4], const double (*y)[4], double share,
                    double (*f)[4])
{
    for (int row = 0; row < b->node_count; row++) {
        double sum[3] = {0.0};
        for (int k = b->row_start[row]; k < b->row_start[row + 1]; k++) {
            int low = b->column[k];
            for (int i = 0; i < 3; i++) {
                double d =
                    b->value[k] * ((y[low][i] - y[row][i]) - share * (x[low][i] - x[row][i]));
                sum[i] += d;
                f[low][i] -= d;
            }
        }
        v3_add(f[row], f[row], sum);
    }
    for (int i = 0; i < b->bent_count && share != 0.0; i++) add_bent(&b->bent[i], x, share, f);
}

double tn_bending_energy(const TnBending *b, const double (*x)[4])
{
    double sum = 0.0, R[9];
    for (int row = 0; row < b->node_count; row++)
        for (int k = b->row_start[row]; k < b->row_start[row + 1]; k++) {
            double d[3];
            v3_sub(d, x[row], x[b->column[k]]);
            sum -= 0.5 * b->value[k] * v3_dot(d, d);
        }
    for (int i = 0; i < b->bent_count; i++) sum -= bent_energy(&b->bent[i], x, R);
    return sum + b->energy;
}

/* assembly_matrix.c: A + JᵀGJ of an assembly, and systems with it.
 *
 * A contact's velocity is X_b w_b - X_a w_a with w the twists of its rows and X = (I, -[r]×). Of a
 * pair of rows, summed over its contacts, JᵀGJ has the four blocks
 *
 *     Q_ij = ± X_iᵀ G X_j = ± ( G         -G[r_j]×      )      + for i = j, - for i ≠ j
 *                             ( [r_i]×G   -[r_i]×G[r_j]× )
 *
 * which T_iᵀ Q_ij T_j carries to the nodes. Bonds have their Q as G, in one piece. */
#include <string.h>

#include "../../math/kernels/contact_kernels.h"
#include "assembly_maps.h"

/* The four blocks of a pair. */
typedef struct Blocks {
    double aa[36], ab[36], ba[36], bb[36];
} Blocks;

static void transpose6(const double M[36], double to[36])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) to[6 * i + j] = M[6 * j + i];
}

static void contact_blocks(const TnProblem *p, const struct TnPair *pair, const TnGains *G,
                           Blocks *q)
{
    bool a = pair->row_a, b = pair->row_b;
    double *blocks[2][2] = {{a ? q->aa : NULL, a && b ? q->ab : NULL},
                            {a && b && !G->symmetric ? q->ba : NULL, b ? q->bb : NULL}};
    memset(q, 0, sizeof *q);
    tn_contact_kernels()->pair_blocks(p->contact_batch, (const double(*)[9][TN_LANES])G->contact,
                                      pair->begin, pair->end, blocks);
}

static void bond_blocks(const double G[144], Blocks *q)
{
    for (int i = 0; i < 6; i++) {
        memcpy(q->aa + 6 * i, G + 12 * i, 6 * sizeof(double));
        memcpy(q->ab + 6 * i, G + 12 * i + 6, 6 * sizeof(double));
        memcpy(q->ba + 6 * i, G + 12 * (i + 6), 6 * sizeof(double));
        memcpy(q->bb + 6 * i, G + 12 * (i + 6) + 6, 6 * sizeof(double));
    }
}

/* ---- to the nodes ---- */

/* Z = Q T of a segment: six rows of s->count */
static const double *right_product(const double Q[36], const TnSegment *s, double *restrict Z)
{
    const double *restrict T = s->T;
    long stride = s->stride;
    int n = s->count;
    if (!T) return Q;
    for (int r = 0; r < 6; r++, Z += n) {
        const double *q = Q + 6 * r;
        for (int j = 0; j < n; j++)
            Z[j] = q[0] * T[j] + q[1] * T[stride + j] + q[2] * T[2 * stride + j];
        for (int j = 0; s->rows == 6 && j < n; j++)
            Z[j] = Z[j] + q[3] * T[3 * stride + j] + q[4] * T[4 * stride + j] +
                   q[5] * T[5 * stride + j];
    }
    return Z - 6L * n;
}

/* M += Tᵀ Z of three rows, or of six, in one pass: M may be large (condensed blocks). */
static void lift_three(const TnSegment *s, int n, const double *restrict Z, double *restrict M,
                       long width)
{
    const double *T = s->T, *Z1 = Z + n, *Z2 = Z1 + n;
    for (int r = 0; r < s->count; r++, T++, M += width) {
        double a = T[0], b = T[s->stride], c = T[2L * s->stride];
        for (int j = 0; j < n; j++) M[j] = M[j] + a * Z[j] + b * Z1[j] + c * Z2[j];
    }
}

static void lift_six(const TnSegment *s, int n, const double *restrict Z, double *restrict M,
                     long width)
{
    const double *T = s->T, *Z1 = Z + n, *Z2 = Z1 + n, *Z3 = Z2 + n, *Z4 = Z3 + n, *Z5 = Z4 + n;
    long stride = s->stride;
    for (int r = 0; r < s->count; r++, T++, M += width) {
        double a = T[0], b = T[stride], c = T[2 * stride], d = T[3 * stride], e = T[4 * stride],
               f = T[5 * stride];
        for (int j = 0; j < n; j++)
            M[j] = M[j] + a * Z[j] + b * Z1[j] + c * Z2[j] + d * Z3[j] + e * Z4[j] + f * Z5[j];
    }
}

/* M += T_iᵀ Q T_j at the node's block M with rows of `width` */
static void lift(const TnAssemblyMaps *maps, int row_i, int row_j, const double Q[36], double *M,
                 long width)
{
    for (int j = maps->segment_start[row_j]; j < maps->segment_start[row_j + 1]; j++) {
        const TnSegment *right = &maps->segments[j];
        const double *Z = right_product(Q, right, maps->product);
        int n = right->count;
        for (int i = maps->segment_start[row_i]; i < maps->segment_start[row_i + 1]; i++) {
            const TnSegment *left = &maps->segments[i];
            double *to = M + left->at * width + right->at;
            if (left->T && left->rows == 3)
                lift_three(left, n, Z, to, width);
            else if (left->T)
                lift_six(left, n, Z, to, width);
            for (int r = 0; !left->T && r < 6; r++)
                for (int c = 0; c < n; c++) to[r * width + c] += Z[r * n + c];
        }
    }
}

static inline bool is_six(const TnAssemblyMaps *maps, int row)
{
    int k = maps->segment_start[row];
    return maps->segment_start[row + 1] == k + 1 && !maps->segments[k].T;
}

static void add_block(const TnAssemblyMaps *maps, int row_i, int row_j, const double Q[36],
                      double *M, int width)
{
    if (is_six(maps, row_i) && is_six(maps, row_j))
        for (int k = 0; k < 36; k++) M[k] += Q[k];
    else
        lift(maps, row_i, row_j, Q, M, width);
}

/* Rows of the edge's block are a's. */
static bool is_a_first(const TnAssembly *a, const struct TnPair *pair, int na, int nb)
{
    return na == nb || a->plan->flip[pair->edge] == (na < nb);
}

static void add_pair(const TnAssembly *a, const struct TnPair *pair, Blocks *q, bool symmetric,
                     double *values)
{
    const TnBlockPlan *plan = a->plan;
    const TnAssemblyMaps *maps = a->maps;
    int ra = pair->row_a, rb = pair->row_b, na = a->row_node[ra], nb = a->row_node[rb];
    if (na >= 0) add_block(maps, ra, ra, q->aa, values + plan->diagonal[na], plan->dims[na]);
    if (nb >= 0) add_block(maps, rb, rb, q->bb, values + plan->diagonal[nb], plan->dims[nb]);
    if (na < 0 || nb < 0) return;
    bool a_first = is_a_first(a, pair, na, nb);
    if (symmetric && (na == nb || !a_first)) transpose6(q->ab, q->ba);
    if (na == nb) {
        add_block(maps, ra, rb, q->ab, values + plan->diagonal[na], plan->dims[na]);
        add_block(maps, rb, ra, q->ba, values + plan->diagonal[na], plan->dims[na]);
        return;
    }
    double *lower = values + plan->edge[pair->edge], *upper = lower + plan->size, turned[36];
    int row_r = a_first ? ra : rb, row_c = a_first ? rb : ra, width = plan->dims[a_first ? nb : na];
    add_block(maps, row_r, row_c, a_first ? q->ab : q->ba, lower, width);
    if (symmetric) return;
    transpose6(a_first ? q->ba : q->ab, turned);
    add_block(maps, row_r, row_c, turned, upper, width);
}

/* Contacts between two twist blocks, or one and the world, go straight to their blocks of the
 * matrix. */
static bool add_twist_pair(const TnAssembly *a, const struct TnPair *pair, const TnGains *G,
                           double *values)
{
    const TnBlockPlan *plan = a->plan;
    int twists = a->problem->twist_count, ra = pair->row_a, rb = pair->row_b;
    if (ra > twists || rb > twists || ra == rb) return false;
    double turned[36] = {0}, *upper = NULL, *blocks[2][2] = {{NULL}};
    if (ra) blocks[0][0] = values + plan->diagonal[ra - 1];
    if (rb) blocks[1][1] = values + plan->diagonal[rb - 1];
    if (ra && rb) {
        bool a_first = is_a_first(a, pair, ra - 1, rb - 1);
        blocks[!a_first][a_first] = values + plan->edge[pair->edge];
        if (!G->symmetric) {
            blocks[a_first][!a_first] = turned;
            upper = values + plan->edge[pair->edge] + plan->size;
        }
    }
    tn_contact_kernels()->pair_blocks(a->problem->contact_batch,
                                      (const double(*)[9][TN_LANES])G->contact, pair->begin,
                                      pair->end, blocks);
    for (int k = 0; upper && k < 36; k++) upper[k] += turned[6 * (k % 6) + k / 6];
    return true;
}

/* ---- scalar rows ---- */

static inline void add_scaled(double *restrict to, const double *restrict x, double f, int count)
{
    for (int l = 0; l < count; l++) to[l] += f * x[l];
}

/* M += g c_i c_jᵀ */
static void add_outer(const TnAssembly *a, const TnRun *i, const TnRun *j, double g, double *M,
                      long width)
{
    const double *c = a->problem->coefficient;
    const int *at = a->maps->entry_at;
    for (int k = i->begin; k < i->end; k++) {
        double f = g * c[k], *to = M + at[k] * width;
        if (f == 0.0) continue;
        if (j->straight) {
            add_scaled(to + at[j->begin], c + j->begin, f, j->end - j->begin);
            continue;
        }
        for (int l = j->begin; l < j->end; l++) to[at[l]] += f * c[l];
    }
}

static void add_row(const TnAssembly *a, int row, double g, bool symmetric, double *values)
{
    const TnBlockPlan *plan = a->plan;
    const TnAssemblyMaps *maps = a->maps;
    const int *edge = maps->run_edges + maps->run_edge_start[row];
    for (int i = maps->run_start[row]; i < maps->run_start[row + 1]; i++) {
        const TnRun *run = &maps->runs[i];
        double *diagonal = values + plan->diagonal[run->node];
        int n = plan->dims[run->node];
        add_outer(a, run, run, g, diagonal, n);
        for (int j = maps->run_start[row]; j < i; j++, edge++) {
            const TnRun *other = &maps->runs[j];
            if (*edge < 0) {
                add_outer(a, run, other, g, diagonal, n);
                add_outer(a, other, run, g, diagonal, n);
                continue;
            }
            bool run_first = plan->flip[*edge] == (run->node < other->node);
            const TnRun *r = run_first ? run : other, *c = run_first ? other : run;
            double *block = values + plan->edge[*edge];
            add_outer(a, r, c, g, block, plan->dims[c->node]);
            if (!symmetric) add_outer(a, r, c, g, block + plan->size, plan->dims[c->node]);
        }
    }
}

/* ---- the matrix ---- */

void tn_assembly_matrix(const TnAssembly *a, const TnGains *G, double *values)
{
    const TnProblem *p = a->problem;
    size_t bytes = sizeof(double) * a->plan->size;
    memcpy(values, a->A, bytes);
    if (!G->symmetric) memcpy(values + a->plan->size, a->A, bytes);
    for (int i = 0; i < a->pair_count; i++) {
        const struct TnPair *pair = &a->pairs[i];
        Blocks q;
        if (pair->begin < pair->end && add_twist_pair(a, pair, G, values)) continue;
        if (pair->begin < pair->end)
            contact_blocks(p, pair, G, &q);
        else
            bond_blocks(G->bond[pair->bond], &q);
        add_pair(a, pair, &q, G->symmetric, values);
    }
    for (int r = 0; r < p->row_count; r++)
        if (G->row[r] != 0.0) add_row(a, r, G->row[r], G->symmetric, values);
}

bool tn_assembly_factor(const TnAssembly *a, const TnGains *G, double *values)
{
    tn_assembly_matrix(a, G, values);
    return G->symmetric ? tn_block_factor_symmetric(a->plan, values)
                        : tn_block_factor_general(a->plan, values);
}

void tn_assembly_solve(const TnAssembly *a, bool symmetric, const double *values, double *x)
{
    if (symmetric)
        tn_block_solve_symmetric(a->plan, values, x);
    else
        tn_block_solve_general(a->plan, values, x);
}

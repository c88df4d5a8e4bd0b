/* assembly_matrix.c: A + JᵀGJ of an assembly, and systems with it.
 *
 * A contact's velocity is X_b w_b - X_a w_a with w the twists of its rows and X = (I, -[r]×). Of a pair
 * of rows, summed over its contacts, JᵀGJ has the four blocks
 *
 *     Q_ij = ± X_iᵀ G X_j = ± ( G         -G[r_j]×      )      + for i = j, - for i ≠ j
 *                             ( [r_i]×G   -[r_i]×G[r_j]× )
 *
 * which T_iᵀ Q_ij T_j carries to the nodes. Bonds have their Q as G, in one piece. */
#include <string.h>

#include "assembly_maps.h"

/* Sums over the contacts of a pair; 3 × 3, row-major. Where G is symmetric the later five are not made:
 * aG = (Ga)ᵀ, bG = (Gb)ᵀ, bGa = (aGb)ᵀ. */
typedef struct Moments {
    double G[9];
    double Ga[9], Gb[9];   /* -G[r]× */
    double aGa[9], bGb[9]; /* -[r]×G[r]× */
    double aGb[9], bGa[9];
    double aG[9], bG[9]; /* [r]×G */
} Moments;

/* M += -G[r]×, whose rows are r × g; out: that of this contact */
static inline void right_arm(const double G[9], const double r[3], double out[9], double M[9])
{
    for (int i = 0; i < 3; i++) {
        const double *g = G + 3 * i;
        out[3 * i] = r[1] * g[2] - r[2] * g[1];
        out[3 * i + 1] = r[2] * g[0] - r[0] * g[2];
        out[3 * i + 2] = r[0] * g[1] - r[1] * g[0];
    }
    for (int i = 0; i < 9; i++) M[i] += out[i];
}

/* M += [r]×B */
static inline void left_arm(const double r[3], const double B[9], double M[9])
{
    for (int j = 0; j < 3; j++) {
        M[j] += r[1] * B[6 + j] - r[2] * B[3 + j];
        M[3 + j] += r[2] * B[j] - r[0] * B[6 + j];
        M[6 + j] += r[0] * B[3 + j] - r[1] * B[j];
    }
}

static inline void add_moments(const TnProblem *p, const struct TnPair *pair, double (*gains)[9],
                               bool symmetric, Moments *m)
{
    for (int c = pair->begin; c < pair->end; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        const double *G = gains[c];
        const double a[3] = {batch->arm_a[0][l], batch->arm_a[1][l], batch->arm_a[2][l]};
        const double b[3] = {batch->arm_b[0][l], batch->arm_b[1][l], batch->arm_b[2][l]};
        double Ga[9], Gb[9];
        for (int i = 0; i < 9; i++) m->G[i] += G[i];
        if (pair->row_a) {
            right_arm(G, a, Ga, m->Ga);
            left_arm(a, Ga, m->aGa);
            if (!symmetric) left_arm(a, G, m->aG);
        }
        if (pair->row_b) {
            right_arm(G, b, Gb, m->Gb);
            left_arm(b, Gb, m->bGb);
            if (!symmetric) left_arm(b, G, m->bG);
        }
        if (pair->row_a && pair->row_b) {
            left_arm(a, Gb, m->aGb);
            if (!symmetric) left_arm(b, Ga, m->bGa);
        }
    }
}

static void transpose3(const double M[9], double to[9])
{
    for (int i = 0; i < 9; i++) to[i] = M[3 * (i % 3) + i / 3];
}

/* Q = sign (tl tr; bl br) */
static inline void join(double sign, const double *tl, const double *tr, const double *bl,
                        const double *br, double Q[36])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Q[6 * i + j] = sign * tl[3 * i + j];
            Q[6 * i + 3 + j] = sign * tr[3 * i + j];
            Q[6 * (i + 3) + j] = sign * bl[3 * i + j];
            Q[6 * (i + 3) + 3 + j] = sign * br[3 * i + j];
        }
}

/* The four blocks of a pair; ba only where G is not symmetric. */
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
    Moments m;
    memset(&m, 0, sizeof m);
    if (G->symmetric) {
        add_moments(p, pair, G->contact, true, &m);
        transpose3(m.Ga, m.aG);
        transpose3(m.Gb, m.bG);
    } else {
        add_moments(p, pair, G->contact, false, &m);
    }
    if (pair->row_a) join(1.0, m.G, m.Ga, m.aG, m.aGa, q->aa);
    if (pair->row_b) join(1.0, m.G, m.Gb, m.bG, m.bGb, q->bb);
    if (!pair->row_a || !pair->row_b) return;
    join(-1.0, m.G, m.Gb, m.aG, m.aGb, q->ab);
    if (!G->symmetric) join(-1.0, m.G, m.Ga, m.bG, m.bGa, q->ba);
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
static const double *right_product(const double Q[36], const TnSegment *s, double *Z)
{
    if (!s->T) return Q;
    memset(Z, 0, sizeof(double) * 6 * (size_t)s->count);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < s->rows; k++) {
            double q = Q[6 * r + k];
            for (int j = 0; j < s->count; j++)
                Z[r * s->count + j] += q * s->T[(long)k * s->count + j];
        }
    return Z;
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
            for (int r = 0; !left->T && r < 6; r++)
                for (int c = 0; c < n; c++) to[r * width + c] += Z[r * n + c];
            for (int k = 0; left->T && k < left->rows; k++)
                for (int r = 0; r < left->count; r++) {
                    double t = left->T[(long)k * left->count + r];
                    for (int c = 0; c < n; c++) to[r * width + c] += t * Z[k * n + c];
                }
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

static void add_pair(const TnAssembly *a, const struct TnPair *pair, Blocks *q, bool symmetric,
                     double *values)
{
    const TnBlockPlan *plan = a->plan;
    const TnAssemblyMaps *maps = a->maps;
    int ra = pair->row_a, rb = pair->row_b, na = a->row_node[ra], nb = a->row_node[rb];
    if (na >= 0) add_block(maps, ra, ra, q->aa, values + plan->diagonal[na], plan->dims[na]);
    if (nb >= 0) add_block(maps, rb, rb, q->bb, values + plan->diagonal[nb], plan->dims[nb]);
    if (na < 0 || nb < 0) return;
    bool a_first = na == nb || plan->flip[pair->edge] == (na < nb); /* rows of the block are a's */
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

/* ---- scalar rows ---- */

/* M += g c_i c_jᵀ */
static void add_outer(const TnAssembly *a, const TnRun *i, const TnRun *j, double g, double *M,
                      long width)
{
    const double *c = a->problem->coefficient;
    const int *at = a->maps->entry_at;
    for (int k = i->begin; k < i->end; k++)
        for (int l = j->begin; l < j->end; l++) M[at[k] * width + at[l]] += g * c[k] * c[l];
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

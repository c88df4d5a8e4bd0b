/* twist.c: many equal blocks of six unknowns, A = diag(a I, S), eight to a batch. The inner
 * loops are kernels. */
#include "block.h"

#include <string.h>

void tn_twist_matrix(const TnProblem *p, int block, double A[36])
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const TnTwistBatch *batch = &p->twist_batch[block / TN_LANES];
    int l = block % TN_LANES;
    for (int i = 0; i < 3; i++) {
        A[7 * i] = batch->a[l];
        for (int j = 0; j < 3; j++) A[6 * (3 + i) + 3 + j] = batch->S[place[i][j]][l];
    }
}

bool tn_twists_factor_A(TnProblem *p, int begin, int end)
{
    for (int k = begin * TN_LANES; k < end * TN_LANES; k++) {
        const TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
        int l = k % TN_LANES;
        double xx = batch->S[0][l], xy = batch->S[1][l], xz = batch->S[2][l];
        double yy = batch->S[3][l], yz = batch->S[4][l], zz = batch->S[5][l];
        double c0 = yy * zz - yz * yz, c1 = xz * yz - xy * zz, c2 = xy * yz - xz * yy;
        double det = xx * c0 + xy * c1 + xz * c2;
        if (!(batch->a[l] > 0.0 && xx > 0.0 && det > 0.0)) return false; /* NaN too */
        double d = 1.0 / det, *inverse = p->inverse[k];
        inverse[0] = 1.0 / batch->a[l];
        inverse[1] = c0 * d;
        inverse[2] = c1 * d;
        inverse[3] = c2 * d;
        inverse[4] = (xx * zz - xz * xz) * d;
        inverse[5] = (xy * xz - xx * yz) * d;
        inverse[6] = (xx * yy - xy * xy) * d;
        inverse[7] = 0.0;
    }
    return true;
}

/* β c cᵀ of scalar rows on this block joins the contacts' part. */
static void add_row_stiffness(const TnProblem *p, int block, double K[TN_SYM6])
{
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        double c[6] = {0};
        for (int e = side->start; e < side->start + side->count; e++)
            c[p->index[e]] += p->coefficient[e];
        for (int r = 0; r < 6; r++)
            for (int s = r; s < 6; s++) K[tn_sym6(r, s)] += side->beta * c[r] * c[s];
    }
}

bool tn_twists_factor_H(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnTwistBatch *batch = &p->twist_batch[i];
        for (int l = 0; l < TN_LANES; l++) {
            int block = i * TN_LANES + l, row = block + 1;
            double *K = p->K[row], *F = p->F[row], *v = p->twist[row], rows_force[6] = {0};
            if (block < p->twist_count && p->rows_on_twists) {
                add_row_stiffness(p, block, K);
                tn_rows_force(p, block, rows_force);
            }
            double x[6] = {v[0], v[1], v[2], v[4], v[5], v[6]}, g[6] = {0};
            for (int r = 0; r < 6; r++) {
                g[r] += K[tn_sym6(r, r)] * x[r];
                for (int s = r + 1; s < 6; s++) {
                    g[r] += K[tn_sym6(r, s)] * x[s];
                    g[s] += K[tn_sym6(r, s)] * x[r];
                }
            }
            for (int k = 0; k < 6; k++)
                batch->g[k][l] = g[k] - F[k < 3 ? k : k + 1] - rows_force[k];
            for (int k = 0; k < TN_SYM6; k++) batch->Hinv[k][l] = K[k];
        }
    }
    p->kernels->twist_factor(p->twist_batch, begin, end);
    return true;
}

void tn_twists_update(TnProblem *p, int begin, int end, double alpha)
{
    if (p->extra) {
        int last = end * TN_LANES < p->twist_count ? end * TN_LANES : p->twist_count;
        for (int block = begin * TN_LANES; block < last; block++) {
            double F[6] = {0}, *extra = p->extra[block + 1];
            tn_rows_force(p, block, F);
            memcpy(extra, F, 3 * sizeof(double));
            memcpy(extra + 4, F + 3, 3 * sizeof(double));
            tn_bonds_add_forces(p, block + 1, block + 2, p->extra);
        }
    }
    p->kernels->twist_update(p->twist_batch, begin, end, &p->contact_sides, p->columns,
                             (const double(*)[3])p->lambda, (const double(*)[8])p->extra, p->twist,
                             alpha);
}

/* linear_weights.c: the weights of bonds and the matrices of their update.
 *
 * A side's weight is a full matrix, W = s C⁻¹ with C the 6×6 compliance of its row of the table
 * (T A⁻¹ Tᵀ of a port, A⁻¹ of a twist block), so that stiff and soft, heavy and light directions
 * each get their own. w = C/s = G Gᵀ is its inverse.
 *
 * C may be singular, as an arm with few joints cannot follow every twist, or nearly so. What does
 * not yield at all counts as fixed: G leaves it out and W is the pseudo-inverse. (The fixed world
 * is the extreme case, w = W = 0.) What hardly yields is bounded by what the other side makes of
 * it: C takes 1e-6 of the other side's compliance, within the directions it yields in.
 *
 * What is small is judged after scaling linear and angular parts by the pair's mean compliances l
 * and a, so that no law depends on the unit of length.
 *
 * The update is λ = P t + c (linear.c). Soft, with N = G (I + GᵀKG)⁻¹ Gᵀ, which is (W + K)⁻¹ where
 * W is regular:  P = I - W N = K N (the first rounds better, the second holds where W is singular)
 * and c = P f - f. Hard, with M = J w Jᵀ:  P = Jᵀ M⁺ J w,  c = -Jᵀ M⁺ e. Directions in which M is
 * singular cannot be moved by any force and take none. */
#include "law.h"

#include "../../base/rounding.h"

#include <string.h>

/* A spring that is stiffer than its sides needs weights between both: s times the cube root of K C,
 * the mean over the directions, over this. Of cables in groups of four, one with K C of 8 is best
 * at a factor of 1, and that of tenon bench cable --division paper, 460, at 4: digits of v at
 * 30/60/90 iterations 3.9/4.2/4.5 at 1, 4.5/5.1/5.5 at 4, 3.6/4.4/4.9 at 16; no factor is larger.
 */
#define STIFF 8.0

typedef struct Halves {
    double G[2][36], w[2][36], W[2][36];
    double mean[12]; /* scale of w's diagonal */
    bool singular[2];
} Halves;

/* S = L Lᵀ by Cholesky with pivots, which stops at pivots of `cut` or after `most` columns: returns
 * the rank, the number of columns of L (n × n row-major, n <= 6) that are not zero. */
static int pivoted_factor(int n, const double *S, double cut, int most, double *L)
{
    double left[6];
    bool done[6] = {false};
    for (int i = 0; i < n; i++) left[i] = S[n * i + i];
    memset(L, 0, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < most; k++) {
        int p = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && left[i] > cut && (p < 0 || left[i] > left[p])) p = i;
        if (p < 0) return k;
        double root = sqrt(left[p]);
        done[p] = true;
        L[n * p + k] = root;
        for (int i = 0; i < n; i++) {
            if (done[i]) continue;
            double sum = S[n * i + p];
            for (int m = 0; m < k; m++) sum -= L[n * i + m] * L[n * p + m];
            L[n * i + k] = sum / root;
            left[i] -= L[n * i + k] * L[n * i + k];
        }
    }
    return most;
}

/* L = Q U for the first `rank` columns of L; Q by columns. */
static void orthonormal(int n, int rank, const double *L, double Q[6][6], double U[6][6])
{
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < 6; i++) Q[k][i] = i < n ? L[n * i + k] : 0.0;
        for (int m = 0; m < k; m++) {
            double dot = 0.0;
            for (int i = 0; i < n; i++) dot += Q[m][i] * Q[k][i];
            for (int i = 0; i < n; i++) Q[k][i] -= dot * Q[m][i];
            U[m][k] = dot;
        }
        double norm = 0.0;
        for (int i = 0; i < n; i++) norm += Q[k][i] * Q[k][i];
        U[k][k] = sqrt(norm);
        for (int i = 0; i < n; i++) Q[k][i] /= U[k][k];
    }
}

/* X = (L Lᵀ)⁺ = Q U⁻ᵀ U⁻¹ Qᵀ for the first `rank` columns of L. */
static void pseudo_inverse(int n, int rank, const double *L, double *X)
{
    double Q[6][6], U[6][6]; /* the columns of Q become the rows of U⁻¹ Qᵀ */
    orthonormal(n, rank, L, Q, U);
    memset(X, 0, sizeof(double) * (size_t)(n * n));
    for (int k = rank - 1; k >= 0; k--) {
        for (int m = k + 1; m < rank; m++)
            for (int i = 0; i < 6; i++) Q[k][i] -= U[k][m] * Q[m][i];
        for (int i = 0; i < 6; i++) Q[k][i] /= U[k][k];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) X[n * i + j] += Q[k][i] * Q[k][j];
    }
}

/* other ← Π other Π with Π the projection on the columns of L. */
static void project_on(int rank, const double L[36], double other[36])
{
    double Q[6][6], U[6][6], projection[36] = {0}, half[36] = {0};
    orthonormal(6, rank, L, Q, U);
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) projection[6 * i + j] += Q[k][i] * Q[k][j];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) half[6 * i + j] += projection[6 * i + k] * other[6 * k + j];
    memset(other, 0, sizeof(double[36]));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) other[6 * i + j] += half[6 * i + k] * projection[6 * k + j];
}

void tn_table_compliance(const TnProblem *p, int row, double C[36])
{
    memset(C, 0, sizeof(double[36]));
    if (row == 0) return;
    if (row >= p->port_row) {
        memcpy(C, p->ports[row - p->port_row].compliance, sizeof(double[36]));
        return;
    }
    const double *inverse = p->inverse[row - 1];
    C[0] = C[7] = C[14] = inverse[0];
    C[21] = inverse[1];
    C[22] = C[27] = inverse[2];
    C[23] = C[33] = inverse[3];
    C[28] = inverse[4];
    C[29] = C[34] = inverse[5];
    C[35] = inverse[6];
}

/* S = L Lᵀ */
static void multiply_transposed(const double L[36], double S[36])
{
    memset(S, 0, sizeof(double[36]));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) S[6 * i + j] += L[6 * i + k] * L[6 * j + k];
}

/* S and other: compliances of this side and the other one, divided by `root` on both sides. */
static void set_side(Halves *h, int side, double S[36], double other[36], const double root[6],
                     double s)
{
    double L[36], X[36], largest = 0.0, scale = 1.0 / sqrt(s);
    for (int i = 0; i < 6; i++) largest = fmax(largest, S[7 * i]);
    int rank = pivoted_factor(6, S, TN_DEAD * largest, 6, L);
    if (rank < 6) { /* some directions hardly yield, or do not: one left out is off by TN_SAME */
        rank = pivoted_factor(6, S, TN_ROUND_OFF * largest, 6, L);
        h->singular[side] = rank < 6;
        if (rank < 6) project_on(rank, L, other);
        for (int i = 0; i < 36; i++) S[i] += TN_DEAD * other[i];
        rank = pivoted_factor(6, S, 0.0, rank, L);
    }
    if (rank < 6) multiply_transposed(L, S);
    pseudo_inverse(6, rank, L, X);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double both = root[i] * root[j];
            h->G[side][6 * i + j] = scale * root[i] * L[6 * i + j];
            h->w[side][6 * i + j] = both * S[6 * i + j] / s;
            h->W[side][6 * i + j] = both > 0.0 ? s * X[6 * i + j] / both : 0.0;
        }
}

static void set_halves(const TnProblem *p, const TnBond *bond, double s, Halves *h)
{
    double C[2][36], part[2];
    memset(h, 0, sizeof *h);
    tn_table_compliance(p, bond->row_a, C[0]);
    tn_table_compliance(p, bond->row_b, C[1]);
    for (int k = 0; k < 2; k++) {
        part[k] = 0.0;
        for (int i = 3 * k; i < 3 * k + 3; i++) part[k] += (C[0][7 * i] + C[1][7 * i]) / 3.0;
    }
    /* linear against angular compliance: less is rounding of positions */
    if (!(part[0] > TN_ROOM * TN_ROOM * pow(tn_bond_lever(bond), 2.0) * part[1])) part[0] = 0.0;
    double root[6];
    for (int i = 0; i < 6; i++) {
        root[i] = sqrt(part[i / 3]);
        h->mean[i] = h->mean[i + 6] = part[i / 3] / s;
    }
    for (int side = 0; side < 2; side++) {
        if (!(side ? bond->row_b : bond->row_a)) continue;
        double S[2][36];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                double both = root[i] * root[j], inverse = both > 0.0 ? 1.0 / both : 0.0;
                S[0][6 * i + j] = C[side][6 * i + j] * inverse;
                S[1][6 * i + j] = C[1 - side][6 * i + j] * inverse;
            }
        set_side(h, side, S[0], S[1], root, s);
    }
}

static int block_of_row(const TnProblem *p, int row)
{
    return row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

static void set_block_halves(const TnProblem *p, const TnBond *bond, Halves *h)
{
    memset(h, 0, sizeof *h);
    for (int side = 0; side < 2; side++) {
        int row = side ? bond->row_b : bond->row_a;
        if (!row) continue;
        double beta = p->block_beta[block_of_row(p, row)];
        for (int i = 0; i < 6; i++) {
            h->G[side][7 * i] = 1.0 / sqrt(beta);
            h->w[side][7 * i] = 1.0 / beta;
            h->W[side][7 * i] = beta;
            h->mean[i] += 1.0 / beta;
            h->mean[i + 6] += 1.0 / beta;
        }
    }
}

/* (B | X) ← Uᵀ⁻¹ (B | X) for I + B = UᵀU, with X = Gᵀ at the start. False: not positive definite.
 * Loops over all of a row vectorize; a third of that is wasted on triangles. */
static bool eliminate(double (*restrict R)[24])
{
    for (int k = 0; k < 12; k++) {
        double pivot = R[k][k] + 1.0, row[24];
        if (!(pivot > 0.0)) return false;
        double root = 1.0 / sqrt(pivot);
        for (int c = 0; c < 24; c++) R[k][c] = row[c] = R[k][c] * root;
        for (int r = k + 1; r < 12; r++) {
            double f = row[r];
            for (int c = 0; c < 24; c++) R[r][c] -= f * row[c];
        }
    }
    return true;
}

/* N = G (I + GᵀKG)⁻¹ Gᵀ. False: K is not positive semidefinite. */
static bool soft_inverse(const double *restrict K, double (*restrict G)[36],
                         double (*restrict N)[12])
{
    double Y[12][12] = {{0}}, R[12][24] = {{0}}; /* K G; (GᵀKG | Gᵀ) */
    for (int r = 0; r < 12; r++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 6; k++) {
                double x = K[12 * r + 6 * side + k];
                for (int c = 0; c < 6; c++) Y[r][6 * side + c] += x * G[side][6 * k + c];
            }
    for (int side = 0; side < 2; side++)
        for (int r = 0; r < 6; r++) {
            double *row = R[6 * side + r];
            for (int k = 0; k < 6; k++) {
                double g = row[12 + 6 * side + k] = G[side][6 * k + r];
                for (int c = 0; c < 12; c++) row[c] += g * Y[6 * side + k][c];
            }
        }
    if (!eliminate(R)) return false;
    for (int r = 0; r < 12; r++) {
        double sum[12] = {0};
        for (int k = 0; k < 12; k++) {
            double x = R[k][12 + r];
            for (int c = 0; c < 12; c++) sum[c] += x * R[k][12 + c];
        }
        memcpy(N[r], sum, sizeof sum);
    }
    return true;
}

static bool set_soft(TnBond *bond, Halves *h)
{
    double N[12][12], P[12][12] = {{0}};
    if (!soft_inverse(bond->K, h->G, N)) return false;
    for (int r = 0; r < 12; r++) {
        int side = r / 6;
        if (!(side ? bond->row_b : bond->row_a)) continue;
        if (h->singular[side]) {
            for (int k = 0; k < 12; k++)
                for (int c = 0; c < 12; c++) P[r][c] += bond->K[12 * r + k] * N[k][c];
            continue;
        }
        for (int k = 0; k < 6; k++)
            for (int c = 0; c < 12; c++)
                P[r][c] -= h->W[side][6 * (r % 6) + k] * N[6 * side + k][c];
        P[r][r] += 1.0;
    }
    for (int r = 0; r < 12; r++) {
        bool world = !(r / 6 ? bond->row_b : bond->row_a);
        double sum = world ? 0.0 : -bond->f[r];
        for (int c = 0; c < 12; c++) {
            sum += P[r][c] * bond->f[c];
            bond->P[12 * c + r] = P[r][c];
        }
        bond->c[r] = sum;
    }
    return true;
}

/* X = (J w Jᵀ)⁺ of a hard bond, n × n; Jw = J w. */
static void hard_inverse(const TnBond *bond, const Halves *h, double Jw[6][12], double X[36])
{
    int n = bond->hard;
    double M[36] = {0}, L[36], scale[6] = {0};
    memset(Jw, 0, sizeof(double[6][12]));
    for (int r = 0; r < n; r++) {
        const double *J = bond->J + 12L * r;
        double reference = 0.0;
        for (int k = 0; k < 12; k++) {
            for (int c = 0; c < 6; c++) Jw[r][k / 6 * 6 + c] += J[k] * h->w[k / 6][6 * (k % 6) + c];
            reference += J[k] * J[k] * h->mean[k];
        }
        scale[r] = reference > 0.0 ? 1.0 / sqrt(reference) : 0.0;
    }
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++) {
            double sum = 0.0;
            for (int k = 0; k < 12; k++) sum += Jw[r][k] * bond->J[12 * s + k];
            M[n * r + s] = scale[r] * scale[s] * sum;
        }
    /* Directions that yield less are given up: forces there would move the blocks' unknowns
     * 1/√TN_ROOM times as fast as the bond's error. */
    pseudo_inverse(n, pivoted_factor(n, M, TN_ROOM, n, L), L, X);
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++) X[n * r + s] = scale[r] * scale[s] * X[n * r + s];
}

static void set_hard(TnBond *bond, const Halves *h)
{
    int n = bond->hard;
    double Jw[6][12], X[36];
    hard_inverse(bond, h, Jw, X);
    memset(bond->P, 0, sizeof bond->P);
    memset(bond->c, 0, sizeof bond->c);
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++) {
            double x = X[n * r + s];
            for (int i = 0; i < 12; i++) {
                if (!(i / 6 ? bond->row_b : bond->row_a)) continue;
                double Jx = x * bond->J[12 * r + i];
                bond->c[i] -= Jx * bond->e[s];
                for (int j = 0; j < 12; j++) bond->P[12 * j + i] += Jx * Jw[s][j];
            }
        }
}

void tn_bond_gain(const TnProblem *p, const TnBond *bond, double scale, double G[144])
{
    Halves h;
    if (!bond->hard) {
        memcpy(G, bond->K, sizeof bond->K);
        return;
    }
    int n = bond->hard;
    double Jw[6][12], X[36];
    set_halves(p, bond, scale, &h);
    hard_inverse(bond, &h, Jw, X);
    memset(G, 0, sizeof(double[144]));
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++)
            for (int i = 0; i < 12; i++) {
                if (!(i / 6 ? bond->row_b : bond->row_a)) continue;
                double Jx = X[n * r + s] * bond->J[12 * r + i];
                for (int j = 0; j < 12; j++)
                    if (j / 6 ? bond->row_b : bond->row_a)
                        G[12 * i + j] += Jx * bond->J[12 * s + j];
            }
}

static double spring_factor(const TnBond *bond, double scale, const Halves *h)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 6; k++)
                sum += bond->K[12 * (6 * side + i) + 6 * side + k] * h->w[side][6 * k + i];
    return fmin(fmax(cbrt(scale * sum / (12.0 * STIFF)), 1.0), STIFF);
}

static void rescale(double factor, Halves *h)
{
    double root = sqrt(factor);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 36; i++) {
            h->G[side][i] /= root;
            h->w[side][i] /= factor;
            h->W[side][i] *= factor;
        }
    for (int i = 0; i < 12; i++) h->mean[i] /= factor;
}

bool tn_bond_prepare(TnProblem *p, const TnSolverDef *def, int index)
{
    TnBond *bond = &p->bonds[index];
    Halves h;
    if (p->block_beta)
        set_block_halves(p, bond, &h);
    else {
        set_halves(p, bond, def->weight_scale, &h);
        if (!bond->hard) rescale(spring_factor(bond, def->weight_scale, &h), &h);
    }
    memcpy(bond->W, h.W, sizeof bond->W);
    memcpy(bond->w, h.w, sizeof bond->w);
    for (int i = 0; i < 6; i++) { /* the world takes no force */
        if (!bond->row_a) bond->lambda[i] = 0.0;
        if (!bond->row_b) bond->lambda[6 + i] = 0.0;
    }
    memcpy(bond->t, bond->lambda, sizeof bond->t);
    if (!bond->hard) return set_soft(bond, &h);
    set_hard(bond, &h);
    return true;
}

void tn_bond_soft_velocity(const TnProblem *p, const TnBond *bond, const double force[12],
                           double velocity[12])
{
    Halves h;
    double N[12][12];
    set_halves(p, bond, 1.0, &h);
    memset(velocity, 0, sizeof(double[12]));
    if (!soft_inverse(bond->K, h.G, N)) return;
    for (int r = 0; r < 12; r++)
        for (int c = 0; c < 12; c++) velocity[r] += N[r][c] * force[c];
}

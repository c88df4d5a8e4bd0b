/* bonds.c: linear laws between two rows of the twist table, z = (v_a, v_b) ∈ R¹², λ the pair of
 * wrenches on them:
 *
 *     soft   λ = -(f + K z)              springs between groups of a cable
 *     hard   J z + e = 0,  λ = Jᵀμ       a gripper that holds one
 *
 * Their weights are full matrices, W = diag(W_a, W_b) with w = W⁻¹ (bond_weights.c), and so
 *
 *     t ← (1-α) t + α (λ - W z),
 *     soft   λ = t - W (W + K)⁻¹ (t + f),        hard   λ = Jᵀ (J w Jᵀ)⁻¹ (J w t - e),
 *
 * both λ = P t + c with P and c computed once. A block gets W_i on the row's part of H and half of λ
 * on its forces. The half of a bond that is on the fixed world is zero throughout. */
#include "problem.h"

#include <string.h>

bool tn_bonds_group(TnProblem *p)
{
    if (!p->bond_count) return true;
    int rows = p->table_rows;
    int32_t *start = p->bond_side_start = TN_ARENA_ZERO(p->arena, int32_t, rows + 2);
    p->bond_sides = TN_ARENA_NEW(p->arena, int32_t, 2 * p->bond_count);
    if (!start || !p->bond_sides) return false;
    for (int i = 0; i < p->bond_count; i++) {
        const int row[2] = {p->bonds[i].row_a, p->bonds[i].row_b};
        for (int side = 0; side < 2; side++) {
            if (row[side]) start[row[side] + 2]++;
            if (row[side] && row[side] < p->port_row) p->bonds_on_twists = true;
        }
    }
    for (int r = 0; r < rows; r++) start[r + 2] += start[r + 1];
    for (int i = 0; i < p->bond_count; i++) {
        const int row[2] = {p->bonds[i].row_a, p->bonds[i].row_b};
        for (int side = 0; side < 2; side++)
            if (row[side]) p->bond_sides[start[row[side] + 1]++] = 2 * i + side;
    }
    return true;
}

void tn_bonds_add_stiffness(const TnProblem *p, int begin, int end, double (*K)[TN_SYM6])
{
    if (!p->bond_count) return;
    for (int row = begin; row < end; row++)
        for (int i = p->bond_side_start[row]; i < p->bond_side_start[row + 1]; i++) {
            const double *W = p->bonds[p->bond_sides[i] / 2].W[p->bond_sides[i] % 2];
            for (int r = 0; r < 6; r++)
                for (int s = r; s < 6; s++) K[row][tn_sym6(r, s)] += W[6 * r + s];
        }
}

void tn_bonds_add_forces(const TnProblem *p, int begin, int end, double (*F)[8])
{
    if (!p->bond_count) return;
    for (int row = begin; row < end; row++)
        for (int i = p->bond_side_start[row]; i < p->bond_side_start[row + 1]; i++) {
            const double *f = p->bonds[p->bond_sides[i] / 2].lambda + 6 * (p->bond_sides[i] % 2);
            for (int k = 0; k < 3; k++) {
                F[row][k] += f[k];
                F[row][4 + k] += f[3 + k];
            }
        }
}

void tn_table_forces(const TnProblem *p, int begin, int end)
{
    p->kernels->row_forces(&p->contact_sides, begin, end, (const double(*)[3])p->lambda, p->F);
    tn_bonds_add_forces(p, begin, end, p->F);
}

void tn_bond_velocity(const TnBond *bond, const double (*twist)[8], double z[12])
{
    const double *a = twist[bond->row_a], *b = twist[bond->row_b];
    for (int k = 0; k < 3; k++) {
        z[k] = a[k];
        z[3 + k] = a[4 + k];
        z[6 + k] = b[k];
        z[9 + k] = b[4 + k];
    }
}

void tn_bond_weigh(double W[2][36], const double x[12], double y[12])
{
    double a[6] = {0}, b[6] = {0};
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) {
            a[i] += W[0][6 * j + i] * x[j];
            b[i] += W[1][6 * j + i] * x[6 + j];
        }
    memcpy(y, a, sizeof a);
    memcpy(y + 6, b, sizeof b);
}

/* λ = P t + c */
static inline void project(const double *restrict P, const double *restrict c,
                           const double *restrict t, double *restrict lambda)
{
    double sum[12];
    for (int i = 0; i < 12; i++) sum[i] = c[i];
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i++) sum[i] += P[12 * j + i] * t[j];
    memcpy(lambda, sum, sizeof sum);
}

/* Squared change of t in velocity units. */
static double squared_change(TnBond *bond, const double d[12])
{
    double moved[12];
    tn_bond_weigh(bond->w, d, moved);
    return tn_bond_squared(bond, moved);
}

void tn_bonds_update(TnProblem *p, int begin, int end, double alpha, bool measure)
{
    for (int i = begin; i < end; i++) {
        TnBond *bond = &p->bonds[i];
        double z[12], d[12];
        tn_bond_velocity(bond, (const double(*)[8])p->twist, z);
        tn_bond_weigh(bond->W, z, d);
        for (int k = 0; k < 12; k++) {
            d[k] = bond->lambda[k] - d[k] - bond->t[k];
            bond->t[k] += alpha * d[k];
        }
        if (measure) bond->change = squared_change(bond, d);
        project(bond->P, bond->c, bond->t, bond->lambda);
    }
}

/* ---- the paper's form ---- */

void tn_bond_start_paper(const TnProblem *p, int index, double z[12], double u[12])
{
    const TnBond *bond = &p->bonds[index];
    tn_bond_velocity(bond, (const double(*)[8])p->twist, z);
    for (int k = 0; k < 12; k++) u[k] = -bond->lambda[k];
}

double tn_bond_update_paper(TnProblem *p, int index, double z[12], double u[12])
{
    TnBond *bond = &p->bonds[index];
    double x[12], y[12], d[12], push[12];
    tn_bond_velocity(bond, (const double(*)[8])p->twist, x);
    tn_bond_weigh(bond->W, x, y);
    for (int k = 0; k < 12; k++) {
        y[k] += u[k];
        d[k] = -y[k] - bond->t[k];
        bond->t[k] = -y[k];
    }
    project(bond->P, bond->c, bond->t, bond->lambda);
    for (int k = 0; k < 12; k++) y[k] += bond->lambda[k];
    tn_bond_weigh(bond->w, y, z);
    for (int k = 0; k < 12; k++) y[k] = x[k] - z[k];
    tn_bond_weigh(bond->W, y, push);
    for (int k = 0; k < 12; k++) u[k] += push[k];
    return squared_change(bond, d);
}

/* ---- measures ---- */

double tn_bond_row_lever(const TnBond *bond, int row)
{
    const double *J = bond->J + 12L * row;
    for (int k = 0; k < 12; k++)
        if (k % 6 < 3 && J[k] != 0.0) return 1.0;
    return tn_bond_lever(bond);
}

int tn_bond_numbers(const TnBond *bond) { return bond->row_a && bond->row_b ? 12 : 6; }

double tn_bonds_residual(const TnProblem *p, int *count)
{
    double sum = 0.0;
    for (int i = 0; i < p->bond_count; i++) {
        sum += p->bonds[i].change;
        *count += tn_bond_numbers(&p->bonds[i]);
    }
    return sum;
}

double tn_bond_error(const TnProblem *p, const TnBond *bond, const double (*twist)[8], int *count)
{
    double z[12], r[12], velocity[12], sum = 0.0;
    tn_bond_velocity(bond, twist, z);
    if (bond->hard) {
        for (int i = 0; i < bond->hard; i++) {
            double u = bond->e[i];
            for (int k = 0; k < 12; k++) u += bond->J[12 * i + k] * z[k];
            u *= tn_bond_row_lever(bond, i);
            sum += u * u;
        }
        *count += bond->hard;
        return sum;
    }
    for (int i = 0; i < 12; i++) {
        r[i] = bond->lambda[i] + bond->f[i];
        for (int k = 0; k < 12; k++) r[i] += bond->K[12 * i + k] * z[k];
    }
    tn_bond_soft_velocity(p, bond, r, velocity);
    *count += tn_bond_numbers(bond);
    return tn_bond_squared(bond, velocity);
}

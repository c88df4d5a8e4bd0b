/* linear.c: the laws of bonds, linear ones between two rows of the twist table, z = (v_a, v_b) ∈
 * R¹², λ the pair of wrenches on them:
 *
 *     soft   λ = -(f + K z)              springs between groups of a cable
 *     hard   J z + e = 0,  λ = Jᵀμ       a gripper that holds one
 *
 * Their weights are full matrices, W = diag(W_a, W_b) with w = W⁻¹ (linear_weights.c), and so at t
 * = λ - W z
 *
 *     soft   λ = t - W (W + K)⁻¹ (t + f),        hard   λ = Jᵀ (J w Jᵀ)⁻¹ (J w t - e),
 *
 * both λ = P t + c with P and c computed once. The half of a bond that is on the fixed world is
 * zero throughout. */
#include "law.h"

void tn_bond_add_held(const TnBond *bond, const double lambda[12], double out[12])
{
    for (int j = 0; j < 12; j++)
        for (int k = 0; k < 12; k++) out[k] += bond->P[12 * j + k] * lambda[j];
}

void tn_bond_line(const TnProblem *p, const TnBond *bond, double R, const double *centre,
                  double a[12], double G[144])
{
    tn_bond_gain(p, bond, R, G);
    for (int k = 0; k < 12; k++)
        a[k] = bond->hard ? (centre ? centre[k] : 0.0) + R * bond->c[k] : -bond->f[k];
}

void tn_bond_force(const double a[12], const double G[144], const double z[12], double out[12])
{
    for (int r = 0; r < 12; r++) {
        out[r] = a[r];
        for (int k = 0; k < 12; k++) out[r] -= G[12 * r + k] * z[k];
    }
}

double tn_bond_squared_velocity(TnBond *bond, const double r[12])
{
    double velocity[12];
    tn_bond_weigh(bond->w, r, velocity);
    return tn_bond_squared(bond, velocity);
}

double tn_bond_map(TnBond *bond, const double z[12], const double lambda[12])
{
    double t[12], r[12];
    tn_bond_weigh(bond->W, z, t);
    for (int i = 0; i < 12; i++) t[i] = lambda[i] - t[i];
    tn_bond_project(bond, t, r);
    for (int i = 0; i < 12; i++) r[i] = lambda[i] - r[i];
    return tn_bond_squared_velocity(bond, r);
}

double tn_bond_row_lever(const TnBond *bond, int row)
{
    const double *J = bond->J + 12L * row;
    for (int k = 0; k < 12; k++)
        if (k % 6 < 3 && J[k] != 0.0) return 1.0;
    return tn_bond_lever(bond);
}

int tn_bond_numbers(const TnBond *bond) { return bond->row_a && bond->row_b ? 12 : 6; }

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

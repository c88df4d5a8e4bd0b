/* bonds.c: bonds in SubADMM. With weights W = diag(W_a, W_b),
 *
 *     t ← (1-α) t + α (λ - W z),   λ = Π(t)       Π as law/linear.c has it
 *
 * A block gets W_i on the row's part of H and half of λ on its forces. */
#include "law/law.h"

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
        if (measure) bond->change = tn_bond_squared_velocity(bond, d);
        tn_bond_project(bond, bond->t, bond->lambda);
    }
}

double tn_bonds_residual(const TnProblem *p, int *count)
{
    double sum = 0.0;
    for (int i = 0; i < p->bond_count; i++) {
        sum += p->bonds[i].change;
        *count += tn_bond_numbers(&p->bonds[i]);
    }
    return sum;
}

/* bonds.c: what ties two blocks together with all six axes at once: the springs of rods between two
 * groups of segments, and welds of segments to what is no part of their chain. A bond works on the
 * twists of two links, z = (v_a, v_b) at their centres of mass. */
#include "rows.h"

#include <string.h>

#include "../math/vec3.h"

/* Twist of a segment from that of the link that carries it: v_s = v_c + ω × r, so a wrench (f, τ) on
 * the segment is (f, τ + r × f) on its carrier. */
static void shift_wrench(const double r[3], double wrench[6])
{
    double x[3];
    v3_cross(x, r, wrench);
    v3_add(wrench + 3, wrench + 3, x);
}

/* K ← Xᵀ K X and f ← Xᵀ f for the half `side` of a bond, X the change to the carrier's twist. */
static void shift_half(TnBond *bond, int side, const double r[3])
{
    for (int column = 0; column < 12; column++) {
        double w[6];
        for (int k = 0; k < 6; k++) w[k] = bond->K[12 * (6 * side + k) + column];
        shift_wrench(r, w);
        for (int k = 0; k < 6; k++) bond->K[12 * (6 * side + k) + column] = w[k];
    }
    for (int row = 0; row < 12; row++) shift_wrench(r, bond->K + 12 * row + 6 * side);
    shift_wrench(r, bond->f + 6 * side);
}

static void start_from_law(const TnConstraintInput *in, const int links[2], TnBond *bond)
{
    double z[12];
    for (int side = 0; side < 2; side++) {
        const TnLink *link = &in->model->links[links[side]];
        bool own = in->division->carrier[links[side]] == links[side];
        memcpy(z + 6 * side,
               own ? in->state->vhat + link->dof_start
                   : in->twists[in->division->carrier[links[side]]],
               sizeof(double[6]));
    }
    for (int i = 0; i < 12; i++) {
        double sum = bond->f[i];
        for (int k = 0; k < 12; k++) sum += bond->K[12 * i + k] * z[k];
        bond->lambda[i] = bond->t[i] = -sum;
    }
}

/* A spring follows from the state, and so does its starting guess. */
void tn_constraint_add_springs(const TnConstraintInput *in, TnConstraintSet *set)
{
    for (int r = 0; r < in->model->rod_count; r++) {
        const TnRodSystem *rod = &in->rods[r];
        for (int i = 0; i < rod->cut_count; i++) {
            TnBond *bond = &set->problem.bonds[set->bond_next++];
            int a = in->model->rods[r].link_start + rod->cuts[i];
            const int links[2] = {a, a + 1};
            *bond = (TnBond){.row_a = set->link_row[a], .row_b = set->link_row[a + 1]};
            memcpy(bond->K, rod->bonds[i].K, sizeof bond->K);
            memcpy(bond->f, rod->bonds[i].f, sizeof bond->f);
            for (int side = 0; side < 2; side++) {
                int carrier = in->division->carrier[links[side]];
                double arm[3];
                if (carrier == links[side]) continue;
                v3_sub(arm, in->frames[links[side]].com, in->frames[carrier].com);
                shift_half(bond, side, arm);
            }
            start_from_law(in, links, bond);
            if (bond->row_a == bond->row_b) /* within one robot's link: nothing can move there */
                *bond = (TnBond){.row_a = bond->row_a};
        }
    }
}

/* ---- welds ---- */

static void set_half(double J[6], int axis, const double arm[3], double sign)
{
    double unit[3] = {0.0}, moment[3];
    unit[axis] = sign;
    v3_cross(moment, arm, unit);
    memcpy(J, unit, sizeof unit);
    memcpy(J + 3, moment, sizeof moment);
}

TnBond *tn_constraint_add_weld(const TnConstraintInput *in, TnConstraintSet *set, int equality,
                               const TnLinkFrame *at)
{
    const TnEquality *weld = &in->model->equalities[equality];
    int segment = weld->segment, a = in->division->carrier[weld->holder],
        b = in->division->carrier[segment];
    TnBond *bond = &set->problem.bonds[set->bond_next++];
    double arm_a[3], arm_b[3];
    *bond = (TnBond){.row_a = set->link_row[a], .row_b = set->link_row[b], .hard = 6};
    v3_sub(arm_a, at[segment].com, at[a].com);
    v3_sub(arm_b, at[segment].com, at[b].com);
    for (int k = 0; k < 3; k++) {
        set_half(bond->J + 12 * k, k, arm_a, -1.0);
        set_half(bond->J + 12 * k + 6, k, arm_b, 1.0);
        bond->J[12 * (3 + k) + 3 + k] = -1.0;
        bond->J[12 * (3 + k) + 9 + k] = 1.0;
    }
    for (int k = 0; k < 6; k++) {
        double mu = in->warm_start * in->state->row_lambda[tn_row_slot_equality(equality, k)];
        for (int i = 0; i < 12; i++) bond->lambda[i] += mu * bond->J[12 * k + i];
    }
    memcpy(bond->t, bond->lambda, sizeof bond->t);
    return bond;
}

/* μ of λ = Jᵀμ: the wrench on the segment at its own centre. */
void tn_constraint_keep_welds(const TnConstraintInput *in, const TnConstraintSet *set,
                              double *row_lambda)
{
    int next = in->division->bond_count;
    for (int i = in->model->equality_count; i-- > 0;) {
        if (!in->division->iterated[i]) continue;
        const TnBond *bond = &set->problem.bonds[--next];
        double *mu = row_lambda + tn_row_slot_equality(i, 0);
        memcpy(mu, bond->lambda + 6, sizeof(double[6]));
        for (int k = 0; k < 3; k++)
            v3_add_scaled(mu + 3, bond->J + 12 * k + 9, -bond->lambda[6 + k]);
    }
}

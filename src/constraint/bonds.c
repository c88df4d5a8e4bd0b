/* bonds.c: what ties two blocks together with all six axes at once: the springs of rods between two
 * groups of segments, and welds of segments to what is no part of their chain. A bond works on the
 * twists of two links, z = (v_a, v_b) at their centres of mass.
 *
 * Springs are stiff, and an iteration carries news from one group to the next only. So a rod that
 * is cut starts from its motion as a whole under last step's contact forces and welds, which is one
 * solve, and its springs from their law there: what is left to iterate is what these forces change.
 */
#include "rows.h"

#include <string.h>

#include "../math/vec3.h"

/* Twist of a segment from that of the link that carries it: v_s = v_c + ω × r, so a wrench (f, τ)
 * on the segment is (f, τ + r × f) on its carrier. */
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

/* Adds a wrench on one of the rod's segments to its list. */
static void add_wrench(const TnRod *rod, int link, const double force[3], const double torque[3],
                       double *wrenches)
{
    int i = link - rod->link_start;
    if (i < 0 || i >= rod->segment_count) return;
    v3_add(wrenches + 6L * i, wrenches + 6L * i, force);
    v3_add(wrenches + 6L * i + 3, wrenches + 6L * i + 3, torque);
}

static void add_contacts(const TnConstraintInput *in, const TnConstraintSet *set, const TnRod *rod,
                         double *wrenches)
{
    for (int i = 0; i < in->contacts->count; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        for (int side = 0; side < 2; side++) {
            int link = in->model->geoms[side ? c->geom2 : c->geom1].link;
            double arm[3], force[3], torque[3];
            v3_copy(arm, side ? c->arm2 : c->arm1);
            v3_scale(force, set->problem.lambda[i], side ? 1.0 : -1.0);
            v3_cross(torque, arm, force);
            add_wrench(rod, link, force, torque, wrenches);
        }
    }
}

static void add_welds(const TnConstraintInput *in, const TnRod *rod, double *wrenches)
{
    for (int i = 0; i < in->model->equality_count; i++) {
        const TnEquality *weld = &in->model->equalities[i];
        double mu[6];
        if (!weld->active || !weld->segment) continue;
        for (int k = 0; k < 6; k++)
            mu[k] = in->warm_start * in->state->row_lambda[tn_row_slot_equality(i, k)];
        add_wrench(rod, weld->segment, mu, mu + 3, wrenches);
    }
}

/* Sets v of the rod's segments in their blocks. False: no memory. */
static bool start_whole(const TnConstraintInput *in, TnConstraintSet *set, int index, double *v)
{
    const TnRod *rod = &in->model->rods[index];
    const TnDivision *d = in->division;
    double *wrenches = TN_ARENA_ZERO(in->arena, double, 6 * rod->segment_count);
    if (!wrenches) return false;
    add_contacts(in, set, rod, wrenches);
    add_welds(in, rod, wrenches);
    tn_rod_solve_whole(&in->systems->rods[index], wrenches, v);
    for (int i = 0; i < rod->segment_count; i++) {
        int link = rod->link_start + i, block = d->link_block[link];
        if (d->carrier[link] == link)
            memcpy(set->problem.large[block].v + tn_division_start(d, block, d->link_node[link]),
                   v + 6L * i, sizeof(double[6]));
    }
    return true;
}

static TnBond *next_bond(TnConstraintSet *set, int source)
{
    set->bond_source[set->bond_next] = source;
    return &set->problem.bonds[set->bond_next++];
}

static void add_spring(const TnConstraintInput *in, TnConstraintSet *set, const TnRodBond *spring,
                       int link, const double z[12])
{
    TnBond *bond = next_bond(set, link);
    *bond = (TnBond){.row_a = set->link_row[link],
                     .row_b = set->link_row[link + 1],
                     .lever = tn_pair_lever(in->model, link, link + 1)};
    if (bond->row_a == bond->row_b) { /* within one robot's link: nothing can move there */
        bond->row_b = 0;
        return;
    }
    memcpy(bond->K, spring->K, sizeof bond->K);
    memcpy(bond->f, spring->f, sizeof bond->f);
    for (int i = 0; i < 12; i++) {
        bond->lambda[i] = -bond->f[i];
        for (int k = 0; k < 12; k++) bond->lambda[i] -= bond->K[12 * i + k] * z[k];
    }
    for (int side = 0; side < 2; side++) {
        int carrier = in->division->carrier[link + side];
        double arm[3];
        if (carrier == link + side) continue;
        v3_sub(arm, in->frames[link + side].com, in->frames[carrier].com);
        shift_half(bond, side, arm);
        shift_wrench(arm, bond->lambda + 6L * side);
    }
    memcpy(bond->t, bond->lambda, sizeof bond->t);
}

/* λ = Jᵀμ of last step's μ. */
static void start_weld(const TnConstraintInput *in, int equality, TnBond *bond)
{
    for (int k = 0; k < 6; k++) {
        double mu = in->warm_start * in->state->row_lambda[tn_row_slot_equality(equality, k)];
        for (int i = 0; i < 12; i++) bond->lambda[i] += mu * bond->J[12 * k + i];
    }
    memcpy(bond->t, bond->lambda, sizeof bond->t);
}

/* v̂ = T q̇̂, and nothing more: where it is afterwards is not left to the constraint. */
static void add_followers(const TnConstraintInput *in, TnConstraintSet *set)
{
    for (int f = 0; f < in->division->follower_count; f++) {
        const TnFollower *follower = &in->division->followers[f];
        if (follower->carried || tn_link_asleep(in->state, in->model, follower->holder)) continue;
        TnBond *bond = next_bond(set, ~follower->equality);
        *bond = (TnBond){.row_a = set->follower_row[f],
                         .row_b = set->link_row[follower->segment],
                         .hard = 6,
                         .lever = in->model->links[follower->segment].lever};
        for (int k = 0; k < 6; k++) {
            bond->J[12 * k + k] = -1.0;
            bond->J[12 * k + 6 + k] = 1.0;
        }
        start_weld(in, follower->equality, bond);
    }
}

int tn_constraint_awake_bonds(const TnConstraintInput *in)
{
    const TnModel *model = in->model;
    const TnDivision *d = in->division;
    int count = d->bond_count;
    if (!in->state->asleep_count) return count;
    for (int r = 0; r < model->rod_count; r++)
        if (tn_rod_asleep(in, r)) count -= in->systems->rods[r].cut_count;
    for (int f = 0; f < d->follower_count; f++)
        count -=
            !d->followers[f].carried && tn_link_asleep(in->state, model, d->followers[f].holder);
    for (int i = 0; i < model->equality_count; i++)
        count -= d->iterated[i] && tn_equality_asleep(in->state, model, i);
    return count;
}

bool tn_constraint_add_bonds(const TnConstraintInput *in, TnConstraintSet *set)
{
    for (int r = 0; r < in->model->rod_count; r++) {
        const TnRodSystem *rod = &in->systems->rods[r];
        if (!rod->cut_count || tn_rod_asleep(in, r)) continue;
        double *v = TN_ARENA_NEW(in->arena, double, 6 * rod->count);
        if (!v || !start_whole(in, set, r, v)) return false;
        for (int i = 0; i < rod->cut_count; i++)
            add_spring(in, set, &rod->bonds[i], in->model->rods[r].link_start + rod->cuts[i],
                       v + 6L * rod->cuts[i]);
    }
    add_followers(in, set);
    return true;
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
    TnBond *bond = next_bond(set, ~equality);
    double arm_a[3], arm_b[3];
    *bond = (TnBond){.row_a = set->link_row[a],
                     .row_b = set->link_row[b],
                     .hard = 6,
                     .lever = tn_pair_lever(in->model, weld->holder, segment)};
    v3_sub(arm_a, at[segment].com, at[a].com);
    v3_sub(arm_b, at[segment].com, at[b].com);
    for (int k = 0; k < 3; k++) {
        set_half(bond->J + 12 * k, k, arm_a, -1.0);
        set_half(bond->J + 12 * k + 6, k, arm_b, 1.0);
        bond->J[12 * (3 + k) + 3 + k] = -1.0;
        bond->J[12 * (3 + k) + 9 + k] = 1.0;
    }
    start_weld(in, equality, bond);
    return bond;
}

/* μ of λ = Jᵀμ: the wrench on the segment at its own centre. */
void tn_constraint_keep_welds(const TnConstraintInput *in, const TnConstraintSet *set,
                              double *row_lambda)
{
    const TnDivision *d = in->division;
    int next = set->problem.bond_count;
    for (int i = in->model->equality_count; i-- > 0;) {
        if (!d->iterated[i] || tn_equality_asleep(in->state, in->model, i)) continue;
        const TnBond *bond = &set->problem.bonds[--next];
        double *mu = row_lambda + tn_row_slot_equality(i, 0);
        memcpy(mu, bond->lambda + 6, sizeof(double[6]));
        for (int k = 0; k < 3; k++)
            v3_add_scaled(mu + 3, bond->J + 12 * k + 9, -bond->lambda[6 + k]);
    }
    for (int f = d->follower_count; f-- > 0;)
        if (!d->followers[f].carried &&
            !tn_link_asleep(in->state, in->model, d->followers[f].holder))
            memcpy(row_lambda + tn_row_slot_equality(d->followers[f].equality, 0),
                   set->problem.bonds[--next].lambda + 6, sizeof(double[6]));
}

/* build.c: from the stages before to the solver's problem: its size, and what fills it in which
 * order. */
#include "rows.h"

bool tn_constraint_build(const TnConstraintInput *in, TnConstraintSet *set)
{
    const TnModel *model = in->model;
    int contacts = in->contacts->count;
    *set = (TnConstraintSet){0};
    set->link_row = TN_ARENA_NEW(in->arena, int, model->link_count);
    set->laws = TN_ARENA_NEW(in->arena, TnUnilateralLaw, contacts);
    set->follower_row = TN_ARENA_ZERO(in->arena, int, in->division->follower_count);
    set->soft_row = TN_ARENA_ZERO(in->arena, int, in->contacts->soft_point_count);
    TnTreeAxes *axes = TN_ARENA_ZERO(in->arena, TnTreeAxes, model->tree_count);
    int larges = tn_division_blocks(in->division);
    int *first_port = TN_ARENA_NEW(in->arena, int, larges + 1);
    TnWarmGroups groups;
    if (!set->link_row || !set->laws || !set->follower_row || !set->soft_row || !axes ||
        !first_port || !tn_warm_find(in, &groups))
        return false;

    int twists = model->rigid_count, bonds = tn_constraint_awake_bonds(in);
    for (int s = 0; in->state->asleep_count && s < model->subsystem_count; s++)
        twists -= in->state->asleep[s] && model->subsystems[s].kind == TN_SUBSYSTEM_RIGID;
    int port_row = 1 + (twists + TN_LANES - 1) / TN_LANES * TN_LANES;
    if (!tn_constraint_assign_rows(in, set, port_row, first_port)) return false;
    TnRowCounts counts = tn_constraint_count_rows(in);
    set->row_slot = TN_ARENA_NEW(in->arena, int, counts.rows);
    set->row_close = TN_ARENA_NEW(in->arena, double, counts.rows + 1);
    set->row_slope = tn_arena_alloc(in->arena, sizeof(double[3]) * (size_t)(counts.rows + 1));
    if (model->mocap_count) {
        set->row_drive = TN_ARENA_ZERO(in->arena, double, counts.rows + 1);
        if (!set->row_drive) return false;
    }
    set->limits = TN_ARENA_NEW(in->arena, TnLimit, counts.limits);
    set->bond_source = TN_ARENA_NEW(in->arena, int, bonds);
    set->port_middle = TN_ARENA_ZERO(in->arena, TnPortMiddle *, first_port[larges]);
    if (!set->port_middle) return false;
    TnProblemSize size = {.twists = twists,
                          .larges = larges,
                          .ports = first_port[larges],
                          .bonds = bonds,
                          .contacts = contacts,
                          .rows = counts.rows,
                          .sides = counts.sides,
                          .entries = counts.entries};
    set->block_v = TN_ARENA_NEW(in->arena, double *, larges);
    if (!set->row_slot || !set->row_close || !set->row_slope || !set->limits || !set->bond_source ||
        !set->block_v || !tn_problem_init_shared(&set->problem, in->arena, size, in->pool))
        return false;

    if (!tn_constraint_fill_blocks(in, set, axes, first_port)) return false;
    tn_constraint_fill_contacts(in, &groups, set);
    if (!tn_constraint_add_bonds(in, set) || !tn_constraint_fill_rows(in, axes, &counts, set))
        return false;
    tn_warm_rows(in, &groups, set);
    for (int i = 0; i < larges; i++) set->block_v[i] = set->problem.large[i].v;
    return true;
}

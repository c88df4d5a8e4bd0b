/* keep.c: from the solved problem back to the state: λ for the next step. */
#include "rows.h"

#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"

static void clear(TnState *state, int slot, int count)
{
    for (int k = 0; k < count; k++) *tn_row_lambda(state, slot + k) = 0.0;
}

/* λ of all rows but those of sleepers, which keep theirs until they wake. */
static void clear_rows(const TnConstraintInput *in, TnState *state)
{
    const TnModel *model = in->model;
    if (!state->asleep_count) {
        memset(state->row_lambda, 0, sizeof(double) * (size_t)state->row_lambda_count);
        if (state->tie_count)
            memset(state->tie_lambda, 0, sizeof(double) * 3 * (size_t)state->tie_count);
        return;
    }
    for (int i = 0; i < model->equality_count; i++)
        if (!tn_equality_asleep(state, model, i)) clear(state, tn_row_slot_equality(i, 0), 6);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (state->asleep[s] || sub->kind != TN_SUBSYSTEM_TREE) continue;
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            clear(state, tn_row_slot_joint(model, model->links[l].joint_start, 0),
                  3 * model->links[l].joint_count);
    }
    for (int i = 0; i < model->tendon_count; i++) {
        const TnTendon *tendon = &model->tendons[i];
        if (tn_subsystem_asleep(state, tendon->subsystem)) continue;
        clear(state, tn_row_slot_tendon(model, i, 0), 3);
        if (tendon->force >= 0) clear(state, tn_row_slot_force(model, tendon->force), 1);
    }
    for (int i = 0; i < model->actuator_count; i++)
        if (model->actuators[i].force >= 0 &&
            !tn_subsystem_asleep(state, model->actuators[i].subsystem))
            clear(state, tn_row_slot_force(model, model->actuators[i].force), 1);
    for (int i = 0; i < model->wheel_count; i++)
        if (!tn_link_asleep(state, model, model->bodies[model->wheels[i].body].link))
            clear(state, tn_row_slot_wheel(model, i, 0), 3);
    for (int s = 0; s < model->soft_count; s++)
        if (!state->asleep[model->softs[s].subsystem])
            clear(state, tn_row_slot_hold(model, s, 0, 0), 3 * model->softs[s].hold_count);
    for (int i = 0; i < model->tie_count; i++)
        if (!state->asleep[model->softs[model->ties[i].soft1].subsystem])
            clear(state, tn_row_slot_tie(model, i, 0), 3);
    for (int i = 0; i < state->tie_count; i++)
        if (!tn_piece_tie_asleep(in, i)) clear(state, state->row_lambda_count + 3 * i, 3);
}

typedef struct Keeping {
    const TnConstraintInput *in;
    const TnProblem *problem;
    TnState *state;
} Keeping;

static void keep_contacts(void *context, int begin, int end)
{
    const Keeping *k = context;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &k->in->contacts->points[i];
        k->state->contacts[i] =
            (TnWarmContact){.geom1 = c->geom1, .geom2 = c->geom2, .feature = c->feature};
        tn_problem_contact_lambda(k->problem, i, k->state->contacts[i].lambda);
    }
}

void tn_constraint_keep(const TnConstraintInput *in, const TnConstraintSet *set, TnState *state)
{
    const TnProblem *p = &set->problem;
    clear_rows(in, state);
    tn_constraint_keep_welds(in, set, state->row_lambda);
    int count = in->contacts->count;
    TN_ASSERT(count <= state->contact_capacity);
    state->contact_count = count;
    tn_pool_run(in->pool, count, 256, keep_contacts, &(Keeping){in, p, state});
    for (int r = 0; r < p->row_count; r++) {
        if (set->row_slot[r] >= 0) {
            *tn_row_lambda(state, set->row_slot[r]) = p->rows[r].lambda;
            continue;
        }
        /* rows of contacts: what they are rates of, in the world, times λ */
        const TnContactPoint *c = &in->contacts->points[p->rows[r].contact];
        TnWarmContact *kept = &state->contacts[p->rows[r].contact];
        double linear[3], angular[3];
        tn_contact_row(in->model, c, p->rows[r].set, set->row_slot[r], linear, angular);
        v3_add_scaled(kept->lambda, linear, p->rows[r].lambda);
        v3_add_scaled(kept->spin, angular, p->rows[r].lambda);
    }
}

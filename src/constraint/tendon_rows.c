/* tendon_rows.c: limits and dry friction of direct tendons. As for joints (rows.c), with the length
 * in place of the coordinate: J = coef over the dofs of one tree. */
#include "rows.h"

typedef struct Limit {
    double gap, v, v_end;
    double sign; /* of the length's rate that opens it */
} Limit;

static bool watch(const TnConstraintInput *in, const TnTendon *tendon, int upper, Limit *out)
{
    const TnSubsystem *sub = &in->model->subsystems[tendon->subsystem];
    double length = tn_moment_length(tendon->moments, tendon->moment_count, in->state->qpos),
           end = 0.0;
    for (int i = 0; i < tendon->moment_count; i++)
        end += tendon->moments[i].coef * tn_free_end(in, sub, tendon->moments[i].dof);
    out->sign = upper ? -1.0 : 1.0;
    out->gap = upper ? tendon->range[1] - length : length - tendon->range[0];
    out->v = out->sign * tn_moment_rate(tendon->moments, tendon->moment_count, in->state->qvel);
    out->v_end = out->sign * end;
    return tn_limit_is_near(out->gap, out->v, out->v_end, tendon->range[1] - tendon->range[0],
                            in->t);
}

void tn_constraint_count_tendons(const TnConstraintInput *in, TnRowCounts *counts)
{
    for (int k = 0; k < in->model->tendon_count; k++) {
        const TnTendon *tendon = &in->model->tendons[k];
        if (!tendon->direct || in->state->asleep[tendon->subsystem]) continue;
        Limit limit;
        int rows = tendon->friction_loss > 0.0;
        for (int upper = 0; tendon->limited && upper < 2; upper++)
            if (watch(in, tendon, upper, &limit)) rows++, counts->limits++;
        counts->rows += rows;
        counts->sides += rows;
        counts->entries += rows * in->model->subsystems[tendon->subsystem].dof_count;
    }
}

static void add_moments(TnRowWriter *w, TnRow *row, const TnTendon *tendon, double sign)
{
    const TnSubsystem *sub = &w->in->model->subsystems[tendon->subsystem];
    for (int i = 0; i < tendon->moment_count; i++)
        tn_row_add_dof(w, row, sub, tendon->moments[i].dof, sign * tendon->moments[i].coef);
}

void tn_constraint_add_tendons(TnRowWriter *w)
{
    const TnModel *model = w->in->model;
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        if (!tendon->direct || w->in->state->asleep[tendon->subsystem]) continue;
        for (int upper = 0; tendon->limited && upper < 2; upper++) {
            Limit limit;
            if (!watch(w->in, tendon, upper, &limit)) continue;
            TnRow *row = tn_row_begin(w, TN_ROW_INEQUALITY, tn_row_slot_tendon(model, k, upper));
            add_moments(w, row, tendon, limit.sign);
            tn_row_close_limit(w, row, &model->subsystems[tendon->subsystem], limit.gap, limit.v,
                               limit.v_end);
            tn_row_is_straight(w, row, 0.0, 0.0, 0.0);
        }
        if (tendon->friction_loss > 0.0) {
            TnRow *row = tn_row_begin(w, TN_ROW_BOX, tn_row_slot_tendon(model, k, 2));
            add_moments(w, row, tendon, 1.0);
            tn_row_close_friction(w, row, tendon->friction_loss);
            tn_row_is_straight(w, row, 0.0, w->in->theta - 1.0, 0.0);
        }
    }
}

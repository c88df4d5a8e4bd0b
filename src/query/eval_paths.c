/* eval_paths.c: what tendons with inertia that are rows (path_rows.c) add to the mass matrix and
 * the bias of a model at a state: with L̇ = J q̇,
 *
 *     M += a Jᵀ J        bias += a Jᵀ (dJ/dt q̇).
 *
 * J has the rates of the length that unit velocities make. dJ/dt q̇ is the change of L̇ with q̇ kept,
 * by differences of fourth order. */
#include "eval_paths.h"

#include "../base/base.h"
#include "../model/path.h"

#include <math.h>

/* Of the way that the fastest dof goes between two places. Their error is STEP⁴/30 of the fifth
 * derivative, and rounding 1e-16/STEP. */
#define STEP 1e-3

typedef struct Work {
    const TnModel *model;
    const TnPath *path;
    const double *qpos, *qvel;
    const TnLinkFrame *frames;
    /* scratch */
    double *q, *v, (*twists)[6];
    TnLinkFrame *moved;
} Work;

/* The subsystem of one of its links, where no link before is in it; NULL: it was there. */
static const TnSubsystem *next_part(const Work *w, int index)
{
    const TnModel *model = w->model;
    int s = model->links[w->path->links[index]].subsystem;
    for (int i = 0; i < index; i++)
        if (model->links[w->path->links[i]].subsystem == s) return NULL;
    return &model->subsystems[s];
}

/* L̇ with velocities v. */
static double rate_of(const Work *w, const double *qpos, const double *v, const TnLinkFrame *frames)
{
    double rate;
    for (int i = 0; i < w->path->link_count; i++) {
        const TnSubsystem *sub = next_part(w, i);
        if (sub)
            tn_kinematics_twists(w->model, qpos, v, frames, sub->link_start, sub->link_count,
                                 w->twists);
    }
    tn_path_rate(w->model, w->path, qpos, v, frames, (const double(*)[6])w->twists, &rate);
    return rate;
}

/* L̇ at q ⊕ h q̇. */
static double rate_at(const Work *w, double h)
{
    for (int i = 0; i < w->path->link_count; i++) {
        const TnSubsystem *sub = next_part(w, i);
        if (!sub) continue;
        tn_integrate_qpos(w->model, sub, w->qpos, w->qvel, h, w->q);
        tn_kinematics(w->model, w->q, sub->link_start, sub->link_count, w->moved);
    }
    return rate_of(w, w->q, w->qvel, w->moved);
}

static double turn_of(const Work *w)
{
    double fastest = 0.0;
    for (int d = 0; d < w->model->dof_count; d++) fastest = fmax(fastest, fabs(w->qvel[d]));
    if (!(fastest > 0.0)) return 0.0;
    double h = STEP / fastest;
    return (8.0 * (rate_at(w, h) - rate_at(w, -h)) - (rate_at(w, 2.0 * h) - rate_at(w, -2.0 * h))) /
           (12.0 * h);
}

static void add_one(Work *w, double inertia, double *J, TnEval *out)
{
    const TnModel *model = w->model;
    int n = model->dof_count;
    memset(J, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < w->path->link_count; i++) {
        const TnSubsystem *sub = next_part(w, i);
        for (int d = sub ? sub->dof_start : 0; sub && d < sub->dof_start + sub->dof_count; d++) {
            w->v[d] = 1.0;
            J[d] = rate_of(w, w->qpos, w->v, w->frames);
            w->v[d] = 0.0;
        }
    }
    double turn = out->bias || out->inverse ? turn_of(w) : 0.0, along = turn;
    for (int d = 0; out->qacc && d < n; d++) along += J[d] * out->qacc[d];
    for (int d = 0; d < n; d++) {
        if (out->bias) out->bias[d] += inertia * J[d] * turn;
        if (out->inverse) out->inverse[d] += inertia * J[d] * along;
        for (int e = 0; out->mass_matrix && J[d] != 0.0 && e < n; e++)
            out->mass_matrix[(size_t)d * (size_t)n + (size_t)e] += inertia * J[d] * J[e];
    }
}

bool tn_eval_has_paths(const TnModel *model)
{
    for (int k = 0; k < model->tendon_count; k++)
        if (model->tendons[k].inertia > 0.0) return true;
    return false;
}

size_t tn_eval_paths_size(const TnModel *model)
{
    size_t links = (size_t)model->link_count, numbers = (size_t)model->qpos_count;
    if (!tn_eval_has_paths(model)) return 0;
    return links * (sizeof(TnLinkFrame) + sizeof(double[6])) +
           (numbers + 2 * (size_t)model->dof_count) * sizeof(double) + 5 * TN_ARENA_ALIGN;
}

bool tn_eval_paths(const TnModel *model, const double *qpos, const double *qvel,
                   const TnLinkFrame *frames, TnArena *arena, TnEval *out)
{
    if (!tn_eval_has_paths(model)) return true;
    size_t mark = tn_arena_mark(arena), links = (size_t)model->link_count;
    Work w = {.model = model,
              .qpos = qpos,
              .qvel = qvel,
              .frames = frames,
              .q = TN_ARENA_NEW(arena, double, model->qpos_count),
              .v = TN_ARENA_ZERO(arena, double, model->dof_count),
              .twists = tn_arena_alloc(arena, sizeof(double[6]) * links),
              .moved = TN_ARENA_NEW(arena, TnLinkFrame, model->link_count)};
    double *J = TN_ARENA_NEW(arena, double, model->dof_count);
    if (!w.q || !w.v || !w.twists || !w.moved || !J) return false;
    memcpy(w.q, qpos, sizeof(double) * (size_t)model->qpos_count);
    memset(w.twists, 0, sizeof(double[6]) * links);
    memcpy(w.moved, frames, sizeof *frames * links);
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        if (!(tendon->inertia > 0.0)) continue;
        w.path = &model->paths[tendon->path];
        add_one(&w, tendon->inertia, J, out);
    }
    tn_arena_release(arena, mark);
    return true;
}

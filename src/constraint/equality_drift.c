/* equality_drift.c: takes out of the new velocity what a step left in it across curved equalities
 * of joints and tendons: the nearest velocity, measured by the kinetic energy, with J v = 0,
 *
 *     v ← v - M⁻¹Jᵀ (J M⁻¹ Jᵀ)⁻¹ J v.
 *
 * A step closes these equalities at its end (close_law in equality.c). At θ = ½ what that leaves
 * across them would alternate for ever, v⁺ = 2 v̂ - v, so it is taken out, as RATTLE does it, and as
 * wheel_slip.c for wheels. Row by row: each is made orthogonal (in M⁻¹) to those before it, and one
 * of which nothing is left drops out. */
#include "rows.h"

#include <string.h>

#include "../base/rounding.h"
#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "../model/path.h"
#include "constraint.h"

/* Squared length below which of a row nothing is left. */

/* Of one subsystem, once asked for. */
typedef struct Part {
    double (*S)[6]; /* motion axes at `origin` */
    double *M;      /* its factor */
    double origin[3];
} Part;

typedef struct Drift {
    const TnModel *model;
    const double *qpos;
    double *v;
    TnLinkFrame *frames;
    TnArena *arena;
    Part *parts;    /* per subsystem */
    double *J, *Y;  /* rows so far, and M⁻¹ of each; all dofs */
    double *length; /* J M⁻¹ Jᵀ of each */
    int count;
    bool failed; /* no memory */
} Drift;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

static bool open_part(Drift *d, int s)
{
    const TnSubsystem *sub = &d->model->subsystems[s];
    Part *part = &d->parts[s];
    int n = sub->dof_count;
    if (part->S) return true;
    part->S = tn_arena_alloc(d->arena, sizeof(double[6]) * (size_t)n);
    part->M = TN_ARENA_NEW(d->arena, double, n *n);
    if (!part->S || !part->M) {
        d->failed = true;
        return false;
    }
    tn_kinematics(d->model, d->qpos, sub->link_start, sub->link_count, d->frames);
    v3_copy(part->origin, d->frames[sub->link_start].com);
    tn_tree_axes(d->model, sub, d->qpos, d->frames, part->origin, part->S);
    tn_tree_mass_matrix(d->model, sub, d->frames, part->origin, (const double(*)[6])part->S,
                        d->arena, part->M);
    return tn_cholesky(part->M, n);
}

/* ---- J ---- */

typedef struct Row {
    Drift *drift;
    double *J, sign;
} Row;

static void add_pull(void *context, int link, const double point[3], const double linear[3],
                     const double angular[3])
{
    Row *row = context;
    const TnModel *model = row->drift->model;
    const TnLink *l = &model->links[link];
    const Part *part = &row->drift->parts[l->subsystem];
    int first = model->subsystems[l->subsystem].dof_start;
    double arm[3], velocity[3];
    v3_sub(arm, point, part->origin);
    for (int d = l->dof_start + l->dof_count - 1; d >= 0; d = model->dof_parent[d]) {
        const double *S = part->S[d - first];
        v3_cross(velocity, S + 3, arm);
        v3_add(velocity, velocity, S);
        row->J[d] += row->sign * (v3_dot(linear, velocity) + v3_dot(angular, S + 3));
    }
}

static void add_moment(void *context, int dof, double coef)
{
    Row *row = context;
    row->J[dof] += row->sign * coef;
}

static bool open_path(Drift *d, const TnPath *path)
{
    for (int i = 0; i < path->link_count; i++)
        if (!open_part(d, d->model->links[path->links[i]].subsystem)) return false;
    return true;
}

static double add_path(Drift *d, double *J, int tendon, double sign)
{
    Row row = {d, J, sign};
    const TnTendon *t = &d->model->tendons[tendon];
    return tn_path_walk(d->model, &d->model->paths[t->path], d->qpos, d->frames,
                        &(TnPathVisitor){add_pull, add_moment, &row}) -
           t->reference_length;
}

static bool write_tendons(Drift *d, const TnEquality *e, double *J)
{
    const TnModel *model = d->model;
    double x = 0.0;
    if (!open_path(d, &model->paths[model->tendons[e->tendon1].path])) return false;
    if (e->tendon2 >= 0) {
        if (!open_path(d, &model->paths[model->tendons[e->tendon2].path])) return false;
        x = tn_path_walk(model, &model->paths[model->tendons[e->tendon2].path], d->qpos, d->frames,
                         NULL) -
            model->tendons[e->tendon2].reference_length;
        add_path(d, J, e->tendon2, -tn_polynomial_slope(e->polycoef, x));
    }
    add_path(d, J, e->tendon1, 1.0);
    return true;
}

static bool write_joints(Drift *d, const TnEquality *e, double *J)
{
    const TnJoint *j1 = &d->model->joints[e->joint1], *j2 = &d->model->joints[e->joint2];
    if (!open_part(d, d->model->links[j1->link].subsystem) ||
        !open_part(d, d->model->links[j2->link].subsystem))
        return false;
    J[j1->dof_start] += 1.0;
    J[j2->dof_start] -= tn_polynomial_slope(e->polycoef, d->qpos[j2->qpos_start] - j2->ref);
    return true;
}

/* ---- the velocity ---- */

static void divide_by_mass(const Drift *d, double *x)
{
    for (int s = 0; s < d->model->subsystem_count; s++) {
        const TnSubsystem *sub = &d->model->subsystems[s];
        if (d->parts[s].S) tn_cholesky_solve(d->parts[s].M, sub->dof_count, x + sub->dof_start);
    }
}

static void stop(Drift *d, const TnEquality *e)
{
    int n = d->model->dof_count;
    double *J = d->J + (long)d->count * n, *Y = d->Y + (long)d->count * n;
    memset(J, 0, sizeof(double) * (size_t)n);
    if (!(e->type == TN_EQUALITY_JOINT ? write_joints : write_tendons)(d, e, J)) return;
    memcpy(Y, J, sizeof(double) * (size_t)n);
    divide_by_mass(d, Y);
    double before = dot(n, J, Y);
    for (int i = 0; i < d->count; i++) {
        const double *Ji = d->J + (long)i * n, *Yi = d->Y + (long)i * n;
        double share = dot(n, J, Yi) / d->length[i];
        for (int k = 0; k < n; k++) {
            J[k] -= share * Ji[k];
            Y[k] -= share * Yi[k];
        }
    }
    double length = dot(n, J, Y);
    if (!(length > TN_ROOM * TN_ROOM * before)) return;
    double share = dot(n, J, d->v) / length;
    for (int k = 0; k < n; k++) d->v[k] -= share * Y[k];
    d->length[d->count++] = length;
}

bool tn_equalities_stop_drift(const TnModel *model, const TnState *state, const double *qpos,
                              double *qvel, TnLinkFrame *frames, TnArena *arena, bool *changed)
{
    int rows = 0;
    for (int i = 0; i < model->equality_count; i++)
        rows += model->equalities[i].active && model->equalities[i].curved;
    if (!rows) return true;
    size_t numbers = (size_t)rows * (size_t)model->dof_count;
    Drift d = {.model = model,
               .qpos = qpos,
               .v = qvel,
               .frames = frames,
               .arena = arena,
               .parts = TN_ARENA_ZERO(arena, Part, model->subsystem_count),
               .J = TN_ARENA_NEW(arena, double, numbers),
               .Y = TN_ARENA_NEW(arena, double, numbers),
               .length = TN_ARENA_NEW(arena, double, rows)};
    if (!d.parts || !d.J || !d.Y || !d.length) return false;
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (e->active && e->curved && !tn_equality_asleep(state, model, i)) stop(&d, e);
    }
    for (int s = 0; s < model->subsystem_count; s++) changed[s] = d.parts[s].S != NULL;
    return !d.failed;
}

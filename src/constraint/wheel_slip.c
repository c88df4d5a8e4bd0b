/* wheel_slip.c: takes what slip a step left out of the new velocity: the nearest velocity, measured
 * by the kinetic energy, with J v = 0 for the wheels of a subsystem,
 *
 *     v ← v - M⁻¹Jᵀ (J M⁻¹ Jᵀ)⁻¹ J v.
 *
 * The change lies along the wheels' own forces, so the motion that they leave free does not notice.
 * Row by row: each is made orthogonal (in M⁻¹) to those before it, and one of which nothing is
 * left, such as the second wheel of an axle, drops out. */
#include "rows.h"

#include <string.h>

#include "../base/rounding.h"
#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "constraint.h"

/* Squared length below which of a row nothing is left. */

/* One subsystem at the new state. */
typedef struct Slip {
    const TnModel *model;
    const TnSubsystem *sub;
    const TnLinkFrame *frames;
    double origin[3];
    double (*S)[6];
    double *M;      /* its factor */
    double *J, *Y;  /* rows so far, and M⁻¹ of each */
    double *length; /* J M⁻¹ Jᵀ of each */
    int count;
    double *v;
} Slip;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* J of the velocity of a link's point along a direction. */
static void write_row(const Slip *s, int link, const double point[3], const double direction[3],
                      double *J)
{
    const TnLink *l = &s->model->links[link];
    double arm[3], velocity[3];
    memset(J, 0, sizeof(double) * (size_t)s->sub->dof_count);
    v3_sub(arm, point, s->origin);
    for (int d = l->dof_start + l->dof_count - 1; d >= 0; d = s->model->dof_parent[d]) {
        const double *S = s->S[d - s->sub->dof_start];
        v3_cross(velocity, S + 3, arm);
        v3_add(velocity, velocity, S);
        J[d - s->sub->dof_start] = v3_dot(direction, velocity);
    }
}

static void stop(Slip *s, int link, const double point[3], const double direction[3])
{
    int n = s->sub->dof_count;
    double *J = s->J + (long)s->count * n, *Y = s->Y + (long)s->count * n;
    write_row(s, link, point, direction, J);
    memcpy(Y, J, sizeof(double) * (size_t)n);
    tn_cholesky_solve(s->M, n, Y);
    double before = dot(n, J, Y);
    for (int i = 0; i < s->count; i++) {
        const double *Ji = s->J + (long)i * n, *Yi = s->Y + (long)i * n;
        double share = dot(n, J, Yi) / s->length[i];
        for (int k = 0; k < n; k++) {
            J[k] -= share * Ji[k];
            Y[k] -= share * Yi[k];
        }
    }
    double length = dot(n, J, Y);
    if (!(length > TN_ROOM * TN_ROOM * before)) return;
    double share = dot(n, J, s->v) / length;
    for (int k = 0; k < n; k++) s->v[k] -= share * Y[k];
    s->length[s->count++] = length;
}

static bool begin(Slip *s, const double *qpos, TnArena *arena, int rows)
{
    int n = s->sub->dof_count;
    s->S = tn_arena_alloc(arena, sizeof(double[6]) * (size_t)n);
    s->M = TN_ARENA_NEW(arena, double, n *n);
    s->J = TN_ARENA_NEW(arena, double, n *rows);
    s->Y = TN_ARENA_NEW(arena, double, n *rows);
    s->length = TN_ARENA_NEW(arena, double, rows);
    if (!s->S || !s->M || !s->J || !s->Y || !s->length) return false;
    v3_copy(s->origin, s->frames[s->sub->link_start].com);
    tn_tree_axes(s->model, s->sub, qpos, s->frames, s->origin, s->S);
    tn_tree_mass_matrix(s->model, s->sub, s->frames, s->origin, (const double(*)[6])s->S, arena,
                        s->M);
    return tn_cholesky(s->M, n);
}

static const TnSubsystem *part_of(const TnModel *model, const TnWheel *wheel)
{
    return tn_part_of_link(model, model->bodies[wheel->body].link);
}

static void stop_wheel(Slip *s, const TnWheel *wheel)
{
    int link = s->model->bodies[wheel->body].link;
    TnStand stand;
    if (!tn_wheel_stand(s->model, s->frames, wheel, &stand)) return;
    stop(s, link, stand.point, stand.lateral);
    if (wheel->kind == TN_WHEEL_ROLLING) stop(s, link, stand.point, stand.forward);
    if (wheel->keep_height) stop(s, link, stand.point, wheel->normal);
}

bool tn_wheels_stop_slip(const TnModel *model, const TnState *state, const double *qpos,
                         double *qvel, TnLinkFrame *frames, TnArena *arena)
{
    for (int i = 0; i < model->wheel_count; i++) {
        const TnSubsystem *sub = part_of(model, &model->wheels[i]);
        bool first = true;
        for (int k = 0; k < i; k++) first = first && part_of(model, &model->wheels[k]) != sub;
        if (!first || state->asleep[sub - model->subsystems]) continue;
        Slip s = {.model = model, .sub = sub, .frames = frames, .v = qvel + sub->dof_start};
        tn_kinematics(model, qpos, sub->link_start, sub->link_count, frames);
        if (!begin(&s, qpos, arena, 3 * (model->wheel_count - i))) return false;
        for (int k = i; k < model->wheel_count; k++)
            if (part_of(model, &model->wheels[k]) == sub) stop_wheel(&s, &model->wheels[k]);
    }
    return true;
}

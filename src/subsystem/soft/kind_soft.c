/* kind_soft.c: soft bodies over a step (kind.h). They have nodes and no links. */
#include "../kind.h"

#include <math.h>
#include <string.h>

#include "../../math/vec3.h"
#include "../../world/sleep.h"

static const TnSoft *body_of(const TnModel *model, int s)
{
    return &model->softs[model->subsystems[s].kind_index];
}

static bool is_anchored(const TnModel *model, int s)
{
    const TnSoft *soft = body_of(model, s);
    for (int n = 0; n < soft->node_count; n++)
        if (soft->pinned[n]) return true;
    return false;
}

static bool is_pulled(const TnModel *model, int s)
{
    return body_of(model, s)->damping_mass != 0.0;
}

/* ---- masses and energies ---- */

static double mass(const TnModel *model, int s) { return body_of(model, s)->mass; }

/* ρ V / 20 of an element of a body with a consistent mass matrix: M is that times 1 + δ_ab between
 * its corners a and b. */
static double mass_share(const TnSoft *soft, const int32_t tet[4])
{
    double e[3][3], c[3];
    for (int a = 0; a < 3; a++)
        v3_sub(e[a], soft->rest + 3L * tet[a + 1], soft->rest + 3L * tet[0]);
    v3_cross(c, e[0], e[1]);
    return soft->density * v3_dot(c, e[2]) / 120.0;
}

/* Twice the kinetic energy and the momenta of mass m that moves with v at x; v_other belongs to the
 * same mass. */
static void add_mass(double m, const double x[3], const double v[3], const double v_other[3],
                     double *twice, double linear[3], double angular[3])
{
    double orbit[3];
    v3_cross(orbit, x, v);
    *twice += m * v3_dot(v, v_other);
    v3_add_scaled(linear, v, m);
    v3_add_scaled(angular, orbit, m);
}

double tn_soft_motion(const TnSoft *soft, const double *qpos, const double *qvel, double linear[3],
                      double angular[3])
{
    const double *x = qpos + soft->qpos_start, *v = qvel + soft->dof_start;
    double twice = 0.0;
    for (int i = 0; i < soft->node_count && !soft->consistent_mass; i++)
        add_mass(soft->masses[i], x + 3L * i, v + 3L * i, v + 3L * i, &twice, linear, angular);
    for (int t = 0; t < soft->tet_count && soft->consistent_mass; t++) {
        const int32_t *tet = soft->tets + 4L * t;
        double m = mass_share(soft, tet);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                add_mass(a == b ? 2.0 * m : m, x + 3L * tet[a], v + 3L * tet[b], v + 3L * tet[a],
                         &twice, linear, angular);
    }
    return 0.5 * twice;
}

static double kinetic(const TnModel *model, int s, const TnInstant *now)
{
    double linear[3] = {0.0}, angular[3] = {0.0};
    return tn_soft_motion(body_of(model, s), now->qpos, now->qvel, linear, angular);
}

static double gravity(const TnModel *model, int s, const TnInstant *now)
{
    const TnSoft *soft = body_of(model, s);
    double sum = 0.0;
    for (int i = 0; i < soft->node_count; i++)
        sum += tn_energy_of_height(model, soft->masses[i], now->qpos + soft->qpos_start + 3L * i);
    return sum;
}

static double fall(const TnModel *model, int s, const TnInstant *before, const TnInstant *after)
{
    const TnSoft *soft = body_of(model, s);
    double sum = 0.0, way[3];
    for (int i = 0; i < soft->node_count; i++) {
        int at = soft->qpos_start + 3 * i;
        v3_sub(way, after->qpos + at, before->qpos + at);
        sum -= soft->masses[i] * v3_dot(model->option.gravity, way);
    }
    return sum;
}

static double elastic(const TnModel *model, int s, const TnSoftElements *elements,
                      const TnInstant *now)
{
    int soft = model->subsystems[s].kind_index;
    if (now->elastic) return now->elastic[soft];
    return elements ? tn_soft_energy(elements, model, soft, now->qpos) : 0.0;
}

static void add_masses(const TnModel *model, int s, const TnInstant *now, const double at[3],
                       TnMassSums *sums)
{
    const TnSoft *soft = body_of(model, s);
    const double *x = now->qpos + soft->qpos_start, *v = now->qvel + soft->dof_start;
    for (int i = 0; i < soft->node_count && !soft->consistent_mass; i++) {
        double r[3];
        v3_sub(r, x + 3L * i, at);
        tn_masses_add_point(sums, soft->masses[i], r, v + 3L * i, r);
    }
    for (int t = 0; t < soft->tet_count && soft->consistent_mass; t++) {
        const int32_t *tet = soft->tets + 4L * t;
        double m = mass_share(soft, tet);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                double r[3], r_of[3];
                v3_sub(r, x + 3L * tet[a], at);
                v3_sub(r_of, x + 3L * tet[b], at);
                tn_masses_add_point(sums, a == b ? 2.0 * m : m, r, v + 3L * tet[b], r_of);
            }
    }
}

static double speed(const TnWorld *world, int s)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    const double *v = world->state.qvel + sub->dof_start;
    double most = 0.0;
    for (int n = 0; n < sub->dof_count; n += 3) most = fmax(most, v3_dot(v + n, v + n));
    return sqrt(most);
}

/* ---- the problem ---- */

static const double *start_velocity(const TnWorld *world, int s)
{
    return world->state.qvel + world->model->subsystems[s].dof_start;
}

static void gather(const TnStep *step, int s, double *vhat)
{
    tn_soft_velocity(&step->soft_input, step->model->subsystems[s].kind_index,
                     step->world->set.block_v, vhat);
}

/* Of nodes that pieces share the first copy counts. */
static void velocity(const TnWorld *world, int s, double *qvel)
{
    const TnModel *model = world->model;
    const TnSoft *soft = body_of(model, s);
    const TnDivision *d = world->division;
    int index = model->subsystems[s].kind_index;
    for (int i = 0; i < soft->node_count; i++) {
        const TnSoftPiece *piece = &d->pieces[d->node_piece[index][i]];
        int at = d->node_place[index][i], node = piece->block_node[at], hold = piece->hold[at];
        double *v = qvel + soft->dof_start + 3L * i;
        v3_zero(v);
        if (node >= 0) {
            v3_copy(v, world->set.block_v[piece->block] + 3L * node);
        } else if (hold >= 0) {
            const TnSubsystem *tree = tn_part_of_link(model, soft->holds[hold].link);
            tn_follow(3, tree->dof_count, world->systems.softs[index].holds[hold].T,
                      tn_tree_unknowns(world, &world->set.problem, tree->kind_index), v);
        }
    }
}

static bool is_solved(const TnWorld *world, int s)
{
    const TnDivision *d = world->division;
    int soft = world->model->subsystems[s].kind_index, first = d->soft_piece[soft];
    for (int i = first; i < first + d->soft_piece_count[soft]; i++)
        if (!tn_sleep_is_large_solved(world, d->pieces[i].block)) return false;
    return true;
}

/* ---- the step ---- */

static void find_way(const TnStep *step, int s, double p, double r)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    for (int d = sub->dof_start; d < sub->dof_start + sub->dof_count; d++)
        step->found.moved_qvel[d] = p * step->found.vhat[d] - r * step->world->state.qvel[d];
}

static void advance(const TnStep *step, int s)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    tn_soft_advance(&step->soft_input, sub->kind_index, step->found.vhat + sub->dof_start,
                    step->way.reach[s], step->way.strain[s], step->world->next_qpos,
                    step->world->next_qvel);
}

static void change(const TnWorld *world, int s, const TnChange *c, double *v)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    const double *x = world->next_qpos + sub->qpos_start;
    for (int k = 0; k < sub->dof_count; k += 3) tn_change_point(c, x + k, v + k);
}

static void shift(const TnWorld *world, int s, const double way[3])
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    double *x = world->next_qpos + sub->qpos_start;
    for (int k = 0; k < sub->qpos_count; k += 3) v3_add(x + k, x + k, way);
}

const TnKind tn_kind_soft = {.is_anchored = is_anchored,
                             .is_pulled = is_pulled,
                             .mass = mass,
                             .kinetic = kinetic,
                             .gravity = gravity,
                             .fall = fall,
                             .elastic = elastic,
                             .add_masses = add_masses,
                             .speed = speed,
                             .start_velocity = start_velocity,
                             /* it must know that its velocity is news (subsystem/soft/expect.c) */
                             .starts_from_rest = true,
                             .gather = gather,
                             .velocity = velocity,
                             .is_solved = is_solved,
                             .find_way = find_way,
                             .advance = advance,
                             .change = change,
                             .shift = shift};

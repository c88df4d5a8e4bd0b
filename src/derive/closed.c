/* closed.c: columns in closed form, of worlds of trees.
 *
 * With A v̂ = b + Jᵀλ and the laws' F(λ, u) = 0, u = J v̂ + e, a change of state and controls is
 *
 *     dv̂ = (I - A⁻¹ Jᵀ M⁻¹ F_u J) dv̂₀ - A⁻¹ Jᵀ M⁻¹ F_u de,   A dv̂₀ = d(b - A v̂),   M = dF/dλ,
 *
 * dv̂₀ by each tree's derivatives of inverse dynamics and joint forces (subsystem/tree), and de of
 * rows whose J is the same everywhere: limits, dry friction and equalities of joints, and of
 * tendons over them. Then v⁺ and q⁺ follow v̂, and where the balance of energy scaled velocities, by
 * the energies' derivatives. */
#include "closed.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../model/joint_motion.h"
#include "../model/names.h"

/* One tree's part. */
typedef struct Part {
    const TnSubsystem *sub;
    TnTreeStepSlopes slopes;
} Part;

typedef struct Closing {
    TnDerivatives *d;
    const TnStep *step;
    const TnModel *model;
    const TnProblem *p;
    const TnLinear *linear;
    TnDynamicsInput in; /* as the step began */
    TnArena *arena;
    Part *parts; /* per subsystem */
    int nv, columns;
    double *V;               /* nv × columns: of v̂ */
    double *v_end;           /* nv: v⁺ before it was scaled */
    double *J;               /* n × nv, of laws: dense */
    double *T, *by_q, *by_v; /* dλ = T dv̂₀ + by_q dq + by_v dv, n × nv each */
    const char *why;         /* it is not in closed form */
} Closing;

static double *numbers(Closing *c, size_t rows, size_t count)
{
    double *x = TN_ARENA_NEW(c->arena, double, rows *count + 1);
    if (x) memset(x, 0, sizeof(double) * rows * count);
    return x;
}

static int parameter_count(const Closing *c) { return c->d->def.parameter_count; }

static size_t at(int row, int columns, int column)
{
    return (size_t)row * (size_t)columns + (size_t)column;
}

/* ---- what is not in closed form ---- */

/* What scaling does to velocities of the size of a difference is no slope. */
static bool is_at_rest(const Closing *c, const TnSubsystem *sub)
{
    double most = 0.0;
    for (int i = sub->dof_start; i < sub->dof_start + sub->dof_count; i++)
        most = fmax(most, fabs(c->step->found.vhat[i]));
    return !(TN_KINK * most > c->d->def.step);
}

static const char *refuse_parts(const Closing *c)
{
    const TnDivision *division = c->step->world->division;
    const TnState *start = &c->d->of->state;
    if (c->model->subsystem_count != c->model->tree_count) return "not only trees";
    if (start->asleep_count) return "something sleeps";
    for (int t = 0; t < c->model->tree_count; t++)
        if (division->tree_block[t] >= division->dense_count) return "a tree that holds a cable";
    for (int s = 0; s < c->model->subsystem_count; s++) {
        const TnScaled *scaled = &c->d->closed->scaled[s];
        if (c->step->way.reach[s] < 1.0 || c->step->way.has_extra) return "ways were cut";
        if (scaled->by == TN_SCALED_ELSE) return "momentum or energy were put right";
        if (scaled->by == TN_SCALED_BY_OWN && is_at_rest(c, &c->model->subsystems[s]))
            return "energy of a tree at rest is put right";
    }
    return NULL;
}

static const char *refuse(const Closing *c)
{
    const TnStep *step = c->step;
    if (c->linear->has_about || c->d->has_first) return "the step was taken about its own solution";
    if (step->hits.since || step->way.kept) return "impacts";
    if (c->model->wheel_count) return "wheels";
    if (c->model->mocap_count) return "mocap bodies";
    double most = TN_SAME * tn_world_velocity_scale(c->d->of);
    for (int l = 0; l < c->linear->law_count; l++) {
        const TnLinearLaw *law = &c->linear->laws[l];
        for (int k = 0; k < law->count; k++)
            if (!(fabs(law->left[k]) <= most)) return "the step's laws contradict each other";
        if (law->kind == TN_LAW_CONTACT) return "a contact";
        if (law->kind != TN_LAW_ROW || isnan(step->world->set.row_slope[law->index][0]))
            return "a constraint whose direction moves";
    }
    return refuse_parts(c);
}

/* ---- controls ---- */

/* Of actuator `a`: its input, and next activations, by its control and by its activations. */
typedef struct Input {
    double by_ctrl, by_act[2], next_by_ctrl[2], next_by_act[2][2];
} Input;

static void run_actuator(const Closing *c, int a, double u, const double act[2], double *input,
                         double next[2])
{
    const TnActuator *actuator = &c->model->actuators[a];
    double *acts = c->d->closed->acts, *ctrl = c->d->closed->ctrl;
    int count = actuator->act >= 0 ? tn_activation_count(actuator->activation, &actuator->pid) : 0;
    ctrl[a] = u;
    for (int k = 0; k < count; k++) acts[actuator->act + k] = act[k];
    const TnDrive drive = {c->d->of->state.time, c->step->t, ctrl, acts, c->in.qpos, NULL};
    next[0] = next[1] = 0.0;
    *input = tn_actuator_input(c->model, a, &drive, next);
}

/* By differences over a step to the side that differences of whole steps would take: laws are
 * straight but for their ends. */
static bool follow_actuator(const Closing *c, int a, Input *out)
{
    const TnActuator *actuator = &c->model->actuators[a];
    const TnState *start = &c->d->of->state;
    double act[2] = {0.0, 0.0}, u = c->d->ctrl[a];
    int count = actuator->act >= 0 ? tn_activation_count(actuator->activation, &actuator->pid) : 0;
    *out = (Input){0};
    if (actuator->activation == TN_ACTIVATION_PID) return false;
    for (int k = 0; k < count; k++) act[k] = start->act[actuator->act + k];
    for (int side = -1; side < count; side++) {
        double h = c->d->def.step * (side < 0 ? fmax(1.0, fabs(u)) : 1.0), low = -h, high = h,
               input[2], next[2][2];
        if (side < 0 && actuator->ctrl_limited) {
            if (u + h > actuator->ctrl_range[1] && u <= actuator->ctrl_range[1]) high = 0.0;
            if (u - h < actuator->ctrl_range[0] && u >= actuator->ctrl_range[0]) low = 0.0;
        }
        for (int k = 0; k < 2; k++) {
            double by = k ? high : low, moved[2] = {act[0], act[1]};
            if (side >= 0) moved[side] += by;
            run_actuator(c, a, side < 0 ? u + by : u, moved, &input[k], next[k]);
        }
        double slope = (input[1] - input[0]) / (high - low);
        *(side < 0 ? &out->by_ctrl : &out->by_act[side]) = slope;
        for (int k = 0; k < count; k++)
            *(side < 0 ? &out->next_by_ctrl[k] : &out->next_by_act[k][side]) =
                (next[1][k] - next[0][k]) / (high - low);
    }
    double input, next[2];
    run_actuator(c, a, u, act, &input, next); /* as they are */
    return true;
}

/* ---- trees ---- */

/* Columns of one tree from those by its own q, v and inputs to those of the world. */
static bool spread(Closing *c, int s, const double *own, double *all)
{
    const Part *part = &c->parts[s];
    int n = part->slopes.n, columns = part->slopes.columns, nv = c->nv,
        first = part->sub->dof_start, na = c->model->act_count;
    for (int i = 0; i < n; i++) {
        double *row = all + at(first + i, c->columns, 0);
        memcpy(row + first, own + at(i, columns, 0), sizeof(double) * (size_t)n);
        memcpy(row + nv + first, own + at(i, columns, n), sizeof(double) * (size_t)n);
    }
    for (int a = c->model->actuator_first[s], k = 2 * n; a >= 0;
         a = c->model->actuator_next[a], k++) {
        const TnActuator *actuator = &c->model->actuators[a];
        Input input;
        if (!follow_actuator(c, a, &input)) return false;
        int count =
            actuator->act >= 0 ? tn_activation_count(actuator->activation, &actuator->pid) : 0;
        for (int i = 0; i < n; i++) {
            double *row = all + at(first + i, c->columns, 0), x = own[at(i, columns, k)];
            row[2 * nv + na + a] += x * input.by_ctrl;
            for (int j = 0; j < count; j++) row[2 * nv + actuator->act + j] += x * input.by_act[j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = parameter_count(c); k > 0; k--)
            all[at(first + i, c->columns, c->columns - k)] = own[at(i, columns, columns - k)];
    return true;
}

/* False: no memory. */
static bool follow_trees(Closing *c)
{
    const TnStep *step = c->step;
    for (int s = 0; s < c->model->subsystem_count; s++) {
        Part *part = &c->parts[s];
        TnTreeStepSlopes *slopes = &part->slopes;
        part->sub = &c->model->subsystems[s];
        const TnTreeSystem *system = &step->systems->trees[part->sub->kind_index];
        if (!tn_tree_step_slopes(&c->in, part->sub, step->world->frames, system,
                                 step->found.vhat + part->sub->dof_start, c->d->closed->numbers,
                                 parameter_count(c), c->arena, slopes, &c->why))
            return false;
        if (c->why) return true;
        int n = slopes->n, columns = slopes->columns;
        double *x = numbers(c, 1, (size_t)n);
        if (!x) return false;
        for (int k = 0; slopes->A && k < columns; k++) {
            for (int i = 0; i < n; i++) x[i] = slopes->A[at(i, columns, k)];
            tn_tree_step_divide(c->model, part->sub, slopes, x);
            for (int i = 0; i < n; i++) slopes->v_free[at(i, columns, k)] -= x[i];
        }
        for (int k = 0; k < parameter_count(c); k++)
            c->d->closed->known[k] &=
                tn_tree_has(c->model, part->sub, slopes, &c->d->closed->numbers[k]);
        if (slopes->w && c->model->subsystem_count > 1 && c->step->world->tied[s])
            c->why = "a damper stops a joint of a tree that is tied to others";
        if (!c->why && !spread(c, s, slopes->v_free, c->V))
            c->why = "a controller with an integral";
        if (c->why) return true;
    }
    return true;
}

/* ---- laws ---- */

static void read_row(const Closing *c, const TnRow *row, double *J)
{
    const TnProblem *p = c->p;
    const TnDivision *d = c->step->world->division;
    for (int k = row->side_start; k < row->side_start + row->side_count; k++) {
        const TnRowSide *side = &p->sides[k];
        int block = side->block - p->twist_count;
        for (int s = 0; s < c->model->subsystem_count; s++) {
            const TnSubsystem *sub = &c->model->subsystems[s];
            if (d->tree_block[sub->kind_index] != block) continue;
            int first = tn_division_start(d, block, d->tree_node[sub->kind_index]);
            for (int e = side->start; e < side->start + side->count; e++) {
                int dof = p->index[e] - first;
                if (dof >= 0 && dof < sub->dof_count) J[sub->dof_start + dof] = p->coefficient[e];
            }
        }
    }
}

/* e of a limit. Where it has a kink, columns of what the limit is about are not in closed form. */
static void follow_limit(const Closing *c, const TnRow *row, const double *J, double slope[3])
{
    const TnConstraintSet *set = &c->step->world->set;
    double h = c->d->def.step;
    for (int i = 0; i < set->limit_count; i++) {
        if (set->limits[i].row != row - c->p->rows) continue;
        for (int k = 0; k < 2; k++) {
            double e[2];
            for (int side = 0; side < 2; side++) {
                TnUnilateral x = set->limits[i].given;
                double by = side ? h : -h;
                x.gap += k ? 0.0 : by;
                x.v += k ? by : 0.0;
                x.approach += k ? by : 0.0;
                e[side] = tn_unilateral_law(&x).e_normal;
            }
            slope[k] = (e[1] - e[0]) / (2.0 * h);
            bool kink = fabs(e[1] + e[0] - 2.0 * set->limits[i].law.e_normal) >
                        TN_KINK * h * fmax(1.0, fabs(slope[k]));
            for (int m = 0; kink && m < c->nv; m++)
                if (J[m] != 0.0) c->d->closed->open[k * c->nv + m] = true;
        }
    }
}

/* Force i follows the share of v⁺ in the way of the tree that the row is on. */
static void add_by_share(const Closing *c, const double *J, double by, int i)
{
    for (int s = 0; by != 0.0 && s < c->model->subsystem_count; s++) {
        const Part *part = &c->parts[s];
        int first = part->sub->dof_start, n = part->slopes.n;
        bool on = false;
        for (int k = first; k < first + n; k++) on |= J[k] != 0.0;
        for (int k = 0; on && part->slopes.w && k < n; k++) {
            c->by_q[at(i, c->nv, first + k)] += by * part->slopes.w[k];
            c->by_v[at(i, c->nv, first + k)] += by * part->slopes.w[n + k];
        }
    }
}

static bool follow_laws(Closing *c)
{
    const TnLinear *linear = c->linear;
    int n = linear->n, nv = c->nv;
    size_t rows = (size_t)n, dofs = (size_t)nv;
    c->J = numbers(c, rows, dofs);
    c->T = numbers(c, rows, dofs);
    c->by_q = numbers(c, rows, dofs);
    c->by_v = numbers(c, rows, dofs);
    double *x = numbers(c, 2, rows),
           (*slope)[3] = tn_arena_alloc(c->arena, sizeof *slope * rows + 1);
    if (!c->J || !c->T || !c->by_q || !c->by_v || !x || !slope) return false;
    for (int l = 0; l < linear->law_count; l++) {
        const TnLinearLaw *law = &linear->laws[l];
        const TnRow *row = &c->p->rows[law->index];
        memcpy(slope[law->first], c->step->world->set.row_slope[law->index], sizeof *slope);
        read_row(c, row, c->J + at(law->first, nv, 0));
        if (row->set == TN_ROW_INEQUALITY)
            follow_limit(c, row, c->J + at(law->first, nv, 0), slope[law->first]);
    }
    for (int l = 0; l < linear->law_count; l++) {
        const TnLinearLaw *law = &linear->laws[l];
        const double *J = c->J + at(law->first, nv, 0), one = 1.0, none = 0.0;
        double u = c->p->rows[law->index].e, F;
        for (int k = 0; k < nv; k++) u += J[k] * c->step->found.vhat[k];
        TnLawPoint point = {c->p, &linear->smooth, law->index, &u, law->lambda, 0.0};
        tn_law_row_slope(law, &point, 0.0, &one, &none, &F);
        if (F == 0.0) continue; /* at its bound */
        memset(x, 0, sizeof(double) * rows);
        x[law->first] = F;
        tn_linear_solve(linear, x, x + n);
        for (int l2 = 0; l2 < linear->law_count; l2++) {
            int i = linear->laws[l2].first;
            double by = -x[i] / linear->laws[l2].scale;
            for (int k = 0; k < nv && by != 0.0; k++) {
                c->T[at(i, nv, k)] += by * J[k];
                c->by_q[at(i, nv, k)] += by * slope[law->first][0] * J[k];
                c->by_v[at(i, nv, k)] += by * slope[law->first][1] * J[k];
            }
            add_by_share(c, J, by * slope[law->first][2], i);
        }
    }
    return true;
}

/* Bounds of dry friction are numbers of the model: what they do to dλ. */
static void add_bounds(const Closing *c, double *forces, double *x)
{
    const TnLinear *linear = c->linear;
    for (int k = 0; k < parameter_count(c); k++) {
        const TnParameter *p = &c->d->parameters[k];
        if (p->kind != TN_PARAMETER_FRICTION_LOSS) continue;
        int slot = tn_row_slot_joint(c->model, c->model->lookup->joint_index[p->id - 1], 2);
        for (int l = 0; l < linear->law_count; l++) {
            const TnLinearLaw *law = &linear->laws[l];
            if (c->step->world->set.row_slot[law->index] != slot || law->class != TN_CLASS_SLIPS)
                continue;
            memset(x, 0, sizeof(double) * (size_t)linear->n);
            x[law->first] = -law->D[0] * law->side;
            tn_linear_solve(linear, x, x + linear->n);
            for (int i = 0; i < linear->law_count; i++) {
                int row = linear->laws[i].first;
                forces[at(row, c->columns, c->columns - parameter_count(c) + k)] -=
                    x[row] / linear->laws[i].scale;
            }
        }
    }
}

/* V ← V + A⁻¹ Jᵀ dλ, and dλ of each column to `forces`, n × columns. */
static bool add_forces(Closing *c, double *forces)
{
    int n = c->linear->n, nv = c->nv, columns = c->columns;
    double *x = numbers(c, 1, (size_t)nv + 2 * (size_t)n);
    if (!x) return false;
    add_bounds(c, forces, x);
    for (int i = 0; i < n; i++) {
        double *row = forces + at(i, columns, 0);
        for (int k = 0; k < nv; k++) {
            double by = c->T[at(i, nv, k)];
            const double *V = c->V + at(k, columns, 0);
            for (int m = 0; by != 0.0 && m < columns; m++) row[m] += by * V[m];
            row[k] += c->by_q[at(i, nv, k)];
            row[nv + k] += c->by_v[at(i, nv, k)];
        }
    }
    for (int i = 0; i < n; i++) {
        memcpy(x, c->J + at(i, nv, 0), sizeof(double) * (size_t)nv);
        for (int s = 0; s < c->model->subsystem_count; s++)
            tn_tree_step_divide(c->model, c->parts[s].sub, &c->parts[s].slopes,
                                x + c->parts[s].sub->dof_start);
        const double *row = forces + at(i, columns, 0);
        for (int k = 0; k < nv; k++) {
            double *V = c->V + at(k, columns, 0);
            for (int m = 0; x[k] != 0.0 && m < columns; m++) V[m] += x[k] * row[m];
        }
    }
    return true;
}

/* ---- the new state ---- */

/* A row of A, B and P. */
static void put(TnDerivatives *d, int row, const double *values)
{
    int n = d->state_count, nu = d->ctrl_count, np = d->def.parameter_count;
    if (np) memcpy(d->P + at(row, np, 0), values + n + nu, sizeof(double) * (size_t)np);
    if (d->def.state) memcpy(d->A + at(row, n, 0), values, sizeof(double) * (size_t)n);
    if (d->def.ctrl) memcpy(d->B + at(row, nu, 0), values + n, sizeof(double) * (size_t)nu);
}

/* What w, the share of v⁺ in a tree's way, does to it: times v̂ - v along some coordinate. */
static void add_share(const Closing *c, int s, double *row, double change)
{
    const Part *part = &c->parts[s];
    int n = part->slopes.n, first = part->sub->dof_start;
    double by = change * c->in.t * (1.0 - c->in.theta) / c->in.theta;
    for (int k = 0; part->slopes.follows && part->slopes.w && k < n; k++) {
        row[first + k] += by * part->slopes.w[k];
        row[c->nv + first + k] += by * part->slopes.w[n + k];
    }
}

/* Rows of q⁺: by w as a displacement, those of dofs are in `way`. */
static void put_places(Closing *c, int s, double *way, double *Q)
{
    const Part *part = &c->parts[s];
    TnReach reach = tn_reach(&c->in, c->in.blend[s]);
    int columns = c->columns, nv = c->nv, first = part->sub->dof_start,
        end = first + part->slopes.n;
    for (int i = first; i < end; i++) {
        double *row = Q + at(i, columns, 0);
        const double *V = c->V + at(i, columns, 0);
        for (int m = 0; m < columns; m++) row[m] = reach.p * V[m];
        row[nv + i] -= reach.r;
        add_share(c, s, row, c->step->found.vhat[i] - c->in.qvel[i]);
        way[i] = reach.p * c->step->found.vhat[i] - reach.r * c->in.qvel[i];
    }
    for (int i = first; i < end;) {
        const TnJoint *joint = &c->model->joints[c->model->dof_joint[i]];
        int dofs = tn_joint_dofs(joint->type), turns = dofs > 1 ? 3 : 0;
        for (int k = 0; k < dofs - turns; k++, i++) Q[at(i, columns, i)] += 1.0;
        if (!turns) continue;
        TnTurned turned;
        tn_cayley_slopes(way + i, &turned);
        for (int m = 0; m < columns; m++) {
            double x[3], y[3];
            for (int k = 0; k < 3; k++) x[k] = Q[at(i + k, columns, m)];
            m3_mul_v(y, turned.change, x);
            for (int k = 0; k < 3; k++) Q[at(i + k, columns, m)] = y[k];
        }
        for (int k = 0; k < 9; k++) Q[at(i + k / 3, columns, i + k % 3)] += turned.turn[k];
        i += 3;
    }
}

/* Dry friction takes λ times the way: of that, by columns. */
static void add_friction(const Closing *c, int s, const double *forces, double *made)
{
    TnReach reach = tn_reach(&c->in, c->in.blend[s]);
    int first = c->parts[s].sub->dof_start, end = first + c->parts[s].slopes.n;
    for (int l = 0; l < c->linear->law_count; l++) {
        const TnLinearLaw *law = &c->linear->laws[l];
        const double *J = c->J + at(law->first, c->nv, 0);
        if (c->p->rows[law->index].set != TN_ROW_BOX) continue;
        double lambda = law->lambda[0], path = 0.0, change = 0.0;
        for (int k = first; k < end; k++) {
            change += J[k] * (c->step->found.vhat[k] - c->in.qvel[k]);
            path += J[k] * (reach.p * c->step->found.vhat[k] - reach.r * c->in.qvel[k]);
        }
        if (!(lambda * path < 0.0)) continue;
        add_share(c, s, made, -lambda * change);
        for (int m = 0; m < c->columns; m++)
            made[m] -= path * forces[at(law->first, c->columns, m)];
        for (int k = first; k < end; k++) {
            const double *V = c->V + at(k, c->columns, 0);
            if (J[k] == 0.0) continue;
            for (int m = 0; m < c->columns; m++) made[m] -= lambda * J[k] * reach.p * V[m];
            made[c->nv + k] += lambda * J[k] * reach.r;
        }
    }
}

/* Energy of the new state and of the old one, by numbers of the model alone. */
static bool add_numbers(Closing *c, int s, double *made, double *moving)
{
    const Part *part = &c->parts[s];
    const TnWorld *world = c->step->world;
    const double *origin = world->frames[part->sub->link_start].com;
    for (int k = 0; k < parameter_count(c); k++) {
        const TnNumber *x = &c->d->closed->numbers[k];
        int column = c->columns - parameter_count(c) + k;
        double end, start, kinetic, before;
        if (!c->d->closed->known[k]) continue;
        if (!tn_tree_number_energy(c->model, part->sub, x, world->state.qpos, c->v_end, origin,
                                   c->arena, &end, &kinetic) ||
            !tn_tree_number_energy(c->model, part->sub, x, c->in.qpos, c->in.qvel, origin, c->arena,
                                   &start, &before))
            return false;
        made[column] +=
            end - start - part->slopes.work[part->slopes.columns - parameter_count(c) + k];
        moving[column] += kinetic;
    }
    return true;
}

/* v⁺ of a tree was scaled, by the energy that the step made. N: rows of v⁺ before. */
static bool scale(Closing *c, int s, const double *Q, const double *forces, double *N)
{
    const Part *part = &c->parts[s];
    const TnScaled *scaled = &c->d->closed->scaled[s];
    const TnWorld *world = c->step->world;
    int n = part->slopes.n, columns = c->columns, nv = c->nv, first = part->sub->dof_start;
    double *x = numbers(c, 6, (size_t)n), *made = numbers(c, 2, (size_t)columns);
    if (!x || !made) return false;
    double *by_q = x, *by_v = x + n, *alone = x + 2 * n, *start_q = x + 3 * n, *start_v = x + 4 * n,
           *moving = made + columns;
    const double *origin = world->frames[part->sub->link_start].com;
    if (!tn_tree_state_slopes(c->model, part->sub, world->state.qpos, c->v_end, origin, c->arena,
                              by_q, by_v, alone) ||
        !tn_tree_state_slopes(c->model, part->sub, c->in.qpos, c->in.qvel, origin, c->arena,
                              start_q, start_v, x + 5 * n))
        return false;
    for (int i = 0; i < n; i++) {
        const double *dq = Q + at(first + i, columns, 0), *dv = N + at(first + i, columns, 0),
                     *V = c->V + at(first + i, columns, 0);
        for (int m = 0; m < columns; m++) {
            made[m] += by_q[i] * dq[m] + by_v[i] * dv[m] - part->slopes.work_by_v[i] * V[m];
            moving[m] += alone[i] * dq[m] + by_v[i] * dv[m];
        }
        made[first + i] -= start_q[i] + part->slopes.work[i];
        made[nv + first + i] -= start_v[i] + part->slopes.work[n + i];
    }
    for (int a = c->model->actuator_first[s], k = 2 * n; a >= 0;
         a = c->model->actuator_next[a], k++) {
        const TnActuator *actuator = &c->model->actuators[a];
        Input input;
        if (!follow_actuator(c, a, &input)) continue;
        int count =
            actuator->act >= 0 ? tn_activation_count(actuator->activation, &actuator->pid) : 0;
        made[2 * nv + c->model->act_count + a] -= part->slopes.work[k] * input.by_ctrl;
        for (int j = 0; j < count; j++)
            made[2 * nv + actuator->act + j] -= part->slopes.work[k] * input.by_act[j];
    }
    if (!add_numbers(c, s, made, moving)) return false;
    add_friction(c, s, forces, made);
    if (scaled->by == TN_SCALED_BY_DEBT) memset(made, 0, sizeof(double) * (size_t)columns);
    double share = sqrt((scaled->moving - scaled->take) / scaled->moving), of = scaled->moving;
    for (int m = 0; m < columns; m++)
        made[m] = 0.5 / share * (scaled->take / of * moving[m] - made[m]) / of;
    for (int i = 0; i < n; i++) {
        double *dv = N + at(first + i, columns, 0), end = c->v_end[first + i];
        for (int m = 0; m < columns; m++) dv[m] = share * dv[m] + end * made[m];
    }
    return true;
}

static bool put_all(Closing *c, const double *forces)
{
    int nv = c->nv, columns = c->columns;
    double theta = c->in.theta, *Q = numbers(c, (size_t)nv, (size_t)columns),
           *N = numbers(c, (size_t)nv, (size_t)columns), *way = numbers(c, 1, (size_t)nv);
    if (!Q || !N || !way) return false;
    for (int i = 0; i < nv; i++) {
        double *row = N + at(i, columns, 0);
        const double *V = c->V + at(i, columns, 0);
        for (int m = 0; m < columns; m++) row[m] = V[m] / theta;
        row[nv + i] += 1.0 - 1.0 / theta;
    }
    for (int s = 0; s < c->model->subsystem_count; s++) {
        put_places(c, s, way, Q);
        if (c->d->closed->scaled[s].by != TN_SCALED_NOT && !scale(c, s, Q, forces, N)) return false;
    }
    for (int i = 0; i < nv; i++) {
        put(c->d, i, Q + at(i, columns, 0));
        put(c->d, nv + i, N + at(i, columns, 0));
    }
    double *row = numbers(c, 1, (size_t)columns);
    if (!row) return false;
    for (int a = 0; a < c->model->actuator_count; a++) {
        const TnActuator *actuator = &c->model->actuators[a];
        Input input;
        if (actuator->act < 0 || !follow_actuator(c, a, &input)) continue;
        int count = tn_activation_count(actuator->activation, &actuator->pid);
        for (int k = 0; k < count; k++) {
            memset(row, 0, sizeof(double) * (size_t)columns);
            row[2 * nv + c->model->act_count + a] = input.next_by_ctrl[k];
            for (int j = 0; j < count; j++)
                row[2 * nv + actuator->act + j] = input.next_by_act[k][j];
            put(c->d, 2 * nv + actuator->act + k, row);
        }
    }
    return true;
}

/* ---- all of it ---- */

static bool begin(Closing *c)
{
    TnDerivatives *d = c->d;
    const TnState *start = &d->of->state;
    size_t nv = (size_t)c->nv;
    c->in = c->step->dynamics;
    c->in.qpos = start->qpos;
    c->in.qvel = start->qvel;
    c->in.last = start->vhat;
    c->parts = TN_ARENA_NEW(c->arena, Part, c->model->subsystem_count);
    c->V = numbers(c, nv, (size_t)c->columns);
    c->v_end = numbers(c, 1, nv);
    if (!c->parts || !c->V || !c->v_end) return false;
    for (int i = 0; i < c->nv; i++)
        c->v_end[i] = c->in.qvel[i] + (c->step->found.vhat[i] - c->in.qvel[i]) / c->in.theta;
    if (d->ctrl_count) memcpy(d->closed->ctrl, d->ctrl, sizeof(double) * (size_t)d->ctrl_count);
    if (c->model->act_count)
        memcpy(d->closed->acts, start->act, sizeof(double) * (size_t)c->model->act_count);
    return true;
}

static bool follow(Closing *c)
{
    c->why = refuse(c);
    if (c->why) return true;
    if (!begin(c) || !follow_trees(c)) return false;
    if (c->why) return true;
    if (!follow_laws(c)) return false;
    if (c->why) return true;
    double *forces = numbers(c, (size_t)c->linear->n, (size_t)c->columns);
    return forces && add_forces(c, forces) && put_all(c, forces);
}

/* ---- parameters ---- */

/* Mass, first and second moment about the origin of its frame. */
static void moments_of(const TnLink *link, TnNumber *out)
{
    static const int places[6] = {0, 4, 8, 1, 2, 5};
    const double *c = link->com, m = link->mass;
    out->mass = m;
    v3_scale(out->first, c, m);
    for (int k = 0; k < 6; k++) {
        int i = places[k] / 3, j = places[k] % 3;
        out->second[k] =
            link->inertia[places[k]] - m * c[i] * c[j] + (i == j ? m * v3_dot(c, c) : 0.0);
    }
}

/* By differences, which are exact but for rounding: moments are linear in masses and inertias, and
 * quadratic in centres. */
static bool follow_link(TnCopy *copy, const TnParameter *p, TnNumber *out)
{
    const TnModel *model = copy->world->model;
    double h = sqrt(TN_SAME) * tn_parameter_scale(model, p), value = tn_parameter_get(model, p);
    int link = model->bodies[p->id - 1].link;
    TnNumber side[2];
    for (int k = 0; k < 2; k++) {
        bool ok = tn_parameter_set(copy->world, p, value + (k ? h : -h), NULL) == TN_OK;
        if (ok) moments_of(&copy->world->model->links[link], &side[k]);
        if (!tn_copy_reset_parameters(copy, p)) {
            copy->broken = true;
            return false;
        }
        if (!ok) return false;
    }
    *out = (TnNumber){.kind = TN_CHANGE_LINK, .index = link};
    out->mass = (side[1].mass - side[0].mass) / (2.0 * h);
    for (int k = 0; k < 3; k++) out->first[k] = (side[1].first[k] - side[0].first[k]) / (2.0 * h);
    for (int k = 0; k < 6; k++)
        out->second[k] = (side[1].second[k] - side[0].second[k]) / (2.0 * h);
    return true;
}

static TnNumber number_of(const TnModel *model, const TnParameter *p)
{
    static const TnChangeKind kinds[TN_PARAMETER_KIND_COUNT] = {
        [TN_PARAMETER_GRAVITY] = TN_CHANGE_GRAVITY,
        [TN_PARAMETER_TIMESTEP] = TN_CHANGE_ELSE,
        [TN_PARAMETER_MASS] = TN_CHANGE_LINK,
        [TN_PARAMETER_COM] = TN_CHANGE_LINK,
        [TN_PARAMETER_INERTIA] = TN_CHANGE_LINK,
        [TN_PARAMETER_FRICTION] = TN_CHANGE_ELSE,
        [TN_PARAMETER_SIZE] = TN_CHANGE_ELSE,
        [TN_PARAMETER_STIFFNESS] = TN_CHANGE_STIFFNESS,
        [TN_PARAMETER_SPRING_REF] = TN_CHANGE_SPRING_REF,
        [TN_PARAMETER_DAMPING] = TN_CHANGE_DAMPING,
        [TN_PARAMETER_ARMATURE] = TN_CHANGE_ARMATURE,
        [TN_PARAMETER_FRICTION_LOSS] = TN_CHANGE_ELSE,
        [TN_PARAMETER_GAIN] = TN_CHANGE_GAIN,
        [TN_PARAMETER_BIAS] = TN_CHANGE_BIAS,
    };
    TnNumber out = {.kind = kinds[p->kind], .index = p->index};
    if (out.kind >= TN_CHANGE_ARMATURE && out.kind <= TN_CHANGE_DAMPING)
        out.index = model->lookup->joint_index[p->id - 1];
    if (out.kind == TN_CHANGE_GAIN || out.kind == TN_CHANGE_BIAS) out.index = p->id - 1;
    if (out.kind == TN_CHANGE_BIAS && p->index > 0) out.kind = TN_CHANGE_ELSE;
    return out;
}

void tn_closed_note_parameters(TnDerivatives *d, TnCopy *copy)
{
    TnClosed *closed = d->closed;
    const TnModel *model = copy->world->model;
    for (int k = 0; k < d->def.parameter_count; k++) {
        const TnParameter *p = &d->parameters[k];
        TnNumber *x = &closed->numbers[k];
        *x = number_of(model, p);
        if (x->kind == TN_CHANGE_LINK && !follow_link(copy, p, x)) x->kind = TN_CHANGE_ELSE;
        /* a bound of nothing has one side */
        closed->may_be_known[k] =
            x->kind != TN_CHANGE_ELSE ||
            (p->kind == TN_PARAMETER_FRICTION_LOSS && tn_parameter_get(model, p) > d->def.step);
    }
}

static void note_step(void *context, const TnStep *step)
{
    TnClosed *closed = context;
    closed->step = *step;
    closed->has_step = true;
}

void tn_closed_watch(TnDerivatives *d, TnCopy *copy)
{
    memset(d->closed->scaled, 0, sizeof *d->closed->scaled * (size_t)d->of->model->subsystem_count);
    d->closed->has_step = false;
    copy->instead.taken = note_step;
    copy->instead.taken_context = d->closed;
    copy->instead.scaled = d->closed->scaled;
}

bool tn_closed_find(TnDerivatives *d, TnCopy *copy)
{
    TnClosed *closed = d->closed;
    TnArena *arena = &copy->world->arena;
    closed->why = "the step is not known";
    memset(closed->open, 0, sizeof(bool) * 2 * (size_t)d->of->model->dof_count);
    memcpy(closed->known, closed->may_be_known, sizeof(bool) * (size_t)d->def.parameter_count);
    if (!closed->has_step) return true;
    size_t mark = tn_arena_mark(arena);
    Closing c = {.d = d,
                 .step = &closed->step,
                 .model = d->of->model,
                 .p = &copy->world->set.problem,
                 .linear = d->linear,
                 .arena = arena,
                 .nv = d->of->model->dof_count,
                 .columns = d->state_count + d->ctrl_count + d->def.parameter_count};
    bool ok = follow(&c);
    closed->why = c.why ? c.why : "";
    tn_arena_release(arena, mark);
    return ok;
}

TnClosed *tn_closed_create(const TnModel *model, int parameters)
{
    TnClosed *closed = tn_calloc(1, sizeof *closed);
    if (!closed) return NULL;
    closed->scaled = tn_calloc((size_t)model->subsystem_count + 1, sizeof *closed->scaled);
    closed->open = tn_calloc(2 * (size_t)model->dof_count + 1, sizeof *closed->open);
    closed->ctrl = tn_calloc((size_t)model->actuator_count + 1, sizeof(double));
    closed->acts = tn_calloc((size_t)model->act_count + 1, sizeof(double));
    closed->numbers = tn_calloc((size_t)parameters + 1, sizeof *closed->numbers);
    closed->known = tn_calloc(2 * (size_t)parameters + 1, sizeof *closed->known);
    closed->may_be_known = closed->known + parameters;
    if (closed->scaled && closed->open && closed->ctrl && closed->acts && closed->numbers &&
        closed->known)
        return closed;
    tn_closed_destroy(closed);
    return NULL;
}

void tn_closed_destroy(TnClosed *closed)
{
    if (!closed) return;
    tn_free(closed->scaled);
    tn_free(closed->open);
    tn_free(closed->ctrl);
    tn_free(closed->acts);
    tn_free(closed->numbers);
    tn_free(closed->known);
    tn_free(closed);
}

/* smooth.c: the step's first stage: A and b of free bodies, trees and rods, rods and the trees that
 * carry them as chains, and the free motion v⁺ of all, which collision needs. */
#include <string.h>

#include "../account/account.h"
#include "../math/finite.h"
#include "../math/vec3.h"
#include "../ranks/near.h"
#include "../subsystem/kind.h"
#include "again.h"

static void rigid_range(void *context, int begin_index, int end_index)
{
    TnStep *step = context;
    for (int i = begin_index; i < end_index; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        if (sub->kind != TN_SUBSYSTEM_RIGID) continue;
        TnRigidSystem *system = &step->systems->rigid[sub->kind_index];
        int link = sub->link_start;
        tn_rigid_assemble(&step->dynamics, link, &step->world->frames[link], system);
        for (int k = 0; k < 6; k++)
            step->free.twists[link][k] =
                system->v[k] + (system->v_free[k] - system->v[k]) / step->model->option.theta;
    }
}

/* What a tree is linear about: what a pass before found; of one that constraints hold or push v̂ as
 * it is predicted, NULL in *out for the others, whose free motion is found. False: no memory. */
static bool expect_velocity(TnStep *step, const TnSubsystem *sub, const double **out)
{
    const TnState *state = &step->world->state;
    int s = (int)(sub - step->model->subsystems);
    *out = step->about.vhat;
    if (step->about.vhat ||
        !(step->world->tied[s] || step->plan.pressed[s] > 0.0 || step->plan.blend[s] > 0.0))
        return true;
    if (!step->free.predicted)
        step->free.predicted = TN_ARENA_NEW(&step->world->arena, double, step->model->dof_count);
    if (step->free.predicted)
        tn_predict_velocity(sub->dof_count, state->qvel + sub->dof_start,
                            state->vhat + sub->dof_start, step->free.predicted + sub->dof_start);
    *out = step->free.predicted;
    return step->free.predicted != NULL;
}

/* False: no memory. */
static bool find_places(TnStep *step, const TnSubsystem *sub)
{
    const TnModel *model = step->model;
    TnWorld *world = step->world;
    bool several = false;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        several |= model->links[l].joint_count > 1;
    if (!several) return true;
    if (!step->free.places)
        step->free.places = TN_ARENA_NEW(&world->arena, TnJointPlace, model->joint_count);
    if (!step->free.places) return false;
    tn_kinematics_places(model, world->state.qpos, world->frames, sub->link_start, sub->link_count,
                         step->free.places);
    return true;
}

bool tn_step_assemble_tree(TnStep *step, const TnSubsystem *sub)
{
    TnWorld *world = step->world;
    TnTreeSystem *tree = &step->systems->trees[sub->kind_index];
    if (!tree->A && !(tn_tree_reserve(step->model, sub, &world->arena, tree) &&
                      tn_tree_reserve_middle(sub, &world->arena, tree) && find_places(step, sub)))
        return false;
    TnDynamicsInput dynamics = step->dynamics;
    if (!expect_velocity(step, sub, &dynamics.expected)) return false;
    if (!tn_tree_assemble(&dynamics, sub, world->frames, &world->arena, tree)) return false;
    double *w = &step->plan.blend[sub - step->model->subsystems];
    *w = fmax(*w, tree->w);
    return true;
}

/* v⁺ of the free motion of a tree and its links, once v_free is there. */
static void end_tree(TnStep *step, const TnSubsystem *sub)
{
    const TnWorld *world = step->world;
    for (int k = 0; k < sub->dof_count; k++) {
        double v = world->state.qvel[sub->dof_start + k];
        step->free.qvel[sub->dof_start + k] =
            v + (step->systems->trees[sub->kind_index].v_free[k] - v) / step->model->option.theta;
    }
    tn_kinematics_twists_at(step->model, world->state.qpos, step->free.qvel, world->frames,
                            step->free.places, sub->link_start, sub->link_count, step->free.twists);
}

/* A rod that moves too fast for the step takes more of v⁺ than was planned. */
static bool assemble_rod(TnStep *step, int index)
{
    TnWorld *world = step->world;
    TnRodSystem *rod = &step->systems->rods[index];
    int s = step->model->rods[index].subsystem;
    if (!tn_rod_assemble(&step->dynamics, &step->model->subsystems[s], world->frames,
                         step->plan.blend[s], &world->arena, rod))
        return tn_step_blame(step, s);
    step->plan.blend[s] = rod->w;
    tn_followers_start(step->systems, step->model, step->systems->rods, index);
    if (!rod->cut_count) return true;
    if (!tn_rod_join(rod, &world->arena)) return tn_step_blame(step, s);
    tn_rod_solve_whole(rod, NULL, rod->v_free);
    return tn_all_finite(rod->v_free, 6 * (size_t)rod->count) || tn_step_blame(step, s);
}

static bool is_left_out(const TnStep *step, int rod)
{
    return tn_left_out(&step->dynamics, step->model->rods[rod].subsystem);
}

static bool assemble_rods(TnStep *step)
{
    for (int r = 0; r < step->model->rod_count; r++)
        if (!is_left_out(step, r) && !assemble_rod(step, r)) return false;
    return true;
}

/* ---- chains: rods, and the trees that hold them ---- */

static bool is_in_chain(const TnDivision *d, int tree)
{
    int block = d->tree_block[tree];
    return block >= d->dense_count && block < d->dense_count + d->chain_count;
}

static void chain_range(void *context, int begin_index, int end_index)
{
    TnStep *step = context;
    const TnDivision *d = step->world->division;
    for (int c = begin_index; c < end_index; c++)
        if (!tn_chains_assemble(&step->dynamics, step->systems, c, c + 1)) {
            tn_step_blame(step, step->model->rods[d->runs[d->run_start[c]].rod].subsystem);
            atomic_store_explicit(&step->fault.failed, true, memory_order_relaxed);
        }
}

/* v⁺ of the free motion for all that is in chains. */
static void end_chains(TnStep *step)
{
    const TnModel *model = step->model;
    const TnDivision *d = step->world->division;
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        int block = sub->kind == TN_SUBSYSTEM_TREE ? d->tree_block[sub->kind_index] : -1;
        if (block >= 0 && is_in_chain(d, sub->kind_index)) {
            int chain = block - d->dense_count, node = d->tree_node[sub->kind_index];
            memcpy(step->systems->trees[sub->kind_index].v_free,
                   step->systems->chains[chain].v_free + d->chains[chain].nodes[node].start,
                   sizeof(double) * (size_t)sub->dof_count);
            end_tree(step, sub);
        }
    }
    for (int r = 0; r < model->rod_count; r++) {
        TnRodSystem *rod = &step->systems->rods[r];
        if (is_left_out(step, r)) continue;
        /* without the forces that press or tie it, it would leave for elsewhere */
        int s = model->rods[r].subsystem;
        bool pressed = step->plan.pressed[s] > 0.0 || step->world->loops[s];
        if (!rod->cut_count)
            tn_chains_rod_velocity(model, step->systems, r, step->systems->chain_free, rod->v_free);
        for (int i = 0; i < rod->count; i++)
            for (int k = 0; k < 6; k++) {
                double v = rod->segments[i].v[k], goes = pressed ? v : rod->v_free[6 * i + k];
                step->free.twists[model->rods[r].link_start + i][k] =
                    v + (goes - v) / step->model->option.theta;
            }
    }
}

static bool assemble_chains(TnStep *step)
{
    const TnDivision *d = step->world->division;
    tn_pool_run(step->world->team, d->chain_count, 8, chain_range, step);
    if (atomic_load_explicit(&step->fault.failed, memory_order_relaxed)) return false;
    end_chains(step);
    return true;
}

bool tn_step_reassemble_tree(TnStep *step, int s, bool *chained)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    if (!tn_step_assemble_tree(step, sub)) return tn_step_blame(step, s);
    if (is_in_chain(step->world->division, sub->kind_index))
        *chained = true;
    else
        end_tree(step, sub);
    return true;
}

bool tn_step_reassemble_rod(TnStep *step, int s, bool *chained)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    *chained = true;
    if (step->about.vhat)
        step->systems->rods[sub->kind_index].expected = step->about.vhat + sub->dof_start;
    return assemble_rod(step, sub->kind_index);
}

bool tn_step_reassemble_planned(TnStep *step)
{
    bool chained = false;
    bool *told = step->world->instead && tn_step_has_run(step, TN_PHASE_SOLVE)
                     ? step->world->instead->assembled
                     : NULL;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        const TnKind *kind = tn_kind_of(step->model, s);
        if (!step->plan.again[s] || !kind->reassemble) continue;
        step->plan.again[s] = false;
        if (told) told[s] = true;
        if (!kind->reassemble(step, s, &chained)) return false;
    }
    return !chained || assemble_chains(step);
}

bool tn_step_assemble(TnStep *step)
{
    bool chained; /* all chains are */
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, rigid_range, step);
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        if (sub->kind != TN_SUBSYSTEM_TREE) continue;
        if (!tn_step_reassemble_tree(step, step->awake[i], &chained)) return false;
    }
    return tn_follower_motion(&step->dynamics, step->systems, step->world->state.vhat,
                              &step->world->arena) &&
           assemble_rods(step) && assemble_chains(step);
}

/* ---- soft bodies ---- */

/* Velocity of a contact's side along the normal. */
static double side_velocity(const TnStep *step, const TnContactList *contacts,
                            const TnContactPoint *c, int side, const double (*twists)[6],
                            const double *qvel)
{
    int soft = side ? c->soft2 : c->soft1;
    double v[3] = {0.0}, arm[3];
    if (soft >= 0) {
        const TnSoftPoint *point = &contacts->soft_points[soft];
        const double *nodes = qvel + step->model->softs[point->soft].dof_start;
        for (int k = 0; k < point->count; k++)
            v3_add_scaled(v, nodes + 3L * point->node[k], point->weight[k]);
        return v3_dot(v, c->normal);
    }
    int link = step->model->geom_link[side ? c->geom2 : c->geom1];
    v3_copy(arm, side ? c->arm2 : c->arm1);
    v3_cross(v, twists[link] + 3, arm);
    v3_add(v, v, twists[link]);
    return v3_dot(v, c->normal);
}

double tn_step_separation(const TnStep *step, const TnContactList *contacts,
                          const TnContactPoint *c, const double *end_qvel)
{
    const double(*end)[6] = (const double(*)[6])step->free.twists;
    return side_velocity(step, contacts, c, 1, end, end_qvel) -
           side_velocity(step, contacts, c, 0, end, end_qvel);
}

/* Of a side that is expected: at the end of the free motion, and at the start where contacts press
 * it, for without their forces it would leave for elsewhere. */
static double expected_velocity(const TnStep *step, const TnContactList *contacts,
                                const TnContactPoint *c, int side)
{
    int s = tn_geom_subsystem(step->model, side ? c->geom2 : c->geom1);
    bool soft = (side ? c->soft2 : c->soft1) >= 0;
    if (!soft && s >= 0 && step->plan.pressed[s] > 0.0)
        return side_velocity(step, contacts, c, side, (const double(*)[6])step->world->twists,
                             step->world->state.qvel);
    return side_velocity(step, contacts, c, side, (const double(*)[6])step->free.twists,
                         step->free.qvel);
}

bool tn_step_strikes(const TnStep *step, const TnContactList *contacts, const TnContactPoint *c)
{
    double v[3], slow = tn_step_slow(step);
    if (c->soft1 >= 0 || c->soft2 >= 0) slow *= TN_SLOW;
    double closes =
        expected_velocity(step, contacts, c, 1) - expected_velocity(step, contacts, c, 0);
    if (!(c->gap + step->t * closes < 0.0)) return false;
    tn_account_contact_motion(step, c, (const double(*)[6])step->world->twists,
                              step->world->state.qvel, v);
    bool touched = v3_dot(v, c->normal) > -slow && c->gap < slow * step->t;
    return c->restitution > 0.0 || !touched;
}

static void push_soft(TnStep *step, int geom, int soft, double share)
{
    const TnModel *model = step->model;
    TnSoftSystem *softs = step->systems->softs;
    if (soft < 0) return;
    for (int s = 0; s < model->soft_count; s++)
        if (model->softs[s].geom == geom) softs[s].w = fmax(softs[s].w, share);
}

/* Bodies that a contact will push: one that its motion closes, or any where some contact pushed in
 * the last step. One that is listed and stays open must not change the motion. */
static void mark_pushed(TnStep *step)
{
    TnSoftSystem *softs = step->systems->softs;
    const TnContactList *contacts = &step->world->contacts;
    for (int i = 0; i < contacts->soft_point_count; i++)
        softs[contacts->soft_points[i].soft].alone = false;
    for (int i = 0; i < contacts->count; i++) {
        const TnContactPoint *c = &contacts->points[i];
        if (c->soft1 < 0 && c->soft2 < 0) continue;
        if (!tn_step_strikes(step, contacts, c)) continue;
        push_soft(step, c->geom1, c->soft1, 1.0 - c->restitution); /* as in tn_unilateral_law */
        push_soft(step, c->geom2, c->soft2, 1.0 - c->restitution);
    }
}

/* Joined by iteration to something that moves. */
static bool is_tied(const TnStep *step, int index)
{
    const TnModel *model = step->model;
    const TnSoft *soft = &model->softs[index];
    for (int h = 0; h < soft->hold_count; h++)
        if (!step->systems->softs[index].holds[h].T) return true;
    for (int i = 0; i < model->tie_count; i++)
        if (model->ties[i].soft1 == index || model->ties[i].soft2 == index) return true;
    return false;
}

bool tn_step_plan_softs(TnStep *step)
{
    const TnModel *model = step->model;
    if (!tn_near_has_kind(step, TN_SUBSYSTEM_SOFT)) return true;
    for (int s = 0; s < model->soft_count; s++) {
        if (tn_left_out(&step->dynamics, model->softs[s].subsystem)) continue;
        TnSoftSystem *system = &step->systems->softs[s];
        system->w = step->plan.softs_hit[s] ? 1.0 : step->plan.blend[model->softs[s].subsystem];
        if (step->plan.outside)
            system->w = fmax(system->w, step->plan.outside[model->softs[s].subsystem]);
        /* a device tells what its contacts push */
        system->pressed = !step->plan.outside && !step->world->at_start &&
                          step->plan.pressed[model->softs[s].subsystem] > 0.0;
        system->alone = !is_tied(step, s) && !model->softs[s].hold_count;
        for (int i = 0; system->alone && i < model->softs[s].node_count; i++)
            system->alone = !model->softs[s].pinned[i];
    }
    mark_pushed(step);
    for (int s = 0; s < model->soft_count; s++) {
        if (tn_left_out(&step->dynamics, model->softs[s].subsystem)) continue;
        tn_soft_decide(&step->soft_input, s);
        step->plan.blend[model->softs[s].subsystem] = step->systems->softs[s].w;
    }
    return true;
}

bool tn_step_assemble_softs(TnStep *step)
{
    return !step->model->soft_count || tn_soft_assemble(&step->soft_input);
}

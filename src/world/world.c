/* world.c: creating, asking and changing a world; step.c advances it. */
#include "world.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../device/device.h"
#include "../impact/impact.h"
#include "../math/vec3.h"
#include "../query/reaction.h"
#include "../ranks/spread.h"
#include "../step/time_control.h"
#include "../subsystem/kind.h"
#include "mocap.h"
#include "own.h"
#include "sleep.h"

TnWorldDef tn_world_def(void)
{
    TnSolverDef solver = tn_solver_def();
    solver.contact_ratio = 60.0;
    return (TnWorldDef){
        .thread_count = 1, .solver = solver, .halvings = 4, .sleep_speed = 1e-4, .sleep_time = 0.5};
}

static bool check_def(const TnWorldDef *def, const TnModel *model, TnError *err)
{
    TnError local = {0};
    if (!err) err = &local;
    int before = err->count;
    if (def->thread_count < 1 || def->thread_count > 64)
        tn_error_add(err, TN_ERROR_USAGE, "world: thread_count is %d, must be 1 to 64",
                     def->thread_count);
    if (def->passes < 0 || def->passes > 100)
        tn_error_add(err, TN_ERROR_USAGE, "world: passes is %d, must be 0 to 100", def->passes);
    if (def->substeps < 0 || def->substeps > 100)
        tn_error_add(err, TN_ERROR_USAGE, "world: substeps is %d, must be 0 to 100", def->substeps);
    if (def->halvings < 0 || def->halvings > 16)
        tn_error_add(err, TN_ERROR_USAGE, "world: halvings is %d, must be 0 to 16", def->halvings);
    if (!(def->accuracy >= 0.0))
        tn_error_add(err, TN_ERROR_USAGE, "world: accuracy is %g, must be 0 or more",
                     def->accuracy);
    else if (tn_accuracy_of(def, model) > 0.0 &&
             (def->device != TN_DEVICE_CPU || def->spread || def->ranks))
        tn_error_add(err, TN_ERROR_USAGE,
                     "world: accuracy is %g: steps on a device, in parts or by several processes "
                     "have a fixed length; an infinite accuracy asks for none",
                     tn_accuracy_of(def, model));
    if (def->key < 0 || def->key > model->key_count)
        tn_error_add(err, TN_ERROR_USAGE, "world: there is no keyframe %d (the model has %d)",
                     (int)def->key, model->key_count);
    if (def->division.pieces < 0)
        tn_error_add(err, TN_ERROR_USAGE,
                     "world: pieces of the division is %d, must not be negative",
                     def->division.pieces);
    if (def->division.kind == TN_DIVISION_GROUPS && def->division.group_size < 1)
        tn_error_add(err, TN_ERROR_USAGE,
                     "world: group_size of the division is %d, must be positive",
                     def->division.group_size);
    if (def->device < TN_DEVICE_CPU || def->device > TN_DEVICE_CUDA64)
        tn_error_add(err, TN_ERROR_USAGE, "world: unknown device %d", (int)def->device);
    if (def->sleep < TN_SLEEP_OFF || def->sleep > TN_SLEEP_ALL)
        tn_error_add(err, TN_ERROR_USAGE, "world: unknown sleep mode %d", (int)def->sleep);
    if (!(def->sleep_speed >= 0.0 && def->sleep_time >= 0.0))
        tn_error_add(err, TN_ERROR_USAGE,
                     "world: sleep_speed is %g and sleep_time is %g, both must be 0 or more",
                     def->sleep_speed, def->sleep_time);
    tn_solver_def_check(&def->solver, err);
    return err->count == before;
}

/* What the world's definition leaves open the model says. */
static TnDivisionDef division_of(const TnWorldDef *def, const TnModel *model)
{
    TnDivisionDef division = def->division;
    if (division.kind == TN_DIVISION_AUTO) {
        division.kind = model->option.division.kind;
        division.group_size = model->option.division.group_size;
        if (division.pieces == 0) division.pieces = model->option.division.pieces;
    }
    return division;
}

static int substeps_of(const TnWorldDef *def, const TnModel *model)
{
    int asked = def->substeps ? def->substeps : model->option.substeps;
    return asked > 1 ? asked : 1;
}

/* False: no memory. */
static bool create_sleep(TnWorld *world)
{
    if (world->def.sleep == TN_SLEEP_OFF) return true;
    world->touched = tn_calloc((size_t)world->model->subsystem_count + 1, sizeof *world->touched);
    if (!world->touched) return false;
    tn_collider_sleep(world->collider, world->state.asleep, world->touched);
    return true;
}

/* False: no memory. */
static bool create_softs(TnWorld *world, TnError *err)
{
    const TnModel *model = world->model;
    int blocks = world->division->mesh_count;
    if (!model->soft_count) return true;
    world->elements = tn_soft_elements_create(model, world->division, err);
    world->node_force = tn_calloc((size_t)model->dof_count, sizeof(double));
    world->mesh_memory = tn_calloc((size_t)blocks + 1, sizeof *world->mesh_memory);
    if (!world->elements || !world->node_force || !world->mesh_memory) return false;
    for (int i = 0; i < blocks; i++)
        if (!(world->mesh_memory[i] = tn_mesh_memory_create())) return false;
    return tn_state_set_ties(&world->state, world->division->piece_tie_count);
}

static void destroy_softs(TnWorld *world)
{
    for (int i = 0; world->mesh_memory && i < world->division->mesh_count; i++)
        tn_mesh_memory_destroy(world->mesh_memory[i]);
    tn_free(world->mesh_memory);
    tn_free(world->node_force);
    tn_soft_elements_destroy(world->elements);
}

TnWorld *tn_world_create(const TnWorldDef *def, const TnModel *model, TnError *err)
{
    if (def && def->spread && tn_ranks_count(def->ranks) > 1)
        return tn_spread_create_world(def, model, err);
    return tn_world_create_here(def, model, NULL, err);
}

TnWorld *tn_world_create_here(const TnWorldDef *def, const TnModel *model,
                              struct TnSpreadStart *start, TnError *err)
{
    if (!model) {
        if (err && err->count == 0) tn_error_add(err, TN_ERROR_USAGE, "world: no model");
        return NULL;
    }
    if (!def) {
        tn_error_add(err, TN_ERROR_USAGE, "world: no definition");
        return NULL;
    }
    if (!check_def(def, model, err)) return NULL;
    TnWorld *world = tn_calloc(1, sizeof *world);
    if (!world) {
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
        return NULL;
    }
    world->alive = TN_ALIVE;
    world->shared = model;
    world->own = *model;
    world->model = model = &world->own;
    world->def = *def;
    world->substeps = substeps_of(def, model);
    world->t = model->option.timestep / world->substeps;
    world->parts_left = 1;
    bool ok = tn_state_init(&world->state, model);
    world->pool = tn_pool_create(def->thread_count);
    world->division = tn_division_create(model, division_of(def, model));
    world->groups = world->division ? tn_groups_create(model, world->division) : NULL;
    world->collider = tn_collider_create(model);
    world->solver_memory = tn_solver_memory_create(def->thread_count);
    world->frames = tn_calloc((size_t)model->link_count, sizeof(TnLinkFrame));
    world->twists = tn_calloc((size_t)model->link_count, sizeof(double[6]));
    world->wrench = tn_calloc((size_t)model->link_count, sizeof(double[6]));
    world->applied = tn_calloc((size_t)model->body_count, sizeof(double[6]));
    world->last_applied = tn_calloc((size_t)model->body_count, sizeof(double[6]));
    world->next_qpos = tn_calloc((size_t)model->qpos_count, sizeof(double));
    world->next_qvel = tn_calloc((size_t)model->dof_count, sizeof(double));
    world->next_frames = tn_calloc((size_t)model->link_count, sizeof(TnLinkFrame));
    world->next_twists = tn_calloc((size_t)model->link_count, sizeof(double[6]));
    world->energies = tn_calloc((size_t)model->subsystem_count + 1, sizeof(TnEnergy));
    world->loops = tn_calloc((size_t)model->subsystem_count + 1, sizeof(bool));
    world->tied = tn_calloc((size_t)model->subsystem_count + 1, sizeof(bool));
    world->minds = tn_calloc((size_t)model->subsystem_count + 1, sizeof(bool));
    /* A first guess: blocks and about six contacts per moving body; the arena grows where that is
     * too little. */
    bool steps = def->device == TN_DEVICE_CPU && !def->spread;
    size_t guess = steps ? (size_t)model->link_count * 12288 : 0;
    ok = tn_arena_init(&world->arena, "step", guess + (1 << 16)) && ok;
    if (!ok || !world->pool || !world->division || !world->groups || !world->collider ||
        !world->solver_memory || !world->frames || !world->twists || !world->wrench ||
        !world->applied || !world->last_applied || !world->next_qpos || !world->next_qvel ||
        !world->next_frames || !world->next_twists || !world->energies || !world->loops ||
        !world->tied || !world->minds || !create_sleep(world) ||
        !tn_undo_create(&world->undo, model, def->sleep != TN_SLEEP_OFF) ||
        !create_softs(world, err) || !tn_time_control_create(world)) {
        tn_world_destroy(world);
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
        return NULL;
    }
    for (int g = 0; g < model->geom_count; g++) world->bounces |= model->geoms[g].restitution > 0.0;
    for (int i = 0; i < model->pair_count; i++) world->bounces |= model->pairs[i].restitution > 0.0;
    tn_plan_minds(model, world->division->iterated, world->loops, world->tied, world->minds);
    tn_world_reset(world, def->key);
    if (!tn_device_create(world, err) || !tn_spread_create(world, start, err)) {
        tn_world_destroy(world);
        return NULL;
    }
    return world;
}

void tn_world_destroy(TnWorld *world)
{
    TN_ASSERT_ALIVE(world);
    if (!world) return;
    tn_device_destroy(world);
    destroy_softs(world);
    tn_free(world->touched);
    for (int i = 0; i < TN_OWN_COUNT; i++) tn_free(world->parts[i]);
    tn_state_free(&world->state);
    tn_time_control_destroy(world);
    tn_undo_destroy(&world->undo);
    tn_pool_destroy(world->pool);
    tn_groups_destroy(world->groups);
    tn_division_destroy(world->division);
    tn_collider_destroy(world->collider);
    tn_solver_memory_destroy(world->solver_memory);
    tn_arena_free(&world->arena);
    tn_arena_free(&world->asked);
    tn_free(world->start);
    tn_free(world->frames);
    tn_free(world->twists);
    tn_free(world->wrench);
    tn_free(world->applied);
    tn_free(world->last_applied);
    tn_reactions_destroy(world->reactions);
    tn_free(world->next_qpos);
    tn_free(world->next_qvel);
    tn_free(world->next_frames);
    tn_free(world->next_twists);
    tn_free(world->energies);
    tn_free(world->loops);
    tn_free(world->tied);
    tn_free(world->minds);
    tn_spread_destroy(world); /* whose model it may be */
    tn_free(world);
}

typedef struct FramesTask {
    TnWorld *world;
    const int *subsystems;
} FramesTask;

static void kinematics_range(void *context, int begin, int end)
{
    const FramesTask *task = context;
    TnWorld *world = task->world;
    for (int i = begin, next; i < end; i = next) { /* as many as follow each other */
        int first = task->subsystems ? task->subsystems[i] : i;
        for (next = i + 1; next < end; next++)
            if (task->subsystems && task->subsystems[next] != first + next - i) break;
        const TnSubsystem *last = &world->model->subsystems[first + next - i - 1];
        int start = world->model->subsystems[first].link_start,
            count = last->link_start + last->link_count - start;
        tn_kinematics_all(world->model, world->state.qpos, world->state.qvel, start, count,
                          world->frames, world->twists);
    }
}

void tn_world_update_frames(TnWorld *world, const int *subsystems, int count)
{
    FramesTask task = {world, subsystems};
    tn_kinematics(world->model, world->state.qpos, 0, 1, world->frames);
    tn_kinematics_twists(world->model, world->state.qpos, world->state.qvel, world->frames, 0, 1,
                         world->twists);
    tn_mocap_place(world);
    tn_pool_run(world->team, subsystems ? count : world->model->subsystem_count, 256,
                kinematics_range, &task);
    tn_followers_place(world->model, world->division, world->state.qpos, world->state.qvel,
                       world->frames, world->twists);
    tn_soft_place_held(world->model, world->division, world->frames,
                       (const double(*)[6])world->twists, world->state.qpos, world->state.qvel);
}

void tn_world_forget_step(TnWorld *world)
{
    world->contacts = (TnContactList){0};
    world->impact_count = 0;
    world->has_problem = false;
    tn_reactions_forget(world->reactions);
    world->solution.islands.count = 0;
    world->trouble.island = -1; /* a rejected step stays one */
    world->energies_known = false;
    tn_collider_forget(world->collider);
    tn_world_update_frames(world, NULL, 0);
    world->next_frames[0] = world->frames[0];
    tn_device_note_state(world, false);
    tn_spread_note_state(world);
}

/* The solver's first guess in a new state. */
static void guess_from_state(TnWorld *world)
{
    const TnModel *model = world->model;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnKind *kind = tn_kind_of(model, s);
        double *vhat = world->state.vhat + model->subsystems[s].dof_start;
        size_t bytes = sizeof(double) * (size_t)model->subsystems[s].dof_count;
        if (kind->starts_from_rest)
            memset(vhat, 0, bytes);
        else
            memcpy(vhat, kind->start_velocity(world, s), bytes);
    }
}

void tn_world_reset(TnWorld *world, TnKeyId key)
{
    if (!world || key < 0 || key > world->model->key_count) return;
    tn_world_original_equalities(world);
    tn_state_reset(&world->state, world->model, key - 1);
    if (world->wrench_set) { /* otherwise both are zero, and maybe never touched */
        memset(world->wrench, 0, sizeof(double[6]) * (size_t)world->model->link_count);
        memset(world->applied, 0, sizeof(double[6]) * (size_t)world->model->body_count);
    }
    world->wrench_set = false;
    if (world->node_force)
        memset(world->node_force, 0, sizeof(double) * (size_t)world->model->dof_count);
    world->node_force_set = false;
    tn_world_forget_step(world);
    tn_device_note_state(world, true);
    guess_from_state(world);
}

const TnModel *tn_world_model(const TnWorld *world)
{
    if (!world) return NULL;
    return world->changed ? world->model : world->shared;
}

int tn_world_substeps(const TnWorld *world) { return world ? world->substeps : 0; }

TnStatus tn_world_refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "world: %s", why);
    return TN_ERROR_USAGE;
}

int tn_world_self_overlap_count(const TnWorld *world)
{
    return world ? tn_collider_overlap_count(world->collider) : 0;
}

TnSelfOverlap tn_world_self_overlap(const TnWorld *world, int index)
{
    int geom1, geom2;
    if (index < 0 || index >= tn_world_self_overlap_count(world)) return (TnSelfOverlap){0};
    double depth = tn_collider_overlap(world->collider, index, &geom1, &geom2);
    return (TnSelfOverlap){geom1 + 1, geom2 + 1, depth};
}

double tn_world_time(const TnWorld *world) { return world ? world->state.time : 0.0; }

TnStateView tn_world_state(const TnWorld *world)
{
    if (!world) return (TnStateView){0};
    tn_world_fetch(world);
    const TnState *s = &world->state;
    const TnModel *m = world->model;
    return (TnStateView){s->time, s->qpos,           m->qpos_count, s->qvel,     m->dof_count,
                         s->ctrl, m->actuator_count, s->act,        m->act_count};
}

static bool check_numbers(const char *what, const double *x, int count, TnError *err)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) {
            tn_error_add(err, TN_ERROR_USAGE, "world: %s[%d] is not finite", what, i);
            return false;
        }
    return true;
}

TnStatus tn_world_set_state(TnWorld *world, const double *qpos, const double *qvel, TnError *err)
{
    if (!world) return tn_world_refuse(err, "no world");
    const TnModel *model = world->model;
    tn_world_fetch(world);
    if (qpos && !check_numbers("qpos", qpos, model->qpos_count, err)) return TN_ERROR_USAGE;
    if (qvel && !check_numbers("qvel", qvel, model->dof_count, err)) return TN_ERROR_USAGE;
    for (int j = 0; qpos && j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        if (joint->type != TN_JOINT_FREE && joint->type != TN_JOINT_BALL) continue;
        double q[4];
        quat_copy(q, qpos + joint->qpos_start + (joint->type == TN_JOINT_FREE ? 3 : 0));
        if (quat_normalize(q) < 1e-10) {
            tn_error_add(err, TN_ERROR_USAGE, "world: qpos of joint %d has a zero quaternion",
                         j + 1);
            return TN_ERROR_USAGE;
        }
    }
    if (qpos) {
        memcpy(world->state.qpos, qpos, sizeof(double) * (size_t)model->qpos_count);
        for (int j = 0; j < model->joint_count; j++) {
            const TnJoint *joint = &model->joints[j];
            if (joint->type == TN_JOINT_FREE)
                quat_normalize(world->state.qpos + joint->qpos_start + 3);
            if (joint->type == TN_JOINT_BALL) quat_normalize(world->state.qpos + joint->qpos_start);
        }
    }
    if (qvel) memcpy(world->state.qvel, qvel, sizeof(double) * (size_t)model->dof_count);
    /* Another state, another problem: start it cold. */
    world->state.contact_count = 0;
    tn_state_clear_sleep(&world->state, model);
    memset(world->state.row_lambda, 0, sizeof(double) * (size_t)world->state.row_lambda_count);
    memset(world->state.owed, 0, sizeof(double) * (size_t)model->subsystem_count);
    if (world->state.tie_count)
        memset(world->state.tie_lambda, 0, sizeof(double) * 3 * (size_t)world->state.tie_count);
    tn_world_forget_step(world);
    guess_from_state(world);
    return TN_OK;
}

TnStatus tn_world_set_ctrl(TnWorld *world, const double *ctrl, TnError *err)
{
    if (!world || (!ctrl && world->model->actuator_count > 0))
        return tn_world_refuse(err, "world and ctrl must be given");
    if (!check_numbers("ctrl", ctrl, world->model->actuator_count, err)) return TN_ERROR_USAGE;
    tn_sleep_set_ctrl(world, ctrl);
    world->state.ctrl_by_user = true;
    return TN_OK;
}

TnStatus tn_world_set_act(TnWorld *world, const double *act, TnError *err)
{
    if (!world || (!act && world->model->act_count > 0))
        return tn_world_refuse(err, "world and act must be given");
    if (!check_numbers("act", act, world->model->act_count, err)) return TN_ERROR_USAGE;
    if (world->spread) tn_world_fetch(world);
    tn_sleep_set_act(world, act);
    tn_spread_note_state(world);
    return TN_OK;
}

void tn_world_apply_wrench(TnWorld *world, TnBodyId body, const double force[3],
                           const double torque[3])
{
    static const double none[3] = {0.0, 0.0, 0.0};
    if (!tn_world_has_body(world, body)) return;
    if (!force) force = none;
    if (!torque) torque = none;
    int link = world->model->bodies[body - 1].link;
    v3_add(world->wrench[link], world->wrench[link], force);
    v3_add(world->wrench[link] + 3, world->wrench[link] + 3, torque);
    v3_add(world->applied[body - 1], world->applied[body - 1], force);
    v3_add(world->applied[body - 1] + 3, world->applied[body - 1] + 3, torque);
    world->wrench_set = true;
    if (v3_dot(force, force) + v3_dot(torque, torque) > 0.0)
        tn_sleep_wake(world, world->model->links[link].subsystem);
}

size_t tn_world_save_size(const TnWorld *world)
{
    if (!world) return 0;
    tn_world_fetch(world);
    return tn_state_save_size(&world->state, world->model);
}

TnStatus tn_world_save(const TnWorld *world, void *buffer, size_t size, TnError *err)
{
    if (!world || !buffer) return tn_world_refuse(err, "world and buffer must be given");
    tn_world_fetch(world);
    size_t need = tn_world_save_size(world);
    if (size < need) {
        tn_error_add(err, TN_ERROR_USAGE, "world: the buffer has %zu bytes, saving needs %zu", size,
                     need);
        return TN_ERROR_USAGE;
    }
    tn_state_save(&world->state, world->model, buffer);
    return TN_OK;
}

TnStatus tn_world_restore(TnWorld *world, const void *buffer, size_t size, TnError *err)
{
    if (world && world->spread && !world->spread->has_whole && !buffer) { /* rank 0's is another */
        tn_spread_note_state(world);
        return TN_OK;
    }
    if (!world || !buffer) return tn_world_refuse(err, "world and buffer must be given");
    TnStatus status = tn_state_restore(&world->state, world->model, buffer, size, err);
    if (status != TN_OK) return status;
    if (!tn_world_follow_equalities(world)) {
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
        return TN_ERROR_MEMORY;
    }
    if (!world->touched) tn_sleep_wake_all(world);
    tn_world_forget_step(world);
    tn_device_note_state(world, true);
    return status;
}

uint64_t tn_world_hash(const TnWorld *world)
{
    tn_world_fetch(world);
    return world ? tn_state_hash(&world->state, world->model) : 0;
}

TnStatus tn_world_set_solver(TnWorld *world, const TnSolverDef *def, TnError *err)
{
    if (!world || !def) return tn_world_refuse(err, "world and def must be given");
    TnStatus status = tn_solver_def_check(def, err);
    if (status != TN_OK) return status;
    world->def.solver = *def;
    world->version++;
    tn_world_fetch(world);
    tn_device_note_model(world);
    tn_spread_note_state(world);
    return status;
}

double tn_world_velocity_scale(const TnWorld *world)
{
    double g = v3_norm(world->model->option.gravity);
    return (g > 0.0 ? g : 9.81) * world->t;
}

TnSolverDef tn_world_solver(const TnWorld *world)
{
    TnSolverDef def = world->def.solver;
    def.velocity_scale = tn_world_velocity_scale(world);
    def.contact_stiffness = world->model->option.contact_stiffness * world->t;
    return def;
}

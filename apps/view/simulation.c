/* simulation.c: the thread that steps the world in time with the clock.
 *
 * Three frames go round: one is written by this thread, one waits, one is the window's. Taking and
 * handing over exchange two pointers under the mutex. A frame is made when the last one was taken,
 * not at every step: a world of 1000 steps per second needs no 1000 frames. */
#include "simulation.h"
#include "keyframe.h"

#include "history.h"
#include "pace.h"
#include "platform/clock.h"
#include "platform/threads.h"
#include "pull_soft.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND_ROOM = 64, NOTICE_ROOM = 256 };
enum { MAX_SIGNALS = 4096 }; /* more are not readable */

typedef struct Command {
    SimulationCommandKind kind;
    int index;
    double value;
} Command;

struct Simulation {
    /* the simulation's thread alone */
    TnWorld *world;
    TnKeyId key;
    int64_t step_limit;
    void (*wake)(void);
    Follow *follow; /* NULL: the world is run here */
    History history;
    TnStepReport report; /* of the step that led here */
    TnContact *past_contacts;
    int past_count, past_room;
    bool shows_past; /* the contacts to show are the past ones */
    bool paused, finished, diverged;
    int64_t step;
    Pace pace;
    Pull pull; /* as of this step */
    PullStrength strength;
    SoftGrip grip;
    bool stress;   /* is wanted */
    bool signals;  /* frames have them */
    double *state; /* room for qpos, qvel and ctrl */
    TnBodyId strength_body;
    double pull_force[3], pull_torque[3], pull_at[3];
    Physics physics;
    TnFrame *writing;
    bool has_news; /* the state is newer than the last frame handed over */

    /* shared */
    TnMutex mutex;
    TnCondition changed;
    bool stop;
    Command commands[COMMAND_ROOM];
    int command_first, command_count;
    Notice notices[NOTICE_ROOM];
    int notice_first, notice_count;
    Pull wanted_pull;
    TnFrame *waiting;
    SimulationStatus waiting_status;
    bool fresh;     /* `waiting` was not taken yet */
    char *keyframe; /* text not yet taken */

    /* the window's thread alone */
    TnFrame *shown;
    SimulationStatus shown_status;
    TnThread thread;
    bool has_mutex, has_condition;
};

SimulationDef simulation_def(void)
{
    return (SimulationDef){.speed = 1, .max_states = 2000, .max_bytes = (size_t)256 << 20};
}

static double world_time(const Simulation *sim) { return tn_world_state(sim->world).time; }

/* ---- told to the window ---- */

static void copy_pull(const Simulation *sim, double force[3], double torque[3], double at[3])
{
    for (int k = 0; k < 3; k++) {
        force[k] = sim->pull_force[k];
        torque[k] = sim->pull_torque[k];
        at[k] = sim->pull_at[k];
    }
}

static SimulationStatus current_status(const Simulation *sim)
{
    SimulationStatus status = {.paused = sim->paused,
                               .diverged = sim->diverged,
                               .late = sim->pace.late && !sim->paused,
                               .speed = sim->pace.speed,
                               .real_time_factor = sim->paused ? 0 : sim->pace.real_time_factor,
                               .step = sim->step,
                               .states = sim->history.count,
                               .state_bytes = sim->history.bytes,
                               .converged = sim->report.converged,
                               .error = sim->report.error,
                               .islands = sim->report.island_count,
                               .asleep = sim->report.asleep_count,
                               .pulling = sim->pull.kind != PULL_NONE,
                               .physics = sim->physics.view};
    copy_pull(sim, status.pull_force, status.pull_torque, status.pull_at);
    return status;
}

/* Fills the thread's frame; false where there was no memory for the contacts: the old one is kept.
 */
static bool write_frame(Simulation *sim)
{
    physics_update(&sim->physics, sim->world);
    TnFrame *frame = sim->writing;
    if (tn_frame_reserve_stress(frame, sim->stress ? 0 : -1, NULL) != TN_OK ||
        tn_frame_capture(frame, sim->world, &sim->report, false, NULL) != TN_OK ||
        (sim->signals && tn_frame_capture_signals(frame, sim->world, NULL) != TN_OK))
        return false;
    if (sim->shows_past && tn_frame_reserve_contacts(frame, sim->past_count, NULL) == TN_OK) {
        for (int i = 0; i < sim->past_count; i++) frame->contacts[i] = sim->past_contacts[i];
        frame->contact_count = sim->past_count;
    }
    return true;
}

/* Gives what was written to the window. */
static void publish(Simulation *sim)
{
    SimulationStatus status = current_status(sim);
    tn_mutex_lock(&sim->mutex);
    TnFrame *old = sim->waiting;
    sim->waiting = sim->writing;
    sim->writing = old;
    sim->waiting_status = status;
    sim->fresh = true;
    tn_mutex_unlock(&sim->mutex);
    sim->has_news = false;
    if (sim->wake) sim->wake();
}

static void hand_over(Simulation *sim)
{
    if (write_frame(sim)) publish(sim);
}

/* Where nothing moves, the frame comes before the word: its reader can look at once. */
static void notify_why(Simulation *sim, NoticeKind kind, const char *text)
{
    if (sim->paused && sim->has_news) hand_over(sim);
    Notice notice = {.kind = kind,
                     .time = world_time(sim),
                     .step = sim->step,
                     .hash = tn_world_hash(sim->world),
                     .speed = sim->pace.speed,
                     .key = sim->key,
                     .pulling = sim->pull.kind != PULL_NONE};
    copy_pull(sim, notice.pull_force, notice.pull_torque, notice.pull_at);
    snprintf(notice.text, sizeof notice.text, "%s", text);
    tn_mutex_lock(&sim->mutex);
    /* a window that reads nothing loses the newest, not the order */
    if (sim->notice_count < NOTICE_ROOM)
        sim->notices[(sim->notice_first + sim->notice_count++) % NOTICE_ROOM] = notice;
    tn_mutex_unlock(&sim->mutex);
    if (sim->wake) sim->wake();
}

static void notify(Simulation *sim, NoticeKind kind) { notify_why(sim, kind, ""); }

static bool was_taken(Simulation *sim)
{
    tn_mutex_lock(&sim->mutex);
    bool taken = !sim->fresh;
    tn_mutex_unlock(&sim->mutex);
    return taken;
}

/* ---- what the thread does ---- */

static void restart_clock(Simulation *sim)
{
    pace_restart(&sim->pace, tn_clock_now(), world_time(sim));
}

static void pause_at(Simulation *sim, bool paused)
{
    if (paused == sim->paused || (sim->finished && !paused)) return;
    sim->paused = paused;
    sim->has_news = true;
    restart_clock(sim);
    notify(sim, paused ? NOTICE_PAUSED : NOTICE_RUNNING);
}

static void apply_pull(Simulation *sim)
{
    for (int k = 0; k < 3; k++) sim->pull_force[k] = sim->pull_torque[k] = 0;
    if (sim->pull.kind == PULL_NONE || !sim->pull.soft) sim->grip.soft = 0; /* let go */
    if (sim->pull.kind == PULL_NONE) return;
    if (sim->pull.soft) {
        if (soft_grip_fits(&sim->grip, &sim->pull) ||
            soft_grip_take(&sim->grip, &sim->pull, sim->world))
            soft_grip_pull(&sim->grip, &sim->pull, sim->world, sim->pull_force, sim->pull_at);
        return;
    }
    if (sim->strength_body != sim->pull.body) {
        sim->strength = pull_strength(tn_world_model(sim->world), sim->pull.body);
        sim->strength_body = sim->pull.body;
    }
    pull_wrench(&sim->pull, &sim->strength, sim->world, sim->pull_force, sim->pull_torque,
                sim->pull_at);
    tn_world_apply_wrench(sim->world, sim->pull.body, sim->pull_force, sim->pull_torque);
}

/* False where the step was refused. */
static bool take_step(Simulation *sim)
{
    /* a restored world has no contacts of its own: keep those that it came with */
    bool kept = history_push(&sim->history, sim->world, &sim->report,
                             sim->shows_past ? sim->past_contacts : NULL, sim->past_count);
    apply_pull(sim);
    TnStepReport report = tn_world_step(sim->world);
    sim->has_news = true;
    if (report.diverged) {
        if (kept) history_drop_newest(&sim->history);
        sim->diverged = sim->paused = true;
        notify(sim, NOTICE_DIVERGED);
        return false;
    }
    sim->report = report;
    sim->shows_past = false;
    sim->step++;
    if (sim->step_limit && sim->step >= sim->step_limit) {
        sim->finished = sim->paused = true;
        notify(sim, NOTICE_FINISHED);
    }
    return true;
}

static void step_once(Simulation *sim)
{
    if (!sim->paused) {
        pause_at(sim, true);
    } else if (!sim->finished && take_step(sim)) {
        notify(sim, NOTICE_STEP);
    }
}

static void step_back(Simulation *sim)
{
    pause_at(sim, true);
    if (!history_pop(&sim->history, sim->world, &sim->report, &sim->past_contacts, &sim->past_count,
                     &sim->past_room)) {
        notify(sim, NOTICE_NO_BACK);
        return;
    }
    sim->shows_past = true;
    sim->finished = sim->diverged = false;
    sim->step--;
    sim->has_news = true;
    notify(sim, NOTICE_BACK);
}

static void reset_to(Simulation *sim, TnKeyId key)
{
    tn_world_reset(sim->world, key);
    history_clear(&sim->history);
    sim->report = (TnStepReport){0};
    sim->shows_past = sim->finished = sim->diverged = false;
    sim->step = 0;
    sim->has_news = true;
    restart_clock(sim);
    notify(sim, NOTICE_RESET);
}

/* ---- set by hand ---- */

static void set_ctrl(Simulation *sim, int index, double value)
{
    TnStateView now = tn_world_state(sim->world);
    if (index < 0 || index >= now.ctrl_count) return;
    memcpy(sim->state, now.ctrl, (size_t)now.ctrl_count * sizeof *sim->state);
    sim->state[index] = value;
    tn_world_set_ctrl(sim->world, sim->state, NULL);
    sim->has_news = true;
}

/* The joint stands still afterwards; everything else goes on as it was. */
static void set_joint(Simulation *sim, TnJointId id, double value)
{
    TnStateView now = tn_world_state(sim->world);
    TnJointInfo joint = tn_model_joint_info(tn_world_model(sim->world), id);
    if (!sim->paused || joint.qpos_count != 1) return;
    double *qpos = sim->state, *qvel = qpos + now.qpos_count;
    memcpy(qpos, now.qpos, (size_t)now.qpos_count * sizeof *qpos);
    memcpy(qvel, now.qvel, (size_t)now.dof_count * sizeof *qvel);
    qpos[joint.qpos_start] = value;
    qvel[joint.dof_start] = 0;
    if (tn_world_set_state(sim->world, qpos, qvel, NULL) != TN_OK) return;
    sim->finished = sim->diverged = false;
    sim->has_news = true;
    notify(sim, NOTICE_SET);
}

static void make_keyframe(Simulation *sim)
{
    char *text = keyframe_text(sim->world);
    if (!text) return;
    tn_mutex_lock(&sim->mutex);
    free(sim->keyframe);
    sim->keyframe = text;
    tn_mutex_unlock(&sim->mutex);
    notify(sim, NOTICE_KEYFRAME);
}

static void change_physics(Simulation *sim, Command command)
{
    TnError err = {0};
    Physics *physics = &sim->physics;
    bool on = command.value > 0;
    TnStatus status =
        command.kind == COMMAND_PHYSICS
            ? physics_set(physics, sim->world, (PhysicsId)command.index, command.value, &err)
        : command.kind == COMMAND_EQUALITY
            ? tn_world_set_equality(sim->world, command.index, on, &err)
            : physics_set_actuator(physics, sim->world, command.index, on, &err);
    sim->has_news = true;
    if (command.kind == COMMAND_PHYSICS && command.index == PHYSICS_TIMESTEP) {
        sim->pace.timestep = physics->view.values[PHYSICS_TIMESTEP];
        sim->strength_body = 0; /* a pull is stable for a step of this length only */
        sim->grip.soft = 0;
        restart_clock(sim);
    }
    notify_why(sim, status == TN_OK ? NOTICE_PHYSICS : NOTICE_REFUSED,
               err.message[0] ? err.message : "there is no such option");
}

static void obey(Simulation *sim, Command command)
{
    switch (command.kind) {
    case COMMAND_PAUSE:
        pause_at(sim, command.value < 0 ? !sim->paused : command.value > 0);
        break;
    case COMMAND_STEP:
        step_once(sim);
        break;
    case COMMAND_BACK:
        step_back(sim);
        break;
    case COMMAND_SPEED:
        sim->pace.speed = command.value;
        sim->has_news = true;
        restart_clock(sim);
        notify(sim, NOTICE_SPEED);
        break;
    case COMMAND_RESET:
        if (command.value >= 0) sim->key = (TnKeyId)command.value;
        reset_to(sim, sim->key);
        break;
    case COMMAND_STRESS:
        sim->stress = command.value > 0;
        sim->has_news = true;
        break;
    case COMMAND_CTRL:
        set_ctrl(sim, command.index, command.value);
        break;
    case COMMAND_JOINT:
        set_joint(sim, command.index, command.value);
        break;
    case COMMAND_KEYFRAME:
        make_keyframe(sim);
        break;
    case COMMAND_PHYSICS:
    case COMMAND_EQUALITY:
    case COMMAND_ACTUATOR:
        change_physics(sim, command);
        break;
    }
}

/* Waits until a command comes, until there is a pull to show or `seconds` have passed (infinite:
 * as long as it takes). */
static void wait_for_change(Simulation *sim, double seconds)
{
    double end = tn_clock_now() + seconds;
    tn_mutex_lock(&sim->mutex);
    bool in_time = true;
    while (!sim->stop && !sim->command_count && in_time) {
        if (isfinite(seconds))
            in_time = tn_condition_wait_for(&sim->changed, &sim->mutex, end - tn_clock_now());
        else
            tn_condition_wait(&sim->changed, &sim->mutex);
    }
    tn_mutex_unlock(&sim->mutex);
}

/* The next command, and the pull of the moment; false where the thread should end. */
static bool read_commands(Simulation *sim, Command *command, bool *has_command)
{
    tn_mutex_lock(&sim->mutex);
    bool go_on = !sim->stop;
    *has_command = sim->command_count > 0;
    if (*has_command) {
        *command = sim->commands[sim->command_first];
        sim->command_first = (sim->command_first + 1) % COMMAND_ROOM;
        sim->command_count--;
    }
    if (!sim->follow) sim->pull = sim->wanted_pull;
    tn_mutex_unlock(&sim->mutex);
    return go_on;
}

/* Another thread runs the world: shows what it gives. */
static void follow(Simulation *sim)
{
    static const double patience = 0.004; /* s; a screen shows a picture every 0.016 */
    Command command;
    bool has_command;
    while (read_commands(sim, &command, &has_command)) {
        if (has_command) continue;
        if (follow_take(sim->follow, sim->writing)) {
            sim->step = sim->writing->step;
            pace_measure(&sim->pace, tn_clock_now(), sim->writing->time);
            publish(sim);
        }
        wait_for_change(sim, patience);
    }
}

static void thread_main(void *argument)
{
    Simulation *sim = argument;
    Command command;
    bool has_command;
    restart_clock(sim);
    if (sim->follow) {
        follow(sim);
        return;
    }
    while (read_commands(sim, &command, &has_command)) {
        if (has_command) {
            obey(sim, command);
            continue;
        }
        double ahead =
            sim->paused ? INFINITY : pace_ahead(&sim->pace, tn_clock_now(), world_time(sim));
        if (ahead <= 0) {
            take_step(sim);
            pace_measure(&sim->pace, tn_clock_now(), world_time(sim));
            if (was_taken(sim)) hand_over(sim);
            continue;
        }
        /* nothing moves any more: the last state must be seen; else only where one is missing */
        if (sim->has_news && (sim->paused || was_taken(sim))) hand_over(sim);
        wait_for_change(sim, ahead);
    }
}

/* ---- the window's side ---- */

static void free_simulation(Simulation *sim)
{
    if (!sim) return;
    if (sim->has_condition) tn_condition_destroy(&sim->changed);
    if (sim->has_mutex) tn_mutex_destroy(&sim->mutex);
    history_free(&sim->history);
    soft_grip_free(&sim->grip);
    free(sim->past_contacts);
    free(sim->state);
    free(sim->keyframe);
    physics_free(&sim->physics);
    tn_frame_destroy(sim->writing);
    tn_frame_destroy(sim->waiting);
    tn_frame_destroy(sim->shown);
    free(sim);
}

Simulation *simulation_start(const SimulationDef *def, TnWorld *world, const TnScene *scene,
                             TnError *err)
{
    Simulation *sim = calloc(1, sizeof *sim);
    if (!sim) goto no_memory;
    sim->world = world;
    sim->key = def->key;
    sim->pace.timestep = tn_model_info(tn_world_model(world)).option.timestep;
    sim->step_limit = def->step_limit;
    sim->wake = def->wake;
    sim->follow = def->follow;
    sim->paused = def->paused;
    sim->stress = def->stress;
    sim->signals = scene->signal_count <= MAX_SIGNALS;
    TnStateView start = tn_world_state(world);
    sim->state =
        malloc(((size_t)start.qpos_count + (size_t)start.dof_count + (size_t)start.ctrl_count + 1) *
               sizeof *sim->state);
    sim->pace.speed = def->speed;
    sim->writing = tn_frame_create(scene, err);
    sim->waiting = tn_frame_create(scene, err);
    sim->shown = tn_frame_create(scene, err);
    if (!sim->state || !sim->writing || !sim->waiting || !sim->shown ||
        !physics_create(&sim->physics, world, def->solver) ||
        !history_create(&sim->history, def->max_states, def->max_bytes))
        goto no_memory;
    /* the state at the start can be seen before the thread has done anything */
    if (tn_frame_reserve_stress(sim->shown, sim->stress ? 0 : -1, err) != TN_OK ||
        tn_frame_capture(sim->shown, world, NULL, false, err) != TN_OK ||
        (sim->signals && tn_frame_capture_signals(sim->shown, world, err) != TN_OK))
        goto no_memory;
    sim->shown_status = sim->waiting_status = current_status(sim);
    sim->has_mutex = tn_mutex_init(&sim->mutex);
    sim->has_condition = tn_condition_init(&sim->changed);
    if (!sim->has_mutex || !sim->has_condition || !tn_thread_start(&sim->thread, thread_main, sim))
        goto no_memory;
    return sim;
no_memory:
    if (err && err->code == TN_OK)
        *err = (TnError){TN_ERROR_MEMORY, 1, "no memory or thread for the simulation"};
    free_simulation(sim);
    return NULL;
}

void simulation_stop(Simulation *sim)
{
    if (!sim) return;
    tn_mutex_lock(&sim->mutex);
    sim->stop = true;
    tn_condition_wake(&sim->changed);
    tn_mutex_unlock(&sim->mutex);
    tn_thread_join(&sim->thread);
    free_simulation(sim);
}

bool simulation_command(Simulation *sim, SimulationCommandKind kind, double value)
{
    return simulation_set(sim, kind, 0, value);
}

char *simulation_keyframe(Simulation *sim)
{
    tn_mutex_lock(&sim->mutex);
    char *text = sim->keyframe;
    sim->keyframe = NULL;
    tn_mutex_unlock(&sim->mutex);
    return text;
}

bool simulation_set(Simulation *sim, SimulationCommandKind kind, int index, double value)
{
    tn_mutex_lock(&sim->mutex);
    bool fits = sim->command_count < COMMAND_ROOM;
    if (fits) {
        int place = (sim->command_first + sim->command_count++) % COMMAND_ROOM;
        sim->commands[place] = (Command){kind, index, value};
    }
    tn_condition_wake(&sim->changed);
    tn_mutex_unlock(&sim->mutex);
    return fits;
}

void simulation_pull(Simulation *sim, const Pull *pull)
{
    tn_mutex_lock(&sim->mutex);
    sim->wanted_pull = *pull;
    tn_mutex_unlock(&sim->mutex);
}

bool simulation_take(Simulation *sim, const TnFrame **frame, SimulationStatus *status)
{
    tn_mutex_lock(&sim->mutex);
    bool is_new = sim->fresh;
    if (is_new) {
        TnFrame *old = sim->shown;
        sim->shown = sim->waiting;
        sim->waiting = old;
        sim->shown_status = sim->waiting_status;
        sim->fresh = false;
    }
    tn_mutex_unlock(&sim->mutex);
    *frame = sim->shown;
    *status = sim->shown_status;
    return is_new;
}

bool simulation_notice(Simulation *sim, Notice *notice)
{
    tn_mutex_lock(&sim->mutex);
    bool has = sim->notice_count > 0;
    if (has) {
        *notice = sim->notices[sim->notice_first];
        sim->notice_first = (sim->notice_first + 1) % NOTICE_ROOM;
        sim->notice_count--;
    }
    tn_mutex_unlock(&sim->mutex);
    return has;
}

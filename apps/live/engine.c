/* engine.c: opening, stepping, changing and recording; see engine.h. */
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TnError engine_error;

void *LIVE_EXPORT(tenon_take)(size_t bytes) { return malloc(bytes); }
void LIVE_EXPORT(tenon_give)(void *memory) { free(memory); }
const char *LIVE_EXPORT(tenon_error)(void) { return engine_error.message; }
const char *LIVE_EXPORT(tenon_version_text)(void) { return tn_version(); }

bool engine_refuse(const char *why)
{
    engine_error = (TnError){.code = TN_ERROR_USAGE, .count = 1};
    snprintf(engine_error.message, sizeof engine_error.message, "%s", why);
    return false;
}

void LIVE_EXPORT(tenon_close)(Engine *e)
{
    if (!e) return;
    tn_recorder_close(e->recorder, NULL);
    tn_plan_destroy(e->plan);
    free(e->task);
    soft_grip_free(&e->grip);
    tn_frame_destroy(e->frame);
    tn_scene_destroy(e->scene);
    tn_world_destroy(e->world);
    tn_model_destroy(e->model);
    free(e->own_friction);
    free(e->numbers);
    free(e->head);
    free(e->data);
    free(e);
}

/* Contacts, signals and the stress of soft bodies have room from the start. */
static bool make_frame(Engine *e)
{
    int cells = 0;
    e->scene = tn_scene_create_of(e->world, &engine_error);
    e->frame = e->scene ? tn_frame_create(e->scene, &engine_error) : NULL;
    for (int i = 0; e->scene && i < e->scene->surface_count; i++)
        cells += e->scene->surfaces[i].tetrahedron_count;
    return e->frame &&
           (!cells || tn_frame_reserve_stress(e->frame, cells, &engine_error) == TN_OK) &&
           engine_capture(e);
}

static bool keep_friction(Engine *e)
{
    int count = tn_model_info(e->model).geom_count;
    e->friction = 1;
    e->own_friction = malloc((size_t)(3 * count + 1) * sizeof *e->own_friction);
    for (int i = 0; e->own_friction && i < count; i++)
        memcpy(e->own_friction + 3 * i, tn_model_geom_info(e->model, i + 1).friction,
               3 * sizeof *e->own_friction);
    return e->own_friction != NULL || engine_refuse("no memory");
}

/* The model at `path` with the world that `def` describes by default. `any` lets it name files
 * anywhere: they are all the caller's. */
Engine *LIVE_EXPORT(tenon_open)(const char *path, bool free_base)
{
    engine_error = (TnError){0};
    Engine *e = calloc(1, sizeof *e);
    if (!e) {
        engine_refuse("no memory");
        return NULL;
    }
    TnLoadDef load = tn_load_def();
    load.free_base = free_base;
    load.reach = TN_FILES_ANY; /* all files are the caller's own */
    TnModelBuilder *builder = tn_builder_load(path, &load, NULL, &engine_error);
    e->model = builder ? tn_builder_compile(builder, &engine_error) : NULL;
    tn_builder_destroy(builder);
    TnWorldDef def = tn_world_def();
    e->solver = def.solver;
    e->world = e->model ? tn_world_create(&def, e->model, &engine_error) : NULL;
    if (e->world && keep_friction(e) && make_frame(e)) return e;
    tenon_close(e);
    return NULL;
}

bool engine_capture(Engine *e)
{
    return tn_frame_capture(e->frame, e->world, e->steps ? &e->report : NULL, false,
                            &engine_error) == TN_OK &&
           tn_frame_capture_signals(e->frame, e->world, &engine_error) == TN_OK;
}

/* ---- the pull of a mouse or a finger ---- */

/* A body is held at `anchor`, in its axes; or where body is 0, the triangle `nodes` of a soft body
 * at `weights`. stiffness: 1/s². */
void LIVE_EXPORT(tenon_pull)(Engine *e, int body, int soft, double a, double b, double c, int n0,
                             int n1, int n2, double stiffness)
{
    if (e->pull.body != body && body) e->strength = pull_strength(tn_world_model(e->world), body);
    e->pull = (Pull){.kind = PULL_MOVE,
                     .body = body,
                     .soft = soft,
                     .nodes = {n0, n1, n2},
                     .stiffness = stiffness};
    double *to = body ? e->pull.anchor : e->pull.weights;
    to[0] = a, to[1] = b, to[2] = c;
    e->pull.target[0] = NAN;
}

void LIVE_EXPORT(tenon_pull_to)(Engine *e, double x, double y, double z)
{
    e->pull.target[0] = x, e->pull.target[1] = y, e->pull.target[2] = z;
}

void LIVE_EXPORT(tenon_let_go)(Engine *e)
{
    e->pull.kind = PULL_NONE;
    e->pull.body = 0;
}

static void apply_pull(Engine *e)
{
    const Pull *pull = &e->pull;
    memset(e->pull_force, 0, sizeof e->pull_force);
    if (pull->kind == PULL_NONE || isnan(pull->target[0])) return;
    if (pull->soft) {
        if (!soft_grip_fits(&e->grip, pull) && !soft_grip_take(&e->grip, pull, e->world)) return;
        soft_grip_pull(&e->grip, pull, e->world, e->pull_force, e->held);
        return;
    }
    double torque[3];
    pull_wrench(pull, &e->strength, e->world, e->pull_force, torque, e->held);
    tn_world_apply_wrench(e->world, pull->body, e->pull_force, torque);
}

/* ---- recording ---- */

static void record_frame(Engine *e)
{
    double now = tn_world_time(e->world);
    if (!e->recorder || e->record_status != TN_OK || now < e->record_next - 1e-9) return;
    e->record_next = fmax(e->record_next + e->record_period, now);
    e->record_status = engine_capture(e) ? tn_recorder_write(e->recorder, e->frame, &engine_error)
                                         : engine_error.code;
}

/* Frames of the steps from now on, `rate` per second at most (0: every step). */
bool LIVE_EXPORT(tenon_record)(Engine *e, const char *path, double rate)
{
    TnRecorderDef def = tn_recorder_def();
    if (e->recorder) return engine_refuse("a recording is under way");
    e->recorder = tn_recorder_create(&def, path, e->scene, &engine_error);
    e->record_status = TN_OK;
    e->record_period = rate > 0 ? 1 / rate : 0;
    e->record_next = tn_world_time(e->world);
    if (e->recorder) record_frame(e);
    return e->recorder && e->record_status == TN_OK;
}

/* False where some of it could not be written. */
bool LIVE_EXPORT(tenon_record_end)(Engine *e)
{
    if (!e->recorder) return engine_refuse("nothing is recorded");
    TnStatus status = tn_recorder_close(e->recorder, &engine_error);
    e->recorder = NULL;
    return status == TN_OK && e->record_status == TN_OK;
}

/* ---- steps ---- */

/* So many steps, or up to one that is refused or that no plan was found for: how many were taken.
 */
int LIVE_EXPORT(tenon_step)(Engine *e, int count)
{
    int taken = 0;
    for (e->diverged = false; taken < count; taken++) {
        if (e->planning && !engine_plan_step(e)) {
            e->planning = false;
            break;
        }
        apply_pull(e);
        TnStepReport report = tn_world_step(e->world);
        if (report.diverged) {
            e->diverged = true;
            break;
        }
        e->report = report;
        e->steps++;
        record_frame(e);
    }
    return taken;
}

/* To the start: the keyframe `key` from 1, or 0 for the reference pose. Controls become what they
 * were, settings stay. A recording ends: its times would go back. */
bool LIVE_EXPORT(tenon_reset)(Engine *e, int key)
{
    if (key < 0 || key > tn_model_info(e->model).key_count)
        return engine_refuse("there is no such keyframe");
    if (e->recorder) return engine_refuse("a recording is under way");
    tn_world_reset(e->world, key);
    tenon_let_go(e);
    e->steps = 0;
    e->diverged = false;
    return engine_restart_plan(e);
}

/* ---- what can be changed ---- */

bool LIVE_EXPORT(tenon_set_ctrl)(Engine *e, const double *ctrl)
{
    return tn_world_set_ctrl(e->world, ctrl, &engine_error) == TN_OK;
}

bool LIVE_EXPORT(tenon_set_state)(Engine *e, const double *qpos, const double *qvel)
{
    return tn_world_set_state(e->world, qpos, qvel, &engine_error) == TN_OK;
}

bool LIVE_EXPORT(tenon_set_gravity)(Engine *e, double x, double y, double z)
{
    return tn_world_set_gravity(e->world, (const double[3]){x, y, z}, &engine_error) == TN_OK;
}

bool LIVE_EXPORT(tenon_set_timestep)(Engine *e, double timestep)
{
    if (tn_world_set_timestep(e->world, timestep, &engine_error) != TN_OK) return false;
    e->strength.timestep = timestep;
    soft_grip_free(&e->grip); /* it is scaled by the step */
    return true;
}

bool LIVE_EXPORT(tenon_set_tolerance)(Engine *e, double tolerance)
{
    TnSolverDef def = e->solver;
    def.tolerance = tolerance;
    if (tn_world_set_solver(e->world, &def, &engine_error) != TN_OK) return false;
    e->solver = def;
    return true;
}

/* Sliding, torsional and rolling friction of all geoms, times the model's own. */
bool LIVE_EXPORT(tenon_set_friction)(Engine *e, double share)
{
    int count = tn_model_info(e->model).geom_count;
    if (!(share >= 0 && isfinite(share))) return engine_refuse("friction must not be negative");
    for (int i = 0; i < count; i++) {
        double friction[3];
        for (int k = 0; k < 3; k++) friction[k] = share * e->own_friction[3 * i + k];
        if (tn_world_set_geom_friction(e->world, i + 1, friction, &engine_error) != TN_OK)
            return false;
    }
    e->friction = share;
    return true;
}

/* For the next step: force at the centre of mass and torque, world axes. */
bool LIVE_EXPORT(tenon_wrench)(Engine *e, int body, double fx, double fy, double fz, double tx,
                               double ty, double tz)
{
    if (body < 1 || body > tn_model_info(e->model).body_count)
        return engine_refuse("there is no such body");
    tn_world_apply_wrench(e->world, body, (const double[3]){fx, fy, fz},
                          (const double[3]){tx, ty, tz});
    return true;
}

uint64_t LIVE_EXPORT(tenon_hash)(const Engine *e) { return tn_world_hash(e->world); }

/* The complete state, as tn_world_save writes it. */
size_t LIVE_EXPORT(tenon_save_size)(const Engine *e) { return tn_world_save_size(e->world); }
bool LIVE_EXPORT(tenon_save)(const Engine *e, void *bytes, size_t size)
{
    return tn_world_save(e->world, bytes, size, &engine_error) == TN_OK;
}
bool LIVE_EXPORT(tenon_restore)(Engine *e, const void *bytes, size_t size)
{
    return tn_world_restore(e->world, bytes, size, &engine_error) == TN_OK;
}

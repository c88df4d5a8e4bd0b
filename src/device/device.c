/* device.c: see device.h. */
#include "device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/base.h"
#include "../collision/collider.h"
#include "../gpu/gpu.h"
#include "../solver/compliant.h"
#include "../step/step.h"
#include "device_robots.h"

/* Islands that are too large for Newton's method are solved less exactly, in so many more
 * iterations (solver/choose.c); on a device everything is one. */
#define COMPLIANT_ITERATIONS 16

/* ---- what cannot run there ---- */

static void refuse(TnError *err, const char *what, const char *kind, const char *name)
{
    if (kind)
        tn_error_add(err, TN_ERROR_USAGE, "device: %s (%s '%s') cannot run on a device yet", what,
                     kind, name);
    else
        tn_error_add(err, TN_ERROR_USAGE, "device: %s cannot run on a device yet", what);
}

static bool is_free_part(const TnModel *m, int subsystem)
{
    return subsystem >= 0 && m->subsystems[subsystem].kind == TN_SUBSYSTEM_RIGID;
}

static bool is_free_body(const TnModel *m, int body)
{
    return is_free_part(m, m->links[m->bodies[body].link].subsystem);
}

static void check_bodies(const TnModel *m, TnError *err)
{
    for (int i = 0; i < m->soft_count; i++)
        if (m->softs[i].hold_count || m->softs[i].pieces > 1) {
            refuse(err,
                   m->softs[i].hold_count ? "a soft body that a body holds"
                                          : "a soft body in pieces",
                   "soft body", m->soft_names[i]);
            break;
        }
    if (m->tie_count)
        refuse(err, "a soft body that is tied", "soft body", m->soft_names[m->ties[0].soft1]);
    for (int i = 0; i < m->equality_count; i++) {
        const TnEquality *e = &m->equalities[i];
        bool of_bodies = e->type == TN_EQUALITY_WELD || e->type == TN_EQUALITY_CONNECT;
        if (!of_bodies || (!is_free_body(m, e->body1) && !is_free_body(m, e->body2))) continue;
        refuse(err, "an equality of a free body", "body",
               m->body_names[is_free_body(m, e->body1) ? e->body1 : e->body2]);
        return;
    }
}

/* What pulls along paths is in rows of several bodies. */
static void check_drives(const TnModel *m, TnError *err)
{
    for (int i = 0; i < m->tendon_count; i++)
        if (!m->tendons[i].direct || is_free_part(m, m->tendons[i].subsystem)) {
            refuse(err, "a tendon that is no sum over joints of one robot", "tendon",
                   m->tendon_names[i]);
            return;
        }
    for (int i = 0; i < m->actuator_count; i++)
        if (m->actuators[i].path >= 0 || m->actuators[i].body >= 0 ||
            is_free_part(m, m->actuators[i].subsystem)) {
            refuse(err, "an actuator on something other than a joint or a tendon", "actuator",
                   m->actuator_names[i]);
            return;
        }
    for (int l = 0; l < m->link_count; l++)
        if (m->links[l].lift != 0.0 && is_free_body(m, m->links[l].body)) {
            refuse(err, "gravity compensation of a free body", "body",
                   m->body_names[m->links[l].body]);
            return;
        }
}

static void check_geoms(const TnWorld *world, TnError *err)
{
    const TnModel *m = world->model;
    const TnCollider *c = world->collider;
    for (int i = 0; i < c->count; i++) {
        const TnSurface *surface = &c->surfaces[c->slots[i].surface];
        const char *what = surface->restitution > 0.0 ? "restitution"
                           : surface->dim > 3         ? "torsional or rolling friction"
                                                      : NULL;
        if (!what) continue;
        refuse(err, what, "geom", m->geom_names[c->slots[i].geom]);
        return;
    }
    for (int i = 0; i < m->pair_count; i++) {
        const TnPair *pair = &m->pairs[i];
        const char *what = pair->restitution > 0.0 ? "restitution of a pair"
                           : pair->contact_dim > 3 ? "torsional or rolling friction of a pair"
                           : pair->across[0] != pair->friction[0]
                               ? "friction that differs in two directions"
                               : NULL;
        if (!what) continue;
        refuse(err, what, "geom", m->geom_names[pair->geom1]);
        return;
    }
    for (int i = 0; i < m->soft_count; i++)
        if (m->geoms[m->softs[i].geom].restitution > 0.0) {
            refuse(err, "restitution", "soft body", m->soft_names[i]);
            return;
        }
}

static void check_counts(const TnModel *m, TnError *err)
{
    const struct {
        bool there;
        const char *what;
    } parts[] = {{m->wheel_count > 0, "a wheel"}, {m->drags != NULL, "a medium"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].there) refuse(err, parts[i].what, NULL, NULL);
}

static bool is_compliant(const TnSolverDef *solver)
{
    return solver->tolerance > 0.0 && solver->contact_ratio > 0.0 &&
           solver->method == TN_METHOD_AUTO;
}

static bool check(const TnWorld *world, TnError *err)
{
    const TnSolverDef *solver = &world->def.solver;
    TnError local = {0};
    if (!err) err = &local;
    int before = err->count;
    check_bodies(world->model, err);
    check_geoms(world, err);
    check_drives(world->model, err);
    check_counts(world->model, err);
    if (world->def.ranks) refuse(err, "a world of several processes", NULL, NULL);
    if (world->def.sleep != TN_SLEEP_OFF) refuse(err, "sleeping", NULL, NULL);
    if (world->def.passes > 1) refuse(err, "a number of passes", NULL, NULL);
    if (solver->anderson > 0) refuse(err, "Anderson acceleration", NULL, NULL);
    if (solver->method != TN_METHOD_AUTO && solver->method != TN_METHOD_SUBADMM)
        refuse(err, "a solver other than auto and subadmm", NULL, NULL);
    if (is_compliant(solver) && world->model->option.contact_stiffness > 0.0)
        refuse(err, "a contact stiffness", NULL, NULL);
    return err->count == before;
}

/* ---- there and back ---- */

TnGpuDef tn_device_def(const TnWorld *world)
{
    const TnSolverDef *solver = &world->def.solver;
    const TnOption *option = &world->model->option;
    bool compliant = is_compliant(solver);
    return (TnGpuDef){.t = world->t,
                      .theta = option->theta,
                      .stabilization = option->stabilization,
                      .radius = world->groups->radius,
                      .iterations = solver->iterations * (compliant ? COMPLIANT_ITERATIONS : 1),
                      .tolerance = solver->tolerance * (compliant ? TN_NEARLY : 1.0),
                      .weight_scale = solver->weight_scale,
                      .over_relaxation = solver->over_relaxation,
                      .contact_ratio = compliant ? solver->contact_ratio : 0.0,
                      .warm_start = solver->warm_start < 0.0 ? 1.0 : solver->warm_start,
                      .float64 = world->def.device == TN_DEVICE_CUDA64};
}

static bool make_scene(TnWorld *world, TnError *err)
{
    TnDeviceSide *side = world->device;
    TnGpuDef def = tn_device_def(world);
    if (!check(world, err)) return false;
    tn_gpu_destroy(side->scene);
    side->scene = NULL;
    tn_device_robots_destroy(side->robots);
    if (!tn_device_robots_create(world, &side->robots, err)) return false;
    def.carried = tn_device_robots_carried(side->robots);
    side->scene = tn_gpu_create(world->model, world->collider, &def, err);
    side->put = side->scene != NULL;
    side->renew = false;
    return side->scene != NULL;
}

bool tn_device_create(TnWorld *world, TnError *err)
{
    TnGpuInfo info;
    if (world->def.device == TN_DEVICE_CPU) return true;
    world->device = tn_calloc(1, sizeof *world->device);
    if (!world->device) {
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
        return false;
    }
    return tn_gpu_info(&info, err) && make_scene(world, err);
}

void tn_device_destroy(TnWorld *world)
{
    TnDeviceSide *side = world->device;
    if (!side) return;
    tn_gpu_destroy(side->scene);
    tn_device_robots_destroy(side->robots);
    tn_free(side->points);
    tn_free(side->force);
    tn_free(side);
}

/* The device is lost: the host's state is the last that is known. */
static void give_up(TnWorld *world, const TnError *err)
{
    TnDeviceSide *side = world->device;
    tn_gpu_destroy(side->scene);
    side->scene = NULL;
    side->ahead = side->has_contacts = false;
    side->contact_count = 0;
    world->contacts.count = 0;
    world->state.time = side->time;
    if (world->def.log) world->def.log(world->def.log_user, TN_LOG_WARNING, err->message);
}

/* Frames and twists of the state that is here now. */
static void place(TnWorld *world)
{
    world->team = world->pool;
    world->energies_known = false;
    world->has_problem = false;
    tn_world_update_frames(world, NULL, 0);
}

void tn_device_fetch(TnWorld *world)
{
    TnDeviceSide *side = world->device;
    TnError err = {0};
    if (!side->ahead) return;
    if (!side->scene) { /* a shadow: only its frames are not there */
        side->ahead = false;
        place(world);
        return;
    }
    /* beside the state: what comes from a device that fails must not spoil it */
    if (!tn_gpu_get(side->scene, world->next_qpos, world->next_qvel, &err)) {
        give_up(world, &err);
        return;
    }
    memcpy(world->state.qpos, world->next_qpos, sizeof(double) * (size_t)world->model->qpos_count);
    memcpy(world->state.qvel, world->next_qvel, sizeof(double) * (size_t)world->model->dof_count);
    if (side->robots) tn_device_robots_get(side->robots, world);
    side->ahead = false;
    side->time = world->state.time;
    place(world);
}

bool tn_device_reserve_contacts(TnDeviceSide *side)
{
    int n = side->contact_count;
    if (n <= side->capacity) return true;
    tn_free(side->points);
    tn_free(side->force);
    side->capacity = 0;
    side->points = tn_malloc(sizeof *side->points * (size_t)(n + n / 4));
    side->force = tn_malloc(sizeof *side->force * (size_t)(n + n / 4));
    if (!side->points || !side->force) return false;
    side->capacity = n + n / 4;
    return true;
}

void tn_device_fetch_contacts(TnWorld *world)
{
    TnDeviceSide *side = world->device;
    TnError err = {0};
    if (side->has_contacts || !side->contact_count || !side->scene) return;
    if (!tn_device_reserve_contacts(side)) return;
    tn_world_fetch(world);
    if (!side->scene) return;
    if (!tn_gpu_contacts(side->scene, side->points, side->force, &err)) {
        give_up(world, &err);
        return;
    }
    side->has_contacts = true;
    const TnContactList *softs = tn_device_softs_contacts(side->robots);
    world->contacts = (TnContactList){.points = side->points, .count = side->contact_count};
    if (softs) {
        world->contacts.soft_points = softs->soft_points;
        world->contacts.soft_point_count = softs->soft_point_count;
    }
}

void tn_device_note_state(TnWorld *world, bool forget)
{
    TnDeviceSide *side = world->device;
    if (!side) return;
    side->put = true;
    side->forget |= forget;
    side->ahead = side->has_contacts = false;
    side->contact_count = 0;
    side->time = world->state.time;
}

void tn_device_note_model(TnWorld *world)
{
    if (world->device) world->device->renew = true;
}

/* ---- a step ---- */

static bool hand_over(TnWorld *world, TnError *err)
{
    TnDeviceSide *side = world->device;
    if (!side->scene) {
        tn_error_add(err, TN_ERROR_DEVICE, "device: it failed before; create the world again");
        return false;
    }
    if (side->renew && !make_scene(world, err)) return false;
    if (side->put &&
        !tn_gpu_put(side->scene, world->state.qpos, world->state.qvel, side->forget, err))
        return false;
    if (side->put && side->robots) tn_device_robots_put(side->robots, world);
    side->put = side->forget = false;
    return tn_gpu_put_wrench(side->scene,
                             world->wrench_set ? (const double(*)[6])world->wrench : NULL, err);
}

static void add_part(TnStepReport *sum, const TnGpuReport *part, double velocity_scale,
                     double tolerance)
{
    sum->converged = sum->converged && (tolerance == 0.0 || part->error < tolerance);
    sum->iterations += part->iterations;
    sum->error = fmax(sum->error, part->error); /* the other where one is NaN */
    sum->rigid_error = fmax(sum->rigid_error, part->rigid_error);
    sum->residual = sum->error * velocity_scale;
    sum->rough = sum->error > 1.0;
    sum->mean_penetration += part->mean_penetration;
    sum->max_penetration = fmax(sum->max_penetration, part->max_penetration);
    sum->contact_count = part->contact_count;
}

/* All sub-steps; `refused`: one would not have been finite. */
static bool take_parts(TnWorld *world, TnStepReport *report, bool *refused, TnError *err)
{
    const TnSolverDef *solver = &world->def.solver;
    double scale = tn_world_velocity_scale(world);
    double tolerance = solver->tolerance * (is_compliant(solver) ? TN_NEARLY : 1.0);
    for (int k = 0; k < world->substeps; k++) {
        TnGpuReport part;
        if (world->device->robots) tn_device_robots_drive(world->device->robots, world, k);
        if (!tn_gpu_step(world->device->scene, &part, err)) return false;
        *refused = !part.finite;
        if (*refused) return true;
        add_part(report, &part, scale, tolerance);
    }
    report->mean_penetration /= world->substeps;
    report->row_count = tn_device_robots_rows(world->device->robots);
    return true;
}

TnStepReport tn_device_step(TnWorld *world)
{
    TnDeviceSide *side = world->device;
    TnStepReport report = tn_report_open();
    TnError err = {0};
    bool refused = false;
    double start = tn_clock();
    report.converged = true;
    if (world->substeps > 1) tn_world_fetch(world); /* a step that is refused is taken back */
    if (!hand_over(world, &err) || !take_parts(world, &report, &refused, &err)) {
        /* without memory for more the state is still there */
        if (side->scene && !side->put) tn_world_fetch(world);
        if (side->scene || !err.count) give_up(world, &err);
        report.converged = false;
        return report;
    }
    if (refused) {
        if (world->substeps > 1) tn_device_note_state(world, false);
        report.converged = false;
        return report;
    }
    report.diverged = false;
    side->ahead = true;
    side->has_contacts = false;
    side->contact_count = report.contact_count;
    world->contacts = (TnContactList){0};
    world->has_problem = false;
    world->state.time += world->model->option.timestep;
    report.times.total = tn_clock() - start;
    return report;
}

/* ---- which there are ---- */

bool tn_device_info(TnDevice device, TnDeviceInfo *out, TnError *err)
{
    TnGpuInfo info;
    if (!out) return false;
    *out = (TnDeviceInfo){0};
    if (device == TN_DEVICE_CPU) {
        snprintf(out->name, sizeof out->name, "this processor");
        return true;
    }
    if (device != TN_DEVICE_CUDA && device != TN_DEVICE_CUDA64) {
        tn_error_add(err, TN_ERROR_USAGE, "device: unknown device %d", (int)device);
        return false;
    }
    if (!tn_gpu_info(&info, err)) return false;
    snprintf(out->name, sizeof out->name, "%s", info.name);
    out->memory = info.memory;
    return true;
}

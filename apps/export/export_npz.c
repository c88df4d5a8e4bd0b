/* A recording as NPZ, for numpy.load: a ZIP of .npy arrays.
 *
 * One array after the other, and the recording is read anew for each: memory stays that of one
 * frame however long the recording is. Contacts of all frames stand in one list; those of frame i
 * are rows contact_start[i] to contact_start[i + 1]. Indices (bodies, geoms) count from 0. */
#include "../common/app.h"
#include "export.h"
#include "npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Npz {
    Zip zip;
    TnRecording *recording;
    const TnScene *scene;
    const ExportOptions *options;
    TnFrame *frame;
    int64_t contact_count;
    int qpos_count, dof_count, ctrl_count;
    int tet_count; /* of all surfaces */
    bool has_tet_stress;
    double *row; /* scratch for one frame's numbers */
    bool said;   /* why it failed */
} Npz;

static bool read_frame(Npz *npz, int i)
{
    bool fine = export_read_frame(npz->recording, npz->options->frames[i], npz->frame);
    npz->said = !fine;
    return fine;
}

/* ---- arrays ---- */

static bool begin(Npz *npz, const char *name, const char *type, const char *shape)
{
    return npy_begin(&npz->zip, name, type, shape);
}

static const char *type_name(char kind, int bytes, char buffer[NPY_TYPE_SIZE])
{
    return npy_type(kind, bytes, buffer);
}

/* Writes one frame's share of an array. */
typedef bool (*FrameFn)(Npz *npz, int which);

static bool write_frames(Npz *npz, FrameFn write_frame, int which)
{
    FILE *out = npz->zip.out;
    for (int i = 0; i < npz->options->frame_count && !ferror(out); i++)
        if (!read_frame(npz, i) || !write_frame(npz, which)) return false;
    return true;
}

static bool add_array(Npz *npz, const char *name, char kind, int bytes, const char *shape,
                      FrameFn write_frame, int which)
{
    char type[NPY_TYPE_SIZE];
    return begin(npz, name, type_name(kind, bytes, type), shape) &&
           write_frames(npz, write_frame, which) && zip_end(&npz->zip);
}

/* An array with a row of `columns` numbers per frame; 0: a plain number per frame. */
static bool add_rows(Npz *npz, const char *name, char kind, int bytes, const char *columns,
                     FrameFn write_frame, int which)
{
    char shape[96];
    snprintf(shape, sizeof shape, "%d,%s", npz->options->frame_count, columns);
    return add_array(npz, name, kind, bytes, shape, write_frame, which);
}

/* ---- one frame's share ---- */

enum { TIME, RESIDUAL, KINETIC, POTENTIAL, MEAN_PENETRATION, MAX_PENETRATION, ELASTIC };

static bool write_number(Npz *npz, int which)
{
    const TnFrame *f = npz->frame;
    const double numbers[] = {f->time,      f->residual,         f->kinetic,
                              f->potential, f->mean_penetration, f->max_penetration,
                              f->elastic};
    return zip_write(&npz->zip, &numbers[which], sizeof numbers[which]);
}

static bool write_step(Npz *npz, int which)
{
    (void)which;
    return zip_write(&npz->zip, &npz->frame->step, sizeof npz->frame->step);
}

enum { ITERATIONS, CONTACT_COUNT };

static bool write_count(Npz *npz, int which)
{
    const int32_t counts[] = {npz->frame->iterations, npz->frame->contact_count};
    return zip_write(&npz->zip, &counts[which], sizeof counts[which]);
}

static bool write_account(Npz *npz, int which)
{
    (void)which;
    const TnEnergyAccount *a = &npz->frame->account;
    const double sums[] = {a->actuators, a->applied, a->friction, a->damping, a->impacts,
                           a->step,      a->created, a->push_out, a->unsolved};
    return zip_write(&npz->zip, sums, sizeof sums);
}

static bool write_times(Npz *npz, int which)
{
    (void)which;
    const TnStepTimes *t = &npz->frame->times;
    const double times[] = {t->dynamics, t->collision, t->constraint, t->factor,
                            t->iterate,  t->integrate, t->total};
    return zip_write(&npz->zip, times, sizeof times);
}

enum { POSITION, QUATERNION };

static bool write_poses(Npz *npz, int which)
{
    int first = which == POSITION ? 0 : 3, count = which == POSITION ? 3 : 4;
    for (int i = 0; i < npz->frame->body_count; i++)
        if (!zip_write(&npz->zip, npz->frame->poses + 7 * i + first,
                       (size_t)count * sizeof(double)))
            return false;
    return true;
}

static bool write_points(Npz *npz, int which)
{
    (void)which;
    return zip_write(&npz->zip, npz->frame->points,
                     3 * (size_t)npz->frame->point_count * sizeof(float));
}

static bool write_stress(Npz *npz, int which)
{
    (void)which;
    const TnFrame *f = npz->frame;
    for (int i = 0; i < f->point_count; i++) {
        float value = f->stress ? f->stress[i] : NAN;
        if (!zip_write(&npz->zip, &value, sizeof value)) return false;
    }
    return true;
}

/* NaN where a frame has none. */
static bool write_tet_stress(Npz *npz, int which)
{
    (void)which;
    const TnFrame *f = npz->frame;
    for (int i = 0; i < 6 * npz->tet_count; i++) {
        float value = f->cell_count == npz->tet_count ? f->cell_stress[i] : NAN;
        if (!zip_write(&npz->zip, &value, sizeof value)) return false;
    }
    return true;
}

enum { QPOS, QVEL, CTRL };

/* NaN where a frame has no state, as after an append with other options. */
static bool write_state(Npz *npz, int which)
{
    const TnFrame *f = npz->frame;
    const double *parts[] = {f->qpos, f->qvel, f->ctrl};
    const int wanted[] = {npz->qpos_count, npz->dof_count, npz->ctrl_count};
    const int there[] = {f->qpos_count, f->dof_count, f->ctrl_count};
    for (int k = 0; k < wanted[which]; k++)
        npz->row[k] = k < there[which] ? parts[which][k] : (double)NAN;
    return zip_write(&npz->zip, npz->row, (size_t)wanted[which] * sizeof(double));
}

enum { CONTACT_GEOM, CONTACT_POS, CONTACT_NORMAL, CONTACT_GAP, CONTACT_FORCE };

static bool write_contacts(Npz *npz, int which)
{
    for (int i = 0; i < npz->frame->contact_count; i++) {
        const TnContact *c = &npz->frame->contacts[i];
        const int32_t geoms[2] = {c->geom1 - 1, c->geom2 - 1};
        const void *parts[] = {geoms, c->pos, c->normal, &c->gap, c->force};
        static const size_t sizes[] = {sizeof geoms, sizeof c->pos, sizeof c->normal, sizeof c->gap,
                                       sizeof c->force};
        if (!zip_write(&npz->zip, parts[which], sizes[which])) return false;
    }
    return true;
}

/* ---- arrays of the scene ---- */

static const char *body_name(const void *of, int index, char *buffer)
{
    const TnScene *scene = of;
    return export_body_name(scene, index, buffer, NAME_SIZE);
}

static const char *joint_name(const void *of, int index, char *buffer)
{
    const TnScene *scene = of;
    if (scene->joints[index].name[0]) return scene->joints[index].name;
    snprintf(buffer, NAME_SIZE, "joint%d", index + 1);
    return buffer;
}

static bool add_names(Npz *npz, const char *name, int count,
                      const char *(*name_of)(const void *, int, char *))
{
    return npy_names(&npz->zip, name, count, name_of, npz->scene);
}

static bool add_scene(Npz *npz)
{
    const TnScene *scene = npz->scene;
    char type[NPY_TYPE_SIZE], shape[24];
    snprintf(shape, sizeof shape, "%d,", scene->body_count);
    bool fine = begin(npz, "body_subsystem", type_name('i', 4, type), shape);
    for (int i = 0; i < scene->body_count && fine; i++) {
        int32_t subsystem = scene->bodies[i].subsystem;
        fine = zip_write(&npz->zip, &subsystem, sizeof subsystem);
    }
    fine = fine && zip_end(&npz->zip);
    snprintf(shape, sizeof shape, "%d,", scene->shape_count);
    fine = fine && begin(npz, "geom_body", type_name('i', 4, type), shape);
    for (int i = 0; i < scene->shape_count && fine; i++) {
        int32_t body = scene->shapes[i].body - 1;
        fine = zip_write(&npz->zip, &body, sizeof body);
    }
    fine = fine && zip_end(&npz->zip);
    return fine && add_names(npz, "body_names", scene->body_count, body_name) &&
           add_names(npz, "joint_names", scene->joint_count, joint_name);
}

/* ---- soft bodies ---- */

static const char *surface_name(const void *of, int index, char *buffer)
{
    const TnScene *scene = of;
    return export_surface_name(scene, index, buffer, NAME_SIZE);
}

/* Tetrahedra name rows of `points`; where the shape free of stress is not known it is NaN. */
static bool write_mesh(Npz *npz, const char *name, int columns)
{
    char type[NPY_TYPE_SIZE], shape[48];
    const TnScene *scene = npz->scene;
    snprintf(shape, sizeof shape, columns > 1 ? "%d,%d" : "%d,", npz->tet_count, columns);
    bool fine = begin(npz, name, type_name('i', 4, type), shape);
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *s = &scene->surfaces[i];
        for (int t = 0; t < s->tetrahedron_count && fine; t++) {
            int32_t row[4];
            for (int k = 0; k < 4; k++) row[k] = s->point_start + s->tetrahedra[4 * t + k];
            if (columns == 1)
                row[0] = s->tetrahedron_subsystems ? s->tetrahedron_subsystems[t]
                                                   : scene->point_subsystems[row[0]];
            fine = zip_write(&npz->zip, row, (size_t)columns * sizeof *row);
        }
    }
    return fine && zip_end(&npz->zip);
}

static bool add_point_subsystems(Npz *npz)
{
    char type[NPY_TYPE_SIZE], shape[24];
    size_t count = (size_t)npz->scene->point_count;
    snprintf(shape, sizeof shape, "%d,", npz->scene->point_count);
    return begin(npz, "point_subsystem", type_name('i', 4, type), shape) &&
           zip_write(&npz->zip, npz->scene->point_subsystems, count * sizeof(int32_t)) &&
           zip_end(&npz->zip);
}

static bool add_surfaces(Npz *npz)
{
    char type[NPY_TYPE_SIZE], shape[48];
    const TnScene *scene = npz->scene;
    snprintf(shape, sizeof shape, "%d,2", scene->surface_count);
    bool fine = begin(npz, "soft_points", type_name('i', 4, type), shape);
    for (int i = 0; i < scene->surface_count && fine; i++) {
        const int32_t row[2] = {scene->surfaces[i].point_start, scene->surfaces[i].point_count};
        fine = zip_write(&npz->zip, row, sizeof row);
    }
    fine = fine && zip_end(&npz->zip);
    float *rest = malloc(3 * (size_t)scene->point_count * sizeof *rest);
    if (!fine || !rest) return false;
    for (int i = 0; i < 3 * scene->point_count; i++) rest[i] = NAN;
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *s = &scene->surfaces[i];
        if (s->rest && s->point_count)
            memcpy(rest + 3 * s->point_start, s->rest, 3 * (size_t)s->point_count * sizeof *rest);
    }
    snprintf(shape, sizeof shape, "%d,3", scene->point_count);
    fine = begin(npz, "point_rest", type_name('f', 4, type), shape) &&
           zip_write(&npz->zip, rest, 3 * (size_t)scene->point_count * sizeof *rest) &&
           zip_end(&npz->zip);
    free(rest);
    fine = fine && add_names(npz, "soft_names", scene->surface_count, surface_name);
    return fine && write_mesh(npz, "tets", 4) && write_mesh(npz, "tet_subsystem", 1);
}

/* ---- signals ---- */

/* Arrays as `tenon run --npz` names them: a column per signal. */
typedef struct SignalArray {
    const char *name, *names;
    TnSignalKind first, last;
} SignalArray;
static const SignalArray signal_arrays[] = {
    {"joints", "joints_names", TN_SIGNAL_POSITION, TN_SIGNAL_VELOCITY},
    {"sensors", "sensors_names", TN_SIGNAL_SENSOR, TN_SIGNAL_SENSOR},
    {"ctrl", "ctrl_names", TN_SIGNAL_CTRL, TN_SIGNAL_CTRL},
    {"actuators", "actuators_names", TN_SIGNAL_FORCE, TN_SIGNAL_ACTIVATION}};
enum { SIGNAL_ARRAYS = sizeof signal_arrays / sizeof *signal_arrays };

static bool is_in(const SignalArray *array, TnSignalKind kind)
{
    return kind >= array->first && kind <= array->last;
}

/* NaN where a frame has none, as after an append with other options. */
static bool write_signals(Npz *npz, int which)
{
    bool fine = true;
    for (int i = 0; i < npz->scene->signal_count && fine; i++) {
        if (!is_in(&signal_arrays[which], npz->scene->signals[i].kind)) continue;
        double value = npz->frame->signal_count ? npz->frame->signals[i] : (double)NAN;
        fine = zip_write(&npz->zip, &value, sizeof value);
    }
    return fine;
}

/* Those of one kind stand side by side. */
static const char *signal_name(const void *of, int index, char *buffer)
{
    (void)buffer;
    return ((const TnSignal *)of)[index].name;
}

static bool add_signals(Npz *npz)
{
    const TnScene *scene = npz->scene;
    for (int a = 0; a < SIGNAL_ARRAYS; a++) {
        const SignalArray *array = &signal_arrays[a];
        int start = 0, count = 0;
        char columns[24];
        while (start < scene->signal_count && !is_in(array, scene->signals[start].kind)) start++;
        while (start + count < scene->signal_count &&
               is_in(array, scene->signals[start + count].kind))
            count++;
        snprintf(columns, sizeof columns, "%d", count);
        /* an exact state has the controls already */
        bool is_there =
            array->first == TN_SIGNAL_CTRL && tn_recording_info(npz->recording).has_state;
        if (count && !is_there && !add_rows(npz, array->name, 'f', 8, columns, write_signals, a))
            return false;
        if (count &&
            !npy_names(&npz->zip, array->names, count, signal_name, scene->signals + start))
            return false;
    }
    return true;
}

/* ---- all of it ---- */

static bool add_steps(Npz *npz)
{
    char bodies[48];
    snprintf(bodies, sizeof bodies, "%d,3", npz->scene->body_count);
    bool fine = add_rows(npz, "time", 'f', 8, "", write_number, TIME) &&
                add_rows(npz, "step", 'i', 8, "", write_step, 0) &&
                add_rows(npz, "body_pos", 'f', 8, bodies, write_poses, POSITION);
    snprintf(bodies, sizeof bodies, "%d,4", npz->scene->body_count);
    return fine && add_rows(npz, "body_quat", 'f', 8, bodies, write_poses, QUATERNION) &&
           add_rows(npz, "iterations", 'i', 4, "", write_count, ITERATIONS) &&
           add_rows(npz, "residual", 'f', 8, "", write_number, RESIDUAL) &&
           add_rows(npz, "kinetic", 'f', 8, "", write_number, KINETIC) &&
           add_rows(npz, "potential", 'f', 8, "", write_number, POTENTIAL) &&
           add_rows(npz, "mean_penetration", 'f', 8, "", write_number, MEAN_PENETRATION) &&
           add_rows(npz, "max_penetration", 'f', 8, "", write_number, MAX_PENETRATION) &&
           add_rows(npz, "step_times", 'f', 8, "7", write_times, 0);
}

static bool add_contact_start(Npz *npz)
{
    char type[NPY_TYPE_SIZE], shape[24];
    int64_t start = 0;
    snprintf(shape, sizeof shape, "%d,", npz->options->frame_count + 1);
    bool fine = begin(npz, "contact_start", type_name('i', 8, type), shape) &&
                zip_write(&npz->zip, &start, sizeof start);
    for (int i = 0; i < npz->options->frame_count && fine; i++) {
        fine = read_frame(npz, i);
        start += npz->frame->contact_count;
        fine = fine && zip_write(&npz->zip, &start, sizeof start);
    }
    return fine && zip_end(&npz->zip);
}

static bool add_contacts(Npz *npz)
{
    char one[32], two[32], three[32];
    snprintf(one, sizeof one, "%lld,", (long long)npz->contact_count);
    snprintf(two, sizeof two, "%lld,2", (long long)npz->contact_count);
    snprintf(three, sizeof three, "%lld,3", (long long)npz->contact_count);
    return add_rows(npz, "contact_count", 'i', 4, "", write_count, CONTACT_COUNT) &&
           add_contact_start(npz) &&
           add_array(npz, "contact_geom", 'i', 4, two, write_contacts, CONTACT_GEOM) &&
           add_array(npz, "contact_pos", 'f', 8, three, write_contacts, CONTACT_POS) &&
           add_array(npz, "contact_normal", 'f', 8, three, write_contacts, CONTACT_NORMAL) &&
           add_array(npz, "contact_gap", 'f', 8, one, write_contacts, CONTACT_GAP) &&
           add_array(npz, "contact_force", 'f', 8, three, write_contacts, CONTACT_FORCE);
}

static bool add_state(Npz *npz)
{
    char columns[24];
    snprintf(columns, sizeof columns, "%d", npz->qpos_count);
    bool fine = add_rows(npz, "qpos", 'f', 8, columns, write_state, QPOS);
    snprintf(columns, sizeof columns, "%d", npz->dof_count);
    fine = fine && add_rows(npz, "qvel", 'f', 8, columns, write_state, QVEL);
    snprintf(columns, sizeof columns, "%d", npz->ctrl_count);
    return fine && add_rows(npz, "ctrl", 'f', 8, columns, write_state, CTRL);
}

/* How large the arrays will be. */
static bool survey(Npz *npz)
{
    for (int i = 0; i < npz->options->frame_count; i++) {
        if (!read_frame(npz, i)) return false;
        const TnFrame *f = npz->frame;
        npz->contact_count += f->contact_count;
        if (f->qpos_count > npz->qpos_count) npz->qpos_count = f->qpos_count;
        if (f->dof_count > npz->dof_count) npz->dof_count = f->dof_count;
        if (f->ctrl_count > npz->ctrl_count) npz->ctrl_count = f->ctrl_count;
        npz->has_tet_stress |= f->cell_count > 0;
    }
    for (int i = 0; i < npz->scene->surface_count; i++)
        npz->tet_count += npz->scene->surfaces[i].tetrahedron_count;
    size_t largest = (size_t)npz->qpos_count + (size_t)npz->dof_count + (size_t)npz->ctrl_count;
    npz->row = malloc((largest + 1) * sizeof *npz->row);
    if (!npz->row) say("export", "no memory");
    return npz->row != NULL;
}

static bool write_all(Npz *npz)
{
    TnRecordingInfo info = tn_recording_info(npz->recording);
    char points[48];
    snprintf(points, sizeof points, "%d,3", npz->scene->point_count);
    if (!add_scene(npz) || !add_steps(npz)) return false;
    if (info.has_account && (!add_rows(npz, "elastic", 'f', 8, "", write_number, ELASTIC) ||
                             !add_rows(npz, "energy_account", 'f', 8, "9", write_account, 0)))
        return false;
    if (npz->scene->point_count &&
        (!add_rows(npz, "points", 'f', 4, points, write_points, 0) || !add_point_subsystems(npz)))
        return false;
    if (npz->scene->surface_count && !add_surfaces(npz)) return false;
    snprintf(points, sizeof points, "%d", npz->scene->point_count);
    if (info.has_stress && !add_rows(npz, "point_stress", 'f', 4, points, write_stress, 0))
        return false;
    snprintf(points, sizeof points, "%d,6", npz->tet_count);
    if (npz->has_tet_stress && !add_rows(npz, "tet_stress", 'f', 4, points, write_tet_stress, 0))
        return false;
    if (info.has_contacts && !add_contacts(npz)) return false;
    if (info.has_state && !add_state(npz)) return false;
    if (info.has_signals && !add_signals(npz)) return false;
    zip_finish(&npz->zip);
    return true;
}

int export_npz(const char *path, TnRecording *recording, const ExportOptions *options)
{
    TnError err = {0};
    ExportFile file = {0};
    Npz npz = {.recording = recording,
               .scene = tn_recording_scene(recording),
               .options = options,
               .frame = tn_frame_create(tn_recording_scene(recording), &err)};
    if (!npz.frame) say("export", "%s", err.message);
    bool fine = npz.frame && survey(&npz) && export_file_open(&file, path);
    if (fine) {
        npz.zip.out = file.out;
        fine = write_all(&npz);
        zip_drop(&npz.zip);
        if (!fine && !npz.said) say("export", "no memory");
    }
    if (fine)
        fine = export_file_close(&file);
    else
        export_file_drop(&file);
    free(npz.row);
    tn_frame_destroy(npz.frame);
    return fine ? EXIT_FINE : EXIT_IO;
}

/* record_writer.c: writes a recording.
 *
 * A new file is written beside its final name and takes its place once the scene is in it, so that
 * a failure leaves what was there. Every group goes out in one write: a process that dies in
 * between leaves a file that ends with a whole group. */
#include "record_format.h"

#include "../../base/platform/files.h"
#include "../../base/platform/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct TnRecorder {
    TnRecorderDef def;
    char *path;
    int file;
    bool failed;     /* a group could not be written */
    bool is_regular; /* can be cut back after a failure */
    int64_t end;     /* of the last whole group */
    TnIoPool pool;   /* the scene's copy */
    TnRecordGroup group;
    double *last_poses; /* of the frame before, for the signs of quaternions */
    bool has_last;
    bool no_signals; /* continues a file of format 1.2, whose scene has none */
    TnRecordOut out;
};

TnRecorderDef tn_recorder_def(void)
{
    return (TnRecorderDef){.contacts = true, .group_frames = 16, .texture_bytes = 16 * 1024 * 1024};
}

static void no_memory(TnError *err, const char *path)
{
    tn_error_add(err, TN_ERROR_MEMORY, "%.700s: no memory to record", path);
}

static void cannot_write(TnError *err, const char *path, int code)
{
    tn_error_add(err, TN_ERROR_IO, "%.700s: cannot be written: %s", path, tn_record_reason(code));
}

/* ---- a new file ---- */

/* Opens an unused name beside `target`; 0 or an errno. */
static int open_beside(const char *target, char *beside, size_t size, int *file)
{
    int code = EEXIST;
    for (int attempt = 0; attempt < 100 && code == EEXIST; attempt++) {
        snprintf(beside, size, "%s.%ld-%d.part", target, tn_process_number(), attempt);
        code = tn_file_open(beside, TN_FILE_NEW, file);
    }
    return code;
}

/* Header and scene in a file of their own, which then takes the place of `target`. */
static int replace_file(TnRecorder *recorder, const char *target, const TnFileInfo *old)
{
    size_t size = strlen(target) + 48;
    char *beside = tn_malloc(size);
    if (!beside) return ENOMEM;
    int code = open_beside(target, beside, size, &recorder->file);
    if (!code) {
        if (old) code = tn_file_set_permissions(recorder->file, old->permissions);
        if (!code) code = tn_file_write(recorder->file, recorder->out.bytes, recorder->out.size);
        if (!code) code = tn_file_put_in_place(beside, target, &recorder->file);
        if (code) tn_file_remove(beside);
    }
    tn_free(beside);
    return code;
}

/* A device or a pipe cannot be replaced. */
static int write_in_place(TnRecorder *recorder)
{
    recorder->is_regular = false;
    int code = tn_file_open(recorder->path, TN_FILE_WRITE, &recorder->file);
    return code ? code : tn_file_write(recorder->file, recorder->out.bytes, recorder->out.size);
}

/* 0 or an errno. */
static int create_file(TnRecorder *recorder)
{
    TnFileInfo old;
    char target[TN_PATH];
    int code = tn_file_info(recorder->path, &old);
    if (code) return code == ENOENT ? replace_file(recorder, recorder->path, NULL) : code;
    if (old.kind == TN_FILE_FOLDER) return EISDIR;
    if (old.kind == TN_FILE_OTHER) return write_in_place(recorder);
    code = tn_file_may_write(recorder->path); /* what is write-protected stays, */
    if (!code) code = tn_file_real_path(recorder->path, target); /* and a symbolic link one */
    return code ? code : replace_file(recorder, target, &old);
}

/* ---- an old file ---- */

/* Quaternions go on with the signs of the last frame that stays. */
static bool read_last_poses(TnRecorder *recorder, TnRecording *old, int frames, TnError *err)
{
    if (frames == 0) return true;
    TnFrame *last = tn_frame_create(tn_recording_scene(old), err);
    bool fine = last && tn_recording_frame(old, frames - 1, last, err) == TN_OK;
    if (fine && last->body_count)
        memcpy(recorder->last_poses, last->poses,
               (size_t)last->body_count * 7 * sizeof *last->poses);
    recorder->has_last = fine;
    tn_frame_destroy(last);
    return fine;
}

/* Where the frames that stay end; -1 and an error. */
static int64_t end_of_frames(TnRecorder *recorder, TnRecording *old, TnError *err)
{
    int all = tn_recording_info(old).frame_count, keep = recorder->def.keep_frames;
    int64_t end = keep ? tn_recording_end_of(old, keep) : tn_recording_info(old).bytes;
    if (end < 0) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "%.700s: has %d frames and cannot be cut behind %d of them", recorder->path,
                     all, keep);
        return -1;
    }
    return read_last_poses(recorder, old, keep ? keep : all, err) ? end : -1;
}

/* A recording before format 1.5 has no looks, which change nothing in its frames. */
static void take_looks(TnScene *there, const TnScene *own)
{
    if (there->material_count || there->light_count || there->texture_count) return;
    there->materials = own->materials;
    there->material_count = own->material_count;
    there->lights = own->lights;
    there->light_count = own->light_count;
    there->textures = own->textures;
    there->texture_count = own->texture_count;
    TnSceneShape *shapes = (TnSceneShape *)there->shapes;
    for (int i = 0; i < there->shape_count && i < own->shape_count; i++)
        shapes[i].material = own->shapes[i].material;
    TnSceneMesh *meshes = (TnSceneMesh *)there->meshes;
    for (int i = 0; i < there->mesh_count && i < own->mesh_count; i++)
        if (meshes[i].triangle_count == own->meshes[i].triangle_count)
            meshes[i].texcoords = own->meshes[i].texcoords;
    TnView view = own->view; /* of it, the light at the camera and the haze */
    view.has_center = there->view.has_center;
    view.has_extent = there->view.has_extent;
    view.has_angles = there->view.has_angles;
    memcpy(view.center, there->view.center, sizeof view.center);
    view.extent = there->view.extent;
    view.azimuth = there->view.azimuth;
    view.elevation = there->view.elevation;
    view.fovy = there->view.fovy;
    there->view = view;
}

/* The place after its last whole group, -1 and an error where it cannot be continued. */
static int64_t end_of_recording(TnRecorder *recorder, const TnRecordOut *scene, TnError *err)
{
    const char *path = recorder->path;
    TnRecording *old = tn_recording_open(path, err);
    if (!old) return -1;
    TnRecordOut other = {0};
    TnScene there = *tn_recording_scene(old);
    const TnScene *own = recorder->group.scene;
    if (there.signal_count == 0 && own->signal_count > 0) {
        recorder->no_signals = true;
        there.signals = own->signals;
        there.signal_count = own->signal_count;
    }
    take_looks(&there, own);
    bool kept = tn_record_put_scene(&other, &there, recorder->def.texture_bytes);
    int64_t end = -1;
    if (tn_recording_info(old).parts > 1) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "%.700s: is a recording in %d parts and cannot be appended to", path,
                     tn_recording_info(old).parts);
    } else if (other.failed || !kept) {
        no_memory(err, path);
    } else if (other.size != scene->size || memcmp(other.bytes, scene->bytes, scene->size) != 0) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "%.700s: is a recording of another scene and cannot be appended to", path);
    } else {
        end = end_of_frames(recorder, old, err);
    }
    tn_record_out_free(&other);
    tn_recording_close(old);
    return end;
}

static bool continue_file(TnRecorder *recorder, const TnRecordOut *scene, TnError *err)
{
    int64_t end = end_of_recording(recorder, scene, err);
    if (end < 0) return false;
    int code = tn_file_open(recorder->path, TN_FILE_CHANGE, &recorder->file);
    if (!code) code = tn_file_cut(recorder->file, end);
    if (code) {
        cannot_write(err, recorder->path, code);
        return false;
    }
    recorder->end = end;
    return true;
}

/* ---- the recorder ---- */

static void destroy(TnRecorder *recorder)
{
    if (recorder->file >= 0) tn_file_close(recorder->file);
    tn_record_group_free(&recorder->group);
    tn_record_out_free(&recorder->out);
    tn_io_pool_free(&recorder->pool);
    tn_free(recorder->last_poses);
    tn_free(recorder->path);
    tn_free(recorder);
}

/* The recorder keeps a scene of its own, as a reader would see it. */
static bool take_scene(TnRecorder *recorder, const TnRecordOut *bytes)
{
    TnRecordIn in = {.bytes = bytes->bytes, .size = bytes->size};
    double resolution;
    TnScene *scene = tn_record_get_scene(&in, &recorder->pool, &resolution);
    if (!scene) return in.failed;
    tn_record_group_init(&recorder->group, scene, resolution);
    recorder->last_poses = tn_calloc((size_t)scene->body_count * 7 + 1, sizeof(double));
    return recorder->last_poses && tn_record_group_reserve(&recorder->group, 1);
}

static bool put_part(TnRecorder *recorder)
{
    const TnRecorderDef *def = &recorder->def;
    if (def->parts <= 1) return true;
    size_t start = tn_record_begin_chunk(&recorder->out, TN_RECORD_PART);
    tn_record_put_u32(&recorder->out, (uint32_t)def->part);
    tn_record_put_u32(&recorder->out, (uint32_t)def->parts);
    tn_record_put_u64(&recorder->out, def->set);
    return tn_record_end_chunk(&recorder->out, start);
}

static bool open_file(TnRecorder *recorder, const TnRecordOut *scene, TnError *err)
{
    TnFileInfo old;
    if (recorder->def.append && tn_file_info(recorder->path, &old) == 0 &&
        old.kind == TN_FILE_REGULAR && old.size > 0)
        return continue_file(recorder, scene, err);
    TnRecordOut *out = &recorder->out;
    tn_record_put_header(out);
    size_t start = tn_record_begin_chunk(out, TN_RECORD_SCENE);
    tn_record_put_packed(out, scene->bytes, scene->size, false);
    if (!tn_record_end_chunk(out, start) || !put_part(recorder)) {
        no_memory(err, recorder->path);
        return false;
    }
    int code = create_file(recorder);
    if (code == ENOMEM)
        no_memory(err, recorder->path);
    else if (code)
        cannot_write(err, recorder->path, code);
    recorder->end = (int64_t)out->size;
    out->size = 0;
    return code == 0;
}

TnRecorder *tn_recorder_create(const TnRecorderDef *def, const char *path, const TnScene *scene,
                               TnError *err)
{
    if (!def || !path || !scene) {
        tn_error_add(err, TN_ERROR_USAGE, "def, path and scene must be given");
        return NULL;
    }
    if (def->group_frames < 1 || def->group_frames > TN_RECORD_MAX_FRAMES) {
        tn_error_add(err, TN_ERROR_USAGE, "group_frames is %d; it must be 1 to %d",
                     def->group_frames, TN_RECORD_MAX_FRAMES);
        return NULL;
    }
    if (def->keep_frames < 0) {
        tn_error_add(err, TN_ERROR_USAGE, "keep_frames is %d; it must be 0 or more",
                     def->keep_frames);
        return NULL;
    }
    if (def->parts > 1 && (def->append || def->part < 0 || def->part >= def->parts)) {
        tn_error_add(err, TN_ERROR_USAGE,
                     def->append ? "a recording in parts cannot be appended to"
                                 : "part must be 0 to parts - 1");
        return NULL;
    }
    TnRecorder *recorder = tn_calloc(1, sizeof *recorder);
    TnRecordOut bytes = {0};
    bool fine = tn_record_put_scene(&bytes, scene, def->texture_bytes) && recorder && !bytes.failed;
    if (recorder) {
        recorder->def = *def;
        recorder->file = -1;
        recorder->is_regular = true;
        recorder->path = tn_record_part_path(path, def->part);
        fine = fine && recorder->path && take_scene(recorder, &bytes);
    }
    if (!fine) {
        no_memory(err, path);
    } else if (!recorder->group.scene) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "the scene refers to a body, mesh or point that it does "
                     "not have");
        fine = false;
    } else if (bytes.size > TN_RECORD_MAX_RAW) {
        tn_error_add(err, TN_ERROR_USAGE, "the scene is too large to be recorded (1 GB)");
        fine = false;
    } else {
        fine = open_file(recorder, &bytes, err);
    }
    tn_record_out_free(&bytes);
    if (!fine && recorder) {
        destroy(recorder);
        recorder = NULL;
    }
    return recorder;
}

static TnStatus flush_group(TnRecorder *recorder, TnError *err)
{
    TnRecordGroup *group = &recorder->group;
    if (group->frame_count == 0) return TN_OK;
    recorder->out.size = 0;
    if (!tn_record_put_group(&recorder->out, group)) {
        recorder->failed = true;
        no_memory(err, recorder->path);
        return TN_ERROR_MEMORY;
    }
    group->frame_count = group->contact_count = 0;
    int code = tn_file_write(recorder->file, recorder->out.bytes, recorder->out.size);
    if (!code) {
        recorder->end += (int64_t)recorder->out.size;
        return TN_OK;
    }
    recorder->failed = true;
    /* the part of the group that went out; a reader would skip it as well */
    int uncut = recorder->is_regular ? tn_file_cut(recorder->file, recorder->end) : 0;
    if (uncut) code = uncut;
    cannot_write(err, recorder->path, code);
    return TN_ERROR_IO;
}

/* ---- frames ---- */

static bool fits_scene(const TnScene *scene, const TnFrame *frame)
{
    if (frame->body_count != scene->body_count || frame->point_count != scene->point_count ||
        (frame->signal_count && frame->signal_count != scene->signal_count))
        return false;
    for (int i = 0; i < frame->contact_count; i++) {
        const TnContact *c = &frame->contacts[i];
        if (c->geom1 < 1 || c->geom1 > scene->shape_count || c->geom2 < 1 ||
            c->geom2 > scene->shape_count)
            return false;
    }
    return true;
}

static bool has_same_sizes(const TnRecordGroup *group, const TnFrame *frame, bool has_signals)
{
    return group->has_state == (frame->qpos != NULL) && group->qpos_count == frame->qpos_count &&
           group->dof_count == frame->dof_count && group->ctrl_count == frame->ctrl_count &&
           group->has_stress == (frame->stress != NULL) && group->cell_count == frame->cell_count &&
           group->has_signals == has_signals;
}

/* Of the two quaternions of one rotation the one nearer to the frame before. */
static void follow_signs(double *poses, double *last, int body_count, bool has_last)
{
    for (int i = 0; i < body_count; i++) {
        double *q = poses + 7 * i + 3, *p = last + 7 * i + 3;
        double dot = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3];
        if (has_last && dot < 0)
            for (int k = 0; k < 4; k++) q[k] = -q[k];
    }
    memcpy(last, poses, (size_t)body_count * 7 * sizeof *last);
}

static bool add_contacts(TnRecordGroup *group, const TnFrame *frame, TnRecordHead *head)
{
    head->contact_start = group->contact_count;
    head->contact_count = group->has_contacts ? frame->contact_count : 0;
    int total = group->contact_count + head->contact_count;
    if (total > group->contact_room && !tn_record_group_reserve_contacts(group, total + total / 2))
        return false;
    if (head->contact_count)
        memcpy(group->contacts + group->contact_count, frame->contacts,
               (size_t)head->contact_count * sizeof *frame->contacts);
    group->contact_count = total;
    return true;
}

static bool add_frame(TnRecorder *recorder, const TnFrame *frame)
{
    TnRecordGroup *group = &recorder->group;
    size_t index = (size_t)group->frame_count, bodies = (size_t)frame->body_count;
    group->has_contacts = recorder->def.contacts;
    group->has_state = frame->qpos != NULL;
    group->qpos_count = frame->qpos_count;
    group->dof_count = frame->dof_count;
    group->ctrl_count = frame->ctrl_count;
    group->has_stress = frame->stress != NULL;
    group->cell_count = frame->cell_count;
    group->has_signals = frame->signal_count > 0 && !recorder->no_signals;
    TnRecordHead head = {.time = frame->time,
                         .step = frame->step,
                         .iterations = frame->iterations,
                         .residual = frame->residual,
                         .kinetic = frame->kinetic,
                         .potential = frame->potential,
                         .elastic = frame->elastic,
                         .account = frame->account,
                         .mean_penetration = frame->mean_penetration,
                         .max_penetration = frame->max_penetration,
                         .times = frame->times};
    if (!tn_record_group_reserve(group, recorder->def.group_frames) ||
        !tn_record_group_reserve_state(group, recorder->def.group_frames) ||
        !tn_record_group_reserve_stress(group, recorder->def.group_frames) ||
        !add_contacts(group, frame, &head))
        return false;
    group->heads[index] = head;
    double *poses = group->poses + 7 * index * bodies;
    memcpy(poses, frame->poses, 7 * bodies * sizeof *poses);
    follow_signs(poses, recorder->last_poses, frame->body_count, recorder->has_last);
    recorder->has_last = true;
    size_t points = 3 * (size_t)frame->point_count;
    if (points) memcpy(group->points + index * points, frame->points, points * sizeof(float));
    size_t qpos = (size_t)frame->qpos_count, dof = (size_t)frame->dof_count,
           ctrl = (size_t)frame->ctrl_count;
    double *state = group->state ? group->state + index * (qpos + dof + ctrl) : NULL;
    if (qpos) memcpy(state, frame->qpos, qpos * sizeof *state);
    if (dof) memcpy(state + qpos, frame->qvel, dof * sizeof *state);
    if (ctrl) memcpy(state + qpos + dof, frame->ctrl, ctrl * sizeof *state);
    size_t stresses = (size_t)frame->point_count + 6 * (size_t)frame->cell_count;
    if (frame->stress && stresses)
        memcpy(group->stress + index * stresses, frame->stress, stresses * sizeof(float));
    float *signals = group->signals + index * (size_t)frame->signal_count;
    for (int i = 0; i < frame->signal_count; i++) signals[i] = (float)frame->signals[i];
    group->frame_count++;
    return true;
}

TnStatus tn_recorder_write(TnRecorder *recorder, const TnFrame *frame, TnError *err)
{
    if (!recorder || !frame) {
        tn_error_add(err, TN_ERROR_USAGE, "recorder and frame must be given");
        return TN_ERROR_USAGE;
    }
    TnRecordGroup *group = &recorder->group;
    if (recorder->failed) {
        tn_error_add(err, TN_ERROR_IO, "%.700s: the recording already ended with an error",
                     recorder->path);
        return TN_ERROR_IO;
    }
    if (!fits_scene(group->scene, frame)) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "the frame has bodies, points or contacts that the scene does not have");
        return TN_ERROR_USAGE;
    }
    TnStatus status = TN_OK;
    bool has_signals = frame->signal_count > 0 && !recorder->no_signals;
    if (group->frame_count && !has_same_sizes(group, frame, has_signals))
        status = flush_group(recorder, err);
    if (status == TN_OK && !add_frame(recorder, frame)) {
        recorder->failed = true;
        no_memory(err, recorder->path);
        status = TN_ERROR_MEMORY;
    }
    /* a group of very many contacts is written early and so stays within its limits */
    bool full = group->frame_count >= recorder->def.group_frames || group->contact_count > 1 << 20;
    if (status == TN_OK && full) status = flush_group(recorder, err);
    return status;
}

TnStatus tn_recorder_flush(TnRecorder *recorder, TnError *err)
{
    if (!recorder) {
        tn_error_add(err, TN_ERROR_USAGE, "recorder must be given");
        return TN_ERROR_USAGE;
    }
    if (recorder->failed) {
        tn_error_add(err, TN_ERROR_IO, "%.700s: the recording already ended with an error",
                     recorder->path);
        return TN_ERROR_IO;
    }
    TnStatus status = flush_group(recorder, err);
    int code = status == TN_OK && recorder->is_regular ? tn_file_to_disk(recorder->file) : 0;
    if (!code) return status;
    recorder->failed = true;
    cannot_write(err, recorder->path, code);
    return TN_ERROR_IO;
}

TnStatus tn_recorder_close(TnRecorder *recorder, TnError *err)
{
    if (!recorder) return TN_OK;
    TnStatus status = recorder->failed ? TN_OK : flush_group(recorder, err);
    int code = tn_file_close(recorder->file);
    if (code && status == TN_OK && !recorder->failed) {
        cannot_write(err, recorder->path, code);
        status = TN_ERROR_IO;
    }
    recorder->file = -1;
    destroy(recorder);
    return status;
}

/* The recording of a run; see run_record.h. */
#include "run_record.h"

#include "../common/app.h"
#include "../common/team.h"
#include "beside.h"
#include "platform/files.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Textures of a recording have a budget, and the user is told where it is too small. */
static void tell_textures(const TnScene *scene, int64_t limit)
{
    double bytes = 0;
    for (int i = 0; i < scene->texture_count; i++) {
        const TnSceneTexture *t = &scene->textures[i];
        bytes += 3.0 * t->width * t->height * (t->type == TN_TEXTURE_2D ? 1 : TN_TEXTURE_FACES);
    }
    if (bytes > (double)limit)
        say("run",
            "--record: the textures have %.0f MB and are recorded smaller, in %.0f MB; "
            "--record-textures MB sets the limit",
            bytes / 1e6, (double)limit / 1e6);
}

static double fps_of(const RecordOptions *options)
{
    return options->fps > 0 ? options->fps : RECORD_DEFAULT_FPS;
}

static void add_account(TnEnergyAccount *sum, const TnEnergyAccount *more)
{
    sum->actuators += more->actuators;
    sum->applied += more->applied;
    sum->friction += more->friction;
    sum->damping += more->damping;
    sum->impacts += more->impacts;
    sum->step += more->step;
    sum->created += more->created;
    sum->push_out += more->push_out;
    sum->unsolved += more->unsolved;
}

/* Each process of a team writes every so many-th group of frames to a file of its own. */
static bool is_own(const RunRecord *record)
{
    const TnRanks *team = record->alone ? NULL : team_ranks();
    return !team || record->at.frame_count / record->group_frames % team->count == team->rank;
}

/* What `world` shows, to the file. */
static bool capture_and_write(RunRecord *record, TnWorld *world, const TnStepReport *report,
                              TnError *err)
{
    TnFrame *frame = record->frame;
    TnStatus status = tn_frame_capture(frame, world, report, record->options->state, err);
    if (status == TN_OK && record->signals) status = tn_frame_capture_signals(frame, world, err);
    frame->time += record->at.time_shift;
    frame->step += record->at.step_shift;
    add_account(&frame->account, &record->at.account_shift);
    return status == TN_OK && tn_recorder_write(record->recorder, frame, err) == TN_OK;
}

static void write_shadow(void *context)
{
    RunRecord *record = context;
    const TnStepReport *report = record->has_report ? &record->report : NULL;
    if (!capture_and_write(record, record->shadow, report, &record->err)) record->failed = true;
}

/* All frames so far are written; false: one of them could not be. */
static bool wait_for_frames(RunRecord *record)
{
    beside_wait(record->beside);
    if (record->failed && record->err.count) say("run", "%s", record->err.message);
    record->err.count = 0; /* said once */
    return !record->failed;
}

/* Of a world on a device its state is copied, and another thread does the rest. */
static bool hand_frame_over(RunRecord *record, TnWorld *world, const TnStepReport *report)
{
    TnError err = {0};
    if (!wait_for_frames(record)) return false;
    if (tn_world_copy_to_shadow(world, record->shadow, record->options->contacts, &err) != TN_OK) {
        say("run", "%s", err.message);
        return false;
    }
    record->has_report = report != NULL;
    if (report) record->report = *report;
    beside_start(record->beside);
    return true;
}

static bool write_frame(RunRecord *record, TnWorld *world, const TnStepReport *report)
{
    if (!is_own(record)) {
        record->at.frame_count++;
        return true;
    }
    TnError err = {0};
    if (record->beside) {
        if (!hand_frame_over(record, world, report)) return false;
    } else if (!capture_and_write(record, world, report, &err)) {
        say("run", "%s", err.message);
        return false;
    }
    record->at.frame_count++;
    record->at.file_frames++;
    return true;
}

/* An appended run goes on one frame after the old end: replays need times that ascend. */
static bool find_shift(RunRecord *record, double timestep, TnError *err)
{
    TnFileInfo about;
    const RecordOptions *options = record->options;
    if (!options->append || tn_file_info(options->path, &about) != 0 || about.size == 0)
        return true;
    TnRecording *old = tn_recording_open(options->path, err);
    if (!old) return false;
    const TnScene *scene = tn_recording_scene(old);
    TnRecordingInfo info = tn_recording_info(old);
    bool fine = true;
    if (info.frame_count > 0) {
        TnFrame *last = tn_frame_create(scene, err);
        fine = last && tn_recording_frame(old, info.frame_count - 1, last, err) == TN_OK;
        double pause = fmax(1 / fps_of(options), timestep);
        record->at.file_frames = info.frame_count;
        if (fine) {
            record->at.time_shift = last->time + pause - record->at.start;
            record->at.step_shift = last->step + llround((pause - record->at.start) / timestep);
            if (isfinite(last->account.created)) record->at.account_shift = last->account;
        }
        tn_frame_destroy(last);
    }
    tn_recording_close(old);
    return fine;
}

/* The file of the run that is resumed; another name starts another recording. */
static bool is_there(const RecordOptions *options, const RecordPlace *from)
{
    TnFileInfo about;
    return from->file_frames > 0 && tn_file_info(options->path, &about) == 0 &&
           about.kind == TN_FILE_REGULAR;
}

int run_record_open(RunRecord *record, const RecordOptions *options, bool in_parts, TnWorld *world,
                    const RecordPlace *from)
{
    TnError err = {0};
    const TnRanks *team = in_parts ? NULL : team_ranks();
    *record = (RunRecord){.options = options,
                          .alone = in_parts,
                          .timestep = tn_model_info(tn_world_model(world)).option.timestep,
                          .at = {.start = tn_world_state(world).time}};
    if (!options->path) return EXIT_FINE;
    if (in_parts && !team_writes()) {
        if (from->file_frames)
            record->at = *from;
        else
            record->at.next = 1;
        record->follows = true;
        return EXIT_FINE;
    }
    errno = 0;
    if (!make_parent_folders(options->path)) {
        say("run", "%s: cannot be written: %s", options->path, strerror(errno));
        return EXIT_IO;
    }
    TnRecorderDef def = tn_recorder_def();
    bool goes_on = is_there(options, from);
    if (goes_on && team) {
        say("run",
            "--record: %s is there already, and several processes cannot go on with a recording; "
            "give it another name",
            options->path);
        return EXIT_USAGE;
    }
    def.contacts = options->contacts;
    def.append = options->append || goes_on;
    if (goes_on) def.keep_frames = (int)from->file_frames;
    record->group_frames = def.group_frames;
    if (options->texture_megabytes >= 0)
        def.texture_bytes = (int64_t)(1e6 * options->texture_megabytes);
    if (team) {
        def.part = team->rank;
        def.parts = team->count;
        def.set = team_number();
    }
    record->scene = tn_scene_create_of(world, &err);
    if (record->scene) record->frame = tn_frame_create(record->scene, &err);
    /* so that replays can be coloured by it */
    bool fine = record->frame && (record->scene->surface_count == 0 ||
                                  tn_frame_reserve_stress(record->frame, 0, &err) == TN_OK);
    if (goes_on) record->at = *from;
    if (fine && (goes_on || find_shift(record, record->timestep, &err)))
        record->recorder = tn_recorder_create(&def, options->path, record->scene, &err);
    if (!record->recorder) {
        say("run", "%s", err.message);
        run_record_close(record);
        return code_of(&err);
    }
    if (!goes_on) record->at.next = 1;
    tell_textures(record->scene, def.texture_bytes);
    record->signals = options->small_signals &&
                      (options->signals || record->scene->signal_count <= RECORD_FEW_SIGNALS);
    record->shadow = tn_world_create_shadow(world, NULL); /* NULL of a world that steps here */
    if (record->shadow) record->beside = beside_open(write_shadow, record);
    if (goes_on || write_frame(record, world, NULL)) return EXIT_FINE;
    run_record_close(record);
    return EXIT_IO;
}

bool run_record_step(RunRecord *record, TnWorld *world, const TnStepReport *report)
{
    if (!record->recorder && !record->follows) return true;
    double fps = fps_of(record->options), timestep = record->timestep;
    /* frame k belongs to the step nearest to k / fps; half a step later it is due */
    double passed = tn_world_time(world) - record->at.start + 0.5 * timestep;
    double due = floor(passed * fps);
    if (!(due >= (double)record->at.next)) return true;
    record->at.next = due < 1e18 ? (int64_t)due + 1 : INT64_MAX; /* forged states have any time */
    /* of a world in parts: asked for by all processes */
    if (!record->beside) (void)tn_world_state(world);
    return record->follows || write_frame(record, world, report);
}

bool run_record_mark(RunRecord *record, RecordPlace *place)
{
    TnError err = {0};
    *place = (RecordPlace){0};
    if (!record->recorder) return true;
    if (!wait_for_frames(record)) return false;
    if (tn_recorder_flush(record->recorder, &err) != TN_OK) {
        say("run", "%s", err.message);
        return false;
    }
    *place = record->at;
    return true;
}

bool run_record_close(RunRecord *record)
{
    TnError err = {0};
    bool written = wait_for_frames(record),
         fine = tn_recorder_close(record->recorder, &err) == TN_OK;
    if (!fine) say("run", "%s", err.message);
    fine = fine && written;
    beside_close(record->beside);
    tn_world_destroy(record->shadow);
    record->beside = NULL;
    record->shadow = NULL;
    tn_frame_destroy(record->frame);
    tn_scene_destroy(record->scene);
    record->recorder = NULL;
    record->frame = NULL;
    record->scene = NULL;
    return fine;
}

/* Playing a recording: which moment is shown, without a window. */
#include "../../apps/view/playback.c"

#include "../check.h"

#include <tenon/tenon.h>
#include <unistd.h>

enum { FRAMES = 11 };
static const double interval = 0.1; /* s between frames; x grows by 1 m from one to the next */

typedef struct Tape {
    char path[64];
    TnRecording *recording;
} Tape;

/* One ball whose x is the number of its frame. */
static bool make_tape(Tape *tape)
{
    snprintf(tape->path, sizeof tape->path, "test_playback_%ld.tnr", (long)getpid());
    TnModelBuilder *builder = tn_builder_create();
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    joint.body = tn_builder_add_body(builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(builder, &joint);
    TnGeomDef ball = tn_geom_def();
    ball.body = joint.body;
    ball.size[0] = 0.1;
    tn_builder_add_geom(builder, &ball);
    TnModel *model = tn_builder_compile(builder, NULL);
    TnScene *scene = tn_scene_create(model, NULL);
    TnFrame *frame = tn_frame_create(scene, NULL);
    TnRecorderDef def = tn_recorder_def();
    def.group_frames = 4;
    TnRecorder *recorder = tn_recorder_create(&def, tape->path, scene, NULL);
    bool written = recorder != NULL;
    for (int i = 0; i < FRAMES && written; i++) {
        frame->time = interval * i;
        frame->step = i;
        frame->poses[7] = i;
        written = tn_recorder_write(recorder, frame, NULL) == TN_OK;
    }
    written = written && tn_recorder_close(recorder, NULL) == TN_OK;
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    tn_model_destroy(model);
    tn_builder_destroy(builder);
    tape->recording = written ? tn_recording_open(tape->path, NULL) : NULL;
    return tape->recording != NULL;
}

static void free_tape(Tape *tape)
{
    tn_recording_close(tape->recording);
    remove(tape->path);
}

static double shown_x(Playback *playback)
{
    const TnFrame *frame = playback_frame(playback, NULL);
    return frame ? frame->poses[7] : NAN;
}

/* Positions are recorded on a fine grid, far below this. */
static const double near_enough = 1e-3;

TEST(between_two_frames_the_place_is_in_between)
{
    Tape tape;
    Playback playback;
    REQUIRE(make_tape(&tape));
    REQUIRE(playback_create(&playback, tape.recording, NULL));
    const double times[] = {0, 0.1, 0.125, 0.3, 0.37, 0.35, 0.99, 1, 0.05, 0.63, 0.55};
    for (int i = 0; i < 11; i++) {
        playback_seek(&playback, times[i]);
        CHECK_NEAR(shown_x(&playback), times[i] / interval, near_enough);
    }
    playback_free(&playback);
    free_tape(&tape);
}

TEST(playing_goes_by_the_clock_times_the_speed)
{
    Tape tape;
    Playback playback;
    REQUIRE(make_tape(&tape));
    REQUIRE(playback_create(&playback, tape.recording, NULL));
    playback.speed = 0.5;
    for (int i = 1; i <= 8; i++) {
        CHECK(!playback_advance(&playback, 0.2));
        CHECK_NEAR(shown_x(&playback), i, near_enough);
    }
    playback_pause(&playback, true);
    CHECK(!playback_advance(&playback, 5));
    CHECK_NEAR(shown_x(&playback), 8, near_enough);
    playback_free(&playback);
    free_tape(&tape);
}

TEST(at_the_end_it_stops_and_starts_anew_when_told_to_run)
{
    Tape tape;
    Playback playback;
    REQUIRE(make_tape(&tape));
    REQUIRE(playback_create(&playback, tape.recording, NULL));
    CHECK(playback_advance(&playback, 7));
    CHECK(playback.paused && playback.ended);
    CHECK_NEAR(shown_x(&playback), 10, near_enough);
    playback_pause(&playback, false);
    CHECK_NEAR(shown_x(&playback), 0, near_enough);
    playback.loop = true;
    CHECK(playback_advance(&playback, 1.25));
    CHECK(!playback.paused);
    CHECK_NEAR(shown_x(&playback), 2.5, near_enough);
    playback_free(&playback);
    free_tape(&tape);
}

TEST(steps_go_from_frame_to_frame_and_stay_inside)
{
    Tape tape;
    Playback playback;
    REQUIRE(make_tape(&tape));
    REQUIRE(playback_create(&playback, tape.recording, NULL));
    playback_seek(&playback, 0.34);
    playback_step(&playback, -1);
    CHECK(playback.paused);
    CHECK_NEAR(shown_x(&playback), 3, near_enough);
    playback_step(&playback, -1);
    CHECK_NEAR(shown_x(&playback), 2, near_enough);
    playback_step(&playback, 1);
    CHECK_NEAR(shown_x(&playback), 3, near_enough);
    playback_step(&playback, 100);
    CHECK_NEAR(shown_x(&playback), 10, near_enough);
    CHECK(playback_index(&playback) == FRAMES - 1);
    playback_step(&playback, -100);
    CHECK_NEAR(shown_x(&playback), 0, near_enough);
    playback_seek(&playback, -3);
    CHECK(playback.time == 0);
    playback_free(&playback);
    free_tape(&tape);
}

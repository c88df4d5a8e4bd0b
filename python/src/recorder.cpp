/* recorder.cpp: recordings (.tnr) of a world. */
#include "common.h"

class Recorder
{
    std::pair<std::shared_ptr<BatchData>, int> of;
    TnScene *scene = nullptr;
    TnFrame *frame = nullptr;
    TnRecorder *recorder = nullptr;
    bool state;

    void release()
    {
        tn_frame_destroy(frame);
        tn_scene_destroy(scene);
        frame = nullptr;
        scene = nullptr;
        of.first.reset();
    }

  public:
    int frames = 0;

    Recorder(const std::string &path, nb::capsule world, bool contacts, bool with_state)
        : of(*static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(world.data())),
          state(with_state)
    {
        Error err;
        {
            Use use(*of.first);
            scene = tn_scene_create_of(tn_batch_world(of.first->batch, of.second), &err);
        }
        if (scene) frame = tn_frame_create(scene, &err);
        bool fine = frame &&
                    (scene->surface_count == 0 || tn_frame_reserve_stress(frame, 0, &err) == TN_OK);
        TnRecorderDef def = tn_recorder_def();
        def.contacts = contacts;
        if (fine) recorder = tn_recorder_create(&def, path.c_str(), scene, &err);
        if (recorder) return;
        release();
        raise(err);
    }
    ~Recorder()
    {
        tn_recorder_close(recorder, nullptr);
        release();
    }
    Recorder(const Recorder &) = delete;

    void write()
    {
        if (!recorder) raise(TN_ERROR_USAGE, "the recorder is closed");
        Error err;
        Use use(*of.first);
        TnWorld *world = tn_batch_world(of.first->batch, of.second);
        check(tn_batch_push(of.first->batch, of.second, &err), err);
        const TnStepReport *report = &of.first->view.reports[of.second];
        TnStatus status = tn_frame_capture(frame, world, report, state, &err);
        if (status == TN_OK) status = tn_frame_capture_signals(frame, world, &err);
        if (status == TN_OK) status = tn_recorder_write(recorder, frame, &err);
        check(status, err);
        frames++;
    }
    void close()
    {
        if (!recorder) return;
        Error err;
        TnStatus status = tn_recorder_close(recorder, &err);
        recorder = nullptr;
        release();
        check(status, err);
    }
    bool closed() const { return !recorder; }
};

void bind_recorder(nb::module_ &m)
{
    nb::class_<Recorder>(m, "Recorder")
        .def(nb::init<const std::string &, nb::capsule, bool, bool>())
        .def("write", &Recorder::write, "Adds a frame: the world as it is now.")
        .def("close", &Recorder::close, "Writes the rest and closes the file.")
        .def_ro("frames", &Recorder::frames)
        .def_prop_ro("closed", &Recorder::closed);
}

/* recorder.cpp: recordings (.tnr) of a world. Own curves are signals of kind sensor, after those of
 * the model: everything that shows sensors shows them. The first frame says which there are. */
#include "common.h"

#include <algorithm>
#include <cstring>

class Recorder
{
    std::pair<std::shared_ptr<BatchData>, int> of;
    TnScene *scene = nullptr;
    TnFrame *frame = nullptr;
    TnRecorder *recorder = nullptr;
    std::string path;
    bool contacts, state;
    std::vector<std::string> curves; /* names of own curves, from the first frame on */
    std::vector<TnSignal> signals;   /* those of the scene, and these */
    std::vector<double> numbers;

    void begin(const TnScene *of_scene)
    {
        Error err;
        TnRecorderDef def = tn_recorder_def();
        def.contacts = contacts;
        recorder = tn_recorder_create(&def, path.c_str(), of_scene, &err);
        if (recorder) return;
        release();
        raise(err);
    }

    /* Before the first frame: the file begins again, with these curves. */
    void add_curves(const nb::kwargs &own)
    {
        signals.assign(scene->signals, scene->signals + scene->signal_count);
        std::vector<std::string> names;
        for (auto [key, value] : own) names.push_back(nb::cast<std::string>(key));
        for (const std::string &name : names)
            for (const TnSignal &signal : signals)
                if (name == signal.name)
                    raise(TN_ERROR_USAGE, "write: the model has a signal '" + name +
                                              "'; the curve needs another name");
        curves = names;
        for (const std::string &name : curves) signals.push_back({name.c_str(), TN_SIGNAL_SENSOR});
        TnScene with = *scene;
        with.signals = signals.data();
        with.signal_count = (int)signals.size();
        tn_recorder_close(recorder, nullptr);
        begin(&with);
    }

    /* The numbers of own curves, after those that were captured. */
    TnFrame with_curves(const nb::kwargs &own)
    {
        if (own.size() != curves.size()) raise(TN_ERROR_USAGE, curves_text());
        numbers.assign(frame->signals, frame->signals + frame->signal_count);
        for (const std::string &name : curves) {
            if (!own.contains(name.c_str())) raise(TN_ERROR_USAGE, curves_text());
            double number = PyFloat_AsDouble(nb::object(own[name.c_str()]).ptr());
            if (number == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                raise(TN_ERROR_USAGE, "write: " + name + ": expected a number");
            }
            numbers.push_back(number);
        }
        TnFrame with = *frame;
        with.signals = numbers.data();
        with.signal_count = (int)numbers.size();
        return with;
    }
    std::string curves_text() const
    {
        std::string text = "write: every frame has the curves of the first one:";
        if (curves.empty()) text += " none";
        for (const std::string &name : curves) text += " " + name;
        return text;
    }

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

    Recorder(const std::string &to, nb::capsule world, bool with_contacts, bool with_state)
        : of(*static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(world.data())), path(to),
          contacts(with_contacts), state(with_state)
    {
        Error err;
        {
            Use use(*of.first);
            scene = tn_scene_create_of(tn_batch_world(of.first->batch, of.second), &err);
        }
        if (scene) frame = tn_frame_create(scene, &err);
        bool fine = frame &&
                    (scene->surface_count == 0 || tn_frame_reserve_stress(frame, 0, &err) == TN_OK);
        if (!fine) {
            release();
            raise(err);
        }
        begin(scene);
    }
    ~Recorder()
    {
        tn_recorder_close(recorder, nullptr);
        release();
    }
    Recorder(const Recorder &) = delete;

    void write(const nb::kwargs &own)
    {
        if (!recorder) raise(TN_ERROR_USAGE, "the recorder is closed");
        if (frames == 0 && own.size() > 0 && curves.empty()) add_curves(own);
        Error err;
        Use use(*of.first);
        TnWorld *world = tn_batch_world(of.first->batch, of.second);
        check(tn_batch_push(of.first->batch, of.second, &err), err);
        const TnStepReport *report = &of.first->view.reports[of.second];
        TnStatus status = tn_frame_capture(frame, world, report, state, &err);
        if (status == TN_OK) status = tn_frame_capture_signals(frame, world, &err);
        check(status, err);
        const TnFrame with = with_curves(own);
        check(tn_recorder_write(recorder, &with, &err), err);
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
        .def("write", &Recorder::write, nb::sig("def write(self, **curves: float) -> None"),
             "Adds a frame: the world as it is now. Own curves are numbers by name, the same names "
             "in every frame:\n``recorder.write(tension=f)``; Recording.signal(\"tension\") has "
             "them, and so have plots and pages.")
        .def("close", &Recorder::close, "Writes the rest and closes the file.")
        .def_ro("frames", &Recorder::frames)
        .def_prop_ro("closed", &Recorder::closed);
}

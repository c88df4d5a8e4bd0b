/* recording.cpp: recordings (.tnr) that are read, and the page that plays them. */
#include "recording.h"

#include "../../apps/tenon/embed.h"

#include <cstring>

static RecordingData &open(const std::shared_ptr<RecordingData> &data)
{
    if (!data) raise(TN_ERROR_USAGE, "the recording is closed");
    if (data->busy.exchange(true, std::memory_order_acquire))
        raise(TN_ERROR_USAGE, "the recording is in use by another thread");
    return *data;
}

Reading::Reading(const std::shared_ptr<RecordingData> &of)
    : data(open(of)), scene(tn_recording_scene(data.recording))
{
}

const TnFrame &Reading::frame(int index)
{
    Error err;
    check(tn_recording_frame(data.recording, index, data.frame, &err), err);
    return *data.frame;
}

static void open_file(Recording *self, const std::string &path)
{
    auto data = std::make_shared<RecordingData>();
    Error err;
    data->recording = tn_recording_open(path.c_str(), &err);
    if (data->recording) data->frame = tn_frame_create(tn_recording_scene(data->recording), &err);
    if (!data->frame) raise(err);
    new (self) Recording{data};
}

static nb::list names_of_bodies(const TnScene &scene)
{
    nb::list names;
    for (int i = 0; i < scene.body_count; i++) names.append(nb::str(scene.bodies[i].name));
    return names;
}

static nb::dict about(const Recording &r)
{
    Reading reading(r.data);
    const TnScene &scene = *reading.scene;
    TnRecordingInfo info = tn_recording_info(r.data->recording);
    nb::dict d;
    nb::list cameras, signals, kinds, shape_bodies;
    for (int i = 0; i < scene.camera_count; i++) cameras.append(nb::str(scene.cameras[i].name));
    for (int i = 0; i < scene.signal_count && info.has_signals; i++) {
        signals.append(nb::str(scene.signals[i].name));
        kinds.append(nb::str(tn_signal_kind_name(scene.signals[i].kind)));
    }
    for (int i = 0; i < scene.shape_count; i++) shape_bodies.append(scene.shapes[i].body);
    double *times;
    Array all = new_array({(size_t)info.frame_count}, &times);
    for (int i = 0; i < info.frame_count; i++) times[i] = tn_recording_time(r.data->recording, i);
    d["name"] = nb::str(scene.name);
    d["timestep"] = scene.timestep;
    d["bodies"] = names_of_bodies(scene);
    d["cameras"] = cameras;
    d["signals"] = signals;
    d["signal_kinds"] = kinds;
    d["geom_bodies"] = shape_bodies;
    d["points"] = scene.point_count;
    d["times"] = all;
    d["cut_off"] = info.cut_off;
    d["has_contacts"] = info.has_contacts;
    d["has_state"] = info.has_state;
    d["has_stress"] = info.has_stress;
    d["resolution"] = info.resolution;
    return d;
}

/* What can be asked of every frame: its numbers, and how many there are. */
struct Numbers {
    const double *numbers = nullptr;
    const float *small = nullptr;
    size_t count = 0;
};

static Numbers numbers_of(const TnFrame &f, const std::string &what)
{
    auto all = [](const double *p, int n) { return Numbers{p, nullptr, (size_t)n}; };
    auto small = [](const float *p, int n) { return Numbers{nullptr, p, p ? (size_t)n : 0}; };
    if (what == "poses") return all(f.poses, 7 * f.body_count);
    if (what == "signals") return all(f.signals, f.signal_count);
    if (what == "qpos") return all(f.qpos, f.qpos_count);
    if (what == "qvel") return all(f.qvel, f.dof_count);
    if (what == "ctrl") return all(f.ctrl, f.ctrl_count);
    if (what == "points") return small(f.points, 3 * f.point_count);
    if (what == "stress") return small(f.stress, f.point_count);
    if (what == "kinetic") return all(&f.kinetic, 1);
    if (what == "potential") return all(&f.potential, 1);
    if (what == "elastic") return all(&f.elastic, 1);
    if (what == "residual") return all(&f.residual, 1);
    if (what == "mean_penetration") return all(&f.mean_penetration, 1);
    if (what == "max_penetration") return all(&f.max_penetration, 1);
    raise(TN_ERROR_USAGE, "a recording has no '" + what + "'");
}

/* (frames, numbers): one thing of several frames. */
static Array read_frames(const Recording &r, const std::vector<int> &frames,
                         const std::string &what)
{
    Reading reading(r.data);
    Interruptible interruptible;
    double *rows = nullptr;
    size_t width = 0;
    Array result;
    for (size_t k = 0; k < frames.size(); k++) {
        Numbers one = numbers_of(reading.frame(frames[k]), what);
        if (k == 0) {
            width = one.count;
            result = new_array({frames.size(), width}, &rows);
        }
        for (size_t i = 0; i < width && i < one.count; i++)
            rows[k * width + i] = one.small ? (double)one.small[i] : one.numbers[i];
        interruptible.look();
    }
    if (frames.empty()) result = new_array({0, 0}, &rows);
    return result;
}

static nb::object contacts(const Recording &r, int index)
{
    Reading reading(r.data);
    const TnFrame &frame = reading.frame(index);
    void *bytes;
    nb::object result = new_bytes((size_t)frame.contact_count, sizeof(TnContact), &bytes);
    for (int i = 0; i < frame.contact_count; i++) {
        TnContact c = frame.contacts[i];
        c.geom1--;
        c.geom2--;
        memcpy((char *)bytes + sizeof c * (size_t)i, &c, sizeof c);
    }
    return result;
}

static void write_page(const Recording &r, const std::string &path, const std::vector<int> &frames,
                       const std::optional<std::string> &title, const std::string &color)
{
    Reading reading(r.data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status =
            tenon_write_page(path.c_str(), r.data->recording, frames.data(), (int)frames.size(),
                             title ? title->c_str() : nullptr, color.c_str(), &err);
    }
    check(status, err);
}

static void export_as(const Recording &r, const std::string &path, const std::vector<int> &frames,
                      double fps, const std::optional<std::string> &title)
{
    Reading reading(r.data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tenon_export(path.c_str(), r.data->recording, frames.data(), (int)frames.size(),
                              fps, title ? title->c_str() : nullptr, &err);
    }
    check(status, err);
}

void bind_recording(nb::module_ &m)
{
    nb::class_<Recording>(m, "Recording")
        .def("__init__", open_file)
        .def("_about", about)
        .def("_read", read_frames)
        .def("_contacts", contacts)
        .def("_write_page", write_page, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
        .def("_export", export_as, nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
        .def(
            "close", [](Recording &r) { r.data.reset(); }, "Closes the file.")
        .def_prop_ro("closed", [](const Recording &r) { return !r.data; });
}

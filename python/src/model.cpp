/* model.cpp: loading, writing, looking up and evaluating a model. Indices count from 0 here, ids of
 * the C library from 1. */
#include "builder.h"
#include "fields.h"

#include <cmath>

/* The texts live as long as the dict. */
static std::vector<TnMemoryFile> memory_files(const nb::dict &files)
{
    std::vector<TnMemoryFile> list;
    for (auto [name, content] : files) {
        if (!nb::isinstance<nb::str>(name)) expected("files", "names", name);
        if (!nb::isinstance<nb::bytes>(content))
            expected("files: " + nb::cast<std::string>(name), "bytes", content);
        nb::bytes bytes = nb::borrow<nb::bytes>(content);
        list.push_back({nb::cast<const char *>(name), bytes.c_str(), bytes.size()});
    }
    return list;
}

static std::shared_ptr<TnModelBuilder> read(const std::string &path, TnLoadDef def,
                                            const nb::dict &files, TnRemarks *remarks)
{
    std::vector<TnMemoryFile> list = memory_files(files);
    def.files = list.data();
    def.file_count = (int)list.size();
    Error err;
    TnModelBuilder *made;
    {
        nb::gil_scoped_release release;
        made = tn_builder_load(path.c_str(), &def, remarks, &err);
    }
    if (!made) raise(err);
    return {made, tn_builder_destroy};
}

std::shared_ptr<TnModelBuilder> load_builder(nb::handle files)
{
    return read("model.xml", tn_load_def(), nb::cast<nb::dict>(files), nullptr);
}

static std::shared_ptr<ModelData> compile(std::shared_ptr<TnModelBuilder> builder)
{
    Error err;
    auto data = std::make_shared<ModelData>();
    data->builder = std::move(builder);
    {
        nb::gil_scoped_release release;
        data->model = tn_builder_compile(data->builder.get(), &err);
    }
    if (!data->model) raise(err);
    data->info = tn_model_info(data->model);
    return data;
}

static TnFileReach reach_of(const std::string &name)
{
    if (name == "near") return TN_FILES_NEAR;
    if (name == "folder") return TN_FILES_FOLDER;
    if (name != "any")
        raise(TN_ERROR_USAGE, "reach is 'near', 'folder' or 'any', not '" + name + "'");
    return TN_FILES_ANY;
}

static std::shared_ptr<ModelData>
load(const std::string &path, const std::optional<std::string> &text, const nb::dict &files,
     const std::optional<std::string> &package_path, bool free_base, const std::string &reach,
     double limit_factor)
{
    auto remarks = std::make_unique<TnRemarks>();
    TnLoadDef def = tn_load_def();
    if (text && text->find('\0') != std::string::npos)
        raise(TN_ERROR_MODEL, path + ": the text has a zero byte");
    if (text) def.text = text->c_str();
    if (package_path) def.package_path = package_path->c_str();
    def.free_base = free_base;
    def.reach = reach_of(reach);
    if (!(limit_factor >= 1.0)) raise(TN_ERROR_USAGE, "limit_factor must be 1 or more");
    def.limit_factor = limit_factor;
    auto data = compile(read(path, def, files, remarks.get()));
    if (remarks->count > 0) data->remarks = remarks->message;
    return data;
}

/* The definitions as files in memory; the model is "model.xml". */
static nb::dict written(const Model &m)
{
    nb::dict files;
    Error err;
    auto take = [](void *user, const TnMemoryFile *file) {
        nb::dict &to = *static_cast<nb::dict *>(user);
        to[file->path] = nb::bytes(static_cast<const char *>(file->data), file->size);
        return true;
    };
    if (!tn_builder_write_to(m.data->builder.get(), "model.xml", take, &files, &err)) raise(err);
    return files;
}

/* Kinds of things that have names. */
struct Kind {
    const char *name;
    int TnModelInfo::*count;
    const char *(*of)(const TnModel *, int32_t);
};
static const char *camera_name(const TnModel *model, int32_t id)
{
    return tn_model_camera_info(model, id).name;
}
static const char *mesh_name(const TnModel *model, int32_t id)
{
    return tn_model_mesh_info(model, id).name;
}
static const Kind kinds[] = {{"body", &TnModelInfo::body_count, tn_model_body_name},
                             {"joint", &TnModelInfo::joint_count, tn_model_joint_name},
                             {"geom", &TnModelInfo::geom_count, tn_model_geom_name},
                             {"site", &TnModelInfo::site_count, tn_model_site_name},
                             {"tendon", &TnModelInfo::tendon_count, tn_model_tendon_name},
                             {"actuator", &TnModelInfo::actuator_count, tn_model_actuator_name},
                             {"equality", &TnModelInfo::equality_count, tn_model_equality_name},
                             {"sensor", &TnModelInfo::sensor_count, tn_model_sensor_name},
                             {"key", &TnModelInfo::key_count, tn_model_key_name},
                             {"camera", &TnModelInfo::camera_count, camera_name},
                             {"mesh", &TnModelInfo::mesh_count, mesh_name},
                             {"rod", &TnModelInfo::rod_count, tn_model_rod_name},
                             {"wheel", &TnModelInfo::wheel_count, tn_model_wheel_name},
                             {"soft", &TnModelInfo::soft_count, tn_model_soft_name}};

static std::vector<std::string> names(const Model &m, const std::string &kind)
{
    for (const Kind &k : kinds) {
        if (kind != k.name) continue;
        std::vector<std::string> list;
        for (int id = 1; id <= m.data->info.*(k.count); id++) {
            const char *name = k.of(m.data->model, id);
            list.emplace_back(name ? name : "");
        }
        return list;
    }
    raise(TN_ERROR_USAGE, "no such kind: " + kind);
}

static nb::tuple triple(const double v[3]) { return nb::make_tuple(v[0], v[1], v[2]); }

/* ---- what the model says of a thing ---- */

template <typename T> static nb::object copied(const T *from, int count, size_t width)
{
    size_t all = (size_t)count * width;
    auto *numbers = new T[all + 1];
    if (from) std::copy(from, from + all, numbers);
    nb::capsule owner(numbers, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(numbers, {(size_t)count, width}, owner));
}

/* Arrays, which the tables of fields leave out. */
template <typename Info> static void add_arrays(nb::dict &, const Info &) {}
template <> void add_arrays(nb::dict &d, const TnMeshInfo &info)
{
    d["vertices"] = copied(info.vertices, info.vertex_count, 3);
    d["triangles"] = copied(info.triangles, info.triangle_count, 3);
    d["hull_triangles"] = copied(info.hull_triangles, info.hull_triangle_count, 3);
}
template <> void add_arrays(nb::dict &d, const TnRodInfo &info)
{
    d["lengths"] = copied(info.lengths, info.segment_count, 1).attr("ravel")();
}
template <> void add_arrays(nb::dict &d, const TnSoftInfo &info)
{
    d["rest"] = copied(info.rest, info.node_count, 3);
    d["tets"] = copied(info.tets, info.tet_count, 4);
    d["triangles"] = copied(info.triangles, info.triangle_count, 3);
    d["node_masses"] = copied(info.node_masses, info.node_count, 1).attr("ravel")();
}

template <typename Info> static nb::dict tell(const Info &info)
{
    nb::dict d = get_fields(fields_of<Info>(), &info);
    add_arrays(d, info);
    return d;
}

nb::dict info_of(const TnModel *model, const std::string &kind, int index)
{
    int32_t id = index + 1;
#define ASK(KIND)                                                                                  \
    if (kind == #KIND) return tell(tn_model_##KIND##_info(model, id));
    ASK(body)
    ASK(joint)
    ASK(geom)
    ASK(site)
    ASK(tendon)
    ASK(actuator)
    ASK(equality)
    ASK(sensor)
    ASK(mesh)
    ASK(camera)
    ASK(rod)
    ASK(wheel) ASK(soft)
#undef ASK
        raise(TN_ERROR_USAGE, "no such kind: " + kind);
}

static nb::dict info(const Model &m, const std::string &kind, int index)
{
    return info_of(m.data->model, kind, index);
}

static nb::dict counts(const Model &m)
{
    const TnModelInfo &info = m.data->info;
    nb::dict d;
    for (const Kind &k : kinds) d[k.name] = info.*(k.count);
    d["qpos"] = info.qpos_count;
    d["qvel"] = info.dof_count;
    d["act"] = info.act_count;
    d["sensor_data"] = info.sensor_data_count;
    d["mocap"] = info.mocap_count;
    return d;
}

struct Output {
    const char *name;
    double *TnEval::*field;
    std::vector<size_t> shape;
};

nb::dict evaluate(const TnModel *model, const double *qpos, const double *qvel, const double *ctrl,
                  TnEval input, const std::vector<std::string> &want)
{
    TnModelInfo info = tn_model_info(model);
    auto n = [](int count) { return (size_t)count; };
    size_t dof = n(info.dof_count);
    const Output outputs[] = {
        {"body_poses", &TnEval::body_poses, {n(info.body_count), 7}},
        {"site_poses", &TnEval::site_poses, {n(info.site_count), 7}},
        {"geom_poses", &TnEval::geom_poses, {n(info.geom_count), 7}},
        {"mass_matrix", &TnEval::mass_matrix, {dof, dof}},
        {"bias", &TnEval::bias, {dof}},
        {"passive", &TnEval::passive, {dof}},
        {"inverse", &TnEval::inverse, {dof}},
        {"actuator_force", &TnEval::actuator_force, {n(info.actuator_count)}},
        {"sensors", &TnEval::sensors, {n(info.sensor_data_count)}},
    };
    nb::dict result;
    for (const std::string &name : want) {
        bool known = false;
        for (const Output &o : outputs) {
            if (name != o.name) continue;
            known = true;
            double *numbers;
            result[o.name] = nb::cast(new_array(o.shape, &numbers));
            input.*(o.field) = numbers;
        }
        if (!known) {
            std::string all;
            for (const Output &o : outputs) all += std::string(all.empty() ? "" : ", ") + o.name;
            raise(TN_ERROR_USAGE, "eval: there is no '" + name + "'; there are " + all);
        }
    }
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_model_eval(model, qpos, qvel, ctrl, &input, &err);
    }
    check(status, err);
    return result;
}

static nb::dict eval(const Model &m, nb::object qpos, nb::object qvel, nb::object ctrl,
                     nb::object act, nb::object mocap, nb::object qacc,
                     const std::vector<std::string> &want)
{
    const TnModelInfo &info = m.data->info;
    Doubles keep[6];
    std::vector<double> zeros((size_t)(info.dof_count + info.actuator_count) + 1);
    TnEval input{};
    const double *q = optional_doubles(qpos, {info.qpos_count}, "qpos", keep[0]);
    if (!q) raise(TN_ERROR_USAGE, "eval: qpos must be given");
    const double *v = optional_doubles(qvel, {info.dof_count}, "qvel", keep[1]);
    const double *u = optional_doubles(ctrl, {info.actuator_count}, "ctrl", keep[2]);
    input.act = optional_doubles(act, {info.act_count}, "act", keep[3]);
    input.mocap = optional_doubles(mocap, {info.mocap_count, 7}, "mocap", keep[4]);
    input.qacc = optional_doubles(qacc, {info.dof_count}, "qacc", keep[5]);
    return evaluate(m.data->model, q, v ? v : zeros.data(), u ? u : zeros.data(), input, want);
}

static Array jacobian(const Model &m, nb::object qpos, int body, nb::object point)
{
    Error err;
    Doubles q = doubles(qpos, {m.data->info.qpos_count}, "qpos"), p = doubles(point, {3}, "point");
    double *numbers;
    Array result = new_array({6, (size_t)m.data->info.dof_count}, &numbers);
    check(tn_model_jacobian(m.data->model, q.data(), body + 1, p.data(), numbers, &err), err);
    return result;
}

/* site -1: a point of a body. */
static nb::tuple ik(const Model &m, nb::object start, int site, int body, nb::object point,
                    nb::object pos, nb::object quat, int max_iterations, double tolerance)
{
    Error err;
    Doubles q = doubles(start, {m.data->info.qpos_count}, "qpos"), keep_pos, keep_quat,
            on_body = doubles(point, {3}, "point");
    TnIkTarget target = tn_ik_target();
    const double *p = optional_doubles(pos, {3}, "pos", keep_pos),
                 *r = optional_doubles(quat, {4}, "quat", keep_quat);
    target.site = site + 1;
    target.body = body + 1;
    std::copy(on_body.data(), on_body.data() + 3, target.point);
    target.use_pos = p != nullptr;
    target.use_quat = r != nullptr;
    for (int k = 0; p && k < 3; k++) target.pos[k] = p[k];
    for (int k = 0; r && k < 4; k++) target.quat[k] = r[k];
    TnIkDef def = tn_ik_def();
    def.targets = &target;
    def.target_count = 1;
    def.max_iterations = max_iterations;
    def.tolerance = tolerance;
    double *numbers;
    Array result = new_array({(size_t)m.data->info.qpos_count}, &numbers);
    std::copy(q.data(), q.data() + m.data->info.qpos_count, numbers);
    TnIkResult how{};
    check(tn_model_ik(m.data->model, &def, numbers, &how, &err), err);
    return nb::make_tuple(result, how.converged, how.pos_error, how.quat_error);
}

void bind_model(nb::module_ &m)
{
    nb::class_<Model>(m, "Model")
        .def(
            "__init__",
            [](Model *self, const std::string &path, std::optional<std::string> text,
               nb::dict files, std::optional<std::string> package_path, bool free_base,
               const std::string &reach, double limit_factor) {
                new (self)
                    Model{load(path, text, files, package_path, free_base, reach, limit_factor)};
            },
            nb::arg("path"), nb::arg("text") = nb::none(), nb::arg("files") = nb::dict(),
            nb::arg("package_path") = nb::none(), nb::arg("free_base") = false,
            nb::arg("reach") = "near", nb::arg("limit_factor") = 1.0)
        .def(
            "__init__",
            [](Model *self, Builder &builder) {
                auto data = compile(builder.made);
                builder.shared = true;
                new (self) Model{data};
            },
            nb::arg("builder"))
        .def("_names", names)
        .def("_counts", counts)
        .def("_info", info)
        .def("_write",
             [](const Model &self, const std::string &path) {
                 Error err;
                 if (!tn_builder_write(self.data->builder.get(), path.c_str(), &err)) raise(err);
             })
        .def("_written", written)
        .def("_eval", eval, nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
             nb::arg().none(), nb::arg().none(), nb::arg())
        .def("_jacobian", jacobian)
        .def("_ik", ik, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
             nb::arg().none(), nb::arg(), nb::arg())
        .def_prop_ro(
            "name", [](const Model &self) { return self.data->info.name; }, "As in its file.")
        .def_prop_ro(
            "remarks", [](const Model &self) { return self.data->remarks; },
            "What the reader has to say of approximations, one per line.")
        .def_prop_ro(
            "timestep", [](const Model &self) { return self.data->info.option.timestep; }, "s.")
        .def_prop_ro(
            "gravity", [](const Model &self) { return triple(self.data->info.option.gravity); },
            nb::sig("def gravity(self) -> tuple[float, float, float]"), "m/s².")
        .def_prop_ro(
            "total_mass", [](const Model &self) { return self.data->info.total_mass; },
            "kg, of everything that moves.")
        .def_prop_ro(
            "track_duration", [](const Model &self) { return self.data->info.track_duration; },
            "s, 0: the model has no control track.");
}

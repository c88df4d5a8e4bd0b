/* derivatives.cpp: derivatives of steps. World.derivatives and Batch.derivatives keep one of these
 * per world and set of options. */
#include "solver.h"

#include <algorithm>
#include <thread>

namespace
{
/* The batch is destroyed behind it. */
struct Derivatives {
    std::shared_ptr<BatchData> data;
    int index = 0;
    TnDerivatives *own = nullptr;
    ~Derivatives() { tn_derivatives_destroy(own); }
};

TnDerivativeDef def_of(const nb::dict &options, std::vector<TnParameter> &parameters)
{
    TnDerivativeDef def = tn_derivative_def();
    for (auto [key, value] : options) {
        std::string name = nb::cast<std::string>(key);
        if (name == "differences")
            def.method =
                nb::cast<bool>(value) ? TN_DERIVATIVES_DIFFERENCES : TN_DERIVATIVES_IMPLICIT;
        else if (name == "smoothing")
            def.smoothing = nb::cast<double>(value);
        else if (name == "compliance")
            def.compliance = nb::cast<double>(value);
        else if (name == "step")
            def.step = nb::cast<double>(value);
        else if (name == "sides")
            def.sides = nb::cast<int>(value);
        else if (name == "threads")
            def.thread_count = nb::cast<int>(value);
        else if (name == "state")
            def.state = nb::cast<bool>(value);
        else if (name == "ctrl")
            def.ctrl = nb::cast<bool>(value);
        else
            for (auto p : nb::cast<std::vector<std::tuple<int, int, int>>>(value))
                parameters.push_back(
                    {(TnParameterKind)std::get<0>(p), std::get<1>(p), std::get<2>(p)});
    }
    def.parameters = parameters.data();
    def.parameter_count = (int)parameters.size();
    return def;
}

void create(Derivatives *self, nb::capsule world, const nb::dict &options)
{
    auto &of = *static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(world.data());
    std::vector<TnParameter> parameters;
    TnDerivativeDef def = def_of(options, parameters);
    Error err;
    Use use(*of.first, false);
    TnWorld *w = tn_batch_world(of.first->batch, of.second);
    if (!w) raise(TN_ERROR_USAGE, "worlds on a device have no derivatives");
    TnDerivatives *own = tn_derivatives_create(w, &def, &err);
    if (!own) raise(err);
    new (self) Derivatives;
    self->data = of.first;
    self->index = of.second;
    self->own = own;
}

/* Of several worlds of one batch, on several threads. The first error of any is raised. */
void update(const std::vector<Derivatives *> &all, int threads)
{
    if (all.empty()) return;
    BatchData &data = *all[0]->data;
    Use use(data, false);
    std::vector<Error> errors(all.size());
    for (size_t i = 0; i < all.size(); i++) {
        if (all[i]->data.get() != &data) raise(TN_ERROR_USAGE, "these are of several batches");
        TnStatus status = data.lone ? set_written(data, data.held, &errors[i])
                                    : tn_batch_push(data.batch, all[i]->index, &errors[i]);
        check(status, errors[i]);
    }
    {
        nb::gil_scoped_release release;
        auto work = [&](size_t first, size_t stride) {
            for (size_t i = first; i < all.size(); i += stride)
                tn_world_derivatives(tn_batch_world(data.batch, all[i]->index), all[i]->own,
                                     &errors[i]);
        };
        size_t count = std::min((size_t)std::max(threads, 1), all.size());
        std::vector<std::thread> team;
        for (size_t k = 1; k < count; k++) team.emplace_back(work, k, count);
        work(0, count);
        for (auto &thread : team) thread.join();
    }
    for (auto &err : errors)
        if (err.code != TN_OK) raise(err);
}

nb::dict result(const Derivatives &d)
{
    TnDerivativesView v = tn_derivatives_view(d.own);
    const BatchData &data = *d.data;
    size_t n = (size_t)v.state_count, nu = (size_t)v.ctrl_count, np = (size_t)v.parameter_count;
    nb::dict out;
    out["A"] = copied(v.A, {n, n});
    out["B"] = copied(v.B, {n, nu});
    out["P"] = copied(v.P, {n, np});
    out["qpos"] = copied(v.next_qpos, {(size_t)data.view.qpos_count});
    out["qvel"] = copied(v.next_qvel, {(size_t)data.view.dof_count});
    out["act"] = copied(v.next_act, {(size_t)data.view.act_count});
    out["kinks"] = copied(v.kinks, {n + nu + np});
    out["columns"] = nb::bytes(reinterpret_cast<const char *>(v.columns), n + nu + np);
    out["implicit"] = v.implicit_count;
    out["differences"] = v.difference_count;
    out["none"] = v.none_count;
    out["forces"] = v.forces;
    out["condition"] = v.condition;
    out["why"] = v.why;
    out["closed"] = v.closed_count;
    out["why_not_closed"] = v.why_not_closed;
    nb::list switches;
    for (int i = 0; i < v.switch_count; i++) {
        const TnSwitch &s = v.switches[i];
        switches.append(
            nb::make_tuple((int)s.kind, s.geom1 - 1, s.geom2 - 1, s.joint - 1, s.margin));
    }
    out["switches"] = switches;
    return out;
}
} // namespace

void bind_derivatives(nb::module_ &m)
{
    nb::class_<Derivatives>(m, "_Derivatives").def("__init__", create).def("_result", result);
    m.def("_derive", update);
    nb::list kinds;
    for (int k = 0; k < TN_PARAMETER_KIND_COUNT; k++)
        kinds.append(tn_parameter_kind_name((TnParameterKind)k));
    m.attr("_parameter_kinds") = kinds;
    const auto vectors = [](const Model &model, nb::object one, int n1, nb::object two, int n2,
                            int n, auto function) {
        Doubles a = doubles(one, {n1}, "the first"), b = doubles(two, {n2}, "the second");
        double *out;
        Array array = new_array({(size_t)n}, &out);
        function(model.data->model, a.data(), b.data(), out);
        return array;
    };
    m.def("_difference", [=](const Model &m, nb::object a, nb::object b) {
        const TnModelInfo &i = m.data->info;
        return vectors(m, a, i.qpos_count, b, i.qpos_count, i.dof_count, tn_model_difference);
    });
    m.def("_displace", [=](const Model &m, nb::object a, nb::object b) {
        const TnModelInfo &i = m.data->info;
        return vectors(m, a, i.qpos_count, b, i.dof_count, i.qpos_count, tn_model_displace);
    });
    m.def("_to_tangent", [=](const Model &m, nb::object a, nb::object b) {
        const TnModelInfo &i = m.data->info;
        return vectors(m, a, i.qpos_count, b, i.qpos_count, i.dof_count,
                       tn_model_gradient_to_tangent);
    });
    m.def("_from_tangent", [=](const Model &m, nb::object a, nb::object b) {
        const TnModelInfo &i = m.data->info;
        return vectors(m, a, i.qpos_count, b, i.dof_count, i.qpos_count,
                       tn_model_gradient_from_tangent);
    });
}

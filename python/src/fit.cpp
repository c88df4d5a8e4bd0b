/* fit.cpp: fits of parameters to logs; tenon/_fit.py makes the arrays. */
#include "common.h"


namespace
{
struct Fit {
    std::shared_ptr<ModelData> model;
    TnFit *own = nullptr;
    ~Fit() { tn_fit_destroy(own); }
};

/* Arrays of a run, kept until the definition was copied. */
struct Rows {
    Doubles times, measured, ctrl, qpos, qvel, act, start_sigma;
};

Doubles maybe(const nb::dict &of, const char *name, const std::vector<long> &shape)
{
    Doubles out;
    if (of.contains(name)) out = doubles(of[name], shape, name);
    return out;
}

const double *pointer(const nb::dict &of, const char *name, const Doubles &array)
{
    return of.contains(name) ? array.data() : nullptr;
}

double number(const nb::dict &of, const char *name, double otherwise)
{
    return of.contains(name) ? nb::cast<double>(of[name]) : otherwise;
}

std::vector<TnFitParameter> parameters_of(const nb::list &given)
{
    std::vector<TnFitParameter> out;
    for (nb::handle h : given) {
        nb::dict one = nb::cast<nb::dict>(h);
        auto id = nb::cast<std::tuple<int, int, int>>(one["parameter"]);
        TnFitParameter p = tn_fit_parameter((TnParameterKind)std::get<0>(id), std::get<1>(id),
                                            std::get<2>(id));
        p.scale = (TnFitScale)nb::cast<int>(one["scale"]);
        p.start = number(one, "start", p.start);
        p.low = number(one, "low", p.low);
        p.high = number(one, "high", p.high);
        p.prior = number(one, "prior", p.prior);
        p.prior_sigma = number(one, "prior_sigma", p.prior_sigma);
        out.push_back(p);
    }
    return out;
}

void create(Fit *self, const Model &model, const nb::list &parameters, const nb::list &channels,
            const nb::list &runs, const nb::dict &options)
{
    const TnModelInfo &info = model.data->info;
    long nq = info.qpos_count, nv = info.dof_count, na = info.act_count,
         nu = info.actuator_count;
    std::vector<TnFitParameter> p = parameters_of(parameters);
    std::vector<TnFitChannel> c;
    for (nb::handle h : channels) {
        auto one = nb::cast<std::tuple<int, int, int, double>>(h);
        c.push_back({(TnFitChannelKind)std::get<0>(one), std::get<1>(one), std::get<2>(one),
                     std::get<3>(one)});
    }
    std::vector<Rows> rows(runs.size());
    std::vector<TnFitRun> r;
    for (size_t i = 0; i < runs.size(); i++) {
        nb::dict one = nb::cast<nb::dict>(runs[i]);
        Rows &a = rows[i];
        long count = (long)nb::len(nb::handle(nb::object(one["times"])));
        a.times = doubles(one["times"], {count}, "times");
        a.measured = doubles(one["measured"], {count, (long)c.size()}, "measured");
        a.ctrl = maybe(one, "ctrl", {count, nu});
        a.qpos = maybe(one, "qpos", {nq});
        a.qvel = maybe(one, "qvel", {nv});
        a.act = maybe(one, "act", {na});
        a.start_sigma = maybe(one, "start_sigma", {2 * nv + na});
        r.push_back({(int)count, a.times.data(), pointer(one, "ctrl", a.ctrl),
                     pointer(one, "qpos", a.qpos), pointer(one, "qvel", a.qvel),
                     pointer(one, "act", a.act), pointer(one, "start_sigma", a.start_sigma),
                     a.measured.data()});
    }
    TnFitDef def = tn_fit_def();
    def.parameters = p.data();
    def.parameter_count = (int)p.size();
    def.channels = c.data();
    def.channel_count = (int)c.size();
    def.runs = r.data();
    def.run_count = (int)r.size();
    def.method = (TnFitMethod)nb::cast<int>(options["method"]);
    def.unseen = (TnFitUnseen)nb::cast<int>(options["unseen"]);
    def.known = nb::cast<double>(options["known"]);
    def.stages = nb::cast<int>(options["stages"]);
    def.max_iterations = nb::cast<int>(options["max_iterations"]);
    def.step = nb::cast<double>(options["step"]);
    def.thread_count = nb::cast<int>(options["threads"]);
    Error err;
    TnFit *own = tn_fit_create(model.data->model, &def, &err);
    if (!own) raise(err);
    new (self) Fit;
    self->model = model.data;
    self->own = own;
}

void solve(Fit &fit)
{
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_fit_solve(fit.own, &err);
    }
    check(status, err);
}

nb::dict view(const Fit &fit)
{
    TnFitView v = tn_fit_view(fit.own);
    size_t n = (size_t)v.parameter_count;
    nb::dict out;
    out["end"] = tn_fit_end_name(v.end);
    out["converged"] = v.end == TN_FIT_CONVERGED || v.end == TN_FIT_NO_PROGRESS;
    out["values"] = copied(v.values, {n});
    out["sigma"] = copied(v.sigma, {n});
    out["covariance"] = copied(v.covariance, {n, n});
    out["singular_values"] = copied(v.singular_values, {n});
    out["directions"] = copied(v.directions, {n, n});
    out["rms"] = copied(v.rms, {(size_t)v.channel_count});
    nb::list shown, at_bound, texts;
    for (int k = 0; k < v.parameter_count; k++) {
        char text[1024];
        tn_fit_direction_text(fit.own, k, text, sizeof text);
        shown.append((bool)v.shown[k]);
        at_bound.append((bool)v.at_bound[k]);
        texts.append(text);
    }
    out["shown"] = shown;
    out["at_bound"] = at_bound;
    out["texts"] = texts;
    out["chi2"] = v.chi2;
    out["start_chi2"] = v.start_chi2;
    out["measurements"] = v.measurement_count;
    out["unknowns"] = v.unknown_count;
    out["iterations"] = v.iterations;
    out["rollouts"] = v.rollouts;
    return out;
}

nb::tuple simulated(const Fit &fit, int run, size_t rows, size_t channels)
{
    const TnModelInfo &info = fit.model->info;
    double *curves, *qpos, *qvel, *act;
    Array a = new_array({rows, channels}, &curves),
          q = new_array({(size_t)info.qpos_count}, &qpos),
          v = new_array({(size_t)info.dof_count}, &qvel),
          w = new_array({(size_t)info.act_count}, &act);
    Error err;
    check(tn_fit_simulated(fit.own, run, curves, qpos, qvel, act, &err), err);
    return nb::make_tuple(a, q, v, w);
}

void apply(const Fit &fit, nb::capsule world)
{
    auto &of = *static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(world.data());
    Error err;
    Use use(*of.first, false);
    TnWorld *w = tn_batch_world(of.first->batch, of.second);
    if (!w) raise(TN_ERROR_USAGE, "not to worlds on a device");
    check(tn_fit_apply(fit.own, w, &err), err);
}
} // namespace

void bind_fit(nb::module_ &m)
{
    nb::class_<Fit>(m, "_Fit")
        .def("__init__", create)
        .def("_solve", solve)
        .def("_view", view)
        .def("_simulated", simulated)
        .def("_apply", apply);
    m.def("_parameter_from_text", [](const Model &model, const std::string &text) {
        TnParameter p;
        Error err;
        if (!tn_parameter_from_text(model.data->model, text.c_str(), &p, &err)) raise(err);
        return nb::make_tuple((int)p.kind, p.id, p.index);
    });
    m.def("_parameter_text", [](const Model &model, std::tuple<int, int, int> of) {
        TnParameter p = {(TnParameterKind)std::get<0>(of), std::get<1>(of), std::get<2>(of)};
        char text[512];
        tn_parameter_text(model.data->model, &p, text, sizeof text);
        return std::string(text);
    });
    m.def("_parameter_value", [](const Model &model, std::tuple<int, int, int> of) {
        TnParameter p = {(TnParameterKind)std::get<0>(of), std::get<1>(of), std::get<2>(of)};
        return tn_model_parameter(model.data->model, &p);
    });
}

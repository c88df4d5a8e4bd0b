/* plan.cpp: optimal control over a horizon (tenon/plan.h). */
#include "solver.h"

#include <algorithm>

namespace
{
struct Plan {
    std::shared_ptr<ModelData> model;
    TnPlan *own = nullptr;
    bool threads = false;
    unsigned forks = fork_count();
    std::atomic<bool> busy{false};
    ~Plan()
    {
        /* as for batches: threads do not come along to a fork */
        if (!threads || forks == fork_count()) tn_plan_destroy(own);
    }
};

class Inside
{
    std::atomic<bool> &busy;

  public:
    explicit Inside(Plan &plan) : busy(plan.busy)
    {
        if (plan.threads && plan.forks != fork_count())
            raise(TN_ERROR_USAGE, "a plan with several threads cannot be used after a fork");
        if (busy.exchange(true)) raise(TN_ERROR_USAGE, "the plan is in use by another thread");
    }
    ~Inside() { busy.store(false); }
    Inside(const Inside &) = delete;
};

/* Numbers that a definition points to. */
struct Costs {
    std::vector<TnPlanCost> costs;
    std::vector<Doubles> kept;
    std::vector<std::string> names;
};

void add_cost(Costs &all, const nb::dict &from)
{
    TnPlanCost cost = tn_plan_cost((TnPlanCostKind)nb::cast<int>(from["kind"]));
    cost.joint = nb::cast<int>(from["joint"]);
    cost.actuator = nb::cast<int>(from["actuator"]);
    cost.sensor = nb::cast<int>(from["sensor"]);
    cost.site = nb::cast<int>(from["site"]);
    cost.body = nb::cast<int>(from["body"]);
    cost.to_site = nb::cast<int>(from["to_site"]);
    cost.to_body = nb::cast<int>(from["to_body"]);
    cost.running = nb::cast<double>(from["running"]);
    cost.terminal = nb::cast<double>(from["terminal"]);
    cost.name = all.names.emplace_back(nb::cast<std::string>(from["name"])).c_str();
    Doubles numbers;
    if ((cost.weights = optional_doubles(from["weights"], {-1}, "weights", numbers))) {
        cost.weight_count = (int)numbers.shape(0);
        all.kept.push_back(numbers);
    }
    if ((cost.goal = optional_doubles(from["goal"], {-1}, "goal", numbers))) {
        cost.goal_count = (int)numbers.shape(0);
        all.kept.push_back(numbers);
    }
    all.costs.push_back(cost);
}

TnPlanDef def_of(const nb::dict &o)
{
    TnPlanDef def = tn_plan_def();
    def.horizon = nb::cast<int>(o["horizon"]);
    def.repeat = nb::cast<int>(o["repeat"]);
    def.method = (TnPlanMethod)nb::cast<int>(o["method"]);
    def.iterations = nb::cast<int>(o["iterations"]);
    def.seconds = nb::cast<double>(o["seconds"]);
    def.thread_count = nb::cast<int>(o["threads"]);
    def.smoothing = nb::cast<double>(o["smoothing"]);
    def.compliance = nb::cast<double>(o["compliance"]);
    def.derivative_every = nb::cast<int>(o["derivative_every"]);
    def.seeds = nb::cast<int>(o["seeds"]);
    def.tolerance = nb::cast<double>(o["tolerance"]);
    def.samples = nb::cast<int>(o["samples"]);
    def.nodes = nb::cast<int>(o["nodes"]);
    def.noise = nb::cast<double>(o["noise"]);
    def.temperature = nb::cast<double>(o["temperature"]);
    def.seed = nb::cast<uint64_t>(o["seed"]);
    def.world = world_def(nb::cast<nb::dict>(o["world"]));
    return def;
}

void create(Plan *self, const Model &model, const nb::dict &options, const nb::list &costs)
{
    Costs all;
    all.names.reserve(nb::len(costs)); /* names do not move */
    for (auto cost : costs) add_cost(all, nb::cast<nb::dict>(cost));
    TnPlanDef def = def_of(options);
    def.costs = all.costs.data();
    def.cost_count = (int)all.costs.size();
    Error err;
    TnPlan *own = tn_plan_create(&def, model.data->model, &err);
    if (!own) raise(err);
    new (self) Plan;
    self->model = model.data;
    self->own = own;
    self->threads = def.thread_count > 1;
}

/* The world's state is copied first, so that others may step it meanwhile. */
void solve(Plan &self, nb::capsule world)
{
    Inside inside(self);
    Error err;
    {
        auto &of = *static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(world.data());
        BatchData &data = *of.first;
        Use use(data, false);
        TnWorld *w = tn_batch_world(data.batch, of.second);
        if (!w) raise(TN_ERROR_USAGE, "plans are not for worlds on a device");
        check(data.lone ? set_written(data, data.held, &err)
                        : tn_batch_push(data.batch, of.second, &err),
              err);
        check(tn_plan_start(self.own, w, &err), err);
    }
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_plan_solve(self.own, nullptr, &err);
    }
    check(status, err);
}

nb::dict result(Plan &self)
{
    Inside inside(self);
    TnPlanView v = tn_plan_view(self.own);
    size_t T = (size_t)v.horizon, nu = (size_t)v.ctrl_count;
    nb::dict out;
    out["ctrl"] = copied(v.ctrl, {T, nu});
    out["states"] = copied(v.states, {T + 1, (size_t)v.place_count});
    out["gains"] = copied(v.gains, {T, nu, (size_t)v.state_count});
    out["cost"] = v.cost;
    out["start_cost"] = v.start_cost;
    nb::list names, moved;
    for (int c = 0; c < v.cost_count; c++) {
        names.append(tn_plan_cost_name(self.own, c));
        moved.append((bool)v.moved[c]);
    }
    out["names"] = names;
    out["moved"] = moved;
    out["parts"] = copied(v.costs, {(size_t)v.cost_count});
    out["knot"] = v.knot;
    out["iterations"] = v.iterations;
    out["converged"] = v.converged;
    out["late"] = v.late;
    out["steps"] = v.steps;
    out["derivative_steps"] = v.derivative_steps;
    out["rough"] = v.rough;
    out["at_limit"] = v.at_limit;
    out["without"] = v.without;
    out["seconds"] = v.seconds;
    out["remark"] = std::string(v.remark);
    return out;
}
} // namespace

void bind_plan(nb::module_ &m)
{
    nb::class_<Plan>(m, "_Plan")
        .def("__init__", create)
        .def("_solve", solve)
        .def("_result", result)
        .def("_off",
             [](Plan &self, nb::capsule world, int cost) {
                 Inside inside(self);
                 Error err;
                 auto &of =
                     *static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(world.data());
                 BatchData &data = *of.first;
                 Use use(data, false);
                 TnWorld *w = tn_batch_world(data.batch, of.second);
                 if (!w) raise(TN_ERROR_USAGE, "plans are not for worlds on a device");
                 check(data.lone ? set_written(data, data.held, &err)
                                 : tn_batch_push(data.batch, of.second, &err),
                       err);
                 return tn_plan_off(self.own, w, cost);
             })
        .def("_shift",
             [](Plan &self, int knots) {
                 Inside inside(self);
                 Error err;
                 check(tn_plan_shift(self.own, knots, &err), err);
             })
        .def("_set_goal",
             [](Plan &self, int cost, nb::object goal) {
                 Inside inside(self);
                 Error err;
                 Doubles numbers = doubles(goal, {-1}, "goal");
                 check(
                     tn_plan_set_goal(self.own, cost, numbers.data(), (int)numbers.shape(0), &err),
                     err);
             })
        .def("_set_weight",
             [](Plan &self, int cost, double running, double terminal) {
                 Inside inside(self);
                 Error err;
                 check(tn_plan_set_weight(self.own, cost, running, terminal, &err), err);
             })
        .def("_set_ctrl",
             [](Plan &self, nb::object ctrl) {
                 Inside inside(self);
                 Error err;
                 TnPlanView v = tn_plan_view(self.own);
                 Doubles numbers = doubles(ctrl, {v.horizon, v.ctrl_count}, "ctrl");
                 check(tn_plan_set_ctrl(self.own, numbers.data(), &err), err);
             })
        .def("_policy", [](Plan &self, int knot, nb::object qpos, nb::object qvel, nb::object act) {
            Inside inside(self);
            Error err;
            TnPlanView v = tn_plan_view(self.own);
            Doubles q = doubles(qpos, {v.qpos_count}, "qpos"),
                    qv = doubles(qvel, {v.dof_count}, "qvel"),
                    a = doubles(act, {v.act_count}, "act");
            double *to;
            Array out = new_array({(size_t)v.ctrl_count}, &to);
            check(tn_plan_policy(self.own, knot, q.data(), qv.data(), a.data(), to, &err), err);
            return out;
        });
    nb::list kinds, methods;
    for (int k = 0; k < TN_COST_KIND_COUNT; k++)
        kinds.append(tn_plan_cost_kind_name((TnPlanCostKind)k));
    for (int k = 0; k < TN_PLAN_METHOD_COUNT; k++)
        methods.append(tn_plan_method_name((TnPlanMethod)k));
    m.attr("_plan_cost_kinds") = kinds;
    m.attr("_plan_methods") = methods;
}

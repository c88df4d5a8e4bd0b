/* solver.cpp: the solver alone. Rows come as sparse matrices over all unknowns; here they are cut
 * into the parts that belong to each block. */
#include "solver.h"
#include "fields.h"

#include <tenon/problem_file.h>

#include <algorithm>
#include <cstring>

using Integers = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

TnSolverDef solver_def(const nb::dict &options)
{
    TnSolverDef def = tn_solver_def();
    Maker maker;
    set_fields(maker, fields_of<TnSolverDef>(), &def, options, "solver");
    return def;
}

/* ---- blocks ---- */

/* (form, dim, numbers…) as tenon/_solver.py makes them. */
static void add_block(TnSolver *solver, nb::handle block)
{
    std::string form = nb::cast<std::string>(block[0]);
    TnBlockDef def{};
    TnSparseMatrix sparse{};
    def.dim = nb::cast<int>(block[1]);
    Integers starts, columns;
    Numbers values;
    Doubles full;
    if (form == "sparse") {
        starts = nb::cast<Integers>(block[2]);
        columns = nb::cast<Integers>(block[3]);
        values = nb::cast<Numbers>(block[4]);
        sparse = {starts.data(), columns.data(), values.data()};
        def.A_sparse = &sparse;
    } else {
        full = nb::cast<Doubles>(block[2]);
        if (form == "dense") def.A = full.data();
        if (form == "inverse") def.A_inverse = full.data();
        if (form == "banded") {
            def.A_banded = full.data();
            def.bandwidth = (int)full.shape(0) - 1;
        }
    }
    tn_solver_add_block(solver, &def);
}

/* ---- constraints ---- */

struct Group { /* constraints of one law */
    TnSet set;
    size_t rows; /* of each */
    Integers starts, columns, contact;
    Numbers values, e, mu, k, alpha, lower, upper, lever;
};

static Group group_of(nb::handle g)
{
    int set = word_of(g[0], words_of<TnSet>(), "set");
    auto numbers = [&](int i) { return nb::cast<Numbers>(g[i]); };
    return {(TnSet)set,
            set == TN_SET_FRICTION ? 3u
            : set == TN_SET_ROLL   ? 2u
                                   : 1u,
            nb::cast<Integers>(g[1]),
            nb::cast<Integers>(g[2]),
            nb::cast<Integers>(g[4]),
            numbers(3),
            numbers(5),
            numbers(6),
            numbers(7),
            numbers(8),
            numbers(9),
            numbers(10),
            numbers(11)};
}

/* The part of a constraint's rows that belongs to one block. */
struct Side {
    int block;
    std::vector<int> columns; /* of the block */
    std::vector<double> J;
};

static std::vector<Side> cut(const Group &g, size_t first, const std::vector<int> &starts)
{
    std::vector<Side> sides;
    const int32_t *begin = g.starts.data() + first;
    for (int32_t i = begin[0]; i < begin[g.rows]; i++) {
        int column = g.columns.data()[i];
        int block = (int)(std::upper_bound(starts.begin(), starts.end(), column) - starts.begin());
        auto side = std::find_if(sides.begin(), sides.end(),
                                 [&](const Side &s) { return s.block == block; });
        if (side == sides.end()) side = sides.insert(sides.end(), Side{block, {}, {}});
        side->columns.push_back(column - starts[(size_t)block - 1]);
    }
    std::sort(sides.begin(), sides.end(),
              [](const Side &a, const Side &b) { return a.block < b.block; });
    for (Side &s : sides) {
        std::sort(s.columns.begin(), s.columns.end());
        s.columns.erase(std::unique(s.columns.begin(), s.columns.end()), s.columns.end());
        s.J.resize(g.rows * s.columns.size());
    }
    for (size_t r = 0; r < g.rows; r++)
        for (int32_t i = begin[r]; i < begin[r + 1]; i++) {
            int column = g.columns.data()[i];
            for (Side &s : sides) {
                int begin_of = starts[(size_t)s.block - 1], end_of = starts[(size_t)s.block];
                if (column < begin_of || column >= end_of) continue;
                auto at = std::lower_bound(s.columns.begin(), s.columns.end(), column - begin_of);
                s.J[r * s.columns.size() + (size_t)(at - s.columns.begin())] += g.values.data()[i];
            }
        }
    return sides;
}

static void add_constraint(TnSolver *solver, const Group &g, size_t index,
                           const std::vector<int> &starts, const std::string &what)
{
    std::vector<Side> sides = cut(g, index * g.rows, starts);
    if (sides.size() > TN_MAX_SIDES)
        raise(TN_ERROR_USAGE, what + ": it acts on " + std::to_string(sides.size()) +
                                  " blocks; at most " + std::to_string(TN_MAX_SIDES) +
                                  " are "
                                  "possible, and 2 with friction");
    if (sides.empty()) raise(TN_ERROR_USAGE, what + ": its rows are empty or zero");
    TnConstraintDef def{};
    def.set = g.set;
    for (size_t s = 0; s < sides.size(); s++) {
        def.block[s] = sides[s].block;
        def.J[s] = sides[s].J.data();
        def.column[s] = sides[s].columns.data();
        def.column_count[s] = (int)sides[s].columns.size();
    }
    for (size_t r = 0; r < g.rows; r++) def.e[r] = g.e.data()[index * g.rows + r];
    def.mu = g.mu.data()[index];
    def.k = g.k.data()[index];
    def.alpha = g.alpha.data()[index];
    def.lower = g.lower.data()[index];
    def.upper = g.upper.data()[index];
    def.lever = g.lever.data()[index];
    def.contact = g.contact.data()[index] + 1;
    tn_solver_add_constraint(solver, &def);
}

/* ---- the solver ---- */

SolverData::SolverData(TnSolver *made) : solver(made)
{
    for (int id = 1; id <= tn_solver_block_count(solver); id++)
        dims.push_back(tn_solver_block(solver, id).dim);
}
SolverData::~SolverData() { tn_solver_destroy(solver); }

static std::shared_ptr<SolverData> create(const nb::list &blocks, const nb::list &groups,
                                          const nb::dict &options)
{
    Error err;
    TnSolverDef def = solver_def(options);
    std::unique_ptr<TnSolver, void (*)(TnSolver *)> solver(tn_solver_create(&def, &err),
                                                           tn_solver_destroy);
    if (!solver) raise(err);
    std::vector<int> starts = {0};
    for (nb::handle block : blocks) {
        add_block(solver.get(), block);
        starts.push_back(starts.back() + nb::cast<int>(block[1]));
    }
    size_t number = 0;
    for (nb::handle g : groups) {
        Group group = group_of(g);
        size_t count = (group.starts.shape(0) - 1) / group.rows;
        for (size_t i = 0; i < count; i++)
            add_constraint(solver.get(), group, i, starts,
                           "constraint " + std::to_string(number++));
    }
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_solver_prepare(solver.get(), &err);
    }
    check(status, err);
    return std::make_shared<SolverData>(solver.release());
}

static std::shared_ptr<SolverData> read(const std::string &path, const nb::dict &options)
{
    Error err;
    TnSolverDef def = solver_def(options);
    TnProblemFile *file = tn_problem_read(path.c_str(), &err);
    if (!file) raise(err);
    TnSolver *solver = tn_problem_solver(file, &def, &err);
    if (solver && tn_solver_prepare(solver, &err) != TN_OK) {
        tn_solver_destroy(solver);
        solver = nullptr;
    }
    if (solver) tn_problem_start(file, solver);
    tn_problem_file_destroy(file);
    if (!solver) raise(err);
    return std::make_shared<SolverData>(solver);
}

static nb::dict by_method(const int *counts)
{
    nb::dict d;
    for (int i = 0; i < TN_METHOD_COUNT; i++)
        if (counts[i]) d[tn_method_name((TnMethod)i)] = counts[i];
    return d;
}

static nb::dict solve(const Solver &s, nb::object b)
{
    TnSolver *solver = s.data->solver;
    int unknowns = tn_solver_unknown_count(solver), forces = tn_solver_lambda_count(solver);
    Doubles keep;
    const double *right = optional_doubles(b, {unknowns}, "b", keep);
    double *v, *lambda;
    Array velocities = new_array({(size_t)unknowns}, &v),
          all = new_array({(size_t)forces}, &lambda);
    Alone alone(s.data->busy);
    TnSolveReport report;
    {
        nb::gil_scoped_release release;
        report = tn_solver_solve(solver, right, v, lambda);
    }
    if (report.status == TN_ERROR_USAGE) raise(report.status, "solve: b is not finite");
    if (report.status != TN_OK) raise(report.status, "solve: no memory");
    nb::dict d;
    d["v"] = velocities;
    d["forces"] = all;
    d["converged"] = report.converged;
    d["iterations"] = report.iterations;
    d["error"] = report.error;
    d["residual"] = report.residual;
    d["aac"] = report.aac;
    d["aal"] = report.aal;
    d["island_count"] = report.island_count;
    d["islands_by_method"] = by_method(report.islands_by_method);
    return d;
}

static nb::dict judge(const Solver &s, nb::object v, nb::object lambda, nb::object b,
                      nb::object v_star)
{
    TnSolver *solver = s.data->solver;
    int unknowns = tn_solver_unknown_count(solver), forces = tn_solver_lambda_count(solver);
    Doubles keep[4];
    keep[0] = doubles(v, {unknowns}, "v");
    keep[1] = doubles(lambda, {forces}, "forces");
    const double *right = optional_doubles(b, {unknowns}, "b", keep[2]),
                 *star = optional_doubles(v_star, {unknowns}, "v_star", keep[3]);
    Error err;
    TnJudgement out{};
    Alone alone(s.data->busy);
    check(tn_solver_judge(solver, right, keep[0].data(), keep[1].data(), star, &out, &err), err);
    return get_fields(fields_of<TnJudgement>(), &out);
}

void bind_solver(nb::module_ &m)
{
    nb::class_<Solver>(m, "Solver")
        .def("__init__",
             [](Solver *self, nb::list blocks, nb::list groups, nb::dict options) {
                 new (self) Solver{create(blocks, groups, options)};
             })
        .def("__init__", [](Solver *self, const std::string &path,
                            nb::dict options) { new (self) Solver{read(path, options)}; })
        .def("__init__", [](Solver *self, const Solver &other) { new (self) Solver{other.data}; })
        .def("_solve", solve, nb::arg().none())
        .def("_judge", judge, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none())
        .def(
            "_start",
            [](const Solver &s, nb::object v, nb::object lambda) {
                Doubles keep[2];
                const double *first = optional_doubles(v, {tn_solver_unknown_count(s.data->solver)},
                                                       "v", keep[0]),
                             *second =
                                 optional_doubles(lambda, {tn_solver_lambda_count(s.data->solver)},
                                                  "forces", keep[1]);
                Alone alone(s.data->busy);
                tn_solver_start(s.data->solver, first, second);
            },
            nb::arg().none(), nb::arg().none())
        .def("_set",
             [](const Solver &s, const nb::dict &options) {
                 Error err;
                 TnSolverDef def = solver_def(options);
                 Alone alone(s.data->busy);
                 check(tn_solver_set(s.data->solver, &def, &err), err);
             })
        .def("_write",
             [](const Solver &s, const std::string &path) {
                 Error err;
                 Alone alone(s.data->busy);
                 check(tn_problem_write(s.data->solver, path.c_str(), &err), err);
             })
        .def("_solution",
             [](const Solver &s) {
                 double *v, *lambda;
                 Array first = new_array({(size_t)tn_solver_unknown_count(s.data->solver)}, &v),
                       second =
                           new_array({(size_t)tn_solver_lambda_count(s.data->solver)}, &lambda);
                 tn_solver_solution(s.data->solver, v, lambda);
                 return nb::make_tuple(first, second);
             })
        .def("_dims", [](const Solver &s) { return s.data->dims; })
        .def("_sets", [](const Solver &s) {
            std::vector<std::string> sets;
            for (int id = 1; id <= tn_solver_constraint_count(s.data->solver); id++)
                sets.emplace_back(
                    words_of<TnSet>()[(size_t)tn_solver_constraint(s.data->solver, id).set]);
            return sets;
        });
}

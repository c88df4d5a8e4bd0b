/* solver.h: the solver alone, also that of a world's last step. */
#pragma once

#include "common.h"

struct SolverData {
    TnSolver *solver;
    std::vector<int> dims; /* of the blocks */
    std::atomic<bool> busy{false};
    explicit SolverData(TnSolver *made);
    ~SolverData();
};
struct Solver {
    std::shared_ptr<SolverData> data;
};

/* Nobody else is inside as long as this lives. */
class Alone
{
    std::atomic<bool> &busy;

  public:
    explicit Alone(std::atomic<bool> &flag) : busy(flag)
    {
        if (busy.exchange(true, std::memory_order_acquire))
            raise(TN_ERROR_USAGE, "the solver is in use by another thread");
    }
    ~Alone() { busy.store(false, std::memory_order_release); }
    Alone(const Alone &) = delete;
};

TnSolverDef solver_def(const nb::dict &options);

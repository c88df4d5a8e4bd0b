/* near.c: see near.h. */
#include "near.h"

#include "../base/ranks.h"
#include "../solver/method/parted.h"

static int block_of(const TnWorld *world, int s)
{
    return world->set.link_row[world->model->subsystems[s].link_start] - 1;
}

/* Blocks of listed subsystems. NULL: no memory. */
static int *blocks_of(TnWorld *world, const int *list, int count)
{
    int *blocks = TN_ARENA_NEW(&world->arena, int, count);
    for (int k = 0; blocks && k < count; k++) blocks[k] = block_of(world, list[k]);
    return blocks;
}

bool tn_near_solve(TnStep *step, const TnSolverDef *def, TnSolveResult *result)
{
    TnWorld *world = step->world;
    const TnNear *near = world->near;
    TnProblem *p = &world->set.problem;
    if (tn_ranks_count(near->ranks) == 1) {
        if (!tn_problem_prepare(p, def, world->team)) return false;
        *result = tn_subadmm_solve(p, def, world->team);
        return true;
    }
    bool *own = TN_ARENA_ZERO(&world->arena, bool, p->twist_count);
    TnNeighbours n = {.count = near->count,
                      .ranks = near->rank,
                      .send_start = near->send_start,
                      .send = blocks_of(world, near->send, near->send_start[near->count]),
                      .receive_start = near->receive_start,
                      .receive = blocks_of(world, near->receive, near->receive_start[near->count]),
                      .own = own};
    if (!own || !n.send || !n.receive) return false;
    for (int s = 0; s < step->model->subsystem_count; s++) own[block_of(world, s)] = near->own[s];
    return tn_parted_near(p, near->ranks, &n, def, world->team, result);
}

void tn_near_settle(TnStep *step)
{
    step->after = step->world->energies;
    step->owed = step->world->state.owed;
}

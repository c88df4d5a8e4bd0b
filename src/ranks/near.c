/* near.c: see near.h. */
#include "near.h"

#include <string.h>

#include "../base/ranks.h"
#include "../math/vec3.h"
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

/* Contacts of fewer bodies do not yield, as those of islands that Newton's method may solve. */
#define FEW_BODIES 150

bool tn_near_solve(TnStep *step, const TnSolverDef *asked, TnSolveResult *result,
                   double *rigid_error)
{
    TnWorld *world = step->world;
    const TnNear *near = world->near;
    TnProblem *p = &world->set.problem;
    TnSolverDef def = *asked;
    def.anderson = 0; /* its sums are over everything */
    if (near->bodies <= FEW_BODIES) def.contact_ratio = 0.0;
    if (tn_ranks_count(near->ranks) == 1)
        return tn_parted_near(p, NULL, NULL, &def, world->team, result, rigid_error);
    bool *own = TN_ARENA_ZERO(&world->arena, bool, p->twist_count);
    TnNeighbours n = {.count = near->count,
                      .ranks = near->rank,
                      .send_start = near->send_start,
                      .send = blocks_of(world, near->send, near->send_start[near->count]),
                      .receive_start = near->receive_start,
                      .receive = blocks_of(world, near->receive, near->receive_start[near->count]),
                      .own = own,
                      .together = near->together};
    if (!own || !n.send || !n.receive) return false;
    for (int s = 0; s < step->model->subsystem_count; s++)
        if (step->model->subsystems[s].kind == TN_SUBSYSTEM_RIGID)
            own[block_of(world, s)] = near->own[s];
    return tn_parted_near(p, near->ranks, &n, &def, world->team, result, rigid_error);
}

/* Of a free body: its way, and its share of v⁺. */
enum { WAY_NUMBERS = 7 };

bool tn_near_tell_ways(TnStep *step)
{
    const TnNear *near = step->world->near;
    const TnSubsystem *subs = step->model->subsystems;
    int n = near->count, sent = n ? near->send_start[n] : 0,
        received = n ? near->receive_start[n] : 0;
    TnNearExchange told;
    double *ways =
        TN_ARENA_NEW(&step->world->arena, double, WAY_NUMBERS * step->model->subsystem_count + 1);
    if (!ways || !tn_near_open(step, WAY_NUMBERS, &told)) return false;
    for (int k = 0; k < sent; k++) {
        int s = near->send[k];
        double *way = ways + (long)WAY_NUMBERS * s;
        memcpy(way, step->found.moved[subs[s].link_start], sizeof(double[6]));
        way[6] = step->plan.blend[s];
    }
    tn_near_tell(&told, ways);
    tn_near_close(&told);
    for (int k = 0; k < received; k++) {
        int s = near->receive[k];
        const double *way = ways + (long)WAY_NUMBERS * s;
        memcpy(step->found.moved[subs[s].link_start], way, sizeof(double[6]));
        step->plan.blend[s] = way[6];
    }
    return true;
}

bool tn_near_tell_pressed(TnStep *step)
{
    TnNearExchange told;
    if (!tn_near_open(step, 1, &told)) return false;
    tn_near_tell(&told, step->plan.pressed);
    tn_near_close(&told);
    return true;
}

double tn_near_lever(const TnWorld *world, int link)
{
    double com = v3_norm(world->model->links[link].com);
    return world->groups->round[link] && com == 0.0 ? 0.0 : world->groups->radius[link] + com;
}

double tn_near_speed(const TnWorld *world, int link, const double v[3], const double omega[3])
{
    return v3_norm(v) + v3_norm(omega) * tn_near_lever(world, link);
}

double (*tn_near_ways(TnStep *step))[6]
{
    const TnWorld *world = step->world;
    size_t bytes = sizeof(double[6]) * (size_t)step->model->link_count;
    double(*u)[6] = tn_arena_alloc(&step->world->arena, bytes);
    if (!u) return NULL;
    double t = step->t, fall = t * v3_norm(step->model->option.gravity);
    memcpy(u, step->found.moved, bytes);
    for (int l = 1 + step->model->mocap_count; l < step->model->link_count; l++) {
        const double *v = world->state.qvel + step->model->links[l].dof_start;
        bool moves = world->near->mover && world->near->mover[step->model->link_subsystem[l]];
        double most =
            moves ? tn_near_most_speed(step, l)
                  : tn_near_speed(world, l, v, v + 3) + fall + tn_near_surprise(world->near) / t;
        double speed = tn_near_speed(world, l, u[l], u[l] + 3);
        for (int k = 0; k < 6 && speed > most; k++) u[l][k] *= most / speed;
    }
    return u;
}

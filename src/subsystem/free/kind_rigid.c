/* kind_rigid.c: free bodies over a step (kind.h). */
#include "../kind.h"

#include <string.h>

#include "../../math/vec3.h"
#include "../../world/sleep.h"

static int link_of(const TnModel *model, int s) { return model->subsystems[s].link_start; }

static void start(const TnWorld *world, int s, TnProblem *problem)
{
    int link = link_of(world->model, s);
    double *row = problem->twist[world->set.link_row[link]];
    memcpy(row, world->twists[link], 3 * sizeof(double));
    memcpy(row + 4, world->twists[link] + 3, 3 * sizeof(double));
}

static void solved_twist(const TnWorld *world, int s, double twist[6])
{
    int row = world->set.link_row[link_of(world->model, s)];
    tn_problem_twist(&world->set.problem, row - 1, twist);
}

static void gather(const TnStep *step, int s, double *vhat) { solved_twist(step->world, s, vhat); }

static void velocity(const TnWorld *world, int s, double *qvel)
{
    double twist[6];
    solved_twist(world, s, twist);
    tn_link_write_twist(world, link_of(world->model, s), twist, qvel);
}

static bool is_solved(const TnWorld *world, int s)
{
    return tn_sleep_is_solved(world, world->set.link_row[link_of(world->model, s)] - 1);
}

static void find_way(const TnStep *step, int s, double p, double r)
{
    int link = link_of(step->model, s);
    tn_links_find_way(step, s, p, r);
    for (int k = 0; k < 6 && step->way.has_extra; k++)
        step->found.moved[link][k] += step->way.reach[s] * step->way.extra[link][k] / step->t;
}

static void advance(const TnStep *step, int s)
{
    TnWorld *world = step->world;
    const TnSubsystem *sub = &step->model->subsystems[s];
    const TnRigidSystem *system = &step->systems->rigid[sub->kind_index];
    const double *vhat = step->found.vhat + sub->dof_start;
    int link = sub->link_start;
    double way[6];
    tn_rigid_way(&step->dynamics, system->v, vhat, step->plan.blend[s], step->way.reach[s], way);
    for (int k = 0; k < 6 && step->way.has_extra; k++)
        way[k] += step->way.reach[s] * step->way.extra[link][k];
    v3_scale(way + 3, way + 3, tn_step_left(step, s));
    tn_rigid_advance(&step->dynamics, link, &world->frames[link], system, vhat, way,
                     world->next_qpos, world->next_qvel);
}

const TnKind tn_kind_rigid = {.mass = tn_links_mass,
                              .kinetic = tn_links_kinetic,
                              .gravity = tn_links_gravity,
                              .fall = tn_links_fall,
                              .add_masses = tn_links_add_masses,
                              .speed = tn_links_speed,
                              .start_velocity = tn_links_start_velocity,
                              .start = start,
                              .gather = gather,
                              .velocity = velocity,
                              .is_solved = is_solved,
                              .find_way = find_way,
                              .advance = advance,
                              .change = tn_links_change,
                              .shift = tn_links_shift};

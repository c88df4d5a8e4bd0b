/* tour.c: see tour.h. */
#include "tour.h"

#include <string.h>

bool tn_tour_begin(const TnDynamicsInput *in, TnArena *arena, TnTour *tour)
{
    const TnModel *model = in->model;
    *tour =
        (TnTour){.in = in,
                 .u = TN_ARENA_NEW(arena, double, model->dof_count),
                 .qpos = TN_ARENA_NEW(arena, double, model->qpos_count),
                 .frames = TN_ARENA_NEW(arena, TnLinkFrame, model->link_count),
                 .twists = tn_arena_alloc(arena, sizeof(double[6]) * (size_t)model->link_count)};
    if (!tour->u || !tour->qpos || !tour->frames || !tour->twists) return false;
    tn_kinematics(model, in->qpos, 0, 1, tour->frames);
    memset(tour->twists[0], 0, sizeof tour->twists[0]);
    return true;
}

void tn_tour_choose(TnTour *tour, const TnSubsystem *sub, const double *last)
{
    int first = sub->dof_start;
    tour->sub = sub;
    tn_predict_velocity(sub->dof_count, tour->in->qvel + first, last + first, tour->u + first);
}

void tn_tour_go(TnTour *tour, double h)
{
    const TnModel *model = tour->in->model;
    const TnSubsystem *sub = tour->sub;
    tn_integrate_qpos(model, sub, tour->in->qpos, tour->u, h, tour->qpos);
    tn_kinematics(model, tour->qpos, sub->link_start, sub->link_count, tour->frames);
    tn_kinematics_twists(model, tour->qpos, tour->u, tour->frames, sub->link_start, sub->link_count,
                         tour->twists);
}

/* kind_rod.c: rods over a step (kind.h). Their segments move as free bodies do. */
#include "../kind.h"

#include <string.h>

#include "../../world/sleep.h"

static bool is_anchored(const TnModel *model, int s)
{
    const TnSubsystem *sub = &model->subsystems[s];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        if (model->links[l].held) return true;
    return false;
}

static double elastic(const TnModel *model, int s, const TnSoftElements *elements,
                      const TnInstant *now)
{
    (void)elements;
    return tn_rod_energy(model, &model->subsystems[s], now->frames);
}

static void gather(const TnStep *step, int s, double *vhat)
{
    const TnWorld *world = step->world;
    tn_chains_rod_velocity(step->model, step->systems, step->model->subsystems[s].kind_index,
                           world->set.block_v, vhat);
}

static void velocity(const TnWorld *world, int s, double *qvel)
{
    const TnModel *model = world->model;
    const TnDivision *d = world->division;
    const TnSubsystem *sub = &model->subsystems[s];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        double twist[6];
        const double *x = world->set.block_v[d->link_block[l]] +
                          tn_division_start(d, d->link_block[l], d->link_node[l]);
        if (d->carrier[l] == l) memcpy(twist, x, sizeof twist);
        for (int i = 0; d->carrier[l] != l && i < d->follower_count; i++)
            if (d->followers[i].segment == l)
                tn_follow(6, tn_part_of_link(model, d->followers[i].holder)->dof_count,
                          world->systems.followers[i].T, x, twist);
        tn_link_write_twist(world, l, twist, qvel);
    }
}

static bool is_solved(const TnWorld *world, int s)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        if (!tn_sleep_is_large_solved(world, world->division->link_block[l])) return false;
    return true;
}

static void advance(const TnStep *step, int s)
{
    TnWorld *world = step->world;
    const TnSubsystem *sub = &step->model->subsystems[s];
    tn_rod_advance(&step->dynamics, sub, world->frames, &step->systems->rods[sub->kind_index],
                   step->found.vhat + sub->dof_start, step->way.reach[s], world->next_qpos,
                   world->next_qvel);
}

const TnKind tn_kind_rod = {.is_anchored = is_anchored,
                            .mass = tn_links_mass,
                            .kinetic = tn_links_kinetic,
                            .gravity = tn_links_gravity,
                            .fall = tn_links_fall,
                            .elastic = elastic,
                            .add_masses = tn_links_add_masses,
                            .speed = tn_links_speed,
                            .start_velocity = tn_links_start_velocity,
                            .gather = gather,
                            .velocity = velocity,
                            .is_solved = is_solved,
                            .reassemble = tn_step_reassemble_rod,
                            .find_way = tn_links_find_way,
                            .advance = advance,
                            .change = tn_links_change,
                            .shift = tn_links_shift};

/* missed.c: contacts of soft bodies that nobody foresaw.
 *
 * Contacts are listed for the predicted motion of the nodes. Pushed or let go, a soft body may move quite
 * differently, by a share of the speed of sound, and its surface would run into what was not listed: a ball
 * that is pressed into a dent gets through the wall on the other side. So once v̂ is known, where a node came
 * farther from its prediction than contacts are listed ahead,
 *
 *     t |v⁺ - v⁺ predicted| > slack,
 *
 * surfaces are compared once more for the motion that was found, and those contacts that it closes by more
 * than LET_PASS of the slack and that were not listed join the list. Then the step is solved again. */
#include <string.h>

#include "../math/vec3.h"
#include "step.h"

#define LET_PASS 0.1

static bool is_surprised(const TnStep *step, int index, const double *end_qvel, double slack)
{
    const TnSoft *soft = &step->model->softs[index];
    for (int i = 0; i < soft->surface_node_count; i++) {
        size_t k = (size_t)soft->dof_start + 3 * (size_t)soft->surface_nodes[i];
        double d[3];
        v3_sub(d, end_qvel + k, step->end_qvel + k);
        if (step->t * v3_norm(d) > slack) return true;
    }
    return false;
}

/* v⁺ of the nodes as they were found; all else as predicted. NULL: no memory. */
static double *found_velocities(const TnStep *step)
{
    const TnModel *model = step->model;
    TnWorld *world = step->world;
    double *end = TN_ARENA_NEW(&world->arena, double, model->dof_count);
    if (!end) return NULL;
    memcpy(end, step->end_qvel, sizeof *end * (size_t)model->dof_count);
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        if (world->state.asleep[soft->subsystem]) continue;
        for (int k = 0; k < 3 * soft->node_count; k++) {
            double v = world->state.qvel[soft->dof_start + k];
            end[soft->dof_start + k] = v + (world->set.soft_vhat[s][k] - v) / step->theta;
        }
    }
    return end;
}

static bool is_listed(const TnContactList *list, const TnContactPoint *c)
{
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        if (p->geom1 == c->geom1 && p->geom2 == c->geom2 && p->feature == c->feature) return true;
    }
    return false;
}

static void append(TnContactList *to, const TnContactList *from, int index)
{
    TnContactPoint *p = &to->points[to->count++];
    *p = from->points[index];
    for (int side = 0; side < 2; side++) {
        int32_t *soft = side ? &p->soft2 : &p->soft1;
        if (*soft < 0) continue;
        to->soft_points[to->soft_point_count] = from->soft_points[*soft];
        *soft = to->soft_point_count++;
    }
}

/* What of `found` is not in the world's list and closes goes into it, behind those with the same geom1.
 * False: no memory. */
static bool merge(TnStep *step, const TnContactList *found, const double *end_qvel, double let_pass,
                  bool *any)
{
    TnWorld *world = step->world;
    TnContactList *old = &world->contacts, both = {0};
    bool *missed = TN_ARENA_ZERO(&world->arena, bool, found->count);
    if (!missed) return false;
    *any = false;
    for (int i = 0; i < found->count; i++) {
        const TnContactPoint *c = &found->points[i];
        if (c->soft1 < 0) continue;
        double v = tn_step_separation(step, found, c, end_qvel);
        missed[i] = c->gap + step->t * v < -let_pass && !is_listed(old, c);
        *any |= missed[i];
    }
    if (!*any) return true;
    both.points = TN_ARENA_NEW(&world->arena, TnContactPoint, old->count + found->count);
    both.soft_points =
        TN_ARENA_NEW(&world->arena, TnSoftPoint, old->soft_point_count + found->soft_point_count);
    if (!both.points || !both.soft_points) return false;
    for (int i = 0; i < old->count && old->points[i].soft1 < 0; i++) append(&both, old, i);
    for (int s = 0; s < step->model->soft_count; s++) {
        int geom = step->model->softs[s].geom;
        for (int i = 0; i < old->count; i++)
            if (old->points[i].soft1 >= 0 && old->points[i].geom1 == geom) append(&both, old, i);
        for (int i = 0; i < found->count; i++)
            if (missed[i] && found->points[i].geom1 == geom) {
                append(&both, found, i);
                const TnContactPoint *c = &found->points[i];
                step->softs_hit[s] = true;
                if (c->soft2 >= 0) step->softs_hit[found->soft_points[c->soft2].soft] = true;
            }
    }
    *old = both;
    return true;
}

bool tn_step_list_missed(TnStep *step, bool *again)
{
    TnWorld *world = step->world;
    double slack = tn_step_slack(step);
    bool surprised = false;
    *again = false;
    if (!step->model->soft_count) return true;
    if (!tn_step_gather_softs(step)) return false;
    double *end_qvel = found_velocities(step);
    if (!end_qvel) return false;
    for (int s = 0; s < step->model->soft_count && !surprised; s++)
        surprised = is_surprised(step, s, end_qvel, slack);
    if (!surprised || !tn_all_finite(end_qvel, step->model->dof_count)) return true;
    TnContactList found = {0};
    return tn_collision_detect(world->collider, world->frames, (const double(*)[6])step->end_twists,
                               world->state.qpos, end_qvel, step->t, slack, &world->arena,
                               world->team, &found) &&
           merge(step, &found, end_qvel, LET_PASS * slack, again);
}

/* relinearize.c: a step solved again about what it found.
 *
 * A step is linear about a guess: trees and cables about a predicted middle, equalities about where the
 * prediction leads, contacts about the step's start. Once it is solved, v̂ and with it the
 * displacement t u, u = (1-w) v̂ + w v⁺, are known, and the same equations can be had about them:
 *
 *     trees, rods        M, bias forces and strains in the middle of v̂ (tn_step_reassemble)
 *     equalities, wheels C and J where u leads (constraint/motion.c)
 *     contacts           J with the mean normal and arms n, r of start and end, and for the gap
 *                        d⁺ = d + t J u + curve, so that  curve = d_end - d - t J u_found
 *
 * What has settled so obeys the nonlinear step: equalities and gaps hold at its end. A contact that is found at
 * one end only, or whose geometry jumps, keeps what it has. Rigid bodies' inertia stays that of the start (their
 * angular momentum is balanced exactly at the end anyway); so do soft bodies, spin and rolling friction,
 * and the ports of trees, whose error the curve takes up. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "step.h"

/* Normals that turn further are of another feature. */
#define LEAST_COSINE 0.9
/* rad: equalities that end up farther from where they were linear about are written again. What is left is of second
 * order in this. */
#define SURPRISE 1e-4

typedef struct Course {
    const TnStep *step;
    const double (*twists)[6]; /* per link: u, as the problem's ports have it */
    const TnLinkFrame *end;    /* per link */
} Course;

/* Who sleeps stays where it is. */
static void place_sleepers(TnWorld *world)
{
    const TnModel *model = world->model;
    for (int s = 0; world->state.asleep_count && s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (!world->state.asleep[s]) continue;
        memcpy(world->next_qpos + sub->qpos_start, world->state.qpos + sub->qpos_start,
               sizeof(double) * (size_t)sub->qpos_count);
        memcpy(world->next_frames + sub->link_start, world->frames + sub->link_start,
               sizeof(TnLinkFrame) * (size_t)sub->link_count);
    }
}

/* The mean arm of one side, and the velocity u there. */
static void side_course(const Course *c, int geom, const double start[3], const double end[3],
                        double arm[3], double u[3])
{
    const TnWorld *world = c->step->world;
    int link = world->division->carrier[c->step->model->geom_link[geom]];
    for (int k = 0; k < 3; k++)
        arm[k] = 0.5 * (start[k] - world->frames[link].com[k] + end[k] - c->end[link].com[k]);
    v3_cross(u, c->twists[link] + 3, arm);
    v3_add(u, u, c->twists[link]);
}

static void follow(const Course *c, const TnContactPoint *start, const TnContactPoint *end,
                   TnContactCourse *out)
{
    double u1[3], u2[3], sign = start->geom1 == end->geom1 ? 1.0 : -1.0;
    if (sign * v3_dot(start->normal, end->normal) < LEAST_COSINE) return;
    for (int k = 0; k < 3; k++) out->normal[k] = start->normal[k] + sign * end->normal[k];
    v3_normalize(out->normal);
    side_course(c, start->geom1, start->pos, end->pos, out->arm1, u1);
    side_course(c, start->geom2, start->pos, end->pos, out->arm2, u2);
    v3_sub(u2, u2, u1);
    double t = c->step->t, moved = t * v3_norm(u2);
    out->curve = end->gap - start->gap - t * v3_dot(out->normal, u2);
    out->known = fabs(out->curve) <= moved; /* a curve turns no more than it moves */
}

static bool is_same(const TnContactPoint *a, const TnContactPoint *b)
{
    return a->feature == b->feature && ((a->geom1 == b->geom1 && a->geom2 == b->geom2) ||
                                        (a->geom1 == b->geom2 && a->geom2 == b->geom1));
}

/* Contacts of one first geom follow each other, in both lists in the same order. False: no memory. */
static bool follow_contacts(TnStep *step)
{
    TnWorld *world = step->world;
    const TnContactList *contacts = &world->contacts;
    place_sleepers(world);
    Course course = {
        .step = step, .twists = (const double(*)[6])step->moved, .end = world->next_frames};
    TnContactCourse *courses = TN_ARENA_ZERO(&world->arena, TnContactCourse, contacts->count);
    int *first = TN_ARENA_ZERO(&world->arena, int, step->model->geom_count + 1);
    TnContactList end = {0};
    if (!courses || !first ||
        !tn_collision_detect(world->collider, course.end, (const double(*)[6])step->end_twists,
                             world->next_qpos, step->end_qvel, step->t, tn_step_slack(step),
                             &world->arena, world->team, &end))
        return false;
    for (int i = end.count - 1; i >= 0; i--) first[end.points[i].geom1] = i + 1;
    for (int i = 0; i < contacts->count; i++) {
        const TnContactPoint *c = &contacts->points[i];
        const int geoms[2] = {c->geom1, c->geom2}; /* the pair's order may change */
        if (c->soft1 >= 0 || c->soft2 >= 0) continue;
        for (int side = 0; side < 2 && !courses[i].known; side++)
            for (int k = first[geoms[side]] - 1;
                 k >= 0 && k < end.count && end.points[k].geom1 == geoms[side]; k++)
                if (is_same(c, &end.points[k])) {
                    follow(&course, c, &end.points[k], &courses[i]);
                    break;
                }
    }
    step->courses = courses;
    return true;
}

/* The next pass is linear about what was found. */
static bool take_found(TnStep *step)
{
    double *found = TN_ARENA_NEW(&step->world->arena, double, step->model->dof_count);
    if (!found) return false;
    memcpy(found, step->vhat, sizeof(double) * (size_t)step->model->dof_count);
    step->found = found;
    return true;
}

bool tn_step_relinearize(TnStep *step, bool *go)
{
    *go = tn_step_advance(step);
    if (!*go) { /* the last pass will say so */
        atomic_store_explicit(&step->failed, false, memory_order_relaxed);
        return true;
    }
    return take_found(step) && follow_contacts(step) && tn_step_reassemble(step, false);
}

/* ---- equalities ---- */

/* How far v̂ leads a part from where the step was linear about, in radians or lengths of its lever. */
static double surprise_of(const TnStep *step, int subsystem)
{
    const TnModel *model = step->model;
    const TnState *state = &step->world->state;
    const TnSubsystem *sub = &model->subsystems[subsystem];
    bool tree = sub->kind == TN_SUBSYSTEM_TREE;
    double most = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &model->links[l];
        const double *v = tree ? state->qvel + link->dof_start : step->world->twists[l];
        for (int k = 0; k < link->dof_count; k++) {
            int d = link->dof_start + k;
            double about;
            if (step->found)
                about = step->found[d];
            else
                tn_predict_velocity(1, v + k, state->vhat + d, &about);
            bool turns = tree ? tn_dof_turns(model, d) : k >= 3;
            double part = fabs(step->vhat[d] - about);
            most = fmax(most, turns ? part : part / link->lever);
        }
    }
    return step->t * most;
}

bool tn_step_refine(TnStep *step, bool *go)
{
    *go = false;
    for (int i = 0; i < step->awake_count && !*go; i++) {
        int s = step->awake[i];
        *go = step->world->tied[s] && surprise_of(step, s) > SURPRISE;
    }
    return !*go || (take_found(step) && tn_step_reassemble(step, true));
}

void tn_step_start_from(TnProblem *p, const TnProblem *last)
{
    if (p->contact_count == last->contact_count)
        memcpy(p->lambda, last->lambda, sizeof(double[3]) * (size_t)p->contact_count);
    if (p->row_count == last->row_count)
        for (int r = 0; r < p->row_count; r++) p->rows[r].lambda = last->rows[r].lambda;
    tn_problem_start_at_lambda(p);
    if (p->bond_count == last->bond_count)
        for (int i = 0; i < p->bond_count; i++)
            memcpy(p->bonds[i].lambda, last->bonds[i].lambda, sizeof last->bonds[i].lambda);
    if (p->table_rows == last->table_rows)
        memcpy(p->twist, last->twist, sizeof(double[8]) * (size_t)p->table_rows);
    for (int i = 0; i < p->large_count && p->large_count == last->large_count; i++)
        if (p->large[i].dim == last->large[i].dim)
            memcpy(p->large[i].v, last->large[i].v, sizeof(double) * (size_t)p->large[i].dim);
}

/* courses.c: contacts are followed over the motion that a pass found, from the step's start to its
 * end, so that the next one has them in the middle of their way: J with the mean normal and arms n,
 * r of start and end, and for the gap
 *
 *     d⁺ = d + t J u + curve, so that  curve = d_end - d - t J u_found.
 *
 * A contact that is found at one end only, or whose geometry jumps, keeps what it has. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "step.h"

/* Normals that turn further are of another feature. */
#define LEAST_COSINE 0.7
/* Shares of a body's radius: contacts that wander farther over it have jumped, as from one side of
 * a rim to the other, and their mean arm is nowhere. */
#define LONGEST_JUMP 0.5
/* Of the way that surfaces slide: how far a curved one may fall away from the other. Twice this is
 * the angle that a normal turns by in the step. */
#define FALLS_AWAY 0.25

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

/* The mean of two arms, and the velocity u there. */
static void side_course(const Course *c, int geom, const double start[3], const double end[3],
                        double arm[3], double u[3])
{
    const double *twist = c->twists[c->step->model->geom_link[geom]];
    for (int k = 0; k < 3; k++) arm[k] = 0.5 * (start[k] + end[k]);
    v3_cross(u, twist + 3, arm);
    v3_add(u, u, twist);
}

static bool has_jumped(const Course *c, int geom, const double start[3], const double end[3])
{
    int link = c->step->model->geom_link[geom];
    double jump[3];
    v3_sub(jump, end, start);
    return link > 0 && v3_norm(jump) > LONGEST_JUMP * c->step->world->groups->radius[link];
}

static void follow(const Course *c, const TnContactPoint *start, const TnContactPoint *end,
                   TnContactCourse *out)
{
    bool same = start->geom1 == end->geom1;
    double u1[3], u2[3], sign = same ? 1.0 : -1.0;
    if (sign * v3_dot(start->normal, end->normal) < LEAST_COSINE) return;
    if (has_jumped(c, start->geom1, start->arm1, same ? end->arm1 : end->arm2) ||
        has_jumped(c, start->geom2, start->arm2, same ? end->arm2 : end->arm1))
        return;
    for (int k = 0; k < 3; k++) out->normal[k] = start->normal[k] + sign * end->normal[k];
    v3_normalize(out->normal);
    side_course(c, start->geom1, start->arm1, same ? end->arm1 : end->arm2, out->arm1, u1);
    side_course(c, start->geom2, start->arm2, same ? end->arm2 : end->arm1, out->arm2, u2);
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

/* m: how far contacts may open that still belong together, as points turn about their bodies and
 * slide over what is curved. */
static double farthest_apart(const TnStep *step)
{
    double most = 0.0;
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            double angle = step->t * v3_norm(step->moved[l] + 3);
            double way = FALLS_AWAY * step->t * v3_norm(step->moved[l]);
            most = fmax(most, 0.5 * angle * angle * step->world->groups->radius[l] + way);
        }
    }
    return most;
}

/* Contacts of one first geom follow each other, in both lists in the same order. */
bool tn_step_follow_contacts(TnStep *step)
{
    TnWorld *world = step->world;
    const TnContactList *contacts = &world->contacts;
    place_sleepers(world);
    Course course = {
        .step = step, .twists = (const double(*)[6])step->moved, .end = world->next_frames};
    TnContactCourse *courses = TN_ARENA_ZERO(&world->arena, TnContactCourse, contacts->count);
    int *first = TN_ARENA_ZERO(&world->arena, int, step->model->geom_count + 1);
    TnContactList end = {0};
    /* as they stand then, within the way that they have come */
    TnMotionInput motion = {.frames = course.end,
                            .twists = (const double(*)[6])step->end_twists,
                            .qpos = world->next_qpos,
                            .qvel = step->end_qvel,
                            .slack = tn_step_slack(step) + farthest_apart(step)};
    if (!courses || !first || !tn_step_collide(step, &motion, &end)) return false;
    step->placed = false; /* collision has everybody where they end */
    for (int i = end.count - 1; i >= 0; i--) first[end.points[i].geom1] = i + 1;
    for (int i = 0; i < contacts->count; i++) {
        const TnContactPoint *c = &contacts->points[i];
        const int geoms[2] = {c->geom1, c->geom2}; /* the pair's order may change */
        const int *carrier = world->division->carrier, *link = step->model->geom_link;
        if (c->soft1 >= 0 || c->soft2 >= 0 || carrier[link[c->geom1]] != link[c->geom1] ||
            carrier[link[c->geom2]] != link[c->geom2])
            continue;
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

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
#define LEAST_COSINE 0.7
/* Shares of a body's radius: contacts that wander farther over it have jumped, as from one side of a rim to the other, and
 * their mean arm is nowhere. */
#define LONGEST_JUMP 0.5
/* rad: equalities that end up farther from where they were linear about are written again. What is left is of second
 * order in this. */
#define SURPRISE 1e-4
/* Passes go on as long as this gets smaller by such a factor. */
#define NEARER 0.7
/* Contacts that push are followed if turning takes their point off its straight way by this share of the thinner body's half. */
#define BOW 0.005
/* rad: then, until this is known, */
#define CONTACT_SURPRISE 1e-3
/* and those that move on as they turn, where this share of gravity could not bend their ways so. */
#define BENT 0.5
/* rad: less is not looked at. */
#define LEAST_TURN 0.01
/* At most, soft bodies apart. */
#define PASSES 5
#define SOFT_PASSES 12

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

/* Of the way that surfaces slide: how far a curved one may fall away from the other. Twice this is the angle that a normal
 * turns by in the step. */
#define FALLS_AWAY 0.25

/* m: how far contacts may open that still belong together, as points turn about their bodies and slide over what is
 * curved. */
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
    /* as they stand then, within the way that they have come */
    TnMotionInput motion = {.frames = course.end,
                            .twists = (const double(*)[6])step->end_twists,
                            .qpos = world->next_qpos,
                            .qvel = step->end_qvel,
                            .slack = tn_step_slack(step) + farthest_apart(step)};
    if (!courses || !first || !tn_step_collide(step, &motion, &end)) return false;
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

/* The next pass is linear about what was found. */
static bool take_found(TnStep *step)
{
    double *found = TN_ARENA_NEW(&step->world->arena, double, step->model->dof_count);
    if (!found) return false;
    memcpy(found, step->vhat, sizeof(double) * (size_t)step->model->dof_count);
    step->about = step->found;
    step->found = found;
    return true;
}

/* To where it was found to lead, if that makes sense. */
static bool go_there(TnStep *step)
{
    bool sense = tn_step_advance(step, false);
    if (!sense) atomic_store_explicit(&step->failed, false, memory_order_relaxed);
    return sense; /* where not, the last pass will say so */
}

bool tn_step_relinearize(TnStep *step, bool *go)
{
    *go = go_there(step);
    return !*go || (take_found(step) && follow_contacts(step) && tn_step_reassemble(step, false));
}

/* ---- equalities ---- */

/* What the first pass was linear about, of a dof. */
static double predicted(const TnStep *step, const TnSubsystem *sub, int link, int k)
{
    const TnLink *l = &step->model->links[link];
    bool tree = sub->kind == TN_SUBSYSTEM_TREE;
    const double *v = tree ? step->world->state.qvel + l->dof_start : step->world->twists[link];
    double about;
    tn_predict_velocity(1, v + k, step->world->state.vhat + l->dof_start + k, &about);
    return about;
}

/* How far v̂ leads a part from where the step was linear about, in radians or lengths of its lever. */
static double surprise_of(const TnStep *step, int subsystem)
{
    const TnModel *model = step->model;
    const TnSubsystem *sub = &model->subsystems[subsystem];
    bool tree = sub->kind == TN_SUBSYSTEM_TREE;
    double most = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &model->links[l];
        for (int k = 0; k < link->dof_count; k++) {
            int d = link->dof_start + k;
            double about = step->found ? step->found[d] : predicted(step, sub, l, k);
            bool turns = tree ? tn_dof_turns(model, d) : k >= 3;
            double part = fabs(step->vhat[d] - about);
            most = fmax(most, turns ? part : part / link->lever);
        }
    }
    return step->t * most;
}

/* The longer way of its two points in the step. */
static double way_of(const TnStep *step, const TnContactPoint *c)
{
    double most = 0.0;
    for (int side = 0; side < 2; side++) {
        const double *twist = step->moved[step->model->geom_link[side ? c->geom2 : c->geom1]];
        double v[3];
        v3_cross(v, twist + 3, side ? c->arm2 : c->arm1);
        v3_add(v, v, twist);
        most = fmax(most, step->t * v3_norm(v));
    }
    return most;
}

/* The farthest that some point moves, in m/s; 0: nothing turns so far, or so far on its way. Mostly that saves the look at the
 * contacts. */
static double fastest_to_curve(const TnStep *step)
{
    double angle = 0.0, way = 0.0;
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            double turn = v3_norm(step->moved[l] + 3);
            angle = fmax(angle, turn);
            way = fmax(way, v3_norm(step->moved[l]) + turn * step->world->groups->radius[l]);
        }
    }
    angle *= step->t;
    return angle <= LEAST_TURN && angle * step->t * way <= BENT * tn_step_slack(step) ? 0.0 : way;
}

/* Does it turn far enough for some contact to curve? A sphere's turning about itself curves nothing. */
static bool may_curve(const TnStep *step, int geom, double way)
{
    if (step->model->geoms[geom].type == TN_GEOM_SPHERE) return false;
    double angle = step->t * v3_norm(step->moved[step->model->geom_link[geom]] + 3);
    return angle > LEAST_TURN || angle * step->t * way > BENT * tn_step_slack(step);
}

/* m: half of the thinnest side; infinite of a plane. */
static double half_of(const TnGeom *geom)
{
    const double *h = geom->half_extent;
    return geom->type == TN_GEOM_PLANE ? INFINITY : fmin(h[0], fmin(h[1], h[2]));
}

/* rad: how far a contact's geom turns in the step, but for turns that change nothing: about the normal, and of what is round
 * about its own axis. */
static double turn_of(const TnStep *step, const TnContactPoint *c, int side)
{
    const TnGeom *geom = &step->model->geoms[side ? c->geom2 : c->geom1];
    double w[3], turn[3];
    v3_copy(w, step->moved[geom->link] + 3);
    if (geom->type == TN_GEOM_SPHERE) return 0.0;
    bool round = geom->type == TN_GEOM_CAPSULE || geom->type == TN_GEOM_CYLINDER;
    double from_com[3];
    v3_sub(from_com, geom->link_pos, step->model->links[geom->link].com);
    if (round && v3_norm(from_com) < 1e-6 * geom->bounding_radius) {
        const double *R = step->world->frames[geom->link].rot, *L = geom->link_rot;
        double axis[3];
        for (int k = 0; k < 3; k++)
            axis[k] = R[3 * k] * L[2] + R[3 * k + 1] * L[5] + R[3 * k + 2] * L[8];
        v3_add_scaled(w, axis, -v3_dot(w, axis));
    }
    v3_cross(turn, w, c->normal);
    return step->t * v3_norm(turn);
}

/* Whether a contact's point leaves its straight way as its body turns. */
static bool bows(const TnStep *step, const TnContactPoint *c, int side, double angle)
{
    const TnGeom *geoms = step->model->geoms;
    double thin = fmin(half_of(&geoms[c->geom1]), half_of(&geoms[c->geom2]));
    return 0.5 * angle * angle * v3_norm(side ? c->arm2 : c->arm1) > BOW * thin;
}

/* A contact pushes that turns far within the step, or moves on as it turns. */
static bool contacts_curve(const TnStep *step)
{
    const TnWorld *world = step->world;
    double way = fastest_to_curve(step);
    if (way == 0.0) return false;
    for (int i = 0; i < world->contacts.count; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        const int geoms[2] = {c->geom1, c->geom2};
        if (c->soft1 >= 0) continue;
        for (int k = 0; k < 2; k++) {
            if (!may_curve(step, geoms[k], way)) continue;
            if (!(tn_contact_normal_force(&world->set.problem, i) > 0.0)) break;
            double angle = turn_of(step, c, k);
            if (bows(step, c, k, angle) || angle * way_of(step, c) > BENT * tn_step_slack(step))
                return true;
        }
    }
    return false;
}

/* rad: how far somebody ends from where the step was linear about, most. */
static double most_surprise(const TnStep *step, const bool *among)
{
    double most = 0.0;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        if (!among || among[s]) most = fmax(most, surprise_of(step, s));
    }
    return most;
}

/* The next pass is linear about what the one before the last was about. False: no memory. */
static bool go_back(TnStep *step)
{
    const TnModel *model = step->model;
    double *about = TN_ARENA_NEW(&step->world->arena, double, model->dof_count);
    if (!about) return false;
    const double *from = step->about ? step->about : step->vhat;
    memcpy(about, from, sizeof(double) * (size_t)model->dof_count);
    for (int i = 0; i < step->awake_count && !step->about; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            for (int k = 0; k < model->links[l].dof_count; k++)
                about[model->links[l].dof_start + k] = predicted(step, sub, l, k);
    }
    step->found = about;
    return true;
}

/* Whether loops are written again about what was found. Passes of a loop that cannot be closed, one that is pulled straight,
 * wander, and may end anywhere: they go on as long as each is nearer than the one before, and one that is farther off
 * is taken back. */
static bool loops_go_on(TnStep *step, int pass, bool *back)
{
    double surprise = most_surprise(step, step->world->loops), last = step->surprise;
    step->surprise = surprise;
    *back = false;
    if (step->settled || surprise <= SURPRISE) return false;
    *back = pass > 1 && surprise > last;
    step->settled = pass > 1 && surprise > NEARER * last;
    return *back || (!step->settled && pass < PASSES);
}

/* Soft bodies that end elsewhere than their elements were taken at. */
static bool expect_softs(TnStep *step, bool *any)
{
    const TnModel *model = step->model;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        if (tn_left_out(&step->dynamics, soft->subsystem)) continue;
        if (tn_soft_expect(&step->soft_input, s, step->vhat + soft->dof_start)) *any = true;
    }
    return !*any || tn_step_assemble_softs(step);
}

bool tn_step_refine(TnStep *step, int pass, bool *go)
{
    bool softs = false, loops = false, contacts = false, back = false;
    if (pass < SOFT_PASSES && !expect_softs(step, &softs)) return false;
    if (pass <= PASSES) loops = loops_go_on(step, pass, &back);
    if (pass < PASSES)
        contacts = contacts_curve(step) &&
                   (!step->courses || most_surprise(step, NULL) > CONTACT_SURPRISE) && go_there(step);
    *go = loops || contacts || softs;
    if (!loops && !contacts) return true;
    return (back ? go_back(step) : take_found(step)) && (!contacts || follow_contacts(step)) &&
           tn_step_reassemble(step, true);
}

/* movers.c: see movers.h. Arrays are copied as they are, and then each number in them that counts
 * links, bodies, joints, dofs or geoms is that of the part. */
#include "movers.h"

#include <string.h>

#include "../base/base.h"

/* Hands out parts of one block; with a NULL base it only measures. */
typedef struct Carver {
    char *base;
    size_t used;
} Carver;

static void *carve(Carver *c, size_t bytes)
{
    void *p = c->base ? c->base + c->used : NULL;
    c->used += (bytes + 63) / 64 * 64;
    return p;
}

#define CARVE(carver, type, count) ((type *)carve((carver), sizeof(type) * (size_t)(count)))

/* Of the whole: index in the part, or -1. */
typedef struct Places {
    const TnModel *whole;
    bool touches; /* the part has geoms, and whatever refers to them */
    int *link, *body, *joint, *dof, *qpos, *subsystem, *geom;
    int *memory;
} Places;

enum { ARRAYS = 7 };

static bool open_places(const TnModel *m, Places *x)
{
    size_t counts[ARRAYS] = {(size_t)m->link_count,  (size_t)m->body_count,
                             (size_t)m->joint_count, (size_t)m->dof_count,
                             (size_t)m->qpos_count,  (size_t)m->subsystem_count,
                             (size_t)m->geom_count},
           all = 0;
    int **arrays[ARRAYS] = {&x->link, &x->body,      &x->joint, &x->dof,
                            &x->qpos, &x->subsystem, &x->geom};
    for (int i = 0; i < ARRAYS; i++) all += counts[i] + 1;
    x->whole = m;
    x->memory = tn_malloc(sizeof(int) * all);
    if (!x->memory) return false;
    for (size_t i = 0; i < all; i++) x->memory[i] = -1;
    int *next = x->memory;
    for (int i = 0; i < ARRAYS; i++) {
        *arrays[i] = next;
        next += counts[i] + 1;
    }
    return true;
}

/* Links and subsystems that a part has, in their order: indices in the whole. */
typedef struct Lists {
    int *links, *subsystems;
} Lists;

/* Counts of the part, into `out`; `has` per subsystem. */
static void choose(const Places *x, const bool *has, Lists lists, TnModel *out)
{
    const TnModel *m = x->whole;
    int link = 0, joint = 0, dof = 0, qpos = 0, count = 0, body = 0, kinds[4] = {0};
    for (; link <= m->mocap_count; link++) x->link[lists.links[link] = link] = link;
    for (int s = 0; s < m->subsystem_count; s++) {
        const TnSubsystem *sub = &m->subsystems[s];
        if (!has[s]) continue;
        kinds[sub->kind]++;
        lists.subsystems[count] = s;
        x->subsystem[s] = count++;
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            x->link[lists.links[link] = l] = link;
            link++;
            for (int k = 0; k < m->links[l].joint_count; k++)
                x->joint[m->links[l].joint_start + k] = joint++;
        }
        for (int k = 0; k < sub->dof_count; k++) x->dof[sub->dof_start + k] = dof++;
        for (int k = 0; k < sub->qpos_count; k++) x->qpos[sub->qpos_start + k] = qpos++;
    }
    for (int b = 0; b < m->body_count; b++)
        if (x->link[m->bodies[b].link] >= 0) x->body[b] = body++;
    out->link_count = link;
    out->joint_count = joint;
    out->dof_count = dof;
    out->qpos_count = qpos;
    out->subsystem_count = count;
    out->body_count = body;
    out->rigid_count = kinds[TN_SUBSYSTEM_RIGID];
    out->tree_count = kinds[TN_SUBSYSTEM_TREE];
    out->rod_count = kinds[TN_SUBSYSTEM_ROD];
    out->soft_count = kinds[TN_SUBSYSTEM_SOFT];
    out->sensor_count = out->sensor_data_count = out->camera_count = out->key_count = 0;
    out->lookup = NULL;
}

/* Of a soft body that the part lacks; it is the world's. */
static bool is_absent_surface(const Places *x, int geom)
{
    const TnModel *m = x->whole;
    for (int i = 0; m->geoms[geom].type == TN_GEOM_SOFT && i < m->soft_count; i++)
        if (m->softs[i].geom == geom) return x->subsystem[m->softs[i].subsystem] < 0;
    return false;
}

/* Geoms and what refers to them. */
static void choose_geoms(const Places *x, TnModel *out)
{
    const TnModel *m = x->whole;
    out->geom_count = out->pair_count = out->exclude_count = 0;
    if (!x->touches) {
        out->site_count = out->tie_count = out->hold_count = 0;
        for (int i = 0; i < m->soft_count; i++)
            if (x->subsystem[m->softs[i].subsystem] >= 0)
                x->geom[m->softs[i].geom] = out->geom_count++;
        return;
    }
    for (int g = 0; g < m->geom_count; g++)
        if (x->link[m->geom_link[g]] >= 0 && !is_absent_surface(x, g))
            x->geom[g] = out->geom_count++;
    for (int i = 0; i < m->pair_count; i++)
        out->pair_count += x->geom[m->pairs[i].geom1] >= 0 && x->geom[m->pairs[i].geom2] >= 0;
    for (int i = 0; i < m->exclude_count; i++)
        out->exclude_count +=
            x->body[m->excludes[i].body1] >= 0 && x->body[m->excludes[i].body2] >= 0;
}

static size_t moment_count(const TnModel *m)
{
    size_t count = 0;
    for (int i = 0; i < m->tendon_count; i++) count += (size_t)m->tendons[i].moment_count;
    for (int i = 0; i < m->actuator_count; i++) count += (size_t)m->actuators[i].moment_count;
    for (int i = 0; i < m->path_count; i++) count += (size_t)m->paths[i].moment_count;
    return count;
}

static size_t path_point_count(const TnModel *m)
{
    size_t count = 0;
    for (int i = 0; i < m->path_count; i++) count += (size_t)m->paths[i].point_count;
    return count;
}

static TnModel *lay_out(Carver *c, TnModel *m, const TnModel *whole, TnSoftHold **holds)
{
    TnModel *self = CARVE(c, TnModel, 1);
    m->bodies = CARVE(c, TnBody, m->body_count);
    m->body_masses = CARVE(c, TnBodyMass, m->body_count);
    m->body_names = CARVE(c, const char *, m->body_count);
    m->links = CARVE(c, TnLink, m->link_count);
    m->link_subsystem = CARVE(c, int, m->link_count);
    m->joints = CARVE(c, TnJoint, m->joint_count);
    m->joint_names = CARVE(c, const char *, m->joint_count);
    m->subsystems = CARVE(c, TnSubsystem, m->subsystem_count);
    m->rods = CARVE(c, TnRod, m->rod_count);
    m->rod_names = CARVE(c, const char *, m->rod_count);
    m->softs = CARVE(c, TnSoft, m->soft_count);
    m->soft_names = CARVE(c, const char *, m->soft_count);
    *holds = CARVE(c, TnSoftHold, whole->hold_count);
    m->geoms = CARVE(c, TnGeom, m->geom_count);
    m->geom_link = CARVE(c, int, m->geom_count);
    m->geom_names = CARVE(c, const char *, m->geom_count);
    m->tendons = CARVE(c, TnTendon, m->tendon_count);
    m->actuators = CARVE(c, TnActuator, m->actuator_count);
    m->moments = CARVE(c, TnMoment, moment_count(whole));
    m->equalities = CARVE(c, TnEquality, m->equality_count);
    m->actuator_first = CARVE(c, int, m->subsystem_count);
    m->tendon_first = CARVE(c, int, m->subsystem_count);
    m->qpos0 = CARVE(c, double, m->qpos_count);
    m->dof_joint = CARVE(c, int, m->dof_count);
    m->dof_parent = CARVE(c, int, m->dof_count);
    m->dof_couple = CARVE(c, int, m->dof_count);
    return self;
}

/* What refers to geoms. */
static void lay_out_geoms(Carver *c, TnModel *m, const TnModel *whole)
{
    size_t links = 0;
    for (int i = 0; i < whole->path_count; i++) links += (size_t)whole->paths[i].link_count;
    m->pairs = CARVE(c, TnPair, m->pair_count);
    m->excludes = CARVE(c, TnExclude, m->exclude_count);
    m->wheels = CARVE(c, TnWheel, m->wheel_count);
    m->sites = CARVE(c, TnSite, m->site_count);
    m->paths = CARVE(c, TnPath, m->path_count);
    m->path_points = CARVE(c, TnPathPoint, path_point_count(whole));
    m->path_links = CARVE(c, int, links);
}

static void copy_bodies(const Places *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int b = 0; b < m->body_count; b++) {
        int k = x->body[b];
        if (k < 0) continue;
        out->bodies[k] = m->bodies[b];
        out->bodies[k].link = x->link[m->bodies[b].link];
        out->bodies[k].parent = b ? x->body[m->bodies[b].parent] : -1;
        out->body_masses[k] = m->body_masses[b];
        out->body_names[k] = m->body_names[b];
    }
}

static void copy_links(const Places *x, const int *links, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int k = 0; k < out->link_count; k++) {
        const TnLink *from = &m->links[links[k]];
        TnLink *to = &out->links[k];
        *to = *from;
        to->body = x->body[from->body];
        to->parent = x->link[from->parent];
        to->subsystem = from->subsystem < 0 ? -1 : x->subsystem[from->subsystem];
        to->holder = from->holder ? x->link[from->holder] : 0;
        if (from->joint_count) {
            to->joint_start = x->joint[from->joint_start];
            to->dof_start = x->dof[from->dof_start];
        }
        out->link_subsystem[k] = to->subsystem;
        for (int i = 0; i < from->joint_count; i++) {
            const TnJoint *joint = &m->joints[from->joint_start + i];
            TnJoint *own = &out->joints[to->joint_start + i];
            *own = *joint;
            own->body = x->body[joint->body];
            own->link = k;
            own->qpos_start = x->qpos[joint->qpos_start];
            own->dof_start = x->dof[joint->dof_start];
            out->joint_names[to->joint_start + i] = m->joint_names[from->joint_start + i];
        }
    }
}

static int place_of(const int *places, int index) { return index < 0 ? -1 : places[index]; }

static void copy_subsystems(const Places *x, const int *subsystems, TnModel *out)
{
    const TnModel *m = x->whole;
    int kinds[4] = {0};
    for (int k = 0; k < out->subsystem_count; k++) {
        const TnSubsystem *from = &m->subsystems[subsystems[k]];
        TnSubsystem *to = &out->subsystems[k];
        *to = *from;
        to->link_start = from->link_count ? x->link[from->link_start] : out->link_count;
        to->kind_index = kinds[to->kind]++;
        to->dof_start = x->dof[from->dof_start];
        to->qpos_start = x->qpos[from->qpos_start];
        out->actuator_first[k] = m->actuator_first[subsystems[k]];
        out->tendon_first[k] = m->tendon_first[subsystems[k]];
        memcpy(out->qpos0 + to->qpos_start, m->qpos0 + from->qpos_start,
               sizeof(double) * (size_t)from->qpos_count);
        for (int d = from->dof_start; d < from->dof_start + from->dof_count; d++) {
            out->dof_joint[x->dof[d]] = place_of(x->joint, m->dof_joint[d]);
            out->dof_parent[x->dof[d]] = place_of(x->dof, m->dof_parent[d]);
            out->dof_couple[x->dof[d]] = place_of(x->dof, m->dof_couple[d]);
        }
        if (to->kind != TN_SUBSYSTEM_ROD) continue;
        TnRod *rod = &out->rods[to->kind_index];
        *rod = m->rods[from->kind_index];
        out->rod_names[to->kind_index] = m->rod_names[from->kind_index];
        rod->subsystem = k;
        rod->link_start = to->link_start;
        rod->body_start = x->body[rod->body_start];
        rod->geom_start = x->touches ? x->geom[rod->geom_start] : 0;
    }
}

/* Returns where the next ones go. */
static TnMoment *copy_moments(const Places *x, const TnMoment *from, int count, TnMoment *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].qpos = x->qpos[from[i].qpos];
        to[i].dof = x->dof[from[i].dof];
    }
    return to + count;
}

/* Returns where the next moments go. */
static TnMoment *copy_drives(const Places *x, TnModel *out)
{
    const TnModel *m = x->whole;
    TnMoment *next = out->moments;
    for (int i = 0; i < m->tendon_count; i++) {
        TnTendon *to = &out->tendons[i];
        *to = m->tendons[i];
        to->subsystem = place_of(x->subsystem, to->subsystem);
        to->moments = next;
        next = copy_moments(x, m->tendons[i].moments, to->moment_count, next);
    }
    for (int i = 0; i < m->actuator_count; i++) {
        TnActuator *to = &out->actuators[i];
        *to = m->actuators[i];
        if (to->subsystem >= 0 && x->subsystem[to->subsystem] < 0) {
            *to = (TnActuator){.subsystem = -1,
                               .body = -1,
                               .tendon = -1,
                               .path = -1,
                               .force = -1,
                               .act = -1,
                               .moments = next};
            continue;
        }
        to->subsystem = place_of(x->subsystem, to->subsystem);
        to->body = place_of(x->body, to->body);
        to->moments = next;
        next = copy_moments(x, m->actuators[i].moments, to->moment_count, next);
    }
    return next;
}

/* What it joins is in the part. */
static bool has_sides(const Places *x, const TnEquality *e)
{
    const TnModel *m = x->whole;
    if (e->type == TN_EQUALITY_TENDON) return true;
    if (e->type == TN_EQUALITY_JOINT)
        return x->joint[e->joint1] >= 0 && (e->joint2 < 0 || x->joint[e->joint2] >= 0);
    return x->link[m->bodies[e->body1].link] >= 0 && x->link[m->bodies[e->body2].link] >= 0;
}

static void copy_equalities(const Places *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int i = 0; i < m->equality_count; i++) {
        TnEquality *to = &out->equalities[i];
        *to = m->equalities[i];
        if (!has_sides(x, to)) {
            *to = (TnEquality){.type = TN_EQUALITY_CONNECT,
                               .relquat = {1.0},
                               .joint1 = -1,
                               .joint2 = -1,
                               .tendon1 = -1,
                               .tendon2 = -1};
            continue;
        }
        to->body1 = place_of(x->body, to->body1);
        to->body2 = place_of(x->body, to->body2);
        to->joint1 = place_of(x->joint, to->joint1);
        to->joint2 = place_of(x->joint, to->joint2);
        if (to->segment) to->segment = x->link[to->segment];
        if (to->holder) to->holder = x->link[to->holder];
        if (to->fixed_segment) to->fixed_segment = x->link[to->fixed_segment];
    }
}

/* ---- geoms, and what refers to them ---- */

static void copy_geoms(const Places *x, TnModel *out)
{
    const TnModel *m = x->whole;
    int pairs = 0, excludes = 0;
    for (int g = 0; g < m->geom_count; g++) {
        int k = x->geom[g];
        if (k < 0) continue;
        out->geoms[k] = m->geoms[g];
        out->geoms[k].link = out->geom_link[k] = x->link[m->geom_link[g]];
        out->geoms[k].body = x->body[m->geoms[g].body];
        out->geom_names[k] = m->geom_names[g];
    }
    if (!x->touches) return;
    for (int i = 0; i < m->pair_count; i++) {
        TnPair pair = m->pairs[i];
        pair.geom1 = x->geom[pair.geom1];
        pair.geom2 = x->geom[pair.geom2];
        if (pair.geom1 >= 0 && pair.geom2 >= 0) out->pairs[pairs++] = pair;
    }
    for (int i = 0; i < m->exclude_count; i++) {
        TnExclude e = {x->body[m->excludes[i].body1], x->body[m->excludes[i].body2]};
        if (e.body1 >= 0 && e.body2 >= 0) out->excludes[excludes++] = e;
    }
}

static void copy_softs(const Places *x, TnSoftHold *holds, TnModel *out)
{
    const TnModel *m = x->whole;
    int count = 0;
    for (int i = 0; i < m->soft_count; i++) {
        const TnSoft *from = &m->softs[i];
        if (x->subsystem[from->subsystem] < 0) continue;
        TnSoft *to = &out->softs[count];
        out->soft_names[count++] = m->soft_names[i];
        *to = *from;
        to->holds = holds;
        to->subsystem = x->subsystem[from->subsystem];
        to->geom = place_of(x->geom, from->geom);
        to->qpos_start = x->qpos[from->qpos_start];
        to->dof_start = x->dof[from->dof_start];
        for (int h = 0; h < from->hold_count; h++, holds++) {
            *holds = from->holds[h];
            holds->link = x->link[holds->link];
        }
    }
}

static bool is_geom(const TnPathPoint *point) { return point->type == TN_TENDON_GEOM; }

static void copy_paths(const Places *x, TnMoment *moments, TnModel *out)
{
    const TnModel *m = x->whole;
    TnPathPoint *point = out->path_points;
    int *link = out->path_links;
    for (int i = 0; i < m->site_count; i++) { /* of who is not here nobody asks */
        out->sites[i] = m->sites[i];
        int body = x->body[m->sites[i].body];
        out->sites[i].body = body < 0 ? 0 : body;
    }
    for (int i = 0; i < m->path_count; i++) {
        const TnPath *from = &m->paths[i];
        TnPath *to = &out->paths[i];
        *to = *from;
        to->links = link;
        to->points = point;
        to->moments = moments;
        moments = copy_moments(x, from->moments, from->moment_count, moments);
        for (int k = 0; k < from->link_count; k++) *link++ = x->link[from->links[k]];
        for (int k = 0; k < from->point_count; k++, point++) {
            *point = from->points[k];
            if (is_geom(point)) point->object = x->geom[point->object];
        }
        to->joint = place_of(x->joint, from->joint);
        to->shared = from->shared ? x->link[from->shared] : 0;
    }
}

/* ---- together ---- */

static TnModel *cut(const TnModel *whole, const bool *has, bool touches, Lists lists, int **geoms)
{
    TnModel m = *whole;
    Places x = {.touches = touches};
    if (!open_places(whole, &x)) return NULL;
    choose(&x, has, lists, &m);
    choose_geoms(&x, &m);
    TnSoftHold *holds = NULL;
    Carver measure = {NULL, 0};
    lay_out(&measure, &m, whole, &holds);
    if (touches) lay_out_geoms(&measure, &m, whole);
    Carver carver = {tn_calloc(1, measure.used), 0};
    TnModel *out = NULL;
    if (carver.base) {
        out = lay_out(&carver, &m, whole, &holds);
        if (touches) lay_out_geoms(&carver, &m, whole);
        m.memory = carver.base;
        copy_bodies(&x, &m);
        copy_links(&x, lists.links, &m);
        copy_subsystems(&x, lists.subsystems, &m);
        TnMoment *next = copy_drives(&x, &m);
        copy_equalities(&x, &m);
        copy_geoms(&x, &m);
        copy_softs(&x, holds, &m);
        if (touches) {
            copy_paths(&x, next, &m);
            for (int i = 0; i < m.wheel_count; i++) {
                m.wheels[i] = whole->wheels[i];
                m.wheels[i].body = x.body[m.wheels[i].body];
            }
        }
        *out = m;
    }
    int *list = out && geoms ? tn_malloc(sizeof(int) * (size_t)(m.geom_count + 1)) : NULL;
    for (int g = 0; list && g < whole->geom_count; g++)
        if (x.geom[g] >= 0) list[x.geom[g]] = g;
    if (geoms) *geoms = list;
    tn_free(x.memory);
    return out;
}

TnModel *tn_model_movers(const TnModel *whole, int *links, int *subsystems)
{
    bool *has = tn_calloc((size_t)whole->subsystem_count + 1, sizeof *has);
    if (!has) return NULL;
    for (int s = 0; s < whole->subsystem_count; s++)
        has[s] = whole->subsystems[s].kind != TN_SUBSYSTEM_RIGID;
    TnModel *out = cut(whole, has, false, (Lists){links, subsystems}, NULL);
    tn_free(has);
    return out;
}

TnModel *tn_model_part_with_movers(const TnModel *whole, const int *subsystems, int count,
                                   int **geoms)
{
    bool *has = tn_calloc((size_t)whole->subsystem_count + 1, sizeof *has);
    Lists lists = {tn_malloc(sizeof(int) * (size_t)whole->link_count),
                   tn_malloc(sizeof(int) * (size_t)(whole->subsystem_count + 1))};
    TnModel *out = NULL;
    *geoms = NULL;
    for (int i = 0; has && i < count; i++) has[subsystems[i]] = true;
    if (has && lists.links && lists.subsystems) out = cut(whole, has, true, lists, geoms);
    tn_free(has);
    tn_free(lists.links);
    tn_free(lists.subsystems);
    if (out && *geoms) return out;
    if (out) tn_free(out->memory);
    return NULL;
}

/* movers.c: see movers.h. Arrays are copied as they are, and then each number in them that counts
 * links, bodies, joints or dofs is that of the part. */
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
    int *link, *body, *joint, *dof, *qpos, *subsystem;
    int *memory;
} Places;

static bool open_places(const TnModel *m, Places *x)
{
    size_t counts[6] = {(size_t)m->link_count, (size_t)m->body_count, (size_t)m->joint_count,
                        (size_t)m->dof_count,  (size_t)m->qpos_count, (size_t)m->subsystem_count},
           all = 0;
    int **arrays[6] = {&x->link, &x->body, &x->joint, &x->dof, &x->qpos, &x->subsystem};
    for (int i = 0; i < 6; i++) all += counts[i] + 1;
    x->whole = m;
    x->memory = tn_malloc(sizeof(int) * all);
    if (!x->memory) return false;
    for (size_t i = 0; i < all; i++) x->memory[i] = -1;
    int *next = x->memory;
    for (int i = 0; i < 6; i++) {
        *arrays[i] = next;
        next += counts[i] + 1;
    }
    return true;
}

/* Counts of the part, into `out`. */
static void choose(const Places *x, int *links, int *subsystems, TnModel *out)
{
    const TnModel *m = x->whole;
    int link = 0, joint = 0, dof = 0, qpos = 0, count = 0, body = 0, kinds[4] = {0};
    for (; link <= m->mocap_count; link++) x->link[links[link] = link] = link;
    for (int s = 0; s < m->subsystem_count; s++) {
        const TnSubsystem *sub = &m->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID) continue;
        kinds[sub->kind]++;
        subsystems[count] = s;
        x->subsystem[s] = count++;
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            x->link[links[link] = l] = link;
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
    out->rigid_count = 0;
    out->tree_count = kinds[TN_SUBSYSTEM_TREE];
    out->rod_count = kinds[TN_SUBSYSTEM_ROD];
    out->geom_count = out->soft_count; /* their surfaces */
    out->site_count = out->sensor_count = out->sensor_data_count = 0;
    out->camera_count = out->key_count = out->pair_count = out->exclude_count = 0;
    out->lookup = NULL;
}

static size_t moment_count(const TnModel *m)
{
    size_t count = 0;
    for (int i = 0; i < m->tendon_count; i++) count += (size_t)m->tendons[i].moment_count;
    for (int i = 0; i < m->actuator_count; i++) count += (size_t)m->actuators[i].moment_count;
    return count;
}

static TnModel *lay_out(Carver *c, TnModel *m, const TnModel *whole)
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
    m->softs = CARVE(c, TnSoft, m->soft_count);
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
    for (int k = 0; k < out->subsystem_count; k++) {
        const TnSubsystem *from = &m->subsystems[subsystems[k]];
        TnSubsystem *to = &out->subsystems[k];
        *to = *from;
        to->link_start = from->link_count ? x->link[from->link_start] : out->link_count;
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
        rod->subsystem = k;
        rod->link_start = to->link_start;
        rod->body_start = x->body[rod->body_start];
        rod->geom_start = 0;
    }
}

/* Soft bodies, and their surfaces as all the geoms that there are. */
static void copy_softs(const Places *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int i = 0; i < m->soft_count; i++) {
        TnSoft *to = &out->softs[i];
        *to = m->softs[i];
        to->subsystem = x->subsystem[to->subsystem];
        to->qpos_start = x->qpos[to->qpos_start];
        to->dof_start = x->dof[to->dof_start];
        out->geoms[i] = m->geoms[to->geom];
        out->geom_link[i] = m->geom_link[to->geom];
        out->geom_names[i] = m->geom_names[to->geom];
        to->geom = i;
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

static void copy_drives(const Places *x, TnModel *out)
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
        to->subsystem = place_of(x->subsystem, to->subsystem);
        to->body = place_of(x->body, to->body);
        to->moments = next;
        next = copy_moments(x, m->actuators[i].moments, to->moment_count, next);
    }
}

static void copy_equalities(const Places *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int i = 0; i < m->equality_count; i++) {
        TnEquality *to = &out->equalities[i];
        *to = m->equalities[i];
        to->body1 = place_of(x->body, to->body1);
        to->body2 = place_of(x->body, to->body2);
        to->joint1 = place_of(x->joint, to->joint1);
        to->joint2 = place_of(x->joint, to->joint2);
        if (to->segment) to->segment = x->link[to->segment];
        if (to->holder) to->holder = x->link[to->holder];
        if (to->fixed_segment) to->fixed_segment = x->link[to->fixed_segment];
    }
}

TnModel *tn_model_movers(const TnModel *whole, int *links, int *subsystems)
{
    TnModel m = *whole;
    Places x;
    if (!open_places(whole, &x)) return NULL;
    choose(&x, links, subsystems, &m);
    Carver measure = {NULL, 0};
    lay_out(&measure, &m, whole);
    Carver carver = {tn_calloc(1, measure.used), 0};
    TnModel *out = NULL;
    if (carver.base) {
        out = lay_out(&carver, &m, whole);
        m.memory = carver.base;
        copy_bodies(&x, &m);
        copy_links(&x, links, &m);
        copy_subsystems(&x, subsystems, &m);
        copy_softs(&x, &m);
        copy_drives(&x, &m);
        copy_equalities(&x, &m);
        *out = m;
    }
    tn_free(x.memory);
    return out;
}

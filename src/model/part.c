/* part.c: see part.h. */
#include "part.h"

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

/* Which of the whole's there are. */
typedef struct Choice {
    const TnModel *whole;
    const int *subsystems;
    int count;
    int *link, *body; /* of the whole: index in the part, or -1 */
    int bodies, geoms;
} Choice;

static void choose(Choice *x)
{
    const TnModel *m = x->whole;
    for (int l = 1; l < m->link_count; l++) x->link[l] = -1;
    x->link[0] = 0;
    for (int i = 0; i < x->count; i++) x->link[m->subsystems[x->subsystems[i]].link_start] = i + 1;
    for (int b = 0; b < m->body_count; b++)
        x->body[b] = x->link[m->bodies[b].link] < 0 ? -1 : x->bodies++;
    for (int g = 0; g < m->geom_count; g++) x->geoms += x->link[m->geom_link[g]] >= 0;
}

static void *lay_out(Carver *c, TnModel *m, const Choice *x)
{
    int links = x->count + 1, dofs = 6 * x->count;
    void *self = CARVE(c, TnModel, 1);
    m->bodies = CARVE(c, TnBody, x->bodies);
    m->body_masses = CARVE(c, TnBodyMass, x->bodies);
    m->body_names = CARVE(c, const char *, x->bodies);
    m->links = CARVE(c, TnLink, links);
    m->link_subsystem = CARVE(c, int, links);
    m->joints = CARVE(c, TnJoint, x->count);
    m->joint_names = CARVE(c, const char *, x->count);
    m->geoms = CARVE(c, TnGeom, x->geoms);
    m->geom_link = CARVE(c, int, x->geoms);
    m->geom_names = CARVE(c, const char *, x->geoms);
    m->subsystems = CARVE(c, TnSubsystem, x->count);
    m->qpos0 = CARVE(c, double, 7 * x->count);
    m->dof_joint = CARVE(c, int, dofs);
    m->dof_parent = CARVE(c, int, dofs);
    m->dof_couple = CARVE(c, int, dofs);
    return self;
}

static void copy_bodies(const Choice *x, TnModel *out)
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

static void copy_geoms(const Choice *x, TnModel *out, int *geoms)
{
    const TnModel *m = x->whole;
    int n = 0;
    for (int g = 0; g < m->geom_count; g++) {
        int link = x->link[m->geom_link[g]];
        if (link < 0) continue;
        geoms[n] = g;
        out->geoms[n] = m->geoms[g];
        out->geoms[n].link = out->geom_link[n] = link;
        out->geoms[n].body = x->body[m->geoms[g].body];
        out->geom_names[n++] = m->geom_names[g];
    }
}

static int move_dof(int dof, const TnSubsystem *from, const TnSubsystem *to)
{
    return dof < 0 ? -1 : dof - from->dof_start + to->dof_start;
}

static void copy_links(const Choice *x, TnModel *out)
{
    const TnModel *m = x->whole;
    out->links[0] = m->links[0];
    out->links[0].body = x->body[m->links[0].body];
    out->link_subsystem[0] = -1;
    for (int i = 0; i < x->count; i++) {
        const TnSubsystem *from = &m->subsystems[x->subsystems[i]];
        TnSubsystem *to = &out->subsystems[i];
        TnLink *link = &out->links[i + 1];
        *to = (TnSubsystem){.kind = TN_SUBSYSTEM_RIGID,
                            .link_start = i + 1,
                            .link_count = 1,
                            .dof_start = 6 * i,
                            .dof_count = 6,
                            .qpos_start = 7 * i,
                            .qpos_count = 7,
                            .kind_index = i};
        *link = m->links[from->link_start];
        out->joints[i] = m->joints[link->joint_start];
        out->joint_names[i] = m->joint_names[link->joint_start];
        out->joints[i].body = link->body = x->body[link->body];
        out->joints[i].link = i + 1;
        out->joints[i].qpos_start = 7 * i;
        out->joints[i].dof_start = link->dof_start = 6 * i;
        link->joint_start = link->subsystem = out->link_subsystem[i + 1] = i;
        memcpy(out->qpos0 + 7L * i, m->qpos0 + from->qpos_start, sizeof(double[7]));
        for (int k = 0; k < 6; k++) {
            int dof = from->dof_start + k;
            out->dof_joint[6 * i + k] = i;
            out->dof_parent[6 * i + k] = move_dof(m->dof_parent[dof], from, to);
            out->dof_couple[6 * i + k] = move_dof(m->dof_couple[dof], from, to);
        }
    }
}

static TnModel *copy(const Choice *x, int *geoms)
{
    TnModel m = *x->whole;
    Carver measure = {NULL, 0};
    m.body_count = x->bodies;
    m.link_count = x->count + 1;
    m.geom_count = x->geoms;
    m.joint_count = m.subsystem_count = m.rigid_count = x->count;
    m.qpos_count = 7 * x->count;
    m.dof_count = 6 * x->count;
    m.site_count = m.sensor_count = m.sensor_data_count = m.camera_count = m.key_count = 0;
    m.lookup = NULL;
    lay_out(&measure, &m, x);
    Carver carver = {tn_calloc(1, measure.used), 0};
    if (!carver.base) return NULL;
    TnModel *out = lay_out(&carver, &m, x);
    m.memory = carver.base;
    copy_bodies(x, &m);
    copy_geoms(x, &m, geoms);
    copy_links(x, &m);
    *out = m;
    return out;
}

TnModel *tn_model_part(const TnModel *whole, const int *subsystems, int count, int *geoms)
{
    Choice x = {.whole = whole, .subsystems = subsystems, .count = count};
    x.link = tn_malloc(sizeof *x.link * (size_t)whole->link_count);
    x.body = tn_malloc(sizeof *x.body * (size_t)whole->body_count);
    TnModel *out = NULL;
    if (x.link && x.body) {
        choose(&x);
        out = copy(&x, geoms);
    }
    tn_free(x.link);
    tn_free(x.body);
    return out;
}

/* part.c: see part.h. */
#include "part.h"

#include <stdlib.h>
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

/* ---- who has what ---- */

/* Lists of `count` things by the link of each. */
static bool list_by_link(const TnModel *m, int count, int (*link)(const TnModel *, int),
                         int **start, int **list)
{
    *start = tn_calloc((size_t)m->link_count + 2, sizeof(int));
    *list = tn_malloc(sizeof(int) * (size_t)(count + 1));
    if (!*start || !*list) return false;
    for (int i = 0; i < count; i++) (*start)[link(m, i) + 2]++;
    for (int l = 0; l < m->link_count; l++) (*start)[l + 2] += (*start)[l + 1];
    for (int i = 0; i < count; i++) (*list)[(*start)[link(m, i) + 1]++] = i;
    return true;
}

static int link_of_body(const TnModel *m, int b) { return m->bodies[b].link; }
static int link_of_geom(const TnModel *m, int g) { return m->geom_link[g]; }

bool tn_model_index(const TnModel *m, TnModelIndex *out)
{
    *out = (TnModelIndex){.link = tn_malloc(sizeof(int) * (size_t)m->link_count),
                          .body = tn_malloc(sizeof(int) * (size_t)m->body_count)};
    return out->link && out->body &&
           list_by_link(m, m->body_count, link_of_body, &out->body_start, &out->bodies) &&
           list_by_link(m, m->geom_count, link_of_geom, &out->geom_start, &out->geoms);
}

void tn_model_index_free(TnModelIndex *index)
{
    void *const all[] = {index->body_start, index->bodies, index->geom_start,
                         index->geoms,      index->link,   index->body};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    *index = (TnModelIndex){0};
}

/* ---- the part ---- */

/* Which of the whole's there are, ascending. */
typedef struct Choice {
    const TnModel *whole;
    const TnModelIndex *index;
    const int *subsystems;
    int count;
    int *bodies, body_count;
    int *geoms, geom_count;
} Choice;

static int ascending(const void *x, const void *y)
{
    int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

/* What the chosen links have. NULL: no memory. */
static int *collect(const Choice *x, const int *start, const int *list, int *count)
{
    const TnModel *m = x->whole;
    int n = start[1];
    bool sorted = true;
    for (int i = 0; i < x->count; i++) {
        int link = m->subsystems[x->subsystems[i]].link_start;
        n += start[link + 1] - start[link];
    }
    int *out = tn_malloc(sizeof *out * (size_t)(n + 1));
    if (!out) return NULL;
    *count = 0;
    for (int i = -1; i < x->count; i++) {
        int link = i < 0 ? 0 : m->subsystems[x->subsystems[i]].link_start;
        for (int k = start[link]; k < start[link + 1]; k++) {
            sorted = sorted && (!*count || out[*count - 1] < list[k]);
            out[(*count)++] = list[k];
        }
    }
    if (!sorted) qsort(out, (size_t)n, sizeof *out, ascending);
    return out;
}

/* Where in the part links and bodies are. */
static void number(const Choice *x)
{
    const TnModelIndex *to = x->index;
    to->link[0] = 0;
    for (int i = 0; i < x->count; i++)
        to->link[x->whole->subsystems[x->subsystems[i]].link_start] = i + 1;
    for (int k = 0; k < x->body_count; k++) to->body[x->bodies[k]] = k;
}

static void *lay_out(Carver *c, TnModel *m, const Choice *x)
{
    int links = x->count + 1, dofs = 6 * x->count;
    void *self = CARVE(c, TnModel, 1);
    m->bodies = CARVE(c, TnBody, x->body_count);
    m->body_masses = CARVE(c, TnBodyMass, x->body_count);
    m->body_names = CARVE(c, const char *, x->body_count);
    m->links = CARVE(c, TnLink, links);
    m->link_subsystem = CARVE(c, int, links);
    m->joints = CARVE(c, TnJoint, x->count);
    m->joint_names = CARVE(c, const char *, x->count);
    m->geoms = CARVE(c, TnGeom, x->geom_count);
    m->geom_link = CARVE(c, int, x->geom_count);
    m->geom_names = CARVE(c, const char *, x->geom_count);
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
    for (int k = 0; k < x->body_count; k++) {
        int b = x->bodies[k];
        out->bodies[k] = m->bodies[b];
        out->bodies[k].link = x->index->link[m->bodies[b].link];
        out->bodies[k].parent = b ? x->index->body[m->bodies[b].parent] : -1;
        out->body_masses[k] = m->body_masses[b];
        out->body_names[k] = m->body_names[b];
    }
}

static void copy_geoms(const Choice *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int k = 0; k < x->geom_count; k++) {
        int g = x->geoms[k];
        out->geoms[k] = m->geoms[g];
        out->geoms[k].link = out->geom_link[k] = x->index->link[m->geom_link[g]];
        out->geoms[k].body = x->index->body[m->geoms[g].body];
        out->geom_names[k] = m->geom_names[g];
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
    out->links[0].body = x->index->body[m->links[0].body];
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
        out->joints[i].body = link->body = x->index->body[link->body];
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

static TnModel *copy(const Choice *x)
{
    TnModel m = *x->whole;
    Carver measure = {NULL, 0};
    m.body_count = x->body_count;
    m.link_count = x->count + 1;
    m.geom_count = x->geom_count;
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
    copy_geoms(x, &m);
    copy_links(x, &m);
    *out = m;
    return out;
}

TnModel *tn_model_part(const TnModel *whole, const TnModelIndex *index, const int *subsystems,
                       int count, int **geoms)
{
    Choice x = {.whole = whole, .index = index, .subsystems = subsystems, .count = count};
    x.bodies = collect(&x, index->body_start, index->bodies, &x.body_count);
    x.geoms = collect(&x, index->geom_start, index->geoms, &x.geom_count);
    bool ok = x.bodies && x.geoms;
    if (ok) number(&x);
    TnModel *out = ok ? copy(&x) : NULL;
    tn_free(x.bodies);
    *geoms = x.geoms;
    return out;
}

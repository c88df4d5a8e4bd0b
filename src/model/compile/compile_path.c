/* compile_path.c: paths of tendons and of actuators that are not in the equations of one tree, and
 * the lengths of tendons in the reference pose and where springs are at rest. */
#include "../joint_motion.h"
#include "../path.h"
#include "reference_mass.h"

#include "../../base/base.h"
#include "../../math/vec3.h"

#include <string.h>

/* Unknowns of so many parts can be in one row (TN_MAX_SIDES of tenon/solver.h). */
#define MOST_PARTS 4

/* ---- what moves a path ---- */

static bool same_part(const TnModel *m, int a, int b)
{
    int s = m->links[a].subsystem;
    if (s != m->links[b].subsystem) return false;
    return a == b || m->subsystems[s].kind != TN_SUBSYSTEM_ROD;
}

static void add_link(TnCompile *c, TnPath *path, int link)
{
    if (c->model->links[link].subsystem < 0) { /* the world, or a mocap body */
        path->fixed_end = true;
        return;
    }
    for (int i = 0; i < path->link_count; i++)
        if (path->links[i] == link) return;
    *c->path_links++ = link;
    path->link_count++;
}

static void add_site(TnCompile *c, TnPath *path, int site)
{
    add_link(c, path, c->model->bodies[c->model->sites[site].body].link);
}

/* How many blocks of unknowns its rows have. */
static int part_count(const TnModel *m, const TnPath *path)
{
    int count = 0;
    for (int i = 0; i < path->link_count; i++) {
        bool again = false;
        for (int j = 0; j < i; j++) again |= same_part(m, path->links[i], path->links[j]);
        count += !again;
    }
    return count;
}

static void check_parts_of(TnCompile *c, const TnElement *element, const TnPath *path)
{
    int count = part_count(c->model, path);
    if (count > MOST_PARTS)
        tn_problem(c, element, "it joins %d parts that move by themselves; %d are possible", count,
                   MOST_PARTS);
}

static TnPath *open_path(TnCompile *c, TnPathKind kind)
{
    TnPath *path = &c->model->paths[c->model->path_count++];
    *path = (TnPath){.kind = kind, .links = c->path_links, .site = -1, .ref = -1, .joint = -1};
    return path;
}

int tn_path_subsystem(const TnModel *m, const TnPath *path)
{
    return path->link_count ? m->links[path->links[0]].subsystem : -1;
}

/* ---- tendons ---- */

static void add_point(TnCompile *c, TnPath *path, const TnTendonPoint *from)
{
    TnPathPoint *to = &c->path_points[path->point_count++];
    *to = (TnPathPoint){.type = from->type, .object = -1, .side = -1, .divisor = from->divisor};
    if (from->type == TN_TENDON_SITE) {
        to->object = from->site - 1;
        add_site(c, path, to->object);
    } else if (from->type == TN_TENDON_GEOM) {
        to->object = from->geom - 1;
        to->side = from->side - 1;
        add_link(c, path, c->model->geoms[to->object].link);
    }
}

int tn_compile_tendon_path(TnCompile *c, int index)
{
    const TnTendonDef *def = &c->builder->tendons[index];
    const TnTendon *tendon = &c->model->tendons[index];
    TnPath *path = open_path(c, def->point_count ? TN_PATH_POINTS : TN_PATH_JOINTS);
    path->points = c->path_points;
    for (int i = 0; i < def->point_count; i++) add_point(c, path, &def->points[i]);
    c->path_points += path->point_count;
    path->moments = tendon->moments;
    path->moment_count = tendon->moment_count;
    for (int i = 0; i < def->joint_count; i++)
        add_link(c, path, c->model->joints[c->lookup->joint_index[def->joints[i].joint - 1]].link);
    check_parts_of(c, TN_ELEMENT("tendon", def, index), path);
    return (int)(path - c->model->paths);
}

/* ---- actuators ---- */

/* The last link that both hang on. */
static int shared_link(const TnModel *m, int a, int b)
{
    while (a != b) {
        if (a > b)
            a = m->links[a].parent;
        else
            b = m->links[b].parent;
    }
    return a;
}

int tn_compile_actuator_path(TnCompile *c, int index)
{
    const TnModel *m = c->model;
    const TnActuatorDef *def = &c->builder->actuators[index];
    TnPath *path;
    if (def->joint) {
        path = open_path(c, TN_PATH_ROTATION);
        path->joint = c->lookup->joint_index[def->joint - 1];
        path->in_parent = def->in_parent;
        path->fixed_end = true;
        add_link(c, path, m->joints[path->joint].link);
    } else if (def->crank_site) {
        path = open_path(c, TN_PATH_CRANK);
        path->site = def->crank_site - 1;
        path->ref = def->slider_site - 1;
        path->crank_length = def->crank_length;
    } else {
        path = open_path(c, TN_PATH_SITE);
        path->site = def->site - 1;
        path->ref = def->ref_site - 1;
        path->fixed_end = !def->ref_site;
    }
    memcpy(path->wrench, def->wrench, sizeof path->wrench);
    if (path->site >= 0) add_site(c, path, path->site);
    if (path->ref >= 0) {
        add_site(c, path, path->ref);
        path->shared = shared_link(m, m->bodies[m->sites[path->site].body].link,
                                   m->bodies[m->sites[path->ref].body].link);
        if (m->links[path->shared].subsystem < 0) path->shared = 0;
    }
    check_parts_of(c, TN_ELEMENT("actuator", def, index), path);
    return (int)(path - m->paths);
}

/* ---- lengths ---- */

static void place_links(const TnModel *m, const double *qpos, TnLinkFrame *frames)
{
    memset(&frames[0], 0, sizeof frames[0]);
    quat_identity(frames[0].quat);
    quat_to_m3(frames[0].rot, frames[0].quat);
    for (int l = 1; l < m->link_count; l++) {
        const TnLink *link = &m->links[l];
        TnLinkWalk walk = tn_link_walk_start(link, &frames[link->parent]);
        for (int k = 0; k < link->joint_count; k++) {
            const TnJoint *joint = &m->joints[link->joint_start + k];
            tn_link_walk_joint(&walk, joint, qpos + joint->qpos_start);
        }
        tn_link_frame_from_walk(&frames[l], link, &walk);
    }
}

/* ---- what a force along a path moves ---- */

typedef struct Gradient {
    const TnModel *model;
    const double *qpos;
    const TnLinkFrame *frames;
    TnMoment *moments; /* per dof */
} Gradient;

static void add_pull(void *context, int link, const double point[3], const double linear[3],
                     const double angular[3])
{
    const Gradient *g = context;
    const TnModel *m = g->model;
    for (int l = link; m->links[l].subsystem >= 0; l = m->links[l].parent) {
        const TnLink *at = &m->links[l];
        double S[6][6]; /* a link has six dofs at most; at the point */
        tn_link_axes(m, at, &g->frames[at->parent], &g->frames[l], g->qpos, 0, point, S);
        for (int d = 0; d < at->dof_count; d++)
            g->moments[at->dof_start + d].coef += v3_dot(linear, S[d]) + v3_dot(angular, S[d] + 3);
    }
}

static void add_moment(void *context, int dof, double coef)
{
    const Gradient *g = context;
    g->moments[dof].coef += coef;
}

double tn_path_slope(const TnModel *m, const TnPath *path, const double *qpos, TnLinkFrame *frames,
                     TnMoment *moments)
{
    Gradient g = {m, qpos, frames, moments};
    place_links(m, qpos, frames);
    for (int d = 0; d < m->dof_count; d++) moments[d] = (TnMoment){.dof = d};
    return tn_path_walk(m, path, qpos, frames, &(TnPathVisitor){add_pull, add_moment, &g});
}

static bool is_first_of_part(const TnModel *m, const TnPath *path, int index)
{
    for (int i = 0; i < index; i++)
        if (m->links[path->links[i]].subsystem == m->links[path->links[index]].subsystem)
            return false;
    return true;
}

static bool sum_parts(TnCompile *c, TnReferenceMass *reference, const TnPath *path,
                      const TnMoment *moments, double *mass, double *acceleration)
{
    const TnModel *m = c->model;
    double compliance = 0.0, squares = 0.0;
    for (int i = 0; i < path->link_count; i++) {
        int s = m->links[path->links[i]].subsystem;
        const TnSubsystem *sub = &m->subsystems[s];
        double part_mass, part;
        if (!is_first_of_part(m, path, i)) continue;
        if (!tn_reference_mass_along(c, reference, s, moments + sub->dof_start, sub->dof_count,
                                     &part_mass) ||
            !tn_reference_acceleration(c, reference, s, moments + sub->dof_start, sub->dof_count,
                                       &part))
            return false;
        compliance += 1.0 / part_mass;
        squares += part * part;
    }
    *mass = 1.0 / compliance;
    *acceleration = sqrt(squares);
    return true;
}

bool tn_path_reference(TnCompile *c, TnReferenceMass *reference, const TnPath *path, double *mass,
                       double *acceleration)
{
    const TnModel *m = c->model;
    TnLinkFrame *frames = tn_calloc((size_t)m->link_count, sizeof *frames);
    TnMoment *moments = tn_calloc((size_t)m->dof_count + 1, sizeof *moments);
    bool ok = frames && moments;
    if (ok) {
        tn_path_slope(m, path, m->qpos0, frames, moments);
        ok = sum_parts(c, reference, path, moments, mass, acceleration);
    }
    tn_free(frames);
    tn_free(moments);
    return ok;
}

/* Rest lengths are those where hinges and slides are at their spring_ref, as in MuJoCo. */
void tn_compile_lengths(TnCompile *c)
{
    const TnModel *m = c->model;
    if (!m->tendon_count || c->problem_count) return;
    TnLinkFrame *frames = tn_calloc((size_t)m->link_count, sizeof *frames);
    double *qpos = tn_calloc((size_t)m->qpos_count + 1, sizeof *qpos);
    if (!frames || !qpos) {
        tn_error_add(c->err, TN_ERROR_MEMORY, "no memory for the model");
        c->problem_count++;
    }
    for (int rest = 0; frames && qpos && rest < 2; rest++) {
        memcpy(qpos, m->qpos0, sizeof *qpos * (size_t)m->qpos_count);
        for (int j = 0; rest && j < m->joint_count; j++)
            if (m->joints[j].type == TN_JOINT_HINGE || m->joints[j].type == TN_JOINT_SLIDE)
                qpos[m->joints[j].qpos_start] = m->joints[j].spring_ref;
        place_links(m, qpos, frames);
        for (int i = 0; i < m->tendon_count; i++) {
            TnTendon *tendon = &m->tendons[i];
            double length = tn_path_walk(m, &m->paths[tendon->path], qpos, frames, NULL);
            if (!rest)
                tendon->reference_length = length;
            else if (!c->builder->tendons[i].has_spring_length && !tendon->direct)
                tendon->spring_length = length;
        }
    }
    tn_free(frames);
    tn_free(qpos);
}

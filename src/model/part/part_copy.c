/* part_copy.c: the arrays of a model that is cut out of another one; see part_cut.h. */
#include "part_places.h"

#include <string.h>

#include "part.h"

static void copy_bodies(const TnPlaces *x, TnModel *out)
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

static void copy_links(const TnPlaces *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int k = 0; k < out->link_count; k++) {
        if (x->of->links[k] < 0) continue;
        const TnLink *from = &m->links[x->of->links[k]];
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

static void copy_subsystems(const TnPlaces *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int s = 0; s < m->subsystem_count; s++) {
        int k = x->subsystem[s];
        if (k < 0) continue;
        const TnSubsystem *from = &m->subsystems[s];
        TnSubsystem *to = &out->subsystems[k];
        *to = *from;
        to->link_start = from->link_count ? x->link[from->link_start] : out->link_count;
        to->dof_start = x->dof[from->dof_start];
        to->qpos_start = x->qpos[from->qpos_start];
        out->actuator_first[k] = m->actuator_first[s];
        out->tendon_first[k] = m->tendon_first[s];
        memcpy(out->qpos0 + to->qpos_start, m->qpos0 + from->qpos_start,
               sizeof(double) * (size_t)from->qpos_count);
        for (int d = from->dof_start; d < from->dof_start + from->dof_count; d++) {
            out->dof_joint[x->dof[d]] = place_of(x->joint, m->dof_joint[d]);
            out->dof_parent[x->dof[d]] = place_of(x->dof, m->dof_parent[d]);
            out->dof_couple[x->dof[d]] = place_of(x->dof, m->dof_couple[d]);
        }
    }
}

/* Among those of one kind. */
static void number_kinds(TnModel *out)
{
    int kinds[4] = {0};
    for (int k = 0; k < out->subsystem_count; k++)
        out->subsystems[k].kind_index = kinds[out->subsystems[k].kind]++;
}

static void copy_rods(const TnPlaces *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int i = 0; i < m->rod_count; i++) {
        int k = x->subsystem[m->rods[i].subsystem];
        if (k < 0) continue;
        const TnSubsystem *to = &out->subsystems[k];
        TnRod *rod = &out->rods[to->kind_index];
        *rod = m->rods[i];
        out->rod_names[to->kind_index] = m->rod_names[i];
        rod->subsystem = k;
        rod->link_start = to->link_start;
        rod->body_start = x->body[rod->body_start];
        rod->geom_start = x->cut->touches ? x->geom[rod->geom_start] : 0;
    }
}

/* Returns where the next ones go. */
static TnMoment *copy_moments(const TnPlaces *x, const TnMoment *from, int count, TnMoment *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].qpos = x->qpos[from[i].qpos];
        to[i].dof = x->dof[from[i].dof];
    }
    return to + count;
}

/* Returns where the next moments go. */
static TnMoment *copy_drives(const TnPlaces *x, TnModel *out)
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
static bool has_sides(const TnPlaces *x, const TnEquality *e)
{
    const TnModel *m = x->whole;
    if (e->type == TN_EQUALITY_TENDON) return true;
    if (e->type == TN_EQUALITY_JOINT)
        return x->joint[e->joint1] >= 0 && (e->joint2 < 0 || x->joint[e->joint2] >= 0);
    return x->link[m->bodies[e->body1].link] >= 0 && x->link[m->bodies[e->body2].link] >= 0;
}

static void copy_equalities(const TnPlaces *x, TnModel *out)
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

static void copy_geoms(const TnPlaces *x, TnModel *out)
{
    const TnModel *m = x->whole;
    for (int g = 0; g < m->geom_count; g++) {
        int k = x->geom[g];
        if (k < 0) continue;
        out->geoms[k] = m->geoms[g];
        out->geoms[k].link = out->geom_link[k] = x->link[m->geom_link[g]];
        out->geoms[k].body = x->body[m->geoms[g].body];
        out->geom_names[k] = m->geom_names[g];
    }
}

/* Of which the part has both. */
static void copy_pairs(const TnPlaces *x, TnModel *out)
{
    const TnCut *cut = x->cut;
    for (int i = 0; i < cut->pair_count; i++) {
        TnPair pair = cut->pairs[i];
        pair.geom1 = tn_part_find(x->of->geoms, out->geom_count, pair.geom1);
        pair.geom2 = tn_part_find(x->of->geoms, out->geom_count, pair.geom2);
        if (pair.geom1 >= 0 && pair.geom2 >= 0) out->pairs[out->pair_count++] = pair;
    }
    for (int i = 0; i < cut->exclude_count; i++) {
        TnExclude e = {tn_part_find(x->of->bodies, out->body_count, cut->excludes[i].body1),
                       tn_part_find(x->of->bodies, out->body_count, cut->excludes[i].body2)};
        if (e.body1 >= 0 && e.body2 >= 0) out->excludes[out->exclude_count++] = e;
    }
}

static void copy_softs(const TnPlaces *x, TnSoftHold *holds, TnModel *out)
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

static void copy_paths(const TnPlaces *x, TnMoment *moments, TnModel *out)
{
    const TnModel *m = x->whole;
    TnPathPoint *point = out->path_points;
    int *link = out->path_links;
    for (int i = 0; i < m->site_count; i++) { /* those of bodies that are not here are not needed */
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

/* ---- free bodies that join ---- */

static void add_link(const TnPlaces *x, const TnFreeBody *f, TnModel *out)
{
    TnLink *link = &out->links[f->link_place];
    TnJoint *joint = &out->joints[f->joint_place];
    *link = *f->link;
    *joint = *f->joint;
    joint->body = link->body = tn_part_find(x->of->bodies, out->body_count, f->root);
    joint->link = f->link_place;
    joint->qpos_start = f->qpos;
    joint->dof_start = link->dof_start = f->dof;
    link->joint_start = f->joint_place;
    link->subsystem = out->link_subsystem[f->link_place] = f->place;
    link->drag_start = link->drag_count = 0;
    out->joint_names[f->joint_place] = "";
    memcpy(out->qpos0 + f->qpos, f->qpos0, sizeof(double[7]));
    for (int k = 0; k < 6; k++) {
        out->dof_joint[f->dof + k] = f->joint_place;
        out->dof_parent[f->dof + k] = out->dof_couple[f->dof + k] = k ? f->dof + k - 1 : -1;
    }
    out->actuator_first[f->place] = out->tendon_first[f->place] = -1;
    out->subsystems[f->place] = (TnSubsystem){.kind = TN_SUBSYSTEM_RIGID,
                                              .link_start = f->link_place,
                                              .link_count = 1,
                                              .dof_start = f->dof,
                                              .dof_count = 6,
                                              .qpos_start = f->qpos,
                                              .qpos_count = 7};
}

static void add_free(const TnPlaces *x, TnModel *out)
{
    const TnFreeList *more = x->cut->more;
    if (!more) return;
    for (int i = 0; i < more->count; i++) add_link(x, &more->free[i], out);
    for (int i = 0; i < more->body_count; i++) {
        const TnFreeItem *b = &more->bodies[i];
        out->bodies[b->place] = *b->body;
        out->bodies[b->place].link = more->free[b->free].link_place;
        out->bodies[b->place].parent = tn_part_find(x->of->bodies, out->body_count, b->parent);
        out->body_masses[b->place] = *b->mass;
        out->body_names[b->place] = "";
    }
    for (int i = 0; i < more->geom_count; i++) {
        const TnFreeItem *g = &more->geoms[i];
        TnGeom *geom = &out->geoms[g->place];
        *geom = *g->geom;
        geom->link = out->geom_link[g->place] = more->free[g->free].link_place;
        geom->body = tn_part_find(x->of->bodies, out->body_count, g->parent);
        out->geom_names[g->place] = "";
    }
}

void tn_cut_copy(const TnPlaces *x, TnSoftHold *holds, TnModel *m)
{
    copy_bodies(x, m);
    copy_links(x, m);
    copy_subsystems(x, m);
    add_free(x, m);
    number_kinds(m);
    copy_rods(x, m);
    TnMoment *next = copy_drives(x, m);
    copy_equalities(x, m);
    copy_geoms(x, m);
    copy_softs(x, holds, m);
    if (!x->cut->touches) return;
    copy_pairs(x, m);
    copy_paths(x, next, m);
    for (int i = 0; i < m->wheel_count; i++) {
        m->wheels[i] = x->whole->wheels[i];
        m->wheels[i].body = x->body[m->wheels[i].body];
    }
}

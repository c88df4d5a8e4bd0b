/* part_cut.c: see part_cut.h. Arrays are copied as they are, and then each number in them that
 * counts links, bodies, joints, dofs or geoms is that of the part. */
#include "part_places.h"

#include <string.h>

#include "../../base/base.h"
#include "../../base/carve.h"

enum { ARRAYS = 7 };

static bool open_places(const TnModel *m, TnPlaces *x)
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

static int number_of(const int *numbers, int index) { return numbers ? numbers[index] : index; }

static int count_free(const TnPlaces *x) { return x->cut->more ? x->cut->more->count : 0; }

/* Room for numbers of all that there may be. */
static bool reserve_numbers(const TnPlaces *x)
{
    const TnModel *m = x->whole;
    const TnFreeList *more = x->cut->more;
    int free = count_free(x);
    TnCutNumbers *of = x->of;
    of->links = tn_malloc(sizeof(int) * (size_t)(m->link_count + free));
    of->subsystems = tn_malloc(sizeof(int) * (size_t)(m->subsystem_count + free + 1));
    of->bodies = tn_malloc(sizeof(int) * (size_t)(m->body_count + (more ? more->body_count : 0)));
    of->geoms =
        tn_malloc(sizeof(int) * (size_t)(m->geom_count + (more ? more->geom_count : 0) + 1));
    return of->links && of->subsystems && of->bodies && of->geoms;
}

/* Counts of the part so far. */
typedef struct Counts {
    int link, joint, dof, qpos, subsystem, kinds[4];
} Counts;

static void place_free(const TnPlaces *x, TnFreeBody *f, Counts *n)
{
    n->kinds[TN_SUBSYSTEM_RIGID]++;
    x->of->subsystems[n->subsystem] = f->number;
    x->of->links[n->link] = -1;
    f->place = n->subsystem++;
    f->link_place = n->link++;
    f->joint_place = n->joint++;
    f->dof = n->dof;
    f->qpos = n->qpos;
    n->dof += 6;
    n->qpos += 7;
}

static void place_subsystem(const TnPlaces *x, int s, Counts *n)
{
    const TnModel *m = x->whole;
    const TnSubsystem *sub = &m->subsystems[s];
    n->kinds[sub->kind]++;
    x->of->subsystems[n->subsystem] = number_of(x->cut->subsystem, s);
    x->subsystem[s] = n->subsystem++;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        x->of->links[n->link] = l;
        x->link[l] = n->link++;
        for (int k = 0; k < m->links[l].joint_count; k++)
            x->joint[m->links[l].joint_start + k] = n->joint++;
    }
    for (int k = 0; k < sub->dof_count; k++) x->dof[sub->dof_start + k] = n->dof++;
    for (int k = 0; k < sub->qpos_count; k++) x->qpos[sub->qpos_start + k] = n->qpos++;
}

/* Bodies, or geoms, of the whole and of those that join, by their numbers. Places of the former are
 * -1, or anything else where they are to have one. */
static int merge(int *places, const int *numbers, int count, TnFreeItem *more, int more_count,
                 int *out)
{
    int n = 0, k = 0;
    for (int i = 0; i < count; i++) {
        if (places[i] < 0) continue;
        for (; k < more_count && more[k].number < number_of(numbers, i); k++)
            out[more[k].place = n++] = more[k].number;
        out[places[i] = n++] = number_of(numbers, i);
    }
    for (; k < more_count; k++) out[more[k].place = n++] = more[k].number;
    return n;
}

/* Counts of the part, into `out`. */
static void choose(const TnPlaces *x, TnModel *out)
{
    const TnModel *m = x->whole;
    TnFreeList *more = x->cut->more;
    Counts n = {0};
    int next = 0, free = count_free(x);
    for (; n.link <= m->mocap_count; n.link++) x->link[x->of->links[n.link] = n.link] = n.link;
    for (int s = 0; s < m->subsystem_count; s++) {
        if (!x->cut->has[s]) continue;
        while (next < free && more->free[next].number < number_of(x->cut->subsystem, s))
            place_free(x, &more->free[next++], &n);
        place_subsystem(x, s, &n);
    }
    while (next < free) place_free(x, &more->free[next++], &n);
    for (int b = 0; b < m->body_count; b++) x->body[b] = x->link[m->bodies[b].link];
    out->link_count = n.link;
    out->joint_count = n.joint;
    out->dof_count = n.dof;
    out->qpos_count = n.qpos;
    out->subsystem_count = n.subsystem;
    out->body_count = merge(x->body, x->cut->body, m->body_count, more ? more->bodies : NULL,
                            more ? more->body_count : 0, x->of->bodies);
    out->rigid_count = n.kinds[TN_SUBSYSTEM_RIGID];
    out->tree_count = n.kinds[TN_SUBSYSTEM_TREE];
    out->rod_count = n.kinds[TN_SUBSYSTEM_ROD];
    out->soft_count = n.kinds[TN_SUBSYSTEM_SOFT];
    out->sensor_count = out->sensor_data_count = out->camera_count = out->key_count = 0;
    out->lookup = NULL;
}

/* Of a soft body that the part lacks; it is the world's. */
static bool is_absent_surface(const TnPlaces *x, int geom)
{
    const TnModel *m = x->whole;
    for (int i = 0; m->geoms[geom].type == TN_GEOM_SOFT && i < m->soft_count; i++)
        if (m->softs[i].geom == geom) return x->subsystem[m->softs[i].subsystem] < 0;
    return false;
}

/* Geoms; pairs and excludes are counted as they are copied. */
static void choose_geoms(const TnPlaces *x, TnModel *out)
{
    const TnModel *m = x->whole;
    TnFreeList *more = x->cut->more;
    out->pair_count = out->exclude_count = 0;
    for (int i = 0; !x->cut->touches && i < m->soft_count; i++)
        if (x->subsystem[m->softs[i].subsystem] >= 0) x->geom[m->softs[i].geom] = 0;
    for (int g = 0; x->cut->touches && g < m->geom_count; g++)
        if (x->link[m->geom_link[g]] >= 0 && !is_absent_surface(x, g)) x->geom[g] = 0;
    if (!x->cut->touches) out->site_count = out->tie_count = out->hold_count = 0;
    out->geom_count = merge(x->geom, x->cut->geom, m->geom_count, more ? more->geoms : NULL,
                            more ? more->geom_count : 0, x->of->geoms);
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

static TnModel *lay_out(TnCarver *c, TnModel *m, const TnModel *whole, TnSoftHold **holds)
{
    TnModel *self = TN_CARVE(c, TnModel, 1);
    m->bodies = TN_CARVE(c, TnBody, m->body_count);
    m->body_masses = TN_CARVE(c, TnBodyMass, m->body_count);
    m->body_names = TN_CARVE(c, const char *, m->body_count);
    m->links = TN_CARVE(c, TnLink, m->link_count);
    m->link_subsystem = TN_CARVE(c, int, m->link_count);
    m->joints = TN_CARVE(c, TnJoint, m->joint_count);
    m->joint_names = TN_CARVE(c, const char *, m->joint_count);
    m->subsystems = TN_CARVE(c, TnSubsystem, m->subsystem_count);
    m->rods = TN_CARVE(c, TnRod, m->rod_count);
    m->rod_names = TN_CARVE(c, const char *, m->rod_count);
    m->softs = TN_CARVE(c, TnSoft, m->soft_count);
    m->soft_names = TN_CARVE(c, const char *, m->soft_count);
    *holds = TN_CARVE(c, TnSoftHold, whole->hold_count);
    m->geoms = TN_CARVE(c, TnGeom, m->geom_count);
    m->geom_link = TN_CARVE(c, int, m->geom_count);
    m->geom_names = TN_CARVE(c, const char *, m->geom_count);
    m->tendons = TN_CARVE(c, TnTendon, m->tendon_count);
    m->actuators = TN_CARVE(c, TnActuator, m->actuator_count);
    m->moments = TN_CARVE(c, TnMoment, moment_count(whole));
    m->equalities = TN_CARVE(c, TnEquality, m->equality_count);
    m->actuator_first = TN_CARVE(c, int, m->subsystem_count);
    m->tendon_first = TN_CARVE(c, int, m->subsystem_count);
    m->qpos0 = TN_CARVE(c, double, m->qpos_count);
    m->dof_joint = TN_CARVE(c, int, m->dof_count);
    m->dof_parent = TN_CARVE(c, int, m->dof_count);
    m->dof_couple = TN_CARVE(c, int, m->dof_count);
    return self;
}

/* What refers to geoms. */
static void lay_out_geoms(TnCarver *c, TnModel *m, const TnCut *cut)
{
    const TnModel *whole = cut->model;
    size_t links = 0;
    for (int i = 0; i < whole->path_count; i++) links += (size_t)whole->paths[i].link_count;
    m->pairs = TN_CARVE(c, TnPair, cut->pair_count);
    m->excludes = TN_CARVE(c, TnExclude, cut->exclude_count);
    m->wheels = TN_CARVE(c, TnWheel, m->wheel_count);
    m->sites = TN_CARVE(c, TnSite, m->site_count);
    m->paths = TN_CARVE(c, TnPath, m->path_count);
    m->path_points = TN_CARVE(c, TnPathPoint, path_point_count(whole));
    m->path_links = TN_CARVE(c, int, links);
}

/* ---- together ---- */

static TnModel *copy(const TnPlaces *x, TnModel *m)
{
    const TnCut *cut = x->cut;
    TnSoftHold *holds = NULL;
    TnCarver measure = {NULL, 0};
    lay_out(&measure, m, x->whole, &holds);
    if (cut->touches) lay_out_geoms(&measure, m, cut);
    TnCarver carver = {tn_calloc(1, measure.used), 0};
    if (!carver.base) return NULL;
    TnModel *out = lay_out(&carver, m, x->whole, &holds);
    if (cut->touches) lay_out_geoms(&carver, m, cut);
    m->memory = carver.base;
    tn_cut_copy(x, holds, m);
    *out = *m;
    return out;
}

TnModel *tn_model_cut(const TnCut *cut, TnCutNumbers *numbers)
{
    TnModel m = *cut->model, *out = NULL;
    TnPlaces x = {.cut = cut, .of = numbers};
    *numbers = (TnCutNumbers){0};
    if (open_places(cut->model, &x) && reserve_numbers(&x)) {
        choose(&x, &m);
        choose_geoms(&x, &m);
        out = copy(&x, &m);
    }
    tn_free(x.memory);
    if (!out) tn_cut_numbers_free(numbers);
    return out;
}

void tn_cut_numbers_free(TnCutNumbers *numbers)
{
    tn_free(numbers->links);
    tn_free(numbers->subsystems);
    tn_free(numbers->bodies);
    tn_free(numbers->geoms);
    *numbers = (TnCutNumbers){0};
}

/* groups.c: which subsystems are joined for good, what else acts on them than gravity and contacts,
 * and how large links are. */
#include "groups.h"

#include <math.h>

#include "../base/base.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "../subsystem/kind.h"

/* Of subsystems; -1 is the world. */
static void join(int *parent, int a, int b)
{
    if (a >= 0 && b >= 0) tn_set_join(parent, a, b);
}

static int of_body(const TnModel *model, int body)
{
    return model->links[model->bodies[body].link].subsystem;
}

static int of_joint(const TnModel *model, int joint)
{
    return joint < 0 ? -1 : model->links[model->joints[joint].link].subsystem;
}

static int of_tendon(const TnModel *model, int tendon)
{
    return tendon < 0 ? -1 : model->tendons[tendon].subsystem;
}

static int of_link(const TnModel *model, int link) { return model->links[link].subsystem; }

static int of_tree(const TnModel *model, int tree)
{
    for (int s = 0; s < model->subsystem_count; s++)
        if (model->subsystems[s].kind == TN_SUBSYSTEM_TREE &&
            model->subsystems[s].kind_index == tree)
            return s;
    return -1;
}

static void join_model(const TnModel *model, int *parent)
{
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (!e->active) continue;
        if (e->type == TN_EQUALITY_JOINT)
            join(parent, of_joint(model, e->joint1), of_joint(model, e->joint2));
        else if (e->type == TN_EQUALITY_TENDON)
            join(parent, of_tendon(model, e->tendon1), of_tendon(model, e->tendon2));
        else
            join(parent, of_body(model, e->body1), of_body(model, e->body2));
    }
    for (int i = 0; i < model->path_count; i++)
        for (int k = 1; model->paths[i].acts && k < model->paths[i].link_count; k++)
            join(parent, of_link(model, model->paths[i].links[0]),
                 of_link(model, model->paths[i].links[k]));
    for (int s = 0; s < model->soft_count; s++)
        for (int h = 0; h < model->softs[s].hold_count; h++)
            join(parent, model->softs[s].subsystem,
                 model->links[model->softs[s].holds[h].link].subsystem);
    for (int i = 0; i < model->tie_count; i++)
        join(parent, model->softs[model->ties[i].soft1].subsystem,
             model->softs[model->ties[i].soft2].subsystem);
}

/* What is in one block has one matrix. */
static void join_blocks(const TnModel *model, const TnDivision *d, int *parent)
{
    for (int c = 0; c < d->chain_count; c++) {
        int first = model->rods[d->runs[d->run_start[c]].rod].subsystem;
        for (int r = d->run_start[c]; r < d->run_start[c + 1]; r++)
            join(parent, first, model->rods[d->runs[r].rod].subsystem);
        for (int i = d->tree_start[c]; i < d->tree_start[c + 1]; i++)
            join(parent, first, of_tree(model, d->trees[i]));
    }
    for (int m = 0; m < d->mesh_count; m++) {
        const TnMeshBlock *mesh = &d->meshes[m];
        int first = model->softs[d->pieces[mesh->piece_start].soft].subsystem;
        for (int i = mesh->piece_start; i < mesh->piece_start + mesh->piece_count; i++)
            join(parent, first, model->softs[d->pieces[i].soft].subsystem);
        for (int i = mesh->tree_start; i < mesh->tree_start + mesh->tree_count; i++)
            join(parent, first, of_tree(model, d->mesh_trees[i]));
    }
}

/* Its momentum is its own no more. */
static bool is_pulled(const TnModel *model, int s)
{
    const TnKind *kind = tn_kind_of(model, s);
    return (kind->is_anchored && kind->is_anchored(model, s)) ||
           (kind->is_pulled && kind->is_pulled(model, s));
}

static void mark(const TnGroups *groups, bool *flags, int subsystem)
{
    if (subsystem >= 0) flags[groups->of[subsystem]] = true;
}

static void mark_groups(const TnModel *model, TnGroups *groups)
{
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnKind *kind = tn_kind_of(model, s);
        if (kind->is_anchored && kind->is_anchored(model, s)) mark(groups, groups->anchored, s);
        if (is_pulled(model, s)) mark(groups, groups->pulled, s);
    }
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (!e->active || e->type >= TN_EQUALITY_JOINT) continue;
        int a = of_body(model, e->body1), b = of_body(model, e->body2);
        if (a < 0 || b < 0) mark(groups, groups->anchored, a < 0 ? b : a);
    }
    for (int i = 0; i < model->path_count; i++) {
        const TnPath *path = &model->paths[i];
        if (!path->acts || !path->fixed_end) continue;
        bool hangs = path->kind == TN_PATH_POINTS; /* others push, but hold nothing */
        mark(groups, hangs ? groups->anchored : groups->pulled, of_link(model, path->links[0]));
    }
    for (int i = 0; i < model->wheel_count; i++)
        mark(groups, groups->anchored, of_body(model, model->wheels[i].body));
    for (int i = 0; i < model->actuator_count; i++)
        mark(groups, groups->actuated, tn_actuator_subsystem(model, i));
    for (int s = 0; s < model->subsystem_count; s++)
        if (groups->anchored[groups->of[s]]) mark(groups, groups->pulled, s);
}

/* All of a link's geoms are spheres about its centre of mass. */
static void find_round(const TnModel *model, bool *round)
{
    for (int l = 0; l < model->link_count; l++) round[l] = true;
    for (int g = 0; g < model->geom_count; g++) {
        const TnGeom *geom = &model->geoms[g];
        double arm[3];
        v3_sub(arm, geom->link_pos, model->links[geom->link].com);
        if (geom->type != TN_GEOM_SPHERE || v3_norm(arm) > 1e-6 * geom->bounding_radius)
            round[geom->link] = false;
    }
}

static void measure_links(const TnModel *model, double *radius)
{
    for (int l = 1; l < model->link_count; l++) {
        const TnLink *link = &model->links[l];
        const double *I = link->inertia_principal;
        double most = fmax(I[0], fmax(I[1], I[2]));
        /* of a ball with that moment, for links that have no geoms */
        if (link->mass > 0.0) radius[l] = sqrt(2.5 * most / link->mass);
    }
    for (int g = 0; g < model->geom_count; g++) {
        const TnGeom *geom = &model->geoms[g];
        double arm[3];
        if (geom->link == 0) continue;
        v3_sub(arm, geom->link_pos, model->links[geom->link].com);
        double reach = v3_norm(arm) + geom->bounding_radius;
        if (geom->mesh >= 0) reach += v3_norm(model->meshes[geom->mesh].hull.center);
        radius[geom->link] = fmax(radius[geom->link], reach);
    }
}

TnGroups *tn_groups_create(const TnModel *model, const TnDivision *division)
{
    size_t n = (size_t)model->subsystem_count + 1;
    TnGroups *groups = tn_calloc(1, sizeof *groups);
    if (!groups) return NULL;
    groups->of = tn_calloc(n, sizeof *groups->of);
    groups->anchored = tn_calloc(n, sizeof *groups->anchored);
    groups->pulled = tn_calloc(n, sizeof *groups->pulled);
    groups->actuated = tn_calloc(n, sizeof *groups->actuated);
    groups->radius = tn_calloc((size_t)model->link_count + 1, sizeof *groups->radius);
    groups->round = tn_calloc((size_t)model->link_count + 1, sizeof *groups->round);
    if (!groups->of || !groups->anchored || !groups->pulled || !groups->actuated ||
        !groups->radius || !groups->round) {
        tn_groups_destroy(groups);
        return NULL;
    }
    for (int s = 0; s < model->subsystem_count; s++) groups->of[s] = s;
    join_model(model, groups->of);
    join_blocks(model, division, groups->of);
    for (int s = 0; s < model->subsystem_count; s++) groups->of[s] = tn_set_root(groups->of, s);
    mark_groups(model, groups);
    measure_links(model, groups->radius);
    find_round(model, groups->round);
    return groups;
}

void tn_groups_destroy(TnGroups *groups)
{
    if (!groups) return;
    tn_free(groups->of);
    tn_free(groups->anchored);
    tn_free(groups->pulled);
    tn_free(groups->actuated);
    tn_free(groups->radius);
    tn_free(groups->round);
    tn_free(groups);
}

void tn_subsystem_name(const TnModel *model, int s, TnBodyId *body, TnSoftId *soft)
{
    const TnSubsystem *sub = &model->subsystems[s];
    bool is_soft = sub->kind == TN_SUBSYSTEM_SOFT;
    *soft = is_soft ? sub->kind_index + 1 : 0;
    *body = is_soft ? 0 : model->links[sub->link_start].body + 1;
}

int tn_any_geom_subsystem(const TnModel *model, int geom)
{
    for (int s = 0; model->geoms[geom].type == TN_GEOM_SOFT && s < model->soft_count; s++)
        if (model->softs[s].geom == geom) return model->softs[s].subsystem;
    return model->links[model->geoms[geom].link].subsystem;
}

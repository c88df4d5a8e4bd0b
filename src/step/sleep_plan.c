/* sleep_plan.c: what sleep.c needs to know of a model and its division, computed once: which
 * subsystems sleep and wake together, which of them stand on the fixed world or are driven, and how
 * large links are. */
#include <math.h>

#include "../base/base.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "sleep.h"

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
        else
            join(parent, of_body(model, e->body1), of_body(model, e->body2));
    }
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

static bool is_anchored(const TnModel *model, const TnSubsystem *sub)
{
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        int joint = model->links[sub->link_start].joint_start;
        return model->joints[joint].type != TN_JOINT_FREE;
    }
    for (int l = 0; sub->kind == TN_SUBSYSTEM_ROD && l < sub->link_count; l++)
        if (model->links[sub->link_start + l].held) return true;
    if (sub->kind == TN_SUBSYSTEM_SOFT) {
        const TnSoft *soft = &model->softs[sub->kind_index];
        for (int n = 0; n < soft->node_count; n++)
            if (soft->pinned[n]) return true;
    }
    return false;
}

static void mark(const TnSleepPlan *plan, bool *flags, int subsystem)
{
    if (subsystem >= 0) flags[plan->group[subsystem]] = true;
}

static void mark_groups(const TnModel *model, TnSleepPlan *plan)
{
    for (int s = 0; s < model->subsystem_count; s++)
        if (is_anchored(model, &model->subsystems[s])) mark(plan, plan->anchored, s);
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (!e->active || e->type == TN_EQUALITY_JOINT) continue;
        int a = of_body(model, e->body1), b = of_body(model, e->body2);
        if (a < 0 || b < 0) mark(plan, plan->anchored, a < 0 ? b : a);
    }
    for (int i = 0; i < model->wheel_count; i++)
        mark(plan, plan->anchored, of_body(model, model->wheels[i].body));
    for (int i = 0; i < model->actuator_count; i++)
        mark(plan, plan->actuated, model->actuators[i].subsystem);
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

TnSleepPlan *tn_sleep_plan_create(const TnModel *model, const TnDivision *division)
{
    size_t n = (size_t)model->subsystem_count + 1;
    TnSleepPlan *plan = tn_calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->group = tn_calloc(n, sizeof *plan->group);
    plan->anchored = tn_calloc(n, sizeof *plan->anchored);
    plan->actuated = tn_calloc(n, sizeof *plan->actuated);
    plan->radius = tn_calloc((size_t)model->link_count + 1, sizeof *plan->radius);
    plan->touched = tn_calloc(n, sizeof *plan->touched);
    if (!plan->group || !plan->anchored || !plan->actuated || !plan->radius || !plan->touched) {
        tn_sleep_plan_destroy(plan);
        return NULL;
    }
    for (int s = 0; s < model->subsystem_count; s++) plan->group[s] = s;
    join_model(model, plan->group);
    join_blocks(model, division, plan->group);
    for (int s = 0; s < model->subsystem_count; s++) plan->group[s] = tn_set_root(plan->group, s);
    mark_groups(model, plan);
    measure_links(model, plan->radius);
    return plan;
}

void tn_sleep_plan_destroy(TnSleepPlan *plan)
{
    if (!plan) return;
    tn_free(plan->group);
    tn_free(plan->anchored);
    tn_free(plan->actuated);
    tn_free(plan->radius);
    tn_free(plan->touched);
    tn_free(plan);
}

/* sleep_plan.c: what sleep.c needs to know of a model, computed once: how large links are. */
#include <math.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "sleep.h"

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

TnSleepPlan *tn_sleep_plan_create(const TnModel *model)
{
    size_t n = (size_t)model->subsystem_count + 1;
    TnSleepPlan *plan = tn_calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->radius = tn_calloc((size_t)model->link_count + 1, sizeof *plan->radius);
    plan->touched = tn_calloc(n, sizeof *plan->touched);
    if (!plan->radius || !plan->touched) {
        tn_sleep_plan_destroy(plan);
        return NULL;
    }
    measure_links(model, plan->radius);
    return plan;
}

void tn_sleep_plan_destroy(TnSleepPlan *plan)
{
    if (!plan) return;
    tn_free(plan->radius);
    tn_free(plan->touched);
    tn_free(plan);
}

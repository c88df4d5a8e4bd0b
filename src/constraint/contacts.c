/* contacts.c: contact points as constraints of the solver's problem: arms, normals, e and the
 * starting guess. */
#include "rows.h"

#include <math.h>

#include "../math/vec3.h"

typedef struct ContactTask {
    const TnConstraintInput *in;
    TnConstraintSet *set;
    const TnWarmGroups *groups;
    double gravity;
} ContactTask;

/* The contact's arm of one side from the centre of mass of the link that it counts for. */
void tn_contact_arm(const TnModel *model, const TnDivision *division, const TnLinkFrame *frames,
                    const TnContactPoint *c, int side, double arm[3])
{
    int own = model->geom_link[side ? c->geom2 : c->geom1], link = division->carrier[own];
    v3_copy(arm, side ? c->arm2 : c->arm1);
    if (link == own) return;
    v3_add(arm, arm, frames[own].com);
    v3_sub(arm, arm, frames[link].com);
}

/* m: how large what it belongs to is; the world is large. */
static double side_size(const TnConstraintInput *in, int geom, int soft)
{
    if (soft >= 0) {
        const TnSoft *body = &in->model->softs[in->contacts->soft_points[soft].soft];
        return 0.5 * cbrt(body->mass / body->density);
    }
    int link = in->division->carrier[in->model->geom_link[geom]];
    return in->model->link_subsystem[link] >= 0 ? in->model->links[link].lever : INFINITY;
}

/* The planned share of v⁺ of cables and soft bodies; others' shares the solution tells. */
static double planned_blend(const TnConstraintInput *in, const TnContactPoint *c)
{
    double most = 0.0;
    for (int side = 0; side < 2; side++) {
        int soft = side ? c->soft2 : c->soft1;
        int link = in->division->carrier[in->model->geom_link[side ? c->geom2 : c->geom1]];
        int s = soft >= 0 ? in->model->softs[in->contacts->soft_points[soft].soft].subsystem
                          : in->model->links[link].subsystem;
        if (s < 0) continue;
        if (tn_is_elastic(&in->model->subsystems[s])) most = fmax(most, in->blend[s]);
    }
    return most;
}

/* A mocap body's velocity is known: it goes into e. */
static void add_drive(const TnModel *model, int geom, const TnContactSide *side, double sign,
                      double e[3])
{
    if (tn_link_is_mocap(model, model->geom_link[geom])) v3_add_scaled(e, side->v_mid, sign);
}

static void contact_range(void *context, int begin, int end)
{
    const ContactTask *task = context;
    const TnConstraintInput *in = task->in;
    const TnModel *model = in->model;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        TnContactOverStep x;
        double v[3], v_end[3], e[3], lambda[3], spin[3], *normal = x.normal;
        const TnContactSide *a = &x.side[0], *b = &x.side[1];
        tn_contact_over_step(in, task->set, i, &x);
        v3_sub(v, b->v, a->v);
        v3_sub(v_end, b->v_end, a->v_end);
        double approach = v3_dot(c->normal, v), v_free_end = v3_dot(c->normal, v_end);
        v3_sub(v, b->v_mid, a->v_mid);
        double vn = v3_dot(normal, v);
        TnUnilateralLaw law = tn_unilateral_law(&(TnUnilateral){
            .gap = c->gap,
            .v = vn,
            .approach = approach,
            .v_free_end = v_free_end,
            .restitution = c->restitution,
            .resolved = c->resolved,
            .blend = c->restitution > 0.0 || c->resolved ? planned_blend(in, c) : 0.0,
            .t = in->t,
            .theta = in->theta,
            .stabilization = model->option.stabilization,
            .gravity = task->gravity,
            .slow = c->soft1 >= 0 || c->soft2 >= 0 ? TN_SLOW * in->slow : in->slow,
            .leave = in->leave,
            .size = fmin(side_size(in, c->geom1, c->soft1), side_size(in, c->geom2, c->soft2))});
        double turned = law.resting ? in->theta : 0.0;
        for (int k = 0; k < 3; k++)
            e[k] = turned * x.shift[k] - (1.0 - in->theta) * (v[k] - vn * normal[k]) +
                   law.e_normal * normal[k];
        if (model->mocap_count) {
            add_drive(model, c->geom1, a, -1.0, e);
            add_drive(model, c->geom2, b, 1.0, e);
        }
        tn_warm_contact(in, task->groups, c, lambda, spin, task->set->problem.memory[i]);
        bool oval = tn_is_oval(model, c);
        if (oval) v3_scale(lambda, normal, v3_dot(normal, lambda));
        tn_problem_set_contact(&task->set->problem, i, a->row, b->row, a->arm, b->arm, normal, e,
                               c->dim == 1 || oval ? 0.0 : c->friction[0], lambda);
        task->set->laws[i] = law;
    }
}

void tn_constraint_fill_contacts(const TnConstraintInput *in, const TnWarmGroups *groups,
                                 TnConstraintSet *set)
{
    ContactTask task = {in, set, groups, v3_norm(in->model->option.gravity)};
    tn_pool_run(in->pool, in->contacts->count, 64, contact_range, &task);
}

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

/* By numbers, not by an arm that has just been written: reading that again as pairs would wait for
 * the writes. */
static inline void point_velocity(double out[3], const double twist[6], double x, double y,
                                  double z)
{
    out[0] = twist[4] * z - twist[5] * y + twist[0];
    out[1] = twist[5] * x - twist[3] * z + twist[1];
    out[2] = twist[3] * y - twist[4] * x + twist[2];
}

/* One side of a contact: its row in the twist table, its arm there, and its velocity at the step's
 * start and at the end of its free motion. */
typedef struct Side {
    int row;
    double arm[3], v[3], v_end[3];
} Side;

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

/* course: NULL, or the arm where it is not that of the contact */
static void find_side(const ContactTask *task, const TnContactPoint *c, int side,
                      const double *course, Side *out)
{
    int geom = side ? c->geom2 : c->geom1, soft = side ? c->soft2 : c->soft1;
    const TnConstraintInput *in = task->in;
    if (soft >= 0) {
        const TnSoftPoint *point = &in->contacts->soft_points[soft];
        v3_zero(out->arm);
        tn_soft_point_velocity(in->model, point, in->state->qvel, out->v);
        tn_soft_point_velocity(in->model, point, in->end_qvel, out->v_end);
        out->row = task->set->soft_row[soft];
        return;
    }
    int link = in->division->carrier[in->model->geom_link[geom]];
    const double *own = side ? c->arm2 : c->arm1, *arm = course ? course : own;
    double x = arm[0], y = arm[1], z = arm[2];
    if (!course && link != in->model->geom_link[geom]) {
        double carried[3];
        tn_contact_arm(in->model, in->division, in->frames, c, side, carried);
        x = carried[0], y = carried[1], z = carried[2];
    }
    point_velocity(out->v, in->twists[link], x, y, z);
    point_velocity(out->v_end, in->end_twists[link], x, y, z);
    v3_set(out->arm, x, y, z);
    out->row = task->set->link_row[link];
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
static void add_drive(const TnModel *model, int geom, const Side *side, double sign, double e[3])
{
    if (tn_link_is_mocap(model, model->geom_link[geom])) v3_add_scaled(e, side->v, sign);
}

static void contact_range(void *context, int begin, int end)
{
    const ContactTask *task = context;
    const TnConstraintInput *in = task->in;
    const TnModel *model = in->model;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        const TnContactCourse *course =
            in->courses && in->courses[i].known ? &in->courses[i] : NULL;
        const double *normal = course ? course->normal : c->normal;
        Side a, b;
        double v[3], v_end[3], e[3], lambda[3], spin[3];
        find_side(task, c, 0, course ? course->arm1 : NULL, &a);
        find_side(task, c, 1, course ? course->arm2 : NULL, &b);
        v3_sub(v, b.v, a.v);
        v3_sub(v_end, b.v_end, a.v_end);
        double vn = v3_dot(normal, v);
        TnUnilateralLaw law = tn_unilateral_law(&(TnUnilateral){
            .gap = c->gap,
            .v = vn,
            .v_free_end = v3_dot(normal, v_end),
            .restitution = c->restitution,
            .resolved = c->resolved,
            .blend = c->restitution > 0.0 || c->resolved ? planned_blend(in, c) : 0.0,
            .t = in->t,
            .theta = in->theta,
            .stabilization = model->option.stabilization,
            .gravity = task->gravity,
            .leave = in->leave,
            .size = fmin(side_size(in, c->geom1, c->soft1), side_size(in, c->geom2, c->soft2))});
        double shift = -(1.0 - in->theta);
        if (course && c->restitution == 0.0) law.e_normal += in->theta * course->curve / in->t;
        for (int k = 0; k < 3; k++)
            e[k] = shift * (v[k] - vn * normal[k]) + law.e_normal * normal[k];
        if (model->mocap_count) {
            add_drive(model, c->geom1, &a, -1.0, e);
            add_drive(model, c->geom2, &b, 1.0, e);
        }
        tn_warm_contact(in, task->groups, c, lambda, spin, task->set->problem.memory[i]);
        bool oval = tn_is_oval(model, c);
        if (oval) v3_scale(lambda, normal, v3_dot(normal, lambda));
        tn_problem_set_contact(&task->set->problem, i, a.row, b.row, a.arm, b.arm, normal, e,
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

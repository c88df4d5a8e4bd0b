/* wheel_rows.c: wheels that do not slip, J(q) v = 0, as rows.
 *
 * A wheel with centre c and axle a stands on x = c - R n_w, n_w the unit vector of n - (n·a) a, n
 * the normal of the ground. With l the unit vector of a - (n·a) n and f = l × n,
 *
 *     lateral   l · (velocity of the body's point at x) = 0
 *     forward   f · (the same) = 0                       rolling wheels only
 *     height    n · x stays what it was in the reference pose, where wanted
 *
 * The first two have no C(q). A subsystem moves by t u, u = (1-η) v + η v⁺ (equality.c), and J is
 * taken in the middle of that displacement, q ⊕ ½ t u₀ with the predicted u₀:
 *
 *     J u = 0,
 *
 * the midpoint rule: no slip in what is travelled, and no work done. What that leaves in v⁺ at the
 * new place is taken out afterwards (wheel_slip.c), as RATTLE does it for positions. The height is
 * an equality like others. The row is written for v̂, u = κ v̂ + (1-κ) v, κ = η/θ. */
#include "rows.h"

#include "../base/rounding.h"
#include "../math/vec3.h"

bool tn_wheel_stand(const TnModel *model, const TnLinkFrame *frames, const TnWheel *wheel,
                    TnStand *out)
{
    const double *n = wheel->normal;
    double quat[4], axle[3], centre[3], up[3];
    tn_body_pose(model, frames, wheel->body, centre, quat);
    quat_rotate(axle, quat, wheel->axle);
    quat_rotate(up, quat, wheel->pos);
    v3_add(centre, centre, up);
    double lean = v3_dot(n, axle);
    v3_copy(up, n);
    v3_add_scaled(up, axle, -lean);
    /* it lies on its side: it has no direction to roll in */
    if (v3_normalize(up) < TN_SAME) return false;
    v3_copy(out->point, centre);
    v3_add_scaled(out->point, up, -wheel->radius);
    v3_copy(out->lateral, axle);
    v3_add_scaled(out->lateral, n, -lean);
    v3_normalize(out->lateral);
    v3_cross(out->forward, out->lateral, n);
    out->height = v3_dot(n, out->point) - wheel->height;
    return true;
}

static const double zero3[3] = {0, 0, 0};

/* Velocity along a direction of the link's point at x. */
static double rate_at(const TnLinkFrame *frame, const double twist[6], const double x[3],
                      const double direction[3])
{
    double arm[3], v[3];
    v3_sub(arm, x, frame->com);
    v3_cross(v, twist + 3, arm);
    v3_add(v, v, twist);
    return v3_dot(direction, v);
}

/* The wheel over a step. */
typedef struct Roll {
    TnPlace place; /* the middle */
    int link;
    double eta;
    TnStand start, middle, end;
} Roll;

static void add_no_slip(TnRowWriter *w, const Roll *r, int slot, const double direction[3])
{
    double kappa = r->eta / w->in->theta;
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, slot);
    tn_row_add_link(w, row, &r->place, r->link, r->middle.point, direction, zero3, 1.0);
    row->e = (1.0 - kappa) * w->shift / kappa;
    tn_row_drop_if_empty(w, row);
}

static void add_height(TnRowWriter *w, const Roll *r, int slot, const double normal[3])
{
    const TnConstraintInput *in = w->in;
    double rate = rate_at(&in->frames[r->link], in->twists[r->link], r->start.point, normal);
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, slot);
    tn_row_add_link(w, row, &r->place, r->link, r->middle.point, normal, zero3, 1.0);
    tn_row_close_equality(w, row, r->eta,
                          (TnViolation){r->start.height, r->end.height, w->rate, rate, 0.0, false});
    tn_row_drop_if_empty(w, row);
}

static int row_count(const TnWheel *wheel)
{
    return 1 + (wheel->kind == TN_WHEEL_ROLLING) + wheel->keep_height;
}

void tn_constraint_count_wheels(const TnConstraintInput *in, TnRowCounts *counts)
{
    const TnModel *model = in->model;
    for (int i = 0; i < model->wheel_count; i++) {
        const TnWheel *wheel = &model->wheels[i];
        int link = model->bodies[wheel->body].link, rows = row_count(wheel);
        if (tn_link_asleep(in->state, model, link)) continue;
        counts->rows += rows;
        counts->sides += rows;
        counts->entries += rows * model->subsystems[model->links[link].subsystem].dof_count;
    }
}

bool tn_constraint_add_wheels(TnRowWriter *w)
{
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    TnMotion m = {.middle = true};
    if (model->wheel_count && !tn_motion_init(in, &m)) return false;
    for (int i = 0; i < model->wheel_count; i++) {
        const TnWheel *wheel = &model->wheels[i];
        Roll r = {.place = {m.at, m.axes, (const double(*)[6])m.twists, m.qvel},
                  .link = model->bodies[wheel->body].link};
        if (tn_link_asleep(in->state, model, r.link)) continue;
        if (!tn_motion_of_body(in, wheel->body, &m, &r.eta)) return false;
        if (!tn_wheel_stand(model, in->frames, wheel, &r.start) ||
            !tn_wheel_stand(model, m.at, wheel, &r.middle) ||
            !tn_wheel_stand(model, m.end, wheel, &r.end))
            continue;
        add_no_slip(w, &r, tn_row_slot_wheel(model, i, 0), r.middle.lateral);
        if (wheel->kind == TN_WHEEL_ROLLING)
            add_no_slip(w, &r, tn_row_slot_wheel(model, i, 1), r.middle.forward);
        if (wheel->keep_height) add_height(w, &r, tn_row_slot_wheel(model, i, 2), wheel->normal);
    }
    return true;
}

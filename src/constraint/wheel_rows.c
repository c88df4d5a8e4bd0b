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
 * taken in the middle of that displacement, q ⊕ ½ t u₀ with the predicted u₀. For smooth motion
 *
 *     J u = 0
 *
 * then is the midpoint rule: no slip in what is travelled, and no work done, to rounding. Alone it
 * would keep what violates the law in v: at η = ½ v⁺ = 2u - v only turns its sign. So, with J₀ at
 * the start, r = J₀ v and r_s what r is in smooth motion, which obeys J u = 0 and not J₀ v = 0:
 *
 *     J u - (1-η) (r - r_s) = 0,        r_s = (J - J₀) (u₀ - 2 (1-η) v),
 *
 * which is η J v⁺ = 0 for all of r - r_s (constraint.h). r_s from: J u = η J v⁺ + (1-η) J v with
 * J v = r + (J - J₀) v and J v⁺ = r - (J - J₀) v⁺, as J changes on by as much after the middle. The
 * height is an equality like others. The row is written for v̂, u = κ v̂ + (1-κ) v, κ = η/θ. */
#include "rows.h"

#include "../math/vec3.h"

/* Sine of the angle between axle and normal below which the wheel lies on its side and has no
 * direction to roll in. */
#define LYING 1e-6

/* The wheel at one configuration. */
typedef struct Stand {
    double point[3]; /* lowest of the rim */
    double lateral[3], forward[3];
    double height; /* of the point above the ground */
} Stand;

static bool find_stand(const TnModel *model, const TnLinkFrame *frames, const TnWheel *wheel,
                       Stand *out)
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
    if (v3_normalize(up) < LYING) return false;
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

static void add_no_slip(TnRowWriter *w, const TnPlace *place, double eta, int link, int slot,
                        const Stand *start, const double start_direction[3], const Stand *middle,
                        const double direction[3])
{
    /* J₀ v and J₀ u₀ by a row that is not kept */
    TnPlace before = w->start;
    before.twists = place->twists;
    before.qvel = place->qvel;
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, slot);
    tn_row_add_link(w, row, &before, link, start->point, start_direction, zero3, 1.0);
    double start_v = w->shift, start_u = w->rate;
    tn_row_take_back(w, row);

    row = tn_row_begin(w, TN_ROW_EQUALITY, slot);
    tn_row_add_link(w, row, place, link, middle->point, direction, zero3, 1.0);
    double kappa = eta / w->in->theta;
    double smooth = w->rate - start_u - 2.0 * (1.0 - eta) * (w->shift - start_v);
    double e = -(1.0 - eta) * (start_v - smooth);
    row->e = (e + (1.0 - kappa) * w->shift) / kappa;
    tn_row_drop_if_empty(w, row);
}

static void add_height(TnRowWriter *w, const TnPlace *place, double eta, int link, int slot,
                       const double normal[3], const Stand *start, const Stand *middle,
                       const Stand *end)
{
    const TnConstraintInput *in = w->in;
    double arm[3], v[3];
    v3_sub(arm, start->point, in->frames[link].com);
    v3_cross(v, in->twists[link] + 3, arm);
    v3_add(v, v, in->twists[link]);
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, slot);
    tn_row_add_link(w, row, place, link, middle->point, normal, zero3, 1.0);
    tn_row_close_equality(w, row, eta,
                          (TnViolation){start->height, end->height, w->rate, v3_dot(normal, v)});
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
        int link = model->bodies[wheel->body].link;
        double eta = in->theta;
        Stand start, middle, end;
        if (!tn_motion_of_body(in, wheel->body, &m, &eta)) return false;
        if (!find_stand(model, in->frames, wheel, &start) ||
            !find_stand(model, m.at, wheel, &middle) || !find_stand(model, m.end, wheel, &end))
            continue;
        const TnPlace place = {m.at, m.axes, (const double(*)[6])m.twists, m.qvel};
        add_no_slip(w, &place, eta, link, tn_row_slot_wheel(model, i, 0), &start, start.lateral,
                    &middle, middle.lateral);
        if (wheel->kind == TN_WHEEL_ROLLING)
            add_no_slip(w, &place, eta, link, tn_row_slot_wheel(model, i, 1), &start, start.forward,
                        &middle, middle.forward);
        if (wheel->keep_height)
            add_height(w, &place, eta, link, tn_row_slot_wheel(model, i, 2), wheel->normal, &start,
                       &middle, &end);
    }
    return true;
}

/* classes.c: which laws of a solution bear forces, and how; see linear.h. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "../model/names.h"

/* False: it needs no force. */
static bool contact_law(const TnProblem *p, const TnCompliances *D, const TnTrial *t, int c,
                        TnLinearLaw *out)
{
    double un, ut[3], ln, lt[3], tn, tt[3];
    tn_law_split(p->normals[c], t->u.contact[c], &un, ut);
    tn_law_split(p->normals[c], t->lambda.contact[c], &ln, lt);
    out->kind = TN_LAW_CONTACT;
    out->count = 3;
    out->D[0] = tn_normal_compliance(D, c);
    out->D[1] = tn_tangent_compliance(D, c);
    out->scale = tn_law_unit_if_dead(fmax(out->D[0], out->D[1]));
    out->class = TN_CLASS_SMOOTH;
    out->bears = ln > 0.0;
    if (t->linear->smooth.slow > 0.0) return true;
    if (!(out->D[0] > 0.0)) return ln > 0.0;
    tn = ln - un / out->D[0];
    if (!(tn > 0.0) && !(fabs(un) <= t->linear->still)) return false;
    for (int k = 0; k < 3; k++) tt[k] = out->D[1] > 0.0 ? lt[k] - ut[k] / out->D[1] : 0.0;
    /* what is at a bound and does not move may be held as well: redundant forces are anywhere */
    bool held = v3_norm(tt) <= tn_law_mu(p, c) * tn || v3_norm(ut) <= t->linear->still;
    out->class = held && tn_law_mu(p, c) > 0.0 ? TN_CLASS_HELD : TN_CLASS_SLIPS;
    return true;
}

static bool row_law(const TnProblem *p, const TnCompliances *D, const TnTrial *t, int r,
                    TnLinearLaw *out)
{
    const TnRow *row = &p->rows[r];
    const double *u = t->u.row + r, *lambda = t->lambda.row + r;
    double radius = tn_row_radius(p, row, t->lambda.contact);
    bool smooth = t->linear->smooth.slow > 0.0;
    out->count = tn_row_group(row);
    out->kind = out->count > 1 ? TN_LAW_PAIR : TN_LAW_ROW;
    out->D[0] = D->row[r];
    out->scale = tn_law_unit_if_dead(out->D[0]);
    out->class = TN_CLASS_HELD;
    if (tn_row_is_soft(row) || row->set == TN_ROW_EQUALITY) return true;
    if (!(out->D[0] > 0.0)) return false;
    if (smooth && (row->set != TN_ROW_BOX || tn_law_is_box(row))) {
        out->class = TN_CLASS_SMOOTH;
        return true;
    }
    if (out->count > 1) {
        double x = lambda[0] - u[0] / out->D[0], y = lambda[1] - u[1] / out->D[0];
        bool still = tn_row_lever(row) * hypot(u[0], u[1]) <= t->linear->still;
        if (hypot(x, y) > radius && !still) out->class = TN_CLASS_SLIPS;
        return true;
    }
    TnInterval at = tn_row_interval(row, radius);
    double trial = lambda[0] - u[0] / out->D[0];
    if (row->set == TN_ROW_INEQUALITY)
        return trial > 0.0 || tn_row_lever(row) * fabs(u[0]) <= t->linear->still;
    bool still = tn_row_lever(row) * fabs(u[0]) <= t->linear->still && at.upper > at.lower;
    if ((trial <= at.lower || trial >= at.upper) && !still) out->class = TN_CLASS_SLIPS;
    out->side = trial >= at.upper ? 1.0 : -1.0;
    return true;
}

static bool bond_law(const TnProblem *p, const TnTrial *t, int b, TnLinearLaw *out)
{
    const TnBond *bond = &p->bonds[b];
    double C[2][36], most = 0.0;
    tn_table_compliance(p, bond->row_a, C[0]);
    tn_table_compliance(p, bond->row_b, C[1]);
    out->kind = TN_LAW_BOND;
    out->class = TN_CLASS_HELD;
    out->count = t->bonds[b].count;
    /* of any of its rows */
    for (int i = 0; i < out->count; i++) {
        double sum = tn_bond_rows_slack(bond);
        for (int k = 0; k < 12; k++)
            sum += t->bonds[b].J[i][k] * t->bonds[b].J[i][k] * C[k / 6][7 * (k % 6)];
        most = fmax(most, sum);
    }
    out->D[0] = most;
    out->scale = tn_law_unit_if_dead(most);
    return out->count > 0;
}

static void add_switch(TnLinear *linear, TnSwitch at)
{
    if (at.margin < TN_KINK) linear->switches[linear->switch_count++] = at;
}

static void contact_switch(TnLinear *linear, const TnWorld *world, const TnCompliances *D,
                           const TnTrial *t, int c, double scale)
{
    const TnContactPoint *point = &world->contacts.points[c];
    double un, ut[3], ln, lt[3], size = 0.0, Dn = tn_normal_compliance(D, c),
                                 Dt = tn_tangent_compliance(D, c), mu = tn_law_mu(t->p, c);
    TnSwitch at = {.geom1 = point->geom1 + 1, .geom2 = point->geom2 + 1};
    tn_law_split(t->p->normals[c], t->u.contact[c], &un, ut);
    tn_law_split(t->p->normals[c], t->lambda.contact[c], &ln, lt);
    if (!(Dn > 0.0)) return;
    at.kind = TN_SWITCH_OPEN;
    at.margin = fabs(Dn * ln - un) / scale;
    add_switch(linear, at);
    if (!(Dn * ln > un) || !(mu > 0.0) || !(Dt > 0.0)) return;
    for (int k = 0; k < 3; k++) size += (lt[k] - ut[k] / Dt) * (lt[k] - ut[k] / Dt);
    at.kind = TN_SWITCH_SLIP;
    at.margin = Dt * fabs(sqrt(size) - mu * (ln - un / Dn)) / scale;
    add_switch(linear, at);
}

static void row_switch(TnLinear *linear, const TnWorld *world, const TnCompliances *D,
                       const TnTrial *t, int r, double scale)
{
    const TnRow *row = &t->p->rows[r];
    int joint = (world->set.row_slot[r] - tn_row_slot_joint(world->model, 0, 0)) / 3;
    double own = D->row[r], trial = own * t->lambda.row[r] - t->u.row[r], margin = INFINITY;
    TnSwitch at = {.kind = TN_SWITCH_OPEN};
    if (!(own > 0.0) || (row->set != TN_ROW_INEQUALITY && row->set != TN_ROW_BOX)) return;
    if (world->set.row_slot[r] >= tn_row_slot_joint(world->model, 0, 0) &&
        joint < world->model->joint_count)
        at.joint = world->model->lookup->joint_id[joint];
    if (row->set == TN_ROW_INEQUALITY) {
        margin = fabs(trial);
    } else {
        at.kind = TN_SWITCH_SLIP;
        margin = fmin(fabs(trial - own * row->lower), fabs(trial - own * row->upper));
    }
    at.margin = margin * tn_row_lever(row) / scale;
    add_switch(linear, at);
}

/* Laws of the solution that are near to another class. */
bool tn_linear_note_switches(TnLinear *linear, const TnWorld *world, const TnCompliances *D,
                             const TnTrial *t)
{
    const TnProblem *p = t->p;
    size_t most = 2 * (size_t)p->contact_count + (size_t)p->row_count;
    double scale = tn_world_velocity_scale(world);
    linear->switches = tn_linear_room(linear, 6, sizeof *linear->switches * most + 1);
    if (!linear->switches) return false;
    for (int c = 0; c < p->contact_count; c++) contact_switch(linear, world, D, t, c, scale);
    for (int r = 0; r < p->row_count; r++) row_switch(linear, world, D, t, r, scale);
    return true;
}

bool tn_linear_note_laws(TnLinear *linear, const TnCompliances *D, const TnTrial *t)
{
    const TnProblem *p = t->p;
    size_t most = (size_t)(p->contact_count + p->row_count + p->bond_count) + 1;
    linear->laws = tn_linear_room(linear, 2, sizeof *linear->laws * most);
    if (!linear->laws) return false;
    linear->law_count = linear->n = 0;
    for (int c = 0; c < p->contact_count + p->row_count + p->bond_count; c++) {
        TnLinearLaw law = {0};
        int r = c - p->contact_count, b = r - p->row_count;
        law.index = b >= 0 ? b : r >= 0 ? r : c;
        if (r >= 0 && b < 0 && tn_row_is_second(&p->rows[r])) continue;
        bool bears = b >= 0   ? bond_law(p, t, b, &law)
                     : r >= 0 ? row_law(p, D, t, r, &law)
                              : contact_law(p, D, t, c, &law);
        if (!bears) continue;
        law.first = linear->n;
        linear->n += law.count;
        linear->laws[linear->law_count++] = law;
    }
    return true;
}

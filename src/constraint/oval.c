/* oval.c: friction that differs in two directions of a contact.
 *
 * Of an explicit pair with two sliding coefficients a and b the solver's contact has the normal
 * force alone. Its friction are two rows with a disc as their bound, as rolling friction has it:
 *
 *     rows (a/m) t1ᵀu and (b/m) t2ᵀu, m = max(a, b), and |(λ1, λ2)| <= m · normal force.
 *
 * With f1 = (a/m) λ1 and f2 = (b/m) λ2 this is the ellipse (f1/a)² + (f2/b)² <= N² with the largest
 * dissipation, exactly. Rolling friction of two coefficients is scaled in the same way. */
#include "rows.h"

#include <math.h>

#include "../math/vec3.h"

/* As in MuJoCo, coefficients are no smaller: the other direction keeps a row. */
#define LEAST 1e-5

void tn_oval_axes(const double normal[3], double t1[3], double t2[3])
{
    double along[3] = {0.0, 0.0, 0.0};
    along[fabs(normal[1]) < 0.5 ? 1 : 2] = 1.0;
    v3_copy(t1, along);
    v3_add_scaled(t1, normal, -v3_dot(along, normal));
    v3_normalize(t1);
    v3_cross(t2, normal, t1);
}

static const TnPair *find_pair(const TnModel *model, const TnContactPoint *c)
{
    for (int i = 0; model->has_oval_pairs && i < model->pair_count; i++) {
        const TnPair *pair = &model->pairs[i];
        if ((pair->geom1 == c->geom1 && pair->geom2 == c->geom2) ||
            (pair->geom1 == c->geom2 && pair->geom2 == c->geom1))
            return pair;
    }
    return NULL;
}

bool tn_is_oval(const TnModel *model, const TnContactPoint *c)
{
    const TnPair *pair = c->dim > 1 ? find_pair(model, c) : NULL;
    return pair && pair->across[0] != pair->friction[0];
}

/* Coefficients of the two directions: the larger one, and what is left of it in each. */
static double scales(double first, double second, double scale[2])
{
    first = fmax(first, LEAST);
    second = fmax(second, LEAST);
    double most = fmax(first, second);
    scale[0] = first / most;
    scale[1] = second / most;
    return most;
}

double tn_contact_row(const TnModel *model, const TnContactPoint *c, TnRowSet set, int slot,
                      double linear[3], double angular[3])
{
    bool slides = slot == TN_SLOT_SLIDE;
    int second = set == TN_ROW_ROLL_PARTNER;
    double t[2][3], *axis = slides ? linear : angular;
    const TnPair *pair = find_pair(model, c);
    v3_zero(linear);
    v3_zero(angular);
    if (set == TN_ROW_SPIN) {
        v3_copy(axis, c->normal);
        return c->friction[1];
    }
    if (!pair || (!slides && pair->across[1] == pair->friction[2])) {
        v3_tangents(c->normal, t[0], t[1]);
        v3_copy(axis, t[second]);
        return c->friction[2];
    }
    double scale[2], mu = slides ? scales(pair->friction[0], pair->across[0], scale)
                                 : scales(pair->friction[2], pair->across[1], scale);
    tn_oval_axes(c->normal, t[0], t[1]);
    v3_scale(axis, t[second], scale[second]);
    return mu;
}

void tn_oval_force(const TnModel *model, const TnConstraintSet *set, const TnContactPoint *points,
                   int contact, double force[3])
{
    const TnProblem *p = &set->problem;
    for (int r = 0; model->has_oval_pairs && r < p->row_count; r++) {
        double linear[3], angular[3];
        if (set->row_slot[r] != TN_SLOT_SLIDE || p->rows[r].contact != contact) continue;
        tn_contact_row(model, &points[contact], p->rows[r].set, TN_SLOT_SLIDE, linear, angular);
        v3_add_scaled(force, linear, p->rows[r].lambda);
    }
}

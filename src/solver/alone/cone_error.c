/* cone_error.c: see cone_error.h. A contact with spin and rolling friction has the cone |r_k| <=
 * μ_k r_n of all its parts k at once (sliding, spin, roll), û_n = u_n + Σ μ_k |u_k|. */
#include "cone_error.h"

#include "../law/law.h"

/* Sliding, spinning or rolling: where it stands in λ, how many numbers, and its bound. */
typedef struct Part {
    int at, count, next; /* the last: the contact's next part, -1: none */
    double mu;
} Part;

static Part part_of(const TnSolver *solver, const TnConeInput *in, int i)
{
    TnConstraintDef c = tn_solver_constraint(solver, i + 1);
    int normal = c.set == TN_SET_FRICTION;
    return (Part){.at = in->number_at[i] + normal,
                  .count = in->number_at[i + 1] - in->number_at[i] - normal,
                  .next = normal ? in->first[i] : in->next[i],
                  .mu = c.mu};
}

/* λ - û of a part, and its length. */
static double trial(const TnConeInput *in, const Part *part, double x[2])
{
    x[1] = 0.0;
    for (int k = 0; k < part->count; k++) x[k] = in->lambda[part->at + k] - in->u[part->at + k];
    return hypot(x[0], x[1]);
}

/* |λ - P_K(λ - û)|² of a contact. The projection's normal part s has
 *     g(s) = s - t_n - Σ μ_k (|t_k| - μ_k s)⁺ = 0,   t = λ - û
 * or is zero where g(0) >= 0. g is rising, concave and made of lines, so Newton's steps from below
 * end exactly after no more of them than there are parts; by rounding alone they might go on. */
static double squared_error(const TnSolver *solver, const TnConeInput *in, int contact)
{
    const double normal = in->lambda[in->number_at[contact]];
    double tn = normal - in->u[in->number_at[contact]], x[2];
    Part part;
    int parts = 0;
    for (int i = contact; i >= 0; i = part.next, parts++) {
        part = part_of(solver, in, i);
        tn -= part.mu * hypot(in->u[part.at], part.count > 1 ? in->u[part.at + 1] : 0.0);
    }
    double s = fmax(0.0, tn);
    bool rises = true;
    for (int left = parts + 1; rises && left > 0; left--) {
        double g = s - tn, slope = 1.0;
        for (int i = contact; i >= 0; i = part.next) {
            part = part_of(solver, in, i);
            double beyond = trial(in, &part, x) - part.mu * s;
            if (!(beyond > 0.0)) continue;
            g -= part.mu * beyond;
            slope += part.mu * part.mu;
        }
        double higher = s - g / slope;
        rises = g < 0.0 && higher > s;
        if (rises) s = higher;
    }
    double sum = (normal - s) * (normal - s);
    for (int i = contact; i >= 0; i = part.next) {
        part = part_of(solver, in, i);
        double share = tn_disc_share(trial(in, &part, x), part.mu * s);
        for (int k = 0; k < part.count; k++) {
            double d = in->lambda[part.at + k] - share * x[k];
            sum += d * d;
        }
    }
    return sum;
}

double tn_cone_error(const TnSolver *solver, const TnConeInput *in)
{
    int count = tn_solver_constraint_count(solver);
    double sum = 0.0, scale[3] = {0};
    for (int i = 0; i < count; i++) in->first[i] = in->next[i] = -1;
    for (int i = count - 1; i >= 0; i--) {
        TnConstraintDef c = tn_solver_constraint(solver, i + 1);
        if (c.set != TN_SET_SPIN && c.set != TN_SET_ROLL) continue;
        in->next[i] = in->first[c.contact - 1];
        in->first[c.contact - 1] = i;
    }
    for (int i = 0; i < count; i++) {
        TnSet set = tn_solver_constraint(solver, i + 1).set;
        if (set < TN_SET_FRICTION) continue;
        if (set == TN_SET_FRICTION) sum += squared_error(solver, in, i);
        for (int k = in->number_at[i]; k < in->number_at[i + 1]; k++) {
            scale[0] += in->u_free[k] * in->u_free[k];
            scale[1] += in->lambda[k] * in->lambda[k];
            scale[2] += in->u[k] * in->u[k];
        }
    }
    double largest = sqrt(fmax(scale[0], fmax(scale[1], scale[2])));
    return largest > 1e-16 ? sqrt(sum) / largest : sqrt(sum);
}

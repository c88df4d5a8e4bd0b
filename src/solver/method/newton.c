/* newton.c: Newton's method on an island as one system, for starts near the solution: full steps
 * (newton_step.h) with the laws softened by 1/R about the forces there are (newton_law.c), open,
 * stick or slip by the natural map's own trial t = λ - u/D.
 *
 * A step takes the error down by R μ, with μ the smallest eigenvalue of J A⁻¹ Jᵀ relative to its
 * diagonal: about n⁻⁴ in a tower of n boxes, so R must be large. But forces that do the same (four
 * feet of a box) are told apart by 1/R only, and what contradicts itself between them is multiplied
 * by R. A step that does not gain is therefore taken back and tried with a smaller R, which holds
 * on to the old forces. Mostly one or two steps are enough; where many contacts change between
 * open, stick and slip, this gives up early, and interior.c or proximal.c goes on. */
#include "newton_step.h"
#include "steady.h"

#define WORTHY_GAIN 0.5 /* and with which another one is worth it */
/* R where something slips, but near rest: a factor without symmetry is rounded more, and with more
 * stiffness that would exceed the tolerance. */
#define SLIP_STIFFNESS 1e5
/* TN_FADE. Nothing holds forces that move nothing: contradictions in e drive them by R times
 * themselves, step after step, until they end at bounds of friction. The first step is about a
 * little less than the forces there are, so that such forces fade; it leaves TN_FADE D λ / R,
 * always downwards, so less of it near rest, where little drives them. */

static double first_stiffness(TnNewtonStep *n, bool near_rest)
{
    n->laws.R = TN_MOST_STIFFNESS;
    if (near_rest) return n->laws.R;
    tn_per_constraint_copy(&n->laws.centre, &n->lambda);
    tn_laws_at(&n->laws, &n->u);
    return n->laws.G.symmetric ? TN_MOST_STIFFNESS : SLIP_STIFFNESS;
}

bool tn_newton(const TnAssembly *assembly, TnProblem *p, const TnCompliances *D,
               const TnPerConstraint *u, double tolerance, int most_steps, TnMethodResult *out)
{
    TnNewtonStep n;
    *out = (TnMethodResult){0};
    if (!tn_newton_start(&n, assembly, p, D, u)) return false;
    TnNaturalMap map = tn_natural_map(p, D, &n.u, &n.lambda);
    bool near_rest = map.largest < TN_NEARLY * tolerance;
    double best = map.largest, fade = near_rest ? TN_FADE_NEAR_REST : TN_FADE;
    n.laws.reach = 1.0;
    n.laws.R = first_stiffness(&n, near_rest);
    while (n.laws.R >= TN_LEAST_STIFFNESS && out->iterations < most_steps) {
        tn_per_constraint_copy(&n.laws.centre, &n.lambda);
        if (!tn_newton_step(&n, out->iterations ? 0.0 : fade, out)) break;
        TnNaturalMap next = tn_natural_map(p, D, &n.next_u, &n.next_lambda);
        if (!(next.rms <= TN_LITTLE_GAIN * map.rms)) {
            if (map.largest > TN_BEYOND * tolerance && next.rms > map.rms) break;
            n.laws.R /= TN_LESS_STIFF;
            continue;
        }
        bool good = next.rms <= WORTHY_GAIN * map.rms;
        map = next;
        tn_per_constraint_swap(&n.u, &n.next_u);
        tn_per_constraint_swap(&n.lambda, &n.next_lambda);
        if (map.largest < best) {
            best = map.largest;
            tn_lambda_put(p, &n.lambda);
        }
        if (best < tolerance || !good) break;
    }
    out->error = best;
    return true;
}

/* full_admm.c: assembled ADMM as it is asked for by name, which the paper compares with as FADMM:
 * the splitting of OSQP (Stellato et al. 2020), which Tasora et al. (2021) bring to multibody
 * contact, with the matrix of the whole problem instead of one per subsystem.
 *
 *     (A + JᵀWJ) x = Jᵀ(λ + W z),   λ ← Π(λ - W (J x + e')),   z from both, over-relaxed
 *
 * as one variable, the way assembled_admm.c has it; the same loop runs here with
 *   weights s/D by each row's own compliance, which is what OSQP's equilibration aims at, and
 *   heavier ones for equalities;
 *   s adapted where primal and dual residuals are out of balance by 5², with a factorization each;
 *   the exact law of Coulomb: the normal first, then the disc that it allows.
 * Plans of the factor are cached by the graph of bodies. docs/baselines.md has the measurements.
 *
 * What a fixed count leaves are the velocities that obey dynamics and the forces that obey the
 * laws, each the method's own; towards a tolerance it is forces and what they imply. */
#include "../block/block.h"
#include "assembled_admm.h"
#include "own_method.h"

#define WEIGHT_SCALE 5.0
#define EQUALITY 10.0
#define PLAIN_RELAXATION 1.8
#define ACCELERATED_RELAXATION 1.3
#define MEMORY 10 /* of Anderson acceleration */

/* Piles of free bodies are the better for none in few iterations. */
static int memory_of(const TnOwnInput *in)
{
    const TnProblem *p = in->problem;
    if (in->def->anderson >= 0) return in->def->anderson;
    if (in->watch.enough) return MEMORY;
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].kind->eliminates) return MEMORY;
    return 0;
}

bool tn_full_admm(const TnOwnInput *in, TnOwnResult *out)
{
    TnProblem *p = in->problem;
    TnAssembly assembly;
    TnMethodResult result;
    TnPerConstraint law;
    TnVelocities v;
    bool fixed = !in->watch.enough;
    int memory = memory_of(in);
    const TnAdmmChoice choice = {.scale = WEIGHT_SCALE,
                                 .equality = EQUALITY,
                                 .relaxation = memory ? ACCELERATED_RELAXATION : PLAIN_RELAXATION,
                                 .memory = memory,
                                 .adaptive = true,
                                 .by_rms = fixed,
                                 .iterations = in->def->iterations,
                                 .watch = in->watch};
    *out = (TnOwnResult){.form = choice.memory ? "one factor, adaptive weights, accelerated"
                                               : "one factor, adaptive weights"};
    if (!tn_assembly_build(p, in->plans, &assembly) || !tn_per_constraint_alloc(p, &law) ||
        !tn_velocities_alloc(p, &v) ||
        !tn_admm_run(&assembly, p, in->D, &choice, fixed ? &law : NULL, &result))
        return false;
    out->iterations = result.iterations;
    out->factorizations = result.factorizations;
    out->residual = result.error;
    if (!fixed) return true;
    tn_velocities_touched(p, &v);
    tn_velocities_finish(p, &v);
    tn_lambda_put(p, &law);
    out->own_v = true;
    return true;
}

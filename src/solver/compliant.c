/* compliant.c: see compliant.h. */
#include "compliant.h"

#include <math.h>

#include "../math/vec3.h"

/* C x */
static void apply(const TnProblem *p, int contact, const double x[3], double out[3])
{
    const double *n = p->normals[contact], *C = p->yield[contact];
    double Ct = C[1], xn = (C[0] - Ct) * v3_dot(n, x);
    for (int k = 0; k < 3; k++) out[k] = Ct * x[k] + xn * n[k];
}

double tn_contacts_yield(TnProblem *p, const TnCompliances *D, double R, double stiffness)
{
    if (!p->give) p->give = TN_ARENA_ZERO(p->arena, TnContactGive, p->contact_batches);
    if (!p->give) return 0.0;
    double least = INFINITY;
    for (int c = 0; c < p->contact_count; c++) {
        TnContactGive *give = &p->give[c / TN_LANES];
        int l = c % TN_LANES;
        double Dn = tn_normal_compliance(D, c), Dt = tn_tangent_compliance(D, c), back[3];
        double ratio = stiffness > 0.0 && Dn > 0.0 ? Dn * stiffness : R;
        least = fmin(least, ratio);
        p->yield[c][0] = Dn / ratio;
        p->yield[c][1] = Dt / ratio;
        give->share[0][l] = give->share[1][l] = 1.0; /* what yields nothing keeps it */
        apply(p, c, p->memory[c], back);
        for (int k = 0; k < 3; k++) give->e[k][l] = -back[k];
    }
    return least;
}

void tn_add_give(const TnProblem *p, const TnPerConstraint *lambda, TnPerConstraint *u)
{
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactGive *give = &p->give[c / TN_LANES];
        double more[3];
        apply(p, c, lambda->contact[c], more);
        for (int k = 0; k < 3; k++) u->contact[c][k] += more[k] + give->e[k][c % TN_LANES];
    }
}

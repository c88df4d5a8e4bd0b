/* squeeze.h: what keeps an element from being squeezed to nothing.
 *
 * A finite pressure flattens an element of either law, and a little more turns it inside out: a
 * soft body that falls from high enough is dented through its own far side. So an element stiffens
 * where it is shorter than TN_SQUEEZED of its rest length along some direction,
 *     ψ += κ/3 Σ_i (TN_SQUEEZED - s_i)³,   s_i < TN_SQUEEZED its stretches,
 * of which force and stiffness are continuous. An element that is inside out is pushed back by the
 * force that it has when flat. SQUEEZE_STIFF is κ/E: it takes nearly three times the energy to
 * flatten an element that it takes by the linear law. Stiffer ones hold no better, and leave a body
 * that starts as a tangle in more shapes where stretches of neighbours balance. */
#ifndef TN_DYNAMICS_FEM_SQUEEZE_H
#define TN_DYNAMICS_FEM_SQUEEZE_H

#include "../../../model/thresholds.h"
#include "fem.h"

enum { SQUEEZE_STIFF = 100 };

/* Along one direction: energy density, force (its slope against s, negative) and stiffness. */
typedef struct TnFemSqueeze {
    double energy, force, stiffness;
} TnFemSqueeze;

static inline TnFemSqueeze tn_fem_squeeze(const TnFemMaterial *m, double s)
{
    double k = SQUEEZE_STIFF * m->E, d = TN_SQUEEZED - s;
    if (!(d > 0.0)) return (TnFemSqueeze){0.0, 0.0, 0.0};
    if (s < 0.0) {
        double flat = k * TN_SQUEEZED * TN_SQUEEZED;
        return (TnFemSqueeze){flat * (TN_SQUEEZED / 3.0 - s), -flat, 0.0};
    }
    return (TnFemSqueeze){k / 3.0 * d * d * d, -k * d * d, 2.0 * k * d};
}

/* Adds to stress and energy density of a batch. */
static inline void tn_fem_add_squeeze(const TnFemMaterial *m, const TnFemPlace *place,
                                      TnFemMatrix P, double energy[TN_FEM_LANES])
{
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < TN_FEM_LANES; l++) {
            TnFemSqueeze squeeze = tn_fem_squeeze(m, place->polar.s[k][l]);
            energy[l] += squeeze.energy;
            for (int i = 0; i < 9 && squeeze.force < 0.0; i++)
                P[i][l] += squeeze.force * place->polar.U[3 * (i / 3) + k][l] *
                           place->polar.V[3 * (i % 3) + k][l];
        }
}

#endif

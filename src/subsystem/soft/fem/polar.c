/* polar.c: see polar.h; the algorithm is in kernels/polar_lanes.h. */
#include "kernels/polar_lanes.h"

void tn_polar(TnFemMatrix F, TnPolar *out) { polar_of(F, out); }

void tn_polar_one(const double F[9], double R[9], double U[9], double s[3], double V[9])
{
    TnFemMatrix lanes;
    TnPolar all;
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < LANES; l++) lanes[i][l] = l ? 0.0 : F[i];
    tn_polar(lanes, &all);
    for (int i = 0; i < 9; i++) {
        R[i] = all.R[i][0];
        if (U) U[i] = all.U[i][0];
        if (V) V[i] = all.V[i][0];
    }
    for (int i = 0; i < 3 && s; i++) s[i] = all.s[i][0];
}

/* predict.c: what a step's v̂ will be, before it is solved for. */
#include "dynamics.h"

bool tn_predict_velocity(int n, const double *v, const double *last, double *out)
{
    double change = 0.0, size = 0.0;
    for (int k = 0; k < n; k++) {
        change += (v[k] - last[k]) * (v[k] - last[k]);
        size += v[k] * v[k];
    }
    double carry = change <= 0.0625 * size ? 1.0 : 0.0;
    for (int k = 0; k < n; k++) out[k] = v[k] + carry * (v[k] - last[k]);
    return carry > 0.0;
}

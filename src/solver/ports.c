/* ports.c: between the twist table and the unknowns of a large block: v_port = T v, F = Tᵀ wrench. */
#include "problem.h"

#include <string.h>

void tn_ports_spread(const TnProblem *p, const TnLargeBlock *d, const double *v, double (*table)[8])
{
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        const TnPort *port = &p->ports[k];
        const double *T = port->T, *x = v + port->start;
        double *row = table[p->port_row + k];
        int n = port->count;
        if (!T) {
            memcpy(row, x, 3 * sizeof(double));
            memcpy(row + 4, x + 3, 3 * sizeof(double));
            continue;
        }
        for (int r = 0; r < 6; r++) {
            double s = 0.0;
            for (int j = 0; j < n; j++) s += T[(long)r * n + j] * x[j];
            row[r < 3 ? r : r + 1] = s;
        }
    }
}

void tn_ports_gather(const TnProblem *p, const TnLargeBlock *d, double (*wrench)[8], double *F)
{
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        const TnPort *port = &p->ports[k];
        const double *T = port->T, *row = wrench[p->port_row + k];
        double *f = F + port->start;
        int n = port->count;
        if (!T) {
            for (int r = 0; r < 3; r++) {
                f[r] += row[r];
                f[r + 3] += row[r + 4];
            }
            continue;
        }
        for (int r = 0; r < 6; r++) {
            double w = row[r < 3 ? r : r + 1];
            for (int j = 0; j < n; j++) f[j] += w * T[(long)r * n + j];
        }
    }
}

void tn_large_gather(const TnProblem *p, int block)
{
    const TnLargeBlock *d = &p->large[block];
    memset(d->F, 0, sizeof(double) * (size_t)d->dim);
    tn_ports_gather(p, d, p->F, d->F);
    tn_rows_force(p, p->twist_count + block, d->F);
}

/* ports.c: between the twist table and the unknowns of a large block: v_port = T v, F = Tᵀ wrench.
 */
#include "problem.h"

#include <string.h>

static bool is_identity(const TnPort *port) { return !port->T && port->count; }
static bool is_point(const TnPort *port) { return !port->T && !port->count; }

static void spread_point(const TnPort *port, const double *v, double row[8])
{
    double sum[3] = {0};
    for (int k = 0; k < port->node_count; k++) {
        const double *M = port->M[k], *x = v + 3L * port->nodes[k];
        for (int r = 0; r < 3; r++)
            sum[r] += M[3 * r] * x[0] + M[3 * r + 1] * x[1] + M[3 * r + 2] * x[2];
    }
    memcpy(row, sum, sizeof sum);
    memset(row + 4, 0, 3 * sizeof(double));
}

/* Of a thousand unknowns, so three sums at a time. */
static void spread_linear(const TnPort *port, const double *x, double row[8])
{
    int n = port->count;
    const double *a = port->T, *b = a + n, *c = b + n;
    double sum[3] = {0};
    for (int j = 0; j < n; j++) {
        sum[0] += a[j] * x[j];
        sum[1] += b[j] * x[j];
        sum[2] += c[j] * x[j];
    }
    memcpy(row, sum, sizeof sum);
    memset(row + 4, 0, 3 * sizeof(double));
}

static void gather_linear(const TnPort *port, const double row[8], double *f)
{
    int n = port->count;
    const double *a = port->T, *b = a + n, *c = b + n;
    for (int j = 0; j < n; j++) f[j] = f[j] + row[0] * a[j] + row[1] * b[j] + row[2] * c[j];
}

void tn_ports_spread(const TnProblem *p, const TnLargeBlock *d, const double *v, double (*table)[8])
{
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        const TnPort *port = &p->ports[k];
        const double *T = port->T, *x = v + port->start;
        double *row = table[p->port_row + k];
        int n = port->count;
        if (is_point(port)) {
            spread_point(port, v, row);
            continue;
        }
        if (port->linear) {
            spread_linear(port, x, row);
            continue;
        }
        if (is_identity(port)) {
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

void tn_port_gather(const TnPort *port, const double row[8], double *F)
{
    const double *T = port->T;
    double *f = F + port->start;
    int n = port->count;
    if (port->linear) {
        gather_linear(port, row, f);
        return;
    }
    for (int k = 0; k < port->node_count; k++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                F[3L * port->nodes[k] + c] += port->M[k][3 * r + c] * row[r];
    for (int r = 0; r < 6; r++) {
        double w = row[r < 3 ? r : r + 1];
        if (is_identity(port)) f[r] += w;
        for (int j = 0; T && j < n; j++) f[j] += w * T[(long)r * n + j];
    }
}

void tn_ports_gather(const TnProblem *p, const TnLargeBlock *d, double (*wrench)[8], double *F)
{
    for (int k = d->port_start; k < d->port_start + d->port_count; k++)
        tn_port_gather(&p->ports[k], wrench[p->port_row + k], F);
}

void tn_large_gather(const TnProblem *p, int block)
{
    const TnLargeBlock *d = &p->large[block];
    memset(d->F, 0, sizeof(double) * (size_t)d->dim);
    tn_ports_gather(p, d, p->F, d->F);
    tn_rows_force(p, p->twist_count + block, d->F);
}

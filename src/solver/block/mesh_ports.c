/* mesh_ports.c: the ports and scalar rows of a mesh block on its kept nodes: what their forces are
 * there, the stiffness C = JᵀWJ of their weights, and what they yield.
 *
 *     point port   J = Σ M_i over a few nodes, linear half only      C += MᵀKM, K 3 × 3
 *     span port    J = T over consecutive unknowns                   C += TᵀKT, K 6 × 6
 *     row          J = cᵀ                                            C += β c cᵀ
 *
 * The matrix on K being full, all of these fit. In the iterations C is applied port by port and row
 * by row, which is linear in their number. */
#include <string.h>

#include "../../base/base.h"
#include "mesh.h"

void tn_problem_set_point_port(TnProblem *p, int port, int block, int count, const int *nodes,
                               const double (*M)[9])
{
    TN_ASSERT(p->large[block].kind == &tn_block_mesh);
    p->ports[port] =
        (TnPort){.block = block, .scale = 1.0, .node_count = count, .nodes = nodes, .M = M};
}

void tn_problem_set_span_port(TnProblem *p, int port, int block, int start, int count,
                              const double *T)
{
    TN_ASSERT(p->large[block].kind == &tn_block_mesh);
    p->ports[port] =
        (TnPort){.block = block, .scale = 1.0, .start = start, .count = count, .T = (double *)T};
}

/* ---- forces ---- */

/* f ← Mᵀ force */
static inline void pull_back(const double M[9], const double force[3], double f[3])
{
    for (int c = 0; c < 3; c++) f[c] = M[c] * force[0] + M[3 + c] * force[1] + M[6 + c] * force[2];
}

static void push_point(const TnPort *port, const int *place, const double force[3], double alpha,
                       double *rhs, double *g)
{
    for (int i = 0; i < port->node_count; i++) {
        double f[3];
        pull_back(port->M[i], force, f);
        for (int c = 0; c < 3; c++) {
            rhs[place[i] + c] += 2.0 * f[c];
            g[place[i] + c] -= alpha * f[c];
        }
    }
}

static void push_span(const TnPort *port, int place, const double row[8], double alpha, double *rhs,
                      double *g)
{
    const double *T = port->T;
    int n = port->count;
    for (int r = 0; r < 6; r++) {
        double w = row[r < 3 ? r : r + 1];
        for (int j = 0; j < n; j++) {
            rhs[place + j] += 2.0 * w * T[(long)r * n + j];
            g[place + j] -= alpha * w * T[(long)r * n + j];
        }
    }
}

void tn_mesh_push(const TnProblem *p, int index, double alpha, double *rhs, double *g)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    int block = p->twist_count + index;
    for (int k = 0; k < d->port_count; k++) {
        const TnPort *port = &p->ports[d->port_start + k];
        const int *place = m->port_place + m->port_start[k];
        const double *row = p->F[p->port_row + d->port_start + k];
        if (port->T)
            push_span(port, *place, row, alpha, rhs, g);
        else
            push_point(port, place, row, alpha, rhs, g);
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        double lambda = p->rows[side->row].lambda;
        for (int e = side->start; e < side->start + side->count; e++) {
            int at = m->place[p->index[e]];
            double f = lambda * p->coefficient[e];
            rhs[at] += 2.0 * f;
            g[at] -= alpha * f;
        }
    }
}

/* ---- velocities ---- */

static void spread_point(const TnPort *port, const int *place, const double K[TN_SYM6],
                         const double *v, double scale, double row[8], double *g)
{
    double u[3] = {0}, f[3], back[3];
    for (int i = 0; i < port->node_count; i++) {
        const double *M = port->M[i], *x = v + place[i];
        for (int r = 0; r < 3; r++)
            u[r] += M[3 * r] * x[0] + M[3 * r + 1] * x[1] + M[3 * r + 2] * x[2];
    }
    memcpy(row, u, sizeof u);
    f[0] = scale * (K[0] * u[0] + K[1] * u[1] + K[2] * u[2]);
    f[1] = scale * (K[1] * u[0] + K[6] * u[1] + K[7] * u[2]);
    f[2] = scale * (K[2] * u[0] + K[7] * u[1] + K[11] * u[2]);
    for (int i = 0; i < port->node_count; i++) {
        pull_back(port->M[i], f, back);
        for (int c = 0; c < 3; c++) g[place[i] + c] += back[c];
    }
}

static void spread_span(const TnPort *port, int place, const double K[TN_SYM6], const double *v,
                        double scale, double row[8], double *g)
{
    const double *T = port->T;
    double u[6];
    int n = port->count;
    for (int r = 0; r < 6; r++) {
        u[r] = 0.0;
        for (int j = 0; j < n; j++) u[r] += T[(long)r * n + j] * v[place + j];
        row[r < 3 ? r : r + 1] = u[r];
    }
    for (int r = 0; r < 6; r++) {
        double f = 0.0;
        for (int s = 0; s < 6; s++) f += K[r <= s ? tn_sym6(r, s) : tn_sym6(s, r)] * u[s];
        for (int j = 0; j < n; j++) g[place + j] += scale * f * T[(long)r * n + j];
    }
}

void tn_mesh_spread(TnProblem *p, int index, const double *v, double scale, double *g)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    int block = p->twist_count + index;
    for (int k = 0; k < d->port_count; k++) {
        const TnPort *port = &p->ports[d->port_start + k];
        const int *place = m->port_place + m->port_start[k];
        int at = p->port_row + d->port_start + k;
        if (port->T)
            spread_span(port, *place, p->K[at], v, scale, p->twist[at], g);
        else
            spread_point(port, place, p->K[at], v, scale, p->twist[at], g);
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        double u = 0.0;
        for (int e = side->start; e < side->start + side->count; e++)
            u += p->coefficient[e] * v[m->place[p->index[e]]];
        u *= scale * side->beta;
        for (int e = side->start; e < side->start + side->count; e++)
            g[m->place[p->index[e]]] += u * p->coefficient[e];
    }
}

/* ---- stiffness ---- */

static void add_point(const TnPort *port, const int *place, const double packed[TN_SYM6], double *H,
                      size_t stride)
{
    const double K[9] = {packed[0], packed[1], packed[2], packed[1], packed[6],
                         packed[7], packed[2], packed[7], packed[11]};
    for (int j = 0; j < port->node_count; j++) {
        double KM[3][3]; /* by columns: K M_j */
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                KM[c][r] = K[3 * r] * port->M[j][c] + K[3 * r + 1] * port->M[j][3 + c] +
                           K[3 * r + 2] * port->M[j][6 + c];
        for (int i = 0; i < port->node_count; i++) {
            if (place[i] < place[j]) continue;
            for (int c = 0; c < 3; c++) {
                double f[3], *column = H + (size_t)(place[j] + c) * stride + place[i];
                pull_back(port->M[i], KM[c], f);
                for (int r = 0; r < 3; r++) column[r] += f[r];
            }
        }
    }
}

static void add_span(const TnPort *port, int place, const double K[TN_SYM6], double *H,
                     size_t stride)
{
    const double *T = port->T;
    int n = port->count;
    for (int j = 0; j < n; j++) {
        double *column = H + (size_t)(place + j) * stride + place;
        for (int r = 0; r < 6; r++) {
            double f = 0.0;
            for (int s = 0; s < 6; s++)
                f += K[r <= s ? tn_sym6(r, s) : tn_sym6(s, r)] * T[(long)s * n + j];
            for (int i = j; i < n; i++) column[i] += f * T[(long)r * n + i];
        }
    }
}

void tn_mesh_add_stiffness(const TnProblem *p, int index, double *H)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    int block = p->twist_count + index;
    for (int k = 0; k < d->port_count; k++) {
        const TnPort *port = &p->ports[d->port_start + k];
        const int *place = m->port_place + m->port_start[k];
        const double *K = p->K[p->port_row + d->port_start + k];
        if (port->T)
            add_span(port, *place, K, H, m->stride);
        else
            add_point(port, place, K, H, m->stride);
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        int end = side->start + side->count;
        for (int a = side->start; a < end; a++)
            for (int b = side->start; b < end; b++) {
                int row = m->place[p->index[a]], column = m->place[p->index[b]];
                if (row >= column)
                    H[(size_t)column * m->stride + (size_t)row] +=
                        side->beta * p->coefficient[a] * p->coefficient[b];
            }
    }
}

/* ---- compliances: J A⁻¹ Jᵀ, and on K A⁻¹ is S⁻¹ ---- */

static inline double inverse_at(const TnMeshBlock *m, int i, int j)
{
    return i >= j ? m->S_inverse[(size_t)j * m->stride + (size_t)i]
                  : m->S_inverse[(size_t)i * m->stride + (size_t)j];
}

/* 3 × 3: Σ M_i S⁻¹_ij M_jᵀ */
static void point_compliance(const TnMeshBlock *m, const TnPort *port, const int *place,
                             double C[36])
{
    for (int i = 0; i < port->node_count; i++)
        for (int j = 0; j < port->node_count; j++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    double z = inverse_at(m, place[i] + a, place[j] + b);
                    for (int r = 0; r < 3; r++)
                        for (int s = 0; s < 3; s++)
                            C[6 * r + s] += port->M[i][3 * r + a] * z * port->M[j][3 * s + b];
                }
}

static void span_compliance(const TnMeshBlock *m, const TnPort *port, int place, double C[36])
{
    int n = port->count;
    for (int i = 0; i < n; i++) {
        double x[6] = {0}; /* S⁻¹ Tᵀ, row i */
        for (int j = 0; j < n; j++) {
            double z = inverse_at(m, place + i, place + j);
            for (int s = 0; s < 6; s++) x[s] += z * port->T[(long)s * n + j];
        }
        for (int r = 0; r < 6; r++)
            for (int s = 0; s < 6; s++) C[6 * r + s] += port->T[(long)r * n + i] * x[s];
    }
}

void tn_mesh_port_compliances(TnProblem *p, int index)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    for (int k = 0; k < d->port_count; k++) {
        TnPort *port = &p->ports[d->port_start + k];
        const int *place = m->port_place + m->port_start[k];
        memset(port->compliance, 0, sizeof port->compliance);
        if (port->T)
            span_compliance(m, port, *place, port->compliance);
        else
            point_compliance(m, port, place, port->compliance);
    }
}

double tn_mesh_side_compliance(const TnProblem *p, const TnLargeBlock *d, const TnRowSide *side)
{
    const TnMeshBlock *m = tn_mesh_block(d);
    int end = side->start + side->count;
    double sum = 0.0;
    for (int a = side->start; a < end; a++)
        for (int b = side->start; b < end; b++)
            sum += p->coefficient[a] * p->coefficient[b] *
                   inverse_at(m, m->place[p->index[a]], m->place[p->index[b]]);
    return sum;
}

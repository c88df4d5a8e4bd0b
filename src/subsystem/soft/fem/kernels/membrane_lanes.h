/* membrane_lanes.h: the kernels of fem_kernels.h for triangles of a sheet in plane stress, after
 * fem_lanes.h. The co-rotational law of corotational.c in two dimensions:
 *
 *     F = (u w), 3 × 2,   FᵀF = S²,   R = F S⁻¹,   ε = S - 1,   Π = 2 μ ε + λ tr ε,   P = R Π
 *
 * S and R come in closed form: with J = |u × w| = det S and tr S = √(tr FᵀF + 2 J),
 * S = (FᵀF + J)/tr S. A triangle in space has no inside, so J >= 0 always; where it is squeezed to
 * a line, J is kept above a small share of |F|².
 *
 * With h_a = R g_a and the normal n, the stiffness is that of linear elasticity in the triangle's
 * plane, V (λ h_b h_aᵀ + μ h_a h_bᵀ + μ (g_a·g_b) (1 - n nᵀ)), and what turning the stress adds: in
 * the plane V c ((g_a·g_b) (1 - n nᵀ) - h_a h_bᵀ), c = tr Π/(2 tr S), and out of it
 * V (g_b·Σ g_a) n nᵀ, Σ = Π S⁻¹. Both are exact but for negative parts, which are left out: K stays
 * positive semidefinite, and a sheet that is pressed may buckle. As in fem_lanes.h they are felt
 * only by what differs from the expected motion, and have no part in damping. */

#define FLAT_TRIANGLE 1e-8 /* of |F|² */

typedef struct Membrane {
    v8 R[6], n[3];       /* columns of R one after the other */
    v8 P11, P12, P22;    /* Π */
    v8 c, Z11, Z12, Z22; /* Σ, its positive part */
    v8 e11, e12, e22;    /* ε */
} Membrane;

static inline void v_sqrt(v8 *a)
{
    double *x = (double *)a;
    for (int l = 0; l < TN_FEM_LANES; l++) x[l] = sqrt(x[l] > 0.0 ? x[l] : 0.0);
}

static inline void strain_of(const v8 u[3], const v8 w[3], Membrane *m, v8 *S, v8 *J, v8 *trace)
{
    v8 a = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], b = u[0] * w[0] + u[1] * w[1] + u[2] * w[2],
       c = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], least = FLAT_TRIANGLE * (a + c) + 1e-300;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        m->n[i] = u[j] * w[k] - u[k] * w[j];
    }
    *J = m->n[0] * m->n[0] + m->n[1] * m->n[1] + m->n[2] * m->n[2];
    v_sqrt(J);
    *trace = a + c + 2.0 * *J + 1e-300;
    v_sqrt(trace);
    S[0] = (a + *J) / *trace;
    S[1] = b / *trace;
    S[2] = (c + *J) / *trace;
    v_raise(J, &least);
    m->e11 = S[0] - 1.0;
    m->e12 = S[1];
    m->e22 = S[2] - 1.0;
}

/* The positive semidefinite part of a symmetric 2 × 2 matrix. */
static inline void positive_part(v8 *a, v8 *b, v8 *c)
{
    double *x = (double *)a, *y = (double *)b, *z = (double *)c;
    for (int l = 0; l < TN_FEM_LANES; l++) {
        double mean = 0.5 * (x[l] + z[l]), half = 0.5 * (x[l] - z[l]);
        double r = sqrt(half * half + y[l] * y[l]), high = mean + r, low = mean - r;
        double share = low >= 0.0 ? 1.0 : high <= 0.0 ? 0.0 : high / (2.0 * r);
        double shift = low >= 0.0 || high <= 0.0 ? 0.0 : low;
        x[l] = share * (x[l] - shift);
        y[l] *= share;
        z[l] = share * (z[l] - shift);
    }
}

static inline void membrane_at(const TnFemMaterial *material, const v8 u[3], const v8 w[3],
                               Membrane *m)
{
    double two = 2.0 * material->mu, lambda = material->lambda;
    v8 S[3], J, trace, zero = {0.0};
    strain_of(u, w, m, S, &J, &trace);
    v8 over = 1.0 / J;
    for (int i = 0; i < 3; i++) {
        m->R[i] = (S[2] * u[i] - S[1] * w[i]) * over;
        m->R[3 + i] = (S[0] * w[i] - S[1] * u[i]) * over;
        m->n[i] *= over;
    }
    v8 along = lambda * (m->e11 + m->e22);
    m->P11 = two * m->e11 + along;
    m->P12 = two * m->e12;
    m->P22 = two * m->e22 + along;
    m->c = 0.5 * (m->P11 + m->P22) / trace;
    v_raise(&m->c, &zero);
    m->Z11 = (m->P11 * S[2] - m->P12 * S[1]) * over;
    m->Z12 = (m->P12 * S[0] - m->P11 * S[1]) * over;
    m->Z22 = (m->P22 * S[0] - m->P12 * S[1]) * over;
    positive_part(&m->Z11, &m->Z12, &m->Z22);
}

/* Gradients of a field in the triangle's own axes, 3 numbers each. */
static inline void membrane_gradient(const TnFemBatch *batch, const double (*x)[4], v8 u[3],
                                     v8 w[3])
{
    const v8 *g = (const v8 *)batch->inverse;
    v8 c[9];
    for (int a = 0; a < 3; a++) v_gather3(c + 3 * a, x, batch->node[a]);
    for (int i = 0; i < 3; i++) {
        v8 p = c[3 + i] - c[i], q = c[6 + i] - c[i];
        u[i] = p * g[0] + q * g[3];
        w[i] = p * g[1] + q * g[4];
    }
}

/* A macro: functions that return vectors warn of their ABI where registers are narrower. */
#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

/* T of fem_lanes.h, its two columns. */
static inline void membrane_matrix(const TnFemStep *step, const TnFemBatch *batch,
                                   const Membrane *m, v8 T[6])
{
    double mu = step->mesh->material.mu, lambda = step->mesh->material.lambda;
    v8 u[3], w[3];
    membrane_gradient(batch, step->y, u, w);
    v8 d11 = DOT(m->R, u), d12 = DOT(m->R, w), d21 = DOT(m->R + 3, u), d22 = DOT(m->R + 3, w),
       along = lambda * (d11 + d22);
    v8 h11 = 2.0 * mu * d11 + along - step->share * m->P11,
       h12 = mu * (d12 + d21) - step->share * m->P12,
       h22 = 2.0 * mu * d22 + along - step->share * m->P22;
    for (int i = 0; i < 3; i++) {
        T[i] = m->R[i] * h11 + m->R[3 + i] * h12;
        T[3 + i] = m->R[i] * h12 + m->R[3 + i] * h22;
    }
    if (!step->lead) return;
    membrane_gradient(batch, step->lead, u, w);
    v8 twist = m->c * (DOT(m->R, w) - DOT(m->R + 3, u));
    v8 p = DOT(m->n, u), q = DOT(m->n, w), zp = m->Z11 * p + m->Z12 * q,
       zq = m->Z12 * p + m->Z22 * q;
    for (int i = 0; i < 3; i++) {
        T[i] += m->n[i] * zp - m->R[3 + i] * twist;
        T[3 + i] += m->n[i] * zq + m->R[i] * twist;
    }
}

static inline void membrane_stiffness(const TnFemStep *step, int k, const Membrane *m,
                                      const v8 g[6], const v8 *volume)
{
    const TnFemMaterial *material = &step->mesh->material;
    v8 lambda = step->stiffness * material->lambda * *volume,
       mu = step->stiffness * material->mu * *volume, lead = step->lead_scale * *volume,
       c = lead * m->c, h[9];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) h[3 * a + i] = m->R[i] * g[2 * a] + m->R[3 + i] * g[2 * a + 1];
    int pair = 0;
    for (int b = 0; b < 3; b++)
        for (int a = 0; a <= b; a++, pair++) {
            const v8 *p = g + 2 * a, *q = g + 2 * b, *ha = h + 3 * a, *hb = h + 3 * b;
            v8 in = (mu + c) * (p[0] * q[0] + p[1] * q[1]);
            v8 out = lead * (m->Z11 * p[0] * q[0] + m->Z12 * (p[0] * q[1] + p[1] * q[0]) +
                             m->Z22 * p[1] * q[1]) -
                     in;
            v8 M[9];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    M[3 * i + j] =
                        lambda * hb[i] * ha[j] + (mu - c) * ha[i] * hb[j] + out * m->n[i] * m->n[j];
            for (int i = 0; i < 9; i += 4) M[i] += in;
            v_add_blocks(step->blocks, step->targets[k][pair], M);
        }
}

static void add_membrane(const TnFemStep *step, int first, int last)
{
    for (int k = first; k < last; k++) {
        const TnFemBatch *batch = &step->mesh->batches[k];
        const v8 *inverse = (const v8 *)batch->inverse, *volume = (const v8 *)batch->volume;
        v8 u[3], w[3], T[6], g[6];
        Membrane m;
        membrane_gradient(batch, step->x, u, w);
        membrane_at(&step->mesh->material, u, w, &m);
        membrane_matrix(step, batch, &m, T);
        for (int i = 0; i < 2; i++) {
            g[2 + i] = inverse[i];
            g[4 + i] = inverse[3 + i];
            g[i] = -(g[2 + i] + g[4 + i]);
        }
        for (int a = 0; a < 3; a++) {
            v8 f[3];
            for (int i = 0; i < 3; i++)
                f[i] = *volume * (T[i] * g[2 * a] + T[3 + i] * g[2 * a + 1]);
            v_scatter3(step->f, batch->node[a], f);
        }
        if (step->blocks) membrane_stiffness(step, k, &m, g, volume);
    }
}

static double membrane_energy(const TnFemMesh *mesh, const double (*x)[4], int first, int last)
{
    double sum = 0.0;
    for (int k = first; k < last; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        v8 u[3], w[3], S[3], J, trace;
        Membrane m;
        membrane_gradient(batch, x, u, w);
        strain_of(u, w, &m, S, &J, &trace);
        v8 tr = m.e11 + m.e22;
        v8 density = mesh->material.mu * (m.e11 * m.e11 + 2.0 * m.e12 * m.e12 + m.e22 * m.e22) +
                     0.5 * mesh->material.lambda * tr * tr;
        for (int l = 0; l < batch->count; l++) sum += batch->volume[l] * density[l];
    }
    return sum;
}

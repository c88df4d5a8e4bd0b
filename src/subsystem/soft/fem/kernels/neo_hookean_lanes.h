/* neo_hookean_lanes.h: `add` of fem_kernels.h for the neo-Hookean law (neo_hookean.c has the
 * equations). Included behind fem_lanes.h. */

/* out = L M Rᵀ, or Lᵀ M R */
static inline void between(const v8 L[9], const v8 M[9], const v8 R[9], bool transposed, v8 out[9])
{
    v8 T[9];
    int row = transposed ? 1 : 3, column = transposed ? 3 : 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] = L[row * i] * M[j] + L[row * i + column] * M[3 + j] +
                           L[row * i + 2 * column] * M[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = T[3 * i] * R[row * j] + T[3 * i + 1] * R[row * j + column] +
                             T[3 * i + 2] * R[row * j + 2 * column];
}

static inline void absolute(v8 *x)
{
    double *lane = (double *)x;
    for (int l = 0; l < TN_FEM_LANES; l++) lane[l] = fabs(lane[l]);
}

/* A ← |A| */
static void make_positive(v8 A[9])
{
    TnFemMatrix M;
    TnPolar polar;
    memcpy(M, A, sizeof M);
    polar_of(M, &polar);
    v8 s[3], V[9];
    memcpy(s, polar.s, sizeof s);
    memcpy(V, polar.V, sizeof V);
    for (int k = 0; k < 3; k++) absolute(&s[k]);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            A[3 * i + j] = A[3 * j + i] = V[3 * i] * s[0] * V[3 * j] +
                                          V[3 * i + 1] * s[1] * V[3 * j + 1] +
                                          V[3 * i + 2] * s[2] * V[3 * j + 2];
}

/* Stress and tangent; the latter as element.h has it. */
typedef struct NeoHookean {
    v8 U[9], V[9], P[9], A[9], own[3], cross[3];
} NeoHookean;

static void neo_hookean_at(const TnFemMaterial *material, const v8 F[9], NeoHookean *out)
{
    double m = 4.0 / 3.0 * material->mu, n = material->lambda + 5.0 / 6.0 * material->mu;
    double a = 1.0 + 0.75 * m / n;
    TnFemMatrix M;
    TnPolar polar;
    v8 s[3], C[9], det;
    memcpy(M, F, sizeof M);
    polar_of(M, &polar);
    memcpy(out->U, polar.U, sizeof out->U);
    memcpy(out->V, polar.V, sizeof out->V);
    memcpy(s, polar.s, sizeof s);
    cofactors(F, C, &det);
    v8 I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], J = s[0] * s[1] * s[2];
    v8 over = 1.0 / (I + 1.0), c = m * I * over, e = 2.0 * m * over * over, b = n * (J - a);
    v8 h[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    for (int i = 0; i < 9; i++) out->P[i] = c * F[i] + b * C[i];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            v8 side = c;
            if (i != j) side = b * s[(6 - i - j) % 3];
            out->A[3 * i + j] = side + e * s[i] * s[j] + n * h[i] * h[j];
        }
        v8 even = c - b * s[i], odd = c + b * s[i];
        absolute(&even);
        v8 size = odd;
        absolute(&size);
        odd = 0.5 * (odd + size);
        out->own[i] = 0.5 * (even + odd);
        out->cross[i] = 0.5 * (even - odd);
    }
    make_positive(out->A);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < TN_FEM_LANES; l++) {
            TnFemSqueeze squeeze = tn_fem_squeeze(material, s[k][l]);
            out->A[4 * k][l] += squeeze.stiffness;
            for (int i = 0; i < 9 && squeeze.force < 0.0; i++)
                out->P[i][l] +=
                    squeeze.force * out->U[3 * (i / 3) + k][l] * out->V[3 * (i % 3) + k][l];
        }
}

/* T = dP - share P for the gradient G of y */
static void neo_hookean_matrix(const NeoHookean *at, const v8 G[9], double share, v8 T[9])
{
    v8 D[9], Q[9];
    between(at->U, G, at->V, true, D);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] =
                i == j ? at->A[3 * i] * D[0] + at->A[3 * i + 1] * D[4] + at->A[3 * i + 2] * D[8]
                       : at->own[(6 - i - j) % 3] * D[3 * i + j] +
                             at->cross[(6 - i - j) % 3] * D[3 * j + i];
    between(at->U, Q, at->V, false, T);
    for (int i = 0; i < 9; i++) T[i] -= share * at->P[i];
}

static void neo_hookean_stiffness(const TnFemStep *step, int k, const NeoHookean *at,
                                  const v8 g[12], const v8 *scale)
{
    int pair = 0;
    v8 t[12]; /* g in the axes of V */
    for (int c = 0; c < 12; c += 3)
        for (int i = 0; i < 3; i++)
            t[c + i] = at->V[i] * g[c] + at->V[3 + i] * g[c + 1] + at->V[6 + i] * g[c + 2];
    for (int b = 0; b < 12; b += 3)
        for (int a = 0; a <= b; a += 3, pair++) {
            v8 M[9], K[9];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
                    v8 side = i == j ? at->own[i2] * t[b + i1] * t[a + i1] +
                                           at->own[i1] * t[b + i2] * t[a + i2]
                                     : at->cross[(6 - i - j) % 3] * t[b + j] * t[a + i];
                    M[3 * i + j] = (at->A[3 * i + j] * t[b + i] * t[a + j] + side) * *scale;
                }
            between(at->U, M, at->U, false, K);
            v_add_blocks(step->blocks, step->targets[k][pair], K);
        }
}

static void add_neo_hookean(const TnFemStep *step, int first, int last)
{
    for (int k = first; k < last; k++) {
        const TnFemBatch *batch = &step->mesh->batches[k];
        const v8 *inverse = (const v8 *)batch->inverse, *volume = (const v8 *)batch->volume;
        v8 x[12], F[9], G[9], T[9], f[12], g[12];
        NeoHookean at;
        corner_values(batch, step->x, x);
        gradient_of(inverse, x, F);
        corner_values(batch, step->y, x);
        gradient_of(inverse, x, G);
        neo_hookean_at(&step->mesh->material, F, &at);
        neo_hookean_matrix(&at, G, step->share, T);
        for (int i = 0; i < 3; i++) {
            g[i] = (v8){0.0};
            for (int a = 1; a < 4; a++) {
                g[3 * a + i] = inverse[3 * (a - 1) + i];
                g[i] -= g[3 * a + i];
            }
        }
        for (int a = 0; a < 12; a += 3)
            for (int i = 0; i < 3; i++)
                f[a + i] =
                    *volume * (T[3 * i] * g[a] + T[3 * i + 1] * g[a + 1] + T[3 * i + 2] * g[a + 2]);
        for (int a = 0; a < 4; a++) v_scatter3(step->f, batch->node[a], f + 3 * a);
        v8 scale = step->stiffness * *volume;
        if (step->blocks) neo_hookean_stiffness(step, k, &at, g, &scale);
    }
}

/* fem_lanes.h: the kernels of fem_kernels.h for the co-rotational law, in vectors of eight lanes
 * whatever the processor's width. Included once per instruction set, after its vocabulary:
 *     v_gather3(out, x, index)      three columns of the rows x[index[0..7]]
 *     v_scatter3(x, index, v)       adds three columns to such rows, one lane after the other
 *     v_add_blocks(blocks, to, M)   adds nine columns to the blocks to[0..7], likewise
 *     v_all_less(a, limit)          whether all lanes are
 *     v_raise(a, b)                 a ← max(a, b)
 *
 * With h_a = R g_a the stiffness of the law is short (corotational.c):
 *     K_ba = V (λ h_b h_aᵀ + μ h_a h_bᵀ + μ (h_a·h_b) 1)
 * and both force and K y come from one matrix, Σ V T g_a with
 *     T = μ (G + R Gᵀ R) + λ tr(RᵀG) R - share (2μ (F - R) + λ θ R),   G the gradient of y.
 *
 * R turns as well: with a = g_a × (Rᵀ u) a corner's motion u turns the stress by R [C a]×, C = μ -
 * (2μ - λθ)(tr S - S)⁻¹, S = RᵀF. For small strains C is ¼ (tr σ - σ): a taut band's stiffness
 * sideways, without which long steps shake it to pieces. A number c >= C >= 0 in its place keeps K
 * positive and costs little, K_ba += V c ((h_a·h_b) 1 - h_a h_bᵀ),   T += c (G - R Gᵀ R) and is
 * felt only by what differs from the expected motion. It has no part in damping: turning strains
 * nothing.
 *
 * R by Newton's iteration X ← ½ (X + X⁻ᵀ), which starting at F converges to its polar factor
 * wherever det F > 0; lanes that are flat or inverted get theirs from the singular values
 * (polar_lanes.h). */

#include <math.h>
#include <string.h>

#include "../squeeze.h"
#include "fem_kernels.h"
#include "polar_lanes.h"

/* det² against (|F|²/3)³ below which a lane counts as flat: a side shorter than about a hundredth.
 */
#define FLAT_SHARE 1e-5
#define NEWTON_MOST 16

static inline void corner_values(const TnFemBatch *batch, const double (*x)[4], v8 out[12])
{
    for (int a = 0; a < 4; a++) v_gather3(out + 3 * a, x, batch->node[a]);
}

static inline void gradient_of(const v8 *inverse, const v8 x[12], v8 F[9])
{
    for (int i = 0; i < 3; i++) {
        v8 p = x[3 + i] - x[i], q = x[6 + i] - x[i], r = x[9 + i] - x[i];
        for (int j = 0; j < 3; j++)
            F[3 * i + j] = p * inverse[j] + q * inverse[3 + j] + r * inverse[6 + j];
    }
}

/* det X X⁻ᵀ; returns the determinant through det. */
static inline void cofactors(const v8 X[9], v8 C[9], v8 *det)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            C[3 * i + j] = X[i1 + j1] * X[i2 + j2] - X[i1 + j2] * X[i2 + j1];
        }
    *det = X[0] * C[0] + X[1] * C[1] + X[2] * C[2];
}

/* Replaces lanes of F by 1 that Newton's iteration is not for; returns whether there are any. */
static bool set_aside(v8 F[9], double bad[TN_FEM_LANES])
{
    v8 C[9], det, size = F[0] * F[0];
    bool any = false;
    cofactors(F, C, &det);
    for (int i = 1; i < 9; i++) size += F[i] * F[i];
    v8 least = FLAT_SHARE / 27.0 * size * size * size, square = det * det;
    for (int l = 0; l < TN_FEM_LANES; l++) {
        bool good = det[l] > 0.0 && square[l] > least[l];
        bad[l] = good ? 0.0 : 1.0;
        any = any || !good;
        for (int i = 0; i < 9 && !good; i++) F[i][l] = i % 4 ? 0.0 : 1.0;
    }
    return any;
}

static void turn_hard_lanes(const v8 F[9], const double bad[TN_FEM_LANES], v8 R[9])
{
    TnFemMatrix M;
    TnPolar polar;
    memcpy(M, F, sizeof M);
    polar_of(M, &polar);
    for (int l = 0; l < TN_FEM_LANES; l++)
        for (int i = 0; i < 9 && bad[l] > 0.0; i++) R[i][l] = polar.R[i][l];
}

static inline bool easy_lanes(const v8 F[9])
{
    v8 C[9], det, size = F[0] * F[0];
    cofactors(F, C, &det);
    for (int i = 1; i < 9; i++) size += F[i] * F[i];
    v8 zero = {0.0}, margin = FLAT_SHARE / 27.0 * size * size * size - det * det;
    v8 negative = zero - det;
    return v_all_less(&negative, 0.0) && v_all_less(&margin, 0.0);
}

static inline void turn_of(const v8 F[9], v8 R[9])
{
    double bad[TN_FEM_LANES];
    bool hard = false;
    for (int i = 0; i < 9; i++) R[i] = F[i];
    if (!easy_lanes(F)) hard = set_aside(R, bad);
    for (int k = 0; k < NEWTON_MOST; k++) {
        v8 C[9], det, change = {0.0};
        cofactors(R, C, &det);
        v8 half = 0.5 / det;
        for (int i = 0; i < 9; i++) {
            v8 next = 0.5 * R[i] + half * C[i], step = next - R[i];
            change += step * step;
            R[i] = next;
        }
        if (v_all_less(&change, 1e-15)) break; /* squared once more it is rounding */
    }
    if (hard) turn_hard_lanes(F, bad, R);
}

static void turn(const TnFemStep *step, int first, int last)
{
    for (int k = first; k < last; k++) {
        const TnFemBatch *batch = &step->mesh->batches[k];
        const v8 *inverse = (const v8 *)batch->inverse;
        v8 x[12], F[9], R[9], G[9], *out = (v8 *)step->turns[k].R;
        corner_values(batch, step->x, x);
        gradient_of(inverse, x, F);
        corner_values(batch, step->y, x);
        gradient_of(inverse, x, G);
        turn_of(F, R);
        v8 sum = {0.0}, rate = {0.0};
        for (int i = 0; i < 9; i++) {
            sum += R[i] * F[i];
            rate += R[i] * G[i];
            out[i] = R[i];
        }
        *(v8 *)step->turns[k].dilatation = sum - 3.0;
        *(v8 *)step->turns[k].rate = rate;
    }
}

/* The matrix T of the top. */
static inline void matrix_of(const TnFemStep *step, const v8 F[9], const v8 G[9], const v8 R[9],
                             const v8 *along, v8 T[9])
{
    double mu = step->mesh->material.mu, two = 2.0 * mu * step->share;
    v8 S[9];
    for (int i = 0; i < 3; i++) /* Gᵀ R */
        for (int j = 0; j < 3; j++)
            S[3 * i + j] = G[i] * R[j] + G[3 + i] * R[3 + j] + G[6 + i] * R[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 * i + j;
            v8 turned = R[3 * i] * S[j] + R[3 * i + 1] * S[3 + j] + R[3 * i + 2] * S[6 + j];
            T[k] = mu * (G[k] + turned) - two * F[k] + (*along + two) * R[k];
        }
}

/* λ (tr(RᵀG) - share θ), of the elements or of their patches. */
static inline void dilatation_of(const TnFemStep *step, const TnFemBatch *batch,
                                 const TnFemTurn *turn_, v8 *along)
{
    double lambda = step->mesh->material.lambda;
    if (!step->mesh->patch_count) {
        *along = lambda * (*(const v8 *)turn_->rate - step->share * *(const v8 *)turn_->dilatation);
        return;
    }
    double *out = (double *)along;
    for (int l = 0; l < TN_FEM_LANES; l++) {
        int p = batch->patch[l];
        out[l] = step->patch_rate[p] - lambda * step->share * step->patch_dilatation[p];
    }
}

/* Half of the largest sum of two principal stresses, or a little more; 0 where elements are
 * pressed. */
static inline void pull_of(const TnFemStep *step, const TnFemBatch *batch, const TnFemTurn *turn_,
                           const v8 F[9], const v8 R[9], v8 *pull)
{
    const TnFemMaterial *m = &step->mesh->material;
    v8 square = {0.0}, tr = *(const v8 *)turn_->dilatation;
    for (int i = 0; i < 9; i++) square += (F[i] - R[i]) * (F[i] - R[i]);
    square = 2.0 / 3.0 * (square - tr * tr / 3.0);
    double *out = (double *)pull;
    for (int l = 0; l < TN_FEM_LANES; l++) {
        double theta = step->mesh->patch_count ? step->patch_dilatation[batch->patch[l]] : tr[l];
        double p = 0.5 * (m->mu * (2.0 / 3.0 * tr[l] + sqrt(square[l] > 0.0 ? square[l] : 0.0)) +
                          m->lambda * theta);
        out[l] = p > 0.0 ? p : 0.0;
    }
}

static inline void add_stiffness(const TnFemStep *step, int k, const v8 h[12], const v8 *volume,
                                 const v8 *pull)
{
    const TnFemMaterial *m = &step->mesh->material;
    v8 mu = step->stiffness * m->mu * *volume;
    v8 lambda = (step->mesh->patch_count ? 0.0 : step->stiffness * m->lambda) * *volume;
    v8 less = mu - step->lead_scale * *pull * *volume;
    int pair = 0;
    for (int b = 0; b < 12; b += 3)
        for (int a = 0; a <= b; a += 3, pair++) {
            v8 M[9], u[3], w[3];
            for (int i = 0; i < 3; i++) {
                u[i] = mu * h[a + i];
                w[i] = lambda * h[a + i];
            }
            v8 d = u[0] * h[b] + u[1] * h[b + 1] + u[2] * h[b + 2];
            for (int i = 0; i < 3; i++) u[i] = less * h[a + i];
            d += (mu - less) * (h[a] * h[b] + h[a + 1] * h[b + 1] + h[a + 2] * h[b + 2]);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) M[3 * i + j] = h[b + i] * w[j] + u[i] * h[b + j];
            for (int i = 0; i < 9; i += 4) M[i] += d;
            v_add_blocks(step->blocks, step->targets[k][pair], M);
        }
}

/* |F - R|² is at least (1 - s)² of each stretch: whether some lane may be squeezed (squeeze.h). */
static inline bool may_be_squeezed(const v8 *strain)
{
    return !v_all_less(strain, (1.0 - TN_SQUEEZED) * (1.0 - TN_SQUEEZED));
}

typedef struct Squeezed {
    TnFemMatrix U, V;
    TnFemSqueeze along[3][TN_FEM_LANES];
} Squeezed;

static void squeezed_at(const TnFemMaterial *material, const v8 F[9], Squeezed *out)
{
    TnFemMatrix M;
    TnPolar polar;
    memcpy(M, F, sizeof M);
    polar_of(M, &polar);
    memcpy(out->U, polar.U, sizeof out->U);
    memcpy(out->V, polar.V, sizeof out->V);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < TN_FEM_LANES; l++)
            out->along[k][l] = tn_fem_squeeze(material, polar.s[k][l]);
}

/* T += dP - share P of it for the gradient G of y. */
static void add_squeeze_matrix(const TnFemStep *step, const Squeezed *at, const v8 G[9], v8 T[9])
{
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < TN_FEM_LANES; l++) {
            double rate = 0.0, size;
            for (int i = 0; i < 9; i++)
                rate += at->U[3 * (i / 3) + k][l] * G[i][l] * at->V[3 * (i % 3) + k][l];
            size = at->along[k][l].stiffness * rate - step->share * at->along[k][l].force;
            for (int i = 0; i < 9; i++)
                T[i][l] += size * at->U[3 * (i / 3) + k][l] * at->V[3 * (i % 3) + k][l];
        }
}

/* K_ba += V κ_k (v_k·g_b) (v_k·g_a) u_k u_kᵀ */
static void add_squeeze_stiffness(const TnFemStep *step, int batch_index, const Squeezed *at)
{
    const TnFemBatch *batch = &step->mesh->batches[batch_index];
    double grow[3][4][TN_FEM_LANES]; /* of stretch k with corner a along u_k */
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < TN_FEM_LANES; l++) {
            grow[k][0][l] = 0.0;
            for (int a = 1; a < 4; a++) {
                double g = 0.0;
                for (int j = 0; j < 3; j++)
                    g += at->V[3 * j + k][l] * batch->inverse[3 * (a - 1) + j][l];
                grow[k][a][l] = g;
                grow[k][0][l] -= g;
            }
        }
    for (int b = 0, pair = 0; b < 4; b++)
        for (int a = 0; a <= b; a++, pair++) {
            v8 M[9];
            for (int i = 0; i < 9; i++)
                for (int l = 0; l < TN_FEM_LANES; l++) {
                    double sum = 0.0;
                    for (int k = 0; k < 3; k++)
                        sum += at->along[k][l].stiffness * grow[k][b][l] * grow[k][a][l] *
                               at->U[3 * (i / 3) + k][l] * at->U[3 * (i % 3) + k][l];
                    M[i][l] = step->stiffness * batch->volume[l] * sum;
                }
            v_add_blocks(step->blocks, step->targets[batch_index][pair], M);
        }
}

static void add(const TnFemStep *step, int first, int last)
{
    for (int k = first; k < last; k++) {
        const TnFemBatch *batch = &step->mesh->batches[k];
        const v8 *inverse = (const v8 *)batch->inverse, *volume = (const v8 *)batch->volume;
        const v8 *R = (const v8 *)step->turns[k].R;
        v8 x[12], F[9], G[9], T[9], f[12], h[12], along;
        corner_values(batch, step->x, x);
        gradient_of(inverse, x, F);
        corner_values(batch, step->y, x);
        gradient_of(inverse, x, G);
        dilatation_of(step, batch, &step->turns[k], &along);
        matrix_of(step, F, G, R, &along, T);
        v8 pull = {0.0}, strain = {0.0};
        Squeezed squeezed;
        for (int i = 0; i < 9; i++) strain += (F[i] - R[i]) * (F[i] - R[i]);
        bool squeezes = may_be_squeezed(&strain);
        if (squeezes) {
            squeezed_at(&step->mesh->material, F, &squeezed);
            add_squeeze_matrix(step, &squeezed, G, T);
        }
        if (step->lead) {
            v8 S[9];
            pull_of(step, batch, &step->turns[k], F, R, &pull);
            corner_values(batch, step->lead, x);
            gradient_of(inverse, x, G);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    S[3 * i + j] = G[i] * R[j] + G[3 + i] * R[3 + j] + G[6 + i] * R[6 + j];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    T[3 * i + j] += pull * (G[3 * i + j] - R[3 * i] * S[j] -
                                            R[3 * i + 1] * S[3 + j] - R[3 * i + 2] * S[6 + j]);
        }
        for (int i = 0; i < 3; i++) {
            f[i] = h[i] = (v8){0.0};
            for (int a = 1; a < 4; a++) {
                const v8 *g = inverse + 3 * (a - 1);
                f[3 * a + i] =
                    *volume * (T[3 * i] * g[0] + T[3 * i + 1] * g[1] + T[3 * i + 2] * g[2]);
                h[3 * a + i] = R[3 * i] * g[0] + R[3 * i + 1] * g[1] + R[3 * i + 2] * g[2];
                f[i] -= f[3 * a + i];
                h[i] -= h[3 * a + i];
            }
        }
        for (int a = 0; a < 4; a++) v_scatter3(step->f, batch->node[a], f + 3 * a);
        if (!step->blocks) continue;
        add_stiffness(step, k, h, volume, &pull);
        if (squeezes) add_squeeze_stiffness(step, k, &squeezed);
        for (int a = 0; a < 4 && step->mesh->patch_count; a++) {
            int place[TN_FEM_LANES];
            for (int l = 0; l < TN_FEM_LANES; l++)
                place[l] = step->mesh->patch_start[batch->patch[l]] + batch->slot[a][l];
            for (int i = 0; i < 3; i++) h[3 * a + i] *= *volume;
            v_scatter3(step->patch_growth, place, h + 3 * a);
        }
    }
}

/* λ / V_P q qᵀ: eight of the nine products at once. */
static void add_patches(const TnFemStep *step, int first_patch, int last_patch)
{
    const TnFemMesh *mesh = step->mesh;
    const int *to = step->patch_targets;
    for (int p = first_patch; p < last_patch; p++) {
        int first = mesh->patch_start[p], n = mesh->patch_start[p + 1] - first;
        double c = step->stiffness * mesh->material.lambda / mesh->patch_volume[p];
        const double(*q)[4] = (const double(*)[4])step->patch_growth + first;
        for (int b = 0; b < n; b++) {
            double x = c * q[b][0], y = c * q[b][1], z = c * q[b][2];
            v8 left = {x, x, x, y, y, y, z, z};
            for (int a = 0; a <= b; a++) {
                const double *r = q[a];
                v8 right = {r[0], r[1], r[2], r[0], r[1], r[2], r[0], r[1]};
                double *block = step->blocks + 9 * (size_t)*to++;
                *(v8u *)block += left * right;
                block[8] += z * r[2];
            }
        }
    }
}

static double fastest(const TnFemMesh *mesh, const double (*v)[4], int first, int last)
{
    v8 most = {0.0};
    double all = 0.0;
    for (int k = first; k < last; k++) {
        v8 x[12], G[9], sum = {0.0};
        corner_values(&mesh->batches[k], v, x);
        gradient_of((const v8 *)mesh->batches[k].inverse, x, G);
        for (int i = 0; i < 9; i++) sum += G[i] * G[i];
        v_raise(&most, &sum);
    }
    for (int l = 0; l < TN_FEM_LANES; l++) all = most[l] > all ? most[l] : all;
    return all;
}

static double squeeze_energy(const TnFemMesh *mesh, const TnFemBatch *batch, const v8 F[9])
{
    Squeezed at;
    double sum = 0.0;
    squeezed_at(&mesh->material, F, &at);
    for (int l = 0; l < batch->count; l++)
        for (int k = 0; k < 3; k++) sum += batch->volume[l] * at.along[k][l].energy;
    return sum;
}

/* Σ V ψ; with patches, without its volumetric part. */
static double corotational_energy(const TnFemMesh *mesh, const double (*x)[4], int first, int last,
                                  TnFemTurn *turns)
{
    const TnFemMaterial *m = &mesh->material;
    double sum = 0.0;
    for (int k = first; k < last; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        v8 c[12], F[9], R[9], square = {0.0}, theta = {0.0};
        corner_values(batch, x, c);
        gradient_of((const v8 *)batch->inverse, c, F);
        turn_of(F, R);
        for (int i = 0; i < 9; i++) {
            square += (F[i] - R[i]) * (F[i] - R[i]);
            theta += R[i] * F[i];
        }
        theta -= 3.0;
        *(v8 *)turns[k].dilatation = theta;
        for (int l = 0; l < batch->count; l++) {
            double V = batch->volume[l];
            sum += V * m->mu * square[l];
            if (!mesh->patch_count) sum += 0.5 * V * m->lambda * theta[l] * theta[l];
        }
        if (may_be_squeezed(&square)) sum += squeeze_energy(mesh, batch, F);
    }
    return sum;
}

static double neo_hookean_energy(const TnFemMesh *mesh, const double (*x)[4], int first, int last)
{
    double m = 4.0 / 3.0 * mesh->material.mu,
           n = mesh->material.lambda + 5.0 / 6.0 * mesh->material.mu, a = 1.0 + 0.75 * m / n,
           sum = 0.0;
    for (int k = first; k < last; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        v8 c[12], F[9], C[9], det, I = {0.0};
        corner_values(batch, x, c);
        gradient_of((const v8 *)batch->inverse, c, F);
        cofactors(F, C, &det);
        for (int i = 0; i < 9; i++) I += F[i] * F[i];
        /* the least stretch is det over the product of the others, which is at most I/2 */
        v8 margin = 0.5 * TN_SQUEEZED * I - det;
        if (!v_all_less(&margin, 0.0)) sum += squeeze_energy(mesh, batch, F);
        for (int l = 0; l < batch->count; l++) {
            double d = det[l] - a, J = I[l] - 3.0;
            sum += batch->volume[l] *
                   (0.5 * m * (J - log1p(0.25 * J)) + 0.5 * n * (d * d - (1.0 - a) * (1.0 - a)));
        }
    }
    return sum;
}

static double membrane_energy(const TnFemMesh *mesh, const double (*x)[4], int first,
                              int last); /* membrane_lanes.h */

static double energy(const TnFemMesh *mesh, const double (*x)[4], int first, int last,
                     TnFemTurn *turns)
{
    if (mesh->material.law == TN_FEM_NEO_HOOKEAN) return neo_hookean_energy(mesh, x, first, last);
    if (mesh->material.law == TN_FEM_MEMBRANE) return membrane_energy(mesh, x, first, last);
    return corotational_energy(mesh, x, first, last, turns);
}

/* output.c: what soft bodies tell: held nodes' places, energy, stress. */
#include "elements.h"

#include <math.h>
#include <string.h>

#include "../tour.h"
#include "fem/element.h"

enum { LANES = TN_FEM_LANES };

void tn_soft_place_held(const TnModel *model, const TnDivision *division, const TnLinkFrame *frames,
                        const double (*twists)[6], double *qpos, double *qvel)
{
    for (int i = 0; i < division->piece_count; i++) {
        const TnSoftPiece *piece = &division->pieces[i];
        const TnSoft *soft = &model->softs[piece->soft];
        for (int a = 0; a < piece->node_count; a++) {
            int n = piece->nodes[a];
            double *x = qpos + soft->qpos_start + 3 * n, *v = qvel + soft->dof_start + 3 * n;
            if (soft->pinned[n]) {
                v3_copy(x, soft->rest + 3 * n);
                v3_set(v, 0.0, 0.0, 0.0);
            } else if (piece->follow[a] >= 0) {
                const TnSoftHold *hold = &soft->holds[piece->follow[a]];
                m3_mul_v(x, frames[hold->link].rot, hold->pos);
                v3_add(x, x, frames[hold->link].pos);
                tn_velocity_at(&frames[hold->link], twists[hold->link], x, v);
            }
        }
    }
}

/* Places the elements of piece p. */
static void place(const TnPieceElements *p, const double *x)
{
    double *own = (double *)p->y; /* three numbers per node here */
    for (int a = 0; a < p->piece->node_count; a++) v3_copy(own + 3 * a, x + 3 * p->piece->nodes[a]);
    tn_fem_place(p->mesh, own, p->places, p->patches);
    memset(p->y, 0, sizeof *p->y * (size_t)p->piece->node_count);
}

/* ---- energy ---- */

/* Σ V times the elements' dilatations. */
static double patch_sum(const TnPieceElements *p, int patch)
{
    double sum = 0.0;
    for (int t = p->patch_first[patch]; t < p->patch_first[patch + 1]; t++) {
        int b = p->patch_tets[t] / LANES, l = p->patch_tets[t] % LANES;
        sum += p->mesh->batches[b].volume[l] * p->turns[b].dilatation[l];
    }
    return sum;
}

/* Of the chunk of batches that begins with this one. */
static void energy_part(const TnSoftElements *all, const TnPieceElements *p, const double (*x)[4],
                        int first)
{
    int last =
        first + TN_SOFT_CHUNK < p->mesh->batch_count ? first + TN_SOFT_CHUNK : p->mesh->batch_count;
    p->parts[first / TN_SOFT_CHUNK] = all->kernels->energy(p->mesh, x, first, last, p->turns);
}

/* Of all parts, in their order, whichever thread found them. */
static double energy_sum(const TnPieceElements *p, const double (*x)[4])
{
    const TnFemMesh *mesh = p->mesh;
    double sum = 0.0;
    for (int k = 0; k < mesh->batch_count; k += TN_SOFT_CHUNK) sum += p->parts[k / TN_SOFT_CHUNK];
    for (int k = 0; k < mesh->patch_count; k++) {
        double theta = patch_sum(p, k);
        sum += 0.5 * mesh->material.lambda * theta * theta / mesh->patch_volume[k];
    }
    return p->bending ? sum + tn_bending_energy(p->bending, x) : sum;
}

double tn_piece_energy(const TnSoftElements *all, const TnPieceElements *p, const double (*x)[4])
{
    for (int k = 0; k < p->mesh->batch_count; k += TN_SOFT_CHUNK) energy_part(all, p, x, k);
    return energy_sum(p, x);
}

static void put_nodes(const TnPieceElements *p, const TnModel *model, const double *qpos)
{
    const double *x = qpos + model->softs[p->piece->soft].qpos_start;
    for (int a = 0; a < p->piece->node_count; a++) v3_copy(p->y[a], x + 3 * p->piece->nodes[a]);
}

static void clear_nodes(const TnPieceElements *p)
{
    memset(p->y, 0, sizeof *p->y * (size_t)p->piece->node_count);
}

double tn_soft_energy(const TnSoftElements *elements, const TnModel *model, int soft,
                      const double *qpos)
{
    double sum = 0.0;
    for (int i = 0; i < elements->piece_count; i++) {
        const TnPieceElements *p = &elements->pieces[i];
        if (p->piece->soft != soft) continue;
        put_nodes(p, model, qpos);
        sum += tn_piece_energy(elements, p, (const double(*)[4])p->y);
        clear_nodes(p);
    }
    return sum;
}

typedef struct Energies {
    const TnSoftElements *all;
    const TnModel *model;
    const int32_t *asleep;
} Energies;

static bool sleeps(const Energies *e, const TnPieceElements *p)
{
    return e->asleep[e->model->softs[p->piece->soft].subsystem];
}

static void energy_range(void *context, int begin, int end)
{
    const Energies *e = context;
    for (int i = begin; i < end; i++) {
        const TnSoftChunk *chunk = &e->all->batches.list[i];
        const TnPieceElements *p = &e->all->pieces[chunk->piece];
        if (!sleeps(e, p)) energy_part(e->all, p, (const double(*)[4])p->y, chunk->first);
    }
}

void tn_soft_energies(const TnSoftElements *elements, const TnModel *model, const double *qpos,
                      const int32_t *asleep, double *out, TnPool *pool)
{
    Energies e = {elements, model, asleep};
    for (int s = 0; s < model->soft_count; s++) out[s] = 0.0;
    for (int i = 0; i < elements->piece_count; i++)
        if (!sleeps(&e, &elements->pieces[i])) put_nodes(&elements->pieces[i], model, qpos);
    tn_pool_run(pool, elements->batches.count, 1, energy_range, &e);
    for (int i = 0; i < elements->piece_count; i++) {
        const TnPieceElements *p = &elements->pieces[i];
        if (sleeps(&e, p)) continue;
        out[p->piece->soft] += energy_sum(p, (const double(*)[4])p->y);
        clear_nodes(p);
    }
}

/* ---- stress ---- */

/* σ = P Fᵀ / det F of one lane. Where an element is flat or inverted, as if it had a thousandth of
 * its volume. */
static void cauchy(TnFemMatrix P, const TnFemPlace *at, int l, double sigma[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double J = at->polar.s[0][l] * at->polar.s[1][l] * at->polar.s[2][l];
    for (int k = 0; k < 6; k++) {
        double both[2];
        for (int side = 0; side < 2; side++) {
            int i = 3 * (side ? column[k] : row[k]), j = 3 * (side ? row[k] : column[k]);
            both[side] = P[i][l] * at->F[j][l] + P[i + 1][l] * at->F[j + 1][l] +
                         P[i + 2][l] * at->F[j + 2][l];
        }
        sigma[k] = 0.5 * (both[0] + both[1]) / fmax(J, 1e-3);
    }
}

/* Of a sheet's triangle: that of its membrane, σ = R Π Rᵀ as kernels/membrane_lanes.h has it;
 * bending aside. */
static void sheet_stress(const TnPieceElements *p, int e, const double *x, double sigma[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const TnFemBatch *batch = &p->mesh->batches[e / LANES];
    const TnFemMaterial *m = &p->mesh->material;
    int l = e % LANES;
    double F[2][3], R[2][3], n[3];
    for (int i = 0; i < 3; i++) {
        const double *x0 = x + 3 * p->piece->nodes[batch->node[0][l]],
                     *x1 = x + 3 * p->piece->nodes[batch->node[1][l]],
                     *x2 = x + 3 * p->piece->nodes[batch->node[2][l]];
        for (int j = 0; j < 2; j++)
            F[j][i] =
                (x1[i] - x0[i]) * batch->inverse[j][l] + (x2[i] - x0[i]) * batch->inverse[3 + j][l];
    }
    v3_cross(n, F[0], F[1]);
    double a = v3_dot(F[0], F[0]), b = v3_dot(F[0], F[1]), c = v3_dot(F[1], F[1]),
           J = fmax(v3_norm(n), 1e-8 * (a + c)), trace = sqrt(a + c + 2.0 * J);
    double S[3] = {(a + J) / trace, b / trace, (c + J) / trace};
    double along = m->lambda * (S[0] + S[2] - 2.0), P[3];
    for (int k = 0; k < 3; k++) {
        R[0][k] = (S[2] * F[0][k] - S[1] * F[1][k]) / J;
        R[1][k] = (S[0] * F[1][k] - S[1] * F[0][k]) / J;
        P[k] = 2.0 * m->mu * (S[k] - (k == 1 ? 0.0 : 1.0)) + (k == 1 ? 0.0 : along);
    }
    for (int k = 0; k < 6; k++) {
        int i = row[k], j = column[k];
        sigma[k] = P[0] * R[0][i] * R[0][j] + P[1] * (R[0][i] * R[1][j] + R[1][i] * R[0][j]) +
                   P[2] * R[1][i] * R[1][j];
    }
}

static double mises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

void tn_soft_stress(const TnSoftElements *elements, const TnModel *model, int soft,
                    const double *qpos, double *stress, double *von_mises)
{
    for (int i = 0; i < elements->piece_count; i++) {
        const TnPieceElements *p = &elements->pieces[i];
        if (p->piece->soft != soft) continue;
        TnFemMatrix P;
        bool sheet = p->mesh->material.law == TN_FEM_MEMBRANE;
        if (!sheet) place(p, qpos + model->softs[soft].qpos_start);
        for (int e = 0; e < p->piece->tet_count; e++) {
            const TnFemPlace *at = &p->places[e / LANES];
            double energy[LANES], sigma[6];
            if (e % LANES == 0 && p->mesh->material.law == TN_FEM_NEO_HOOKEAN)
                tn_fem_neo_hookean_stress(&p->mesh->material, at, P, energy);
            else if (e % LANES == 0 && !sheet)
                tn_fem_corotational_stress(&p->mesh->material, at, P, energy);
            if (sheet)
                sheet_stress(p, e, qpos + model->softs[soft].qpos_start, sigma);
            else
                cauchy(P, at, e % LANES, sigma);
            size_t tet = (size_t)p->piece->tets[e];
            if (stress) memcpy(stress + 6 * tet, sigma, sizeof sigma);
            if (von_mises) von_mises[tet] = mises(sigma);
        }
    }
}

/* delassus.c: places of groups and pieces, laws and q (delassus.h). */
#include "delassus.h"

#include <math.h>
#include <string.h>

#include "../../math/vec3.h"
#include "../block/block.h"
#include "../law/law.h"

/* The choice for a dense block with R rows and n unknowns, in multiplications: rows take a solve
 * each, G and R² a sweep; velocities half a solve each and 2 R n a sweep. More sweeps than these
 * are not counted on. */
#define SWEEPS 1000.0

/* ---- places ---- */

static bool keeps_rows(const TnDelassus *w, int block, TnDelassusForm form)
{
    const TnProblem *p = w->problem;
    if (form == TN_DELASSUS_ROWS) return true;
    if (block < p->twist_count) return false;
    const TnLargeBlock *d = &p->large[block - p->twist_count];
    if (!d->kind->forward) return true;
    double R = w->block_rows[block], n = d->dim, sweeps = fmin(SWEEPS, w->sweeps);
    if (d->filled > 0.0 && form == TN_DELASSUS_CHEAPEST) {
        sweeps = fmin(SWEEPS, w->sweeps);
        return 0.5 * R * R * n + sweeps * R * R * fmin(1.0, 3.0 * d->filled) < sweeps * 2.0 * R * n;
    }
    return form == TN_DELASSUS_CHEAPEST &&
           R * n * n + R * R * n + sweeps * R * R < 0.5 * R * n * n + sweeps * 2.0 * R * n;
}

static bool sort_pieces(TnDelassus *w, int blocks)
{
    int *start = w->block_start;
    w->block_pieces = TN_ARENA_NEW(w->problem->arena, int, w->piece_count);
    if (!w->block_pieces) return false;
    for (int i = 0; i < w->piece_count; i++) start[w->pieces[i].block + 2]++;
    for (int k = 0; k < blocks; k++) start[k + 2] += start[k + 1];
    for (int i = 0; i < w->piece_count; i++) w->block_pieces[start[w->pieces[i].block + 1]++] = i;
    return true;
}

/* x of all blocks; G of those that keep rows; then group by group W, its inverse and pieces of
 * velocities. */
static bool lay_out(TnDelassus *w, TnDelassusForm form)
{
    const TnProblem *p = w->problem;
    int blocks = p->twist_count + p->large_count, mu = tn_padded(w->row_count), next = mu;
    size_t size = 0;
    if (!sort_pieces(w, blocks)) return false;
    for (int k = 0; k < blocks; k++) {
        if (!w->block_rows[k]) continue;
        w->keeps_rows[k] = keeps_rows(w, k, form);
        w->block_x[k] = next;
        w->block_n[k] = w->keeps_rows[k]     ? tn_padded(w->block_rows[k])
                        : k < p->twist_count ? 8
                                             : tn_padded(p->large[k - p->twist_count].dim);
        next += w->block_n[k];
        *(w->keeps_rows[k] ? &w->any_rows : &w->any_velocities) = true;
        if (!w->keeps_rows[k]) continue;
        double *G =
            TN_ARENA_ZERO(p->arena, double, (size_t)w->block_rows[k] * (size_t)w->block_n[k]);
        if (!G) return false;
        for (int i = w->block_start[k], row = 0; i < w->block_start[k + 1]; i++) {
            TnPiece *piece = &w->pieces[w->block_pieces[i]];
            piece->local = w->block_x[k] + row;
            piece->rows = G + (size_t)row * (size_t)w->block_n[k];
            row += w->groups[piece->group].count;
        }
    }
    for (int i = 0; i < w->piece_count; i++) {
        TnPiece *piece = &w->pieces[i];
        piece->at = w->block_x[piece->block];
        piece->n = w->block_n[piece->block];
        if (piece->local < 0) size += (size_t)(piece->n * w->groups[piece->group].count);
    }
    for (int g = 0; g < w->group_count; g++)
        size += 2 * (size_t)(w->groups[g].count * w->groups[g].count);
    double *data = TN_ARENA_ZERO(p->arena, double, size);
    next += 8; /* a row of zeros, for batches */
    w->state_count = (size_t)next;
    w->mu = w->state = TN_ARENA_ZERO(p->arena, double, next);
    w->q = TN_ARENA_ZERO(p->arena, double, mu);
    w->D = TN_ARENA_ZERO(p->arena, double, mu);
    w->lever = TN_ARENA_ZERO(p->arena, double, mu);
    if (!data || !w->state || !w->q || !w->D || !w->lever) return false;
    w->x = w->state;
    for (int g = 0; g < w->group_count; g++) {
        TnGroup *group = &w->groups[g];
        group->W = data;
        group->inverse = data + group->count * group->count;
        data += 2 * group->count * group->count;
        for (int i = group->piece; i < group->piece + group->piece_count; i++) {
            if (w->pieces[i].local >= 0) continue;
            w->pieces[i].rows = data;
            data += group->count * w->pieces[i].n;
        }
    }
    return true;
}

/* ---- laws ---- */

static void add_own(const TnDelassus *w, const TnGroup *group, const TnPiece *piece)
{
    int m = group->count, n = piece->n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0.0;
            if (piece->local >= 0)
                sum = piece->rows[(long)i * n + piece->local - piece->at + j];
            else
                for (int k = 0; k < n; k++)
                    sum += piece->rows[(long)i * n + k] * piece->rows[(long)j * n + k];
            group->W[m * i + j] += sum;
        }
    (void)w;
}

static double lever_of(const TnDelassus *w, const TnGroup *group, int row)
{
    if (group->kind == TN_A_BOND) return w->bond_rows[group->source].lever[row];
    return group->kind == TN_A_ROW ? tn_row_lever(&w->problem->rows[group->source]) : 1.0;
}

static void set_law(const TnDelassus *w, TnGroup *group)
{
    int m = group->count;
    double M[TN_GROUP_ROWS * TN_GROUP_ROWS];
    for (int i = group->piece; i < group->piece + group->piece_count; i++)
        add_own(w, group, &w->pieces[i]);
    for (int i = 0; i < m; i++)
        if (group->law != TN_LAW_NONE) w->D[group->first + i] = group->W[(m + 1) * i];
    for (int i = 0; i < m; i++) w->lever[group->first + i] = lever_of(w, group, i);
    if (group->law == TN_LAW_ROW) {
        if (!(group->W[0] > 0.0)) group->law = TN_LAW_NONE;
        return;
    }
    memcpy(M, group->W, sizeof(double) * (size_t)(m * m));
    for (int i = 0; i < m; i++) M[(m + 1) * i] += group->slack;
    tn_small_inverse(m, M, group->inverse);
    if (group->law == TN_LAW_CONTACT)
        group->regular =
            group->inverse[0] > 0.0 && group->inverse[4] > 0.0 && group->inverse[8] > 0.0;
}

/* ---- q and μ ---- */

void tn_delassus_rows_of(const TnDelassus *w, const TnGroup *group, const TnPerConstraint *u,
                         double *out)
{
    const TnProblem *p = w->problem;
    if (group->kind == TN_A_ROW) {
        for (int i = 0; i < group->count; i++) out[i] = u->row[group->source + i];
    } else if (group->kind == TN_A_CONTACT) {
        double frame[3][3];
        tn_delassus_frame(p, group->source, frame);
        for (int i = 0; i < 3; i++) out[i] = v3_dot(frame[i], u->contact[group->source]);
    } else {
        tn_bond_rows_velocity(&p->bonds[group->source], &w->bond_rows[group->source],
                              u->bond[group->source], out);
    }
}

static void start(TnDelassus *w, const TnGroup *group, const TnPerConstraint *lambda, double *mu)
{
    const TnProblem *p = w->problem;
    if (group->kind == TN_A_BOND) {
        tn_bond_rows_start(&p->bonds[group->source], &w->bond_rows[group->source], mu);
    } else if (group->law == TN_LAW_NONE) {
        const double t[2] = {0};
        if (group->kind == TN_A_ROW) tn_row_project(&p->rows[group->source], 0.0, 0.0, t, mu);
    } else {
        tn_delassus_rows_of(w, group, lambda, mu);
    }
}

static bool set_q(TnDelassus *w)
{
    TnProblem *p = w->problem;
    TnPerConstraint lambda, u;
    TnVelocities v;
    size_t mark = tn_arena_mark(p->arena);
    if (!tn_per_constraint_alloc(p, &lambda) || !tn_per_constraint_alloc(p, &u) ||
        !tn_velocities_alloc(p, &v))
        return false;
    tn_lambda_take(p, &lambda);
    for (int g = 0; g < w->group_count; g++)
        start(w, &w->groups[g], &lambda, w->mu + w->groups[g].first);
    tn_lambda_put(p, &u); /* none */
    for (int i = 0; i < p->bond_count; i++) tn_bond_rows_put(&p->bonds[i], &w->bond_rows[i], NULL);
    tn_velocities_touched(p, &v);
    tn_constraint_velocities(p, &v, &u);
    for (int g = 0; g < w->group_count; g++)
        tn_delassus_rows_of(w, &w->groups[g], &u, w->q + w->groups[g].first);
    tn_arena_release(p->arena, mark);
    tn_delassus_put(w);
    return true;
}

void tn_delassus_put(const TnDelassus *w)
{
    TnProblem *p = w->problem;
    for (int g = 0; g < w->group_count; g++) {
        const TnGroup *group = &w->groups[g];
        const double *mu = w->mu + group->first;
        if (group->kind == TN_A_BOND) {
            tn_bond_rows_put(&p->bonds[group->source], &w->bond_rows[group->source], mu);
        } else if (group->kind == TN_A_ROW) {
            for (int i = 0; i < group->count; i++) p->rows[group->source + i].lambda = mu[i];
        } else {
            double frame[3][3], *lambda = p->lambda[group->source];
            tn_delassus_frame(p, group->source, frame);
            for (int k = 0; k < 3; k++)
                lambda[k] = mu[0] * frame[0][k] + mu[1] * frame[1][k] + mu[2] * frame[2][k];
        }
    }
}

void tn_delassus_refresh(TnDelassus *w)
{
    size_t mu = (size_t)tn_padded(w->row_count);
    memset(w->state + mu, 0, sizeof(double) * (w->state_count - mu));
    for (int i = 0; i < w->piece_count; i++) {
        const TnPiece *piece = &w->pieces[i];
        const TnGroup *group = &w->groups[piece->group];
        for (int r = 0; r < group->count; r++) {
            double f = w->mu[group->first + r];
            if (piece->local >= 0)
                w->x[piece->local + r] = f;
            else
                for (int k = 0; k < piece->n; k++)
                    w->x[piece->at + k] += f * piece->rows[(long)r * piece->n + k];
        }
    }
}

const char *tn_delassus_form(const TnDelassus *w)
{
    if (!w->any_rows) return "matrix-free on velocities";
    if (!w->any_velocities) return "assembled Delassus operator";
    return "velocities of small blocks, Delassus operator of large ones";
}

bool tn_delassus_build(TnProblem *p, const TnCompliances *D, TnDelassusForm form, int sweeps,
                       TnPool *pool, TnDelassus *out)
{
    *out = (TnDelassus){.problem = p, .sweeps = sweeps};
    if (!tn_delassus_group(out, D) || !lay_out(out, form) || !tn_delassus_fill(out, pool))
        return false;
    for (int g = 0; g < out->group_count; g++) set_law(out, &out->groups[g]);
    if (!set_q(out) || !tn_delassus_thin(out) || !tn_delassus_fill_batches(out)) return false;
    tn_delassus_refresh(out);
    return true;
}

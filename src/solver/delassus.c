/* delassus.c: groups, pieces and their places (delassus.h). Groups come in the order of a sweep: bonds, scalar
 * rows, contacts, and spin and roll rows, whose bounds are this sweep's normal forces. */
#include "delassus.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "mesh.h"

/* The choice for a dense block with R rows and n unknowns, in multiplications: rows take a solve each, G and R² a
 * sweep; velocities half a solve each and 2 R n a sweep. More sweeps than these are not counted on. */
#define SWEEPS 200.0

/* What acts on a block: rows of a group through a row of the twist table, or one of them directly. */
typedef struct Source {
    int block, table_row;
    double M[TN_GROUP_ROWS][6]; /* per row of the group: the wrench of a unit force */
    const TnRowSide *side;      /* NULL: through the table */
    int row;
} Source;

static int padded(int n) { return (n + 7) / 8 * 8; }

enum { MOST_SOURCES = 2 * TN_MAX_SIDES };

typedef struct Builder {
    TnDelassus *w;
    const TnProblem *p;
    const TnCompliances *D;
    int entry_count;
    size_t value_count;
} Builder;

/* ---- entries of J ---- */

static int entries_of_table_row(const TnProblem *p, int row)
{
    if (row == 0) return 0;
    if (row < p->port_row) return 6;
    const TnPort *port = &p->ports[row - p->port_row];
    return port->count ? port->count : 3 * port->node_count;
}

static int block_of_table_row(const TnProblem *p, int row)
{
    return row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

/* Where an unknown is among those that are solved for. */
static int place_of(const TnProblem *p, int block, int index)
{
    if (block < p->twist_count) return index < 3 ? index : index + 1;
    const TnLargeBlock *d = &p->large[block - p->twist_count];
    if (d->mesh) return d->mesh->place[index];
    if (!d->chain) return index;
    int node = d->chain->node_of[index];
    return tn_solved_node(d, node)->start + index - d->chain->nodes[node].start;
}

static double *add_entry(Builder *b, int block, int index, int count)
{
    double *value = b->w->value + b->value_count;
    b->w->index[b->entry_count++] = place_of(b->p, block, index);
    b->value_count += (size_t)count;
    memset(value, 0, sizeof(double) * (size_t)count);
    return value;
}

static void add_from_table(Builder *b, const Source *s, int count)
{
    const TnProblem *p = b->p;
    const TnPort *port = s->table_row < p->port_row ? NULL : &p->ports[s->table_row - p->port_row];
    int n = port ? port->count : 6;
    for (int j = 0; j < n; j++) {
        double *value = add_entry(b, s->block, (port ? port->start : 0) + j, count);
        for (int i = 0; i < count; i++)
            if (!port || !port->T)
                value[i] = s->M[i][j];
            else
                for (int r = 0; r < 6; r++) value[i] += s->M[i][r] * port->T[(long)r * n + j];
    }
    for (int k = 0; port && !n && k < port->node_count; k++)
        for (int j = 0; j < 3; j++) {
            double *value = add_entry(b, s->block, 3 * port->nodes[k] + j, count);
            for (int i = 0; i < count; i++)
                for (int r = 0; r < 3; r++) value[i] += s->M[i][r] * port->M[k][3 * r + j];
        }
}

static void add_from_row(Builder *b, const Source *s, int count)
{
    const TnProblem *p = b->p;
    for (int e = s->side->start; e < s->side->start + s->side->count; e++)
        add_entry(b, s->block, p->index[e], count)[s->row] = p->coefficient[e];
}

/* ---- groups ---- */

static void add_group(Builder *b, TnGroup group, const Source *sources, int source_count)
{
    TnDelassus *w = b->w;
    bool done[MOST_SOURCES] = {false};
    group.first = w->row_count;
    group.piece = w->piece_count;
    for (int i = 0; i < source_count; i++) {
        if (done[i]) continue;
        TnPiece *piece = &w->pieces[w->piece_count++];
        *piece = (TnPiece){.block = sources[i].block,
                           .group = w->group_count,
                           .local = -1,
                           .entry = b->entry_count,
                           .value = b->value_count};
        for (int j = i; j < source_count; j++) {
            if (sources[j].block != sources[i].block) continue;
            done[j] = true;
            if (sources[j].side)
                add_from_row(b, &sources[j], group.count);
            else
                add_from_table(b, &sources[j], group.count);
        }
        piece->entry_count = b->entry_count - piece->entry;
        w->block_rows[piece->block] += group.count;
    }
    group.piece_count = w->piece_count - group.piece;
    w->row_count += group.count;
    w->groups[w->group_count++] = group;
}

static void add_bond(Builder *b, int index)
{
    const TnBond *bond = &b->p->bonds[index];
    const double *J;
    Source sources[2];
    int n = tn_delassus_bond_rows(b->w, index, &J), count = 0;
    for (int side = 0; side < 2; side++) {
        int row = side ? bond->row_b : bond->row_a;
        if (!row) continue;
        Source *s = &sources[count++];
        s->block = block_of_table_row(b->p, row);
        s->table_row = row;
        s->side = NULL;
        for (int i = 0; i < n; i++) memcpy(s->M[i], J + 12L * i + 6L * side, sizeof s->M[i]);
    }
    add_group(b,
              (TnGroup){.law = TN_LAW_LINEAR,
                        .count = n,
                        .kind = TN_A_BOND,
                        .source = index,
                        .slack = bond->hard ? 0.0 : 1.0},
              sources, n ? count : 0);
}

static void frame_of(const TnProblem *p, int contact, double frame[3][3])
{
    v3_copy(frame[0], p->normals[contact]);
    v3_tangents(frame[0], frame[1], frame[2]);
}

static void add_contact(Builder *b, int c)
{
    const TnProblem *p = b->p;
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES, count = 0;
    Source sources[2];
    double frame[3][3];
    frame_of(p, c, frame);
    for (int side = 0; side < 2; side++) {
        int row = side ? batch->row_b[l] : batch->row_a[l];
        double sign = side ? 1.0 : -1.0, arm[3];
        if (!row) continue;
        Source *s = &sources[count++];
        s->block = block_of_table_row(p, row);
        s->table_row = row;
        s->side = NULL;
        for (int k = 0; k < 3; k++) arm[k] = side ? batch->arm_b[k][l] : batch->arm_a[k][l];
        for (int i = 0; i < 3; i++) {
            v3_scale(s->M[i], frame[i], sign);
            v3_cross(s->M[i] + 3, arm, s->M[i]);
        }
    }
    bool dead = !(tn_normal_compliance(b->D, c) > 0.0);
    b->w->contact_row[c] = b->w->row_count;
    add_group(b,
              (TnGroup){.law = dead ? TN_LAW_NONE : TN_LAW_CONTACT,
                        .count = 3,
                        .kind = TN_A_CONTACT,
                        .source = c,
                        .mu = tn_tangent_compliance(b->D, c) > 0.0 ? batch->mu[l] : 0.0},
              sources, count);
}

static void add_row(Builder *b, int r)
{
    const TnProblem *p = b->p;
    const TnRow *row = &p->rows[r];
    Source sources[MOST_SOURCES];
    int count = 0, rows = row->set == TN_ROW_ROLL ? 2 : 1;
    for (int i = 0; i < rows; i++)
        for (int s = 0; s < row[i].side_count; s++) {
            const TnRowSide *side = &p->sides[row[i].side_start + s];
            if (side->count == 0) continue;
            sources[count].block = side->block;
            sources[count].side = side;
            sources[count++].row = i;
        }
    TnGroup group = {.law = TN_LAW_SCALAR,
                     .count = rows,
                     .kind = TN_A_ROW,
                     .source = r,
                     .mu = row->mu,
                     .lower = -INFINITY,
                     .upper = INFINITY};
    if (row->set == TN_ROW_INEQUALITY) group.lower = 0.0;
    if (row->set == TN_ROW_BOX) {
        group.lower = row->lower;
        group.upper = row->upper;
    }
    if (row->set >= TN_ROW_SPIN) {
        group.law = row->set == TN_ROW_SPIN ? TN_LAW_SPIN : TN_LAW_ROLL;
        group.normal = b->w->contact_row[row->contact];
    }
    if (!(b->D->row[r] > 0.0)) group.law = TN_LAW_NONE;
    add_group(b, group, sources, count);
}

static void add_groups(Builder *b)
{
    const TnProblem *p = b->p;
    TnDelassus *w = b->w;
    for (int i = 0; i < p->bond_count; i++) add_bond(b, i);
    for (int r = 0; r < p->row_count; r++)
        if (p->rows[r].set < TN_ROW_SPIN) add_row(b, r);
    w->row_count = padded(w->row_count);
    w->batched = w->group_count;
    w->batch_first = w->row_count;
    for (int i = 0; i < w->batch_count; i++)
        for (int l = 0; l < TN_LANES; l++)
            if (w->batch_contacts[i][l] >= 0)
                add_contact(b, w->batch_contacts[i][l]);
            else
                w->row_count += 3;
    w->batched_end = w->group_count;
    for (int c = 0; c < p->contact_count; c++)
        if (w->contact_row[c] < 0) add_contact(b, c);
    for (int r = 0; r < p->row_count; r++)
        if (p->rows[r].set == TN_ROW_SPIN || p->rows[r].set == TN_ROW_ROLL) add_row(b, r);
}

static bool reserve(Builder *b)
{
    const TnProblem *p = b->p;
    TnDelassus *w = b->w;
    size_t entries = (size_t)p->entry_count, values = 2 * entries;
    int blocks = p->twist_count + p->large_count;
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        size_t n = (size_t)(entries_of_table_row(p, batch->row_a[c % TN_LANES]) +
                            entries_of_table_row(p, batch->row_b[c % TN_LANES]));
        entries += n;
        values += 3 * n;
    }
    for (int i = 0; i < p->bond_count; i++) {
        size_t n = (size_t)(entries_of_table_row(p, p->bonds[i].row_a) +
                            entries_of_table_row(p, p->bonds[i].row_b));
        entries += n;
        values += 12 * n;
    }
    w->groups = TN_ARENA_NEW(p->arena, TnGroup, p->contact_count + p->row_count + p->bond_count);
    w->pieces =
        TN_ARENA_NEW(p->arena, TnPiece, 2 * p->contact_count + p->side_count + 2 * p->bond_count);
    w->index = TN_ARENA_NEW(p->arena, int, entries);
    w->value = TN_ARENA_NEW(p->arena, double, values);
    w->block_rows = TN_ARENA_ZERO(p->arena, int, blocks);
    w->block_x = TN_ARENA_ZERO(p->arena, int, blocks);
    w->block_n = TN_ARENA_ZERO(p->arena, int, blocks);
    w->keeps_rows = TN_ARENA_ZERO(p->arena, bool, blocks);
    w->block_start = TN_ARENA_ZERO(p->arena, int, blocks + 2);
    w->soft = tn_arena_calloc(p->arena, sizeof *w->soft * (size_t)p->bond_count);
    w->soft_pivot = tn_arena_calloc(p->arena, sizeof *w->soft_pivot * (size_t)p->bond_count);
    return w->groups && w->pieces && w->index && w->value && w->block_rows && w->block_x &&
           w->block_n && w->keeps_rows && w->block_start && w->soft && w->soft_pivot;
}

/* ---- places ---- */

static bool keeps_rows(const TnDelassus *w, int block, TnDelassusForm form)
{
    const TnProblem *p = w->problem;
    if (form == TN_DELASSUS_ROWS) return true;
    if (block < p->twist_count) return false;
    const TnLargeBlock *d = &p->large[block - p->twist_count];
    if (d->chain || d->mesh) return true;
    double R = w->block_rows[block], n = d->dim, sweeps = fmin(SWEEPS, w->sweeps);
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

/* x of all blocks; G of those that keep rows; then group by group W, its inverse and pieces of velocities. */
static bool lay_out(TnDelassus *w, TnDelassusForm form)
{
    const TnProblem *p = w->problem;
    int blocks = p->twist_count + p->large_count, mu = padded(w->row_count), next = mu;
    size_t size = 0;
    if (!sort_pieces(w, blocks)) return false;
    for (int k = 0; k < blocks; k++) {
        if (!w->block_rows[k]) continue;
        w->keeps_rows[k] = keeps_rows(w, k, form);
        w->block_x[k] = next;
        w->block_n[k] = w->keeps_rows[k]     ? padded(w->block_rows[k])
                        : k < p->twist_count ? 8
                                             : padded(p->large[k - p->twist_count].dim);
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
    if (!data || !w->state || !w->q || !w->D) return false;
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

static void set_scalar(const TnProblem *p, TnGroup *group)
{
    const TnRow *row = &p->rows[group->source];
    double D = group->W[0];
    group->a = 1.0 / D;
    if (row->set != TN_ROW_SOFT) return;
    double share = 1.0 / (1.0 + D * row->k * row->alpha);
    group->a = row->k * row->alpha * share;
    group->c = group->a * row->e - row->k * row->e * share;
}

static void set_law(const TnDelassus *w, TnGroup *group)
{
    int m = group->count;
    double M[TN_GROUP_ROWS * TN_GROUP_ROWS];
    for (int i = group->piece; i < group->piece + group->piece_count; i++)
        add_own(w, group, &w->pieces[i]);
    for (int i = 0; i < m; i++)
        if (group->law != TN_LAW_NONE) w->D[group->first + i] = group->W[(m + 1) * i];
    if (group->law == TN_LAW_SCALAR || group->law == TN_LAW_SPIN || group->law == TN_LAW_ROLL) {
        if (!(group->W[0] > 0.0))
            group->law = TN_LAW_NONE;
        else if (group->law != TN_LAW_ROLL)
            set_scalar(w->problem, group);
        return;
    }
    memcpy(M, group->W, sizeof(double) * (size_t)(m * m));
    for (int i = 0; i < m; i++) M[(m + 1) * i] += group->slack;
    tn_delassus_inverse(m, M, group->inverse);
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
        frame_of(p, group->source, frame);
        for (int i = 0; i < 3; i++) out[i] = v3_dot(frame[i], u->contact[group->source]);
    } else {
        const TnBond *bond = &p->bonds[group->source];
        const double *J = w->soft[group->source];
        for (int i = 0; i < group->count; i++) {
            out[i] = bond->hard ? bond->e[i] : 0.0;
            for (int k = 0; k < 12; k++) out[i] += J[12 * i + k] * u->bond[group->source][k];
        }
    }
}

static void start(TnDelassus *w, const TnGroup *group, const TnPerConstraint *lambda, double *mu)
{
    const TnProblem *p = w->problem;
    if (group->kind == TN_A_BOND) {
        tn_delassus_bond_start(w, group->source, group->count, mu);
    } else if (group->law == TN_LAW_NONE) {
        const TnRow *row = &p->rows[group->kind == TN_A_ROW ? group->source : 0];
        if (group->kind == TN_A_ROW && row->set == TN_ROW_SOFT) mu[0] = -row->k * row->e;
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
    for (int i = 0; i < p->bond_count; i++) tn_delassus_bond_put(w, i, 0, NULL);
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
            tn_delassus_bond_put(w, group->source, group->count, mu);
        } else if (group->kind == TN_A_ROW) {
            for (int i = 0; i < group->count; i++) p->rows[group->source + i].lambda = mu[i];
        } else {
            double frame[3][3], *lambda = p->lambda[group->source];
            frame_of(p, group->source, frame);
            for (int k = 0; k < 3; k++)
                lambda[k] = mu[0] * frame[0][k] + mu[1] * frame[1][k] + mu[2] * frame[2][k];
        }
    }
}

void tn_delassus_refresh(TnDelassus *w)
{
    size_t mu = (size_t)padded(w->row_count);
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
    Builder b = {.w = out, .p = p, .D = D};
    if (!reserve(&b) || !tn_delassus_choose_batches(out, D)) return false;
    add_groups(&b);
    if (!lay_out(out, form) || !tn_delassus_fill(out, pool)) return false;
    for (int g = 0; g < out->group_count; g++) set_law(out, &out->groups[g]);
    if (!set_q(out) || !tn_delassus_fill_batches(out)) return false;
    tn_delassus_refresh(out);
    return true;
}

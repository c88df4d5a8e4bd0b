/* siconos_blocks.c: a Siconos problem as blocks and constraints.
 *
 * Local: contacts that W connects are a block with A⁻¹ = (W + Wᵀ) / 2 of their rows, and each has
 * unit rows as its J; v is W r by contacts in the order of the blocks.
 *
 * Global: unknowns that M connects are a block with A = (M + Mᵀ) / 2, and J is Hᵀ. A contact takes
 * at most two blocks. Where M connects less than a body (a diagonal one), unknowns that the same
 * contacts touch are put together, and what is left over is cut in two where its unknowns lie
 * furthest apart.
 *
 * In two dimensions a contact's third row is zero; with rolling, two rows of a roll come behind its
 * three. */
#include "problem_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks above that size and with less than a quarter of their entries are sparse. */
enum { SMALL_BLOCK = 64 };

/* ---- groups ---- */

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* The root is the smallest member. */
static void unite(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* Members of groups, by group; groups in the order of their smallest member. */
typedef struct Groups {
    int count;
    int *start;  /* count + 1 */
    int *member; /* rising within a group */
    int *group;  /* of each member */
    int *place;  /* of each member in its group */
} Groups;

static bool make_groups(TnArena *memory, int *parent, int count, Groups *out)
{
    *out = (Groups){0, TN_ARENA_ZERO(memory, int, count + 2), TN_ARENA_NEW(memory, int, count + 1),
                    TN_ARENA_NEW(memory, int, count + 1), TN_ARENA_NEW(memory, int, count + 1)};
    if (!out->start || !out->member || !out->group || !out->place) return false;
    for (int i = 0; i < count; i++) {
        int root = root_of(parent, i);
        out->group[i] = root == i ? out->count++ : out->group[root];
        out->place[i] = out->start[out->group[i] + 1]++;
    }
    for (int g = 0; g < out->count; g++) out->start[g + 1] += out->start[g];
    for (int i = 0; i < count; i++) out->member[out->start[out->group[i]] + out->place[i]] = i;
    return true;
}

static int *new_parents(TnArena *memory, int count)
{
    int *parent = TN_ARENA_NEW(memory, int, count + 1);
    for (int i = 0; parent && i < count; i++) parent[i] = i;
    return parent;
}

/* ---- local ---- */

/* Adds half of W at (i, j) and at (j, i). */
static void add_symmetric(double *A, int dim, int i, int j, double value)
{
    A[(size_t)i * (size_t)dim + (size_t)j] += 0.5 * value;
    A[(size_t)j * (size_t)dim + (size_t)i] += 0.5 * value;
}

static bool add_inverse_blocks(TnProblemFile *file, const Groups *contacts)
{
    const TnSiconos *s = &file->siconos;
    int d = s->d;
    for (int g = 0; g < contacts->count; g++) {
        int dim = d * (contacts->start[g + 1] - contacts->start[g]);
        double *A = TN_ARENA_ZERO(&file->memory, double, (size_t)dim *(size_t)dim);
        if (!A) return false;
        for (int m = contacts->start[g]; m < contacts->start[g + 1]; m++)
            for (int k = 0; k < d; k++) {
                int row = contacts->member[m] * d + k;
                for (int e = s->W.start[row]; e < s->W.start[row + 1]; e++)
                    add_symmetric(A, dim, contacts->place[contacts->member[m]] * d + k,
                                  contacts->place[s->W.column[e] / d] * d + s->W.column[e] % d,
                                  s->W.value[e]);
            }
        file->blocks[file->block_count++] = (TnBlockDef){.dim = dim, .A_inverse = A};
    }
    return true;
}

static bool local_blocks(TnProblemFile *file)
{
    const TnSiconos *s = &file->siconos;
    TnArena *memory = &file->memory;
    int d = s->d, *parent = new_parents(memory, s->nc);
    Groups contacts;
    if (!parent) return false;
    for (int row = 0; row < s->W.rows; row++)
        for (int e = s->W.start[row]; e < s->W.start[row + 1]; e++)
            unite(parent, row / d, s->W.column[e] / d);
    file->blocks = TN_ARENA_NEW(memory, TnBlockDef, s->nc + 1);
    file->constraints = TN_ARENA_NEW(memory, TnConstraintDef, 2 * s->nc + 1);
    if (!file->blocks || !file->constraints || !make_groups(memory, parent, s->nc, &contacts) ||
        !add_inverse_blocks(file, &contacts))
        return false;
    static const double friction3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double friction2[6] = {1, 0, 0, 1, 0, 0}, roll[4] = {1, 0, 0, 1};
    for (int i = 0; i < s->nc; i++) {
        int *column = TN_ARENA_NEW(memory, int, d);
        if (!column) return false;
        for (int k = 0; k < d; k++) column[k] = contacts.place[i] * d + k;
        TnConstraintDef *c = &file->constraints[file->constraint_count++];
        *c = (TnConstraintDef){.set = TN_SET_FRICTION,
                               .block = {contacts.group[i] + 1},
                               .J = {d == 2 ? friction2 : friction3},
                               .column = {column},
                               .column_count = {d == 2 ? 2 : 3},
                               .mu = s->mu[i]};
        memcpy(c->e, s->q + (size_t)i * (size_t)d, sizeof(double) * (size_t)(d == 2 ? 2 : 3));
        if (d != 5) continue;
        c = &file->constraints[file->constraint_count++];
        *c = (TnConstraintDef){.set = TN_SET_ROLL,
                               .block = {contacts.group[i] + 1},
                               .J = {roll},
                               .column = {column + 3},
                               .column_count = {2},
                               .e = {s->q[5 * i + 3], s->q[5 * i + 4]},
                               .mu = s->mu_r[i],
                               .contact = file->constraint_count - 1};
    }
    return true;
}

/* ---- global: which unknowns are a block ---- */

/* Hᵀ: the unknowns of each contact's rows. */
typedef struct Touch {
    TnFileMatrix J;
    int d, nc;
} Touch;

typedef struct Signature {
    uint64_t key;
    int unknown;
} Signature;

static int compare_signatures(const void *first, const void *second)
{
    const Signature *a = first, *b = second;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->unknown > b->unknown) - (a->unknown < b->unknown);
}

/* Groups that the same contacts touch become one. Equal sets of contacts are told by a hash: were
 * it ever wrong, a block would be larger than it needs to be, nothing more. */
static bool unite_bodies(TnArena *memory, const Touch *touch, int *parent, int count)
{
    Signature *signature = TN_ARENA_ZERO(memory, Signature, count + 1);
    int *last = TN_ARENA_ZERO(memory, int, count + 1);
    if (!signature || !last) return false;
    for (int i = 0; i < count; i++) signature[i].unknown = i;
    for (int c = 0; c < touch->nc; c++) {
        uint64_t key = ((uint64_t)c + 1) * 0x9E3779B97F4A7C15u;
        key = (key ^ key >> 29) * 0xBF58476D1CE4E5B9u;
        for (int e = touch->J.start[c * touch->d]; e < touch->J.start[(c + 1) * touch->d]; e++) {
            int root = root_of(parent, touch->J.column[e]);
            if (last[root] == c + 1) continue;
            last[root] = c + 1;
            signature[root].key += key ^ key >> 32;
        }
    }
    qsort(signature, (size_t)count, sizeof *signature, compare_signatures);
    for (int i = 1; i < count; i++)
        if (signature[i].key && signature[i].key == signature[i - 1].key)
            unite(parent, signature[i].unknown, signature[i - 1].unknown);
    return true;
}

static int compare_ints(const void *first, const void *second)
{
    int a = *(const int *)first, b = *(const int *)second;
    return (a > b) - (a < b);
}

/* The groups that contact c touches into roots, each once. */
static int groups_of(const Touch *touch, int *parent, int c, int *roots)
{
    int found = 0, kept = 0;
    for (int e = touch->J.start[c * touch->d]; e < touch->J.start[(c + 1) * touch->d]; e++)
        roots[found++] = root_of(parent, touch->J.column[e]);
    qsort(roots, (size_t)found, sizeof *roots, compare_ints);
    for (int i = 0; i < found; i++)
        if (!i || roots[i] != roots[kept - 1]) roots[kept++] = roots[i];
    return kept;
}

/* Every contact touches at most two groups afterwards. */
static bool unite_to_pairs(TnArena *memory, const Touch *touch, int *parent, int count)
{
    int *roots = TN_ARENA_NEW(memory, int, touch->J.start[touch->J.rows] + 1);
    bool pairs = true;
    if (!roots) return false;
    for (int c = 0; c < touch->nc && pairs; c++) pairs = groups_of(touch, parent, c, roots) <= 2;
    if (pairs) return true;
    if (!unite_bodies(memory, touch, parent, count)) return false;
    for (int c = 0; c < touch->nc; c++) {
        int found = groups_of(touch, parent, c, roots), cut = 1;
        if (found < 3) continue;
        for (int i = 2; i < found; i++)
            if (roots[i] - roots[i - 1] > roots[cut] - roots[cut - 1]) cut = i;
        for (int i = 1; i < found; i++)
            if (i != cut) unite(parent, roots[i - 1], roots[i]);
    }
    return true;
}

/* ---- global: blocks and constraints ---- */

static bool sparse_block(TnProblemFile *file, const TnFileEntry *entries, int64_t count, int dim,
                         TnBlockDef *out)
{
    TnFileMatrix A;
    TnSparseMatrix *sparse = TN_ARENA_NEW(&file->memory, TnSparseMatrix, 1);
    if (!sparse || !tn_file_matrix_build(&file->memory, dim, dim, entries, count, &A)) return false;
    *sparse = (TnSparseMatrix){A.start, A.column, A.value};
    out->A_sparse = sparse;
    return true;
}

static bool dense_block(TnProblemFile *file, const TnFileEntry *entries, int64_t count, int dim,
                        TnBlockDef *out)
{
    double *A = TN_ARENA_ZERO(&file->memory, double, (size_t)dim *(size_t)dim);
    for (int64_t i = 0; A && i < count; i++)
        A[(size_t)entries[i].row * (size_t)dim + (size_t)entries[i].column] += entries[i].value;
    out->A = A;
    return A;
}

static bool add_matrix_blocks(TnProblemFile *file, const Groups *unknowns)
{
    TnSiconos *s = &file->siconos;
    const TnFileMatrix *M = &s->W;
    TnFileEntry *entries = tn_malloc(sizeof *entries * (2 * (size_t)M->start[M->rows] + 1));
    bool good = entries;
    for (int g = 0; good && g < unknowns->count; g++) {
        int dim = unknowns->start[g + 1] - unknowns->start[g];
        int64_t count = 0;
        double *b = TN_ARENA_NEW(&file->memory, double, dim);
        for (int i = 0; b && i < dim; i++) {
            int row = unknowns->member[unknowns->start[g] + i];
            b[i] = s->q[row];
            s->place[row] = unknowns->start[g] + i;
            for (int e = M->start[row]; e < M->start[row + 1]; e++) {
                int j = unknowns->place[M->column[e]];
                entries[count++] = (TnFileEntry){i, j, 0.5 * M->value[e]};
                entries[count++] = (TnFileEntry){j, i, 0.5 * M->value[e]};
            }
        }
        TnBlockDef block = {.dim = dim, .b = b};
        bool sparse = dim > SMALL_BLOCK && 2 * count < (int64_t)dim * dim;
        good = b && (sparse ? sparse_block : dense_block)(file, entries, count, dim, &block);
        if (good) file->blocks[file->block_count++] = block;
    }
    tn_free(entries);
    return good;
}

/* The rows from `row` on of Jᵀ's, at most `rows` of which are the file's; false: no memory. */
static bool add_sides(TnProblemFile *file, const Touch *touch, const Groups *unknowns, int row,
                      int file_rows, int rows, TnConstraintDef *c)
{
    const TnFileMatrix *J = &touch->J;
    int first = J->start[row], last = J->start[row + file_rows], sides = 0;
    if (first == last) { /* nothing moves it: a zero row of any block */
        c->block[0] = 1;
        c->J[0] = TN_ARENA_ZERO(&file->memory, double, rows);
        c->column[0] = TN_ARENA_ZERO(&file->memory, int, 1);
        c->column_count[0] = 1;
        return c->J[0] && c->column[0];
    }
    for (int e = first; e < last; e++) {
        int block = unknowns->group[J->column[e]] + 1, known = 0;
        while (known < sides && c->block[known] != block) known++;
        if (known == sides) c->block[sides++] = block;
    }
    for (int side = 0; side < sides; side++) {
        int count = 0, kept = 0;
        int *column = TN_ARENA_NEW(&file->memory, int, last - first);
        if (!column) return false;
        for (int e = first; e < last; e++)
            if (unknowns->group[J->column[e]] + 1 == c->block[side])
                column[count++] = unknowns->place[J->column[e]];
        qsort(column, (size_t)count, sizeof *column, compare_ints);
        for (int i = 0; i < count; i++)
            if (!i || column[i] != column[kept - 1]) column[kept++] = column[i];
        double *values = TN_ARENA_ZERO(&file->memory, double, rows *kept);
        if (!values) return false;
        for (int k = 0; k < file_rows; k++)
            for (int e = J->start[row + k]; e < J->start[row + k + 1]; e++) {
                if (unknowns->group[J->column[e]] + 1 != c->block[side]) continue;
                int *at = bsearch(&unknowns->place[J->column[e]], column, (size_t)kept,
                                  sizeof *column, compare_ints);
                values[k * kept + (int)(at - column)] = J->value[e];
            }
        c->J[side] = values;
        c->column[side] = column;
        c->column_count[side] = kept;
    }
    return true;
}

static bool global_blocks(TnProblemFile *file)
{
    TnSiconos *s = &file->siconos;
    TnArena *memory = &file->memory;
    int n = s->W.rows, d = s->d, *parent = new_parents(memory, n);
    Touch touch = {.d = d, .nc = s->nc};
    Groups unknowns;
    if (!parent || !tn_file_matrix_transpose(memory, &s->H, &touch.J)) return false;
    for (int i = 0; i < n; i++)
        for (int e = s->W.start[i]; e < s->W.start[i + 1]; e++) unite(parent, i, s->W.column[e]);
    s->place = TN_ARENA_NEW(memory, int, n + 1);
    file->blocks = TN_ARENA_NEW(memory, TnBlockDef, n + 1);
    file->constraints = TN_ARENA_NEW(memory, TnConstraintDef, 2 * s->nc + 1);
    if (!s->place || !file->blocks || !file->constraints ||
        !unite_to_pairs(memory, &touch, parent, n) || !make_groups(memory, parent, n, &unknowns) ||
        !add_matrix_blocks(file, &unknowns))
        return false;
    for (int i = 0; i < s->nc; i++) {
        int rows = d == 2 ? 2 : 3;
        TnConstraintDef *c = &file->constraints[file->constraint_count++];
        *c = (TnConstraintDef){.set = TN_SET_FRICTION, .mu = s->mu[i]};
        memcpy(c->e, s->b + (size_t)i * (size_t)d, sizeof(double) * (size_t)rows);
        if (!add_sides(file, &touch, &unknowns, i * d, rows, 3, c)) return false;
        if (d != 5) continue;
        c = &file->constraints[file->constraint_count++];
        *c = (TnConstraintDef){.set = TN_SET_ROLL,
                               .e = {s->b[5 * i + 3], s->b[5 * i + 4]},
                               .mu = s->mu_r[i],
                               .contact = file->constraint_count - 1};
        if (!add_sides(file, &touch, &unknowns, i * d + 3, 2, 2, c)) return false;
    }
    return true;
}

bool tn_siconos_blocks(TnProblemFile *file)
{
    const TnSiconos *s = &file->siconos;
    if (!(s->global ? global_blocks(file) : local_blocks(file))) return false;
    file->info.contacts = s->nc;
    file->info.rows = s->nc * (s->d == 2 ? 3 : s->d);
    file->info.unknowns = s->W.rows;
    return true;
}

/* problem_file_tenon.c: reads tenon's own problem files. Words separated by white space, # starts a
 * comment; docs/problem-files.md explains it to people:
 *
 *   tenon-problem 1
 *   blocks N                    N times one of
 *     block dense n             A: n n numbers, row by row
 *     block banded n w          A: (w + 1) n numbers, as TnBlockDef.A_banded
 *     block sparse n entries    A: for each row its number of entries, then column and value of
 *                               each
 *     block inverse n           A⁻¹: n n numbers
 *                               and behind each: b, n numbers
 *   constraints M               M times
 *     constraint SET sides S    numbers of the set, e, and S sides of `side BLOCK all`, or `side
 *                               BLOCK c` with c columns, and J, row by row
 *   start                       v, lambda: may be missing
 *   end
 *
 * Blocks and constraints count from 1, columns from 0. */
#include "problem_file.h"

#include <limits.h>
#include <string.h>

/* The next word is one of `names`: its index, or -1 and an error. */
static int read_choice(TnProblemText *t, const char *what, const char *const *names, int count)
{
    size_t length;
    char shown[TN_PROBLEM_SHOWN], all[160] = "";
    const char *word = tn_problem_word(t, &length);
    for (int i = 0; i < count; i++) {
        if (word && length == strlen(names[i]) && !memcmp(word, names[i], length)) return i;
        strcat(strcat(all, i ? ", " : ""), names[i]);
    }
    tn_problem_fault(t, "%s should stand here (%s), not '%s'", what, all,
                     tn_problem_show(word ? word : "", word ? length : 0, shown));
    return -1;
}

/* ---- blocks ---- */

static bool read_sparse(TnProblemText *t, int dim, TnBlockDef *block)
{
    int entries, at = 0, in_row;
    if (!tn_problem_int(t, "the number of entries", 0, INT_MAX / 2, &entries) ||
        !tn_problem_expect(t, "A") || !tn_problem_fits(t, (int64_t)dim + 2 * (int64_t)entries, "A"))
        return false;
    TnSparseMatrix *sparse = TN_ARENA_NEW(t->memory, TnSparseMatrix, 1);
    int *start = TN_ARENA_ZERO(t->memory, int, dim + 1);
    int *column = TN_ARENA_NEW(t->memory, int, entries + 1);
    double *value = TN_ARENA_NEW(t->memory, double, entries + 1);
    if (!sparse || !start || !column || !value) return tn_problem_no_memory(t);
    for (int i = 0; i < dim; i++) {
        if (!tn_problem_int(t, "the number of entries in a row", 0, entries - at, &in_row))
            return false;
        for (int k = 0, least = 0; k < in_row; k++, at++) {
            if (!tn_problem_int(t, "a column of A, rising within its row,", least, dim - 1,
                                &column[at]) ||
                !tn_problem_real(t, "a value of A", &value[at]))
                return false;
            least = column[at] + 1;
        }
        start[i + 1] = at;
    }
    if (at != entries)
        return tn_problem_fault(t, "the rows have %d entries, the block says %d", at, entries);
    *sparse = (TnSparseMatrix){start, column, value};
    block->A_sparse = sparse;
    return true;
}

static bool read_block(TnProblemText *t, TnBlockDef *block)
{
    static const char *const kinds[] = {"dense", "banded", "sparse", "inverse"};
    int kind, bandwidth = 0;
    if (!tn_problem_expect(t, "block") ||
        (kind = read_choice(t, "a kind of block", kinds, 4)) < 0 ||
        !tn_problem_int(t, "the size of a block", 1, INT_MAX / 8, &block->dim))
        return false;
    int64_t n = block->dim;
    if (!tn_problem_fits(t, n, "b")) return false;
    if (kind == 2) {
        if (!read_sparse(t, block->dim, block)) return false;
    } else {
        if (kind == 1 && !tn_problem_int(t, "the bandwidth", 0, block->dim - 1, &bandwidth))
            return false;
        if (!tn_problem_expect(t, "A")) return false;
        double *A = tn_problem_reals(t, n * (kind == 1 ? bandwidth + 1 : n), "A");
        if (!A) return false;
        block->bandwidth = bandwidth;
        *(kind == 0 ? &block->A : kind == 1 ? &block->A_banded : &block->A_inverse) = A;
    }
    return tn_problem_expect(t, "b") && (block->b = tn_problem_reals(t, n, "b"));
}

/* ---- constraints ---- */

const char *const tn_problem_set_names[TN_PROBLEM_SET_COUNT] = {
    [TN_SET_EQUALITY] = "equality", [TN_SET_INEQUALITY] = "inequality", [TN_SET_SOFT] = "soft",
    [TN_SET_BOX] = "box",           [TN_SET_FRICTION] = "friction",     [TN_SET_SPIN] = "spin",
    [TN_SET_ROLL] = "roll"};

int tn_problem_rows(TnSet set) { return set == TN_SET_FRICTION ? 3 : set == TN_SET_ROLL ? 2 : 1; }

static bool read_set(TnProblemText *t, const TnProblemFile *file, TnConstraintDef *c)
{
    switch (c->set) {
    case TN_SET_SOFT:
        return tn_problem_expect(t, "k") && tn_problem_real(t, "k", &c->k) &&
               tn_problem_expect(t, "alpha") && tn_problem_real(t, "alpha", &c->alpha);
    case TN_SET_BOX:
        return tn_problem_expect(t, "lower") && tn_problem_bound(t, "lower", &c->lower) &&
               tn_problem_expect(t, "upper") && tn_problem_bound(t, "upper", &c->upper);
    case TN_SET_FRICTION:
    case TN_SET_SPIN:
    case TN_SET_ROLL:
        if (!tn_problem_expect(t, "mu") || !tn_problem_real(t, "mu", &c->mu)) return false;
        if (c->mu < 0.0) return tn_problem_fault(t, "mu is %g, must be 0 or more", c->mu);
        if (c->set == TN_SET_FRICTION) return true;
        if (!tn_problem_expect(t, "contact") ||
            !tn_problem_int(t, "contact", 1, file->constraint_count, &c->contact))
            return false;
        return file->constraints[c->contact - 1].set == TN_SET_FRICTION ||
               tn_problem_fault(t, "constraint %d is no friction constraint", c->contact);
    default:
        return true;
    }
}

/* Optional. */
static bool read_lever(TnProblemText *t, TnConstraintDef *c)
{
    TnProblemText ahead = *t;
    size_t length;
    const char *word = tn_problem_word(&ahead, &length);
    if (!word || length != 5 || memcmp(word, "lever", 5)) return true;
    *t = ahead;
    if (!tn_problem_real(t, "lever", &c->lever)) return false;
    return c->lever > 0.0 || tn_problem_fault(t, "lever is %g, must be more than 0", c->lever);
}

/* "all", or columns and how many. */
static bool read_columns(TnProblemText *t, int dim, const int **out, int *count)
{
    TnProblemText ahead = *t;
    size_t length;
    const char *word = tn_problem_word(&ahead, &length);
    if (word && length == 3 && !memcmp(word, "all", 3)) {
        *t = ahead;
        *count = 0;
        return true;
    }
    if (!tn_problem_int(t, "all, or a number of columns,", 1, dim, count) ||
        !tn_problem_fits(t, *count, "columns"))
        return false;
    int *column = TN_ARENA_NEW(t->memory, int, *count);
    if (!column) return tn_problem_no_memory(t);
    for (int i = 0, least = 0; i < *count; i++, least = column[i - 1] + 1)
        if (!tn_problem_int(t, "a rising column", least, dim - 1, &column[i])) return false;
    *out = column;
    return true;
}

static bool read_constraint(TnProblemText *t, const TnProblemFile *file, TnConstraintDef *c)
{
    int sides, set;
    if (!tn_problem_expect(t, "constraint") ||
        (set = read_choice(t, "a set", tn_problem_set_names, TN_PROBLEM_SET_COUNT)) < 0 ||
        !tn_problem_expect(t, "sides") ||
        !tn_problem_int(t, "the number of sides", 1, TN_MAX_SIDES, &sides))
        return false;
    c->set = (TnSet)set;
    int rows = tn_problem_rows(c->set);
    if (!read_set(t, file, c) || !read_lever(t, c) || !tn_problem_expect(t, "e")) return false;
    for (int k = 0; k < rows; k++)
        if (!tn_problem_real(t, "e", &c->e[k])) return false;
    for (int s = 0; s < sides; s++) {
        if (!tn_problem_expect(t, "side") ||
            !tn_problem_int(t, "a side's block", 1, file->block_count, &c->block[s]))
            return false;
        int dim = file->blocks[c->block[s] - 1].dim;
        if (!read_columns(t, dim, &c->column[s], &c->column_count[s]) ||
            !tn_problem_expect(t, "J") ||
            !(c->J[s] = tn_problem_reals(
                  t, (int64_t)rows * (c->column[s] ? c->column_count[s] : dim), "J")))
            return false;
    }
    return true;
}

/* ---- the file ---- */

/* "NAME count", and room for so many; the least one takes 4 words. */
static bool read_count(TnProblemText *t, const char *name, int *count)
{
    return tn_problem_expect(t, name) && tn_problem_int(t, name, 0, INT_MAX / 8, count) &&
           tn_problem_fits(t, 4 * (int64_t)*count, name);
}

static bool read_start(TnProblemText *t, TnProblemFile *file)
{
    static const char *const words[] = {"start", "end"};
    int word = read_choice(t, "start or end", words, 2);
    if (word != 0) return word == 1;
    return tn_problem_expect(t, "v") && (file->v = tn_problem_reals(t, file->info.unknowns, "v")) &&
           tn_problem_expect(t, "lambda") &&
           (file->lambda = tn_problem_reals(t, file->info.rows, "lambda")) &&
           tn_problem_expect(t, "end");
}

bool tn_problem_read_tenon(TnProblemText *t, TnProblemFile *file)
{
    TnProblemFileInfo *info = &file->info;
    int version, blocks, constraints;
    t->comments = true;
    if (!tn_problem_expect(t, "tenon-problem") ||
        !tn_problem_int(t, "the version of the format", 1, 1, &version) ||
        !read_count(t, "blocks", &blocks))
        return false;
    file->blocks = TN_ARENA_ZERO(t->memory, TnBlockDef, blocks + 1);
    if (!file->blocks) return tn_problem_no_memory(t);
    for (; file->block_count < blocks; file->block_count++) {
        TnBlockDef *block = &file->blocks[file->block_count];
        if (!read_block(t, block)) return false;
        if (block->dim > INT_MAX / 8 - info->unknowns)
            return tn_problem_fault(t, "too many unknowns");
        info->unknowns += block->dim;
    }
    if (!read_count(t, "constraints", &constraints)) return false;
    file->constraints = TN_ARENA_ZERO(t->memory, TnConstraintDef, constraints + 1);
    if (!file->constraints) return tn_problem_no_memory(t);
    for (; file->constraint_count < constraints; file->constraint_count++) {
        TnConstraintDef *c = &file->constraints[file->constraint_count];
        if (!read_constraint(t, file, c)) return false;
        info->contacts += c->set == TN_SET_FRICTION;
        info->rows += tn_problem_rows(c->set);
    }
    size_t length;
    if (!read_start(t, file)) return false;
    return !tn_problem_word(t, &length) ||
           tn_problem_fault(t, "something stands behind 'end'; one file holds one problem");
}

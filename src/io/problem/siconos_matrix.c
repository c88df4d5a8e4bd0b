/* siconos_matrix.c: one matrix of a Siconos file: `storage rows columns`, then
 *
 *   0 dense    `rows columns` again, the values column by column
 *   1 blocks   `nbblocks nbr nbc`, where rows of blocks end, where columns of blocks end, `filled1
 *              filled2`, index1: where each row of blocks starts in index2, index2: columns of
 *              blocks; then each block's number and its values column by column
 *   2 sparse   `origin` (1 triplets, 2 compressed columns), a line of CSparse, then
 *                triplet: m-by-n, nzmax: X nnz: Y       and lines `i j : v`
 *                m-by-n, nzmax: X nnz: Y, 1-norm: Z     and per column `col j : locations a to b`
 *                                                       with lines `i : v`
 *
 * White space separates, line breaks mean nothing but behind the line of CSparse. */
#include "problem_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct Reader {
    TnProblemText *t;
    const char *name; /* of the matrix, for messages */
    int rows, columns;
    TnFileEntry *entries;
    int64_t count, room;
} Reader;

static bool reserve(Reader *r, int64_t room)
{
    r->room = room;
    r->entries = tn_malloc(sizeof *r->entries * (size_t)(room + 1));
    return r->entries || tn_problem_no_memory(r->t);
}

static bool add(Reader *r, int row, int column)
{
    char what[48];
    double value;
    snprintf(what, sizeof what, "%s at (%d, %d)", r->name, row, column);
    if (!tn_problem_real(r->t, what, &value)) return false;
    TN_ASSERT(r->count < r->room);
    r->entries[r->count++] = (TnFileEntry){row, column, value};
    return true;
}

static bool read_dense(Reader *r)
{
    int64_t count = (int64_t)r->rows * r->columns;
    int again;
    if (!tn_problem_int(r->t, "the rows of a dense matrix, said again,", r->rows, r->rows,
                        &again) ||
        !tn_problem_int(r->t, "the columns of a dense matrix, said again,", r->columns, r->columns,
                        &again) ||
        !tn_problem_fits(r->t, count, r->name) || !reserve(r, count))
        return false;
    for (int j = 0; j < r->columns; j++)
        for (int i = 0; i < r->rows; i++)
            if (!add(r, i, j)) return false;
    return true;
}

/* ---- blocks ---- */

/* `count` whole numbers, which rise (not less than the one before) up to `last`. */
static int *read_rising(Reader *r, int count, int first, int last, const char *what)
{
    if (!tn_problem_fits(r->t, count, what)) return NULL;
    int *numbers = TN_ARENA_NEW(r->t->memory, int, count + 1);
    if (!numbers) {
        tn_problem_no_memory(r->t);
        return NULL;
    }
    for (int i = 0, least = first; i < count; i++, least = numbers[i - 1])
        if (!tn_problem_int(r->t, what, least, last, &numbers[i])) return NULL;
    int end = count ? numbers[count - 1] : first;
    if (end != last) {
        tn_problem_fault(r->t, "the last of %s is %d, but must be %d", what, end, last);
        return NULL;
    }
    return numbers;
}

static bool read_one_block(Reader *r, int number, int row, int row_end, int column, int column_end)
{
    int id;
    if (!tn_problem_int(r->t, "a block's number", number, number, &id) ||
        !tn_problem_fits(r->t, (int64_t)(row_end - row) * (column_end - column), "a block"))
        return false;
    for (int j = column; j < column_end; j++)
        for (int i = row; i < row_end; i++)
            if (!add(r, i, j)) return false;
    return true;
}

static bool read_blocks(Reader *r)
{
    TnProblemText *t = r->t;
    int blocks, nbr, nbc, filled1, filled2;
    if (!tn_problem_int(t, "the number of blocks", 0, INT_MAX - 1, &blocks) ||
        !tn_problem_int(t, "the number of rows of blocks", 0, r->rows, &nbr) ||
        !tn_problem_int(t, "the number of columns of blocks", 0, r->columns, &nbc))
        return false;
    int *row_end = read_rising(r, nbr, 0, r->rows, "where rows of blocks end");
    int *column_end =
        row_end ? read_rising(r, nbc, 0, r->columns, "where columns of blocks end") : NULL;
    if (!column_end) return false;
    if (!tn_problem_int(t, "filled1, rows of blocks and one,", nbr + 1, nbr + 1, &filled1) ||
        !tn_problem_int(t, "filled2, the number of blocks,", blocks, blocks, &filled2))
        return false;
    int *start = read_rising(r, filled1, 0, filled2, "index1");
    if (!start) return false;
    if (!tn_problem_fits(t, filled2, "index2")) return false;
    int *column = TN_ARENA_NEW(t->memory, int, filled2 + 1);
    if (!column) return tn_problem_no_memory(t);
    for (int i = 0; i < filled2; i++)
        if (!tn_problem_int(t, "a column of index2", 0, nbc - 1, &column[i])) return false;
    int64_t room = 0;
    for (int i = 0; i < nbr; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            room += (int64_t)(row_end[i] - (i ? row_end[i - 1] : 0)) *
                    (column_end[column[k]] - (column[k] ? column_end[column[k] - 1] : 0));
    if (!tn_problem_fits(t, room, r->name) || !reserve(r, room)) return false;
    for (int i = 0; i < nbr; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            if (!read_one_block(r, k, i ? row_end[i - 1] : 0, row_end[i],
                                column[k] ? column_end[column[k] - 1] : 0, column_end[column[k]]))
                return false;
    return true;
}

/* ---- sparse ---- */

static bool read_triplets(Reader *r, int count)
{
    int i, j;
    for (int k = 0; k < count; k++)
        if (!tn_problem_int(r->t, "a row", 0, r->rows - 1, &i) ||
            !tn_problem_int(r->t, "a column", 0, r->columns - 1, &j) ||
            !tn_problem_expect(r->t, ":") || !add(r, i, j))
            return false;
    return true;
}

static bool read_columns(Reader *r, int count)
{
    TnProblemText *t = r->t;
    int at = 0, column, first, last, i;
    for (int j = 0; j < r->columns; j++) {
        if (!tn_problem_expect(t, "col") ||
            !tn_problem_int(t, "the column's number", j, j, &column) ||
            !tn_problem_expect(t, ":") || !tn_problem_expect(t, "locations") ||
            !tn_problem_int(t, "the column's first location", at, at, &first) ||
            !tn_problem_expect(t, "to") ||
            !tn_problem_int(t, "the column's last location", at - 1, count - 1, &last))
            return false;
        for (; at <= last; at++)
            if (!tn_problem_int(t, "a row", 0, r->rows - 1, &i) || !tn_problem_expect(t, ":") ||
                !add(r, i, j))
                return false;
    }
    return at == count ||
           tn_problem_fault(t, "%d values of %s, but nnz says %d", at, r->name, count);
}

/* "1334-by-1334," */
static bool read_size(Reader *r)
{
    size_t length;
    char wanted[48], shown[TN_PROBLEM_SHOWN];
    const char *word = tn_problem_word(r->t, &length);
    snprintf(wanted, sizeof wanted, "%d-by-%d,", r->rows, r->columns);
    if (word && length == strlen(wanted) && !memcmp(word, wanted, length)) return true;
    return tn_problem_fault(r->t, "'%s' should stand here, not '%s'", wanted,
                            tn_problem_show(word ? word : "", length, shown));
}

static void skip_line(TnProblemText *t)
{
    while (t->at < t->size && t->text[t->at] != '\n') t->at++;
}

static bool next_is(const TnProblemText *t, const char *wanted)
{
    TnProblemText ahead = *t;
    size_t length;
    const char *word = tn_problem_word(&ahead, &length);
    return word && length == strlen(wanted) && !memcmp(word, wanted, length);
}

static bool read_sparse(Reader *r)
{
    TnProblemText *t = r->t;
    int origin, room, count;
    if (!tn_problem_int(t, "origin (1: triplets, 2: compressed columns)", 1, 2, &origin) ||
        !tn_problem_expect(t, "CSparse"))
        return false;
    skip_line(t);
    bool triplets = next_is(t, "triplet:");
    if ((triplets && !tn_problem_expect(t, "triplet:")) || !read_size(r) ||
        !tn_problem_expect(t, "nzmax:") || !tn_problem_int(t, "nzmax", 0, INT_MAX, &room) ||
        !tn_problem_expect(t, "nnz:"))
        return false;
    if (triplets) {
        if (!tn_problem_int(t, "nnz", 0, INT_MAX - 1, &count)) return false;
    } else {
        /* "nnz: 3822, 1-norm: 7152.83" */
        size_t length;
        const char *word = tn_problem_word(t, &length);
        if (!word || word[length - 1] != ',')
            return tn_problem_fault(t, "nnz, a whole number and a comma, should stand here");
        t->at -= length;
        TnProblemText number = *t;
        number.size = t->at + length - 1;
        if (!tn_problem_int(&number, "nnz", 0, INT_MAX - 1, &count)) return false;
        t->at += length;
        if (!tn_problem_expect(t, "1-norm:")) return false;
        skip_line(t);
    }
    if (!tn_problem_fits(t, (triplets ? 4 : 3) * (int64_t)count, r->name) || !reserve(r, count))
        return false;
    return triplets ? read_triplets(r, count) : read_columns(r, count);
}

bool tn_siconos_read_matrix(TnProblemText *t, const char *name, TnFileMatrix *out)
{
    Reader r = {.t = t, .name = name};
    int storage;
    char what[80];
    snprintf(what, sizeof what, "the storage of %s (0: dense, 1: blocks, 2: sparse)", name);
    if (!tn_problem_int(t, what, 0, 2, &storage)) return false;
    snprintf(what, sizeof what, "the number of rows of %s", name);
    if (!tn_problem_int(t, what, 0, INT_MAX / 8, &r.rows)) return false;
    snprintf(what, sizeof what, "the number of columns of %s", name);
    if (!tn_problem_int(t, what, 0, INT_MAX / 8, &r.columns)) return false;
    /* a vector as long as each side comes behind the matrix */
    if (!tn_problem_fits(t, r.rows > r.columns ? r.rows : r.columns, name)) return false;
    bool good = storage == 0 ? read_dense(&r) : storage == 1 ? read_blocks(&r) : read_sparse(&r);
    if (good && r.count >= INT_MAX) good = tn_problem_fault(t, "%s is too large", name);
    if (good && !tn_file_matrix_build(t->memory, r.rows, r.columns, r.entries, r.count, out))
        good = tn_problem_no_memory(t);
    tn_free(r.entries);
    return good;
}

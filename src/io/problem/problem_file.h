/* problem_file.h: what the readers of problem files share.
 *
 * Whatever the format, reading ends in a list of blocks and of constraints as tenon/solver.h takes
 * them, so that a solver is filled in one way. Of a Siconos file the matrices stay besides, since
 * its error is asked of them. All memory of a file comes from one arena and goes with it. Counts in
 * a file are compared with the bytes that are left before memory is asked for. */
#ifndef TN_IO_PROBLEM_FILE_H
#define TN_IO_PROBLEM_FILE_H

#include <tenon/problem_file.h>

#include "../../base/arena.h"
#include "../../base/base.h"

/* Sparse, row after row; without zeros, columns rise within a row. */
typedef struct TnFileMatrix {
    int rows, columns;
    int *start; /* rows + 1 */
    int *column;
    double *value;
} TnFileMatrix;

typedef struct TnFileEntry {
    int row, column;
    double value;
} TnFileEntry;

/* A problem of Siconos as it stands in the file. Local: W, q; global: W is called M there. */
typedef struct TnSiconos {
    bool global;
    int d, nc;
    TnFileMatrix W, H;         /* H: global only */
    TnFileMatrix W_t;          /* Wᵀ */
    double *q, *b, *mu, *mu_r; /* b: global only; mu_r: d = 5 only */
    int *place;                /* of each of the file's unknowns in the solver's v; global only */
} TnSiconos;

struct TnProblemFile {
    TnProblemFileInfo info;
    TnArena memory;
    int block_count, constraint_count;
    TnBlockDef *blocks;
    TnConstraintDef *constraints;
    double *v, *lambda; /* where a solve starts; NULL: zero */
    double shift;       /* what W misses being semidefinite; local problems only */
    TnSiconos siconos;
};

/* ---- the text (problem_file_text.c) ---- */

typedef struct TnProblemText {
    const char *path;
    TnError *err;
    TnArena *memory;  /* the file's */
    const char *text; /* size bytes and a closing zero */
    size_t size, at;
    int line;      /* of the last word, from 1 */
    bool comments; /* # up to the line's end is passed over */
} TnProblemText;

/* All that may fail return false (or NULL) with the error set. A fault is told with its line. */
bool tn_problem_fault(TnProblemText *t, const char *format, ...) TN_PRINTF(2, 3);
bool tn_problem_no_memory(TnProblemText *t);
/* The next word, over line ends; NULL, without an error, at the file's end. */
const char *tn_problem_word(TnProblemText *t, size_t *length);
bool tn_problem_expect(TnProblemText *t, const char *word); /* it comes next */
/* `what` is what a message calls the number. */
bool tn_problem_int(TnProblemText *t, const char *what, int lower, int upper, int *out);
bool tn_problem_real(TnProblemText *t, const char *what, double *out);  /* finite */
bool tn_problem_bound(TnProblemText *t, const char *what, double *out); /* inf and -inf, too */
/* So many words may still come: no more than the file has bytes for. */
bool tn_problem_fits(TnProblemText *t, int64_t words, const char *what);
/* `count` finite numbers; memory even for none. */
double *tn_problem_reals(TnProblemText *t, int64_t count, const char *what);
/* How many words are left, counted up to `most`; does not move. */
int64_t tn_problem_words_left(const TnProblemText *t, int64_t most);
/* Text of the file fit for a message. */
enum { TN_PROBLEM_SHOWN = 32 };
const char *tn_problem_show(const char *word, size_t length, char shown[TN_PROBLEM_SHOWN]);

/* ---- matrices (problem_file_matrix.c) ---- */

/* Entries at the same place are added up. False: no memory. */
bool tn_file_matrix_build(TnArena *memory, int rows, int columns, const TnFileEntry *entries,
                          int64_t count, TnFileMatrix *out);
bool tn_file_matrix_transpose(TnArena *memory, const TnFileMatrix *matrix, TnFileMatrix *out);
/* y += scale · matrix x */
void tn_file_matrix_multiply(const TnFileMatrix *matrix, double scale, const double *x, double *y);
/* Largest |W - Wᵀ| by the largest |W|. */
double tn_file_matrix_asymmetry(const TnFileMatrix *matrix, const TnFileMatrix *transposed);

/* ---- the formats ---- */

enum { TN_PROBLEM_SET_COUNT = TN_SET_ROLL + 1 };
extern const char *const tn_problem_set_names[TN_PROBLEM_SET_COUNT]; /* of tenon's own format */
int tn_problem_rows(TnSet set);                                      /* numbers in λ and in e */
/* Each fills file->info, blocks, constraints and its own part. */
bool tn_problem_read_tenon(TnProblemText *t, TnProblemFile *file);
bool tn_problem_read_siconos(TnProblemText *t, TnProblemFile *file);
/* The next matrix, in any storage (siconos_matrix.c). */
bool tn_siconos_read_matrix(TnProblemText *t, const char *name, TnFileMatrix *out);
/* Blocks and constraints of a problem that was read (siconos_blocks.c). False: no memory. */
bool tn_siconos_blocks(TnProblemFile *file);
/* file->shift, of a local problem (siconos_shift.c). False: no memory. */
bool tn_siconos_shift(TnProblemFile *file);
/* Of r and u of d numbers per contact (siconos_error.c). */
double tn_siconos_natural_map(const TnSiconos *problem, const double *r, const double *u);

#endif

/* siconos.c: the frictional contact problems of Siconos as text. Contact coordinates are (n, t1,
 * t2), (n, t) where d = 2, and (n, t1, t2, rolling about t1, t2) where d = 5.
 *
 *   local    d nc, W, q[d nc], mu[nc]                  u = W r + q
 *   global   d nc, M, H, q[n], b[d nc], mu[nc]         M v = q + H r, u = Hᵀ v + b
 *   rolling  either with d = 5, mu_r[nc] behind it
 *
 * Which of the two a file is, is told by what follows the first matrix: another matrix, or just the
 * numbers of a local problem. Some files end with one more number, 0 or 1, a flag of the program
 * that wrote them. */
#include "problem_file.h"

#include <limits.h>

/* A matrix H starts with its storage, the rows of M and its columns. */
static bool matrix_follows(const TnProblemText *t, const TnSiconos *s)
{
    TnProblemText ahead = *t;
    TnError ignored = {0};
    int number;
    ahead.err = &ignored;
    return tn_problem_int(&ahead, "storage", 0, 2, &number) &&
           tn_problem_int(&ahead, "rows", s->W.rows, s->W.rows, &number) &&
           tn_problem_int(&ahead, "columns", 0, INT_MAX, &number);
}

/* A local problem has so many numbers behind W, and perhaps the flag. */
static bool tell_kind(TnProblemText *t, TnSiconos *s)
{
    int64_t numbers = (int64_t)s->nc * (s->d + (s->d == 5 ? 2 : 1));
    bool fits = s->W.rows == s->d * s->nc;
    int64_t left = tn_problem_words_left(t, numbers + 2);
    if (fits && (left == numbers || left == numbers + 1)) return true;
    s->global = matrix_follows(t, s);
    return fits || s->global ||
           tn_problem_fault(t,
                            "the first matrix has %d rows, but %d contacts of %d numbers follow "
                            "without a matrix H; are the counts right?",
                            s->W.rows, s->nc, s->d);
}

static bool read_coefficients(TnProblemText *t, int nc, const char *what, double **out)
{
    *out = tn_problem_reals(t, nc, what);
    for (int i = 0; *out && i < nc; i++)
        if ((*out)[i] < 0.0)
            return tn_problem_fault(t, "%s of contact %d (from 0) is %g, must be 0 or more", what,
                                    i, (*out)[i]);
    return *out;
}

static bool read_flag(TnProblemText *t)
{
    int flag;
    if (!tn_problem_words_left(t, 1)) return true;
    if (!tn_problem_int(t, "a flag behind the problem", 0, 1, &flag)) return false;
    return !tn_problem_words_left(t, 1) ||
           tn_problem_fault(t, "the problem ends before the file does; are its counts right?");
}

static bool read_numbers(TnProblemText *t, TnSiconos *s)
{
    int rows = s->d * s->nc;
    return (s->q = tn_problem_reals(t, s->W.rows, "q")) &&
           (!s->global || (s->b = tn_problem_reals(t, rows, "b"))) &&
           read_coefficients(t, s->nc, "mu", &s->mu) &&
           (s->d != 5 || read_coefficients(t, s->nc, "mu_r", &s->mu_r)) && read_flag(t);
}

static bool read_problem(TnProblemText *t, TnSiconos *s)
{
    if (!tn_problem_int(t, "the dimension of a contact", 2, 5, &s->d)) return false;
    if (s->d == 4) return tn_problem_fault(t, "contacts have 2, 3 or 5 dimensions, not 4");
    if (!tn_problem_int(t, "the number of contacts", 0, INT_MAX / 64, &s->nc) ||
        !tn_siconos_read_matrix(t, "the first matrix", &s->W))
        return false;
    if (s->W.rows != s->W.columns)
        return tn_problem_fault(t, "the first matrix is %d by %d, must be square", s->W.rows,
                                s->W.columns);
    int rows = s->d * s->nc;
    if (!tell_kind(t, s)) return false;
    if (s->global && !tn_siconos_read_matrix(t, "H", &s->H)) return false;
    if (s->global && (s->H.rows != s->W.rows || s->H.columns != rows))
        return tn_problem_fault(t,
                                "H is %d by %d, but M asks for %d rows and the contacts for %d "
                                "columns",
                                s->H.rows, s->H.columns, s->W.rows, rows);
    if (s->nc && !s->W.rows)
        return tn_problem_fault(t, "contacts, but nothing that moves: M is empty");
    return read_numbers(t, s);
}

bool tn_problem_read_siconos(TnProblemText *t, TnProblemFile *file)
{
    TnSiconos *s = &file->siconos;
    if (!read_problem(t, s)) return false;
    if (!tn_file_matrix_transpose(t->memory, &s->W, &s->W_t) || !tn_siconos_blocks(file) ||
        (!s->global && !tn_siconos_shift(file)))
        return tn_problem_no_memory(t);
    file->info.format = s->global ? TN_PROBLEM_SICONOS_GLOBAL : TN_PROBLEM_SICONOS_LOCAL;
    file->info.dimension = s->d;
    file->info.asymmetry = tn_file_matrix_asymmetry(&s->W, &s->W_t);
    return true;
}

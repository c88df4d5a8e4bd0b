/* banded.c: Cholesky factorization of banded matrices by rows, see banded.h. */
#include "banded.h"

#include <math.h>

static int first_column(int i, int width) { return i > width ? i - width : 0; }

/* Row i such that row[j] is column j. */
static const double *row_of(const double *A, int i, int width)
{
    return A + (long)i * (width + 1) + width - i;
}

bool tn_banded_factor(double *A, int n, int width)
{
    for (int i = 0; i < n; i++) {
        double *row = A + (long)i * (width + 1) + width - i;
        int first = first_column(i, width);
        for (int j = first; j <= i; j++) {
            const double *other = row_of(A, j, width);
            double s = row[j];
            for (int k = first; k < j; k++) s -= row[k] * other[k];
            if (j < i) {
                row[j] = s / other[j];
            } else {
                if (!(s > 0.0 && s < INFINITY)) return false; /* NaN too */
                row[i] = sqrt(s);
            }
        }
    }
    return true;
}

void tn_banded_solve(const double *L, int n, int width, double *x)
{
    for (int i = 0; i < n; i++) {
        const double *row = row_of(L, i, width);
        double s = x[i];
        for (int k = first_column(i, width); k < i; k++) s -= row[k] * x[k];
        x[i] = s / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = row_of(L, i, width);
        x[i] /= row[i];
        for (int k = first_column(i, width); k < i; k++) x[k] -= row[k] * x[i];
    }
}

/* semidefinite.c: pivoted Cholesky factorization, see semidefinite.h. Columns are made in panels of
 * PANEL: within one a column takes in the panel's columns before it, and what is behind the panel
 * is updated by all of them at once, row by row with a copy of the panel by columns, so that the
 * inner loop runs along rows. */
#include "semidefinite.h"

#include <math.h>

enum { PANEL = 32 };

size_t tn_semidefinite_work(int n) { return (size_t)n * (PANEL + 1); }

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* Rows and columns p < q of the lower triangle change places. */
static void exchange(double *A, int n, int p, int q)
{
    double *P = A + (long)p * n, *Q = A + (long)q * n;
    for (int j = 0; j < p; j++) swap(P + j, Q + j);
    swap(P + p, Q + q);
    for (int i = p + 1; i < q; i++) swap(A + (long)i * n + p, Q + i);
    for (int i = q + 1; i < n; i++) swap(A + (long)i * n + p, A + (long)i * n + q);
}

/* What is behind the panel of columns [begin, end). */
static void update(double *A, int n, int begin, int end, double *columns)
{
    for (int j = end; j < n; j++)
        for (int t = begin; t < end; t++) columns[(long)(t - begin) * n + j] = A[(long)j * n + t];
    for (int i = end; i < n; i++) {
        double *row = A + (long)i * n;
        for (int t = begin; t < end; t++) {
            double l = row[t];
            const double *column = columns + (long)(t - begin) * n;
            for (int j = end; j <= i; j++) row[j] -= l * column[j];
        }
    }
}

int tn_semidefinite_factor(double *A, int n, double cut, int *order, double *negative, double *work)
{
    double *left = work, *columns = work + n; /* of the diagonal; of a panel */
    int k = 0, begin = 0;
    *negative = 0.0;
    for (int i = 0; i < n; i++) {
        order[i] = i;
        left[i] = A[(long)i * n + i];
    }
    for (; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (left[i] > left[pivot]) pivot = i;
        if (!(left[pivot] > cut)) break;
        if (k == begin + PANEL) {
            update(A, n, begin, k, columns);
            begin = k;
        }
        if (pivot != k) {
            exchange(A, n, k, pivot);
            swap(left + k, left + pivot);
            int t = order[k];
            order[k] = order[pivot];
            order[pivot] = t;
        }
        double *K = A + (long)k * n, largest = 0.0;
        for (int i = k + 1; i < n; i++) {
            double *row = A + (long)i * n, s = row[k];
            for (int t = begin; t < k; t++) s -= row[t] * K[t];
            row[k] = s;
            largest = fmax(largest, fabs(s));
        }
        /* no entry of a semidefinite matrix exceeds its largest diagonal one: what is left is noise
         */
        if (largest > 2.0 * left[k]) {
            *negative = largest - left[k];
            break;
        }
        K[k] = sqrt(left[k]);
        for (int i = k + 1; i < n; i++) {
            double *l = A + (long)i * n + k;
            *l /= K[k];
            left[i] -= *l * *l;
        }
    }
    for (int i = k; i < n; i++) *negative = fmax(*negative, -left[i]);
    return k;
}

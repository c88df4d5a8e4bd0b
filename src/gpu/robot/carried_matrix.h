/* carried_matrix.h: inverses of the groups' matrices, symmetric and positive definite, by Gauss and
 * Jordan without pivoting. */
#ifndef TN_GPU_CARRIED_MATRIX_H
#define TN_GPU_CARRIED_MATRIX_H

#include "../data.h"
#include "../team.h"

namespace tn
{

#define TN_LARGE_GROUP 96 /* unknowns that one team can take */
#define TN_PIVOT 32       /* rows that are eliminated at a time, of larger ones */

TN_DEVICE inline bool is_large(const Group &group) { return group.dim > TN_LARGE_GROUP; }

/* In place, of a symmetric positive definite matrix: Gauss and Jordan, no pivoting. x, y: n each.
 */
TN_DEVICE inline void invert_there(const Team &team, double *M, int n, double *x, double *y)
{
    for (int k = 0; k < n; k++) {
        team.each(n, [&](int i) {
            x[i] = M[(size_t)k * n + i];
            y[i] = M[(size_t)i * n + k];
        });
        double p = 1.0 / x[k];
        team.each_of_square(n, [&](int i, int j) {
            double *m = &M[(size_t)i * n + j];
            if (i == k)
                *m = j == k ? p : x[j] * p;
            else
                *m = j == k ? -y[i] * p : *m - y[i] * (x[j] * p);
        });
    }
}

/* The same in fast memory, where it fits. */
TN_DEVICE inline void invert(const Team &team, double *M, int n, double *x, double *y)
{
    double *fast = team.fast;
    if (n * (n + 2) > team.fast_count) {
        invert_there(team, M, n, x, y);
        return;
    }
    team.each(n * n, [&](int i) { fast[i] = M[i]; });
    invert_there(team, fast, n, fast + n * n, fast + n * (n + 1));
    team.each(n * n, [&](int i) { M[i] = fast[i]; });
}

/* Columns `first` and on of M_kk⁻¹ M_k. to the panel, M_kk⁻¹ itself at those of k, and these rows
 * of M_.k behind it. Each team has M_kk⁻¹ for itself. */
TN_DEVICE inline void write_panel(const Team &team, const Group &group, const double *M, int k,
                                  int first)
{
    int n = group.dim, b = k + TN_PIVOT < n ? TN_PIVOT : n - k,
        count = first + TN_PIVOT < n ? TN_PIVOT : n - first;
    double *P = team.fast, *panel = group.panel, *left = panel + TN_PIVOT * (size_t)n;
    team.each(b * b, [&](int i) { P[i] = M[(size_t)(k + i / b) * n + k + i % b]; });
    invert_there(team, P, b, P + b * b, P + b * (b + 1));
    team.each(b * count, [&](int i) {
        int r = i / count, c = i % count;
        double sum = 0.0;
        for (int m = 0; m < b; m++) sum += P[r * b + m] * M[(size_t)(k + m) * n + first + c];
        panel[(size_t)r * n + first + c] = first == k ? P[r * b + c] : sum;
    });
    team.each(count * b, [&](int i) {
        int r = first + i / b;
        left[(size_t)r * TN_PIVOT + i % b] = M[(size_t)r * n + k + i % b];
    });
}

TN_DEVICE inline void apply_panel(const Team &team, const Group &group, double *M, int k, int row,
                                  int column)
{
    int n = group.dim, b = k + TN_PIVOT < n ? TN_PIVOT : n - k,
        rows = row + TN_PIVOT < n ? TN_PIVOT : n - row,
        columns = column + TN_PIVOT < n ? TN_PIVOT : n - column;
    const double *panel = group.panel, *left = panel + TN_PIVOT * (size_t)n;
    team.each(rows * columns, [&](int i) {
        int r = row + i / columns, c = column + i % columns;
        double *m = &M[(size_t)r * n + c], sum = 0.0;
        if (row == k) {
            *m = panel[(size_t)(r - k) * n + c];
            return;
        }
        for (int j = 0; j < b; j++)
            sum += left[(size_t)r * TN_PIVOT + j] * panel[(size_t)j * n + c];
        *m = column == k ? -sum : *m - sum;
    });
}

/* Inverts a matrix of each group, small ones by a team; of large ones blocks of TN_PIVOT rows and
 * columns at a time: M_kk⁻¹ M_k. goes to a panel, with a copy of M_.k; then M -= M_.k M_kk⁻¹ M_k.
 */
template <class R> void invert_groups(Queue &q, const View<R> &s, bool of_A)
{
    teams(q, s.group_count, [=] TN_DEVICE(const Team &team, int g) {
        const Group group = s.groups[g];
        double *M = of_A ? group.A_inverse : group.H_inverse;
        if (!is_large(group)) invert(team, M, group.dim, group.x, group.y);
    });
    if (s.most_unknowns <= TN_LARGE_GROUP) return;
    int tiles = (s.most_unknowns + TN_PIVOT - 1) / TN_PIVOT;
    for (int k = 0; k < s.most_unknowns; k += TN_PIVOT) {
        teams(q, s.group_count * tiles, [=] TN_DEVICE(const Team &team, int i) {
            const Group group = s.groups[i / tiles];
            int first = i % tiles * TN_PIVOT;
            if (is_large(group) && k < group.dim && first < group.dim)
                write_panel(team, group, of_A ? group.A_inverse : group.H_inverse, k, first);
        });
        teams(q, s.group_count * tiles * tiles, [=] TN_DEVICE(const Team &team, int i) {
            const Group group = s.groups[i / (tiles * tiles)];
            int row = i / tiles % tiles * TN_PIVOT, column = i % tiles * TN_PIVOT;
            if (is_large(group) && k < group.dim && row < group.dim && column < group.dim)
                apply_panel(team, group, of_A ? group.A_inverse : group.H_inverse, k, row, column);
        });
    }
}

} // namespace tn
#endif

/* carried_parts.h: what the solve and the judge of a group are made of: products, sums over the
 * contacts of its links, the laws of its rows. */
#ifndef TN_GPU_CARRIED_PARTS_H
#define TN_GPU_CARRIED_PARTS_H

#include "../data.h"
#include "../team.h"

namespace tn
{

/* out = M x */
TN_DEVICE inline void multiply(const Team &team, const double *M, const double *x, int n,
                               double *out)
{
    team.each(n, [&](int i) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += M[(size_t)j * n + i] * x[j]; /* symmetric */
        out[i] = sum;
    });
}

TN_DEVICE inline double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* Row r of T of a link times x. */
TN_DEVICE inline double twist_part(const CarriedLink &link, int r, const double *x)
{
    return dot(link.T + (size_t)r * link.count, x + link.start, link.count);
}

/* take(j, x_j) of each unknown, x = Tᵀ F + Jᵀλ */
template <class F>
TN_DEVICE inline void gather(const Team &team, const Base &s, const Group &group,
                             const double *lambda, F take)
{
    int rows = *group.row_count, n = group.dim;
    team.each(n, [&](int j) {
        double sum = 0.0;
        for (int l = 0; l < group.link_count; l++) {
            const CarriedLink &link = s.carried[group.first_link + l];
            int at = j - link.start;
            if (at < 0 || at >= link.count) continue;
            for (int k = 0; k < 6; k++) sum += link.T[k * link.count + at] * group.F[6 * l + k];
        }
        for (int r = 0; r < rows; r++) sum += group.J[(size_t)r * n + j] * lambda[r];
        take(j, sum);
    });
}

/* Sums of f(side, sums) over the sides of each link, N numbers each, to out. Each thread takes
 * sides that follow each other; what it has of a link goes to a place of its own, and these are
 * added up in order. */
template <int N, class F>
TN_DEVICE inline void sum_sides(const Team &team, const Base &s, const Group &group, double *out,
                                F f)
{
    const int *start = s.side_start + s.body_count + group.first_link;
    int begin = start[0], total = start[group.link_count] - begin,
        size = (total + team.size() - 1) / team.size();
    double *sums = group.sums;
    team.each(team.size(), [&](int t) {
        int i = begin + t * size, end = i + size < begin + total ? i + size : begin + total, l = 0;
        while (i < end) {
            double own[N];
            for (int k = 0; k < N; k++) own[k] = 0.0;
            while (start[l + 1] <= i) l++;
            int last = start[l + 1] < end ? start[l + 1] : end;
            for (; i < last; i++) f(i, own);
            for (int k = 0; k < N; k++) sums[N * (t + l) + k] = own[k];
        }
    });
    team.each(N * group.link_count, [&](int i) {
        int l = i / N, k = i % N, from = start[l] - begin, to = start[l + 1] - begin;
        double sum = 0.0;
        for (int t = from < to ? from / size : 0; from < to && t <= (to - 1) / size; t++)
            sum += sums[N * (t + l) + k];
        out[i] = sum;
    });
}

/* λ = Π(t) of a row (solver/law/law.h). */
TN_DEVICE inline double project_row(const TnGpuRow &row, double B, double t)
{
    if (row.soft) {
        double w = 1.0 / B;
        return B > 0.0 ? row.k * (row.alpha * w * t + (row.alpha - 1.0) * row.e) /
                             (1.0 + w * row.alpha * row.k)
                       : -row.k * row.e;
    }
    if (!(B > 0.0)) return 0.0;
    double x = row.lower >= t ? row.lower : t;
    return row.upper <= x ? row.upper : x;
}

/* D (λ - Π(λ - u/D)) (solver/law/scalar.c) */
TN_DEVICE inline double row_map(const TnGpuRow &row, double D, double u, double lambda)
{
    if (!(D > 0.0)) return 0.0;
    if (row.soft) {
        double force = -row.k * (row.e + row.alpha * (u - row.e));
        return D * (lambda - force) / (1.0 + D * row.k * row.alpha);
    }
    double below = D * (lambda - row.lower), above = D * (lambda - row.upper);
    double x = u < below ? u : below;
    return x > above ? x : above;
}

} // namespace tn
#endif

/* mix.c: see mix.h. */
#include "mix.h"

#include "../../base/rounding.h"

#include <math.h>
#include <string.h>

bool tn_mix_init(TnMix *mix, int n, TnArena *arena)
{
    *mix = (TnMix){.n = n};
    double *memory = TN_ARENA_NEW(arena, double, 2 * (TN_MIX_DEPTH + 1) * (size_t)n);
    if (!memory) return false;
    for (int k = 0; k <= TN_MIX_DEPTH; k++) {
        mix->image[k] = memory + 2 * (size_t)k * (size_t)n;
        mix->residual[k] = mix->image[k] + n;
    }
    return true;
}

/* Solves G c = g for a small positive definite G by Gaussian elimination; false: singular. */
static bool solve_small(int m, double G[TN_MIX_DEPTH][TN_MIX_DEPTH], double c[TN_MIX_DEPTH])
{
    for (int i = 0; i < m; i++) {
        if (!(G[i][i] > 0.0)) return false;
        for (int j = i + 1; j < m; j++) {
            double f = G[j][i] / G[i][i];
            for (int k = i; k < m; k++) G[j][k] -= f * G[i][k];
            c[j] -= f * c[i];
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) c[i] -= G[i][k] * c[k];
        c[i] /= G[i][i];
    }
    return true;
}

void tn_mix_next(TnMix *mix, const double *weight, int stride, const double *image, double *x)
{
    int n = mix->n, now = mix->count % (TN_MIX_DEPTH + 1);
    int m = mix->count < TN_MIX_DEPTH ? mix->count : TN_MIX_DEPTH;
    double *r = mix->residual[now], G[TN_MIX_DEPTH][TN_MIX_DEPTH], c[TN_MIX_DEPTH];
    memcpy(mix->image[now], image, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) r[i] = image[i] - x[i];
    mix->count++;
    memcpy(x, image, sizeof(double) * (size_t)n);
    for (int a = 0; a < m; a++) {
        const double *ra = mix->residual[(now + TN_MIX_DEPTH - a) % (TN_MIX_DEPTH + 1)];
        c[a] = 0.0;
        for (int i = 0; i < n; i++) c[a] += weight[i * stride] * (r[i] - ra[i]) * r[i];
        for (int b = 0; b <= a; b++) {
            const double *rb = mix->residual[(now + TN_MIX_DEPTH - b) % (TN_MIX_DEPTH + 1)];
            double sum = 0.0;
            for (int i = 0; i < n; i++) sum += weight[i * stride] * (r[i] - ra[i]) * (r[i] - rb[i]);
            G[a][b] = G[b][a] = sum;
        }
        G[a][a] *= 1.0 + TN_ROUND_OFF;
    }
    if (!solve_small(m, G, c)) return;
    for (int a = 0; a < m; a++) {
        const double *other = mix->image[(now + TN_MIX_DEPTH - a) % (TN_MIX_DEPTH + 1)];
        for (int i = 0; i < n; i++) x[i] -= c[a] * (image[i] - other[i]);
    }
}

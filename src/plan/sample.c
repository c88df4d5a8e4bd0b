/* sample.c: plans by random controls. Noise follows lines between a few nodes of the horizon, for
 * noise from knot to knot averages out. */
#include <math.h>
#include <string.h>

#include "plan.h"

#define ELITES 8 /* of CEM: one of so many samples, at least two */
/* Of the noise that CEM began with: so that later solves still look around. */
#define LEAST_SPREAD 0.05

/* Numbers of a counter: every sample has its own, whichever thread or order. */
static double uniform(uint64_t seed, uint64_t count)
{
    uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15) * (count + 1);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53; /* never 0 or 1 */
}

static double normal(uint64_t seed, uint64_t count)
{
    double a = uniform(seed, 2 * count), b = uniform(seed, 2 * count + 1);
    return sqrt(-2.0 * tn_log(a)) * cos(6.28318530717958648 * b);
}

/* Where a knot lies between nodes. */
static double between(const TnPlan *p, int knot, int *node)
{
    if (p->node_count == 1 || p->def.horizon == 1) {
        *node = 0;
        return 0.0;
    }
    double at = (double)knot * (p->node_count - 1) / (p->def.horizon - 1);
    *node = at >= p->node_count - 1 ? p->node_count - 2 : (int)at;
    return at - *node;
}

static void follow_nodes(const TnPlan *p, const double *nodes, const double *about, double *ctrl)
{
    for (int k = 0; k < p->def.horizon; k++) {
        int node;
        double share = between(p, k, &node);
        const double *a = nodes + (size_t)node * (size_t)p->nu,
                     *b = p->node_count > 1 ? a + p->nu : a;
        for (int i = 0; i < p->nu; i++) {
            size_t at = (size_t)k * (size_t)p->nu + (size_t)i;
            double u = (about ? about[at] : 0.0) + (1.0 - share) * a[i] + share * b[i];
            ctrl[at] = tn_within(u, p->low[i], p->high[i]);
        }
    }
}

/* `count` tries. Try 0 stays as the plan is; the others have noise of p->spread about mean and
 * plan.
 */
static void draw(TnPlan *p, int count, int iteration)
{
    size_t width = (size_t)p->node_count * (size_t)p->nu;
    uint64_t seed = p->def.seed * UINT64_C(0xd1342543de82ef95) + p->draws * 1000003u +
                    (uint64_t)iteration * 7919u;
    memcpy(p->tries[0].ctrl, p->plan.ctrl, sizeof(double) * (size_t)p->def.horizon * (size_t)p->nu);
    for (int t = 1; t < count; t++) {
        double *nodes = p->scratch;
        for (size_t i = 0; i < width; i++)
            nodes[i] = p->mean[i] + p->spread[i] * normal(seed, (uint64_t)t * width + i);
        follow_nodes(p, nodes, p->plan.ctrl, p->tries[t].ctrl);
    }
}

static void begin(TnPlan *p)
{
    for (int k = 0; k < p->node_count; k++)
        for (int i = 0; i < p->nu; i++) {
            p->mean[k * p->nu + i] = 0.0;
            p->spread[k * p->nu + i] = p->sigma[i];
        }
}

/* Into the try after the samples: their mean, weighted by what they cost. */
static void average(TnPlan *p, int best)
{
    int n = p->def.samples, count = 0;
    size_t width = (size_t)p->def.horizon * (size_t)p->nu;
    double least = p->tries[best].cost, mean = 0.0, sum = 0.0;
    double *to = p->tries[n].ctrl;
    for (int t = 0; t < n; t++) {
        if (!isfinite(p->tries[t].cost)) continue;
        mean += p->tries[t].cost - least;
        count++;
    }
    double heat = p->def.temperature * mean / count;
    memset(to, 0, sizeof(double) * width);
    for (int t = 0; t < n; t++) {
        if (!isfinite(p->tries[t].cost)) continue;
        double worse = p->tries[t].cost - least;
        double weight = heat > 0.0 ? expm1(-worse / heat) + 1.0 : worse > 0.0 ? 0.0 : 1.0;
        sum += weight;
        for (size_t i = 0; i < width; i++) to[i] += weight * p->tries[t].ctrl[i];
    }
    for (size_t i = 0; i < width; i++) to[i] /= sum;
}

static void sort_tries(TnPlan *p)
{
    for (int t = 0; t < p->def.samples; t++) { /* by cost; equal ones as they were drawn */
        int at = t;
        for (; at > 0 && p->tries[p->order[at - 1]].cost > p->tries[t].cost; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = t;
    }
}

/* CEM: mean and spread of what the elites' controls are off the plan at the nodes. */
static void refit(TnPlan *p)
{
    int elites = p->def.samples / ELITES;
    if (elites < 2) elites = 2;
    sort_tries(p);
    while (elites > 1 && !isfinite(p->tries[p->order[elites - 1]].cost)) elites--;
    for (int k = 0; k < p->node_count; k++) {
        int knot = p->node_count > 1 ? k * (p->def.horizon - 1) / (p->node_count - 1) : 0;
        for (int i = 0; i < p->nu; i++) {
            double sum = 0.0, squares = 0.0, base = tn_path_ctrl(p, &p->plan, knot)[i];
            for (int e = 0; e < elites; e++) {
                double off = tn_path_ctrl(p, &p->tries[p->order[e]], knot)[i] - base;
                sum += off;
                squares += off * off;
            }
            double mean = sum / elites, spread = sqrt(fmax(squares / elites - mean * mean, 0.0));
            p->mean[k * p->nu + i] = mean;
            p->spread[k * p->nu + i] = fmax(spread, LEAST_SPREAD * p->sigma[i]);
        }
    }
}

/* False: nothing better was found. The mean of CEM is about the plan that it was found with, so the
 * plan stays until the end; `best` is kept in the last try. */
static void keep(TnPlan *p, int which)
{
    TnPlanPath *kept = &p->tries[p->def.samples + 1], *from = &p->tries[which];
    if (!(from->cost < kept->cost)) return;
    TnPlanPath was = *kept;
    *kept = *from;
    *from = was;
}

void tn_plan_seed(TnPlan *p)
{
    int n = p->def.seeds + 1;
    if (n == 1) return;
    begin(p);
    draw(p, n, 0);
    p->draws++;
    TnPlanPath own = p->tries[0]; /* the plan, which is rolled out already */
    p->tries[0] = p->tries[n - 1];
    p->tries[n - 1] = own;
    tn_rollout_tries(p, n - 1, false, p->plan.cost);
    int best = tn_best_try(p, n - 1);
    if (best < 0 || !(p->tries[best].cost < p->plan.cost)) return;
    tn_plan_take(p, best);
    p->has_gains = false;
}

void tn_plan_sample(TnPlan *p, double begun)
{
    int n = p->def.samples;
    p->tries[n + 1].cost = INFINITY;
    begin(p);
    for (int i = 0; i < p->def.iterations; i++) {
        if (tn_plan_is_late(p, begun)) break;
        p->iterations++;
        draw(p, n, i);
        tn_rollout_tries(p, n, false, INFINITY);
        int best = tn_best_try(p, n);
        if (best < 0) break;
        for (int c = 0; c < p->def.cost_count; c++)
            for (int t = 0; t < n; t++)
                if (isfinite(p->tries[t].cost) && p->tries[t].costs[c] != p->tries[best].costs[c])
                    p->moved[c] = 1;
        if (p->def.method == TN_PLAN_CEM) {
            refit(p);
            keep(p, best);
            continue;
        }
        average(p, best);
        TnPlanPath swap = p->tries[0]; /* the plan itself: the mean takes its place */
        p->tries[0] = p->tries[n];
        p->tries[n] = swap;
        int was = best;
        tn_rollout_tries(p, 1, false, INFINITY);
        if (was == 0) was = n;
        keep(p, p->tries[0].cost < p->tries[was].cost ? 0 : was);
        if (p->tries[n + 1].cost < p->plan.cost) tn_plan_take(p, n + 1);
    }
    p->draws++;
    p->converged = p->iterations == p->def.iterations && !(p->tries[n + 1].cost < p->start_cost);
    if (p->tries[n + 1].cost < p->plan.cost) tn_plan_take(p, n + 1);
}

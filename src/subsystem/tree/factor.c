/* factor.c: A = Lᵀ D L over a tree (Featherstone, Efficient factorization of the joint-space
 * inertia matrix for branched kinematic trees, 2005). Row d has entries only at d and at the dofs
 * between d and the root; eliminating the leaves first makes no others. So branches cost their own
 * length and not the whole tree's. A tendon across branches adds entries; the way to the root then
 * runs through both branches (dof_couple, model/compile/compile_drive.c), and the same loops find
 * them.
 *
 * The way to the root is walked in runs of consecutive dofs, [run[i], i] and on from the parent of
 * run[i]: a serial chain is one run and its loops are as plain as those of a dense factorization.
 */
#include "tree.h"

void tn_tree_runs(const TnTree *tree, int *run)
{
    for (int d = 0; d < tree->n; d++) {
        int p = tn_tree_couple(tree, d);
        run[d] = p >= 0 && p == d - 1 ? run[p] : d;
    }
}

static inline void subtract(int first, int last, double f, const double *restrict source,
                            double *restrict target)
{
    for (int j = first; j <= last; j++) target[j] -= f * source[j];
}

/* target[j] -= f · source[j] for j = i and all dofs from there to the root. */
static inline void subtract_to_root(const TnTree *tree, int i, double f,
                                    const double *restrict source, double *restrict target)
{
    while (i >= 0) {
        int first = tree->run[i];
        subtract(first, i, f, source, target);
        i = tn_tree_couple(tree, first);
    }
}

void tn_tree_copy(const TnTree *tree, const double *A, double *L)
{
    int n = tree->n;
    for (int d = 0; d < n; d++, A += n, L += n)
        for (int i = d; i >= 0;) {
            int first = tree->run[i];
            for (int j = first; j <= i; j++) L[j] = A[j];
            i = tn_tree_couple(tree, first);
        }
}

/* Of a row whose way to the root is one run. */
static void eliminate_run(double *A, int n, double *row, int last, double inverse)
{
    for (int i = last; i >= 0; i--) {
        double f = row[i] * inverse, *target = A + i * n;
        if (f != 0.0) subtract(0, i, f, row, target);
        row[i] = f;
    }
}

/* Of a row whose way is short: the way is listed once, but for the six dofs of a free root, with
 * which all ways of such a tree end. */
#define SHORT_WAY 32
enum { FREE = 6 };
static void eliminate_listed(double *A, int n, double *row, const int *way, int count,
                             bool ends_free, double inverse)
{
    double entries[SHORT_WAY];
    for (int k = 0; k < count; k++) entries[k] = row[way[k]];
    for (int k = 0; k < count; k++) {
        double f = entries[k] * inverse, *target = A + way[k] * n;
        if (f != 0.0)
            for (int l = k; l < count; l++) target[way[l]] -= f * entries[l];
        if (f != 0.0 && ends_free) subtract(0, FREE - 1, f, row, target);
        row[way[k]] = f;
    }
    if (ends_free) eliminate_run(A, n, row, FREE - 1, inverse);
}

static void eliminate(const TnTree *tree, double *A, double *row, int last, double inverse)
{
    int way[SHORT_WAY], count = 0, i = last;
    if (last >= 0 && tn_tree_couple(tree, tree->run[last]) < 0 && tree->run[last] == 0) {
        eliminate_run(A, tree->n, row, last, inverse);
        return;
    }
    bool starts_free = tree->n >= FREE && tree->run[FREE - 1] == 0;
    int end = starts_free ? FREE - 1 : -1;
    for (; i > end && count < SHORT_WAY; i = tn_tree_couple(tree, i)) way[count++] = i;
    if (i < 0 || i == end) {
        eliminate_listed(A, tree->n, row, way, count, i == end && starts_free, inverse);
        return;
    }
    for (i = last; i >= 0; i = tn_tree_couple(tree, i)) {
        double f = row[i] * inverse;
        if (f != 0.0) subtract_to_root(tree, i, f, row, A + i * tree->n);
        row[i] = f;
    }
}

bool tn_tree_factor(const TnTree *tree, double *A)
{
    int n = tree->n;
    for (int d = n - 1; d >= 0; d--) {
        double *row = A + d * n, pivot = row[d];
        if (!(pivot > 0.0 && isfinite(pivot))) return false;
        eliminate(tree, A, row, tn_tree_couple(tree, d), 1.0 / pivot);
    }
    return true;
}

void tn_tree_solve(const TnTree *tree, const double *L, double *x)
{
    int n = tree->n;
    for (int d = n - 1; d >= 0; d--)
        subtract_to_root(tree, tn_tree_couple(tree, d), x[d], L + d * n, x);
    for (int d = 0; d < n; d++) {
        double s = x[d] / L[d * n + d];
        for (int i = tn_tree_couple(tree, d); i >= 0;) {
            int first = tree->run[i];
            for (int j = first; j <= i; j++) s -= L[d * n + j] * x[j];
            i = tn_tree_couple(tree, first);
        }
        x[d] = s;
    }
}

double tn_tree_compliance(const TnTree *tree, const double *L, int d, double *y)
{
    int n = tree->n;
    double sum = 0.0;
    for (int i = d; i >= 0; i = tn_tree_couple(tree, i)) y[i] = i == d ? 1.0 : 0.0;
    /* Lᵀ y = e_d reaches only the dofs between d and the root */
    for (int i = d; i >= 0; i = tn_tree_couple(tree, i)) {
        sum += y[i] * y[i] / L[i * n + i];
        subtract_to_root(tree, tn_tree_couple(tree, i), y[i], L + i * n, y);
    }
    return sum;
}

/* cᵀ A⁻¹ c = yᵀ D⁻¹ y; y is c at first, then that of Lᵀ y = c. */
static double compliance_along(const TnTree *tree, const double *L, double *y)
{
    double sum = 0.0;
    for (int d = tree->n - 1; d >= 0; d--) {
        if (y[d] == 0.0) continue;
        sum += y[d] * y[d] / L[d * tree->n + d];
        subtract_to_root(tree, tn_tree_couple(tree, d), y[d], L + d * tree->n, y);
    }
    return sum;
}

double tn_tree_compliance_along(const TnTree *tree, const double *L, const TnMoment *moments,
                                int count, double *y)
{
    int first = tree->sub->dof_start;
    if (count == 1) {
        double coef = moments[0].coef;
        return coef * coef * tn_tree_compliance(tree, L, moments[0].dof - first, y);
    }
    memset(y, 0, sizeof(double) * (size_t)tree->n);
    for (int i = 0; i < count; i++) y[moments[i].dof - first] = moments[i].coef;
    return compliance_along(tree, L, y);
}

static TnTree tree_of(const TnTreeFactor *factor)
{
    TnTree tree = tn_tree(factor->model, factor->sub, NULL, NULL, NULL);
    tree.run = factor->run;
    return tree;
}

bool tn_tree_factor_of(const TnModel *model, const TnSubsystem *sub, const double *A,
                       TnArena *arena, TnTreeFactor *out)
{
    size_t n = (size_t)sub->dof_count;
    *out = (TnTreeFactor){.model = model,
                          .sub = sub,
                          .L = TN_ARENA_NEW(arena, double, n *n + n),
                          .run = TN_ARENA_NEW(arena, int, n)};
    if (!out->L || !out->run) return false;
    out->y = out->L + n * n;
    TnTree tree = tree_of(out);
    tn_tree_runs(&tree, out->run);
    tn_tree_copy(&tree, A, out->L);
    out->regular = tn_tree_factor(&tree, out->L);
    return true;
}

double tn_tree_factor_compliance(const TnTreeFactor *factor, const double *c)
{
    TnTree tree = tree_of(factor);
    memcpy(factor->y, c, sizeof(double) * (size_t)tree.n);
    return compliance_along(&tree, factor->L, factor->y);
}

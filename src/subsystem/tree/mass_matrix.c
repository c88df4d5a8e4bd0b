/* mass_matrix.c: M by composite rigid bodies (Featherstone, Rigid Body Dynamics Algorithms, ch. 6).
 *
 * The composite inertia of link l is the sum over its subtree; with one common point and world axes
 * the sum is plain. Then M_de = S_eᵀ (Ic_l(d) S_d)   for e on the way from d to the root,   M_dd +=
 * armature, and M += armature c cᵀ of tendons. */
#include "tree.h"

void tn_tree_inertias(const TnTree *tree, TnSpatialInertia *inertia)
{
    for (int i = 0; i < tree->link_count; i++) {
        const TnLink *link = &tree->links[i];
        const double *R = tree->frames[i].rot;
        TnSpatialInertia *J = &inertia[i];
        double c[3], T[9], W[6];
        v3_sub(c, tree->frames[i].com, tree->origin);
        m3_mul(T, R, link->inertia);
        W[0] = v3_dot(T, R);
        W[1] = v3_dot(T + 3, R + 3);
        W[2] = v3_dot(T + 6, R + 6);
        W[3] = v3_dot(T, R + 3);
        W[4] = v3_dot(T, R + 6);
        W[5] = v3_dot(T + 3, R + 6);
        double m = link->mass;
        J->m = m;
        v3_scale(J->h, c, m);
        J->I[0] = W[0] + m * (c[1] * c[1] + c[2] * c[2]);
        J->I[1] = W[1] + m * (c[0] * c[0] + c[2] * c[2]);
        J->I[2] = W[2] + m * (c[0] * c[0] + c[1] * c[1]);
        J->I[3] = W[3] - m * c[0] * c[1];
        J->I[4] = W[4] - m * c[0] * c[2];
        J->I[5] = W[5] - m * c[1] * c[2];
    }
}

/* (f, n) = inertia · (v, ω): f = m v + ω × h, n = I ω + h × v. */
static inline void apply(double F[6], const TnSpatialInertia *J, const double V[6])
{
    const double *v = V, *w = V + 3, *h = J->h, *I = J->I;
    F[0] = J->m * v[0] + w[1] * h[2] - w[2] * h[1];
    F[1] = J->m * v[1] + w[2] * h[0] - w[0] * h[2];
    F[2] = J->m * v[2] + w[0] * h[1] - w[1] * h[0];
    F[3] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2] + h[1] * v[2] - h[2] * v[1];
    F[4] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2] + h[2] * v[0] - h[0] * v[2];
    F[5] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2] + h[0] * v[1] - h[1] * v[0];
}

static inline double dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void add_tendon(const TnTree *tree, int index, double *M)
{
    const TnTendon *tendon = &tree->model->tendons[index];
    int first = tree->sub->dof_start;
    if (!tn_tree_has_rotor(tree, tendon)) return;
    for (int i = 0; i < tendon->moment_count; i++)
        for (int k = 0; k < tendon->moment_count; k++)
            M[(tendon->moments[i].dof - first) * tree->n + tendon->moments[k].dof - first] +=
                tendon->armature * tendon->moments[i].coef * tendon->moments[k].coef;
}

void tn_tree_compose(const TnTree *tree, TnSpatialInertia *inertia, double *M)
{
    int n = tree->n;
    memset(M, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = tree->link_count - 1; i >= 0; i--) {
        const TnLink *link = &tree->links[i];
        const TnSpatialInertia *J = &inertia[i];
        int last = link->dof_start + link->dof_count - 1 - tree->sub->dof_start;
        for (int d = last; d > last - link->dof_count; d--) {
            double F[6];
            apply(F, J, tree->S[d]);
            for (int e = d; e >= 0; e = tn_tree_parent(tree, e))
                M[d * n + e] = M[e * n + d] = dot6(F, tree->S[e]);
        }
        int p = link->parent - tree->sub->link_start;
        if (p >= 0) {
            TnSpatialInertia *P = &inertia[p];
            P->m += J->m;
            v3_add(P->h, P->h, J->h);
            for (int k = 0; k < 6; k++) P->I[k] += J->I[k];
        }
    }
    const int *dof_joint = tree->model->dof_joint + tree->sub->dof_start;
    for (int d = 0; d < n; d++) M[d * n + d] += tree->model->joints[dof_joint[d]].armature;
    for (int k = 0; k < tree->model->tendon_count; k++) add_tendon(tree, k, M);
}

void tn_tree_mass_matrix(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                         const double origin[3], const double (*S)[6], TnArena *scratch, double *M)
{
    size_t mark = tn_arena_mark(scratch);
    TnSpatialInertia *inertia = TN_ARENA_NEW(scratch, TnSpatialInertia, sub->link_count);
    if (inertia) {
        TnTree tree = tn_tree(model, sub, frames + sub->link_start, origin, S);
        tn_tree_inertias(&tree, inertia);
        tn_tree_compose(&tree, inertia, M);
    } else {
        /* not a number is the one answer that no caller takes for a mass matrix */
        for (int k = 0; k < sub->dof_count * sub->dof_count; k++) M[k] = NAN;
    }
    tn_arena_release(scratch, mark);
}

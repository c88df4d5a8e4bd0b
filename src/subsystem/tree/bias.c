/* bias.c: Coriolis, centrifugal, gyroscopic and gravity forces by recursive Newton–Euler
 * (Featherstone, ch. 5) at zero joint acceleration, or a given one, in world axes about one fixed
 * point O: V_l = V_p + Σ S_d v_d,      a_l = a_p + Σ Ṡ_d v_d,   a_world = (-g, 0) F_l = I_l a_l +
 * V_l ×* (I_l V_l)
 * + Σ_children F,      c_d = S_d · F_l. An axis that rides on a body moving with V changes by Ṡ = V
 * × S. Within a ball joint the body's own turning drops out (ω × ω = 0), so that V is the motion
 * before the joint; the linear axes of a free joint are fixed in the world. */
#include "tree.h"

/* a += V × U: how the motion U, carried by a frame that moves with V, changes as seen from the
 * fixed point. */
static inline void add_motion_cross(double a[6], const double V[6], const double U[6])
{
    double x[3];
    v3_cross(x, V + 3, U);
    v3_add(a, a, x);
    v3_cross(x, V, U + 3);
    v3_add(a, a, x);
    v3_cross(x, V + 3, U + 3);
    v3_add(a + 3, a + 3, x);
}

/* Adds `count` dofs of one kind that share the frame they ride on. */
static inline void add_group(double V[6], double a[6], const double (*S)[6], const double *v,
                             const double *acceleration, int count, bool rides)
{
    double U[6] = {0};
    for (int d = 0; d < count; d++)
        for (int r = 0; r < 6; r++) U[r] += S[d][r] * v[d];
    if (rides) add_motion_cross(a, V, U);
    for (int r = 0; r < 6; r++) V[r] += U[r];
    for (int d = 0; acceleration && d < count; d++)
        for (int r = 0; r < 6; r++) a[r] += S[d][r] * acceleration[d];
}

/* The same of a single one that rides, as most do. */
static inline void add_single(double V[6], double a[6], const double S[6], double v)
{
    double U[6];
    for (int r = 0; r < 6; r++) U[r] = S[r] * v;
    add_motion_cross(a, V, U);
    for (int r = 0; r < 6; r++) V[r] += U[r];
}

static void link_motion(const TnTree *tree, const TnLink *link, const double *v,
                        const double *acceleration, double V[6], double a[6])
{
    const TnJoint *joint = &tree->model->joints[link->joint_start];
    if (link->dof_count == 1) {
        int d = link->dof_start - tree->sub->dof_start;
        add_single(V, a, tree->S[d], v[d]);
        for (int r = 0; acceleration && r < 6; r++) a[r] += tree->S[d][r] * acceleration[d];
        return;
    }
    for (int k = 0; k < link->joint_count; k++, joint++) {
        int d = joint->dof_start - tree->sub->dof_start, count = tn_joint_dofs(joint->type);
        if (joint->type == TN_JOINT_FREE) {
            add_group(V, a, tree->S + d, v + d, acceleration ? acceleration + d : NULL, 3, false);
            d += 3;
            count = 3;
        }
        add_group(V, a, tree->S + d, v + d, acceleration ? acceleration + d : NULL, count, true);
    }
}

/* F = I a + V ×* (I V), the force that gives the link its acceleration. */
static void link_force(const TnSpatialInertia *J, const double V[6], const double a[6], double F[6])
{
    const double *w = V + 3, *h = J->h, *I = J->I;
    double p[3], L[3], x[3];
    v3_cross(p, w, h);
    v3_add_scaled(p, V, J->m);
    v3_cross(L, h, V);
    L[0] += I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
    L[1] += I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
    L[2] += I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
    v3_cross(F, w, p);
    v3_add_scaled(F, a, J->m);
    v3_cross(x, a + 3, h);
    v3_add(F, F, x);
    v3_cross(F + 3, w, L);
    v3_cross(x, V, p);
    v3_add(F + 3, F + 3, x);
    v3_cross(x, h, a);
    v3_add(F + 3, F + 3, x);
    w = a + 3;
    F[3] += I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
    F[4] += I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
    F[5] += I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
}

/* The inertia of a tendon, which moves with its length. */
static void add_tendon(const TnTree *tree, const TnTendon *tendon, const double *acceleration,
                       double *bias)
{
    int first = tree->sub->dof_start;
    double along = 0.0;
    if (!tn_tree_has_rotor(tree, tendon)) return;
    for (int i = 0; i < tendon->moment_count; i++)
        along += tendon->moments[i].coef * acceleration[tendon->moments[i].dof - first];
    for (int i = 0; i < tendon->moment_count; i++)
        bias[tendon->moments[i].dof - first] += tendon->armature * tendon->moments[i].coef * along;
}

void tn_tree_newton_euler(const TnTree *tree, const TnSpatialInertia *inertia, const double *v,
                          const double *acceleration, const double (*wrench)[6], double (*work)[18],
                          double *bias)
{
    int first_link = tree->sub->link_start, first_dof = tree->sub->dof_start;
    for (int i = 0; i < tree->link_count; i++) {
        const TnLink *link = &tree->links[i];
        double *V = work[i], *a = V + 6, *F = V + 12;
        int p = link->parent - first_link;
        if (p >= 0) {
            memcpy(V, work[p], 12 * sizeof(double));
        } else {
            memset(V, 0, 12 * sizeof(double));
            for (int k = 0; k < 3; k++) a[k] = -tree->model->option.gravity[k];
        }
        link_motion(tree, link, v, acceleration, V, a);
        link_force(&inertia[i], V, a, F);
        if (wrench) {
            const double *W = wrench[first_link + i];
            double arm[3], moment[3];
            v3_sub(arm, tree->frames[i].com, tree->origin);
            v3_cross(moment, arm, W);
            for (int k = 0; k < 3; k++) {
                F[k] -= W[k];
                F[k + 3] -= W[k + 3] + moment[k];
            }
        }
    }
    for (int i = tree->link_count - 1; i >= 0; i--) {
        const TnLink *link = &tree->links[i];
        const double *F = work[i] + 12;
        for (int d = link->dof_start - first_dof; d < link->dof_start - first_dof + link->dof_count;
             d++) {
            const double *S = tree->S[d];
            bias[d] =
                S[0] * F[0] + S[1] * F[1] + S[2] * F[2] + S[3] * F[3] + S[4] * F[4] + S[5] * F[5];
        }
        int p = link->parent - first_link;
        if (p >= 0)
            for (int r = 0; r < 6; r++) work[p][12 + r] += F[r];
    }
    const int *dof_joint = tree->model->dof_joint + first_dof;
    for (int d = 0; acceleration && d < tree->n; d++)
        bias[d] += tree->model->joints[dof_joint[d]].armature * acceleration[d];
    for (int k = 0; acceleration && k < tree->model->tendon_count; k++)
        add_tendon(tree, &tree->model->tendons[k], acceleration, bias);
}

void tn_tree_bias(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                  const double origin[3], const double (*S)[6], const double *qvel,
                  TnArena *scratch, double *bias)
{
    size_t mark = tn_arena_mark(scratch);
    TnSpatialInertia *inertia = TN_ARENA_NEW(scratch, TnSpatialInertia, sub->link_count);
    TnLinkMotion *work = TN_ARENA_NEW(scratch, TnLinkMotion, sub->link_count);
    if (inertia && work) {
        TnTree tree = tn_tree(model, sub, frames + sub->link_start, origin, S);
        tn_tree_inertias(&tree, inertia);
        tn_tree_newton_euler(&tree, inertia, qvel + sub->dof_start, NULL, NULL, work, bias);
    } else {
        for (int d = 0; d < sub->dof_count; d++) bias[d] = NAN;
    }
    tn_arena_release(scratch, mark);
}

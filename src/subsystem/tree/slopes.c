/* slopes.c: how inverse dynamics and energies of a tree follow q and v.
 *
 * Moving dof j by a little takes all behind it along as one rigid piece. Seen from that piece, the
 * velocity of each of its links changes by the same
 *
 *     ψ = V × S_j,  V of what j rides on,
 *
 * and its acceleration by V × ψ + a × S_j + ψ × V_i, a that of what j rides on. A link's wrench F =
 * I a + V ×* I V changes by I x for an acceleration x, and for a change y of its velocity with y ×
 * V_i of its acceleration by B y; of y = (·, η) only the turning counts, B y = (2 η × P, C η), with
 * P and L the link's momentum and
 *
 *     C = [ω] I - I [ω] - [L] - [h][v] - [v][h].
 *
 * I, P, L and C of all links behind j add up. A change of rate j changes velocities by S_j, and
 * accelerations by 2 ψ + S_j × V_i, less S_j × U for a joint that turns by U about more than one
 * axis. As seen from the world, the wrench of the piece turns with it, too: S_j ×* F. */
#include "slopes.h"

#include <string.h>

bool tn_tree_slopes_reserve(const TnTree *tree, TnArena *arena, TnTreeSlopes *out)
{
    out->dofs = TN_ARENA_NEW(arena, TnDofSlope, tree->n);
    out->links = TN_ARENA_NEW(arena, TnLinkSlope, tree->link_count);
    out->inertia = TN_ARENA_NEW(arena, TnSpatialInertia, tree->link_count);
    out->work = TN_ARENA_NEW(arena, TnLinkMotion, tree->link_count);
    return out->dofs && out->links && out->inertia && out->work;
}

static double dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* V × U of two motions, about one point. */
static void motion_cross(double out[6], const double V[6], const double U[6])
{
    double x[3];
    v3_cross(out, V + 3, U);
    v3_cross(x, V, U + 3);
    v3_add(out, out, x);
    v3_cross(out + 3, V + 3, U + 3);
}

static void turn_inertia(const double I[6], const double w[3], double out[3])
{
    out[0] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
    out[1] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
    out[2] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
}

/* I V */
static void apply(const TnSpatialInertia *J, const double V[6], double out[6])
{
    double x[3];
    v3_cross(out, V + 3, J->h);
    v3_add_scaled(out, V, J->m);
    turn_inertia(J->I, V + 3, out + 3);
    v3_cross(x, J->h, V);
    v3_add(out + 3, out + 3, x);
}

/* m += [a] */
static void add_skew(double m[9], const double a[3], double scale)
{
    m[1] -= scale * a[2];
    m[2] += scale * a[1];
    m[3] += scale * a[2];
    m[5] -= scale * a[0];
    m[6] -= scale * a[1];
    m[7] += scale * a[0];
}

/* Momentum and C of one link. */
static void link_slope(const TnSpatialInertia *J, const double V[6], TnLinkSlope *out)
{
    const double *I = J->I, *w = V + 3,
                 full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    double turned[9], along = 2.0 * v3_dot(J->h, V);
    apply(J, V, out->p);
    for (int k = 0; k < 3; k++) { /* [ω] I by columns, I is symmetric */
        double x[3];
        v3_cross(x, w, full + 3 * k);
        for (int i = 0; i < 3; i++) turned[3 * i + k] = x[i];
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out->C[3 * i + k] = turned[3 * i + k] + turned[3 * k + i] - J->h[i] * V[k] -
                                V[i] * J->h[k] + (i == k ? along : 0.0);
    add_skew(out->C, out->p + 3, -1.0);
}

static void add_behind(const TnTree *tree, const TnTreeSlopes *m)
{
    for (int i = tree->link_count - 1; i >= 0; i--) {
        int p = tree->links[i].parent - tree->sub->link_start;
        if (p < 0) continue;
        for (int k = 0; k < 6; k++) m->links[p].p[k] += m->links[i].p[k];
        for (int k = 0; k < 9; k++) m->links[p].C[k] += m->links[i].C[k];
        m->inertia[p].m += m->inertia[i].m;
        v3_add(m->inertia[p].h, m->inertia[p].h, m->inertia[i].h);
        for (int k = 0; k < 6; k++) m->inertia[p].I[k] += m->inertia[i].I[k];
    }
}

/* What dofs of one kind that share the frame they ride on do; V and a become those behind them. */
static void ride(const TnTree *tree, const TnTreeSlopes *m, int first, int count, const double *v,
                 const double *acceleration, bool rides, double V[6], double a[6])
{
    double U[6] = {0.0}, x[6];
    for (int d = first; d < first + count; d++)
        for (int r = 0; r < 6; r++) U[r] += tree->S[d][r] * v[d];
    for (int d = first; d < first + count; d++) {
        TnDofSlope *s = &m->dofs[d];
        s->group = first;
        motion_cross(s->rides, V, tree->S[d]);
        if (!rides) memset(s->rides, 0, sizeof s->rides);
        motion_cross(s->follows, V, s->rides);
        motion_cross(x, a, tree->S[d]);
        for (int r = 0; r < 6; r++) s->follows[r] += x[r];
        motion_cross(x, tree->S[d], U);
        for (int r = 0; r < 6; r++) s->doubled[r] = 2.0 * s->rides[r] - x[r];
    }
    if (rides) {
        motion_cross(x, V, U);
        for (int r = 0; r < 6; r++) a[r] += x[r];
    }
    for (int r = 0; r < 6; r++) V[r] += U[r];
    for (int d = first; acceleration && d < first + count; d++)
        for (int r = 0; r < 6; r++) a[r] += tree->S[d][r] * acceleration[d];
}

static void link_dofs(const TnTree *tree, const TnTreeSlopes *m, int i, const double *v,
                      const double *acceleration, const double *root)
{
    const TnLink *link = &tree->links[i];
    const TnJoint *joint = &tree->model->joints[link->joint_start];
    int p = link->parent - tree->sub->link_start;
    double V[6] = {0.0}, a[6] = {root[0], root[1], root[2]};
    if (p >= 0) {
        memcpy(V, m->work[p], sizeof V);
        memcpy(a, m->work[p] + 6, sizeof a);
    }
    for (int k = 0; k < link->joint_count; k++, joint++) {
        int d = joint->dof_start - tree->sub->dof_start, count = tn_joint_dofs(joint->type);
        if (joint->type == TN_JOINT_FREE) {
            ride(tree, m, d, 3, v, acceleration, false, V, a);
            d += 3;
            count = 3;
        }
        ride(tree, m, d, count, v, acceleration, true, V, a);
    }
    memcpy(m->work[i], V, sizeof V);
    memcpy(m->work[i] + 6, a, sizeof a);
}

/* F = I a + V ×* (I V), added up from the leaves; once momenta are there. */
static void add_wrenches(const TnTree *tree, const TnTreeSlopes *m)
{
    for (int i = 0; i < tree->link_count; i++) {
        const double *V = m->work[i], *p = m->links[i].p;
        double *F = m->work[i] + 12, x[3];
        apply(&m->inertia[i], V + 6, F);
        v3_cross(x, V + 3, p);
        v3_add(F, F, x);
        v3_cross(x, V + 3, p + 3);
        v3_add(F + 3, F + 3, x);
        v3_cross(x, V, p);
        v3_add(F + 3, F + 3, x);
    }
    for (int i = tree->link_count - 1; i >= 0; i--) {
        int p = tree->links[i].parent - tree->sub->link_start;
        for (int r = 12; p >= 0 && r < 18; r++) m->work[p][r] += m->work[i][r];
    }
}

/* (2 η × P, C η) is added. */
static void add_turning(const TnLinkSlope *l, const double eta[3], double out[6])
{
    double x[3];
    v3_cross(x, eta, l->p);
    v3_add_scaled(out, x, 2.0);
    m3_mul_v(x, l->C, eta);
    v3_add(out + 3, out + 3, x);
}

/* What a dof's change does to the wrench of all behind it, and its force to theirs. */
static void dof_wrenches(const TnTree *tree, const TnTreeSlopes *m, int i, int d)
{
    TnDofSlope *s = &m->dofs[d];
    const double *S = tree->S[d], *F = m->work[i] + 12;
    double x[3];
    apply(&m->inertia[i], S, s->U);
    v3_cross(s->z, m->links[i].p, S);
    v3_scale(s->z, s->z, 2.0);
    m3_tmul_v(x, m->links[i].C, S + 3);
    v3_add(s->z, s->z, x);
    apply(&m->inertia[i], s->follows, s->by_q);
    add_turning(&m->links[i], s->rides + 3, s->by_q);
    v3_cross(x, S + 3, F); /* S ×* F */
    v3_add(s->by_q, s->by_q, x);
    v3_cross(x, S + 3, F + 3);
    v3_add(s->by_q + 3, s->by_q + 3, x);
    v3_cross(x, S, F);
    v3_add(s->by_q + 3, s->by_q + 3, x);
    apply(&m->inertia[i], s->doubled, s->by_v);
    add_turning(&m->links[i], S + 3, s->by_v);
}

static double coefficient(const TnDofSlope *s, const double x[6], const double eta[3])
{
    return dot6(s->U, x) + v3_dot(s->z, eta);
}

static void write_rows(const TnTree *tree, const TnTreeSlopes *m, int d, double *by_q, double *by_v)
{
    int n = tree->n;
    const TnDofSlope *own = &m->dofs[d];
    for (int j = d; j >= 0; j = tn_tree_parent(tree, j)) {
        const TnDofSlope *s = &m->dofs[j];
        bool together = s->group == own->group;
        by_q[d * n + j] = coefficient(own, s->follows, s->rides + 3);
        by_q[j * n + d] =
            together ? coefficient(s, own->follows, own->rides + 3) : dot6(tree->S[j], own->by_q);
        if (!by_v) continue;
        by_v[d * n + j] = coefficient(own, s->doubled, tree->S[j] + 3);
        by_v[j * n + d] =
            together ? coefficient(s, own->doubled, tree->S[d] + 3) : dot6(tree->S[j], own->by_v);
    }
}

static void add_rotors(const TnTree *tree, const double *a, double *force)
{
    const TnModel *model = tree->model;
    int first = tree->sub->dof_start;
    for (int d = 0; d < tree->n; d++)
        force[d] += model->joints[model->dof_joint[first + d]].armature * a[d];
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        double along = 0.0;
        if (!tn_tree_has_rotor(tree, tendon)) continue;
        for (int i = 0; i < tendon->moment_count; i++)
            along += tendon->moments[i].coef * a[tendon->moments[i].dof - first];
        for (int i = 0; i < tendon->moment_count; i++)
            force[tendon->moments[i].dof - first] +=
                tendon->armature * tendon->moments[i].coef * along;
    }
}

/* Velocities, accelerations and momenta of links; of all behind them, but for accelerations. */
static void sweep(const TnTree *tree, const TnTreeSlopes *m, const double *v, const double *a,
                  bool gravity)
{
    double root[3] = {0.0, 0.0, 0.0};
    if (gravity) v3_scale(root, tree->model->option.gravity, -1.0);
    tn_tree_inertias(tree, m->inertia);
    for (int i = 0; i < tree->link_count; i++) {
        link_dofs(tree, m, i, v, a, root);
        link_slope(&m->inertia[i], m->work[i], &m->links[i]);
    }
}

void tn_tree_slopes(const TnTree *tree, const TnTreeSlopes *m, const double *v, const double *a,
                    bool gravity, double *force, double *by_q, double *by_v)
{
    size_t bytes = sizeof(double) * (size_t)tree->n * (size_t)tree->n;
    sweep(tree, m, v, a, gravity);
    add_wrenches(tree, m);
    add_behind(tree, m);
    memset(by_q, 0, bytes);
    if (by_v) memset(by_v, 0, bytes);
    for (int i = 0; i < tree->link_count; i++) {
        int first = tree->links[i].dof_start - tree->sub->dof_start;
        for (int d = first; d < first + tree->links[i].dof_count; d++) {
            dof_wrenches(tree, m, i, d);
            force[d] = dot6(tree->S[d], m->work[i] + 12);
        }
        for (int d = first; d < first + tree->links[i].dof_count; d++)
            write_rows(tree, m, d, by_q, by_v);
    }
    add_rotors(tree, a, force);
}

/* A change of one link's inertia, to the forces on the dofs that move it. */
void tn_tree_link_wrench(const TnTree *tree, const TnTreeSlopes *m, int i,
                         const TnSpatialInertia *change, double *force, int stride)
{
    const double *V = m->work[i];
    double p[6], F[6], x[3];
    apply(change, V, p);
    apply(change, V + 6, F);
    v3_cross(x, V + 3, p);
    v3_add(F, F, x);
    v3_cross(x, V + 3, p + 3);
    v3_add(F + 3, F + 3, x);
    v3_cross(x, V, p);
    v3_add(F + 3, F + 3, x);
    int last = tree->links[i].dof_start + tree->links[i].dof_count - 1 - tree->sub->dof_start;
    for (int d = last; d >= 0; d = tn_tree_parent(tree, d))
        force[(size_t)d * (size_t)stride] += dot6(tree->S[d], F);
}

double tn_tree_link_kinetic(const TnTreeSlopes *m, int i, const TnSpatialInertia *change)
{
    double p[6];
    apply(change, m->work[i], p);
    return 0.5 * dot6(p, m->work[i]);
}

void tn_tree_kinetic_slopes(const TnTree *tree, const TnTreeSlopes *m, const double *v,
                            double *by_q, double *by_v)
{
    for (int i = 0; i < tree->link_count; i++) {
        const TnLink *link = &tree->links[i];
        const TnJoint *joint = &tree->model->joints[link->joint_start];
        int p = link->parent - tree->sub->link_start;
        double *V = m->work[i];
        memset(V, 0, sizeof(double[6]));
        if (p >= 0) memcpy(V, m->work[p], sizeof(double[6]));
        for (int k = 0; k < link->joint_count; k++, joint++) {
            int d = joint->dof_start - tree->sub->dof_start, end = d + tn_joint_dofs(joint->type);
            for (int first = d; d < end; first = d) {
                int count = end - d == 6 ? 3 : end - d; /* a free joint's, one half at a time */
                for (; d < first + count; d++) motion_cross(m->dofs[d].rides, V, tree->S[d]);
                for (int e = first; e < d; e++)
                    for (int r = 0; r < 6; r++) V[r] += tree->S[e][r] * v[e];
            }
        }
        apply(&m->inertia[i], V, m->links[i].p);
    }
    memset(by_v, 0, sizeof(double) * (size_t)tree->n);
    add_rotors(tree, v, by_v);
    for (int i = tree->link_count - 1; i >= 0; i--) {
        int first = tree->links[i].dof_start - tree->sub->dof_start,
            parent = tree->links[i].parent - tree->sub->link_start;
        const double *p = m->links[i].p;
        for (int d = first; d < first + tree->links[i].dof_count; d++) {
            by_q[d] = dot6(m->dofs[d].rides, p);
            by_v[d] += dot6(tree->S[d], p);
        }
        for (int r = 0; parent >= 0 && r < 6; r++) m->links[parent].p[r] += p[r];
    }
}

void tn_tree_height_slopes(const TnTree *tree, const TnTreeSlopes *m, double *by_q)
{
    const double *g = tree->model->option.gravity;
    for (int i = tree->link_count - 1; i >= 0; i--) {
        int first = tree->links[i].dof_start - tree->sub->dof_start,
            parent = tree->links[i].parent - tree->sub->link_start;
        TnSpatialInertia *J = &m->inertia[i];
        double turn[3];
        v3_cross(turn, J->h, g);
        for (int d = first; d < first + tree->links[i].dof_count; d++)
            by_q[d] = -J->m * v3_dot(tree->S[d], g) - v3_dot(tree->S[d] + 3, turn);
        if (parent < 0) continue;
        m->inertia[parent].m += J->m;
        v3_add(m->inertia[parent].h, m->inertia[parent].h, J->h);
    }
}

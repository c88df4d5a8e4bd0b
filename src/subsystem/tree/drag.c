/* drag.c: forces of a medium of density ρ and viscosity μ on the bodies of a tree, as in MuJoCo. In
 * the axes of a box or ellipsoid, with v, ω of its centre against the medium:
 *
 * A box with sides a, their mean d:
 *     F_k = -(3π d μ + ½ ρ a_i a_j |v_k|) v_k
 *     τ_k = -(π d³ μ + ρ a_k (a_i⁴ + a_j⁴) |ω_k| / 64) ω_k.
 * An ellipsoid with half axes a, D = ⅔ Σ a, the projected area S along v and largest one S_max, and
 * moments I_k = 8/15 π a_k max(a_i, a_j)⁴:
 *     F = -(3π D μ + ρ |v| (blunt S + slender (S_max - S))) v + lift + added mass
 *     τ = -(π D³ μ + ρ |(angular I_k + slender (I_max - I_k)) ω_k|) ω + added mass,
 * with the lifts of Kutta and Magnus, normal to v. Lifts and added mass do no work.
 *
 * The resistance c(V) V is linear about the pass's prediction, with the slope c + the part that is
 * quadratic in V once more (Newton's method for |V| V). Where it would stop a body within the step
 * it acts at (1-θ_d) V + θ_d V⁺ as dampers do (joint_forces.h). Forces without work are taken at
 * the prediction, as Coriolis forces are. */
#include "../../base/base.h"
#include "../../model/thresholds.h"
#include "joint_forces.h"

/* At one motion: force = -resist · V + idle. */
typedef struct Flow {
    double resist[6]; /* c >= 0 per direction, */
    double slope[6];  /* and of c V with V, at least that */
    double idle[6];   /* without work */
} Flow;

static void box_flow(const TnDrag *drag, const TnOption *o, const double V[6], Flow *f)
{
    const double *a = drag->size;
    double d = (a[0] + a[1] + a[2]) / 3.0;
    for (int k = 0; k < 3; k++) {
        double p = a[(k + 1) % 3], q = a[(k + 2) % 3];
        double viscous[2] = {3.0 * TN_PI * d * o->viscosity, TN_PI * d * d * d * o->viscosity};
        double quick[2] = {0.5 * o->density * p * q * fabs(V[k]),
                           o->density * a[k] * (p * p * p * p + q * q * q * q) * fabs(V[k + 3]) /
                               64.0};
        for (int part = 0; part < 2; part++) {
            f->resist[k + 3 * part] = viscous[part] + quick[part];
            f->slope[k + 3 * part] = viscous[part] + 2.0 * quick[part];
        }
    }
    memset(f->idle, 0, sizeof f->idle);
}

static void set_resistance(Flow *f, int first, double viscous, double quick)
{
    for (int k = first; k < first + 3; k++) {
        f->resist[k] = viscous + quick;
        f->slope[k] = viscous + 2.0 * quick;
    }
}

/* Forces that the medium's motion around the body makes, and lifts. */
static void add_idle(const TnDrag *drag, double density, const double *v, const double *w,
                     const double normal[3], double circulation, Flow *f)
{
    const double *a = drag->size;
    double p[3], L[3], x[3], volume = 4.0 / 3.0 * TN_PI * a[0] * a[1] * a[2];
    for (int k = 0; k < 3; k++) {
        p[k] = density * drag->added_mass[k] * v[k];
        L[k] = density * drag->added_inertia[k] * w[k];
    }
    v3_cross(f->idle, p, w);
    v3_cross(f->idle + 3, p, v);
    v3_cross(x, L, w);
    v3_add(f->idle + 3, f->idle + 3, x);
    v3_cross(x, w, v);
    v3_add_scaled(f->idle, x, drag->coef[TN_FLUID_MAGNUS] * density * volume);
    v3_cross(x, normal, v);
    v3_cross(x, x, v);
    v3_add_scaled(f->idle, x, circulation);
}

static void ellipsoid_flow(const TnDrag *drag, const TnOption *o, const double V[6], Flow *f)
{
    const double *a = drag->size, *v = V, *w = V + 3, *coef = drag->coef;
    double most = fmax(a[0], fmax(a[1], a[2])), least = fmin(a[0], fmin(a[1], a[2])),
           mid = a[0] + a[1] + a[2] - most - least, D = 2.0 / 3.0 * (a[0] + a[1] + a[2]);
    double area_most = TN_PI * most * mid, moment_most = 8.0 / 15.0 * TN_PI * mid * pow(most, 4.0);
    double normal[3], turned[3], over = 0.0, under = 0.0;
    for (int k = 0; k < 3; k++) {
        double p = a[(k + 1) % 3], q = a[(k + 2) % 3], face = p * p * q * q;
        double moment = 8.0 / 15.0 * TN_PI * a[k] * pow(fmax(p, q), 4.0);
        normal[k] = face * v[k];
        over += normal[k] * v[k];
        under += normal[k] * normal[k];
        turned[k] = w[k] * (coef[TN_FLUID_ANGULAR] * moment +
                            coef[TN_FLUID_SLENDER] * (moment_most - moment));
    }
    double speed = v3_norm(v), area = TN_PI * sqrt(under / fmax(TN_TINY, over));
    double cosine = over / fmax(TN_TINY, speed * under);
    set_resistance(f, 0, o->viscosity * 3.0 * TN_PI * D,
                   o->density * speed *
                       (coef[TN_FLUID_BLUNT] * area + coef[TN_FLUID_SLENDER] * (area_most - area)));
    set_resistance(f, 3, o->viscosity * TN_PI * D * D * D, o->density * v3_norm(turned));
    add_idle(drag, o->density, v, w, normal, coef[TN_FLUID_KUTTA] * o->density * cosine * area, f);
}

static void flow_at(const TnDrag *drag, const TnOption *o, const double V[6], Flow *f)
{
    (drag->is_ellipsoid ? ellipsoid_flow : box_flow)(drag, o, V, f);
}

/* ---- a tree ----
 *
 * Links share world axes and one reference point (tree.h), so what acts on links adds up from the
 * leaves to the root, and dof d feels S_d · the sum of all behind it. */

/* Of one link and, in the end, of all behind it: force + idle - slope · twist. */
typedef struct TnLinkDrag {
    double twist[6], start[6]; /* of the link alone, at the prediction and at the step's start */
    double slope[36], force[6], idle[6];
} LinkDrag;

/* Row k: what the shape sees of a twist about the tree's origin along its k-th direction. */
typedef struct Shape {
    const TnDrag *drag;
    double X[6][6];
    double wind[6];
} Shape;

static void place_shape(const TnTree *tree, const TnLinkFrame *frame, const TnDrag *drag,
                        Shape *out)
{
    double R[9], arm[3];
    m3_mul(R, frame->rot, drag->axes);
    m3_mul_v(arm, frame->rot, drag->pos);
    v3_add(arm, arm, frame->pos);
    v3_sub(arm, arm, tree->origin);
    out->drag = drag;
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {R[k], R[3 + k], R[6 + k]};
        v3_copy(out->X[k], axis);
        v3_cross(out->X[k] + 3, arm, axis);
        v3_zero(out->X[3 + k]);
        v3_copy(out->X[3 + k] + 3, axis);
        out->wind[k] = v3_dot(axis, tree->model->option.wind);
        out->wind[3 + k] = 0.0;
    }
}

static double along(const double a[6], const double b[6])
{
    double sum = 0.0;
    for (int k = 0; k < 6; k++) sum += a[k] * b[k];
    return sum;
}

/* Against the medium. */
static void motion_of(const Shape *shape, const double twist[6], double V[6])
{
    for (int k = 0; k < 6; k++) V[k] = along(shape->X[k], twist) - shape->wind[k];
}

static void add_force(const Shape *shape, const double F[6], double out[6])
{
    for (int k = 0; k < 6; k++)
        for (int r = 0; r < 6; r++) out[r] += F[k] * shape->X[k][r];
}

/* The last `n` rows and columns of K += x wᵀw. */
static inline __attribute__((always_inline)) void add_square(int n, double slope, const double *w,
                                                             double K[36])
{
    for (int r = 6 - n; r < 6; r++) {
        double x = slope * w[r];
        for (int c = 6 - n; c < 6; c++) K[6 * r + c] += x * w[c];
    }
}

/* Turning does not move the shape's centre. */
static void add_slope(const Shape *shape, const double slope[6], double *restrict K)
{
    for (int k = 0; k < 3; k++) add_square(6, slope[k], shape->X[k], K);
    for (int k = 3; k < 6; k++) add_square(3, slope[k], shape->X[k], K);
}

/* Twists of the links at a velocity of the tree, `start` where it says so. */
static void find_twists(const TnTree *tree, const double *v, bool start, LinkDrag *links)
{
    for (int i = 0; i < tree->link_count; i++) {
        const TnLink *link = &tree->links[i];
        int parent = link->parent - tree->sub->link_start;
        double *out = start ? links[i].start : links[i].twist;
        const double *from = parent < 0 ? NULL : start ? links[parent].start : links[parent].twist;
        for (int k = 0; k < 6; k++) out[k] = from ? from[k] : 0.0;
        for (int d = link->dof_start - tree->sub->dof_start, n = 0; n < link->dof_count; n++, d++)
            for (int k = 0; k < 6; k++) out[k] += tree->S[d][k] * v[d];
    }
}

/* ---- at a state ---- */

bool tn_tree_drag(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                  const double origin[3], const double (*S)[6], const double *v, TnArena *scratch,
                  double *force)
{
    TnTree tree = tn_tree(model, sub, frames, origin, S);
    size_t mark = tn_arena_mark(scratch);
    LinkDrag *links = TN_ARENA_ZERO(scratch, LinkDrag, sub->link_count);
    if (!links) return false;
    find_twists(&tree, v, false, links);
    for (int i = sub->link_count - 1; i >= 0; i--) {
        const TnLink *link = &tree.links[i];
        for (int k = 0; k < link->drag_count; k++) {
            Shape shape;
            Flow flow;
            double V[6], F[6];
            place_shape(&tree, &frames[i], &model->drags[link->drag_start + k], &shape);
            motion_of(&shape, links[i].twist, V);
            flow_at(shape.drag, &model->option, V, &flow);
            for (int r = 0; r < 6; r++) F[r] = flow.idle[r] - flow.resist[r] * V[r];
            add_force(&shape, F, links[i].force);
        }
        for (int n = 0, d = link->dof_start - sub->dof_start; n < link->dof_count; n++, d++)
            force[d] += along(S[d], links[i].force);
        int parent = link->parent - sub->link_start;
        for (int k = 0; k < 6 && parent >= 0; k++) links[parent].force[k] += links[i].force[k];
    }
    tn_arena_release(scratch, mark);
    return true;
}

/* ---- over a step ---- */

/* θ_d over θ of each direction, where the step begins with this; and what asks for more of v⁺ in
 * the displacement. */
static void weigh_shape(TnDragForces *forces, const TnDynamicsInput *in, const Shape *shape,
                        const Flow *flow, double share[6])
{
    for (int k = 0; k < 6; k++) {
        double y = flow->resist[k] * in->t * shape->drag->compliance[k / 3];
        share[k] = (y > 1.0 ? fmax(in->theta, 1.0 - 1.0 / y) : in->theta) / in->theta;
        if (y > 2.0) forces->damped = fmax(forces->damped, 1.0 - 2.0 / y);
    }
}

static void add_shape(TnDragForces *forces, const TnDynamicsInput *in, const Shape *shape,
                      LinkDrag *link, double share[6], bool first)
{
    const TnOption *option = &in->model->option;
    double V[6], start[6], at[6], slope[6], F[6];
    Flow flow;
    motion_of(shape, link->twist, V);
    motion_of(shape, link->start, start);
    flow_at(shape->drag, option, V, &flow);
    if (first) weigh_shape(forces, in, shape, &flow, share);
    add_force(shape, flow.idle, link->idle);
    for (int k = 0; k < 6; k++) at[k] = share[k] * V[k] - (share[k] - 1.0) * start[k];
    if (memcmp(at, V, sizeof at)) flow_at(shape->drag, option, at, &flow);
    for (int k = 0; k < 6; k++) {
        slope[k] = flow.slope[k] * share[k];
        F[k] = slope[k] * (V[k] + shape->wind[k]) - flow.resist[k] * at[k];
    }
    add_force(shape, F, link->force);
    add_slope(shape, slope, link->slope);
}

bool tn_drag_forces_init(TnDragForces *forces, const TnTree *tree, TnArena *arena)
{
    size_t n = (size_t)tree->n;
    int shapes = 0;
    *forces = (TnDragForces){0};
    if (!tree->model->drags) return true;
    for (int i = 0; i < tree->link_count; i++) shapes += tree->links[i].drag_count;
    forces->slope = TN_ARENA_ZERO(arena, double, n *n + 2 * n);
    forces->links = TN_ARENA_NEW(arena, LinkDrag, tree->link_count);
    forces->shares = tn_arena_alloc(arena, sizeof(double[6]) * (size_t)shapes);
    if (!forces->slope || !forces->links || !forces->shares) return false;
    forces->force = forces->slope + n * n;
    forces->idle = forces->force + n;
    return true;
}

/* What acts on a link and all behind it, on its dofs and those before them. */
static void spread(TnDragForces *forces, const TnTree *tree, int i)
{
    const LinkDrag *own = &forces->links[i];
    const TnLink *link = &tree->links[i];
    int n = tree->n, first = link->dof_start - tree->sub->dof_start;
    for (int d = first; d < first + link->dof_count; d++) {
        double F[6];
        for (int r = 0; r < 6; r++) F[r] = along(own->slope + 6 * r, tree->S[d]);
        forces->force[d] = along(tree->S[d], own->force);
        forces->idle[d] = along(tree->S[d], own->idle);
        for (int e = d; e >= 0; e = tn_tree_parent(tree, e))
            forces->slope[d * n + e] = forces->slope[e * n + d] = along(tree->S[e], F);
    }
}

void tn_drag_forces_find(TnDragForces *forces, const TnDynamicsInput *in, const TnTree *tree,
                         const double *v_eval, bool first)
{
    LinkDrag *links = forces->links;
    int index = 0;
    if (!forces->slope) return;
    memset(links, 0, sizeof *links * (size_t)tree->link_count);
    find_twists(tree, v_eval, false, links);
    find_twists(tree, in->qvel + tree->sub->dof_start, true, links);
    for (int i = 0; i < tree->link_count; i++)
        for (int k = 0; k < tree->links[i].drag_count; k++) {
            Shape shape;
            place_shape(tree, &tree->frames[i], &in->model->drags[tree->links[i].drag_start + k],
                        &shape);
            add_shape(forces, in, &shape, &links[i], forces->shares[index++], first);
        }
    for (int i = tree->link_count - 1; i >= 0; i--) {
        int parent = tree->links[i].parent - tree->sub->link_start;
        spread(forces, tree, i);
        if (parent < 0) continue;
        for (int k = 0; k < 36; k++) links[parent].slope[k] += links[i].slope[k];
        for (int k = 0; k < 6; k++) {
            links[parent].force[k] += links[i].force[k];
            links[parent].idle[k] += links[i].idle[k];
        }
    }
}

void tn_drag_forces_add(const TnDragForces *forces, int n, double *A, double *b)
{
    if (!forces->slope) return;
    for (int i = 0; i < n * n; i++) A[i] += forces->slope[i];
    for (int i = 0; i < n; i++) b[i] += forces->force[i] + forces->idle[i];
}

/* In still medium lifts do no work; what they seem to do is an error of the step. */
void tn_drag_forces_record(const TnDragForces *forces, const TnTree *tree, TnTreeSystem *out)
{
    const double *wind = tree->model->option.wind;
    int n = tree->n;
    if (!forces->slope) return;
    memcpy(out->drag_slope, forces->slope, sizeof(double) * (size_t)(n * n));
    memcpy(out->drag_force, forces->force, sizeof(double) * (size_t)n);
    for (int i = 0; i < n && !tn_is_zero(wind); i++) out->drag_force[i] += forces->idle[i];
}

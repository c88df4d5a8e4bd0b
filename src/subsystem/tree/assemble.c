/* assemble.c: one step of a tree as a linear system in v̂ = (1-θ) v + θ v⁺,
 *     A = M/(θt) + k,   b = M v/(θt) - c + τ0,   M and c at the midpoint (q ⊕ θt v̂, v̂),
 * with k and τ0 the joints' springs, dampers and actuators (joint_forces.h).
 *
 * The midpoint depends on v̂: each pass evaluates at a v̂ that those before it give (mix.h), the
 * first at one that is predicted from the last step, until they agree. Where they do not (t times
 * the joint rates is no longer small), the step falls back to the start point and there lets
 * Coriolis forces turn the velocity but not add to its energy, so that wild tumbling stays bounded.
 */
#include "joint_forces.h"
#include "mix.h"

#include "../../base/rounding.h"

/* Passes end where what is left is below this share of the velocity, and are of use below the
 * second. */
#define CONVERGED 1e-7
#define USEFUL 1e-3

typedef struct Assembly {
    const TnDynamicsInput *in;
    TnTree tree;
    TnJointForces forces;
    TnMix mix;
    double *q; /* the point of the pass */
    TnLinkFrame *frames;
    double (*S)[6];
    TnSpatialInertia *inertia;
    double (*work)[18], (*accelerated)[18]; /* at no joint acceleration, and at some */
    double *M, *L;                          /* n × n: mass matrix, factor */
    double *c, *x, *y;                      /* n: bias, work */
    double *v_eval;                         /* n: the velocity the pass is evaluated at */
    double *A, *b, *vhat;                   /* the caller's */
    bool bounded;
} Assembly;

/* middle: keep_middle needs the links at rest. */
static bool take_scratch(Assembly *as, bool middle, TnArena *arena)
{
    const TnSubsystem *sub = as->tree.sub;
    size_t n = (size_t)sub->dof_count, links = (size_t)sub->link_count;
    double *numbers = TN_ARENA_NEW(arena, double, (size_t)sub->qpos_count + 2 * n * n + 4 * n);
    as->S = TN_ARENA_NEW(arena, TnAxis, n);
    as->work = TN_ARENA_NEW(arena, TnLinkMotion, links);
    as->accelerated = middle ? TN_ARENA_NEW(arena, TnLinkMotion, links) : as->work;
    as->frames = TN_ARENA_NEW(arena, TnLinkFrame, links);
    as->inertia = TN_ARENA_NEW(arena, TnSpatialInertia, links);
    int *run = TN_ARENA_NEW(arena, int, n);
    if (!numbers || !run || !as->S || !as->work || !as->accelerated || !as->frames || !as->inertia)
        return false;
    as->M = numbers;
    as->L = as->M + n * n;
    as->c = as->L + n * n;
    as->x = as->c + n;
    as->y = as->x + n;
    as->v_eval = as->y + n;
    as->q = as->v_eval + n;
    as->tree.frames = as->frames;
    as->tree.S = (const double(*)[6])as->S;
    tn_tree_runs(&as->tree, run);
    as->tree.run = run;
    return tn_mix_init(&as->mix, (int)n, arena) &&
           tn_joint_forces_init(&as->forces, as->in, &as->tree, arena);
}

/* y = M x, M symmetric: by columns, so that sums do not wait for each other. */
static void multiply(int n, const double *restrict M, const double *restrict x, double *restrict y)
{
    memset(y, 0, sizeof(double) * (size_t)n);
    for (int j = 0; j < n; j++, M += n)
        for (int i = 0; i < n; i++) y[i] += M[i] * x[j];
}

static double dot(int n, const double *x, const double *y)
{
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

static bool factor_copy(Assembly *as, const double *matrix)
{
    tn_tree_copy(&as->tree, matrix, as->L);
    return tn_tree_factor(&as->tree, as->L);
}

/* A and b from M and c at q ⊕ h v_eval, without actuators. */
static void write_system(Assembly *as, double h)
{
    const TnDynamicsInput *in = as->in;
    int n = as->tree.n;
    double rate = 1.0 / (in->theta * in->t);
    for (int k = 0; k < n * n; k++) as->A[k] = as->M[k] * rate;
    multiply(n, as->A, in->qvel + as->tree.sub->dof_start, as->b);
    for (int i = 0; i < n; i++) as->b[i] -= as->c[i];
    tn_joint_forces_passive(&as->forces, as->q, as->v_eval, h, as->A, as->b);
}

/* Solves A v̂ = b, and again with other actuators held at their limits until those agree with v̂. A
 * force that falls with v̂ makes the answer unique for one actuator, and two or three rounds settle
 * it. */
static bool solve(Assembly *as, double h)
{
    size_t n = (size_t)as->tree.n;
    for (int round = 0; round < 5; round++) {
        write_system(as, h);
        tn_joint_forces_apply_servos(&as->forces, as->A, as->b);
        if (!factor_copy(as, as->A)) return false;
        memcpy(as->vhat, as->b, sizeof(double) * n);
        tn_tree_solve(&as->tree, as->L, as->vhat);
        if (!tn_joint_forces_hold(&as->forces, as->vhat)) break;
    }
    return true;
}

/* Frames, axes and the links' inertias at q ⊕ h v, q the step's start. */
static void place(Assembly *as, const double *v, double h)
{
    const TnSubsystem *sub = as->tree.sub;
    tn_tree_move(as->tree.model, sub, as->in->qpos + sub->qpos_start, v, h, as->q);
    tn_tree_forward(&as->tree, as->q, as->frames, as->S);
    tn_tree_inertias(&as->tree, as->inertia);
}

/* Largest share of the end velocity, the step's start velocity v turned by Coriolis forces, that
 * has no more kinetic energy where the step would end than v has where it starts. Each round takes
 * what the last one found too much. */
static double bounded_share(Assembly *as, const double *end, double energy, double *mid)
{
    int n = as->tree.n;
    const double *v = as->in->qvel + as->tree.sub->dof_start;
    double share = 1.0, theta = as->in->theta;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < n; i++) mid[i] = (1.0 - theta) * v[i] + theta * share * end[i];
        place(as, mid, as->in->t);
        tn_tree_compose(&as->tree, as->inertia, as->M);
        multiply(n, as->M, end, mid);
        double reached = share * share * dot(n, end, mid);
        if (reached <= energy) break;
        share *= reached < INFINITY ? 0.9 * sqrt(energy / reached) : 0.5;
    }
    return share;
}

/* The bias at the step's start, with Coriolis forces that turn the velocity but do not add to its
 * energy. Leaves M there as well. */
static bool bounded_bias(Assembly *as)
{
    int n = as->tree.n;
    size_t bytes = sizeof(double) * (size_t)n;
    const double *v = as->in->qvel + as->tree.sub->dof_start;
    double *at_rest = as->x, *end = as->y, *product = as->vhat;
    place(as, v, 0.0);
    tn_tree_newton_euler(&as->tree, as->inertia, v, NULL, as->in->wrench, as->work, as->c);
    memset(end, 0, bytes);
    tn_tree_newton_euler(&as->tree, as->inertia, end, NULL, as->in->wrench, as->work, at_rest);
    tn_tree_compose(&as->tree, as->inertia, as->M);
    if (!factor_copy(as, as->M)) return false;
    multiply(n, as->M, v, product);
    double energy = dot(n, v, product);
    for (int i = 0; i < n; i++) end[i] = -as->in->t * (as->c[i] - at_rest[i]);
    tn_tree_solve(&as->tree, as->L, end);
    for (int i = 0; i < n; i++) end[i] += v[i];
    if (!isfinite(dot(n, end, end))) memcpy(end, v, bytes);
    double share = bounded_share(as, end, energy, product);
    place(as, v, 0.0);
    tn_tree_compose(&as->tree, as->inertia, as->M);
    for (int i = 0; i < n; i++) end[i] = share * end[i] - v[i];
    multiply(n, as->M, end, product);
    for (int i = 0; i < n; i++) as->c[i] = at_rest[i] - product[i] / as->in->t;
    return true;
}

/* M and the bias at q ⊕ h v_eval. */
static void midpoint_bias(Assembly *as, double h)
{
    place(as, as->v_eval, h);
    tn_tree_newton_euler(&as->tree, as->inertia, as->v_eval, NULL, as->in->wrench, as->work, as->c);
    tn_tree_compose(&as->tree, as->inertia, as->M);
}

/* Builds and solves the system from M and c at q ⊕ h v_eval. */
static bool complete_pass(Assembly *as, double h, bool first)
{
    int n = as->tree.n;
    tn_drag_forces_find(&as->forces.drag, as->in, &as->tree, as->v_eval, first);
    if (first) {
        bool depends = tn_joint_forces_sum(&as->forces);
        if (depends && !factor_copy(as, as->M)) return false;
        tn_joint_forces_weigh(&as->forces, depends ? as->L : NULL, as->x);
    }
    tn_joint_forces_lift(&as->forces, as->frames, (const double(*)[6])as->S);
    tn_joint_forces_servos(&as->forces, as->v_eval, h);
    if (first) tn_joint_forces_hold(&as->forces, as->v_eval); /* as they will most likely be */
    return solve(as, h) && isfinite(dot(n, as->vhat, as->vhat));
}

/* A change of v̂ as a share of the velocities themselves, weighed by the diagonal of M. Velocities
 * below 1e-8 count as rest, where only rounding moves. */
static double share_of(const Assembly *as, const double *change)
{
    int n = as->tree.n;
    const double *v = as->in->qvel + as->tree.sub->dof_start;
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        double m = as->M[i * (n + 1)], vhat = as->vhat[i];
        sum += m * change[i] * change[i];
        size += m * (vhat * vhat + v[i] * v[i] + 1e-16);
    }
    return sqrt(sum / size);
}

/* y = K x, K how gravity's forces on the dofs change with q. Turning the links behind dof e is as
 * good as turning gravity the other way for them. */
static void gravity_stiffness(const Assembly *as, const double *x, double *y)
{
    const TnTree *tree = &as->tree;
    memset(y, 0, sizeof(double) * (size_t)tree->n);
    for (int i = 0; i < tree->link_count; i++) {
        const TnSpatialInertia *J = &as->inertia[i]; /* of all links behind */
        int first = tree->links[i].dof_start - tree->sub->dof_start;
        for (int d = first; d < first + tree->links[i].dof_count; d++)
            for (int e = d; e >= 0; e = tn_tree_parent(tree, e)) {
                double turned[3], moment[3];
                v3_cross(turned, tree->model->option.gravity, as->S[e] + 3);
                v3_cross(moment, J->h, turned);
                double K = J->m * v3_dot(as->S[d], turned) + v3_dot(as->S[d] + 3, moment);
                y[d] += K * x[e];
                if (e != d) y[e] += K * x[d];
            }
    }
}

/* rad/s: how fast some joint turns, or slides in lengths of its link's lever. What floats, and goes
 * straight on, stays the same tree. */
static double turning_of(const TnTree *tree, const double *v)
{
    const TnModel *model = tree->model;
    double most = 0.0;
    for (int i = 0; i < tree->n; i++) {
        int dof = tree->sub->dof_start + i;
        const TnJoint *joint = &model->joints[model->dof_joint[dof]];
        double rate = fabs(v[i]);
        if (!tn_dof_turns(model, dof))
            rate = joint->type == TN_JOINT_FREE ? 0.0 : rate / model->links[joint->link].lever;
        most = fmax(most, rate);
    }
    return most;
}

/* What a second pass would change, from above, where that is easily told; else what the first did.
 * It takes gravity's arms elsewhere, by h times the first change; all else changes with velocity,
 * by about that change times the angle of a step. Each is taken so many times. */
#define PASS_ROOM 4.0
static double left_after_first(Assembly *as, double h, double change)
{
    int n = as->tree.n;
    double rate = fmax(turning_of(&as->tree, as->vhat), turning_of(&as->tree, as->v_eval)),
           *x = as->x, *y = as->y;
    if (as->in->wrench || !tn_joint_forces_are_linear(&as->forces)) return change;
    for (int i = 0; i < n; i++) x[i] = h * (as->vhat[i] - as->v_eval[i]);
    double turned = fmin(PASS_ROOM * as->in->t * rate, 1.0) * change;
    if (turned > CONVERGED) return turned;
    gravity_stiffness(as, x, y);
    tn_tree_solve(&as->tree, as->L, y);
    return fmin(turned + PASS_ROOM * share_of(as, y), change);
}

/* A pass that keeps A and its factor, and finds by inverse dynamics at v̂ what is left of the
 * equations: with a = (v̂ - v)/(θt), M a + c there against M a + c as they were solved with. What it
 * changes v̂ by is in x. A is that of a point h x away. With 1e-5 rad a robot that comes to rest no
 * longer found last step's forces to be this step's. False: servos are to be held otherwise. */
static bool correct(Assembly *as, double h, double *x)
{
    const TnDynamicsInput *in = as->in;
    int n = as->tree.n;
    const double *v = in->qvel + as->tree.sub->dof_start;
    double *force = as->y, *a = as->v_eval, rate = 1.0 / (in->theta * in->t);
    for (int i = 0; i < n; i++) a[i] = (as->vhat[i] - v[i]) * rate;
    multiply(n, as->M, a, force);
    for (int i = 0; i < n; i++) force[i] += as->c[i];
    place(as, as->vhat, h);
    tn_tree_newton_euler(&as->tree, as->inertia, as->vhat, a, NULL, as->accelerated, x);
    for (int i = 0; i < n; i++) x[i] = force[i] - x[i];
    memcpy(force, x, sizeof(double) * (size_t)n);
    tn_tree_solve(&as->tree, as->L, x);
    for (int i = 0; i < n; i++) {
        as->vhat[i] += x[i];
        as->b[i] += force[i];
    }
    memcpy(as->v_eval, as->vhat, sizeof(double) * (size_t)n);
    return !tn_joint_forces_hold(&as->forces, as->vhat);
}

/* Nothing that `correct` leaves out matters: forces are linear in v̂, and v̂ is near v_eval. */
static bool may_correct(const Assembly *as, double h, const double *x)
{
    return !as->in->wrench && h * turning_of(&as->tree, x) <= TN_SAME &&
           tn_joint_forces_are_linear(&as->forces);
}

/* Passes that are to settle go on to rounding, or to where they do not halve what is left. */
static bool is_settled(const Assembly *as, double change, double last, double left)
{
    if (!(left <= CONVERGED)) return false;
    return !as->in->settles || change <= TN_ROUND_OFF || (last > 0.0 && 2.0 * change > last);
}

/* False: the passes do not converge. After a later pass that changed v̂ by c, the one before it
 * having changed it by c', about c·c/c' is left to change. */
static bool midpoint_passes(Assembly *as)
{
    int n = as->tree.n;
    double h = as->in->theta * as->in->t, last = 0.0;
    for (int pass = 0;; pass++) {
        midpoint_bias(as, h);
        if (!complete_pass(as, h, pass == 0)) return false;
        for (int i = 0; i < n; i++) as->x[i] = as->vhat[i] - as->v_eval[i];
        double change = share_of(as, as->x), left = change;
        if (pass > 0 && change < last) left = change * change / last;
        if (pass == 0 && change > CONVERGED) left = left_after_first(as, h, change);
        if (is_settled(as, change, last, left)) return true;
        if (pass + 1 >= as->in->passes) return as->in->passes == 1 || left <= USEFUL;
        for (int i = 0; i < n; i++) as->x[i] = as->vhat[i] - as->v_eval[i];
        if (!as->in->settles && may_correct(as, h, as->x)) {
            bool held = correct(as, h, as->x);
            double more = share_of(as, as->x);
            if (held && more < change && more * more <= CONVERGED * change) return true;
        } else {
            tn_mix_next(&as->mix, as->M, n + 1, as->vhat, as->v_eval);
        }
        last = change;
    }
}

/* Constraints change v̂ by O(t) against the free motion, and Coriolis forces with it. Where smooth
 * motion under them is expected, M and c are taken there. */
static bool constrained_pass(Assembly *as)
{
    memcpy(as->v_eval, as->in->expected + as->tree.sub->dof_start,
           sizeof(double) * (size_t)as->tree.n);
    double h = as->in->theta * as->in->t;
    midpoint_bias(as, h);
    return complete_pass(as, h, true);
}

static bool bounded_pass(Assembly *as)
{
    memcpy(as->v_eval, as->in->qvel + as->tree.sub->dof_start, sizeof(double) * (size_t)as->tree.n);
    for (int k = 0; k < as->forces.servo_count; k++)
        as->forces.servos[k].held = as->forces.servos[k].total_held = 0;
    as->bounded = true;
    return bounded_bias(as) && complete_pass(as, 0.0, true);
}

/* What contacts of the tree are written with. */
static void keep_middle(const Assembly *as, TnTreeSystem *out)
{
    const double *g = as->in->model->option.gravity;
    v3_copy(out->origin, as->tree.origin);
    memcpy(out->S, as->S, sizeof(TnAxis) * (size_t)as->tree.n);
    for (int l = 0; l < as->tree.link_count; l++) {
        v3_copy(out->com[l], as->frames[l].com);
        memcpy(out->bias[l], as->work[l] + 6, sizeof(double[6]));
        v3_add(out->bias[l], out->bias[l], g);
    }
}

bool tn_tree_assemble_once(const TnDynamicsInput *in, const TnSubsystem *sub,
                           const TnLinkFrame *frames, TnArena *scratch, TnTreeSystem *out)
{
    Assembly as = {.in = in, .A = out->A, .b = out->b, .vhat = out->v_free};
    size_t mark = tn_arena_mark(scratch);
    as.tree = tn_tree(in->model, sub, NULL, frames[sub->link_start].com, NULL);
    bool ok = take_scratch(&as, out->S != NULL, scratch);
    if (ok) {
        const double *v = in->qvel + sub->dof_start;
        if (in->last)
            tn_predict_velocity(sub->dof_count, v, in->last + sub->dof_start, as.v_eval);
        else
            memcpy(as.v_eval, v, sizeof(double) * (size_t)sub->dof_count);
        ok = (in->expected ? constrained_pass(&as) : midpoint_passes(&as)) || bounded_pass(&as);
    }
    if (ok) {
        tn_joint_forces_secant(&as.forces, out->v_free, out->A, out->b);
        tn_joint_forces_record(&as.forces, out);
        out->bounded = as.bounded;
        out->foretold = in->expected;
        out->free_end = NULL;
        if (out->S) keep_middle(&as, out);
    }
    tn_arena_release(scratch, mark);
    return ok;
}

bool tn_tree_reserve(const TnModel *model, const TnSubsystem *sub, TnArena *arena,
                     TnTreeSystem *out)
{
    size_t n = (size_t)sub->dof_count, servos = 0;
    for (int a = model->actuator_first[sub - model->subsystems]; a >= 0;
         a = model->actuator_next[a])
        servos++;
    *out = (TnTreeSystem){.A = TN_ARENA_NEW(arena, double, n *n)};
    double *lists = TN_ARENA_NEW(arena, double, 4 * n + (size_t)model->tendon_count + 2 * servos);
    if (!out->A || !lists) return false;
    out->b = lists;
    out->v_free = out->b + n;
    out->damping = out->v_free + n;
    out->servo_force = out->damping + n;
    out->servo_slope = out->servo_force + servos;
    out->theta_damping = out->servo_slope + servos;
    if (!model->drags) return true;
    out->drag_slope = TN_ARENA_NEW(arena, double, n *n + n);
    if (!out->drag_slope) return false;
    out->drag_force = out->drag_slope + n * n;
    return true;
}

bool tn_tree_reserve_middle(const TnSubsystem *sub, TnArena *arena, TnTreeSystem *out)
{
    size_t links = (size_t)sub->link_count;
    out->S = TN_ARENA_NEW(arena, TnAxis, sub->dof_count);
    out->com = (double(*)[3])TN_ARENA_NEW(arena, double, 3 * links);
    out->bias = TN_ARENA_NEW(arena, TnAxis, links);
    return out->S && out->com && out->bias;
}

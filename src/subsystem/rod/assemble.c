/* assemble.c: one step of a rod as a linear system in v̂ = (1-θ) v + θ v⁺, the segments' twists:
 *     A v̂ = A_rigid v_rigid - Jᵀ F(v̂),     F_r(v̂) = k_r (g_r + [p_r J v̂ - r_r J v]_r),
 * with the segments' own inertia rates A_rigid and free motion v_rigid. Strain g is that of the
 * start of the step, J is that of the predicted midpoint q ⊕ ½t u, u what is known of v̂ (the
 * start's v at first), and law.c says what p and r are. With p = θt the force is that of the mean
 * of g and g + t J v̂, which is what the energy needs, and a rod that turns as a whole has no strain
 * from that, however far it turns in a step: t J v̂ is zero, while the strain at the midpoint of the
 * chord is not. J v in the damping is the rate at the start for the same reason, but where the rod
 * moves with v⁺ (w = 1), whose strain is t J v⁺.
 *
 * J at the predicted midpoint leaves an error of second order in v̂ - v. The largest part of it, the
 * turning of the tension T, is T/|d| (1 - d̂ d̂ᵀ) (v̂ - v) on v_b - v_a, and is in A: a rope under
 * tension is stiff across by it alone, and explicit in time it would explode. The rest is either
 * negative (compression) or small beside k, and stays explicit. */
#include "rod.h"

#include "../../math/vec3.h"
#include "../../model/thresholds.h"
#include "kernels/rod_kernels.h"

typedef struct Assembly {
    const TnDynamicsInput *in;
    const TnRod *rod;
    const TnLink *links; /* of the segments */
    const TnLinkFrame *frames;
    TnRodSystem *system;
    double (*x)[3], (*quat)[4]; /* segments at the predicted midpoint */
    TnRodLaw *laws;             /* of the joints */
} Assembly;

/* Where a joint's part of the system goes: into the chain, or, of a cut joint, into a bond. */
typedef struct JointPlace {
    double *D_a, *D_b, *E, *b_a, *b_b;
} JointPlace;

/* What the segment is expected to move with. */
static const double *expected(const TnRodSystem *s, int i)
{
    return s->expected ? s->expected + 6L * i : s->segments[i].v;
}

/* One end of a joint at the start and at the predicted midpoint, its twist v with the arms of both,
 * and what it is expected to be. */
typedef struct JointEnd {
    const double *x, *quat, *x_mid, *quat_mid;
    const double *v, *v_mid, *expected;
} JointEnd;

static JointEnd centre_of(const Assembly *as, int i)
{
    const double *v = as->system->segments[i].v;
    return (JointEnd){as->frames[i].com,      as->frames[i].quat, as->x[i], as->quat[i], v, v,
                      expected(as->system, i)};
}

/* J v, of the start and of the middle. */
static void strain_rate(const TnRodStrain *start, const TnRodStrain *mid, double w,
                        const JointEnd *a, const JointEnd *b, double rate[TN_ROD_ROWS])
{
    double at_mid[TN_ROD_ROWS];
    if (w < 1.0)
        tn_rod_strain_rate(start, a->v, b->v, rate);
    else
        tn_rod_strain_rate(mid, a->v_mid, b->v_mid, rate);
    if (w <= 0.0 || w >= 1.0) return;
    tn_rod_strain_rate(mid, a->v_mid, b->v_mid, at_mid);
    for (int i = 0; i < TN_ROD_ROWS; i++) rate[i] += w * (at_mid[i] - rate[i]);
}

/* Growth of the bend's strain with its angle; 1 but for joints that are about to fold. */
static double steepness(const TnRodStrain *strain)
{
    if (strain->along <= 0.0) return 1.0;
    return strain->across + strain->along * v3_dot(strain->axis, strain->axis);
}

static void add_between(const Assembly *as, int j, const JointEnd *a, const JointEnd *b,
                        JointPlace to)
{
    const TnRodSystem *s = as->system;
    const TnRodLaw *law = &as->laws[j];
    double part[3], rate[TN_ROD_ROWS], rest[TN_ROD_ROWS];
    TnRodStrain start, mid;
    double kink = as->rod->joints[j].kink;
    tn_rod_strain_place(a->x, a->quat, b->x, b->quat, kink, &start);
    tn_rod_strain_measure(&as->rod->joints[j], law->length, &start);
    tn_rod_strain_place(a->x_mid, a->quat_mid, b->x_mid, b->quat_mid, kink, &mid);
    tn_rod_strain_follow(&start, &mid);
    double steep = fmax(steepness(&start), steepness(&mid));
    TnRodLaw bent;
    if (steep > 1.0) {
        tn_rod_weigh_joint(as->in, as->rod, &as->links[j], s->w, &as->rod->joints[j], steep, &bent);
        law = &bent;
    }
    strain_rate(&start, &mid, steep > 1.0 ? 1.0 : s->w, a, b, rate);

    v3_sub(part, b->expected, a->expected);
    for (int i = 0; i < TN_ROD_ROWS; i++)
        rest[i] = law->k[i] * start.g[i] - law->kr[i] * rate[i]; /* at v̂ = 0 */
    double taut = tn_rod_taut(law, law->k[6] * start.g[6] * start.inverse);
    double along = v3_dot(mid.pull, part);
    for (int i = 0; i < 3; i++) {
        double across = taut * (part[i] - along * mid.pull[i]);
        to.b_a[i] -= across;
        to.b_b[i] += across;
    }
    tn_rod_strain_stiffness(&mid, law->root, taut, to.D_a, to.D_b, to.E);
    tn_rod_strain_pull(&mid, rest, to.b_a, to.b_b);
}

/* An end that is not at the centre: the numbers behind the pointers. */
typedef struct FarEnd {
    double x[3], x_mid[3], v[6], v_mid[6], expected[6];
    double arm_mid[3];
} FarEnd;

static JointEnd end_of(const Assembly *as, int i, double along, FarEnd *far)
{
    JointEnd end = centre_of(as, i);
    double arm[3];
    tn_rod_arm(end.quat, along, arm);
    tn_rod_arm(end.quat_mid, along, far->arm_mid);
    v3_add(far->x, end.x, arm);
    v3_add(far->x_mid, end.x_mid, far->arm_mid);
    tn_rod_twist_at(arm, end.v, far->v);
    tn_rod_twist_at(far->arm_mid, end.v, far->v_mid);
    tn_rod_twist_at(far->arm_mid, end.expected, far->expected);
    return (JointEnd){far->x, end.quat,   far->x_mid,   end.quat_mid,
                      far->v, far->v_mid, far->expected};
}

/* out += Xᵀ M Y, X and Y from twists at the centres to those at the arms' ends. */
static void add_shifted(const double arm_rows[3], const double arm_columns[3], const double M[36],
                        double out[36])
{
    double half[36], column[6];
    memcpy(half, M, sizeof half);
    for (int r = 0; r < 6; r++) tn_rod_wrench_from(arm_columns, half + 6L * r);
    for (int c = 0; c < 6; c++) {
        for (int r = 0; r < 6; r++) column[r] = half[6 * r + c];
        tn_rod_wrench_from(arm_rows, column);
        for (int r = 0; r < 6; r++) out[6 * r + c] += column[r];
    }
}

/* A joint whose spring ends elsewhere than in the centres. */
static void add_clamped(const Assembly *as, int j, JointPlace to)
{
    const TnRodJoint *joint = &as->rod->joints[j];
    double parts[3 * 36 + 12] = {0.0}, *D_a = parts, *D_b = parts + 36, *E = parts + 72,
                          *b_a = parts + 108, *b_b = parts + 114;
    FarEnd far_a, far_b;
    JointEnd a = end_of(as, j, joint->from, &far_a), b = end_of(as, j + 1, joint->to, &far_b);
    add_between(as, j, &a, &b, (JointPlace){D_a, D_b, E, b_a, b_b});
    tn_rod_wrench_from(far_a.arm_mid, b_a);
    tn_rod_wrench_from(far_b.arm_mid, b_b);
    memset(to.E, 0, sizeof(double[36]));
    add_shifted(far_a.arm_mid, far_a.arm_mid, D_a, to.D_a);
    add_shifted(far_b.arm_mid, far_b.arm_mid, D_b, to.D_b);
    add_shifted(far_b.arm_mid, far_a.arm_mid, E, to.E);
    for (int k = 0; k < 6; k++) {
        to.b_a[k] += b_a[k];
        to.b_b[k] += b_b[k];
    }
}

static void add_joint(const Assembly *as, int j, JointPlace to)
{
    const TnRodJoint *joint = &as->rod->joints[j];
    if (joint->from != 0.0 || joint->to != 0.0) {
        add_clamped(as, j, to);
        return;
    }
    JointEnd a = centre_of(as, j), b = centre_of(as, j + 1);
    add_between(as, j, &a, &b, to);
}

/* A cut joint's law by itself. */
static void make_bond(const Assembly *as, int j, TnRodBond *bond)
{
    double parts[3 * 36 + 12] = {0.0}, *D_a = parts, *D_b = parts + 36, *E = parts + 72,
                          *b = parts + 108;
    add_joint(as, j, (JointPlace){D_a, D_b, E, b, b + 6});
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            bond->K[12 * r + c] = D_a[6 * r + c];
            bond->K[12 * (6 + r) + 6 + c] = D_b[6 * r + c];
            bond->K[12 * (6 + r) + c] = bond->K[12 * c + 6 + r] = E[6 * r + c];
        }
    for (int r = 0; r < 12; r++) bond->f[r] = -b[r];
}

static JointPlace place_of(const TnRodSystem *s, int j)
{
    double *D = s->D + 36 * (long)j, *E = s->E + 36 * (long)j, *b = s->b + 6 * (long)j;
    return (JointPlace){D, D + 36, E, b, b + 6};
}

/* ---- eight joints at a time ---- */

static bool is_plain(const TnRodJoint *joint)
{
    const double *turn = joint->rest + 3;
    return joint->from == 0.0 && joint->to == 0.0 &&
           v3_dot(turn, turn) <= 4.0 * TN_ROD_FAITHFUL * TN_ROD_FAITHFUL;
}

static void fill_lane(const Assembly *as, int j, TnRodBatch *batch, int l)
{
    const TnRodLaw *law = &as->laws[j];
    for (int e = 0; e < 2; e++) {
        for (int k = 0; k < 4; k++) {
            batch->start.quat[e][k][l] = as->frames[j + e].quat[k];
            batch->mid.quat[e][k][l] = as->quat[j + e][k];
        }
        for (int k = 0; k < 6; k++) batch->v[e][k][l] = as->system->segments[j + e].v[k];
    }
    const double *a = expected(as->system, j), *b = expected(as->system, j + 1);
    for (int k = 0; k < 3; k++) {
        batch->start.d[k][l] = as->frames[j + 1].com[k] - as->frames[j].com[k];
        batch->mid.d[k][l] = as->x[j + 1][k] - as->x[j][k];
        batch->part[k][l] = b[k] - a[k];
    }
    for (int k = 0; k < TN_ROD_LAW_ROWS; k++) {
        batch->k[k][l] = law->k[k];
        batch->kr[k][l] = law->kr[k];
        batch->root[k][l] = law->root[k];
    }
    batch->lead[l] = law->lead;
    batch->unresolved[l] = law->unresolved;
    batch->length[l] = law->length;
    for (int k = 0; k < 6; k++) batch->rest[k][l] = as->rod->joints[j].rest[k];
}

static void add_lane(const TnRodBatch *batch, int l, JointPlace to)
{
    for (int i = 0, at = 0; i < 6; i++)
        for (int j = i; j < 6; j++, at++) {
            double a = batch->D[0][at][l], b = batch->D[1][at][l];
            to.D_a[6 * i + j] += a;
            to.D_b[6 * i + j] += b;
            if (i == j) continue;
            to.D_a[6 * j + i] += a;
            to.D_b[6 * j + i] += b;
        }
    for (int i = 0; i < 36; i++) to.E[i] = batch->E[i][l];
    for (int i = 0; i < 6; i++) {
        to.b_a[i] += batch->b[0][i][l];
        to.b_b[i] += batch->b[1][i][l];
    }
}

/* Plain joints [j, j + count). */
static void add_batch(const Assembly *as, const TnRodKernels *kernels, int j, int count)
{
    TnRodBatch batch;
    for (int l = 0; l < TN_ROD_LANES; l++)
        fill_lane(as, l < count ? j + l : j, &batch, l); /* the others do no harm */
    kernels->joints(&batch, as->system->w, TN_ROD_LATE_FROM);
    for (int l = 0; l < count; l++) {
        JointPlace to = place_of(as->system, j + l);
        if (batch.bend[l] < TN_ROD_BEND_MOST)
            add_lane(&batch, l, to);
        else
            add_joint(as, j + l, to);
    }
}

/* The next cut joint from the cut-th on, or the rod's end. */
static int next_cut(const TnRodSystem *s, int cut)
{
    return cut < s->cut_count ? s->cuts[cut] : s->count - 1;
}

static void add_joints(const Assembly *as)
{
    const TnRodSystem *s = as->system;
    const TnRodKernels *kernels = tn_rod_kernels();
    for (int j = 0, cut = 0; j + 1 < s->count;) {
        int end = next_cut(s, cut), count = 0;
        while (count < TN_ROD_LANES && j + count < end && is_plain(&as->rod->joints[j + count]))
            count++;
        if (count > 0) {
            add_batch(as, kernels, j, count);
            j += count;
        } else if (j == end) {
            make_bond(as, j, &s->bonds[cut++]);
            memset(s->E + 36 * (long)j++, 0, 36 * sizeof(double));
        } else {
            add_joint(as, j, place_of(s, j));
            j++;
        }
    }
}

/* The segments alone: D = diag(mass rate, inertia rate), b = D v_rigid. */
static void add_segment(const Assembly *as, int i)
{
    const TnRigidSystem *rigid = &as->system->segments[i];
    double *D = as->system->D + 36 * i, *b = as->system->b + 6 * i;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            D[6 * r + c] = r == c ? rigid->mass_rate : 0.0;
            D[6 * r + 3 + c] = D[6 * (3 + r) + c] = 0.0;
            D[6 * (3 + r) + 3 + c] = rigid->inertia_rate[3 * r + c];
        }
        b[r] = rigid->mass_rate * rigid->v_free[r];
    }
    m3_mul_v(b + 3, rigid->inertia_rate, rigid->v_free + 3);
}

/* Segments at q ⊕ h u. */
static void place(const Assembly *as, double h)
{
    for (int i = 0; i < as->system->count; i++) {
        const double *v = expected(as->system, i);
        double turn[4] = {1.0, 0.5 * h * v[3], 0.5 * h * v[4], 0.5 * h * v[5]};
        v3_copy(as->x[i], as->frames[i].com);
        v3_add_scaled(as->x[i], v, h);
        double shrink = 1.0 / sqrt(1.0 + v3_dot(turn + 1, turn + 1)); /* as quat_cayley_world */
        for (int k = 0; k < 4; k++) turn[k] *= shrink;
        quat_mul(as->quat[i], turn, as->frames[i].quat);
    }
}

/* The share of v⁺ that a rod's own motion asks for: where a joint turns far within the step, the θ
 * rule does not follow, and moving with the end velocity is what is stable. */
static double share_of_end(const Assembly *as)
{
    double speed2 = 0.0, length2 = 1.0; /* of the fastest: no division but the last */
    for (int j = 0; j + 1 < as->system->count; j++) {
        const double *rest = as->rod->joints[j].rest;
        double part[3];
        v3_sub(part, as->system->segments[j + 1].v, as->system->segments[j].v);
        double own2 = v3_dot(part, part), rest2 = v3_dot(rest, rest);
        if (own2 * length2 <= speed2 * rest2) continue;
        speed2 = own2;
        length2 = rest2;
    }
    double angle = as->in->t * sqrt(speed2 / length2);
    return fmin(fmax((angle - TN_SLOW_STRAIN) / TN_SLOW_STRAIN, 0.0), 1.0);
}

static bool any_held(const TnLink *links, int count)
{
    for (int i = 0; i < count; i++)
        if (links[i].held) return true;
    return false;
}

static bool take_memory(TnArena *arena, size_t n, TnRodSystem *out)
{
    out->segments = TN_ARENA_NEW(arena, TnRigidSystem, n);
    out->D = TN_ARENA_NEW(arena, double, 36 * n);
    out->E = TN_ARENA_NEW(arena, double, 36 * n);
    out->b = TN_ARENA_NEW(arena, double, 6 * n);
    out->v_free = TN_ARENA_NEW(arena, double, 6 * n);
    out->bonds = TN_ARENA_NEW(arena, TnRodBond, out->cut_count);
    return out->segments && out->D && out->E && out->b && out->v_free && out->bonds;
}

static bool take_scratch(Assembly *as, TnArena *arena, size_t n)
{
    as->x = tn_arena_alloc(arena, sizeof *as->x * n);
    as->quat = tn_arena_alloc(arena, sizeof *as->quat * n);
    as->laws = TN_ARENA_NEW(arena, TnRodLaw, n);
    return as->laws && as->x && as->quat;
}

bool tn_rod_assemble(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                     double w, TnArena *arena, TnRodSystem *out)
{
    int n = sub->link_count;
    bool pressed = in->pressed && in->pressed[sub - in->model->subsystems] > 0.0;
    Assembly as = {.in = in,
                   .rod = &in->model->rods[sub->kind_index],
                   .links = in->model->links + sub->link_start,
                   .frames = frames + sub->link_start,
                   .system = out};
    out->count = n;
    if (!out->segments && !take_memory(arena, (size_t)n, out)) return false;
    size_t mark = tn_arena_mark(arena);
    bool ok = take_scratch(&as, arena, (size_t)n);
    if (ok) {
        for (int i = 0; i < n; i++)
            tn_rod_segment_assemble(in, sub->link_start + i, &as.frames[i], &out->segments[i]);
        out->w = fmax(w, share_of_end(&as));
        out->alone = w == 0.0 && !pressed && !any_held(as.links, n);
        tn_rod_weigh(in, as.rod, as.links, out->w, as.laws);
        place(&as, 0.5 * in->t);
        for (int i = 0; i < n; i++) add_segment(&as, i);
        add_joints(&as);
        if (!out->loose) tn_rod_hold(in, as.links, as.frames, out);
    }
    tn_arena_release(arena, mark);
    return ok;
}

double tn_rod_surprise(const TnDynamicsInput *in, const TnSubsystem *sub, const TnRodSystem *s,
                       const double *vhat)
{
    const TnRodJoint *joints = in->model->rods[sub->kind_index].joints;
    double most = 0.0;
    for (int j = 0; j + 1 < s->count; j++) {
        const double *a = expected(s, j), *b = expected(s, j + 1), *v = vhat + 6L * j,
                     *rest = joints[j].rest;
        double sum = 0.0, length2 = v3_dot(rest, rest);
        for (int k = 0; k < 3; k++) {
            double move = v[6 + k] - v[k] - b[k] + a[k],
                   turn = v[9 + k] - v[3 + k] - b[3 + k] + a[3 + k];
            sum += move * move / length2 + turn * turn;
        }
        most = fmax(most, sum);
    }
    return in->t * sqrt(most);
}

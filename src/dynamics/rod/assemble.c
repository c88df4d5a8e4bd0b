/* assemble.c: one step of a rod as a linear system in v̂ = (1-θ) v + θ v⁺, the segments' twists:
 *     A v̂ = A_rigid v_rigid - Jᵀ F(v̂),     F_r(v̂) = k_r (g_r + [J (p_r v̂ - (r_r + θt) v)]_r),
 * with the segments' own inertia rates A_rigid and free motion v_rigid. p and r hold three things:
 *   - the spring at the midpoint, p = θt: second order and without damping, kept where the step
 *     resolves the row (z below 1, z = k t² times the compliance of the row in a chain). Above, the
 *     spring is taken later, up to the end of the step, and v⁺ comes in (s) once the two roots of an
 *     oscillator would part; this damps what the step cannot resolve;
 *   - damping, τ k on the rate at (1-θ_d) v + θ_d v⁺ as joints of trees have it. What it damps, the
 *     spring's lead need not.
 * docs/time-stepping.md has the figures.
 *
 * g and J are those of the predicted midpoint q ⊕ θt v, and F is linear from there. That leaves an
 * error of second order in v̂ - v, so the step is of second order as it is; further passes at q ⊕ θt v̂
 * were tried and change the error by a few per cent at most.
 *
 * A row's force turns with its joint, which is the geometric stiffness. Its part that pulls, T/|d|
 * (1 - d̂ d̂ᵀ) on v_b - v_a for a tension T, is in A: a rope under tension is stiff across by it alone,
 * and explicit in time it would explode. The rest is either negative (compression) or small beside
 * k, and stays explicit. */
#include "rod.h"

#include "../../math/vec3.h"

/* A row's weights of v̂ and -v, seconds. */
typedef struct RowLaw {
    double p[6], r[6];
} RowLaw;

typedef struct Assembly {
    const TnDynamicsInput *in;
    const TnRod *rod;
    const TnLink *links; /* of the segments */
    const TnLinkFrame *frames;
    TnRodSystem *system;
    double (*x)[3], (*quat)[4]; /* segments at the predicted midpoint */
    RowLaw *laws;               /* of the joints */
} Assembly;

/* z above which a row's spring is taken later than the midpoint, and where that has got all the way. */
#define RESOLVED 1.0
#define UNRESOLVED 16.0

/* `w` as in tn_rod_assemble. A rod that moves with its end velocity needs its springs there, too: at
 * q + β t v⁺ such a step is stable for β >= ½ whatever z is, and for z < 4 / (1 - 2β) below that. */
static void weigh_row(const TnDynamicsInput *in, double w, double tau, double k, double compliance,
                      double *p, double *r)
{
    double t = in->t, theta = in->theta, z = k * t * t * compliance, x = k * tau * t * compliance;
    double late = z <= RESOLVED     ? 0.0
                  : z >= UNRESOLVED ? 1.0
                                    : (z - RESOLVED) / (UNRESOLVED - RESOLVED);
    double beta = theta + (1.0 - theta) * late;
    double s = 0.0;
    if (z > UNRESOLVED) {
        double e = 2.0 * beta - 1.0;
        s = e * e / (4.0 * (3.0 - 3.0 * beta + 2.0 * beta * beta)) * (1.0 - UNRESOLVED / z);
    }
    double lead = fmax(0.0, (beta - theta) * t - tau), lag = theta * t + lead;
    double theta_d = x > 1.0 ? fmax(theta, 1.0 - 1.0 / x) : theta, share = theta_d / theta;
    double end = z < RESOLVED ? 0.5 * z / RESOLVED : 0.5 + 0.5 * late;
    double of_end = (1.0 - w) * s + w * end; /* share of t v⁺ */
    *p = (1.0 - w) * (1.0 - s) * lag + of_end * t / theta + tau * share;
    *r = of_end * t * (1.0 - theta) / theta + tau * (share - 1.0);
}

/* Compliances: two free segments moved against each other by the row, doubled since in the chain's
 * fastest motion all joints move together. */
static void weigh(const Assembly *as, int j, RowLaw *law)
{
    const TnLink *a = &as->links[j], *b = &as->links[j + 1];
    const TnRodJoint *joint = &as->rod->joints[j];
    double linear = 2.0 * (1.0 / a->mass + 1.0 / b->mass), angular[3];
    double length = joint->rest[2];
    /* z is the rod's direction and a principal axis */
    for (int k = 0; k < 3; k++)
        angular[k] = 2.0 * (1.0 / a->inertia[4 * k] + 1.0 / b->inertia[4 * k]);
    double lever = 0.25 * length * length;
    double compliance[6] = {linear + lever * angular[1],
                            linear + lever * angular[0],
                            linear,
                            angular[0],
                            angular[1],
                            angular[2]};
    for (int k = 0; k < 6; k++)
        weigh_row(as->in, as->system->w, as->rod->damping_time, joint->k[k], compliance[k],
                  &law->p[k], &law->r[k]);
}

/* Neighbours of a uniform rod share their law. */
static bool same_law(const Assembly *as, int j)
{
    const TnRodJoint *joint = &as->rod->joints[j];
    const TnLink *link = &as->links[j];
    for (int i = 0; i < 2; i++)
        if (link[i].mass != link[i - 1].mass ||
            memcmp(link[i].inertia, link[i - 1].inertia, sizeof link->inertia) != 0)
            return false;
    return memcmp(joint->k, joint[-1].k, sizeof joint->k) == 0 &&
           joint->rest[2] == joint[-1].rest[2];
}

static void weigh_all(const Assembly *as)
{
    for (int j = 0; j + 1 < as->system->count; j++)
        if (j > 0 && same_law(as, j))
            as->laws[j] = as->laws[j - 1];
        else
            weigh(as, j, &as->laws[j]);
}

/* Where a joint's part of the system goes: into the chain, or, of a cut joint, into a bond. */
typedef struct JointPlace {
    double *D_a, *D_b, *E, *b_a, *b_b;
} JointPlace;

/* The pulling part of the geometric stiffness. T is the tension at the step's start: at the
 * predicted midpoint it swings too much where the rod is jerked, and then feeds energy in. */
static void add_tension(const Assembly *as, int j, const TnRodStrain *strain, JointPlace to)
{
    const TnRodSystem *s = as->system;
    const TnRodJoint *joint = &as->rod->joints[j];
    const double *v_a = s->segments[j].v, *v_b = s->segments[j + 1].v, *d = strain->d;
    double start[3], rate[3], h = as->in->theta * as->in->t, p, r;
    v3_sub(start, as->frames[j + 1].com, as->frames[j].com);
    double length = v3_norm(start), slope = joint->k[2] * (length - joint->rest[2]) / length;
    double length2 = v3_dot(d, d);
    if (!(slope > 0.0) || !(length2 > 0.0)) return;
    double compliance = 2.0 / as->links[j].mass + 2.0 / as->links[j + 1].mass;
    weigh_row(as->in, s->w, 0.0, slope, compliance, &p, &r);
    for (int i = 0; i < 3; i++) rate[i] = -(r + h) * (v_b[i] - v_a[i]);
    double along = v3_dot(d, rate) / length2;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double stiff = slope * p * ((i == k ? 1.0 : 0.0) - d[i] * d[k] / length2);
            to.D_a[6 * i + k] += stiff;
            to.D_b[6 * i + k] += stiff;
            to.E[6 * i + k] -= stiff;
        }
        double pull = slope * (rate[i] - along * d[i]);
        to.b_a[i] += pull;
        to.b_b[i] -= pull;
    }
}

static void add_joint(const Assembly *as, int j, JointPlace to)
{
    const TnRodSystem *s = as->system;
    const TnRodJoint *joint = &as->rod->joints[j];
    const double *v_a = s->segments[j].v, *v_b = s->segments[j + 1].v;
    double h = as->in->theta * as->in->t;
    const RowLaw *law = &as->laws[j];
    TnRodStrain strain;
    double rate[6], k[6], rest[6];
    tn_rod_strain(joint, as->x[j], as->quat[j], as->x[j + 1], as->quat[j + 1], &strain);
    tn_rod_strain_rate(&strain, v_a, v_b, rate);
    for (int i = 0; i < 6; i++) {
        k[i] = joint->k[i] * law->p[i];
        rest[i] = joint->k[i] * (strain.g[i] - (law->r[i] + h) * rate[i]); /* at v̂ = 0 */
    }
    tn_rod_strain_stiffness(&strain, k, to.D_a, to.D_b, to.E);
    tn_rod_strain_pull(&strain, rest, to.b_a, to.b_b);
    add_tension(as, j, &strain, to);
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

static void add_joints(const Assembly *as)
{
    const TnRodSystem *s = as->system;
    for (int j = 0, cut = 0; j + 1 < s->count; j++) {
        double *D = s->D + 36 * (long)j, *E = s->E + 36 * (long)j, *b = s->b + 6 * (long)j;
        if (cut < s->cut_count && s->cuts[cut] == j) {
            make_bond(as, j, &s->bonds[cut++]);
            memset(E, 0, 36 * sizeof(double));
        } else {
            add_joint(as, j, (JointPlace){D, D + 36, E, b, b + 6});
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

/* Segments at q ⊕ h v. */
static void place(const Assembly *as, double h)
{
    for (int i = 0; i < as->system->count; i++) {
        const double *v = as->system->segments[i].v;
        double turn[3];
        v3_copy(as->x[i], as->frames[i].com);
        v3_add_scaled(as->x[i], v, h);
        quat_copy(as->quat[i], as->frames[i].quat);
        v3_scale(turn, v + 3, h);
        quat_cayley_world(as->quat[i], turn);
    }
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
    as->laws = TN_ARENA_NEW(arena, RowLaw, n);
    return as->laws && as->x && as->quat;
}

bool tn_rod_assemble(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                     double w, TnArena *arena, TnRodSystem *out)
{
    int n = sub->link_count;
    Assembly as = {.in = in,
                   .rod = &in->model->rods[sub->kind_index],
                   .links = in->model->links + sub->link_start,
                   .frames = frames + sub->link_start,
                   .system = out};
    out->count = n;
    out->w = w;
    if (!out->segments && !take_memory(arena, (size_t)n, out)) return false;
    size_t mark = tn_arena_mark(arena);
    bool ok = take_scratch(&as, arena, (size_t)n);
    if (ok) {
        for (int i = 0; i < n; i++)
            tn_rigid_assemble(in, sub->link_start + i, &as.frames[i], &out->segments[i]);
        weigh_all(&as);
        place(&as, in->theta * in->t);
        for (int i = 0; i < n; i++) add_segment(&as, i);
        add_joints(&as);
        tn_rod_hold(in, as.links, as.frames, out);
    }
    tn_arena_release(arena, mark);
    return ok;
}

/* interior.c: contacts by an interior-point method, for islands whose contacts open, stick and slip
 * in ways that Newton's steps from class to class do not find.
 *
 * Coulomb's law with Signorini's is a complementarity between two cones,
 *
 *     y = (μ λ_n, λ_t) ∈ L,  w = (u_n/μ + |u_t|, u_t) ∈ L,  y·w = 0,  L = {a : a_0 >= |a_1, a_2|}
 *
 * (inequality rows and contacts without friction: y = λ, w = u, both >= 0). Iterates stay inside
 * both cones and follow the path y ∘ w = m e down to m = 0, with Nesterov and Todd's scaling M
 * (M y = M⁻¹ w = z) and Mehrotra's predictor and corrector:
 *
 *     M dy + M⁻¹ dw = c,   dw = T (p⁻¹ du + r),   r = what w lacks,   A dx = Jᵀ dλ,   du = J dx
 *
 * T has the derivative of |w_t| in its first row, which makes the matrix unsymmetric. Eliminating
 * dy and dw, dλ = a - G du with
 *
 *     G = p⁻¹ M⁻² T p⁻¹,   a = p⁻¹ (M⁻¹ c - M⁻² T r),   (A + JᵀGJ) dx = Jᵀ a,   p = diag(μ, 1, 1)
 *
 * Other rows and bonds are taken as newton_law.c has them, held ones softened by 1/R about their
 * present force. u and λ fit each other (A x = Jᵀλ) throughout, w only in the end.
 *
 * The last digits are Newton's: near the end M is too large, and the path takes many steps to where
 * one of Newton's goes once it is clear what opens, sticks and slips. So one is tried whenever the
 * error has become smaller by TRY_GAIN. If it does not lead to the end, the path goes on. */
#include <math.h>
#include <string.h>

#include "../../math/vec3.h"
#include "../law/law.h"
#include "../solve.h"
#include "newton_step.h"

#define STEP_SHARE 0.95 /* of the way to a cone's boundary */
#define WARM_MARGIN                                                                                \
    3.0 /* times the natural map: a start too close to the cones gets stuck there                  \
         */
#define SHORT_STEP 0.1
#define MOST_SHORT 4 /* in a row: nothing moves any more */
/* Newton's steps at the end */
#define TRY_STIFFNESS 1e4 /* what redundant forces contradict each other by is multiplied by it */
#define TRY_STEPS 3
#define TRY_GAIN 0.1 /* of the error, that a step may leave */

typedef struct Cone {
    int contact, row; /* one of them; the other is -1 */
    double frame[3][3];
    double p[3], inverse_p[3]; /* zero where there is nothing */
    double y[3], w[3], z[3], r[3];
    double M_inverse[9], M_inverse2[9];
    double turn[2]; /* first row of T: 1, turn */
    double dy[3], dw[3];
} Cone;

typedef struct Interior {
    const TnAssembly *assembly;
    TnProblem *problem;
    TnLaws laws; /* of all that is no cone */
    Cone *cones;
    int count;
    TnPerConstraint u, lambda, du, dlambda, a, rest; /* rest: a of what is no cone */
    double *values, *x;
    TnNewtonStep newton;
    double tried; /* error at the last try of Newton's steps */
    double best;
} Interior;

/* ---- a contact's three numbers along its normal and two tangents ---- */

static void take(const Cone *cone, const TnPerConstraint *from, double out[3])
{
    v3_zero(out);
    if (cone->contact < 0)
        out[0] = from->row[cone->row];
    else
        for (int k = 0; k < 3; k++) out[k] = v3_dot(cone->frame[k], from->contact[cone->contact]);
}

static void put(const Cone *cone, const double x[3], TnPerConstraint *to)
{
    if (cone->contact < 0) {
        to->row[cone->row] = x[0];
        return;
    }
    double *out = to->contact[cone->contact];
    for (int i = 0; i < 3; i++)
        out[i] = cone->frame[0][i] * x[0] + cone->frame[1][i] * x[1] + cone->frame[2][i] * x[2];
}

/* ---- the cone L ---- */

static double determinant(const double a[3])
{
    double length = sqrt(a[1] * a[1] + a[2] * a[2]);
    return (a[0] - length) * (a[0] + length);
}

/* The largest s <= most with a + s d in L, which has a in it. */
static double way_inside(const double a[3], const double d[3], double most)
{
    double end[3] = {a[0] + most * d[0], a[1] + most * d[1], a[2] + most * d[2]};
    if (end[0] > 0.0 && end[0] * end[0] > end[1] * end[1] + end[2] * end[2]) return most;
    double A = determinant(d), B = a[0] * d[0] - a[1] * d[1] - a[2] * d[2], C = determinant(a);
    double root = B * B - A * C;
    if (d[0] < 0.0) most = fmin(most, -a[0] / d[0]);
    if (!(root >= 0.0)) return most;
    /* both roots without cancellation */
    double q = -(B + copysign(sqrt(root), B));
    if (A != 0.0 && q / A > 0.0) most = fmin(most, q / A);
    if (q != 0.0 && C / q > 0.0) most = fmin(most, C / q);
    return most;
}

static void multiply(const double M[9], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++) y[i] = v3_dot(M + 3 * i, x);
    memcpy(out, y, sizeof y);
}

/* M⁻¹, its square η² (2 s sᵀ - diag(1, -1, -1)) and z. */
static void scale_cone(Cone *cone)
{
    double dy = sqrt(determinant(cone->y)), dw = sqrt(determinant(cone->w)), s[3];
    double share =
        (cone->y[0] * cone->w[0] + cone->y[1] * cone->w[1] + cone->y[2] * cone->w[2]) / (dy * dw);
    double twice = 2.0 * sqrt(0.5 * (1.0 + share)), eta = sqrt(dy / dw);
    for (int k = 0; k < 3; k++)
        s[k] = (cone->w[k] / dw + (k ? -1.0 : 1.0) * cone->y[k] / dy) / twice;
    double *M = cone->M_inverse;
    M[0] = eta * s[0];
    for (int i = 1; i < 3; i++) {
        M[i] = M[3 * i] = -eta * s[i];
        for (int j = 1; j < 3; j++)
            M[3 * i + j] = eta * ((i == j ? 1.0 : 0.0) + s[i] * s[j] / (1.0 + s[0]));
    }
    const double v[3] = {s[0], -s[1], -s[2]};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) cone->M_inverse2[3 * i + j] = 2.0 * eta * eta * v[i] * v[j];
        cone->M_inverse2[4 * i] += i ? eta * eta : -eta * eta;
    }
    multiply(M, cone->w, cone->z);
}

static void apply_T(const Cone *cone, double x[3])
{
    x[0] += cone->turn[0] * x[1] + cone->turn[1] * x[2];
}

/* z ∘ out = x */
static void divide(const double z[3], const double x[3], double out[3])
{
    double det = determinant(z), along = z[1] * x[1] + z[2] * x[2];
    double first = (z[0] * x[0] - along) / det;
    out[0] = first;
    for (int k = 1; k < 3; k++) out[k] = (x[k] - z[k] * first) / z[0];
}

/* ---- a step ---- */

static void clear_contacts(Interior *s)
{
    size_t batches = (size_t)s->problem->contact_batches;
    if (batches) memset(s->laws.G.contact, 0, sizeof *s->laws.G.contact * batches);
}

/* r, M, T and G of the cones; a and G of the rest. */
static void set_up(Interior *s)
{
    const double *lambda = s->lambda.all;
    double *rest = s->rest.all;
    tn_per_constraint_copy(&s->laws.centre, &s->lambda);
    tn_laws_at(&s->laws, &s->u);
    tn_laws_linear(&s->laws, &s->u, &s->rest);
    for (size_t i = 0; i < s->u.count; i++) rest[i] -= lambda[i];
    clear_contacts(s);
    for (int c = 0; c < s->problem->contact_count; c++) v3_zero(s->rest.contact[c]);
    s->laws.G.symmetric = true;
    for (int i = 0; i < s->count; i++) {
        Cone *cone = &s->cones[i];
        double v[3], length = sqrt(cone->w[1] * cone->w[1] + cone->w[2] * cone->w[2]), H[9], G[9];
        take(cone, &s->u, v);
        cone->turn[0] = length > 0.0 ? cone->w[1] / length : 0.0;
        cone->turn[1] = length > 0.0 ? cone->w[2] / length : 0.0;
        for (int k = 0; k < 3; k++) cone->r[k] = cone->inverse_p[k] * v[k] - cone->w[k];
        cone->r[0] += length;
        scale_cone(cone);
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                const double *N = cone->M_inverse2 + 3 * k;
                double turned = N[j] + (j ? cone->turn[j - 1] * N[0] : 0.0);
                H[3 * k + j] = cone->inverse_p[k] * turned * cone->inverse_p[j];
            }
        if (cone->contact < 0) {
            s->laws.G.row[cone->row] = H[0];
            continue;
        }
        for (int k = 0; k < 3; k++) /* H in world axes */
            for (int j = 0; j < 3; j++) {
                G[3 * k + j] = 0.0;
                for (int l = 0; l < 3; l++) G[3 * k + j] += H[3 * k + l] * cone->frame[l][j];
            }
        double(*out)[TN_LANES] = s->laws.G.contact[cone->contact / TN_LANES];
        int lane = cone->contact % TN_LANES;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++)
                    out[3 * k + j][lane] += cone->frame[l][k] * G[3 * l + j];
        if (cone->turn[0] != 0.0 || cone->turn[1] != 0.0) s->laws.G.symmetric = false;
    }
}

/* du, dλ, dy, dw for M dy + M⁻¹ dw = c, which `c` has for each cone. */
static void solve(Interior *s, const double (*c)[3])
{
    const TnAssembly *assembly = s->assembly;
    tn_per_constraint_copy(&s->a, &s->rest);
    for (int i = 0; i < s->count; i++) {
        const Cone *cone = &s->cones[i];
        double push[3], back[3];
        multiply(cone->M_inverse, c[i], push);
        memcpy(back, cone->r, sizeof back);
        apply_T(cone, back);
        multiply(cone->M_inverse2, back, back);
        for (int k = 0; k < 3; k++) push[k] = cone->inverse_p[k] * (push[k] - back[k]);
        put(cone, push, &s->a);
    }
    tn_assembly_gather(assembly, &s->a, s->x);
    tn_assembly_solve(assembly, s->laws.G.symmetric, s->values, s->x);
    tn_assembly_apply(assembly, s->x, &s->du);
    tn_per_constraint_copy(&s->laws.a, &s->a);
    tn_laws_linear(&s->laws, &s->du, &s->dlambda);
    for (int i = 0; i < s->count; i++) {
        Cone *cone = &s->cones[i];
        double du[3], dl[3];
        take(cone, &s->du, du);
        take(cone, &s->dlambda, dl);
        for (int k = 0; k < 3; k++) {
            cone->dw[k] = cone->inverse_p[k] * du[k] + cone->r[k];
            cone->dy[k] = cone->p[k] * dl[k];
        }
        apply_T(cone, cone->dw);
    }
}

static double longest(const Interior *s, double most)
{
    for (int i = 0; i < s->count; i++) {
        most = way_inside(s->cones[i].y, s->cones[i].dy, most);
        most = way_inside(s->cones[i].w, s->cones[i].dw, most);
    }
    return most;
}

/* Mean of y·w after a part of the step. */
static double gap(const Interior *s, double part)
{
    double sum = 0.0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            sum += (s->cones[i].y[k] + part * s->cones[i].dy[k]) *
                   (s->cones[i].w[k] + part * s->cones[i].dw[k]);
    return sum / s->count;
}

static void predict(const Interior *s, double (*c)[3])
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) c[i][k] = -s->cones[i].z[k];
}

/* c with z ∘ c = -z ∘ z + target e - (M dy) ∘ (M⁻¹ dw); M dy is c - M⁻¹ dw of the prediction. */
static void correct(const Interior *s, double target, double (*c)[3])
{
    for (int i = 0; i < s->count; i++) {
        const Cone *cone = &s->cones[i];
        double b[3], a[3], x[3];
        multiply(cone->M_inverse, cone->dw, b);
        for (int k = 0; k < 3; k++) a[k] = -cone->z[k] - b[k];
        x[0] = target - v3_dot(a, b);
        for (int k = 1; k < 3; k++) x[k] = -a[0] * b[k] - b[0] * a[k];
        divide(cone->z, x, c[i]);
        for (int k = 0; k < 3; k++) c[i][k] -= cone->z[k];
    }
}

static void move(Interior *s, double part)
{
    for (size_t i = 0; i < s->u.count; i++) {
        s->u.all[i] += part * s->du.all[i];
        s->lambda.all[i] += part * s->dlambda.all[i];
    }
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) {
            s->cones[i].y[k] += part * s->cones[i].dy[k];
            s->cones[i].w[k] += part * s->cones[i].dw[k];
        }
}

/* ---- the start ---- */

static bool reserve(Interior *s, const TnCompliances *D, double (**c)[3])
{
    TnProblem *p = s->problem;
    TnPerConstraint *all[] = {&s->u, &s->lambda, &s->du, &s->dlambda, &s->a, &s->rest};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!tn_per_constraint_alloc(p, all[i])) return false;
    s->values = TN_ARENA_NEW(p->arena, double, 2 * s->assembly->plan->size);
    s->x = TN_ARENA_NEW(p->arena, double, s->assembly->dim);
    s->cones = TN_ARENA_ZERO(p->arena, Cone, p->contact_count + p->row_count + 1);
    *c =
        tn_arena_alloc(p->arena, sizeof(double[3]) * (size_t)(p->contact_count + p->row_count + 1));
    return s->values && s->x && s->cones && *c && tn_laws_alloc(p, D, &s->laws);
}

static void add_cones(Interior *s, const TnCompliances *D)
{
    const TnProblem *p = s->problem;
    for (int c = 0; c < p->contact_count; c++) {
        double mu = p->contact_batch[c / TN_LANES].mu[c % TN_LANES];
        Cone *cone = &s->cones[s->count];
        if (!(tn_normal_compliance(D, c) > 0.0)) continue; /* bears nothing */
        bool rubs = mu > 0.0 && tn_tangent_compliance(D, c) > 0.0;
        *cone = (Cone){.contact = c, .row = -1, .p = {rubs ? mu : 1.0, rubs, rubs}};
        v3_copy(cone->frame[0], p->normals[c]);
        v3_tangents(cone->frame[0], cone->frame[1], cone->frame[2]);
        s->count++;
    }
    for (int r = 0; r < p->row_count; r++)
        if (tn_row_is_one_sided(&p->rows[r]) && D->row[r] > 0.0)
            s->cones[s->count++] = (Cone){.contact = -1, .row = r, .p = {1.0}};
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            s->cones[i].inverse_p[k] = s->cones[i].p[k] > 0.0 ? 1.0 / s->cones[i].p[k] : 0.0;
}

static double lever_of(const Interior *s, const Cone *cone)
{
    return cone->contact < 0 ? tn_row_lever(&s->problem->rows[cone->row]) : 1.0;
}

/* The speed that the start is inside the cones by: with no u what would stop the fastest of all
 * constraints. */
static double margin_of(const Interior *s, const TnCompliances *D, const TnPerConstraint *u)
{
    double speed = 0.0;
    if (u) return WARM_MARGIN * tn_natural_map(s->problem, D, u, &s->lambda).largest;
    for (int i = 0; i < s->count; i++) {
        double e[3];
        take(&s->cones[i], &s->assembly->e, e);
        speed = fmax(speed, lever_of(s, &s->cones[i]) * v3_norm(e));
    }
    return speed;
}

/* Inside the cones by a margin: off the forces there are and their u, or with no u off nothing;
 * rows and bonds keep their forces. False: no factor, or nothing moves. */
static bool start(Interior *s, const TnCompliances *D, const TnPerConstraint *u)
{
    const TnAssembly *assembly = s->assembly;
    const TnProblem *p = s->problem;
    tn_lambda_take(p, &s->lambda);
    double margin = margin_of(s, D, u);
    if (!(margin > 0.0)) return false;
    for (int c = 0; c < p->contact_count; c++) /* no cone */
        if (!(tn_normal_compliance(D, c) > 0.0)) v3_zero(s->lambda.contact[c]);
    for (int i = 0; i < s->count; i++) {
        Cone *cone = &s->cones[i];
        double d = cone->contact < 0 ? D->row[cone->row] : tn_normal_compliance(D, cone->contact);
        double force[3] = {0}, v[3] = {0}, ample = margin / lever_of(s, cone);
        if (u) {
            take(cone, &s->lambda, force);
            take(cone, u, v);
        }
        for (int k = 1; k < 3; k++) {
            cone->y[k] = cone->p[k] * force[k];
            cone->w[k] = cone->p[k] * v[k];
        }
        double friction = hypot(cone->y[1], cone->y[2]), slip = hypot(cone->w[1], cone->w[2]);
        cone->y[0] = fmax(cone->p[0] * force[0], friction) + cone->p[0] * ample / d;
        cone->w[0] = fmax(cone->inverse_p[0] * v[0], 0.0) + slip + ample;
        for (int k = 0; k < 3; k++) force[k] = cone->inverse_p[k] * cone->y[k];
        put(cone, force, &s->lambda);
    }
    tn_assembly_gather(assembly, &s->lambda, s->x);
    clear_contacts(s);
    memset(s->laws.G.row, 0, sizeof(double) * (size_t)p->row_count);
    memset(s->laws.G.bond, 0, sizeof(double[144]) * (size_t)p->bond_count);
    s->laws.G.symmetric = true;
    if (!tn_assembly_factor(assembly, &s->laws.G, s->values)) return false;
    tn_assembly_solve(assembly, true, s->values, s->x);
    tn_assembly_apply(assembly, s->x, &s->u);
    tn_per_constraint_add(&s->u, &assembly->e);
    s->laws.R = TN_LEAST_STIFFNESS;
    s->laws.reach = 1.0;
    return true;
}

/* ---- the end ---- */

static bool take_step(Interior *s, const TnCompliances *D, TnMethodResult *out, TnNaturalMap *map)
{
    TnNewtonStep *n = &s->newton;
    tn_per_constraint_copy(&n->laws.centre, &n->lambda);
    if (!tn_newton_step(n, 0.0, out)) return false;
    tn_per_constraint_swap(&n->u, &n->next_u);
    tn_per_constraint_swap(&n->lambda, &n->next_lambda);
    *map = tn_natural_map(s->problem, D, &n->u, &n->lambda);
    return true;
}

/* Newton's steps from here. True: they arrived. */
static bool try_newton(Interior *s, const TnCompliances *D, double tolerance, TnNaturalMap map,
                       TnMethodResult *out)
{
    TnNewtonStep *n = &s->newton;
    s->tried = map.largest;
    n->laws.R = TRY_STIFFNESS;
    n->laws.reach = 1.0;
    n->factored = false;
    tn_per_constraint_copy(&n->u, &s->u);
    tn_per_constraint_copy(&n->lambda, &s->lambda);
    for (int i = 0; i < TRY_STEPS; i++) {
        double before = map.rms;
        if (!take_step(s, D, out, &map)) return false;
        if (map.largest < tolerance) {
            s->best = map.largest;
            tn_lambda_put(s->problem, &n->lambda);
            return true;
        }
        if (!(map.rms < TRY_GAIN * before)) return false;
    }
    return false;
}

bool tn_interior(const TnAssembly *assembly, TnProblem *p, const TnCompliances *D,
                 const TnPerConstraint *u, double tolerance, int most_steps, TnMethodResult *out)
{
    Interior s = {.assembly = assembly,
                  .problem = p,
                  .tried = TN_BEYOND / TRY_GAIN * tolerance,
                  .best = INFINITY};
    int short_steps = 0;
    double(*c)[3];
    *out = (TnMethodResult){.error = INFINITY};
    if (!reserve(&s, D, &c) || !tn_newton_start(&s.newton, assembly, p, D, &s.u)) return false;
    add_cones(&s, D);
    if (!s.count || !start(&s, D, u)) return true;
    out->factorizations = 1;
    while (out->iterations < most_steps && s.best >= tolerance) {
        out->iterations++;
        out->factorizations++;
        set_up(&s);
        double before = gap(&s, 0.0);
        if (!isfinite(before) || !tn_assembly_factor(assembly, &s.laws.G, s.values)) break;
        predict(&s, c);
        solve(&s, (const double(*)[3])c);
        double after = gap(&s, longest(&s, 1.0)) / before;
        correct(&s, fmin(1.0, fmax(after * after * after, 1e-3)) * before, c);
        solve(&s, (const double(*)[3])c);
        double part = fmin(1.0, STEP_SHARE * longest(&s, 1e9));
        short_steps = part < SHORT_STEP ? short_steps + 1 : 0;
        if (short_steps == MOST_SHORT) break;
        move(&s, part);
        TnNaturalMap map = tn_natural_map(p, D, &s.u, &s.lambda);
        /* at the end, too: rounding takes u and λ apart, and a step of Newton's does not */
        bool may_end = map.largest < fmax(TRY_GAIN * s.tried, tolerance);
        if (may_end && try_newton(&s, D, tolerance, map, out)) break;
        if (!(map.largest < s.best)) continue;
        s.best = map.largest;
        tn_lambda_put(p, &s.lambda);
    }
    out->error = s.best;
    return true;
}

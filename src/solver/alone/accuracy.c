/* accuracy.c: how good a solution of the public solver's problem is, recomputed from what was added
 * (A, b, J, e, sets) and from v and λ alone. No method is asked anything, so none is judged by its
 * own numbers. docs/accuracy.md tells what each figure can see.
 *
 *     v_free = A⁻¹ b,   v_λ = A⁻¹ (b + Jᵀλ),   u = J v + e,   D = Σ J A⁻¹ Jᵀ over a constraint's
 *                                                             own rows and its sides
 *     AAc, AAλ      -log10 RMS of law/law.h's errors at v and at v_λ
 *     natural map   the largest of law/law.h's natural maps at v_λ
 *     cone error    |λ - P_K(λ - û)| / max(|e + J v_free|, |λ|, |u|) over contacts, at v
 *                   (cone_error.h)
 *     dynamics      |A v - b - Jᵀλ| / max(|b|, |A v|, |Jᵀλ|)
 *     AAv           -log10 √(dᵀ A d),  d = v - v*
 *
 * Of blocks that have no A to multiply with, the dynamics are v - v_λ against v_free, v and
 * v_λ - v_free, and d counts as it is. */
#include "../../base/base.h"
#include "../../base/rounding.h"
#include "../law/law.h"
#include "cone_error.h"
#include "solver_blocks.h"

typedef struct Judge {
    const TnSolver *solver;
    int blocks, constraints, unknowns, numbers, widest;
    int *block_at, *number_at;      /* first number of each in v and in λ */
    double *force, *implied, *free; /* over v: b + Jᵀλ, v_λ, v_free */
    double *work, *work2;           /* over v, and over three of the widest block */
    double *u, *u_implied, *u_free; /* over λ */
    double (*D)[2];                 /* per constraint: normal, tangent; of rows D, D */
    bool (*dead)[2];
    int *first, *next; /* per constraint: its spins and rolls, from 0; -1 ends the list */
    double *memory;
    int *indices;
} Judge;

static bool reserve(Judge *j)
{
    j->blocks = tn_solver_block_count(j->solver);
    j->constraints = tn_solver_constraint_count(j->solver);
    j->unknowns = tn_solver_unknown_count(j->solver);
    j->numbers = tn_solver_lambda_count(j->solver);
    for (int i = 0; i < j->blocks; i++) {
        int dim = tn_solver_block(j->solver, i + 1).dim;
        if (dim > j->widest) j->widest = dim;
    }
    size_t n = (size_t)j->unknowns, m = (size_t)j->numbers, c = (size_t)j->constraints;
    j->memory = tn_calloc(4 * n + 3 * (size_t)j->widest + 3 * m + 2 * c + 1, sizeof(double));
    j->indices = tn_calloc((size_t)j->blocks + 3 * c + 2, sizeof(int));
    j->dead = tn_calloc(c + 1, sizeof *j->dead);
    if (!j->memory || !j->indices || !j->dead) return false;
    j->force = j->memory;
    j->implied = j->force + n;
    j->free = j->implied + n;
    j->work = j->free + n;
    j->work2 = j->work + n;
    j->u = j->work2 + 3 * (size_t)j->widest;
    j->u_implied = j->u + m;
    j->u_free = j->u_implied + m;
    j->D = (double(*)[2])(j->u_free + m);
    j->block_at = j->indices;
    j->number_at = j->block_at + j->blocks + 1;
    j->first = j->number_at + c + 1;
    j->next = j->first + c;
    for (int i = 0; i < j->blocks; i++)
        j->block_at[i + 1] = j->block_at[i] + tn_solver_block(j->solver, i + 1).dim;
    for (int i = 0; i < j->constraints; i++)
        j->number_at[i + 1] =
            j->number_at[i] + tn_set_rows(tn_solver_constraint(j->solver, i + 1).set);
    return true;
}

/* ---- J ---- */

typedef struct Side {
    const double *J;
    const int *column;
    int block, count;
} Side;

static bool side_of(const Judge *j, const TnConstraintDef *c, int s, Side *side)
{
    if (s >= TN_MAX_SIDES || !c->block[s]) return false;
    int block = c->block[s] - 1, dim = j->block_at[block + 1] - j->block_at[block];
    *side = (Side){c->J[s], c->column[s], block, c->column[s] ? c->column_count[s] : dim};
    return true;
}

static int place(const Side *side, int k) { return side->column ? side->column[k] : k; }

static void constraint_velocities(const Judge *j, const double *v, double *u)
{
    for (int i = 0; i < j->constraints; i++) {
        TnConstraintDef c = tn_solver_constraint(j->solver, i + 1);
        Side side;
        double *to = u + j->number_at[i];
        for (int r = 0; r < tn_set_rows(c.set); r++) {
            to[r] = c.e[r];
            for (int s = 0; side_of(j, &c, s, &side); s++)
                for (int k = 0; k < side.count; k++)
                    to[r] += side.J[(long)r * side.count + k] *
                             v[j->block_at[side.block] + place(&side, k)];
        }
    }
}

/* f += Jᵀλ */
static void add_forces(const Judge *j, const double *lambda, double *f)
{
    for (int i = 0; i < j->constraints; i++) {
        TnConstraintDef c = tn_solver_constraint(j->solver, i + 1);
        Side side;
        for (int s = 0; side_of(j, &c, s, &side); s++)
            for (int r = 0; r < tn_set_rows(c.set); r++)
                for (int k = 0; k < side.count; k++)
                    f[j->block_at[side.block] + place(&side, k)] +=
                        side.J[(long)r * side.count + k] * lambda[j->number_at[i] + r];
    }
}

/* D of one constraint, side by side, and the size of the terms that it is a sum of. */
static void set_compliance(Judge *j, int i)
{
    TnConstraintDef c = tn_solver_constraint(j->solver, i + 1);
    int rows = tn_set_rows(c.set);
    double G[3] = {0}, scale = 0.0;
    Side side;
    for (int s = 0; side_of(j, &c, s, &side); s++) {
        size_t dim = (size_t)(j->block_at[side.block + 1] - j->block_at[side.block]);
        memset(j->work2, 0, sizeof(double) * dim * (size_t)rows);
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < side.count; k++)
                j->work2[dim * (size_t)r + (size_t)place(&side, k)] +=
                    side.J[(long)r * side.count + k];
        tn_solver_solve_A(j->solver, side.block, j->work2, rows);
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < side.count; k++) {
                double x = side.J[(long)r * side.count + k] *
                           j->work2[dim * (size_t)r + (size_t)place(&side, k)];
                G[r] += x;
                scale += fabs(x);
            }
    }
    double normal = G[0], tangent = G[0];
    if (c.set == TN_SET_FRICTION) tangent = 0.5 * (G[1] + G[2]);
    if (c.set == TN_SET_ROLL) normal = tangent = 0.5 * (G[0] + G[1]);
    j->D[i][0] = normal;
    j->D[i][1] = tangent;
    for (int k = 0; k < 2; k++) {
        double share = c.set == TN_SET_FRICTION ? TN_DEAD * (normal + tangent) : 0.0;
        j->dead[i][k] = !(j->D[i][k] > share && j->D[i][k] > TN_ROUND_OFF * scale);
    }
}

/* ---- the laws ---- */

/* Of constraint i at constraint velocities u: squared error, or with `map` squared natural map. */
static double law(const Judge *j, int i, const double *u, const double *lambda, bool map)
{
    TnConstraintDef c = tn_solver_constraint(j->solver, i + 1);
    const double *x = u + j->number_at[i], *l = lambda + j->number_at[i];
    double D = map && j->dead[i][0] ? 0.0 : j->D[i][0];
    double Dt = map && j->dead[i][1] ? 0.0 : j->D[i][1];
    if (c.set == TN_SET_FRICTION) {
        TnContactPair pair = {x[0], {x[1], x[2], 0.0}}, force = {l[0], {l[1], l[2], 0.0}};
        return (map ? tn_contact_map : tn_contact_error)(pair, force, c.mu, D, Dt);
    }
    bool disc = c.set == TN_SET_SPIN || c.set == TN_SET_ROLL;
    double radius = disc ? c.mu * fmax(0.0, lambda[j->number_at[c.contact - 1]]) : 0.0;
    TnRow row = tn_solver_row(&c, 0);
    row.e = c.e[0];
    double lever = tn_row_lever(&row);
    return lever * lever * (map ? tn_row_map : tn_row_error)(&row, D, radius, x, l);
}

static double digits(double error) { return -log10(fmax(error, 1e-16)); }

static double accuracy(const Judge *j, const double *u, const double *lambda)
{
    double sum = 0.0;
    for (int i = 0; i < j->constraints; i++) sum += law(j, i, u, lambda, false);
    return j->numbers ? digits(sqrt(sum / j->numbers)) : NAN;
}

static void find_worst(const Judge *j, const double *lambda, TnJudgement *out)
{
    double largest = 0.0;
    out->worst = 0;
    for (int i = 0; i < j->constraints; i++) {
        double squared = law(j, i, j->u_implied, lambda, true);
        if (isnan(squared)) squared = INFINITY;
        if (squared <= largest && out->worst) continue;
        largest = squared;
        out->worst = i + 1;
    }
    out->natural_map = sqrt(largest);
}

/* ---- dynamics ---- */

/* Squares of a residual and of what it is measured by. */
typedef struct Balance {
    double residual, terms[3];
} Balance;

static void weigh(Balance *b, double residual, double x, double y, double z)
{
    b->residual += residual * residual;
    b->terms[0] += x * x;
    b->terms[1] += y * y;
    b->terms[2] += z * z;
}

static double share_of(const Balance *b)
{
    double largest = fmax(b->terms[0], fmax(b->terms[1], b->terms[2]));
    return largest > 0.0 ? sqrt(b->residual / largest) : 0.0;
}

static double dynamics(const Judge *j, const double *b, const double *v)
{
    Balance forces = {0}, velocities = {0};
    for (int i = 0; i < j->blocks; i++) {
        int begin = j->block_at[i], end = j->block_at[i + 1];
        bool multiplied = tn_solver_multiply(j->solver, i, v + begin, j->work + begin);
        for (int k = begin; k < end; k++) {
            double push = j->force[k] - b[k], moved = j->implied[k] - j->free[k];
            if (multiplied)
                weigh(&forces, j->work[k] - j->force[k], b[k], j->work[k], push);
            else
                weigh(&velocities, v[k] - j->implied[k], j->free[k], v[k], moved);
        }
    }
    return fmax(share_of(&forces), share_of(&velocities));
}

static double distance(const Judge *j, const double *v, const double *v_star)
{
    double sum = 0.0;
    for (int i = 0; i < j->blocks; i++) {
        int begin = j->block_at[i], end = j->block_at[i + 1];
        for (int k = begin; k < end; k++) j->work[k] = v[k] - v_star[k];
        bool multiplied = tn_solver_multiply(j->solver, i, j->work + begin, j->work2);
        for (int k = begin; k < end; k++)
            sum += j->work[k] * (multiplied ? j->work2[k - begin] : j->work[k]);
    }
    return sqrt(fmax(sum, 0.0));
}

static void judge(Judge *j, const double *b, const double *v, const double *lambda,
                  const double *v_star, TnJudgement *out)
{
    memcpy(j->force, b, sizeof(double) * (size_t)j->unknowns);
    memcpy(j->free, b, sizeof(double) * (size_t)j->unknowns);
    add_forces(j, lambda, j->force);
    memcpy(j->implied, j->force, sizeof(double) * (size_t)j->unknowns);
    for (int i = 0; i < j->blocks; i++) {
        tn_solver_solve_A(j->solver, i, j->implied + j->block_at[i], 1);
        tn_solver_solve_A(j->solver, i, j->free + j->block_at[i], 1);
    }
    for (int i = 0; i < j->constraints; i++) set_compliance(j, i);
    constraint_velocities(j, v, j->u);
    constraint_velocities(j, j->implied, j->u_implied);
    constraint_velocities(j, j->free, j->u_free);
    out->aac = accuracy(j, j->u, lambda);
    out->aal = accuracy(j, j->u_implied, lambda);
    out->aav = v_star ? digits(distance(j, v, v_star)) : NAN;
    find_worst(j, lambda, out);
    out->cone_error = tn_cone_error(
        j->solver, &(TnConeInput){j->number_at, j->u, j->u_free, lambda, j->first, j->next});
    out->dynamics = dynamics(j, b, v);
}

TnStatus tn_solver_judge(TnSolver *solver, const double *b, const double *v, const double *lambda,
                         const double *v_star, TnJudgement *out, TnError *err)
{
    if (!solver || !v || (!lambda && tn_solver_lambda_count(solver) > 0) || !out) {
        tn_error_add(err, TN_ERROR_USAGE, "solver, v, lambda and out must be given");
        return TN_ERROR_USAGE;
    }
    Judge j = {.solver = solver};
    double *own = NULL;
    bool ok = reserve(&j);
    if (ok && !b) {
        own = tn_calloc((size_t)j.unknowns + 1, sizeof(double));
        ok = own != NULL;
        for (int i = 0; ok && i < j.blocks; i++) {
            TnBlockDef def = tn_solver_block(solver, i + 1);
            if (def.b) memcpy(own + j.block_at[i], def.b, sizeof(double) * (size_t)def.dim);
        }
    }
    if (ok)
        judge(&j, b ? b : own, v, lambda, v_star, out);
    else
        tn_error_add(err, TN_ERROR_MEMORY, "solver: no memory");
    tn_free(own);
    tn_free(j.memory);
    tn_free(j.indices);
    tn_free(j.dead);
    return ok ? TN_OK : TN_ERROR_MEMORY;
}

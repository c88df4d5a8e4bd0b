/* What is the same problem has the same solution: other orders, other blocks, other units. */
#include "../check.h"

#include "methods.h"
#include "public_problem.h"

/* m/s: the error asked for, and what well-conditioned problems make of it. */
static const double asked = 1e-10, same = 1e-8;
enum { MOST = 100000 };

/* v of p by every method. */
static void solve_all(const Problem *p, Answer answers[METHODS])
{
    for (int m = 0; m < METHODS; m++) {
        answers[m] = problem_solve(p, methods[m], asked, MOST);
        CHECK(answers[m].report.converged);
    }
}

/* ---- order ---- */

static void shuffle(Random *r, int *order, int count)
{
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = pick(r, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* Blocks and constraints in another order; unknown i of `out` is unknown from[i] of p. */
static void permute(const Problem *p, Random *r, Problem *out, int from[MOST_UNKNOWNS])
{
    int blocks[MOST_BLOCKS], laws[MOST_CONSTRAINTS];
    shuffle(r, blocks, p->block_count);
    shuffle(r, laws, p->law_count);
    problem_clear(out);
    for (int i = 0; i < p->block_count; i++) {
        int at = p->start[blocks[i]], dim = p->start[blocks[i] + 1] - at;
        int first = problem_add_block(out, dim);
        for (int k = 0; k < dim; k++) from[first + k] = at + k;
    }
    for (int i = 0; i < problem_unknowns(p); i++) {
        out->b[i] = p->b[from[i]];
        for (int k = 0; k < problem_unknowns(p); k++) out->A[i][k] = p->A[from[i]][from[k]];
    }
    for (int i = 0; i < p->law_count; i++) {
        const Law *old = &p->laws[laws[i]];
        Law *law = problem_add_law(out, old->set);
        int row = law->row;
        *law = *old;
        law->row = row;
        for (int r2 = 0; r2 < law->rows; r2++)
            for (int k = 0; k < problem_unknowns(p); k++)
                out->J[row + r2][k] = p->J[old->row + r2][from[k]];
    }
}

TEST(the_order_of_blocks_and_constraints_does_not_matter)
{
    static Problem p, other;
    static Answer before[METHODS], after[METHODS];
    Random r = {3};
    for (int seed = 0; seed < UNLESS_SANITIZED(20, 4); seed++) {
        int from[MOST_UNKNOWNS];
        random_problem(&p, (uint64_t)seed, 4 + seed % 11);
        permute(&p, &r, &other, from);
        solve_all(&p, before);
        solve_all(&other, after);
        for (int m = 0; m < METHODS; m++)
            for (int i = 0; i < problem_unknowns(&p); i++)
                CHECK_NEAR(after[m].v[i], before[m].v[from[i]], same);
    }
}

/* ---- blocks ---- */

/* Blocks i and i + 1 as one, whose A has two blocks on its diagonal. */
static void merge(Problem *p, int i)
{
    memmove(&p->start[i + 1], &p->start[i + 2], sizeof(int) * (size_t)(p->block_count - i - 1));
    p->block_count--;
    for (int k = 0; k < p->law_count; k++) p->laws[k].home -= p->laws[k].home > i;
}

TEST(blocks_side_by_side_in_one_matrix_are_the_same_as_two)
{
    static Problem p, other;
    static Answer before[METHODS], after[METHODS];
    for (int seed = 0; seed < UNLESS_SANITIZED(20, 4); seed++) {
        random_problem(&p, (uint64_t)seed, 4 + seed % 11);
        other = p;
        /* of every three the first two; at last all */
        for (int i = 0; i + 1 < other.block_count; i += 2) merge(&other, i);
        while (seed % 4 == 3 && other.block_count > 1) merge(&other, 0);
        solve_all(&p, before);
        solve_all(&other, after);
        for (int m = 0; m < METHODS; m++)
            CHECK_NEAR(largest_apart(after[m].v, before[m].v, problem_unknowns(&p)), 0.0, same);
    }
}

/* A block as two that carry a share of A and b each and every other of its constraints, held
 * together by equality rows. */
static void cut(Problem *p, int block, double share)
{
    int at = p->start[block], dim = p->start[block + 1] - at, first = problem_add_block(p, dim);
    for (int i = 0; i < dim; i++) {
        p->b[first + i] = (1.0 - share) * p->b[at + i];
        p->b[at + i] *= share;
        for (int k = 0; k < dim; k++) {
            p->A[first + i][first + k] = (1.0 - share) * p->A[at + i][at + k];
            p->A[at + i][at + k] *= share;
        }
    }
    for (int i = 0, mine = 0; i < p->law_count; i++) {
        if (!law_touches(p, &p->laws[i], block) || mine++ % 2 == 0) continue;
        for (int r = p->laws[i].row; r < p->laws[i].row + p->laws[i].rows; r++)
            for (int k = 0; k < dim; k++) {
                p->J[r][first + k] = p->J[r][at + k];
                p->J[r][at + k] = 0.0;
            }
    }
    for (int k = 0; k < dim; k++) {
        const Law *law = problem_add_law(p, TN_SET_EQUALITY);
        p->J[law->row][at + k] = 1.0;
        p->J[law->row][first + k] = -1.0;
    }
}

TEST(a_block_cut_in_two_and_held_together_by_rows_is_the_same)
{
    static Problem p, other;
    static Answer before[METHODS], after[METHODS];
    for (int seed = 0; seed < UNLESS_SANITIZED(20, 4); seed++) {
        random_problem(&p, (uint64_t)seed, 3 + seed % 9);
        other = p;
        for (int i = 0; i < p.block_count; i += 2) cut(&other, i, 0.3);
        solve_all(&p, before);
        solve_all(&other, after);
        for (int m = 0; m < METHODS; m++) {
            const double *v = after[m].v;
            CHECK_NEAR(largest_apart(v, before[m].v, problem_unknowns(&p)), 0.0, same);
            for (int i = 0, copy = problem_unknowns(&p); i < p.block_count; i += 2)
                for (int k = p.start[i]; k < p.start[i + 1]; k++)
                    CHECK_NEAR(v[copy++], before[m].v[k], same);
        }
    }
}

/* ---- units ---- */

/* Unknowns after a block's third are angular velocities. */
static double lever(const Problem *p, int unknown, double length)
{
    int block = 0;
    while (p->start[block + 1] <= unknown) block++;
    return unknown - p->start[block] < 3 ? 1.0 : length;
}

/* The same problem in other units of length, mass and time: kg/s, kg m/s², m/s and so on. */
static void rescale(const Problem *p, double length, double mass, double time, Problem *out)
{
    double speed = length / time, force = mass * length / (time * time);
    *out = *p;
    out->velocity_scale *= speed;
    for (int i = 0; i < problem_unknowns(p); i++) {
        double a = lever(p, i, length);
        out->b[i] *= force * a;
        for (int k = 0; k < problem_unknowns(p); k++)
            out->A[i][k] *= mass / time * a * lever(p, k, length);
        for (int r = 0; r < p->row_count; r++) out->J[r][i] *= a;
    }
    for (int i = 0; i < p->law_count; i++) {
        Law *law = &out->laws[i];
        for (int k = 0; k < 3; k++) law->e[k] *= speed;
        law->k *= mass / time;
        law->lower *= force;
        law->upper *= force;
    }
}

TEST(other_units_take_the_same_iterations)
{
    static const double units[][3] = {{1e3, 1, 1},  {1e-3, 1, 1}, {1, 1e3, 1},
                                      {1, 1e-3, 1}, {1, 1, 1e3},  {1, 1, 1e-3}};
    static Problem p, other;
    static Answer before[METHODS], after[METHODS];
    for (int seed = 0; seed < UNLESS_SANITIZED(12, 2); seed++) {
        random_problem(&p, (uint64_t)seed, 4 + seed % 11);
        solve_all(&p, before);
        for (int u = 0; u < 6; u++) {
            double speed = units[u][0] / units[u][2];
            rescale(&p, units[u][0], units[u][1], units[u][2], &other);
            solve_all(&other, after);
            for (int m = 0; m < METHODS; m++) {
                int a = before[m].report.iterations, b = after[m].report.iterations;
                CHECK(10 * abs(a - b) <= a);
                for (int i = 0; i < problem_unknowns(&p); i++)
                    CHECK_NEAR(after[m].v[i] / speed * lever(&p, i, units[u][0]), before[m].v[i],
                               same);
            }
        }
    }
}

/* All methods on the same random problems: one solution. */
#include "../check.h"

#include "methods.h"
#include "public_problem.h"

/* 1e-8 m/s: the error asked for is 1e-10 of velocities of order one, and blocks and rows are well
 * conditioned. Forces are known where rows are independent, through the inverse of J A⁻¹ Jᵀ, which
 * amplifies by tens. */
TEST(all_methods_agree_on_random_problems_with_every_kind_of_constraint)
{
    static Problem p;
    int slipping = 0, sticking = 0, open = 0;
    for (int seed = 0; seed < 40; seed++) {
        random_problem(&p, (uint64_t)seed, 3 + seed % 12);
        Answer first = {0};
        for (int m = 0; m < METHODS; m++) {
            Answer a = problem_solve(&p, methods[m], 1e-10, 100000);
            double v[MOST_UNKNOWNS];
            CHECK(a.report.status == TN_OK && a.report.converged);
            problem_velocities(&p, a.lambda, v);
            double error = problem_error(&p, v, a.lambda);
            CHECK_NEAR(error, 0.0, 1e-8);
            if (m == 0) first = a;
            double dv = largest_apart(a.v, first.v, problem_unknowns(&p));
            double dl = largest_apart(a.lambda, first.lambda, p.row_count);
            CHECK_NEAR(dv, 0.0, 1e-8);
            CHECK_NEAR(dl, 0.0, 1e-7);
        }
        for (int i = 0; i < p.law_count; i++) {
            const Law *law = &p.laws[i];
            const double *l = first.lambda + law->row;
            if (law->set != TN_SET_FRICTION) continue;
            if (l[0] == 0.0)
                open++;
            else if (hypot(l[1], l[2]) < 0.999 * law->mu * l[0])
                sticking++;
            else
                slipping++;
        }
    }
    CHECK(open > 0 && sticking > 0 && slipping > 0); /* or there was nothing to see */
}

/* The judge on blocks in every form: what A is given as does not matter. */
#include "../check.h"

#include "alone_problem.h"

static const Form forms[][BLOCKS] = {{DENSE, DENSE, DENSE},       {BANDED, BANDED, BANDED},
                                     {SPARSE, SPARSE, SPARSE},    {FUNCTIONS, SPARSE, BANDED},
                                     {INVERSE, INVERSE, INVERSE}, {INVERSE, DENSE, FUNCTIONS}};
enum { MIXTURES = sizeof forms / sizeof *forms, WITHOUT_INVERSE = 4 };

/* Of a problem with every set and a solution that is none. */
static TnJudgement judge(const Form form[BLOCKS], bool sparse, bool can_multiply, unsigned seed)
{
    Alone p;
    TnSolverDef def = tn_solver_def();
    TnError err = {0};
    TnJudgement out = {.aac = NAN};
    alone_start(&p, seed);
    for (int i = 0; !can_multiply && i < BLOCKS; i++) p.matrix[i].functions.multiply = NULL;
    TnSolver *solver = alone_solver(&p, &def, form, sparse, seed, &err);
    if (!solver) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        return out;
    }
    double v[BLOCKS * DIM], star[BLOCKS * DIM], lambda[LAMBDAS];
    for (int i = 0; i < BLOCKS * DIM; i++) v[i] = alone_random(&seed), star[i] = v[i] + 1e-3;
    for (int i = 0; i < LAMBDAS; i++) lambda[i] = alone_random(&seed);
    CHECK(tn_solver_judge(solver, p.b, v, lambda, star, &out, &err) == TN_OK);
    tn_solver_destroy(solver);
    return out;
}

TEST(the_form_of_a_block_does_not_matter)
{
    for (unsigned seed = 1; seed <= 5; seed++) {
        TnJudgement dense = judge(forms[0], false, true, seed);
        CHECK(dense.natural_map > 0.01 && dense.cone_error > 0.01 && dense.dynamics > 0.01);
        for (int i = 0; i < MIXTURES; i++) {
            TnJudgement other = judge(forms[i], true, true, seed);
            /* well conditioned: rounding of numbers about one */
            CHECK_NEAR(other.aac, dense.aac, 1e-12);
            CHECK_NEAR(other.aal, dense.aal, 1e-12);
            CHECK_NEAR(other.natural_map, dense.natural_map, 1e-12);
            CHECK_NEAR(other.cone_error, dense.cone_error, 1e-12);
            CHECK(other.worst == dense.worst);
            if (i >= WITHOUT_INVERSE) continue;
            CHECK_NEAR(other.dynamics, dense.dynamics, 1e-12);
            CHECK_NEAR(other.aav, dense.aav, 1e-12);
        }
    }
}

/* Where only A⁻¹ is known the dynamics are velocities: wrong all the same. */
TEST(dynamics_are_judged_without_a_matrix)
{
    for (unsigned seed = 1; seed <= 5; seed++) {
        TnJudgement j = judge((const Form[]){FUNCTIONS, FUNCTIONS, FUNCTIONS}, true, false, seed);
        TnJudgement inverse = judge(forms[4], true, true, seed);
        CHECK(j.dynamics > 0.01);
        CHECK_NEAR(inverse.dynamics, j.dynamics, 1e-12);
        CHECK_NEAR(j.aav, -log10(1e-3 * sqrt(BLOCKS * DIM)), 1e-9); /* d itself, 1e-3 each */
    }
}

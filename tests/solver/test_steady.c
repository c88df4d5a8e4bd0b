/* The share of new forces that the next step starts from. */
#include "../check.h"

#include "random_problem.h"
#include "solver/method/steady.h"
#include "solver/natural_map.h"

/* A body with a contact: it moved by 1 and the guess makes that 1.25; what was found stops it.
 * Forces that would have changed nothing are a fifth of the way, -0.25 of 1.25. */
TEST(near_rest_forces_that_accelerate_nothing_are_kept)
{
    TnArena arena;
    TnProblem p;
    TnPerConstraint u;
    TnSteady steady;
    const double zero[6] = {0}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, up[3] = {0, 0, 1};
    const double v[6] = {0, 0, 1.0};
    REQUIRE(tn_arena_init(&arena, "a", 1 << 16));
    REQUIRE(tn_problem_init(&p, &arena, (TnProblemSize){.twists = 1, .contacts = 1}));
    REQUIRE(tn_per_constraint_alloc(&p, &u));
    tn_problem_set_twist(&p, 0, 1.0, one, zero, v);
    tn_problem_set_contact(&p, 0, 0, 1, zero, zero, up, zero, 0.5, zero);
    u.contact[0][2] = 1.25;
    REQUIRE(tn_steady_start(&p, &u, &steady));
    u.contact[0][2] = 0.0;
    CHECK_NEAR(tn_steady_share(&steady, &u), 0.2, 1e-15);
    u.contact[0][2] = 1.0; /* goes on as it was: all new */
    CHECK_NEAR(tn_steady_share(&steady, &u), 1.0, 1e-15);
    u.contact[0][2] = 1.25; /* nothing has changed */
    CHECK(tn_steady_share(&steady, &u) == 1.0);
    u.contact[0][2] = 2.0; /* the guess was on the right side and fell short */
    CHECK(tn_steady_share(&steady, &u) == 0.0);
    tn_arena_free(&arena);
}

TEST(where_nothing_was_noted_all_is_kept)
{
    const TnSteady none = {0};
    const TnPerConstraint u = {0};
    CHECK(tn_steady_share(&none, &u) == 1.0);
}

/* What motion gives for energy that steps made, and gets for what they lost: account/due.h. */
#include "account/due.h"

#include "../check.h"

/* Kinetic energy after steps of which the first makes or loses something. *owed: what is left then.
 */
static double after(TnDueInput first, int steps, double *owed)
{
    double kinetic = first.kinetic_before + first.made;
    *owed = 0.0;
    for (int k = 0; k < steps; k++) {
        TnDueInput in = {.smooth = first.smooth, .owed = *owed};
        if (k == 0) in = first;
        in.kinetic_before = in.kinetic = in.moving = kinetic;
        TnDue due = tn_due(&in);
        CHECK(due.take <= in.moving && (due.take >= -0.02 * in.moving || !in.smooth));
        CHECK(due.owed >= -0.1 * fmax(1.0, kinetic));
        kinetic -= due.take;
        *owed = due.owed;
    }
    return kinetic;
}

TEST(smooth_motion_gets_back_what_steps_lost)
{
    static const double made[] = {-0.08, -0.05, -0.021, -0.019, -1e-6, 1e-6, 0.019, 0.021, 0.5};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        TnDueInput first = {.smooth = true, .made = made[i], .kinetic_before = 1.0};
        double owed, kinetic = after(first, 10, &owed);
        CHECK_NEAR(kinetic, 1.0, 1e-14);
        CHECK_NEAR(owed, 0.0, 1e-14);
    }
}

/* 2 % are given at once and 10 % are owed, of what is left of 1 J. */
TEST(what_is_more_than_it_may_owe_is_lost)
{
    double owed, kinetic = after((TnDueInput){.smooth = true, .made = -0.5, .kinetic_before = 1.0},
                                 100, &owed);
    CHECK_NEAR(kinetic, 0.5 * (1.0 + 0.02 + 0.1), 1e-14);
    TnDue due = tn_due(&(TnDueInput){.smooth = true, .made = -0.5, .kinetic = 0.5, .moving = 0.5});
    CHECK(due.beyond == 0.5);
}

TEST(rough_motion_gives_what_was_made_and_gets_nothing)
{
    double owed, kinetic = after((TnDueInput){.made = -0.05, .kinetic_before = 1.0}, 10, &owed);
    CHECK(kinetic == 0.95 && owed == 0.0);
    kinetic = after((TnDueInput){.made = 0.5, .kinetic_before = 1.0}, 10, &owed);
    CHECK_NEAR(kinetic, 1.0, 1e-14);
}

/* Where motion turns back it has no speed to be scaled. */
TEST(debts_stay_where_motion_turns_back)
{
    TnDueInput turns = {.smooth = true, .owed = -0.05, .kinetic = 1e-6, .moving = 1e-6};
    CHECK_NEAR(tn_due(&turns).owed, -0.05, 1e-6);
    turns.made = -0.02;
    CHECK_NEAR(tn_due(&turns).owed, -0.05, 1e-12); /* and do not grow there */
}

/* Bodies at rest that overlap come apart with the energy for it; knocks are lost. */
TEST(push_out_and_knocks_are_left_alone)
{
    TnDue apart = tn_due(
        &(TnDueInput){.smooth = true, .made = 1.0, .put = 1.0, .kinetic = 0.5, .moving = 0.5});
    CHECK(apart.take == 0.0 && apart.owed == 0.1 * 0.5);
    TnDue knock = tn_due(
        &(TnDueInput){.smooth = true, .made = -0.1, .hits = 0.2, .kinetic = 1.0, .moving = 1.0});
    CHECK(knock.take == 0.0 && knock.owed == 0.0);
}

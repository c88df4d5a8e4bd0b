/* Few contacts, whose classes can all be tried: Newton must end in one of them. */
#include "../check.h"

#include "any_problem.h"

#include "plane_contacts.h"

static bool plane_problem(Rig *rig, const Plane *s)
{
    TnProblem *p = &rig->problem;
    const double zero[6] = {0};
    if (!rig_create(rig) ||
        !tn_problem_init(p, &rig->arena, (TnProblemSize){.twists = BODIES, .contacts = s->count}))
        return false;
    for (int i = 0; i < BODIES; i++) {
        const double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, s->inertia[i]};
        const double b[6] = {s->b[i][0], s->b[i][1], 0, 0, 0, s->b[i][2]};
        tn_problem_set_twist(p, i, s->mass[i], S, b, zero);
    }
    for (int j = 0; j < s->count; j++)
        tn_problem_set_contact(
            p, j, s->a[j], s->c[j], (double[]){s->arm_a[j][0], s->arm_a[j][1], 0},
            (double[]){s->arm_c[j][0], s->arm_c[j][1], 0}, (double[]){s->n[j][0], s->n[j][1], 0},
            (double[]){s->e[j][0], s->e[j][1], 0}, s->mu[j], zero);
    return tn_problem_prepare_A(p, NULL);
}

/* 1e-7 m/s: velocities are of order one, the error asked for is 1e-10, and few contacts amplify it.
 * Where no choice solves the problem (friction can jam) none must be claimed. */
TEST(few_contacts_end_in_one_of_all_their_classes)
{
    enum { N = 3 * BODIES };
    Random r = {11};
    int solved = 0, several = 0, none = 0, used[4] = {0};
    for (int round = 0; round < UNLESS_SANITIZED(1000, 400); round++) {
        Plane s;
        random_plane(&r, &s, 1 + round % MOST);
        Rig rig;
        TnIslandResult result;
        REQUIRE(plane_problem(&rig, &s));
        REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-9, &result));
        double nearest = INFINITY;
        int solutions = 0, nearest_choice[MOST] = {0};
        for (int code = 0; code < 1 << (2 * s.count); code++) {
            int choice[MOST];
            double v[N], worst = 0.0;
            for (int j = 0; j < s.count; j++) choice[j] = code >> (2 * j) & 3;
            if (!try_choice(&s, choice, v)) continue;
            solutions++;
            for (int i = 0; i < BODIES; i++) {
                double twist[6];
                tn_problem_twist(&rig.problem, i, twist);
                worst = fmax(worst, fabs(twist[0] - v[3 * i]));
                worst = fmax(worst, fabs(twist[1] - v[3 * i + 1]));
                worst = fmax(worst, fabs(twist[5] - v[3 * i + 2]));
            }
            if (worst < nearest) {
                nearest = worst;
                memcpy(nearest_choice, choice, sizeof choice);
            }
        }
        none += solutions == 0;
        several += solutions > 1;
        if (solutions) {
            solved += result.report.converged;
            if (!result.report.converged || !(nearest < 1e-7))
                printf("    round %d: %d solutions, error %g, %g apart, classes %d %d %d %d\n",
                       round, solutions, result.report.error, nearest, nearest_choice[0],
                       nearest_choice[1], nearest_choice[2], nearest_choice[3]);
            CHECK(result.report.converged);
            CHECK_NEAR(nearest, 0.0, 1e-7);
            for (int j = 0; j < s.count; j++) used[nearest_choice[j]]++;
        } else {
            CHECK(!result.report.converged && is_finite(&rig.problem));
        }
        rig_destroy(&rig);
    }
    CHECK(solved > 0 && several > 0 && none > 0); /* or there was nothing to see */
    for (int i = 0; i < 4; i++) CHECK(used[i] > 0);
}

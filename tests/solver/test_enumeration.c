/* Few contacts, whose classes can all be tried: every method must end in one of them. */
#include "../check.h"

#include "enumeration.h"
#include "methods.h"

#include "plane_contacts.h"

typedef struct Tally {
    int rounds, unique, several, none, solved[METHODS];
} Tally;

/* Solves one problem by every method, with all of its solutions known. 1e-7 m/s: velocities are of
 * order one, the error asked for is 1e-10, and few contacts amplify it. */
static void try_methods(const Problem *p, int solutions, double (*v)[MOST_UNKNOWNS], Tally *t)
{
    t->rounds++;
    t->unique += solutions == 1;
    t->several += solutions > 1;
    t->none += solutions == 0;
    for (int m = 0; m < METHODS; m++) {
        Answer a =
            problem_solve(p, methods[m], 1e-10, methods[m].own == &tn_own_nnewton ? 1000 : 20000);
        double nearest = INFINITY;
        for (int i = 0; i < solutions; i++)
            nearest = fmin(nearest, largest_apart(a.v, v[i], problem_unknowns(p)));
        bool right = a.report.converged && nearest < 1e-7;
        t->solved[m] += solutions == 1 && right;
        CHECK(answer_is_finite(p, &a));
        /* what is claimed is true; where friction jams nothing is */
        CHECK(right || !a.report.converged);
        if (solutions == 1 && !right && methods[m].own != &tn_own_nnewton)
            printf("    round %d, %d contacts: %s ends with an error of %g, %g off\n", t->rounds,
                   p->law_count, method_name(methods[m]), a.report.error, nearest);
    }
}

/* For how many of the problems with one solution each method has found it: all, but for a nonsmooth
 * Newton, whose line search can end in a valley that is none: one or two in a hundred. */
static void check_tally(const Tally *t)
{
    printf("    %d problems: %d with one solution, %d with several, %d with none; solved:",
           t->rounds, t->unique, t->several, t->none);
    for (int m = 0; m < METHODS; m++) printf(" %s %d", method_name(methods[m]), t->solved[m]);
    printf("\n");
    for (int m = 0; m < METHODS; m++)
        CHECK(t->solved[m] >= (methods[m].own == &tn_own_nnewton ? 0.97 : 1.0) * t->unique);
}

static void random_contacts(Problem *p, Random *r, int count)
{
    problem_clear(p);
    for (int i = 0; i < 3; i++) random_block(p, r, 6, 1.5 + uniform(r));
    while (p->law_count < count) {
        random_law(p, r, TN_SET_FRICTION, fabs(uniform(r)));
        if (!rows_are_independent(p)) forget_last_law(p);
    }
}

TEST(contacts_in_space_end_in_one_of_all_their_classes)
{
    static Problem p;
    Random r = {5};
    Tally t = {0};
    int used[3] = {0};
    while (t.rounds < UNLESS_SANITIZED(80, 12)) {
        Enumeration all;
        double v[MOST_SOLUTIONS][MOST_UNKNOWNS];
        random_contacts(&p, &r, 1 + t.rounds % FEW_CONTACTS);
        enumerate(&p, &all);
        for (int i = 0; i < all.solutions; i++) problem_velocities(&p, all.lambda[i], v[i]);
        for (int i = 0; all.solutions == 1 && i < all.contacts; i++) used[all.classes[0][i]]++;
        try_methods(&p, all.solutions, v, &t);
    }
    check_tally(&t);
    for (int i = 0; i < 3; i++) CHECK(used[i] > 0); /* or there was nothing to see */
}

/* The second tangent leads out of the plane and has no row. */
static void public_plane(const Plane *s, Problem *p)
{
    problem_clear(p);
    for (int i = 0; i < BODIES; i++) {
        int first = problem_add_block(p, 3);
        for (int k = 0; k < 3; k++) {
            p->A[first + k][first + k] = k < 2 ? s->mass[i] : s->inertia[i];
            p->b[first + k] = s->b[i][k];
        }
    }
    for (int j = 0; j < s->count; j++) {
        Law *law = problem_add_law(p, TN_SET_FRICTION);
        law->mu = s->mu[j];
        law->e[0] = s->n[j][0] * s->e[j][0] + s->n[j][1] * s->e[j][1];
        law->e[1] = s->n[j][0] * s->e[j][1] - s->n[j][1] * s->e[j][0];
        plane_row(s, j, false, p->J[law->row]);
        plane_row(s, j, true, p->J[law->row + 1]);
    }
}

TEST(contacts_in_a_plane_end_in_one_of_all_their_classes)
{
    static Problem p;
    Random r = {11};
    Tally t = {0};
    while (t.rounds < UNLESS_SANITIZED(240, 60)) {
        Plane s;
        int solutions = 0;
        double v[MOST_SOLUTIONS + 1][MOST_UNKNOWNS];
        random_plane(&r, &s, 1 + t.rounds % MOST);
        public_plane(&s, &p);
        for (int code = 0; code < 1 << (2 * s.count); code++) {
            int choice[MOST];
            for (int j = 0; j < s.count; j++) choice[j] = code >> (2 * j) & 3;
            if (solutions < MOST_SOLUTIONS && try_choice(&s, choice, v[solutions])) solutions++;
        }
        try_methods(&p, solutions, v, &t);
    }
    check_tally(&t);
    CHECK(UNLESS_SANITIZED(t.several > 0 && t.none > 0, true)); /* friction jams now and then */
}

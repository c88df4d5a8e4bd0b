/* own_dynamics: the solver with your own dynamics. The tip of a robot arm presses on an elastic
 * strip. A growing force pushes it along the strip; friction holds it at first, then it slides.
 *
 * The planar arm has two joints and a mass matrix M(q). The strip is a row of particles joined by
 * springs, with a banded matrix. For each, implicit Euler gives the motion without contact, A v =
 * b, where v is the velocity after the step. */
#include <math.h>
#include <stdio.h>
#include <tenon/solver.h>

enum { N = 50, X = 2 * N }; /* particles; their unknowns are x, y, x, y, … */
static const double h = 0.005, mu = 0.5;
static const double link = 0.4, bob = 1.0, base[2] = {0.1, 0.4};  /* m, kg at the end of each */
static const double mass = 0.02, spring = 2e4, spacing = 1.0 / N; /* kg, N/m, m */

/* A = M/h and b = M v/h + forces, as from a robotics library. f acts on the tip. */
static void arm(const double q[2], const double v[2], const double f[2], double A[4], double b[2],
                double tip[2], double J[4])
{
    double c = cos(q[1]), s = sin(q[1]), sum = q[0] + q[1], I = bob * link * link;
    A[0] = I * (3 + 2 * c) / h, A[1] = A[2] = I * (1 + c) / h, A[3] = I / h;
    tip[0] = base[0] + link * (cos(q[0]) + cos(sum));
    tip[1] = base[1] + link * (sin(q[0]) + sin(sum));
    J[0] = base[1] - tip[1], J[1] = -link * sin(sum); /* ∂x/∂q */
    J[2] = tip[0] - base[0], J[3] = link * cos(sum);  /* ∂y/∂q */
    b[0] = A[0] * v[0] + A[1] * v[1] + I * s * v[1] * (2 * v[0] + v[1]) - 8 * v[0];
    b[1] = A[2] * v[0] + A[3] * v[1] - I * s * v[0] * v[0] - 8 * v[1];
    for (int j = 0; j < 2; j++) b[j] += J[j] * f[0] + J[2 + j] * f[1];
}

int main(void)
{
    double q[2] = {0.0, -1.5708}, u[X] = {0}, v[2 + X] = {0}, lambda[3] = {0}, b[2 + X];
    double A[4], tip[2], J[4], strip[3 * X] = {0}; /* strip: diagonals, see A_banded */
    for (int i = 0; i < X; i++) {
        strip[i] = mass / h + 2 * spring * h;
        if (i + 2 < X) strip[2 * X + i] = -spring * h;
    }
    TnSolverDef def = tn_solver_def();
    TnError err = {0};
    int stuck = 0, slid = 0;
    puts("  time s   tip x m  depth mm  normal N  friction N");
    for (int step = 1; step <= 200; step++) {
        double time = step * h, push[2] = {8.0 * time, -10.0};
        arm(q, v, push, A, b, tip, J);
        for (int i = 0; i < X; i++) {
            double pull = (i > 1 ? u[i - 2] : 0) - 2 * u[i] + (i + 2 < X ? u[i + 2] : 0);
            b[2 + i] = mass / h * v[2 + i] + spring * pull;
        }
        /* The tip is above a point between two particles. Rows: normal y, tangents x and z. */
        int i = (int)(tip[0] / spacing), column[4] = {2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3};
        double t = tip[0] / spacing - i, gap = tip[1] - (1 - t) * u[2 * i + 1] - t * u[2 * i + 3];
        const double of_tip[6] = {J[2], J[3], J[0], J[1]};
        const double of_strip[12] = {0, t - 1, 0, -t, t - 1, 0, -t, 0};

        TnSolver *solver = tn_solver_create(&def, &err);
        if (!solver) break;
        bool converged = false;
        TnBlockDef robot = {.dim = 2, .A = A}, band = {.dim = X, .A_banded = strip, .bandwidth = 2};
        TnConstraintDef contact = {.set = TN_SET_FRICTION, .mu = mu, .e = {gap / h}};
        contact.block[0] = tn_solver_add_block(solver, &robot), contact.J[0] = of_tip;
        contact.block[1] = tn_solver_add_block(solver, &band), contact.J[1] = of_strip;
        contact.column[1] = column, contact.column_count[1] = 4;
        tn_solver_add_constraint(solver, &contact);
        if (tn_solver_prepare(solver, &err) == TN_OK) {
            tn_solver_start(solver, v, lambda); /* warm start from the last step */
            converged = tn_solver_solve(solver, b, v, lambda).converged;
        }
        tn_solver_destroy(solver);
        if (!converged) break;

        for (int j = 0; j < 2; j++) q[j] += h * v[j];
        for (int j = 0; j < X; j++) u[j] += h * v[2 + j];
        bool slides = fabs(lambda[1]) > 0.999 * mu * lambda[0];
        stuck += lambda[0] > 0 && !slides, slid += lambda[0] > 0 && slides;
        if (step % 20 == 0)
            printf("%8.2f %9.4f %9.2f %9.3f %11.3f  %s\n", time, tip[0], -1e3 * tip[1], lambda[0],
                   lambda[1], slides ? "slides" : "sticks");
    }
    if (err.count) puts(err.message);
    bool fine = stuck > 50 && slid > 20;
    puts(fine ? "the tip stuck, then slid" : "that was unexpected");
    return fine ? 0 : 1;
}

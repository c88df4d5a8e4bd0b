/* The text of `tenon-bench table`; see table_report.h. */
#include "table_report.h"

#include "../common/options.h"
#include "../common/table.h"

#include <math.h>

const double table_targets[TARGET_COUNT] = {3, 4, 5, 6};

static void print_settings(const TableScene *scene, Configuration c)
{
    const TablePart *part = &scene->parts[c];
    if (c == CONFIG_PAPER)
        printf(
            "%s, as in the paper: division paper (%d subsystems, %d bonds), SubADMM with weights "
            "paper, over-relaxation 1, no Anderson acceleration\n",
            scene->name, part->subsystems, part->bonds);
    else
        printf("%s, tenon's defaults: %d subsystem%s, %d bonds\n", scene->name, part->subsystems,
               part->subsystems == 1 ? "" : "s", part->bonds);
}

static void add_work(Grid *grid, const TnSolverDef *solver, int column)
{
    if (column == CURVE_AS_IT_COMES)
        grid_add(grid, "default");
    else if (solver->tolerance > 0)
        grid_add(grid, "to %.0e", solver->tolerance);
    else
        grid_add(grid, "%d", solver->iterations);
}

static void add_row(Grid *grid, const TableScene *scene, int solver, int column,
                    const ReplayFigures *point)
{
    bool paper = scene->known->has_paper && solver < PAPER_SOLVERS;
    grid_add(grid, "%s", curve_label(solver));
    add_work(grid, &point->solver, column);
    grid_number(grid, 3, point->solver_ms);
    grid_number(grid, 3, point->step_ms);
    grid_number(grid, 2, point->aac);
    grid_number(grid, 2, point->aal);
    grid_number(grid, 2, point->aav);
    if (!scene->known->has_paper) return;
    grid_number(grid, 2, paper ? scene->known->paper_ms[solver][column] : NAN);
    grid_number(grid, 2, paper ? scene->known->paper_index[solver][column] : NAN);
}

static void print_columns(const TableScene *scene, Configuration c)
{
    Grid grid;
    grid_start(&grid, scene->known->has_paper ? 9 : 7);
    const char *const headings[] = {"solver",   "iterations", "AT ms",    "step ms", "AAc",
                                    "AA\u03bb", "AAv",        "paper AT", "paper AA"};
    for (int i = 0; i < grid.columns; i++) grid_add(&grid, "%s", headings[i]);
    for (int s = 0; s < CURVE_COUNT; s++)
        for (int k = 0; k < CURVE_COLUMNS && scene->parts[c].measured[s]; k++) {
            const ReplayFigures *point = curve_column(&scene->parts[c].curves[s], k);
            if (point) add_row(&grid, scene, s, k, point);
        }
    grid_print(stdout, &grid);
}

bool has_times_to(const TableScene *scene, Configuration c, int solver)
{
    return scene->parts[c].measured[solver] && (c == CONFIG_DEFAULTS || solver == PAPER_SUBADMM);
}

static void add_times_to(Grid *grid, const SolverCurve *curve)
{
    for (int t = 0; t < TARGET_COUNT; t++) {
        const ReplayFigures *point = curve_first(curve, table_targets[t]);
        if (!point)
            grid_add(grid, ">");
        else if (point->solver.tolerance > 0)
            grid_add(grid, "%.3f (%.0e)", point->solver_ms, point->solver.tolerance);
        else
            grid_add(grid, "%.3f (%d)", point->solver_ms, point->solver.iterations);
    }
    grid_number(grid, 2, curve_best_aav(curve));
}

static void print_times_to(const TableScene *scene)
{
    Grid grid;
    grid_start(&grid, 2 + TARGET_COUNT);
    grid_add(&grid, "ms to AAv");
    for (int t = 0; t < TARGET_COUNT; t++) grid_add(&grid, "%.0f", table_targets[t]);
    grid_add(&grid, "best");
    for (int c = CONFIG_COUNT - 1; c >= 0; c--)
        for (int s = 0; s < CURVE_COUNT; s++) {
            if (!has_times_to(scene, (Configuration)c, s)) continue;
            grid_add(&grid, "%s%s", curve_label(s), c == CONFIG_PAPER ? ", as in the paper" : "");
            add_times_to(&grid, &scene->parts[c].curves[s]);
        }
    grid_print(stdout, &grid);
}

/* The fastest to an AAv: of all, and of the paper's five. -1: none gets there. */
static int fastest(const TablePart *part, double aav, int solver_count)
{
    int best = -1;
    double least = INFINITY;
    for (int s = 0; s < solver_count; s++) {
        const ReplayFigures *point = part->measured[s] ? curve_first(&part->curves[s], aav) : NULL;
        if (!point || point->solver_ms >= least) continue;
        least = point->solver_ms;
        best = s;
    }
    return best;
}

static void print_fastest(const TablePart *part)
{
    printf("  fastest:");
    for (int t = 0; t < TARGET_COUNT; t++) {
        int of_all = fastest(part, table_targets[t], CURVE_COUNT),
            of_five = fastest(part, table_targets[t], PAPER_SOLVERS);
        printf("%s AAv %.0f %s", t ? ";" : "", table_targets[t],
               of_all < 0 ? "none" : curve_label(of_all));
        if (of_all == CURVE_AUTO)
            printf(", of the five %s", of_five < 0 ? "none" : curve_label(of_five));
    }
    printf("\n");
}

static void print_remarks(const TableScene *scene, Configuration c)
{
    const TablePart *part = &scene->parts[c];
    int refused = 0, other = 0;
    bool deterministic = true, same = true;
    for (int s = 0; s < CURVE_COUNT; s++)
        for (int i = 0; part->measured[s] && i < part->curves[s].count; i++) {
            const ReplayFigures *point = &part->curves[s].points[i];
            refused += point->refused > 0;
            other = point->other_contacts > other ? point->other_contacts : other;
            deterministic = deterministic && point->deterministic;
            same = same && (point->refused || point->states == part->states);
        }
    printf("  v*: %d of %d steps converged", part->v_star_count, scene->step_count);
    if (part->v_star_count) printf(" (natural-map error at most %.1e m/s)", part->v_star_error);
    printf("%s; %.0f contacts, %.0f rows per step\n",
           part->v_star_count < scene->step_count ? ", the others are not in AAv" : "",
           part->contacts, part->rows);
    if (refused) printf("  -: a step would not have been finite (%d runs)\n", refused);
    if (other)
        printf(
            "  up to %d steps ended with other contacts than those of v*: what a soft body meets "
            "depends on the solution\n",
            other);
    if (!deterministic) printf("  repeats of the same step differ: please report this\n");
    if (!same) printf("  steps did not start from the same states: please report this\n");
}

void table_print(const Table *table)
{
    for (int i = 0; i < table->scene_count; i++) {
        const TableScene *scene = &table->scenes[i];
        if (i) printf("\n");
        printf("%s: %d degrees of freedom; %d steps of %lld that count, of a run of %lld with the "
               "defaults; threads %d\n\n",
               scene->name, scene->dof, scene->step_count, (long long)scene->counted,
               (long long)scene->ran, table->threads);
        for (int c = 0; c < CONFIG_COUNT; c++) {
            print_settings(scene, (Configuration)c);
            print_columns(scene, (Configuration)c);
            print_remarks(scene, (Configuration)c);
            printf("\n");
        }
        print_times_to(scene);
        print_fastest(&scene->parts[CONFIG_DEFAULTS]);
    }
    printf(
        "\nAT: factorization and iterations, step: all of it; each step with its shortest time of "
        "%d.\n",
        table->repeats);
}

/* main.c: `corpus [OPTIONS] MODEL...` runs robots as they come and counts what their islands cost.
 *
 * Each model rests from its first keyframe and from its reference pose, moves with random controls,
 * and is thrown with random velocities. Islands are counted where the solver hands them out, each
 * with its own warm start and in closed loop: all solves of a step, not only its last one. The
 * linker puts __wrap_* between solve.c and the methods (CMakeLists.txt), so the library needs
 * nothing for it. Columns:
 *
 *     solves   per step                  solved   below the tolerance, percent
 *     factors  factorizations of a solve: mean, 95 %, most; sweeps: mean
 *     force    largest D λ of a solve that converged, in gravity × timestep
 *     forgiven largest contradiction of a solve that converged, in gravity × timestep
 *     missed   steps that missed the tolerance
 *     who      islands by the method that had the best forces
 *
 * `corpus [--steps N] [--demand] MODEL...`. With --demand the program fails where all runs together
 * miss the limits of `demand`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "../random.h"
#include "solver/block/block.h"
#include "solver/small/small.h"

enum { MOST_FACTORS = 1000 };

/* What an island costs, summed. */
typedef struct Tally {
    long steps, missed, solves, solved, factors, sweeps;
    long with[MOST_FACTORS + 1]; /* so many factorizations */
    long by[TN_METHOD_COUNT];
    int most;
    double force, forgiven, seconds;
} Tally;

static Tally now; /* of the run: one thread */

/* ---- counting ---- */

bool __real_tn_small_solve(TnProblem *, const TnSolverDef *, TnIslandResult *);
bool __real_tn_solve_island(TnProblem *, const TnSolverDef *, TnPlanCache *, TnPool *, bool,
                            TnIslandResult *);
bool __wrap_tn_small_solve(TnProblem *, const TnSolverDef *, TnIslandResult *);
bool __wrap_tn_solve_island(TnProblem *, const TnSolverDef *, TnPlanCache *, TnPool *, bool,
                            TnIslandResult *);

/* Largest D λ, m/s: only of islands that are full matrices. */
static double largest_force(TnProblem *p)
{
    TnSmall s;
    double most = 0.0;
    for (int i = 0; i < p->large_count; i++)
        if (!p->large[i].kind->full) return 0.0;
    size_t mark = tn_arena_mark(p->arena);
    if (!p->bond_count && tn_small_build(p, &s))
        for (int i = 0; i < s.n; i++) most = fmax(most, s.lever[i] * s.own[i] * fabs(s.lambda[i]));
    tn_arena_release(p->arena, mark);
    return most;
}

static void count(TnProblem *p, const TnSolverDef *def, const TnIslandReport *r)
{
    int factors = r->factorizations;
    now.solves++;
    now.solved += r->converged;
    now.factors += factors;
    now.sweeps += r->sweeps;
    now.with[factors < MOST_FACTORS ? factors : MOST_FACTORS]++;
    now.by[r->method]++;
    if (factors > now.most) now.most = factors;
    if (!r->converged) return;
    now.force = fmax(now.force, largest_force(p) / def->velocity_scale);
    now.forgiven = fmax(now.forgiven, r->contradiction / def->velocity_scale);
}

bool __wrap_tn_small_solve(TnProblem *p, const TnSolverDef *def, TnIslandResult *out)
{
    bool ok = __real_tn_small_solve(p, def, out);
    if (ok) count(p, def, &out->report);
    return ok;
}

bool __wrap_tn_solve_island(TnProblem *p, const TnSolverDef *def, TnPlanCache *plans, TnPool *pool,
                            bool was_small, TnIslandResult *out)
{
    bool ok = __real_tn_solve_island(p, def, plans, pool, was_small, out);
    if (ok) count(p, def, &out->report);
    return ok;
}

/* ---- printing ---- */

static int quantile(const Tally *t, double share)
{
    long sum = 0;
    for (int k = 0; k <= MOST_FACTORS; k++)
        if ((double)(sum += t->with[k]) >= share * (double)t->solves) return k;
    return MOST_FACTORS;
}

static double mean(const Tally *t, long sum)
{
    return t->solves ? (double)sum / (double)t->solves : 0.0;
}

static void print(const char *name, const char *run, const Tally *t)
{
    printf("%-24.24s %-9s %6.2f %7.2f %6.1f %4d %4d %7.1f %8.1e %8.1e %4ld/%-5ld %7.1f ", name, run,
           t->steps ? (double)t->solves / (double)t->steps : 0.0, 100.0 * mean(t, t->solved),
           mean(t, t->factors), quantile(t, 0.95), t->most, mean(t, t->sweeps), t->force,
           t->forgiven, t->missed, t->steps, t->steps ? 1e6 * t->seconds / (double)t->steps : 0.0);
    for (int k = 0; k < TN_METHOD_COUNT; k++)
        if (t->by[k]) printf(" %s %ld", tn_method_name((TnMethod)k), t->by[k]);
    printf("\n");
    fflush(stdout);
}

static void add(Tally *all, const Tally *t)
{
    all->steps += t->steps;
    all->missed += t->missed;
    all->solves += t->solves;
    all->solved += t->solved;
    all->factors += t->factors;
    all->sweeps += t->sweeps;
    all->seconds += t->seconds;
    for (int k = 0; k <= MOST_FACTORS; k++) all->with[k] += t->with[k];
    for (int k = 0; k < TN_METHOD_COUNT; k++) all->by[k] += t->by[k];
    if (t->most > all->most) all->most = t->most;
    all->force = fmax(all->force, t->force);
    all->forgiven = fmax(all->forgiven, t->forgiven);
}

/* ---- runs ---- */

enum { MOST_ACTUATORS = 1024, MOST_NUMBERS = 4096, HOLD = 50 /* steps a control stays */ };
typedef enum Run { KEY, REFERENCE, CONTROLS, THROWN, RUNS } Run;
static const char *const run_names[RUNS] = {"key", "reference", "controls", "thrown"};

static void draw_controls(const TnModel *model, TnWorld *world, Random *random)
{
    double ctrl[MOST_ACTUATORS] = {0};
    int n = tn_model_info(model).actuator_count;
    for (int k = 0; k < n && k < MOST_ACTUATORS; k++) {
        TnActuatorInfo info = tn_model_actuator_info(model, k + 1);
        double at = uniform(random), middle = 0.5 * (info.ctrl_range[0] + info.ctrl_range[1]);
        ctrl[k] =
            info.ctrl_limited ? middle + 0.5 * at * (info.ctrl_range[1] - info.ctrl_range[0]) : at;
    }
    TnError err = {0};
    if (n && n <= MOST_ACTUATORS) tn_world_set_ctrl(world, ctrl, &err);
}

static void throw(TnWorld * world, Random *random)
{
    TnStateView state = tn_world_state(world);
    double qpos[MOST_NUMBERS], qvel[MOST_NUMBERS];
    TnError err = {0};
    if (state.qpos_count > MOST_NUMBERS) return;
    memcpy(qpos, state.qpos, sizeof(double) * (size_t)state.qpos_count);
    for (int k = 0; k < state.dof_count; k++) qvel[k] = 2.0 * uniform(random);
    tn_world_set_state(world, qpos, qvel, &err);
}

static void one_run(const TnModel *model, Run run, int steps)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    Random random = {17};
    if (run != REFERENCE && tn_model_info(model).key_count) def.key = 1;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) return;
    if (run == THROWN) throw(world, &random);
    for (int k = 0; k < steps; k++) {
        if (run >= CONTROLS && k % HOLD == 0) draw_controls(model, world, &random);
        TnStepReport report = tn_world_step(world);
        now.steps++;
        now.missed += !report.converged;
        now.seconds += report.times.total;
        if (report.diverged) break;
    }
    tn_world_destroy(world);
}

/* "models/robot/scene.xml" → "robot" */
static void name_folder(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *from = slash;
    while (slash && from > path && from[-1] != '/') from--;
    snprintf(out, size, "%.*s", slash ? (int)(slash - from) : (int)strlen(path),
             slash ? from : path);
}

static void run_model(const char *path, int steps, Tally *all)
{
    TnError err = {0};
    TnModel *model = tn_model_load(path, &err);
    char name[64];
    name_folder(path, name, sizeof name);
    if (!model) {
        printf("%s: %.*s\n", name, (int)strcspn(err.message, "\n"), err.message);
        return;
    }
    for (Run run = KEY; run < RUNS; run++) {
        if (run == KEY && !tn_model_info(model).key_count) continue;
        now = (Tally){0};
        one_run(model, run, steps);
        print(name, run_names[run], &now);
        add(all, &now);
    }
    tn_model_destroy(model);
}

/* Of robots all of whose steps have a solution; docs/newton.md#small-islands has what 22 of them
 * need. */
static int demand(const Tally *t)
{
    struct {
        const char *what;
        double value, limit;
    } const limits[] = {
        {"solves that did not converge, percent", 100.0 - 100.0 * mean(t, t->solved), 0.5},
        {"factorizations, mean", mean(t, t->factors), 3.5},
        {"factorizations, 95 %", quantile(t, 0.95), 12.0},
        {"factorizations, most", t->most, 60.0},
        {"sweeps, mean", mean(t, t->sweeps), 20.0},
        {"force of a solve that converged, g t / D", t->force, 1e4},
    };
    int failed = 0, count = sizeof limits / sizeof *limits;
    for (int i = 0; i < count; i++) {
        if (limits[i].value <= limits[i].limit) continue;
        printf("    %s: %g, at most %g\n", limits[i].what, limits[i].value, limits[i].limit);
        failed++;
    }
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    static Tally all;
    int steps = 200, first = 1;
    bool demands = false;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (!strcmp(argv[first], "--demand"))
            demands = true;
        else if (!strcmp(argv[first], "--steps") && first + 1 < argc)
            steps = atoi(argv[++first]);
    }
    printf("%-24s %-9s %6s %7s %6s %4s %4s %7s %8s %8s %10s %7s  who\n", "", "run", "solves",
           "solved", "factors", "95%", "most", "sweeps", "force", "forgiven", "missed", "us");
    for (int i = first; i < argc; i++) run_model(argv[i], steps, &all);
    print("all", "", &all);
    return demands ? demand(&all) : 0;
}

/* judge.c: what steps are measured by. Energies around are kinetic and elastic energy, and
 * what gravity and actuators turned over so far; momentum is measured by √(2 M E), which no sum of
 * m |v| exceeds. */
#include "judge.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "math/vec3.h"

#define OVERLAP 1e-7       /* m: deeper than this at the start is no fair start */
#define LEAST_SPEED 0.01   /* m/s: energies of slower motion are not looked at */
#define SECONDS_AT_MOST 60 /* of processor time; other programs do not count */

const char *const finding_names[FINDING_COUNT] = {"energy",  "created", "lost",    "linear",
                                                  "angular", "depth",   "escaped", "diverged",
                                                  "crashed", "refused", "step",    "unconverged"};
/* lost: an amplitude that keeps 99 % in 10 s at 10 ms. Medians there of the kinds with contacts are
 * 9e-3 to 6e-2 where all moves with w = 1 that is pushed, and but for soft bodies below 1e-5 with
 * w = 0 and without scaling. */
const double finding_limits[FINDING_COUNT] = {
    [FINDING_ENERGY] = 0.01, [FINDING_CREATED] = 0.02, [FINDING_LOST] = 2e-3,
    [FINDING_STEP] = 0.1,    [FINDING_LINEAR] = 1e-9,  [FINDING_ANGULAR] = 1e-9,
    [FINDING_DEPTH] = 0.05,  [FINDING_ESCAPED] = 0.0};

/* J: what is missing after a step, from the states alone; and what the account says it took. */
typedef struct Loss {
    double sum, by_hit;
} Loss;

typedef struct Run {
    const Sketch *sketch;
    Verdict *verdict;
    TnWorld *world;
    const TnModel *model;
    TnModelInfo info;
    bool closed;
    double smallest;
    TnEnergy start;
    double linear[3], angular[3]; /* at the start */
    double most_kinetic;          /* J, so far */
    double around;                /* J, so far */
    double work, turned_over;     /* of actuators, J; signed and not */
    double created;
    double lost_by_step; /* J, as the account has it */
    bool damped;         /* by a material, which the account does not keep apart */
    Loss *losses;        /* of a lossless model, by step */
    int loss_count;
} Run;

static void note(Run *r, Finding f, double amount)
{
    Verdict *v = r->verdict;
    if (!(amount <= v->amount[f])) v->amount[f] = amount; /* NaN counts */
    if (v->step[f] == 0 && !(amount <= finding_limits[f])) v->step[f] = v->steps;
}

/* ---- energy ---- */

static double seconds(const Run *r) { return fmax(1.0, r->verdict->steps * r->sketch->timestep); }

/* Of what was around in the whole run, per second; of longer steps as much more as a rule of second
 * order may lose. */
static double lost_share(const Run *r, double lost)
{
    double steps = r->sketch->timestep / 0.01;
    return lost / (r->around * seconds(r) * fmax(0.25, steps * steps));
}

/* Up to the first step that hit or slipped, which takes more at once than a lasting contact may.
 * What is lost throughout the last quarter counts, for energy that comes back was not lost. */
static void judge_losses(Run *r)
{
    Verdict *v = r->verdict;
    double limit = finding_limits[FINDING_LOST], least = INFINITY;
    int count = 0;
    while (count < r->loss_count && lost_share(r, r->losses[count].by_hit) <= 0.5 * limit) count++;
    v->hit = count < r->loss_count;
    for (int k = count * 3 / 4; k < count; k++) least = fmin(least, r->losses[k].sum);
    if (count == 0) return;
    note(r, FINDING_LOST, lost_share(r, least));
    for (int k = 0; k < count && v->step[FINDING_LOST]; k++) {
        v->step[FINDING_LOST] = k + 1;
        if (lost_share(r, r->losses[k].sum) > limit) break;
    }
}

static void judge_energy(Run *r, const TnStepReport *report)
{
    TnEnergy now = tn_world_energy(r->world);
    double weight = (now.potential - now.elastic) - (r->start.potential - r->start.elastic);
    r->work += report->energy.actuators + report->energy.applied;
    r->turned_over += fabs(report->energy.actuators) + fabs(report->energy.applied);
    r->created += report->energy.created;
    r->most_kinetic = fmax(r->most_kinetic, now.kinetic);
    r->around = fmax(r->around, now.kinetic + now.elastic + fabs(weight));
    double gained = now.kinetic + now.potential - r->start.kinetic - r->start.potential - r->work;
    note(r, FINDING_ENERGY, gained / (r->around + r->turned_over));
    note(r, FINDING_CREATED, r->created / (r->around + r->turned_over));
    r->lost_by_step += report->energy.step;
    if (!r->damped) note(r, FINDING_STEP, r->lost_by_step / r->around / seconds(r));
    if (r->sketch->lossless)
        r->losses[r->loss_count++] =
            (Loss){-gained, report->energy.impacts + report->energy.friction};
}

/* ---- momentum ---- */

static double largest_distance(const Run *r)
{
    double most = 0.0, pos[3], quat[4];
    for (TnBodyId b = 2; b <= r->info.body_count; b++) {
        tn_world_body_pose(r->world, b, pos, quat);
        most = fmax(most, v3_norm(pos));
    }
    return most + 0.2; /* no part reaches much farther from its origin */
}

static double apart(const double a[3], const double b[3])
{
    double d[3];
    v3_sub(d, a, b);
    return v3_norm(d);
}

static void judge_momentum(Run *r)
{
    double linear[3], angular[3];
    double scale = sqrt(2.0 * r->info.total_mass * r->most_kinetic);
    if (!r->closed || scale < LEAST_SPEED * r->info.total_mass) return;
    tn_world_momentum(r->world, linear, angular);
    note(r, FINDING_LINEAR, apart(linear, r->linear) / scale);
    note(r, FINDING_ANGULAR, apart(angular, r->angular) / (scale * largest_distance(r)));
}

/* ---- walls ---- */

static const Part *walls_of(const Sketch *s)
{
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].kind == PART_STATIC && s->parts[i].form == FORM_WALLS) return &s->parts[i];
    return NULL;
}

static void judge_place(Run *r, const Part *walls, const double x[3])
{
    for (int k = 0; k < 3; k++)
        note(r, FINDING_ESCAPED, fabs(x[k] - walls->n[N_X + k]) - walls->n[N_SIZE_X + k]);
}

/* By centres of mass, which lie inside of every shape. */
static void judge_escape(Run *r)
{
    const Part *walls = walls_of(r->sketch);
    if (!walls) return;
    for (TnBodyId b = 2; b <= r->info.body_count; b++) {
        double pos[3], quat[4], com[3], arm[3];
        tn_world_body_pose(r->world, b, pos, quat);
        memcpy(com, tn_model_body_info(r->model, b).com, sizeof com);
        quat_rotate(arm, quat, com);
        v3_add(pos, pos, arm);
        judge_place(r, walls, pos);
    }
    for (TnSoftId s = 1; s <= r->info.soft_count; s++) {
        TnSoftInfo soft = tn_model_soft_info(r->model, s);
        const double *x = tn_world_state(r->world).qpos + soft.qpos_start;
        double middle[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < soft.node_count; k++)
            v3_add_scaled(middle, x + 3 * k, 1.0 / soft.node_count);
        judge_place(r, walls, middle);
    }
}

/* ---- a run ---- */

static bool finite_state(const TnWorld *world)
{
    TnStateView s = tn_world_state(world);
    for (int k = 0; k < s.qpos_count; k++)
        if (!isfinite(s.qpos[k])) return false;
    for (int k = 0; k < s.dof_count; k++)
        if (!isfinite(s.qvel[k])) return false;
    return true;
}

/* False: the run ends here. */
static bool judge_step(Run *r, int step)
{
    Verdict *v = r->verdict;
    TnStepReport report = tn_world_step(r->world);
    v->steps = step;
    if (step == 1 && report.max_penetration > OVERLAP) v->overlaps = true;
    if (report.diverged || !finite_state(r->world)) note(r, FINDING_DIVERGED, 1.0);
    if (v->overlaps || v->amount[FINDING_DIVERGED] > 0.0) return false;
    if (!report.converged) {
        v->amount[FINDING_UNCONVERGED] += 1.0 / r->sketch->steps;
        if (v->step[FINDING_UNCONVERGED] == 0) v->step[FINDING_UNCONVERGED] = step;
    }
    note(r, FINDING_DEPTH, report.max_penetration / r->smallest);
    judge_energy(r, &report);
    judge_momentum(r);
    judge_escape(r);
    return true;
}

static void judge_here(const Sketch *sketch, Verdict *verdict)
{
    TnError err = {0};
    TnModel *model = NULL;
    Run r = {.sketch = sketch, .verdict = verdict};
    free(sketch_text(sketch, &model, &err));
    TnWorldDef def = tn_world_def();
    def.key = model ? tn_model_find_key(model, "start") : 0;
    r.world = tn_world_create(&def, model, &err);
    r.model = model;
    if (!r.world) {
        verdict->amount[FINDING_REFUSED] = 1.0;
        snprintf(verdict->note, sizeof verdict->note, "%.255s", err.message);
        tn_model_destroy(model);
        return;
    }
    r.info = tn_model_info(model);
    r.closed = sketch_is_closed(sketch);
    r.damped = sketch_is_damped(sketch);
    r.smallest = sketch_smallest(sketch);
    r.start = tn_world_energy(r.world);
    tn_world_momentum(r.world, r.linear, r.angular);
    r.losses = calloc((size_t)sketch->steps, sizeof *r.losses);
    r.most_kinetic = r.start.kinetic;
    r.around = fmax(r.start.kinetic + r.start.elastic,
                    0.5 * r.info.total_mass * LEAST_SPEED * LEAST_SPEED);
    judge_escape(&r);
    verdict->overlaps =
        verdict_has(verdict, FINDING_ESCAPED) || tn_world_self_overlap_count(r.world) > 0;
    for (int k = 1; k <= sketch->steps && !verdict->overlaps; k++)
        if (!judge_step(&r, k)) break;
    judge_losses(&r);
    free(r.losses);
    tn_world_destroy(r.world);
    tn_model_destroy(model);
}

/* ---- in a process of its own ---- */

static void hand_over(int fd, const Verdict *verdict)
{
    const char *bytes = (const char *)verdict;
    for (size_t done = 0; done < sizeof *verdict;) {
        ssize_t n = write(fd, bytes + done, sizeof *verdict - done);
        if (n <= 0) return;
        done += (size_t)n;
    }
}

static bool receive(int fd, Verdict *verdict)
{
    char *bytes = (char *)verdict;
    for (size_t done = 0; done < sizeof *verdict;) {
        ssize_t n = read(fd, bytes + done, sizeof *verdict - done);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

void judge(const Sketch *sketch, Verdict *verdict)
{
    int ends[2], status = 0;
    memset(verdict, 0, sizeof *verdict);
    fflush(NULL);
    if (pipe(ends)) abort();
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS_AT_MOST, SECONDS_AT_MOST + 5});
        judge_here(sketch, verdict);
        hand_over(ends[1], verdict);
        _exit(0);
    }
    close(ends[1]);
    if (child < 0) abort();
    bool complete = receive(ends[0], verdict);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (complete && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    memset(verdict, 0, sizeof *verdict);
    verdict->amount[FINDING_CRASHED] = WIFSIGNALED(status) ? WTERMSIG(status) : 1.0;
    snprintf(verdict->note, sizeof verdict->note,
             WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? "took too long" : "crashed");
}

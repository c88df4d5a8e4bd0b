/* Runs a conservative scene with lasting contacts and compares its motion with a reference: how
 * much of it is kept, how far it lags. See lasting.h. */
#include "lasting.h"

#include "../common/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const LastingScene *const lasting_scenes[] = {
    &lasting_block, &lasting_cart, &lasting_rocker,  &lasting_routh, &lasting_knee,
    &lasting_belt,  &lasting_tree, &lasting_linkage, &lasting_arms,  &lasting_gripper,
    &lasting_cable, &lasting_cube, &lasting_crane,
};
const int lasting_scene_count = sizeof lasting_scenes / sizeof *lasting_scenes;

static const double GRID = 0.0005; /* s: where series are compared */

static LastingSeries series_new(Finding *f, double dt, double duration)
{
    LastingSeries s = {.dt = dt, .count = (int)lround(duration / dt) + 1};
    s.x = calloc((size_t)s.count, sizeof *s.x);
    if (!s.x) {
        s.count = 0;
        finding_trouble(f, "no memory");
    }
    return s;
}

void lasting_free(LastingSeries *series)
{
    free(series->x);
    *series = (LastingSeries){0};
}

/* By the polynomial through six neighbours. */
static double series_at(const LastingSeries *s, double t)
{
    enum { POINTS = 6 };
    double at = t / s->dt, sum = 0;
    int begin = (int)floor(at) - POINTS / 2 + 1;
    if (begin > s->count - POINTS) begin = s->count - POINTS;
    if (begin < 0) begin = 0;
    for (int i = 0; i < POINTS; i++) {
        double weight = 1;
        for (int j = 0; j < POINTS; j++)
            if (j != i) weight *= (at - begin - j) / (i - j);
        sum += weight * s->x[begin + i];
    }
    return sum;
}

static double series_end(const LastingSeries *s) { return (s->count - 1) * s->dt; }

/* Half of the range from `from` to `to`; *middle of it, if wanted. */
static double amplitude(const LastingSeries *s, double from, double to, double *middle)
{
    double low = INFINITY, high = -INFINITY;
    for (double t = from; t <= to; t += GRID) {
        double x = series_at(s, t);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    if (middle) *middle = 0.5 * (low + high);
    return 0.5 * (high - low);
}

/* Time at which x comes up through `middle` for the nth time; NaN if it does not. */
static double crossing(const LastingSeries *s, double middle, int n)
{
    double last = series_at(s, 0) - middle;
    for (double t = GRID; t <= series_end(s); t += GRID) {
        double x = series_at(s, t) - middle;
        if (last < 0 && x >= 0 && --n == 0) return t - GRID * x / (x - last);
        last = x;
    }
    return NAN;
}

/* The last crossing that both must have: half a window before the end. */
static double lag(const LastingScene *scene, const LastingSeries *s, const LastingSeries *right)
{
    double middle, first, at = NAN;
    int n = 0;
    amplitude(right, 0, scene->window, &middle);
    first = crossing(right, middle, 1);
    for (double t = first; t < scene->duration - 0.5 * scene->window;
         t = crossing(right, middle, n + 1)) {
        n++;
        at = t;
    }
    return n > 1 ? 2 * VERIFY_PI * (crossing(s, middle, n) - at) * (n - 1) / (at - first) : NAN;
}

static double apart(const LastingScene *scene, const LastingSeries *s, const LastingSeries *right)
{
    double worst = 0, size = amplitude(right, 0, scene->window, NULL);
    for (double t = 0; t <= scene->duration; t += GRID)
        worst = fmax(worst, fabs(series_at(s, t) - series_at(right, t)));
    return worst / size;
}

static double contact_force(const Sim *sim)
{
    double sum = 0;
    for (int i = 0; i < tn_world_contact_count(sim->world); i++) {
        TnContact c = tn_world_contact(sim->world, i);
        sum += sqrt(c.force[0] * c.force[0] + c.force[1] * c.force[1] + c.force[2] * c.force[2]);
    }
    return sum;
}

/* Mean energy of the first and of the last window, above `rest`. */
typedef struct Windows {
    double rest, first, last;
} Windows;

static void add_energy(Windows *w, const LastingScene *scene, const Sim *sim)
{
    double t = sim_time(sim), e = sim_energy(sim) - w->rest;
    if (t <= scene->window) w->first += e;
    if (t > scene->duration - scene->window) w->last += e;
}

LastingResult lasting_trace(Finding *f, const LastingScene *scene, double timestep,
                            const LastingSeries *reference, bool twin, LastingSeries *series)
{
    LastingResult r = {.kept = NAN, .phase = NAN, .apart = NAN, .least_force = INFINITY};
    LastingSeries s = series_new(f, timestep, scene->duration);
    int before = f->not_converged;
    *series = s;
    Sim sim = scene->open(f, timestep, twin);
    if (sim.world && s.count) {
        Windows windows = {.rest = tn_world_energy(sim.world).potential};
        s.x[0] = scene->coordinate(&sim, twin);
        double began = clock_seconds(), most = 0;
        for (int k = 1; k < s.count && sim_step(&sim); k++) {
            double force = contact_force(&sim);
            s.x[k] = scene->coordinate(&sim, twin);
            add_energy(&windows, scene, &sim);
            most = fmax(most, tn_world_energy(sim.world).kinetic);
            if (!(force > 0)) r.open_steps++;
            if (k > 1) r.least_force = fmin(r.least_force, force);
            r.steps++;
        }
        r.seconds = clock_seconds() - began;
        TnEnergyAccount account = tn_world_energy_account(sim.world);
        r.lost = account.step / (most * scene->duration);
        r.made = account.created / (most * scene->duration);
        r.not_converged = f->not_converged - before;
        r.kept = scene->by_energy
                     ? sqrt(fmax(0, windows.last) / windows.first)
                     : amplitude(&s, scene->duration - scene->window, scene->duration, NULL) /
                           amplitude(&s, 0, scene->window, NULL);
        *series = s;
    }
    sim_close(&sim);
    if (r.steps && reference && reference->count) {
        r.phase = lag(scene, &s, reference);
        r.apart = apart(scene, &s, reference);
    }
    return r;
}

LastingResult lasting_run(Finding *f, const LastingScene *scene, double timestep,
                          const LastingSeries *reference, bool twin)
{
    LastingSeries series;
    LastingResult r = lasting_trace(f, scene, timestep, reference, twin, &series);
    lasting_free(&series);
    return r;
}

LastingSeries lasting_reference(Finding *f, const LastingScene *scene)
{
    LastingSeries s;
    if (!scene->rate) {
        lasting_trace(f, scene, scene->finest, NULL, scene->twin, &s);
        return s;
    }
    double y[6];
    memcpy(y, scene->start, sizeof y);
    s = series_new(f, GRID, scene->duration);
    for (int k = 0; k < s.count; k++) {
        s.x[k] = y[0];
        ode_run(scene->rate, scene->system, y, scene->size, 0, GRID, 2);
    }
    return s;
}

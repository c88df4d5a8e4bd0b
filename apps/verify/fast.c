/* Fast bodies, seams, overlaps and stiff springs: what steps of up to 20 ms must not do. */
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double steps[5] = {0.001, 0.002, 0.005, 0.01, 0.02};

/* A ball of 10 mm at 100 m/s against a plate of 1 mm: how far its lowest point gets below the top
 * of the plate, at any step. */
static void bullet(Finding *f, const VerifyRow *row)
{
    (void)row;
    for (int i = 0; i < 5; i++) {
        Sim sim = sim_open(f, steps[i], "0 0 -9.81",
                           "<worldbody><geom type='box' pos='0 0 -.0005' size='1 1 .0005'/>"
                           "<body name='ball' pos='0 0 1.23'><freejoint/><geom size='.005' "
                           "mass='.01'/></body></worldbody>"
                           "<keyframe><key name='start' qvel='0 0 -100 0 0 0'/></keyframe>");
        double pos[3], lowest = 0;
        for (int k = 0; k < 40 && sim_step(&sim); k++) {
            sim_body_pos(&sim, "ball", pos);
            lowest = fmin(lowest, pos[2] - 0.005);
        }
        f->value = fmax(f->value, -lowest);
        sim_close(&sim);
    }
}

/* A rod that spins at 60 rad/s comes at a wall of 5 mm: how far its centre gets past it. */
static void spinner(Finding *f, const VerifyRow *row)
{
    (void)row;
    for (int i = 0; i < 5; i++) {
        Sim sim = sim_open(f, steps[i], "0 0 0",
                           "<worldbody><geom type='box' size='.0025 2 2'/><body name='rod' "
                           "pos='-.6 0 0'><freejoint/><geom type='capsule' fromto='-.2 0 0 .2 0 0' "
                           "size='.01' mass='1'/></body></worldbody>"
                           "<keyframe><key name='start' qvel='3 0 0 0 0 60'/></keyframe>");
        double pos[3], farthest = 0;
        while (sim.world && sim_time(&sim) < 1 && sim_step(&sim)) {
            sim_body_pos(&sim, "rod", pos);
            farthest = fmax(farthest, pos[0]);
        }
        f->value = fmax(f->value, farthest);
        sim_close(&sim);
    }
}

/* A box slides without friction from one fixed box onto the next: largest change of its speed. */
static void seam(Finding *f, const VerifyRow *row)
{
    (void)row;
    for (int i = 0; i < 5; i++) {
        Sim sim = sim_open(f, steps[i], "0 0 -9.81",
                           "<worldbody><geom type='box' pos='-1 0 -.1' size='1 1 .1' condim='1'/>"
                           "<geom type='box' pos='1 0 -.1' size='1 1 .1' condim='1'/>"
                           "<body name='box' pos='-.5 0 .05'><freejoint/><geom type='box' "
                           "size='.1 .1 .05' mass='1' condim='1'/></body></worldbody>"
                           "<keyframe><key name='start' qvel='2 0 0 0 0 0'/></keyframe>");
        double v[3], w[3];
        while (sim.world && sim_time(&sim) < 0.5 && sim_step(&sim)) {
            sim_body_velocity(&sim, "box", v, w);
            f->value = fmax(f->value, fmax(fabs(v[0] - 2), fabs(v[2])));
        }
        sim_close(&sim);
    }
}

/* A box that starts 2 cm deep in the ground: its fastest way up, at 20 ms over that at 1 ms. */
static double way_up(Finding *f, double timestep)
{
    Sim sim = sim_open(f, timestep, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1'/><body name='box' "
                       "pos='0 0 .03'><freejoint/><geom type='box' size='.1 .1 .05' mass='1'/>"
                       "</body></worldbody>");
    double v[3], w[3], most = 0;
    while (sim.world && sim_time(&sim) < 0.5 && sim_step(&sim)) {
        sim_body_velocity(&sim, "box", v, w);
        most = fmax(most, v[2]);
    }
    sim_close(&sim);
    return most;
}

static void push_out(Finding *f, const VerifyRow *row)
{
    (void)row;
    double slow = way_up(f, 0.001);
    f->value = way_up(f, 0.02) / slow;
    f->reference = 1;
    finding_note(f, "%.3g m/s, √(g d) is %.3g", slow, sqrt(9.81 * 0.02));
}

/* A spring of K presses 1 kg into the ground by 1 µm beyond its rest: force of the ground, and how
 * much energy steps create. Steps of 10 ms do not resolve it: K t²/m is 1e4 and 1e8. */
static void stiff(Finding *f, const VerifyRow *row)
{
    double K = row->number, force[3];
    Sim sim = sim_open(f, 0.01, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1'/><body name='box' pos='0 0 .1'>"
                       "<joint type='slide' axis='0 0 1' stiffness='%g' springref='-1e-6'/>"
                       "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>",
                       K);
    sim_run(&sim, 1);
    sim_contact_force(&sim, "box", force);
    f->value = force[2];
    f->reference = 9.81 + K * 1e-6;
    finding_note(f, "created %.2g J", tn_world_energy_account(sim.world).created);
    sim_close(&sim);
}

static const char at_steps[] = "nothing passes, at 1, 2, 5, 10 and 20 ms.";

static const VerifyRow rows[] = {
    {.name = "fast.bullet",
     .shows = "A ball of 10 mm at 100 m/s hits a plate of 1 mm: how deep it gets into it.",
     .source = at_steps,
     .unit = "m",
     .tolerance = 1e-6,
     .reason = "the gap is closed exactly; the solver's tolerance times the step.",
     .quick = true,
     .run = bullet},
    {.name = "fast.spinner",
     .shows =
         "A rod of 0.4 m spinning at 60 rad/s comes at a wall of 5 mm: how far its centre gets "
         "beyond it.",
     .source = at_steps,
     .unit = "m",
     .tolerance = 0,
     .reason = "it does not pass.",
     .quick = true,
     .run = spinner},
    {.name = "fast.seam",
     .shows = "A box slides from one fixed box onto the next: largest change of its velocity.",
     .source = "0: the seam is level. At 1, 2, 5, 10 and 20 ms.",
     .unit = "m/s",
     .tolerance = 5e-6,
     .reason = "the solver's tolerance, 2e-7 m/s in a step of 20 ms.",
     .quick = true,
     .run = seam},
    {.name = "fast.pushout",
     .shows = "A box starts 2 cm deep in the ground: its greatest speed upwards at 20 ms, as a "
              "fraction of that at 1 ms.",
     .source = "1: overlaps separate at a speed that does not depend on the step.",
     .unit = "",
     .tolerance = 0.01,
     .reason = "the step in which it is out.",
     .quick = true,
     .run = push_out},
    {.name = "fast.spring.1e8",
     .shows = "A spring of 1e8 N/m presses 1 kg against the ground, K t²/m = 1e4: force of the "
              "ground.",
     .source = "m g + K δ.",
     .unit = "N",
     .relative = true,
     .tolerance = 1e-3,
     .reason = "the solver's tolerance, 1e-6 g t, times t K.",
     .quick = true,
     .run = stiff,
     .number = 1e8},
    {.name = "fast.spring.1e12",
     .shows = "The same with 1e12 N/m, K t²/m = 1e8.",
     .source = "m g + K δ.",
     .unit = "N",
     .relative = true,
     .tolerance = 1e-3,
     .reason = "the same.",
     .quick = true,
     .run = stiff,
     .number = 1e12},
};

const VerifyFamily verify_fast = {"fast", "Fast and stiff", rows, sizeof rows / sizeof *rows};

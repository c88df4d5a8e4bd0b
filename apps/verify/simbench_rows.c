/* SimBenchmark: its scenes, with its measures of error, beside the published results of others. */
#include "../trials/simbench.h"
#include "families.h"

#include <math.h>
#include <string.h>

/* The scene is the middle of the row's name; row->number is the step. */
static void run(Finding *f, const VerifyRow *row)
{
    const char *name = strchr(row->name, '.') + 1;
    size_t length = strcspn(name, ".");
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    SimbenchRun r = {.t = row->number};
    for (int i = 0; i < simbench_scene_count; i++)
        if (strlen(simbench_scenes[i].name) == length &&
            !strncmp(simbench_scenes[i].name, name, length))
            r.scene = &simbench_scenes[i];
    if (!r.scene) {
        finding_trouble(f, "no such scene");
        return;
    }
    if (simbench_open(&r, &def, &err) != TN_OK) {
        tn_model_destroy(r.model);
        finding_trouble(f, "%.300s", err.message);
        return;
    }
    simbench_run(&r, r.scene->duration);
    f->value = r.error;
    f->not_converged = (int)r.unconverged;
    if (r.diverged) finding_trouble(f, "a step was rejected");
    finding_note(f, "largest in a step %.2g", r.worst);
}

#define OF "SimBenchmark (Hwangbo et al. 2018, ERP = CFM = 0). "
static const char solver_reason[] = "the square of what the solver's tolerance leaves.";
static const char rounding[] = "rounding.";

static const VerifyRow rows[] = {
    {.name = "simbench.rolling.1ms",
     .shows = "A box of 10 kg with 25 balls on it is pulled with 150 N, 4 s: mean of |Δv|² of the "
              "box and a ball.",
     .source = OF "RaiSim 4.1e-7, Bullet 3.9e-27, ODE 3.145, MuJoCo 7e-3 (Euler) and 2.6e-3 (RK4), "
                  "DART 3.145.",
     .unit = "m²/s²",
     .tolerance = 1e-12,
     .reason = solver_reason,
     .run = run,
     .number = 0.001},
    {.name = "simbench.rolling.10ms",
     .shows = "The same at 10 ms.",
     .source = OF "No figures of others.",
     .unit = "m²/s²",
     .tolerance = 1e-12,
     .reason = solver_reason,
     .quick = true,
     .run = run,
     .number = 0.01},
    {.name = "simbench.bouncing.1ms",
     .shows = "49 balls of 10 kg fall from 5 m, restitution 1, 20 s: mean of (E - E₀)².",
     .source = OF "RaiSim 0.0186, Bullet 7.5e4, ODE 185, DART 7.2e4.",
     .unit = "J²",
     .tolerance = 1e-12,
     .reason = rounding,
     .run = run,
     .number = 0.001},
    {.name = "simbench.bouncing.10ms",
     .shows = "The same at 10 ms.",
     .source = OF "RaiSim 186, Bullet 7.4e6, ODE 1.9e4, DART 7.4e6.",
     .unit = "J²",
     .tolerance = 1e-12,
     .reason = rounding,
     .quick = true,
     .run = run,
     .number = 0.01},
    {.name = "simbench.666.1ms",
     .shows = "A cube of 216 balls, 1 cm apart, falls apart without friction, 10 s: mean of the "
              "sum of squared depths.",
     .source = OF "RaiSim 1.4e-4, Bullet 0.38, ODE 1.5e-4, MuJoCo 0.095, DART 2.8e-4.",
     .unit = "m²",
     .tolerance = 1e-9,
     .reason = "depths below 0.1 mm.",
     .run = run,
     .number = 0.001},
    {.name = "simbench.666.10ms",
     .shows = "The same at 10 ms.",
     .source = OF "RaiSim 0.0153, Bullet 37, ODE 0.016, MuJoCo 0.93, DART 215.",
     .unit = "m²",
     .tolerance = 1e-6,
     .reason = "depths of some millimetres in a few steps.",
     .run = run,
     .number = 0.01},
    {.name = "simbench.elastic666.1ms",
     .shows = "The same cube from 1.1 m with restitution 1: mean of (E - E₀)², E₀ = 34 kJ.",
     .source = OF "RaiSim 8.4, Bullet 4.1e4, ODE 112, DART 3.5e5.",
     .unit = "J²",
     .tolerance = 8.4,
     .reason = "that of the best of the others. Impacts slower than 0.05 g t count as rest; 2 J of "
               "34 kJ are lost, none is gained.",
     .weak = true,
     .run = run,
     .number = 0.001},
    {.name = "simbench.elastic666.10ms",
     .shows = "The same at 10 ms.",
     .source = OF "No figures of others.",
     .unit = "J²",
     .tolerance = 2e4,
     .reason = "90 J of 34 kJ are lost.",
     .weak = true,
     .run = run,
     .number = 0.01},
    {.name = "simbench.momentum.1ms",
     .shows = "No gravity, a ball of 10 kg hits a quadruped of 34 kg (a generated one instead of "
              "ANYmal) at 5 m/s, 10 s: mean of |Δp|².",
     .source = OF "With ANYmal: RaiSim 4.7e-5, Bullet 2.7e-4, ODE 1e-27, MuJoCo 1.1e-3 and 5e-13, "
                  "DART 169.",
     .unit = "kg²m²/s²",
     .tolerance = 1e-20,
     .reason = rounding,
     .quick = true,
     .run = run,
     .number = 0.001},
    {.name = "simbench.momentum.10ms",
     .shows = "The same at 10 ms.",
     .source = OF "With ANYmal: RaiSim 5.4e-3, Bullet 0.023, ODE 4e-28, MuJoCo 0.016 and 2.4e-5, "
                  "DART 105.",
     .unit = "kg²m²/s²",
     .tolerance = 1e-20,
     .reason = rounding,
     .quick = true,
     .run = run,
     .number = 0.01},
    {.name = "simbench.energy.1ms",
     .shows = "The quadruped is lifted by twice its weight for 1 s, then free for 2 s: mean of "
              "(E - E₀)² of the latter.",
     .source = OF "With ANYmal: RaiSim 0.0118, Bullet 3.65, ODE 3.9, MuJoCo 3.48 and 1.6e-17, DART "
                  "237.",
     .unit = "J²",
     .tolerance = 1e-18,
     .reason = rounding,
     .quick = true,
     .run = run,
     .number = 0.001},
    {.name = "simbench.energy.10ms",
     .shows = "The same at 10 ms.",
     .source =
         OF "With ANYmal: RaiSim 1.40, Bullet 343, ODE 378, MuJoCo 344 and 5.6e-11, DART 918.",
     .unit = "J²",
     .tolerance = 1e-18,
     .reason = rounding,
     .quick = true,
     .run = run,
     .number = 0.01},
};

const VerifyFamily verify_simbench = {"simbench", "SimBenchmark", rows, sizeof rows / sizeof *rows};

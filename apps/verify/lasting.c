/* Rows on conservative scenes with lasting contacts: what is left of their motion, and the order in
 * which errors of amplitude and phase vanish. The scenes are in lasting_*.c. */
#include "lasting.h"
#include "families.h"

#include <math.h>

enum { FOUR = 4 };
static const double usual[FOUR] = {0.001, 0.002, 0.005, 0.01};

static const LastingScene *scene_of(const VerifyRow *row)
{
    return lasting_scenes[(int)row->number];
}

static void draw(Finding *f, const char *name, const LastingSeries *s, bool dashed)
{
    int curve = dashed ? finding_reference_curve(f, name) : finding_curve(f, name);
    int every = (int)fmax(1, round(0.01 / s->dt)); /* no more points than the coarse one has */
    for (int k = 0; k < s->count; k += every) finding_point(f, curve, k * s->dt, s->x[k]);
}

/* The one that is furthest from 1 is the row's value. */
static void note_kept(Finding *f, double timestep, double kept)
{
    finding_note(f, "%g ms: %.4f", timestep * 1e3, kept);
    if (!(fabs(kept - 1) <= fabs(f->value - 1))) f->value = kept; /* NaN counts */
}

static LastingResult run_one(Finding *f, const LastingScene *scene, double timestep,
                             const LastingSeries *reference, LastingSeries *series)
{
    LastingResult r = lasting_trace(f, scene, timestep, reference, false, series);
    if (r.open_steps && !scene->tied)
        finding_trouble(f, "no contact force in %d steps of %g ms", r.open_steps, timestep * 1e3);
    return r;
}

static void kept(Finding *f, const VerifyRow *row)
{
    const LastingScene *scene = scene_of(row);
    LastingSeries reference = lasting_reference(f, scene), series;
    f->value = f->reference = 1;
    finding_axes(f, "time, s", scene->coordinate_name);
    for (int k = 0; k < FOUR; k++) {
        LastingResult r = run_one(f, scene, usual[k], &reference, &series);
        note_kept(f, usual[k], r.kept);
        if (k == FOUR - 1) {
            finding_note(f, "lag at the end %.3g rad", r.phase);
            draw(f, "tenon, 10 ms", &series, false);
        }
        lasting_free(&series);
    }
    draw(f, "reference", &reference, true);
    lasting_free(&reference);
}

/* Largest of all scenes. */
static void account(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = f->reference = 0;
    for (int i = 0; i < lasting_scene_count; i++) {
        LastingResult r = lasting_run(f, lasting_scenes[i], 0.01, NULL, false);
        finding_note(f, "%s %.1e", lasting_scenes[i]->name, fabs(r.lost) + fabs(r.made));
        f->value = fmax(f->value, fabs(r.lost) + fabs(r.made));
    }
}

static void kept_coarse(Finding *f, const VerifyRow *row)
{
    const LastingScene *scene = scene_of(row);
    LastingSeries reference = lasting_reference(f, scene), series;
    LastingResult r = run_one(f, scene, 0.02, &reference, &series);
    f->value = r.kept;
    f->reference = 1;
    finding_note(f, "lag at the end %.3g rad", r.phase);
    lasting_free(&series);
    lasting_free(&reference);
}

/* Higher orders hold, too. Errors as large as the motion have none. */
static void order_of(Finding *f, const double *sizes, const double *errors, int count)
{
    finding_order(f, "step, s", sizes, errors, count, 2);
    f->value = fmin(f->value, 2);
    if (!(errors[0] < 0.5))
        finding_trouble(f, "off by %.3g amplitudes at %g ms", errors[0], sizes[0] * 1e3);
}

static void order(Finding *f, const VerifyRow *row)
{
    static const double slow[3] = {0.004, 0.002, 0.001}, fast[3] = {0.002, 0.001, 0.0005};
    const LastingScene *scene = scene_of(row);
    const double *sizes = scene->fast ? fast : slow;
    LastingSeries reference = lasting_reference(f, scene);
    double errors[3];
    for (int k = 0; k < 3; k++)
        errors[k] = lasting_run(f, scene, sizes[k], &reference, false).apart;
    order_of(f, sizes, errors, 3);
    lasting_free(&reference);
}

/* ---- bodies that roll on a rim ---- */

static void coin(Finding *f, const VerifyRow *row)
{
    double lag, apart;
    f->value = f->reference = 1;
    finding_axes(f, "x, m", "y, m");
    (void)row;
    for (int k = 0; k < FOUR; k++) {
        if (k) finding_free(f); /* the last path is drawn */
        note_kept(f, usual[k], lasting_coin(f, usual[k], 10, &lag, &apart));
    }
    finding_note(f, "lag after 10 s at 10 ms %.3g rad", lag);
}

static void coin_order(Finding *f, const VerifyRow *row)
{
    static const double sizes[3] = {0.001, 0.0005, 0.00025};
    double errors[3], lag;
    (void)row;
    for (int k = 0; k < 3; k++) {
        lasting_coin(f, sizes[k], 5, &lag, &errors[k]);
        finding_free(f);
    }
    order_of(f, sizes, errors, 3);
}

static void disk(Finding *f, const VerifyRow *row)
{
    finding_axes(f, "time, s", "energy, of that at the start");
    f->value = lasting_disk(f, row->number, 1);
    f->reference = 1;
}

static void tippe(Finding *f, const VerifyRow *row)
{
    finding_axes(f, "time, s", "angle of the axis, rad");
    lasting_tippe(f, row->number, 3, &f->value);
    f->reference = 0.1;
}

/* clang-format off */
#define PUSHED "√E, E the energy above equilibrium: "
#define RANGE "its range in the last 2 s over that in the first 2 s: "
#define COARSE .tolerance = 0.03, .reason = "the same, four times as large."
#define COARSE_ROUTH                                                                               \
    .tolerance = 0.04,                                                                             \
    .reason = "3 %, where 10 ms are 0.4 % off: the ball turns by 0.16 to 0.18 rad per step."
#define SCENE_ROWS(INDEX, NAME, SHOWS, KEPT, SOURCE, QUICK, AT_20_MS)                                \
    {.name = "lasting." NAME,                                                                      \
     .shows = SHOWS ": what is left of the motion after 10 s at 1, 2, 5 and 10 ms (" KEPT          \
              "the one furthest from 1).",                                                         \
     .source = "1: nothing dissipates. Drawn: " SOURCE,                                            \
     .unit = "of the motion",                                                                      \
     .tolerance = 0.01,                                                                            \
     .reason = "errors of second order that do not add up: energy at the ends of steps swings by " \
               "(ωt)²/8; a loss of first order would be ω² t/4 per second.",                       \
     .quick = QUICK,                                                                               \
     .run = kept,                                                                                  \
     .number = INDEX},                                                                             \
    {.name = "lasting." NAME ".coarse",                                                            \
     .shows = "The same at 20 ms.",                                                                \
     .source = "the same.",                                                                        \
     .unit = "of the motion",                                                                      \
     AT_20_MS,                                                                                     \
     .run = kept_coarse,                                                                           \
     .number = INDEX},                                                                             \
    {.name = "lasting." NAME ".order",                                                             \
     .shows = "The same at three steps: order of convergence of the largest distance from the "    \
              "reference in 10 s, which holds errors of amplitude and of phase; more than 2 "      \
              "counts as 2.",                                                                      \
     .source = "second order; reference: " SOURCE,                                                 \
     .unit = "",                                                                                   \
     .tolerance = 0.15,                                                                            \
     .reason = "the next order in the step: errors must fall by 3.6 when it halves.",              \
     .run = order,                                                                                 \
     .number = INDEX}
/* clang-format on */

static const VerifyRow rows[] = {
    SCENE_ROWS(0, "block", "A block on a frictionless floor, on a horizontal spring of 10 rad/s",
               RANGE, "A cos ωt.", true, COARSE),
    SCENE_ROWS(1, "cart",
               "A pendulum hinged to a cart, a free body that lies on a frictionless floor", RANGE,
               "its equation of motion, integrated in the row.", true, COARSE),
    SCENE_ROWS(2, "rocker", "A ball with a low centre of mass rocks without slipping", RANGE,
               "its equation of motion, integrated in the row.", true, COARSE),
    SCENE_ROWS(
        3, "routh", "The same ball spins about the vertical and nods as it rolls (Routh's sphere)",
        RANGE, "rolling without slip (Routh 1868), integrated in the row.", true, COARSE_ROUTH),
    SCENE_ROWS(4, "knee", "A body on a spring of 20 rad/s above a foot that stays on the floor",
               RANGE, "A cos ωt.", true, COARSE),
    SCENE_ROWS(5, "belt",
               "A block on a spring of 10 rad/s slides on a belt that is always faster, µ = 0.4",
               RANGE, "µmg/k + A cos ωt: friction is a constant force.", true, COARSE),
    SCENE_ROWS(
        6, "tree",
        "A chain of three sprung hinges stands on a base that slides on a frictionless floor",
        PUSHED, "tenon at 0.125 ms with a slide in place of the floor.", false, COARSE),
    SCENE_ROWS(7, "linkage",
               "A sprung four-bar linkage whose coupler slides on a frictionless table", RANGE,
               "A cos ωt: the coupler does not turn.", false, COARSE),
    SCENE_ROWS(8, "arms",
               "Two arms swing a bar that lies on their round hands, which roll under it", RANGE,
               "their equation of motion, integrated in the row.", false, COARSE),
    SCENE_ROWS(9, "gripper", "Two sprung fingers pinch a block from which a pendulum swings", RANGE,
               "the pendulum's equation, integrated in the row.", false, COARSE),
    SCENE_ROWS(10, "cable",
               "A cable leans on a frictionless post; its free end swings below it, along the post",
               PUSHED, "tenon at 0.125 ms.", false, COARSE),
    SCENE_ROWS(11, "cube", "A soft cube shakes up and down on a rough floor at some 8 rad/s",
               PUSHED, "tenon at 0.125 ms with pinned nodes in place of the floor.", false, COARSE),
    SCENE_ROWS(12, "crane",
               "A load of 1 kg, welded to a cable that a point of the world holds, swings", PUSHED,
               "tenon at 0.125 ms.", false, COARSE),
    {.name = "lasting.account",
     .shows =
         "Energy that the account calls lost in steps or created, at 10 ms: the largest of these "
         "scenes.",
     .source = "0: nothing in them dissipates.",
     .unit = "of the kinetic energy, per s",
     .tolerance = 1.5e-3,
     .reason = "a thousandth, and half of one for the cable, whose bending is not resolved.",
     .run = account},
    {.name = "lasting.coin",
     .shows = "A coin of 0.2 m rolls on a circle of 0.6 m radius, leaning: width of its last round "
              "in 10 s at 1, 2, 5 and 10 ms, over that of the first (the one furthest from 1).",
     .source = "steady rolling: the balance of moments, linear in the spin, solved in the row.",
     .unit = "of the circle",
     .tolerance = 0.01,
     .reason = "as lasting.block; the coin turns by 0.12 rad in 10 ms. Steps of 12.5 ms hold, too; "
               "at 15 ms it leaves the circle and falls within a second.",
     .run = coin},
    {.name = "lasting.coin.order",
     .shows = "The same at three steps: order of convergence of the largest distance from the "
              "steady motion in 5 s; more than 2 counts as 2.",
     .source = "second order.",
     .unit = "",
     .tolerance = 0.15,
     .reason = "the next order in the step.",
     .run = coin_order},
    {.name = "lasting.disk",
     .shows = "Euler's disk without rolling resistance, leaning by 0.4 rad, its centre at rest, at "
              "5 ms: its energy after 1 s.",
     .source = "1: steady motion, Ω² = 4 g / (R sin θ) for a thin disk.",
     .unit = "of that at the start",
     .tolerance = 0.02,
     .reason = "it turns by 0.16 rad in a step; second order.",
     .quick = true,
     .run = disk,
     .number = 0.005},
    {.name = "lasting.tippe",
     .shows = "A tippe top of 2 cm with 150 rad/s whose point of contact obeys Coulomb's law, at "
              "1 ms: largest angle of its axis in 3 s.",
     .source = "0.1 rad, that of the start: it stops slipping within 0.1 s, and a ball that rolls "
               "without slip does not turn over (Routh 1868). Errors of first order act like slip "
               "and turn it over.",
     .unit = "rad",
     .tolerance = 0.01,
     .reason = "it wobbles below that of the start.",
     .quick = true,
     .run = tippe,
     .number = 0.001},
    {.name = "lasting.tippe.coarse",
     .shows = "The same at 10 ms, 1.5 rad per step.",
     .source = "the same.",
     .unit = "rad",
     .tolerance = 0.01,
     .reason = "the same.",
     .quick = true,
     .run = tippe,
     .number = 0.01},
};

const VerifyFamily verify_lasting = {"lasting", "Motion that lasting contacts must keep", rows,
                                     sizeof rows / sizeof *rows};

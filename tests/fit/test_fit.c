/* Fits against motions in closed form, against parameters that made the data, and what they refuse.
 */
#include <tenon/tenon.h>

#include "../check.h"
#include "../io/mjcf_text.h"
#include "../random.h"
#include "base/base.h"

/* A slider on a spring with dry friction, pushed by a force that is known. */
static const char *const slider =
    "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody>"
    "<body name='cart'><joint name='x' type='slide' axis='1 0 0' stiffness='40' damping='4' "
    "frictionloss='2'/><geom name='g' type='box' size='.1 .1 .1' mass='2'/>"
    "<site name='tip' pos='0.1 0 0'/></body>"
    "<body name='other' pos='0 3 0'><joint name='y' type='slide' axis='1 0 0' damping='1'/>"
    "<geom size='.1' mass='1'/></body>"
    "</worldbody><actuator><motor joint='x'/></actuator>"
    "<sensor><jointpos joint='x'/><jointvel joint='x'/></sensor></mujoco>";

enum { ROWS = 151, MOST_CHANNELS = 3 };
typedef struct Log {
    double times[ROWS], ctrl[ROWS], measured[ROWS * MOST_CHANNELS];
    TnFitRun run;
} Log;

static const TnFitParameter *the_four(TnFitParameter p[4])
{
    p[0] = tn_fit_parameter(TN_PARAMETER_MASS, 2, 0);
    p[1] = tn_fit_parameter(TN_PARAMETER_STIFFNESS, 1, 0);
    p[2] = tn_fit_parameter(TN_PARAMETER_DAMPING, 1, 0);
    p[3] = tn_fit_parameter(TN_PARAMETER_FRICTION_LOSS, 1, 0);
    return p;
}
static const double truth[4] = {2.0, 40.0, 4.0, 2.0};

/* The same without friction, which has kinks. */
static TnModel *smooth_slider(void)
{
    char text[2048];
    snprintf(text, sizeof text, "%s", slider);
    memcpy(strstr(text, "frictionloss='2'"), "frictionloss='0'", 16);
    return load_text(text, NULL);
}

static double log_of(double x) { return log(x); }

static double gauss(Random *random)
{
    double sum = 0.0;
    for (int i = 0; i < 12; i++) sum += uniform(random);
    return 0.5 * sum; /* twelve of variance 1/3 */
}

/* What the slider does, with noise. */
static void slide(Log *log, const TnModel *model, double sigma, Random *random)
{
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = 1e-12;
    TnWorld *world = tn_world_create(&def, model, NULL);
    double qpos[2] = {0.1, 0.0}, qvel[2] = {0.0, 0.0};
    tn_world_set_state(world, qpos, qvel, NULL);
    for (int k = 0; k < ROWS; k++) {
        double t = 0.01 * k;
        log->times[k] = 7.0 + t; /* clocks start anywhere */
        log->ctrl[k] = 25.0 * sin(9.0 * t) + 15.0 * sin(23.0 * t);
        log->measured[k] = tn_world_state(world).qpos[0] + sigma * (random ? gauss(random) : 0.0);
        tn_world_set_ctrl(world, &log->ctrl[k], NULL);
        for (int i = 0; i < 5; i++) tn_world_step(world);
    }
    tn_world_destroy(world);
    static const double start[2] = {0.1, 0.0};
    log->run = (TnFitRun){.sample_count = ROWS,
                          .times = log->times,
                          .ctrl = log->ctrl,
                          .qpos = start,
                          .measured = log->measured};
}

static const TnFitChannel place = {.kind = TN_FIT_QPOS, .index = 0, .sigma = 1e-3};

static TnFitDef def_of(const TnFitParameter *p, int count, const Log *log)
{
    TnFitDef def = tn_fit_def();
    def.parameters = p;
    def.parameter_count = count;
    def.channels = &place;
    def.channel_count = 1;
    def.runs = &log->run;
    def.run_count = 1;
    return def;
}

static TnFit *solved(const TnModel *model, const TnFitDef *def)
{
    TnError err = {0};
    TnFit *fit = tn_fit_create(model, def, &err);
    if (!fit || tn_fit_solve(fit, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "no fit: %s", err.message);
    return fit;
}

TEST(four_parameters_of_a_slider_that_start_off_by_up_to_two_are_found)
{
    TnModel *model = load_text(slider, NULL);
    static Log log;
    slide(&log, model, 0.0, NULL);
    Random random = {5};
    for (int method = 0; method < TN_FIT_METHOD_COUNT; method++)
        for (int trial = 0; trial < UNLESS_SANITIZED(method ? 1 : 2, 1); trial++) {
            TnFitParameter p[4];
            the_four(p);
            for (int i = 0; i < 4; i++) p[i].start = truth[i] * pow(2.0, uniform(&random));
            TnFitDef def = def_of(p, 4, &log);
            def.method = (TnFitMethod)method;
            TnFit *fit = solved(model, &def);
            TnFitView v = tn_fit_view(fit);
            /* the data have no noise: what is left is how far steps go on, 1e-7 of a deviation */
            for (int i = 0; i < 4; i++) CHECK_NEAR(v.values[i] / truth[i], 1.0, 1e-6);
            CHECK(v.end == TN_FIT_CONVERGED && v.shown_count == 4 && v.iterations < 60);
            if (getenv("TENON_FIT_SHOW"))
                printf("    method %d: %d iterations, %.1f rollouts, chi2 %.2g from %.2g\n", method,
                       v.iterations, v.rollouts, v.chi2, v.start_chi2);
            tn_fit_destroy(fit);
        }
    tn_model_destroy(model);
}

TEST(both_methods_find_the_same_slopes)
{
    TnModel *model = smooth_slider();
    static Log log;
    slide(&log, model, 0.0, NULL);
    double singular[2][3], free_start[4] = {1e-2, 0.0, INFINITY, 0.0}, offset = 0.1;
    log.run.start_sigma = free_start;
    TnFitChannel channels[3] = {place,
                                {.kind = TN_FIT_SITE, .id = 1, .index = 0, .sigma = 0.01},
                                {.kind = TN_FIT_QVEL, .index = 0, .sigma = 0.1}};
    static double all[ROWS * 3];
    for (int k = 0; k < ROWS; k++) {
        all[3 * k] = log.measured[k];
        all[3 * k + 1] = log.measured[k] + offset;
        all[3 * k + 2] = k ? (log.measured[k] - log.measured[k - 1]) / 0.01 : 0.0;
    }
    log.run.measured = all;
    for (int method = 0; method < 2; method++) {
        TnFitParameter p[4];
        the_four(p);
        TnFitDef def = def_of(p, 3, &log);
        def.method = (TnFitMethod)method;
        def.channels = channels;
        def.channel_count = 3;
        TnFit *fit = solved(model, &def);
        TnFitView v = tn_fit_view(fit);
        CHECK(v.end == TN_FIT_CONVERGED && v.unknown_count == 5);
        for (int i = 0; i < 3; i++) singular[method][i] = v.singular_values[i];
        tn_fit_destroy(fit);
    }
    /* differences to one side, over up to 1e-3 */
    for (int i = 0; i < 3; i++) CHECK_NEAR(singular[0][i] / singular[1][i], 1.0, 2e-3);
    tn_model_destroy(model);
}

TEST(estimates_from_noisy_data_scatter_as_the_standard_errors_say)
{
    TnModel *model = load_text(slider, NULL);
    static Log log;
    Random random = {11};
    const int seeds = UNLESS_SANITIZED(5, 1);
    TnFitChannel rough = place;
    rough.sigma = 3e-3; /* what a step of friction does is well below it */
    double sum = 0.0, chi2 = 0.0;
    for (int seed = 0; seed < seeds; seed++) {
        slide(&log, model, rough.sigma, &random);
        TnFitParameter p[4];
        the_four(p);
        for (int i = 0; i < 4; i++) p[i].start = 1.3 * truth[i];
        TnFitDef def = def_of(p, 4, &log);
        def.channels = &rough;
        TnFit *fit = solved(model, &def);
        TnFitView v = tn_fit_view(fit);
        /* (p - truth)ᵀ C⁻¹ (p - truth), by directions: s² times the square of the part along it */
        for (int k = 0; k < 4; k++) {
            double along = 0.0;
            for (int i = 0; i < 4; i++)
                along += v.directions[4 * k + i] * log_of(v.values[i] / truth[i]);
            sum += along * along * v.singular_values[k] * v.singular_values[k];
        }
        for (int i = 0; i < 4; i++) CHECK(fabs(v.values[i] - truth[i]) < 5.0 * v.sigma[i]);
        CHECK_NEAR(v.rms[0], 3e-3, 9e-4); /* of 151 numbers: ± 6 %, five times that */
        chi2 += v.chi2;
        CHECK(v.measurement_count == ROWS && v.unknown_count == 4);
        tn_fit_destroy(fit);
    }
    /* chi² of 4 per seed, and of 147: means ± 5 deviations, √(2n) */
    CHECK_NEAR(sum, 4.0 * seeds, 5.0 * sqrt(8.0 * seeds));
    CHECK_NEAR(chi2, 147.0 * seeds, 5.0 * sqrt(2.0 * 147.0 * seeds));
    tn_model_destroy(model);
}

TEST(a_spring_and_damper_are_found_from_their_motion_in_closed_form)
{
    TnModel *model = load_text(
        "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><body><joint name='x' "
        "type='slide' axis='1 0 0' stiffness='10' damping='0.3'/><geom size='.1' mass='2'/></body>"
        "</worldbody></mujoco>",
        NULL);
    const double m = 2.0, k = 50.0, c = 0.8, x0 = 0.2;
    double decay = c / (2.0 * m), omega = sqrt(k / m - decay * decay);
    static Log log;
    for (int i = 0; i < ROWS; i++) {
        double t = 0.01 * i;
        log.times[i] = t;
        log.measured[i] = x0 * exp(-decay * t) * (cos(omega * t) + decay / omega * sin(omega * t));
    }
    double qpos[1] = {x0};
    log.run = (TnFitRun){
        .sample_count = ROWS, .times = log.times, .qpos = qpos, .measured = log.measured};
    TnFitParameter p[2] = {tn_fit_parameter(TN_PARAMETER_STIFFNESS, 1, 0),
                           tn_fit_parameter(TN_PARAMETER_DAMPING, 1, 0)};
    TnFitDef def = def_of(p, 2, &log);
    TnFit *fit = solved(model, &def);
    TnFitView v = tn_fit_view(fit);
    /* steps are of second order: (ω t)² / 12 = 8e-6 of the frequency */
    CHECK_NEAR(v.values[0] / k, 1.0, 5e-5);
    CHECK_NEAR(v.values[1] / c, 1.0, 1e-3);
    tn_fit_destroy(fit);
    tn_model_destroy(model);
}

/* φ'' = -(g/l) sin φ - d φ', by Runge and Kutta's steps of 0.1 ms. */
static void swing(double *phi, double *omega, double pull, double drag, double t)
{
    const double h = 1e-4;
    for (int i = 0; i < (int)(t / h + 0.5); i++) {
        double k[4][2], x = *phi, w = *omega;
        for (int s = 0; s < 4; s++) {
            double a = s == 3 ? h : 0.5 * h;
            double px = s ? x + a * k[s - 1][0] : x, pw = s ? w + a * k[s - 1][1] : w;
            k[s][0] = pw;
            k[s][1] = -pull * sin(px) - drag * pw;
        }
        *phi = x + h / 6.0 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        *omega = w + h / 6.0 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    }
}

static const char *const pendulum =
    "<mujoco><option timestep='0.002'/><worldbody><body><joint name='hinge' axis='0 1 0' "
    "damping='0.1'/><inertial pos='0 0 -0.5' mass='1.2' diaginertia='1e-9 1e-9 1e-9'/></body>"
    "</worldbody></mujoco>";

TEST(gravity_and_damping_of_a_pendulum_are_found_though_its_start_is_not_known)
{
    TnModel *model = load_text(pendulum, NULL);
    const double g = 9.5, l = 0.5, m = 1.2, d = 0.05;
    static Log log;
    double phi = 1.2, omega = -0.7;
    for (int i = 0; i < ROWS; i++) {
        log.times[i] = 0.01 * i;
        log.measured[i] = i % 7 == 3 ? NAN : phi; /* some rows are missing */
        swing(&phi, &omega, g / l, d / (m * l * l), 0.01);
    }
    double guess[1] = {1.0}, still[1] = {0.0}, unknown[2] = {INFINITY, INFINITY};
    log.run = (TnFitRun){.sample_count = ROWS,
                         .times = log.times,
                         .qpos = guess,
                         .qvel = still,
                         .start_sigma = unknown,
                         .measured = log.measured};
    TnFitParameter p[2] = {tn_fit_parameter(TN_PARAMETER_GRAVITY, 0, 2),
                           tn_fit_parameter(TN_PARAMETER_DAMPING, 1, 0)};
    TnFitDef def = def_of(p, 2, &log);
    TnFit *fit = solved(model, &def);
    TnFitView v = tn_fit_view(fit);
    /* second order again: (ω t)² / 12 = 6e-6 */
    CHECK_NEAR(v.values[0] / -g, 1.0, 1e-4);
    CHECK_NEAR(v.values[1] / d, 1.0, 2e-3);
    double qpos, qvel;
    CHECK(tn_fit_simulated(fit, 0, NULL, &qpos, &qvel, NULL, NULL) == TN_OK);
    CHECK_NEAR(qpos, 1.2, 1e-4);
    CHECK_NEAR(qvel, -0.7, 1e-3);
    CHECK(v.unknown_count == 4);
    tn_fit_destroy(fit);
    tn_model_destroy(model);
}

TEST(what_the_data_do_not_show_stays_and_is_named)
{
    TnModel *model = load_text(slider, NULL);
    static Log log;
    slide(&log, model, 0.0, NULL);
    for (int k = 0; k < ROWS; k++) log.ctrl[k] = 0.0; /* no force is known: only ratios show */
    TnWorldDef world_def = tn_world_def();
    TnWorld *world = tn_world_create(&world_def, model, NULL);
    double qpos[2] = {0.1, 0.0};
    tn_world_set_state(world, qpos, NULL, NULL);
    for (int k = 0; k < ROWS; k++) {
        log.measured[k] = tn_world_state(world).qpos[0];
        for (int i = 0; i < 5; i++) tn_world_step(world);
    }
    tn_world_destroy(world);
    TnFitParameter p[5];
    the_four(p);
    p[4] = tn_fit_parameter(TN_PARAMETER_DAMPING, 2, 0); /* of the cart that nothing moves */
    for (int i = 0; i < 4; i++) p[i].start = truth[i] * (i % 2 ? 1.2 : 0.9);
    TnFitDef def = def_of(p, 5, &log);
    TnFit *fit = solved(model, &def);
    TnFitView v = tn_fit_view(fit);
    CHECK(v.shown_count == 3 && v.shown[2] && !v.shown[3] && !v.shown[4]);
    CHECK(v.values[4] == 1.0 && isinf(v.sigma[4]) && isinf(v.sigma[0]));
    /* the product of all four stays; ratios are found */
    double product = 1.0, before = 1.0;
    for (int i = 0; i < 4; i++) {
        product *= v.values[i];
        before *= p[i].start;
    }
    CHECK_NEAR(product / before, 1.0, 1e-3); /* slopes over 1e-2 are off by its square */
    for (int i = 1; i < 4; i++)
        CHECK_NEAR(v.values[i] / v.values[0], truth[i] / truth[0], 1e-3 * truth[i] / truth[0]);
    char text[256], all[512] = "";
    for (int k = 3; k < 5; k++) {
        tn_fit_direction_text(fit, k, text, sizeof text);
        snprintf(all + strlen(all), sizeof all - strlen(all), "[%s]", text);
    }
    CHECK_STR(all, "[damping:y]");
    CHECK_STR(all, "[0.50 mass:cart + 0.50 stiffness:x + 0.50 damping:x + 0.50 friction_loss:x]");
    tn_fit_destroy(fit);

    TnError err = {0};
    def.unseen = TN_FIT_REFUSE;
    fit = tn_fit_create(model, &def, &err);
    CHECK(fit && tn_fit_solve(fit, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "do not show damping:y");
    tn_fit_destroy(fit);

    def.unseen = TN_FIT_REGULARIZE;
    fit = solved(model, &def);
    v = tn_fit_view(fit);
    CHECK_NEAR(v.values[4], 1.0, 1e-9);
    CHECK_NEAR(v.sigma[4], 1.0, 1e-3); /* that of the prior */
    tn_fit_destroy(fit);
    tn_model_destroy(model);
}

TEST(a_prior_and_data_of_the_same_weight_meet_in_the_middle)
{
    TnModel *model = smooth_slider();
    static Log log;
    slide(&log, model, 0.0, NULL);
    TnFitParameter p = tn_fit_parameter(TN_PARAMETER_STIFFNESS, 1, 0);
    TnFitDef def = def_of(&p, 1, &log);
    TnFit *fit = solved(model, &def);
    double sigma = 1.0 / tn_fit_view(fit).singular_values[0];
    tn_fit_destroy(fit);
    p.prior = 40.0 * exp(0.01 * sigma);
    p.prior_sigma = sigma;
    fit = solved(model, &def);
    TnFitView v = tn_fit_view(fit);
    CHECK_NEAR(log_of(v.values[0] / 40.0) / (0.01 * sigma), 0.5, 1e-3);
    CHECK_NEAR(v.singular_values[0] * sigma, sqrt(2.0), 1e-3);
    tn_fit_destroy(fit);
    /* and a bound holds what the data would cross */
    p = tn_fit_parameter(TN_PARAMETER_STIFFNESS, 1, 0);
    p.start = 50.0;
    p.low = 45.0;
    fit = solved(model, &def);
    v = tn_fit_view(fit);
    CHECK_NEAR(v.values[0], 45.0, 1e-12);
    CHECK(v.at_bound[0] == 1);
    tn_fit_destroy(fit);
    tn_model_destroy(model);
}

TEST(a_start_that_is_known_as_well_as_it_is_measured_is_found_in_the_middle)
{
    TnModel *model = smooth_slider();
    static Log log;
    slide(&log, model, 0.0, NULL);
    for (int k = 1; k < ROWS; k++) log.measured[k] = NAN; /* 0.1 is measured at first, no more */
    double qpos[2] = {0.2, 0.0}, known[4] = {1e-3, 0.0, 0.0, 0.0}, found[2];
    log.run.qpos = qpos;
    log.run.start_sigma = known;
    TnFitParameter p = tn_fit_parameter(TN_PARAMETER_STIFFNESS, 1, 0);
    p.prior_sigma = 0.1;
    TnFitDef def = def_of(&p, 1, &log);
    def.stages = 1;
    TnFit *fit = solved(model, &def);
    CHECK(tn_fit_simulated(fit, 0, NULL, found, NULL, NULL, NULL) == TN_OK);
    CHECK_NEAR(found[0], 0.15, 1e-9); /* linear: one step finds it */
    CHECK_NEAR(tn_fit_view(fit).values[0], 40.0, 1e-9);
    CHECK_NEAR(tn_fit_view(fit).chi2, 2.0 * 50.0 * 50.0, 1e-3);
    tn_fit_destroy(fit);
    tn_model_destroy(model);
}

TEST(results_have_the_same_bits_on_any_number_of_threads_and_can_be_applied)
{
    TnModel *model = load_text(slider, NULL);
    static Log log;
    slide(&log, model, 0.0, NULL);
    double first[4] = {0};
    for (int threads = 1; threads <= 4; threads = MORE_THREADS(threads)) {
        TnFitParameter p[4];
        the_four(p);
        for (int i = 0; i < 4; i++) p[i].start = truth[i] * 1.4;
        TnFitDef def = def_of(p, 4, &log);
        def.thread_count = threads;
        TnFit *fit = solved(model, &def);
        TnFitView v = tn_fit_view(fit);
        for (int i = 0; i < 4; i++) {
            if (threads == 1) first[i] = v.values[i];
            CHECK(v.values[i] == first[i]);
        }
        TnWorldDef world_def = tn_world_def();
        TnWorld *world = tn_world_create(&world_def, model, NULL);
        CHECK(tn_fit_apply(fit, world, NULL) == TN_OK);
        CHECK(tn_model_parameter(tn_world_model(world), &p[1].parameter) == first[1]);
        CHECK(tn_model_parameter(model, &p[1].parameter) == 40.0);
        tn_world_destroy(world);
        tn_fit_destroy(fit);
    }
    tn_model_destroy(model);
}

TEST(parameters_have_names_and_are_found_by_them)
{
    TnModel *model = load_text(slider, NULL);
    const char *const names[] = {"mass:cart",       "com:cart:2", "friction:g",
                                 "gravity:2",       "timestep",   "friction:#2",
                                 "inertia:other:5", "damping:x",  "gain:#1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        TnParameter p;
        TnError err = {0};
        char text[64];
        CHECK(tn_parameter_from_text(model, names[i], &p, &err));
        tn_parameter_text(model, &p, text, sizeof text);
        CHECK(!strcmp(text, names[i]));
    }
    const struct {
        const char *text, *says;
    } wrong[] = {{"mas:cart", "must be one of gravity, timestep, mass"},
                 {"mass", "name the body, as in mass:NAME"},
                 {"mass:card", "has no body 'card'"},
                 {"friction:g:3", "must be below 3"},
                 {"gravity:x", "no index"},
                 {"damping:#9", "has no damping of 9"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        TnParameter p;
        TnError err = {0};
        CHECK(!tn_parameter_from_text(model, wrong[i].text, &p, &err));
        CHECK_STR(err.message, wrong[i].says);
    }
    tn_model_destroy(model);
}

static void refused(const TnModel *model, const TnFitDef *def, const char *says)
{
    TnError err = {0};
    TnFit *fit = tn_fit_create(model, def, &err);
    CHECK(!fit && err.code == TN_ERROR_USAGE);
    CHECK_STR(err.message, says);
    tn_fit_destroy(fit);
}

TEST(logs_that_cannot_be_used_are_refused_and_it_says_why)
{
    TnModel *model = load_text(slider, NULL);
    static Log good, log;
    slide(&good, model, 0.0, NULL);
    TnFitParameter p[4];
    the_four(p);
    TnFitDef def = def_of(p, 4, &log);
#define WITH(CHANGE, SAYS)                                                                         \
    do {                                                                                           \
        log = good;                                                                                \
        log.run.times = log.times, log.run.ctrl = log.ctrl, log.run.measured = log.measured;       \
        CHANGE;                                                                                    \
        refused(model, &def, SAYS);                                                                \
    } while (0)
    WITH(for (int k = 100; k < ROWS; k++) log.times[k] += 0.3, "there is a gap: from row 99");
    WITH(for (int k = 0; k < ROWS; k++) log.times[k] = 0.0037 * k, "no multiple of the timestep");
    WITH(for (int k = 0; k < ROWS; k++) log.times[k] = 0.0005 * k, "no multiple of the timestep");
    WITH(log.times[17] = NAN, "the time of row 17 is not a number");
    WITH(log.times[17] = log.times[16], "times must rise; row 17");
    WITH(log.ctrl[3] = NAN, "ctrl has a number that is not finite, at 3");
    WITH(log.measured[3] = INFINITY, "infinite, in row 3");
    WITH(log.run.sample_count = 1, "at least two rows");
    WITH(log.run.times = NULL, "at least two rows");
    double wrong[4] = {0.0, -1.0, 0.0, 0.0}, none[2] = {0.0, NAN};
    WITH(log.run.start_sigma = wrong, "start_sigma 1 is negative");
    WITH(log.run.qpos = none, "qpos has a number that is not finite");
    WITH(for (int k = 3; k < ROWS; k++) log.measured[k] = NAN,
         "3 measurements and priors are fewer than the 4 unknowns");
    tn_model_destroy(model);
}

TEST(definitions_that_cannot_be_used_are_refused_and_it_says_why)
{
    TnModel *model = load_text(slider, NULL);
    static Log log;
    slide(&log, model, 0.0, NULL);
    TnFitParameter p[4];
    the_four(p);
    TnFitDef good = def_of(p, 4, &log), def = good;
    TnFitChannel channel = place;
    def.channels = &channel;
    p[1].parameter.id = 7;
    refused(model, &def, "parameter 1: the model has no stiffness of 7");
    the_four(p);
    p[1].parameter = p[0].parameter;
    refused(model, &def, "mass:cart is given twice");
    the_four(p);
    p[1].start = 0.0;
    refused(model, &def, "stiffness:x starts at 0; it is fitted by its logarithm");
    p[1].start = 30.0;
    p[1].low = 35.0;
    refused(model, &def, "not within its bounds 35");
    the_four(p);
    p[1].prior_sigma = -1.0;
    refused(model, &def, "prior_sigma must not be negative");
    the_four(p);
    p[1].parameter = (TnParameter){TN_PARAMETER_TIMESTEP, 0, 0};
    refused(model, &def, "timestep is not to be fitted");
    the_four(p);
    channel.index = 2;
    refused(model, &def, "channel 0: index is 2, must be below 2");
    channel = (TnFitChannel){.kind = TN_FIT_SITE, .id = 4, .sigma = 1.0};
    refused(model, &def, "the model has no site 4");
    channel = place;
    channel.sigma = 0.0;
    refused(model, &def, "sigma must be above 0");
    channel = (TnFitChannel){.kind = TN_FIT_SENSOR, .sigma = 1.0};
    def.method = TN_FIT_IMPLICIT;
    refused(model, &def, "sensors need the method `differences`");
    channel = place;
    def = good, def.stages = 0;
    refused(model, &def, "stages must be 1 to 16");
    def = good, def.step = NAN;
    refused(model, &def, "step must be");
    def = good, def.parameter_count = 0;
    refused(model, &def, "there are no parameters");
    refused(NULL, &def, "model and def must be given");
    CHECK(tn_fit_solve(NULL, NULL) == TN_ERROR_USAGE && tn_fit_view(NULL).parameter_count == 0);
    tn_model_destroy(model);
}

TEST(a_start_from_which_the_simulation_breaks_off_is_an_error)
{
    TnModel *model = load_text(slider, NULL);
    static Log log;
    slide(&log, model, 0.0, NULL);
    for (int k = 0; k < ROWS; k++) log.ctrl[k] = k < 100 ? 0.0 : 1e15;
    TnFitParameter p[4];
    the_four(p);
    TnFitDef def = def_of(p, 4, &log);
    TnError err = {0};
    TnFit *fit = tn_fit_create(model, &def, &err);
    CHECK(fit && tn_fit_solve(fit, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "breaks off after row 10");
    tn_fit_destroy(fit);
    tn_model_destroy(model);
}

TEST(without_memory_there_is_an_error_and_nothing_is_lost)
{
    TnModel *model = smooth_slider();
    static Log log;
    slide(&log, model, 0.0, NULL);
    log.run.sample_count = 5;
    long live = tn_malloc_live();
    bool solved_once = false;
    for (long k = 0; !solved_once && k < 100000; k += 3) {
        TnFitParameter p = tn_fit_parameter(TN_PARAMETER_STIFFNESS, 1, 0);
        TnFitDef def = def_of(&p, 1, &log);
        def.method = k % 2 ? TN_FIT_IMPLICIT : TN_FIT_DIFFERENCES;
        def.max_iterations = 2;
        TnError err = {0};
        tn_malloc_fail_after(k);
        TnFit *fit = tn_fit_create(model, &def, &err);
        TnStatus status = fit ? tn_fit_solve(fit, &err) : err.code;
        tn_malloc_fail_after(-1);
        solved_once = status == TN_OK;
        CHECK(solved_once || err.code != TN_OK);
        tn_fit_destroy(fit);
        CHECK(tn_malloc_live() == live);
    }
    CHECK(solved_once);
    tn_model_destroy(model);
}

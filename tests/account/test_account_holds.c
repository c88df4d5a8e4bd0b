/* The account of energy adds up in every step of any model: scenes, random models (tests/search),
 * and those where steps are wrong; and no loss is negative. */
#include <stdlib.h>
#include <tenon/tenon.h>

#include "../check.h"
#include "../search/model.h"
#include "../step/text_scene.h"
#include "account_sum.h"
#include "math/vec3.h"
#include "world/world.h"

#define STEPS UNLESS_SANITIZED(60, 8)
#define SEEDS UNLESS_SANITIZED(12, 1)

static double size_of(const TnEnergyAccount *a, const TnEnergy *e)
{
    return fabs(a->actuators) + fabs(a->applied) + a->push_out + a->friction + a->damping +
           a->impacts + fabs(a->step) + a->unsolved + fabs(a->created) + e->kinetic + e->elastic +
           fabs(e->potential);
}

static double all_losses(const TnWorld *world)
{
    double sum = 0.0;
    for (int i = 0; i < world->model->subsystem_count; i++) sum += world->state.losses[i];
    return sum;
}

/* *size: of the numbers that sums over all steps come from, J */
static void check_step(TnWorld *world, const char *name, int k, double *size)
{
    TnEnergy before = tn_world_energy(world);
    TnStepReport report = tn_world_step(world);
    TnEnergy after = tn_world_energy(world);
    const TnEnergyAccount *a = &report.energy;
    double change = after.kinetic - before.kinetic + after.potential - before.potential;
    double scale = size_of(a, &before) + size_of(a, &after), off = change_of(a) - change;
    *size += scale;
    /* sums over hundreds of bodies, of which some are far from the origin */
    if (!(fabs(off) <= 1e-11 * scale))
        test_fail(__FILE__, __LINE__, "%s, step %d: %g J are missing of %g", name, k, off, scale);
    /* rounding of a difference of sums */
    double least = -1e-14 * scale;
    if (!(a->friction >= least && a->damping >= least && a->impacts >= 0.0 && a->unsolved >= least))
        test_fail(__FILE__, __LINE__, "%s, step %d: friction %g damping %g impacts %g unsolved %g",
                  name, k, a->friction, a->damping, a->impacts, a->unsolved);
    if (report.step_loss > 0.0)
        CHECK((report.step_loss_body > 1) != (report.step_loss_soft > 0));
    else
        CHECK(report.step_loss == 0.0 && !report.step_loss_body && !report.step_loss_soft);
}

static void check_model(const TnModel *model, TnWorldDef def, const char *name)
{
    TnError err = {0};
    def.key = tn_model_find_key(model, "start");
    TnWorld *world = tn_world_create(&def, model, &err);
    double size = 0.0;
    if (!world) test_fail(__FILE__, __LINE__, "%s: %s", name, err.message);
    for (int k = 0; world && k < STEPS; k++) check_step(world, name, k, &size);
    if (world) {
        double step = tn_world_energy_account(world).step, off = all_losses(world) - step;
        if (!(fabs(off) <= 1e-12 * size))
            test_fail(__FILE__, __LINE__, "%s: losses of bodies are %g J off %g", name, off, step);
    }
    tn_world_destroy(world);
}

/* ---- random models ---- */

TEST(the_account_of_random_models_adds_up_in_every_step)
{
    for (int k = 0; k < THEME_COUNT * SEEDS; k++) {
        Sketch sketch;
        TnModel *model;
        TnError err = {0};
        char name[64];
        sketch_generate(&sketch, 77000 + (uint64_t)k, (Theme)(k % THEME_COUNT));
        free(sketch_text(&sketch, &model, &err));
        snprintf(name, sizeof name, "%s %d", theme_names[k % THEME_COUNT], 77000 + k);
        if (!model) continue; /* some do not load */
        TnWorldDef def = tn_world_def();
        if (k % 5 == 4) def.substeps = 3;
        if (k % 7 == 6) { /* few iterations: what is not solved must add up, too */
            def.solver.tolerance = 0.0;
            def.solver.iterations = 5;
        }
        check_model(model, def, name);
        tn_model_destroy(model);
    }
}

/* ---- scenes ---- */

TEST(the_account_of_the_scenes_adds_up_in_every_step)
{
    static const char *const names[] = {"stir",  "gripper", "cloth", "knot",
                                        "drape", "press",   "arch",  "cradle",
                                        "cable", "tower",   "pinch", "rolling_disc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        TnError err = {0};
        snprintf(path, sizeof path, TENON_SOURCE_DIR "/scenes/%s.xml", names[i]);
        TnModel *model = tn_model_load(path, &err);
        if (!model) test_fail(__FILE__, __LINE__, "%s: %s", path, err.message);
        if (model) check_model(model, tn_world_def(), names[i]);
        tn_model_destroy(model);
    }
}

/* ---- steps that go wrong ---- */

/* An ellipsoid that slides into a corner of walls that it hardly fits between: a jam. */
static const char jam[] =
    "<worldbody><geom type='box' size='.1 .3 .3' pos='-.5 0 0' friction='0'/>"
    "<geom type='box' size='.1 .3 .3' pos='.5 0 0' friction='0'/>"
    "<geom type='box' size='.6 .1 .3' pos='0 -.2 0' friction='0'/>"
    "<geom type='box' size='.6 .1 .3' pos='0 .2 0' friction='0'/>"
    "<geom type='box' size='.6 .3 .1' pos='0 0 -.2' friction='0'/>"
    "<geom type='box' size='.6 .3 .1' pos='0 0 .2' friction='0'/>"
    "<body euler='0 -2.617993877991494 .6981317007977318'><freejoint/>"
    "<geom type='ellipsoid' size='.06 .1 .1' density='1000' friction='1.4'/></body></worldbody>";

/* A servo that pulls a joint 0.7 rad beyond its limit. */
static const char beyond[] =
    "<worldbody><body><joint type='hinge' axis='0 -.7 .6'/>"
    "<geom size='.046' density='1000' friction='0'/>"
    "<body><joint name='j' type='hinge' axis='.8 .6 -.8' damping='7' range='-.04 .04'/>"
    "<geom size='.1' density='1000' friction='0'/></body></body></worldbody>"
    "<actuator><position joint='j' kp='600'/></actuator>"
    "<keyframe><key name='start' qvel='-6 0' ctrl='-.8'/></keyframe>";

static void check_without_alarm(const char *parts, const char *gravity, const char *name)
{
    TextScene s;
    double size = 0.0;
    REQUIRE(text_open(&s, 0.02, gravity, parts));
    for (int k = 0; k < 50; k++) check_step(s.world, name, k, &size);
    TnEnergyAccount a = tn_world_energy_account(s.world);
    CHECK(a.friction + a.damping + a.impacts + a.unsolved >= 0.0);
    /* 0.3 % of what is lost in the jam, whose contacts contradict each other by a hundredth of g t
     */
    CHECK(a.created < 5e-3 * (a.push_out + a.actuators + a.friction + a.impacts));
    CHECK(a.push_out + a.actuators > 0.0);
    text_close(&s);
}

TEST(nothing_is_created_where_forces_undo_what_is_open)
{
    check_without_alarm(jam, "0 0 -9.81", "jam");
    check_without_alarm(beyond, "0 0 0", "beyond");
}

/* A weld that a spring and a hinge contradict, and one iteration: forces are far from a solution,
 * and farther in each step. */
TEST(what_nothing_explains_is_told_with_the_body_that_gains_most)
{
    TextScene s;
    TnWorldDef def = tn_world_def();
    double most = 0.0;
    def.solver.tolerance = 0.0;
    def.solver.iterations = 1;
    REQUIRE(text_open_of(
        &s, 0.005, "0 0 -9.81",
        "<worldbody><body name='base' euler='-.82 .38 -.4'>"
        "<joint type='hinge' axis='-.3 0 .1' frictionloss='.2'/>"
        "<geom type='box' size='.05 .04 .05' pos='.05 0 0' density='1600'/>"
        "<body name='tip' pos='.11 0 0' euler='-.3 -.92 -.5'>"
        "<joint type='hinge' axis='0 -.15 .2' stiffness='2.7' springref='-.1'/>"
        "<geom type='box' size='.06 .05 .05' pos='.06 0 0'/></body></body></worldbody>"
        "<equality><weld body1='base' body2='tip' relpose='.1 0 0 1 0 0 0'/></equality>",
        def));
    for (int k = 0; k < 100 && most <= 0.01; k++) {
        TnStepReport report = tn_world_step(s.world);
        if (report.created_share <= most) continue;
        most = report.created_share;
        CHECK(report.created_body >= 2 && report.created_soft == 0);
    }
    CHECK(most > 0.01 && most <= 1.0);
    CHECK(tn_world_energy_account(s.world).created > 0.0);
    text_close(&s);
}

/* ---- what scaled velocities change ---- */

/* The sum of their sizes, too: in a jam they cancel each other. */
static double add_wall_forces(const TnWorld *world, double t, double P[3])
{
    const TnModel *model = tn_world_model(world);
    double sizes = 0.0;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        sizes += t * v3_norm(c.force);
        if (tn_model_geom_info(model, c.geom2).body == TN_BODY_WORLD)
            v3_add_scaled(P, c.force, -t);
        else if (tn_model_geom_info(model, c.geom1).body == TN_BODY_WORLD)
            v3_add_scaled(P, c.force, t);
    }
    return sizes;
}

/* An ellipsoid jams between walls, and some iterations do not find the forces: gravity, forces of
 * the walls and the correction are all that changes its momentum. */
TEST(forces_and_the_correction_are_the_change_of_momentum)
{
    const double t = 0.02;
    TextScene s;
    TnWorldDef def = tn_world_def();
    def.halvings = 0; /* forces are those of the whole step */
    def.solver.method = TN_METHOD_SUBADMM;
    REQUIRE(text_open_of(&s, t, "0 0 -9.81", jam, def));
    double mass = tn_model_info(s.model).total_mass, most = 0.0;
    for (int k = 0; k < 50; k++) {
        double before[3], after[3], change[3], L[3], forces[3] = {0.0};
        tn_world_momentum(s.world, before, L);
        TnStepReport report = tn_world_step(s.world);
        tn_world_momentum(s.world, after, L);
        double sizes = add_wall_forces(s.world, t, forces);
        v3_sub(change, after, before);
        v3_sub(change, change, forces);
        change[2] += t * mass * 9.81;
        most = fmax(most, v3_norm(report.corrected_momentum));
        v3_sub(change, change, report.corrected_momentum);
        /* rounding of forces that cancel, which were up to 1e6 times the weight */
        CHECK_NEAR(v3_norm(change), 0.0, 1e-13 * sizes + 1e-12 * mass * 9.81 * t);
    }
    /* 1.6e-3 in the fourth step, before the jam, whose size depends on rounding */
    CHECK(most > 1e-3 * mass * 9.81 * t);
    text_close(&s);
}

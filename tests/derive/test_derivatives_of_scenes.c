/* Implicit columns against differences of whole steps, on scenes of the repository on their way. */
#include <tenon/tenon.h>

#include "../check.h"

/* Columns that agree, and that do not. */
typedef struct Tally {
    int same, other, kinks, none, implicit;
} Tally;

/* Of a column's largest number or of 1. Differences carry the solver's error of 1e-12 g t over
 * their step: turning of a body of 4 mm 2e-6 over the widest one. And they carry curvature, which
 * grows with the step. So a column is to agree with those over one of these steps. */
#define SAME 3e-6
static const double steps_of[] = {1e-5, 1e-6, 1e-7};
#define STEPS 3

static double largest(const double *M, int rows, int count, int column, const double *other)
{
    double most = 0.0;
    for (int i = 0; i < rows; i++) {
        double x = M[i * count + column] - (other ? other[i * count + column] : 0.0);
        most = fmax(most, fabs(x));
    }
    return most;
}

static bool agrees(TnDerivativesView a, TnDerivativesView b, int c)
{
    bool state = c < a.state_count;
    const double *M = state ? a.A : a.B, *N = state ? b.A : b.B;
    int count = state ? a.state_count : a.ctrl_count, at = state ? c : c - a.state_count;
    double off = largest(M, a.state_count, count, at, N),
           size = fmax(1.0, largest(N, a.state_count, count, at, NULL));
    return off <= SAME * size;
}

static void compare(TnDerivativesView a, TnDerivatives *const *others, Tally *tally)
{
    for (int c = 0; c < a.state_count + a.ctrl_count; c++) {
        bool none = a.columns[c] == TN_COLUMN_NONE, kink = a.kinks[c] > 1e-3, same = false;
        for (int k = 0; k < STEPS; k++) {
            TnDerivativesView b = tn_derivatives_view(others[k]);
            none |= b.columns[c] == TN_COLUMN_NONE;
            kink |= b.kinks[c] > 1e-3;
            same |= agrees(a, b, c);
        }
        tally->implicit += a.columns[c] == TN_COLUMN_IMPLICIT;
        *(none ? &tally->none : kink ? &tally->kinks : same ? &tally->same : &tally->other) += 1;
    }
}

/* At every so many steps. */
static void run_model(const TnModel *model, int steps, int times, Tally *tally)
{
    TnError err = {0};
    REQUIRE(model);
    TnWorldDef world_def = tn_world_def();
    TnWorld *world = tn_world_create(&world_def, model, &err);
    TnDerivativeDef def = tn_derivative_def();
    TnDerivatives *implicit = tn_derivatives_create(world, &def, &err);
    TnDerivatives *differences[STEPS];
    def.method = TN_DERIVATIVES_DIFFERENCES;
    for (int k = 0; k < STEPS; k++) {
        def.step = steps_of[k];
        differences[k] = tn_derivatives_create(world, &def, &err);
        REQUIRE(implicit && differences[k]);
    }
    for (int k = 0; k < times; k++) {
        for (int i = 0; i < steps; i++) tn_world_step(world);
        CHECK(tn_world_derivatives(world, implicit, &err) == TN_OK);
        for (int i = 0; i < STEPS; i++)
            CHECK(tn_world_derivatives(world, differences[i], &err) == TN_OK);
        compare(tn_derivatives_view(implicit), differences, tally);
    }
    tn_derivatives_destroy(implicit);
    for (int k = 0; k < STEPS; k++) tn_derivatives_destroy(differences[k]);
    tn_world_destroy(world);
}

static void run(const char *name, int steps, int times, Tally *tally)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TENON_SOURCE_DIR "/scenes", name);
    TnModel *model = tn_model_load(path, NULL);
    run_model(model, steps, times, tally);
    tn_model_destroy(model);
}

static void run_text(const char *body, int steps, int times, Tally *tally)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.005'/><worldbody>"
             "<geom type='plane' size='1 1 1'/>%s</worldbody></mujoco>",
             body);
    TnModel *model = tn_model_load_string(text, "test.xml", NULL, NULL);
    run_model(model, steps, times, tally);
    tn_model_destroy(model);
}

TEST(implicit_columns_agree_with_differences_of_whole_steps)
{
    static const char *const scenes[] = {"cradle.xml", "knife_edge.xml", "rolling_disc.xml",
                                         "press.xml",  "pinch.xml",      "heavy.xml"};
    Tally all = {0};
    for (int k = 0; k < 6; k++) run(scenes[k], 17, UNLESS_SANITIZED(8, 1), &all);
    printf("     %d the same, %d other, %d at kinks, %d without a step; %d implicit\n", all.same,
           all.other, all.kinks, all.none, all.implicit);
    CHECK(all.none == 0);
    CHECK(all.same > 2 * all.kinks);
    CHECK(10 * all.implicit > 6 * (all.same + all.other + all.kinks));
    /* differences at a switch that is a little farther than their step are wrong */
    CHECK(all.other * 200 <= all.same + all.other);
}

TEST(columns_of_soft_bodies_and_cables_do_too)
{
    Tally all = {0};
    run_text(
        "<flexcomp name='s' type='grid' count='2 2 2' spacing='0.1 0.1 0.1' pos='0 0 0.09' dim='3'"
        " radius='0.005' mass='0.5'><elasticity young='1e4' poisson='0.3'/></flexcomp>",
        10, UNLESS_SANITIZED(3, 1), &all);
    printf("     soft: %d the same, %d other, %d at kinks; %d implicit\n", all.same, all.other,
           all.kinks, all.implicit);
    CHECK(all.none == 0 && all.other == 0 && all.same > 0);
    run_text("<composite type='cable' curve='s' count='6 1 1' size='0.5' offset='0 0 0.05' "
             "initial='free'>"
             "<joint kind='main' damping='0.01'/><geom type='capsule' size='0.01'/></composite>",
             10, UNLESS_SANITIZED(3, 1), &all);
    printf("     cable: %d the same, %d other, %d at kinks; %d implicit\n", all.same, all.other,
           all.kinks, all.implicit);
    CHECK(all.none == 0 && all.other == 0 && all.implicit > 0);
}

TEST(columns_of_loops_do_too)
{
    Tally all = {0};
    run_text(
        "<body pos='0 0 1'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 -.1'"
        " size='.02'/><body name='link' pos='.3 0 -.1'><joint axis='0 1 0'/><geom type='capsule'"
        " fromto='0 0 0 .3 0 .05' size='.02'/></body></body>"
        "<body name='other' pos='.8 0 1'><joint axis='0 1 0'/><geom type='capsule'"
        " fromto='0 0 0 -.2 0 -.05' size='.02' contype='0' conaffinity='0'/></body>"
        "</worldbody><equality><connect body1='other' body2='link' anchor='-.2 0 -.05'/></equality>"
        "<worldbody>",
        13, UNLESS_SANITIZED(8, 2), &all);
    printf("     %d the same, %d other, %d at kinks; %d implicit\n", all.same, all.other, all.kinks,
           all.implicit);
    CHECK(all.none == 0 && all.other == 0 && all.implicit > 0);
}

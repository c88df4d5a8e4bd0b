/* Constraints that no velocity satisfies: the step says so, and nothing grows from step to step. */
#include "../check.h"

#include "scene.h"

#define STEPS 300

/* A cube of 20 cm between the ground and a ceiling 15 cm above it. */
static TnModel *low_ceiling(void)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.7);
    TnGeomDef ceiling = tn_geom_def();
    ceiling.name = "ceiling";
    ceiling.body = TN_BODY_WORLD;
    ceiling.type = TN_GEOM_BOX;
    ceiling.pos[2] = 0.25;
    ceiling.size[0] = ceiling.size[1] = 1.0;
    ceiling.size[2] = 0.1;
    tn_builder_add_geom(scene.builder, &ceiling);
    scene_free(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.1, 0.1}, 8.0, (double[3]){0, 0, 0.075}, 0.7,
               0.0);
    return scene_compile(&scene);
}

/* A cube that is to be in two places. */
static TnModel *two_places(void)
{
    Scene scene = scene_begin();
    TnBodyId body = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.1, 0.1}, 8.0,
                               (double[3]){0, 0, 1}, 0.7, 0.0);
    for (int i = 0; i < 2; i++) {
        TnEqualityDef weld = tn_equality_def();
        weld.name = i ? "there" : "here";
        weld.type = TN_EQUALITY_WELD;
        weld.body1 = body;
        weld.has_relpose = true;
        weld.relpos[0] = 0.1 * i, weld.relpos[2] = -1.0, weld.relquat[0] = 1.0;
        tn_builder_add_equality(scene.builder, &weld);
    }
    return scene_compile(&scene);
}

typedef struct Outcome {
    int converged, diverged, rough;
    double speed, error, contradiction; /* largest */
    double mean;                        /* error */
    uint64_t hash;
    char worst[128];
} Outcome;

static Outcome outcome(const TnModel *model, TnMethod method, double tolerance)
{
    Outcome out = {0};
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.method = method;
    def.solver.tolerance = tolerance;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) return (Outcome){.diverged = 1};
    for (int k = 0; k < STEPS; k++) {
        TnStepReport report = tn_world_step(world);
        double v[3], w[3];
        tn_world_body_velocity(world, 1, v, w);
        out.converged += report.converged;
        out.rough += report.rough;
        double gt = 9.81 * tn_option().timestep;
        CHECK(report.rough == (fmax(report.error, report.contradiction / gt) > 1.0));
        out.diverged += report.diverged;
        out.error = fmax(out.error, report.error);
        out.mean += report.error / STEPS;
        out.contradiction = fmax(out.contradiction, report.contradiction);
        out.speed = fmax(out.speed, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        tn_world_worst_constraint(world, report.worst_island, out.worst, sizeof out.worst);
    }
    out.hash = tn_world_hash(world);
    tn_world_destroy(world);
    return out;
}

TEST(a_box_under_too_low_a_ceiling_is_reported_and_stays)
{
    TnModel *model = low_ceiling();
    for (int digits = 3; digits <= UNLESS_SANITIZED(9, 3); digits += 3)
        for (TnMethod method = TN_METHOD_AUTO; method <= TN_METHOD_NEWTON; method++) {
            Outcome out = outcome(model, method, pow(10.0, -digits));
            bool closest = method == TN_METHOD_AUTO; /* it solves the closest problem that can be */
            double error = closest ? out.contradiction / (9.81 * tn_option().timestep) : out.error;
            CHECK(out.converged == (closest ? STEPS : 0) && out.diverged == 0);
            CHECK(error > 0.1 && error < 10.0); /* overlaps are to open at about g t */
            CHECK(strstr(out.worst, "ceiling") || strstr(out.worst, "ground"));
            /* the default keeps it in place; the others hold it within what they cannot solve */
            CHECK(out.speed < (method <= TN_METHOD_SUBADMM ? 1e-6 : 1.0));
        }
    tn_model_destroy(model);
}

TEST(welds_to_two_places_are_reported_and_nothing_grows)
{
    TnModel *model = two_places();
    for (int digits = 3; digits <= UNLESS_SANITIZED(9, 3); digits += 3) {
        Outcome chosen = outcome(model, TN_METHOD_AUTO, pow(10.0, -digits));
        Outcome plain = outcome(model, TN_METHOD_SUBADMM, pow(10.0, -digits));
        CHECK(chosen.converged == STEPS && chosen.diverged == 0 && chosen.speed < 20.0);
        CHECK(chosen.rough > 0 && chosen.contradiction > 0.0); /* the user is warned */
        CHECK(plain.converged == 0 && plain.rough > 0);
        CHECK(strstr(chosen.worst, "'here' (weld)") || strstr(chosen.worst, "'there' (weld)"));
    }
    tn_model_destroy(model);
}

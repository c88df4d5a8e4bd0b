/* Forces by which cables are held, and what asking for them costs. */
#include "reactions.h"

#include "base/base.h"

typedef struct CableScene {
    Run run;
    TnBodyId first, carriage;
    TnJointId slide;
    TnEqualityId weld;
    double mass;
} CableScene;

/* A cable along x whose first segment the world holds, or a carriage on a slide along z with a
 * servo. */
static CableScene cable(bool carried, TnDivisionKind division, double modulus)
{
    CableScene s = {0};
    Scene scene = scene_begin();
    scene.option.timestep = 0.002;
    scene.option.division = (TnDivisionDef){.kind = division, .group_size = 3};
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 10;
    rod.end[0] = 1.0;
    rod.youngs_modulus = modulus;
    rod.damping_time = 0.02;
    rod.contact_type = rod.contact_affinity = 0;
    TnRodId id = tn_builder_add_rod(scene.builder, &rod);
    s.first = tn_builder_rod_parts(scene.builder, id).body;
    s.mass = 3.14159265358979323846 * rod.radius * rod.radius * 1000.0;
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body2 = s.first;
    weld.body1 = TN_BODY_WORLD;
    if (carried) {
        s.carriage = part_slider(&scene, 2.0, 2, NULL, &s.slide);
        TnActuatorDef servo = tn_actuator_def();
        servo.joint = s.slide;
        servo.gain = 400.0;
        servo.bias[1] = -400.0;
        servo.bias[2] = -40.0;
        tn_builder_add_actuator(scene.builder, &servo);
        weld.body1 = s.carriage;
    }
    s.weld = tn_builder_add_equality(scene.builder, &weld);
    s.run = run_start(&scene, 3000);
    return s;
}

static void cable_momentum(const CableScene *s, double P[3])
{
    v3_zero(P);
    for (int i = 0; i < 10; i++) {
        double v[3], w[3];
        tn_world_body_velocity(s->run.world, s->first + i, v, w);
        v3_add_scaled(P, v, tn_model_body_info(s->run.model, s->first + i).mass);
    }
}

TEST(what_holds_a_cable_carries_its_weight_and_its_motion)
{
    for (int carried = 0; carried < 2; carried++)
        for (int groups = 0; groups < 2; groups++) {
            CableScene s = cable(carried, groups ? TN_DIVISION_GROUPS : TN_DIVISION_WHOLE, 1e7);
            REQUIRE(s.run.world);
            double t = tn_model_info(s.run.model).option.timestep, worst = 0.0, ctrl = 0.1;
            if (carried) tn_world_set_ctrl(s.run.world, &ctrl, NULL);
            for (int k = 0; k < 100; k++) {
                double before[3], after[3];
                cable_momentum(&s, before);
                tn_world_step(s.run.world);
                cable_momentum(&s, after);
                TnReaction r = tn_world_equality_reaction(s.run.world, s.weld);
                REQUIRE(r.known);
                for (int i = 0; i < 3; i++) {
                    double force = (after[i] - before[i]) / t + (i == 2 ? s.mass * G : 0.0);
                    worst = fmax(worst, fabs(r.force[i] - force) / (s.mass * G));
                }
                if (!carried) continue;
                /* across its slide the carriage does not move */
                TnReaction joint = tn_world_joint_reaction(s.run.world, s.slide);
                CHECK_NEAR(joint.force[0], r.force[0], 1e-8);
            }
            CHECK(worst < 1e-9); /* rounding of stiff springs; iterated ones to the solver's end */
            run_end(&s.run);
        }
}

TEST(a_cable_at_rest_weighs_on_its_holder_with_its_moment)
{
    for (int carried = 0; carried < 2; carried++) {
        CableScene s = cable(carried, TN_DIVISION_WHOLE, 1e10);
        REQUIRE(s.run.world);
        for (int k = 0; k < 2000; k++) tn_world_step(s.run.world);
        TnReaction r = tn_world_equality_reaction(s.run.world, s.weld);
        check_vector("force of the weld", r.force, 0, 0, s.mass * G, 1e-4 * s.mass * G);
        /* its centre of mass is 0.45 m from the first segment's centre */
        check_vector("moment of the weld", r.torque, 0, -0.45 * s.mass * G, 0, 2e-3 * s.mass * G);
        if (carried) {
            r = tn_world_joint_reaction(s.run.world, s.slide);
            double weight = s.mass * G;
            check_vector("force of the slide", r.force, 0, 0, weight + 2.0 * G, 1e-4 * weight);
            check_vector("moment of the slide", r.torque, 0, -0.5 * weight, 0, 2e-3 * weight);
        }
        run_end(&s.run);
    }
}

/* ---- what asking costs ---- */

TEST(asking_costs_steps_nothing_and_needs_no_memory_once_warm)
{
    uint64_t hashes[2];
    for (int asks = 0; asks < 2; asks++) {
        CableScene s = cable(true, TN_DIVISION_WHOLE, 1e7);
        REQUIRE(s.run.world);
        long before = 0;
        for (int k = 0; k < 40; k++) {
            if (k == 20) before = tn_malloc_count();
            tn_world_step(s.run.world);
            if (asks) CHECK(tn_world_joint_reaction(s.run.world, s.slide).known);
            if (asks) CHECK(tn_world_equality_reaction(s.run.world, s.weld).known);
        }
        CHECK(tn_malloc_count() == before);
        hashes[asks] = tn_world_hash(s.run.world);
        run_end(&s.run);
    }
    CHECK(hashes[0] == hashes[1]);
}

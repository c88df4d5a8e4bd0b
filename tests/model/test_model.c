/* Look-ups, the collision filter and the control track. */
#include "build.h"

TEST(names_lead_to_ids_and_back)
{
    TnModelBuilder *b = tn_builder_create();
    tn_builder_set_name(b, "toy");
    TnBodyId base = add_body(b, "base", TN_BODY_WORLD, 0, 0, 0);
    TnJointId joint = add_joint(b, "turn", base, TN_JOINT_HINGE);
    TnGeomId geom = add_ball(b, "ball", base, 0.1);
    TnBodyId nameless = add_body(b, NULL, base, 0, 0, 0);
    TnActuatorDef motor = tn_actuator_def();
    motor.name = "motor";
    motor.joint = joint;
    tn_builder_add_actuator(b, &motor);
    TnSensorDef sensor = tn_sensor_def();
    sensor.name = "angle";
    sensor.object = joint;
    tn_builder_add_sensor(b, &sensor);
    TnKeyDef key = tn_key_def();
    key.name = "home";
    tn_builder_add_key(b, &key);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(strcmp(tn_model_info(m).name, "toy") == 0);
    CHECK(tn_model_find_body(m, "base") == base &&
          strcmp(tn_model_body_name(m, base), "base") == 0);
    CHECK(tn_model_find_joint(m, "turn") == joint &&
          strcmp(tn_model_joint_name(m, joint), "turn") == 0);
    CHECK(tn_model_find_geom(m, "ball") == geom &&
          strcmp(tn_model_geom_name(m, geom), "ball") == 0);
    CHECK(tn_model_find_actuator(m, "motor") == 1 &&
          strcmp(tn_model_actuator_name(m, 1), "motor") == 0);
    CHECK(tn_model_find_key(m, "home") == 1 && strcmp(tn_model_key_name(m, 1), "home") == 0);
    CHECK(strcmp(tn_model_sensor_name(m, 1), "angle") == 0);
    /* Kinds do not mix, and what is not there is null. */
    CHECK(tn_model_find_body(m, "turn") == 0 && tn_model_find_joint(m, "base") == 0);
    CHECK(tn_model_find_body(m, "") == 0 && tn_model_find_body(m, NULL) == 0);
    CHECK(strcmp(tn_model_body_name(m, nameless), "") == 0 &&
          strcmp(tn_model_body_name(m, 99), "") == 0);
    CHECK(strcmp(tn_model_joint_name(m, 0), "") == 0 && strcmp(tn_model_body_name(m, -1), "") == 0);
    CHECK(tn_model_joint_info(m, joint).body == base && tn_model_joint_info(m, 5).dof_count == 0);
    CHECK(tn_model_geom_info(m, geom).size[0] == 0.1 && tn_model_geom_info(m, geom).body == base);
    CHECK(tn_model_geom_info(m, 0).body == 0);
    tn_model_destroy(m);
}

TEST(neighbours_and_fixed_parts_do_not_collide)
{
    TnModelBuilder *b = tn_builder_create();
    int table = add_body(b, "table", TN_BODY_WORLD, 0, 0, 0) - 1;
    int base = add_link(b, "base", TN_BODY_WORLD, TN_JOINT_HINGE) - 1;
    int cover = add_body(b, "cover", base + 1, 0, 0, 0) - 1; /* fixed to the base */
    int arm = add_link(b, "arm", cover + 1, TN_JOINT_HINGE) - 1;
    int hand = add_link(b, "hand", arm + 1, TN_JOINT_HINGE) - 1;
    int finger = add_link(b, "finger", hand + 1, TN_JOINT_HINGE) - 1;
    int stone = add_link(b, "stone", TN_BODY_WORLD, TN_JOINT_FREE) - 1;
    tn_builder_add_exclude(b, finger + 1, arm + 1, (TnSource){0});
    tn_builder_add_exclude(b, stone + 1, cover + 1, (TnSource){0});
    tn_builder_add_exclude(b, 1, hand + 1, (TnSource){0});
    TnModel *m = compile(b);
    REQUIRE(m);
    struct {
        int a, b;
        bool collide;
    } cases[] = {
        {0, table, false},                     /* both fixed to the world */
        {base, base, false},                   /* itself */
        {base, cover, false},                  /* one link */
        {base, arm, false},                    /* parent and child */
        {cover, arm, false},                   /* the same through a fixed body */
        {base, hand, true},   {0, base, true}, /* the world is no parent in this sense */
        {table, base, true},  {table, stone, true},
        {stone, base, true},  {stone, cover, false}, /* excluded, but only that body */
        {finger, arm, false}, {finger, base, true},
        {0, hand, false},     {table, hand, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (tn_model_bodies_collide(m, cases[i].a, cases[i].b) != cases[i].collide ||
            tn_model_bodies_collide(m, cases[i].b, cases[i].a) != cases[i].collide)
            test_fail(__FILE__, __LINE__, "case %d: %s and %s", (int)i, m->body_names[cases[i].a],
                      m->body_names[cases[i].b]);
    }
    tn_model_destroy(m);
}

/* Two motors and a track of four rows. */
static TnModel *track_model(int loop_from)
{
    static const double times[4] = {1.0, 2.0, 4.0, 5.0}, ctrl[8] = {0, 10, 1, 20, 3, 40, 1, 20};
    TnModelBuilder *b = tn_builder_create();
    add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_HINGE);
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = 1;
    tn_builder_add_actuator(b, &motor);
    tn_builder_add_actuator(b, &motor);
    TnTrackDef track = tn_track_def();
    track.row_count = 4;
    track.times = times;
    track.ctrl = ctrl;
    track.loop_from = loop_from;
    tn_builder_set_track(b, &track);
    return compile(b);
}

static void check_track(const TnModel *m, double time, double u0, double u1)
{
    double ctrl[2] = {NAN, NAN};
    CHECK(tn_model_track(m, time, ctrl));
    /* One interpolation of numbers up to 40. */
    CHECK_NEAR(ctrl[0], u0, 1e-14);
    CHECK_NEAR(ctrl[1], u1, 1e-13);
}

TEST(track_interpolates_and_holds_its_ends)
{
    TnModel *m = track_model(-1);
    REQUIRE(m);
    check_track(m, -5.0, 0, 10);
    check_track(m, 1.0, 0, 10);
    check_track(m, 1.5, 0.5, 15);
    check_track(m, 2.0, 1, 20);
    check_track(m, 3.5, 2.5, 35);
    check_track(m, 5.0, 1, 20);
    check_track(m, 99.0, 1, 20);
    CHECK(tn_model_info(m).track_duration == 5.0);
    tn_model_destroy(m);
}

TEST(looping_track_repeats_from_its_row)
{
    TnModel *m = track_model(1);
    REQUIRE(m);
    check_track(m, 1.5, 0.5, 15);
    check_track(m, 5.0, 1, 20);
    check_track(m, 6.0, 2, 30); /* one past the end: as at 3.0 */
    check_track(m, 6.0 + 300.0, 2, 30);
    check_track(m, 8.0, 1, 20); /* a full round of 3 s */
    tn_model_destroy(m);
}

TEST(model_without_a_track_leaves_controls_alone)
{
    TnModel *m = compile(tn_builder_create());
    REQUIRE(m);
    double ctrl[1] = {7.0};
    CHECK(!tn_model_track(m, 1.0, ctrl) && ctrl[0] == 7.0);
    CHECK(tn_model_info(m).track_duration == 0.0);
    tn_model_destroy(m);
    tn_model_destroy(NULL);
}

/* Reset, keys, warm-start memory and the hash. */
#include "../check.h"

#include "base/base.h"
#include "state/state.h"

/* A free body, a hinge with a motor, a ball joint; one weld; one key. */
static TnModel *make_model(bool with_track)
{
    TnModelBuilder *b = tn_builder_create();
    TnJointType types[3] = {TN_JOINT_FREE, TN_JOINT_HINGE, TN_JOINT_BALL};
    for (int i = 0; i < 3; i++) {
        TnBodyDef body = tn_body_def();
        body.pos[0] = i + 1;
        TnJointDef joint = tn_joint_def();
        joint.body = tn_builder_add_body(b, &body);
        joint.type = types[i];
        joint.ref = 0.5;
        tn_builder_add_joint(b, &joint);
        TnGeomDef geom = tn_geom_def();
        geom.body = joint.body;
        geom.size[0] = 0.1;
        tn_builder_add_geom(b, &geom);
    }
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = 2;
    tn_builder_add_actuator(b, &motor);
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = 2;
    weld.body2 = 3;
    tn_builder_add_equality(b, &weld);
    const double qpos[12] = {9, 8, 7, 0, 1, 0, 0, 0.25, 0, 0, 1, 0},
                 qvel[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, ctrl = 3;
    TnKeyDef key = tn_key_def();
    key.time = 2.5;
    key.qpos = qpos, key.qpos_count = 12;
    key.qvel = qvel, key.qvel_count = 10;
    key.ctrl = &ctrl, key.ctrl_count = 1;
    tn_builder_add_key(b, &key);
    if (with_track) {
        const double times[2] = {0.0, 5.0}, rows[2] = {10.0, 20.0};
        TnTrackDef track = tn_track_def();
        track.row_count = 2;
        track.times = times;
        track.ctrl = rows;
        tn_builder_set_track(b, &track);
    }
    TnError err = {0};
    TnModel *m = tn_builder_compile(b, &err);
    if (!m) printf("    %s\n", err.message);
    tn_builder_destroy(b);
    return m;
}

TEST(fresh_state_is_the_reference_pose_at_rest)
{
    TnModel *m = make_model(false);
    REQUIRE(m);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    double qpos[12] = {1, 0, 0, 1, 0, 0, 0, 0.5, 1, 0, 0, 0};
    CHECK(memcmp(s.qpos, qpos, sizeof qpos) == 0 && s.time == 0.0 && !s.ctrl_by_user);
    for (int i = 0; i < 10; i++) CHECK(s.qvel[i] == 0.0 && s.vhat[i] == 0.0);
    CHECK(s.row_lambda_count == 6 + 9 && tn_row_slot_joint(m, 2, 2) == 14 &&
          tn_row_slot_equality(0, 5) == 5);
    CHECK(s.ctrl[0] == 0.0 && s.contact_count == 0);
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(reset_forgets_everything_and_takes_the_key)
{
    TnModel *m = make_model(false);
    REQUIRE(m);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    uint64_t fresh = tn_state_hash(&s, m);
    for (int i = 0; i < s.row_lambda_count; i++) s.row_lambda[i] = 1.0;
    s.ctrl_by_user = true;
    REQUIRE(tn_state_reserve_contacts(&s, 3));
    s.contact_count = 3;
    tn_state_reset(&s, m, 0);
    CHECK(s.time == 2.5 && memcmp(s.qpos, m->keys[0].qpos, 12 * sizeof(double)) == 0);
    CHECK(memcmp(s.qvel, m->keys[0].qvel, 10 * sizeof(double)) == 0 && s.ctrl[0] == 3.0);
    CHECK(memcmp(s.vhat, s.qvel, 10 * sizeof(double)) == 0); /* the solver's first guess */
    CHECK(!s.ctrl_by_user && s.contact_count == 0);
    for (int i = 0; i < s.row_lambda_count; i++) CHECK(s.row_lambda[i] == 0.0);
    CHECK(tn_state_hash(&s, m) != fresh);
    tn_state_reset(&s, m, -1);
    CHECK(tn_state_hash(&s, m) == fresh);
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(reset_follows_the_control_track)
{
    TnModel *m = make_model(true);
    REQUIRE(m);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    CHECK(s.ctrl[0] == 10.0);
    tn_state_reset(&s, m, 0);           /* the key is at 2.5 s, half way */
    CHECK_NEAR(s.ctrl[0], 15.0, 1e-14); /* one interpolation */
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(hash_sees_time_qpos_and_qvel_only)
{
    TnModel *m = make_model(false);
    REQUIRE(m);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    uint64_t h = tn_state_hash(&s, m);
    s.vhat[0] = s.row_lambda[0] = s.ctrl[0] = 1.0;
    CHECK(tn_state_hash(&s, m) == h);
    double *seen[4] = {&s.time, &s.qpos[11], &s.qvel[0], &s.qvel[9]};
    for (int i = 0; i < 4; i++) {
        double old = *seen[i];
        *seen[i] = nextafter(old, 10.0);
        CHECK(tn_state_hash(&s, m) != h);
        *seen[i] = old;
    }
    CHECK(tn_state_hash(&s, m) == h);
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(contacts_grow_and_keep_what_they_hold)
{
    TnModel *m = make_model(false);
    REQUIRE(m);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    REQUIRE(tn_state_reserve_contacts(&s, 1));
    s.contacts[0] = (TnWarmContact){.geom1 = 1, .feature = 42};
    s.contact_count = 1;
    REQUIRE(tn_state_reserve_contacts(&s, 1000));
    CHECK(s.contact_capacity >= 1000 && s.contacts[0].feature == 42 && s.contact_count == 1);
    long before = tn_malloc_count();
    CHECK(tn_state_reserve_contacts(&s, 1200)); /* grew by half more than was asked for */
    CHECK(tn_malloc_count() == before);
    tn_malloc_fail_after(0);
    CHECK(!tn_state_reserve_contacts(&s, 100000));
    tn_malloc_fail_after(-1);
    CHECK(s.contacts[0].feature == 42);
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(state_without_memory_is_refused)
{
    TnModel *m = make_model(false);
    REQUIRE(m);
    TnState s;
    tn_malloc_fail_after(0);
    CHECK(!tn_state_init(&s, m));
    tn_malloc_fail_after(-1);
    tn_state_free(&s); /* harmless */
    tn_model_destroy(m);
}

TEST(model_without_joints_has_a_state)
{
    TnModelBuilder *b = tn_builder_create();
    TnError err = {0};
    TnModel *m = tn_builder_compile(b, &err);
    tn_builder_destroy(b);
    REQUIRE(m);
    TnState s;
    CHECK(tn_state_init(&s, m) && s.row_lambda_count == 0);
    tn_state_free(&s);
    tn_model_destroy(m);
}

/* Wheels in models: what compile makes of them, what it refuses, and that no memory is no crash. */
#include "build.h"

/* Bodies: 2 cart (slide), 3 wheel on it (hinge), 4 a post fixed to the world. */
static TnModelBuilder *cart(void)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId body = add_link(b, "cart", TN_BODY_WORLD, TN_JOINT_SLIDE);
    add_link(b, "disc", body, TN_JOINT_HINGE);
    add_body(b, "post", TN_BODY_WORLD, 0.0, 0.0, 0.0);
    return b;
}

static TnWheelDef sound_wheel(void)
{
    TnWheelDef def = tn_wheel_def();
    def.name = "left";
    def.body = 3;
    def.radius = 0.25;
    return def;
}

TEST(wheels_are_found_by_name_with_unit_directions)
{
    TnModelBuilder *b = cart();
    TnWheelDef def = sound_wheel();
    v3_set(def.pos, 0.0, 0.1, 0.0);
    v3_set(def.axle, 0.0, -3.0, 0.0);
    v3_set(def.normal, 0.0, 0.0, 2.0);
    def.keep_height = true;
    CHECK(tn_builder_add_wheel(b, &def) == 1);
    def.name = "right";
    def.kind = TN_WHEEL_SKATE;
    def.radius = 0.0;
    CHECK(tn_builder_add_wheel(b, &def) == 2);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK(tn_model_info(m).wheel_count == 2);
    CHECK(tn_model_find_wheel(m, "right") == 2 && tn_model_find_wheel(m, "front") == 0);
    CHECK(strcmp(tn_model_wheel_name(m, 1), "left") == 0 && !tn_model_wheel_name(m, 3)[0]);
    TnWheelInfo info = tn_model_wheel_info(m, 1);
    CHECK(info.kind == TN_WHEEL_ROLLING && info.body == 3 && info.radius == 0.25);
    CHECK(info.axle[1] == -1.0 && info.normal[2] == 1.0 && info.pos[1] == 0.1 && info.keep_height);
    CHECK(m->wheels[0].height == 1.75); /* the disc's body lies 2 m up, its rim 0.25 m below */
    CHECK(m->wheels[1].height == 2.0);
    CHECK(tn_model_wheel_info(m, 2).kind == TN_WHEEL_SKATE);
    CHECK(tn_model_wheel_info(m, 3).body == 0 && tn_model_wheel_info(m, 0).body == 0);
    tn_model_destroy(m);
}

#define REFUSED(CHANGE, TEXT)                                                                      \
    do {                                                                                           \
        TnModelBuilder *b_ = cart();                                                               \
        TnWheelDef def = sound_wheel();                                                            \
        CHANGE;                                                                                    \
        tn_builder_add_wheel(b_, &def);                                                            \
        CHECK_REFUSED(b_, TEXT);                                                                   \
    } while (0)

TEST(wrong_wheels_are_refused)
{
    REFUSED(def.body = 0, "wheel 'left': body is not given");
    REFUSED(def.body = 99, "wheel 'left': body 99 does not exist");
    REFUSED(def.body = TN_BODY_WORLD, "wheel 'left': its body is fixed to the world");
    REFUSED(def.body = 4, "wheel 'left': its body is fixed to the world");
    REFUSED(def.pos[1] = NAN, "pos is not finite");
    REFUSED(def.axle[0] = INFINITY, "axle is not finite");
    REFUSED(v3_zero(def.axle), "axle has length 0");
    REFUSED(v3_zero(def.normal), "normal has length 0");
    REFUSED(def.normal[2] = NAN, "normal is not finite");
    REFUSED(def.radius = -0.1, "radius must not be negative");
    REFUSED(def.radius = NAN, "radius is not finite");
    REFUSED(def.radius = 0.0, "a rolling wheel has a radius above 0");
    REFUSED(def.kind = (TnWheelKind)2, "kind 2 does not exist");
    REFUSED(v3_set(def.axle, 0.0, 0.0, 1.0),
            "its axle is parallel to the ground's normal in the reference pose");
    REFUSED(v3_set(def.normal, 0.0, -1.0, 0.0), "its axle is parallel to the ground's normal");
    REFUSED(def.source = ((TnSource){.file = "cart.xml", .line = 7, .column = 3});
            def.radius = 0.0, "cart.xml:7:3: wheel 'left': a rolling wheel");
}

TEST(two_wheels_of_one_name_are_refused)
{
    TnModelBuilder *b = cart();
    TnWheelDef def = sound_wheel();
    tn_builder_add_wheel(b, &def);
    tn_builder_add_wheel(b, &def);
    CHECK_REFUSED(b, "wheel");
}

TEST(segments_of_rods_have_no_wheels)
{
    TnModelBuilder *b = cart();
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 3;
    rod.end[0] = 1.0;
    TnRodId id = tn_builder_add_rod(b, &rod);
    TnWheelDef def = sound_wheel();
    def.body = tn_builder_rod_parts(b, id).body;
    tn_builder_add_wheel(b, &def);
    CHECK_REFUSED(b, "its body is a segment of a rod");
}

TEST(no_memory_for_wheels_is_an_error_and_no_leak)
{
    for (long n = 0; n < 60; n++) { /* more than building takes */
        tn_malloc_fail_after(n);
        TnModelBuilder *b = cart();
        TnWheelDef def = sound_wheel();
        for (int i = 0; i < 40; i++) {
            def.name = NULL;
            tn_builder_add_wheel(b, &def);
        }
        TnError err = {0};
        TnModel *m = b ? tn_builder_compile(b, &err) : NULL;
        tn_malloc_fail_after(-1);
        CHECK(m || !b || err.code == TN_ERROR_MEMORY);
        tn_model_destroy(m);
        tn_builder_destroy(b);
    }
}

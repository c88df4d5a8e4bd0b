/* Wheels read from MJCF: their attributes, and errors with their places. */
#include "mjcf_text.h"
#include "model/model.h"

#define CART(WHEELS)                                                                               \
    "<mujoco><worldbody><body name='cart'><joint type='slide' axis='1 0 0'/>"                      \
    "<geom size='.1'/><body name='disc'><joint axis='0 1 0'/><geom size='.1'/></body></body>"      \
    "</worldbody>\n<tenon>" WHEELS "</tenon></mujoco>"

TEST(wheels_are_read_with_their_defaults)
{
    TnError err = {0};
    TnModel *m = load_text(CART("<wheel name='a' body='disc' radius='.2'/>"
                                "<wheel body='cart' pos='1 2 3' axle='1 1 0' radius='0' "
                                "roll='skate' normal='0 1 2' keep='true'/>"),
                           &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK(tn_model_info(m).wheel_count == 2 && tn_model_find_wheel(m, "a") == 1);
    TnWheelInfo a = tn_model_wheel_info(m, 1), b = tn_model_wheel_info(m, 2);
    CHECK(a.kind == TN_WHEEL_ROLLING && a.body == 3 && a.radius == 0.2 && !a.keep_height);
    CHECK(a.axle[1] == 1.0 && a.normal[2] == 1.0 && a.pos[0] == 0.0);
    CHECK(b.kind == TN_WHEEL_SKATE && b.body == 2 && b.radius == 0.0 && b.keep_height);
    CHECK(b.pos[0] == 1.0 && b.pos[2] == 3.0);
    CHECK_NEAR(b.axle[0], sqrt(0.5), 1e-15);
    CHECK_NEAR(b.normal[2], 2.0 / sqrt(5.0), 1e-15);
    tn_model_destroy(m);
}

TEST(bad_wheels_are_reported_at_their_place)
{
    static const struct {
        const char *text, *place, *part;
    } cases[] = {
        {CART("<wheel radius='1'/>"), "2:8", "body"},
        {CART("<wheel body='dics' radius='1'/>"), "2:15", "no body named 'dics'; did you mean"},
        {CART("<wheel body='disc'/>"), "2:8", "a rolling wheel has a radius above 0"},
        {CART("<wheel body='disc' radius='0'/>"), "2:27", "a rolling wheel has a radius above 0"},
        {CART("<wheel body='disc' radius='-1'/>"), "2:27", "radius"},
        {CART("<wheel body='disc' radius='nan'/>"), "2:27", "radius"},
        {CART("<wheel body='disc' radius='1' axle='0 0 0'/>"), "2:38", "axle must not be zero"},
        {CART("<wheel body='disc' radius='1' axle='0 1'/>"), "2:38", "axle"},
        {CART("<wheel body='disc' radius='1' axle='0 0 1'/>"), "2:8", "parallel to the ground"},
        {CART("<wheel body='disc' radius='1' normal='0 0 0'/>"), "2:38", "normal must not be zero"},
        {CART("<wheel body='disc' radius='1' roll='slide'/>"), "2:38", "rolling skate"},
        {CART("<wheel body='disc' radius='1' keep='yes'/>"), "2:38", "false true"},
        {CART("<wheel body='disc' radius='1' axel='0 1 0'/>"), "2:38", "did you mean 'axle'"},
        {CART("<wheel body='disc' radius='1'><geom/></wheel>"), "2:38", "no children"},
        {CART("<wheel body='world' radius='1'/>"), "2:8", "fixed to the world"},
        {CART("<wheel name='a' body='disc' radius='1'/><wheel name='a' body='disc' radius='1'/>"),
         "2:55", "already a wheel named 'a'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        TnModel *m = load_text(cases[i].text, &err);
        CHECK(!m);
        if (!has_line(err.message, cases[i].place, cases[i].part))
            test_fail(__FILE__, __LINE__, "case %zu: %s", i, err.message);
        tn_model_destroy(m);
    }
}

/* A geom's margin: contacts act at this distance, as in MuJoCo 4.0.0. */
#include "text_scene.h"

/* Height at which a body comes to rest. */
static double rest_height(const char *floor, const char *geom, const char *rest, double start)
{
    Text text = {.length = 0};
    TextScene s;
    text_add(&text,
             "<worldbody><geom name='floor' type='plane' size='0 0 1' %s/>"
             "<body pos='0 0 %g'><freejoint/><geom name='thing' %s/></body></worldbody>%s",
             floor, start, geom, rest);
    if (!text_open(&s, 0.005, "0 0 -9.81", text.text)) return NAN;
    for (int k = 0; k < 200; k++) tn_world_step(s.world);
    double height = tn_world_state(s.world).qpos[2];
    text_close(&s);
    return height;
}

/* What a step's tolerance leaves of a resting height, m. */
#define RESTS 1e-6

TEST(a_body_rests_at_the_distance_of_its_margin)
{
    /* MuJoCo's ball rests at 0.1196: its contacts give way by 0.4 mm */
    CHECK_NEAR(rest_height("", "size='.1' margin='.02'", "", 0.2), 0.12, RESTS);
    CHECK_NEAR(rest_height("margin='.01'", "size='.1' margin='.02'", "", 0.2), 0.13, RESTS);
    CHECK_NEAR(rest_height("margin='.01'", "size='.1'", "", 0.05), 0.11, RESTS);
    CHECK_NEAR(rest_height("", "type='box' size='.1 .2 .05' margin='.02'", "", 0.08), 0.07, RESTS);
    CHECK_NEAR(
        rest_height("", "type='capsule' size='.05 .2' euler='1.5707963 0 0' margin='.03'", "", 0.1),
        0.08, RESTS);
}

TEST(a_gap_changes_nothing)
{
    CHECK_NEAR(rest_height("gap='.005'", "size='.1' margin='.02' gap='.01'", "", 0.2), 0.12, RESTS);
}

TEST(a_pair_has_a_margin_of_its_own)
{
    CHECK_NEAR(rest_height("margin='.5'", "size='.1' margin='.3'",
                           "<contact><pair geom1='thing' geom2='floor' margin='.02'/></contact>",
                           0.2),
               0.12, RESTS);
}

/* 20 m/s: 0.1 m in a step, which is as long as it is thick. */
TEST(a_fast_body_is_stopped_at_its_margin)
{
    TextScene s;
    if (!text_open(&s, 0.005, "0 0 0",
                   "<worldbody><geom type='box' size='1 1 .01' margin='.01'/>"
                   "<body pos='0 0 1.003'><freejoint/><geom size='.05' margin='.02'/></body>"
                   "</worldbody><keyframe><key name='start' qpos='0 0 1.003 1 0 0 0' "
                   "qvel='0 0 -20 0 0 0'/></keyframe>"))
        return;
    double low = 1;
    for (int k = 0; k < 40; k++) {
        tn_world_step(s.world);
        low = fmin(low, tn_world_state(s.world).qpos[2]);
    }
    CHECK_NEAR(low, 0.01 + 0.05 + 0.03, RESTS);
    text_close(&s);
}

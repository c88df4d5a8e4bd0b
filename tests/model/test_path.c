/* Paths: wrapping against closed forms, and gradients against differences of lengths. */
#include "../io/mjcf_text.h"

#include "math/vec3.h"
#include "model/path.h"
#include "subsystem/dynamics.h"

#define PI 3.14159265358979323846

TEST(a_string_over_a_sphere_is_two_tangents_and_an_arc)
{
    /* ends at (∓2, 0, 0) with a sphere of radius 1 between them: tangents of √3, an arc of π/3 */
    const double a[3] = {-2, 0, 0}, b[3] = {2, 0, 0}, above[3] = {0, 0, 3};
    TnWrap wrap;
    const double tilted[3] = {2.0 * cos(0.1), 0, 2.0 * sin(0.1)}; /* any plane does for 180° */
    CHECK(tn_wrap(false, 1.0, a, b, above, &wrap));
    CHECK_NEAR(wrap.length, PI / 3.0, 1e-14);
    CHECK(tn_wrap(false, 1.0, a, tilted, NULL, &wrap));
    CHECK_NEAR(wrap.length, PI / 3.0 - 0.1, 1e-14);
    for (int i = 0; i < 2; i++) CHECK_NEAR(v3_norm(wrap.on[i]), 1.0, 1e-15);
    CHECK_NEAR(v3_distance(a, wrap.on[0]), sqrt(3.0), 1e-14);
    CHECK_NEAR(v3_distance(tilted, wrap.on[1]), sqrt(3.0), 1e-14);
    /* a side behind the sphere asks for the long way */
    const double below[3] = {0, 0, -3}, over[3] = {0, 0, 3};
    CHECK(tn_wrap(false, 1.0, a, tilted, over, &wrap));
    CHECK_NEAR(wrap.length, PI / 3.0 - 0.1, 1e-14);
    CHECK(tn_wrap(false, 1.0, a, tilted, below, &wrap));
    CHECK_NEAR(wrap.length, PI / 3.0 + 0.1, 1e-14);
}

TEST(a_string_past_a_sphere_is_straight)
{
    const double a[3] = {-2, 0, 1.1}, b[3] = {2, 0, 1.1}, inside[3] = {0.5, 0, 0};
    const double above[3] = {0, 0, 3}, below[3] = {0, 0, -3};
    TnWrap wrap;
    CHECK(!tn_wrap(false, 1.0, a, b, NULL, &wrap));
    CHECK(!tn_wrap(false, 1.0, a, b, above, &wrap));
    CHECK(!tn_wrap(false, 1.0, inside, b, NULL, &wrap)); /* an end within: none */
    /* the side site drags it around */
    double reach = hypot(2.0, 1.1),
           arc = 2.0 * PI - 2.0 * acos(1.0 / reach) - 2.0 * atan2(2.0, 1.1);
    CHECK(tn_wrap(false, 1.0, a, b, below, &wrap));
    CHECK_NEAR(wrap.length, arc, 1e-14);
}

TEST(a_string_around_a_cylinder_is_a_helix)
{
    /* unrolled it is straight: in the plane √3 + π/3 + √3 long, and 0.7 high */
    const double a[3] = {-2, 0, 0.2}, b[3] = {2, 0, 0.9}, side[3] = {0, 3, 0};
    TnWrap wrap;
    CHECK(tn_wrap(true, 1.0, a, b, side, &wrap));
    double length = v3_distance(a, wrap.on[0]) + wrap.length + v3_distance(wrap.on[1], b);
    CHECK_NEAR(length, hypot(2.0 * sqrt(3.0) + PI / 3.0, 0.7), 1e-14);
    CHECK(wrap.on[0][1] > 0.0 && wrap.on[1][1] > 0.0);
}

TEST(a_string_through_a_ring_is_bent_like_light)
{
    const double a[3] = {-2, 1.5, 0}, b[3] = {1.2, 2.2, 0}, side[3] = {0, 0.3, 0};
    TnWrap wrap;
    CHECK(tn_wrap(true, 1.0, a, b, side, &wrap));
    CHECK_NEAR(wrap.length, 0.0, 0.0);
    double to_a[3], to_b[3];
    v3_sub(to_a, a, wrap.on[0]);
    v3_sub(to_b, b, wrap.on[0]);
    v3_normalize(to_a);
    v3_normalize(to_b);
    CHECK_NEAR(v3_norm(wrap.on[0]), 1.0, 1e-15);
    CHECK_NEAR(v3_dot(to_a, wrap.on[0]), v3_dot(to_b, wrap.on[0]), 1e-12); /* same angles */
    /* a string that passes through the circle is not held by it */
    const double low[3] = {1.2, -1.5, 0};
    CHECK(!tn_wrap(true, 1.0, a, low, side, &wrap));
}

/* A tendon of all kinds of points, and actuators on sites and a slider-crank. */
static const char text[] =
    "<mujoco><compiler angle='radian'/><worldbody><site name='w' pos='0 0 1.2'/>"
    "<geom name='post' type='cylinder' size='.08 .2' pos='.35 .02 1' euler='1.4 .2 0'/>"
    "<body pos='0 0 1'><joint name='a' axis='0 1 .2'/><geom size='.1' pos='.1 0 0'/>"
    "<geom name='ball' size='.06' pos='.3 0 0'/><site name='s0' pos='.1 .02 .05'/>"
    "<body pos='.3 0 0'><joint name='b' axis='0 1 0'/><joint name='c' axis='1 0 0'/>"
    "<geom size='.1' pos='.2 0 0'/><site name='s1' pos='.12 0 .04'/><site name='s2' pos='.3 0 0' "
    "euler='.1 .2 .3'/></body></body>"
    "<body pos='.6 .2 .8'><joint name='d' type='slide' axis='0 .3 1'/><geom size='.1'/>"
    "<site name='s3' pos='0 0 .05' euler='.3 0 .2'/></body></worldbody>"
    "<tendon><spatial name='t'><site site='w'/><site site='s0'/><geom geom='ball'/>"
    "<site site='s1'/><pulley divisor='3'/><site site='s2'/><geom geom='post'/><site site='s3'/>"
    "</spatial></tendon><actuator><motor site='s2' refsite='s3' gear='1 2 3'/>"
    "<motor cranksite='s2' slidersite='s3' cranklength='2'/></actuator></mujoco>";

static void place(const TnModel *m, const double *qpos, TnLinkFrame *frames)
{
    tn_kinematics(m, qpos, 0, m->link_count, frames);
}

TEST(rates_are_differences_of_lengths)
{
    TnError err = {0};
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m && m->path_count == 3 && m->link_count <= 8 && m->dof_count == 4);
    const double q[4] = {0.3, -0.4, 0.2, 0.1};
    TnLinkFrame frames[8];
    double twists[8][6], h = 1e-6;
    for (int p = 0; p < m->path_count; p++) {
        for (int d = 0; d < 4; d++) {
            double v[4] = {0}, up[4], down[4], rate;
            memcpy(up, q, sizeof up);
            memcpy(down, q, sizeof down);
            v[d] = 1.0;
            up[d] += h;
            down[d] -= h;
            place(m, q, frames);
            tn_kinematics_twists(m, q, v, frames, 0, m->link_count, twists);
            tn_path_rate(m, &m->paths[p], q, v, frames, (const double(*)[6])twists, &rate);
            place(m, up, frames);
            double after = tn_path_walk(m, &m->paths[p], up, frames, NULL);
            place(m, down, frames);
            double before = tn_path_walk(m, &m->paths[p], down, frames, NULL);
            /* a refsite that turns is not in MuJoCo's moment, so not here: s3 only slides */
            CHECK_NEAR(rate, (after - before) / (2.0 * h), 1e-8); /* rounding / h */
        }
    }
    tn_model_destroy(m);
}

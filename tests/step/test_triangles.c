/* Contacts with triangles: meshes that collide as such, and height fields. */
#include "text_scene.h"

/* A floor at height 0 of uneven triangles, 4 m × 2 m, as a mesh. */
static void add_floor_mesh(Text *x)
{
    enum { ROWS = 7, COLUMNS = 13 };
    text_add(x, "<asset><mesh name='floor' vertex='");
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            bool inner = r > 0 && r < ROWS - 1 && c > 0 && c < COLUMNS - 1;
            double shift = inner ? 0.09 * sin(7.0 * r + 3.0 * c) : 0.0;
            text_add(x, "%.17g %.17g 0 ", -2.0 + 4.0 * c / (COLUMNS - 1) + shift,
                     -1.0 + 2.0 * r / (ROWS - 1) - shift);
        }
    text_add(x, "' face='");
    for (int r = 0; r + 1 < ROWS; r++)
        for (int c = 0; c + 1 < COLUMNS; c++) {
            int a = r * COLUMNS + c, b = a + COLUMNS;
            if ((r + c) % 2)
                text_add(x, "%d %d %d %d %d %d ", a, a + 1, b + 1, a, b + 1, b);
            else
                text_add(x, "%d %d %d %d %d %d ", a, a + 1, b, a + 1, b + 1, b);
        }
    text_add(x, "'/></asset><tenon><mesh name='floor' collision='triangles'/></tenon>"
                "<worldbody><geom type='mesh' mesh='floor' friction='0'/>");
}

/* The same as a height field whose level part is at height 0. */
static void add_floor_field(Text *x)
{
    text_add(x, "<asset><hfield name='floor' nrow='9' ncol='17' size='2.5 1.5 1 .1'/></asset>"
                "<worldbody><geom type='hfield' hfield='floor' friction='0'/>");
}

static const struct {
    const char *geom;
    double height;
} things[] = {
    {"type='box' size='.1 .07 .05'", 0.05},
    {"size='.1'", 0.1},
    {"type='capsule' size='.04 .1' euler='0 1.57079632679489662 .3'", 0.04},
    {"type='cylinder' size='.08 .03'", 0.03},
    {"type='ellipsoid' size='.1 .08 .05'", 0.05},
};
enum { THINGS = sizeof things / sizeof *things };

/* A thing that slides without friction keeps its velocity and its height. */
static void check_sliding(bool field, int which, double t, double speed)
{
    Text x = {.length = 0};
    TextScene s;
    double vx = speed * cos(0.2), vy = speed * sin(0.2), height = things[which].height;
    (field ? add_floor_field : add_floor_mesh)(&x);
    text_add(&x,
             "<body pos='-1.5 -.3 %.17g'><freejoint/><geom friction='0' %s/></body></worldbody>"
             "<keyframe><key name='start' qpos='-1.5 -.3 %.17g 1 0 0 0' "
             "qvel='%.17g %.17g 0 0 0 0'/></keyframe>",
             height, things[which].geom, height, vx, vy);
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = 1e-9; /* of gravity · step: the solver shall not be what is seen */
    if (!text_open_of(&s, t, "0 0 -9.81", x.text, def)) return;
    double worst_height = 0, worst_speed = 0, worst_spin = 0;
    for (int k = 0; k * t < 2.5 / speed; k++) {
        tn_world_step(s.world);
        TnStateView state = tn_world_state(s.world);
        worst_height = fmax(worst_height, fabs(state.qpos[2] - height));
        worst_speed = fmax(worst_speed, fabs(state.qvel[0] - vx) + fabs(state.qvel[1] - vy) +
                                            fabs(state.qvel[2]));
        for (int i = 3; i < 6; i++) worst_spin = fmax(worst_spin, fabs(state.qvel[i]));
    }
    /* what the arithmetic of a step leaves */
    if (!(worst_height < 1e-9 && worst_speed < 1e-9 && worst_spin < 1e-9))
        test_fail(__FILE__, __LINE__, "%s %s at %g m/s, %g s: height %g, speed %g, spin %g",
                  field ? "field" : "mesh", things[which].geom, speed, t, worst_height, worst_speed,
                  worst_spin);
    text_close(&s);
}

TEST(nothing_bumps_on_a_floor_of_triangles)
{
    const double steps[] = {0.002, 0.01}, speeds[] = {0.5, 4.0};
    for (int which = 0; which < THINGS; which++)
        for (int field = 0; field < 2; field++)
            for (int k = 0; k < 4; k++) check_sliding(field, which, steps[k / 2], speeds[k % 2]);
}

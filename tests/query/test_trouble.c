/* tn_world_trouble: models that are made to fail, and what is said of them: the kind, the name of
 * what is to blame, and advice. */
#include "../check.h"

#include "base/base.h"

#include <tenon/tenon.h>

#define HEAD "<mujoco><option timestep='0.01'/><worldbody>"
#define FLOOR "<geom name='floor' type='plane' size='1 1 1'/>"

static TnModel *load(const char *text)
{
    TnError err = {0};
    TnLoadDef def = tn_load_def();
    def.text = text;
    TnModelBuilder *builder = tn_builder_load("scene.xml", &def, NULL, &err);
    TnModel *model = builder ? tn_builder_compile(builder, &err) : NULL;
    tn_builder_destroy(builder);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

typedef struct Case {
    const char *text;
    TnTroubleKind kind;
    const char *where, *help;
    int substeps;
} Case;

static const Case cases[] = {
    {.text = HEAD "<body name='box' pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1'/>"
                  "</body></worldbody><equality>"
                  "<weld name='here' body1='box' relpose='0 0 -1 1 0 0 0'/>"
                  "<weld name='there' body1='box' relpose='2 0 -1 1 0 0 0'/></equality></mujoco>",
     .kind = TN_TROUBLE_ROUGH,
     .where = "here' (weld)", /* 'there' has it in its name */
     .help = "contradict each other"},
    {.text = HEAD FLOOR "<geom name='lid' type='box' size='1 1 .1' pos='0 0 .25'/>"
                        "<body name='cube' pos='0 0 .075'><freejoint/>"
                        "<geom name='c' type='box' size='.1 .1 .1'/></body></worldbody></mujoco>",
     .kind = TN_TROUBLE_CONTRADICTION,
     .where = "contact of geom 'c' with geom",
     .help = "squeezed between"},
    {.text = HEAD "<body name='arm' pos='0 0 1'><joint name='elbow' type='slide' axis='1 0 0' "
                  "stiffness='1e308' springref='5'/><geom size='.1' mass='1e-5'/></body>"
                  "</worldbody></mujoco>",
     .kind = TN_TROUBLE_INDEFINITE,
     .where = "the robot of body 'arm'",
     .help = "huge or negative"},
    {.text = "<mujoco><option timestep='0.01' gravity='0 0 -1e15'/><worldbody>"
             "<body name='ball'><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
     .kind = TN_TROUBLE_NOT_FINITE,
     .where = "body 'ball'",
     .help = "smaller timestep"},
    {.text = "<mujoco><option timestep='0.01' gravity='1e15 0 0'/><worldbody><body name='base'>"
             "<joint name='up' type='slide' axis='0 0 1'/><geom size='.1'/><body name='hand'>"
             "<joint name='out' type='slide' axis='1 0 0'/><geom size='.1'/></body></body>"
             "</worldbody></mujoco>",
     .kind = TN_TROUBLE_NOT_FINITE,
     .where = "joint 'out' of body 'hand'",
     .help = "smaller timestep",
     .substeps = 2},
    {.text = HEAD "</worldbody><tenon><rod name='rope' start='0 0 .5' end='1 0 .6' segments='8' "
                  "radius='.01' young='1e305'/></tenon></mujoco>",
     .kind = TN_TROUBLE_INDEFINITE,
     .where = "cable 'rope'",
     .help = "huge or negative"},
    {.text = HEAD "</worldbody><tenon><soft name='pad' box='.1 .1 .1' cells='2 2 2' pos='0 0 .2' "
                  "young='1e300'/></tenon></mujoco>",
     .kind = TN_TROUBLE_INDEFINITE,
     .where = "soft body 'pad'",
     .help = "material"},
    {.text = HEAD FLOOR "<body name='ball' pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
                        "</worldbody></mujoco>",
     .kind = TN_TROUBLE_NONE,
     .where = "",
     .help = ""},
};

TEST(trouble_has_a_name_and_advice)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        TnError err = {0};
        TnModel *model = load(c->text);
        TnWorldDef def = tn_world_def();
        def.substeps = c->substeps;
        TnWorld *world = model ? tn_world_create(&def, model, &err) : NULL;
        REQUIRE(world);
        CHECK(tn_world_trouble(world).kind == TN_TROUBLE_NONE);
        TnStepReport report = {0};
        for (int k = 0; k < 20 && !report.diverged; k++) report = tn_world_step(world);
        TnTrouble t = tn_world_trouble(world);
        if (t.kind != c->kind || report.diverged != (c->kind >= TN_TROUBLE_NOT_FINITE))
            test_fail(__FILE__, __LINE__, "case %zu: %d %s", i, t.kind, t.what);
        CHECK_STR(t.where, c->where);
        CHECK_STR(t.help, c->help);
        CHECK((t.kind == TN_TROUBLE_NONE) == (t.what[0] == '\0'));
        CHECK((t.kind == TN_TROUBLE_NONE) == (t.help[0] == '\0'));
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(ids_of_what_is_to_blame)
{
    TnError err = {0};
    TnModel *model = load(cases[4].text);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    while (!tn_world_step(world).diverged) {}
    TnTrouble t = tn_world_trouble(world);
    CHECK(t.body == tn_model_find_body(model, "hand") &&
          t.joint == tn_model_find_joint(model, "out") && t.soft == 0 && t.element == -1);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* The first element of a node that a force without measure pulls at. */
TEST(elements_of_soft_bodies_are_named)
{
    TnError err = {0};
    TnModel *model = load(HEAD "</worldbody><tenon><soft name='pad' box='.1 .1 .1' cells='2 2 2' "
                               "pos='0 0 .2' young='1e5'/></tenon></mujoco>");
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    tn_world_apply_node_force(world, 1, 5, (double[3]){1e200, 0.0, 0.0});
    CHECK(tn_world_step(world).diverged);
    TnTrouble t = tn_world_trouble(world);
    CHECK(t.soft == 1 && t.body == 0);
    CHECK_STR(t.where, "soft body 'pad'");
    CHECK(!tn_world_step(world).diverged && tn_world_trouble(world).kind == TN_TROUBLE_NONE);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_force_without_measure_is_found)
{
    TnError err = {0};
    TnModel *model = load(cases[7].text);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    tn_world_apply_wrench(world, 2, (double[3]){1e300, 0.0, 0.0}, NULL);
    CHECK(tn_world_step(world).diverged);
    CHECK(tn_world_trouble(world).kind == TN_TROUBLE_NOT_FINITE);
    CHECK_STR(tn_world_trouble(world).where, "body 'ball'");
    CHECK(tn_world_trouble(NULL).kind == TN_TROUBLE_NONE);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

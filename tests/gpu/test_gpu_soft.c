/* Soft bodies among free bodies and robots on a device, as loops on the host (src/gpu/parallel.h):
 * steps against the CPU's. */
#include "agreement.h"

#define MATTER "young='2e4' poisson='.3' density='300' friction='.5'"
#define BED "<soft name='bed' box='.1 .1 .05' cells='4 4 2' pos='0 0 .0505' " MATTER "/>"

/* Spheres and boxes that lie and fall on soft bodies, which stand on the ground. */
static TnModel *open_scene(int bodies, const char *more, const char *softs, const char *rest)
{
    static Text text;
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.005'/><worldbody>" GROUND);
    for (int i = 0; i < bodies; i++)
        text_add(&text,
                 "<body pos='%g %g %g'><freejoint/><geom %s friction='.5' density='500'/></body>",
                 .05 * (i % 3 - 1) + .003 * i, .05 * (i / 3 - 1), .125 + .004 * i,
                 i % 4 == 3 ? "type='box' size='.02 .015 .02'" : "size='.02'");
    text_add(&text, "%s</worldbody>%s<tenon>%s</tenon></mujoco>", more, rest, softs);
    return open_model(text.text);
}

/* After the same number of iterations. The same code finds the contacts of soft bodies, so almost
 * all steps count; what is left is rounding over 200 iterations. */
static Agreement compare_softs(TnDevice device, TnModel *model, int steps)
{
    return compare_within(device, model, 0.0, 200, steps);
}

static void check(Agreement a, int least, int contacts, double allowed)
{
    CHECK(a.compared >= least);
    CHECK(a.contacts > contacts * a.compared);
    CHECK(a.force < allowed * a.weight);
    /* the CPU takes energy off that steps made which are not solved after 200 iterations */
    CHECK(a.velocity < 0.01 * a.speed);
}

TEST(a_soft_block_bears_bodies)
{
    check(compare_softs(TN_DEVICE_CUDA64, open_scene(9, "", BED, ""), 40), 35, 30, 1e-10);
    check(compare_softs(TN_DEVICE_CUDA, open_scene(9, "", BED, ""), 20), 15, 25, 1e-4);
}

TEST(soft_bodies_touch_each_other_and_themselves)
{
    const char *two = BED "<soft name='ball' ball='.04' cells='3' pos='.02 .01 .1405' " MATTER "/>";
    const char *cloth =
        "<flexcomp name='cloth' type='grid' dim='2' count='7 7 1' spacing='.04 .04 .04' pos='0 0 "
        ".185' mass='.02' radius='.006'><elasticity young='3e4' poisson='.3' thickness='.002' "
        "elastic2d='both'/><contact friction='.5' selfcollide='auto'/></flexcomp>";
    Agreement a = compare_softs(TN_DEVICE_CUDA64, open_scene(0, cloth, two, ""), 30);
    check(a, 25, 30, 1e-10);
}

/* A plunger with a servo, and pinned nodes. */
TEST(a_robot_presses_a_soft_body)
{
    const char *plunger =
        "<body pos='0 0 .16'><joint name='a' type='slide' axis='0 0 -1' armature='.1' damping='2'/>"
        "<geom type='cylinder' size='.03 .03' mass='1'/></body>"
        "<body name='wall' pos='.13 0 .05' mocap='true'><geom type='box' size='.02 .1 .1'/></body>";
    const char *bed = "<soft name='bed' box='.1 .1 .05' cells='4 4 2' pos='0 0 .0505' " MATTER
                      "><pin box='0 0 .0005  .2 .2 .001'/></soft>";
    const char *servo = "<actuator><position joint='a' kp='80' kv='10'/></actuator>";
    Agreement a = compare_softs(TN_DEVICE_CUDA64, open_scene(0, plunger, bed, servo), 40);
    check(a, 35, 4, 1e-10);
}

/* By the default options, but for the device: all of it comes to rest, and what the ground bears is
 * the weight. */
TEST(soft_bodies_come_to_rest_with_the_same_bits)
{
    TnModel *model = open_scene(5, "", BED, "");
    TnWorldDef def = tn_world_def();
    uint64_t hash[2];
    def.device = TN_DEVICE_CUDA64;
    for (int pass = 0; pass < 2; pass++) {
        TnWorld *world = open_world(def, model);
        double up = 0.0, weight = 9.81 * tn_model_info(model).total_mass;
        for (int k = 0; k < 200; k++) CHECK(!tn_world_step(world).diverged);
        for (int i = 0; i < tn_world_contact_count(world); i++) {
            TnContact c = tn_world_contact(world, i);
            if (c.geom2 == 1) up -= c.force[2];
        }
        CHECK_NEAR(up, weight, 0.02 * weight); /* what still moves after 1 s */
        CHECK(tn_world_energy(world).kinetic < 1e-3);
        hash[pass] = tn_world_hash(world);
        tn_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
    tn_model_destroy(model);
}

TEST(what_soft_bodies_cannot_have_there_is_named)
{
    const struct {
        const char *more, *softs, *says;
    } cases[] = {
        {"<body pos='0 0 .12'><joint type='slide' axis='0 0 1'/><geom name='palm' type='box' "
         "size='.05 .05 .03'/></body>",
         "<soft name='bed' box='.1 .1 .05' cells='4 4 2' pos='0 0 .06' " MATTER
         "><hold within='palm'/></soft>",
         "holds"},
        {"", "<soft name='bed' box='.1 .1 .05' cells='4 4 2' pos='0 0 .06' pieces='2' " MATTER "/>",
         "pieces"},
        {"",
         "<soft name='bed' box='.1 .1 .05' cells='4 4 2' pos='0 0 .06' restitution='.5' " MATTER
         "/>",
         "restitution"},
        {"", "<soft name='bed' box='.1 .1 .05' cells='20 20 10' pos='0 0 .06' " MATTER "/>",
         "nodes on its surface"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        TnModel *model = open_scene(1, cases[i].more, cases[i].softs, "");
        TnWorldDef def = definition(TN_DEVICE_CUDA64, 0.0, 10);
        CHECK(!tn_world_create(&def, model, &err));
        if (!strstr(err.message, cases[i].says) || !strstr(err.message, "'bed'"))
            test_fail(__FILE__, __LINE__, "'%s' does not say %s", err.message, cases[i].says);
        tn_model_destroy(model);
    }
}

/* The back end for devices, compiled as loops on the host (src/gpu/parallel.h): everything of it
 * but the timing. Its steps against the CPU's, what it refuses, memory that grows and memory that
 * runs out. */
#include "agreement.h"

#include "base/base.h"
#include "gpu/gpu.h"

extern size_t tn_gpu_memory_limit;
/* of gpu.cu and parallel.h, which are C++; variables have the same name there */
extern int tn_gpu_waits_left;
extern bool tn_gpu_is_missing;

/* All shapes in layers above the ground, each turned and thrown a little. */
static TnModel *open_pile(int count, const char *shapes)
{
    static const char *const geoms[] = {
        "<geom size='.05'/>", "<geom type='box' size='.05 .04 .06'/>",
        "<geom type='capsule' size='.03 .03'/>", "<geom type='cylinder' size='.05 .04'/>",
        "<geom type='ellipsoid' size='.05 .04 .06'/>"};
    TnError err = {0};
    static Text text;
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.005'/><default><geom "
                    "friction='.1'/></default><worldbody>" GROUND
                    "<geom type='box' pos='0 0 .02' size='.1 .1 .02'/>");
    for (int i = 0; i < count; i++) {
        int x = i % 3, y = i / 3 % 3, z = i / 9;
        char kind = shapes[(size_t)i % strlen(shapes)];
        text_add(&text, "<body pos='%g %g %g' euler='%d %d %d'><freejoint/>%s</body>",
                 0.13 * (x - 1) + 0.01 * (z % 3), 0.13 * (y - 1) - 0.007 * (z % 2), 0.12 + 0.14 * z,
                 31 * i % 90, 17 * i % 90, 7 * i % 90, geoms[kind - 'a']);
    }
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

/* The same steps from the same states: a settled pile on ground that begins to tilt, after the same
 * number of iterations. Neither knows the last forces. A device lists contacts of whatever may be
 * stopped, so steps count in which both have the same list; in most of them they do. */
typedef struct PileAgreement {
    int compared, contacts;
    double velocity, speed; /* largest difference, largest number */
} PileAgreement;

static PileAgreement compare_steps_of(TnDevice device, TnModel *model, double tolerance, int steps)
{
    PileAgreement a = {0};
    TnError err = {0};
    TnWorldDef def = definition(TN_DEVICE_CPU, tolerance, 3000);
    def.solver.warm_start = 0.0;
    TnWorld *here = open_reference(def, model), *settled = open_world(tn_world_def(), model);
    def.device = device;
    TnWorld *there = open_world(def, model);
    for (int k = 0; k < 300; k++) (void)tn_world_step(settled);
    TnStateView s1 = tn_world_state(settled), s2;
    CHECK(tn_world_set_state(here, s1.qpos, s1.qvel, &err) == TN_OK);
    for (int k = 0; k < 2; k++)
        CHECK(tn_world_set_gravity(k ? here : there, (const double[3]){1.5, 0.0, -9.81}, &err) ==
              TN_OK);
    for (int k = 0; k < steps; k++) {
        s1 = tn_world_state(here);
        CHECK(tn_world_set_state(there, s1.qpos, s1.qvel, &err) == TN_OK);
        TnStepReport r1 = tn_world_step(here), r2 = tn_world_step(there);
        s1 = tn_world_state(here);
        s2 = tn_world_state(there);
        for (int i = 0; i < s1.dof_count; i++) a.speed = fmax(a.speed, fabs(s1.qvel[i]));
        CHECK_NEAR(s1.time, s2.time, 1e-12);
        /* directions by GJK are right to about 1e-6, and differ where a device rounds otherwise */
        double force = 0.0, weight = 0.0;
        if (!compare_forces(here, there, &force, &weight) || !r1.converged || !r2.converged)
            continue;
        a.compared++;
        a.contacts += r1.contact_count;
        a.velocity = fmax(a.velocity, largest_difference(s1.qvel, s2.qvel, s1.dof_count));
    }
    tn_world_destroy(here);
    tn_world_destroy(there);
    tn_world_destroy(settled);
    tn_model_destroy(model);
    return a;
}

static PileAgreement compare_steps(TnDevice device, const char *shapes, double tolerance, int steps)
{
    int count = strlen(shapes) == 1 && *shapes == 'a' ? 27 : 9;
    return compare_steps_of(device, open_pile(count, shapes), tolerance, steps);
}

/* Each shape on hills. */
TEST(steps_on_a_height_field_agree_with_the_cpu)
{
    TnError err = {0};
    TnModel *model =
        load_text("<mujoco><option timestep='.005'/><default><geom friction='.1'/></default><asset>"
                  "<hfield name='hills' nrow='4' ncol='4' size='.4 .4 .1 .1' "
                  "elevation='1 1 1 1 1 .1 .3 1 1 .2 0 1 1 1 1 1'/></asset><worldbody>"
                  "<geom type='hfield' hfield='hills'/>"
                  "<body pos='.1 0 .16'><freejoint/><geom size='.05'/></body>"
                  "<body pos='-.1 .1 .16'><freejoint/><geom type='box' size='.05 .04 .06'/></body>"
                  "<body pos='-.1 -.1 .16'><freejoint/><geom type='capsule' size='.03 .03'/></body>"
                  "<body pos='.1 .15 .16'><freejoint/><geom type='cylinder' size='.05 .04'/></body>"
                  "</worldbody></mujoco>",
                  &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    PileAgreement a = compare_steps_of(TN_DEVICE_CUDA64, model, 0.0, 18); /* as many iterations */
    CHECK(a.compared >= 8);
    CHECK(a.contacts > 5 * a.compared);
    CHECK(a.speed > 0.04);
    /* with a fixed number the CPU does not know its error, and takes off less of the energy that a
     * step made (src/gpu/balance.h); else rounding over 3000 iterations, below 2e-8 */
    CHECK_NEAR(a.velocity / a.speed, 0.0, 3e-4);
}

/* Geoms that meet nothing but by a pair, which has its own friction and margin; and two that a pair
 * gives other friction than their own. */
TEST(explicit_pairs_agree_with_the_cpu)
{
    TnModel *model = open_model(
        "<mujoco><option timestep='.005'/><worldbody><geom name='ground' type='plane' size='5 5 1' "
        "friction='.1'/><geom name='block' type='box' pos='0 0 .02' size='.1 .1 .02' "
        "friction='.1'/>"
        "<body pos='0 0 .095'><freejoint/><geom name='a' size='.05' contype='0' "
        "conaffinity='0'/></body>"
        "<body pos='.3 0 .05'><freejoint/><geom name='b' type='box' size='.05 .05 .05' "
        "friction='.1'/></body>"
        "<body pos='.3 0 .15'><freejoint/><geom name='c' type='capsule' size='.04 .02' contype='0' "
        "conaffinity='0'/></body><body pos='.6 0 .051'><freejoint/><geom size='.05' "
        "friction='.1'/></body></worldbody>"
        "<contact><pair geom1='a' geom2='block' friction='.8 .8 0 0 0'/><pair geom1='b' geom2='c' "
        "friction='.6 .6 0 0 0' margin='.004' condim='3'/><pair geom1='ground' geom2='b' "
        "friction='.02 .02 0 0 0' condim='3'/></contact></mujoco>");
    PileAgreement a = compare_steps_of(TN_DEVICE_CUDA64, model, 1e-12, 18);
    CHECK(a.compared >= 8);
    CHECK(a.contacts > 5 * a.compared);
    CHECK(a.speed > 0.04);
    CHECK_NEAR(a.velocity / a.speed, 0.0, 1e-10);
}

TEST(steps_agree_with_the_cpu_in_double)
{
    const char *const piles[] = {"a", "b", "c", "abcde"};
    for (int i = 0; i < 4; i++) {
        PileAgreement a = compare_steps(TN_DEVICE_CUDA64, piles[i], 1e-12, 18);
        CHECK(a.compared >= 8);
        CHECK(a.contacts > 10 * a.compared);
        CHECK(a.speed > 0.04);
        CHECK_NEAR(a.velocity / a.speed, 0.0, 1e-10);
    }
}

TEST(steps_agree_with_the_cpu_in_single)
{
    PileAgreement a = compare_steps(TN_DEVICE_CUDA, "ab", 1e-5, 18);
    CHECK(a.compared >= 8);
    CHECK_NEAR(a.velocity / a.speed, 0.0, 1e-5);
}

/* A number in [0, 1) that depends on i alone. */
static double jitter(unsigned i)
{
    i = (i ^ 61u ^ (i >> 16)) * 9u;
    i = (i ^ (i >> 4)) * 0x27d4eb2du;
    return (double)(i ^ i >> 15) / 4294967296.0;
}

#define PAIRS 60

/* Pairs of boxes, far from each other: side by side, crossed, corner to corner, deep in each other,
 * some of them in line. */
static TnModel *open_boxes(void)
{
    TnError err = {0};
    static Text text;
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.01' gravity='0 0 -150'/><worldbody>");
    for (int i = 0; i < PAIRS; i++) {
        unsigned k = 16u * (unsigned)i;
        bool in_line = i % 4 == 0;
        text_add(&text, "<body pos='%d 0 0' euler='%.4g %.4g %g'><freejoint/>", i,
                 in_line ? 0.0 : 180.0 * jitter(k), in_line ? 0.0 : 180.0 * jitter(k + 1),
                 90.0 * (i % 3));
        text_add(&text, "<geom type='box' size='.05 .04 .06'/></body>");
        text_add(&text, "<body pos='%.5g %.5g %.5g' euler='%.4g %.4g %.4g'><freejoint/>",
                 i + 0.1 * (jitter(k + 2) - 0.5), 0.22 * (jitter(k + 3) - 0.5),
                 0.22 * (jitter(k + 4) - 0.5), in_line ? 0.0 : 180.0 * jitter(k + 5),
                 in_line ? 0.0 : 180.0 * jitter(k + 6), in_line ? 0.0 : 180.0 * jitter(k + 7));
        text_add(&text, "<geom type='box' size='.05 .05 .03'/></body>");
    }
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

/* How far the nearest contact of the same pair is, gap and normal included. */
static double nearest_contact(const TnWorld *world, const TnContact *c)
{
    double best = INFINITY;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact x = tn_world_contact(world, i);
        if (x.geom1 != c->geom1 || x.geom2 != c->geom2) continue;
        double d = fabs(x.gap - c->gap) + largest_difference(x.pos, c->pos, 3) +
                   0.1 * largest_difference(x.normal, c->normal, 3);
        best = fmin(best, d);
    }
    return best;
}

/* boxes.h finds the points that box_box.c, gjk.c and manifold.c find. */
TEST(boxes_have_the_same_points_as_on_the_cpu)
{
    TnModel *model = open_boxes();
    TnWorld *here = open_world(definition(TN_DEVICE_CPU, 0.0, 1), model),
            *there = open_world(definition(TN_DEVICE_CUDA64, 0.0, 1), model);
    (void)tn_world_step(here);
    (void)tn_world_step(there);
    int count = tn_world_contact_count(here), apart = 0;
    CHECK(count > 3 * PAIRS / 2);
    /* a device lists what falls alone, too */
    CHECK(count <= tn_world_contact_count(there));
    for (int i = 0; i < count; i++) {
        TnContact c = tn_world_contact(here, i);
        apart += c.gap > 0.0;
        /* where boxes are apart, directions by GJK are right to about 1e-6 */
        CHECK(nearest_contact(there, &c) < 1e-6);
    }
    CHECK(apart > 10);
    tn_world_destroy(here);
    tn_world_destroy(there);
    tn_model_destroy(model);
}

static uint64_t run(TnWorldDef def, const TnModel *model, int steps)
{
    TnWorld *world = open_world(def, model);
    for (int k = 0; world && k < steps; k++) CHECK(!tn_world_step(world).diverged);
    uint64_t hash = tn_world_hash(world);
    tn_world_destroy(world);
    return hash;
}

/* Pairs that are thrown at each other, by several times their thickness in a step: two bodies, or
 * one and the ground. Each pair is alone. They are listed as they are where they meet. */
TEST(fast_pairs_have_the_same_points_as_on_the_cpu)
{
    static const char *const geoms[] = {"type='capsule' size='.03 .08'", "size='.05'",
                                        "type='box' size='.05 .04 .06'"};
    static const int kinds[][2] = {{0, 0}, {0, 1}, {0, -1}, {2, 1}, {2, -1}, {2, 2}};
    TnError err = {0};
    static Text text;
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.005'/><worldbody>"
                    "<geom type='plane' size='5 5 1'/>");
    for (int i = 0; i < PAIRS; i++)
        for (int side = 0; side < 2 && kinds[i % 6][side] >= 0; side++)
            text_add(&text, "<body pos='%g %g %g' euler='%d %d %d'><freejoint/><geom %s/></body>",
                     3.0 * i + 0.02 * (i % 5) * side, 0.01 * (i % 7) * side,
                     kinds[i % 6][1] < 0 ? 0.2 : 2.0 + 0.25 * side, 37 * i % 90 + 20 * side,
                     53 * i % 90, 11 * i % 90, geoms[kinds[i % 6][side]]);
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnWorld *here = open_world(definition(TN_DEVICE_CPU, 0.0, 1), model),
            *there = open_world(definition(TN_DEVICE_CUDA64, 0.0, 1), model);
    TnStateView s = tn_world_state(here);
    double qvel[12 * PAIRS] = {0};
    for (int i = 0, body = 0; i < PAIRS; i++)
        for (int side = 0; side < 2 && kinds[i % 6][side] >= 0; side++, body++) {
            double *v = qvel + 6 * body;
            v[2] = kinds[i % 6][1] < 0 ? -50.0 : side ? -30.0 : 20.0 + 0.3 * i;
            v[3] = 0.5 * (i % 9) - 2.0;
            v[4] = 0.7 * (i % 8) - 2.0;
        }
    for (int k = 0; k < 2; k++)
        CHECK(tn_world_set_state(k ? here : there, s.qpos, qvel, &err) == TN_OK);
    (void)tn_world_step(here);
    (void)tn_world_step(there);
    /* where one iteration turns bodies, and what they hit then, depends on more: of each pair the
     * points count where it meets */
    int pairs = 0, near = 0;
    double apart[2 * PAIRS + 2]; /* by the first geom */
    for (int i = 0; i < 2 * PAIRS + 2; i++) apart[i] = INFINITY;
    bool seen[2 * PAIRS + 2] = {false};
    for (int i = 0; i < tn_world_contact_count(here); i++) {
        TnContact c = tn_world_contact(here, i);
        seen[c.geom1] = true;
        apart[c.geom1] = fmin(apart[c.geom1], nearest_contact(there, &c));
    }
    for (int i = 0; i < 2 * PAIRS + 2; i++) {
        pairs += seen[i];
        near += apart[i] < 1e-4;
    }
    CHECK(pairs > 3 * PAIRS / 4);
    /* turning is bounded by the shape itself here and by its farthest point there, and two boxes
     * are followed by their separating axis: advances end within 1e-3 of the thickness */
    CHECK(near == pairs);
    tn_world_destroy(here);
    tn_world_destroy(there);
    tn_model_destroy(model);
}

TEST(two_runs_have_the_same_bits)
{
    TnModel *model = open_pile(27, "abc");
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 30);
    CHECK(run(def, model, 60) == run(def, model, 60));
    tn_model_destroy(model);
}

/* Nothing but a pile of 27 that comes together: a fourth of it in contact at first, all of it
 * later. Memory for 1024 and some is enough, so a smaller one is forced by many more geoms per
 * body. */
TEST(memory_for_contacts_grows)
{
    Text text = {.length = 0};
    TnError err = {0};
    text_add(&text, "<mujoco><option timestep='.005'/><worldbody>" GROUND);
    for (int b = 0; b < 2; b++) { /* two rafts of spheres, one upon the other */
        text_add(&text, "<body pos='0 0 %g'><freejoint/>", 0.03 + 0.05 * b);
        for (int i = 0; i < 100; i++)
            text_add(&text, "<geom size='.1' pos='%g %g .1'/>", 0.02 * (i % 10), 0.02 * (i / 10));
        text_add(&text, "</body>");
    }
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA, 0.0, 10), model);
    TnStepReport r = tn_world_step(world);
    CHECK(!r.diverged);
    /* more than the 6 per geom and 1024 that there is memory for at first */
    CHECK(r.contact_count > 6 * 200 + 1024);
    CHECK(r.contact_count == tn_world_contact_count(world));
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(forces_carry_the_weight)
{
    TnModel *model = open_pile(9, "b");
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA64, 1e-8, 3000), model);
    for (int k = 0; k < 300; k++) CHECK(!tn_world_step(world).diverged);
    double up = 0.0, mass = tn_model_info(model).total_mass;
    TnModelInfo info = tn_model_info(model);
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        TnBodyId below = tn_model_geom_info(model, c.geom2).body;
        if (below == 1) up -= c.force[2]; /* geom2 is of the world, and force acts on it */
    }
    CHECK(info.free_body_count == 9);
    /* at rest; what is left of the motion after 1.5 s */
    CHECK_NEAR(up, 9.81 * mass, 0.02 * 9.81 * mass);
    CHECK(tn_world_energy(world).kinetic < 1e-3);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(applied_force_acts_in_one_step)
{
    TnError err = {0};
    TnModel *model = load_text("<mujoco><option gravity='0 0 0' timestep='.01'/><worldbody><body>"
                               "<freejoint/><geom size='.1' mass='2'/></body></worldbody></mujoco>",
                               &err);
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA, 0.0, 5), model);
    tn_world_apply_wrench(world, 2, (const double[3]){6.0, 0.0, 0.0}, NULL);
    (void)tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).qvel[0], 0.03, 1e-12);
    (void)tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).qvel[0], 0.03, 1e-12);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(reset_begins_anew)
{
    TnModel *model = open_pile(18, "ab");
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA, 0.0, 20), model);
    uint64_t hash[2];
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 40; k++) CHECK(!tn_world_step(world).diverged);
        hash[pass] = tn_world_hash(world);
        tn_world_reset(world, 0);
        CHECK(tn_world_state(world).time == 0.0);
    }
    CHECK(hash[0] == hash[1]);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(changed_gravity_counts)
{
    TnError err = {0};
    TnModel *model = open_pile(1, "a");
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA64, 0.0, 5), model);
    (void)tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).qvel[2], -9.81 * 0.005, 1e-12);
    CHECK(tn_world_set_gravity(world, (const double[3]){1.0, 0.0, 0.0}, &err) == TN_OK);
    (void)tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).qvel[0], 0.005, 1e-12);
    CHECK_NEAR(tn_world_state(world).qvel[2], -9.81 * 0.005, 1e-12);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(substeps_are_steps_of_their_length)
{
    TnModel *model = open_pile(9, "ab");
    TnWorldDef def = definition(TN_DEVICE_CUDA64, 0.0, 20);
    def.substeps = 4;
    TnWorld *parts = open_world(def, model);
    def.substeps = 0;
    TnWorld *whole = open_world(def, model);
    TnError err = {0};
    CHECK(tn_world_set_timestep(whole, 0.005 / 4, &err) == TN_OK);
    for (int k = 0; k < 20; k++) {
        (void)tn_world_step(parts);
        for (int i = 0; i < 4; i++) (void)tn_world_step(whole);
    }
    TnStateView a = tn_world_state(parts), b = tn_world_state(whole);
    CHECK(largest_difference(a.qpos, b.qpos, a.qpos_count) == 0.0);
    tn_world_destroy(parts);
    tn_world_destroy(whole);
    tn_model_destroy(model);
}

/* One of each that cannot run there, and the words that name it. */
TEST(what_cannot_run_is_refused_by_name)
{
    static const struct {
        const char *parts, *words;
    } cases[] = {
        {"<worldbody><body name='a'><freejoint/><geom size='.1'/><site name='s'/></body><site "
         "name='w'/></worldbody><tendon><spatial name='t'><site site='s'/><site "
         "site='w'/></spatial></tendon>",
         "a tendon that is no sum over joints of one robot (tendon 't')"},
        {"<worldbody><body name='a'><joint/><geom size='.1'/><site name='s'/></body></worldbody>"
         "<actuator><general name='m' site='s' gear='1 0 0 0 0 0'/></actuator>",
         "an actuator on something other than a joint or a tendon (actuator 'm')"},
        {"<worldbody><body><freejoint/><geom name='g' size='.1' condim='6'/></body></worldbody>",
         "torsional or rolling friction (geom 'g')"},
        {"<worldbody><body><freejoint/><geom name='g' size='.1'/></body></worldbody><tenon><geom "
         "name='g' restitution='.5'/></tenon>",
         "restitution (geom 'g')"},
        {"<worldbody><body name='a'><freejoint/><geom "
         "size='.1'/></body></worldbody><equality><weld "
         "body1='a'/></equality>",
         "an equality of a free body (body 'a')"},
        {"<worldbody><body><freejoint/><geom name='g' size='.1'/></body><geom name='h' size='.1' "
         "pos='1 0 0'/></worldbody><contact><pair geom1='g' geom2='h' condim='6'/></contact>",
         "torsional or rolling friction of a pair (geom 'g')"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        char text[1024];
        snprintf(text, sizeof text, "<mujoco>%s</mujoco>", cases[i].parts);
        TnModel *model = load_text(text, &err);
        TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 5);
        CHECK(model != NULL);
        if (!model) continue;
        CHECK(tn_world_create(&def, model, &err) == NULL);
        CHECK(err.count == 1);
        if (!strstr(err.message, cases[i].words))
            test_fail(__FILE__, __LINE__, "'%s' is not in '%s'", cases[i].words, err.message);
        tn_model_destroy(model);
    }
    TnModel *model = open_pile(1, "a");
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 5);
    TnError err = {0};
    def.sleep = TN_SLEEP_ALL;
    CHECK(tn_world_create(&def, model, &err) == NULL);
    CHECK(strstr(err.message, "sleeping") != NULL);
    tn_model_destroy(model);
}

TEST(without_memory_there_is_an_error_and_no_world)
{
    TnModel *model = open_pile(9, "a");
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 5);
    TnError err = {0};
    tn_gpu_memory_limit = 100000; /* less than any scene needs */
    CHECK(tn_world_create(&def, model, &err) == NULL);
    CHECK(err.code == TN_ERROR_MEMORY);
    CHECK(strstr(err.message, "device") != NULL);
    tn_gpu_memory_limit = 0;
    tn_model_destroy(model);
}

static void note(void *user, TnLogLevel level, const char *message)
{
    (void)level;
    snprintf(user, 256, "%s", message);
}

/* Enough memory to begin with, and not for the contacts that come. */
TEST(memory_that_runs_out_leaves_the_state)
{
    Text text = {.length = 0};
    TnError err = {0};
    char message[256] = "";
    text_add(&text, "<mujoco><option timestep='.01'/><worldbody>" GROUND);
    for (int b = 0; b < 2; b++) {
        text_add(&text, "<body pos='0 0 %g'><freejoint/>", 0.3 * b);
        for (int i = 0; i < 100; i++)
            text_add(&text, "<geom size='.1' pos='%g %g .1'/>", 0.02 * (i % 10), 0.02 * (i / 10));
        text_add(&text, "</body>");
    }
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 5);
    def.log = note;
    def.log_user = message;
    /* what the scene takes at first is between these two */
    TnWorld *world = NULL;
    for (size_t limit = 1 << 19; !world && limit < 1 << 26; limit += 1 << 17) {
        tn_gpu_memory_limit = limit;
        world = tn_world_create(&def, model, &err);
    }
    CHECK(world != NULL);
    TnStepReport r = {0};
    int taken = 0;
    while (taken < 100 && !(r = tn_world_step(world)).diverged) taken++;
    CHECK(r.diverged);
    CHECK(taken > 0);
    CHECK(strstr(message, "memory") != NULL);
    CHECK_NEAR(tn_world_state(world).time, 0.01 * taken, 1e-12);
    CHECK(tn_world_step(world).diverged);
    tn_gpu_memory_limit = 0;
    /* it is that of a world with enough */
    TnWorld *other = open_world(def, model);
    for (int k = 0; k < taken; k++) CHECK(!tn_world_step(other).diverged);
    CHECK(tn_world_hash(world) == tn_world_hash(other));
    tn_world_destroy(other);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(without_a_device_there_is_an_error_and_no_world)
{
    TnModel *model = open_pile(9, "a");
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 5);
    TnError err = {0};
    tn_gpu_is_missing = true;
    CHECK(tn_world_create(&def, model, &err) == NULL);
    tn_gpu_is_missing = false;
    CHECK(err.code == TN_ERROR_DEVICE);
    CHECK(strstr(err.message, "no CUDA device can be used") != NULL);
    tn_model_destroy(model);
}

/* A device that is lost in any of its calls: the host has the state that it last asked for. */
TEST(a_lost_device_leaves_the_last_state)
{
    TnModel *model = open_pile(9, "ab");
    char message[256];
    TnWorldDef def = definition(TN_DEVICE_CUDA, 1e-5, 200);
    def.log = note;
    def.log_user = message;
    for (int wait = 1; wait < 12; wait += 2) {
        TnWorld *world = open_world(def, model);
        message[0] = '\0';
        for (int k = 0; k < 20; k++) CHECK(!tn_world_step(world).diverged);
        uint64_t hash = tn_world_hash(world);
        double time = tn_world_state(world).time;
        tn_gpu_waits_left = wait;
        TnStepReport r = {0};
        for (int k = 0; k < 100 && !r.diverged; k++) r = tn_world_step(world);
        tn_gpu_waits_left = 0;
        CHECK(r.diverged);
        CHECK(!r.converged);
        CHECK(strstr(message, "running on the device") != NULL);
        CHECK_NEAR(tn_world_state(world).time, time, 1e-12);
        CHECK(tn_world_hash(world) == hash);
        CHECK(tn_world_contact_count(world) == 0);
        CHECK(tn_world_step(world).diverged); /* and so it stays */
        CHECK(tn_world_hash(world) == hash);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}

/* What recordings and pictures are made of. */
TEST(frames_show_the_state_on_the_device)
{
    TnError err = {0};
    TnModel *model = open_pile(9, "ab");
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA, 0.0, 20), model);
    TnScene *scene = tn_scene_create(model, &err);
    TnFrame *frame = tn_frame_create(scene, &err);
    int bodies = tn_model_info(model).body_count;
    for (int k = 0; k < 40; k++) {
        TnStepReport r = tn_world_step(world);
        double pos[3];
        if (k % 10 != 9) continue; /* nobody asks in between */
        CHECK(tn_frame_capture(frame, world, &r, false, &err) == TN_OK);
        CHECK_NEAR(frame->time, 0.005 * (k + 1), 1e-12);
        CHECK(frame->contact_count == r.contact_count);
        tn_world_body_pose(world, bodies, pos, NULL);
        CHECK(largest_difference(frame->poses + 7 * (bodies - 1), pos, 3) == 0.0);
        CHECK_NEAR(tn_world_state(world).qpos[2 + 7 * (bodies - 2)], pos[2], 0.0);
    }
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_pyramid_stands)
{
    TnError err = {0};
    Text text = {.length = 0};
    text_add(&text, "<mujoco><option timestep='.01'/><worldbody>" GROUND);
    for (int z = 0; z < 6; z++)
        for (int x = 0; x < 6 - z; x++)
            text_add(&text,
                     "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.05 .05 .05'/>"
                     "</body>",
                     0.105 * (x - 0.5 * (5 - z)), 0.05 + 0.1 * z);
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = load_text(text.text, &err);
    TnWorldDef def = tn_world_def(); /* as anybody has it: compliant contacts, a tolerance */
    def.device = TN_DEVICE_CUDA;
    TnWorld *world = open_world(def, model);
    double pos[3];
    int missed = 0;
    for (int k = 0; k < 300; k++) missed += !tn_world_step(world).converged;
    tn_world_body_pose(world, tn_model_info(model).body_count, pos, NULL);
    CHECK_NEAR(pos[2], 0.55, 0.005); /* the topmost, less than a tenth of a box */
    CHECK_NEAR(pos[0], 0.0, 0.005);
    CHECK(missed < 30);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* ---- against the CPU's own rule of contacts, which differs while bodies move in them ---- */

/* The last of these flies and spins all the time, the others fall and lie: what flies is the same,
 * and where others lie, and what the ground bears. */
TEST(flight_and_rest_are_those_of_the_cpu)
{
    TnModel *model = open_model(
        "<mujoco><option timestep='.005'/><default><geom "
        "friction='.6'/></default><worldbody>" GROUND
        "<geom type='box' pos='1 0 .1' size='.2 .2 .1'/>"
        "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .06 .05'/></body>"
        "<body pos='1 0 .3' euler='3 5 20'><freejoint/><geom type='box' size='.05 .06 .05'/></body>"
        "<body pos='2 0 .3' euler='0 85 0'><freejoint/><geom type='capsule' size='.04 .1'/></body>"
        "<body pos='3 0 .3'><freejoint/><geom type='cylinder' size='.06 .05'/></body>"
        "<body pos='0 0 90'><freejoint/><geom type='box' size='.1 .06 .05' mass='2'/></body>"
        "</worldbody></mujoco>");
    TnWorldDef def = definition(TN_DEVICE_CPU, 1e-10, 20000);
    TnWorld *worlds[2];
    double spin[30] = {0.0}, height[2][4], up[2] = {0.0, 0.0};
    for (int k = 0; k < 6; k++) spin[24 + k] = k < 3 ? 0.1 * k : 1.0 + 2.0 * k;
    for (int w = 0; w < 2; w++) {
        TnError err = {0};
        def.device = w ? TN_DEVICE_CUDA64 : TN_DEVICE_CPU;
        worlds[w] = open_world(def, model);
        CHECK(tn_world_set_state(worlds[w], tn_world_state(worlds[w]).qpos, spin, &err) == TN_OK);
    }
    for (int k = 0; k < 600; k++) {
        CHECK(!tn_world_step(worlds[0]).diverged && !tn_world_step(worlds[1]).diverged);
        TnStateView a = tn_world_state(worlds[0]), b = tn_world_state(worlds[1]);
        CHECK(largest_difference(a.qpos + 28, b.qpos + 28, 7) < 1e-9);
        CHECK(largest_difference(a.qvel + 24, b.qvel + 24, 6) < 1e-9);
    }
    double weight = 9.81 * (tn_model_info(model).total_mass - 2.0);
    for (int w = 0; w < 2; w++) {
        TnStateView s = tn_world_state(worlds[w]);
        for (int i = 0; i < 4; i++) height[w][i] = s.qpos[7 * i + 2];
        CHECK(largest_difference(s.qvel, (const double[24]){0.0}, 24) < 1e-4);
        for (int i = 0; i < tn_world_contact_count(worlds[w]); i++)
            up[w] += fabs(tn_world_contact(worlds[w], i).force[2]);
        CHECK_NEAR(up[w], weight, 1e-4 * weight);
        tn_world_destroy(worlds[w]);
    }
    CHECK(largest_difference(height[0], height[1], 4) < 1e-5);
    tn_model_destroy(model);
}

/* A ball rolls down a slope, and a box slides: as the textbook says. */
TEST(a_slope_accelerates_as_it_should)
{
    TnModel *model =
        open_model("<mujoco><option timestep='.005' gravity='3 0 -9'/><worldbody>"
                   "<geom type='plane' size='9 9 1' friction='0'/>"
                   "<body pos='0 0 .05'><freejoint/><geom size='.05' friction='.8'/></body>"
                   "<body pos='0 1 .05'><freejoint/>"
                   "<geom type='box' size='.1 .1 .05' friction='.2'/></body></worldbody></mujoco>");
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA64, 1e-10, 5000), model);
    for (int k = 0; k < 200; k++) CHECK(!tn_world_step(world).diverged);
    const double *v = tn_world_state(world).qvel;
    CHECK_NEAR(v[0], 3.0 * 5.0 / 7.0, 1e-6);
    CHECK_NEAR(v[6], 3.0 - 0.2 * 9.0, 1e-6);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* An ellipsoid rocks on the ground: it loses more than on the CPU, and gains nothing. */
TEST(what_rocks_gains_no_energy)
{
    TnModel *model = open_model(
        "<mujoco><option timestep='.005'/><worldbody>" GROUND "<body pos='0 0 .1'><freejoint/>"
        "<geom type='ellipsoid' size='.2 .15 .1' friction='1'/></body></worldbody></mujoco>");
    for (int w = 0; w < 2; w++) {
        TnWorld *world =
            open_world(definition(w ? TN_DEVICE_CUDA64 : TN_DEVICE_CPU, 1e-10, 5000), model);
        double v[6] = {0.0, 0.0, 0.0, 0.0, 1.0, 0.0}, last = INFINITY, first = 0.0;
        v[0] = 0.1 * v[4];
        TnError err = {0};
        double low = tn_world_energy(world).potential;
        CHECK(tn_world_set_state(world, tn_world_state(world).qpos, v, &err) == TN_OK);
        first = tn_world_energy(world).kinetic;
        for (int k = 0; k < 400; k++) {
            CHECK(!tn_world_step(world).diverged);
            TnEnergy e = tn_world_energy(world);
            double now = e.kinetic + e.potential - low;
            CHECK(now < fmin(last, first) + 1e-3 * first);
            last = now;
        }
        CHECK(last > (w ? 0.6 : 0.999) * first); /* after 2 s */
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}

/* Conservative scenes with lasting contacts or ties: a cable that leans on a post, one that carries
 * a load, a soft cube on the floor. They start from equilibrium, which a damped world with long
 * steps finds. */
#include "lasting.h"
#include "rod_sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A world of this kind, not damped, or damped for finding equilibrium. */
typedef Sim (*Maker)(Finding *f, double timestep, bool twin, bool damped);

/* The world in the equilibrium that `steps` of 10 ms find. */
static Sim at_rest(Finding *f, double timestep, bool twin, int steps, Maker make)
{
    Sim damped = make(f, 0.01, twin, true);
    int missed = f->not_converged;
    for (int k = 0; k < steps && sim_step(&damped); k++) continue;
    f->not_converged = missed; /* not what is measured */
    Sim sim = make(f, timestep, twin, false);
    if (sim.world && damped.world) sim_set(&sim, sim_qpos(&damped), NULL);
    sim_close(&damped);
    return sim;
}

/* ---- a cable on a post ---- */

enum { SEGMENTS = 16 };

/* 1 m, clamped at its upper end, aslant; gravity lays it against a post along y. */
static Sim cable_make(Finding *f, double timestep, bool twin, bool damped)
{
    const double slant = 0.3;
    RodSim r = rod_sim_begin(f, timestep, damped ? 1 : tn_option().theta, 9.81);
    TnGeomDef post = tn_geom_def();
    (void)twin;
    post.name = "post";
    post.type = TN_GEOM_CYLINDER;
    post.size[0] = 0.05;
    post.size[1] = 0.5;
    post.pos[0] = 0.04;
    post.pos[2] = 0.6;
    post.quat[0] = cos(VERIFY_PI / 4);
    post.quat[1] = sin(VERIFY_PI / 4);
    post.contact_dim = 1;
    tn_builder_add_geom(r.builder, &post);
    r.rod.segment_count = SEGMENTS;
    r.rod.start[2] = 1;
    r.rod.end[0] = sin(slant);
    r.rod.end[2] = 1 - cos(slant);
    r.rod.bend_modulus = 1e6;
    r.rod.contact_dim = 1;
    r.rod.damping_time = damped ? 0.3 : 0;
    rod_sim_add(&r);
    rod_sim_hold(&r, 0);
    rod_sim_finish(&r);
    return r.sim;
}

/* Pushed along the post, as a clamped rod bends: v = c s², s the depth below the clamp. */
static Sim cable_open(Finding *f, double timestep, bool twin)
{
    const double c = 0.6;
    double qvel[6 * SEGMENTS] = {0};
    Sim sim = at_rest(f, timestep, twin, 3000, cable_make);
    for (int i = 1; i < SEGMENTS; i++) {
        const double *p = sim_qpos(&sim) + 7 * i, *q = p + 3;
        double s = 1 - p[2], w = 2 * c * s;
        qvel[6 * i + 1] = c * s * s;
        qvel[6 * i + 3] = w * (1 - 2 * (q[2] * q[2] + q[3] * q[3])); /* in the segment's axes */
        qvel[6 * i + 4] = w * 2 * (q[1] * q[2] - q[0] * q[3]);
        qvel[6 * i + 5] = w * 2 * (q[1] * q[3] + q[0] * q[2]);
    }
    sim_set(&sim, NULL, qvel);
    return sim;
}

static double cable_end(const Sim *sim, bool twin)
{
    (void)twin;
    return sim_qpos(sim)[7 * (SEGMENTS - 1) + 1];
}

const LastingScene lasting_cable = {
    .name = "cable",
    .shows = "A cable leans on a frictionless post; its free end swings below it, along the post",
    .coordinate_name = "place of the end along the post, m",
    .duration = 10,
    .window = 2,
    .finest = 0.000125,
    .fast = true,
    .by_energy = true,
    .open = cable_open,
    .coordinate = cable_end,
};

/* ---- a load on a cable ---- */

enum { LINE = 8 };

/* 1 m, its upper end tied to a point of the world, 1 kg welded to the lower one. */
static Sim crane_make(Finding *f, double timestep, bool twin, bool damped)
{
    RodSim r = rod_sim_begin(f, timestep, damped ? 1 : tn_option().theta, 9.81);
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    TnEqualityDef tie = tn_equality_def();
    (void)twin;
    r.rod.segment_count = LINE;
    r.rod.start[2] = 1;
    r.rod.end[0] = r.rod.end[2] = 0;
    r.rod.bend_modulus = 1e6;
    r.rod.contact_type = r.rod.contact_affinity = 0;
    r.rod.damping_time = damped ? 0.3 : 0;
    rod_sim_add(&r);
    joint.type = TN_JOINT_FREE;
    joint.body = geom.body = tn_builder_add_body(r.builder, &body);
    tn_builder_add_joint(r.builder, &joint);
    geom.size[0] = 0.03;
    geom.mass = 1;
    geom.contact_type = geom.contact_affinity = 0;
    tn_builder_add_geom(r.builder, &geom);
    tie.type = TN_EQUALITY_CONNECT;
    tie.body1 = r.first;
    tie.anchor[2] = -0.5 / LINE;
    tn_builder_add_equality(r.builder, &tie);
    tie = tn_equality_def();
    tie.type = TN_EQUALITY_WELD;
    tie.body1 = r.first + LINE - 1;
    tie.body2 = geom.body;
    tn_builder_add_equality(r.builder, &tie);
    rod_sim_finish(&r);
    return r.sim;
}

/* Turned about its upper end as one body. */
static Sim crane_open(Finding *f, double timestep, bool twin)
{
    const double w = 0.6;
    double qvel[6 * (LINE + 1)] = {0};
    Sim sim = at_rest(f, timestep, twin, 3000, crane_make);
    for (int i = 0; i <= LINE; i++) {
        const double *p = sim_qpos(&sim) + 7 * i, *q = p + 3;
        qvel[6 * i + 1] = w * (1 - p[2]);
        qvel[6 * i + 3] = w * (1 - 2 * (q[2] * q[2] + q[3] * q[3])); /* in the body's axes */
        qvel[6 * i + 4] = w * 2 * (q[1] * q[2] - q[0] * q[3]);
        qvel[6 * i + 5] = w * 2 * (q[1] * q[3] + q[0] * q[2]);
    }
    sim_set(&sim, NULL, qvel);
    return sim;
}

static double crane_load(const Sim *sim, bool twin)
{
    (void)twin;
    return sim_qpos(sim)[7 * LINE + 1];
}

const LastingScene lasting_crane = {
    .name = "crane",
    .shows = "A load of 1 kg is welded to a cable that a point of the world holds, and swings",
    .coordinate_name = "place of the load, m",
    .duration = 10,
    .window = 2,
    .finest = 0.000125,
    .fast = true,
    .by_energy = true,
    .tied = true,
    .open = crane_open,
    .coordinate = crane_load,
};

/* ---- a soft cube on the floor ---- */

enum { CELLS = 2 };
static const double side = 0.3, cube_rate = 8, density = 1000, cube_gravity = 1;

/* The floor is so rough that no node slides; in the twin the lowest nodes are pinned. E gives the
 * first vertical mode of a bar, ω = π/2 √(E/ρ)/side. */
static Sim cube_make(Finding *f, double timestep, bool twin, bool damped)
{
    const double half[3] = {side / 2, side / 2, side / 2};
    const int cells[3] = {CELLS, CELLS, CELLS};
    TnSoftHoldDef holds[(CELLS + 1) * (CELLS + 1)];
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    TnSoftDef soft = tn_soft_def();
    TnGeomDef ground = tn_geom_def();
    TnError err = {0};
    option.timestep = timestep;
    option.gravity[2] = -cube_gravity; /* it sags by 6 % */
    if (damped) option.theta = 1;
    tn_builder_set_option(builder, &option, (TnSource){0});
    ground.type = TN_GEOM_PLANE;
    ground.friction[0] = 20;
    if (!twin) tn_builder_add_geom(builder, &ground);
    if (!tn_tet_mesh_box(half, cells, 5, &soft.mesh, &err))
        finding_trouble(f, "%.300s", err.message);
    for (int i = 0; twin && i < soft.mesh.node_count; i++)
        if (fabs(soft.mesh.nodes[3 * i + 2] + side / 2) < 1e-9)
            holds[soft.hold_count++] = (TnSoftHoldDef){i, TN_BODY_WORLD};
    soft.holds = holds;
    soft.pos[2] = side / 2;
    soft.density = density;
    soft.youngs_modulus = density * pow(cube_rate * side * 2 / VERIFY_PI, 2);
    soft.friction[0] = 20;
    soft.damping_stiffness = damped ? 0.1 : 0;
    tn_builder_add_soft(builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
    return sim_build(f, builder, NULL);
}

static Sim cube_open(Finding *f, double timestep, bool twin)
{
    enum { NODES = (CELLS + 1) * (CELLS + 1) * (CELLS + 1) };
    double qvel[3 * NODES] = {0};
    Sim sim = at_rest(f, timestep, twin, 1000, cube_make);
    if (sim.world && tn_world_state(sim.world).dof_count == 3 * NODES) {
        TnSoftInfo info = tn_model_soft_info(sim.model, 1);
        for (int i = 0; i < NODES; i++)
            qvel[3 * i + 2] = -0.03 * sin(VERIFY_PI / 2 * (info.rest[3 * i + 2] / side));
        sim_set(&sim, NULL, qvel);
    }
    return sim;
}

/* Mean height of the top. */
static double cube_top(const Sim *sim, bool twin)
{
    TnSoftInfo info = tn_model_soft_info(sim->model, 1);
    const double *x = sim_qpos(sim) + info.qpos_start;
    double sum = 0;
    int count = 0;
    (void)twin;
    for (int i = 0; i < info.node_count; i++)
        if (info.rest[3 * i + 2] > side * (1 - 1e-9)) sum += x[3 * i + 2], count++;
    return sum / count;
}

const LastingScene lasting_cube = {
    .name = "cube",
    .shows = "A soft cube shakes up and down on a rough floor, at some 8 rad/s",
    .coordinate_name = "mean height of its top, m",
    .duration = 10,
    .window = 2,
    .finest = 0.000125,
    .twin = true,
    .by_energy = true,
    .open = cube_open,
    .coordinate = cube_top,
};

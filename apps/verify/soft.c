/* Soft bodies: beams, membranes, contact, frequencies, against formulas and published tables. */
#include "families.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One soft body in a world, by C calls. */
typedef struct SoftSim {
    Sim sim;
    TnModelBuilder *builder; /* until soft_finish */
    TnSoftDef soft;
    TnSoftHoldDef *holds;
    TnSoftInfo info;
    double *force; /* 3 per node, on all nodes in each step */
} SoftSim;

static SoftSim soft_begin(Finding *f, double timestep, double theta, double gravity)
{
    SoftSim s = {.sim = {.finding = f}, .builder = tn_builder_create(), .soft = tn_soft_def()};
    TnOption option = tn_option();
    option.timestep = timestep;
    option.theta = theta;
    option.gravity[2] = -gravity;
    tn_builder_set_option(s.builder, &option, (TnSource){0});
    s.soft.damping_stiffness = 0;
    return s;
}

static void soft_box(SoftSim *s, const double size[3], const int cells[3])
{
    TnError err = {0};
    const double half[3] = {size[0] / 2, size[1] / 2, size[2] / 2};
    if (!tn_tet_mesh_box(half, cells, 5, &s->soft.mesh, &err))
        finding_trouble(s->sim.finding, "%.300s", err.message);
}

/* Holds the nodes whose coordinate `axis` lies at `at`. */
static void soft_hold(SoftSim *s, int axis, double at)
{
    const TnTetMesh *mesh = &s->soft.mesh;
    if (!s->holds) s->holds = malloc(sizeof *s->holds * (size_t)(mesh->node_count + 1));
    for (int i = 0; s->holds && i < mesh->node_count; i++)
        if (fabs(mesh->nodes[3 * i + axis] - at) < 1e-9)
            s->holds[s->soft.hold_count++] = (TnSoftHoldDef){i, TN_BODY_WORLD};
    s->soft.holds = s->holds;
}

static void soft_finish(SoftSim *s)
{
    TnSoftId id = tn_builder_add_soft(s->builder, &s->soft);
    tn_tet_mesh_free(&s->soft.mesh);
    free(s->holds);
    s->holds = NULL;
    s->sim = sim_build(s->sim.finding, s->builder, NULL);
    if (s->sim.model) s->info = tn_model_soft_info(s->sim.model, id);
    s->force = calloc(3 * (size_t)s->info.node_count + 1, sizeof *s->force);
}

static void soft_end(SoftSim *s)
{
    sim_close(&s->sim);
    free(s->force);
}

static const double *soft_x(const SoftSim *s) { return sim_qpos(&s->sim) + s->info.qpos_start; }

/* Adds a force that is spread over the part of the surface where coordinate `axis` is `at`, at
 * rest. *mean, if wanted, becomes the mean displacement of that part along z. */
static void soft_spread(SoftSim *s, int axis, double at, const double force[3], double *mean)
{
    double *area = calloc((size_t)s->info.node_count + 1, sizeof *area), sum = 0;
    for (int t = 0; area && t < s->info.triangle_count; t++) {
        const int32_t *n = s->info.triangles + 3 * t;
        const double *X = s->info.rest, *a = X + 3 * n[0], *b = X + 3 * n[1], *c = X + 3 * n[2];
        if (fabs(a[axis] - at) + fabs(b[axis] - at) + fabs(c[axis] - at) > 1e-9) continue;
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        double size = 0.5 * fabs((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]));
        for (int k = 0; k < 3; k++) area[n[k]] += size / 3;
        sum += size;
    }
    for (int i = 0; area && i < 3 * s->info.node_count; i++)
        s->force[i] += force[i % 3] * area[i / 3] / sum;
    if (mean) *mean = 0;
    for (int i = 0; area && mean && i < s->info.node_count; i++)
        *mean += area[i] / sum * (soft_x(s)[3 * i + 2] - s->info.rest[3 * i + 2]);
    free(area);
}

static void soft_march(SoftSim *s, int steps)
{
    for (int k = 0; k < steps && s->sim.world; k++) {
        for (int n = 0; n < s->info.node_count; n++)
            tn_world_apply_node_force(s->sim.world, 1, n, s->force + 3 * n);
        if (!sim_step(&s->sim)) return;
    }
}

/* ---- a cantilever ---- */

#define SIDE 0.05
#define LENGTH 0.5
#define YOUNG 1e7

/* FL³/3EI and shear FL/κGA with Cowper's κ, for 1 N. */
static double timoshenko(double nu)
{
    double EI = YOUNG * pow(SIDE, 4) / 12, G = YOUNG / (2 * (1 + nu));
    double kappa = 10 * (1 + nu) / (12 + 11 * nu);
    return pow(LENGTH, 3) / (3 * EI) + LENGTH / (kappa * G * SIDE * SIDE);
}

/* Deflection under 1 mN at the end, as a share of the formula's; n cells over the thickness. */
static double cantilever(Finding *f, int n, double nu, bool dilatation)
{
    SoftSim s = soft_begin(f, 1000, 1, 0);
    double sag;
    soft_box(&s, (const double[3]){LENGTH, SIDE, SIDE}, (const int[3]){10 * n, n, n});
    s.soft.youngs_modulus = YOUNG;
    s.soft.poisson_ratio = nu;
    s.soft.mean_dilatation = dilatation;
    s.soft.contact_type = s.soft.contact_affinity = 0;
    soft_hold(&s, 0, -LENGTH / 2);
    soft_finish(&s);
    soft_spread(&s, 0, LENGTH / 2, (const double[3]){0, 0, -1e-3}, NULL);
    soft_march(&s, 6);
    soft_spread(&s, 0, LENGTH / 2, (const double[3]){0}, &sag);
    soft_end(&s);
    return -sag / 1e-3 / timoshenko(nu);
}

static void cantilever_order(Finding *f, const VerifyRow *row)
{
    const double cells[3] = {2, 4, 8};
    double errors[3], sizes[3];
    (void)row;
    for (int i = 0; i < 3; i++) {
        errors[i] = 1 / cantilever(f, (int)cells[i], 0, true) - 1; /* too stiff by so much */
        sizes[i] = 1 / cells[i];
    }
    finding_order(f, "cell, thicknesses", sizes, errors, 3, 2);
    finding_note(f, "extrapolated %.4f", errors[2] - (errors[1] - errors[2]) / 3);
}

static void cantilever_nu(Finding *f, const VerifyRow *row)
{
    f->value = cantilever(f, 4, row->number, true);
    f->reference = 1;
    finding_note(f, "without mean dilatation %.3f", cantilever(f, 4, row->number, false));
}

/* ---- Cook's membrane ---- */

/* A tapered panel of 48 × 44 … 16, clamped at the left, sheared at the right: the tip goes up by
 * 23.96 F/Et. The panel lies in the xz plane, y is its thickness. */
static double cook_tip(Finding *f, int n)
{
    const double unit = 0.01, E = 1e6, F = 1e-3;
    SoftSim s = soft_begin(f, 1000, 1, 0);
    double tip;
    soft_box(&s, (const double[3]){48 * unit, unit, 44 * unit}, (const int[3]){n, 1, n});
    for (int i = 0; i < s.soft.mesh.node_count; i++) {
        double *x = s.soft.mesh.nodes + 3 * i, a = x[0] / (48 * unit) + 0.5,
               b = x[2] / (44 * unit) + 0.5;
        x[2] = unit * (44 * a + b * (44 - 28 * a) - 22);
    }
    s.soft.youngs_modulus = E;
    s.soft.poisson_ratio = 1.0 / 3;
    s.soft.contact_type = s.soft.contact_affinity = 0;
    soft_hold(&s, 0, -24 * unit);
    soft_finish(&s);
    soft_spread(&s, 0, 24 * unit, (const double[3]){0, 0, F}, NULL);
    soft_march(&s, 6);
    soft_spread(&s, 0, 24 * unit, (const double[3]){0}, &tip);
    soft_end(&s);
    return tip * E * unit / F;
}

static void cook(Finding *f, const VerifyRow *row)
{
    (void)row;
    f->value = cook_tip(f, 32);
    f->reference = 23.96;
    int curve = finding_curve(f, "tenon"), exact = finding_reference_curve(f, "23.96");
    finding_axes(f, "cells per side", "deflection of the tip, F/Et");
    f->log_x = true;
    f->curves[curve].marks = true;
    for (int n = 4; n <= 32; n *= 2) {
        finding_point(f, curve, n, n < 32 ? cook_tip(f, n) : f->value);
        finding_point(f, exact, n, 23.96);
    }
}

/* ---- patch test and volume ---- */

static double uniform(uint64_t *state) /* in [-1, 1) */
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* A cube with an irregular mesh is pulled by two of its faces: uniform stress. */
static SoftSim pulled_cube(Finding *f, double nu, double stress)
{
    SoftSim s = soft_begin(f, 1000, 1, 0);
    uint64_t random = 5;
    soft_box(&s, (const double[3]){0.1, 0.1, 0.1}, (const int[3]){4, 4, 4});
    for (int i = 0; i < s.soft.mesh.node_count; i++) {
        double *x = s.soft.mesh.nodes + 3 * i;
        bool inside = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))) < 0.0499;
        for (int k = 0; k < 3 && inside; k++) x[k] += 0.004 * uniform(&random);
    }
    s.soft.youngs_modulus = 1e5;
    s.soft.poisson_ratio = nu;
    s.soft.contact_type = s.soft.contact_affinity = 0;
    soft_finish(&s);
    soft_spread(&s, 0, 0.05, (const double[3]){stress * 0.01, 0, 0}, NULL);
    soft_spread(&s, 0, -0.05, (const double[3]){-stress * 0.01, 0, 0}, NULL);
    soft_march(&s, 6);
    return s;
}

static void patch(Finding *f, const VerifyRow *row)
{
    const double sigma = 10; /* Pa: a strain of 1e-4 */
    SoftSim s = pulled_cube(f, 0.3, sigma);
    double *stress = malloc(sizeof(double[6]) * (size_t)(s.info.tet_count + 1));
    TnError err = {0};
    (void)row;
    if (s.sim.world && stress && tn_world_soft_stress(s.sim.world, 1, stress, NULL, &err) == TN_OK)
        for (int e = 0; e < 6 * s.info.tet_count; e++)
            f->value = fmax(f->value, fabs(stress[e] - (e % 6 ? 0 : sigma)) / sigma);
    else
        finding_trouble(f, "no stress");
    free(stress);
    soft_end(&s);
}

static double volume_of(const SoftSim *s, const double *x)
{
    double sum = 0;
    for (int t = 0; t < s->info.triangle_count; t++) {
        const int32_t *n = s->info.triangles + 3 * t;
        const double *a = x + 3 * n[0], *b = x + 3 * n[1], *c = x + 3 * n[2];
        sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6;
    }
    return sum;
}

static void volume(Finding *f, const VerifyRow *row)
{
    const double sigma = 10;
    SoftSim s = pulled_cube(f, row->number, sigma);
    f->value = volume_of(&s, soft_x(&s)) / volume_of(&s, s.info.rest) - 1;
    f->reference = (1 - 2 * row->number) * sigma / 1e5;
    soft_end(&s);
}

/* ---- a bar that rings ---- */

/* One end pinned, ν = 0, first stretching mode; row->number is the step. *left: of the height of
 * its swing after a period. */
static double ring(Finding *f, double timestep, double *left)
{
    SoftSim s = soft_begin(f, timestep, 0.5, 0);
    soft_box(&s, (const double[3]){LENGTH, SIDE, SIDE}, (const int[3]){20, 2, 2});
    s.soft.youngs_modulus = YOUNG;
    s.soft.poisson_ratio = 0;
    s.soft.contact_type = s.soft.contact_affinity = 0;
    soft_hold(&s, 0, -LENGTH / 2);
    soft_finish(&s);
    int count = s.info.node_count, crossings = 0;
    double *x = malloc(sizeof(double[3]) * (size_t)(count + 1)), last = 1, first = 0, at = 0;
    double peak = 0, peaks[5] = {0}, speed = sqrt(YOUNG / 1000);
    for (int i = 0; x && i < 3 * count; i++)
        x[i] = s.info.rest[i] +
               (i % 3 ? 0 : 1e-4 * sin(VERIFY_PI / 2 * (s.info.rest[i] / LENGTH + 0.5)));
    if (x) sim_set(&s.sim, x, NULL);
    while (x && crossings < 5 && sim_time(&s.sim) < 1 && sim_step(&s.sim)) {
        double now = 0;
        for (int i = 0; i < count; i++) {
            double X = s.info.rest[3 * i];
            now += s.info.node_masses[i] * sin(VERIFY_PI / 2 * (X / LENGTH + 0.5)) *
                   (soft_x(&s)[3 * i] - X);
        }
        peak = fmax(peak, fabs(now));
        if (now * last < 0) {
            at = sim_time(&s.sim) - timestep * now / (now - last);
            if (!crossings) first = at;
            peaks[crossings++] = peak;
            peak = 0;
        }
        last = now;
    }
    *left = peaks[4] / peaks[2];
    free(x);
    soft_end(&s);
    return 2 / (at - first) / (speed / (4 * LENGTH));
}

static void frequency(Finding *f, const VerifyRow *row)
{
    double left;
    (void)row;
    f->value = ring(f, 5e-5, &left);
    f->reference = 1;
    finding_note(f, "of the swing, %.6f is left after a period", left);
}

static void coarse_ring(Finding *f, const VerifyRow *row)
{
    double rate = ring(f, row->number, &f->value);
    f->reference = 1;
    finding_note(f, "frequency %.4f of the formula's", rate);
}

/* ---- Hertz ---- */

/* A rigid ball presses on the middle of a pinned cube: depth over that of a half space. */
static void hertz(Finding *f, const VerifyRow *row)
{
    const double E = 1e5, nu = 0.3, R = 0.2, block = 0.2, depth = 0.0025;
    double star = E / (1 - nu * nu), weight = 4.0 / 3 * star * sqrt(R) * pow(depth, 1.5);
    SoftSim s = soft_begin(f, 0.02, 1, 0);
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    int cells = (int)row->number;
    soft_box(&s, (const double[3]){block, block, block}, (const int[3]){cells, cells, cells});
    for (int i = 0; i < s.soft.mesh.node_count; i++) { /* finer towards the middle of the top */
        double *x = s.soft.mesh.nodes + 3 * i;
        for (int k = 0; k < 2; k++) {
            double u = 2 * x[k] / block;
            x[k] = 0.5 * block * (0.2 * u + 0.8 * u * u * u);
        }
        double u = 0.5 - x[2] / block;
        x[2] = block * (0.5 - (0.2 * u + 0.8 * u * u * u));
    }
    s.soft.pos[2] = -0.5 * block;
    s.soft.youngs_modulus = E;
    s.soft.poisson_ratio = nu;
    s.soft.damping_stiffness = 0.05;
    s.soft.contact_dim = 1;
    s.soft.priority = 1;
    soft_hold(&s, 2, -0.5 * block);
    body.pos[2] = R;
    geom.body = joint.body = tn_builder_add_body(s.builder, &body);
    joint.type = TN_JOINT_SLIDE;
    tn_builder_add_joint(s.builder, &joint);
    geom.size[0] = R;
    geom.mass = 0.1;
    tn_builder_add_geom(s.builder, &geom);
    soft_finish(&s);
    for (int k = 0; k < 25 && s.sim.world; k++) {
        tn_world_apply_wrench(s.sim.world, geom.body, (const double[3]){0, 0, -weight},
                              (const double[3]){0});
        if (!sim_step(&s.sim)) break;
    }
    f->value = -sim_qpos(&s.sim)[0] / depth;
    f->reference = 1;
    soft_end(&s);
}

/* ---- a soft ball in a grasp ---- */

static void grasp(Finding *f, const VerifyRow *row)
{
    (void)row;
    Sim sim = sim_open(
        f, 0.01, "0 0 -9.81",
        "<worldbody><body pos='-.06 0 0'><joint name='a' type='slide' axis='1 0 0'/><geom "
        "type='box' size='.01 .1 .1' mass='.5' friction='.8 0 0'/></body>"
        "<body pos='.06 0 0'><joint name='b' type='slide' axis='-1 0 0'/><geom type='box' "
        "size='.01 .1 .1' mass='.5' friction='.8 0 0'/></body></worldbody>"
        "<actuator><motor joint='a' gear='10'/><motor joint='b' gear='10'/></actuator>"
        "<keyframe><key name='start' ctrl='1 1'/></keyframe>"
        "<tenon><soft name='ball' ball='.05' cells='3' young='1e5' poisson='.4' density='500' "
        "friction='.8 0 0'/></tenon>");
    if (sim.world) {
        TnSoftInfo info = tn_model_soft_info(sim.model, 1);
        double height[2] = {0};
        for (int k = 0; k < 2; k++) {
            sim_run(&sim, 2 + 4 * k);
            for (int i = 0; i < info.node_count; i++)
                height[k] += sim_qpos(&sim)[info.qpos_start + 3 * i + 2] / info.node_count;
        }
        f->value = fabs(height[1] - height[0]) / 4;
        finding_note(f, "it hangs %.2g m below where it was put", -height[0]);
    }
    sim_close(&sim);
}

static const VerifyRow rows[] = {
    {.name = "soft.cantilever.order",
     .shows = "A clamped beam of 0.5 × 0.05 × 0.05 m, ν = 0, a force at its end; 2, 4 and 8 cells "
              "over the thickness: order of convergence.",
     .source = "Timoshenko: FL³/3EI + FL/κGA.",
     .unit = "",
     .tolerance = 0.15,
     .reason = "the next order in the cells.",
     .run = cantilever_order},
    {.name = "soft.cantilever",
     .shows = "The same with ν = 0.3 and four cells over the thickness: deflection.",
     .source = "Timoshenko.",
     .unit = "of the formula's",
     .tolerance = 0.15,
     .reason = "linear tetrahedra are too stiff in bending: 11 % here, a quarter of it with twice "
               "as many cells.",
     .weak = true,
     .run = cantilever_nu,
     .number = 0.3},
    {.name = "soft.locking",
     .shows = "The same with ν = 0.499, nearly incompressible.",
     .source = "Timoshenko.",
     .unit = "of the formula's",
     .tolerance = 0.15,
     .reason = "no worse than with ν = 0.3: volume changes are averaged over patches.",
     .weak = true,
     .run = cantilever_nu,
     .number = 0.499},
    {.name = "soft.cook",
     .shows = "Cook's membrane, E = 1, ν = 1/3, 32 × 32 cells: deflection of its tip.",
     .source = "23.96 in plane stress (Simo and Rifai 1990).",
     .unit = "F/Et",
     .relative = true,
     .tolerance = 0.03,
     .reason = "linear tetrahedra; the plot shows how it converges.",
     .run = cook},
    {.name = "soft.patch",
     .shows = "A cube with an irregular mesh, pulled by two faces: largest error of any element's "
              "stress.",
     .source = "patch test: uniform stress.",
     .unit = "of the stress",
     .tolerance = 1e-3,
     .reason = "strains of 1e-4 turn elements by as much.",
     .quick = true,
     .run = patch},
    {.name = "soft.volume",
     .shows = "The same cube with ν = 0.45: change of its volume.",
     .source = "(1 - 2ν) σ/E.",
     .unit = "",
     .relative = true,
     .tolerance = 0.01,
     .reason = "second order in strains of 1e-4.",
     .quick = true,
     .run = volume,
     .number = 0.45},
    {.name = "soft.frequency",
     .shows = "A bar of 20 cells, pinned at one end, rings lengthwise at 0.05 ms: its frequency.",
     .source = "c/4L, c = √(E/ρ).",
     .unit = "of the formula's",
     .tolerance = 2e-3,
     .reason = "lumped masses 3e-4; (ωt)²/12.",
     .run = frequency},
    {.name = "soft.coarse",
     .shows = "The same without damping at 1 ms, 20 steps in a period: what is left of its swing "
              "after a period.",
     .source = "1.",
     .unit = "",
     .tolerance = 0.6,
     .reason = "elements that a step does not resolve act with their force at its end, which damps "
               "by about ω t π/2 per period.",
     .weak = true,
     .quick = true,
     .run = coarse_ring,
     .number = 0.001},
    {.name = "soft.hertz",
     .shows = "A rigid ball of 0.2 m pressed into a soft cube of 0.2 m, 10 cells per side: depth.",
     .source = "Hertz 1882: F = 4/3 E* √R d^1.5, on a half space.",
     .unit = "of the formula's",
     .tolerance = 0.2,
     .reason = "a cube with a pinned bottom is no half space, and cells of 5 mm meet the ball with "
               "few nodes.",
     .weak = true,
     .run = hertz,
     .number = 10},
    {.name = "soft.grasp",
     .shows = "A soft ball between two plates that push with 10 N: how fast it creeps down.",
     .source = "0: friction holds it.",
     .unit = "m/s",
     .tolerance = 1e-7,
     .reason = "what one step may leave.",
     .run = grasp},
};

const VerifyFamily verify_soft = {"soft", "Soft bodies", rows, sizeof rows / sizeof *rows};

/* A soft strip laid over a drum by half a turn: Euler's and Eytelwein's e^(μφ) between its two
 * ends.
 *
 * The strip is free of stress as built and its ends hang down. One end is pulled with 1 N, the
 * other is pinned, and the drum turns under it towards the pulled end: all of the strip slides
 * while it rests, and the pinned end has the tension that the friction adds up to.
 *
 * Thickness, as for a rod (test_rods_capstan.c): with ε = h/2ρ, ρ = R + h/2, T = e^(Λφ) and Λ (1 +
 * μ ε Λ) = μ (1 - ε). Nodes touch, the tension turns by δ at each: ln (1 + μ tan δ/2)/(1 - μ tan
 * δ/2) = μδ (1 + δ²/12 + …). */
#include "soft_touch.h"

#define RADIUS 0.05
#define THICK 0.001
#define WIDE 0.01
#define TURN 24 /* elements along half a turn */
#define TAIL 4

/* The middle surface at s elements from the first end, and the outward normal there, in the plane
 * x, z. */
static void strip_point(double s, double out, double *x, double *z)
{
    double cell = PI * RADIUS / TURN, r = RADIUS + out;
    if (s <= TAIL) {
        *x = -r, *z = (s - TAIL) * cell;
    } else if (s >= TAIL + TURN) {
        *x = r, *z = (TAIL + TURN - s) * cell;
    } else {
        double a = PI * (s - TAIL) / TURN;
        *x = -r * cos(a), *z = r * sin(a);
    }
}

/* Mean of one tail: side -1 is pinned, 1 pulled. */
static double tension(const Touch *touch, double side)
{
    TnSoftInfo info = tn_model_soft_info(touch->model, 1);
    static double stress[6 * 1024];
    TnError err = {0};
    double sum = 0;
    int count = 0;
    CHECK(info.tet_count <= 1024);
    CHECK(tn_world_soft_stress(touch->world, 1, stress, NULL, &err) == TN_OK);
    for (int i = 0; i < info.tet_count; i++) { /* but for its ends */
        double x = 0, z = 0, cell = PI * RADIUS / TURN;
        for (int k = 0; k < 4; k++) {
            x += info.rest[3 * info.tets[4 * i + k]] / 4;
            z += info.rest[3 * info.tets[4 * i + k] + 2] / 4;
        }
        if (x * side < 0 || z > -cell || z < -(TAIL - 1) * cell) continue;
        sum += stress[6 * i + 2]; /* elements of a box are not all equal, but come in sets of six */
        count++;
    }
    return sum / count * THICK * WIDE;
}

static double slide_over_drum(double mu)
{
    const int n = TURN + 2 * TAIL;
    const double half[3] = {0.5 * n, 0.5, 0.5};
    Touch touch = touch_begin(1e-3);
    TnSoftHoldDef holds[16];
    TnError err = {0};
    int ends[16], end_count = 0;
    touch.option.theta = 1;
    touch.option.gravity[2] = 0;
    touch.def.solver.iterations = 200;
    TnBodyDef body = tn_body_def();
    body.has_inertia = true;
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1e6; /* does not mind */
    TnJointDef joint = tn_joint_def();
    joint.body = tn_builder_add_body(touch.builder, &body);
    joint.axis[1] = 1, joint.axis[2] = 0;
    tn_builder_add_joint(touch.builder, &joint);
    TnGeomDef drum = touch_geom(TN_GEOM_CYLINDER, RADIUS, 0.1, 0);
    drum.body = joint.body;
    drum.mass = 0;
    drum.quat[0] = drum.quat[1] = sqrt(0.5);
    drum.friction[0] = mu;
    tn_builder_add_geom(touch.builder, &drum);
    TnSoftDef strip = touch_block(half, (const int[3]){n, 1, 1}, 0);
    strip.holds = holds;
    for (int i = 0; i < strip.mesh.node_count; i++) {
        double *x = strip.mesh.nodes + 3 * i, s = x[0] + 0.5 * n;
        if (s < 1e-9) holds[strip.hold_count++] = (TnSoftHoldDef){i, TN_BODY_WORLD};
        if (s > n - 1e-9) ends[end_count++] = i;
        strip_point(s, (x[2] + 0.5) * THICK, &x[0], &x[2]);
        x[1] *= WIDE;
    }
    CHECK(tn_tet_mesh_check(&strip.mesh, "strip", &err));
    strip.youngs_modulus = 1e8;
    strip.poisson_ratio = 0;
    strip.density = 1e4;
    strip.damping_stiffness = 0.01;
    touch_add(&touch, &strip);
    if (!touch_finish(&touch)) return NAN;
    TnStateView state = tn_world_state(touch.world);
    double *qvel = calloc((size_t)state.dof_count, sizeof *qvel);
    qvel[0] = 0.02 / RADIUS;
    CHECK(tn_world_set_state(touch.world, state.qpos, qvel, &err) == TN_OK);
    free(qvel);
    for (int k = 0; k < 130; k++) {
        for (int i = 0; i < end_count; i++)
            tn_world_apply_node_force(touch.world, 1, ends[i],
                                      (const double[3]){0, 0, -1.0 / end_count});
        touch_step(&touch);
    }
    double low = tension(&touch, 1), high = tension(&touch, -1);
    CHECK_NEAR(low, 1, 1e-3);                  /* the pull; damping fades */
    CHECK(touch_fastest(&touch, 1, 0) < 1e-5); /* at rest beside 20 mm/s */
    touch_end(&touch);
    return high / low;
}

/* 1 %: the clamped end can bear the tension anywhere within the strip's thickness, half a
 * millimetre of the drum's radius to either side. */
TEST(a_soft_strip_over_a_drum_multiplies_its_tension_by_e_to_the_mu_phi)
{
    for (int i = 0; i < 3; i++) {
        double mu = 0.1 + 0.2 * i, e = 0.5 * THICK / (RADIUS + 0.5 * THICK), L = mu, d = PI / TURN;
        for (int k = 0; k < 50; k++) L = mu * (1 - e) / (1 + mu * e * L);
        double expected = exp(L * PI * (1 + d * d / 12)), found = slide_over_drum(mu);
        printf("    μ = %.1f: %.4f, e^(μφ) = %.4f, with thickness and elements %.4f\n", mu, found,
               exp(mu * PI), expected);
        CHECK_NEAR(found / expected, 1, 0.01);
    }
}

/* Scenes and errors of SimBenchmark; docs/verification.md says what each is and what others got.
 * Its robot is a model that is not tenon's to give away: here is a quadruped of the same mass and
 * number of joints. */
#include "simbench.h"

#include <math.h>
#include <string.h>

static const double G = 9.81;

/* ---- parts ---- */

static TnBodyId add_free(TnModelBuilder *builder, const double pos[3])
{
    TnBodyDef body = tn_body_def();
    memcpy(body.pos, pos, sizeof body.pos);
    TnJointDef joint = tn_joint_def();
    joint.body = tn_builder_add_body(builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(builder, &joint);
    return joint.body;
}

static void add_ball(TnModelBuilder *builder, const double pos[3], double radius, double mass,
                     double friction, double restitution)
{
    TnGeomDef ball = tn_geom_def();
    ball.body = add_free(builder, pos);
    ball.size[0] = radius;
    ball.mass = mass;
    ball.friction[0] = friction;
    ball.restitution = restitution;
    if (friction == 0) ball.contact_dim = 1;
    tn_builder_add_geom(builder, &ball);
}

static void add_ground(TnModelBuilder *builder, double friction)
{
    TnGeomDef ground = tn_geom_def();
    ground.body = TN_BODY_WORLD;
    ground.type = TN_GEOM_PLANE;
    ground.friction[0] = friction;
    if (friction == 0) ground.contact_dim = 1;
    tn_builder_add_geom(builder, &ground);
}

static double energy_of(const SimbenchRun *run)
{
    TnEnergy e = tn_world_energy(run->world);
    return e.kinetic + e.potential;
}

static double energy_error(SimbenchRun *run)
{
    double e = energy_of(run) - run->start;
    return e * e;
}

/* ---- rolling: a box is drawn along under 25 balls ---- */

static void build_rolling(TnModelBuilder *builder)
{
    TnGeomDef box = tn_geom_def();
    add_ground(builder, 0.4);
    box.body = add_free(builder, (double[]){0, 0, 0.5});
    box.type = TN_GEOM_BOX;
    box.size[0] = box.size[1] = 10, box.size[2] = 0.5;
    box.mass = 10;
    box.friction[0] = 0.4;
    tn_builder_add_geom(builder, &box);
    for (int i = 0; i < 25; i++)
        add_ball(builder, (double[]){2.0 * (i % 5) - 4, 2.0 * (i / 5) - 4, 1.5}, 0.5, 1, 0.8, 0);
}

static const double drawn[3] = {0.5, 0.8660254037844386, 0};

static void push_rolling(SimbenchRun *run)
{
    tn_world_apply_wrench(run->world, 2, (double[]){150 * drawn[0], 150 * drawn[1], 0},
                          (double[3]){0});
}

/* Box: 150 N less friction of the ground on 35 kg, moving itself and 2/7 of each ball. */
static double rolling_error(SimbenchRun *run)
{
    double a = (150 - 0.4 * 35 * G) / (10 + 25 * 2.0 / 7), time = tn_world_state(run->world).time;
    double sum = 0;
    for (TnBodyId id = 2; id < 28; id++) {
        double v[3], w[3], expected = (id == 2 ? a : 2.0 / 7 * a) * time, square = 0;
        tn_world_body_velocity(run->world, id, v, w);
        for (int k = 0; k < 3; k++)
            square += (v[k] - expected * drawn[k]) * (v[k] - expected * drawn[k]);
        sum += id == 2 ? square : square / 25;
    }
    return sum;
}

/* ---- bouncing: 49 balls that do not meet ---- */

static void build_bouncing(TnModelBuilder *builder)
{
    add_ground(builder, 0);
    for (int i = 0; i < 49; i++)
        add_ball(builder, (double[]){2.0 * (i % 7), 2.0 * (i / 7), 5}, 0.1, 10, 0, 1);
}

/* ---- 666: a cube of balls falls apart ---- */

static void build_cube(TnModelBuilder *builder, double lowest, double restitution)
{
    uint64_t random = 12345;
    add_ground(builder, 0);
    for (int i = 0; i < 216; i++) {
        const int cell[3] = {i % 6, i / 6 % 6, i / 36};
        double pos[3];
        for (int k = 0; k < 3; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            pos[k] = 0.21 * cell[k] + 1e-3 * (double)(random >> 11) * 0x1p-53;
        }
        pos[2] += lowest;
        add_ball(builder, pos, 0.1, 10, 0, restitution);
    }
}

static void build_666(TnModelBuilder *builder) { build_cube(builder, 0.101, 0); }
static void build_elastic_666(TnModelBuilder *builder) { build_cube(builder, 1.101, 1); }

/* Of all pairs, and with the ground, as they are at the step's end. */
static double depth_error(SimbenchRun *run)
{
    const double *q = tn_world_state(run->world).qpos;
    double sum = 0;
    for (int i = 0; i < 216; i++) {
        const double *a = q + 7 * i;
        if (a[2] < 0.1) sum += (0.1 - a[2]) * (0.1 - a[2]);
        for (int j = i + 1; j < 216; j++) {
            const double *b = q + 7 * j;
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], d2 = x * x + y * y + z * z;
            if (d2 < 0.04) sum += (0.2 - sqrt(d2)) * (0.2 - sqrt(d2));
        }
    }
    return sum;
}

/* ---- a quadruped of 34 kg and 12 joints ---- */

static TnBodyId add_link(TnModelBuilder *builder, TnBodyId parent, const double pos[3], int axis,
                         const double to[3], double radius, double mass, double servo)
{
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    body.parent = parent;
    memcpy(body.pos, pos, sizeof body.pos);
    joint.body = geom.body = tn_builder_add_body(builder, &body);
    joint.axis[0] = axis == 0, joint.axis[1] = axis == 1, joint.axis[2] = axis == 2;
    TnJointId id = tn_builder_add_joint(builder, &joint);
    geom.type = TN_GEOM_CAPSULE;
    geom.size[0] = radius;
    geom.size[1] = 0.5 * sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    double half[3] = {to[0] / 2, to[1] / 2, to[2] / 2}, length = 2 * geom.size[1];
    /* from z to the link's direction, half way round */
    double q[4] = {1 + to[2] / length, -to[1] / length, to[0] / length, 0};
    if (q[0] < 1e-9) q[0] = 0, q[1] = 1;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int k = 0; k < 4; k++) geom.quat[k] = q[k] / norm;
    memcpy(geom.pos, half, sizeof half);
    geom.mass = mass;
    geom.friction[0] = 0.8;
    tn_builder_add_geom(builder, &geom);
    if (servo > 0) {
        TnActuatorDef drive = tn_actuator_def();
        drive.joint = id;
        drive.gain = servo;
        drive.bias[1] = -servo, drive.bias[2] = -1;
        tn_builder_add_actuator(builder, &drive);
    }
    return geom.body;
}

static void add_quadruped(TnModelBuilder *builder, double height, double servo)
{
    TnBodyId trunk = add_free(builder, (double[]){0, 0, height});
    TnGeomDef box = tn_geom_def();
    box.body = trunk;
    box.type = TN_GEOM_BOX;
    box.size[0] = 0.27, box.size[1] = 0.12, box.size[2] = 0.08;
    box.mass = 18;
    box.friction[0] = 0.8;
    tn_builder_add_geom(builder, &box);
    for (int leg = 0; leg < 4; leg++) {
        double x = leg < 2 ? 1 : -1, y = leg % 2 ? 1 : -1;
        TnBodyId hip = add_link(builder, trunk, (double[]){0.3 * x, 0.12 * y, 0}, 0,
                                (double[]){0.06 * x, 0, 0}, 0.05, 1.5, servo);
        TnBodyId thigh = add_link(builder, hip, (double[]){0.06 * x, 0.1 * y, 0}, 1,
                                  (double[]){0, 0, -0.15}, 0.03, 2, servo);
        add_link(builder, thigh, (double[]){0, 0, -0.15}, 1, (double[]){0, 0, -0.15}, 0.025, 0.5,
                 servo);
    }
}

/* Thrown from the side at the trunk; without gravity. */
static void build_momentum(TnModelBuilder *builder)
{
    add_quadruped(builder, 0.6, 0);
    add_ball(builder, (double[]){0.1, -1, 0.62}, 0.2, 10, 0.8, 0);
}

static double momentum_error(SimbenchRun *run)
{
    double linear[3], angular[3], sum = 0;
    tn_world_momentum(run->world, linear, angular);
    for (int k = 0; k < 3; k++)
        sum += (linear[k] - run->momentum[k]) * (linear[k] - run->momentum[k]);
    return sum;
}

static void build_energy(TnModelBuilder *builder) { add_quadruped(builder, 1, 0); }

/* Lifted with twice its weight for a second. */
static void push_energy(SimbenchRun *run)
{
    if (tn_world_state(run->world).time > 1 - 0.5 * run->t) return;
    double up[3] = {0, 0, 2 * G * tn_model_info(run->model).total_mass};
    tn_world_apply_wrench(run->world, 2, up, (double[3]){0});
}

static double free_energy_error(SimbenchRun *run)
{
    double time = tn_world_state(run->world).time;
    if (time < 1 + 0.5 * run->t) {
        run->start = energy_of(run);
        return NAN;
    }
    return energy_error(run);
}

/* Soles are 0.025 m below the ends of the shanks. Legs of 0.3 m: straight ones with kp 40 do not
 * buckle under 34 kg. */
static const double standing = 0.326;

static void build_pd(TnModelBuilder *builder)
{
    add_ground(builder, 0.8);
    add_quadruped(builder, standing, 40);
}

static double height_error(SimbenchRun *run)
{
    double pos[3], quat[4];
    tn_world_body_pose(run->world, 2, pos, quat);
    return (pos[2] - standing) * (pos[2] - standing);
}

const SimbenchScene simbench_scenes[] = {
    {"rolling", 4, build_rolling, push_rolling, rolling_error, "mean |dv box|^2 + |dv ball|^2",
     true},
    {"bouncing", 20, build_bouncing, NULL, energy_error, "mean (E - E0)^2", true},
    {"666", 10, build_666, NULL, depth_error, "mean sum of depth^2", true},
    {"elastic666", 10, build_elastic_666, NULL, energy_error, "mean (E - E0)^2", true},
    {"momentum", 10, build_momentum, NULL, momentum_error, "mean |dp|^2", false},
    {"energy", 3, build_energy, push_energy, free_energy_error, "mean (E - E0)^2", true},
    {"pd", 10, build_pd, NULL, height_error, "mean (z - z0)^2 of the trunk", true},
};
const int simbench_scene_count = sizeof simbench_scenes / sizeof simbench_scenes[0];

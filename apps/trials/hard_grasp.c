/* Grasps: a small capsule pinched between two plates, and an arm that presses a box against a wall.
 * Both hang on friction alone; what counts is that they do not creep. */
#include "hard.h"

#include <math.h>

/* A constant force, or a servo about the reference pose with a constant torque on top. */
static void add_drive(HardModel *m, TnJointId joint, double force, double kp, double kv)
{
    TnActuatorDef drive = tn_actuator_def();
    drive.joint = joint;
    drive.bias[0] = force, drive.bias[1] = -kp, drive.bias[2] = -kv;
    tn_builder_add_actuator(m->builder, &drive);
}

/* A plate that slides along x and is pushed towards the middle. */
static void add_plate(HardModel *m, const HardScene *scene, double side, int level)
{
    const double radius = 0.004, half[3] = {0.005, 0.03, 0.03}; /* m */
    TnBodyDef body = tn_body_def();
    body.pos[0] = side * (radius + half[0]);
    TnJointDef slide = tn_joint_def();
    slide.body = tn_builder_add_body(m->builder, &body);
    slide.type = TN_JOINT_SLIDE;
    slide.axis[0] = 1, slide.axis[2] = 0;
    hard_box(m, slide.body, half, scene->number, 0.7);
    add_drive(m, tn_builder_add_joint(m->builder, &slide), -side * scene->force, 0, 0);
    hard_watch(m, slide.body, 0, level);
    hard_cut(m, (HardCut){0, level, level, 0, -side * scene->force});
}

/* 45 g, radius 4 mm, lying across between plates of mass `number` that are pushed together with
 * `force`; friction 0.7, gravity along the plates. Nothing holds the whole along x: no noise there.
 */
void hard_build_pinch(HardModel *m, const HardScene *scene, uint64_t seed)
{
    const double half = sqrt(0.5);
    (void)seed;
    add_plate(m, scene, -1, 0);
    add_plate(m, scene, 1, 1);
    TnGeomDef capsule = tn_geom_def();
    capsule.body = hard_free_body(m, (double[]){0, 0, 0}, hard_upright, 0, 2);
    capsule.type = TN_GEOM_CAPSULE;
    capsule.size[0] = 0.004, capsule.size[1] = 0.02;
    capsule.quat[0] = half, capsule.quat[1] = half; /* its axis along y */
    capsule.mass = 0.045;
    capsule.friction[0] = 0.7;
    tn_builder_add_geom(m->builder, &capsule);
    hard_cut(m, (HardCut){0, 2, 2, 2, 0});
    m->noise_axes[0] = false;
    m->fall = 0.01;
}

/* The arm: three hinges about -y, links in the xz plane; angles from x upwards. */
enum { LINKS = 3 };
static const double lengths[LINKS] = {0.4, 0.35, 0.15}; /* m */
static const double angles[LINKS] = {1.2, -0.5, 0};     /* rad, absolute, in the reference pose */
static const double masses[LINKS] = {4, 3, 1.5};        /* kg */
static const double shoulder = 0.3;                     /* m above the ground */
static const double link_radius = 0.03, tip_radius = 0.02, box_edge = 0.1;

/* Torques that hold the reference pose against the links' weight while the tip pushes along x.
 * Turning joint i moves a point r away from it by (-r_z, r_x). */
static void static_torques(double joints[LINKS + 1][2], double push, double torques[LINKS])
{
    const double g = -tn_option().gravity[2];
    for (int i = 0; i < LINKS; i++) {
        torques[i] = -push * (joints[LINKS][1] - joints[i][1]);
        for (int k = i; k < LINKS; k++)
            torques[i] += masses[k] * g * (0.5 * (joints[k][0] + joints[k + 1][0]) - joints[i][0]);
    }
}

static void add_link(HardModel *m, TnBodyId *parent, int i, double torque)
{
    TnBodyDef body = tn_body_def();
    double turn = i ? angles[i] - angles[i - 1] : angles[0];
    body.parent = *parent;
    if (i)
        body.pos[0] = lengths[i - 1];
    else
        body.pos[2] = shoulder;
    body.quat[0] = cos(turn / 2), body.quat[2] = -sin(turn / 2);
    TnJointDef hinge = tn_joint_def();
    hinge.body = *parent = tn_builder_add_body(m->builder, &body);
    hinge.axis[1] = -1, hinge.axis[2] = 0;
    hinge.armature = 0.1;
    add_drive(m, tn_builder_add_joint(m->builder, &hinge), torque, 2000, 100);
    TnGeomDef link = tn_geom_def();
    link.body = hinge.body;
    link.type = TN_GEOM_CAPSULE;
    link.pos[0] = lengths[i] / 2;
    link.quat[0] = link.quat[2] = sqrt(0.5); /* z along x */
    link.size[0] = i == LINKS - 1 ? tip_radius : link_radius, link.size[1] = lengths[i] / 2;
    link.mass = masses[i];
    link.friction[0] = 0.7;
    if (i < LINKS - 1) link.contact_type = link.contact_affinity = 0;
    tn_builder_add_geom(m->builder, &link);
}

/* It presses a box of `number` kg against a wall with `force`. */
void hard_build_arm(HardModel *m, const HardScene *scene, uint64_t seed)
{
    double joints[LINKS + 1][2] = {{0, shoulder}}, torques[LINKS];
    TnBodyId parent = TN_BODY_WORLD;
    (void)seed;
    for (int i = 0; i < LINKS; i++) {
        joints[i + 1][0] = joints[i][0] + lengths[i] * cos(angles[i]);
        joints[i + 1][1] = joints[i][1] + lengths[i] * sin(angles[i]);
    }
    double face = joints[LINKS][0] + tip_radius, height = joints[LINKS][1];
    hard_ground(m, 0.7);
    hard_plane(m, (double[]){face + box_edge, 0, height}, (double[]){sqrt(0.5), 0, -sqrt(0.5), 0},
               0.7);
    static_torques(joints, scene->force, torques);
    for (int i = 0; i < LINKS; i++) add_link(m, &parent, i, torques[i]);
    TnBodyId box =
        hard_free_body(m, (double[]){face + box_edge / 2, 0, height}, hard_upright, 0, 0);
    hard_box(m, box, (double[]){box_edge / 2, box_edge / 2, box_edge / 2}, scene->number, 0.7);
    hard_cut(m, (HardCut){0, 0, 0, 2, 0});
    m->fall = 0.01;
}

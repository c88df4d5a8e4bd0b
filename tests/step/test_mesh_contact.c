/* A box given as a mesh behaves like a box geom: on a plane, on a box and on another mesh. */
#include "../check.h"
#include "scene.h"

#define CONTACT_MAX 16
#define MASS 3.0

static const double gravity[3] = {2.0, 0.0, -9.81}; /* before the scene is tilted */

typedef enum Ground { ON_PLANE, ON_BOX, ON_MESH } Ground;

typedef struct Rest {
    double pos[3], quat[4], speed;
    int count;
    double point[CONTACT_MAX][3], force[CONTACT_MAX][3];
} Rest;

/* Eight corners and some points within, about a point that is not the mesh's origin. */
static TnMeshId box_mesh(Scene *scene, const double half[3], const double middle[3])
{
    double points[3 * 20];
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 3; k++) {
            double side = (i >> k & 1) ? half[k] : -half[k];
            if (i >= 8) side *= i < 16 ? 0.5 : (i == 16 + k ? 1.0 : 0.0); /* inside, and on faces */
            points[3 * i + k] = middle[k] + side;
        }
    TnMeshDef mesh = tn_mesh_def();
    mesh.vertices = points;
    mesh.vertex_count = 20;
    return tn_builder_add_mesh(scene->builder, &mesh);
}

/* The whole scene is turned by some angle, so that no face is along an axis. */
static const double tilt[4] = {0.90, 0.20, -0.30, 0.24494897427831780};

static void rotate(const double q[4], const double v[3], double out[3])
{
    double t[3], u[3];
    for (int k = 0; k < 3; k++)
        t[k] = q[1 + (k + 1) % 3] * v[(k + 2) % 3] - q[1 + (k + 2) % 3] * v[(k + 1) % 3];
    for (int k = 0; k < 3; k++)
        u[k] = q[1 + (k + 1) % 3] * t[(k + 2) % 3] - q[1 + (k + 2) % 3] * t[(k + 1) % 3];
    for (int k = 0; k < 3; k++) out[k] = v[k] + 2 * (q[0] * t[k] + u[k]);
}

/* Geom of a box whose middle is at pos, whichever way it is given. */
static void add_box(Scene *scene, TnBodyId body, bool as_mesh, const double half[3],
                    const double pos[3], const double quat[4], double mass)
{
    const double middle[3] = {0.3, -0.1, 0.7};
    TnGeomDef geom = tn_geom_def();
    geom.body = body;
    geom.mass = mass;
    geom.friction[0] = 0.8;
    geom.type = as_mesh ? TN_GEOM_MESH : TN_GEOM_BOX;
    memcpy(geom.size, half, sizeof geom.size);
    memcpy(geom.pos, pos, sizeof geom.pos);
    memcpy(geom.quat, quat, sizeof geom.quat);
    if (as_mesh) {
        double offset[3];
        geom.mesh = box_mesh(scene, half, middle);
        rotate(quat, middle, offset);
        for (int k = 0; k < 3; k++) geom.pos[k] -= offset[k];
    }
    tn_builder_add_geom(scene->builder, &geom);
}

/* Drops it from a millimetre, turned about the vertical, under tilted gravity so that friction
 * works as well. */
static bool settle(Ground ground, bool as_mesh, Rest *out)
{
    const double half[3] = {0.1, 0.15, 0.05}, table[3] = {1.0, 1.0, 0.2}, zero[3] = {0, 0, 0};
    const double below[3] = {0.0, 0.0, -0.2}, above[3] = {0.0, 0.0, half[2] + 0.001};
    const double unturned[4] = {1.0, 0.0, 0.0, 0.0}, turn[2] = {cos(0.15), sin(0.15)};
    Scene scene = scene_begin();
    scene.option.timestep = 0.005;
    rotate(tilt, gravity, scene.option.gravity);
    double pos[3];
    rotate(tilt, below, pos);
    if (ground == ON_PLANE) {
        TnGeomDef plane = tn_geom_def();
        plane.type = TN_GEOM_PLANE;
        plane.friction[0] = 0.8;
        memcpy(plane.quat, tilt, sizeof tilt);
        tn_builder_add_geom(scene.builder, &plane);
    } else {
        add_box(&scene, TN_BODY_WORLD, ground == ON_MESH, table, pos, tilt, -1.0);
    }
    TnBodyDef body = tn_body_def();
    rotate(tilt, above, body.pos);
    body.quat[0] = tilt[0] * turn[0] - tilt[3] * turn[1]; /* tilt, then about its own z */
    body.quat[1] = tilt[1] * turn[0] + tilt[2] * turn[1];
    body.quat[2] = tilt[2] * turn[0] - tilt[1] * turn[1];
    body.quat[3] = tilt[3] * turn[0] + tilt[0] * turn[1];
    TnBodyId id = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(scene.builder, &joint);
    add_box(&scene, id, as_mesh, half, zero, unturned, MASS);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = model ? scene_world_of(model, 400, 0.0) : NULL; /* the same iterates */
    if (!world) {
        test_fail(__FILE__, __LINE__, "no world");
        tn_model_destroy(model);
        return false;
    }
    for (int i = 0; i < 400; i++) tn_world_step(world);
    double linear[3], angular[3];
    tn_world_body_pose(world, id, out->pos, out->quat);
    tn_world_body_velocity(world, id, linear, angular);
    out->speed = 0.0;
    for (int k = 0; k < 3; k++) out->speed += fabs(linear[k]) + fabs(angular[k]);
    out->count = tn_world_contact_count(world);
    for (int i = 0; i < out->count && i < CONTACT_MAX; i++) {
        TnContact c = tn_world_contact(world, i);
        double sign = c.geom1 == 1 ? 1.0 : -1.0; /* on the box: geom 1 is the ground */
        memcpy(out->point[i], c.pos, sizeof c.pos);
        for (int k = 0; k < 3; k++) out->force[i][k] = sign * c.force[k];
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
    return true;
}

static void check_like_a_box(Ground ground)
{
    Rest box, mesh;
    REQUIRE(settle(ground == ON_MESH ? ON_BOX : ground, false, &box));
    REQUIRE(settle(ground, true, &mesh));
    REQUIRE(box.count == 4 && mesh.count == 4);
    CHECK(box.speed < 1e-12 && mesh.speed < 1e-12); /* still, but for rounding */
    /* Directions of mesh contacts are those of their flat faces, right to the roundings of their
     * corners, so positions differ by roundings. How four corners share a load is up to gaps of
     * that size, and to how they came down: as a box or as a mesh they last from another step on.
     */
    for (int k = 0; k < 3; k++) CHECK_NEAR(mesh.pos[k], box.pos[k], 1e-12);
    for (int k = 0; k < 4; k++) CHECK_NEAR(mesh.quat[k], box.quat[k], 1e-12);
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int near = 0; /* the same corner of the other */
        double least = INFINITY;
        for (int j = 0; j < 4; j++) {
            double d2 = 0.0;
            for (int k = 0; k < 3; k++) d2 += pow(mesh.point[i][k] - box.point[j][k], 2);
            if (d2 < least) least = d2, near = j;
        }
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(mesh.point[i][k], box.point[near][k], 1e-12);
            CHECK_NEAR(mesh.force[i][k], box.force[near][k], 5e-3);
            sum[k] += mesh.force[i][k];
        }
    }
    double weight[3];
    rotate(tilt, gravity, weight);
    for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], -MASS * weight[k], 1e-10);
}

TEST(mesh_box_rests_on_a_plane_like_a_box) { check_like_a_box(ON_PLANE); }
TEST(mesh_box_rests_on_a_box_like_a_box) { check_like_a_box(ON_BOX); }
TEST(mesh_box_rests_on_a_mesh_like_a_box) { check_like_a_box(ON_MESH); }

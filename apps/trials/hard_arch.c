/* A semicircular arch of wedges without mortar. `number` is t/R: thickness by the mean radius.
 *
 * Joints lie at equal angles, and are exactly radial from R - t/2 to R + t/2; inner and outer faces
 * are the chords in between. An arch as thick as 0.12 R stands; one below Milankovitch's limit
 * (0.1075 for a smooth arch under its own weight) opens hinges at the crown, the haunches and the
 * ground and falls, whatever the friction: docs/scenes.md has the limit of this very arch. Friction
 * is large enough that nothing slides before. */
#include "hard.h"

#include <math.h>

static const double radius = 1, depth = 0.2; /* m */
static const double density = 2000;          /* kg/m³ */
static const double friction = 0.8;
static const double pi = 3.14159265358979323846;

/* Corners of the section in the xz plane, and its centroid (shoelace formula). */
static void section(double from, double to, double thickness, double corners[4][2],
                    double centre[2])
{
    const double radii[4] = {radius - thickness / 2, radius + thickness / 2, radius + thickness / 2,
                             radius - thickness / 2};
    double twice_area = 0, sum[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        double angle = i < 2 ? from : to;
        corners[i][0] = radii[i] * cos(angle);
        corners[i][1] = radii[i] * sin(angle);
    }
    for (int i = 0; i < 4; i++) {
        const double *p = corners[i], *q = corners[(i + 1) % 4];
        double cross = p[0] * q[1] - q[0] * p[1];
        twice_area += cross;
        for (int k = 0; k < 2; k++) sum[k] += (p[k] + q[k]) * cross;
    }
    for (int k = 0; k < 2; k++) centre[k] = sum[k] / (3 * twice_area);
}

static double joint_angle(int joint, int count) { return pi * joint / count; }

void hard_build_arch(HardModel *m, const HardScene *scene, uint64_t seed)
{
    (void)seed;
    double thickness = scene->number * radius;
    hard_ground(m, friction);
    for (int i = 0; i < scene->count; i++) {
        double corners[4][2], centre[2], vertices[24];
        section(joint_angle(i, scene->count), joint_angle(i + 1, scene->count), thickness, corners,
                centre);
        for (int k = 0; k < 8; k++) {
            double *v = &vertices[3 * k];
            /* the last joint stands on the ground as the first; sin(pi) is not quite 0 */
            double z = fabs(corners[k % 4][1]) < 1e-12 ? 0 : corners[k % 4][1];
            v[0] = corners[k % 4][0] - centre[0];
            v[1] = k < 4 ? -depth / 2 : depth / 2;
            v[2] = z - centre[1];
        }
        TnMeshDef mesh = tn_mesh_def();
        mesh.vertices = vertices;
        mesh.vertex_count = 8;
        TnGeomDef stone = tn_geom_def();
        stone.type = TN_GEOM_MESH;
        stone.mesh = tn_builder_add_mesh(m->builder, &mesh);
        stone.density = density;
        stone.friction[0] = friction;
        stone.body = hard_free_body(m, (double[]){centre[0], 0, centre[1]}, hard_upright, 0, i);
        tn_builder_add_geom(m->builder, &stone);
    }
    /* the whole on the ground, and the upper part on each pair of joints */
    for (int i = 0; i < scene->count / 2; i++)
        hard_cut(m, (HardCut){0, i, scene->count - 1 - i, 2, 0});
    m->fall = 0.2 * radius;
}

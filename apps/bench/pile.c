/* The pile of the scaling benchmark; see pile.h.
 *
 * The box is as wide as the grid and grows with it, so that every size is a cube of spheres, or a
 * bed of so many layers, and has about the same number of contacts per sphere. Its walls are
 * planes: nothing can leave through them. */
#include "pile.h"

#include <math.h>
#include <stdio.h>

static const double radius = 0.01;    /* m */
static const double mass = 0.004;     /* kg */
static const double spacing = 0.0205; /* m: half a millimetre of air */
static const double jitter = 0.0002;  /* m, either way */

/* A linear congruential generator (Knuth's MMIX constants): the same pile on every machine. */
static double next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53 * 2 - 1; /* within [-1, 1) */
}

static void add_plane(TnModelBuilder *builder, double x, double y, double z, const double quat[4])
{
    TnGeomDef plane = tn_geom_def();
    plane.body = TN_BODY_WORLD;
    plane.type = TN_GEOM_PLANE;
    plane.pos[0] = x, plane.pos[1] = y, plane.pos[2] = z;
    for (int i = 0; i < 4; i++) plane.quat[i] = quat[i];
    plane.friction[0] = 0.5;
    tn_builder_add_geom(builder, &plane);
}

/* A plane's normal is its z axis; these turn it to ±x and ±y. */
static void add_open_box(TnModelBuilder *builder, double half_width)
{
    const double h = sqrt(0.5);
    add_plane(builder, 0, 0, 0, (double[]){1, 0, 0, 0});
    add_plane(builder, -half_width, 0, 0, (double[]){h, 0, h, 0});
    add_plane(builder, half_width, 0, 0, (double[]){h, 0, -h, 0});
    add_plane(builder, 0, -half_width, 0, (double[]){h, -h, 0, 0});
    add_plane(builder, 0, half_width, 0, (double[]){h, h, 0, 0});
}

static void add_sphere(TnModelBuilder *builder, const double pos[3])
{
    TnBodyDef body = tn_body_def();
    for (int i = 0; i < 3; i++) body.pos[i] = pos[i];
    TnJointDef joint = tn_joint_def();
    joint.body = tn_builder_add_body(builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = joint.body;
    geom.type = TN_GEOM_SPHERE;
    geom.size[0] = radius;
    geom.mass = mass;
    geom.friction[0] = 0.5;
    tn_builder_add_geom(builder, &geom);
}

TnModel *bed_model(int count, int layers, TnError *err)
{
    TnModelBuilder *builder = tn_builder_create();
    if (!builder) {
        err->code = TN_ERROR_MEMORY;
        err->count = 1;
        snprintf(err->message, sizeof err->message, "no memory for a pile of %d spheres", count);
        return NULL;
    }
    double wide = layers ? sqrt((double)count / layers) : cbrt((double)count);
    int width = (int)ceil(wide - 1e-9);
    double half_width = 0.5 * spacing * width + jitter;
    uint64_t random = 1;
    TnOption option = tn_option();
    tn_builder_set_name(builder, "pile");
    tn_builder_set_option(builder, &option, (TnSource){0});
    add_open_box(builder, half_width);
    for (int i = 0; i < count; i++) {
        int cell[3] = {i % width, i / width % width, i / width / width};
        double pos[3] = {spacing * (cell[0] + 0.5 - 0.5 * width),
                         spacing * (cell[1] + 0.5 - 0.5 * width), spacing * (cell[2] + 0.5)};
        for (int k = 0; k < 3; k++) pos[k] += jitter * next_random(&random);
        add_sphere(builder, pos);
    }
    TnModel *model = tn_builder_compile(builder, err);
    tn_builder_destroy(builder);
    return model;
}

TnModel *pile_model(int count, TnError *err) { return bed_model(count, 0, err); }

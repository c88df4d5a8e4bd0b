/* See draw_model.h. */
#include "draw_model.h"

#include <string.h>

enum { MOST = 16 };

typedef struct Draft {
    FuzzBytes *bytes;
    TnModelBuilder *builder;
    TnBodyId bodies[MOST];
    TnJointId joints[MOST]; /* hinges and slides */
    TnGeomId geoms[MOST];
    TnSiteId sites[MOST];
    TnTendonId tendons[4];
    TnActuatorId actuators[8];
    TnSoftId softs[2];
    TnRodParts rods[2];
    int rod_segments[2];
    int body_count, joint_count, geom_count, site_count, tendon_count, actuator_count, soft_count,
        rod_count;
} Draft;

#define KEEP(LIST, COUNT, ID)                                                                      \
    do {                                                                                           \
        if ((COUNT) < (int)(sizeof(LIST) / sizeof(LIST)[0])) (LIST)[(COUNT)++] = (ID);             \
    } while (0)

/* One of a list; 0, which is none, where it is empty. */
#define ONE_OF(D, LIST, COUNT) ((COUNT) ? (LIST)[fuzz_pick((D)->bytes, (COUNT))] : 0)

static int pick(Draft *d, int count) { return fuzz_pick(d->bytes, count); }
static bool chance(Draft *d, int in_256) { return fuzz_chance(d->bytes, in_256); }
static double between(Draft *d, double lower, double upper)
{
    return fuzz_real(d->bytes, lower, upper);
}

static void point(Draft *d, double pos[3], double reach)
{
    for (int k = 0; k < 3; k++) pos[k] = between(d, -reach, reach);
}

static void turn(Draft *d, double quat[4])
{
    if (!chance(d, 100)) return;
    for (int k = 0; k < 4; k++) quat[k] = between(d, -1.0, 1.0);
}

static TnBodyId any_body(Draft *d)
{
    return chance(d, 60) ? TN_BODY_WORLD : ONE_OF(d, d->bodies, d->body_count);
}

static void draw_option(Draft *d)
{
    static const double timesteps[] = {0.01, 0.001, 0.002, 0.05, 1e-5, 1.0};
    TnOption option = tn_option();
    option.timestep = timesteps[pick(d, 6)];
    if (chance(d, 80)) point(d, option.gravity, 20.0);
    if (chance(d, 30)) {
        option.density = between(d, 0.0, 1000.0);
        option.viscosity = between(d, 0.0, 1.0);
        point(d, option.wind, 5.0);
    }
    if (chance(d, 40)) option.theta = between(d, 0.5, 1.0);
    option.substeps = chance(d, 40) ? 1 + pick(d, 3) : 1;
    option.stabilization = between(d, 0.0, 1.0);
    option.parents_collide = chance(d, 30);
    if (chance(d, 40)) {
        option.division.kind = (TnDivisionKind)pick(d, 4);
        option.division.group_size = 1 + pick(d, 4);
        option.division.pieces = pick(d, 4);
    }
    tn_builder_set_option(d->builder, &option, (TnSource){0});
}

static void draw_geom(Draft *d, TnBodyId body)
{
    static const TnGeomType types[] = {TN_GEOM_SPHERE, TN_GEOM_CAPSULE, TN_GEOM_BOX,
                                       TN_GEOM_ELLIPSOID, TN_GEOM_CYLINDER};
    TnGeomDef def = tn_geom_def();
    def.body = body;
    def.type = types[pick(d, 5)];
    point(d, def.pos, 0.2);
    turn(d, def.quat);
    for (int k = 0; k < 3; k++) def.size[k] = between(d, 0.01, 0.2);
    if (chance(d, 100)) {
        static const int dims[] = {1, 3, 4, 6};
        def.contact_dim = dims[pick(d, 4)];
        for (int k = 0; k < 3; k++) def.friction[k] = between(d, 0.0, k ? 0.1 : 2.0);
        def.restitution = between(d, 0.0, 1.0);
        def.margin = between(d, 0.0, 0.05);
        def.priority = pick(d, 2);
    }
    def.fluid_ellipsoid = chance(d, 30);
    KEEP(d->geoms, d->geom_count, tn_builder_add_geom(d->builder, &def));
}

static void draw_joint(Draft *d, TnBodyId body, bool root)
{
    TnJointDef def = tn_joint_def();
    def.body = body;
    int type = pick(d, root ? 4 : 3);
    static const TnJointType types[] = {TN_JOINT_HINGE, TN_JOINT_SLIDE, TN_JOINT_BALL,
                                        TN_JOINT_FREE};
    def.type = types[type];
    if (type < 3) {
        point(d, def.pos, 0.2);
        point(d, def.axis, 1.0);
    }
    if (type < 2 && chance(d, 120)) {
        def.limited = chance(d, 128);
        def.range[0] = between(d, -1.0, 0.0);
        def.range[1] = between(d, 0.0, 1.0);
        def.stiffness = between(d, 0.0, 1e4);
        def.spring_ref = between(d, -1.0, 1.0);
        def.damping = between(d, 0.0, 100.0);
        def.armature = between(d, 0.0, 1.0);
        def.friction_loss = between(d, 0.0, 10.0);
    }
    TnJointId id = tn_builder_add_joint(d->builder, &def);
    if (type < 2) KEEP(d->joints, d->joint_count, id);
}

static void draw_body(Draft *d)
{
    TnBodyDef def = tn_body_def();
    def.parent = chance(d, 150) ? TN_BODY_WORLD : any_body(d);
    if (!def.parent) def.parent = TN_BODY_WORLD;
    bool root = def.parent == TN_BODY_WORLD;
    point(d, def.pos, root ? 1.0 : 0.4);
    turn(d, def.quat);
    def.mocap = root && chance(d, 15);
    if (chance(d, 20)) def.gravity_compensation = between(d, 0.0, 1.0);
    TnBodyId id = tn_builder_add_body(d->builder, &def);
    KEEP(d->bodies, d->body_count, id);
    for (int i = def.mocap ? 0 : chance(d, 20) ? 2 : 1; i > 0; i--) draw_joint(d, id, root);
    for (int i = 1 + pick(d, 2); i > 0; i--) draw_geom(d, id);
    if (chance(d, 100)) {
        TnSiteDef site = tn_site_def();
        site.body = id;
        point(d, site.pos, 0.2);
        turn(d, site.quat);
        KEEP(d->sites, d->site_count, tn_builder_add_site(d->builder, &site));
    }
}

static void draw_rod(Draft *d)
{
    TnRodDef def = tn_rod_def();
    def.segment_count = 2 + pick(d, 7);
    point(d, def.start, 1.0);
    point(d, def.end, 1.0);
    def.radius = between(d, 0.005, 0.05);
    def.youngs_modulus = chance(d, 128) ? 1e7 : 1e4;
    def.poisson_ratio = between(d, -0.5, 0.45);
    def.damping_time = between(d, 0.0, 0.1);
    def.group_size = pick(d, 4);
    def.self_contact = chance(d, 80);
    def.straight_rest = chance(d, 60);
    TnRodId id = tn_builder_add_rod(d->builder, &def);
    if (d->rod_count == 2) return;
    d->rod_segments[d->rod_count] = def.segment_count;
    d->rods[d->rod_count++] = tn_builder_rod_parts(d->builder, id);
}

static void draw_soft(Draft *d)
{
    TnSoftDef def = tn_soft_def();
    TnError err = {0};
    const double half[3] = {between(d, 0.05, 0.2), between(d, 0.05, 0.2), between(d, 0.05, 0.2)};
    const int cells[3] = {1 + pick(d, 2), 1 + pick(d, 2), 1};
    bool sheet = chance(d, 80);
    bool made = sheet ? tn_sheet_mesh_rectangle(half, cells, &def.mesh, &err)
                      : tn_tet_mesh_box(half, cells, 5 + pick(d, 2), &def.mesh, &err);
    FUZZ_CHECK(made);
    if (sheet) def.thickness = between(d, 0.001, 0.02);
    point(d, def.pos, 1.0);
    turn(d, def.quat);
    def.youngs_modulus = chance(d, 128) ? 1e6 : 1e4;
    def.poisson_ratio = between(d, 0.0, 0.49);
    if (!sheet && chance(d, 60)) def.law = TN_SOFT_NEO_HOOKEAN;
    def.damping_mass = between(d, 0.0, 1.0);
    def.pieces = pick(d, 3);
    def.self_contact = chance(d, 60);
    def.radius = chance(d, 60) ? between(d, 0.0, 0.02) : 0.0;
    TnSoftHoldDef hold = {pick(d, def.mesh.node_count), any_body(d)};
    if (chance(d, 128) && hold.body) {
        def.holds = &hold;
        def.hold_count = 1;
    }
    KEEP(d->softs, d->soft_count, tn_builder_add_soft(d->builder, &def));
    tn_tet_mesh_free(&def.mesh);
}

/* A body, or a segment of a cable. */
static TnBodyId body_or_segment(Draft *d)
{
    if (d->rod_count && chance(d, 100)) {
        int rod = pick(d, d->rod_count);
        return d->rods[rod].body + pick(d, d->rod_segments[rod]);
    }
    return any_body(d);
}

static void draw_equality(Draft *d)
{
    TnEqualityDef def = tn_equality_def();
    def.type = (TnEqualityType)pick(d, 4);
    def.active = chance(d, 220);
    if (def.type <= TN_EQUALITY_WELD) {
        def.body1 = body_or_segment(d);
        def.body2 = body_or_segment(d);
        point(d, def.anchor, 0.2);
    } else if (def.type == TN_EQUALITY_JOINT) {
        def.joint1 = ONE_OF(d, d->joints, d->joint_count);
        def.joint2 = chance(d, 128) ? ONE_OF(d, d->joints, d->joint_count) : 0;
    } else {
        def.tendon1 = ONE_OF(d, d->tendons, d->tendon_count);
        def.tendon2 = chance(d, 128) ? ONE_OF(d, d->tendons, d->tendon_count) : 0;
    }
    tn_builder_add_equality(d->builder, &def);
}

static void draw_tendon(Draft *d)
{
    TnTendonDef def = tn_tendon_def();
    TnTendonJoint joints[2] = {{ONE_OF(d, d->joints, d->joint_count), between(d, -2.0, 2.0)},
                               {ONE_OF(d, d->joints, d->joint_count), between(d, -2.0, 2.0)}};
    TnTendonPoint points[3] = {
        {.type = TN_TENDON_SITE, .site = ONE_OF(d, d->sites, d->site_count)},
        {.type = TN_TENDON_GEOM, .geom = ONE_OF(d, d->geoms, d->geom_count)},
        {.type = TN_TENDON_SITE, .site = ONE_OF(d, d->sites, d->site_count)}};
    if (chance(d, 128)) {
        def.joints = joints;
        def.joint_count = 1 + pick(d, 2);
    } else {
        bool wraps = chance(d, 128);
        if (!wraps) points[1] = points[2];
        def.points = points;
        def.point_count = wraps ? 3 : 2;
    }
    def.limited = chance(d, 100);
    def.range[0] = between(d, -1.0, 0.5);
    def.range[1] = def.range[0] + between(d, 0.0, 2.0);
    def.stiffness = between(d, 0.0, 1000.0);
    def.damping = between(d, 0.0, 10.0);
    def.friction_loss = chance(d, 60) ? between(d, 0.0, 5.0) : 0.0;
    KEEP(d->tendons, d->tendon_count, tn_builder_add_tendon(d->builder, &def));
}

static void draw_actuator(Draft *d)
{
    TnActuatorDef def = tn_actuator_def();
    switch (pick(d, 4)) {
    case 0:
        def.tendon = ONE_OF(d, d->tendons, d->tendon_count);
        break;
    case 1:
        def.site = ONE_OF(d, d->sites, d->site_count);
        for (int k = 0; k < 6; k++) def.wrench[k] = between(d, -1.0, 1.0);
        break;
    default:
        def.joint = ONE_OF(d, d->joints, d->joint_count);
    }
    def.gain = between(d, -100.0, 100.0);
    if (chance(d, 128)) {
        def.bias[1] = -between(d, 0.0, 1000.0);
        def.bias[2] = -between(d, 0.0, 100.0);
    }
    if (chance(d, 80)) {
        def.activation = (TnActivation)pick(d, 4);
        def.time_constants[0] = between(d, 0.01, 1.0);
    }
    def.force_limited = chance(d, 60);
    def.force_range[0] = -between(d, 0.0, 50.0);
    def.force_range[1] = between(d, 0.0, 50.0);
    KEEP(d->actuators, d->actuator_count, tn_builder_add_actuator(d->builder, &def));
}

static void draw_wheel(Draft *d)
{
    TnWheelDef def = tn_wheel_def();
    def.body = ONE_OF(d, d->bodies, d->body_count);
    def.kind = (TnWheelKind)pick(d, 2);
    def.radius = between(d, 0.05, 0.3);
    def.keep_height = chance(d, 80);
    if (chance(d, 80)) point(d, def.axle, 1.0);
    tn_builder_add_wheel(d->builder, &def);
}

static void draw_rest(Draft *d)
{
    if (d->geom_count > 1 && chance(d, 40)) {
        TnPairDef pair = tn_pair_def();
        pair.geom1 = d->geoms[pick(d, d->geom_count)];
        pair.geom2 = d->geoms[pick(d, d->geom_count)];
        tn_builder_add_pair(d->builder, &pair);
    }
    if (d->body_count > 1 && chance(d, 40))
        tn_builder_add_exclude(d->builder, d->bodies[pick(d, d->body_count)],
                               d->bodies[pick(d, d->body_count)], (TnSource){0});
    if (d->soft_count == 2 && chance(d, 128)) {
        TnTieDef tie = tn_tie_def();
        tie.soft1 = d->softs[0];
        tie.soft2 = d->softs[1];
        tie.node = pick(d, 8);
        tn_builder_add_tie(d->builder, &tie);
    }
    static const TnSensorType kinds[] = {TN_SENSOR_FORCE, TN_SENSOR_TORQUE,
                                         TN_SENSOR_TOUCH, TN_SENSOR_RANGEFINDER,
                                         TN_SENSOR_GYRO,  TN_SENSOR_ACCELEROMETER};
    if (d->site_count && chance(d, 60)) {
        TnSensorDef sensor = tn_sensor_def();
        sensor.type = kinds[pick(d, 6)];
        sensor.object = d->sites[pick(d, d->site_count)];
        tn_builder_add_sensor(d->builder, &sensor);
    }
}

TnModel *draw_model(FuzzBytes *bytes, TnError *err)
{
    Draft d = {.bytes = bytes, .builder = tn_builder_create()};
    FUZZ_CHECK(d.builder);
    draw_option(&d);
    if (chance(&d, 150)) {
        TnGeomDef floor = tn_geom_def();
        floor.type = TN_GEOM_PLANE;
        floor.pos[2] = between(&d, -1.5, 0.0);
        tn_builder_add_geom(d.builder, &floor);
    }
    for (int i = pick(&d, 9); i > 0; i--) draw_body(&d);
    for (int i = chance(&d, 100) ? 1 + pick(&d, 2) : 0; i > 0; i--) draw_rod(&d);
    for (int i = chance(&d, 70) ? 1 + pick(&d, 2) : 0; i > 0; i--) draw_soft(&d);
    for (int i = chance(&d, 80) ? 1 + pick(&d, 2) : 0; i > 0; i--) draw_tendon(&d);
    for (int i = chance(&d, 120) ? 1 + pick(&d, 3) : 0; i > 0; i--) draw_equality(&d);
    for (int i = chance(&d, 80) ? 1 + pick(&d, 3) : 0; i > 0; i--) draw_actuator(&d);
    if (chance(&d, 50)) draw_wheel(&d);
    draw_rest(&d);
    TnModel *model = tn_builder_compile(d.builder, err);
    const char *path = getenv("FUZZ_MODEL"); /* to look at a finding */
    TnError why = {0};
    if (path && !tn_builder_write(d.builder, path, &why)) fprintf(stderr, "%s\n", why.message);
    tn_builder_destroy(d.builder);
    return model;
}

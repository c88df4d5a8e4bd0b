/* Heaps of boxes, capsules and spheres; see piles.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "piles.h"

static const double size = 0.01;     /* m: radius, half an edge, half a length */
static const double density = 1000;  /* kg/m³ */
static const double spacing = 0.032; /* m: bodies may turn */
static const double jitter = 0.002;  /* m, either way */
static const double friction = 0.5;
static const double shake = 0.5; /* of the weight */
static const double turns = 2.0; /* per second */
static const double pi = 3.14159265358979323846;

static const TnGeomType box[] = {TN_GEOM_BOX}, capsule[] = {TN_GEOM_CAPSULE},
                        sphere[] = {TN_GEOM_SPHERE},
                        mixed[] = {TN_GEOM_BOX, TN_GEOM_CAPSULE, TN_GEOM_SPHERE};
const HeapKind heap_kinds[] = {{"300 boxes", 300, box, 1},
                               {"300 capsules", 300, capsule, 1},
                               {"400 mixed", 400, mixed, 3},
                               {"1000 spheres", 1000, sphere, 1}};
const int heap_kind_count = sizeof heap_kinds / sizeof heap_kinds[0];

double pile_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53 * 2 - 1;
}

void pile_scheme_name(const PileScheme *scheme, char name[PILE_NAME])
{
    char law[24] = "rigid", count[24] = "";
    if (scheme->ratio > 0) snprintf(law, sizeof law, "R %g", scheme->ratio);
    if (scheme->fixed) snprintf(count, sizeof count, ", %d iterations", scheme->fixed);
    snprintf(name, PILE_NAME, "%d part%s, %s%s", scheme->parts, scheme->parts > 1 ? "s" : "", law,
             count);
}

TnWorldDef pile_world_def(const PileScheme *scheme)
{
    TnWorldDef def = tn_world_def();
    def.substeps = 1; /* parts are steps */
    def.solver.contact_ratio = scheme->ratio;
    if (!scheme->fixed) return def;
    def.solver.tolerance = 0;
    def.solver.iterations = scheme->fixed;
    return def;
}

bool pile_missed(const TnStepReport *report) { return !(report->error <= 1e-4); }

static void add_plane(TnModelBuilder *builder, const double pos[3], const double quat[4])
{
    TnGeomDef plane = tn_geom_def();
    plane.body = TN_BODY_WORLD;
    plane.type = TN_GEOM_PLANE;
    memcpy(plane.pos, pos, sizeof plane.pos);
    memcpy(plane.quat, quat, sizeof plane.quat);
    plane.friction[0] = friction;
    tn_builder_add_geom(builder, &plane);
}

static void add_box(TnModelBuilder *builder, double half)
{
    const double h = sqrt(0.5);
    add_plane(builder, (double[]){0, 0, 0}, (double[]){1, 0, 0, 0});
    add_plane(builder, (double[]){-half, 0, 0}, (double[]){h, 0, h, 0});
    add_plane(builder, (double[]){half, 0, 0}, (double[]){h, 0, -h, 0});
    add_plane(builder, (double[]){0, -half, 0}, (double[]){h, -h, 0, 0});
    add_plane(builder, (double[]){0, half, 0}, (double[]){h, h, 0, 0});
}

static void add_body(TnModelBuilder *builder, TnGeomType type, const double pos[3],
                     const double quat[4])
{
    TnBodyDef body = tn_body_def();
    memcpy(body.pos, pos, sizeof body.pos);
    memcpy(body.quat, quat, sizeof body.quat);
    TnJointDef joint = tn_joint_def();
    joint.body = tn_builder_add_body(builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = joint.body;
    geom.type = type;
    geom.size[0] = type == TN_GEOM_CAPSULE ? 0.6 * size : size;
    geom.size[1] = geom.size[2] = type == TN_GEOM_CAPSULE ? 0.7 * size : size;
    geom.density = density;
    geom.friction[0] = friction;
    tn_builder_add_geom(builder, &geom);
}

static TnModel *build(const HeapKind *kind, double step, int seed, TnError *err)
{
    TnModelBuilder *builder = tn_builder_create();
    if (!builder) {
        *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1};
        snprintf(err->message, sizeof err->message, "no memory for %s", kind->name);
        return NULL;
    }
    int width = (int)ceil(cbrt(kind->count) - 1e-9);
    uint64_t random = (uint64_t)(seed + 1);
    TnOption option = tn_option();
    option.timestep = step;
    tn_builder_set_name(builder, kind->name);
    tn_builder_set_option(builder, &option, (TnSource){0});
    add_box(builder, 0.5 * spacing * width);
    for (int i = 0; i < kind->count; i++) {
        int cell[3] = {i % width, i / width % width, i / width / width};
        double pos[3] = {spacing * (cell[0] + 0.5 - 0.5 * width),
                         spacing * (cell[1] + 0.5 - 0.5 * width), spacing * (cell[2] + 0.7)};
        double quat[4], length = 0;
        for (int k = 0; k < 3; k++) pos[k] += jitter * pile_random(&random);
        for (int k = 0; k < 4; k++) quat[k] = pile_random(&random), length += quat[k] * quat[k];
        for (int k = 0; k < 4; k++) quat[k] /= sqrt(length);
        add_body(builder, kind->types[i % kind->type_count], pos, quat);
    }
    TnModel *model = tn_builder_compile(builder, err);
    tn_builder_destroy(builder);
    return model;
}

static void push(TnWorld *world, const TnModel *model, int bodies)
{
    const double still[3] = {0}, angle = 2 * pi * turns * tn_world_state(world).time;
    for (TnBodyId b = 1; b <= bodies; b++) {
        double weight = 9.81 * tn_model_body_info(model, b).mass;
        tn_world_apply_wrench(
            world, b, (double[]){shake * weight * cos(angle), shake * weight * sin(angle), 0},
            still);
    }
}

static void add_step(HeapRun *run, int phase, const TnStepReport *report)
{
    run->steps++;
    run->missed += pile_missed(report);
    run->iterations[phase] += report->iterations;
    run->ms[phase] += 1e3 * report->times.total;
    run->contacts = report->contact_count;
    run->error = fmax(run->error, report->error);
    run->rigid_error = fmax(run->rigid_error, report->rigid_error);
    run->worst_depth = fmax(run->worst_depth, report->max_penetration);
    run->created += report->energy.created;
    run->diverged = run->diverged || report->diverged;
}

TnStatus heap_run(const HeapKind *kind, const PileScheme *scheme, int seed, HeapRun *out,
                  TnError *err)
{
    static const int frames[HEAP_PHASES] = {100, 100, 200, 100};
    const double frame = 0.01;
    *out = (HeapRun){0};
    TnModel *model = build(kind, frame / scheme->parts, seed, err);
    TnWorldDef def = pile_world_def(scheme);
    TnWorld *world = tn_world_create(&def, model, err);
    for (int phase = 0; world && phase < HEAP_PHASES; phase++) {
        for (int k = 0; k < frames[phase] * scheme->parts && !out->diverged; k++) {
            if (phase == HEAP_SHAKEN) push(world, model, kind->count);
            TnStepReport report = tn_world_step(world);
            add_step(out, phase, &report);
        }
        out->iterations[phase] /= frames[phase];
        out->ms[phase] /= frames[phase];
    }
    TnStatus status = world ? TN_OK : err->code;
    tn_world_destroy(world);
    tn_model_destroy(model);
    return status;
}

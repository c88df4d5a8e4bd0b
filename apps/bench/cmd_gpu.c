/* tenon-bench gpu: time per step of large piles on a device, and how its result compares with the
 * CPU's. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { MAX_STEPS = 1000 };
static const char *const shape_names[] = {"spheres", "boxes", "capsules", "pyramid", NULL};
enum { SPHERES_OF, BOXES_OF, CAPSULES_OF, PYRAMID_OF };
static const char *const precision_names[] = {"single", "double", NULL};

typedef struct GpuOptions {
    NumberList sizes;
    const char *model; /* a file; NULL: piles */
    int shape, precision, iterations, settle, steps;
    double friction, copy;
    bool compare, as_json;
    Json json; /* what as_json writes */
} GpuOptions;

/* A number in [-1, 1) that depends on i alone. */
static double jitter(unsigned i)
{
    i = (i ^ 61u ^ (i >> 16)) * 9u;
    i = (i ^ (i >> 4)) * 0x27d4eb2du;
    i ^= i >> 15;
    return (double)i / 2147483648.0 - 1.0;
}

static void add_plane(TnModelBuilder *builder, double x, double y, double z, const double quat[4])
{
    TnGeomDef plane = tn_geom_def();
    plane.type = TN_GEOM_PLANE;
    plane.size[0] = plane.size[1] = plane.size[2] = 1.0;
    plane.pos[0] = x;
    plane.pos[1] = y;
    plane.pos[2] = z;
    memcpy(plane.quat, quat, sizeof plane.quat);
    (void)tn_builder_add_geom(builder, &plane);
}

static void add_body(TnModelBuilder *builder, int shape, double friction, double x, double y,
                     double z)
{
    TnBodyDef body = tn_body_def();
    body.pos[0] = x;
    body.pos[1] = y;
    body.pos[2] = z;
    TnJointDef joint = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    joint.type = TN_JOINT_FREE;
    geom.type = shape == SPHERES_OF    ? TN_GEOM_SPHERE
                : shape == CAPSULES_OF ? TN_GEOM_CAPSULE
                                       : TN_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.05;
    geom.friction[0] = friction;
    if (shape == CAPSULES_OF) geom.size[0] = 0.03, geom.size[1] = 0.02;
    joint.body = geom.body = tn_builder_add_body(builder, &body);
    (void)tn_builder_add_joint(builder, &joint);
    (void)tn_builder_add_geom(builder, &geom);
}

/* Jittered layers in a box without a lid, twice as high as wide. */
static void add_pile(TnModelBuilder *builder, int shape, double friction, int count)
{
    const double h = 0.70710678118654752440, space = 0.112;
    int side = (int)ceil(cbrt(count / 2.0));
    double wall = 0.5 * space * side + 0.02;
    const double walls[4][6] = {{-wall, 0, h, 0, h, 0},
                                {wall, 0, h, 0, -h, 0},
                                {0, -wall, h, -h, 0, 0},
                                {0, wall, h, h, 0, 0}};
    add_plane(builder, 0, 0, 0, (const double[4]){1, 0, 0, 0});
    for (int k = 0; k < 4; k++) add_plane(builder, walls[k][0], walls[k][1], 0, walls[k] + 2);
    for (int i = 0; i < count; i++) {
        int x = i % side, y = i / side % side, z = i / side / side;
        double at[3] = {x - 0.5 * (side - 1), y - 0.5 * (side - 1), z + 0.55};
        for (int k = 0; k < 3; k++) at[k] = space * at[k] + 0.004 * jitter((unsigned)(3 * i + k));
        add_body(builder, shape, friction, at[0], at[1], at[2]);
    }
}

/* A wall of rows, each one box shorter: 5050 boxes are 100 rows. */
static void add_pyramid(TnModelBuilder *builder, int count)
{
    int rows = 0;
    while ((rows + 1) * (rows + 2) / 2 <= count) rows++;
    add_plane(builder, 0, 0, 0, (const double[4]){1, 0, 0, 0});
    for (int z = 0; z < rows; z++)
        for (int x = 0; x < rows - z; x++)
            add_body(builder, BOXES_OF, 1.0, 0.105 * (x - 0.5 * (rows - 1 - z)), 0.0,
                     0.05 + 0.1 * z);
}

static TnModel *make_model(int shape, double friction, int count, TnError *err)
{
    TnModelBuilder *builder = tn_builder_create();
    if (!builder) return NULL;
    if (shape == PYRAMID_OF)
        add_pyramid(builder, count);
    else
        add_pile(builder, shape, friction, count);
    TnModel *model = tn_builder_compile(builder, err);
    tn_builder_destroy(builder);
    return model;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One step of the device against one of the CPU from the same state: largest difference of
 * velocities over the largest velocity. NaN: no memory. */
static double difference(const TnModel *model, const TnWorld *world, TnWorldDef def)
{
    TnError err = {0};
    double worst = NAN, largest = 0.0;
    TnWorld *pair[2] = {NULL, NULL};
    TnStateView s = tn_world_state(world);
    /* contacts of a large island yield a little, so that there is one solution; a world solves such
     * islands to 100 times the tolerance */
    def.solver = tn_world_def().solver;
    def.solver.tolerance = def.device == TN_DEVICE_CUDA64 ? 1e-12 : 1e-7;
    def.solver.iterations = 300;
    def.solver.warm_start = 0.0; /* neither has the last forces */
    def.passes = 1;
    def.thread_count = 16;
    for (int k = 0; k < 2; k++) {
        if (k) def.device = TN_DEVICE_CPU;
        pair[k] = tn_world_create(&def, model, &err);
        if (pair[k]) (void)tn_world_set_state(pair[k], s.qpos, s.qvel, &err);
        if (pair[k]) (void)tn_world_step(pair[k]);
    }
    if (pair[0] && pair[1]) {
        TnStateView a = tn_world_state(pair[0]), b = tn_world_state(pair[1]);
        worst = 0.0;
        for (int i = 0; i < a.dof_count; i++) {
            worst = fmax(worst, fabs(a.qvel[i] - b.qvel[i]));
            largest = fmax(largest, fabs(b.qvel[i]));
        }
        worst /= largest;
    }
    for (int k = 0; k < 2; k++) tn_world_destroy(pair[k]);
    return worst;
}

/* Steps until `settle`, then measured ones. False: one was refused. */
static bool take_steps(TnWorld *world, const GpuOptions *o, double *times, TnStepReport *last)
{
    for (int k = 0; k < o->settle + o->steps; k++) {
        *last = tn_world_step(world);
        if (last->diverged) return false;
        if (k >= o->settle) times[k - o->settle] = 1e3 * last->times.total;
    }
    qsort(times, (size_t)o->steps, sizeof *times, compare_times);
    return true;
}

/* m; of free bodies alone, with three numbers of place and four of orientation each */
static double highest_body(const TnWorld *world)
{
    TnStateView state = tn_world_state(world);
    double top = 0.0;
    for (int i = 2; i < state.qpos_count; i += 7) top = fmax(top, state.qpos[i]);
    return top;
}

typedef struct Pile {
    int size;
    double least, median; /* ms */
    double apart;
    double top; /* m, of a pyramid's highest box */
    bool same;
} Pile;

/* The time in which the device copies the bytes of all iterations once, over that of the step. Per
 * contact 7 vectors, an arm for each side and one look at its force; per body H⁻¹, A, g and v. */
static double share_of_copy(const GpuOptions *o, const Pile *pile, int contacts)
{
    const double contact = 160.0, body = 232.0; /* single precision */
    double bytes = contact * contacts + body * pile->size;
    return (o->precision ? 2.0 : 1.0) * o->iterations * bytes / (1e12 * o->copy) /
           (1e-3 * pile->least);
}

static void print_pile(GpuOptions *o, const Pile *pile, const TnStepReport *last)
{
    const char *of = o->model ? "model" : shape_names[o->shape];
    if (!o->as_json) {
        printf("%-9s %8d %7s %6d %9d %9.3f %9.3f %7.2f %9.1e %9.1e %10.1e  %s\n", of, pile->size,
               precision_names[o->precision], o->iterations, last->contact_count, pile->least,
               pile->median, share_of_copy(o, pile, last->contact_count), last->error,
               last->max_penetration, pile->apart, pile->same ? "same" : "DIFFER");
        if (o->shape == PYRAMID_OF) printf("its highest box is at %.3f m\n", pile->top);
        return;
    }
    json_begin_object(&o->json, NULL);
    json_string(&o->json, "of", of);
    json_integer(&o->json, "bodies", pile->size);
    json_string(&o->json, "precision", precision_names[o->precision]);
    json_integer(&o->json, "iterations", o->iterations);
    json_integer(&o->json, "contacts", last->contact_count);
    json_number(&o->json, "least_ms", pile->least);
    json_number(&o->json, "median_ms", pile->median);
    json_number(&o->json, "of_copy", share_of_copy(o, pile, last->contact_count));
    json_number(&o->json, "error", last->error);
    json_number(&o->json, "depth_m", last->max_penetration);
    json_number(&o->json, "apart", pile->apart);
    json_bool(&o->json, "same_bits", pile->same);
    if (o->shape == PYRAMID_OF) json_number(&o->json, "highest_m", pile->top);
    json_end(&o->json);
}

static int measure_size(GpuOptions *o, int size)
{
    TnError err = {0};
    static double times[MAX_STEPS];
    uint64_t hash[2] = {0, 0};
    TnStepReport last = {0};
    TnWorldDef def = tn_world_def();
    def.device = o->precision ? TN_DEVICE_CUDA64 : TN_DEVICE_CUDA;
    def.solver.method = TN_METHOD_SUBADMM;
    def.solver.tolerance = 0.0;
    def.solver.iterations = o->iterations;
    TnModel *model =
        o->model ? tn_model_load(o->model, &err) : make_model(o->shape, o->friction, size, &err);
    if (o->model && model) size = tn_model_info(model).body_count - 1;
    double apart = NAN, top = NAN;
    bool fine = model != NULL;
    for (int run = 0; run < 2 && fine; run++) {
        TnWorld *world = tn_world_create(&def, model, &err);
        fine = world && take_steps(world, o, times, &last);
        if (fine) hash[run] = tn_world_hash(world);
        if (fine && run && o->compare) apart = difference(model, world, def);
        if (fine && o->shape == PYRAMID_OF) top = highest_body(world);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
    if (!fine) {
        say("gpu", "%s", err.count ? err.message : "a step was refused");
        return err.count ? code_of(&err) : EXIT_DIVERGED;
    }
    Pile pile = {size, times[0], times[o->steps / 2], apart, top, hash[0] == hash[1]};
    print_pile(o, &pile, &last);
    return EXIT_FINE;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench gpu [OPTIONS]\n\n"
        "Measures the time per step of piles on a device (docs/gpu.md), collision included: the\n"
        "least and the median of the measured steps. `error` is that of the natural map, as a\n"
        "fraction of gravity x timestep. `of copy` is the time in which the device would copy the\n"
        "bytes that the iterations read and write, over that of the step. Each pile is run\n"
        "twice; `bits` says whether the states are the same.\n\n"
        "`apart` is the largest difference of velocities from the CPU's after one step that both\n"
        "solve to 1e-5 (double precision: 1e-10), as a fraction of the largest velocity. The CPU\n"
        "leaves contacts that were not predicted to the next step, a device does not: compare "
        "piles\n"
        "without such, as with --friction 0.2.\n");
    options_help(table, count);
    printf("\nExamples:\n  tenon-bench gpu --of boxes --sizes 10000,110000\n"
           "  tenon-bench gpu --model plough.xml --settle 340\n");
}

int cmd_gpu(int argc, char **argv)
{
    GpuOptions o = {.friction = 1, .copy = 4.25, .iterations = 60, .settle = 60, .steps = 20};
    const Option table[] = {
        option_choice("--of", &o.shape, "WHAT", shape_names,
                      "spheres (default), boxes, capsules, or a pyramid of boxes"),
        option_text("--model", &o.model, "FILE",
                    "measure this model instead, as scenes/make_large.py writes them"),
        option_ints("--sizes", &o.sizes, "LIST", 1, 10000000,
                    "numbers of bodies; default 10000,110000,1000000"),
        option_choice("--precision", &o.precision, "P", precision_names,
                      "of the iteration: single (default) or double"),
        option_real("--friction", &o.friction, "MU", 0, 1e6, ENDS_CLOSED,
                    "of the bodies, not of a pyramid's; default 1"),
        option_real("--copy", &o.copy, "TB/S", 0, 1000, ENDS_LOWER_OPEN,
                    "rate at which the device copies, read and written; default 4.25, an H200's"),
        option_int("--iterations", &o.iterations, "N", 1, 1000000,
                   "iterations per step, 1 ... 1000000; default 60"),
        option_int("--settle", &o.settle, "N", 0, 1000000,
                   "steps before measuring starts; default 60"),
        option_int("--steps", &o.steps, "N", 1, MAX_STEPS,
                   "number of measured steps, 1 ... 1000; default 20"),
        option_set("--compare", &o.compare, "compare one step with the CPU's"),
        option_set("--json", &o.as_json, "print one JSON object")};
    const double sizes[] = {10000, 110000, 1000000};
    int code = EXIT_FINE, count = sizeof table / sizeof table[0];
    if (!options_parse("gpu", table, count, print_help, NULL, NULL, argc, argv, &code)) return code;
    TnError err = {0};
    TnDeviceInfo info;
    if (!tn_device_info(TN_DEVICE_CUDA, &info, &err)) {
        say("gpu", "%s", err.message);
        return code_of(&err);
    }
    if (o.as_json) {
        o.json = json_to(stdout);
        json_begin_object(&o.json, NULL);
        json_string(&o.json, "device", info.name);
        json_begin_array(&o.json, "piles");
    } else {
        printf("%s\n%-9s %8s %7s %6s %9s %9s %9s %7s %9s %9s %10s  %s\n", info.name, "of", "bodies",
               "numbers", "iter", "contacts", "least ms", "median", "of copy", "error", "depth m",
               "apart", "bits");
    }
    int runs = o.model ? 1 : o.sizes.given ? o.sizes.count : 3;
    for (int i = 0; i < runs && code == EXIT_FINE; i++) {
        code = measure_size(&o, (int)(o.sizes.given ? o.sizes.values[i] : sizes[i]));
        fflush(stdout);
    }
    if (o.as_json) {
        json_end(&o.json);
        json_end(&o.json);
    }
    return code;
}

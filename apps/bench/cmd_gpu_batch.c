/* tenon-bench gpu_batch: steps per second of many small worlds on a device. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char *const precision_names[] = {"single", "double", NULL};
static const double radius = 0.045; /* m: of the rod's way */

typedef struct GpuBatchOptions {
    NumberList counts;
    int precision, iterations, settle, steps;
    double tolerance;
    const char *model; /* NULL: stir */
    bool as_json;
    Json json; /* what as_json writes */
} GpuBatchOptions;

/* The grains, the box and the rod of the scene stir: 216 spheres of 1 cm, 4 g each. The rod is not
 * held by an arm but led along its way. */
static void add_wall(TnModelBuilder *builder, double x, double y, double hx, double hy)
{
    TnGeomDef wall = tn_geom_def();
    wall.type = TN_GEOM_BOX;
    wall.pos[0] = x;
    wall.pos[1] = y;
    wall.pos[2] = 0.08;
    wall.size[0] = hx;
    wall.size[1] = hy;
    wall.size[2] = 0.08;
    wall.friction[0] = 0.5;
    (void)tn_builder_add_geom(builder, &wall);
}

static void add_grain(TnModelBuilder *builder, int i)
{
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    int at[3] = {i % 6, i / 6 % 6, i / 36};
    for (int k = 0; k < 3; k++) {
        unsigned x = (unsigned)(3 * i + k) * 2654435761u;
        body.pos[k] = 0.0255 * (k < 2 ? at[k] - 2.5 : at[k] + 0.45) +
                      0.001 * ((double)(x >> 8) / 8388608.0 - 1.0);
    }
    geom.type = TN_GEOM_SPHERE;
    geom.size[0] = 0.01;
    geom.mass = 0.004;
    geom.friction[0] = 0.5;
    joint.type = TN_JOINT_FREE;
    joint.body = geom.body = tn_builder_add_body(builder, &body);
    (void)tn_builder_add_joint(builder, &joint);
    (void)tn_builder_add_geom(builder, &geom);
}

static void add_rod(TnModelBuilder *builder)
{
    TnBodyDef body = tn_body_def();
    TnGeomDef geom = tn_geom_def();
    body.mocap = true;
    body.pos[0] = radius;
    body.pos[2] = 0.13;
    geom.type = TN_GEOM_CAPSULE;
    geom.size[0] = 0.008;
    geom.size[1] = 0.111;
    geom.friction[0] = 0.5;
    geom.body = tn_builder_add_body(builder, &body);
    (void)tn_builder_add_geom(builder, &geom);
}

static TnModel *make_model(TnError *err)
{
    TnModelBuilder *builder = tn_builder_create();
    if (!builder) return NULL;
    TnGeomDef ground = tn_geom_def();
    ground.type = TN_GEOM_PLANE;
    ground.size[0] = ground.size[1] = ground.size[2] = 1.0;
    ground.friction[0] = 0.5;
    (void)tn_builder_add_geom(builder, &ground);
    for (int s = -1; s <= 1; s += 2) {
        add_wall(builder, 0.083 * s, 0, 0.005, 0.088);
        add_wall(builder, 0, 0.083 * s, 0.088, 0.005);
    }
    add_rod(builder);
    for (int i = 0; i < 216; i++) add_grain(builder, i);
    TnOption option = tn_option();
    option.timestep = 0.01;
    tn_builder_set_option(builder, &option, (TnSource){0});
    TnModel *model = tn_builder_compile(builder, err);
    tn_builder_destroy(builder);
    return model;
}

/* The rod goes around in 2 s, in each world from another side, after it has gone down. */
static TnStatus stir(TnBatch *batch, double *pos, int count, int step, TnError *err)
{
    double down = step < 100 ? 0.1 * (1.0 - step / 100.0) : 0.0;
    for (int i = 0; i < count; i++) {
        double angle = 2.4 * i + 0.0314 * step;
        pos[3 * i] = radius * cos(angle);
        pos[3 * i + 1] = radius * sin(angle);
        pos[3 * i + 2] = 0.13 + down;
    }
    return tn_batch_set_mocap(batch, NULL, 2, pos, NULL, err);
}

/* Controls of robots: each swings by 0.1 about `first`, that of the key, once in 100 steps, in each
 * world from another phase. */
static TnStatus swing(TnBatch *batch, const double *first, int step, TnError *err)
{
    TnBatchView view = tn_batch_view(batch);
    for (int i = 0; i < view.count; i++)
        for (int a = 0; a < view.ctrl_count; a++)
            view.ctrl[(size_t)i * (size_t)view.ctrl_count + (size_t)a] =
                first[a] + 0.1 * sin(0.0628 * step + 2.4 * i + 1.1 * a);
    return tn_batch_push(batch, 0, err);
}

typedef struct Figures {
    double seconds; /* of the measured steps */
    double contacts, error, depth;
    int diverged;
    uint64_t hash;
} Figures;

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of all worlds as they are now: mean contacts, median error, largest depth. `room`: count. */
static void look(const TnBatch *batch, double *room, Figures *out)
{
    TnBatchView view = tn_batch_view(batch);
    const unsigned char *bytes = (const unsigned char *)view.qpos;
    size_t size = sizeof(double) * (size_t)view.count * (size_t)view.qpos_count;
    out->contacts = out->depth = 0.0;
    out->diverged = 0;
    for (int i = 0; i < view.count; i++) {
        room[i] = view.reports[i].error;
        out->contacts += (double)view.reports[i].contact_count / view.count;
        out->depth = fmax(out->depth, view.reports[i].max_penetration);
        out->diverged += view.diverged[i];
    }
    qsort(room, (size_t)view.count, sizeof *room, compare_numbers);
    out->error = room[view.count / 2];
    out->hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) out->hash = (out->hash ^ bytes[i]) * 1099511628211u;
}

static TnStatus run(TnBatch *batch, const GpuBatchOptions *o, double *room, Figures *out,
                    TnError *err)
{
    TnBatchView view = tn_batch_view(batch);
    int count = view.count, controls = view.ctrl_count;
    TnStatus status = TN_OK;
    double *first = malloc(sizeof(double) * (size_t)(controls + 1));
    if (!first) return TN_ERROR_MEMORY;
    memcpy(first, view.ctrl, sizeof(double) * (size_t)controls);
    out->seconds = 0.0;
    for (int k = 0; k < o->settle + o->steps && status == TN_OK; k++) {
        status = o->model ? swing(batch, first, k, err) : stir(batch, room, count, k, err);
        double start = clock_seconds();
        if (status == TN_OK) status = tn_batch_device_step(batch, 1, NULL, err);
        if (k >= o->settle) out->seconds += clock_seconds() - start;
    }
    free(first);
    if (status == TN_OK) status = tn_batch_fetch(batch, err);
    if (status == TN_OK) look(batch, room, out);
    return status;
}

static void print_figures(GpuBatchOptions *o, int count, const Figures *f, bool same)
{
    double ms = 1e3 * f->seconds / o->steps, rate = count * o->steps / f->seconds;
    if (!o->as_json) {
        printf("%7d %7s %6d %9.1f %9.3f %12.0f %9.1e %9.1e %8d  %s\n", count,
               precision_names[o->precision], o->iterations, f->contacts, ms, rate, f->error,
               f->depth, f->diverged, same ? "same" : "DIFFER");
        return;
    }
    json_begin_object(&o->json, NULL);
    json_integer(&o->json, "worlds", count);
    json_string(&o->json, "precision", precision_names[o->precision]);
    json_integer(&o->json, "iterations", o->iterations);
    json_number(&o->json, "contacts", f->contacts);
    json_number(&o->json, "ms", ms);
    json_number(&o->json, "world_steps_per_s", rate);
    json_number(&o->json, "error", f->error);
    json_number(&o->json, "depth_m", f->depth);
    json_integer(&o->json, "diverged", f->diverged);
    json_bool(&o->json, "same_bits", same);
    json_end(&o->json);
}

static int measure_count(GpuBatchOptions *o, const TnModel *model, int count)
{
    TnError err = {0};
    TnBatchDef def = tn_batch_def();
    Figures f[2];
    memset(f, 0, sizeof f);
    TnStatus status = TN_OK;
    double *room = malloc(sizeof(double) * 3 * (size_t)count);
    def.count = count;
    def.world.key = o->model && tn_model_info(model).key_count > 0;
    def.world.device = o->precision ? TN_DEVICE_CUDA64 : TN_DEVICE_CUDA;
    if (!(o->tolerance > 0.0)) def.world.solver.method = TN_METHOD_SUBADMM;
    def.world.solver.tolerance = o->tolerance;
    def.world.solver.iterations = o->iterations;
    for (int k = 0; k < 2 && status == TN_OK && room; k++) {
        TnBatch *batch = tn_batch_create(&def, model, &err);
        status = batch ? run(batch, o, room, &f[k], &err) : err.code;
        tn_batch_destroy(batch);
    }
    free(room);
    if (status != TN_OK) {
        say("gpu_batch", "%s", err.message);
        return code_of(&err);
    }
    if (f[1].seconds < f[0].seconds) f[0].seconds = f[1].seconds;
    print_figures(o, count, &f[0], f[0].hash == f[1].hash);
    return EXIT_FINE;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench gpu_batch [OPTIONS]\n\n"
        "Measures steps of many worlds on a device (docs/gpu.md), collision included: the 216\n"
        "spheres of the scene stir in their box, and its rod, which goes around among them from\n"
        "another side in each world. `error` is the median over the worlds after the\n"
        "last step, as a fraction of gravity x timestep. All is run twice; the shorter time\n"
        "counts, and `bits` says whether the states are the same.\n"
        "With --model the worlds are those of a file, for robots.\n");
    options_help(table, count);
    printf("\nExamples:\n  tenon-bench gpu_batch --counts 1024,8192\n"
           "  tenon-bench gpu_batch --model bench/models/quadruped.xml\n");
}

int cmd_gpu_batch(int argc, char **argv)
{
    GpuBatchOptions o = {.iterations = 60, .settle = 150, .steps = 100};
    const Option table[] = {
        option_ints("--counts", &o.counts, "LIST", 1, 1000000,
                    "numbers of worlds; default 1024,8192"),
        option_text(
            "--model", &o.model, "FILE",
            "robots of this file instead of stir; their controls swing about the first key"),
        option_choice("--precision", &o.precision, "P", precision_names,
                      "of the iteration: single (default) or double"),
        option_int("--iterations", &o.iterations, "N", 1, 1000000,
                   "iterations per step, 1 ... 1000000; default 60"),
        option_real("--tolerance", &o.tolerance, "T", 0, 1, ENDS_CLOSED,
                    "of the solver; default 0: exactly so many iterations"),
        option_int("--settle", &o.settle, "N", 0, 1000000,
                   "steps before measuring starts; default 150"),
        option_int("--steps", &o.steps, "N", 1, 1000000, "number of measured steps; default 100"),
        option_set("--json", &o.as_json, "print one JSON object")};
    const double counts[] = {1024, 8192};
    int code = EXIT_FINE, count = sizeof table / sizeof table[0];
    if (!options_parse("gpu_batch", table, count, print_help, NULL, NULL, argc, argv, &code))
        return code;
    TnError err = {0};
    TnDeviceInfo info;
    TnModel *model = NULL;
    if (!tn_device_info(TN_DEVICE_CUDA, &info, &err) ||
        !(model = o.model ? tn_model_load(o.model, &err) : make_model(&err))) {
        say("gpu_batch", "%s", err.message);
        return code_of(&err);
    }
    if (o.as_json) {
        o.json = json_to(stdout);
        json_begin_object(&o.json, NULL);
        json_string(&o.json, "device", info.name);
        json_begin_array(&o.json, "batches");
    } else {
        printf("%s\n%7s %7s %6s %9s %9s %12s %9s %9s %8s  %s\n", info.name, "worlds", "numbers",
               "iter", "contacts", "ms/step", "steps/s", "error", "depth m", "diverged", "bits");
    }
    for (int i = 0; i < (o.counts.given ? o.counts.count : 2) && code == EXIT_FINE; i++) {
        code = measure_count(&o, model, (int)(o.counts.given ? o.counts.values[i] : counts[i]));
        fflush(stdout);
    }
    if (o.as_json) {
        json_end(&o.json);
        json_end(&o.json);
    }
    tn_model_destroy(model);
    return code;
}

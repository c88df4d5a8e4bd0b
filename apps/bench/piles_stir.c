/* Scene stir, step by step; see piles.h.
 *
 * A frame of 10 ms is taken in parts by a model with a shorter step, so that forces on the tool are
 * known in every part. The controls are those of the frame's start in all of them, as for
 * sub-steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "piles.h"
#include "platform/files.h"

static const double shift = 1e-4;        /* m: what seeds differ by */
static const double first_counted = 1.0; /* s: the pile has settled and the tool is in it */

static TnStatus fail(TnError *err, TnStatus code, const char *message)
{
    err->code = code;
    err->count = 1;
    snprintf(err->message, sizeof err->message, "%s", message);
    return code;
}

/* The whole file; NULL: it cannot be read. */
static char *read_text(const char *path)
{
    FILE *in = tn_stream_open(path, "r");
    if (!in) return NULL;
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room + 1);
    while (text && (size += fread(text + size, 1, room - size, in)) == room) {
        char *more = realloc(text, 2 * room + 1);
        if (!more) free(text);
        text = more;
        room *= 2;
    }
    fclose(in);
    if (text) text[size] = '\0';
    return text;
}

/* The scene with another step; NULL: it has none, or no memory. */
static char *with_step(const char *text, double step)
{
    static const char mark[] = "timestep=\"";
    const char *at = strstr(text, mark), *end = at ? strchr(at + strlen(mark), '"') : NULL;
    size_t room = strlen(text) + 64;
    char *copy = end ? malloc(room) : NULL;
    if (copy) snprintf(copy, room, "%.*s%s%.17g%s", (int)(at - text), text, mark, step, end);
    return copy;
}

/* A model's step is its own: a copy of the text has the other one. */
static TnModel *load_with_step(const char *path, double step, TnError *err)
{
    char *text = read_text(path), *copy = text ? with_step(text, step) : NULL;
    TnModel *model = copy ? tn_model_load_string(copy, path, NULL, err) : NULL;
    if (!model && err->code == TN_OK) fail(err, TN_ERROR_IO, "cannot make a copy of the scene");
    free(text);
    free(copy);
    return model;
}

typedef struct Stir {
    const TnModel *model;
    TnWorld *world, *clock; /* the second follows the control track, frame by frame */
    TnBodyId tool;
    TnBodyId first, last; /* grains */
    double *forces;       /* N, per frame that counts */
    StirRun *run;
} Stir;

/* Shifts the grains. */
static TnStatus start(Stir *s, int seed, TnError *err)
{
    if (!seed) return TN_OK;
    TnStateView state = tn_world_state(s->world);
    double *qpos = malloc(sizeof(double) * (size_t)state.qpos_count);
    double *qvel = calloc((size_t)state.dof_count, sizeof(double));
    TnModelInfo info = tn_model_info(s->model);
    uint64_t random = (uint64_t)seed;
    TnStatus status = TN_ERROR_MEMORY;
    if (qpos && qvel) {
        memcpy(qpos, state.qpos, sizeof(double) * (size_t)state.qpos_count);
        for (TnJointId j = 1; j <= info.joint_count; j++) {
            TnJointInfo joint = tn_model_joint_info(s->model, j);
            if (joint.type != TN_JOINT_FREE) continue;
            for (int k = 0; k < 3; k++) qpos[joint.qpos_start + k] += shift * pile_random(&random);
        }
        status = tn_world_set_state(s->world, qpos, qvel, err);
    }
    free(qpos);
    free(qvel);
    return status;
}

static void add_tool_force(const Stir *s, double force[3])
{
    for (int i = 0; i < tn_world_contact_count(s->world); i++) {
        TnContact c = tn_world_contact(s->world, i);
        bool first = tn_model_geom_info(s->model, c.geom1).body == s->tool;
        if (!first && tn_model_geom_info(s->model, c.geom2).body != s->tool) continue;
        for (int k = 0; k < 3; k++) force[k] += first ? -c.force[k] : c.force[k];
    }
}

static void add_grains(const Stir *s)
{
    double energy = 0, height = 0;
    for (TnBodyId b = s->first; b <= s->last; b++) {
        double pos[3], quat[4], v[3], w[3];
        TnBodyInfo info = tn_model_body_info(s->model, b);
        tn_world_body_pose(s->world, b, pos, quat);
        tn_world_body_velocity(s->world, b, v, w);
        for (int k = 0; k < 3; k++)
            energy += 0.5 * (info.mass * v[k] * v[k] + info.inertia[k] * w[k] * w[k]);
        height += pos[2] / (s->last - s->first + 1);
    }
    s->run->kinetic += energy;
    s->run->height += height;
}

static void add_step(StirRun *run, const TnStepReport *report, bool counts, int parts)
{
    run->created += report->energy.created;
    run->diverged = run->diverged || report->diverged;
    if (!counts) return;
    run->steps++;
    run->missed += pile_missed(report);
    run->iterations += report->iterations;
    run->ms += 1e3 * report->times.total;
    run->depth += report->mean_penetration / parts;
    run->worst_depth = fmax(run->worst_depth, report->max_penetration);
    run->error = fmax(run->error, report->error);
    run->rigid_error = fmax(run->rigid_error, report->rigid_error);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void step_frame(Stir *s, const PileScheme *scheme)
{
    double force[3] = {0};
    StirRun *run = s->run;
    bool counts = tn_world_state(s->world).time >= first_counted - 1e-6;
    tn_world_step(s->clock);
    tn_world_set_ctrl(s->world, tn_world_state(s->clock).ctrl, NULL);
    for (int k = 0; k < scheme->parts; k++) {
        TnStepReport report = tn_world_step(s->world);
        add_step(run, &report, counts, scheme->parts);
        if (counts) add_tool_force(s, force);
    }
    if (!counts) return;
    double size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
    s->forces[run->frames++] = size / scheme->parts;
    run->force += size / scheme->parts;
    add_grains(s);
}

static void average(Stir *s)
{
    StirRun *run = s->run;
    double n = run->frames;
    if (!run->frames) return;
    qsort(s->forces, (size_t)run->frames, sizeof *s->forces, compare);
    run->median = 0.5 * (s->forces[(run->frames - 1) / 2] + s->forces[run->frames / 2]);
    run->iterations /= n, run->ms /= n, run->force /= n, run->kinetic /= n;
    run->depth /= n, run->height /= n;
}

static TnStatus prepare(Stir *s, const TnModel *whole, const PileScheme *scheme, int seed,
                        TnError *err)
{
    TnWorldDef def = pile_world_def(scheme), clock = tn_world_def();
    clock.substeps = 1;
    clock.solver.tolerance = 0;
    clock.solver.iterations = 1; /* nothing but the time is looked at */
    s->world = tn_world_create(&def, s->model, err);
    s->clock = tn_world_create(&clock, whole, err);
    if (!s->world || !s->clock) return err->code;
    s->tool = tn_model_find_body(s->model, "stirrer");
    s->first = tn_model_find_body(s->model, "s000");
    s->last = tn_model_info(s->model).body_count - 1;
    if (!s->tool || !s->first)
        return fail(err, TN_ERROR_USAGE, "the scene has no bodies 'stirrer' and 's000'");
    return start(s, seed, err);
}

TnStatus stir_run(const char *path, const PileScheme *scheme, int seed, double duration,
                  StirRun *out, TnError *err)
{
    *out = (StirRun){0};
    TnModel *whole = tn_model_load(path, err);
    double frame = whole ? tn_model_info(whole).option.timestep : 0;
    TnModel *model = whole ? load_with_step(path, frame / scheme->parts, err) : NULL;
    Stir s = {.model = model, .run = out};
    int frames = whole ? (int)lround(duration / frame) : 0;
    s.forces = malloc(sizeof(double) * (size_t)(frames + 1));
    TnStatus status = err->code;
    if (model && s.forces) status = prepare(&s, whole, scheme, seed, err);
    for (int k = 0; status == TN_OK && k < frames && !out->diverged; k++) step_frame(&s, scheme);
    average(&s);
    free(s.forces);
    tn_world_destroy(s.world);
    tn_world_destroy(s.clock);
    tn_model_destroy(model);
    tn_model_destroy(whole);
    return status;
}

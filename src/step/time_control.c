/* time_control.c: the error of a step in time, and how long its parts may be for it.
 *
 * A step is taken twice, part by part: in wholes of h, and in halves of h/2, which are what is
 * taken. Both go their own way from where the step begins, so where they end differs by what all
 * parts did, less what forces have made up for since. A method of order p errs by C h^(p+1) in a
 * part, so halves err by 1/(2^p - 1) of the difference. What moves by v⁺ (w = 1) has p = 1
 * (time-stepping.md#the-displacement). What moves by the mean velocity (w = 0) has p = 2, unless
 * servos, stiff springs or friction drive it.
 *
 * Distances are those of the masses (RMS over all that moves, m). A difference of velocities counts
 * by the way that it makes in a step.
 *
 * A part is taken if it adds no more to the error than the accuracy times h; else it is halved.
 * Parts are h = t/2^level long and begin at multiples of that, so that they end where the step
 * ends. Nothing has to be known of earlier steps: a state that is restored goes on with the same
 * bits.
 *
 * A hit that comes h later errs by h times a velocity, at a rate that does not fall with h, and so
 * does what the solver leaves. Where halves do not lower the rate, an error counts once: it may be
 * as large as all others of the step. Velocities differ between the times of both hits, for h at
 * most, so they count by the way that they make in h. */
#include "time_control.h"
#include "thresholds.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "../model/joint_motion.h"
#include "../subsystem/dynamics.h"

/* Of motion by the mean velocity, between 1 and 2: what is told is 1.64 times the error at order 2,
 * and 0.55 times at order 1. With 2 it was a third of the error of robots under servos. */
#define ORDER 1.5
/* Half as long, a part of order 2 errs at a quarter of the rate. */
static const double rate_of_half = 0.5 * 0.5;
/* A part is no shorter than an eighth of the one that was too long: estimates of that are rough. */
#define MOST_DOWN 3

/* A state, as saved. */
typedef struct Saved {
    void *bytes;
    size_t capacity;
} Saved;

/* How far the halves' end is ahead of the wholes', m and rad, m/s and rad/s; of a link. */
typedef struct Ahead {
    double way[6], change[6];
} Ahead;

struct TnTimeMemory {
    Saved halves, wholes, end; /* where both lead so far, and the whole that is tried */
    TnLinkFrame *frames;       /* of that whole, per link, */
    double (*twists)[6];
    double *qpos, *qvel;   /* nodes of soft bodies are read */
    Ahead *links, *before; /* per link: behind the part that is tried, and in front of it */
    double (*nodes)[2], (*nodes_before)[2]; /* per dof, of soft bodies: way, change */
    double *blend, *most_blend;             /* per subsystem: largest w in this part, in the step */
};

double tn_accuracy_of(const TnWorldDef *def, const TnModel *model)
{
    double asked = def->accuracy > 0.0 ? def->accuracy : model->option.accuracy;
    return isinf(asked) ? 0.0 : asked;
}

double tn_world_accuracy(const TnWorld *world) { return tn_accuracy_of(&world->def, world->model); }

bool tn_time_control_create(TnWorld *world)
{
    if (!(tn_world_accuracy(world) > 0.0)) return true;
    const TnModel *model = world->model;
    size_t links = (size_t)model->link_count, dofs = (size_t)model->dof_count + 1,
           subsystems = (size_t)model->subsystem_count + 1;
    struct TnTimeMemory *m = world->time_memory = tn_calloc(1, sizeof *m);
    if (!m) return false;
    m->frames = tn_calloc(links, sizeof *m->frames);
    m->twists = tn_calloc(links, sizeof *m->twists);
    m->qpos = tn_calloc((size_t)model->qpos_count + 1, sizeof *m->qpos);
    m->qvel = tn_calloc(dofs, sizeof *m->qvel);
    m->links = tn_calloc(links, sizeof *m->links);
    m->before = tn_calloc(links, sizeof *m->before);
    m->nodes = tn_calloc(dofs, sizeof *m->nodes);
    m->nodes_before = tn_calloc(dofs, sizeof *m->nodes_before);
    m->blend = tn_calloc(subsystems, sizeof *m->blend);
    m->most_blend = tn_calloc(subsystems, sizeof *m->most_blend);
    return m->frames && m->twists && m->qpos && m->qvel && m->links && m->before && m->nodes &&
           m->nodes_before && m->blend && m->most_blend;
}

void tn_time_control_destroy(TnWorld *world)
{
    struct TnTimeMemory *m = world->time_memory;
    if (!m) return;
    tn_free(m->halves.bytes);
    tn_free(m->wholes.bytes);
    tn_free(m->end.bytes);
    tn_free(m->frames);
    tn_free(m->twists);
    tn_free(m->qpos);
    tn_free(m->qvel);
    tn_free(m->links);
    tn_free(m->before);
    tn_free(m->nodes);
    tn_free(m->nodes_before);
    tn_free(m->blend);
    tn_free(m->most_blend);
    tn_free(m);
}

void tn_time_control_note_step(const TnStep *step)
{
    struct TnTimeMemory *m = step->world->time_memory;
    if (!m || !step->awake_count) return;
    for (int s = 0; s < step->model->subsystem_count; s++)
        m->blend[s] = fmax(m->blend[s], step->plan.blend[s]);
}

/* ---- from state to state ---- */

static bool keep(Saved *saved, const TnWorld *world)
{
    size_t need = tn_state_save_size(&world->state, world->model);
    if (need > saved->capacity) {
        size_t capacity = need + need / 2; /* contacts come and go */
        void *bytes = tn_malloc(capacity);
        if (!bytes) return false;
        tn_free(saved->bytes);
        *saved = (Saved){bytes, capacity};
    }
    tn_state_copy_out(&world->state, world->model, saved->bytes);
    return true;
}

static void go_to(TnWorld *world, const Saved *saved)
{
    tn_state_copy_in(&world->state, world->model, saved->bytes);
    tn_world_forget_step(world);
}

static void begin_part(TnTimeControl *control)
{
    struct TnTimeMemory *m = control->world->time_memory;
    memset(m->blend, 0, sizeof *m->blend * (size_t)control->world->model->subsystem_count);
}

bool tn_time_control_begin(TnTimeControl *control, TnWorld *world)
{
    struct TnTimeMemory *m = world->time_memory;
    const TnModel *model = world->model;
    control->world = world;
    for (int k = 0; k <= TN_TIME_LEVELS; k++) control->rates[k] = NAN;
    memset(m->before, 0, sizeof *m->before * (size_t)model->link_count);
    memset(m->nodes_before, 0, sizeof *m->nodes_before * (size_t)model->dof_count);
    memset(m->most_blend, 0, sizeof *m->most_blend * (size_t)model->subsystem_count);
    begin_part(control);
    return keep(&m->halves, world) && keep(&m->wholes, world);
}

void tn_time_control_begin_whole(TnTimeControl *control)
{
    go_to(control->world, &control->world->time_memory->wholes);
}

bool tn_time_control_end_whole(TnTimeControl *control)
{
    TnWorld *world = control->world;
    const TnModel *model = world->model;
    struct TnTimeMemory *m = world->time_memory;
    memcpy(m->frames, world->frames, sizeof *m->frames * (size_t)model->link_count);
    memcpy(m->twists, world->twists, sizeof *m->twists * (size_t)model->link_count);
    memcpy(m->qpos, world->state.qpos, sizeof *m->qpos * (size_t)model->qpos_count);
    memcpy(m->qvel, world->state.qvel, sizeof *m->qvel * (size_t)model->dof_count);
    if (!keep(&m->end, world)) return false;
    go_to(world, &m->halves);
    return true;
}

void tn_time_control_return(TnTimeControl *control)
{
    go_to(control->world, &control->world->time_memory->halves);
    begin_part(control);
}

/* ---- the distance of both ends ---- */

static void look_at_link(const TnWorld *world, int i)
{
    struct TnTimeMemory *m = world->time_memory;
    const TnLinkFrame *frame = &world->frames[i], *other = &m->frames[i];
    Ahead *ahead = &m->links[i];
    double turn[3];
    v3_sub(ahead->way, frame->com, other->com);
    tn_rotation_from(other->quat, frame->quat, turn);
    m3_mul_v(ahead->way + 3, other->rot, turn);
    for (int k = 0; k < 6; k++) ahead->change[k] = world->twists[i][k] - m->twists[i][k];
}

/* kg m² and kg m²/s²: squares of way and change. */
typedef struct Squares {
    double way, change;
} Squares;

/* Of a subsystem: of all the step so far, or of this part alone. */
static Squares squares_of(const TnWorld *world, int s, bool part)
{
    const TnModel *model = world->model;
    const struct TnTimeMemory *m = world->time_memory;
    const TnSubsystem *sub = &model->subsystems[s];
    Squares sum = {0.0, 0.0};
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        Ahead ahead = m->links[i];
        for (int k = 0; part && k < 6; k++) {
            ahead.way[k] -= m->before[i].way[k];
            ahead.change[k] -= m->before[i].change[k];
        }
        sum.way += 2.0 * tn_link_kinetic(&model->links[i], &world->frames[i], ahead.way);
        sum.change += 2.0 * tn_link_kinetic(&model->links[i], &world->frames[i], ahead.change);
    }
    if (sub->kind != TN_SUBSYSTEM_SOFT) return sum;
    const TnSoft *soft = &model->softs[sub->kind_index];
    for (int i = 0; i < 3 * soft->node_count; i++) {
        const double *now = m->nodes[soft->dof_start + i];
        const double *before = m->nodes_before[soft->dof_start + i];
        double way = part ? now[0] - before[0] : now[0],
               change = part ? now[1] - before[1] : now[1];
        sum.way += soft->masses[i / 3] * way * way;
        sum.change += soft->masses[i / 3] * change * change;
    }
    return sum;
}

/* Of two halves, at the largest w. */
static double share_of_halves(double w)
{
    return 1.0 / (pow(2.0, ORDER - (ORDER - 1.0) * w) - 1.0);
}

/* m² and m²/s²: of the halves. */
static Squares errors_of(const TnWorld *world, bool part)
{
    const struct TnTimeMemory *m = world->time_memory;
    double mass = world->model->total_mass;
    Squares sum = {0.0, 0.0};
    for (int s = 0; s < world->model->subsystem_count; s++) {
        double share = share_of_halves(part ? m->blend[s] : m->most_blend[s]);
        Squares own = squares_of(world, s, part);
        sum.way += share * share * own.way / mass;
        sum.change += share * share * own.change / mass;
    }
    return sum;
}

static void look(const TnWorld *world)
{
    const TnModel *model = world->model;
    struct TnTimeMemory *m = world->time_memory;
    for (int i = 0; i < model->link_count; i++) look_at_link(world, i);
    for (int k = 0; k < model->soft_count; k++) {
        const TnSoft *soft = &model->softs[k];
        for (int i = 0; i < 3 * soft->node_count; i++) {
            int q = soft->qpos_start + i, v = soft->dof_start + i;
            m->nodes[v][0] = world->state.qpos[q] - m->qpos[q];
            m->nodes[v][1] = world->state.qvel[v] - m->qvel[v];
        }
    }
}

static double length(Squares squares, double moment)
{
    return sqrt(squares.way + moment * moment * squares.change);
}

/* ---- the length of parts ---- */

/* Of the shortest part that was too long and has this one in it; NaN: none was tried. */
static double rate_before(const TnTimeControl *control, int level)
{
    for (int k = level - 1; k >= 0; k--)
        if (!isnan(control->rates[k])) return control->rates[k];
    return NAN;
}

int tn_time_control_judge(TnTimeControl *control, int level, double h)
{
    const TnWorld *world = control->world;
    double accuracy = tn_world_accuracy(world), step = world->model->option.timestep;
    look(world);
    Squares errors = errors_of(world, true);
    double rate = length(errors, step) / h;
    bool stalled = rate > TN_NO_HELP * rate_before(control, level);
    bool taken = rate <= accuracy || (stalled && length(errors, h) <= accuracy * step);
    control->rates[level] = rate;
    if (taken || level == TN_TIME_LEVELS) return 0;
    int down = 1;
    for (double r = rate * rate_of_half; r > accuracy && down < MOST_DOWN; r *= rate_of_half)
        down++;
    if (level + down > TN_TIME_LEVELS) down = TN_TIME_LEVELS - level;
    for (int k = 1; k < down; k++) control->rates[level + k] = NAN;
    return down;
}

bool tn_time_control_go_on(TnTimeControl *control, int end, int *level)
{
    TnWorld *world = control->world;
    struct TnTimeMemory *m = world->time_memory;
    double accuracy = tn_world_accuracy(world);
    bool longer = control->rates[*level] <= rate_of_half * accuracy;
    for (int k = *level; k > 0 && end % 2 == 0; k--, end /= 2) control->rates[k - 1] = NAN;
    if (longer && *level > 0) (*level)--;
    for (int s = 0; s < world->model->subsystem_count; s++)
        m->most_blend[s] = fmax(m->most_blend[s], m->blend[s]);
    begin_part(control);
    memcpy(m->before, m->links, sizeof *m->links * (size_t)world->model->link_count);
    memcpy(m->nodes_before, m->nodes, sizeof *m->nodes * (size_t)world->model->dof_count);
    Saved wholes = m->wholes;
    m->wholes = m->end;
    m->end = wholes;
    return keep(&m->halves, world);
}

void tn_time_control_report(const TnTimeControl *control, TnStepReport *report)
{
    double step = control->world->model->option.timestep;
    report->time_error = length(errors_of(control->world, false), step) / step;
    report->inaccurate = !(report->time_error <= tn_world_accuracy(control->world));
}

/* html_frames.c: where everything is, frame by frame, in few bytes.
 *
 * Bodies that never move are written once. The poses of the others become whole numbers on a grid,
 * 1/2000 of the smallest moving shape (finer than a pixel unless that shape is larger than the
 * picture); rotations get as many levels as the body's reach needs, at most 32767. Each of the
 * seven numbers of a body is one channel over time, of which only the differences are kept (see
 * predict_channel). Points of tubes and surfaces are done likewise. */
#include "html_frames.h"

#include "../common/app.h"
#include "html_contacts.h"
#include "html_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 8, ACCOUNT = 8 }; /* see keep_frame */

/* All frames as they are read. */
typedef struct Gathered {
    const TnScene *scene;
    int frame_count;
    double *times;
    double *poses;  /* frame × body × 7 */
    float *points;  /* frame × point × 3 */
    float *stress;  /* frame × point; NULL: not recorded */
    float *series;  /* SERIES × frame */
    float *account; /* ACCOUNT × frame; NULL: not recorded */
    float *signals; /* signal × frame; NULL: not recorded */
    HtmlContacts contacts;
} Gathered;

static void *make_room(size_t count, size_t size) { return calloc(count + 1, size); }

static void gathered_free(Gathered *g)
{
    free(g->times);
    free(g->poses);
    free(g->points);
    free(g->stress);
    free(g->series);
    free(g->account);
    free(g->signals);
    html_contacts_free(&g->contacts);
}

static void keep_frame(Gathered *g, int k, const TnFrame *frame)
{
    size_t bodies = (size_t)g->scene->body_count, points = (size_t)g->scene->point_count;
    size_t at = (size_t)k;
    g->times[at] = frame->time;
    memcpy(g->poses + at * bodies * 7, frame->poses, bodies * 7 * sizeof *frame->poses);
    if (points)
        memcpy(g->points + at * points * 3, frame->points, points * 3 * sizeof *frame->points);
    if (g->stress && frame->stress)
        memcpy(g->stress + at * points, frame->stress, points * sizeof *frame->stress);
    const double values[SERIES] = {
        frame->residual,   frame->contact_count,    frame->kinetic,         frame->potential,
        frame->iterations, frame->mean_penetration, frame->max_penetration, frame->times.total};
    for (size_t s = 0; s < SERIES; s++)
        g->series[s * (size_t)g->frame_count + at] = (float)values[s];
    const TnEnergyAccount *a = &frame->account;
    const double energies[ACCOUNT] = {frame->elastic, a->actuators, a->applied, a->friction,
                                      a->damping,     a->impacts,   a->step,    a->created};
    for (size_t s = 0; s < ACCOUNT && g->account; s++)
        g->account[s * (size_t)g->frame_count + at] = (float)energies[s];
    for (size_t s = 0; g->signals && s < (size_t)g->scene->signal_count; s++)
        g->signals[s * (size_t)g->frame_count + at] =
            frame->signal_count ? (float)frame->signals[s] : NAN;
}

static int gather(Gathered *g, TnRecording *recording, const ExportOptions *options)
{
    size_t frames = (size_t)g->frame_count;
    TnError err = {0};
    TnFrame *frame = tn_frame_create(g->scene, &err);
    g->times = make_room(frames, sizeof *g->times);
    g->poses = make_room(frames * (size_t)g->scene->body_count * 7, sizeof *g->poses);
    g->points = make_room(frames * (size_t)g->scene->point_count * 3, sizeof *g->points);
    g->series = make_room(frames * SERIES, sizeof *g->series);
    bool stress = tn_recording_info(recording).has_stress,
         account = tn_recording_info(recording).has_account;
    bool signals = tn_recording_info(recording).has_signals;
    if (signals)
        g->signals = make_room(frames * (size_t)g->scene->signal_count, sizeof *g->signals);
    if (account) g->account = make_room(frames * ACCOUNT, sizeof *g->account);
    if (stress) g->stress = make_room(frames * (size_t)g->scene->point_count, sizeof *g->stress);
    bool fine = frame && g->times && g->poses && g->points && g->series && (g->stress || !stress) &&
                (g->account || !account) && (g->signals || !signals) &&
                html_contacts_start(&g->contacts, g->scene);
    if (!fine) say("export", "no memory for %d frames", g->frame_count);
    for (int k = 0; fine && k < g->frame_count; k++) {
        fine = export_read_frame(recording, options->frames[k], frame);
        if (!fine) break;
        keep_frame(g, k, frame);
        fine = html_contacts_keep(&g->contacts, frame);
        if (!fine) say("export", "no memory for the contacts of %d frames", g->frame_count);
    }
    tn_frame_destroy(frame);
    return fine ? EXIT_FINE : EXIT_IO;
}

static const double *pose_at(const Gathered *g, int frame, int body)
{
    return g->poses + ((size_t)frame * (size_t)g->scene->body_count + (size_t)body) * 7;
}

static bool body_moves(const Gathered *g, int body)
{
    const double *first = pose_at(g, 0, body);
    for (int k = 1; k < g->frame_count; k++)
        if (memcmp(first, pose_at(g, k, body), 7 * sizeof *first) != 0) return true;
    return false;
}

/* How far each body reaches from its origin; *smallest: of the shapes that move. */
static void measure_bodies(const Gathered *g, const bool *moves, double *reach, double *smallest)
{
    *smallest = INFINITY;
    for (int i = 0; i < g->scene->shape_count; i++) {
        const TnSceneShape *shape = &g->scene->shapes[i];
        int body = shape->body - 1;
        double own = shape_reach(g->scene, i);
        if (!isfinite(own) || own <= 0) continue;
        double far = own + hypot(hypot(shape->pos[0], shape->pos[1]), shape->pos[2]);
        reach[body] = fmax(reach[body], far);
        if (moves[body]) *smallest = fmin(*smallest, own);
    }
}

static int32_t on_grid(double value, double steps_per_unit)
{
    double steps = value * steps_per_unit;
    return fabs(steps) < 2e9 ? (int32_t)lrint(steps) : 0; /* also where it is not a number */
}

/* A rotation and its negative are the same: stay with the sign that is near the one before. */
static void continue_quat(double quat[4], const double before[4])
{
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += quat[k] * before[k];
    if (dot < 0)
        for (int k = 0; k < 4; k++) quat[k] = -quat[k];
}

/* The seven channels of one body, frame_count numbers each. */
static void fill_channels(const Gathered *g, int body, double step, double levels,
                          int32_t *channels)
{
    double before[4] = {0};
    for (int k = 0; k < g->frame_count; k++) {
        const double *pose = pose_at(g, k, body);
        double quat[4] = {pose[3], pose[4], pose[5], pose[6]};
        continue_quat(quat, before);
        memcpy(before, quat, sizeof before);
        for (int c = 0; c < 7; c++)
            channels[c * g->frame_count + k] =
                c < 3 ? on_grid(pose[c], 1 / step) : on_grid(quat[c - 3], levels);
    }
}

static double farthest_from_origin(const Gathered *g, int body)
{
    double farthest = 0;
    for (int k = 0; k < g->frame_count; k++)
        for (int c = 0; c < 3; c++) farthest = fmax(farthest, fabs(pose_at(g, k, body)[c]));
    return farthest;
}

typedef struct Motion {
    bool *moves;           /* per body */
    double *reach;         /* per body, m */
    int32_t *moving;       /* bodies that move, from 0 */
    double *steps;         /* per moving body: m per step of its grid */
    float *levels;         /* per moving body: steps of a rotation's numbers per 1 */
    int32_t *numbers;      /* moving × 7 × frame */
    unsigned char *orders; /* moving × 7 */
    float *start;          /* body × 7: the poses of the first frame */
} Motion;

static void motion_free(Motion *m)
{
    free(m->moves);
    free(m->reach);
    free(m->moving);
    free(m->steps);
    free(m->levels);
    free(m->numbers);
    free(m->orders);
    free(m->start);
}

/* False where there is no memory. */
static bool motion_fill(Motion *m, const Gathered *g, double resolution, size_t *moving_count)
{
    size_t bodies = (size_t)g->scene->body_count, frames = (size_t)g->frame_count, count = 0;
    m->moves = make_room(bodies, sizeof *m->moves);
    m->reach = make_room(bodies, sizeof *m->reach);
    m->moving = make_room(bodies, sizeof *m->moving);
    m->steps = make_room(bodies, sizeof *m->steps);
    m->levels = make_room(bodies, sizeof *m->levels);
    m->orders = make_room(bodies * 7, sizeof *m->orders);
    m->start = make_room(bodies * 7, sizeof *m->start);
    if (!m->moves || !m->reach || !m->moving || !m->steps || !m->levels || !m->orders || !m->start)
        return false;
    for (int i = 0; i < g->scene->body_count; i++) {
        m->moves[i] = body_moves(g, i);
        if (m->moves[i]) m->moving[count++] = i;
    }
    for (size_t i = 0; i < bodies * 7; i++) m->start[i] = (float)g->poses[i];
    m->numbers = make_room(count * 7 * frames, sizeof *m->numbers);
    if (!m->numbers) return false;
    double smallest;
    measure_bodies(g, m->moves, m->reach, &smallest);
    double finest = isfinite(smallest) ? smallest / 2000 : 1e-5;
    finest = fmax(finest, fmax(resolution, 1e-9));
    for (size_t i = 0; i < count; i++) {
        int body = m->moving[i];
        m->steps[i] = fmax(finest, farthest_from_origin(g, body) / (1 << 29));
        m->levels[i] = (float)fmin(fmax(ceil(m->reach[body] / finest), 1000), 32767);
        int32_t *channels = m->numbers + i * 7 * frames;
        fill_channels(g, body, m->steps[i], (double)m->levels[i], channels);
        for (size_t c = 0; c < 7; c++)
            m->orders[i * 7 + c] = predict_channel(channels + c * frames, g->frame_count);
    }
    *moving_count = count;
    return true;
}

static void add_motion(Sections *sections, const Gathered *g, double resolution)
{
    Motion m = {0};
    size_t count = 0;
    if (motion_fill(&m, g, resolution, &count)) {
        size_t numbers = count * 7 * (size_t)g->frame_count;
        sections_add(sections, "start", SECTION_F32, m.start, (size_t)g->scene->body_count * 7);
        sections_add(sections, "moving", SECTION_I32, m.moving, count);
        sections_add(sections, "position_step", SECTION_F64, m.steps, count);
        sections_add(sections, "rotation_levels", SECTION_F32, m.levels, count);
        sections_add(sections, "motion_order", SECTION_U8, m.orders, count * 7);
        sections_add(sections, "motion", SECTION_I32, m.numbers, numbers);
    } else {
        sections->failed = true;
    }
    motion_free(&m);
}

/* 16 bits over the box of all points, finer where a tube is thin. */
static double choose_point_step(const Gathered *g, double resolution)
{
    double low = INFINITY, high = -INFINITY;
    size_t numbers = (size_t)g->frame_count * (size_t)g->scene->point_count * 3;
    for (size_t i = 0; i < numbers; i++) {
        low = fmin(low, (double)g->points[i]);
        high = fmax(high, (double)g->points[i]);
    }
    double step = high > low ? (high - low) / 65535 : 1e-5;
    for (int i = 0; i < g->scene->tube_count; i++)
        if (g->scene->tubes[i].radius > 0) step = fmin(step, g->scene->tubes[i].radius / 50);
    double limit = fmax(fabs(low), fabs(high)) / (1 << 29);
    return fmax(step, fmax(resolution, isfinite(limit) ? fmax(limit, 1e-9) : 1e-9));
}

static void add_points(Sections *sections, const Gathered *g, double step)
{
    size_t channels = (size_t)g->scene->point_count * 3, frames = (size_t)g->frame_count;
    if (!channels) return;
    int32_t *numbers = make_room(channels * frames, sizeof *numbers);
    unsigned char *orders = make_room(channels, sizeof *orders);
    if (numbers && orders) {
        for (size_t c = 0; c < channels; c++) {
            int32_t *channel = numbers + c * frames;
            for (size_t k = 0; k < frames; k++)
                channel[k] = on_grid((double)g->points[k * channels + c], 1 / step);
            orders[c] = predict_channel(channel, g->frame_count);
        }
        sections_add(sections, "point_order", SECTION_U8, orders, channels);
        sections_add(sections, "points", SECTION_I32, numbers, channels * frames);
    } else {
        sections->failed = true;
    }
    free(numbers);
    free(orders);
}

/* 4095 levels up to the largest; points that are under none in any frame take no room to speak of.
 */
static void add_stress(Sections *sections, const Gathered *g, HtmlFrames *info)
{
    size_t points = (size_t)g->scene->point_count, frames = (size_t)g->frame_count;
    info->stress_step = info->stress_max = 0;
    if (!g->stress || !points) return;
    for (size_t i = 0; i < frames * points; i++)
        if ((double)g->stress[i] > info->stress_max) info->stress_max = (double)g->stress[i];
    info->stress_step = info->stress_max > 0 ? info->stress_max / 4095 : 1;
    int32_t *numbers = make_room(points * frames, sizeof *numbers);
    unsigned char *orders = make_room(points, sizeof *orders);
    if (numbers && orders) {
        for (size_t p = 0; p < points; p++) {
            int32_t *channel = numbers + p * frames;
            for (size_t k = 0; k < frames; k++)
                channel[k] = on_grid((double)g->stress[k * points + p], 1 / info->stress_step);
            orders[p] = predict_channel(channel, g->frame_count);
        }
        sections_add(sections, "stress_order", SECTION_U8, orders, points);
        sections_add(sections, "stress", SECTION_I32, numbers, points * frames);
    } else {
        sections->failed = true;
    }
    free(numbers);
    free(orders);
}

int html_frames_add(Sections *sections, HtmlFrames *info, TnRecording *recording,
                    const ExportOptions *options)
{
    Gathered g = {.scene = tn_recording_scene(recording), .frame_count = options->frame_count};
    double resolution = tn_recording_info(recording).resolution;
    int code = gather(&g, recording, options);
    if (code == EXIT_FINE) {
        size_t frames = (size_t)g.frame_count;
        info->point_step = choose_point_step(&g, resolution);
        sections_add(sections, "times", SECTION_F64, g.times, frames);
        sections_add(sections, "series", SECTION_F32, g.series, SERIES * frames);
        if (g.account) sections_add(sections, "account", SECTION_F32, g.account, ACCOUNT * frames);
        if (g.signals)
            sections_add(sections, "signals", SECTION_F32, g.signals,
                         frames * (size_t)g.scene->signal_count);
        add_motion(sections, &g, resolution);
        add_points(sections, &g, info->point_step);
        add_stress(sections, &g, info);
        info->force_max = html_contacts_add(sections, &g.contacts);
        info->contacts_short = g.contacts.dropped > 0;
        if (sections->failed) {
            say("export", "no memory for the replay's data");
            code = EXIT_IO;
        }
    }
    gathered_free(&g);
    return code;
}

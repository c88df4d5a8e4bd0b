/* record_group.c: a group of frames as one chunk and back.
 *
 * Payload: frame count, flags, three sizes of the state, the frames' times; then, deflated, tables
 * with one row per frame: the numbers of the steps, positions, quaternions, points, the exact
 * state, the contacts (record_contacts.c), the stress (record_stress.c), the account of energy, and
 * the signals (record_signals.c), and what later versions added to the account. Positions and
 * points are multiples of the resolution, quaternions of 2^-18. Where a number is not finite or too
 * large for the grid, the group keeps the bits of its doubles instead. */
#include "record_format.h"

#include <math.h>
#include <string.h>

enum {
    FLAG_CONTACTS = 1,
    FLAG_STATE = 2,
    FLAG_EXACT = 4,
    FLAG_STRESS = 8,
    FLAG_ACCOUNT = 16,
    FLAG_SIGNALS = 32,
    FLAG_PUSH_OUT = 64
};
enum { HEAD_NUMBERS = 14, ACCOUNT_NUMBERS = 8, PUSH_OUT_NUMBERS = 2 };
#define QUAT_STEP 0x1p-18

/* ---- memory ---- */

void tn_record_group_init(TnRecordGroup *group, const TnScene *scene, double resolution)
{
    *group = (TnRecordGroup){.scene = scene, .resolution = resolution};
}

void tn_record_group_free(TnRecordGroup *group)
{
    tn_free(group->heads);
    tn_free(group->poses);
    tn_free(group->points);
    tn_free(group->state);
    tn_free(group->stress);
    tn_free(group->signals);
    tn_free(group->contacts);
    *group = (TnRecordGroup){.scene = group->scene, .resolution = group->resolution};
}

/* Room for `count` things of `size` bytes, contents kept. */
static bool grow(void *list, size_t count, size_t size)
{
    void *old, *bigger;
    memcpy(&old, list, sizeof old);
    if (count > SIZE_MAX / size) return false;
    bigger = tn_realloc(old, count * size);
    if (!bigger) return false;
    memcpy(list, &bigger, sizeof bigger);
    return true;
}

bool tn_record_group_reserve(TnRecordGroup *group, int frames)
{
    if (frames <= group->frame_room) return true;
    size_t count = (size_t)frames;
    if (!grow(&group->heads, count, sizeof *group->heads) ||
        !grow(&group->poses, count * (size_t)group->scene->body_count, 7 * sizeof(double)) ||
        !grow(&group->points, count * (size_t)group->scene->point_count, 3 * sizeof(float)) ||
        !grow(&group->signals, count * (size_t)group->scene->signal_count, sizeof(float)))
        return false;
    group->frame_room = frames;
    return true;
}

bool tn_record_group_reserve_contacts(TnRecordGroup *group, int contacts)
{
    if (contacts <= group->contact_room) return true;
    if (!grow(&group->contacts, (size_t)contacts, sizeof *group->contacts)) return false;
    group->contact_room = contacts;
    return true;
}

static size_t state_numbers(const TnRecordGroup *group)
{
    return (size_t)group->qpos_count + (size_t)group->dof_count + (size_t)group->ctrl_count;
}

bool tn_record_group_reserve_state(TnRecordGroup *group, int frames)
{
    size_t numbers = state_numbers(group) * (size_t)frames;
    if (numbers <= group->state_room) return true;
    if (!grow(&group->state, numbers, sizeof *group->state)) return false;
    group->state_room = numbers;
    return true;
}

/* ---- numbers as integers ---- */

bool tn_record_to_grid(double value, double step, int64_t *out)
{
    double scaled = value / step;
    if (!(fabs(scaled) < 0x1p50)) return false; /* also not a number */
    *out = tn_record_round(scaled);
    return true;
}

static void head_to_numbers(const TnRecordHead *head, int64_t *n)
{
    const TnStepTimes *t = &head->times;
    const double doubles[] = {head->residual, head->kinetic, head->potential,
                              head->mean_penetration, head->max_penetration};
    const double times[] = {t->dynamics, t->collision, t->constraint, t->factor,
                            t->iterate,  t->integrate, t->total};
    n[0] = head->step;
    n[1] = head->iterations;
    for (int k = 0; k < 5; k++) n[2 + k] = tn_record_bits(doubles[k]);
    for (int k = 0; k < 7; k++) {
        float value = (float)times[k];
        int32_t bits;
        memcpy(&bits, &value, sizeof bits);
        n[7 + k] = bits;
    }
}

static void numbers_to_head(const int64_t *n, TnRecordHead *head)
{
    TnStepTimes *t = &head->times;
    double *doubles[] = {&head->residual, &head->kinetic, &head->potential, &head->mean_penetration,
                         &head->max_penetration};
    double *times[] = {&t->dynamics, &t->collision, &t->constraint, &t->factor,
                       &t->iterate,  &t->integrate, &t->total};
    head->step = n[0];
    head->iterations = (int)(int32_t)n[1];
    for (int k = 0; k < 5; k++) *doubles[k] = tn_record_from_bits(n[2 + k]);
    for (int k = 0; k < 7; k++) {
        int32_t bits = (int32_t)n[7 + k];
        float value;
        memcpy(&value, &bits, sizeof value);
        *times[k] = (double)value;
    }
}

/* Elastic energy, then the account as its struct has it. */
static void account_to_numbers(const TnRecordHead *head, int64_t *n)
{
    const TnEnergyAccount *a = &head->account;
    const double doubles[ACCOUNT_NUMBERS] = {head->elastic, a->actuators, a->applied, a->friction,
                                             a->damping,    a->impacts,   a->step,    a->created};
    for (int k = 0; k < ACCOUNT_NUMBERS; k++) n[k] = tn_record_bits(doubles[k]);
}

static void numbers_to_account(const int64_t *n, TnRecordHead *head)
{
    TnEnergyAccount *a = &head->account;
    double *doubles[ACCOUNT_NUMBERS] = {&head->elastic, &a->actuators, &a->applied, &a->friction,
                                        &a->damping,    &a->impacts,   &a->step,    &a->created};
    for (int k = 0; k < ACCOUNT_NUMBERS; k++) *doubles[k] = tn_record_from_bits(n[k]);
}

static void normalize(double quat[4])
{
    double square = 0;
    for (int k = 0; k < 4; k++) square += quat[k] * quat[k];
    if (square > 0)
        for (int k = 0; k < 4; k++) quat[k] /= sqrt(square);
}

/* The tables of a group: all of its numbers, one row per frame. */
typedef struct Tables {
    size_t frames, bodies, points;
    int64_t *pos, *quat, *point;
} Tables;

static bool tables_create(Tables *tables, const TnRecordGroup *group)
{
    *tables = (Tables){.frames = (size_t)group->frame_count,
                       .bodies = (size_t)group->scene->body_count,
                       .points = (size_t)group->scene->point_count};
    size_t per_frame = 7 * tables->bodies + 3 * tables->points;
    tables->pos = tn_malloc(tables->frames * per_frame * sizeof *tables->pos);
    if (!tables->pos) return false;
    tables->quat = tables->pos + tables->frames * tables->bodies * 3;
    tables->point = tables->quat + tables->frames * tables->bodies * 4;
    return true;
}

/* False where something does not fit the grid. */
static bool fill_from_grid(Tables *tables, const TnRecordGroup *group)
{
    bool fits = true;
    for (size_t i = 0; i < tables->frames * tables->bodies && fits; i++) {
        const double *pose = group->poses + 7 * i;
        for (size_t k = 0; k < 3; k++)
            fits = fits && tn_record_to_grid(pose[k], group->resolution, &tables->pos[3 * i + k]);
        for (size_t k = 0; k < 4; k++)
            fits = fits && tn_record_to_grid(pose[3 + k], QUAT_STEP, &tables->quat[4 * i + k]);
    }
    for (size_t i = 0; i < 3 * tables->frames * tables->points && fits; i++)
        fits = tn_record_to_grid((double)group->points[i], group->resolution, &tables->point[i]);
    return fits;
}

static void fill_tn_record_from_bits(Tables *tables, const TnRecordGroup *group)
{
    for (size_t i = 0; i < tables->frames * tables->bodies; i++) {
        const double *pose = group->poses + 7 * i;
        for (size_t k = 0; k < 3; k++) tables->pos[3 * i + k] = tn_record_bits(pose[k]);
        for (size_t k = 0; k < 4; k++) tables->quat[4 * i + k] = tn_record_bits(pose[3 + k]);
    }
    for (size_t i = 0; i < 3 * tables->frames * tables->points; i++)
        tables->point[i] = tn_record_bits((double)group->points[i]);
}

/* The poses that a reader makes of the tables. */
static void read_poses(const Tables *tables, double resolution, bool exact, double *poses)
{
    for (size_t i = 0; i < tables->frames * tables->bodies; i++) {
        double *pose = poses + 7 * i;
        const int64_t *pos = tables->pos + 3 * i, *quat = tables->quat + 4 * i;
        for (int k = 0; k < 3; k++)
            pose[k] = exact ? tn_record_from_bits(pos[k]) : resolution * (double)pos[k];
        for (int k = 0; k < 4; k++)
            pose[3 + k] = exact ? tn_record_from_bits(quat[k]) : QUAT_STEP * (double)quat[k];
        if (!exact) normalize(pose + 3);
    }
}

/* ---- writing ---- */

static bool put_heads(TnRecordOut *out, const TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count;
    int64_t *numbers = tn_malloc(frames * HEAD_NUMBERS * sizeof *numbers);
    if (!numbers) return false;
    for (size_t f = 0; f < frames; f++)
        head_to_numbers(&group->heads[f], numbers + HEAD_NUMBERS * f);
    tn_record_put_table(out, numbers, frames, HEAD_NUMBERS, TN_PREDICT_LAST);
    tn_free(numbers);
    return true;
}

static bool put_accounts(TnRecordOut *out, const TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count;
    int64_t *numbers = tn_malloc(frames * ACCOUNT_NUMBERS * sizeof *numbers);
    if (!numbers) return false;
    for (size_t f = 0; f < frames; f++)
        account_to_numbers(&group->heads[f], numbers + ACCOUNT_NUMBERS * f);
    tn_record_put_table(out, numbers, frames, ACCOUNT_NUMBERS, TN_PREDICT_LAST);
    tn_free(numbers);
    return true;
}

/* Push-out and unsolved losses. */
static bool put_push_out(TnRecordOut *out, const TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count;
    int64_t *numbers = tn_malloc(frames * PUSH_OUT_NUMBERS * sizeof *numbers);
    if (!numbers) return false;
    for (size_t f = 0; f < frames; f++) {
        const TnEnergyAccount *a = &group->heads[f].account;
        numbers[PUSH_OUT_NUMBERS * f] = tn_record_bits(a->push_out);
        numbers[PUSH_OUT_NUMBERS * f + 1] = tn_record_bits(a->unsolved);
    }
    tn_record_put_table(out, numbers, frames, PUSH_OUT_NUMBERS, TN_PREDICT_LAST);
    tn_free(numbers);
    return true;
}

static bool put_state(TnRecordOut *out, const TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, columns = state_numbers(group);
    int64_t *numbers = tn_malloc(frames * columns * sizeof *numbers);
    if (!numbers) return false;
    for (size_t i = 0; i < frames * columns; i++) numbers[i] = tn_record_bits(group->state[i]);
    tn_record_put_table(out, numbers, frames, columns, TN_PREDICT_LAST);
    tn_free(numbers);
    return true;
}

/* Everything that gets deflated. */
static bool put_raw(TnRecordOut *raw, const TnRecordGroup *group, bool *exact)
{
    Tables tables;
    if (!put_heads(raw, group) || !tables_create(&tables, group)) return false;
    *exact = !fill_from_grid(&tables, group);
    if (*exact) fill_tn_record_from_bits(&tables, group);
    double *poses = NULL;
    bool fine = true;
    if (group->has_contacts) {
        poses = tn_malloc(tables.frames * tables.bodies * 7 * sizeof *poses);
        fine = poses != NULL;
        if (fine) read_poses(&tables, group->resolution, *exact, poses);
    }
    tn_record_put_table(raw, tables.pos, tables.frames, 3 * tables.bodies, TN_PREDICT_LINE);
    tn_record_put_table(raw, tables.quat, tables.frames, 4 * tables.bodies, TN_PREDICT_LINE);
    tn_record_put_table(raw, tables.point, tables.frames, 3 * tables.points, TN_PREDICT_LINE);
    tn_free(tables.pos);
    if (fine && group->has_state) fine = put_state(raw, group);
    if (fine && group->has_contacts) fine = tn_record_put_contacts(raw, group, poses);
    if (fine && group->has_stress) fine = tn_record_put_stress(raw, group);
    if (fine) fine = put_accounts(raw, group);
    if (fine && group->has_signals) fine = tn_record_put_signals(raw, group);
    if (fine) fine = put_push_out(raw, group);
    tn_free(poses);
    return fine && !raw->failed;
}

bool tn_record_put_group(TnRecordOut *out, const TnRecordGroup *group)
{
    TnRecordOut raw = {0};
    bool exact = false, fine = put_raw(&raw, group, &exact) && raw.size <= TN_RECORD_MAX_RAW;
    if (fine) {
        size_t start = tn_record_begin_chunk(out, TN_RECORD_FRAMES);
        tn_record_put_u32(out, (uint32_t)group->frame_count);
        tn_record_put_u32(
            out, (group->has_contacts ? FLAG_CONTACTS : 0u) | (group->has_state ? FLAG_STATE : 0u) |
                     (exact ? FLAG_EXACT : 0u) | (group->has_stress ? FLAG_STRESS : 0u) |
                     (group->has_signals ? FLAG_SIGNALS : 0u) | FLAG_ACCOUNT | FLAG_PUSH_OUT);
        tn_record_put_u32(out, (uint32_t)group->qpos_count);
        tn_record_put_u32(out, (uint32_t)group->dof_count);
        tn_record_put_u32(out, (uint32_t)group->ctrl_count);
        for (int f = 0; f < group->frame_count; f++) tn_record_put_f64(out, group->heads[f].time);
        tn_record_put_packed(out, raw.bytes, raw.size, true);
        fine = tn_record_end_chunk(out, start);
    }
    tn_record_out_free(&raw);
    return fine;
}

/* ---- reading ---- */

/* The part that is not deflated. */
static bool get_front(TnRecordIn *in, TnRecordGroup *group, bool *exact, const uint8_t **times)
{
    uint32_t frames = tn_record_get_u32(in), flags = tn_record_get_u32(in);
    uint32_t sizes[3];
    for (int k = 0; k < 3; k++) {
        sizes[k] = tn_record_get_u32(in);
        if (sizes[k] > (flags & FLAG_STATE ? TN_RECORD_MAX_RAW : 0)) in->failed = true;
    }
    if (frames < 1 || frames > TN_RECORD_MAX_FRAMES) in->failed = true;
    *times = tn_record_get_bytes(in, 8 * (size_t)(in->failed ? 0 : frames));
    if (in->failed) return false;
    group->frame_count = (int)frames;
    group->has_contacts = flags & FLAG_CONTACTS;
    group->has_state = flags & FLAG_STATE;
    group->has_stress = flags & FLAG_STRESS;
    group->has_account = flags & FLAG_ACCOUNT;
    group->has_signals = flags & FLAG_SIGNALS;
    group->has_push_out = flags & FLAG_PUSH_OUT;
    *exact = flags & FLAG_EXACT;
    group->qpos_count = (int)sizes[0];
    group->dof_count = (int)sizes[1];
    group->ctrl_count = (int)sizes[2];
    return true;
}

bool tn_record_get_group_info(TnRecordIn *in, TnRecordGroupInfo *info)
{
    TnRecordGroup group = {0};
    bool exact;
    if (!get_front(in, &group, &exact, &info->times)) return false;
    info->frame_count = group.frame_count;
    info->has_contacts = group.has_contacts;
    info->has_state = group.has_state;
    info->has_stress = group.has_stress;
    info->has_account = group.has_account;
    info->has_signals = group.has_signals;
    return true;
}

static TnStatus get_heads(TnRecordIn *in, TnRecordGroup *group, const uint8_t *times)
{
    size_t frames = (size_t)group->frame_count;
    int64_t *numbers = tn_malloc(frames * HEAD_NUMBERS * sizeof *numbers);
    if (!numbers) return TN_ERROR_MEMORY;
    bool fine = tn_record_get_table(in, numbers, frames, HEAD_NUMBERS, TN_PREDICT_LAST);
    TnRecordIn time = {.bytes = times, .size = 8 * frames};
    for (size_t f = 0; f < frames && fine; f++) {
        group->heads[f] = (TnRecordHead){.time = tn_record_get_f64(&time)};
        numbers_to_head(numbers + HEAD_NUMBERS * f, &group->heads[f]);
    }
    tn_free(numbers);
    return fine ? TN_OK : TN_ERROR_IO;
}

/* NaN where there is none. */
static TnStatus get_accounts(TnRecordIn *in, TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, count = frames * ACCOUNT_NUMBERS;
    int64_t *numbers = tn_malloc(count * sizeof *numbers);
    if (!numbers) return TN_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) numbers[i] = tn_record_bits((double)NAN);
    bool fine = !group->has_account ||
                tn_record_get_table(in, numbers, frames, ACCOUNT_NUMBERS, TN_PREDICT_LAST);
    for (size_t f = 0; f < frames && fine; f++)
        numbers_to_account(numbers + ACCOUNT_NUMBERS * f, &group->heads[f]);
    tn_free(numbers);
    return fine ? TN_OK : TN_ERROR_IO;
}

/* Before there was a name for it push-out was part of what was created. */
static TnStatus get_push_out(TnRecordIn *in, TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, count = frames * PUSH_OUT_NUMBERS;
    int64_t *numbers = tn_malloc(count * sizeof *numbers);
    if (!numbers) return TN_ERROR_MEMORY;
    double none = group->has_account ? 0.0 : (double)NAN;
    for (size_t i = 0; i < count; i++) numbers[i] = tn_record_bits(none);
    bool fine = !group->has_push_out ||
                tn_record_get_table(in, numbers, frames, PUSH_OUT_NUMBERS, TN_PREDICT_LAST);
    for (size_t f = 0; f < frames && fine; f++) {
        TnEnergyAccount *a = &group->heads[f].account;
        a->push_out = tn_record_from_bits(numbers[PUSH_OUT_NUMBERS * f]);
        a->unsolved = tn_record_from_bits(numbers[PUSH_OUT_NUMBERS * f + 1]);
    }
    tn_free(numbers);
    return fine ? TN_OK : TN_ERROR_IO;
}

static TnStatus get_places(TnRecordIn *in, TnRecordGroup *group, bool exact)
{
    Tables tables;
    if (!tables_create(&tables, group)) return TN_ERROR_MEMORY;
    bool fine =
        tn_record_get_table(in, tables.pos, tables.frames, 3 * tables.bodies, TN_PREDICT_LINE) &&
        tn_record_get_table(in, tables.quat, tables.frames, 4 * tables.bodies, TN_PREDICT_LINE) &&
        tn_record_get_table(in, tables.point, tables.frames, 3 * tables.points, TN_PREDICT_LINE);
    if (fine) {
        read_poses(&tables, group->resolution, exact, group->poses);
        for (size_t i = 0; i < 3 * tables.frames * tables.points; i++) {
            int64_t value = tables.point[i];
            group->points[i] =
                (float)(exact ? tn_record_from_bits(value) : group->resolution * (double)value);
        }
    }
    tn_free(tables.pos);
    return fine ? TN_OK : TN_ERROR_IO;
}

static TnStatus get_state(TnRecordIn *in, TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, columns = state_numbers(group);
    /* a number takes a byte at least: memory is only taken for what can be there */
    if (columns > in->size - in->at || columns * frames > in->size - in->at) return TN_ERROR_IO;
    if (!tn_record_group_reserve_state(group, group->frame_count)) return TN_ERROR_MEMORY;
    int64_t *numbers = tn_malloc(frames * columns * sizeof *numbers);
    if (!numbers) return TN_ERROR_MEMORY;
    bool fine = tn_record_get_table(in, numbers, frames, columns, TN_PREDICT_LAST);
    for (size_t i = 0; i < frames * columns && fine; i++)
        group->state[i] = tn_record_from_bits(numbers[i]);
    tn_free(numbers);
    return fine ? TN_OK : TN_ERROR_IO;
}

TnStatus tn_record_get_group(TnRecordIn *in, TnRecordGroup *group)
{
    const uint8_t *times;
    bool exact;
    group->frame_count = 0;
    group->contact_count = 0;
    if (!get_front(in, group, &exact, &times)) return TN_ERROR_IO;
    TnRecordIn raw = {0};
    uint8_t *bytes = tn_record_get_packed(in, &raw.size);
    if (!bytes) return in->failed ? TN_ERROR_IO : TN_ERROR_MEMORY;
    raw.bytes = bytes;
    /* every pose takes seven bytes and more, every point three */
    size_t numbers = 7 * (size_t)group->scene->body_count + 3 * (size_t)group->scene->point_count;
    TnStatus status = TN_OK;
    if (numbers * (size_t)group->frame_count > raw.size) status = TN_ERROR_IO;
    if (status == TN_OK && !tn_record_group_reserve(group, group->frame_count))
        status = TN_ERROR_MEMORY;
    if (status == TN_OK) status = get_heads(&raw, group, times);
    if (status == TN_OK) status = get_places(&raw, group, exact);
    if (status == TN_OK && group->has_state) status = get_state(&raw, group);
    if (status == TN_OK && group->has_contacts) status = tn_record_get_contacts(&raw, group);
    if (status == TN_OK && group->has_stress) status = tn_record_get_stress(&raw, group);
    if (status == TN_OK) status = get_accounts(&raw, group);
    if (status == TN_OK && group->has_signals) status = tn_record_get_signals(&raw, group);
    if (status == TN_OK) status = get_push_out(&raw, group);
    tn_free(bytes);
    return status;
}

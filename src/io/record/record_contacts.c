/* record_contacts.c: the contacts of a group as columns.
 *
 * Each contact has ten numbers, each on its own grid: its place relative to one of the two shapes,
 * where a contact that rolls or slides along changes little; the normal as a point of an unfolded
 * octahedron; the gap; the force as three integers with a common exponent. Each number is kept as
 * the difference to the same contact of the frame before: the next one of the same pair of geoms
 * that is not taken yet. Where a number does not fit, the group keeps the bits of all doubles. */
#include "record_format.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 10 };
enum { PLACE_STEPS = 32, GAP_SHARE = 4 }; /* steps of the resolution; share of it */
enum { NORMAL_BITS = 11, FORCE_BITS = 10 };

/* ---- one contact as integers ---- */

static void rotate(const double q[4], const double v[3], bool back, double out[3])
{
    double w = back ? -q[0] : q[0], t[3];
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        t[k] = 2 * (q[1 + a] * v[b] - q[1 + b] * v[a]);
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = v[k] + w * t[k] + (q[1 + a] * t[b] - q[1 + b] * t[a]);
    }
}

/* What a contact's place is relative to: the surface of a sphere along the normal, else the body's
 * frame; of geom2, or of geom1 where that one moves and geom2 does not. */
typedef struct Anchor {
    double origin[3];
    const double *quat; /* NULL: the world's axes */
} Anchor;

static Anchor anchor_of(const TnScene *scene, const double *poses, const TnContact *contact,
                        const double normal[3])
{
    const TnSceneShape *shape = &scene->shapes[contact->geom2 - 1];
    const TnSceneShape *other = &scene->shapes[contact->geom1 - 1];
    double side = -1;
    if (!scene->bodies[shape->body - 1].subsystem && scene->bodies[other->body - 1].subsystem) {
        shape = other;
        side = 1;
    }
    const double *pose = poses + 7 * (shape->body - 1);
    Anchor anchor = {.quat = pose + 3};
    double center[3] = {0};
    if (shape->type == TN_GEOM_SPHERE) {
        rotate(pose + 3, shape->pos, false, center);
        for (int k = 0; k < 3; k++) center[k] += side * shape->size[0] * normal[k];
        anchor.quat = NULL;
    }
    for (int k = 0; k < 3; k++) anchor.origin[k] = pose[k] + center[k];
    return anchor;
}

/* The unit vector on the octahedron |x| + |y| + |z| = 1, whose lower half is folded outwards. */
static bool fold_normal(const double n[3], int64_t out[2])
{
    double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(fabs(square - 1) < 1e-3)) return false; /* no unit vector: would not come back */
    double sum = fabs(n[0]) + fabs(n[1]) + fabs(n[2]), u = n[0] / sum, v = n[1] / sum;
    if (n[2] < 0) {
        double folded = copysign(1 - fabs(v), u);
        v = copysign(1 - fabs(u), v);
        u = folded;
    }
    out[0] = tn_record_round(u * (1 << NORMAL_BITS));
    out[1] = tn_record_round(v * (1 << NORMAL_BITS));
    return true;
}

static void unfold_normal(const int64_t code[2], double n[3])
{
    const double step = 1.0 / (1 << NORMAL_BITS);
    double u = step * (double)code[0], v = step * (double)code[1];
    n[2] = 1 - fabs(u) - fabs(v);
    n[0] = n[2] < 0 ? copysign(1 - fabs(v), u) : u;
    n[1] = n[2] < 0 ? copysign(1 - fabs(u), v) : v;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] /= length; /* at least 1 / sqrt 3 */
}

/* force = (out[1], out[2], out[3]) 2^(out[0] - FORCE_BITS), the largest at least half of its range.
 */
static bool scale_force(const double force[3], int64_t out[4])
{
    double largest = fmax(fmax(fabs(force[0]), fabs(force[1])), fabs(force[2]));
    if (!(isfinite(force[0]) && isfinite(force[1]) && isfinite(force[2]))) return false;
    if (largest < 0x1p-900) { /* nothing; its scale would not be a number */
        out[0] = out[1] = out[2] = out[3] = 0;
        return true;
    }
    int exponent;
    frexp(largest, &exponent);
    out[0] = exponent;
    double scale = ldexp(1, FORCE_BITS - exponent);
    for (int k = 0; k < 3; k++) out[1 + k] = tn_record_round(force[k] * scale);
    return true;
}

static void unscale_force(const int64_t code[4], double force[3])
{
    int64_t limited = code[0] < -2000 ? -2000 : code[0] > 2000 ? 2000 : code[0];
    double scale = ldexp(1, (int)limited - FORCE_BITS);
    for (int k = 0; k < 3; k++) force[k] = scale * (double)code[1 + k];
}

static bool to_grid_numbers(const TnRecordGroup *group, const double *poses,
                            const TnContact *contact, int64_t out[NUMBERS])
{
    double normal[3], place[3], step = PLACE_STEPS * group->resolution;
    if (!fold_normal(contact->normal, out + 3) || !scale_force(contact->force, out + 6) ||
        !tn_record_to_grid(contact->gap, group->resolution / GAP_SHARE, &out[5]))
        return false;
    unfold_normal(out + 3, normal);
    Anchor anchor = anchor_of(group->scene, poses, contact, normal);
    for (int k = 0; k < 3; k++) place[k] = contact->pos[k] - anchor.origin[k];
    if (anchor.quat) rotate(anchor.quat, place, true, place);
    return tn_record_to_grid(place[0], step, &out[0]) &&
           tn_record_to_grid(place[1], step, &out[1]) && tn_record_to_grid(place[2], step, &out[2]);
}

static void from_grid_numbers(const TnRecordGroup *group, const double *poses,
                              const int64_t n[NUMBERS], TnContact *contact)
{
    double place[3], step = PLACE_STEPS * group->resolution;
    unfold_normal(n + 3, contact->normal);
    unscale_force(n + 6, contact->force);
    contact->gap = group->resolution / GAP_SHARE * (double)n[5];
    Anchor anchor = anchor_of(group->scene, poses, contact, contact->normal);
    for (int k = 0; k < 3; k++) place[k] = step * (double)n[k];
    if (anchor.quat) rotate(anchor.quat, place, false, place);
    for (int k = 0; k < 3; k++) contact->pos[k] = anchor.origin[k] + place[k];
}

static void to_bits(const TnContact *contact, int64_t out[NUMBERS])
{
    memcpy(out, contact->pos, 3 * sizeof *out);
    memcpy(out + 3, contact->normal, 3 * sizeof *out);
    memcpy(out + 6, &contact->gap, sizeof *out);
    memcpy(out + 7, contact->force, 3 * sizeof *out);
}

static void from_bits(const int64_t n[NUMBERS], TnContact *contact)
{
    memcpy(contact->pos, n, 3 * sizeof *n);
    memcpy(contact->normal, n + 3, 3 * sizeof *n);
    memcpy(&contact->gap, n + 6, sizeof *n);
    memcpy(contact->force, n + 7, 3 * sizeof *n);
}

/* ---- the same contact of the frame before ---- */

/* A hash table of the frame's pairs; contacts of one pair form a list in their order. */
typedef struct Matcher {
    int *heads; /* by hash: first contact not taken yet, -1: empty place */
    int *pairs; /* by hash: a contact that has this pair, -1: empty place */
    int *next;  /* by contact */
    size_t mask;
} Matcher;

static bool matcher_create(Matcher *matcher, int largest_frame)
{
    size_t size = 16;
    while (size < 2 * (size_t)largest_frame) size *= 2;
    matcher->mask = size - 1;
    matcher->heads = tn_malloc((2 * size + (size_t)largest_frame) * sizeof(int));
    if (!matcher->heads) return false;
    matcher->pairs = matcher->heads + size;
    matcher->next = matcher->pairs + size;
    return true;
}

/* The pair's place in the table, or the empty one where it belongs. */
static size_t place_of(const Matcher *matcher, const TnContact *frame, const TnContact *contact)
{
    uint64_t key = (uint64_t)(uint32_t)contact->geom1 << 32 | (uint32_t)contact->geom2;
    size_t place = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & matcher->mask;
    while (matcher->pairs[place] >= 0) {
        const TnContact *other = &frame[matcher->pairs[place]];
        if (other->geom1 == contact->geom1 && other->geom2 == contact->geom2) break;
        place = (place + 1) & matcher->mask;
    }
    return place;
}

static void matcher_fill(Matcher *matcher, const TnContact *frame, int count)
{
    for (size_t k = 0; k <= matcher->mask; k++) matcher->heads[k] = matcher->pairs[k] = -1;
    for (int i = count - 1; i >= 0; i--) { /* backwards: lists begin with the first */
        size_t place = place_of(matcher, frame, &frame[i]);
        matcher->next[i] = matcher->heads[place];
        matcher->heads[place] = matcher->pairs[place] = i;
    }
}

/* Index within the frame, -1: none. */
static int matcher_take(Matcher *matcher, const TnContact *frame, const TnContact *contact)
{
    size_t place = place_of(matcher, frame, contact);
    int found = matcher->heads[place];
    if (found >= 0) matcher->heads[place] = matcher->next[found];
    return found;
}

/* For each contact of the group the one before it in time, -1: none. */
static bool match_all(const TnRecordGroup *group, int *before)
{
    int largest = 0;
    if (group->contact_count == 0) return true; /* there is no list of contacts */
    for (int f = 0; f < group->frame_count; f++)
        if (group->heads[f].contact_count > largest) largest = group->heads[f].contact_count;
    Matcher matcher;
    if (!matcher_create(&matcher, largest)) return false;
    for (int f = 0; f < group->frame_count; f++) {
        const TnRecordHead *head = &group->heads[f], *last = f ? head - 1 : NULL;
        if (last)
            matcher_fill(&matcher, group->contacts + last->contact_start, last->contact_count);
        for (int i = head->contact_start; i < head->contact_start + head->contact_count; i++) {
            int found = last ? matcher_take(&matcher, group->contacts + last->contact_start,
                                            &group->contacts[i])
                             : -1;
            before[i] = found < 0 ? -1 : last->contact_start + found;
        }
    }
    tn_free(matcher.heads);
    return true;
}

/* ---- columns ---- */

/* All working memory in one piece: numbers (by contact), a column, the matches. */
typedef struct Work {
    int64_t *numbers, *column;
    int *before;
} Work;

static bool work_create(Work *work, size_t count)
{
    size_t numbers = count * (NUMBERS + 1) + TN_RECORD_MAX_FRAMES;
    work->numbers = tn_malloc(numbers * sizeof(int64_t) + count * sizeof(int));
    if (!work->numbers) return false;
    work->column = work->numbers + count * NUMBERS;
    work->before = (int *)(void *)(work->numbers + numbers);
    return true;
}

static void put_pairs(TnRecordOut *out, const TnRecordGroup *group, int64_t *column)
{
    int count = group->contact_count;
    for (int f = 0; f < group->frame_count; f++) column[f] = group->heads[f].contact_count;
    tn_record_put_column(out, column, (size_t)group->frame_count);
    for (int i = 0; i < count; i++)
        column[i] = group->contacts[i].geom1 - (i ? group->contacts[i - 1].geom1 : 0);
    tn_record_put_column(out, column, (size_t)count);
    for (int i = 0; i < count; i++)
        column[i] = group->contacts[i].geom2 - (i ? group->contacts[i - 1].geom2 : 0);
    tn_record_put_column(out, column, (size_t)count);
}

/* False where a number does not fit. */
static bool fill_numbers(const TnRecordGroup *group, const double *poses, int64_t *numbers)
{
    for (int f = 0; f < group->frame_count; f++) {
        const TnRecordHead *head = &group->heads[f];
        const double *frame_poses = poses + 7 * (size_t)f * (size_t)group->scene->body_count;
        for (int i = head->contact_start; i < head->contact_start + head->contact_count; i++) {
            const TnContact *contact = &group->contacts[i];
            if (!to_grid_numbers(group, frame_poses, contact, numbers + NUMBERS * (size_t)i))
                return false;
        }
    }
    return true;
}

bool tn_record_put_contacts(TnRecordOut *out, const TnRecordGroup *group, const double *poses)
{
    size_t count = (size_t)group->contact_count;
    Work work;
    if (!work_create(&work, count)) return false;
    bool fine = match_all(group, work.before);
    if (fine) {
        bool exact = !fill_numbers(group, poses, work.numbers);
        for (size_t i = 0; i < count && exact; i++)
            to_bits(&group->contacts[i], work.numbers + NUMBERS * i);
        tn_record_put_u32(out, exact);
        put_pairs(out, group, work.column);
        for (int k = 0; k < NUMBERS; k++) {
            for (size_t i = 0; i < count; i++) {
                uint64_t value = (uint64_t)work.numbers[NUMBERS * i + (size_t)k];
                int last = work.before[i];
                if (last >= 0) value -= (uint64_t)work.numbers[NUMBERS * (size_t)last + (size_t)k];
                work.column[i] = (int64_t)value;
            }
            tn_record_put_column(out, work.column, count);
        }
    }
    tn_free(work.numbers);
    return fine;
}

static bool get_counts(TnRecordIn *in, TnRecordGroup *group)
{
    int64_t counts[TN_RECORD_MAX_FRAMES], total = 0;
    if (!tn_record_get_column(in, counts, (size_t)group->frame_count)) return false;
    for (int f = 0; f < group->frame_count; f++) {
        /* each contact takes twelve bytes at least: memory is only taken for what can be there */
        if (counts[f] < 0 || counts[f] > (int64_t)(in->size - in->at)) return false;
        group->heads[f].contact_start = (int)total;
        group->heads[f].contact_count = (int)counts[f];
        total += counts[f];
        if (total > (int64_t)((in->size - in->at) / (NUMBERS + 2))) return false;
    }
    group->contact_count = (int)total;
    return true;
}

/* Geoms of the scene only, so that anyone may look them up. */
static bool get_pairs(TnRecordIn *in, TnRecordGroup *group, int64_t *column)
{
    for (int side = 0; side < 2; side++) {
        if (!tn_record_get_column(in, column, (size_t)group->contact_count)) return false;
        uint64_t geom = 0;
        for (int i = 0; i < group->contact_count; i++) {
            geom += (uint64_t)column[i];
            if (geom < 1 || geom > (uint64_t)group->scene->shape_count) return false;
            *(side ? &group->contacts[i].geom2 : &group->contacts[i].geom1) = (TnGeomId)geom;
        }
    }
    return true;
}

static void make_contacts(TnRecordGroup *group, const int64_t *numbers, bool exact)
{
    for (int f = 0; f < group->frame_count; f++) {
        const TnRecordHead *head = &group->heads[f];
        const double *poses = group->poses + 7 * (size_t)f * (size_t)group->scene->body_count;
        for (int i = head->contact_start; i < head->contact_start + head->contact_count; i++) {
            TnContact *contact = &group->contacts[i];
            const int64_t *n = numbers + NUMBERS * (size_t)i;
            if (exact)
                from_bits(n, contact);
            else
                from_grid_numbers(group, poses, n, contact);
        }
    }
}

TnStatus tn_record_get_contacts(TnRecordIn *in, TnRecordGroup *group)
{
    bool exact = tn_record_get_u32(in) != 0;
    if (in->failed || !get_counts(in, group)) return TN_ERROR_IO;
    size_t count = (size_t)group->contact_count;
    Work work;
    if (!tn_record_group_reserve_contacts(group, group->contact_count) ||
        !work_create(&work, count))
        return TN_ERROR_MEMORY;
    TnStatus status = get_pairs(in, group, work.column) ? TN_OK : TN_ERROR_IO;
    if (status == TN_OK && !match_all(group, work.before)) status = TN_ERROR_MEMORY;
    for (int k = 0; k < NUMBERS && status == TN_OK; k++) {
        if (!tn_record_get_column(in, work.column, count)) status = TN_ERROR_IO;
        for (size_t i = 0; i < count && status == TN_OK; i++) {
            uint64_t value = (uint64_t)work.column[i];
            int last = work.before[i];
            if (last >= 0) value += (uint64_t)work.numbers[NUMBERS * (size_t)last + (size_t)k];
            work.numbers[NUMBERS * i + (size_t)k] = (int64_t)value;
        }
    }
    if (status == TN_OK) make_contacts(group, work.numbers, exact);
    tn_free(work.numbers);
    return status;
}

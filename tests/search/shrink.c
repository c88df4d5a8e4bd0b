/* shrink.c: takes out parts, halves counts, sets numbers to nothing or to fewer digits, and plainer
 * shapes and joints, each as long as the finding stays; round and round until nothing changes. */
#include "shrink.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define TRIALS 600
#define SECONDS 40.0

typedef struct Shrinker {
    Sketch *best;
    Verdict *verdict;
    Finding finding;
    int trials;
    double started;
} Shrinker;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool out_of_time(const Shrinker *s)
{
    return s->trials >= TRIALS || seconds() - s->started > SECONDS;
}

/* Takes the candidate where it still has the finding. */
static bool take(Shrinker *s, Sketch *candidate)
{
    Verdict verdict;
    sketch_calm(candidate);
    sketch_rest(candidate);
    if (out_of_time(s) || !sketch_valid(candidate)) return false;
    s->trials++;
    judge(candidate, &verdict);
    if (!verdict_has(&verdict, s->finding)) return false;
    *s->best = *candidate;
    *s->verdict = verdict;
    return true;
}

static bool fewer_parts(Shrinker *s)
{
    bool any = false;
    for (int i = s->best->part_count - 1; i >= 0; i--) {
        Sketch candidate = *s->best;
        if (i >= candidate.part_count) continue;
        sketch_remove(&candidate, i);
        any |= take(s, &candidate);
    }
    return any;
}

static bool try_int(Shrinker *s, int part, size_t offset, int value)
{
    Sketch candidate = *s->best;
    int *field = (int *)(void *)((char *)&candidate.parts[part] + offset);
    if (*field == value) return false;
    *field = value;
    return take(s, &candidate);
}

static bool fewer_pieces(Shrinker *s, int i)
{
    const Part *p = &s->best->parts[i];
    int least = p->kind == PART_CABLE ? 2 : 1;
    bool any = false;
    while (p->count > least && (p->kind == PART_CABLE || p->kind == PART_SOFT)) {
        int half = p->count / 2 < least ? least : p->count / 2;
        if (!try_int(s, i, offsetof(Part, count), half) &&
            !try_int(s, i, offsetof(Part, count), p->count - 1))
            break;
        any = true;
    }
    return any;
}

static bool plainer(Shrinker *s, int i)
{
    const Part *p = &s->best->parts[i];
    bool any = try_int(s, i, offsetof(Part, servo), SERVO_NONE);
    any |= try_int(s, i, offsetof(Part, condim), 3);
    if (p->kind == PART_BODY) {
        any |= try_int(s, i, offsetof(Part, form), FORM_SPHERE);
        if (p->joint != JOINT_FREE) any |= try_int(s, i, offsetof(Part, joint), JOINT_HINGE);
    }
    if (p->kind == PART_SOFT) any |= try_int(s, i, offsetof(Part, joint), 0);
    if (p->kind == PART_CABLE || p->kind == PART_SOFT) {
        any |= try_int(s, i, offsetof(Part, b), NOBODY);
        any |= try_int(s, i, offsetof(Part, a), NOBODY);
    }
    return any;
}

static double with_digits(double x, int digits)
{
    if (x == 0.0) return 0.0;
    double unit = pow(10.0, floor(log10(fabs(x))) - digits + 1.0);
    return round(x / unit) * unit;
}

static bool try_number(Shrinker *s, int part, int number, double value)
{
    Sketch candidate = *s->best;
    if (fabs(candidate.parts[part].n[number] - value) <= 1e-12 * fabs(value)) return false;
    candidate.parts[part].n[number] = value;
    return take(s, &candidate);
}

/* The plainest value of a number; NAN: fewer digits are all that can be tried. */
static double neutral(int number)
{
    if (number >= N_SIZE_X && number <= N_SIZE_Z) return 0.1;
    if (number == N_DENSITY) return 1000.0;
    if (number == N_YOUNG) return NAN;
    if (number >= N_AXIS_X && number <= N_AXIS_Z) return NAN;
    return 0.0;
}

static bool simpler_numbers(Shrinker *s, int i)
{
    bool any = false;
    for (int k = 0; k < NUMBER_COUNT; k++) {
        const double *x = &s->best->parts[i].n[k];
        if (*x == 0.0 || *x == neutral(k)) continue;
        if (isfinite(neutral(k)) && try_number(s, i, k, neutral(k))) {
            any = true;
            continue;
        }
        any |= try_number(s, i, k, with_digits(*x, 1)) || try_number(s, i, k, with_digits(*x, 2));
    }
    return any;
}

static bool simpler_whole(Shrinker *s)
{
    Sketch candidate = *s->best;
    int step = s->verdict->step[s->finding];
    bool any = false;
    if (step > 0 && step < candidate.steps && s->finding != FINDING_UNCONVERGED) {
        candidate.steps = step;
        any = take(s, &candidate);
    }
    candidate = *s->best;
    candidate.gravity = 0.0;
    if (s->best->gravity != 0.0) any |= take(s, &candidate);
    return any;
}

int shrink(Sketch *sketch, Finding finding, Verdict *verdict)
{
    Shrinker s = {sketch, verdict, finding, 0, seconds()};
    for (bool any = true; any && !out_of_time(&s);) {
        any = fewer_parts(&s);
        any |= simpler_whole(&s);
        for (int i = 0; i < sketch->part_count; i++) any |= fewer_pieces(&s, i);
        for (int i = 0; i < sketch->part_count; i++) any |= plainer(&s, i);
        for (int i = 0; i < sketch->part_count; i++) any |= simpler_numbers(&s, i);
    }
    return s.trials;
}

/* main.c: `search [--seed A] [--count N] [--kind K] [--lossless] [--timestep T] [--write FOLDER
 * [--all]]
 * [--strict S] [--allow P] [--no-shrink] [--verbose]`
 *
 * Runs models of seeds A … A + N - 1 (of one theme, or of all in turn), prints a line per finding
 * and what is left of the model once it is made smaller. --lossless: models of the same kinds that
 * must keep their energy. --timestep: the same models with another step, for as long. --strict:
 * limits are S times what they are. --all: models without a finding are written, too. Steps that do
 * not converge are counted only. Exit code 1: more than P per cent of the models have a finding
 * (default 0), or one that is never allowed: a crash, a lost linear momentum, a state that is not
 * finite. Which seeds have one depends on roundings, and so on the machine; how many does not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shrink.h"

typedef struct Options {
    uint64_t seed;
    int count, theme; /* theme -1: all in turn */
    const char *folder;
    bool shrink, verbose, lossless, all;
    double strict, allow, timestep; /* s; 0: each model's own */
} Options;

typedef struct Tally {
    int models, overlaps, hit, findings[FINDING_COUNT], failed;
    bool never; /* had one that is never allowed */
    long steps;
} Tally;

static int theme_of(const char *name)
{
    for (int k = 0; k < THEME_COUNT; k++)
        if (strcmp(name, theme_names[k]) == 0) return k;
    return -2;
}

static int usage(void)
{
    printf("search [--seed A] [--count N] [--kind K] [--lossless] [--timestep T] [--write FOLDER "
           "[--all]] "
           "[--strict S] [--allow P] [--no-shrink] [--verbose]\nkinds:");
    for (int k = 0; k < THEME_COUNT; k++) printf(" %s", theme_names[k]);
    printf("\n");
    return 2;
}

static bool read_options(int argc, char **argv, Options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--verbose") == 0) {
            o->verbose = true;
        } else if (strcmp(argv[i], "--no-shrink") == 0) {
            o->shrink = false;
        } else if (strcmp(argv[i], "--lossless") == 0) {
            o->lossless = true;
        } else if (strcmp(argv[i], "--all") == 0) {
            o->all = true;
        } else if (!value) {
            return false;
        } else {
            if (strcmp(argv[i], "--seed") == 0)
                o->seed = strtoull(value, NULL, 10);
            else if (strcmp(argv[i], "--count") == 0)
                o->count = atoi(value);
            else if (strcmp(argv[i], "--kind") == 0)
                o->theme = theme_of(value);
            else if (strcmp(argv[i], "--timestep") == 0)
                o->timestep = atof(value);
            else if (strcmp(argv[i], "--write") == 0)
                o->folder = value;
            else if (strcmp(argv[i], "--strict") == 0)
                o->strict = atof(value);
            else if (strcmp(argv[i], "--allow") == 0)
                o->allow = atof(value);
            else
                return false;
            i++;
        }
    }
    return o->theme >= -1;
}

static void write_model(const Options *o, const Sketch *sketch, const char *theme,
                        const char *finding)
{
    TnError err = {0};
    char *text = sketch_text(sketch, NULL, &err), path[1024];
    if (!o->folder) {
        printf("%s", text);
    } else {
        snprintf(path, sizeof path, "%s/%s_%s_%llu.xml", o->folder, finding, theme,
                 (unsigned long long)sketch->seed);
        mkdir(o->folder, 0777); /* where it is there, nothing happens */
        FILE *file = fopen(path, "w");
        if (!file || fputs(text, file) < 0) printf("cannot write %s: %s\n", path, strerror(errno));
        if (file) fclose(file);
        printf("  %s\n", path);
    }
    free(text);
}

static void print_finding(const Sketch *sketch, const char *theme, const Verdict *v, Finding f,
                          const char *what)
{
    printf("%s seed %llu kind %s: %s %.3g at step %d, %g s, %d parts %s\n", what,
           (unsigned long long)sketch->seed, theme, finding_names[f], v->amount[f], v->step[f],
           sketch->timestep, sketch->part_count, v->note);
}

static void report(const Options *o, const Sketch *sketch, const char *theme, const Verdict *v,
                   Finding f)
{
    Sketch small = *sketch;
    Verdict verdict = *v;
    print_finding(sketch, theme, v, f, "finding");
    if (!verdict_has(v, f) || !(o->shrink || o->folder)) return;
    if (o->shrink) {
        int trials = shrink(&small, f, &verdict);
        print_finding(&small, theme, &verdict, f, "  smallest");
        printf("  after %d trials, %d steps\n", trials, small.steps);
    }
    write_model(o, &small, theme, finding_names[f]);
}

static void run_one(const Options *o, uint64_t seed, Theme theme, Tally *tally)
{
    Sketch sketch;
    Verdict v;
    bool failed = false;
    const char *name = theme_names[theme];
    if (o->lossless)
        sketch_generate_lossless(&sketch, seed, theme);
    else
        sketch_generate(&sketch, seed, theme);
    if (o->timestep > 0.0) {
        sketch.steps = (int)(sketch.steps * sketch.timestep / o->timestep + 0.5);
        sketch.timestep = o->timestep;
    }
    if (!sketch_valid(&sketch)) return;
    if (o->all && o->folder) write_model(o, &sketch, name, "model");
    judge(&sketch, &v);
    tally->models++;
    tally->steps += v.steps;
    tally->overlaps += v.overlaps;
    tally->hit += v.hit;
    for (int f = 0; f < FINDING_COUNT; f++) {
        if (v.overlaps || !(v.amount[f] > o->strict * finding_limits[f])) continue;
        tally->findings[f]++;
        bool counted = f == FINDING_STEP || f == FINDING_UNCONVERGED;
        if (counted && !o->verbose) continue;
        report(o, &sketch, name, &v, (Finding)f);
        failed |= !counted;
        tally->never |= f == FINDING_CRASHED || f == FINDING_LINEAR || f == FINDING_DIVERGED;
    }
    tally->failed += failed;
    if (o->verbose)
        printf("seed %llu kind %s: %d parts, %d steps of %g s, lost %.2g, step %.2g%s\n",
               (unsigned long long)seed, name, sketch.part_count, v.steps, sketch.timestep,
               v.amount[FINDING_LOST], v.amount[FINDING_STEP],
               v.overlaps ? ", overlaps"
               : v.hit    ? ", hits"
                          : "");
    fflush(stdout);
}

static int print_tally(const Options *o, const Tally *t)
{
    printf("%d models, %ld steps, %d left out for overlaps, %d for hits;", t->models, t->steps,
           t->overlaps, t->hit);
    for (int f = 0; f < FINDING_COUNT; f++) printf(" %s %d", finding_names[f], t->findings[f]);
    double share = 100.0 * t->failed / (t->models ? t->models : 1);
    bool fine = share <= o->allow && !t->never;
    printf("\n%.1f %% of the models have a finding, %g %% are allowed\n", share, o->allow);
    printf("%d passed, %d failed\n", fine, !fine);
    return fine ? 0 : 1;
}

int main(int argc, char **argv)
{
    Options o = {.seed = 1, .count = 100, .theme = -1, .shrink = true, .strict = 1.0};
    Tally tally = {0};
    if (!read_options(argc, argv, &o)) return usage();
    for (int k = 0; k < o.count; k++) {
        uint64_t seed = o.seed + (uint64_t)k;
        run_one(&o, seed, o.theme < 0 ? (Theme)(seed % THEME_COUNT) : (Theme)o.theme, &tally);
    }
    return print_tally(&o, &tally);
}

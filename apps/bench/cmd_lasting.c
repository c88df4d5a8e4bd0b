/* tenon-bench lasting: how much of their motion conservative scenes keep whose contacts last, at
 * several steps. The scenes are those of the family `lasting` of `tenon verify`. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../verify/lasting.h"
#include "commands.h"

#include <math.h>
#include <string.h>

enum { MOST_NAMES = 32, STEPS = 5 };
static const double steps[STEPS] = {0.001, 0.002, 0.005, 0.01, 0.02};

typedef struct LastingOptions {
    const char *names[MOST_NAMES];
    int name_count;
    bool twins, json;
} LastingOptions;

static int option_table(Option *table, LastingOptions *o)
{
    int n = 0;
    table[n++] = option_set("--twins", &o->twins,
                            "the references' scenes, with joints in place of contacts, too");
    table[n++] = option_set("--json", &o->json, "print one JSON object");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench lasting [NAME...] [OPTIONS]\n\n"
        "Runs conservative scenes with lasting contacts at 1, 2, 5, 10 and 20 ms, with the\n"
        "defaults. Columns: the share of the motion that is left at the end, in percent (100 is\n"
        "right), how far it lags behind the reference, in degrees; the largest distance from\n"
        "the reference at 1 ms, in amplitudes; steps without a contact force and steps that\n"
        "did not converge, of all runs; time per step at 10 ms, and what steps\n"
        "lost and created then, in thousandths of the energy per second.\n\nScenes:\n");
    for (int i = 0; i < lasting_scene_count; i++)
        printf("  %-9s %s\n", lasting_scenes[i]->name, lasting_scenes[i]->shows);
    printf("  coin      A coin rolls on a circle\n"
           "  disk      Euler's disk: share of its energy after 1 s\n"
           "  tippe     A tippe top that must not turn over: its angle after 3 s, degrees\n\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon-bench lasting\n"
           "  tenon-bench lasting block rocker\n");
}

static bool asked_for(const LastingOptions *o, const char *name)
{
    for (int i = 0; i < o->name_count; i++)
        if (!strcmp(o->names[i], name)) return true;
    return o->name_count == 0;
}

/* One line of the table. */
typedef struct Line {
    double kept[STEPS], phase[STEPS]; /* shares, rad */
    double apart, us;
    double lost, made; /* of the energy, per s; called lost in steps, and created */
    int open_steps, not_converged;
    bool has_phase;
} Line;

static void print_cell(double value, int width, int decimals)
{
    if (isnan(value))
        printf("%*s", width, "-");
    else
        printf("%*.*f", width, decimals, value);
}

static void print_line(const char *name, const Line *line, const Finding *f)
{
    printf("%-13s", name);
    for (int k = 0; k < STEPS; k++) print_cell(100 * line->kept[k], 8, 2);
    printf("  |");
    for (int k = 0; k < STEPS; k++)
        print_cell(line->has_phase ? line->phase[k] * 180 / VERIFY_PI : NAN, 8, 2);
    printf("  |");
    print_cell(line->apart, 9, 5);
    print_cell(line->open_steps < 0 ? NAN : (double)line->open_steps, 6, 0);
    printf("%8d", line->not_converged);
    print_cell(line->us, 8, 1);
    print_cell(1e3 * line->lost, 9, 4);
    print_cell(1e3 * line->made, 9, 4);
    printf("%s%s\n", f->trouble[0] ? "  " : "", f->trouble);
    fflush(stdout);
}

static void json_line(Json *json, const char *name, const Line *line)
{
    double phase[STEPS];
    for (int k = 0; k < STEPS; k++) phase[k] = line->has_phase ? line->phase[k] : NAN;
    json_begin_object(json, NULL);
    json_string(json, "scene", name);
    json_numbers(json, "kept", line->kept, STEPS);
    json_numbers(json, "lag_rad", phase, STEPS);
    json_number(json, "apart", line->apart);
    json_integer(json, "open_steps", line->open_steps);
    json_integer(json, "not_converged", line->not_converged);
    json_number(json, "us_per_step", line->us);
    json_number(json, "lost_per_s", line->lost);
    json_number(json, "created_per_s", line->made);
    json_end(json);
}

static void show(Json *json, const char *name, const Line *line, const Finding *f)
{
    if (json)
        json_line(json, name, line);
    else
        print_line(name, line, f);
}

static void run_scene(Json *json, const LastingScene *scene, const LastingSeries *reference,
                      bool twin)
{
    char name[40];
    Finding f = {0};
    Line line = {.has_phase = true};
    for (int k = 0; k < STEPS; k++) {
        LastingResult r = lasting_run(&f, scene, steps[k], reference, twin);
        line.kept[k] = r.kept;
        line.phase[k] = r.phase;
        if (k == 0) line.apart = r.apart;
        if (k == 3) line.us = r.seconds / r.steps * 1e6, line.lost = r.lost, line.made = r.made;
        line.open_steps += r.open_steps;
        line.not_converged += r.not_converged;
    }
    if (twin || scene->tied) line.open_steps = -1; /* it has no contacts */
    snprintf(name, sizeof name, "%s%s", scene->name, twin ? " twin" : "");
    show(json, name, &line, &f);
    finding_free(&f);
}

static void run_roll(Json *json, const char *name)
{
    Finding f;
    Line line = {.apart = NAN, .us = NAN, .lost = NAN, .made = NAN};
    for (int k = 0; k < STEPS; k++) {
        double apart, most;
        f = (Finding){0};
        if (!strcmp(name, "coin")) {
            line.kept[k] = lasting_coin(&f, steps[k], 10, &line.phase[k], &apart);
            if (k == 0) line.apart = apart;
            line.has_phase = true;
        } else if (!strcmp(name, "disk"))
            line.kept[k] = lasting_disk(&f, steps[k], 1);
        else
            line.kept[k] = lasting_tippe(&f, steps[k], 3, &most) * 1.8 / VERIFY_PI;
        line.not_converged += f.not_converged;
        finding_free(&f);
    }
    show(json, name, &line, &f);
}

static bool names_are_known(const LastingOptions *o)
{
    static const char *const rolls[] = {"coin", "disk", "tippe"};
    for (int i = 0; i < o->name_count; i++) {
        bool known = false;
        for (int k = 0; k < lasting_scene_count; k++)
            known |= !strcmp(o->names[i], lasting_scenes[k]->name);
        for (int k = 0; k < 3; k++) known |= !strcmp(o->names[i], rolls[k]);
        if (known) continue;
        say("lasting", "no scene '%s'; 'tenon-bench lasting --help' lists them", o->names[i]);
        return false;
    }
    return true;
}

static void run_all(const LastingOptions *o, Json *json)
{
    static const char *const rolls[] = {"coin", "disk", "tippe"};
    if (!json)
        printf("%-13s%40s  |%40s  |%9s%6s%8s%9s%9s%9s\n%-13s%8s%8s%8s%8s%8s  |%8s%8s%8s%8s%8s  |\n",
               "", "kept, % at 1, 2, 5, 10, 20 ms", "lag, degrees", "apart", "open", "missed", "µs",
               "lost", "made", "", "1", "2", "5", "10", "20", "1", "2", "5", "10", "20");
    for (int i = 0; i < lasting_scene_count; i++) {
        const LastingScene *scene = lasting_scenes[i];
        Finding f = {0};
        if (!asked_for(o, scene->name)) continue;
        LastingSeries reference = lasting_reference(&f, scene);
        run_scene(json, scene, &reference, false);
        if (o->twins && scene->twin) run_scene(json, scene, &reference, true);
        lasting_free(&reference);
        finding_free(&f);
    }
    for (int k = 0; k < 3; k++)
        if (asked_for(o, rolls[k])) run_roll(json, rolls[k]);
}

int cmd_lasting(int argc, char **argv)
{
    LastingOptions o = {0};
    Option table[4];
    int code = EXIT_USAGE, count = option_table(table, &o);
    if (!options_parse_many("lasting", table, count, print_help, NULL, o.names, MOST_NAMES,
                            &o.name_count, argc, argv, &code))
        return code;
    if (!names_are_known(&o)) return EXIT_USAGE;
    Json json = json_to(stdout);
    if (o.json) {
        json_begin_object(&json, NULL);
        json_numbers(&json, "steps_s", steps, STEPS);
        json_begin_array(&json, "scenes");
    }
    run_all(&o, o.json ? &json : NULL);
    if (o.json) {
        json_end(&json);
        json_end(&json);
    }
    return EXIT_FINE;
}

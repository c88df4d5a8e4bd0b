/* probe.c: `probe MODEL...` runs models with one threshold changed (tools/thresholds.py).
 *
 * MODEL is `PATH:STEPS` or the seed of a random model (tests/search), and `=HASH` behind it is the
 * hash that it has otherwise: only where that differs is a random model judged, too. The threshold
 * and its value are in TN_TUNE=INDEX:VALUE. A line per model: hash, iterations, steps that did not
 * converge, steps solved, findings, deepest contact in mm; with TN_TUNE_USED=1 also the indices of
 * the thresholds that were read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "search/judge.h"

typedef struct Answer {
    uint64_t hash;
    long iterations;
    int missed, tries, findings;
    double deepest; /* m */
} Answer;

static bool run(const TnModel *model, int steps, Answer *a)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.key = tn_model_find_key(model, "start");
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) return false;
    for (int k = 0; k < steps; k++) {
        TnStepReport r = tn_world_step(world);
        a->iterations += r.iterations;
        a->missed += !r.converged;
        a->tries += r.tries;
        if (r.max_penetration > a->deepest) a->deepest = r.max_penetration;
        if (r.diverged) break;
    }
    a->hash = tn_world_hash(world);
    tn_world_destroy(world);
    return true;
}

static int findings_of(const Sketch *sketch)
{
    Verdict v;
    int count = 0;
    judge(sketch, &v);
    for (int f = 0; f < FINDING_COUNT; f++)
        count += f != FINDING_STEP && f != FINDING_UNCONVERGED && verdict_has(&v, (Finding)f);
    return count;
}

/* False: there is no such model. */
static bool ask(char *text, Answer *a)
{
    TnError err = {0};
    TnModel *model = NULL;
    Sketch sketch;
    int steps = 0;
    bool judged = true, drawn = !strchr(text, ':');
    char *expected = strchr(text, '=');
    if (expected) *expected++ = '\0';
    if (drawn) {
        uint64_t seed = strtoull(text, NULL, 10);
        sketch_generate(&sketch, seed, (Theme)(seed % THEME_COUNT));
        if (!sketch_valid(&sketch)) return false;
        free(sketch_text(&sketch, &model, &err));
        steps = sketch.steps;
    } else {
        char path[1024];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(text, ":"), text);
        steps = atoi(strchr(text, ':') + 1);
        model = tn_model_load(path, &err);
    }
    if (!model || !run(model, steps, a)) {
        tn_model_destroy(model);
        return false;
    }
    if (expected) judged = strtoull(expected, NULL, 16) != a->hash;
    if (drawn && judged) a->findings = findings_of(&sketch);
    tn_model_destroy(model);
    return true;
}

int main(int argc, char **argv)
{
    bool tell = getenv("TN_TUNE_USED") != NULL;
    for (int i = 1; i < argc; i++) {
        Answer a = {0};
        memset(tn_tuned_read, 0, sizeof tn_tuned_read);
        if (!ask(argv[i], &a)) {
            printf("- 0 0 0 0 0\n");
            continue;
        }
        printf("%016" PRIx64 " %ld %d %d %d %.4f", a.hash, a.iterations, a.missed, a.tries,
               a.findings, 1e3 * a.deepest);
        for (size_t k = 0; tell && k < sizeof tn_tuned_read; k++)
            if (tn_tuned_read[k]) printf(" %zu", k);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

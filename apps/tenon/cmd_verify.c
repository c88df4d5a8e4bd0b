/* tenon verify: simulations beside what is known of them from elsewhere. */
#include "../common/app.h"
#include "../common/options.h"
#include "../verify/run.h"
#include "commands.h"
#include "platform/threads.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

typedef struct Verify {
    const char *names[MOST_NAMES]; /* rows and families; none: all */
    int name_count;
    const char *out;
    bool list, json, quick;
    int threads;
} Verify;

static int option_table(Option *table, Verify *c)
{
    int n = 0;
    table[n++] = option_set("--list", &c->list, "list the rows and what they show; run nothing");
    table[n++] = option_set("--quick", &c->quick, "only rows that take less than half a second");
    table[n++] = option_text("--out", &c->out, "FOLDER",
                             "write FOLDER/verification.md, and its plots below "
                             "FOLDER/verification");
    table[n++] = option_set("--json", &c->json, "print one JSON object");
    table[n++] = option_int("--threads", &c->threads, "N", 1, 64,
                            "rows that run at the same time, 1 ... 64; default: one per processor, "
                            "at most 8");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon verify [NAME...] [OPTIONS]\n\n"
           "Simulates scenes whose results are known from elsewhere (closed forms, published\n"
           "tables, integrations of their own) and compares. A NAME is a row or a family of\n"
           "rows. Exit code 1 if a row does not hold. docs/verification.md is its page.\n\n"
           "Families:\n");
    for (int i = 0; i < verify_family_count; i++)
        printf("  %-12s %2d rows: %s\n", verify_families[i]->name, verify_families[i]->count,
               verify_families[i]->title);
    printf("\n");
    options_help(table, count);
    printf("\nColumns: row, value, reference, error, tolerance, verdict. 'weak' is a row that\n"
           "holds and shows what tenon is not good at.\n"
           "\nExamples:\n"
           "  tenon verify --list\n"
           "  tenon verify contact cable.capstan\n"
           "  tenon verify --out docs\n");
}

static bool is_asked_for(const Verify *c, const VerifyFamily *family, const VerifyRow *row)
{
    if (c->quick && !row->quick) return false;
    for (int i = 0; i < c->name_count; i++)
        if (!strcmp(c->names[i], row->name) || !strcmp(c->names[i], family->name)) return true;
    return c->name_count == 0;
}

static bool is_known(const char *name)
{
    const char *candidates[1024];
    int count = 0;
    for (int i = 0; i < verify_family_count; i++) {
        const VerifyFamily *family = verify_families[i];
        candidates[count++] = family->name;
        for (int k = 0; k < family->count && count < 1023; k++)
            candidates[count++] = family->rows[k].name;
    }
    for (int i = 0; i < count; i++)
        if (!strcmp(name, candidates[i])) return true;
    const char *near = nearest_name(name, candidates, count);
    say("verify", "no row or family '%s'%s%s%s; 'tenon verify --list' lists them", name,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static bool choose(const Verify *c, VerifyRun *run)
{
    int count = 0;
    for (int i = 0; i < c->name_count; i++)
        if (!is_known(c->names[i])) return false;
    for (int i = 0; i < verify_family_count; i++) count += verify_families[i]->count;
    run->rows = malloc(sizeof *run->rows * (size_t)count);
    for (int i = 0; i < verify_family_count && run->rows; i++)
        for (int k = 0; k < verify_families[i]->count; k++) {
            const VerifyRow *row = &verify_families[i]->rows[k];
            if (is_asked_for(c, verify_families[i], row)) run->rows[run->count++] = row;
        }
    if (run->rows && !run->count) say("verify", "none of these rows is quick");
    return run->count > 0;
}

static void list(const VerifyRun *run)
{
    for (int i = 0; i < run->count; i++)
        printf("%-28s %s\n", run->rows[i]->name, run->rows[i]->shows);
}

static void tell(const VerifyRow *row, const Finding *finding)
{
    verify_print_row(stdout, row, finding);
    printf("\n");
    fflush(stdout);
}

static int run_rows(const Verify *c, VerifyRun *run)
{
    int failed = 0, weak = 0;
    if (!verify_run(run, c->threads, c->json ? NULL : tell)) {
        say("verify", "no memory");
        return EXIT_IO;
    }
    for (int i = 0; i < run->count; i++) {
        bool holds = finding_holds(run->rows[i], &run->findings[i]);
        failed += !holds;
        weak += holds && run->rows[i]->weak;
    }
    if (c->json)
        verify_print_json(stdout, run);
    else
        printf("%d rows: %d hold, %d of them weak; %d failed; %.0f s\n", run->count,
               run->count - failed, weak, failed, run->seconds);
    int code = c->out ? verify_write_page("verify", c->out, run) : EXIT_FINE;
    return code != EXIT_FINE ? code : failed ? EXIT_DIVERGED : EXIT_FINE;
}

static int processors(void)
{
    int count = tn_thread_processors();
    return count < 1 ? 1 : count > 8 ? 8 : count;
}

int cmd_verify(int argc, char **argv)
{
    Verify c = {.threads = processors()};
    VerifyRun run = {0};
    Option table[8];
    int code = EXIT_USAGE, count = option_table(table, &c);
    if (!options_parse_many("verify", table, count, print_help, NULL, c.names, MOST_NAMES,
                            &c.name_count, argc, argv, &code))
        return code;
    code = EXIT_USAGE;
    if (choose(&c, &run)) {
        code = EXIT_FINE;
        if (c.list)
            list(&run);
        else
            code = run_rows(&c, &run);
    }
    verify_free(&run);
    return code;
}

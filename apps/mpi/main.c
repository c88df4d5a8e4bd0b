/* tenon-mpi: `tenon run` by several processes. Each of them runs the command; the first one writes.
 */
#include "../common/app.h"
#include "../common/program.h"
#include "../common/team.h"
#include "../tenon/commands.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/mpi.h>

static const TnRanks *ranks;

static double mean(int64_t sum, int64_t count) { return count ? (double)sum / (double)count : 0.0; }

/* A line per rank on stderr, in order. */
static void print_traffic(void)
{
    const TnTraffic *t = ranks->traffic;
    size_t n = (size_t)ranks->count, *start = malloc(sizeof *start * (n + 1));
    TnTraffic *all = calloc(n, sizeof *all);
    if (!start || !all) abort();
    for (size_t r = 0; r <= n; r++) start[r] = r * sizeof *all;
    all[ranks->rank] = *t;
    ranks->share(ranks->context, all, start);
    for (size_t r = 0; ranks->rank == 0 && r < n; r++) {
        const TnTraffic *a = &all[r];
        double boundary = mean(a->boundary, a->exchanges), bytes = mean(a->sent, a->exchanges);
        fprintf(stderr,
                "tenon-mpi: rank %zu: %lld exchanges; of %.0f bodies %.0f at the boundary, with "
                "%.1f ranks; %.0f bytes per exchange, %.1f per boundary body; told to all: %lld "
                "times, %.1f MB; waited %.2f s\n",
                r, (long long)a->exchanges, mean(a->own, a->exchanges), boundary,
                mean(a->neighbours, a->exchanges), bytes, boundary > 0.0 ? bytes / boundary : 0.0,
                (long long)a->shares, (double)a->shared / 1e6, a->waited);
        if (a->steps)
            fprintf(stderr,
                    "tenon-mpi: rank %zu: %lld steps in parts: %.0f bodies with those near, %.0f "
                    "contacts, %.0f bytes of states per step; divided %lld times\n",
                    r, (long long)a->steps, mean(a->bodies, a->steps), mean(a->contacts, a->steps),
                    mean(a->state_bytes, a->steps), (long long)a->divisions);
    }
    free(start);
    free(all);
}

static bool traffic_wanted;

/* Options of this program, taken out of the arguments. False and a message: one is wrong. */
static bool take_options(int *argc, char **argv)
{
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        if (!strcmp(argv[i], "--traffic")) {
            traffic_wanted = true;
        } else if (!strcmp(argv[i], "--least-work") && i + 1 < *argc) {
            char *end;
            double work = strtod(argv[++i], &end);
            if (*end || !(work >= 0.0)) {
                say("run", "--least-work: '%s' is not a number of contacts >= 0", argv[i]);
                return false;
            }
            tn_mpi_set_least_work(work);
        } else {
            argv[kept++] = argv[i];
        }
    }
    *argc = kept;
    return true;
}

static int run(int argc, char **argv)
{
    if (!take_options(&argc, argv)) return EXIT_USAGE;
    int code = cmd_run(argc, argv);
    if (traffic_wanted && code == EXIT_FINE) print_traffic();
    return code;
}

static const Command commands[] = {
    {"run", run, "simulate a model on all processes; takes the options of 'tenon run'"},
};

const Program program = {
    .name = "tenon-mpi",
    .what_it_is = "simulates one model on several processes, on one or many machines.\n"
                  "\n"
                  "The result has the same bits as that of 'tenon run', for any number of them.\n",
    .more = "\n"
            "Options besides those of 'tenon run':\n"
            "  --traffic         print what each process sent\n"
            "  --least-work N    share work of at least N contacts per process; default 500\n"
            "\n"
            "Examples:\n"
            "  mpirun -n 4 tenon-mpi run scenes/stir.xml --duration 5\n"
            "  mpirun -n 16 tenon-mpi run hopper.xml --tolerance 0 --iterations 60 --traffic\n"
            "\n"
            "Process 0 writes tables, files and messages. If a process fails, all end.\n",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};

int main(int argc, char **argv)
{
    ranks = tn_mpi_begin(&argc, &argv);
    team_set(ranks);
    if (!team_writes() &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return EXIT_IO;
    int code = program_main(argc, argv);
    tn_mpi_end(code);
    return code;
}

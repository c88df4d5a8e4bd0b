/* Options that `scene` and `scaling` share; see bench.h. */
#include "../common/app.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

int bench_option_table(Option *table, int count, BenchCommon *common, const char *repeats_help)
{
    table[count++] = option_int("--repeats", &common->repeats, "N", 1, 1000, repeats_help);
    table[count++] =
        option_text("--plot", &common->plot, "FILE.svg", "also draw the results as SVG");
    table[count++] = option_set("--json", &common->json, "print one JSON object");
    table[count++] = option_set("--quiet", &common->quiet, "print no progress line");
    return count;
}

bool bench_plot_is_file(const char *command, const BenchCommon *common)
{
    if (!common->plot || strcmp(common->plot, "-") != 0) return true;
    say(command, "--plot needs a file: the results are on stdout");
    return false;
}

bool number_list_default(NumberList *list, const double *values, int count)
{
    size_t size = (size_t)count * sizeof *values;
    if (list->given) return true;
    list->values = malloc(size);
    if (!list->values) return false;
    memcpy(list->values, values, size);
    list->count = count;
    return true;
}

/* plot.c: tables of comma-separated values, plotted in every form. The first byte chooses it. */
#include "../../apps/common/app.h"
#include "../../apps/common/program.h"
#include "../../apps/tenon/commands.h"
#include "fuzz.h"

const Program program = {.name = "fuzz"}; /* starts every message */

void fuzz_plot(const uint8_t *data, size_t size)
{
    static char *const forms[][6] = {{"--x", "1", "--y", "2"},
                                     {"--kind", "bars", "--x", "1", "--y", "2"},
                                     {"--kind", "scatter", "--fit", "line"},
                                     {"--log-x", "--log-y"},
                                     {"--kind", "bars", "--stacked"},
                                     {"--y", "2,3", "--kind", "steps"}};
    if (size < 1) return;
    FuzzFile table = fuzz_file(data + 1, size - 1), picture = fuzz_file("", 0);
    char *arguments[12] = {table.path, "-o", picture.path, "--quiet"};
    int count = 4;
    for (int k = 0; k < 6; k++) {
        char *word = forms[data[0] % (sizeof forms / sizeof forms[0])][k];
        if (word) arguments[count++] = word;
    }
    TnError err = {0};
    say_into(&err);
    cmd_plot(count, arguments);
    say_into(NULL);
    fuzz_file_close(&table);
    fuzz_file_close(&picture);
}

/* A figure as a file; see plot_file.h. */
#include "plot_file.h"

#include "app.h"
#include "platform/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void say_report(const char *command, const PlotReport *report)
{
    if (report->left_out)
        say(command, "%lld points left out: not finite, or not positive on a logarithmic axis",
            (long long)report->left_out);
    if (report->outside)
        say(command, "%lld points are outside the given range", (long long)report->outside);
    if (report->thinned)
        say(command, "%lld of %lld points were merged: they are less than a pixel apart",
            (long long)report->thinned, (long long)(report->drawn + report->outside));
}

static bool write_text(const char *path, const char *text, size_t size)
{
    errno = 0;
    if (strcmp(path, "-") == 0) return fwrite(text, 1, size, stdout) == size; /* main flushes */
    FILE *out = make_parent_folders(path) ? tn_stream_open(path, "w") : NULL;
    if (!out) return false;
    bool written = fwrite(text, 1, size, out) == size;
    return fclose(out) == 0 && written;
}

int save_plot(const char *command, const char *path, const PlotFigure *figure, bool quiet)
{
    char error[PLOT_ERROR_SIZE], *text = NULL;
    size_t size = 0;
    PlotReport report;
    /* first into memory: a failure leaves no file, nor half of one */
    FILE *memory = tn_stream_open_memory(&text, &size);
    bool drawn = memory && plot_write(memory, figure, &report, error);
    if (!memory || tn_stream_close_memory(memory, &text, &size) != 0) {
        say(command, "no memory for the plot");
        return EXIT_IO;
    }
    bool written = drawn && write_text(path, text, size);
    if (!drawn)
        say(command, "%s", error);
    else if (!written)
        say(command, "%s: cannot be written: %s", path, strerror(errno ? errno : EIO));
    else if (!quiet)
        say_report(command, &report);
    free(text);
    return written ? EXIT_FINE : EXIT_IO;
}

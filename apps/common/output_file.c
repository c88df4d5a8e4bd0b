/* Results as files; see output_file.h. */
#include "output_file.h"

#include "app.h"
#include "platform/files.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool is_stdout(const char *path) { return path && !strcmp(path, "-"); }

int write_output(const char *command, const char *path, WriteOutput write, const void *what)
{
    if (!path) return EXIT_FINE;
    if (is_stdout(path)) { /* main flushes, and looks for errors */
        write(stdout, what);
        return EXIT_FINE;
    }
    errno = 0;
    FILE *out = make_parent_folders(path) ? tn_stream_open(path, "w") : NULL;
    bool fine = out != NULL;
    if (out) {
        write(out, what);
        fine = !ferror(out);
        fine = fclose(out) == 0 && fine;
    }
    if (!fine) say(command, "%s: cannot be written: %s", path, strerror(errno ? errno : EIO));
    return fine ? EXIT_FINE : EXIT_IO;
}

void csv_field(FILE *out, double value)
{
    fputc(',', out);
    if (isfinite(value)) fprintf(out, "%.6g", value);
}

bool output_is_fine(const char *command, const char *option, const char *path, const char *model)
{
    if (!path || is_stdout(path) || !is_same_file(path, model)) return true;
    say(command, "%s: %s is the model itself", option, path);
    return false;
}

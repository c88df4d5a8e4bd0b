/* Progress line; see progress.h. */
#include "progress.h"

#include "app.h"
#include "platform/files.h"

Progress progress_start(double duration, bool quiet)
{
    double now = clock_seconds();
    return (Progress){!quiet && tn_stream_is_terminal(stderr), now, now, duration};
}

void progress_update(Progress *progress, double simulated)
{
    enum { BAR = 30 };
    const double redraw_interval =
        0.1; /* s: often enough for the eye, rare enough to cost nothing */
    if (!progress->shown) return;
    double now = clock_seconds();
    if (now - progress->last_drawn < redraw_interval) return;
    progress->last_drawn = now;

    double elapsed = now - progress->start;
    double share = simulated / progress->duration;
    if (share > 1) share = 1;
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++) bar[i] = i < (int)(share * BAR) ? '#' : '.';
    bar[BAR] = '\0';
    double remaining = share > 0 ? elapsed * (1 - share) / share : 0;
    fprintf(stderr, "\r[%s] %3.0f %%  %.2f of %g s  ETA %.0f s  %.2fx real time\033[K", bar,
            100 * share, simulated, progress->duration, remaining, simulated / elapsed);
    fflush(stderr);
}

void progress_end(Progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}

/* The commands with a window, in a program that was built without GLFW. */
#include "../common/app.h"
#include "commands.h"
#include "embed.h"

static int no_window(const char *command)
{
    say(command, "this tenon was built without windows: install GLFW (libglfw3-dev) and build "
                 "again; 'tenon render' works without");
    return EXIT_IO;
}

int cmd_view(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return no_window("view");
}

int cmd_replay(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return no_window("replay");
}

bool tenon_has_window(void) { return false; }

TnStatus tenon_view_world(TenonWindow *window, TnWorld *world, TnError *err)
{
    (void)window;
    (void)world;
    say_into(err);
    no_window("view");
    say_into(NULL);
    return heard(err, TN_ERROR_IO);
}

TenonWatcher *tenon_watch(const TenonWindow *window, TnWorld *world, TnError *err)
{
    (void)window;
    tenon_view_world(NULL, world, err);
    return NULL;
}

TnStatus tenon_watch_show(TenonWatcher *watcher, TnWorld *world, const TnStepReport *report,
                          TnError *err)
{
    (void)watcher;
    (void)report;
    return tenon_view_world(NULL, world, err);
}

bool tenon_watch_is_open(TenonWatcher *watcher)
{
    (void)watcher;
    return false;
}

void tenon_watch_close(TenonWatcher *watcher) { (void)watcher; }

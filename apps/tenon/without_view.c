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

/* The commands that draw, in a program that was built without OpenGL. */
#include "../common/app.h"
#include "commands.h"

int cmd_render(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    say("render",
        "this tenon was built without OpenGL: install libgl-dev and libegl-dev, then build again");
    return EXIT_IO;
}

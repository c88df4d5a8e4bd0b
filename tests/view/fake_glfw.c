/* fake_glfw.c: GLFW with a gamepad and drops of files that a test writes down: a library that
 * stands in front of the real one (TENON_GLFW).
 *
 * The file FAKE_PAD has six axes and the numbers of the buttons that are held; without it no
 * gamepad is there. The first line of the file FAKE_DROP is dropped on the window, and the file
 * removed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

static GLFWdropfun dropped;
static GLFWwindow *window;

GLFWdropfun glfwSetDropCallback(GLFWwindow *of, GLFWdropfun function)
{
    window = of;
    dropped = function;
    return NULL;
}

static void look_for_drop(void)
{
    char path[4096] = "";
    const char *name = getenv("FAKE_DROP"), *paths[] = {path};
    FILE *in = name ? fopen(name, "r") : NULL;
    if (!in) return;
    if (fgets(path, sizeof path, in)) path[strcspn(path, "\n")] = '\0';
    fclose(in);
    remove(name);
    if (dropped && path[0]) dropped(window, 1, paths);
}

void glfwPollEvents(void)
{
    void (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "glfwPollEvents");
    real();
    look_for_drop();
}

void glfwWaitEventsTimeout(double seconds)
{
    void (*real)(double);
    *(void **)&real = dlsym(RTLD_NEXT, "glfwWaitEventsTimeout");
    real(seconds);
    look_for_drop();
}

int glfwGetGamepadState(int id, GLFWgamepadstate *state)
{
    const char *name = getenv("FAKE_PAD");
    FILE *in = id == GLFW_JOYSTICK_2 && name ? fopen(name, "r") : NULL;
    int button;
    if (!in) return GLFW_FALSE;
    memset(state, 0, sizeof *state);
    for (int i = 0; i < 6; i++)
        if (fscanf(in, "%f", &state->axes[i]) != 1) state->axes[i] = 0;
    while (fscanf(in, "%d", &button) == 1)
        if (button >= 0 && button <= GLFW_GAMEPAD_BUTTON_LAST) state->buttons[button] = GLFW_PRESS;
    fclose(in);
    return GLFW_TRUE;
}

const char *glfwGetGamepadName(int id) { return id == GLFW_JOYSTICK_2 ? "a test's gamepad" : NULL; }

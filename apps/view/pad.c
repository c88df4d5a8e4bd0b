/* pad.c: a gamepad moves actuators.
 *
 * Two sticks and the pair of triggers are five axes, for five controls at a time; the bumpers go to
 * the next or the last five. A motor's control follows its axis. A servo's, which holds what it is
 * told, moves at a speed instead: over its range in two seconds. */
#include "window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double dead_zone = 0.15, seconds_over_range = 2;

/* The control of this number, from 0. */
static const SignalRow *control_row(const Viewer *viewer, int number)
{
    for (int i = 0; i < viewer->signals.row_count; i++)
        if (viewer->signals.rows[i].actuator >= 0 && number-- == 0) return &viewer->signals.rows[i];
    return NULL;
}

static void choose_group(Viewer *viewer, int first)
{
    Pad *pad = &viewer->pad;
    if (first >= 0 && control_row(viewer, first)) pad->first = first;
    for (int axis = 0; axis < PAD_AXES; axis++) pad->sent[axis] = NAN;
    const SignalRow *row = control_row(viewer, pad->first);
    if (row) viewer_say(viewer, "gamepad: %s ...", viewer->scene->signals[row->signal].name);
}

void pad_toggle(Viewer *viewer)
{
    Pad *pad = &viewer->pad;
    if (!pad->on && (viewer->def.follow || !control_row(viewer, 0))) {
        viewer_say(viewer, viewer->def.follow ? "a program runs this world; the window watches"
                                              : "there is no actuator to move");
        return;
    }
    *pad = (Pad){.on = !pad->on};
    choose_group(viewer, 0);
    viewer_say(viewer, pad->on ? "gamepad: on; F6 lists what it moves" : "gamepad: off");
    event_begin(viewer->def.events, "option");
    event_text(viewer->def.events, "name", "gamepad");
    event_bool(viewer->def.events, "value", pad->on);
    event_end(viewer->def.events);
}

static bool read_pad(Pad *pad, GLFWgamepadstate *state)
{
    pad->there = false;
    for (int id = GLFW_JOYSTICK_1; id <= GLFW_JOYSTICK_LAST && !pad->there; id++) {
        pad->there = glfw.GetGamepadState(id, state) == GLFW_TRUE;
        const char *name = pad->there ? glfw.GetGamepadName(id) : NULL;
        if (pad->there) snprintf(pad->name, sizeof pad->name, "%s", name ? name : "gamepad");
    }
    return pad->there;
}

static double without_dead_zone(double x)
{
    double size = (fabs(x) - dead_zone) / (1 - dead_zone);
    return size > 0 ? copysign(fmin(size, 1), x) : 0;
}

static void move_control(Viewer *viewer, int axis, double share, double seconds)
{
    Pad *pad = &viewer->pad;
    const SignalRow *row = control_row(viewer, pad->first + axis);
    if (!row || row->signal >= viewer->frame->signal_count) return;
    TnActuatorInfo actuator = tn_model_actuator_info(viewer->model, row->actuator + 1);
    double value, *sent = &pad->sent[axis];
    if (actuator.bias[1] != 0) { /* from where it is, or where it was sent a moment ago */
        double from = isnan(*sent) ? viewer->frame->signals[row->signal] : *sent;
        if (share == 0) {
            *sent = NAN;
            return;
        }
        value = from + share * (row->high - row->low) * seconds / seconds_over_range;
        value = fmin(fmax(value, row->low), row->high);
    } else { /* 0 in the middle, where the range has it */
        bool around = row->low < 0 && row->high > 0;
        double middle = around ? 0 : (row->low + row->high) / 2;
        value = middle + (share > 0 ? share * (row->high - middle) : share * (middle - row->low));
        if (isnan(*sent) && share == 0) return; /* what is not touched stays as it is */
        if (value == *sent) return;
    }
    if (!simulation_set(viewer->simulation, COMMAND_CTRL, row->actuator, value)) return;
    *sent = value;
    event_begin(viewer->def.events, "slider");
    event_text(viewer->def.events, "name", viewer->scene->signals[row->signal].name);
    event_number(viewer->def.events, "value", value);
    event_end(viewer->def.events);
}

void pad_update(Viewer *viewer, double seconds)
{
    Pad *pad = &viewer->pad;
    GLFWgamepadstate state;
    if (!pad->on || !viewer->simulation || !read_pad(pad, &state)) return;
    const float *axes = state.axes;
    const double shares[PAD_AXES] = {
        (double)axes[GLFW_GAMEPAD_AXIS_LEFT_X], -(double)axes[GLFW_GAMEPAD_AXIS_LEFT_Y],
        (double)axes[GLFW_GAMEPAD_AXIS_RIGHT_X], -(double)axes[GLFW_GAMEPAD_AXIS_RIGHT_Y],
        (double)(axes[GLFW_GAMEPAD_AXIS_RIGHT_TRIGGER] - axes[GLFW_GAMEPAD_AXIS_LEFT_TRIGGER]) / 2};
    bool pressed[GLFW_GAMEPAD_BUTTON_LAST + 1];
    for (int i = 0; i <= GLFW_GAMEPAD_BUTTON_LAST; i++) {
        pressed[i] = state.buttons[i] && !pad->was[i];
        pad->was[i] = state.buttons[i];
    }
    if (pressed[GLFW_GAMEPAD_BUTTON_RIGHT_BUMPER]) choose_group(viewer, pad->first + PAD_AXES);
    if (pressed[GLFW_GAMEPAD_BUTTON_LEFT_BUMPER]) choose_group(viewer, pad->first - PAD_AXES);
    if (pressed[GLFW_GAMEPAD_BUTTON_START])
        simulation_command(viewer->simulation, COMMAND_PAUSE, -1);
    if (pressed[GLFW_GAMEPAD_BUTTON_BACK])
        simulation_command(viewer->simulation, COMMAND_RESET, -1);
    for (int axis = 0; axis < PAD_AXES; axis++)
        move_control(viewer, axis, without_dead_zone(shares[axis]), fmin(seconds, 0.1));
}

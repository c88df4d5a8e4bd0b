/* actions.c: what keys and mouse do to the window: messages, selection, camera, speed, full screen,
 * pictures. Each tells its event. */
#include "../render/image.h"
#include "platform/files.h"
#include "window.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double message_seconds = 4;

static void set_message(Viewer *viewer, bool is_error, const char *format, va_list args)
{
    vsnprintf(viewer->message, sizeof viewer->message, format, args);
    viewer->message_is_error = is_error;
    viewer->message_until = glfw.GetTime() + message_seconds;
    viewer->redraw = true;
}

void viewer_say(Viewer *viewer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_message(viewer, false, format, args);
    va_end(args);
}

void viewer_complain(Viewer *viewer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_message(viewer, true, format, args);
    va_end(args);
}

View viewer_view(const Viewer *viewer)
{
    if (viewer->camera >= 0) return camera_view(viewer->scene, viewer->frame, viewer->camera);
    return orbit_view(&viewer->orbit);
}

const char *viewer_body_name(const Viewer *viewer, TnBodyId body, char buffer[32])
{
    if (viewer->scene->bodies[body - 1].name[0]) return viewer->scene->bodies[body - 1].name;
    snprintf(buffer, 32, "body%d", (int)body);
    return buffer;
}

void viewer_select(Viewer *viewer, TnBodyId body, const double point[3])
{
    char name[32];
    viewer->selected = viewer->draw.selected = body;
    if (body) memcpy(viewer->selected_point, point, sizeof viewer->selected_point);
    viewer->redraw = true;
    event_begin(viewer->def.events, "select");
    event_text(viewer->def.events, "body", body ? viewer_body_name(viewer, body, name) : "");
    event_end(viewer->def.events);
}

void viewer_set_camera(Viewer *viewer, int camera)
{
    FILE *out = viewer->def.events;
    const char *name = camera < 0 ? "free" : viewer->scene->cameras[camera].name;
    if (camera != viewer->camera) viewer_say(viewer, "camera: %s", name);
    viewer->camera = camera;
    viewer->redraw = true;
    View view = viewer_view(viewer);
    event_begin(out, "camera");
    event_text(out, "name", name);
    event_integer(out, "index", camera);
    event_vector(out, "eye", view.eye);
    event_vector(out, "forward", view.forward);
    event_end(out);
}

void viewer_set_speed(Viewer *viewer, double speed)
{
    if (speed < 1.0 / 1024 || speed > 1024) return;
    viewer->speed = speed;
    if (viewer->simulation) {
        simulation_command(viewer->simulation, COMMAND_SPEED, speed);
    } else {
        viewer->playback->speed = speed;
        viewer_tell_playback(viewer, "speed");
    }
}

void viewer_tell_playback(Viewer *viewer, const char *event)
{
    FILE *out = viewer->def.events;
    event_begin(out, event);
    event_number(out, "time", viewer->playback->time);
    event_integer(out, "frame", playback_index(viewer->playback));
    event_number(out, "speed", viewer->playback->speed);
    event_end(out);
}

void viewer_fullscreen(Viewer *viewer)
{
    int *w = viewer->windowed;
    viewer->fullscreen = !viewer->fullscreen;
    GLFWmonitor *monitor = glfw.GetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfw.GetVideoMode(monitor) : NULL;
    if (viewer->fullscreen && mode) {
        glfw.GetWindowPos(viewer->window, &w[0], &w[1]);
        glfw.GetWindowSize(viewer->window, &w[2], &w[3]);
        glfw.SetWindowMonitor(viewer->window, monitor, 0, 0, mode->width, mode->height,
                              mode->refreshRate);
    } else {
        viewer->fullscreen = false;
        if (w[2] > 0) glfw.SetWindowMonitor(viewer->window, NULL, w[0], w[1], w[2], w[3], 0);
    }
    glfw.SwapInterval(viewer->def.vsync);
    event_begin(viewer->def.events, "fullscreen");
    event_bool(viewer->def.events, "value", viewer->fullscreen);
    event_end(viewer->def.events);
}

/* The first number that no file in the folder has. */
static void screenshot_path(Viewer *viewer, char *path, size_t size)
{
    TnFileInfo info;
    do {
        snprintf(path, size, "%s/tenon-%04d.png", viewer->def.screenshot_folder,
                 ++viewer->screenshots);
    } while (tn_file_info(path, &info) == 0 && viewer->screenshots < 9999);
}

void viewer_open(Viewer *viewer, const char *path)
{
    if (!viewer->def.reload) {
        viewer_say(viewer, viewer->playback
                               ? "a recording is shown; open others with 'tenon replay FILE'"
                               : "a program chose this model; the window cannot open another");
        return;
    }
    snprintf(viewer->wanted_file, sizeof viewer->wanted_file, "%s", path);
    viewer->wants_reload = true;
}

/* A file of its own, which a model may include. */
void viewer_save_keyframe(Viewer *viewer)
{
    char path[400];
    TnFileInfo info;
    char *text = simulation_keyframe(viewer->simulation);
    if (!text) return;
    do {
        snprintf(path, sizeof path, "%s/keyframe-%04d.xml", viewer->def.screenshot_folder,
                 ++viewer->keyframes);
    } while (tn_file_info(path, &info) == 0 && viewer->keyframes < 9999);
    errno = 0;
    FILE *out = tn_stream_open(path, "w");
    bool written =
        out && fprintf(out, "<mujoco>\n  <keyframe>\n    %s\n  </keyframe>\n</mujoco>\n", text) > 0;
    if (out && fclose(out) != 0) written = false;
    free(text);
    if (!written) {
        viewer_complain(viewer, "%s: cannot be written: %s", path, strerror(errno));
        return;
    }
    viewer_say(viewer, "keyframe: %s", path);
    event_begin(viewer->def.events, "keyframe");
    event_text(viewer->def.events, "path", path);
    event_end(viewer->def.events);
}

DrawOptions viewer_options(const Viewer *viewer)
{
    DrawOptions draw = viewer->draw;
    mouse_show_pull(viewer, &draw);
    return draw;
}

void viewer_screenshot(Viewer *viewer)
{
    viewer->wants_screenshot = false;
    char error[256] = "no memory", path[400];
    Image image = {0};
    View view = viewer_view(viewer);
    DrawOptions draw = viewer_options(viewer);
    Canvas *canvas =
        canvas_create(viewer->renderer, viewer->width, viewer->height, error, sizeof error);
    bool written = canvas && image_create(&image, viewer->width, viewer->height);
    if (written) {
        renderer_draw(viewer->renderer, viewer->frame, &view, &draw, canvas_target(canvas),
                      viewer->width, viewer->height);
        panels_draw(viewer, &view, PANELS_LASTING, canvas_target(canvas));
        canvas_read(canvas, image.rgb);
        screenshot_path(viewer, path, sizeof path);
        written = image_write_png(&image, path, error, sizeof error);
    }
    image_free(&image);
    canvas_destroy(canvas);
    if (!written) {
        viewer_complain(viewer, "no picture: %s", error);
        return;
    }
    viewer_say(viewer, "picture: %s", path);
    event_begin(viewer->def.events, "screenshot");
    event_text(viewer->def.events, "path", path);
    event_end(viewer->def.events);
}

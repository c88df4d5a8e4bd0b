/* mouse.c: turns, moves and zooms the view, selects a body and pulls it. */
#include "window.h"

#include <math.h>
#include <string.h>

static const double double_click_seconds = 0.35;
static const double double_click_pixels = 6; /* times the overlay's scale */
static const double pi = 3.14159265358979323846;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Product of quaternions. */
static void compose(double out[4], const double a[4], const double b[4])
{
    double turning[3];
    cross(turning, a + 1, b + 1);
    out[0] = a[0] * b[0] - dot(a + 1, b + 1);
    for (int k = 1; k < 4; k++) out[k] = a[0] * b[k] + b[0] * a[k] + turning[k - 1];
}

static void rotate(double out[3], const double q[4], const double a[3])
{
    double t[3], u[3];
    cross(t, q + 1, a);
    for (int k = 0; k < 3; k++) t[k] *= 2;
    cross(u, q + 1, t);
    for (int k = 0; k < 3; k++) out[k] = a[k] + q[0] * t[k] + u[k];
}

static const double *pose_of(const Viewer *viewer, TnBodyId body)
{
    return viewer->frame->poses + 7 * (body - 1);
}

static void body_to_world(const double pose[7], const double local[3], double world[3])
{
    rotate(world, pose + 3, local);
    for (int k = 0; k < 3; k++) world[k] += pose[k];
}

static void world_to_body(const double pose[7], const double world[3], double local[3])
{
    double back[4] = {pose[3], -pose[4], -pose[5], -pose[6]}, offset[3];
    for (int k = 0; k < 3; k++) offset[k] = world[k] - pose[k];
    rotate(local, back, offset);
}

static Pick pick_here(Viewer *viewer)
{
    View view = viewer_view(viewer);
    int x = (int)viewer->mouse.x, y = (int)viewer->mouse.y;
    if (x < 0 || y < 0 || x >= viewer->width || y >= viewer->height)
        return (Pick){.shape = -1, .surface = -1};
    return renderer_pick(viewer->renderer, viewer->frame, &view, &viewer->draw, viewer->width,
                         viewer->height, x, y);
}

/* ---- pulling ---- */

/* Where the mouse's ray meets the drag's plane; false where it does not. */
static bool mouse_on_plane(const Viewer *viewer, double point[3])
{
    const Mouse *mouse = &viewer->mouse;
    View view = viewer_view(viewer);
    double origin[3], direction[3], offset[3];
    view_ray(&view, (double)viewer->width / viewer->height, mouse->x / viewer->width,
             mouse->y / viewer->height, origin, direction);
    for (int k = 0; k < 3; k++) offset[k] = mouse->plane_point[k] - origin[k];
    double slope = dot(direction, mouse->plane_normal);
    double way = dot(offset, mouse->plane_normal) / slope;
    /* a plane seen from its edge would throw the target far away */
    if (fabs(slope) < 0.02 || !(way > 0)) return false;
    for (int k = 0; k < 3; k++) point[k] = origin[k] + way * direction[k];
    return true;
}

/* A soft body under the mouse, where no body is selected. */
static bool choose_soft(const Viewer *viewer, const Pick *pick, Pull *pull)
{
    if (pick->surface < 0 || pick->triangle < 0 || viewer->selected) return false;
    const TnSceneSurface *surface = &viewer->scene->surfaces[pick->surface];
    pull->soft = pick->surface + 1; /* as scenes of a model are made */
    for (int k = 0; k < 3; k++) pull->nodes[k] = surface->triangles[3 * pick->triangle + k];
    memcpy(pull->weights, pick->weights, sizeof pull->weights);
    return true;
}

/* Where the pulled point is in this frame. */
static void held_point(const Viewer *viewer, const Pull *pull, double out[3])
{
    if (!pull->soft) {
        body_to_world(pose_of(viewer, pull->body), pull->anchor, out);
        return;
    }
    const float *points =
        viewer->frame->points + 3 * viewer->scene->surfaces[pull->soft - 1].point_start;
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int c = 0; c < 3; c++)
            out[k] += pull->weights[c] * (double)points[3 * pull->nodes[c] + k];
    }
}

/* What to pull and where: the selected body, or what is under the mouse where none is. */
static bool choose_pulled(Viewer *viewer, Pull *pull)
{
    Pick pick = pick_here(viewer);
    if (choose_soft(viewer, &pick, pull)) {
        if (pull->kind == PULL_MOVE) return true;
        viewer_say(viewer, "a soft body cannot be turned, only pulled");
        return false;
    }
    bool can_move = pick.body > 0 && viewer->scene->bodies[pick.body - 1].subsystem > 0;
    if (can_move && (!viewer->selected || viewer->selected == pick.body)) {
        double local[3];
        world_to_body(pose_of(viewer, pick.body), pick.point, local);
        viewer_select(viewer, pick.body, local);
    }
    if (!viewer->selected) {
        viewer_say(viewer, "nothing to pull here; double-click a body to select it");
        return false;
    }
    memcpy(pull->anchor, viewer->selected_point, sizeof viewer->selected_point);
    pull->body = viewer->selected;
    if (viewer->scene->bodies[viewer->selected - 1].subsystem > 0) return true;
    char name[32];
    viewer_say(viewer, "%s is fixed", viewer_body_name(viewer, viewer->selected, name));
    return false;
}

static bool start_pull(Viewer *viewer, PullKind kind, bool over_ground)
{
    Mouse *mouse = &viewer->mouse;
    if (!viewer->simulation) {
        viewer_say(viewer, "a recording cannot be pulled");
        return false;
    }
    if (viewer->def.follow) {
        viewer_say(viewer, "a program runs this world; it cannot be pulled");
        return false;
    }
    Pull pull = {.kind = kind};
    if (!choose_pulled(viewer, &pull)) return false;
    View view = viewer_view(viewer);
    held_point(viewer, &pull, mouse->held);
    if (pull.body)
        memcpy(mouse->start_quat, pose_of(viewer, pull.body) + 3, sizeof mouse->start_quat);
    memcpy(pull.target, mouse->held, sizeof pull.target);
    memcpy(pull.rotation, mouse->start_quat, sizeof pull.rotation);
    double depth = 0;
    for (int k = 0; k < 3; k++) depth += (mouse->held[k] - view.eye[k]) * view.forward[k];
    /* a drag over a twentieth of the picture pulls with one g, whatever the scene's size */
    double height = 2 * fmax(depth, 1e-6) * tan(view.fovy / 2);
    pull.stiffness = kind == PULL_MOVE ? 20 * 9.81 / height : 100;
    memcpy(mouse->plane_point, mouse->held, sizeof mouse->plane_point);
    for (int k = 0; k < 3; k++) mouse->plane_normal[k] = over_ground ? k == 2 : view.forward[k];
    if (!mouse_on_plane(viewer, mouse->grabbed)) {
        viewer_say(viewer, "the view is too flat to pull along the ground");
        return false;
    }
    mouse->pull = pull;
    mouse->told_time = -1;
    simulation_pull(viewer->simulation, &pull);
    if (viewer->status.paused) viewer_say(viewer, "paused: press Space to run, Right for one step");
    return true;
}

static void move_pull(Viewer *viewer)
{
    Mouse *mouse = &viewer->mouse;
    double point[3];
    if (!mouse_on_plane(viewer, point)) return;
    for (int k = 0; k < 3; k++)
        mouse->pull.target[k] = mouse->held[k] + point[k] - mouse->grabbed[k];
    simulation_pull(viewer->simulation, &mouse->pull);
}

/* Half a turn per height of the picture: to the side about the view's up, upwards about its right.
 */
static void move_turn(Viewer *viewer)
{
    Mouse *mouse = &viewer->mouse;
    View view = viewer_view(viewer);
    double right[3], axis[3], turn[4];
    cross(right, view.forward, view.up);
    double about_up = pi * (mouse->x - mouse->start_x) / viewer->height;
    double about_right = pi * (mouse->y - mouse->start_y) / viewer->height;
    double angle = hypot(about_up, about_right);
    if (angle < 1e-9) return;
    for (int k = 0; k < 3; k++) axis[k] = (about_up * view.up[k] + about_right * right[k]) / angle;
    turn[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) turn[k + 1] = sin(angle / 2) * axis[k];
    compose(mouse->pull.rotation, turn, mouse->start_quat);
    simulation_pull(viewer->simulation, &mouse->pull);
}

void mouse_let_go(Viewer *viewer)
{
    Mouse *mouse = &viewer->mouse;
    bool was_pulling = mouse->drag == DRAG_PULL || mouse->drag == DRAG_TURN;
    mouse->drag = DRAG_NONE;
    if (!was_pulling) return;
    mouse->pull = (Pull){.kind = PULL_NONE};
    simulation_pull(viewer->simulation, &mouse->pull);
    event_begin(viewer->def.events, "release");
    event_end(viewer->def.events);
}

void mouse_show_pull(const Viewer *viewer, DrawOptions *draw)
{
    const Mouse *mouse = &viewer->mouse;
    draw->has_pull = mouse->pull.kind == PULL_MOVE;
    if (!draw->has_pull) return;
    held_point(viewer, &mouse->pull, draw->pull_from);
    memcpy(draw->pull_to, mouse->pull.target, sizeof draw->pull_to);
}

void mouse_tell_pull(Viewer *viewer, const double force[3], const double torque[3],
                     const double at[3], double time)
{
    const Pull *pull = &viewer->mouse.pull;
    char name[32];
    double square = 0;
    for (int k = 0; k < 3; k++) square += (pull->target[k] - at[k]) * (pull->target[k] - at[k]);
    FILE *out = viewer->def.events;
    event_begin(out, pull->kind == PULL_TURN ? "turn" : "pull");
    if (pull->soft)
        event_text(out, "soft", tn_model_soft_name(viewer->model, pull->soft));
    else
        event_text(out, "body", viewer_body_name(viewer, pull->body, name));
    event_number(out, "time", time);
    event_vector(out, "force", force);
    event_vector(out, "torque", torque);
    event_vector(out, "at", at);
    event_vector(out, "target", pull->target);
    event_number(out, "distance", sqrt(square));
    event_end(out);
}

/* ---- selecting ---- */

static void select_here(Viewer *viewer)
{
    Pick pick = pick_here(viewer);
    double local[3];
    if (pick.body <= TN_BODY_WORLD) { /* nothing, or the ground */
        viewer_select(viewer, 0, NULL);
        return;
    }
    world_to_body(pose_of(viewer, pick.body), pick.point, local);
    viewer_select(viewer, pick.body, local);
}

static void look_here(Viewer *viewer)
{
    Pick pick = pick_here(viewer);
    if (pick.body == 0 || viewer->camera >= 0) return;
    memcpy(viewer->orbit.center, pick.point, sizeof viewer->orbit.center);
    viewer_set_camera(viewer, -1);
}

/* ---- buttons and moves ---- */

/* Two clicks at one place within a short time. Events carry no time of their own: while a picture
 * was drawn they wait, so the time counts from the last look for events, not from this one. */
static bool is_double_click(Viewer *viewer, int button)
{
    Mouse *mouse = &viewer->mouse;
    double far = double_click_pixels * viewer->scale;
    bool twice = button == mouse->click_button &&
                 viewer->poll_time - mouse->click_time < double_click_seconds &&
                 hypot(mouse->x - mouse->click_x, mouse->y - mouse->click_y) < far;
    mouse->click_x = mouse->x;
    mouse->click_y = mouse->y;
    mouse->click_time = glfw.GetTime();
    mouse->click_button = twice ? -1 : button; /* a third click is a first again */
    return twice;
}

static DragKind choose_drag(Viewer *viewer, int button, int modifiers)
{
    bool control = (modifiers & GLFW_MOD_CONTROL) != 0;
    bool shift = (modifiers & GLFW_MOD_SHIFT) != 0;
    if (control && button == GLFW_MOUSE_BUTTON_RIGHT)
        return start_pull(viewer, PULL_MOVE, shift) ? DRAG_PULL : DRAG_NONE;
    if (control && button == GLFW_MOUSE_BUTTON_LEFT)
        return start_pull(viewer, PULL_TURN, false) ? DRAG_TURN : DRAG_NONE;
    switch (button) {
    case GLFW_MOUSE_BUTTON_LEFT:
        return DRAG_ORBIT;
    case GLFW_MOUSE_BUTTON_RIGHT:
        return DRAG_PAN;
    case GLFW_MOUSE_BUTTON_MIDDLE:
        return DRAG_ZOOM;
    default:
        return DRAG_NONE;
    }
}

static bool panel_mouse(Viewer *viewer, UiEventKind kind)
{
    return panels_event(
        viewer, (UiEvent){.kind = kind, .x = (float)viewer->mouse.x, .y = (float)viewer->mouse.y});
}

static void tell_camera(Viewer *viewer) { viewer_set_camera(viewer, viewer->camera); }

void mouse_button(Viewer *viewer, int button, bool pressed, int modifiers)
{
    Mouse *mouse = &viewer->mouse;
    viewer->redraw = true;
    if (!pressed) {
        if (button == GLFW_MOUSE_BUTTON_LEFT) panel_mouse(viewer, UI_RELEASE);
        if (mouse->drag == DRAG_NONE || button != mouse->button) return;
        bool moved = mouse->x != mouse->start_x || mouse->y != mouse->start_y;
        bool camera_drag =
            mouse->drag == DRAG_ORBIT || mouse->drag == DRAG_PAN || mouse->drag == DRAG_ZOOM;
        mouse_let_go(viewer);
        if (moved && camera_drag && viewer->camera < 0) tell_camera(viewer);
        return;
    }
    if (mouse->drag != DRAG_NONE) return; /* one button drags at a time */
    if (button == GLFW_MOUSE_BUTTON_LEFT && panel_mouse(viewer, UI_PRESS)) return;
    if (viewer->ui.hot) return; /* other buttons do nothing on a panel */
    bool twice = is_double_click(viewer, button);
    if (twice && button == GLFW_MOUSE_BUTTON_LEFT) select_here(viewer);
    if (twice && button == GLFW_MOUSE_BUTTON_RIGHT) look_here(viewer);
    mouse->start_x = mouse->x;
    mouse->start_y = mouse->y;
    mouse->button = button;
    mouse->drag = choose_drag(viewer, button, modifiers);
}

static void say_fixed_camera(Viewer *viewer)
{
    viewer_say(viewer, "this camera belongs to the model; press Esc for the free camera");
}

void mouse_move(Viewer *viewer, double x, double y)
{
    Mouse *mouse = &viewer->mouse;
    double right = (x - mouse->x) / viewer->height, down = (y - mouse->y) / viewer->height;
    bool moves_camera =
        mouse->drag == DRAG_ORBIT || mouse->drag == DRAG_PAN || mouse->drag == DRAG_ZOOM;
    mouse->x = x;
    mouse->y = y;
    if (mouse->drag == DRAG_NONE) {
        UiId before = viewer->ui.hot;
        panel_mouse(viewer, UI_MOVE);
        viewer->redraw |= before || viewer->ui.hot; /* what is under the mouse is lighter */
        return;
    }
    viewer->redraw = true;
    if (moves_camera && viewer->camera >= 0) {
        say_fixed_camera(viewer);
        return;
    }
    switch (mouse->drag) {
    case DRAG_ORBIT:
        orbit_turn(&viewer->orbit, -pi * right, -pi * down);
        break;
    case DRAG_PAN:
        orbit_pan(&viewer->orbit, -right, down);
        break;
    case DRAG_ZOOM:
        orbit_zoom(&viewer->orbit, exp(-3 * down));
        break;
    case DRAG_PULL:
        move_pull(viewer);
        break;
    case DRAG_TURN:
        move_turn(viewer);
        break;
    case DRAG_NONE:
        break;
    }
}

void mouse_wheel(Viewer *viewer, double notches)
{
    viewer->redraw = true;
    if (panels_event(viewer, (UiEvent){.kind = UI_WHEEL, .notches = notches})) return;
    if (viewer->camera >= 0) {
        say_fixed_camera(viewer);
        return;
    }
    orbit_zoom(&viewer->orbit, pow(1.12, notches));
    tell_camera(viewer);
}

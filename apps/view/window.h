/* window.h: what the files of the window share. Only the window's thread uses any of it. */
#ifndef TENON_VIEW_WINDOW_H
#define TENON_VIEW_WINDOW_H

#include "../render/film.h"
#include "../render/glfw.h"
#include "../render/overlay.h"
#include "events.h"
#include "platform/paths.h"
#include "playback.h"
#include "signals.h"
#include "simulation.h"
#include "ui.h"
#include "viewer.h"

typedef enum DragKind { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_ZOOM, DRAG_PULL, DRAG_TURN } DragKind;

typedef struct Mouse {
    double x, y; /* pixels of the framebuffer */
    DragKind drag;
    int button;              /* that drags */
    double start_x, start_y; /* of the drag */
    double click_x, click_y; /* of the last click, and when: */
    double click_time;       /* s */
    int click_button;
    /* of a pull or turn */
    Pull pull;
    double plane_point[3], plane_normal[3]; /* the mouse moves on this plane */
    double grabbed[3];                      /* where on it the drag started */
    double held[3];                         /* where the body was held then */
    double start_quat[4];                   /* how the body stood then */
    double told_time;                       /* s, of the last event */
} Mouse;

/* The newest figures, for the small plots. */
enum { PLOT_ROOM = 240 };
typedef struct Samples {
    float values[PLOT_ROOM];
    int first, count;
} Samples;

/* The times of the phases of steps, ms, as TnStepTimes has them without the total. */
enum { PHASE_COUNT = sizeof(TnStepTimes) / sizeof(double) - 1 };
typedef struct Profile {
    float values[PLOT_ROOM][PHASE_COUNT];
    int first, count;
} Profile;

/* A film of the window. */
typedef struct Reel {
    Film *film; /* NULL: none is recorded */
    Canvas *canvas;
    Image image;
    char path[512];
    double due; /* s, by glfw.GetTime: of the next picture */
    int pictures;
} Reel;

/* A gamepad that moves actuators, a group of them at a time. */
enum { PAD_AXES = 5 };
typedef struct Pad {
    bool on, there;
    char name[64];
    int first;             /* row of the first control it moves, from 0 */
    double sent[PAD_AXES]; /* the last value of each control of the group; NaN: none */
    unsigned char was[16]; /* buttons, as they were */
} Pad;

/* Files that were shown, the newest first. */
enum { RECENT_COUNT = 8 };
typedef struct Recent {
    char paths[RECENT_COUNT][TN_PATH];
    int count;
} Recent;

typedef struct Viewer {
    ViewerDef def;
    GLFWwindow *window;
    bool has_glfw;
    int width, height;         /* pixels of the framebuffer */
    double pixels_per_unit[2]; /* pixels per screen coordinate */
    float scale;               /* of the overlay */
    bool fullscreen;
    int windowed[4]; /* x, y, width, height before full screen */

    /* what is shown: one of the two */
    Simulation *simulation;
    TnWorld *world; /* of the simulation, whose thread alone may touch it */
    Playback *playback;
    const TnModel *model; /* NULL for a recording */
    const TnScene *scene;
    const TnFrame *frame;
    SimulationStatus status;
    double speed; /* as asked for */
    TnKeyId key;

    Renderer *renderer;
    Overlay *overlay;
    DrawOptions draw;
    Orbit orbit;
    int camera; /* -1: free */
    TnBodyId selected;
    double selected_point[3]; /* in the body's axes */
    Mouse mouse;

    Ui ui;
    uint32_t told_layout; /* of the panels, as events have said it */
    bool shows_help, shows_info, shows_profile, shows_physics, shows_menus;
    bool lasting; /* only what a picture shows: no menus, messages and help */
    char message[512];
    double message_until; /* s, by glfw.GetTime */
    bool message_is_error;
    double hint_until;
    int screenshots;
    Samples residuals, contacts, factors;
    TnStepTimes times; /* smoothed */
    Profile profile;
    double fps;
    Signals signals;
    int keyframes; /* saved */
    Reel reel;
    Pad pad;
    Recent recent;
    MassBox *masses; /* of the model's bodies; owned */

    bool redraw, quit, ever_diverged, wants_screenshot, wants_reload;
    char wanted_file[TN_PATH]; /* to load; "": the same again */
    double poll_time;          /* s: events before this were seen then */
    int64_t drawn;
} Viewer;

/* actions.c: a line on the screen for some seconds. */
void viewer_say(Viewer *viewer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void viewer_complain(Viewer *viewer, const char *format, ...) __attribute__((format(printf, 2, 3)));
View viewer_view(const Viewer *viewer);           /* the camera of this moment */
DrawOptions viewer_options(const Viewer *viewer); /* with the arrow of a pull */
/* "body7" where it has no name. */
const char *viewer_body_name(const Viewer *viewer, TnBodyId body, char buffer[32]);
void viewer_select(Viewer *viewer, TnBodyId body, const double point[3]); /* 0: nothing */
void viewer_set_camera(Viewer *viewer, int camera);
void viewer_set_speed(Viewer *viewer, double speed);
void viewer_fullscreen(Viewer *viewer);
void viewer_screenshot(Viewer *viewer);
void viewer_open(Viewer *viewer, const char *path);           /* another model, soon */
void viewer_save_keyframe(Viewer *viewer);                    /* after NOTICE_KEYFRAME */
void viewer_tell_playback(Viewer *viewer, const char *event); /* an event with the frame's time */

/* keys.c */
void keys_press(Viewer *viewer, int key, int scancode, int modifiers, bool repeated);
/* Rows of the help: label and text; a NULL text is a heading. Returns their number. */
typedef struct HelpRow {
    const char *label, *text;
} HelpRow;
enum { HELP_ROOM = 64 };
int keys_help(bool recording, HelpRow rows[HELP_ROOM]);
void keys_menus(Viewer *viewer); /* all rows as menus, in an open bar */

/* mouse.c */
void mouse_button(Viewer *viewer, int button, bool pressed, int modifiers);
void mouse_move(Viewer *viewer, double x, double y);
void mouse_wheel(Viewer *viewer, double notches);
void mouse_let_go(Viewer *viewer);
/* The arrow of a pull at this frame. */
void mouse_show_pull(const Viewer *viewer, DrawOptions *draw);
void mouse_tell_pull(Viewer *viewer, const double force[3], const double torque[3],
                     const double at[3], double time);

/* labels.c: names beside the bodies. */
void labels_draw(const Viewer *viewer, const View *view);

/* panels.c */
typedef enum PanelSet { PANELS_ALL, PANELS_LASTING } PanelSet; /* lasting: no messages, no help */
void panels_draw(Viewer *viewer, const View *view, PanelSet set, unsigned target);
bool panels_event(Viewer *viewer, UiEvent event); /* true where it was for a panel */
void panels_sample(Viewer *viewer);               /* a new frame came */

/* physics_panel.c, signal_panel.c: rows of an open panel, and the curves in a box */
void physics_rows(Viewer *viewer);
void signals_rows(Viewer *viewer);
void signals_toggle_curve(Viewer *viewer, int signal);
void curves_draw(const Viewer *viewer, UiRect box);

/* reel.c: begins or ends a film; adds pictures that are due; ends it. */
void film_toggle(Viewer *viewer);
void film_sample(Viewer *viewer);
void film_end(Viewer *viewer);

/* pad.c */
void pad_toggle(Viewer *viewer);
void pad_update(Viewer *viewer, double seconds); /* since the last call */

/* recent.c */
void recent_load(Recent *recent);
void recent_add(Recent *recent, const char *path);
void recent_menu(Viewer *viewer); /* items of an open menu */

/* plots.c */
typedef struct PlotStyle {
    const char *name;
    bool logarithmic;
    double least_top; /* the axis goes at least up to this (not logarithmic) */
    OverlayColor color;
} PlotStyle;
void plot_add(Samples *samples, double value);
/* One line of text and the plot. */
void plot_draw(Overlay *overlay, const Samples *samples, const PlotStyle *style, UiRect box,
               float scale);
void profile_add(Profile *profile, const TnStepTimes *times);
void profile_draw(Overlay *overlay, const Profile *profile, UiRect box);

#endif

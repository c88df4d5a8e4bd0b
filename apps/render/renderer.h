/* renderer.h: draws a scene at a frame with OpenGL 3.3 core. It has no window and no simulation:
 * its user makes a context current and passes a TnScene and TnFrames.
 *
 * All calls need the context current that was current in renderer_create. */
#ifndef TENON_RENDER_RENDERER_H
#define TENON_RENDER_RENDERER_H

#include "camera.h"
#include "masses.h"

typedef struct Renderer Renderer;

/* Finds an OpenGL function by its name: glfwGetProcAddress, eglGetProcAddress. */
typedef void (*GlProc)(void);
typedef GlProc (*GlLoader)(const char *name);

typedef enum ColorMode {
    COLOR_MODEL,     /* the colours of the model */
    COLOR_SUBSYSTEM, /* each subsystem its own: the method made visible */
    COLOR_STRESS,    /* soft bodies by von Mises' stress, all else greyed */
    COLOR_MODES
} ColorMode;

typedef struct DrawOptions {
    ColorMode color;
    unsigned
        group_mask; /* bit g: shapes of group g are drawn; default groups 0 to 2, as in MuJoCo */
    bool shadows, ground_grid, sky, fog; /* default on */
    bool contact_points, contact_forces, frames, joint_axes, hulls, wireframe,
        transparent;            /* off */
    bool tendons;               /* default on */
    bool inertia, mass_centers; /* off; need */
    const MassBox *masses;      /* of the scene's bodies; NULL: not known; borrowed */
    bool labels;                /* names of bodies; drawn by the program that has the overlay */
    double force_scale;         /* m per N; 0: fitted to the forces there are */
    double frame_size;          /* m; 0: fitted */
    double stress_max; /* Pa, the upper end of the colours; 0: fitted to the largest seen */
    TnBodyId selected; /* highlighted; 0: none */
    bool has_pull;     /* an arrow from `pull_from` to `pull_to` */
    double pull_from[3], pull_to[3];
    int samples; /* per pixel against jagged edges: 1, 2, 4, 8; fewer where the driver has fewer; 0
                    (default): 4, or 1 in a window that the processor draws */
} DrawOptions;

DrawOptions draw_options(void);
/* The groups to show by default: 0 to 2, or all where these show less than half
 * of the bodies that move. */
unsigned default_groups(const TnScene *scene);
/* Whether a mask has the shape's group; a number beyond its bits is in none. */
bool shape_in_groups(const TnSceneShape *shape, unsigned group_mask);

/* NULL and a line in `error` where the driver is too old or a shader does not compile. The scene is
 * borrowed and must outlive the renderer. */
Renderer *renderer_create(const TnScene *scene, GlLoader loader, char *error, size_t error_size);
void renderer_destroy(Renderer *renderer);
const char *renderer_driver(const Renderer *renderer); /* "vendor, renderer, version" */

/* Draws into the framebuffer object `target` (0: the window) of that size in pixels. */
void renderer_draw(Renderer *renderer, const TnFrame *frame, const View *view,
                   const DrawOptions *options, unsigned target, int width, int height);

/* What the last draw counted, for the info overlay and benchmarks. */
typedef struct DrawStats {
    int instances, draw_calls;
    int64_t triangles;
} DrawStats;
DrawStats renderer_stats(const Renderer *renderer);

/* What is under a pixel (from the upper left corner). */
typedef struct Pick {
    TnBodyId body;     /* 0: nothing there */
    int shape;         /* index in the scene's shapes, or -1 */
    double point[3];   /* m, world: where the ray meets it */
    int surface;       /* index in the scene's surfaces, or -1; the body is then the world */
    int triangle;      /* of the surface, the one nearest to the point, and */
    double weights[3]; /* of its corners: their sum is the point */
} Pick;
Pick renderer_pick(Renderer *renderer, const TnFrame *frame, const View *view,
                   const DrawOptions *options, int width, int height, int x, int y);

/* What the colours of stress mean in the last picture. */
typedef struct StressScale {
    bool shown; /* it was drawn with COLOR_STRESS, and there are soft bodies */
    bool known; /* the frame has stress */
    double top; /* Pa: colours go from 0 to this */
} StressScale;
StressScale renderer_stress(const Renderer *renderer);
/* The colour of a share, 0 … 1, of that range: more is lighter. */
void stress_color(double share, float rgb[3]);
/* A round number not below the largest stress, Pa. */
double stress_top(double largest);

/* An off-screen picture of its own: created once, drawn into, read back as 8-bit RGB from the upper
 * left corner, 3 × width × height bytes. */
typedef struct Canvas Canvas;
Canvas *canvas_create(Renderer *renderer, int width, int height, char *error, size_t error_size);
void canvas_destroy(Canvas *canvas);
unsigned canvas_target(const Canvas *canvas); /* framebuffer object to draw into */
void canvas_read(Canvas *canvas, uint8_t *rgb);

/* Numbers in place of colours, one sample per pixel, from the upper left corner; the size is one
 * that a canvas has, too. */
typedef struct Numbers Numbers;
Numbers *numbers_create(Renderer *renderer, int width, int height, char *error, size_t error_size);
void numbers_destroy(Numbers *numbers);
/* What can be seen in each pixel, and its depth along the viewing direction in m (INFINITY: there
 * is nothing); each may be NULL. */
void numbers_read(Numbers *numbers, const TnFrame *frame, const View *view,
                  const DrawOptions *options, uint32_t *ids, float *depth);
/* What an id means: kind, and index in the scene. */
typedef enum IdKind { ID_IS_NOTHING, ID_IS_SHAPE, ID_IS_SURFACE, ID_IS_TUBE } IdKind;
IdKind id_kind(uint32_t id, int *index);

/* A subsystem's colour: well apart for neighbours, the same in window, picture and replay. Number 0
 * (fixed) is grey. */
void subsystem_color(int subsystem, float rgb[3]);
/* The same for a body's shape with a colour of its own: a shade of the subsystem's colour as light
 * or dark as that one; what is fixed is its own colour, greyed. */
void part_color(int subsystem, const float own[3], float rgb[3]);

#endif

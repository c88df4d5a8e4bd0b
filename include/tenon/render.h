/* tenon/render.h: what a camera sees of a world or of a frame of a recording: colour, depth and
 * which geom, into arrays of the caller. No window and no display is needed. A library of its own,
 * tenon_render (CMake target tenon::render); tenon/tenon.h does not include it. It opens EGL when a
 * renderer is made.
 *
 * A renderer may be used by one thread at a time, any thread; a call makes its OpenGL context
 * current and puts the caller's EGL context back. Renderers are made and destroyed by one thread at
 * a time. */
#ifndef TENON_RENDER_H
#define TENON_RENDER_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnRenderer TnRenderer;

typedef struct TnRendererDef {
    int width, height; /* pixels; default 640, 480 */
    int samples;       /* per pixel of the colour, 1, 2, 4 or 8; default 4 */
    unsigned groups; /* bit g: geoms of group g are drawn; default 0: groups 0 to 2, or all if these
                        show less than half of the moving bodies */
    bool shadows, sky; /* default true; without sky the background is white */
} TnRendererDef;

TN_API TnRendererDef tn_renderer_def(void);

/* Returns NULL and an error if there is no EGL or its driver has no OpenGL 3.3. The world may be
 * destroyed afterwards. */
TN_API TnRenderer *tn_renderer_create(const TnRendererDef *def, const TnWorld *world, TnError *err);
/* For frames of a scene, as recordings have them. The scene must live as long as the renderer. */
TN_API TnRenderer *tn_renderer_create_of(const TnRendererDef *def, const TnScene *scene,
                                         TnError *err);
TN_API void tn_renderer_destroy(TnRenderer *renderer); /* NULL is allowed */

typedef struct TnRenderCamera {
    TnCameraId camera; /* of the model; 0: a free camera, described by the other fields */
    double eye[3];     /* m, world axes */
    double target[3];  /* m, in the middle of the picture */
    double up[3];      /* upwards in the picture; need not be at right angles to the view */
    double fovy;       /* rad, vertical field of view, 0 < fovy < π */
} TnRenderCamera;

/* The free camera that sees all of the world, from the side that the model asks for. */
TN_API TnRenderCamera tn_renderer_fit(TnRenderer *renderer, const TnWorld *world);
TN_API TnRenderCamera tn_renderer_fit_frame(TnRenderer *renderer, const TnFrame *frame);

/* Values of `segments` that are no geom. */
enum {
    TN_SEGMENT_NOTHING = 0, /* background */
    TN_SEGMENT_OTHER = -1   /* a tendon; of a frame also cables and soft bodies */
};

/* Pixels from the upper left corner, row by row. Each may be NULL. */
typedef struct TnRenderBuffers {
    uint8_t *rgb;      /* 3 × width × height, sRGB */
    float *depth;      /* m, width × height: along the viewing direction; INFINITY: background */
    int32_t *segments; /* width × height: TnGeomId in front; of a cable that of its first segment */
} TnRenderBuffers;

/* Draws the world as it is now. It must be of the model that the renderer was made with. `camera`
 * NULL: tn_renderer_fit. Depth and segments have one sample, in the middle of each pixel. They show
 * half transparent geoms, but not those of alpha 0. */
TN_API TnStatus tn_renderer_draw(TnRenderer *renderer, const TnWorld *world,
                                 const TnRenderCamera *camera, const TnRenderBuffers *out,
                                 TnError *err);
/* The same for a frame of the scene that the renderer was made with. */
TN_API TnStatus tn_renderer_draw_frame(TnRenderer *renderer, const TnFrame *frame,
                                       const TnRenderCamera *camera, const TnRenderBuffers *out,
                                       TnError *err);

#ifdef __cplusplus
}
#endif
#endif

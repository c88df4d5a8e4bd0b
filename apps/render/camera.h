/* camera.h: from where the scene is seen. */
#ifndef TENON_RENDER_CAMERA_H
#define TENON_RENDER_CAMERA_H

#include "bounds.h"

/* What the renderer needs of a camera. Axes are unit vectors in the world; near and far are chosen
 * by the renderer from the scene's extent. */
typedef struct View {
    double eye[3];     /* m */
    double forward[3]; /* into the picture */
    double up[3];      /* upwards in the picture, at right angles to forward */
    double fovy;       /* rad, of the picture's height */
} View;

/* A free camera that turns about a point. Looks along (cos a cos e, sin a cos e, sin e), as
 * MuJoCo's. */
typedef struct Orbit {
    double center[3];          /* m */
    double distance;           /* m, > 0 */
    double azimuth, elevation; /* rad; elevation within ±(π/2 - a little) */
    double fovy;               /* rad */
} Orbit;

/* Where a free camera starts: what the model says, fitted to the frame where it says nothing.
 * `aspect` is width / height: the whole box is in the picture. */
Orbit orbit_fit(const TnScene *scene, const TnFrame *frame, unsigned group_mask, double aspect);
/* The same, fitted to a box; low NULL: there is nothing to see. */
Orbit orbit_fit_box(const TnScene *scene, const double low[3], const double high[3], double aspect);
View orbit_view(const Orbit *orbit);
/* Turned by angles, moved by shares of the picture's height, nearer by a factor. */
void orbit_turn(Orbit *orbit, double azimuth, double elevation);
void orbit_pan(Orbit *orbit, double right, double up);
void orbit_zoom(Orbit *orbit, double factor);

/* A camera of the scene (index from 0) at this frame. */
View camera_view(const TnScene *scene, const TnFrame *frame, int camera);
/* From a point to another; false where they are the same, a number is not finite or the angle is
 * not between 0 and π. `up` may be any direction. */
bool view_towards(const double eye[3], const double target[3], const double up[3], double fovy,
                  View *view);
/* The ray through a pixel (from the picture's upper left corner, in shares of width and height). */
void view_ray(const View *view, double aspect, double x, double y, double origin[3],
              double direction[3]);

#endif

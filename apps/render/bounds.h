/* bounds.h: boxes around what there is to see, in one frame and over a motion. */
#ifndef TENON_RENDER_BOUNDS_H
#define TENON_RENDER_BOUNDS_H

#include <tenon/scene.h>

/* Along the world's axes, m; empty where low > high. */
typedef struct MotionBox {
    double low[3], high[3];
} MotionBox;

/* A box around everything that moves or is of finite size in this frame; planes do not count.
 * Shapes of hidden groups (bits of `group_mask` not set) do not count either. False where there is
 * nothing. */
bool scene_bounds(const TnScene *scene, const TnFrame *frame, unsigned group_mask, double low[3],
                  double high[3]);

/* The box around a whole motion. A few bodies that leave all others far behind do not count: of
 * more than 19 at most a twentieth, if they get three times as far from the middle of the first
 * frame as all others. */
typedef struct Motion {
    const TnScene *scene; /* borrowed */
    unsigned group_mask;
    MotionBox *bodies; /* of each body over all frames */
    MotionBox points;  /* of cables and soft bodies */
    double middle[3];
    int frames;
} Motion;

bool motion_start(Motion *motion, const TnScene *scene, unsigned group_mask); /* false: no memory */
void motion_add(Motion *motion, const TnFrame *frame);
bool motion_bounds(const Motion *motion, double low[3], double high[3]); /* false: nothing */
void motion_free(Motion *motion);
/* How many frames are left out after one that counts, so that at most a few hundred do. */
int64_t motion_stride(int64_t frame_count);
/* Frames `frames` (NULL: all) of a recording; stops where one cannot be read. */
struct TnRecording;
bool motion_of_recording(Motion *motion, struct TnRecording *recording, const int *frames,
                         int frame_count, unsigned group_mask);

#endif

/* frame.h: where a link is. Filled by subsystem/kinematics.c, read by collision and constraint. */
#ifndef TN_MODEL_FRAME_H
#define TN_MODEL_FRAME_H

typedef struct TnLinkFrame {
    double pos[3]; /* body origin, world */
    double quat[4];
    double rot[9]; /* body to world, row-major */
    double com[3]; /* centre of mass, world */
} TnLinkFrame;

#endif

/* energy.h: sums over a whole model at a state. frames as tn_kinematics fills them; no memory is
 * taken. */
#ifndef TN_STEP_ENERGY_H
#define TN_STEP_ENERGY_H

#include <tenon/world.h>

#include "../model/frame.h"
#include "../model/model.h"

/* Kinetic energy (armature included), and potential energy of gravity and of joint springs. */
TnEnergy tn_model_energy(const TnModel *model, const double *qpos, const double *qvel,
                         const TnLinkFrame *frames);
/* Linear momentum, and angular momentum about the world's origin, of the bodies (armature has no
 * place in space). */
void tn_model_momentum(const TnModel *model, const double *qpos, const double *qvel,
                       const TnLinkFrame *frames, double linear[3], double angular[3]);

#endif

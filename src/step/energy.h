/* energy.h: sums over a whole model at a state. frames as tn_kinematics fills them; no memory is
 * taken. */
#ifndef TN_STEP_ENERGY_H
#define TN_STEP_ENERGY_H

#include <tenon/world.h>

#include "../model/frame.h"
#include "../model/model.h"

/* Kinetic energy (armature included), and potential energy of gravity, springs, tendons and cables. The elastic
 * energy of soft bodies needs their elements (tn_soft_energy) and is not in it. */
TnEnergy tn_model_energy(const TnModel *model, const double *qpos, const double *qvel,
                         const TnLinkFrame *frames);
/* The same of one subsystem. twists: per link, at the coms; NULL: found from qvel. */
TnEnergy tn_subsystem_energy(const TnModel *model, int subsystem, const double *qpos,
                             const double *qvel, const TnLinkFrame *frames,
                             const double (*twists)[6]);
double tn_subsystem_kinetic(const TnModel *model, int subsystem, const double *qpos,
                            const double *qvel, const TnLinkFrame *frames,
                            const double (*twists)[6]);
/* Without rotors; twist: at its com. */
double tn_link_kinetic(const TnLink *link, const TnLinkFrame *frame, const double twist[6]);
double tn_subsystem_mass(const TnModel *model, int subsystem);
/* ρ V / 20 of an element of a body with a consistent mass matrix: M is that times 1 + δ_ab between its corners a and
 * b. */
double tn_soft_mass_share(const TnSoft *soft, const int32_t tet[4]);
/* Linear momentum, and angular momentum about the world's origin, of the bodies (armature has no
 * place in space). */
void tn_model_momentum(const TnModel *model, const double *qpos, const double *qvel,
                       const TnLinkFrame *frames, double linear[3], double angular[3]);

#endif

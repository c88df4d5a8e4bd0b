/* energy.h: sums over a whole model at a state. frames as tn_kinematics fills them; no memory is
 * taken. */
#ifndef TN_ACCOUNT_ENERGY_H
#define TN_ACCOUNT_ENERGY_H

#include <tenon/world.h>

#include "../model/frame.h"
#include "../model/model.h"
#include "../subsystem/soft.h"

/* A state of the whole model, and what follows from it. */
typedef struct TnInstant {
    const double *qpos, *qvel;
    const TnLinkFrame *frames;
    const double (*twists)[6]; /* per link, at the coms; NULL: found from qvel */
    const double *elastic;     /* J, per soft body; NULL: found from qpos */
} TnInstant;

/* Kinetic energy (armature included), and potential energy of gravity, springs, tendons and cables.
 * The elastic energy of soft bodies needs their elements (tn_soft_energy) and is not in it. */
TnEnergy tn_model_energy(const TnModel *model, const double *qpos, const double *qvel,
                         const TnLinkFrame *frames);
/* The same of one subsystem, with the elastic energy of soft bodies where there are elements. */
TnEnergy tn_subsystem_energy(const TnModel *model, int s, const TnSoftElements *elements,
                             const TnInstant *now);
/* Springs and inertia of tendons count with it that depend on other subsystems, too. */
bool tn_has_path_energy(const TnModel *model, int s);
/* That of the inertia of tendons that are rows; each counts with the first subsystem it moves. */
double tn_path_kinetic(const TnModel *model, int s, const TnInstant *now);
/* Without rotors; twist: at its com. */
double tn_link_kinetic(const TnLink *link, const TnLinkFrame *frame, const double twist[6]);
/* Kinetic energy of a subsystem's links, and of the rotors at their joints. */
double tn_energy_of_links(const TnModel *model, const TnSubsystem *sub, const TnInstant *now,
                          bool rotors);
/* Potential energy of gravity. */
double tn_energy_of_height(const TnModel *model, double mass, const double place[3]);
/* Kinetic energy of a soft body, with the masses that it moves with; adds its momenta
 * (kind_soft.c). */
double tn_soft_motion(const TnSoft *soft, const double *qpos, const double *qvel, double linear[3],
                      double angular[3]);
/* Linear momentum, and angular momentum about the world's origin, of the bodies (armature has no
 * place in space). */
void tn_model_momentum(const TnModel *model, const double *qpos, const double *qvel,
                       const TnLinkFrame *frames, double linear[3], double angular[3]);

#endif

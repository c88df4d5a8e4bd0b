/* rod_sim.h: one rod in a world, by C calls, for rows on cables.
 *
 * A rod of n segments has n - 1 joints, half way between the segments' centres. An end segment that
 * is held clamps the rod at its outer end. */
#ifndef TENON_VERIFY_ROD_SIM_H
#define TENON_VERIFY_ROD_SIM_H

#include "verify.h"

typedef struct RodSim {
    Sim sim;
    TnModelBuilder *builder; /* until rod_sim_finish */
    TnRodDef rod;
    TnBodyId first; /* body of segment 0 */
} RodSim;

double rod_area(const TnRodDef *rod);
double rod_bend(const TnRodDef *rod);  /* E I */
double rod_twist(const TnRodDef *rod); /* G J */
double rod_shear(const TnRodDef *rod); /* κ G A of a round bar */

/* theta 1 and long steps for statics. */
RodSim rod_sim_begin(Finding *finding, double timestep, double theta, double gravity);
void rod_sim_add(RodSim *r);
void rod_sim_hold(RodSim *r, int segment); /* where it was built */
/* A segment is held at this place, and turned so. */
void rod_sim_hold_at(RodSim *r, int segment, const double pos[3], const double quat[4]);
void rod_sim_finish(RodSim *r);
void rod_sim_end(RodSim *r);
void rod_sim_pos(const RodSim *r, int segment, double pos[3]);
void rod_sim_direction(const RodSim *r, int segment, double along[3]);
/* Steps with a constant wrench on one segment (NULL: none). */
void rod_sim_march(RodSim *r, int steps, int segment, const double force[3],
                   const double torque[3]);

/* cables_knot.c: a row of the family `limits` */
void cable_knot(Finding *finding, const VerifyRow *row);

#endif

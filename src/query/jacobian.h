/* jacobian.h: how points move with qvel. */
#ifndef TN_QUERY_JACOBIAN_H
#define TN_QUERY_JACOBIAN_H

#include "../subsystem/dynamics.h"

/* 6 × dof_count: velocity of a point (world axes) that moves with a link, and its angular velocity.
 */
void tn_link_jacobian(const TnModel *model, const double *qpos, const TnLinkFrame *frames, int link,
                      const double point[3], double *J);

#endif

/* eval_paths.h: the inertia of tendons that are rows, for eval.c. */
#ifndef TN_QUERY_EVAL_PATHS_H
#define TN_QUERY_EVAL_PATHS_H

#include <tenon/world.h>

#include "../subsystem/dynamics.h"

bool tn_eval_has_paths(const TnModel *model);
/* Bytes of scratch. */
size_t tn_eval_paths_size(const TnModel *model);
/* Adds to mass_matrix, bias and inverse. False: no memory. */
bool tn_eval_paths(const TnModel *model, const double *qpos, const double *qvel,
                   const TnLinkFrame *frames, TnArena *arena, TnEval *out);

#endif

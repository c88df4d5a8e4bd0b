/* systems.h: the equations of all parts of a model over one step, and of what the division puts
 * together of them (model/division/division.h). Filled once per step; all that works on a step has
 * a pointer to this. */
#ifndef TN_DYNAMICS_SYSTEMS_H
#define TN_DYNAMICS_SYSTEMS_H

#include "assembled.h"
#include "soft.h"

/* Arrays live in the step's arena. */
struct TnSystems {
    const TnDivision *division;
    TnRigidSystem *rigid;        /* per free body */
    TnTreeSystem *trees;         /* per tree */
    TnRodSystem *rods;           /* per rod */
    TnChainSystem *chains;       /* per chain of the division */
    double **chain_free;         /* per large block: v_free, of chains only */
    TnFollowerMotion *followers; /* per follower of the division */
    TnSoftSystem *softs;         /* per soft body */
    TnMeshSystem *meshes;        /* per mesh block of the division */
};

/* Memory, but for what parts of trees, rods and soft bodies take when they are assembled. False:
 * there is none. */
bool tn_systems_reserve(const TnModel *model, const TnDivision *division, TnArena *arena,
                        TnSystems *out);

#endif

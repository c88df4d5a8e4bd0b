/* reference_mass.h: the mass matrix of one subsystem in the reference pose, for what compile
 * derives from it. */
#ifndef TN_MODEL_REFERENCE_MASS_H
#define TN_MODEL_REFERENCE_MASS_H

#include "../builder.h"
#include "../frame.h"

/* Start with subsystem -1; keeps the last one's factor. */
typedef struct TnReferenceMass {
    int subsystem;
    bool regular;   /* positive definite */
    double *factor; /* dof_count × dof_count, and work */
    double *work;
} TnReferenceMass;

/* 1 / (cᵀ M⁻¹ c): the mass that a force along these moments feels, all joints free. NAN where M is
 * singular; false: no memory. */
bool tn_reference_mass_along(const TnCompile *c, TnReferenceMass *reference, int subsystem,
                             const TnMoment *moments, int count, double *mass);
/* |M⁻¹ c|: what a unit force along these moments accelerates all dofs by; 0 where M is singular. */
bool tn_reference_acceleration(const TnCompile *c, TnReferenceMass *reference, int subsystem,
                               const TnMoment *moments, int count, double *acceleration);
/* Both along a path, over all that it moves (compile_path.c); false: no memory. */
bool tn_path_reference(TnCompile *c, TnReferenceMass *reference, const TnPath *path, double *mass,
                       double *acceleration);
/* Its length at a pose, and in `moments`, one per dof, how it changes with each; frames: scratch,
 * one per link. (compile_path.c) */
double tn_path_slope(const TnModel *m, const TnPath *path, const double *qpos, TnLinkFrame *frames,
                     TnMoment *moments);
/* length_range.c: of a muscle that has none. */
void tn_find_length_range(TnCompile *c, TnReferenceMass *reference, int index);
void tn_reference_mass_free(TnReferenceMass *reference);

#endif

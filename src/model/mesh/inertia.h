/* inertia.h: mass, centre of mass and inertia of shapes and of their sums. */
#ifndef TN_MODEL_INERTIA_H
#define TN_MODEL_INERTIA_H

#include <tenon/model.h>

typedef struct TnMassProperties {
    double mass;       /* kg */
    double com[3];     /* m */
    double inertia[9]; /* kg·m², about com, row-major, symmetric */
} TnMassProperties;

/* Volume (m³) and principal moments per unit of mass (m²) of a solid shape about its centre, in its
 * own axes. False for shapes without a closed form (mesh) or without a volume (plane). */
bool tn_shape_moments(TnGeomType type, const double size[3], double *volume, double moments[3]);

/* The same of a shell: its area (m²), and its moments (shell.c). */
bool tn_shell_moments(TnGeomType type, const double size[3], double *area, double moments[3]);

/* total += part, both in the same axes. */
void tn_mass_add(TnMassProperties *total, const TnMassProperties *part);
/* The same body seen from the frame in which its axes lie at (pos, quat). */
void tn_mass_transform(TnMassProperties *body, const double pos[3], const double quat[4]);

/* Principal moments, and the principal axes as a quaternion in the matrix's axes. */
void tn_principal_axes(const double inertia[9], double moments[3], double quat[4]);
/* The rotation of a matrix as a quaternion. */
void tn_quat_from_m3(double q[4], const double R[9]);
/* The same as MuJoCo has it: moments descend, and among the axes' signs its choice. */
void tn_sorted_axes(const double inertia[9], double moments[3], double quat[4]);
/* A + B >= C for each order, as for every real mass distribution (relative tolerance 1e-6). */
bool tn_moments_possible(const double moments[3]);

#endif

/* ray.h: where a ray x = p + s d, s >= 0, first meets the surface of a shape, in the shape's axes.
 */
#ifndef TN_COLLISION_RAY_H
#define TN_COLLISION_RAY_H

#include <stdint.h>
#include <tenon/collide.h>

/* s, and the unit normal outwards there; -1: it does not. From inside a shape the far side is met.
 * Planes have a front only, and an edge where their size is positive. Meshes: see below. */
double tn_ray_shape(TnGeomType type, const double size[3], const double p[3], const double d[3],
                    double normal[3]);
/* The nearest of triangles, seen from either side, before `most`; the normal is that of their
 * order. -1: none. */
double tn_ray_triangles(const double *vertices, const int32_t *triangles, int count,
                        const double p[3], const double d[3], double most, double normal[3]);
/* It comes within the radius of a centre, before `most`. */
bool tn_ray_meets_ball(const double center[3], double radius, const double p[3], const double d[3],
                       double most);

#endif

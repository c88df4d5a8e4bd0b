/* queries.h: geometry at a configuration: rays and distances, for worlds and for sensors. */
#ifndef TN_QUERY_QUERIES_H
#define TN_QUERY_QUERIES_H

#include "../world/world.h"

/* Where everything is. */
typedef struct TnPlaces {
    const TnModel *model;
    const TnLinkFrame *frames;
    const double *qpos; /* nodes of soft bodies */
} TnPlaces;

/* A geom's own frame; of a mesh not that of its hull. */
void tn_geom_place(const TnPlaces *at, const TnGeom *geom, TnTransform *out);
/* One ray, without checks. */
TnRayHit tn_ray_cast(const TnPlaces *at, const TnRay *ray, const TnRayFilter *filter);
/* Indices of rigid geoms; `most` may be 0: only what is in each other is known. */
TnDistance tn_geoms_distance(const TnPlaces *at, int geom1, int geom2, double most);

#endif

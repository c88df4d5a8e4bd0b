/* mcap_scene.h: what a recording shows, as messages foxglove.SceneUpdate. */
#ifndef TENON_MCAP_SCENE_H
#define TENON_MCAP_SCENE_H

#include "../common/json.h"
#include "../render/soft.h"

typedef struct McapScene {
    const TnScene *scene;
    SurfacePlan *plans; /* one per surface */
    double extent;      /* m, half the size of planes without end */
} McapScene;

extern const char mcap_scene_schema[]; /* JSON Schema of what is used of it */

/* "timestamp", or another name: {"sec", "nsec"}. */
void mcap_time(Json *json, const char *key, uint64_t time);
/* All bodies with their shapes, fixed to their frames. */
void mcap_write_bodies(Json *json, const McapScene *scene, uint64_t time);
/* Cables, tendons, soft bodies, as they are in this frame. */
void mcap_write_deforming(Json *json, const McapScene *scene, const TnFrame *frame, uint64_t time);

#endif

/* html_scene.h: a scene as the player of pages reads it: all that does not change with time, some
 * of it in the JSON head, the numbers in sections. Replays and live pages (apps/live) share it. */
#ifndef TENON_HTML_SCENE_H
#define TENON_HTML_SCENE_H

#include "../render/soft.h"
#include "html_codec.h"

/* One plan per surface: the vertices that it is drawn with. NULL where there is no memory. */
SurfacePlan *html_plans_make(const TnScene *scene);
void html_plans_free(SurfacePlan *plans, int count);

/* Shapes, subsystems, triangles, looks; with `stress` the colours of stress, too. */
void html_scene_add(Sections *sections, const TnScene *scene, const SurfacePlan *plans,
                    bool stress);
/* The members of the head: names, counts, cameras, materials, lights; with `signals` theirs. */
void html_scene_write(Json *json, const TnScene *scene, const SurfacePlan *plans, bool signals);

/* How far a shape reaches from its own origin, m; INFINITY for a plane. */
double shape_reach(const TnScene *scene, int shape);

#endif

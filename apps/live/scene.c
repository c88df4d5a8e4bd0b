/* scene.c: what is drawn: the scene once, in the format of replays (docs/replay.md), then the
 * places of everything at the time of a frame. */
#include "engine.h"

#include "../export/html_scene.h"
#include "platform/files.h"

#include <stdlib.h>
#include <string.h>

static char *head_of(const Engine *e, const SurfacePlan *plans, const Sections *sections)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = tn_stream_open_memory(&text, &size);
    if (!out) return NULL;
    Json json = json_to(out);
    json_begin_object(&json, NULL);
    json_integer(&json, "format", 1);
    json_string(&json, "title", e->scene->name);
    html_scene_write(&json, e->scene, plans, true);
    sections_describe(sections, &json);
    json_end(&json);
    return tn_stream_close_memory(out, &text, &size) == 0 ? text : NULL;
}

/* All sections one after the other. */
static bool keep_data(Engine *e, const Sections *sections)
{
    size_t size = 0;
    for (int i = 0; i < sections->count; i++) size += sections->list[i].packed_size;
    e->data = malloc(size + 1);
    e->data_size = size;
    uint8_t *to = e->data;
    for (int i = 0; to && i < sections->count; i++) {
        memcpy(to, sections->list[i].packed, sections->list[i].packed_size);
        to += sections->list[i].packed_size;
    }
    return to != NULL;
}

/* The head of the scene as JSON; tenon_scene_data has its sections. Both live until the next call.
 */
const char *LIVE_EXPORT(tenon_scene)(Engine *e)
{
    Sections sections = {0};
    SurfacePlan *plans = html_plans_make(e->scene);
    free(e->head);
    free(e->data);
    e->head = NULL;
    e->data = NULL;
    if (plans) html_scene_add(&sections, e->scene, plans, e->frame->stress != NULL);
    if (plans && !sections.failed && keep_data(e, &sections))
        e->head = head_of(e, plans, &sections);
    sections_free(&sections);
    html_plans_free(plans, e->scene->surface_count);
    return e->head;
}

const uint8_t *LIVE_EXPORT(tenon_scene_data)(const Engine *e) { return e->data; }
size_t LIVE_EXPORT(tenon_scene_data_size)(const Engine *e) { return e->data_size; }

/* ---- frames ---- */

/* Captures the present state for the calls below. */
bool LIVE_EXPORT(tenon_frame)(Engine *e) { return engine_capture(e); }

int LIVE_EXPORT(tenon_frame_body_count)(const Engine *e) { return e->frame->body_count; }
int LIVE_EXPORT(tenon_frame_point_count)(const Engine *e) { return e->frame->point_count; }
/* body × 7: place, quaternion w x y z */
const double *LIVE_EXPORT(tenon_frame_poses)(const Engine *e) { return e->frame->poses; }
const float *LIVE_EXPORT(tenon_frame_points)(const Engine *e) { return e->frame->points; }
/* Pa, per point; NULL: there are no soft bodies. */
const float *LIVE_EXPORT(tenon_frame_stress)(const Engine *e) { return e->frame->stress; }

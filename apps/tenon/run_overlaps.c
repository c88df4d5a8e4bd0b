/* See run_overlaps.h. */
#include "run_overlaps.h"

#include "../common/app.h"

#define GEOM_NAME_SIZE 200

static const char *geom_name(const TnModel *model, TnGeomId geom, char *text)
{
    const char *name = tn_model_geom_name(model, geom);
    const char *body = tn_model_body_name(model, tn_model_geom_info(model, geom).body);
    if (*name)
        snprintf(text, GEOM_NAME_SIZE, "geom '%.150s'", name);
    else
        snprintf(text, GEOM_NAME_SIZE, "geom %d of body '%.150s'", geom, body);
    return text;
}

/* The deepest one stands for all. */
void run_tell_overlaps(const TnWorld *world)
{
    const TnModel *model = tn_world_model(world);
    int count = tn_world_self_overlap_count(world);
    TnSelfOverlap deepest = {0};
    for (int i = 0; i < count; i++) {
        TnSelfOverlap overlap = tn_world_self_overlap(world, i);
        if (overlap.depth > deepest.depth) deepest = overlap;
    }
    if (!count) return;
    char name[2][GEOM_NAME_SIZE];
    say("run",
        "%d %s of geoms within one robot overlap in the reference pose, most %s and %s by %.3g mm; "
        "they collide only after they have come apart",
        count, count > 1 ? "pairs" : "pair", geom_name(model, deepest.geom1, name[0]),
        geom_name(model, deepest.geom2, name[1]), 1e3 * deepest.depth);
}

/* sdf_frame.c: where things are.
 *
 * A pose is relative to the frame that its relative_to names, else: of a link to its model, of a
 * frame to what it is attached to, of a joint to its child, of a model to what it is in. So poses
 * form chains that end at the world; a chain that comes back to itself is an error. */
#include "sdf.h"

#include <stdio.h>
#include <string.h>

TnSdfFrame *tn_sdf_find(TnSdf *s, TnSdfScope *scope, const char *name)
{
    static const TnMjcfNameKind kinds[] = {TN_NAMED_LINK, TN_NAMED_FRAME, TN_NAMED_JOINT};
    char full[1024];
    if (strcmp(name, "world") == 0) return &s->world->frame;
    if (strcmp(name, "__model__") == 0) return &scope->frame;
    int length = snprintf(full, sizeof full, "%s%s", scope->prefix, name);
    if (length < 0 || (size_t)length >= sizeof full) return NULL;
    for (int i = 0; i < 3; i++) {
        const TnMjcfName *found = tn_mjcf_name_find(s->m, kinds[i], full);
        if (found) return (TnSdfFrame *)found->data;
    }
    return NULL;
}

TnSdfFrame *tn_sdf_refer(TnSdf *s, TnSdfScope *scope, const TnXmlElement *e, const char *name)
{
    TnSdfFrame *found = tn_sdf_find(s, scope, name);
    if (!found)
        tn_mjcf_error(s->m, e, "there is no link, joint, frame or model named '%.60s' in %s%.60s",
                      name, scope->outer ? "model " : "the world",
                      scope->outer ? scope->frame.name : "");
    return found;
}

/* What its pose is relative to; NULL after an error. */
static TnSdfFrame *base_of(TnSdf *s, TnSdfFrame *frame)
{
    const char *name = frame->pose ? tn_urdf_text(frame->pose, "relative_to") : NULL;
    if (name) return tn_sdf_refer(s, frame->pose_scope, frame->pose, name);
    if (frame->kind == TN_SDF_JOINT) {
        name = tn_sdf_text(s, frame->element, "child");
        if (!name) return NULL; /* told where the joint was read */
    }
    if (frame->kind == TN_SDF_FRAME) name = tn_urdf_text(frame->element, "attached_to");
    if (name) return tn_sdf_refer(s, frame->scope, frame->element, name);
    return frame->scope ? &frame->scope->frame : NULL;
}

/* In the axes of a model, of something in it; walks up, so that the model need not be placed yet.
 */
static TnMjcfPose within(TnSdf *s, TnSdfFrame *frame, const TnSdfScope *model)
{
    TnMjcfPose pose = tn_mjcf_identity();
    TnSdfFrame *at = frame;
    for (int steps = 0; at && at != &model->frame; steps++) {
        TnMjcfPose own = tn_sdf_pose(s, at->pose);
        pose = tn_mjcf_compose(&own, &pose);
        at = at == &s->world->frame || steps > TN_XML_DEPTH_LIMIT ? NULL : base_of(s, at);
    }
    if (!at)
        tn_mjcf_error(s->m, frame->element,
                      "the placement frame '%.60s' is not placed in its model", frame->name);
    return pose;
}

/* A model whose placement frame stands at its pose. */
static void place_model(TnSdf *s, TnSdfScope *model, TnMjcfPose *world)
{
    TnSdfFrame *frame =
        model->placement ? tn_sdf_refer(s, model, model->frame.element, model->placement) : NULL;
    if (!frame) return;
    TnMjcfPose inside = within(s, frame, model), back = tn_mjcf_inverse(&inside);
    *world = tn_mjcf_compose(world, &back);
}

TnMjcfPose tn_sdf_world(TnSdf *s, TnSdfFrame *frame)
{
    if (frame->state == TN_SDF_KNOWN) return frame->world;
    bool circle = frame->state == TN_SDF_BUSY;
    if (circle || s->chain > TN_XML_DEPTH_LIMIT) {
        if (s->m->err.count == 0)
            tn_mjcf_error(s->m, frame->element,
                          circle ? "poses are relative to each other in a circle, by '%.60s'"
                                 : "poses are chained too deep, by '%.60s'",
                          frame->name);
        return tn_mjcf_identity();
    }
    frame->state = TN_SDF_BUSY;
    s->chain++;
    TnSdfFrame *base = base_of(s, frame);
    TnMjcfPose own = tn_sdf_pose(s, frame->pose), outer = tn_mjcf_identity();
    if (base) outer = tn_sdf_world(s, base);
    frame->world = tn_mjcf_compose(&outer, &own);
    if (frame->kind == TN_SDF_SCOPE) place_model(s, (TnSdfScope *)frame, &frame->world);
    s->chain--;
    frame->state = TN_SDF_KNOWN;
    return frame->world;
}

TnMjcfPose tn_sdf_pose_in_world(TnSdf *s, TnSdfScope *scope, const TnXmlElement *pose,
                                TnSdfFrame *otherwise)
{
    const char *name = pose ? tn_urdf_text(pose, "relative_to") : NULL;
    TnSdfFrame *base = name ? tn_sdf_refer(s, scope, pose, name) : otherwise;
    TnMjcfPose own = tn_sdf_pose(s, pose), outer = tn_mjcf_identity();
    if (base) outer = tn_sdf_world(s, base);
    return tn_mjcf_compose(&outer, &own);
}

TnSdfLink *tn_sdf_link_of(TnSdf *s, TnSdfFrame *frame, const TnXmlElement *from)
{
    for (int steps = 0; frame && steps < TN_XML_DEPTH_LIMIT; steps++) {
        TnSdfScope *scope = (TnSdfScope *)frame;
        const char *name = NULL;
        switch (frame->kind) {
        case TN_SDF_LINK:
            return (TnSdfLink *)frame;
        case TN_SDF_SCOPE:
            if (frame == &s->world->frame) return NULL;
            if (!scope->canonical && scope->first_link) return scope->first_link;
            if (!scope->canonical) {
                tn_mjcf_error(s->m, from, "model '%.60s' has no link", frame->name);
                return NULL;
            }
            frame = tn_sdf_refer(s, scope, frame->element, scope->canonical);
            continue;
        case TN_SDF_JOINT:
            name = tn_sdf_text(s, frame->element, "child");
            if (!name) return NULL;
            break;
        case TN_SDF_FRAME:
            name = tn_urdf_text(frame->element, "attached_to");
            break;
        }
        frame = name ? tn_sdf_refer(s, frame->scope, frame->element, name) : &frame->scope->frame;
    }
    if (frame)
        tn_mjcf_error(s->m, from, "frames are attached to each other in a circle, by '%.60s'",
                      frame->name);
    return NULL;
}

/* sdf.c: an SDF file: the world, its models, and what they have in them.
 *
 * A file has a world with models, or one model alone. Of a model alone the parts have their own
 * names, else that of the model stands in front. */
#include "sdf.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 64 }; /* of models in models */

static bool is(const TnXmlElement *e, const char *name) { return strcmp(e->name, name) == 0; }

static const char *join(TnSdf *s, const char *a, const char *b, const char *c)
{
    size_t room = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = tn_io_alloc(&s->m->pool, room);
    if (text) snprintf(text, room, "%s%s%s", a, b, c);
    return text;
}

/* Its name, and what is known by that name; false after an error. */
static bool name_frame(TnSdf *s, TnSdfFrame *frame, TnMjcfNameKind kind, const char *name)
{
    if (!name) name = tn_urdf_text(frame->element, "name");
    if (!name) {
        tn_mjcf_error(s->m, frame->element, "attribute 'name' is missing");
        return false;
    }
    frame->name = join(s, frame->scope->prefix, name, "");
    return frame->name && tn_mjcf_name_add(s->m, kind, frame->element, frame->name, 0, frame);
}

static TnSdfFrame new_frame(TnSdfKind kind, TnSdfScope *scope, const TnXmlElement *e)
{
    return (TnSdfFrame){.kind = kind,
                        .element = e,
                        .scope = scope,
                        .pose = tn_urdf_child(e, "pose"),
                        .pose_scope = scope};
}

/* ---- parts of a model ---- */

static void read_link(TnSdf *s, TnSdfScope *scope, const TnXmlElement *e)
{
    tn_sdf_expect(s, e, "pose inertial visual collision gravity self_collide");
    TnSdfLink *link = TN_IO_NEW(&s->m->pool, TnSdfLink);
    if (!link) return;
    *link = (TnSdfLink){.frame = new_frame(TN_SDF_LINK, scope, e)};
    if (!name_frame(s, &link->frame, TN_NAMED_LINK, NULL)) return;
    link->self_collide = tn_sdf_flag(s, e, "self_collide", scope->self_collide);
    link->collides = tn_urdf_child(e, "collision") != NULL;
    if (s->last_link)
        s->last_link->next = link;
    else
        s->links = link;
    s->last_link = link;
    if (!scope->first_link) scope->first_link = link;
    if (link->collides && scope->top && !scope->is_static) scope->top->collidable++;
}

static void read_frame(TnSdf *s, TnSdfScope *scope, const TnXmlElement *e)
{
    tn_sdf_expect(s, e, "pose");
    TnSdfFrame *frame = TN_IO_NEW(&s->m->pool, TnSdfFrame);
    if (!frame) return;
    *frame = new_frame(TN_SDF_FRAME, scope, e);
    name_frame(s, frame, TN_NAMED_FRAME, NULL);
}

static void read_include(TnSdf *s, TnSdfScope *scope, const TnXmlElement *e)
{
    double version = scope->version;
    tn_sdf_expect(s, e, "uri name pose static placement_frame");
    if (tn_urdf_text(e, "merge") && strcmp(tn_urdf_text(e, "merge"), "false") != 0) {
        tn_mjcf_error_attr(s->m, e, "merge",
                           "merge is not supported; without it the model keeps its own name");
        return;
    }
    const TnXmlElement *model = tn_sdf_enter(s, e, &version);
    if (!model) return;
    tn_sdf_read_model(s, scope, model, e, version, true);
    tn_sdf_leave(s);
}

static void read_parts(TnSdf *s, TnSdfScope *scope, const TnXmlElement *element)
{
    for (const TnXmlElement *e = element->first; e; e = e->next) {
        if (s->m->pool.failed) return;
        if (is(e, "link") && scope->outer) read_link(s, scope, e);
        if (is(e, "joint")) tn_sdf_read_joint(s, scope, e);
        if (is(e, "frame")) read_frame(s, scope, e);
        if (is(e, "model")) tn_sdf_read_model(s, scope, e, NULL, scope->version, true);
        if (is(e, "include")) read_include(s, scope, e);
    }
}

void tn_sdf_read_model(TnSdf *s, TnSdfScope *outer, const TnXmlElement *model,
                       const TnXmlElement *include, double version, bool prefix)
{
    tn_sdf_expect(s, model, "pose static self_collide link joint frame model include");
    TnSdfScope *scope = TN_IO_NEW(&s->m->pool, TnSdfScope);
    if (!scope) return;
    *scope = (TnSdfScope){.frame = new_frame(TN_SDF_SCOPE, outer, model),
                          .outer = outer,
                          .version = version,
                          .prefix = "",
                          .placement = tn_urdf_text(model, "placement_frame"),
                          .canonical = tn_urdf_text(model, "canonical_link")};
    scope->top = outer->outer ? outer->top : scope;
    scope->is_static = outer->is_static || tn_sdf_flag(s, model, "static", false);
    scope->self_collide = tn_sdf_flag(s, model, "self_collide", false);
    const char *name = include ? tn_sdf_text(s, include, "name") : NULL;
    if (include && tn_urdf_child(include, "pose")) {
        scope->frame.pose = tn_urdf_child(include, "pose");
        if (tn_sdf_text(s, include, "placement_frame"))
            scope->placement = tn_sdf_text(s, include, "placement_frame");
        else
            scope->placement = NULL;
    }
    if (include)
        scope->is_static = outer->is_static || tn_sdf_flag(s, include, "static", scope->is_static);
    if (++s->depth > DEPTH) {
        tn_mjcf_error(s->m, model, "models are nested more than %d deep", DEPTH);
    } else if (prefix && name_frame(s, &scope->frame, TN_NAMED_FRAME, name)) {
        scope->prefix = join(s, scope->frame.name, "::", "");
    } else if (!prefix) {
        scope->frame.name = tn_urdf_text(model, "name");
        if (!scope->frame.name) scope->frame.name = "model";
    }
    if (s->m->err.count == 0 && scope->prefix) read_parts(s, scope, model);
    s->depth--;
}

/* ---- the file ---- */

static void read_world(TnSdf *s, const TnXmlElement *e)
{
    static const double gravity[3] = {0, 0, -9.8}; /* SDF's own */
    tn_sdf_expect(s, e, "gravity physics magnetic_field model include frame joint");
    TnOption *option = &s->m->option;
    memcpy(option->gravity, gravity, sizeof gravity);
    tn_sdf_numbers(s, e, "gravity", option->gravity, 3);
    tn_sdf_numbers(s, e, "magnetic_field", option->magnetic, 3);
    const TnXmlElement *physics = tn_urdf_child(e, "physics");
    if (physics) {
        tn_sdf_expect(s, physics,
                      "max_step_size real_time_factor real_time_update_rate ode bullet dart "
                      "simbody max_contacts gravity magnetic_field");
        tn_sdf_numbers(s, physics, "max_step_size", &option->timestep, 1);
        tn_sdf_numbers(s, physics, "gravity", option->gravity, 3); /* before SDF 1.6 */
    }
    s->m->option_place = tn_xml_place(e);
    read_parts(s, s->world, e);
}

static void read_file(TnSdf *s, const TnXmlElement *root)
{
    const TnXmlElement *world = tn_urdf_child(root, "world"), *model = NULL;
    int models = 0;
    tn_sdf_expect(s, root, "world model");
    for (const TnXmlElement *e = root->first; e; e = e->next) {
        if (is(e, "model") && models++ == 0) model = e;
        if (is(e, "world") && e != world)
            tn_mjcf_error(s->m, e, "a file has one world; this is another one");
    }
    const TnXmlElement *named = world ? world : model;
    if (!named) {
        tn_mjcf_error(s->m, root, "the file has neither a <world> nor a <model>");
        return;
    }
    if (tn_urdf_text(named, "name"))
        tn_builder_set_name(s->m->builder, tn_urdf_text(named, "name"));
    if (world) read_world(s, world);
    for (const TnXmlElement *e = root->first; e; e = e->next)
        if (is(e, "model"))
            tn_sdf_read_model(s, s->world, e, NULL, s->world->version, world || models > 1);
}

void tn_sdf_interpret(TnMjcf *m, const TnLoadDef *load)
{
    TnSdf s = {.m = m, .urdf = {.m = m, .load = load}};
    TnSdfScope world = {.frame = {.kind = TN_SDF_SCOPE,
                                  .element = m->root,
                                  .name = "world",
                                  .state = TN_SDF_KNOWN,
                                  .world = tn_mjcf_identity()},
                        .prefix = "",
                        .version = 1.4};
    s.world = &world;
    m->option = tn_option();
    m->option.timestep = 0.002; /* as for URDF */
    m->option_place = tn_xml_place(m->root);
    tn_mjcf_start_view(m);
    tn_urdf_number(&s.urdf, m->root, "version", &world.version);
    read_file(&s, m->root);
    if (m->err.count == 0) tn_sdf_connect(&s);
    if (m->err.count == 0) tn_sdf_add_links(&s);
    if (m->err.count == 0) tn_sdf_add_mimics(&s);
    tn_builder_set_option(m->builder, &m->option, m->option_place);
    tn_builder_set_view(m->builder, &m->view);
}

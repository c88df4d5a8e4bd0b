/* mjcf_looks.c: <texture>, <material>, <light> and the headlight.
 *
 * Files of textures are checked here (kind, size, completeness) and kept as they are; their pixels
 * are unpacked when a scene is made. */
#include "../../base/base.h"
#include "../io_file.h"
#include "../io_reach.h"
#include "../picture/picture.h"
#include "mjcf.h"

#include <string.h>

#define DEGREE (M_PI / 180)

/* Pixels of a texture's file, unless TnLoadDef.limit_factor raises it: unpacked they take 3 bytes
 * each, so this is less than the 256 MB that a file may have. */
#define LIMIT_PIXELS ((int64_t)1 << 26)
#define MOST_PIXELS ((int64_t)TN_MOST_TEXTURE_SIDE * TN_MOST_TEXTURE_SIDE)

/* ---- textures ---- */

static bool check_picture(TnMjcf *m, const TnXmlElement *e, const char *attr, const char *path,
                          const TnIoFile *file)
{
    TnPixels about;
    if (!tn_picture_check(file->text, file->size, &about)) {
        if (about.fault[0])
            tn_mjcf_error_attr(m, e, attr, "'%.300s': %s", path, about.fault);
        else
            m->pool.failed = true;
        return false;
    }
    int64_t limit = tn_load_limit(m->load, LIMIT_PIXELS, MOST_PIXELS);
    if ((int64_t)about.width * about.height > limit) {
        tn_mjcf_error_attr(m, e, attr,
                           "'%.300s': it has %d × %d pixels, more than %lld" TN_RAISE_LIMIT, path,
                           about.width, about.height, (long long)limit);
        return false;
    }
    if (about.unread)
        tn_mjcf_remark(m, TN_REMARK_PICTURE, tn_xml_attr_place(e, tn_xml_attr(e, attr)), e->name);
    return true;
}

/* Into the pool. */
static bool read_picture(TnMjcf *m, const TnXmlElement *e, const char *name, TnPicture *out)
{
    const TnXmlAttr *attr = tn_xml_attr(e, name);
    const char *wanted = tn_mjcf_texture_path(m, attr->value);
    const char *path = wanted ? tn_mjcf_resolve(m, e, wanted) : NULL;
    TnIoFile file;
    if (!path ||
        !tn_io_read_file(m->load, path, tn_xml_attr_place(e, attr), e->name, &file, &m->err))
        return false;
    bool good = check_picture(m, e, name, path, &file);
    char *copy = good ? tn_io_alloc(&m->pool, file.size) : NULL;
    if (copy) {
        memcpy(copy, file.text, file.size);
        *out = (TnPicture){.data = copy, .size = file.size, .file = path};
    }
    tn_free(file.text);
    return copy != NULL;
}

/* False and an error where there is neither a file nor something built in, or both. */
static bool read_pictures(TnMjcf *m, const TnXmlElement *e, TnTextureDef *def)
{
    static const char *const sides[TN_TEXTURE_FACES] = {"fileright", "fileleft",  "fileup",
                                                        "filedown",  "filefront", "fileback"};
    bool one = tn_xml_attr(e, "file") != NULL, good = true;
    int count = 0;
    for (int i = 0; i < TN_TEXTURE_FACES; i++) count += tn_xml_attr(e, sides[i]) != NULL;
    if (one && count > 0) {
        tn_mjcf_error(m, e, "only one of file and a file for each side can be given");
        return false;
    }
    if (count > 0 && def->type == TN_TEXTURE_2D) {
        tn_mjcf_error(m, e, "files for sides need type=\"cube\" or type=\"skybox\"");
        return false;
    }
    if (!one && count == 0 && def->builtin == TN_BUILTIN_NONE) {
        tn_mjcf_error(m, e, "attribute 'file' or 'builtin' is missing");
        return false;
    }
    if (one) good = read_picture(m, e, "file", &def->pictures[0]);
    for (int i = 0; i < TN_TEXTURE_FACES; i++)
        if (tn_xml_attr(e, sides[i])) good &= read_picture(m, e, sides[i], &def->pictures[i]);
    if (one || count > 0) def->builtin = TN_BUILTIN_NONE;
    return good;
}

static bool read_grid(TnMjcf *m, const TnXmlElement *e, const TnMjcfView *view, TnTextureDef *def)
{
    double grid[2] = {1, 1};
    const char *layout = tn_mjcf_text(view, "gridlayout");
    int count = tn_mjcf_reals(m, view, "gridsize", grid, 2);
    if (layout && (strlen(layout) > 12 || layout[strspn(layout, "RLUDFB.")])) {
        tn_mjcf_error_attr(m, e, "gridlayout",
                           "gridlayout has one of R L U D F B or . for each cell, at most 12");
        return false;
    }
    if (layout) memcpy(def->layout, layout, strlen(layout));
    if (count == 0) return true;
    if (!(grid[0] >= 1 && grid[1] >= 1 && grid[0] * grid[1] <= 12)) {
        tn_mjcf_error_attr(m, e, "gridsize", "gridsize is rows and columns of at most 12 cells");
        return false;
    }
    for (int k = 0; k < 2; k++) def->grid[k] = (int)grid[k];
    return true;
}

TnTextureId tn_mjcf_texture(TnMjcf *m, const TnXmlElement *e, const char *name)
{
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, "texture");
    static const TnTextureType types[] = {TN_TEXTURE_2D, TN_TEXTURE_CUBE, TN_TEXTURE_SKYBOX};
    TnTextureDef def = tn_texture_def();
    def.name = name;
    def.source = tn_xml_place(e);
    def.type = types[tn_mjcf_word(&view, "type", "2d cube skybox", 1)];
    def.builtin = (TnTextureBuiltin)tn_mjcf_word(&view, "builtin", "none gradient checker flat", 0);
    def.mark = (TnTextureMark)tn_mjcf_word(&view, "mark", "none edge cross random", 0);
    tn_mjcf_reals(m, &view, "rgb1", def.rgb1, 3);
    tn_mjcf_reals(m, &view, "rgb2", def.rgb2, 3);
    tn_mjcf_reals(m, &view, "markrgb", def.mark_rgb, 3);
    tn_mjcf_reals(m, &view, "random", &def.random, 1);
    def.width = tn_mjcf_int(m, &view, "width", 0);
    def.height = tn_mjcf_int(m, &view, "height", 0);
    def.flip_x = tn_mjcf_bool(&view, "hflip", false);
    def.flip_y = tn_mjcf_bool(&view, "vflip", false);
    if (!name && def.type != TN_TEXTURE_SKYBOX) tn_mjcf_error(m, e, "attribute 'name' is missing");
    bool good = read_grid(m, e, &view, &def) && read_pictures(m, e, &def);
    return good ? tn_builder_add_texture(m->builder, &def) : 0;
}

/* ---- materials ---- */

/* The layer with the colour; others are told. */
static const TnMjcfName *read_layers(TnMjcf *m, const TnXmlElement *e)
{
    const TnMjcfName *color = NULL;
    for (const TnXmlElement *child = e->first; child; child = child->next) {
        if (!tn_mjcf_check_leaf(m, TN_GROUP_MATERIAL, child)) continue;
        const TnMjcfName *texture = tn_mjcf_refer(m, TN_NAMED_TEXTURE, child, "texture");
        const TnXmlAttr *role = tn_xml_attr(child, "role");
        if (role && tn_mjcf_word_index("rgb rgba", role->value) >= 0)
            color = texture;
        else
            tn_mjcf_remark(m, TN_REMARK_LAYER, tn_xml_place(child), child->name);
    }
    return color;
}

static double share(TnMjcf *m, const TnMjcfView *view, const char *name, double usual, double least)
{
    const TnXmlElement *holder = view->element;
    double value = tn_mjcf_real(m, view, name, usual);
    if (value >= least && value <= 1) return value;
    tn_mjcf_find(view, name, &holder);
    tn_mjcf_error_attr(m, holder, name, "%s must lie between 0 and 1 (%g)", name, value);
    return usual;
}

void tn_mjcf_material(TnMjcf *m, const TnXmlElement *e)
{
    if (strcmp(e->name, "material") != 0 || !tn_mjcf_check(m, TN_GROUP_ASSET, e)) return;
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, "material");
    TnMaterialDef def = tn_material_def();
    def.name = tn_mjcf_text(&view, "name");
    def.source = tn_xml_place(e);
    tn_mjcf_reals(m, &view, "rgba", def.rgba, 4);
    tn_mjcf_reals(m, &view, "texrepeat", def.texture_repeat, 2);
    def.texture_uniform = tn_mjcf_bool(&view, "texuniform", false);
    def.emission = tn_mjcf_real(m, &view, "emission", def.emission);
    def.specular = share(m, &view, "specular", def.specular, 0);
    def.shininess = share(m, &view, "shininess", def.shininess, 0);
    def.reflectance = share(m, &view, "reflectance", def.reflectance, 0);
    def.metallic = share(m, &view, "metallic", def.metallic, -1);
    def.roughness = share(m, &view, "roughness", def.roughness, -1);
    const TnXmlElement *holder = NULL;
    const TnMjcfName *texture = tn_mjcf_find(&view, "texture", &holder)
                                    ? tn_mjcf_refer(m, TN_NAMED_TEXTURE, holder, "texture")
                                    : NULL;
    const TnMjcfName *layer = read_layers(m, e);
    if (layer) texture = layer;
    def.texture = texture ? texture->id : 0;
    if (!tn_xml_attr(e, "name")) tn_mjcf_error(m, e, "attribute 'name' is missing");
    double *rgba = tn_io_alloc(&m->pool, sizeof def.rgba);
    if (!rgba) return;
    memcpy(rgba, def.rgba, sizeof def.rgba);
    TnMaterialId id = tn_builder_add_material(m->builder, &def);
    tn_mjcf_name_add(m, TN_NAMED_MATERIAL, e, def.name, id, rgba);
}

/* ---- lights ---- */

typedef struct TnMjcfLight {
    TnLightDef def;
    const TnXmlElement *element;
    struct TnMjcfLight *next;
} Light;

static void read_colors(TnMjcf *m, const TnMjcfView *view, TnLightDef *def)
{
    tn_mjcf_reals(m, view, "ambient", def->ambient, 3);
    tn_mjcf_reals(m, view, "diffuse", def->diffuse, 3);
    tn_mjcf_reals(m, view, "specular", def->specular, 3);
    tn_mjcf_reals(m, view, "attenuation", def->attenuation, 3);
    tn_mjcf_reals(m, view, "exponent", &def->exponent, 1);
    double degrees;
    if (tn_mjcf_reals(m, view, "cutoff", &degrees, 1)) def->cutoff = degrees * DEGREE;
}

static void read_type(TnMjcf *m, const TnMjcfView *view, TnLightDef *def)
{
    static const TnLightType types[] = {TN_LIGHT_SPOT, TN_LIGHT_DIRECTIONAL, TN_LIGHT_POINT,
                                        TN_LIGHT_SPOT};
    int type = tn_mjcf_word(view, "type", "spot directional point image",
                            tn_mjcf_bool(view, "directional", false));
    def->type = types[type < 0 ? 0 : type];
    if (type != 3) return;
    def->active = false;
    tn_mjcf_remark(m, TN_REMARK_IMAGE_LIGHT, tn_xml_place(view->element), view->element->name);
}

static void read_place(TnMjcf *m, const TnMjcfView *view, const TnMjcfPose *frame, TnLightDef *def)
{
    TnMjcfPose pose = tn_mjcf_identity();
    double dir[3] = {0, 0, -1};
    tn_mjcf_reals(m, view, "pos", pose.pos, 3);
    tn_mjcf_reals(m, view, "dir", dir, 3);
    if (dir[0] == 0 && dir[1] == 0 && dir[2] == 0) {
        tn_mjcf_error_attr(m, view->element, "dir", "dir has no length");
        dir[2] = -1;
    }
    pose = tn_mjcf_compose(frame, &pose);
    memcpy(def->pos, pose.pos, sizeof def->pos);
    tn_mjcf_rotate(frame->quat, dir, def->dir);
}

void tn_mjcf_light(TnMjcf *m, const TnXmlElement *e, const TnMjcfClass *class_,
                   const TnMjcfPose *frame, TnBodyId body)
{
    static const TnCameraMode modes[] = {TN_CAMERA_FIXED, TN_CAMERA_TRACK, TN_CAMERA_TRACK,
                                         TN_CAMERA_TARGET, TN_CAMERA_TARGET};
    if (!tn_mjcf_check_leaf(m, TN_GROUP_BODY, e)) return;
    TnMjcfView view = tn_mjcf_view(m, e, class_, "light");
    Light *light = TN_IO_NEW(&m->pool, Light);
    if (!light) return;
    light->element = e;
    TnLightDef *def = &light->def;
    *def = tn_light_def();
    def->name = tn_mjcf_text(&view, "name");
    def->body = body;
    def->source = tn_xml_place(e);
    int mode = tn_mjcf_word(&view, "mode", "fixed track trackcom targetbody targetbodycom", 0);
    if (mode == 2 || mode == 4) tn_mjcf_remark(m, TN_REMARK_CAMERA_COM, tn_xml_place(e), e->name);
    def->mode = modes[mode < 0 ? 0 : mode];
    def->active = tn_mjcf_bool(&view, "active", true);
    def->cast_shadow = tn_mjcf_bool(&view, "castshadow", true);
    read_place(m, &view, frame, def);
    read_colors(m, &view, def);
    read_type(m, &view, def);
    if (m->last_light)
        m->last_light->next = light;
    else
        m->lights = light;
    m->last_light = light;
}

void tn_mjcf_finish_lights(TnMjcf *m)
{
    for (Light *light = m->lights; light; light = light->next) {
        const TnXmlElement *e = light->element;
        const TnMjcfName *target = tn_mjcf_refer(m, TN_NAMED_BODY, e, "target");
        TnLightDef *def = &light->def;
        def->target = target ? target->id : 0;
        if (def->mode == TN_CAMERA_TARGET && !tn_xml_attr(e, "target")) def->mode = TN_CAMERA_FIXED;
        TnLightId id = tn_builder_add_light(m->builder, def);
        tn_mjcf_name_add(m, TN_NAMED_LIGHT, e, def->name, id, NULL);
    }
}

void tn_mjcf_headlight(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    m->view.has_headlight = true;
    tn_mjcf_reals(m, &view, "ambient", m->view.headlight_ambient, 3);
    tn_mjcf_reals(m, &view, "diffuse", m->view.headlight_diffuse, 3);
    tn_mjcf_reals(m, &view, "specular", m->view.headlight_specular, 3);
    m->view.no_headlight = tn_mjcf_int(m, &view, "active", 1) == 0;
}

/* mjcf_write_looks.c: textures, materials, lights. Files of textures are written as they were
 * given, byte for byte. */
#include "mjcf_write.h"

#include <string.h>

/* A file beside the model with the bytes of a picture. */
static void write_picture(TnWriter *w, const char *attr, const char *name, const TnPicture *picture)
{
    TnText *text;
    const uint8_t *bytes = picture->data;
    bool jpeg = picture->size > 1 && bytes[0] == 0xff && bytes[1] == 0xd8;
    const char *file = tn_write_beside(w, name, jpeg ? ".jpg" : ".png", &text);
    if (!file) return;
    tn_write_text(w, attr, file);
    TnText *main_text = w->out;
    w->out = text;
    tn_write_raw(w, picture->data, picture->size);
    w->out = main_text;
}

static void write_pictures(TnWriter *w, const TnTextureDef *def, const char *name)
{
    static const char *const sides[TN_TEXTURE_FACES] = {"fileright", "fileleft",  "fileup",
                                                        "filedown",  "filefront", "fileback"};
    bool separate = false;
    for (int i = 1; i < TN_TEXTURE_FACES; i++) separate |= def->pictures[i].size > 0;
    for (int i = 0; i < TN_TEXTURE_FACES; i++)
        if (def->pictures[i].size)
            write_picture(w, separate ? sides[i] : "file", name, &def->pictures[i]);
}

static void write_texture(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_WORDS(TnTextureDef, "builtin", builtin, "none gradient checker flat"),
        TN_WORDS(TnTextureDef, "mark", mark, "none edge cross random"),
        TN_REALS(TnTextureDef, "rgb1", rgb1, 3),
        TN_REALS(TnTextureDef, "rgb2", rgb2, 3),
        TN_REALS(TnTextureDef, "markrgb", mark_rgb, 3),
        TN_REAL(TnTextureDef, "random", random),
        TN_INT(TnTextureDef, "width", width),
        TN_INT(TnTextureDef, "height", height),
        TN_BOOL(TnTextureDef, "hflip", flip_x),
        TN_BOOL(TnTextureDef, "vflip", flip_y),
    };
    static const char *const types[] = {"2d", "cube", "skybox"};
    const TnTextureDef *def = &w->d.textures[i], usual = tn_texture_def();
    const char *name = tn_write_name(w, TN_WRITTEN_TEXTURE, i + 1);
    tn_write_open(w, "texture");
    tn_write_text(w, "name", name);
    tn_write_text(w, "type", (unsigned)def->type <= TN_TEXTURE_SKYBOX ? types[def->type] : "");
    TN_WRITE_FIELDS(w, fields, def, &usual);
    if (def->grid[0] != 1 || def->grid[1] != 1)
        tn_write_ints(w, "gridsize", (const int32_t[]){def->grid[0], def->grid[1]}, 2);
    if (strcmp(def->layout, usual.layout) != 0) tn_write_text(w, "gridlayout", def->layout);
    write_pictures(w, def, name);
    tn_write_close(w);
}

static void write_material(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REALS(TnMaterialDef, "rgba", rgba, 4),
        TN_REALS(TnMaterialDef, "texrepeat", texture_repeat, 2),
        TN_BOOL(TnMaterialDef, "texuniform", texture_uniform),
        TN_REAL(TnMaterialDef, "emission", emission),
        TN_REAL(TnMaterialDef, "specular", specular),
        TN_REAL(TnMaterialDef, "shininess", shininess),
        TN_REAL(TnMaterialDef, "reflectance", reflectance),
        TN_REAL(TnMaterialDef, "metallic", metallic),
        TN_REAL(TnMaterialDef, "roughness", roughness),
    };
    const TnMaterialDef *def = &w->d.materials[i], usual = tn_material_def();
    tn_write_open(w, "material");
    tn_write_text(w, "name", tn_write_name(w, TN_WRITTEN_MATERIAL, i + 1));
    if (def->texture)
        tn_write_text(w, "texture", tn_write_name(w, TN_WRITTEN_TEXTURE, def->texture));
    TN_WRITE_FIELDS(w, fields, def, &usual);
    tn_write_close(w);
}

void tn_write_looks(TnWriter *w)
{
    for (int i = 0; i < w->d.texture_count; i++) write_texture(w, i);
    for (int i = 0; i < w->d.material_count; i++) write_material(w, i);
}

void tn_write_light(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_WORDS(TnLightDef, "type", type, "spot directional point"),
        TN_WORDS(TnLightDef, "mode", mode, "fixed track targetbody"),
        TN_BOOL(TnLightDef, "active", active),
        TN_BOOL(TnLightDef, "castshadow", cast_shadow),
        TN_REALS(TnLightDef, "pos", pos, 3),
        TN_REALS(TnLightDef, "dir", dir, 3),
        TN_REALS(TnLightDef, "ambient", ambient, 3),
        TN_REALS(TnLightDef, "diffuse", diffuse, 3),
        TN_REALS(TnLightDef, "specular", specular, 3),
        TN_REALS(TnLightDef, "attenuation", attenuation, 3),
        TN_REAL(TnLightDef, "exponent", exponent),
    };
    const TnLightDef *light = &w->d.lights[i], usual = tn_light_def();
    tn_write_open(w, "light");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_LIGHT, i + 1));
    TN_WRITE_FIELDS(w, fields, light, &usual);
    if (light->cutoff != usual.cutoff) tn_write_real(w, "cutoff", tn_write_degrees(light->cutoff));
    if (light->target) tn_write_text(w, "target", tn_write_name(w, TN_WRITTEN_BODY, light->target));
    tn_write_close(w);
}

void tn_write_atmosphere(TnWriter *w)
{
    const TnView *view = &w->d.view;
    if (view->has_headlight) {
        tn_write_open(w, "headlight");
        tn_write_reals(w, "ambient", view->headlight_ambient, 3);
        tn_write_reals(w, "diffuse", view->headlight_diffuse, 3);
        tn_write_reals(w, "specular", view->headlight_specular, 3);
        if (view->no_headlight) tn_write_int(w, "active", 0);
        tn_write_close(w);
    }
    if (!view->has_haze) return;
    const double rgba[4] = {view->haze[0], view->haze[1], view->haze[2], 1};
    tn_write_open(w, "rgba");
    tn_write_reals(w, "haze", rgba, 4);
    tn_write_close(w);
}

/* scene_looks.c: textures, materials and lights of a model as a scene has them. */
#include "scene_looks.h"

#include "../base/base.h"
#include "picture/picture.h"

TnSceneMaterial tn_scene_material(const TnMaterialDef *def, const TnSceneTextures *textures)
{
    /* Highlights of a rough surface are as wide as those of a microfacet model: n = 2/r⁴ - 2,
     * where MuJoCo's shininess 1 is n = 128; and the weaker, the wider they are. */
    double r = def->roughness < 0 ? 0 : def->roughness < 0.3 ? 0.3 : def->roughness;
    double shininess = def->roughness < 0 ? def->shininess : (2 / (r * r * r * r) - 2) / 128;
    return (TnSceneMaterial){
        .texture = def->texture ? textures->place[def->texture - 1] + 1 : 0,
        .texture_repeat = {(float)def->texture_repeat[0], (float)def->texture_repeat[1]},
        .texture_uniform = def->texture_uniform,
        .emission = (float)def->emission,
        .specular = (float)(def->specular * (1 - (def->roughness < 0 ? 0 : def->roughness))),
        .shininess = (float)(shininess > 1 ? 1 : shininess),
        .reflectance = (float)def->reflectance,
        .metallic = def->metallic < 0 ? 0 : (float)def->metallic};
}

bool tn_light_shines(const TnLightDef *light)
{
    const double *d = light->diffuse;
    return light->active && d[0] + d[1] + d[2] > 0;
}

TnSceneLight tn_scene_light(const TnLightDef *def)
{
    TnSceneLight light = {.type = def->type,
                          .body = def->body,
                          .target = def->target,
                          .mode = def->mode,
                          .cast_shadow = def->cast_shadow,
                          .cutoff = (float)def->cutoff,
                          .exponent = (float)def->exponent};
    for (int k = 0; k < 3; k++) {
        light.pos[k] = (float)def->pos[k];
        light.dir[k] = (float)def->dir[k];
        light.ambient[k] = (float)def->ambient[k];
        light.diffuse[k] = (float)def->diffuse[k];
        light.specular[k] = (float)def->specular[k];
        light.attenuation[k] = (float)def->attenuation[k];
    }
    return light;
}

/* Marks textures that are drawn by 0: those of materials that geoms wear, and the first sky. */
static void choose_textures(const TnModel *model, const TnModelInfo *info, int *place)
{
    for (int i = 0; i < info->texture_count; i++) place[i] = -1;
    for (TnGeomId id = 1; id <= info->geom_count; id++) {
        TnMaterialId material = tn_model_geom_info(model, id).material;
        TnTextureId texture = material ? tn_model_material_info(model, material).texture : 0;
        if (texture) place[texture - 1] = 0;
    }
    for (TnTextureId id = 1; id <= info->texture_count; id++)
        if (tn_model_texture_info(model, id).type == TN_TEXTURE_SKYBOX) {
            place[id - 1] = 0;
            break;
        }
}

void tn_scene_textures_free(TnSceneTextures *t, bool pixels)
{
    for (int i = 0; pixels && t->memory && t->memory[i]; i++) tn_free(t->memory[i]);
    if (pixels) tn_free(t->memory);
    tn_free(t->place);
    tn_free(t->list);
}

bool tn_scene_textures_make(const TnModel *model, TnSceneTextures *t)
{
    TnModelInfo info = tn_model_info(model);
    size_t count = (size_t)info.texture_count + 1;
    t->place = tn_malloc(count * sizeof *t->place);
    t->list = tn_calloc(count, sizeof *t->list);
    t->memory = tn_calloc(count, sizeof *t->memory);
    if (!t->place || !t->list || !t->memory) return false;
    choose_textures(model, &info, t->place);
    for (int i = 0; i < info.texture_count; i++) {
        if (t->place[i] < 0) continue;
        TnTextureDef def = tn_model_texture_info(model, i + 1);
        TnPixels pixels;
        if (!tn_texture_pixels(&def, &pixels)) return false;
        t->memory[t->count] = pixels.rgb;
        t->list[t->count] = (TnSceneTexture){def.type, pixels.width, pixels.height, pixels.rgb};
        t->place[i] = t->count++;
    }
    return true;
}

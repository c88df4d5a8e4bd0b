/* record_looks.c: textures, materials and lights of a scene as bytes and back. */
#include "../picture/picture.h"
#include "record_format.h"

#include <string.h>

/* ---- writing ---- */

/* Each byte less that of the pixel before: even areas become zeros. */
static void put_pixels(TnRecordOut *out, const uint8_t *rgb, size_t bytes)
{
    uint8_t *to = tn_record_put_room(out, bytes);
    for (size_t i = 0; to && i < bytes; i++) to[i] = (uint8_t)(rgb[i] - (i < 3 ? 0 : rgb[i - 3]));
}

static size_t most_of(const TnSceneTexture *textures, int count, int *largest)
{
    size_t sum = 0, most = 0;
    *largest = -1;
    for (int i = 0; i < count; i++) {
        size_t bytes = tn_texture_bytes(&textures[i]);
        bool may = textures[i].width > 1 || textures[i].height > 1;
        if (may && bytes > most) *largest = i, most = bytes;
        sum += bytes;
    }
    return sum;
}

/* The largest texture is halved, again and again, until all fit. Takes over `copy`, pixels on the
 * heap of those that changed. False: no memory. */
static bool fit_textures(TnSceneTexture *copy, uint8_t **own, int count, int64_t limit)
{
    int i;
    while ((int64_t)most_of(copy, count, &i) > limit && i >= 0) {
        size_t bytes = tn_texture_bytes(&copy[i]);
        if (!own[i]) {
            own[i] = tn_malloc(bytes);
            if (!own[i]) return false;
            memcpy(own[i], copy[i].rgb, bytes);
        }
        TnPixels pixels = {.width = copy[i].width, .height = copy[i].height, .rgb = own[i]};
        tn_pixels_halve(&pixels, copy[i].type == TN_TEXTURE_2D ? 1 : TN_TEXTURE_FACES);
        copy[i].width = pixels.width;
        copy[i].height = pixels.height;
        copy[i].rgb = own[i];
    }
    return true;
}

static bool put_textures(TnRecordOut *out, const TnScene *scene, int64_t limit)
{
    size_t count = (size_t)scene->texture_count;
    TnSceneTexture *copy = tn_malloc((count + 1) * sizeof *copy);
    uint8_t **own = tn_calloc(count + 1, sizeof *own);
    bool good = copy && own;
    if (good && count) memcpy(copy, scene->textures, count * sizeof *copy);
    good = good && fit_textures(copy, own, scene->texture_count, limit);
    if (good) tn_record_put_u32(out, (uint32_t)count);
    for (size_t i = 0; good && i < count; i++) {
        tn_record_put_u32(out, (uint32_t)copy[i].type);
        tn_record_put_u32(out, (uint32_t)copy[i].width);
        tn_record_put_u32(out, (uint32_t)copy[i].height);
        put_pixels(out, copy[i].rgb, tn_texture_bytes(&copy[i]));
    }
    for (size_t i = 0; own && i < count; i++) tn_free(own[i]);
    tn_free(own);
    tn_free(copy);
    return good;
}

static void put_materials(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->material_count);
    for (int i = 0; i < scene->material_count; i++) {
        const TnSceneMaterial *m = &scene->materials[i];
        const float values[7] = {m->texture_repeat[0], m->texture_repeat[1], m->emission,
                                 m->specular,          m->shininess,         m->reflectance,
                                 m->metallic};
        tn_record_put_u32(out, (uint32_t)m->texture);
        tn_record_put_u32(out, m->texture_uniform);
        tn_record_put_f32s(out, values, 7);
    }
    for (int i = 0; i < scene->shape_count; i++)
        tn_record_put_u32(out, (uint32_t)scene->shapes[i].material);
    for (int i = 0; i < scene->mesh_count; i++) {
        const TnSceneMesh *mesh = &scene->meshes[i];
        size_t count = mesh->texcoords ? 6 * (size_t)mesh->triangle_count : 0;
        tn_record_put_u32(out, count != 0);
        tn_record_put_f32s(out, mesh->texcoords, count);
    }
}

static void put_lights(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->light_count);
    for (int i = 0; i < scene->light_count; i++) {
        const TnSceneLight *light = &scene->lights[i];
        tn_record_put_u32(out, (uint32_t)light->type);
        tn_record_put_u32(out, (uint32_t)light->body);
        tn_record_put_u32(out, (uint32_t)light->target);
        tn_record_put_u32(out, (uint32_t)light->mode);
        tn_record_put_u32(out, light->cast_shadow);
        tn_record_put_f32s(out, light->pos, 3);
        tn_record_put_f32s(out, light->dir, 3);
        tn_record_put_f32s(out, light->ambient, 3);
        tn_record_put_f32s(out, light->diffuse, 3);
        tn_record_put_f32s(out, light->specular, 3);
        tn_record_put_f32s(out, light->attenuation, 3);
        tn_record_put_f32(out, light->cutoff);
        tn_record_put_f32(out, light->exponent);
    }
    const TnView *view = &scene->view;
    tn_record_put_u32(out, (view->has_headlight ? 1u : 0) | (view->no_headlight ? 2u : 0) |
                               (view->has_haze ? 4u : 0));
    tn_record_put_f64s(out, view->headlight_ambient, 3);
    tn_record_put_f64s(out, view->headlight_diffuse, 3);
    tn_record_put_f64s(out, view->headlight_specular, 3);
    tn_record_put_f64s(out, view->haze, 3);
}

/* Since version 1.5. */
bool tn_record_put_looks(TnRecordOut *out, const TnScene *scene, int64_t texture_bytes)
{
    if (!put_textures(out, scene, texture_bytes)) return false;
    put_materials(out, scene);
    put_lights(out, scene);
    return true;
}

/* ---- reading ---- */

static const TnSceneTexture *get_textures(TnRecordReader *r, int *count)
{
    *count = tn_record_get_count(r->in, 12);
    TnSceneTexture *textures = tn_record_new_list(r, *count, sizeof *textures);
    for (int i = 0; textures && i < *count && !r->in->failed; i++) {
        TnSceneTexture *t = &textures[i];
        t->type = (TnTextureType)tn_record_get_int(r, 0, TN_TEXTURE_SKYBOX);
        t->width = tn_record_get_int(r, 1, TN_MOST_TEXTURE_SIDE);
        t->height = tn_record_get_int(r, 1, TN_MOST_TEXTURE_SIDE);
        if (t->type != TN_TEXTURE_2D && t->width != t->height) r->in->failed = true;
        size_t bytes = tn_texture_bytes(t);
        const uint8_t *from = tn_record_get_bytes(r->in, bytes);
        uint8_t *rgb = from ? tn_record_new_list(r, 1, bytes) : NULL;
        for (size_t k = 0; rgb && k < bytes; k++)
            rgb[k] = (uint8_t)(from[k] + (k < 3 ? 0 : rgb[k - 3]));
        t->rgb = rgb;
    }
    return textures;
}

static void get_materials(TnRecordReader *r, TnScene *scene)
{
    scene->material_count = tn_record_get_count(r->in, 36);
    TnSceneMaterial *materials = tn_record_new_list(r, scene->material_count, sizeof *materials);
    for (int i = 0; materials && i < scene->material_count && !r->in->failed; i++) {
        TnSceneMaterial *m = &materials[i];
        float values[7];
        m->texture = tn_record_get_int(r, 0, scene->texture_count);
        m->texture_uniform = tn_record_get_int(r, 0, 1);
        tn_record_get_f32s(r, values, 7);
        memcpy(m->texture_repeat, values, sizeof m->texture_repeat);
        m->emission = values[2];
        m->specular = values[3];
        m->shininess = values[4];
        m->reflectance = values[5];
        m->metallic = values[6];
    }
    scene->materials = materials;
    TnSceneShape *shapes = (TnSceneShape *)scene->shapes;
    for (int i = 0; shapes && i < scene->shape_count; i++)
        shapes[i].material = tn_record_get_int(r, 0, scene->material_count);
    TnSceneMesh *meshes = (TnSceneMesh *)scene->meshes;
    for (int i = 0; meshes && i < scene->mesh_count && !r->in->failed; i++) {
        if (!tn_record_get_int(r, 0, 1)) continue;
        size_t count = 6 * (size_t)meshes[i].triangle_count;
        if (count > (r->in->size - r->in->at) / 4) r->in->failed = true;
        float *places = tn_record_new_list(r, meshes[i].triangle_count, 6 * sizeof *places);
        if (places) tn_record_get_f32s(r, places, count);
        meshes[i].texcoords = places;
    }
}

static void get_lights(TnRecordReader *r, TnScene *scene)
{
    scene->light_count = tn_record_get_count(r->in, 100);
    TnSceneLight *lights = tn_record_new_list(r, scene->light_count, sizeof *lights);
    for (int i = 0; lights && i < scene->light_count && !r->in->failed; i++) {
        TnSceneLight *light = &lights[i];
        light->type = (TnLightType)tn_record_get_int(r, 0, TN_LIGHT_POINT);
        light->body = tn_record_get_int(r, 1, scene->body_count);
        light->target = tn_record_get_int(r, 0, scene->body_count);
        light->mode = (TnCameraMode)tn_record_get_int(r, 0, TN_CAMERA_TARGET);
        if (light->mode == TN_CAMERA_TARGET && !light->target) r->in->failed = true;
        light->cast_shadow = tn_record_get_int(r, 0, 1);
        tn_record_get_f32s(r, light->pos, 3);
        tn_record_get_f32s(r, light->dir, 3);
        tn_record_get_f32s(r, light->ambient, 3);
        tn_record_get_f32s(r, light->diffuse, 3);
        tn_record_get_f32s(r, light->specular, 3);
        tn_record_get_f32s(r, light->attenuation, 3);
        light->cutoff = tn_record_get_f32(r->in);
        light->exponent = tn_record_get_f32(r->in);
    }
    scene->lights = lights;
    TnView *view = &scene->view;
    uint32_t given = tn_record_get_u32(r->in);
    view->has_headlight = given & 1;
    view->no_headlight = given & 2;
    view->has_haze = given & 4;
    tn_record_get_f64s(r, view->headlight_ambient, 3);
    tn_record_get_f64s(r, view->headlight_diffuse, 3);
    tn_record_get_f64s(r, view->headlight_specular, 3);
    tn_record_get_f64s(r, view->haze, 3);
}

void tn_record_get_looks(TnRecordReader *r, TnScene *scene)
{
    if (r->in->at == r->in->size) return; /* version 1.4 and before */
    scene->textures = get_textures(r, &scene->texture_count);
    get_materials(r, scene);
    get_lights(r, scene);
}

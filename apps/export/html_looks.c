/* html_looks.c: textures, materials and lights of the replay. */
#include "html_looks.h"

#include <stdlib.h>
#include <string.h>

static size_t texture_bytes(const TnSceneTexture *t)
{
    size_t faces = t->type == TN_TEXTURE_2D ? 1 : TN_TEXTURE_FACES;
    return 3 * (size_t)t->width * (size_t)t->height * faces;
}

/* All pixels, each byte less that of the pixel before (even areas become zeros); materials of
 * shapes; places of corners in textures, of the meshes that have some. */
void html_looks_add(Sections *sections, const TnScene *scene)
{
    size_t bytes = 0, corners = 0, at = 0, shapes = (size_t)scene->shape_count;
    for (int i = 0; i < scene->texture_count; i++) bytes += texture_bytes(&scene->textures[i]);
    for (int i = 0; i < scene->mesh_count; i++)
        if (scene->meshes[i].texcoords) corners += 6 * (size_t)scene->meshes[i].triangle_count;
    unsigned char *pixels = malloc(bytes + 1);
    float *places = malloc((corners + 1) * sizeof *places);
    int32_t *of_shape = malloc((shapes + 1) * sizeof *of_shape);
    if (!pixels || !places || !of_shape) {
        sections->failed = true;
    } else {
        for (int i = 0; i < scene->texture_count; i++) {
            const uint8_t *rgb = scene->textures[i].rgb;
            for (size_t k = 0; k < texture_bytes(&scene->textures[i]); k++)
                pixels[at++] = (unsigned char)(rgb[k] - (k < 3 ? 0 : rgb[k - 3]));
        }
        corners = 0;
        for (int i = 0; i < scene->mesh_count; i++) {
            size_t count = 6 * (size_t)scene->meshes[i].triangle_count;
            if (!scene->meshes[i].texcoords) continue;
            memcpy(places + corners, scene->meshes[i].texcoords, count * sizeof *places);
            corners += count;
        }
        for (size_t i = 0; i < shapes; i++) of_shape[i] = scene->shapes[i].material - 1;
        if (bytes) sections_add(sections, "textures", SECTION_U8, pixels, bytes);
        if (corners) sections_add(sections, "mesh_texcoords", SECTION_F32, places, corners);
        sections_add(sections, "shape_material", SECTION_I32, of_shape, shapes);
    }
    free(pixels);
    free(places);
    free(of_shape);
}

static void write_floats(Json *json, const char *name, const float *values, int count)
{
    double numbers[4];
    for (int k = 0; k < count; k++) numbers[k] = (double)values[k];
    json_numbers(json, name, numbers, count);
}

static void write_materials(Json *json, const TnScene *scene)
{
    static const char *const types[] = {"2d", "cube", "skybox"};
    json_begin_array(json, "textures");
    for (int i = 0; i < scene->texture_count; i++) {
        json_begin_object(json, NULL);
        json_string(json, "type", types[scene->textures[i].type]);
        json_integer(json, "width", scene->textures[i].width);
        json_integer(json, "height", scene->textures[i].height);
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "materials");
    for (int i = 0; i < scene->material_count; i++) {
        const TnSceneMaterial *m = &scene->materials[i];
        json_begin_object(json, NULL);
        json_integer(json, "texture", m->texture - 1);
        write_floats(json, "repeat", m->texture_repeat, 2);
        json_bool(json, "uniform", m->texture_uniform);
        json_number(json, "emission", (double)m->emission);
        json_number(json, "specular", (double)m->specular);
        json_number(json, "shininess", (double)m->shininess);
        json_number(json, "metallic", (double)m->metallic);
        json_end(json);
    }
    json_end(json);
}

static void write_lights(Json *json, const TnScene *scene)
{
    static const char *const types[] = {"spot", "sun", "point"};
    static const char *const modes[] = {"fixed", "track", "target"};
    const TnView *view = &scene->view;
    json_begin_array(json, "lights");
    for (int i = 0; i < scene->light_count; i++) {
        const TnSceneLight *light = &scene->lights[i];
        json_begin_object(json, NULL);
        json_string(json, "type", types[light->type]);
        json_string(json, "mode", modes[light->mode]);
        json_integer(json, "body", light->body - 1);
        json_integer(json, "target", light->target - 1);
        json_bool(json, "shadow", light->cast_shadow);
        write_floats(json, "pos", light->pos, 3);
        write_floats(json, "dir", light->dir, 3);
        write_floats(json, "ambient", light->ambient, 3);
        write_floats(json, "diffuse", light->diffuse, 3);
        json_number(json, "cutoff", (double)light->cutoff);
        json_number(json, "exponent", (double)light->exponent);
        json_end(json);
    }
    json_end(json);
    if (scene->light_count && !view->no_headlight) {
        json_begin_object(json, "headlight");
        json_numbers(json, "ambient", view->headlight_ambient, 3);
        json_numbers(json, "diffuse", view->headlight_diffuse, 3);
        json_end(json);
    }
    if (view->has_haze) json_numbers(json, "haze", view->haze, 3);
}

void html_looks_write(Json *json, const TnScene *scene)
{
    write_materials(json, scene);
    write_lights(json, scene);
}

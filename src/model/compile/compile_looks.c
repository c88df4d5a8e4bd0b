/* compile_looks.c: textures, materials and lights: checks, and copies into the model's block.
 * Nothing here changes how anything moves. */
#include "../builder.h"

#include "../../math/vec3.h"

#include <string.h>

/* A face of a built-in texture has at most so many pixels along a side, as an OpenGL driver. */
#define MOST_PIXELS 16384

static void check_share(TnCompile *c, const TnElement *element, const char *what, double value)
{
    if (!(value >= 0.0 && value <= 1.0))
        tn_problem(c, element, "%s must lie between 0 and 1 (%g)", what, value);
}

static void check_texture(TnCompile *c, int index)
{
    const TnTextureDef *def = &c->builder->textures[index];
    const TnElement *element = TN_ELEMENT("texture", def, index);
    if ((unsigned)def->type > TN_TEXTURE_SKYBOX || (unsigned)def->builtin > TN_BUILTIN_FLAT ||
        (unsigned)def->mark > TN_MARK_RANDOM)
        tn_problem(c, element, "type %d, builtin %d or mark %d does not exist", (int)def->type,
                   (int)def->builtin, (int)def->mark);
    tn_check_numbers(c, element, "rgb1", def->rgb1, 3);
    tn_check_numbers(c, element, "rgb2", def->rgb2, 3);
    tn_check_numbers(c, element, "mark_rgb", def->mark_rgb, 3);
    check_share(c, element, "random", def->random);
    size_t bytes = 0;
    for (int i = 0; i < TN_TEXTURE_FACES; i++) bytes += def->pictures[i].size;
    bool flat = def->type == TN_TEXTURE_2D;
    if (def->builtin == TN_BUILTIN_NONE && bytes == 0)
        tn_problem(c, element, "it has neither a picture nor something built in");
    if (def->builtin != TN_BUILTIN_NONE &&
        (def->width < 1 || def->width > MOST_PIXELS || (flat && def->height < 1) ||
         (flat && def->height > MOST_PIXELS)))
        tn_problem(c, element, "width and height must lie between 1 and %d pixels (%d, %d)",
                   MOST_PIXELS, def->width, def->height);
    int cells = (int)strlen(def->layout), rows = def->grid[0], columns = def->grid[1];
    if (rows < 1 || columns < 1 || rows > 12 || columns > 12 || rows * columns > 12 ||
        rows * columns > cells)
        tn_problem(c, element,
                   "the grid has 1 to 12 cells, each with a letter in the layout (%d, %d, '%s')",
                   rows, columns, def->layout);
}

static bool check_material(TnCompile *c, int index)
{
    const TnMaterialDef *def = &c->builder->materials[index];
    const TnElement *element = TN_ELEMENT("material", def, index);
    tn_check_numbers(c, element, "rgba", def->rgba, 4);
    tn_check_numbers(c, element, "texture_repeat", def->texture_repeat, 2);
    tn_check_positive(c, element, "emission", def->emission);
    check_share(c, element, "specular", def->specular);
    check_share(c, element, "shininess", def->shininess);
    check_share(c, element, "reflectance", def->reflectance);
    if (!(def->metallic < 0.0)) check_share(c, element, "metallic", def->metallic);
    if (!(def->roughness < 0.0)) check_share(c, element, "roughness", def->roughness);
    return !def->texture ||
           tn_check_id(c, element, "texture", def->texture, c->builder->texture_count);
}

static bool check_light(TnCompile *c, int index)
{
    const TnModelBuilder *b = c->builder;
    const TnLightDef *def = &b->lights[index];
    const TnElement *element = TN_ELEMENT("light", def, index);
    if ((unsigned)def->type > TN_LIGHT_POINT || (unsigned)def->mode > TN_CAMERA_TARGET)
        tn_problem(c, element, "type %d or mode %d does not exist", (int)def->type, (int)def->mode);
    tn_check_numbers(c, element, "pos", def->pos, 3);
    tn_check_numbers(c, element, "ambient", def->ambient, 3);
    tn_check_numbers(c, element, "diffuse", def->diffuse, 3);
    tn_check_numbers(c, element, "specular", def->specular, 3);
    tn_check_numbers(c, element, "attenuation", def->attenuation, 3);
    tn_check_positive(c, element, "cutoff", def->cutoff);
    tn_check_positive(c, element, "exponent", def->exponent);
    if (tn_check_numbers(c, element, "dir", def->dir, 3) && !(v3_norm(def->dir) > 0.0))
        tn_problem(c, element, "dir has no length");
    bool stands = tn_check_id(c, element, "body", def->body, b->body_count);
    if (def->mode == TN_CAMERA_TARGET || def->target)
        stands &= tn_check_id(c, element, "target", def->target, b->body_count);
    return stands;
}

bool tn_check_looks(TnCompile *c)
{
    bool stands = true;
    for (int i = 0; i < c->builder->texture_count; i++) check_texture(c, i);
    for (int i = 0; i < c->builder->material_count; i++) stands &= check_material(c, i);
    for (int i = 0; i < c->builder->light_count; i++) stands &= check_light(c, i);
    return stands;
}

static void compile_light(TnCompile *c, TnLightDef *light)
{
    light->name = NULL;
    light->source = (TnSource){0};
    double length = v3_norm(light->dir);
    for (int k = 0; k < 3 && length > 0.0; k++) light->dir[k] /= length;
    if (light->mode != TN_CAMERA_TRACK) return;
    const double *turn = c->bodies[light->body - 1].quat;
    double dir[3], pos[3];
    quat_rotate(dir, turn, light->dir);
    quat_rotate(pos, turn, light->pos);
    v3_copy(light->dir, dir);
    v3_copy(light->pos, pos);
}

void tn_compile_looks(TnCompile *c)
{
    const TnModelBuilder *b = c->builder;
    TnModel *m = c->model;
    for (int i = 0; i < m->texture_count; i++) {
        TnTextureDef copy = b->textures[i];
        copy.name = NULL;
        copy.source = (TnSource){0};
        for (int face = 0; face < TN_TEXTURE_FACES; face++) {
            TnPicture *picture = &copy.pictures[face];
            void *place = (void *)m->textures[i].pictures[face].data;
            if (picture->size) memcpy(place, picture->data, picture->size);
            picture->data = picture->size ? place : NULL;
            picture->file = NULL;
        }
        m->textures[i] = copy;
    }
    for (int i = 0; i < m->material_count; i++) {
        m->materials[i] = b->materials[i];
        m->materials[i].name = NULL;
        m->materials[i].source = (TnSource){0};
    }
    for (int i = 0; i < m->light_count; i++) {
        m->lights[i] = b->lights[i];
        compile_light(c, &m->lights[i]);
    }
}

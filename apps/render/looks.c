/* looks.c: the scene's textures on the GPU, and materials as the shaders take them. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in lit_fragment.glsl: units of the samplers. */
enum { UNIT_SHADOW, UNIT_FLAT, UNIT_CUBE, UNIT_MIRROR, UNIT_SKY };

static GLuint upload(Renderer *r, const TnSceneTexture *from)
{
    const Gl *gl = &r->gl;
    bool flat = from->type == TN_TEXTURE_2D;
    GLenum kind = flat ? GL_TEXTURE_2D : GL_TEXTURE_CUBE_MAP;
    GLint wrap = flat ? GL_REPEAT : GL_CLAMP_TO_EDGE, most = 0;
    GLuint texture = 0;
    gl->GetIntegerv(flat ? GL_MAX_TEXTURE_SIZE : GL_MAX_CUBE_MAP_TEXTURE_SIZE, &most);
    if (from->width > most || from->height > most || !from->rgb) return 0;
    gl->GenTextures(1, &texture);
    gl->BindTexture(kind, texture);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    size_t bytes = 3 * (size_t)from->width * (size_t)from->height;
    for (int i = 0; i < (flat ? 1 : TN_TEXTURE_FACES); i++)
        gl->TexImage2D(flat ? GL_TEXTURE_2D : (GLenum)(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i), 0,
                       GL_SRGB8, from->width, from->height, 0, GL_RGB, GL_UNSIGNED_BYTE,
                       from->rgb + bytes * (size_t)i);
    gl->GenerateMipmap(kind);
    gl->TexParameteri(kind, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(kind, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(kind, GL_TEXTURE_WRAP_S, wrap);
    gl->TexParameteri(kind, GL_TEXTURE_WRAP_T, wrap);
    gl->BindTexture(kind, 0);
    return texture;
}

static double linear_of(uint8_t code)
{
    double c = code / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* The mean colour of a sky at the horizon: the middle rows of its four sides. */
static void find_horizon(const TnSceneTexture *sky, float out[3])
{
    static const int sides[4] = {0, 1, 4, 5};
    size_t side = (size_t)sky->width;
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        for (size_t c = 0; c < side; c++) {
            const uint8_t *pixel =
                sky->rgb + 3 * (side * side * (size_t)sides[i] + side * (side / 2) + c);
            for (int k = 0; k < 3; k++) sum[k] += linear_of(pixel[k]);
        }
    for (int k = 0; k < 3; k++) out[k] = (float)(sum[k] / (4 * (double)side));
}

static Look look_of(const Renderer *r, const TnSceneMaterial *m)
{
    Look look = {.surface = {m->specular, 1 + 127 * m->shininess, m->emission, m->metallic},
                 .repeat = {m->texture_repeat[0], m->texture_repeat[1]},
                 .reflectance = m->reflectance};
    int index = m->texture - 1;
    if (index < 0 || index >= r->scene->texture_count || !r->textures[index]) return look;
    bool flat = r->scene->textures[index].type == TN_TEXTURE_2D;
    look.texture = r->textures[index];
    look.mode = flat                 ? m->texture_uniform ? TEX_METRE : TEX_SHAPE
                : m->texture_uniform ? TEX_CUBE_METRE
                                     : TEX_CUBE_SHAPE;
    return look;
}

bool looks_create(Renderer *r, char *error, size_t error_size)
{
    const TnScene *scene = r->scene;
    r->looks = calloc((size_t)scene->material_count + 1, sizeof *r->looks);
    r->textures = calloc((size_t)scene->texture_count + 1, sizeof *r->textures);
    if (!r->looks || !r->textures) {
        snprintf(error, error_size, "no memory for %d textures", scene->texture_count);
        return false;
    }
    for (int i = 0; i < scene->texture_count; i++) {
        r->textures[i] = upload(r, &scene->textures[i]);
        if (scene->textures[i].type != TN_TEXTURE_SKYBOX || r->sky_box || !r->textures[i]) continue;
        r->sky_box = r->textures[i];
        find_horizon(&scene->textures[i], r->sky_horizon);
    }
    r->looks[0] = (Look){.surface = {0.5f, 32, 0, 0}};
    for (int i = 0; i < scene->material_count; i++)
        r->looks[i + 1] = look_of(r, &scene->materials[i]);
    r->gl.Enable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    return true;
}

void looks_destroy(Renderer *r)
{
    for (int i = 0; r->textures && i < r->scene->texture_count; i++)
        r->gl.DeleteTextures(1, &r->textures[i]);
    free(r->textures);
    free(r->looks);
}

static void bind(const Renderer *r, int unit, GLenum kind, GLuint texture)
{
    r->gl.ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    r->gl.BindTexture(kind, texture);
}

void looks_bind(Renderer *r)
{
    bind(r, UNIT_SKY, GL_TEXTURE_CUBE_MAP, r->sky_box);
    bind(r, UNIT_FLAT, GL_TEXTURE_2D, 0);
    bind(r, UNIT_CUBE, GL_TEXTURE_CUBE_MAP, 0);
    bind(r, UNIT_MIRROR, GL_TEXTURE_2D, r->mirror.picture);
    bind(r, UNIT_SHADOW, GL_TEXTURE_2D, r->shadow_map);
    r->gl.Enable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
}

/* `mesh`: 2 × index of the scene's mesh, negative for other shapes, whose vertices reach from -1 to
 * 1. */
void look_send(Renderer *r, const Program *program, uint32_t index, int mesh)
{
    const Gl *gl = &r->gl;
    const Look *look = &r->looks[index];
    const float *s = look->surface;
    TexMode mode = look->mode;
    double unit[4] = {1, 1, 1, 0};
    if (mesh >= 0 && mode != TEX_NONE) {
        const struct MeshBox *box = &r->mesh_boxes[mesh / 2];
        for (int k = 0; k < 3; k++) unit[k] = 1 / fmax(box->half[k], 1e-9);
        bool flat = mode == TEX_SHAPE || mode == TEX_METRE;
        if (flat && r->scene->meshes[mesh / 2].texcoords) mode = TEX_UV;
    }
    gl->Uniform4f(program->surface, s[0], s[1], s[2], s[3]);
    gl->Uniform1i(program->tex_mode, (GLint)mode);
    if (mode == TEX_NONE) return;
    gl->Uniform2f(program->tex_repeat, look->repeat[0], look->repeat[1]);
    gl->Uniform3f(program->tex_unit, (float)unit[0], (float)unit[1], (float)unit[2]);
    if (mode == TEX_CUBE_SHAPE || mode == TEX_CUBE_METRE)
        bind(r, UNIT_CUBE, GL_TEXTURE_CUBE_MAP, look->texture);
    else
        bind(r, UNIT_FLAT, GL_TEXTURE_2D, look->texture);
    gl->ActiveTexture(GL_TEXTURE0);
}

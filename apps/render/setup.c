/* setup.c: a renderer is made: functions, programs, meshes, buffers; and taken apart. */
#include "internal.h"
#include "vec.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The texts of shaders/, put into the program by cmake/embed.cmake. */
#define SHADER_TEXTS(X)                                                                            \
    X(common)                                                                                      \
    X(sky)                                                                                         \
    X(light)                                                                                       \
    X(shape_vertex)                                                                                \
    X(soft_vertex)                                                                                 \
    X(lit_fragment)                                                                                \
    X(depth_fragment)                                                                              \
    X(pick_fragment)                                                                               \
    X(plane_vertex)                                                                                \
    X(plane)                                                                                       \
    X(plane_fragment)                                                                              \
    X(plane_pick)                                                                                  \
    X(screen_vertex)                                                                               \
    X(sky_fragment)                                                                                \
    X(final_fragment)
#define DECLARE(NAME)                                                                              \
    extern const unsigned char shader_##NAME[];                                                    \
    static const char *text_##NAME(void) { return (const char *)shader_##NAME; }
SHADER_TEXTS(DECLARE)
#undef DECLARE

/* Texts one after the other, NULL at the end; the caller frees. */
static char *join(const char *const *parts)
{
    size_t length = 1;
    for (int i = 0; parts[i]; i++) length += strlen(parts[i]);
    char *text = malloc(length);
    if (!text) return NULL;
    text[0] = 0;
    for (int i = 0; parts[i]; i++) strcat(text, parts[i]);
    return text;
}

static bool make_program(Renderer *r, Program *program, const char *const *vertex,
                         const char *const *fragment, char *error, size_t error_size)
{
    const Gl *gl = &r->gl;
    char *vertex_text = join(vertex), *fragment_text = join(fragment);
    if (vertex_text && fragment_text)
        program->id = gl_program(gl, vertex_text, fragment_text, error, error_size);
    else
        snprintf(error, error_size, "no memory for shaders");
    free(vertex_text);
    free(fragment_text);
    if (!program->id) return false;
    GLuint id = program->id, block = gl->GetUniformBlockIndex(id, "Scene");
    if (block != GL_INVALID_INDEX) gl->UniformBlockBinding(id, block, 0);
    program->clip = gl->GetUniformLocation(id, "clip_from_eye");
    program->surface = gl->GetUniformLocation(id, "surface");
    program->tex_mode = gl->GetUniformLocation(id, "tex_mode");
    program->tex_repeat = gl->GetUniformLocation(id, "tex_repeat");
    program->tex_unit = gl->GetUniformLocation(id, "tex_unit");
    program->cut = gl->GetUniformLocation(id, "cut");
    program->tex_u = gl->GetUniformLocation(id, "tex_u");
    program->tex_v = gl->GetUniformLocation(id, "tex_v");
    program->tex_start = gl->GetUniformLocation(id, "tex_start");
    program->has_mirror = gl->GetUniformLocation(id, "has_mirror");
    program->mirrored = gl->GetUniformLocation(id, "mirrored");
    program->plain = gl->GetUniformLocation(id, "plain");
    program->veil = gl->GetUniformLocation(id, "veil");
    program->least_alpha = gl->GetUniformLocation(id, "least_alpha");
    program->forward = gl->GetUniformLocation(id, "forward");
    program->corners = gl->GetUniformLocation(id, "corners");
    program->plane_normal = gl->GetUniformLocation(id, "plane_normal");
    program->plane_offset = gl->GetUniformLocation(id, "plane_offset");
    program->plane_color = gl->GetUniformLocation(id, "plane_color");
    program->plane_id = gl->GetUniformLocation(id, "plane_id");
    program->grid_u = gl->GetUniformLocation(id, "grid_u");
    program->grid_v = gl->GetUniformLocation(id, "grid_v");
    program->grid_start = gl->GetUniformLocation(id, "grid_start");
    /* Samplers have a unit each; the shadow map's is 0, where all start. */
    static const char *const samplers[] = {"shadow_map", "flat_picture", "cube_picture", "mirror",
                                           "sky_box"};
    gl->UseProgram(id);
    for (GLint i = 0; i < 5; i++) {
        GLint place = gl->GetUniformLocation(id, samplers[i]);
        if (place >= 0) gl->Uniform1i(place, i);
    }
    gl->UseProgram(0);
    return true;
}

static bool make_programs(Renderer *r, char *error, size_t error_size)
{
    const TnScene *scene = r->scene;
    bool sky = false;
    for (int i = 0; i < scene->texture_count; i++)
        sky |= scene->textures[i].type == TN_TEXTURE_SKYBOX;
    char head[160];
    snprintf(head, sizeof head, "#version 330 core\n%s%s%s%s",
             scene->light_count > 0 ? "#define LIGHTS\n" : "",
             scene->material_count > 0 ? "#define MATERIALS\n" : "",
             scene->texture_count > 0 ? "#define PICTURES\n" : "", sky ? "#define SKY_BOX\n" : "");
#define PARTS(...) ((const char *const[]){head, text_common(), __VA_ARGS__, NULL})
    const struct {
        Program *program;
        const char *const *vertex, *const *fragment;
    } wanted[] = {
        {&r->shape, PARTS(text_shape_vertex()),
         PARTS(text_sky(), text_light(), text_lit_fragment())},
        {&r->soft_lit, PARTS(text_soft_vertex()),
         PARTS(text_sky(), text_light(), text_lit_fragment())},
        {&r->shape_depth, PARTS(text_shape_vertex()), PARTS(text_depth_fragment())},
        {&r->soft_depth, PARTS(text_soft_vertex()), PARTS(text_depth_fragment())},
        {&r->shape_pick, PARTS(text_shape_vertex()), PARTS(text_pick_fragment())},
        {&r->soft_pick, PARTS(text_soft_vertex()), PARTS(text_pick_fragment())},
        {&r->plane, PARTS(text_plane_vertex()),
         PARTS(text_sky(), text_light(), text_plane(), text_plane_fragment())},
        {&r->plane_picked, PARTS(text_plane_vertex()), PARTS(text_plane(), text_plane_pick())},
        {&r->sky, PARTS(text_screen_vertex()), PARTS(text_sky(), text_sky_fragment())},
        {&r->final, PARTS(text_screen_vertex()), PARTS(text_final_fragment())},
    };
#undef PARTS
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!make_program(r, wanted[i].program, wanted[i].vertex, wanted[i].fragment, error,
                          error_size))
            return false;
    return true;
}

/* The colours of stress, linear; the shader mixes them. */
static void send_stress_colors(Renderer *r)
{
    float stops[STRESS_STOPS][3];
    for (int i = 0; i < STRESS_STOPS; i++) {
        float rgb[3];
        uint16_t linear[4];
        stress_color(i / (STRESS_STOPS - 1.0), rgb);
        color_linear(rgb, 1, linear);
        for (int k = 0; k < 3; k++) stops[i][k] = (float)linear[k] / 65535;
    }
    r->gl.UseProgram(r->soft_lit.id);
    r->gl.Uniform3fv(r->gl.GetUniformLocation(r->soft_lit.id, "stress_stops"), STRESS_STOPS,
                     stops[0]);
    r->gl.UseProgram(0);
}

static void make_soft_array(Renderer *r)
{
    const Gl *gl = &r->gl;
    const GLsizei stride = (GLsizei)sizeof(SoftVertex);
    gl->GenVertexArrays(1, &r->soft_array);
    gl->GenBuffers(1, &r->soft_vertices);
    gl->GenBuffers(1, &r->soft_indices);
    gl->BindVertexArray(r->soft_array);
    gl->BindBuffer(GL_ARRAY_BUFFER, r->soft_vertices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, r->soft_indices);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride,
                            buffer_place(offsetof(SoftVertex, pos)));
    gl->VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride,
                            buffer_place(offsetof(SoftVertex, normal)));
    gl->VertexAttribPointer(6, 4, GL_UNSIGNED_SHORT, GL_TRUE, stride,
                            buffer_place(offsetof(SoftVertex, color)));
    gl->VertexAttribIPointer(7, 1, GL_UNSIGNED_INT, stride, buffer_place(offsetof(SoftVertex, id)));
    gl->VertexAttribPointer(8, 1, GL_FLOAT, GL_FALSE, stride,
                            buffer_place(offsetof(SoftVertex, level)));
    gl->EnableVertexAttribArray(0);
    gl->EnableVertexAttribArray(1);
    gl->EnableVertexAttribArray(6);
    gl->EnableVertexAttribArray(7);
    gl->EnableVertexAttribArray(8);
    gl->BindVertexArray(0);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double shape_size(const Renderer *r, const TnSceneShape *shape)
{
    const double *size = shape->size;
    switch (shape->type) {
    case TN_GEOM_SPHERE:
        return size[0];
    case TN_GEOM_CAPSULE:
        return size[0] + size[1] / 2; /* long ones are thin, too */
    case TN_GEOM_CYLINDER:
        return (size[0] + size[1]) / 2;
    case TN_GEOM_ELLIPSOID:
    case TN_GEOM_BOX:
        return (size[0] + size[1] + size[2]) / 3;
    case TN_GEOM_MESH: {
        if (shape->mesh < 0 || shape->mesh >= r->scene->mesh_count) return 0;
        const double *half = r->mesh_boxes[shape->mesh].half;
        return (half[0] + half[1] + half[2]) / 3;
    }
    default:
        return 0;
    }
}

/* m, half, about: of the box around a soft body; 0: not known. */
static double surface_size(const TnSceneSurface *surface)
{
    double sum = 0;
    for (int k = 0; surface->rest && surface->point_count > 0 && k < 3; k++) {
        double low = (double)surface->rest[k], high = low;
        for (int i = 1; i < surface->point_count; i++) {
            low = fmin(low, (double)surface->rest[3 * i + k]);
            high = fmax(high, (double)surface->rest[3 * i + k]);
        }
        sum += high - low;
    }
    return sum / 6;
}

/* The median size of what moves, or of everything where nothing does. */
static bool find_typical(Renderer *r)
{
    const TnScene *scene = r->scene;
    double *sizes = malloc(((size_t)scene->shape_count + 1) * sizeof *sizes);
    if (!sizes) return false;
    int count = 0;
    for (int fixed = 0; fixed < 2 && count == 0; fixed++)
        for (int i = 0; i < scene->shape_count; i++) {
            const TnSceneShape *shape = &scene->shapes[i];
            bool known = shape->body >= 1 && shape->body <= scene->body_count;
            double size = shape_size(r, shape);
            if (known && size > 0 && (scene->bodies[shape->body - 1].subsystem == 0) == fixed)
                sizes[count++] = size;
        }
    for (int i = 0; i < scene->surface_count && count == 0; i++)
        if (surface_size(&scene->surfaces[i]) > 0)
            sizes[count++] = surface_size(&scene->surfaces[i]);
    for (int i = 0; count == 0 && i < scene->tube_count; i++)
        if (scene->tubes[i].radius > 0) sizes[0] = 3 * scene->tubes[i].radius, count = 1;
    qsort(sizes, (size_t)count, sizeof *sizes, compare_doubles);
    r->typical = count ? sizes[count / 2] : 0.1;
    free(sizes);
    return true;
}

/* Each body's largest shape, or a usual one where it has none. */
static bool find_body_sizes(Renderer *r)
{
    const TnScene *scene = r->scene;
    r->body_sizes = calloc((size_t)scene->body_count + 1, sizeof *r->body_sizes);
    if (!r->body_sizes) return false;
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        if (shape->body < 1 || shape->body > scene->body_count) continue;
        double *size = &r->body_sizes[shape->body - 1];
        *size = fmax(*size, shape_size(r, shape));
    }
    for (int i = 0; i < scene->body_count; i++)
        if (!(r->body_sizes[i] > 0)) r->body_sizes[i] = r->typical;
    return true;
}

/* What surfaces are drawn with. */
static bool make_surfaces(Renderer *r)
{
    const TnScene *scene = r->scene;
    int most = 0;
    r->plans = calloc((size_t)scene->surface_count + 1, sizeof *r->plans);
    if (!r->plans) return false;
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        /* a scene filled by hand may be wrong */
        if (surface->point_start < 0 || surface->point_count < 0 ||
            surface->point_start > scene->point_count - surface->point_count)
            continue;
        if (!surface_plan(&r->plans[i], surface, scene->point_subsystems + surface->point_start))
            return false;
        if (r->plans[i].vertex_count > most) most = r->plans[i].vertex_count;
    }
    r->vertex_colors = malloc(((size_t)most + 1) * sizeof *r->vertex_colors);
    r->stress_levels = malloc(((size_t)scene->point_count + 1) * sizeof *r->stress_levels);
    return r->vertex_colors && r->stress_levels;
}

static bool make_arrays(Renderer *r, char *error, size_t error_size)
{
    const TnScene *scene = r->scene;
    size_t shapes = (size_t)scene->shape_count + 1, points = (size_t)scene->point_count + 1;
    r->shape_colors = malloc(shapes * sizeof *r->shape_colors);
    r->planes = malloc(shapes * sizeof *r->planes);
    r->point_colors = calloc(points, sizeof *r->point_colors);
    r->points = calloc(3 * points, sizeof *r->points);
    if (!r->shape_colors || !r->planes || !r->point_colors || !r->points ||
        !items_reserve(&r->shapes, scene->shape_count) || !find_typical(r) || !find_body_sizes(r) ||
        !make_surfaces(r)) {
        snprintf(error, error_size, "no memory to draw %d shapes", scene->shape_count);
        return false;
    }
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        bool known = shape->body >= 1 && shape->body <= scene->body_count;
        float rgb[3];
        part_color(known ? scene->bodies[shape->body - 1].subsystem : 0, shape->rgba, rgb);
        color_linear(shape->rgba, shape->rgba[3], r->shape_colors[i][COLOR_MODEL]);
        color_linear(rgb, shape->rgba[3], r->shape_colors[i][COLOR_SUBSYSTEM]);
        part_color(0, shape->rgba, rgb);
        color_linear(rgb, shape->rgba[3], r->shape_colors[i][COLOR_STRESS]);
        if (known && shape->type == TN_GEOM_PLANE && shape->group >= 0 && shape->group < 32)
            r->planes[r->plane_count++] = i;
    }
    return true;
}

static bool read_driver(Renderer *r, char *error, size_t error_size)
{
    const Gl *gl = &r->gl;
    const char *vendor = (const char *)gl->GetString(GL_VENDOR),
               *name = (const char *)gl->GetString(GL_RENDERER),
               *version = (const char *)gl->GetString(GL_VERSION);
    GLint major = 0, minor = 0;
    if (!version) {
        snprintf(error, error_size, "there is no current OpenGL context");
        return false;
    }
    snprintf(r->driver, sizeof r->driver, "%s, %s, %s", vendor ? vendor : "", name ? name : "",
             version);
    r->software = strstr(r->driver, "llvmpipe") || strstr(r->driver, "softpipe") ||
                  strstr(r->driver, "SwiftShader");
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    gl->GetIntegerv(GL_MAX_SAMPLES, &r->max_samples);
    if (major > 3 || (major == 3 && minor >= 3)) return true;
    snprintf(error, error_size, "OpenGL 3.3 is needed; the driver has %d.%d (%.120s)", major, minor,
             r->driver);
    return false;
}

Renderer *renderer_create(const TnScene *scene, GlLoader loader, char *error, size_t error_size)
{
    Renderer *r = calloc(1, sizeof *r);
    const char *missing = "";
    if (!r) {
        snprintf(error, error_size, "no memory for a renderer");
        return NULL;
    }
    r->scene = scene;
    if (!gl_load(&r->gl, loader, &missing)) {
        snprintf(error, error_size, "the OpenGL driver has no %s: OpenGL 3.3 is needed", missing);
        free(r);
        return NULL;
    }
    if (!read_driver(r, error, error_size) || !make_programs(r, error, error_size) ||
        !meshes_create(r, error, error_size) || !make_arrays(r, error, error_size) ||
        !looks_create(r, error, error_size) || !shadow_create(r, error, error_size)) {
        renderer_destroy(r);
        return NULL;
    }
    make_soft_array(r);
    send_stress_colors(r);
    r->gl.GenVertexArrays(1, &r->empty_array);
    r->gl.GenBuffers(1, &r->scene_block);
    return r;
}

void renderer_destroy(Renderer *r)
{
    if (!r) return;
    const Gl *gl = &r->gl;
    Program *programs[] = {&r->shape,      &r->soft_lit,  &r->shape_depth, &r->soft_depth,
                           &r->shape_pick, &r->soft_pick, &r->plane,       &r->plane_picked,
                           &r->sky,        &r->final};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        gl->DeleteProgram(programs[i]->id); /* 0 is passed over, here and below */
    GLuint buffers[] = {r->soft_vertices, r->soft_indices, r->scene_block};
    GLuint arrays[] = {r->soft_array, r->empty_array};
    gl->DeleteBuffers(3, buffers);
    gl->DeleteVertexArrays(2, arrays);
    gl->DeleteFramebuffers(1, &r->shadow_frame);
    numbers_target_free(r, &r->pick);
    gl->DeleteTextures(1, &r->shadow_map);
    target_destroy(r);
    looks_destroy(r);
    mirror_destroy(r);
    meshes_destroy(r);
    list_free(r, &r->opaque);
    list_free(r, &r->clear);
    list_free(r, &r->casters);
    list_free(r, &r->marks);
    list_free(r, &r->mirrored);
    items_free(&r->shapes);
    items_free(&r->signs);
    soft_free(&r->soft);
    free(r->shape_colors);
    free(r->point_colors);
    for (int i = 0; r->plans && i < r->scene->surface_count; i++) surface_plan_free(&r->plans[i]);
    free(r->plans);
    free(r->vertex_colors);
    free(r->stress_levels);
    free(r->points);
    free(r->planes);
    free(r->body_sizes);
    free(r->forces);
    free(r);
}

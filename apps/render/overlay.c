/* overlay.c: text, boxes and lines on top of a picture.
 *
 * Everything becomes triangles of one list, drawn by one call with one texture: the characters of
 * the font in both their sizes and a white place for boxes and lines. Lines carry at each corner
 * how far it is from the line's middle, and fade over the last pixel, so that they are smooth
 * without multisampling. */
#include "overlay.h"

#include "font.h"
#include "gl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Vertex {
    float x, y;       /* pixels */
    float u, v;       /* texture */
    float side, half; /* pixels from the line's middle, half the line's width */
    float color[4];
} Vertex;

struct Overlay {
    Gl gl;
    Font font;
    GLuint program, texture, array, buffer;
    GLint size_place;
    Vertex *vertices;
    int count, room;
    bool out_of_memory; /* what did not fit is not drawn */
    int width, height;
    float scale;
    int size; /* which of the font's sizes */
};

static const char vertex_shader[] = "#version 330 core\n"
                                    "uniform vec2 size;\n"
                                    "layout(location = 0) in vec4 place;\n"
                                    "layout(location = 1) in vec2 edge;\n"
                                    "layout(location = 2) in vec4 color;\n"
                                    "out vec2 texel;\n"
                                    "out vec2 fade;\n"
                                    "out vec4 tint;\n"
                                    "void main() {\n"
                                    "    gl_Position = vec4(2.0 * place.x / size.x - 1.0, 1.0 - "
                                    "2.0 * place.y / size.y, 0.0, 1.0);\n"
                                    "    texel = place.zw;\n"
                                    "    fade = edge;\n"
                                    "    tint = color;\n"
                                    "}\n";
static const char fragment_shader[] =
    "#version 330 core\n"
    "uniform sampler2D font;\n"
    "in vec2 texel;\n"
    "in vec2 fade;\n"
    "in vec4 tint;\n"
    "layout(location = 0) out vec4 result;\n"
    "void main() {\n"
    "    float cover = texture(font, texel).r * clamp(fade.y + 0.5 - abs(fade.x), 0.0, 1.0);\n"
    "    result = vec4(tint.rgb, tint.a * cover);\n"
    "}\n";

static bool load_font(Overlay *overlay)
{
    const Gl *gl = &overlay->gl;
    uint8_t *atlas = calloc(FONT_ATLAS_WIDTH, FONT_ATLAS_HEIGHT);
    bool fine = atlas && font_load(&overlay->font, atlas);
    if (fine) {
        gl->GenTextures(1, &overlay->texture);
        gl->BindTexture(GL_TEXTURE_2D, overlay->texture);
        gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
        gl->TexImage2D(GL_TEXTURE_2D, 0, GL_R8, FONT_ATLAS_WIDTH, FONT_ATLAS_HEIGHT, 0, GL_RED,
                       GL_UNSIGNED_BYTE, atlas);
        gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
        gl->BindTexture(GL_TEXTURE_2D, 0);
    }
    free(atlas);
    return fine;
}

static void make_array(Overlay *overlay)
{
    const Gl *gl = &overlay->gl;
    gl->GenVertexArrays(1, &overlay->array);
    gl->GenBuffers(1, &overlay->buffer);
    gl->BindVertexArray(overlay->array);
    gl->BindBuffer(GL_ARRAY_BUFFER, overlay->buffer);
    static const struct {
        GLint count;
        size_t offset;
    } parts[] = {
        {4, offsetof(Vertex, x)}, {2, offsetof(Vertex, side)}, {4, offsetof(Vertex, color)}};
    for (GLuint i = 0; i < 3; i++) {
        gl->EnableVertexAttribArray(i);
        gl->VertexAttribPointer(i, parts[i].count, GL_FLOAT, GL_FALSE, (GLsizei)sizeof(Vertex),
                                (const void *)parts[i].offset);
    }
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
}

Overlay *overlay_create(GlLoader loader, char *error, size_t error_size)
{
    const char *missing = NULL;
    Overlay *overlay = calloc(1, sizeof *overlay);
    if (!overlay) {
        if (error_size) snprintf(error, error_size, "no memory for text");
        return NULL;
    }
    if (!gl_load(&overlay->gl, loader, &missing)) {
        if (error_size) snprintf(error, error_size, "OpenGL lacks %s", missing);
        free(overlay);
        return NULL;
    }
    overlay->scale = 1;
    overlay->program = gl_program(&overlay->gl, vertex_shader, fragment_shader, error, error_size);
    bool fine = overlay->program != 0;
    if (fine && !load_font(overlay)) {
        if (error_size) snprintf(error, error_size, "no memory for text");
        fine = false;
    }
    if (!fine) {
        overlay_destroy(overlay);
        return NULL;
    }
    make_array(overlay);
    overlay->size_place = overlay->gl.GetUniformLocation(overlay->program, "size");
    return overlay;
}

void overlay_destroy(Overlay *overlay)
{
    if (!overlay) return;
    const Gl *gl = &overlay->gl;
    if (overlay->buffer) gl->DeleteBuffers(1, &overlay->buffer);
    if (overlay->array) gl->DeleteVertexArrays(1, &overlay->array);
    if (overlay->texture) gl->DeleteTextures(1, &overlay->texture);
    if (overlay->program) gl->DeleteProgram(overlay->program);
    font_free(&overlay->font);
    free(overlay->vertices);
    free(overlay);
}

void overlay_begin(Overlay *overlay, int width, int height, float scale)
{
    overlay->width = width;
    overlay->height = height;
    overlay->scale = scale > 0 ? scale : 1;
    /* the larger characters shrink better than the smaller ones grow */
    overlay->size = overlay->scale > 1 && overlay->font.size_count > 1;
    overlay->count = 0;
    overlay->out_of_memory = false;
}

/* Pixels of the picture per pixel of the chosen characters: 1 at scales 1 and 2. */
static float font_scale(const Overlay *overlay)
{
    return overlay->scale / (float)(overlay->size + 1);
}

float overlay_line_height(const Overlay *overlay)
{
    return (float)overlay->font.sizes[overlay->size].height * font_scale(overlay);
}

float overlay_text_width(const Overlay *overlay, const char *text)
{
    int longest = 0, length = 0;
    while (*text) {
        length = font_next_character(&text) == '\n' ? 0 : length + 1;
        if (length > longest) longest = length;
    }
    return (float)(longest * overlay->font.sizes[overlay->size].width) * font_scale(overlay);
}

/* Room for four corners, or NULL. */
static Vertex *add_quad(Overlay *overlay)
{
    if (overlay->count + 6 > overlay->room) {
        int room = overlay->room ? 2 * overlay->room : 6 * 512;
        Vertex *grown = realloc(overlay->vertices, (size_t)room * sizeof *grown);
        if (!grown) {
            overlay->out_of_memory = true;
            return NULL;
        }
        overlay->vertices = grown;
        overlay->room = room;
    }
    Vertex *quad = overlay->vertices + overlay->count;
    overlay->count += 6;
    return quad;
}

/* Two triangles from four corners in a row round. */
static void put_quad(Overlay *overlay, const Vertex corners[4])
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    Vertex *quad = add_quad(overlay);
    for (int i = 0; quad && i < 6; i++) quad[i] = corners[order[i]];
}

static Vertex vertex(float x, float y, float u, float v, OverlayColor c)
{
    return (Vertex){.x = x,
                    .y = y,
                    .u = u / FONT_ATLAS_WIDTH,
                    .v = v / FONT_ATLAS_HEIGHT,
                    .half = 1,
                    .color = {c.r, c.g, c.b, c.a}};
}

void overlay_rect(Overlay *overlay, float x, float y, float width, float height, OverlayColor color)
{
    float white = overlay->font.white;
    put_quad(overlay, (Vertex[4]){vertex(x, y, white, white, color),
                                  vertex(x + width, y, white, white, color),
                                  vertex(x + width, y + height, white, white, color),
                                  vertex(x, y + height, white, white, color)});
}

void overlay_text(Overlay *overlay, float x, float y, OverlayColor color, const char *text)
{
    const FontSize *size = &overlay->font.sizes[overlay->size];
    float scale = font_scale(overlay), w = (float)size->width, h = (float)size->height;
    float pen_x = roundf(x), pen_y = roundf(y); /* on whole pixels the characters are crisp */
    while (*text) {
        unsigned code = font_next_character(&text);
        if (code == '\n') {
            pen_x = roundf(x);
            pen_y += h * scale;
            continue;
        }
        if (code != ' ') {
            int left, top;
            font_cell(&overlay->font, overlay->size, font_find(&overlay->font, code), &left, &top);
            float u = (float)left, v = (float)top, right = pen_x + w * scale;
            float bottom = pen_y + h * scale;
            put_quad(overlay, (Vertex[4]){vertex(pen_x, pen_y, u, v, color),
                                          vertex(right, pen_y, u + w, v, color),
                                          vertex(right, bottom, u + w, v + h, color),
                                          vertex(pen_x, bottom, u, v + h, color)});
        }
        pen_x += w * scale;
    }
}

/* The unit normal of the line from a to b, or zero. */
static void normal_of(float out[2], const float a[2], const float b[2])
{
    float x = b[0] - a[0], y = b[1] - a[1], length = sqrtf(x * x + y * y);
    out[0] = length > 0 ? -y / length : 0;
    out[1] = length > 0 ? x / length : 0;
}

/* Where the sides of the segment from point `segment` on meet those of its neighbour at point `i`:
 * along the mean of both normals, lengthened so that the width stays. At sharp turns, where that
 * would run away, each segment keeps its own normal. */
static void miter(float out[2], const float *points, int count, int segment, int i)
{
    int other = i == segment ? segment - 1 : segment + 1;
    float own[2], next[2] = {0, 0};
    normal_of(own, points + 2 * segment, points + 2 * (segment + 1));
    bool has_next = other >= 0 && other + 1 < count;
    if (has_next) normal_of(next, points + 2 * other, points + 2 * (other + 1));
    float turn = own[0] * next[0] + own[1] * next[1]; /* cosine */
    bool join = has_next && turn > -0.3f;
    for (int k = 0; k < 2; k++) out[k] = join ? (own[k] + next[k]) / (1 + turn) : own[k];
}

void overlay_line(Overlay *overlay, const float *points, int count, float width, OverlayColor color)
{
    float white = overlay->font.white;
    float half = width / 2, reach = half + 1; /* one pixel more to fade over */
    for (int i = 0; i + 1 < count; i++) {
        Vertex corners[4];
        for (int k = 0; k < 4; k++) {
            int end = k == 1 || k == 2;
            float side = k < 2 ? -reach : reach, m[2];
            miter(m, points, count, i, i + end);
            corners[k] = vertex(points[2 * (i + end)] + side * m[0],
                                points[2 * (i + end) + 1] + side * m[1], white, white, color);
            corners[k].side = side;
            corners[k].half = half;
        }
        put_quad(overlay, corners);
    }
}

void overlay_end(Overlay *overlay, unsigned target)
{
    const Gl *gl = &overlay->gl;
    if (overlay->count == 0) return;
    gl->BindFramebuffer(GL_FRAMEBUFFER, target);
    gl->Viewport(0, 0, overlay->width, overlay->height);
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_CULL_FACE);
    gl->Disable(GL_SCISSOR_TEST);
    gl->Disable(GL_FRAMEBUFFER_SRGB);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    gl->Enable(GL_BLEND);
    gl->BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->UseProgram(overlay->program);
    gl->Uniform2f(overlay->size_place, (float)overlay->width, (float)overlay->height);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, overlay->texture);
    gl->BindVertexArray(overlay->array);
    gl->BindBuffer(GL_ARRAY_BUFFER, overlay->buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)overlay->count * sizeof(Vertex)),
                   overlay->vertices, GL_STREAM_DRAW);
    gl->DrawArrays(GL_TRIANGLES, 0, overlay->count);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    gl->BindVertexArray(0);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    gl->UseProgram(0);
    gl->Disable(GL_BLEND);
    overlay->count = 0;
}

/* texture.c: the pixels of a texture: what is built in is made, files are read and cut into faces.
 *
 * The formulas are MuJoCo's, so that a file looks alike in both. A gradient goes from rgb1 (in the
 * middle, or above) to rgb2; in the sky it follows the angle above the horizon. */
#include "picture.h"

#include "../../base/base.h"

#include <math.h>
#include <string.h>

typedef struct Face {
    uint8_t *rgb;
    int width, height;
} Face;

static void to_bytes(const double rgb[3], uint8_t out[3])
{
    for (int k = 0; k < 3; k++) out[k] = (uint8_t)lrint(255.0 * fmin(fmax(rgb[k], 0.0), 1.0));
}

static void set(Face *f, int row, int column, const uint8_t rgb[3])
{
    memcpy(f->rgb + 3 * ((size_t)row * (size_t)f->width + (size_t)column), rgb, 3);
}

/* Of `first` at 1 and of `second` at -1, in a smooth step. */
static void blend(const double first[3], const double second[3], double at, uint8_t out[3])
{
    double share = 0.5 * (1.0 + at / sqrt(1.0 + at * at) * sqrt(2.0)), mixed[3];
    share = fmin(fmax(share, 0.0), 1.0);
    for (int k = 0; k < 3; k++) mixed[k] = share * first[k] + (1.0 - share) * second[k];
    to_bytes(mixed, out);
}

static double along(int i, int count) { return count > 1 ? 2.0 * i / (count - 1) - 1.0 : 0.0; }

static void gradient_flat(const TnTextureDef *def, Face *f)
{
    for (int r = 0; r < f->height; r++)
        for (int c = 0; c < f->width; c++) {
            uint8_t rgb[3];
            blend(def->rgb2, def->rgb1, 2.0 * hypot(along(c, f->width), along(r, f->height)) - 1.0,
                  rgb);
            set(f, r, c, rgb);
        }
}

static void gradient_face(const TnTextureDef *def, int face, Face *f)
{
    bool sky = def->type == TN_TEXTURE_SKYBOX;
    for (int r = 0; r < f->height; r++)
        for (int c = 0; c < f->width; c++) {
            double x = along(c, f->width), y = -along(r, f->height), at = y;
            if (face == 2 || face == 3) {
                at = sky ? 1.0 - atan(hypot(x, y)) / (0.5 * TN_PI) : 1.0;
                if (face == 3) at = -at;
            } else if (sky) {
                at = asin(y / sqrt(1.0 + x * x + y * y)) / (0.5 * TN_PI);
            }
            uint8_t rgb[3];
            blend(def->rgb1, def->rgb2, at, rgb);
            set(f, r, c, rgb);
        }
}

static void checker(const double first[3], const double second[3], Face *f)
{
    uint8_t rgb[2][3];
    to_bytes(first, rgb[0]);
    to_bytes(second, rgb[1]);
    for (int r = 0; r < f->height; r++)
        for (int c = 0; c < f->width; c++)
            set(f, r, c, rgb[(r >= f->height / 2) != (c >= f->width / 2)]);
}

static void fill(const double rgb[3], Face *f)
{
    uint8_t bytes[3];
    to_bytes(rgb, bytes);
    for (int r = 0; r < f->height; r++)
        for (int c = 0; c < f->width; c++) set(f, r, c, bytes);
}

/* Dots are drawn from a number that is made of the pixel's: the same every time. */
static double draw_of(uint64_t pixel)
{
    uint64_t z = (pixel + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void mark(const TnTextureDef *def, int face, Face *f)
{
    uint8_t rgb[3];
    to_bytes(def->mark_rgb, rgb);
    for (int r = 0; r < f->height; r++)
        for (int c = 0; c < f->width; c++) {
            bool edge = r == 0 || c == 0 || r == f->height - 1 || c == f->width - 1;
            bool cross = r == f->height / 2 || c == f->width / 2;
            uint64_t pixel =
                ((uint64_t)face * (uint64_t)f->height + (uint64_t)r) * (uint64_t)f->width +
                (uint64_t)c;
            if ((def->mark == TN_MARK_EDGE && edge) || (def->mark == TN_MARK_CROSS && cross) ||
                (def->mark == TN_MARK_RANDOM && draw_of(pixel) < def->random))
                set(f, r, c, rgb);
        }
}

static void build_in(const TnTextureDef *def, int face, Face *f)
{
    bool flat = def->type == TN_TEXTURE_2D, front = face >= 4;
    if (def->builtin == TN_BUILTIN_CHECKER)
        checker(front ? def->rgb2 : def->rgb1, front ? def->rgb1 : def->rgb2, f);
    else if (def->builtin == TN_BUILTIN_FLAT)
        fill(!flat && face == 3 ? def->rgb2 : def->rgb1, f);
    else if (flat)
        gradient_flat(def, f);
    else
        gradient_face(def, face, f);
    mark(def, face, f);
}

/* A cell of a picture, flipped as the texture says. */
static void copy_cell(const TnTextureDef *def, const TnPixels *from, int row, int column, Face *f)
{
    for (int r = 0; r < f->height; r++)
        for (int c = 0; c < f->width; c++) {
            int y = row + (def->flip_y ? f->height - 1 - r : r);
            int x = column + (def->flip_x ? f->width - 1 - c : c);
            if (y < from->height && x < from->width)
                set(f, r, c, from->rgb + 3 * ((size_t)y * (size_t)from->width + (size_t)x));
        }
}

/* Faces that the one picture of a cube has; the others keep rgb1. */
static void cut_grid(const TnTextureDef *def, const TnPixels *from, Face faces[TN_TEXTURE_FACES])
{
    static const char letters[] = "RLUDFB";
    int side = faces[0].width;
    for (int cell = 0; cell < def->grid[0] * def->grid[1]; cell++) {
        const char *letter = strchr(letters, def->layout[cell]);
        bool whole = def->grid[0] * def->grid[1] == 1;
        for (int face = 0; face < TN_TEXTURE_FACES; face++)
            if (whole || (letter && *letter && letter - letters == face))
                copy_cell(def, from, cell / def->grid[1] * side, cell % def->grid[1] * side,
                          &faces[face]);
    }
}

static bool make_room(TnPixels *out, int faces, Face face[TN_TEXTURE_FACES])
{
    size_t bytes = 3 * (size_t)out->width * (size_t)out->height;
    out->rgb = tn_malloc(bytes * (size_t)faces);
    for (int i = 0; out->rgb && i < faces; i++)
        face[i] = (Face){out->rgb + bytes * (size_t)i, out->width, out->height};
    return out->rgb != NULL;
}

/* The largest pixels that a smooth gradient needs: neighbours differ by less than a step of eight
 * bits. */
enum { SMOOTH_SIDE = 128 };

static bool pixels_built_in(const TnTextureDef *def, TnPixels *out)
{
    int faces = def->type == TN_TEXTURE_2D ? 1 : TN_TEXTURE_FACES;
    bool smooth = def->builtin != TN_BUILTIN_CHECKER && def->mark == TN_MARK_NONE;
    int most = smooth ? SMOOTH_SIDE : TN_MOST_TEXTURE_SIDE;
    int height = faces == 1 ? def->height : def->width;
    *out = (TnPixels){.width = def->width < most ? def->width : most,
                      .height = height < most ? height : most};
    Face face[TN_TEXTURE_FACES];
    if (!make_room(out, faces, face)) return false;
    for (int i = 0; i < faces; i++) build_in(def, i, &face[i]);
    return true;
}

static int side_of_cell(const TnTextureDef *def, const TnPixels *p)
{
    int width = p->width / def->grid[1], height = p->height / def->grid[0];
    return width < height ? width : height;
}

/* One picture for all, or one for each face. */
static bool pixels_of_files(const TnTextureDef *def, TnPixels *out)
{
    bool flat = def->type == TN_TEXTURE_2D, separate = false;
    for (int i = 1; i < TN_TEXTURE_FACES; i++) separate |= def->pictures[i].size > 0;
    TnPixels pictures[TN_TEXTURE_FACES] = {{0}};
    int side = 0, count = flat || !separate ? 1 : TN_TEXTURE_FACES;
    for (int i = 0; i < count; i++) {
        const TnPicture *picture = &def->pictures[i];
        if (picture->size && !tn_picture_read(picture->data, picture->size, &pictures[i]))
            pictures[i].width = pictures[i].height = 0;
        int own = separate ? pictures[i].width : flat ? 0 : side_of_cell(def, &pictures[i]);
        if (own > side) side = own;
    }
    if (side < 1) side = 1;
    *out = (TnPixels){.width = side, .height = side};
    if (flat && pictures[0].rgb) {
        out->width = pictures[0].width;
        out->height = pictures[0].height;
    }
    Face face[TN_TEXTURE_FACES];
    bool good = make_room(out, flat ? 1 : TN_TEXTURE_FACES, face);
    for (int i = 0; good && i < (flat ? 1 : TN_TEXTURE_FACES); i++) {
        fill(def->rgb1, &face[i]);
        if ((separate || flat) && pictures[i].rgb) copy_cell(def, &pictures[i], 0, 0, &face[i]);
    }
    if (good && !flat && !separate && pictures[0].rgb) cut_grid(def, &pictures[0], face);
    for (int i = 0; i < count; i++) tn_free(pictures[i].rgb);
    return good;
}

bool tn_texture_pixels(const TnTextureDef *def, TnPixels *out)
{
    return def->builtin == TN_BUILTIN_NONE ? pixels_of_files(def, out) : pixels_built_in(def, out);
}

size_t tn_texture_bytes(const TnSceneTexture *t)
{
    return 3 * (size_t)t->width * (size_t)t->height *
           (t->type == TN_TEXTURE_2D ? 1 : TN_TEXTURE_FACES);
}

void tn_pixels_halve(TnPixels *p, int faces)
{
    int width = p->width > 1 ? p->width / 2 : 1, height = p->height > 1 ? p->height / 2 : 1;
    int across = p->width > 1 ? 2 : 1, down = p->height > 1 ? 2 : 1;
    uint8_t *to = p->rgb; /* never ahead of what is read */
    for (int face = 0; face < faces; face++)
        for (int r = 0; r < height; r++)
            for (int c = 0; c < width; c++)
                for (int k = 0; k < 3; k++) {
                    int sum = 0;
                    for (int i = 0; i < across * down; i++) {
                        size_t row = (size_t)(face * p->height + r * down + i / across);
                        size_t column = (size_t)(c * across + i % across);
                        sum += p->rgb[3 * (row * (size_t)p->width + column) + (size_t)k];
                    }
                    *to++ = (uint8_t)((sum + across * down / 2) / (across * down));
                }
    p->width = width;
    p->height = height;
}

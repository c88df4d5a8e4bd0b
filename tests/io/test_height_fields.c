/* Height fields from pictures, binary files and numbers: the same heights at the same places. */
#include "base/base.h"
#include "io/picture/png_file.h"
#include "mjcf_text.h"
#include <tenon/model_info.h>

#include <math.h>
#include <sys/stat.h>
#include <zlib.h>

enum { WIDE = 5, HIGH = 4, MOST = 4096 };

typedef struct Bytes {
    uint8_t data[MOST];
    size_t count;
} Bytes;

static void put_u32(uint8_t *at, uint32_t x)
{
    for (int k = 0; k < 4; k++) at[k] = (uint8_t)(x >> (24 - 8 * k));
}

static void add_chunk(Bytes *b, const char *name, const uint8_t *data, size_t count)
{
    uint8_t *at = b->data + b->count;
    put_u32(at, (uint32_t)count);
    memcpy(at + 4, name, 4);
    if (count) memcpy(at + 8, data, count);
    put_u32(at + 8 + count, (uint32_t)crc32(crc32(0, NULL, 0), at + 4, (uInt)count + 4));
    b->count += 12 + count;
}

static uint8_t gray_at(int row, int column) { return (uint8_t)(40 * row + 17 * column * column); }

/* Differences as the filter says: the inverse of what a reader does. */
static uint8_t filtered(int filter, const uint8_t *row, const uint8_t *above, size_t i,
                        size_t pixel)
{
    int a = i >= pixel ? row[i - pixel] : 0, b = above ? above[i] : 0;
    int c = above && i >= pixel ? above[i - pixel] : 0, p = a + b - c;
    int nearest = abs(p - a) <= abs(p - b) && abs(p - a) <= abs(p - c) ? a
                  : abs(p - b) <= abs(p - c)                           ? b
                                                                       : c;
    const int from[5] = {0, a, b, (a + b) / 2, nearest};
    return (uint8_t)(row[i] - from[filter]);
}

/* The first channel has the grays, others something else. */
static Bytes picture(int depth, int colour, int filter)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    size_t channels = colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1;
    size_t wide = (size_t)depth / 8, pixel = channels * wide, length = WIDE * pixel;
    uint8_t rows[HIGH][WIDE * 8], raw[HIGH * (WIDE * 8 + 1)], packed[MOST / 2], head[13] = {0};
    Bytes b = {.count = 8};
    for (int r = 0; r < HIGH; r++) {
        for (size_t i = 0; i < length; i++) rows[r][i] = (uint8_t)(91 * i + 7);
        for (int c = 0; c < WIDE; c++) rows[r][(size_t)c * pixel] = gray_at(r, c);
        raw[(size_t)r * (length + 1)] = (uint8_t)filter;
        for (size_t i = 0; i < length; i++)
            raw[(size_t)r * (length + 1) + 1 + i] =
                filtered(filter, rows[r], r ? rows[r - 1] : NULL, i, pixel);
    }
    uLongf size = sizeof packed;
    CHECK(compress(packed, &size, raw, HIGH * (length + 1)) == Z_OK);
    memcpy(b.data, signature, sizeof signature);
    put_u32(head, WIDE);
    put_u32(head + 4, HIGH);
    head[8] = (uint8_t)depth;
    head[9] = (uint8_t)colour;
    add_chunk(&b, "IHDR", head, sizeof head);
    add_chunk(&b, "IDAT", packed, size / 2); /* in two parts */
    add_chunk(&b, "IDAT", packed + size / 2, size - size / 2);
    add_chunk(&b, "IEND", NULL, 0);
    return b;
}

TEST(pictures_of_all_kinds_give_their_first_channel)
{
    const int colours[] = {0, 2, 4, 6};
    for (int depth = 8; depth <= 16; depth += 8)
        for (int k = 0; k < 4; k++)
            for (int filter = 0; filter < 5; filter++) {
                Bytes b = picture(depth, colours[k], filter);
                TnPngFile png;
                REQUIRE(tn_png_read((const char *)b.data, b.count, 1, &png));
                CHECK(png.width == WIDE && png.height == HIGH);
                for (int i = 0; i < WIDE * HIGH; i++)
                    CHECK(png.pixels[i] == gray_at(i / WIDE, i % WIDE));
                tn_free(png.pixels);
            }
}

static void check_fault(const Bytes *b, const char *part)
{
    TnPngFile png;
    CHECK(!tn_png_read((const char *)b->data, b->count, 1, &png));
    CHECK_STR(png.fault, part);
}

TEST(damaged_pictures_are_told)
{
    Bytes good = picture(8, 0, 1), b = good;
    b.data[0] = 0;
    check_fault(&b, "no PNG");
    b = good;
    b.data[8 + 8 + 12] = 1; /* interlaced, but the checksum tells it first */
    check_fault(&b, "checksum");
    check_fault(&(Bytes){.count = 0}, "no PNG");
    for (size_t cut = 8; cut < good.count;
         cut++) { /* every cut is seen, and none reads beyond it */
        TnPngFile png;
        char *copy = malloc(cut);
        memcpy(copy, good.data, cut);
        CHECK(!tn_png_read(copy, cut, 1, &png));
        free(copy);
    }
    Bytes palette = picture(8, 0, 0);
    palette.data[8 + 8 + 9] = 3;
    put_u32(palette.data + 8 + 8 + 13,
            (uint32_t)crc32(crc32(0, NULL, 0), palette.data + 8 + 4, 13 + 4));
    check_fault(&palette, "no palettes");
}

/* ---- through a model ---- */

static TnModel *load_field(const char *name, const void *bytes, size_t count,
                           const char *attributes)
{
    char folder[] = "/tmp/tenon_field_XXXXXX", path[256], model[256], text[1024];
    TnError err = {0};
    if (!mkdtemp(folder)) return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(model, sizeof model, "%s/m.xml", folder);
    snprintf(text, sizeof text,
             "<mujoco><asset><hfield name='f' size='2 1 .5 .1' %s/></asset><worldbody>"
             "<geom type='hfield' hfield='f'/></worldbody></mujoco>",
             attributes);
    FILE *file = fopen(path, "wb");
    if (file && count) fwrite(bytes, 1, count, file);
    if (file) fclose(file);
    file = fopen(model, "w");
    if (file) fputs(text, file);
    if (file) fclose(file);
    TnModel *out = tn_model_load(model, &err);
    if (!out) test_fail(__FILE__, __LINE__, "%s", err.message);
    remove(path);
    remove(model);
    remove(folder);
    return out;
}

/* Height of the vertex at a row (from -y) and column (from -x). */
static double height_at(const TnModel *model, int row, int column, int columns, int rows)
{
    TnMeshInfo mesh = tn_model_mesh_info(model, 1);
    const double *v = mesh.vertices + 3 * (row * columns + column);
    CHECK_NEAR(v[0], -2 + 4.0 * column / (columns - 1), 1e-12); /* rounding */
    CHECK_NEAR(v[1], -1 + 2.0 * row / (rows - 1), 1e-12);
    return v[2];
}

/* MuJoCo's hfield_data of elevation "0 1 2 3 4 5" with two rows is 0.6 0.8 1 0 0.2 0.4. */
TEST(numbers_begin_at_the_far_end_and_are_scaled)
{
    TnModel *model = load_field("none", NULL, 0, "nrow='2' ncol='3' elevation='0 1 2 3 4 5'");
    REQUIRE(model);
    const double expected[6] = {0.6, 0.8, 1, 0, 0.2, 0.4};
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(height_at(model, i / 3, i % 3, 3, 2), 0.5 * expected[i], 1e-12);
    tn_model_destroy(model);
}

TEST(pictures_begin_at_the_far_end)
{
    Bytes b = picture(8, 0, 0);
    TnModel *model = load_field("a.png", b.data, b.count, "file='a.png'");
    REQUIRE(model);
    double low = 255, high = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        low = fmin(low, gray_at(i / WIDE, i % WIDE));
        high = fmax(high, gray_at(i / WIDE, i % WIDE));
    }
    for (int i = 0; i < WIDE * HIGH; i++)
        CHECK_NEAR(height_at(model, HIGH - 1 - i / WIDE, i % WIDE, WIDE, HIGH),
                   0.5 * (gray_at(i / WIDE, i % WIDE) - low) / (high - low), 1e-12);
    tn_model_destroy(model);
}

TEST(binary_files_begin_at_the_near_end)
{
    const int32_t counts[2] = {2, 2};
    const float heights[4] = {0, 1, 2, 5};
    uint8_t bytes[24];
    memcpy(bytes, counts, 8);
    memcpy(bytes + 8, heights, 16);
    TnModel *model = load_field("a.bin", bytes, sizeof bytes, "file='a.bin'");
    REQUIRE(model);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(height_at(model, i / 2, i % 2, 2, 2), 0.5 * (double)heights[i] / 5, 1e-12);
    tn_model_destroy(model);
}

/* A closed surface that looks outward: its volume is that below the heights, and of the base. */
TEST(a_field_is_a_solid)
{
    TnModel *model = load_field("none", NULL, 0, "nrow='3' ncol='4'");
    REQUIRE(model);
    TnMeshInfo mesh = tn_model_mesh_info(model, 1);
    double sum = 0;
    for (int i = 0; i < mesh.triangle_count; i++) {
        const double *a = mesh.vertices + 3 * mesh.triangles[3 * i],
                     *b = mesh.vertices + 3 * mesh.triangles[3 * i + 1],
                     *c = mesh.vertices + 3 * mesh.triangles[3 * i + 2];
        sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6;
    }
    CHECK_NEAR(sum, 4 * 2 * 0.1, 1e-12);
    tn_model_destroy(model);
}

/* Textures, materials and lights of MJCF files: what is kept, what pixels they give, what is an
 * error. */
#include "io/picture/picture.h"
#include "mjcf_text.h"

#include <math.h>
#include <tenon/definitions.h>
#include <tenon/scene.h>
#include <tenon/world.h>
#include <zlib.h>

#define LOOKS DATA("looks/")
/* a few roundings of numbers of size 1 */
#define ROUNDING 1e-14

static TnError err;
static TnRemarks remarks;

static TnModel *load(const char *text)
{
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

#define ASSETS(INSIDE) "<mujoco><compiler texturedir='" LOOKS "'/>\n<asset>" INSIDE "</asset>"
#define WEARING(NAME) "<worldbody><geom size='1' material='" NAME "'/></worldbody></mujoco>"

static const uint8_t *pixel(const TnSceneTexture *t, int face, int row, int column)
{
    return t->rgb + 3 * ((size_t)(face * t->height + row) * (size_t)t->width + (size_t)column);
}

static bool is(const uint8_t *rgb, int r, int g, int b, int tolerance)
{
    return abs(rgb[0] - r) <= tolerance && abs(rgb[1] - g) <= tolerance &&
           abs(rgb[2] - b) <= tolerance;
}

TEST(materials_keep_all_their_numbers_and_classes_fill_in)
{
    TnModel *m = load(
        "<mujoco><default><material specular='0.25' shininess='0.75'/></default><asset>"
        "<texture name='t' type='2d' builtin='flat' width='2' height='2'/>"
        "<material name='a' rgba='0.1 0.2 0.3 0.4' texture='t' texrepeat='3 4' texuniform='true'"
        " emission='0.5' reflectance='0.6' metallic='0.7' roughness='0.8'/>"
        "<material name='b' specular='1'><layer role='rgb' "
        "texture='t'/></material></asset>" WEARING("a"));
    REQUIRE(m);
    TnMaterialDef a = tn_model_material_info(m, tn_model_find_material(m, "a"));
    TnMaterialDef b = tn_model_material_info(m, tn_model_find_material(m, "b"));
    CHECK(a.rgba[0] == 0.1 && a.rgba[3] == 0.4 && a.texture == 1 && a.texture_uniform);
    CHECK(a.texture_repeat[0] == 3 && a.texture_repeat[1] == 4 && a.emission == 0.5);
    CHECK(a.specular == 0.25 && a.shininess == 0.75 && a.reflectance == 0.6);
    CHECK(a.metallic == 0.7 && a.roughness == 0.8);
    CHECK(b.specular == 1 && b.shininess == 0.75 && b.metallic == -1 && b.texture == 1);
    TnGeomInfo geom = tn_model_geom_info(m, 1);
    CHECK(geom.material == 1 && geom.rgba[2] == 0.3);
    tn_model_destroy(m);
}

TEST(lights_are_placed_in_their_body_and_have_muJoCos_defaults)
{
    TnModel *m = load("<mujoco><worldbody><light name='late' mode='targetbody' target='b'/>"
                      "<body name='b' pos='0 0 1'><joint/><geom size='1'/>"
                      "<frame pos='0 0 2' euler='90 0 0'><light name='in' pos='1 0 0' dir='0 0 -2'"
                      " directional='true' castshadow='false' diffuse='1 0.5 0' cutoff='30'/>"
                      "</frame></body></worldbody></mujoco>");
    REQUIRE(m);
    TnLightDef late = tn_model_light_info(m, tn_model_find_light(m, "late"));
    TnLightDef in = tn_model_light_info(m, tn_model_find_light(m, "in"));
    CHECK(late.type == TN_LIGHT_SPOT && late.mode == TN_CAMERA_TARGET && late.target == 2);
    CHECK(late.active && late.cast_shadow && late.diffuse[0] == 0.7 && late.exponent == 10);
    CHECK(in.type == TN_LIGHT_DIRECTIONAL && !in.cast_shadow && in.diffuse[1] == 0.5);
    CHECK_NEAR(in.cutoff, 3.14159265358979323846 / 6, ROUNDING);
    CHECK_NEAR(in.pos[0], 1, ROUNDING);
    CHECK_NEAR(in.pos[2], 2, ROUNDING);
    CHECK_NEAR(in.dir[1], 1, ROUNDING); /* -z, turned by 90 degrees about x, of length 1 */
    tn_model_destroy(m);
}

TEST(builtin_textures_have_their_colours_in_the_right_places)
{
    TnModel *m = load(ASSETS(
        "<texture name='c' type='2d' builtin='checker' rgb1='1 0 0' rgb2='0 0 1' mark='edge'"
        " markrgb='0 1 0' width='6' height='4'/>"
        "<texture name='f' builtin='flat' rgb1='1 1 1' rgb2='0 0 0' width='2'/>"
        "<texture type='skybox' builtin='gradient' rgb1='1 1 1' rgb2='0 0 0' width='600'/>"
        "<material name='a' texture='c'/><material name='b' texture='f'/>") "<worldbody><geom "
                                                                            "size='1' "
                                                                            "material='a'/><geom "
                                                                            "size='1' "
                                                                            "material='b'/></"
                                                                            "worldbody></mujoco>");
    REQUIRE(m);
    TnScene *scene = tn_scene_create(m, &err);
    REQUIRE(scene && scene->texture_count == 3 && scene->material_count == 2);
    const TnSceneTexture *c = &scene->textures[scene->materials[0].texture - 1];
    CHECK(c->width == 6 && c->height == 4 && is(pixel(c, 0, 0, 0), 0, 255, 0, 0));
    CHECK(is(pixel(c, 0, 1, 1), 255, 0, 0, 0) && is(pixel(c, 0, 1, 4), 0, 0, 255, 0));
    CHECK(is(pixel(c, 0, 2, 1), 0, 0, 255, 0) && is(pixel(c, 0, 2, 4), 255, 0, 0, 0));
    const TnSceneTexture *f = &scene->textures[scene->materials[1].texture - 1];
    CHECK(f->type == TN_TEXTURE_CUBE && is(pixel(f, 0, 0, 0), 255, 255, 255, 0));
    CHECK(is(pixel(f, 3, 1, 1), 0, 0, 0, 0)); /* below */
    const TnSceneTexture *sky = &scene->textures[2];
    CHECK(sky->type == TN_TEXTURE_SKYBOX && sky->width == 128); /* smooth: so many are enough */
    CHECK(is(pixel(sky, 2, 64, 64), 255, 255, 255, 2) && is(pixel(sky, 3, 64, 64), 0, 0, 0, 2));
    /* the horizon is the mean; a step of the gradient there is 255 √2 / 2 · 2/π · 2/127 = 1.8 */
    CHECK(is(pixel(sky, 0, 63, 64), 128, 128, 128, 3));
    tn_scene_destroy(scene);
    tn_model_destroy(m);
}

TEST(files_give_their_pixels_flipped_and_cut_as_the_element_says)
{
    TnModel *m = load(ASSETS(
        "<texture name='p' type='2d' file='plain.png' hflip='true'/>"
        "<texture name='six' type='cube' file='six.png' gridsize='1 6' gridlayout='RLUDFB'/>"
        "<material name='a' texture='p'/><material name='b' texture='six'/>") "<worldbody><geom "
                                                                              "size='1' "
                                                                              "material='a'/><geom "
                                                                              "size='1' "
                                                                              "material='b'/></"
                                                                              "worldbody></"
                                                                              "mujoco>");
    REQUIRE(m);
    TnScene *scene = tn_scene_create(m, &err);
    REQUIRE(scene && scene->texture_count == 2);
    const TnSceneTexture *p = &scene->textures[0], *six = &scene->textures[1];
    CHECK(p->width == 4 && p->height == 2);
    CHECK(is(pixel(p, 0, 0, 3), 255, 0, 0, 0) && is(pixel(p, 0, 1, 0), 100, 110, 120, 0));
    CHECK(six->width == 2 && is(pixel(six, 1, 0, 0), 120, 0, 0, 0));
    CHECK(is(pixel(six, 5, 1, 1), 0, 0, 120, 0));
    tn_scene_destroy(scene);
    tn_model_destroy(m);
}

TEST(jpeg_and_odd_png_files_are_read_or_leave_a_remark)
{
    TnModel *m = load(ASSETS(
        "<texture name='j' type='2d' file='flat.jpg'/>"
        "<texture name='q' type='2d' file='palette.png'/>"
        "<material name='a' texture='j'/><material name='b' texture='q'/>") "<worldbody><geom "
                                                                            "size='1' "
                                                                            "material='a'/><geom "
                                                                            "size='1' "
                                                                            "material='b'/></"
                                                                            "worldbody></mujoco>");
    REQUIRE(m);
    TnScene *scene = tn_scene_create(m, &err);
    REQUIRE(scene && scene->texture_count == 2);
    if (tn_stb_there()) {
        CHECK(remarks.count == 0 && scene->textures[0].width == 16);
        /* JPEG rounds colours: quality 90 to a few steps of 255 */
        CHECK(is(pixel(&scene->textures[0], 0, 4, 4), 200, 100, 50, 4));
        CHECK(is(pixel(&scene->textures[1], 0, 0, 0), 255, 0, 0, 0));
        CHECK(is(pixel(&scene->textures[1], 0, 1, 3), 100, 110, 120, 0));
    } else {
        CHECK(remarks.count == 1 && strstr(remarks.message, "stb_image"));
    }
    tn_scene_destroy(scene);
    tn_model_destroy(m);
}

/* Two triangles of an OBJ file with other places in the texture than corners in space. */
TEST(meshes_keep_texture_coordinates_of_each_corner)
{
    static const char obj[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.25\n"
        "f 1/1 2/2 3/3 4/4\n";
    const TnMemoryFile files[] = {{"m.obj", obj, sizeof obj - 1}};
    TnLoadDef how = tn_load_def();
    how.text = "<mujoco><asset><mesh name='m' file='m.obj'/><mesh name='i' vertex='0 0 0 1 0 0 0 1 "
               "0 0 0 1'"
               " face='0 2 1 0 1 3 0 3 2 1 2 3' texcoord='0 0 1 0 0 1 0.5 0.5'/></asset></mujoco>";
    how.files = files;
    how.file_count = 1;
    TnModelBuilder *b = tn_builder_load("model.xml", &how, NULL, &err);
    TnModel *m = tn_builder_compile(b, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    TnMeshInfo mesh = tn_model_mesh_info(m, 1), in = tn_model_mesh_info(m, 2);
    static const float wanted[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0.75f}}; /* v upwards in OBJ */
    REQUIRE(mesh.texcoords && mesh.triangle_count == 2 && in.texcoords);
    for (int i = 0; i < 6; i++)
        CHECK(!memcmp(mesh.texcoords + 2 * i, wanted[mesh.triangles[i]], sizeof wanted[0]));
    CHECK(in.texcoords[2] == 0 && in.texcoords[3] == 1); /* of corner 1: vertex 2 */
    tn_model_destroy(m);
    tn_builder_destroy(b);
}

/* ---- errors ---- */

typedef struct Bytes {
    char data[4096];
    size_t size;
} Bytes;

static void add_chunk(Bytes *b, const char *name, const unsigned char *data, uint32_t length)
{
    unsigned char head[8] = {(unsigned char)(length >> 24), (unsigned char)(length >> 16),
                             (unsigned char)(length >> 8), (unsigned char)length};
    memcpy(head + 4, name, 4);
    memcpy(b->data + b->size, head, 8);
    memcpy(b->data + b->size + 8, data, length);
    uint32_t check = (uint32_t)crc32(crc32(0, head + 4, 4), data, length);
    for (int k = 0; k < 4; k++)
        b->data[b->size + 8 + length + (size_t)k] = (char)(check >> (24 - 8 * k));
    b->size += length + 12;
}

/* A head that promises so many pixels, and hardly any data. */
static Bytes hostile_png(uint32_t width, uint32_t height)
{
    Bytes b = {.size = 8};
    memcpy(b.data, "\x89PNG\r\n\x1a\n", 8);
    unsigned char head[13] = {0};
    for (int k = 0; k < 4; k++) {
        head[k] = (unsigned char)(width >> (24 - 8 * k));
        head[4 + k] = (unsigned char)(height >> (24 - 8 * k));
    }
    head[8] = 8;
    head[9] = 2;
    add_chunk(&b, "IHDR", head, 13);
    add_chunk(&b, "IDAT", (const unsigned char *)"x", 1);
    add_chunk(&b, "IEND", (const unsigned char *)"", 0);
    return b;
}

static void refused(const char *element, const TnMemoryFile *file, const char *part, int line)
{
    char text[600];
    snprintf(text, sizeof text, "<mujoco>\n<asset>%s</asset></mujoco>", element);
    TnLoadDef how = tn_load_def();
    how.text = text;
    how.files = file;
    how.file_count = file != NULL;
    TnModelBuilder *b = tn_builder_load("model.xml", &how, NULL, &err);
    if (b || err.count != 1 || !strstr(err.message, "model.xml:2:") || !strstr(err.message, part))
        test_fail(__FILE__, line, "%s", b ? "it loads" : err.message);
    tn_builder_destroy(b);
}
#define REFUSED(ELEMENT, FILE, PART) refused(ELEMENT, FILE, PART, __LINE__)

TEST(bad_textures_say_what_is_wrong_and_where)
{
    const char *use = "<texture name='t' type='2d' file='t.png'/>";
    Bytes wide = hostile_png(20000, 1), many = hostile_png(10000, 10000), empty = hostile_png(0, 5);
    const TnMemoryFile text = {"t.png", "this is text", 12};
    const TnMemoryFile too_wide = {"t.png", wide.data, wide.size};
    const TnMemoryFile too_many = {"t.png", many.data, many.size};
    const TnMemoryFile none = {"t.png", empty.data, empty.size};
    const TnMemoryFile cut = {"t.png", many.data, many.size - 5};
    const TnMemoryFile jpeg = {"t.png", "\xff\xd8\xff\xe0 nothing more", 17};
    REFUSED(use, NULL, "no such file");
    REFUSED(use, &text, "neither");
    REFUSED(use, &too_wide, "20000 × 1 pixels; the limit is 16384");
    REFUSED(use, &too_many, "--limit-factor");
    REFUSED(use, &none, "its size is 0");
    REFUSED(use, &cut, "it ends within a chunk");
    REFUSED(use, &jpeg, "its header is damaged");
    REFUSED("<texture name='t' type='2d' file='../../../t.png'/>", NULL, "--files any");
    REFUSED("<texture name='t' type='2d'/>", NULL, "'file' or 'builtin' is missing");
    REFUSED("<texture builtin='flat' width='2'/>", NULL, "'name' is missing");
    REFUSED("<texture name='t' type='2d' fileup='a.png'/>", NULL, "files for sides need");
    REFUSED("<texture name='t' builtin='flat' width='2' gridlayout='RX'/>", NULL, "gridlayout has");
    REFUSED("<texture name='t' builtin='flat' width='2' gridsize='5 5'/>", NULL, "at most 12");
    REFUSED("<material name='m' texture='t'/>", NULL, "there is no texture named 't'");
    REFUSED("<material name='m' specular='2'/>", NULL, "between 0 and 1");
    REFUSED("<material name='m' shine='1'/>", NULL, "unknown attribute 'shine'");
}

TEST(a_builtin_texture_without_a_size_is_an_error)
{
    TnModel *m = load_text(
        ASSETS("<texture name='t' type='2d' builtin='flat' width='2'/>") "</mujoco>", &err);
    CHECK(!m && has_line(err.message, "2:8", "width and height"));
    tn_model_destroy(m);
}

/* A file that is sound outside and damaged inside is drawn in one colour. */
TEST(pixels_that_cannot_be_unpacked_are_rgb1)
{
    Bytes b = hostile_png(4, 4);
    TnTextureDef def = tn_texture_def();
    def.pictures[0] = (TnPicture){.data = b.data, .size = b.size};
    def.rgb1[1] = 0;
    TnPixels pixels;
    REQUIRE(tn_texture_pixels(&def, &pixels));
    CHECK(pixels.width == 1 && is(pixels.rgb, 204, 0, 204, 0));
    free(pixels.rgb);
}

/* ---- what is kept is written ---- */

static const char everything[] =
    "<mujoco><visual><headlight ambient='0.2 0.2 0.2' active='0'/><rgba haze='0.1 0.2 0.3 1'/>"
    "</visual><compiler texturedir='" LOOKS "'/><asset>"
    "<texture name='c' type='2d' builtin='checker' rgb1='0.1 0 0' mark='random' random='0.2' "
    "width='6'"
    " height='4'/><texture name='p' type='2d' file='plain.png' vflip='true'/>"
    "<texture name='j' type='2d' file='flat.jpg'/>"
    "<texture type='skybox' fileright='plain.png' filedown='flat.jpg'/>"
    "<texture name='six' file='six.png' gridsize='1 6' gridlayout='RLUDFB'/>"
    "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'"
    " texcoord='0.1 0 1 0 0 1 0.3 0.7'/>"
    "<material name='a' texture='c' texrepeat='2 3' texuniform='true' emission='0.1' "
    "metallic='0.2'/>"
    "<material name='b' rgba='0.1 0.2 0.3 1' roughness='0.5' "
    "reflectance='0.25'/></asset><worldbody>"
    "<light pos='0 0 3' mode='track' diffuse='0.1 0.2 0.3' attenuation='1 0.5 0' cutoff='20'/>"
    "<geom type='plane' size='1 1 1' material='a'/><body name='x' pos='0 0 1'><freejoint/>"
    "<light type='point' active='false' castshadow='false' mode='targetbody' target='x'/>"
    "<geom type='mesh' mesh='m' material='b'/></body></worldbody></mujoco>";

typedef struct Kept {
    TnMemoryFile files[16];
    int count;
} Kept;

static bool keep(void *user, const TnMemoryFile *file)
{
    Kept *kept = user;
    void *copy = malloc(file->size + 1);
    if (!copy || kept->count == 16) return false;
    memcpy(copy, file->data, file->size);
    kept->files[kept->count++] = (TnMemoryFile){strdup(file->path), copy, file->size};
    return true;
}

static void drop(Kept *kept)
{
    for (int i = 0; i < kept->count; i++) {
        free((void *)kept->files[i].path);
        free((void *)kept->files[i].data);
    }
}

TEST(what_is_kept_is_written_and_read_again_the_same)
{
    TnLoadDef how = tn_load_def();
    Kept first = {.count = 0}, second = {.count = 0};
    how.text = everything;
    how.reach = TN_FILES_ANY;
    TnModelBuilder *b = tn_builder_load("model.xml", &how, NULL, &err);
    if (!b) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(b && tn_builder_write_to(b, "w.xml", keep, &first, &err));
    how.text = NULL;
    how.files = first.files;
    how.file_count = first.count;
    TnModelBuilder *again = tn_builder_load("w.xml", &how, NULL, &err);
    if (!again) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(again && tn_builder_write_to(again, "w.xml", keep, &second, &err));
    CHECK(first.count == second.count && first.count == 7); /* five pictures, a mesh, the model */
    for (int i = 0; i < first.count && i < second.count; i++)
        CHECK(first.files[i].size == second.files[i].size &&
              !memcmp(first.files[i].data, second.files[i].data, first.files[i].size));
    TnDefinitions d = tn_builder_definitions(again);
    CHECK(d.texture_count == 5 && d.material_count == 2 && d.light_count == 2);
    CHECK(d.textures[0].mark == TN_MARK_RANDOM && d.textures[0].random == 0.2);
    CHECK(d.textures[3].pictures[0].size && d.textures[3].pictures[3].size);
    CHECK(d.textures[4].grid[1] == 6 && !strncmp(d.textures[4].layout, "RLUDFB", 6));
    CHECK(d.view.no_headlight && d.view.haze[2] == 0.3 && d.lights[0].mode == TN_CAMERA_TRACK);
    CHECK(!d.lights[1].active && d.lights[1].target == 2 && d.geoms[1].material == 2);
    drop(&first);
    drop(&second);
    tn_builder_destroy(b);
    tn_builder_destroy(again);
}

static uint64_t hash_after(TnModel *m)
{
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    for (int i = 0; world && i < 50; i++) tn_world_step(world);
    uint64_t hash = world ? tn_world_hash(world) : 0;
    tn_world_destroy(world);
    return hash;
}

/* The mesh falls, turns and lands: with and without all of it. */
TEST(looks_change_no_bit_of_the_motion)
{
    static const char bare[] = "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
                               "face='0 2 1 0 1 3 0 3 2 1 2 3'/>"
                               "</asset><worldbody><geom type='plane' size='1 1 1'/><body name='x' "
                               "pos='0 0 1'><freejoint/>"
                               "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    TnModel *a = load(everything), *b = load(bare);
    REQUIRE(a && b);
    uint64_t hash = hash_after(a);
    CHECK(hash != 0 && hash == hash_after(b));
    CHECK(tn_model_fingerprint(a) == tn_model_fingerprint(b));
    tn_model_destroy(a);
    tn_model_destroy(b);
}

TEST(scenes_have_tenons_own_lights_where_no_light_works)
{
    TnModel *m = load("<mujoco><worldbody><light active='false'/><light diffuse='0 0 0'/>"
                      "<geom type='plane' size='1 1 1'/><geom size='1'/></worldbody></mujoco>");
    REQUIRE(m && tn_model_info(m).light_count == 2);
    TnScene *scene = tn_scene_create(m, &err);
    REQUIRE(scene);
    CHECK(scene->light_count == 0);
    /* the floor is a darker grey than what stands on it */
    CHECK(scene->shapes[0].rgba[0] < scene->shapes[1].rgba[0] - 0.1f);
    tn_scene_destroy(scene);
    tn_model_destroy(m);
}

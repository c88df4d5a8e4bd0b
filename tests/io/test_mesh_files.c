/* Mesh files: good ones give the triangles they hold, bad ones say what is wrong; then the same
 * through <mesh> of a model file. */
#include "base/base.h"
#include "io/mesh/mesh_file.h"
#include "mjcf_text.h"
#include <tenon/model_info.h>

#include <sys/stat.h>

static TnError err;
static TnRemarks remarks;

/* ---- the readers alone ---- */

/* A copy of exactly this size and its closing zero, so that a read beyond it is seen by ASan. */
typedef bool Reader(const char *text, size_t size, TnMeshFile *out);
static bool read_copy(Reader *reader, const void *bytes, size_t size, TnMeshFile *out)
{
    char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    copy[size] = 0;
    bool good = reader(copy, size, out);
    free(copy);
    return good;
}

static void check_fault(Reader *reader, const void *bytes, size_t size, const char *part, int line)
{
    TnMeshFile mesh;
    if (read_copy(reader, bytes, size, &mesh))
        test_fail(__FILE__, line, "it is read");
    else if (!strstr(mesh.fault, part))
        test_fail(__FILE__, line, "\"%s\" does not contain \"%s\"", mesh.fault, part);
    tn_mesh_file_free(&mesh);
}
#define OBJ_FAULT(TEXT, PART) check_fault(tn_mesh_read_obj, TEXT, strlen(TEXT), PART, __LINE__)
#define STL_FAULT(BYTES, SIZE, PART) check_fault(tn_mesh_read_stl, BYTES, SIZE, PART, __LINE__)
#define MSH_FAULT(BYTES, SIZE, PART) check_fault(tn_mesh_read_msh, BYTES, SIZE, PART, __LINE__)

static void check_triangle(const TnMeshFile *mesh, int i, int32_t a, int32_t b, int32_t c, int line)
{
    const int32_t *t = mesh->triangles + 3 * i;
    if (t[0] != a || t[1] != b || t[2] != c)
        test_fail(__FILE__, line, "triangle %d is %d %d %d", i, (int)t[0], (int)t[1], (int)t[2]);
}
#define TRIANGLE(I, A, B, C) check_triangle(&mesh, I, A, B, C, __LINE__)

TEST(obj_faces_come_in_all_spellings)
{
    const char *text = "# a comment\r\n"
                       "mtllib looks.mtl\n"
                       "v 9 9 9\n" /* no face names it */
                       "o thing\n"
                       "v 0 0 0\nv 1 0 0 0.5\nv\t1 1 0\nv 0 1 0\n  v 0.5 0.5 1e0\n"
                       "vt 0 0\nvn 0 0 1\nusemtl red\ns off\n"
                       "f 2 3 4\n"
                       "f 2/1 3/1 6/1\n"
                       "f 2/1/1 3//1 6\n"
                       "f -5 -4 -3 -2\n" /* a square: two triangles */
                       "f 2 3 4 5 6";    /* a pentagon, and no line end */
    TnMeshFile mesh;
    REQUIRE(read_copy(tn_mesh_read_obj, text, strlen(text), &mesh));
    CHECK(mesh.vertex_count == 5 && mesh.triangle_count == 8 && !mesh.left_out);
    CHECK(mesh.vertices[0] == 0 && mesh.vertices[3] == 1 && mesh.vertices[14] == 1);
    TRIANGLE(0, 0, 1, 2);
    TRIANGLE(1, 0, 1, 4);
    TRIANGLE(2, 0, 1, 4);
    TRIANGLE(3, 0, 1, 3); /* both diagonals are as long */
    TRIANGLE(4, 1, 2, 3);
    TRIANGLE(5, 2, 3, 4);
    tn_mesh_file_free(&mesh);
}

TEST(obj_takes_the_first_group_as_mujoco_does)
{
    const char *text = "g empty\ng a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                       "g b\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n";
    TnMeshFile mesh;
    REQUIRE(read_copy(tn_mesh_read_obj, text, strlen(text), &mesh));
    CHECK(mesh.left_out && mesh.vertex_count == 3 && mesh.triangle_count == 1);
    tn_mesh_file_free(&mesh);
    const char *points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"; /* no faces: all points count */
    REQUIRE(read_copy(tn_mesh_read_obj, points, strlen(points), &mesh));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 0);
    tn_mesh_file_free(&mesh);
}

TEST(bad_obj_files_are_told_by_line)
{
    OBJ_FAULT("", "no vertices");
    OBJ_FAULT("v 1 2\n", "line 1: a vertex needs three finite numbers");
    OBJ_FAULT("v 1 2 3\nv 1 2 nan\n", "line 2: a vertex needs three finite numbers");
    OBJ_FAULT("v 1 2 1e999\n", "three finite numbers");
    OBJ_FAULT("v 1 2 0x10\n", "three finite numbers");
    OBJ_FAULT("v 1 2 3,5\n", "three finite numbers");
    OBJ_FAULT("v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face needs at least three corners");
    OBJ_FAULT("v 0 0 0\nf 1 1 2\n", "line 2: a face names vertex 2; there are 1 so far");
    OBJ_FAULT("v 0 0 0\nf 1 1 0\n", "a face names vertex 0");
    OBJ_FAULT("v 0 0 0\nf 1 1 -2\n", "a face names vertex -2");
    OBJ_FAULT("v 0 0 0\nf 1 1 99999999999999999999\n", "is no corner of a face");
    OBJ_FAULT("v 0 0 0\nf a b c\n", "line 2: 'a' is no corner of a face");
    OBJ_FAULT("v 0 0 0\nf /1 1 1\n", "is no corner of a face");
    OBJ_FAULT("v 0 0 0\nf 1.5 1 1\n", "is no corner of a face");
    OBJ_FAULT("v 0 0 0\nvn 0 0 \\\n 1\n", "line 2: lines that go on");
    check_fault(tn_mesh_read_obj, "v 0 0 0\0x", 9, "zero bytes", __LINE__);
}

typedef struct Bytes {
    unsigned char data[1024];
    size_t size;
} Bytes;

static void put_u32(Bytes *b, uint32_t value)
{
    for (int i = 0; i < 4; i++) b->data[b->size++] = (unsigned char)(value >> 8 * i);
}

static void put_f32(Bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(b, bits);
}

static const float tetra_corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0f, 0, 1}};
static const int tetra_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static Bytes binary_stl(void)
{
    Bytes b = {.size = 80};
    memcpy(b.data, "solid but not a text", 20);
    put_u32(&b, 4);
    for (int t = 0; t < 4; t++) {
        for (int k = 0; k < 3; k++) put_f32(&b, 7.0f); /* normals are not read */
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) put_f32(&b, tetra_corners[tetra_faces[t][c]][k]);
        b.size += 2;
    }
    return b;
}

TEST(stl_corners_are_merged)
{
    Bytes b = binary_stl();
    TnMeshFile mesh;
    REQUIRE(read_copy(tn_mesh_read_stl, b.data, b.size, &mesh));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 4);
    TRIANGLE(0, 0, 1, 2); /* numbered as they come: corners 0, 2, 1 and later 3 */
    TRIANGLE(1, 0, 2, 3);
    TRIANGLE(2, 2, 1, 3);
    TRIANGLE(3, 1, 0, 3);
    CHECK(mesh.vertices[3] == 0 && mesh.vertices[4] == 1);
    CHECK(mesh.vertices[9] == 0 && !signbit(mesh.vertices[9]));
    tn_mesh_file_free(&mesh);

    const char *text = "solid tetra\n facet normal 0 0 -1\n  outer loop\n   vertex 0 0 0\n"
                       "   vertex 0 1.0e0 0\r\n   vertex 1 -0 0\n  endloop\n endfacet\n"
                       "vertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendsolid";
    REQUIRE(read_copy(tn_mesh_read_stl, text, strlen(text), &mesh));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 2);
    TRIANGLE(1, 0, 2, 3);
    tn_mesh_file_free(&mesh);
}

TEST(bad_stl_files_are_told)
{
    Bytes b = binary_stl();
    /* cut off anywhere; what is left of the first words looks like a text */
    for (size_t size = 0; size < b.size; size++)
        STL_FAULT(b.data, size,
                  size >= 84                ? "its head tells of 4 triangles (284 bytes)"
                  : size >= 5 && size <= 20 ? "it has 0 vertices"
                                            : "within the head of an STL file");
    STL_FAULT(b.data, b.size + 1, "but it has 285 bytes");
    Bytes huge = b;
    huge.size = 80;
    put_u32(&huge, 0xffffffffu); /* 200 GB, says the head */
    STL_FAULT(huge.data, b.size, "its head tells of 4294967295 triangles");
    Bytes none = b;
    none.size = 80;
    put_u32(&none, 0);
    STL_FAULT(none.data, 84, "its head tells of 0 triangles");
    Bytes bad = b;
    bad.size = 84 + 50 + 12;
    put_f32(&bad, NAN);
    STL_FAULT(bad.data, b.size, "a corner of triangle 2 is not finite");
#define TEXT_FAULT(TEXT, PART) STL_FAULT(TEXT, strlen(TEXT), PART)
    TEXT_FAULT("solid x\nvertex 0 0 0\nvertex 1 0 0\nendsolid", "it has 2 vertices");
    TEXT_FAULT("solid x\nendsolid", "it has 0 vertices");
    TEXT_FAULT("solid x\nvertex 0 0\nvertex", "line 2: a vertex needs three finite numbers");
    TEXT_FAULT("solid x\nvertex 0 0 inf\n", "line 2: a vertex needs three finite numbers");
}

static Bytes good_msh(void)
{
    Bytes b = {.size = 0};
    put_u32(&b, 4);
    put_u32(&b, 1);
    put_u32(&b, 1);
    put_u32(&b, 4);
    for (int i = 0; i < 12; i++) put_f32(&b, tetra_corners[i / 3][i % 3]);
    for (int i = 0; i < 5; i++) put_f32(&b, 0);
    for (int i = 0; i < 12; i++) put_u32(&b, (uint32_t)tetra_faces[i / 3][i % 3]);
    return b;
}

TEST(msh_files_are_read_and_checked)
{
    Bytes b = good_msh();
    TnMeshFile mesh;
    REQUIRE(read_copy(tn_mesh_read_msh, b.data, b.size, &mesh));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 4 && mesh.vertices[7] == 1);
    TRIANGLE(3, 2, 0, 3);
    tn_mesh_file_free(&mesh);
    for (size_t size = 0; size < b.size; size++)
        MSH_FAULT(b.data, size, size < 16 ? "within its counts" : "its counts ask for 132 bytes");
    Bytes bad = b;
    bad.data[3] = 0x7f; /* a billion vertices */
    MSH_FAULT(bad.data, b.size, "its counts ask for");
    bad.data[3] = 0xff;
    MSH_FAULT(bad.data, b.size, "its counts are negative");
    bad = b;
    bad.size = b.size - 4;
    put_u32(&bad, 4);
    MSH_FAULT(bad.data, b.size, "face 3 names vertex 4 of 4");
    bad = b;
    bad.size = 16;
    put_f32(&bad, INFINITY);
    MSH_FAULT(bad.data, b.size, "vertex 0 is not finite");
}

TEST(random_bytes_never_break_a_reader)
{
    uint64_t state = 1;
    Bytes b, stl = binary_stl(), msh = good_msh();
    for (int round = 0; round < 3000; round++) {
        b = round % 3 == 0 ? stl : round % 3 == 1 ? msh : (Bytes){.size = 200};
        for (int i = 0; i < (round % 3 == 2 ? 200 : 3); i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            static const char letters[] = "vf/ -12\n.e0";
            size_t at = (size_t)(state >> 33) % b.size;
            b.data[round % 3 == 2 ? (size_t)i : at] =
                round % 3 == 2 ? (unsigned char)letters[(state >> 40) % 11]
                               : (unsigned char)(state >> 50);
        }
        Reader *readers[3] = {tn_mesh_read_obj, tn_mesh_read_stl, tn_mesh_read_msh};
        for (int k = 0; k < 3; k++) {
            TnMeshFile mesh;
            bool good = read_copy(readers[k], b.data, b.size, &mesh);
            for (int i = 0; good && i < 3 * mesh.triangle_count; i++)
                CHECK(mesh.triangles[i] >= 0 && mesh.triangles[i] < mesh.vertex_count);
            if (!good) CHECK(mesh.fault[0]);
            tn_mesh_file_free(&mesh);
        }
    }
}

/* ---- in a model ---- */

static char folder[400];

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size)
        test_fail(__FILE__, __LINE__, "cannot write %s", path);
    if (file) fclose(file);
}

/* A folder with tetra.obj, tetra.stl and meshes/tetra.msh, and the model in it. */
static bool folder_begin(void)
{
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.300s/tenon_mesh_XXXXXX", where && where[0] ? where : "/tmp");
    char sub[512];
    if (!mkdtemp(folder)) return false;
    snprintf(sub, sizeof sub, "%s/meshes", folder);
    mkdir(sub, 0700);
    const char *obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    Bytes stl = binary_stl(), msh = good_msh();
    write_file("tetra.obj", obj, strlen(obj));
    write_file("tetra.STL", stl.data, stl.size);
    write_file("cut.stl", stl.data, stl.size - 7);
    write_file("tetra.dae", obj, strlen(obj));
    write_file("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", 32);
    write_file("meshes/tetra.msh", msh.data, msh.size);
    return true;
}

static void folder_end(void)
{
    static const char *const names[] = {"tetra.obj", "tetra.STL", "cut.stl",
                                        "tetra.dae", "flat.obj",  "meshes/tetra.msh",
                                        "m.xml",     "meshes",    ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
}

static TnModel *load_here(const char *text)
{
    char path[512];
    write_file("m.xml", text, strlen(text));
    snprintf(path, sizeof path, "%s/m.xml", folder);
    return tn_model_load_with_remarks(path, &remarks, &err);
}

#define ASSET(MESH)                                                                                \
    "<mujoco><asset>\n" MESH                                                                       \
    "</asset><worldbody><body><freejoint/><geom type='mesh' mesh='tetra'/></body></worldbody>"     \
    "</mujoco>"

static void refused_here(const char *text, const char *place, const char *part, int line)
{
    TnModel *m = load_here(text);
    if (m || err.count != 1 || !has_line(err.message, place, part))
        test_fail(__FILE__, line, "%s", m ? "it loads" : err.message);
    tn_model_destroy(m);
}
#define REFUSED(TEXT, PLACE, PART) refused_here(TEXT, PLACE, PART, __LINE__)

TEST(meshes_of_all_formats_give_the_same_body)
{
    REQUIRE(folder_begin());
    static const char *const texts[] = {
        ASSET("<mesh file='tetra.obj'/>"), /* named by its file */
        ASSET("<mesh name='tetra' file='tetra.STL'/>"),
        ASSET("<mesh name='tetra' file='meshes/tetra.msh'/>"),
        "<mujoco><compiler meshdir='meshes/'/><asset><mesh file='tetra.msh'/></asset><worldbody>"
        "<body><freejoint/><geom type='mesh' mesh='tetra'/></body></worldbody></mujoco>",
        "<mujoco><compiler assetdir='meshes' strippath='true'/><asset><mesh "
        "file='far/away/tetra.msh'/></asset><worldbody><body><freejoint/><geom type='mesh' "
        "mesh='tetra'/></body></worldbody></mujoco>",
        ASSET("<mesh name='tetra' file='tetra.dae' content_type='model/obj'/>"),
        ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
              "face='0 2 1 0 1 3 1 2 3 2 0 3'/>"),
        ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"),
        /* moved, turned a quarter about z, mirrored and scaled: back to the same */
        ASSET("<mesh name='tetra' refpos='3 2 -1' refquat='1 0 0 1' scale='2 -1 1' inertia='exact'"
              " vertex='3 2 -1 3 2.5 -1 4 2 -1 3 2 0' face='0 1 2 0 3 1 1 3 2 2 3 0'/>")};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        TnModel *m = load_here(texts[i]);
        if (!m) test_fail(__FILE__, __LINE__, "%zu: %s", i, err.message);
        if (!m) continue;
        TnModelInfo info = tn_model_info(m);
        TnMeshInfo mesh = tn_model_mesh_info(m, 1);
        CHECK(info.mesh_count == 1 && strcmp(mesh.name, "tetra") == 0 && remarks.count == 0);
        CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 4 && mesh.hull_triangle_count == 4);
        CHECK_NEAR(info.total_mass, 1000.0 / 6.0, 1e-10); /* a few roundings */
        tn_model_destroy(m);
    }
    folder_end();
}

TEST(one_mesh_serves_many_geoms_and_brings_its_material)
{
    TnModel *m = load_text(
        "<mujoco><asset><material name='red' rgba='1 0 0 1'/>"
        "<mesh name='t' material='red' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
        "<default><default class='v'><geom type='mesh' mesh='t' size='9 9 9' contype='0'/>"
        "</default></default><worldbody><geom class='v'/>"
        "<geom class='v' pos='1 2 3' rgba='0 0 1 1'/></worldbody></mujoco>",
        &err);
    REQUIRE(m);
    TnGeomInfo a = tn_model_geom_info(m, 1), b = tn_model_geom_info(m, 2);
    CHECK(tn_model_info(m).mesh_count == 1 && a.mesh == 1 && b.mesh == 1);
    CHECK(a.rgba[0] == 1 && a.rgba[2] == 0 && b.rgba[2] == 1 && b.pos[2] == 3);
    CHECK(a.size[0] == 0);
    tn_model_destroy(m);
}

TEST(wrong_meshes_are_told_with_their_place_and_file)
{
    REQUIRE(folder_begin());
    REFUSED(ASSET("<mesh name='tetra' file='none.stl'/>"), "2:20", "/none.stl': no such file");
    CHECK(err.code == TN_ERROR_IO);
    REFUSED("<mujoco><compiler meshdir='meshes'/><asset>\n<mesh name='a' file='b.obj'/></asset>"
            "</mujoco>", /* used or not */
            "2:16", "/meshes/b.obj': no such file");
    REFUSED("<mujoco><asset>\n<mesh name='a' file='b.obj'/></asset><worldbody><geom type='mesh' "
            "mesh='a' contype='0' conaffinity='0' group='2'/></worldbody></mujoco>",
            "2:16", "/b.obj': no such file");
    REFUSED(ASSET("<mesh name='tetra' file='cut.stl'/>"), "2:20",
            "/cut.stl': its head tells of 4 triangles (284 bytes), but it has 277 bytes");
    CHECK(err.code == TN_ERROR_MODEL);
    REFUSED(ASSET("<mesh name='tetra' file='tetra.dae'/>"), "2:20",
            "meshes are read from .obj, .stl and .msh files");
    REFUSED(ASSET("<mesh name='tetra' file='flat.obj'/>"), "2:1", "one plane");
    CHECK_STR(err.message, "mesh 'tetra'");
    CHECK_STR(err.message, "/flat.obj')");
    REFUSED(ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0'/>"), "2:20",
            "for four or more vertices, not 9 in all");
    REFUSED(ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1 2'/>"), "2:20",
            "not 13 in all");
    REFUSED(ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 nan'/>"), "2:20", "finite");
    REFUSED(ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1'/>"), "2:53",
            "face needs three whole numbers per triangle");
    REFUSED(ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/>"), "2:1",
            "triangle 0 names vertex 4 of 4");
    REFUSED(ASSET("<mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 1.5'/>"), "2:53",
            "is no whole number");
    REFUSED(ASSET("<mesh name='tetra'/>"), "2:1",
            "attribute 'file', 'vertex' or 'builtin' is missing");
    REFUSED(ASSET("<mesh name='tetra' file='tetra.obj' vertex='0 0 0'/>"), "2:1", "only one of");
    REFUSED(ASSET("<mesh name='tetra' file='tetra.obj' face='0 0 0'/>"), "2:1", "only one of");
    REFUSED(ASSET("<mesh name='tetra' file='tetra.obj' refquat='0 0 0 0'/>"), "2:37",
            "length zero gives no orientation");
    REFUSED(ASSET("<mesh name='tetra' file='tetra.obj' inertia='solid'/>"), "2:37",
            "inertia must be one of: convex exact legacy shell");
    REFUSED(ASSET("<mesh name='tetra' file='tetra.obj' scale='1 1 0'/>"), "2:1", "one plane");
    REFUSED("<mujoco><asset>\n<mesh vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset></mujoco>", "2:1",
            "attribute 'name' is missing");
    REFUSED("<mujoco><worldbody>\n<geom type='mesh'/></worldbody></mujoco>", "2:1",
            "attribute 'mesh' is missing");
    REFUSED("<mujoco><worldbody>\n<geom type='mesh' mesh='m'/></worldbody></mujoco>", "2:19",
            "there is no mesh named 'm'");
    folder_end();
}

TEST(what_is_not_used_of_meshes_leaves_a_remark)
{
    REQUIRE(folder_begin());
    const char *two = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"
                      "f 3 1 4\ng b\nf 1 2 3\n";
    write_file("tetra.obj", two, strlen(two));
    TnModel *m = load_here(ASSET("<mesh file='tetra.obj' maxhullvert='20'/>"));
    REQUIRE(m);
    CHECK(remarks.count == 2);
    CHECK(has_line(remarks.message, "2:24", "maxhullvert is read but not used"));
    CHECK(has_line(remarks.message, "2:7", "only the first is taken"));
    tn_model_destroy(m);
    folder_end();
}

TEST(every_failing_allocation_is_an_error_without_leaks)
{
    REQUIRE(folder_begin());
    const char *text = "<mujoco><asset><mesh name='a' file='tetra.obj' inertia='exact'/>"
                       "<mesh name='b' file='tetra.STL'/>"
                       "<mesh name='c' file='meshes/tetra.msh'/></asset><worldbody>"
                       "<camera target='x'/><body name='x'><joint/><geom type='mesh' mesh='a'/>"
                       "<geom type='mesh' mesh='b'/></body></worldbody></mujoco>";
    char path[512];
    write_file("m.xml", text, strlen(text));
    snprintf(path, sizeof path, "%s/m.xml", folder);
    long calls = 0;
    for (;; calls++) {
        tn_malloc_fail_after(calls);
        TnModel *m = tn_model_load(path, &err);
        tn_malloc_fail_after(-1);
        if (m) {
            tn_model_destroy(m);
            break;
        }
        if (err.code != TN_ERROR_MEMORY) {
            test_fail(__FILE__, __LINE__, "after %ld calls: %s", calls, err.message);
            break;
        }
    }
    CHECK(calls > 30);
    folder_end();
}

/* Tetrahedral mesh files: every format, as text and as binary, gives the mesh that was written; cut
 * short or spoilt anywhere, it gives an error with its place, and never a crash. */
#include "../check.h"
#include "base/base.h"
#include "io/mesh/tet_file.h"
#include <tenon/model.h>

#include <dirent.h>
#include <stdarg.h>
#include <unistd.h>

static TnError err;

/* ---- writing ---- */

typedef struct Bytes {
    char data[8192];
    size_t size;
} Bytes;

static void put(Bytes *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    b->size += (size_t)vsnprintf(b->data + b->size, sizeof b->data - b->size, format, args);
    va_end(args);
}

/* The lowest `bytes` of a number, in either order. */
static void put_bits(Bytes *b, uint64_t bits, int bytes, bool big)
{
    for (int k = 0; k < bytes; k++)
        b->data[b->size++] = (char)(unsigned char)(bits >> 8 * (big ? bytes - 1 - k : k));
}
static void put_int(Bytes *b, int64_t value) { put_bits(b, (uint64_t)value, 4, false); }
static void put_real(Bytes *b, double value, bool big)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put_bits(b, bits, 8, big);
}

static char folder[64];

static const char *place_of(const char *name)
{
    static char path[128];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/tenon_tet_XXXXXX");
        if (!mkdtemp(folder)) abort();
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

__attribute__((destructor)) static void remove_files(void)
{
    DIR *dir = folder[0] ? opendir(folder) : NULL;
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(folder);
}

static void save(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(place_of(name), "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static bool load(const char *name, TnTetMesh *out)
{
    err = (TnError){0};
    return tn_tet_mesh_load(place_of(name), out, &err);
}

/* A box of 2 × 1 × 1 cells with a size that text must carry in full. */
static const TnTetMesh *box(void)
{
    static TnTetMesh mesh;
    const double half[3] = {1.0 / 3, 0.1, 0.7};
    const int cells[3] = {2, 1, 1};
    if (!mesh.nodes) tn_tet_mesh_box(half, cells, 5, &mesh, NULL);
    return &mesh;
}

/* Each writer puts an unused node first, so that mesh nodes are numbered from first + 1, and a
 * triangle among the elements. */

static void gmsh2(Bytes *b, bool binary)
{
    const TnTetMesh *m = box();
    put(b, "$MeshFormat\n2.2 %d 8\n", binary);
    if (binary) put_int(b, 1), put(b, "\n");
    put(b, "$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"box\"\n$EndPhysicalNames\n$Nodes\n%d\n",
        m->node_count + 1);
    for (int i = -1; i < m->node_count; i++) {
        const double none[3] = {9, 9, 9}, *x = i < 0 ? none : m->nodes + 3 * i;
        if (!binary) {
            put(b, "%d %.17g %.17g %.17g\n", i + 2, x[0], x[1], x[2]);
            continue;
        }
        put_int(b, i + 2);
        for (int k = 0; k < 3; k++) put_real(b, x[k], false);
    }
    put(b, "%s$EndNodes\n$Elements\n%d\n", binary ? "\n" : "", m->tet_count + 1);
    if (binary) {
        const int triangle[] = {2, 1, 2, 1, 0, 5, 3, 4, 5}; /* type, count, tags; number, ... */
        for (int k = 0; k < 9; k++) put_int(b, triangle[k]);
        put_int(b, 4), put_int(b, m->tet_count), put_int(b, 2);
    } else {
        put(b, "1 2 2 0 5 3 4 5\n");
    }
    for (int i = 0; i < m->tet_count; i++) {
        const int32_t *n = m->tets + 4 * i;
        if (!binary) {
            put(b, "%d 4 2 0 1 %d %d %d %d\n", i + 2, n[0] + 2, n[1] + 2, n[2] + 2, n[3] + 2);
            continue;
        }
        put_int(b, i + 2), put_int(b, 0), put_int(b, 1);
        for (int k = 0; k < 4; k++) put_int(b, n[k] + 2);
    }
    put(b, "%s$EndElements\n", binary ? "\n" : "");
}

/* Whole numbers and reals of 4.1 in either form; text separates by blanks. */
static void whole(Bytes *b, bool binary, int bytes, int64_t value)
{
    if (binary)
        put_bits(b, (uint64_t)value, bytes, false);
    else
        put(b, "%lld ", (long long)value);
}
static void real(Bytes *b, bool binary, double value)
{
    if (binary)
        put_real(b, value, false);
    else
        put(b, "%.17g\n", value);
}

/* Nodes in two blocks, the first parametric on a face; numbers with gaps. */
static int64_t number4(int i) { return 10 + 3 * (int64_t)i; }
static void gmsh4(Bytes *b, bool binary)
{
    const TnTetMesh *m = box();
    put(b, "$MeshFormat\n4.1 %d 8\n", binary);
    if (binary) put_int(b, 1), put(b, "\n");
    put(b, "$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n$Nodes\n");
    const int64_t totals[4] = {2, m->node_count + 1, 1, number4(m->node_count)};
    for (int k = 0; k < 4; k++) whole(b, binary, 8, totals[k]);
    for (int block = 0; block < 2; block++) {
        int first = block ? 4 : -1, end = block ? m->node_count : 4;
        whole(b, binary, 4, block ? 3 : 2), whole(b, binary, 4, 1), whole(b, binary, 4, !block);
        whole(b, binary, 8, end - first);
        for (int i = first; i < end; i++) whole(b, binary, 8, number4(i));
        for (int i = first; i < end; i++) {
            for (int k = 0; k < 3; k++) real(b, binary, i < 0 ? 9 : m->nodes[3 * i + k]);
            for (int k = 0; k < (block ? 0 : 2); k++) real(b, binary, 0.5);
        }
    }
    put(b, "\n$EndNodes\n$Elements\n");
    const int64_t counts[4] = {2, m->tet_count + 1, 1, m->tet_count + 1};
    for (int k = 0; k < 4; k++) whole(b, binary, 8, counts[k]);
    whole(b, binary, 4, 2), whole(b, binary, 4, 1), whole(b, binary, 4, 2), whole(b, binary, 8, 1);
    for (int k = 0; k < 4; k++) whole(b, binary, 8, k ? number4(k) : 1);
    whole(b, binary, 4, 3), whole(b, binary, 4, 1), whole(b, binary, 4, 4);
    whole(b, binary, 8, m->tet_count);
    for (int i = 0; i < m->tet_count; i++) {
        whole(b, binary, 8, i + 2);
        for (int k = 0; k < 4; k++) whole(b, binary, 8, number4(m->tets[4 * i + k]));
    }
    put(b, "\n$EndElements\n");
}

static void vtk_whole(Bytes *b, bool binary, int bytes, int64_t value)
{
    if (binary)
        put_bits(b, (uint64_t)value, bytes, true);
    else
        put(b, "%lld\n", (long long)value);
}

static void vtk(Bytes *b, bool binary, bool version5)
{
    const TnTetMesh *m = box();
    int cells = m->tet_count + 1;
    put(b, "# vtk DataFile Version %s\na box\n%s\nDATASET UNSTRUCTURED_GRID\n",
        version5 ? "5.1" : "3.0", binary ? "BINARY" : "ASCII");
    if (version5) {
        put(b, "FIELD FieldData 1\ntime 1 1 double\n");
        if (binary)
            put_real(b, 0.5, true);
        else
            put(b, "0.5");
        put(b, "\n");
    }
    put(b, "POINTS %d double\n", m->node_count + 1);
    for (int i = -3; i < 3 * m->node_count; i++)
        if (binary)
            put_real(b, i < 0 ? 9 : m->nodes[i], true);
        else
            put(b, "%.17g ", i < 0 ? 9 : m->nodes[i]);
    put(b, version5 ? "\nMETADATA\nINFORMATION 0\n\n" : "\n");
    put(b, "CELLS %d %d\n", cells + version5, 3 + 4 * m->tet_count + (version5 ? 0 : cells));
    if (version5) {
        put(b, "OFFSETS vtktypeint64\n");
        for (int i = 0; i <= cells; i++) vtk_whole(b, binary, 8, i ? 4 * i - 1 : 0);
        put(b, "\nCONNECTIVITY vtktypeint64\n");
    }
    int bytes = version5 ? 8 : 4;
    if (!version5) vtk_whole(b, binary, 4, 3);
    for (int k = 1; k < 4; k++) vtk_whole(b, binary, bytes, k);
    for (int i = 0; i < m->tet_count; i++) {
        if (!version5) vtk_whole(b, binary, 4, 4);
        for (int k = 0; k < 4; k++) vtk_whole(b, binary, bytes, m->tets[4 * i + k] + 1);
    }
    put(b, "\nCELL_TYPES %d\n", cells);
    for (int i = 0; i < cells; i++) vtk_whole(b, binary, 4, i ? 10 : 5);
}

/* The last number of a line is one that is passed over, so that cutting it changes nothing. */
static void tetgen_nodes(Bytes *b, int first)
{
    const TnTetMesh *m = box();
    put(b, "# made by a test\n\n%d 3 1 1 # counts\n", m->node_count + 1);
    put(b, "%d 9 9 9 0.5 1\n", first);
    for (int i = 0; i < m->node_count; i++)
        put(b, "  %d  %.17g %.17g\t%.17g 0.5 1%s\n", i + 1 + first, m->nodes[3 * i],
            m->nodes[3 * i + 1], m->nodes[3 * i + 2], i % 2 ? "" : "# odd\r");
}
static void tetgen_elements(Bytes *b, int first)
{
    const TnTetMesh *m = box();
    put(b, "%d 4 1\n", m->tet_count);
    for (int i = 0; i < m->tet_count; i++) {
        const int32_t *n = m->tets + 4 * i;
        int add = first + 1;
        put(b, "%d %d %d %d %d 1\n", i + first, n[0] + add, n[1] + add, n[2] + add, n[3] + add);
    }
}

/* All files that one file alone makes. */
enum { FORMATS = 8 };
static const char *write_format(int format, Bytes *b)
{
    *b = (Bytes){0};
    if (format < 2) gmsh2(b, format == 1);
    if (format == 2 || format == 3) gmsh4(b, format == 3);
    if (format >= 4) vtk(b, format % 2 == 1, format >= 6);
    return format < 4 ? "box.msh" : "box.vtk";
}

static bool same(const TnTetMesh *a, const TnTetMesh *b)
{
    return a->node_count == b->node_count && a->tet_count == b->tet_count &&
           memcmp(a->nodes, b->nodes, 3 * (size_t)a->node_count * sizeof *a->nodes) == 0 &&
           memcmp(a->tets, b->tets, 4 * (size_t)a->tet_count * sizeof *a->tets) == 0;
}

/* ---- good files ---- */

TEST(every_format_gives_the_mesh_that_was_written)
{
    for (int format = 0; format < FORMATS; format++) {
        Bytes b;
        TnTetMesh mesh;
        const char *name = write_format(format, &b);
        save(name, b.data, b.size);
        if (!load(name, &mesh)) test_fail(__FILE__, __LINE__, "%d: %s", format, err.message);
        if (mesh.nodes && !same(&mesh, box())) test_fail(__FILE__, __LINE__, "%d differs", format);
        tn_tet_mesh_free(&mesh);
        save("box.dat", b.data, b.size); /* the name does not matter */
        CHECK(load("box.dat", &mesh));
        tn_tet_mesh_free(&mesh);
    }
}

/* Each of gmsh's files has one, of nodes 1, 2 and 3 of the box. */
TEST(triangles_of_gmsh_files_are_those_that_were_written)
{
    for (int format = 0; format < 4; format++) {
        Bytes b;
        TnTetMesh mesh;
        int file_nodes;
        const char *name = write_format(format, &b);
        save(name, b.data, b.size);
        err = (TnError){0};
        if (!tn_tet_load(NULL, place_of(name), 2, &mesh, &file_nodes, &err))
            test_fail(__FILE__, __LINE__, "%s", err.message);
        CHECK(file_nodes == box()->node_count + 1);
        bool right = mesh.node_count == 3 && mesh.tet_count == 1 &&
                     memcmp(mesh.nodes, box()->nodes + 3, sizeof(double[9])) == 0;
        const int32_t corners[4] = {0, 1, 2, 2};
        CHECK(right && memcmp(mesh.tets, corners, sizeof corners) == 0);
        tn_tet_mesh_free(&mesh);
    }
}

TEST(tetgen_counts_from_0_or_1_and_either_file_may_be_named)
{
    for (int first = 0; first < 2; first++) {
        Bytes nodes = {0}, elements = {0};
        tetgen_nodes(&nodes, first);
        tetgen_elements(&elements, first);
        save("pair.1.node", nodes.data, nodes.size);
        save("pair.1.ele", elements.data, elements.size);
        for (int k = 0; k < 2; k++) {
            TnTetMesh mesh;
            bool good = load(k ? "pair.1.ele" : "pair.1.node", &mesh);
            if (!good) test_fail(__FILE__, __LINE__, "%s", err.message);
            CHECK(good && same(&mesh, box()));
            tn_tet_mesh_free(&mesh);
        }
    }
}

TEST(vtk_points_may_be_floats)
{
    Bytes b = {0};
    put(&b, "# vtk DataFile Version 2.0\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n");
    for (int i = 0; i < 12; i++)
        put_bits(&b, i == 3 || i == 7 || i == 11 ? 0x3e800000 : 0, 4, true);
    put(&b, "\nCELLS 1 5\n");
    for (int i = 0; i < 5; i++) put_bits(&b, i ? (uint64_t)i - 1 : 4, 4, true);
    put(&b, "\nCELL_TYPES 1\n");
    put_bits(&b, 10, 4, true);
    save("float.vtk", b.data, b.size);
    TnTetMesh mesh;
    REQUIRE(load("float.vtk", &mesh));
    CHECK_NEAR(tn_tet_mesh_volume(&mesh), 1.0 / 64 / 6, 1e-18); /* exact but for the division */
    tn_tet_mesh_free(&mesh);
}

/* ---- damage ---- */

/* A cut file fails with a place, or, where its end alone is gone, gives the same mesh. */
static void check_cut(const char *name, const Bytes *b, size_t spare)
{
    for (size_t size = 0; size < b->size; size++) {
        TnTetMesh mesh;
        save(name, b->data, size);
        bool good = load(name, &mesh);
        if (good && (size + spare < b->size || !same(&mesh, box())))
            test_fail(__FILE__, __LINE__, "%s of %zu bytes is read", name, size);
        if (!good && (err.count != 1 || !strstr(err.message, name) || mesh.nodes || mesh.tets))
            test_fail(__FILE__, __LINE__, "%s of %zu bytes: \"%s\"", name, size, err.message);
        tn_tet_mesh_free(&mesh);
    }
}

TEST(files_cut_at_any_byte_are_errors)
{
    for (int format = 0; format < FORMATS; format++) {
        Bytes b;
        const char *name = write_format(format, &b);
        check_cut(name, &b, format < 4 ? 1 : format % 2 ? 0 : 1); /* the last line's end */
    }
    Bytes nodes = {0}, elements = {0};
    tetgen_nodes(&nodes, 1);
    tetgen_elements(&elements, 1);
    save("cut.ele", elements.data, elements.size);
    check_cut("cut.node", &nodes, 1);
    save("cut.node", nodes.data, nodes.size);
    check_cut("cut.ele", &elements, 1);
}

/* Whatever a byte becomes: an error or a mesh that passes the checks. The sanitizers watch. */
TEST(spoilt_bytes_never_crash)
{
    static const unsigned char values[] = {0x00, 0xff, 0x7f, 0x80, '-', '9', ' ', '\n'};
    for (int format = 0; format < FORMATS + 1; format++) {
        Bytes b = {0};
        const char *name = "spoilt.node";
        if (format < FORMATS) {
            name = write_format(format, &b);
        } else {
            tetgen_nodes(&b, 0);
            Bytes elements = {0};
            tetgen_elements(&elements, 0);
            save("spoilt.ele", elements.data, elements.size);
        }
        for (size_t i = 0; i < b.size; i++) {
            char old = b.data[i];
            b.data[i] = (char)values[(i * 7 + i / 8) % sizeof values];
            save(name, b.data, b.size);
            TnTetMesh mesh;
            bool good = load(name, &mesh);
            if (good != (mesh.nodes != NULL) || good == (err.count > 0))
                test_fail(__FILE__, __LINE__, "format %d, byte %zu", format, i);
            if (good && !tn_tet_mesh_check(&mesh, NULL, &err))
                test_fail(__FILE__, __LINE__, "format %d, byte %zu: %s", format, i, err.message);
            tn_tet_mesh_free(&mesh);
            b.data[i] = old;
        }
    }
}

TEST(no_memory_is_an_error_at_each_allocation)
{
    for (int format = 0; format < FORMATS + 1; format++) {
        Bytes b = {0};
        const char *name = "short.node";
        if (format < FORMATS) {
            name = write_format(format, &b);
        } else {
            tetgen_elements(&b, 0);
            save("short.ele", b.data, b.size);
            b = (Bytes){0};
            tetgen_nodes(&b, 0);
        }
        save(name, b.data, b.size);
        bool good = false;
        for (long calls = 0; !good && calls < 100; calls++) {
            TnTetMesh mesh;
            tn_malloc_fail_after(calls);
            good = load(name, &mesh);
            tn_malloc_fail_after(-1);
            CHECK(good || (err.code == TN_ERROR_MEMORY && !mesh.nodes && !mesh.tets));
            tn_tet_mesh_free(&mesh);
        }
        CHECK(good);
    }
}

/* ---- messages ---- */

static void check_fault(const char *name, const char *text, const char *part, int line)
{
    TnTetMesh mesh;
    save(name, text, strlen(text));
    if (load(name, &mesh))
        test_fail(__FILE__, line, "it is read");
    else if (!strstr(err.message, part))
        test_fail(__FILE__, line, "\"%s\" does not contain \"%s\"", err.message, part);
    tn_tet_mesh_free(&mesh);
}
#define FAULT(NAME, TEXT, PART) check_fault(NAME, TEXT, PART, __LINE__)
#define GMSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define VTK "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n"

TEST(gmsh_faults_have_line_and_help)
{
    FAULT("f.msh", "", "does not begin with $MeshFormat");
    FAULT("f.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "f.msh:2: version 4.0 is not");
    FAULT("f.msh", "$MeshFormat\n4.1 0 4\n$EndMeshFormat\n", "numbers of 4 bytes");
    FAULT("f.msh", GMSH "$Nodes\n99999999999\n", "f.msh:5: 99999999999 nodes are announced");
    FAULT("f.msh", GMSH "$Nodes\n99999999999999999999999\n", "must be a whole number");
    FAULT("f.msh", GMSH "$Nodes\n-4\n", "is negative");
    FAULT("f.msh", GMSH "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "f.msh:6: a node's coordinate must");
    FAULT("f.msh", GMSH "$Nodes\n1\n1 0 0 1e999\n$EndNodes\n", "must be a finite number");
    FAULT("f.msh", GMSH "$ParametricNodes\n", "f.msh:4: $ParametricNodes are not supported");
    FAULT("f.msh", GMSH NODES, "$Elements is missing");
    FAULT("f.msh", GMSH NODES "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n",
          "f.msh:13: a tetrahedron names node 5, which the file does not have");
    FAULT("f.msh", GMSH NODES "$Elements\n1\n1 11 0 1 2 3 4\n$EndElements\n",
          "f.msh:13: tetrahedra of "
          "higher order");
    FAULT("f.msh", GMSH NODES "$Elements\n1\n1 5 0 1 2 3 4\n$EndElements\n", "4-node tetrahedra");
    FAULT("f.msh", GMSH NODES "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", "no tetrahedra");
    FAULT("f.msh", GMSH NODES "$Elements\n1\n1 4 0 1 2 3 4\n2 4 0 1 2 3 4\n$EndElements\n",
          "f.msh:14: $EndElements should stand here");
    FAULT("f.msh", GMSH NODES "$Elements\n1\n1 4 0 1 2 3 3\n$EndElements\n",
          "elements with a repeated node");
    FAULT("f.msh",
          GMSH "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 1\n"
               "$EndElements\n",
          "node 1 appears twice");
    Bytes b = {0};
    put(&b, "$MeshFormat\n2.2 1 8\n");
    put_bits(&b, 1, 4, true);
    put(&b, "\n$EndMeshFormat\n");
    save("big.msh", b.data, b.size);
    TnTetMesh mesh;
    CHECK(!load("big.msh", &mesh));
    CHECK_STR(err.message, "byte 24: binary files with the highest byte first are not supported");
}

TEST(vtk_and_tetgen_faults_have_line_and_help)
{
    FAULT("f.vtk", "x", "does not begin with '# vtk DataFile'");
    FAULT("f.vtu", "x", "XML files are not supported");
    FAULT("f.xyz", "x", "its format is not known; supported tetrahedral meshes are gmsh");
    FAULT("f.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n",
          "f.vtk:4: the data set");
    FAULT("f.vtk", VTK POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n",
          "f.vtk:10: cell 0 (from 0) is");
    FAULT("f.vtk", VTK POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "f.vtk:8: cell 0");
    FAULT("f.vtk", VTK POINTS "CELLS 1 5\n9 0 1 2 3\nCELL_TYPES 1\n10\n", "f.vtk:8: a cell of 9");
    FAULT("f.vtk", VTK POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
          "f.vtk:8: a tetrahedron names");
    FAULT("f.vtk", VTK POINTS "CELLS 2 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n", "CELLS ends at cell 1");
    FAULT("f.vtk",
          VTK POINTS "CELLS 2 4\nOFFSETS int\n0 9\nCONNECTIVITY int\n0 1 2 3\n"
                     "CELL_TYPES 1\n10\n",
          "f.vtk:9: offset 9");
    FAULT("f.vtk", VTK "POINTS 4 int\n", "float or double");
    save("t.ele", "1 4 0\n1 1 2 3 4\n", 16);
    FAULT("t.node", "# none\n", "no first line");
    FAULT("t.node", "4 2\n", "t.node:1: the second number must be 3");
    FAULT("t.node", "2 3 0 0\n1 0 0 0\n3 0 0 0\n", "t.node:3: node 3; they must be numbered");
    FAULT("t.node", "2 3 0 0\n1 0 0 0\n# no more\n", "ends after 1 of 2 nodes");
    FAULT("t.node", "1 3 1 1\n1 0 0 0 5\n", "t.node:2: 2 attributes and markers are announced");
    FAULT("t.node", "1 3 0 0\n1 0 0 x\n", "t.node:2: a node needs its number");
    FAULT("t.node", "1 3 0 0\n1 0 0 0\n2 0 0 0\n", "t.node:3: a line more than");
    FAULT("t.node", "1 3 0 0\n0 0 0 0\n", "t.ele:2: a tetrahedron names node 1");
    FAULT("alone.node", "1 3 0 0\n0 0 0 0\n", "alone.ele: no such file");
    TnTetMesh mesh;
    CHECK(!load("nowhere.msh", &mesh) && err.code == TN_ERROR_IO);
}

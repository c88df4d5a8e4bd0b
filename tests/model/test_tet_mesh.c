/* Tetrahedral meshes: generated shapes have the volume of the formulas, good elements and a closed
 * surface; checks find each fault and name the elements. */
#include "../check.h"
#include "base/base.h"
#include "model/mesh/tet_mesh.h"

#define PI 3.14159265358979323846

static TnError err;

static bool checked(TnTetMesh *mesh)
{
    err = (TnError){0};
    bool good = tn_tet_mesh_check(mesh, "m", &err);
    if (!good) fprintf(stderr, "%s\n", err.message);
    return good;
}

static void sub(double r[3], const double *a, const double *b)
{
    for (int k = 0; k < 3; k++) r[k] = a[k] - b[k];
}

static double triple(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* The volume that the surface encloses by the divergence theorem, about a point off the origin. */
static double enclosed(const TnTetMesh *mesh)
{
    TnTetSurface surface;
    if (!tn_tet_mesh_surface(mesh, &surface, &err)) return NAN;
    double sum = 0, from[3] = {0.3, -0.2, 0.7};
    for (int i = 0; i < surface.triangle_count; i++) {
        double x[3][3];
        for (int k = 0; k < 3; k++) sub(x[k], mesh->nodes + 3 * surface.triangles[3 * i + k], from);
        sum += triple(x[0], x[1], x[2]) / 6;
    }
    tn_tet_surface_free(&surface);
    return sum;
}

/* Vertices - edges + triangles of the surface; edges are 3/2 of the triangles on a closed one. */
static int euler(const TnTetMesh *mesh)
{
    TnTetSurface surface;
    if (!tn_tet_mesh_surface(mesh, &surface, &err)) return -100;
    bool *on = calloc((size_t)mesh->node_count, sizeof *on);
    int count = 0;
    for (int i = 0; i < 3 * surface.triangle_count; i++) {
        count += !on[surface.triangles[i]];
        on[surface.triangles[i]] = true;
    }
    count -= surface.triangle_count / 2;
    free(on);
    tn_tet_surface_free(&surface);
    return count;
}

/* The smallest and largest angle between two faces of an element, in degrees. */
static void angles(const TnTetMesh *mesh, double *low, double *high)
{
    *low = 180;
    *high = 0;
    for (int i = 0; i < mesh->tet_count; i++) {
        double normal[4][3];
        for (int f = 0; f < 4; f++) {
            const double *x[3];
            for (int k = 0; k < 3; k++)
                x[k] = mesh->nodes + 3 * mesh->tets[4 * i + tn_tet_face_corners[f][k]];
            double a[3], b[3], *n = normal[f];
            sub(a, x[1], x[0]);
            sub(b, x[2], x[0]);
            for (int k = 0; k < 3; k++)
                n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            for (int k = 0; k < 3; k++) n[k] /= length;
        }
        for (int f = 0; f < 4; f++)
            for (int g = 0; g < f; g++) {
                double dot = normal[f][0] * normal[g][0] + normal[f][1] * normal[g][1] +
                             normal[f][2] * normal[g][2];
                double angle = 180 - acos(fmax(-1, fmin(1, dot))) * 180 / PI;
                *low = fmin(*low, angle);
                *high = fmax(*high, angle);
            }
    }
}

/* ---- generators ---- */

TEST(boxes_fill_their_volume_with_faces_that_match)
{
    const double half[3] = {0.5, 0.25, 1.5};
    for (int per_cell = 5; per_cell <= 6; per_cell++)
        for (int n = 1; n <= 4; n++) {
            const int cells[3] = {n, 2, 5 - n};
            TnTetMesh mesh;
            err = (TnError){0};
            REQUIRE(tn_tet_mesh_box(half, cells, per_cell, &mesh, &err));
            CHECK(mesh.node_count == (n + 1) * 3 * (6 - n));
            CHECK(mesh.tet_count == per_cell * n * 2 * (5 - n));
            CHECK(checked(&mesh));
            CHECK(euler(&mesh) == 2);
            /* Sums of some hundred terms, each rounded to 1e-16. */
            CHECK_NEAR(tn_tet_mesh_volume(&mesh), 1.5, 1e-13);
            CHECK_NEAR(enclosed(&mesh), 1.5, 1e-13);
            TnTetSurface surface;
            REQUIRE(tn_tet_mesh_surface(&mesh, &surface, &err));
            CHECK(surface.triangle_count == 4 * (n * 2 + 2 * (5 - n) + n * (5 - n)));
            tn_tet_surface_free(&surface);
            tn_tet_mesh_free(&mesh);
        }
}

/* A regular 6 n-gon has the area n 3 R² sin(2π / 6n). */
TEST(cylinders_have_the_volume_of_their_polygon)
{
    for (int rings = 1; rings <= 6; rings++) {
        TnTetMesh mesh;
        err = (TnError){0};
        REQUIRE(tn_tet_mesh_cylinder(0.5, 0.75, rings, 2 * rings + 1, &mesh, &err));
        CHECK(mesh.tet_count == 18 * rings * rings * (2 * rings + 1));
        CHECK(checked(&mesh));
        CHECK(euler(&mesh) == 2);
        double polygon = 3 * rings * 0.25 * sin(PI / 3 / rings) * 1.5;
        /* Sums of up to ten thousand terms, each rounded to 1e-16 of the whole at most. */
        CHECK_NEAR(tn_tet_mesh_volume(&mesh), polygon, 1e-12);
        CHECK_NEAR(enclosed(&mesh), polygon, 1e-12);
        /* sin x / x = 1 - x²/6 + ..., x = π / 3 n. */
        double true_volume = PI * 0.25 * 1.5, x = PI / 3 / rings;
        CHECK(true_volume - polygon < true_volume * x * x / 6);
        double low, high;
        angles(&mesh, &low, &high);
        /* measured: 28.6 to 127.5 at 6 rings; slivers are below 10 or above 165 */
        CHECK(low > 27 && high < 130);
        tn_tet_mesh_free(&mesh);
    }
}

TEST(balls_come_to_the_volume_with_the_square_of_the_division)
{
    double before = 0;
    for (int shells = 1; shells <= 8; shells *= 2) {
        TnTetMesh mesh;
        err = (TnError){0};
        REQUIRE(tn_tet_mesh_ball(0.5, shells, &mesh, &err));
        CHECK(mesh.tet_count == 20 * shells * shells * shells);
        CHECK(checked(&mesh));
        CHECK(euler(&mesh) == 2);
        double missing = 1 - tn_tet_mesh_volume(&mesh) / (4 * PI / 3 * 0.125);
        CHECK_NEAR(enclosed(&mesh), tn_tet_mesh_volume(&mesh), 1e-12); /* as above */
        /* An icosahedron in the unit sphere has the volume 2.53615; halving the edges quarters what
         * is missing, up to terms of fourth order. */
        if (shells == 1) CHECK_NEAR(missing, 1 - 2.536150710 / (4 * PI / 3), 1e-8);
        if (shells > 1) CHECK(missing > 0 && missing < before / 3);
        if (shells > 2) CHECK_NEAR(before / missing, 4, 0.35);
        before = missing;
        double low, high;
        angles(&mesh, &low, &high);
        CHECK(low > 38 && high < 132); /* measured: 39.7 to 129.8 at 8 shells */
        tn_tet_mesh_free(&mesh);
    }
}

TEST(generators_refuse_what_is_no_shape)
{
    TnTetMesh mesh;
    const double half[3] = {1, 1, 1}, bad[3] = {1, 0, 1};
    const int cells[3] = {1, 1, 1}, none[3] = {1, 0, 1}, many[3] = {100000, 100000, 100000};
    err = (TnError){0};
    CHECK(!tn_tet_mesh_box(bad, cells, 5, &mesh, &err));
    CHECK(!tn_tet_mesh_box(half, none, 5, &mesh, &err));
    CHECK(!tn_tet_mesh_box(half, cells, 7, &mesh, &err));
    CHECK(!tn_tet_mesh_cylinder(1, NAN, 1, 1, &mesh, &err));
    CHECK(!tn_tet_mesh_cylinder(1, 1, 1, 0, &mesh, &err));
    CHECK(!tn_tet_mesh_ball(-1, 1, &mesh, &err));
    CHECK(err.count == 6 && err.code == TN_ERROR_USAGE);
    CHECK(!tn_tet_mesh_box(half, many, 5, &mesh, &err));
    CHECK(!tn_tet_mesh_cylinder(1, 1, 2000000000, 2000000000, &mesh, &err));
    CHECK(!tn_tet_mesh_ball(1, 2000000000, &mesh, &err));
    CHECK_STR(err.message, "use fewer cells");
    CHECK(!mesh.nodes && !mesh.tets);
}

/* ---- checks ---- */

/* A copy that tests spoil: a box of 2 × 1 × 1 cells, 10 elements, 12 nodes. */
static TnTetMesh small(void)
{
    TnTetMesh mesh;
    const double half[3] = {1, 0.5, 0.5};
    const int cells[3] = {2, 1, 1};
    tn_tet_mesh_box(half, cells, 5, &mesh, NULL);
    return mesh;
}

static void check_refused(TnTetMesh *mesh, const char *part, int line)
{
    err = (TnError){0};
    if (tn_tet_mesh_check(mesh, "m", &err))
        test_fail(__FILE__, line, "the mesh passes");
    else if (!strstr(err.message, part))
        test_fail(__FILE__, line, "\"%s\" does not contain \"%s\"", err.message, part);
}
#define REFUSED(MESH, PART) check_refused(MESH, PART, __LINE__)

TEST(each_fault_is_named_with_its_elements)
{
    TnTetMesh mesh = small();
    REFUSED((&(TnTetMesh){0}), "at least one tetrahedron");
    double x = mesh.nodes[7];
    mesh.nodes[7] = NAN;
    REFUSED(&mesh, "m: nodes that are not finite (1 in all, from 0): 2;");
    mesh.nodes[7] = INFINITY;
    REFUSED(&mesh, "not finite");
    mesh.nodes[7] = x;
    int32_t n = mesh.tets[4 * 3];
    mesh.tets[4 * 3] = 12;
    REFUSED(&mesh, "nodes that do not exist (1 in all, from 0): 3;");
    mesh.tets[4 * 3] = -1;
    REFUSED(&mesh, "nodes that do not exist");
    mesh.tets[4 * 3] = mesh.tets[4 * 3 + 2];
    REFUSED(&mesh, "elements with a repeated node (1 in all, from 0): 3;");
    mesh.tets[4 * 3] = n;
    for (int i = 4; i < 6; i++) { /* two elements the other way round */
        int32_t swap = mesh.tets[4 * i];
        mesh.tets[4 * i] = mesh.tets[4 * i + 1];
        mesh.tets[4 * i + 1] = swap;
    }
    REFUSED(&mesh, "negative volume among others of positive (2 in all, from 0): 4, 5;");
    tn_tet_mesh_free(&mesh);
}

TEST(flat_elements_are_found_at_any_scale)
{
    for (int power = -100; power <= 100; power += 50) {
        double s = pow(10, power), nodes[] = {0, 0, 0, s, 0, 0, 0, s, 0, s, s, 1e-14 * s};
        int32_t tets[] = {0, 1, 2, 3};
        TnTetMesh mesh = {4, 1, nodes, tets};
        REFUSED(&mesh, "elements without volume (1 in all, from 0): 0;");
        nodes[11] = 1e-3 * s; /* thin, but an element */
        CHECK(checked(&mesh));
    }
}

TEST(a_mesh_that_is_inverted_as_a_whole_is_put_right)
{
    TnTetMesh mesh = small();
    for (int i = 0; i < mesh.node_count; i++) mesh.nodes[3 * i] *= -1;
    CHECK_NEAR(tn_tet_mesh_volume(&mesh), -2, 1e-14); /* few terms */
    CHECK(checked(&mesh));
    CHECK_NEAR(tn_tet_mesh_volume(&mesh), 2, 1e-14);
    tn_tet_mesh_free(&mesh);
}

TEST(copies_crowded_faces_shared_edges_and_loose_nodes_are_found)
{
    double nodes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    int32_t copies[] = {0, 1, 2, 3, 2, 0, 1, 3};
    TnTetMesh mesh = {4, 2, nodes, copies};
    REFUSED(&mesh, "repeat the nodes of another (1 in all, from 0): 1;");
    int32_t crowded[] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 2, 1, 7};
    mesh = (TnTetMesh){8, 3, nodes, crowded};
    REFUSED(&mesh, "more than two elements share (3 in all, from 0): 0, 1, 2;");
    CHECK_STR(err.message, "nodes without elements (2 in all, from 0): 5, 6;");
    /* two that share the edge from 0 to 3 and nothing else */
    int32_t edge[] = {0, 1, 2, 3, 0, 5, 6, 3};
    mesh = (TnTetMesh){7, 2, nodes, edge};
    REFUSED(&mesh, "other than two surface triangles (2 in all, from 0): 0, 1;");
    CHECK_STR(err.message, "nodes without elements (1 in all, from 0): 4;");
}

TEST(many_faults_make_one_message_with_the_first_few)
{
    TnTetMesh mesh = small();
    for (int i = 0; i < 10; i++) mesh.tets[4 * i] = 99;
    REFUSED(&mesh, "(10 in all, from 0): 0, 1, 2, 3, 4, 5, 6, 7, ...;");
    CHECK(err.count == 1);
    tn_tet_mesh_free(&mesh);
}

TEST(no_memory_is_an_error_everywhere)
{
    TnTetMesh mesh = small(), made;
    TnTetSurface surface;
    for (int calls = 0; calls < 4; calls++) {
        err = (TnError){0};
        tn_malloc_fail_after(calls);
        bool good = tn_tet_mesh_check(&mesh, NULL, &err);
        tn_malloc_fail_after(-1);
        CHECK(!good && err.code == TN_ERROR_MEMORY);
        err = (TnError){0};
        tn_malloc_fail_after(calls);
        good = tn_tet_mesh_surface(&mesh, &surface, &err);
        tn_malloc_fail_after(-1);
        CHECK(!good && err.code == TN_ERROR_MEMORY && !surface.triangles);
        err = (TnError){0};
        tn_malloc_fail_after(calls % 2);
        good = tn_tet_mesh_ball(1, 2, &made, &err);
        tn_malloc_fail_after(-1);
        CHECK(!good && err.code == TN_ERROR_MEMORY && !made.nodes);
    }
    tn_tet_mesh_free(&mesh);
}

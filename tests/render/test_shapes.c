/* The unit meshes: closed, facing out, with the normals that light needs. */
#include "../../apps/render/shapes.h"
#include "../check.h"
#include "closed.h"

#define PI 3.14159265358979323846

/* Places of the vertices for an instance of this half length. */
static double *places_of(const MeshData *mesh, double half_length)
{
    double *places = malloc(3 * (size_t)mesh->vertex_count * sizeof *places);
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            places[3 * i + k] = (double)mesh->vertices[i].pos[k] +
                                (k == 2 ? half_length * (double)mesh->vertices[i].lift : 0);
    return places;
}

/* The triangles' own normals agree with those at their corners. */
static double worst_agreement(const MeshData *mesh, const double *places)
{
    double worst = 1;
    for (int t = 0; t < mesh->index_count; t += 3) {
        const uint32_t *corner = mesh->indices + t;
        const double *a = places + 3 * corner[0], *b = places + 3 * corner[1],
                     *c = places + 3 * corner[2];
        double n[3], length = 0;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            n[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
            length += n[k] * n[k];
        }
        if (length < 1e-12) continue; /* at a pole */
        for (int k = 0; k < 3; k++) {
            const float *normal = mesh->vertices[corner[k]].normal;
            double dot = 0;
            for (int j = 0; j < 3; j++) dot += n[j] / sqrt(length) * (double)normal[j];
            worst = fmin(worst, dot);
        }
    }
    return worst;
}

static void check_closed(MeshData *mesh, double half_length, double expected_volume, double share,
                         double agreement)
{
    double *places = places_of(mesh, half_length);
    CHECK(open_edges(places, mesh->indices, mesh->index_count) == 0);
    CHECK_NEAR(volume(places, mesh->indices, mesh->index_count), expected_volume,
               share * expected_volume);
    CHECK(worst_agreement(mesh, places) > agreement);
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float *n = mesh->vertices[i].normal;
        /* floats of vectors of length 1 */
        CHECK_NEAR((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1, 1e-6);
    }
    free(places);
    mesh_free(mesh);
}

TEST(spheres_are_closed_and_face_out_in_all_levels)
{
    for (int frequency = 1; frequency <= 34; frequency = frequency * 2 + 1) {
        MeshData mesh;
        REQUIRE(mesh_sphere(&mesh, frequency));
        CHECK(mesh.index_count == 60 * frequency * frequency);
        /* corners lie on the sphere, so the volume lacks a share of 0.56 / f² for fine ones (0.39
         * for the icosahedron itself); a normal leans by 38 degrees at most, from face to corner */
        check_closed(&mesh, 0, 4 * PI / 3, 0.57 / (frequency * frequency), 0.78);
    }
}

TEST(capsules_are_closed_and_their_caps_stay_round_at_any_length)
{
    for (int around = 8; around <= 96; around *= 2) {
        MeshData mesh;
        double half = 3.5;
        REQUIRE(mesh_capsule(&mesh, around));
        for (int i = 0; i < mesh.vertex_count; i++) {
            const MeshVertex *v = &mesh.vertices[i];
            double z = (double)v->pos[2] + half * (double)v->lift;
            double past = fabs(z) > half ? fabs(z) - half : 0;
            double r = sqrt((double)(v->pos[0] * v->pos[0] + v->pos[1] * v->pos[1]) + past * past);
            CHECK_NEAR(r, 1, 1e-6); /* floats */
        }
        /* a regular polygon of n corners lacks 2 π² / 3 n² of its circle's area; caps a bit more */
        check_closed(&mesh, half, 4 * PI / 3 + 2 * half * PI, 10.0 / (around * around), 0.85);
    }
}

TEST(cylinders_cones_and_boxes_are_closed_and_face_out)
{
    MeshData mesh;
    REQUIRE(mesh_cylinder(&mesh, 48));
    check_closed(&mesh, 0, 2 * PI, 0.003, 0.99); /* 6.6 / 48² = 0.0029 */
    REQUIRE(mesh_cone(&mesh, 48));
    check_closed(&mesh, 0, PI / 3, 0.003, 0.99);
    REQUIRE(mesh_box(&mesh));
    CHECK(mesh.vertex_count == 24); /* four of each face: flat */
    check_closed(&mesh, 0, 8, 1e-6, 0.999999);
}

TEST(domes_cover_the_upper_half_and_keep_the_circles_area)
{
    for (int rings = 1; rings <= 24; rings++) {
        MeshData mesh;
        REQUIRE(mesh_dome(&mesh, rings));
        CHECK(mesh.index_count == 18 * rings * rings);
        double *places = places_of(&mesh, 0);
        CHECK(open_edges(places, mesh.indices, mesh.index_count) == 6 * rings);
        /* the flattest facets of one ring lean by up to 60 degrees from the normals of their rim */
        CHECK(worst_agreement(&mesh, places) > 0.49);
        /* seen from above: a polygon of 6 rings corners that is too large at these and too small
         * between; to second order in its angle the excess is a third of what an inscribed one
         * lacks */
        double area = 0;
        for (int t = 0; t < mesh.index_count; t += 3) {
            const double *a = places + 3 * mesh.indices[t], *b = places + 3 * mesh.indices[t + 1],
                         *c = places + 3 * mesh.indices[t + 2];
            double part = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
            CHECK(part > 0);
            area += part;
        }
        CHECK_NEAR(area, PI, 0.1 * PI / (rings * rings));
        free(places);
        mesh_free(&mesh);
    }
}

/* A cube of eight shared corners. */
static const float cube_corners[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                       -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int32_t cube_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

TEST(a_cubes_edges_stay_sharp)
{
    MeshData mesh;
    REQUIRE(mesh_triangles(&mesh, cube_corners, 8, cube_triangles, 12, NULL, 0.6));
    CHECK(mesh.vertex_count == 24);
    check_closed(&mesh, 0, 8, 1e-6, 0.999999);
}

TEST(round_meshes_become_smooth_even_where_a_file_repeats_its_corners)
{
    MeshData sphere, mesh;
    REQUIRE(mesh_sphere(&sphere, 8)); /* its 20 faces share no vertices */
    float *places = malloc(3 * (size_t)sphere.vertex_count * sizeof *places);
    int32_t *triangles = malloc((size_t)sphere.index_count * sizeof *triangles);
    for (int i = 0; i < 3 * sphere.vertex_count; i++)
        places[i] = roundf(1e5f * sphere.vertices[i / 3].pos[i % 3]) / 1e5f;
    for (int i = 0; i < sphere.index_count; i++) triangles[i] = (int32_t)sphere.indices[i];
    REQUIRE(mesh_triangles(&mesh, places, sphere.vertex_count, triangles, sphere.index_count / 3,
                           NULL, 0.6));
    CHECK(mesh.vertex_count ==
          10 * 8 * 8 + 2); /* corners of a sphere of 20 × 8² triangles (Euler) */
    for (int i = 0; i < mesh.vertex_count; i++) {
        const MeshVertex *v = &mesh.vertices[i];
        double dot = 0;
        for (int k = 0; k < 3; k++) dot += (double)v->pos[k] * (double)v->normal[k];
        CHECK_NEAR(dot, 1, 1e-3); /* uneven triangles pull a normal off by up to 2 degrees */
    }
    free(places);
    free(triangles);
    mesh_free(&sphere);
    check_closed(&mesh, 0, 4 * PI / 3, 0.01, 0.97);
}

TEST(triangles_that_name_missing_vertices_are_left_out)
{
    MeshData mesh;
    int32_t triangles[9] = {0, 2, 3, 0, 8, 1, 0, -1, 1};
    REQUIRE(mesh_triangles(&mesh, cube_corners, 8, triangles, 3, NULL, 0.6));
    CHECK(mesh.index_count == 3);
    CHECK(mesh.vertex_count == 3);
    mesh_free(&mesh);
    REQUIRE(mesh_triangles(&mesh, NULL, 0, NULL, 0, NULL, 0.6));
    CHECK(mesh.index_count == 0);
    mesh_free(&mesh);
}

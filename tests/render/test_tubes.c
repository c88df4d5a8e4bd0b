/* Tubes and surfaces: no twist, closed ends, hard changes of colour, no memory once warm. */
#include "../../apps/render/soft.h"
#include "../check.h"
#include "closed.h"

static const uint16_t red[4] = {65535, 0, 0, 65535}, blue[4] = {0, 0, 65535, 65535};

TEST(a_frame_along_a_plane_curve_keeps_its_normal_out_of_the_plane)
{
    TubeFrame frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 1; i <= 200; i++) {
        double a = 0.1 * i, pos[3] = {cos(a), sin(a), 0}, tangent[3] = {-sin(a), cos(a), 0};
        tube_frame_advance(&frame, pos, tangent);
        CHECK_NEAR(frame.normal[2], 1, 1e-12); /* exact but for rounding */
    }
}

/* A helix of radius 1 that climbs 1 per radian: its Frenet normal turns by torsion × length = a /
 * √2 about the tangent up to the angle a; a frame that turns least stays behind by just that. */
static double helix_error(double step, int steps)
{
    double slant = sqrt(0.5), a = step * steps;
    TubeFrame frame = {{1, 0, 0}, {0, slant, slant}, {-1, 0, 0}};
    for (int i = 1; i <= steps; i++) {
        double b = step * i, pos[3] = {cos(b), sin(b), b};
        double tangent[3] = {-slant * sin(b), slant * cos(b), slant};
        tube_frame_advance(&frame, pos, tangent);
    }
    /* Frenet's normal points to the axis; its binormal is tangent × normal. */
    double normal[3] = {-cos(a), -sin(a), 0};
    double binormal[3] = {slant * sin(a), -slant * cos(a), slant}, error = 0;
    for (int k = 0; k < 3; k++) {
        double exact = cos(a * slant) * normal[k] - sin(a * slant) * binormal[k];
        error = fmax(error, fabs(frame.normal[k] - exact));
    }
    return error;
}

TEST(a_frame_along_a_helix_turns_as_little_as_it_can)
{
    /* double reflection is of fourth order in the step: coarse tubes are right, too */
    CHECK(helix_error(0.4, 30) < 0.01);
    CHECK(helix_error(0.04, 300) < 1e-6);
}

TEST(a_frame_survives_places_that_coincide)
{
    TubeFrame frame = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    double pos[3] = {0, 0, 0}, tangent[3] = {1, 0, 0};
    tube_frame_advance(&frame, pos, tangent);
    double dot = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        dot += frame.normal[k] * frame.tangent[k];
        length += frame.normal[k] * frame.normal[k];
    }
    CHECK_NEAR(dot, 0, 1e-12);
    CHECK_NEAR(length, 1, 1e-12);
}

static double *places_of(const SoftMesh *mesh)
{
    double *places = malloc(3 * (size_t)mesh->vertex_count * sizeof *places);
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        places[i] = (double)mesh->vertices[i / 3].pos[i % 3];
    return places;
}

TEST(a_straight_tube_is_a_closed_capsule)
{
    SoftMesh mesh = {0};
    float points[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const uint16_t colors[3][4] = {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}};
    TubeLook look = {.radius = 0.1, .sides = 16, .steps = 4, .colors = colors, .id = 7};
    REQUIRE(tube_add(&mesh, points, 3, &look));
    double *places = places_of(&mesh);
    for (int i = 0; i < mesh.vertex_count; i++) {
        double *p = places + 3 * i, past = p[0] < 0 ? -p[0] : p[0] > 2 ? p[0] - 2 : 0;
        CHECK_NEAR(sqrt(past * past + p[1] * p[1] + p[2] * p[2]), 0.1, 1e-6); /* floats */
        CHECK(mesh.vertices[i].id == 7);
    }
    CHECK(open_edges(places, mesh.indices, mesh.index_count) == 0);
    /* cylinder and ball, less 3 % for 16 sides and 8 % of the ball's part for four rings a cap */
    CHECK_NEAR(volume(places, mesh.indices, mesh.index_count), 0.06702, 0.04 * 0.06702);
    free(places);
    soft_free(&mesh);
}

TEST(a_tube_changes_its_colour_at_a_point_and_nowhere_blends)
{
    SoftMesh mesh = {0};
    float points[12] = {0, 0, 0, 1, 0.2f, 0, 2, -0.1f, 0.3f, 3, 0, 0};
    uint16_t colors[4][4];
    for (int i = 0; i < 4; i++) memcpy(colors[i], i < 2 ? red : blue, sizeof red);
    TubeLook look = {
        .radius = 0.05, .sides = 6, .steps = 6, .colors = (const uint16_t(*)[4])colors};
    REQUIRE(tube_add(&mesh, points, 4, &look));
    int seen[2] = {0, 0};
    for (int t = 0; t < mesh.index_count; t += 3) {
        bool first = memcmp(mesh.vertices[mesh.indices[t]].color, red, sizeof red) == 0;
        seen[first]++;
        for (int k = 0; k < 3; k++) {
            const SoftVertex *v = &mesh.vertices[mesh.indices[t + k]];
            CHECK(memcmp(v->color, first ? red : blue, sizeof red) == 0);
            /* the first blue point is at x = 2; a ring leans by less than its radius */
            CHECK(first ? v->pos[0] < 2.05f : v->pos[0] > 1.95f);
        }
    }
    /* two pieces and one, each 6 rings of 12 triangles, and an end of two rings */
    CHECK(seen[1] == 168 && seen[0] == 96);
    soft_free(&mesh);
}

TEST(a_flat_sheet_has_its_normal_and_skips_bad_triangles)
{
    SoftMesh mesh = {0};
    SurfacePlan plan;
    float points[12] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    int32_t triangles[9] = {0, 1, 3, 0, 3, 2, 0, 4, 1}, subsystems[4] = {1, 1, 1, 1};
    uint16_t colors[4][4] = {{0}};
    TnSceneSurface surface = {.point_count = 4, .triangles = triangles, .triangle_count = 3};
    REQUIRE(surface_plan(&plan, &surface, subsystems));
    for (int round = 0; round < 2; round++) /* the second one starts behind the first */
        REQUIRE(surface_add(&mesh, &plan, points, NULL, (const uint16_t(*)[4])colors, 1));
    CHECK(mesh.vertex_count == 8);
    CHECK(mesh.index_count == 12);
    for (int i = 0; i < 8; i++) CHECK(mesh.vertices[i].normal[2] == 1.0f);
    for (int i = 0; i < 6; i++) CHECK(mesh.indices[6 + i] == mesh.indices[i] + 4);
    surface_plan_free(&plan);
    soft_free(&mesh);
}

static void box_surface(TnTetMesh *box, TnTetSurface *faces, float *rest)
{
    const double half[3] = {1, 1, 1};
    const int cells[3] = {2, 2, 2};
    REQUIRE(tn_tet_mesh_box(half, cells, 6, box, NULL));
    REQUIRE(tn_tet_mesh_surface(box, faces, NULL));
    for (int i = 0; i < 3 * box->node_count; i++) rest[i] = (float)box->nodes[i];
}

TEST(a_soft_box_has_flat_sides_and_keeps_its_edges_when_it_is_bent)
{
    TnTetMesh box;
    TnTetSurface faces;
    float rest[81], points[81]; /* 3 × 3 × 3 nodes */
    int32_t subsystems[27] = {0};
    box_surface(&box, &faces, rest);
    TnSceneSurface surface = {.point_count = box.node_count,
                              .triangles = faces.triangles,
                              .triangle_count = faces.triangle_count,
                              .rest = rest};
    SurfacePlan plan;
    REQUIRE(surface_plan(&plan, &surface, subsystems));
    /* six sides of 9 vertices each: shared by nobody */
    CHECK(plan.vertex_count == 54 && plan.index_count == 3 * 48);
    SoftMesh mesh = {0};
    uint16_t colors[54][4] = {{0}};
    REQUIRE(surface_add(&mesh, &plan, rest, NULL, (const uint16_t(*)[4])colors, 1));
    for (int i = 0; i < 54; i++) {
        const float *n = mesh.vertices[i].normal;
        CHECK(fmaxf(fabsf(n[0]), fmaxf(fabsf(n[1]), fabsf(n[2]))) > 0.9999f);
    }
    /* sheared so that its sides lean by 45 degrees, no vertex comes or goes */
    for (int i = 0; i < 27; i++) {
        memcpy(points + 3 * i, rest + 3 * i, 3 * sizeof *points);
        points[3 * i] += points[3 * i + 2];
    }
    soft_clear(&mesh);
    REQUIRE(surface_add(&mesh, &plan, points, NULL, (const uint16_t(*)[4])colors, 1));
    CHECK(mesh.vertex_count == 54);
    surface_plan_free(&plan);
    soft_free(&mesh);
    tn_tet_surface_free(&faces);
    tn_tet_mesh_free(&box);
}

TEST(pieces_of_a_soft_body_part_in_colour_but_not_in_light)
{
    float points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0.2f, 1, 1, 0};
    int32_t triangles[6] = {0, 1, 2, 1, 3, 2}, subsystems[4] = {1, 1, 1, 1}, parts[2] = {1, 2};
    TnSceneSurface surface = {.point_count = 4,
                              .triangles = triangles,
                              .triangle_count = 2,
                              .triangle_subsystems = parts,
                              .rest = points};
    SurfacePlan plan;
    SoftMesh mesh = {0};
    uint16_t colors[6][4] = {{0}};
    REQUIRE(surface_plan(&plan, &surface, subsystems));
    REQUIRE(plan.vertex_count == 6);
    for (int k = 0; k < 6; k++) CHECK(plan.parts[plan.indices[k]] == parts[k / 3]);
    REQUIRE(surface_add(&mesh, &plan, points, NULL, (const uint16_t(*)[4])colors, 1));
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < a; b++)
            if (plan.points[a] == plan.points[b])
                CHECK(memcmp(mesh.vertices[a].normal, mesh.vertices[b].normal,
                             sizeof mesh.vertices[a].normal) == 0);
    surface_plan_free(&plan);
    soft_free(&mesh);
}

TEST(a_warm_mesh_asks_for_no_memory)
{
    SoftMesh mesh = {0};
    float points[30];
    uint16_t colors[10][4] = {{0}};
    for (int i = 0; i < 30; i++) points[i] = (float)(i * i % 7);
    TubeLook look = {.radius = 0.1, .sides = 8, .steps = 4, .colors = (const uint16_t(*)[4])colors};
    REQUIRE(tube_add(&mesh, points, 10, &look));
    const SoftVertex *vertices = mesh.vertices;
    const uint32_t *indices = mesh.indices;
    int room = mesh.vertex_room, vertex_count = mesh.vertex_count;
    for (int frame = 0; frame < 5; frame++) {
        soft_clear(&mesh);
        REQUIRE(tube_add(&mesh, points, frame % 2 ? 10 : 6, &look));
        CHECK(mesh.vertices == vertices && mesh.indices == indices && mesh.vertex_room == room);
        CHECK((mesh.vertex_count == vertex_count) == (frame % 2));
    }
    soft_free(&mesh);
}

/* How polygons of OBJ files are cut into triangles: as MuJoCo 4.0.0 does. */
#include "base/base.h"
#include "io/mesh/mesh_file.h"

#include "../check.h"

typedef struct Case {
    int count;
    double corners[6][2];
    int32_t triangles[4][3]; /* read off MuJoCo's mesh_face */
} Case;

static const Case cases[] = {
    {4, {{0, 0}, {2, 0}, {3, 1}, {0, 1}}, {{0, 1, 3}, {1, 2, 3}}},
    {4, {{0, 0}, {2, 0}, {1.5, 1}, {-1, 1}}, {{0, 1, 2}, {0, 2, 3}}},
    {6,
     {{1, .1}, {.6, .7}, {-.4, .9}, {-1, .2}, {-.5, -.8}, {.7, -.6}},
     {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}},
    /* away from the origin ears are found elsewhere */
    {5,
     {{1.1, .3}, {2.0, .2}, {2.4, 1.1}, {1.8, 1.9}, {.9, 1.5}},
     {{1, 2, 3}, {1, 3, 4}, {0, 1, 4}}},
    /* with a dent */
    {5, {{0, 0}, {2, 0}, {2, 1}, {1, .3}, {0, 1}}, {{1, 2, 3}, {3, 4, 0}, {0, 1, 3}}},
    {5, {{-1, -1}, {1, -1}, {1, 1}, {0, .2}, {-1, 1}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}}};

static void check_case(const Case *c, int up)
{
    double vertices[18];
    int32_t corners[6];
    TnMeshList out = {0};
    for (int i = 0; i < c->count; i++) {
        corners[i] = i;
        vertices[3 * i + up] = 0.25;
        for (int k = 0; k < 2; k++) vertices[3 * i + (up + 1 + k) % 3] = c->corners[i][k];
    }
    REQUIRE(tn_mesh_cut_polygon(vertices, corners, c->count, &out));
    CHECK(out.count == 3 * (size_t)(c->count - 2));
    CHECK(memcmp(out.data, c->triangles, 3 * sizeof(int32_t) * (size_t)(c->count - 2)) == 0);
    tn_free(out.data);
}

TEST(polygons_are_cut_as_in_mujoco)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_case(&cases[i], 2);
}

/* The plane in which ears are sought turns with the polygon. */
TEST(polygons_across_x_are_cut_the_same_way)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_case(&cases[i], 0);
}

TEST(points_without_a_corner_end)
{
    const double vertices[15] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0};
    const int32_t corners[5] = {0, 1, 2, 3, 4};
    TnMeshList out = {0};
    CHECK(tn_mesh_cut_polygon(vertices, corners, 5, &out));
    CHECK(out.count % 3 == 0 && out.count <= 9);
    tn_free(out.data);
}

/* Convex pieces of meshes: of what is made of boxes exactly these, of others not much more than the
 * mesh itself. */
#include "build.h"

#include "base/base.h"
#include "model/mesh/convex_pieces.h"
#include "model/mesh/hull.h"

/* Triangles of a solid that a polygon sweeps along z, from 0 to 1. The polygon is a fan from its
 * first corner where that sees all others, else given by triangles. */
typedef struct Solid {
    double vertices[64][3];
    int32_t triangles[128][3];
    int vertex_count, triangle_count;
} Solid;

static void add(Solid *s, int a, int b, int c)
{
    int32_t *t = s->triangles[s->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
}

static Solid sweep(const double (*corners)[2], int count, const int (*faces)[3], int face_count)
{
    Solid s = {.vertex_count = 2 * count};
    for (int i = 0; i < 2 * count; i++) {
        s.vertices[i][0] = corners[i % count][0];
        s.vertices[i][1] = corners[i % count][1];
        s.vertices[i][2] = i < count ? 0 : 1;
    }
    for (int i = 0; i < face_count; i++) {
        add(&s, faces[i][0], faces[i][2], faces[i][1]);
        add(&s, faces[i][0] + count, faces[i][1] + count, faces[i][2] + count);
    }
    for (int i = 0; i < count; i++) {
        int j = (i + 1) % count;
        add(&s, i, j, j + count);
        add(&s, i, j + count, i + count);
    }
    return s;
}

static double hull_volume(const TnPiece *piece)
{
    TnHullTriangles hull;
    double sum = 0;
    CHECK(tn_quickhull(piece->points, piece->count, &hull) == TN_HULL_GOOD);
    for (int i = 0; i < hull.count; i++) {
        const double *a = piece->points + 3 * hull.corners[3 * i],
                     *b = piece->points + 3 * hull.corners[3 * i + 1],
                     *c = piece->points + 3 * hull.corners[3 * i + 2];
        sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6;
    }
    tn_free(hull.corners);
    return sum;
}

/* Volume of all pieces together. */
static double cut(const double *vertices, const int32_t *triangles, int triangle_count, int *count)
{
    TnPiece pieces[TN_MOST_PIECES];
    double sum = 0;
    *count = tn_convex_pieces(vertices, triangles, triangle_count, pieces);
    for (int i = 0; i < *count; i++) sum += hull_volume(&pieces[i]);
    tn_pieces_free(pieces, *count);
    return sum;
}

static double cut_solid(Solid *s, double angle, int *count)
{
    for (int i = 0; i < s->vertex_count; i++) { /* not along the axes */
        double x = s->vertices[i][0], z = s->vertices[i][2];
        s->vertices[i][0] = cos(angle) * x + sin(angle) * z;
        s->vertices[i][2] = cos(angle) * z - sin(angle) * x;
    }
    return cut(s->vertices[0], s->triangles[0], s->triangle_count, count);
}

static const double ell[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
static const int ell_faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}};
static const double yoke[8][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
static const int yoke_faces[6][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4},
                                     {0, 4, 5}, {0, 5, 7}, {5, 6, 7}};

TEST(solids_of_boxes_become_these_boxes)
{
    for (int k = 0; k < 2; k++) {
        int count;
        Solid s = sweep(ell, 6, ell_faces, 4);
        CHECK_NEAR(cut_solid(&s, 0.4 * k, &count), 4, 1e-9); /* rounding */
        CHECK(count == 2);
        s = sweep(yoke, 8, yoke_faces, 6);
        CHECK_NEAR(cut_solid(&s, 0.4 * k, &count), 5, 1e-9);
        CHECK(count == 3);
    }
}

TEST(a_convex_solid_stays_whole)
{
    const double square[4][2] = {{0, 0}, {2, 0}, {2, 1}, {0, 1}};
    const int faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    Solid s = sweep(square, 4, faces, 2);
    int count;
    CHECK_NEAR(cut_solid(&s, 0.3, &count), 2, 1e-9);
    CHECK(count == 1);
}

enum { RING = 16, AROUND = 32 };

TEST(a_ring_keeps_its_hole)
{
    double vertices[3 * RING * AROUND], exact = 0;
    int32_t triangles[6 * RING * AROUND];
    int count;
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < RING; j++) {
            double theta = 2 * M_PI * i / AROUND, phi = 2 * M_PI * j / RING,
                   out = 1 + 0.3 * cos(phi);
            double *v = vertices + 3 * (i * RING + j);
            v[0] = out * cos(theta), v[1] = out * sin(theta), v[2] = 0.3 * sin(phi);
            int next_i = (i + 1) % AROUND * RING, next_j = (j + 1) % RING;
            int32_t a = i * RING + j, b = next_i + j, c = next_i + next_j, d = i * RING + next_j;
            int32_t *t = triangles + 6 * (i * RING + j);
            t[0] = a, t[1] = b, t[2] = c, t[3] = a, t[4] = c, t[5] = d;
        }
    for (int i = 0; i < 2 * RING * AROUND; i++) {
        const double *a = vertices + 3 * triangles[3 * i], *b = vertices + 3 * triangles[3 * i + 1],
                     *c = vertices + 3 * triangles[3 * i + 2];
        exact += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0])) /
                 6;
    }
    double volume = cut(vertices, triangles, 2 * RING * AROUND, &count);
    printf("    %d pieces with %.3f of the ring's volume\n", count, volume / exact);
    CHECK(count > 4 && count <= TN_MOST_PIECES);
    CHECK(volume > exact * (1 - 1e-9)); /* nothing is lost, */
    CHECK(volume < 1.06 * exact);       /* and little added: dents of 1 % of the size */
}

TEST(a_sheet_has_no_pieces)
{
    const double vertices[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    int count;
    cut(vertices, triangles, 2, &count);
    CHECK(count == 0);
}

/* The division of soft bodies into pieces. */
#include "../check.h"

#include "base/base.h"
#include "model/division/soft_patches.h"
#include "model/division/soft_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    TnTetMesh mesh;
    TnSoft soft;
    int *piece, count;
} Body;

/* Takes the mesh. */
static Body divide(TnTetMesh mesh, bool patches, int pieces)
{
    Body body = {.mesh = mesh, .count = pieces};
    size_t tets = (size_t)mesh.tet_count;
    body.soft = (TnSoft){.node_count = mesh.node_count,
                         .tet_count = mesh.tet_count,
                         .rest = mesh.nodes,
                         .tets = mesh.tets};
    if (patches) {
        body.soft.patches = malloc(tets * sizeof *body.soft.patches);
        body.soft.patch_count =
            tn_soft_patches(mesh.node_count, mesh.tet_count, mesh.tets, body.soft.patches);
    }
    body.piece = malloc(tets * sizeof *body.piece);
    CHECK(tn_soft_partition(&body.soft, &body.count, body.piece));
    return body;
}

static void release(Body *body)
{
    tn_tet_mesh_free(&body->mesh);
    free(body->soft.patches);
    free(body->piece);
}

static TnTetMesh box(double x, double y, double z, int nx, int ny, int nz, int per_cell)
{
    TnTetMesh mesh;
    const double half[3] = {0.5 * x, 0.5 * y, 0.5 * z};
    const int cells[3] = {nx, ny, nz};
    CHECK(tn_tet_mesh_box(half, cells, per_cell, &mesh, NULL));
    return mesh;
}

static TnTetMesh ball(int shells)
{
    TnTetMesh mesh;
    CHECK(tn_tet_mesh_ball(0.1, shells, &mesh, NULL));
    return mesh;
}

/* ---- what a division is judged by ---- */

static int root_of(int *root, int i)
{
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

static bool share_face(const int32_t *a, const int32_t *b)
{
    int shared = 0;
    for (int k = 0; k < 16; k++) shared += a[k / 4] == b[k % 4];
    return shared == 3;
}

/* Parts of pieces that hang together, through faces and patches: as many as pieces if all are
 * connected. */
static int count_parts(const Body *body)
{
    int tets = body->mesh.tet_count, parts = 0;
    int *root = malloc((size_t)tets * sizeof *root);
    for (int i = 0; i < tets; i++) root[i] = i;
    for (int i = 0; i < tets; i++)
        for (int j = 0; j < i; j++) {
            if (body->piece[i] != body->piece[j]) continue;
            bool patch = body->soft.patches && body->soft.patches[i] == body->soft.patches[j];
            if (patch || share_face(body->mesh.tets + 4 * i, body->mesh.tets + 4 * j))
                root[root_of(root, i)] = root_of(root, j);
        }
    for (int i = 0; i < tets; i++) parts += root_of(root, i) == i;
    free(root);
    return parts;
}

static void check_patches_whole(const Body *body)
{
    for (int i = 0; i < body->mesh.tet_count && body->soft.patches; i++)
        for (int j = 0; j < i; j++)
            if (body->soft.patches[i] == body->soft.patches[j])
                CHECK(body->piece[i] == body->piece[j]);
}

static void check_numbers_without_gaps(const Body *body)
{
    int next = 0;
    for (int i = 0; i < body->mesh.tet_count; i++) {
        CHECK(body->piece[i] >= 0 && body->piece[i] <= next);
        next += body->piece[i] == next;
    }
    CHECK(next == body->count);
}

/* Elements of the largest piece over the mean. */
static double balance(const Body *body)
{
    int largest = 0;
    for (int p = 0; p < body->count; p++) {
        int size = 0;
        for (int i = 0; i < body->mesh.tet_count; i++) size += body->piece[i] == p;
        if (size > largest) largest = size;
    }
    return (double)largest * body->count / body->mesh.tet_count;
}

/* Ties: a node in m pieces has m - 1. */
static int count_ties(const Body *body)
{
    int nodes = body->mesh.node_count, ties = -nodes;
    bool *in = calloc((size_t)nodes * (size_t)body->count, sizeof *in);
    for (int i = 0; i < 4 * body->mesh.tet_count; i++)
        in[body->mesh.tets[i] * body->count + body->piece[i / 4]] = true;
    for (int i = 0; i < nodes * body->count; i++) ties += in[i];
    free(in);
    return ties;
}

static void check_sound(const Body *body)
{
    check_numbers_without_gaps(body);
    check_patches_whole(body);
    CHECK(count_parts(body) == body->count);
}

/* ---- claims ---- */

TEST(pieces_are_connected_balanced_and_cut_no_patch)
{
    for (int patches = 0; patches < 2; patches++)
        for (int pieces = 1; pieces <= 11; pieces += 5) {
            Body round = divide(ball(4), patches, pieces),
                 flat = divide(box(0.3, 0.3, 0.1, 9, 9, 3, 5), patches, pieces);
            CHECK(round.count == pieces && flat.count == pieces);
            check_sound(&round);
            check_sound(&flat);
            /* a cut may be off by 0.05 of a piece, four times over; patches of six and parts that
             * changed sides add to it in pieces of a hundred elements */
            CHECK(balance(&round) < 1.3 && balance(&flat) < 1.3);
            release(&round);
            release(&flat);
        }
}

/* A thick beam with four thin teeth that weigh as much as it: cutting these off would be a smaller
 * border than cutting it in two. */
TEST(a_comb_is_not_parted_from_its_teeth)
{
    TnTetMesh all = box(0.7, 0.4, 3.2, 7, 4, 32, 6);
    int kept = 0, nodes = 0;
    for (int i = 0; i < all.tet_count; i++) {
        double x[3] = {0.0};
        for (int k = 0; k < 12; k++)
            x[k % 3] += 0.25 * all.nodes[3 * all.tets[4 * i + k / 3] + k % 3];
        bool spine = x[2] < -1.2;
        bool tooth = (int)floor((x[0] + 0.35) / 0.1) % 2 == 0 && x[1] < -0.1;
        if (spine || tooth) memmove(all.tets + 4 * kept++, all.tets + 4 * i, 4 * sizeof *all.tets);
    }
    all.tet_count = kept;
    int *number = calloc((size_t)all.node_count, sizeof *number);
    for (int i = 0; i < 4 * kept; i++) number[all.tets[i]] = 1;
    for (int i = 0; i < all.node_count; i++) {
        if (!number[i]) continue;
        memmove(all.nodes + 3 * nodes, all.nodes + 3 * i, 3 * sizeof *all.nodes);
        number[i] = nodes++;
    }
    for (int i = 0; i < 4 * kept; i++) all.tets[i] = number[all.tets[i]];
    all.node_count = nodes;
    free(number);
    TnError err = {0};
    CHECK(tn_tet_mesh_check(&all, NULL, &err));
    for (int pieces = 2; pieces <= 3; pieces++) {
        TnTetMesh copy = {nodes, kept, tn_malloc(3 * (size_t)nodes * sizeof(double)),
                          tn_malloc(4 * (size_t)kept * sizeof(int32_t))};
        memcpy(copy.nodes, all.nodes, 3 * (size_t)nodes * sizeof(double));
        memcpy(copy.tets, all.tets, 4 * (size_t)kept * sizeof(int32_t));
        Body body = divide(copy, true, pieces);
        CHECK(body.count == pieces);
        check_sound(&body);
        /* in three it comes out at 1.39: parts that hang together come before equal weight */
        CHECK(balance(&body) < (pieces == 2 ? 1.1 : 1.5));
        release(&body);
    }
    tn_tet_mesh_free(&all);
}

/* Each piece spans the whole section and lies between two others. */
static void check_slices(const Body *body, int axis, double length)
{
    CHECK(body->count == 20);
    check_sound(body);
    double centre[20] = {0.0}, low[20], high[20];
    int size[20] = {0};
    for (int p = 0; p < 20; p++) low[p] = length, high[p] = -length;
    for (int i = 0; i < body->mesh.tet_count; i++) {
        int p = body->piece[i];
        for (int a = 0; a < 4; a++) {
            const double *x = body->mesh.nodes + 3 * body->mesh.tets[4 * i + a];
            centre[p] += 0.25 * x[axis];
            low[p] = fmin(low[p], x[axis]);
            high[p] = fmax(high[p], x[axis]);
        }
        size[p]++;
    }
    for (int p = 0; p < 20; p++) {
        double middle = centre[p] / size[p];
        /* nowhere thicker than twice its share, and one piece per twentieth of the length */
        CHECK(high[p] - low[p] < 2.5 * length / 20.0);
        int place = 0;
        for (int q = 0; q < 20; q++) place += centre[q] / size[q] < middle;
        CHECK_NEAR(middle, length * ((place + 0.5) / 20.0 - 0.5), 0.2 * length / 20.0);
    }
}

TEST(twenty_pieces_of_a_slender_beam_are_slices)
{
    /* as wide as two slices are thick: cells that fit the slices, and such that do not; 19 borders
     * of 25 nodes */
    Body whole = divide(box(1.0, 0.1, 0.1, 60, 4, 4, 6), false, 20);
    Body patched = divide(box(1.0, 0.1, 0.1, 60, 4, 4, 6), true, 20);
    Body ragged = divide(box(1.0, 0.1, 0.1, 64, 4, 4, 5), true, 20);
    check_slices(&whole, 0, 1.0);
    check_slices(&patched, 0, 1.0);
    check_slices(&ragged, 0, 1.0);
    CHECK(count_ties(&whole) == 19 * 25 && count_ties(&patched) == 19 * 25);
    CHECK(count_ties(&ragged) < 19 * 25 * 3 / 2); /* patches do not end at planes there: 655 */
    release(&whole);
    release(&patched);
    release(&ragged);
    /* halves of slices twice as thick would have 1031 ties here, slices 19 times 61 */
    TnTetMesh rod;
    REQUIRE(tn_tet_mesh_cylinder(0.05, 0.5, 4, 40, &rod, NULL));
    Body slices = divide(rod, true, 20);
    check_slices(&slices, 2, 1.0);
    CHECK(count_ties(&slices) == 19 * 61);
    release(&slices);
}

TEST(borders_are_at_most_a_tenth_larger_than_those_of_metis)
{
    /* ties of METIS 5 (the better of its two ways; vertices as here, edges weighted by shared
     * nodes): 20 pieces of a ball of 10240 elements, 8 of a cube of 10³ cells, without and with
     * patches. Ours: 1226, 1365, 397, 564 */
    const int metis[4] = {1219, 1449, 413, 518};
    for (int i = 0; i < 4; i++) {
        TnTetMesh mesh = i < 2 ? ball(8) : box(1.0, 1.0, 1.0, 10, 10, 10, 5);
        Body body = divide(mesh, i % 2 == 1, i < 2 ? 20 : 8);
        CHECK(count_ties(&body) <= 1.1 * metis[i]);
        release(&body);
    }
}

TEST(more_pieces_than_patches_give_fewer_pieces)
{
    Body few = divide(box(0.2, 0.1, 0.1, 2, 1, 1, 6), true, 50);
    CHECK(few.count >= 1 && few.count <= few.soft.patch_count);
    check_numbers_without_gaps(&few);
    Body all = divide(box(0.2, 0.1, 0.1, 2, 1, 1, 6), false, 50);
    CHECK(all.count == 12); /* elements of weight one each: every one a piece */
    check_numbers_without_gaps(&all);
    release(&few);
    release(&all);
}

TEST(a_body_of_two_parts_that_do_not_touch_is_divided_too)
{
    TnTetMesh one = box(0.2, 0.1, 0.1, 4, 2, 2, 5),
              two = {2 * one.node_count, 2 * one.tet_count, NULL, NULL};
    two.nodes = tn_malloc(6 * (size_t)one.node_count * sizeof(double));
    two.tets = tn_malloc(8 * (size_t)one.tet_count * sizeof(int32_t));
    for (int i = 0; i < 6 * one.node_count; i++)
        two.nodes[i] =
            one.nodes[i % (3 * one.node_count)] + (i % 3 == 1 && i >= 3 * one.node_count);
    for (int i = 0; i < 8 * one.tet_count; i++)
        two.tets[i] =
            one.tets[i % (4 * one.tet_count)] + (i >= 4 * one.tet_count ? one.node_count : 0);
    tn_tet_mesh_free(&one);
    Body body = divide(two, true, 4);
    CHECK(body.count == 4);
    check_sound(&body);
    CHECK(balance(&body) < 1.3);
    release(&body);
}

TEST(the_same_body_is_always_divided_alike)
{
    Body a = divide(ball(4), true, 7), b = divide(ball(4), true, 7);
    CHECK(memcmp(a.piece, b.piece, (size_t)a.mesh.tet_count * sizeof *a.piece) == 0);
    release(&a);
    release(&b);
}

TEST(a_failing_allocation_is_told_and_leaks_nothing)
{
    TnTetMesh mesh = box(0.2, 0.1, 0.1, 2, 1, 1, 6);
    TnSoft soft = {.node_count = mesh.node_count,
                   .tet_count = mesh.tet_count,
                   .rest = mesh.nodes,
                   .tets = mesh.tets};
    int piece[12], count;
    long n = 0;
    for (bool done = false; !done && n < 100; n++) {
        count = 3;
        tn_malloc_fail_after(n);
        done = tn_soft_partition(&soft, &count, piece);
        tn_malloc_fail_after(-1);
        CHECK(count == 3);
    }
    CHECK(n > 10 && n < 100);
    tn_tet_mesh_free(&mesh);
}

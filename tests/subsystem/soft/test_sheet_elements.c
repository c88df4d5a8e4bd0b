/* Triangles of a sheet: forces are the gradient of the energy, stiffness is its curvature where
 * nothing is strained, and all instruction sets agree. */
#include "../../check.h"

#include "model/mesh/sheet_mesh.h"
#include "subsystem/soft/fem/bending.h"
#include "subsystem/soft/fem/kernels/fem_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 4, NY = 3, NODES = (NX + 1) * (NY + 1), MOST = 40 };

typedef struct Rig {
    TnTetMesh sheet;
    TnFemMesh *mesh;
    TnBending *bending;
    int targets[MOST / TN_FEM_LANES][TN_FEM_PAIRS][TN_FEM_LANES];
    _Alignas(64) double x[NODES][4], y[NODES][4], f[NODES][4];
    double blocks[NODES * NODES + 1][9];
} Rig;

static double uniform(unsigned *r)
{
    *r = *r * 1664525u + 1013904223u;
    return 2.0 * (double)*r / 4294967296.0 - 1.0;
}

/* An irregular sheet, bent into a bowl at rest if `curved`; corners ascending, as kernels want. */
static bool rig_make(Rig *rig, bool curved)
{
    unsigned r = 7;
    TnError err = {0};
    int32_t across[3 * MOST];
    memset(rig, 0, sizeof *rig);
    if (!tn_sheet_mesh_rectangle((const double[2]){0.4, 0.3}, (const int[2]){NX, NY}, &rig->sheet,
                                 &err))
        return false;
    for (int i = 0; i < NODES; i++) {
        double *X = rig->sheet.nodes + 3 * i;
        for (int k = 0; k < 2; k++) X[k] += 0.02 * uniform(&r);
        if (curved) X[2] = 0.5 * X[0] * X[0] + 0.3 * X[0] * X[1];
    }
    for (int e = 0; e < rig->sheet.tet_count; e++) {
        int32_t *t = rig->sheet.tets + 4 * e;
        while (t[0] > t[1] || t[0] > t[2]) {
            int32_t first = t[0];
            t[0] = t[1], t[1] = t[2], t[2] = first;
        }
        if (t[1] > t[2]) {
            int32_t swap = t[1];
            t[1] = t[2], t[2] = swap;
        }
        t[3] = t[2];
    }
    TnFemMeshDef def = {
        .node_count = NODES,
        .tet_count = rig->sheet.tet_count,
        .rest = rig->sheet.nodes,
        .tets = rig->sheet.tets,
        .material = {
            .law = TN_FEM_MEMBRANE, .E = 1e4, .nu = 0.3, .density = 100, .thickness = 0.01}};
    TnBendingDef bend = {.node_count = NODES,
                         .triangle_count = rig->sheet.tet_count,
                         .rest = rig->sheet.nodes,
                         .tets = rig->sheet.tets,
                         .across = across,
                         .rigidity = 0.7,
                         .nu = 0.3};
    rig->mesh = tn_fem_mesh_create(&def, &err);
    if (!rig->mesh || !tn_sheet_across(&rig->sheet, across)) return false;
    rig->bending = tn_bending_create(&bend);
    for (int e = 0; e < MOST; e++)
        for (int b = 0, pair = 0; b < 4; b++)
            for (int a = 0; a <= b; a++, pair++) {
                const int32_t *t = rig->sheet.tets + 4 * e;
                bool used = e < rig->sheet.tet_count && b < 3;
                if (e / TN_FEM_LANES < rig->mesh->batch_count)
                    rig->targets[e / TN_FEM_LANES][pair][e % TN_FEM_LANES] =
                        used ? t[b] * NODES + t[a] : NODES * NODES;
            }
    return rig->bending != NULL;
}

static void rig_free(Rig *rig)
{
    tn_fem_mesh_destroy(rig->mesh);
    tn_bending_destroy(rig->bending);
    tn_tet_mesh_free(&rig->sheet);
}

/* Turned far, and strained by up to `size`. */
static void rig_move(Rig *rig, double size)
{
    unsigned r = 3;
    for (int i = 0; i < NODES; i++) {
        const double *X = rig->sheet.nodes + 3 * i;
        double c = cos(2.0), s = sin(2.0);
        const double x[3] = {c * X[0] - s * X[2] + 5.0, X[1], s * X[0] + c * X[2]};
        for (int k = 0; k < 3; k++) rig->x[i][k] = x[k] + size * uniform(&r);
    }
}

static double energy_of(const Rig *rig, bool membrane, bool bending)
{
    double sum = 0.0;
    if (membrane)
        sum += tn_fem_kernels()->energy(rig->mesh, (const double(*)[4])rig->x, 0,
                                        rig->mesh->batch_count, NULL);
    if (bending) sum += tn_bending_energy(rig->bending, (const double(*)[4])rig->x);
    return sum;
}

static TnFemStep step_of(Rig *rig)
{
    return (TnFemStep){.mesh = rig->mesh,
                       .x = (const double(*)[4])rig->x,
                       .y = (const double(*)[4])rig->y,
                       .share = 1.0,
                       .stiffness = 1.0,
                       .targets = (const int(*)[TN_FEM_PAIRS][TN_FEM_LANES])rig->targets,
                       .f = rig->f,
                       .blocks = rig->blocks[0]};
}

TEST(forces_are_the_gradient_of_the_energy)
{
    static Rig rig;
    for (int k = 0; k < 4; k++) { /* membrane and bending, flat and curved at rest */
        bool membrane = k % 2 == 0;
        double most = 0.0, largest = 0.0, e = 1e-6;
        REQUIRE(rig_make(&rig, k >= 2));
        rig_move(&rig, 0.0);
        CHECK_NEAR(energy_of(&rig, membrane, !membrane), 0.0, 1e-14); /* of up to 1 J below */
        rig_move(&rig, 0.03);
        TnFemStep step = step_of(&rig);
        if (membrane)
            tn_fem_kernels()->add_membrane(&step, 0, rig.mesh->batch_count);
        else
            tn_bending_add(rig.bending, step.x, step.y, 1.0, rig.f);
        for (int i = 0; i < 3 * NODES; i++) {
            double *x = &rig.x[i / 3][i % 3], at = *x, high, low;
            *x = at + e;
            high = energy_of(&rig, membrane, !membrane);
            *x = at - e;
            low = energy_of(&rig, membrane, !membrane);
            *x = at;
            most = fmax(most, fabs(rig.f[i / 3][i % 3] + (high - low) / (2 * e)));
            largest = fmax(largest, fabs(rig.f[i / 3][i % 3]));
        }
        printf("     %s, %s at rest: off by %.1e of %.2g N\n", membrane ? "membrane" : "bending",
               k >= 2 ? "curved" : "flat", most, largest);
        CHECK(largest > 0.1);
        CHECK(most < 1e-7 * largest); /* differences lose half of the digits */
        rig_free(&rig);
    }
}

/* Where nothing is strained the linear stiffness is all there is: K y = -f(x + y) to first order.
 */
TEST(stiffness_is_the_derivative_of_forces_at_rest)
{
    static Rig rig, moved;
    unsigned r = 11;
    double e = 1e-6, off = 0.0, size = 0.0;
    REQUIRE(rig_make(&rig, false) && rig_make(&moved, false));
    rig_move(&rig, 0.0);
    rig_move(&moved, 0.0);
    for (int i = 0; i < 3 * NODES; i++) {
        rig.y[i / 3][i % 3] = e * uniform(&r);
        moved.x[i / 3][i % 3] += rig.y[i / 3][i % 3];
    }
    TnFemStep step = step_of(&rig), there = step_of(&moved);
    tn_fem_kernels()->add_membrane(&step, 0, rig.mesh->batch_count);
    tn_fem_kernels()->add_membrane(&there, 0, moved.mesh->batch_count);
    for (int i = 0; i < 3 * NODES; i++) {
        double product = 0.0; /* by the blocks, of which the lower half is there */
        for (int j = 0; j < NODES; j++) {
            int a = i / 3, high = a > j ? a : j, low = a > j ? j : a;
            const double *block = rig.blocks[high * NODES + low];
            for (int k = 0; k < 3; k++)
                product += (a >= j ? block[3 * (i % 3) + k] : block[3 * k + i % 3]) * rig.y[j][k];
        }
        off = fmax(off, fabs(rig.f[i / 3][i % 3] + moved.f[i / 3][i % 3]));
        off = fmax(off, fabs(product - rig.f[i / 3][i % 3]));
        size = fmax(size, fabs(rig.f[i / 3][i % 3]));
    }
    CHECK(off < 1e-4 * size); /* strains of 1e-5 squared over 1e-5 */
    rig_free(&rig);
    rig_free(&moved);
}

TEST(instruction_sets_agree_on_sheets)
{
    static Rig a, b;
    const TnFemKernels *sets[2] = {tn_fem_kernels_avx2(), tn_fem_kernels_avx512()};
    for (int k = 0; k < 2; k++) {
        double off = 0.0, size = 0.0;
        if (!sets[k]) continue;
        REQUIRE(rig_make(&a, false) && rig_make(&b, false));
        rig_move(&a, 0.03);
        rig_move(&b, 0.03);
        for (int i = 0; i < 3 * NODES; i++)
            a.y[i / 3][i % 3] = b.y[i / 3][i % 3] = 0.01 * sin(1.0 + i);
        TnFemStep one = step_of(&a), two = step_of(&b);
        one.lead = one.y, two.lead = two.y;
        one.lead_scale = two.lead_scale = 0.5;
        tn_fem_kernels_plain()->add_membrane(&one, 0, a.mesh->batch_count);
        sets[k]->add_membrane(&two, 0, b.mesh->batch_count);
        for (int i = 0; i < NODES * NODES; i++)
            for (int c = 0; c < 9; c++) {
                off = fmax(off, fabs(a.blocks[i][c] - b.blocks[i][c]));
                size = fmax(size, fabs(a.blocks[i][c]));
            }
        CHECK(off < 1e-12 * size);
        for (int i = 0; i < NODES; i++)
            for (int c = 0; c < 3; c++) CHECK_NEAR(a.f[i][c], b.f[i][c], 1e-12 * size);
        CHECK_NEAR(tn_fem_kernels_plain()->energy(a.mesh, one.x, 0, a.mesh->batch_count, NULL),
                   sets[k]->energy(b.mesh, two.x, 0, b.mesh->batch_count, NULL), 1e-12 * size);
        rig_free(&a);
        rig_free(&b);
    }
}

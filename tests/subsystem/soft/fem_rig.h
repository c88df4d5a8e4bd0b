/* fem_rig.h: meshes for the tests of soft bodies, and the memory that goes with one. */
#ifndef TN_TESTS_FEM_RIG_H
#define TN_TESTS_FEM_RIG_H

#include "../../check.h"

#include "fem_reference.h"
#include "math/vec3.h"

typedef struct Random {
    unsigned long long state;
} Random;

static inline double uniform(Random *r) /* in [-1, 1) */
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(r->state >> 11) / 4503599627370496.0 - 1.0;
}

/* A box of nx × ny × nz cells, each cut into six tetrahedra around its diagonal. */
typedef struct Rig {
    int n[3], nodes, tets;
    double *X, *x, *f;
    int *tet, *patch; /* patch: the cell */
    TnFemMesh *mesh;
    TnFemPlace *places;
    double *scratch;
} Rig;

static inline int rig_node(const Rig *rig, int i, int j, int k)
{
    return (i * (rig->n[1] + 1) + j) * (rig->n[2] + 1) + k;
}

/* Cell edges h[3]; inner nodes are moved by up to `stir` of an edge, those of the surface are not.
 */
static inline void rig_shape(Rig *rig, int nx, int ny, int nz, const double h[3], double stir)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    Random r = {77};
    *rig = (Rig){.n = {nx, ny, nz}};
    rig->nodes = (nx + 1) * (ny + 1) * (nz + 1);
    rig->tets = 6 * nx * ny * nz;
    rig->X = malloc(sizeof(double) * 3 * (size_t)rig->nodes);
    rig->x = malloc(sizeof(double) * 3 * (size_t)rig->nodes);
    rig->f = malloc(sizeof(double) * 3 * (size_t)rig->nodes);
    rig->tet = malloc(sizeof(int) * 4 * (size_t)rig->tets);
    rig->patch = malloc(sizeof(int) * (size_t)rig->tets);
    int at[3], e = 0;
    for (at[0] = 0; at[0] <= nx; at[0]++)
        for (at[1] = 0; at[1] <= ny; at[1]++)
            for (at[2] = 0; at[2] <= nz; at[2]++) {
                bool inner = true;
                for (int i = 0; i < 3; i++) inner = inner && at[i] > 0 && at[i] < rig->n[i];
                for (int i = 0; i < 3; i++)
                    rig->X[3 * rig_node(rig, at[0], at[1], at[2]) + i] =
                        h[i] * (at[i] + (inner ? stir * uniform(&r) : 0.0));
            }
    for (int c = 0; c < nx * ny * nz; c++)
        for (int t = 0; t < 6; t++, e++) {
            int p[3] = {c / (ny * nz), c / nz % ny, c % nz};
            int *tet = rig->tet + 4 * e;
            for (int a = 0; a < 4; a++) {
                tet[a] = rig_node(rig, p[0], p[1], p[2]);
                if (a < 3) p[order[t][a]]++;
            }
            if (t >= 3) { /* odd permutations */
                int swap = tet[1];
                tet[1] = tet[2];
                tet[2] = swap;
            }
            rig->patch[e] = c;
        }
    memcpy(rig->x, rig->X, sizeof(double) * 3 * (size_t)rig->nodes);
}

static inline bool rig_mesh(Rig *rig, TnFemMaterial material, bool own_patches)
{
    TnError err = {0};
    TnFemMeshDef def = {.node_count = rig->nodes,
                        .tet_count = rig->tets,
                        .rest = rig->X,
                        .tets = rig->tet,
                        .patches = own_patches ? rig->patch : NULL,
                        .material = material};
    rig->mesh = tn_fem_mesh_create(&def, &err);
    if (!rig->mesh) return false;
    rig->places = tn_aligned_alloc(sizeof(TnFemPlace) * (size_t)rig->mesh->batch_count);
    rig->scratch = malloc(sizeof(double) * (size_t)(tn_fem_scratch_count(rig->mesh) + 1));
    return rig->places && rig->scratch;
}

static inline void rig_end(Rig *rig)
{
    tn_fem_mesh_destroy(rig->mesh);
    tn_free(rig->places);
    free(rig->scratch);
    free(rig->X);
    free(rig->x);
    free(rig->f);
    free(rig->tet);
    free(rig->patch);
}

/* Places the mesh at x; forces to f; returns the energy. */
static inline double rig_forces(Rig *rig)
{
    memset(rig->f, 0, sizeof(double) * 3 * (size_t)rig->nodes);
    tn_fem_place(rig->mesh, rig->x, rig->places, rig->scratch);
    return tn_fem_add_forces(rig->mesh, rig->places, rig->f);
}

static inline double largest(const double *a, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fabs(a[i]) > most ? fabs(a[i]) : most;
    return most;
}

/* Four ways to be a soft body: both laws, and mean dilatation by chosen patches and by cells. */
enum { KINDS = 4 };
static inline TnFemMaterial kind_of(int k)
{
    return (TnFemMaterial){.law = k == 1 ? TN_FEM_NEO_HOOKEAN : TN_FEM_COROTATIONAL,
                           .E = 2e5,
                           .nu = 0.4,
                           .density = 1000.0,
                           .mean_dilatation = k >= 2};
}
static inline bool rig_start(Rig *rig, int kind, double stir)
{
    double h[3] = {0.1, 0.13, 0.09};
    rig_shape(rig, 3, 3, 3, h, stir);
    return rig_mesh(rig, kind_of(kind), kind == 3);
}

#endif

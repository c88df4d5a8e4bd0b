/* test_soft_kernels.c: the instruction sets against each other, and against the elements one by
 * one. */
#include "soft_rig.h"

#include "subsystem/soft/elements.h"

typedef struct Result {
    double *blocks, (*f)[4], fastest;
    size_t count; /* numbers in blocks */
} Result;

static void start_result(const SoftRig *rig, Result *out)
{
    size_t nodes = (size_t)rig->soft->node_count;
    out->count = 9 * (size_t)rig->elements->edges[0].array_count;
    out->blocks = calloc(out->count, sizeof(double));
    out->f = tn_aligned_alloc(sizeof *out->f * nodes);
    memset(out->f, 0, sizeof *out->f * nodes);
}

static void end_result(Result *out)
{
    free(out->blocks);
    tn_free(out->f);
}

/* All elements of the one piece, at x and y of its scratch. */
static void run_kernels(const SoftRig *rig, const TnFemKernels *kernels, Result *out)
{
    TnPieceElements *p = &rig->elements->pieces[0];
    const TnFemMesh *mesh = p->mesh;
    start_result(rig, out);
    TnFemStep step = {.mesh = mesh,
                      .x = (const double(*)[4])p->x,
                      .y = (const double(*)[4])p->y,
                      .share = 0.9,
                      .stiffness = 0.02,
                      .targets = (const int(*)[TN_FEM_PAIRS][TN_FEM_LANES])p->targets,
                      .f = out->f,
                      .blocks = out->blocks,
                      .turns = p->turns,
                      .patch_dilatation = p->patch_dilatation,
                      .patch_rate = p->patch_rate,
                      .patch_growth = p->growth,
                      .patch_targets = p->patch_targets};
    memset(p->growth, 0, sizeof *p->growth * (size_t)(tn_fem_scratch_count(mesh) / 3));
    for (int k = 0; k < mesh->patch_count; k++) { /* any numbers will do */
        p->patch_dilatation[k] = 0.01 * k;
        p->patch_rate[k] = 1.0 - 0.3 * k;
    }
    if (mesh->material.law == TN_FEM_NEO_HOOKEAN) {
        kernels->add_neo_hookean(&step, 0, mesh->batch_count);
    } else {
        kernels->turn(&step, 0, mesh->batch_count);
        kernels->add(&step, 0, mesh->batch_count);
        kernels->add_patches(&step, 0, mesh->patch_count);
    }
    out->fastest = kernels->fastest(mesh, (const double(*)[4])p->y, 0, mesh->batch_count);
}

static double largest(const double *a, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

static void compare(const SoftRig *rig, const Result *a, const Result *b)
{
    size_t n = 4 * (size_t)rig->soft->node_count;
    double size = largest(a->blocks, a->count), force = largest((double *)a->f, n), off = 0.0;
    for (size_t i = 0; i < a->count; i++) off = fmax(off, fabs(a->blocks[i] - b->blocks[i]));
    CHECK(off <= 1e-12 * size); /* fused multiplications, and sums in another order */
    off = 0.0;
    for (size_t i = 0; i < n; i++) off = fmax(off, fabs(((double *)a->f)[i] - ((double *)b->f)[i]));
    CHECK(off <= 1e-12 * force);
    CHECK_NEAR(a->fastest, b->fastest, 1e-13 * a->fastest);
}

static bool disturbed(SoftRig *rig, int kind, double far)
{
    SoftSpec spec = soft_spec();
    Random r = {21};
    spec.law = kind == 1 ? TN_SOFT_NEO_HOOKEAN : TN_SOFT_COROTATIONAL;
    spec.mean_dilatation = kind == 2;
    spec.pin = true;
    if (!soft_rig_start(rig, spec, 0.005)) return false;
    TnPieceElements *p = &rig->elements->pieces[0];
    for (int n = 0; n < rig->soft->node_count; n++)
        for (int k = 0; k < 3; k++) {
            p->x[n][k] = rig->soft->rest[3 * n + k] + uniform(&r, -far, far);
            p->y[n][k] = uniform(&r, -0.01, 0.01);
        }
    return true;
}

TEST(instruction_sets_agree)
{
    const TnFemKernels *sets[3] = {tn_fem_kernels_portable(), tn_fem_kernels_avx2(),
                                   tn_fem_kernels_avx512()};
    for (int kind = 0; kind < 3; kind++)
        for (int s = 0; s < 3; s++)
            for (int hard = 0; hard < 2; hard++) { /* hard: with flat and inverted elements */
                SoftRig rig;
                Result plain, other;
                if (!sets[s]) continue;
                REQUIRE(disturbed(&rig, kind, hard ? 0.05 : 0.004));
                run_kernels(&rig, tn_fem_kernels_plain(), &plain);
                run_kernels(&rig, sets[s], &other);
                compare(&rig, &plain, &other);
                end_result(&plain);
                end_result(&other);
                soft_rig_end(&rig);
            }
}

/* The bar at s of its rest length along x: its energy, and with `share` and `along`, the velocity
 * of s, the force along x that belongs to s. */
static double squeeze(SoftRig *rig, double s, double share, double along, double *energy)
{
    TnPieceElements *p = &rig->elements->pieces[0];
    const TnFemKernels *kernels = tn_fem_kernels();
    int nodes = rig->soft->node_count;
    double work = 0.0, (*f)[4] = tn_aligned_alloc(sizeof *f * (size_t)nodes);
    memset(f, 0, sizeof *f * (size_t)nodes);
    for (int n = 0; n < nodes; n++) {
        memcpy(p->x[n], rig->soft->rest + 3 * n, sizeof(double[3]));
        p->x[n][0] *= s;
        v3_set(p->y[n], along * rig->soft->rest[3 * n], 0.0, 0.0);
    }
    TnFemStep step = {.mesh = p->mesh,
                      .x = (const double(*)[4])p->x,
                      .y = (const double(*)[4])p->y,
                      .share = share,
                      .f = f,
                      .turns = p->turns};
    if (p->mesh->material.law == TN_FEM_NEO_HOOKEAN) {
        kernels->add_neo_hookean(&step, 0, p->mesh->batch_count);
    } else {
        kernels->turn(&step, 0, p->mesh->batch_count);
        kernels->add(&step, 0, p->mesh->batch_count);
    }
    *energy = kernels->energy(p->mesh, step.x, 0, p->mesh->batch_count, p->turns);
    for (int n = 0; n < nodes; n++) work += f[n][0] * rig->soft->rest[3 * n];
    tn_free(f);
    return work;
}

/* Flattening it takes more energy than a law with finite pressure asks for; force and stiffness are
 * what the energy says, where it is squeezed, flat and inside out. */
TEST(what_is_squeezed_stiffens)
{
    static const double shares[] = {0.8, 0.301, 0.299, 0.15, 0.02, -0.2};
    for (int kind = 0; kind < 2; kind++) {
        SoftRig rig;
        SoftSpec spec = soft_spec();
        double flat, rest, h = 1e-5;
        spec.law = kind ? TN_SOFT_NEO_HOOKEAN : TN_SOFT_COROTATIONAL;
        spec.mean_dilatation = false;
        REQUIRE(soft_rig_start(&rig, spec, 0.005));
        for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
            double s = shares[i], up, down, middle, curve;
            double force = squeeze(&rig, s, 1.0, 0.0, &middle);
            squeeze(&rig, s + h, 1.0, 0.0, &up);
            squeeze(&rig, s - h, 1.0, 0.0, &down);
            /* differences: h² of the third derivative, and rounding of the energies */
            double slope = (up - down) / (2.0 * h), noise = 1e-15 * middle / h;
            CHECK_NEAR(force, -slope, 1e-6 * fabs(slope) + 10.0 * noise);
            if (s < 0.0 || kind) continue; /* the stiffness is made positive */
            curve = (squeeze(&rig, s - h, 1.0, 0.0, &up) - squeeze(&rig, s + h, 1.0, 0.0, &down)) /
                    (2.0 * h);
            CHECK_NEAR(squeeze(&rig, s, 0.0, 1.0, &middle), curve, 1e-6 * fabs(curve));
        }
        double volume = rig.soft->mass / rig.soft->density;
        squeeze(&rig, 0.0, 1.0, 0.0, &flat);
        squeeze(&rig, 1.0, 1.0, 0.0, &rest);
        CHECK(flat - rest > 1.2 * spec.E * volume); /* ½ E of Hooke's law, 0.9 E of squeeze.h */
        soft_rig_end(&rig);
    }
}

TEST(turns_are_the_polar_factors)
{
    for (int hard = 0; hard < 2; hard++) {
        SoftRig rig;
        Result result;
        REQUIRE(disturbed(&rig, 0, hard ? 0.06 : 0.01));
        run_kernels(&rig, tn_fem_kernels(), &result);
        const TnPieceElements *p = &rig.elements->pieces[0];
        int inverted = 0;
        for (int e = 0; e < p->mesh->tet_count; e++) {
            const TnFemBatch *batch = &p->mesh->batches[e / TN_FEM_LANES];
            int l = e % TN_FEM_LANES;
            double F[9] = {0.0}, R[9], s[3];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int a = 1; a < 4; a++)
                        F[3 * i + j] += (p->x[batch->node[a][l]][i] - p->x[batch->node[0][l]][i]) *
                                        batch->inverse[3 * (a - 1) + j][l];
            tn_polar_one(F, R, NULL, s, NULL);
            inverted += s[2] < 0.0;
            for (int i = 0; i < 9; i++) /* R is as exact as s_1 + s_2 is away from zero */
                CHECK_NEAR(p->turns[e / TN_FEM_LANES].R[i][l], R[i],
                           1e-14 * (1.0 + s[0] / fabs(s[1] + s[2])));
        }
        CHECK(hard ? inverted > 10 : inverted == 0);
        end_result(&result);
        soft_rig_end(&rig);
    }
}

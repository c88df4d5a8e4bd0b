/* test_soft_assembly.c: the linear systems of mesh blocks against the law that they stand for, put
 * together densely and node by node. */
#include "soft_rig.h"

#include "fem_reference.h"

#include "subsystem/soft/elements.h"
#include "subsystem/soft/fem/fem.h"

/* The whole body's elements without a division. */
typedef struct Dense {
    TnFemMesh *mesh;
    TnFemPlace *places;
    double *patches;
    int n; /* 3 · nodes */
} Dense;

static bool dense_start(const SoftRig *rig, Dense *d)
{
    TnError err = {0};
    const TnSoft *soft = rig->soft;
    TnFemMeshDef def = {.node_count = soft->node_count,
                        .tet_count = soft->tet_count,
                        .rest = soft->rest,
                        .tets = soft->tets,
                        .patches = soft->patches,
                        .material = {.law = soft->law == TN_SOFT_NEO_HOOKEAN ? TN_FEM_NEO_HOOKEAN
                                                                             : TN_FEM_COROTATIONAL,
                                     .E = soft->youngs_modulus,
                                     .nu = soft->poisson_ratio,
                                     .density = soft->density,
                                     .mean_dilatation = soft->patch_count > 0}};
    d->mesh = tn_fem_mesh_create(&def, &err);
    if (!d->mesh) return false;
    d->places = tn_aligned_alloc(sizeof(TnFemPlace) * (size_t)d->mesh->batch_count);
    d->patches = malloc(sizeof(double) * (size_t)(tn_fem_scratch_count(d->mesh) + 1));
    d->n = 3 * soft->node_count;
    return d->places && d->patches;
}

static void dense_end(Dense *d)
{
    tn_fem_mesh_destroy(d->mesh);
    tn_free(d->places);
    free(d->patches);
}

/* Less K_σ u: what the tension of pulled elements does against turning them, with half the largest
 * sum of two principal stresses, bounded by mean and deviator, for all three axes. */
static void take_tension(const Dense *d, const double *u, double *f)
{
    const TnFemMaterial *m = &d->mesh->material;
    for (int k = 0; k < d->mesh->batch_count && m->law == TN_FEM_COROTATIONAL; k++) {
        const TnFemBatch *batch = &d->mesh->batches[k];
        TnFemPlace *at = &d->places[k];
        PlainTangent tangent = {.A = {{0.0}}};
        TnFemMatrix dF, dP;
        TnFemCorners corners;
        for (int l = 0; l < batch->count; l++) {
            double square = 0.0,
                   tr = at->polar.s[0][l] + at->polar.s[1][l] + at->polar.s[2][l] - 3.0;
            for (int i = 0; i < 9; i++) square += pow(at->F[i][l] - at->polar.R[i][l], 2);
            double bound = sqrt(fmax(2.0 / 3.0 * (square - tr * tr / 3.0), 0.0));
            double pull = 0.5 * (m->mu * (2.0 / 3.0 * tr + bound) + m->lambda * at->dilatation[l]);
            for (int i = 0; i < 3; i++) {
                tangent.own[i][l] = fmax(pull, 0.0);
                tangent.cross[i][l] = -fmax(pull, 0.0);
            }
        }
        tn_fem_gather(batch, u, corners);
        tn_fem_gradient(batch, corners, dF);
        plain_tangent_apply(at, &tangent, dF, dP);
        tn_fem_divergence(batch, dP, corners);
        for (int i = 0; i < 12 * batch->count; i++) {
            int l = i / 12, c = i % 12;
            f[3 * batch->node[c / 3][l] + c % 3] -= corners[c][l];
        }
    }
}

/* What the motion v̂ of the nodes leaves unbalanced: M (v̂ - start)/(θt) less all forces. */
static void residual(SoftRig *rig, Dense *d, const double *vhat, double *out)
{
    const TnSoft *soft = rig->soft;
    const double *x = soft_x(rig), *v = soft_v(rig), *end = rig->system.end;
    double t = rig->m.t, theta = rig->m.theta, w = rig->w;
    TnDynamicsInput in = motion_input(&rig->m);
    TnSoftWeights weights =
        tn_soft_weights(&in, soft, rig->elements->rates[0], w, rig->system.late);
    double beta = weights.share;
    size_t bytes = sizeof(double) * (size_t)d->n;
    double *f = calloc(1, bytes), *u = malloc(bytes), *Mu = malloc(bytes);
    tn_fem_place(d->mesh, x, d->places, d->patches);
    tn_fem_add_forces(d->mesh, d->places, f);
    for (int k = 0; k < d->n; k++) f[k] *= (1.0 - beta) / beta;
    tn_fem_place(d->mesh, end, d->places, d->patches);
    tn_fem_add_forces(d->mesh, d->places, f);
    for (int k = 0; k < d->n; k++) f[k] *= beta;
    /* where it gets to, and the damping's velocity: v⁺ here (strong damping, or w = 1) */
    for (int k = 0; k < d->n; k++) {
        double after = v[k] + (vhat[k] - v[k]) / theta;
        double x_end = x[k] + t * ((1.0 - w) * vhat[k] + w * after);
        bool pinned = soft->pinned[k / 3];
        u[k] = pinned ? 0.0 : beta * (x_end - end[k]);
    }
    plain_add_stiffness_product(d->mesh, d->places, -1.0, u, d->patches, f);
    take_tension(d, u, f);
    for (int k = 0; k < d->n; k++) u[k] = (vhat[k] - v[k]) / (theta * t);
    for (int h = 0; h < soft->hold_count; h++)
        for (int k = 0; k < 3; k++) {
            int n = 3 * soft->holds[h].node + k;
            u[n] = (vhat[n] - rig->system.holds[h].start[k]) / (theta * t);
        }
    for (int k = 0; k < d->n; k++) u[k] += soft->damping_mass * vhat[k]; /* weak: at v̂ */
    soft_momentum(rig, u, Mu);
    for (int k = 0; k < d->n; k++)
        out[k] = Mu[k] - f[k] - soft->masses[k / 3] * rig->model->option.gravity[k % 3] -
                 rig->forces[soft->dof_start + k];
    free(f);
    free(u);
    free(Mu);
}

/* out = A u - b of a block */
static void block_residual(const TnMeshBlock *block, const TnMeshSystem *s, const double *u,
                           double *out)
{
    for (int k = 0; k < 3 * block->node_count; k++) out[k] = -s->b[k];
    for (int n = 0; n < block->node_count; n++)
        for (int k = 0; k < 9; k++) out[3 * n + k / 3] += s->blocks[n][k] * u[3 * n + k % 3];
    for (int e = 0; e < block->edge_count; e++) {
        int i = block->edges[e][0], j = block->edges[e][1];
        const double *E = s->blocks[block->node_count + e];
        for (int k = 0; k < 9; k++) {
            out[3 * i + k / 3] += E[k] * u[3 * j + k % 3];
            out[3 * j + k % 3] += E[k] * u[3 * i + k / 3];
        }
    }
}

static void disturb(SoftRig *rig, double far, double speed)
{
    Random r = {99};
    for (int n = 0; n < rig->soft->node_count; n++)
        for (int k = 0; k < 3; k++) {
            if (rig->soft->pinned[n]) continue;
            soft_x(rig)[3 * n + k] += uniform(&r, -far, far);
            soft_v(rig)[3 * n + k] += uniform(&r, -speed, speed);
        }
    for (int d = 0; d < rig->soft->dof_start; d++) {
        rig->m.qpos[d] = uniform(&r, -0.5, 0.5);
        rig->m.qvel[d] = uniform(&r, -2.0, 2.0);
    }
    soft_forget(rig);
    for (int d = 0; d < rig->model->dof_count; d++) {
        rig->last[d] +=
            uniform(&r, -1.0, 1.0) * speed; /* a hit: nothing is known of what it does */
        if (d >= rig->soft->dof_start) rig->forces[d] = uniform(&r, -1.0, 1.0);
    }
    tn_kinematics(rig->model, rig->m.qpos, 0, rig->model->link_count, rig->m.frames);
}

/* All blocks' A u - b, brought together at the nodes, against `residual`. */
static void compare(SoftRig *rig)
{
    TnDynamicsInput in = motion_input(&rig->m);
    const TnSoft *soft = rig->soft;
    const TnDivision *d = &rig->division;
    Dense dense;
    Random r = {3};
    REQUIRE(dense_start(rig, &dense));
    soft_rig_assemble(rig, &in);
    REQUIRE(!rig->m.failed);
    double *vhat = calloc((size_t)dense.n, sizeof(double)),
           *want = malloc(sizeof(double) * (size_t)dense.n);
    double *got = calloc((size_t)dense.n + 256, sizeof(double)), tree_got[8] = {0.0},
           tree_u[8] = {0.0};
    int tree_dofs = soft->dof_start;
    for (int k = 0; k < tree_dofs; k++) tree_u[k] = uniform(&r, -1.0, 1.0);
    for (int k = 0; k < dense.n; k++) vhat[k] = soft->pinned[k / 3] ? 0.0 : uniform(&r, -1.0, 1.0);
    for (int h = 0; h < soft->hold_count && tree_dofs; h++)
        for (int k = 0; k < 3; k++) {
            double *v = &vhat[3 * soft->holds[h].node + k];
            *v = 0.0;
            for (int c = 0; c < tree_dofs; c++)
                *v += rig->system.holds[h].T[k * tree_dofs + c] * tree_u[c];
        }
    for (int p = 0; p < d->piece_count; p++) {
        const TnMeshBlock *block = &d->meshes[p];
        const TnSoftPiece *piece = &d->pieces[p];
        double *u = calloc(3 * (size_t)block->node_count, sizeof(double));
        double *own = calloc(3 * (size_t)block->node_count, sizeof(double));
        memcpy(u, tree_u, sizeof(double) * (size_t)tree_dofs);
        for (int a = 0; a < piece->node_count; a++)
            if (piece->block_node[a] >= 0)
                v3_copy(u + 3 * piece->block_node[a], vhat + 3 * piece->nodes[a]);
        block_residual(block, &rig->meshes[p], u, own);
        for (int a = 0; a < piece->node_count; a++)
            if (piece->block_node[a] >= 0)
                v3_add(got + 3 * piece->nodes[a], got + 3 * piece->nodes[a],
                       own + 3 * piece->block_node[a]);
        memcpy(tree_got, own, sizeof(double) * (size_t)tree_dofs);
        free(u);
        free(own);
    }
    residual(rig, &dense, vhat, want);
    double size = 0.0;
    for (int k = 0; k < dense.n; k++) size = fmax(size, fabs(want[k]));
    for (int n = 0; n < soft->node_count; n++) {
        bool held = soft->pinned[n];
        for (int h = 0; h < soft->hold_count && tree_dofs; h++) held |= soft->holds[h].node == n;
        for (int k = 3 * n; k < 3 * n + 3 && !held; k++)
            CHECK_NEAR(got[k], want[k], 1e-11 * size); /* roundings of sums of that size */
    }
    for (int c = 0; c < tree_dofs; c++) {
        double sum = -rig->trees->b[c];
        for (int k = 0; k < tree_dofs; k++) sum += rig->trees->A[c * tree_dofs + k] * tree_u[k];
        for (int h = 0; h < soft->hold_count; h++)
            for (int k = 0; k < 3; k++)
                sum +=
                    rig->system.holds[h].T[k * tree_dofs + c] * want[3 * soft->holds[h].node + k];
        CHECK_NEAR(tree_got[c], sum, 1e-11 * size);
    }
    free(vhat);
    free(want);
    free(got);
    dense_end(&dense);
}

TEST(a_block_says_what_the_law_says)
{
    for (int kind = 0; kind < 8; kind++) {
        SoftRig rig;
        SoftSpec spec = soft_spec();
        spec.cells[0] = 3;
        spec.gravity[1] = -9.0;
        spec.alpha = 0.5;
        spec.mean_dilatation = kind & 1;
        spec.consistent_mass = kind & 2;
        spec.law = kind & 1 ? TN_SOFT_COROTATIONAL : TN_SOFT_NEO_HOOKEAN;
        spec.pin = spec.arm = kind & 4;
        spec.E = kind == 3 ? 1e3 : 1e6; /* resolved: with the force at the start */
        REQUIRE(soft_rig_start(&rig, spec, kind == 3 ? 1e-3 : 5e-3));
        rig.w = 1.0;
        rig.alone =
            false; /* what free flight adds is seen in its angular momentum: test_soft_motion */
        disturb(&rig, 0.003, 0.3);
        compare(&rig);
        soft_rig_end(&rig);
    }
}

TEST(pieces_add_up_to_the_whole)
{
    SoftRig rig;
    SoftSpec spec = soft_spec();
    spec.piece_count = 2;
    spec.cells[0] = 4;
    spec.gravity[2] = -9.0;
    spec.pin = true;
    for (int consistent = 0; consistent < 2; consistent++) {
        spec.consistent_mass = consistent;
        REQUIRE(soft_rig_start(&rig, spec, 5e-3));
        CHECK(rig.division.pieces[0].node_count + rig.division.pieces[1].node_count ==
              rig.soft->node_count + 9); /* those of the plane between them twice */
        rig.w = 1.0;
        rig.alone =
            false; /* what free flight adds is seen in its angular momentum: test_soft_motion */
        disturb(&rig, 0.003, 0.3);
        compare(&rig);
        soft_rig_end(&rig);
    }
}

TEST(what_is_carried_moves_as_its_link_does)
{
    SoftRig rig;
    SoftSpec spec = soft_spec();
    spec.arm = true;
    REQUIRE(soft_rig_start(&rig, spec, 5e-3));
    disturb(&rig, 0.0, 0.0);
    TnDynamicsInput in = motion_input(&rig.m);
    soft_rig_assemble(&rig, &in);
    REQUIRE(rig.soft->hold_count == 9 && !rig.m.failed);
    const TnModel *model = rig.model;
    const TnSubsystem *sub = &model->subsystems[0];
    const TnSoftHold *hold = &rig.soft->holds[4];
    const TnSoftHoldMotion *motion = &rig.system.holds[4];
    double *qpos = malloc(sizeof(double) * (size_t)model->qpos_count), u[2], e = 1e-6;
    double place[8][3];
    tn_predict_velocity(2, rig.m.qvel, rig.last, u);
    /* the held point at q + h u, and there moved along each dof */
    double h[8] = {-e, e, in.t - e, in.t + e, 0.5 * in.t, 0.5 * in.t, 0.5 * in.t, 0.5 * in.t};
    for (int k = 0; k < 8; k++) {
        tn_integrate_qpos(model, sub, rig.m.qpos, u, h[k], qpos);
        if (k >= 4) qpos[(k - 4) / 2] += k % 2 ? e : -e;
        tn_kinematics(model, qpos, 0, model->link_count, rig.m.frames);
        m3_mul_v(place[k], rig.m.frames[hold->link].rot, hold->pos);
        v3_add(place[k], place[k], rig.m.frames[hold->link].pos);
    }
    for (int k = 0; k < 3; k++) {
        double before = (place[1][k] - place[0][k]) / (2.0 * e);
        double after = (place[3][k] - place[2][k]) / (2.0 * e), start = -0.5 * (after - before);
        for (int d = 0; d < 2; d++) {
            double T = (place[5 + 2 * d][k] - place[4 + 2 * d][k]) / (2.0 * e);
            CHECK_NEAR(motion->T[2 * k + d], T, 1e-9); /* differences of 1e-6: 1e-10 of rounding */
            start += T * rig.m.qvel[d];
        }
        CHECK_NEAR(motion->start[k], start, 4e-9);
    }
    free(qpos);
    soft_rig_end(&rig);
}

TEST(a_body_that_moves_rigidly_has_no_force)
{
    for (int kind = 0; kind < 4; kind++) {
        SoftRig rig;
        SoftSpec spec = soft_spec();
        spec.mean_dilatation = kind == 1;
        spec.law = kind == 2 ? TN_SOFT_NEO_HOOKEAN : TN_SOFT_COROTATIONAL;
        spec.tau = 0.001;
        spec.E = kind == 3 ? 1e3 : 1e6;
        double t = kind == 3 ? 1e-3 : 5e-3;
        REQUIRE(soft_rig_start(&rig, spec, t));
        rig.alone = false;
        double omega[3] = {8.0, -9.0, 16.0}, Q[9], quat[4] = {1.0}, turned[3];
        soft_spin(&rig, omega[0], omega[1], omega[2]);
        for (int k = 0; k < 3; k++) quat[1 + k] = 0.5 * t * omega[k];
        quat_normalize(quat);
        quat_to_m3(Q, quat);
        for (int n = 0; n < rig.soft->node_count; n++) { /* it turned so in the last step, too */
            const double *v = soft_v(&rig) + 3 * n;
            m3_tmul_v(turned, Q, v);
            for (int k = 0; k < 3; k++) rig.last[3 * n + k] = 0.5 * (v[k] + turned[k]);
        }
        TnDynamicsInput in = motion_input(&rig.m);
        soft_rig_assemble(&rig, &in);
        const TnMeshBlock *block = &rig.division.meshes[0];
        double *left = calloc(3 * (size_t)block->node_count, sizeof(double));
        block_residual(block, &rig.meshes[0], rig.system.expected, left);
        double scale = 0.0;
        for (int n = 0; n < block->node_count; n++)
            for (int k = 0; k < 9; k++) scale = fmax(scale, fabs(rig.meshes[0].blocks[n][k]));
        for (int n = 0; n < rig.soft->node_count; n++) {
            const double *v = soft_v(&rig) + 3 * n;
            for (int k = 0; k < 3; k++) {
                double inertia =
                    rig.soft->masses[n] / (0.5 * t) * (rig.system.expected[3 * n + k] - v[k]);
                /* roundings of the nodes' velocities times A */
                CHECK_NEAR(left[3 * n + k], inertia, 1e-14 * scale);
            }
        }
        free(left);
        soft_rig_end(&rig);
    }
}

static int colour_count(const TnSoftChunks *chunks)
{
    int count = 0;
    for (int i = 0; i < chunks->count; i++)
        if (chunks->list[i].colour >= count) count = chunks->list[i].colour + 1;
    return count;
}

TEST(chunks_of_one_colour_share_no_node)
{
    SoftRig rig;
    SoftSpec spec = soft_spec();
    v3_set(spec.half, 0.5, 0.1, 0.1);
    spec.cells[0] = 20;
    spec.cells[1] = spec.cells[2] = 4;
    spec.mean_dilatation = true;
    REQUIRE(soft_rig_start(&rig, spec, 5e-3));
    const TnSoftElements *all = rig.elements;
    const TnFemMesh *mesh = all->pieces[0].mesh;
    REQUIRE(mesh->patch_count > 0);
    const TnSoftChunks *lists[] = {&all->batches, &all->patches};
    int *owner = malloc(sizeof(int) * (size_t)rig.soft->node_count);
    for (int list = 0; list < 2; list++) {
        const TnSoftChunks *chunks = lists[list];
        CHECK(chunks->count >= 4 && colour_count(chunks) < chunks->count);
        for (int colour = 0; colour < colour_count(chunks); colour++) {
            for (int n = 0; n < rig.soft->node_count; n++) owner[n] = -1;
            for (int i = 0; i < chunks->count; i++) {
                const TnSoftChunk *chunk = &chunks->list[i];
                for (int k = chunk->first; k < chunk->last && chunk->colour == colour; k++) {
                    const int *nodes =
                        list ? mesh->patch_node + mesh->patch_start[k] : mesh->batches[k].node[0];
                    int count =
                        list ? mesh->patch_start[k + 1] - mesh->patch_start[k] : 4 * TN_FEM_LANES;
                    for (int c = 0; c < count; c++) {
                        CHECK(owner[nodes[c]] < 0 || owner[nodes[c]] == i);
                        owner[nodes[c]] = i;
                    }
                }
            }
        }
    }
    free(owner);
    soft_rig_end(&rig);
}

TEST(threads_change_nothing)
{
    SoftSpec spec = soft_spec();
    spec.cells[0] = 12;
    spec.cells[1] = spec.cells[2] = 4;
    spec.piece_count = 2; /* of several chunks each */
    double *kept = NULL;
    for (int threads = 1; threads <= 4; threads += 3) {
        SoftRig rig;
        REQUIRE(soft_rig_start(&rig, spec, 5e-3));
        rig.pool = tn_pool_create(threads);
        disturb(&rig, 0.003, 0.3);
        TnDynamicsInput in = motion_input(&rig.m);
        soft_rig_assemble(&rig, &in);
        size_t n =
            9 * (size_t)(rig.division.meshes[1].node_count + rig.division.meshes[1].edge_count);
        if (!kept) {
            kept = malloc(sizeof(double) * n);
            memcpy(kept, rig.meshes[1].blocks, sizeof(double) * n);
        } else {
            CHECK(memcmp(kept, rig.meshes[1].blocks, sizeof(double) * n) == 0);
        }
        tn_pool_destroy(rig.pool);
        soft_rig_end(&rig);
    }
    free(kept);
}

/* By plain C, which takes an SVD of each element where the kernels iterate; in two pieces, of
 * several chunks each, and with threads. */
TEST(energies_are_those_of_single_elements_for_any_number_of_threads)
{
    for (int kind = 0; kind < 3; kind++) {
        SoftRig rig;
        SoftSpec spec = soft_spec();
        spec.cells[0] = 12;
        spec.cells[1] = spec.cells[2] = 4;
        spec.piece_count = 2;
        spec.mean_dilatation = kind == 1;
        if (kind == 2) spec.law = TN_SOFT_NEO_HOOKEAN;
        REQUIRE(soft_rig_start(&rig, spec, 5e-3));
        disturb(&rig, 0.003, 0.3);
        const double *x = rig.m.qpos + rig.soft->qpos_start;
        double expected = 0.0, one = tn_soft_energy(rig.elements, rig.model, 0, rig.m.qpos), many;
        for (int i = 0; i < rig.elements->piece_count; i++) {
            const TnPieceElements *p = &rig.elements->pieces[i];
            double *own = malloc(sizeof(double[3]) * (size_t)p->piece->node_count);
            for (int a = 0; a < p->piece->node_count; a++)
                memcpy(own + 3 * a, x + 3 * p->piece->nodes[a], sizeof(double[3]));
            tn_fem_place(p->mesh, own, p->places, p->patches);
            expected += tn_fem_add_forces(p->mesh, p->places, NULL);
            free(own);
        }
        CHECK_NEAR(one, expected, 1e-11 * expected); /* roundings of 3000 elements */
        int32_t asleep[2] = {0, 0};
        for (int threads = 1; threads <= 4; threads++) {
            TnPool *pool = tn_pool_create(threads);
            tn_soft_energies(rig.elements, rig.model, rig.m.qpos, asleep, &many, pool);
            CHECK(many == one);
            tn_pool_destroy(pool);
        }
        asleep[rig.soft->subsystem] = 1;
        tn_soft_energies(rig.elements, rig.model, rig.m.qpos, asleep, &many, NULL);
        CHECK(many == 0.0);
        soft_rig_end(&rig);
    }
}

TEST(without_memory_there_is_an_error_and_nothing_is_left)
{
    SoftRig rig;
    SoftSpec spec = soft_spec();
    spec.mean_dilatation = spec.arm = spec.pin = true;
    REQUIRE(soft_rig_start(&rig, spec, 5e-3));
    bool done = false;
    for (long calls = 0; calls < 1000 && !done; calls++) {
        TnError err = {0};
        tn_malloc_fail_after(calls);
        TnSoftElements *elements = tn_soft_elements_create(rig.model, &rig.division, &err);
        tn_malloc_fail_after(-1);
        CHECK(elements || err.message[0]);
        done = elements != NULL;
        tn_soft_elements_destroy(elements);
    }
    CHECK(done);
    soft_rig_end(&rig);
}

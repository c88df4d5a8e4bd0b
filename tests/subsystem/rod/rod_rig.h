/* rod_rig.h: a straight rod for tests, made by hand: free bodies from the builder, turned into one
 * subsystem; and a stepper without contacts. Segments may be held or driven (a stiff pull on their
 * velocity) and loaded (wrench). */
#ifndef TN_TESTS_ROD_RIG_H
#define TN_TESTS_ROD_RIG_H

#include "../motion.h"

#include "math/chain.h"
#include "subsystem/rod/rod.h"

/* A round rod of circular cross-section, clamped ends half a segment short: n segments of length l.
 */
typedef struct RodSpec {
    int n;
    double length, diameter, density, E, nu, damping_time;
    double gravity[3];
} RodSpec;

typedef struct Rig {
    RodSpec spec;
    TnModel *model;
    TnModel shown; /* a copy with the rod in it; shares the arrays of `model` */
    TnSubsystem sub;
    TnRod rod;
    Motion m;
    TnRodSystem system;
    const int *cuts; /* joints that are bonds */
    int cut_count;
    double *vhat;
    TnChain line;       /* of the segments */
    bool *driven;       /* per segment */
    double (*drive)[6]; /* its v⁺ */
    double work;        /* done by the drives so far */
    bool failed;
} Rig;

static inline double rod_area(const RodSpec *s) { return M_PI * s->diameter * s->diameter / 4.0; }
static inline double rod_bend(const RodSpec *s)
{
    return s->E * M_PI * pow(s->diameter, 4.0) / 64.0;
}
static inline double rod_twist(const RodSpec *s)
{
    return s->E / (2.0 * (1.0 + s->nu)) * M_PI * pow(s->diameter, 4.0) / 32.0;
}

/* Along x, first segment's centre at the origin. */
static inline bool plan_line(TnChain *line, int n)
{
    int *dims = calloc((size_t)n, sizeof *dims);
    int(*edges)[2] = calloc((size_t)n, sizeof *edges);
    for (int i = 0; dims && edges && i < n; i++) {
        dims[i] = 6;
        edges[i][0] = i;
        edges[i][1] = i + 1;
    }
    bool ok = dims && edges && tn_chain_plan(line, n, dims, n - 1, (const int(*)[2])edges);
    free(dims);
    free(edges);
    return ok;
}

static inline bool rig_start(Rig *rig, RodSpec spec, double t)
{
    *rig = (Rig){.spec = spec};
    int n = spec.n;
    double l = spec.length / n, r = spec.diameter / 2.0, A = rod_area(&spec);
    double mass = spec.density * A * l, across = mass * (r * r / 4.0 + l * l / 12.0);
    TnModelBuilder *builder = start(spec.gravity[0], spec.gravity[1], spec.gravity[2]);
    for (int i = 0; i < n; i++) {
        TnBodyDef def = tn_body_def();
        v3_set(def.pos, i * l, 0.0, 0.0);
        double y[3] = {0.0, 1.0, 0.0};
        quat_from_axis_angle(def.quat, y, M_PI / 2.0);
        def.has_inertia = true;
        def.mass = mass;
        v3_set(def.inertia, across, across, mass * r * r / 2.0);
        TnJointDef joint = joint_on(tn_builder_add_body(builder, &def), TN_JOINT_FREE, 0, 0, 1);
        tn_builder_add_joint(builder, &joint);
    }
    rig->model = finish(builder);
    if (!rig->model) return false;
    rig->rod = (TnRod){.link_start = 1, .segment_count = n, .damping_time = spec.damping_time};
    rig->rod.joints = calloc((size_t)n, sizeof(TnRodJoint));
    double G = spec.E / (2.0 * (1.0 + spec.nu));
    for (int j = 0; j + 1 < n; j++) {
        double k[6] = {0.9 * G * A / l,     0.9 * G * A / l,     spec.E * A / l,
                       rod_bend(&spec) / l, rod_bend(&spec) / l, rod_twist(&spec) / l};
        memcpy(rig->rod.joints[j].k, k, sizeof k);
        rig->rod.joints[j].rest[2] = l;
    }
    rig->shown = *rig->model;
    rig->sub = (TnSubsystem){.kind = TN_SUBSYSTEM_ROD,
                             .link_start = 1,
                             .link_count = n,
                             .dof_count = 6 * n,
                             .qpos_count = 7 * n};
    rig->shown.subsystems = &rig->sub;
    rig->shown.subsystem_count = 1;
    rig->shown.rigid_count = 0;
    rig->shown.rod_count = 1;
    rig->shown.rods = &rig->rod;
    rig->m = motion_start(&rig->shown, t);
    rig->vhat = calloc((size_t)(6 * n), sizeof(double));
    rig->driven = calloc((size_t)n, sizeof(bool));
    rig->drive = calloc((size_t)n, sizeof *rig->drive);
    return plan_line(&rig->line, n);
}

static inline void rig_end(Rig *rig)
{
    tn_chain_free(&rig->line);
    if (rig->failed) test_fail(__FILE__, __LINE__, "a step of a rod could not be assembled");
    motion_end(&rig->m);
    free(rig->rod.joints);
    free(rig->vhat);
    free(rig->driven);
    free(rig->drive);
    tn_model_destroy(rig->model);
}

static inline void rig_step(Rig *rig)
{
    Motion *m = &rig->m;
    int n = rig->spec.n;
    TnDynamicsInput in = motion_input(m);
    tn_arena_reset(&m->arena);
    tn_kinematics(&rig->shown, m->qpos, 0, n + 1, m->frames);
    rig->system =
        (TnRodSystem){.cuts = rig->cuts, .cut_count = rig->cut_count, .whole = &rig->line};
    if (!tn_rod_assemble(&in, &rig->sub, m->frames, 0.0, &m->arena, &rig->system) ||
        !tn_rod_join(&rig->system, &m->arena)) {
        rig->failed = true;
        return;
    }
    TnRodSystem *s = &rig->system;
    tn_rod_solve_whole(s, NULL, s->v_free);
    memcpy(rig->vhat, s->v_free, sizeof(double) * (size_t)(6 * n));
    bool any = false;
    for (int i = 0; i < n; i++) any |= rig->driven[i];
    if (any) {
        double *D = TN_ARENA_NEW(&m->arena, double, 36 * n),
               *E = TN_ARENA_NEW(&m->arena, double, 36 * n),
               *y = TN_ARENA_NEW(&m->arena, double, 6 * n);
        memcpy(D, s->D, sizeof(double) * (size_t)(36 * n));
        memcpy(E, s->E, sizeof(double) * (size_t)(36 * (n - 1)));
        memcpy(rig->vhat, s->b, sizeof(double) * (size_t)(6 * n));
        for (int i = 0; i < n; i++)
            for (int k = 0; rig->driven[i] && k < 6; k++) {
                double huge = 1e6 * (D[36 * i + 7 * k] + s->segments[i].mass_rate);
                D[36 * i + 7 * k] += huge;
                rig->vhat[6 * i + k] +=
                    huge * ((1.0 - m->theta) * s->segments[i].v[k] + m->theta * rig->drive[i][k]);
            }
        if (!tn_chain_factor(&rig->line, D, E)) {
            rig->failed = true;
            return;
        }
        tn_chain_solve(&rig->line, D, E, rig->vhat);
        tn_chain_multiply(&rig->line, s->D, s->E, rig->vhat, y);
        for (int i = 0; i < n; i++)
            for (int k = 0; rig->driven[i] && k < 6; k++)
                rig->work += m->t * (y[6 * i + k] - s->b[6 * i + k]) * rig->vhat[6 * i + k];
    }
    if (any) s->alone = false; /* who drives a segment takes momentum */
    tn_rod_advance(&in, &rig->sub, m->frames, s, rig->vhat, 1.0, m->qpos, m->qvel);
    tn_kinematics(&rig->shown, m->qpos, 0, n + 1, m->frames);
}

static inline double rig_kinetic(const Rig *rig)
{
    TnEnergy e = tn_model_energy(rig->model, rig->m.qpos, rig->m.qvel, rig->m.frames);
    return e.kinetic;
}
static inline double rig_elastic(const Rig *rig)
{
    return tn_rod_energy(&rig->shown, &rig->sub, rig->m.frames);
}
static inline void rig_hold(Rig *rig, int segment) { rig->driven[segment] = true; }

#endif

/* gpu.h: one large scene on a device. The host owns the model; the device owns the state of the
 * free bodies while it steps, and hands it back on request. Robots and cables stay with the host,
 * which assembles and advances them; the device has their geoms and solves their equations with the
 * rest. none.c stands for it in builds without CUDA. */
#ifndef TN_GPU_GPU_H
#define TN_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TnModel;
struct TnCollider;
struct TnContactPoint;
typedef struct TnGpuScene TnGpuScene;

/* ---- what the host assembles: robots, cables, mocap bodies ---- */

/* A scalar row: lower <= λ <= upper, or soft as TnRow has it (solver/problem.h). */
typedef struct TnGpuRow {
    double e, lower, upper, k, alpha;
    double scale, lever; /* of its weight; m/s per unit of J v */
    double lambda;       /* the first guess, then what was found */
    int soft, pad;
} TnGpuRow;

/* Those that rows join, solved together as one full matrix. The host writes its equations of each
 * step, A v̂ = A v_free + Tᵀ F + Jᵀλ; the device finds v̂ and λ. */
typedef struct TnGpuGroup {
    int dim;                    /* unknowns */
    int first_link, link_count; /* of TnGpuCarried.links */
    int row_room;               /* rows that it may have */
    int row_count;
    double *A, *v_free, *v; /* dim × dim, dim, dim; v: the first guess, then v̂ */
    double *J;              /* row_count × dim */
    TnGpuRow *rows;
    /* A soft body: dim is room for the unknowns of a step, it has ports and no links, and v_free is
     * A v_free */
    bool soft;
    int used; /* then: unknowns of the step, three of each node in contact */
} TnGpuGroup;

typedef struct TnGpuLink {
    int link;         /* of the model */
    int start, count; /* its twist depends on these unknowns of its group; none: it does not move */
    double *T;        /* of a step: 6 × count */
} TnGpuLink;

/* A point of a soft body in a contact: Σ weight · v of nodes. Those of a step are bodies behind the
 * links, with one contact each. */
typedef struct TnGpuPort {
    int group, count;        /* nodes that move */
    int node[3];             /* of the group's unknowns: three of each */
    int contact, second;     /* of TnGpuCarried.given; its second side */
    int pad;                 /* to eight bytes */
    double weight[3];        /* of the nodes */
    double start[3], end[3]; /* m/s: at the step's start, and as predicted at its end */
    double size;             /* m: of the body, as TnLink.lever */
} TnGpuPort;

/* A free body that may touch a soft one in the step. */
typedef struct TnGpuNear {
    int link, pad;
    double frame[19], twist[6]; /* as TnGpuCarried.frames, end_twists */
} TnGpuNear;

#define TN_GPU_FRAME 19 /* numbers of a place: pos, quat, rot, com as in TnLinkFrame */
#define TN_GPU_LISTED                                                                              \
    1 /* of TnGpuCarried.seen: the link has contacts; the free motion closes one */
#define TN_GPU_CLOSES 2

/* Links of groups, in the order of the groups, and behind them the mocap bodies. */
typedef struct TnGpuCarried {
    int group_count, link_count, mocap_count;
    TnGpuGroup *groups;
    TnGpuLink *links; /* link_count + mocap_count */
    /* of a step, per link: */
    double (*frames)[TN_GPU_FRAME], (*twists)[6], (*end_twists)[6];
    double (*moved)[6]; /* it moves by t times this */
    const int *seen;    /* after collision */
    const int *pushed;  /* by a contact, after a solve */
    /* of a step with soft bodies: */
    int soft_count, port_room, given_room;
    double (*boxes)[6];    /* m, per soft body: where it may be in the step, low and high */
    const TnGpuNear *near; /* after collision: what may touch them */
    int near_count;
    int port_count, given_count;
    TnGpuPort *ports;
    struct TnContactPoint *given; /* contacts of soft bodies; soft1 and soft2 are ports */
    const int *soft_pushed;       /* per group, after a solve */
    /* The host's part of a step, in this order; false: the step is refused. */
    void *user;
    bool (*begin)(void *user);             /* writes places */
    bool (*touch)(void *user);             /* finds contacts of soft bodies; NULL: there are none */
    bool (*write)(void *user, bool again); /* equations; `again`: from what was found */
    /* Whether `seen`, or what was found, makes other equations, to be written again. NULL where it
     * never does. */
    bool (*minds)(void *user);
    bool (*replan)(void *user, bool *changed);
    bool (*check)(void *user, bool *changed); /* of what was found; writes `moved` */
    bool (*end)(void *user);                  /* takes the new state over */
} TnGpuCarried;

typedef struct TnGpuDef {
    double t, theta; /* s, as the world's */
    double stabilization;
    const double *radius; /* per link, m: no point of it is farther from its com */
    int iterations;       /* of SubADMM: exactly, or with a tolerance at most */
    double tolerance;     /* of gravity × t; 0: none */
    double weight_scale, over_relaxation;
    double contact_ratio; /* contacts yield by 1/ratio of their compliance; 0: they are rigid */
    double warm_start;    /* share of the last forces */
    bool float64;         /* forces and velocities of the iteration; the rest always is */
    /* Dimensions and callbacks are set; the scene gives it memory, for its own lifetime. NULL: none
     */
    TnGpuCarried *carried;
} TnGpuDef;

typedef struct TnGpuReport {
    int pair_count, contact_count;
    int iterations;
    int passes;                               /* solves: more than one where contacts were missed */
    int missed;                               /* contacts that joined the list */
    double error;                             /* of the natural map, shares of gravity × t */
    double rigid_error;                       /* by the laws of rigid contacts */
    double mean_penetration, max_penetration; /* m, at the step's start */
    bool finite;                              /* false: the step was refused */
} TnGpuReport;

typedef struct TnGpuInfo {
    char name[128];
    size_t memory;    /* bytes */
    int major, minor; /* compute capability */
} TnGpuInfo;

/* False: *err says why there is none. */
bool tn_gpu_info(TnGpuInfo *info, TnError *err);
/* NULL: *err says why. The collider is that of the same model; both are only read, now. */
TnGpuScene *tn_gpu_create(const struct TnModel *model, const struct TnCollider *collider,
                          const TnGpuDef *def, TnError *err);
void tn_gpu_destroy(TnGpuScene *scene); /* NULL is allowed */
/* Whole-model arrays. `forget`: the last step's forces, too. */
bool tn_gpu_put(TnGpuScene *scene, const double *qpos, const double *qvel, bool forget,
                TnError *err);
bool tn_gpu_get(TnGpuScene *scene, double *qpos, double *qvel, TnError *err);
/* Per link; NULL: none, from the next step on. */
bool tn_gpu_put_wrench(TnGpuScene *scene, const double (*wrench)[6], TnError *err);
/* Contacts of the last step, as many as it reported, and the forces on geom2, N. */
bool tn_gpu_contacts(TnGpuScene *scene, struct TnContactPoint *points, double (*force)[3],
                     TnError *err);
/* False: the device failed, *err says how; what it holds is lost. A step whose result would not be
 * finite is true with finite = false, and the state is that before it. */
bool tn_gpu_step(TnGpuScene *scene, TnGpuReport *report, TnError *err);

#ifdef __cplusplus
}
#endif
#endif

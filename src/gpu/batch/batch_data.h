/* batch_data.h: many worlds on the device, and one of them in the hands of a block.
 *
 * `Worlds` has what all share, and arrays with a row per world: states, parameters, the last
 * forces. `World` is a step of one of them: places in a part of device memory that is the world's
 * for this step. What each iteration reads, `Fast`, is copied to shared memory where it fits. */
#ifndef TN_GPU_BATCH_DATA_H
#define TN_GPU_BATCH_DATA_H

#include "../contacts.h"
#include "../iterate.h"
#include "../judge.h"
#include "../robot/robot_data.h"
#include "batch_block.h"

namespace tn
{

/* Of a world's last step. */
struct WorldReport {
    int contact_count, iterations;
    double error, rigid_error, mean_penetration, max_penetration;
};

/* What steps leave for the host. */
struct Summary {
    int left;                          /* steps to go, of the world that has most */
    int pairs_needed, contacts_needed; /* by one world */
};

struct Worlds {
    int count;
    /* the model; equal for all */
    const TnModel *model;
    const TnCollider *collider; /* its slots and places are copied to each block */
    const TnSurface *surfaces;  /* per geom */
    const int *body_link, *link_body;
    /* of the model and its collider */
    const TnLink *links;
    const TnSlot *slots;
    const TnSlotLocal *locals;
    const TnShape *shapes;
    const TnTransform *places;
    int fixed_start;
    const int *body_qpos, *body_dof;  /* of free bodies: places in the rows; */
    const int *body_slot, *slot_list; /* parts of a list of their slots */
    const uint16_t *slot_body;        /* body_count: one that does not move freely */
    int free_count;                   /* free bodies come first, then links of robots */
    int body_count, link_count, geom_count, slot_count, finite_count, moving_count;
    int qpos_count, dof_count, mocap_count, subsystem_count;
    const uint32_t *may_meet; /* per moving slot and segment: what it may meet at all */
    bool only_with_spheres;   /* one of each pair is a sphere; two only if both move freely */
    bool only_plain;          /* and the other one is one that moves freely, or a plane */
    Robots robots;
    int pair_room, contact_room, segments;  /* segments: of 32 slots */
    double theta, per_theta, stabilization; /* per_theta: 1/θ */
    double weight_scale, alpha, ratio, warm_start, tolerance;
    int iterations, passes; /* passes: of robots, as TnDynamicsInput */
    /* per world */
    double *time, *qpos, *qvel;
    double *mocap, *mocap_target; /* 7 per mocap body */
    uint8_t *diverged;
    const uint8_t *mask;     /* NULL: none rests */
    int *left;               /* steps to go */
    double *gravity, *t;     /* 3, 1 */
    TnLink *own_links;       /* link_count; NULL: the model's */
    TnSurface *own_surfaces; /* geom_count; NULL: the model's */
    WorldReport *reports;
    /* last forces: of contacts in the order of their first geoms */
    int *old_first, *old_end; /* geom_count */
    uint64_t *old_key;        /* contact_room */
    double *old_lambda;       /* contact_room × 3 */
    Summary *summary;
    char *scratch;                  /* of worlds first … first + at_once - 1 */
    size_t scratch_size, fast_size; /* bytes per world */
    size_t fast_robots;             /* of the latter: of robots, without levers */
    int first, at_once;
    bool fast_is_shared;                /* there is shared memory for */
    int shared_contacts, shared_levers; /* so many of a world, in so many */
    size_t shared_size;                 /* bytes; worlds that have more iterate in device memory */
    /* worlds that stay on the chip: chip_data.h */
    int chip_threads, chip_contacts, chip_pairs, chip_pushes;
    size_t chip_size; /* bytes per world */
};

/* Whether a world has a step to take. */
TN_DEVICE inline bool is_on(const Worlds &b, int w)
{
    return w < b.count && !(b.mask && !b.mask[w]) && !b.diverged[w] && b.left[w] > 0;
}

/* As Ends. */
struct Ends16 {
    short a, b;
};

/* A body in the iteration. */
template <class R> struct IterBody {
    R Hinv[21], A[7], g[6];
};

/* What a step of a world begins with, how far it got and how good it is. */
struct WorldHead {
    int index;
    double t, gravity_size, ratio, alpha;
    int pair_count, other_count, contact_count;
    bool bad, stuck;
    /* as bits of doubles >= 0; depths in TN_DEPTH_UNIT */
    unsigned long long worst, worst_rigid, deepest, depths, deep;
    int iterations;
};

/* What does not depend on the iteration's numbers. */
struct WorldBase : WorldHead {
    int pair_room, contact_room; /* that it has here */
    TnModel *model;
    TnCollider *collider;
    TnDetection *detection;
    TnDynamicsInput *dynamics;
    TnSlot *slots;
    TnTransform *place;
    TnBounds *bounds;
    TnLinkFrame *frames;
    double (*twists)[6], (*end_twists)[6];
    TnRigidSystem *systems;
    double *inverse; /* per body: 1/a, S⁻¹ */
    double *v_end;   /* v_λ, 6 per body */
    int *pushed;     /* per body */
    uint32_t *masks; /* per row of slots and segment: which of 32 may meet it */
    int *mask_start; /* their pairs */
    int *pair1, *pair2, *pair_start, *others; /* others: pairs that are not only of spheres */
    TnContactPoint *points;                   /* in the order of the pairs */
    double *shift, *give;                     /* 3 per contact, as in Base */
    double *yield, *start_beta;
    double *next_qpos, *next_qvel;
    RobotWorld robot;
};

/* What each iteration reads. */
template <class R> struct Fast {
    typedef typename Vec4<R>::type V;
    V *v, *spin; /* per free body, linear and angular; apart, so that fewer share a bank */
    V *arm_a, *arm_b, *normal, *total, *trial, *lambda;
    Ends16 *ends;
    int *side_start; /* per body */
    uint16_t *sides; /* contact · 2 + (1: as b) */
    RobotFast<R> fast_robot;
};

/* Its memory begins with it, so the rest is aligned as it is. */
template <class R> struct alignas(16) World : WorldBase, Fast<R> {
    IterBody<R> *bodies;
    int *side_fill; /* per body */
    bool is_shared; /* Fast is in shared memory */
};

#ifdef __CUDACC__
extern __shared__ __align__(16) char fast_memory[];
#endif

/* What the engine's routines read, and the state at the end. */
TN_DEVICE_AND_HOST inline void lay_out_base(const Worlds &b, WorldBase &s, Cursor &c)
{
    size_t n = (size_t)b.body_count, links = (size_t)b.link_count, slots = (size_t)b.slot_count;
    c.take(s.model, 1);
    c.take(s.collider, 1);
    c.take(s.detection, 1);
    c.take(s.dynamics, 1);
    c.take(s.slots, slots);
    c.take(s.place, slots);
    c.take(s.frames, links);
    c.take(s.twists, links);
    c.take(s.end_twists, links);
    c.take(s.systems, n);
    c.take(s.inverse, 7 * n);
    c.take(s.v_end, 6 * n);
    c.take(s.pushed, n);
    c.take(s.next_qpos, (size_t)b.qpos_count);
    c.take(s.next_qvel, (size_t)b.dof_count);
}

template <class R> TN_DEVICE_AND_HOST void lay_out(const Worlds &b, World<R> &s, Cursor &c)
{
    size_t n = (size_t)b.body_count, pairs = (size_t)b.pair_room, points = (size_t)b.contact_room,
           rows = (size_t)b.moving_count * (size_t)b.segments;
    lay_out_base(b, s, c);
    c.take(s.bounds, (size_t)b.slot_count);
    c.take(s.masks, rows);
    c.take(s.mask_start, rows + 1);
    c.take(s.pair1, pairs);
    c.take(s.pair2, pairs);
    c.take(s.pair_start, pairs + 1);
    c.take(s.others, pairs);
    c.take(s.points, points);
    c.take(s.shift, 3 * points);
    c.take(s.give, 3 * points);
    c.take(s.yield, 2 * points);
    c.take(s.start_beta, 4 * points);
    c.take(s.bodies, n);
    c.take(s.side_fill, n);
    lay_out_robots(b.robots, b.dof_count, b.subsystem_count, s.robot, c);
}

/* Levers that all contacts of a world may have. */
TN_DEVICE_AND_HOST inline int lever_room(const Worlds &b)
{
    return 2 * b.contact_room * b.robots.chain_most;
}

/* For so many contacts and levers. */
template <class R>
TN_DEVICE_AND_HOST void lay_out_fast(const Worlds &b, int contacts, int levers, Fast<R> &s,
                                     Cursor &c)
{
    size_t n = (size_t)b.body_count, points = (size_t)contacts;
    lay_out_fast_robots<R>(b.robots, s.fast_robot,
                           c); /* first: solve_steps copies them in one piece */
    lay_out_levers<R>(b.robots, points, (size_t)levers, s.fast_robot.levers, c);
    c.take(s.v, (size_t)b.free_count);
    c.take(s.spin, (size_t)b.free_count);
    c.take(s.arm_a, points);
    c.take(s.arm_b, points);
    c.take(s.normal, points);
    c.take(s.total, points);
    c.take(s.trial, points);
    c.take(s.lambda, points);
    c.take(s.ends, points);
    c.take(s.side_start, n + 1);
    c.take(s.sides, 2 * points);
}

} // namespace tn
#endif

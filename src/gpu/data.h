/* data.h: what a scene has on the device. `Base` is of doubles and integers, whatever the iteration
 * runs in; `View` adds the iteration's numbers of type R. Both are copied to each kernel. */
#ifndef TN_GPU_DATA_H
#define TN_GPU_DATA_H

#include "gpu.h"
#include "shared.h"

namespace tn
{

#define TN_LEVELS 4         /* grids of different cells; what is larger is tested against all */
#define TN_FEW_MAX 64       /* those */
#define TN_PARTNERS 16      /* of one lane of a geom that are kept from counting to listing */
#define TN_CELL_BITS 8      /* of a cell's key, per axis, at most */
#define TN_PARTS 3          /* of a list of contacts: foreseen, missed at first, missed then */
#define TN_ARRIVED_COUNT 64 /* of barriers; in another line, of pieces that do not fit */
#define TN_MISFITS 32
#define TN_EMPTY 0xffffffffu

/* What a step leaves for the host. */
struct Lists {
    int pair_count, contact_count;
    /* contacts that were foreseen; behind them those that were missed at first, and then others */
    int base_count, second_start;
    int solved; /* those that have forces of this step */
    int passes; /* in which some were missed */
    int pairs_needed, contacts_needed;
    int kept;        /* places taken in Base.kept */
    int given_start; /* of the contacts of soft bodies */
    int box_count, near_count, closed_count, far_count, hard_count,
        again_count; /* in Base.boxes, … */
};
#define TN_SUMS 64          /* counters of one sum, so that threads seldom wait for each other */
#define TN_DEPTH_UNIT 1e-12 /* m: whole numbers have the same sum in any order */
struct Judged {
    unsigned long long worst, worst_rigid, deepest; /* as bits of doubles >= 0 */
    unsigned long long depths[TN_SUMS];             /* in TN_DEPTH_UNIT, */
    unsigned long long deep[TN_SUMS];               /* of so many contacts */
    int bad;                                        /* a number that is not finite */
    int surprised[2], moves;
};
struct Look {
    int pair_count, pairs_needed, contacts_needed, missed;
    int kept;
};
struct Outcome {
    Lists lists;
    Judged judged;
    Look look;
};

/* Bounds that are read in two loads. */
struct alignas(16) Box : TnBounds {
};

/* Of a body over a step (balance.h), J. */
struct alignas(16) EnergyAccount {
    double before, after; /* kinetic */
    double fall;          /* change of its potential energy */
    double work;          /* of applied forces */
};
/* Per group: kinetic energy behind the step; what was made, energies involved, what undoing
 * overlaps gave, what friction took; what it owes, what there was to take, mass. */
#define TN_ENERGY_SUMS 8

/* Of a step, from the host. */
struct SoftHead {
    int port_count, given_count;
};

#define TN_SIDE_SUMS 27 /* numbers that are summed up over a link's contacts, at most */

/* Robots and cables that rows join (carried_solve.h), or a soft body (carried_soft.h); in double.
 */
struct Group {
    int dim, first_link, link_count, row_room;
    bool soft;
    int first_node;  /* of a soft body's nodes, three unknowns each, in Base.user_start */
    const double *b; /* its A v_free; */
    double *free;    /* v_free, which the device finds */
    /* of a step, from the host */
    const int *row_count;
    const double *A, *v_free, *start, *J;
    const TnGpuRow *rows;
    /* what the device makes of it */
    double *A_inverse, *H_inverse;
    double *g, *v; /* v less v_free */
    double *x, *y; /* scratch */
    double *F, *K; /* per link: wrench, and 6 × 6 weights of its contacts */
    double *KT, *sums, *tally, *twists;
    double *products, *panel;               /* of large ones */
    double *trial, *weight, *yield, *shift; /* per row: t, B, D, e with J v_free */
    double *vhat, *lambda;                  /* found */
};

struct CarriedLink {
    int link, group, start, count;
    const double *T; /* 6 × count */
};

struct Base {
    TnModel *model;
    TnCollider *collider;
    /* of the free motion and of the one that was found; the second of each: of shapes that are no
     * spheres */
    TnDetection *detection[2], *found[2];
    TnDynamicsInput *dynamics, *next_dynamics;
    int body_count, link_count, geom_count, slot_count, finite_count, moving_count;
    int pair_room, contact_room, look_room;
    double t, theta, stabilization, gravity_size, slack;
    double gravity[3];
    double weight_scale, alpha, ratio, warm_start;
    bool remembers; /* contacts yield about the forces of this step (contacts.h) */
    int level_count, few_count;
    float per_cell[TN_LEVELS];
    int last_slot[TN_LEVELS]; /* the highest */
    const int *few;           /* slots in no grid */
    const int *level;         /* per slot; -1: in no grid */
    const int *body_link;     /* per body */
    const int *link_body;     /* per link; -1: none */
    const int *slot_body;     /* per slot; -1: none */
    const int *first_slot;    /* per body: the slot that tells where it is; -1: none */
    bool one_each;            /* each body has one geom, and nothing else is in a grid */
    bool balls;               /* nothing but balls moves (balls.h) */
    const double *radius;     /* per link */
    /* of bodies: planes of mass, com, principal inertia and its axes; places in qpos and qvel */
    const double *body_mass;
    const int *body_qpos, *body_qvel;
    double *qpos, *qvel, *next_qpos, *next_qvel;
    TnLinkFrame *frames;
    double (*twists)[6], (*end_twists)[6], (*moved)[6]; /* per link */
    double (*wrench)[6];
    uint8_t *marks; /* per link: bit k: it is surprised as seen in way k */
    TnRigidSystem *systems;
    /* broad phase */
    int cell_bits, cell_count;      /* of all grids, with one for those in none, and an end */
    int *cell_members, *cell_start; /* per cell */
    int *keys, *nth;                /* per slot: its cell, and which one of it */
    int *slots_in, *sorted_slots;   /* by cell, in any order there and in the right one */
    Box *members;
    int *reach;          /* [TN_LEVELS][3], bits of floats */
    int lanes;           /* threads that look for the partners of one geom */
    int *partners;       /* TN_PARTNERS planes of these */
    struct Order *order; /* in_order.h */
    int *pair1, *pair2;
    int *pair_points, *pair_start, *pair_kept;
    /* pairs: of two boxes, those of them that are near and stay, those with a closed form, those
     * of them that move far, those for the general way, and once more */
    int *boxes, *near_boxes, *closed, *far, *hard, *again;
    bool some_boxes, some_hard; /* the scene may have such */
    int *look1, *look2;         /* in the order of the first slots; as they are found: */
    int *raw1, *raw2, *raw_order, *look_order;
    uint32_t *raw_keys, *look_keys;
    int *look_points, *look_start, *look_kept;
    int *is_first, *rank_start, *rank, *body_at; /* bodies along the curve, and back */
    /* contacts */
    TnContactPoint *points, *kept;
    int *old_first, *old_count; /* per geom, TN_PARTS times: its contacts of the last step */
    int *new_first, *new_count;
    uint64_t *old_key, *new_key; /* geom2, feature */
    double *old_lambda, *new_lambda;
    double *shift;      /* e, 3 per contact */
    double *give;       /* of contacts that yield: what goes to e, 3 per contact */
    double *yield;      /* D normal, tangent per contact */
    double *start_beta; /* βn, βt of side a, of side b */
    /* sides: contact · 2 + (1: as b) */
    int *side_count, *side_start, *side_fill, *sides;
    /* bodies along the curve */
    double *inverse; /* 1/a, S⁻¹: 7 each */
    double *v_end;   /* v_λ, 6 each */
    int *pushed;
    /* groups that contacts join (balance.h), by rank; their sums by root */
    EnergyAccount *energies;
    uint32_t *group_root; /* of its tile's group */
    uint32_t *group_of;   /* of such a root: on the way to that of the whole group */
    uint8_t *bound, *driven;
    long long *energy_sums;
    double *owed, *next_owed; /* per body, J: energy that steps made and have not given back */
    double mean_mass, tolerance;
    int *arrived; /* counters of resident.h, TN_ARRIVED_COUNT */
    /* links of robots and cables: bodies behind the free ones; then mocap bodies (carried.h). Ports
     * of soft bodies are bodies behind all of these, and links behind those of the model */
    int carried_count, mocap_count, group_count;
    int most_unknowns; /* of a group */
    int all_count;     /* bodies, these included */
    const CarriedLink *carried;
    Group *groups;
    const double *placed_frames, *placed_twists, *placed_ends, *carried_ways;
    int *carried_seen, *carried_pushed;
    double *port_compliance; /* T A⁻¹ Tᵀ, 36 each */
    int soft_count, port_room, given_room, near_room;
    SoftHead *soft_head;
    const TnGpuPort *ports;
    const TnContactPoint *given;
    const int *user_start,
        *users;           /* per node of soft bodies: port · 4 + which of its nodes it is */
    double *port_weights; /* K, 6 each */
    const double *soft_boxes;
    TnGpuNear *near;
    int *near_count, *soft_pushed;
    Outcome *outcome;
};

template <class R> struct Vec4;
template <> struct Vec4<float> {
    typedef float4 type;
};
template <> struct Vec4<double> {
    struct alignas(16) type {
        double x, y, z, w;
    };
};

/* Bodies of a contact. λ acts on b, -λ on a; b < 0: the world. */
struct Ends {
    int a, b;
};

template <class R> struct View : Base {
    typedef typename Vec4<R>::type V;
    Ends *ends;
    /* total: e, what is given, and J v_free; behind them Bn, Bt, μ and Ends.a. Of balls they are
     * others: balls.h */
    V *arm_a, *arm_b, *normal, *total;
    V *trial, *lambda; /* behind trial: Ends.b */
    V *side_arm;       /* with the side's number behind it */
    R *Hinv, *A, *g;   /* planes of body_count: 21, 7, 6 */
    V *v, *v_other;    /* linear, angular, less v_free; the second is scratch */
    /* of resident.h: where pieces begin, and contacts within their piece */
    int piece_count, *piece_start, *place_in_piece;
};

/* A whole number in an unused place of a vector. */
template <class R> TN_DEVICE inline R with_bits(int i);
template <> TN_DEVICE inline float with_bits<float>(int i) { return float_of(i); }
template <> TN_DEVICE inline double with_bits<double>(int i) { return (double)i; }
TN_DEVICE inline int bits_in(float x) { return bits_of(x); }
TN_DEVICE inline int bits_in(double x) { return (int)x; }

TN_DEVICE inline unsigned long long double_bits(double x)
{
    unsigned long long b;
    memcpy(&b, &x, 8);
    return b;
}

TN_DEVICE_AND_HOST inline double double_of_bits(unsigned long long b)
{
    double x;
    memcpy(&x, &b, 8);
    return x;
}

TN_DEVICE inline void point_velocity(double out[3], const double twist[6], const double r[3])
{
    v3_cross(out, twist + 3, r);
    v3_add(out, out, twist);
}

/* Of a side of a contact. */
TN_DEVICE inline int link_of_side(const Base &s, const TnContactPoint *c, int second)
{
    int port = second ? c->soft2 : c->soft1;
    return port >= 0 ? s.link_count + port : s.model->geom_link[second ? c->geom2 : c->geom1];
}

/* ---- narrow.cu ---- */
/* Points of all pairs, in the order of the pairs. */
void find_points(Queue &q, const Base &s, int likely_pairs, int likely_hard);
/* Of the pairs of `look` those that are not listed and that the motion closes, behind the others.
 */
void find_missed_points(Queue &q, const Base &s);

} // namespace tn
#endif

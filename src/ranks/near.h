/* near.h: a world that has one rank's own free bodies and those of other ranks that are near them.
 * Robots, cables, soft bodies and what is joined to them (movers) are in the world of each rank
 * with bodies near them, with all free bodies near them, so that these ranks find the same of them.
 *
 * It is stepped as any world is, but that
 *   - contacts are listed that an own body or a mover has (collision/grid_parts.c),
 *   - hits with restitution are resolved within the step where two bodies meet no third one
 *     (near_impact.c),
 *   - ranks solve together: each iteration has the velocities of bodies that own ones touch
 *     (solver/parts_near.c),
 *   - what the solution runs into is looked for as far as parts have it (missed.c), displacements
 *     are limited in rounds, between which ranks talk (near_limit.c), fast turning is not looked at
 *     (verify.c),
 *   - groups of bodies in contact have their momentum and energy put right by sums that do not
 *     depend on the order (near_balance.c, near_momentum.c); their places are not shifted.
 * What others' bodies do is then known from their ranks (spread.c). */
#ifndef TN_RANKS_NEAR_H
#define TN_RANKS_NEAR_H

#include "../step/step.h"

/* What sums count in: of a mean mass, the size of the largest link and the speed that gravity gives
 * in a step. */
#define TN_NEAR_UNIT 1e-15
/* Boxes of bodies grow by the way of the step, and a little for rounding. */
#define TN_SWEPT 1.01

/* A link of a mover, or a node of a soft body: something that free bodies may be near to. */
typedef struct TnNearBall {
    int link;        /* 0: a node, */
    int qpos, dof;   /* which has its numbers there */
    double start[3]; /* where it was when neighbours were found */
    double room;     /* m: farther from there it may not get, the way of the step included */
} TnNearBall;

/* Lists are by subsystem of the world, ascending. */
typedef struct TnNear {
    const TnRanks *ranks;     /* NULL: alone */
    bool *own;                /* per subsystem; so are movers */
    bool *mover;              /* per subsystem */
    uint8_t *foreign;         /* per link: of another rank's, or what a mocap body is */
    uint8_t *counts;          /* per link: of all ranks that have it, this one counts it */
    bool together;            /* there are movers in the scene, and other ranks */
    bool has_rods, has_softs; /* so has the scene */
    TnNearBall *balls;        /* of movers; none where there are no other ranks */
    int ball_count;
    bool watches; /* something may move free bodies farther than their speed and gravity do: */
    const double (*start)[3];     /* per subsystem: where it was when neighbours were found, */
    const double *room;           /* and m: of own free bodies, how far from there they may get */
    const int *number;            /* per subsystem: in the whole */
    double *lacked;               /* m: by so much the step wanted more room, */
    bool *stopped;                /* for which all ranks refused it */
    int bodies;                   /* of the scene, */
    double mean_mass;             /* and kg of one of them */
    double extent;                /* m: no point of a link of it is farther from its centre */
    double size;                  /* m: no point of a body of the scene is farther from its place */
    int count, *rank;             /* neighbours, ascending */
    int *send_start, *send;       /* per neighbour: own ones that it has, */
    int *receive_start, *receive; /* and its that are here */
} TnNear;

/* By all ranks, a fixed number of iterations or to a tolerance (tn_parted_near). False: no memory,
 * or no factor. */
bool tn_near_solve(TnStep *step, const TnSolverDef *def, TnSolveResult *result,
                   double *rigid_error);
/* What was found of others' ways (step->found.moved, step->plan.blend) is what their ranks have
 * found. False: no memory. */
bool tn_near_tell_ways(TnStep *step);
/* Whether contacts pressed others in the last step: only their own ranks have all of these. False:
 * no memory. */
bool tn_near_tell_pressed(TnStep *step);
/* Per link: ways for which others are looked for, as far as parts have these. NULL: no memory. */
double (*tn_near_ways(TnStep *step))[6];
/* m: so much farther than its free motion leads a body looks for others. */
static inline double tn_near_surprise(const TnNear *near) { return 0.25 * near->size; }
/* m: times the angular velocity, what turning adds to the speed of a free body's points; it does
 * not move what is round. */
double tn_near_lever(const TnWorld *world, int link);
/* m/s: no point of a free body moves faster. */
double tn_near_speed(const TnWorld *world, int link, const double v[3], const double omega[3]);

/* The scene has cables, or soft bodies, wherever these are. */
static inline bool tn_near_has_kind(const TnStep *step, TnSubsystemKind kind)
{
    const TnNear *near = step->world->near;
    const TnModel *m = step->model;
    if (kind == TN_SUBSYSTEM_ROD) return m->rod_count || (near && near->has_rods);
    return m->soft_count || (near && near->has_softs);
}

/* ---- near_movers.c ---- */
static inline bool tn_near_has_movers(const TnWorld *world)
{
    return world->near && world->near->mover;
}
/* On all ranks assembly went well, and the free motion of movers, and of bodies where a subsystem
 * watches, leads no farther than they have room. */
bool tn_near_may_go_on(TnStep *step, bool ok);
/* Some rank's movers are planned anew. False: no memory. */
bool tn_near_tell_replanned(TnStep *step, bool *replanned);
/* m: how far a ball has come, and the way of a step from there, by velocities of the state. */
double tn_near_ball_way(const TnWorld *world, const TnNearBall *ball);
/* Velocities of nodes, as tn_near_ways. NULL: no memory. */
const double *tn_near_node_ways(TnStep *step);
/* m/s: for which others of a link of a mover are looked for, at most. */
double tn_near_most_speed(const TnStep *step, int link);

/* ---- near_tell.c ---- */
/* Numbers of subsystems, `stride` each, that own ones have and neighbours need. */
typedef struct TnNearExchange {
    const TnNear *near;
    const TnModel *model;
    int stride;
    double *sent, *received;
    void *exchange;
} TnNearExchange;
bool tn_near_open(TnStep *step, int stride, TnNearExchange *out); /* false: no memory */
/* By subsystem, or by link. */
void tn_near_tell(TnNearExchange *exchange, double *values);
void tn_near_tell_links(TnNearExchange *exchange, double *values);
void tn_near_close(TnNearExchange *exchange);
/* On some rank it is so. False: no memory. */
bool tn_near_any(TnStep *step, bool here, bool *any);
/* Bytes of all of several ranks, one after the other, in the arena. False: no memory. */
bool tn_near_share(TnStep *step, const void *mine, size_t bytes, void **all, size_t *all_bytes);

/* ---- near_impact.c ---- */
/* As tn_impacts_resolve: of pairs that meet no third body; other hits are left to the solver.
 * False: no memory. */
bool tn_near_impacts(TnStep *step);
/* Its restitution is not the solver's business: it rests, or comes apart. */
bool tn_near_rests(const TnWorld *world, const TnContactPoint *c, double slow);

/* ---- near_limit.c ---- */
/* step->way.reach and step->way.extra, so that nothing is moved into something else; `cut`: some
 * rank's are not as they were. False: no memory. */
bool tn_near_limit(TnStep *step, bool *cut);

/* ---- near_balance.c ---- */
/* Groups of bodies in contact get the momentum that they must have, and what they made of energy is
 * taken off again. `ok`: the new state makes sense here. `cut`: ways are not those that others were
 * told. False: no memory, or on some rank it does not. */
bool tn_near_balance(TnStep *step, bool ok, bool cut);

#endif

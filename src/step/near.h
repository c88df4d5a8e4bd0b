/* near.h: a world that has one rank's own free bodies and those of other ranks that are near them.
 * Robots, cables, soft bodies and what is joined to them (movers) are in the world of each rank
 * with bodies near them, with all free bodies near them, so that these ranks find the same of them.
 *
 * It is stepped as any world is, but that
 *   - contacts are listed that an own body or a mover has (collision/grid_parts.c),
 *   - ranks solve together: each iteration has the velocities of bodies that own ones touch
 *     (solver/parts_near.c),
 *   - what the solution runs into is looked for as far as parts have it (missed.c), ways are cut
 *     in rounds, between which ranks talk (near_limit.c), fast turning is not looked at (verify.c),
 *     and momentum and energy of groups are not put right (balance.c).
 * What others' bodies do is then known from their ranks (spread.c). */
#ifndef TN_STEP_NEAR_H
#define TN_STEP_NEAR_H

#include "step.h"

/* A link of a mover, or a node of a soft body: something that free bodies may be near to. */
typedef struct TnNearBall {
    int link;        /* 0: a node, */
    int qpos, dof;   /* which has its numbers there */
    double start[3]; /* where it was when who is near was found */
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
    double *lacked;               /* m: by so much the step wanted more room, */
    bool *stopped;                /* for which all ranks refused it */
    int bodies;                   /* of the scene */
    double size;                  /* m: no point of a body of the scene is farther from its place */
    int count, *rank;             /* neighbours, ascending */
    int *send_start, *send;       /* per neighbour: own ones that it has, */
    int *receive_start, *receive; /* and its that are here */
} TnNear;

/* By all ranks, a fixed number of iterations or to a tolerance (tn_parted_near). False: no memory,
 * or no factor. */
bool tn_near_solve(TnStep *step, const TnSolverDef *def, TnSolveResult *result,
                   double *rigid_error);
/* What was found of others' ways (step->moved) is what their ranks have found. False: no memory. */
bool tn_near_tell_ways(TnStep *step);
/* Per link: ways for which others are looked for, as far as parts have these. NULL: no memory. */
double (*tn_near_ways(TnStep *step))[6];
/* m: so much farther than its free motion leads a body looks for others. */
static inline double tn_near_surprise(const TnNear *near) { return 0.25 * near->size; }
/* m/s: no point of a free body moves faster; turning does not move what is round. */
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
/* On all ranks assembly went well, and the free motion of movers leads no farther than they have
 * room. */
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

/* ---- near_limit.c ---- */
/* step->reach and step->extra, so that nothing is moved into something else. False: no memory. */
bool tn_near_limit(TnStep *step);

/* From the solution to the new state, without balance. */
void tn_near_settle(TnStep *step);

#endif

/* parts.h: a problem that ranks iterate on together, each on a part of it.
 *
 * All ranks have the problem. Twist blocks come in the order of their contacts, which is one of
 * space, so each rank owns a range of them; ranges are weighed by contacts, so that they follow the
 * bodies from step to step. A part has the blocks that the rank owns, every contact and row on
 * them, and the blocks of others that these touch, as ghosts. Contacts come in whole batches, so
 * that sums over the lanes of a batch are those of the problem. A contact between two ranks is in
 * both parts; both compute it from the same numbers. So all that an iteration needs are the
 * velocities of ghosts, six numbers each.
 *
 * A large block is in every part that touches it, with all of its constraints. Each of these ranks
 * updates it, from the same numbers too. */
#ifndef TN_SOLVER_PARTS_H
#define TN_SOLVER_PARTS_H

#include "islands.h"
#include "method/parted.h"

/* Contact batches in a row, few enough for threads to share runs evenly. */
#define TN_RUN 64
typedef struct TnRun {
    int begin, end;
} TnRun;

typedef struct TnParts {
    const TnRanks *ranks;
    TnProblem *whole;
    TnProblem part;
    TnIslands cut; /* what the part has of the whole, as if that were an island */
    /* per rank and one more: twist blocks, contact batches and large blocks that it tells the
     * others of */
    int *first_twist, *first_batch, *first_large;
    const bool *near; /* per twist block: own. The whole is the rank's own problem, and the part is
                         all of it. NULL: the whole is that of all, and own blocks are first */
    int own;          /* twist blocks */
    TnRun *inside, *border; /* contact batches without and with ghosts */
    int inside_count, border_count;
    TnRun *needed,
        *other; /* batches of own twist blocks: with some that other ranks need, and not */
    int needed_count, other_count;
    /* exchange: rows of the part's twist table, grouped by link */
    TnRankLink *links;
    int link_count, boundary;
    int *sent_row, sent_count, *received_row, received_count;
    double (*sent)[6], (*received)[6];
    void *exchange;
    /* scratch of what is told to all */
    char *packed;
    size_t *start, *at;          /* per rank and one more */
    int *row_owner, *bond_owner; /* ranks */
} TnParts;

/* Whether ranks are worth it, and may. */
bool tn_parts_suit(const TnProblem *problem, const TnSolverDef *def);
/* From the problem's arena. `prepared`: weights and factors are copied, otherwise the part is to be
 * prepared. Collective, as are those below. False: no memory. */
bool tn_parts_open(TnProblem *whole, bool prepared, TnParts *out);
/* The part is all of a problem that is one rank's already (parts_near.c), in place. Rows, bonds and
 * large blocks are those that all ranks have, with all of their constraints. */
bool tn_parts_open_near(TnProblem *problem, const TnRanks *ranks, const TnNeighbours *neighbours,
                        TnParts *out);
void tn_parts_close(TnParts *parts);
/* Iterations, until one rank has enough (method/parted.c). */
TnSolveResult tn_parted_run(TnParts *parts, const TnSolverDef *def, TnWatch watch, TnPool *pool);
/* Velocities of ghosts. */
void tn_parts_send(TnParts *parts);
void tn_parts_receive(TnParts *parts);
/* Of the whole: forces; forces and velocities; changes in the last iteration. */
void tn_parts_tell_forces(TnParts *parts);
void tn_parts_tell(TnParts *parts);
void tn_parts_tell_changes(TnParts *parts);

/* Pieces of parts*.c that need each other. */

/* ---- parts.c ---- */
/* Which of `count` ranges has it. */
int tn_parts_owner(const int *first, int count, int index);
int tn_parts_block_owner(const TnParts *parts, int block);
int tn_parts_row_owner(const TnParts *parts, int row);
int tn_parts_bond_owner(const TnParts *parts, int bond);

/* ---- parts_tell.c ---- */
/* Tells the others which of their blocks are ghosts here, and lists what goes to which rank, as
 * twist blocks of the whole. needed: per own twist block, another rank does. False: no memory. */
bool tn_parts_list_ghosts(TnParts *parts, const uint8_t *twist, int ghost, bool **needed);
/* Contact batches of the part, without ghosts and with. */
bool tn_parts_find_runs(TnParts *parts);
/* A batch joins the last run or begins one; they come in order. */
void tn_run_add(TnRun *runs, int *count, int batch);
/* Blocks of the whole become rows of the part; buffers. */
bool tn_parts_connect(TnParts *parts);

#endif

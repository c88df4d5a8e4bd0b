/* tenon/ranks.h: processes that compute one simulation together.
 *
 * Each process (a rank) creates the same world from the same model and takes the same steps (in
 * parts, only rank 0 needs the model: TnWorldDef.spread). Where
 * work is worth it, each does its share and tells the others what it found, so that all go on with
 * the same numbers: the state has the same bits for any number of ranks, one included. The library
 * uses ranks by the functions below only; tenon/mpi.h has them for MPI. */
#ifndef TENON_RANKS_H
#define TENON_RANKS_H

#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one rank and another tell each other in every exchange. */
typedef struct TnRankLink {
    int rank; /* the other one */
    const void *send;
    size_t send_bytes;
    void *receive;
    size_t receive_bytes;
} TnRankLink;

/* What was sent by this rank. */
typedef struct TnTraffic {
    int64_t exchanges;  /* of boundary velocities with neighbours, one per iteration */
    int64_t boundary;   /* bodies whose velocities others need, summed over exchanges */
    int64_t sent;       /* 48 bytes for each of these and each rank that needs it, summed */
    int64_t neighbours; /* ranks that this one exchanges with, summed */
    int64_t own;        /* bodies of this rank, summed over exchanges */
    /* worlds in parts only */
    int64_t steps;
    int64_t divisions;      /* how often bodies were given to ranks anew */
    int64_t bodies;         /* that this rank had, those of others near its own included, */
    int64_t contacts;       /* and contacts that it computed, summed over steps */
    int64_t states;         /* bodies whose new states neighbours were told, summed over steps, */
    int64_t state_bytes;    /* and bytes of these */
    int64_t shares, shared; /* how often, and how many bytes, were told to all */
    /* s, until others had told: on the clock, and of the processor */
    double waited, waited_processor;
} TnTraffic;

typedef struct TnRanks {
    int rank, count;
    /* Work that is worth sharing, in contacts per rank; one takes a fifth to half of a microsecond.
     * 0: all that can be shared is. */
    double least_work;
    TnTraffic *traffic; /* NULL: not counted */
    void *context;
    /* Collective. Each rank r has bytes start[r] to start[r + 1] of data; then all have all. */
    void (*share)(void *context, void *data, const size_t *start);
    /* An exchange between neighbours that is repeated many times: buffers stay where they are.
     * Bytes are in the send buffers before start, and in the receive buffers after finish. NULL: no
     * memory. */
    void *(*open)(void *context, const TnRankLink *links, int count);
    void (*start)(void *exchange);
    void (*finish)(void *exchange);
    void (*close)(void *exchange);
} TnRanks;

#ifdef __cplusplus
}
#endif
#endif

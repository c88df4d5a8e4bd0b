/* ranks.c: the functions of tenon/ranks.h by MPI. A failure within MPI ends the whole job, as MPI
 * does by default. */
#include <tenon/mpi.h>

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of other ranks, after one of them failed. */
#define PATIENCE 5.0 /* s */
/* In contacts per rank: below, telling takes longer than solving. */
#define LEAST_WORK 500.0

/* What is sent is copied, in turns to one of two places: a rank that has finished need not wait
 * until others have read it, and two times may be under way. */
typedef struct Exchange {
    int links, receive_count, send_count; /* requests: */
    MPI_Request *receives, *sends[2];
    unsigned started;
    size_t bytes;  /* of all that is sent */
    char *letters; /* twice as many */
    TnRankLink link[];
} Exchange;

static TnTraffic traffic;
static TnRanks all;
static bool started; /* here */

/* MPI counts in int: more bytes go in pieces. */
static void share(void *context, void *data, const size_t *start)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int *count = context, *place = count + all.count;
    size_t total = start[all.count] - start[0];
    if (total <= INT_MAX) {
        for (int r = 0; r < all.count; r++) {
            count[r] = (int)(start[r + 1] - start[r]);
            place[r] = (int)(start[r] - start[0]);
        }
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, (char *)data + start[0], count, place, MPI_BYTE,
                       comm);
        return;
    }
    for (int r = 0; r < all.count; r++)
        for (size_t at = start[r]; at < start[r + 1]; at += INT_MAX) {
            size_t rest = start[r + 1] - at;
            MPI_Bcast((char *)data + at, rest < INT_MAX ? (int)rest : INT_MAX, MPI_BYTE, r, comm);
        }
}

static void free_exchange(Exchange *e)
{
    free(e->letters);
    free(e->receives);
    free(e);
}

static void *open_exchange(void *context, const TnRankLink *links, int count)
{
    size_t n = (size_t)count;
    Exchange *e = malloc(sizeof *e + sizeof *links * n);
    (void)context;
    if (!e) return NULL;
    *e = (Exchange){.links = count, .receives = malloc(3 * (n + 1) * sizeof(MPI_Request))};
    if (count) memcpy(e->link, links, sizeof *links * n);
    for (int i = 0; i < count; i++) e->bytes += links[i].send_bytes;
    e->letters = malloc(2 * e->bytes + 1);
    if (!e->receives || !e->letters) {
        free_exchange(e);
        return NULL;
    }
    e->sends[0] = e->receives + n + 1;
    e->sends[1] = e->sends[0] + n + 1;
    char *letter = e->letters;
    for (int i = 0; i < count; i++) {
        const TnRankLink *link = &links[i];
        if (link->receive_bytes)
            MPI_Recv_init(link->receive, (int)link->receive_bytes, MPI_BYTE, link->rank, 0,
                          MPI_COMM_WORLD, &e->receives[e->receive_count++]);
        if (!link->send_bytes) continue;
        for (int k = 0; k < 2; k++)
            MPI_Send_init(letter + (k ? e->bytes : 0), (int)link->send_bytes, MPI_BYTE, link->rank,
                          0, MPI_COMM_WORLD, &e->sends[k][e->send_count]);
        e->send_count++;
        letter += link->send_bytes;
    }
    return e;
}

static void wait_for(MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void start_exchange(void *exchange)
{
    Exchange *e = exchange;
    unsigned k = e->started++ % 2;
    char *letter = e->letters + (k ? e->bytes : 0);
    wait_for(e->sends[k], e->send_count); /* none at first: requests that do not run are done */
    for (int i = 0; i < e->links; i++) {
        if (e->link[i].send_bytes) memcpy(letter, e->link[i].send, e->link[i].send_bytes);
        letter += e->link[i].send_bytes;
    }
    MPI_Startall(e->receive_count, e->receives);
    MPI_Startall(e->send_count, e->sends[k]);
}

static void finish_exchange(void *exchange)
{
    Exchange *e = exchange;
    wait_for(e->receives, e->receive_count);
}

static void close_exchange(void *exchange)
{
    Exchange *e = exchange;
    for (int k = 0; k < 2; k++) {
        wait_for(e->sends[k], e->send_count);
        for (int i = 0; i < e->send_count; i++) MPI_Request_free(&e->sends[k][i]);
    }
    for (int i = 0; i < e->receive_count; i++) MPI_Request_free(&e->receives[i]);
    free_exchange(e);
}

const TnRanks *tn_mpi_begin(int *argc, char ***argv)
{
    int is_on, level;
    MPI_Initialized(&is_on);
    started = !is_on;
    /* any thread of a world may be the one that exchanges, one at a time */
    if (started) MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level);
    all = (TnRanks){.least_work = LEAST_WORK,
                    .traffic = &traffic,
                    .share = share,
                    .open = open_exchange,
                    .start = start_exchange,
                    .finish = finish_exchange,
                    .close = close_exchange};
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.count);
    all.context = malloc(2 * sizeof(int) * (size_t)all.count);
    if (!all.context) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return &all;
}

void tn_mpi_set_least_work(double contacts) { all.least_work = contacts; }

/* Whether all come here in time. */
static bool all_arrive(void)
{
    MPI_Request barrier;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    double end = MPI_Wtime() + PATIENCE;
    while (MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), !done && MPI_Wtime() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return done;
}

void tn_mpi_end(int code)
{
    if (code != 0 && !all_arrive()) MPI_Abort(MPI_COMM_WORLD, code);
    if (code == 0) MPI_Barrier(MPI_COMM_WORLD);
    free(all.context);
    all.context = NULL;
    if (started) MPI_Finalize();
}

/* draft.h: a random model while it is made. */
#ifndef TN_TESTS_SEARCH_DRAFT_H
#define TN_TESTS_SEARCH_DRAFT_H

#include "../random.h"
#include "model.h"

typedef struct Ball {
    double x[3], r;
} Ball;

typedef struct Draft {
    Sketch *sketch;
    Random random;
    Ball balls[MAX_PARTS];
    int ball_count;
    double low[3], high[3]; /* where things start */
    bool fixed_base;        /* trees are fixed to the world */
    double slow;            /* factor on start velocities */
} Draft;

double between(Draft *d, double low, double high);
int pick(Draft *d, int count); /* 0 … count - 1 */
bool chance(Draft *d, double share);

/* Each adds parts where there is room. `scale`: half lengths are around that, m. `from`: among the
 * bodies from this part on. `closed`: nothing may be fixed to the world. Indices are those of the
 * first part, or NOBODY. */
int add_free(Draft *d, double scale);
void aim(Draft *d, int body); /* towards the middle of where things start */
void add_stack(Draft *d, double scale, int count);
int add_tree(Draft *d, double scale, int count);
void add_loop(Draft *d, int from, bool to_world);
void add_tree_extras(Draft *d, int from, bool closed);
void add_floor(Draft *d);
void add_obstacle(Draft *d, double scale);
void add_walls(Draft *d);
void add_cable(Draft *d, bool closed);
void add_soft(Draft *d, bool closed);

#endif

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

double digits3(double x);
double between(Draft *d, double low, double high);
double power(Draft *d, double low, double high); /* between 10^low and 10^high */
int pick(Draft *d, int count);                   /* 0 … count - 1 */
bool chance(Draft *d, double share);

/* With nothing but its kind; NULL: no room. */
Part *add_part(Draft *d, PartKind kind);
/* Any form; half lengths are around the scale. */
void add_shape(Draft *d, Part *p, double scale);
double part_mass(const Part *p); /* kg, roughly */

/* Each adds parts where there is room. `scale`: half lengths are around that, m. `from`: among the
 * bodies from this part on. `closed`: nothing may be fixed to the world. Indices are those of the
 * first part, or NOBODY. */
int add_free(Draft *d, double scale);
void aim(Draft *d, int body); /* towards the middle of where things start */
void add_stack(Draft *d, double scale, int count);
int add_link(Draft *d, int parent, double scale);
int add_tree(Draft *d, double scale, int count);
void add_loop(Draft *d, int from, bool to_world);
void add_coupling(Draft *d, int from, PartKind kind);
void add_tree_extras(Draft *d, int from, bool closed);
void add_floor(Draft *d);
void add_obstacle(Draft *d, double scale);
void add_walls(Draft *d);
void add_cable(Draft *d, bool closed);
void add_soft(Draft *d, bool closed);

/* lossless.c: a model that keeps its energy; sketch_rest follows. */
void draw_lossless(Draft *d, Theme theme);

#endif

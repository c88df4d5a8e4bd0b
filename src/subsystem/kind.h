/* kind.h (internal): what a step asks of a subsystem, answered by each kind for itself:
 * kind_rigid.c, kind_tree.c, kind_rod.c, kind_soft.c; what those with links have in common is in
 * kind_links.c. s: index among the model's subsystems. */
#ifndef TN_SUBSYSTEM_KIND_H
#define TN_SUBSYSTEM_KIND_H

#include "../account/masses.h"
#include "../step/step.h"

typedef struct TnKind {
    /* ---- in the model ---- */
    /* Fixed to the world by itself. NULL: never. */
    bool (*is_anchored)(const TnModel *model, int s);
    /* Something other than gravity and what anchors it pulls it from the fixed world. NULL: never.
     */
    bool (*is_pulled)(const TnModel *model, int s);
    double (*mass)(const TnModel *model, int s);

    /* ---- at a moment ---- */
    double (*kinetic)(const TnModel *model, int s, const TnInstant *now);
    /* Potential energy of gravity; and its change from the way of the masses, which is exact far
     * from the origin, too. */
    double (*gravity)(const TnModel *model, int s, const TnInstant *now);
    double (*fall)(const TnModel *model, int s, const TnInstant *before, const TnInstant *after);
    /* NULL: none. elements: of soft bodies; NULL: theirs counts as none. */
    double (*elastic)(const TnModel *model, int s, const TnSoftElements *elements,
                      const TnInstant *now);
    void (*add_masses)(const TnModel *model, int s, const TnInstant *now, const double at[3],
                       TnMassSums *sums);
    /* m/s: no point of it is faster. */
    double (*speed)(const TnWorld *world, int s);

    /* ---- in the problem ---- */
    /* The velocity that it has, in the unknowns of v̂. */
    const double *(*start_velocity)(const TnWorld *world, int s);
    bool starts_from_rest; /* in a new state v̂ is guessed to be zero, not this */
    /* That velocity becomes the solver's guess. NULL: v̂ of the last step is better. */
    void (*start)(const TnWorld *world, int s, TnProblem *problem);
    /* v̂ that the solver found; and the same in the coordinates of qvel at the pose that the step
     * began with. */
    void (*gather)(const TnStep *step, int s, double *vhat);
    void (*velocity)(const TnWorld *world, int s, double *qvel);
    /* The constraints on all of its blocks were solved. */
    bool (*is_solved)(const TnWorld *world, int s);

    /* ---- over a step ---- */
    /* Assembles it once more, about step->about.vhat where there is such; `chained`: set if its
     * chain must be, too. NULL: it is not. False: no memory, or not positive definite. */
    bool (*reassemble)(TnStep *step, int s, bool *chained);
    /* What it is moved by, p v̂ - r v: step->found.moved and moved_qvel. */
    void (*find_way)(const TnStep *step, int s, double p, double r);
    /* next_qpos and next_qvel from v̂. */
    void (*advance)(const TnStep *step, int s);
    /* Of actuators and dampers. NULL: it has none. */
    TnJointWork (*work)(const TnStep *step, int s);
    /* Changes of the new state (balance.c): of its velocities, qvel only, and of its place. */
    void (*change)(const TnWorld *world, int s, const TnChange *change, double *v);
    void (*shift)(const TnWorld *world, int s, const double way[3]);
} TnKind;

extern const TnKind tn_kind_rigid, tn_kind_tree, tn_kind_rod, tn_kind_soft;
const TnKind *tn_kind_of(const TnModel *model, int s);

/* ---- kind_links.c ---- */
double tn_links_mass(const TnModel *model, int s);
double tn_links_kinetic(const TnModel *model, int s, const TnInstant *now);
double tn_links_gravity(const TnModel *model, int s, const TnInstant *now);
double tn_links_fall(const TnModel *model, int s, const TnInstant *before, const TnInstant *after);
void tn_links_add_masses(const TnModel *model, int s, const TnInstant *now, const double at[3],
                         TnMassSums *sums);
double tn_links_speed(const TnWorld *world, int s);
/* Of free bodies and segments, whose unknowns are the twists of their links. */
const double *tn_links_start_velocity(const TnWorld *world, int s);
void tn_links_find_way(const TnStep *step, int s, double p, double r);
void tn_links_change(const TnWorld *world, int s, const TnChange *change, double *v);
void tn_links_shift(const TnWorld *world, int s, const double way[3]);
/* A twist at the centre of mass in world axes as a free joint's qvel, at the pose that the last
 * step began with. */
void tn_link_write_twist(const TnWorld *world, int link, const double twist[6], double *qvel);
/* y = T x, T with `rows` rows of `count`. */
void tn_follow(int rows, int count, const double *T, const double *x, double *y);

/* ---- kind_tree.c ---- */
/* Its unknowns in the problem. */
double *tn_tree_unknowns(const TnWorld *world, const TnProblem *problem, int tree);

#endif

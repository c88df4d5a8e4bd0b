/* impact_parts.h: what the files of hits share. impact.c has the whole. */
#ifndef TN_IMPACT_IMPACT_PARTS_H
#define TN_IMPACT_IMPACT_PARTS_H

#include "impact.h"

/* A subsystem that may be hit: unknowns are a twist in world axes, or qvel of a tree. */
typedef struct TnHitBody {
    int subsystem, n;
    double *v, *a, *shift;  /* n each: velocity, acceleration of free flight, Σ s Δv */
    double *factor;         /* of a tree's M; NULL: not yet */
    double (*S)[6];         /* its axes, about the root's centre of mass */
    double since;           /* s: its last hit; 0: none */
    double turned, quat[4]; /* of a free body: how it is turned at that time; v has its angular
                               velocity then */
    bool hit;
    bool fresh; /* in this round: its contacts are not found yet */
} TnHitBody;

typedef struct TnHitSide {
    TnHitBody *body; /* NULL: stands still */
    double *J;       /* 3 × n: normal, then two tangents; geom2 counts positive */
    double *MJ;      /* 3 × n: M⁻¹ of each row */
} TnHitSide;

typedef struct TnHit {
    TnContactPoint *c;
    TnHitSide side[2];
    double t1[3], t2[3];
    double W[3];   /* diagonal of J M⁻¹ Jᵀ */
    double W_slip; /* largest eigenvalue of its two rows along the tangents; 0: neither body can
                      move along them */
    bool passive;  /* no restitution: it is hit where others are, and where it stands in the way of
                      one that has some */
    double base;   /* m: its gap at s is base + J (v s + ½ a s² - shift) */
    double time;   /* s; INFINITY: never */
    double p[3], u0[3],
        bias; /* of the hit that is being resolved: impulse, velocity before, wanted u_n */
} TnHit;

typedef struct TnImpacts {
    TnStep *step;
    TnArena *arena;
    TnHitBody **bodies; /* per subsystem; NULL: not involved */
    TnHit *hits;
    int count;
    double rest; /* m/s: slower approach is none */
    int room;    /* for world->impacts */
    int *group;  /* scratch, per hit */
    bool *in;
    double *blocked;  /* s, per subsystem: a cable, a soft body or something tied stands in its way
                         from then on */
    bool *carried;    /* per subsystem: something pushed it in the last step, and so does not let it
                         fall */
    const int *among; /* hits that may meet in a moment; NULL: all */
    int among_count;
    bool any;
} TnImpacts;

/* Where things are from some time of the step on, and how they move. */
typedef struct TnHitPaths {
    TnLinkFrame *frames;
    double (*twists)[6], *qpos, *qvel;
} TnHitPaths;

/* ---- impact.c ---- */
/* Memory, and what rests on something. False: no memory. */
bool tn_hits_open(TnStep *step, TnImpacts *x, TnHitPaths *paths);
/* m/s: slower approach is none. */
double tn_hits_rest(const TnStep *step);

/* ---- impact_find.c: which contacts are hit, and when ---- */
/* What rests on something. */
void tn_hits_find_carried(TnImpacts *x);
/* Contacts on the paths as they are now; of links that are marked, NULL: of all. False: no memory.
 */
bool tn_hits_find(TnImpacts *x, const TnHitPaths *paths, const uint8_t *only);
/* What is known of a subsystem that may be hit. NULL: no memory. */
TnHitBody *tn_hit_body(TnImpacts *x, int subsystem);
/* When each closes next, with velocities as they are now. */
void tn_hits_find_times(TnImpacts *x);
/* J (v + s a) of a row: 0 the normal, 1 and 2 the tangents; and the gap, at a time of the step. */
double tn_hit_velocity(const TnHit *h, int row, double s);
double tn_hit_gap(const TnHit *h, double s);

/* ---- impact_law.c: one moment ---- */
/* One of its bodies was hit in this round. */
bool tn_hit_is_fresh(const TnHit *h);
/* Impulses of all that meet with this one then. False: no memory. */
bool tn_hit_resolve(TnImpacts *x, int first);

/* ---- impact_start.c: where the step starts from ---- */
/* Where a subsystem is at its last hit, and its velocity less what free flight gave it by then: its
 * own entries of qpos and qvel. */
void tn_hit_place(const TnStep *step, const TnHitBody *b, double *qpos, double *qvel);
/* Turns a free body on, to how it is at that time. */
void tn_hit_turn(const TnStep *step, TnHitBody *b, double time);
/* What free flight adds to a subsystem's velocity in that time. */
void tn_hit_add_fall(const TnSubsystem *sub, const TnHitBody *b, double time, double *qvel);
/* Makes (x', v') the state, and keeps the old one. p: scratch. False: no memory. */
bool tn_hits_take_over(TnImpacts *x, const TnHitPaths *p);

#endif

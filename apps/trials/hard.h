/* hard.h: the hard scenes: stacks, mass ratios, arches, grasps, impacts. Each is built by C calls,
 * run and judged by what it must do: stand still, and carry its weight.
 *
 * A *cut* takes some bodies of a scene and leaves the rest. What is at rest gets through its
 * contacts with the rest exactly what its weight and the forces on it ask for. This is known
 * beforehand whatever the solver finds, and what force errors are measured by. Bodies that belong
 * together have a *group* (a stack), and a *level* in it (from the ground up); a cut takes a range
 * of levels of one group. */
#ifndef TENON_HARD_H
#define TENON_HARD_H

#include <tenon/tenon.h>

typedef struct HardBody {
    TnBodyId id;
    int group, level; /* from 0 */
} HardBody;

typedef struct HardCut {
    int group, lowest, highest; /* bodies that are cut free: levels, both included */
    int axis;                   /* of the world, along which forces are compared: 2 is up */
    double load;                /* N: constant force on them along it besides their weight */
} HardCut;

typedef struct HardModel {
    TnModelBuilder *builder; /* while it is being built */
    bool no_memory;
    TnModel *model;
    HardBody *bodies; /* that are watched */
    int body_count, body_capacity;
    HardCut *cuts; /* those of a group lie together, groups ascending; none: no force error */
    int cut_count, cut_capacity;
    int group_count;
    double fall;        /* m: a body that drops by more has fallen */
    bool noise_axes[3]; /* along which force noise acts; default all */
    bool moves;         /* by right: nothing is asked to stay where it is */
    bool is_cradle;     /* bodies are its balls in order, the first one raised */
} HardModel;

typedef struct HardScene HardScene;
struct HardScene {
    const char *name, *family;
    void (*build)(HardModel *m, const HardScene *scene, uint64_t seed);
    double duration; /* s, by default */
    int count;       /* how many, of whatever the family counts */
    double number;   /* mass ratio, thickness, mass of a plate, gap */
    double force;    /* N */
    double noise;    /* its own, in shares of each body's weight */
    bool seeded;     /* the start depends on the seed */
    bool holds;      /* says `holds` and `dropped` where others say `stands` and `fell` */
    bool falls;      /* it must */
    TnSleep sleep;
};

/* hard_scenes.c; at most 64 */
extern const HardScene hard_scenes[];
extern const int hard_scene_count;

/* hard_parts.c */
/* NULL model and an error where there is no memory or a definition is wrong. */
TnStatus hard_build(HardModel *m, const HardScene *scene, uint64_t seed, TnError *err);
void hard_free(HardModel *m);
uint64_t hard_seed(uint64_t seed);     /* start of a random sequence */
double hard_random(uint64_t *state);   /* within [-1, 1) */
double hard_gaussian(uint64_t *state); /* mean 0, deviation 1 */
void hard_ground(HardModel *m, double friction);
TnGeomId hard_plane(HardModel *m, const double pos[3], const double quat[4], double friction);
/* A body with a free joint; `level` < 0: not watched. */
TnBodyId hard_free_body(HardModel *m, const double pos[3], const double quat[4], int group,
                        int level);
void hard_watch(HardModel *m, TnBodyId body, int group, int level);
TnGeomId hard_box(HardModel *m, TnBodyId body, const double half[3], double mass, double friction);
void hard_cut(HardModel *m, HardCut cut);
/* One cut per level of a group: all from that level up. */
void hard_cut_levels(HardModel *m, int group, int levels);
extern const double hard_upright[4];

/* families */
void hard_build_tower(HardModel *m, const HardScene *scene, uint64_t seed); /* hard_stacks.c */
void hard_build_heavy(HardModel *m, const HardScene *scene, uint64_t seed);
void hard_build_doubling(HardModel *m, const HardScene *scene, uint64_t seed);
void hard_build_stacks(HardModel *m, const HardScene *scene, uint64_t seed);
void hard_build_pyramid(HardModel *m, const HardScene *scene, uint64_t seed); /* hard_walls.c */
void hard_build_wall(HardModel *m, const HardScene *scene, uint64_t seed);
void hard_build_arch(HardModel *m, const HardScene *scene, uint64_t seed);  /* hard_arch.c */
void hard_build_cards(HardModel *m, const HardScene *scene, uint64_t seed); /* hard_cards.c */
void hard_build_pinch(HardModel *m, const HardScene *scene, uint64_t seed); /* hard_grasp.c */
void hard_build_arm(HardModel *m, const HardScene *scene, uint64_t seed);
void hard_build_cradle(HardModel *m, const HardScene *scene, uint64_t seed); /* hard_cradle.c */

/* hard_run.c: what one run showed. NaN: does not apply. */
enum { HARD_VERDICT = 40, HARD_MAX_WEIGHTS = 64 };
typedef struct HardRun {
    const HardScene *scene;
    uint64_t seed; /* 0: a summary of several */
    int seed_count, fallen_count;
    int bodies;
    int64_t steps; /* that were made */
    double contacts_mean, start_penetration;
    double step_us; /* mean over steps after the first second of the least of all repeats */
    int asleep;     /* subsystems in the last step */
    double error_max, error_median;
    int64_t not_converged;
    double force_error, sink, move, tilt, creep;
    int64_t islands[TN_METHOD_COUNT]; /* by TnIslandReport.method */
    int64_t newton_total;             /* steps of islands that Newton had the last word on */
    double fell_at;                   /* s; NaN: it did not */
    bool diverged;
    int weight_count;
    double weights[HARD_MAX_WEIGHTS]; /* N: what each cut must carry, without noise */
    double speeds[5];                 /* of a cradle's balls, in shares of the first one's */
    char verdict[HARD_VERDICT];
} HardRun;

typedef struct HardOptions {
    TnWorldDef def;
    double duration; /* s; NaN: each scene's own */
    double noise;    /* share of weight; NaN: each scene's own */
    int repeats;
    bool quiet;
} HardOptions;

TnStatus hard_run(const HardScene *scene, const HardOptions *options, uint64_t seed, HardRun *run,
                  TnError *err);
/* The worst of several runs of one scene. */
HardRun hard_worst(const HardRun *runs, int count);

/* hard_measure.c: what is watched during a run */
typedef struct HardMeasure HardMeasure;
HardMeasure *hard_measure_start(const HardModel *m, const TnWorld *world, double reference_time);
void hard_measure_free(HardMeasure *measure);
/* Draws this step's noise forces and applies them. */
void hard_measure_push(HardMeasure *measure, TnWorld *world, double share, uint64_t *random);
/* After a step; with `forces` the cuts are compared, too. False where something has fallen. */
bool hard_measure_step(HardMeasure *measure, const TnWorld *world, bool forces);
void hard_measure_finish(const HardMeasure *measure, HardRun *run);

#endif

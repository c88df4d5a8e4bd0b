/* model.h: a random model as a short list of parts, which can be written as MJCF, judged and made
 * smaller. Units are those of MJCF: m, kg, s, degrees in poses and ranges, rad/s. */
#ifndef TN_TESTS_SEARCH_MODEL_H
#define TN_TESTS_SEARCH_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <tenon/tenon.h>

#define MAX_PARTS 24
#define NOBODY (-2)
#define WORLD (-1)

typedef enum PartKind {
    PART_BODY,     /* a body with one joint and one geom; `a` is its parent */
    PART_STATIC,   /* a geom of the world, or six walls around */
    PART_EQUALITY, /* joins body `a` to body `b` */
    PART_TENDON,   /* over the joints of `a` and `b` */
    PART_CABLE,    /* held at its start by `a`, at its end by `b` */
    PART_SOFT      /* its first nodes held by `a` */
} PartKind;

typedef enum Form {
    FORM_SPHERE,
    FORM_CAPSULE,
    FORM_BOX,
    FORM_CYLINDER,
    FORM_ELLIPSOID,
    FORM_MESH,
    FORM_COUNT,
    FORM_PLANE = FORM_COUNT, /* these two for PART_STATIC alone */
    FORM_WALLS
} Form;

typedef enum JointKind { JOINT_FREE, JOINT_HINGE, JOINT_SLIDE, JOINT_BALL } JointKind;
typedef enum ServoKind { SERVO_NONE, SERVO_POSITION, SERVO_VELOCITY, SERVO_MOTOR } ServoKind;
typedef enum BondKind { BOND_CONNECT, BOND_WELD, BOND_COUPLING } BondKind;

/* What a part's numbers mean; each kind of part reads some of them. */
typedef enum Number {
    N_X, /* place in the parent or the world; anchor of an equality in `a` */
    N_Y,
    N_Z,
    N_TURN_X, /* degrees */
    N_TURN_Y,
    N_TURN_Z,
    N_SIZE_X, /* as MJCF's size; a mesh: half lengths; a cable: its radius */
    N_SIZE_Y,
    N_SIZE_Z,
    N_AHEAD, /* the geom lies this far ahead on the body's x axis; a cable: its length */
    N_DENSITY,
    N_FRICTION,
    N_RESTITUTION,
    N_VEL_X, /* start velocity; a hinge's and slide's is N_SPIN_X */
    N_VEL_Y,
    N_VEL_Z,
    N_SPIN_X,
    N_SPIN_Y,
    N_SPIN_Z,
    N_AXIS_X,
    N_AXIS_Y,
    N_AXIS_Z,
    N_STIFFNESS, /* of a joint or tendon */
    N_SPRING_REF,
    N_DAMPING, /* cables and soft bodies: a time */
    N_DRY,
    N_ARMATURE,
    N_LIMIT, /* joint or tendon within ± this; 0: no limit */
    N_GAIN,  /* of the servo */
    N_GAIN_VEL,
    N_TARGET,
    N_COEF, /* of the second joint in a tendon or coupling */
    N_YOUNG,
    N_POISSON,
    N_BEND, /* radians that a cable as built turns by from end to end */
    NUMBER_COUNT
} Number;

typedef struct Part {
    PartKind kind;
    int form;   /* Form; 0 box, 1 ball, 2 cylinder for soft bodies; BondKind of equalities */
    int joint;  /* JointKind; 1: the holds of a cable are welds; 1: neo-Hookean soft body */
    int servo;  /* ServoKind */
    int condim; /* 1, 3, 4, 6 */
    int count;  /* segments of a cable, cells of a soft body */
    int a, b;   /* index of a part, WORLD or NOBODY */
    bool rests; /* of a lossless model: lies on what is fixed; other parts touch nothing */
    double n[NUMBER_COUNT];
} Part;

typedef struct Sketch {
    uint64_t seed;
    double timestep, gravity;
    double theta; /* 0: the engine's default */
    int steps;
    bool lossless; /* nothing in it takes energy */
    int part_count;
    Part parts[MAX_PARTS];
} Sketch;

typedef enum Theme {
    THEME_BODIES,   /* fall on a floor */
    THEME_SPACE,    /* bodies that meet where nothing else is */
    THEME_BOX,      /* bodies within walls */
    THEME_TREE,     /* trees on a fixed base */
    THEME_FLOATING, /* trees in free flight */
    THEME_LOOP,     /* trees with closed loops */
    THEME_CABLE,
    THEME_SOFT,
    THEME_MIXED,
    THEME_COUNT
} Theme;

extern const char *const theme_names[THEME_COUNT];

/* The same model for the same seed and theme, everywhere. */
void sketch_generate(Sketch *sketch, uint64_t seed, Theme theme);
/* One that keeps its energy: no friction, damping, drive or impact. What rests is where it stays.
 */
void sketch_generate_lossless(Sketch *sketch, uint64_t seed, Theme theme);
/* Moves what rests up or down to where it touches the highest of the fixed planes and boxes. */
void sketch_rest(Sketch *sketch);
/* Takes a part out; what was on it moves to its parent, what joined it goes too. */
void sketch_remove(Sketch *sketch, int part);
/* Takes away start velocities that equalities and holds contradict: what they join moves as one. */
void sketch_calm(Sketch *sketch);
/* Every part has what it needs, something moves, and the start is calm. */
bool sketch_valid(const Sketch *sketch);
/* Nothing outside touches it: no gravity, nothing fixed. */
bool sketch_is_closed(const Sketch *sketch);
/* A material in it dissipates. */
bool sketch_is_damped(const Sketch *sketch);
/* Smallest radius or half length of what can touch, m. */
double sketch_smallest(const Sketch *sketch);
double sketch_thinnest(const Part *part);
/* Length of a body's geom along its own z, from its middle. */
double part_reach(const Part *part);

/* Start velocities of all parts into qvel, which is zero before. */
void sketch_start(const Sketch *sketch, const TnModel *model, double *qvel);

/* The model as MJCF with a keyframe `start` that holds velocities and controls; the caller's to
 * free. *model, where not NULL, is that text, loaded; NULL and an error where it does not load. */
char *sketch_text(const Sketch *sketch, TnModel **model, TnError *err);

#endif

/* simulation.h: a world that runs in a thread of its own and keeps real time.
 *
 * The window thread sends commands and takes the newest frame; the simulation's thread alone
 * touches the world. Everything they share lies behind one mutex, which is never held during a
 * step. */
#ifndef TENON_VIEW_SIMULATION_H
#define TENON_VIEW_SIMULATION_H

#include "follow.h"
#include "physics.h"
#include "pull.h"
#include <tenon/scene.h>

typedef struct Simulation Simulation;

typedef struct SimulationDef {
    TnKeyId key;        /* what a reset goes back to; 0: the reference pose */
    double speed;       /* simulated seconds per second; 1: real time */
    bool paused;        /* at the start */
    bool stress;        /* frames have the stress of soft bodies; COMMAND_STRESS changes it */
    int64_t step_limit; /* finished after so many steps from the start; 0: never */
    int max_states;     /* kept to go back to */
    size_t max_bytes;   /* of them */
    const TnSolverDef *solver; /* of the world; NULL: not known, then it cannot be changed */
    Follow *follow;     /* frames of this are shown, and commands are ignored: the world belongs to
                           another thread. NULL (default): the simulation runs the world */
    void (*wake)(void); /* called from the simulation's thread when there is something new; may be
                             NULL */
} SimulationDef;

SimulationDef simulation_def(void);

typedef enum SimulationCommandKind {
    COMMAND_PAUSE,  /* value: 1 pause, 0 run, -1 the other of the two */
    COMMAND_STEP,   /* one step where paused; else it pauses */
    COMMAND_BACK,   /* to the state before the last step; pauses */
    COMMAND_SPEED,  /* value: simulated seconds per second */
    COMMAND_RESET,  /* value: keyframe, -1 for the one of SimulationDef */
    COMMAND_STRESS, /* value: 1 frames have it, 0 they do not: it costs time */
    COMMAND_CTRL,   /* sets control `index` to the value; the model's track ends */
    COMMAND_JOINT,  /* moves the hinge or slide with id `index` to the value, at rest; where paused
                       only */
    COMMAND_KEYFRAME, /* the present state as text: simulation_keyframe */
    COMMAND_PHYSICS,  /* sets the option `index`, a PhysicsId, to the value */
    COMMAND_EQUALITY, /* value: 1 the equality with id `index` holds, 0 it does not */
    COMMAND_ACTUATOR  /* value: 1 the actuator with id `index` acts, 0 it does not */
} SimulationCommandKind;

/* What happened, in the order in which it did. */
typedef enum NoticeKind {
    NOTICE_PAUSED,
    NOTICE_RUNNING,
    NOTICE_STEP, /* a single one */
    NOTICE_BACK,
    NOTICE_NO_BACK, /* no older state is kept */
    NOTICE_SPEED,
    NOTICE_RESET,
    NOTICE_DIVERGED, /* the step was refused; paused */
    NOTICE_FINISHED, /* the step limit is reached; paused */
    NOTICE_SET,      /* a joint was moved by hand */
    NOTICE_KEYFRAME, /* its text can be taken */
    NOTICE_PHYSICS,  /* an option, equality or actuator was changed */
    NOTICE_REFUSED   /* it was not, and why: `text` */
} NoticeKind;

typedef struct Notice {
    NoticeKind kind;
    double time; /* s, simulated */
    int64_t step;
    uint64_t hash; /* of the state */
    double speed;
    TnKeyId key;
    bool pulling; /* of a single step: with what, and where the body was held before it */
    double pull_force[3], pull_torque[3], pull_at[3];
    char text[128];
} Notice;

/* How the simulation goes; belongs to the frame taken with it. */
typedef struct SimulationStatus {
    bool paused, diverged;
    bool late;               /* it cannot keep the speed that was asked for */
    double speed;            /* asked for */
    double real_time_factor; /* measured over about half a second; 0 where paused */
    int64_t step;            /* from the start or the last reset */
    int states;              /* kept */
    size_t state_bytes;
    /* of the step that led here; islands 0: there was no tolerance */
    bool converged;
    double error;
    int islands, asleep;
    bool pulling; /* and with what: */
    double pull_force[3], pull_torque[3], pull_at[3];
    PhysicsView physics;
} SimulationStatus;

/* Starts the thread; from now on until the end the world belongs to it. NULL and an error where
 * there is no memory or no thread. */
Simulation *simulation_start(const SimulationDef *def, TnWorld *world, const TnScene *scene,
                             TnError *err);
/* Ends the thread after the step it is in; the world is the caller's again. NULL is fine. */
void simulation_stop(Simulation *simulation);

/* False where too many commands wait. */
bool simulation_command(Simulation *simulation, SimulationCommandKind kind, double value);
/* COMMAND_CTRL: `index` from 0. COMMAND_JOINT: `index` is the joint's id. */
bool simulation_set(Simulation *simulation, SimulationCommandKind kind, int index, double value);
/* The state of the last COMMAND_KEYFRAME as an MJCF element <key .../>; the caller frees it. NULL:
 * none, or no memory. */
char *simulation_keyframe(Simulation *simulation);
/* Holds until set again; kind PULL_NONE lets go. */
void simulation_pull(Simulation *simulation, const Pull *pull);
/* The newest frame; the caller's until the next call. True where it is another than last time. */
bool simulation_take(Simulation *simulation, const TnFrame **frame, SimulationStatus *status);
/* The oldest notice not yet read; false where there is none. */
bool simulation_notice(Simulation *simulation, Notice *notice);

#endif

/* signals.h: the list of joints, sensors and actuators at the right of the window (F3), with
 * sliders for controls and joints, and their curves. */
#ifndef TENON_VIEW_SIGNALS_H
#define TENON_VIEW_SIGNALS_H

#include <tenon/record.h>

enum { CURVE_COUNT = 5, CURVE_ROOM = 600 };

/* A signal over time, the oldest first. */
typedef struct Curve {
    int signal; /* of the scene */
    int count;
    double times[CURVE_ROOM]; /* s */
    float values[CURVE_ROOM];
} Curve;

/* A line of the list. */
typedef struct SignalRow {
    int signal;
    int actuator;     /* from 0, of a control; -1: none */
    TnJointId joint;  /* of the position of a hinge or slide; 0: none */
    double low, high; /* of its slider; equal: it has none */
    double seen;      /* the largest magnitude so far */
} SignalRow;

typedef struct Signals {
    SignalRow *rows; /* owned */
    int row_count;
    bool shown;
    Curve *curves; /* CURVE_COUNT of them, owned */
    int curve_count;
} Signals;

/* The model is NULL for a recording: no sliders. False: no memory. */
bool signals_create(Signals *signals, const TnScene *scene, const TnModel *model);
void signals_free(Signals *signals);
/* The index of a signal of this name, or -1. */
int signals_find(const TnScene *scene, const char *name, size_t length);

/* Adds or removes a curve; the oldest makes room. With a recording the curve is whole at once. True
 * where it is drawn now. */
bool curves_toggle(Signals *signals, int signal, TnRecording *recording);
/* A new frame of a simulation came: what is later than it was undone. */
void curves_sample(Signals *signals, const TnFrame *frame);

#endif

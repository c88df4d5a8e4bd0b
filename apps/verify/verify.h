/* verify.h: results of tenon beside what is known from elsewhere: `tenon verify`.
 *
 * A row is one number that a simulation gives, what it must be, where that is known from, and by
 * how much it may differ and why. Rows stand in families, one file each (rows.c lists them). A row
 * that holds but shows a weakness is marked `weak`: its tolerance says how large the error is
 * today, and readers see it first. */
#ifndef TENON_VERIFY_H
#define TENON_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <tenon/tenon.h>

#define VERIFY_PI 3.14159265358979323846

typedef struct Finding Finding;
typedef struct VerifyRow VerifyRow;

struct VerifyRow {
    const char *name;   /* "family.case" */
    const char *shows;  /* one sentence: the scene, and which number is compared */
    const char *source; /* of the reference: formula, paper, or integration in the row */
    const char *unit;   /* of value and reference; "" for pure numbers */
    double tolerance;   /* of |value - reference| */
    bool relative;      /* tolerance and error are shares of the reference */
    const char *reason; /* of the tolerance */
    bool weak;          /* tenon is not good at this */
    bool quick;         /* takes less than half a second: part of --quick */
    void (*run)(Finding *finding, const VerifyRow *row);
    double number; /* for rows that share a function */
};

typedef struct VerifyFamily {
    const char *name;  /* of its file, and the first part of its rows' names */
    const char *title; /* heading in the page */
    const VerifyRow *rows;
    int count;
} VerifyFamily;

extern const VerifyFamily *const verify_families[];
extern const int verify_family_count;

/* ---- what a row's run leaves ---- */

enum { FINDING_CURVES = 6, FINDING_NOTE = 320, FINDING_LABEL = 64 };

typedef struct FindingCurve {
    char name[FINDING_LABEL];
    double *x, *y;
    int count, room;
    bool marks;  /* points instead of a line */
    bool dashed; /* the reference */
} FindingCurve;

struct Finding {
    double value, reference;
    char note[FINDING_NOTE];    /* more that was measured; "" if nothing */
    char trouble[FINDING_NOTE]; /* why it could not be measured; "" if it was */
    int not_converged;          /* steps */
    /* for the plot */
    char x_label[FINDING_LABEL], y_label[FINDING_LABEL];
    bool log_x, log_y;
    FindingCurve curves[FINDING_CURVES];
    int curve_count;
    double seconds;
};

void finding_free(Finding *finding);
double finding_error(const VerifyRow *row, const Finding *finding);
bool finding_holds(const VerifyRow *row, const Finding *finding);
void finding_trouble(Finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_note(Finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_axes(Finding *finding, const char *x_label, const char *y_label);
/* A new line of the plot; its number for finding_point. */
int finding_curve(Finding *finding, const char *name);
int finding_reference_curve(Finding *finding, const char *name); /* dashed */
void finding_point(Finding *finding, int curve, double x, double y);
/* The order of convergence becomes the value, and `reference` the reference: the slope of the
 * logarithms over all points. Notes the errors and plots them. `of`: what is refined, with its
 * unit. */
void finding_order(Finding *finding, const char *of, const double *sizes, const double *errors,
                   int count, double reference);

/* ---- small worlds ---- */

typedef struct Sim {
    Finding *finding;
    TnModel *model;
    TnWorld *world; /* NULL: it could not be made, and the finding says why */
    double t;       /* s: the step */
} Sim;

/* A scene as MJCF, `format` is what follows the options. It starts from the keyframe `start` where
 * there is one. */
Sim sim_open(Finding *finding, double timestep, const char *gravity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same by C calls; destroys the builder. `def` may be NULL. */
Sim sim_build(Finding *finding, TnModelBuilder *builder, const TnWorldDef *def);
void sim_close(Sim *sim);
bool sim_step(Sim *sim);              /* false: rejected, which the finding says */
bool sim_run(Sim *sim, double until); /* s; by whole steps */
double sim_time(const Sim *sim);
double sim_energy(const Sim *sim);
const double *sim_qpos(const Sim *sim);
const double *sim_qvel(const Sim *sim);
void sim_set(Sim *sim, const double *qpos, const double *qvel); /* NULL: as it is */
void sim_control(Sim *sim, double control);                     /* of its only actuator */
/* By name; zeros if there is none. */
void sim_body_pos(const Sim *sim, const char *name, double pos[3]);
void sim_body_velocity(const Sim *sim, const char *name, double linear[3], double angular[3]);
/* Sum of the forces of contacts on the geoms of a body. */
void sim_contact_force(const Sim *sim, const char *body, double force[3]);

/* ---- mathematics for references ---- */

/* Runge and Kutta's method of fourth order, `steps` of them; dy = rate(t, y). */
typedef void (*OdeRate)(const void *system, double t, const double *y, double *dy);
enum { ODE_MOST = 32 };
void ode_run(OdeRate rate, const void *system, double *y, int count, double from, double to,
             int steps);
double elliptic_k(double k); /* complete elliptic integral of the first kind, of the modulus */
double root_of(double (*f)(double x, const void *system), const void *system, double low,
               double high); /* by bisection; f(low) < 0 < f(high) */
/* A x = b by elimination with pivots; A (n × n) and b are overwritten, x is left in b. */
void solve_linear(double *A, double *b, int n);

#endif

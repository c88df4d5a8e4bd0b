/* table_report.h: what `tenon-bench table` measured, and how it is told: text, CSV, JSON, SVG. */
#ifndef TENON_TABLE_REPORT_H
#define TENON_TABLE_REPORT_H

#include "solver_curve.h"

#include <stdio.h>

/* One scene in one configuration. */
typedef struct TablePart {
    bool measured[CURVE_COUNT];
    SolverCurve curves[CURVE_COUNT];
    int subsystems, bonds;
    int v_star_count;    /* steps whose v* converged */
    double v_star_error; /* m/s, largest of these */
    double contacts, rows;
    uint64_t states; /* hash of the states that all steps start from */
    /* of each step */
    uint64_t *hashes;
    bool *converged;
} TablePart;

typedef struct TableScene {
    const char *name;
    const KnownScene *known;
    int dof, step_count;
    double timestep;
    int64_t ran, counted;
    int64_t *steps; /* which ones were measured */
    bool divisible; /* else both configurations differ in SubADMM alone */
    TablePart parts[CONFIG_COUNT];
} TableScene;

typedef struct Table {
    TableScene *scenes;
    int scene_count;
    int threads, repeats;
    TnSolverDef reference; /* the recorded run's */
} Table;

enum { TARGET_COUNT = 4 };
extern const double table_targets[TARGET_COUNT]; /* AAv 3, 4, 5, 6 */

/* Times to an AAv are told of the defaults, and of the paper's SubADMM. */
bool has_times_to(const TableScene *scene, Configuration c, int solver);
void table_print(const Table *table);
void table_write_csv(FILE *out, const Table *table);
void table_write_json(FILE *out, const Table *table);
int table_plot(const char *path, const Table *table, bool quiet);

#endif

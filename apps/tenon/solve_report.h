/* solve_report.h: what tenon solve tells of a file and a solver: as a list, a row, JSON, CSV. */
#ifndef TENON_SOLVE_REPORT_H
#define TENON_SOLVE_REPORT_H

#include "../common/json.h"
#include "solve_stages.h"

#include <stdio.h>

const char *problem_format_name(const TnProblemFileInfo *info);

void solve_print(const char *path, const TnProblemFileInfo *info, double tolerance,
                 const SolveOutcome *outcome);
void solve_print_heading(void);
void solve_print_row(const char *path, const SolveOutcome *outcome);
void solve_json(Json *json, const char *path, const TnProblemFileInfo *info, double tolerance,
                const SolveOutcome *outcome); /* the keys of an object that is open */
void solve_csv_heading(FILE *out);
void solve_csv_row(FILE *out, const char *path, const TnProblemFileInfo *info,
                   const SolveOutcome *outcome);

#endif

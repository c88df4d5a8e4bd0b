/* hard_report.h: what runs of hard scenes showed, as a table and as JSON. */
#ifndef TENON_HARD_REPORT_H
#define TENON_HARD_REPORT_H

#include "../trials/hard.h"

void hard_print_table(const HardRun *rows, int count, const HardOptions *options);
void hard_print_json(const HardRun *rows, int row_count, const HardRun *runs, int run_count,
                     const HardOptions *options);

#endif

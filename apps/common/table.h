/* table.h: plain-text tables: label and value one per line, and grids with aligned columns. */
#ifndef TENON_TABLE_H
#define TENON_TABLE_H

#include <stdio.h>

/* "  label      value"; the label may hold UTF-8. */
void table_line(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { GRID_MAX_ROWS = 48, GRID_MAX_COLUMNS = 16, GRID_CELL = 40 };

/* Cells in reading order; the first row is the heading. Cells that do not fit are left out. */
typedef struct Grid {
    int columns, cell_count;
    char cells[GRID_MAX_ROWS * GRID_MAX_COLUMNS][GRID_CELL];
} Grid;

void grid_start(Grid *grid, int columns);
void grid_add(Grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void grid_number(Grid *grid, int decimals, double value); /* "-" for NaN */
void grid_print(FILE *out, const Grid *grid);

#endif

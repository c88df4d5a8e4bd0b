/* Text tables; see table.h. */
#include "table.h"

#include <math.h>
#include <stdarg.h>

/* Characters, not bytes: UTF-8 continuation bytes take no column. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void table_line(FILE *out, const char *label, const char *format, ...)
{
    const int label_width = 24;
    int gap = label_width - text_width(label);
    va_list args;
    va_start(args, format);
    fprintf(out, "  %s%*s", label, gap > 1 ? gap : 1, "");
    vfprintf(out, format, args);
    fputc('\n', out);
    va_end(args);
}

void grid_start(Grid *grid, int columns)
{
    grid->columns = columns;
    grid->cell_count = 0;
}

void grid_add(Grid *grid, const char *format, ...)
{
    if (grid->cell_count == grid->columns * GRID_MAX_ROWS) return;
    va_list args;
    va_start(args, format);
    vsnprintf(grid->cells[grid->cell_count++], GRID_CELL, format, args);
    va_end(args);
}

void grid_number(Grid *grid, int decimals, double value)
{
    if (isnan(value))
        grid_add(grid, "-");
    else
        grid_add(grid, "%.*f", decimals, value);
}

void grid_print(FILE *out, const Grid *grid)
{
    int width[GRID_MAX_COLUMNS] = {0};
    for (int i = 0; i < grid->cell_count; i++) {
        int w = text_width(grid->cells[i]);
        if (w > width[i % grid->columns]) width[i % grid->columns] = w;
    }
    for (int i = 0; i < grid->cell_count; i++) {
        int column = i % grid->columns;
        int gap = width[column] - text_width(grid->cells[i]);
        /* names to the left, numbers to the right */
        if (column == 0)
            fprintf(out, "  %s%*s", grid->cells[i], gap, "");
        else
            fprintf(out, "  %*s%s", gap, "", grid->cells[i]);
        if (column == grid->columns - 1) fputc('\n', out);
    }
}

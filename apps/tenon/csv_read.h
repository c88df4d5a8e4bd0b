/* csv_read.h: reads a table of comma-separated values: a header, then rows of as many fields.
 *
 * As RFC 4180 has it: fields may be quoted, a quote inside is written twice, lines end with LF or
 * CRLF. Blank lines count for nothing. Where all fields of the first line are numbers there is no
 * header, and the columns are called 1, 2, 3 ... */
#ifndef TENON_CSV_READ_H
#define TENON_CSV_READ_H

#include <stdbool.h>
#include <stdint.h>

typedef struct CsvTable {
    const char *path; /* for messages */
    char *text;       /* owned, and taken apart in place */
    char *next;       /* the rest of it */
    char **names;     /* owned; the texts are not */
    char *numbers;    /* owned: names by number where there is no header */
    char **fields;    /* owned: of the current row, column_count of them */
    int column_count;
    int64_t line; /* of the current row, counted from 1 */
    int64_t next_line;
    bool first_is_row; /* the first line was no header */
} CsvTable;

/* Reads a file, or stdin for "-". False and a message where it cannot be read or is no table; free
 * it in both cases. */
bool csv_table_read(CsvTable *table, const char *command, const char *path);
void csv_table_free(CsvTable *table);

typedef enum CsvRow { CSV_ROW, CSV_END, CSV_BAD } CsvRow;
/* Moves to the next row; CSV_BAD and a message where its number of fields is wrong. */
CsvRow csv_table_next(CsvTable *table, const char *command);

/* A field as a number: an empty one is NaN. False where it is none. */
bool csv_number(const char *field, double *value);

/* Column by name, or by number from 1; -1 and a message with the names where there is none. */
int csv_table_find(const CsvTable *table, const char *command, const char *option,
                   const char *name);

#endif

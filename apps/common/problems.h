/* problems.h: the lines of a TnError or of remarks, one line per cause.
 *
 * Two lines have one cause if they differ only in their place (file:line:column) and in what stands
 * in quotes. Of more than three lines of one cause the first is printed, with the count and places
 * of the others. */
#ifndef TENON_PROBLEMS_H
#define TENON_PROBLEMS_H

#include "json.h"

/* `count`: problems in all; the text may have fewer lines, which is said. `kind` stands before each
 * line ("error: "), "" for nothing. */
void problems_print(FILE *out, const char *kind, const char *text, int count);
/* The same as an array of `message`, `count`, `lines` and, where there is one, `hint`; a last
 * element without `lines` has the count of what does not fit the text. */
void problems_json(Json *json, const char *key, const char *text, int count);

#endif

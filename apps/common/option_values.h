/* option_values.h: the texts of options, for options.c. */
#ifndef TENON_APP_OPTION_VALUES_H
#define TENON_APP_OPTION_VALUES_H

#include "options.h"

/* False: it is wrong, which was said. */
bool option_read(const char *command, const Option *option, const char *text);
/* Appends the numbers of one argument, separated by commas or blanks; false, and nothing is: it is
 * none. */
bool option_append(const Option *option, const char *text, NumberList *list);

#endif

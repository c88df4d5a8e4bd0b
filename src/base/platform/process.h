/* process.h: the program itself. */
#ifndef TN_PLATFORM_PROCESS_H
#define TN_PLATFORM_PROCESS_H

#include "paths.h"

long tn_process_number(void);
int tn_process_path(char out[TN_PATH]); /* of the program; 0 or an errno */

/* Once, with an argument of main that is not empty: arguments become UTF-8, what is printed is
 * bytes. */
void tn_process_begin(int *argc, char ***argv);

/* Ctrl-C and a request to end call `handler` with these; the second one ends the program. */
enum { TN_INTERRUPT = 2, TN_REQUEST_TO_END = 15 };
void tn_process_on_interrupt(void (*handler)(int which));
void tn_process_on_request_to_end(void (*handler)(int which));
/* Errors of writing, not the end: a file beyond its limit; a pipe that is not read any more. */
void tn_process_goes_on_at_limits(void);
void tn_process_goes_on_unread(void);

#endif

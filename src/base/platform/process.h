/* process.h: the program itself. */
#ifndef TN_PLATFORM_PROCESS_H
#define TN_PLATFORM_PROCESS_H

#include "paths.h"

long tn_process_number(void);
int tn_process_path(char out[TN_PATH]); /* of the program; 0 or an errno */

/* Ctrl-C, which is 2, and a request to end, 15, call `handler`; the second one ends the program. */
void tn_process_on_interrupt(void (*handler)(int which));
void tn_process_on_request_to_end(void (*handler)(int which));
/* Errors of writing, not the end: a file beyond its limit; a pipe that is not read any more. */
void tn_process_goes_on_at_limits(void);
void tn_process_goes_on_unread(void);

#endif

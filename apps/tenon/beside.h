/* beside.h: one job at a time in a thread of its own, beside what its owner does. */
#ifndef TENON_BESIDE_H
#define TENON_BESIDE_H

#include <stdbool.h>

typedef struct Beside Beside;

/* NULL: no memory, or no thread. */
Beside *beside_open(void (*job)(void *context), void *context);
/* Waits for the last job and begins the next. What the job reads must not change until
 * beside_wait. */
void beside_start(Beside *beside);
void beside_wait(Beside *beside);  /* NULL is allowed */
void beside_close(Beside *beside); /* waits; NULL is allowed */

#endif

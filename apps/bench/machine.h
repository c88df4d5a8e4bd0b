/* machine.h: what figures were measured on. */
#ifndef TENON_MACHINE_H
#define TENON_MACHINE_H

#include "../common/json.h"

typedef struct Machine {
    char cpu[128]; /* as the system calls it; "unknown" where it does not tell */
    int cores;     /* that this program may use */
    const char *compiler;
} Machine;

Machine machine_info(void);
void json_machine(Json *json); /* an object "machine", with tenon's version */

#endif

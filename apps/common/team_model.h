/* team_model.h: the model of processes that run one command together (team.h). */
#ifndef TENON_TEAM_MODEL_H
#define TENON_TEAM_MODEL_H

#include <tenon/tenon.h>

/* As load_model, by the first of a team; the others get NULL and its code. */
TnModel *team_load_first(const char *command, const char *path, int *code);
/* As load_model, by all of a team: on each machine one process reads the file, and the others see
 * its memory. Those that cannot, and a single process, read it themselves. */
TnModel *team_load_model(const char *command, const char *path, int *code);

#endif

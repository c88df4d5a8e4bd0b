/* parts_tell.h: pieces of parts.c and parts_tell.c that need each other. */
#ifndef TN_SOLVER_PARTS_TELL_H
#define TN_SOLVER_PARTS_TELL_H

#include "parts.h"

/* ---- parts.c ---- */
/* Which of `count` ranges has it. */
int tn_parts_owner(const int *first, int count, int index);
int tn_parts_block_owner(const TnParts *parts, int block);
int tn_parts_row_owner(const TnParts *parts, int row);
int tn_parts_bond_owner(const TnParts *parts, int bond);

/* ---- parts_tell.c ---- */
/* Tells the others which of their blocks are ghosts here, and lists what goes to whom, as twist
 * blocks of the whole. needed: per own twist block, somebody does. False: no memory. */
bool tn_parts_list_ghosts(TnParts *parts, const uint8_t *twist, int ghost, bool **needed);
/* Contact batches of the part, without ghosts and with. */
bool tn_parts_find_runs(TnParts *parts);
/* A batch joins the last run or begins one; they come in order. */
void tn_run_add(TnRun *runs, int *count, int batch);
/* Blocks of the whole become rows of the part; buffers. */
bool tn_parts_connect(TnParts *parts);

#endif

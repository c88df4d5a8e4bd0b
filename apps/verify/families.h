/* families.h: the families of rows, one file each. */
#ifndef TENON_VERIFY_FAMILIES_H
#define TENON_VERIFY_FAMILIES_H

#include "verify.h"

extern const VerifyFamily verify_free_motion; /* free.c */
extern const VerifyFamily verify_joints;      /* joints.c */
extern const VerifyFamily verify_loops;       /* loops.c */
extern const VerifyFamily verify_contact;     /* contact.c */
extern const VerifyFamily verify_lasting;     /* lasting.c */
extern const VerifyFamily verify_tops;        /* tops.c */
extern const VerifyFamily verify_fast;        /* fast.c */
extern const VerifyFamily verify_stacks;      /* stacks.c */
extern const VerifyFamily verify_cables;      /* cables.c */
extern const VerifyFamily verify_limits;      /* cables_limits.c */
extern const VerifyFamily verify_soft;        /* soft.c */
extern const VerifyFamily verify_sheets;      /* sheets.c */
extern const VerifyFamily verify_simbench;    /* simbench_rows.c */
extern const VerifyFamily verify_accounts;    /* accounts.c */

/* joints_adams.c: rows of the family `joints` */
void joint_adams(Finding *finding, const VerifyRow *row);

#endif

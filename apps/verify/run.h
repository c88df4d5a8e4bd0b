/* run.h: runs rows on threads, and writes what they found. */
#ifndef TENON_VERIFY_RUN_H
#define TENON_VERIFY_RUN_H

#include "verify.h"

#include <stdio.h>

typedef struct VerifyRun {
    const VerifyRow **rows; /* chosen, in the order of the families */
    Finding *findings;      /* one each */
    int count;
    double seconds; /* of the whole run */
} VerifyRun;

/* Runs all rows. `told` is called for each in order, as soon as those before it are done, from one
 * thread at a time. What rows find does not depend on the number of threads. False: no memory. */
bool verify_run(VerifyRun *run, int threads, void (*told)(const VerifyRow *, const Finding *));
void verify_free(VerifyRun *run);

/* page.c: FOLDER/verification.md and its plots, FOLDER/verification/NAME.svg. Returns the exit
 * code. */
int verify_write_page(const char *command, const char *folder, const VerifyRun *run);

/* one line, without its end */
void verify_print_row(FILE *out, const VerifyRow *row, const Finding *finding);
void verify_print_json(FILE *out, const VerifyRun *run);

#endif

/* tenon/mpi.h: ranks (tenon/ranks.h) by MPI. In the library tenon_mpi, which is built with
 * -DTENON_MPI=ON; docs/scaling.md has more. */
#ifndef TENON_MPI_H
#define TENON_MPI_H

#include <tenon/ranks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts MPI unless it runs already. The ranks of all processes of the job; valid until tn_mpi_end.
 */
const TnRanks *tn_mpi_begin(int *argc, char ***argv);
/* All processes end together. `code`: the exit code of this one. If it is not 0 and others do not
 * come to their end within a few seconds, the whole job is ended with it. */
void tn_mpi_end(int code);
/* Work that is worth sharing, see TnRanks.least_work; before worlds are created. */
void tn_mpi_set_least_work(double contacts);

#ifdef __cplusplus
}
#endif
#endif

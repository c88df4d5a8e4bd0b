/* batch_worlds64.cu: batch_worlds.cu with an iteration in double, apart so that compilers share the
 * work. */
#define TN_BATCH_DOUBLE
#include "batch_worlds.cu"

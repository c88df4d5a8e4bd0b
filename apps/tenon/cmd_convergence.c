/* stub */
#include "app.h"
int cmd_convergence(int argc, char **argv) { (void)argc; (void)argv; return EXIT_USAGE; }

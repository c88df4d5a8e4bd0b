/* The command-line program by itself; the Python package has it as `python -m tenon`. */
#include "embed.h"

int main(int argc, char **argv) { return tenon_main(argc, argv); }

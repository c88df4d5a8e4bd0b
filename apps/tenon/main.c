/* The command-line program by itself; the Python package has it as `python -m tenon`. */
#include "embed.h"

#include "platform/process.h"

int main(int argc, char **argv)
{
    tn_process_begin(&argc, &argv);
    return tenon_main(argc, argv);
}

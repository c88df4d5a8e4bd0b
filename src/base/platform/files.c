/* files.c: what is the same on every system (files.h). */
#include "files.h"

bool tn_file_same(const TnFileId *a, const TnFileId *b)
{
    return a->volume == b->volume && a->high == b->high && a->low == b->low;
}

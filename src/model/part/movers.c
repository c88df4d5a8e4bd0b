/* movers.c: see movers.h. */
#include "movers.h"

#include <string.h>

#include "../../base/base.h"
#include "part_cut.h"

TnModel *tn_model_movers(const TnModel *whole, int *links, int *subsystems)
{
    bool *has = tn_calloc((size_t)whole->subsystem_count + 1, sizeof *has);
    TnCutNumbers numbers;
    if (!has) return NULL;
    for (int s = 0; s < whole->subsystem_count; s++)
        has[s] = whole->subsystems[s].kind != TN_SUBSYSTEM_RIGID;
    TnModel *out = tn_model_cut(&(TnCut){.model = whole, .has = has}, &numbers);
    tn_free(has);
    if (!out) return NULL;
    memcpy(links, numbers.links, sizeof(int) * (size_t)out->link_count);
    if (out->subsystem_count)
        memcpy(subsystems, numbers.subsystems, sizeof(int) * (size_t)out->subsystem_count);
    tn_cut_numbers_free(&numbers);
    return out;
}

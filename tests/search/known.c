/* known.c: see known.h. */
#include "known.h"

typedef struct Known {
    Theme theme;
    uint64_t seed;
    Finding finding;
} Known;

static const Known known[] = {
    {THEME_COUNT, 0, FINDING_COUNT}, /* the end */
};

bool is_known(Theme theme, uint64_t seed, Finding finding)
{
    for (int i = 0; known[i].theme != THEME_COUNT; i++)
        if (known[i].theme == theme && known[i].seed == seed && known[i].finding == finding)
            return true;
    return false;
}

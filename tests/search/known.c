/* known.c: see known.h. Of seeds 1 … 450, themes in turn. */
#include "known.h"

typedef struct Known {
    Theme theme;
    uint64_t seed;
    Finding finding;
} Known;

static const Known known[] = {
    /* contacts of bodies and trees that get too deep */
    {THEME_BODIES, 117, FINDING_DEPTH}, {THEME_BOX, 173, FINDING_DEPTH},
    {THEME_SPACE, 181, FINDING_DEPTH}, {THEME_SPACE, 226, FINDING_DEPTH},
    {THEME_BOX, 362, FINDING_DEPTH}, {THEME_BOX, 371, FINDING_DEPTH},
    {THEME_SPACE, 397, FINDING_DEPTH}, {THEME_TREE, 435, FINDING_DEPTH},
    {THEME_BOX, 443, FINDING_DEPTH},
    /* contacts that get too deep where there are cables or soft bodies */
    {THEME_SOFT, 7, FINDING_DEPTH}, {THEME_CABLE, 15, FINDING_DEPTH},
    {THEME_MIXED, 35, FINDING_DEPTH}, {THEME_SOFT, 43, FINDING_DEPTH},
    {THEME_CABLE, 60, FINDING_DEPTH}, {THEME_MIXED, 98, FINDING_DEPTH},
    {THEME_MIXED, 152, FINDING_DEPTH}, {THEME_CABLE, 177, FINDING_DEPTH},
    {THEME_MIXED, 179, FINDING_DEPTH}, {THEME_MIXED, 224, FINDING_DEPTH},
    {THEME_MIXED, 233, FINDING_DEPTH}, {THEME_CABLE, 240, FINDING_DEPTH},
    {THEME_MIXED, 251, FINDING_DEPTH}, {THEME_MIXED, 287, FINDING_DEPTH},
    {THEME_SOFT, 295, FINDING_DEPTH}, {THEME_CABLE, 303, FINDING_DEPTH},
    {THEME_MIXED, 314, FINDING_DEPTH}, {THEME_SOFT, 322, FINDING_DEPTH},
    {THEME_MIXED, 323, FINDING_DEPTH}, {THEME_MIXED, 359, FINDING_DEPTH},
    {THEME_MIXED, 386, FINDING_DEPTH},
    /* segments of a cable that are pressed out of the box */
    {THEME_MIXED, 359, FINDING_ESCAPED},
    /* energy from nowhere */
    {THEME_CABLE, 123, FINDING_CREATED}, {THEME_FLOATING, 355, FINDING_ENERGY},
    {THEME_FLOATING, 355, FINDING_CREATED}, {THEME_TREE, 435, FINDING_CREATED},
    /* beyond half of the limit: rounding decides */
    {THEME_CABLE, 33, FINDING_DEPTH}, {THEME_BOX, 110, FINDING_DEPTH},
    {THEME_BOX, 119, FINDING_DEPTH}, {THEME_LOOP, 131, FINDING_DEPTH},
    {THEME_CABLE, 150, FINDING_DEPTH}, {THEME_MIXED, 170, FINDING_DEPTH},
    {THEME_BOX, 182, FINDING_DEPTH}, {THEME_CABLE, 195, FINDING_DEPTH},
    {THEME_CABLE, 204, FINDING_DEPTH}, {THEME_FLOATING, 211, FINDING_DEPTH},
    {THEME_BODIES, 261, FINDING_DEPTH}, {THEME_MIXED, 305, FINDING_DEPTH},
    {THEME_BOX, 326, FINDING_DEPTH}, {THEME_BOX, 344, FINDING_DEPTH},
    {THEME_CABLE, 447, FINDING_DEPTH}, {THEME_BODIES, 450, FINDING_DEPTH},
};

bool is_known(Theme theme, uint64_t seed, Finding finding)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].theme == theme && known[i].seed == seed && known[i].finding == finding)
            return true;
    return false;
}

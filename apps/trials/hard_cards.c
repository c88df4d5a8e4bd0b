/* A card house of two storeys: two tents, a card across their tops, a tent on it. It stands by
 * friction alone.
 *
 * A card is a box, leaning by alpha from upright towards the middle of its tent. Its upper inner
 * edge meets that of the other card; its upper outer edge is higher by d sin(alpha), and what lies
 * on the tent rests on these. It stands on its lower inner edge, h sin(alpha) beside the middle.
 * Each foot needs a friction of tan(alpha) (w/2 + P)/(w + P) with its weight w and the load P on
 * its top, below tan(20°) = 0.36. */
#include "hard.h"

#include <math.h>

static const double h = 0.088, w = 0.063, d = 0.001; /* m: a card's height, width, thickness */
static const double mass = 0.005;                    /* kg */
static const double alpha = 0.34906585039886591;     /* 20 degrees */
static const double friction = 0.6;
static const double air = 0.002; /* m between the feet of two tents */

static void add_card(HardModel *m, double x, double z, double angle, int level)
{
    const double quat[4] = {cos(angle / 2), 0, sin(angle / 2), 0}; /* about y */
    TnBodyId body = hard_free_body(m, (double[]){x, 0, z}, quat, 0, level);
    hard_box(m, body, (double[]){d / 2, w / 2, h / 2}, mass, friction);
}

/* Upper edges of a tent whose feet are at z = 0. */
static double tent_height(void) { return h * cos(alpha) + d * sin(alpha); }

static void add_tent(HardModel *m, double x, double z, int level)
{
    /* from the lower inner corner (d/2, -h/2) to the card's centre */
    double across = h / 2 * sin(alpha) + d / 2 * cos(alpha);
    double up = h / 2 * cos(alpha) + d / 2 * sin(alpha);
    add_card(m, x - across, z + up, alpha, level);
    add_card(m, x + across, z + up, -alpha, level);
}

void hard_build_cards(HardModel *m, const HardScene *scene, uint64_t seed)
{
    (void)scene, (void)seed;
    double middle = h * sin(alpha) + d * cos(alpha) + air / 2;
    hard_ground(m, friction);
    add_tent(m, -middle, 0, 0);
    add_tent(m, middle, 0, 0);
    add_card(m, 0, tent_height() + d / 2, 1.57079632679489662, 1);
    add_tent(m, 0, tent_height() + d, 2);
    hard_cut_levels(m, 0, 3);
    m->fall = h / 4;
}

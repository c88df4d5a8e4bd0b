/* Stacks of cubes of 10 cm: a tower, a heavy one on a light one, masses that double upwards, and
 * many stacks. Jitter shifts each cube by up to 1.5 mm along x and y, so that no tower stands
 * straight. */
#include "hard.h"

static const double edge = 0.1;      /* m */
static const double jitter = 0.0015; /* m, either way */
static const double friction = 0.5;
static const double stack_pitch = 0.3; /* m between stacks */

static void add_cube(HardModel *m, double x, double y, int level, int group, double mass)
{
    TnBodyId body =
        hard_free_body(m, (double[]){x, y, edge * (level + 0.5)}, hard_upright, group, level);
    hard_box(m, body, (double[]){edge / 2, edge / 2, edge / 2}, mass, friction);
}

/* Numbers are drawn x, y, from the ground up: scenes/make_hard.py does the same. */
static void add_stack(HardModel *m, double x, double y, int count, int group, uint64_t *random)
{
    for (int i = 0; i < count; i++) {
        double dx = jitter * hard_random(random), dy = jitter * hard_random(random);
        add_cube(m, x + dx, y + dy, i, group, 1);
    }
    hard_cut_levels(m, group, count);
}

void hard_build_tower(HardModel *m, const HardScene *scene, uint64_t seed)
{
    uint64_t random = hard_seed(seed);
    hard_ground(m, friction);
    add_stack(m, 0, 0, scene->count, 0, &random);
}

void hard_build_heavy(HardModel *m, const HardScene *scene, uint64_t seed)
{
    (void)seed;
    hard_ground(m, friction);
    add_cube(m, 0, 0, 0, 0, 1);
    add_cube(m, 0, 0, 1, 0, scene->number);
    hard_cut_levels(m, 0, 2);
}

void hard_build_doubling(HardModel *m, const HardScene *scene, uint64_t seed)
{
    (void)seed;
    double mass = 1;
    hard_ground(m, friction);
    for (int i = 0; i < scene->count; i++, mass *= 2) add_cube(m, 0, 0, i, 0, mass);
    hard_cut_levels(m, 0, scene->count);
}

/* Ten high, on a grid of 40 columns. */
void hard_build_stacks(HardModel *m, const HardScene *scene, uint64_t seed)
{
    enum { HEIGHT = 10, COLUMNS = 40 };
    uint64_t random = hard_seed(seed);
    hard_ground(m, friction);
    for (int i = 0; i < scene->count; i++)
        add_stack(m, stack_pitch * (i % COLUMNS - 0.5 * (COLUMNS - 1)),
                  stack_pitch * (i / COLUMNS - 0.5 * ((scene->count - 1) / COLUMNS)), HEIGHT, i,
                  &random);
}

/* A pyramid of boxes and a brick wall: everything rests on two below. */
#include "hard.h"

static const double friction = 0.5;

/* Rows of count, count - 1, ... 1 boxes of 1 kg, a fifth of their width apart. */
void hard_build_pyramid(HardModel *m, const HardScene *scene, uint64_t seed)
{
    const double edge = 0.1, pitch = 1.2 * edge;
    (void)seed;
    hard_ground(m, friction);
    for (int row = 0; row < scene->count; row++)
        for (int i = 0; i < scene->count - row; i++) {
            double x = pitch * (i - 0.5 * (scene->count - row - 1));
            TnBodyId body =
                hard_free_body(m, (double[]){x, 0, edge * (row + 0.5)}, hard_upright, 0, row);
            hard_box(m, body, (double[]){edge / 2, edge / 2, edge / 2}, 1, friction);
        }
    hard_cut_levels(m, 0, scene->count);
}

/* Running bond: rows of `count` bricks, and in between rows of count - 1 and a half one at each
 * end. All rows have the same length, and bricks of a row touch each other. Eight rows of twelve
 * are 100 bricks. */
void hard_build_wall(HardModel *m, const HardScene *scene, uint64_t seed)
{
    enum { ROWS = 8 };
    const double length = 0.2, width = 0.1, height = 0.08, mass = 3;
    (void)seed;
    hard_ground(m, friction);
    for (int row = 0; row < ROWS; row++) {
        double x = -0.5 * length * scene->count;
        int bricks = scene->count + row % 2;
        for (int i = 0; i < bricks; i++) {
            bool half = row % 2 && (i == 0 || i == bricks - 1);
            double own = half ? length / 2 : length;
            TnBodyId body = hard_free_body(m, (double[]){x + own / 2, 0, height * (row + 0.5)},
                                           hard_upright, 0, row);
            hard_box(m, body, (double[]){own / 2, width / 2, height / 2}, half ? mass / 2 : mass,
                     friction);
            x += own;
        }
    }
    hard_cut_levels(m, 0, ROWS);
}

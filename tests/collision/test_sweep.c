/* When two shapes of which one spins first touch: where tn_sweep says that they meet, they are
 * apart by no more than it calls touching, and they were apart before. */
#include "../check.h"
#include "../random.h"

#include "collision/collider.h"
#include "math/vec3.h"

static const double REACH = 0.11, THIN = 0.02, T = 0.02, NEAR = 0.004;

static double gap_at(const TnMover *a, const TnMover *b, double time)
{
    TnTransform at[2];
    TnManifold m;
    tn_mover_at(a, time, &at[0]);
    tn_mover_at(b, time, &at[1]);
    if (!tn_collide(a->shape, &at[0], b->shape, &at[1], 1.0, &m)) return INFINITY;
    double gap = INFINITY;
    for (int k = 0; k < m.count; k++) gap = fmin(gap, m.points[k].gap);
    return gap;
}

/* A rod turns by up to a radian in the step and drifts into a wall: only a small part of how fast
 * its ends are closes the gap, and so advancement takes many small steps. Those were too few: rods
 * met the wall 4 mm off it. */
TEST(spinning_rods_meet_a_wall_where_they_touch_it)
{
    static const double still[6] = {0.0};
    Random r = {7};
    TnShape rod = {.type = TN_GEOM_BOX, .size = {THIN, THIN, 0.1}},
            wall = {.type = TN_GEOM_BOX, .size = {1.0, 0.1, 1.0}};
    int met = 0;
    for (int i = 0; i < 400; i++) {
        TnTransform place,
            base = {.pos = {0.0, -0.1, 0.0}, .rot = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
        double quat[4], twist[6], at_time;
        for (int k = 0; k < 4; k++) quat[k] = uniform(&r);
        quat_normalize(quat);
        quat_to_m3(place.rot, quat);
        v3_set(place.pos, 0.0, 0.075 + 0.045 * uniform(&r), 0.0);
        for (int k = 0; k < 6; k++) twist[k] = k < 3 ? uniform(&r) : 30.0 * uniform(&r);
        TnMover a = {&rod, &place, place.pos, twist, REACH, THIN},
                b = {&wall, &base, base.pos, still, 0.0, 0.1};
        TnManifold start;
        TnTransform at[2];
        if (!tn_collide(&rod, &place, &wall, &base, 1.0, &start) || !(gap_at(&a, &b, 0.0) > NEAR))
            continue;
        if (tn_sweep(&a, &b, T, NEAR, false, &start, &at_time, at) != TN_MEETS) continue;
        met++;
        /* touching is 1e-3 of the thinner half, and the manifold's nearest point may be 1e-6 of its
         * size off */
        CHECK(gap_at(&a, &b, at_time) < 1.1e-3 * THIN);
        CHECK(gap_at(&a, &b, 0.99 * at_time) > -1e-6);
    }
    CHECK(met > 30);
}

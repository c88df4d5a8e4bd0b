/* chip_step.h: the last part of a step: the new state of a world, its last forces, and its report.
 */
#ifndef TN_GPU_CHIP_STEP_H
#define TN_GPU_CHIP_STEP_H

#include "chip_find.h"

namespace tn
{

/* Where a body will be. */
struct Next {
    double qpos[7], qvel[6];
};

/* `bad`: where one of them is not. */
TN_DEVICE inline void advance_chip_body(const Worlds &b, WorldHead &s, const Chip &c, int i,
                                        Next &next)
{
    TN_ONE_BODY(i)
    double vhat[6], way[6];
    for (int k = 0; k < 6; k++) vhat[k] = system.v_free[k] + c.v_end[k * b.body_count + i];
    tn_rigid_way(&in, system.v, vhat, c.pushed[i] ? 1.0 : 0.0, 1.0, way);
    tn_rigid_advance(&in, 0, &frame, &system, vhat, way, next.qpos, next.qvel);
    for (int k = 0; k < 7; k++)
        if (!(fabs(next.qpos[k]) < 1e10) || (k < 6 && !(fabs(next.qvel[k]) < 1e10))) s.bad = true;
}

TN_DEVICE inline void keep_chip_body(const Worlds &b, const WorldHead &s, int i, const Next &next)
{
    double *q = qpos_of(b, s, i), *v = qvel_of(b, s, i);
    for (int k = 0; k < 7; k++) q[k] = next.qpos[k];
    for (int k = 0; k < 6; k++) v[k] = next.qvel[k];
}

/* Each thread holds where its bodies, `own` at most, will be until the step is known to be good.
 */
template <int own>
TN_DEVICE inline void end_part(const Block &block, const Worlds &b, ChipHead &s, const Chip &c)
{
    Held<Next, own> next;
    next.each(block, b.body_count, [&](Next &to, int i) { advance_chip_body(b, s, c, i, to); });
    block.sync();
    if (s.bad) {
        block.once([&] { close_step(b, s); });
        return;
    }
    next.each(block, b.body_count, [&](Next &from, int i) { keep_chip_body(b, s, i, from); });
    forget_forces(block, b, s);
    block.alone([&] { close_step(b, s); });
    int count = s.contact_count;
    block.each(count, [&](int i) {
        int record = c.list[i], geom = c.key_geom[record];
        auto is_other = [&](int k) { return c.key_geom[c.list[k]] != geom; };
        keep_force(b, s, i, c.key[record], geom, i == 0 || is_other(i - 1),
                   i == count - 1 || is_other(i + 1), c.lambda[record]);
    });
    take_mocap(block, b, s);
}

} // namespace tn
#endif

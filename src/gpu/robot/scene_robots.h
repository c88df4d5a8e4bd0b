/* scene_robots.h: a step of a scene with robots, cables and soft bodies: the device's part and the
 * host's, in turn (TnGpuCarried in gpu.h).
 *
 *     host     dynamics of robots; places of their links
 *     device   collision                        host, meanwhile: their equations
 *     host     contacts of soft bodies with free ones that are near, which the device has sent
 *     host     other equations where contacts will push what minds; this waits for collision
 *     device   contacts, factors, the solve, v̂ and λ
 *     host     whether these make other equations: then the solve again; how all move
 *     device   free bodies, and contacts that were missed: with these the solve again
 *     host     the new state of robots */
#ifndef TN_GPU_SCENE_ROBOTS_H
#define TN_GPU_SCENE_ROBOTS_H

#include "../scene.h"

namespace tn
{

/* The host's equations go to the device; not finite: the step is refused. */
template <class R> void Scene<R>::write_equations(bool again)
{
    const TnGpuCarried *c = def.carried;
    if (again) fetch_equations();
    if (!c->write(c->user, again)) refused = true;
    for (int g = 0; g < c->group_count; g++)
        *carried.row_counts[(size_t)g] = c->groups[g].row_count;
    if (c->soft_count && !refused) {
        upload_softs(q, carried, c, again);
        size_for_softs();
    }
    carried.equations.upload(q);
}

/* Launches over unknowns are as large as the step needs, and a quarter more. */
template <class R> void Scene<R>::size_for_softs()
{
    const TnGpuCarried *c = def.carried;
    int most = carried.fixed_unknowns;
    for (int g = 0; g < c->group_count; g++)
        if (c->groups[g].soft && c->groups[g].used > most) most = c->groups[g].used;
    if (most <= s.most_unknowns && s.most_unknowns < 2 * most + 96) return;
    s.most_unknowns = most + most / 4 + 24;
    forget_graphs();
}

/* What may touch soft bodies; then the host finds contacts. Collision has run. */
template <class R> void Scene<R>::find_soft_contacts()
{
    TnGpuCarried *c = def.carried;
    wait(q);
    if (q.failed) return;
    if (*carried.near_count > s.near_room) {
        Twin larger;
        s.near_room = *carried.near_count + *carried.near_count / 4;
        larger.reserve<TnGpuNear>((size_t)s.near_room);
        larger.take(q, own);
        if (q.failed) return;
        host_delete(carried.near.host);
        carried.near = larger;
        c->near = larger.on_host<TnGpuNear>(0);
        s.near = larger.on_device<TnGpuNear>(0);
        forget_graphs();
        find_near(q, s);
    }
    carried.near.used = sizeof(TnGpuNear) * (size_t)*carried.near_count;
    carried.near.download(q);
    wait(q);
    c->near_count = *carried.near_count;
    if (!q.failed && !c->touch(c->user)) refused = true;
}

/* What was found, for the host. */
template <class R> void Scene<R>::fetch_equations()
{
    const TnGpuCarried *c = def.carried;
    for (int g = 0; g < c->group_count; g++) {
        const TnGpuGroup &group = c->groups[g];
        memcpy(group.v, carried.vhat[(size_t)g], sizeof(double) * (size_t)group.dim);
        for (int r = 0; r < group.row_count; r++)
            group.rows[r].lambda = carried.lambda[(size_t)g][r];
    }
}

/* To the tolerance or the count, and as often as what is found makes other equations; then how all
 * move. */
template <class R> void Scene<R>::solve_with_host(TnGpuReport *report)
{
    const TnGpuCarried *c = def.carried;
    for (int pass = 0;; pass++) {
        bool changed = false;
        solve(report);
        if (q.failed || outcome->judged.bad) return;
        fetch_equations();
        if (!c->check(c->user, &changed)) refused = true;
        if (refused || !changed || pass == TN_REPEATS) break;
        write_again(SOFTER);
        report->passes++;
    }
    carried.ways.upload(q);
    play(TAIL);
    wait(q);
}

/* Up to where all move. */
template <class R> void Scene<R>::step_with_host(TnGpuReport *report)
{
    const TnGpuCarried *c = def.carried;
    bool changed = false;
    refused = !c->begin(c->user);
    if (refused) return;
    carried.places.upload(q);
    play(COLLIDE);
    if (c->soft_count) find_soft_contacts();
    if (c->minds(c->user)) {
        wait(q);
        if (q.failed || refused) return;
        if (!c->replan(c->user, &changed)) refused = true;
    }
    write_equations(false);
    if (refused) return;
    play(WRITE);
    solve_with_host(report);
}

} // namespace tn
#endif

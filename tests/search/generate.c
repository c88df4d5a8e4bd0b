/* generate.c: random models by theme. */
#include <string.h>

#include "draft.h"

const char *const theme_names[THEME_COUNT] = {"bodies", "space", "box",  "tree", "floating",
                                              "loop",   "cable", "soft", "mixed"};

static void region(Draft *d, double width, double floor, double top)
{
    for (int k = 0; k < 2; k++) {
        d->low[k] = -width;
        d->high[k] = width;
    }
    d->low[2] = floor;
    d->high[2] = top;
}

static void theme_bodies(Draft *d)
{
    region(d, 0.6, 0.0, 0.9);
    add_floor(d);
    bool flat = d->sketch->parts[0].n[N_TURN_Y] == 0.0;
    if (!flat) region(d, 0.6, 0.4, 1.2);
    double scale = between(d, 0.04, 0.1);
    if (flat && chance(d, 0.3)) add_stack(d, scale, 1 + pick(d, 4));
    for (int i = 1 + pick(d, 6); i > 0; i--) add_free(d, scale * between(d, 0.7, 1.3));
    if (chance(d, 0.2)) add_obstacle(d, scale);
    if (chance(d, 0.1)) add_loop(d, 1, chance(d, 0.3));
}

static void theme_space(Draft *d)
{
    region(d, 0.5, -0.5, 0.5);
    double scale = between(d, 0.04, 0.12);
    for (int i = 2 + pick(d, 5); i > 0; i--) {
        int body = add_free(d, scale * between(d, 0.7, 1.3));
        if (chance(d, 0.8)) aim(d, body);
    }
    if (chance(d, 0.2)) add_loop(d, 0, false);
}

static void theme_box(Draft *d)
{
    double half = between(d, 0.3, 0.5);
    region(d, half, -half, half);
    add_walls(d);
    double scale = between(d, 0.04, 0.08);
    for (int i = 1 + pick(d, 7); i > 0; i--) add_free(d, scale * between(d, 0.7, 1.3));
    if (chance(d, 0.2)) add_obstacle(d, scale);
}

static void theme_tree(Draft *d, bool loops)
{
    bool closed = d->sketch->gravity == 0.0 && chance(d, 0.5);
    d->fixed_base = !closed && chance(d, 0.7);
    region(d, 1.2, closed ? -1.2 : 0.0, closed ? 1.2 : 2.4);
    if (!closed && chance(d, 0.4)) add_floor(d);
    double scale = between(d, 0.04, 0.1);
    if (d->sketch->part_count && d->sketch->parts[0].n[N_TURN_Y] != 0.0) region(d, 1.2, 0.6, 3.0);
    for (int i = chance(d, 0.8) ? 1 : 2; i > 0; i--) {
        int from = d->sketch->part_count;
        if (add_tree(d, scale, 1 + pick(d, 6)) < 0) continue;
        add_tree_extras(d, from, closed);
        for (int k = 1 + pick(d, 2); loops && k > 0; k--)
            add_loop(d, from, !closed && chance(d, 0.4));
    }
    if (chance(d, 0.3)) aim(d, add_free(d, scale));
    if (loops && chance(d, 0.2)) add_loop(d, 0, false);
}

static void theme_floating(Draft *d)
{
    d->sketch->gravity = 0.0;
    region(d, 1.2, -1.2, 1.2);
    double scale = between(d, 0.04, 0.1);
    for (int i = 1 + pick(d, 2); i > 0; i--) {
        int from = d->sketch->part_count;
        if (add_tree(d, scale, 2 + pick(d, 5)) >= 0) add_tree_extras(d, from, true);
    }
    for (int i = pick(d, 3); i > 0; i--) aim(d, add_free(d, scale));
}

static void theme_elastic(Draft *d, bool cable)
{
    bool closed = d->sketch->gravity == 0.0 && chance(d, 0.7);
    d->fixed_base = !closed && chance(d, 0.7);
    region(d, 0.7, closed ? -0.7 : 0.0, closed ? 0.7 : 1.4);
    if (!closed && chance(d, 0.6)) add_floor(d);
    double scale = between(d, 0.03, 0.06);
    if (d->sketch->part_count && d->sketch->parts[0].n[N_TURN_Y] != 0.0) region(d, 0.7, 0.4, 1.8);
    for (int i = pick(d, 3); i > 0; i--) aim(d, add_free(d, scale));
    if (chance(d, 0.3)) add_tree(d, scale, 1 + pick(d, 3));
    for (int i = chance(d, 0.7) ? 1 : 2; i > 0; i--) {
        if (cable)
            add_cable(d, closed);
        else
            add_soft(d, closed);
    }
}

static void theme_mixed(Draft *d)
{
    bool closed = d->sketch->gravity == 0.0 && chance(d, 0.5);
    region(d, 0.9, closed ? -0.9 : 0.0, closed ? 0.9 : 1.8);
    if (!closed && chance(d, 0.3))
        add_walls(d);
    else if (!closed)
        add_floor(d);
    if (d->sketch->part_count && d->sketch->parts[0].n[N_TURN_Y] != 0.0) region(d, 0.9, 0.5, 2.3);
    double scale = between(d, 0.03, 0.07);
    for (int i = 3 + pick(d, 5); i > 0; i--) {
        d->fixed_base = !closed && chance(d, 0.5);
        switch (pick(d, 5)) {
        case 0:
            add_cable(d, closed);
            break;
        case 1:
            add_soft(d, closed);
            break;
        case 2: {
            int from = d->sketch->part_count;
            if (add_tree(d, scale, 1 + pick(d, 4)) >= 0) add_tree_extras(d, from, closed);
            break;
        }
        default:
            aim(d, add_free(d, scale * between(d, 0.7, 1.3)));
        }
    }
    if (chance(d, 0.3)) add_loop(d, 0, false);
}

/* Neighbouring seeds start far apart (the finalizer of splitmix64). */
static uint64_t scatter(uint64_t x)
{
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static const double timesteps[] = {0.001, 0.002, 0.005, 0.01, 0.02};

static Draft begin(Sketch *s, uint64_t seed, uint64_t start)
{
    Draft d = {.sketch = s, .slow = 1.0};
    d.random.state = scatter(start);
    memset(s, 0, sizeof *s);
    s->seed = seed;
    return d;
}

void sketch_generate(Sketch *s, uint64_t seed, Theme theme)
{
    Draft d = begin(s, seed, seed * THEME_COUNT + (uint64_t)theme);
    s->timestep = timesteps[pick(&d, 5)];
    s->gravity = chance(&d, 0.7) ? 9.81 : 0.0;
    s->steps = 100 + 50 * pick(&d, 5);
    if (chance(&d, 0.3)) d.slow = 0.1;
    switch (theme) {
    case THEME_BODIES:
        theme_bodies(&d);
        break;
    case THEME_SPACE:
        s->gravity = 0.0;
        theme_space(&d);
        break;
    case THEME_BOX:
        theme_box(&d);
        break;
    case THEME_TREE:
    case THEME_LOOP:
        theme_tree(&d, theme == THEME_LOOP);
        break;
    case THEME_FLOATING:
        theme_floating(&d);
        break;
    case THEME_CABLE:
    case THEME_SOFT:
        theme_elastic(&d, theme == THEME_CABLE);
        break;
    case THEME_MIXED:
    case THEME_COUNT:
        theme_mixed(&d);
        break;
    }
    sketch_calm(s);
}

void sketch_generate_lossless(Sketch *s, uint64_t seed, Theme theme)
{
    Draft d = begin(s, seed, ~(seed * THEME_COUNT + (uint64_t)theme));
    s->lossless = true;
    s->timestep = timesteps[pick(&d, 5)];
    s->gravity = 9.81;
    s->steps = (int)(2.0 / s->timestep);
    draw_lossless(&d, theme);
    sketch_calm(s);
    sketch_rest(s);
}

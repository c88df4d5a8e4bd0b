/* lossless.c: models that keep their energy. No friction, damping or drive; where friction is
 * large, nothing slips. Nothing is hit: what touches lies from the start on what is fixed and is
 * heavy enough to stay there, and all else touches nothing. All motion is slow enough for steps of
 * 20 ms to resolve it. */
#include <math.h>

#include "draft.h"

#define DEGREES 57.29577951308232
#define SLOWEST 0.02 /* s: the longest step, which must resolve elastic waves, too */

/* ---- what is fixed ---- */

typedef struct Ground {
    double slope;  /* degrees about y */
    double valley; /* degrees about x of either side; 0: flat */
} Ground;

static void add_side(Draft *d, double valley, double slope)
{
    Part *p = add_part(d, PART_STATIC);
    if (!p) return;
    p->form = valley == 0.0 && slope == 0.0 && chance(d, 0.5) ? FORM_BOX : FORM_PLANE;
    p->n[N_SIZE_X] = p->n[N_SIZE_Y] = 5.0;
    p->n[N_SIZE_Z] = 0.25;
    if (p->form == FORM_BOX) p->n[N_Z] = -0.25;
    p->n[N_TURN_X] = valley;
    p->n[N_TURN_Y] = slope;
}

static Ground add_ground(Draft *d, double slopes)
{
    Ground g = {.slope = chance(d, slopes) ? round(between(d, 2, 5)) : 0.0};
    add_side(d, 0.0, g.slope);
    return g;
}

static Ground add_valley(Draft *d)
{
    Ground g = {chance(d, 0.2) ? round(between(d, 2, 5)) : 0.0, round(between(d, 30, 50))};
    add_side(d, g.valley, g.slope);
    add_side(d, -g.valley, g.slope);
    return g;
}

/* ---- free bodies that lie ---- */

/* A velocity along the ground, and a spin that leaves what touches where it is. */
static void slide_along(Draft *d, Part *p, Ground g, double speed)
{
    static const int spins[] = {N_SPIN_X, N_SPIN_Y, N_SPIN_Z};
    double along = between(d, -speed, speed), slope = g.slope / DEGREES;
    bool lying = p->form == FORM_CAPSULE || p->form == FORM_CYLINDER;
    if (g.valley != 0.0) slope = atan(tan(slope) / cos(g.valley / DEGREES));
    p->n[N_VEL_X] = along * cos(slope);
    p->n[N_VEL_Y] = g.valley == 0.0 ? between(d, -speed, speed) : 0.0;
    p->n[N_VEL_Z] = -along * sin(slope);
    if (p->form == FORM_SPHERE) {
        for (int k = 0; k < 3; k++) p->n[spins[k]] = between(d, -4, 4);
    } else if (g.valley == 0.0 && p->form != FORM_ELLIPSOID) {
        bool upright = !lying || p->n[N_TURN_X] == 0.0;
        p->n[upright ? (lying && p->n[N_TURN_Y] >= 90.0 ? N_SPIN_X : N_SPIN_Z) : N_SPIN_Y] =
            between(d, -4, 4);
    }
}

/* Upright, or lying on its side; ellipsoids stand tilted, and rock. */
static void lay(Draft *d, Part *p, Ground g)
{
    double across = g.slope, *turn = p->n + N_TURN_X;
    if (g.valley != 0.0) across = DEGREES * atan(tan(g.slope / DEGREES) / cos(g.valley / DEGREES));
    bool round_side = p->form == FORM_CAPSULE || (p->form == FORM_CYLINDER && chance(d, 0.4));
    if (round_side && g.slope == 0.0 && g.valley == 0.0) {
        turn[0] = 90.0;
        turn[1] = round(between(d, 0, 180));
    } else {
        turn[1] = round_side ? across + 90.0 : across;
        if (!round_side && g.valley == 0.0) turn[2] = round(between(d, -180, 180));
    }
    if (p->form != FORM_ELLIPSOID) return;
    turn[0] = round(between(d, -25, 25));
    p->n[N_SIZE_Z] = digits3(0.7 * fmin(p->n[N_SIZE_X], p->n[N_SIZE_Y]));
}

static Part *add_lying(Draft *d, double scale, Ground g)
{
    static const int in_valley[] = {FORM_SPHERE, FORM_CAPSULE};
    Part *p = add_part(d, PART_BODY);
    if (!p) return NULL;
    p->a = WORLD;
    p->joint = JOINT_FREE;
    p->rests = true;
    add_shape(d, p, scale);
    if (g.valley != 0.0) p->form = in_valley[pick(d, 2)];
    p->n[N_X] = between(d, -1, 1);
    if (g.valley == 0.0) p->n[N_Y] = between(d, -1, 1);
    lay(d, p, g);
    return p;
}

/* Sticks: rolls from rest, or rocks, or stands. */
static void stick(Draft *d)
{
    for (int i = 0; i < d->sketch->part_count; i++) d->sketch->parts[i].n[N_FRICTION] = 2.0;
}

static void draw_bodies(Draft *d)
{
    bool sticks = chance(d, 0.3);
    Ground g = chance(d, 0.2) && !sticks ? add_valley(d) : add_ground(d, 0.2);
    for (int i = 1 + pick(d, 3); i > 0; i--) {
        Part *p = add_lying(d, between(d, 0.04, 0.1), g);
        if (p && !sticks) slide_along(d, p, g, p->form == FORM_ELLIPSOID ? 0.2 : 0.6);
    }
    if (sticks) stick(d);
}

/* ---- trees ---- */

static void add_links(Draft *d, int from, double scale, int count)
{
    d->slow = 0.5;
    for (int i = 0; i < count; i++) {
        int last = d->sketch->part_count - 1, parent = chance(d, 0.7) ? last : from;
        int link = add_link(d, parent, scale);
        if (link < 0) return;
        const Part *on = &d->sketch->parts[parent];
        if (parent != from) d->sketch->parts[link].n[N_X] = digits3(2.0 * on->n[N_AHEAD]);
    }
}

/* A base that lies, so heavy that what swings on it does not lift it. */
static int add_cart(Draft *d, Ground g, int count)
{
    static const int forms[] = {FORM_BOX, FORM_BOX, FORM_CYLINDER, FORM_MESH};
    int base = d->sketch->part_count;
    Part *p = add_lying(d, 0.1, g);
    if (!p) return NOBODY;
    if (g.valley == 0.0) {
        p->form = forms[pick(d, 4)];
        p->n[N_TURN_X] = 0.0;
        p->n[N_TURN_Y] = g.slope;
        p->n[N_SIZE_X] = between(d, 0.2, 0.3);
        p->n[N_SIZE_Y] = p->form == FORM_CYLINDER ? 0.04 : between(d, 0.2, 0.3);
        p->n[N_SIZE_Z] = 0.04;
    }
    add_links(d, base, between(d, 0.03, 0.06), count);
    double load = 0.0;
    for (int i = base + 1; i < d->sketch->part_count; i++) load += part_mass(&d->sketch->parts[i]);
    p->n[N_DENSITY] = digits3(p->n[N_DENSITY] * (1e-3 + between(d, 4, 8) * load) / part_mass(p));
    return base;
}

/* A link of a chain with a spring; the part's index is the last one's. */
static Part *add_guide(Draft *d, int parent, int joint, int axis, double ahead)
{
    int i = add_link(d, parent, 0.05);
    if (i < 0) return NULL;
    Part *p = &d->sketch->parts[i];
    p->joint = joint;
    for (int k = 0; k < 3; k++) {
        p->n[N_AXIS_X + k] = k == axis;
        p->n[N_TURN_X + k] = p->n[N_SPIN_X + k] = 0.0;
    }
    p->n[N_AHEAD] = ahead;
    p->n[N_STIFFNESS] = p->n[N_SPRING_REF] = 0.0;
    return p;
}

/* Moves in a plane on springs; its last link hangs on a vertical slide and lies on the floor. */
static void add_scara(Draft *d)
{
    int parent = WORLD;
    double rate = between(d, 4, 12), mass = 0.0;
    for (int i = 1 + pick(d, 2); i > 0; i--) {
        bool hinge = chance(d, 0.5);
        Part *p =
            add_guide(d, parent, hinge ? JOINT_HINGE : JOINT_SLIDE, hinge ? 2 : pick(d, 2), 0.2);
        if (!p) return;
        mass = 1.2 * part_mass(p);
        p->n[N_STIFFNESS] = digits3(mass * rate * rate * (hinge ? 0.05 : 1.0));
        p->n[N_SPIN_X] = between(d, -1, 1) * (hinge ? 3.0 : 0.5);
        if (parent != WORLD) p->n[N_X] = 0.3;
        parent = d->sketch->part_count - 1;
    }
    Part *foot = add_guide(d, parent, JOINT_SLIDE, 2, 0.0);
    if (!foot) return;
    foot->n[N_X] = 0.3;
    foot->rests = true;
}

/* A body on a vertical slide above a thigh, a shank and a round foot, held by springs. */
static void add_knee(Draft *d)
{
    double bent = round(between(d, 30, 60)), length = between(d, 0.3, 0.5);
    Part *body = add_guide(d, WORLD, JOINT_SLIDE, 2, 0.0);
    if (!body) return;
    body->form = FORM_BOX;
    double force = part_mass(body) * 9.81, arm = length * sin(bent / DEGREES);
    for (int i = 0; i < 2; i++) {
        Part *p =
            add_guide(d, d->sketch->part_count - 1, JOINT_HINGE, 1, i ? length : 0.5 * length);
        if (!p) return;
        p->form = i ? FORM_SPHERE : FORM_CAPSULE;
        p->n[N_SIZE_X] = 0.02;
        p->n[N_SIZE_Y] = 0.3 * length;
        p->n[N_TURN_Y] = i ? -2.0 * bent : 90.0 + bent;
        if (i) p->n[N_X] = length;
        p->rests = i;
        double rate = between(d, 9, 14); /* the weight on a bent knee is a spring that pushes */
        p->n[N_STIFFNESS] = digits3(force / 9.81 * length * length * rate * rate);
        if (i) /* the knee alone carries the body */
            p->n[N_SPRING_REF] =
                digits3(between(d, 0.7, 1.2) * DEGREES * force * arm / p->n[N_STIFFNESS]);
    }
}

static void draw_tree(Draft *d)
{
    bool sticks = chance(d, 0.3);
    int what = pick(d, 4);
    Ground g = add_ground(d, what > 1 && !sticks ? 0.3 : 0.0);
    if (what == 0)
        add_scara(d);
    else if (what == 1)
        add_knee(d);
    else
        add_cart(d, g, 1 + pick(d, 3));
    if (sticks && what > 1) stick(d);
}

static void draw_floating(Draft *d)
{
    if (chance(d, 0.5)) d->sketch->gravity = 0.0;
    int base = d->sketch->part_count;
    Part *p = add_part(d, PART_BODY);
    p->a = WORLD;
    p->joint = chance(d, 0.5) ? JOINT_FREE : JOINT_HINGE;
    p->n[N_AXIS_Y] = 1.0;
    add_shape(d, p, 0.06);
    if (p->joint == JOINT_HINGE) p->n[N_AHEAD] = 0.1;
    for (int k = 0; k < 3; k++) p->n[N_SPIN_X + k] = between(d, -3, 3);
    add_links(d, base, 0.05, 1 + pick(d, 4));
}

static void draw_space(Draft *d)
{
    d->sketch->gravity = 0.0;
    for (int i = 1 + pick(d, 3); i > 0; i--) {
        Part *p = add_lying(d, 0.1, (Ground){0.0, 0.0});
        for (int k = 0; p && k < 6; k++) p->n[N_VEL_X + k] = between(d, -3, 3);
        if (p) p->rests = false;
    }
}

static void draw_loop(Draft *d)
{
    Ground g = chance(d, 0.7) ? add_ground(d, 0.2) : add_valley(d);
    int base = add_cart(d, g, 2 + pick(d, 3));
    if (base < 0) return;
    add_loop(d, base + 1, false);
    if (chance(d, 0.5)) add_coupling(d, base + 1, PART_EQUALITY);
}

/* ---- cables and soft bodies ---- */

/* Along the ground and across its slope. */
static void lay_cable(Draft *d, Ground g)
{
    Part *p = add_part(d, PART_CABLE);
    if (!p) return;
    p->count = 3 + pick(d, 10);
    p->n[N_SIZE_X] = between(d, 0.01, 0.02);
    p->n[N_AHEAD] = digits3(p->count * p->n[N_SIZE_X] * between(d, 3.0, 5.0));
    p->n[N_DENSITY] = between(d, 500, 3000);
    p->n[N_TURN_Z] = g.slope != 0.0 ? 90.0 : round(between(d, -180, 180));
    /* a segment bends at √(E/ρ) r/l² at most */
    double segment = p->n[N_AHEAD] / p->count, rate = 0.3 / SLOWEST * segment * segment;
    rate /= p->n[N_SIZE_X];
    p->n[N_YOUNG] = digits3(p->n[N_DENSITY] * rate * rate * between(d, 0.1, 1.0));
    p->rests = true;
    p->joint = chance(d, 0.5);
    if (g.slope != 0.0)
        p->a = WORLD;
    else {
        p->n[N_VEL_X] = between(d, -0.5, 0.5);
        p->n[N_SPIN_Z] = between(d, -3, 3);
    }
}

static void draw_cable(Draft *d)
{
    Ground g = add_ground(d, 0.7);
    lay_cable(d, g);
    if (chance(d, 0.3)) add_cart(d, g, 1);
}

/* Its own weight, which is chosen to compress it by some per cent, makes it swing. */
static void lay_soft(Draft *d, Ground g)
{
    Part *p = add_part(d, PART_SOFT);
    if (!p) return;
    p->form = chance(d, 0.5) ? 0 : 2;
    p->count = 1 + pick(d, 3);
    for (int k = 0; k < 3; k++) p->n[N_SIZE_X + k] = between(d, 0.05, 0.1);
    p->n[N_X] = between(d, -1, 1);
    p->n[N_TURN_Y] = g.slope;
    p->n[N_DENSITY] = between(d, 300, 2000);
    p->n[N_POISSON] = between(d, 0.0, 0.4);
    double cell = sketch_thinnest(p) / p->count, rate = 0.5 / SLOWEST * cell;
    p->n[N_YOUNG] = digits3(p->n[N_DENSITY] * rate * rate);
    p->joint = chance(d, 0.3);
    p->rests = true;
    d->sketch->gravity = digits3(between(d, 0.01, 0.05) * rate * rate / p->n[N_SIZE_Z]);
    p->n[N_SPIN_Z] = between(d, -0.4, 0.4) * sqrt(d->sketch->gravity / p->n[N_SIZE_X]);
}

static void draw_mixed(Draft *d)
{
    Ground g = add_ground(d, 0.3);
    for (int i = 2 + pick(d, 2); i > 0; i--) {
        switch (pick(d, 3)) {
        case 0:
            lay_cable(d, g);
            break;
        case 1: {
            Part *p = add_lying(d, 0.08, g);
            if (p) slide_along(d, p, g, 0.2);
            break;
        }
        default:
            add_cart(d, g, 1 + pick(d, 2));
        }
    }
}

void draw_lossless(Draft *d, Theme theme)
{
    switch (theme) {
    case THEME_BODIES:
        draw_bodies(d);
        break;
    case THEME_SPACE:
        draw_space(d);
        break;
    case THEME_BOX:
        add_cart(d, add_valley(d), 1 + pick(d, 3));
        break;
    case THEME_TREE:
        draw_tree(d);
        break;
    case THEME_FLOATING:
        draw_floating(d);
        break;
    case THEME_LOOP:
        draw_loop(d);
        break;
    case THEME_CABLE:
        draw_cable(d);
        break;
    case THEME_SOFT:
        lay_soft(d, add_ground(d, 0.3));
        break;
    case THEME_MIXED:
    case THEME_COUNT:
        draw_mixed(d);
        break;
    }
}

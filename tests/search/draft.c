/* draft.c: the parts that a random model is made of. Numbers have three digits, so that texts are
 * short and exact. Whatever stands alone gets a sphere of its own to start in, so that few models
 * start with overlaps. */
#include "draft.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

double digits3(double x)
{
    if (x == 0.0) return 0.0;
    double unit = pow(10.0, floor(log10(fabs(x))) - 2.0);
    return round(x / unit) * unit;
}

double between(Draft *d, double low, double high)
{
    return digits3(low + (high - low) * 0.5 * (1.0 + uniform(&d->random)));
}

/* Between 10^low and 10^high. */
double power(Draft *d, double low, double high)
{
    return digits3(pow(10.0, low + (high - low) * 0.5 * (1.0 + uniform(&d->random))));
}

int pick(Draft *d, int count)
{
    int k = (int)(count * 0.5 * (1.0 + uniform(&d->random)));
    return k < 0 ? 0 : k >= count ? count - 1 : k;
}

bool chance(Draft *d, double share) { return uniform(&d->random) < 2.0 * share - 1.0; }

/* ---- parts ---- */

Part *add_part(Draft *d, PartKind kind)
{
    Sketch *s = d->sketch;
    if (s->part_count == MAX_PARTS) return NULL;
    Part *p = &s->parts[s->part_count++];
    memset(p, 0, sizeof *p);
    p->kind = kind;
    p->a = p->b = NOBODY;
    p->condim = 3;
    return p;
}

static void touch(Draft *d, Part *p)
{
    static const int condims[] = {1, 3, 3, 3, 3, 3, 4, 6};
    p->condim = condims[pick(d, 8)];
    if (d->sketch->lossless && p->condim > 3) p->condim = 3; /* no friction of spin and rolling */
    if (d->sketch->lossless) return;
    p->n[N_FRICTION] = chance(d, 0.2) ? 0.0 : between(d, 0.05, 1.5);
    p->n[N_RESTITUTION] = chance(d, 0.6) ? 0.0 : chance(d, 0.3) ? 1.0 : between(d, 0.1, 1.0);
}

void add_shape(Draft *d, Part *p, double scale)
{
    p->form = pick(d, FORM_COUNT);
    for (int k = 0; k < 3; k++) p->n[N_SIZE_X + k] = digits3(scale * between(d, 0.5, 1.5));
    p->n[N_DENSITY] = chance(d, 0.2) ? power(d, 2, 4) : between(d, 500, 2000);
}

double part_reach(const Part *p)
{
    switch (p->form) {
    case FORM_SPHERE:
        return p->n[N_SIZE_X];
    case FORM_CAPSULE:
        return p->n[N_SIZE_X] + p->n[N_SIZE_Y];
    case FORM_CYLINDER:
        return p->n[N_SIZE_Y];
    default:
        return p->n[N_SIZE_Z];
    }
}

double part_mass(const Part *p)
{
    static const double shares[] = {4.19, 0.0, 8.0, 0.0, 4.19, 4.0};
    const double *s = p->n + N_SIZE_X, density = p->n[N_DENSITY];
    if (p->form == FORM_SPHERE) return density * 4.19 * s[0] * s[0] * s[0];
    if (p->form == FORM_CYLINDER) return density * 6.28 * s[0] * s[0] * s[1];
    if (p->form == FORM_CAPSULE) return density * s[0] * s[0] * (6.28 * s[1] + 4.19 * s[0]);
    return density * shares[p->form] * s[0] * s[1] * s[2];
}

static double outer_radius(const Part *p)
{
    const double *s = p->n + N_SIZE_X;
    return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + s[0] + p->n[N_AHEAD];
}

static void move(Draft *d, Part *p, double speed, double spin)
{
    for (int k = 0; k < 3; k++) p->n[N_VEL_X + k] = digits3(d->slow * between(d, -speed, speed));
    for (int k = 0; k < 3; k++) p->n[N_SPIN_X + k] = digits3(d->slow * between(d, -spin, spin));
}

static void turn(Draft *d, Part *p, double most)
{
    for (int k = 0; k < 3; k++) p->n[N_TURN_X + k] = round(between(d, -most, most));
}

/* A place for a ball of radius r; false: there is none left. */
static bool find_place(Draft *d, double r, double x[3])
{
    for (int attempt = 0; attempt < 40; attempt++) {
        bool fits = true;
        for (int k = 0; k < 3; k++) {
            if (d->high[k] - d->low[k] < 2.0 * r) return false;
            x[k] = between(d, d->low[k] + r, d->high[k] - r);
        }
        for (int i = 0; i < d->ball_count && fits; i++) {
            const Ball *b = &d->balls[i];
            double u[3] = {x[0] - b->x[0], x[1] - b->x[1], x[2] - b->x[2]};
            fits = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) > r + b->r;
        }
        if (!fits) continue;
        Ball *b = &d->balls[d->ball_count++];
        memcpy(b->x, x, sizeof b->x);
        b->r = r;
        return true;
    }
    return false;
}

static int drop(Draft *d) /* the part just added found no place */
{
    d->sketch->part_count--;
    return NOBODY;
}

static double height(const Part *p)
{
    return p->form == FORM_CAPSULE || p->form == FORM_CYLINDER ? part_reach(p)
           : p->form == FORM_SPHERE                            ? p->n[N_SIZE_X]
                                                               : p->n[N_SIZE_Z];
}

/* A free body that has no place yet. */
static Part *add_floating(Draft *d, double scale)
{
    Part *p = add_part(d, PART_BODY);
    if (!p) return NULL;
    p->a = WORLD;
    p->joint = JOINT_FREE;
    add_shape(d, p, scale);
    touch(d, p);
    return p;
}

/* A free body, and its index. */
int add_free(Draft *d, double scale)
{
    Part *p = add_floating(d, scale);
    if (!p) return NOBODY;
    if (chance(d, 0.1)) p->n[N_AHEAD] = between(d, 0.2 * scale, scale);
    if (!find_place(d, outer_radius(p), p->n + N_X)) return drop(d);
    if (chance(d, 0.7)) turn(d, p, 180);
    move(d, p, 2.0, chance(d, 0.5) ? 8.0 : 0.0);
    return d->sketch->part_count - 1;
}

/* Towards the middle of where things start. */
void aim(Draft *d, int body)
{
    if (body < 0) return;
    double *n = d->sketch->parts[body].n, speed = between(d, 0.2, 3.0);
    double to[3], length = 1e-9;
    for (int k = 0; k < 3; k++) to[k] = 0.5 * (d->low[k] + d->high[k]) - n[N_X + k];
    for (int k = 0; k < 3; k++) length += to[k] * to[k];
    for (int k = 0; k < 3; k++) n[N_VEL_X + k] = digits3(d->slow * speed * to[k] / sqrt(length));
}

/* Boxes, cylinders and balls that stand on the floor or on each other, gap 0. */
void add_stack(Draft *d, double scale, int count)
{
    double x[3], top = 0.0;
    if (!find_place(d, 3.0 * scale, x)) return;
    for (int i = 0; i < count; i++) {
        static const int forms[] = {FORM_BOX, FORM_BOX, FORM_CYLINDER, FORM_CAPSULE};
        Part *p = add_part(d, PART_BODY);
        if (!p) return;
        p->a = WORLD;
        p->joint = JOINT_FREE;
        add_shape(d, p, scale);
        p->form = forms[pick(d, 4)];
        touch(d, p);
        p->n[N_X] = x[0];
        p->n[N_Y] = x[1];
        p->n[N_Z] = top + height(p);
        top += 2.0 * height(p);
    }
}

static void drive(Draft *d, Part *p, double inertia)
{
    p->servo = 1 + pick(d, 3);
    p->n[N_GAIN] = digits3(inertia * power(d, 0, 4));
    p->n[N_GAIN_VEL] = chance(d, 0.5) ? digits3(inertia * power(d, 0, 2)) : 0.0;
    p->n[N_TARGET] = between(d, -1.0, 1.0);
    if (p->servo == SERVO_MOTOR) p->n[N_TARGET] = digits3(20.0 * inertia * p->n[N_TARGET]);
}

/* A spring that a step of 20 ms resolves, whatever is on the link. */
static void suspend(Draft *d, Part *p)
{
    double inertia = part_mass(p), rate = between(d, 5.0, 15.0), arm = p->n[N_AHEAD];
    if (p->joint == JOINT_BALL) arm = 0.5 * sketch_thinnest(p);
    if (p->joint != JOINT_SLIDE) inertia *= arm * arm;
    p->n[N_AXIS_X] = 0.0;
    if (p->n[N_AXIS_Y] == 0.0) p->n[N_AXIS_Y] = 1.0;
    if (p->joint != JOINT_SLIDE && chance(d, 0.4)) return;
    p->n[N_STIFFNESS] = digits3(inertia * rate * rate);
    if (chance(d, 0.3)) p->n[N_SPRING_REF] = between(d, -20.0, 20.0);
    if (p->joint == JOINT_SLIDE) p->n[N_SPRING_REF] = digits3(0.01 * p->n[N_SPRING_REF]);
}

/* A joint's springs, dampers, limits, servo. */
static void equip(Draft *d, Part *p)
{
    if (d->sketch->lossless) {
        suspend(d, p);
        return;
    }
    double m = p->n[N_DENSITY] * 8.0 * p->n[N_SIZE_X] * p->n[N_SIZE_Y] * p->n[N_SIZE_Z];
    double inertia = digits3(p->joint == JOINT_SLIDE ? m : m * 0.05);
    if (chance(d, 0.3)) p->n[N_STIFFNESS] = digits3(inertia * power(d, 0, 4));
    if (chance(d, 0.2)) p->n[N_SPRING_REF] = between(d, -20.0, 20.0);
    if (p->joint == JOINT_SLIDE) p->n[N_SPRING_REF] = digits3(0.01 * p->n[N_SPRING_REF]);
    if (chance(d, 0.3)) p->n[N_DAMPING] = digits3(inertia * power(d, -1, 2));
    if (p->joint != JOINT_BALL && chance(d, 0.15))
        p->n[N_DRY] = digits3(inertia * power(d, -1, 1.5));
    if (chance(d, 0.15)) p->n[N_ARMATURE] = digits3(inertia * power(d, -2, 0.5));
    if (chance(d, 0.3))
        p->n[N_LIMIT] = p->joint == JOINT_SLIDE ? between(d, 0.02, 0.2) : between(d, 10, 90);
    if (p->joint != JOINT_BALL && chance(d, 0.25)) drive(d, p, inertia);
}

int add_link(Draft *d, int parent, double scale)
{
    Part *p = add_part(d, PART_BODY);
    if (!p) return NOBODY;
    p->a = parent;
    p->joint = JOINT_HINGE + (chance(d, 0.6) ? 0 : pick(d, 3));
    add_shape(d, p, scale);
    touch(d, p);
    p->n[N_AHEAD] = digits3(part_reach(p) + between(d, 0.0, scale));
    for (int k = 0; k < 3; k++) p->n[N_AXIS_X + k] = chance(d, 0.5) ? between(d, -1, 1) : 0.0;
    if (p->n[N_AXIS_X] == 0.0 && p->n[N_AXIS_Y] == 0.0) p->n[N_AXIS_Y] = 1.0;
    if (p->joint == JOINT_BALL || chance(d, 0.7)) move(d, p, 0.0, 6.0);
    if (p->joint == JOINT_SLIDE) p->n[N_SPIN_X] = digits3(0.2 * p->n[N_SPIN_X]);
    turn(d, p, 60);
    equip(d, p);
    return d->sketch->part_count - 1;
}

/* A tree of `count` bodies; the index of its first. */
int add_tree(Draft *d, double scale, int count)
{
    double x[3];
    int first = d->sketch->part_count, base = WORLD;
    if (!find_place(d, scale * (1.5 + 1.5 * count), x)) return NOBODY;
    if (!d->fixed_base) {
        Part *p = add_floating(d, scale);
        if (!p) return NOBODY;
        move(d, p, 1.0, 3.0);
        turn(d, p, 90);
        base = first;
        count--;
    }
    for (int i = 0; i < count; i++) {
        int last = d->sketch->part_count - 1;
        int parent = i == 0 ? base : chance(d, 0.7) ? last : first + pick(d, last - first + 1);
        int link = add_link(d, parent, scale);
        if (link < 0) break;
        if (parent >= 0) {
            const Part *on = &d->sketch->parts[parent];
            d->sketch->parts[link].n[N_X] =
                digits3(on->n[N_AHEAD] + part_reach(on) + between(d, 0.1, 0.5) * scale);
        }
    }
    memcpy(d->sketch->parts[first].n + N_X, x, sizeof x);
    return first < d->sketch->part_count ? first : NOBODY;
}

static int random_body(Draft *d, int from)
{
    int found[MAX_PARTS], count = 0;
    for (int i = from; i < d->sketch->part_count; i++)
        if (d->sketch->parts[i].kind == PART_BODY) found[count++] = i;
    return count ? found[pick(d, count)] : NOBODY;
}

static bool scalar_joint(const Part *p)
{
    return p->kind == PART_BODY && (p->joint == JOINT_HINGE || p->joint == JOINT_SLIDE);
}

/* A connect or weld from one body of parts `from` … to another, or to the world. */
void add_loop(Draft *d, int from, bool to_world)
{
    int a = random_body(d, from), b = to_world ? WORLD : random_body(d, from);
    if (a < 0 || b == NOBODY || a == b) return;
    Part *p = add_part(d, PART_EQUALITY);
    if (!p) return;
    const Part *body = &d->sketch->parts[a];
    p->form = chance(d, 0.6) ? BOND_CONNECT : BOND_WELD;
    p->a = a;
    p->b = b;
    p->n[N_X] = digits3(body->n[N_AHEAD] + part_reach(body));
    if (chance(d, 0.3)) p->n[N_Y] = between(d, -0.1, 0.1);
}

void add_coupling(Draft *d, int from, PartKind kind)
{
    int a = random_body(d, from), b = random_body(d, from);
    if (a < 0 || b < 0 || a == b) return;
    Part *joints = d->sketch->parts;
    if (!scalar_joint(&joints[a]) || !scalar_joint(&joints[b])) return;
    Part *p = add_part(d, kind);
    if (!p) return;
    p->form = BOND_COUPLING;
    p->a = a;
    p->b = b;
    p->n[N_COEF] = between(d, -2.0, 2.0);
    if (kind == PART_EQUALITY) return;
    double m = joints[b].n[N_DENSITY] * 8e-4 * 0.05;
    if (chance(d, 0.6)) p->n[N_STIFFNESS] = digits3(m * power(d, 0, 4));
    if (chance(d, 0.4)) p->n[N_DAMPING] = digits3(m * power(d, -1, 2));
    if (chance(d, 0.3)) p->n[N_DRY] = digits3(m * power(d, -1, 1));
    if (chance(d, 0.3)) p->n[N_LIMIT] = between(d, 0.1, 1.0);
    if (chance(d, 0.3)) drive(d, p, m);
}

void add_tree_extras(Draft *d, int from, bool closed)
{
    if (chance(d, 0.3)) add_coupling(d, from, PART_TENDON);
    if (chance(d, 0.3)) add_coupling(d, from, PART_EQUALITY);
    if (chance(d, 0.15)) add_loop(d, from, !closed && chance(d, 0.3));
}

void add_floor(Draft *d)
{
    Part *p = add_part(d, PART_STATIC);
    if (!p) return;
    p->form = chance(d, 0.6) ? FORM_PLANE : FORM_BOX;
    touch(d, p);
    p->n[N_SIZE_X] = p->n[N_SIZE_Y] = 2.0;
    p->n[N_SIZE_Z] = 0.25;
    if (p->form == FORM_BOX) p->n[N_Z] = -0.25;
    if (p->form == FORM_PLANE && chance(d, 0.2)) p->n[N_TURN_Y] = round(between(d, -20, 20));
}

void add_obstacle(Draft *d, double scale)
{
    Part *p = add_part(d, PART_STATIC);
    if (!p) return;
    add_shape(d, p, scale);
    p->form = pick(d, FORM_MESH);
    touch(d, p);
    turn(d, p, 90);
    if (!find_place(d, outer_radius(p), p->n + N_X)) drop(d);
}

void add_walls(Draft *d)
{
    Part *p = add_part(d, PART_STATIC);
    if (!p) return;
    p->form = FORM_WALLS;
    touch(d, p);
    for (int k = 0; k < 3; k++) {
        p->n[N_X + k] = 0.5 * (d->low[k] + d->high[k]);
        p->n[N_SIZE_X + k] = 0.5 * (d->high[k] - d->low[k]);
    }
}

static int holder(Draft *d, bool closed)
{
    if (chance(d, 0.5)) return NOBODY;
    int body = random_body(d, 0);
    if (body >= 0 && chance(d, 0.6)) return body;
    return closed ? NOBODY : WORLD;
}

void add_cable(Draft *d, bool closed)
{
    Part *p = add_part(d, PART_CABLE);
    if (!p) return;
    p->count = 3 + pick(d, 14);
    p->n[N_SIZE_X] = between(d, 0.005, 0.02);
    p->n[N_AHEAD] = digits3(p->count * p->n[N_SIZE_X] * between(d, 2.0, 5.0));
    p->n[N_DENSITY] = between(d, 500, 3000);
    p->n[N_YOUNG] = power(d, 4, 9);
    p->n[N_DAMPING] = chance(d, 0.4) ? 0.0 : power(d, -4, -1.5);
    p->n[N_TURN_Z] = round(between(d, -180, 180));
    p->n[N_BEND] = chance(d, 0.5) ? 0.0 : between(d, -3.0, 3.0);
    touch(d, p);
    p->condim = p->condim == 1 ? 1 : 3;
    double middle[3], half = 0.5 * p->n[N_AHEAD];
    if (!find_place(d, half + p->n[N_SIZE_X], middle)) {
        drop(d);
        return;
    }
    double angle = p->n[N_TURN_Z] * 0.017453292519943295, bend = p->n[N_BEND];
    double along = bend == 0.0 ? 1.0 : sin(bend) / bend;
    double up = bend == 0.0 ? 0.0 : (1.0 - cos(bend)) / bend;
    p->n[N_X] = digits3(middle[0] - half * along * cos(angle));
    p->n[N_Y] = digits3(middle[1] - half * along * sin(angle));
    p->n[N_Z] = digits3(middle[2] - half * up);
    move(d, p, 1.5, 4.0);
    p->joint = chance(d, 0.5);
    p->a = holder(d, closed);
    p->b = chance(d, 0.3) ? holder(d, closed) : NOBODY;
}

void add_soft(Draft *d, bool closed)
{
    Part *p = add_part(d, PART_SOFT);
    if (!p) return;
    p->form = pick(d, 3);
    p->count = 1 + pick(d, 3);
    for (int k = 0; k < 3; k++) p->n[N_SIZE_X + k] = between(d, 0.03, 0.1);
    if (!find_place(d, outer_radius(p), p->n + N_X)) {
        drop(d);
        return;
    }
    p->n[N_DENSITY] = between(d, 300, 2000);
    p->n[N_YOUNG] = power(d, 3.5, 8);
    p->n[N_POISSON] = between(d, 0.0, 0.48);
    p->n[N_DAMPING] = chance(d, 0.4) ? 0.0 : power(d, -4, -2);
    p->joint = chance(d, 0.3);
    touch(d, p);
    p->condim = 3;
    if (chance(d, 0.5)) turn(d, p, 180);
    move(d, p, 1.5, 5.0);
    p->a = holder(d, closed);
}

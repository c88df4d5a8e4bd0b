/* sketch.c: what can be asked of a list of parts, and taking one out. */
#include "model.h"

#include <math.h>
#include <string.h>

static bool joins(const Part *p) { return p->kind == PART_EQUALITY || p->kind == PART_TENDON; }

/* A body's parent; what it joins and what holds it are `a` and `b` of the others. */
static bool refers(const Part *p, int part) { return p->a == part || p->b == part; }

static void renumber(int *index, int gone)
{
    if (*index > gone) (*index)--;
}

static void take_out(Sketch *s, int part)
{
    memmove(&s->parts[part], &s->parts[part + 1],
            (size_t)(s->part_count - part - 1) * sizeof s->parts[0]);
    s->part_count--;
    for (int i = 0; i < s->part_count; i++) {
        renumber(&s->parts[i].a, part);
        renumber(&s->parts[i].b, part);
    }
}

/* A child in the place of its parent keeps its own joint, unless the parent was the free root. */
static void inherit(Part *child, const Part *parent)
{
    child->a = parent->a;
    memcpy(child->n + N_X, parent->n + N_X, 6 * sizeof(double));
    if (parent->joint != JOINT_FREE) return;
    child->joint = JOINT_FREE;
    child->servo = SERVO_NONE;
    memcpy(child->n + N_VEL_X, parent->n + N_VEL_X, 6 * sizeof(double));
}

void sketch_remove(Sketch *s, int part)
{
    Part gone = s->parts[part];
    for (int i = s->part_count - 1; i >= 0 && gone.kind == PART_BODY; i--) {
        Part *p = &s->parts[i];
        if (i == part || !refers(p, part)) continue;
        if (p->kind == PART_BODY) {
            inherit(p, &gone);
        } else if (joins(p)) {
            take_out(s, i);
            if (i < part) part--;
        } else {
            if (p->a == part) p->a = NOBODY;
            if (p->b == part) p->b = NOBODY;
        }
    }
    take_out(s, part);
}

static bool scalar_joint(const Sketch *s, int part)
{
    return part >= 0 && s->parts[part].kind == PART_BODY &&
           (s->parts[part].joint == JOINT_HINGE || s->parts[part].joint == JOINT_SLIDE);
}

static int root_of(const Sketch *s, int part)
{
    while (s->parts[part].a >= 0) part = s->parts[part].a;
    return part;
}

/* ---- starts that joints can follow ---- */

static int find(int *of, int i)
{
    while (of[i] != i) i = of[i];
    return i;
}

/* of[i]: the first part of those that i is joined to, by joints and by what holds. A group with an
 * equality or a hold is marked in bound[], one that the world holds in fixed[]. */
typedef struct Groups {
    int of[MAX_PARTS];
    bool bound[MAX_PARTS], fixed[MAX_PARTS];
} Groups;

static void join(Groups *g, int i, int other)
{
    if (other < 0) return;
    int a = find(g->of, i), b = find(g->of, other);
    g->of[a > b ? a : b] = a > b ? b : a;
}

static Groups groups_of(const Sketch *s)
{
    Groups g = {0};
    for (int i = 0; i < s->part_count; i++) g.of[i] = i;
    for (int i = 0; i < s->part_count; i++) {
        join(&g, i, s->parts[i].a);
        join(&g, i, s->parts[i].b);
    }
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        int root = g.of[i] = find(g.of, i);
        bool held = p->kind != PART_BODY && (p->a != NOBODY || p->b != NOBODY);
        g.bound[root] = g.bound[root] || (held && p->kind != PART_TENDON);
        g.fixed[root] = g.fixed[root] || (held && refers(p, WORLD)) ||
                        (p->kind == PART_BODY && p->a == WORLD && p->joint != JOINT_FREE);
    }
    return g;
}

static bool carries_velocity(const Part *p)
{
    return p->kind == PART_CABLE || p->kind == PART_SOFT ||
           (p->kind == PART_BODY && p->joint == JOINT_FREE);
}

/* The start of part i that equalities and holds can follow: its group moves as one, not turning. */
static void calm(const Sketch *s, const Groups *g, int i, double start[6])
{
    memcpy(start, s->parts[i].n + N_VEL_X, 6 * sizeof(double));
    int root = g->of[i], first = root;
    if (!g->bound[root]) return;
    while (first < i && !(g->of[first] == root && carries_velocity(&s->parts[first]))) first++;
    memset(start, 0, 6 * sizeof(double));
    if (!g->fixed[root] && carries_velocity(&s->parts[i]))
        memcpy(start, s->parts[first].n + N_VEL_X, 3 * sizeof(double));
}

void sketch_calm(Sketch *s)
{
    Groups g = groups_of(s);
    for (int i = 0; i < s->part_count; i++) calm(s, &g, i, s->parts[i].n + N_VEL_X);
}

static bool is_calm(const Sketch *s)
{
    Sketch calmed = *s;
    sketch_calm(&calmed);
    for (int i = 0; i < s->part_count; i++)
        if (memcmp(calmed.parts[i].n, s->parts[i].n, sizeof calmed.parts[i].n)) return false;
    return true;
}

static bool part_valid(const Sketch *s, const Part *p)
{
    if (p->kind == PART_BODY && p->joint == JOINT_FREE && p->a != WORLD) return false;
    if (p->servo != SERVO_NONE && p->kind == PART_BODY &&
        (p->joint == JOINT_FREE || p->joint == JOINT_BALL))
        return false;
    if (!joins(p)) return true;
    if (p->kind == PART_EQUALITY && p->form != BOND_COUPLING) return p->a >= 0 && p->a != p->b;
    if (p->a == p->b || !scalar_joint(s, p->a) || !scalar_joint(s, p->b)) return false;
    return p->kind == PART_EQUALITY || root_of(s, p->a) == root_of(s, p->b);
}

bool sketch_valid(const Sketch *s)
{
    bool moves = false;
    for (int i = 0; i < s->part_count; i++) {
        PartKind kind = s->parts[i].kind;
        moves = moves || kind == PART_BODY || kind == PART_CABLE || kind == PART_SOFT;
        if (!part_valid(s, &s->parts[i])) return false;
    }
    return moves && is_calm(s);
}

bool sketch_is_closed(const Sketch *s)
{
    if (s->gravity != 0.0) return false;
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        if (p->kind == PART_STATIC) return false;
        if (p->kind == PART_BODY && p->a == WORLD && p->joint != JOINT_FREE) return false;
        if (p->kind != PART_BODY && refers(p, WORLD)) return false;
    }
    return true;
}

bool sketch_is_damped(const Sketch *s)
{
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        if ((p->kind == PART_CABLE || p->kind == PART_SOFT) && p->n[N_DAMPING] > 0.0) return true;
    }
    return false;
}

double sketch_thinnest(const Part *p)
{
    static const int counts[] = {1, 2, 3, 2, 3, 3};
    int count = p->kind == PART_CABLE || p->kind == PART_STATIC ? 1 : counts[p->form];
    if (p->kind == PART_SOFT) count = p->form == 0 ? 3 : p->form == 1 ? 1 : 2;
    if (p->form == FORM_CAPSULE) count = 1;
    double least = p->n[N_SIZE_X];
    for (int k = 1; k < count; k++) least = fmin(least, p->n[N_SIZE_X + k]);
    return least;
}

double sketch_smallest(const Sketch *s)
{
    double least = 1e9;
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        if (p->kind == PART_BODY || p->kind == PART_CABLE || p->kind == PART_SOFT)
            least = fmin(least, sketch_thinnest(p));
    }
    return least;
}

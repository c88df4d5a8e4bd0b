/* small_told.c: equalities that others tell.
 *
 * The connect that closes a plane loop of hinges asks for nothing across the plane that the hinges
 * do not hold already: there it yields nothing, or next to nothing. What it asks for and what is so
 * differ by what linearizing leaves, or because the loop starts open, and no force mends that. Such
 * a row asks for what the others tell then, and stays, for forces are shared between them. By how
 * much it was off is reported.
 *
 * They are found by eliminating rows of Y Yᵀ, the one that yields most first, and q with them: what
 * then is left of q in a row that yields nothing any more is what no force mends. */
#include "../law/law.h"
#include "small.h"

typedef struct Told {
    int count, ld; /* ld: one more column, for q */
    double most;   /* D λ, m/s */
    TnSmallGroup **rows;
    double *G;
} Told;

static double *row_of(const Told *t, int i) { return t->G + (long)i * t->ld; }

static void list_equalities(const TnSmall *s, Told *t)
{
    for (int i = 0; i < s->group_count; i++) {
        TnSmallGroup *g = &s->groups[i];
        if (g->law == TN_SMALL_INTERVAL && s->problem->rows[g->row].set == TN_ROW_EQUALITY)
            t->rows[t->count++] = g;
    }
}

static void fill(const TnSmall *s, const Told *t)
{
    for (int i = 0; i < t->count; i++) {
        const double *y = s->Y + (long)t->rows[i]->at * s->ld;
        double zero = 0.0;
        for (int j = 0; j <= i; j++) {
            const double *other = s->Y + (long)t->rows[j]->at * s->ld;
            s->kernels->dots(1, s->ld, y, other, &zero, row_of(t, i) + j);
            row_of(t, j)[i] = row_of(t, i)[j];
        }
        row_of(t, i)[t->count] = s->q[t->rows[i]->at];
    }
}

/* Share of itself that a row yields still. */
static double left_of(const Told *t, int i) { return row_of(t, i)[i] / t->rows[i]->D[0]; }

static void exchange(const Told *t, int a, int b)
{
    TnSmallGroup *row = t->rows[a];
    t->rows[a] = t->rows[b];
    t->rows[b] = row;
    for (int j = 0; j <= t->count; j++) {
        double x = row_of(t, a)[j];
        row_of(t, a)[j] = row_of(t, b)[j];
        row_of(t, b)[j] = x;
    }
    for (int i = 0; i < t->count; i++) {
        double x = row_of(t, i)[a];
        row_of(t, i)[a] = row_of(t, i)[b];
        row_of(t, i)[b] = x;
    }
}

/* Whether a row that comes next yields next to nothing, or so little that forces for what is left
 * of its q would be absurd. */
static bool is_told(const Told *t, int i, const TnSmall *s)
{
    double left = left_of(t, i), apart = s->lever[t->rows[i]->at] * fabs(row_of(t, i)[t->count]);
    return left < TN_DEAD || apart > t->most * left;
}

/* How many rows tell the others, which come behind them. */
static int eliminate(const Told *t, const TnSmall *s)
{
    int end = t->count;
    for (int k = 0; k < end;) {
        int best = k;
        for (int i = k + 1; i < end; i++)
            if (left_of(t, i) > left_of(t, best)) best = i;
        if (is_told(t, best, s)) {
            exchange(t, best, --end);
            continue;
        }
        exchange(t, k, best);
        for (int i = k + 1; i < t->count; i++) {
            double share = row_of(t, i)[k] / row_of(t, k)[k];
            for (int j = k + 1; j <= t->count; j++) row_of(t, i)[j] -= share * row_of(t, k)[j];
        }
        k++;
    }
    return end;
}

bool tn_small_agree(TnSmall *s, double most)
{
    TnArena *arena = s->problem->arena;
    size_t mark = tn_arena_mark(arena);
    Told t = {.most = most, .rows = TN_ARENA_NEW(arena, TnSmallGroup *, s->group_count)};
    if (!t.rows) return false;
    list_equalities(s, &t);
    t.ld = t.count + 1;
    t.G = TN_ARENA_NEW(arena, double, (size_t)t.count *(size_t)t.ld);
    if (!t.G) return false;
    fill(s, &t);
    for (int i = eliminate(&t, s); i < t.count; i++) {
        double apart = row_of(&t, i)[t.count];
        s->q[t.rows[i]->at] -= apart;
        s->forgiven[t.rows[i]->at] += apart;
    }
    tn_arena_release(arena, mark);
    return true;
}

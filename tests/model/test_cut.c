/* Cuts of small random graphs against the best of all cuts. */
#include "../check.h"

#include "model/mesh/cut.h"

#include <stdint.h>

enum { VERTICES = 12, NETS = 16, PINS = 3 };

typedef struct Random {
    TnCutGraph graph;
    int net_start[VERTICES + 1], nets[NETS * PINS], vertex_start[NETS + 1], members[NETS * PINS];
    int weight[VERTICES], set[VERTICES], all[VERTICES];
} Random;

static uint32_t next_number(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

static void make(Random *r, uint32_t seed)
{
    int used = 0;
    *r = (Random){0};
    for (int n = 0; n < NETS; n++) {
        r->vertex_start[n] = used;
        unsigned in = 0;
        for (int k = 0; k < PINS; k++) in |= 1u << (next_number(&seed) >> 8) % VERTICES;
        for (int v = 0; v < VERTICES; v++)
            if (in >> v & 1u) r->members[used++] = v;
    }
    r->vertex_start[NETS] = used;
    int at = 0;
    for (int v = 0; v < VERTICES; v++) {
        r->net_start[v] = at;
        for (int n = 0; n < NETS; n++)
            for (int k = r->vertex_start[n]; k < r->vertex_start[n + 1]; k++)
                if (r->members[k] == v) r->nets[at++] = n;
        r->weight[v] = 1 + (int)((next_number(&seed) >> 8) % 3);
        r->all[v] = v;
    }
    r->net_start[VERTICES] = at;
    r->graph = (TnCutGraph){VERTICES,        NETS,       r->net_start, r->nets,
                            r->vertex_start, r->members, r->weight,    r->set};
}

static int count_crossing(const Random *r, unsigned side0)
{
    int crossing = 0;
    for (int n = 0; n < NETS; n++) {
        int on[2] = {0};
        for (int k = r->vertex_start[n]; k < r->vertex_start[n + 1]; k++)
            on[side0 >> r->members[k] & 1u]++;
        crossing += on[0] && on[1];
    }
    return crossing;
}

static int weigh(const Random *r, unsigned side0)
{
    int weight = 0;
    for (int v = 0; v < VERTICES; v++) weight += side0 >> v & 1u ? r->weight[v] : 0;
    return weight;
}

static unsigned side0_of(const TnCut *cut)
{
    unsigned side0 = 0;
    for (int v = 0; v < VERTICES; v++) side0 |= (unsigned)(cut->side[v] == 0) << v;
    return side0;
}

TEST(refined_cuts_are_balanced_counted_right_and_mostly_the_best_there_are)
{
    int best_found = 0, better = 0;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        Random r;
        make(&r, seed);
        double target = 0.5 * weigh(&r, ~0u), slack = 3.0;
        int best = NETS;
        for (unsigned side0 = 0; side0 < 1u << VERTICES; side0++) {
            if (fabs(weigh(&r, side0) - target) > slack) continue;
            int crossing = count_crossing(&r, side0);
            if (crossing < best) best = crossing;
        }
        TnCut cut;
        REQUIRE(tn_cut_create(&cut, &r.graph));
        cut.list = r.all;
        cut.count = VERTICES;
        cut.target = target;
        cut.slack = slack;
        tn_cut_sweep(&cut, r.all);
        int swept = cut.crossing;
        CHECK(swept == count_crossing(&r, side0_of(&cut)));
        tn_cut_refine(&cut);
        unsigned side0 = side0_of(&cut);
        CHECK(cut.crossing == count_crossing(&r, side0) && cut.weight == weigh(&r, side0));
        CHECK(cut.crossing <= swept && cut.crossing >= best);
        CHECK(fabs(cut.weight - target) <= slack);
        better += cut.crossing < swept;
        best_found += cut.crossing == best;
        tn_cut_free(&cut);
    }
    /* 196 and 174; with a gain that is counted wrong, the best is found 163 to 167 times */
    CHECK(better >= 190 && best_found >= 170);
}

/* hold.c: segments that the world holds. Their velocity is known, so their equations are replaced
 * by it, and what they do to their neighbours moves to the right side: v̂_h = (1-θ) v + θ u,   b_i
 * -= A_ih v̂_h,   A_ih = 0, and likewise f_i += K_ih v̂_h, K_ih = 0 in the bonds of cut joints, with
 * u the velocity that takes a share of the error of place away (option.stabilization). */
#include "rod.h"

#include <string.h>

#include "../../math/vec3.h"

static void held_velocity(const TnDynamicsInput *in, const TnLink *link, const TnLinkFrame *frame,
                          const double v[6], double out[6])
{
    double rate = in->model->option.stabilization / in->t, back[4], turn[4], u[6];
    v3_sub(u, link->hold_pos, frame->com);
    quat_conjugate(back, frame->quat);
    quat_mul(turn, link->hold_quat, back);
    quat_to_rotvec(u + 3, turn);
    for (int k = 0; k < 6; k++) out[k] = (1.0 - in->theta) * v[k] + in->theta * rate * u[k];
}

/* b -= M v or Mᵀ v, then M = 0. */
static void move_right(double M[36], bool transposed, const double v[6], double b[6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) b[i] -= M[transposed ? 6 * j + i : 6 * i + j] * v[j];
    memset(M, 0, 36 * sizeof(double));
}

/* A bond's side `known` (0 or 1) moves with v. */
static void fold_bond(TnRodBond *bond, int known, const double v[6])
{
    int h = 6 * known, o = 6 - h; /* first rows of the known and of the other side */
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            bond->f[o + i] += bond->K[12 * (o + i) + h + j] * v[j];
            bond->K[12 * (o + i) + h + j] = bond->K[12 * (h + i) + o + j] = 0.0;
            bond->K[12 * (h + i) + h + j] = 0.0;
        }
    memset(bond->f + h, 0, 6 * sizeof(double));
}

/* The velocity of some segments is known from outside of the subsystems. Others that are held keep
 * their equations. */
static bool velocity_known(const TnLink *link) { return link->held; }

void tn_rod_hold(const TnDynamicsInput *in, const TnLink *links, const TnLinkFrame *frames,
                 TnRodSystem *s)
{
    for (int i = 0, cut = 0; i < s->count; i++) {
        while (cut < s->cut_count && s->cuts[cut] < i - 1) cut++; /* first at i - 1 or later */
        const TnLink *link = &links[i];
        if (!velocity_known(link)) continue;
        double v[6], *D = s->D + 36 * (long)i, size = 0.0;
        held_velocity(in, link, &frames[i], s->segments[i].v, v);
        if (i > 0) move_right(s->E + 36 * (long)(i - 1), true, v, s->b + 6 * (long)(i - 1));
        if (i + 1 < s->count) move_right(s->E + 36 * (long)i, false, v, s->b + 6 * (long)(i + 1));
        for (int k = cut; k < s->cut_count && s->cuts[k] <= i; k++)
            fold_bond(&s->bonds[k], s->cuts[k] == i ? 0 : 1, v);
        for (int k = 0; k < 6; k++) size += D[7 * k] / 6.0; /* any positive number would do */
        memset(D, 0, 36 * sizeof(double));
        for (int k = 0; k < 6; k++) {
            D[7 * k] = size;
            s->b[6 * (long)i + k] = size * v[k];
        }
    }
}

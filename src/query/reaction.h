/* reaction.h: forces that hold bodies, from the motion of the last step. reaction.c has the
 * recursion, reaction_forces.c and reaction_soft.c what acts from outside. */
#ifndef TN_QUERY_REACTION_H
#define TN_QUERY_REACTION_H

#include "../world/world.h"

/* Means over the last step, world axes. All but the first three lines lives in the arena. */
typedef struct TnReactions {
    TnArena arena;
    bool begun;                  /* the arrays are there; frames and twists of links with `has`, */
    bool known;                  /* or everything */
    bool *has;                   /* per link */
    TnLinkFrame *start, *middle; /* per link: where the step began, and half way */
    double (*start_twists)[6];
    double *qpos; /* half way */
    /* per body: force, and torque about its link's centre of mass half way, with which its
     * parent holds it. NaN: not known. While it is being found: what is missing so far. */
    double (*wrench)[6];
    /* per equality: force, and torque about its anchor half way, on body2; of joint equalities
     * the first number is the force on joint1 */
    double (*equality)[6];
} TnReactions;

/* False: there was no step, or no memory. */
bool tn_reactions_find(TnWorld *world);
void tn_reactions_destroy(TnReactions *reactions); /* NULL is fine */

static inline void tn_reactions_forget(TnReactions *reactions)
{
    if (reactions) reactions->begun = reactions->known = false;
}

/* ---- reaction_forces.c ---- */
/* Takes off what contacts, equalities, wheels and the user do to bodies, and notes the
 * equalities' forces. False: no memory. */
bool tn_reactions_add_forces(TnWorld *world, TnReactions *r);
/* A force from outside at `arm` from the centre of mass of the body's link, and a torque; each
 * may be NULL. */
void tn_reaction_take_off(TnReactions *r, int body, const double *force, const double *arm,
                          const double *torque, double sign);
/* Half way, of an equality between bodies. */
void tn_reaction_anchor(const TnModel *model, const TnReactions *r, const TnEquality *equality,
                        double point[3]);

/* ---- reaction_soft.c ---- */
bool tn_reactions_add_softs(const TnWorld *world, TnReactions *r); /* false: no memory */

#endif

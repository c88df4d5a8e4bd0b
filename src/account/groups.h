/* groups.h: subsystems that equalities, holds, ties or a common block of the division join for
 * good. */
#ifndef TN_ACCOUNT_GROUPS_H
#define TN_ACCOUNT_GROUPS_H

#include "../model/division/division.h"
#include "../model/model.h"

typedef struct TnGroups {
    int *of; /* per subsystem: the lowest one that it is joined with, which stands for the group */
    bool *anchored; /* per group: joined to the fixed world */
    bool *pulled;   /* per group: that, or a spring, a drag or an actuator works between it and the
                       world */
    bool *actuated; /* per group */
    bool *round;    /* per link: turning does not show */
    double *radius; /* per link, m: no point of it is farther from its centre of mass */
} TnGroups;

/* NULL: no memory. */
TnGroups *tn_groups_create(const TnModel *model, const TnDivision *division);
void tn_groups_destroy(TnGroups *groups);

/* What it is called by: its first body, or the soft body. */
void tn_subsystem_name(const TnModel *model, int s, TnBodyId *body, TnSoftId *soft);

int tn_any_geom_subsystem(const TnModel *model, int geom); /* also of a soft body's surface */
/* -1: the world */
static inline int tn_geom_subsystem(const TnModel *model, int geom)
{
    if (model->soft_count) return tn_any_geom_subsystem(model, geom);
    return model->link_subsystem[model->geom_link[geom]];
}

#endif

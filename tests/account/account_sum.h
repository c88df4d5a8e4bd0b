/* account_sum.h: what an account of energy adds up to: the change of the total energy. */
#ifndef TN_TESTS_STEP_ACCOUNT_SUM_H
#define TN_TESTS_STEP_ACCOUNT_SUM_H

#include <tenon/world.h>

static inline double change_of(const TnEnergyAccount *a)
{
    return a->actuators + a->applied + a->push_out - a->friction - a->damping - a->impacts -
           a->step - a->unsolved + a->created;
}

#endif

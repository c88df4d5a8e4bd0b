/* differences.c: columns by differences of whole steps. */
#include <math.h>

#include "linear.h"

#include "../base/rounding.h"

TnColumnOf tn_column_of(const TnDerivatives *d, int column)
{
    int nv = d->of->model->dof_count, na = d->of->model->act_count, nu = d->ctrl_count;
    if (column < nv) return (TnColumnOf){TN_BY_QPOS, column};
    if (column < 2 * nv) return (TnColumnOf){TN_BY_QVEL, column - nv};
    if (column < 2 * nv + na) return (TnColumnOf){TN_BY_ACT, column - 2 * nv};
    if (column < 2 * nv + na + nu) return (TnColumnOf){TN_BY_CTRL, column - 2 * nv - na};
    return (TnColumnOf){TN_BY_PARAMETER, column - 2 * nv - na - nu};
}

/* How far to go, and to which sides: 0 both, else only this one. */
typedef struct Reach {
    double h;
    int side;
} Reach;

static Reach reach_of(const TnDerivatives *d, TnColumnOf of)
{
    const TnModel *model = d->of->model;
    Reach out = {d->def.step, 0};
    if (of.kind == TN_BY_CTRL) {
        const TnActuator *a = &model->actuators[of.index];
        double u = d->ctrl[of.index];
        out.h *= fmax(1.0, fabs(u));
        /* at an end of the range the step follows the control to one side only */
        if (a->ctrl_limited && u + out.h > a->ctrl_range[1] && u <= a->ctrl_range[1])
            out.side = -1;
        else if (a->ctrl_limited && u - out.h < a->ctrl_range[0] && u >= a->ctrl_range[0])
            out.side = 1;
    }
    if (of.kind == TN_BY_PARAMETER) {
        const TnParameter *p = &d->parameters[of.index];
        out.h *= tn_parameter_scale(model, p);
        if (tn_parameter_is_one_sided(p->kind) && tn_parameter_get(model, p) < out.h) out.side = 1;
    }
    return out;
}

/* A column is scattered into its matrix; `kink`: what the two sides differ by. */
static void put(TnDerivatives *d, int column, const double *values, double kink)
{
    int n = d->state_count, nu = d->ctrl_count, count = n, at = column;
    double *matrix = d->A, most = 1.0;
    if (column >= n + nu) {
        matrix = d->P;
        count = d->def.parameter_count;
        at -= n + nu;
    } else if (column >= n) {
        matrix = d->B;
        count = nu;
        at -= n;
    }
    for (int i = 0; i < n; i++) {
        double x = values ? values[i] : NAN;
        matrix[(size_t)i * (size_t)count + (size_t)at] = x;
        most = fmax(most, fabs(x));
    }
    d->kinks[column] = values ? kink / most : NAN;
}

/* From both sides of `here`. False: a step was rejected, or is not linear about the solution. */
typedef bool (*Take)(const TnDerivatives *d, TnCopy *copy, const TnColumnOf *column, double by,
                     double *out);
static bool differ(TnDerivatives *d, TnCopy *copy, int column, Take take, const double *here)
{
    const TnModel *model = d->of->model;
    TnColumnOf of = tn_column_of(d, column);
    Reach reach = reach_of(d, of);
    double h = reach.h, *low = copy->low, *high = copy->high, *x = copy->tangent, kink = 0.0;
    double first = reach.side ? reach.side * h : -h, second = reach.side ? 2.0 * first : h;
    if (!take(d, copy, &of, first, low)) return false;
    tn_place_difference(model, here, low, copy->one);
    if (d->def.sides == 1) {
        for (int i = 0; i < d->state_count; i++) x[i] = copy->one[i] / first;
        put(d, column, x, 0.0);
        return true;
    }
    if (!take(d, copy, &of, second, high)) return false;
    tn_place_difference(model, here, high, copy->two);
    for (int i = 0; i < d->state_count; i++) {
        double a = copy->one[i] / first, b = copy->two[i] / second;
        x[i] = reach.side ? 2.0 * a - b : 0.5 * (a + b); /* exact of a parabola */
        kink = fmax(kink, fabs(a - b));
    }
    put(d, column, x, kink);
    return true;
}

void tn_differences(TnDerivatives *d, TnCopy *copy, int column)
{
    if (d->is_linear) {
        tn_linear_begin(copy);
        bool ok = differ(d, copy, column, tn_linear_take, d->linear_here);
        tn_linear_end(copy);
        d->columns[column] = TN_COLUMN_IMPLICIT;
        if (ok) return;
    }
    d->columns[column] = TN_COLUMN_DIFFERENCES;
    if (differ(d, copy, column, tn_copy_take, d->here)) return;
    d->columns[column] = TN_COLUMN_NONE;
    put(d, column, NULL, 0.0);
}

/* All columns at once are more likely to meet a switch than one: then a tenth of the way may not.
 */
#define TRIES 2
#define SHORTER 0.1

/* A way of all implicit columns that are at no kink, each to a side of chance. */
static void choose_way(const TnDerivatives *d, double *way)
{
    unsigned random = 1;
    for (int c = 0; c < d->state_count + d->ctrl_count; c++) {
        Reach reach = reach_of(d, tn_column_of(d, c));
        bool counts = c < d->state_count ? d->def.state : d->def.ctrl;
        counts = counts && d->columns[c] == TN_COLUMN_IMPLICIT && !(d->kinks[c] > TN_KINK);
        random = random * 1664525U + 1013904223U;
        way[c] = !counts || reach.side ? 0.0 : random >> 31 ? reach.h : -reach.h;
    }
}

/* Half of what whole steps differ by that go the way and back. False: a step was rejected. */
static bool go_both_ways(const TnDerivatives *d, TnCopy *copy, double *way, double *out)
{
    const TnModel *model = d->of->model;
    int count = d->state_count + d->ctrl_count;
    for (int side = 0; side < 2; side++) {
        if (!tn_copy_take_along(d, copy, way, copy->low)) return false;
        tn_place_difference(model, d->here, copy->low, side ? copy->two : copy->one);
        for (int c = 0; c < count; c++) way[c] = -way[c];
    }
    for (int i = 0; i < d->state_count; i++) out[i] = 0.5 * (copy->one[i] - copy->two[i]);
    return true;
}

/* Row i of the columns times the way. */
static double along(const TnDerivatives *d, const double *way, int i)
{
    int n = d->state_count, nu = d->ctrl_count;
    double sum = 0.0;
    for (int c = 0; c < n + nu; c++)
        if (way[c] != 0.0)
            sum += way[c] * (c < n ? d->A[(size_t)i * (size_t)n + (size_t)c]
                                   : d->B[(size_t)i * (size_t)nu + (size_t)(c - n)]);
    return sum;
}

bool tn_differences_agree(const TnDerivatives *d, TnCopy *copy)
{
    int count = d->state_count + d->ctrl_count;
    double *way = copy->way, *whole = copy->tangent;
    choose_way(d, way);
    for (int k = 0; k < TRIES; k++) {
        double most = d->def.step * (k ? SHORTER : 1.0), off = 0.0;
        if (!go_both_ways(d, copy, way, whole)) return false;
        for (int i = 0; i < d->state_count; i++) {
            /* at a switch both sides are right, and what lies between them */
            double sides = 0.5 * fabs(copy->one[i] + copy->two[i]);
            most = fmax(most, fabs(whole[i]));
            off = fmax(off, fabs(along(d, way, i) - whole[i]) - sides);
        }
        if (off <= TN_SAME * most) return true;
        for (int c = 0; c < count; c++) way[c] *= SHORTER;
    }
    return false;
}

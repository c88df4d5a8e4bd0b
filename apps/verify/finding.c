/* What a row found: its number, notes and curves. */
#include "verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void finding_free(Finding *finding)
{
    for (int i = 0; i < finding->curve_count; i++) {
        free(finding->curves[i].x);
        free(finding->curves[i].y);
        finding->curves[i] = (FindingCurve){0}; /* the place may be taken again */
    }
    finding->curve_count = 0;
}

double finding_error(const VerifyRow *row, const Finding *finding)
{
    double error = fabs(finding->value - finding->reference);
    return row->relative ? error / fabs(finding->reference) : error;
}

bool finding_holds(const VerifyRow *row, const Finding *finding)
{
    return !finding->trouble[0] && finding_error(row, finding) <= row->tolerance;
}

void finding_trouble(Finding *finding, const char *format, ...)
{
    va_list args;
    if (finding->trouble[0]) return; /* the first one counts */
    va_start(args, format);
    vsnprintf(finding->trouble, sizeof finding->trouble, format, args);
    va_end(args);
    if (!finding->trouble[0]) strcpy(finding->trouble, "unknown error");
}

/* Notes follow each other. */
void finding_note(Finding *finding, const char *format, ...)
{
    size_t used = strlen(finding->note);
    va_list args;
    if (used && used + 2 < sizeof finding->note) {
        strcpy(finding->note + used, "; ");
        used += 2;
    }
    va_start(args, format);
    vsnprintf(finding->note + used, sizeof finding->note - used, format, args);
    va_end(args);
}

void finding_axes(Finding *finding, const char *x_label, const char *y_label)
{
    snprintf(finding->x_label, sizeof finding->x_label, "%s", x_label);
    snprintf(finding->y_label, sizeof finding->y_label, "%s", y_label);
}

int finding_curve(Finding *finding, const char *name)
{
    if (finding->curve_count == FINDING_CURVES) return -1;
    FindingCurve *curve = &finding->curves[finding->curve_count];
    snprintf(curve->name, sizeof curve->name, "%s", name);
    return finding->curve_count++;
}

int finding_reference_curve(Finding *finding, const char *name)
{
    int curve = finding_curve(finding, name);
    if (curve >= 0) finding->curves[curve].dashed = true;
    return curve;
}

static bool grow(FindingCurve *curve)
{
    int room = curve->room ? 2 * curve->room : 64;
    double *x = realloc(curve->x, sizeof *x * (size_t)room);
    if (x) curve->x = x;
    double *y = realloc(curve->y, sizeof *y * (size_t)room);
    if (y) curve->y = y;
    if (x && y) curve->room = room;
    return x && y;
}

void finding_point(Finding *finding, int curve, double x, double y)
{
    if (curve < 0 || curve >= finding->curve_count) return;
    FindingCurve *c = &finding->curves[curve];
    if (c->count == c->room && !grow(c)) return; /* a plot without this point */
    c->x[c->count] = x;
    c->y[c->count++] = y;
}

/* Slope of the logarithms by least squares. */
static double slope_of(const double *sizes, const double *errors, int count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        double a = log(sizes[i]), b = log(errors[i]);
        x += a / count, y += b / count;
    }
    for (int i = 0; i < count; i++) {
        xx += (log(sizes[i]) - x) * (log(sizes[i]) - x);
        xy += (log(sizes[i]) - x) * (log(errors[i]) - y);
    }
    return xy / xx;
}

void finding_order(Finding *finding, const char *of, const double *sizes, const double *errors,
                   int count, double reference)
{
    char text[FINDING_NOTE] = "", name[FINDING_LABEL];
    size_t used = 0;
    int last = count - 1;
    for (int i = 0; i < count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.3g", i ? ", " : "errors ",
                                 errors[i]);
    for (int i = 0; i < count && used < sizeof text; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%g", i ? ", " : " at ", sizes[i]);
    finding_note(finding, "%s (%s)", text, of);
    finding->value = slope_of(sizes, errors, count);
    finding->reference = reference;
    finding_axes(finding, of, "error");
    finding->log_x = finding->log_y = true;
    int measured = finding_curve(finding, "measured");
    snprintf(name, sizeof name, "order %g", reference);
    int ideal = finding_reference_curve(finding, name);
    for (int i = 0; i < count; i++) {
        finding_point(finding, measured, sizes[i], errors[i]);
        finding_point(finding, ideal, sizes[i],
                      errors[last] * pow(sizes[i] / sizes[last], reference));
    }
    if (measured >= 0) finding->curves[measured].marks = true;
}

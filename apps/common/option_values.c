/* option_values.c: the text of one option, checked and put where the option says. */
#include "option_values.h"

#include "app.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void number_list_free(NumberList *list)
{
    free(list->values);
    *list = (NumberList){0};
}

static void out_of_range(const char *command, const Option *option, const char *text)
{
    if (option->kind == OPTION_INT || option->kind == OPTION_INTS)
        say(command, "%s: '%s' is not an integer within %.0f ... %.0f", option->name, text,
            option->lower, option->upper);
    else if (option->upper >= 1e300 && option->lower <= -1e300)
        say(command, "%s: '%s' is not a finite number", option->name, text);
    else
        say(command, "%s: '%s' is not a number with %g %s %s %s %g", option->name, text,
            option->lower, option->ends == ENDS_LOWER_OPEN ? "<" : "<=", option->value,
            option->ends == ENDS_UPPER_OPEN ? "<" : "<=", option->upper);
}

static bool in_range(const Option *option, double x)
{
    if (!isfinite(x)) return false;
    if (x < option->lower || x > option->upper) return false;
    if (option->ends == ENDS_LOWER_OPEN && x == option->lower) return false;
    return !(option->ends == ENDS_UPPER_OPEN && x == option->upper);
}

/* One number at *text, which moves behind it. */
static bool read_number(const Option *option, const char **text, double *x)
{
    char *end;
    bool integer = option->kind == OPTION_INT || option->kind == OPTION_INTS ||
                   option->kind == OPTION_DIVISION;
    errno = 0;
    *x = integer ? (double)strtoll(*text, &end, 10) : strtod(*text, &end);
    /* strtod's ERANGE also tells of an underflow, which is a fine zero */
    bool overflow = errno == ERANGE && (integer || isinf(*x));
    if (end == *text || overflow || !in_range(option, *x)) return false;
    *text = end;
    return true;
}

/* Appends the numbers of one argument, separated by commas or blanks. */
bool option_append(const Option *option, const char *text, NumberList *list)
{
    static const char blanks[] = " \t\n";
    int old_count = list->count;
    text += strspn(text, blanks);
    while (*text) {
        double x;
        double *grown = realloc(list->values, (size_t)(list->count + 1) * sizeof *grown);
        if (!grown) break;
        list->values = grown;
        if (!read_number(option, &text, &x)) break;
        list->values[list->count++] = x;
        size_t blank = strspn(text, blanks);
        text += blank;
        if (*text == ',') {
            text++;
            text += strspn(text, blanks);
            if (!*text) break; /* nothing behind a comma */
        } else if (!*text) {
            return true;
        } else if (!blank) {
            break;
        }
    }
    list->count = old_count;
    return false;
}

static bool read_choice(const char *command, const Option *option, const char *text)
{
    int count = 0;
    for (; option->choices[count]; count++) {
        if (strcmp(option->choices[count], text)) continue;
        *(int *)option->target = count;
        return true;
    }
    char list[256] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 option->choices[i]);
    const char *near = nearest_name(text, option->choices, count);
    if (near)
        say(command, "%s: there is no '%s'; did you mean '%s'?", option->name, text, near);
    else
        say(command, "%s: there is no '%s', only %s", option->name, text, list);
    return false;
}

/* Digits alone, unlike strtol. */
static bool read_division(const char *command, const Option *option, const char *text)
{
    static const char *const names[] = {"auto", "whole", "paper"}; /* order of TnDivisionKind */
    TnDivisionDef *division = option->target;
    const char *rest = text;
    double size;
    for (int i = 0; i < 3; i++) {
        if (strcmp(names[i], text)) continue;
        division->kind = (TnDivisionKind)i;
        return true;
    }
    if (read_number(option, &rest, &size) && !text[strspn(text, "0123456789")]) {
        division->kind = TN_DIVISION_GROUPS;
        division->group_size = (int)size;
        return true;
    }
    const char *near = nearest_name(text, names, 3);
    if (near)
        say(command, "%s: there is no '%s'; did you mean '%s'?", option->name, text, near);
    else
        say(command, "%s: '%s' must be auto, whole, paper or a number of segments, 1 ... %.0f",
            option->name, text, option->upper);
    return false;
}

bool option_read(const char *command, const Option *option, const char *text)
{
    double x;
    const char *rest = text;
    switch (option->kind) {
    case OPTION_SET:
        *(bool *)option->target = true;
        return true;
    case OPTION_CLEAR:
        *(bool *)option->target = false;
        return true;
    case OPTION_CHOICE:
        return read_choice(command, option, text);
    case OPTION_DIVISION:
        return read_division(command, option, text);
    case OPTION_TEXT:
    case OPTION_OUTPUT:
        if (!*text) {
            say(command, "%s: the %s is empty", option->name, option->value);
            return false;
        }
        *(const char **)option->target = text;
        return true;
    case OPTION_INT:
    case OPTION_REAL:
        if (!read_number(option, &rest, &x) || *rest) {
            out_of_range(command, option, text);
            return false;
        }
        if (option->kind == OPTION_INT)
            *(int *)option->target = (int)x;
        else
            *(double *)option->target = x;
        return true;
    case OPTION_INTS:
    case OPTION_REALS: {
        NumberList *list = option->target;
        if (list->given) number_list_free(list);
        list->given = true;
        /* an empty text is an empty list: right for a model without such numbers */
        if (option->kind == OPTION_REALS && !text[strspn(text, " \t")]) return true;
        if (option_append(option, text, list)) return true;
        out_of_range(command, option, text);
        return false;
    }
    }
    return false;
}

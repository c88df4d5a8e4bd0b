/* What tenon solve tells; see solve_report.h. */
#include "solve_report.h"

#include "../common/app.h"
#include "../common/table.h"

#include <math.h>
#include <string.h>

const char *problem_format_name(const TnProblemFileInfo *info)
{
    switch (info->format) {
    case TN_PROBLEM_SICONOS_LOCAL:
        return info->dimension == 5 ? "siconos local rolling" : "siconos local";
    case TN_PROBLEM_SICONOS_GLOBAL:
        return info->dimension == 5 ? "siconos global rolling" : "siconos global";
    default:
        return "tenon";
    }
}

static bool is_siconos(const TnProblemFileInfo *info) { return info->format != TN_PROBLEM_TENON; }

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void solve_print(const char *path, const TnProblemFileInfo *info, double tolerance,
                 const SolveOutcome *o)
{
    const TnJudgement *j = &o->judgement;
    printf("%s\n", path);
    table_line(stdout, "format", "%s", problem_format_name(info));
    if (info->dimension) table_line(stdout, "numbers of a contact", "%d", info->dimension);
    table_line(stdout, "contacts", "%d", info->contacts);
    table_line(stdout, "unknowns", "%d", info->unknowns);
    table_line(stdout, "numbers in \u03bb", "%d", info->rows);
    if (is_siconos(info)) table_line(stdout, "asymmetry", "%.2g", info->asymmetry);
    table_line(stdout, "solver", "%s%s%s", tn_method_name(o->method), o->form ? ", " : "",
               o->form ? o->form : "");
    table_line(stdout, "iterations", "%d in %d stage%s", o->iterations, o->stages,
               o->stages == 1 ? "" : "s");
    table_line(stdout, "time", "%.4g s, and %.4g s to prepare", o->solve_seconds,
               o->prepare_seconds);
    table_line(stdout, "accuracy AAc", "%.3f", j->aac);
    table_line(stdout, "accuracy AA\u03bb", "%.3f", j->aal);
    table_line(stdout, "natural map", "%.3g m/s, %.3g of the velocity scale", j->natural_map,
               j->natural_map / o->velocity_scale);
    table_line(stdout, "velocity scale", "%.3g m/s", o->velocity_scale);
    table_line(stdout, "cone error", "%.3g", j->cone_error);
    if (is_siconos(info)) {
        table_line(stdout, "error of Siconos", "%.3g symmetric", o->symmetric);
        table_line(stdout, "", "%.3g as read", o->as_read);
    }
    table_line(stdout, "dynamics residual", "%.3g", j->dynamics);
    table_line(stdout, "reached", "%s: %s %.3g, tolerance %g (%s)", o->reached ? "yes" : "no",
               is_siconos(info) ? "error of Siconos" : "natural map by velocity scale", o->measure,
               tolerance, o->end);
}

enum { NAME_WIDTH = 44 };

void solve_print_heading(void)
{
    printf("%-*s %-9s %-7s %10s %9s %10s %10s %10s  %s\n", NAME_WIDTH, "file", "solver", "reached",
           "iterations", "time s", "error", "as read", "nat. map", "ended by");
}

void solve_print_row(const char *path, const SolveOutcome *o)
{
    char as_read[16] = "-";
    if (isfinite(o->as_read)) snprintf(as_read, sizeof as_read, "%.2e", o->as_read);
    printf("%-*.*s %-9s %-7s %10d %9.3f %10.2e %10s %10.2e  %s\n", NAME_WIDTH, NAME_WIDTH,
           base_name(path), tn_method_name(o->method), o->reached ? "yes" : "no", o->iterations,
           o->prepare_seconds + o->solve_seconds, o->measure, as_read,
           o->judgement.natural_map / o->velocity_scale, o->end);
    fflush(stdout); /* a row may take a minute, so each shows when it is there */
}

void solve_json(Json *json, const char *path, const TnProblemFileInfo *info, double tolerance,
                const SolveOutcome *o)
{
    const TnJudgement *j = &o->judgement;
    json_string(json, "file", path);
    json_string(json, "format", problem_format_name(info));
    json_integer(json, "dimension", info->dimension);
    json_integer(json, "contacts", info->contacts);
    json_integer(json, "unknowns", info->unknowns);
    json_integer(json, "rows", info->rows);
    json_number(json, "asymmetry", is_siconos(info) ? info->asymmetry : NAN);
    json_string(json, "solver", tn_method_name(o->method));
    if (o->form)
        json_string(json, "form", o->form);
    else
        json_number(json, "form", NAN); /* null */
    json_integer(json, "iterations", o->iterations);
    json_integer(json, "stages", o->stages);
    json_number(json, "prepare_s", o->prepare_seconds);
    json_number(json, "solve_s", o->solve_seconds);
    json_number(json, "aac", j->aac);
    json_number(json, "aal", j->aal);
    json_number(json, "natural_map", j->natural_map);
    json_number(json, "velocity_scale", o->velocity_scale);
    json_number(json, "cone_error", j->cone_error);
    json_number(json, "siconos_error", o->symmetric);
    json_number(json, "siconos_error_as_read", o->as_read);
    json_number(json, "dynamics", j->dynamics);
    json_number(json, "tolerance", tolerance);
    json_string(json, "measure", is_siconos(info) ? "siconos_error" : "natural_map/velocity_scale");
    json_number(json, "error", o->measure);
    json_bool(json, "reached", o->reached);
    json_string(json, "end", o->end);
}

void solve_csv_heading(FILE *out)
{
    fputs("file,format,dimension,contacts,unknowns,rows,asymmetry,solver,form,iterations,stages,"
          "prepare_s,solve_s,aac,aal,natural_map,velocity_scale,cone_error,siconos_error,"
          "siconos_error_as_read,dynamics,error,reached,end\n",
          out);
}

/* Quoted where it holds a comma, a quote or a line break. */
static void csv_text(FILE *out, const char *text)
{
    bool quote = text[strcspn(text, ",\"\r\n")] != '\0';
    if (quote) fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
    if (quote) fputc('"', out);
}

void solve_csv_row(FILE *out, const char *path, const TnProblemFileInfo *info,
                   const SolveOutcome *o)
{
    const TnJudgement *j = &o->judgement;
    csv_text(out, base_name(path));
    fprintf(out, ",%s,%d,%d,%d,%d,%.3g,%s,", problem_format_name(info), info->dimension,
            info->contacts, info->unknowns, info->rows, info->asymmetry, tn_method_name(o->method));
    csv_text(out, o->form ? o->form : "");
    fprintf(out, ",%d,%d", o->iterations, o->stages);
    const double numbers[] = {o->prepare_seconds, o->solve_seconds,  j->aac,        j->aal,
                              j->natural_map,     o->velocity_scale, j->cone_error, o->symmetric,
                              o->as_read,         j->dynamics,       o->measure};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (isnan(numbers[i]))
            fputc(',', out);
        else
            fprintf(out, ",%.6g", numbers[i]);
    fprintf(out, ",%d,%s\n", o->reached, o->end);
}

/* What rows found, as lines of text and as JSON. */
#include "../common/json.h"
#include "run.h"

static const char *verdict(const VerifyRow *row, const Finding *finding)
{
    if (!finding_holds(row, finding)) return "FAILED";
    return row->weak ? "weak" : "ok";
}

void verify_print_row(FILE *out, const VerifyRow *row, const Finding *finding)
{
    if (finding->trouble[0]) {
        fprintf(out, "%-28s FAILED: %s", row->name, finding->trouble);
        return;
    }
    fprintf(out, "%-28s %-13.8g %-13.8g %-9.2e %-9.2e %s", row->name, finding->value,
            finding->reference, finding_error(row, finding), row->tolerance, verdict(row, finding));
}

static void print_row_json(Json *json, const VerifyRow *row, const Finding *finding)
{
    json_begin_object(json, NULL);
    json_string(json, "name", row->name);
    json_string(json, "shows", row->shows);
    json_string(json, "source", row->source);
    json_string(json, "unit", row->unit);
    json_number(json, "value", finding->value);
    json_number(json, "reference", finding->reference);
    json_number(json, "error", finding_error(row, finding));
    json_number(json, "tolerance", row->tolerance);
    json_bool(json, "relative", row->relative);
    json_string(json, "reason", row->reason);
    json_bool(json, "weak", row->weak);
    json_bool(json, "holds", finding_holds(row, finding));
    json_string(json, "note", finding->note);
    json_string(json, "trouble", finding->trouble);
    json_integer(json, "not_converged", finding->not_converged);
    json_number(json, "seconds", finding->seconds);
    json_end(json);
}

void verify_print_json(FILE *out, const VerifyRun *run)
{
    Json json = json_to(out);
    json_begin_object(&json, NULL);
    json_begin_array(&json, "rows");
    for (int i = 0; i < run->count; i++) print_row_json(&json, run->rows[i], &run->findings[i]);
    json_end(&json);
    json_number(&json, "seconds", run->seconds);
    json_end(&json);
}

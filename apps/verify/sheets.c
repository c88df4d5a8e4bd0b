/* Sheets at rest: strips and plates against the formulas of beams and thin plates. Long implicit
 * steps (θ = 1) until nothing moves any more. */
#include "families.h"

#include <math.h>
#include <stdlib.h>

#define YOUNG 1e7
#define THICK 0.002

/* One sheet in a world: a rectangle around the origin in the plane z = 0, by C calls. */
typedef struct SheetSim {
    Sim sim;
    TnSoftDef soft;
    TnSoftHoldDef *holds;
    TnSoftInfo info;
    double *force; /* 3 per node */
} SheetSim;

static SheetSim sheet_begin(Finding *f, double lx, double ly, int nx, int ny, double nu)
{
    SheetSim s = {.sim = {.finding = f}, .soft = tn_soft_def()};
    TnError err = {0};
    if (!tn_sheet_mesh_rectangle((const double[2]){lx / 2, ly / 2}, (const int[2]){nx, ny},
                                 &s.soft.mesh, &err))
        finding_trouble(f, "%.300s", err.message);
    s.soft.thickness = THICK;
    s.soft.youngs_modulus = YOUNG;
    s.soft.poisson_ratio = nu;
    s.soft.damping_stiffness = 0;
    s.soft.contact_type = s.soft.contact_affinity = 0;
    s.holds = malloc(sizeof *s.holds * (size_t)(s.soft.mesh.node_count + 1));
    return s;
}

/* Holds the nodes beyond x = `x`, and, where y is not 0, beyond |x| or |y| = y. */
static void sheet_hold(SheetSim *s, double x, double y)
{
    const TnTetMesh *mesh = &s->soft.mesh;
    for (int i = 0; s->holds && i < mesh->node_count; i++) {
        const double *at = mesh->nodes + 3 * i;
        bool held = y > 0 ? fmax(fabs(at[0]), fabs(at[1])) > y - 1e-9 : at[0] < x + 1e-9;
        if (held) s->holds[s->soft.hold_count++] = (TnSoftHoldDef){i, TN_BODY_WORLD};
    }
    s->soft.holds = s->holds;
}

static void sheet_finish(SheetSim *s)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    option.timestep = 1000;
    option.theta = 1;
    option.gravity[2] = 0;
    tn_builder_set_option(builder, &option, (TnSource){0});
    TnSoftId id = tn_builder_add_soft(builder, &s->soft);
    tn_tet_mesh_free(&s->soft.mesh);
    free(s->holds);
    s->sim = sim_build(s->sim.finding, builder, NULL);
    if (s->sim.model) s->info = tn_model_soft_info(s->sim.model, id);
    s->force = calloc(3 * (size_t)s->info.node_count + 1, sizeof *s->force);
}

/* The balance of energy stops single steps, so the first quiet one does not count. */
static void sheet_settle(SheetSim *s)
{
    for (int k = 0; k < 30 && s->sim.world; k++) {
        for (int n = 0; n < s->info.node_count; n++)
            tn_world_apply_node_force(s->sim.world, 1, n, s->force + 3 * n);
        if (!sim_step(&s->sim)) return;
    }
}

static double sheet_x(const SheetSim *s, int node, int axis)
{
    return s->sim.world ? sim_qpos(&s->sim)[s->info.qpos_start + 3 * node + axis] : NAN;
}

static void sheet_end(SheetSim *s)
{
    sim_close(&s->sim);
    free(s->force);
}

/* ---- a strip ---- */

/* A strip of length L and width b, clamped by a column of cells, with 10 µN at its end: deflection
 * of the end's mean over FL³/3EI, I = b h³/12. The slope of that column is zero, which is the slope
 * in its middle: there the length begins. */
static double strip_sag(Finding *f, double L, double b, int nx, int ny, double nu)
{
    double cell = L / (nx - 0.5), half = nx * cell / 2, F = 1e-5, sag = 0;
    SheetSim s = sheet_begin(f, 2 * half, b, nx, ny, nu);
    sheet_hold(&s, -half + cell, 0);
    sheet_finish(&s);
    int last = s.info.node_count - 1;
    for (int j = 0; j <= ny && last > 0; j++)
        s.force[3 * (last - j) + 2] = -F / ny * (j == 0 || j == ny ? 0.5 : 1);
    sheet_settle(&s);
    for (int j = 0; j <= ny; j++)
        sag -= sheet_x(&s, last - j, 2) / ny * (j == 0 || j == ny ? 0.5 : 1);
    sheet_end(&s);
    return sag / (F * L * L * L / (3 * YOUNG * b * pow(THICK, 3) / 12));
}

static void strip(Finding *f, const VerifyRow *row)
{
    f->value = strip_sag(f, 0.4, 0.02, 40, 2, row->number);
    f->reference = 1;
}

static void strip_wide(Finding *f, const VerifyRow *row)
{
    f->value = strip_sag(f, 0.1, 1.0, 20, 100, row->number);
    f->reference = 1 - row->number * row->number;
}

/* F = E h b ε along a strip whose sides are free. */
static void stretch(Finding *f, const VerifyRow *row)
{
    double L = 0.4, b = 0.1, F = 0.02 * YOUNG * THICK * b;
    (void)row;
    SheetSim s = sheet_begin(f, L, b, 16, 4, 0);
    sheet_hold(&s, -L / 2, 0);
    sheet_finish(&s);
    int last = s.info.node_count - 1;
    for (int j = 0; j <= 4 && last > 0; j++)
        s.force[3 * (last - j)] = F / 4 * (j == 0 || j == 4 ? 0.5 : 1);
    sheet_settle(&s);
    f->value = (sheet_x(&s, last, 0) - L / 2) / L;
    f->reference = 0.02;
    sheet_end(&s);
}

/* ---- a square plate ---- */

/* A square a × a, its border clamped by a ring of cells (a ends in their middle) or simply held,
 * under q: deflection of the centre over q a⁴/D. n is even. */
static double plate_sag(Finding *f, int n, bool clamped)
{
    double a = 0.4, nu = 0.3, q = 1e-3, cell = clamped ? a / (n - 1) : a / n;
    double D = YOUNG * pow(THICK, 3) / (12 * (1 - nu * nu));
    SheetSim s = sheet_begin(f, n * cell, n * cell, n, n, nu);
    sheet_hold(&s, 0, clamped ? (a - cell) / 2 : a / 2);
    sheet_finish(&s);
    for (int i = 0; i < s.info.node_count; i++) s.force[3 * i + 2] = -q * cell * cell;
    sheet_settle(&s);
    double sag = -sheet_x(&s, (n / 2) * (n + 1) + n / 2, 2);
    sheet_end(&s);
    return sag * D / (q * pow(a, 4));
}

static void plate(Finding *f, const VerifyRow *row)
{
    bool clamped = row->number > 0;
    double cells[3] = {8, 16, 32}, sag[3];
    f->reference = clamped ? 0.0012653 : 0.0040624;
    finding_axes(f, "cells along a side", "deflection D / q a⁴");
    int found = finding_curve(f, "tenon"), right = finding_reference_curve(f, "thin plate");
    for (int i = 0; i < 3; i++) {
        sag[i] = plate_sag(f, (int)cells[i], clamped);
        finding_point(f, found, cells[i], sag[i]);
        finding_point(f, right, cells[i], f->reference);
    }
    f->value = sag[2];
    finding_note(f, "off by %.1f, %.1f, %.1f %% with 8, 16, 32 cells",
                 100 * (sag[0] / f->reference - 1), 100 * (sag[1] / f->reference - 1),
                 100 * (sag[2] / f->reference - 1));
}

static const char plates[] =
    "Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, tables of square plates.";

static const VerifyRow rows[] = {
    {.name = "sheets.strip",
     .shows = "A strip of 2 mm, clamped at one end, a small force at the other, ν = 0: deflection.",
     .source = "FL³/3EI.",
     .unit = "of the formula's",
     .tolerance = 2e-3,
     .reason = "40 cells along the strip: second order.",
     .quick = true,
     .run = strip,
     .number = 0},
    {.name = "sheets.strip.narrow",
     .shows = "The same with ν = 0.3.",
     .source = "FL³/3EI: a narrow strip bends as a beam.",
     .unit = "of the formula's",
     .tolerance = 0.01,
     .reason = "two cells across do not let it curl freely.",
     .quick = true,
     .run = strip,
     .number = 0.3},
    {.name = "sheets.strip.wide",
     .shows = "A strip ten times as wide as long, ν = 0.3.",
     .source = "(1 - ν²) FL³/3EI: a wide strip bends as a plate.",
     .unit = "of the beam's",
     .tolerance = 0.01,
     .reason = "its free ends bend as a beam.",
     .run = strip_wide,
     .number = 0.3},
    {.name = "sheets.stretch",
     .shows = "A strip pulled along: its strain.",
     .source = "F = E h b ε.",
     .unit = "",
     .tolerance = 1e-9,
     .reason = "linear triangles are exact in uniform strain.",
     .quick = true,
     .run = stretch},
    {.name = "sheets.plate.clamped",
     .shows = "A clamped square plate under uniform load, ν = 0.3: deflection of its centre, D / q "
              "a⁴.",
     .source = plates,
     .unit = "",
     .tolerance = 0.01,
     .relative = true,
     .reason = "32 cells along a side; hinges between triangles converge slowly.",
     .run = plate,
     .number = 1},
    {.name = "sheets.plate.held",
     .shows = "The same, simply supported.",
     .source = plates,
     .unit = "",
     .tolerance = 0.01,
     .relative = true,
     .reason = "as above.",
     .run = plate,
     .number = 0},
};

const VerifyFamily verify_sheets = {"sheets", "Sheets", rows, sizeof rows / sizeof *rows};

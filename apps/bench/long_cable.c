/* The cable of the scaling benchmark; see long_cable.h. */
#include "long_cable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double segment_length = 0.01; /* m */
static const double cable_radius = 0.004;  /* m */
static const double bar_radius = 0.01;     /* m */
static const double drop = 0.0005;         /* m of air above the bars at the start */
enum { SEGMENTS_PER_BAR = 10 };

static TnModel *no_memory(int segments, TnError *err)
{
    *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1};
    snprintf(err->message, sizeof err->message, "no memory for a cable of %d segments", segments);
    return NULL;
}

/* A cylinder's axis is its z axis; this turns it to y. */
static void add_bar(TnModelBuilder *builder, double x)
{
    TnGeomDef bar = tn_geom_def();
    const double h = sqrt(0.5);
    bar.body = TN_BODY_WORLD;
    bar.type = TN_GEOM_CYLINDER;
    bar.pos[0] = x;
    bar.quat[0] = h, bar.quat[1] = h;
    bar.size[0] = bar_radius, bar.size[1] = 0.1;
    bar.friction[0] = 0.5;
    tn_builder_add_geom(builder, &bar);
}

static void hold(TnModelBuilder *builder, TnBodyId segment)
{
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = segment;
    weld.body2 = TN_BODY_WORLD;
    tn_builder_add_equality(builder, &weld);
}

TnModel *long_cable_model(int segments, TnError *err)
{
    double *points = malloc(3 * ((size_t)segments + 1) * sizeof *points);
    TnModelBuilder *builder = tn_builder_create();
    if (!points || !builder) {
        free(points);
        tn_builder_destroy(builder);
        return no_memory(segments, err);
    }
    TnRodDef rod = tn_rod_def();
    for (int i = 0; i <= segments; i++) {
        points[3 * i] = segment_length * i;
        points[3 * i + 1] = 0;
        points[3 * i + 2] = bar_radius + cable_radius + drop;
    }
    rod.name = "cable";
    rod.segment_count = segments;
    rod.points = points;
    rod.radius = cable_radius;
    rod.density = 1000;
    rod.youngs_modulus = 1e7;
    rod.self_contact = true;
    rod.friction[0] = 0.5;
    TnOption option = tn_option();
    tn_builder_set_name(builder, "long cable");
    tn_builder_set_option(builder, &option, (TnSource){0});
    TnRodParts parts = tn_builder_rod_parts(builder, tn_builder_add_rod(builder, &rod));
    hold(builder, parts.body);
    if (segments > 1) hold(builder, parts.body + segments - 1);
    for (int i = SEGMENTS_PER_BAR / 2; i < segments; i += SEGMENTS_PER_BAR)
        add_bar(builder, segment_length * (i + 0.5));
    TnModel *model = tn_builder_compile(builder, err);
    tn_builder_destroy(builder);
    free(points);
    return model;
}

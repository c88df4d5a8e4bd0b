/* How a world is divided; see division_table.h. */
#include "division_table.h"

#include "../common/app.h"
#include "../common/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 4 };

typedef struct Line {
    int count;            /* subsystems */
    int first;            /* index of one of them */
    TnSubsystemInfo info; /* of each */
    TnRodId group_of;     /* a part of this cable and nothing else; 0: whole cables, or robots */
    int least_nodes, least_unknowns; /* of pieces of a soft body, which differ; info has the most */
    char text[512];
} Line;

typedef struct Lines {
    const TnWorld *world;
    const TnModel *model;
    int count;
    Line *lines;
} Lines;

static void add(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Line *line, const char *format, ...)
{
    size_t used = strlen(line->text);
    va_list args;
    va_start(args, format);
    vsnprintf(line->text + used, sizeof line->text - used, format, args);
    va_end(args);
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

/* Where all segments are of one cable, and not all of it, that cable. */
static TnRodId part_of_cable(const TnModel *model, const TnSubsystemInfo *info)
{
    for (TnRodId id = 1; id <= tn_model_info(model).rod_count && !info->trees && !info->soft;
         id++) {
        TnRodInfo rod = tn_model_rod_info(model, id);
        if (info->body >= rod.body && info->body < rod.body + rod.segment_count)
            return info->segments < rod.segment_count ? id : 0;
    }
    return 0;
}

static bool is_alike(const Line *line, const Line *other)
{
    const TnSubsystemInfo *a = &line->info, *b = &other->info;
    if (a->soft || b->soft) /* pieces of one soft body */
        return a->soft == b->soft && !a->trees && !b->trees && !a->segments && !b->segments;
    return a->unknowns == b->unknowns && a->free_bodies == b->free_bodies && a->trees == b->trees &&
           a->segments == b->segments && line->group_of == other->group_of;
}

static void join(Line *line, const Line *other)
{
    line->count++;
    TnSubsystemInfo *most = &line->info;
    const TnSubsystemInfo *more = &other->info;
    if (more->soft_nodes < line->least_nodes) line->least_nodes = more->soft_nodes;
    if (more->unknowns < line->least_unknowns) line->least_unknowns = more->unknowns;
    if (more->soft_nodes > most->soft_nodes) most->soft_nodes = more->soft_nodes;
    if (more->unknowns > most->unknowns) most->unknowns = more->unknowns;
}

/* Free bodies come first and are all alike; there may be many. */
static bool collect(Lines *all, const TnWorld *world)
{
    int count = tn_world_subsystem_count(world);
    *all = (Lines){.world = world, .model = tn_world_model(world)};
    int free_count = tn_model_info(all->model).free_body_count;
    for (int i = 0; i < count; i += i || !free_count ? 1 : free_count) {
        Line line = {.count = i < free_count ? free_count : 1,
                     .first = i,
                     .info = tn_world_subsystem_info(world, i)};
        line.group_of = part_of_cable(all->model, &line.info);
        line.least_nodes = line.info.soft_nodes;
        line.least_unknowns = line.info.unknowns;
        int same = 0;
        while (same < all->count && !is_alike(&all->lines[same], &line)) same++;
        if (same < all->count) {
            join(&all->lines[same], &line);
            continue;
        }
        Line *grown = realloc(all->lines, (size_t)(all->count + 1) * sizeof *grown);
        if (!grown) return false;
        all->lines = grown;
        all->lines[all->count++] = line;
    }
    return true;
}

/* ---- words ---- */

static void name_cables(const Lines *all, Line *line)
{
    char name[NAME_SIZE];
    const char *comma = "";
    for (TnRodId id = 1; id <= tn_model_info(all->model).rod_count; id++) {
        TnRodInfo rod = tn_model_rod_info(all->model, id);
        int inside = 0;
        for (int i = 0; i < rod.segment_count; i++)
            inside += tn_world_body_subsystem(all->world, rod.body + i) == line->first;
        if (!inside) continue;
        add(line, "%s%s (%d", comma, rod_label(all->model, id, name), inside);
        if (inside < rod.segment_count) add(line, " of %d", rod.segment_count);
        add(line, " segments)");
        comma = ", ";
    }
}

/* Degrees of freedom of the mechanism with this part's number. */
static int dofs_of(const TnModel *model, int part)
{
    int count = 0;
    for (TnJointId id = 1; id <= tn_model_info(model).joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (tn_model_body_subsystem(model, joint.body) == part) count += joint.dof_count;
    }
    return count;
}

/* The robots of one subsystem by their first bodies, with their degrees of freedom. */
static void name_robots(const Lines *all, Line *line)
{
    char name[NAME_SIZE];
    int body_count = tn_model_info(all->model).body_count, last = 0, found = 0;
    for (TnBodyId id = 2; id <= body_count && found < line->info.trees; id++) {
        int part = tn_model_body_subsystem(all->model, id);
        if (part <= last || tn_world_body_subsystem(all->world, id) != line->first) continue;
        last = part;
        add(line, "%s%s (%d)", found++ ? ", " : "", body_label(all->model, id, name),
            dofs_of(all->model, part));
    }
}

/* The first names of subsystems that are one robot each. */
static void name_some(const Lines *all, Line *line)
{
    char name[NAME_SIZE];
    int named = 0;
    for (int i = line->first; i < tn_world_subsystem_count(all->world) && named <= NAMES_SHOWN;
         i++) {
        Line other = {.info = tn_world_subsystem_info(all->world, i)};
        if (!is_alike(line, &other)) continue;
        if (named < NAMES_SHOWN)
            add(line, "%s%s", named ? ", " : "", body_label(all->model, other.info.body, name));
        else
            add(line, ", ...");
        named++;
    }
}

/* A whole soft body with what is in its subsystem, or its pieces. */
static void describe_soft(const Lines *all, Line *line)
{
    char label[NAME_SIZE];
    const TnSubsystemInfo *info = &line->info;
    const char *name = tn_model_soft_name(all->model, info->soft);
    snprintf(label, sizeof label, "soft%d", info->soft);
    add(line, "%s%s (", line->count > 1 ? "pieces of " : "", name[0] ? name : label);
    if (line->least_nodes < info->soft_nodes) add(line, "%d to ", line->least_nodes);
    add(line, "%d nodes%s)", info->soft_nodes, line->count > 1 ? " each" : "");
    if (info->segments) add(line, ", ");
    if (info->segments) name_cables(all, line);
    if (info->trees) add(line, " with ");
    if (info->trees) name_robots(all, line);
}

static void describe(const Lines *all, Line *line)
{
    char name[NAME_SIZE];
    const TnSubsystemInfo *info = &line->info;
    if (info->free_bodies) {
        add(line, "free bod%s", line->count == 1 ? "y" : "ies");
    } else if (line->group_of) {
        add(line, "group%s of %d segment%s of %s", plural(line->count), info->segments,
            plural(info->segments), rod_label(all->model, line->group_of, name));
    } else if (info->soft) {
        describe_soft(all, line);
    } else if (!info->segments) {
        add(line, "robot%s ", plural(line->count));
        add(line, line->count > 1 ? "(" : "");
        name_some(all, line);
        add(line, line->count > 1 ? ")" : "");
    } else if (line->count == 1) {
        name_cables(all, line);
        if (info->trees) add(line, " with ");
        name_robots(all, line);
    } else {
        add(line, "cables of %d segments", info->segments);
        if (info->trees) add(line, " with %d robot%s", info->trees, plural(info->trees));
    }
    add(line, ": ");
    if (line->least_unknowns < info->unknowns) add(line, "%d to ", line->least_unknowns);
    add(line, "%d unknown%s%s", info->unknowns, plural(info->unknowns),
        line->count > 1 ? " each" : "");
}

bool division_print(const TnWorld *world, const char *name)
{
    Lines all;
    bool fine = collect(&all, world);
    printf("division %s\n", name);
    for (int i = 0; fine && i < all.count; i++) {
        describe(&all, &all.lines[i]);
        printf("  %-6d %s\n", all.lines[i].count, all.lines[i].text);
    }
    table_line(stdout, "bonds iterated", "%d", tn_world_bond_count(world));
    for (const char *reason = tn_world_division_reason(world); *reason;) {
        int length = (int)strcspn(reason, "\n");
        printf("  %.*s\n", length, reason);
        reason += length + (reason[length] != '\0');
    }
    free(all.lines);
    return fine;
}

bool division_json(Json *json, const TnWorld *world, const char *name)
{
    Lines all;
    bool fine = collect(&all, world);
    json_begin_object(json, "division");
    json_string(json, "name", name);
    json_integer(json, "bonds", tn_world_bond_count(world));
    json_string(json, "reason", tn_world_division_reason(world));
    json_begin_array(json, "groups");
    for (int i = 0; fine && i < all.count; i++) {
        Line *line = &all.lines[i];
        describe(&all, line);
        json_begin_object(json, NULL);
        json_integer(json, "count", line->count);
        json_string(json, "what", line->text);
        json_integer(json, "unknowns", line->info.unknowns);
        json_integer(json, "free_bodies", line->info.free_bodies);
        json_integer(json, "trees", line->info.trees);
        json_integer(json, "segments", line->info.segments);
        json_integer(json, "soft_nodes", line->info.soft_nodes);
        json_end(json);
    }
    json_end(json);
    json_end(json);
    free(all.lines);
    return fine;
}
